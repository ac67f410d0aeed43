// Made by tools/vulkan-kernels.sh of sample.slang and what stands before it.
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
    uchar device* logits_0;
    uchar device* best_0;
    uchar device* picks_0;
};
struct Pick_0
{
    float score_0;
    uint token_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<float, int(64)> threadgroup* sums_0;
    array<float, int(8)> threadgroup* columns_0;
    array<Pick_0, int(64)> threadgroup* bests_0;
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
float infinity_0()
{
    return (as_type<float>((2139095040U)));
}
float group_max_0(uint t_0, float v_0, KernelContext_0 thread* kernelContext_5)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_5->sums_0)[t_0] = v_0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float s_0;
    uint i_2;
    if(t_0 < 8U)
    {
        s_0 = (*kernelContext_5->sums_0)[t_0];
        i_2 = 1U;
        for(;;)
        {
            if(i_2 < 8U)
            {
            }
            else
            {
                break;
            }
            float _S4 = max(s_0, (*kernelContext_5->sums_0)[i_2 * 8U + t_0]);
            uint _S5 = i_2 + 1U;
            s_0 = _S4;
            i_2 = _S5;
        }
        (*kernelContext_5->columns_0)[t_0] = s_0;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    s_0 = (*kernelContext_5->columns_0)[int(0)];
    i_2 = 1U;
    for(;;)
    {
        if(i_2 < 8U)
        {
        }
        else
        {
            break;
        }
        float _S6 = max(s_0, (*kernelContext_5->columns_0)[i_2]);
        uint _S7 = i_2 + 1U;
        s_0 = _S6;
        i_2 = _S7;
    }
    return s_0;
}
float divided_0(float a_0, float b_0)
{
    uint x_0 = (as_type<uint>((a_0)));
    uint y_0 = (as_type<uint>((b_0)));
    uint sign_0 = (x_0 ^ y_0) & 2147483648U;
    uint ex_0 = (x_0 >> 23U) & 255U;
    uint ey_0 = (y_0 >> 23U) & 255U;
    bool _S8;
    if(ex_0 == 0U)
    {
        _S8 = true;
    }
    else
    {
        _S8 = ex_0 == 255U;
    }
    if(_S8)
    {
        _S8 = true;
    }
    else
    {
        _S8 = ey_0 == 0U;
    }
    if(_S8)
    {
        _S8 = true;
    }
    else
    {
        _S8 = ey_0 == 255U;
    }
    if(_S8)
    {
        return a_0 / b_0;
    }
    ulong n_0 = ulong((x_0 & 8388607U) | 8388608U) << 26U;
    ulong d_0 = ulong((y_0 & 8388607U) | 8388608U);
    ulong whole_0 = n_0 / d_0;
    bool more_0 = (whole_0 * d_0) != n_0;
    uint q_0 = uint(whole_0);
    uint wide_0 = q_0 >> 26U;
    uint shift_0 = 2U + wide_0;
    uint digits_0 = q_0 >> shift_0;
    uint rest_0 = q_0 & ((1U << shift_0) - 1U);
    uint tie_0 = 1U << (shift_0 - 1U);
    if(rest_0 > tie_0)
    {
        _S8 = true;
    }
    else
    {
        if(rest_0 == tie_0)
        {
            if(more_0)
            {
                _S8 = true;
            }
            else
            {
                _S8 = (digits_0 & 1U) != 0U;
            }
        }
        else
        {
            _S8 = false;
        }
    }
    uint digits_1;
    if(_S8)
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
        _S8 = true;
    }
    else
    {
        _S8 = e_0 >= int(254);
    }
    if(_S8)
    {
        return a_0 / b_0;
    }
    return (as_type<float>((sign_0 | ((uint(e_0) << 23U) + (digits_1 - 8388608U)))));
}
ulong mix_0(ulong z_0)
{
    ulong _S9 = z_0 + 11400714819323198485UL;
    ulong _S10 = (_S9 ^ (_S9 >> 30U)) * 13787848793156543929UL;
    ulong _S11 = (_S10 ^ (_S10 >> 27U)) * 10723151780598845931UL;
    return _S11 ^ (_S11 >> 31U);
}
Pick_0 no_pick_0()
{
    thread Pick_0 p_0;
    (&p_0)->score_0 = - infinity_0();
    (&p_0)->token_0 = 4294967295U;
    return p_0;
}
uint noise_bits_0(ulong seed_1, uint pos_2, uint token_2)
{
    return uint((mix_0(seed_1 ^ ((ulong(pos_2) << 32U) | ulong(token_2)))) >> 32U);
}
float times_plus_0(float a_1, float b_1, float c_0)
{
    float product_0 = a_1 * b_1;
    float sum_0 = product_0 + c_0;
    return sum_0;
}
float ln_near_1_0(float x_1)
{
    float square_0 = x_1 * x_1;
    return times_plus_0(square_0, times_plus_0(times_plus_0(times_plus_0(times_plus_0(times_plus_0(times_plus_0(times_plus_0(times_plus_0(times_plus_0(0.07147728651762009, x_1, -0.11570767313241959), x_1, 0.11661997437477112), x_1, -0.12411125004291534), x_1, 0.14249897003173828), x_1, -0.16668476164340973), x_1, 0.20000708103179932), x_1, -0.24999989569187164), x_1, 0.33333331346511841), x_1, -0.5), x_1);
}
float ln_0(float x_2)
{
    uint bits_0 = (as_type<uint>((x_2)));
    int e_1 = int(bits_0 - 1060439283U) >> 23U;
    float m_0 = (as_type<float>((bits_0 - (uint(e_1) << 23U)))) + -1.0;
    float f_0 = float(e_1);
    return times_plus_0(f_0, 0.693359375, times_plus_0(f_0, -0.00021219444170129, ln_near_1_0(m_0)));
}
float gumbel_0(ulong seed_2, uint pos_3, uint token_3)
{
    uint bits_1 = noise_bits_0(seed_2, pos_3, token_3);
    bool small_0 = bits_1 < 1073741824U;
    uint _S12;
    if(small_0)
    {
        _S12 = bits_1;
    }
    else
    {
        _S12 = ~bits_1;
    }
    float shifted_0 = float(_S12) + 0.5;
    float v_1 = shifted_0 * 2.32830643653869629e-10;
    float _S13;
    if(small_0)
    {
        _S13 = ln_near_1_0(- v_1);
    }
    else
    {
        _S13 = ln_0(v_1);
    }
    return - ln_0(- _S13);
}
Pick_0 better_0(const Pick_0 thread* a_2, const Pick_0 thread* b_2)
{
    float _S14 = b_2->score_0;
    float _S15 = a_2->score_0;
    bool _S16;
    if((b_2->score_0) > (a_2->score_0))
    {
        _S16 = true;
    }
    else
    {
        if(_S14 == _S15)
        {
            _S16 = (b_2->token_0) < (a_2->token_0);
        }
        else
        {
            _S16 = false;
        }
    }
    if(_S16)
    {
        return *b_2;
    }
    return *a_2;
}
Pick_0 group_best_0(uint t_1, const Pick_0 thread* p_1, KernelContext_0 thread* kernelContext_6)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_6->bests_0)[t_1] = *p_1;
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
        if(t_1 < half_0)
        {
            Pick_0 _S17 = (*kernelContext_6->bests_0)[t_1 + half_0];
            thread Pick_0 _S18 = (*kernelContext_6->bests_0)[t_1];
            thread Pick_0 _S19 = _S17;
            Pick_0 _S20 = better_0(&_S18, &_S19);
            (*kernelContext_6->bests_0)[t_1] = _S20;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        half_0 = half_0 / 2U;
    }
    return (*kernelContext_6->bests_0)[int(0)];
}
constant uint fc_C_MAX_ROWS_0 [[function_constant(2)]];
constant uint C_MAX_ROWS_0 = is_function_constant_defined(fc_C_MAX_ROWS_0) ? fc_C_MAX_ROWS_0 : 1U;
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_7;
    (&kernelContext_7)->args_0 = args_1;
    threadgroup array<float, int(64)> sums_1;
    (&kernelContext_7)->sums_0 = &sums_1;
    threadgroup array<float, int(8)> columns_1;
    (&kernelContext_7)->columns_0 = &columns_1;
    threadgroup array<Pick_0, int(64)> bests_1;
    (&kernelContext_7)->bests_0 = &bests_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S21 = stopped_0(&kernelContext_7);
    if(_S21)
    {
        return;
    }
    uint c_1 = group_0.x;
    for(;;)
    {
        if(c_1 < ((C_VOCAB_0 + C_CHUNK_0 - 1U) / C_CHUNK_0))
        {
        }
        else
        {
            break;
        }
        uint r_0 = group_0.y;
        for(;;)
        {
            if(r_0 < ((&kernelContext_7)->args_0->step_0->head_rows_0))
            {
            }
            else
            {
                break;
            }
            Row_0 device* _S22 = step_rows_0(&kernelContext_7);
            uint _S23 = step_head_row_0(r_0, &kernelContext_7);
            Row_0 device* _S24 = _S22 + _S23;
            Row_0 place_0 = *_S24;
            Seq_0 device* _S25 = step_seq_0((*_S24).seq_0, &kernelContext_7);
            ulong _S26 = ulong(r_0);
            ulong _S27 = _S26 * ulong((C_VOCAB_0 + C_CHUNK_0 - 1U) / C_CHUNK_0);
            Pick_0 device* best_1 = (Pick_0 device*)((ulong)((&kernelContext_7)->args_0->best_0)) + _S27;
            Pick_0 device* to_0 = (Pick_0 device*)((ulong)((&kernelContext_7)->args_0->picks_0)) + _S27 + c_1;
            if(!((_S25->temperature_0) >= 1.17549435082228751e-38))
            {
                if(sv_groupindex_0 == 0U)
                {
                    *to_0 = *(best_1 + c_1);
                }
                r_0 = r_0 + min(C_MAX_ROWS_0, 65535U);
                continue;
            }
            float most_0 = - infinity_0();
            uint i_3 = sv_groupindex_0;
            for(;;)
            {
                if(i_3 < ((C_VOCAB_0 + C_CHUNK_0 - 1U) / C_CHUNK_0))
                {
                }
                else
                {
                    break;
                }
                float _S28 = max(most_0, (best_1 + i_3)->score_0);
                uint i_4 = i_3 + 64U;
                most_0 = _S28;
                i_3 = i_4;
            }
            float _S29 = group_max_0(sv_groupindex_0, most_0, &kernelContext_7);
            float _S30 = divided_0(1.0, _S25->temperature_0);
            float _S31 = min(_S25->floor_0, 0.0);
            ulong _S32 = mix_0((_S25->seed_0) ^ 11400714819323198485UL);
            float device* _S33 = (float device*)((ulong)((&kernelContext_7)->args_0->logits_0)) + _S26 * ulong(C_VOCAB_0);
            uint _S34 = min((c_1 + 1U) * C_CHUNK_0, C_VOCAB_0);
            uint _S35 = c_1 * C_CHUNK_0 + sv_groupindex_0;
            Pick_0 p_2 = no_pick_0();
            uint i_5 = _S35;
            for(;;)
            {
                if(i_5 < _S34)
                {
                }
                else
                {
                    break;
                }
                float below_0 = *(_S33 + i_5) - _S29;
                if(below_0 >= _S31)
                {
                    thread Pick_0 q_1;
                    (&q_1)->score_0 = times_plus_0(below_0, _S30, gumbel_0(_S32, place_0.pos_0 + 1U, i_5));
                    (&q_1)->token_0 = i_5;
                    thread Pick_0 _S36 = p_2;
                    thread Pick_0 _S37 = q_1;
                    Pick_0 _S38 = better_0(&_S36, &_S37);
                    p_2 = _S38;
                }
                i_5 = i_5 + 64U;
            }
            thread Pick_0 _S39 = p_2;
            Pick_0 _S40 = group_best_0(sv_groupindex_0, &_S39, &kernelContext_7);
            if(sv_groupindex_0 == 0U)
            {
                *to_0 = _S40;
            }
            r_0 = r_0 + min(C_MAX_ROWS_0, 65535U);
        }
        c_1 = c_1 + min((C_VOCAB_0 + C_CHUNK_0 - 1U) / C_CHUNK_0, 65535U);
    }
    return;
}
