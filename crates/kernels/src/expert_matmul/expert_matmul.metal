// Made by tools/vulkan-kernels.sh of expert_matmul.slang and what stands before it.
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
constant uint fc_C_OUT_COL_0 [[function_constant(9)]];
constant uint C_OUT_COL_0 = is_function_constant_defined(fc_C_OUT_COL_0) ? fc_C_OUT_COL_0 : 1U;
constant uint fc_C_OUT_STRIDE_0 [[function_constant(8)]];
constant uint C_OUT_STRIDE_0 = is_function_constant_defined(fc_C_OUT_STRIDE_0) ? fc_C_OUT_STRIDE_0 : 1U;
constant uint fc_C_K_0 [[function_constant(3)]];
constant uint C_K_0 = is_function_constant_defined(fc_C_K_0) ? fc_C_K_0 : 1U;
constant uint fc_C_INPUT_0 [[function_constant(7)]];
constant uint C_INPUT_0 = is_function_constant_defined(fc_C_INPUT_0) ? fc_C_INPUT_0 : 1U;
constant uint fc_C_N_0 [[function_constant(4)]];
constant uint C_N_0 = is_function_constant_defined(fc_C_N_0) ? fc_C_N_0 : 1U;
constant uint fc_C_EXPERTS_0 [[function_constant(5)]];
constant uint C_EXPERTS_0 = is_function_constant_defined(fc_C_EXPERTS_0) ? fc_C_EXPERTS_0 : 1U;
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
    uchar device* routes_0;
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
constant uint fc_C_USED_0 [[function_constant(6)]];
constant uint C_USED_0 = is_function_constant_defined(fc_C_USED_0) ? fc_C_USED_0 : 1U;
uint inputs_0(KernelContext_0 thread* kernelContext_1)
{
    return kernelContext_1->args_0->step_0->rows_0 * C_USED_0;
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
uint own_0()
{
    return 1U;
}
uint weight_row_0(uint tile_0, uint slot_0, uint i_0, KernelContext_0 thread* kernelContext_2)
{
    return min((uint2(*((packed_uint2 device*)((ulong)(kernelContext_2->args_0->routes_0)) + slot_0)) ).x, C_EXPERTS_0 - 1U) * C_N_0 + min(tile_0 * outputs_0() + i_0, C_N_0 - 1U);
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
    ulong above_0 = ulong(C_N_0) * ulong(C_EXPERTS_0) * ulong(C_K_0) / 8UL * _S10;
    ulong _S11 = ulong(high_bits_0());
    ulong rest_0 = above_0 + ulong(C_N_0) * ulong(C_EXPERTS_0) * ulong(C_K_0) / 8UL * _S11;
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
        (&p_0)->super_0 = rest_0 + ulong(C_N_0) * ulong(C_EXPERTS_0) * ulong(C_K_0) / 16UL + at_0 / 64UL;
    }
    if(C_DTYPE_0 == 11U)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 256UL * 12UL;
        (&p_0)->super_0 = rest_0 + ulong(C_N_0) * ulong(C_EXPERTS_0) * ulong(C_K_0) / 256UL * 12UL + at_0 / 128UL;
    }
    if(C_DTYPE_0 == 14U)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 16UL;
        (&p_0)->super_0 = rest_0 + ulong(C_N_0) * ulong(C_EXPERTS_0) * ulong(C_K_0) / 16UL + at_0 / 128UL;
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
uint input_row_0(uint slot_1)
{
    uint _S14;
    if(C_INPUT_0 == 1U)
    {
        _S14 = slot_1;
    }
    else
    {
        uint _S15 = slot_1 / C_USED_0;
        _S14 = _S15;
    }
    return _S14;
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
void add_blocks_0(const Eight_0 thread* rows_1, uint first_1, uint n_1, uint t_0, array<float, int(32)> thread* acc_0, KernelContext_0 thread* kernelContext_3)
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
    uint _S56 = input_row_0(first_1);
    uchar device* _S57 = kernelContext_3->args_0->x_0 + ulong(_S56) * stride_0;
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
                    uint _S58 = outputs_0();
                    _S45 = _S58;
                    bool _S59 = 0U >= _S58;
                    _S46 = _S59;
                    if(_S59)
                    {
                        break;
                    }
                    uchar device* _S60 = kernelContext_3->args_0->w_0;
                    Planes_0 _S61 = of_0(rows_1, 0U);
                    thread Planes_0 _S62 = _S61;
                    thread array<uint, int(8)> words_0;
                    block_codes_0(_S60, &_S62, b_4, &words_0);
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
                        uchar device* _S63 = kernelContext_3->args_0->w_0;
                        uint _S64 = b_4 * 4U;
                        thread Planes_0 _S65 = _S61;
                        float2 _S66 = octet_scale_0(_S63, &_S65, _S64);
                        scales_1[0U] = _S66.x;
                        least_0[0U] = _S66.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S67 = kernelContext_3->args_0->w_0;
                                uint _S68 = _S64 + 2U;
                                thread Planes_0 _S69 = _S61;
                                float2 _S70 = octet_scale_0(_S67, &_S69, _S68);
                                scales_1[1U] = _S70.x;
                                least_0[1U] = _S70.y;
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
                    bool _S71 = 1U >= _S45;
                    _S47 = _S71;
                    if(_S71)
                    {
                        break;
                    }
                    uchar device* _S72 = kernelContext_3->args_0->w_0;
                    Planes_0 _S73 = of_0(rows_1, 1U);
                    thread Planes_0 _S74 = _S73;
                    thread array<uint, int(8)> words_1;
                    block_codes_0(_S72, &_S74, b_4, &words_1);
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
                        uchar device* _S75 = kernelContext_3->args_0->w_0;
                        uint _S76 = b_4 * 4U;
                        thread Planes_0 _S77 = _S73;
                        float2 _S78 = octet_scale_0(_S75, &_S77, _S76);
                        scales_1[2U] = _S78.x;
                        least_0[2U] = _S78.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S79 = kernelContext_3->args_0->w_0;
                                uint _S80 = _S76 + 2U;
                                thread Planes_0 _S81 = _S73;
                                float2 _S82 = octet_scale_0(_S79, &_S81, _S80);
                                scales_1[3U] = _S82.x;
                                least_0[3U] = _S82.y;
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
                    bool _S83 = 2U >= _S45;
                    _S48 = _S83;
                    if(_S83)
                    {
                        break;
                    }
                    uchar device* _S84 = kernelContext_3->args_0->w_0;
                    Planes_0 _S85 = of_0(rows_1, 2U);
                    thread Planes_0 _S86 = _S85;
                    thread array<uint, int(8)> words_2;
                    block_codes_0(_S84, &_S86, b_4, &words_2);
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
                        uchar device* _S87 = kernelContext_3->args_0->w_0;
                        uint _S88 = b_4 * 4U;
                        thread Planes_0 _S89 = _S85;
                        float2 _S90 = octet_scale_0(_S87, &_S89, _S88);
                        scales_1[4U] = _S90.x;
                        least_0[4U] = _S90.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S91 = kernelContext_3->args_0->w_0;
                                uint _S92 = _S88 + 2U;
                                thread Planes_0 _S93 = _S85;
                                float2 _S94 = octet_scale_0(_S91, &_S93, _S92);
                                scales_1[5U] = _S94.x;
                                least_0[5U] = _S94.y;
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
                    bool _S95 = 3U >= _S45;
                    _S49 = _S95;
                    if(_S95)
                    {
                        break;
                    }
                    uchar device* _S96 = kernelContext_3->args_0->w_0;
                    Planes_0 _S97 = of_0(rows_1, 3U);
                    thread Planes_0 _S98 = _S97;
                    thread array<uint, int(8)> words_3;
                    block_codes_0(_S96, &_S98, b_4, &words_3);
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
                        uchar device* _S99 = kernelContext_3->args_0->w_0;
                        uint _S100 = b_4 * 4U;
                        thread Planes_0 _S101 = _S97;
                        float2 _S102 = octet_scale_0(_S99, &_S101, _S100);
                        scales_1[6U] = _S102.x;
                        least_0[6U] = _S102.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S103 = kernelContext_3->args_0->w_0;
                                uint _S104 = _S100 + 2U;
                                thread Planes_0 _S105 = _S97;
                                float2 _S106 = octet_scale_0(_S103, &_S105, _S104);
                                scales_1[7U] = _S106.x;
                                least_0[7U] = _S106.y;
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
                    bool _S107 = 4U >= _S45;
                    _S50 = _S107;
                    if(_S107)
                    {
                        break;
                    }
                    uchar device* _S108 = kernelContext_3->args_0->w_0;
                    Planes_0 _S109 = of_0(rows_1, 4U);
                    thread Planes_0 _S110 = _S109;
                    thread array<uint, int(8)> words_4;
                    block_codes_0(_S108, &_S110, b_4, &words_4);
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
                        uchar device* _S111 = kernelContext_3->args_0->w_0;
                        uint _S112 = b_4 * 4U;
                        thread Planes_0 _S113 = _S109;
                        float2 _S114 = octet_scale_0(_S111, &_S113, _S112);
                        scales_1[8U] = _S114.x;
                        least_0[8U] = _S114.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S115 = kernelContext_3->args_0->w_0;
                                uint _S116 = _S112 + 2U;
                                thread Planes_0 _S117 = _S109;
                                float2 _S118 = octet_scale_0(_S115, &_S117, _S116);
                                scales_1[9U] = _S118.x;
                                least_0[9U] = _S118.y;
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
                    bool _S119 = 5U >= _S45;
                    _S51 = _S119;
                    if(_S119)
                    {
                        break;
                    }
                    uchar device* _S120 = kernelContext_3->args_0->w_0;
                    Planes_0 _S121 = of_0(rows_1, 5U);
                    thread Planes_0 _S122 = _S121;
                    thread array<uint, int(8)> words_5;
                    block_codes_0(_S120, &_S122, b_4, &words_5);
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
                        uchar device* _S123 = kernelContext_3->args_0->w_0;
                        uint _S124 = b_4 * 4U;
                        thread Planes_0 _S125 = _S121;
                        float2 _S126 = octet_scale_0(_S123, &_S125, _S124);
                        scales_1[10U] = _S126.x;
                        least_0[10U] = _S126.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S127 = kernelContext_3->args_0->w_0;
                                uint _S128 = _S124 + 2U;
                                thread Planes_0 _S129 = _S121;
                                float2 _S130 = octet_scale_0(_S127, &_S129, _S128);
                                scales_1[11U] = _S130.x;
                                least_0[11U] = _S130.y;
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
                    bool _S131 = 6U >= _S45;
                    _S52 = _S131;
                    if(_S131)
                    {
                        break;
                    }
                    uchar device* _S132 = kernelContext_3->args_0->w_0;
                    Planes_0 _S133 = of_0(rows_1, 6U);
                    thread Planes_0 _S134 = _S133;
                    thread array<uint, int(8)> words_6;
                    block_codes_0(_S132, &_S134, b_4, &words_6);
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
                        uchar device* _S135 = kernelContext_3->args_0->w_0;
                        uint _S136 = b_4 * 4U;
                        thread Planes_0 _S137 = _S133;
                        float2 _S138 = octet_scale_0(_S135, &_S137, _S136);
                        scales_1[12U] = _S138.x;
                        least_0[12U] = _S138.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S139 = kernelContext_3->args_0->w_0;
                                uint _S140 = _S136 + 2U;
                                thread Planes_0 _S141 = _S133;
                                float2 _S142 = octet_scale_0(_S139, &_S141, _S140);
                                scales_1[13U] = _S142.x;
                                least_0[13U] = _S142.y;
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
                    bool _S143 = 7U >= _S45;
                    _S53 = _S143;
                    if(_S143)
                    {
                        break;
                    }
                    uchar device* _S144 = kernelContext_3->args_0->w_0;
                    Planes_0 _S145 = of_0(rows_1, 7U);
                    thread Planes_0 _S146 = _S145;
                    thread array<uint, int(8)> words_7;
                    block_codes_0(_S144, &_S146, b_4, &words_7);
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
                        uchar device* _S147 = kernelContext_3->args_0->w_0;
                        uint _S148 = b_4 * 4U;
                        thread Planes_0 _S149 = _S145;
                        float2 _S150 = octet_scale_0(_S147, &_S149, _S148);
                        scales_1[14U] = _S150.x;
                        least_0[14U] = _S150.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S151 = kernelContext_3->args_0->w_0;
                                uint _S152 = _S148 + 2U;
                                thread Planes_0 _S153 = _S145;
                                float2 _S154 = octet_scale_0(_S151, &_S153, _S152);
                                scales_1[15U] = _S154.x;
                                least_0[15U] = _S154.y;
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
            uint _S155 = own_0();
            if(r_0 < _S155)
            {
            }
            else
            {
                break;
            }
            bool _S156;
            if(_S155 != 1U)
            {
                _S156 = r_0 >= n_1;
            }
            else
            {
                _S156 = false;
            }
            if(_S156)
            {
                r_0 = r_0 + 1U;
                continue;
            }
            uchar device* block_0 = _S57 + ulong(r_0) * stride_0 + b_4 * 80U;
            uint4 _S157 = uint4(*(packed_uint4 device*)((ulong)(block_0))) ;
            uint4 _S158 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(16)))) ;
            uint4 _S159 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(32)))) ;
            uint4 _S160 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(48)))) ;
            uint4 _S161 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(64)))) ;
            float _S162 = (as_type<float>((_S161.x)));
            int _S163 = (as_type<int>((_S161.y)));
            int _S164 = (as_type<int>((_S161.z)));
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
                        int h_0 = dot4_0(q_1[3U], _S157.w, dot4_0(q_1[2U], _S157.z, dot4_0(q_1[1U], _S157.y, dot4_0(q_1[0U], _S157.x, int(0)))));
                        int l_0 = dot4_0(q_1[3U], _S159.w, dot4_0(q_1[2U], _S159.z, dot4_0(q_1[1U], _S159.y, dot4_0(q_1[0U], _S159.x, int(0)))));
                        uint _S165 = q_1[7U];
                        uint _S166 = _S158.w;
                        uint _S167 = q_1[6U];
                        uint _S168 = _S158.z;
                        uint _S169 = q_1[5U];
                        uint _S170 = _S158.y;
                        uint _S171 = q_1[4U];
                        uint _S172 = _S158.x;
                        bool _S173 = parted_0();
                        if(_S173)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = h_0;
                        }
                        int h2_0 = dot4_0(_S165, _S166, dot4_0(_S167, _S168, dot4_0(_S169, _S170, dot4_0(_S171, _S172, _S54))));
                        uint _S174 = q_1[7U];
                        uint _S175 = _S160.w;
                        uint _S176 = q_1[6U];
                        uint _S177 = _S160.z;
                        uint _S178 = q_1[5U];
                        uint _S179 = _S160.y;
                        uint _S180 = q_1[4U];
                        uint _S181 = _S160.x;
                        if(_S173)
                        {
                            _S55 = int(0);
                        }
                        else
                        {
                            _S55 = l_0;
                        }
                        int l2_0 = dot4_0(_S174, _S175, dot4_0(_S176, _S177, dot4_0(_S178, _S179, dot4_0(_S180, _S181, _S55))));
                        float sum_1 = (*acc_0)[r_0];
                        if(_S173)
                        {
                            int _S182 = block_zero_0();
                            float v_0 = fma(scales_1[0U], float(h_0 * int(256) + l_0 - _S182 * _S163), scales_1[1U] * float(h2_0 * int(256) + l2_0 - _S182 * _S164));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[0U], float(_S163), fma(least_0[1U], float(_S164), v_0));
                            }
                            else
                            {
                                sum_0 = v_0;
                            }
                            sum_0 = fma(_S162, sum_0, sum_1);
                        }
                        else
                        {
                            float sum_2 = fma(scales_1[0U] * _S162, float(h2_0 * int(256) + l2_0 - block_zero_0() * (_S163 + _S164)), sum_1);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[0U], (as_type<float>((_S161.w))), sum_2);
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
                        if(_S47)
                        {
                            break;
                        }
                        int h_1 = dot4_0(q_1[11U], _S157.w, dot4_0(q_1[10U], _S157.z, dot4_0(q_1[9U], _S157.y, dot4_0(q_1[8U], _S157.x, int(0)))));
                        int l_1 = dot4_0(q_1[11U], _S159.w, dot4_0(q_1[10U], _S159.z, dot4_0(q_1[9U], _S159.y, dot4_0(q_1[8U], _S159.x, int(0)))));
                        uint _S183 = q_1[15U];
                        uint _S184 = _S158.w;
                        uint _S185 = q_1[14U];
                        uint _S186 = _S158.z;
                        uint _S187 = q_1[13U];
                        uint _S188 = _S158.y;
                        uint _S189 = q_1[12U];
                        uint _S190 = _S158.x;
                        bool _S191 = parted_0();
                        if(_S191)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = h_1;
                        }
                        int h2_1 = dot4_0(_S183, _S184, dot4_0(_S185, _S186, dot4_0(_S187, _S188, dot4_0(_S189, _S190, _S54))));
                        uint _S192 = q_1[15U];
                        uint _S193 = _S160.w;
                        uint _S194 = q_1[14U];
                        uint _S195 = _S160.z;
                        uint _S196 = q_1[13U];
                        uint _S197 = _S160.y;
                        uint _S198 = q_1[12U];
                        uint _S199 = _S160.x;
                        if(_S191)
                        {
                            _S55 = int(0);
                        }
                        else
                        {
                            _S55 = l_1;
                        }
                        int l2_1 = dot4_0(_S192, _S193, dot4_0(_S194, _S195, dot4_0(_S196, _S197, dot4_0(_S198, _S199, _S55))));
                        float sum_3 = (*acc_0)[_S155 + r_0];
                        if(_S191)
                        {
                            int _S200 = block_zero_0();
                            float v_1 = fma(scales_1[2U], float(h_1 * int(256) + l_1 - _S200 * _S163), scales_1[3U] * float(h2_1 * int(256) + l2_1 - _S200 * _S164));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[2U], float(_S163), fma(least_0[3U], float(_S164), v_1));
                            }
                            else
                            {
                                sum_0 = v_1;
                            }
                            sum_0 = fma(_S162, sum_0, sum_3);
                        }
                        else
                        {
                            float sum_4 = fma(scales_1[2U] * _S162, float(h2_1 * int(256) + l2_1 - block_zero_0() * (_S163 + _S164)), sum_3);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[2U], (as_type<float>((_S161.w))), sum_4);
                            }
                            else
                            {
                                sum_0 = sum_4;
                            }
                        }
                        (*acc_0)[_S155 + r_0] = sum_0;
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
                        int h_2 = dot4_0(q_1[19U], _S157.w, dot4_0(q_1[18U], _S157.z, dot4_0(q_1[17U], _S157.y, dot4_0(q_1[16U], _S157.x, int(0)))));
                        int l_2 = dot4_0(q_1[19U], _S159.w, dot4_0(q_1[18U], _S159.z, dot4_0(q_1[17U], _S159.y, dot4_0(q_1[16U], _S159.x, int(0)))));
                        uint _S201 = q_1[23U];
                        uint _S202 = _S158.w;
                        uint _S203 = q_1[22U];
                        uint _S204 = _S158.z;
                        uint _S205 = q_1[21U];
                        uint _S206 = _S158.y;
                        uint _S207 = q_1[20U];
                        uint _S208 = _S158.x;
                        bool _S209 = parted_0();
                        if(_S209)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = h_2;
                        }
                        int h2_2 = dot4_0(_S201, _S202, dot4_0(_S203, _S204, dot4_0(_S205, _S206, dot4_0(_S207, _S208, _S54))));
                        uint _S210 = q_1[23U];
                        uint _S211 = _S160.w;
                        uint _S212 = q_1[22U];
                        uint _S213 = _S160.z;
                        uint _S214 = q_1[21U];
                        uint _S215 = _S160.y;
                        uint _S216 = q_1[20U];
                        uint _S217 = _S160.x;
                        if(_S209)
                        {
                            _S55 = int(0);
                        }
                        else
                        {
                            _S55 = l_2;
                        }
                        int l2_2 = dot4_0(_S210, _S211, dot4_0(_S212, _S213, dot4_0(_S214, _S215, dot4_0(_S216, _S217, _S55))));
                        float sum_5 = (*acc_0)[2U * _S155 + r_0];
                        if(_S209)
                        {
                            int _S218 = block_zero_0();
                            float v_2 = fma(scales_1[4U], float(h_2 * int(256) + l_2 - _S218 * _S163), scales_1[5U] * float(h2_2 * int(256) + l2_2 - _S218 * _S164));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[4U], float(_S163), fma(least_0[5U], float(_S164), v_2));
                            }
                            else
                            {
                                sum_0 = v_2;
                            }
                            sum_0 = fma(_S162, sum_0, sum_5);
                        }
                        else
                        {
                            float sum_6 = fma(scales_1[4U] * _S162, float(h2_2 * int(256) + l2_2 - block_zero_0() * (_S163 + _S164)), sum_5);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[4U], (as_type<float>((_S161.w))), sum_6);
                            }
                            else
                            {
                                sum_0 = sum_6;
                            }
                        }
                        (*acc_0)[2U * _S155 + r_0] = sum_0;
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
                        int h_3 = dot4_0(q_1[27U], _S157.w, dot4_0(q_1[26U], _S157.z, dot4_0(q_1[25U], _S157.y, dot4_0(q_1[24U], _S157.x, int(0)))));
                        int l_3 = dot4_0(q_1[27U], _S159.w, dot4_0(q_1[26U], _S159.z, dot4_0(q_1[25U], _S159.y, dot4_0(q_1[24U], _S159.x, int(0)))));
                        uint _S219 = q_1[31U];
                        uint _S220 = _S158.w;
                        uint _S221 = q_1[30U];
                        uint _S222 = _S158.z;
                        uint _S223 = q_1[29U];
                        uint _S224 = _S158.y;
                        uint _S225 = q_1[28U];
                        uint _S226 = _S158.x;
                        bool _S227 = parted_0();
                        if(_S227)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = h_3;
                        }
                        int h2_3 = dot4_0(_S219, _S220, dot4_0(_S221, _S222, dot4_0(_S223, _S224, dot4_0(_S225, _S226, _S54))));
                        uint _S228 = q_1[31U];
                        uint _S229 = _S160.w;
                        uint _S230 = q_1[30U];
                        uint _S231 = _S160.z;
                        uint _S232 = q_1[29U];
                        uint _S233 = _S160.y;
                        uint _S234 = q_1[28U];
                        uint _S235 = _S160.x;
                        if(_S227)
                        {
                            _S55 = int(0);
                        }
                        else
                        {
                            _S55 = l_3;
                        }
                        int l2_3 = dot4_0(_S228, _S229, dot4_0(_S230, _S231, dot4_0(_S232, _S233, dot4_0(_S234, _S235, _S55))));
                        float sum_7 = (*acc_0)[3U * _S155 + r_0];
                        if(_S227)
                        {
                            int _S236 = block_zero_0();
                            float v_3 = fma(scales_1[6U], float(h_3 * int(256) + l_3 - _S236 * _S163), scales_1[7U] * float(h2_3 * int(256) + l2_3 - _S236 * _S164));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[6U], float(_S163), fma(least_0[7U], float(_S164), v_3));
                            }
                            else
                            {
                                sum_0 = v_3;
                            }
                            sum_0 = fma(_S162, sum_0, sum_7);
                        }
                        else
                        {
                            float sum_8 = fma(scales_1[6U] * _S162, float(h2_3 * int(256) + l2_3 - block_zero_0() * (_S163 + _S164)), sum_7);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[6U], (as_type<float>((_S161.w))), sum_8);
                            }
                            else
                            {
                                sum_0 = sum_8;
                            }
                        }
                        (*acc_0)[3U * _S155 + r_0] = sum_0;
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
                        int h_4 = dot4_0(q_1[35U], _S157.w, dot4_0(q_1[34U], _S157.z, dot4_0(q_1[33U], _S157.y, dot4_0(q_1[32U], _S157.x, int(0)))));
                        int l_4 = dot4_0(q_1[35U], _S159.w, dot4_0(q_1[34U], _S159.z, dot4_0(q_1[33U], _S159.y, dot4_0(q_1[32U], _S159.x, int(0)))));
                        uint _S237 = q_1[39U];
                        uint _S238 = _S158.w;
                        uint _S239 = q_1[38U];
                        uint _S240 = _S158.z;
                        uint _S241 = q_1[37U];
                        uint _S242 = _S158.y;
                        uint _S243 = q_1[36U];
                        uint _S244 = _S158.x;
                        bool _S245 = parted_0();
                        if(_S245)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = h_4;
                        }
                        int h2_4 = dot4_0(_S237, _S238, dot4_0(_S239, _S240, dot4_0(_S241, _S242, dot4_0(_S243, _S244, _S54))));
                        uint _S246 = q_1[39U];
                        uint _S247 = _S160.w;
                        uint _S248 = q_1[38U];
                        uint _S249 = _S160.z;
                        uint _S250 = q_1[37U];
                        uint _S251 = _S160.y;
                        uint _S252 = q_1[36U];
                        uint _S253 = _S160.x;
                        if(_S245)
                        {
                            _S55 = int(0);
                        }
                        else
                        {
                            _S55 = l_4;
                        }
                        int l2_4 = dot4_0(_S246, _S247, dot4_0(_S248, _S249, dot4_0(_S250, _S251, dot4_0(_S252, _S253, _S55))));
                        float sum_9 = (*acc_0)[4U * _S155 + r_0];
                        if(_S245)
                        {
                            int _S254 = block_zero_0();
                            float v_4 = fma(scales_1[8U], float(h_4 * int(256) + l_4 - _S254 * _S163), scales_1[9U] * float(h2_4 * int(256) + l2_4 - _S254 * _S164));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[8U], float(_S163), fma(least_0[9U], float(_S164), v_4));
                            }
                            else
                            {
                                sum_0 = v_4;
                            }
                            sum_0 = fma(_S162, sum_0, sum_9);
                        }
                        else
                        {
                            float sum_10 = fma(scales_1[8U] * _S162, float(h2_4 * int(256) + l2_4 - block_zero_0() * (_S163 + _S164)), sum_9);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[8U], (as_type<float>((_S161.w))), sum_10);
                            }
                            else
                            {
                                sum_0 = sum_10;
                            }
                        }
                        (*acc_0)[4U * _S155 + r_0] = sum_0;
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
                        int h_5 = dot4_0(q_1[43U], _S157.w, dot4_0(q_1[42U], _S157.z, dot4_0(q_1[41U], _S157.y, dot4_0(q_1[40U], _S157.x, int(0)))));
                        int l_5 = dot4_0(q_1[43U], _S159.w, dot4_0(q_1[42U], _S159.z, dot4_0(q_1[41U], _S159.y, dot4_0(q_1[40U], _S159.x, int(0)))));
                        uint _S255 = q_1[47U];
                        uint _S256 = _S158.w;
                        uint _S257 = q_1[46U];
                        uint _S258 = _S158.z;
                        uint _S259 = q_1[45U];
                        uint _S260 = _S158.y;
                        uint _S261 = q_1[44U];
                        uint _S262 = _S158.x;
                        bool _S263 = parted_0();
                        if(_S263)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = h_5;
                        }
                        int h2_5 = dot4_0(_S255, _S256, dot4_0(_S257, _S258, dot4_0(_S259, _S260, dot4_0(_S261, _S262, _S54))));
                        uint _S264 = q_1[47U];
                        uint _S265 = _S160.w;
                        uint _S266 = q_1[46U];
                        uint _S267 = _S160.z;
                        uint _S268 = q_1[45U];
                        uint _S269 = _S160.y;
                        uint _S270 = q_1[44U];
                        uint _S271 = _S160.x;
                        if(_S263)
                        {
                            _S55 = int(0);
                        }
                        else
                        {
                            _S55 = l_5;
                        }
                        int l2_5 = dot4_0(_S264, _S265, dot4_0(_S266, _S267, dot4_0(_S268, _S269, dot4_0(_S270, _S271, _S55))));
                        float sum_11 = (*acc_0)[5U * _S155 + r_0];
                        if(_S263)
                        {
                            int _S272 = block_zero_0();
                            float v_5 = fma(scales_1[10U], float(h_5 * int(256) + l_5 - _S272 * _S163), scales_1[11U] * float(h2_5 * int(256) + l2_5 - _S272 * _S164));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[10U], float(_S163), fma(least_0[11U], float(_S164), v_5));
                            }
                            else
                            {
                                sum_0 = v_5;
                            }
                            sum_0 = fma(_S162, sum_0, sum_11);
                        }
                        else
                        {
                            float sum_12 = fma(scales_1[10U] * _S162, float(h2_5 * int(256) + l2_5 - block_zero_0() * (_S163 + _S164)), sum_11);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[10U], (as_type<float>((_S161.w))), sum_12);
                            }
                            else
                            {
                                sum_0 = sum_12;
                            }
                        }
                        (*acc_0)[5U * _S155 + r_0] = sum_0;
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
                        int h_6 = dot4_0(q_1[51U], _S157.w, dot4_0(q_1[50U], _S157.z, dot4_0(q_1[49U], _S157.y, dot4_0(q_1[48U], _S157.x, int(0)))));
                        int l_6 = dot4_0(q_1[51U], _S159.w, dot4_0(q_1[50U], _S159.z, dot4_0(q_1[49U], _S159.y, dot4_0(q_1[48U], _S159.x, int(0)))));
                        uint _S273 = q_1[55U];
                        uint _S274 = _S158.w;
                        uint _S275 = q_1[54U];
                        uint _S276 = _S158.z;
                        uint _S277 = q_1[53U];
                        uint _S278 = _S158.y;
                        uint _S279 = q_1[52U];
                        uint _S280 = _S158.x;
                        bool _S281 = parted_0();
                        if(_S281)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = h_6;
                        }
                        int h2_6 = dot4_0(_S273, _S274, dot4_0(_S275, _S276, dot4_0(_S277, _S278, dot4_0(_S279, _S280, _S54))));
                        uint _S282 = q_1[55U];
                        uint _S283 = _S160.w;
                        uint _S284 = q_1[54U];
                        uint _S285 = _S160.z;
                        uint _S286 = q_1[53U];
                        uint _S287 = _S160.y;
                        uint _S288 = q_1[52U];
                        uint _S289 = _S160.x;
                        if(_S281)
                        {
                            _S55 = int(0);
                        }
                        else
                        {
                            _S55 = l_6;
                        }
                        int l2_6 = dot4_0(_S282, _S283, dot4_0(_S284, _S285, dot4_0(_S286, _S287, dot4_0(_S288, _S289, _S55))));
                        float sum_13 = (*acc_0)[6U * _S155 + r_0];
                        if(_S281)
                        {
                            int _S290 = block_zero_0();
                            float v_6 = fma(scales_1[12U], float(h_6 * int(256) + l_6 - _S290 * _S163), scales_1[13U] * float(h2_6 * int(256) + l2_6 - _S290 * _S164));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[12U], float(_S163), fma(least_0[13U], float(_S164), v_6));
                            }
                            else
                            {
                                sum_0 = v_6;
                            }
                            sum_0 = fma(_S162, sum_0, sum_13);
                        }
                        else
                        {
                            float sum_14 = fma(scales_1[12U] * _S162, float(h2_6 * int(256) + l2_6 - block_zero_0() * (_S163 + _S164)), sum_13);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[12U], (as_type<float>((_S161.w))), sum_14);
                            }
                            else
                            {
                                sum_0 = sum_14;
                            }
                        }
                        (*acc_0)[6U * _S155 + r_0] = sum_0;
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
                        int h_7 = dot4_0(q_1[59U], _S157.w, dot4_0(q_1[58U], _S157.z, dot4_0(q_1[57U], _S157.y, dot4_0(q_1[56U], _S157.x, int(0)))));
                        int l_7 = dot4_0(q_1[59U], _S159.w, dot4_0(q_1[58U], _S159.z, dot4_0(q_1[57U], _S159.y, dot4_0(q_1[56U], _S159.x, int(0)))));
                        uint _S291 = q_1[63U];
                        uint _S292 = _S158.w;
                        uint _S293 = q_1[62U];
                        uint _S294 = _S158.z;
                        uint _S295 = q_1[61U];
                        uint _S296 = _S158.y;
                        uint _S297 = q_1[60U];
                        uint _S298 = _S158.x;
                        bool _S299 = parted_0();
                        if(_S299)
                        {
                            _S54 = int(0);
                        }
                        else
                        {
                            _S54 = h_7;
                        }
                        int h2_7 = dot4_0(_S291, _S292, dot4_0(_S293, _S294, dot4_0(_S295, _S296, dot4_0(_S297, _S298, _S54))));
                        uint _S300 = q_1[63U];
                        uint _S301 = _S160.w;
                        uint _S302 = q_1[62U];
                        uint _S303 = _S160.z;
                        uint _S304 = q_1[61U];
                        uint _S305 = _S160.y;
                        uint _S306 = q_1[60U];
                        uint _S307 = _S160.x;
                        if(_S299)
                        {
                            _S55 = int(0);
                        }
                        else
                        {
                            _S55 = l_7;
                        }
                        int l2_7 = dot4_0(_S300, _S301, dot4_0(_S302, _S303, dot4_0(_S304, _S305, dot4_0(_S306, _S307, _S55))));
                        float sum_15 = (*acc_0)[7U * _S155 + r_0];
                        if(_S299)
                        {
                            int _S308 = block_zero_0();
                            float v_7 = fma(scales_1[14U], float(h_7 * int(256) + l_7 - _S308 * _S163), scales_1[15U] * float(h2_7 * int(256) + l2_7 - _S308 * _S164));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[14U], float(_S163), fma(least_0[15U], float(_S164), v_7));
                            }
                            else
                            {
                                sum_0 = v_7;
                            }
                            sum_0 = fma(_S162, sum_0, sum_15);
                        }
                        else
                        {
                            float sum_16 = fma(scales_1[14U] * _S162, float(h2_7 * int(256) + l2_7 - block_zero_0() * (_S163 + _S164)), sum_15);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[14U], (as_type<float>((_S161.w))), sum_16);
                            }
                            else
                            {
                                sum_0 = sum_16;
                            }
                        }
                        (*acc_0)[7U * _S155 + r_0] = sum_0;
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
float4 input_four_0(uint r_1, uint i_2, KernelContext_0 thread* kernelContext_4)
{
    uchar device* row_1 = kernelContext_4->args_0->x_0 + ulong(r_1) * act_row_bytes_0(C_ACT_0, C_K_0);
    if(C_ACT_0 == 0U)
    {
        return float4(*((packed_float4 device*)((ulong)(row_1)) + i_2)) ;
    }
    uint2 _S309 = uint2(*((packed_uint2 device*)((ulong)(row_1)) + i_2)) ;
    uint _S310 = _S309.x;
    uint _S311 = _S309.y;
    return float4(32.0)  * float4(f16_to_f32_0(_S310), f16_to_f32_0(_S310 >> 16U), f16_to_f32_0(_S311), f16_to_f32_0(_S311 >> 16U));
}
float bf16_to_f32_0(uint half_1)
{
    return (as_type<float>((half_1 << 16U)));
}
void octet_floats_0(uchar device* w_3, const Planes_0 thread* p_7, uint o_1, array<float, int(8)> thread* v_8)
{
    if(C_DTYPE_0 == 0U)
    {
        uchar device* _S312 = w_3 + p_7->low_0 + o_1 * 32U;
        float4 _S313 = float4(*(packed_float4 device*)((ulong)(_S312))) ;
        float4 _S314 = float4(*(packed_float4 device*)((ulong)(_S312 + int(16)))) ;
        (*v_8)[int(0)] = _S313.x;
        (*v_8)[int(1)] = _S313.y;
        (*v_8)[int(2)] = _S313.z;
        (*v_8)[int(3)] = _S313.w;
        (*v_8)[int(4)] = _S314.x;
        (*v_8)[int(5)] = _S314.y;
        (*v_8)[int(6)] = _S314.z;
        (*v_8)[int(7)] = _S314.w;
        return;
    }
    uint4 _S315 = uint4(*(packed_uint4 device*)((ulong)(w_3 + p_7->low_0 + o_1 * 16U))) ;
    uint _S316 = _S315.x;
    uint half_2 = (_S316 >> 0U) & 65535U;
    float _S317;
    if(C_DTYPE_0 == 1U)
    {
        _S317 = f16_to_f32_0(half_2);
    }
    else
    {
        _S317 = bf16_to_f32_0(half_2);
    }
    (*v_8)[0U] = _S317;
    uint half_3 = (_S316 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S317 = f16_to_f32_0(half_3);
    }
    else
    {
        _S317 = bf16_to_f32_0(half_3);
    }
    (*v_8)[1U] = _S317;
    uint _S318 = _S315.y;
    uint half_4 = (_S318 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S317 = f16_to_f32_0(half_4);
    }
    else
    {
        _S317 = bf16_to_f32_0(half_4);
    }
    (*v_8)[2U] = _S317;
    uint half_5 = (_S318 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S317 = f16_to_f32_0(half_5);
    }
    else
    {
        _S317 = bf16_to_f32_0(half_5);
    }
    (*v_8)[3U] = _S317;
    uint _S319 = _S315.z;
    uint half_6 = (_S319 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S317 = f16_to_f32_0(half_6);
    }
    else
    {
        _S317 = bf16_to_f32_0(half_6);
    }
    (*v_8)[4U] = _S317;
    uint half_7 = (_S319 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S317 = f16_to_f32_0(half_7);
    }
    else
    {
        _S317 = bf16_to_f32_0(half_7);
    }
    (*v_8)[5U] = _S317;
    uint _S320 = _S315.w;
    uint half_8 = (_S320 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S317 = f16_to_f32_0(half_8);
    }
    else
    {
        _S317 = bf16_to_f32_0(half_8);
    }
    (*v_8)[6U] = _S317;
    uint half_9 = (_S320 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S317 = f16_to_f32_0(half_9);
    }
    else
    {
        _S317 = bf16_to_f32_0(half_9);
    }
    (*v_8)[7U] = _S317;
    return;
}
void octet_codes_0(uchar device* w_4, const Planes_0 thread* p_8, uint o_2, array<float, int(8)> thread* q_2)
{
    uint b_5 = o_2 / 4U;
    uint j_0 = o_2 % 4U;
    thread array<uint, int(8)> v_9;
    uint _S321 = low_bits_0();
    if(_S321 == 8U)
    {
        uint2 _S322 = (uint2(*(packed_uint2 device*)((ulong)(w_4 + p_8->low_0 + o_2 * 8U))) ) ^ (uint2(2155905152U) );
        uint _S323 = _S322.x;
        v_9[0U] = (_S323 >> 0U) & 255U;
        v_9[1U] = (_S323 >> 8U) & 255U;
        v_9[2U] = (_S323 >> 16U) & 255U;
        v_9[3U] = (_S323 >> 24U) & 255U;
        uint _S324 = _S322.y;
        v_9[4U] = (_S324 >> 0U) & 255U;
        v_9[5U] = (_S324 >> 8U) & 255U;
        v_9[6U] = (_S324 >> 16U) & 255U;
        v_9[7U] = (_S324 >> 24U) & 255U;
    }
    else
    {
        if(_S321 == 4U)
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
            uint2 _S325 = (uint2(*(packed_uint2 device*)((ulong)(w_4 + p_8->low_0 + at_3 + j_0 % 2U * 8U))) ) >> (uint2((j_0 / 2U * 4U)) );
            uint _S326 = _S325.x;
            v_9[0U] = (_S326 >> 0U) & 15U;
            v_9[1U] = (_S326 >> 8U) & 15U;
            v_9[2U] = (_S326 >> 16U) & 15U;
            v_9[3U] = (_S326 >> 24U) & 15U;
            uint _S327 = _S325.y;
            v_9[4U] = (_S327 >> 0U) & 15U;
            v_9[5U] = (_S327 >> 8U) & 15U;
            v_9[6U] = (_S327 >> 16U) & 15U;
            v_9[7U] = (_S327 >> 24U) & 15U;
        }
        else
        {
            uint _S328 = word_at_0(w_4 + p_8->low_0 + b_5 * 8U + j_0 / 2U * 4U);
            uint _S329 = _S328 >> (j_0 % 2U * 4U);
            v_9[0U] = (_S329 >> 0U) & 3U;
            v_9[1U] = (_S329 >> 8U) & 3U;
            v_9[2U] = (_S329 >> 16U) & 3U;
            v_9[3U] = (_S329 >> 24U) & 3U;
            v_9[4U] = (_S329 >> 2U) & 3U;
            v_9[5U] = (_S329 >> 10U) & 3U;
            v_9[6U] = (_S329 >> 18U) & 3U;
            v_9[7U] = (_S329 >> 26U) & 3U;
        }
    }
    uint _S330 = high_bits_0();
    if(_S330 == 2U)
    {
        uint _S331 = word_at_0(w_4 + p_8->high_0 + b_5 * 8U + j_0 / 2U * 4U);
        uint _S332 = _S331 >> (j_0 % 2U * 4U);
        v_9[0U] = (v_9[0U]) | (((_S332 >> 0U) & 3U) << _S321);
        v_9[1U] = (v_9[1U]) | (((_S332 >> 8U) & 3U) << _S321);
        v_9[2U] = (v_9[2U]) | (((_S332 >> 16U) & 3U) << _S321);
        v_9[3U] = (v_9[3U]) | (((_S332 >> 24U) & 3U) << _S321);
        v_9[4U] = (v_9[4U]) | (((_S332 >> 2U) & 3U) << _S321);
        v_9[5U] = (v_9[5U]) | (((_S332 >> 10U) & 3U) << _S321);
        v_9[6U] = (v_9[6U]) | (((_S332 >> 18U) & 3U) << _S321);
        v_9[7U] = (v_9[7U]) | (((_S332 >> 26U) & 3U) << _S321);
    }
    if(_S330 == 1U)
    {
        uint _S333 = word_at_0(w_4 + p_8->high_0 + b_5 * 4U);
        uint _S334 = _S333 >> (j_0 * 2U);
        v_9[0U] = (v_9[0U]) | (((_S334 >> 0U) & 1U) << _S321);
        v_9[1U] = (v_9[1U]) | (((_S334 >> 8U) & 1U) << _S321);
        v_9[2U] = (v_9[2U]) | (((_S334 >> 16U) & 1U) << _S321);
        v_9[3U] = (v_9[3U]) | (((_S334 >> 24U) & 1U) << _S321);
        v_9[4U] = (v_9[4U]) | (((_S334 >> 1U) & 1U) << _S321);
        v_9[5U] = (v_9[5U]) | (((_S334 >> 9U) & 1U) << _S321);
        v_9[6U] = (v_9[6U]) | (((_S334 >> 17U) & 1U) << _S321);
        v_9[7U] = (v_9[7U]) | (((_S334 >> 25U) & 1U) << _S321);
    }
    float _S335 = float(8388608U + zero_0());
    (*q_2)[0U] = (as_type<float>((1258291200U | v_9[0U]))) - _S335;
    (*q_2)[1U] = (as_type<float>((1258291200U | v_9[1U]))) - _S335;
    (*q_2)[2U] = (as_type<float>((1258291200U | v_9[2U]))) - _S335;
    (*q_2)[3U] = (as_type<float>((1258291200U | v_9[3U]))) - _S335;
    (*q_2)[4U] = (as_type<float>((1258291200U | v_9[4U]))) - _S335;
    (*q_2)[5U] = (as_type<float>((1258291200U | v_9[5U]))) - _S335;
    (*q_2)[6U] = (as_type<float>((1258291200U | v_9[6U]))) - _S335;
    (*q_2)[7U] = (as_type<float>((1258291200U | v_9[7U]))) - _S335;
    return;
}
void add_eights_0(const Eight_0 thread* rows_2, uint first_2, uint n_2, uint t_1, array<float, int(32)> thread* acc_1, array<float, int(8)> thread* squares_0, KernelContext_0 thread* kernelContext_5)
{
    uint _S336;
    bool _S337;
    uint _S338;
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
            uint _S339 = own_0();
            _S336 = _S339;
            if(r_3 < _S339)
            {
            }
            else
            {
                break;
            }
            if(_S339 != 1U)
            {
                _S337 = r_3 >= n_2;
            }
            else
            {
                _S337 = false;
            }
            if(_S337)
            {
                r_3 = r_3 + 1U;
                continue;
            }
            uint _S340 = first_2 + r_3;
            uint _S341 = input_row_0(_S340);
            uint _S342 = o_3 * 2U;
            float4 _S343 = input_four_0(_S341, _S342, kernelContext_5);
            uint _S344 = input_row_0(_S340);
            float4 _S345 = input_four_0(_S344, _S342 + 1U, kernelContext_5);
            uint to_0 = r_3 * 8U;
            float _S346 = _S343.x;
            x_1[to_0] = _S346;
            float _S347 = _S343.y;
            x_1[to_0 + 1U] = _S347;
            float _S348 = _S343.z;
            x_1[to_0 + 2U] = _S348;
            float _S349 = _S343.w;
            x_1[to_0 + 3U] = _S349;
            float _S350 = _S345.x;
            x_1[to_0 + 4U] = _S350;
            float _S351 = _S345.y;
            x_1[to_0 + 5U] = _S351;
            float _S352 = _S345.z;
            x_1[to_0 + 6U] = _S352;
            float _S353 = _S345.w;
            x_1[to_0 + 7U] = _S353;
            if(has_minimum_0())
            {
                whole_0[r_3] = _S346 + _S347 + (_S348 + _S349) + (_S350 + _S351 + (_S352 + _S353));
            }
            r_3 = r_3 + 1U;
        }
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    uint _S354 = outputs_0();
                    _S338 = _S354;
                    if(0U >= _S354)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_3;
                    float2 _S355 = float2(1.0, 0.0);
                    Planes_0 _S356 = of_0(rows_2, 0U);
                    bool _S357 = is_float_0();
                    if(_S357)
                    {
                        uchar device* _S358 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S359 = _S356;
                        octet_floats_0(_S358, &_S359, o_3, &q_3);
                        scale_0 = _S355;
                    }
                    else
                    {
                        uchar device* _S360 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S361 = _S356;
                        octet_codes_0(_S360, &_S361, o_3, &q_3);
                        uchar device* _S362 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S363 = _S356;
                        float2 _S364 = octet_scale_0(_S362, &_S363, o_3);
                        scale_0 = _S364;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S336)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S336 != 1U)
                        {
                            _S337 = r_2 >= n_2;
                        }
                        else
                        {
                            _S337 = false;
                        }
                        if(_S337)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S365 = r_2 * 8U;
                        float _S366 = q_3[int(0)] * x_1[_S365];
                        float sum_19 = (*acc_1)[r_2];
                        float s_2 = fma(q_3[7U], x_1[_S365 + 7U], fma(q_3[6U], x_1[_S365 + 6U], fma(q_3[5U], x_1[_S365 + 5U], fma(q_3[4U], x_1[_S365 + 4U], fma(q_3[3U], x_1[_S365 + 3U], fma(q_3[2U], x_1[_S365 + 2U], fma(q_3[1U], x_1[_S365 + 1U], _S366)))))));
                        if(_S357)
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
                    if(1U >= _S338)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_4;
                    float2 _S367 = float2(1.0, 0.0);
                    Planes_0 _S368 = of_0(rows_2, 1U);
                    bool _S369 = is_float_0();
                    if(_S369)
                    {
                        uchar device* _S370 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S371 = _S368;
                        octet_floats_0(_S370, &_S371, o_3, &q_4);
                        scale_0 = _S367;
                    }
                    else
                    {
                        uchar device* _S372 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S373 = _S368;
                        octet_codes_0(_S372, &_S373, o_3, &q_4);
                        uchar device* _S374 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S375 = _S368;
                        float2 _S376 = octet_scale_0(_S374, &_S375, o_3);
                        scale_0 = _S376;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S336)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S336 != 1U)
                        {
                            _S337 = r_2 >= n_2;
                        }
                        else
                        {
                            _S337 = false;
                        }
                        if(_S337)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S377 = r_2 * 8U;
                        float _S378 = q_4[int(0)] * x_1[_S377];
                        float sum_20 = (*acc_1)[_S336 + r_2];
                        float s_3 = fma(q_4[7U], x_1[_S377 + 7U], fma(q_4[6U], x_1[_S377 + 6U], fma(q_4[5U], x_1[_S377 + 5U], fma(q_4[4U], x_1[_S377 + 4U], fma(q_4[3U], x_1[_S377 + 3U], fma(q_4[2U], x_1[_S377 + 2U], fma(q_4[1U], x_1[_S377 + 1U], _S378)))))));
                        if(_S369)
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
                        (*acc_1)[_S336 + r_2] = sum_18;
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
                    if(2U >= _S338)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_5;
                    float2 _S379 = float2(1.0, 0.0);
                    Planes_0 _S380 = of_0(rows_2, 2U);
                    bool _S381 = is_float_0();
                    if(_S381)
                    {
                        uchar device* _S382 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S383 = _S380;
                        octet_floats_0(_S382, &_S383, o_3, &q_5);
                        scale_0 = _S379;
                    }
                    else
                    {
                        uchar device* _S384 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S385 = _S380;
                        octet_codes_0(_S384, &_S385, o_3, &q_5);
                        uchar device* _S386 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S387 = _S380;
                        float2 _S388 = octet_scale_0(_S386, &_S387, o_3);
                        scale_0 = _S388;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S336)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S336 != 1U)
                        {
                            _S337 = r_2 >= n_2;
                        }
                        else
                        {
                            _S337 = false;
                        }
                        if(_S337)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S389 = r_2 * 8U;
                        float _S390 = q_5[int(0)] * x_1[_S389];
                        float sum_21 = (*acc_1)[2U * _S336 + r_2];
                        float s_4 = fma(q_5[7U], x_1[_S389 + 7U], fma(q_5[6U], x_1[_S389 + 6U], fma(q_5[5U], x_1[_S389 + 5U], fma(q_5[4U], x_1[_S389 + 4U], fma(q_5[3U], x_1[_S389 + 3U], fma(q_5[2U], x_1[_S389 + 2U], fma(q_5[1U], x_1[_S389 + 1U], _S390)))))));
                        if(_S381)
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
                        (*acc_1)[2U * _S336 + r_2] = sum_18;
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
                    if(3U >= _S338)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_6;
                    float2 _S391 = float2(1.0, 0.0);
                    Planes_0 _S392 = of_0(rows_2, 3U);
                    bool _S393 = is_float_0();
                    if(_S393)
                    {
                        uchar device* _S394 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S395 = _S392;
                        octet_floats_0(_S394, &_S395, o_3, &q_6);
                        scale_0 = _S391;
                    }
                    else
                    {
                        uchar device* _S396 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S397 = _S392;
                        octet_codes_0(_S396, &_S397, o_3, &q_6);
                        uchar device* _S398 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S399 = _S392;
                        float2 _S400 = octet_scale_0(_S398, &_S399, o_3);
                        scale_0 = _S400;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S336)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S336 != 1U)
                        {
                            _S337 = r_2 >= n_2;
                        }
                        else
                        {
                            _S337 = false;
                        }
                        if(_S337)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S401 = r_2 * 8U;
                        float _S402 = q_6[int(0)] * x_1[_S401];
                        float sum_22 = (*acc_1)[3U * _S336 + r_2];
                        float s_5 = fma(q_6[7U], x_1[_S401 + 7U], fma(q_6[6U], x_1[_S401 + 6U], fma(q_6[5U], x_1[_S401 + 5U], fma(q_6[4U], x_1[_S401 + 4U], fma(q_6[3U], x_1[_S401 + 3U], fma(q_6[2U], x_1[_S401 + 2U], fma(q_6[1U], x_1[_S401 + 1U], _S402)))))));
                        if(_S393)
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
                        (*acc_1)[3U * _S336 + r_2] = sum_18;
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
                    if(4U >= _S338)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_7;
                    float2 _S403 = float2(1.0, 0.0);
                    Planes_0 _S404 = of_0(rows_2, 4U);
                    bool _S405 = is_float_0();
                    if(_S405)
                    {
                        uchar device* _S406 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S407 = _S404;
                        octet_floats_0(_S406, &_S407, o_3, &q_7);
                        scale_0 = _S403;
                    }
                    else
                    {
                        uchar device* _S408 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S409 = _S404;
                        octet_codes_0(_S408, &_S409, o_3, &q_7);
                        uchar device* _S410 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S411 = _S404;
                        float2 _S412 = octet_scale_0(_S410, &_S411, o_3);
                        scale_0 = _S412;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S336)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S336 != 1U)
                        {
                            _S337 = r_2 >= n_2;
                        }
                        else
                        {
                            _S337 = false;
                        }
                        if(_S337)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S413 = r_2 * 8U;
                        float _S414 = q_7[int(0)] * x_1[_S413];
                        float sum_23 = (*acc_1)[4U * _S336 + r_2];
                        float s_6 = fma(q_7[7U], x_1[_S413 + 7U], fma(q_7[6U], x_1[_S413 + 6U], fma(q_7[5U], x_1[_S413 + 5U], fma(q_7[4U], x_1[_S413 + 4U], fma(q_7[3U], x_1[_S413 + 3U], fma(q_7[2U], x_1[_S413 + 2U], fma(q_7[1U], x_1[_S413 + 1U], _S414)))))));
                        if(_S405)
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
                        (*acc_1)[4U * _S336 + r_2] = sum_18;
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
                    if(5U >= _S338)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_8;
                    float2 _S415 = float2(1.0, 0.0);
                    Planes_0 _S416 = of_0(rows_2, 5U);
                    bool _S417 = is_float_0();
                    if(_S417)
                    {
                        uchar device* _S418 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S419 = _S416;
                        octet_floats_0(_S418, &_S419, o_3, &q_8);
                        scale_0 = _S415;
                    }
                    else
                    {
                        uchar device* _S420 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S421 = _S416;
                        octet_codes_0(_S420, &_S421, o_3, &q_8);
                        uchar device* _S422 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S423 = _S416;
                        float2 _S424 = octet_scale_0(_S422, &_S423, o_3);
                        scale_0 = _S424;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S336)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S336 != 1U)
                        {
                            _S337 = r_2 >= n_2;
                        }
                        else
                        {
                            _S337 = false;
                        }
                        if(_S337)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S425 = r_2 * 8U;
                        float _S426 = q_8[int(0)] * x_1[_S425];
                        float sum_24 = (*acc_1)[5U * _S336 + r_2];
                        float s_7 = fma(q_8[7U], x_1[_S425 + 7U], fma(q_8[6U], x_1[_S425 + 6U], fma(q_8[5U], x_1[_S425 + 5U], fma(q_8[4U], x_1[_S425 + 4U], fma(q_8[3U], x_1[_S425 + 3U], fma(q_8[2U], x_1[_S425 + 2U], fma(q_8[1U], x_1[_S425 + 1U], _S426)))))));
                        if(_S417)
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
                        (*acc_1)[5U * _S336 + r_2] = sum_18;
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
                    if(6U >= _S338)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_9;
                    float2 _S427 = float2(1.0, 0.0);
                    Planes_0 _S428 = of_0(rows_2, 6U);
                    bool _S429 = is_float_0();
                    if(_S429)
                    {
                        uchar device* _S430 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S431 = _S428;
                        octet_floats_0(_S430, &_S431, o_3, &q_9);
                        scale_0 = _S427;
                    }
                    else
                    {
                        uchar device* _S432 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S433 = _S428;
                        octet_codes_0(_S432, &_S433, o_3, &q_9);
                        uchar device* _S434 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S435 = _S428;
                        float2 _S436 = octet_scale_0(_S434, &_S435, o_3);
                        scale_0 = _S436;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S336)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S336 != 1U)
                        {
                            _S337 = r_2 >= n_2;
                        }
                        else
                        {
                            _S337 = false;
                        }
                        if(_S337)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S437 = r_2 * 8U;
                        float _S438 = q_9[int(0)] * x_1[_S437];
                        float sum_25 = (*acc_1)[6U * _S336 + r_2];
                        float s_8 = fma(q_9[7U], x_1[_S437 + 7U], fma(q_9[6U], x_1[_S437 + 6U], fma(q_9[5U], x_1[_S437 + 5U], fma(q_9[4U], x_1[_S437 + 4U], fma(q_9[3U], x_1[_S437 + 3U], fma(q_9[2U], x_1[_S437 + 2U], fma(q_9[1U], x_1[_S437 + 1U], _S438)))))));
                        if(_S429)
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
                        (*acc_1)[6U * _S336 + r_2] = sum_18;
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
                    if(7U >= _S338)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_10;
                    float2 _S439 = float2(1.0, 0.0);
                    Planes_0 _S440 = of_0(rows_2, 7U);
                    bool _S441 = is_float_0();
                    if(_S441)
                    {
                        uchar device* _S442 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S443 = _S440;
                        octet_floats_0(_S442, &_S443, o_3, &q_10);
                        scale_0 = _S439;
                    }
                    else
                    {
                        uchar device* _S444 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S445 = _S440;
                        octet_codes_0(_S444, &_S445, o_3, &q_10);
                        uchar device* _S446 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S447 = _S440;
                        float2 _S448 = octet_scale_0(_S446, &_S447, o_3);
                        scale_0 = _S448;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S336)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S336 != 1U)
                        {
                            _S337 = r_2 >= n_2;
                        }
                        else
                        {
                            _S337 = false;
                        }
                        if(_S337)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S449 = r_2 * 8U;
                        float _S450 = q_10[int(0)] * x_1[_S449];
                        float sum_26 = (*acc_1)[7U * _S336 + r_2];
                        float s_9 = fma(q_10[7U], x_1[_S449 + 7U], fma(q_10[6U], x_1[_S449 + 6U], fma(q_10[5U], x_1[_S449 + 5U], fma(q_10[4U], x_1[_S449 + 4U], fma(q_10[3U], x_1[_S449 + 3U], fma(q_10[2U], x_1[_S449 + 2U], fma(q_10[1U], x_1[_S449 + 1U], _S450)))))));
                        if(_S441)
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
                        (*acc_1)[7U * _S336 + r_2] = sum_18;
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
    uint row_2;
    uint column_0;
    bool mine_0;
};
Product_0 product_0(uint tile_1, uint side_0, uint t_2, KernelContext_0 thread* kernelContext_6)
{
    uint _S451;
    uint l_8;
    float sum_27;
    uint _S452 = inputs_0(kernelContext_6);
    uint _S453 = own_0();
    uint first_3 = side_0 * _S453;
    uint _S454 = min(_S453, _S452 - min(_S452, first_3));
    thread Eight_0 rows_at_0;
    uint _S455 = weight_row_0(tile_1, side_0, 0U, kernelContext_6);
    Planes_0 _S456 = row_planes_0(_S455);
    (&rows_at_0)->first_0 = _S456;
    uint _S457 = weight_row_0(tile_1, side_0, 1U, kernelContext_6);
    (&rows_at_0)->second_0 = row_planes_0(_S457);
    uint _S458 = weight_row_0(tile_1, side_0, 2U, kernelContext_6);
    (&rows_at_0)->third_0 = row_planes_0(_S458);
    uint _S459 = weight_row_0(tile_1, side_0, 3U, kernelContext_6);
    (&rows_at_0)->fourth_0 = row_planes_0(_S459);
    (&rows_at_0)->eighth_0 = _S456;
    (&rows_at_0)->seventh_0 = _S456;
    (&rows_at_0)->sixth_0 = _S456;
    (&rows_at_0)->fifth_0 = _S456;
    uint _S460 = outputs_0();
    if(_S460 == 8U)
    {
        uint _S461 = weight_row_0(tile_1, side_0, 4U, kernelContext_6);
        (&rows_at_0)->fifth_0 = row_planes_0(_S461);
        uint _S462 = weight_row_0(tile_1, side_0, 5U, kernelContext_6);
        (&rows_at_0)->sixth_0 = row_planes_0(_S462);
        uint _S463 = weight_row_0(tile_1, side_0, 6U, kernelContext_6);
        (&rows_at_0)->seventh_0 = row_planes_0(_S463);
        uint _S464 = weight_row_0(tile_1, side_0, 7U, kernelContext_6);
        (&rows_at_0)->eighth_0 = row_planes_0(_S464);
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
        thread Eight_0 _S465 = rows_at_0;
        add_blocks_0(&_S465, first_3, _S454, t_2, &acc_2, kernelContext_6);
    }
    else
    {
        thread Eight_0 _S466 = rows_at_0;
        add_eights_0(&_S466, first_3, _S454, t_2, &acc_2, &squares_1, kernelContext_6);
    }
    for(;;)
    {
        for(;;)
        {
            for(;;)
            {
                uint _S467 = _S460 * _S453;
                _S451 = _S467;
                if(0U >= _S467)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(0U < _S467)
                {
                    (*kernelContext_6->partial_0)[t_2] = acc_2[0U];
                }
                if(1U < _S467)
                {
                    (*kernelContext_6->partial_0)[72U + t_2] = acc_2[1U];
                }
                if(2U < _S467)
                {
                    (*kernelContext_6->partial_0)[144U + t_2] = acc_2[2U];
                }
                if(3U < _S467)
                {
                    (*kernelContext_6->partial_0)[216U + t_2] = acc_2[3U];
                }
                if(4U < _S467)
                {
                    (*kernelContext_6->partial_0)[288U + t_2] = acc_2[4U];
                }
                if(5U < _S467)
                {
                    (*kernelContext_6->partial_0)[360U + t_2] = acc_2[5U];
                }
                if(6U < _S467)
                {
                    (*kernelContext_6->partial_0)[432U + t_2] = acc_2[6U];
                }
                if(7U < _S467)
                {
                    (*kernelContext_6->partial_0)[504U + t_2] = acc_2[7U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_10 = t_2 / 8U;
                if(s_10 < _S467)
                {
                    uint _S468 = s_10 * 72U;
                    uint _S469 = t_2 % 8U;
                    float _S470 = (*kernelContext_6->partial_0)[_S468 + _S469];
                    l_8 = 1U;
                    sum_27 = _S470;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S471 = sum_27 + (*kernelContext_6->partial_0)[_S468 + l_8 * 8U + _S469];
                        l_8 = l_8 + 1U;
                        sum_27 = _S471;
                    }
                    (*kernelContext_6->eighths_0)[s_10 * 8U + _S469] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(8U >= _S451)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(8U < _S451)
                {
                    (*kernelContext_6->partial_0)[t_2] = acc_2[8U];
                }
                if(9U < _S451)
                {
                    (*kernelContext_6->partial_0)[72U + t_2] = acc_2[9U];
                }
                if(10U < _S451)
                {
                    (*kernelContext_6->partial_0)[144U + t_2] = acc_2[10U];
                }
                if(11U < _S451)
                {
                    (*kernelContext_6->partial_0)[216U + t_2] = acc_2[11U];
                }
                if(12U < _S451)
                {
                    (*kernelContext_6->partial_0)[288U + t_2] = acc_2[12U];
                }
                if(13U < _S451)
                {
                    (*kernelContext_6->partial_0)[360U + t_2] = acc_2[13U];
                }
                if(14U < _S451)
                {
                    (*kernelContext_6->partial_0)[432U + t_2] = acc_2[14U];
                }
                if(15U < _S451)
                {
                    (*kernelContext_6->partial_0)[504U + t_2] = acc_2[15U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_11 = t_2 / 8U;
                uint _S472 = 8U + s_11;
                if(_S472 < _S451)
                {
                    uint _S473 = s_11 * 72U;
                    uint _S474 = t_2 % 8U;
                    float _S475 = (*kernelContext_6->partial_0)[_S473 + _S474];
                    l_8 = 1U;
                    sum_27 = _S475;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S476 = sum_27 + (*kernelContext_6->partial_0)[_S473 + l_8 * 8U + _S474];
                        l_8 = l_8 + 1U;
                        sum_27 = _S476;
                    }
                    (*kernelContext_6->eighths_0)[_S472 * 8U + _S474] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(16U >= _S451)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(16U < _S451)
                {
                    (*kernelContext_6->partial_0)[t_2] = acc_2[16U];
                }
                if(17U < _S451)
                {
                    (*kernelContext_6->partial_0)[72U + t_2] = acc_2[17U];
                }
                if(18U < _S451)
                {
                    (*kernelContext_6->partial_0)[144U + t_2] = acc_2[18U];
                }
                if(19U < _S451)
                {
                    (*kernelContext_6->partial_0)[216U + t_2] = acc_2[19U];
                }
                if(20U < _S451)
                {
                    (*kernelContext_6->partial_0)[288U + t_2] = acc_2[20U];
                }
                if(21U < _S451)
                {
                    (*kernelContext_6->partial_0)[360U + t_2] = acc_2[21U];
                }
                if(22U < _S451)
                {
                    (*kernelContext_6->partial_0)[432U + t_2] = acc_2[22U];
                }
                if(23U < _S451)
                {
                    (*kernelContext_6->partial_0)[504U + t_2] = acc_2[23U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_12 = t_2 / 8U;
                uint _S477 = 16U + s_12;
                if(_S477 < _S451)
                {
                    uint _S478 = s_12 * 72U;
                    uint _S479 = t_2 % 8U;
                    float _S480 = (*kernelContext_6->partial_0)[_S478 + _S479];
                    l_8 = 1U;
                    sum_27 = _S480;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S481 = sum_27 + (*kernelContext_6->partial_0)[_S478 + l_8 * 8U + _S479];
                        l_8 = l_8 + 1U;
                        sum_27 = _S481;
                    }
                    (*kernelContext_6->eighths_0)[_S477 * 8U + _S479] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(24U >= _S451)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(24U < _S451)
                {
                    (*kernelContext_6->partial_0)[t_2] = acc_2[24U];
                }
                if(25U < _S451)
                {
                    (*kernelContext_6->partial_0)[72U + t_2] = acc_2[25U];
                }
                if(26U < _S451)
                {
                    (*kernelContext_6->partial_0)[144U + t_2] = acc_2[26U];
                }
                if(27U < _S451)
                {
                    (*kernelContext_6->partial_0)[216U + t_2] = acc_2[27U];
                }
                if(28U < _S451)
                {
                    (*kernelContext_6->partial_0)[288U + t_2] = acc_2[28U];
                }
                if(29U < _S451)
                {
                    (*kernelContext_6->partial_0)[360U + t_2] = acc_2[29U];
                }
                if(30U < _S451)
                {
                    (*kernelContext_6->partial_0)[432U + t_2] = acc_2[30U];
                }
                if(31U < _S451)
                {
                    (*kernelContext_6->partial_0)[504U + t_2] = acc_2[31U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_13 = t_2 / 8U;
                uint _S482 = 24U + s_13;
                if(_S482 < _S451)
                {
                    uint _S483 = s_13 * 72U;
                    uint _S484 = t_2 % 8U;
                    float _S485 = (*kernelContext_6->partial_0)[_S483 + _S484];
                    l_8 = 1U;
                    sum_27 = _S485;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S486 = sum_27 + (*kernelContext_6->partial_0)[_S483 + l_8 * 8U + _S484];
                        l_8 = l_8 + 1U;
                        sum_27 = _S486;
                    }
                    (*kernelContext_6->eighths_0)[_S482 * 8U + _S484] = sum_27;
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
    uint _S487 = t_2 % _S453;
    (&p_9)->row_2 = first_3 + _S487;
    uint _S488 = tile_1 * _S460;
    uint _S489 = t_2 / _S453;
    (&p_9)->column_0 = _S488 + _S489;
    bool _S490 = t_2 < _S451;
    bool _S491;
    if(_S490)
    {
        _S491 = _S487 < _S454;
    }
    else
    {
        _S491 = false;
    }
    if(_S491)
    {
        _S491 = ((&p_9)->column_0) < C_N_0;
    }
    else
    {
        _S491 = false;
    }
    (&p_9)->mine_0 = _S491;
    if(_S490)
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
            (&p_9)->v_10 = (&p_9)->v_10 + (*kernelContext_6->eighths_0)[t_2 * 8U + l_8];
            l_8 = l_8 + 1U;
        }
    }
    return p_9;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_7;
    (&kernelContext_7)->args_0 = args_1;
    threadgroup array<float, int(576)> partial_1;
    (&kernelContext_7)->partial_0 = &partial_1;
    threadgroup array<float, int(256)> eighths_1;
    (&kernelContext_7)->eighths_0 = &eighths_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S492 = stopped_0(&kernelContext_7);
    bool _S493;
    if(_S492)
    {
        _S493 = true;
    }
    else
    {
        uint _S494 = group_0.y;
        uint _S495 = inputs_0(&kernelContext_7);
        _S493 = _S494 >= _S495;
    }
    if(_S493)
    {
        return;
    }
    uint tile_2 = group_0.x;
    for(;;)
    {
        uint _S496 = product_tiles_0();
        if(tile_2 < _S496)
        {
        }
        else
        {
            break;
        }
        Product_0 _S497 = product_0(tile_2, group_0.y, sv_groupindex_0, &kernelContext_7);
        if(_S497.mine_0)
        {
            *((float device*)((ulong)((&kernelContext_7)->args_0->out_0)) + (ulong(_S497.row_2) * ulong(C_OUT_STRIDE_0) + ulong(C_OUT_COL_0) + ulong(_S497.column_0))) = _S497.v_10;
        }
        uint _S498 = product_tiles_0();
        tile_2 = tile_2 + min(_S498, 65535U);
    }
    return;
}
