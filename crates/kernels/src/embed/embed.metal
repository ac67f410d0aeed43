// Made by tools/vulkan-kernels.sh of embed.slang and what stands before it.
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
constant uint fc_C_D_0 [[function_constant(2)]];
constant uint C_D_0 = is_function_constant_defined(fc_C_D_0) ? fc_C_D_0 : 1U;
constant uint fc_C_VOCAB_0 [[function_constant(3)]];
constant uint C_VOCAB_0 = is_function_constant_defined(fc_C_VOCAB_0) ? fc_C_VOCAB_0 : 1U;
constant uint fc_C_MAX_SEQ_0 [[function_constant(4)]];
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
    uchar device* tokens_0;
    uchar device* w_0;
    uchar device* h_0;
    float scale_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
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
float f16_to_f32_0(uint half_0)
{
    return (as_type<half>((ushort)((half_0 & 65535U))));
}
float bf16_to_f32_0(uint half_1)
{
    return (as_type<float>((half_1 << 16U)));
}
uint word_at_0(uchar device* p_0)
{
    return *(uint device*)((ulong)(p_0));
}
uint half_at_0(uchar device* p_1)
{
    return uint(*(ushort device*)((ulong)(p_1)));
}
float scale_at_0(uchar device* p_2)
{
    uint _S2 = half_at_0(p_2);
    return f16_to_f32_0(_S2);
}
ulong nibble_chunk_0(bool striped_0, ulong b_0)
{
    uint c_0 = uint(b_0 % 8UL);
    ulong _S3;
    if(striped_0)
    {
        _S3 = b_0 / 8UL * 128UL + ulong((c_0 % 2U * 4U + c_0 / 2U) * 16U);
    }
    else
    {
        _S3 = b_0 * 16UL;
    }
    return _S3;
}
void codes_0(uchar device* w_1, ulong elements_0, uint bits_0, bool striped_1, ulong b_1, uint p_3, array<uint, int(8)> thread* q_0)
{
    int _S4;
    if(bits_0 < 4U)
    {
        _S4 = int(2);
    }
    else
    {
        _S4 = int(4);
    }
    uint low_bits_0 = uint(_S4);
    uint high_bits_0 = bits_0 - low_bits_0;
    uchar device* above_0 = w_1 + elements_0 / 8UL * ulong(low_bits_0);
    (*q_0)[0U] = 0U;
    (*q_0)[1U] = 0U;
    (*q_0)[2U] = 0U;
    (*q_0)[3U] = 0U;
    (*q_0)[4U] = 0U;
    (*q_0)[5U] = 0U;
    (*q_0)[6U] = 0U;
    (*q_0)[7U] = 0U;
    if(low_bits_0 == 4U)
    {
        uchar device* at_0 = w_1 + nibble_chunk_0(striped_1, b_1) + p_3 % 2U * 8U;
        uint _S5 = word_at_0(at_0);
        uint _S6 = word_at_0(at_0 + int(4));
        (*q_0)[0U] = (_S5 >> (p_3 / 2U * 4U)) & 15U;
        (*q_0)[1U] = (_S5 >> (8U + p_3 / 2U * 4U)) & 15U;
        (*q_0)[2U] = (_S5 >> (16U + p_3 / 2U * 4U)) & 15U;
        (*q_0)[3U] = (_S5 >> (24U + p_3 / 2U * 4U)) & 15U;
        (*q_0)[4U] = (_S6 >> (p_3 / 2U * 4U)) & 15U;
        (*q_0)[5U] = (_S6 >> (8U + p_3 / 2U * 4U)) & 15U;
        (*q_0)[6U] = (_S6 >> (16U + p_3 / 2U * 4U)) & 15U;
        (*q_0)[7U] = (_S6 >> (24U + p_3 / 2U * 4U)) & 15U;
    }
    else
    {
        uint _S7 = word_at_0(w_1 + b_1 * 8UL + p_3 / 2U * 4U);
        uint _S8 = _S7 >> (p_3 % 2U * 4U);
        (*q_0)[0U] = (_S8 >> 0U) & 3U;
        (*q_0)[1U] = (_S8 >> 8U) & 3U;
        (*q_0)[2U] = (_S8 >> 16U) & 3U;
        (*q_0)[3U] = (_S8 >> 24U) & 3U;
        (*q_0)[4U] = (_S8 >> 2U) & 3U;
        (*q_0)[5U] = (_S8 >> 10U) & 3U;
        (*q_0)[6U] = (_S8 >> 18U) & 3U;
        (*q_0)[7U] = (_S8 >> 26U) & 3U;
    }
    if(high_bits_0 == 2U)
    {
        uint _S9 = word_at_0(above_0 + b_1 * 8UL + p_3 / 2U * 4U);
        uint _S10 = _S9 >> (p_3 % 2U * 4U);
        (*q_0)[0U] = ((*q_0)[0U]) | (((_S10 >> 0U) & 3U) << low_bits_0);
        (*q_0)[1U] = ((*q_0)[1U]) | (((_S10 >> 8U) & 3U) << low_bits_0);
        (*q_0)[2U] = ((*q_0)[2U]) | (((_S10 >> 16U) & 3U) << low_bits_0);
        (*q_0)[3U] = ((*q_0)[3U]) | (((_S10 >> 24U) & 3U) << low_bits_0);
        (*q_0)[4U] = ((*q_0)[4U]) | (((_S10 >> 2U) & 3U) << low_bits_0);
        (*q_0)[5U] = ((*q_0)[5U]) | (((_S10 >> 10U) & 3U) << low_bits_0);
        (*q_0)[6U] = ((*q_0)[6U]) | (((_S10 >> 18U) & 3U) << low_bits_0);
        (*q_0)[7U] = ((*q_0)[7U]) | (((_S10 >> 26U) & 3U) << low_bits_0);
    }
    if(high_bits_0 == 1U)
    {
        uint _S11 = word_at_0(above_0 + b_1 * 4UL);
        uint _S12 = _S11 >> (p_3 * 2U);
        (*q_0)[0U] = ((*q_0)[0U]) | (((_S12 >> 0U) & 1U) << low_bits_0);
        (*q_0)[1U] = ((*q_0)[1U]) | (((_S12 >> 8U) & 1U) << low_bits_0);
        (*q_0)[2U] = ((*q_0)[2U]) | (((_S12 >> 16U) & 1U) << low_bits_0);
        (*q_0)[3U] = ((*q_0)[3U]) | (((_S12 >> 24U) & 1U) << low_bits_0);
        (*q_0)[4U] = ((*q_0)[4U]) | (((_S12 >> 1U) & 1U) << low_bits_0);
        (*q_0)[5U] = ((*q_0)[5U]) | (((_S12 >> 9U) & 1U) << low_bits_0);
        (*q_0)[6U] = ((*q_0)[6U]) | (((_S12 >> 17U) & 1U) << low_bits_0);
        (*q_0)[7U] = ((*q_0)[7U]) | (((_S12 >> 25U) & 1U) << low_bits_0);
    }
    return;
}
void scaled_0(const array<uint, int(8)> thread* q_1, int zero_0, float d_0, array<float, int(8)> thread* v_0)
{
    (*v_0)[0U] = d_0 * float(int((*q_1)[0U]) - zero_0);
    (*v_0)[1U] = d_0 * float(int((*q_1)[1U]) - zero_0);
    (*v_0)[2U] = d_0 * float(int((*q_1)[2U]) - zero_0);
    (*v_0)[3U] = d_0 * float(int((*q_1)[3U]) - zero_0);
    (*v_0)[4U] = d_0 * float(int((*q_1)[4U]) - zero_0);
    (*v_0)[5U] = d_0 * float(int((*q_1)[5U]) - zero_0);
    (*v_0)[6U] = d_0 * float(int((*q_1)[6U]) - zero_0);
    (*v_0)[7U] = d_0 * float(int((*q_1)[7U]) - zero_0);
    return;
}
void ranged_0(const array<uint, int(8)> thread* q_2, float d_1, float m_0, array<float, int(8)> thread* v_1)
{
    float product_0 = d_1 * float((*q_2)[0U]);
    float sum_0 = product_0 + m_0;
    (*v_1)[0U] = sum_0;
    float product_1 = d_1 * float((*q_2)[1U]);
    float sum_1 = product_1 + m_0;
    (*v_1)[1U] = sum_1;
    float product_2 = d_1 * float((*q_2)[2U]);
    float sum_2 = product_2 + m_0;
    (*v_1)[2U] = sum_2;
    float product_3 = d_1 * float((*q_2)[3U]);
    float sum_3 = product_3 + m_0;
    (*v_1)[3U] = sum_3;
    float product_4 = d_1 * float((*q_2)[4U]);
    float sum_4 = product_4 + m_0;
    (*v_1)[4U] = sum_4;
    float product_5 = d_1 * float((*q_2)[5U]);
    float sum_5 = product_5 + m_0;
    (*v_1)[5U] = sum_5;
    float product_6 = d_1 * float((*q_2)[6U]);
    float sum_6 = product_6 + m_0;
    (*v_1)[6U] = sum_6;
    float product_7 = d_1 * float((*q_2)[7U]);
    float sum_7 = product_7 + m_0;
    (*v_1)[7U] = sum_7;
    return;
}
uint six_bits_0(uchar device* p_4, uint g_0)
{
    uint from_0 = 6U * g_0;
    return ((uint(*(p_4 + from_0 / 8U)) | (uint(*(p_4 + (from_0 + 5U) / 8U)) << 8U)) >> (from_0 % 8U)) & 63U;
}
void eight_0(uchar device* w_2, uint dtype_0, uint k_0, uint n_0, uint row_0, uint octet_0, array<float, int(8)> thread* v_2)
{
    ulong _S13 = ulong(k_0);
    ulong elements_1 = ulong(n_0) * _S13;
    ulong first_0 = ulong(row_0) * _S13 + ulong(octet_0 * 8U);
    ulong b_2 = first_0 / 32UL;
    uint j_0 = uint(first_0 / 8UL % 4UL);
    uint c_1 = uint(b_2 % 8UL);
    thread array<uint, int(8)> q_3;
    ulong super_0 = first_0 / 256UL;
    if(dtype_0 == 0U)
    {
        float device* _S14 = (float device*)((ulong)(w_2)) + first_0;
        (*v_2)[0U] = *(_S14 + 0U);
        (*v_2)[1U] = *(_S14 + 1U);
        (*v_2)[2U] = *(_S14 + 2U);
        (*v_2)[3U] = *(_S14 + 3U);
        (*v_2)[4U] = *(_S14 + 4U);
        (*v_2)[5U] = *(_S14 + 5U);
        (*v_2)[6U] = *(_S14 + 6U);
        (*v_2)[7U] = *(_S14 + 7U);
        return;
    }
    bool _S15 = dtype_0 == 1U;
    bool _S16;
    if(_S15)
    {
        _S16 = true;
    }
    else
    {
        _S16 = dtype_0 == 30U;
    }
    if(_S16)
    {
        uint device* _S17 = (uint device*)((ulong)(w_2)) + first_0 / 2UL;
        uint device* _S18 = _S17 + 0U;
        uint half_2 = ((*_S18) >> 0U) & 65535U;
        float _S19;
        if(_S15)
        {
            _S19 = f16_to_f32_0(half_2);
        }
        else
        {
            _S19 = bf16_to_f32_0(half_2);
        }
        (*v_2)[0U] = _S19;
        uint half_3 = ((*_S18) >> 16U) & 65535U;
        if(_S15)
        {
            _S19 = f16_to_f32_0(half_3);
        }
        else
        {
            _S19 = bf16_to_f32_0(half_3);
        }
        (*v_2)[1U] = _S19;
        uint device* _S20 = _S17 + 1U;
        uint half_4 = ((*_S20) >> 0U) & 65535U;
        if(_S15)
        {
            _S19 = f16_to_f32_0(half_4);
        }
        else
        {
            _S19 = bf16_to_f32_0(half_4);
        }
        (*v_2)[2U] = _S19;
        uint half_5 = ((*_S20) >> 16U) & 65535U;
        if(_S15)
        {
            _S19 = f16_to_f32_0(half_5);
        }
        else
        {
            _S19 = bf16_to_f32_0(half_5);
        }
        (*v_2)[3U] = _S19;
        uint device* _S21 = _S17 + 2U;
        uint half_6 = ((*_S21) >> 0U) & 65535U;
        if(_S15)
        {
            _S19 = f16_to_f32_0(half_6);
        }
        else
        {
            _S19 = bf16_to_f32_0(half_6);
        }
        (*v_2)[4U] = _S19;
        uint half_7 = ((*_S21) >> 16U) & 65535U;
        if(_S15)
        {
            _S19 = f16_to_f32_0(half_7);
        }
        else
        {
            _S19 = bf16_to_f32_0(half_7);
        }
        (*v_2)[5U] = _S19;
        uint device* _S22 = _S17 + 3U;
        uint half_8 = ((*_S22) >> 0U) & 65535U;
        if(_S15)
        {
            _S19 = f16_to_f32_0(half_8);
        }
        else
        {
            _S19 = bf16_to_f32_0(half_8);
        }
        (*v_2)[6U] = _S19;
        uint half_9 = ((*_S22) >> 16U) & 65535U;
        if(_S15)
        {
            _S19 = f16_to_f32_0(half_9);
        }
        else
        {
            _S19 = bf16_to_f32_0(half_9);
        }
        (*v_2)[7U] = _S19;
        return;
    }
    if(dtype_0 == 8U)
    {
        uchar device* p_5 = w_2 + b_2 * 32UL + j_0 * 8U;
        uint _S23 = word_at_0(p_5);
        uint _S24 = word_at_0(p_5 + int(4));
        float _S25 = scale_at_0(w_2 + elements_1 + b_2 * 2UL);
        (*v_2)[0U] = float(int(_S23 << 24U) >> 24U) * _S25;
        (*v_2)[1U] = float(int(_S23 << 16U) >> 24U) * _S25;
        (*v_2)[2U] = float(int(_S23 << 8U) >> 24U) * _S25;
        (*v_2)[3U] = float(int(_S23 << 0U) >> 24U) * _S25;
        (*v_2)[4U] = float(int(_S24 << 24U) >> 24U) * _S25;
        (*v_2)[5U] = float(int(_S24 << 16U) >> 24U) * _S25;
        (*v_2)[6U] = float(int(_S24 << 8U) >> 24U) * _S25;
        (*v_2)[7U] = float(int(_S24 << 0U) >> 24U) * _S25;
        return;
    }
    bool _S26 = dtype_0 == 2U;
    if(_S26)
    {
        _S16 = true;
    }
    else
    {
        _S16 = dtype_0 == 6U;
    }
    int _S27;
    if(_S16)
    {
        if(_S26)
        {
            _S27 = int(4);
        }
        else
        {
            _S27 = int(5);
        }
        uint bits_1 = uint(_S27);
        codes_0(w_2, elements_1, bits_1, false, b_2, j_0, &q_3);
        array<uint, int(8)> _S28 = q_3;
        int _S29 = int(1) << (bits_1 - 1U);
        float _S30 = scale_at_0(w_2 + elements_1 / 8UL * ulong(bits_1) + b_2 * 2UL);
        thread array<uint, int(8)> _S31 = _S28;
        scaled_0(&_S31, _S29, _S30, v_2);
        return;
    }
    bool _S32 = dtype_0 == 3U;
    if(_S32)
    {
        _S16 = true;
    }
    else
    {
        _S16 = dtype_0 == 7U;
    }
    if(_S16)
    {
        if(_S32)
        {
            _S27 = int(4);
        }
        else
        {
            _S27 = int(5);
        }
        uint bits_2 = uint(_S27);
        codes_0(w_2, elements_1, bits_2, false, b_2, j_0, &q_3);
        uint dm_0 = word_at_0(w_2 + elements_1 / 8UL * ulong(bits_2) + b_2 * 4UL);
        float _S33 = f16_to_f32_0(dm_0);
        float _S34 = f16_to_f32_0(dm_0 >> 16U);
        thread array<uint, int(8)> _S35 = q_3;
        ranged_0(&_S35, _S33, _S34, v_2);
        return;
    }
    bool _S36 = dtype_0 == 12U;
    if(_S36)
    {
        _S16 = true;
    }
    else
    {
        _S16 = dtype_0 == 13U;
    }
    if(_S16)
    {
        if(_S36)
        {
            _S27 = int(4);
        }
        else
        {
            _S27 = int(5);
        }
        uint bits_3 = uint(_S27);
        codes_0(w_2, elements_1, bits_3, true, b_2, j_0, &q_3);
        uchar device* head_0 = w_2 + elements_1 / 8UL * ulong(bits_3) + super_0 * 16UL;
        uint dm_1 = word_at_0(head_0);
        uchar device* pair_0 = head_0 + int(4) + c_1 * 3U / 2U;
        uint two_0 = (uint(*(pair_0 + int(0))) | (uint(*(pair_0 + int(1))) << 8U)) >> (c_1 % 2U * 4U);
        float _S37 = f16_to_f32_0(dm_1) * float(two_0 & 63U);
        float _S38 = - (f16_to_f32_0(dm_1 >> 16U) * float((two_0 >> 6U) & 63U));
        thread array<uint, int(8)> _S39 = q_3;
        ranged_0(&_S39, _S37, _S38, v_2);
        return;
    }
    if(dtype_0 == 10U)
    {
        codes_0(w_2, elements_1, 2U, false, b_2, j_0, &q_3);
        uint s_0 = uint(*(w_2 + (elements_1 / 4UL + first_0 / 16UL)));
        uint dm_2 = word_at_0(w_2 + elements_1 / 16UL * 5UL + super_0 * 4UL);
        float _S40 = f16_to_f32_0(dm_2) * float(s_0 & 15U);
        float _S41 = - (f16_to_f32_0(dm_2 >> 16U) * float(s_0 >> 4U));
        thread array<uint, int(8)> _S42 = q_3;
        ranged_0(&_S42, _S40, _S41, v_2);
        return;
    }
    if(dtype_0 == 11U)
    {
        codes_0(w_2, elements_1, 3U, false, b_2, j_0, &q_3);
        uint _S43 = six_bits_0(w_2 + elements_1 / 8UL * 3UL + super_0 * 12UL, c_1 * 2U + j_0 / 2U);
        int s_1 = int(_S43) - int(32);
        array<uint, int(8)> _S44 = q_3;
        float _S45 = scale_at_0(w_2 + elements_1 / 64UL * 27UL + super_0 * 2UL);
        float _S46 = _S45 * float(s_1);
        thread array<uint, int(8)> _S47 = _S44;
        scaled_0(&_S47, int(4), _S46, v_2);
        return;
    }
    codes_0(w_2, elements_1, 6U, true, b_2, j_0, &q_3);
    int s_2 = int(uint(*(w_2 + (elements_1 / 4UL * 3UL + first_0 / 16UL))) << 24U) >> 24U;
    array<uint, int(8)> _S48 = q_3;
    float _S49 = scale_at_0(w_2 + elements_1 / 16UL * 13UL + super_0 * 2UL);
    float _S50 = _S49 * float(s_2);
    thread array<uint, int(8)> _S51 = _S48;
    scaled_0(&_S51, int(32), _S50, v_2);
    return;
}
constant uint fc_C_DTYPE_0 [[function_constant(0)]];
constant uint C_DTYPE_0 = is_function_constant_defined(fc_C_DTYPE_0) ? fc_C_DTYPE_0 : 1U;
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_3;
    (&kernelContext_3)->args_0 = args_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S52 = stopped_0(&kernelContext_3);
    if(_S52)
    {
        return;
    }
    uint r_0 = group_0.x;
    if(r_0 >= ((&kernelContext_3)->args_0->step_0->rows_0))
    {
        return;
    }
    Row_0 device* _S53 = step_rows_0(&kernelContext_3);
    Row_0 at_1 = *(_S53 + r_0);
    uint _S54 = min(*((uint device*)((ulong)((&kernelContext_3)->args_0->tokens_0)) + (ulong(at_1.seq_0) * ulong(C_MAX_SEQ_0) + ulong(at_1.pos_0))), C_VOCAB_0 - 1U);
    float device* _S55 = (float device*)((ulong)((&kernelContext_3)->args_0->h_0)) + ulong(r_0) * ulong(C_D_0);
    uint o_0 = sv_groupindex_0;
    for(;;)
    {
        if(o_0 < (C_D_0 / 8U))
        {
        }
        else
        {
            break;
        }
        thread array<float, int(8)> v_3;
        eight_0((&kernelContext_3)->args_0->w_0, C_DTYPE_0, C_D_0, C_VOCAB_0, _S54, o_0, &v_3);
        uint _S56 = o_0 * 8U;
        *(_S55 + _S56) = v_3[0U] * (&kernelContext_3)->args_0->scale_0;
        *(_S55 + (_S56 + 1U)) = v_3[1U] * (&kernelContext_3)->args_0->scale_0;
        *(_S55 + (_S56 + 2U)) = v_3[2U] * (&kernelContext_3)->args_0->scale_0;
        *(_S55 + (_S56 + 3U)) = v_3[3U] * (&kernelContext_3)->args_0->scale_0;
        *(_S55 + (_S56 + 4U)) = v_3[4U] * (&kernelContext_3)->args_0->scale_0;
        *(_S55 + (_S56 + 5U)) = v_3[5U] * (&kernelContext_3)->args_0->scale_0;
        *(_S55 + (_S56 + 6U)) = v_3[6U] * (&kernelContext_3)->args_0->scale_0;
        *(_S55 + (_S56 + 7U)) = v_3[7U] * (&kernelContext_3)->args_0->scale_0;
        o_0 = o_0 + 64U;
    }
    return;
}
