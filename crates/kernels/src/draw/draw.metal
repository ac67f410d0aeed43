// Made by tools/vulkan-kernels.sh of draw.slang and what stands before it.
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
constant uint fc_C_CHUNK_0 [[function_constant(1)]];
constant uint C_CHUNK_0 = is_function_constant_defined(fc_C_CHUNK_0) ? fc_C_CHUNK_0 : 1U;
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
    uchar device* logits_0;
    uchar device* best_0;
    uchar device* mirostat_0;
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
    float device* x_0;
    Pick_0 device* picks_of_0;
    array<Pick_0, int(256)> threadgroup* bests_0;
    ulong hi_0;
    ulong lo_0;
    float inverse_0;
    array<ulong, int(256)> threadgroup* wide_0;
    array<uint, int(256)> threadgroup* low_words_0;
    array<uint, int(256)> threadgroup* high_words_0;
    uint threadgroup* found_digit_0;
    ulong threadgroup* found_rest_0;
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
    uint token_1;
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
Pick_0 no_pick_0()
{
    thread Pick_0 p_0;
    (&p_0)->score_0 = - infinity_0();
    (&p_0)->token_0 = 4294967295U;
    return p_0;
}
Pick_0 better_0(const Pick_0 thread* a_0, const Pick_0 thread* b_0)
{
    float _S5 = b_0->score_0;
    float _S6 = a_0->score_0;
    bool _S7;
    if((b_0->score_0) > (a_0->score_0))
    {
        _S7 = true;
    }
    else
    {
        if(_S5 == _S6)
        {
            _S7 = (b_0->token_0) < (a_0->token_0);
        }
        else
        {
            _S7 = false;
        }
    }
    if(_S7)
    {
        return *b_0;
    }
    return *a_0;
}
Pick_0 group_best_0(uint t_0, const Pick_0 thread* p_1, KernelContext_0 thread* kernelContext_5)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_5->bests_0)[t_0] = *p_1;
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
            Pick_0 _S8 = (*kernelContext_5->bests_0)[t_0 + half_0];
            thread Pick_0 _S9 = (*kernelContext_5->bests_0)[t_0];
            thread Pick_0 _S10 = _S8;
            Pick_0 _S11 = better_0(&_S9, &_S10);
            (*kernelContext_5->bests_0)[t_0] = _S11;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        half_0 = half_0 / 2U;
    }
    return (*kernelContext_5->bests_0)[int(0)];
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
ulong mix_0(ulong z_0)
{
    ulong _S12 = z_0 + 11400714819323198485UL;
    ulong _S13 = (_S12 ^ (_S12 >> 30U)) * 13787848793156543929UL;
    ulong _S14 = (_S13 ^ (_S13 >> 27U)) * 10723151780598845931UL;
    return _S14 ^ (_S14 >> 31U);
}
float divided_0(float a_1, float b_1)
{
    uint x_1 = (as_type<uint>((a_1)));
    uint y_0 = (as_type<uint>((b_1)));
    uint sign_0 = (x_1 ^ y_0) & 2147483648U;
    uint ex_0 = (x_1 >> 23U) & 255U;
    uint ey_0 = (y_0 >> 23U) & 255U;
    bool _S15;
    if(ex_0 == 0U)
    {
        _S15 = true;
    }
    else
    {
        _S15 = ex_0 == 255U;
    }
    if(_S15)
    {
        _S15 = true;
    }
    else
    {
        _S15 = ey_0 == 0U;
    }
    if(_S15)
    {
        _S15 = true;
    }
    else
    {
        _S15 = ey_0 == 255U;
    }
    if(_S15)
    {
        return a_1 / b_1;
    }
    ulong n_0 = ulong((x_1 & 8388607U) | 8388608U) << 26U;
    ulong d_0 = ulong((y_0 & 8388607U) | 8388608U);
    ulong whole_0 = n_0 / d_0;
    bool more_0 = (whole_0 * d_0) != n_0;
    uint q_0 = uint(whole_0);
    uint wide_1 = q_0 >> 26U;
    uint shift_0 = 2U + wide_1;
    uint digits_0 = q_0 >> shift_0;
    uint rest_0 = q_0 & ((1U << shift_0) - 1U);
    uint tie_0 = 1U << (shift_0 - 1U);
    if(rest_0 > tie_0)
    {
        _S15 = true;
    }
    else
    {
        if(rest_0 == tie_0)
        {
            if(more_0)
            {
                _S15 = true;
            }
            else
            {
                _S15 = (digits_0 & 1U) != 0U;
            }
        }
        else
        {
            _S15 = false;
        }
    }
    uint digits_1;
    if(_S15)
    {
        digits_1 = digits_0 + 1U;
    }
    else
    {
        digits_1 = digits_0;
    }
    int e_0 = int(ex_0) - int(ey_0) + int(126) + int(wide_1);
    if(e_0 <= int(0))
    {
        _S15 = true;
    }
    else
    {
        _S15 = e_0 >= int(254);
    }
    if(_S15)
    {
        return a_1 / b_1;
    }
    return (as_type<float>((sign_0 | ((uint(e_0) << 23U) + (digits_1 - 8388608U)))));
}
uint noise_bits_0(ulong seed_1, uint pos_2, uint token_2)
{
    return uint((mix_0(seed_1 ^ ((ulong(pos_2) << 32U) | ulong(token_2)))) >> 32U);
}
float logit_of_0(ulong key_0)
{
    uint order_1 = uint(key_0 >> 32U);
    uint _S16;
    if((order_1 & 2147483648U) != 0U)
    {
        _S16 = order_1 & 2147483647U;
    }
    else
    {
        _S16 = ~order_1;
    }
    return (as_type<float>((_S16)));
}
float below_0(float logit_1, KernelContext_0 thread* kernelContext_6)
{
    float off_0 = logit_1 - logit_of_0(kernelContext_6->hi_0);
    float scaled_0 = off_0 * kernelContext_6->inverse_0;
    return scaled_0;
}
bool kept_0(uint i_2, ulong thread* key_1, float thread* y_1, KernelContext_0 thread* kernelContext_7)
{
    float device* _S17 = kernelContext_7->x_0 + i_2;
    float l_0 = *_S17;
    *key_1 = key_of_0(*_S17, i_2);
    float _S18 = below_0(l_0, kernelContext_7);
    *y_1 = _S18;
    bool _S19;
    if((*key_1) >= (kernelContext_7->lo_0))
    {
        _S19 = (*key_1) <= (kernelContext_7->hi_0);
    }
    else
    {
        _S19 = false;
    }
    return _S19;
}
ulong group_total_0(uint t_1, ulong v_0, KernelContext_0 thread* kernelContext_8)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_8->wide_0)[t_1] = v_0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint half_1 = 128U;
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
            (*kernelContext_8->wide_0)[t_1] = (*kernelContext_8->wide_0)[t_1] + (*kernelContext_8->wide_0)[t_1 + half_1];
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        half_1 = half_1 / 2U;
    }
    return (*kernelContext_8->wide_0)[int(0)];
}
uint top_bit_0(ulong v_1)
{
    uint _S20 = uint(v_1 >> 32U);
    uint _S21;
    if(_S20 != 0U)
    {
        _S21 = 32U + firstbithigh_0(_S20);
    }
    else
    {
        _S21 = firstbithigh_0(uint(v_1));
    }
    return _S21;
}
struct Wide_0
{
    ulong digits_2;
    int exponent_0;
};
Wide_0 rounded_0(ulong v_2, bool left_0, int exponent_1)
{
    thread Wide_0 w_0;
    (&w_0)->digits_2 = v_2;
    (&w_0)->exponent_0 = exponent_1;
    if(v_2 == 0UL)
    {
        return w_0;
    }
    uint top_0 = top_bit_0(v_2);
    if(top_0 < 52U)
    {
        uint _S22 = 52U - top_0;
        (&w_0)->digits_2 = v_2 << _S22;
        (&w_0)->exponent_0 = exponent_1 - int(_S22);
    }
    if(top_0 > 52U)
    {
        uint shift_1 = top_0 - 52U;
        ulong q_1 = v_2 >> shift_1;
        ulong rest_1 = v_2 & ((1UL << shift_1) - 1UL);
        ulong tie_1 = 1UL << (shift_1 - 1U);
        bool _S23;
        if(rest_1 > tie_1)
        {
            _S23 = true;
        }
        else
        {
            if(rest_1 == tie_1)
            {
                if(left_0)
                {
                    _S23 = true;
                }
                else
                {
                    _S23 = (q_1 & 1UL) != 0UL;
                }
            }
            else
            {
                _S23 = false;
            }
        }
        ulong q_2;
        if(_S23)
        {
            q_2 = q_1 + 1UL;
        }
        else
        {
            q_2 = q_1;
        }
        bool carried_0 = (q_2 >> 53U) != 0UL;
        if(carried_0)
        {
            q_2 = q_2 >> 1U;
        }
        (&w_0)->digits_2 = q_2;
        int _S24 = exponent_1 + int(shift_1);
        int _S25;
        if(carried_0)
        {
            _S25 = int(1);
        }
        else
        {
            _S25 = int(0);
        }
        (&w_0)->exponent_0 = _S24 + _S25;
    }
    return w_0;
}
Wide_0 wide_of_0(ulong v_3)
{
    return rounded_0(v_3, false, int(0));
}
Wide_0 wide_divided_0(const Wide_0 thread* a_2, const Wide_0 thread* b_2)
{
    ulong rest_2 = a_2->digits_2;
    ulong q_3 = 0UL;
    uint i_3 = 0U;
    for(;;)
    {
        if(i_3 < 56U)
        {
        }
        else
        {
            break;
        }
        ulong _S26 = b_2->digits_2;
        bool fits_0 = rest_2 >= (b_2->digits_2);
        ulong _S27 = q_3 << 1U;
        int _S28;
        if(fits_0)
        {
            _S28 = int(1);
        }
        else
        {
            _S28 = int(0);
        }
        ulong _S29 = _S27 | ulong(_S28);
        ulong _S30;
        if(fits_0)
        {
            _S30 = rest_2 - _S26;
        }
        else
        {
            _S30 = rest_2;
        }
        ulong _S31 = _S30 << 1U;
        uint _S32 = i_3 + 1U;
        rest_2 = _S31;
        q_3 = _S29;
        i_3 = _S32;
    }
    return rounded_0(q_3, rest_2 != 0UL, a_2->exponent_0 - b_2->exponent_0 - int(55));
}
Wide_0 wide_square_0(const Wide_0 thread* a_3)
{
    ulong high_0 = (a_3->digits_2) >> 32U;
    ulong low_0 = (a_3->digits_2) & 4294967295UL;
    ulong middle_0 = 2UL * high_0 * low_0;
    ulong first_0 = low_0 * low_0;
    ulong bottom_0 = first_0 + (middle_0 << 32U);
    ulong _S33 = high_0 * high_0 + (middle_0 >> 32U);
    int _S34;
    if(bottom_0 < first_0)
    {
        _S34 = int(1);
    }
    else
    {
        _S34 = int(0);
    }
    return rounded_0(((_S33 + ulong(_S34)) << 20U) | (bottom_0 >> 44U), (bottom_0 << 20U) != 0UL, int(2) * a_3->exponent_0 + int(44));
}
bool wide_less_0(const Wide_0 thread* a_4, const Wide_0 thread* b_3)
{
    ulong _S35 = a_4->digits_2;
    bool _S36;
    if((a_4->digits_2) == 0UL)
    {
        _S36 = true;
    }
    else
    {
        _S36 = (b_3->digits_2) == 0UL;
    }
    if(_S36)
    {
        return _S35 < (b_3->digits_2);
    }
    int _S37 = a_4->exponent_0;
    int _S38 = b_3->exponent_0;
    if((a_4->exponent_0) != (b_3->exponent_0))
    {
        _S36 = _S37 < _S38;
    }
    else
    {
        _S36 = _S35 < (b_3->digits_2);
    }
    return _S36;
}
ulong aligned_0(const Wide_0 thread* a_5, const Wide_0 thread* b_4, uint bits_2, bool thread* left_1)
{
    ulong v_4 = (b_4->digits_2) << bits_2;
    uint by_0 = uint(a_5->exponent_0 - b_4->exponent_0);
    bool _S39 = by_0 >= 64U;
    bool _S40;
    if(_S39)
    {
        _S40 = v_4 != 0UL;
    }
    else
    {
        _S40 = (v_4 & ((1UL << by_0) - 1UL)) != 0UL;
    }
    *left_1 = _S40;
    ulong _S41;
    if(_S39)
    {
        _S41 = 0UL;
    }
    else
    {
        _S41 = v_4 >> by_0;
    }
    return _S41;
}
Wide_0 wide_excess_0(const Wide_0 thread* a_6, const Wide_0 thread* b_5)
{
    thread bool left_2;
    bool _S42 = wide_less_0(a_6, b_5);
    if(_S42)
    {
        return wide_of_0(0UL);
    }
    ulong _S43 = aligned_0(a_6, b_5, 10U, &left_2);
    ulong _S44 = ((a_6->digits_2) << 10U) - _S43;
    int _S45;
    if(left_2)
    {
        _S45 = int(1);
    }
    else
    {
        _S45 = int(0);
    }
    return rounded_0(_S44 - ulong(_S45), left_2, a_6->exponent_0 - int(10));
}
Wide_0 wide_root_0(const Wide_0 thread* a_7)
{
    int _S46 = a_7->exponent_0;
    bool odd_0 = ((a_7->exponent_0) & int(1)) != int(0);
    ulong _S47;
    if(odd_0)
    {
        _S47 = (a_7->digits_2) << 1U;
    }
    else
    {
        _S47 = a_7->digits_2;
    }
    int exponent_2;
    if(odd_0)
    {
        exponent_2 = _S46 - int(1);
    }
    else
    {
        exponent_2 = _S46;
    }
    ulong rest_3 = 0UL;
    ulong root_0 = 0UL;
    uint i_4 = 0U;
    for(;;)
    {
        if(i_4 < 55U)
        {
        }
        else
        {
            break;
        }
        ulong _S48 = rest_3 << 2U;
        ulong _S49;
        if(i_4 < 27U)
        {
            _S49 = (_S47 >> (52U - 2U * i_4)) & 3UL;
        }
        else
        {
            _S49 = 0UL;
        }
        ulong rest_4 = _S48 | _S49;
        ulong next_0 = (root_0 << 2U) | 1UL;
        bool fits_1 = rest_4 >= next_0;
        if(fits_1)
        {
            rest_3 = rest_4 - next_0;
        }
        else
        {
            rest_3 = rest_4;
        }
        ulong _S50 = root_0 << 1U;
        int _S51;
        if(fits_1)
        {
            _S51 = int(1);
        }
        else
        {
            _S51 = int(0);
        }
        ulong _S52 = _S50 | ulong(_S51);
        uint _S53 = i_4 + 1U;
        root_0 = _S52;
        i_4 = _S53;
    }
    return rounded_0(root_0, rest_3 != 0UL, (exponent_2 - int(56)) / int(2));
}
Wide_0 scaled_by_0(const Wide_0 thread* a_8, int power_0)
{
    thread Wide_0 _S54 = *a_8;
    (&_S54)->exponent_0 = (&_S54)->exponent_0 + power_0;
    return _S54;
}
float narrow_0(const Wide_0 thread* a_9)
{
    ulong _S55 = a_9->digits_2;
    if((a_9->digits_2) == 0UL)
    {
        return 0.0;
    }
    ulong q_4 = _S55 >> 29U;
    ulong rest_5 = _S55 & 536870911UL;
    bool _S56;
    if(rest_5 > 268435456UL)
    {
        _S56 = true;
    }
    else
    {
        if(rest_5 == 268435456UL)
        {
            _S56 = (q_4 & 1UL) != 0UL;
        }
        else
        {
            _S56 = false;
        }
    }
    ulong q_5;
    if(_S56)
    {
        q_5 = q_4 + 1UL;
    }
    else
    {
        q_5 = q_4;
    }
    return (as_type<float>(((uint(a_9->exponent_0 + int(29) + int(149)) << 23U) + uint(q_5))));
}
ulong first_not_below_0(float floor_1, KernelContext_0 thread* kernelContext_9)
{
    uint yes_0 = uint((kernelContext_9->hi_0) >> 32U);
    uint no_0 = 8388607U;
    for(;;)
    {
        uint _S57 = yes_0 - no_0;
        if(_S57 > 1U)
        {
        }
        else
        {
            break;
        }
        uint mid_0 = no_0 + _S57 / 2U;
        float _S58 = below_0(logit_of_0(ulong(mid_0) << 32U), kernelContext_9);
        if(_S58 >= floor_1)
        {
            yes_0 = mid_0;
        }
        else
        {
            no_0 = mid_0;
        }
    }
    return ulong(yes_0) << 32U;
}
void above_0(float floor_2, KernelContext_0 thread* kernelContext_10)
{
    ulong _S59 = kernelContext_10->lo_0;
    ulong _S60 = first_not_below_0(floor_2, kernelContext_10);
    kernelContext_10->lo_0 = max(_S59, _S60);
    return;
}
void top_n_sigma_0(uint t_2, float sigmas_0, KernelContext_0 thread* kernelContext_11)
{
    thread ulong key_2;
    thread float y_2;
    uint i_5 = t_2;
    ulong count_0 = 0UL;
    ulong sum_0 = 0UL;
    ulong squares_0 = 0UL;
    for(;;)
    {
        if(i_5 < C_VOCAB_0)
        {
        }
        else
        {
            break;
        }
        bool _S61 = kept_0(i_5, &key_2, &y_2, kernelContext_11);
        if(_S61)
        {
            float scaled_1 = - y_2 * 16384.0;
            ulong d_1 = ulong(uint(min(scaled_1, 4.194304e+06)));
            ulong sum_1 = sum_0 + d_1;
            ulong squares_1 = squares_0 + d_1 * d_1;
            count_0 = count_0 + 1UL;
            sum_0 = sum_1;
            squares_0 = squares_1;
        }
        i_5 = i_5 + 256U;
    }
    ulong _S62 = group_total_0(t_2, count_0, kernelContext_11);
    Wide_0 n_1 = wide_of_0(_S62);
    ulong _S63 = group_total_0(t_2, sum_0, kernelContext_11);
    thread Wide_0 _S64 = wide_of_0(_S63);
    thread Wide_0 _S65 = n_1;
    Wide_0 _S66 = wide_divided_0(&_S64, &_S65);
    ulong _S67 = group_total_0(t_2, squares_0, kernelContext_11);
    thread Wide_0 _S68 = wide_of_0(_S67);
    thread Wide_0 _S69 = n_1;
    Wide_0 _S70 = wide_divided_0(&_S68, &_S69);
    thread Wide_0 _S71 = _S66;
    Wide_0 _S72 = wide_square_0(&_S71);
    thread Wide_0 _S73 = _S70;
    thread Wide_0 _S74 = _S72;
    Wide_0 _S75 = wide_excess_0(&_S73, &_S74);
    thread Wide_0 _S76 = _S75;
    Wide_0 _S77 = wide_root_0(&_S76);
    thread Wide_0 _S78 = _S77;
    Wide_0 _S79 = scaled_by_0(&_S78, int(-14));
    thread Wide_0 _S80 = _S79;
    float _S81 = narrow_0(&_S80);
    float off_1 = sigmas_0 * _S81;
    above_0(- off_1, kernelContext_11);
    return;
}
float times_plus_0(float a_10, float b_6, float c_0)
{
    float product_0 = a_10 * b_6;
    float sum_2 = product_0 + c_0;
    return sum_2;
}
ulong mass_0(float y_3)
{
    if(!(y_3 >= -28.0))
    {
        return 0UL;
    }
    float shifted_0 = times_plus_0(y_3, 1.4426950216293335, 1.2582912e+07);
    float n_2 = shifted_0 - 1.2582912e+07;
    float whole_1 = n_2 * 0.693359375;
    float rest_6 = n_2 * -0.00021219444170129;
    float high_1 = y_3 - whole_1;
    float f_0 = high_1 - rest_6;
    float square_0 = f_0 * f_0;
    float p_2 = times_plus_0(times_plus_0(times_plus_0(times_plus_0(times_plus_0(0.00139371841214597, f_0, 0.00836553703993559), f_0, 0.0416664332151413), f_0, 0.16666562855243683), f_0, 0.5), square_0, f_0) + 1.0;
    float scaled_2 = p_2 * 1.073741824e+09;
    return (ulong(uint(scaled_2)) << 10U) >> uint(- int(n_2));
}
ulong rank_of_0(float y_4, float centre_0)
{
    float off_2 = y_4 - centre_0;
    return ulong(~(as_type<uint>((abs(off_2))))) << 32U;
}
bool entry_0(uint by_1, float centre_1, ulong only_0, ulong key_3, float y_5, ulong thread* rank_0, ulong thread* weight_0)
{
    *rank_0 = key_3;
    *weight_0 = 1UL;
    if(by_1 == 0U)
    {
        return true;
    }
    *weight_0 = mass_0(y_5);
    if(by_1 == 1U)
    {
        return true;
    }
    *rank_0 = rank_of_0(y_5, centre_1);
    if(by_1 == 2U)
    {
        return true;
    }
    bool counts_0;
    if((*rank_0) == only_0)
    {
        counts_0 = (y_5 >= centre_1) == (by_1 == 3U);
    }
    else
    {
        counts_0 = false;
    }
    ulong _S82;
    if(by_1 == 3U)
    {
        _S82 = ~key_3;
    }
    else
    {
        _S82 = key_3;
    }
    *rank_0 = _S82;
    return counts_0;
}
ulong part_0(ulong total_0, uint share_0)
{
    ulong _S83 = ulong(share_0);
    return max((total_0 >> 32U) * _S83 + (((total_0 & 4294967295UL) * _S83) >> 32U), 1UL);
}
bool reach_0(uint t_3, uint by_2, float centre_2, ulong only_1, bool of_share_0, uint share_1, ulong target_0, ulong thread* rank_1, ulong thread* rest_7, KernelContext_0 thread* kernelContext_12)
{
    ulong total_1;
    int b_7;
    thread ulong key_4;
    thread ulong r_0;
    thread ulong weight_1;
    thread float y_6;
    uint i_6 = t_3;
    ulong total_2 = 0UL;
    for(;;)
    {
        if(i_6 < C_VOCAB_0)
        {
        }
        else
        {
            break;
        }
        bool _S84 = kept_0(i_6, &key_4, &y_6, kernelContext_12);
        if(_S84)
        {
            bool _S85 = entry_0(by_2, centre_2, only_1, key_4, y_6, &r_0, &weight_1);
            if(_S85)
            {
                total_1 = total_2 + weight_1;
            }
            else
            {
                total_1 = total_2;
            }
            total_2 = total_1;
        }
        i_6 = i_6 + 256U;
    }
    ulong _S86 = group_total_0(t_3, total_2, kernelContext_12);
    if(of_share_0)
    {
        total_2 = part_0(_S86, share_1);
    }
    else
    {
        total_2 = target_0;
    }
    *rest_7 = total_2;
    *rank_1 = 0UL;
    if((*rest_7) >= _S86)
    {
        return false;
    }
    uint shift_2 = 64U;
    for(;;)
    {
        if(shift_2 != 0U)
        {
        }
        else
        {
            break;
        }
        uint b_8 = t_3;
        for(;;)
        {
            if(b_8 < 256U)
            {
            }
            else
            {
                break;
            }
            (*kernelContext_12->low_words_0)[b_8] = 0U;
            (*kernelContext_12->high_words_0)[b_8] = 0U;
            b_8 = b_8 + 256U;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        i_6 = t_3;
        for(;;)
        {
            if(i_6 < C_VOCAB_0)
            {
            }
            else
            {
                break;
            }
            bool _S87 = kept_0(i_6, &key_4, &y_6, kernelContext_12);
            if(_S87)
            {
                bool _S88 = entry_0(by_2, centre_2, only_1, key_4, y_6, &r_0, &weight_1);
                if(!_S88)
                {
                    i_6 = i_6 + 256U;
                    continue;
                }
                bool _S89;
                if(shift_2 != 64U)
                {
                    _S89 = (r_0 >> shift_2) != (*rank_1);
                }
                else
                {
                    _S89 = false;
                }
                if(_S89)
                {
                    i_6 = i_6 + 256U;
                    continue;
                }
                uint digit_0 = uint(r_0 >> (shift_2 - 8U)) & 255U;
                uint before_0 = atomic_fetch_add_explicit(((atomic_uint threadgroup*)(&(*kernelContext_12->low_words_0)[digit_0])), uint(weight_1), memory_order_relaxed);
                if((before_0 + uint(weight_1)) < before_0)
                {
                    b_7 = int(1);
                }
                else
                {
                    b_7 = int(0);
                }
                uint _S90 = atomic_fetch_add_explicit(((atomic_uint threadgroup*)(&(*kernelContext_12->high_words_0)[digit_0])), uint(weight_1 >> 32U) + uint(b_7), memory_order_relaxed);
            }
            i_6 = i_6 + 256U;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if(t_3 == 0U)
        {
            b_7 = int(255);
            total_1 = *rest_7;
            for(;;)
            {
                if(b_7 >= int(0))
                {
                }
                else
                {
                    break;
                }
                ulong sum_3 = (ulong((*kernelContext_12->high_words_0)[b_7]) << 32U) | ulong((*kernelContext_12->low_words_0)[b_7]);
                if(sum_3 >= total_1)
                {
                    *kernelContext_12->found_digit_0 = uint(b_7);
                    break;
                }
                ulong left_3 = total_1 - sum_3;
                b_7 = b_7 - int(1);
                total_1 = left_3;
            }
            *kernelContext_12->found_rest_0 = total_1;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        *rank_1 = ((*rank_1) << 8U) | ulong(*kernelContext_12->found_digit_0);
        *rest_7 = *kernelContext_12->found_rest_0;
        shift_2 = shift_2 - 8U;
    }
    return true;
}
Wide_0 wide_sum_0(const Wide_0 thread* a_11, const Wide_0 thread* b_9)
{
    bool _S91 = wide_less_0(a_11, b_9);
    Wide_0 _S92;
    Wide_0 _S93;
    if(_S91)
    {
        _S92 = *b_9;
        _S93 = *a_11;
    }
    else
    {
        _S92 = *a_11;
        _S93 = *b_9;
    }
    thread Wide_0 _S94 = _S92;
    thread Wide_0 _S95 = _S93;
    thread bool left_4;
    ulong _S96 = aligned_0(&_S94, &_S95, 10U, &left_4);
    return rounded_0(((_S92.digits_2) << 10U) + _S96, left_4, _S92.exponent_0 - int(10));
}
ulong group_greatest_0(uint t_4, ulong v_5, KernelContext_0 thread* kernelContext_13)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_13->wide_0)[t_4] = v_5;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint half_2 = 128U;
    for(;;)
    {
        if(half_2 != 0U)
        {
        }
        else
        {
            break;
        }
        if(t_4 < half_2)
        {
            (*kernelContext_13->wide_0)[t_4] = max((*kernelContext_13->wide_0)[t_4], (*kernelContext_13->wide_0)[t_4 + half_2]);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        half_2 = half_2 / 2U;
    }
    return (*kernelContext_13->wide_0)[int(0)];
}
void typical_0(uint t_5, uint share_2, KernelContext_0 thread* kernelContext_14)
{
    ulong over_0;
    bool _S97;
    thread ulong key_5;
    thread float y_7;
    uint i_7 = t_5;
    ulong total_3 = 0UL;
    ulong low_1 = 0UL;
    ulong high_2 = 0UL;
    for(;;)
    {
        if(i_7 < C_VOCAB_0)
        {
        }
        else
        {
            break;
        }
        bool _S98 = kept_0(i_7, &key_5, &y_7, kernelContext_14);
        if(_S98)
        {
            float scaled_3 = - y_7 * 6.5536e+04;
            ulong w_1 = mass_0(y_7);
            ulong product_1 = w_1 * ulong(uint(min(scaled_3, 2.097152e+06)));
            ulong low_2 = low_1 + (product_1 & 4294967295UL);
            ulong high_3 = high_2 + (product_1 >> 32U);
            total_3 = total_3 + w_1;
            low_1 = low_2;
            high_2 = high_3;
        }
        i_7 = i_7 + 256U;
    }
    ulong _S99 = group_total_0(t_5, total_3, kernelContext_14);
    ulong _S100 = group_total_0(t_5, low_1, kernelContext_14);
    ulong _S101 = group_total_0(t_5, high_2, kernelContext_14);
    thread Wide_0 _S102 = wide_of_0(_S101);
    Wide_0 _S103 = scaled_by_0(&_S102, int(32));
    Wide_0 _S104 = wide_of_0(_S100);
    thread Wide_0 _S105 = _S103;
    thread Wide_0 _S106 = _S104;
    Wide_0 _S107 = wide_sum_0(&_S105, &_S106);
    Wide_0 _S108 = wide_of_0(_S99);
    thread Wide_0 _S109 = _S107;
    thread Wide_0 _S110 = _S108;
    Wide_0 _S111 = wide_divided_0(&_S109, &_S110);
    thread Wide_0 _S112 = _S111;
    Wide_0 _S113 = scaled_by_0(&_S112, int(-16));
    thread Wide_0 _S114 = _S113;
    float _S115 = narrow_0(&_S114);
    float centre_3 = - _S115;
    thread ulong r_1;
    thread ulong ignored_0;
    thread ulong rank_2;
    thread ulong rest_8;
    bool _S116 = reach_0(t_5, 2U, centre_3, 0UL, true, share_2, 0UL, &rank_2, &rest_8, kernelContext_14);
    if(!_S116)
    {
        return;
    }
    i_7 = t_5;
    ulong over_1 = 0UL;
    for(;;)
    {
        if(i_7 < C_VOCAB_0)
        {
        }
        else
        {
            break;
        }
        bool _S117 = kept_0(i_7, &key_5, &y_7, kernelContext_14);
        if(_S117)
        {
            if((rank_of_0(y_7, centre_3)) == rank_2)
            {
                _S97 = y_7 >= centre_3;
            }
            else
            {
                _S97 = false;
            }
            if(_S97)
            {
                over_0 = over_1 + mass_0(y_7);
            }
            else
            {
                over_0 = over_1;
            }
            over_1 = over_0;
        }
        i_7 = i_7 + 256U;
    }
    ulong _S118 = group_total_0(t_5, over_1, kernelContext_14);
    ulong least_0;
    if(rest_8 <= _S118)
    {
        bool _S119 = reach_0(t_5, 3U, centre_3, rank_2, false, 0U, rest_8, &r_1, &ignored_0, kernelContext_14);
        if(_S119)
        {
            over_0 = ~r_1;
        }
        else
        {
            over_0 = 18446744073709551615UL;
        }
        least_0 = 18446744073709551615UL;
    }
    else
    {
        bool _S120 = reach_0(t_5, 4U, centre_3, rank_2, false, 0U, rest_8 - _S118, &r_1, &ignored_0, kernelContext_14);
        if(_S120)
        {
            total_3 = r_1;
        }
        else
        {
            total_3 = 0UL;
        }
        over_0 = 18446744073709551615UL;
        least_0 = total_3;
    }
    ulong first_1 = 0UL;
    ulong last_0 = 0UL;
    i_7 = t_5;
    for(;;)
    {
        if(i_7 < C_VOCAB_0)
        {
        }
        else
        {
            break;
        }
        bool _S121 = kept_0(i_7, &key_5, &y_7, kernelContext_14);
        if(_S121)
        {
            ulong own_0 = rank_of_0(y_7, centre_3);
            if(own_0 > rank_2)
            {
                _S97 = true;
            }
            else
            {
                if(own_0 == rank_2)
                {
                    if(y_7 >= centre_3)
                    {
                        _S97 = key_5 <= over_0;
                    }
                    else
                    {
                        _S97 = key_5 >= least_0;
                    }
                }
                else
                {
                    _S97 = false;
                }
            }
            ulong first_2;
            ulong last_1;
            if(_S97)
            {
                ulong _S122 = max(last_0, ~key_5);
                first_2 = max(first_1, key_5);
                last_1 = _S122;
            }
            else
            {
                first_2 = first_1;
                last_1 = last_0;
            }
            first_1 = first_2;
            last_0 = last_1;
        }
        i_7 = i_7 + 256U;
    }
    ulong _S123 = group_greatest_0(t_5, first_1, kernelContext_14);
    ulong _S124 = group_greatest_0(t_5, last_0, kernelContext_14);
    kernelContext_14->hi_0 = _S123;
    kernelContext_14->lo_0 = ~_S124;
    return;
}
ulong total_mass_0(uint t_6, KernelContext_0 thread* kernelContext_15)
{
    thread ulong key_6;
    thread float y_8;
    uint i_8 = t_6;
    ulong total_4 = 0UL;
    for(;;)
    {
        if(i_8 < C_VOCAB_0)
        {
        }
        else
        {
            break;
        }
        bool _S125 = kept_0(i_8, &key_6, &y_8, kernelContext_15);
        if(_S125)
        {
            total_4 = total_4 + mass_0(y_8);
        }
        i_8 = i_8 + 256U;
    }
    ulong _S126 = group_total_0(t_6, total_4, kernelContext_15);
    return _S126;
}
ulong rounded_to_0(ulong v_6, uint bits_3)
{
    uint _S127 = uint(v_6 >> 32U);
    uint top_1;
    if(_S127 != 0U)
    {
        top_1 = 32U + firstbithigh_0(_S127);
    }
    else
    {
        top_1 = firstbithigh_0(uint(v_6));
    }
    if(top_1 < bits_3)
    {
        return v_6;
    }
    uint shift_3 = top_1 + 1U - bits_3;
    ulong q_6 = v_6 >> shift_3;
    ulong rest_9 = v_6 & ((1UL << shift_3) - 1UL);
    ulong tie_2 = 1UL << (shift_3 - 1U);
    bool _S128;
    if(rest_9 > tie_2)
    {
        _S128 = true;
    }
    else
    {
        if(rest_9 == tie_2)
        {
            _S128 = (q_6 & 1UL) != 0UL;
        }
        else
        {
            _S128 = false;
        }
    }
    ulong q_7;
    if(_S128)
    {
        q_7 = q_6 + 1UL;
    }
    else
    {
        q_7 = q_6;
    }
    return q_7 << shift_3;
}
float ln_near_1_0(float x_2)
{
    float square_1 = x_2 * x_2;
    return times_plus_0(square_1, times_plus_0(times_plus_0(times_plus_0(times_plus_0(times_plus_0(times_plus_0(times_plus_0(times_plus_0(times_plus_0(0.07147728651762009, x_2, -0.11570767313241959), x_2, 0.11661997437477112), x_2, -0.12411125004291534), x_2, 0.14249897003173828), x_2, -0.16668476164340973), x_2, 0.20000708103179932), x_2, -0.24999989569187164), x_2, 0.33333331346511841), x_2, -0.5), x_2);
}
float ln_0(float x_3)
{
    uint bits_4 = (as_type<uint>((x_3)));
    int e_1 = int(bits_4 - 1060439283U) >> 23U;
    float m_0 = (as_type<float>((bits_4 - (uint(e_1) << 23U)))) + -1.0;
    float f_1 = float(e_1);
    return times_plus_0(f_1, 0.693359375, times_plus_0(f_1, -0.00021219444170129, ln_near_1_0(m_0)));
}
float log_total_0(ulong total_5)
{
    if(total_5 == 0UL)
    {
        return - infinity_0();
    }
    ulong v_7 = rounded_to_0(rounded_to_0(total_5, 53U), 24U);
    uint _S129 = uint(v_7 >> 32U);
    uint top_2;
    if(_S129 != 0U)
    {
        top_2 = 32U + firstbithigh_0(_S129);
    }
    else
    {
        top_2 = firstbithigh_0(uint(v_7));
    }
    uint digits_3;
    if(top_2 >= 23U)
    {
        digits_3 = uint(v_7 >> (top_2 - 23U));
    }
    else
    {
        digits_3 = uint(v_7) << (23U - top_2);
    }
    return ln_0((as_type<float>((((top_2 + 127U - 40U) << 23U) | (digits_3 & 8388607U)))));
}
void exclude_0(uint t_7, float threshold_0, KernelContext_0 thread* kernelContext_16)
{
    ulong _S130 = total_mass_0(t_7, kernelContext_16);
    float floor_3 = threshold_0 + log_total_0(_S130);
    if(!(floor_3 <= 0.0))
    {
        return;
    }
    ulong _S131 = first_not_below_0(floor_3, kernelContext_16);
    thread ulong key_7;
    thread float y_9;
    ulong last_2 = ~kernelContext_16->hi_0;
    uint i_9 = t_7;
    ulong count_1 = 0UL;
    for(;;)
    {
        if(i_9 < C_VOCAB_0)
        {
        }
        else
        {
            break;
        }
        bool _S132 = kept_0(i_9, &key_7, &y_9, kernelContext_16);
        if(_S132)
        {
            ulong last_3;
            ulong count_2;
            if(key_7 >= _S131)
            {
                ulong _S133 = count_1 + 1UL;
                last_3 = max(last_2, ~key_7);
                count_2 = _S133;
            }
            else
            {
                last_3 = last_2;
                count_2 = count_1;
            }
            last_2 = last_3;
            count_1 = count_2;
        }
        i_9 = i_9 + 256U;
    }
    ulong _S134 = group_total_0(t_7, count_1, kernelContext_16);
    ulong _S135 = group_greatest_0(t_7, last_2, kernelContext_16);
    if(_S134 > 1UL)
    {
        kernelContext_16->hi_0 = ~_S135;
    }
    return;
}
struct Sampler_0
{
    uint filters_0;
    uint top_k_0;
    uint top_p_0;
    uint typical_1;
    float min_p_0;
    float top_n_sigma_1;
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
void filter_0(uint t_8, uint which_0, Sampler_0 device* s_0, float bound_0, KernelContext_0 thread* kernelContext_17)
{
    thread ulong rank_3;
    thread ulong rest_10;
    if(which_0 == 1U)
    {
        top_n_sigma_0(t_8, s_0->top_n_sigma_1, kernelContext_17);
    }
    bool _S136;
    if(which_0 == 2U)
    {
        bool _S137 = reach_0(t_8, 0U, 0.0, 0UL, false, 0U, ulong(max(s_0->top_k_0, 1U)), &rank_3, &rest_10, kernelContext_17);
        _S136 = _S137;
    }
    else
    {
        _S136 = false;
    }
    if(_S136)
    {
        kernelContext_17->lo_0 = rank_3;
    }
    if(which_0 == 3U)
    {
        typical_0(t_8, s_0->typical_1, kernelContext_17);
    }
    if(which_0 == 4U)
    {
        bool _S138 = reach_0(t_8, 1U, 0.0, 0UL, true, s_0->top_p_0, 0UL, &rank_3, &rest_10, kernelContext_17);
        _S136 = _S138;
    }
    else
    {
        _S136 = false;
    }
    if(_S136)
    {
        kernelContext_17->lo_0 = rank_3;
    }
    if(which_0 == 5U)
    {
        above_0(min(s_0->min_p_0, 0.0), kernelContext_17);
    }
    if(which_0 == 6U)
    {
        exclude_0(t_8, s_0->xtc_threshold_0, kernelContext_17);
    }
    if(which_0 == 8U)
    {
        float off_3 = bound_0 * 0.69314718246459961;
        ulong _S139 = total_mass_0(t_8, kernelContext_17);
        float floor_4 = log_total_0(_S139) - off_3;
        above_0(min(floor_4, 0.0), kernelContext_17);
    }
    return;
}
uint id_of_0(ulong key_8)
{
    return ~uint(key_8);
}
float gumbel_0(ulong seed_2, uint pos_3, uint token_3)
{
    uint bits_5 = noise_bits_0(seed_2, pos_3, token_3);
    bool small_0 = bits_5 < 1073741824U;
    uint _S140;
    if(small_0)
    {
        _S140 = bits_5;
    }
    else
    {
        _S140 = ~bits_5;
    }
    float shifted_1 = float(_S140) + 0.5;
    float v_8 = shifted_1 * 2.32830643653869629e-10;
    float _S141;
    if(small_0)
    {
        _S141 = ln_near_1_0(- v_8);
    }
    else
    {
        _S141 = ln_0(v_8);
    }
    return - ln_0(- _S141);
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_18;
    (&kernelContext_18)->args_0 = args_1;
    threadgroup array<Pick_0, int(256)> bests_1;
    (&kernelContext_18)->bests_0 = &bests_1;
    threadgroup array<ulong, int(256)> wide_2;
    (&kernelContext_18)->wide_0 = &wide_2;
    threadgroup array<uint, int(256)> low_words_1;
    (&kernelContext_18)->low_words_0 = &low_words_1;
    threadgroup array<uint, int(256)> high_words_1;
    (&kernelContext_18)->high_words_0 = &high_words_1;
    threadgroup uint found_digit_1;
    (&kernelContext_18)->found_digit_0 = &found_digit_1;
    threadgroup ulong found_rest_1;
    (&kernelContext_18)->found_rest_0 = &found_rest_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 256U + sv_groupthreadid_0[int(0)];
    bool _S142 = stopped_0(&kernelContext_18);
    bool _S143;
    if(_S142)
    {
        _S143 = true;
    }
    else
    {
        _S143 = (group_0.x) >= ((&kernelContext_18)->args_0->step_0->head_rows_0);
    }
    if(_S143)
    {
        return;
    }
    uint r_2 = group_0.x;
    Row_0 device* _S144 = step_rows_0(&kernelContext_18);
    uint _S145 = step_head_row_0(r_2, &kernelContext_18);
    Row_0 device* _S146 = _S144 + _S145;
    Row_0 place_0 = *_S146;
    Seq_0 device* _S147 = step_seq_0((*_S146).seq_0, &kernelContext_18);
    Sampler_0 device* s_1 = (Sampler_0 device*)((ulong)((&kernelContext_18)->args_0->samplers_0)) + place_0.seq_0;
    float device* bounds_0 = (float device*)((ulong)((&kernelContext_18)->args_0->mirostat_0)) + ulong(place_0.seq_0) * ulong(C_MAX_SEQ_0);
    Pick_0 device* to_0 = (Pick_0 device*)((ulong)((&kernelContext_18)->args_0->picks_0)) + r_2;
    uint pos_4 = place_0.pos_0 + 1U;
    float bound_1;
    if(pos_4 < C_MAX_SEQ_0)
    {
        bound_1 = *(bounds_0 + pos_4);
    }
    else
    {
        bound_1 = 0.0;
    }
    ulong _S148 = ulong(r_2);
    (&kernelContext_18)->x_0 = (float device*)((ulong)((&kernelContext_18)->args_0->logits_0)) + _S148 * ulong(C_VOCAB_0);
    (&kernelContext_18)->picks_of_0 = (Pick_0 device*)((ulong)((&kernelContext_18)->args_0->best_0)) + _S148 * ulong((C_VOCAB_0 + C_CHUNK_0 - 1U) / C_CHUNK_0);
    Pick_0 _S149 = no_pick_0();
    thread Pick_0 pick_0 = _S149;
    uint c_1 = sv_groupindex_0;
    for(;;)
    {
        if(c_1 < ((C_VOCAB_0 + C_CHUNK_0 - 1U) / C_CHUNK_0))
        {
        }
        else
        {
            break;
        }
        Pick_0 _S150 = *((&kernelContext_18)->picks_of_0 + c_1);
        thread Pick_0 _S151 = pick_0;
        thread Pick_0 _S152 = _S150;
        Pick_0 _S153 = better_0(&_S151, &_S152);
        pick_0 = _S153;
        c_1 = c_1 + 256U;
    }
    thread Pick_0 _S154 = pick_0;
    Pick_0 _S155 = group_best_0(sv_groupindex_0, &_S154, &kernelContext_18);
    pick_0 = _S155;
    if(((as_type<uint>(((&pick_0)->score_0))) & 2147483647U) < 2139095040U)
    {
        (&kernelContext_18)->hi_0 = key_of_0((&pick_0)->score_0, (&pick_0)->token_0);
        (&kernelContext_18)->lo_0 = 36028797018963968UL;
        (&kernelContext_18)->inverse_0 = 1.0;
        bool greedy_0 = !((_S147->temperature_0) >= 1.17549435082228751e-38);
        ulong _S156 = mix_0((_S147->seed_0) ^ 11400714819323198485UL);
        uint filters_1 = s_1->filters_0;
        for(;;)
        {
            uint _S157 = filters_1 & 15U;
            if(_S157 != 0U)
            {
            }
            else
            {
                break;
            }
            if(_S157 == 7U)
            {
                if(greedy_0)
                {
                    break;
                }
                float _S158 = divided_0(1.0, _S147->temperature_0);
                (&kernelContext_18)->inverse_0 = _S158;
            }
            else
            {
                if(_S157 != 6U)
                {
                    _S143 = true;
                }
                else
                {
                    _S143 = (noise_bits_0(_S156, pos_4, 4294967295U)) <= (s_1->xtc_probability_0);
                }
                if(_S143)
                {
                    filter_0(sv_groupindex_0, _S157, s_1, bound_1, &kernelContext_18);
                }
            }
            filters_1 = filters_1 >> 4U;
        }
        if(greedy_0)
        {
            (&pick_0)->score_0 = logit_of_0((&kernelContext_18)->hi_0);
            (&pick_0)->token_0 = id_of_0((&kernelContext_18)->hi_0);
        }
        else
        {
            pick_0 = _S149;
            thread ulong key_9;
            thread float y_10;
            uint i_10 = sv_groupindex_0;
            for(;;)
            {
                if(i_10 < C_VOCAB_0)
                {
                }
                else
                {
                    break;
                }
                bool _S159 = kept_0(i_10, &key_9, &y_10, &kernelContext_18);
                if(_S159)
                {
                    thread Pick_0 p_3;
                    uint _S160 = id_of_0(key_9);
                    (&p_3)->token_0 = _S160;
                    float score_1 = y_10 + gumbel_0(_S156, pos_4, _S160);
                    (&p_3)->score_0 = score_1;
                    thread Pick_0 _S161 = pick_0;
                    thread Pick_0 _S162 = p_3;
                    Pick_0 _S163 = better_0(&_S161, &_S162);
                    pick_0 = _S163;
                }
                i_10 = i_10 + 256U;
            }
            thread Pick_0 _S164 = pick_0;
            Pick_0 _S165 = group_best_0(sv_groupindex_0, &_S164, &kernelContext_18);
            pick_0 = _S165;
            if((s_1->mirostat_tau_0) > 0.0)
            {
                _S143 = ((&pick_0)->token_0) < C_VOCAB_0;
            }
            else
            {
                _S143 = false;
            }
            if(_S143)
            {
                ulong _S166 = total_mass_0(sv_groupindex_0, &kernelContext_18);
                float _S167 = log_total_0(_S166);
                float _S168 = below_0(*((&kernelContext_18)->x_0 + (&pick_0)->token_0), &kernelContext_18);
                float over_2 = _S167 - _S168;
                float _S169 = divided_0(over_2, 0.69314718246459961);
                float off_4 = _S169 - s_1->mirostat_tau_0;
                float change_0 = s_1->mirostat_eta_0 * off_4;
                float next_1 = bound_1 - change_0;
                bound_1 = next_1;
            }
        }
    }
    if(sv_groupindex_0 != 0U)
    {
        return;
    }
    *to_0 = pick_0;
    if((s_1->mirostat_tau_0) > 0.0)
    {
        _S143 = (pos_4 + 1U) < C_MAX_SEQ_0;
    }
    else
    {
        _S143 = false;
    }
    if(_S143)
    {
        *(bounds_0 + (pos_4 + 1U)) = bound_1;
    }
    return;
}
