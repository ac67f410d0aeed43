// Made by tools/vulkan-kernels.sh of matmul_add.slang and what stands before it.
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
constant uint fc_C_ACT_0 [[function_constant(2)]];
constant uint C_ACT_0 = is_function_constant_defined(fc_C_ACT_0) ? fc_C_ACT_0 : 1U;
constant uint fc_C_OUT_COL_0 [[function_constant(6)]];
constant uint C_OUT_COL_0 = is_function_constant_defined(fc_C_OUT_COL_0) ? fc_C_OUT_COL_0 : 1U;
constant uint fc_C_OUT_STRIDE_0 [[function_constant(5)]];
constant uint C_OUT_STRIDE_0 = is_function_constant_defined(fc_C_OUT_STRIDE_0) ? fc_C_OUT_STRIDE_0 : 1U;
constant uint fc_C_K_0 [[function_constant(3)]];
constant uint C_K_0 = is_function_constant_defined(fc_C_K_0) ? fc_C_K_0 : 1U;
constant uint fc_C_MAX_ROWS_0 [[function_constant(8)]];
constant uint C_MAX_ROWS_0 = is_function_constant_defined(fc_C_MAX_ROWS_0) ? fc_C_MAX_ROWS_0 : 1U;
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
    uchar device* residual_0;
    uchar device* out_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<float, int(576)> threadgroup* partial_0;
    array<float, int(256)> threadgroup* eighths_0;
};
bool stopped_0(KernelContext_0 thread* kernelContext_0)
{
    return (kernelContext_0->args_0->step_0->stop_0) != 0U;
}
uint outputs_0()
{
    return 4U;
}
uint product_tiles_0()
{
    uint _S1 = outputs_0();
    uint _S2 = (C_N_0 + _S1 - 1U) / _S1;
    return _S2;
}
uint weight_row_0(uint tile_0, uint i_0)
{
    return min(tile_0 * outputs_0() + i_0, C_N_0 - 1U);
}
bool is_float_0()
{
    bool _S3;
    if(C_DTYPE_0 == 0U)
    {
        _S3 = true;
    }
    else
    {
        _S3 = C_DTYPE_0 == 1U;
    }
    if(_S3)
    {
        _S3 = true;
    }
    else
    {
        _S3 = C_DTYPE_0 == 30U;
    }
    return _S3;
}
uint low_bits_0()
{
    int _S4;
    if(C_DTYPE_0 == 8U)
    {
        _S4 = int(8);
    }
    else
    {
        bool _S5;
        if(C_DTYPE_0 == 10U)
        {
            _S5 = true;
        }
        else
        {
            _S5 = C_DTYPE_0 == 11U;
        }
        if(_S5)
        {
            _S4 = int(2);
        }
        else
        {
            _S4 = int(4);
        }
    }
    return uint(_S4);
}
uint high_bits_0()
{
    int _S6;
    if(C_DTYPE_0 == 14U)
    {
        _S6 = int(2);
    }
    else
    {
        bool _S7;
        if(C_DTYPE_0 == 6U)
        {
            _S7 = true;
        }
        else
        {
            _S7 = C_DTYPE_0 == 7U;
        }
        if(_S7)
        {
            _S7 = true;
        }
        else
        {
            _S7 = C_DTYPE_0 == 13U;
        }
        if(_S7)
        {
            _S7 = true;
        }
        else
        {
            _S7 = C_DTYPE_0 == 11U;
        }
        if(_S7)
        {
            _S6 = int(1);
        }
        else
        {
            _S6 = int(0);
        }
    }
    return uint(_S6);
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
        int _S8;
        if(C_DTYPE_0 == 0U)
        {
            _S8 = int(4);
        }
        else
        {
            _S8 = int(2);
        }
        ulong _S9 = at_0 * ulong(_S8);
        (&p_0)->low_0 = _S9;
        (&p_0)->super_0 = _S9;
        (&p_0)->scales_0 = _S9;
        (&p_0)->high_0 = _S9;
        return p_0;
    }
    ulong _S10 = ulong(low_bits_0());
    ulong above_0 = ulong(C_N_0) * ulong(C_K_0) / 8UL * _S10;
    ulong _S11 = ulong(high_bits_0());
    ulong rest_0 = above_0 + ulong(C_N_0) * ulong(C_K_0) / 8UL * _S11;
    (&p_0)->low_0 = at_0 / 8UL * _S10;
    (&p_0)->high_0 = above_0 + at_0 / 8UL * _S11;
    (&p_0)->super_0 = rest_0;
    (&p_0)->scales_0 = rest_0;
    bool _S12;
    if(C_DTYPE_0 == 2U)
    {
        _S12 = true;
    }
    else
    {
        _S12 = C_DTYPE_0 == 6U;
    }
    if(_S12)
    {
        _S12 = true;
    }
    else
    {
        _S12 = C_DTYPE_0 == 8U;
    }
    if(_S12)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 16UL;
    }
    if(C_DTYPE_0 == 3U)
    {
        _S12 = true;
    }
    else
    {
        _S12 = C_DTYPE_0 == 7U;
    }
    if(_S12)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 8UL;
    }
    if(C_DTYPE_0 == 12U)
    {
        _S12 = true;
    }
    else
    {
        _S12 = C_DTYPE_0 == 13U;
    }
    if(_S12)
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
ulong act_bytes_0(uint act_0, uint n_0)
{
    uint _S13;
    if(act_0 == 0U)
    {
        _S13 = 4U * n_0;
    }
    else
    {
        if(act_0 == 6U)
        {
            _S13 = n_0 / 32U * 80U;
        }
        else
        {
            _S13 = 2U * n_0;
        }
    }
    return ulong(_S13);
}
ulong act_row_bytes_0(uint act_1, uint k_0)
{
    return (((act_bytes_0(act_1, k_0) + 63UL) / 64UL) | 1UL) * 64UL;
}
struct Eight_0
{
    Planes_0 first_0;
    Planes_0 second_0;
    Planes_0 third_0;
    Planes_0 fourth_0;
    Planes_0 fifth_0;
    Planes_0 sixth_0;
    Planes_0 seventh_0;
    Planes_0 eighth_0;
};
Planes_0 of_0(const Eight_0 thread* at_1, uint i_1)
{
    Planes_0 _S14;
    if(i_1 == 0U)
    {
        _S14 = at_1->first_0;
    }
    else
    {
        if(i_1 == 1U)
        {
            _S14 = at_1->second_0;
        }
        else
        {
            if(i_1 == 2U)
            {
                _S14 = at_1->third_0;
            }
            else
            {
                if(i_1 == 3U)
                {
                    _S14 = at_1->fourth_0;
                }
                else
                {
                    if(i_1 == 4U)
                    {
                        _S14 = at_1->fifth_0;
                    }
                    else
                    {
                        if(i_1 == 5U)
                        {
                            _S14 = at_1->sixth_0;
                        }
                        else
                        {
                            if(i_1 == 6U)
                            {
                                _S14 = at_1->seventh_0;
                            }
                            else
                            {
                                _S14 = at_1->eighth_0;
                            }
                        }
                    }
                }
            }
        }
    }
    return _S14;
}
bool striped_0()
{
    bool _S15;
    if(C_DTYPE_0 == 12U)
    {
        _S15 = true;
    }
    else
    {
        _S15 = C_DTYPE_0 == 13U;
    }
    if(_S15)
    {
        _S15 = true;
    }
    else
    {
        _S15 = C_DTYPE_0 == 14U;
    }
    return _S15;
}
uint word_at_0(uchar device* p_1)
{
    return *(uint device*)((ulong)(p_1));
}
void block_codes_0(uchar device* w_1, const Planes_0 thread* p_2, uint b_0, array<uint, int(8)> thread* q_0)
{
    uint _S16 = low_bits_0();
    if(_S16 == 8U)
    {
        uchar device* _S17 = w_1 + p_2->low_0 + b_0 * 32U;
        uint4 _S18 = uint4(*(packed_uint4 device*)((ulong)(_S17))) ;
        uint4 _S19 = uint4(*(packed_uint4 device*)((ulong)(_S17 + int(16)))) ;
        (*q_0)[int(0)] = _S18.x;
        (*q_0)[int(1)] = _S18.y;
        (*q_0)[int(2)] = _S18.z;
        (*q_0)[int(3)] = _S18.w;
        (*q_0)[int(4)] = _S19.x;
        (*q_0)[int(5)] = _S19.y;
        (*q_0)[int(6)] = _S19.z;
        (*q_0)[int(7)] = _S19.w;
    }
    else
    {
        if(_S16 == 4U)
        {
            uint c_0 = b_0 % 8U;
            uint at_2;
            if(striped_0())
            {
                at_2 = b_0 / 8U * 128U + (c_0 % 2U * 4U + c_0 / 2U) * 16U;
            }
            else
            {
                at_2 = b_0 * 16U;
            }
            uint4 _S20 = uint4(*(packed_uint4 device*)((ulong)(w_1 + p_2->low_0 + at_2))) ;
            uint _S21 = _S20.x;
            (*q_0)[int(0)] = _S21 & 252645135U;
            uint _S22 = _S20.y;
            (*q_0)[int(1)] = _S22 & 252645135U;
            uint _S23 = _S20.z;
            (*q_0)[int(2)] = _S23 & 252645135U;
            uint _S24 = _S20.w;
            (*q_0)[int(3)] = _S24 & 252645135U;
            (*q_0)[int(4)] = (_S21 >> 4U) & 252645135U;
            (*q_0)[int(5)] = (_S22 >> 4U) & 252645135U;
            (*q_0)[int(6)] = (_S23 >> 4U) & 252645135U;
            (*q_0)[int(7)] = (_S24 >> 4U) & 252645135U;
        }
        else
        {
            uint2 _S25 = uint2(*(packed_uint2 device*)((ulong)(w_1 + p_2->low_0 + b_0 * 8U))) ;
            uint _S26 = _S25.x;
            (*q_0)[0U] = (_S26 >> 0U) & 50529027U;
            (*q_0)[1U] = (_S26 >> 2U) & 50529027U;
            (*q_0)[2U] = (_S26 >> 4U) & 50529027U;
            (*q_0)[3U] = (_S26 >> 6U) & 50529027U;
            uint _S27 = _S25.y;
            (*q_0)[4U] = (_S27 >> 0U) & 50529027U;
            (*q_0)[5U] = (_S27 >> 2U) & 50529027U;
            (*q_0)[6U] = (_S27 >> 4U) & 50529027U;
            (*q_0)[7U] = (_S27 >> 6U) & 50529027U;
        }
    }
    uint _S28 = high_bits_0();
    if(_S28 == 2U)
    {
        uint2 _S29 = uint2(*(packed_uint2 device*)((ulong)(w_1 + p_2->high_0 + b_0 * 8U))) ;
        uint _S30 = _S29.x;
        (*q_0)[0U] = ((*q_0)[0U]) | (((_S30 >> 0U) & 50529027U) << _S16);
        (*q_0)[1U] = ((*q_0)[1U]) | (((_S30 >> 2U) & 50529027U) << _S16);
        (*q_0)[2U] = ((*q_0)[2U]) | (((_S30 >> 4U) & 50529027U) << _S16);
        (*q_0)[3U] = ((*q_0)[3U]) | (((_S30 >> 6U) & 50529027U) << _S16);
        uint _S31 = _S29.y;
        (*q_0)[4U] = ((*q_0)[4U]) | (((_S31 >> 0U) & 50529027U) << _S16);
        (*q_0)[5U] = ((*q_0)[5U]) | (((_S31 >> 2U) & 50529027U) << _S16);
        (*q_0)[6U] = ((*q_0)[6U]) | (((_S31 >> 4U) & 50529027U) << _S16);
        (*q_0)[7U] = ((*q_0)[7U]) | (((_S31 >> 6U) & 50529027U) << _S16);
    }
    if(_S28 == 1U)
    {
        uint _S32 = word_at_0(w_1 + p_2->high_0 + b_0 * 4U);
        (*q_0)[0U] = ((*q_0)[0U]) | (((_S32 >> 0U) & 16843009U) << _S16);
        (*q_0)[1U] = ((*q_0)[1U]) | (((_S32 >> 1U) & 16843009U) << _S16);
        (*q_0)[2U] = ((*q_0)[2U]) | (((_S32 >> 2U) & 16843009U) << _S16);
        (*q_0)[3U] = ((*q_0)[3U]) | (((_S32 >> 3U) & 16843009U) << _S16);
        (*q_0)[4U] = ((*q_0)[4U]) | (((_S32 >> 4U) & 16843009U) << _S16);
        (*q_0)[5U] = ((*q_0)[5U]) | (((_S32 >> 5U) & 16843009U) << _S16);
        (*q_0)[6U] = ((*q_0)[6U]) | (((_S32 >> 6U) & 16843009U) << _S16);
        (*q_0)[7U] = ((*q_0)[7U]) | (((_S32 >> 7U) & 16843009U) << _S16);
    }
    return;
}
bool parted_0()
{
    bool _S33;
    if(C_DTYPE_0 == 10U)
    {
        _S33 = true;
    }
    else
    {
        _S33 = C_DTYPE_0 == 11U;
    }
    if(_S33)
    {
        _S33 = true;
    }
    else
    {
        _S33 = C_DTYPE_0 == 14U;
    }
    return _S33;
}
float f16_to_f32_0(uint half_0)
{
    return (as_type<half>((ushort)((half_0 & 65535U))));
}
uint six_bits_0(uchar device* p_3, uint g_0)
{
    uint from_0 = 6U * g_0;
    return ((uint(*(p_3 + from_0 / 8U)) | (uint(*(p_3 + (from_0 + 5U) / 8U)) << 8U)) >> (from_0 % 8U)) & 63U;
}
uint half_at_0(uchar device* p_4)
{
    return uint(*(ushort device*)((ulong)(p_4)));
}
float scale_at_0(uchar device* p_5)
{
    uint _S34 = half_at_0(p_5);
    return f16_to_f32_0(_S34);
}
int signed_byte_0(uchar b_1)
{
    return int(uint(b_1) << 24U) >> 24U;
}
float2 octet_scale_0(uchar device* w_2, const Planes_0 thread* p_6, uint o_0)
{
    uint b_2 = o_0 / 4U;
    uint c_1 = b_2 % 8U;
    uint super_1 = o_0 / 32U;
    bool _S35;
    if(C_DTYPE_0 == 3U)
    {
        _S35 = true;
    }
    else
    {
        _S35 = C_DTYPE_0 == 7U;
    }
    if(_S35)
    {
        uint dm_0 = word_at_0(w_2 + p_6->scales_0 + b_2 * 4U);
        return float2(f16_to_f32_0(dm_0), f16_to_f32_0(dm_0 >> 16U));
    }
    if(C_DTYPE_0 == 12U)
    {
        _S35 = true;
    }
    else
    {
        _S35 = C_DTYPE_0 == 13U;
    }
    if(_S35)
    {
        uchar device* head_0 = w_2 + p_6->super_0 + super_1 * 16U;
        uint dm_1 = word_at_0(head_0);
        uchar device* pair_0 = head_0 + int(4) + c_1 * 3U / 2U;
        uint two_0 = (uint(*(pair_0 + int(0))) | (uint(*(pair_0 + int(1))) << 8U)) >> (c_1 % 2U * 4U);
        return float2(f16_to_f32_0(dm_1) * float(two_0 & 63U), - (f16_to_f32_0(dm_1 >> 16U) * float((two_0 >> 6U) & 63U)));
    }
    if(C_DTYPE_0 == 10U)
    {
        uint s_0 = uint(*(w_2 + (p_6->scales_0 + ulong(o_0 / 2U))));
        uint dm_2 = word_at_0(w_2 + p_6->super_0 + super_1 * 4U);
        return float2(f16_to_f32_0(dm_2) * float(s_0 & 15U), - (f16_to_f32_0(dm_2 >> 16U) * float(s_0 >> 4U)));
    }
    if(C_DTYPE_0 == 11U)
    {
        uint _S36 = six_bits_0(w_2 + p_6->scales_0 + super_1 * 12U, o_0 / 2U % 16U);
        int s_1 = int(_S36) - int(32);
        float _S37 = scale_at_0(w_2 + p_6->super_0 + super_1 * 2U);
        return float2(_S37 * float(s_1), 0.0);
    }
    if(C_DTYPE_0 == 14U)
    {
        float _S38 = scale_at_0(w_2 + p_6->super_0 + super_1 * 2U);
        return float2(_S38 * float(signed_byte_0(*(w_2 + (p_6->scales_0 + ulong(o_0 / 2U))))), 0.0);
    }
    float _S39 = scale_at_0(w_2 + p_6->scales_0 + b_2 * 2U);
    return float2(_S39, 0.0);
}
uint own_0()
{
    uint _S40;
    if(C_MAX_ROWS_0 == 1U)
    {
        _S40 = 1U;
    }
    else
    {
        _S40 = 8U;
    }
    return _S40;
}
int dot4_0(uint a_0, uint b_3, int c_2)
{
    return c_2 + (int(a_0 << 24U) >> 24U) * (int(b_3 << 24U) >> 24U) + (int(a_0 << 16U) >> 24U) * (int(b_3 << 16U) >> 24U) + (int(a_0 << 8U) >> 24U) * (int(b_3 << 8U) >> 24U) + (int(a_0 << 0U) >> 24U) * (int(b_3 << 0U) >> 24U);
}
uint zero_0()
{
    int _S41;
    if(C_DTYPE_0 == 2U)
    {
        _S41 = int(8);
    }
    else
    {
        if(C_DTYPE_0 == 6U)
        {
            _S41 = int(16);
        }
        else
        {
            if(C_DTYPE_0 == 8U)
            {
                _S41 = int(128);
            }
            else
            {
                if(C_DTYPE_0 == 11U)
                {
                    _S41 = int(4);
                }
                else
                {
                    if(C_DTYPE_0 == 14U)
                    {
                        _S41 = int(32);
                    }
                    else
                    {
                        _S41 = int(0);
                    }
                }
            }
        }
    }
    return uint(_S41);
}
int block_zero_0()
{
    int _S42;
    if(C_DTYPE_0 == 8U)
    {
        _S42 = int(0);
    }
    else
    {
        _S42 = int(zero_0());
    }
    return _S42;
}
bool has_minimum_0()
{
    bool _S43;
    if(C_DTYPE_0 == 3U)
    {
        _S43 = true;
    }
    else
    {
        _S43 = C_DTYPE_0 == 7U;
    }
    if(_S43)
    {
        _S43 = true;
    }
    else
    {
        _S43 = C_DTYPE_0 == 12U;
    }
    if(_S43)
    {
        _S43 = true;
    }
    else
    {
        _S43 = C_DTYPE_0 == 13U;
    }
    if(_S43)
    {
        _S43 = true;
    }
    else
    {
        _S43 = C_DTYPE_0 == 10U;
    }
    return _S43;
}
void add_blocks_0(const Eight_0 thread* rows_1, uint first_1, uint n_1, uint t_0, array<float, int(32)> thread* acc_0, KernelContext_0 thread* kernelContext_1)
{
    uint _S44;
    bool _S45;
    bool _S46;
    bool _S47;
    bool _S48;
    bool _S49;
    bool _S50;
    bool _S51;
    bool _S52;
    int _S53;
    int _S54;
    float sum_0;
    ulong stride_0 = act_row_bytes_0(6U, C_K_0);
    uchar device* _S55 = kernelContext_1->args_0->x_0 + ulong(first_1) * stride_0;
    uint b_4 = t_0;
    for(;;)
    {
        if(b_4 < (C_K_0 / 32U))
        {
        }
        else
        {
            break;
        }
        thread array<uint, int(64)> q_1;
        thread array<float, int(16)> scales_1;
        thread array<float, int(16)> least_0;
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    uint _S56 = outputs_0();
                    _S44 = _S56;
                    bool _S57 = 0U >= _S56;
                    _S45 = _S57;
                    if(_S57)
                    {
                        break;
                    }
                    uchar device* _S58 = kernelContext_1->args_0->w_0;
                    Planes_0 _S59 = of_0(rows_1, 0U);
                    thread Planes_0 _S60 = _S59;
                    thread array<uint, int(8)> words_0;
                    block_codes_0(_S58, &_S60, b_4, &words_0);
                    q_1[0U] = words_0[0U];
                    q_1[1U] = words_0[1U];
                    q_1[2U] = words_0[2U];
                    q_1[3U] = words_0[3U];
                    q_1[4U] = words_0[4U];
                    q_1[5U] = words_0[5U];
                    q_1[6U] = words_0[6U];
                    q_1[7U] = words_0[7U];
                    for(;;)
                    {
                        uchar device* _S61 = kernelContext_1->args_0->w_0;
                        uint _S62 = b_4 * 4U;
                        thread Planes_0 _S63 = _S59;
                        float2 _S64 = octet_scale_0(_S61, &_S63, _S62);
                        scales_1[0U] = _S64.x;
                        least_0[0U] = _S64.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S65 = kernelContext_1->args_0->w_0;
                                uint _S66 = _S62 + 2U;
                                thread Planes_0 _S67 = _S59;
                                float2 _S68 = octet_scale_0(_S65, &_S67, _S66);
                                scales_1[1U] = _S68.x;
                                least_0[1U] = _S68.y;
                                break;
                            }
                            break;
                        }
                        break;
                    }
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    bool _S69 = 1U >= _S44;
                    _S46 = _S69;
                    if(_S69)
                    {
                        break;
                    }
                    uchar device* _S70 = kernelContext_1->args_0->w_0;
                    Planes_0 _S71 = of_0(rows_1, 1U);
                    thread Planes_0 _S72 = _S71;
                    thread array<uint, int(8)> words_1;
                    block_codes_0(_S70, &_S72, b_4, &words_1);
                    q_1[8U] = words_1[0U];
                    q_1[9U] = words_1[1U];
                    q_1[10U] = words_1[2U];
                    q_1[11U] = words_1[3U];
                    q_1[12U] = words_1[4U];
                    q_1[13U] = words_1[5U];
                    q_1[14U] = words_1[6U];
                    q_1[15U] = words_1[7U];
                    for(;;)
                    {
                        uchar device* _S73 = kernelContext_1->args_0->w_0;
                        uint _S74 = b_4 * 4U;
                        thread Planes_0 _S75 = _S71;
                        float2 _S76 = octet_scale_0(_S73, &_S75, _S74);
                        scales_1[2U] = _S76.x;
                        least_0[2U] = _S76.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S77 = kernelContext_1->args_0->w_0;
                                uint _S78 = _S74 + 2U;
                                thread Planes_0 _S79 = _S71;
                                float2 _S80 = octet_scale_0(_S77, &_S79, _S78);
                                scales_1[3U] = _S80.x;
                                least_0[3U] = _S80.y;
                                break;
                            }
                            break;
                        }
                        break;
                    }
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    bool _S81 = 2U >= _S44;
                    _S47 = _S81;
                    if(_S81)
                    {
                        break;
                    }
                    uchar device* _S82 = kernelContext_1->args_0->w_0;
                    Planes_0 _S83 = of_0(rows_1, 2U);
                    thread Planes_0 _S84 = _S83;
                    thread array<uint, int(8)> words_2;
                    block_codes_0(_S82, &_S84, b_4, &words_2);
                    q_1[16U] = words_2[0U];
                    q_1[17U] = words_2[1U];
                    q_1[18U] = words_2[2U];
                    q_1[19U] = words_2[3U];
                    q_1[20U] = words_2[4U];
                    q_1[21U] = words_2[5U];
                    q_1[22U] = words_2[6U];
                    q_1[23U] = words_2[7U];
                    for(;;)
                    {
                        uchar device* _S85 = kernelContext_1->args_0->w_0;
                        uint _S86 = b_4 * 4U;
                        thread Planes_0 _S87 = _S83;
                        float2 _S88 = octet_scale_0(_S85, &_S87, _S86);
                        scales_1[4U] = _S88.x;
                        least_0[4U] = _S88.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S89 = kernelContext_1->args_0->w_0;
                                uint _S90 = _S86 + 2U;
                                thread Planes_0 _S91 = _S83;
                                float2 _S92 = octet_scale_0(_S89, &_S91, _S90);
                                scales_1[5U] = _S92.x;
                                least_0[5U] = _S92.y;
                                break;
                            }
                            break;
                        }
                        break;
                    }
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    bool _S93 = 3U >= _S44;
                    _S48 = _S93;
                    if(_S93)
                    {
                        break;
                    }
                    uchar device* _S94 = kernelContext_1->args_0->w_0;
                    Planes_0 _S95 = of_0(rows_1, 3U);
                    thread Planes_0 _S96 = _S95;
                    thread array<uint, int(8)> words_3;
                    block_codes_0(_S94, &_S96, b_4, &words_3);
                    q_1[24U] = words_3[0U];
                    q_1[25U] = words_3[1U];
                    q_1[26U] = words_3[2U];
                    q_1[27U] = words_3[3U];
                    q_1[28U] = words_3[4U];
                    q_1[29U] = words_3[5U];
                    q_1[30U] = words_3[6U];
                    q_1[31U] = words_3[7U];
                    for(;;)
                    {
                        uchar device* _S97 = kernelContext_1->args_0->w_0;
                        uint _S98 = b_4 * 4U;
                        thread Planes_0 _S99 = _S95;
                        float2 _S100 = octet_scale_0(_S97, &_S99, _S98);
                        scales_1[6U] = _S100.x;
                        least_0[6U] = _S100.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S101 = kernelContext_1->args_0->w_0;
                                uint _S102 = _S98 + 2U;
                                thread Planes_0 _S103 = _S95;
                                float2 _S104 = octet_scale_0(_S101, &_S103, _S102);
                                scales_1[7U] = _S104.x;
                                least_0[7U] = _S104.y;
                                break;
                            }
                            break;
                        }
                        break;
                    }
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    bool _S105 = 4U >= _S44;
                    _S49 = _S105;
                    if(_S105)
                    {
                        break;
                    }
                    uchar device* _S106 = kernelContext_1->args_0->w_0;
                    Planes_0 _S107 = of_0(rows_1, 4U);
                    thread Planes_0 _S108 = _S107;
                    thread array<uint, int(8)> words_4;
                    block_codes_0(_S106, &_S108, b_4, &words_4);
                    q_1[32U] = words_4[0U];
                    q_1[33U] = words_4[1U];
                    q_1[34U] = words_4[2U];
                    q_1[35U] = words_4[3U];
                    q_1[36U] = words_4[4U];
                    q_1[37U] = words_4[5U];
                    q_1[38U] = words_4[6U];
                    q_1[39U] = words_4[7U];
                    for(;;)
                    {
                        uchar device* _S109 = kernelContext_1->args_0->w_0;
                        uint _S110 = b_4 * 4U;
                        thread Planes_0 _S111 = _S107;
                        float2 _S112 = octet_scale_0(_S109, &_S111, _S110);
                        scales_1[8U] = _S112.x;
                        least_0[8U] = _S112.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S113 = kernelContext_1->args_0->w_0;
                                uint _S114 = _S110 + 2U;
                                thread Planes_0 _S115 = _S107;
                                float2 _S116 = octet_scale_0(_S113, &_S115, _S114);
                                scales_1[9U] = _S116.x;
                                least_0[9U] = _S116.y;
                                break;
                            }
                            break;
                        }
                        break;
                    }
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    bool _S117 = 5U >= _S44;
                    _S50 = _S117;
                    if(_S117)
                    {
                        break;
                    }
                    uchar device* _S118 = kernelContext_1->args_0->w_0;
                    Planes_0 _S119 = of_0(rows_1, 5U);
                    thread Planes_0 _S120 = _S119;
                    thread array<uint, int(8)> words_5;
                    block_codes_0(_S118, &_S120, b_4, &words_5);
                    q_1[40U] = words_5[0U];
                    q_1[41U] = words_5[1U];
                    q_1[42U] = words_5[2U];
                    q_1[43U] = words_5[3U];
                    q_1[44U] = words_5[4U];
                    q_1[45U] = words_5[5U];
                    q_1[46U] = words_5[6U];
                    q_1[47U] = words_5[7U];
                    for(;;)
                    {
                        uchar device* _S121 = kernelContext_1->args_0->w_0;
                        uint _S122 = b_4 * 4U;
                        thread Planes_0 _S123 = _S119;
                        float2 _S124 = octet_scale_0(_S121, &_S123, _S122);
                        scales_1[10U] = _S124.x;
                        least_0[10U] = _S124.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S125 = kernelContext_1->args_0->w_0;
                                uint _S126 = _S122 + 2U;
                                thread Planes_0 _S127 = _S119;
                                float2 _S128 = octet_scale_0(_S125, &_S127, _S126);
                                scales_1[11U] = _S128.x;
                                least_0[11U] = _S128.y;
                                break;
                            }
                            break;
                        }
                        break;
                    }
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    bool _S129 = 6U >= _S44;
                    _S51 = _S129;
                    if(_S129)
                    {
                        break;
                    }
                    uchar device* _S130 = kernelContext_1->args_0->w_0;
                    Planes_0 _S131 = of_0(rows_1, 6U);
                    thread Planes_0 _S132 = _S131;
                    thread array<uint, int(8)> words_6;
                    block_codes_0(_S130, &_S132, b_4, &words_6);
                    q_1[48U] = words_6[0U];
                    q_1[49U] = words_6[1U];
                    q_1[50U] = words_6[2U];
                    q_1[51U] = words_6[3U];
                    q_1[52U] = words_6[4U];
                    q_1[53U] = words_6[5U];
                    q_1[54U] = words_6[6U];
                    q_1[55U] = words_6[7U];
                    for(;;)
                    {
                        uchar device* _S133 = kernelContext_1->args_0->w_0;
                        uint _S134 = b_4 * 4U;
                        thread Planes_0 _S135 = _S131;
                        float2 _S136 = octet_scale_0(_S133, &_S135, _S134);
                        scales_1[12U] = _S136.x;
                        least_0[12U] = _S136.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S137 = kernelContext_1->args_0->w_0;
                                uint _S138 = _S134 + 2U;
                                thread Planes_0 _S139 = _S131;
                                float2 _S140 = octet_scale_0(_S137, &_S139, _S138);
                                scales_1[13U] = _S140.x;
                                least_0[13U] = _S140.y;
                                break;
                            }
                            break;
                        }
                        break;
                    }
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    bool _S141 = 7U >= _S44;
                    _S52 = _S141;
                    if(_S141)
                    {
                        break;
                    }
                    uchar device* _S142 = kernelContext_1->args_0->w_0;
                    Planes_0 _S143 = of_0(rows_1, 7U);
                    thread Planes_0 _S144 = _S143;
                    thread array<uint, int(8)> words_7;
                    block_codes_0(_S142, &_S144, b_4, &words_7);
                    q_1[56U] = words_7[0U];
                    q_1[57U] = words_7[1U];
                    q_1[58U] = words_7[2U];
                    q_1[59U] = words_7[3U];
                    q_1[60U] = words_7[4U];
                    q_1[61U] = words_7[5U];
                    q_1[62U] = words_7[6U];
                    q_1[63U] = words_7[7U];
                    for(;;)
                    {
                        uchar device* _S145 = kernelContext_1->args_0->w_0;
                        uint _S146 = b_4 * 4U;
                        thread Planes_0 _S147 = _S143;
                        float2 _S148 = octet_scale_0(_S145, &_S147, _S146);
                        scales_1[14U] = _S148.x;
                        least_0[14U] = _S148.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S149 = kernelContext_1->args_0->w_0;
                                uint _S150 = _S146 + 2U;
                                thread Planes_0 _S151 = _S143;
                                float2 _S152 = octet_scale_0(_S149, &_S151, _S150);
                                scales_1[15U] = _S152.x;
                                least_0[15U] = _S152.y;
                                break;
                            }
                            break;
                        }
                        break;
                    }
                    break;
                }
                break;
            }
            break;
        }
        uint r_0 = 0U;
        for(;;)
        {
            uint _S153 = own_0();
            if(r_0 < _S153)
            {
            }
            else
            {
                break;
            }
            bool _S154;
            if(_S153 != 1U)
            {
                _S154 = r_0 >= n_1;
            }
            else
            {
                _S154 = false;
            }
            if(_S154)
            {
                r_0 = r_0 + 1U;
                continue;
            }
            uchar device* block_0 = _S55 + ulong(r_0) * stride_0 + b_4 * 80U;
            uint4 _S155 = uint4(*(packed_uint4 device*)((ulong)(block_0))) ;
            uint4 _S156 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(16)))) ;
            uint4 _S157 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(32)))) ;
            uint4 _S158 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(48)))) ;
            uint4 _S159 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(64)))) ;
            float _S160 = (as_type<float>((_S159.x)));
            int _S161 = (as_type<int>((_S159.y)));
            int _S162 = (as_type<int>((_S159.z)));
            for(;;)
            {
                for(;;)
                {
                    for(;;)
                    {
                        if(_S45)
                        {
                            break;
                        }
                        int h_0 = dot4_0(q_1[3U], _S155.w, dot4_0(q_1[2U], _S155.z, dot4_0(q_1[1U], _S155.y, dot4_0(q_1[0U], _S155.x, int(0)))));
                        int l_0 = dot4_0(q_1[3U], _S157.w, dot4_0(q_1[2U], _S157.z, dot4_0(q_1[1U], _S157.y, dot4_0(q_1[0U], _S157.x, int(0)))));
                        uint _S163 = q_1[7U];
                        uint _S164 = _S156.w;
                        uint _S165 = q_1[6U];
                        uint _S166 = _S156.z;
                        uint _S167 = q_1[5U];
                        uint _S168 = _S156.y;
                        uint _S169 = q_1[4U];
                        uint _S170 = _S156.x;
                        bool _S171 = parted_0();
                        if(_S171)
                        {
                            _S53 = int(0);
                        }
                        else
                        {
                            _S53 = h_0;
                        }
                        int h2_0 = dot4_0(_S163, _S164, dot4_0(_S165, _S166, dot4_0(_S167, _S168, dot4_0(_S169, _S170, _S53))));
                        uint _S172 = q_1[7U];
                        uint _S173 = _S158.w;
                        uint _S174 = q_1[6U];
                        uint _S175 = _S158.z;
                        uint _S176 = q_1[5U];
                        uint _S177 = _S158.y;
                        uint _S178 = q_1[4U];
                        uint _S179 = _S158.x;
                        if(_S171)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = l_0;
                        }
                        int l2_0 = dot4_0(_S172, _S173, dot4_0(_S174, _S175, dot4_0(_S176, _S177, dot4_0(_S178, _S179, _S54))));
                        float sum_1 = (*acc_0)[r_0];
                        if(_S171)
                        {
                            int _S180 = block_zero_0();
                            float v_0 = fma(scales_1[0U], float(h_0 * int(256) + l_0 - _S180 * _S161), scales_1[1U] * float(h2_0 * int(256) + l2_0 - _S180 * _S162));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[0U], float(_S161), fma(least_0[1U], float(_S162), v_0));
                            }
                            else
                            {
                                sum_0 = v_0;
                            }
                            sum_0 = fma(_S160, sum_0, sum_1);
                        }
                        else
                        {
                            float sum_2 = fma(scales_1[0U] * _S160, float(h2_0 * int(256) + l2_0 - block_zero_0() * (_S161 + _S162)), sum_1);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[0U], (as_type<float>((_S159.w))), sum_2);
                            }
                            else
                            {
                                sum_0 = sum_2;
                            }
                        }
                        (*acc_0)[r_0] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S46)
                        {
                            break;
                        }
                        int h_1 = dot4_0(q_1[11U], _S155.w, dot4_0(q_1[10U], _S155.z, dot4_0(q_1[9U], _S155.y, dot4_0(q_1[8U], _S155.x, int(0)))));
                        int l_1 = dot4_0(q_1[11U], _S157.w, dot4_0(q_1[10U], _S157.z, dot4_0(q_1[9U], _S157.y, dot4_0(q_1[8U], _S157.x, int(0)))));
                        uint _S181 = q_1[15U];
                        uint _S182 = _S156.w;
                        uint _S183 = q_1[14U];
                        uint _S184 = _S156.z;
                        uint _S185 = q_1[13U];
                        uint _S186 = _S156.y;
                        uint _S187 = q_1[12U];
                        uint _S188 = _S156.x;
                        bool _S189 = parted_0();
                        if(_S189)
                        {
                            _S53 = int(0);
                        }
                        else
                        {
                            _S53 = h_1;
                        }
                        int h2_1 = dot4_0(_S181, _S182, dot4_0(_S183, _S184, dot4_0(_S185, _S186, dot4_0(_S187, _S188, _S53))));
                        uint _S190 = q_1[15U];
                        uint _S191 = _S158.w;
                        uint _S192 = q_1[14U];
                        uint _S193 = _S158.z;
                        uint _S194 = q_1[13U];
                        uint _S195 = _S158.y;
                        uint _S196 = q_1[12U];
                        uint _S197 = _S158.x;
                        if(_S189)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = l_1;
                        }
                        int l2_1 = dot4_0(_S190, _S191, dot4_0(_S192, _S193, dot4_0(_S194, _S195, dot4_0(_S196, _S197, _S54))));
                        float sum_3 = (*acc_0)[_S153 + r_0];
                        if(_S189)
                        {
                            int _S198 = block_zero_0();
                            float v_1 = fma(scales_1[2U], float(h_1 * int(256) + l_1 - _S198 * _S161), scales_1[3U] * float(h2_1 * int(256) + l2_1 - _S198 * _S162));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[2U], float(_S161), fma(least_0[3U], float(_S162), v_1));
                            }
                            else
                            {
                                sum_0 = v_1;
                            }
                            sum_0 = fma(_S160, sum_0, sum_3);
                        }
                        else
                        {
                            float sum_4 = fma(scales_1[2U] * _S160, float(h2_1 * int(256) + l2_1 - block_zero_0() * (_S161 + _S162)), sum_3);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[2U], (as_type<float>((_S159.w))), sum_4);
                            }
                            else
                            {
                                sum_0 = sum_4;
                            }
                        }
                        (*acc_0)[_S153 + r_0] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S47)
                        {
                            break;
                        }
                        int h_2 = dot4_0(q_1[19U], _S155.w, dot4_0(q_1[18U], _S155.z, dot4_0(q_1[17U], _S155.y, dot4_0(q_1[16U], _S155.x, int(0)))));
                        int l_2 = dot4_0(q_1[19U], _S157.w, dot4_0(q_1[18U], _S157.z, dot4_0(q_1[17U], _S157.y, dot4_0(q_1[16U], _S157.x, int(0)))));
                        uint _S199 = q_1[23U];
                        uint _S200 = _S156.w;
                        uint _S201 = q_1[22U];
                        uint _S202 = _S156.z;
                        uint _S203 = q_1[21U];
                        uint _S204 = _S156.y;
                        uint _S205 = q_1[20U];
                        uint _S206 = _S156.x;
                        bool _S207 = parted_0();
                        if(_S207)
                        {
                            _S53 = int(0);
                        }
                        else
                        {
                            _S53 = h_2;
                        }
                        int h2_2 = dot4_0(_S199, _S200, dot4_0(_S201, _S202, dot4_0(_S203, _S204, dot4_0(_S205, _S206, _S53))));
                        uint _S208 = q_1[23U];
                        uint _S209 = _S158.w;
                        uint _S210 = q_1[22U];
                        uint _S211 = _S158.z;
                        uint _S212 = q_1[21U];
                        uint _S213 = _S158.y;
                        uint _S214 = q_1[20U];
                        uint _S215 = _S158.x;
                        if(_S207)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = l_2;
                        }
                        int l2_2 = dot4_0(_S208, _S209, dot4_0(_S210, _S211, dot4_0(_S212, _S213, dot4_0(_S214, _S215, _S54))));
                        float sum_5 = (*acc_0)[2U * _S153 + r_0];
                        if(_S207)
                        {
                            int _S216 = block_zero_0();
                            float v_2 = fma(scales_1[4U], float(h_2 * int(256) + l_2 - _S216 * _S161), scales_1[5U] * float(h2_2 * int(256) + l2_2 - _S216 * _S162));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[4U], float(_S161), fma(least_0[5U], float(_S162), v_2));
                            }
                            else
                            {
                                sum_0 = v_2;
                            }
                            sum_0 = fma(_S160, sum_0, sum_5);
                        }
                        else
                        {
                            float sum_6 = fma(scales_1[4U] * _S160, float(h2_2 * int(256) + l2_2 - block_zero_0() * (_S161 + _S162)), sum_5);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[4U], (as_type<float>((_S159.w))), sum_6);
                            }
                            else
                            {
                                sum_0 = sum_6;
                            }
                        }
                        (*acc_0)[2U * _S153 + r_0] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S48)
                        {
                            break;
                        }
                        int h_3 = dot4_0(q_1[27U], _S155.w, dot4_0(q_1[26U], _S155.z, dot4_0(q_1[25U], _S155.y, dot4_0(q_1[24U], _S155.x, int(0)))));
                        int l_3 = dot4_0(q_1[27U], _S157.w, dot4_0(q_1[26U], _S157.z, dot4_0(q_1[25U], _S157.y, dot4_0(q_1[24U], _S157.x, int(0)))));
                        uint _S217 = q_1[31U];
                        uint _S218 = _S156.w;
                        uint _S219 = q_1[30U];
                        uint _S220 = _S156.z;
                        uint _S221 = q_1[29U];
                        uint _S222 = _S156.y;
                        uint _S223 = q_1[28U];
                        uint _S224 = _S156.x;
                        bool _S225 = parted_0();
                        if(_S225)
                        {
                            _S53 = int(0);
                        }
                        else
                        {
                            _S53 = h_3;
                        }
                        int h2_3 = dot4_0(_S217, _S218, dot4_0(_S219, _S220, dot4_0(_S221, _S222, dot4_0(_S223, _S224, _S53))));
                        uint _S226 = q_1[31U];
                        uint _S227 = _S158.w;
                        uint _S228 = q_1[30U];
                        uint _S229 = _S158.z;
                        uint _S230 = q_1[29U];
                        uint _S231 = _S158.y;
                        uint _S232 = q_1[28U];
                        uint _S233 = _S158.x;
                        if(_S225)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = l_3;
                        }
                        int l2_3 = dot4_0(_S226, _S227, dot4_0(_S228, _S229, dot4_0(_S230, _S231, dot4_0(_S232, _S233, _S54))));
                        float sum_7 = (*acc_0)[3U * _S153 + r_0];
                        if(_S225)
                        {
                            int _S234 = block_zero_0();
                            float v_3 = fma(scales_1[6U], float(h_3 * int(256) + l_3 - _S234 * _S161), scales_1[7U] * float(h2_3 * int(256) + l2_3 - _S234 * _S162));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[6U], float(_S161), fma(least_0[7U], float(_S162), v_3));
                            }
                            else
                            {
                                sum_0 = v_3;
                            }
                            sum_0 = fma(_S160, sum_0, sum_7);
                        }
                        else
                        {
                            float sum_8 = fma(scales_1[6U] * _S160, float(h2_3 * int(256) + l2_3 - block_zero_0() * (_S161 + _S162)), sum_7);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[6U], (as_type<float>((_S159.w))), sum_8);
                            }
                            else
                            {
                                sum_0 = sum_8;
                            }
                        }
                        (*acc_0)[3U * _S153 + r_0] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S49)
                        {
                            break;
                        }
                        int h_4 = dot4_0(q_1[35U], _S155.w, dot4_0(q_1[34U], _S155.z, dot4_0(q_1[33U], _S155.y, dot4_0(q_1[32U], _S155.x, int(0)))));
                        int l_4 = dot4_0(q_1[35U], _S157.w, dot4_0(q_1[34U], _S157.z, dot4_0(q_1[33U], _S157.y, dot4_0(q_1[32U], _S157.x, int(0)))));
                        uint _S235 = q_1[39U];
                        uint _S236 = _S156.w;
                        uint _S237 = q_1[38U];
                        uint _S238 = _S156.z;
                        uint _S239 = q_1[37U];
                        uint _S240 = _S156.y;
                        uint _S241 = q_1[36U];
                        uint _S242 = _S156.x;
                        bool _S243 = parted_0();
                        if(_S243)
                        {
                            _S53 = int(0);
                        }
                        else
                        {
                            _S53 = h_4;
                        }
                        int h2_4 = dot4_0(_S235, _S236, dot4_0(_S237, _S238, dot4_0(_S239, _S240, dot4_0(_S241, _S242, _S53))));
                        uint _S244 = q_1[39U];
                        uint _S245 = _S158.w;
                        uint _S246 = q_1[38U];
                        uint _S247 = _S158.z;
                        uint _S248 = q_1[37U];
                        uint _S249 = _S158.y;
                        uint _S250 = q_1[36U];
                        uint _S251 = _S158.x;
                        if(_S243)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = l_4;
                        }
                        int l2_4 = dot4_0(_S244, _S245, dot4_0(_S246, _S247, dot4_0(_S248, _S249, dot4_0(_S250, _S251, _S54))));
                        float sum_9 = (*acc_0)[4U * _S153 + r_0];
                        if(_S243)
                        {
                            int _S252 = block_zero_0();
                            float v_4 = fma(scales_1[8U], float(h_4 * int(256) + l_4 - _S252 * _S161), scales_1[9U] * float(h2_4 * int(256) + l2_4 - _S252 * _S162));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[8U], float(_S161), fma(least_0[9U], float(_S162), v_4));
                            }
                            else
                            {
                                sum_0 = v_4;
                            }
                            sum_0 = fma(_S160, sum_0, sum_9);
                        }
                        else
                        {
                            float sum_10 = fma(scales_1[8U] * _S160, float(h2_4 * int(256) + l2_4 - block_zero_0() * (_S161 + _S162)), sum_9);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[8U], (as_type<float>((_S159.w))), sum_10);
                            }
                            else
                            {
                                sum_0 = sum_10;
                            }
                        }
                        (*acc_0)[4U * _S153 + r_0] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S50)
                        {
                            break;
                        }
                        int h_5 = dot4_0(q_1[43U], _S155.w, dot4_0(q_1[42U], _S155.z, dot4_0(q_1[41U], _S155.y, dot4_0(q_1[40U], _S155.x, int(0)))));
                        int l_5 = dot4_0(q_1[43U], _S157.w, dot4_0(q_1[42U], _S157.z, dot4_0(q_1[41U], _S157.y, dot4_0(q_1[40U], _S157.x, int(0)))));
                        uint _S253 = q_1[47U];
                        uint _S254 = _S156.w;
                        uint _S255 = q_1[46U];
                        uint _S256 = _S156.z;
                        uint _S257 = q_1[45U];
                        uint _S258 = _S156.y;
                        uint _S259 = q_1[44U];
                        uint _S260 = _S156.x;
                        bool _S261 = parted_0();
                        if(_S261)
                        {
                            _S53 = int(0);
                        }
                        else
                        {
                            _S53 = h_5;
                        }
                        int h2_5 = dot4_0(_S253, _S254, dot4_0(_S255, _S256, dot4_0(_S257, _S258, dot4_0(_S259, _S260, _S53))));
                        uint _S262 = q_1[47U];
                        uint _S263 = _S158.w;
                        uint _S264 = q_1[46U];
                        uint _S265 = _S158.z;
                        uint _S266 = q_1[45U];
                        uint _S267 = _S158.y;
                        uint _S268 = q_1[44U];
                        uint _S269 = _S158.x;
                        if(_S261)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = l_5;
                        }
                        int l2_5 = dot4_0(_S262, _S263, dot4_0(_S264, _S265, dot4_0(_S266, _S267, dot4_0(_S268, _S269, _S54))));
                        float sum_11 = (*acc_0)[5U * _S153 + r_0];
                        if(_S261)
                        {
                            int _S270 = block_zero_0();
                            float v_5 = fma(scales_1[10U], float(h_5 * int(256) + l_5 - _S270 * _S161), scales_1[11U] * float(h2_5 * int(256) + l2_5 - _S270 * _S162));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[10U], float(_S161), fma(least_0[11U], float(_S162), v_5));
                            }
                            else
                            {
                                sum_0 = v_5;
                            }
                            sum_0 = fma(_S160, sum_0, sum_11);
                        }
                        else
                        {
                            float sum_12 = fma(scales_1[10U] * _S160, float(h2_5 * int(256) + l2_5 - block_zero_0() * (_S161 + _S162)), sum_11);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[10U], (as_type<float>((_S159.w))), sum_12);
                            }
                            else
                            {
                                sum_0 = sum_12;
                            }
                        }
                        (*acc_0)[5U * _S153 + r_0] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S51)
                        {
                            break;
                        }
                        int h_6 = dot4_0(q_1[51U], _S155.w, dot4_0(q_1[50U], _S155.z, dot4_0(q_1[49U], _S155.y, dot4_0(q_1[48U], _S155.x, int(0)))));
                        int l_6 = dot4_0(q_1[51U], _S157.w, dot4_0(q_1[50U], _S157.z, dot4_0(q_1[49U], _S157.y, dot4_0(q_1[48U], _S157.x, int(0)))));
                        uint _S271 = q_1[55U];
                        uint _S272 = _S156.w;
                        uint _S273 = q_1[54U];
                        uint _S274 = _S156.z;
                        uint _S275 = q_1[53U];
                        uint _S276 = _S156.y;
                        uint _S277 = q_1[52U];
                        uint _S278 = _S156.x;
                        bool _S279 = parted_0();
                        if(_S279)
                        {
                            _S53 = int(0);
                        }
                        else
                        {
                            _S53 = h_6;
                        }
                        int h2_6 = dot4_0(_S271, _S272, dot4_0(_S273, _S274, dot4_0(_S275, _S276, dot4_0(_S277, _S278, _S53))));
                        uint _S280 = q_1[55U];
                        uint _S281 = _S158.w;
                        uint _S282 = q_1[54U];
                        uint _S283 = _S158.z;
                        uint _S284 = q_1[53U];
                        uint _S285 = _S158.y;
                        uint _S286 = q_1[52U];
                        uint _S287 = _S158.x;
                        if(_S279)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = l_6;
                        }
                        int l2_6 = dot4_0(_S280, _S281, dot4_0(_S282, _S283, dot4_0(_S284, _S285, dot4_0(_S286, _S287, _S54))));
                        float sum_13 = (*acc_0)[6U * _S153 + r_0];
                        if(_S279)
                        {
                            int _S288 = block_zero_0();
                            float v_6 = fma(scales_1[12U], float(h_6 * int(256) + l_6 - _S288 * _S161), scales_1[13U] * float(h2_6 * int(256) + l2_6 - _S288 * _S162));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[12U], float(_S161), fma(least_0[13U], float(_S162), v_6));
                            }
                            else
                            {
                                sum_0 = v_6;
                            }
                            sum_0 = fma(_S160, sum_0, sum_13);
                        }
                        else
                        {
                            float sum_14 = fma(scales_1[12U] * _S160, float(h2_6 * int(256) + l2_6 - block_zero_0() * (_S161 + _S162)), sum_13);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[12U], (as_type<float>((_S159.w))), sum_14);
                            }
                            else
                            {
                                sum_0 = sum_14;
                            }
                        }
                        (*acc_0)[6U * _S153 + r_0] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S52)
                        {
                            break;
                        }
                        int h_7 = dot4_0(q_1[59U], _S155.w, dot4_0(q_1[58U], _S155.z, dot4_0(q_1[57U], _S155.y, dot4_0(q_1[56U], _S155.x, int(0)))));
                        int l_7 = dot4_0(q_1[59U], _S157.w, dot4_0(q_1[58U], _S157.z, dot4_0(q_1[57U], _S157.y, dot4_0(q_1[56U], _S157.x, int(0)))));
                        uint _S289 = q_1[63U];
                        uint _S290 = _S156.w;
                        uint _S291 = q_1[62U];
                        uint _S292 = _S156.z;
                        uint _S293 = q_1[61U];
                        uint _S294 = _S156.y;
                        uint _S295 = q_1[60U];
                        uint _S296 = _S156.x;
                        bool _S297 = parted_0();
                        if(_S297)
                        {
                            _S53 = int(0);
                        }
                        else
                        {
                            _S53 = h_7;
                        }
                        int h2_7 = dot4_0(_S289, _S290, dot4_0(_S291, _S292, dot4_0(_S293, _S294, dot4_0(_S295, _S296, _S53))));
                        uint _S298 = q_1[63U];
                        uint _S299 = _S158.w;
                        uint _S300 = q_1[62U];
                        uint _S301 = _S158.z;
                        uint _S302 = q_1[61U];
                        uint _S303 = _S158.y;
                        uint _S304 = q_1[60U];
                        uint _S305 = _S158.x;
                        if(_S297)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = l_7;
                        }
                        int l2_7 = dot4_0(_S298, _S299, dot4_0(_S300, _S301, dot4_0(_S302, _S303, dot4_0(_S304, _S305, _S54))));
                        float sum_15 = (*acc_0)[7U * _S153 + r_0];
                        if(_S297)
                        {
                            int _S306 = block_zero_0();
                            float v_7 = fma(scales_1[14U], float(h_7 * int(256) + l_7 - _S306 * _S161), scales_1[15U] * float(h2_7 * int(256) + l2_7 - _S306 * _S162));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[14U], float(_S161), fma(least_0[15U], float(_S162), v_7));
                            }
                            else
                            {
                                sum_0 = v_7;
                            }
                            sum_0 = fma(_S160, sum_0, sum_15);
                        }
                        else
                        {
                            float sum_16 = fma(scales_1[14U] * _S160, float(h2_7 * int(256) + l2_7 - block_zero_0() * (_S161 + _S162)), sum_15);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[14U], (as_type<float>((_S159.w))), sum_16);
                            }
                            else
                            {
                                sum_0 = sum_16;
                            }
                        }
                        (*acc_0)[7U * _S153 + r_0] = sum_0;
                        break;
                    }
                    break;
                }
                break;
            }
            r_0 = r_0 + 1U;
        }
        b_4 = b_4 + 64U;
    }
    return;
}
uint input_row_0(uint r_1)
{
    return r_1;
}
uint input_fours_0()
{
    return uint(act_row_bytes_0(0U, C_K_0) / 16UL);
}
float bf16_to_f32_0(uint half_1)
{
    return (as_type<float>((half_1 << 16U)));
}
void octet_floats_0(uchar device* w_3, const Planes_0 thread* p_7, uint o_1, array<float, int(8)> thread* v_8)
{
    if(C_DTYPE_0 == 0U)
    {
        uchar device* _S307 = w_3 + p_7->low_0 + o_1 * 32U;
        float4 _S308 = float4(*(packed_float4 device*)((ulong)(_S307))) ;
        float4 _S309 = float4(*(packed_float4 device*)((ulong)(_S307 + int(16)))) ;
        (*v_8)[int(0)] = _S308.x;
        (*v_8)[int(1)] = _S308.y;
        (*v_8)[int(2)] = _S308.z;
        (*v_8)[int(3)] = _S308.w;
        (*v_8)[int(4)] = _S309.x;
        (*v_8)[int(5)] = _S309.y;
        (*v_8)[int(6)] = _S309.z;
        (*v_8)[int(7)] = _S309.w;
        return;
    }
    uint4 _S310 = uint4(*(packed_uint4 device*)((ulong)(w_3 + p_7->low_0 + o_1 * 16U))) ;
    uint _S311 = _S310.x;
    uint half_2 = (_S311 >> 0U) & 65535U;
    float _S312;
    if(C_DTYPE_0 == 1U)
    {
        _S312 = f16_to_f32_0(half_2);
    }
    else
    {
        _S312 = bf16_to_f32_0(half_2);
    }
    (*v_8)[0U] = _S312;
    uint half_3 = (_S311 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S312 = f16_to_f32_0(half_3);
    }
    else
    {
        _S312 = bf16_to_f32_0(half_3);
    }
    (*v_8)[1U] = _S312;
    uint _S313 = _S310.y;
    uint half_4 = (_S313 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S312 = f16_to_f32_0(half_4);
    }
    else
    {
        _S312 = bf16_to_f32_0(half_4);
    }
    (*v_8)[2U] = _S312;
    uint half_5 = (_S313 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S312 = f16_to_f32_0(half_5);
    }
    else
    {
        _S312 = bf16_to_f32_0(half_5);
    }
    (*v_8)[3U] = _S312;
    uint _S314 = _S310.z;
    uint half_6 = (_S314 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S312 = f16_to_f32_0(half_6);
    }
    else
    {
        _S312 = bf16_to_f32_0(half_6);
    }
    (*v_8)[4U] = _S312;
    uint half_7 = (_S314 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S312 = f16_to_f32_0(half_7);
    }
    else
    {
        _S312 = bf16_to_f32_0(half_7);
    }
    (*v_8)[5U] = _S312;
    uint _S315 = _S310.w;
    uint half_8 = (_S315 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S312 = f16_to_f32_0(half_8);
    }
    else
    {
        _S312 = bf16_to_f32_0(half_8);
    }
    (*v_8)[6U] = _S312;
    uint half_9 = (_S315 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S312 = f16_to_f32_0(half_9);
    }
    else
    {
        _S312 = bf16_to_f32_0(half_9);
    }
    (*v_8)[7U] = _S312;
    return;
}
void octet_codes_0(uchar device* w_4, const Planes_0 thread* p_8, uint o_2, array<float, int(8)> thread* q_2)
{
    uint b_5 = o_2 / 4U;
    uint j_0 = o_2 % 4U;
    thread array<uint, int(8)> v_9;
    uint _S316 = low_bits_0();
    if(_S316 == 8U)
    {
        uint2 _S317 = (uint2(*(packed_uint2 device*)((ulong)(w_4 + p_8->low_0 + o_2 * 8U))) ) ^ (uint2(2155905152U) );
        uint _S318 = _S317.x;
        v_9[0U] = (_S318 >> 0U) & 255U;
        v_9[1U] = (_S318 >> 8U) & 255U;
        v_9[2U] = (_S318 >> 16U) & 255U;
        v_9[3U] = (_S318 >> 24U) & 255U;
        uint _S319 = _S317.y;
        v_9[4U] = (_S319 >> 0U) & 255U;
        v_9[5U] = (_S319 >> 8U) & 255U;
        v_9[6U] = (_S319 >> 16U) & 255U;
        v_9[7U] = (_S319 >> 24U) & 255U;
    }
    else
    {
        if(_S316 == 4U)
        {
            uint c_3 = b_5 % 8U;
            uint at_3;
            if(striped_0())
            {
                at_3 = b_5 / 8U * 128U + (c_3 % 2U * 4U + c_3 / 2U) * 16U;
            }
            else
            {
                at_3 = b_5 * 16U;
            }
            uint2 _S320 = (uint2(*(packed_uint2 device*)((ulong)(w_4 + p_8->low_0 + at_3 + j_0 % 2U * 8U))) ) >> (uint2((j_0 / 2U * 4U)) );
            uint _S321 = _S320.x;
            v_9[0U] = (_S321 >> 0U) & 15U;
            v_9[1U] = (_S321 >> 8U) & 15U;
            v_9[2U] = (_S321 >> 16U) & 15U;
            v_9[3U] = (_S321 >> 24U) & 15U;
            uint _S322 = _S320.y;
            v_9[4U] = (_S322 >> 0U) & 15U;
            v_9[5U] = (_S322 >> 8U) & 15U;
            v_9[6U] = (_S322 >> 16U) & 15U;
            v_9[7U] = (_S322 >> 24U) & 15U;
        }
        else
        {
            uint _S323 = word_at_0(w_4 + p_8->low_0 + b_5 * 8U + j_0 / 2U * 4U);
            uint _S324 = _S323 >> (j_0 % 2U * 4U);
            v_9[0U] = (_S324 >> 0U) & 3U;
            v_9[1U] = (_S324 >> 8U) & 3U;
            v_9[2U] = (_S324 >> 16U) & 3U;
            v_9[3U] = (_S324 >> 24U) & 3U;
            v_9[4U] = (_S324 >> 2U) & 3U;
            v_9[5U] = (_S324 >> 10U) & 3U;
            v_9[6U] = (_S324 >> 18U) & 3U;
            v_9[7U] = (_S324 >> 26U) & 3U;
        }
    }
    uint _S325 = high_bits_0();
    if(_S325 == 2U)
    {
        uint _S326 = word_at_0(w_4 + p_8->high_0 + b_5 * 8U + j_0 / 2U * 4U);
        uint _S327 = _S326 >> (j_0 % 2U * 4U);
        v_9[0U] = (v_9[0U]) | (((_S327 >> 0U) & 3U) << _S316);
        v_9[1U] = (v_9[1U]) | (((_S327 >> 8U) & 3U) << _S316);
        v_9[2U] = (v_9[2U]) | (((_S327 >> 16U) & 3U) << _S316);
        v_9[3U] = (v_9[3U]) | (((_S327 >> 24U) & 3U) << _S316);
        v_9[4U] = (v_9[4U]) | (((_S327 >> 2U) & 3U) << _S316);
        v_9[5U] = (v_9[5U]) | (((_S327 >> 10U) & 3U) << _S316);
        v_9[6U] = (v_9[6U]) | (((_S327 >> 18U) & 3U) << _S316);
        v_9[7U] = (v_9[7U]) | (((_S327 >> 26U) & 3U) << _S316);
    }
    if(_S325 == 1U)
    {
        uint _S328 = word_at_0(w_4 + p_8->high_0 + b_5 * 4U);
        uint _S329 = _S328 >> (j_0 * 2U);
        v_9[0U] = (v_9[0U]) | (((_S329 >> 0U) & 1U) << _S316);
        v_9[1U] = (v_9[1U]) | (((_S329 >> 8U) & 1U) << _S316);
        v_9[2U] = (v_9[2U]) | (((_S329 >> 16U) & 1U) << _S316);
        v_9[3U] = (v_9[3U]) | (((_S329 >> 24U) & 1U) << _S316);
        v_9[4U] = (v_9[4U]) | (((_S329 >> 1U) & 1U) << _S316);
        v_9[5U] = (v_9[5U]) | (((_S329 >> 9U) & 1U) << _S316);
        v_9[6U] = (v_9[6U]) | (((_S329 >> 17U) & 1U) << _S316);
        v_9[7U] = (v_9[7U]) | (((_S329 >> 25U) & 1U) << _S316);
    }
    float _S330 = float(8388608U + zero_0());
    (*q_2)[0U] = (as_type<float>((1258291200U | v_9[0U]))) - _S330;
    (*q_2)[1U] = (as_type<float>((1258291200U | v_9[1U]))) - _S330;
    (*q_2)[2U] = (as_type<float>((1258291200U | v_9[2U]))) - _S330;
    (*q_2)[3U] = (as_type<float>((1258291200U | v_9[3U]))) - _S330;
    (*q_2)[4U] = (as_type<float>((1258291200U | v_9[4U]))) - _S330;
    (*q_2)[5U] = (as_type<float>((1258291200U | v_9[5U]))) - _S330;
    (*q_2)[6U] = (as_type<float>((1258291200U | v_9[6U]))) - _S330;
    (*q_2)[7U] = (as_type<float>((1258291200U | v_9[7U]))) - _S330;
    return;
}
void add_eights_0(const Eight_0 thread* rows_2, uint first_2, uint n_2, uint t_1, array<float, int(32)> thread* acc_1, array<float, int(8)> thread* squares_0, KernelContext_0 thread* kernelContext_2)
{
    uint _S331;
    bool _S332;
    uint _S333;
    uint r_2;
    float2 scale_0;
    float sum_17;
    float sum_18;
    uint o_3 = t_1;
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
        uint r_3 = 0U;
        for(;;)
        {
            uint _S334 = own_0();
            _S331 = _S334;
            if(r_3 < _S334)
            {
            }
            else
            {
                break;
            }
            if(_S334 != 1U)
            {
                _S332 = r_3 >= n_2;
            }
            else
            {
                _S332 = false;
            }
            if(_S332)
            {
                r_3 = r_3 + 1U;
                continue;
            }
            packed_float4 device* _S335 = (packed_float4 device*)((ulong)(kernelContext_2->args_0->x_0)) + ulong(input_row_0(first_2 + r_3)) * ulong(input_fours_0()) + o_3 * 2U;
            float4 _S336 = float4(*(_S335 + int(0))) ;
            float4 _S337 = float4(*(_S335 + int(1))) ;
            uint to_0 = r_3 * 8U;
            float _S338 = _S336.x;
            x_1[to_0] = _S338;
            float _S339 = _S336.y;
            x_1[to_0 + 1U] = _S339;
            float _S340 = _S336.z;
            x_1[to_0 + 2U] = _S340;
            float _S341 = _S336.w;
            x_1[to_0 + 3U] = _S341;
            float _S342 = _S337.x;
            x_1[to_0 + 4U] = _S342;
            float _S343 = _S337.y;
            x_1[to_0 + 5U] = _S343;
            float _S344 = _S337.z;
            x_1[to_0 + 6U] = _S344;
            float _S345 = _S337.w;
            x_1[to_0 + 7U] = _S345;
            if(has_minimum_0())
            {
                whole_0[r_3] = _S338 + _S339 + (_S340 + _S341) + (_S342 + _S343 + (_S344 + _S345));
            }
            r_3 = r_3 + 1U;
        }
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    uint _S346 = outputs_0();
                    _S333 = _S346;
                    if(0U >= _S346)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_3;
                    float2 _S347 = float2(1.0, 0.0);
                    Planes_0 _S348 = of_0(rows_2, 0U);
                    bool _S349 = is_float_0();
                    if(_S349)
                    {
                        uchar device* _S350 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S351 = _S348;
                        octet_floats_0(_S350, &_S351, o_3, &q_3);
                        scale_0 = _S347;
                    }
                    else
                    {
                        uchar device* _S352 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S353 = _S348;
                        octet_codes_0(_S352, &_S353, o_3, &q_3);
                        uchar device* _S354 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S355 = _S348;
                        float2 _S356 = octet_scale_0(_S354, &_S355, o_3);
                        scale_0 = _S356;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S331)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S331 != 1U)
                        {
                            _S332 = r_2 >= n_2;
                        }
                        else
                        {
                            _S332 = false;
                        }
                        if(_S332)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S357 = r_2 * 8U;
                        float _S358 = q_3[int(0)] * x_1[_S357];
                        float sum_19 = (*acc_1)[r_2];
                        float s_2 = fma(q_3[7U], x_1[_S357 + 7U], fma(q_3[6U], x_1[_S357 + 6U], fma(q_3[5U], x_1[_S357 + 5U], fma(q_3[4U], x_1[_S357 + 4U], fma(q_3[3U], x_1[_S357 + 3U], fma(q_3[2U], x_1[_S357 + 2U], fma(q_3[1U], x_1[_S357 + 1U], _S358)))))));
                        if(_S349)
                        {
                            sum_17 = sum_19 + s_2;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_2, sum_19);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_2], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[r_2] = sum_18;
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
                    if(1U >= _S333)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_4;
                    float2 _S359 = float2(1.0, 0.0);
                    Planes_0 _S360 = of_0(rows_2, 1U);
                    bool _S361 = is_float_0();
                    if(_S361)
                    {
                        uchar device* _S362 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S363 = _S360;
                        octet_floats_0(_S362, &_S363, o_3, &q_4);
                        scale_0 = _S359;
                    }
                    else
                    {
                        uchar device* _S364 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S365 = _S360;
                        octet_codes_0(_S364, &_S365, o_3, &q_4);
                        uchar device* _S366 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S367 = _S360;
                        float2 _S368 = octet_scale_0(_S366, &_S367, o_3);
                        scale_0 = _S368;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S331)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S331 != 1U)
                        {
                            _S332 = r_2 >= n_2;
                        }
                        else
                        {
                            _S332 = false;
                        }
                        if(_S332)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S369 = r_2 * 8U;
                        float _S370 = q_4[int(0)] * x_1[_S369];
                        float sum_20 = (*acc_1)[_S331 + r_2];
                        float s_3 = fma(q_4[7U], x_1[_S369 + 7U], fma(q_4[6U], x_1[_S369 + 6U], fma(q_4[5U], x_1[_S369 + 5U], fma(q_4[4U], x_1[_S369 + 4U], fma(q_4[3U], x_1[_S369 + 3U], fma(q_4[2U], x_1[_S369 + 2U], fma(q_4[1U], x_1[_S369 + 1U], _S370)))))));
                        if(_S361)
                        {
                            sum_17 = sum_20 + s_3;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_3, sum_20);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_2], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[_S331 + r_2] = sum_18;
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
                    if(2U >= _S333)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_5;
                    float2 _S371 = float2(1.0, 0.0);
                    Planes_0 _S372 = of_0(rows_2, 2U);
                    bool _S373 = is_float_0();
                    if(_S373)
                    {
                        uchar device* _S374 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S375 = _S372;
                        octet_floats_0(_S374, &_S375, o_3, &q_5);
                        scale_0 = _S371;
                    }
                    else
                    {
                        uchar device* _S376 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S377 = _S372;
                        octet_codes_0(_S376, &_S377, o_3, &q_5);
                        uchar device* _S378 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S379 = _S372;
                        float2 _S380 = octet_scale_0(_S378, &_S379, o_3);
                        scale_0 = _S380;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S331)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S331 != 1U)
                        {
                            _S332 = r_2 >= n_2;
                        }
                        else
                        {
                            _S332 = false;
                        }
                        if(_S332)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S381 = r_2 * 8U;
                        float _S382 = q_5[int(0)] * x_1[_S381];
                        float sum_21 = (*acc_1)[2U * _S331 + r_2];
                        float s_4 = fma(q_5[7U], x_1[_S381 + 7U], fma(q_5[6U], x_1[_S381 + 6U], fma(q_5[5U], x_1[_S381 + 5U], fma(q_5[4U], x_1[_S381 + 4U], fma(q_5[3U], x_1[_S381 + 3U], fma(q_5[2U], x_1[_S381 + 2U], fma(q_5[1U], x_1[_S381 + 1U], _S382)))))));
                        if(_S373)
                        {
                            sum_17 = sum_21 + s_4;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_4, sum_21);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_2], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[2U * _S331 + r_2] = sum_18;
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
                    if(3U >= _S333)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_6;
                    float2 _S383 = float2(1.0, 0.0);
                    Planes_0 _S384 = of_0(rows_2, 3U);
                    bool _S385 = is_float_0();
                    if(_S385)
                    {
                        uchar device* _S386 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S387 = _S384;
                        octet_floats_0(_S386, &_S387, o_3, &q_6);
                        scale_0 = _S383;
                    }
                    else
                    {
                        uchar device* _S388 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S389 = _S384;
                        octet_codes_0(_S388, &_S389, o_3, &q_6);
                        uchar device* _S390 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S391 = _S384;
                        float2 _S392 = octet_scale_0(_S390, &_S391, o_3);
                        scale_0 = _S392;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S331)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S331 != 1U)
                        {
                            _S332 = r_2 >= n_2;
                        }
                        else
                        {
                            _S332 = false;
                        }
                        if(_S332)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S393 = r_2 * 8U;
                        float _S394 = q_6[int(0)] * x_1[_S393];
                        float sum_22 = (*acc_1)[3U * _S331 + r_2];
                        float s_5 = fma(q_6[7U], x_1[_S393 + 7U], fma(q_6[6U], x_1[_S393 + 6U], fma(q_6[5U], x_1[_S393 + 5U], fma(q_6[4U], x_1[_S393 + 4U], fma(q_6[3U], x_1[_S393 + 3U], fma(q_6[2U], x_1[_S393 + 2U], fma(q_6[1U], x_1[_S393 + 1U], _S394)))))));
                        if(_S385)
                        {
                            sum_17 = sum_22 + s_5;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_5, sum_22);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_2], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[3U * _S331 + r_2] = sum_18;
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
                    if(4U >= _S333)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_7;
                    float2 _S395 = float2(1.0, 0.0);
                    Planes_0 _S396 = of_0(rows_2, 4U);
                    bool _S397 = is_float_0();
                    if(_S397)
                    {
                        uchar device* _S398 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S399 = _S396;
                        octet_floats_0(_S398, &_S399, o_3, &q_7);
                        scale_0 = _S395;
                    }
                    else
                    {
                        uchar device* _S400 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S401 = _S396;
                        octet_codes_0(_S400, &_S401, o_3, &q_7);
                        uchar device* _S402 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S403 = _S396;
                        float2 _S404 = octet_scale_0(_S402, &_S403, o_3);
                        scale_0 = _S404;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S331)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S331 != 1U)
                        {
                            _S332 = r_2 >= n_2;
                        }
                        else
                        {
                            _S332 = false;
                        }
                        if(_S332)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S405 = r_2 * 8U;
                        float _S406 = q_7[int(0)] * x_1[_S405];
                        float sum_23 = (*acc_1)[4U * _S331 + r_2];
                        float s_6 = fma(q_7[7U], x_1[_S405 + 7U], fma(q_7[6U], x_1[_S405 + 6U], fma(q_7[5U], x_1[_S405 + 5U], fma(q_7[4U], x_1[_S405 + 4U], fma(q_7[3U], x_1[_S405 + 3U], fma(q_7[2U], x_1[_S405 + 2U], fma(q_7[1U], x_1[_S405 + 1U], _S406)))))));
                        if(_S397)
                        {
                            sum_17 = sum_23 + s_6;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_6, sum_23);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_2], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[4U * _S331 + r_2] = sum_18;
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
                    if(5U >= _S333)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_8;
                    float2 _S407 = float2(1.0, 0.0);
                    Planes_0 _S408 = of_0(rows_2, 5U);
                    bool _S409 = is_float_0();
                    if(_S409)
                    {
                        uchar device* _S410 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S411 = _S408;
                        octet_floats_0(_S410, &_S411, o_3, &q_8);
                        scale_0 = _S407;
                    }
                    else
                    {
                        uchar device* _S412 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S413 = _S408;
                        octet_codes_0(_S412, &_S413, o_3, &q_8);
                        uchar device* _S414 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S415 = _S408;
                        float2 _S416 = octet_scale_0(_S414, &_S415, o_3);
                        scale_0 = _S416;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S331)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S331 != 1U)
                        {
                            _S332 = r_2 >= n_2;
                        }
                        else
                        {
                            _S332 = false;
                        }
                        if(_S332)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S417 = r_2 * 8U;
                        float _S418 = q_8[int(0)] * x_1[_S417];
                        float sum_24 = (*acc_1)[5U * _S331 + r_2];
                        float s_7 = fma(q_8[7U], x_1[_S417 + 7U], fma(q_8[6U], x_1[_S417 + 6U], fma(q_8[5U], x_1[_S417 + 5U], fma(q_8[4U], x_1[_S417 + 4U], fma(q_8[3U], x_1[_S417 + 3U], fma(q_8[2U], x_1[_S417 + 2U], fma(q_8[1U], x_1[_S417 + 1U], _S418)))))));
                        if(_S409)
                        {
                            sum_17 = sum_24 + s_7;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_7, sum_24);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_2], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[5U * _S331 + r_2] = sum_18;
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
                    if(6U >= _S333)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_9;
                    float2 _S419 = float2(1.0, 0.0);
                    Planes_0 _S420 = of_0(rows_2, 6U);
                    bool _S421 = is_float_0();
                    if(_S421)
                    {
                        uchar device* _S422 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S423 = _S420;
                        octet_floats_0(_S422, &_S423, o_3, &q_9);
                        scale_0 = _S419;
                    }
                    else
                    {
                        uchar device* _S424 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S425 = _S420;
                        octet_codes_0(_S424, &_S425, o_3, &q_9);
                        uchar device* _S426 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S427 = _S420;
                        float2 _S428 = octet_scale_0(_S426, &_S427, o_3);
                        scale_0 = _S428;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S331)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S331 != 1U)
                        {
                            _S332 = r_2 >= n_2;
                        }
                        else
                        {
                            _S332 = false;
                        }
                        if(_S332)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S429 = r_2 * 8U;
                        float _S430 = q_9[int(0)] * x_1[_S429];
                        float sum_25 = (*acc_1)[6U * _S331 + r_2];
                        float s_8 = fma(q_9[7U], x_1[_S429 + 7U], fma(q_9[6U], x_1[_S429 + 6U], fma(q_9[5U], x_1[_S429 + 5U], fma(q_9[4U], x_1[_S429 + 4U], fma(q_9[3U], x_1[_S429 + 3U], fma(q_9[2U], x_1[_S429 + 2U], fma(q_9[1U], x_1[_S429 + 1U], _S430)))))));
                        if(_S421)
                        {
                            sum_17 = sum_25 + s_8;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_8, sum_25);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_2], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[6U * _S331 + r_2] = sum_18;
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
                    if(7U >= _S333)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_10;
                    float2 _S431 = float2(1.0, 0.0);
                    Planes_0 _S432 = of_0(rows_2, 7U);
                    bool _S433 = is_float_0();
                    if(_S433)
                    {
                        uchar device* _S434 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S435 = _S432;
                        octet_floats_0(_S434, &_S435, o_3, &q_10);
                        scale_0 = _S431;
                    }
                    else
                    {
                        uchar device* _S436 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S437 = _S432;
                        octet_codes_0(_S436, &_S437, o_3, &q_10);
                        uchar device* _S438 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S439 = _S432;
                        float2 _S440 = octet_scale_0(_S438, &_S439, o_3);
                        scale_0 = _S440;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S331)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S331 != 1U)
                        {
                            _S332 = r_2 >= n_2;
                        }
                        else
                        {
                            _S332 = false;
                        }
                        if(_S332)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S441 = r_2 * 8U;
                        float _S442 = q_10[int(0)] * x_1[_S441];
                        float sum_26 = (*acc_1)[7U * _S331 + r_2];
                        float s_9 = fma(q_10[7U], x_1[_S441 + 7U], fma(q_10[6U], x_1[_S441 + 6U], fma(q_10[5U], x_1[_S441 + 5U], fma(q_10[4U], x_1[_S441 + 4U], fma(q_10[3U], x_1[_S441 + 3U], fma(q_10[2U], x_1[_S441 + 2U], fma(q_10[1U], x_1[_S441 + 1U], _S442)))))));
                        if(_S433)
                        {
                            sum_17 = sum_26 + s_9;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_9, sum_26);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_2], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[7U * _S331 + r_2] = sum_18;
                        r_2 = r_2 + 1U;
                    }
                    break;
                }
                break;
            }
            break;
        }
        o_3 = o_3 + 64U;
    }
    return;
}
struct Product_0
{
    float v_10;
    uint row_1;
    uint column_0;
    bool mine_0;
};
Product_0 product_0(uint tile_1, uint side_0, uint t_2, KernelContext_0 thread* kernelContext_3)
{
    uint _S443;
    uint _S444;
    uint l_8;
    float sum_27;
    uint rows_3;
    if(C_SELECT_0 != 0U)
    {
        rows_3 = kernelContext_3->args_0->step_0->head_rows_0;
    }
    else
    {
        rows_3 = kernelContext_3->args_0->step_0->rows_0;
    }
    uint first_3 = side_0 * 8U;
    uint _S445 = min(8U, rows_3 - min(rows_3, first_3));
    thread Eight_0 rows_at_0;
    Planes_0 _S446 = row_planes_0(weight_row_0(tile_1, 0U));
    (&rows_at_0)->first_0 = _S446;
    (&rows_at_0)->second_0 = row_planes_0(weight_row_0(tile_1, 1U));
    (&rows_at_0)->third_0 = row_planes_0(weight_row_0(tile_1, 2U));
    (&rows_at_0)->fourth_0 = row_planes_0(weight_row_0(tile_1, 3U));
    (&rows_at_0)->eighth_0 = _S446;
    (&rows_at_0)->seventh_0 = _S446;
    (&rows_at_0)->sixth_0 = _S446;
    (&rows_at_0)->fifth_0 = _S446;
    uint _S447 = outputs_0();
    if(_S447 == 8U)
    {
        (&rows_at_0)->fifth_0 = row_planes_0(weight_row_0(tile_1, 4U));
        (&rows_at_0)->sixth_0 = row_planes_0(weight_row_0(tile_1, 5U));
        (&rows_at_0)->seventh_0 = row_planes_0(weight_row_0(tile_1, 6U));
        (&rows_at_0)->eighth_0 = row_planes_0(weight_row_0(tile_1, 7U));
    }
    thread array<float, int(32)> acc_2;
    thread array<float, int(8)> squares_1;
    acc_2[0U] = 0.0;
    acc_2[1U] = 0.0;
    acc_2[2U] = 0.0;
    acc_2[3U] = 0.0;
    acc_2[4U] = 0.0;
    acc_2[5U] = 0.0;
    acc_2[6U] = 0.0;
    acc_2[7U] = 0.0;
    acc_2[8U] = 0.0;
    acc_2[9U] = 0.0;
    acc_2[10U] = 0.0;
    acc_2[11U] = 0.0;
    acc_2[12U] = 0.0;
    acc_2[13U] = 0.0;
    acc_2[14U] = 0.0;
    acc_2[15U] = 0.0;
    acc_2[16U] = 0.0;
    acc_2[17U] = 0.0;
    acc_2[18U] = 0.0;
    acc_2[19U] = 0.0;
    acc_2[20U] = 0.0;
    acc_2[21U] = 0.0;
    acc_2[22U] = 0.0;
    acc_2[23U] = 0.0;
    acc_2[24U] = 0.0;
    acc_2[25U] = 0.0;
    acc_2[26U] = 0.0;
    acc_2[27U] = 0.0;
    acc_2[28U] = 0.0;
    acc_2[29U] = 0.0;
    acc_2[30U] = 0.0;
    acc_2[31U] = 0.0;
    squares_1[0U] = 0.0;
    squares_1[1U] = 0.0;
    squares_1[2U] = 0.0;
    squares_1[3U] = 0.0;
    squares_1[4U] = 0.0;
    squares_1[5U] = 0.0;
    squares_1[6U] = 0.0;
    squares_1[7U] = 0.0;
    if(C_ACT_0 == 6U)
    {
        thread Eight_0 _S448 = rows_at_0;
        add_blocks_0(&_S448, first_3, _S445, t_2, &acc_2, kernelContext_3);
    }
    else
    {
        thread Eight_0 _S449 = rows_at_0;
        add_eights_0(&_S449, first_3, _S445, t_2, &acc_2, &squares_1, kernelContext_3);
    }
    for(;;)
    {
        for(;;)
        {
            for(;;)
            {
                uint _S450 = own_0();
                _S443 = _S450;
                uint _S451 = _S447 * _S450;
                _S444 = _S451;
                if(0U >= _S451)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(0U < _S451)
                {
                    (*kernelContext_3->partial_0)[t_2] = acc_2[0U];
                }
                if(1U < _S451)
                {
                    (*kernelContext_3->partial_0)[72U + t_2] = acc_2[1U];
                }
                if(2U < _S451)
                {
                    (*kernelContext_3->partial_0)[144U + t_2] = acc_2[2U];
                }
                if(3U < _S451)
                {
                    (*kernelContext_3->partial_0)[216U + t_2] = acc_2[3U];
                }
                if(4U < _S451)
                {
                    (*kernelContext_3->partial_0)[288U + t_2] = acc_2[4U];
                }
                if(5U < _S451)
                {
                    (*kernelContext_3->partial_0)[360U + t_2] = acc_2[5U];
                }
                if(6U < _S451)
                {
                    (*kernelContext_3->partial_0)[432U + t_2] = acc_2[6U];
                }
                if(7U < _S451)
                {
                    (*kernelContext_3->partial_0)[504U + t_2] = acc_2[7U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_10 = t_2 / 8U;
                if(s_10 < _S451)
                {
                    uint _S452 = s_10 * 72U;
                    uint _S453 = t_2 % 8U;
                    float _S454 = (*kernelContext_3->partial_0)[_S452 + _S453];
                    l_8 = 1U;
                    sum_27 = _S454;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S455 = sum_27 + (*kernelContext_3->partial_0)[_S452 + l_8 * 8U + _S453];
                        l_8 = l_8 + 1U;
                        sum_27 = _S455;
                    }
                    (*kernelContext_3->eighths_0)[s_10 * 8U + _S453] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(8U >= _S444)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(8U < _S444)
                {
                    (*kernelContext_3->partial_0)[t_2] = acc_2[8U];
                }
                if(9U < _S444)
                {
                    (*kernelContext_3->partial_0)[72U + t_2] = acc_2[9U];
                }
                if(10U < _S444)
                {
                    (*kernelContext_3->partial_0)[144U + t_2] = acc_2[10U];
                }
                if(11U < _S444)
                {
                    (*kernelContext_3->partial_0)[216U + t_2] = acc_2[11U];
                }
                if(12U < _S444)
                {
                    (*kernelContext_3->partial_0)[288U + t_2] = acc_2[12U];
                }
                if(13U < _S444)
                {
                    (*kernelContext_3->partial_0)[360U + t_2] = acc_2[13U];
                }
                if(14U < _S444)
                {
                    (*kernelContext_3->partial_0)[432U + t_2] = acc_2[14U];
                }
                if(15U < _S444)
                {
                    (*kernelContext_3->partial_0)[504U + t_2] = acc_2[15U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_11 = t_2 / 8U;
                uint _S456 = 8U + s_11;
                if(_S456 < _S444)
                {
                    uint _S457 = s_11 * 72U;
                    uint _S458 = t_2 % 8U;
                    float _S459 = (*kernelContext_3->partial_0)[_S457 + _S458];
                    l_8 = 1U;
                    sum_27 = _S459;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S460 = sum_27 + (*kernelContext_3->partial_0)[_S457 + l_8 * 8U + _S458];
                        l_8 = l_8 + 1U;
                        sum_27 = _S460;
                    }
                    (*kernelContext_3->eighths_0)[_S456 * 8U + _S458] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(16U >= _S444)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(16U < _S444)
                {
                    (*kernelContext_3->partial_0)[t_2] = acc_2[16U];
                }
                if(17U < _S444)
                {
                    (*kernelContext_3->partial_0)[72U + t_2] = acc_2[17U];
                }
                if(18U < _S444)
                {
                    (*kernelContext_3->partial_0)[144U + t_2] = acc_2[18U];
                }
                if(19U < _S444)
                {
                    (*kernelContext_3->partial_0)[216U + t_2] = acc_2[19U];
                }
                if(20U < _S444)
                {
                    (*kernelContext_3->partial_0)[288U + t_2] = acc_2[20U];
                }
                if(21U < _S444)
                {
                    (*kernelContext_3->partial_0)[360U + t_2] = acc_2[21U];
                }
                if(22U < _S444)
                {
                    (*kernelContext_3->partial_0)[432U + t_2] = acc_2[22U];
                }
                if(23U < _S444)
                {
                    (*kernelContext_3->partial_0)[504U + t_2] = acc_2[23U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_12 = t_2 / 8U;
                uint _S461 = 16U + s_12;
                if(_S461 < _S444)
                {
                    uint _S462 = s_12 * 72U;
                    uint _S463 = t_2 % 8U;
                    float _S464 = (*kernelContext_3->partial_0)[_S462 + _S463];
                    l_8 = 1U;
                    sum_27 = _S464;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S465 = sum_27 + (*kernelContext_3->partial_0)[_S462 + l_8 * 8U + _S463];
                        l_8 = l_8 + 1U;
                        sum_27 = _S465;
                    }
                    (*kernelContext_3->eighths_0)[_S461 * 8U + _S463] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(24U >= _S444)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(24U < _S444)
                {
                    (*kernelContext_3->partial_0)[t_2] = acc_2[24U];
                }
                if(25U < _S444)
                {
                    (*kernelContext_3->partial_0)[72U + t_2] = acc_2[25U];
                }
                if(26U < _S444)
                {
                    (*kernelContext_3->partial_0)[144U + t_2] = acc_2[26U];
                }
                if(27U < _S444)
                {
                    (*kernelContext_3->partial_0)[216U + t_2] = acc_2[27U];
                }
                if(28U < _S444)
                {
                    (*kernelContext_3->partial_0)[288U + t_2] = acc_2[28U];
                }
                if(29U < _S444)
                {
                    (*kernelContext_3->partial_0)[360U + t_2] = acc_2[29U];
                }
                if(30U < _S444)
                {
                    (*kernelContext_3->partial_0)[432U + t_2] = acc_2[30U];
                }
                if(31U < _S444)
                {
                    (*kernelContext_3->partial_0)[504U + t_2] = acc_2[31U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_13 = t_2 / 8U;
                uint _S466 = 24U + s_13;
                if(_S466 < _S444)
                {
                    uint _S467 = s_13 * 72U;
                    uint _S468 = t_2 % 8U;
                    float _S469 = (*kernelContext_3->partial_0)[_S467 + _S468];
                    l_8 = 1U;
                    sum_27 = _S469;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S470 = sum_27 + (*kernelContext_3->partial_0)[_S467 + l_8 * 8U + _S468];
                        l_8 = l_8 + 1U;
                        sum_27 = _S470;
                    }
                    (*kernelContext_3->eighths_0)[_S466 * 8U + _S468] = sum_27;
                }
                break;
            }
            break;
        }
        break;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    thread Product_0 p_9;
    (&p_9)->v_10 = 0.0;
    uint _S471 = t_2 % _S443;
    (&p_9)->row_1 = first_3 + _S471;
    uint _S472 = tile_1 * _S447;
    uint _S473 = t_2 / _S443;
    (&p_9)->column_0 = _S472 + _S473;
    bool _S474 = t_2 < _S444;
    bool _S475;
    if(_S474)
    {
        _S475 = _S471 < _S445;
    }
    else
    {
        _S475 = false;
    }
    if(_S475)
    {
        _S475 = ((&p_9)->column_0) < C_N_0;
    }
    else
    {
        _S475 = false;
    }
    (&p_9)->mine_0 = _S475;
    if(_S474)
    {
        l_8 = 0U;
        for(;;)
        {
            if(l_8 < 8U)
            {
            }
            else
            {
                break;
            }
            (&p_9)->v_10 = (&p_9)->v_10 + (*kernelContext_3->eighths_0)[t_2 * 8U + l_8];
            l_8 = l_8 + 1U;
        }
    }
    return p_9;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_4;
    (&kernelContext_4)->args_0 = args_1;
    threadgroup array<float, int(576)> partial_1;
    (&kernelContext_4)->partial_0 = &partial_1;
    threadgroup array<float, int(256)> eighths_1;
    (&kernelContext_4)->eighths_0 = &eighths_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S476 = stopped_0(&kernelContext_4);
    if(_S476)
    {
        return;
    }
    uint tile_2 = group_0.x;
    for(;;)
    {
        uint _S477 = product_tiles_0();
        if(tile_2 < _S477)
        {
        }
        else
        {
            break;
        }
        Product_0 _S478 = product_0(tile_2, group_0.y, sv_groupindex_0, &kernelContext_4);
        ulong at_4 = ulong(_S478.row_1) * ulong(C_OUT_STRIDE_0) + ulong(C_OUT_COL_0) + ulong(_S478.column_0);
        if(_S478.mine_0)
        {
            *((float device*)((ulong)((&kernelContext_4)->args_0->out_0)) + at_4) = *((float device*)((ulong)((&kernelContext_4)->args_0->residual_0)) + at_4) + _S478.v_10;
        }
        uint _S479 = product_tiles_0();
        tile_2 = tile_2 + min(_S479, 65535U);
    }
    return;
}
