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
constant uint fc_C_DTYPE_0 [[function_constant(0)]];
constant uint C_DTYPE_0 = is_function_constant_defined(fc_C_DTYPE_0) ? fc_C_DTYPE_0 : 1U;
constant uint fc_C_OUT_COL_0 [[function_constant(6)]];
constant uint C_OUT_COL_0 = is_function_constant_defined(fc_C_OUT_COL_0) ? fc_C_OUT_COL_0 : 1U;
constant uint fc_C_OUT_STRIDE_0 [[function_constant(5)]];
constant uint C_OUT_STRIDE_0 = is_function_constant_defined(fc_C_OUT_STRIDE_0) ? fc_C_OUT_STRIDE_0 : 1U;
constant uint fc_C_MAX_ROWS_0 [[function_constant(8)]];
constant uint C_MAX_ROWS_0 = is_function_constant_defined(fc_C_MAX_ROWS_0) ? fc_C_MAX_ROWS_0 : 1U;
constant uint fc_C_K_0 [[function_constant(3)]];
constant uint C_K_0 = is_function_constant_defined(fc_C_K_0) ? fc_C_K_0 : 1U;
constant uint fc_C_N_0 [[function_constant(4)]];
constant uint C_N_0 = is_function_constant_defined(fc_C_N_0) ? fc_C_N_0 : 1U;
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
    array<float, int(2304)> threadgroup* partial_0;
    array<float, int(256)> threadgroup* eighths_0;
};
bool stopped_0(KernelContext_0 thread* kernelContext_0)
{
    return (kernelContext_0->args_0->step_0->stop_0) != 0U;
}
uint product_tiles_0()
{
    return (C_N_0 + 4U - 1U) / 4U;
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
bool is_float_0()
{
    bool _S2;
    if(C_DTYPE_0 == 0U)
    {
        _S2 = true;
    }
    else
    {
        _S2 = C_DTYPE_0 == 1U;
    }
    if(_S2)
    {
        _S2 = true;
    }
    else
    {
        _S2 = C_DTYPE_0 == 30U;
    }
    return _S2;
}
uint low_bits_0()
{
    int _S3;
    if(C_DTYPE_0 == 8U)
    {
        _S3 = int(8);
    }
    else
    {
        bool _S4;
        if(C_DTYPE_0 == 10U)
        {
            _S4 = true;
        }
        else
        {
            _S4 = C_DTYPE_0 == 11U;
        }
        if(_S4)
        {
            _S3 = int(2);
        }
        else
        {
            _S3 = int(4);
        }
    }
    return uint(_S3);
}
uint high_bits_0()
{
    int _S5;
    if(C_DTYPE_0 == 14U)
    {
        _S5 = int(2);
    }
    else
    {
        bool _S6;
        if(C_DTYPE_0 == 6U)
        {
            _S6 = true;
        }
        else
        {
            _S6 = C_DTYPE_0 == 7U;
        }
        if(_S6)
        {
            _S6 = true;
        }
        else
        {
            _S6 = C_DTYPE_0 == 13U;
        }
        if(_S6)
        {
            _S6 = true;
        }
        else
        {
            _S6 = C_DTYPE_0 == 11U;
        }
        if(_S6)
        {
            _S5 = int(1);
        }
        else
        {
            _S5 = int(0);
        }
    }
    return uint(_S5);
}
struct Planes_0
{
    ulong low_0;
    ulong high_0;
    ulong scales_0;
    ulong super_0;
};
Planes_0 row_planes_0(uint row_0)
{
    ulong at_0 = ulong(row_0) * ulong(C_K_0);
    thread Planes_0 p_0;
    if(is_float_0())
    {
        int _S7;
        if(C_DTYPE_0 == 0U)
        {
            _S7 = int(4);
        }
        else
        {
            _S7 = int(2);
        }
        ulong _S8 = at_0 * ulong(_S7);
        (&p_0)->low_0 = _S8;
        (&p_0)->super_0 = _S8;
        (&p_0)->scales_0 = _S8;
        (&p_0)->high_0 = _S8;
        return p_0;
    }
    ulong _S9 = ulong(low_bits_0());
    ulong above_0 = ulong(C_N_0) * ulong(C_K_0) / 8UL * _S9;
    ulong _S10 = ulong(high_bits_0());
    ulong rest_0 = above_0 + ulong(C_N_0) * ulong(C_K_0) / 8UL * _S10;
    (&p_0)->low_0 = at_0 / 8UL * _S9;
    (&p_0)->high_0 = above_0 + at_0 / 8UL * _S10;
    (&p_0)->super_0 = rest_0;
    (&p_0)->scales_0 = rest_0;
    bool _S11;
    if(C_DTYPE_0 == 2U)
    {
        _S11 = true;
    }
    else
    {
        _S11 = C_DTYPE_0 == 6U;
    }
    if(_S11)
    {
        _S11 = true;
    }
    else
    {
        _S11 = C_DTYPE_0 == 8U;
    }
    if(_S11)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 16UL;
    }
    if(C_DTYPE_0 == 3U)
    {
        _S11 = true;
    }
    else
    {
        _S11 = C_DTYPE_0 == 7U;
    }
    if(_S11)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 8UL;
    }
    if(C_DTYPE_0 == 12U)
    {
        _S11 = true;
    }
    else
    {
        _S11 = C_DTYPE_0 == 13U;
    }
    if(_S11)
    {
        (&p_0)->super_0 = rest_0 + at_0 / 16UL;
    }
    if(C_DTYPE_0 == 10U)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 16UL;
        (&p_0)->super_0 = rest_0 + ulong(C_N_0) * ulong(C_K_0) / 16UL + at_0 / 64UL;
    }
    if(C_DTYPE_0 == 11U)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 256UL * 12UL;
        (&p_0)->super_0 = rest_0 + ulong(C_N_0) * ulong(C_K_0) / 256UL * 12UL + at_0 / 128UL;
    }
    if(C_DTYPE_0 == 14U)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 16UL;
        (&p_0)->super_0 = rest_0 + ulong(C_N_0) * ulong(C_K_0) / 16UL + at_0 / 128UL;
    }
    return p_0;
}
uint own_0()
{
    uint _S12;
    if(C_MAX_ROWS_0 == 1U)
    {
        _S12 = 1U;
    }
    else
    {
        _S12 = 8U;
    }
    return _S12;
}
bool has_minimum_0()
{
    bool _S13;
    if(C_DTYPE_0 == 3U)
    {
        _S13 = true;
    }
    else
    {
        _S13 = C_DTYPE_0 == 7U;
    }
    if(_S13)
    {
        _S13 = true;
    }
    else
    {
        _S13 = C_DTYPE_0 == 12U;
    }
    if(_S13)
    {
        _S13 = true;
    }
    else
    {
        _S13 = C_DTYPE_0 == 13U;
    }
    if(_S13)
    {
        _S13 = true;
    }
    else
    {
        _S13 = C_DTYPE_0 == 10U;
    }
    return _S13;
}
float f16_to_f32_0(uint half_0)
{
    return (as_type<half>((ushort)((half_0 & 65535U))));
}
float bf16_to_f32_0(uint half_1)
{
    return (as_type<float>((half_1 << 16U)));
}
void octet_floats_0(uchar device* w_1, const Planes_0 thread* p_1, uint o_0, array<float, int(8)> thread* v_0)
{
    if(C_DTYPE_0 == 0U)
    {
        float device* _S14 = (float device*)((ulong)(w_1 + p_1->low_0));
        uint _S15 = o_0 * 8U;
        (*v_0)[0U] = *(_S14 + _S15);
        (*v_0)[1U] = *(_S14 + (_S15 + 1U));
        (*v_0)[2U] = *(_S14 + (_S15 + 2U));
        (*v_0)[3U] = *(_S14 + (_S15 + 3U));
        (*v_0)[4U] = *(_S14 + (_S15 + 4U));
        (*v_0)[5U] = *(_S14 + (_S15 + 5U));
        (*v_0)[6U] = *(_S14 + (_S15 + 6U));
        (*v_0)[7U] = *(_S14 + (_S15 + 7U));
        return;
    }
    uint device* _S16 = (uint device*)((ulong)(w_1 + p_1->low_0)) + o_0 * 4U;
    uint device* _S17 = _S16 + 0U;
    uint half_2 = ((*_S17) >> 0U) & 65535U;
    float _S18;
    if(C_DTYPE_0 == 1U)
    {
        _S18 = f16_to_f32_0(half_2);
    }
    else
    {
        _S18 = bf16_to_f32_0(half_2);
    }
    (*v_0)[0U] = _S18;
    uint half_3 = ((*_S17) >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S18 = f16_to_f32_0(half_3);
    }
    else
    {
        _S18 = bf16_to_f32_0(half_3);
    }
    (*v_0)[1U] = _S18;
    uint device* _S19 = _S16 + 1U;
    uint half_4 = ((*_S19) >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S18 = f16_to_f32_0(half_4);
    }
    else
    {
        _S18 = bf16_to_f32_0(half_4);
    }
    (*v_0)[2U] = _S18;
    uint half_5 = ((*_S19) >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S18 = f16_to_f32_0(half_5);
    }
    else
    {
        _S18 = bf16_to_f32_0(half_5);
    }
    (*v_0)[3U] = _S18;
    uint device* _S20 = _S16 + 2U;
    uint half_6 = ((*_S20) >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S18 = f16_to_f32_0(half_6);
    }
    else
    {
        _S18 = bf16_to_f32_0(half_6);
    }
    (*v_0)[4U] = _S18;
    uint half_7 = ((*_S20) >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S18 = f16_to_f32_0(half_7);
    }
    else
    {
        _S18 = bf16_to_f32_0(half_7);
    }
    (*v_0)[5U] = _S18;
    uint device* _S21 = _S16 + 3U;
    uint half_8 = ((*_S21) >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S18 = f16_to_f32_0(half_8);
    }
    else
    {
        _S18 = bf16_to_f32_0(half_8);
    }
    (*v_0)[6U] = _S18;
    uint half_9 = ((*_S21) >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S18 = f16_to_f32_0(half_9);
    }
    else
    {
        _S18 = bf16_to_f32_0(half_9);
    }
    (*v_0)[7U] = _S18;
    return;
}
bool striped_0()
{
    bool _S22;
    if(C_DTYPE_0 == 12U)
    {
        _S22 = true;
    }
    else
    {
        _S22 = C_DTYPE_0 == 13U;
    }
    if(_S22)
    {
        _S22 = true;
    }
    else
    {
        _S22 = C_DTYPE_0 == 14U;
    }
    return _S22;
}
uint word_at_0(uchar device* p_2)
{
    return *(uint device*)((ulong)(p_2));
}
uint zero_0()
{
    int _S23;
    if(C_DTYPE_0 == 2U)
    {
        _S23 = int(8);
    }
    else
    {
        if(C_DTYPE_0 == 6U)
        {
            _S23 = int(16);
        }
        else
        {
            if(C_DTYPE_0 == 8U)
            {
                _S23 = int(128);
            }
            else
            {
                if(C_DTYPE_0 == 11U)
                {
                    _S23 = int(4);
                }
                else
                {
                    if(C_DTYPE_0 == 14U)
                    {
                        _S23 = int(32);
                    }
                    else
                    {
                        _S23 = int(0);
                    }
                }
            }
        }
    }
    return uint(_S23);
}
void octet_codes_0(uchar device* w_2, const Planes_0 thread* p_3, uint o_1, array<float, int(8)> thread* q_0)
{
    uint b_0 = o_1 / 4U;
    uint j_0 = o_1 % 4U;
    thread array<uint, int(8)> v_1;
    uint _S24 = low_bits_0();
    if(_S24 == 8U)
    {
        uint2 _S25 = (uint2(*(packed_uint2 device*)((ulong)(w_2 + p_3->low_0 + o_1 * 8U))) ) ^ (uint2(2155905152U) );
        uint _S26 = _S25.x;
        v_1[0U] = (_S26 >> 0U) & 255U;
        v_1[1U] = (_S26 >> 8U) & 255U;
        v_1[2U] = (_S26 >> 16U) & 255U;
        v_1[3U] = (_S26 >> 24U) & 255U;
        uint _S27 = _S25.y;
        v_1[4U] = (_S27 >> 0U) & 255U;
        v_1[5U] = (_S27 >> 8U) & 255U;
        v_1[6U] = (_S27 >> 16U) & 255U;
        v_1[7U] = (_S27 >> 24U) & 255U;
    }
    else
    {
        if(_S24 == 4U)
        {
            uint c_0 = b_0 % 8U;
            uint at_1;
            if(striped_0())
            {
                at_1 = b_0 / 8U * 128U + (c_0 % 2U * 4U + c_0 / 2U) * 16U;
            }
            else
            {
                at_1 = b_0 * 16U;
            }
            uint2 _S28 = (uint2(*(packed_uint2 device*)((ulong)(w_2 + p_3->low_0 + at_1 + j_0 % 2U * 8U))) ) >> (uint2((j_0 / 2U * 4U)) );
            uint _S29 = _S28.x;
            v_1[0U] = (_S29 >> 0U) & 15U;
            v_1[1U] = (_S29 >> 8U) & 15U;
            v_1[2U] = (_S29 >> 16U) & 15U;
            v_1[3U] = (_S29 >> 24U) & 15U;
            uint _S30 = _S28.y;
            v_1[4U] = (_S30 >> 0U) & 15U;
            v_1[5U] = (_S30 >> 8U) & 15U;
            v_1[6U] = (_S30 >> 16U) & 15U;
            v_1[7U] = (_S30 >> 24U) & 15U;
        }
        else
        {
            uint _S31 = word_at_0(w_2 + p_3->low_0 + b_0 * 8U + j_0 / 2U * 4U);
            uint _S32 = _S31 >> (j_0 % 2U * 4U);
            v_1[0U] = (_S32 >> 0U) & 3U;
            v_1[1U] = (_S32 >> 8U) & 3U;
            v_1[2U] = (_S32 >> 16U) & 3U;
            v_1[3U] = (_S32 >> 24U) & 3U;
            v_1[4U] = (_S32 >> 2U) & 3U;
            v_1[5U] = (_S32 >> 10U) & 3U;
            v_1[6U] = (_S32 >> 18U) & 3U;
            v_1[7U] = (_S32 >> 26U) & 3U;
        }
    }
    uint _S33 = high_bits_0();
    if(_S33 == 2U)
    {
        uint _S34 = word_at_0(w_2 + p_3->high_0 + b_0 * 8U + j_0 / 2U * 4U);
        uint _S35 = _S34 >> (j_0 % 2U * 4U);
        v_1[0U] = (v_1[0U]) | (((_S35 >> 0U) & 3U) << _S24);
        v_1[1U] = (v_1[1U]) | (((_S35 >> 8U) & 3U) << _S24);
        v_1[2U] = (v_1[2U]) | (((_S35 >> 16U) & 3U) << _S24);
        v_1[3U] = (v_1[3U]) | (((_S35 >> 24U) & 3U) << _S24);
        v_1[4U] = (v_1[4U]) | (((_S35 >> 2U) & 3U) << _S24);
        v_1[5U] = (v_1[5U]) | (((_S35 >> 10U) & 3U) << _S24);
        v_1[6U] = (v_1[6U]) | (((_S35 >> 18U) & 3U) << _S24);
        v_1[7U] = (v_1[7U]) | (((_S35 >> 26U) & 3U) << _S24);
    }
    if(_S33 == 1U)
    {
        uint _S36 = word_at_0(w_2 + p_3->high_0 + b_0 * 4U);
        uint _S37 = _S36 >> (j_0 * 2U);
        v_1[0U] = (v_1[0U]) | (((_S37 >> 0U) & 1U) << _S24);
        v_1[1U] = (v_1[1U]) | (((_S37 >> 8U) & 1U) << _S24);
        v_1[2U] = (v_1[2U]) | (((_S37 >> 16U) & 1U) << _S24);
        v_1[3U] = (v_1[3U]) | (((_S37 >> 24U) & 1U) << _S24);
        v_1[4U] = (v_1[4U]) | (((_S37 >> 1U) & 1U) << _S24);
        v_1[5U] = (v_1[5U]) | (((_S37 >> 9U) & 1U) << _S24);
        v_1[6U] = (v_1[6U]) | (((_S37 >> 17U) & 1U) << _S24);
        v_1[7U] = (v_1[7U]) | (((_S37 >> 25U) & 1U) << _S24);
    }
    float _S38 = float(8388608U + zero_0());
    (*q_0)[0U] = (as_type<float>((1258291200U | v_1[0U]))) - _S38;
    (*q_0)[1U] = (as_type<float>((1258291200U | v_1[1U]))) - _S38;
    (*q_0)[2U] = (as_type<float>((1258291200U | v_1[2U]))) - _S38;
    (*q_0)[3U] = (as_type<float>((1258291200U | v_1[3U]))) - _S38;
    (*q_0)[4U] = (as_type<float>((1258291200U | v_1[4U]))) - _S38;
    (*q_0)[5U] = (as_type<float>((1258291200U | v_1[5U]))) - _S38;
    (*q_0)[6U] = (as_type<float>((1258291200U | v_1[6U]))) - _S38;
    (*q_0)[7U] = (as_type<float>((1258291200U | v_1[7U]))) - _S38;
    return;
}
uint six_bits_0(uchar device* p_4, uint g_0)
{
    uint from_0 = 6U * g_0;
    return ((uint(*(p_4 + from_0 / 8U)) | (uint(*(p_4 + (from_0 + 5U) / 8U)) << 8U)) >> (from_0 % 8U)) & 63U;
}
uint half_at_0(uchar device* p_5)
{
    return uint(*(ushort device*)((ulong)(p_5)));
}
float scale_at_0(uchar device* p_6)
{
    uint _S39 = half_at_0(p_6);
    return f16_to_f32_0(_S39);
}
int signed_byte_0(uchar b_1)
{
    return int(uint(b_1) << 24U) >> 24U;
}
float2 octet_scale_0(uchar device* w_3, const Planes_0 thread* p_7, uint o_2)
{
    uint b_2 = o_2 / 4U;
    uint c_1 = b_2 % 8U;
    uint super_1 = o_2 / 32U;
    bool _S40;
    if(C_DTYPE_0 == 3U)
    {
        _S40 = true;
    }
    else
    {
        _S40 = C_DTYPE_0 == 7U;
    }
    if(_S40)
    {
        uint dm_0 = word_at_0(w_3 + p_7->scales_0 + b_2 * 4U);
        return float2(f16_to_f32_0(dm_0), f16_to_f32_0(dm_0 >> 16U));
    }
    if(C_DTYPE_0 == 12U)
    {
        _S40 = true;
    }
    else
    {
        _S40 = C_DTYPE_0 == 13U;
    }
    if(_S40)
    {
        uchar device* head_0 = w_3 + p_7->super_0 + super_1 * 16U;
        uint dm_1 = word_at_0(head_0);
        uchar device* pair_0 = head_0 + int(4) + c_1 * 3U / 2U;
        uint two_0 = (uint(*(pair_0 + int(0))) | (uint(*(pair_0 + int(1))) << 8U)) >> (c_1 % 2U * 4U);
        return float2(f16_to_f32_0(dm_1) * float(two_0 & 63U), - (f16_to_f32_0(dm_1 >> 16U) * float((two_0 >> 6U) & 63U)));
    }
    if(C_DTYPE_0 == 10U)
    {
        uint s_0 = uint(*(w_3 + (p_7->scales_0 + ulong(o_2 / 2U))));
        uint dm_2 = word_at_0(w_3 + p_7->super_0 + super_1 * 4U);
        return float2(f16_to_f32_0(dm_2) * float(s_0 & 15U), - (f16_to_f32_0(dm_2 >> 16U) * float(s_0 >> 4U)));
    }
    if(C_DTYPE_0 == 11U)
    {
        uint _S41 = six_bits_0(w_3 + p_7->scales_0 + super_1 * 12U, o_2 / 2U % 16U);
        int s_1 = int(_S41) - int(32);
        float _S42 = scale_at_0(w_3 + p_7->super_0 + super_1 * 2U);
        return float2(_S42 * float(s_1), 0.0);
    }
    if(C_DTYPE_0 == 14U)
    {
        float _S43 = scale_at_0(w_3 + p_7->super_0 + super_1 * 2U);
        return float2(_S43 * float(signed_byte_0(*(w_3 + (p_7->scales_0 + ulong(o_2 / 2U))))), 0.0);
    }
    float _S44 = scale_at_0(w_3 + p_7->scales_0 + b_2 * 2U);
    return float2(_S44, 0.0);
}
struct Product_0
{
    float v_2;
    uint row_1;
    uint column_0;
    bool mine_0;
};
Product_0 product_0(uint tile_0, uint side_0, uint t_0, KernelContext_0 thread* kernelContext_1)
{
    uint r_0;
    uint r_1;
    uint r_2;
    bool _S45;
    float sum_0;
    uint _S46;
    float2 _S47;
    bool _S48;
    float sum_1;
    uint _S49;
    uint _S50;
    uint rows_1;
    if(C_SELECT_0 != 0U)
    {
        rows_1 = kernelContext_1->args_0->step_0->head_rows_0;
    }
    else
    {
        rows_1 = kernelContext_1->args_0->step_0->rows_0;
    }
    uint first_0 = side_0 * 8U;
    uint _S51 = min(8U, rows_1 - min(rows_1, first_0));
    ulong stride_0 = act_row_bytes_0(0U, C_K_0) / 16UL;
    packed_float4 device* _S52 = (packed_float4 device*)((ulong)(kernelContext_1->args_0->x_0)) + ulong(first_0) * stride_0;
    uint _S53 = tile_0 * 4U;
    Planes_0 _S54 = row_planes_0(min(_S53, C_N_0 - 1U));
    Planes_0 _S55 = row_planes_0(min(_S53 + 1U, C_N_0 - 1U));
    Planes_0 _S56 = row_planes_0(min(_S53 + 2U, C_N_0 - 1U));
    Planes_0 _S57 = row_planes_0(min(_S53 + 3U, C_N_0 - 1U));
    thread array<float, int(32)> acc_0;
    acc_0[0U] = 0.0;
    acc_0[1U] = 0.0;
    acc_0[2U] = 0.0;
    acc_0[3U] = 0.0;
    acc_0[4U] = 0.0;
    acc_0[5U] = 0.0;
    acc_0[6U] = 0.0;
    acc_0[7U] = 0.0;
    acc_0[8U] = 0.0;
    acc_0[9U] = 0.0;
    acc_0[10U] = 0.0;
    acc_0[11U] = 0.0;
    acc_0[12U] = 0.0;
    acc_0[13U] = 0.0;
    acc_0[14U] = 0.0;
    acc_0[15U] = 0.0;
    acc_0[16U] = 0.0;
    acc_0[17U] = 0.0;
    acc_0[18U] = 0.0;
    acc_0[19U] = 0.0;
    acc_0[20U] = 0.0;
    acc_0[21U] = 0.0;
    acc_0[22U] = 0.0;
    acc_0[23U] = 0.0;
    acc_0[24U] = 0.0;
    acc_0[25U] = 0.0;
    acc_0[26U] = 0.0;
    acc_0[27U] = 0.0;
    acc_0[28U] = 0.0;
    acc_0[29U] = 0.0;
    acc_0[30U] = 0.0;
    acc_0[31U] = 0.0;
    uint o_3 = t_0;
    for(;;)
    {
        if(o_3 < (C_K_0 / 8U))
        {
        }
        else
        {
            break;
        }
        thread array<float, int(64)> x_1;
        thread array<float, int(8)> whole_0;
        r_0 = 0U;
        for(;;)
        {
            uint _S58 = own_0();
            _S46 = _S58;
            if(r_0 < _S58)
            {
            }
            else
            {
                break;
            }
            if(_S58 != 1U)
            {
                _S45 = r_0 >= _S51;
            }
            else
            {
                _S45 = false;
            }
            if(_S45)
            {
                r_0 = r_0 + 1U;
                continue;
            }
            packed_float4 device* _S59 = _S52 + ulong(r_0) * stride_0 + o_3 * 2U;
            float4 _S60 = float4(*(_S59 + int(0))) ;
            float4 _S61 = float4(*(_S59 + int(1))) ;
            uint to_0 = r_0 * 8U;
            float _S62 = _S60.x;
            x_1[to_0] = _S62;
            float _S63 = _S60.y;
            x_1[to_0 + 1U] = _S63;
            float _S64 = _S60.z;
            x_1[to_0 + 2U] = _S64;
            float _S65 = _S60.w;
            x_1[to_0 + 3U] = _S65;
            float _S66 = _S61.x;
            x_1[to_0 + 4U] = _S66;
            float _S67 = _S61.y;
            x_1[to_0 + 5U] = _S67;
            float _S68 = _S61.z;
            x_1[to_0 + 6U] = _S68;
            float _S69 = _S61.w;
            x_1[to_0 + 7U] = _S69;
            if(has_minimum_0())
            {
                whole_0[r_0] = _S62 + _S63 + (_S64 + _S65) + (_S66 + _S67 + (_S68 + _S69));
            }
            r_0 = r_0 + 1U;
        }
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    thread array<float, int(8)> q_1;
                    float2 _S70 = float2(1.0, 0.0);
                    _S47 = _S70;
                    bool _S71 = is_float_0();
                    _S48 = _S71;
                    float2 scale_0;
                    if(_S71)
                    {
                        uchar device* _S72 = kernelContext_1->args_0->w_0;
                        thread Planes_0 _S73 = _S54;
                        octet_floats_0(_S72, &_S73, o_3, &q_1);
                        scale_0 = _S70;
                    }
                    else
                    {
                        uchar device* _S74 = kernelContext_1->args_0->w_0;
                        thread Planes_0 _S75 = _S54;
                        octet_codes_0(_S74, &_S75, o_3, &q_1);
                        uchar device* _S76 = kernelContext_1->args_0->w_0;
                        thread Planes_0 _S77 = _S54;
                        float2 _S78 = octet_scale_0(_S76, &_S77, o_3);
                        scale_0 = _S78;
                    }
                    r_1 = 0U;
                    for(;;)
                    {
                        if(r_1 < _S46)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S46 != 1U)
                        {
                            _S45 = r_1 >= _S51;
                        }
                        else
                        {
                            _S45 = false;
                        }
                        if(_S45)
                        {
                            r_1 = r_1 + 1U;
                            continue;
                        }
                        uint _S79 = r_1 * 8U;
                        float _S80 = q_1[int(0)] * x_1[_S79];
                        float sum_2 = acc_0[r_1];
                        float s_2 = fma(q_1[7U], x_1[_S79 + 7U], fma(q_1[6U], x_1[_S79 + 6U], fma(q_1[5U], x_1[_S79 + 5U], fma(q_1[4U], x_1[_S79 + 4U], fma(q_1[3U], x_1[_S79 + 3U], fma(q_1[2U], x_1[_S79 + 2U], fma(q_1[1U], x_1[_S79 + 1U], _S80)))))));
                        if(_S71)
                        {
                            sum_0 = sum_2 + s_2;
                        }
                        else
                        {
                            sum_0 = fma(scale_0.x, s_2, sum_2);
                        }
                        if(has_minimum_0())
                        {
                            sum_1 = fma(scale_0.y, whole_0[r_1], sum_0);
                        }
                        else
                        {
                            sum_1 = sum_0;
                        }
                        acc_0[r_1] = sum_1;
                        r_1 = r_1 + 1U;
                    }
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    thread array<float, int(8)> q_2;
                    float2 scale_1;
                    if(_S48)
                    {
                        uchar device* _S81 = kernelContext_1->args_0->w_0;
                        thread Planes_0 _S82 = _S55;
                        octet_floats_0(_S81, &_S82, o_3, &q_2);
                        scale_1 = _S47;
                    }
                    else
                    {
                        uchar device* _S83 = kernelContext_1->args_0->w_0;
                        thread Planes_0 _S84 = _S55;
                        octet_codes_0(_S83, &_S84, o_3, &q_2);
                        uchar device* _S85 = kernelContext_1->args_0->w_0;
                        thread Planes_0 _S86 = _S55;
                        float2 _S87 = octet_scale_0(_S85, &_S86, o_3);
                        scale_1 = _S87;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S46)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S46 != 1U)
                        {
                            _S45 = r_2 >= _S51;
                        }
                        else
                        {
                            _S45 = false;
                        }
                        if(_S45)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S88 = r_2 * 8U;
                        float _S89 = q_2[int(0)] * x_1[_S88];
                        float sum_3 = acc_0[8U + r_2];
                        float s_3 = fma(q_2[7U], x_1[_S88 + 7U], fma(q_2[6U], x_1[_S88 + 6U], fma(q_2[5U], x_1[_S88 + 5U], fma(q_2[4U], x_1[_S88 + 4U], fma(q_2[3U], x_1[_S88 + 3U], fma(q_2[2U], x_1[_S88 + 2U], fma(q_2[1U], x_1[_S88 + 1U], _S89)))))));
                        if(_S48)
                        {
                            sum_0 = sum_3 + s_3;
                        }
                        else
                        {
                            sum_0 = fma(scale_1.x, s_3, sum_3);
                        }
                        if(has_minimum_0())
                        {
                            sum_1 = fma(scale_1.y, whole_0[r_2], sum_0);
                        }
                        else
                        {
                            sum_1 = sum_0;
                        }
                        acc_0[8U + r_2] = sum_1;
                        r_2 = r_2 + 1U;
                    }
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    thread array<float, int(8)> q_3;
                    float2 scale_2;
                    if(_S48)
                    {
                        uchar device* _S90 = kernelContext_1->args_0->w_0;
                        thread Planes_0 _S91 = _S56;
                        octet_floats_0(_S90, &_S91, o_3, &q_3);
                        scale_2 = _S47;
                    }
                    else
                    {
                        uchar device* _S92 = kernelContext_1->args_0->w_0;
                        thread Planes_0 _S93 = _S56;
                        octet_codes_0(_S92, &_S93, o_3, &q_3);
                        uchar device* _S94 = kernelContext_1->args_0->w_0;
                        thread Planes_0 _S95 = _S56;
                        float2 _S96 = octet_scale_0(_S94, &_S95, o_3);
                        scale_2 = _S96;
                    }
                    uint r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S46)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S46 != 1U)
                        {
                            _S45 = r_3 >= _S51;
                        }
                        else
                        {
                            _S45 = false;
                        }
                        if(_S45)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S97 = r_3 * 8U;
                        float _S98 = q_3[int(0)] * x_1[_S97];
                        float sum_4 = acc_0[16U + r_3];
                        float s_4 = fma(q_3[7U], x_1[_S97 + 7U], fma(q_3[6U], x_1[_S97 + 6U], fma(q_3[5U], x_1[_S97 + 5U], fma(q_3[4U], x_1[_S97 + 4U], fma(q_3[3U], x_1[_S97 + 3U], fma(q_3[2U], x_1[_S97 + 2U], fma(q_3[1U], x_1[_S97 + 1U], _S98)))))));
                        if(_S48)
                        {
                            sum_0 = sum_4 + s_4;
                        }
                        else
                        {
                            sum_0 = fma(scale_2.x, s_4, sum_4);
                        }
                        if(has_minimum_0())
                        {
                            sum_1 = fma(scale_2.y, whole_0[r_3], sum_0);
                        }
                        else
                        {
                            sum_1 = sum_0;
                        }
                        acc_0[16U + r_3] = sum_1;
                        r_3 = r_3 + 1U;
                    }
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    thread array<float, int(8)> q_4;
                    float2 scale_3;
                    if(_S48)
                    {
                        uchar device* _S99 = kernelContext_1->args_0->w_0;
                        thread Planes_0 _S100 = _S57;
                        octet_floats_0(_S99, &_S100, o_3, &q_4);
                        scale_3 = _S47;
                    }
                    else
                    {
                        uchar device* _S101 = kernelContext_1->args_0->w_0;
                        thread Planes_0 _S102 = _S57;
                        octet_codes_0(_S101, &_S102, o_3, &q_4);
                        uchar device* _S103 = kernelContext_1->args_0->w_0;
                        thread Planes_0 _S104 = _S57;
                        float2 _S105 = octet_scale_0(_S103, &_S104, o_3);
                        scale_3 = _S105;
                    }
                    uint r_4 = 0U;
                    for(;;)
                    {
                        if(r_4 < _S46)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S46 != 1U)
                        {
                            _S45 = r_4 >= _S51;
                        }
                        else
                        {
                            _S45 = false;
                        }
                        if(_S45)
                        {
                            r_4 = r_4 + 1U;
                            continue;
                        }
                        uint _S106 = r_4 * 8U;
                        float _S107 = q_4[int(0)] * x_1[_S106];
                        float sum_5 = acc_0[24U + r_4];
                        float s_5 = fma(q_4[7U], x_1[_S106 + 7U], fma(q_4[6U], x_1[_S106 + 6U], fma(q_4[5U], x_1[_S106 + 5U], fma(q_4[4U], x_1[_S106 + 4U], fma(q_4[3U], x_1[_S106 + 3U], fma(q_4[2U], x_1[_S106 + 2U], fma(q_4[1U], x_1[_S106 + 1U], _S107)))))));
                        if(_S48)
                        {
                            sum_0 = sum_5 + s_5;
                        }
                        else
                        {
                            sum_0 = fma(scale_3.x, s_5, sum_5);
                        }
                        if(has_minimum_0())
                        {
                            sum_1 = fma(scale_3.y, whole_0[r_4], sum_0);
                        }
                        else
                        {
                            sum_1 = sum_0;
                        }
                        acc_0[24U + r_4] = sum_1;
                        r_4 = r_4 + 1U;
                    }
                    break;
                }
                break;
            }
            break;
        }
        o_3 = o_3 + 64U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for(;;)
    {
        for(;;)
        {
            for(;;)
            {
                r_0 = 0U;
                for(;;)
                {
                    uint _S108 = own_0();
                    _S49 = _S108;
                    if(r_0 < _S108)
                    {
                    }
                    else
                    {
                        break;
                    }
                    (*kernelContext_1->partial_0)[r_0 * 72U + t_0] = acc_0[r_0];
                    r_0 = r_0 + 1U;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                r_0 = 0U;
                for(;;)
                {
                    if(r_0 < _S49)
                    {
                    }
                    else
                    {
                        break;
                    }
                    (*kernelContext_1->partial_0)[(_S49 + r_0) * 72U + t_0] = acc_0[8U + r_0];
                    r_0 = r_0 + 1U;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                r_0 = 0U;
                for(;;)
                {
                    if(r_0 < _S49)
                    {
                    }
                    else
                    {
                        break;
                    }
                    (*kernelContext_1->partial_0)[(2U * _S49 + r_0) * 72U + t_0] = acc_0[16U + r_0];
                    r_0 = r_0 + 1U;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                r_0 = 0U;
                for(;;)
                {
                    if(r_0 < _S49)
                    {
                    }
                    else
                    {
                        break;
                    }
                    (*kernelContext_1->partial_0)[(3U * _S49 + r_0) * 72U + t_0] = acc_0[24U + r_0];
                    r_0 = r_0 + 1U;
                }
                break;
            }
            break;
        }
        break;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    r_1 = t_0 / 8U;
    for(;;)
    {
        uint _S109 = 4U * _S49;
        _S50 = _S109;
        if(r_1 < _S109)
        {
        }
        else
        {
            break;
        }
        uint _S110 = r_1 * 72U;
        uint _S111 = t_0 % 8U;
        float _S112 = (*kernelContext_1->partial_0)[_S110 + _S111];
        r_2 = 1U;
        sum_0 = _S112;
        for(;;)
        {
            if(r_2 < 8U)
            {
            }
            else
            {
                break;
            }
            float _S113 = sum_0 + (*kernelContext_1->partial_0)[_S110 + r_2 * 8U + _S111];
            r_2 = r_2 + 1U;
            sum_0 = _S113;
        }
        (*kernelContext_1->eighths_0)[r_1 * 8U + _S111] = sum_0;
        r_1 = r_1 + 8U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    thread Product_0 p_8;
    (&p_8)->v_2 = 0.0;
    uint _S114 = t_0 % _S49;
    (&p_8)->row_1 = first_0 + _S114;
    uint _S115 = t_0 / _S49;
    (&p_8)->column_0 = _S53 + _S115;
    if(t_0 < _S50)
    {
        _S45 = _S114 < _S51;
    }
    else
    {
        _S45 = false;
    }
    if(_S45)
    {
        _S45 = ((&p_8)->column_0) < C_N_0;
    }
    else
    {
        _S45 = false;
    }
    (&p_8)->mine_0 = _S45;
    if(_S45)
    {
        r_2 = 0U;
        for(;;)
        {
            if(r_2 < 8U)
            {
            }
            else
            {
                break;
            }
            (&p_8)->v_2 = (&p_8)->v_2 + (*kernelContext_1->eighths_0)[t_0 * 8U + r_2];
            r_2 = r_2 + 1U;
        }
    }
    return p_8;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_2;
    (&kernelContext_2)->args_0 = args_1;
    threadgroup array<float, int(2304)> partial_1;
    (&kernelContext_2)->partial_0 = &partial_1;
    threadgroup array<float, int(256)> eighths_1;
    (&kernelContext_2)->eighths_0 = &eighths_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S116 = stopped_0(&kernelContext_2);
    if(_S116)
    {
        return;
    }
    uint tile_1 = group_0.x;
    for(;;)
    {
        uint _S117 = product_tiles_0();
        if(tile_1 < _S117)
        {
        }
        else
        {
            break;
        }
        Product_0 _S118 = product_0(tile_1, group_0.y, sv_groupindex_0, &kernelContext_2);
        if(_S118.mine_0)
        {
            *((float device*)((ulong)((&kernelContext_2)->args_0->out_0)) + (ulong(_S118.row_1) * ulong(C_OUT_STRIDE_0) + ulong(C_OUT_COL_0) + ulong(_S118.column_0))) = _S118.v_2;
        }
        tile_1 = tile_1 + min(_S117, 65535U);
    }
    return;
}
