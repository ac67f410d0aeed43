// Made by tools/vulkan-kernels.sh of norm_matmul.slang and what stands before it.
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
constant uint fc_C_SELECT_0 [[function_constant(7)]];
constant uint C_SELECT_0 = is_function_constant_defined(fc_C_SELECT_0) ? fc_C_SELECT_0 : 1U;
constant uint fc_C_MAX_ROWS_0 [[function_constant(8)]];
constant uint C_MAX_ROWS_0 = is_function_constant_defined(fc_C_MAX_ROWS_0) ? fc_C_MAX_ROWS_0 : 1U;
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
    uchar device* norm_0;
    uchar device* w_0;
    uchar device* out_0;
    float eps_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<float, int(576)> threadgroup* partial_0;
    array<float, int(64)> threadgroup* eighths_of_squares_0;
    array<float, int(256)> threadgroup* eighths_0;
};
bool stopped_0(KernelContext_0 thread* kernelContext_0)
{
    return (kernelContext_0->args_0->step_0->stop_0) != 0U;
}
uint outputs_0()
{
    int _S1;
    if(C_MAX_ROWS_0 == 1U)
    {
        _S1 = int(8);
    }
    else
    {
        _S1 = int(4);
    }
    return uint(_S1);
}
uint product_tiles_0()
{
    uint _S2 = outputs_0();
    uint _S3 = (C_N_0 + _S2 - 1U) / _S2;
    return _S3;
}
uint inputs_0(KernelContext_0 thread* kernelContext_1)
{
    uint _S4;
    if(C_SELECT_0 != 0U)
    {
        _S4 = kernelContext_1->args_0->step_0->head_rows_0;
    }
    else
    {
        _S4 = kernelContext_1->args_0->step_0->rows_0;
    }
    return _S4;
}
uint own_0()
{
    uint _S5;
    if(C_MAX_ROWS_0 == 1U)
    {
        _S5 = 1U;
    }
    else
    {
        _S5 = 8U;
    }
    return _S5;
}
uint weight_row_0(uint tile_0, uint side_0, uint i_0)
{
    return min(tile_0 * outputs_0() + i_0, C_N_0 - 1U);
}
bool is_float_0()
{
    bool _S6;
    if(C_DTYPE_0 == 0U)
    {
        _S6 = true;
    }
    else
    {
        _S6 = C_DTYPE_0 == 1U;
    }
    if(_S6)
    {
        _S6 = true;
    }
    else
    {
        _S6 = C_DTYPE_0 == 30U;
    }
    return _S6;
}
uint low_bits_0()
{
    int _S7;
    if(C_DTYPE_0 == 8U)
    {
        _S7 = int(8);
    }
    else
    {
        bool _S8;
        if(C_DTYPE_0 == 10U)
        {
            _S8 = true;
        }
        else
        {
            _S8 = C_DTYPE_0 == 11U;
        }
        if(_S8)
        {
            _S7 = int(2);
        }
        else
        {
            _S7 = int(4);
        }
    }
    return uint(_S7);
}
uint high_bits_0()
{
    int _S9;
    if(C_DTYPE_0 == 14U)
    {
        _S9 = int(2);
    }
    else
    {
        bool _S10;
        if(C_DTYPE_0 == 6U)
        {
            _S10 = true;
        }
        else
        {
            _S10 = C_DTYPE_0 == 7U;
        }
        if(_S10)
        {
            _S10 = true;
        }
        else
        {
            _S10 = C_DTYPE_0 == 13U;
        }
        if(_S10)
        {
            _S10 = true;
        }
        else
        {
            _S10 = C_DTYPE_0 == 11U;
        }
        if(_S10)
        {
            _S9 = int(1);
        }
        else
        {
            _S9 = int(0);
        }
    }
    return uint(_S9);
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
        int _S11;
        if(C_DTYPE_0 == 0U)
        {
            _S11 = int(4);
        }
        else
        {
            _S11 = int(2);
        }
        ulong _S12 = at_0 * ulong(_S11);
        (&p_0)->low_0 = _S12;
        (&p_0)->super_0 = _S12;
        (&p_0)->scales_0 = _S12;
        (&p_0)->high_0 = _S12;
        return p_0;
    }
    ulong _S13 = ulong(low_bits_0());
    ulong above_0 = ulong(C_N_0) * ulong(C_K_0) / 8UL * _S13;
    ulong _S14 = ulong(high_bits_0());
    ulong rest_0 = above_0 + ulong(C_N_0) * ulong(C_K_0) / 8UL * _S14;
    (&p_0)->low_0 = at_0 / 8UL * _S13;
    (&p_0)->high_0 = above_0 + at_0 / 8UL * _S14;
    (&p_0)->super_0 = rest_0;
    (&p_0)->scales_0 = rest_0;
    bool _S15;
    if(C_DTYPE_0 == 2U)
    {
        _S15 = true;
    }
    else
    {
        _S15 = C_DTYPE_0 == 6U;
    }
    if(_S15)
    {
        _S15 = true;
    }
    else
    {
        _S15 = C_DTYPE_0 == 8U;
    }
    if(_S15)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 16UL;
    }
    if(C_DTYPE_0 == 3U)
    {
        _S15 = true;
    }
    else
    {
        _S15 = C_DTYPE_0 == 7U;
    }
    if(_S15)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 8UL;
    }
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
    uint _S16;
    if(act_0 == 0U)
    {
        _S16 = 4U * n_0;
    }
    else
    {
        if(act_0 == 6U)
        {
            _S16 = n_0 / 32U * 80U;
        }
        else
        {
            _S16 = 2U * n_0;
        }
    }
    return ulong(_S16);
}
ulong act_row_bytes_0(uint act_1, uint k_0)
{
    return (((act_bytes_0(act_1, k_0) + 63UL) / 64UL) | 1UL) * 64UL;
}
struct Head_0
{
    uint row_1;
    uint seq_0;
    uint token_0;
    uint pos_0;
};
Head_0 device* step_heads_0(KernelContext_0 thread* kernelContext_2)
{
    return (Head_0 device*)((ulong)((uchar device*)((ulong)(kernelContext_2->args_0->step_0)) + kernelContext_2->args_0->step_0->heads_at_0));
}
uint step_head_row_0(uint i_1, KernelContext_0 thread* kernelContext_3)
{
    uint _S17;
    if((kernelContext_3->args_0->step_0->heads_at_0) == 0U)
    {
        _S17 = kernelContext_3->args_0->step_0->rows_0 - kernelContext_3->args_0->step_0->head_rows_0 + i_1;
    }
    else
    {
        Head_0 device* _S18 = step_heads_0(kernelContext_3);
        _S17 = (_S18 + i_1)->row_1;
    }
    return _S17;
}
uint input_row_0(uint r_0, KernelContext_0 thread* kernelContext_4)
{
    bool _S19;
    if(C_SELECT_0 != 0U)
    {
        _S19 = r_0 < (kernelContext_4->args_0->step_0->head_rows_0);
    }
    else
    {
        _S19 = false;
    }
    uint _S20;
    if(_S19)
    {
        uint _S21 = step_head_row_0(r_0, kernelContext_4);
        _S20 = _S21;
    }
    else
    {
        _S20 = r_0;
    }
    return _S20;
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
Planes_0 of_0(const Eight_0 thread* at_1, uint i_2)
{
    Planes_0 _S22;
    if(i_2 == 0U)
    {
        _S22 = at_1->first_0;
    }
    else
    {
        if(i_2 == 1U)
        {
            _S22 = at_1->second_0;
        }
        else
        {
            if(i_2 == 2U)
            {
                _S22 = at_1->third_0;
            }
            else
            {
                if(i_2 == 3U)
                {
                    _S22 = at_1->fourth_0;
                }
                else
                {
                    if(i_2 == 4U)
                    {
                        _S22 = at_1->fifth_0;
                    }
                    else
                    {
                        if(i_2 == 5U)
                        {
                            _S22 = at_1->sixth_0;
                        }
                        else
                        {
                            if(i_2 == 6U)
                            {
                                _S22 = at_1->seventh_0;
                            }
                            else
                            {
                                _S22 = at_1->eighth_0;
                            }
                        }
                    }
                }
            }
        }
    }
    return _S22;
}
bool striped_0()
{
    bool _S23;
    if(C_DTYPE_0 == 12U)
    {
        _S23 = true;
    }
    else
    {
        _S23 = C_DTYPE_0 == 13U;
    }
    if(_S23)
    {
        _S23 = true;
    }
    else
    {
        _S23 = C_DTYPE_0 == 14U;
    }
    return _S23;
}
uint word_at_0(uchar device* p_1)
{
    return *(uint device*)((ulong)(p_1));
}
void block_codes_0(uchar device* w_1, const Planes_0 thread* p_2, uint b_0, array<uint, int(8)> thread* q_0)
{
    uint _S24 = low_bits_0();
    if(_S24 == 8U)
    {
        uchar device* _S25 = w_1 + p_2->low_0 + b_0 * 32U;
        uint4 _S26 = uint4(*(packed_uint4 device*)((ulong)(_S25))) ;
        uint4 _S27 = uint4(*(packed_uint4 device*)((ulong)(_S25 + int(16)))) ;
        (*q_0)[int(0)] = _S26.x;
        (*q_0)[int(1)] = _S26.y;
        (*q_0)[int(2)] = _S26.z;
        (*q_0)[int(3)] = _S26.w;
        (*q_0)[int(4)] = _S27.x;
        (*q_0)[int(5)] = _S27.y;
        (*q_0)[int(6)] = _S27.z;
        (*q_0)[int(7)] = _S27.w;
    }
    else
    {
        if(_S24 == 4U)
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
            uint4 _S28 = uint4(*(packed_uint4 device*)((ulong)(w_1 + p_2->low_0 + at_2))) ;
            uint _S29 = _S28.x;
            (*q_0)[int(0)] = _S29 & 252645135U;
            uint _S30 = _S28.y;
            (*q_0)[int(1)] = _S30 & 252645135U;
            uint _S31 = _S28.z;
            (*q_0)[int(2)] = _S31 & 252645135U;
            uint _S32 = _S28.w;
            (*q_0)[int(3)] = _S32 & 252645135U;
            (*q_0)[int(4)] = (_S29 >> 4U) & 252645135U;
            (*q_0)[int(5)] = (_S30 >> 4U) & 252645135U;
            (*q_0)[int(6)] = (_S31 >> 4U) & 252645135U;
            (*q_0)[int(7)] = (_S32 >> 4U) & 252645135U;
        }
        else
        {
            uint2 _S33 = uint2(*(packed_uint2 device*)((ulong)(w_1 + p_2->low_0 + b_0 * 8U))) ;
            uint _S34 = _S33.x;
            (*q_0)[0U] = (_S34 >> 0U) & 50529027U;
            (*q_0)[1U] = (_S34 >> 2U) & 50529027U;
            (*q_0)[2U] = (_S34 >> 4U) & 50529027U;
            (*q_0)[3U] = (_S34 >> 6U) & 50529027U;
            uint _S35 = _S33.y;
            (*q_0)[4U] = (_S35 >> 0U) & 50529027U;
            (*q_0)[5U] = (_S35 >> 2U) & 50529027U;
            (*q_0)[6U] = (_S35 >> 4U) & 50529027U;
            (*q_0)[7U] = (_S35 >> 6U) & 50529027U;
        }
    }
    uint _S36 = high_bits_0();
    if(_S36 == 2U)
    {
        uint2 _S37 = uint2(*(packed_uint2 device*)((ulong)(w_1 + p_2->high_0 + b_0 * 8U))) ;
        uint _S38 = _S37.x;
        (*q_0)[0U] = ((*q_0)[0U]) | (((_S38 >> 0U) & 50529027U) << _S24);
        (*q_0)[1U] = ((*q_0)[1U]) | (((_S38 >> 2U) & 50529027U) << _S24);
        (*q_0)[2U] = ((*q_0)[2U]) | (((_S38 >> 4U) & 50529027U) << _S24);
        (*q_0)[3U] = ((*q_0)[3U]) | (((_S38 >> 6U) & 50529027U) << _S24);
        uint _S39 = _S37.y;
        (*q_0)[4U] = ((*q_0)[4U]) | (((_S39 >> 0U) & 50529027U) << _S24);
        (*q_0)[5U] = ((*q_0)[5U]) | (((_S39 >> 2U) & 50529027U) << _S24);
        (*q_0)[6U] = ((*q_0)[6U]) | (((_S39 >> 4U) & 50529027U) << _S24);
        (*q_0)[7U] = ((*q_0)[7U]) | (((_S39 >> 6U) & 50529027U) << _S24);
    }
    if(_S36 == 1U)
    {
        uint _S40 = word_at_0(w_1 + p_2->high_0 + b_0 * 4U);
        (*q_0)[0U] = ((*q_0)[0U]) | (((_S40 >> 0U) & 16843009U) << _S24);
        (*q_0)[1U] = ((*q_0)[1U]) | (((_S40 >> 1U) & 16843009U) << _S24);
        (*q_0)[2U] = ((*q_0)[2U]) | (((_S40 >> 2U) & 16843009U) << _S24);
        (*q_0)[3U] = ((*q_0)[3U]) | (((_S40 >> 3U) & 16843009U) << _S24);
        (*q_0)[4U] = ((*q_0)[4U]) | (((_S40 >> 4U) & 16843009U) << _S24);
        (*q_0)[5U] = ((*q_0)[5U]) | (((_S40 >> 5U) & 16843009U) << _S24);
        (*q_0)[6U] = ((*q_0)[6U]) | (((_S40 >> 6U) & 16843009U) << _S24);
        (*q_0)[7U] = ((*q_0)[7U]) | (((_S40 >> 7U) & 16843009U) << _S24);
    }
    return;
}
bool parted_0()
{
    bool _S41;
    if(C_DTYPE_0 == 10U)
    {
        _S41 = true;
    }
    else
    {
        _S41 = C_DTYPE_0 == 11U;
    }
    if(_S41)
    {
        _S41 = true;
    }
    else
    {
        _S41 = C_DTYPE_0 == 14U;
    }
    return _S41;
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
    uint _S42 = half_at_0(p_5);
    return f16_to_f32_0(_S42);
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
        uint dm_0 = word_at_0(w_2 + p_6->scales_0 + b_2 * 4U);
        return float2(f16_to_f32_0(dm_0), f16_to_f32_0(dm_0 >> 16U));
    }
    if(C_DTYPE_0 == 12U)
    {
        _S43 = true;
    }
    else
    {
        _S43 = C_DTYPE_0 == 13U;
    }
    if(_S43)
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
        uint _S44 = six_bits_0(w_2 + p_6->scales_0 + super_1 * 12U, o_0 / 2U % 16U);
        int s_1 = int(_S44) - int(32);
        float _S45 = scale_at_0(w_2 + p_6->super_0 + super_1 * 2U);
        return float2(_S45 * float(s_1), 0.0);
    }
    if(C_DTYPE_0 == 14U)
    {
        float _S46 = scale_at_0(w_2 + p_6->super_0 + super_1 * 2U);
        return float2(_S46 * float(signed_byte_0(*(w_2 + (p_6->scales_0 + ulong(o_0 / 2U))))), 0.0);
    }
    float _S47 = scale_at_0(w_2 + p_6->scales_0 + b_2 * 2U);
    return float2(_S47, 0.0);
}
int dot4_0(uint a_0, uint b_3, int c_2)
{
    return c_2 + (int(a_0 << 24U) >> 24U) * (int(b_3 << 24U) >> 24U) + (int(a_0 << 16U) >> 24U) * (int(b_3 << 16U) >> 24U) + (int(a_0 << 8U) >> 24U) * (int(b_3 << 8U) >> 24U) + (int(a_0 << 0U) >> 24U) * (int(b_3 << 0U) >> 24U);
}
uint zero_0()
{
    int _S48;
    if(C_DTYPE_0 == 2U)
    {
        _S48 = int(8);
    }
    else
    {
        if(C_DTYPE_0 == 6U)
        {
            _S48 = int(16);
        }
        else
        {
            if(C_DTYPE_0 == 8U)
            {
                _S48 = int(128);
            }
            else
            {
                if(C_DTYPE_0 == 11U)
                {
                    _S48 = int(4);
                }
                else
                {
                    if(C_DTYPE_0 == 14U)
                    {
                        _S48 = int(32);
                    }
                    else
                    {
                        _S48 = int(0);
                    }
                }
            }
        }
    }
    return uint(_S48);
}
int block_zero_0()
{
    int _S49;
    if(C_DTYPE_0 == 8U)
    {
        _S49 = int(0);
    }
    else
    {
        _S49 = int(zero_0());
    }
    return _S49;
}
bool has_minimum_0()
{
    bool _S50;
    if(C_DTYPE_0 == 3U)
    {
        _S50 = true;
    }
    else
    {
        _S50 = C_DTYPE_0 == 7U;
    }
    if(_S50)
    {
        _S50 = true;
    }
    else
    {
        _S50 = C_DTYPE_0 == 12U;
    }
    if(_S50)
    {
        _S50 = true;
    }
    else
    {
        _S50 = C_DTYPE_0 == 13U;
    }
    if(_S50)
    {
        _S50 = true;
    }
    else
    {
        _S50 = C_DTYPE_0 == 10U;
    }
    return _S50;
}
void add_blocks_0(const Eight_0 thread* rows_1, uint first_1, uint n_1, uint t_0, array<float, int(32)> thread* acc_0, KernelContext_0 thread* kernelContext_5)
{
    uint _S51;
    bool _S52;
    bool _S53;
    bool _S54;
    bool _S55;
    bool _S56;
    bool _S57;
    bool _S58;
    bool _S59;
    int _S60;
    int _S61;
    float sum_0;
    ulong stride_0 = act_row_bytes_0(6U, C_K_0);
    uchar device* _S62 = kernelContext_5->args_0->x_0;
    uint _S63 = input_row_0(first_1, kernelContext_5);
    uchar device* _S64 = _S62 + ulong(_S63) * stride_0;
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
                    uint _S65 = outputs_0();
                    _S51 = _S65;
                    bool _S66 = 0U >= _S65;
                    _S52 = _S66;
                    if(_S66)
                    {
                        break;
                    }
                    uchar device* _S67 = kernelContext_5->args_0->w_0;
                    Planes_0 _S68 = of_0(rows_1, 0U);
                    thread Planes_0 _S69 = _S68;
                    thread array<uint, int(8)> words_0;
                    block_codes_0(_S67, &_S69, b_4, &words_0);
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
                        uchar device* _S70 = kernelContext_5->args_0->w_0;
                        uint _S71 = b_4 * 4U;
                        thread Planes_0 _S72 = _S68;
                        float2 _S73 = octet_scale_0(_S70, &_S72, _S71);
                        scales_1[0U] = _S73.x;
                        least_0[0U] = _S73.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S74 = kernelContext_5->args_0->w_0;
                                uint _S75 = _S71 + 2U;
                                thread Planes_0 _S76 = _S68;
                                float2 _S77 = octet_scale_0(_S74, &_S76, _S75);
                                scales_1[1U] = _S77.x;
                                least_0[1U] = _S77.y;
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
                    bool _S78 = 1U >= _S51;
                    _S53 = _S78;
                    if(_S78)
                    {
                        break;
                    }
                    uchar device* _S79 = kernelContext_5->args_0->w_0;
                    Planes_0 _S80 = of_0(rows_1, 1U);
                    thread Planes_0 _S81 = _S80;
                    thread array<uint, int(8)> words_1;
                    block_codes_0(_S79, &_S81, b_4, &words_1);
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
                        uchar device* _S82 = kernelContext_5->args_0->w_0;
                        uint _S83 = b_4 * 4U;
                        thread Planes_0 _S84 = _S80;
                        float2 _S85 = octet_scale_0(_S82, &_S84, _S83);
                        scales_1[2U] = _S85.x;
                        least_0[2U] = _S85.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S86 = kernelContext_5->args_0->w_0;
                                uint _S87 = _S83 + 2U;
                                thread Planes_0 _S88 = _S80;
                                float2 _S89 = octet_scale_0(_S86, &_S88, _S87);
                                scales_1[3U] = _S89.x;
                                least_0[3U] = _S89.y;
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
                    bool _S90 = 2U >= _S51;
                    _S54 = _S90;
                    if(_S90)
                    {
                        break;
                    }
                    uchar device* _S91 = kernelContext_5->args_0->w_0;
                    Planes_0 _S92 = of_0(rows_1, 2U);
                    thread Planes_0 _S93 = _S92;
                    thread array<uint, int(8)> words_2;
                    block_codes_0(_S91, &_S93, b_4, &words_2);
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
                        uchar device* _S94 = kernelContext_5->args_0->w_0;
                        uint _S95 = b_4 * 4U;
                        thread Planes_0 _S96 = _S92;
                        float2 _S97 = octet_scale_0(_S94, &_S96, _S95);
                        scales_1[4U] = _S97.x;
                        least_0[4U] = _S97.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S98 = kernelContext_5->args_0->w_0;
                                uint _S99 = _S95 + 2U;
                                thread Planes_0 _S100 = _S92;
                                float2 _S101 = octet_scale_0(_S98, &_S100, _S99);
                                scales_1[5U] = _S101.x;
                                least_0[5U] = _S101.y;
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
                    bool _S102 = 3U >= _S51;
                    _S55 = _S102;
                    if(_S102)
                    {
                        break;
                    }
                    uchar device* _S103 = kernelContext_5->args_0->w_0;
                    Planes_0 _S104 = of_0(rows_1, 3U);
                    thread Planes_0 _S105 = _S104;
                    thread array<uint, int(8)> words_3;
                    block_codes_0(_S103, &_S105, b_4, &words_3);
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
                        uchar device* _S106 = kernelContext_5->args_0->w_0;
                        uint _S107 = b_4 * 4U;
                        thread Planes_0 _S108 = _S104;
                        float2 _S109 = octet_scale_0(_S106, &_S108, _S107);
                        scales_1[6U] = _S109.x;
                        least_0[6U] = _S109.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S110 = kernelContext_5->args_0->w_0;
                                uint _S111 = _S107 + 2U;
                                thread Planes_0 _S112 = _S104;
                                float2 _S113 = octet_scale_0(_S110, &_S112, _S111);
                                scales_1[7U] = _S113.x;
                                least_0[7U] = _S113.y;
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
                    bool _S114 = 4U >= _S51;
                    _S56 = _S114;
                    if(_S114)
                    {
                        break;
                    }
                    uchar device* _S115 = kernelContext_5->args_0->w_0;
                    Planes_0 _S116 = of_0(rows_1, 4U);
                    thread Planes_0 _S117 = _S116;
                    thread array<uint, int(8)> words_4;
                    block_codes_0(_S115, &_S117, b_4, &words_4);
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
                        uchar device* _S118 = kernelContext_5->args_0->w_0;
                        uint _S119 = b_4 * 4U;
                        thread Planes_0 _S120 = _S116;
                        float2 _S121 = octet_scale_0(_S118, &_S120, _S119);
                        scales_1[8U] = _S121.x;
                        least_0[8U] = _S121.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S122 = kernelContext_5->args_0->w_0;
                                uint _S123 = _S119 + 2U;
                                thread Planes_0 _S124 = _S116;
                                float2 _S125 = octet_scale_0(_S122, &_S124, _S123);
                                scales_1[9U] = _S125.x;
                                least_0[9U] = _S125.y;
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
                    bool _S126 = 5U >= _S51;
                    _S57 = _S126;
                    if(_S126)
                    {
                        break;
                    }
                    uchar device* _S127 = kernelContext_5->args_0->w_0;
                    Planes_0 _S128 = of_0(rows_1, 5U);
                    thread Planes_0 _S129 = _S128;
                    thread array<uint, int(8)> words_5;
                    block_codes_0(_S127, &_S129, b_4, &words_5);
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
                        uchar device* _S130 = kernelContext_5->args_0->w_0;
                        uint _S131 = b_4 * 4U;
                        thread Planes_0 _S132 = _S128;
                        float2 _S133 = octet_scale_0(_S130, &_S132, _S131);
                        scales_1[10U] = _S133.x;
                        least_0[10U] = _S133.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S134 = kernelContext_5->args_0->w_0;
                                uint _S135 = _S131 + 2U;
                                thread Planes_0 _S136 = _S128;
                                float2 _S137 = octet_scale_0(_S134, &_S136, _S135);
                                scales_1[11U] = _S137.x;
                                least_0[11U] = _S137.y;
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
                    bool _S138 = 6U >= _S51;
                    _S58 = _S138;
                    if(_S138)
                    {
                        break;
                    }
                    uchar device* _S139 = kernelContext_5->args_0->w_0;
                    Planes_0 _S140 = of_0(rows_1, 6U);
                    thread Planes_0 _S141 = _S140;
                    thread array<uint, int(8)> words_6;
                    block_codes_0(_S139, &_S141, b_4, &words_6);
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
                        uchar device* _S142 = kernelContext_5->args_0->w_0;
                        uint _S143 = b_4 * 4U;
                        thread Planes_0 _S144 = _S140;
                        float2 _S145 = octet_scale_0(_S142, &_S144, _S143);
                        scales_1[12U] = _S145.x;
                        least_0[12U] = _S145.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S146 = kernelContext_5->args_0->w_0;
                                uint _S147 = _S143 + 2U;
                                thread Planes_0 _S148 = _S140;
                                float2 _S149 = octet_scale_0(_S146, &_S148, _S147);
                                scales_1[13U] = _S149.x;
                                least_0[13U] = _S149.y;
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
                    bool _S150 = 7U >= _S51;
                    _S59 = _S150;
                    if(_S150)
                    {
                        break;
                    }
                    uchar device* _S151 = kernelContext_5->args_0->w_0;
                    Planes_0 _S152 = of_0(rows_1, 7U);
                    thread Planes_0 _S153 = _S152;
                    thread array<uint, int(8)> words_7;
                    block_codes_0(_S151, &_S153, b_4, &words_7);
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
                        uchar device* _S154 = kernelContext_5->args_0->w_0;
                        uint _S155 = b_4 * 4U;
                        thread Planes_0 _S156 = _S152;
                        float2 _S157 = octet_scale_0(_S154, &_S156, _S155);
                        scales_1[14U] = _S157.x;
                        least_0[14U] = _S157.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S158 = kernelContext_5->args_0->w_0;
                                uint _S159 = _S155 + 2U;
                                thread Planes_0 _S160 = _S152;
                                float2 _S161 = octet_scale_0(_S158, &_S160, _S159);
                                scales_1[15U] = _S161.x;
                                least_0[15U] = _S161.y;
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
            uint _S162 = own_0();
            if(r_1 < _S162)
            {
            }
            else
            {
                break;
            }
            bool _S163;
            if(_S162 != 1U)
            {
                _S163 = r_1 >= n_1;
            }
            else
            {
                _S163 = false;
            }
            if(_S163)
            {
                r_1 = r_1 + 1U;
                continue;
            }
            uchar device* block_0 = _S64 + ulong(r_1) * stride_0 + b_4 * 80U;
            uint4 _S164 = uint4(*(packed_uint4 device*)((ulong)(block_0))) ;
            uint4 _S165 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(16)))) ;
            uint4 _S166 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(32)))) ;
            uint4 _S167 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(48)))) ;
            uint4 _S168 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(64)))) ;
            float _S169 = (as_type<float>((_S168.x)));
            int _S170 = (as_type<int>((_S168.y)));
            int _S171 = (as_type<int>((_S168.z)));
            for(;;)
            {
                for(;;)
                {
                    for(;;)
                    {
                        if(_S52)
                        {
                            break;
                        }
                        int h_0 = dot4_0(q_1[3U], _S164.w, dot4_0(q_1[2U], _S164.z, dot4_0(q_1[1U], _S164.y, dot4_0(q_1[0U], _S164.x, int(0)))));
                        int l_0 = dot4_0(q_1[3U], _S166.w, dot4_0(q_1[2U], _S166.z, dot4_0(q_1[1U], _S166.y, dot4_0(q_1[0U], _S166.x, int(0)))));
                        uint _S172 = q_1[7U];
                        uint _S173 = _S165.w;
                        uint _S174 = q_1[6U];
                        uint _S175 = _S165.z;
                        uint _S176 = q_1[5U];
                        uint _S177 = _S165.y;
                        uint _S178 = q_1[4U];
                        uint _S179 = _S165.x;
                        bool _S180 = parted_0();
                        if(_S180)
                        {
                            _S60 = int(0);
                        }
                        else
                        {
                            _S60 = h_0;
                        }
                        int h2_0 = dot4_0(_S172, _S173, dot4_0(_S174, _S175, dot4_0(_S176, _S177, dot4_0(_S178, _S179, _S60))));
                        uint _S181 = q_1[7U];
                        uint _S182 = _S167.w;
                        uint _S183 = q_1[6U];
                        uint _S184 = _S167.z;
                        uint _S185 = q_1[5U];
                        uint _S186 = _S167.y;
                        uint _S187 = q_1[4U];
                        uint _S188 = _S167.x;
                        if(_S180)
                        {
                            _S61 = int(0);
                        }
                        else
                        {
                            _S61 = l_0;
                        }
                        int l2_0 = dot4_0(_S181, _S182, dot4_0(_S183, _S184, dot4_0(_S185, _S186, dot4_0(_S187, _S188, _S61))));
                        float sum_1 = (*acc_0)[r_1];
                        if(_S180)
                        {
                            int _S189 = block_zero_0();
                            float v_0 = fma(scales_1[0U], float(h_0 * int(256) + l_0 - _S189 * _S170), scales_1[1U] * float(h2_0 * int(256) + l2_0 - _S189 * _S171));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[0U], float(_S170), fma(least_0[1U], float(_S171), v_0));
                            }
                            else
                            {
                                sum_0 = v_0;
                            }
                            sum_0 = fma(_S169, sum_0, sum_1);
                        }
                        else
                        {
                            float sum_2 = fma(scales_1[0U] * _S169, float(h2_0 * int(256) + l2_0 - block_zero_0() * (_S170 + _S171)), sum_1);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[0U], (as_type<float>((_S168.w))), sum_2);
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
                        if(_S53)
                        {
                            break;
                        }
                        int h_1 = dot4_0(q_1[11U], _S164.w, dot4_0(q_1[10U], _S164.z, dot4_0(q_1[9U], _S164.y, dot4_0(q_1[8U], _S164.x, int(0)))));
                        int l_1 = dot4_0(q_1[11U], _S166.w, dot4_0(q_1[10U], _S166.z, dot4_0(q_1[9U], _S166.y, dot4_0(q_1[8U], _S166.x, int(0)))));
                        uint _S190 = q_1[15U];
                        uint _S191 = _S165.w;
                        uint _S192 = q_1[14U];
                        uint _S193 = _S165.z;
                        uint _S194 = q_1[13U];
                        uint _S195 = _S165.y;
                        uint _S196 = q_1[12U];
                        uint _S197 = _S165.x;
                        bool _S198 = parted_0();
                        if(_S198)
                        {
                            _S60 = int(0);
                        }
                        else
                        {
                            _S60 = h_1;
                        }
                        int h2_1 = dot4_0(_S190, _S191, dot4_0(_S192, _S193, dot4_0(_S194, _S195, dot4_0(_S196, _S197, _S60))));
                        uint _S199 = q_1[15U];
                        uint _S200 = _S167.w;
                        uint _S201 = q_1[14U];
                        uint _S202 = _S167.z;
                        uint _S203 = q_1[13U];
                        uint _S204 = _S167.y;
                        uint _S205 = q_1[12U];
                        uint _S206 = _S167.x;
                        if(_S198)
                        {
                            _S61 = int(0);
                        }
                        else
                        {
                            _S61 = l_1;
                        }
                        int l2_1 = dot4_0(_S199, _S200, dot4_0(_S201, _S202, dot4_0(_S203, _S204, dot4_0(_S205, _S206, _S61))));
                        float sum_3 = (*acc_0)[_S162 + r_1];
                        if(_S198)
                        {
                            int _S207 = block_zero_0();
                            float v_1 = fma(scales_1[2U], float(h_1 * int(256) + l_1 - _S207 * _S170), scales_1[3U] * float(h2_1 * int(256) + l2_1 - _S207 * _S171));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[2U], float(_S170), fma(least_0[3U], float(_S171), v_1));
                            }
                            else
                            {
                                sum_0 = v_1;
                            }
                            sum_0 = fma(_S169, sum_0, sum_3);
                        }
                        else
                        {
                            float sum_4 = fma(scales_1[2U] * _S169, float(h2_1 * int(256) + l2_1 - block_zero_0() * (_S170 + _S171)), sum_3);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[2U], (as_type<float>((_S168.w))), sum_4);
                            }
                            else
                            {
                                sum_0 = sum_4;
                            }
                        }
                        (*acc_0)[_S162 + r_1] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S54)
                        {
                            break;
                        }
                        int h_2 = dot4_0(q_1[19U], _S164.w, dot4_0(q_1[18U], _S164.z, dot4_0(q_1[17U], _S164.y, dot4_0(q_1[16U], _S164.x, int(0)))));
                        int l_2 = dot4_0(q_1[19U], _S166.w, dot4_0(q_1[18U], _S166.z, dot4_0(q_1[17U], _S166.y, dot4_0(q_1[16U], _S166.x, int(0)))));
                        uint _S208 = q_1[23U];
                        uint _S209 = _S165.w;
                        uint _S210 = q_1[22U];
                        uint _S211 = _S165.z;
                        uint _S212 = q_1[21U];
                        uint _S213 = _S165.y;
                        uint _S214 = q_1[20U];
                        uint _S215 = _S165.x;
                        bool _S216 = parted_0();
                        if(_S216)
                        {
                            _S60 = int(0);
                        }
                        else
                        {
                            _S60 = h_2;
                        }
                        int h2_2 = dot4_0(_S208, _S209, dot4_0(_S210, _S211, dot4_0(_S212, _S213, dot4_0(_S214, _S215, _S60))));
                        uint _S217 = q_1[23U];
                        uint _S218 = _S167.w;
                        uint _S219 = q_1[22U];
                        uint _S220 = _S167.z;
                        uint _S221 = q_1[21U];
                        uint _S222 = _S167.y;
                        uint _S223 = q_1[20U];
                        uint _S224 = _S167.x;
                        if(_S216)
                        {
                            _S61 = int(0);
                        }
                        else
                        {
                            _S61 = l_2;
                        }
                        int l2_2 = dot4_0(_S217, _S218, dot4_0(_S219, _S220, dot4_0(_S221, _S222, dot4_0(_S223, _S224, _S61))));
                        float sum_5 = (*acc_0)[2U * _S162 + r_1];
                        if(_S216)
                        {
                            int _S225 = block_zero_0();
                            float v_2 = fma(scales_1[4U], float(h_2 * int(256) + l_2 - _S225 * _S170), scales_1[5U] * float(h2_2 * int(256) + l2_2 - _S225 * _S171));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[4U], float(_S170), fma(least_0[5U], float(_S171), v_2));
                            }
                            else
                            {
                                sum_0 = v_2;
                            }
                            sum_0 = fma(_S169, sum_0, sum_5);
                        }
                        else
                        {
                            float sum_6 = fma(scales_1[4U] * _S169, float(h2_2 * int(256) + l2_2 - block_zero_0() * (_S170 + _S171)), sum_5);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[4U], (as_type<float>((_S168.w))), sum_6);
                            }
                            else
                            {
                                sum_0 = sum_6;
                            }
                        }
                        (*acc_0)[2U * _S162 + r_1] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S55)
                        {
                            break;
                        }
                        int h_3 = dot4_0(q_1[27U], _S164.w, dot4_0(q_1[26U], _S164.z, dot4_0(q_1[25U], _S164.y, dot4_0(q_1[24U], _S164.x, int(0)))));
                        int l_3 = dot4_0(q_1[27U], _S166.w, dot4_0(q_1[26U], _S166.z, dot4_0(q_1[25U], _S166.y, dot4_0(q_1[24U], _S166.x, int(0)))));
                        uint _S226 = q_1[31U];
                        uint _S227 = _S165.w;
                        uint _S228 = q_1[30U];
                        uint _S229 = _S165.z;
                        uint _S230 = q_1[29U];
                        uint _S231 = _S165.y;
                        uint _S232 = q_1[28U];
                        uint _S233 = _S165.x;
                        bool _S234 = parted_0();
                        if(_S234)
                        {
                            _S60 = int(0);
                        }
                        else
                        {
                            _S60 = h_3;
                        }
                        int h2_3 = dot4_0(_S226, _S227, dot4_0(_S228, _S229, dot4_0(_S230, _S231, dot4_0(_S232, _S233, _S60))));
                        uint _S235 = q_1[31U];
                        uint _S236 = _S167.w;
                        uint _S237 = q_1[30U];
                        uint _S238 = _S167.z;
                        uint _S239 = q_1[29U];
                        uint _S240 = _S167.y;
                        uint _S241 = q_1[28U];
                        uint _S242 = _S167.x;
                        if(_S234)
                        {
                            _S61 = int(0);
                        }
                        else
                        {
                            _S61 = l_3;
                        }
                        int l2_3 = dot4_0(_S235, _S236, dot4_0(_S237, _S238, dot4_0(_S239, _S240, dot4_0(_S241, _S242, _S61))));
                        float sum_7 = (*acc_0)[3U * _S162 + r_1];
                        if(_S234)
                        {
                            int _S243 = block_zero_0();
                            float v_3 = fma(scales_1[6U], float(h_3 * int(256) + l_3 - _S243 * _S170), scales_1[7U] * float(h2_3 * int(256) + l2_3 - _S243 * _S171));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[6U], float(_S170), fma(least_0[7U], float(_S171), v_3));
                            }
                            else
                            {
                                sum_0 = v_3;
                            }
                            sum_0 = fma(_S169, sum_0, sum_7);
                        }
                        else
                        {
                            float sum_8 = fma(scales_1[6U] * _S169, float(h2_3 * int(256) + l2_3 - block_zero_0() * (_S170 + _S171)), sum_7);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[6U], (as_type<float>((_S168.w))), sum_8);
                            }
                            else
                            {
                                sum_0 = sum_8;
                            }
                        }
                        (*acc_0)[3U * _S162 + r_1] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S56)
                        {
                            break;
                        }
                        int h_4 = dot4_0(q_1[35U], _S164.w, dot4_0(q_1[34U], _S164.z, dot4_0(q_1[33U], _S164.y, dot4_0(q_1[32U], _S164.x, int(0)))));
                        int l_4 = dot4_0(q_1[35U], _S166.w, dot4_0(q_1[34U], _S166.z, dot4_0(q_1[33U], _S166.y, dot4_0(q_1[32U], _S166.x, int(0)))));
                        uint _S244 = q_1[39U];
                        uint _S245 = _S165.w;
                        uint _S246 = q_1[38U];
                        uint _S247 = _S165.z;
                        uint _S248 = q_1[37U];
                        uint _S249 = _S165.y;
                        uint _S250 = q_1[36U];
                        uint _S251 = _S165.x;
                        bool _S252 = parted_0();
                        if(_S252)
                        {
                            _S60 = int(0);
                        }
                        else
                        {
                            _S60 = h_4;
                        }
                        int h2_4 = dot4_0(_S244, _S245, dot4_0(_S246, _S247, dot4_0(_S248, _S249, dot4_0(_S250, _S251, _S60))));
                        uint _S253 = q_1[39U];
                        uint _S254 = _S167.w;
                        uint _S255 = q_1[38U];
                        uint _S256 = _S167.z;
                        uint _S257 = q_1[37U];
                        uint _S258 = _S167.y;
                        uint _S259 = q_1[36U];
                        uint _S260 = _S167.x;
                        if(_S252)
                        {
                            _S61 = int(0);
                        }
                        else
                        {
                            _S61 = l_4;
                        }
                        int l2_4 = dot4_0(_S253, _S254, dot4_0(_S255, _S256, dot4_0(_S257, _S258, dot4_0(_S259, _S260, _S61))));
                        float sum_9 = (*acc_0)[4U * _S162 + r_1];
                        if(_S252)
                        {
                            int _S261 = block_zero_0();
                            float v_4 = fma(scales_1[8U], float(h_4 * int(256) + l_4 - _S261 * _S170), scales_1[9U] * float(h2_4 * int(256) + l2_4 - _S261 * _S171));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[8U], float(_S170), fma(least_0[9U], float(_S171), v_4));
                            }
                            else
                            {
                                sum_0 = v_4;
                            }
                            sum_0 = fma(_S169, sum_0, sum_9);
                        }
                        else
                        {
                            float sum_10 = fma(scales_1[8U] * _S169, float(h2_4 * int(256) + l2_4 - block_zero_0() * (_S170 + _S171)), sum_9);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[8U], (as_type<float>((_S168.w))), sum_10);
                            }
                            else
                            {
                                sum_0 = sum_10;
                            }
                        }
                        (*acc_0)[4U * _S162 + r_1] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S57)
                        {
                            break;
                        }
                        int h_5 = dot4_0(q_1[43U], _S164.w, dot4_0(q_1[42U], _S164.z, dot4_0(q_1[41U], _S164.y, dot4_0(q_1[40U], _S164.x, int(0)))));
                        int l_5 = dot4_0(q_1[43U], _S166.w, dot4_0(q_1[42U], _S166.z, dot4_0(q_1[41U], _S166.y, dot4_0(q_1[40U], _S166.x, int(0)))));
                        uint _S262 = q_1[47U];
                        uint _S263 = _S165.w;
                        uint _S264 = q_1[46U];
                        uint _S265 = _S165.z;
                        uint _S266 = q_1[45U];
                        uint _S267 = _S165.y;
                        uint _S268 = q_1[44U];
                        uint _S269 = _S165.x;
                        bool _S270 = parted_0();
                        if(_S270)
                        {
                            _S60 = int(0);
                        }
                        else
                        {
                            _S60 = h_5;
                        }
                        int h2_5 = dot4_0(_S262, _S263, dot4_0(_S264, _S265, dot4_0(_S266, _S267, dot4_0(_S268, _S269, _S60))));
                        uint _S271 = q_1[47U];
                        uint _S272 = _S167.w;
                        uint _S273 = q_1[46U];
                        uint _S274 = _S167.z;
                        uint _S275 = q_1[45U];
                        uint _S276 = _S167.y;
                        uint _S277 = q_1[44U];
                        uint _S278 = _S167.x;
                        if(_S270)
                        {
                            _S61 = int(0);
                        }
                        else
                        {
                            _S61 = l_5;
                        }
                        int l2_5 = dot4_0(_S271, _S272, dot4_0(_S273, _S274, dot4_0(_S275, _S276, dot4_0(_S277, _S278, _S61))));
                        float sum_11 = (*acc_0)[5U * _S162 + r_1];
                        if(_S270)
                        {
                            int _S279 = block_zero_0();
                            float v_5 = fma(scales_1[10U], float(h_5 * int(256) + l_5 - _S279 * _S170), scales_1[11U] * float(h2_5 * int(256) + l2_5 - _S279 * _S171));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[10U], float(_S170), fma(least_0[11U], float(_S171), v_5));
                            }
                            else
                            {
                                sum_0 = v_5;
                            }
                            sum_0 = fma(_S169, sum_0, sum_11);
                        }
                        else
                        {
                            float sum_12 = fma(scales_1[10U] * _S169, float(h2_5 * int(256) + l2_5 - block_zero_0() * (_S170 + _S171)), sum_11);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[10U], (as_type<float>((_S168.w))), sum_12);
                            }
                            else
                            {
                                sum_0 = sum_12;
                            }
                        }
                        (*acc_0)[5U * _S162 + r_1] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S58)
                        {
                            break;
                        }
                        int h_6 = dot4_0(q_1[51U], _S164.w, dot4_0(q_1[50U], _S164.z, dot4_0(q_1[49U], _S164.y, dot4_0(q_1[48U], _S164.x, int(0)))));
                        int l_6 = dot4_0(q_1[51U], _S166.w, dot4_0(q_1[50U], _S166.z, dot4_0(q_1[49U], _S166.y, dot4_0(q_1[48U], _S166.x, int(0)))));
                        uint _S280 = q_1[55U];
                        uint _S281 = _S165.w;
                        uint _S282 = q_1[54U];
                        uint _S283 = _S165.z;
                        uint _S284 = q_1[53U];
                        uint _S285 = _S165.y;
                        uint _S286 = q_1[52U];
                        uint _S287 = _S165.x;
                        bool _S288 = parted_0();
                        if(_S288)
                        {
                            _S60 = int(0);
                        }
                        else
                        {
                            _S60 = h_6;
                        }
                        int h2_6 = dot4_0(_S280, _S281, dot4_0(_S282, _S283, dot4_0(_S284, _S285, dot4_0(_S286, _S287, _S60))));
                        uint _S289 = q_1[55U];
                        uint _S290 = _S167.w;
                        uint _S291 = q_1[54U];
                        uint _S292 = _S167.z;
                        uint _S293 = q_1[53U];
                        uint _S294 = _S167.y;
                        uint _S295 = q_1[52U];
                        uint _S296 = _S167.x;
                        if(_S288)
                        {
                            _S61 = int(0);
                        }
                        else
                        {
                            _S61 = l_6;
                        }
                        int l2_6 = dot4_0(_S289, _S290, dot4_0(_S291, _S292, dot4_0(_S293, _S294, dot4_0(_S295, _S296, _S61))));
                        float sum_13 = (*acc_0)[6U * _S162 + r_1];
                        if(_S288)
                        {
                            int _S297 = block_zero_0();
                            float v_6 = fma(scales_1[12U], float(h_6 * int(256) + l_6 - _S297 * _S170), scales_1[13U] * float(h2_6 * int(256) + l2_6 - _S297 * _S171));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[12U], float(_S170), fma(least_0[13U], float(_S171), v_6));
                            }
                            else
                            {
                                sum_0 = v_6;
                            }
                            sum_0 = fma(_S169, sum_0, sum_13);
                        }
                        else
                        {
                            float sum_14 = fma(scales_1[12U] * _S169, float(h2_6 * int(256) + l2_6 - block_zero_0() * (_S170 + _S171)), sum_13);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[12U], (as_type<float>((_S168.w))), sum_14);
                            }
                            else
                            {
                                sum_0 = sum_14;
                            }
                        }
                        (*acc_0)[6U * _S162 + r_1] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S59)
                        {
                            break;
                        }
                        int h_7 = dot4_0(q_1[59U], _S164.w, dot4_0(q_1[58U], _S164.z, dot4_0(q_1[57U], _S164.y, dot4_0(q_1[56U], _S164.x, int(0)))));
                        int l_7 = dot4_0(q_1[59U], _S166.w, dot4_0(q_1[58U], _S166.z, dot4_0(q_1[57U], _S166.y, dot4_0(q_1[56U], _S166.x, int(0)))));
                        uint _S298 = q_1[63U];
                        uint _S299 = _S165.w;
                        uint _S300 = q_1[62U];
                        uint _S301 = _S165.z;
                        uint _S302 = q_1[61U];
                        uint _S303 = _S165.y;
                        uint _S304 = q_1[60U];
                        uint _S305 = _S165.x;
                        bool _S306 = parted_0();
                        if(_S306)
                        {
                            _S60 = int(0);
                        }
                        else
                        {
                            _S60 = h_7;
                        }
                        int h2_7 = dot4_0(_S298, _S299, dot4_0(_S300, _S301, dot4_0(_S302, _S303, dot4_0(_S304, _S305, _S60))));
                        uint _S307 = q_1[63U];
                        uint _S308 = _S167.w;
                        uint _S309 = q_1[62U];
                        uint _S310 = _S167.z;
                        uint _S311 = q_1[61U];
                        uint _S312 = _S167.y;
                        uint _S313 = q_1[60U];
                        uint _S314 = _S167.x;
                        if(_S306)
                        {
                            _S61 = int(0);
                        }
                        else
                        {
                            _S61 = l_7;
                        }
                        int l2_7 = dot4_0(_S307, _S308, dot4_0(_S309, _S310, dot4_0(_S311, _S312, dot4_0(_S313, _S314, _S61))));
                        float sum_15 = (*acc_0)[7U * _S162 + r_1];
                        if(_S306)
                        {
                            int _S315 = block_zero_0();
                            float v_7 = fma(scales_1[14U], float(h_7 * int(256) + l_7 - _S315 * _S170), scales_1[15U] * float(h2_7 * int(256) + l2_7 - _S315 * _S171));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[14U], float(_S170), fma(least_0[15U], float(_S171), v_7));
                            }
                            else
                            {
                                sum_0 = v_7;
                            }
                            sum_0 = fma(_S169, sum_0, sum_15);
                        }
                        else
                        {
                            float sum_16 = fma(scales_1[14U] * _S169, float(h2_7 * int(256) + l2_7 - block_zero_0() * (_S170 + _S171)), sum_15);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[14U], (as_type<float>((_S168.w))), sum_16);
                            }
                            else
                            {
                                sum_0 = sum_16;
                            }
                        }
                        (*acc_0)[7U * _S162 + r_1] = sum_0;
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
float4 norm_four_0(uint i_3, KernelContext_0 thread* kernelContext_6)
{
    return float4(*((packed_float4 device*)((ulong)(kernelContext_6->args_0->norm_0)) + i_3)) ;
}
float4 input_four_0(uint r_2, uint i_4, KernelContext_0 thread* kernelContext_7)
{
    return float4(*((packed_float4 device*)((ulong)(kernelContext_7->args_0->x_0)) + ulong(r_2) * ulong(C_K_0 / 4U) + i_4)) ;
}
float bf16_to_f32_0(uint half_1)
{
    return (as_type<float>((half_1 << 16U)));
}
void octet_floats_0(uchar device* w_3, const Planes_0 thread* p_7, uint o_1, array<float, int(8)> thread* v_8)
{
    if(C_DTYPE_0 == 0U)
    {
        uchar device* _S316 = w_3 + p_7->low_0 + o_1 * 32U;
        float4 _S317 = float4(*(packed_float4 device*)((ulong)(_S316))) ;
        float4 _S318 = float4(*(packed_float4 device*)((ulong)(_S316 + int(16)))) ;
        (*v_8)[int(0)] = _S317.x;
        (*v_8)[int(1)] = _S317.y;
        (*v_8)[int(2)] = _S317.z;
        (*v_8)[int(3)] = _S317.w;
        (*v_8)[int(4)] = _S318.x;
        (*v_8)[int(5)] = _S318.y;
        (*v_8)[int(6)] = _S318.z;
        (*v_8)[int(7)] = _S318.w;
        return;
    }
    uint4 _S319 = uint4(*(packed_uint4 device*)((ulong)(w_3 + p_7->low_0 + o_1 * 16U))) ;
    uint _S320 = _S319.x;
    uint half_2 = (_S320 >> 0U) & 65535U;
    float _S321;
    if(C_DTYPE_0 == 1U)
    {
        _S321 = f16_to_f32_0(half_2);
    }
    else
    {
        _S321 = bf16_to_f32_0(half_2);
    }
    (*v_8)[0U] = _S321;
    uint half_3 = (_S320 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S321 = f16_to_f32_0(half_3);
    }
    else
    {
        _S321 = bf16_to_f32_0(half_3);
    }
    (*v_8)[1U] = _S321;
    uint _S322 = _S319.y;
    uint half_4 = (_S322 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S321 = f16_to_f32_0(half_4);
    }
    else
    {
        _S321 = bf16_to_f32_0(half_4);
    }
    (*v_8)[2U] = _S321;
    uint half_5 = (_S322 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S321 = f16_to_f32_0(half_5);
    }
    else
    {
        _S321 = bf16_to_f32_0(half_5);
    }
    (*v_8)[3U] = _S321;
    uint _S323 = _S319.z;
    uint half_6 = (_S323 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S321 = f16_to_f32_0(half_6);
    }
    else
    {
        _S321 = bf16_to_f32_0(half_6);
    }
    (*v_8)[4U] = _S321;
    uint half_7 = (_S323 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S321 = f16_to_f32_0(half_7);
    }
    else
    {
        _S321 = bf16_to_f32_0(half_7);
    }
    (*v_8)[5U] = _S321;
    uint _S324 = _S319.w;
    uint half_8 = (_S324 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S321 = f16_to_f32_0(half_8);
    }
    else
    {
        _S321 = bf16_to_f32_0(half_8);
    }
    (*v_8)[6U] = _S321;
    uint half_9 = (_S324 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S321 = f16_to_f32_0(half_9);
    }
    else
    {
        _S321 = bf16_to_f32_0(half_9);
    }
    (*v_8)[7U] = _S321;
    return;
}
void octet_codes_0(uchar device* w_4, const Planes_0 thread* p_8, uint o_2, array<float, int(8)> thread* q_2)
{
    uint b_5 = o_2 / 4U;
    uint j_0 = o_2 % 4U;
    thread array<uint, int(8)> v_9;
    uint _S325 = low_bits_0();
    if(_S325 == 8U)
    {
        uint2 _S326 = (uint2(*(packed_uint2 device*)((ulong)(w_4 + p_8->low_0 + o_2 * 8U))) ) ^ (uint2(2155905152U) );
        uint _S327 = _S326.x;
        v_9[0U] = (_S327 >> 0U) & 255U;
        v_9[1U] = (_S327 >> 8U) & 255U;
        v_9[2U] = (_S327 >> 16U) & 255U;
        v_9[3U] = (_S327 >> 24U) & 255U;
        uint _S328 = _S326.y;
        v_9[4U] = (_S328 >> 0U) & 255U;
        v_9[5U] = (_S328 >> 8U) & 255U;
        v_9[6U] = (_S328 >> 16U) & 255U;
        v_9[7U] = (_S328 >> 24U) & 255U;
    }
    else
    {
        if(_S325 == 4U)
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
            uint2 _S329 = (uint2(*(packed_uint2 device*)((ulong)(w_4 + p_8->low_0 + at_3 + j_0 % 2U * 8U))) ) >> (uint2((j_0 / 2U * 4U)) );
            uint _S330 = _S329.x;
            v_9[0U] = (_S330 >> 0U) & 15U;
            v_9[1U] = (_S330 >> 8U) & 15U;
            v_9[2U] = (_S330 >> 16U) & 15U;
            v_9[3U] = (_S330 >> 24U) & 15U;
            uint _S331 = _S329.y;
            v_9[4U] = (_S331 >> 0U) & 15U;
            v_9[5U] = (_S331 >> 8U) & 15U;
            v_9[6U] = (_S331 >> 16U) & 15U;
            v_9[7U] = (_S331 >> 24U) & 15U;
        }
        else
        {
            uint _S332 = word_at_0(w_4 + p_8->low_0 + b_5 * 8U + j_0 / 2U * 4U);
            uint _S333 = _S332 >> (j_0 % 2U * 4U);
            v_9[0U] = (_S333 >> 0U) & 3U;
            v_9[1U] = (_S333 >> 8U) & 3U;
            v_9[2U] = (_S333 >> 16U) & 3U;
            v_9[3U] = (_S333 >> 24U) & 3U;
            v_9[4U] = (_S333 >> 2U) & 3U;
            v_9[5U] = (_S333 >> 10U) & 3U;
            v_9[6U] = (_S333 >> 18U) & 3U;
            v_9[7U] = (_S333 >> 26U) & 3U;
        }
    }
    uint _S334 = high_bits_0();
    if(_S334 == 2U)
    {
        uint _S335 = word_at_0(w_4 + p_8->high_0 + b_5 * 8U + j_0 / 2U * 4U);
        uint _S336 = _S335 >> (j_0 % 2U * 4U);
        v_9[0U] = (v_9[0U]) | (((_S336 >> 0U) & 3U) << _S325);
        v_9[1U] = (v_9[1U]) | (((_S336 >> 8U) & 3U) << _S325);
        v_9[2U] = (v_9[2U]) | (((_S336 >> 16U) & 3U) << _S325);
        v_9[3U] = (v_9[3U]) | (((_S336 >> 24U) & 3U) << _S325);
        v_9[4U] = (v_9[4U]) | (((_S336 >> 2U) & 3U) << _S325);
        v_9[5U] = (v_9[5U]) | (((_S336 >> 10U) & 3U) << _S325);
        v_9[6U] = (v_9[6U]) | (((_S336 >> 18U) & 3U) << _S325);
        v_9[7U] = (v_9[7U]) | (((_S336 >> 26U) & 3U) << _S325);
    }
    if(_S334 == 1U)
    {
        uint _S337 = word_at_0(w_4 + p_8->high_0 + b_5 * 4U);
        uint _S338 = _S337 >> (j_0 * 2U);
        v_9[0U] = (v_9[0U]) | (((_S338 >> 0U) & 1U) << _S325);
        v_9[1U] = (v_9[1U]) | (((_S338 >> 8U) & 1U) << _S325);
        v_9[2U] = (v_9[2U]) | (((_S338 >> 16U) & 1U) << _S325);
        v_9[3U] = (v_9[3U]) | (((_S338 >> 24U) & 1U) << _S325);
        v_9[4U] = (v_9[4U]) | (((_S338 >> 1U) & 1U) << _S325);
        v_9[5U] = (v_9[5U]) | (((_S338 >> 9U) & 1U) << _S325);
        v_9[6U] = (v_9[6U]) | (((_S338 >> 17U) & 1U) << _S325);
        v_9[7U] = (v_9[7U]) | (((_S338 >> 25U) & 1U) << _S325);
    }
    float _S339 = float(8388608U + zero_0());
    (*q_2)[0U] = (as_type<float>((1258291200U | v_9[0U]))) - _S339;
    (*q_2)[1U] = (as_type<float>((1258291200U | v_9[1U]))) - _S339;
    (*q_2)[2U] = (as_type<float>((1258291200U | v_9[2U]))) - _S339;
    (*q_2)[3U] = (as_type<float>((1258291200U | v_9[3U]))) - _S339;
    (*q_2)[4U] = (as_type<float>((1258291200U | v_9[4U]))) - _S339;
    (*q_2)[5U] = (as_type<float>((1258291200U | v_9[5U]))) - _S339;
    (*q_2)[6U] = (as_type<float>((1258291200U | v_9[6U]))) - _S339;
    (*q_2)[7U] = (as_type<float>((1258291200U | v_9[7U]))) - _S339;
    return;
}
void add_eights_0(const Eight_0 thread* rows_2, uint first_2, uint n_2, uint t_1, array<float, int(32)> thread* acc_1, array<float, int(8)> thread* squares_0, KernelContext_0 thread* kernelContext_8)
{
    uint _S340;
    bool _S341;
    uint _S342;
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
        uint _S343 = o_3 * 2U;
        float4 _S344 = norm_four_0(_S343, kernelContext_8);
        uint _S345 = _S343 + 1U;
        float4 _S346 = norm_four_0(_S345, kernelContext_8);
        uint r_4 = 0U;
        for(;;)
        {
            uint _S347 = own_0();
            _S340 = _S347;
            if(r_4 < _S347)
            {
            }
            else
            {
                break;
            }
            if(_S347 != 1U)
            {
                _S341 = r_4 >= n_2;
            }
            else
            {
                _S341 = false;
            }
            if(_S341)
            {
                r_4 = r_4 + 1U;
                continue;
            }
            uint _S348 = first_2 + r_4;
            uint _S349 = input_row_0(_S348, kernelContext_8);
            float4 _S350 = input_four_0(_S349, _S343, kernelContext_8);
            uint _S351 = input_row_0(_S348, kernelContext_8);
            float4 _S352 = input_four_0(_S351, _S345, kernelContext_8);
            float _S353 = _S350.x;
            float _S354 = _S350.y;
            float _S355 = _S350.z;
            float _S356 = _S350.w;
            float _S357 = _S352.x;
            float _S358 = _S352.y;
            float _S359 = _S352.z;
            float _S360 = _S352.w;
            (*squares_0)[r_4] = fma(_S360, _S360, fma(_S359, _S359, fma(_S358, _S358, fma(_S357, _S357, fma(_S356, _S356, fma(_S355, _S355, fma(_S354, _S354, fma(_S353, _S353, (*squares_0)[r_4]))))))));
            float4 _S361 = _S350 * _S344;
            float4 _S362 = _S352 * _S346;
            uint to_0 = r_4 * 8U;
            float _S363 = _S361.x;
            x_1[to_0] = _S363;
            float _S364 = _S361.y;
            x_1[to_0 + 1U] = _S364;
            float _S365 = _S361.z;
            x_1[to_0 + 2U] = _S365;
            float _S366 = _S361.w;
            x_1[to_0 + 3U] = _S366;
            float _S367 = _S362.x;
            x_1[to_0 + 4U] = _S367;
            float _S368 = _S362.y;
            x_1[to_0 + 5U] = _S368;
            float _S369 = _S362.z;
            x_1[to_0 + 6U] = _S369;
            float _S370 = _S362.w;
            x_1[to_0 + 7U] = _S370;
            if(has_minimum_0())
            {
                whole_0[r_4] = _S363 + _S364 + (_S365 + _S366) + (_S367 + _S368 + (_S369 + _S370));
            }
            r_4 = r_4 + 1U;
        }
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    uint _S371 = outputs_0();
                    _S342 = _S371;
                    if(0U >= _S371)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_3;
                    float2 _S372 = float2(1.0, 0.0);
                    Planes_0 _S373 = of_0(rows_2, 0U);
                    bool _S374 = is_float_0();
                    if(_S374)
                    {
                        uchar device* _S375 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S376 = _S373;
                        octet_floats_0(_S375, &_S376, o_3, &q_3);
                        scale_0 = _S372;
                    }
                    else
                    {
                        uchar device* _S377 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S378 = _S373;
                        octet_codes_0(_S377, &_S378, o_3, &q_3);
                        uchar device* _S379 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S380 = _S373;
                        float2 _S381 = octet_scale_0(_S379, &_S380, o_3);
                        scale_0 = _S381;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S340)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S340 != 1U)
                        {
                            _S341 = r_3 >= n_2;
                        }
                        else
                        {
                            _S341 = false;
                        }
                        if(_S341)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S382 = r_3 * 8U;
                        float _S383 = q_3[int(0)] * x_1[_S382];
                        float sum_19 = (*acc_1)[r_3];
                        float s_2 = fma(q_3[7U], x_1[_S382 + 7U], fma(q_3[6U], x_1[_S382 + 6U], fma(q_3[5U], x_1[_S382 + 5U], fma(q_3[4U], x_1[_S382 + 4U], fma(q_3[3U], x_1[_S382 + 3U], fma(q_3[2U], x_1[_S382 + 2U], fma(q_3[1U], x_1[_S382 + 1U], _S383)))))));
                        if(_S374)
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
                    if(1U >= _S342)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_4;
                    float2 _S384 = float2(1.0, 0.0);
                    Planes_0 _S385 = of_0(rows_2, 1U);
                    bool _S386 = is_float_0();
                    if(_S386)
                    {
                        uchar device* _S387 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S388 = _S385;
                        octet_floats_0(_S387, &_S388, o_3, &q_4);
                        scale_0 = _S384;
                    }
                    else
                    {
                        uchar device* _S389 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S390 = _S385;
                        octet_codes_0(_S389, &_S390, o_3, &q_4);
                        uchar device* _S391 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S392 = _S385;
                        float2 _S393 = octet_scale_0(_S391, &_S392, o_3);
                        scale_0 = _S393;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S340)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S340 != 1U)
                        {
                            _S341 = r_3 >= n_2;
                        }
                        else
                        {
                            _S341 = false;
                        }
                        if(_S341)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S394 = r_3 * 8U;
                        float _S395 = q_4[int(0)] * x_1[_S394];
                        float sum_20 = (*acc_1)[_S340 + r_3];
                        float s_3 = fma(q_4[7U], x_1[_S394 + 7U], fma(q_4[6U], x_1[_S394 + 6U], fma(q_4[5U], x_1[_S394 + 5U], fma(q_4[4U], x_1[_S394 + 4U], fma(q_4[3U], x_1[_S394 + 3U], fma(q_4[2U], x_1[_S394 + 2U], fma(q_4[1U], x_1[_S394 + 1U], _S395)))))));
                        if(_S386)
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
                        (*acc_1)[_S340 + r_3] = sum_18;
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
                    if(2U >= _S342)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_5;
                    float2 _S396 = float2(1.0, 0.0);
                    Planes_0 _S397 = of_0(rows_2, 2U);
                    bool _S398 = is_float_0();
                    if(_S398)
                    {
                        uchar device* _S399 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S400 = _S397;
                        octet_floats_0(_S399, &_S400, o_3, &q_5);
                        scale_0 = _S396;
                    }
                    else
                    {
                        uchar device* _S401 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S402 = _S397;
                        octet_codes_0(_S401, &_S402, o_3, &q_5);
                        uchar device* _S403 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S404 = _S397;
                        float2 _S405 = octet_scale_0(_S403, &_S404, o_3);
                        scale_0 = _S405;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S340)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S340 != 1U)
                        {
                            _S341 = r_3 >= n_2;
                        }
                        else
                        {
                            _S341 = false;
                        }
                        if(_S341)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S406 = r_3 * 8U;
                        float _S407 = q_5[int(0)] * x_1[_S406];
                        float sum_21 = (*acc_1)[2U * _S340 + r_3];
                        float s_4 = fma(q_5[7U], x_1[_S406 + 7U], fma(q_5[6U], x_1[_S406 + 6U], fma(q_5[5U], x_1[_S406 + 5U], fma(q_5[4U], x_1[_S406 + 4U], fma(q_5[3U], x_1[_S406 + 3U], fma(q_5[2U], x_1[_S406 + 2U], fma(q_5[1U], x_1[_S406 + 1U], _S407)))))));
                        if(_S398)
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
                        (*acc_1)[2U * _S340 + r_3] = sum_18;
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
                    if(3U >= _S342)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_6;
                    float2 _S408 = float2(1.0, 0.0);
                    Planes_0 _S409 = of_0(rows_2, 3U);
                    bool _S410 = is_float_0();
                    if(_S410)
                    {
                        uchar device* _S411 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S412 = _S409;
                        octet_floats_0(_S411, &_S412, o_3, &q_6);
                        scale_0 = _S408;
                    }
                    else
                    {
                        uchar device* _S413 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S414 = _S409;
                        octet_codes_0(_S413, &_S414, o_3, &q_6);
                        uchar device* _S415 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S416 = _S409;
                        float2 _S417 = octet_scale_0(_S415, &_S416, o_3);
                        scale_0 = _S417;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S340)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S340 != 1U)
                        {
                            _S341 = r_3 >= n_2;
                        }
                        else
                        {
                            _S341 = false;
                        }
                        if(_S341)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S418 = r_3 * 8U;
                        float _S419 = q_6[int(0)] * x_1[_S418];
                        float sum_22 = (*acc_1)[3U * _S340 + r_3];
                        float s_5 = fma(q_6[7U], x_1[_S418 + 7U], fma(q_6[6U], x_1[_S418 + 6U], fma(q_6[5U], x_1[_S418 + 5U], fma(q_6[4U], x_1[_S418 + 4U], fma(q_6[3U], x_1[_S418 + 3U], fma(q_6[2U], x_1[_S418 + 2U], fma(q_6[1U], x_1[_S418 + 1U], _S419)))))));
                        if(_S410)
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
                        (*acc_1)[3U * _S340 + r_3] = sum_18;
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
                    if(4U >= _S342)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_7;
                    float2 _S420 = float2(1.0, 0.0);
                    Planes_0 _S421 = of_0(rows_2, 4U);
                    bool _S422 = is_float_0();
                    if(_S422)
                    {
                        uchar device* _S423 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S424 = _S421;
                        octet_floats_0(_S423, &_S424, o_3, &q_7);
                        scale_0 = _S420;
                    }
                    else
                    {
                        uchar device* _S425 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S426 = _S421;
                        octet_codes_0(_S425, &_S426, o_3, &q_7);
                        uchar device* _S427 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S428 = _S421;
                        float2 _S429 = octet_scale_0(_S427, &_S428, o_3);
                        scale_0 = _S429;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S340)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S340 != 1U)
                        {
                            _S341 = r_3 >= n_2;
                        }
                        else
                        {
                            _S341 = false;
                        }
                        if(_S341)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S430 = r_3 * 8U;
                        float _S431 = q_7[int(0)] * x_1[_S430];
                        float sum_23 = (*acc_1)[4U * _S340 + r_3];
                        float s_6 = fma(q_7[7U], x_1[_S430 + 7U], fma(q_7[6U], x_1[_S430 + 6U], fma(q_7[5U], x_1[_S430 + 5U], fma(q_7[4U], x_1[_S430 + 4U], fma(q_7[3U], x_1[_S430 + 3U], fma(q_7[2U], x_1[_S430 + 2U], fma(q_7[1U], x_1[_S430 + 1U], _S431)))))));
                        if(_S422)
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
                        (*acc_1)[4U * _S340 + r_3] = sum_18;
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
                    if(5U >= _S342)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_8;
                    float2 _S432 = float2(1.0, 0.0);
                    Planes_0 _S433 = of_0(rows_2, 5U);
                    bool _S434 = is_float_0();
                    if(_S434)
                    {
                        uchar device* _S435 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S436 = _S433;
                        octet_floats_0(_S435, &_S436, o_3, &q_8);
                        scale_0 = _S432;
                    }
                    else
                    {
                        uchar device* _S437 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S438 = _S433;
                        octet_codes_0(_S437, &_S438, o_3, &q_8);
                        uchar device* _S439 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S440 = _S433;
                        float2 _S441 = octet_scale_0(_S439, &_S440, o_3);
                        scale_0 = _S441;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S340)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S340 != 1U)
                        {
                            _S341 = r_3 >= n_2;
                        }
                        else
                        {
                            _S341 = false;
                        }
                        if(_S341)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S442 = r_3 * 8U;
                        float _S443 = q_8[int(0)] * x_1[_S442];
                        float sum_24 = (*acc_1)[5U * _S340 + r_3];
                        float s_7 = fma(q_8[7U], x_1[_S442 + 7U], fma(q_8[6U], x_1[_S442 + 6U], fma(q_8[5U], x_1[_S442 + 5U], fma(q_8[4U], x_1[_S442 + 4U], fma(q_8[3U], x_1[_S442 + 3U], fma(q_8[2U], x_1[_S442 + 2U], fma(q_8[1U], x_1[_S442 + 1U], _S443)))))));
                        if(_S434)
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
                        (*acc_1)[5U * _S340 + r_3] = sum_18;
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
                    if(6U >= _S342)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_9;
                    float2 _S444 = float2(1.0, 0.0);
                    Planes_0 _S445 = of_0(rows_2, 6U);
                    bool _S446 = is_float_0();
                    if(_S446)
                    {
                        uchar device* _S447 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S448 = _S445;
                        octet_floats_0(_S447, &_S448, o_3, &q_9);
                        scale_0 = _S444;
                    }
                    else
                    {
                        uchar device* _S449 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S450 = _S445;
                        octet_codes_0(_S449, &_S450, o_3, &q_9);
                        uchar device* _S451 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S452 = _S445;
                        float2 _S453 = octet_scale_0(_S451, &_S452, o_3);
                        scale_0 = _S453;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S340)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S340 != 1U)
                        {
                            _S341 = r_3 >= n_2;
                        }
                        else
                        {
                            _S341 = false;
                        }
                        if(_S341)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S454 = r_3 * 8U;
                        float _S455 = q_9[int(0)] * x_1[_S454];
                        float sum_25 = (*acc_1)[6U * _S340 + r_3];
                        float s_8 = fma(q_9[7U], x_1[_S454 + 7U], fma(q_9[6U], x_1[_S454 + 6U], fma(q_9[5U], x_1[_S454 + 5U], fma(q_9[4U], x_1[_S454 + 4U], fma(q_9[3U], x_1[_S454 + 3U], fma(q_9[2U], x_1[_S454 + 2U], fma(q_9[1U], x_1[_S454 + 1U], _S455)))))));
                        if(_S446)
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
                        (*acc_1)[6U * _S340 + r_3] = sum_18;
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
                    if(7U >= _S342)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_10;
                    float2 _S456 = float2(1.0, 0.0);
                    Planes_0 _S457 = of_0(rows_2, 7U);
                    bool _S458 = is_float_0();
                    if(_S458)
                    {
                        uchar device* _S459 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S460 = _S457;
                        octet_floats_0(_S459, &_S460, o_3, &q_10);
                        scale_0 = _S456;
                    }
                    else
                    {
                        uchar device* _S461 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S462 = _S457;
                        octet_codes_0(_S461, &_S462, o_3, &q_10);
                        uchar device* _S463 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S464 = _S457;
                        float2 _S465 = octet_scale_0(_S463, &_S464, o_3);
                        scale_0 = _S465;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S340)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S340 != 1U)
                        {
                            _S341 = r_3 >= n_2;
                        }
                        else
                        {
                            _S341 = false;
                        }
                        if(_S341)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S466 = r_3 * 8U;
                        float _S467 = q_10[int(0)] * x_1[_S466];
                        float sum_26 = (*acc_1)[7U * _S340 + r_3];
                        float s_9 = fma(q_10[7U], x_1[_S466 + 7U], fma(q_10[6U], x_1[_S466 + 6U], fma(q_10[5U], x_1[_S466 + 5U], fma(q_10[4U], x_1[_S466 + 4U], fma(q_10[3U], x_1[_S466 + 3U], fma(q_10[2U], x_1[_S466 + 2U], fma(q_10[1U], x_1[_S466 + 1U], _S467)))))));
                        if(_S458)
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
                        (*acc_1)[7U * _S340 + r_3] = sum_18;
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
float norm_factor_0(float squares_1, KernelContext_0 thread* kernelContext_9)
{
    return 1.0 / sqrt(squares_1 / float(C_K_0) + kernelContext_9->args_0->eps_0);
}
struct Product_0
{
    float v_10;
    uint row_2;
    uint column_0;
    bool mine_0;
};
Product_0 product_0(uint tile_1, uint side_1, uint t_2, KernelContext_0 thread* kernelContext_10)
{
    uint _S468;
    uint _S469 = inputs_0(kernelContext_10);
    uint _S470 = own_0();
    uint first_3 = side_1 * _S470;
    uint _S471 = min(_S470, _S469 - min(_S469, first_3));
    thread Eight_0 rows_at_0;
    Planes_0 _S472 = row_planes_0(weight_row_0(tile_1, side_1, 0U));
    (&rows_at_0)->first_0 = _S472;
    (&rows_at_0)->second_0 = row_planes_0(weight_row_0(tile_1, side_1, 1U));
    (&rows_at_0)->third_0 = row_planes_0(weight_row_0(tile_1, side_1, 2U));
    (&rows_at_0)->fourth_0 = row_planes_0(weight_row_0(tile_1, side_1, 3U));
    (&rows_at_0)->eighth_0 = _S472;
    (&rows_at_0)->seventh_0 = _S472;
    (&rows_at_0)->sixth_0 = _S472;
    (&rows_at_0)->fifth_0 = _S472;
    uint _S473 = outputs_0();
    if(_S473 == 8U)
    {
        (&rows_at_0)->fifth_0 = row_planes_0(weight_row_0(tile_1, side_1, 4U));
        (&rows_at_0)->sixth_0 = row_planes_0(weight_row_0(tile_1, side_1, 5U));
        (&rows_at_0)->seventh_0 = row_planes_0(weight_row_0(tile_1, side_1, 6U));
        (&rows_at_0)->eighth_0 = row_planes_0(weight_row_0(tile_1, side_1, 7U));
    }
    thread array<float, int(32)> acc_2;
    thread array<float, int(8)> squares_2;
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
    squares_2[0U] = 0.0;
    squares_2[1U] = 0.0;
    squares_2[2U] = 0.0;
    squares_2[3U] = 0.0;
    squares_2[4U] = 0.0;
    squares_2[5U] = 0.0;
    squares_2[6U] = 0.0;
    squares_2[7U] = 0.0;
    if(C_ACT_0 == 6U)
    {
        thread Eight_0 _S474 = rows_at_0;
        add_blocks_0(&_S474, first_3, _S471, t_2, &acc_2, kernelContext_10);
    }
    else
    {
        thread Eight_0 _S475 = rows_at_0;
        add_eights_0(&_S475, first_3, _S471, t_2, &acc_2, &squares_2, kernelContext_10);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if(0U < _S470)
    {
        (*kernelContext_10->partial_0)[t_2] = squares_2[0U];
    }
    if(1U < _S470)
    {
        (*kernelContext_10->partial_0)[72U + t_2] = squares_2[1U];
    }
    if(2U < _S470)
    {
        (*kernelContext_10->partial_0)[144U + t_2] = squares_2[2U];
    }
    if(3U < _S470)
    {
        (*kernelContext_10->partial_0)[216U + t_2] = squares_2[3U];
    }
    if(4U < _S470)
    {
        (*kernelContext_10->partial_0)[288U + t_2] = squares_2[4U];
    }
    if(5U < _S470)
    {
        (*kernelContext_10->partial_0)[360U + t_2] = squares_2[5U];
    }
    if(6U < _S470)
    {
        (*kernelContext_10->partial_0)[432U + t_2] = squares_2[6U];
    }
    if(7U < _S470)
    {
        (*kernelContext_10->partial_0)[504U + t_2] = squares_2[7U];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint l_8;
    float sum_27;
    if((t_2 / 8U) < _S470)
    {
        uint _S476 = t_2 % 8U;
        float _S477 = (*kernelContext_10->partial_0)[t_2 / 8U * 72U + _S476];
        l_8 = 1U;
        sum_27 = _S477;
        for(;;)
        {
            if(l_8 < 8U)
            {
            }
            else
            {
                break;
            }
            float _S478 = sum_27 + (*kernelContext_10->partial_0)[t_2 / 8U * 72U + l_8 * 8U + _S476];
            l_8 = l_8 + 1U;
            sum_27 = _S478;
        }
        (*kernelContext_10->eighths_of_squares_0)[t_2] = sum_27;
    }
    for(;;)
    {
        for(;;)
        {
            for(;;)
            {
                uint _S479 = _S473 * _S470;
                _S468 = _S479;
                if(0U >= _S479)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(0U < _S479)
                {
                    (*kernelContext_10->partial_0)[t_2] = acc_2[0U];
                }
                if(1U < _S479)
                {
                    (*kernelContext_10->partial_0)[72U + t_2] = acc_2[1U];
                }
                if(2U < _S479)
                {
                    (*kernelContext_10->partial_0)[144U + t_2] = acc_2[2U];
                }
                if(3U < _S479)
                {
                    (*kernelContext_10->partial_0)[216U + t_2] = acc_2[3U];
                }
                if(4U < _S479)
                {
                    (*kernelContext_10->partial_0)[288U + t_2] = acc_2[4U];
                }
                if(5U < _S479)
                {
                    (*kernelContext_10->partial_0)[360U + t_2] = acc_2[5U];
                }
                if(6U < _S479)
                {
                    (*kernelContext_10->partial_0)[432U + t_2] = acc_2[6U];
                }
                if(7U < _S479)
                {
                    (*kernelContext_10->partial_0)[504U + t_2] = acc_2[7U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_10 = t_2 / 8U;
                if(s_10 < _S479)
                {
                    uint _S480 = s_10 * 72U;
                    uint _S481 = t_2 % 8U;
                    float _S482 = (*kernelContext_10->partial_0)[_S480 + _S481];
                    l_8 = 1U;
                    sum_27 = _S482;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S483 = sum_27 + (*kernelContext_10->partial_0)[_S480 + l_8 * 8U + _S481];
                        l_8 = l_8 + 1U;
                        sum_27 = _S483;
                    }
                    (*kernelContext_10->eighths_0)[s_10 * 8U + _S481] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(8U >= _S468)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(8U < _S468)
                {
                    (*kernelContext_10->partial_0)[t_2] = acc_2[8U];
                }
                if(9U < _S468)
                {
                    (*kernelContext_10->partial_0)[72U + t_2] = acc_2[9U];
                }
                if(10U < _S468)
                {
                    (*kernelContext_10->partial_0)[144U + t_2] = acc_2[10U];
                }
                if(11U < _S468)
                {
                    (*kernelContext_10->partial_0)[216U + t_2] = acc_2[11U];
                }
                if(12U < _S468)
                {
                    (*kernelContext_10->partial_0)[288U + t_2] = acc_2[12U];
                }
                if(13U < _S468)
                {
                    (*kernelContext_10->partial_0)[360U + t_2] = acc_2[13U];
                }
                if(14U < _S468)
                {
                    (*kernelContext_10->partial_0)[432U + t_2] = acc_2[14U];
                }
                if(15U < _S468)
                {
                    (*kernelContext_10->partial_0)[504U + t_2] = acc_2[15U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_11 = t_2 / 8U;
                uint _S484 = 8U + s_11;
                if(_S484 < _S468)
                {
                    uint _S485 = s_11 * 72U;
                    uint _S486 = t_2 % 8U;
                    float _S487 = (*kernelContext_10->partial_0)[_S485 + _S486];
                    l_8 = 1U;
                    sum_27 = _S487;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S488 = sum_27 + (*kernelContext_10->partial_0)[_S485 + l_8 * 8U + _S486];
                        l_8 = l_8 + 1U;
                        sum_27 = _S488;
                    }
                    (*kernelContext_10->eighths_0)[_S484 * 8U + _S486] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(16U >= _S468)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(16U < _S468)
                {
                    (*kernelContext_10->partial_0)[t_2] = acc_2[16U];
                }
                if(17U < _S468)
                {
                    (*kernelContext_10->partial_0)[72U + t_2] = acc_2[17U];
                }
                if(18U < _S468)
                {
                    (*kernelContext_10->partial_0)[144U + t_2] = acc_2[18U];
                }
                if(19U < _S468)
                {
                    (*kernelContext_10->partial_0)[216U + t_2] = acc_2[19U];
                }
                if(20U < _S468)
                {
                    (*kernelContext_10->partial_0)[288U + t_2] = acc_2[20U];
                }
                if(21U < _S468)
                {
                    (*kernelContext_10->partial_0)[360U + t_2] = acc_2[21U];
                }
                if(22U < _S468)
                {
                    (*kernelContext_10->partial_0)[432U + t_2] = acc_2[22U];
                }
                if(23U < _S468)
                {
                    (*kernelContext_10->partial_0)[504U + t_2] = acc_2[23U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_12 = t_2 / 8U;
                uint _S489 = 16U + s_12;
                if(_S489 < _S468)
                {
                    uint _S490 = s_12 * 72U;
                    uint _S491 = t_2 % 8U;
                    float _S492 = (*kernelContext_10->partial_0)[_S490 + _S491];
                    l_8 = 1U;
                    sum_27 = _S492;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S493 = sum_27 + (*kernelContext_10->partial_0)[_S490 + l_8 * 8U + _S491];
                        l_8 = l_8 + 1U;
                        sum_27 = _S493;
                    }
                    (*kernelContext_10->eighths_0)[_S489 * 8U + _S491] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(24U >= _S468)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(24U < _S468)
                {
                    (*kernelContext_10->partial_0)[t_2] = acc_2[24U];
                }
                if(25U < _S468)
                {
                    (*kernelContext_10->partial_0)[72U + t_2] = acc_2[25U];
                }
                if(26U < _S468)
                {
                    (*kernelContext_10->partial_0)[144U + t_2] = acc_2[26U];
                }
                if(27U < _S468)
                {
                    (*kernelContext_10->partial_0)[216U + t_2] = acc_2[27U];
                }
                if(28U < _S468)
                {
                    (*kernelContext_10->partial_0)[288U + t_2] = acc_2[28U];
                }
                if(29U < _S468)
                {
                    (*kernelContext_10->partial_0)[360U + t_2] = acc_2[29U];
                }
                if(30U < _S468)
                {
                    (*kernelContext_10->partial_0)[432U + t_2] = acc_2[30U];
                }
                if(31U < _S468)
                {
                    (*kernelContext_10->partial_0)[504U + t_2] = acc_2[31U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_13 = t_2 / 8U;
                uint _S494 = 24U + s_13;
                if(_S494 < _S468)
                {
                    uint _S495 = s_13 * 72U;
                    uint _S496 = t_2 % 8U;
                    float _S497 = (*kernelContext_10->partial_0)[_S495 + _S496];
                    l_8 = 1U;
                    sum_27 = _S497;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S498 = sum_27 + (*kernelContext_10->partial_0)[_S495 + l_8 * 8U + _S496];
                        l_8 = l_8 + 1U;
                        sum_27 = _S498;
                    }
                    (*kernelContext_10->eighths_0)[_S494 * 8U + _S496] = sum_27;
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
    uint _S499 = t_2 % _S470;
    (&p_9)->row_2 = first_3 + _S499;
    uint _S500 = tile_1 * _S473;
    uint _S501 = t_2 / _S470;
    (&p_9)->column_0 = _S500 + _S501;
    bool _S502 = t_2 < _S468;
    bool _S503;
    if(_S502)
    {
        _S503 = _S499 < _S471;
    }
    else
    {
        _S503 = false;
    }
    if(_S503)
    {
        _S503 = ((&p_9)->column_0) < C_N_0;
    }
    else
    {
        _S503 = false;
    }
    (&p_9)->mine_0 = _S503;
    if(_S502)
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
            (&p_9)->v_10 = (&p_9)->v_10 + (*kernelContext_10->eighths_0)[t_2 * 8U + l_8];
            l_8 = l_8 + 1U;
        }
        l_8 = 0U;
        sum_27 = 0.0;
        for(;;)
        {
            if(l_8 < 8U)
            {
            }
            else
            {
                break;
            }
            float _S504 = sum_27 + (*kernelContext_10->eighths_of_squares_0)[_S499 * 8U + l_8];
            l_8 = l_8 + 1U;
            sum_27 = _S504;
        }
        float _S505 = norm_factor_0(sum_27, kernelContext_10);
        (&p_9)->v_10 = (&p_9)->v_10 * _S505;
    }
    return p_9;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_11;
    (&kernelContext_11)->args_0 = args_1;
    threadgroup array<float, int(576)> partial_1;
    (&kernelContext_11)->partial_0 = &partial_1;
    threadgroup array<float, int(64)> eighths_of_squares_1;
    (&kernelContext_11)->eighths_of_squares_0 = &eighths_of_squares_1;
    threadgroup array<float, int(256)> eighths_1;
    (&kernelContext_11)->eighths_0 = &eighths_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S506 = stopped_0(&kernelContext_11);
    if(_S506)
    {
        return;
    }
    uint tile_2 = group_0.x;
    for(;;)
    {
        uint _S507 = product_tiles_0();
        if(tile_2 < _S507)
        {
        }
        else
        {
            break;
        }
        Product_0 _S508 = product_0(tile_2, group_0.y, sv_groupindex_0, &kernelContext_11);
        if(_S508.mine_0)
        {
            *((float device*)((ulong)((&kernelContext_11)->args_0->out_0)) + (ulong(_S508.row_2) * ulong(C_OUT_STRIDE_0) + ulong(C_OUT_COL_0) + ulong(_S508.column_0))) = _S508.v_10;
        }
        uint _S509 = product_tiles_0();
        tile_2 = tile_2 + min(_S509, 65535U);
    }
    return;
}
