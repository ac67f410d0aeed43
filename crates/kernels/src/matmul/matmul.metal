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
    return ((C_DTYPE_0 == 0U) | (C_DTYPE_0 == 1U)) | (C_DTYPE_0 == 30U);
}
bool signed_bytes_0()
{
    return (C_DTYPE_0 == 8U) | (C_DTYPE_0 == 15U);
}
bool is_affine_0()
{
    return C_DTYPE_0 >= 4096U;
}
uint affine_bits_0()
{
    return (C_DTYPE_0 - 4096U) >> 4U;
}
uint low_bits_0()
{
    bool _S5 = is_affine_0();
    uint _S6 = affine_bits_0();
    return select(select(4U, 2U, ((C_DTYPE_0 == 10U) | (C_DTYPE_0 == 11U)) | (_S5 & (_S6 < 4U))), 8U, ((signed_bytes_0()) | (C_DTYPE_0 == 3840U)) | (_S5 & (_S6 == 8U)));
}
uint high_bits_0()
{
    bool _S7 = is_affine_0();
    uint _S8 = affine_bits_0();
    return select(select(0U, 1U, ((((C_DTYPE_0 == 6U) | (C_DTYPE_0 == 7U)) | (C_DTYPE_0 == 13U)) | (C_DTYPE_0 == 11U)) | (_S7 & ((_S8 & 1U) != 0U))), 2U, (C_DTYPE_0 == 14U) | (_S7 & (_S8 == 6U)));
}
bool in_pairs_0()
{
    return ((C_DTYPE_0 == 3U) | (C_DTYPE_0 == 7U)) | (is_affine_0());
}
uint blocks_of_pair_0()
{
    return select(1U, 1U << ((C_DTYPE_0 >> 1U) & 7U), is_affine_0());
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
        int _S9;
        if(C_DTYPE_0 == 0U)
        {
            _S9 = int(4);
        }
        else
        {
            _S9 = int(2);
        }
        ulong _S10 = at_0 * ulong(_S9);
        (&p_0)->low_0 = _S10;
        (&p_0)->super_0 = _S10;
        (&p_0)->scales_0 = _S10;
        (&p_0)->high_0 = _S10;
        return p_0;
    }
    ulong _S11 = ulong(low_bits_0());
    ulong above_0 = ulong(C_N_0) * ulong(C_K_0) / 8UL * _S11;
    ulong _S12 = ulong(high_bits_0());
    ulong rest_0 = above_0 + ulong(C_N_0) * ulong(C_K_0) / 8UL * _S12;
    (&p_0)->low_0 = at_0 / 8UL * _S11;
    (&p_0)->high_0 = above_0 + at_0 / 8UL * _S12;
    (&p_0)->super_0 = rest_0;
    (&p_0)->scales_0 = rest_0;
    if(((((C_DTYPE_0 == 2U) | (C_DTYPE_0 == 6U)) | (C_DTYPE_0 == 8U)) | (C_DTYPE_0 == 20U)) | (C_DTYPE_0 == 40U))
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 16UL;
    }
    if((C_DTYPE_0 == 39U) | (C_DTYPE_0 == 3840U))
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 32UL;
    }
    if(in_pairs_0())
    {
        ulong _S13 = at_0 / 8UL / ulong(blocks_of_pair_0());
        (&p_0)->scales_0 = rest_0 + _S13;
    }
    if((C_DTYPE_0 == 12U) | (C_DTYPE_0 == 13U))
    {
        (&p_0)->super_0 = rest_0 + at_0 / 16UL;
    }
    if(C_DTYPE_0 == 23U)
    {
        (&p_0)->super_0 = rest_0 + at_0 / 32UL;
    }
    if(C_DTYPE_0 == 15U)
    {
        (&p_0)->super_0 = rest_0 + at_0 / 64UL;
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
    uint _S14;
    if(act_0 == 0U)
    {
        _S14 = 4U * n_0;
    }
    else
    {
        if(act_0 == 6U)
        {
            _S14 = n_0 / 32U * 80U;
        }
        else
        {
            _S14 = 2U * n_0;
        }
    }
    return ulong(_S14);
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
    Planes_0 _S15;
    if(i_1 == 0U)
    {
        _S15 = at_1->first_0;
    }
    else
    {
        if(i_1 == 1U)
        {
            _S15 = at_1->second_0;
        }
        else
        {
            if(i_1 == 2U)
            {
                _S15 = at_1->third_0;
            }
            else
            {
                if(i_1 == 3U)
                {
                    _S15 = at_1->fourth_0;
                }
                else
                {
                    if(i_1 == 4U)
                    {
                        _S15 = at_1->fifth_0;
                    }
                    else
                    {
                        if(i_1 == 5U)
                        {
                            _S15 = at_1->sixth_0;
                        }
                        else
                        {
                            if(i_1 == 6U)
                            {
                                _S15 = at_1->seventh_0;
                            }
                            else
                            {
                                _S15 = at_1->eighth_0;
                            }
                        }
                    }
                }
            }
        }
    }
    return _S15;
}
bool is_iq4_0()
{
    return (C_DTYPE_0 == 20U) | (C_DTYPE_0 == 23U);
}
bool in_table_0()
{
    return ((is_iq4_0()) | (C_DTYPE_0 == 39U)) | (C_DTYPE_0 == 40U);
}
bool striped_0()
{
    return (((C_DTYPE_0 == 12U) | (C_DTYPE_0 == 13U)) | (C_DTYPE_0 == 14U)) | (C_DTYPE_0 == 23U);
}
uint nibbles_of_0(uint b_0)
{
    uint c_0 = b_0 % 8U;
    return select(b_0 * 16U, b_0 / 8U * 128U + (c_0 % 2U * 4U + c_0 / 2U) * 16U, striped_0());
}
uint table_word_0(uint i_2)
{
    bool _S16 = i_2 < 2U;
    bool _S17 = i_2 == 0U;
    bool _S18 = i_2 == 2U;
    return select(select(select(4109957884U, 4261347072U, _S18), select(201852420U, 50462976U, _S17), _S16), select(select(1901675829U, 639175937U, _S18), select(4142587343U, 3215825025U, _S17), _S16), is_iq4_0());
}
uint chosen_0(uint a_0, uint b_1, uint mask_0)
{
    return a_0 ^ ((a_0 ^ b_1) & mask_0);
}
uint four_of_table_0(uint nibbles_0)
{
    uint pairs_0 = ((nibbles_0 & 65535U) | (nibbles_0 << 8U)) & 16711935U;
    uint places_0 = (pairs_0 | (pairs_0 << 4U)) & 252645135U;
    uint _S19 = (places_0 & 16843009U) * 255U;
    uint _S20 = ((places_0 >> 1U) & 16843009U) * 255U;
    uint third_1 = ((places_0 >> 2U) & 16843009U) * 255U;
    uint fourth_1 = ((places_0 >> 3U) & 16843009U) * 255U;
    thread array<uint, int(4)> v_0;
    uint i_3 = 0U;
    for(;;)
    {
        if(i_3 < 4U)
        {
        }
        else
        {
            break;
        }
        uint word_0 = table_word_0(i_3);
        v_0[i_3] = chosen_0(chosen_0((word_0 & 255U) * 16843009U, ((word_0 >> 8U) & 255U) * 16843009U, _S19), chosen_0(((word_0 >> 16U) & 255U) * 16843009U, (word_0 >> 24U) * 16843009U, _S19), _S20);
        i_3 = i_3 + 1U;
    }
    return chosen_0(chosen_0(v_0[int(0)], v_0[int(1)], third_1), chosen_0(v_0[int(2)], v_0[int(3)], third_1), fourth_1);
}
uint word_at_0(uchar device* p_1)
{
    return *(uint device*)((ulong)(p_1));
}
void block_codes_0(uchar device* w_1, const Planes_0 thread* p_2, uint b_2, array<uint, int(8)> thread* q_0)
{
    uint _S21 = low_bits_0();
    if(_S21 == 8U)
    {
        uchar device* _S22 = w_1 + p_2->low_0 + b_2 * 32U;
        uint4 _S23 = uint4(select(0U, 2155905152U, is_affine_0())) ;
        uint4 left_0 = (uint4(*(packed_uint4 device*)((ulong)(_S22))) ) ^ _S23;
        uint4 right_0 = (uint4(*(packed_uint4 device*)((ulong)(_S22 + int(16)))) ) ^ _S23;
        (*q_0)[int(0)] = left_0.x;
        (*q_0)[int(1)] = left_0.y;
        (*q_0)[int(2)] = left_0.z;
        (*q_0)[int(3)] = left_0.w;
        (*q_0)[int(4)] = right_0.x;
        (*q_0)[int(5)] = right_0.y;
        (*q_0)[int(6)] = right_0.z;
        (*q_0)[int(7)] = right_0.w;
    }
    else
    {
        if(in_table_0())
        {
            uint half_0 = 0U;
            for(;;)
            {
                if(half_0 < 2U)
                {
                }
                else
                {
                    break;
                }
                uint2 _S24 = uint2(*(packed_uint2 device*)((ulong)(w_1 + p_2->low_0 + nibbles_of_0(b_2) + half_0 * 8U))) ;
                uint m_0 = 0U;
                for(;;)
                {
                    if(m_0 < 4U)
                    {
                    }
                    else
                    {
                        break;
                    }
                    uint _S25;
                    if(m_0 < 2U)
                    {
                        _S25 = _S24.x;
                    }
                    else
                    {
                        _S25 = _S24.y;
                    }
                    (*q_0)[half_0 * 4U + m_0] = four_of_table_0(_S25 >> (m_0 % 2U * 16U));
                    m_0 = m_0 + 1U;
                }
                half_0 = half_0 + 1U;
            }
        }
        else
        {
            if(_S21 == 4U)
            {
                uint4 _S26 = uint4(*(packed_uint4 device*)((ulong)(w_1 + p_2->low_0 + nibbles_of_0(b_2)))) ;
                uint _S27 = _S26.x;
                (*q_0)[int(0)] = _S27 & 252645135U;
                uint _S28 = _S26.y;
                (*q_0)[int(1)] = _S28 & 252645135U;
                uint _S29 = _S26.z;
                (*q_0)[int(2)] = _S29 & 252645135U;
                uint _S30 = _S26.w;
                (*q_0)[int(3)] = _S30 & 252645135U;
                (*q_0)[int(4)] = (_S27 >> 4U) & 252645135U;
                (*q_0)[int(5)] = (_S28 >> 4U) & 252645135U;
                (*q_0)[int(6)] = (_S29 >> 4U) & 252645135U;
                (*q_0)[int(7)] = (_S30 >> 4U) & 252645135U;
            }
            else
            {
                uint2 _S31 = uint2(*(packed_uint2 device*)((ulong)(w_1 + p_2->low_0 + b_2 * 8U))) ;
                uint _S32 = _S31.x;
                (*q_0)[0U] = (_S32 >> 0U) & 50529027U;
                (*q_0)[1U] = (_S32 >> 2U) & 50529027U;
                (*q_0)[2U] = (_S32 >> 4U) & 50529027U;
                (*q_0)[3U] = (_S32 >> 6U) & 50529027U;
                uint _S33 = _S31.y;
                (*q_0)[4U] = (_S33 >> 0U) & 50529027U;
                (*q_0)[5U] = (_S33 >> 2U) & 50529027U;
                (*q_0)[6U] = (_S33 >> 4U) & 50529027U;
                (*q_0)[7U] = (_S33 >> 6U) & 50529027U;
            }
        }
    }
    uint _S34 = high_bits_0();
    if(_S34 == 2U)
    {
        uint2 _S35 = uint2(*(packed_uint2 device*)((ulong)(w_1 + p_2->high_0 + b_2 * 8U))) ;
        uint _S36 = _S35.x;
        (*q_0)[0U] = ((*q_0)[0U]) | (((_S36 >> 0U) & 50529027U) << _S21);
        (*q_0)[1U] = ((*q_0)[1U]) | (((_S36 >> 2U) & 50529027U) << _S21);
        (*q_0)[2U] = ((*q_0)[2U]) | (((_S36 >> 4U) & 50529027U) << _S21);
        (*q_0)[3U] = ((*q_0)[3U]) | (((_S36 >> 6U) & 50529027U) << _S21);
        uint _S37 = _S35.y;
        (*q_0)[4U] = ((*q_0)[4U]) | (((_S37 >> 0U) & 50529027U) << _S21);
        (*q_0)[5U] = ((*q_0)[5U]) | (((_S37 >> 2U) & 50529027U) << _S21);
        (*q_0)[6U] = ((*q_0)[6U]) | (((_S37 >> 4U) & 50529027U) << _S21);
        (*q_0)[7U] = ((*q_0)[7U]) | (((_S37 >> 6U) & 50529027U) << _S21);
    }
    if(_S34 == 1U)
    {
        uint _S38 = word_at_0(w_1 + p_2->high_0 + b_2 * 4U);
        (*q_0)[0U] = ((*q_0)[0U]) | (((_S38 >> 0U) & 16843009U) << _S21);
        (*q_0)[1U] = ((*q_0)[1U]) | (((_S38 >> 1U) & 16843009U) << _S21);
        (*q_0)[2U] = ((*q_0)[2U]) | (((_S38 >> 2U) & 16843009U) << _S21);
        (*q_0)[3U] = ((*q_0)[3U]) | (((_S38 >> 3U) & 16843009U) << _S21);
        (*q_0)[4U] = ((*q_0)[4U]) | (((_S38 >> 4U) & 16843009U) << _S21);
        (*q_0)[5U] = ((*q_0)[5U]) | (((_S38 >> 5U) & 16843009U) << _S21);
        (*q_0)[6U] = ((*q_0)[6U]) | (((_S38 >> 6U) & 16843009U) << _S21);
        (*q_0)[7U] = ((*q_0)[7U]) | (((_S38 >> 7U) & 16843009U) << _S21);
    }
    return;
}
bool parted_0()
{
    return (((C_DTYPE_0 == 10U) | (C_DTYPE_0 == 11U)) | (C_DTYPE_0 == 14U)) | (C_DTYPE_0 == 40U);
}
float bf16_to_f32_0(uint half_1)
{
    return (as_type<float>((half_1 << 16U)));
}
float f16_to_f32_0(uint half_2)
{
    return (as_type<half>((ushort)((half_2 & 65535U))));
}
float e8m0_half_0(uint e_0)
{
    return (as_type<float>((select((e_0 - 1U) << 23U, 2097152U << (e_0 & 1U), e_0 < 2U))));
}
float e8m0_0(uint e_1)
{
    return (as_type<float>((select(e_1 << 23U, 4194304U, e_1 == 0U))));
}
float e4m3_times_512_0(uint b_3)
{
    uint e_2 = (b_3 >> 3U) & 15U;
    uint m_1 = b_3 & 7U;
    return float(select((m_1 | 8U) << (max(e_2, 1U) - 1U), m_1, e_2 == 0U));
}
float ue4m3_half_0(uint b_4)
{
    return select(e4m3_times_512_0(b_4) * 0.0009765625, 0.0, b_4 == 127U);
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
    uint _S39 = half_at_0(p_5);
    return f16_to_f32_0(_S39);
}
int signed_byte_0(uchar b_5)
{
    return int(uint(b_5) << 24U) >> 24U;
}
float2 octet_scale_0(uchar device* w_2, const Planes_0 thread* p_6, uint o_0)
{
    uint b_6 = o_0 / 4U;
    uint c_1 = b_6 % 8U;
    uint super_1 = o_0 / 32U;
    if(in_pairs_0())
    {
        uchar device* _S40 = w_2 + p_6->scales_0;
        uint _S41 = b_6 / blocks_of_pair_0();
        uint both_0 = word_at_0(_S40 + _S41 * 4U);
        if((is_affine_0()) & ((C_DTYPE_0 & 1U) == 0U))
        {
            return float2(bf16_to_f32_0(both_0 & 65535U), bf16_to_f32_0(both_0 >> 16U));
        }
        return float2(f16_to_f32_0(both_0), f16_to_f32_0(both_0 >> 16U));
    }
    if(C_DTYPE_0 == 39U)
    {
        return float2(e8m0_half_0(uint(*(w_2 + (p_6->scales_0 + ulong(b_6))))), 0.0);
    }
    if(C_DTYPE_0 == 3840U)
    {
        return float2(e8m0_0(uint(*(w_2 + (p_6->scales_0 + ulong(b_6))))), 0.0);
    }
    if(C_DTYPE_0 == 40U)
    {
        return float2(ue4m3_half_0(uint(*(w_2 + (p_6->scales_0 + ulong(o_0 / 2U))))), 0.0);
    }
    if(C_DTYPE_0 == 23U)
    {
        ulong _S42 = p_6->super_0;
        uint _S43 = super_1 * 8U;
        uint head_0 = word_at_0(w_2 + p_6->super_0 + _S43);
        return float2(f16_to_f32_0(head_0) * float(int(((uint(*(w_2 + (_S42 + ulong(_S43) + 4UL + ulong(c_1 / 2U)))) >> (c_1 % 2U * 4U)) & 15U) | (((head_0 >> (16U + c_1 * 2U)) & 3U) << 4U)) - int(32)), 0.0);
    }
    if(C_DTYPE_0 == 15U)
    {
        return float2(*(float device*)((ulong)(w_2 + p_6->super_0 + super_1 * 4U)), 0.0);
    }
    if((C_DTYPE_0 == 12U) | (C_DTYPE_0 == 13U))
    {
        uchar device* head_1 = w_2 + p_6->super_0 + super_1 * 16U;
        uint dm_0 = word_at_0(head_1);
        uchar device* pair_0 = head_1 + int(4) + c_1 * 3U / 2U;
        uint two_0 = (uint(*(pair_0 + int(0))) | (uint(*(pair_0 + int(1))) << 8U)) >> (c_1 % 2U * 4U);
        return float2(f16_to_f32_0(dm_0) * float(two_0 & 63U), - (f16_to_f32_0(dm_0 >> 16U) * float((two_0 >> 6U) & 63U)));
    }
    if(C_DTYPE_0 == 10U)
    {
        uint s_0 = uint(*(w_2 + (p_6->scales_0 + ulong(o_0 / 2U))));
        uint dm_1 = word_at_0(w_2 + p_6->super_0 + super_1 * 4U);
        return float2(f16_to_f32_0(dm_1) * float(s_0 & 15U), - (f16_to_f32_0(dm_1 >> 16U) * float(s_0 >> 4U)));
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
    float _S47 = scale_at_0(w_2 + p_6->scales_0 + b_6 * 2U);
    return float2(_S47, 0.0);
}
int dot4_0(uint a_1, uint b_7, int c_2)
{
    return c_2 + (int(a_1 << 24U) >> 24U) * (int(b_7 << 24U) >> 24U) + (int(a_1 << 16U) >> 24U) * (int(b_7 << 16U) >> 24U) + (int(a_1 << 8U) >> 24U) * (int(b_7 << 8U) >> 24U) + (int(a_1 << 0U) >> 24U) * (int(b_7 << 0U) >> 24U);
}
uint zero_0()
{
    return select(select(select(select(select(0U, 4U, C_DTYPE_0 == 11U), 16U, C_DTYPE_0 == 6U), 8U, C_DTYPE_0 == 2U), 32U, C_DTYPE_0 == 14U), 128U, (signed_bytes_0()) | (in_table_0()));
}
int block_zero_0()
{
    return select(select(int(zero_0()), int(0), in_table_0()), select(int(0), int(-128), is_affine_0()), (low_bits_0()) == 8U);
}
bool has_minimum_0()
{
    return (((in_pairs_0()) | (C_DTYPE_0 == 12U)) | (C_DTYPE_0 == 13U)) | (C_DTYPE_0 == 10U);
}
void add_blocks_0(const Eight_0 thread* rows_1, uint first_1, uint n_1, uint t_0, array<float, int(32)> thread* acc_0, KernelContext_0 thread* kernelContext_2)
{
    uint _S48;
    bool _S49;
    bool _S50;
    bool _S51;
    bool _S52;
    bool _S53;
    bool _S54;
    bool _S55;
    bool _S56;
    int _S57;
    int _S58;
    float sum_0;
    ulong stride_0 = act_row_bytes_0(6U, C_K_0);
    uchar device* _S59 = kernelContext_2->args_0->x_0 + ulong(input_row_0(first_1)) * stride_0;
    uint b_8 = t_0;
    for(;;)
    {
        if(b_8 < (C_K_0 / 32U))
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
                    uint _S60 = outputs_0();
                    _S48 = _S60;
                    bool _S61 = 0U >= _S60;
                    _S49 = _S61;
                    if(_S61)
                    {
                        break;
                    }
                    uchar device* _S62 = kernelContext_2->args_0->w_0;
                    Planes_0 _S63 = of_0(rows_1, 0U);
                    thread Planes_0 _S64 = _S63;
                    thread array<uint, int(8)> words_0;
                    block_codes_0(_S62, &_S64, b_8, &words_0);
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
                        uchar device* _S65 = kernelContext_2->args_0->w_0;
                        uint _S66 = b_8 * 4U;
                        thread Planes_0 _S67 = _S63;
                        float2 _S68 = octet_scale_0(_S65, &_S67, _S66);
                        scales_1[0U] = _S68.x;
                        least_0[0U] = _S68.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S69 = kernelContext_2->args_0->w_0;
                                uint _S70 = _S66 + 2U;
                                thread Planes_0 _S71 = _S63;
                                float2 _S72 = octet_scale_0(_S69, &_S71, _S70);
                                scales_1[1U] = _S72.x;
                                least_0[1U] = _S72.y;
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
                    bool _S73 = 1U >= _S48;
                    _S50 = _S73;
                    if(_S73)
                    {
                        break;
                    }
                    uchar device* _S74 = kernelContext_2->args_0->w_0;
                    Planes_0 _S75 = of_0(rows_1, 1U);
                    thread Planes_0 _S76 = _S75;
                    thread array<uint, int(8)> words_1;
                    block_codes_0(_S74, &_S76, b_8, &words_1);
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
                        uchar device* _S77 = kernelContext_2->args_0->w_0;
                        uint _S78 = b_8 * 4U;
                        thread Planes_0 _S79 = _S75;
                        float2 _S80 = octet_scale_0(_S77, &_S79, _S78);
                        scales_1[2U] = _S80.x;
                        least_0[2U] = _S80.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S81 = kernelContext_2->args_0->w_0;
                                uint _S82 = _S78 + 2U;
                                thread Planes_0 _S83 = _S75;
                                float2 _S84 = octet_scale_0(_S81, &_S83, _S82);
                                scales_1[3U] = _S84.x;
                                least_0[3U] = _S84.y;
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
                    bool _S85 = 2U >= _S48;
                    _S51 = _S85;
                    if(_S85)
                    {
                        break;
                    }
                    uchar device* _S86 = kernelContext_2->args_0->w_0;
                    Planes_0 _S87 = of_0(rows_1, 2U);
                    thread Planes_0 _S88 = _S87;
                    thread array<uint, int(8)> words_2;
                    block_codes_0(_S86, &_S88, b_8, &words_2);
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
                        uchar device* _S89 = kernelContext_2->args_0->w_0;
                        uint _S90 = b_8 * 4U;
                        thread Planes_0 _S91 = _S87;
                        float2 _S92 = octet_scale_0(_S89, &_S91, _S90);
                        scales_1[4U] = _S92.x;
                        least_0[4U] = _S92.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S93 = kernelContext_2->args_0->w_0;
                                uint _S94 = _S90 + 2U;
                                thread Planes_0 _S95 = _S87;
                                float2 _S96 = octet_scale_0(_S93, &_S95, _S94);
                                scales_1[5U] = _S96.x;
                                least_0[5U] = _S96.y;
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
                    bool _S97 = 3U >= _S48;
                    _S52 = _S97;
                    if(_S97)
                    {
                        break;
                    }
                    uchar device* _S98 = kernelContext_2->args_0->w_0;
                    Planes_0 _S99 = of_0(rows_1, 3U);
                    thread Planes_0 _S100 = _S99;
                    thread array<uint, int(8)> words_3;
                    block_codes_0(_S98, &_S100, b_8, &words_3);
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
                        uchar device* _S101 = kernelContext_2->args_0->w_0;
                        uint _S102 = b_8 * 4U;
                        thread Planes_0 _S103 = _S99;
                        float2 _S104 = octet_scale_0(_S101, &_S103, _S102);
                        scales_1[6U] = _S104.x;
                        least_0[6U] = _S104.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S105 = kernelContext_2->args_0->w_0;
                                uint _S106 = _S102 + 2U;
                                thread Planes_0 _S107 = _S99;
                                float2 _S108 = octet_scale_0(_S105, &_S107, _S106);
                                scales_1[7U] = _S108.x;
                                least_0[7U] = _S108.y;
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
                    bool _S109 = 4U >= _S48;
                    _S53 = _S109;
                    if(_S109)
                    {
                        break;
                    }
                    uchar device* _S110 = kernelContext_2->args_0->w_0;
                    Planes_0 _S111 = of_0(rows_1, 4U);
                    thread Planes_0 _S112 = _S111;
                    thread array<uint, int(8)> words_4;
                    block_codes_0(_S110, &_S112, b_8, &words_4);
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
                        uchar device* _S113 = kernelContext_2->args_0->w_0;
                        uint _S114 = b_8 * 4U;
                        thread Planes_0 _S115 = _S111;
                        float2 _S116 = octet_scale_0(_S113, &_S115, _S114);
                        scales_1[8U] = _S116.x;
                        least_0[8U] = _S116.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S117 = kernelContext_2->args_0->w_0;
                                uint _S118 = _S114 + 2U;
                                thread Planes_0 _S119 = _S111;
                                float2 _S120 = octet_scale_0(_S117, &_S119, _S118);
                                scales_1[9U] = _S120.x;
                                least_0[9U] = _S120.y;
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
                    bool _S121 = 5U >= _S48;
                    _S54 = _S121;
                    if(_S121)
                    {
                        break;
                    }
                    uchar device* _S122 = kernelContext_2->args_0->w_0;
                    Planes_0 _S123 = of_0(rows_1, 5U);
                    thread Planes_0 _S124 = _S123;
                    thread array<uint, int(8)> words_5;
                    block_codes_0(_S122, &_S124, b_8, &words_5);
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
                        uchar device* _S125 = kernelContext_2->args_0->w_0;
                        uint _S126 = b_8 * 4U;
                        thread Planes_0 _S127 = _S123;
                        float2 _S128 = octet_scale_0(_S125, &_S127, _S126);
                        scales_1[10U] = _S128.x;
                        least_0[10U] = _S128.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S129 = kernelContext_2->args_0->w_0;
                                uint _S130 = _S126 + 2U;
                                thread Planes_0 _S131 = _S123;
                                float2 _S132 = octet_scale_0(_S129, &_S131, _S130);
                                scales_1[11U] = _S132.x;
                                least_0[11U] = _S132.y;
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
                    bool _S133 = 6U >= _S48;
                    _S55 = _S133;
                    if(_S133)
                    {
                        break;
                    }
                    uchar device* _S134 = kernelContext_2->args_0->w_0;
                    Planes_0 _S135 = of_0(rows_1, 6U);
                    thread Planes_0 _S136 = _S135;
                    thread array<uint, int(8)> words_6;
                    block_codes_0(_S134, &_S136, b_8, &words_6);
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
                        uchar device* _S137 = kernelContext_2->args_0->w_0;
                        uint _S138 = b_8 * 4U;
                        thread Planes_0 _S139 = _S135;
                        float2 _S140 = octet_scale_0(_S137, &_S139, _S138);
                        scales_1[12U] = _S140.x;
                        least_0[12U] = _S140.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S141 = kernelContext_2->args_0->w_0;
                                uint _S142 = _S138 + 2U;
                                thread Planes_0 _S143 = _S135;
                                float2 _S144 = octet_scale_0(_S141, &_S143, _S142);
                                scales_1[13U] = _S144.x;
                                least_0[13U] = _S144.y;
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
                    bool _S145 = 7U >= _S48;
                    _S56 = _S145;
                    if(_S145)
                    {
                        break;
                    }
                    uchar device* _S146 = kernelContext_2->args_0->w_0;
                    Planes_0 _S147 = of_0(rows_1, 7U);
                    thread Planes_0 _S148 = _S147;
                    thread array<uint, int(8)> words_7;
                    block_codes_0(_S146, &_S148, b_8, &words_7);
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
                        uchar device* _S149 = kernelContext_2->args_0->w_0;
                        uint _S150 = b_8 * 4U;
                        thread Planes_0 _S151 = _S147;
                        float2 _S152 = octet_scale_0(_S149, &_S151, _S150);
                        scales_1[14U] = _S152.x;
                        least_0[14U] = _S152.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S153 = kernelContext_2->args_0->w_0;
                                uint _S154 = _S150 + 2U;
                                thread Planes_0 _S155 = _S147;
                                float2 _S156 = octet_scale_0(_S153, &_S155, _S154);
                                scales_1[15U] = _S156.x;
                                least_0[15U] = _S156.y;
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
            uint _S157 = own_0();
            if(r_1 < _S157)
            {
            }
            else
            {
                break;
            }
            bool _S158;
            if(_S157 != 1U)
            {
                _S158 = r_1 >= n_1;
            }
            else
            {
                _S158 = false;
            }
            if(_S158)
            {
                r_1 = r_1 + 1U;
                continue;
            }
            uchar device* block_0 = _S59 + ulong(r_1) * stride_0 + b_8 * 80U;
            uint4 _S159 = uint4(*(packed_uint4 device*)((ulong)(block_0))) ;
            uint4 _S160 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(16)))) ;
            uint4 _S161 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(32)))) ;
            uint4 _S162 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(48)))) ;
            uint4 _S163 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(64)))) ;
            float _S164 = (as_type<float>((_S163.x)));
            int _S165 = (as_type<int>((_S163.y)));
            int _S166 = (as_type<int>((_S163.z)));
            for(;;)
            {
                for(;;)
                {
                    for(;;)
                    {
                        if(_S49)
                        {
                            break;
                        }
                        int h_0 = dot4_0(q_1[3U], _S159.w, dot4_0(q_1[2U], _S159.z, dot4_0(q_1[1U], _S159.y, dot4_0(q_1[0U], _S159.x, int(0)))));
                        int l_0 = dot4_0(q_1[3U], _S161.w, dot4_0(q_1[2U], _S161.z, dot4_0(q_1[1U], _S161.y, dot4_0(q_1[0U], _S161.x, int(0)))));
                        uint _S167 = q_1[7U];
                        uint _S168 = _S160.w;
                        uint _S169 = q_1[6U];
                        uint _S170 = _S160.z;
                        uint _S171 = q_1[5U];
                        uint _S172 = _S160.y;
                        uint _S173 = q_1[4U];
                        uint _S174 = _S160.x;
                        bool _S175 = parted_0();
                        if(_S175)
                        {
                            _S57 = int(0);
                        }
                        else
                        {
                            _S57 = h_0;
                        }
                        int h2_0 = dot4_0(_S167, _S168, dot4_0(_S169, _S170, dot4_0(_S171, _S172, dot4_0(_S173, _S174, _S57))));
                        uint _S176 = q_1[7U];
                        uint _S177 = _S162.w;
                        uint _S178 = q_1[6U];
                        uint _S179 = _S162.z;
                        uint _S180 = q_1[5U];
                        uint _S181 = _S162.y;
                        uint _S182 = q_1[4U];
                        uint _S183 = _S162.x;
                        if(_S175)
                        {
                            _S58 = int(0);
                        }
                        else
                        {
                            _S58 = l_0;
                        }
                        int l2_0 = dot4_0(_S176, _S177, dot4_0(_S178, _S179, dot4_0(_S180, _S181, dot4_0(_S182, _S183, _S58))));
                        float sum_1 = (*acc_0)[r_1];
                        if(_S175)
                        {
                            int _S184 = block_zero_0();
                            float v_1 = fma(scales_1[0U], float(h_0 * int(256) + l_0 - _S184 * _S165), scales_1[1U] * float(h2_0 * int(256) + l2_0 - _S184 * _S166));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[0U], float(_S165), fma(least_0[1U], float(_S166), v_1));
                            }
                            else
                            {
                                sum_0 = v_1;
                            }
                            sum_0 = fma(_S164, sum_0, sum_1);
                        }
                        else
                        {
                            float sum_2 = fma(scales_1[0U] * _S164, float(h2_0 * int(256) + l2_0 - block_zero_0() * (_S165 + _S166)), sum_1);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[0U], (as_type<float>((_S163.w))), sum_2);
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
                        if(_S50)
                        {
                            break;
                        }
                        int h_1 = dot4_0(q_1[11U], _S159.w, dot4_0(q_1[10U], _S159.z, dot4_0(q_1[9U], _S159.y, dot4_0(q_1[8U], _S159.x, int(0)))));
                        int l_1 = dot4_0(q_1[11U], _S161.w, dot4_0(q_1[10U], _S161.z, dot4_0(q_1[9U], _S161.y, dot4_0(q_1[8U], _S161.x, int(0)))));
                        uint _S185 = q_1[15U];
                        uint _S186 = _S160.w;
                        uint _S187 = q_1[14U];
                        uint _S188 = _S160.z;
                        uint _S189 = q_1[13U];
                        uint _S190 = _S160.y;
                        uint _S191 = q_1[12U];
                        uint _S192 = _S160.x;
                        bool _S193 = parted_0();
                        if(_S193)
                        {
                            _S57 = int(0);
                        }
                        else
                        {
                            _S57 = h_1;
                        }
                        int h2_1 = dot4_0(_S185, _S186, dot4_0(_S187, _S188, dot4_0(_S189, _S190, dot4_0(_S191, _S192, _S57))));
                        uint _S194 = q_1[15U];
                        uint _S195 = _S162.w;
                        uint _S196 = q_1[14U];
                        uint _S197 = _S162.z;
                        uint _S198 = q_1[13U];
                        uint _S199 = _S162.y;
                        uint _S200 = q_1[12U];
                        uint _S201 = _S162.x;
                        if(_S193)
                        {
                            _S58 = int(0);
                        }
                        else
                        {
                            _S58 = l_1;
                        }
                        int l2_1 = dot4_0(_S194, _S195, dot4_0(_S196, _S197, dot4_0(_S198, _S199, dot4_0(_S200, _S201, _S58))));
                        float sum_3 = (*acc_0)[_S157 + r_1];
                        if(_S193)
                        {
                            int _S202 = block_zero_0();
                            float v_2 = fma(scales_1[2U], float(h_1 * int(256) + l_1 - _S202 * _S165), scales_1[3U] * float(h2_1 * int(256) + l2_1 - _S202 * _S166));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[2U], float(_S165), fma(least_0[3U], float(_S166), v_2));
                            }
                            else
                            {
                                sum_0 = v_2;
                            }
                            sum_0 = fma(_S164, sum_0, sum_3);
                        }
                        else
                        {
                            float sum_4 = fma(scales_1[2U] * _S164, float(h2_1 * int(256) + l2_1 - block_zero_0() * (_S165 + _S166)), sum_3);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[2U], (as_type<float>((_S163.w))), sum_4);
                            }
                            else
                            {
                                sum_0 = sum_4;
                            }
                        }
                        (*acc_0)[_S157 + r_1] = sum_0;
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
                        int h_2 = dot4_0(q_1[19U], _S159.w, dot4_0(q_1[18U], _S159.z, dot4_0(q_1[17U], _S159.y, dot4_0(q_1[16U], _S159.x, int(0)))));
                        int l_2 = dot4_0(q_1[19U], _S161.w, dot4_0(q_1[18U], _S161.z, dot4_0(q_1[17U], _S161.y, dot4_0(q_1[16U], _S161.x, int(0)))));
                        uint _S203 = q_1[23U];
                        uint _S204 = _S160.w;
                        uint _S205 = q_1[22U];
                        uint _S206 = _S160.z;
                        uint _S207 = q_1[21U];
                        uint _S208 = _S160.y;
                        uint _S209 = q_1[20U];
                        uint _S210 = _S160.x;
                        bool _S211 = parted_0();
                        if(_S211)
                        {
                            _S57 = int(0);
                        }
                        else
                        {
                            _S57 = h_2;
                        }
                        int h2_2 = dot4_0(_S203, _S204, dot4_0(_S205, _S206, dot4_0(_S207, _S208, dot4_0(_S209, _S210, _S57))));
                        uint _S212 = q_1[23U];
                        uint _S213 = _S162.w;
                        uint _S214 = q_1[22U];
                        uint _S215 = _S162.z;
                        uint _S216 = q_1[21U];
                        uint _S217 = _S162.y;
                        uint _S218 = q_1[20U];
                        uint _S219 = _S162.x;
                        if(_S211)
                        {
                            _S58 = int(0);
                        }
                        else
                        {
                            _S58 = l_2;
                        }
                        int l2_2 = dot4_0(_S212, _S213, dot4_0(_S214, _S215, dot4_0(_S216, _S217, dot4_0(_S218, _S219, _S58))));
                        float sum_5 = (*acc_0)[2U * _S157 + r_1];
                        if(_S211)
                        {
                            int _S220 = block_zero_0();
                            float v_3 = fma(scales_1[4U], float(h_2 * int(256) + l_2 - _S220 * _S165), scales_1[5U] * float(h2_2 * int(256) + l2_2 - _S220 * _S166));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[4U], float(_S165), fma(least_0[5U], float(_S166), v_3));
                            }
                            else
                            {
                                sum_0 = v_3;
                            }
                            sum_0 = fma(_S164, sum_0, sum_5);
                        }
                        else
                        {
                            float sum_6 = fma(scales_1[4U] * _S164, float(h2_2 * int(256) + l2_2 - block_zero_0() * (_S165 + _S166)), sum_5);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[4U], (as_type<float>((_S163.w))), sum_6);
                            }
                            else
                            {
                                sum_0 = sum_6;
                            }
                        }
                        (*acc_0)[2U * _S157 + r_1] = sum_0;
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
                        int h_3 = dot4_0(q_1[27U], _S159.w, dot4_0(q_1[26U], _S159.z, dot4_0(q_1[25U], _S159.y, dot4_0(q_1[24U], _S159.x, int(0)))));
                        int l_3 = dot4_0(q_1[27U], _S161.w, dot4_0(q_1[26U], _S161.z, dot4_0(q_1[25U], _S161.y, dot4_0(q_1[24U], _S161.x, int(0)))));
                        uint _S221 = q_1[31U];
                        uint _S222 = _S160.w;
                        uint _S223 = q_1[30U];
                        uint _S224 = _S160.z;
                        uint _S225 = q_1[29U];
                        uint _S226 = _S160.y;
                        uint _S227 = q_1[28U];
                        uint _S228 = _S160.x;
                        bool _S229 = parted_0();
                        if(_S229)
                        {
                            _S57 = int(0);
                        }
                        else
                        {
                            _S57 = h_3;
                        }
                        int h2_3 = dot4_0(_S221, _S222, dot4_0(_S223, _S224, dot4_0(_S225, _S226, dot4_0(_S227, _S228, _S57))));
                        uint _S230 = q_1[31U];
                        uint _S231 = _S162.w;
                        uint _S232 = q_1[30U];
                        uint _S233 = _S162.z;
                        uint _S234 = q_1[29U];
                        uint _S235 = _S162.y;
                        uint _S236 = q_1[28U];
                        uint _S237 = _S162.x;
                        if(_S229)
                        {
                            _S58 = int(0);
                        }
                        else
                        {
                            _S58 = l_3;
                        }
                        int l2_3 = dot4_0(_S230, _S231, dot4_0(_S232, _S233, dot4_0(_S234, _S235, dot4_0(_S236, _S237, _S58))));
                        float sum_7 = (*acc_0)[3U * _S157 + r_1];
                        if(_S229)
                        {
                            int _S238 = block_zero_0();
                            float v_4 = fma(scales_1[6U], float(h_3 * int(256) + l_3 - _S238 * _S165), scales_1[7U] * float(h2_3 * int(256) + l2_3 - _S238 * _S166));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[6U], float(_S165), fma(least_0[7U], float(_S166), v_4));
                            }
                            else
                            {
                                sum_0 = v_4;
                            }
                            sum_0 = fma(_S164, sum_0, sum_7);
                        }
                        else
                        {
                            float sum_8 = fma(scales_1[6U] * _S164, float(h2_3 * int(256) + l2_3 - block_zero_0() * (_S165 + _S166)), sum_7);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[6U], (as_type<float>((_S163.w))), sum_8);
                            }
                            else
                            {
                                sum_0 = sum_8;
                            }
                        }
                        (*acc_0)[3U * _S157 + r_1] = sum_0;
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
                        int h_4 = dot4_0(q_1[35U], _S159.w, dot4_0(q_1[34U], _S159.z, dot4_0(q_1[33U], _S159.y, dot4_0(q_1[32U], _S159.x, int(0)))));
                        int l_4 = dot4_0(q_1[35U], _S161.w, dot4_0(q_1[34U], _S161.z, dot4_0(q_1[33U], _S161.y, dot4_0(q_1[32U], _S161.x, int(0)))));
                        uint _S239 = q_1[39U];
                        uint _S240 = _S160.w;
                        uint _S241 = q_1[38U];
                        uint _S242 = _S160.z;
                        uint _S243 = q_1[37U];
                        uint _S244 = _S160.y;
                        uint _S245 = q_1[36U];
                        uint _S246 = _S160.x;
                        bool _S247 = parted_0();
                        if(_S247)
                        {
                            _S57 = int(0);
                        }
                        else
                        {
                            _S57 = h_4;
                        }
                        int h2_4 = dot4_0(_S239, _S240, dot4_0(_S241, _S242, dot4_0(_S243, _S244, dot4_0(_S245, _S246, _S57))));
                        uint _S248 = q_1[39U];
                        uint _S249 = _S162.w;
                        uint _S250 = q_1[38U];
                        uint _S251 = _S162.z;
                        uint _S252 = q_1[37U];
                        uint _S253 = _S162.y;
                        uint _S254 = q_1[36U];
                        uint _S255 = _S162.x;
                        if(_S247)
                        {
                            _S58 = int(0);
                        }
                        else
                        {
                            _S58 = l_4;
                        }
                        int l2_4 = dot4_0(_S248, _S249, dot4_0(_S250, _S251, dot4_0(_S252, _S253, dot4_0(_S254, _S255, _S58))));
                        float sum_9 = (*acc_0)[4U * _S157 + r_1];
                        if(_S247)
                        {
                            int _S256 = block_zero_0();
                            float v_5 = fma(scales_1[8U], float(h_4 * int(256) + l_4 - _S256 * _S165), scales_1[9U] * float(h2_4 * int(256) + l2_4 - _S256 * _S166));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[8U], float(_S165), fma(least_0[9U], float(_S166), v_5));
                            }
                            else
                            {
                                sum_0 = v_5;
                            }
                            sum_0 = fma(_S164, sum_0, sum_9);
                        }
                        else
                        {
                            float sum_10 = fma(scales_1[8U] * _S164, float(h2_4 * int(256) + l2_4 - block_zero_0() * (_S165 + _S166)), sum_9);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[8U], (as_type<float>((_S163.w))), sum_10);
                            }
                            else
                            {
                                sum_0 = sum_10;
                            }
                        }
                        (*acc_0)[4U * _S157 + r_1] = sum_0;
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
                        int h_5 = dot4_0(q_1[43U], _S159.w, dot4_0(q_1[42U], _S159.z, dot4_0(q_1[41U], _S159.y, dot4_0(q_1[40U], _S159.x, int(0)))));
                        int l_5 = dot4_0(q_1[43U], _S161.w, dot4_0(q_1[42U], _S161.z, dot4_0(q_1[41U], _S161.y, dot4_0(q_1[40U], _S161.x, int(0)))));
                        uint _S257 = q_1[47U];
                        uint _S258 = _S160.w;
                        uint _S259 = q_1[46U];
                        uint _S260 = _S160.z;
                        uint _S261 = q_1[45U];
                        uint _S262 = _S160.y;
                        uint _S263 = q_1[44U];
                        uint _S264 = _S160.x;
                        bool _S265 = parted_0();
                        if(_S265)
                        {
                            _S57 = int(0);
                        }
                        else
                        {
                            _S57 = h_5;
                        }
                        int h2_5 = dot4_0(_S257, _S258, dot4_0(_S259, _S260, dot4_0(_S261, _S262, dot4_0(_S263, _S264, _S57))));
                        uint _S266 = q_1[47U];
                        uint _S267 = _S162.w;
                        uint _S268 = q_1[46U];
                        uint _S269 = _S162.z;
                        uint _S270 = q_1[45U];
                        uint _S271 = _S162.y;
                        uint _S272 = q_1[44U];
                        uint _S273 = _S162.x;
                        if(_S265)
                        {
                            _S58 = int(0);
                        }
                        else
                        {
                            _S58 = l_5;
                        }
                        int l2_5 = dot4_0(_S266, _S267, dot4_0(_S268, _S269, dot4_0(_S270, _S271, dot4_0(_S272, _S273, _S58))));
                        float sum_11 = (*acc_0)[5U * _S157 + r_1];
                        if(_S265)
                        {
                            int _S274 = block_zero_0();
                            float v_6 = fma(scales_1[10U], float(h_5 * int(256) + l_5 - _S274 * _S165), scales_1[11U] * float(h2_5 * int(256) + l2_5 - _S274 * _S166));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[10U], float(_S165), fma(least_0[11U], float(_S166), v_6));
                            }
                            else
                            {
                                sum_0 = v_6;
                            }
                            sum_0 = fma(_S164, sum_0, sum_11);
                        }
                        else
                        {
                            float sum_12 = fma(scales_1[10U] * _S164, float(h2_5 * int(256) + l2_5 - block_zero_0() * (_S165 + _S166)), sum_11);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[10U], (as_type<float>((_S163.w))), sum_12);
                            }
                            else
                            {
                                sum_0 = sum_12;
                            }
                        }
                        (*acc_0)[5U * _S157 + r_1] = sum_0;
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
                        int h_6 = dot4_0(q_1[51U], _S159.w, dot4_0(q_1[50U], _S159.z, dot4_0(q_1[49U], _S159.y, dot4_0(q_1[48U], _S159.x, int(0)))));
                        int l_6 = dot4_0(q_1[51U], _S161.w, dot4_0(q_1[50U], _S161.z, dot4_0(q_1[49U], _S161.y, dot4_0(q_1[48U], _S161.x, int(0)))));
                        uint _S275 = q_1[55U];
                        uint _S276 = _S160.w;
                        uint _S277 = q_1[54U];
                        uint _S278 = _S160.z;
                        uint _S279 = q_1[53U];
                        uint _S280 = _S160.y;
                        uint _S281 = q_1[52U];
                        uint _S282 = _S160.x;
                        bool _S283 = parted_0();
                        if(_S283)
                        {
                            _S57 = int(0);
                        }
                        else
                        {
                            _S57 = h_6;
                        }
                        int h2_6 = dot4_0(_S275, _S276, dot4_0(_S277, _S278, dot4_0(_S279, _S280, dot4_0(_S281, _S282, _S57))));
                        uint _S284 = q_1[55U];
                        uint _S285 = _S162.w;
                        uint _S286 = q_1[54U];
                        uint _S287 = _S162.z;
                        uint _S288 = q_1[53U];
                        uint _S289 = _S162.y;
                        uint _S290 = q_1[52U];
                        uint _S291 = _S162.x;
                        if(_S283)
                        {
                            _S58 = int(0);
                        }
                        else
                        {
                            _S58 = l_6;
                        }
                        int l2_6 = dot4_0(_S284, _S285, dot4_0(_S286, _S287, dot4_0(_S288, _S289, dot4_0(_S290, _S291, _S58))));
                        float sum_13 = (*acc_0)[6U * _S157 + r_1];
                        if(_S283)
                        {
                            int _S292 = block_zero_0();
                            float v_7 = fma(scales_1[12U], float(h_6 * int(256) + l_6 - _S292 * _S165), scales_1[13U] * float(h2_6 * int(256) + l2_6 - _S292 * _S166));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[12U], float(_S165), fma(least_0[13U], float(_S166), v_7));
                            }
                            else
                            {
                                sum_0 = v_7;
                            }
                            sum_0 = fma(_S164, sum_0, sum_13);
                        }
                        else
                        {
                            float sum_14 = fma(scales_1[12U] * _S164, float(h2_6 * int(256) + l2_6 - block_zero_0() * (_S165 + _S166)), sum_13);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[12U], (as_type<float>((_S163.w))), sum_14);
                            }
                            else
                            {
                                sum_0 = sum_14;
                            }
                        }
                        (*acc_0)[6U * _S157 + r_1] = sum_0;
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
                        int h_7 = dot4_0(q_1[59U], _S159.w, dot4_0(q_1[58U], _S159.z, dot4_0(q_1[57U], _S159.y, dot4_0(q_1[56U], _S159.x, int(0)))));
                        int l_7 = dot4_0(q_1[59U], _S161.w, dot4_0(q_1[58U], _S161.z, dot4_0(q_1[57U], _S161.y, dot4_0(q_1[56U], _S161.x, int(0)))));
                        uint _S293 = q_1[63U];
                        uint _S294 = _S160.w;
                        uint _S295 = q_1[62U];
                        uint _S296 = _S160.z;
                        uint _S297 = q_1[61U];
                        uint _S298 = _S160.y;
                        uint _S299 = q_1[60U];
                        uint _S300 = _S160.x;
                        bool _S301 = parted_0();
                        if(_S301)
                        {
                            _S57 = int(0);
                        }
                        else
                        {
                            _S57 = h_7;
                        }
                        int h2_7 = dot4_0(_S293, _S294, dot4_0(_S295, _S296, dot4_0(_S297, _S298, dot4_0(_S299, _S300, _S57))));
                        uint _S302 = q_1[63U];
                        uint _S303 = _S162.w;
                        uint _S304 = q_1[62U];
                        uint _S305 = _S162.z;
                        uint _S306 = q_1[61U];
                        uint _S307 = _S162.y;
                        uint _S308 = q_1[60U];
                        uint _S309 = _S162.x;
                        if(_S301)
                        {
                            _S58 = int(0);
                        }
                        else
                        {
                            _S58 = l_7;
                        }
                        int l2_7 = dot4_0(_S302, _S303, dot4_0(_S304, _S305, dot4_0(_S306, _S307, dot4_0(_S308, _S309, _S58))));
                        float sum_15 = (*acc_0)[7U * _S157 + r_1];
                        if(_S301)
                        {
                            int _S310 = block_zero_0();
                            float v_8 = fma(scales_1[14U], float(h_7 * int(256) + l_7 - _S310 * _S165), scales_1[15U] * float(h2_7 * int(256) + l2_7 - _S310 * _S166));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[14U], float(_S165), fma(least_0[15U], float(_S166), v_8));
                            }
                            else
                            {
                                sum_0 = v_8;
                            }
                            sum_0 = fma(_S164, sum_0, sum_15);
                        }
                        else
                        {
                            float sum_16 = fma(scales_1[14U] * _S164, float(h2_7 * int(256) + l2_7 - block_zero_0() * (_S165 + _S166)), sum_15);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[14U], (as_type<float>((_S163.w))), sum_16);
                            }
                            else
                            {
                                sum_0 = sum_16;
                            }
                        }
                        (*acc_0)[7U * _S157 + r_1] = sum_0;
                        break;
                    }
                    break;
                }
                break;
            }
            r_1 = r_1 + 1U;
        }
        b_8 = b_8 + 64U;
    }
    return;
}
float4 input_four_0(uint r_2, uint i_4, KernelContext_0 thread* kernelContext_3)
{
    return float4(*((packed_float4 device*)((ulong)(kernelContext_3->args_0->x_0)) + ulong(r_2) * ulong(uint(act_row_bytes_0(0U, C_K_0) / 16UL)) + i_4)) ;
}
void octet_floats_0(uchar device* w_3, const Planes_0 thread* p_7, uint o_1, array<float, int(8)> thread* v_9)
{
    if(C_DTYPE_0 == 0U)
    {
        uchar device* _S311 = w_3 + p_7->low_0 + o_1 * 32U;
        float4 _S312 = float4(*(packed_float4 device*)((ulong)(_S311))) ;
        float4 _S313 = float4(*(packed_float4 device*)((ulong)(_S311 + int(16)))) ;
        (*v_9)[int(0)] = _S312.x;
        (*v_9)[int(1)] = _S312.y;
        (*v_9)[int(2)] = _S312.z;
        (*v_9)[int(3)] = _S312.w;
        (*v_9)[int(4)] = _S313.x;
        (*v_9)[int(5)] = _S313.y;
        (*v_9)[int(6)] = _S313.z;
        (*v_9)[int(7)] = _S313.w;
        return;
    }
    uint4 _S314 = uint4(*(packed_uint4 device*)((ulong)(w_3 + p_7->low_0 + o_1 * 16U))) ;
    uint _S315 = _S314.x;
    uint half_3 = (_S315 >> 0U) & 65535U;
    float _S316;
    if(C_DTYPE_0 == 1U)
    {
        _S316 = f16_to_f32_0(half_3);
    }
    else
    {
        _S316 = bf16_to_f32_0(half_3);
    }
    (*v_9)[0U] = _S316;
    uint half_4 = (_S315 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S316 = f16_to_f32_0(half_4);
    }
    else
    {
        _S316 = bf16_to_f32_0(half_4);
    }
    (*v_9)[1U] = _S316;
    uint _S317 = _S314.y;
    uint half_5 = (_S317 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S316 = f16_to_f32_0(half_5);
    }
    else
    {
        _S316 = bf16_to_f32_0(half_5);
    }
    (*v_9)[2U] = _S316;
    uint half_6 = (_S317 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S316 = f16_to_f32_0(half_6);
    }
    else
    {
        _S316 = bf16_to_f32_0(half_6);
    }
    (*v_9)[3U] = _S316;
    uint _S318 = _S314.z;
    uint half_7 = (_S318 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S316 = f16_to_f32_0(half_7);
    }
    else
    {
        _S316 = bf16_to_f32_0(half_7);
    }
    (*v_9)[4U] = _S316;
    uint half_8 = (_S318 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S316 = f16_to_f32_0(half_8);
    }
    else
    {
        _S316 = bf16_to_f32_0(half_8);
    }
    (*v_9)[5U] = _S316;
    uint _S319 = _S314.w;
    uint half_9 = (_S319 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S316 = f16_to_f32_0(half_9);
    }
    else
    {
        _S316 = bf16_to_f32_0(half_9);
    }
    (*v_9)[6U] = _S316;
    uint half_10 = (_S319 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S316 = f16_to_f32_0(half_10);
    }
    else
    {
        _S316 = bf16_to_f32_0(half_10);
    }
    (*v_9)[7U] = _S316;
    return;
}
float e4m3_0(uint b_9)
{
    float v_10 = e4m3_times_512_0(b_9) * 0.001953125;
    return select(v_10, - v_10, (b_9 & 128U) != 0U);
}
void octet_codes_0(uchar device* w_4, const Planes_0 thread* p_8, uint o_2, array<float, int(8)> thread* q_2)
{
    uint b_10 = o_2 / 4U;
    uint j_0 = o_2 % 4U;
    thread array<uint, int(8)> v_11;
    uint _S320 = low_bits_0();
    uint k_1;
    if(_S320 == 8U)
    {
        uint2 _S321 = (uint2(*(packed_uint2 device*)((ulong)(w_4 + p_8->low_0 + o_2 * 8U))) ) ^ (uint2(select(0U, 2155905152U, signed_bytes_0())) );
        uint _S322 = _S321.x;
        v_11[0U] = (_S322 >> 0U) & 255U;
        v_11[1U] = (_S322 >> 8U) & 255U;
        v_11[2U] = (_S322 >> 16U) & 255U;
        v_11[3U] = (_S322 >> 24U) & 255U;
        uint _S323 = _S321.y;
        v_11[4U] = (_S323 >> 0U) & 255U;
        v_11[5U] = (_S323 >> 8U) & 255U;
        v_11[6U] = (_S323 >> 16U) & 255U;
        v_11[7U] = (_S323 >> 24U) & 255U;
        if(C_DTYPE_0 == 3840U)
        {
            k_1 = 0U;
            for(;;)
            {
                if(k_1 < 8U)
                {
                }
                else
                {
                    break;
                }
                (*q_2)[k_1] = e4m3_0(v_11[k_1]);
                k_1 = k_1 + 1U;
            }
            return;
        }
    }
    else
    {
        if(in_table_0())
        {
            uint _S324 = word_at_0(w_4 + p_8->low_0 + nibbles_of_0(b_10) + j_0 * 4U);
            k_1 = 0U;
            for(;;)
            {
                if(k_1 < 2U)
                {
                }
                else
                {
                    break;
                }
                uint _S325 = (four_of_table_0(_S324 >> (k_1 * 16U))) ^ 2155905152U;
                uint _S326 = k_1 * 4U;
                v_11[_S326] = (_S325 >> 0U) & 255U;
                v_11[_S326 + 1U] = (_S325 >> 8U) & 255U;
                v_11[_S326 + 2U] = (_S325 >> 16U) & 255U;
                v_11[_S326 + 3U] = (_S325 >> 24U) & 255U;
                k_1 = k_1 + 1U;
            }
        }
        else
        {
            if(_S320 == 4U)
            {
                uint2 _S327 = (uint2(*(packed_uint2 device*)((ulong)(w_4 + p_8->low_0 + nibbles_of_0(b_10) + j_0 % 2U * 8U))) ) >> (uint2((j_0 / 2U * 4U)) );
                uint _S328 = _S327.x;
                v_11[0U] = (_S328 >> 0U) & 15U;
                v_11[1U] = (_S328 >> 8U) & 15U;
                v_11[2U] = (_S328 >> 16U) & 15U;
                v_11[3U] = (_S328 >> 24U) & 15U;
                uint _S329 = _S327.y;
                v_11[4U] = (_S329 >> 0U) & 15U;
                v_11[5U] = (_S329 >> 8U) & 15U;
                v_11[6U] = (_S329 >> 16U) & 15U;
                v_11[7U] = (_S329 >> 24U) & 15U;
            }
            else
            {
                uint _S330 = word_at_0(w_4 + p_8->low_0 + b_10 * 8U + j_0 / 2U * 4U);
                uint _S331 = _S330 >> (j_0 % 2U * 4U);
                v_11[0U] = (_S331 >> 0U) & 3U;
                v_11[1U] = (_S331 >> 8U) & 3U;
                v_11[2U] = (_S331 >> 16U) & 3U;
                v_11[3U] = (_S331 >> 24U) & 3U;
                v_11[4U] = (_S331 >> 2U) & 3U;
                v_11[5U] = (_S331 >> 10U) & 3U;
                v_11[6U] = (_S331 >> 18U) & 3U;
                v_11[7U] = (_S331 >> 26U) & 3U;
            }
        }
    }
    uint _S332 = high_bits_0();
    if(_S332 == 2U)
    {
        uint _S333 = word_at_0(w_4 + p_8->high_0 + b_10 * 8U + j_0 / 2U * 4U);
        uint _S334 = _S333 >> (j_0 % 2U * 4U);
        v_11[0U] = (v_11[0U]) | (((_S334 >> 0U) & 3U) << _S320);
        v_11[1U] = (v_11[1U]) | (((_S334 >> 8U) & 3U) << _S320);
        v_11[2U] = (v_11[2U]) | (((_S334 >> 16U) & 3U) << _S320);
        v_11[3U] = (v_11[3U]) | (((_S334 >> 24U) & 3U) << _S320);
        v_11[4U] = (v_11[4U]) | (((_S334 >> 2U) & 3U) << _S320);
        v_11[5U] = (v_11[5U]) | (((_S334 >> 10U) & 3U) << _S320);
        v_11[6U] = (v_11[6U]) | (((_S334 >> 18U) & 3U) << _S320);
        v_11[7U] = (v_11[7U]) | (((_S334 >> 26U) & 3U) << _S320);
    }
    if(_S332 == 1U)
    {
        uint _S335 = word_at_0(w_4 + p_8->high_0 + b_10 * 4U);
        uint _S336 = _S335 >> (j_0 * 2U);
        v_11[0U] = (v_11[0U]) | (((_S336 >> 0U) & 1U) << _S320);
        v_11[1U] = (v_11[1U]) | (((_S336 >> 8U) & 1U) << _S320);
        v_11[2U] = (v_11[2U]) | (((_S336 >> 16U) & 1U) << _S320);
        v_11[3U] = (v_11[3U]) | (((_S336 >> 24U) & 1U) << _S320);
        v_11[4U] = (v_11[4U]) | (((_S336 >> 1U) & 1U) << _S320);
        v_11[5U] = (v_11[5U]) | (((_S336 >> 9U) & 1U) << _S320);
        v_11[6U] = (v_11[6U]) | (((_S336 >> 17U) & 1U) << _S320);
        v_11[7U] = (v_11[7U]) | (((_S336 >> 25U) & 1U) << _S320);
    }
    float _S337 = float(8388608U + zero_0());
    (*q_2)[0U] = (as_type<float>((1258291200U | v_11[0U]))) - _S337;
    (*q_2)[1U] = (as_type<float>((1258291200U | v_11[1U]))) - _S337;
    (*q_2)[2U] = (as_type<float>((1258291200U | v_11[2U]))) - _S337;
    (*q_2)[3U] = (as_type<float>((1258291200U | v_11[3U]))) - _S337;
    (*q_2)[4U] = (as_type<float>((1258291200U | v_11[4U]))) - _S337;
    (*q_2)[5U] = (as_type<float>((1258291200U | v_11[5U]))) - _S337;
    (*q_2)[6U] = (as_type<float>((1258291200U | v_11[6U]))) - _S337;
    (*q_2)[7U] = (as_type<float>((1258291200U | v_11[7U]))) - _S337;
    return;
}
void add_eights_0(const Eight_0 thread* rows_2, uint first_2, uint n_2, uint t_1, array<float, int(32)> thread* acc_1, array<float, int(8)> thread* squares_0, KernelContext_0 thread* kernelContext_4)
{
    uint _S338;
    bool _S339;
    uint _S340;
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
            uint _S341 = own_0();
            _S338 = _S341;
            if(r_4 < _S341)
            {
            }
            else
            {
                break;
            }
            if(_S341 != 1U)
            {
                _S339 = r_4 >= n_2;
            }
            else
            {
                _S339 = false;
            }
            if(_S339)
            {
                r_4 = r_4 + 1U;
                continue;
            }
            uint _S342 = input_row_0(first_2 + r_4);
            uint _S343 = o_3 * 2U;
            float4 _S344 = input_four_0(_S342, _S343, kernelContext_4);
            float4 _S345 = input_four_0(_S342, _S343 + 1U, kernelContext_4);
            uint to_0 = r_4 * 8U;
            float _S346 = _S344.x;
            x_1[to_0] = _S346;
            float _S347 = _S344.y;
            x_1[to_0 + 1U] = _S347;
            float _S348 = _S344.z;
            x_1[to_0 + 2U] = _S348;
            float _S349 = _S344.w;
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
                whole_0[r_4] = _S346 + _S347 + (_S348 + _S349) + (_S350 + _S351 + (_S352 + _S353));
            }
            r_4 = r_4 + 1U;
        }
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    uint _S354 = outputs_0();
                    _S340 = _S354;
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
                        uchar device* _S358 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S359 = _S356;
                        octet_floats_0(_S358, &_S359, o_3, &q_3);
                        scale_0 = _S355;
                    }
                    else
                    {
                        uchar device* _S360 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S361 = _S356;
                        octet_codes_0(_S360, &_S361, o_3, &q_3);
                        uchar device* _S362 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S363 = _S356;
                        float2 _S364 = octet_scale_0(_S362, &_S363, o_3);
                        scale_0 = _S364;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S338)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S338 != 1U)
                        {
                            _S339 = r_3 >= n_2;
                        }
                        else
                        {
                            _S339 = false;
                        }
                        if(_S339)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S365 = r_3 * 8U;
                        float _S366 = q_3[int(0)] * x_1[_S365];
                        float sum_19 = (*acc_1)[r_3];
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
                    if(1U >= _S340)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_4;
                    float2 _S367 = float2(1.0, 0.0);
                    Planes_0 _S368 = of_0(rows_2, 1U);
                    bool _S369 = is_float_0();
                    if(_S369)
                    {
                        uchar device* _S370 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S371 = _S368;
                        octet_floats_0(_S370, &_S371, o_3, &q_4);
                        scale_0 = _S367;
                    }
                    else
                    {
                        uchar device* _S372 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S373 = _S368;
                        octet_codes_0(_S372, &_S373, o_3, &q_4);
                        uchar device* _S374 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S375 = _S368;
                        float2 _S376 = octet_scale_0(_S374, &_S375, o_3);
                        scale_0 = _S376;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S338)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S338 != 1U)
                        {
                            _S339 = r_3 >= n_2;
                        }
                        else
                        {
                            _S339 = false;
                        }
                        if(_S339)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S377 = r_3 * 8U;
                        float _S378 = q_4[int(0)] * x_1[_S377];
                        float sum_20 = (*acc_1)[_S338 + r_3];
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
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[_S338 + r_3] = sum_18;
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
                    if(2U >= _S340)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_5;
                    float2 _S379 = float2(1.0, 0.0);
                    Planes_0 _S380 = of_0(rows_2, 2U);
                    bool _S381 = is_float_0();
                    if(_S381)
                    {
                        uchar device* _S382 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S383 = _S380;
                        octet_floats_0(_S382, &_S383, o_3, &q_5);
                        scale_0 = _S379;
                    }
                    else
                    {
                        uchar device* _S384 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S385 = _S380;
                        octet_codes_0(_S384, &_S385, o_3, &q_5);
                        uchar device* _S386 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S387 = _S380;
                        float2 _S388 = octet_scale_0(_S386, &_S387, o_3);
                        scale_0 = _S388;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S338)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S338 != 1U)
                        {
                            _S339 = r_3 >= n_2;
                        }
                        else
                        {
                            _S339 = false;
                        }
                        if(_S339)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S389 = r_3 * 8U;
                        float _S390 = q_5[int(0)] * x_1[_S389];
                        float sum_21 = (*acc_1)[2U * _S338 + r_3];
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
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[2U * _S338 + r_3] = sum_18;
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
                    if(3U >= _S340)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_6;
                    float2 _S391 = float2(1.0, 0.0);
                    Planes_0 _S392 = of_0(rows_2, 3U);
                    bool _S393 = is_float_0();
                    if(_S393)
                    {
                        uchar device* _S394 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S395 = _S392;
                        octet_floats_0(_S394, &_S395, o_3, &q_6);
                        scale_0 = _S391;
                    }
                    else
                    {
                        uchar device* _S396 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S397 = _S392;
                        octet_codes_0(_S396, &_S397, o_3, &q_6);
                        uchar device* _S398 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S399 = _S392;
                        float2 _S400 = octet_scale_0(_S398, &_S399, o_3);
                        scale_0 = _S400;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S338)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S338 != 1U)
                        {
                            _S339 = r_3 >= n_2;
                        }
                        else
                        {
                            _S339 = false;
                        }
                        if(_S339)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S401 = r_3 * 8U;
                        float _S402 = q_6[int(0)] * x_1[_S401];
                        float sum_22 = (*acc_1)[3U * _S338 + r_3];
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
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[3U * _S338 + r_3] = sum_18;
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
                    if(4U >= _S340)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_7;
                    float2 _S403 = float2(1.0, 0.0);
                    Planes_0 _S404 = of_0(rows_2, 4U);
                    bool _S405 = is_float_0();
                    if(_S405)
                    {
                        uchar device* _S406 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S407 = _S404;
                        octet_floats_0(_S406, &_S407, o_3, &q_7);
                        scale_0 = _S403;
                    }
                    else
                    {
                        uchar device* _S408 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S409 = _S404;
                        octet_codes_0(_S408, &_S409, o_3, &q_7);
                        uchar device* _S410 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S411 = _S404;
                        float2 _S412 = octet_scale_0(_S410, &_S411, o_3);
                        scale_0 = _S412;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S338)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S338 != 1U)
                        {
                            _S339 = r_3 >= n_2;
                        }
                        else
                        {
                            _S339 = false;
                        }
                        if(_S339)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S413 = r_3 * 8U;
                        float _S414 = q_7[int(0)] * x_1[_S413];
                        float sum_23 = (*acc_1)[4U * _S338 + r_3];
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
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[4U * _S338 + r_3] = sum_18;
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
                    if(5U >= _S340)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_8;
                    float2 _S415 = float2(1.0, 0.0);
                    Planes_0 _S416 = of_0(rows_2, 5U);
                    bool _S417 = is_float_0();
                    if(_S417)
                    {
                        uchar device* _S418 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S419 = _S416;
                        octet_floats_0(_S418, &_S419, o_3, &q_8);
                        scale_0 = _S415;
                    }
                    else
                    {
                        uchar device* _S420 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S421 = _S416;
                        octet_codes_0(_S420, &_S421, o_3, &q_8);
                        uchar device* _S422 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S423 = _S416;
                        float2 _S424 = octet_scale_0(_S422, &_S423, o_3);
                        scale_0 = _S424;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S338)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S338 != 1U)
                        {
                            _S339 = r_3 >= n_2;
                        }
                        else
                        {
                            _S339 = false;
                        }
                        if(_S339)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S425 = r_3 * 8U;
                        float _S426 = q_8[int(0)] * x_1[_S425];
                        float sum_24 = (*acc_1)[5U * _S338 + r_3];
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
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[5U * _S338 + r_3] = sum_18;
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
                    if(6U >= _S340)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_9;
                    float2 _S427 = float2(1.0, 0.0);
                    Planes_0 _S428 = of_0(rows_2, 6U);
                    bool _S429 = is_float_0();
                    if(_S429)
                    {
                        uchar device* _S430 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S431 = _S428;
                        octet_floats_0(_S430, &_S431, o_3, &q_9);
                        scale_0 = _S427;
                    }
                    else
                    {
                        uchar device* _S432 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S433 = _S428;
                        octet_codes_0(_S432, &_S433, o_3, &q_9);
                        uchar device* _S434 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S435 = _S428;
                        float2 _S436 = octet_scale_0(_S434, &_S435, o_3);
                        scale_0 = _S436;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S338)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S338 != 1U)
                        {
                            _S339 = r_3 >= n_2;
                        }
                        else
                        {
                            _S339 = false;
                        }
                        if(_S339)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S437 = r_3 * 8U;
                        float _S438 = q_9[int(0)] * x_1[_S437];
                        float sum_25 = (*acc_1)[6U * _S338 + r_3];
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
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[6U * _S338 + r_3] = sum_18;
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
                    if(7U >= _S340)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_10;
                    float2 _S439 = float2(1.0, 0.0);
                    Planes_0 _S440 = of_0(rows_2, 7U);
                    bool _S441 = is_float_0();
                    if(_S441)
                    {
                        uchar device* _S442 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S443 = _S440;
                        octet_floats_0(_S442, &_S443, o_3, &q_10);
                        scale_0 = _S439;
                    }
                    else
                    {
                        uchar device* _S444 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S445 = _S440;
                        octet_codes_0(_S444, &_S445, o_3, &q_10);
                        uchar device* _S446 = kernelContext_4->args_0->w_0;
                        thread Planes_0 _S447 = _S440;
                        float2 _S448 = octet_scale_0(_S446, &_S447, o_3);
                        scale_0 = _S448;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S338)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S338 != 1U)
                        {
                            _S339 = r_3 >= n_2;
                        }
                        else
                        {
                            _S339 = false;
                        }
                        if(_S339)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S449 = r_3 * 8U;
                        float _S450 = q_10[int(0)] * x_1[_S449];
                        float sum_26 = (*acc_1)[7U * _S338 + r_3];
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
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[7U * _S338 + r_3] = sum_18;
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
    float v_12;
    uint row_1;
    uint column_0;
    bool mine_0;
};
Product_0 product_0(uint tile_1, uint side_1, uint t_2, KernelContext_0 thread* kernelContext_5)
{
    uint _S451;
    uint l_8;
    float sum_27;
    uint _S452 = inputs_0(kernelContext_5);
    uint _S453 = own_0();
    uint first_3 = side_1 * _S453;
    uint _S454 = min(_S453, _S452 - min(_S452, first_3));
    thread Eight_0 rows_at_0;
    Planes_0 _S455 = row_planes_0(weight_row_0(tile_1, side_1, 0U));
    (&rows_at_0)->first_0 = _S455;
    Planes_0 _S456 = row_planes_0(weight_row_0(tile_1, side_1, 1U));
    (&rows_at_0)->second_0 = _S456;
    Planes_0 _S457 = row_planes_0(weight_row_0(tile_1, side_1, 2U));
    (&rows_at_0)->third_0 = _S457;
    Planes_0 _S458 = row_planes_0(weight_row_0(tile_1, side_1, 3U));
    (&rows_at_0)->fourth_0 = _S458;
    (&rows_at_0)->eighth_0 = _S455;
    (&rows_at_0)->seventh_0 = _S455;
    (&rows_at_0)->sixth_0 = _S455;
    (&rows_at_0)->fifth_0 = _S455;
    uint _S459 = outputs_0();
    if(_S459 == 8U)
    {
        Planes_0 _S460 = row_planes_0(weight_row_0(tile_1, side_1, 4U));
        (&rows_at_0)->fifth_0 = _S460;
        Planes_0 _S461 = row_planes_0(weight_row_0(tile_1, side_1, 5U));
        (&rows_at_0)->sixth_0 = _S461;
        Planes_0 _S462 = row_planes_0(weight_row_0(tile_1, side_1, 6U));
        (&rows_at_0)->seventh_0 = _S462;
        Planes_0 _S463 = row_planes_0(weight_row_0(tile_1, side_1, 7U));
        (&rows_at_0)->eighth_0 = _S463;
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
        thread Eight_0 _S464 = rows_at_0;
        add_blocks_0(&_S464, first_3, _S454, t_2, &acc_2, kernelContext_5);
    }
    else
    {
        thread Eight_0 _S465 = rows_at_0;
        add_eights_0(&_S465, first_3, _S454, t_2, &acc_2, &squares_1, kernelContext_5);
    }
    for(;;)
    {
        for(;;)
        {
            for(;;)
            {
                uint _S466 = _S459 * _S453;
                _S451 = _S466;
                if(0U >= _S466)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(0U < _S466)
                {
                    (*kernelContext_5->partial_0)[t_2] = acc_2[0U];
                }
                if(1U < _S466)
                {
                    (*kernelContext_5->partial_0)[72U + t_2] = acc_2[1U];
                }
                if(2U < _S466)
                {
                    (*kernelContext_5->partial_0)[144U + t_2] = acc_2[2U];
                }
                if(3U < _S466)
                {
                    (*kernelContext_5->partial_0)[216U + t_2] = acc_2[3U];
                }
                if(4U < _S466)
                {
                    (*kernelContext_5->partial_0)[288U + t_2] = acc_2[4U];
                }
                if(5U < _S466)
                {
                    (*kernelContext_5->partial_0)[360U + t_2] = acc_2[5U];
                }
                if(6U < _S466)
                {
                    (*kernelContext_5->partial_0)[432U + t_2] = acc_2[6U];
                }
                if(7U < _S466)
                {
                    (*kernelContext_5->partial_0)[504U + t_2] = acc_2[7U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_10 = t_2 / 8U;
                if(s_10 < _S466)
                {
                    uint _S467 = s_10 * 72U;
                    uint _S468 = t_2 % 8U;
                    float _S469 = (*kernelContext_5->partial_0)[_S467 + _S468];
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
                        float _S470 = sum_27 + (*kernelContext_5->partial_0)[_S467 + l_8 * 8U + _S468];
                        l_8 = l_8 + 1U;
                        sum_27 = _S470;
                    }
                    (*kernelContext_5->eighths_0)[s_10 * 8U + _S468] = sum_27;
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
                    (*kernelContext_5->partial_0)[t_2] = acc_2[8U];
                }
                if(9U < _S451)
                {
                    (*kernelContext_5->partial_0)[72U + t_2] = acc_2[9U];
                }
                if(10U < _S451)
                {
                    (*kernelContext_5->partial_0)[144U + t_2] = acc_2[10U];
                }
                if(11U < _S451)
                {
                    (*kernelContext_5->partial_0)[216U + t_2] = acc_2[11U];
                }
                if(12U < _S451)
                {
                    (*kernelContext_5->partial_0)[288U + t_2] = acc_2[12U];
                }
                if(13U < _S451)
                {
                    (*kernelContext_5->partial_0)[360U + t_2] = acc_2[13U];
                }
                if(14U < _S451)
                {
                    (*kernelContext_5->partial_0)[432U + t_2] = acc_2[14U];
                }
                if(15U < _S451)
                {
                    (*kernelContext_5->partial_0)[504U + t_2] = acc_2[15U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_11 = t_2 / 8U;
                uint _S471 = 8U + s_11;
                if(_S471 < _S451)
                {
                    uint _S472 = s_11 * 72U;
                    uint _S473 = t_2 % 8U;
                    float _S474 = (*kernelContext_5->partial_0)[_S472 + _S473];
                    l_8 = 1U;
                    sum_27 = _S474;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S475 = sum_27 + (*kernelContext_5->partial_0)[_S472 + l_8 * 8U + _S473];
                        l_8 = l_8 + 1U;
                        sum_27 = _S475;
                    }
                    (*kernelContext_5->eighths_0)[_S471 * 8U + _S473] = sum_27;
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
                    (*kernelContext_5->partial_0)[t_2] = acc_2[16U];
                }
                if(17U < _S451)
                {
                    (*kernelContext_5->partial_0)[72U + t_2] = acc_2[17U];
                }
                if(18U < _S451)
                {
                    (*kernelContext_5->partial_0)[144U + t_2] = acc_2[18U];
                }
                if(19U < _S451)
                {
                    (*kernelContext_5->partial_0)[216U + t_2] = acc_2[19U];
                }
                if(20U < _S451)
                {
                    (*kernelContext_5->partial_0)[288U + t_2] = acc_2[20U];
                }
                if(21U < _S451)
                {
                    (*kernelContext_5->partial_0)[360U + t_2] = acc_2[21U];
                }
                if(22U < _S451)
                {
                    (*kernelContext_5->partial_0)[432U + t_2] = acc_2[22U];
                }
                if(23U < _S451)
                {
                    (*kernelContext_5->partial_0)[504U + t_2] = acc_2[23U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_12 = t_2 / 8U;
                uint _S476 = 16U + s_12;
                if(_S476 < _S451)
                {
                    uint _S477 = s_12 * 72U;
                    uint _S478 = t_2 % 8U;
                    float _S479 = (*kernelContext_5->partial_0)[_S477 + _S478];
                    l_8 = 1U;
                    sum_27 = _S479;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S480 = sum_27 + (*kernelContext_5->partial_0)[_S477 + l_8 * 8U + _S478];
                        l_8 = l_8 + 1U;
                        sum_27 = _S480;
                    }
                    (*kernelContext_5->eighths_0)[_S476 * 8U + _S478] = sum_27;
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
                    (*kernelContext_5->partial_0)[t_2] = acc_2[24U];
                }
                if(25U < _S451)
                {
                    (*kernelContext_5->partial_0)[72U + t_2] = acc_2[25U];
                }
                if(26U < _S451)
                {
                    (*kernelContext_5->partial_0)[144U + t_2] = acc_2[26U];
                }
                if(27U < _S451)
                {
                    (*kernelContext_5->partial_0)[216U + t_2] = acc_2[27U];
                }
                if(28U < _S451)
                {
                    (*kernelContext_5->partial_0)[288U + t_2] = acc_2[28U];
                }
                if(29U < _S451)
                {
                    (*kernelContext_5->partial_0)[360U + t_2] = acc_2[29U];
                }
                if(30U < _S451)
                {
                    (*kernelContext_5->partial_0)[432U + t_2] = acc_2[30U];
                }
                if(31U < _S451)
                {
                    (*kernelContext_5->partial_0)[504U + t_2] = acc_2[31U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_13 = t_2 / 8U;
                uint _S481 = 24U + s_13;
                if(_S481 < _S451)
                {
                    uint _S482 = s_13 * 72U;
                    uint _S483 = t_2 % 8U;
                    float _S484 = (*kernelContext_5->partial_0)[_S482 + _S483];
                    l_8 = 1U;
                    sum_27 = _S484;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S485 = sum_27 + (*kernelContext_5->partial_0)[_S482 + l_8 * 8U + _S483];
                        l_8 = l_8 + 1U;
                        sum_27 = _S485;
                    }
                    (*kernelContext_5->eighths_0)[_S481 * 8U + _S483] = sum_27;
                }
                break;
            }
            break;
        }
        break;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    thread Product_0 p_9;
    (&p_9)->v_12 = 0.0;
    uint _S486 = t_2 % _S453;
    (&p_9)->row_1 = first_3 + _S486;
    uint _S487 = tile_1 * _S459;
    uint _S488 = t_2 / _S453;
    (&p_9)->column_0 = _S487 + _S488;
    bool _S489 = t_2 < _S451;
    bool _S490;
    if(_S489)
    {
        _S490 = _S486 < _S454;
    }
    else
    {
        _S490 = false;
    }
    if(_S490)
    {
        _S490 = ((&p_9)->column_0) < C_N_0;
    }
    else
    {
        _S490 = false;
    }
    (&p_9)->mine_0 = _S490;
    if(_S489)
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
            (&p_9)->v_12 = (&p_9)->v_12 + (*kernelContext_5->eighths_0)[t_2 * 8U + l_8];
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
    bool _S491 = stopped_0(&kernelContext_6);
    if(_S491)
    {
        return;
    }
    uint tile_2 = group_0.x;
    for(;;)
    {
        uint _S492 = product_tiles_0();
        if(tile_2 < _S492)
        {
        }
        else
        {
            break;
        }
        Product_0 _S493 = product_0(tile_2, group_0.y, sv_groupindex_0, &kernelContext_6);
        if(_S493.mine_0)
        {
            *((float device*)((ulong)((&kernelContext_6)->args_0->out_0)) + (ulong(_S493.row_1) * ulong(C_OUT_STRIDE_0) + ulong(C_OUT_COL_0) + ulong(_S493.column_0))) = _S493.v_12;
        }
        uint _S494 = product_tiles_0();
        tile_2 = tile_2 + min(_S494, 65535U);
    }
    return;
}
