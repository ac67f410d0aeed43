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
    bool _S6 = is_affine_0();
    uint _S7 = affine_bits_0();
    return select(select(4U, 2U, ((C_DTYPE_0 == 10U) | (C_DTYPE_0 == 11U)) | (_S6 & (_S7 < 4U))), 8U, ((signed_bytes_0()) | (C_DTYPE_0 == 3840U)) | (_S6 & (_S7 == 8U)));
}
uint high_bits_0()
{
    bool _S8 = is_affine_0();
    uint _S9 = affine_bits_0();
    return select(select(0U, 1U, ((((C_DTYPE_0 == 6U) | (C_DTYPE_0 == 7U)) | (C_DTYPE_0 == 13U)) | (C_DTYPE_0 == 11U)) | (_S8 & ((_S9 & 1U) != 0U))), 2U, (C_DTYPE_0 == 14U) | (_S8 & (_S9 == 6U)));
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
        ulong _S14 = at_0 / 8UL / ulong(blocks_of_pair_0());
        (&p_0)->scales_0 = rest_0 + _S14;
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
    uint _S16;
    if((kernelContext_3->args_0->step_0->heads_at_0) == 0U)
    {
        _S16 = kernelContext_3->args_0->step_0->rows_0 - kernelContext_3->args_0->step_0->head_rows_0 + i_1;
    }
    else
    {
        Head_0 device* _S17 = step_heads_0(kernelContext_3);
        _S16 = (_S17 + i_1)->row_1;
    }
    return _S16;
}
uint input_row_0(uint r_0, KernelContext_0 thread* kernelContext_4)
{
    bool _S18;
    if(C_SELECT_0 != 0U)
    {
        _S18 = r_0 < (kernelContext_4->args_0->step_0->head_rows_0);
    }
    else
    {
        _S18 = false;
    }
    uint _S19;
    if(_S18)
    {
        uint _S20 = step_head_row_0(r_0, kernelContext_4);
        _S19 = _S20;
    }
    else
    {
        _S19 = r_0;
    }
    return _S19;
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
    Planes_0 _S21;
    if(i_2 == 0U)
    {
        _S21 = at_1->first_0;
    }
    else
    {
        if(i_2 == 1U)
        {
            _S21 = at_1->second_0;
        }
        else
        {
            if(i_2 == 2U)
            {
                _S21 = at_1->third_0;
            }
            else
            {
                if(i_2 == 3U)
                {
                    _S21 = at_1->fourth_0;
                }
                else
                {
                    if(i_2 == 4U)
                    {
                        _S21 = at_1->fifth_0;
                    }
                    else
                    {
                        if(i_2 == 5U)
                        {
                            _S21 = at_1->sixth_0;
                        }
                        else
                        {
                            if(i_2 == 6U)
                            {
                                _S21 = at_1->seventh_0;
                            }
                            else
                            {
                                _S21 = at_1->eighth_0;
                            }
                        }
                    }
                }
            }
        }
    }
    return _S21;
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
uint table_word_0(uint i_3)
{
    bool _S22 = i_3 < 2U;
    bool _S23 = i_3 == 0U;
    bool _S24 = i_3 == 2U;
    return select(select(select(4109957884U, 4261347072U, _S24), select(201852420U, 50462976U, _S23), _S22), select(select(1901675829U, 639175937U, _S24), select(4142587343U, 3215825025U, _S23), _S22), is_iq4_0());
}
uint chosen_0(uint a_0, uint b_1, uint mask_0)
{
    return a_0 ^ ((a_0 ^ b_1) & mask_0);
}
uint four_of_table_0(uint nibbles_0)
{
    uint pairs_0 = ((nibbles_0 & 65535U) | (nibbles_0 << 8U)) & 16711935U;
    uint places_0 = (pairs_0 | (pairs_0 << 4U)) & 252645135U;
    uint _S25 = (places_0 & 16843009U) * 255U;
    uint _S26 = ((places_0 >> 1U) & 16843009U) * 255U;
    uint third_1 = ((places_0 >> 2U) & 16843009U) * 255U;
    uint fourth_1 = ((places_0 >> 3U) & 16843009U) * 255U;
    thread array<uint, int(4)> v_0;
    uint i_4 = 0U;
    for(;;)
    {
        if(i_4 < 4U)
        {
        }
        else
        {
            break;
        }
        uint word_0 = table_word_0(i_4);
        v_0[i_4] = chosen_0(chosen_0((word_0 & 255U) * 16843009U, ((word_0 >> 8U) & 255U) * 16843009U, _S25), chosen_0(((word_0 >> 16U) & 255U) * 16843009U, (word_0 >> 24U) * 16843009U, _S25), _S26);
        i_4 = i_4 + 1U;
    }
    return chosen_0(chosen_0(v_0[int(0)], v_0[int(1)], third_1), chosen_0(v_0[int(2)], v_0[int(3)], third_1), fourth_1);
}
uint word_at_0(uchar device* p_1)
{
    return *(uint device*)((ulong)(p_1));
}
void block_codes_0(uchar device* w_1, const Planes_0 thread* p_2, uint b_2, array<uint, int(8)> thread* q_0)
{
    uint _S27 = low_bits_0();
    if(_S27 == 8U)
    {
        uchar device* _S28 = w_1 + p_2->low_0 + b_2 * 32U;
        uint4 _S29 = uint4(select(0U, 2155905152U, is_affine_0())) ;
        uint4 left_0 = (uint4(*(packed_uint4 device*)((ulong)(_S28))) ) ^ _S29;
        uint4 right_0 = (uint4(*(packed_uint4 device*)((ulong)(_S28 + int(16)))) ) ^ _S29;
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
                uint2 _S30 = uint2(*(packed_uint2 device*)((ulong)(w_1 + p_2->low_0 + nibbles_of_0(b_2) + half_0 * 8U))) ;
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
                    uint _S31;
                    if(m_0 < 2U)
                    {
                        _S31 = _S30.x;
                    }
                    else
                    {
                        _S31 = _S30.y;
                    }
                    (*q_0)[half_0 * 4U + m_0] = four_of_table_0(_S31 >> (m_0 % 2U * 16U));
                    m_0 = m_0 + 1U;
                }
                half_0 = half_0 + 1U;
            }
        }
        else
        {
            if(_S27 == 4U)
            {
                uint4 _S32 = uint4(*(packed_uint4 device*)((ulong)(w_1 + p_2->low_0 + nibbles_of_0(b_2)))) ;
                uint _S33 = _S32.x;
                (*q_0)[int(0)] = _S33 & 252645135U;
                uint _S34 = _S32.y;
                (*q_0)[int(1)] = _S34 & 252645135U;
                uint _S35 = _S32.z;
                (*q_0)[int(2)] = _S35 & 252645135U;
                uint _S36 = _S32.w;
                (*q_0)[int(3)] = _S36 & 252645135U;
                (*q_0)[int(4)] = (_S33 >> 4U) & 252645135U;
                (*q_0)[int(5)] = (_S34 >> 4U) & 252645135U;
                (*q_0)[int(6)] = (_S35 >> 4U) & 252645135U;
                (*q_0)[int(7)] = (_S36 >> 4U) & 252645135U;
            }
            else
            {
                uint2 _S37 = uint2(*(packed_uint2 device*)((ulong)(w_1 + p_2->low_0 + b_2 * 8U))) ;
                uint _S38 = _S37.x;
                (*q_0)[0U] = (_S38 >> 0U) & 50529027U;
                (*q_0)[1U] = (_S38 >> 2U) & 50529027U;
                (*q_0)[2U] = (_S38 >> 4U) & 50529027U;
                (*q_0)[3U] = (_S38 >> 6U) & 50529027U;
                uint _S39 = _S37.y;
                (*q_0)[4U] = (_S39 >> 0U) & 50529027U;
                (*q_0)[5U] = (_S39 >> 2U) & 50529027U;
                (*q_0)[6U] = (_S39 >> 4U) & 50529027U;
                (*q_0)[7U] = (_S39 >> 6U) & 50529027U;
            }
        }
    }
    uint _S40 = high_bits_0();
    if(_S40 == 2U)
    {
        uint2 _S41 = uint2(*(packed_uint2 device*)((ulong)(w_1 + p_2->high_0 + b_2 * 8U))) ;
        uint _S42 = _S41.x;
        (*q_0)[0U] = ((*q_0)[0U]) | (((_S42 >> 0U) & 50529027U) << _S27);
        (*q_0)[1U] = ((*q_0)[1U]) | (((_S42 >> 2U) & 50529027U) << _S27);
        (*q_0)[2U] = ((*q_0)[2U]) | (((_S42 >> 4U) & 50529027U) << _S27);
        (*q_0)[3U] = ((*q_0)[3U]) | (((_S42 >> 6U) & 50529027U) << _S27);
        uint _S43 = _S41.y;
        (*q_0)[4U] = ((*q_0)[4U]) | (((_S43 >> 0U) & 50529027U) << _S27);
        (*q_0)[5U] = ((*q_0)[5U]) | (((_S43 >> 2U) & 50529027U) << _S27);
        (*q_0)[6U] = ((*q_0)[6U]) | (((_S43 >> 4U) & 50529027U) << _S27);
        (*q_0)[7U] = ((*q_0)[7U]) | (((_S43 >> 6U) & 50529027U) << _S27);
    }
    if(_S40 == 1U)
    {
        uint _S44 = word_at_0(w_1 + p_2->high_0 + b_2 * 4U);
        (*q_0)[0U] = ((*q_0)[0U]) | (((_S44 >> 0U) & 16843009U) << _S27);
        (*q_0)[1U] = ((*q_0)[1U]) | (((_S44 >> 1U) & 16843009U) << _S27);
        (*q_0)[2U] = ((*q_0)[2U]) | (((_S44 >> 2U) & 16843009U) << _S27);
        (*q_0)[3U] = ((*q_0)[3U]) | (((_S44 >> 3U) & 16843009U) << _S27);
        (*q_0)[4U] = ((*q_0)[4U]) | (((_S44 >> 4U) & 16843009U) << _S27);
        (*q_0)[5U] = ((*q_0)[5U]) | (((_S44 >> 5U) & 16843009U) << _S27);
        (*q_0)[6U] = ((*q_0)[6U]) | (((_S44 >> 6U) & 16843009U) << _S27);
        (*q_0)[7U] = ((*q_0)[7U]) | (((_S44 >> 7U) & 16843009U) << _S27);
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
    uint _S45 = half_at_0(p_5);
    return f16_to_f32_0(_S45);
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
        uchar device* _S46 = w_2 + p_6->scales_0;
        uint _S47 = b_6 / blocks_of_pair_0();
        uint both_0 = word_at_0(_S46 + _S47 * 4U);
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
        ulong _S48 = p_6->super_0;
        uint _S49 = super_1 * 8U;
        uint head_0 = word_at_0(w_2 + p_6->super_0 + _S49);
        return float2(f16_to_f32_0(head_0) * float(int(((uint(*(w_2 + (_S48 + ulong(_S49) + 4UL + ulong(c_1 / 2U)))) >> (c_1 % 2U * 4U)) & 15U) | (((head_0 >> (16U + c_1 * 2U)) & 3U) << 4U)) - int(32)), 0.0);
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
        uint _S50 = six_bits_0(w_2 + p_6->scales_0 + super_1 * 12U, o_0 / 2U % 16U);
        int s_1 = int(_S50) - int(32);
        float _S51 = scale_at_0(w_2 + p_6->super_0 + super_1 * 2U);
        return float2(_S51 * float(s_1), 0.0);
    }
    if(C_DTYPE_0 == 14U)
    {
        float _S52 = scale_at_0(w_2 + p_6->super_0 + super_1 * 2U);
        return float2(_S52 * float(signed_byte_0(*(w_2 + (p_6->scales_0 + ulong(o_0 / 2U))))), 0.0);
    }
    float _S53 = scale_at_0(w_2 + p_6->scales_0 + b_6 * 2U);
    return float2(_S53, 0.0);
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
void add_blocks_0(const Eight_0 thread* rows_1, uint first_1, uint n_1, uint t_0, array<float, int(32)> thread* acc_0, KernelContext_0 thread* kernelContext_5)
{
    uint _S54;
    bool _S55;
    bool _S56;
    bool _S57;
    bool _S58;
    bool _S59;
    bool _S60;
    bool _S61;
    bool _S62;
    int _S63;
    int _S64;
    float sum_0;
    ulong stride_0 = act_row_bytes_0(6U, C_K_0);
    uchar device* _S65 = kernelContext_5->args_0->x_0;
    uint _S66 = input_row_0(first_1, kernelContext_5);
    uchar device* _S67 = _S65 + ulong(_S66) * stride_0;
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
                    uint _S68 = outputs_0();
                    _S54 = _S68;
                    bool _S69 = 0U >= _S68;
                    _S55 = _S69;
                    if(_S69)
                    {
                        break;
                    }
                    uchar device* _S70 = kernelContext_5->args_0->w_0;
                    Planes_0 _S71 = of_0(rows_1, 0U);
                    thread Planes_0 _S72 = _S71;
                    thread array<uint, int(8)> words_0;
                    block_codes_0(_S70, &_S72, b_8, &words_0);
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
                        uchar device* _S73 = kernelContext_5->args_0->w_0;
                        uint _S74 = b_8 * 4U;
                        thread Planes_0 _S75 = _S71;
                        float2 _S76 = octet_scale_0(_S73, &_S75, _S74);
                        scales_1[0U] = _S76.x;
                        least_0[0U] = _S76.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S77 = kernelContext_5->args_0->w_0;
                                uint _S78 = _S74 + 2U;
                                thread Planes_0 _S79 = _S71;
                                float2 _S80 = octet_scale_0(_S77, &_S79, _S78);
                                scales_1[1U] = _S80.x;
                                least_0[1U] = _S80.y;
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
                    bool _S81 = 1U >= _S54;
                    _S56 = _S81;
                    if(_S81)
                    {
                        break;
                    }
                    uchar device* _S82 = kernelContext_5->args_0->w_0;
                    Planes_0 _S83 = of_0(rows_1, 1U);
                    thread Planes_0 _S84 = _S83;
                    thread array<uint, int(8)> words_1;
                    block_codes_0(_S82, &_S84, b_8, &words_1);
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
                        uchar device* _S85 = kernelContext_5->args_0->w_0;
                        uint _S86 = b_8 * 4U;
                        thread Planes_0 _S87 = _S83;
                        float2 _S88 = octet_scale_0(_S85, &_S87, _S86);
                        scales_1[2U] = _S88.x;
                        least_0[2U] = _S88.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S89 = kernelContext_5->args_0->w_0;
                                uint _S90 = _S86 + 2U;
                                thread Planes_0 _S91 = _S83;
                                float2 _S92 = octet_scale_0(_S89, &_S91, _S90);
                                scales_1[3U] = _S92.x;
                                least_0[3U] = _S92.y;
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
                    bool _S93 = 2U >= _S54;
                    _S57 = _S93;
                    if(_S93)
                    {
                        break;
                    }
                    uchar device* _S94 = kernelContext_5->args_0->w_0;
                    Planes_0 _S95 = of_0(rows_1, 2U);
                    thread Planes_0 _S96 = _S95;
                    thread array<uint, int(8)> words_2;
                    block_codes_0(_S94, &_S96, b_8, &words_2);
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
                        uchar device* _S97 = kernelContext_5->args_0->w_0;
                        uint _S98 = b_8 * 4U;
                        thread Planes_0 _S99 = _S95;
                        float2 _S100 = octet_scale_0(_S97, &_S99, _S98);
                        scales_1[4U] = _S100.x;
                        least_0[4U] = _S100.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S101 = kernelContext_5->args_0->w_0;
                                uint _S102 = _S98 + 2U;
                                thread Planes_0 _S103 = _S95;
                                float2 _S104 = octet_scale_0(_S101, &_S103, _S102);
                                scales_1[5U] = _S104.x;
                                least_0[5U] = _S104.y;
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
                    bool _S105 = 3U >= _S54;
                    _S58 = _S105;
                    if(_S105)
                    {
                        break;
                    }
                    uchar device* _S106 = kernelContext_5->args_0->w_0;
                    Planes_0 _S107 = of_0(rows_1, 3U);
                    thread Planes_0 _S108 = _S107;
                    thread array<uint, int(8)> words_3;
                    block_codes_0(_S106, &_S108, b_8, &words_3);
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
                        uchar device* _S109 = kernelContext_5->args_0->w_0;
                        uint _S110 = b_8 * 4U;
                        thread Planes_0 _S111 = _S107;
                        float2 _S112 = octet_scale_0(_S109, &_S111, _S110);
                        scales_1[6U] = _S112.x;
                        least_0[6U] = _S112.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S113 = kernelContext_5->args_0->w_0;
                                uint _S114 = _S110 + 2U;
                                thread Planes_0 _S115 = _S107;
                                float2 _S116 = octet_scale_0(_S113, &_S115, _S114);
                                scales_1[7U] = _S116.x;
                                least_0[7U] = _S116.y;
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
                    bool _S117 = 4U >= _S54;
                    _S59 = _S117;
                    if(_S117)
                    {
                        break;
                    }
                    uchar device* _S118 = kernelContext_5->args_0->w_0;
                    Planes_0 _S119 = of_0(rows_1, 4U);
                    thread Planes_0 _S120 = _S119;
                    thread array<uint, int(8)> words_4;
                    block_codes_0(_S118, &_S120, b_8, &words_4);
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
                        uchar device* _S121 = kernelContext_5->args_0->w_0;
                        uint _S122 = b_8 * 4U;
                        thread Planes_0 _S123 = _S119;
                        float2 _S124 = octet_scale_0(_S121, &_S123, _S122);
                        scales_1[8U] = _S124.x;
                        least_0[8U] = _S124.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S125 = kernelContext_5->args_0->w_0;
                                uint _S126 = _S122 + 2U;
                                thread Planes_0 _S127 = _S119;
                                float2 _S128 = octet_scale_0(_S125, &_S127, _S126);
                                scales_1[9U] = _S128.x;
                                least_0[9U] = _S128.y;
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
                    bool _S129 = 5U >= _S54;
                    _S60 = _S129;
                    if(_S129)
                    {
                        break;
                    }
                    uchar device* _S130 = kernelContext_5->args_0->w_0;
                    Planes_0 _S131 = of_0(rows_1, 5U);
                    thread Planes_0 _S132 = _S131;
                    thread array<uint, int(8)> words_5;
                    block_codes_0(_S130, &_S132, b_8, &words_5);
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
                        uchar device* _S133 = kernelContext_5->args_0->w_0;
                        uint _S134 = b_8 * 4U;
                        thread Planes_0 _S135 = _S131;
                        float2 _S136 = octet_scale_0(_S133, &_S135, _S134);
                        scales_1[10U] = _S136.x;
                        least_0[10U] = _S136.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S137 = kernelContext_5->args_0->w_0;
                                uint _S138 = _S134 + 2U;
                                thread Planes_0 _S139 = _S131;
                                float2 _S140 = octet_scale_0(_S137, &_S139, _S138);
                                scales_1[11U] = _S140.x;
                                least_0[11U] = _S140.y;
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
                    bool _S141 = 6U >= _S54;
                    _S61 = _S141;
                    if(_S141)
                    {
                        break;
                    }
                    uchar device* _S142 = kernelContext_5->args_0->w_0;
                    Planes_0 _S143 = of_0(rows_1, 6U);
                    thread Planes_0 _S144 = _S143;
                    thread array<uint, int(8)> words_6;
                    block_codes_0(_S142, &_S144, b_8, &words_6);
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
                        uchar device* _S145 = kernelContext_5->args_0->w_0;
                        uint _S146 = b_8 * 4U;
                        thread Planes_0 _S147 = _S143;
                        float2 _S148 = octet_scale_0(_S145, &_S147, _S146);
                        scales_1[12U] = _S148.x;
                        least_0[12U] = _S148.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S149 = kernelContext_5->args_0->w_0;
                                uint _S150 = _S146 + 2U;
                                thread Planes_0 _S151 = _S143;
                                float2 _S152 = octet_scale_0(_S149, &_S151, _S150);
                                scales_1[13U] = _S152.x;
                                least_0[13U] = _S152.y;
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
                    bool _S153 = 7U >= _S54;
                    _S62 = _S153;
                    if(_S153)
                    {
                        break;
                    }
                    uchar device* _S154 = kernelContext_5->args_0->w_0;
                    Planes_0 _S155 = of_0(rows_1, 7U);
                    thread Planes_0 _S156 = _S155;
                    thread array<uint, int(8)> words_7;
                    block_codes_0(_S154, &_S156, b_8, &words_7);
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
                        uchar device* _S157 = kernelContext_5->args_0->w_0;
                        uint _S158 = b_8 * 4U;
                        thread Planes_0 _S159 = _S155;
                        float2 _S160 = octet_scale_0(_S157, &_S159, _S158);
                        scales_1[14U] = _S160.x;
                        least_0[14U] = _S160.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S161 = kernelContext_5->args_0->w_0;
                                uint _S162 = _S158 + 2U;
                                thread Planes_0 _S163 = _S155;
                                float2 _S164 = octet_scale_0(_S161, &_S163, _S162);
                                scales_1[15U] = _S164.x;
                                least_0[15U] = _S164.y;
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
            uint _S165 = own_0();
            if(r_1 < _S165)
            {
            }
            else
            {
                break;
            }
            bool _S166;
            if(_S165 != 1U)
            {
                _S166 = r_1 >= n_1;
            }
            else
            {
                _S166 = false;
            }
            if(_S166)
            {
                r_1 = r_1 + 1U;
                continue;
            }
            uchar device* block_0 = _S67 + ulong(r_1) * stride_0 + b_8 * 80U;
            uint4 _S167 = uint4(*(packed_uint4 device*)((ulong)(block_0))) ;
            uint4 _S168 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(16)))) ;
            uint4 _S169 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(32)))) ;
            uint4 _S170 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(48)))) ;
            uint4 _S171 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(64)))) ;
            float _S172 = (as_type<float>((_S171.x)));
            int _S173 = (as_type<int>((_S171.y)));
            int _S174 = (as_type<int>((_S171.z)));
            for(;;)
            {
                for(;;)
                {
                    for(;;)
                    {
                        if(_S55)
                        {
                            break;
                        }
                        int h_0 = dot4_0(q_1[3U], _S167.w, dot4_0(q_1[2U], _S167.z, dot4_0(q_1[1U], _S167.y, dot4_0(q_1[0U], _S167.x, int(0)))));
                        int l_0 = dot4_0(q_1[3U], _S169.w, dot4_0(q_1[2U], _S169.z, dot4_0(q_1[1U], _S169.y, dot4_0(q_1[0U], _S169.x, int(0)))));
                        uint _S175 = q_1[7U];
                        uint _S176 = _S168.w;
                        uint _S177 = q_1[6U];
                        uint _S178 = _S168.z;
                        uint _S179 = q_1[5U];
                        uint _S180 = _S168.y;
                        uint _S181 = q_1[4U];
                        uint _S182 = _S168.x;
                        bool _S183 = parted_0();
                        if(_S183)
                        {
                            _S63 = int(0);
                        }
                        else
                        {
                            _S63 = h_0;
                        }
                        int h2_0 = dot4_0(_S175, _S176, dot4_0(_S177, _S178, dot4_0(_S179, _S180, dot4_0(_S181, _S182, _S63))));
                        uint _S184 = q_1[7U];
                        uint _S185 = _S170.w;
                        uint _S186 = q_1[6U];
                        uint _S187 = _S170.z;
                        uint _S188 = q_1[5U];
                        uint _S189 = _S170.y;
                        uint _S190 = q_1[4U];
                        uint _S191 = _S170.x;
                        if(_S183)
                        {
                            _S64 = int(0);
                        }
                        else
                        {
                            _S64 = l_0;
                        }
                        int l2_0 = dot4_0(_S184, _S185, dot4_0(_S186, _S187, dot4_0(_S188, _S189, dot4_0(_S190, _S191, _S64))));
                        float sum_1 = (*acc_0)[r_1];
                        if(_S183)
                        {
                            int _S192 = block_zero_0();
                            float v_1 = fma(scales_1[0U], float(h_0 * int(256) + l_0 - _S192 * _S173), scales_1[1U] * float(h2_0 * int(256) + l2_0 - _S192 * _S174));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[0U], float(_S173), fma(least_0[1U], float(_S174), v_1));
                            }
                            else
                            {
                                sum_0 = v_1;
                            }
                            sum_0 = fma(_S172, sum_0, sum_1);
                        }
                        else
                        {
                            float sum_2 = fma(scales_1[0U] * _S172, float(h2_0 * int(256) + l2_0 - block_zero_0() * (_S173 + _S174)), sum_1);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[0U], (as_type<float>((_S171.w))), sum_2);
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
                        if(_S56)
                        {
                            break;
                        }
                        int h_1 = dot4_0(q_1[11U], _S167.w, dot4_0(q_1[10U], _S167.z, dot4_0(q_1[9U], _S167.y, dot4_0(q_1[8U], _S167.x, int(0)))));
                        int l_1 = dot4_0(q_1[11U], _S169.w, dot4_0(q_1[10U], _S169.z, dot4_0(q_1[9U], _S169.y, dot4_0(q_1[8U], _S169.x, int(0)))));
                        uint _S193 = q_1[15U];
                        uint _S194 = _S168.w;
                        uint _S195 = q_1[14U];
                        uint _S196 = _S168.z;
                        uint _S197 = q_1[13U];
                        uint _S198 = _S168.y;
                        uint _S199 = q_1[12U];
                        uint _S200 = _S168.x;
                        bool _S201 = parted_0();
                        if(_S201)
                        {
                            _S63 = int(0);
                        }
                        else
                        {
                            _S63 = h_1;
                        }
                        int h2_1 = dot4_0(_S193, _S194, dot4_0(_S195, _S196, dot4_0(_S197, _S198, dot4_0(_S199, _S200, _S63))));
                        uint _S202 = q_1[15U];
                        uint _S203 = _S170.w;
                        uint _S204 = q_1[14U];
                        uint _S205 = _S170.z;
                        uint _S206 = q_1[13U];
                        uint _S207 = _S170.y;
                        uint _S208 = q_1[12U];
                        uint _S209 = _S170.x;
                        if(_S201)
                        {
                            _S64 = int(0);
                        }
                        else
                        {
                            _S64 = l_1;
                        }
                        int l2_1 = dot4_0(_S202, _S203, dot4_0(_S204, _S205, dot4_0(_S206, _S207, dot4_0(_S208, _S209, _S64))));
                        float sum_3 = (*acc_0)[_S165 + r_1];
                        if(_S201)
                        {
                            int _S210 = block_zero_0();
                            float v_2 = fma(scales_1[2U], float(h_1 * int(256) + l_1 - _S210 * _S173), scales_1[3U] * float(h2_1 * int(256) + l2_1 - _S210 * _S174));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[2U], float(_S173), fma(least_0[3U], float(_S174), v_2));
                            }
                            else
                            {
                                sum_0 = v_2;
                            }
                            sum_0 = fma(_S172, sum_0, sum_3);
                        }
                        else
                        {
                            float sum_4 = fma(scales_1[2U] * _S172, float(h2_1 * int(256) + l2_1 - block_zero_0() * (_S173 + _S174)), sum_3);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[2U], (as_type<float>((_S171.w))), sum_4);
                            }
                            else
                            {
                                sum_0 = sum_4;
                            }
                        }
                        (*acc_0)[_S165 + r_1] = sum_0;
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
                        int h_2 = dot4_0(q_1[19U], _S167.w, dot4_0(q_1[18U], _S167.z, dot4_0(q_1[17U], _S167.y, dot4_0(q_1[16U], _S167.x, int(0)))));
                        int l_2 = dot4_0(q_1[19U], _S169.w, dot4_0(q_1[18U], _S169.z, dot4_0(q_1[17U], _S169.y, dot4_0(q_1[16U], _S169.x, int(0)))));
                        uint _S211 = q_1[23U];
                        uint _S212 = _S168.w;
                        uint _S213 = q_1[22U];
                        uint _S214 = _S168.z;
                        uint _S215 = q_1[21U];
                        uint _S216 = _S168.y;
                        uint _S217 = q_1[20U];
                        uint _S218 = _S168.x;
                        bool _S219 = parted_0();
                        if(_S219)
                        {
                            _S63 = int(0);
                        }
                        else
                        {
                            _S63 = h_2;
                        }
                        int h2_2 = dot4_0(_S211, _S212, dot4_0(_S213, _S214, dot4_0(_S215, _S216, dot4_0(_S217, _S218, _S63))));
                        uint _S220 = q_1[23U];
                        uint _S221 = _S170.w;
                        uint _S222 = q_1[22U];
                        uint _S223 = _S170.z;
                        uint _S224 = q_1[21U];
                        uint _S225 = _S170.y;
                        uint _S226 = q_1[20U];
                        uint _S227 = _S170.x;
                        if(_S219)
                        {
                            _S64 = int(0);
                        }
                        else
                        {
                            _S64 = l_2;
                        }
                        int l2_2 = dot4_0(_S220, _S221, dot4_0(_S222, _S223, dot4_0(_S224, _S225, dot4_0(_S226, _S227, _S64))));
                        float sum_5 = (*acc_0)[2U * _S165 + r_1];
                        if(_S219)
                        {
                            int _S228 = block_zero_0();
                            float v_3 = fma(scales_1[4U], float(h_2 * int(256) + l_2 - _S228 * _S173), scales_1[5U] * float(h2_2 * int(256) + l2_2 - _S228 * _S174));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[4U], float(_S173), fma(least_0[5U], float(_S174), v_3));
                            }
                            else
                            {
                                sum_0 = v_3;
                            }
                            sum_0 = fma(_S172, sum_0, sum_5);
                        }
                        else
                        {
                            float sum_6 = fma(scales_1[4U] * _S172, float(h2_2 * int(256) + l2_2 - block_zero_0() * (_S173 + _S174)), sum_5);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[4U], (as_type<float>((_S171.w))), sum_6);
                            }
                            else
                            {
                                sum_0 = sum_6;
                            }
                        }
                        (*acc_0)[2U * _S165 + r_1] = sum_0;
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
                        int h_3 = dot4_0(q_1[27U], _S167.w, dot4_0(q_1[26U], _S167.z, dot4_0(q_1[25U], _S167.y, dot4_0(q_1[24U], _S167.x, int(0)))));
                        int l_3 = dot4_0(q_1[27U], _S169.w, dot4_0(q_1[26U], _S169.z, dot4_0(q_1[25U], _S169.y, dot4_0(q_1[24U], _S169.x, int(0)))));
                        uint _S229 = q_1[31U];
                        uint _S230 = _S168.w;
                        uint _S231 = q_1[30U];
                        uint _S232 = _S168.z;
                        uint _S233 = q_1[29U];
                        uint _S234 = _S168.y;
                        uint _S235 = q_1[28U];
                        uint _S236 = _S168.x;
                        bool _S237 = parted_0();
                        if(_S237)
                        {
                            _S63 = int(0);
                        }
                        else
                        {
                            _S63 = h_3;
                        }
                        int h2_3 = dot4_0(_S229, _S230, dot4_0(_S231, _S232, dot4_0(_S233, _S234, dot4_0(_S235, _S236, _S63))));
                        uint _S238 = q_1[31U];
                        uint _S239 = _S170.w;
                        uint _S240 = q_1[30U];
                        uint _S241 = _S170.z;
                        uint _S242 = q_1[29U];
                        uint _S243 = _S170.y;
                        uint _S244 = q_1[28U];
                        uint _S245 = _S170.x;
                        if(_S237)
                        {
                            _S64 = int(0);
                        }
                        else
                        {
                            _S64 = l_3;
                        }
                        int l2_3 = dot4_0(_S238, _S239, dot4_0(_S240, _S241, dot4_0(_S242, _S243, dot4_0(_S244, _S245, _S64))));
                        float sum_7 = (*acc_0)[3U * _S165 + r_1];
                        if(_S237)
                        {
                            int _S246 = block_zero_0();
                            float v_4 = fma(scales_1[6U], float(h_3 * int(256) + l_3 - _S246 * _S173), scales_1[7U] * float(h2_3 * int(256) + l2_3 - _S246 * _S174));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[6U], float(_S173), fma(least_0[7U], float(_S174), v_4));
                            }
                            else
                            {
                                sum_0 = v_4;
                            }
                            sum_0 = fma(_S172, sum_0, sum_7);
                        }
                        else
                        {
                            float sum_8 = fma(scales_1[6U] * _S172, float(h2_3 * int(256) + l2_3 - block_zero_0() * (_S173 + _S174)), sum_7);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[6U], (as_type<float>((_S171.w))), sum_8);
                            }
                            else
                            {
                                sum_0 = sum_8;
                            }
                        }
                        (*acc_0)[3U * _S165 + r_1] = sum_0;
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
                        int h_4 = dot4_0(q_1[35U], _S167.w, dot4_0(q_1[34U], _S167.z, dot4_0(q_1[33U], _S167.y, dot4_0(q_1[32U], _S167.x, int(0)))));
                        int l_4 = dot4_0(q_1[35U], _S169.w, dot4_0(q_1[34U], _S169.z, dot4_0(q_1[33U], _S169.y, dot4_0(q_1[32U], _S169.x, int(0)))));
                        uint _S247 = q_1[39U];
                        uint _S248 = _S168.w;
                        uint _S249 = q_1[38U];
                        uint _S250 = _S168.z;
                        uint _S251 = q_1[37U];
                        uint _S252 = _S168.y;
                        uint _S253 = q_1[36U];
                        uint _S254 = _S168.x;
                        bool _S255 = parted_0();
                        if(_S255)
                        {
                            _S63 = int(0);
                        }
                        else
                        {
                            _S63 = h_4;
                        }
                        int h2_4 = dot4_0(_S247, _S248, dot4_0(_S249, _S250, dot4_0(_S251, _S252, dot4_0(_S253, _S254, _S63))));
                        uint _S256 = q_1[39U];
                        uint _S257 = _S170.w;
                        uint _S258 = q_1[38U];
                        uint _S259 = _S170.z;
                        uint _S260 = q_1[37U];
                        uint _S261 = _S170.y;
                        uint _S262 = q_1[36U];
                        uint _S263 = _S170.x;
                        if(_S255)
                        {
                            _S64 = int(0);
                        }
                        else
                        {
                            _S64 = l_4;
                        }
                        int l2_4 = dot4_0(_S256, _S257, dot4_0(_S258, _S259, dot4_0(_S260, _S261, dot4_0(_S262, _S263, _S64))));
                        float sum_9 = (*acc_0)[4U * _S165 + r_1];
                        if(_S255)
                        {
                            int _S264 = block_zero_0();
                            float v_5 = fma(scales_1[8U], float(h_4 * int(256) + l_4 - _S264 * _S173), scales_1[9U] * float(h2_4 * int(256) + l2_4 - _S264 * _S174));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[8U], float(_S173), fma(least_0[9U], float(_S174), v_5));
                            }
                            else
                            {
                                sum_0 = v_5;
                            }
                            sum_0 = fma(_S172, sum_0, sum_9);
                        }
                        else
                        {
                            float sum_10 = fma(scales_1[8U] * _S172, float(h2_4 * int(256) + l2_4 - block_zero_0() * (_S173 + _S174)), sum_9);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[8U], (as_type<float>((_S171.w))), sum_10);
                            }
                            else
                            {
                                sum_0 = sum_10;
                            }
                        }
                        (*acc_0)[4U * _S165 + r_1] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S60)
                        {
                            break;
                        }
                        int h_5 = dot4_0(q_1[43U], _S167.w, dot4_0(q_1[42U], _S167.z, dot4_0(q_1[41U], _S167.y, dot4_0(q_1[40U], _S167.x, int(0)))));
                        int l_5 = dot4_0(q_1[43U], _S169.w, dot4_0(q_1[42U], _S169.z, dot4_0(q_1[41U], _S169.y, dot4_0(q_1[40U], _S169.x, int(0)))));
                        uint _S265 = q_1[47U];
                        uint _S266 = _S168.w;
                        uint _S267 = q_1[46U];
                        uint _S268 = _S168.z;
                        uint _S269 = q_1[45U];
                        uint _S270 = _S168.y;
                        uint _S271 = q_1[44U];
                        uint _S272 = _S168.x;
                        bool _S273 = parted_0();
                        if(_S273)
                        {
                            _S63 = int(0);
                        }
                        else
                        {
                            _S63 = h_5;
                        }
                        int h2_5 = dot4_0(_S265, _S266, dot4_0(_S267, _S268, dot4_0(_S269, _S270, dot4_0(_S271, _S272, _S63))));
                        uint _S274 = q_1[47U];
                        uint _S275 = _S170.w;
                        uint _S276 = q_1[46U];
                        uint _S277 = _S170.z;
                        uint _S278 = q_1[45U];
                        uint _S279 = _S170.y;
                        uint _S280 = q_1[44U];
                        uint _S281 = _S170.x;
                        if(_S273)
                        {
                            _S64 = int(0);
                        }
                        else
                        {
                            _S64 = l_5;
                        }
                        int l2_5 = dot4_0(_S274, _S275, dot4_0(_S276, _S277, dot4_0(_S278, _S279, dot4_0(_S280, _S281, _S64))));
                        float sum_11 = (*acc_0)[5U * _S165 + r_1];
                        if(_S273)
                        {
                            int _S282 = block_zero_0();
                            float v_6 = fma(scales_1[10U], float(h_5 * int(256) + l_5 - _S282 * _S173), scales_1[11U] * float(h2_5 * int(256) + l2_5 - _S282 * _S174));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[10U], float(_S173), fma(least_0[11U], float(_S174), v_6));
                            }
                            else
                            {
                                sum_0 = v_6;
                            }
                            sum_0 = fma(_S172, sum_0, sum_11);
                        }
                        else
                        {
                            float sum_12 = fma(scales_1[10U] * _S172, float(h2_5 * int(256) + l2_5 - block_zero_0() * (_S173 + _S174)), sum_11);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[10U], (as_type<float>((_S171.w))), sum_12);
                            }
                            else
                            {
                                sum_0 = sum_12;
                            }
                        }
                        (*acc_0)[5U * _S165 + r_1] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S61)
                        {
                            break;
                        }
                        int h_6 = dot4_0(q_1[51U], _S167.w, dot4_0(q_1[50U], _S167.z, dot4_0(q_1[49U], _S167.y, dot4_0(q_1[48U], _S167.x, int(0)))));
                        int l_6 = dot4_0(q_1[51U], _S169.w, dot4_0(q_1[50U], _S169.z, dot4_0(q_1[49U], _S169.y, dot4_0(q_1[48U], _S169.x, int(0)))));
                        uint _S283 = q_1[55U];
                        uint _S284 = _S168.w;
                        uint _S285 = q_1[54U];
                        uint _S286 = _S168.z;
                        uint _S287 = q_1[53U];
                        uint _S288 = _S168.y;
                        uint _S289 = q_1[52U];
                        uint _S290 = _S168.x;
                        bool _S291 = parted_0();
                        if(_S291)
                        {
                            _S63 = int(0);
                        }
                        else
                        {
                            _S63 = h_6;
                        }
                        int h2_6 = dot4_0(_S283, _S284, dot4_0(_S285, _S286, dot4_0(_S287, _S288, dot4_0(_S289, _S290, _S63))));
                        uint _S292 = q_1[55U];
                        uint _S293 = _S170.w;
                        uint _S294 = q_1[54U];
                        uint _S295 = _S170.z;
                        uint _S296 = q_1[53U];
                        uint _S297 = _S170.y;
                        uint _S298 = q_1[52U];
                        uint _S299 = _S170.x;
                        if(_S291)
                        {
                            _S64 = int(0);
                        }
                        else
                        {
                            _S64 = l_6;
                        }
                        int l2_6 = dot4_0(_S292, _S293, dot4_0(_S294, _S295, dot4_0(_S296, _S297, dot4_0(_S298, _S299, _S64))));
                        float sum_13 = (*acc_0)[6U * _S165 + r_1];
                        if(_S291)
                        {
                            int _S300 = block_zero_0();
                            float v_7 = fma(scales_1[12U], float(h_6 * int(256) + l_6 - _S300 * _S173), scales_1[13U] * float(h2_6 * int(256) + l2_6 - _S300 * _S174));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[12U], float(_S173), fma(least_0[13U], float(_S174), v_7));
                            }
                            else
                            {
                                sum_0 = v_7;
                            }
                            sum_0 = fma(_S172, sum_0, sum_13);
                        }
                        else
                        {
                            float sum_14 = fma(scales_1[12U] * _S172, float(h2_6 * int(256) + l2_6 - block_zero_0() * (_S173 + _S174)), sum_13);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[12U], (as_type<float>((_S171.w))), sum_14);
                            }
                            else
                            {
                                sum_0 = sum_14;
                            }
                        }
                        (*acc_0)[6U * _S165 + r_1] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S62)
                        {
                            break;
                        }
                        int h_7 = dot4_0(q_1[59U], _S167.w, dot4_0(q_1[58U], _S167.z, dot4_0(q_1[57U], _S167.y, dot4_0(q_1[56U], _S167.x, int(0)))));
                        int l_7 = dot4_0(q_1[59U], _S169.w, dot4_0(q_1[58U], _S169.z, dot4_0(q_1[57U], _S169.y, dot4_0(q_1[56U], _S169.x, int(0)))));
                        uint _S301 = q_1[63U];
                        uint _S302 = _S168.w;
                        uint _S303 = q_1[62U];
                        uint _S304 = _S168.z;
                        uint _S305 = q_1[61U];
                        uint _S306 = _S168.y;
                        uint _S307 = q_1[60U];
                        uint _S308 = _S168.x;
                        bool _S309 = parted_0();
                        if(_S309)
                        {
                            _S63 = int(0);
                        }
                        else
                        {
                            _S63 = h_7;
                        }
                        int h2_7 = dot4_0(_S301, _S302, dot4_0(_S303, _S304, dot4_0(_S305, _S306, dot4_0(_S307, _S308, _S63))));
                        uint _S310 = q_1[63U];
                        uint _S311 = _S170.w;
                        uint _S312 = q_1[62U];
                        uint _S313 = _S170.z;
                        uint _S314 = q_1[61U];
                        uint _S315 = _S170.y;
                        uint _S316 = q_1[60U];
                        uint _S317 = _S170.x;
                        if(_S309)
                        {
                            _S64 = int(0);
                        }
                        else
                        {
                            _S64 = l_7;
                        }
                        int l2_7 = dot4_0(_S310, _S311, dot4_0(_S312, _S313, dot4_0(_S314, _S315, dot4_0(_S316, _S317, _S64))));
                        float sum_15 = (*acc_0)[7U * _S165 + r_1];
                        if(_S309)
                        {
                            int _S318 = block_zero_0();
                            float v_8 = fma(scales_1[14U], float(h_7 * int(256) + l_7 - _S318 * _S173), scales_1[15U] * float(h2_7 * int(256) + l2_7 - _S318 * _S174));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[14U], float(_S173), fma(least_0[15U], float(_S174), v_8));
                            }
                            else
                            {
                                sum_0 = v_8;
                            }
                            sum_0 = fma(_S172, sum_0, sum_15);
                        }
                        else
                        {
                            float sum_16 = fma(scales_1[14U] * _S172, float(h2_7 * int(256) + l2_7 - block_zero_0() * (_S173 + _S174)), sum_15);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[14U], (as_type<float>((_S171.w))), sum_16);
                            }
                            else
                            {
                                sum_0 = sum_16;
                            }
                        }
                        (*acc_0)[7U * _S165 + r_1] = sum_0;
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
float4 norm_four_0(uint i_5, KernelContext_0 thread* kernelContext_6)
{
    return float4(*((packed_float4 device*)((ulong)(kernelContext_6->args_0->norm_0)) + i_5)) ;
}
float4 input_four_0(uint r_2, uint i_6, KernelContext_0 thread* kernelContext_7)
{
    return float4(*((packed_float4 device*)((ulong)(kernelContext_7->args_0->x_0)) + ulong(r_2) * ulong(C_K_0 / 4U) + i_6)) ;
}
void octet_floats_0(uchar device* w_3, const Planes_0 thread* p_7, uint o_1, array<float, int(8)> thread* v_9)
{
    if(C_DTYPE_0 == 0U)
    {
        uchar device* _S319 = w_3 + p_7->low_0 + o_1 * 32U;
        float4 _S320 = float4(*(packed_float4 device*)((ulong)(_S319))) ;
        float4 _S321 = float4(*(packed_float4 device*)((ulong)(_S319 + int(16)))) ;
        (*v_9)[int(0)] = _S320.x;
        (*v_9)[int(1)] = _S320.y;
        (*v_9)[int(2)] = _S320.z;
        (*v_9)[int(3)] = _S320.w;
        (*v_9)[int(4)] = _S321.x;
        (*v_9)[int(5)] = _S321.y;
        (*v_9)[int(6)] = _S321.z;
        (*v_9)[int(7)] = _S321.w;
        return;
    }
    uint4 _S322 = uint4(*(packed_uint4 device*)((ulong)(w_3 + p_7->low_0 + o_1 * 16U))) ;
    uint _S323 = _S322.x;
    uint half_3 = (_S323 >> 0U) & 65535U;
    float _S324;
    if(C_DTYPE_0 == 1U)
    {
        _S324 = f16_to_f32_0(half_3);
    }
    else
    {
        _S324 = bf16_to_f32_0(half_3);
    }
    (*v_9)[0U] = _S324;
    uint half_4 = (_S323 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S324 = f16_to_f32_0(half_4);
    }
    else
    {
        _S324 = bf16_to_f32_0(half_4);
    }
    (*v_9)[1U] = _S324;
    uint _S325 = _S322.y;
    uint half_5 = (_S325 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S324 = f16_to_f32_0(half_5);
    }
    else
    {
        _S324 = bf16_to_f32_0(half_5);
    }
    (*v_9)[2U] = _S324;
    uint half_6 = (_S325 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S324 = f16_to_f32_0(half_6);
    }
    else
    {
        _S324 = bf16_to_f32_0(half_6);
    }
    (*v_9)[3U] = _S324;
    uint _S326 = _S322.z;
    uint half_7 = (_S326 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S324 = f16_to_f32_0(half_7);
    }
    else
    {
        _S324 = bf16_to_f32_0(half_7);
    }
    (*v_9)[4U] = _S324;
    uint half_8 = (_S326 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S324 = f16_to_f32_0(half_8);
    }
    else
    {
        _S324 = bf16_to_f32_0(half_8);
    }
    (*v_9)[5U] = _S324;
    uint _S327 = _S322.w;
    uint half_9 = (_S327 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S324 = f16_to_f32_0(half_9);
    }
    else
    {
        _S324 = bf16_to_f32_0(half_9);
    }
    (*v_9)[6U] = _S324;
    uint half_10 = (_S327 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S324 = f16_to_f32_0(half_10);
    }
    else
    {
        _S324 = bf16_to_f32_0(half_10);
    }
    (*v_9)[7U] = _S324;
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
    uint _S328 = low_bits_0();
    uint k_1;
    if(_S328 == 8U)
    {
        uint2 _S329 = (uint2(*(packed_uint2 device*)((ulong)(w_4 + p_8->low_0 + o_2 * 8U))) ) ^ (uint2(select(0U, 2155905152U, signed_bytes_0())) );
        uint _S330 = _S329.x;
        v_11[0U] = (_S330 >> 0U) & 255U;
        v_11[1U] = (_S330 >> 8U) & 255U;
        v_11[2U] = (_S330 >> 16U) & 255U;
        v_11[3U] = (_S330 >> 24U) & 255U;
        uint _S331 = _S329.y;
        v_11[4U] = (_S331 >> 0U) & 255U;
        v_11[5U] = (_S331 >> 8U) & 255U;
        v_11[6U] = (_S331 >> 16U) & 255U;
        v_11[7U] = (_S331 >> 24U) & 255U;
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
            uint _S332 = word_at_0(w_4 + p_8->low_0 + nibbles_of_0(b_10) + j_0 * 4U);
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
                uint _S333 = (four_of_table_0(_S332 >> (k_1 * 16U))) ^ 2155905152U;
                uint _S334 = k_1 * 4U;
                v_11[_S334] = (_S333 >> 0U) & 255U;
                v_11[_S334 + 1U] = (_S333 >> 8U) & 255U;
                v_11[_S334 + 2U] = (_S333 >> 16U) & 255U;
                v_11[_S334 + 3U] = (_S333 >> 24U) & 255U;
                k_1 = k_1 + 1U;
            }
        }
        else
        {
            if(_S328 == 4U)
            {
                uint2 _S335 = (uint2(*(packed_uint2 device*)((ulong)(w_4 + p_8->low_0 + nibbles_of_0(b_10) + j_0 % 2U * 8U))) ) >> (uint2((j_0 / 2U * 4U)) );
                uint _S336 = _S335.x;
                v_11[0U] = (_S336 >> 0U) & 15U;
                v_11[1U] = (_S336 >> 8U) & 15U;
                v_11[2U] = (_S336 >> 16U) & 15U;
                v_11[3U] = (_S336 >> 24U) & 15U;
                uint _S337 = _S335.y;
                v_11[4U] = (_S337 >> 0U) & 15U;
                v_11[5U] = (_S337 >> 8U) & 15U;
                v_11[6U] = (_S337 >> 16U) & 15U;
                v_11[7U] = (_S337 >> 24U) & 15U;
            }
            else
            {
                uint _S338 = word_at_0(w_4 + p_8->low_0 + b_10 * 8U + j_0 / 2U * 4U);
                uint _S339 = _S338 >> (j_0 % 2U * 4U);
                v_11[0U] = (_S339 >> 0U) & 3U;
                v_11[1U] = (_S339 >> 8U) & 3U;
                v_11[2U] = (_S339 >> 16U) & 3U;
                v_11[3U] = (_S339 >> 24U) & 3U;
                v_11[4U] = (_S339 >> 2U) & 3U;
                v_11[5U] = (_S339 >> 10U) & 3U;
                v_11[6U] = (_S339 >> 18U) & 3U;
                v_11[7U] = (_S339 >> 26U) & 3U;
            }
        }
    }
    uint _S340 = high_bits_0();
    if(_S340 == 2U)
    {
        uint _S341 = word_at_0(w_4 + p_8->high_0 + b_10 * 8U + j_0 / 2U * 4U);
        uint _S342 = _S341 >> (j_0 % 2U * 4U);
        v_11[0U] = (v_11[0U]) | (((_S342 >> 0U) & 3U) << _S328);
        v_11[1U] = (v_11[1U]) | (((_S342 >> 8U) & 3U) << _S328);
        v_11[2U] = (v_11[2U]) | (((_S342 >> 16U) & 3U) << _S328);
        v_11[3U] = (v_11[3U]) | (((_S342 >> 24U) & 3U) << _S328);
        v_11[4U] = (v_11[4U]) | (((_S342 >> 2U) & 3U) << _S328);
        v_11[5U] = (v_11[5U]) | (((_S342 >> 10U) & 3U) << _S328);
        v_11[6U] = (v_11[6U]) | (((_S342 >> 18U) & 3U) << _S328);
        v_11[7U] = (v_11[7U]) | (((_S342 >> 26U) & 3U) << _S328);
    }
    if(_S340 == 1U)
    {
        uint _S343 = word_at_0(w_4 + p_8->high_0 + b_10 * 4U);
        uint _S344 = _S343 >> (j_0 * 2U);
        v_11[0U] = (v_11[0U]) | (((_S344 >> 0U) & 1U) << _S328);
        v_11[1U] = (v_11[1U]) | (((_S344 >> 8U) & 1U) << _S328);
        v_11[2U] = (v_11[2U]) | (((_S344 >> 16U) & 1U) << _S328);
        v_11[3U] = (v_11[3U]) | (((_S344 >> 24U) & 1U) << _S328);
        v_11[4U] = (v_11[4U]) | (((_S344 >> 1U) & 1U) << _S328);
        v_11[5U] = (v_11[5U]) | (((_S344 >> 9U) & 1U) << _S328);
        v_11[6U] = (v_11[6U]) | (((_S344 >> 17U) & 1U) << _S328);
        v_11[7U] = (v_11[7U]) | (((_S344 >> 25U) & 1U) << _S328);
    }
    float _S345 = float(8388608U + zero_0());
    (*q_2)[0U] = (as_type<float>((1258291200U | v_11[0U]))) - _S345;
    (*q_2)[1U] = (as_type<float>((1258291200U | v_11[1U]))) - _S345;
    (*q_2)[2U] = (as_type<float>((1258291200U | v_11[2U]))) - _S345;
    (*q_2)[3U] = (as_type<float>((1258291200U | v_11[3U]))) - _S345;
    (*q_2)[4U] = (as_type<float>((1258291200U | v_11[4U]))) - _S345;
    (*q_2)[5U] = (as_type<float>((1258291200U | v_11[5U]))) - _S345;
    (*q_2)[6U] = (as_type<float>((1258291200U | v_11[6U]))) - _S345;
    (*q_2)[7U] = (as_type<float>((1258291200U | v_11[7U]))) - _S345;
    return;
}
void add_eights_0(const Eight_0 thread* rows_2, uint first_2, uint n_2, uint t_1, array<float, int(32)> thread* acc_1, array<float, int(8)> thread* squares_0, KernelContext_0 thread* kernelContext_8)
{
    uint _S346;
    bool _S347;
    uint _S348;
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
        uint _S349 = o_3 * 2U;
        float4 _S350 = norm_four_0(_S349, kernelContext_8);
        uint _S351 = _S349 + 1U;
        float4 _S352 = norm_four_0(_S351, kernelContext_8);
        uint r_4 = 0U;
        for(;;)
        {
            uint _S353 = own_0();
            _S346 = _S353;
            if(r_4 < _S353)
            {
            }
            else
            {
                break;
            }
            if(_S353 != 1U)
            {
                _S347 = r_4 >= n_2;
            }
            else
            {
                _S347 = false;
            }
            if(_S347)
            {
                r_4 = r_4 + 1U;
                continue;
            }
            uint _S354 = first_2 + r_4;
            uint _S355 = input_row_0(_S354, kernelContext_8);
            float4 _S356 = input_four_0(_S355, _S349, kernelContext_8);
            uint _S357 = input_row_0(_S354, kernelContext_8);
            float4 _S358 = input_four_0(_S357, _S351, kernelContext_8);
            float _S359 = _S356.x;
            float _S360 = _S356.y;
            float _S361 = _S356.z;
            float _S362 = _S356.w;
            float _S363 = _S358.x;
            float _S364 = _S358.y;
            float _S365 = _S358.z;
            float _S366 = _S358.w;
            (*squares_0)[r_4] = fma(_S366, _S366, fma(_S365, _S365, fma(_S364, _S364, fma(_S363, _S363, fma(_S362, _S362, fma(_S361, _S361, fma(_S360, _S360, fma(_S359, _S359, (*squares_0)[r_4]))))))));
            float4 _S367 = _S356 * _S350;
            float4 _S368 = _S358 * _S352;
            uint to_0 = r_4 * 8U;
            float _S369 = _S367.x;
            x_1[to_0] = _S369;
            float _S370 = _S367.y;
            x_1[to_0 + 1U] = _S370;
            float _S371 = _S367.z;
            x_1[to_0 + 2U] = _S371;
            float _S372 = _S367.w;
            x_1[to_0 + 3U] = _S372;
            float _S373 = _S368.x;
            x_1[to_0 + 4U] = _S373;
            float _S374 = _S368.y;
            x_1[to_0 + 5U] = _S374;
            float _S375 = _S368.z;
            x_1[to_0 + 6U] = _S375;
            float _S376 = _S368.w;
            x_1[to_0 + 7U] = _S376;
            if(has_minimum_0())
            {
                whole_0[r_4] = _S369 + _S370 + (_S371 + _S372) + (_S373 + _S374 + (_S375 + _S376));
            }
            r_4 = r_4 + 1U;
        }
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    uint _S377 = outputs_0();
                    _S348 = _S377;
                    if(0U >= _S377)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_3;
                    float2 _S378 = float2(1.0, 0.0);
                    Planes_0 _S379 = of_0(rows_2, 0U);
                    bool _S380 = is_float_0();
                    if(_S380)
                    {
                        uchar device* _S381 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S382 = _S379;
                        octet_floats_0(_S381, &_S382, o_3, &q_3);
                        scale_0 = _S378;
                    }
                    else
                    {
                        uchar device* _S383 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S384 = _S379;
                        octet_codes_0(_S383, &_S384, o_3, &q_3);
                        uchar device* _S385 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S386 = _S379;
                        float2 _S387 = octet_scale_0(_S385, &_S386, o_3);
                        scale_0 = _S387;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S346)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S346 != 1U)
                        {
                            _S347 = r_3 >= n_2;
                        }
                        else
                        {
                            _S347 = false;
                        }
                        if(_S347)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S388 = r_3 * 8U;
                        float _S389 = q_3[int(0)] * x_1[_S388];
                        float sum_19 = (*acc_1)[r_3];
                        float s_2 = fma(q_3[7U], x_1[_S388 + 7U], fma(q_3[6U], x_1[_S388 + 6U], fma(q_3[5U], x_1[_S388 + 5U], fma(q_3[4U], x_1[_S388 + 4U], fma(q_3[3U], x_1[_S388 + 3U], fma(q_3[2U], x_1[_S388 + 2U], fma(q_3[1U], x_1[_S388 + 1U], _S389)))))));
                        if(_S380)
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
                    if(1U >= _S348)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_4;
                    float2 _S390 = float2(1.0, 0.0);
                    Planes_0 _S391 = of_0(rows_2, 1U);
                    bool _S392 = is_float_0();
                    if(_S392)
                    {
                        uchar device* _S393 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S394 = _S391;
                        octet_floats_0(_S393, &_S394, o_3, &q_4);
                        scale_0 = _S390;
                    }
                    else
                    {
                        uchar device* _S395 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S396 = _S391;
                        octet_codes_0(_S395, &_S396, o_3, &q_4);
                        uchar device* _S397 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S398 = _S391;
                        float2 _S399 = octet_scale_0(_S397, &_S398, o_3);
                        scale_0 = _S399;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S346)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S346 != 1U)
                        {
                            _S347 = r_3 >= n_2;
                        }
                        else
                        {
                            _S347 = false;
                        }
                        if(_S347)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S400 = r_3 * 8U;
                        float _S401 = q_4[int(0)] * x_1[_S400];
                        float sum_20 = (*acc_1)[_S346 + r_3];
                        float s_3 = fma(q_4[7U], x_1[_S400 + 7U], fma(q_4[6U], x_1[_S400 + 6U], fma(q_4[5U], x_1[_S400 + 5U], fma(q_4[4U], x_1[_S400 + 4U], fma(q_4[3U], x_1[_S400 + 3U], fma(q_4[2U], x_1[_S400 + 2U], fma(q_4[1U], x_1[_S400 + 1U], _S401)))))));
                        if(_S392)
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
                        (*acc_1)[_S346 + r_3] = sum_18;
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
                    if(2U >= _S348)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_5;
                    float2 _S402 = float2(1.0, 0.0);
                    Planes_0 _S403 = of_0(rows_2, 2U);
                    bool _S404 = is_float_0();
                    if(_S404)
                    {
                        uchar device* _S405 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S406 = _S403;
                        octet_floats_0(_S405, &_S406, o_3, &q_5);
                        scale_0 = _S402;
                    }
                    else
                    {
                        uchar device* _S407 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S408 = _S403;
                        octet_codes_0(_S407, &_S408, o_3, &q_5);
                        uchar device* _S409 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S410 = _S403;
                        float2 _S411 = octet_scale_0(_S409, &_S410, o_3);
                        scale_0 = _S411;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S346)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S346 != 1U)
                        {
                            _S347 = r_3 >= n_2;
                        }
                        else
                        {
                            _S347 = false;
                        }
                        if(_S347)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S412 = r_3 * 8U;
                        float _S413 = q_5[int(0)] * x_1[_S412];
                        float sum_21 = (*acc_1)[2U * _S346 + r_3];
                        float s_4 = fma(q_5[7U], x_1[_S412 + 7U], fma(q_5[6U], x_1[_S412 + 6U], fma(q_5[5U], x_1[_S412 + 5U], fma(q_5[4U], x_1[_S412 + 4U], fma(q_5[3U], x_1[_S412 + 3U], fma(q_5[2U], x_1[_S412 + 2U], fma(q_5[1U], x_1[_S412 + 1U], _S413)))))));
                        if(_S404)
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
                        (*acc_1)[2U * _S346 + r_3] = sum_18;
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
                    if(3U >= _S348)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_6;
                    float2 _S414 = float2(1.0, 0.0);
                    Planes_0 _S415 = of_0(rows_2, 3U);
                    bool _S416 = is_float_0();
                    if(_S416)
                    {
                        uchar device* _S417 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S418 = _S415;
                        octet_floats_0(_S417, &_S418, o_3, &q_6);
                        scale_0 = _S414;
                    }
                    else
                    {
                        uchar device* _S419 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S420 = _S415;
                        octet_codes_0(_S419, &_S420, o_3, &q_6);
                        uchar device* _S421 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S422 = _S415;
                        float2 _S423 = octet_scale_0(_S421, &_S422, o_3);
                        scale_0 = _S423;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S346)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S346 != 1U)
                        {
                            _S347 = r_3 >= n_2;
                        }
                        else
                        {
                            _S347 = false;
                        }
                        if(_S347)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S424 = r_3 * 8U;
                        float _S425 = q_6[int(0)] * x_1[_S424];
                        float sum_22 = (*acc_1)[3U * _S346 + r_3];
                        float s_5 = fma(q_6[7U], x_1[_S424 + 7U], fma(q_6[6U], x_1[_S424 + 6U], fma(q_6[5U], x_1[_S424 + 5U], fma(q_6[4U], x_1[_S424 + 4U], fma(q_6[3U], x_1[_S424 + 3U], fma(q_6[2U], x_1[_S424 + 2U], fma(q_6[1U], x_1[_S424 + 1U], _S425)))))));
                        if(_S416)
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
                        (*acc_1)[3U * _S346 + r_3] = sum_18;
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
                    if(4U >= _S348)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_7;
                    float2 _S426 = float2(1.0, 0.0);
                    Planes_0 _S427 = of_0(rows_2, 4U);
                    bool _S428 = is_float_0();
                    if(_S428)
                    {
                        uchar device* _S429 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S430 = _S427;
                        octet_floats_0(_S429, &_S430, o_3, &q_7);
                        scale_0 = _S426;
                    }
                    else
                    {
                        uchar device* _S431 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S432 = _S427;
                        octet_codes_0(_S431, &_S432, o_3, &q_7);
                        uchar device* _S433 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S434 = _S427;
                        float2 _S435 = octet_scale_0(_S433, &_S434, o_3);
                        scale_0 = _S435;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S346)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S346 != 1U)
                        {
                            _S347 = r_3 >= n_2;
                        }
                        else
                        {
                            _S347 = false;
                        }
                        if(_S347)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S436 = r_3 * 8U;
                        float _S437 = q_7[int(0)] * x_1[_S436];
                        float sum_23 = (*acc_1)[4U * _S346 + r_3];
                        float s_6 = fma(q_7[7U], x_1[_S436 + 7U], fma(q_7[6U], x_1[_S436 + 6U], fma(q_7[5U], x_1[_S436 + 5U], fma(q_7[4U], x_1[_S436 + 4U], fma(q_7[3U], x_1[_S436 + 3U], fma(q_7[2U], x_1[_S436 + 2U], fma(q_7[1U], x_1[_S436 + 1U], _S437)))))));
                        if(_S428)
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
                        (*acc_1)[4U * _S346 + r_3] = sum_18;
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
                    if(5U >= _S348)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_8;
                    float2 _S438 = float2(1.0, 0.0);
                    Planes_0 _S439 = of_0(rows_2, 5U);
                    bool _S440 = is_float_0();
                    if(_S440)
                    {
                        uchar device* _S441 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S442 = _S439;
                        octet_floats_0(_S441, &_S442, o_3, &q_8);
                        scale_0 = _S438;
                    }
                    else
                    {
                        uchar device* _S443 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S444 = _S439;
                        octet_codes_0(_S443, &_S444, o_3, &q_8);
                        uchar device* _S445 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S446 = _S439;
                        float2 _S447 = octet_scale_0(_S445, &_S446, o_3);
                        scale_0 = _S447;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S346)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S346 != 1U)
                        {
                            _S347 = r_3 >= n_2;
                        }
                        else
                        {
                            _S347 = false;
                        }
                        if(_S347)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S448 = r_3 * 8U;
                        float _S449 = q_8[int(0)] * x_1[_S448];
                        float sum_24 = (*acc_1)[5U * _S346 + r_3];
                        float s_7 = fma(q_8[7U], x_1[_S448 + 7U], fma(q_8[6U], x_1[_S448 + 6U], fma(q_8[5U], x_1[_S448 + 5U], fma(q_8[4U], x_1[_S448 + 4U], fma(q_8[3U], x_1[_S448 + 3U], fma(q_8[2U], x_1[_S448 + 2U], fma(q_8[1U], x_1[_S448 + 1U], _S449)))))));
                        if(_S440)
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
                        (*acc_1)[5U * _S346 + r_3] = sum_18;
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
                    if(6U >= _S348)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_9;
                    float2 _S450 = float2(1.0, 0.0);
                    Planes_0 _S451 = of_0(rows_2, 6U);
                    bool _S452 = is_float_0();
                    if(_S452)
                    {
                        uchar device* _S453 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S454 = _S451;
                        octet_floats_0(_S453, &_S454, o_3, &q_9);
                        scale_0 = _S450;
                    }
                    else
                    {
                        uchar device* _S455 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S456 = _S451;
                        octet_codes_0(_S455, &_S456, o_3, &q_9);
                        uchar device* _S457 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S458 = _S451;
                        float2 _S459 = octet_scale_0(_S457, &_S458, o_3);
                        scale_0 = _S459;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S346)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S346 != 1U)
                        {
                            _S347 = r_3 >= n_2;
                        }
                        else
                        {
                            _S347 = false;
                        }
                        if(_S347)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S460 = r_3 * 8U;
                        float _S461 = q_9[int(0)] * x_1[_S460];
                        float sum_25 = (*acc_1)[6U * _S346 + r_3];
                        float s_8 = fma(q_9[7U], x_1[_S460 + 7U], fma(q_9[6U], x_1[_S460 + 6U], fma(q_9[5U], x_1[_S460 + 5U], fma(q_9[4U], x_1[_S460 + 4U], fma(q_9[3U], x_1[_S460 + 3U], fma(q_9[2U], x_1[_S460 + 2U], fma(q_9[1U], x_1[_S460 + 1U], _S461)))))));
                        if(_S452)
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
                        (*acc_1)[6U * _S346 + r_3] = sum_18;
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
                    if(7U >= _S348)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_10;
                    float2 _S462 = float2(1.0, 0.0);
                    Planes_0 _S463 = of_0(rows_2, 7U);
                    bool _S464 = is_float_0();
                    if(_S464)
                    {
                        uchar device* _S465 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S466 = _S463;
                        octet_floats_0(_S465, &_S466, o_3, &q_10);
                        scale_0 = _S462;
                    }
                    else
                    {
                        uchar device* _S467 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S468 = _S463;
                        octet_codes_0(_S467, &_S468, o_3, &q_10);
                        uchar device* _S469 = kernelContext_8->args_0->w_0;
                        thread Planes_0 _S470 = _S463;
                        float2 _S471 = octet_scale_0(_S469, &_S470, o_3);
                        scale_0 = _S471;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S346)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S346 != 1U)
                        {
                            _S347 = r_3 >= n_2;
                        }
                        else
                        {
                            _S347 = false;
                        }
                        if(_S347)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S472 = r_3 * 8U;
                        float _S473 = q_10[int(0)] * x_1[_S472];
                        float sum_26 = (*acc_1)[7U * _S346 + r_3];
                        float s_9 = fma(q_10[7U], x_1[_S472 + 7U], fma(q_10[6U], x_1[_S472 + 6U], fma(q_10[5U], x_1[_S472 + 5U], fma(q_10[4U], x_1[_S472 + 4U], fma(q_10[3U], x_1[_S472 + 3U], fma(q_10[2U], x_1[_S472 + 2U], fma(q_10[1U], x_1[_S472 + 1U], _S473)))))));
                        if(_S464)
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
                        (*acc_1)[7U * _S346 + r_3] = sum_18;
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
    float v_12;
    uint row_2;
    uint column_0;
    bool mine_0;
};
Product_0 product_0(uint tile_1, uint side_1, uint t_2, KernelContext_0 thread* kernelContext_10)
{
    uint _S474;
    uint _S475 = inputs_0(kernelContext_10);
    uint _S476 = own_0();
    uint first_3 = side_1 * _S476;
    uint _S477 = min(_S476, _S475 - min(_S475, first_3));
    thread Eight_0 rows_at_0;
    Planes_0 _S478 = row_planes_0(weight_row_0(tile_1, side_1, 0U));
    (&rows_at_0)->first_0 = _S478;
    Planes_0 _S479 = row_planes_0(weight_row_0(tile_1, side_1, 1U));
    (&rows_at_0)->second_0 = _S479;
    Planes_0 _S480 = row_planes_0(weight_row_0(tile_1, side_1, 2U));
    (&rows_at_0)->third_0 = _S480;
    Planes_0 _S481 = row_planes_0(weight_row_0(tile_1, side_1, 3U));
    (&rows_at_0)->fourth_0 = _S481;
    (&rows_at_0)->eighth_0 = _S478;
    (&rows_at_0)->seventh_0 = _S478;
    (&rows_at_0)->sixth_0 = _S478;
    (&rows_at_0)->fifth_0 = _S478;
    uint _S482 = outputs_0();
    if(_S482 == 8U)
    {
        Planes_0 _S483 = row_planes_0(weight_row_0(tile_1, side_1, 4U));
        (&rows_at_0)->fifth_0 = _S483;
        Planes_0 _S484 = row_planes_0(weight_row_0(tile_1, side_1, 5U));
        (&rows_at_0)->sixth_0 = _S484;
        Planes_0 _S485 = row_planes_0(weight_row_0(tile_1, side_1, 6U));
        (&rows_at_0)->seventh_0 = _S485;
        Planes_0 _S486 = row_planes_0(weight_row_0(tile_1, side_1, 7U));
        (&rows_at_0)->eighth_0 = _S486;
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
        thread Eight_0 _S487 = rows_at_0;
        add_blocks_0(&_S487, first_3, _S477, t_2, &acc_2, kernelContext_10);
    }
    else
    {
        thread Eight_0 _S488 = rows_at_0;
        add_eights_0(&_S488, first_3, _S477, t_2, &acc_2, &squares_2, kernelContext_10);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if(0U < _S476)
    {
        (*kernelContext_10->partial_0)[t_2] = squares_2[0U];
    }
    if(1U < _S476)
    {
        (*kernelContext_10->partial_0)[72U + t_2] = squares_2[1U];
    }
    if(2U < _S476)
    {
        (*kernelContext_10->partial_0)[144U + t_2] = squares_2[2U];
    }
    if(3U < _S476)
    {
        (*kernelContext_10->partial_0)[216U + t_2] = squares_2[3U];
    }
    if(4U < _S476)
    {
        (*kernelContext_10->partial_0)[288U + t_2] = squares_2[4U];
    }
    if(5U < _S476)
    {
        (*kernelContext_10->partial_0)[360U + t_2] = squares_2[5U];
    }
    if(6U < _S476)
    {
        (*kernelContext_10->partial_0)[432U + t_2] = squares_2[6U];
    }
    if(7U < _S476)
    {
        (*kernelContext_10->partial_0)[504U + t_2] = squares_2[7U];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint l_8;
    float sum_27;
    if((t_2 / 8U) < _S476)
    {
        uint _S489 = t_2 % 8U;
        float _S490 = (*kernelContext_10->partial_0)[t_2 / 8U * 72U + _S489];
        l_8 = 1U;
        sum_27 = _S490;
        for(;;)
        {
            if(l_8 < 8U)
            {
            }
            else
            {
                break;
            }
            float _S491 = sum_27 + (*kernelContext_10->partial_0)[t_2 / 8U * 72U + l_8 * 8U + _S489];
            l_8 = l_8 + 1U;
            sum_27 = _S491;
        }
        (*kernelContext_10->eighths_of_squares_0)[t_2] = sum_27;
    }
    for(;;)
    {
        for(;;)
        {
            for(;;)
            {
                uint _S492 = _S482 * _S476;
                _S474 = _S492;
                if(0U >= _S492)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(0U < _S492)
                {
                    (*kernelContext_10->partial_0)[t_2] = acc_2[0U];
                }
                if(1U < _S492)
                {
                    (*kernelContext_10->partial_0)[72U + t_2] = acc_2[1U];
                }
                if(2U < _S492)
                {
                    (*kernelContext_10->partial_0)[144U + t_2] = acc_2[2U];
                }
                if(3U < _S492)
                {
                    (*kernelContext_10->partial_0)[216U + t_2] = acc_2[3U];
                }
                if(4U < _S492)
                {
                    (*kernelContext_10->partial_0)[288U + t_2] = acc_2[4U];
                }
                if(5U < _S492)
                {
                    (*kernelContext_10->partial_0)[360U + t_2] = acc_2[5U];
                }
                if(6U < _S492)
                {
                    (*kernelContext_10->partial_0)[432U + t_2] = acc_2[6U];
                }
                if(7U < _S492)
                {
                    (*kernelContext_10->partial_0)[504U + t_2] = acc_2[7U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_10 = t_2 / 8U;
                if(s_10 < _S492)
                {
                    uint _S493 = s_10 * 72U;
                    uint _S494 = t_2 % 8U;
                    float _S495 = (*kernelContext_10->partial_0)[_S493 + _S494];
                    l_8 = 1U;
                    sum_27 = _S495;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S496 = sum_27 + (*kernelContext_10->partial_0)[_S493 + l_8 * 8U + _S494];
                        l_8 = l_8 + 1U;
                        sum_27 = _S496;
                    }
                    (*kernelContext_10->eighths_0)[s_10 * 8U + _S494] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(8U >= _S474)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(8U < _S474)
                {
                    (*kernelContext_10->partial_0)[t_2] = acc_2[8U];
                }
                if(9U < _S474)
                {
                    (*kernelContext_10->partial_0)[72U + t_2] = acc_2[9U];
                }
                if(10U < _S474)
                {
                    (*kernelContext_10->partial_0)[144U + t_2] = acc_2[10U];
                }
                if(11U < _S474)
                {
                    (*kernelContext_10->partial_0)[216U + t_2] = acc_2[11U];
                }
                if(12U < _S474)
                {
                    (*kernelContext_10->partial_0)[288U + t_2] = acc_2[12U];
                }
                if(13U < _S474)
                {
                    (*kernelContext_10->partial_0)[360U + t_2] = acc_2[13U];
                }
                if(14U < _S474)
                {
                    (*kernelContext_10->partial_0)[432U + t_2] = acc_2[14U];
                }
                if(15U < _S474)
                {
                    (*kernelContext_10->partial_0)[504U + t_2] = acc_2[15U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_11 = t_2 / 8U;
                uint _S497 = 8U + s_11;
                if(_S497 < _S474)
                {
                    uint _S498 = s_11 * 72U;
                    uint _S499 = t_2 % 8U;
                    float _S500 = (*kernelContext_10->partial_0)[_S498 + _S499];
                    l_8 = 1U;
                    sum_27 = _S500;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S501 = sum_27 + (*kernelContext_10->partial_0)[_S498 + l_8 * 8U + _S499];
                        l_8 = l_8 + 1U;
                        sum_27 = _S501;
                    }
                    (*kernelContext_10->eighths_0)[_S497 * 8U + _S499] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(16U >= _S474)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(16U < _S474)
                {
                    (*kernelContext_10->partial_0)[t_2] = acc_2[16U];
                }
                if(17U < _S474)
                {
                    (*kernelContext_10->partial_0)[72U + t_2] = acc_2[17U];
                }
                if(18U < _S474)
                {
                    (*kernelContext_10->partial_0)[144U + t_2] = acc_2[18U];
                }
                if(19U < _S474)
                {
                    (*kernelContext_10->partial_0)[216U + t_2] = acc_2[19U];
                }
                if(20U < _S474)
                {
                    (*kernelContext_10->partial_0)[288U + t_2] = acc_2[20U];
                }
                if(21U < _S474)
                {
                    (*kernelContext_10->partial_0)[360U + t_2] = acc_2[21U];
                }
                if(22U < _S474)
                {
                    (*kernelContext_10->partial_0)[432U + t_2] = acc_2[22U];
                }
                if(23U < _S474)
                {
                    (*kernelContext_10->partial_0)[504U + t_2] = acc_2[23U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_12 = t_2 / 8U;
                uint _S502 = 16U + s_12;
                if(_S502 < _S474)
                {
                    uint _S503 = s_12 * 72U;
                    uint _S504 = t_2 % 8U;
                    float _S505 = (*kernelContext_10->partial_0)[_S503 + _S504];
                    l_8 = 1U;
                    sum_27 = _S505;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S506 = sum_27 + (*kernelContext_10->partial_0)[_S503 + l_8 * 8U + _S504];
                        l_8 = l_8 + 1U;
                        sum_27 = _S506;
                    }
                    (*kernelContext_10->eighths_0)[_S502 * 8U + _S504] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(24U >= _S474)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(24U < _S474)
                {
                    (*kernelContext_10->partial_0)[t_2] = acc_2[24U];
                }
                if(25U < _S474)
                {
                    (*kernelContext_10->partial_0)[72U + t_2] = acc_2[25U];
                }
                if(26U < _S474)
                {
                    (*kernelContext_10->partial_0)[144U + t_2] = acc_2[26U];
                }
                if(27U < _S474)
                {
                    (*kernelContext_10->partial_0)[216U + t_2] = acc_2[27U];
                }
                if(28U < _S474)
                {
                    (*kernelContext_10->partial_0)[288U + t_2] = acc_2[28U];
                }
                if(29U < _S474)
                {
                    (*kernelContext_10->partial_0)[360U + t_2] = acc_2[29U];
                }
                if(30U < _S474)
                {
                    (*kernelContext_10->partial_0)[432U + t_2] = acc_2[30U];
                }
                if(31U < _S474)
                {
                    (*kernelContext_10->partial_0)[504U + t_2] = acc_2[31U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_13 = t_2 / 8U;
                uint _S507 = 24U + s_13;
                if(_S507 < _S474)
                {
                    uint _S508 = s_13 * 72U;
                    uint _S509 = t_2 % 8U;
                    float _S510 = (*kernelContext_10->partial_0)[_S508 + _S509];
                    l_8 = 1U;
                    sum_27 = _S510;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S511 = sum_27 + (*kernelContext_10->partial_0)[_S508 + l_8 * 8U + _S509];
                        l_8 = l_8 + 1U;
                        sum_27 = _S511;
                    }
                    (*kernelContext_10->eighths_0)[_S507 * 8U + _S509] = sum_27;
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
    uint _S512 = t_2 % _S476;
    (&p_9)->row_2 = first_3 + _S512;
    uint _S513 = tile_1 * _S482;
    uint _S514 = t_2 / _S476;
    (&p_9)->column_0 = _S513 + _S514;
    bool _S515 = t_2 < _S474;
    bool _S516;
    if(_S515)
    {
        _S516 = _S512 < _S477;
    }
    else
    {
        _S516 = false;
    }
    if(_S516)
    {
        _S516 = ((&p_9)->column_0) < C_N_0;
    }
    else
    {
        _S516 = false;
    }
    (&p_9)->mine_0 = _S516;
    if(_S515)
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
            (&p_9)->v_12 = (&p_9)->v_12 + (*kernelContext_10->eighths_0)[t_2 * 8U + l_8];
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
            float _S517 = sum_27 + (*kernelContext_10->eighths_of_squares_0)[_S512 * 8U + l_8];
            l_8 = l_8 + 1U;
            sum_27 = _S517;
        }
        float _S518 = norm_factor_0(sum_27, kernelContext_10);
        (&p_9)->v_12 = (&p_9)->v_12 * _S518;
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
    bool _S519 = stopped_0(&kernelContext_11);
    if(_S519)
    {
        return;
    }
    uint tile_2 = group_0.x;
    for(;;)
    {
        uint _S520 = product_tiles_0();
        if(tile_2 < _S520)
        {
        }
        else
        {
            break;
        }
        Product_0 _S521 = product_0(tile_2, group_0.y, sv_groupindex_0, &kernelContext_11);
        if(_S521.mine_0)
        {
            *((float device*)((ulong)((&kernelContext_11)->args_0->out_0)) + (ulong(_S521.row_2) * ulong(C_OUT_STRIDE_0) + ulong(C_OUT_COL_0) + ulong(_S521.column_0))) = _S521.v_12;
        }
        uint _S522 = product_tiles_0();
        tile_2 = tile_2 + min(_S522, 65535U);
    }
    return;
}
