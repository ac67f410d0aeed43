// Made by tools/vulkan-kernels.sh of adjust.slang and what stands before it.
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
constant uint fc_C_CHUNK_0 [[function_constant(1)]];
constant uint C_CHUNK_0 = is_function_constant_defined(fc_C_CHUNK_0) ? fc_C_CHUNK_0 : 1U;
constant uint fc_C_VOCAB_0 [[function_constant(0)]];
constant uint C_VOCAB_0 = is_function_constant_defined(fc_C_VOCAB_0) ? fc_C_VOCAB_0 : 1U;
constant uint fc_C_MAX_SEQ_0 [[function_constant(3)]];
constant uint C_MAX_SEQ_0 = is_function_constant_defined(fc_C_MAX_SEQ_0) ? fc_C_MAX_SEQ_0 : 1U;
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
    uchar device* samplers_0;
    uchar device* biases_0;
    uchar device* masks_0;
    uchar device* breakers_0;
    uchar device* tokens_0;
    uchar device* logits_0;
    uchar device* best_0;
    uchar device* raw_logits_0;
};
struct Pick_0
{
    float score_0;
    uint token_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<uint, int(4096)> threadgroup* table_0;
    uint threadgroup* nearest_0;
    array<Pick_0, int(256)> threadgroup* bests_0;
};
bool stopped_0(KernelContext_0 thread* kernelContext_0)
{
    return (kernelContext_0->args_0->step_0->stop_0) != 0U;
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
Seq_0 device* step_seq_0(uint i_0, KernelContext_0 thread* kernelContext_1)
{
    return (Seq_0 device*)((ulong)((uchar device*)((ulong)(kernelContext_1->args_0->step_0)) + int(64))) + i_0;
}
struct Row_0
{
    uint seq_0;
    uint pos_0;
};
Row_0 device* step_rows_0(KernelContext_0 thread* kernelContext_2)
{
    Seq_0 device* _S1 = step_seq_0(kernelContext_2->args_0->step_0->seqs_cap_0, kernelContext_2);
    return (Row_0 device*)((ulong)(_S1));
}
struct Head_0
{
    uint row_0;
    uint seq_1;
    uint token_1;
    uint pos_1;
};
Head_0 device* step_heads_0(KernelContext_0 thread* kernelContext_3)
{
    return (Head_0 device*)((ulong)((uchar device*)((ulong)(kernelContext_3->args_0->step_0)) + kernelContext_3->args_0->step_0->heads_at_0));
}
uint step_head_row_0(uint i_1, KernelContext_0 thread* kernelContext_4)
{
    uint _S2;
    if((kernelContext_4->args_0->step_0->heads_at_0) == 0U)
    {
        _S2 = kernelContext_4->args_0->step_0->rows_0 - kernelContext_4->args_0->step_0->head_rows_0 + i_1;
    }
    else
    {
        Head_0 device* _S3 = step_heads_0(kernelContext_4);
        _S2 = (_S3 + i_1)->row_0;
    }
    return _S2;
}
struct Bias_0
{
    uint token_2;
    float bias_0;
};
void add_biases_0(uint t_0, float device* x_0, Bias_0 device* biases_1, uint n_0)
{
    uint i_2 = t_0;
    for(;;)
    {
        if(i_2 < n_0)
        {
        }
        else
        {
            break;
        }
        Bias_0 device* _S4 = biases_1 + i_2;
        uint token_3 = _S4->token_2;
        if((_S4->token_2) >= C_VOCAB_0)
        {
            i_2 = i_2 + 256U;
            continue;
        }
        float device* _S5 = x_0 + token_3;
        float v_0 = *_S5 + _S4->bias_0;
        *_S5 = v_0;
        i_2 = i_2 + 256U;
    }
    return;
}
void empty_table_0(uint t_1, KernelContext_0 thread* kernelContext_5)
{
    uint i_3 = t_1;
    for(;;)
    {
        if(i_3 < 4096U)
        {
        }
        else
        {
            break;
        }
        (*kernelContext_5->table_0)[i_3] = 0U;
        i_3 = i_3 + 256U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return;
}
uint slot_of_0(uint token_4, KernelContext_0 thread* kernelContext_6)
{
    uint _S6 = token_4 + 1U;
    uint _S7 = _S6 << 13U;
    uint at_0 = ((token_4 * 2654435761U) >> 16U) % 4096U;
    for(;;)
    {
        uint _S8;
        {
        uint _metal_cas_comparand = 0U;
        atomic_compare_exchange_weak_explicit(((atomic_uint threadgroup*)(&(*kernelContext_6->table_0)[at_0])), &_metal_cas_comparand, _S7, memory_order_relaxed, memory_order_relaxed);
        _S8 = _metal_cas_comparand;
        }
        uint now_0 = atomic_fetch_or_explicit(((atomic_uint threadgroup*)(&(*kernelContext_6->table_0)[at_0])), 0U, memory_order_relaxed);
        if((now_0 >> 13U) == _S6)
        {
            return at_0;
        }
        if(now_0 != 0U)
        {
            at_0 = (at_0 + 1U) % 4096U;
        }
    }
}
float divided_0(float a_0, float b_0)
{
    uint x_1 = (as_type<uint>((a_0)));
    uint y_0 = (as_type<uint>((b_0)));
    uint sign_0 = (x_1 ^ y_0) & 2147483648U;
    uint ex_0 = (x_1 >> 23U) & 255U;
    uint ey_0 = (y_0 >> 23U) & 255U;
    bool _S9;
    if(ex_0 == 0U)
    {
        _S9 = true;
    }
    else
    {
        _S9 = ex_0 == 255U;
    }
    if(_S9)
    {
        _S9 = true;
    }
    else
    {
        _S9 = ey_0 == 0U;
    }
    if(_S9)
    {
        _S9 = true;
    }
    else
    {
        _S9 = ey_0 == 255U;
    }
    if(_S9)
    {
        return a_0 / b_0;
    }
    ulong n_1 = ulong((x_1 & 8388607U) | 8388608U) << 26U;
    ulong d_0 = ulong((y_0 & 8388607U) | 8388608U);
    ulong whole_0 = n_1 / d_0;
    bool more_0 = (whole_0 * d_0) != n_1;
    uint q_0 = uint(whole_0);
    uint wide_0 = q_0 >> 26U;
    uint shift_0 = 2U + wide_0;
    uint digits_0 = q_0 >> shift_0;
    uint rest_0 = q_0 & ((1U << shift_0) - 1U);
    uint tie_0 = 1U << (shift_0 - 1U);
    if(rest_0 > tie_0)
    {
        _S9 = true;
    }
    else
    {
        if(rest_0 == tie_0)
        {
            if(more_0)
            {
                _S9 = true;
            }
            else
            {
                _S9 = (digits_0 & 1U) != 0U;
            }
        }
        else
        {
            _S9 = false;
        }
    }
    uint digits_1;
    if(_S9)
    {
        digits_1 = digits_0 + 1U;
    }
    else
    {
        digits_1 = digits_0;
    }
    int e_0 = int(ex_0) - int(ey_0) + int(126) + int(wide_0);
    if(e_0 <= int(0))
    {
        _S9 = true;
    }
    else
    {
        _S9 = e_0 >= int(254);
    }
    if(_S9)
    {
        return a_0 / b_0;
    }
    return (as_type<float>((sign_0 | ((uint(e_0) << 23U) + (digits_1 - 8388608U)))));
}
float times_plus_0(float a_1, float b_1, float c_0)
{
    float product_0 = a_1 * b_1;
    float sum_0 = product_0 + c_0;
    return sum_0;
}
struct Sampler_0
{
    uint filters_0;
    uint top_k_0;
    uint top_p_0;
    uint typical_0;
    float min_p_0;
    float top_n_sigma_0;
    uint xtc_probability_0;
    float xtc_threshold_0;
    float repeat_penalty_0;
    float frequency_penalty_0;
    float presence_penalty_0;
    uint window_0;
    float dry_multiplier_0;
    float dry_base_0;
    uint dry_allowed_0;
    uint dry_window_0;
    uint biases_2;
    uint masked_0;
    float mirostat_tau_0;
    float mirostat_eta_0;
    uint logprobs_0;
    array<uint, int(11)> reserved_1;
};
void penalise_0(uint t_2, float device* x_2, Sampler_0 device* s_0, uint device* window_1, uint n_2, KernelContext_0 thread* kernelContext_7)
{
    empty_table_0(t_2, kernelContext_7);
    uint i_4 = t_2;
    for(;;)
    {
        if(i_4 < n_2)
        {
        }
        else
        {
            break;
        }
        uint device* _S10 = window_1 + i_4;
        if((*_S10) < C_VOCAB_0)
        {
            uint _S11 = slot_of_0(*_S10, kernelContext_7);
            uint _S12 = atomic_fetch_add_explicit(((atomic_uint threadgroup*)(&(*kernelContext_7->table_0)[_S11])), 1U, memory_order_relaxed);
        }
        i_4 = i_4 + 256U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    i_4 = t_2;
    for(;;)
    {
        bool _S13;
        if(i_4 < 4096U)
        {
            _S13 = n_2 != 0U;
        }
        else
        {
            _S13 = false;
        }
        if(_S13)
        {
        }
        else
        {
            break;
        }
        uint slot_0 = (*kernelContext_7->table_0)[i_4];
        if(((*kernelContext_7->table_0)[i_4]) == 0U)
        {
            i_4 = i_4 + 256U;
            continue;
        }
        uint count_0 = slot_0 & 8191U;
        float device* _S14 = x_2 + ((slot_0 >> 13U) - 1U);
        float l_0 = *_S14;
        float l_1;
        if((s_0->repeat_penalty_0) != 0.0)
        {
            float product_1 = l_0 * s_0->repeat_penalty_0;
            if(l_0 <= 0.0)
            {
                l_1 = product_1;
            }
            else
            {
                float _S15 = divided_0(l_0, s_0->repeat_penalty_0);
                l_1 = _S15;
            }
        }
        else
        {
            l_1 = l_0;
        }
        float v_1 = l_1 - times_plus_0(float(count_0), s_0->frequency_penalty_0, s_0->presence_penalty_0);
        *_S14 = v_1;
        i_4 = i_4 + 256U;
    }
    return;
}
bool is_set_0(uint device* words_0, uint token_5)
{
    bool _S16;
    if(token_5 < C_VOCAB_0)
    {
        _S16 = (((*(words_0 + token_5 / 32U)) >> (token_5 % 32U)) & 1U) != 0U;
    }
    else
    {
        _S16 = false;
    }
    return _S16;
}
void dry_0(uint t_3, float device* x_3, Sampler_0 device* s_1, uint device* window_2, uint n_3, uint device* breaks_0, KernelContext_0 thread* kernelContext_8)
{
    uint length_0;
    if(t_3 == 0U)
    {
        *kernelContext_8->nearest_0 = n_3;
    }
    empty_table_0(t_3, kernelContext_8);
    uint i_5 = t_3;
    for(;;)
    {
        if(i_5 < n_3)
        {
        }
        else
        {
            break;
        }
        bool _S17 = is_set_0(breaks_0, *(window_2 + i_5));
        if(_S17)
        {
            uint _S18 = atomic_fetch_min_explicit(((atomic_uint threadgroup*)(kernelContext_8->nearest_0)), n_3 - 1U - i_5, memory_order_relaxed);
        }
        i_5 = i_5 + 256U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint _S19 = *kernelContext_8->nearest_0;
    uint _S20 = max(s_1->dry_allowed_0, 1U);
    uint next_0 = t_3;
    for(;;)
    {
        if(next_0 < n_3)
        {
        }
        else
        {
            break;
        }
        uint _S21 = min(_S19, next_0);
        uint token_6 = *(window_2 + next_0);
        length_0 = 0U;
        for(;;)
        {
            bool _S22;
            if(length_0 < _S21)
            {
                _S22 = (*(window_2 + (next_0 - 1U - length_0))) == (*(window_2 + (n_3 - 1U - length_0)));
            }
            else
            {
                _S22 = false;
            }
            if(_S22)
            {
            }
            else
            {
                break;
            }
            length_0 = length_0 + 1U;
        }
        bool _S23;
        if(next_0 != 0U)
        {
            _S23 = length_0 >= _S20;
        }
        else
        {
            _S23 = false;
        }
        bool _S24;
        if(_S23)
        {
            _S24 = token_6 < C_VOCAB_0;
        }
        else
        {
            _S24 = false;
        }
        bool counts_0;
        if(_S24)
        {
            bool _S25 = is_set_0(breaks_0, token_6);
            counts_0 = !_S25;
        }
        else
        {
            counts_0 = false;
        }
        if(counts_0)
        {
            uint _S26 = slot_of_0(token_6, kernelContext_8);
            uint _S27 = atomic_fetch_max_explicit(((atomic_uint threadgroup*)(&(*kernelContext_8->table_0)[_S26])), ((token_6 + 1U) << 13U) | length_0, memory_order_relaxed);
        }
        next_0 = next_0 + 256U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    i_5 = t_3;
    for(;;)
    {
        if(i_5 < 4096U)
        {
        }
        else
        {
            break;
        }
        uint slot_1 = (*kernelContext_8->table_0)[i_5];
        if(((*kernelContext_8->table_0)[i_5]) == 0U)
        {
            i_5 = i_5 + 256U;
            continue;
        }
        uint token_7 = (slot_1 >> 13U) - 1U;
        uint _S28 = min((slot_1 & 8191U) - _S20, 256U);
        float penalty_0 = s_1->dry_multiplier_0;
        length_0 = 0U;
        for(;;)
        {
            if(length_0 < _S28)
            {
            }
            else
            {
                break;
            }
            float grown_0 = penalty_0 * s_1->dry_base_0;
            uint _S29 = length_0 + 1U;
            penalty_0 = grown_0;
            length_0 = _S29;
        }
        float device* _S30 = x_3 + token_7;
        float v_2 = *_S30 - min(penalty_0, 1.00000001504746622e+30);
        *_S30 = v_2;
        i_5 = i_5 + 256U;
    }
    return;
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
Pick_0 better_0(const Pick_0 thread* a_2, const Pick_0 thread* b_2)
{
    float _S31 = b_2->score_0;
    float _S32 = a_2->score_0;
    bool _S33;
    if((b_2->score_0) > (a_2->score_0))
    {
        _S33 = true;
    }
    else
    {
        if(_S31 == _S32)
        {
            _S33 = (b_2->token_0) < (a_2->token_0);
        }
        else
        {
            _S33 = false;
        }
    }
    if(_S33)
    {
        return *b_2;
    }
    return *a_2;
}
Pick_0 group_best_0(uint t_4, const Pick_0 thread* p_1, KernelContext_0 thread* kernelContext_9)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_9->bests_0)[t_4] = *p_1;
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
        if(t_4 < half_0)
        {
            Pick_0 _S34 = (*kernelContext_9->bests_0)[t_4 + half_0];
            thread Pick_0 _S35 = (*kernelContext_9->bests_0)[t_4];
            thread Pick_0 _S36 = _S34;
            Pick_0 _S37 = better_0(&_S35, &_S36);
            (*kernelContext_9->bests_0)[t_4] = _S37;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        half_0 = half_0 / 2U;
    }
    return (*kernelContext_9->bests_0)[int(0)];
}
void refresh_0(uint t_5, float device* x_4, Pick_0 device* best_1, bool masked_1, uint device* mask_0, KernelContext_0 thread* kernelContext_10)
{
    uint from_0;
    if(masked_1)
    {
        from_0 = t_5;
        for(;;)
        {
            if(from_0 < C_VOCAB_0)
            {
            }
            else
            {
                break;
            }
            bool _S38 = is_set_0(mask_0, from_0);
            if(!_S38)
            {
                *(x_4 + from_0) = - infinity_0();
            }
            from_0 = from_0 + 256U;
        }
        threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup | mem_flags::mem_texture | mem_flags::mem_threadgroup_imageblock);
    }
    if(C_CHUNK_0 < 512U)
    {
        from_0 = t_5;
    }
    else
    {
        from_0 = 0U;
    }
    uint _S39;
    if(C_CHUNK_0 < 512U)
    {
        _S39 = 256U;
    }
    else
    {
        _S39 = 1U;
    }
    uint c_1 = from_0;
    for(;;)
    {
        if(c_1 < ((C_VOCAB_0 + C_CHUNK_0 - 1U) / C_CHUNK_0))
        {
        }
        else
        {
            break;
        }
        thread Pick_0 p_2 = no_pick_0();
        uint _S40 = min((c_1 + 1U) * C_CHUNK_0, C_VOCAB_0);
        if(C_CHUNK_0 < 512U)
        {
            from_0 = 1U;
        }
        else
        {
            from_0 = 256U;
        }
        uint _S41 = c_1 * C_CHUNK_0;
        uint _S42;
        if(C_CHUNK_0 < 512U)
        {
            _S42 = 0U;
        }
        else
        {
            _S42 = t_5;
        }
        uint i_6 = _S41 + _S42;
        for(;;)
        {
            if(i_6 < _S40)
            {
            }
            else
            {
                break;
            }
            float device* _S43 = x_4 + i_6;
            if((*_S43) > ((&p_2)->score_0))
            {
                (&p_2)->score_0 = *_S43;
                (&p_2)->token_0 = i_6;
            }
            i_6 = i_6 + from_0;
        }
        if(!(C_CHUNK_0 < 512U))
        {
            thread Pick_0 _S44 = p_2;
            Pick_0 _S45 = group_best_0(t_5, &_S44, kernelContext_10);
            p_2 = _S45;
        }
        bool _S46;
        if(C_CHUNK_0 < 512U)
        {
            _S46 = true;
        }
        else
        {
            _S46 = t_5 == 0U;
        }
        if(_S46)
        {
            *(best_1 + c_1) = p_2;
        }
        c_1 = c_1 + _S39;
    }
    return;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_11;
    (&kernelContext_11)->args_0 = args_1;
    threadgroup array<uint, int(4096)> table_1;
    (&kernelContext_11)->table_0 = &table_1;
    threadgroup uint nearest_1;
    (&kernelContext_11)->nearest_0 = &nearest_1;
    threadgroup array<Pick_0, int(256)> bests_1;
    (&kernelContext_11)->bests_0 = &bests_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 256U + sv_groupthreadid_0[int(0)];
    bool _S47 = stopped_0(&kernelContext_11);
    bool repeats_0;
    if(_S47)
    {
        repeats_0 = true;
    }
    else
    {
        repeats_0 = (group_0.x) >= ((&kernelContext_11)->args_0->step_0->head_rows_0);
    }
    if(repeats_0)
    {
        return;
    }
    uint r_0 = group_0.x;
    Row_0 device* _S48 = step_rows_0(&kernelContext_11);
    uint _S49 = step_head_row_0(r_0, &kernelContext_11);
    Row_0 place_0 = *(_S48 + _S49);
    Sampler_0 device* s_2 = (Sampler_0 device*)((ulong)((&kernelContext_11)->args_0->samplers_0)) + place_0.seq_0;
    uint _S50 = min(place_0.pos_0 + 1U, C_MAX_SEQ_0);
    uint _S51 = min(s_2->biases_2, 1024U);
    uint _S52 = min(min(s_2->window_0, 4096U), _S50);
    uint _S53 = min(min(s_2->dry_window_0, 4096U), _S50);
    if((s_2->repeat_penalty_0) != 0.0)
    {
        repeats_0 = (s_2->repeat_penalty_0) != 1.0;
    }
    else
    {
        repeats_0 = false;
    }
    bool masked_2 = (s_2->masked_0) != 0U;
    if(!repeats_0)
    {
        repeats_0 = (s_2->frequency_penalty_0) == 0.0;
    }
    else
    {
        repeats_0 = false;
    }
    if(repeats_0)
    {
        repeats_0 = (s_2->presence_penalty_0) == 0.0;
    }
    else
    {
        repeats_0 = false;
    }
    uint window_3;
    if(repeats_0)
    {
        window_3 = 0U;
    }
    else
    {
        window_3 = _S52;
    }
    uint dry_window_1;
    if((s_2->dry_multiplier_0) == 0.0)
    {
        dry_window_1 = 0U;
    }
    else
    {
        dry_window_1 = _S53;
    }
    ulong _S54 = ulong(r_0);
    ulong _S55 = _S54 * ulong(C_VOCAB_0);
    float device* x_5 = (float device*)((ulong)((&kernelContext_11)->args_0->logits_0)) + _S55;
    if((s_2->logprobs_0) != 0U)
    {
        float device* _S56 = (float device*)((ulong)((&kernelContext_11)->args_0->raw_logits_0)) + _S55;
        uint i_7 = sv_groupindex_0;
        for(;;)
        {
            if(i_7 < C_VOCAB_0)
            {
            }
            else
            {
                break;
            }
            *(_S56 + i_7) = *(x_5 + i_7);
            i_7 = i_7 + 256U;
        }
        threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup | mem_flags::mem_texture | mem_flags::mem_threadgroup_imageblock);
    }
    if(window_3 == 0U)
    {
        repeats_0 = _S51 == 0U;
    }
    else
    {
        repeats_0 = false;
    }
    if(repeats_0)
    {
        repeats_0 = !masked_2;
    }
    else
    {
        repeats_0 = false;
    }
    if(repeats_0)
    {
        repeats_0 = dry_window_1 == 0U;
    }
    else
    {
        repeats_0 = false;
    }
    if(repeats_0)
    {
        return;
    }
    ulong _S57 = ulong(place_0.seq_0);
    uint device* belt_0 = (uint device*)((ulong)((&kernelContext_11)->args_0->tokens_0)) + _S57 * ulong(C_MAX_SEQ_0);
    add_biases_0(sv_groupindex_0, x_5, (Bias_0 device*)((ulong)((&kernelContext_11)->args_0->biases_0)) + _S57 * 1024UL, _S51);
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup | mem_flags::mem_texture | mem_flags::mem_threadgroup_imageblock);
    penalise_0(sv_groupindex_0, x_5, s_2, belt_0 + (_S50 - window_3), window_3, &kernelContext_11);
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup | mem_flags::mem_texture | mem_flags::mem_threadgroup_imageblock);
    if(dry_window_1 != 0U)
    {
        dry_0(sv_groupindex_0, x_5, s_2, belt_0 + (_S50 - dry_window_1), dry_window_1, (uint device*)((ulong)((&kernelContext_11)->args_0->breakers_0)) + _S57 * ulong((C_VOCAB_0 + 31U) / 32U), &kernelContext_11);
    }
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup | mem_flags::mem_texture | mem_flags::mem_threadgroup_imageblock);
    refresh_0(sv_groupindex_0, x_5, (Pick_0 device*)((ulong)((&kernelContext_11)->args_0->best_0)) + _S54 * ulong((C_VOCAB_0 + C_CHUNK_0 - 1U) / C_CHUNK_0), masked_2, (uint device*)((ulong)((&kernelContext_11)->args_0->masks_0)) + _S57 * ulong((C_VOCAB_0 + 31U) / 32U), &kernelContext_11);
    return;
}
