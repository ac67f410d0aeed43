// Made by tools/vulkan-kernels.sh of matmul.slang and what stands before it.
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
constant uint fc_C_OUT_COL_0 [[function_constant(6)]];
constant uint C_OUT_COL_0 = is_function_constant_defined(fc_C_OUT_COL_0) ? fc_C_OUT_COL_0 : 1U;
constant uint fc_C_OUT_STRIDE_0 [[function_constant(5)]];
constant uint C_OUT_STRIDE_0 = is_function_constant_defined(fc_C_OUT_STRIDE_0) ? fc_C_OUT_STRIDE_0 : 1U;
constant uint fc_C_K_0 [[function_constant(3)]];
constant uint C_K_0 = is_function_constant_defined(fc_C_K_0) ? fc_C_K_0 : 1U;
constant uint fc_C_N_0 [[function_constant(4)]];
constant uint C_N_0 = is_function_constant_defined(fc_C_N_0) ? fc_C_N_0 : 1U;
constant uint fc_C_MAX_ROWS_0 [[function_constant(8)]];
constant uint C_MAX_ROWS_0 = is_function_constant_defined(fc_C_MAX_ROWS_0) ? fc_C_MAX_ROWS_0 : 1U;
constant uint fc_C_SELECT_0 [[function_constant(7)]];
constant uint C_SELECT_0 = is_function_constant_defined(fc_C_SELECT_0) ? fc_C_SELECT_0 : 1U;
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
    uchar device* x_0;
    uchar device* w_0;
    uchar device* out_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<float, int(512)> threadgroup* partial_0;
};
bool stopped_0(KernelContext_0 thread* kernelContext_0)
{
    return (kernelContext_0->args_0->step_0->stop_0) != 0U;
}
ulong act_row_bytes_0(uint act_0, uint k_0)
{
    uint _S1;
    if(act_0 == 0U)
    {
        _S1 = 4U * k_0;
    }
    else
    {
        _S1 = 2U * k_0;
    }
    return ulong(((_S1 + 63U) / 64U) | 1U) * 64UL;
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
void eight_0(uchar device* w_2, uint dtype_0, uint k_1, uint n_0, uint row_0, uint octet_0, array<float, int(8)> thread* v_2)
{
    ulong _S13 = ulong(k_1);
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
void product_8(uint3 group_0, uint t_0, float thread* v_3, uint thread* row_1, uint thread* column_0, bool thread* mine_0, KernelContext_0 thread* kernelContext_1)
{
    bool _S52;
    uint rows_1;
    if(C_SELECT_0 != 0U)
    {
        rows_1 = kernelContext_1->args_0->step_0->head_rows_0;
    }
    else
    {
        rows_1 = kernelContext_1->args_0->step_0->rows_0;
    }
    uint first_1 = group_0.y * 8U;
    uint _S53 = min(8U, rows_1 - min(rows_1, first_1));
    ulong stride_0 = act_row_bytes_0(0U, C_K_0) / 16UL;
    packed_float4 device* _S54 = (packed_float4 device*)((ulong)(kernelContext_1->args_0->x_0)) + ulong(first_1) * stride_0;
    uint _S55 = group_0.x * 8U;
    uint _S56 = min(_S55 + t_0 / 8U, C_N_0 - 1U);
    thread array<float, int(8)> acc_0;
    acc_0[0U] = 0.0;
    acc_0[1U] = 0.0;
    acc_0[2U] = 0.0;
    acc_0[3U] = 0.0;
    acc_0[4U] = 0.0;
    acc_0[5U] = 0.0;
    acc_0[6U] = 0.0;
    acc_0[7U] = 0.0;
    uint _S57 = t_0 % 8U;
    uint o_0 = _S57;
    for(;;)
    {
        if(o_0 < (C_K_0 / 8U))
        {
        }
        else
        {
            break;
        }
        thread array<float, int(8)> w_3;
        eight_0(kernelContext_1->args_0->w_0, C_DTYPE_0, C_K_0, C_N_0, _S56, o_0, &w_3);
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    if(0U >= _S53)
                    {
                        break;
                    }
                    packed_float4 device* _S58 = _S54 + 0UL + o_0 * 2U;
                    float4 _S59 = float4(*(_S58 + int(0))) ;
                    float4 _S60 = float4(*(_S58 + int(1))) ;
                    acc_0[0U] = fma(w_3[int(7)], _S60.w, fma(w_3[int(6)], _S60.z, fma(w_3[int(5)], _S60.y, fma(w_3[int(4)], _S60.x, fma(w_3[int(3)], _S59.w, fma(w_3[int(2)], _S59.z, fma(w_3[int(1)], _S59.y, fma(w_3[int(0)], _S59.x, acc_0[0U]))))))));
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(C_MAX_ROWS_0 == 1U)
                    {
                        _S52 = true;
                    }
                    else
                    {
                        _S52 = 1U >= _S53;
                    }
                    if(_S52)
                    {
                        break;
                    }
                    packed_float4 device* _S61 = _S54 + stride_0 + o_0 * 2U;
                    float4 _S62 = float4(*(_S61 + int(0))) ;
                    float4 _S63 = float4(*(_S61 + int(1))) ;
                    acc_0[1U] = fma(w_3[int(7)], _S63.w, fma(w_3[int(6)], _S63.z, fma(w_3[int(5)], _S63.y, fma(w_3[int(4)], _S63.x, fma(w_3[int(3)], _S62.w, fma(w_3[int(2)], _S62.z, fma(w_3[int(1)], _S62.y, fma(w_3[int(0)], _S62.x, acc_0[1U]))))))));
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    bool _S64;
                    if(C_MAX_ROWS_0 == 1U)
                    {
                        _S64 = true;
                    }
                    else
                    {
                        _S64 = 2U >= _S53;
                    }
                    if(_S64)
                    {
                        break;
                    }
                    packed_float4 device* _S65 = _S54 + 2UL * stride_0 + o_0 * 2U;
                    float4 _S66 = float4(*(_S65 + int(0))) ;
                    float4 _S67 = float4(*(_S65 + int(1))) ;
                    acc_0[2U] = fma(w_3[int(7)], _S67.w, fma(w_3[int(6)], _S67.z, fma(w_3[int(5)], _S67.y, fma(w_3[int(4)], _S67.x, fma(w_3[int(3)], _S66.w, fma(w_3[int(2)], _S66.z, fma(w_3[int(1)], _S66.y, fma(w_3[int(0)], _S66.x, acc_0[2U]))))))));
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    bool _S68;
                    if(C_MAX_ROWS_0 == 1U)
                    {
                        _S68 = true;
                    }
                    else
                    {
                        _S68 = 3U >= _S53;
                    }
                    if(_S68)
                    {
                        break;
                    }
                    packed_float4 device* _S69 = _S54 + 3UL * stride_0 + o_0 * 2U;
                    float4 _S70 = float4(*(_S69 + int(0))) ;
                    float4 _S71 = float4(*(_S69 + int(1))) ;
                    acc_0[3U] = fma(w_3[int(7)], _S71.w, fma(w_3[int(6)], _S71.z, fma(w_3[int(5)], _S71.y, fma(w_3[int(4)], _S71.x, fma(w_3[int(3)], _S70.w, fma(w_3[int(2)], _S70.z, fma(w_3[int(1)], _S70.y, fma(w_3[int(0)], _S70.x, acc_0[3U]))))))));
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    bool _S72;
                    if(C_MAX_ROWS_0 == 1U)
                    {
                        _S72 = true;
                    }
                    else
                    {
                        _S72 = 4U >= _S53;
                    }
                    if(_S72)
                    {
                        break;
                    }
                    packed_float4 device* _S73 = _S54 + 4UL * stride_0 + o_0 * 2U;
                    float4 _S74 = float4(*(_S73 + int(0))) ;
                    float4 _S75 = float4(*(_S73 + int(1))) ;
                    acc_0[4U] = fma(w_3[int(7)], _S75.w, fma(w_3[int(6)], _S75.z, fma(w_3[int(5)], _S75.y, fma(w_3[int(4)], _S75.x, fma(w_3[int(3)], _S74.w, fma(w_3[int(2)], _S74.z, fma(w_3[int(1)], _S74.y, fma(w_3[int(0)], _S74.x, acc_0[4U]))))))));
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    bool _S76;
                    if(C_MAX_ROWS_0 == 1U)
                    {
                        _S76 = true;
                    }
                    else
                    {
                        _S76 = 5U >= _S53;
                    }
                    if(_S76)
                    {
                        break;
                    }
                    packed_float4 device* _S77 = _S54 + 5UL * stride_0 + o_0 * 2U;
                    float4 _S78 = float4(*(_S77 + int(0))) ;
                    float4 _S79 = float4(*(_S77 + int(1))) ;
                    acc_0[5U] = fma(w_3[int(7)], _S79.w, fma(w_3[int(6)], _S79.z, fma(w_3[int(5)], _S79.y, fma(w_3[int(4)], _S79.x, fma(w_3[int(3)], _S78.w, fma(w_3[int(2)], _S78.z, fma(w_3[int(1)], _S78.y, fma(w_3[int(0)], _S78.x, acc_0[5U]))))))));
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    bool _S80;
                    if(C_MAX_ROWS_0 == 1U)
                    {
                        _S80 = true;
                    }
                    else
                    {
                        _S80 = 6U >= _S53;
                    }
                    if(_S80)
                    {
                        break;
                    }
                    packed_float4 device* _S81 = _S54 + 6UL * stride_0 + o_0 * 2U;
                    float4 _S82 = float4(*(_S81 + int(0))) ;
                    float4 _S83 = float4(*(_S81 + int(1))) ;
                    acc_0[6U] = fma(w_3[int(7)], _S83.w, fma(w_3[int(6)], _S83.z, fma(w_3[int(5)], _S83.y, fma(w_3[int(4)], _S83.x, fma(w_3[int(3)], _S82.w, fma(w_3[int(2)], _S82.z, fma(w_3[int(1)], _S82.y, fma(w_3[int(0)], _S82.x, acc_0[6U]))))))));
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    bool _S84;
                    if(C_MAX_ROWS_0 == 1U)
                    {
                        _S84 = true;
                    }
                    else
                    {
                        _S84 = 7U >= _S53;
                    }
                    if(_S84)
                    {
                        break;
                    }
                    packed_float4 device* _S85 = _S54 + 7UL * stride_0 + o_0 * 2U;
                    float4 _S86 = float4(*(_S85 + int(0))) ;
                    float4 _S87 = float4(*(_S85 + int(1))) ;
                    acc_0[7U] = fma(w_3[int(7)], _S87.w, fma(w_3[int(6)], _S87.z, fma(w_3[int(5)], _S87.y, fma(w_3[int(4)], _S87.x, fma(w_3[int(3)], _S86.w, fma(w_3[int(2)], _S86.z, fma(w_3[int(1)], _S86.y, fma(w_3[int(0)], _S86.x, acc_0[7U]))))))));
                    break;
                }
                break;
            }
            break;
        }
        o_0 = o_0 + 8U;
    }
    (*kernelContext_1->partial_0)[t_0] = acc_0[0U];
    (*kernelContext_1->partial_0)[64U + t_0] = acc_0[1U];
    (*kernelContext_1->partial_0)[128U + t_0] = acc_0[2U];
    (*kernelContext_1->partial_0)[192U + t_0] = acc_0[3U];
    (*kernelContext_1->partial_0)[256U + t_0] = acc_0[4U];
    (*kernelContext_1->partial_0)[320U + t_0] = acc_0[5U];
    (*kernelContext_1->partial_0)[384U + t_0] = acc_0[6U];
    (*kernelContext_1->partial_0)[448U + t_0] = acc_0[7U];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    *v_3 = 0.0;
    uint l_0 = 0U;
    for(;;)
    {
        if(l_0 < 8U)
        {
        }
        else
        {
            break;
        }
        *v_3 = *v_3 + (*kernelContext_1->partial_0)[_S57 * 64U + t_0 / 8U * 8U + l_0];
        l_0 = l_0 + 1U;
    }
    *row_1 = first_1 + _S57;
    *column_0 = _S55 + t_0 / 8U;
    if(_S57 < _S53)
    {
        _S52 = (*column_0) < C_N_0;
    }
    else
    {
        _S52 = false;
    }
    *mine_0 = _S52;
    return;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_1 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_2;
    (&kernelContext_2)->args_0 = args_1;
    threadgroup array<float, int(512)> partial_1;
    (&kernelContext_2)->partial_0 = &partial_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S88 = stopped_0(&kernelContext_2);
    if(_S88)
    {
        return;
    }
    thread float v_4;
    thread uint row_2;
    thread uint column_1;
    thread bool mine_1;
    product_8(group_1, sv_groupindex_0, &v_4, &row_2, &column_1, &mine_1, &kernelContext_2);
    if(mine_1)
    {
        *((float device*)((ulong)((&kernelContext_2)->args_0->out_0)) + (ulong(row_2) * ulong(C_OUT_STRIDE_0) + ulong(C_OUT_COL_0) + ulong(column_1))) = v_4;
    }
    return;
}
