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
    bool _S3 = is_affine_0();
    uint _S4 = affine_bits_0();
    return select(select(4U, 2U, ((C_DTYPE_0 == 10U) | (C_DTYPE_0 == 11U)) | (_S3 & (_S4 < 4U))), 8U, ((signed_bytes_0()) | (C_DTYPE_0 == 3840U)) | (_S3 & (_S4 == 8U)));
}
uint high_bits_0()
{
    bool _S5 = is_affine_0();
    uint _S6 = affine_bits_0();
    return select(select(0U, 1U, ((((C_DTYPE_0 == 6U) | (C_DTYPE_0 == 7U)) | (C_DTYPE_0 == 13U)) | (C_DTYPE_0 == 11U)) | (_S5 & ((_S6 & 1U) != 0U))), 2U, (C_DTYPE_0 == 14U) | (_S5 & (_S6 == 6U)));
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
    ulong above_0 = ulong(C_N_0) * ulong(C_EXPERTS_0) * ulong(C_K_0) / 8UL * _S9;
    ulong _S10 = ulong(high_bits_0());
    ulong rest_0 = above_0 + ulong(C_N_0) * ulong(C_EXPERTS_0) * ulong(C_K_0) / 8UL * _S10;
    (&p_0)->low_0 = at_0 / 8UL * _S9;
    (&p_0)->high_0 = above_0 + at_0 / 8UL * _S10;
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
        ulong _S11 = at_0 / 8UL / ulong(blocks_of_pair_0());
        (&p_0)->scales_0 = rest_0 + _S11;
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
    uint _S12;
    if(act_0 == 0U)
    {
        _S12 = 4U * n_0;
    }
    else
    {
        if(act_0 == 6U)
        {
            _S12 = n_0 / 32U * 80U;
        }
        else
        {
            _S12 = 2U * n_0;
        }
    }
    return ulong(_S12);
}
ulong act_row_bytes_0(uint act_1, uint k_0)
{
    return (((act_bytes_0(act_1, k_0) + 63UL) / 64UL) | 1UL) * 64UL;
}
uint input_row_0(uint slot_1)
{
    uint _S13;
    if(C_INPUT_0 == 1U)
    {
        _S13 = slot_1;
    }
    else
    {
        uint _S14 = slot_1 / C_USED_0;
        _S13 = _S14;
    }
    return _S13;
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
void add_blocks_0(const Eight_0 thread* rows_1, uint first_1, uint n_1, uint t_0, array<float, int(32)> thread* acc_0, KernelContext_0 thread* kernelContext_3)
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
    uint _S59 = input_row_0(first_1);
    uchar device* _S60 = kernelContext_3->args_0->x_0 + ulong(_S59) * stride_0;
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
                    uint _S61 = outputs_0();
                    _S48 = _S61;
                    bool _S62 = 0U >= _S61;
                    _S49 = _S62;
                    if(_S62)
                    {
                        break;
                    }
                    uchar device* _S63 = kernelContext_3->args_0->w_0;
                    Planes_0 _S64 = of_0(rows_1, 0U);
                    thread Planes_0 _S65 = _S64;
                    thread array<uint, int(8)> words_0;
                    block_codes_0(_S63, &_S65, b_8, &words_0);
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
                        uchar device* _S66 = kernelContext_3->args_0->w_0;
                        uint _S67 = b_8 * 4U;
                        thread Planes_0 _S68 = _S64;
                        float2 _S69 = octet_scale_0(_S66, &_S68, _S67);
                        scales_1[0U] = _S69.x;
                        least_0[0U] = _S69.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S70 = kernelContext_3->args_0->w_0;
                                uint _S71 = _S67 + 2U;
                                thread Planes_0 _S72 = _S64;
                                float2 _S73 = octet_scale_0(_S70, &_S72, _S71);
                                scales_1[1U] = _S73.x;
                                least_0[1U] = _S73.y;
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
                    bool _S74 = 1U >= _S48;
                    _S50 = _S74;
                    if(_S74)
                    {
                        break;
                    }
                    uchar device* _S75 = kernelContext_3->args_0->w_0;
                    Planes_0 _S76 = of_0(rows_1, 1U);
                    thread Planes_0 _S77 = _S76;
                    thread array<uint, int(8)> words_1;
                    block_codes_0(_S75, &_S77, b_8, &words_1);
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
                        uchar device* _S78 = kernelContext_3->args_0->w_0;
                        uint _S79 = b_8 * 4U;
                        thread Planes_0 _S80 = _S76;
                        float2 _S81 = octet_scale_0(_S78, &_S80, _S79);
                        scales_1[2U] = _S81.x;
                        least_0[2U] = _S81.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S82 = kernelContext_3->args_0->w_0;
                                uint _S83 = _S79 + 2U;
                                thread Planes_0 _S84 = _S76;
                                float2 _S85 = octet_scale_0(_S82, &_S84, _S83);
                                scales_1[3U] = _S85.x;
                                least_0[3U] = _S85.y;
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
                    bool _S86 = 2U >= _S48;
                    _S51 = _S86;
                    if(_S86)
                    {
                        break;
                    }
                    uchar device* _S87 = kernelContext_3->args_0->w_0;
                    Planes_0 _S88 = of_0(rows_1, 2U);
                    thread Planes_0 _S89 = _S88;
                    thread array<uint, int(8)> words_2;
                    block_codes_0(_S87, &_S89, b_8, &words_2);
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
                        uchar device* _S90 = kernelContext_3->args_0->w_0;
                        uint _S91 = b_8 * 4U;
                        thread Planes_0 _S92 = _S88;
                        float2 _S93 = octet_scale_0(_S90, &_S92, _S91);
                        scales_1[4U] = _S93.x;
                        least_0[4U] = _S93.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S94 = kernelContext_3->args_0->w_0;
                                uint _S95 = _S91 + 2U;
                                thread Planes_0 _S96 = _S88;
                                float2 _S97 = octet_scale_0(_S94, &_S96, _S95);
                                scales_1[5U] = _S97.x;
                                least_0[5U] = _S97.y;
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
                    bool _S98 = 3U >= _S48;
                    _S52 = _S98;
                    if(_S98)
                    {
                        break;
                    }
                    uchar device* _S99 = kernelContext_3->args_0->w_0;
                    Planes_0 _S100 = of_0(rows_1, 3U);
                    thread Planes_0 _S101 = _S100;
                    thread array<uint, int(8)> words_3;
                    block_codes_0(_S99, &_S101, b_8, &words_3);
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
                        uchar device* _S102 = kernelContext_3->args_0->w_0;
                        uint _S103 = b_8 * 4U;
                        thread Planes_0 _S104 = _S100;
                        float2 _S105 = octet_scale_0(_S102, &_S104, _S103);
                        scales_1[6U] = _S105.x;
                        least_0[6U] = _S105.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S106 = kernelContext_3->args_0->w_0;
                                uint _S107 = _S103 + 2U;
                                thread Planes_0 _S108 = _S100;
                                float2 _S109 = octet_scale_0(_S106, &_S108, _S107);
                                scales_1[7U] = _S109.x;
                                least_0[7U] = _S109.y;
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
                    bool _S110 = 4U >= _S48;
                    _S53 = _S110;
                    if(_S110)
                    {
                        break;
                    }
                    uchar device* _S111 = kernelContext_3->args_0->w_0;
                    Planes_0 _S112 = of_0(rows_1, 4U);
                    thread Planes_0 _S113 = _S112;
                    thread array<uint, int(8)> words_4;
                    block_codes_0(_S111, &_S113, b_8, &words_4);
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
                        uchar device* _S114 = kernelContext_3->args_0->w_0;
                        uint _S115 = b_8 * 4U;
                        thread Planes_0 _S116 = _S112;
                        float2 _S117 = octet_scale_0(_S114, &_S116, _S115);
                        scales_1[8U] = _S117.x;
                        least_0[8U] = _S117.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S118 = kernelContext_3->args_0->w_0;
                                uint _S119 = _S115 + 2U;
                                thread Planes_0 _S120 = _S112;
                                float2 _S121 = octet_scale_0(_S118, &_S120, _S119);
                                scales_1[9U] = _S121.x;
                                least_0[9U] = _S121.y;
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
                    bool _S122 = 5U >= _S48;
                    _S54 = _S122;
                    if(_S122)
                    {
                        break;
                    }
                    uchar device* _S123 = kernelContext_3->args_0->w_0;
                    Planes_0 _S124 = of_0(rows_1, 5U);
                    thread Planes_0 _S125 = _S124;
                    thread array<uint, int(8)> words_5;
                    block_codes_0(_S123, &_S125, b_8, &words_5);
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
                        uchar device* _S126 = kernelContext_3->args_0->w_0;
                        uint _S127 = b_8 * 4U;
                        thread Planes_0 _S128 = _S124;
                        float2 _S129 = octet_scale_0(_S126, &_S128, _S127);
                        scales_1[10U] = _S129.x;
                        least_0[10U] = _S129.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S130 = kernelContext_3->args_0->w_0;
                                uint _S131 = _S127 + 2U;
                                thread Planes_0 _S132 = _S124;
                                float2 _S133 = octet_scale_0(_S130, &_S132, _S131);
                                scales_1[11U] = _S133.x;
                                least_0[11U] = _S133.y;
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
                    bool _S134 = 6U >= _S48;
                    _S55 = _S134;
                    if(_S134)
                    {
                        break;
                    }
                    uchar device* _S135 = kernelContext_3->args_0->w_0;
                    Planes_0 _S136 = of_0(rows_1, 6U);
                    thread Planes_0 _S137 = _S136;
                    thread array<uint, int(8)> words_6;
                    block_codes_0(_S135, &_S137, b_8, &words_6);
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
                        uchar device* _S138 = kernelContext_3->args_0->w_0;
                        uint _S139 = b_8 * 4U;
                        thread Planes_0 _S140 = _S136;
                        float2 _S141 = octet_scale_0(_S138, &_S140, _S139);
                        scales_1[12U] = _S141.x;
                        least_0[12U] = _S141.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S142 = kernelContext_3->args_0->w_0;
                                uint _S143 = _S139 + 2U;
                                thread Planes_0 _S144 = _S136;
                                float2 _S145 = octet_scale_0(_S142, &_S144, _S143);
                                scales_1[13U] = _S145.x;
                                least_0[13U] = _S145.y;
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
                    bool _S146 = 7U >= _S48;
                    _S56 = _S146;
                    if(_S146)
                    {
                        break;
                    }
                    uchar device* _S147 = kernelContext_3->args_0->w_0;
                    Planes_0 _S148 = of_0(rows_1, 7U);
                    thread Planes_0 _S149 = _S148;
                    thread array<uint, int(8)> words_7;
                    block_codes_0(_S147, &_S149, b_8, &words_7);
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
                        uchar device* _S150 = kernelContext_3->args_0->w_0;
                        uint _S151 = b_8 * 4U;
                        thread Planes_0 _S152 = _S148;
                        float2 _S153 = octet_scale_0(_S150, &_S152, _S151);
                        scales_1[14U] = _S153.x;
                        least_0[14U] = _S153.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S154 = kernelContext_3->args_0->w_0;
                                uint _S155 = _S151 + 2U;
                                thread Planes_0 _S156 = _S148;
                                float2 _S157 = octet_scale_0(_S154, &_S156, _S155);
                                scales_1[15U] = _S157.x;
                                least_0[15U] = _S157.y;
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
            uint _S158 = own_0();
            if(r_0 < _S158)
            {
            }
            else
            {
                break;
            }
            bool _S159;
            if(_S158 != 1U)
            {
                _S159 = r_0 >= n_1;
            }
            else
            {
                _S159 = false;
            }
            if(_S159)
            {
                r_0 = r_0 + 1U;
                continue;
            }
            uchar device* block_0 = _S60 + ulong(r_0) * stride_0 + b_8 * 80U;
            uint4 _S160 = uint4(*(packed_uint4 device*)((ulong)(block_0))) ;
            uint4 _S161 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(16)))) ;
            uint4 _S162 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(32)))) ;
            uint4 _S163 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(48)))) ;
            uint4 _S164 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(64)))) ;
            float _S165 = (as_type<float>((_S164.x)));
            int _S166 = (as_type<int>((_S164.y)));
            int _S167 = (as_type<int>((_S164.z)));
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
                        int h_0 = dot4_0(q_1[3U], _S160.w, dot4_0(q_1[2U], _S160.z, dot4_0(q_1[1U], _S160.y, dot4_0(q_1[0U], _S160.x, int(0)))));
                        int l_0 = dot4_0(q_1[3U], _S162.w, dot4_0(q_1[2U], _S162.z, dot4_0(q_1[1U], _S162.y, dot4_0(q_1[0U], _S162.x, int(0)))));
                        uint _S168 = q_1[7U];
                        uint _S169 = _S161.w;
                        uint _S170 = q_1[6U];
                        uint _S171 = _S161.z;
                        uint _S172 = q_1[5U];
                        uint _S173 = _S161.y;
                        uint _S174 = q_1[4U];
                        uint _S175 = _S161.x;
                        bool _S176 = parted_0();
                        if(_S176)
                        {
                            _S57 = int(0);
                        }
                        else
                        {
                            _S57 = h_0;
                        }
                        int h2_0 = dot4_0(_S168, _S169, dot4_0(_S170, _S171, dot4_0(_S172, _S173, dot4_0(_S174, _S175, _S57))));
                        uint _S177 = q_1[7U];
                        uint _S178 = _S163.w;
                        uint _S179 = q_1[6U];
                        uint _S180 = _S163.z;
                        uint _S181 = q_1[5U];
                        uint _S182 = _S163.y;
                        uint _S183 = q_1[4U];
                        uint _S184 = _S163.x;
                        if(_S176)
                        {
                            _S58 = int(0);
                        }
                        else
                        {
                            _S58 = l_0;
                        }
                        int l2_0 = dot4_0(_S177, _S178, dot4_0(_S179, _S180, dot4_0(_S181, _S182, dot4_0(_S183, _S184, _S58))));
                        float sum_1 = (*acc_0)[r_0];
                        if(_S176)
                        {
                            int _S185 = block_zero_0();
                            float v_1 = fma(scales_1[0U], float(h_0 * int(256) + l_0 - _S185 * _S166), scales_1[1U] * float(h2_0 * int(256) + l2_0 - _S185 * _S167));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[0U], float(_S166), fma(least_0[1U], float(_S167), v_1));
                            }
                            else
                            {
                                sum_0 = v_1;
                            }
                            sum_0 = fma(_S165, sum_0, sum_1);
                        }
                        else
                        {
                            float sum_2 = fma(scales_1[0U] * _S165, float(h2_0 * int(256) + l2_0 - block_zero_0() * (_S166 + _S167)), sum_1);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[0U], (as_type<float>((_S164.w))), sum_2);
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
                        if(_S50)
                        {
                            break;
                        }
                        int h_1 = dot4_0(q_1[11U], _S160.w, dot4_0(q_1[10U], _S160.z, dot4_0(q_1[9U], _S160.y, dot4_0(q_1[8U], _S160.x, int(0)))));
                        int l_1 = dot4_0(q_1[11U], _S162.w, dot4_0(q_1[10U], _S162.z, dot4_0(q_1[9U], _S162.y, dot4_0(q_1[8U], _S162.x, int(0)))));
                        uint _S186 = q_1[15U];
                        uint _S187 = _S161.w;
                        uint _S188 = q_1[14U];
                        uint _S189 = _S161.z;
                        uint _S190 = q_1[13U];
                        uint _S191 = _S161.y;
                        uint _S192 = q_1[12U];
                        uint _S193 = _S161.x;
                        bool _S194 = parted_0();
                        if(_S194)
                        {
                            _S57 = int(0);
                        }
                        else
                        {
                            _S57 = h_1;
                        }
                        int h2_1 = dot4_0(_S186, _S187, dot4_0(_S188, _S189, dot4_0(_S190, _S191, dot4_0(_S192, _S193, _S57))));
                        uint _S195 = q_1[15U];
                        uint _S196 = _S163.w;
                        uint _S197 = q_1[14U];
                        uint _S198 = _S163.z;
                        uint _S199 = q_1[13U];
                        uint _S200 = _S163.y;
                        uint _S201 = q_1[12U];
                        uint _S202 = _S163.x;
                        if(_S194)
                        {
                            _S58 = int(0);
                        }
                        else
                        {
                            _S58 = l_1;
                        }
                        int l2_1 = dot4_0(_S195, _S196, dot4_0(_S197, _S198, dot4_0(_S199, _S200, dot4_0(_S201, _S202, _S58))));
                        float sum_3 = (*acc_0)[_S158 + r_0];
                        if(_S194)
                        {
                            int _S203 = block_zero_0();
                            float v_2 = fma(scales_1[2U], float(h_1 * int(256) + l_1 - _S203 * _S166), scales_1[3U] * float(h2_1 * int(256) + l2_1 - _S203 * _S167));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[2U], float(_S166), fma(least_0[3U], float(_S167), v_2));
                            }
                            else
                            {
                                sum_0 = v_2;
                            }
                            sum_0 = fma(_S165, sum_0, sum_3);
                        }
                        else
                        {
                            float sum_4 = fma(scales_1[2U] * _S165, float(h2_1 * int(256) + l2_1 - block_zero_0() * (_S166 + _S167)), sum_3);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[2U], (as_type<float>((_S164.w))), sum_4);
                            }
                            else
                            {
                                sum_0 = sum_4;
                            }
                        }
                        (*acc_0)[_S158 + r_0] = sum_0;
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
                        int h_2 = dot4_0(q_1[19U], _S160.w, dot4_0(q_1[18U], _S160.z, dot4_0(q_1[17U], _S160.y, dot4_0(q_1[16U], _S160.x, int(0)))));
                        int l_2 = dot4_0(q_1[19U], _S162.w, dot4_0(q_1[18U], _S162.z, dot4_0(q_1[17U], _S162.y, dot4_0(q_1[16U], _S162.x, int(0)))));
                        uint _S204 = q_1[23U];
                        uint _S205 = _S161.w;
                        uint _S206 = q_1[22U];
                        uint _S207 = _S161.z;
                        uint _S208 = q_1[21U];
                        uint _S209 = _S161.y;
                        uint _S210 = q_1[20U];
                        uint _S211 = _S161.x;
                        bool _S212 = parted_0();
                        if(_S212)
                        {
                            _S57 = int(0);
                        }
                        else
                        {
                            _S57 = h_2;
                        }
                        int h2_2 = dot4_0(_S204, _S205, dot4_0(_S206, _S207, dot4_0(_S208, _S209, dot4_0(_S210, _S211, _S57))));
                        uint _S213 = q_1[23U];
                        uint _S214 = _S163.w;
                        uint _S215 = q_1[22U];
                        uint _S216 = _S163.z;
                        uint _S217 = q_1[21U];
                        uint _S218 = _S163.y;
                        uint _S219 = q_1[20U];
                        uint _S220 = _S163.x;
                        if(_S212)
                        {
                            _S58 = int(0);
                        }
                        else
                        {
                            _S58 = l_2;
                        }
                        int l2_2 = dot4_0(_S213, _S214, dot4_0(_S215, _S216, dot4_0(_S217, _S218, dot4_0(_S219, _S220, _S58))));
                        float sum_5 = (*acc_0)[2U * _S158 + r_0];
                        if(_S212)
                        {
                            int _S221 = block_zero_0();
                            float v_3 = fma(scales_1[4U], float(h_2 * int(256) + l_2 - _S221 * _S166), scales_1[5U] * float(h2_2 * int(256) + l2_2 - _S221 * _S167));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[4U], float(_S166), fma(least_0[5U], float(_S167), v_3));
                            }
                            else
                            {
                                sum_0 = v_3;
                            }
                            sum_0 = fma(_S165, sum_0, sum_5);
                        }
                        else
                        {
                            float sum_6 = fma(scales_1[4U] * _S165, float(h2_2 * int(256) + l2_2 - block_zero_0() * (_S166 + _S167)), sum_5);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[4U], (as_type<float>((_S164.w))), sum_6);
                            }
                            else
                            {
                                sum_0 = sum_6;
                            }
                        }
                        (*acc_0)[2U * _S158 + r_0] = sum_0;
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
                        int h_3 = dot4_0(q_1[27U], _S160.w, dot4_0(q_1[26U], _S160.z, dot4_0(q_1[25U], _S160.y, dot4_0(q_1[24U], _S160.x, int(0)))));
                        int l_3 = dot4_0(q_1[27U], _S162.w, dot4_0(q_1[26U], _S162.z, dot4_0(q_1[25U], _S162.y, dot4_0(q_1[24U], _S162.x, int(0)))));
                        uint _S222 = q_1[31U];
                        uint _S223 = _S161.w;
                        uint _S224 = q_1[30U];
                        uint _S225 = _S161.z;
                        uint _S226 = q_1[29U];
                        uint _S227 = _S161.y;
                        uint _S228 = q_1[28U];
                        uint _S229 = _S161.x;
                        bool _S230 = parted_0();
                        if(_S230)
                        {
                            _S57 = int(0);
                        }
                        else
                        {
                            _S57 = h_3;
                        }
                        int h2_3 = dot4_0(_S222, _S223, dot4_0(_S224, _S225, dot4_0(_S226, _S227, dot4_0(_S228, _S229, _S57))));
                        uint _S231 = q_1[31U];
                        uint _S232 = _S163.w;
                        uint _S233 = q_1[30U];
                        uint _S234 = _S163.z;
                        uint _S235 = q_1[29U];
                        uint _S236 = _S163.y;
                        uint _S237 = q_1[28U];
                        uint _S238 = _S163.x;
                        if(_S230)
                        {
                            _S58 = int(0);
                        }
                        else
                        {
                            _S58 = l_3;
                        }
                        int l2_3 = dot4_0(_S231, _S232, dot4_0(_S233, _S234, dot4_0(_S235, _S236, dot4_0(_S237, _S238, _S58))));
                        float sum_7 = (*acc_0)[3U * _S158 + r_0];
                        if(_S230)
                        {
                            int _S239 = block_zero_0();
                            float v_4 = fma(scales_1[6U], float(h_3 * int(256) + l_3 - _S239 * _S166), scales_1[7U] * float(h2_3 * int(256) + l2_3 - _S239 * _S167));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[6U], float(_S166), fma(least_0[7U], float(_S167), v_4));
                            }
                            else
                            {
                                sum_0 = v_4;
                            }
                            sum_0 = fma(_S165, sum_0, sum_7);
                        }
                        else
                        {
                            float sum_8 = fma(scales_1[6U] * _S165, float(h2_3 * int(256) + l2_3 - block_zero_0() * (_S166 + _S167)), sum_7);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[6U], (as_type<float>((_S164.w))), sum_8);
                            }
                            else
                            {
                                sum_0 = sum_8;
                            }
                        }
                        (*acc_0)[3U * _S158 + r_0] = sum_0;
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
                        int h_4 = dot4_0(q_1[35U], _S160.w, dot4_0(q_1[34U], _S160.z, dot4_0(q_1[33U], _S160.y, dot4_0(q_1[32U], _S160.x, int(0)))));
                        int l_4 = dot4_0(q_1[35U], _S162.w, dot4_0(q_1[34U], _S162.z, dot4_0(q_1[33U], _S162.y, dot4_0(q_1[32U], _S162.x, int(0)))));
                        uint _S240 = q_1[39U];
                        uint _S241 = _S161.w;
                        uint _S242 = q_1[38U];
                        uint _S243 = _S161.z;
                        uint _S244 = q_1[37U];
                        uint _S245 = _S161.y;
                        uint _S246 = q_1[36U];
                        uint _S247 = _S161.x;
                        bool _S248 = parted_0();
                        if(_S248)
                        {
                            _S57 = int(0);
                        }
                        else
                        {
                            _S57 = h_4;
                        }
                        int h2_4 = dot4_0(_S240, _S241, dot4_0(_S242, _S243, dot4_0(_S244, _S245, dot4_0(_S246, _S247, _S57))));
                        uint _S249 = q_1[39U];
                        uint _S250 = _S163.w;
                        uint _S251 = q_1[38U];
                        uint _S252 = _S163.z;
                        uint _S253 = q_1[37U];
                        uint _S254 = _S163.y;
                        uint _S255 = q_1[36U];
                        uint _S256 = _S163.x;
                        if(_S248)
                        {
                            _S58 = int(0);
                        }
                        else
                        {
                            _S58 = l_4;
                        }
                        int l2_4 = dot4_0(_S249, _S250, dot4_0(_S251, _S252, dot4_0(_S253, _S254, dot4_0(_S255, _S256, _S58))));
                        float sum_9 = (*acc_0)[4U * _S158 + r_0];
                        if(_S248)
                        {
                            int _S257 = block_zero_0();
                            float v_5 = fma(scales_1[8U], float(h_4 * int(256) + l_4 - _S257 * _S166), scales_1[9U] * float(h2_4 * int(256) + l2_4 - _S257 * _S167));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[8U], float(_S166), fma(least_0[9U], float(_S167), v_5));
                            }
                            else
                            {
                                sum_0 = v_5;
                            }
                            sum_0 = fma(_S165, sum_0, sum_9);
                        }
                        else
                        {
                            float sum_10 = fma(scales_1[8U] * _S165, float(h2_4 * int(256) + l2_4 - block_zero_0() * (_S166 + _S167)), sum_9);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[8U], (as_type<float>((_S164.w))), sum_10);
                            }
                            else
                            {
                                sum_0 = sum_10;
                            }
                        }
                        (*acc_0)[4U * _S158 + r_0] = sum_0;
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
                        int h_5 = dot4_0(q_1[43U], _S160.w, dot4_0(q_1[42U], _S160.z, dot4_0(q_1[41U], _S160.y, dot4_0(q_1[40U], _S160.x, int(0)))));
                        int l_5 = dot4_0(q_1[43U], _S162.w, dot4_0(q_1[42U], _S162.z, dot4_0(q_1[41U], _S162.y, dot4_0(q_1[40U], _S162.x, int(0)))));
                        uint _S258 = q_1[47U];
                        uint _S259 = _S161.w;
                        uint _S260 = q_1[46U];
                        uint _S261 = _S161.z;
                        uint _S262 = q_1[45U];
                        uint _S263 = _S161.y;
                        uint _S264 = q_1[44U];
                        uint _S265 = _S161.x;
                        bool _S266 = parted_0();
                        if(_S266)
                        {
                            _S57 = int(0);
                        }
                        else
                        {
                            _S57 = h_5;
                        }
                        int h2_5 = dot4_0(_S258, _S259, dot4_0(_S260, _S261, dot4_0(_S262, _S263, dot4_0(_S264, _S265, _S57))));
                        uint _S267 = q_1[47U];
                        uint _S268 = _S163.w;
                        uint _S269 = q_1[46U];
                        uint _S270 = _S163.z;
                        uint _S271 = q_1[45U];
                        uint _S272 = _S163.y;
                        uint _S273 = q_1[44U];
                        uint _S274 = _S163.x;
                        if(_S266)
                        {
                            _S58 = int(0);
                        }
                        else
                        {
                            _S58 = l_5;
                        }
                        int l2_5 = dot4_0(_S267, _S268, dot4_0(_S269, _S270, dot4_0(_S271, _S272, dot4_0(_S273, _S274, _S58))));
                        float sum_11 = (*acc_0)[5U * _S158 + r_0];
                        if(_S266)
                        {
                            int _S275 = block_zero_0();
                            float v_6 = fma(scales_1[10U], float(h_5 * int(256) + l_5 - _S275 * _S166), scales_1[11U] * float(h2_5 * int(256) + l2_5 - _S275 * _S167));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[10U], float(_S166), fma(least_0[11U], float(_S167), v_6));
                            }
                            else
                            {
                                sum_0 = v_6;
                            }
                            sum_0 = fma(_S165, sum_0, sum_11);
                        }
                        else
                        {
                            float sum_12 = fma(scales_1[10U] * _S165, float(h2_5 * int(256) + l2_5 - block_zero_0() * (_S166 + _S167)), sum_11);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[10U], (as_type<float>((_S164.w))), sum_12);
                            }
                            else
                            {
                                sum_0 = sum_12;
                            }
                        }
                        (*acc_0)[5U * _S158 + r_0] = sum_0;
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
                        int h_6 = dot4_0(q_1[51U], _S160.w, dot4_0(q_1[50U], _S160.z, dot4_0(q_1[49U], _S160.y, dot4_0(q_1[48U], _S160.x, int(0)))));
                        int l_6 = dot4_0(q_1[51U], _S162.w, dot4_0(q_1[50U], _S162.z, dot4_0(q_1[49U], _S162.y, dot4_0(q_1[48U], _S162.x, int(0)))));
                        uint _S276 = q_1[55U];
                        uint _S277 = _S161.w;
                        uint _S278 = q_1[54U];
                        uint _S279 = _S161.z;
                        uint _S280 = q_1[53U];
                        uint _S281 = _S161.y;
                        uint _S282 = q_1[52U];
                        uint _S283 = _S161.x;
                        bool _S284 = parted_0();
                        if(_S284)
                        {
                            _S57 = int(0);
                        }
                        else
                        {
                            _S57 = h_6;
                        }
                        int h2_6 = dot4_0(_S276, _S277, dot4_0(_S278, _S279, dot4_0(_S280, _S281, dot4_0(_S282, _S283, _S57))));
                        uint _S285 = q_1[55U];
                        uint _S286 = _S163.w;
                        uint _S287 = q_1[54U];
                        uint _S288 = _S163.z;
                        uint _S289 = q_1[53U];
                        uint _S290 = _S163.y;
                        uint _S291 = q_1[52U];
                        uint _S292 = _S163.x;
                        if(_S284)
                        {
                            _S58 = int(0);
                        }
                        else
                        {
                            _S58 = l_6;
                        }
                        int l2_6 = dot4_0(_S285, _S286, dot4_0(_S287, _S288, dot4_0(_S289, _S290, dot4_0(_S291, _S292, _S58))));
                        float sum_13 = (*acc_0)[6U * _S158 + r_0];
                        if(_S284)
                        {
                            int _S293 = block_zero_0();
                            float v_7 = fma(scales_1[12U], float(h_6 * int(256) + l_6 - _S293 * _S166), scales_1[13U] * float(h2_6 * int(256) + l2_6 - _S293 * _S167));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[12U], float(_S166), fma(least_0[13U], float(_S167), v_7));
                            }
                            else
                            {
                                sum_0 = v_7;
                            }
                            sum_0 = fma(_S165, sum_0, sum_13);
                        }
                        else
                        {
                            float sum_14 = fma(scales_1[12U] * _S165, float(h2_6 * int(256) + l2_6 - block_zero_0() * (_S166 + _S167)), sum_13);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[12U], (as_type<float>((_S164.w))), sum_14);
                            }
                            else
                            {
                                sum_0 = sum_14;
                            }
                        }
                        (*acc_0)[6U * _S158 + r_0] = sum_0;
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
                        int h_7 = dot4_0(q_1[59U], _S160.w, dot4_0(q_1[58U], _S160.z, dot4_0(q_1[57U], _S160.y, dot4_0(q_1[56U], _S160.x, int(0)))));
                        int l_7 = dot4_0(q_1[59U], _S162.w, dot4_0(q_1[58U], _S162.z, dot4_0(q_1[57U], _S162.y, dot4_0(q_1[56U], _S162.x, int(0)))));
                        uint _S294 = q_1[63U];
                        uint _S295 = _S161.w;
                        uint _S296 = q_1[62U];
                        uint _S297 = _S161.z;
                        uint _S298 = q_1[61U];
                        uint _S299 = _S161.y;
                        uint _S300 = q_1[60U];
                        uint _S301 = _S161.x;
                        bool _S302 = parted_0();
                        if(_S302)
                        {
                            _S57 = int(0);
                        }
                        else
                        {
                            _S57 = h_7;
                        }
                        int h2_7 = dot4_0(_S294, _S295, dot4_0(_S296, _S297, dot4_0(_S298, _S299, dot4_0(_S300, _S301, _S57))));
                        uint _S303 = q_1[63U];
                        uint _S304 = _S163.w;
                        uint _S305 = q_1[62U];
                        uint _S306 = _S163.z;
                        uint _S307 = q_1[61U];
                        uint _S308 = _S163.y;
                        uint _S309 = q_1[60U];
                        uint _S310 = _S163.x;
                        if(_S302)
                        {
                            _S58 = int(0);
                        }
                        else
                        {
                            _S58 = l_7;
                        }
                        int l2_7 = dot4_0(_S303, _S304, dot4_0(_S305, _S306, dot4_0(_S307, _S308, dot4_0(_S309, _S310, _S58))));
                        float sum_15 = (*acc_0)[7U * _S158 + r_0];
                        if(_S302)
                        {
                            int _S311 = block_zero_0();
                            float v_8 = fma(scales_1[14U], float(h_7 * int(256) + l_7 - _S311 * _S166), scales_1[15U] * float(h2_7 * int(256) + l2_7 - _S311 * _S167));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[14U], float(_S166), fma(least_0[15U], float(_S167), v_8));
                            }
                            else
                            {
                                sum_0 = v_8;
                            }
                            sum_0 = fma(_S165, sum_0, sum_15);
                        }
                        else
                        {
                            float sum_16 = fma(scales_1[14U] * _S165, float(h2_7 * int(256) + l2_7 - block_zero_0() * (_S166 + _S167)), sum_15);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[14U], (as_type<float>((_S164.w))), sum_16);
                            }
                            else
                            {
                                sum_0 = sum_16;
                            }
                        }
                        (*acc_0)[7U * _S158 + r_0] = sum_0;
                        break;
                    }
                    break;
                }
                break;
            }
            r_0 = r_0 + 1U;
        }
        b_8 = b_8 + 64U;
    }
    return;
}
float4 input_four_0(uint r_1, uint i_4, KernelContext_0 thread* kernelContext_4)
{
    uchar device* row_1 = kernelContext_4->args_0->x_0 + ulong(r_1) * act_row_bytes_0(C_ACT_0, C_K_0);
    if(C_ACT_0 == 0U)
    {
        return float4(*((packed_float4 device*)((ulong)(row_1)) + i_4)) ;
    }
    uint2 _S312 = uint2(*((packed_uint2 device*)((ulong)(row_1)) + i_4)) ;
    uint _S313 = _S312.x;
    uint _S314 = _S312.y;
    return float4(32.0)  * float4(f16_to_f32_0(_S313), f16_to_f32_0(_S313 >> 16U), f16_to_f32_0(_S314), f16_to_f32_0(_S314 >> 16U));
}
void octet_floats_0(uchar device* w_3, const Planes_0 thread* p_7, uint o_1, array<float, int(8)> thread* v_9)
{
    if(C_DTYPE_0 == 0U)
    {
        uchar device* _S315 = w_3 + p_7->low_0 + o_1 * 32U;
        float4 _S316 = float4(*(packed_float4 device*)((ulong)(_S315))) ;
        float4 _S317 = float4(*(packed_float4 device*)((ulong)(_S315 + int(16)))) ;
        (*v_9)[int(0)] = _S316.x;
        (*v_9)[int(1)] = _S316.y;
        (*v_9)[int(2)] = _S316.z;
        (*v_9)[int(3)] = _S316.w;
        (*v_9)[int(4)] = _S317.x;
        (*v_9)[int(5)] = _S317.y;
        (*v_9)[int(6)] = _S317.z;
        (*v_9)[int(7)] = _S317.w;
        return;
    }
    uint4 _S318 = uint4(*(packed_uint4 device*)((ulong)(w_3 + p_7->low_0 + o_1 * 16U))) ;
    uint _S319 = _S318.x;
    uint half_3 = (_S319 >> 0U) & 65535U;
    float _S320;
    if(C_DTYPE_0 == 1U)
    {
        _S320 = f16_to_f32_0(half_3);
    }
    else
    {
        _S320 = bf16_to_f32_0(half_3);
    }
    (*v_9)[0U] = _S320;
    uint half_4 = (_S319 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S320 = f16_to_f32_0(half_4);
    }
    else
    {
        _S320 = bf16_to_f32_0(half_4);
    }
    (*v_9)[1U] = _S320;
    uint _S321 = _S318.y;
    uint half_5 = (_S321 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S320 = f16_to_f32_0(half_5);
    }
    else
    {
        _S320 = bf16_to_f32_0(half_5);
    }
    (*v_9)[2U] = _S320;
    uint half_6 = (_S321 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S320 = f16_to_f32_0(half_6);
    }
    else
    {
        _S320 = bf16_to_f32_0(half_6);
    }
    (*v_9)[3U] = _S320;
    uint _S322 = _S318.z;
    uint half_7 = (_S322 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S320 = f16_to_f32_0(half_7);
    }
    else
    {
        _S320 = bf16_to_f32_0(half_7);
    }
    (*v_9)[4U] = _S320;
    uint half_8 = (_S322 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S320 = f16_to_f32_0(half_8);
    }
    else
    {
        _S320 = bf16_to_f32_0(half_8);
    }
    (*v_9)[5U] = _S320;
    uint _S323 = _S318.w;
    uint half_9 = (_S323 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S320 = f16_to_f32_0(half_9);
    }
    else
    {
        _S320 = bf16_to_f32_0(half_9);
    }
    (*v_9)[6U] = _S320;
    uint half_10 = (_S323 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S320 = f16_to_f32_0(half_10);
    }
    else
    {
        _S320 = bf16_to_f32_0(half_10);
    }
    (*v_9)[7U] = _S320;
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
    uint _S324 = low_bits_0();
    uint k_1;
    if(_S324 == 8U)
    {
        uint2 _S325 = (uint2(*(packed_uint2 device*)((ulong)(w_4 + p_8->low_0 + o_2 * 8U))) ) ^ (uint2(select(0U, 2155905152U, signed_bytes_0())) );
        uint _S326 = _S325.x;
        v_11[0U] = (_S326 >> 0U) & 255U;
        v_11[1U] = (_S326 >> 8U) & 255U;
        v_11[2U] = (_S326 >> 16U) & 255U;
        v_11[3U] = (_S326 >> 24U) & 255U;
        uint _S327 = _S325.y;
        v_11[4U] = (_S327 >> 0U) & 255U;
        v_11[5U] = (_S327 >> 8U) & 255U;
        v_11[6U] = (_S327 >> 16U) & 255U;
        v_11[7U] = (_S327 >> 24U) & 255U;
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
            uint _S328 = word_at_0(w_4 + p_8->low_0 + nibbles_of_0(b_10) + j_0 * 4U);
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
                uint _S329 = (four_of_table_0(_S328 >> (k_1 * 16U))) ^ 2155905152U;
                uint _S330 = k_1 * 4U;
                v_11[_S330] = (_S329 >> 0U) & 255U;
                v_11[_S330 + 1U] = (_S329 >> 8U) & 255U;
                v_11[_S330 + 2U] = (_S329 >> 16U) & 255U;
                v_11[_S330 + 3U] = (_S329 >> 24U) & 255U;
                k_1 = k_1 + 1U;
            }
        }
        else
        {
            if(_S324 == 4U)
            {
                uint2 _S331 = (uint2(*(packed_uint2 device*)((ulong)(w_4 + p_8->low_0 + nibbles_of_0(b_10) + j_0 % 2U * 8U))) ) >> (uint2((j_0 / 2U * 4U)) );
                uint _S332 = _S331.x;
                v_11[0U] = (_S332 >> 0U) & 15U;
                v_11[1U] = (_S332 >> 8U) & 15U;
                v_11[2U] = (_S332 >> 16U) & 15U;
                v_11[3U] = (_S332 >> 24U) & 15U;
                uint _S333 = _S331.y;
                v_11[4U] = (_S333 >> 0U) & 15U;
                v_11[5U] = (_S333 >> 8U) & 15U;
                v_11[6U] = (_S333 >> 16U) & 15U;
                v_11[7U] = (_S333 >> 24U) & 15U;
            }
            else
            {
                uint _S334 = word_at_0(w_4 + p_8->low_0 + b_10 * 8U + j_0 / 2U * 4U);
                uint _S335 = _S334 >> (j_0 % 2U * 4U);
                v_11[0U] = (_S335 >> 0U) & 3U;
                v_11[1U] = (_S335 >> 8U) & 3U;
                v_11[2U] = (_S335 >> 16U) & 3U;
                v_11[3U] = (_S335 >> 24U) & 3U;
                v_11[4U] = (_S335 >> 2U) & 3U;
                v_11[5U] = (_S335 >> 10U) & 3U;
                v_11[6U] = (_S335 >> 18U) & 3U;
                v_11[7U] = (_S335 >> 26U) & 3U;
            }
        }
    }
    uint _S336 = high_bits_0();
    if(_S336 == 2U)
    {
        uint _S337 = word_at_0(w_4 + p_8->high_0 + b_10 * 8U + j_0 / 2U * 4U);
        uint _S338 = _S337 >> (j_0 % 2U * 4U);
        v_11[0U] = (v_11[0U]) | (((_S338 >> 0U) & 3U) << _S324);
        v_11[1U] = (v_11[1U]) | (((_S338 >> 8U) & 3U) << _S324);
        v_11[2U] = (v_11[2U]) | (((_S338 >> 16U) & 3U) << _S324);
        v_11[3U] = (v_11[3U]) | (((_S338 >> 24U) & 3U) << _S324);
        v_11[4U] = (v_11[4U]) | (((_S338 >> 2U) & 3U) << _S324);
        v_11[5U] = (v_11[5U]) | (((_S338 >> 10U) & 3U) << _S324);
        v_11[6U] = (v_11[6U]) | (((_S338 >> 18U) & 3U) << _S324);
        v_11[7U] = (v_11[7U]) | (((_S338 >> 26U) & 3U) << _S324);
    }
    if(_S336 == 1U)
    {
        uint _S339 = word_at_0(w_4 + p_8->high_0 + b_10 * 4U);
        uint _S340 = _S339 >> (j_0 * 2U);
        v_11[0U] = (v_11[0U]) | (((_S340 >> 0U) & 1U) << _S324);
        v_11[1U] = (v_11[1U]) | (((_S340 >> 8U) & 1U) << _S324);
        v_11[2U] = (v_11[2U]) | (((_S340 >> 16U) & 1U) << _S324);
        v_11[3U] = (v_11[3U]) | (((_S340 >> 24U) & 1U) << _S324);
        v_11[4U] = (v_11[4U]) | (((_S340 >> 1U) & 1U) << _S324);
        v_11[5U] = (v_11[5U]) | (((_S340 >> 9U) & 1U) << _S324);
        v_11[6U] = (v_11[6U]) | (((_S340 >> 17U) & 1U) << _S324);
        v_11[7U] = (v_11[7U]) | (((_S340 >> 25U) & 1U) << _S324);
    }
    float _S341 = float(8388608U + zero_0());
    (*q_2)[0U] = (as_type<float>((1258291200U | v_11[0U]))) - _S341;
    (*q_2)[1U] = (as_type<float>((1258291200U | v_11[1U]))) - _S341;
    (*q_2)[2U] = (as_type<float>((1258291200U | v_11[2U]))) - _S341;
    (*q_2)[3U] = (as_type<float>((1258291200U | v_11[3U]))) - _S341;
    (*q_2)[4U] = (as_type<float>((1258291200U | v_11[4U]))) - _S341;
    (*q_2)[5U] = (as_type<float>((1258291200U | v_11[5U]))) - _S341;
    (*q_2)[6U] = (as_type<float>((1258291200U | v_11[6U]))) - _S341;
    (*q_2)[7U] = (as_type<float>((1258291200U | v_11[7U]))) - _S341;
    return;
}
void add_eights_0(const Eight_0 thread* rows_2, uint first_2, uint n_2, uint t_1, array<float, int(32)> thread* acc_1, array<float, int(8)> thread* squares_0, KernelContext_0 thread* kernelContext_5)
{
    uint _S342;
    bool _S343;
    uint _S344;
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
            uint _S345 = own_0();
            _S342 = _S345;
            if(r_3 < _S345)
            {
            }
            else
            {
                break;
            }
            if(_S345 != 1U)
            {
                _S343 = r_3 >= n_2;
            }
            else
            {
                _S343 = false;
            }
            if(_S343)
            {
                r_3 = r_3 + 1U;
                continue;
            }
            uint _S346 = first_2 + r_3;
            uint _S347 = input_row_0(_S346);
            uint _S348 = o_3 * 2U;
            float4 _S349 = input_four_0(_S347, _S348, kernelContext_5);
            uint _S350 = input_row_0(_S346);
            float4 _S351 = input_four_0(_S350, _S348 + 1U, kernelContext_5);
            uint to_0 = r_3 * 8U;
            float _S352 = _S349.x;
            x_1[to_0] = _S352;
            float _S353 = _S349.y;
            x_1[to_0 + 1U] = _S353;
            float _S354 = _S349.z;
            x_1[to_0 + 2U] = _S354;
            float _S355 = _S349.w;
            x_1[to_0 + 3U] = _S355;
            float _S356 = _S351.x;
            x_1[to_0 + 4U] = _S356;
            float _S357 = _S351.y;
            x_1[to_0 + 5U] = _S357;
            float _S358 = _S351.z;
            x_1[to_0 + 6U] = _S358;
            float _S359 = _S351.w;
            x_1[to_0 + 7U] = _S359;
            if(has_minimum_0())
            {
                whole_0[r_3] = _S352 + _S353 + (_S354 + _S355) + (_S356 + _S357 + (_S358 + _S359));
            }
            r_3 = r_3 + 1U;
        }
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    uint _S360 = outputs_0();
                    _S344 = _S360;
                    if(0U >= _S360)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_3;
                    float2 _S361 = float2(1.0, 0.0);
                    Planes_0 _S362 = of_0(rows_2, 0U);
                    bool _S363 = is_float_0();
                    if(_S363)
                    {
                        uchar device* _S364 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S365 = _S362;
                        octet_floats_0(_S364, &_S365, o_3, &q_3);
                        scale_0 = _S361;
                    }
                    else
                    {
                        uchar device* _S366 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S367 = _S362;
                        octet_codes_0(_S366, &_S367, o_3, &q_3);
                        uchar device* _S368 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S369 = _S362;
                        float2 _S370 = octet_scale_0(_S368, &_S369, o_3);
                        scale_0 = _S370;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S342)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S342 != 1U)
                        {
                            _S343 = r_2 >= n_2;
                        }
                        else
                        {
                            _S343 = false;
                        }
                        if(_S343)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S371 = r_2 * 8U;
                        float _S372 = q_3[int(0)] * x_1[_S371];
                        float sum_19 = (*acc_1)[r_2];
                        float s_2 = fma(q_3[7U], x_1[_S371 + 7U], fma(q_3[6U], x_1[_S371 + 6U], fma(q_3[5U], x_1[_S371 + 5U], fma(q_3[4U], x_1[_S371 + 4U], fma(q_3[3U], x_1[_S371 + 3U], fma(q_3[2U], x_1[_S371 + 2U], fma(q_3[1U], x_1[_S371 + 1U], _S372)))))));
                        if(_S363)
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
                    if(1U >= _S344)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_4;
                    float2 _S373 = float2(1.0, 0.0);
                    Planes_0 _S374 = of_0(rows_2, 1U);
                    bool _S375 = is_float_0();
                    if(_S375)
                    {
                        uchar device* _S376 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S377 = _S374;
                        octet_floats_0(_S376, &_S377, o_3, &q_4);
                        scale_0 = _S373;
                    }
                    else
                    {
                        uchar device* _S378 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S379 = _S374;
                        octet_codes_0(_S378, &_S379, o_3, &q_4);
                        uchar device* _S380 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S381 = _S374;
                        float2 _S382 = octet_scale_0(_S380, &_S381, o_3);
                        scale_0 = _S382;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S342)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S342 != 1U)
                        {
                            _S343 = r_2 >= n_2;
                        }
                        else
                        {
                            _S343 = false;
                        }
                        if(_S343)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S383 = r_2 * 8U;
                        float _S384 = q_4[int(0)] * x_1[_S383];
                        float sum_20 = (*acc_1)[_S342 + r_2];
                        float s_3 = fma(q_4[7U], x_1[_S383 + 7U], fma(q_4[6U], x_1[_S383 + 6U], fma(q_4[5U], x_1[_S383 + 5U], fma(q_4[4U], x_1[_S383 + 4U], fma(q_4[3U], x_1[_S383 + 3U], fma(q_4[2U], x_1[_S383 + 2U], fma(q_4[1U], x_1[_S383 + 1U], _S384)))))));
                        if(_S375)
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
                        (*acc_1)[_S342 + r_2] = sum_18;
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
                    if(2U >= _S344)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_5;
                    float2 _S385 = float2(1.0, 0.0);
                    Planes_0 _S386 = of_0(rows_2, 2U);
                    bool _S387 = is_float_0();
                    if(_S387)
                    {
                        uchar device* _S388 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S389 = _S386;
                        octet_floats_0(_S388, &_S389, o_3, &q_5);
                        scale_0 = _S385;
                    }
                    else
                    {
                        uchar device* _S390 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S391 = _S386;
                        octet_codes_0(_S390, &_S391, o_3, &q_5);
                        uchar device* _S392 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S393 = _S386;
                        float2 _S394 = octet_scale_0(_S392, &_S393, o_3);
                        scale_0 = _S394;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S342)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S342 != 1U)
                        {
                            _S343 = r_2 >= n_2;
                        }
                        else
                        {
                            _S343 = false;
                        }
                        if(_S343)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S395 = r_2 * 8U;
                        float _S396 = q_5[int(0)] * x_1[_S395];
                        float sum_21 = (*acc_1)[2U * _S342 + r_2];
                        float s_4 = fma(q_5[7U], x_1[_S395 + 7U], fma(q_5[6U], x_1[_S395 + 6U], fma(q_5[5U], x_1[_S395 + 5U], fma(q_5[4U], x_1[_S395 + 4U], fma(q_5[3U], x_1[_S395 + 3U], fma(q_5[2U], x_1[_S395 + 2U], fma(q_5[1U], x_1[_S395 + 1U], _S396)))))));
                        if(_S387)
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
                        (*acc_1)[2U * _S342 + r_2] = sum_18;
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
                    if(3U >= _S344)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_6;
                    float2 _S397 = float2(1.0, 0.0);
                    Planes_0 _S398 = of_0(rows_2, 3U);
                    bool _S399 = is_float_0();
                    if(_S399)
                    {
                        uchar device* _S400 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S401 = _S398;
                        octet_floats_0(_S400, &_S401, o_3, &q_6);
                        scale_0 = _S397;
                    }
                    else
                    {
                        uchar device* _S402 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S403 = _S398;
                        octet_codes_0(_S402, &_S403, o_3, &q_6);
                        uchar device* _S404 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S405 = _S398;
                        float2 _S406 = octet_scale_0(_S404, &_S405, o_3);
                        scale_0 = _S406;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S342)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S342 != 1U)
                        {
                            _S343 = r_2 >= n_2;
                        }
                        else
                        {
                            _S343 = false;
                        }
                        if(_S343)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S407 = r_2 * 8U;
                        float _S408 = q_6[int(0)] * x_1[_S407];
                        float sum_22 = (*acc_1)[3U * _S342 + r_2];
                        float s_5 = fma(q_6[7U], x_1[_S407 + 7U], fma(q_6[6U], x_1[_S407 + 6U], fma(q_6[5U], x_1[_S407 + 5U], fma(q_6[4U], x_1[_S407 + 4U], fma(q_6[3U], x_1[_S407 + 3U], fma(q_6[2U], x_1[_S407 + 2U], fma(q_6[1U], x_1[_S407 + 1U], _S408)))))));
                        if(_S399)
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
                        (*acc_1)[3U * _S342 + r_2] = sum_18;
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
                    if(4U >= _S344)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_7;
                    float2 _S409 = float2(1.0, 0.0);
                    Planes_0 _S410 = of_0(rows_2, 4U);
                    bool _S411 = is_float_0();
                    if(_S411)
                    {
                        uchar device* _S412 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S413 = _S410;
                        octet_floats_0(_S412, &_S413, o_3, &q_7);
                        scale_0 = _S409;
                    }
                    else
                    {
                        uchar device* _S414 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S415 = _S410;
                        octet_codes_0(_S414, &_S415, o_3, &q_7);
                        uchar device* _S416 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S417 = _S410;
                        float2 _S418 = octet_scale_0(_S416, &_S417, o_3);
                        scale_0 = _S418;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S342)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S342 != 1U)
                        {
                            _S343 = r_2 >= n_2;
                        }
                        else
                        {
                            _S343 = false;
                        }
                        if(_S343)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S419 = r_2 * 8U;
                        float _S420 = q_7[int(0)] * x_1[_S419];
                        float sum_23 = (*acc_1)[4U * _S342 + r_2];
                        float s_6 = fma(q_7[7U], x_1[_S419 + 7U], fma(q_7[6U], x_1[_S419 + 6U], fma(q_7[5U], x_1[_S419 + 5U], fma(q_7[4U], x_1[_S419 + 4U], fma(q_7[3U], x_1[_S419 + 3U], fma(q_7[2U], x_1[_S419 + 2U], fma(q_7[1U], x_1[_S419 + 1U], _S420)))))));
                        if(_S411)
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
                        (*acc_1)[4U * _S342 + r_2] = sum_18;
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
                    if(5U >= _S344)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_8;
                    float2 _S421 = float2(1.0, 0.0);
                    Planes_0 _S422 = of_0(rows_2, 5U);
                    bool _S423 = is_float_0();
                    if(_S423)
                    {
                        uchar device* _S424 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S425 = _S422;
                        octet_floats_0(_S424, &_S425, o_3, &q_8);
                        scale_0 = _S421;
                    }
                    else
                    {
                        uchar device* _S426 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S427 = _S422;
                        octet_codes_0(_S426, &_S427, o_3, &q_8);
                        uchar device* _S428 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S429 = _S422;
                        float2 _S430 = octet_scale_0(_S428, &_S429, o_3);
                        scale_0 = _S430;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S342)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S342 != 1U)
                        {
                            _S343 = r_2 >= n_2;
                        }
                        else
                        {
                            _S343 = false;
                        }
                        if(_S343)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S431 = r_2 * 8U;
                        float _S432 = q_8[int(0)] * x_1[_S431];
                        float sum_24 = (*acc_1)[5U * _S342 + r_2];
                        float s_7 = fma(q_8[7U], x_1[_S431 + 7U], fma(q_8[6U], x_1[_S431 + 6U], fma(q_8[5U], x_1[_S431 + 5U], fma(q_8[4U], x_1[_S431 + 4U], fma(q_8[3U], x_1[_S431 + 3U], fma(q_8[2U], x_1[_S431 + 2U], fma(q_8[1U], x_1[_S431 + 1U], _S432)))))));
                        if(_S423)
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
                        (*acc_1)[5U * _S342 + r_2] = sum_18;
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
                    if(6U >= _S344)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_9;
                    float2 _S433 = float2(1.0, 0.0);
                    Planes_0 _S434 = of_0(rows_2, 6U);
                    bool _S435 = is_float_0();
                    if(_S435)
                    {
                        uchar device* _S436 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S437 = _S434;
                        octet_floats_0(_S436, &_S437, o_3, &q_9);
                        scale_0 = _S433;
                    }
                    else
                    {
                        uchar device* _S438 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S439 = _S434;
                        octet_codes_0(_S438, &_S439, o_3, &q_9);
                        uchar device* _S440 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S441 = _S434;
                        float2 _S442 = octet_scale_0(_S440, &_S441, o_3);
                        scale_0 = _S442;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S342)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S342 != 1U)
                        {
                            _S343 = r_2 >= n_2;
                        }
                        else
                        {
                            _S343 = false;
                        }
                        if(_S343)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S443 = r_2 * 8U;
                        float _S444 = q_9[int(0)] * x_1[_S443];
                        float sum_25 = (*acc_1)[6U * _S342 + r_2];
                        float s_8 = fma(q_9[7U], x_1[_S443 + 7U], fma(q_9[6U], x_1[_S443 + 6U], fma(q_9[5U], x_1[_S443 + 5U], fma(q_9[4U], x_1[_S443 + 4U], fma(q_9[3U], x_1[_S443 + 3U], fma(q_9[2U], x_1[_S443 + 2U], fma(q_9[1U], x_1[_S443 + 1U], _S444)))))));
                        if(_S435)
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
                        (*acc_1)[6U * _S342 + r_2] = sum_18;
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
                    if(7U >= _S344)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_10;
                    float2 _S445 = float2(1.0, 0.0);
                    Planes_0 _S446 = of_0(rows_2, 7U);
                    bool _S447 = is_float_0();
                    if(_S447)
                    {
                        uchar device* _S448 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S449 = _S446;
                        octet_floats_0(_S448, &_S449, o_3, &q_10);
                        scale_0 = _S445;
                    }
                    else
                    {
                        uchar device* _S450 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S451 = _S446;
                        octet_codes_0(_S450, &_S451, o_3, &q_10);
                        uchar device* _S452 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S453 = _S446;
                        float2 _S454 = octet_scale_0(_S452, &_S453, o_3);
                        scale_0 = _S454;
                    }
                    r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S342)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S342 != 1U)
                        {
                            _S343 = r_2 >= n_2;
                        }
                        else
                        {
                            _S343 = false;
                        }
                        if(_S343)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S455 = r_2 * 8U;
                        float _S456 = q_10[int(0)] * x_1[_S455];
                        float sum_26 = (*acc_1)[7U * _S342 + r_2];
                        float s_9 = fma(q_10[7U], x_1[_S455 + 7U], fma(q_10[6U], x_1[_S455 + 6U], fma(q_10[5U], x_1[_S455 + 5U], fma(q_10[4U], x_1[_S455 + 4U], fma(q_10[3U], x_1[_S455 + 3U], fma(q_10[2U], x_1[_S455 + 2U], fma(q_10[1U], x_1[_S455 + 1U], _S456)))))));
                        if(_S447)
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
                        (*acc_1)[7U * _S342 + r_2] = sum_18;
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
    float v_12;
    uint row_2;
    uint column_0;
    bool mine_0;
};
Product_0 product_0(uint tile_1, uint side_0, uint t_2, KernelContext_0 thread* kernelContext_6)
{
    uint _S457;
    uint l_8;
    float sum_27;
    uint _S458 = inputs_0(kernelContext_6);
    uint _S459 = own_0();
    uint first_3 = side_0 * _S459;
    uint _S460 = min(_S459, _S458 - min(_S458, first_3));
    thread Eight_0 rows_at_0;
    uint _S461 = weight_row_0(tile_1, side_0, 0U, kernelContext_6);
    Planes_0 _S462 = row_planes_0(_S461);
    (&rows_at_0)->first_0 = _S462;
    uint _S463 = weight_row_0(tile_1, side_0, 1U, kernelContext_6);
    Planes_0 _S464 = row_planes_0(_S463);
    (&rows_at_0)->second_0 = _S464;
    uint _S465 = weight_row_0(tile_1, side_0, 2U, kernelContext_6);
    Planes_0 _S466 = row_planes_0(_S465);
    (&rows_at_0)->third_0 = _S466;
    uint _S467 = weight_row_0(tile_1, side_0, 3U, kernelContext_6);
    Planes_0 _S468 = row_planes_0(_S467);
    (&rows_at_0)->fourth_0 = _S468;
    (&rows_at_0)->eighth_0 = _S462;
    (&rows_at_0)->seventh_0 = _S462;
    (&rows_at_0)->sixth_0 = _S462;
    (&rows_at_0)->fifth_0 = _S462;
    uint _S469 = outputs_0();
    if(_S469 == 8U)
    {
        uint _S470 = weight_row_0(tile_1, side_0, 4U, kernelContext_6);
        Planes_0 _S471 = row_planes_0(_S470);
        (&rows_at_0)->fifth_0 = _S471;
        uint _S472 = weight_row_0(tile_1, side_0, 5U, kernelContext_6);
        Planes_0 _S473 = row_planes_0(_S472);
        (&rows_at_0)->sixth_0 = _S473;
        uint _S474 = weight_row_0(tile_1, side_0, 6U, kernelContext_6);
        Planes_0 _S475 = row_planes_0(_S474);
        (&rows_at_0)->seventh_0 = _S475;
        uint _S476 = weight_row_0(tile_1, side_0, 7U, kernelContext_6);
        Planes_0 _S477 = row_planes_0(_S476);
        (&rows_at_0)->eighth_0 = _S477;
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
        thread Eight_0 _S478 = rows_at_0;
        add_blocks_0(&_S478, first_3, _S460, t_2, &acc_2, kernelContext_6);
    }
    else
    {
        thread Eight_0 _S479 = rows_at_0;
        add_eights_0(&_S479, first_3, _S460, t_2, &acc_2, &squares_1, kernelContext_6);
    }
    for(;;)
    {
        for(;;)
        {
            for(;;)
            {
                uint _S480 = _S469 * _S459;
                _S457 = _S480;
                if(0U >= _S480)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(0U < _S480)
                {
                    (*kernelContext_6->partial_0)[t_2] = acc_2[0U];
                }
                if(1U < _S480)
                {
                    (*kernelContext_6->partial_0)[72U + t_2] = acc_2[1U];
                }
                if(2U < _S480)
                {
                    (*kernelContext_6->partial_0)[144U + t_2] = acc_2[2U];
                }
                if(3U < _S480)
                {
                    (*kernelContext_6->partial_0)[216U + t_2] = acc_2[3U];
                }
                if(4U < _S480)
                {
                    (*kernelContext_6->partial_0)[288U + t_2] = acc_2[4U];
                }
                if(5U < _S480)
                {
                    (*kernelContext_6->partial_0)[360U + t_2] = acc_2[5U];
                }
                if(6U < _S480)
                {
                    (*kernelContext_6->partial_0)[432U + t_2] = acc_2[6U];
                }
                if(7U < _S480)
                {
                    (*kernelContext_6->partial_0)[504U + t_2] = acc_2[7U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_10 = t_2 / 8U;
                if(s_10 < _S480)
                {
                    uint _S481 = s_10 * 72U;
                    uint _S482 = t_2 % 8U;
                    float _S483 = (*kernelContext_6->partial_0)[_S481 + _S482];
                    l_8 = 1U;
                    sum_27 = _S483;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S484 = sum_27 + (*kernelContext_6->partial_0)[_S481 + l_8 * 8U + _S482];
                        l_8 = l_8 + 1U;
                        sum_27 = _S484;
                    }
                    (*kernelContext_6->eighths_0)[s_10 * 8U + _S482] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(8U >= _S457)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(8U < _S457)
                {
                    (*kernelContext_6->partial_0)[t_2] = acc_2[8U];
                }
                if(9U < _S457)
                {
                    (*kernelContext_6->partial_0)[72U + t_2] = acc_2[9U];
                }
                if(10U < _S457)
                {
                    (*kernelContext_6->partial_0)[144U + t_2] = acc_2[10U];
                }
                if(11U < _S457)
                {
                    (*kernelContext_6->partial_0)[216U + t_2] = acc_2[11U];
                }
                if(12U < _S457)
                {
                    (*kernelContext_6->partial_0)[288U + t_2] = acc_2[12U];
                }
                if(13U < _S457)
                {
                    (*kernelContext_6->partial_0)[360U + t_2] = acc_2[13U];
                }
                if(14U < _S457)
                {
                    (*kernelContext_6->partial_0)[432U + t_2] = acc_2[14U];
                }
                if(15U < _S457)
                {
                    (*kernelContext_6->partial_0)[504U + t_2] = acc_2[15U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_11 = t_2 / 8U;
                uint _S485 = 8U + s_11;
                if(_S485 < _S457)
                {
                    uint _S486 = s_11 * 72U;
                    uint _S487 = t_2 % 8U;
                    float _S488 = (*kernelContext_6->partial_0)[_S486 + _S487];
                    l_8 = 1U;
                    sum_27 = _S488;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S489 = sum_27 + (*kernelContext_6->partial_0)[_S486 + l_8 * 8U + _S487];
                        l_8 = l_8 + 1U;
                        sum_27 = _S489;
                    }
                    (*kernelContext_6->eighths_0)[_S485 * 8U + _S487] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(16U >= _S457)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(16U < _S457)
                {
                    (*kernelContext_6->partial_0)[t_2] = acc_2[16U];
                }
                if(17U < _S457)
                {
                    (*kernelContext_6->partial_0)[72U + t_2] = acc_2[17U];
                }
                if(18U < _S457)
                {
                    (*kernelContext_6->partial_0)[144U + t_2] = acc_2[18U];
                }
                if(19U < _S457)
                {
                    (*kernelContext_6->partial_0)[216U + t_2] = acc_2[19U];
                }
                if(20U < _S457)
                {
                    (*kernelContext_6->partial_0)[288U + t_2] = acc_2[20U];
                }
                if(21U < _S457)
                {
                    (*kernelContext_6->partial_0)[360U + t_2] = acc_2[21U];
                }
                if(22U < _S457)
                {
                    (*kernelContext_6->partial_0)[432U + t_2] = acc_2[22U];
                }
                if(23U < _S457)
                {
                    (*kernelContext_6->partial_0)[504U + t_2] = acc_2[23U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_12 = t_2 / 8U;
                uint _S490 = 16U + s_12;
                if(_S490 < _S457)
                {
                    uint _S491 = s_12 * 72U;
                    uint _S492 = t_2 % 8U;
                    float _S493 = (*kernelContext_6->partial_0)[_S491 + _S492];
                    l_8 = 1U;
                    sum_27 = _S493;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S494 = sum_27 + (*kernelContext_6->partial_0)[_S491 + l_8 * 8U + _S492];
                        l_8 = l_8 + 1U;
                        sum_27 = _S494;
                    }
                    (*kernelContext_6->eighths_0)[_S490 * 8U + _S492] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(24U >= _S457)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(24U < _S457)
                {
                    (*kernelContext_6->partial_0)[t_2] = acc_2[24U];
                }
                if(25U < _S457)
                {
                    (*kernelContext_6->partial_0)[72U + t_2] = acc_2[25U];
                }
                if(26U < _S457)
                {
                    (*kernelContext_6->partial_0)[144U + t_2] = acc_2[26U];
                }
                if(27U < _S457)
                {
                    (*kernelContext_6->partial_0)[216U + t_2] = acc_2[27U];
                }
                if(28U < _S457)
                {
                    (*kernelContext_6->partial_0)[288U + t_2] = acc_2[28U];
                }
                if(29U < _S457)
                {
                    (*kernelContext_6->partial_0)[360U + t_2] = acc_2[29U];
                }
                if(30U < _S457)
                {
                    (*kernelContext_6->partial_0)[432U + t_2] = acc_2[30U];
                }
                if(31U < _S457)
                {
                    (*kernelContext_6->partial_0)[504U + t_2] = acc_2[31U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_13 = t_2 / 8U;
                uint _S495 = 24U + s_13;
                if(_S495 < _S457)
                {
                    uint _S496 = s_13 * 72U;
                    uint _S497 = t_2 % 8U;
                    float _S498 = (*kernelContext_6->partial_0)[_S496 + _S497];
                    l_8 = 1U;
                    sum_27 = _S498;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S499 = sum_27 + (*kernelContext_6->partial_0)[_S496 + l_8 * 8U + _S497];
                        l_8 = l_8 + 1U;
                        sum_27 = _S499;
                    }
                    (*kernelContext_6->eighths_0)[_S495 * 8U + _S497] = sum_27;
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
    uint _S500 = t_2 % _S459;
    (&p_9)->row_2 = first_3 + _S500;
    uint _S501 = tile_1 * _S469;
    uint _S502 = t_2 / _S459;
    (&p_9)->column_0 = _S501 + _S502;
    bool _S503 = t_2 < _S457;
    bool _S504;
    if(_S503)
    {
        _S504 = _S500 < _S460;
    }
    else
    {
        _S504 = false;
    }
    if(_S504)
    {
        _S504 = ((&p_9)->column_0) < C_N_0;
    }
    else
    {
        _S504 = false;
    }
    (&p_9)->mine_0 = _S504;
    if(_S503)
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
            (&p_9)->v_12 = (&p_9)->v_12 + (*kernelContext_6->eighths_0)[t_2 * 8U + l_8];
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
    bool _S505 = stopped_0(&kernelContext_7);
    bool _S506;
    if(_S505)
    {
        _S506 = true;
    }
    else
    {
        uint _S507 = group_0.y;
        uint _S508 = inputs_0(&kernelContext_7);
        _S506 = _S507 >= _S508;
    }
    if(_S506)
    {
        return;
    }
    uint tile_2 = group_0.x;
    for(;;)
    {
        uint _S509 = product_tiles_0();
        if(tile_2 < _S509)
        {
        }
        else
        {
            break;
        }
        Product_0 _S510 = product_0(tile_2, group_0.y, sv_groupindex_0, &kernelContext_7);
        if(_S510.mine_0)
        {
            *((float device*)((ulong)((&kernelContext_7)->args_0->out_0)) + (ulong(_S510.row_2) * ulong(C_OUT_STRIDE_0) + ulong(C_OUT_COL_0) + ulong(_S510.column_0))) = _S510.v_12;
        }
        uint _S511 = product_tiles_0();
        tile_2 = tile_2 + min(_S511, 65535U);
    }
    return;
}
