// Made by tools/vulkan-kernels.sh of log_probs.slang and what stands before it.
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
uint firstbithigh_0(uint value_0)
{
    if(value_0 == 0U)
    {
        return 4294967295U;
    }
    uint _S1 = clz(value_0);
    return 31U - _S1;
}
constant uint fc_C_VOCAB_0 [[function_constant(0)]];
constant uint C_VOCAB_0 = is_function_constant_defined(fc_C_VOCAB_0) ? fc_C_VOCAB_0 : 1U;
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
    uchar device* raw_logits_0;
    uchar device* picks_0;
    uchar device* log_probs_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<ulong, int(64)> threadgroup* wide_0;
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
    Seq_0 device* _S2 = step_seq_0(kernelContext_2->args_0->step_0->seqs_cap_0, kernelContext_2);
    return (Row_0 device*)((ulong)(_S2));
}
struct Head_0
{
    uint row_0;
    uint seq_1;
    uint token_0;
    uint pos_1;
};
Head_0 device* step_heads_0(KernelContext_0 thread* kernelContext_3)
{
    return (Head_0 device*)((ulong)((uchar device*)((ulong)(kernelContext_3->args_0->step_0)) + kernelContext_3->args_0->step_0->heads_at_0));
}
uint step_head_row_0(uint i_1, KernelContext_0 thread* kernelContext_4)
{
    uint _S3;
    if((kernelContext_4->args_0->step_0->heads_at_0) == 0U)
    {
        _S3 = kernelContext_4->args_0->step_0->rows_0 - kernelContext_4->args_0->step_0->head_rows_0 + i_1;
    }
    else
    {
        Head_0 device* _S4 = step_heads_0(kernelContext_4);
        _S3 = (_S4 + i_1)->row_0;
    }
    return _S3;
}
float infinity_0()
{
    return (as_type<float>((2139095040U)));
}
ulong key_of_0(float logit_0, uint id_0)
{
    uint bits_0 = (as_type<uint>((logit_0)));
    uint bits_1;
    if(bits_0 == 2147483648U)
    {
        bits_1 = 0U;
    }
    else
    {
        bits_1 = bits_0;
    }
    uint order_0;
    if((bits_1 & 2147483648U) == 0U)
    {
        order_0 = bits_1 | 2147483648U;
    }
    else
    {
        order_0 = ~bits_1;
    }
    return (ulong(order_0) << 32U) | ulong(~id_0);
}
ulong valid_key_0(float l_0, uint id_1)
{
    ulong _S5;
    if(l_0 > (- infinity_0()))
    {
        _S5 = key_of_0(l_0, id_1);
    }
    else
    {
        _S5 = 0UL;
    }
    return _S5;
}
ulong group_greatest_0(uint t_0, ulong v_0, KernelContext_0 thread* kernelContext_5)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_5->wide_0)[t_0] = v_0;
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
            (*kernelContext_5->wide_0)[t_0] = max((*kernelContext_5->wide_0)[t_0], (*kernelContext_5->wide_0)[t_0 + half_0]);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        half_0 = half_0 / 2U;
    }
    return (*kernelContext_5->wide_0)[int(0)];
}
float logit_of_0(ulong key_0)
{
    uint order_1 = uint(key_0 >> 32U);
    uint _S6;
    if((order_1 & 2147483648U) != 0U)
    {
        _S6 = order_1 & 2147483647U;
    }
    else
    {
        _S6 = ~order_1;
    }
    return (as_type<float>((_S6)));
}
float times_plus_0(float a_0, float b_0, float c_0)
{
    float product_0 = a_0 * b_0;
    float sum_0 = product_0 + c_0;
    return sum_0;
}
ulong mass_0(float y_0)
{
    if(!(y_0 >= -28.0))
    {
        return 0UL;
    }
    float shifted_0 = times_plus_0(y_0, 1.4426950216293335, 1.2582912e+07);
    float n_0 = shifted_0 - 1.2582912e+07;
    float whole_0 = n_0 * 0.693359375;
    float rest_0 = n_0 * -0.00021219444170129;
    float high_0 = y_0 - whole_0;
    float f_0 = high_0 - rest_0;
    float square_0 = f_0 * f_0;
    float p_0 = times_plus_0(times_plus_0(times_plus_0(times_plus_0(times_plus_0(0.00139371841214597, f_0, 0.00836553703993559), f_0, 0.0416664332151413), f_0, 0.16666562855243683), f_0, 0.5), square_0, f_0) + 1.0;
    float scaled_0 = p_0 * 1.073741824e+09;
    return (ulong(uint(scaled_0)) << 10U) >> uint(- int(n_0));
}
ulong group_total_0(uint t_1, ulong v_1, KernelContext_0 thread* kernelContext_6)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_6->wide_0)[t_1] = v_1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint half_1 = 32U;
    for(;;)
    {
        if(half_1 != 0U)
        {
        }
        else
        {
            break;
        }
        if(t_1 < half_1)
        {
            (*kernelContext_6->wide_0)[t_1] = (*kernelContext_6->wide_0)[t_1] + (*kernelContext_6->wide_0)[t_1 + half_1];
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        half_1 = half_1 / 2U;
    }
    return (*kernelContext_6->wide_0)[int(0)];
}
ulong rounded_to_0(ulong v_2, uint bits_2)
{
    uint _S7 = uint(v_2 >> 32U);
    uint top_0;
    if(_S7 != 0U)
    {
        top_0 = 32U + firstbithigh_0(_S7);
    }
    else
    {
        top_0 = firstbithigh_0(uint(v_2));
    }
    if(top_0 < bits_2)
    {
        return v_2;
    }
    uint shift_0 = top_0 + 1U - bits_2;
    ulong q_0 = v_2 >> shift_0;
    ulong rest_1 = v_2 & ((1UL << shift_0) - 1UL);
    ulong tie_0 = 1UL << (shift_0 - 1U);
    bool _S8;
    if(rest_1 > tie_0)
    {
        _S8 = true;
    }
    else
    {
        if(rest_1 == tie_0)
        {
            _S8 = (q_0 & 1UL) != 0UL;
        }
        else
        {
            _S8 = false;
        }
    }
    ulong q_1;
    if(_S8)
    {
        q_1 = q_0 + 1UL;
    }
    else
    {
        q_1 = q_0;
    }
    return q_1 << shift_0;
}
float ln_near_1_0(float x_0)
{
    float square_1 = x_0 * x_0;
    return times_plus_0(square_1, times_plus_0(times_plus_0(times_plus_0(times_plus_0(times_plus_0(times_plus_0(times_plus_0(times_plus_0(times_plus_0(0.07147728651762009, x_0, -0.11570767313241959), x_0, 0.11661997437477112), x_0, -0.12411125004291534), x_0, 0.14249897003173828), x_0, -0.16668476164340973), x_0, 0.20000708103179932), x_0, -0.24999989569187164), x_0, 0.33333331346511841), x_0, -0.5), x_0);
}
float ln_0(float x_1)
{
    uint bits_3 = (as_type<uint>((x_1)));
    int e_0 = int(bits_3 - 1060439283U) >> 23U;
    float m_0 = (as_type<float>((bits_3 - (uint(e_0) << 23U)))) + -1.0;
    float f_1 = float(e_0);
    return times_plus_0(f_1, 0.693359375, times_plus_0(f_1, -0.00021219444170129, ln_near_1_0(m_0)));
}
float log_total_0(ulong total_0)
{
    if(total_0 == 0UL)
    {
        return - infinity_0();
    }
    ulong v_3 = rounded_to_0(rounded_to_0(total_0, 53U), 24U);
    uint _S9 = uint(v_3 >> 32U);
    uint top_1;
    if(_S9 != 0U)
    {
        top_1 = 32U + firstbithigh_0(_S9);
    }
    else
    {
        top_1 = firstbithigh_0(uint(v_3));
    }
    uint digits_0;
    if(top_1 >= 23U)
    {
        digits_0 = uint(v_3 >> (top_1 - 23U));
    }
    else
    {
        digits_0 = uint(v_3) << (23U - top_1);
    }
    return ln_0((as_type<float>((((top_1 + 127U - 40U) << 23U) | (digits_0 & 8388607U)))));
}
uint id_of_0(ulong key_1)
{
    return ~uint(key_1);
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
    uint biases_0;
    uint masked_0;
    float mirostat_tau_0;
    float mirostat_eta_0;
    uint logprobs_0;
    array<uint, int(11)> reserved_1;
};
struct Pick_0
{
    float score_0;
    uint token_1;
};
struct LogProbs_0
{
    uint token_2;
    float log_prob_0;
    uint pos_2;
    uint count_0;
    array<uint, int(20)> top_2;
    array<float, int(20)> top_log_probs_0;
    array<uint, int(4)> reserved_2;
};
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    bool _S10;
    thread KernelContext_0 kernelContext_7;
    (&kernelContext_7)->args_0 = args_1;
    threadgroup array<ulong, int(64)> wide_1;
    (&kernelContext_7)->wide_0 = &wide_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S11 = stopped_0(&kernelContext_7);
    bool finite_0;
    if(_S11)
    {
        finite_0 = true;
    }
    else
    {
        finite_0 = (group_0.x) >= ((&kernelContext_7)->args_0->step_0->head_rows_0);
    }
    if(finite_0)
    {
        return;
    }
    uint r_0 = group_0.x;
    Row_0 device* _S12 = step_rows_0(&kernelContext_7);
    uint _S13 = step_head_row_0(r_0, &kernelContext_7);
    Row_0 place_0 = *(_S12 + _S13);
    uint asked_0 = ((Sampler_0 device*)((ulong)((&kernelContext_7)->args_0->samplers_0)) + place_0.seq_0)->logprobs_0;
    if((((Sampler_0 device*)((ulong)((&kernelContext_7)->args_0->samplers_0)) + place_0.seq_0)->logprobs_0) == 0U)
    {
        return;
    }
    float device* x_2 = (float device*)((ulong)((&kernelContext_7)->args_0->raw_logits_0)) + ulong(r_0) * ulong(C_VOCAB_0);
    uint pos_3 = place_0.pos_0 + 1U;
    uint drawn_1 = ((Pick_0 device*)((ulong)((&kernelContext_7)->args_0->picks_0)) + r_0)->token_1;
    uint _S14 = min(asked_0 - 1U, 20U);
    LogProbs_0 device* record_0 = (LogProbs_0 device*)((ulong)((&kernelContext_7)->args_0->log_probs_0)) + (ulong(place_0.seq_0) * 64UL + ulong(pos_3 % 64U));
    ulong own_0 = 0UL;
    uint i_2 = sv_groupindex_0;
    for(;;)
    {
        if(i_2 < C_VOCAB_0)
        {
        }
        else
        {
            break;
        }
        ulong _S15 = max(own_0, valid_key_0(*(x_2 + i_2), i_2));
        uint i_3 = i_2 + 64U;
        own_0 = _S15;
        i_2 = i_3;
    }
    ulong _S16 = group_greatest_0(sv_groupindex_0, own_0, &kernelContext_7);
    bool _S17 = _S16 != 0UL;
    float best_0;
    if(_S17)
    {
        best_0 = logit_of_0(_S16);
    }
    else
    {
        best_0 = - infinity_0();
    }
    if(_S17)
    {
        finite_0 = best_0 < (infinity_0());
    }
    else
    {
        finite_0 = false;
    }
    i_2 = sv_groupindex_0;
    ulong total_1 = 0UL;
    for(;;)
    {
        if(i_2 < C_VOCAB_0)
        {
            _S10 = finite_0;
        }
        else
        {
            _S10 = false;
        }
        if(_S10)
        {
        }
        else
        {
            break;
        }
        float off_0 = *(x_2 + i_2) - best_0;
        ulong total_2 = total_1 + mass_0(off_0);
        i_2 = i_2 + 64U;
        total_1 = total_2;
    }
    ulong _S18 = group_total_0(sv_groupindex_0, total_1, &kernelContext_7);
    float all_0;
    if(finite_0)
    {
        all_0 = log_total_0(_S18);
    }
    else
    {
        all_0 = 0.0;
    }
    if(sv_groupindex_0 < 20U)
    {
        record_0->top_2[sv_groupindex_0] = 0U;
        record_0->top_log_probs_0[sv_groupindex_0] = 0.0;
    }
    if(sv_groupindex_0 < 4U)
    {
        record_0->reserved_2[sv_groupindex_0] = 0U;
    }
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup | mem_flags::mem_texture | mem_flags::mem_threadgroup_imageblock);
    if(finite_0)
    {
        total_1 = _S16;
    }
    else
    {
        total_1 = 0UL;
    }
    ulong next_0 = total_1;
    uint n_1 = 0U;
    for(;;)
    {
        if(n_1 < _S14)
        {
            _S10 = next_0 != 0UL;
        }
        else
        {
            _S10 = false;
        }
        if(_S10)
        {
        }
        else
        {
            break;
        }
        uint id_2 = id_of_0(next_0);
        uint column_0 = id_2 % 64U;
        if(sv_groupindex_0 == 0U)
        {
            float off_1 = logit_of_0(next_0) - best_0;
            float v_4 = off_1 - all_0;
            record_0->top_2[n_1] = id_2;
            record_0->top_log_probs_0[n_1] = v_4;
        }
        uint _S19 = n_1 + 1U;
        ulong _S20 = ulong(column_0) + ulong(sv_groupindex_0) * 64UL;
        ulong rest_2 = 0UL;
        ulong i_4 = _S20;
        for(;;)
        {
            if(i_4 < ulong(C_VOCAB_0))
            {
            }
            else
            {
                break;
            }
            ulong key_2 = valid_key_0(*(x_2 + i_4), uint(i_4));
            if(key_2 < next_0)
            {
                rest_2 = max(rest_2, key_2);
            }
            i_4 = i_4 + 4096UL;
        }
        ulong _S21 = group_greatest_0(sv_groupindex_0, rest_2, &kernelContext_7);
        if(sv_groupindex_0 == column_0)
        {
            own_0 = _S21;
        }
        ulong _S22 = group_greatest_0(sv_groupindex_0, own_0, &kernelContext_7);
        next_0 = _S22;
        n_1 = _S19;
    }
    if(sv_groupindex_0 != 0U)
    {
        return;
    }
    if(finite_0)
    {
        _S10 = drawn_1 < C_VOCAB_0;
    }
    else
    {
        _S10 = false;
    }
    float l_1;
    if(_S10)
    {
        l_1 = *(x_2 + drawn_1);
    }
    else
    {
        l_1 = - infinity_0();
    }
    float off_2 = l_1 - best_0;
    float v_5 = off_2 - all_0;
    record_0->token_2 = drawn_1;
    record_0->pos_2 = pos_3;
    record_0->count_0 = n_1;
    if(finite_0)
    {
        finite_0 = l_1 == l_1;
    }
    else
    {
        finite_0 = false;
    }
    if(finite_0)
    {
        finite_0 = drawn_1 < C_VOCAB_0;
    }
    else
    {
        finite_0 = false;
    }
    if(finite_0)
    {
        best_0 = v_5;
    }
    else
    {
        best_0 = - infinity_0();
    }
    record_0->log_prob_0 = best_0;
    return;
}
