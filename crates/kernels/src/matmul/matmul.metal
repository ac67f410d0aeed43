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
constant uint fc_C_ACT_0 [[function_constant(2)]];
constant uint C_ACT_0 = is_function_constant_defined(fc_C_ACT_0) ? fc_C_ACT_0 : 1U;
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
uint inputs_0(KernelContext_0 thread* kernelContext_1)
{
    uint _S3;
    if(C_SELECT_0 != 0U)
    {
        _S3 = kernelContext_1->args_0->step_0->head_rows_0;
    }
    else
    {
        _S3 = kernelContext_1->args_0->step_0->rows_0;
    }
    return _S3;
}
uint own_0()
{
    uint _S4;
    if(C_MAX_ROWS_0 == 1U)
    {
        _S4 = 1U;
    }
    else
    {
        _S4 = 8U;
    }
    return _S4;
}
uint weight_row_0(uint tile_0, uint side_0, uint i_0)
{
    return min(tile_0 * outputs_0() + i_0, C_N_0 - 1U);
}
bool is_float_0()
{
    bool _S5;
    if(C_DTYPE_0 == 0U)
    {
        _S5 = true;
    }
    else
    {
        _S5 = C_DTYPE_0 == 1U;
    }
    if(_S5)
    {
        _S5 = true;
    }
    else
    {
        _S5 = C_DTYPE_0 == 30U;
    }
    return _S5;
}
uint low_bits_0()
{
    int _S6;
    if(C_DTYPE_0 == 8U)
    {
        _S6 = int(8);
    }
    else
    {
        bool _S7;
        if(C_DTYPE_0 == 10U)
        {
            _S7 = true;
        }
        else
        {
            _S7 = C_DTYPE_0 == 11U;
        }
        if(_S7)
        {
            _S6 = int(2);
        }
        else
        {
            _S6 = int(4);
        }
    }
    return uint(_S6);
}
uint high_bits_0()
{
    int _S8;
    if(C_DTYPE_0 == 14U)
    {
        _S8 = int(2);
    }
    else
    {
        bool _S9;
        if(C_DTYPE_0 == 6U)
        {
            _S9 = true;
        }
        else
        {
            _S9 = C_DTYPE_0 == 7U;
        }
        if(_S9)
        {
            _S9 = true;
        }
        else
        {
            _S9 = C_DTYPE_0 == 13U;
        }
        if(_S9)
        {
            _S9 = true;
        }
        else
        {
            _S9 = C_DTYPE_0 == 11U;
        }
        if(_S9)
        {
            _S8 = int(1);
        }
        else
        {
            _S8 = int(0);
        }
    }
    return uint(_S8);
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
        int _S10;
        if(C_DTYPE_0 == 0U)
        {
            _S10 = int(4);
        }
        else
        {
            _S10 = int(2);
        }
        ulong _S11 = at_0 * ulong(_S10);
        (&p_0)->low_0 = _S11;
        (&p_0)->super_0 = _S11;
        (&p_0)->scales_0 = _S11;
        (&p_0)->high_0 = _S11;
        return p_0;
    }
    ulong _S12 = ulong(low_bits_0());
    ulong above_0 = ulong(C_N_0) * ulong(C_K_0) / 8UL * _S12;
    ulong _S13 = ulong(high_bits_0());
    ulong rest_0 = above_0 + ulong(C_N_0) * ulong(C_K_0) / 8UL * _S13;
    (&p_0)->low_0 = at_0 / 8UL * _S12;
    (&p_0)->high_0 = above_0 + at_0 / 8UL * _S13;
    (&p_0)->super_0 = rest_0;
    (&p_0)->scales_0 = rest_0;
    bool _S14;
    if(C_DTYPE_0 == 2U)
    {
        _S14 = true;
    }
    else
    {
        _S14 = C_DTYPE_0 == 6U;
    }
    if(_S14)
    {
        _S14 = true;
    }
    else
    {
        _S14 = C_DTYPE_0 == 8U;
    }
    if(_S14)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 16UL;
    }
    if(C_DTYPE_0 == 3U)
    {
        _S14 = true;
    }
    else
    {
        _S14 = C_DTYPE_0 == 7U;
    }
    if(_S14)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 8UL;
    }
    if(C_DTYPE_0 == 12U)
    {
        _S14 = true;
    }
    else
    {
        _S14 = C_DTYPE_0 == 13U;
    }
    if(_S14)
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
    uint _S15;
    if(act_0 == 0U)
    {
        _S15 = 4U * n_0;
    }
    else
    {
        if(act_0 == 6U)
        {
            _S15 = n_0 / 32U * 80U;
        }
        else
        {
            _S15 = 2U * n_0;
        }
    }
    return ulong(_S15);
}
ulong act_row_bytes_0(uint act_1, uint k_0)
{
    return (((act_bytes_0(act_1, k_0) + 63UL) / 64UL) | 1UL) * 64UL;
}
uint input_row_0(uint r_0)
{
    return r_0;
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
    Planes_0 _S16;
    if(i_1 == 0U)
    {
        _S16 = at_1->first_0;
    }
    else
    {
        if(i_1 == 1U)
        {
            _S16 = at_1->second_0;
        }
        else
        {
            if(i_1 == 2U)
            {
                _S16 = at_1->third_0;
            }
            else
            {
                if(i_1 == 3U)
                {
                    _S16 = at_1->fourth_0;
                }
                else
                {
                    if(i_1 == 4U)
                    {
                        _S16 = at_1->fifth_0;
                    }
                    else
                    {
                        if(i_1 == 5U)
                        {
                            _S16 = at_1->sixth_0;
                        }
                        else
                        {
                            if(i_1 == 6U)
                            {
                                _S16 = at_1->seventh_0;
                            }
                            else
                            {
                                _S16 = at_1->eighth_0;
                            }
                        }
                    }
                }
            }
        }
    }
    return _S16;
}
bool striped_0()
{
    bool _S17;
    if(C_DTYPE_0 == 12U)
    {
        _S17 = true;
    }
    else
    {
        _S17 = C_DTYPE_0 == 13U;
    }
    if(_S17)
    {
        _S17 = true;
    }
    else
    {
        _S17 = C_DTYPE_0 == 14U;
    }
    return _S17;
}
uint word_at_0(uchar device* p_1)
{
    return *(uint device*)((ulong)(p_1));
}
void block_codes_0(uchar device* w_1, const Planes_0 thread* p_2, uint b_0, array<uint, int(8)> thread* q_0)
{
    uint _S18 = low_bits_0();
    if(_S18 == 8U)
    {
        uchar device* _S19 = w_1 + p_2->low_0 + b_0 * 32U;
        uint4 _S20 = uint4(*(packed_uint4 device*)((ulong)(_S19))) ;
        uint4 _S21 = uint4(*(packed_uint4 device*)((ulong)(_S19 + int(16)))) ;
        (*q_0)[int(0)] = _S20.x;
        (*q_0)[int(1)] = _S20.y;
        (*q_0)[int(2)] = _S20.z;
        (*q_0)[int(3)] = _S20.w;
        (*q_0)[int(4)] = _S21.x;
        (*q_0)[int(5)] = _S21.y;
        (*q_0)[int(6)] = _S21.z;
        (*q_0)[int(7)] = _S21.w;
    }
    else
    {
        if(_S18 == 4U)
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
            uint4 _S22 = uint4(*(packed_uint4 device*)((ulong)(w_1 + p_2->low_0 + at_2))) ;
            uint _S23 = _S22.x;
            (*q_0)[int(0)] = _S23 & 252645135U;
            uint _S24 = _S22.y;
            (*q_0)[int(1)] = _S24 & 252645135U;
            uint _S25 = _S22.z;
            (*q_0)[int(2)] = _S25 & 252645135U;
            uint _S26 = _S22.w;
            (*q_0)[int(3)] = _S26 & 252645135U;
            (*q_0)[int(4)] = (_S23 >> 4U) & 252645135U;
            (*q_0)[int(5)] = (_S24 >> 4U) & 252645135U;
            (*q_0)[int(6)] = (_S25 >> 4U) & 252645135U;
            (*q_0)[int(7)] = (_S26 >> 4U) & 252645135U;
        }
        else
        {
            uint2 _S27 = uint2(*(packed_uint2 device*)((ulong)(w_1 + p_2->low_0 + b_0 * 8U))) ;
            uint _S28 = _S27.x;
            (*q_0)[0U] = (_S28 >> 0U) & 50529027U;
            (*q_0)[1U] = (_S28 >> 2U) & 50529027U;
            (*q_0)[2U] = (_S28 >> 4U) & 50529027U;
            (*q_0)[3U] = (_S28 >> 6U) & 50529027U;
            uint _S29 = _S27.y;
            (*q_0)[4U] = (_S29 >> 0U) & 50529027U;
            (*q_0)[5U] = (_S29 >> 2U) & 50529027U;
            (*q_0)[6U] = (_S29 >> 4U) & 50529027U;
            (*q_0)[7U] = (_S29 >> 6U) & 50529027U;
        }
    }
    uint _S30 = high_bits_0();
    if(_S30 == 2U)
    {
        uint2 _S31 = uint2(*(packed_uint2 device*)((ulong)(w_1 + p_2->high_0 + b_0 * 8U))) ;
        uint _S32 = _S31.x;
        (*q_0)[0U] = ((*q_0)[0U]) | (((_S32 >> 0U) & 50529027U) << _S18);
        (*q_0)[1U] = ((*q_0)[1U]) | (((_S32 >> 2U) & 50529027U) << _S18);
        (*q_0)[2U] = ((*q_0)[2U]) | (((_S32 >> 4U) & 50529027U) << _S18);
        (*q_0)[3U] = ((*q_0)[3U]) | (((_S32 >> 6U) & 50529027U) << _S18);
        uint _S33 = _S31.y;
        (*q_0)[4U] = ((*q_0)[4U]) | (((_S33 >> 0U) & 50529027U) << _S18);
        (*q_0)[5U] = ((*q_0)[5U]) | (((_S33 >> 2U) & 50529027U) << _S18);
        (*q_0)[6U] = ((*q_0)[6U]) | (((_S33 >> 4U) & 50529027U) << _S18);
        (*q_0)[7U] = ((*q_0)[7U]) | (((_S33 >> 6U) & 50529027U) << _S18);
    }
    if(_S30 == 1U)
    {
        uint _S34 = word_at_0(w_1 + p_2->high_0 + b_0 * 4U);
        (*q_0)[0U] = ((*q_0)[0U]) | (((_S34 >> 0U) & 16843009U) << _S18);
        (*q_0)[1U] = ((*q_0)[1U]) | (((_S34 >> 1U) & 16843009U) << _S18);
        (*q_0)[2U] = ((*q_0)[2U]) | (((_S34 >> 2U) & 16843009U) << _S18);
        (*q_0)[3U] = ((*q_0)[3U]) | (((_S34 >> 3U) & 16843009U) << _S18);
        (*q_0)[4U] = ((*q_0)[4U]) | (((_S34 >> 4U) & 16843009U) << _S18);
        (*q_0)[5U] = ((*q_0)[5U]) | (((_S34 >> 5U) & 16843009U) << _S18);
        (*q_0)[6U] = ((*q_0)[6U]) | (((_S34 >> 6U) & 16843009U) << _S18);
        (*q_0)[7U] = ((*q_0)[7U]) | (((_S34 >> 7U) & 16843009U) << _S18);
    }
    return;
}
bool parted_0()
{
    bool _S35;
    if(C_DTYPE_0 == 10U)
    {
        _S35 = true;
    }
    else
    {
        _S35 = C_DTYPE_0 == 11U;
    }
    if(_S35)
    {
        _S35 = true;
    }
    else
    {
        _S35 = C_DTYPE_0 == 14U;
    }
    return _S35;
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
    uint _S36 = half_at_0(p_5);
    return f16_to_f32_0(_S36);
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
    bool _S37;
    if(C_DTYPE_0 == 3U)
    {
        _S37 = true;
    }
    else
    {
        _S37 = C_DTYPE_0 == 7U;
    }
    if(_S37)
    {
        uint dm_0 = word_at_0(w_2 + p_6->scales_0 + b_2 * 4U);
        return float2(f16_to_f32_0(dm_0), f16_to_f32_0(dm_0 >> 16U));
    }
    if(C_DTYPE_0 == 12U)
    {
        _S37 = true;
    }
    else
    {
        _S37 = C_DTYPE_0 == 13U;
    }
    if(_S37)
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
        uint _S38 = six_bits_0(w_2 + p_6->scales_0 + super_1 * 12U, o_0 / 2U % 16U);
        int s_1 = int(_S38) - int(32);
        float _S39 = scale_at_0(w_2 + p_6->super_0 + super_1 * 2U);
        return float2(_S39 * float(s_1), 0.0);
    }
    if(C_DTYPE_0 == 14U)
    {
        float _S40 = scale_at_0(w_2 + p_6->super_0 + super_1 * 2U);
        return float2(_S40 * float(signed_byte_0(*(w_2 + (p_6->scales_0 + ulong(o_0 / 2U))))), 0.0);
    }
    float _S41 = scale_at_0(w_2 + p_6->scales_0 + b_2 * 2U);
    return float2(_S41, 0.0);
}
int dot4_0(uint a_0, uint b_3, int c_2)
{
    return c_2 + (int(a_0 << 24U) >> 24U) * (int(b_3 << 24U) >> 24U) + (int(a_0 << 16U) >> 24U) * (int(b_3 << 16U) >> 24U) + (int(a_0 << 8U) >> 24U) * (int(b_3 << 8U) >> 24U) + (int(a_0 << 0U) >> 24U) * (int(b_3 << 0U) >> 24U);
}
uint zero_0()
{
    int _S42;
    if(C_DTYPE_0 == 2U)
    {
        _S42 = int(8);
    }
    else
    {
        if(C_DTYPE_0 == 6U)
        {
            _S42 = int(16);
        }
        else
        {
            if(C_DTYPE_0 == 8U)
            {
                _S42 = int(128);
            }
            else
            {
                if(C_DTYPE_0 == 11U)
                {
                    _S42 = int(4);
                }
                else
                {
                    if(C_DTYPE_0 == 14U)
                    {
                        _S42 = int(32);
                    }
                    else
                    {
                        _S42 = int(0);
                    }
                }
            }
        }
    }
    return uint(_S42);
}
int block_zero_0()
{
    int _S43;
    if(C_DTYPE_0 == 8U)
    {
        _S43 = int(0);
    }
    else
    {
        _S43 = int(zero_0());
    }
    return _S43;
}
bool has_minimum_0()
{
    bool _S44;
    if(C_DTYPE_0 == 3U)
    {
        _S44 = true;
    }
    else
    {
        _S44 = C_DTYPE_0 == 7U;
    }
    if(_S44)
    {
        _S44 = true;
    }
    else
    {
        _S44 = C_DTYPE_0 == 12U;
    }
    if(_S44)
    {
        _S44 = true;
    }
    else
    {
        _S44 = C_DTYPE_0 == 13U;
    }
    if(_S44)
    {
        _S44 = true;
    }
    else
    {
        _S44 = C_DTYPE_0 == 10U;
    }
    return _S44;
}
void add_blocks_0(const Eight_0 thread* rows_1, uint first_1, uint n_1, uint t_0, array<float, int(32)> thread* acc_0, KernelContext_0 thread* kernelContext_2)
{
    uint _S45;
    bool _S46;
    bool _S47;
    bool _S48;
    bool _S49;
    bool _S50;
    bool _S51;
    bool _S52;
    bool _S53;
    int _S54;
    int _S55;
    float sum_0;
    ulong stride_0 = act_row_bytes_0(6U, C_K_0);
    uchar device* _S56 = kernelContext_2->args_0->x_0 + ulong(input_row_0(first_1)) * stride_0;
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
                    uint _S57 = outputs_0();
                    _S45 = _S57;
                    bool _S58 = 0U >= _S57;
                    _S46 = _S58;
                    if(_S58)
                    {
                        break;
                    }
                    uchar device* _S59 = kernelContext_2->args_0->w_0;
                    Planes_0 _S60 = of_0(rows_1, 0U);
                    thread Planes_0 _S61 = _S60;
                    thread array<uint, int(8)> words_0;
                    block_codes_0(_S59, &_S61, b_4, &words_0);
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
                        uchar device* _S62 = kernelContext_2->args_0->w_0;
                        uint _S63 = b_4 * 4U;
                        thread Planes_0 _S64 = _S60;
                        float2 _S65 = octet_scale_0(_S62, &_S64, _S63);
                        scales_1[0U] = _S65.x;
                        least_0[0U] = _S65.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S66 = kernelContext_2->args_0->w_0;
                                uint _S67 = _S63 + 2U;
                                thread Planes_0 _S68 = _S60;
                                float2 _S69 = octet_scale_0(_S66, &_S68, _S67);
                                scales_1[1U] = _S69.x;
                                least_0[1U] = _S69.y;
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
                    bool _S70 = 1U >= _S45;
                    _S47 = _S70;
                    if(_S70)
                    {
                        break;
                    }
                    uchar device* _S71 = kernelContext_2->args_0->w_0;
                    Planes_0 _S72 = of_0(rows_1, 1U);
                    thread Planes_0 _S73 = _S72;
                    thread array<uint, int(8)> words_1;
                    block_codes_0(_S71, &_S73, b_4, &words_1);
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
                        uchar device* _S74 = kernelContext_2->args_0->w_0;
                        uint _S75 = b_4 * 4U;
                        thread Planes_0 _S76 = _S72;
                        float2 _S77 = octet_scale_0(_S74, &_S76, _S75);
                        scales_1[2U] = _S77.x;
                        least_0[2U] = _S77.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S78 = kernelContext_2->args_0->w_0;
                                uint _S79 = _S75 + 2U;
                                thread Planes_0 _S80 = _S72;
                                float2 _S81 = octet_scale_0(_S78, &_S80, _S79);
                                scales_1[3U] = _S81.x;
                                least_0[3U] = _S81.y;
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
                    bool _S82 = 2U >= _S45;
                    _S48 = _S82;
                    if(_S82)
                    {
                        break;
                    }
                    uchar device* _S83 = kernelContext_2->args_0->w_0;
                    Planes_0 _S84 = of_0(rows_1, 2U);
                    thread Planes_0 _S85 = _S84;
                    thread array<uint, int(8)> words_2;
                    block_codes_0(_S83, &_S85, b_4, &words_2);
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
                        uchar device* _S86 = kernelContext_2->args_0->w_0;
                        uint _S87 = b_4 * 4U;
                        thread Planes_0 _S88 = _S84;
                        float2 _S89 = octet_scale_0(_S86, &_S88, _S87);
                        scales_1[4U] = _S89.x;
                        least_0[4U] = _S89.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S90 = kernelContext_2->args_0->w_0;
                                uint _S91 = _S87 + 2U;
                                thread Planes_0 _S92 = _S84;
                                float2 _S93 = octet_scale_0(_S90, &_S92, _S91);
                                scales_1[5U] = _S93.x;
                                least_0[5U] = _S93.y;
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
                    bool _S94 = 3U >= _S45;
                    _S49 = _S94;
                    if(_S94)
                    {
                        break;
                    }
                    uchar device* _S95 = kernelContext_2->args_0->w_0;
                    Planes_0 _S96 = of_0(rows_1, 3U);
                    thread Planes_0 _S97 = _S96;
                    thread array<uint, int(8)> words_3;
                    block_codes_0(_S95, &_S97, b_4, &words_3);
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
                        uchar device* _S98 = kernelContext_2->args_0->w_0;
                        uint _S99 = b_4 * 4U;
                        thread Planes_0 _S100 = _S96;
                        float2 _S101 = octet_scale_0(_S98, &_S100, _S99);
                        scales_1[6U] = _S101.x;
                        least_0[6U] = _S101.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S102 = kernelContext_2->args_0->w_0;
                                uint _S103 = _S99 + 2U;
                                thread Planes_0 _S104 = _S96;
                                float2 _S105 = octet_scale_0(_S102, &_S104, _S103);
                                scales_1[7U] = _S105.x;
                                least_0[7U] = _S105.y;
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
                    bool _S106 = 4U >= _S45;
                    _S50 = _S106;
                    if(_S106)
                    {
                        break;
                    }
                    uchar device* _S107 = kernelContext_2->args_0->w_0;
                    Planes_0 _S108 = of_0(rows_1, 4U);
                    thread Planes_0 _S109 = _S108;
                    thread array<uint, int(8)> words_4;
                    block_codes_0(_S107, &_S109, b_4, &words_4);
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
                        uchar device* _S110 = kernelContext_2->args_0->w_0;
                        uint _S111 = b_4 * 4U;
                        thread Planes_0 _S112 = _S108;
                        float2 _S113 = octet_scale_0(_S110, &_S112, _S111);
                        scales_1[8U] = _S113.x;
                        least_0[8U] = _S113.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S114 = kernelContext_2->args_0->w_0;
                                uint _S115 = _S111 + 2U;
                                thread Planes_0 _S116 = _S108;
                                float2 _S117 = octet_scale_0(_S114, &_S116, _S115);
                                scales_1[9U] = _S117.x;
                                least_0[9U] = _S117.y;
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
                    bool _S118 = 5U >= _S45;
                    _S51 = _S118;
                    if(_S118)
                    {
                        break;
                    }
                    uchar device* _S119 = kernelContext_2->args_0->w_0;
                    Planes_0 _S120 = of_0(rows_1, 5U);
                    thread Planes_0 _S121 = _S120;
                    thread array<uint, int(8)> words_5;
                    block_codes_0(_S119, &_S121, b_4, &words_5);
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
                        uchar device* _S122 = kernelContext_2->args_0->w_0;
                        uint _S123 = b_4 * 4U;
                        thread Planes_0 _S124 = _S120;
                        float2 _S125 = octet_scale_0(_S122, &_S124, _S123);
                        scales_1[10U] = _S125.x;
                        least_0[10U] = _S125.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S126 = kernelContext_2->args_0->w_0;
                                uint _S127 = _S123 + 2U;
                                thread Planes_0 _S128 = _S120;
                                float2 _S129 = octet_scale_0(_S126, &_S128, _S127);
                                scales_1[11U] = _S129.x;
                                least_0[11U] = _S129.y;
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
                    bool _S130 = 6U >= _S45;
                    _S52 = _S130;
                    if(_S130)
                    {
                        break;
                    }
                    uchar device* _S131 = kernelContext_2->args_0->w_0;
                    Planes_0 _S132 = of_0(rows_1, 6U);
                    thread Planes_0 _S133 = _S132;
                    thread array<uint, int(8)> words_6;
                    block_codes_0(_S131, &_S133, b_4, &words_6);
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
                        uchar device* _S134 = kernelContext_2->args_0->w_0;
                        uint _S135 = b_4 * 4U;
                        thread Planes_0 _S136 = _S132;
                        float2 _S137 = octet_scale_0(_S134, &_S136, _S135);
                        scales_1[12U] = _S137.x;
                        least_0[12U] = _S137.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S138 = kernelContext_2->args_0->w_0;
                                uint _S139 = _S135 + 2U;
                                thread Planes_0 _S140 = _S132;
                                float2 _S141 = octet_scale_0(_S138, &_S140, _S139);
                                scales_1[13U] = _S141.x;
                                least_0[13U] = _S141.y;
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
                    bool _S142 = 7U >= _S45;
                    _S53 = _S142;
                    if(_S142)
                    {
                        break;
                    }
                    uchar device* _S143 = kernelContext_2->args_0->w_0;
                    Planes_0 _S144 = of_0(rows_1, 7U);
                    thread Planes_0 _S145 = _S144;
                    thread array<uint, int(8)> words_7;
                    block_codes_0(_S143, &_S145, b_4, &words_7);
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
                        uchar device* _S146 = kernelContext_2->args_0->w_0;
                        uint _S147 = b_4 * 4U;
                        thread Planes_0 _S148 = _S144;
                        float2 _S149 = octet_scale_0(_S146, &_S148, _S147);
                        scales_1[14U] = _S149.x;
                        least_0[14U] = _S149.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S150 = kernelContext_2->args_0->w_0;
                                uint _S151 = _S147 + 2U;
                                thread Planes_0 _S152 = _S144;
                                float2 _S153 = octet_scale_0(_S150, &_S152, _S151);
                                scales_1[15U] = _S153.x;
                                least_0[15U] = _S153.y;
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
        uint r_1 = 0U;
        for(;;)
        {
            uint _S154 = own_0();
            if(r_1 < _S154)
            {
            }
            else
            {
                break;
            }
            bool _S155;
            if(_S154 != 1U)
            {
                _S155 = r_1 >= n_1;
            }
            else
            {
                _S155 = false;
            }
            if(_S155)
            {
                r_1 = r_1 + 1U;
                continue;
            }
            uchar device* block_0 = _S56 + ulong(r_1) * stride_0 + b_4 * 80U;
            uint4 _S156 = uint4(*(packed_uint4 device*)((ulong)(block_0))) ;
            uint4 _S157 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(16)))) ;
            uint4 _S158 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(32)))) ;
            uint4 _S159 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(48)))) ;
            uint4 _S160 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(64)))) ;
            float _S161 = (as_type<float>((_S160.x)));
            int _S162 = (as_type<int>((_S160.y)));
            int _S163 = (as_type<int>((_S160.z)));
            for(;;)
            {
                for(;;)
                {
                    for(;;)
                    {
                        if(_S46)
                        {
                            break;
                        }
                        int h_0 = dot4_0(q_1[3U], _S156.w, dot4_0(q_1[2U], _S156.z, dot4_0(q_1[1U], _S156.y, dot4_0(q_1[0U], _S156.x, int(0)))));
                        int l_0 = dot4_0(q_1[3U], _S158.w, dot4_0(q_1[2U], _S158.z, dot4_0(q_1[1U], _S158.y, dot4_0(q_1[0U], _S158.x, int(0)))));
                        uint _S164 = q_1[7U];
                        uint _S165 = _S157.w;
                        uint _S166 = q_1[6U];
                        uint _S167 = _S157.z;
                        uint _S168 = q_1[5U];
                        uint _S169 = _S157.y;
                        uint _S170 = q_1[4U];
                        uint _S171 = _S157.x;
                        bool _S172 = parted_0();
                        if(_S172)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = h_0;
                        }
                        int h2_0 = dot4_0(_S164, _S165, dot4_0(_S166, _S167, dot4_0(_S168, _S169, dot4_0(_S170, _S171, _S54))));
                        uint _S173 = q_1[7U];
                        uint _S174 = _S159.w;
                        uint _S175 = q_1[6U];
                        uint _S176 = _S159.z;
                        uint _S177 = q_1[5U];
                        uint _S178 = _S159.y;
                        uint _S179 = q_1[4U];
                        uint _S180 = _S159.x;
                        if(_S172)
                        {
                            _S55 = int(0);
                        }
                        else
                        {
                            _S55 = l_0;
                        }
                        int l2_0 = dot4_0(_S173, _S174, dot4_0(_S175, _S176, dot4_0(_S177, _S178, dot4_0(_S179, _S180, _S55))));
                        float sum_1 = (*acc_0)[r_1];
                        if(_S172)
                        {
                            int _S181 = block_zero_0();
                            float v_0 = fma(scales_1[0U], float(h_0 * int(256) + l_0 - _S181 * _S162), scales_1[1U] * float(h2_0 * int(256) + l2_0 - _S181 * _S163));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[0U], float(_S162), fma(least_0[1U], float(_S163), v_0));
                            }
                            else
                            {
                                sum_0 = v_0;
                            }
                            sum_0 = fma(_S161, sum_0, sum_1);
                        }
                        else
                        {
                            float sum_2 = fma(scales_1[0U] * _S161, float(h2_0 * int(256) + l2_0 - block_zero_0() * (_S162 + _S163)), sum_1);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[0U], (as_type<float>((_S160.w))), sum_2);
                            }
                            else
                            {
                                sum_0 = sum_2;
                            }
                        }
                        (*acc_0)[r_1] = sum_0;
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
                        int h_1 = dot4_0(q_1[11U], _S156.w, dot4_0(q_1[10U], _S156.z, dot4_0(q_1[9U], _S156.y, dot4_0(q_1[8U], _S156.x, int(0)))));
                        int l_1 = dot4_0(q_1[11U], _S158.w, dot4_0(q_1[10U], _S158.z, dot4_0(q_1[9U], _S158.y, dot4_0(q_1[8U], _S158.x, int(0)))));
                        uint _S182 = q_1[15U];
                        uint _S183 = _S157.w;
                        uint _S184 = q_1[14U];
                        uint _S185 = _S157.z;
                        uint _S186 = q_1[13U];
                        uint _S187 = _S157.y;
                        uint _S188 = q_1[12U];
                        uint _S189 = _S157.x;
                        bool _S190 = parted_0();
                        if(_S190)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = h_1;
                        }
                        int h2_1 = dot4_0(_S182, _S183, dot4_0(_S184, _S185, dot4_0(_S186, _S187, dot4_0(_S188, _S189, _S54))));
                        uint _S191 = q_1[15U];
                        uint _S192 = _S159.w;
                        uint _S193 = q_1[14U];
                        uint _S194 = _S159.z;
                        uint _S195 = q_1[13U];
                        uint _S196 = _S159.y;
                        uint _S197 = q_1[12U];
                        uint _S198 = _S159.x;
                        if(_S190)
                        {
                            _S55 = int(0);
                        }
                        else
                        {
                            _S55 = l_1;
                        }
                        int l2_1 = dot4_0(_S191, _S192, dot4_0(_S193, _S194, dot4_0(_S195, _S196, dot4_0(_S197, _S198, _S55))));
                        float sum_3 = (*acc_0)[_S154 + r_1];
                        if(_S190)
                        {
                            int _S199 = block_zero_0();
                            float v_1 = fma(scales_1[2U], float(h_1 * int(256) + l_1 - _S199 * _S162), scales_1[3U] * float(h2_1 * int(256) + l2_1 - _S199 * _S163));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[2U], float(_S162), fma(least_0[3U], float(_S163), v_1));
                            }
                            else
                            {
                                sum_0 = v_1;
                            }
                            sum_0 = fma(_S161, sum_0, sum_3);
                        }
                        else
                        {
                            float sum_4 = fma(scales_1[2U] * _S161, float(h2_1 * int(256) + l2_1 - block_zero_0() * (_S162 + _S163)), sum_3);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[2U], (as_type<float>((_S160.w))), sum_4);
                            }
                            else
                            {
                                sum_0 = sum_4;
                            }
                        }
                        (*acc_0)[_S154 + r_1] = sum_0;
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
                        int h_2 = dot4_0(q_1[19U], _S156.w, dot4_0(q_1[18U], _S156.z, dot4_0(q_1[17U], _S156.y, dot4_0(q_1[16U], _S156.x, int(0)))));
                        int l_2 = dot4_0(q_1[19U], _S158.w, dot4_0(q_1[18U], _S158.z, dot4_0(q_1[17U], _S158.y, dot4_0(q_1[16U], _S158.x, int(0)))));
                        uint _S200 = q_1[23U];
                        uint _S201 = _S157.w;
                        uint _S202 = q_1[22U];
                        uint _S203 = _S157.z;
                        uint _S204 = q_1[21U];
                        uint _S205 = _S157.y;
                        uint _S206 = q_1[20U];
                        uint _S207 = _S157.x;
                        bool _S208 = parted_0();
                        if(_S208)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = h_2;
                        }
                        int h2_2 = dot4_0(_S200, _S201, dot4_0(_S202, _S203, dot4_0(_S204, _S205, dot4_0(_S206, _S207, _S54))));
                        uint _S209 = q_1[23U];
                        uint _S210 = _S159.w;
                        uint _S211 = q_1[22U];
                        uint _S212 = _S159.z;
                        uint _S213 = q_1[21U];
                        uint _S214 = _S159.y;
                        uint _S215 = q_1[20U];
                        uint _S216 = _S159.x;
                        if(_S208)
                        {
                            _S55 = int(0);
                        }
                        else
                        {
                            _S55 = l_2;
                        }
                        int l2_2 = dot4_0(_S209, _S210, dot4_0(_S211, _S212, dot4_0(_S213, _S214, dot4_0(_S215, _S216, _S55))));
                        float sum_5 = (*acc_0)[2U * _S154 + r_1];
                        if(_S208)
                        {
                            int _S217 = block_zero_0();
                            float v_2 = fma(scales_1[4U], float(h_2 * int(256) + l_2 - _S217 * _S162), scales_1[5U] * float(h2_2 * int(256) + l2_2 - _S217 * _S163));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[4U], float(_S162), fma(least_0[5U], float(_S163), v_2));
                            }
                            else
                            {
                                sum_0 = v_2;
                            }
                            sum_0 = fma(_S161, sum_0, sum_5);
                        }
                        else
                        {
                            float sum_6 = fma(scales_1[4U] * _S161, float(h2_2 * int(256) + l2_2 - block_zero_0() * (_S162 + _S163)), sum_5);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[4U], (as_type<float>((_S160.w))), sum_6);
                            }
                            else
                            {
                                sum_0 = sum_6;
                            }
                        }
                        (*acc_0)[2U * _S154 + r_1] = sum_0;
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
                        int h_3 = dot4_0(q_1[27U], _S156.w, dot4_0(q_1[26U], _S156.z, dot4_0(q_1[25U], _S156.y, dot4_0(q_1[24U], _S156.x, int(0)))));
                        int l_3 = dot4_0(q_1[27U], _S158.w, dot4_0(q_1[26U], _S158.z, dot4_0(q_1[25U], _S158.y, dot4_0(q_1[24U], _S158.x, int(0)))));
                        uint _S218 = q_1[31U];
                        uint _S219 = _S157.w;
                        uint _S220 = q_1[30U];
                        uint _S221 = _S157.z;
                        uint _S222 = q_1[29U];
                        uint _S223 = _S157.y;
                        uint _S224 = q_1[28U];
                        uint _S225 = _S157.x;
                        bool _S226 = parted_0();
                        if(_S226)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = h_3;
                        }
                        int h2_3 = dot4_0(_S218, _S219, dot4_0(_S220, _S221, dot4_0(_S222, _S223, dot4_0(_S224, _S225, _S54))));
                        uint _S227 = q_1[31U];
                        uint _S228 = _S159.w;
                        uint _S229 = q_1[30U];
                        uint _S230 = _S159.z;
                        uint _S231 = q_1[29U];
                        uint _S232 = _S159.y;
                        uint _S233 = q_1[28U];
                        uint _S234 = _S159.x;
                        if(_S226)
                        {
                            _S55 = int(0);
                        }
                        else
                        {
                            _S55 = l_3;
                        }
                        int l2_3 = dot4_0(_S227, _S228, dot4_0(_S229, _S230, dot4_0(_S231, _S232, dot4_0(_S233, _S234, _S55))));
                        float sum_7 = (*acc_0)[3U * _S154 + r_1];
                        if(_S226)
                        {
                            int _S235 = block_zero_0();
                            float v_3 = fma(scales_1[6U], float(h_3 * int(256) + l_3 - _S235 * _S162), scales_1[7U] * float(h2_3 * int(256) + l2_3 - _S235 * _S163));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[6U], float(_S162), fma(least_0[7U], float(_S163), v_3));
                            }
                            else
                            {
                                sum_0 = v_3;
                            }
                            sum_0 = fma(_S161, sum_0, sum_7);
                        }
                        else
                        {
                            float sum_8 = fma(scales_1[6U] * _S161, float(h2_3 * int(256) + l2_3 - block_zero_0() * (_S162 + _S163)), sum_7);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[6U], (as_type<float>((_S160.w))), sum_8);
                            }
                            else
                            {
                                sum_0 = sum_8;
                            }
                        }
                        (*acc_0)[3U * _S154 + r_1] = sum_0;
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
                        int h_4 = dot4_0(q_1[35U], _S156.w, dot4_0(q_1[34U], _S156.z, dot4_0(q_1[33U], _S156.y, dot4_0(q_1[32U], _S156.x, int(0)))));
                        int l_4 = dot4_0(q_1[35U], _S158.w, dot4_0(q_1[34U], _S158.z, dot4_0(q_1[33U], _S158.y, dot4_0(q_1[32U], _S158.x, int(0)))));
                        uint _S236 = q_1[39U];
                        uint _S237 = _S157.w;
                        uint _S238 = q_1[38U];
                        uint _S239 = _S157.z;
                        uint _S240 = q_1[37U];
                        uint _S241 = _S157.y;
                        uint _S242 = q_1[36U];
                        uint _S243 = _S157.x;
                        bool _S244 = parted_0();
                        if(_S244)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = h_4;
                        }
                        int h2_4 = dot4_0(_S236, _S237, dot4_0(_S238, _S239, dot4_0(_S240, _S241, dot4_0(_S242, _S243, _S54))));
                        uint _S245 = q_1[39U];
                        uint _S246 = _S159.w;
                        uint _S247 = q_1[38U];
                        uint _S248 = _S159.z;
                        uint _S249 = q_1[37U];
                        uint _S250 = _S159.y;
                        uint _S251 = q_1[36U];
                        uint _S252 = _S159.x;
                        if(_S244)
                        {
                            _S55 = int(0);
                        }
                        else
                        {
                            _S55 = l_4;
                        }
                        int l2_4 = dot4_0(_S245, _S246, dot4_0(_S247, _S248, dot4_0(_S249, _S250, dot4_0(_S251, _S252, _S55))));
                        float sum_9 = (*acc_0)[4U * _S154 + r_1];
                        if(_S244)
                        {
                            int _S253 = block_zero_0();
                            float v_4 = fma(scales_1[8U], float(h_4 * int(256) + l_4 - _S253 * _S162), scales_1[9U] * float(h2_4 * int(256) + l2_4 - _S253 * _S163));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[8U], float(_S162), fma(least_0[9U], float(_S163), v_4));
                            }
                            else
                            {
                                sum_0 = v_4;
                            }
                            sum_0 = fma(_S161, sum_0, sum_9);
                        }
                        else
                        {
                            float sum_10 = fma(scales_1[8U] * _S161, float(h2_4 * int(256) + l2_4 - block_zero_0() * (_S162 + _S163)), sum_9);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[8U], (as_type<float>((_S160.w))), sum_10);
                            }
                            else
                            {
                                sum_0 = sum_10;
                            }
                        }
                        (*acc_0)[4U * _S154 + r_1] = sum_0;
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
                        int h_5 = dot4_0(q_1[43U], _S156.w, dot4_0(q_1[42U], _S156.z, dot4_0(q_1[41U], _S156.y, dot4_0(q_1[40U], _S156.x, int(0)))));
                        int l_5 = dot4_0(q_1[43U], _S158.w, dot4_0(q_1[42U], _S158.z, dot4_0(q_1[41U], _S158.y, dot4_0(q_1[40U], _S158.x, int(0)))));
                        uint _S254 = q_1[47U];
                        uint _S255 = _S157.w;
                        uint _S256 = q_1[46U];
                        uint _S257 = _S157.z;
                        uint _S258 = q_1[45U];
                        uint _S259 = _S157.y;
                        uint _S260 = q_1[44U];
                        uint _S261 = _S157.x;
                        bool _S262 = parted_0();
                        if(_S262)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = h_5;
                        }
                        int h2_5 = dot4_0(_S254, _S255, dot4_0(_S256, _S257, dot4_0(_S258, _S259, dot4_0(_S260, _S261, _S54))));
                        uint _S263 = q_1[47U];
                        uint _S264 = _S159.w;
                        uint _S265 = q_1[46U];
                        uint _S266 = _S159.z;
                        uint _S267 = q_1[45U];
                        uint _S268 = _S159.y;
                        uint _S269 = q_1[44U];
                        uint _S270 = _S159.x;
                        if(_S262)
                        {
                            _S55 = int(0);
                        }
                        else
                        {
                            _S55 = l_5;
                        }
                        int l2_5 = dot4_0(_S263, _S264, dot4_0(_S265, _S266, dot4_0(_S267, _S268, dot4_0(_S269, _S270, _S55))));
                        float sum_11 = (*acc_0)[5U * _S154 + r_1];
                        if(_S262)
                        {
                            int _S271 = block_zero_0();
                            float v_5 = fma(scales_1[10U], float(h_5 * int(256) + l_5 - _S271 * _S162), scales_1[11U] * float(h2_5 * int(256) + l2_5 - _S271 * _S163));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[10U], float(_S162), fma(least_0[11U], float(_S163), v_5));
                            }
                            else
                            {
                                sum_0 = v_5;
                            }
                            sum_0 = fma(_S161, sum_0, sum_11);
                        }
                        else
                        {
                            float sum_12 = fma(scales_1[10U] * _S161, float(h2_5 * int(256) + l2_5 - block_zero_0() * (_S162 + _S163)), sum_11);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[10U], (as_type<float>((_S160.w))), sum_12);
                            }
                            else
                            {
                                sum_0 = sum_12;
                            }
                        }
                        (*acc_0)[5U * _S154 + r_1] = sum_0;
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
                        int h_6 = dot4_0(q_1[51U], _S156.w, dot4_0(q_1[50U], _S156.z, dot4_0(q_1[49U], _S156.y, dot4_0(q_1[48U], _S156.x, int(0)))));
                        int l_6 = dot4_0(q_1[51U], _S158.w, dot4_0(q_1[50U], _S158.z, dot4_0(q_1[49U], _S158.y, dot4_0(q_1[48U], _S158.x, int(0)))));
                        uint _S272 = q_1[55U];
                        uint _S273 = _S157.w;
                        uint _S274 = q_1[54U];
                        uint _S275 = _S157.z;
                        uint _S276 = q_1[53U];
                        uint _S277 = _S157.y;
                        uint _S278 = q_1[52U];
                        uint _S279 = _S157.x;
                        bool _S280 = parted_0();
                        if(_S280)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = h_6;
                        }
                        int h2_6 = dot4_0(_S272, _S273, dot4_0(_S274, _S275, dot4_0(_S276, _S277, dot4_0(_S278, _S279, _S54))));
                        uint _S281 = q_1[55U];
                        uint _S282 = _S159.w;
                        uint _S283 = q_1[54U];
                        uint _S284 = _S159.z;
                        uint _S285 = q_1[53U];
                        uint _S286 = _S159.y;
                        uint _S287 = q_1[52U];
                        uint _S288 = _S159.x;
                        if(_S280)
                        {
                            _S55 = int(0);
                        }
                        else
                        {
                            _S55 = l_6;
                        }
                        int l2_6 = dot4_0(_S281, _S282, dot4_0(_S283, _S284, dot4_0(_S285, _S286, dot4_0(_S287, _S288, _S55))));
                        float sum_13 = (*acc_0)[6U * _S154 + r_1];
                        if(_S280)
                        {
                            int _S289 = block_zero_0();
                            float v_6 = fma(scales_1[12U], float(h_6 * int(256) + l_6 - _S289 * _S162), scales_1[13U] * float(h2_6 * int(256) + l2_6 - _S289 * _S163));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[12U], float(_S162), fma(least_0[13U], float(_S163), v_6));
                            }
                            else
                            {
                                sum_0 = v_6;
                            }
                            sum_0 = fma(_S161, sum_0, sum_13);
                        }
                        else
                        {
                            float sum_14 = fma(scales_1[12U] * _S161, float(h2_6 * int(256) + l2_6 - block_zero_0() * (_S162 + _S163)), sum_13);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[12U], (as_type<float>((_S160.w))), sum_14);
                            }
                            else
                            {
                                sum_0 = sum_14;
                            }
                        }
                        (*acc_0)[6U * _S154 + r_1] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S53)
                        {
                            break;
                        }
                        int h_7 = dot4_0(q_1[59U], _S156.w, dot4_0(q_1[58U], _S156.z, dot4_0(q_1[57U], _S156.y, dot4_0(q_1[56U], _S156.x, int(0)))));
                        int l_7 = dot4_0(q_1[59U], _S158.w, dot4_0(q_1[58U], _S158.z, dot4_0(q_1[57U], _S158.y, dot4_0(q_1[56U], _S158.x, int(0)))));
                        uint _S290 = q_1[63U];
                        uint _S291 = _S157.w;
                        uint _S292 = q_1[62U];
                        uint _S293 = _S157.z;
                        uint _S294 = q_1[61U];
                        uint _S295 = _S157.y;
                        uint _S296 = q_1[60U];
                        uint _S297 = _S157.x;
                        bool _S298 = parted_0();
                        if(_S298)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = h_7;
                        }
                        int h2_7 = dot4_0(_S290, _S291, dot4_0(_S292, _S293, dot4_0(_S294, _S295, dot4_0(_S296, _S297, _S54))));
                        uint _S299 = q_1[63U];
                        uint _S300 = _S159.w;
                        uint _S301 = q_1[62U];
                        uint _S302 = _S159.z;
                        uint _S303 = q_1[61U];
                        uint _S304 = _S159.y;
                        uint _S305 = q_1[60U];
                        uint _S306 = _S159.x;
                        if(_S298)
                        {
                            _S55 = int(0);
                        }
                        else
                        {
                            _S55 = l_7;
                        }
                        int l2_7 = dot4_0(_S299, _S300, dot4_0(_S301, _S302, dot4_0(_S303, _S304, dot4_0(_S305, _S306, _S55))));
                        float sum_15 = (*acc_0)[7U * _S154 + r_1];
                        if(_S298)
                        {
                            int _S307 = block_zero_0();
                            float v_7 = fma(scales_1[14U], float(h_7 * int(256) + l_7 - _S307 * _S162), scales_1[15U] * float(h2_7 * int(256) + l2_7 - _S307 * _S163));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[14U], float(_S162), fma(least_0[15U], float(_S163), v_7));
                            }
                            else
                            {
                                sum_0 = v_7;
                            }
                            sum_0 = fma(_S161, sum_0, sum_15);
                        }
                        else
                        {
                            float sum_16 = fma(scales_1[14U] * _S161, float(h2_7 * int(256) + l2_7 - block_zero_0() * (_S162 + _S163)), sum_15);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[14U], (as_type<float>((_S160.w))), sum_16);
                            }
                            else
                            {
                                sum_0 = sum_16;
                            }
                        }
                        (*acc_0)[7U * _S154 + r_1] = sum_0;
                        break;
                    }
                    break;
                }
                break;
            }
            r_1 = r_1 + 1U;
        }
        b_4 = b_4 + 64U;
    }
    return;
}
float4 input_four_0(uint r_2, uint i_2, KernelContext_0 thread* kernelContext_3)
{
    return float4(*((packed_float4 device*)((ulong)(kernelContext_3->args_0->x_0)) + ulong(r_2) * ulong(uint(act_row_bytes_0(0U, C_K_0) / 16UL)) + i_2)) ;
}
float bf16_to_f32_0(uint half_1)
{
    return (as_type<float>((half_1 << 16U)));
}
void octet_floats_0(uchar device* w_3, const Planes_0 thread* p_7, uint o_1, array<float, int(8)> thread* v_8)
{
    if(C_DTYPE_0 == 0U)
    {
        uchar device* _S308 = w_3 + p_7->low_0 + o_1 * 32U;
        float4 _S309 = float4(*(packed_float4 device*)((ulong)(_S308))) ;
        float4 _S310 = float4(*(packed_float4 device*)((ulong)(_S308 + int(16)))) ;
        (*v_8)[int(0)] = _S309.x;
        (*v_8)[int(1)] = _S309.y;
        (*v_8)[int(2)] = _S309.z;
        (*v_8)[int(3)] = _S309.w;
        (*v_8)[int(4)] = _S310.x;
        (*v_8)[int(5)] = _S310.y;
        (*v_8)[int(6)] = _S310.z;
        (*v_8)[int(7)] = _S310.w;
        return;
    }
    uint4 _S311 = uint4(*(packed_uint4 device*)((ulong)(w_3 + p_7->low_0 + o_1 * 16U))) ;
    uint _S312 = _S311.x;
    uint half_2 = (_S312 >> 0U) & 65535U;
    float _S313;
    if(C_DTYPE_0 == 1U)
    {
        _S313 = f16_to_f32_0(half_2);
    }
    else
    {
        _S313 = bf16_to_f32_0(half_2);
    }
    (*v_8)[0U] = _S313;
    uint half_3 = (_S312 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S313 = f16_to_f32_0(half_3);
    }
    else
    {
        _S313 = bf16_to_f32_0(half_3);
    }
    (*v_8)[1U] = _S313;
    uint _S314 = _S311.y;
    uint half_4 = (_S314 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S313 = f16_to_f32_0(half_4);
    }
    else
    {
        _S313 = bf16_to_f32_0(half_4);
    }
    (*v_8)[2U] = _S313;
    uint half_5 = (_S314 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S313 = f16_to_f32_0(half_5);
    }
    else
    {
        _S313 = bf16_to_f32_0(half_5);
    }
    (*v_8)[3U] = _S313;
    uint _S315 = _S311.z;
    uint half_6 = (_S315 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S313 = f16_to_f32_0(half_6);
    }
    else
    {
        _S313 = bf16_to_f32_0(half_6);
    }
    (*v_8)[4U] = _S313;
    uint half_7 = (_S315 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S313 = f16_to_f32_0(half_7);
    }
    else
    {
        _S313 = bf16_to_f32_0(half_7);
    }
    (*v_8)[5U] = _S313;
    uint _S316 = _S311.w;
    uint half_8 = (_S316 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S313 = f16_to_f32_0(half_8);
    }
    else
    {
        _S313 = bf16_to_f32_0(half_8);
    }
    (*v_8)[6U] = _S313;
    uint half_9 = (_S316 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S313 = f16_to_f32_0(half_9);
    }
    else
    {
        _S313 = bf16_to_f32_0(half_9);
    }
    (*v_8)[7U] = _S313;
    return;
}
void octet_codes_0(uchar device* w_4, const Planes_0 thread* p_8, uint o_2, array<float, int(8)> thread* q_2)
{
    uint b_5 = o_2 / 4U;
    uint j_0 = o_2 % 4U;
    thread array<uint, int(8)> v_9;
    uint _S317 = low_bits_0();
    if(_S317 == 8U)
    {
        uint2 _S318 = (uint2(*(packed_uint2 device*)((ulong)(w_4 + p_8->low_0 + o_2 * 8U))) ) ^ (uint2(2155905152U) );
        uint _S319 = _S318.x;
        v_9[0U] = (_S319 >> 0U) & 255U;
        v_9[1U] = (_S319 >> 8U) & 255U;
        v_9[2U] = (_S319 >> 16U) & 255U;
        v_9[3U] = (_S319 >> 24U) & 255U;
        uint _S320 = _S318.y;
        v_9[4U] = (_S320 >> 0U) & 255U;
        v_9[5U] = (_S320 >> 8U) & 255U;
        v_9[6U] = (_S320 >> 16U) & 255U;
        v_9[7U] = (_S320 >> 24U) & 255U;
    }
    else
    {
        if(_S317 == 4U)
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
            uint2 _S321 = (uint2(*(packed_uint2 device*)((ulong)(w_4 + p_8->low_0 + at_3 + j_0 % 2U * 8U))) ) >> (uint2((j_0 / 2U * 4U)) );
            uint _S322 = _S321.x;
            v_9[0U] = (_S322 >> 0U) & 15U;
            v_9[1U] = (_S322 >> 8U) & 15U;
            v_9[2U] = (_S322 >> 16U) & 15U;
            v_9[3U] = (_S322 >> 24U) & 15U;
            uint _S323 = _S321.y;
            v_9[4U] = (_S323 >> 0U) & 15U;
            v_9[5U] = (_S323 >> 8U) & 15U;
            v_9[6U] = (_S323 >> 16U) & 15U;
            v_9[7U] = (_S323 >> 24U) & 15U;
        }
        else
        {
            uint _S324 = word_at_0(w_4 + p_8->low_0 + b_5 * 8U + j_0 / 2U * 4U);
            uint _S325 = _S324 >> (j_0 % 2U * 4U);
            v_9[0U] = (_S325 >> 0U) & 3U;
            v_9[1U] = (_S325 >> 8U) & 3U;
            v_9[2U] = (_S325 >> 16U) & 3U;
            v_9[3U] = (_S325 >> 24U) & 3U;
            v_9[4U] = (_S325 >> 2U) & 3U;
            v_9[5U] = (_S325 >> 10U) & 3U;
            v_9[6U] = (_S325 >> 18U) & 3U;
            v_9[7U] = (_S325 >> 26U) & 3U;
        }
    }
    uint _S326 = high_bits_0();
    if(_S326 == 2U)
    {
        uint _S327 = word_at_0(w_4 + p_8->high_0 + b_5 * 8U + j_0 / 2U * 4U);
        uint _S328 = _S327 >> (j_0 % 2U * 4U);
        v_9[0U] = (v_9[0U]) | (((_S328 >> 0U) & 3U) << _S317);
        v_9[1U] = (v_9[1U]) | (((_S328 >> 8U) & 3U) << _S317);
        v_9[2U] = (v_9[2U]) | (((_S328 >> 16U) & 3U) << _S317);
        v_9[3U] = (v_9[3U]) | (((_S328 >> 24U) & 3U) << _S317);
        v_9[4U] = (v_9[4U]) | (((_S328 >> 2U) & 3U) << _S317);
        v_9[5U] = (v_9[5U]) | (((_S328 >> 10U) & 3U) << _S317);
        v_9[6U] = (v_9[6U]) | (((_S328 >> 18U) & 3U) << _S317);
        v_9[7U] = (v_9[7U]) | (((_S328 >> 26U) & 3U) << _S317);
    }
    if(_S326 == 1U)
    {
        uint _S329 = word_at_0(w_4 + p_8->high_0 + b_5 * 4U);
        uint _S330 = _S329 >> (j_0 * 2U);
        v_9[0U] = (v_9[0U]) | (((_S330 >> 0U) & 1U) << _S317);
        v_9[1U] = (v_9[1U]) | (((_S330 >> 8U) & 1U) << _S317);
        v_9[2U] = (v_9[2U]) | (((_S330 >> 16U) & 1U) << _S317);
        v_9[3U] = (v_9[3U]) | (((_S330 >> 24U) & 1U) << _S317);
        v_9[4U] = (v_9[4U]) | (((_S330 >> 1U) & 1U) << _S317);
        v_9[5U] = (v_9[5U]) | (((_S330 >> 9U) & 1U) << _S317);
        v_9[6U] = (v_9[6U]) | (((_S330 >> 17U) & 1U) << _S317);
        v_9[7U] = (v_9[7U]) | (((_S330 >> 25U) & 1U) << _S317);
    }
    float _S331 = float(8388608U + zero_0());
    (*q_2)[0U] = (as_type<float>((1258291200U | v_9[0U]))) - _S331;
    (*q_2)[1U] = (as_type<float>((1258291200U | v_9[1U]))) - _S331;
    (*q_2)[2U] = (as_type<float>((1258291200U | v_9[2U]))) - _S331;
    (*q_2)[3U] = (as_type<float>((1258291200U | v_9[3U]))) - _S331;
    (*q_2)[4U] = (as_type<float>((1258291200U | v_9[4U]))) - _S331;
    (*q_2)[5U] = (as_type<float>((1258291200U | v_9[5U]))) - _S331;
    (*q_2)[6U] = (as_type<float>((1258291200U | v_9[6U]))) - _S331;
    (*q_2)[7U] = (as_type<float>((1258291200U | v_9[7U]))) - _S331;
    return;
}
void add_eights_0(const Eight_0 thread* rows_2, uint first_2, uint n_2, uint t_1, array<float, int(32)> thread* acc_1, array<float, int(8)> thread* squares_0, KernelContext_0 thread* kernelContext_4)
{
    uint _S332;
    bool _S333;
    uint _S334;
    uint r_3;
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
        uint r_4 = 0U;
        for(;;)
        {
            uint _S335 = own_0();
            _S332 = _S335;
            if(r_4 < _S335)
            {
            }
            else
            {
                break;
            }
            if(_S335 != 1U)
            {
                _S333 = r_4 >= n_2;
            }
            else
            {
                _S333 = false;
            }
            if(_S333)
            {
                r_4 = r_4 + 1U;
                continue;
            }
            uint _S336 = input_row_0(first_2 + r_4);
            uint _S337 = o_3 * 2U;
            float4 _S338 = input_four_0(_S336, _S337, kernelContext_4);
            float4 _S339 = input_four_0(_S336, _S337 + 1U, kernelContext_4);
            uint to_0 = r_4 * 8U;
            float _S340 = _S338.x;
            x_1[to_0] = _S340;
            float _S341 = _S338.y;
            x_1[to_0 + 1U] = _S341;
            float _S342 = _S338.z;
            x_1[to_0 + 2U] = _S342;
            float _S343 = _S338.w;
            x_1[to_0 + 3U] = _S343;
            float _S344 = _S339.x;
            x_1[to_0 + 4U] = _S344;
            float _S345 = _S339.y;
            x_1[to_0 + 5U] = _S345;
            float _S346 = _S339.z;
            x_1[to_0 + 6U] = _S346;
            float _S347 = _S339.w;
            x_1[to_0 + 7U] = _S347;
            if(has_minimum_0())
            {
                whole_0[r_4] = _S340 + _S341 + (_S342 + _S343) + (_S344 + _S345 + (_S346 + _S347));
            }
            r_4 = r_4 + 1U;
        }
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    uint _S348 = outputs_0();
                    _S334 = _S348;
                    if(0U >= _S348)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_3;
                    float2 _S349 = float2(1.0, 0.0);
                    Planes_0 _S350 = of_0(rows_2, 0U);
                    bool _S351 = is_float_0();
                    if(_S351)
                    {
                        uchar device* _S352 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S353 = _S350;
                        octet_floats_0(_S352, &_S353, o_3, &q_3);
                        scale_0 = _S349;
                    }
                    else
                    {
                        uchar device* _S354 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S355 = _S350;
                        octet_codes_0(_S354, &_S355, o_3, &q_3);
                        uchar device* _S356 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S357 = _S350;
                        float2 _S358 = octet_scale_0(_S356, &_S357, o_3);
                        scale_0 = _S358;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S332)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S332 != 1U)
                        {
                            _S333 = r_3 >= n_2;
                        }
                        else
                        {
                            _S333 = false;
                        }
                        if(_S333)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S359 = r_3 * 8U;
                        float _S360 = q_3[int(0)] * x_1[_S359];
                        float sum_19 = (*acc_1)[r_3];
                        float s_2 = fma(q_3[7U], x_1[_S359 + 7U], fma(q_3[6U], x_1[_S359 + 6U], fma(q_3[5U], x_1[_S359 + 5U], fma(q_3[4U], x_1[_S359 + 4U], fma(q_3[3U], x_1[_S359 + 3U], fma(q_3[2U], x_1[_S359 + 2U], fma(q_3[1U], x_1[_S359 + 1U], _S360)))))));
                        if(_S351)
                        {
                            sum_17 = sum_19 + s_2;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_2, sum_19);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[r_3] = sum_18;
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
                    if(1U >= _S334)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_4;
                    float2 _S361 = float2(1.0, 0.0);
                    Planes_0 _S362 = of_0(rows_2, 1U);
                    bool _S363 = is_float_0();
                    if(_S363)
                    {
                        uchar device* _S364 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S365 = _S362;
                        octet_floats_0(_S364, &_S365, o_3, &q_4);
                        scale_0 = _S361;
                    }
                    else
                    {
                        uchar device* _S366 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S367 = _S362;
                        octet_codes_0(_S366, &_S367, o_3, &q_4);
                        uchar device* _S368 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S369 = _S362;
                        float2 _S370 = octet_scale_0(_S368, &_S369, o_3);
                        scale_0 = _S370;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S332)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S332 != 1U)
                        {
                            _S333 = r_3 >= n_2;
                        }
                        else
                        {
                            _S333 = false;
                        }
                        if(_S333)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S371 = r_3 * 8U;
                        float _S372 = q_4[int(0)] * x_1[_S371];
                        float sum_20 = (*acc_1)[_S332 + r_3];
                        float s_3 = fma(q_4[7U], x_1[_S371 + 7U], fma(q_4[6U], x_1[_S371 + 6U], fma(q_4[5U], x_1[_S371 + 5U], fma(q_4[4U], x_1[_S371 + 4U], fma(q_4[3U], x_1[_S371 + 3U], fma(q_4[2U], x_1[_S371 + 2U], fma(q_4[1U], x_1[_S371 + 1U], _S372)))))));
                        if(_S363)
                        {
                            sum_17 = sum_20 + s_3;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_3, sum_20);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[_S332 + r_3] = sum_18;
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
                    if(2U >= _S334)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_5;
                    float2 _S373 = float2(1.0, 0.0);
                    Planes_0 _S374 = of_0(rows_2, 2U);
                    bool _S375 = is_float_0();
                    if(_S375)
                    {
                        uchar device* _S376 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S377 = _S374;
                        octet_floats_0(_S376, &_S377, o_3, &q_5);
                        scale_0 = _S373;
                    }
                    else
                    {
                        uchar device* _S378 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S379 = _S374;
                        octet_codes_0(_S378, &_S379, o_3, &q_5);
                        uchar device* _S380 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S381 = _S374;
                        float2 _S382 = octet_scale_0(_S380, &_S381, o_3);
                        scale_0 = _S382;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S332)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S332 != 1U)
                        {
                            _S333 = r_3 >= n_2;
                        }
                        else
                        {
                            _S333 = false;
                        }
                        if(_S333)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S383 = r_3 * 8U;
                        float _S384 = q_5[int(0)] * x_1[_S383];
                        float sum_21 = (*acc_1)[2U * _S332 + r_3];
                        float s_4 = fma(q_5[7U], x_1[_S383 + 7U], fma(q_5[6U], x_1[_S383 + 6U], fma(q_5[5U], x_1[_S383 + 5U], fma(q_5[4U], x_1[_S383 + 4U], fma(q_5[3U], x_1[_S383 + 3U], fma(q_5[2U], x_1[_S383 + 2U], fma(q_5[1U], x_1[_S383 + 1U], _S384)))))));
                        if(_S375)
                        {
                            sum_17 = sum_21 + s_4;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_4, sum_21);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[2U * _S332 + r_3] = sum_18;
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
                    if(3U >= _S334)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_6;
                    float2 _S385 = float2(1.0, 0.0);
                    Planes_0 _S386 = of_0(rows_2, 3U);
                    bool _S387 = is_float_0();
                    if(_S387)
                    {
                        uchar device* _S388 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S389 = _S386;
                        octet_floats_0(_S388, &_S389, o_3, &q_6);
                        scale_0 = _S385;
                    }
                    else
                    {
                        uchar device* _S390 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S391 = _S386;
                        octet_codes_0(_S390, &_S391, o_3, &q_6);
                        uchar device* _S392 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S393 = _S386;
                        float2 _S394 = octet_scale_0(_S392, &_S393, o_3);
                        scale_0 = _S394;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S332)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S332 != 1U)
                        {
                            _S333 = r_3 >= n_2;
                        }
                        else
                        {
                            _S333 = false;
                        }
                        if(_S333)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S395 = r_3 * 8U;
                        float _S396 = q_6[int(0)] * x_1[_S395];
                        float sum_22 = (*acc_1)[3U * _S332 + r_3];
                        float s_5 = fma(q_6[7U], x_1[_S395 + 7U], fma(q_6[6U], x_1[_S395 + 6U], fma(q_6[5U], x_1[_S395 + 5U], fma(q_6[4U], x_1[_S395 + 4U], fma(q_6[3U], x_1[_S395 + 3U], fma(q_6[2U], x_1[_S395 + 2U], fma(q_6[1U], x_1[_S395 + 1U], _S396)))))));
                        if(_S387)
                        {
                            sum_17 = sum_22 + s_5;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_5, sum_22);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[3U * _S332 + r_3] = sum_18;
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
                    if(4U >= _S334)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_7;
                    float2 _S397 = float2(1.0, 0.0);
                    Planes_0 _S398 = of_0(rows_2, 4U);
                    bool _S399 = is_float_0();
                    if(_S399)
                    {
                        uchar device* _S400 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S401 = _S398;
                        octet_floats_0(_S400, &_S401, o_3, &q_7);
                        scale_0 = _S397;
                    }
                    else
                    {
                        uchar device* _S402 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S403 = _S398;
                        octet_codes_0(_S402, &_S403, o_3, &q_7);
                        uchar device* _S404 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S405 = _S398;
                        float2 _S406 = octet_scale_0(_S404, &_S405, o_3);
                        scale_0 = _S406;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S332)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S332 != 1U)
                        {
                            _S333 = r_3 >= n_2;
                        }
                        else
                        {
                            _S333 = false;
                        }
                        if(_S333)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S407 = r_3 * 8U;
                        float _S408 = q_7[int(0)] * x_1[_S407];
                        float sum_23 = (*acc_1)[4U * _S332 + r_3];
                        float s_6 = fma(q_7[7U], x_1[_S407 + 7U], fma(q_7[6U], x_1[_S407 + 6U], fma(q_7[5U], x_1[_S407 + 5U], fma(q_7[4U], x_1[_S407 + 4U], fma(q_7[3U], x_1[_S407 + 3U], fma(q_7[2U], x_1[_S407 + 2U], fma(q_7[1U], x_1[_S407 + 1U], _S408)))))));
                        if(_S399)
                        {
                            sum_17 = sum_23 + s_6;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_6, sum_23);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[4U * _S332 + r_3] = sum_18;
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
                    if(5U >= _S334)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_8;
                    float2 _S409 = float2(1.0, 0.0);
                    Planes_0 _S410 = of_0(rows_2, 5U);
                    bool _S411 = is_float_0();
                    if(_S411)
                    {
                        uchar device* _S412 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S413 = _S410;
                        octet_floats_0(_S412, &_S413, o_3, &q_8);
                        scale_0 = _S409;
                    }
                    else
                    {
                        uchar device* _S414 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S415 = _S410;
                        octet_codes_0(_S414, &_S415, o_3, &q_8);
                        uchar device* _S416 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S417 = _S410;
                        float2 _S418 = octet_scale_0(_S416, &_S417, o_3);
                        scale_0 = _S418;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S332)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S332 != 1U)
                        {
                            _S333 = r_3 >= n_2;
                        }
                        else
                        {
                            _S333 = false;
                        }
                        if(_S333)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S419 = r_3 * 8U;
                        float _S420 = q_8[int(0)] * x_1[_S419];
                        float sum_24 = (*acc_1)[5U * _S332 + r_3];
                        float s_7 = fma(q_8[7U], x_1[_S419 + 7U], fma(q_8[6U], x_1[_S419 + 6U], fma(q_8[5U], x_1[_S419 + 5U], fma(q_8[4U], x_1[_S419 + 4U], fma(q_8[3U], x_1[_S419 + 3U], fma(q_8[2U], x_1[_S419 + 2U], fma(q_8[1U], x_1[_S419 + 1U], _S420)))))));
                        if(_S411)
                        {
                            sum_17 = sum_24 + s_7;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_7, sum_24);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[5U * _S332 + r_3] = sum_18;
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
                    if(6U >= _S334)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_9;
                    float2 _S421 = float2(1.0, 0.0);
                    Planes_0 _S422 = of_0(rows_2, 6U);
                    bool _S423 = is_float_0();
                    if(_S423)
                    {
                        uchar device* _S424 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S425 = _S422;
                        octet_floats_0(_S424, &_S425, o_3, &q_9);
                        scale_0 = _S421;
                    }
                    else
                    {
                        uchar device* _S426 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S427 = _S422;
                        octet_codes_0(_S426, &_S427, o_3, &q_9);
                        uchar device* _S428 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S429 = _S422;
                        float2 _S430 = octet_scale_0(_S428, &_S429, o_3);
                        scale_0 = _S430;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S332)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S332 != 1U)
                        {
                            _S333 = r_3 >= n_2;
                        }
                        else
                        {
                            _S333 = false;
                        }
                        if(_S333)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S431 = r_3 * 8U;
                        float _S432 = q_9[int(0)] * x_1[_S431];
                        float sum_25 = (*acc_1)[6U * _S332 + r_3];
                        float s_8 = fma(q_9[7U], x_1[_S431 + 7U], fma(q_9[6U], x_1[_S431 + 6U], fma(q_9[5U], x_1[_S431 + 5U], fma(q_9[4U], x_1[_S431 + 4U], fma(q_9[3U], x_1[_S431 + 3U], fma(q_9[2U], x_1[_S431 + 2U], fma(q_9[1U], x_1[_S431 + 1U], _S432)))))));
                        if(_S423)
                        {
                            sum_17 = sum_25 + s_8;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_8, sum_25);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[6U * _S332 + r_3] = sum_18;
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
                    if(7U >= _S334)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_10;
                    float2 _S433 = float2(1.0, 0.0);
                    Planes_0 _S434 = of_0(rows_2, 7U);
                    bool _S435 = is_float_0();
                    if(_S435)
                    {
                        uchar device* _S436 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S437 = _S434;
                        octet_floats_0(_S436, &_S437, o_3, &q_10);
                        scale_0 = _S433;
                    }
                    else
                    {
                        uchar device* _S438 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S439 = _S434;
                        octet_codes_0(_S438, &_S439, o_3, &q_10);
                        uchar device* _S440 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S441 = _S434;
                        float2 _S442 = octet_scale_0(_S440, &_S441, o_3);
                        scale_0 = _S442;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S332)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S332 != 1U)
                        {
                            _S333 = r_3 >= n_2;
                        }
                        else
                        {
                            _S333 = false;
                        }
                        if(_S333)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S443 = r_3 * 8U;
                        float _S444 = q_10[int(0)] * x_1[_S443];
                        float sum_26 = (*acc_1)[7U * _S332 + r_3];
                        float s_9 = fma(q_10[7U], x_1[_S443 + 7U], fma(q_10[6U], x_1[_S443 + 6U], fma(q_10[5U], x_1[_S443 + 5U], fma(q_10[4U], x_1[_S443 + 4U], fma(q_10[3U], x_1[_S443 + 3U], fma(q_10[2U], x_1[_S443 + 2U], fma(q_10[1U], x_1[_S443 + 1U], _S444)))))));
                        if(_S435)
                        {
                            sum_17 = sum_26 + s_9;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_9, sum_26);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[7U * _S332 + r_3] = sum_18;
                        r_3 = r_3 + 1U;
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
Product_0 product_0(uint tile_1, uint side_1, uint t_2, KernelContext_0 thread* kernelContext_5)
{
    uint _S445;
    uint l_8;
    float sum_27;
    uint _S446 = inputs_0(kernelContext_5);
    uint _S447 = own_0();
    uint first_3 = side_1 * _S447;
    uint _S448 = min(_S447, _S446 - min(_S446, first_3));
    thread Eight_0 rows_at_0;
    Planes_0 _S449 = row_planes_0(weight_row_0(tile_1, side_1, 0U));
    (&rows_at_0)->first_0 = _S449;
    (&rows_at_0)->second_0 = row_planes_0(weight_row_0(tile_1, side_1, 1U));
    (&rows_at_0)->third_0 = row_planes_0(weight_row_0(tile_1, side_1, 2U));
    (&rows_at_0)->fourth_0 = row_planes_0(weight_row_0(tile_1, side_1, 3U));
    (&rows_at_0)->eighth_0 = _S449;
    (&rows_at_0)->seventh_0 = _S449;
    (&rows_at_0)->sixth_0 = _S449;
    (&rows_at_0)->fifth_0 = _S449;
    uint _S450 = outputs_0();
    if(_S450 == 8U)
    {
        (&rows_at_0)->fifth_0 = row_planes_0(weight_row_0(tile_1, side_1, 4U));
        (&rows_at_0)->sixth_0 = row_planes_0(weight_row_0(tile_1, side_1, 5U));
        (&rows_at_0)->seventh_0 = row_planes_0(weight_row_0(tile_1, side_1, 6U));
        (&rows_at_0)->eighth_0 = row_planes_0(weight_row_0(tile_1, side_1, 7U));
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
        thread Eight_0 _S451 = rows_at_0;
        add_blocks_0(&_S451, first_3, _S448, t_2, &acc_2, kernelContext_5);
    }
    else
    {
        thread Eight_0 _S452 = rows_at_0;
        add_eights_0(&_S452, first_3, _S448, t_2, &acc_2, &squares_1, kernelContext_5);
    }
    for(;;)
    {
        for(;;)
        {
            for(;;)
            {
                uint _S453 = _S450 * _S447;
                _S445 = _S453;
                if(0U >= _S453)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(0U < _S453)
                {
                    (*kernelContext_5->partial_0)[t_2] = acc_2[0U];
                }
                if(1U < _S453)
                {
                    (*kernelContext_5->partial_0)[72U + t_2] = acc_2[1U];
                }
                if(2U < _S453)
                {
                    (*kernelContext_5->partial_0)[144U + t_2] = acc_2[2U];
                }
                if(3U < _S453)
                {
                    (*kernelContext_5->partial_0)[216U + t_2] = acc_2[3U];
                }
                if(4U < _S453)
                {
                    (*kernelContext_5->partial_0)[288U + t_2] = acc_2[4U];
                }
                if(5U < _S453)
                {
                    (*kernelContext_5->partial_0)[360U + t_2] = acc_2[5U];
                }
                if(6U < _S453)
                {
                    (*kernelContext_5->partial_0)[432U + t_2] = acc_2[6U];
                }
                if(7U < _S453)
                {
                    (*kernelContext_5->partial_0)[504U + t_2] = acc_2[7U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_10 = t_2 / 8U;
                if(s_10 < _S453)
                {
                    uint _S454 = s_10 * 72U;
                    uint _S455 = t_2 % 8U;
                    float _S456 = (*kernelContext_5->partial_0)[_S454 + _S455];
                    l_8 = 1U;
                    sum_27 = _S456;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S457 = sum_27 + (*kernelContext_5->partial_0)[_S454 + l_8 * 8U + _S455];
                        l_8 = l_8 + 1U;
                        sum_27 = _S457;
                    }
                    (*kernelContext_5->eighths_0)[s_10 * 8U + _S455] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(8U >= _S445)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(8U < _S445)
                {
                    (*kernelContext_5->partial_0)[t_2] = acc_2[8U];
                }
                if(9U < _S445)
                {
                    (*kernelContext_5->partial_0)[72U + t_2] = acc_2[9U];
                }
                if(10U < _S445)
                {
                    (*kernelContext_5->partial_0)[144U + t_2] = acc_2[10U];
                }
                if(11U < _S445)
                {
                    (*kernelContext_5->partial_0)[216U + t_2] = acc_2[11U];
                }
                if(12U < _S445)
                {
                    (*kernelContext_5->partial_0)[288U + t_2] = acc_2[12U];
                }
                if(13U < _S445)
                {
                    (*kernelContext_5->partial_0)[360U + t_2] = acc_2[13U];
                }
                if(14U < _S445)
                {
                    (*kernelContext_5->partial_0)[432U + t_2] = acc_2[14U];
                }
                if(15U < _S445)
                {
                    (*kernelContext_5->partial_0)[504U + t_2] = acc_2[15U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_11 = t_2 / 8U;
                uint _S458 = 8U + s_11;
                if(_S458 < _S445)
                {
                    uint _S459 = s_11 * 72U;
                    uint _S460 = t_2 % 8U;
                    float _S461 = (*kernelContext_5->partial_0)[_S459 + _S460];
                    l_8 = 1U;
                    sum_27 = _S461;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S462 = sum_27 + (*kernelContext_5->partial_0)[_S459 + l_8 * 8U + _S460];
                        l_8 = l_8 + 1U;
                        sum_27 = _S462;
                    }
                    (*kernelContext_5->eighths_0)[_S458 * 8U + _S460] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(16U >= _S445)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(16U < _S445)
                {
                    (*kernelContext_5->partial_0)[t_2] = acc_2[16U];
                }
                if(17U < _S445)
                {
                    (*kernelContext_5->partial_0)[72U + t_2] = acc_2[17U];
                }
                if(18U < _S445)
                {
                    (*kernelContext_5->partial_0)[144U + t_2] = acc_2[18U];
                }
                if(19U < _S445)
                {
                    (*kernelContext_5->partial_0)[216U + t_2] = acc_2[19U];
                }
                if(20U < _S445)
                {
                    (*kernelContext_5->partial_0)[288U + t_2] = acc_2[20U];
                }
                if(21U < _S445)
                {
                    (*kernelContext_5->partial_0)[360U + t_2] = acc_2[21U];
                }
                if(22U < _S445)
                {
                    (*kernelContext_5->partial_0)[432U + t_2] = acc_2[22U];
                }
                if(23U < _S445)
                {
                    (*kernelContext_5->partial_0)[504U + t_2] = acc_2[23U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_12 = t_2 / 8U;
                uint _S463 = 16U + s_12;
                if(_S463 < _S445)
                {
                    uint _S464 = s_12 * 72U;
                    uint _S465 = t_2 % 8U;
                    float _S466 = (*kernelContext_5->partial_0)[_S464 + _S465];
                    l_8 = 1U;
                    sum_27 = _S466;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S467 = sum_27 + (*kernelContext_5->partial_0)[_S464 + l_8 * 8U + _S465];
                        l_8 = l_8 + 1U;
                        sum_27 = _S467;
                    }
                    (*kernelContext_5->eighths_0)[_S463 * 8U + _S465] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(24U >= _S445)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(24U < _S445)
                {
                    (*kernelContext_5->partial_0)[t_2] = acc_2[24U];
                }
                if(25U < _S445)
                {
                    (*kernelContext_5->partial_0)[72U + t_2] = acc_2[25U];
                }
                if(26U < _S445)
                {
                    (*kernelContext_5->partial_0)[144U + t_2] = acc_2[26U];
                }
                if(27U < _S445)
                {
                    (*kernelContext_5->partial_0)[216U + t_2] = acc_2[27U];
                }
                if(28U < _S445)
                {
                    (*kernelContext_5->partial_0)[288U + t_2] = acc_2[28U];
                }
                if(29U < _S445)
                {
                    (*kernelContext_5->partial_0)[360U + t_2] = acc_2[29U];
                }
                if(30U < _S445)
                {
                    (*kernelContext_5->partial_0)[432U + t_2] = acc_2[30U];
                }
                if(31U < _S445)
                {
                    (*kernelContext_5->partial_0)[504U + t_2] = acc_2[31U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_13 = t_2 / 8U;
                uint _S468 = 24U + s_13;
                if(_S468 < _S445)
                {
                    uint _S469 = s_13 * 72U;
                    uint _S470 = t_2 % 8U;
                    float _S471 = (*kernelContext_5->partial_0)[_S469 + _S470];
                    l_8 = 1U;
                    sum_27 = _S471;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S472 = sum_27 + (*kernelContext_5->partial_0)[_S469 + l_8 * 8U + _S470];
                        l_8 = l_8 + 1U;
                        sum_27 = _S472;
                    }
                    (*kernelContext_5->eighths_0)[_S468 * 8U + _S470] = sum_27;
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
    uint _S473 = t_2 % _S447;
    (&p_9)->row_1 = first_3 + _S473;
    uint _S474 = tile_1 * _S450;
    uint _S475 = t_2 / _S447;
    (&p_9)->column_0 = _S474 + _S475;
    bool _S476 = t_2 < _S445;
    bool _S477;
    if(_S476)
    {
        _S477 = _S473 < _S448;
    }
    else
    {
        _S477 = false;
    }
    if(_S477)
    {
        _S477 = ((&p_9)->column_0) < C_N_0;
    }
    else
    {
        _S477 = false;
    }
    (&p_9)->mine_0 = _S477;
    if(_S476)
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
            (&p_9)->v_10 = (&p_9)->v_10 + (*kernelContext_5->eighths_0)[t_2 * 8U + l_8];
            l_8 = l_8 + 1U;
        }
    }
    return p_9;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_6;
    (&kernelContext_6)->args_0 = args_1;
    threadgroup array<float, int(576)> partial_1;
    (&kernelContext_6)->partial_0 = &partial_1;
    threadgroup array<float, int(256)> eighths_1;
    (&kernelContext_6)->eighths_0 = &eighths_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S478 = stopped_0(&kernelContext_6);
    if(_S478)
    {
        return;
    }
    uint tile_2 = group_0.x;
    for(;;)
    {
        uint _S479 = product_tiles_0();
        if(tile_2 < _S479)
        {
        }
        else
        {
            break;
        }
        Product_0 _S480 = product_0(tile_2, group_0.y, sv_groupindex_0, &kernelContext_6);
        if(_S480.mine_0)
        {
            *((float device*)((ulong)((&kernelContext_6)->args_0->out_0)) + (ulong(_S480.row_1) * ulong(C_OUT_STRIDE_0) + ulong(C_OUT_COL_0) + ulong(_S480.column_0))) = _S480.v_10;
        }
        uint _S481 = product_tiles_0();
        tile_2 = tile_2 + min(_S481, 65535U);
    }
    return;
}
