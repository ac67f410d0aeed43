// Made by tools/vulkan-kernels.sh of embed.slang and what stands before it.
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
constant uint fc_C_D_0 [[function_constant(2)]];
constant uint C_D_0 = is_function_constant_defined(fc_C_D_0) ? fc_C_D_0 : 1U;
constant uint fc_C_VOCAB_0 [[function_constant(3)]];
constant uint C_VOCAB_0 = is_function_constant_defined(fc_C_VOCAB_0) ? fc_C_VOCAB_0 : 1U;
constant uint fc_C_MAX_SEQ_0 [[function_constant(4)]];
constant uint C_MAX_SEQ_0 = is_function_constant_defined(fc_C_MAX_SEQ_0) ? fc_C_MAX_SEQ_0 : 1U;
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
    uchar device* tokens_0;
    uchar device* w_0;
    uchar device* h_0;
    float scale_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
};
bool stopped_0(KernelContext_0 thread* kernelContext_0)
{
    return (kernelContext_0->args_0->step_0->stop_0) != 0U;
}
struct Seq_0
{
    ulong seed_0;
    uint len_0;
    uint limit_0;
    float temperature_0;
    float floor_0;
    uint shift_keep_0;
    uint shift_by_0;
    uint eos_count_0;
    uint stop_1;
    array<uint, int(16)> eos_0;
};
Seq_0 device* step_seq_0(uint i_0, KernelContext_0 thread* kernelContext_1)
{
    return (Seq_0 device*)((ulong)((uchar device*)((ulong)(kernelContext_1->args_0->step_0)) + int(64))) + i_0;
}
struct Row_0
{
    uint seq_0;
    uint pos_0;
};
Row_0 device* step_rows_0(KernelContext_0 thread* kernelContext_2)
{
    Seq_0 device* _S1 = step_seq_0(kernelContext_2->args_0->step_0->seqs_cap_0, kernelContext_2);
    return (Row_0 device*)((ulong)(_S1));
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
    bool _S2 = is_affine_0();
    uint _S3 = affine_bits_0();
    return select(select(4U, 2U, ((C_DTYPE_0 == 10U) | (C_DTYPE_0 == 11U)) | (_S2 & (_S3 < 4U))), 8U, ((signed_bytes_0()) | (C_DTYPE_0 == 3840U)) | (_S2 & (_S3 == 8U)));
}
uint high_bits_0()
{
    bool _S4 = is_affine_0();
    uint _S5 = affine_bits_0();
    return select(select(0U, 1U, ((((C_DTYPE_0 == 6U) | (C_DTYPE_0 == 7U)) | (C_DTYPE_0 == 13U)) | (C_DTYPE_0 == 11U)) | (_S4 & ((_S5 & 1U) != 0U))), 2U, (C_DTYPE_0 == 14U) | (_S4 & (_S5 == 6U)));
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
    ulong at_0 = ulong(row_0) * ulong(C_D_0);
    thread Planes_0 p_0;
    if(is_float_0())
    {
        int _S6;
        if(C_DTYPE_0 == 0U)
        {
            _S6 = int(4);
        }
        else
        {
            _S6 = int(2);
        }
        ulong _S7 = at_0 * ulong(_S6);
        (&p_0)->low_0 = _S7;
        (&p_0)->super_0 = _S7;
        (&p_0)->scales_0 = _S7;
        (&p_0)->high_0 = _S7;
        return p_0;
    }
    ulong _S8 = ulong(low_bits_0());
    ulong above_0 = ulong(C_VOCAB_0) * ulong(C_D_0) / 8UL * _S8;
    ulong _S9 = ulong(high_bits_0());
    ulong rest_0 = above_0 + ulong(C_VOCAB_0) * ulong(C_D_0) / 8UL * _S9;
    (&p_0)->low_0 = at_0 / 8UL * _S8;
    (&p_0)->high_0 = above_0 + at_0 / 8UL * _S9;
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
        ulong _S10 = at_0 / 8UL / ulong(blocks_of_pair_0());
        (&p_0)->scales_0 = rest_0 + _S10;
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
        (&p_0)->super_0 = rest_0 + ulong(C_VOCAB_0) * ulong(C_D_0) / 16UL + at_0 / 64UL;
    }
    if(C_DTYPE_0 == 11U)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 256UL * 12UL;
        (&p_0)->super_0 = rest_0 + ulong(C_VOCAB_0) * ulong(C_D_0) / 256UL * 12UL + at_0 / 128UL;
    }
    if(C_DTYPE_0 == 14U)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 16UL;
        (&p_0)->super_0 = rest_0 + ulong(C_VOCAB_0) * ulong(C_D_0) / 16UL + at_0 / 128UL;
    }
    return p_0;
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
        uchar device* _S11 = w_1 + p_1->low_0 + o_0 * 32U;
        float4 _S12 = float4(*(packed_float4 device*)((ulong)(_S11))) ;
        float4 _S13 = float4(*(packed_float4 device*)((ulong)(_S11 + int(16)))) ;
        (*v_0)[int(0)] = _S12.x;
        (*v_0)[int(1)] = _S12.y;
        (*v_0)[int(2)] = _S12.z;
        (*v_0)[int(3)] = _S12.w;
        (*v_0)[int(4)] = _S13.x;
        (*v_0)[int(5)] = _S13.y;
        (*v_0)[int(6)] = _S13.z;
        (*v_0)[int(7)] = _S13.w;
        return;
    }
    uint4 _S14 = uint4(*(packed_uint4 device*)((ulong)(w_1 + p_1->low_0 + o_0 * 16U))) ;
    uint _S15 = _S14.x;
    uint half_2 = (_S15 >> 0U) & 65535U;
    float _S16;
    if(C_DTYPE_0 == 1U)
    {
        _S16 = f16_to_f32_0(half_2);
    }
    else
    {
        _S16 = bf16_to_f32_0(half_2);
    }
    (*v_0)[0U] = _S16;
    uint half_3 = (_S15 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S16 = f16_to_f32_0(half_3);
    }
    else
    {
        _S16 = bf16_to_f32_0(half_3);
    }
    (*v_0)[1U] = _S16;
    uint _S17 = _S14.y;
    uint half_4 = (_S17 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S16 = f16_to_f32_0(half_4);
    }
    else
    {
        _S16 = bf16_to_f32_0(half_4);
    }
    (*v_0)[2U] = _S16;
    uint half_5 = (_S17 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S16 = f16_to_f32_0(half_5);
    }
    else
    {
        _S16 = bf16_to_f32_0(half_5);
    }
    (*v_0)[3U] = _S16;
    uint _S18 = _S14.z;
    uint half_6 = (_S18 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S16 = f16_to_f32_0(half_6);
    }
    else
    {
        _S16 = bf16_to_f32_0(half_6);
    }
    (*v_0)[4U] = _S16;
    uint half_7 = (_S18 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S16 = f16_to_f32_0(half_7);
    }
    else
    {
        _S16 = bf16_to_f32_0(half_7);
    }
    (*v_0)[5U] = _S16;
    uint _S19 = _S14.w;
    uint half_8 = (_S19 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S16 = f16_to_f32_0(half_8);
    }
    else
    {
        _S16 = bf16_to_f32_0(half_8);
    }
    (*v_0)[6U] = _S16;
    uint half_9 = (_S19 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S16 = f16_to_f32_0(half_9);
    }
    else
    {
        _S16 = bf16_to_f32_0(half_9);
    }
    (*v_0)[7U] = _S16;
    return;
}
uint word_at_0(uchar device* p_2)
{
    return *(uint device*)((ulong)(p_2));
}
float e8m0_half_0(uint e_0)
{
    return (as_type<float>((select((e_0 - 1U) << 23U, 2097152U << (e_0 & 1U), e_0 < 2U))));
}
float e8m0_0(uint e_1)
{
    return (as_type<float>((select(e_1 << 23U, 4194304U, e_1 == 0U))));
}
float e4m3_times_512_0(uint b_0)
{
    uint e_2 = (b_0 >> 3U) & 15U;
    uint m_0 = b_0 & 7U;
    return float(select((m_0 | 8U) << (max(e_2, 1U) - 1U), m_0, e_2 == 0U));
}
float ue4m3_half_0(uint b_1)
{
    return select(e4m3_times_512_0(b_1) * 0.0009765625, 0.0, b_1 == 127U);
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
    uint _S20 = half_at_0(p_5);
    return f16_to_f32_0(_S20);
}
int signed_byte_0(uchar b_2)
{
    return int(uint(b_2) << 24U) >> 24U;
}
float2 octet_scale_0(uchar device* w_2, const Planes_0 thread* p_6, uint o_1)
{
    uint b_3 = o_1 / 4U;
    uint c_0 = b_3 % 8U;
    uint super_1 = o_1 / 32U;
    if(in_pairs_0())
    {
        uchar device* _S21 = w_2 + p_6->scales_0;
        uint _S22 = b_3 / blocks_of_pair_0();
        uint both_0 = word_at_0(_S21 + _S22 * 4U);
        if((is_affine_0()) & ((C_DTYPE_0 & 1U) == 0U))
        {
            return float2(bf16_to_f32_0(both_0 & 65535U), bf16_to_f32_0(both_0 >> 16U));
        }
        return float2(f16_to_f32_0(both_0), f16_to_f32_0(both_0 >> 16U));
    }
    if(C_DTYPE_0 == 39U)
    {
        return float2(e8m0_half_0(uint(*(w_2 + (p_6->scales_0 + ulong(b_3))))), 0.0);
    }
    if(C_DTYPE_0 == 3840U)
    {
        return float2(e8m0_0(uint(*(w_2 + (p_6->scales_0 + ulong(b_3))))), 0.0);
    }
    if(C_DTYPE_0 == 40U)
    {
        return float2(ue4m3_half_0(uint(*(w_2 + (p_6->scales_0 + ulong(o_1 / 2U))))), 0.0);
    }
    if(C_DTYPE_0 == 23U)
    {
        ulong _S23 = p_6->super_0;
        uint _S24 = super_1 * 8U;
        uint head_0 = word_at_0(w_2 + p_6->super_0 + _S24);
        return float2(f16_to_f32_0(head_0) * float(int(((uint(*(w_2 + (_S23 + ulong(_S24) + 4UL + ulong(c_0 / 2U)))) >> (c_0 % 2U * 4U)) & 15U) | (((head_0 >> (16U + c_0 * 2U)) & 3U) << 4U)) - int(32)), 0.0);
    }
    if(C_DTYPE_0 == 15U)
    {
        return float2(*(float device*)((ulong)(w_2 + p_6->super_0 + super_1 * 4U)), 0.0);
    }
    if((C_DTYPE_0 == 12U) | (C_DTYPE_0 == 13U))
    {
        uchar device* head_1 = w_2 + p_6->super_0 + super_1 * 16U;
        uint dm_0 = word_at_0(head_1);
        uchar device* pair_0 = head_1 + int(4) + c_0 * 3U / 2U;
        uint two_0 = (uint(*(pair_0 + int(0))) | (uint(*(pair_0 + int(1))) << 8U)) >> (c_0 % 2U * 4U);
        return float2(f16_to_f32_0(dm_0) * float(two_0 & 63U), - (f16_to_f32_0(dm_0 >> 16U) * float((two_0 >> 6U) & 63U)));
    }
    if(C_DTYPE_0 == 10U)
    {
        uint s_0 = uint(*(w_2 + (p_6->scales_0 + ulong(o_1 / 2U))));
        uint dm_1 = word_at_0(w_2 + p_6->super_0 + super_1 * 4U);
        return float2(f16_to_f32_0(dm_1) * float(s_0 & 15U), - (f16_to_f32_0(dm_1 >> 16U) * float(s_0 >> 4U)));
    }
    if(C_DTYPE_0 == 11U)
    {
        uint _S25 = six_bits_0(w_2 + p_6->scales_0 + super_1 * 12U, o_1 / 2U % 16U);
        int s_1 = int(_S25) - int(32);
        float _S26 = scale_at_0(w_2 + p_6->super_0 + super_1 * 2U);
        return float2(_S26 * float(s_1), 0.0);
    }
    if(C_DTYPE_0 == 14U)
    {
        float _S27 = scale_at_0(w_2 + p_6->super_0 + super_1 * 2U);
        return float2(_S27 * float(signed_byte_0(*(w_2 + (p_6->scales_0 + ulong(o_1 / 2U))))), 0.0);
    }
    float _S28 = scale_at_0(w_2 + p_6->scales_0 + b_3 * 2U);
    return float2(_S28, 0.0);
}
float e4m3_0(uint b_4)
{
    float v_1 = e4m3_times_512_0(b_4) * 0.001953125;
    return select(v_1, - v_1, (b_4 & 128U) != 0U);
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
uint nibbles_of_0(uint b_5)
{
    uint c_1 = b_5 % 8U;
    return select(b_5 * 16U, b_5 / 8U * 128U + (c_1 % 2U * 4U + c_1 / 2U) * 16U, striped_0());
}
uint table_word_0(uint i_1)
{
    bool _S29 = i_1 < 2U;
    bool _S30 = i_1 == 0U;
    bool _S31 = i_1 == 2U;
    return select(select(select(4109957884U, 4261347072U, _S31), select(201852420U, 50462976U, _S30), _S29), select(select(1901675829U, 639175937U, _S31), select(4142587343U, 3215825025U, _S30), _S29), is_iq4_0());
}
uint chosen_0(uint a_0, uint b_6, uint mask_0)
{
    return a_0 ^ ((a_0 ^ b_6) & mask_0);
}
uint four_of_table_0(uint nibbles_0)
{
    uint pairs_0 = ((nibbles_0 & 65535U) | (nibbles_0 << 8U)) & 16711935U;
    uint places_0 = (pairs_0 | (pairs_0 << 4U)) & 252645135U;
    uint _S32 = (places_0 & 16843009U) * 255U;
    uint _S33 = ((places_0 >> 1U) & 16843009U) * 255U;
    uint third_0 = ((places_0 >> 2U) & 16843009U) * 255U;
    uint fourth_0 = ((places_0 >> 3U) & 16843009U) * 255U;
    thread array<uint, int(4)> v_2;
    uint i_2 = 0U;
    for(;;)
    {
        if(i_2 < 4U)
        {
        }
        else
        {
            break;
        }
        uint word_0 = table_word_0(i_2);
        v_2[i_2] = chosen_0(chosen_0((word_0 & 255U) * 16843009U, ((word_0 >> 8U) & 255U) * 16843009U, _S32), chosen_0(((word_0 >> 16U) & 255U) * 16843009U, (word_0 >> 24U) * 16843009U, _S32), _S33);
        i_2 = i_2 + 1U;
    }
    return chosen_0(chosen_0(v_2[int(0)], v_2[int(1)], third_0), chosen_0(v_2[int(2)], v_2[int(3)], third_0), fourth_0);
}
uint zero_0()
{
    return select(select(select(select(select(0U, 4U, C_DTYPE_0 == 11U), 16U, C_DTYPE_0 == 6U), 8U, C_DTYPE_0 == 2U), 32U, C_DTYPE_0 == 14U), 128U, (signed_bytes_0()) | (in_table_0()));
}
void octet_codes_0(uchar device* w_3, const Planes_0 thread* p_7, uint o_2, array<float, int(8)> thread* q_0)
{
    uint b_7 = o_2 / 4U;
    uint j_0 = o_2 % 4U;
    thread array<uint, int(8)> v_3;
    uint _S34 = low_bits_0();
    uint k_0;
    if(_S34 == 8U)
    {
        uint2 _S35 = (uint2(*(packed_uint2 device*)((ulong)(w_3 + p_7->low_0 + o_2 * 8U))) ) ^ (uint2(select(0U, 2155905152U, signed_bytes_0())) );
        uint _S36 = _S35.x;
        v_3[0U] = (_S36 >> 0U) & 255U;
        v_3[1U] = (_S36 >> 8U) & 255U;
        v_3[2U] = (_S36 >> 16U) & 255U;
        v_3[3U] = (_S36 >> 24U) & 255U;
        uint _S37 = _S35.y;
        v_3[4U] = (_S37 >> 0U) & 255U;
        v_3[5U] = (_S37 >> 8U) & 255U;
        v_3[6U] = (_S37 >> 16U) & 255U;
        v_3[7U] = (_S37 >> 24U) & 255U;
        if(C_DTYPE_0 == 3840U)
        {
            k_0 = 0U;
            for(;;)
            {
                if(k_0 < 8U)
                {
                }
                else
                {
                    break;
                }
                (*q_0)[k_0] = e4m3_0(v_3[k_0]);
                k_0 = k_0 + 1U;
            }
            return;
        }
    }
    else
    {
        if(in_table_0())
        {
            uint _S38 = word_at_0(w_3 + p_7->low_0 + nibbles_of_0(b_7) + j_0 * 4U);
            k_0 = 0U;
            for(;;)
            {
                if(k_0 < 2U)
                {
                }
                else
                {
                    break;
                }
                uint _S39 = (four_of_table_0(_S38 >> (k_0 * 16U))) ^ 2155905152U;
                uint _S40 = k_0 * 4U;
                v_3[_S40] = (_S39 >> 0U) & 255U;
                v_3[_S40 + 1U] = (_S39 >> 8U) & 255U;
                v_3[_S40 + 2U] = (_S39 >> 16U) & 255U;
                v_3[_S40 + 3U] = (_S39 >> 24U) & 255U;
                k_0 = k_0 + 1U;
            }
        }
        else
        {
            if(_S34 == 4U)
            {
                uint2 _S41 = (uint2(*(packed_uint2 device*)((ulong)(w_3 + p_7->low_0 + nibbles_of_0(b_7) + j_0 % 2U * 8U))) ) >> (uint2((j_0 / 2U * 4U)) );
                uint _S42 = _S41.x;
                v_3[0U] = (_S42 >> 0U) & 15U;
                v_3[1U] = (_S42 >> 8U) & 15U;
                v_3[2U] = (_S42 >> 16U) & 15U;
                v_3[3U] = (_S42 >> 24U) & 15U;
                uint _S43 = _S41.y;
                v_3[4U] = (_S43 >> 0U) & 15U;
                v_3[5U] = (_S43 >> 8U) & 15U;
                v_3[6U] = (_S43 >> 16U) & 15U;
                v_3[7U] = (_S43 >> 24U) & 15U;
            }
            else
            {
                uint _S44 = word_at_0(w_3 + p_7->low_0 + b_7 * 8U + j_0 / 2U * 4U);
                uint _S45 = _S44 >> (j_0 % 2U * 4U);
                v_3[0U] = (_S45 >> 0U) & 3U;
                v_3[1U] = (_S45 >> 8U) & 3U;
                v_3[2U] = (_S45 >> 16U) & 3U;
                v_3[3U] = (_S45 >> 24U) & 3U;
                v_3[4U] = (_S45 >> 2U) & 3U;
                v_3[5U] = (_S45 >> 10U) & 3U;
                v_3[6U] = (_S45 >> 18U) & 3U;
                v_3[7U] = (_S45 >> 26U) & 3U;
            }
        }
    }
    uint _S46 = high_bits_0();
    if(_S46 == 2U)
    {
        uint _S47 = word_at_0(w_3 + p_7->high_0 + b_7 * 8U + j_0 / 2U * 4U);
        uint _S48 = _S47 >> (j_0 % 2U * 4U);
        v_3[0U] = (v_3[0U]) | (((_S48 >> 0U) & 3U) << _S34);
        v_3[1U] = (v_3[1U]) | (((_S48 >> 8U) & 3U) << _S34);
        v_3[2U] = (v_3[2U]) | (((_S48 >> 16U) & 3U) << _S34);
        v_3[3U] = (v_3[3U]) | (((_S48 >> 24U) & 3U) << _S34);
        v_3[4U] = (v_3[4U]) | (((_S48 >> 2U) & 3U) << _S34);
        v_3[5U] = (v_3[5U]) | (((_S48 >> 10U) & 3U) << _S34);
        v_3[6U] = (v_3[6U]) | (((_S48 >> 18U) & 3U) << _S34);
        v_3[7U] = (v_3[7U]) | (((_S48 >> 26U) & 3U) << _S34);
    }
    if(_S46 == 1U)
    {
        uint _S49 = word_at_0(w_3 + p_7->high_0 + b_7 * 4U);
        uint _S50 = _S49 >> (j_0 * 2U);
        v_3[0U] = (v_3[0U]) | (((_S50 >> 0U) & 1U) << _S34);
        v_3[1U] = (v_3[1U]) | (((_S50 >> 8U) & 1U) << _S34);
        v_3[2U] = (v_3[2U]) | (((_S50 >> 16U) & 1U) << _S34);
        v_3[3U] = (v_3[3U]) | (((_S50 >> 24U) & 1U) << _S34);
        v_3[4U] = (v_3[4U]) | (((_S50 >> 1U) & 1U) << _S34);
        v_3[5U] = (v_3[5U]) | (((_S50 >> 9U) & 1U) << _S34);
        v_3[6U] = (v_3[6U]) | (((_S50 >> 17U) & 1U) << _S34);
        v_3[7U] = (v_3[7U]) | (((_S50 >> 25U) & 1U) << _S34);
    }
    float _S51 = float(8388608U + zero_0());
    (*q_0)[0U] = (as_type<float>((1258291200U | v_3[0U]))) - _S51;
    (*q_0)[1U] = (as_type<float>((1258291200U | v_3[1U]))) - _S51;
    (*q_0)[2U] = (as_type<float>((1258291200U | v_3[2U]))) - _S51;
    (*q_0)[3U] = (as_type<float>((1258291200U | v_3[3U]))) - _S51;
    (*q_0)[4U] = (as_type<float>((1258291200U | v_3[4U]))) - _S51;
    (*q_0)[5U] = (as_type<float>((1258291200U | v_3[5U]))) - _S51;
    (*q_0)[6U] = (as_type<float>((1258291200U | v_3[6U]))) - _S51;
    (*q_0)[7U] = (as_type<float>((1258291200U | v_3[7U]))) - _S51;
    return;
}
bool has_minimum_0()
{
    return (((in_pairs_0()) | (C_DTYPE_0 == 12U)) | (C_DTYPE_0 == 13U)) | (C_DTYPE_0 == 10U);
}
void octet_values_0(uchar device* w_4, const Planes_0 thread* p_8, uint o_3, array<float, int(8)> thread* v_4)
{
    if(is_float_0())
    {
        octet_floats_0(w_4, p_8, o_3, v_4);
        return;
    }
    float2 _S52 = octet_scale_0(w_4, p_8, o_3);
    octet_codes_0(w_4, p_8, o_3, v_4);
    float _S53 = _S52.x;
    (*v_4)[0U] = _S53 * (*v_4)[0U];
    bool _S54 = has_minimum_0();
    if(_S54)
    {
        (*v_4)[0U] = (*v_4)[0U] + _S52.y;
    }
    (*v_4)[1U] = _S53 * (*v_4)[1U];
    if(_S54)
    {
        (*v_4)[1U] = (*v_4)[1U] + _S52.y;
    }
    (*v_4)[2U] = _S53 * (*v_4)[2U];
    if(_S54)
    {
        (*v_4)[2U] = (*v_4)[2U] + _S52.y;
    }
    (*v_4)[3U] = _S53 * (*v_4)[3U];
    if(_S54)
    {
        (*v_4)[3U] = (*v_4)[3U] + _S52.y;
    }
    (*v_4)[4U] = _S53 * (*v_4)[4U];
    if(_S54)
    {
        (*v_4)[4U] = (*v_4)[4U] + _S52.y;
    }
    (*v_4)[5U] = _S53 * (*v_4)[5U];
    if(_S54)
    {
        (*v_4)[5U] = (*v_4)[5U] + _S52.y;
    }
    (*v_4)[6U] = _S53 * (*v_4)[6U];
    if(_S54)
    {
        (*v_4)[6U] = (*v_4)[6U] + _S52.y;
    }
    (*v_4)[7U] = _S53 * (*v_4)[7U];
    if(_S54)
    {
        (*v_4)[7U] = (*v_4)[7U] + _S52.y;
    }
    return;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_3;
    (&kernelContext_3)->args_0 = args_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S55 = stopped_0(&kernelContext_3);
    if(_S55)
    {
        return;
    }
    uint r_0 = group_0.x;
    if(r_0 >= ((&kernelContext_3)->args_0->step_0->rows_0))
    {
        return;
    }
    Row_0 device* _S56 = step_rows_0(&kernelContext_3);
    Row_0 at_1 = *(_S56 + r_0);
    Planes_0 _S57 = row_planes_0(min(*((uint device*)((ulong)((&kernelContext_3)->args_0->tokens_0)) + (ulong(at_1.seq_0) * ulong(C_MAX_SEQ_0) + ulong(at_1.pos_0))), C_VOCAB_0 - 1U));
    float device* _S58 = (float device*)((ulong)((&kernelContext_3)->args_0->h_0)) + ulong(r_0) * ulong(C_D_0);
    uint o_4 = sv_groupindex_0;
    for(;;)
    {
        if(o_4 < (C_D_0 / 8U))
        {
        }
        else
        {
            break;
        }
        uchar device* _S59 = (&kernelContext_3)->args_0->w_0;
        thread Planes_0 _S60 = _S57;
        thread array<float, int(8)> v_5;
        octet_values_0(_S59, &_S60, o_4, &v_5);
        uint _S61 = o_4 * 8U;
        *(_S58 + _S61) = v_5[0U] * (&kernelContext_3)->args_0->scale_0;
        *(_S58 + (_S61 + 1U)) = v_5[1U] * (&kernelContext_3)->args_0->scale_0;
        *(_S58 + (_S61 + 2U)) = v_5[2U] * (&kernelContext_3)->args_0->scale_0;
        *(_S58 + (_S61 + 3U)) = v_5[3U] * (&kernelContext_3)->args_0->scale_0;
        *(_S58 + (_S61 + 4U)) = v_5[4U] * (&kernelContext_3)->args_0->scale_0;
        *(_S58 + (_S61 + 5U)) = v_5[5U] * (&kernelContext_3)->args_0->scale_0;
        *(_S58 + (_S61 + 6U)) = v_5[6U] * (&kernelContext_3)->args_0->scale_0;
        *(_S58 + (_S61 + 7U)) = v_5[7U] * (&kernelContext_3)->args_0->scale_0;
        o_4 = o_4 + 64U;
    }
    return;
}
