// Made by tools/vulkan-kernels.sh of norm_matmul_glu.slang and what stands before it.
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
constant uint fc_C_ACT_0 [[function_constant(5)]];
constant uint C_ACT_0 = is_function_constant_defined(fc_C_ACT_0) ? fc_C_ACT_0 : 1U;
constant uint fc_C_ACTIVATION_0 [[function_constant(4)]];
constant uint C_ACTIVATION_0 = is_function_constant_defined(fc_C_ACTIVATION_0) ? fc_C_ACTIVATION_0 : 1U;
constant uint fc_C_K_0 [[function_constant(2)]];
constant uint C_K_0 = is_function_constant_defined(fc_C_K_0) ? fc_C_K_0 : 1U;
constant uint fc_C_F_0 [[function_constant(3)]];
constant uint C_F_0 = is_function_constant_defined(fc_C_F_0) ? fc_C_F_0 : 1U;
constant uint fc_C_MAX_ROWS_0 [[function_constant(6)]];
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
    array<float, int(32)> threadgroup* finished_0;
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
uint gates_0()
{
    return outputs_0() / 2U;
}
uint product_tiles_0()
{
    uint _S2 = gates_0();
    uint _S3 = (C_F_0 + _S2 - 1U) / _S2;
    return _S3;
}
uint inputs_0(KernelContext_0 thread* kernelContext_1)
{
    return kernelContext_1->args_0->step_0->rows_0;
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
    uint _S5 = gates_0();
    uint _S6 = tile_0 * _S5;
    uint _S7 = i_0 % _S5;
    uint _S8 = min(_S6 + _S7, C_F_0 - 1U);
    uint _S9 = i_0 / _S5;
    return _S8 + _S9 * C_F_0;
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
    bool _S10 = is_affine_0();
    uint _S11 = affine_bits_0();
    return select(select(4U, 2U, ((C_DTYPE_0 == 10U) | (C_DTYPE_0 == 11U)) | (_S10 & (_S11 < 4U))), 8U, ((signed_bytes_0()) | (C_DTYPE_0 == 3840U)) | (_S10 & (_S11 == 8U)));
}
uint high_bits_0()
{
    bool _S12 = is_affine_0();
    uint _S13 = affine_bits_0();
    return select(select(0U, 1U, ((((C_DTYPE_0 == 6U) | (C_DTYPE_0 == 7U)) | (C_DTYPE_0 == 13U)) | (C_DTYPE_0 == 11U)) | (_S12 & ((_S13 & 1U) != 0U))), 2U, (C_DTYPE_0 == 14U) | (_S12 & (_S13 == 6U)));
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
        int _S14;
        if(C_DTYPE_0 == 0U)
        {
            _S14 = int(4);
        }
        else
        {
            _S14 = int(2);
        }
        ulong _S15 = at_0 * ulong(_S14);
        (&p_0)->low_0 = _S15;
        (&p_0)->super_0 = _S15;
        (&p_0)->scales_0 = _S15;
        (&p_0)->high_0 = _S15;
        return p_0;
    }
    ulong _S16 = ulong(low_bits_0());
    ulong above_0 = ulong(2U * C_F_0) * ulong(C_K_0) / 8UL * _S16;
    ulong _S17 = ulong(high_bits_0());
    ulong rest_0 = above_0 + ulong(2U * C_F_0) * ulong(C_K_0) / 8UL * _S17;
    (&p_0)->low_0 = at_0 / 8UL * _S16;
    (&p_0)->high_0 = above_0 + at_0 / 8UL * _S17;
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
        ulong _S18 = at_0 / 8UL / ulong(blocks_of_pair_0());
        (&p_0)->scales_0 = rest_0 + _S18;
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
        (&p_0)->super_0 = rest_0 + ulong(2U * C_F_0) * ulong(C_K_0) / 16UL + at_0 / 64UL;
    }
    if(C_DTYPE_0 == 11U)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 256UL * 12UL;
        (&p_0)->super_0 = rest_0 + ulong(2U * C_F_0) * ulong(C_K_0) / 256UL * 12UL + at_0 / 128UL;
    }
    if(C_DTYPE_0 == 14U)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 16UL;
        (&p_0)->super_0 = rest_0 + ulong(2U * C_F_0) * ulong(C_K_0) / 16UL + at_0 / 128UL;
    }
    return p_0;
}
ulong act_bytes_0(uint act_0, uint n_0)
{
    uint _S19;
    if(act_0 == 0U)
    {
        _S19 = 4U * n_0;
    }
    else
    {
        if(act_0 == 6U)
        {
            _S19 = n_0 / 32U * 80U;
        }
        else
        {
            _S19 = 2U * n_0;
        }
    }
    return ulong(_S19);
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
    Planes_0 _S20;
    if(i_1 == 0U)
    {
        _S20 = at_1->first_0;
    }
    else
    {
        if(i_1 == 1U)
        {
            _S20 = at_1->second_0;
        }
        else
        {
            if(i_1 == 2U)
            {
                _S20 = at_1->third_0;
            }
            else
            {
                if(i_1 == 3U)
                {
                    _S20 = at_1->fourth_0;
                }
                else
                {
                    if(i_1 == 4U)
                    {
                        _S20 = at_1->fifth_0;
                    }
                    else
                    {
                        if(i_1 == 5U)
                        {
                            _S20 = at_1->sixth_0;
                        }
                        else
                        {
                            if(i_1 == 6U)
                            {
                                _S20 = at_1->seventh_0;
                            }
                            else
                            {
                                _S20 = at_1->eighth_0;
                            }
                        }
                    }
                }
            }
        }
    }
    return _S20;
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
    bool _S21 = i_2 < 2U;
    bool _S22 = i_2 == 0U;
    bool _S23 = i_2 == 2U;
    return select(select(select(4109957884U, 4261347072U, _S23), select(201852420U, 50462976U, _S22), _S21), select(select(1901675829U, 639175937U, _S23), select(4142587343U, 3215825025U, _S22), _S21), is_iq4_0());
}
uint chosen_0(uint a_0, uint b_1, uint mask_0)
{
    return a_0 ^ ((a_0 ^ b_1) & mask_0);
}
uint four_of_table_0(uint nibbles_0)
{
    uint pairs_0 = ((nibbles_0 & 65535U) | (nibbles_0 << 8U)) & 16711935U;
    uint places_0 = (pairs_0 | (pairs_0 << 4U)) & 252645135U;
    uint _S24 = (places_0 & 16843009U) * 255U;
    uint _S25 = ((places_0 >> 1U) & 16843009U) * 255U;
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
        v_0[i_3] = chosen_0(chosen_0((word_0 & 255U) * 16843009U, ((word_0 >> 8U) & 255U) * 16843009U, _S24), chosen_0(((word_0 >> 16U) & 255U) * 16843009U, (word_0 >> 24U) * 16843009U, _S24), _S25);
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
    uint _S26 = low_bits_0();
    if(_S26 == 8U)
    {
        uchar device* _S27 = w_1 + p_2->low_0 + b_2 * 32U;
        uint4 _S28 = uint4(select(0U, 2155905152U, is_affine_0())) ;
        uint4 left_0 = (uint4(*(packed_uint4 device*)((ulong)(_S27))) ) ^ _S28;
        uint4 right_0 = (uint4(*(packed_uint4 device*)((ulong)(_S27 + int(16)))) ) ^ _S28;
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
                uint2 _S29 = uint2(*(packed_uint2 device*)((ulong)(w_1 + p_2->low_0 + nibbles_of_0(b_2) + half_0 * 8U))) ;
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
                    uint _S30;
                    if(m_0 < 2U)
                    {
                        _S30 = _S29.x;
                    }
                    else
                    {
                        _S30 = _S29.y;
                    }
                    (*q_0)[half_0 * 4U + m_0] = four_of_table_0(_S30 >> (m_0 % 2U * 16U));
                    m_0 = m_0 + 1U;
                }
                half_0 = half_0 + 1U;
            }
        }
        else
        {
            if(_S26 == 4U)
            {
                uint4 _S31 = uint4(*(packed_uint4 device*)((ulong)(w_1 + p_2->low_0 + nibbles_of_0(b_2)))) ;
                uint _S32 = _S31.x;
                (*q_0)[int(0)] = _S32 & 252645135U;
                uint _S33 = _S31.y;
                (*q_0)[int(1)] = _S33 & 252645135U;
                uint _S34 = _S31.z;
                (*q_0)[int(2)] = _S34 & 252645135U;
                uint _S35 = _S31.w;
                (*q_0)[int(3)] = _S35 & 252645135U;
                (*q_0)[int(4)] = (_S32 >> 4U) & 252645135U;
                (*q_0)[int(5)] = (_S33 >> 4U) & 252645135U;
                (*q_0)[int(6)] = (_S34 >> 4U) & 252645135U;
                (*q_0)[int(7)] = (_S35 >> 4U) & 252645135U;
            }
            else
            {
                uint2 _S36 = uint2(*(packed_uint2 device*)((ulong)(w_1 + p_2->low_0 + b_2 * 8U))) ;
                uint _S37 = _S36.x;
                (*q_0)[0U] = (_S37 >> 0U) & 50529027U;
                (*q_0)[1U] = (_S37 >> 2U) & 50529027U;
                (*q_0)[2U] = (_S37 >> 4U) & 50529027U;
                (*q_0)[3U] = (_S37 >> 6U) & 50529027U;
                uint _S38 = _S36.y;
                (*q_0)[4U] = (_S38 >> 0U) & 50529027U;
                (*q_0)[5U] = (_S38 >> 2U) & 50529027U;
                (*q_0)[6U] = (_S38 >> 4U) & 50529027U;
                (*q_0)[7U] = (_S38 >> 6U) & 50529027U;
            }
        }
    }
    uint _S39 = high_bits_0();
    if(_S39 == 2U)
    {
        uint2 _S40 = uint2(*(packed_uint2 device*)((ulong)(w_1 + p_2->high_0 + b_2 * 8U))) ;
        uint _S41 = _S40.x;
        (*q_0)[0U] = ((*q_0)[0U]) | (((_S41 >> 0U) & 50529027U) << _S26);
        (*q_0)[1U] = ((*q_0)[1U]) | (((_S41 >> 2U) & 50529027U) << _S26);
        (*q_0)[2U] = ((*q_0)[2U]) | (((_S41 >> 4U) & 50529027U) << _S26);
        (*q_0)[3U] = ((*q_0)[3U]) | (((_S41 >> 6U) & 50529027U) << _S26);
        uint _S42 = _S40.y;
        (*q_0)[4U] = ((*q_0)[4U]) | (((_S42 >> 0U) & 50529027U) << _S26);
        (*q_0)[5U] = ((*q_0)[5U]) | (((_S42 >> 2U) & 50529027U) << _S26);
        (*q_0)[6U] = ((*q_0)[6U]) | (((_S42 >> 4U) & 50529027U) << _S26);
        (*q_0)[7U] = ((*q_0)[7U]) | (((_S42 >> 6U) & 50529027U) << _S26);
    }
    if(_S39 == 1U)
    {
        uint _S43 = word_at_0(w_1 + p_2->high_0 + b_2 * 4U);
        (*q_0)[0U] = ((*q_0)[0U]) | (((_S43 >> 0U) & 16843009U) << _S26);
        (*q_0)[1U] = ((*q_0)[1U]) | (((_S43 >> 1U) & 16843009U) << _S26);
        (*q_0)[2U] = ((*q_0)[2U]) | (((_S43 >> 2U) & 16843009U) << _S26);
        (*q_0)[3U] = ((*q_0)[3U]) | (((_S43 >> 3U) & 16843009U) << _S26);
        (*q_0)[4U] = ((*q_0)[4U]) | (((_S43 >> 4U) & 16843009U) << _S26);
        (*q_0)[5U] = ((*q_0)[5U]) | (((_S43 >> 5U) & 16843009U) << _S26);
        (*q_0)[6U] = ((*q_0)[6U]) | (((_S43 >> 6U) & 16843009U) << _S26);
        (*q_0)[7U] = ((*q_0)[7U]) | (((_S43 >> 7U) & 16843009U) << _S26);
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
    uint _S44 = half_at_0(p_5);
    return f16_to_f32_0(_S44);
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
        uchar device* _S45 = w_2 + p_6->scales_0;
        uint _S46 = b_6 / blocks_of_pair_0();
        uint both_0 = word_at_0(_S45 + _S46 * 4U);
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
        ulong _S47 = p_6->super_0;
        uint _S48 = super_1 * 8U;
        uint head_0 = word_at_0(w_2 + p_6->super_0 + _S48);
        return float2(f16_to_f32_0(head_0) * float(int(((uint(*(w_2 + (_S47 + ulong(_S48) + 4UL + ulong(c_1 / 2U)))) >> (c_1 % 2U * 4U)) & 15U) | (((head_0 >> (16U + c_1 * 2U)) & 3U) << 4U)) - int(32)), 0.0);
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
        uint _S49 = six_bits_0(w_2 + p_6->scales_0 + super_1 * 12U, o_0 / 2U % 16U);
        int s_1 = int(_S49) - int(32);
        float _S50 = scale_at_0(w_2 + p_6->super_0 + super_1 * 2U);
        return float2(_S50 * float(s_1), 0.0);
    }
    if(C_DTYPE_0 == 14U)
    {
        float _S51 = scale_at_0(w_2 + p_6->super_0 + super_1 * 2U);
        return float2(_S51 * float(signed_byte_0(*(w_2 + (p_6->scales_0 + ulong(o_0 / 2U))))), 0.0);
    }
    float _S52 = scale_at_0(w_2 + p_6->scales_0 + b_6 * 2U);
    return float2(_S52, 0.0);
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
    uint _S53;
    bool _S54;
    bool _S55;
    bool _S56;
    bool _S57;
    bool _S58;
    bool _S59;
    bool _S60;
    bool _S61;
    int _S62;
    int _S63;
    float sum_0;
    ulong stride_0 = act_row_bytes_0(6U, C_K_0);
    uchar device* _S64 = kernelContext_2->args_0->x_0 + ulong(input_row_0(first_1)) * stride_0;
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
                    uint _S65 = outputs_0();
                    _S53 = _S65;
                    bool _S66 = 0U >= _S65;
                    _S54 = _S66;
                    if(_S66)
                    {
                        break;
                    }
                    uchar device* _S67 = kernelContext_2->args_0->w_0;
                    Planes_0 _S68 = of_0(rows_1, 0U);
                    thread Planes_0 _S69 = _S68;
                    thread array<uint, int(8)> words_0;
                    block_codes_0(_S67, &_S69, b_8, &words_0);
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
                        uchar device* _S70 = kernelContext_2->args_0->w_0;
                        uint _S71 = b_8 * 4U;
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
                                uchar device* _S74 = kernelContext_2->args_0->w_0;
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
                    bool _S78 = 1U >= _S53;
                    _S55 = _S78;
                    if(_S78)
                    {
                        break;
                    }
                    uchar device* _S79 = kernelContext_2->args_0->w_0;
                    Planes_0 _S80 = of_0(rows_1, 1U);
                    thread Planes_0 _S81 = _S80;
                    thread array<uint, int(8)> words_1;
                    block_codes_0(_S79, &_S81, b_8, &words_1);
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
                        uchar device* _S82 = kernelContext_2->args_0->w_0;
                        uint _S83 = b_8 * 4U;
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
                                uchar device* _S86 = kernelContext_2->args_0->w_0;
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
                    bool _S90 = 2U >= _S53;
                    _S56 = _S90;
                    if(_S90)
                    {
                        break;
                    }
                    uchar device* _S91 = kernelContext_2->args_0->w_0;
                    Planes_0 _S92 = of_0(rows_1, 2U);
                    thread Planes_0 _S93 = _S92;
                    thread array<uint, int(8)> words_2;
                    block_codes_0(_S91, &_S93, b_8, &words_2);
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
                        uchar device* _S94 = kernelContext_2->args_0->w_0;
                        uint _S95 = b_8 * 4U;
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
                                uchar device* _S98 = kernelContext_2->args_0->w_0;
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
                    bool _S102 = 3U >= _S53;
                    _S57 = _S102;
                    if(_S102)
                    {
                        break;
                    }
                    uchar device* _S103 = kernelContext_2->args_0->w_0;
                    Planes_0 _S104 = of_0(rows_1, 3U);
                    thread Planes_0 _S105 = _S104;
                    thread array<uint, int(8)> words_3;
                    block_codes_0(_S103, &_S105, b_8, &words_3);
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
                        uchar device* _S106 = kernelContext_2->args_0->w_0;
                        uint _S107 = b_8 * 4U;
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
                                uchar device* _S110 = kernelContext_2->args_0->w_0;
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
                    bool _S114 = 4U >= _S53;
                    _S58 = _S114;
                    if(_S114)
                    {
                        break;
                    }
                    uchar device* _S115 = kernelContext_2->args_0->w_0;
                    Planes_0 _S116 = of_0(rows_1, 4U);
                    thread Planes_0 _S117 = _S116;
                    thread array<uint, int(8)> words_4;
                    block_codes_0(_S115, &_S117, b_8, &words_4);
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
                        uchar device* _S118 = kernelContext_2->args_0->w_0;
                        uint _S119 = b_8 * 4U;
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
                                uchar device* _S122 = kernelContext_2->args_0->w_0;
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
                    bool _S126 = 5U >= _S53;
                    _S59 = _S126;
                    if(_S126)
                    {
                        break;
                    }
                    uchar device* _S127 = kernelContext_2->args_0->w_0;
                    Planes_0 _S128 = of_0(rows_1, 5U);
                    thread Planes_0 _S129 = _S128;
                    thread array<uint, int(8)> words_5;
                    block_codes_0(_S127, &_S129, b_8, &words_5);
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
                        uchar device* _S130 = kernelContext_2->args_0->w_0;
                        uint _S131 = b_8 * 4U;
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
                                uchar device* _S134 = kernelContext_2->args_0->w_0;
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
                    bool _S138 = 6U >= _S53;
                    _S60 = _S138;
                    if(_S138)
                    {
                        break;
                    }
                    uchar device* _S139 = kernelContext_2->args_0->w_0;
                    Planes_0 _S140 = of_0(rows_1, 6U);
                    thread Planes_0 _S141 = _S140;
                    thread array<uint, int(8)> words_6;
                    block_codes_0(_S139, &_S141, b_8, &words_6);
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
                        uchar device* _S142 = kernelContext_2->args_0->w_0;
                        uint _S143 = b_8 * 4U;
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
                                uchar device* _S146 = kernelContext_2->args_0->w_0;
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
                    bool _S150 = 7U >= _S53;
                    _S61 = _S150;
                    if(_S150)
                    {
                        break;
                    }
                    uchar device* _S151 = kernelContext_2->args_0->w_0;
                    Planes_0 _S152 = of_0(rows_1, 7U);
                    thread Planes_0 _S153 = _S152;
                    thread array<uint, int(8)> words_7;
                    block_codes_0(_S151, &_S153, b_8, &words_7);
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
                        uchar device* _S154 = kernelContext_2->args_0->w_0;
                        uint _S155 = b_8 * 4U;
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
                                uchar device* _S158 = kernelContext_2->args_0->w_0;
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
            uchar device* block_0 = _S64 + ulong(r_1) * stride_0 + b_8 * 80U;
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
                        if(_S54)
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
                            _S62 = int(0);
                        }
                        else
                        {
                            _S62 = h_0;
                        }
                        int h2_0 = dot4_0(_S172, _S173, dot4_0(_S174, _S175, dot4_0(_S176, _S177, dot4_0(_S178, _S179, _S62))));
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
                            _S63 = int(0);
                        }
                        else
                        {
                            _S63 = l_0;
                        }
                        int l2_0 = dot4_0(_S181, _S182, dot4_0(_S183, _S184, dot4_0(_S185, _S186, dot4_0(_S187, _S188, _S63))));
                        float sum_1 = (*acc_0)[r_1];
                        if(_S180)
                        {
                            int _S189 = block_zero_0();
                            float v_1 = fma(scales_1[0U], float(h_0 * int(256) + l_0 - _S189 * _S170), scales_1[1U] * float(h2_0 * int(256) + l2_0 - _S189 * _S171));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[0U], float(_S170), fma(least_0[1U], float(_S171), v_1));
                            }
                            else
                            {
                                sum_0 = v_1;
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
                        if(_S55)
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
                            _S62 = int(0);
                        }
                        else
                        {
                            _S62 = h_1;
                        }
                        int h2_1 = dot4_0(_S190, _S191, dot4_0(_S192, _S193, dot4_0(_S194, _S195, dot4_0(_S196, _S197, _S62))));
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
                            _S63 = int(0);
                        }
                        else
                        {
                            _S63 = l_1;
                        }
                        int l2_1 = dot4_0(_S199, _S200, dot4_0(_S201, _S202, dot4_0(_S203, _S204, dot4_0(_S205, _S206, _S63))));
                        float sum_3 = (*acc_0)[_S162 + r_1];
                        if(_S198)
                        {
                            int _S207 = block_zero_0();
                            float v_2 = fma(scales_1[2U], float(h_1 * int(256) + l_1 - _S207 * _S170), scales_1[3U] * float(h2_1 * int(256) + l2_1 - _S207 * _S171));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[2U], float(_S170), fma(least_0[3U], float(_S171), v_2));
                            }
                            else
                            {
                                sum_0 = v_2;
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
                        if(_S56)
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
                            _S62 = int(0);
                        }
                        else
                        {
                            _S62 = h_2;
                        }
                        int h2_2 = dot4_0(_S208, _S209, dot4_0(_S210, _S211, dot4_0(_S212, _S213, dot4_0(_S214, _S215, _S62))));
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
                            _S63 = int(0);
                        }
                        else
                        {
                            _S63 = l_2;
                        }
                        int l2_2 = dot4_0(_S217, _S218, dot4_0(_S219, _S220, dot4_0(_S221, _S222, dot4_0(_S223, _S224, _S63))));
                        float sum_5 = (*acc_0)[2U * _S162 + r_1];
                        if(_S216)
                        {
                            int _S225 = block_zero_0();
                            float v_3 = fma(scales_1[4U], float(h_2 * int(256) + l_2 - _S225 * _S170), scales_1[5U] * float(h2_2 * int(256) + l2_2 - _S225 * _S171));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[4U], float(_S170), fma(least_0[5U], float(_S171), v_3));
                            }
                            else
                            {
                                sum_0 = v_3;
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
                        if(_S57)
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
                            _S62 = int(0);
                        }
                        else
                        {
                            _S62 = h_3;
                        }
                        int h2_3 = dot4_0(_S226, _S227, dot4_0(_S228, _S229, dot4_0(_S230, _S231, dot4_0(_S232, _S233, _S62))));
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
                            _S63 = int(0);
                        }
                        else
                        {
                            _S63 = l_3;
                        }
                        int l2_3 = dot4_0(_S235, _S236, dot4_0(_S237, _S238, dot4_0(_S239, _S240, dot4_0(_S241, _S242, _S63))));
                        float sum_7 = (*acc_0)[3U * _S162 + r_1];
                        if(_S234)
                        {
                            int _S243 = block_zero_0();
                            float v_4 = fma(scales_1[6U], float(h_3 * int(256) + l_3 - _S243 * _S170), scales_1[7U] * float(h2_3 * int(256) + l2_3 - _S243 * _S171));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[6U], float(_S170), fma(least_0[7U], float(_S171), v_4));
                            }
                            else
                            {
                                sum_0 = v_4;
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
                        if(_S58)
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
                            _S62 = int(0);
                        }
                        else
                        {
                            _S62 = h_4;
                        }
                        int h2_4 = dot4_0(_S244, _S245, dot4_0(_S246, _S247, dot4_0(_S248, _S249, dot4_0(_S250, _S251, _S62))));
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
                            _S63 = int(0);
                        }
                        else
                        {
                            _S63 = l_4;
                        }
                        int l2_4 = dot4_0(_S253, _S254, dot4_0(_S255, _S256, dot4_0(_S257, _S258, dot4_0(_S259, _S260, _S63))));
                        float sum_9 = (*acc_0)[4U * _S162 + r_1];
                        if(_S252)
                        {
                            int _S261 = block_zero_0();
                            float v_5 = fma(scales_1[8U], float(h_4 * int(256) + l_4 - _S261 * _S170), scales_1[9U] * float(h2_4 * int(256) + l2_4 - _S261 * _S171));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[8U], float(_S170), fma(least_0[9U], float(_S171), v_5));
                            }
                            else
                            {
                                sum_0 = v_5;
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
                        if(_S59)
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
                            _S62 = int(0);
                        }
                        else
                        {
                            _S62 = h_5;
                        }
                        int h2_5 = dot4_0(_S262, _S263, dot4_0(_S264, _S265, dot4_0(_S266, _S267, dot4_0(_S268, _S269, _S62))));
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
                            _S63 = int(0);
                        }
                        else
                        {
                            _S63 = l_5;
                        }
                        int l2_5 = dot4_0(_S271, _S272, dot4_0(_S273, _S274, dot4_0(_S275, _S276, dot4_0(_S277, _S278, _S63))));
                        float sum_11 = (*acc_0)[5U * _S162 + r_1];
                        if(_S270)
                        {
                            int _S279 = block_zero_0();
                            float v_6 = fma(scales_1[10U], float(h_5 * int(256) + l_5 - _S279 * _S170), scales_1[11U] * float(h2_5 * int(256) + l2_5 - _S279 * _S171));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[10U], float(_S170), fma(least_0[11U], float(_S171), v_6));
                            }
                            else
                            {
                                sum_0 = v_6;
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
                        if(_S60)
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
                            _S62 = int(0);
                        }
                        else
                        {
                            _S62 = h_6;
                        }
                        int h2_6 = dot4_0(_S280, _S281, dot4_0(_S282, _S283, dot4_0(_S284, _S285, dot4_0(_S286, _S287, _S62))));
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
                            _S63 = int(0);
                        }
                        else
                        {
                            _S63 = l_6;
                        }
                        int l2_6 = dot4_0(_S289, _S290, dot4_0(_S291, _S292, dot4_0(_S293, _S294, dot4_0(_S295, _S296, _S63))));
                        float sum_13 = (*acc_0)[6U * _S162 + r_1];
                        if(_S288)
                        {
                            int _S297 = block_zero_0();
                            float v_7 = fma(scales_1[12U], float(h_6 * int(256) + l_6 - _S297 * _S170), scales_1[13U] * float(h2_6 * int(256) + l2_6 - _S297 * _S171));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[12U], float(_S170), fma(least_0[13U], float(_S171), v_7));
                            }
                            else
                            {
                                sum_0 = v_7;
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
                        if(_S61)
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
                            _S62 = int(0);
                        }
                        else
                        {
                            _S62 = h_7;
                        }
                        int h2_7 = dot4_0(_S298, _S299, dot4_0(_S300, _S301, dot4_0(_S302, _S303, dot4_0(_S304, _S305, _S62))));
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
                            _S63 = int(0);
                        }
                        else
                        {
                            _S63 = l_7;
                        }
                        int l2_7 = dot4_0(_S307, _S308, dot4_0(_S309, _S310, dot4_0(_S311, _S312, dot4_0(_S313, _S314, _S63))));
                        float sum_15 = (*acc_0)[7U * _S162 + r_1];
                        if(_S306)
                        {
                            int _S315 = block_zero_0();
                            float v_8 = fma(scales_1[14U], float(h_7 * int(256) + l_7 - _S315 * _S170), scales_1[15U] * float(h2_7 * int(256) + l2_7 - _S315 * _S171));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[14U], float(_S170), fma(least_0[15U], float(_S171), v_8));
                            }
                            else
                            {
                                sum_0 = v_8;
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
        b_8 = b_8 + 64U;
    }
    return;
}
float4 norm_four_0(uint i_4, KernelContext_0 thread* kernelContext_3)
{
    return float4(*((packed_float4 device*)((ulong)(kernelContext_3->args_0->norm_0)) + i_4)) ;
}
float4 input_four_0(uint r_2, uint i_5, KernelContext_0 thread* kernelContext_4)
{
    return float4(*((packed_float4 device*)((ulong)(kernelContext_4->args_0->x_0)) + ulong(r_2) * ulong(C_K_0 / 4U) + i_5)) ;
}
void octet_floats_0(uchar device* w_3, const Planes_0 thread* p_7, uint o_1, array<float, int(8)> thread* v_9)
{
    if(C_DTYPE_0 == 0U)
    {
        uchar device* _S316 = w_3 + p_7->low_0 + o_1 * 32U;
        float4 _S317 = float4(*(packed_float4 device*)((ulong)(_S316))) ;
        float4 _S318 = float4(*(packed_float4 device*)((ulong)(_S316 + int(16)))) ;
        (*v_9)[int(0)] = _S317.x;
        (*v_9)[int(1)] = _S317.y;
        (*v_9)[int(2)] = _S317.z;
        (*v_9)[int(3)] = _S317.w;
        (*v_9)[int(4)] = _S318.x;
        (*v_9)[int(5)] = _S318.y;
        (*v_9)[int(6)] = _S318.z;
        (*v_9)[int(7)] = _S318.w;
        return;
    }
    uint4 _S319 = uint4(*(packed_uint4 device*)((ulong)(w_3 + p_7->low_0 + o_1 * 16U))) ;
    uint _S320 = _S319.x;
    uint half_3 = (_S320 >> 0U) & 65535U;
    float _S321;
    if(C_DTYPE_0 == 1U)
    {
        _S321 = f16_to_f32_0(half_3);
    }
    else
    {
        _S321 = bf16_to_f32_0(half_3);
    }
    (*v_9)[0U] = _S321;
    uint half_4 = (_S320 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S321 = f16_to_f32_0(half_4);
    }
    else
    {
        _S321 = bf16_to_f32_0(half_4);
    }
    (*v_9)[1U] = _S321;
    uint _S322 = _S319.y;
    uint half_5 = (_S322 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S321 = f16_to_f32_0(half_5);
    }
    else
    {
        _S321 = bf16_to_f32_0(half_5);
    }
    (*v_9)[2U] = _S321;
    uint half_6 = (_S322 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S321 = f16_to_f32_0(half_6);
    }
    else
    {
        _S321 = bf16_to_f32_0(half_6);
    }
    (*v_9)[3U] = _S321;
    uint _S323 = _S319.z;
    uint half_7 = (_S323 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S321 = f16_to_f32_0(half_7);
    }
    else
    {
        _S321 = bf16_to_f32_0(half_7);
    }
    (*v_9)[4U] = _S321;
    uint half_8 = (_S323 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S321 = f16_to_f32_0(half_8);
    }
    else
    {
        _S321 = bf16_to_f32_0(half_8);
    }
    (*v_9)[5U] = _S321;
    uint _S324 = _S319.w;
    uint half_9 = (_S324 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S321 = f16_to_f32_0(half_9);
    }
    else
    {
        _S321 = bf16_to_f32_0(half_9);
    }
    (*v_9)[6U] = _S321;
    uint half_10 = (_S324 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S321 = f16_to_f32_0(half_10);
    }
    else
    {
        _S321 = bf16_to_f32_0(half_10);
    }
    (*v_9)[7U] = _S321;
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
    uint _S325 = low_bits_0();
    uint k_1;
    if(_S325 == 8U)
    {
        uint2 _S326 = (uint2(*(packed_uint2 device*)((ulong)(w_4 + p_8->low_0 + o_2 * 8U))) ) ^ (uint2(select(0U, 2155905152U, signed_bytes_0())) );
        uint _S327 = _S326.x;
        v_11[0U] = (_S327 >> 0U) & 255U;
        v_11[1U] = (_S327 >> 8U) & 255U;
        v_11[2U] = (_S327 >> 16U) & 255U;
        v_11[3U] = (_S327 >> 24U) & 255U;
        uint _S328 = _S326.y;
        v_11[4U] = (_S328 >> 0U) & 255U;
        v_11[5U] = (_S328 >> 8U) & 255U;
        v_11[6U] = (_S328 >> 16U) & 255U;
        v_11[7U] = (_S328 >> 24U) & 255U;
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
            uint _S329 = word_at_0(w_4 + p_8->low_0 + nibbles_of_0(b_10) + j_0 * 4U);
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
                uint _S330 = (four_of_table_0(_S329 >> (k_1 * 16U))) ^ 2155905152U;
                uint _S331 = k_1 * 4U;
                v_11[_S331] = (_S330 >> 0U) & 255U;
                v_11[_S331 + 1U] = (_S330 >> 8U) & 255U;
                v_11[_S331 + 2U] = (_S330 >> 16U) & 255U;
                v_11[_S331 + 3U] = (_S330 >> 24U) & 255U;
                k_1 = k_1 + 1U;
            }
        }
        else
        {
            if(_S325 == 4U)
            {
                uint2 _S332 = (uint2(*(packed_uint2 device*)((ulong)(w_4 + p_8->low_0 + nibbles_of_0(b_10) + j_0 % 2U * 8U))) ) >> (uint2((j_0 / 2U * 4U)) );
                uint _S333 = _S332.x;
                v_11[0U] = (_S333 >> 0U) & 15U;
                v_11[1U] = (_S333 >> 8U) & 15U;
                v_11[2U] = (_S333 >> 16U) & 15U;
                v_11[3U] = (_S333 >> 24U) & 15U;
                uint _S334 = _S332.y;
                v_11[4U] = (_S334 >> 0U) & 15U;
                v_11[5U] = (_S334 >> 8U) & 15U;
                v_11[6U] = (_S334 >> 16U) & 15U;
                v_11[7U] = (_S334 >> 24U) & 15U;
            }
            else
            {
                uint _S335 = word_at_0(w_4 + p_8->low_0 + b_10 * 8U + j_0 / 2U * 4U);
                uint _S336 = _S335 >> (j_0 % 2U * 4U);
                v_11[0U] = (_S336 >> 0U) & 3U;
                v_11[1U] = (_S336 >> 8U) & 3U;
                v_11[2U] = (_S336 >> 16U) & 3U;
                v_11[3U] = (_S336 >> 24U) & 3U;
                v_11[4U] = (_S336 >> 2U) & 3U;
                v_11[5U] = (_S336 >> 10U) & 3U;
                v_11[6U] = (_S336 >> 18U) & 3U;
                v_11[7U] = (_S336 >> 26U) & 3U;
            }
        }
    }
    uint _S337 = high_bits_0();
    if(_S337 == 2U)
    {
        uint _S338 = word_at_0(w_4 + p_8->high_0 + b_10 * 8U + j_0 / 2U * 4U);
        uint _S339 = _S338 >> (j_0 % 2U * 4U);
        v_11[0U] = (v_11[0U]) | (((_S339 >> 0U) & 3U) << _S325);
        v_11[1U] = (v_11[1U]) | (((_S339 >> 8U) & 3U) << _S325);
        v_11[2U] = (v_11[2U]) | (((_S339 >> 16U) & 3U) << _S325);
        v_11[3U] = (v_11[3U]) | (((_S339 >> 24U) & 3U) << _S325);
        v_11[4U] = (v_11[4U]) | (((_S339 >> 2U) & 3U) << _S325);
        v_11[5U] = (v_11[5U]) | (((_S339 >> 10U) & 3U) << _S325);
        v_11[6U] = (v_11[6U]) | (((_S339 >> 18U) & 3U) << _S325);
        v_11[7U] = (v_11[7U]) | (((_S339 >> 26U) & 3U) << _S325);
    }
    if(_S337 == 1U)
    {
        uint _S340 = word_at_0(w_4 + p_8->high_0 + b_10 * 4U);
        uint _S341 = _S340 >> (j_0 * 2U);
        v_11[0U] = (v_11[0U]) | (((_S341 >> 0U) & 1U) << _S325);
        v_11[1U] = (v_11[1U]) | (((_S341 >> 8U) & 1U) << _S325);
        v_11[2U] = (v_11[2U]) | (((_S341 >> 16U) & 1U) << _S325);
        v_11[3U] = (v_11[3U]) | (((_S341 >> 24U) & 1U) << _S325);
        v_11[4U] = (v_11[4U]) | (((_S341 >> 1U) & 1U) << _S325);
        v_11[5U] = (v_11[5U]) | (((_S341 >> 9U) & 1U) << _S325);
        v_11[6U] = (v_11[6U]) | (((_S341 >> 17U) & 1U) << _S325);
        v_11[7U] = (v_11[7U]) | (((_S341 >> 25U) & 1U) << _S325);
    }
    float _S342 = float(8388608U + zero_0());
    (*q_2)[0U] = (as_type<float>((1258291200U | v_11[0U]))) - _S342;
    (*q_2)[1U] = (as_type<float>((1258291200U | v_11[1U]))) - _S342;
    (*q_2)[2U] = (as_type<float>((1258291200U | v_11[2U]))) - _S342;
    (*q_2)[3U] = (as_type<float>((1258291200U | v_11[3U]))) - _S342;
    (*q_2)[4U] = (as_type<float>((1258291200U | v_11[4U]))) - _S342;
    (*q_2)[5U] = (as_type<float>((1258291200U | v_11[5U]))) - _S342;
    (*q_2)[6U] = (as_type<float>((1258291200U | v_11[6U]))) - _S342;
    (*q_2)[7U] = (as_type<float>((1258291200U | v_11[7U]))) - _S342;
    return;
}
void add_eights_0(const Eight_0 thread* rows_2, uint first_2, uint n_2, uint t_1, array<float, int(32)> thread* acc_1, array<float, int(8)> thread* squares_0, KernelContext_0 thread* kernelContext_5)
{
    uint _S343;
    bool _S344;
    uint _S345;
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
        uint _S346 = o_3 * 2U;
        float4 _S347 = norm_four_0(_S346, kernelContext_5);
        uint _S348 = _S346 + 1U;
        float4 _S349 = norm_four_0(_S348, kernelContext_5);
        uint r_4 = 0U;
        for(;;)
        {
            uint _S350 = own_0();
            _S343 = _S350;
            if(r_4 < _S350)
            {
            }
            else
            {
                break;
            }
            if(_S350 != 1U)
            {
                _S344 = r_4 >= n_2;
            }
            else
            {
                _S344 = false;
            }
            if(_S344)
            {
                r_4 = r_4 + 1U;
                continue;
            }
            uint _S351 = input_row_0(first_2 + r_4);
            float4 _S352 = input_four_0(_S351, _S346, kernelContext_5);
            float4 _S353 = input_four_0(_S351, _S348, kernelContext_5);
            float _S354 = _S352.x;
            float _S355 = _S352.y;
            float _S356 = _S352.z;
            float _S357 = _S352.w;
            float _S358 = _S353.x;
            float _S359 = _S353.y;
            float _S360 = _S353.z;
            float _S361 = _S353.w;
            (*squares_0)[r_4] = fma(_S361, _S361, fma(_S360, _S360, fma(_S359, _S359, fma(_S358, _S358, fma(_S357, _S357, fma(_S356, _S356, fma(_S355, _S355, fma(_S354, _S354, (*squares_0)[r_4]))))))));
            float4 _S362 = _S352 * _S347;
            float4 _S363 = _S353 * _S349;
            uint to_0 = r_4 * 8U;
            float _S364 = _S362.x;
            x_1[to_0] = _S364;
            float _S365 = _S362.y;
            x_1[to_0 + 1U] = _S365;
            float _S366 = _S362.z;
            x_1[to_0 + 2U] = _S366;
            float _S367 = _S362.w;
            x_1[to_0 + 3U] = _S367;
            float _S368 = _S363.x;
            x_1[to_0 + 4U] = _S368;
            float _S369 = _S363.y;
            x_1[to_0 + 5U] = _S369;
            float _S370 = _S363.z;
            x_1[to_0 + 6U] = _S370;
            float _S371 = _S363.w;
            x_1[to_0 + 7U] = _S371;
            if(has_minimum_0())
            {
                whole_0[r_4] = _S364 + _S365 + (_S366 + _S367) + (_S368 + _S369 + (_S370 + _S371));
            }
            r_4 = r_4 + 1U;
        }
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    uint _S372 = outputs_0();
                    _S345 = _S372;
                    if(0U >= _S372)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_3;
                    float2 _S373 = float2(1.0, 0.0);
                    Planes_0 _S374 = of_0(rows_2, 0U);
                    bool _S375 = is_float_0();
                    if(_S375)
                    {
                        uchar device* _S376 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S377 = _S374;
                        octet_floats_0(_S376, &_S377, o_3, &q_3);
                        scale_0 = _S373;
                    }
                    else
                    {
                        uchar device* _S378 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S379 = _S374;
                        octet_codes_0(_S378, &_S379, o_3, &q_3);
                        uchar device* _S380 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S381 = _S374;
                        float2 _S382 = octet_scale_0(_S380, &_S381, o_3);
                        scale_0 = _S382;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S343)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S343 != 1U)
                        {
                            _S344 = r_3 >= n_2;
                        }
                        else
                        {
                            _S344 = false;
                        }
                        if(_S344)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S383 = r_3 * 8U;
                        float _S384 = q_3[int(0)] * x_1[_S383];
                        float sum_19 = (*acc_1)[r_3];
                        float s_2 = fma(q_3[7U], x_1[_S383 + 7U], fma(q_3[6U], x_1[_S383 + 6U], fma(q_3[5U], x_1[_S383 + 5U], fma(q_3[4U], x_1[_S383 + 4U], fma(q_3[3U], x_1[_S383 + 3U], fma(q_3[2U], x_1[_S383 + 2U], fma(q_3[1U], x_1[_S383 + 1U], _S384)))))));
                        if(_S375)
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
                    if(1U >= _S345)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_4;
                    float2 _S385 = float2(1.0, 0.0);
                    Planes_0 _S386 = of_0(rows_2, 1U);
                    bool _S387 = is_float_0();
                    if(_S387)
                    {
                        uchar device* _S388 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S389 = _S386;
                        octet_floats_0(_S388, &_S389, o_3, &q_4);
                        scale_0 = _S385;
                    }
                    else
                    {
                        uchar device* _S390 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S391 = _S386;
                        octet_codes_0(_S390, &_S391, o_3, &q_4);
                        uchar device* _S392 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S393 = _S386;
                        float2 _S394 = octet_scale_0(_S392, &_S393, o_3);
                        scale_0 = _S394;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S343)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S343 != 1U)
                        {
                            _S344 = r_3 >= n_2;
                        }
                        else
                        {
                            _S344 = false;
                        }
                        if(_S344)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S395 = r_3 * 8U;
                        float _S396 = q_4[int(0)] * x_1[_S395];
                        float sum_20 = (*acc_1)[_S343 + r_3];
                        float s_3 = fma(q_4[7U], x_1[_S395 + 7U], fma(q_4[6U], x_1[_S395 + 6U], fma(q_4[5U], x_1[_S395 + 5U], fma(q_4[4U], x_1[_S395 + 4U], fma(q_4[3U], x_1[_S395 + 3U], fma(q_4[2U], x_1[_S395 + 2U], fma(q_4[1U], x_1[_S395 + 1U], _S396)))))));
                        if(_S387)
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
                        (*acc_1)[_S343 + r_3] = sum_18;
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
                    if(2U >= _S345)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_5;
                    float2 _S397 = float2(1.0, 0.0);
                    Planes_0 _S398 = of_0(rows_2, 2U);
                    bool _S399 = is_float_0();
                    if(_S399)
                    {
                        uchar device* _S400 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S401 = _S398;
                        octet_floats_0(_S400, &_S401, o_3, &q_5);
                        scale_0 = _S397;
                    }
                    else
                    {
                        uchar device* _S402 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S403 = _S398;
                        octet_codes_0(_S402, &_S403, o_3, &q_5);
                        uchar device* _S404 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S405 = _S398;
                        float2 _S406 = octet_scale_0(_S404, &_S405, o_3);
                        scale_0 = _S406;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S343)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S343 != 1U)
                        {
                            _S344 = r_3 >= n_2;
                        }
                        else
                        {
                            _S344 = false;
                        }
                        if(_S344)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S407 = r_3 * 8U;
                        float _S408 = q_5[int(0)] * x_1[_S407];
                        float sum_21 = (*acc_1)[2U * _S343 + r_3];
                        float s_4 = fma(q_5[7U], x_1[_S407 + 7U], fma(q_5[6U], x_1[_S407 + 6U], fma(q_5[5U], x_1[_S407 + 5U], fma(q_5[4U], x_1[_S407 + 4U], fma(q_5[3U], x_1[_S407 + 3U], fma(q_5[2U], x_1[_S407 + 2U], fma(q_5[1U], x_1[_S407 + 1U], _S408)))))));
                        if(_S399)
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
                        (*acc_1)[2U * _S343 + r_3] = sum_18;
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
                    if(3U >= _S345)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_6;
                    float2 _S409 = float2(1.0, 0.0);
                    Planes_0 _S410 = of_0(rows_2, 3U);
                    bool _S411 = is_float_0();
                    if(_S411)
                    {
                        uchar device* _S412 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S413 = _S410;
                        octet_floats_0(_S412, &_S413, o_3, &q_6);
                        scale_0 = _S409;
                    }
                    else
                    {
                        uchar device* _S414 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S415 = _S410;
                        octet_codes_0(_S414, &_S415, o_3, &q_6);
                        uchar device* _S416 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S417 = _S410;
                        float2 _S418 = octet_scale_0(_S416, &_S417, o_3);
                        scale_0 = _S418;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S343)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S343 != 1U)
                        {
                            _S344 = r_3 >= n_2;
                        }
                        else
                        {
                            _S344 = false;
                        }
                        if(_S344)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S419 = r_3 * 8U;
                        float _S420 = q_6[int(0)] * x_1[_S419];
                        float sum_22 = (*acc_1)[3U * _S343 + r_3];
                        float s_5 = fma(q_6[7U], x_1[_S419 + 7U], fma(q_6[6U], x_1[_S419 + 6U], fma(q_6[5U], x_1[_S419 + 5U], fma(q_6[4U], x_1[_S419 + 4U], fma(q_6[3U], x_1[_S419 + 3U], fma(q_6[2U], x_1[_S419 + 2U], fma(q_6[1U], x_1[_S419 + 1U], _S420)))))));
                        if(_S411)
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
                        (*acc_1)[3U * _S343 + r_3] = sum_18;
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
                    if(4U >= _S345)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_7;
                    float2 _S421 = float2(1.0, 0.0);
                    Planes_0 _S422 = of_0(rows_2, 4U);
                    bool _S423 = is_float_0();
                    if(_S423)
                    {
                        uchar device* _S424 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S425 = _S422;
                        octet_floats_0(_S424, &_S425, o_3, &q_7);
                        scale_0 = _S421;
                    }
                    else
                    {
                        uchar device* _S426 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S427 = _S422;
                        octet_codes_0(_S426, &_S427, o_3, &q_7);
                        uchar device* _S428 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S429 = _S422;
                        float2 _S430 = octet_scale_0(_S428, &_S429, o_3);
                        scale_0 = _S430;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S343)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S343 != 1U)
                        {
                            _S344 = r_3 >= n_2;
                        }
                        else
                        {
                            _S344 = false;
                        }
                        if(_S344)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S431 = r_3 * 8U;
                        float _S432 = q_7[int(0)] * x_1[_S431];
                        float sum_23 = (*acc_1)[4U * _S343 + r_3];
                        float s_6 = fma(q_7[7U], x_1[_S431 + 7U], fma(q_7[6U], x_1[_S431 + 6U], fma(q_7[5U], x_1[_S431 + 5U], fma(q_7[4U], x_1[_S431 + 4U], fma(q_7[3U], x_1[_S431 + 3U], fma(q_7[2U], x_1[_S431 + 2U], fma(q_7[1U], x_1[_S431 + 1U], _S432)))))));
                        if(_S423)
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
                        (*acc_1)[4U * _S343 + r_3] = sum_18;
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
                    if(5U >= _S345)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_8;
                    float2 _S433 = float2(1.0, 0.0);
                    Planes_0 _S434 = of_0(rows_2, 5U);
                    bool _S435 = is_float_0();
                    if(_S435)
                    {
                        uchar device* _S436 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S437 = _S434;
                        octet_floats_0(_S436, &_S437, o_3, &q_8);
                        scale_0 = _S433;
                    }
                    else
                    {
                        uchar device* _S438 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S439 = _S434;
                        octet_codes_0(_S438, &_S439, o_3, &q_8);
                        uchar device* _S440 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S441 = _S434;
                        float2 _S442 = octet_scale_0(_S440, &_S441, o_3);
                        scale_0 = _S442;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S343)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S343 != 1U)
                        {
                            _S344 = r_3 >= n_2;
                        }
                        else
                        {
                            _S344 = false;
                        }
                        if(_S344)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S443 = r_3 * 8U;
                        float _S444 = q_8[int(0)] * x_1[_S443];
                        float sum_24 = (*acc_1)[5U * _S343 + r_3];
                        float s_7 = fma(q_8[7U], x_1[_S443 + 7U], fma(q_8[6U], x_1[_S443 + 6U], fma(q_8[5U], x_1[_S443 + 5U], fma(q_8[4U], x_1[_S443 + 4U], fma(q_8[3U], x_1[_S443 + 3U], fma(q_8[2U], x_1[_S443 + 2U], fma(q_8[1U], x_1[_S443 + 1U], _S444)))))));
                        if(_S435)
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
                        (*acc_1)[5U * _S343 + r_3] = sum_18;
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
                    if(6U >= _S345)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_9;
                    float2 _S445 = float2(1.0, 0.0);
                    Planes_0 _S446 = of_0(rows_2, 6U);
                    bool _S447 = is_float_0();
                    if(_S447)
                    {
                        uchar device* _S448 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S449 = _S446;
                        octet_floats_0(_S448, &_S449, o_3, &q_9);
                        scale_0 = _S445;
                    }
                    else
                    {
                        uchar device* _S450 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S451 = _S446;
                        octet_codes_0(_S450, &_S451, o_3, &q_9);
                        uchar device* _S452 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S453 = _S446;
                        float2 _S454 = octet_scale_0(_S452, &_S453, o_3);
                        scale_0 = _S454;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S343)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S343 != 1U)
                        {
                            _S344 = r_3 >= n_2;
                        }
                        else
                        {
                            _S344 = false;
                        }
                        if(_S344)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S455 = r_3 * 8U;
                        float _S456 = q_9[int(0)] * x_1[_S455];
                        float sum_25 = (*acc_1)[6U * _S343 + r_3];
                        float s_8 = fma(q_9[7U], x_1[_S455 + 7U], fma(q_9[6U], x_1[_S455 + 6U], fma(q_9[5U], x_1[_S455 + 5U], fma(q_9[4U], x_1[_S455 + 4U], fma(q_9[3U], x_1[_S455 + 3U], fma(q_9[2U], x_1[_S455 + 2U], fma(q_9[1U], x_1[_S455 + 1U], _S456)))))));
                        if(_S447)
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
                        (*acc_1)[6U * _S343 + r_3] = sum_18;
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
                    if(7U >= _S345)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_10;
                    float2 _S457 = float2(1.0, 0.0);
                    Planes_0 _S458 = of_0(rows_2, 7U);
                    bool _S459 = is_float_0();
                    if(_S459)
                    {
                        uchar device* _S460 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S461 = _S458;
                        octet_floats_0(_S460, &_S461, o_3, &q_10);
                        scale_0 = _S457;
                    }
                    else
                    {
                        uchar device* _S462 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S463 = _S458;
                        octet_codes_0(_S462, &_S463, o_3, &q_10);
                        uchar device* _S464 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S465 = _S458;
                        float2 _S466 = octet_scale_0(_S464, &_S465, o_3);
                        scale_0 = _S466;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S343)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S343 != 1U)
                        {
                            _S344 = r_3 >= n_2;
                        }
                        else
                        {
                            _S344 = false;
                        }
                        if(_S344)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S467 = r_3 * 8U;
                        float _S468 = q_10[int(0)] * x_1[_S467];
                        float sum_26 = (*acc_1)[7U * _S343 + r_3];
                        float s_9 = fma(q_10[7U], x_1[_S467 + 7U], fma(q_10[6U], x_1[_S467 + 6U], fma(q_10[5U], x_1[_S467 + 5U], fma(q_10[4U], x_1[_S467 + 4U], fma(q_10[3U], x_1[_S467 + 3U], fma(q_10[2U], x_1[_S467 + 2U], fma(q_10[1U], x_1[_S467 + 1U], _S468)))))));
                        if(_S459)
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
                        (*acc_1)[7U * _S343 + r_3] = sum_18;
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
float norm_factor_0(float squares_1, KernelContext_0 thread* kernelContext_6)
{
    return 1.0 / sqrt(squares_1 / float(C_K_0) + kernelContext_6->args_0->eps_0);
}
struct Product_0
{
    float v_12;
    uint row_1;
    uint column_0;
    bool mine_0;
};
Product_0 product_0(uint tile_1, uint side_1, uint t_2, KernelContext_0 thread* kernelContext_7)
{
    uint _S469;
    uint _S470 = inputs_0(kernelContext_7);
    uint _S471 = own_0();
    uint first_3 = side_1 * _S471;
    uint _S472 = min(_S471, _S470 - min(_S470, first_3));
    thread Eight_0 rows_at_0;
    uint _S473 = weight_row_0(tile_1, side_1, 0U);
    Planes_0 _S474 = row_planes_0(_S473);
    (&rows_at_0)->first_0 = _S474;
    uint _S475 = weight_row_0(tile_1, side_1, 1U);
    Planes_0 _S476 = row_planes_0(_S475);
    (&rows_at_0)->second_0 = _S476;
    uint _S477 = weight_row_0(tile_1, side_1, 2U);
    Planes_0 _S478 = row_planes_0(_S477);
    (&rows_at_0)->third_0 = _S478;
    uint _S479 = weight_row_0(tile_1, side_1, 3U);
    Planes_0 _S480 = row_planes_0(_S479);
    (&rows_at_0)->fourth_0 = _S480;
    (&rows_at_0)->eighth_0 = _S474;
    (&rows_at_0)->seventh_0 = _S474;
    (&rows_at_0)->sixth_0 = _S474;
    (&rows_at_0)->fifth_0 = _S474;
    uint _S481 = outputs_0();
    if(_S481 == 8U)
    {
        uint _S482 = weight_row_0(tile_1, side_1, 4U);
        Planes_0 _S483 = row_planes_0(_S482);
        (&rows_at_0)->fifth_0 = _S483;
        uint _S484 = weight_row_0(tile_1, side_1, 5U);
        Planes_0 _S485 = row_planes_0(_S484);
        (&rows_at_0)->sixth_0 = _S485;
        uint _S486 = weight_row_0(tile_1, side_1, 6U);
        Planes_0 _S487 = row_planes_0(_S486);
        (&rows_at_0)->seventh_0 = _S487;
        uint _S488 = weight_row_0(tile_1, side_1, 7U);
        Planes_0 _S489 = row_planes_0(_S488);
        (&rows_at_0)->eighth_0 = _S489;
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
        thread Eight_0 _S490 = rows_at_0;
        add_blocks_0(&_S490, first_3, _S472, t_2, &acc_2, kernelContext_7);
    }
    else
    {
        thread Eight_0 _S491 = rows_at_0;
        add_eights_0(&_S491, first_3, _S472, t_2, &acc_2, &squares_2, kernelContext_7);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if(0U < _S471)
    {
        (*kernelContext_7->partial_0)[t_2] = squares_2[0U];
    }
    if(1U < _S471)
    {
        (*kernelContext_7->partial_0)[72U + t_2] = squares_2[1U];
    }
    if(2U < _S471)
    {
        (*kernelContext_7->partial_0)[144U + t_2] = squares_2[2U];
    }
    if(3U < _S471)
    {
        (*kernelContext_7->partial_0)[216U + t_2] = squares_2[3U];
    }
    if(4U < _S471)
    {
        (*kernelContext_7->partial_0)[288U + t_2] = squares_2[4U];
    }
    if(5U < _S471)
    {
        (*kernelContext_7->partial_0)[360U + t_2] = squares_2[5U];
    }
    if(6U < _S471)
    {
        (*kernelContext_7->partial_0)[432U + t_2] = squares_2[6U];
    }
    if(7U < _S471)
    {
        (*kernelContext_7->partial_0)[504U + t_2] = squares_2[7U];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint l_8;
    float sum_27;
    if((t_2 / 8U) < _S471)
    {
        uint _S492 = t_2 % 8U;
        float _S493 = (*kernelContext_7->partial_0)[t_2 / 8U * 72U + _S492];
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
            float _S494 = sum_27 + (*kernelContext_7->partial_0)[t_2 / 8U * 72U + l_8 * 8U + _S492];
            l_8 = l_8 + 1U;
            sum_27 = _S494;
        }
        (*kernelContext_7->eighths_of_squares_0)[t_2] = sum_27;
    }
    for(;;)
    {
        for(;;)
        {
            for(;;)
            {
                uint _S495 = _S481 * _S471;
                _S469 = _S495;
                if(0U >= _S495)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(0U < _S495)
                {
                    (*kernelContext_7->partial_0)[t_2] = acc_2[0U];
                }
                if(1U < _S495)
                {
                    (*kernelContext_7->partial_0)[72U + t_2] = acc_2[1U];
                }
                if(2U < _S495)
                {
                    (*kernelContext_7->partial_0)[144U + t_2] = acc_2[2U];
                }
                if(3U < _S495)
                {
                    (*kernelContext_7->partial_0)[216U + t_2] = acc_2[3U];
                }
                if(4U < _S495)
                {
                    (*kernelContext_7->partial_0)[288U + t_2] = acc_2[4U];
                }
                if(5U < _S495)
                {
                    (*kernelContext_7->partial_0)[360U + t_2] = acc_2[5U];
                }
                if(6U < _S495)
                {
                    (*kernelContext_7->partial_0)[432U + t_2] = acc_2[6U];
                }
                if(7U < _S495)
                {
                    (*kernelContext_7->partial_0)[504U + t_2] = acc_2[7U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_10 = t_2 / 8U;
                if(s_10 < _S495)
                {
                    uint _S496 = s_10 * 72U;
                    uint _S497 = t_2 % 8U;
                    float _S498 = (*kernelContext_7->partial_0)[_S496 + _S497];
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
                        float _S499 = sum_27 + (*kernelContext_7->partial_0)[_S496 + l_8 * 8U + _S497];
                        l_8 = l_8 + 1U;
                        sum_27 = _S499;
                    }
                    (*kernelContext_7->eighths_0)[s_10 * 8U + _S497] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(8U >= _S469)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(8U < _S469)
                {
                    (*kernelContext_7->partial_0)[t_2] = acc_2[8U];
                }
                if(9U < _S469)
                {
                    (*kernelContext_7->partial_0)[72U + t_2] = acc_2[9U];
                }
                if(10U < _S469)
                {
                    (*kernelContext_7->partial_0)[144U + t_2] = acc_2[10U];
                }
                if(11U < _S469)
                {
                    (*kernelContext_7->partial_0)[216U + t_2] = acc_2[11U];
                }
                if(12U < _S469)
                {
                    (*kernelContext_7->partial_0)[288U + t_2] = acc_2[12U];
                }
                if(13U < _S469)
                {
                    (*kernelContext_7->partial_0)[360U + t_2] = acc_2[13U];
                }
                if(14U < _S469)
                {
                    (*kernelContext_7->partial_0)[432U + t_2] = acc_2[14U];
                }
                if(15U < _S469)
                {
                    (*kernelContext_7->partial_0)[504U + t_2] = acc_2[15U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_11 = t_2 / 8U;
                uint _S500 = 8U + s_11;
                if(_S500 < _S469)
                {
                    uint _S501 = s_11 * 72U;
                    uint _S502 = t_2 % 8U;
                    float _S503 = (*kernelContext_7->partial_0)[_S501 + _S502];
                    l_8 = 1U;
                    sum_27 = _S503;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S504 = sum_27 + (*kernelContext_7->partial_0)[_S501 + l_8 * 8U + _S502];
                        l_8 = l_8 + 1U;
                        sum_27 = _S504;
                    }
                    (*kernelContext_7->eighths_0)[_S500 * 8U + _S502] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(16U >= _S469)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(16U < _S469)
                {
                    (*kernelContext_7->partial_0)[t_2] = acc_2[16U];
                }
                if(17U < _S469)
                {
                    (*kernelContext_7->partial_0)[72U + t_2] = acc_2[17U];
                }
                if(18U < _S469)
                {
                    (*kernelContext_7->partial_0)[144U + t_2] = acc_2[18U];
                }
                if(19U < _S469)
                {
                    (*kernelContext_7->partial_0)[216U + t_2] = acc_2[19U];
                }
                if(20U < _S469)
                {
                    (*kernelContext_7->partial_0)[288U + t_2] = acc_2[20U];
                }
                if(21U < _S469)
                {
                    (*kernelContext_7->partial_0)[360U + t_2] = acc_2[21U];
                }
                if(22U < _S469)
                {
                    (*kernelContext_7->partial_0)[432U + t_2] = acc_2[22U];
                }
                if(23U < _S469)
                {
                    (*kernelContext_7->partial_0)[504U + t_2] = acc_2[23U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_12 = t_2 / 8U;
                uint _S505 = 16U + s_12;
                if(_S505 < _S469)
                {
                    uint _S506 = s_12 * 72U;
                    uint _S507 = t_2 % 8U;
                    float _S508 = (*kernelContext_7->partial_0)[_S506 + _S507];
                    l_8 = 1U;
                    sum_27 = _S508;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S509 = sum_27 + (*kernelContext_7->partial_0)[_S506 + l_8 * 8U + _S507];
                        l_8 = l_8 + 1U;
                        sum_27 = _S509;
                    }
                    (*kernelContext_7->eighths_0)[_S505 * 8U + _S507] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(24U >= _S469)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(24U < _S469)
                {
                    (*kernelContext_7->partial_0)[t_2] = acc_2[24U];
                }
                if(25U < _S469)
                {
                    (*kernelContext_7->partial_0)[72U + t_2] = acc_2[25U];
                }
                if(26U < _S469)
                {
                    (*kernelContext_7->partial_0)[144U + t_2] = acc_2[26U];
                }
                if(27U < _S469)
                {
                    (*kernelContext_7->partial_0)[216U + t_2] = acc_2[27U];
                }
                if(28U < _S469)
                {
                    (*kernelContext_7->partial_0)[288U + t_2] = acc_2[28U];
                }
                if(29U < _S469)
                {
                    (*kernelContext_7->partial_0)[360U + t_2] = acc_2[29U];
                }
                if(30U < _S469)
                {
                    (*kernelContext_7->partial_0)[432U + t_2] = acc_2[30U];
                }
                if(31U < _S469)
                {
                    (*kernelContext_7->partial_0)[504U + t_2] = acc_2[31U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_13 = t_2 / 8U;
                uint _S510 = 24U + s_13;
                if(_S510 < _S469)
                {
                    uint _S511 = s_13 * 72U;
                    uint _S512 = t_2 % 8U;
                    float _S513 = (*kernelContext_7->partial_0)[_S511 + _S512];
                    l_8 = 1U;
                    sum_27 = _S513;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S514 = sum_27 + (*kernelContext_7->partial_0)[_S511 + l_8 * 8U + _S512];
                        l_8 = l_8 + 1U;
                        sum_27 = _S514;
                    }
                    (*kernelContext_7->eighths_0)[_S510 * 8U + _S512] = sum_27;
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
    uint _S515 = t_2 % _S471;
    (&p_9)->row_1 = first_3 + _S515;
    uint _S516 = tile_1 * _S481;
    uint _S517 = t_2 / _S471;
    (&p_9)->column_0 = _S516 + _S517;
    bool _S518 = t_2 < _S469;
    bool _S519;
    if(_S518)
    {
        _S519 = _S515 < _S472;
    }
    else
    {
        _S519 = false;
    }
    if(_S519)
    {
        _S519 = ((&p_9)->column_0) < (2U * C_F_0);
    }
    else
    {
        _S519 = false;
    }
    (&p_9)->mine_0 = _S519;
    if(_S518)
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
            (&p_9)->v_12 = (&p_9)->v_12 + (*kernelContext_7->eighths_0)[t_2 * 8U + l_8];
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
            float _S520 = sum_27 + (*kernelContext_7->eighths_of_squares_0)[_S515 * 8U + l_8];
            l_8 = l_8 + 1U;
            sum_27 = _S520;
        }
        float _S521 = norm_factor_0(sum_27, kernelContext_7);
        (&p_9)->v_12 = (&p_9)->v_12 * _S521;
    }
    return p_9;
}
float infinity_0()
{
    return (as_type<float>((2139095040U)));
}
float power_of_two_0(int n_3)
{
    return (as_type<float>((uint(n_3 + int(127)) << 23U)));
}
float exp_of_0(float x_2)
{
    if(!(x_2 < 88.8000030517578125))
    {
        float _S522;
        if(x_2 != x_2)
        {
            _S522 = x_2;
        }
        else
        {
            _S522 = infinity_0();
        }
        return _S522;
    }
    if(x_2 < -104.0)
    {
        return 0.0;
    }
    float n_4 = floor(x_2 * 1.4426950216293335 + 0.5);
    float high_1 = x_2 - n_4 * 0.693359375;
    float r_5 = high_1 + n_4 * 0.00021219444170129;
    int _S523 = int(n_4);
    int half_11 = _S523 / int(2);
    return ((((((0.00019875691214111 * r_5 + 0.00139819993637502) * r_5 + 0.00833345204591751) * r_5 + 0.04166579619050026) * r_5 + 0.1666666567325592) * r_5 + 0.5) * r_5 * r_5 + r_5 + 1.0) * power_of_two_0(half_11) * power_of_two_0(_S523 - half_11);
}
float tanh_of_0(float x_3)
{
    float a_2 = abs(x_3);
    float z_0 = x_3 * x_3;
    if(a_2 < 0.30000001192092896)
    {
        return x_3 + x_3 * z_0 * ((((-0.0088632358238101 * z_0 + 0.0218694880604744) * z_0 - 0.05396825447678566) * z_0 + 0.13333332538604736) * z_0 - 0.3333333432674408);
    }
    float e_3 = exp_of_0(-2.0 * a_2);
    float y_0 = (1.0 - e_3) / (1.0 + e_3);
    float _S524;
    if(x_3 < 0.0)
    {
        _S524 = - y_0;
    }
    else
    {
        _S524 = y_0;
    }
    return _S524;
}
float erf_of_0(float x_4)
{
    float a_3 = abs(x_4);
    float k_2 = 1.0 / (1.0 + 0.32759109139442444 * a_3);
    float y_1 = 1.0 - ((((1.06140542030334473 * k_2 - 1.45315206050872803) * k_2 + 1.42141377925872803) * k_2 - 0.2844967246055603) * k_2 + 0.25482958555221558) * k_2 * exp_of_0(- a_3 * a_3);
    float _S525;
    if(x_4 < 0.0)
    {
        _S525 = - y_1;
    }
    else
    {
        _S525 = y_1;
    }
    return _S525;
}
float activated_0(float x_5)
{
    if(C_ACTIVATION_0 == 0U)
    {
        return x_5 / (1.0 + exp_of_0(- x_5));
    }
    if(C_ACTIVATION_0 == 1U)
    {
        return 0.5 * x_5 * (1.0 + tanh_of_0(0.79788458347320557 * (x_5 + 0.04471499845385551 * x_5 * x_5 * x_5)));
    }
    if(C_ACTIVATION_0 == 2U)
    {
        return 0.5 * x_5 * (1.0 + erf_of_0(x_5 * 0.70710676908493042));
    }
    float _S526;
    if(x_5 < 0.0)
    {
        _S526 = 0.0;
    }
    else
    {
        _S526 = x_5;
    }
    return _S526;
}
float gated_0(float x_6, float up_0)
{
    return activated_0(x_6) * up_0;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_8;
    (&kernelContext_8)->args_0 = args_1;
    threadgroup array<float, int(576)> partial_1;
    (&kernelContext_8)->partial_0 = &partial_1;
    threadgroup array<float, int(64)> eighths_of_squares_1;
    (&kernelContext_8)->eighths_of_squares_0 = &eighths_of_squares_1;
    threadgroup array<float, int(256)> eighths_1;
    (&kernelContext_8)->eighths_0 = &eighths_1;
    threadgroup array<float, int(32)> finished_1;
    (&kernelContext_8)->finished_0 = &finished_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S527 = stopped_0(&kernelContext_8);
    if(_S527)
    {
        return;
    }
    uint tile_2 = group_0.x;
    for(;;)
    {
        uint _S528 = product_tiles_0();
        if(tile_2 < _S528)
        {
        }
        else
        {
            break;
        }
        Product_0 _S529 = product_0(tile_2, group_0.y, sv_groupindex_0, &kernelContext_8);
        uint _S530 = own_0();
        if(sv_groupindex_0 < (outputs_0() * _S530))
        {
            (*(&kernelContext_8)->finished_0)[sv_groupindex_0] = _S529.v_12;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint _S531 = gates_0();
        uint _S532 = tile_2 * _S531;
        uint _S533 = sv_groupindex_0 / _S530;
        uint column_1 = _S532 + _S533;
        uint _S534 = _S531 * _S530;
        bool _S535;
        if(sv_groupindex_0 < _S534)
        {
            _S535 = (_S529.row_1) < ((&kernelContext_8)->args_0->step_0->rows_0);
        }
        else
        {
            _S535 = false;
        }
        bool _S536;
        if(_S535)
        {
            _S536 = column_1 < C_F_0;
        }
        else
        {
            _S536 = false;
        }
        if(_S536)
        {
            *((float device*)((ulong)((&kernelContext_8)->args_0->out_0)) + (ulong(_S529.row_1) * act_row_bytes_0(0U, C_F_0) / 4UL + ulong(column_1))) = gated_0((*(&kernelContext_8)->finished_0)[sv_groupindex_0], (*(&kernelContext_8)->finished_0)[sv_groupindex_0 + _S534]);
        }
        uint _S537 = product_tiles_0();
        tile_2 = tile_2 + min(_S537, 65535U);
    }
    return;
}
