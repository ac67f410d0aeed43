// Made by tools/vulkan-kernels.sh of accept.slang and what stands before it.
#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#else
#pragma clang fp contract(off)
#endif
constant uint fc_C_MAX_SEQ_0 [[function_constant(2)]];
constant uint C_MAX_SEQ_0 = is_function_constant_defined(fc_C_MAX_SEQ_0) ? fc_C_MAX_SEQ_0 : 1U;
constant uint fc_C_VOCAB_0 [[function_constant(0)]];
constant uint C_VOCAB_0 = is_function_constant_defined(fc_C_VOCAB_0) ? fc_C_VOCAB_0 : 1U;
constant uint fc_C_CHUNK_0 [[function_constant(1)]];
constant uint C_CHUNK_0 = is_function_constant_defined(fc_C_CHUNK_0) ? fc_C_CHUNK_0 : 1U;
struct Header_0
{
    uint rows_0;
    uint head_rows_0;
    uint seqs_cap_0;
    uint stop_0;
    uint steps_0;
    uint last_token_0;
    uint drawn_0;
    uint heads_at_0;
    uint heads_cap_0;
    uint drew_0;
    array<uint, int(6)> reserved_0;
};
struct Args_0
{
    Header_0 device* step_0;
    uchar device* picks_0;
    uchar device* tokens_0;
    uchar device* drafts_0;
};
struct Pick_0
{
    float score_0;
    uint token_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<Pick_0, int(256)> threadgroup* bests_0;
    array<uint, int(64)> threadgroup* seqs_0;
    array<uint, int(64)> threadgroup* ends_0;
    array<uint, int(64)> threadgroup* tokens_1;
    array<uint, int(64)> threadgroup* stops_0;
    array<uint, int(64)> threadgroup* meets_0;
    array<uint, int(64)> threadgroup* counts_0;
    array<uint, int(64)> threadgroup* going_0;
    uint threadgroup* counted_0;
    uint threadgroup* goes_0;
    array<uint, int(256)> threadgroup* matches_0;
};
bool stopped_0(KernelContext_0 thread* kernelContext_0)
{
    return (kernelContext_0->args_0->step_0->stop_0) != 0U;
}
constant uint fc_C_ROWS_0 [[function_constant(4)]];
constant uint C_ROWS_0 = is_function_constant_defined(fc_C_ROWS_0) ? fc_C_ROWS_0 : 1U;
float infinity_0()
{
    return (as_type<float>((2139095040U)));
}
Pick_0 no_pick_0()
{
    thread Pick_0 p_0;
    (&p_0)->score_0 = - infinity_0();
    (&p_0)->token_0 = 4294967295U;
    return p_0;
}
Pick_0 better_0(const Pick_0 thread* a_0, const Pick_0 thread* b_0)
{
    float _S1 = b_0->score_0;
    float _S2 = a_0->score_0;
    bool _S3;
    if((b_0->score_0) > (a_0->score_0))
    {
        _S3 = true;
    }
    else
    {
        if(_S1 == _S2)
        {
            _S3 = (b_0->token_0) < (a_0->token_0);
        }
        else
        {
            _S3 = false;
        }
    }
    if(_S3)
    {
        return *b_0;
    }
    return *a_0;
}
Pick_0 group_best_0(uint t_0, const Pick_0 thread* p_1, KernelContext_0 thread* kernelContext_1)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_1->bests_0)[t_0] = *p_1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint half_0 = 128U;
    for(;;)
    {
        if(half_0 != 0U)
        {
        }
        else
        {
            break;
        }
        if(t_0 < half_0)
        {
            Pick_0 _S4 = (*kernelContext_1->bests_0)[t_0 + half_0];
            thread Pick_0 _S5 = (*kernelContext_1->bests_0)[t_0];
            thread Pick_0 _S6 = _S4;
            Pick_0 _S7 = better_0(&_S5, &_S6);
            (*kernelContext_1->bests_0)[t_0] = _S7;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        half_0 = half_0 / 2U;
    }
    return (*kernelContext_1->bests_0)[int(0)];
}
Pick_0 drawn_1(uint t_1, uint head_0, KernelContext_0 thread* kernelContext_2)
{
    Pick_0 device* _S8 = (Pick_0 device*)((ulong)(kernelContext_2->args_0->picks_0)) + ulong(head_0) * ulong((C_VOCAB_0 + C_CHUNK_0 - 1U) / C_CHUNK_0);
    Pick_0 p_2 = no_pick_0();
    uint i_0 = t_1;
    for(;;)
    {
        if(i_0 < ((C_VOCAB_0 + C_CHUNK_0 - 1U) / C_CHUNK_0))
        {
        }
        else
        {
            break;
        }
        Pick_0 _S9 = *(_S8 + i_0);
        thread Pick_0 _S10 = p_2;
        thread Pick_0 _S11 = _S9;
        Pick_0 _S12 = better_0(&_S10, &_S11);
        uint i_1 = i_0 + 256U;
        p_2 = _S12;
        i_0 = i_1;
    }
    thread Pick_0 _S13 = p_2;
    Pick_0 _S14 = group_best_0(t_1, &_S13, kernelContext_2);
    return _S14;
}
struct Seq_0
{
    ulong seed_0;
    uint len_0;
    uint limit_0;
    float temperature_0;
    float floor_0;
    uint shift_keep_0;
    uint shift_by_0;
    uint eos_count_0;
    uint stop_1;
    array<uint, int(16)> eos_0;
};
Seq_0 device* step_seq_0(uint i_2, KernelContext_0 thread* kernelContext_3)
{
    return (Seq_0 device*)((ulong)((uchar device*)((ulong)(kernelContext_3->args_0->step_0)) + int(64))) + i_2;
}
struct Row_0
{
    uint seq_0;
    uint pos_0;
};
Row_0 device* step_rows_0(KernelContext_0 thread* kernelContext_4)
{
    Seq_0 device* _S15 = step_seq_0(kernelContext_4->args_0->step_0->seqs_cap_0, kernelContext_4);
    return (Row_0 device*)((ulong)(_S15));
}
struct Head_0
{
    uint row_0;
    uint seq_1;
    uint token_1;
    uint pos_1;
};
Head_0 device* step_heads_0(KernelContext_0 thread* kernelContext_5)
{
    return (Head_0 device*)((ulong)((uchar device*)((ulong)(kernelContext_5->args_0->step_0)) + kernelContext_5->args_0->step_0->heads_at_0));
}
bool good_0(const Pick_0 thread* p_3)
{
    bool _S16;
    if(((as_type<uint>((p_3->score_0))) & 2147483647U) < 2139095040U)
    {
        _S16 = (p_3->token_0) < C_VOCAB_0;
    }
    else
    {
        _S16 = false;
    }
    return _S16;
}
uint device* belt_of_0(uint seq_2, KernelContext_0 thread* kernelContext_6)
{
    return (uint device*)((ulong)(kernelContext_6->args_0->tokens_0)) + ulong(seq_2) * ulong(C_MAX_SEQ_0);
}
void judge_0(uint i_3, const Pick_0 thread* p_4, KernelContext_0 thread* kernelContext_7)
{
    Row_0 device* _S17 = step_rows_0(kernelContext_7);
    Head_0 device* _S18 = step_heads_0(kernelContext_7);
    Row_0 device* _S19 = _S17 + (_S18 + i_3)->row_0;
    Row_0 row_1 = *_S19;
    Seq_0 device* _S20 = step_seq_0((*_S19).seq_0, kernelContext_7);
    uint pos_2 = row_1.pos_0 + 1U;
    bool _S21 = good_0(p_4);
    uint stop_2;
    uint e_0;
    uint same_0;
    if(_S21)
    {
        if(pos_2 >= (_S20->limit_0))
        {
            stop_2 = 2U;
        }
        else
        {
            stop_2 = 0U;
        }
        e_0 = 0U;
        for(;;)
        {
            if(e_0 < (min(_S20->eos_count_0, 16U)))
            {
            }
            else
            {
                break;
            }
            if((_S20->eos_0[e_0]) == (p_4->token_0))
            {
                stop_2 = 1U;
            }
            e_0 = e_0 + 1U;
        }
        bool _S22;
        if(stop_2 == 0U)
        {
            _S22 = pos_2 < C_MAX_SEQ_0;
        }
        else
        {
            _S22 = false;
        }
        if(_S22)
        {
            uint device* _S23 = belt_of_0(row_1.seq_0, kernelContext_7);
            _S22 = (*(_S23 + pos_2)) == (p_4->token_0);
        }
        else
        {
            _S22 = false;
        }
        if(_S22)
        {
            same_0 = 1U;
        }
        else
        {
            same_0 = 0U;
        }
    }
    else
    {
        stop_2 = 4U;
        same_0 = 0U;
    }
    (*kernelContext_7->seqs_0)[i_3] = row_1.seq_0;
    (*kernelContext_7->ends_0)[i_3] = pos_2;
    if(_S21)
    {
        e_0 = p_4->token_0;
    }
    else
    {
        e_0 = 4294967295U;
    }
    (*kernelContext_7->tokens_1)[i_3] = e_0;
    (*kernelContext_7->stops_0)[i_3] = stop_2;
    (*kernelContext_7->meets_0)[i_3] = same_0;
    return;
}
struct Draft_0
{
    uint most_0;
    uint unsure_0;
    uint least_0;
    uint drafted_0;
    uint accepted_0;
};
Draft_0 device* draft_of_0(uint seq_3, KernelContext_0 thread* kernelContext_8)
{
    return (Draft_0 device*)((ulong)(kernelContext_8->args_0->drafts_0)) + seq_3;
}
void settle_0(uint n_0, KernelContext_0 thread* kernelContext_9)
{
    uint i_4 = 0U;
    uint drew_1 = 0U;
    uint on_0 = 0U;
    for(;;)
    {
        if(i_4 < n_0)
        {
        }
        else
        {
            break;
        }
        uint own_0 = (*kernelContext_9->seqs_0)[i_4];
        bool first_0;
        if(i_4 == 0U)
        {
            first_0 = true;
        }
        else
        {
            first_0 = ((*kernelContext_9->seqs_0)[max(i_4, 1U) - 1U]) != own_0;
        }
        uint _S24 = i_4 + 1U;
        bool last_0;
        if(_S24 == n_0)
        {
            last_0 = true;
        }
        else
        {
            last_0 = ((*kernelContext_9->seqs_0)[min(_S24, n_0 - 1U)]) != own_0;
        }
        bool _S25;
        if(first_0)
        {
            _S25 = true;
        }
        else
        {
            uint _S26 = max(i_4, 1U) - 1U;
            if(((*kernelContext_9->counts_0)[_S26]) != 0U)
            {
                _S25 = ((*kernelContext_9->meets_0)[_S26]) != 0U;
            }
            else
            {
                _S25 = false;
            }
        }
        int _S27;
        if(_S25)
        {
            _S27 = int(1);
        }
        else
        {
            _S27 = int(0);
        }
        (*kernelContext_9->counts_0)[i_4] = uint(_S27);
        bool _S28 = !first_0;
        if(_S28)
        {
            Draft_0 device* _S29 = draft_of_0(own_0, kernelContext_9);
            _S29->drafted_0 = _S29->drafted_0 + 1U;
        }
        if(((*kernelContext_9->counts_0)[i_4]) == 0U)
        {
            i_4 = _S24;
            continue;
        }
        if(_S28)
        {
            Draft_0 device* _S30 = draft_of_0(own_0, kernelContext_9);
            _S30->accepted_0 = _S30->accepted_0 + 1U;
        }
        Head_0 device* _S31 = step_heads_0(kernelContext_9);
        Head_0 device* head_1 = _S31 + drew_1;
        head_1->seq_1 = own_0;
        head_1->token_1 = (*kernelContext_9->tokens_1)[i_4];
        head_1->pos_1 = (*kernelContext_9->ends_0)[i_4];
        uint _S32 = drew_1 + 1U;
        bool _S33;
        if(((*kernelContext_9->tokens_1)[i_4]) != 4294967295U)
        {
            _S33 = ((*kernelContext_9->ends_0)[i_4]) < C_MAX_SEQ_0;
        }
        else
        {
            _S33 = false;
        }
        if(_S33)
        {
            uint device* _S34 = belt_of_0(own_0, kernelContext_9);
            *(_S34 + (*kernelContext_9->ends_0)[i_4]) = (*kernelContext_9->tokens_1)[i_4];
        }
        bool _S35;
        if(((*kernelContext_9->meets_0)[i_4]) != 0U)
        {
            _S35 = !last_0;
        }
        else
        {
            _S35 = false;
        }
        if(_S35)
        {
            drew_1 = _S32;
            i_4 = _S24;
            continue;
        }
        Seq_0 device* _S36 = step_seq_0(own_0, kernelContext_9);
        _S36->len_0 = (*kernelContext_9->ends_0)[i_4];
        Seq_0 device* _S37 = step_seq_0(own_0, kernelContext_9);
        _S37->stop_1 = (*kernelContext_9->stops_0)[i_4];
        uint on_1;
        if(((*kernelContext_9->stops_0)[i_4]) == 0U)
        {
            uint _S38 = on_0 + 1U;
            (*kernelContext_9->going_0)[on_0] = i_4;
            on_1 = _S38;
        }
        else
        {
            on_1 = on_0;
        }
        drew_1 = _S32;
        on_0 = on_1;
        i_4 = _S24;
    }
    *kernelContext_9->counted_0 = drew_1;
    *kernelContext_9->goes_0 = on_0;
    return;
}
uint longest_match_0(uint t_2, uint seq_4, uint len_1, uint last_1, KernelContext_0 thread* kernelContext_10)
{
    uint n_1;
    uint device* _S39 = belt_of_0(seq_4, kernelContext_10);
    uint best_0 = 0U;
    uint j_0 = t_2;
    for(;;)
    {
        if(j_0 < len_1)
        {
        }
        else
        {
            break;
        }
        if((*(_S39 + j_0)) != last_1)
        {
            j_0 = j_0 + 256U;
            continue;
        }
        n_1 = 1U;
        for(;;)
        {
            bool _S40;
            if(n_1 < 16U)
            {
                _S40 = n_1 <= j_0;
            }
            else
            {
                _S40 = false;
            }
            bool _S41;
            if(_S40)
            {
                _S41 = (*(_S39 + (j_0 - n_1))) == (*(_S39 + (len_1 - n_1)));
            }
            else
            {
                _S41 = false;
            }
            if(_S41)
            {
            }
            else
            {
                break;
            }
            n_1 = n_1 + 1U;
        }
        best_0 = max(best_0, (n_1 << 27U) | (j_0 + 1U));
        j_0 = j_0 + 256U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_10->matches_0)[t_2] = best_0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    n_1 = 128U;
    for(;;)
    {
        if(n_1 != 0U)
        {
        }
        else
        {
            break;
        }
        if(t_2 < n_1)
        {
            (*kernelContext_10->matches_0)[t_2] = max((*kernelContext_10->matches_0)[t_2], (*kernelContext_10->matches_0)[t_2 + n_1]);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        n_1 = n_1 / 2U;
    }
    return (*kernelContext_10->matches_0)[int(0)];
}
uint known_0(uint seq_5, uint at_0, uint len_2, uint last_2, KernelContext_0 thread* kernelContext_11)
{
    uint _S42;
    if(at_0 == len_2)
    {
        _S42 = last_2;
    }
    else
    {
        uint device* _S43 = belt_of_0(seq_5, kernelContext_11);
        _S42 = *(_S43 + at_0);
    }
    return _S42;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_12;
    (&kernelContext_12)->args_0 = args_1;
    threadgroup array<Pick_0, int(256)> bests_1;
    (&kernelContext_12)->bests_0 = &bests_1;
    threadgroup array<uint, int(64)> seqs_1;
    (&kernelContext_12)->seqs_0 = &seqs_1;
    threadgroup array<uint, int(64)> ends_1;
    (&kernelContext_12)->ends_0 = &ends_1;
    threadgroup array<uint, int(64)> tokens_2;
    (&kernelContext_12)->tokens_1 = &tokens_2;
    threadgroup array<uint, int(64)> stops_1;
    (&kernelContext_12)->stops_0 = &stops_1;
    threadgroup array<uint, int(64)> meets_1;
    (&kernelContext_12)->meets_0 = &meets_1;
    threadgroup array<uint, int(64)> counts_1;
    (&kernelContext_12)->counts_0 = &counts_1;
    threadgroup array<uint, int(64)> going_1;
    (&kernelContext_12)->going_0 = &going_1;
    threadgroup uint counted_1;
    (&kernelContext_12)->counted_0 = &counted_1;
    threadgroup uint goes_1;
    (&kernelContext_12)->goes_0 = &goes_1;
    threadgroup array<uint, int(256)> matches_1;
    (&kernelContext_12)->matches_0 = &matches_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 256U + sv_groupthreadid_0[int(0)];
    bool _S44 = stopped_0(&kernelContext_12);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if(_S44)
    {
        return;
    }
    uint _S45 = min((&kernelContext_12)->args_0->step_0->head_rows_0, C_ROWS_0);
    uint i_5 = 0U;
    for(;;)
    {
        if(i_5 < _S45)
        {
        }
        else
        {
            break;
        }
        Pick_0 _S46 = drawn_1(sv_groupindex_0, i_5, &kernelContext_12);
        if(sv_groupindex_0 == 0U)
        {
            thread Pick_0 _S47 = _S46;
            judge_0(i_5, &_S47, &kernelContext_12);
        }
        i_5 = i_5 + 1U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if(sv_groupindex_0 == 0U)
    {
        settle_0(_S45, &kernelContext_12);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint _S48 = C_ROWS_0 - min(*(&kernelContext_12)->goes_0, C_ROWS_0);
    uint g_0 = 0U;
    uint spare_0 = _S48;
    uint row_2 = 0U;
    for(;;)
    {
        if(g_0 < (*(&kernelContext_12)->goes_0))
        {
        }
        else
        {
            break;
        }
        uint seq_6 = (*(&kernelContext_12)->seqs_0)[(*(&kernelContext_12)->going_0)[g_0]];
        uint len_3 = (*(&kernelContext_12)->ends_0)[(*(&kernelContext_12)->going_0)[g_0]];
        uint last_3 = (*(&kernelContext_12)->tokens_1)[(*(&kernelContext_12)->going_0)[g_0]];
        Seq_0 device* _S49 = step_seq_0((*(&kernelContext_12)->seqs_0)[(*(&kernelContext_12)->going_0)[g_0]], &kernelContext_12);
        uint _S50 = min(_S49->limit_0, C_MAX_SEQ_0 - 1U);
        uint _S51 = len_3 + 1U;
        if(_S50 > _S51)
        {
            i_5 = _S50 - len_3 - 1U;
        }
        else
        {
            i_5 = 0U;
        }
        uint _S52 = min(i_5, spare_0);
        Draft_0 device* _S53 = draft_of_0(seq_6, &kernelContext_12);
        uint _S54 = min(_S53->most_0, _S52);
        Draft_0 device* _S55 = draft_of_0(seq_6, &kernelContext_12);
        uint _S56 = max(_S55->least_0, 1U);
        uint k_0;
        if(_S54 != 0U)
        {
            uint _S57 = longest_match_0(sv_groupindex_0, seq_6, len_3, last_3, &kernelContext_12);
            uint matched_0 = _S57 >> 27U;
            uint from_0 = _S57 & 134217727U;
            uint most_1;
            if(matched_0 < 8U)
            {
                Draft_0 device* _S58 = draft_of_0(seq_6, &kernelContext_12);
                most_1 = min(_S54, _S58->unsure_0);
            }
            else
            {
                most_1 = _S54;
            }
            bool _S59;
            if(_S57 != 0U)
            {
                _S59 = matched_0 >= _S56;
            }
            else
            {
                _S59 = false;
            }
            if(_S59)
            {
                k_0 = min(2U * matched_0 - 1U, most_1);
            }
            else
            {
                k_0 = 0U;
            }
            if(sv_groupindex_0 < k_0)
            {
                uint device* _S60 = belt_of_0(seq_6, &kernelContext_12);
                uint device* _S61 = _S60 + (_S51 + sv_groupindex_0);
                uint _S62 = sv_groupindex_0 % (_S51 - from_0);
                uint _S63 = known_0(seq_6, from_0 + _S62, len_3, last_3, &kernelContext_12);
                *_S61 = _S63;
            }
        }
        else
        {
            k_0 = 0U;
        }
        if(sv_groupindex_0 <= k_0)
        {
            thread Row_0 next_0;
            (&next_0)->seq_0 = seq_6;
            (&next_0)->pos_0 = len_3 + sv_groupindex_0;
            Row_0 device* _S64 = step_rows_0(&kernelContext_12);
            *(_S64 + (row_2 + sv_groupindex_0)) = next_0;
            Head_0 device* _S65 = step_heads_0(&kernelContext_12);
            (_S65 + (row_2 + sv_groupindex_0))->row_0 = row_2 + sv_groupindex_0;
        }
        uint row_3 = row_2 + (k_0 + 1U);
        uint spare_1 = spare_0 - k_0;
        g_0 = g_0 + 1U;
        spare_0 = spare_1;
        row_2 = row_3;
    }
    if(sv_groupindex_0 != 0U)
    {
        return;
    }
    Header_0 device* h_0 = (&kernelContext_12)->args_0->step_0;
    (&kernelContext_12)->args_0->step_0->rows_0 = row_2;
    h_0->head_rows_0 = row_2;
    if(row_2 == 0U)
    {
        i_5 = 2U;
    }
    else
    {
        i_5 = 0U;
    }
    h_0->stop_0 = i_5;
    h_0->steps_0 = h_0->steps_0 + 1U;
    h_0->drawn_0 = h_0->drawn_0 + *(&kernelContext_12)->counted_0;
    h_0->drew_0 = *(&kernelContext_12)->counted_0;
    return;
}
