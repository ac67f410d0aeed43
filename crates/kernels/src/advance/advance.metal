// Made by tools/vulkan-kernels.sh of advance.slang and what stands before it.
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
constant uint fc_C_HEADS_0 [[function_constant(3)]];
constant uint C_HEADS_0 = is_function_constant_defined(fc_C_HEADS_0) ? fc_C_HEADS_0 : 1U;
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
};
struct Pick_0
{
    float score_0;
    uint token_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<Pick_0, int(64)> threadgroup* bests_0;
};
bool stopped_0(KernelContext_0 thread* kernelContext_0)
{
    return (kernelContext_0->args_0->step_0->stop_0) != 0U;
}
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
    uint half_0 = 32U;
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
        uint i_1 = i_0 + 64U;
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
uint verdict_0(Seq_0 device* seq_1, uint token_1)
{
    uint i_3 = 0U;
    for(;;)
    {
        if(i_3 < (min(seq_1->eos_count_0, 16U)))
        {
        }
        else
        {
            break;
        }
        if((seq_1->eos_0[i_3]) == token_1)
        {
            return 1U;
        }
        i_3 = i_3 + 1U;
    }
    if((seq_1->len_0) >= (seq_1->limit_0))
    {
        i_3 = 2U;
    }
    else
    {
        i_3 = 0U;
    }
    return i_3;
}
void put_0(uint seq_2, uint at_0, uint token_2, KernelContext_0 thread* kernelContext_5)
{
    if(at_0 < C_MAX_SEQ_0)
    {
        *((uint device*)((ulong)(kernelContext_5->args_0->tokens_0)) + (ulong(seq_2) * ulong(C_MAX_SEQ_0) + ulong(at_0))) = token_2;
    }
    return;
}
void session_0(uint t_2, KernelContext_0 thread* kernelContext_6)
{
    Header_0 device* h_0 = kernelContext_6->args_0->step_0;
    uint rows_1 = kernelContext_6->args_0->step_0->rows_0;
    uint head_rows_1 = kernelContext_6->args_0->step_0->head_rows_0;
    if((kernelContext_6->args_0->step_0->rows_0) == 0U)
    {
        return;
    }
    Pick_0 _S17 = no_pick_0();
    Pick_0 p_4;
    if(head_rows_1 > 0U)
    {
        Pick_0 _S18 = drawn_1(t_2, head_rows_1 - 1U, kernelContext_6);
        p_4 = _S18;
    }
    else
    {
        p_4 = _S17;
    }
    if(t_2 != 0U)
    {
        return;
    }
    Row_0 device* _S19 = step_rows_0(kernelContext_6);
    Row_0 device* _S20 = _S19 + (rows_1 - 1U);
    Row_0 last_0 = *_S20;
    Seq_0 device* _S21 = step_seq_0((*_S20).seq_0, kernelContext_6);
    uint len_1 = last_0.pos_0 + 1U;
    _S21->len_0 = len_1;
    h_0->steps_0 = h_0->steps_0 + 1U;
    if(head_rows_1 == 0U)
    {
        return;
    }
    thread Pick_0 _S22 = p_4;
    bool _S23 = good_0(&_S22);
    if(_S23)
    {
        Pick_0 _S24 = p_4;
        h_0->last_token_0 = p_4.token_0;
        h_0->drawn_0 = h_0->drawn_0 + 1U;
        uint _S25 = verdict_0(_S21, _S24.token_0);
        h_0->stop_0 = _S25;
        put_0(last_0.seq_0, len_1, _S24.token_0, kernelContext_6);
    }
    else
    {
        h_0->stop_0 = 4U;
    }
    thread Row_0 next_0;
    (&next_0)->seq_0 = last_0.seq_0;
    (&next_0)->pos_0 = len_1;
    Row_0 device* _S26 = step_rows_0(kernelContext_6);
    *(_S26 + int(0)) = next_0;
    kernelContext_6->args_0->step_0->rows_0 = 1U;
    kernelContext_6->args_0->step_0->head_rows_0 = 1U;
    return;
}
struct Head_0
{
    uint row_0;
    uint seq_3;
    uint token_3;
    uint pos_1;
};
Head_0 device* step_heads_0(KernelContext_0 thread* kernelContext_7)
{
    return (Head_0 device*)((ulong)((uchar device*)((ulong)(kernelContext_7->args_0->step_0)) + kernelContext_7->args_0->step_0->heads_at_0));
}
void batch_0(uint t_3, KernelContext_0 thread* kernelContext_8)
{
    Header_0 device* h_1 = kernelContext_8->args_0->step_0;
    uint n_0 = kernelContext_8->args_0->step_0->head_rows_0;
    uint i_4 = 0U;
    uint next_1 = 0U;
    for(;;)
    {
        if(i_4 < n_0)
        {
        }
        else
        {
            break;
        }
        Pick_0 _S27 = drawn_1(t_3, i_4, kernelContext_8);
        if(t_3 != 0U)
        {
            i_4 = i_4 + 1U;
            continue;
        }
        Head_0 device* _S28 = step_heads_0(kernelContext_8);
        Head_0 device* head_1 = _S28 + i_4;
        Row_0 device* _S29 = step_rows_0(kernelContext_8);
        thread Row_0 row_1 = *(_S29 + head_1->row_0);
        Seq_0 device* _S30 = step_seq_0((&row_1)->seq_0, kernelContext_8);
        uint _S31 = (&row_1)->pos_0 + 1U;
        (&row_1)->pos_0 = _S31;
        _S30->len_0 = _S31;
        thread Pick_0 _S32 = _S27;
        bool _S33 = good_0(&_S32);
        uint token_4;
        if(_S33)
        {
            token_4 = _S27.token_0;
        }
        else
        {
            token_4 = 4294967295U;
        }
        uint stop_2;
        if(_S33)
        {
            uint _S34 = verdict_0(_S30, token_4);
            stop_2 = _S34;
        }
        else
        {
            stop_2 = 4U;
        }
        _S30->stop_1 = stop_2;
        if(_S33)
        {
            put_0((&row_1)->seq_0, (&row_1)->pos_0, token_4, kernelContext_8);
        }
        head_1->seq_3 = (&row_1)->seq_0;
        head_1->token_3 = token_4;
        head_1->pos_1 = (&row_1)->pos_0;
        uint next_2;
        if(stop_2 == 0U)
        {
            Row_0 device* _S35 = step_rows_0(kernelContext_8);
            *(_S35 + next_1) = row_1;
            Head_0 device* _S36 = step_heads_0(kernelContext_8);
            (_S36 + next_1)->row_0 = next_1;
            next_2 = next_1 + 1U;
        }
        else
        {
            next_2 = next_1;
        }
        next_1 = next_2;
        i_4 = i_4 + 1U;
    }
    if(t_3 != 0U)
    {
        return;
    }
    h_1->steps_0 = h_1->steps_0 + 1U;
    h_1->drawn_0 = h_1->drawn_0 + n_0;
    h_1->drew_0 = n_0;
    h_1->rows_0 = next_1;
    kernelContext_8->args_0->step_0->head_rows_0 = next_1;
    if(next_1 == 0U)
    {
        h_1->stop_0 = 2U;
    }
    return;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_9;
    (&kernelContext_9)->args_0 = args_1;
    threadgroup array<Pick_0, int(64)> bests_1;
    (&kernelContext_9)->bests_0 = &bests_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S37 = stopped_0(&kernelContext_9);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if(_S37)
    {
        return;
    }
    if(C_HEADS_0 == 0U)
    {
        session_0(sv_groupindex_0, &kernelContext_9);
    }
    else
    {
        batch_0(sv_groupindex_0, &kernelContext_9);
    }
    return;
}
