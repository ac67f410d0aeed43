// Made by tools/vulkan-kernels.sh of rope_kv_attention.slang and what stands before it.
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
constant uint fc_C_HEAD_DIM_0 [[function_constant(2)]];
constant uint C_HEAD_DIM_0 = is_function_constant_defined(fc_C_HEAD_DIM_0) ? fc_C_HEAD_DIM_0 : 1U;
constant uint fc_C_HEADS_0 [[function_constant(0)]];
constant uint C_HEADS_0 = is_function_constant_defined(fc_C_HEADS_0) ? fc_C_HEADS_0 : 1U;
constant uint fc_C_SOFTCAP_0 [[function_constant(11)]];
constant uint C_SOFTCAP_0 = is_function_constant_defined(fc_C_SOFTCAP_0) ? fc_C_SOFTCAP_0 : 1U;
constant uint fc_C_KV_HEADS_0 [[function_constant(1)]];
constant uint C_KV_HEADS_0 = is_function_constant_defined(fc_C_KV_HEADS_0) ? fc_C_KV_HEADS_0 : 1U;
constant uint fc_C_PAIRING_0 [[function_constant(4)]];
constant uint C_PAIRING_0 = is_function_constant_defined(fc_C_PAIRING_0) ? fc_C_PAIRING_0 : 1U;
constant uint fc_C_PAIRS_0 [[function_constant(3)]];
constant uint C_PAIRS_0 = is_function_constant_defined(fc_C_PAIRS_0) ? fc_C_PAIRS_0 : 1U;
constant uint fc_C_BLOCKS_0 [[function_constant(12)]];
constant uint C_BLOCKS_0 = is_function_constant_defined(fc_C_BLOCKS_0) ? fc_C_BLOCKS_0 : 1U;
constant uint fc_C_WINDOW_0 [[function_constant(9)]];
constant uint C_WINDOW_0 = is_function_constant_defined(fc_C_WINDOW_0) ? fc_C_WINDOW_0 : 1U;
constant uint fc_C_MAX_SEQ_0 [[function_constant(10)]];
constant uint C_MAX_SEQ_0 = is_function_constant_defined(fc_C_MAX_SEQ_0) ? fc_C_MAX_SEQ_0 : 1U;
uint group_heads_0()
{
    return C_HEADS_0 / C_KV_HEADS_0;
}
uint head_groups_0()
{
    return (group_heads_0() + 4U - 1U) / 4U;
}
uint split_parts_0()
{
    uint slots_0;
    if(C_WINDOW_0 == 0U)
    {
        slots_0 = C_MAX_SEQ_0;
    }
    else
    {
        slots_0 = min(C_MAX_SEQ_0, C_WINDOW_0 + 64U);
    }
    uint _S1 = (slots_0 + 64U - 1U) / 64U;
    uint _S2 = 512U / (C_KV_HEADS_0 * head_groups_0());
    return min(_S1, max(min(_S2, 64U), 1U));
}
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
    uchar device* block_table_0;
    uchar device* angles_0;
    uchar device* qkv_0;
    uchar device* k_cache_0;
    uchar device* v_cache_0;
    uchar device* partials_0;
    uchar device* sync_0;
    uchar device* out_0;
    float scale_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<float4, int(256)> threadgroup* queries_0;
    array<float, int(2048)> threadgroup* fresh_keys_0;
    array<float, int(2048)> threadgroup* fresh_values_0;
    array<float, int(1152)> threadgroup* dots_0;
    array<float, int(256)> threadgroup* weights_0;
    array<float, int(32)> threadgroup* eighths_0;
    array<float, int(4)> threadgroup* shrinks_0;
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
    Seq_0 device* _S3 = step_seq_0(kernelContext_2->args_0->step_0->seqs_cap_0, kernelContext_2);
    return (Row_0 device*)((ulong)(_S3));
}
uint first_seen_0(uint pos_1)
{
    bool _S4;
    if(C_WINDOW_0 == 0U)
    {
        _S4 = true;
    }
    else
    {
        _S4 = (pos_1 + 1U) < C_WINDOW_0;
    }
    uint _S5;
    if(_S4)
    {
        _S5 = 0U;
    }
    else
    {
        _S5 = pos_1 + 1U - C_WINDOW_0;
    }
    return _S5;
}
float device* step_head_0(uint row_0, uint head_0, KernelContext_0 thread* kernelContext_3)
{
    return (float device*)((ulong)(kernelContext_3->args_0->qkv_0)) + (ulong(row_0) * ulong(C_HEADS_0 + 2U * C_KV_HEADS_0) + ulong(head_0)) * ulong(C_HEAD_DIM_0);
}
float turned_0(float device* x_0, packed_float2 device* angles_1, uint e_0)
{
    if(e_0 >= (2U * C_PAIRS_0))
    {
        return *(x_0 + e_0);
    }
    uint i_1;
    if(C_PAIRING_0 == 0U)
    {
        i_1 = e_0 / 2U;
    }
    else
    {
        uint _S6 = e_0 % C_PAIRS_0;
        i_1 = _S6;
    }
    bool second_0;
    if(C_PAIRING_0 == 0U)
    {
        second_0 = (e_0 % 2U) != 0U;
    }
    else
    {
        second_0 = e_0 >= C_PAIRS_0;
    }
    uint a_0;
    if(C_PAIRING_0 == 0U)
    {
        a_0 = e_0 / 2U * 2U;
    }
    else
    {
        a_0 = i_1;
    }
    uint b_0;
    if(C_PAIRING_0 == 0U)
    {
        b_0 = a_0 + 1U;
    }
    else
    {
        b_0 = i_1 + C_PAIRS_0;
    }
    float2 _S7 = float2(*(angles_1 + i_1)) ;
    float _S8;
    if(second_0)
    {
        _S8 = *(x_0 + a_0) * _S7.y + *(x_0 + b_0) * _S7.x;
    }
    else
    {
        _S8 = *(x_0 + a_0) * _S7.x - *(x_0 + b_0) * _S7.y;
    }
    return _S8;
}
uint kv_element_0(uint type_0)
{
    int _S9;
    if(type_0 == 1U)
    {
        _S9 = int(4);
    }
    else
    {
        if(type_0 == 3U)
        {
            _S9 = int(1);
        }
        else
        {
            _S9 = int(2);
        }
    }
    return uint(_S9);
}
ulong kv_tile_bytes_0(uint type_1)
{
    uint _S10 = C_HEAD_DIM_0 * kv_element_0(type_1);
    uint _S11;
    if(type_1 == 3U)
    {
        _S11 = C_HEAD_DIM_0 / 32U * 2U;
    }
    else
    {
        _S11 = 0U;
    }
    return ulong(256U * (_S10 + _S11));
}
ulong kv_tile_0(uint type_2, uint device* table_0, uint head_1, uint pos_2)
{
    return (ulong(*(table_0 + pos_2 / 256U)) * ulong(C_KV_HEADS_0) + ulong(head_1)) * kv_tile_bytes_0(type_2);
}
constant uint fc_C_K_TYPE_0 [[function_constant(5)]];
constant uint C_K_TYPE_0 = is_function_constant_defined(fc_C_K_TYPE_0) ? fc_C_K_TYPE_0 : 1U;
constant uint fc_C_V_TYPE_0 [[function_constant(6)]];
constant uint C_V_TYPE_0 = is_function_constant_defined(fc_C_V_TYPE_0) ? fc_C_V_TYPE_0 : 1U;
uint f32_to_f16_0(float value_0)
{
    uint bits_0 = (as_type<uint>((value_0)));
    uint sign_0 = (bits_0 >> 16U) & 32768U;
    uint a_1 = bits_0 & 2147483647U;
    if(a_1 > 2139095040U)
    {
        return sign_0 | 32256U;
    }
    if(a_1 >= 1199566848U)
    {
        return sign_0 | 31744U;
    }
    if(a_1 < 855638017U)
    {
        return sign_0;
    }
    uint e_1 = a_1 >> 23U;
    bool _S12 = e_1 < 113U;
    uint shift_0;
    if(_S12)
    {
        shift_0 = 126U - e_1;
    }
    else
    {
        shift_0 = 13U;
    }
    uint m_0;
    if(_S12)
    {
        m_0 = (a_1 & 8388607U) | 8388608U;
    }
    else
    {
        m_0 = a_1 - 939524096U;
    }
    uint q_0 = m_0 >> shift_0;
    uint rest_0 = m_0 & ((1U << shift_0) - 1U);
    uint half_0 = 1U << (shift_0 - 1U);
    bool _S13;
    if(rest_0 > half_0)
    {
        _S13 = true;
    }
    else
    {
        if(rest_0 == half_0)
        {
            _S13 = (q_0 & 1U) != 0U;
        }
        else
        {
            _S13 = false;
        }
    }
    uint q_1;
    if(_S13)
    {
        q_1 = q_0 + 1U;
    }
    else
    {
        q_1 = q_0;
    }
    return sign_0 | q_1;
}
float f16_to_f32_0(uint half_1)
{
    return (as_type<half>((ushort)((half_1 & 65535U))));
}
uint f32_to_bf16_0(float value_1)
{
    uint bits_1 = (as_type<uint>((value_1)));
    if((bits_1 & 2147483647U) > 2139095040U)
    {
        return (bits_1 >> 16U) | 64U;
    }
    return (bits_1 + 32767U + ((bits_1 >> 16U) & 1U)) >> 16U;
}
float bf16_to_f32_0(uint half_2)
{
    return (as_type<float>((half_2 << 16U)));
}
float kept_0(uint type_3, float v_0)
{
    if(type_3 == 0U)
    {
        return f16_to_f32_0(f32_to_f16_0(v_0));
    }
    if(type_3 == 2U)
    {
        return bf16_to_f32_0(f32_to_bf16_0(v_0));
    }
    return v_0;
}
void store_element_0(uint type_4, uchar device* tile_0, uint pos_3, uint e_2, float v_1)
{
    uint i_2 = pos_3 % 256U * C_HEAD_DIM_0 + e_2;
    if(type_4 == 1U)
    {
        *((float device*)((ulong)(tile_0)) + i_2) = v_1;
    }
    if(type_4 == 0U)
    {
        *((ushort device*)((ulong)(tile_0)) + i_2) = ushort(f32_to_f16_0(v_1));
    }
    if(type_4 == 2U)
    {
        *((ushort device*)((ulong)(tile_0)) + i_2) = ushort(f32_to_bf16_0(v_1));
    }
    return;
}
float coded_0(uint type_5, uint e_3, float own_0, uint first_0, bool value_2, bool mine_0, uchar device* tile_1, uint pos_4, KernelContext_0 thread* kernelContext_4)
{
    float inverse_0;
    uint most_0 = 0U;
    uint i_3 = 0U;
    for(;;)
    {
        if(i_3 < 32U)
        {
        }
        else
        {
            break;
        }
        uint at_0 = first_0 + e_3 / 32U * 32U + i_3;
        if(value_2)
        {
            inverse_0 = (*kernelContext_4->fresh_values_0)[at_0];
        }
        else
        {
            inverse_0 = (*kernelContext_4->fresh_keys_0)[at_0];
        }
        uint _S14 = max(most_0, (as_type<uint>((inverse_0))) & 2147483647U);
        uint _S15 = i_3 + 1U;
        most_0 = _S14;
        i_3 = _S15;
    }
    bool finite_0 = most_0 < 2139095040U;
    uint scale_1;
    if(finite_0)
    {
        scale_1 = f32_to_f16_0(min((as_type<float>((most_0))) * 0.0078740157186985, 65504.0));
    }
    else
    {
        scale_1 = 32256U;
    }
    float wide_0 = f16_to_f32_0(scale_1);
    if(wide_0 > 0.0)
    {
        inverse_0 = 1.0 / wide_0;
    }
    else
    {
        inverse_0 = 0.0;
    }
    float code_0;
    if(finite_0)
    {
        code_0 = rint(clamp(own_0 * inverse_0, -127.0, 127.0));
    }
    else
    {
        code_0 = 1.0;
    }
    if(mine_0)
    {
        uint _S16 = pos_4 % 256U;
        *(tile_1 + (_S16 * C_HEAD_DIM_0 + e_3)) = uchar(uint(int(code_0)) & 255U);
        ushort device* scales_0 = (ushort device*)((ulong)(tile_1 + 256U * C_HEAD_DIM_0)) + _S16 * (C_HEAD_DIM_0 / 32U);
        if((e_3 % 32U) == 0U)
        {
            *(scales_0 + e_3 / 32U) = ushort(scale_1);
        }
    }
    return code_0 * wide_0;
}
float infinity_0()
{
    return (as_type<float>((2139095040U)));
}
void kv_load8_0(uint type_6, uchar device* tile_2, uint pos_5, uint e_4, array<float, int(8)> thread* v_2)
{
    uint _S17 = pos_5 % 256U;
    uint i_4 = _S17 * C_HEAD_DIM_0 + e_4;
    if(type_6 == 1U)
    {
        packed_float4 device* _S18 = (packed_float4 device*)((ulong)(tile_2 + i_4 * 4U));
        float4 _S19 = float4(*(_S18 + int(0))) ;
        float4 _S20 = float4(*(_S18 + int(1))) ;
        (*v_2)[int(0)] = _S19.x;
        (*v_2)[int(1)] = _S19.y;
        (*v_2)[int(2)] = _S19.z;
        (*v_2)[int(3)] = _S19.w;
        (*v_2)[int(4)] = _S20.x;
        (*v_2)[int(5)] = _S20.y;
        (*v_2)[int(6)] = _S20.z;
        (*v_2)[int(7)] = _S20.w;
        return;
    }
    if(type_6 == 3U)
    {
        uint2 _S21 = uint2(*(packed_uint2 device*)((ulong)(tile_2 + i_4))) ;
        float _S22 = f16_to_f32_0(uint(*((ushort device*)((ulong)(tile_2 + 256U * C_HEAD_DIM_0)) + (_S17 * (C_HEAD_DIM_0 / 32U) + e_4 / 32U))));
        uint _S23 = _S21.x;
        (*v_2)[0U] = float(int(_S23 << 24U) >> 24U) * _S22;
        (*v_2)[1U] = float(int(_S23 << 16U) >> 24U) * _S22;
        (*v_2)[2U] = float(int(_S23 << 8U) >> 24U) * _S22;
        (*v_2)[3U] = float(int(_S23 << 0U) >> 24U) * _S22;
        uint _S24 = _S21.y;
        (*v_2)[4U] = float(int(_S24 << 24U) >> 24U) * _S22;
        (*v_2)[5U] = float(int(_S24 << 16U) >> 24U) * _S22;
        (*v_2)[6U] = float(int(_S24 << 8U) >> 24U) * _S22;
        (*v_2)[7U] = float(int(_S24 << 0U) >> 24U) * _S22;
        return;
    }
    uint4 _S25 = uint4(*(packed_uint4 device*)((ulong)(tile_2 + i_4 * 2U))) ;
    uint _S26 = _S25.x;
    uint half_3 = (_S26 >> 0U) & 65535U;
    bool _S27 = type_6 == 0U;
    float _S28;
    if(_S27)
    {
        _S28 = f16_to_f32_0(half_3);
    }
    else
    {
        _S28 = bf16_to_f32_0(half_3);
    }
    (*v_2)[0U] = _S28;
    uint half_4 = (_S26 >> 16U) & 65535U;
    if(_S27)
    {
        _S28 = f16_to_f32_0(half_4);
    }
    else
    {
        _S28 = bf16_to_f32_0(half_4);
    }
    (*v_2)[1U] = _S28;
    uint _S29 = _S25.y;
    uint half_5 = (_S29 >> 0U) & 65535U;
    if(_S27)
    {
        _S28 = f16_to_f32_0(half_5);
    }
    else
    {
        _S28 = bf16_to_f32_0(half_5);
    }
    (*v_2)[2U] = _S28;
    uint half_6 = (_S29 >> 16U) & 65535U;
    if(_S27)
    {
        _S28 = f16_to_f32_0(half_6);
    }
    else
    {
        _S28 = bf16_to_f32_0(half_6);
    }
    (*v_2)[3U] = _S28;
    uint _S30 = _S25.z;
    uint half_7 = (_S30 >> 0U) & 65535U;
    if(_S27)
    {
        _S28 = f16_to_f32_0(half_7);
    }
    else
    {
        _S28 = bf16_to_f32_0(half_7);
    }
    (*v_2)[4U] = _S28;
    uint half_8 = (_S30 >> 16U) & 65535U;
    if(_S27)
    {
        _S28 = f16_to_f32_0(half_8);
    }
    else
    {
        _S28 = bf16_to_f32_0(half_8);
    }
    (*v_2)[5U] = _S28;
    uint _S31 = _S25.w;
    uint half_9 = (_S31 >> 0U) & 65535U;
    if(_S27)
    {
        _S28 = f16_to_f32_0(half_9);
    }
    else
    {
        _S28 = bf16_to_f32_0(half_9);
    }
    (*v_2)[6U] = _S28;
    uint half_10 = (_S31 >> 16U) & 65535U;
    if(_S27)
    {
        _S28 = f16_to_f32_0(half_10);
    }
    else
    {
        _S28 = bf16_to_f32_0(half_10);
    }
    (*v_2)[7U] = _S28;
    return;
}
float kv_load_0(uint type_7, uchar device* tile_3, uint pos_6, uint e_5)
{
    uint _S32 = pos_6 % 256U;
    uint i_5 = _S32 * C_HEAD_DIM_0 + e_5;
    if(type_7 == 1U)
    {
        return *((float device*)((ulong)(tile_3)) + i_5);
    }
    if(type_7 == 0U)
    {
        return f16_to_f32_0(uint(*((ushort device*)((ulong)(tile_3)) + i_5)));
    }
    if(type_7 == 2U)
    {
        return bf16_to_f32_0(uint(*((ushort device*)((ulong)(tile_3)) + i_5)));
    }
    return float(int(uint(*(tile_3 + i_5)) << 24U) >> 24U) * f16_to_f32_0(uint(*((ushort device*)((ulong)(tile_3 + 256U * C_HEAD_DIM_0)) + (_S32 * (C_HEAD_DIM_0 / 32U) + e_5 / 32U))));
}
float2 kv_load2_0(uint type_8, uchar device* tile_4, uint pos_7, uint e_6)
{
    if((C_HEAD_DIM_0 % 8U) != 0U)
    {
        float _S33 = kv_load_0(type_8, tile_4, pos_7, e_6);
        uint _S34 = e_6 + 1U;
        float _S35;
        if(_S34 < C_HEAD_DIM_0)
        {
            float _S36 = kv_load_0(type_8, tile_4, pos_7, _S34);
            _S35 = _S36;
        }
        else
        {
            _S35 = 0.0;
        }
        return float2(_S33, _S35);
    }
    uint _S37 = pos_7 % 256U;
    uint i_6 = _S37 * C_HEAD_DIM_0 + e_6;
    if(type_8 == 1U)
    {
        return float2(*(packed_float2 device*)((ulong)(tile_4 + i_6 * 4U))) ;
    }
    if(type_8 == 3U)
    {
        uint two_0 = uint(*(ushort device*)((ulong)(tile_4 + i_6)));
        return float2(float(int(two_0 << 24U) >> 24U), float(int(two_0 << 16U) >> 24U)) * float2(f16_to_f32_0(uint(*((ushort device*)((ulong)(tile_4 + 256U * C_HEAD_DIM_0)) + (_S37 * (C_HEAD_DIM_0 / 32U) + e_6 / 32U))))) ;
    }
    uint two_1 = *(uint device*)((ulong)(tile_4 + i_6 * 2U));
    float2 _S38;
    if(type_8 == 0U)
    {
        _S38 = float2(f16_to_f32_0(two_1), f16_to_f32_0(two_1 >> 16U));
    }
    else
    {
        _S38 = float2(bf16_to_f32_0(two_1 & 65535U), bf16_to_f32_0(two_1 >> 16U));
    }
    return _S38;
}
float power_of_two_0(int n_0)
{
    return (as_type<float>((uint(n_0 + int(127)) << 23U)));
}
float exp_of_0(float x_1)
{
    if(!(x_1 < 88.8000030517578125))
    {
        float _S39;
        if(x_1 != x_1)
        {
            _S39 = x_1;
        }
        else
        {
            _S39 = infinity_0();
        }
        return _S39;
    }
    if(x_1 < -104.0)
    {
        return 0.0;
    }
    float n_1 = floor(x_1 * 1.4426950216293335 + 0.5);
    float high_0 = x_1 - n_1 * 0.693359375;
    float r_0 = high_0 + n_1 * 0.00021219444170129;
    int _S40 = int(n_1);
    int half_11 = _S40 / int(2);
    return ((((((0.00019875691214111 * r_0 + 0.00139819993637502) * r_0 + 0.00833345204591751) * r_0 + 0.04166579619050026) * r_0 + 0.1666666567325592) * r_0 + 0.5) * r_0 * r_0 + r_0 + 1.0) * power_of_two_0(half_11) * power_of_two_0(_S40 - half_11);
}
float tanh_of_0(float x_2)
{
    float a_2 = abs(x_2);
    float z_0 = x_2 * x_2;
    if(a_2 < 0.30000001192092896)
    {
        return x_2 + x_2 * z_0 * ((((-0.0088632358238101 * z_0 + 0.0218694880604744) * z_0 - 0.05396825447678566) * z_0 + 0.13333332538604736) * z_0 - 0.3333333432674408);
    }
    float e_7 = exp_of_0(-2.0 * a_2);
    float y_0 = (1.0 - e_7) / (1.0 + e_7);
    float _S41;
    if(x_2 < 0.0)
    {
        _S41 = - y_0;
    }
    else
    {
        _S41 = y_0;
    }
    return _S41;
}
float device* partial_at_0(uint row_1, uint head_2, uint part_0, KernelContext_0 thread* kernelContext_5)
{
    float device* _S42 = (float device*)((ulong)(kernelContext_5->args_0->partials_0));
    ulong _S43 = ulong(row_1) * ulong(C_HEADS_0) + ulong(head_2);
    uint _S44 = split_parts_0();
    return _S42 + (_S43 * ulong(_S44) + ulong(part_0)) * ulong(C_HEAD_DIM_0 + 2U);
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    bool mine_1;
    float score_0;
    uint _S45;
    bool _S46;
    uint _S47;
    uint _S48;
    bool _S49;
    uint _S50;
    uint _S51;
    bool _S52;
    uint _S53;
    uint _S54;
    bool _S55;
    uint _S56;
    bool _S57;
    uint _S58;
    bool _S59;
    uint _S60;
    bool _S61;
    uint _S62;
    bool _S63;
    bool seen_0;
    bool _S64;
    bool _S65;
    bool _S66;
    bool _S67;
    bool _S68;
    bool _S69;
    bool _S70;
    bool _S71;
    bool _S72;
    bool _S73;
    bool _S74;
    bool _S75;
    bool _S76;
    bool _S77;
    bool _S78;
    bool _S79;
    bool _S80;
    bool _S81;
    bool _S82;
    bool _S83;
    bool _S84;
    bool _S85;
    bool _S86;
    bool _S87;
    bool _S88;
    bool _S89;
    bool _S90;
    bool _S91;
    bool _S92;
    float2 two_2;
    float2 two_3;
    float2 two_4;
    float2 two_5;
    float2 two_6;
    float2 two_7;
    float2 two_8;
    float2 two_9;
    float2 two_10;
    float2 two_11;
    float2 two_12;
    float2 two_13;
    float2 two_14;
    float2 two_15;
    float2 two_16;
    float2 two_17;
    float top_0;
    float shrink_0;
    float weight_0;
    float dot_0;
    float dot_1;
    float dot_2;
    float dot_3;
    bool _S93;
    bool _S94;
    bool _S95;
    bool _S96;
    bool _S97;
    bool _S98;
    bool _S99;
    bool _S100;
    bool _S101;
    bool _S102;
    bool _S103;
    bool _S104;
    bool _S105;
    bool _S106;
    bool _S107;
    bool _S108;
    bool _S109;
    bool _S110;
    bool _S111;
    thread KernelContext_0 kernelContext_6;
    (&kernelContext_6)->args_0 = args_1;
    threadgroup array<float4, int(256)> queries_1;
    (&kernelContext_6)->queries_0 = &queries_1;
    threadgroup array<float, int(2048)> fresh_keys_1;
    (&kernelContext_6)->fresh_keys_0 = &fresh_keys_1;
    threadgroup array<float, int(2048)> fresh_values_1;
    (&kernelContext_6)->fresh_values_0 = &fresh_values_1;
    threadgroup array<float, int(1152)> dots_1;
    (&kernelContext_6)->dots_0 = &dots_1;
    threadgroup array<float, int(256)> weights_1;
    (&kernelContext_6)->weights_0 = &weights_1;
    threadgroup array<float, int(32)> eighths_1;
    (&kernelContext_6)->eighths_0 = &eighths_1;
    threadgroup array<float, int(4)> shrinks_1;
    (&kernelContext_6)->shrinks_0 = &shrinks_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 256U + sv_groupthreadid_0[int(0)];
    uint r_1 = group_0.y;
    uint part_1 = group_0.z;
    uint parts_0 = split_parts_0();
    bool _S112 = stopped_0(&kernelContext_6);
    bool _S113;
    if(_S112)
    {
        _S113 = true;
    }
    else
    {
        _S113 = r_1 >= ((&kernelContext_6)->args_0->step_0->rows_0);
    }
    if(_S113)
    {
        return;
    }
    Row_0 device* _S114 = step_rows_0(&kernelContext_6);
    Row_0 device* _S115 = _S114 + r_1;
    Row_0 at_1 = *_S115;
    uint first_1 = first_seen_0((*_S115).pos_0);
    uint first_tile_0 = first_1 / 64U;
    uint last_tile_0 = (*_S115).pos_0 / 64U;
    uint _S116 = part_1 + parts_0;
    uint _S117 = first_tile_0 % parts_0;
    uint _S118 = (_S116 - _S117) % parts_0;
    uint tile_5 = first_tile_0 + _S118;
    if(tile_5 > last_tile_0)
    {
        return;
    }
    uint _S119 = group_0.x;
    uint _S120 = head_groups_0();
    uint kv_head_0 = _S119 / _S120;
    uint _S121 = _S119 % _S120;
    uint of_head_0 = _S121 * 4U;
    uint _S122 = group_heads_0();
    uint _S123 = min(4U, _S122 - of_head_0);
    uint head_3 = kv_head_0 * _S122 + of_head_0;
    uint device* table_1 = (uint device*)((ulong)((&kernelContext_6)->args_0->block_table_0)) + ulong(at_1.seq_0) * ulong(C_BLOCKS_0);
    uint before_0 = 0U;
    for(;;)
    {
        if(before_0 < r_1)
        {
            _S113 = before_0 < 7U;
        }
        else
        {
            _S113 = false;
        }
        if(_S113)
        {
            Row_0 device* _S124 = step_rows_0(&kernelContext_6);
            mine_1 = ((_S124 + (r_1 - before_0 - 1U))->seq_0) == (at_1.seq_0);
        }
        else
        {
            mine_1 = false;
        }
        if(mine_1)
        {
        }
        else
        {
            break;
        }
        before_0 = before_0 + 1U;
    }
    uint fresh_0 = at_1.pos_0 - before_0;
    uint i_7 = sv_groupindex_0;
    for(;;)
    {
        if(i_7 < (_S123 * (C_HEAD_DIM_0 / 4U)))
        {
        }
        else
        {
            break;
        }
        uint h_0 = i_7 / (C_HEAD_DIM_0 / 4U);
        uint _S125 = i_7 % (C_HEAD_DIM_0 / 4U);
        uint e_8 = _S125 * 4U;
        float device* _S126 = step_head_0(r_1, head_3 + h_0, &kernelContext_6);
        packed_float2 device* _S127 = (packed_float2 device*)((ulong)((&kernelContext_6)->args_0->angles_0)) + ulong(r_1) * ulong(C_PAIRS_0);
        float _S128 = turned_0(_S126, _S127, e_8);
        float _S129 = turned_0(_S126, _S127, e_8 + 1U);
        float _S130 = turned_0(_S126, _S127, e_8 + 2U);
        float _S131 = turned_0(_S126, _S127, e_8 + 3U);
        (*(&kernelContext_6)->queries_0)[(h_0 * 256U + e_8) / 4U] = float4(_S128, _S129, _S130, _S131);
        i_7 = i_7 + 256U;
    }
    uint _S132 = (last_tile_0 - tile_5) % parts_0;
    uint end_0 = last_tile_0 - _S132;
    bool any_fresh_0 = (end_0 * 64U + 64U) > fresh_0;
    uint tile_6;
    float sum_0;
    float most_1;
    if(any_fresh_0)
    {
        if(end_0 == last_tile_0)
        {
            _S113 = of_head_0 == 0U;
        }
        else
        {
            _S113 = false;
        }
        uint _S133 = (before_0 + 1U) * C_HEAD_DIM_0;
        uchar device* _S134 = (&kernelContext_6)->args_0->k_cache_0;
        ulong _S135 = kv_tile_0(C_K_TYPE_0, table_1, kv_head_0, at_1.pos_0);
        uchar device* _S136 = _S134 + _S135;
        uchar device* _S137 = (&kernelContext_6)->args_0->v_cache_0;
        ulong _S138 = kv_tile_0(C_V_TYPE_0, table_1, kv_head_0, at_1.pos_0);
        uchar device* _S139 = _S137 + _S138;
        i_7 = sv_groupindex_0;
        for(;;)
        {
            if(i_7 < _S133)
            {
            }
            else
            {
                break;
            }
            uint _S140 = r_1 - before_0;
            uint _S141 = i_7 / C_HEAD_DIM_0;
            uint row_2 = _S140 + _S141;
            uint e_9 = i_7 % C_HEAD_DIM_0;
            float device* _S142 = step_head_0(row_2, C_HEADS_0 + kv_head_0, &kernelContext_6);
            float _S143 = turned_0(_S142, (packed_float2 device*)((ulong)((&kernelContext_6)->args_0->angles_0)) + ulong(row_2) * ulong(C_PAIRS_0), e_9);
            float device* _S144 = step_head_0(row_2, C_HEADS_0 + C_KV_HEADS_0 + kv_head_0, &kernelContext_6);
            float v_3 = *(_S144 + e_9);
            (*(&kernelContext_6)->fresh_keys_0)[i_7] = kept_0(C_K_TYPE_0, _S143);
            (*(&kernelContext_6)->fresh_values_0)[i_7] = kept_0(C_V_TYPE_0, v_3);
            if(_S113)
            {
                mine_1 = row_2 == r_1;
            }
            else
            {
                mine_1 = false;
            }
            if(mine_1)
            {
                store_element_0(C_K_TYPE_0, _S136, at_1.pos_0, e_9, _S143);
                store_element_0(C_V_TYPE_0, _S139, at_1.pos_0, e_9, v_3);
            }
            i_7 = i_7 + 256U;
        }
        bool _S145 = C_K_TYPE_0 == 3U;
        if(_S145)
        {
            mine_1 = true;
        }
        else
        {
            mine_1 = C_V_TYPE_0 == 3U;
        }
        if(mine_1)
        {
            tile_6 = 0U;
            for(;;)
            {
                if(tile_6 < _S133)
                {
                }
                else
                {
                    break;
                }
                uint i_8 = tile_6 + sv_groupindex_0;
                uint _S146 = r_1 - before_0;
                uint _S147 = i_8 / C_HEAD_DIM_0;
                uint row_3 = _S146 + _S147;
                uint e_10 = i_8 % C_HEAD_DIM_0;
                if(_S113)
                {
                    mine_1 = row_3 == r_1;
                }
                else
                {
                    mine_1 = false;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                bool _S148 = i_8 < _S133;
                if(_S148)
                {
                    float k_0 = (*(&kernelContext_6)->fresh_keys_0)[i_8];
                    float v_4 = (*(&kernelContext_6)->fresh_values_0)[i_8];
                    if(_S145)
                    {
                        float _S149 = coded_0(C_K_TYPE_0, e_10, k_0, i_8 - e_10, false, mine_1, _S136, at_1.pos_0, &kernelContext_6);
                        sum_0 = _S149;
                    }
                    else
                    {
                        sum_0 = k_0;
                    }
                    if(C_V_TYPE_0 == 3U)
                    {
                        float _S150 = coded_0(C_V_TYPE_0, e_10, v_4, i_8 - e_10, true, mine_1, _S139, at_1.pos_0, &kernelContext_6);
                        most_1 = _S150;
                    }
                    else
                    {
                        most_1 = v_4;
                    }
                }
                else
                {
                    sum_0 = 0.0;
                    most_1 = 0.0;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(_S148)
                {
                    (*(&kernelContext_6)->fresh_keys_0)[i_8] = sum_0;
                    (*(&kernelContext_6)->fresh_values_0)[i_8] = most_1;
                }
                tile_6 = tile_6 + 256U;
            }
        }
    }
    uint _S151 = sv_groupindex_0 / 4U;
    uint _S152 = sv_groupindex_0 % 4U;
    uint scored_head_0 = sv_groupindex_0 / 64U;
    uint scored_0 = sv_groupindex_0 % 64U;
    uint _S153 = sv_groupindex_0 / 64U;
    float _S154 = - infinity_0();
    thread array<float, int(16)> acc_0;
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
    tile_6 = tile_5;
    sum_0 = 0.0;
    most_1 = _S154;
    for(;;)
    {
        if(tile_6 <= last_tile_0)
        {
        }
        else
        {
            break;
        }
        uint from_0 = tile_6 * 64U;
        uint j_0 = from_0 + _S151;
        uchar device* _S155 = (&kernelContext_6)->args_0->k_cache_0;
        ulong _S156 = kv_tile_0(C_K_TYPE_0, table_1, kv_head_0, from_0);
        uchar device* _S157 = _S155 + _S156;
        uchar device* _S158 = (&kernelContext_6)->args_0->v_cache_0;
        ulong _S159 = kv_tile_0(C_V_TYPE_0, table_1, kv_head_0, from_0);
        uchar device* _S160 = _S158 + _S159;
        thread array<float, int(64)> k_1;
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    uint e_11 = _S152 * 8U;
                    _S45 = e_11;
                    thread array<float, int(8)> eight_0;
                    eight_0[0U] = 0.0;
                    eight_0[1U] = 0.0;
                    eight_0[2U] = 0.0;
                    eight_0[3U] = 0.0;
                    eight_0[4U] = 0.0;
                    eight_0[5U] = 0.0;
                    eight_0[6U] = 0.0;
                    eight_0[7U] = 0.0;
                    bool _S161 = 0U >= C_HEAD_DIM_0;
                    _S46 = _S161;
                    if(_S161)
                    {
                        break;
                    }
                    if(e_11 < C_HEAD_DIM_0)
                    {
                        _S113 = j_0 >= first_1;
                    }
                    else
                    {
                        _S113 = false;
                    }
                    if(_S113)
                    {
                        mine_1 = j_0 < fresh_0;
                    }
                    else
                    {
                        mine_1 = false;
                    }
                    if(mine_1)
                    {
                        kv_load8_0(C_K_TYPE_0, _S157, j_0, e_11, &eight_0);
                    }
                    k_1[0U] = eight_0[0U];
                    k_1[1U] = eight_0[1U];
                    k_1[2U] = eight_0[2U];
                    k_1[3U] = eight_0[3U];
                    k_1[4U] = eight_0[4U];
                    k_1[5U] = eight_0[5U];
                    k_1[6U] = eight_0[6U];
                    k_1[7U] = eight_0[7U];
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint _S162 = 4U + _S152;
                    _S47 = _S162;
                    uint e_12 = _S162 * 8U;
                    _S48 = e_12;
                    thread array<float, int(8)> eight_1;
                    eight_1[0U] = 0.0;
                    eight_1[1U] = 0.0;
                    eight_1[2U] = 0.0;
                    eight_1[3U] = 0.0;
                    eight_1[4U] = 0.0;
                    eight_1[5U] = 0.0;
                    eight_1[6U] = 0.0;
                    eight_1[7U] = 0.0;
                    bool _S163 = 32U >= C_HEAD_DIM_0;
                    _S49 = _S163;
                    if(_S163)
                    {
                        break;
                    }
                    if(e_12 < C_HEAD_DIM_0)
                    {
                        _S113 = j_0 >= first_1;
                    }
                    else
                    {
                        _S113 = false;
                    }
                    if(_S113)
                    {
                        mine_1 = j_0 < fresh_0;
                    }
                    else
                    {
                        mine_1 = false;
                    }
                    if(mine_1)
                    {
                        kv_load8_0(C_K_TYPE_0, _S157, j_0, e_12, &eight_1);
                    }
                    k_1[8U] = eight_1[0U];
                    k_1[9U] = eight_1[1U];
                    k_1[10U] = eight_1[2U];
                    k_1[11U] = eight_1[3U];
                    k_1[12U] = eight_1[4U];
                    k_1[13U] = eight_1[5U];
                    k_1[14U] = eight_1[6U];
                    k_1[15U] = eight_1[7U];
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint _S164 = 8U + _S152;
                    _S50 = _S164;
                    uint e_13 = _S164 * 8U;
                    _S51 = e_13;
                    thread array<float, int(8)> eight_2;
                    eight_2[0U] = 0.0;
                    eight_2[1U] = 0.0;
                    eight_2[2U] = 0.0;
                    eight_2[3U] = 0.0;
                    eight_2[4U] = 0.0;
                    eight_2[5U] = 0.0;
                    eight_2[6U] = 0.0;
                    eight_2[7U] = 0.0;
                    bool _S165 = 64U >= C_HEAD_DIM_0;
                    _S52 = _S165;
                    if(_S165)
                    {
                        break;
                    }
                    if(e_13 < C_HEAD_DIM_0)
                    {
                        _S113 = j_0 >= first_1;
                    }
                    else
                    {
                        _S113 = false;
                    }
                    if(_S113)
                    {
                        mine_1 = j_0 < fresh_0;
                    }
                    else
                    {
                        mine_1 = false;
                    }
                    if(mine_1)
                    {
                        kv_load8_0(C_K_TYPE_0, _S157, j_0, e_13, &eight_2);
                    }
                    k_1[16U] = eight_2[0U];
                    k_1[17U] = eight_2[1U];
                    k_1[18U] = eight_2[2U];
                    k_1[19U] = eight_2[3U];
                    k_1[20U] = eight_2[4U];
                    k_1[21U] = eight_2[5U];
                    k_1[22U] = eight_2[6U];
                    k_1[23U] = eight_2[7U];
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint _S166 = 12U + _S152;
                    _S53 = _S166;
                    uint e_14 = _S166 * 8U;
                    _S54 = e_14;
                    thread array<float, int(8)> eight_3;
                    eight_3[0U] = 0.0;
                    eight_3[1U] = 0.0;
                    eight_3[2U] = 0.0;
                    eight_3[3U] = 0.0;
                    eight_3[4U] = 0.0;
                    eight_3[5U] = 0.0;
                    eight_3[6U] = 0.0;
                    eight_3[7U] = 0.0;
                    bool _S167 = 96U >= C_HEAD_DIM_0;
                    _S55 = _S167;
                    if(_S167)
                    {
                        break;
                    }
                    if(e_14 < C_HEAD_DIM_0)
                    {
                        _S113 = j_0 >= first_1;
                    }
                    else
                    {
                        _S113 = false;
                    }
                    if(_S113)
                    {
                        mine_1 = j_0 < fresh_0;
                    }
                    else
                    {
                        mine_1 = false;
                    }
                    if(mine_1)
                    {
                        kv_load8_0(C_K_TYPE_0, _S157, j_0, e_14, &eight_3);
                    }
                    k_1[24U] = eight_3[0U];
                    k_1[25U] = eight_3[1U];
                    k_1[26U] = eight_3[2U];
                    k_1[27U] = eight_3[3U];
                    k_1[28U] = eight_3[4U];
                    k_1[29U] = eight_3[5U];
                    k_1[30U] = eight_3[6U];
                    k_1[31U] = eight_3[7U];
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint e_15 = (16U + _S152) * 8U;
                    _S56 = e_15;
                    thread array<float, int(8)> eight_4;
                    eight_4[0U] = 0.0;
                    eight_4[1U] = 0.0;
                    eight_4[2U] = 0.0;
                    eight_4[3U] = 0.0;
                    eight_4[4U] = 0.0;
                    eight_4[5U] = 0.0;
                    eight_4[6U] = 0.0;
                    eight_4[7U] = 0.0;
                    bool _S168 = 128U >= C_HEAD_DIM_0;
                    _S57 = _S168;
                    if(_S168)
                    {
                        break;
                    }
                    if(e_15 < C_HEAD_DIM_0)
                    {
                        _S113 = j_0 >= first_1;
                    }
                    else
                    {
                        _S113 = false;
                    }
                    if(_S113)
                    {
                        mine_1 = j_0 < fresh_0;
                    }
                    else
                    {
                        mine_1 = false;
                    }
                    if(mine_1)
                    {
                        kv_load8_0(C_K_TYPE_0, _S157, j_0, e_15, &eight_4);
                    }
                    k_1[32U] = eight_4[0U];
                    k_1[33U] = eight_4[1U];
                    k_1[34U] = eight_4[2U];
                    k_1[35U] = eight_4[3U];
                    k_1[36U] = eight_4[4U];
                    k_1[37U] = eight_4[5U];
                    k_1[38U] = eight_4[6U];
                    k_1[39U] = eight_4[7U];
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint e_16 = (20U + _S152) * 8U;
                    _S58 = e_16;
                    thread array<float, int(8)> eight_5;
                    eight_5[0U] = 0.0;
                    eight_5[1U] = 0.0;
                    eight_5[2U] = 0.0;
                    eight_5[3U] = 0.0;
                    eight_5[4U] = 0.0;
                    eight_5[5U] = 0.0;
                    eight_5[6U] = 0.0;
                    eight_5[7U] = 0.0;
                    bool _S169 = 160U >= C_HEAD_DIM_0;
                    _S59 = _S169;
                    if(_S169)
                    {
                        break;
                    }
                    if(e_16 < C_HEAD_DIM_0)
                    {
                        _S113 = j_0 >= first_1;
                    }
                    else
                    {
                        _S113 = false;
                    }
                    if(_S113)
                    {
                        mine_1 = j_0 < fresh_0;
                    }
                    else
                    {
                        mine_1 = false;
                    }
                    if(mine_1)
                    {
                        kv_load8_0(C_K_TYPE_0, _S157, j_0, e_16, &eight_5);
                    }
                    k_1[40U] = eight_5[0U];
                    k_1[41U] = eight_5[1U];
                    k_1[42U] = eight_5[2U];
                    k_1[43U] = eight_5[3U];
                    k_1[44U] = eight_5[4U];
                    k_1[45U] = eight_5[5U];
                    k_1[46U] = eight_5[6U];
                    k_1[47U] = eight_5[7U];
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint e_17 = (24U + _S152) * 8U;
                    _S60 = e_17;
                    thread array<float, int(8)> eight_6;
                    eight_6[0U] = 0.0;
                    eight_6[1U] = 0.0;
                    eight_6[2U] = 0.0;
                    eight_6[3U] = 0.0;
                    eight_6[4U] = 0.0;
                    eight_6[5U] = 0.0;
                    eight_6[6U] = 0.0;
                    eight_6[7U] = 0.0;
                    bool _S170 = 192U >= C_HEAD_DIM_0;
                    _S61 = _S170;
                    if(_S170)
                    {
                        break;
                    }
                    if(e_17 < C_HEAD_DIM_0)
                    {
                        _S113 = j_0 >= first_1;
                    }
                    else
                    {
                        _S113 = false;
                    }
                    if(_S113)
                    {
                        mine_1 = j_0 < fresh_0;
                    }
                    else
                    {
                        mine_1 = false;
                    }
                    if(mine_1)
                    {
                        kv_load8_0(C_K_TYPE_0, _S157, j_0, e_17, &eight_6);
                    }
                    k_1[48U] = eight_6[0U];
                    k_1[49U] = eight_6[1U];
                    k_1[50U] = eight_6[2U];
                    k_1[51U] = eight_6[3U];
                    k_1[52U] = eight_6[4U];
                    k_1[53U] = eight_6[5U];
                    k_1[54U] = eight_6[6U];
                    k_1[55U] = eight_6[7U];
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint e_18 = (28U + _S152) * 8U;
                    _S62 = e_18;
                    thread array<float, int(8)> eight_7;
                    eight_7[0U] = 0.0;
                    eight_7[1U] = 0.0;
                    eight_7[2U] = 0.0;
                    eight_7[3U] = 0.0;
                    eight_7[4U] = 0.0;
                    eight_7[5U] = 0.0;
                    eight_7[6U] = 0.0;
                    eight_7[7U] = 0.0;
                    bool _S171 = 224U >= C_HEAD_DIM_0;
                    _S63 = _S171;
                    if(_S171)
                    {
                        break;
                    }
                    if(e_18 < C_HEAD_DIM_0)
                    {
                        _S113 = j_0 >= first_1;
                    }
                    else
                    {
                        _S113 = false;
                    }
                    if(_S113)
                    {
                        mine_1 = j_0 < fresh_0;
                    }
                    else
                    {
                        mine_1 = false;
                    }
                    if(mine_1)
                    {
                        kv_load8_0(C_K_TYPE_0, _S157, j_0, e_18, &eight_7);
                    }
                    k_1[56U] = eight_7[0U];
                    k_1[57U] = eight_7[1U];
                    k_1[58U] = eight_7[2U];
                    k_1[59U] = eight_7[3U];
                    k_1[60U] = eight_7[4U];
                    k_1[61U] = eight_7[5U];
                    k_1[62U] = eight_7[6U];
                    k_1[63U] = eight_7[7U];
                    break;
                }
                break;
            }
            break;
        }
        thread array<float, int(64)> values_0;
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
                    uint _S172 = scored_0 * 2U;
                    uint _S173 = from_0 + _S153 * 16U;
                    float2 _S174 = float2(0.0, 0.0);
                    bool _S175 = _S172 < C_HEAD_DIM_0;
                    if(_S175)
                    {
                        _S113 = _S173 >= first_1;
                    }
                    else
                    {
                        _S113 = false;
                    }
                    if(_S113)
                    {
                        mine_1 = _S173 < fresh_0;
                    }
                    else
                    {
                        mine_1 = false;
                    }
                    if(mine_1)
                    {
                        float2 _S176 = kv_load2_0(C_V_TYPE_0, _S160, _S173, _S172);
                        two_2 = _S176;
                    }
                    else
                    {
                        two_2 = _S174;
                    }
                    values_0[0U] = two_2.x;
                    values_0[1U] = two_2.y;
                    uint of_0 = _S173 + 1U;
                    if(_S175)
                    {
                        seen_0 = of_0 >= first_1;
                    }
                    else
                    {
                        seen_0 = false;
                    }
                    if(seen_0)
                    {
                        _S64 = of_0 < fresh_0;
                    }
                    else
                    {
                        _S64 = false;
                    }
                    if(_S64)
                    {
                        float2 _S177 = kv_load2_0(C_V_TYPE_0, _S160, of_0, _S172);
                        two_3 = _S177;
                    }
                    else
                    {
                        two_3 = _S174;
                    }
                    values_0[2U] = two_3.x;
                    values_0[3U] = two_3.y;
                    uint of_1 = _S173 + 2U;
                    if(_S175)
                    {
                        _S65 = of_1 >= first_1;
                    }
                    else
                    {
                        _S65 = false;
                    }
                    if(_S65)
                    {
                        _S66 = of_1 < fresh_0;
                    }
                    else
                    {
                        _S66 = false;
                    }
                    if(_S66)
                    {
                        float2 _S178 = kv_load2_0(C_V_TYPE_0, _S160, of_1, _S172);
                        two_4 = _S178;
                    }
                    else
                    {
                        two_4 = _S174;
                    }
                    values_0[4U] = two_4.x;
                    values_0[5U] = two_4.y;
                    uint of_2 = _S173 + 3U;
                    if(_S175)
                    {
                        _S67 = of_2 >= first_1;
                    }
                    else
                    {
                        _S67 = false;
                    }
                    if(_S67)
                    {
                        _S68 = of_2 < fresh_0;
                    }
                    else
                    {
                        _S68 = false;
                    }
                    if(_S68)
                    {
                        float2 _S179 = kv_load2_0(C_V_TYPE_0, _S160, of_2, _S172);
                        two_5 = _S179;
                    }
                    else
                    {
                        two_5 = _S174;
                    }
                    values_0[6U] = two_5.x;
                    values_0[7U] = two_5.y;
                    uint of_3 = _S173 + 4U;
                    if(_S175)
                    {
                        _S69 = of_3 >= first_1;
                    }
                    else
                    {
                        _S69 = false;
                    }
                    if(_S69)
                    {
                        _S70 = of_3 < fresh_0;
                    }
                    else
                    {
                        _S70 = false;
                    }
                    if(_S70)
                    {
                        float2 _S180 = kv_load2_0(C_V_TYPE_0, _S160, of_3, _S172);
                        two_6 = _S180;
                    }
                    else
                    {
                        two_6 = _S174;
                    }
                    values_0[8U] = two_6.x;
                    values_0[9U] = two_6.y;
                    uint of_4 = _S173 + 5U;
                    if(_S175)
                    {
                        _S71 = of_4 >= first_1;
                    }
                    else
                    {
                        _S71 = false;
                    }
                    if(_S71)
                    {
                        _S72 = of_4 < fresh_0;
                    }
                    else
                    {
                        _S72 = false;
                    }
                    if(_S72)
                    {
                        float2 _S181 = kv_load2_0(C_V_TYPE_0, _S160, of_4, _S172);
                        two_7 = _S181;
                    }
                    else
                    {
                        two_7 = _S174;
                    }
                    values_0[10U] = two_7.x;
                    values_0[11U] = two_7.y;
                    uint of_5 = _S173 + 6U;
                    if(_S175)
                    {
                        _S73 = of_5 >= first_1;
                    }
                    else
                    {
                        _S73 = false;
                    }
                    if(_S73)
                    {
                        _S74 = of_5 < fresh_0;
                    }
                    else
                    {
                        _S74 = false;
                    }
                    if(_S74)
                    {
                        float2 _S182 = kv_load2_0(C_V_TYPE_0, _S160, of_5, _S172);
                        two_8 = _S182;
                    }
                    else
                    {
                        two_8 = _S174;
                    }
                    values_0[12U] = two_8.x;
                    values_0[13U] = two_8.y;
                    uint of_6 = _S173 + 7U;
                    if(_S175)
                    {
                        _S75 = of_6 >= first_1;
                    }
                    else
                    {
                        _S75 = false;
                    }
                    if(_S75)
                    {
                        _S76 = of_6 < fresh_0;
                    }
                    else
                    {
                        _S76 = false;
                    }
                    if(_S76)
                    {
                        float2 _S183 = kv_load2_0(C_V_TYPE_0, _S160, of_6, _S172);
                        two_9 = _S183;
                    }
                    else
                    {
                        two_9 = _S174;
                    }
                    values_0[14U] = two_9.x;
                    values_0[15U] = two_9.y;
                    uint of_7 = _S173 + 8U;
                    if(_S175)
                    {
                        _S77 = of_7 >= first_1;
                    }
                    else
                    {
                        _S77 = false;
                    }
                    if(_S77)
                    {
                        _S78 = of_7 < fresh_0;
                    }
                    else
                    {
                        _S78 = false;
                    }
                    if(_S78)
                    {
                        float2 _S184 = kv_load2_0(C_V_TYPE_0, _S160, of_7, _S172);
                        two_10 = _S184;
                    }
                    else
                    {
                        two_10 = _S174;
                    }
                    values_0[16U] = two_10.x;
                    values_0[17U] = two_10.y;
                    uint of_8 = _S173 + 9U;
                    if(_S175)
                    {
                        _S79 = of_8 >= first_1;
                    }
                    else
                    {
                        _S79 = false;
                    }
                    if(_S79)
                    {
                        _S80 = of_8 < fresh_0;
                    }
                    else
                    {
                        _S80 = false;
                    }
                    if(_S80)
                    {
                        float2 _S185 = kv_load2_0(C_V_TYPE_0, _S160, of_8, _S172);
                        two_11 = _S185;
                    }
                    else
                    {
                        two_11 = _S174;
                    }
                    values_0[18U] = two_11.x;
                    values_0[19U] = two_11.y;
                    uint of_9 = _S173 + 10U;
                    if(_S175)
                    {
                        _S81 = of_9 >= first_1;
                    }
                    else
                    {
                        _S81 = false;
                    }
                    if(_S81)
                    {
                        _S82 = of_9 < fresh_0;
                    }
                    else
                    {
                        _S82 = false;
                    }
                    if(_S82)
                    {
                        float2 _S186 = kv_load2_0(C_V_TYPE_0, _S160, of_9, _S172);
                        two_12 = _S186;
                    }
                    else
                    {
                        two_12 = _S174;
                    }
                    values_0[20U] = two_12.x;
                    values_0[21U] = two_12.y;
                    uint of_10 = _S173 + 11U;
                    if(_S175)
                    {
                        _S83 = of_10 >= first_1;
                    }
                    else
                    {
                        _S83 = false;
                    }
                    if(_S83)
                    {
                        _S84 = of_10 < fresh_0;
                    }
                    else
                    {
                        _S84 = false;
                    }
                    if(_S84)
                    {
                        float2 _S187 = kv_load2_0(C_V_TYPE_0, _S160, of_10, _S172);
                        two_13 = _S187;
                    }
                    else
                    {
                        two_13 = _S174;
                    }
                    values_0[22U] = two_13.x;
                    values_0[23U] = two_13.y;
                    uint of_11 = _S173 + 12U;
                    if(_S175)
                    {
                        _S85 = of_11 >= first_1;
                    }
                    else
                    {
                        _S85 = false;
                    }
                    if(_S85)
                    {
                        _S86 = of_11 < fresh_0;
                    }
                    else
                    {
                        _S86 = false;
                    }
                    if(_S86)
                    {
                        float2 _S188 = kv_load2_0(C_V_TYPE_0, _S160, of_11, _S172);
                        two_14 = _S188;
                    }
                    else
                    {
                        two_14 = _S174;
                    }
                    values_0[24U] = two_14.x;
                    values_0[25U] = two_14.y;
                    uint of_12 = _S173 + 13U;
                    if(_S175)
                    {
                        _S87 = of_12 >= first_1;
                    }
                    else
                    {
                        _S87 = false;
                    }
                    if(_S87)
                    {
                        _S88 = of_12 < fresh_0;
                    }
                    else
                    {
                        _S88 = false;
                    }
                    if(_S88)
                    {
                        float2 _S189 = kv_load2_0(C_V_TYPE_0, _S160, of_12, _S172);
                        two_15 = _S189;
                    }
                    else
                    {
                        two_15 = _S174;
                    }
                    values_0[26U] = two_15.x;
                    values_0[27U] = two_15.y;
                    uint of_13 = _S173 + 14U;
                    if(_S175)
                    {
                        _S89 = of_13 >= first_1;
                    }
                    else
                    {
                        _S89 = false;
                    }
                    if(_S89)
                    {
                        _S90 = of_13 < fresh_0;
                    }
                    else
                    {
                        _S90 = false;
                    }
                    if(_S90)
                    {
                        float2 _S190 = kv_load2_0(C_V_TYPE_0, _S160, of_13, _S172);
                        two_16 = _S190;
                    }
                    else
                    {
                        two_16 = _S174;
                    }
                    values_0[28U] = two_16.x;
                    values_0[29U] = two_16.y;
                    uint of_14 = _S173 + 15U;
                    if(_S175)
                    {
                        _S91 = of_14 >= first_1;
                    }
                    else
                    {
                        _S91 = false;
                    }
                    if(_S91)
                    {
                        _S92 = of_14 < fresh_0;
                    }
                    else
                    {
                        _S92 = false;
                    }
                    if(_S92)
                    {
                        float2 _S191 = kv_load2_0(C_V_TYPE_0, _S160, of_14, _S172);
                        two_17 = _S191;
                    }
                    else
                    {
                        two_17 = _S174;
                    }
                    values_0[30U] = two_17.x;
                    values_0[31U] = two_17.y;
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
                    uint _S192 = (64U + scored_0) * 2U;
                    uint _S193 = from_0 + _S153 * 16U;
                    float2 _S194 = float2(0.0, 0.0);
                    bool _S195 = _S192 < C_HEAD_DIM_0;
                    if(_S195)
                    {
                        _S113 = _S193 >= first_1;
                    }
                    else
                    {
                        _S113 = false;
                    }
                    if(_S113)
                    {
                        mine_1 = _S193 < fresh_0;
                    }
                    else
                    {
                        mine_1 = false;
                    }
                    if(mine_1)
                    {
                        float2 _S196 = kv_load2_0(C_V_TYPE_0, _S160, _S193, _S192);
                        two_2 = _S196;
                    }
                    else
                    {
                        two_2 = _S194;
                    }
                    values_0[32U] = two_2.x;
                    values_0[33U] = two_2.y;
                    uint of_15 = _S193 + 1U;
                    if(_S195)
                    {
                        seen_0 = of_15 >= first_1;
                    }
                    else
                    {
                        seen_0 = false;
                    }
                    if(seen_0)
                    {
                        _S64 = of_15 < fresh_0;
                    }
                    else
                    {
                        _S64 = false;
                    }
                    if(_S64)
                    {
                        float2 _S197 = kv_load2_0(C_V_TYPE_0, _S160, of_15, _S192);
                        two_3 = _S197;
                    }
                    else
                    {
                        two_3 = _S194;
                    }
                    values_0[34U] = two_3.x;
                    values_0[35U] = two_3.y;
                    uint of_16 = _S193 + 2U;
                    if(_S195)
                    {
                        _S65 = of_16 >= first_1;
                    }
                    else
                    {
                        _S65 = false;
                    }
                    if(_S65)
                    {
                        _S66 = of_16 < fresh_0;
                    }
                    else
                    {
                        _S66 = false;
                    }
                    if(_S66)
                    {
                        float2 _S198 = kv_load2_0(C_V_TYPE_0, _S160, of_16, _S192);
                        two_4 = _S198;
                    }
                    else
                    {
                        two_4 = _S194;
                    }
                    values_0[36U] = two_4.x;
                    values_0[37U] = two_4.y;
                    uint of_17 = _S193 + 3U;
                    if(_S195)
                    {
                        _S67 = of_17 >= first_1;
                    }
                    else
                    {
                        _S67 = false;
                    }
                    if(_S67)
                    {
                        _S68 = of_17 < fresh_0;
                    }
                    else
                    {
                        _S68 = false;
                    }
                    if(_S68)
                    {
                        float2 _S199 = kv_load2_0(C_V_TYPE_0, _S160, of_17, _S192);
                        two_5 = _S199;
                    }
                    else
                    {
                        two_5 = _S194;
                    }
                    values_0[38U] = two_5.x;
                    values_0[39U] = two_5.y;
                    uint of_18 = _S193 + 4U;
                    if(_S195)
                    {
                        _S69 = of_18 >= first_1;
                    }
                    else
                    {
                        _S69 = false;
                    }
                    if(_S69)
                    {
                        _S70 = of_18 < fresh_0;
                    }
                    else
                    {
                        _S70 = false;
                    }
                    if(_S70)
                    {
                        float2 _S200 = kv_load2_0(C_V_TYPE_0, _S160, of_18, _S192);
                        two_6 = _S200;
                    }
                    else
                    {
                        two_6 = _S194;
                    }
                    values_0[40U] = two_6.x;
                    values_0[41U] = two_6.y;
                    uint of_19 = _S193 + 5U;
                    if(_S195)
                    {
                        _S71 = of_19 >= first_1;
                    }
                    else
                    {
                        _S71 = false;
                    }
                    if(_S71)
                    {
                        _S72 = of_19 < fresh_0;
                    }
                    else
                    {
                        _S72 = false;
                    }
                    if(_S72)
                    {
                        float2 _S201 = kv_load2_0(C_V_TYPE_0, _S160, of_19, _S192);
                        two_7 = _S201;
                    }
                    else
                    {
                        two_7 = _S194;
                    }
                    values_0[42U] = two_7.x;
                    values_0[43U] = two_7.y;
                    uint of_20 = _S193 + 6U;
                    if(_S195)
                    {
                        _S73 = of_20 >= first_1;
                    }
                    else
                    {
                        _S73 = false;
                    }
                    if(_S73)
                    {
                        _S74 = of_20 < fresh_0;
                    }
                    else
                    {
                        _S74 = false;
                    }
                    if(_S74)
                    {
                        float2 _S202 = kv_load2_0(C_V_TYPE_0, _S160, of_20, _S192);
                        two_8 = _S202;
                    }
                    else
                    {
                        two_8 = _S194;
                    }
                    values_0[44U] = two_8.x;
                    values_0[45U] = two_8.y;
                    uint of_21 = _S193 + 7U;
                    if(_S195)
                    {
                        _S75 = of_21 >= first_1;
                    }
                    else
                    {
                        _S75 = false;
                    }
                    if(_S75)
                    {
                        _S76 = of_21 < fresh_0;
                    }
                    else
                    {
                        _S76 = false;
                    }
                    if(_S76)
                    {
                        float2 _S203 = kv_load2_0(C_V_TYPE_0, _S160, of_21, _S192);
                        two_9 = _S203;
                    }
                    else
                    {
                        two_9 = _S194;
                    }
                    values_0[46U] = two_9.x;
                    values_0[47U] = two_9.y;
                    uint of_22 = _S193 + 8U;
                    if(_S195)
                    {
                        _S77 = of_22 >= first_1;
                    }
                    else
                    {
                        _S77 = false;
                    }
                    if(_S77)
                    {
                        _S78 = of_22 < fresh_0;
                    }
                    else
                    {
                        _S78 = false;
                    }
                    if(_S78)
                    {
                        float2 _S204 = kv_load2_0(C_V_TYPE_0, _S160, of_22, _S192);
                        two_10 = _S204;
                    }
                    else
                    {
                        two_10 = _S194;
                    }
                    values_0[48U] = two_10.x;
                    values_0[49U] = two_10.y;
                    uint of_23 = _S193 + 9U;
                    if(_S195)
                    {
                        _S79 = of_23 >= first_1;
                    }
                    else
                    {
                        _S79 = false;
                    }
                    if(_S79)
                    {
                        _S80 = of_23 < fresh_0;
                    }
                    else
                    {
                        _S80 = false;
                    }
                    if(_S80)
                    {
                        float2 _S205 = kv_load2_0(C_V_TYPE_0, _S160, of_23, _S192);
                        two_11 = _S205;
                    }
                    else
                    {
                        two_11 = _S194;
                    }
                    values_0[50U] = two_11.x;
                    values_0[51U] = two_11.y;
                    uint of_24 = _S193 + 10U;
                    if(_S195)
                    {
                        _S81 = of_24 >= first_1;
                    }
                    else
                    {
                        _S81 = false;
                    }
                    if(_S81)
                    {
                        _S82 = of_24 < fresh_0;
                    }
                    else
                    {
                        _S82 = false;
                    }
                    if(_S82)
                    {
                        float2 _S206 = kv_load2_0(C_V_TYPE_0, _S160, of_24, _S192);
                        two_12 = _S206;
                    }
                    else
                    {
                        two_12 = _S194;
                    }
                    values_0[52U] = two_12.x;
                    values_0[53U] = two_12.y;
                    uint of_25 = _S193 + 11U;
                    if(_S195)
                    {
                        _S83 = of_25 >= first_1;
                    }
                    else
                    {
                        _S83 = false;
                    }
                    if(_S83)
                    {
                        _S84 = of_25 < fresh_0;
                    }
                    else
                    {
                        _S84 = false;
                    }
                    if(_S84)
                    {
                        float2 _S207 = kv_load2_0(C_V_TYPE_0, _S160, of_25, _S192);
                        two_13 = _S207;
                    }
                    else
                    {
                        two_13 = _S194;
                    }
                    values_0[54U] = two_13.x;
                    values_0[55U] = two_13.y;
                    uint of_26 = _S193 + 12U;
                    if(_S195)
                    {
                        _S85 = of_26 >= first_1;
                    }
                    else
                    {
                        _S85 = false;
                    }
                    if(_S85)
                    {
                        _S86 = of_26 < fresh_0;
                    }
                    else
                    {
                        _S86 = false;
                    }
                    if(_S86)
                    {
                        float2 _S208 = kv_load2_0(C_V_TYPE_0, _S160, of_26, _S192);
                        two_14 = _S208;
                    }
                    else
                    {
                        two_14 = _S194;
                    }
                    values_0[56U] = two_14.x;
                    values_0[57U] = two_14.y;
                    uint of_27 = _S193 + 13U;
                    if(_S195)
                    {
                        _S87 = of_27 >= first_1;
                    }
                    else
                    {
                        _S87 = false;
                    }
                    if(_S87)
                    {
                        _S88 = of_27 < fresh_0;
                    }
                    else
                    {
                        _S88 = false;
                    }
                    if(_S88)
                    {
                        float2 _S209 = kv_load2_0(C_V_TYPE_0, _S160, of_27, _S192);
                        two_15 = _S209;
                    }
                    else
                    {
                        two_15 = _S194;
                    }
                    values_0[58U] = two_15.x;
                    values_0[59U] = two_15.y;
                    uint of_28 = _S193 + 14U;
                    if(_S195)
                    {
                        _S89 = of_28 >= first_1;
                    }
                    else
                    {
                        _S89 = false;
                    }
                    if(_S89)
                    {
                        _S90 = of_28 < fresh_0;
                    }
                    else
                    {
                        _S90 = false;
                    }
                    if(_S90)
                    {
                        float2 _S210 = kv_load2_0(C_V_TYPE_0, _S160, of_28, _S192);
                        two_16 = _S210;
                    }
                    else
                    {
                        two_16 = _S194;
                    }
                    values_0[60U] = two_16.x;
                    values_0[61U] = two_16.y;
                    uint of_29 = _S193 + 15U;
                    if(_S195)
                    {
                        _S91 = of_29 >= first_1;
                    }
                    else
                    {
                        _S91 = false;
                    }
                    if(_S91)
                    {
                        _S92 = of_29 < fresh_0;
                    }
                    else
                    {
                        _S92 = false;
                    }
                    if(_S92)
                    {
                        float2 _S211 = kv_load2_0(C_V_TYPE_0, _S160, of_29, _S192);
                        two_17 = _S211;
                    }
                    else
                    {
                        two_17 = _S194;
                    }
                    values_0[62U] = two_17.x;
                    values_0[63U] = two_17.y;
                    break;
                }
                break;
            }
            break;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if(j_0 >= fresh_0)
        {
            _S113 = j_0 <= (at_1.pos_0);
        }
        else
        {
            _S113 = false;
        }
        if(_S113)
        {
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
                        bool _S212 = _S45 < C_HEAD_DIM_0;
                        if(_S212)
                        {
                            k_1[0U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S45];
                        }
                        if(_S212)
                        {
                            k_1[1U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S45 + 1U];
                        }
                        if(_S212)
                        {
                            k_1[2U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S45 + 2U];
                        }
                        if(_S212)
                        {
                            k_1[3U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S45 + 3U];
                        }
                        if(_S212)
                        {
                            k_1[4U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S45 + 4U];
                        }
                        if(_S212)
                        {
                            k_1[5U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S45 + 5U];
                        }
                        if(_S212)
                        {
                            k_1[6U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S45 + 6U];
                        }
                        if(_S212)
                        {
                            k_1[7U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S45 + 7U];
                        }
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
                        bool _S213 = _S48 < C_HEAD_DIM_0;
                        if(_S213)
                        {
                            k_1[8U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S48];
                        }
                        if(_S213)
                        {
                            k_1[9U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S48 + 1U];
                        }
                        if(_S213)
                        {
                            k_1[10U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S48 + 2U];
                        }
                        if(_S213)
                        {
                            k_1[11U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S48 + 3U];
                        }
                        if(_S213)
                        {
                            k_1[12U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S48 + 4U];
                        }
                        if(_S213)
                        {
                            k_1[13U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S48 + 5U];
                        }
                        if(_S213)
                        {
                            k_1[14U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S48 + 6U];
                        }
                        if(_S213)
                        {
                            k_1[15U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S48 + 7U];
                        }
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
                        bool _S214 = _S51 < C_HEAD_DIM_0;
                        if(_S214)
                        {
                            k_1[16U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S51];
                        }
                        if(_S214)
                        {
                            k_1[17U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S51 + 1U];
                        }
                        if(_S214)
                        {
                            k_1[18U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S51 + 2U];
                        }
                        if(_S214)
                        {
                            k_1[19U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S51 + 3U];
                        }
                        if(_S214)
                        {
                            k_1[20U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S51 + 4U];
                        }
                        if(_S214)
                        {
                            k_1[21U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S51 + 5U];
                        }
                        if(_S214)
                        {
                            k_1[22U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S51 + 6U];
                        }
                        if(_S214)
                        {
                            k_1[23U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S51 + 7U];
                        }
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
                        bool _S215 = _S54 < C_HEAD_DIM_0;
                        if(_S215)
                        {
                            k_1[24U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S54];
                        }
                        if(_S215)
                        {
                            k_1[25U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S54 + 1U];
                        }
                        if(_S215)
                        {
                            k_1[26U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S54 + 2U];
                        }
                        if(_S215)
                        {
                            k_1[27U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S54 + 3U];
                        }
                        if(_S215)
                        {
                            k_1[28U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S54 + 4U];
                        }
                        if(_S215)
                        {
                            k_1[29U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S54 + 5U];
                        }
                        if(_S215)
                        {
                            k_1[30U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S54 + 6U];
                        }
                        if(_S215)
                        {
                            k_1[31U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S54 + 7U];
                        }
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
                        bool _S216 = _S56 < C_HEAD_DIM_0;
                        if(_S216)
                        {
                            k_1[32U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S56];
                        }
                        if(_S216)
                        {
                            k_1[33U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S56 + 1U];
                        }
                        if(_S216)
                        {
                            k_1[34U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S56 + 2U];
                        }
                        if(_S216)
                        {
                            k_1[35U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S56 + 3U];
                        }
                        if(_S216)
                        {
                            k_1[36U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S56 + 4U];
                        }
                        if(_S216)
                        {
                            k_1[37U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S56 + 5U];
                        }
                        if(_S216)
                        {
                            k_1[38U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S56 + 6U];
                        }
                        if(_S216)
                        {
                            k_1[39U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S56 + 7U];
                        }
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
                        bool _S217 = _S58 < C_HEAD_DIM_0;
                        if(_S217)
                        {
                            k_1[40U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S58];
                        }
                        if(_S217)
                        {
                            k_1[41U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S58 + 1U];
                        }
                        if(_S217)
                        {
                            k_1[42U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S58 + 2U];
                        }
                        if(_S217)
                        {
                            k_1[43U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S58 + 3U];
                        }
                        if(_S217)
                        {
                            k_1[44U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S58 + 4U];
                        }
                        if(_S217)
                        {
                            k_1[45U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S58 + 5U];
                        }
                        if(_S217)
                        {
                            k_1[46U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S58 + 6U];
                        }
                        if(_S217)
                        {
                            k_1[47U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S58 + 7U];
                        }
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
                        bool _S218 = _S60 < C_HEAD_DIM_0;
                        if(_S218)
                        {
                            k_1[48U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S60];
                        }
                        if(_S218)
                        {
                            k_1[49U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S60 + 1U];
                        }
                        if(_S218)
                        {
                            k_1[50U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S60 + 2U];
                        }
                        if(_S218)
                        {
                            k_1[51U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S60 + 3U];
                        }
                        if(_S218)
                        {
                            k_1[52U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S60 + 4U];
                        }
                        if(_S218)
                        {
                            k_1[53U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S60 + 5U];
                        }
                        if(_S218)
                        {
                            k_1[54U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S60 + 6U];
                        }
                        if(_S218)
                        {
                            k_1[55U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S60 + 7U];
                        }
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S63)
                        {
                            break;
                        }
                        bool _S219 = _S62 < C_HEAD_DIM_0;
                        if(_S219)
                        {
                            k_1[56U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S62];
                        }
                        if(_S219)
                        {
                            k_1[57U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S62 + 1U];
                        }
                        if(_S219)
                        {
                            k_1[58U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S62 + 2U];
                        }
                        if(_S219)
                        {
                            k_1[59U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S62 + 3U];
                        }
                        if(_S219)
                        {
                            k_1[60U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S62 + 4U];
                        }
                        if(_S219)
                        {
                            k_1[61U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S62 + 5U];
                        }
                        if(_S219)
                        {
                            k_1[62U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S62 + 6U];
                        }
                        if(_S219)
                        {
                            k_1[63U] = (*(&kernelContext_6)->fresh_keys_0)[(j_0 - fresh_0) * C_HEAD_DIM_0 + _S62 + 7U];
                        }
                        break;
                    }
                    break;
                }
                break;
            }
        }
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    if(0U >= _S123)
                    {
                        break;
                    }
                    for(;;)
                    {
                        for(;;)
                        {
                            for(;;)
                            {
                                if(0U >= C_HEAD_DIM_0)
                                {
                                    score_0 = 0.0;
                                    break;
                                }
                                if(_S45 >= C_HEAD_DIM_0)
                                {
                                    score_0 = 0.0;
                                    break;
                                }
                                score_0 = fma((*(&kernelContext_6)->queries_0)[_S45 / 4U + 1U].w, k_1[7U], fma((*(&kernelContext_6)->queries_0)[_S45 / 4U + 1U].z, k_1[6U], fma((*(&kernelContext_6)->queries_0)[_S45 / 4U + 1U].y, k_1[5U], fma((*(&kernelContext_6)->queries_0)[_S45 / 4U + 1U].x, k_1[4U], fma((*(&kernelContext_6)->queries_0)[_S45 / 4U].w, k_1[3U], fma((*(&kernelContext_6)->queries_0)[_S45 / 4U].z, k_1[2U], fma((*(&kernelContext_6)->queries_0)[_S45 / 4U].y, k_1[1U], fma((*(&kernelContext_6)->queries_0)[_S45 / 4U].x, k_1[0U], 0.0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(32U >= C_HEAD_DIM_0)
                                {
                                    top_0 = score_0;
                                    break;
                                }
                                if(_S48 >= C_HEAD_DIM_0)
                                {
                                    top_0 = score_0;
                                    break;
                                }
                                top_0 = fma((*(&kernelContext_6)->queries_0)[_S48 / 4U + 1U].w, k_1[15U], fma((*(&kernelContext_6)->queries_0)[_S48 / 4U + 1U].z, k_1[14U], fma((*(&kernelContext_6)->queries_0)[_S48 / 4U + 1U].y, k_1[13U], fma((*(&kernelContext_6)->queries_0)[_S48 / 4U + 1U].x, k_1[12U], fma((*(&kernelContext_6)->queries_0)[_S48 / 4U].w, k_1[11U], fma((*(&kernelContext_6)->queries_0)[_S48 / 4U].z, k_1[10U], fma((*(&kernelContext_6)->queries_0)[_S48 / 4U].y, k_1[9U], fma((*(&kernelContext_6)->queries_0)[_S48 / 4U].x, k_1[8U], score_0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(64U >= C_HEAD_DIM_0)
                                {
                                    shrink_0 = top_0;
                                    break;
                                }
                                if(_S51 >= C_HEAD_DIM_0)
                                {
                                    shrink_0 = top_0;
                                    break;
                                }
                                shrink_0 = fma((*(&kernelContext_6)->queries_0)[_S51 / 4U + 1U].w, k_1[23U], fma((*(&kernelContext_6)->queries_0)[_S51 / 4U + 1U].z, k_1[22U], fma((*(&kernelContext_6)->queries_0)[_S51 / 4U + 1U].y, k_1[21U], fma((*(&kernelContext_6)->queries_0)[_S51 / 4U + 1U].x, k_1[20U], fma((*(&kernelContext_6)->queries_0)[_S51 / 4U].w, k_1[19U], fma((*(&kernelContext_6)->queries_0)[_S51 / 4U].z, k_1[18U], fma((*(&kernelContext_6)->queries_0)[_S51 / 4U].y, k_1[17U], fma((*(&kernelContext_6)->queries_0)[_S51 / 4U].x, k_1[16U], top_0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(96U >= C_HEAD_DIM_0)
                                {
                                    weight_0 = shrink_0;
                                    break;
                                }
                                if(_S54 >= C_HEAD_DIM_0)
                                {
                                    weight_0 = shrink_0;
                                    break;
                                }
                                weight_0 = fma((*(&kernelContext_6)->queries_0)[_S54 / 4U + 1U].w, k_1[31U], fma((*(&kernelContext_6)->queries_0)[_S54 / 4U + 1U].z, k_1[30U], fma((*(&kernelContext_6)->queries_0)[_S54 / 4U + 1U].y, k_1[29U], fma((*(&kernelContext_6)->queries_0)[_S54 / 4U + 1U].x, k_1[28U], fma((*(&kernelContext_6)->queries_0)[_S54 / 4U].w, k_1[27U], fma((*(&kernelContext_6)->queries_0)[_S54 / 4U].z, k_1[26U], fma((*(&kernelContext_6)->queries_0)[_S54 / 4U].y, k_1[25U], fma((*(&kernelContext_6)->queries_0)[_S54 / 4U].x, k_1[24U], shrink_0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(128U >= C_HEAD_DIM_0)
                                {
                                    dot_0 = weight_0;
                                    break;
                                }
                                if(_S56 >= C_HEAD_DIM_0)
                                {
                                    dot_0 = weight_0;
                                    break;
                                }
                                dot_0 = fma((*(&kernelContext_6)->queries_0)[_S56 / 4U + 1U].w, k_1[39U], fma((*(&kernelContext_6)->queries_0)[_S56 / 4U + 1U].z, k_1[38U], fma((*(&kernelContext_6)->queries_0)[_S56 / 4U + 1U].y, k_1[37U], fma((*(&kernelContext_6)->queries_0)[_S56 / 4U + 1U].x, k_1[36U], fma((*(&kernelContext_6)->queries_0)[_S56 / 4U].w, k_1[35U], fma((*(&kernelContext_6)->queries_0)[_S56 / 4U].z, k_1[34U], fma((*(&kernelContext_6)->queries_0)[_S56 / 4U].y, k_1[33U], fma((*(&kernelContext_6)->queries_0)[_S56 / 4U].x, k_1[32U], weight_0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(160U >= C_HEAD_DIM_0)
                                {
                                    dot_1 = dot_0;
                                    break;
                                }
                                if(_S58 >= C_HEAD_DIM_0)
                                {
                                    dot_1 = dot_0;
                                    break;
                                }
                                dot_1 = fma((*(&kernelContext_6)->queries_0)[_S58 / 4U + 1U].w, k_1[47U], fma((*(&kernelContext_6)->queries_0)[_S58 / 4U + 1U].z, k_1[46U], fma((*(&kernelContext_6)->queries_0)[_S58 / 4U + 1U].y, k_1[45U], fma((*(&kernelContext_6)->queries_0)[_S58 / 4U + 1U].x, k_1[44U], fma((*(&kernelContext_6)->queries_0)[_S58 / 4U].w, k_1[43U], fma((*(&kernelContext_6)->queries_0)[_S58 / 4U].z, k_1[42U], fma((*(&kernelContext_6)->queries_0)[_S58 / 4U].y, k_1[41U], fma((*(&kernelContext_6)->queries_0)[_S58 / 4U].x, k_1[40U], dot_0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(192U >= C_HEAD_DIM_0)
                                {
                                    dot_2 = dot_1;
                                    break;
                                }
                                if(_S60 >= C_HEAD_DIM_0)
                                {
                                    dot_2 = dot_1;
                                    break;
                                }
                                dot_2 = fma((*(&kernelContext_6)->queries_0)[_S60 / 4U + 1U].w, k_1[55U], fma((*(&kernelContext_6)->queries_0)[_S60 / 4U + 1U].z, k_1[54U], fma((*(&kernelContext_6)->queries_0)[_S60 / 4U + 1U].y, k_1[53U], fma((*(&kernelContext_6)->queries_0)[_S60 / 4U + 1U].x, k_1[52U], fma((*(&kernelContext_6)->queries_0)[_S60 / 4U].w, k_1[51U], fma((*(&kernelContext_6)->queries_0)[_S60 / 4U].z, k_1[50U], fma((*(&kernelContext_6)->queries_0)[_S60 / 4U].y, k_1[49U], fma((*(&kernelContext_6)->queries_0)[_S60 / 4U].x, k_1[48U], dot_1))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(224U >= C_HEAD_DIM_0)
                                {
                                    dot_3 = dot_2;
                                    break;
                                }
                                if(_S62 >= C_HEAD_DIM_0)
                                {
                                    dot_3 = dot_2;
                                    break;
                                }
                                dot_3 = fma((*(&kernelContext_6)->queries_0)[_S62 / 4U + 1U].w, k_1[63U], fma((*(&kernelContext_6)->queries_0)[_S62 / 4U + 1U].z, k_1[62U], fma((*(&kernelContext_6)->queries_0)[_S62 / 4U + 1U].y, k_1[61U], fma((*(&kernelContext_6)->queries_0)[_S62 / 4U + 1U].x, k_1[60U], fma((*(&kernelContext_6)->queries_0)[_S62 / 4U].w, k_1[59U], fma((*(&kernelContext_6)->queries_0)[_S62 / 4U].z, k_1[58U], fma((*(&kernelContext_6)->queries_0)[_S62 / 4U].y, k_1[57U], fma((*(&kernelContext_6)->queries_0)[_S62 / 4U].x, k_1[56U], dot_2))))))));
                                break;
                            }
                            break;
                        }
                        break;
                    }
                    (*(&kernelContext_6)->dots_0)[_S152 * 72U + _S151] = dot_3;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(1U >= _S123)
                    {
                        break;
                    }
                    for(;;)
                    {
                        for(;;)
                        {
                            for(;;)
                            {
                                if(0U >= C_HEAD_DIM_0)
                                {
                                    score_0 = 0.0;
                                    break;
                                }
                                if(_S45 >= C_HEAD_DIM_0)
                                {
                                    score_0 = 0.0;
                                    break;
                                }
                                uint _S220 = 256U + _S45;
                                score_0 = fma((*(&kernelContext_6)->queries_0)[_S220 / 4U + 1U].w, k_1[7U], fma((*(&kernelContext_6)->queries_0)[_S220 / 4U + 1U].z, k_1[6U], fma((*(&kernelContext_6)->queries_0)[_S220 / 4U + 1U].y, k_1[5U], fma((*(&kernelContext_6)->queries_0)[_S220 / 4U + 1U].x, k_1[4U], fma((*(&kernelContext_6)->queries_0)[_S220 / 4U].w, k_1[3U], fma((*(&kernelContext_6)->queries_0)[_S220 / 4U].z, k_1[2U], fma((*(&kernelContext_6)->queries_0)[_S220 / 4U].y, k_1[1U], fma((*(&kernelContext_6)->queries_0)[_S220 / 4U].x, k_1[0U], 0.0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(32U >= C_HEAD_DIM_0)
                                {
                                    top_0 = score_0;
                                    break;
                                }
                                if(_S48 >= C_HEAD_DIM_0)
                                {
                                    top_0 = score_0;
                                    break;
                                }
                                uint _S221 = 256U + _S48;
                                top_0 = fma((*(&kernelContext_6)->queries_0)[_S221 / 4U + 1U].w, k_1[15U], fma((*(&kernelContext_6)->queries_0)[_S221 / 4U + 1U].z, k_1[14U], fma((*(&kernelContext_6)->queries_0)[_S221 / 4U + 1U].y, k_1[13U], fma((*(&kernelContext_6)->queries_0)[_S221 / 4U + 1U].x, k_1[12U], fma((*(&kernelContext_6)->queries_0)[_S221 / 4U].w, k_1[11U], fma((*(&kernelContext_6)->queries_0)[_S221 / 4U].z, k_1[10U], fma((*(&kernelContext_6)->queries_0)[_S221 / 4U].y, k_1[9U], fma((*(&kernelContext_6)->queries_0)[_S221 / 4U].x, k_1[8U], score_0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(64U >= C_HEAD_DIM_0)
                                {
                                    shrink_0 = top_0;
                                    break;
                                }
                                if(_S51 >= C_HEAD_DIM_0)
                                {
                                    shrink_0 = top_0;
                                    break;
                                }
                                uint _S222 = 256U + _S51;
                                shrink_0 = fma((*(&kernelContext_6)->queries_0)[_S222 / 4U + 1U].w, k_1[23U], fma((*(&kernelContext_6)->queries_0)[_S222 / 4U + 1U].z, k_1[22U], fma((*(&kernelContext_6)->queries_0)[_S222 / 4U + 1U].y, k_1[21U], fma((*(&kernelContext_6)->queries_0)[_S222 / 4U + 1U].x, k_1[20U], fma((*(&kernelContext_6)->queries_0)[_S222 / 4U].w, k_1[19U], fma((*(&kernelContext_6)->queries_0)[_S222 / 4U].z, k_1[18U], fma((*(&kernelContext_6)->queries_0)[_S222 / 4U].y, k_1[17U], fma((*(&kernelContext_6)->queries_0)[_S222 / 4U].x, k_1[16U], top_0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(96U >= C_HEAD_DIM_0)
                                {
                                    weight_0 = shrink_0;
                                    break;
                                }
                                if(_S54 >= C_HEAD_DIM_0)
                                {
                                    weight_0 = shrink_0;
                                    break;
                                }
                                uint _S223 = 256U + _S54;
                                weight_0 = fma((*(&kernelContext_6)->queries_0)[_S223 / 4U + 1U].w, k_1[31U], fma((*(&kernelContext_6)->queries_0)[_S223 / 4U + 1U].z, k_1[30U], fma((*(&kernelContext_6)->queries_0)[_S223 / 4U + 1U].y, k_1[29U], fma((*(&kernelContext_6)->queries_0)[_S223 / 4U + 1U].x, k_1[28U], fma((*(&kernelContext_6)->queries_0)[_S223 / 4U].w, k_1[27U], fma((*(&kernelContext_6)->queries_0)[_S223 / 4U].z, k_1[26U], fma((*(&kernelContext_6)->queries_0)[_S223 / 4U].y, k_1[25U], fma((*(&kernelContext_6)->queries_0)[_S223 / 4U].x, k_1[24U], shrink_0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(128U >= C_HEAD_DIM_0)
                                {
                                    dot_0 = weight_0;
                                    break;
                                }
                                if(_S56 >= C_HEAD_DIM_0)
                                {
                                    dot_0 = weight_0;
                                    break;
                                }
                                uint _S224 = 256U + _S56;
                                dot_0 = fma((*(&kernelContext_6)->queries_0)[_S224 / 4U + 1U].w, k_1[39U], fma((*(&kernelContext_6)->queries_0)[_S224 / 4U + 1U].z, k_1[38U], fma((*(&kernelContext_6)->queries_0)[_S224 / 4U + 1U].y, k_1[37U], fma((*(&kernelContext_6)->queries_0)[_S224 / 4U + 1U].x, k_1[36U], fma((*(&kernelContext_6)->queries_0)[_S224 / 4U].w, k_1[35U], fma((*(&kernelContext_6)->queries_0)[_S224 / 4U].z, k_1[34U], fma((*(&kernelContext_6)->queries_0)[_S224 / 4U].y, k_1[33U], fma((*(&kernelContext_6)->queries_0)[_S224 / 4U].x, k_1[32U], weight_0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(160U >= C_HEAD_DIM_0)
                                {
                                    dot_1 = dot_0;
                                    break;
                                }
                                if(_S58 >= C_HEAD_DIM_0)
                                {
                                    dot_1 = dot_0;
                                    break;
                                }
                                uint _S225 = 256U + _S58;
                                dot_1 = fma((*(&kernelContext_6)->queries_0)[_S225 / 4U + 1U].w, k_1[47U], fma((*(&kernelContext_6)->queries_0)[_S225 / 4U + 1U].z, k_1[46U], fma((*(&kernelContext_6)->queries_0)[_S225 / 4U + 1U].y, k_1[45U], fma((*(&kernelContext_6)->queries_0)[_S225 / 4U + 1U].x, k_1[44U], fma((*(&kernelContext_6)->queries_0)[_S225 / 4U].w, k_1[43U], fma((*(&kernelContext_6)->queries_0)[_S225 / 4U].z, k_1[42U], fma((*(&kernelContext_6)->queries_0)[_S225 / 4U].y, k_1[41U], fma((*(&kernelContext_6)->queries_0)[_S225 / 4U].x, k_1[40U], dot_0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(192U >= C_HEAD_DIM_0)
                                {
                                    dot_2 = dot_1;
                                    break;
                                }
                                if(_S60 >= C_HEAD_DIM_0)
                                {
                                    dot_2 = dot_1;
                                    break;
                                }
                                uint _S226 = 256U + _S60;
                                dot_2 = fma((*(&kernelContext_6)->queries_0)[_S226 / 4U + 1U].w, k_1[55U], fma((*(&kernelContext_6)->queries_0)[_S226 / 4U + 1U].z, k_1[54U], fma((*(&kernelContext_6)->queries_0)[_S226 / 4U + 1U].y, k_1[53U], fma((*(&kernelContext_6)->queries_0)[_S226 / 4U + 1U].x, k_1[52U], fma((*(&kernelContext_6)->queries_0)[_S226 / 4U].w, k_1[51U], fma((*(&kernelContext_6)->queries_0)[_S226 / 4U].z, k_1[50U], fma((*(&kernelContext_6)->queries_0)[_S226 / 4U].y, k_1[49U], fma((*(&kernelContext_6)->queries_0)[_S226 / 4U].x, k_1[48U], dot_1))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(224U >= C_HEAD_DIM_0)
                                {
                                    dot_3 = dot_2;
                                    break;
                                }
                                if(_S62 >= C_HEAD_DIM_0)
                                {
                                    dot_3 = dot_2;
                                    break;
                                }
                                uint _S227 = 256U + _S62;
                                dot_3 = fma((*(&kernelContext_6)->queries_0)[_S227 / 4U + 1U].w, k_1[63U], fma((*(&kernelContext_6)->queries_0)[_S227 / 4U + 1U].z, k_1[62U], fma((*(&kernelContext_6)->queries_0)[_S227 / 4U + 1U].y, k_1[61U], fma((*(&kernelContext_6)->queries_0)[_S227 / 4U + 1U].x, k_1[60U], fma((*(&kernelContext_6)->queries_0)[_S227 / 4U].w, k_1[59U], fma((*(&kernelContext_6)->queries_0)[_S227 / 4U].z, k_1[58U], fma((*(&kernelContext_6)->queries_0)[_S227 / 4U].y, k_1[57U], fma((*(&kernelContext_6)->queries_0)[_S227 / 4U].x, k_1[56U], dot_2))))))));
                                break;
                            }
                            break;
                        }
                        break;
                    }
                    (*(&kernelContext_6)->dots_0)[_S47 * 72U + _S151] = dot_3;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(2U >= _S123)
                    {
                        break;
                    }
                    for(;;)
                    {
                        for(;;)
                        {
                            for(;;)
                            {
                                if(0U >= C_HEAD_DIM_0)
                                {
                                    score_0 = 0.0;
                                    break;
                                }
                                if(_S45 >= C_HEAD_DIM_0)
                                {
                                    score_0 = 0.0;
                                    break;
                                }
                                uint _S228 = 512U + _S45;
                                score_0 = fma((*(&kernelContext_6)->queries_0)[_S228 / 4U + 1U].w, k_1[7U], fma((*(&kernelContext_6)->queries_0)[_S228 / 4U + 1U].z, k_1[6U], fma((*(&kernelContext_6)->queries_0)[_S228 / 4U + 1U].y, k_1[5U], fma((*(&kernelContext_6)->queries_0)[_S228 / 4U + 1U].x, k_1[4U], fma((*(&kernelContext_6)->queries_0)[_S228 / 4U].w, k_1[3U], fma((*(&kernelContext_6)->queries_0)[_S228 / 4U].z, k_1[2U], fma((*(&kernelContext_6)->queries_0)[_S228 / 4U].y, k_1[1U], fma((*(&kernelContext_6)->queries_0)[_S228 / 4U].x, k_1[0U], 0.0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(32U >= C_HEAD_DIM_0)
                                {
                                    top_0 = score_0;
                                    break;
                                }
                                if(_S48 >= C_HEAD_DIM_0)
                                {
                                    top_0 = score_0;
                                    break;
                                }
                                uint _S229 = 512U + _S48;
                                top_0 = fma((*(&kernelContext_6)->queries_0)[_S229 / 4U + 1U].w, k_1[15U], fma((*(&kernelContext_6)->queries_0)[_S229 / 4U + 1U].z, k_1[14U], fma((*(&kernelContext_6)->queries_0)[_S229 / 4U + 1U].y, k_1[13U], fma((*(&kernelContext_6)->queries_0)[_S229 / 4U + 1U].x, k_1[12U], fma((*(&kernelContext_6)->queries_0)[_S229 / 4U].w, k_1[11U], fma((*(&kernelContext_6)->queries_0)[_S229 / 4U].z, k_1[10U], fma((*(&kernelContext_6)->queries_0)[_S229 / 4U].y, k_1[9U], fma((*(&kernelContext_6)->queries_0)[_S229 / 4U].x, k_1[8U], score_0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(64U >= C_HEAD_DIM_0)
                                {
                                    shrink_0 = top_0;
                                    break;
                                }
                                if(_S51 >= C_HEAD_DIM_0)
                                {
                                    shrink_0 = top_0;
                                    break;
                                }
                                uint _S230 = 512U + _S51;
                                shrink_0 = fma((*(&kernelContext_6)->queries_0)[_S230 / 4U + 1U].w, k_1[23U], fma((*(&kernelContext_6)->queries_0)[_S230 / 4U + 1U].z, k_1[22U], fma((*(&kernelContext_6)->queries_0)[_S230 / 4U + 1U].y, k_1[21U], fma((*(&kernelContext_6)->queries_0)[_S230 / 4U + 1U].x, k_1[20U], fma((*(&kernelContext_6)->queries_0)[_S230 / 4U].w, k_1[19U], fma((*(&kernelContext_6)->queries_0)[_S230 / 4U].z, k_1[18U], fma((*(&kernelContext_6)->queries_0)[_S230 / 4U].y, k_1[17U], fma((*(&kernelContext_6)->queries_0)[_S230 / 4U].x, k_1[16U], top_0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(96U >= C_HEAD_DIM_0)
                                {
                                    weight_0 = shrink_0;
                                    break;
                                }
                                if(_S54 >= C_HEAD_DIM_0)
                                {
                                    weight_0 = shrink_0;
                                    break;
                                }
                                uint _S231 = 512U + _S54;
                                weight_0 = fma((*(&kernelContext_6)->queries_0)[_S231 / 4U + 1U].w, k_1[31U], fma((*(&kernelContext_6)->queries_0)[_S231 / 4U + 1U].z, k_1[30U], fma((*(&kernelContext_6)->queries_0)[_S231 / 4U + 1U].y, k_1[29U], fma((*(&kernelContext_6)->queries_0)[_S231 / 4U + 1U].x, k_1[28U], fma((*(&kernelContext_6)->queries_0)[_S231 / 4U].w, k_1[27U], fma((*(&kernelContext_6)->queries_0)[_S231 / 4U].z, k_1[26U], fma((*(&kernelContext_6)->queries_0)[_S231 / 4U].y, k_1[25U], fma((*(&kernelContext_6)->queries_0)[_S231 / 4U].x, k_1[24U], shrink_0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(128U >= C_HEAD_DIM_0)
                                {
                                    dot_0 = weight_0;
                                    break;
                                }
                                if(_S56 >= C_HEAD_DIM_0)
                                {
                                    dot_0 = weight_0;
                                    break;
                                }
                                uint _S232 = 512U + _S56;
                                dot_0 = fma((*(&kernelContext_6)->queries_0)[_S232 / 4U + 1U].w, k_1[39U], fma((*(&kernelContext_6)->queries_0)[_S232 / 4U + 1U].z, k_1[38U], fma((*(&kernelContext_6)->queries_0)[_S232 / 4U + 1U].y, k_1[37U], fma((*(&kernelContext_6)->queries_0)[_S232 / 4U + 1U].x, k_1[36U], fma((*(&kernelContext_6)->queries_0)[_S232 / 4U].w, k_1[35U], fma((*(&kernelContext_6)->queries_0)[_S232 / 4U].z, k_1[34U], fma((*(&kernelContext_6)->queries_0)[_S232 / 4U].y, k_1[33U], fma((*(&kernelContext_6)->queries_0)[_S232 / 4U].x, k_1[32U], weight_0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(160U >= C_HEAD_DIM_0)
                                {
                                    dot_1 = dot_0;
                                    break;
                                }
                                if(_S58 >= C_HEAD_DIM_0)
                                {
                                    dot_1 = dot_0;
                                    break;
                                }
                                uint _S233 = 512U + _S58;
                                dot_1 = fma((*(&kernelContext_6)->queries_0)[_S233 / 4U + 1U].w, k_1[47U], fma((*(&kernelContext_6)->queries_0)[_S233 / 4U + 1U].z, k_1[46U], fma((*(&kernelContext_6)->queries_0)[_S233 / 4U + 1U].y, k_1[45U], fma((*(&kernelContext_6)->queries_0)[_S233 / 4U + 1U].x, k_1[44U], fma((*(&kernelContext_6)->queries_0)[_S233 / 4U].w, k_1[43U], fma((*(&kernelContext_6)->queries_0)[_S233 / 4U].z, k_1[42U], fma((*(&kernelContext_6)->queries_0)[_S233 / 4U].y, k_1[41U], fma((*(&kernelContext_6)->queries_0)[_S233 / 4U].x, k_1[40U], dot_0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(192U >= C_HEAD_DIM_0)
                                {
                                    dot_2 = dot_1;
                                    break;
                                }
                                if(_S60 >= C_HEAD_DIM_0)
                                {
                                    dot_2 = dot_1;
                                    break;
                                }
                                uint _S234 = 512U + _S60;
                                dot_2 = fma((*(&kernelContext_6)->queries_0)[_S234 / 4U + 1U].w, k_1[55U], fma((*(&kernelContext_6)->queries_0)[_S234 / 4U + 1U].z, k_1[54U], fma((*(&kernelContext_6)->queries_0)[_S234 / 4U + 1U].y, k_1[53U], fma((*(&kernelContext_6)->queries_0)[_S234 / 4U + 1U].x, k_1[52U], fma((*(&kernelContext_6)->queries_0)[_S234 / 4U].w, k_1[51U], fma((*(&kernelContext_6)->queries_0)[_S234 / 4U].z, k_1[50U], fma((*(&kernelContext_6)->queries_0)[_S234 / 4U].y, k_1[49U], fma((*(&kernelContext_6)->queries_0)[_S234 / 4U].x, k_1[48U], dot_1))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(224U >= C_HEAD_DIM_0)
                                {
                                    dot_3 = dot_2;
                                    break;
                                }
                                if(_S62 >= C_HEAD_DIM_0)
                                {
                                    dot_3 = dot_2;
                                    break;
                                }
                                uint _S235 = 512U + _S62;
                                dot_3 = fma((*(&kernelContext_6)->queries_0)[_S235 / 4U + 1U].w, k_1[63U], fma((*(&kernelContext_6)->queries_0)[_S235 / 4U + 1U].z, k_1[62U], fma((*(&kernelContext_6)->queries_0)[_S235 / 4U + 1U].y, k_1[61U], fma((*(&kernelContext_6)->queries_0)[_S235 / 4U + 1U].x, k_1[60U], fma((*(&kernelContext_6)->queries_0)[_S235 / 4U].w, k_1[59U], fma((*(&kernelContext_6)->queries_0)[_S235 / 4U].z, k_1[58U], fma((*(&kernelContext_6)->queries_0)[_S235 / 4U].y, k_1[57U], fma((*(&kernelContext_6)->queries_0)[_S235 / 4U].x, k_1[56U], dot_2))))))));
                                break;
                            }
                            break;
                        }
                        break;
                    }
                    (*(&kernelContext_6)->dots_0)[_S50 * 72U + _S151] = dot_3;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(3U >= _S123)
                    {
                        break;
                    }
                    for(;;)
                    {
                        for(;;)
                        {
                            for(;;)
                            {
                                if(0U >= C_HEAD_DIM_0)
                                {
                                    score_0 = 0.0;
                                    break;
                                }
                                if(_S45 >= C_HEAD_DIM_0)
                                {
                                    score_0 = 0.0;
                                    break;
                                }
                                uint _S236 = 768U + _S45;
                                score_0 = fma((*(&kernelContext_6)->queries_0)[_S236 / 4U + 1U].w, k_1[7U], fma((*(&kernelContext_6)->queries_0)[_S236 / 4U + 1U].z, k_1[6U], fma((*(&kernelContext_6)->queries_0)[_S236 / 4U + 1U].y, k_1[5U], fma((*(&kernelContext_6)->queries_0)[_S236 / 4U + 1U].x, k_1[4U], fma((*(&kernelContext_6)->queries_0)[_S236 / 4U].w, k_1[3U], fma((*(&kernelContext_6)->queries_0)[_S236 / 4U].z, k_1[2U], fma((*(&kernelContext_6)->queries_0)[_S236 / 4U].y, k_1[1U], fma((*(&kernelContext_6)->queries_0)[_S236 / 4U].x, k_1[0U], 0.0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(32U >= C_HEAD_DIM_0)
                                {
                                    top_0 = score_0;
                                    break;
                                }
                                if(_S48 >= C_HEAD_DIM_0)
                                {
                                    top_0 = score_0;
                                    break;
                                }
                                uint _S237 = 768U + _S48;
                                top_0 = fma((*(&kernelContext_6)->queries_0)[_S237 / 4U + 1U].w, k_1[15U], fma((*(&kernelContext_6)->queries_0)[_S237 / 4U + 1U].z, k_1[14U], fma((*(&kernelContext_6)->queries_0)[_S237 / 4U + 1U].y, k_1[13U], fma((*(&kernelContext_6)->queries_0)[_S237 / 4U + 1U].x, k_1[12U], fma((*(&kernelContext_6)->queries_0)[_S237 / 4U].w, k_1[11U], fma((*(&kernelContext_6)->queries_0)[_S237 / 4U].z, k_1[10U], fma((*(&kernelContext_6)->queries_0)[_S237 / 4U].y, k_1[9U], fma((*(&kernelContext_6)->queries_0)[_S237 / 4U].x, k_1[8U], score_0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(64U >= C_HEAD_DIM_0)
                                {
                                    shrink_0 = top_0;
                                    break;
                                }
                                if(_S51 >= C_HEAD_DIM_0)
                                {
                                    shrink_0 = top_0;
                                    break;
                                }
                                uint _S238 = 768U + _S51;
                                shrink_0 = fma((*(&kernelContext_6)->queries_0)[_S238 / 4U + 1U].w, k_1[23U], fma((*(&kernelContext_6)->queries_0)[_S238 / 4U + 1U].z, k_1[22U], fma((*(&kernelContext_6)->queries_0)[_S238 / 4U + 1U].y, k_1[21U], fma((*(&kernelContext_6)->queries_0)[_S238 / 4U + 1U].x, k_1[20U], fma((*(&kernelContext_6)->queries_0)[_S238 / 4U].w, k_1[19U], fma((*(&kernelContext_6)->queries_0)[_S238 / 4U].z, k_1[18U], fma((*(&kernelContext_6)->queries_0)[_S238 / 4U].y, k_1[17U], fma((*(&kernelContext_6)->queries_0)[_S238 / 4U].x, k_1[16U], top_0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(96U >= C_HEAD_DIM_0)
                                {
                                    weight_0 = shrink_0;
                                    break;
                                }
                                if(_S54 >= C_HEAD_DIM_0)
                                {
                                    weight_0 = shrink_0;
                                    break;
                                }
                                uint _S239 = 768U + _S54;
                                weight_0 = fma((*(&kernelContext_6)->queries_0)[_S239 / 4U + 1U].w, k_1[31U], fma((*(&kernelContext_6)->queries_0)[_S239 / 4U + 1U].z, k_1[30U], fma((*(&kernelContext_6)->queries_0)[_S239 / 4U + 1U].y, k_1[29U], fma((*(&kernelContext_6)->queries_0)[_S239 / 4U + 1U].x, k_1[28U], fma((*(&kernelContext_6)->queries_0)[_S239 / 4U].w, k_1[27U], fma((*(&kernelContext_6)->queries_0)[_S239 / 4U].z, k_1[26U], fma((*(&kernelContext_6)->queries_0)[_S239 / 4U].y, k_1[25U], fma((*(&kernelContext_6)->queries_0)[_S239 / 4U].x, k_1[24U], shrink_0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(128U >= C_HEAD_DIM_0)
                                {
                                    dot_0 = weight_0;
                                    break;
                                }
                                if(_S56 >= C_HEAD_DIM_0)
                                {
                                    dot_0 = weight_0;
                                    break;
                                }
                                uint _S240 = 768U + _S56;
                                dot_0 = fma((*(&kernelContext_6)->queries_0)[_S240 / 4U + 1U].w, k_1[39U], fma((*(&kernelContext_6)->queries_0)[_S240 / 4U + 1U].z, k_1[38U], fma((*(&kernelContext_6)->queries_0)[_S240 / 4U + 1U].y, k_1[37U], fma((*(&kernelContext_6)->queries_0)[_S240 / 4U + 1U].x, k_1[36U], fma((*(&kernelContext_6)->queries_0)[_S240 / 4U].w, k_1[35U], fma((*(&kernelContext_6)->queries_0)[_S240 / 4U].z, k_1[34U], fma((*(&kernelContext_6)->queries_0)[_S240 / 4U].y, k_1[33U], fma((*(&kernelContext_6)->queries_0)[_S240 / 4U].x, k_1[32U], weight_0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(160U >= C_HEAD_DIM_0)
                                {
                                    dot_1 = dot_0;
                                    break;
                                }
                                if(_S58 >= C_HEAD_DIM_0)
                                {
                                    dot_1 = dot_0;
                                    break;
                                }
                                uint _S241 = 768U + _S58;
                                dot_1 = fma((*(&kernelContext_6)->queries_0)[_S241 / 4U + 1U].w, k_1[47U], fma((*(&kernelContext_6)->queries_0)[_S241 / 4U + 1U].z, k_1[46U], fma((*(&kernelContext_6)->queries_0)[_S241 / 4U + 1U].y, k_1[45U], fma((*(&kernelContext_6)->queries_0)[_S241 / 4U + 1U].x, k_1[44U], fma((*(&kernelContext_6)->queries_0)[_S241 / 4U].w, k_1[43U], fma((*(&kernelContext_6)->queries_0)[_S241 / 4U].z, k_1[42U], fma((*(&kernelContext_6)->queries_0)[_S241 / 4U].y, k_1[41U], fma((*(&kernelContext_6)->queries_0)[_S241 / 4U].x, k_1[40U], dot_0))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(192U >= C_HEAD_DIM_0)
                                {
                                    dot_2 = dot_1;
                                    break;
                                }
                                if(_S60 >= C_HEAD_DIM_0)
                                {
                                    dot_2 = dot_1;
                                    break;
                                }
                                uint _S242 = 768U + _S60;
                                dot_2 = fma((*(&kernelContext_6)->queries_0)[_S242 / 4U + 1U].w, k_1[55U], fma((*(&kernelContext_6)->queries_0)[_S242 / 4U + 1U].z, k_1[54U], fma((*(&kernelContext_6)->queries_0)[_S242 / 4U + 1U].y, k_1[53U], fma((*(&kernelContext_6)->queries_0)[_S242 / 4U + 1U].x, k_1[52U], fma((*(&kernelContext_6)->queries_0)[_S242 / 4U].w, k_1[51U], fma((*(&kernelContext_6)->queries_0)[_S242 / 4U].z, k_1[50U], fma((*(&kernelContext_6)->queries_0)[_S242 / 4U].y, k_1[49U], fma((*(&kernelContext_6)->queries_0)[_S242 / 4U].x, k_1[48U], dot_1))))))));
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                if(224U >= C_HEAD_DIM_0)
                                {
                                    dot_3 = dot_2;
                                    break;
                                }
                                if(_S62 >= C_HEAD_DIM_0)
                                {
                                    dot_3 = dot_2;
                                    break;
                                }
                                uint _S243 = 768U + _S62;
                                dot_3 = fma((*(&kernelContext_6)->queries_0)[_S243 / 4U + 1U].w, k_1[63U], fma((*(&kernelContext_6)->queries_0)[_S243 / 4U + 1U].z, k_1[62U], fma((*(&kernelContext_6)->queries_0)[_S243 / 4U + 1U].y, k_1[61U], fma((*(&kernelContext_6)->queries_0)[_S243 / 4U + 1U].x, k_1[60U], fma((*(&kernelContext_6)->queries_0)[_S243 / 4U].w, k_1[59U], fma((*(&kernelContext_6)->queries_0)[_S243 / 4U].z, k_1[58U], fma((*(&kernelContext_6)->queries_0)[_S243 / 4U].y, k_1[57U], fma((*(&kernelContext_6)->queries_0)[_S243 / 4U].x, k_1[56U], dot_2))))))));
                                break;
                            }
                            break;
                        }
                        break;
                    }
                    (*(&kernelContext_6)->dots_0)[_S53 * 72U + _S151] = dot_3;
                    break;
                }
                break;
            }
            break;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if(scored_head_0 < _S123)
        {
            mine_1 = (from_0 + scored_0) >= first_1;
        }
        else
        {
            mine_1 = false;
        }
        if(mine_1)
        {
            seen_0 = (from_0 + scored_0) <= (at_1.pos_0);
        }
        else
        {
            seen_0 = false;
        }
        if(seen_0)
        {
            uint of_30 = scored_head_0 * 4U * 72U + scored_0;
            float score_1 = (&kernelContext_6)->args_0->scale_0 * ((*(&kernelContext_6)->dots_0)[of_30] + (*(&kernelContext_6)->dots_0)[of_30 + 72U] + ((*(&kernelContext_6)->dots_0)[of_30 + 144U] + (*(&kernelContext_6)->dots_0)[of_30 + 216U]));
            if(C_SOFTCAP_0 != 0U)
            {
                float _S244 = (as_type<float>((C_SOFTCAP_0)));
                score_0 = _S244 * tanh_of_0(score_1 / _S244);
            }
            else
            {
                score_0 = score_1;
            }
        }
        else
        {
            score_0 = _S154;
        }
        (*(&kernelContext_6)->weights_0)[sv_groupindex_0] = score_0;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if(scored_0 < 8U)
        {
            uint _S245 = scored_head_0 * 64U;
            float _S246 = (*(&kernelContext_6)->weights_0)[_S245 + scored_0];
            i_7 = 1U;
            top_0 = _S246;
            for(;;)
            {
                if(i_7 < 8U)
                {
                }
                else
                {
                    break;
                }
                float _S247 = max(top_0, (*(&kernelContext_6)->weights_0)[_S245 + i_7 * 8U + scored_0]);
                i_7 = i_7 + 1U;
                top_0 = _S247;
            }
            (*(&kernelContext_6)->eighths_0)[scored_head_0 * 8U + scored_0] = top_0;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        i_7 = 0U;
        top_0 = most_1;
        for(;;)
        {
            if(i_7 < 8U)
            {
            }
            else
            {
                break;
            }
            float _S248 = max(top_0, (*(&kernelContext_6)->eighths_0)[scored_head_0 * 8U + i_7]);
            i_7 = i_7 + 1U;
            top_0 = _S248;
        }
        if(most_1 == top_0)
        {
            shrink_0 = 1.0;
        }
        else
        {
            shrink_0 = exp_of_0(most_1 - top_0);
        }
        if(seen_0)
        {
            weight_0 = exp_of_0(score_0 - top_0);
        }
        else
        {
            weight_0 = 0.0;
        }
        float _S249 = sum_0 * shrink_0 + weight_0;
        (*(&kernelContext_6)->weights_0)[sv_groupindex_0] = weight_0;
        if(scored_0 == 0U)
        {
            (*(&kernelContext_6)->shrinks_0)[scored_head_0] = shrink_0;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
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
                    uint _S250 = scored_0 * 2U;
                    acc_0[0U] = acc_0[0U] * (*(&kernelContext_6)->shrinks_0)[0U];
                    acc_0[1U] = acc_0[1U] * (*(&kernelContext_6)->shrinks_0)[0U];
                    acc_0[2U] = acc_0[2U] * (*(&kernelContext_6)->shrinks_0)[1U];
                    acc_0[3U] = acc_0[3U] * (*(&kernelContext_6)->shrinks_0)[1U];
                    acc_0[4U] = acc_0[4U] * (*(&kernelContext_6)->shrinks_0)[2U];
                    acc_0[5U] = acc_0[5U] * (*(&kernelContext_6)->shrinks_0)[2U];
                    acc_0[6U] = acc_0[6U] * (*(&kernelContext_6)->shrinks_0)[3U];
                    acc_0[7U] = acc_0[7U] * (*(&kernelContext_6)->shrinks_0)[3U];
                    uint _S251 = _S153 * 16U;
                    uint _S252 = from_0 + _S251;
                    float2 _S253 = float2(values_0[0U], values_0[1U]);
                    if(any_fresh_0)
                    {
                        _S64 = _S250 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S64 = false;
                    }
                    if(_S64)
                    {
                        _S65 = _S252 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S65 = false;
                    }
                    if(_S65)
                    {
                        _S66 = _S252 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S66 = false;
                    }
                    if(_S66)
                    {
                        uint x_3 = (_S252 - fresh_0) * C_HEAD_DIM_0 + _S250;
                        two_2 = float2((*(&kernelContext_6)->fresh_values_0)[x_3], (*(&kernelContext_6)->fresh_values_0)[x_3 + 1U]);
                    }
                    else
                    {
                        two_2 = _S253;
                    }
                    float weight_1 = (*(&kernelContext_6)->weights_0)[_S251];
                    float _S254 = two_2.x;
                    acc_0[0U] = fma((*(&kernelContext_6)->weights_0)[_S251], _S254, acc_0[0U]);
                    float _S255 = two_2.y;
                    acc_0[1U] = fma(weight_1, _S255, acc_0[1U]);
                    uint _S256 = 64U + _S251;
                    float weight_2 = (*(&kernelContext_6)->weights_0)[_S256];
                    acc_0[2U] = fma((*(&kernelContext_6)->weights_0)[_S256], _S254, acc_0[2U]);
                    acc_0[3U] = fma(weight_2, _S255, acc_0[3U]);
                    uint _S257 = 128U + _S251;
                    float weight_3 = (*(&kernelContext_6)->weights_0)[_S257];
                    acc_0[4U] = fma((*(&kernelContext_6)->weights_0)[_S257], _S254, acc_0[4U]);
                    acc_0[5U] = fma(weight_3, _S255, acc_0[5U]);
                    uint _S258 = 192U + _S251;
                    float weight_4 = (*(&kernelContext_6)->weights_0)[_S258];
                    acc_0[6U] = fma((*(&kernelContext_6)->weights_0)[_S258], _S254, acc_0[6U]);
                    acc_0[7U] = fma(weight_4, _S255, acc_0[7U]);
                    uint of_31 = _S252 + 1U;
                    float2 _S259 = float2(values_0[2U], values_0[3U]);
                    if(any_fresh_0)
                    {
                        _S67 = _S250 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S67 = false;
                    }
                    if(_S67)
                    {
                        _S68 = of_31 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S68 = false;
                    }
                    if(_S68)
                    {
                        _S69 = of_31 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S69 = false;
                    }
                    if(_S69)
                    {
                        uint x_4 = (of_31 - fresh_0) * C_HEAD_DIM_0 + _S250;
                        two_3 = float2((*(&kernelContext_6)->fresh_values_0)[x_4], (*(&kernelContext_6)->fresh_values_0)[x_4 + 1U]);
                    }
                    else
                    {
                        two_3 = _S259;
                    }
                    float weight_5 = (*(&kernelContext_6)->weights_0)[_S251 + 1U];
                    float _S260 = two_3.x;
                    acc_0[0U] = fma((*(&kernelContext_6)->weights_0)[_S251 + 1U], _S260, acc_0[0U]);
                    float _S261 = two_3.y;
                    acc_0[1U] = fma(weight_5, _S261, acc_0[1U]);
                    float weight_6 = (*(&kernelContext_6)->weights_0)[_S256 + 1U];
                    acc_0[2U] = fma((*(&kernelContext_6)->weights_0)[_S256 + 1U], _S260, acc_0[2U]);
                    acc_0[3U] = fma(weight_6, _S261, acc_0[3U]);
                    float weight_7 = (*(&kernelContext_6)->weights_0)[_S257 + 1U];
                    acc_0[4U] = fma((*(&kernelContext_6)->weights_0)[_S257 + 1U], _S260, acc_0[4U]);
                    acc_0[5U] = fma(weight_7, _S261, acc_0[5U]);
                    float weight_8 = (*(&kernelContext_6)->weights_0)[_S258 + 1U];
                    acc_0[6U] = fma((*(&kernelContext_6)->weights_0)[_S258 + 1U], _S260, acc_0[6U]);
                    acc_0[7U] = fma(weight_8, _S261, acc_0[7U]);
                    uint of_32 = _S252 + 2U;
                    float2 _S262 = float2(values_0[4U], values_0[5U]);
                    if(any_fresh_0)
                    {
                        _S70 = _S250 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S70 = false;
                    }
                    if(_S70)
                    {
                        _S71 = of_32 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S71 = false;
                    }
                    if(_S71)
                    {
                        _S72 = of_32 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S72 = false;
                    }
                    if(_S72)
                    {
                        uint x_5 = (of_32 - fresh_0) * C_HEAD_DIM_0 + _S250;
                        two_4 = float2((*(&kernelContext_6)->fresh_values_0)[x_5], (*(&kernelContext_6)->fresh_values_0)[x_5 + 1U]);
                    }
                    else
                    {
                        two_4 = _S262;
                    }
                    float weight_9 = (*(&kernelContext_6)->weights_0)[_S251 + 2U];
                    float _S263 = two_4.x;
                    acc_0[0U] = fma((*(&kernelContext_6)->weights_0)[_S251 + 2U], _S263, acc_0[0U]);
                    float _S264 = two_4.y;
                    acc_0[1U] = fma(weight_9, _S264, acc_0[1U]);
                    float weight_10 = (*(&kernelContext_6)->weights_0)[_S256 + 2U];
                    acc_0[2U] = fma((*(&kernelContext_6)->weights_0)[_S256 + 2U], _S263, acc_0[2U]);
                    acc_0[3U] = fma(weight_10, _S264, acc_0[3U]);
                    float weight_11 = (*(&kernelContext_6)->weights_0)[_S257 + 2U];
                    acc_0[4U] = fma((*(&kernelContext_6)->weights_0)[_S257 + 2U], _S263, acc_0[4U]);
                    acc_0[5U] = fma(weight_11, _S264, acc_0[5U]);
                    float weight_12 = (*(&kernelContext_6)->weights_0)[_S258 + 2U];
                    acc_0[6U] = fma((*(&kernelContext_6)->weights_0)[_S258 + 2U], _S263, acc_0[6U]);
                    acc_0[7U] = fma(weight_12, _S264, acc_0[7U]);
                    uint of_33 = _S252 + 3U;
                    float2 _S265 = float2(values_0[6U], values_0[7U]);
                    if(any_fresh_0)
                    {
                        _S73 = _S250 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S73 = false;
                    }
                    if(_S73)
                    {
                        _S74 = of_33 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S74 = false;
                    }
                    if(_S74)
                    {
                        _S75 = of_33 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S75 = false;
                    }
                    if(_S75)
                    {
                        uint x_6 = (of_33 - fresh_0) * C_HEAD_DIM_0 + _S250;
                        two_5 = float2((*(&kernelContext_6)->fresh_values_0)[x_6], (*(&kernelContext_6)->fresh_values_0)[x_6 + 1U]);
                    }
                    else
                    {
                        two_5 = _S265;
                    }
                    float weight_13 = (*(&kernelContext_6)->weights_0)[_S251 + 3U];
                    float _S266 = two_5.x;
                    acc_0[0U] = fma((*(&kernelContext_6)->weights_0)[_S251 + 3U], _S266, acc_0[0U]);
                    float _S267 = two_5.y;
                    acc_0[1U] = fma(weight_13, _S267, acc_0[1U]);
                    float weight_14 = (*(&kernelContext_6)->weights_0)[_S256 + 3U];
                    acc_0[2U] = fma((*(&kernelContext_6)->weights_0)[_S256 + 3U], _S266, acc_0[2U]);
                    acc_0[3U] = fma(weight_14, _S267, acc_0[3U]);
                    float weight_15 = (*(&kernelContext_6)->weights_0)[_S257 + 3U];
                    acc_0[4U] = fma((*(&kernelContext_6)->weights_0)[_S257 + 3U], _S266, acc_0[4U]);
                    acc_0[5U] = fma(weight_15, _S267, acc_0[5U]);
                    float weight_16 = (*(&kernelContext_6)->weights_0)[_S258 + 3U];
                    acc_0[6U] = fma((*(&kernelContext_6)->weights_0)[_S258 + 3U], _S266, acc_0[6U]);
                    acc_0[7U] = fma(weight_16, _S267, acc_0[7U]);
                    uint of_34 = _S252 + 4U;
                    float2 _S268 = float2(values_0[8U], values_0[9U]);
                    if(any_fresh_0)
                    {
                        _S76 = _S250 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S76 = false;
                    }
                    if(_S76)
                    {
                        _S77 = of_34 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S77 = false;
                    }
                    if(_S77)
                    {
                        _S78 = of_34 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S78 = false;
                    }
                    if(_S78)
                    {
                        uint x_7 = (of_34 - fresh_0) * C_HEAD_DIM_0 + _S250;
                        two_6 = float2((*(&kernelContext_6)->fresh_values_0)[x_7], (*(&kernelContext_6)->fresh_values_0)[x_7 + 1U]);
                    }
                    else
                    {
                        two_6 = _S268;
                    }
                    float weight_17 = (*(&kernelContext_6)->weights_0)[_S251 + 4U];
                    float _S269 = two_6.x;
                    acc_0[0U] = fma((*(&kernelContext_6)->weights_0)[_S251 + 4U], _S269, acc_0[0U]);
                    float _S270 = two_6.y;
                    acc_0[1U] = fma(weight_17, _S270, acc_0[1U]);
                    float weight_18 = (*(&kernelContext_6)->weights_0)[_S256 + 4U];
                    acc_0[2U] = fma((*(&kernelContext_6)->weights_0)[_S256 + 4U], _S269, acc_0[2U]);
                    acc_0[3U] = fma(weight_18, _S270, acc_0[3U]);
                    float weight_19 = (*(&kernelContext_6)->weights_0)[_S257 + 4U];
                    acc_0[4U] = fma((*(&kernelContext_6)->weights_0)[_S257 + 4U], _S269, acc_0[4U]);
                    acc_0[5U] = fma(weight_19, _S270, acc_0[5U]);
                    float weight_20 = (*(&kernelContext_6)->weights_0)[_S258 + 4U];
                    acc_0[6U] = fma((*(&kernelContext_6)->weights_0)[_S258 + 4U], _S269, acc_0[6U]);
                    acc_0[7U] = fma(weight_20, _S270, acc_0[7U]);
                    uint of_35 = _S252 + 5U;
                    float2 _S271 = float2(values_0[10U], values_0[11U]);
                    if(any_fresh_0)
                    {
                        _S79 = _S250 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S79 = false;
                    }
                    if(_S79)
                    {
                        _S80 = of_35 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S80 = false;
                    }
                    if(_S80)
                    {
                        _S81 = of_35 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S81 = false;
                    }
                    if(_S81)
                    {
                        uint x_8 = (of_35 - fresh_0) * C_HEAD_DIM_0 + _S250;
                        two_7 = float2((*(&kernelContext_6)->fresh_values_0)[x_8], (*(&kernelContext_6)->fresh_values_0)[x_8 + 1U]);
                    }
                    else
                    {
                        two_7 = _S271;
                    }
                    float weight_21 = (*(&kernelContext_6)->weights_0)[_S251 + 5U];
                    float _S272 = two_7.x;
                    acc_0[0U] = fma((*(&kernelContext_6)->weights_0)[_S251 + 5U], _S272, acc_0[0U]);
                    float _S273 = two_7.y;
                    acc_0[1U] = fma(weight_21, _S273, acc_0[1U]);
                    float weight_22 = (*(&kernelContext_6)->weights_0)[_S256 + 5U];
                    acc_0[2U] = fma((*(&kernelContext_6)->weights_0)[_S256 + 5U], _S272, acc_0[2U]);
                    acc_0[3U] = fma(weight_22, _S273, acc_0[3U]);
                    float weight_23 = (*(&kernelContext_6)->weights_0)[_S257 + 5U];
                    acc_0[4U] = fma((*(&kernelContext_6)->weights_0)[_S257 + 5U], _S272, acc_0[4U]);
                    acc_0[5U] = fma(weight_23, _S273, acc_0[5U]);
                    float weight_24 = (*(&kernelContext_6)->weights_0)[_S258 + 5U];
                    acc_0[6U] = fma((*(&kernelContext_6)->weights_0)[_S258 + 5U], _S272, acc_0[6U]);
                    acc_0[7U] = fma(weight_24, _S273, acc_0[7U]);
                    uint of_36 = _S252 + 6U;
                    float2 _S274 = float2(values_0[12U], values_0[13U]);
                    if(any_fresh_0)
                    {
                        _S82 = _S250 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S82 = false;
                    }
                    if(_S82)
                    {
                        _S83 = of_36 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S83 = false;
                    }
                    if(_S83)
                    {
                        _S84 = of_36 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S84 = false;
                    }
                    if(_S84)
                    {
                        uint x_9 = (of_36 - fresh_0) * C_HEAD_DIM_0 + _S250;
                        two_8 = float2((*(&kernelContext_6)->fresh_values_0)[x_9], (*(&kernelContext_6)->fresh_values_0)[x_9 + 1U]);
                    }
                    else
                    {
                        two_8 = _S274;
                    }
                    float weight_25 = (*(&kernelContext_6)->weights_0)[_S251 + 6U];
                    float _S275 = two_8.x;
                    acc_0[0U] = fma((*(&kernelContext_6)->weights_0)[_S251 + 6U], _S275, acc_0[0U]);
                    float _S276 = two_8.y;
                    acc_0[1U] = fma(weight_25, _S276, acc_0[1U]);
                    float weight_26 = (*(&kernelContext_6)->weights_0)[_S256 + 6U];
                    acc_0[2U] = fma((*(&kernelContext_6)->weights_0)[_S256 + 6U], _S275, acc_0[2U]);
                    acc_0[3U] = fma(weight_26, _S276, acc_0[3U]);
                    float weight_27 = (*(&kernelContext_6)->weights_0)[_S257 + 6U];
                    acc_0[4U] = fma((*(&kernelContext_6)->weights_0)[_S257 + 6U], _S275, acc_0[4U]);
                    acc_0[5U] = fma(weight_27, _S276, acc_0[5U]);
                    float weight_28 = (*(&kernelContext_6)->weights_0)[_S258 + 6U];
                    acc_0[6U] = fma((*(&kernelContext_6)->weights_0)[_S258 + 6U], _S275, acc_0[6U]);
                    acc_0[7U] = fma(weight_28, _S276, acc_0[7U]);
                    uint of_37 = _S252 + 7U;
                    float2 _S277 = float2(values_0[14U], values_0[15U]);
                    if(any_fresh_0)
                    {
                        _S85 = _S250 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S85 = false;
                    }
                    if(_S85)
                    {
                        _S86 = of_37 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S86 = false;
                    }
                    if(_S86)
                    {
                        _S87 = of_37 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S87 = false;
                    }
                    if(_S87)
                    {
                        uint x_10 = (of_37 - fresh_0) * C_HEAD_DIM_0 + _S250;
                        two_9 = float2((*(&kernelContext_6)->fresh_values_0)[x_10], (*(&kernelContext_6)->fresh_values_0)[x_10 + 1U]);
                    }
                    else
                    {
                        two_9 = _S277;
                    }
                    float weight_29 = (*(&kernelContext_6)->weights_0)[_S251 + 7U];
                    float _S278 = two_9.x;
                    acc_0[0U] = fma((*(&kernelContext_6)->weights_0)[_S251 + 7U], _S278, acc_0[0U]);
                    float _S279 = two_9.y;
                    acc_0[1U] = fma(weight_29, _S279, acc_0[1U]);
                    float weight_30 = (*(&kernelContext_6)->weights_0)[_S256 + 7U];
                    acc_0[2U] = fma((*(&kernelContext_6)->weights_0)[_S256 + 7U], _S278, acc_0[2U]);
                    acc_0[3U] = fma(weight_30, _S279, acc_0[3U]);
                    float weight_31 = (*(&kernelContext_6)->weights_0)[_S257 + 7U];
                    acc_0[4U] = fma((*(&kernelContext_6)->weights_0)[_S257 + 7U], _S278, acc_0[4U]);
                    acc_0[5U] = fma(weight_31, _S279, acc_0[5U]);
                    float weight_32 = (*(&kernelContext_6)->weights_0)[_S258 + 7U];
                    acc_0[6U] = fma((*(&kernelContext_6)->weights_0)[_S258 + 7U], _S278, acc_0[6U]);
                    acc_0[7U] = fma(weight_32, _S279, acc_0[7U]);
                    uint of_38 = _S252 + 8U;
                    float2 _S280 = float2(values_0[16U], values_0[17U]);
                    if(any_fresh_0)
                    {
                        _S88 = _S250 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S88 = false;
                    }
                    if(_S88)
                    {
                        _S89 = of_38 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S89 = false;
                    }
                    if(_S89)
                    {
                        _S90 = of_38 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S90 = false;
                    }
                    if(_S90)
                    {
                        uint x_11 = (of_38 - fresh_0) * C_HEAD_DIM_0 + _S250;
                        two_10 = float2((*(&kernelContext_6)->fresh_values_0)[x_11], (*(&kernelContext_6)->fresh_values_0)[x_11 + 1U]);
                    }
                    else
                    {
                        two_10 = _S280;
                    }
                    float weight_33 = (*(&kernelContext_6)->weights_0)[_S251 + 8U];
                    float _S281 = two_10.x;
                    acc_0[0U] = fma((*(&kernelContext_6)->weights_0)[_S251 + 8U], _S281, acc_0[0U]);
                    float _S282 = two_10.y;
                    acc_0[1U] = fma(weight_33, _S282, acc_0[1U]);
                    float weight_34 = (*(&kernelContext_6)->weights_0)[_S256 + 8U];
                    acc_0[2U] = fma((*(&kernelContext_6)->weights_0)[_S256 + 8U], _S281, acc_0[2U]);
                    acc_0[3U] = fma(weight_34, _S282, acc_0[3U]);
                    float weight_35 = (*(&kernelContext_6)->weights_0)[_S257 + 8U];
                    acc_0[4U] = fma((*(&kernelContext_6)->weights_0)[_S257 + 8U], _S281, acc_0[4U]);
                    acc_0[5U] = fma(weight_35, _S282, acc_0[5U]);
                    float weight_36 = (*(&kernelContext_6)->weights_0)[_S258 + 8U];
                    acc_0[6U] = fma((*(&kernelContext_6)->weights_0)[_S258 + 8U], _S281, acc_0[6U]);
                    acc_0[7U] = fma(weight_36, _S282, acc_0[7U]);
                    uint of_39 = _S252 + 9U;
                    float2 _S283 = float2(values_0[18U], values_0[19U]);
                    if(any_fresh_0)
                    {
                        _S91 = _S250 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S91 = false;
                    }
                    if(_S91)
                    {
                        _S92 = of_39 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S92 = false;
                    }
                    if(_S92)
                    {
                        _S93 = of_39 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S93 = false;
                    }
                    if(_S93)
                    {
                        uint x_12 = (of_39 - fresh_0) * C_HEAD_DIM_0 + _S250;
                        two_11 = float2((*(&kernelContext_6)->fresh_values_0)[x_12], (*(&kernelContext_6)->fresh_values_0)[x_12 + 1U]);
                    }
                    else
                    {
                        two_11 = _S283;
                    }
                    float weight_37 = (*(&kernelContext_6)->weights_0)[_S251 + 9U];
                    float _S284 = two_11.x;
                    acc_0[0U] = fma((*(&kernelContext_6)->weights_0)[_S251 + 9U], _S284, acc_0[0U]);
                    float _S285 = two_11.y;
                    acc_0[1U] = fma(weight_37, _S285, acc_0[1U]);
                    float weight_38 = (*(&kernelContext_6)->weights_0)[_S256 + 9U];
                    acc_0[2U] = fma((*(&kernelContext_6)->weights_0)[_S256 + 9U], _S284, acc_0[2U]);
                    acc_0[3U] = fma(weight_38, _S285, acc_0[3U]);
                    float weight_39 = (*(&kernelContext_6)->weights_0)[_S257 + 9U];
                    acc_0[4U] = fma((*(&kernelContext_6)->weights_0)[_S257 + 9U], _S284, acc_0[4U]);
                    acc_0[5U] = fma(weight_39, _S285, acc_0[5U]);
                    float weight_40 = (*(&kernelContext_6)->weights_0)[_S258 + 9U];
                    acc_0[6U] = fma((*(&kernelContext_6)->weights_0)[_S258 + 9U], _S284, acc_0[6U]);
                    acc_0[7U] = fma(weight_40, _S285, acc_0[7U]);
                    uint of_40 = _S252 + 10U;
                    float2 _S286 = float2(values_0[20U], values_0[21U]);
                    if(any_fresh_0)
                    {
                        _S94 = _S250 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S94 = false;
                    }
                    if(_S94)
                    {
                        _S95 = of_40 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S95 = false;
                    }
                    if(_S95)
                    {
                        _S96 = of_40 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S96 = false;
                    }
                    if(_S96)
                    {
                        uint x_13 = (of_40 - fresh_0) * C_HEAD_DIM_0 + _S250;
                        two_12 = float2((*(&kernelContext_6)->fresh_values_0)[x_13], (*(&kernelContext_6)->fresh_values_0)[x_13 + 1U]);
                    }
                    else
                    {
                        two_12 = _S286;
                    }
                    float weight_41 = (*(&kernelContext_6)->weights_0)[_S251 + 10U];
                    float _S287 = two_12.x;
                    acc_0[0U] = fma((*(&kernelContext_6)->weights_0)[_S251 + 10U], _S287, acc_0[0U]);
                    float _S288 = two_12.y;
                    acc_0[1U] = fma(weight_41, _S288, acc_0[1U]);
                    float weight_42 = (*(&kernelContext_6)->weights_0)[_S256 + 10U];
                    acc_0[2U] = fma((*(&kernelContext_6)->weights_0)[_S256 + 10U], _S287, acc_0[2U]);
                    acc_0[3U] = fma(weight_42, _S288, acc_0[3U]);
                    float weight_43 = (*(&kernelContext_6)->weights_0)[_S257 + 10U];
                    acc_0[4U] = fma((*(&kernelContext_6)->weights_0)[_S257 + 10U], _S287, acc_0[4U]);
                    acc_0[5U] = fma(weight_43, _S288, acc_0[5U]);
                    float weight_44 = (*(&kernelContext_6)->weights_0)[_S258 + 10U];
                    acc_0[6U] = fma((*(&kernelContext_6)->weights_0)[_S258 + 10U], _S287, acc_0[6U]);
                    acc_0[7U] = fma(weight_44, _S288, acc_0[7U]);
                    uint of_41 = _S252 + 11U;
                    float2 _S289 = float2(values_0[22U], values_0[23U]);
                    if(any_fresh_0)
                    {
                        _S97 = _S250 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S97 = false;
                    }
                    if(_S97)
                    {
                        _S98 = of_41 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S98 = false;
                    }
                    if(_S98)
                    {
                        _S99 = of_41 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S99 = false;
                    }
                    if(_S99)
                    {
                        uint x_14 = (of_41 - fresh_0) * C_HEAD_DIM_0 + _S250;
                        two_13 = float2((*(&kernelContext_6)->fresh_values_0)[x_14], (*(&kernelContext_6)->fresh_values_0)[x_14 + 1U]);
                    }
                    else
                    {
                        two_13 = _S289;
                    }
                    float weight_45 = (*(&kernelContext_6)->weights_0)[_S251 + 11U];
                    float _S290 = two_13.x;
                    acc_0[0U] = fma((*(&kernelContext_6)->weights_0)[_S251 + 11U], _S290, acc_0[0U]);
                    float _S291 = two_13.y;
                    acc_0[1U] = fma(weight_45, _S291, acc_0[1U]);
                    float weight_46 = (*(&kernelContext_6)->weights_0)[_S256 + 11U];
                    acc_0[2U] = fma((*(&kernelContext_6)->weights_0)[_S256 + 11U], _S290, acc_0[2U]);
                    acc_0[3U] = fma(weight_46, _S291, acc_0[3U]);
                    float weight_47 = (*(&kernelContext_6)->weights_0)[_S257 + 11U];
                    acc_0[4U] = fma((*(&kernelContext_6)->weights_0)[_S257 + 11U], _S290, acc_0[4U]);
                    acc_0[5U] = fma(weight_47, _S291, acc_0[5U]);
                    float weight_48 = (*(&kernelContext_6)->weights_0)[_S258 + 11U];
                    acc_0[6U] = fma((*(&kernelContext_6)->weights_0)[_S258 + 11U], _S290, acc_0[6U]);
                    acc_0[7U] = fma(weight_48, _S291, acc_0[7U]);
                    uint of_42 = _S252 + 12U;
                    float2 _S292 = float2(values_0[24U], values_0[25U]);
                    if(any_fresh_0)
                    {
                        _S100 = _S250 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S100 = false;
                    }
                    if(_S100)
                    {
                        _S101 = of_42 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S101 = false;
                    }
                    if(_S101)
                    {
                        _S102 = of_42 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S102 = false;
                    }
                    if(_S102)
                    {
                        uint x_15 = (of_42 - fresh_0) * C_HEAD_DIM_0 + _S250;
                        two_14 = float2((*(&kernelContext_6)->fresh_values_0)[x_15], (*(&kernelContext_6)->fresh_values_0)[x_15 + 1U]);
                    }
                    else
                    {
                        two_14 = _S292;
                    }
                    float weight_49 = (*(&kernelContext_6)->weights_0)[_S251 + 12U];
                    float _S293 = two_14.x;
                    acc_0[0U] = fma((*(&kernelContext_6)->weights_0)[_S251 + 12U], _S293, acc_0[0U]);
                    float _S294 = two_14.y;
                    acc_0[1U] = fma(weight_49, _S294, acc_0[1U]);
                    float weight_50 = (*(&kernelContext_6)->weights_0)[_S256 + 12U];
                    acc_0[2U] = fma((*(&kernelContext_6)->weights_0)[_S256 + 12U], _S293, acc_0[2U]);
                    acc_0[3U] = fma(weight_50, _S294, acc_0[3U]);
                    float weight_51 = (*(&kernelContext_6)->weights_0)[_S257 + 12U];
                    acc_0[4U] = fma((*(&kernelContext_6)->weights_0)[_S257 + 12U], _S293, acc_0[4U]);
                    acc_0[5U] = fma(weight_51, _S294, acc_0[5U]);
                    float weight_52 = (*(&kernelContext_6)->weights_0)[_S258 + 12U];
                    acc_0[6U] = fma((*(&kernelContext_6)->weights_0)[_S258 + 12U], _S293, acc_0[6U]);
                    acc_0[7U] = fma(weight_52, _S294, acc_0[7U]);
                    uint of_43 = _S252 + 13U;
                    float2 _S295 = float2(values_0[26U], values_0[27U]);
                    if(any_fresh_0)
                    {
                        _S103 = _S250 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S103 = false;
                    }
                    if(_S103)
                    {
                        _S104 = of_43 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S104 = false;
                    }
                    if(_S104)
                    {
                        _S105 = of_43 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S105 = false;
                    }
                    if(_S105)
                    {
                        uint x_16 = (of_43 - fresh_0) * C_HEAD_DIM_0 + _S250;
                        two_15 = float2((*(&kernelContext_6)->fresh_values_0)[x_16], (*(&kernelContext_6)->fresh_values_0)[x_16 + 1U]);
                    }
                    else
                    {
                        two_15 = _S295;
                    }
                    float weight_53 = (*(&kernelContext_6)->weights_0)[_S251 + 13U];
                    float _S296 = two_15.x;
                    acc_0[0U] = fma((*(&kernelContext_6)->weights_0)[_S251 + 13U], _S296, acc_0[0U]);
                    float _S297 = two_15.y;
                    acc_0[1U] = fma(weight_53, _S297, acc_0[1U]);
                    float weight_54 = (*(&kernelContext_6)->weights_0)[_S256 + 13U];
                    acc_0[2U] = fma((*(&kernelContext_6)->weights_0)[_S256 + 13U], _S296, acc_0[2U]);
                    acc_0[3U] = fma(weight_54, _S297, acc_0[3U]);
                    float weight_55 = (*(&kernelContext_6)->weights_0)[_S257 + 13U];
                    acc_0[4U] = fma((*(&kernelContext_6)->weights_0)[_S257 + 13U], _S296, acc_0[4U]);
                    acc_0[5U] = fma(weight_55, _S297, acc_0[5U]);
                    float weight_56 = (*(&kernelContext_6)->weights_0)[_S258 + 13U];
                    acc_0[6U] = fma((*(&kernelContext_6)->weights_0)[_S258 + 13U], _S296, acc_0[6U]);
                    acc_0[7U] = fma(weight_56, _S297, acc_0[7U]);
                    uint of_44 = _S252 + 14U;
                    float2 _S298 = float2(values_0[28U], values_0[29U]);
                    if(any_fresh_0)
                    {
                        _S106 = _S250 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S106 = false;
                    }
                    if(_S106)
                    {
                        _S107 = of_44 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S107 = false;
                    }
                    if(_S107)
                    {
                        _S108 = of_44 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S108 = false;
                    }
                    if(_S108)
                    {
                        uint x_17 = (of_44 - fresh_0) * C_HEAD_DIM_0 + _S250;
                        two_16 = float2((*(&kernelContext_6)->fresh_values_0)[x_17], (*(&kernelContext_6)->fresh_values_0)[x_17 + 1U]);
                    }
                    else
                    {
                        two_16 = _S298;
                    }
                    float weight_57 = (*(&kernelContext_6)->weights_0)[_S251 + 14U];
                    float _S299 = two_16.x;
                    acc_0[0U] = fma((*(&kernelContext_6)->weights_0)[_S251 + 14U], _S299, acc_0[0U]);
                    float _S300 = two_16.y;
                    acc_0[1U] = fma(weight_57, _S300, acc_0[1U]);
                    float weight_58 = (*(&kernelContext_6)->weights_0)[_S256 + 14U];
                    acc_0[2U] = fma((*(&kernelContext_6)->weights_0)[_S256 + 14U], _S299, acc_0[2U]);
                    acc_0[3U] = fma(weight_58, _S300, acc_0[3U]);
                    float weight_59 = (*(&kernelContext_6)->weights_0)[_S257 + 14U];
                    acc_0[4U] = fma((*(&kernelContext_6)->weights_0)[_S257 + 14U], _S299, acc_0[4U]);
                    acc_0[5U] = fma(weight_59, _S300, acc_0[5U]);
                    float weight_60 = (*(&kernelContext_6)->weights_0)[_S258 + 14U];
                    acc_0[6U] = fma((*(&kernelContext_6)->weights_0)[_S258 + 14U], _S299, acc_0[6U]);
                    acc_0[7U] = fma(weight_60, _S300, acc_0[7U]);
                    uint of_45 = _S252 + 15U;
                    float2 _S301 = float2(values_0[30U], values_0[31U]);
                    if(any_fresh_0)
                    {
                        _S109 = _S250 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S109 = false;
                    }
                    if(_S109)
                    {
                        _S110 = of_45 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S110 = false;
                    }
                    if(_S110)
                    {
                        _S111 = of_45 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S111 = false;
                    }
                    if(_S111)
                    {
                        uint x_18 = (of_45 - fresh_0) * C_HEAD_DIM_0 + _S250;
                        two_17 = float2((*(&kernelContext_6)->fresh_values_0)[x_18], (*(&kernelContext_6)->fresh_values_0)[x_18 + 1U]);
                    }
                    else
                    {
                        two_17 = _S301;
                    }
                    float weight_61 = (*(&kernelContext_6)->weights_0)[_S251 + 15U];
                    float _S302 = two_17.x;
                    acc_0[0U] = fma((*(&kernelContext_6)->weights_0)[_S251 + 15U], _S302, acc_0[0U]);
                    float _S303 = two_17.y;
                    acc_0[1U] = fma(weight_61, _S303, acc_0[1U]);
                    float weight_62 = (*(&kernelContext_6)->weights_0)[_S256 + 15U];
                    acc_0[2U] = fma((*(&kernelContext_6)->weights_0)[_S256 + 15U], _S302, acc_0[2U]);
                    acc_0[3U] = fma(weight_62, _S303, acc_0[3U]);
                    float weight_63 = (*(&kernelContext_6)->weights_0)[_S257 + 15U];
                    acc_0[4U] = fma((*(&kernelContext_6)->weights_0)[_S257 + 15U], _S302, acc_0[4U]);
                    acc_0[5U] = fma(weight_63, _S303, acc_0[5U]);
                    float weight_64 = (*(&kernelContext_6)->weights_0)[_S258 + 15U];
                    acc_0[6U] = fma((*(&kernelContext_6)->weights_0)[_S258 + 15U], _S302, acc_0[6U]);
                    acc_0[7U] = fma(weight_64, _S303, acc_0[7U]);
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
                    uint _S304 = (64U + scored_0) * 2U;
                    acc_0[8U] = acc_0[8U] * (*(&kernelContext_6)->shrinks_0)[0U];
                    acc_0[9U] = acc_0[9U] * (*(&kernelContext_6)->shrinks_0)[0U];
                    acc_0[10U] = acc_0[10U] * (*(&kernelContext_6)->shrinks_0)[1U];
                    acc_0[11U] = acc_0[11U] * (*(&kernelContext_6)->shrinks_0)[1U];
                    acc_0[12U] = acc_0[12U] * (*(&kernelContext_6)->shrinks_0)[2U];
                    acc_0[13U] = acc_0[13U] * (*(&kernelContext_6)->shrinks_0)[2U];
                    acc_0[14U] = acc_0[14U] * (*(&kernelContext_6)->shrinks_0)[3U];
                    acc_0[15U] = acc_0[15U] * (*(&kernelContext_6)->shrinks_0)[3U];
                    uint _S305 = _S153 * 16U;
                    uint _S306 = from_0 + _S305;
                    float2 _S307 = float2(values_0[32U], values_0[33U]);
                    if(any_fresh_0)
                    {
                        _S64 = _S304 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S64 = false;
                    }
                    if(_S64)
                    {
                        _S65 = _S306 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S65 = false;
                    }
                    if(_S65)
                    {
                        _S66 = _S306 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S66 = false;
                    }
                    if(_S66)
                    {
                        uint x_19 = (_S306 - fresh_0) * C_HEAD_DIM_0 + _S304;
                        two_2 = float2((*(&kernelContext_6)->fresh_values_0)[x_19], (*(&kernelContext_6)->fresh_values_0)[x_19 + 1U]);
                    }
                    else
                    {
                        two_2 = _S307;
                    }
                    float weight_65 = (*(&kernelContext_6)->weights_0)[_S305];
                    float _S308 = two_2.x;
                    acc_0[8U] = fma((*(&kernelContext_6)->weights_0)[_S305], _S308, acc_0[8U]);
                    float _S309 = two_2.y;
                    acc_0[9U] = fma(weight_65, _S309, acc_0[9U]);
                    uint _S310 = 64U + _S305;
                    float weight_66 = (*(&kernelContext_6)->weights_0)[_S310];
                    acc_0[10U] = fma((*(&kernelContext_6)->weights_0)[_S310], _S308, acc_0[10U]);
                    acc_0[11U] = fma(weight_66, _S309, acc_0[11U]);
                    uint _S311 = 128U + _S305;
                    float weight_67 = (*(&kernelContext_6)->weights_0)[_S311];
                    acc_0[12U] = fma((*(&kernelContext_6)->weights_0)[_S311], _S308, acc_0[12U]);
                    acc_0[13U] = fma(weight_67, _S309, acc_0[13U]);
                    uint _S312 = 192U + _S305;
                    float weight_68 = (*(&kernelContext_6)->weights_0)[_S312];
                    acc_0[14U] = fma((*(&kernelContext_6)->weights_0)[_S312], _S308, acc_0[14U]);
                    acc_0[15U] = fma(weight_68, _S309, acc_0[15U]);
                    uint of_46 = _S306 + 1U;
                    float2 _S313 = float2(values_0[34U], values_0[35U]);
                    if(any_fresh_0)
                    {
                        _S67 = _S304 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S67 = false;
                    }
                    if(_S67)
                    {
                        _S68 = of_46 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S68 = false;
                    }
                    if(_S68)
                    {
                        _S69 = of_46 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S69 = false;
                    }
                    if(_S69)
                    {
                        uint x_20 = (of_46 - fresh_0) * C_HEAD_DIM_0 + _S304;
                        two_3 = float2((*(&kernelContext_6)->fresh_values_0)[x_20], (*(&kernelContext_6)->fresh_values_0)[x_20 + 1U]);
                    }
                    else
                    {
                        two_3 = _S313;
                    }
                    float weight_69 = (*(&kernelContext_6)->weights_0)[_S305 + 1U];
                    float _S314 = two_3.x;
                    acc_0[8U] = fma((*(&kernelContext_6)->weights_0)[_S305 + 1U], _S314, acc_0[8U]);
                    float _S315 = two_3.y;
                    acc_0[9U] = fma(weight_69, _S315, acc_0[9U]);
                    float weight_70 = (*(&kernelContext_6)->weights_0)[_S310 + 1U];
                    acc_0[10U] = fma((*(&kernelContext_6)->weights_0)[_S310 + 1U], _S314, acc_0[10U]);
                    acc_0[11U] = fma(weight_70, _S315, acc_0[11U]);
                    float weight_71 = (*(&kernelContext_6)->weights_0)[_S311 + 1U];
                    acc_0[12U] = fma((*(&kernelContext_6)->weights_0)[_S311 + 1U], _S314, acc_0[12U]);
                    acc_0[13U] = fma(weight_71, _S315, acc_0[13U]);
                    float weight_72 = (*(&kernelContext_6)->weights_0)[_S312 + 1U];
                    acc_0[14U] = fma((*(&kernelContext_6)->weights_0)[_S312 + 1U], _S314, acc_0[14U]);
                    acc_0[15U] = fma(weight_72, _S315, acc_0[15U]);
                    uint of_47 = _S306 + 2U;
                    float2 _S316 = float2(values_0[36U], values_0[37U]);
                    if(any_fresh_0)
                    {
                        _S70 = _S304 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S70 = false;
                    }
                    if(_S70)
                    {
                        _S71 = of_47 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S71 = false;
                    }
                    if(_S71)
                    {
                        _S72 = of_47 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S72 = false;
                    }
                    if(_S72)
                    {
                        uint x_21 = (of_47 - fresh_0) * C_HEAD_DIM_0 + _S304;
                        two_4 = float2((*(&kernelContext_6)->fresh_values_0)[x_21], (*(&kernelContext_6)->fresh_values_0)[x_21 + 1U]);
                    }
                    else
                    {
                        two_4 = _S316;
                    }
                    float weight_73 = (*(&kernelContext_6)->weights_0)[_S305 + 2U];
                    float _S317 = two_4.x;
                    acc_0[8U] = fma((*(&kernelContext_6)->weights_0)[_S305 + 2U], _S317, acc_0[8U]);
                    float _S318 = two_4.y;
                    acc_0[9U] = fma(weight_73, _S318, acc_0[9U]);
                    float weight_74 = (*(&kernelContext_6)->weights_0)[_S310 + 2U];
                    acc_0[10U] = fma((*(&kernelContext_6)->weights_0)[_S310 + 2U], _S317, acc_0[10U]);
                    acc_0[11U] = fma(weight_74, _S318, acc_0[11U]);
                    float weight_75 = (*(&kernelContext_6)->weights_0)[_S311 + 2U];
                    acc_0[12U] = fma((*(&kernelContext_6)->weights_0)[_S311 + 2U], _S317, acc_0[12U]);
                    acc_0[13U] = fma(weight_75, _S318, acc_0[13U]);
                    float weight_76 = (*(&kernelContext_6)->weights_0)[_S312 + 2U];
                    acc_0[14U] = fma((*(&kernelContext_6)->weights_0)[_S312 + 2U], _S317, acc_0[14U]);
                    acc_0[15U] = fma(weight_76, _S318, acc_0[15U]);
                    uint of_48 = _S306 + 3U;
                    float2 _S319 = float2(values_0[38U], values_0[39U]);
                    if(any_fresh_0)
                    {
                        _S73 = _S304 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S73 = false;
                    }
                    if(_S73)
                    {
                        _S74 = of_48 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S74 = false;
                    }
                    if(_S74)
                    {
                        _S75 = of_48 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S75 = false;
                    }
                    if(_S75)
                    {
                        uint x_22 = (of_48 - fresh_0) * C_HEAD_DIM_0 + _S304;
                        two_5 = float2((*(&kernelContext_6)->fresh_values_0)[x_22], (*(&kernelContext_6)->fresh_values_0)[x_22 + 1U]);
                    }
                    else
                    {
                        two_5 = _S319;
                    }
                    float weight_77 = (*(&kernelContext_6)->weights_0)[_S305 + 3U];
                    float _S320 = two_5.x;
                    acc_0[8U] = fma((*(&kernelContext_6)->weights_0)[_S305 + 3U], _S320, acc_0[8U]);
                    float _S321 = two_5.y;
                    acc_0[9U] = fma(weight_77, _S321, acc_0[9U]);
                    float weight_78 = (*(&kernelContext_6)->weights_0)[_S310 + 3U];
                    acc_0[10U] = fma((*(&kernelContext_6)->weights_0)[_S310 + 3U], _S320, acc_0[10U]);
                    acc_0[11U] = fma(weight_78, _S321, acc_0[11U]);
                    float weight_79 = (*(&kernelContext_6)->weights_0)[_S311 + 3U];
                    acc_0[12U] = fma((*(&kernelContext_6)->weights_0)[_S311 + 3U], _S320, acc_0[12U]);
                    acc_0[13U] = fma(weight_79, _S321, acc_0[13U]);
                    float weight_80 = (*(&kernelContext_6)->weights_0)[_S312 + 3U];
                    acc_0[14U] = fma((*(&kernelContext_6)->weights_0)[_S312 + 3U], _S320, acc_0[14U]);
                    acc_0[15U] = fma(weight_80, _S321, acc_0[15U]);
                    uint of_49 = _S306 + 4U;
                    float2 _S322 = float2(values_0[40U], values_0[41U]);
                    if(any_fresh_0)
                    {
                        _S76 = _S304 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S76 = false;
                    }
                    if(_S76)
                    {
                        _S77 = of_49 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S77 = false;
                    }
                    if(_S77)
                    {
                        _S78 = of_49 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S78 = false;
                    }
                    if(_S78)
                    {
                        uint x_23 = (of_49 - fresh_0) * C_HEAD_DIM_0 + _S304;
                        two_6 = float2((*(&kernelContext_6)->fresh_values_0)[x_23], (*(&kernelContext_6)->fresh_values_0)[x_23 + 1U]);
                    }
                    else
                    {
                        two_6 = _S322;
                    }
                    float weight_81 = (*(&kernelContext_6)->weights_0)[_S305 + 4U];
                    float _S323 = two_6.x;
                    acc_0[8U] = fma((*(&kernelContext_6)->weights_0)[_S305 + 4U], _S323, acc_0[8U]);
                    float _S324 = two_6.y;
                    acc_0[9U] = fma(weight_81, _S324, acc_0[9U]);
                    float weight_82 = (*(&kernelContext_6)->weights_0)[_S310 + 4U];
                    acc_0[10U] = fma((*(&kernelContext_6)->weights_0)[_S310 + 4U], _S323, acc_0[10U]);
                    acc_0[11U] = fma(weight_82, _S324, acc_0[11U]);
                    float weight_83 = (*(&kernelContext_6)->weights_0)[_S311 + 4U];
                    acc_0[12U] = fma((*(&kernelContext_6)->weights_0)[_S311 + 4U], _S323, acc_0[12U]);
                    acc_0[13U] = fma(weight_83, _S324, acc_0[13U]);
                    float weight_84 = (*(&kernelContext_6)->weights_0)[_S312 + 4U];
                    acc_0[14U] = fma((*(&kernelContext_6)->weights_0)[_S312 + 4U], _S323, acc_0[14U]);
                    acc_0[15U] = fma(weight_84, _S324, acc_0[15U]);
                    uint of_50 = _S306 + 5U;
                    float2 _S325 = float2(values_0[42U], values_0[43U]);
                    if(any_fresh_0)
                    {
                        _S79 = _S304 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S79 = false;
                    }
                    if(_S79)
                    {
                        _S80 = of_50 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S80 = false;
                    }
                    if(_S80)
                    {
                        _S81 = of_50 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S81 = false;
                    }
                    if(_S81)
                    {
                        uint x_24 = (of_50 - fresh_0) * C_HEAD_DIM_0 + _S304;
                        two_7 = float2((*(&kernelContext_6)->fresh_values_0)[x_24], (*(&kernelContext_6)->fresh_values_0)[x_24 + 1U]);
                    }
                    else
                    {
                        two_7 = _S325;
                    }
                    float weight_85 = (*(&kernelContext_6)->weights_0)[_S305 + 5U];
                    float _S326 = two_7.x;
                    acc_0[8U] = fma((*(&kernelContext_6)->weights_0)[_S305 + 5U], _S326, acc_0[8U]);
                    float _S327 = two_7.y;
                    acc_0[9U] = fma(weight_85, _S327, acc_0[9U]);
                    float weight_86 = (*(&kernelContext_6)->weights_0)[_S310 + 5U];
                    acc_0[10U] = fma((*(&kernelContext_6)->weights_0)[_S310 + 5U], _S326, acc_0[10U]);
                    acc_0[11U] = fma(weight_86, _S327, acc_0[11U]);
                    float weight_87 = (*(&kernelContext_6)->weights_0)[_S311 + 5U];
                    acc_0[12U] = fma((*(&kernelContext_6)->weights_0)[_S311 + 5U], _S326, acc_0[12U]);
                    acc_0[13U] = fma(weight_87, _S327, acc_0[13U]);
                    float weight_88 = (*(&kernelContext_6)->weights_0)[_S312 + 5U];
                    acc_0[14U] = fma((*(&kernelContext_6)->weights_0)[_S312 + 5U], _S326, acc_0[14U]);
                    acc_0[15U] = fma(weight_88, _S327, acc_0[15U]);
                    uint of_51 = _S306 + 6U;
                    float2 _S328 = float2(values_0[44U], values_0[45U]);
                    if(any_fresh_0)
                    {
                        _S82 = _S304 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S82 = false;
                    }
                    if(_S82)
                    {
                        _S83 = of_51 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S83 = false;
                    }
                    if(_S83)
                    {
                        _S84 = of_51 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S84 = false;
                    }
                    if(_S84)
                    {
                        uint x_25 = (of_51 - fresh_0) * C_HEAD_DIM_0 + _S304;
                        two_8 = float2((*(&kernelContext_6)->fresh_values_0)[x_25], (*(&kernelContext_6)->fresh_values_0)[x_25 + 1U]);
                    }
                    else
                    {
                        two_8 = _S328;
                    }
                    float weight_89 = (*(&kernelContext_6)->weights_0)[_S305 + 6U];
                    float _S329 = two_8.x;
                    acc_0[8U] = fma((*(&kernelContext_6)->weights_0)[_S305 + 6U], _S329, acc_0[8U]);
                    float _S330 = two_8.y;
                    acc_0[9U] = fma(weight_89, _S330, acc_0[9U]);
                    float weight_90 = (*(&kernelContext_6)->weights_0)[_S310 + 6U];
                    acc_0[10U] = fma((*(&kernelContext_6)->weights_0)[_S310 + 6U], _S329, acc_0[10U]);
                    acc_0[11U] = fma(weight_90, _S330, acc_0[11U]);
                    float weight_91 = (*(&kernelContext_6)->weights_0)[_S311 + 6U];
                    acc_0[12U] = fma((*(&kernelContext_6)->weights_0)[_S311 + 6U], _S329, acc_0[12U]);
                    acc_0[13U] = fma(weight_91, _S330, acc_0[13U]);
                    float weight_92 = (*(&kernelContext_6)->weights_0)[_S312 + 6U];
                    acc_0[14U] = fma((*(&kernelContext_6)->weights_0)[_S312 + 6U], _S329, acc_0[14U]);
                    acc_0[15U] = fma(weight_92, _S330, acc_0[15U]);
                    uint of_52 = _S306 + 7U;
                    float2 _S331 = float2(values_0[46U], values_0[47U]);
                    if(any_fresh_0)
                    {
                        _S85 = _S304 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S85 = false;
                    }
                    if(_S85)
                    {
                        _S86 = of_52 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S86 = false;
                    }
                    if(_S86)
                    {
                        _S87 = of_52 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S87 = false;
                    }
                    if(_S87)
                    {
                        uint x_26 = (of_52 - fresh_0) * C_HEAD_DIM_0 + _S304;
                        two_9 = float2((*(&kernelContext_6)->fresh_values_0)[x_26], (*(&kernelContext_6)->fresh_values_0)[x_26 + 1U]);
                    }
                    else
                    {
                        two_9 = _S331;
                    }
                    float weight_93 = (*(&kernelContext_6)->weights_0)[_S305 + 7U];
                    float _S332 = two_9.x;
                    acc_0[8U] = fma((*(&kernelContext_6)->weights_0)[_S305 + 7U], _S332, acc_0[8U]);
                    float _S333 = two_9.y;
                    acc_0[9U] = fma(weight_93, _S333, acc_0[9U]);
                    float weight_94 = (*(&kernelContext_6)->weights_0)[_S310 + 7U];
                    acc_0[10U] = fma((*(&kernelContext_6)->weights_0)[_S310 + 7U], _S332, acc_0[10U]);
                    acc_0[11U] = fma(weight_94, _S333, acc_0[11U]);
                    float weight_95 = (*(&kernelContext_6)->weights_0)[_S311 + 7U];
                    acc_0[12U] = fma((*(&kernelContext_6)->weights_0)[_S311 + 7U], _S332, acc_0[12U]);
                    acc_0[13U] = fma(weight_95, _S333, acc_0[13U]);
                    float weight_96 = (*(&kernelContext_6)->weights_0)[_S312 + 7U];
                    acc_0[14U] = fma((*(&kernelContext_6)->weights_0)[_S312 + 7U], _S332, acc_0[14U]);
                    acc_0[15U] = fma(weight_96, _S333, acc_0[15U]);
                    uint of_53 = _S306 + 8U;
                    float2 _S334 = float2(values_0[48U], values_0[49U]);
                    if(any_fresh_0)
                    {
                        _S88 = _S304 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S88 = false;
                    }
                    if(_S88)
                    {
                        _S89 = of_53 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S89 = false;
                    }
                    if(_S89)
                    {
                        _S90 = of_53 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S90 = false;
                    }
                    if(_S90)
                    {
                        uint x_27 = (of_53 - fresh_0) * C_HEAD_DIM_0 + _S304;
                        two_10 = float2((*(&kernelContext_6)->fresh_values_0)[x_27], (*(&kernelContext_6)->fresh_values_0)[x_27 + 1U]);
                    }
                    else
                    {
                        two_10 = _S334;
                    }
                    float weight_97 = (*(&kernelContext_6)->weights_0)[_S305 + 8U];
                    float _S335 = two_10.x;
                    acc_0[8U] = fma((*(&kernelContext_6)->weights_0)[_S305 + 8U], _S335, acc_0[8U]);
                    float _S336 = two_10.y;
                    acc_0[9U] = fma(weight_97, _S336, acc_0[9U]);
                    float weight_98 = (*(&kernelContext_6)->weights_0)[_S310 + 8U];
                    acc_0[10U] = fma((*(&kernelContext_6)->weights_0)[_S310 + 8U], _S335, acc_0[10U]);
                    acc_0[11U] = fma(weight_98, _S336, acc_0[11U]);
                    float weight_99 = (*(&kernelContext_6)->weights_0)[_S311 + 8U];
                    acc_0[12U] = fma((*(&kernelContext_6)->weights_0)[_S311 + 8U], _S335, acc_0[12U]);
                    acc_0[13U] = fma(weight_99, _S336, acc_0[13U]);
                    float weight_100 = (*(&kernelContext_6)->weights_0)[_S312 + 8U];
                    acc_0[14U] = fma((*(&kernelContext_6)->weights_0)[_S312 + 8U], _S335, acc_0[14U]);
                    acc_0[15U] = fma(weight_100, _S336, acc_0[15U]);
                    uint of_54 = _S306 + 9U;
                    float2 _S337 = float2(values_0[50U], values_0[51U]);
                    if(any_fresh_0)
                    {
                        _S91 = _S304 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S91 = false;
                    }
                    if(_S91)
                    {
                        _S92 = of_54 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S92 = false;
                    }
                    if(_S92)
                    {
                        _S93 = of_54 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S93 = false;
                    }
                    if(_S93)
                    {
                        uint x_28 = (of_54 - fresh_0) * C_HEAD_DIM_0 + _S304;
                        two_11 = float2((*(&kernelContext_6)->fresh_values_0)[x_28], (*(&kernelContext_6)->fresh_values_0)[x_28 + 1U]);
                    }
                    else
                    {
                        two_11 = _S337;
                    }
                    float weight_101 = (*(&kernelContext_6)->weights_0)[_S305 + 9U];
                    float _S338 = two_11.x;
                    acc_0[8U] = fma((*(&kernelContext_6)->weights_0)[_S305 + 9U], _S338, acc_0[8U]);
                    float _S339 = two_11.y;
                    acc_0[9U] = fma(weight_101, _S339, acc_0[9U]);
                    float weight_102 = (*(&kernelContext_6)->weights_0)[_S310 + 9U];
                    acc_0[10U] = fma((*(&kernelContext_6)->weights_0)[_S310 + 9U], _S338, acc_0[10U]);
                    acc_0[11U] = fma(weight_102, _S339, acc_0[11U]);
                    float weight_103 = (*(&kernelContext_6)->weights_0)[_S311 + 9U];
                    acc_0[12U] = fma((*(&kernelContext_6)->weights_0)[_S311 + 9U], _S338, acc_0[12U]);
                    acc_0[13U] = fma(weight_103, _S339, acc_0[13U]);
                    float weight_104 = (*(&kernelContext_6)->weights_0)[_S312 + 9U];
                    acc_0[14U] = fma((*(&kernelContext_6)->weights_0)[_S312 + 9U], _S338, acc_0[14U]);
                    acc_0[15U] = fma(weight_104, _S339, acc_0[15U]);
                    uint of_55 = _S306 + 10U;
                    float2 _S340 = float2(values_0[52U], values_0[53U]);
                    if(any_fresh_0)
                    {
                        _S94 = _S304 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S94 = false;
                    }
                    if(_S94)
                    {
                        _S95 = of_55 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S95 = false;
                    }
                    if(_S95)
                    {
                        _S96 = of_55 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S96 = false;
                    }
                    if(_S96)
                    {
                        uint x_29 = (of_55 - fresh_0) * C_HEAD_DIM_0 + _S304;
                        two_12 = float2((*(&kernelContext_6)->fresh_values_0)[x_29], (*(&kernelContext_6)->fresh_values_0)[x_29 + 1U]);
                    }
                    else
                    {
                        two_12 = _S340;
                    }
                    float weight_105 = (*(&kernelContext_6)->weights_0)[_S305 + 10U];
                    float _S341 = two_12.x;
                    acc_0[8U] = fma((*(&kernelContext_6)->weights_0)[_S305 + 10U], _S341, acc_0[8U]);
                    float _S342 = two_12.y;
                    acc_0[9U] = fma(weight_105, _S342, acc_0[9U]);
                    float weight_106 = (*(&kernelContext_6)->weights_0)[_S310 + 10U];
                    acc_0[10U] = fma((*(&kernelContext_6)->weights_0)[_S310 + 10U], _S341, acc_0[10U]);
                    acc_0[11U] = fma(weight_106, _S342, acc_0[11U]);
                    float weight_107 = (*(&kernelContext_6)->weights_0)[_S311 + 10U];
                    acc_0[12U] = fma((*(&kernelContext_6)->weights_0)[_S311 + 10U], _S341, acc_0[12U]);
                    acc_0[13U] = fma(weight_107, _S342, acc_0[13U]);
                    float weight_108 = (*(&kernelContext_6)->weights_0)[_S312 + 10U];
                    acc_0[14U] = fma((*(&kernelContext_6)->weights_0)[_S312 + 10U], _S341, acc_0[14U]);
                    acc_0[15U] = fma(weight_108, _S342, acc_0[15U]);
                    uint of_56 = _S306 + 11U;
                    float2 _S343 = float2(values_0[54U], values_0[55U]);
                    if(any_fresh_0)
                    {
                        _S97 = _S304 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S97 = false;
                    }
                    if(_S97)
                    {
                        _S98 = of_56 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S98 = false;
                    }
                    if(_S98)
                    {
                        _S99 = of_56 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S99 = false;
                    }
                    if(_S99)
                    {
                        uint x_30 = (of_56 - fresh_0) * C_HEAD_DIM_0 + _S304;
                        two_13 = float2((*(&kernelContext_6)->fresh_values_0)[x_30], (*(&kernelContext_6)->fresh_values_0)[x_30 + 1U]);
                    }
                    else
                    {
                        two_13 = _S343;
                    }
                    float weight_109 = (*(&kernelContext_6)->weights_0)[_S305 + 11U];
                    float _S344 = two_13.x;
                    acc_0[8U] = fma((*(&kernelContext_6)->weights_0)[_S305 + 11U], _S344, acc_0[8U]);
                    float _S345 = two_13.y;
                    acc_0[9U] = fma(weight_109, _S345, acc_0[9U]);
                    float weight_110 = (*(&kernelContext_6)->weights_0)[_S310 + 11U];
                    acc_0[10U] = fma((*(&kernelContext_6)->weights_0)[_S310 + 11U], _S344, acc_0[10U]);
                    acc_0[11U] = fma(weight_110, _S345, acc_0[11U]);
                    float weight_111 = (*(&kernelContext_6)->weights_0)[_S311 + 11U];
                    acc_0[12U] = fma((*(&kernelContext_6)->weights_0)[_S311 + 11U], _S344, acc_0[12U]);
                    acc_0[13U] = fma(weight_111, _S345, acc_0[13U]);
                    float weight_112 = (*(&kernelContext_6)->weights_0)[_S312 + 11U];
                    acc_0[14U] = fma((*(&kernelContext_6)->weights_0)[_S312 + 11U], _S344, acc_0[14U]);
                    acc_0[15U] = fma(weight_112, _S345, acc_0[15U]);
                    uint of_57 = _S306 + 12U;
                    float2 _S346 = float2(values_0[56U], values_0[57U]);
                    if(any_fresh_0)
                    {
                        _S100 = _S304 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S100 = false;
                    }
                    if(_S100)
                    {
                        _S101 = of_57 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S101 = false;
                    }
                    if(_S101)
                    {
                        _S102 = of_57 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S102 = false;
                    }
                    if(_S102)
                    {
                        uint x_31 = (of_57 - fresh_0) * C_HEAD_DIM_0 + _S304;
                        two_14 = float2((*(&kernelContext_6)->fresh_values_0)[x_31], (*(&kernelContext_6)->fresh_values_0)[x_31 + 1U]);
                    }
                    else
                    {
                        two_14 = _S346;
                    }
                    float weight_113 = (*(&kernelContext_6)->weights_0)[_S305 + 12U];
                    float _S347 = two_14.x;
                    acc_0[8U] = fma((*(&kernelContext_6)->weights_0)[_S305 + 12U], _S347, acc_0[8U]);
                    float _S348 = two_14.y;
                    acc_0[9U] = fma(weight_113, _S348, acc_0[9U]);
                    float weight_114 = (*(&kernelContext_6)->weights_0)[_S310 + 12U];
                    acc_0[10U] = fma((*(&kernelContext_6)->weights_0)[_S310 + 12U], _S347, acc_0[10U]);
                    acc_0[11U] = fma(weight_114, _S348, acc_0[11U]);
                    float weight_115 = (*(&kernelContext_6)->weights_0)[_S311 + 12U];
                    acc_0[12U] = fma((*(&kernelContext_6)->weights_0)[_S311 + 12U], _S347, acc_0[12U]);
                    acc_0[13U] = fma(weight_115, _S348, acc_0[13U]);
                    float weight_116 = (*(&kernelContext_6)->weights_0)[_S312 + 12U];
                    acc_0[14U] = fma((*(&kernelContext_6)->weights_0)[_S312 + 12U], _S347, acc_0[14U]);
                    acc_0[15U] = fma(weight_116, _S348, acc_0[15U]);
                    uint of_58 = _S306 + 13U;
                    float2 _S349 = float2(values_0[58U], values_0[59U]);
                    if(any_fresh_0)
                    {
                        _S103 = _S304 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S103 = false;
                    }
                    if(_S103)
                    {
                        _S104 = of_58 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S104 = false;
                    }
                    if(_S104)
                    {
                        _S105 = of_58 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S105 = false;
                    }
                    if(_S105)
                    {
                        uint x_32 = (of_58 - fresh_0) * C_HEAD_DIM_0 + _S304;
                        two_15 = float2((*(&kernelContext_6)->fresh_values_0)[x_32], (*(&kernelContext_6)->fresh_values_0)[x_32 + 1U]);
                    }
                    else
                    {
                        two_15 = _S349;
                    }
                    float weight_117 = (*(&kernelContext_6)->weights_0)[_S305 + 13U];
                    float _S350 = two_15.x;
                    acc_0[8U] = fma((*(&kernelContext_6)->weights_0)[_S305 + 13U], _S350, acc_0[8U]);
                    float _S351 = two_15.y;
                    acc_0[9U] = fma(weight_117, _S351, acc_0[9U]);
                    float weight_118 = (*(&kernelContext_6)->weights_0)[_S310 + 13U];
                    acc_0[10U] = fma((*(&kernelContext_6)->weights_0)[_S310 + 13U], _S350, acc_0[10U]);
                    acc_0[11U] = fma(weight_118, _S351, acc_0[11U]);
                    float weight_119 = (*(&kernelContext_6)->weights_0)[_S311 + 13U];
                    acc_0[12U] = fma((*(&kernelContext_6)->weights_0)[_S311 + 13U], _S350, acc_0[12U]);
                    acc_0[13U] = fma(weight_119, _S351, acc_0[13U]);
                    float weight_120 = (*(&kernelContext_6)->weights_0)[_S312 + 13U];
                    acc_0[14U] = fma((*(&kernelContext_6)->weights_0)[_S312 + 13U], _S350, acc_0[14U]);
                    acc_0[15U] = fma(weight_120, _S351, acc_0[15U]);
                    uint of_59 = _S306 + 14U;
                    float2 _S352 = float2(values_0[60U], values_0[61U]);
                    if(any_fresh_0)
                    {
                        _S106 = _S304 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S106 = false;
                    }
                    if(_S106)
                    {
                        _S107 = of_59 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S107 = false;
                    }
                    if(_S107)
                    {
                        _S108 = of_59 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S108 = false;
                    }
                    if(_S108)
                    {
                        uint x_33 = (of_59 - fresh_0) * C_HEAD_DIM_0 + _S304;
                        two_16 = float2((*(&kernelContext_6)->fresh_values_0)[x_33], (*(&kernelContext_6)->fresh_values_0)[x_33 + 1U]);
                    }
                    else
                    {
                        two_16 = _S352;
                    }
                    float weight_121 = (*(&kernelContext_6)->weights_0)[_S305 + 14U];
                    float _S353 = two_16.x;
                    acc_0[8U] = fma((*(&kernelContext_6)->weights_0)[_S305 + 14U], _S353, acc_0[8U]);
                    float _S354 = two_16.y;
                    acc_0[9U] = fma(weight_121, _S354, acc_0[9U]);
                    float weight_122 = (*(&kernelContext_6)->weights_0)[_S310 + 14U];
                    acc_0[10U] = fma((*(&kernelContext_6)->weights_0)[_S310 + 14U], _S353, acc_0[10U]);
                    acc_0[11U] = fma(weight_122, _S354, acc_0[11U]);
                    float weight_123 = (*(&kernelContext_6)->weights_0)[_S311 + 14U];
                    acc_0[12U] = fma((*(&kernelContext_6)->weights_0)[_S311 + 14U], _S353, acc_0[12U]);
                    acc_0[13U] = fma(weight_123, _S354, acc_0[13U]);
                    float weight_124 = (*(&kernelContext_6)->weights_0)[_S312 + 14U];
                    acc_0[14U] = fma((*(&kernelContext_6)->weights_0)[_S312 + 14U], _S353, acc_0[14U]);
                    acc_0[15U] = fma(weight_124, _S354, acc_0[15U]);
                    uint of_60 = _S306 + 15U;
                    float2 _S355 = float2(values_0[62U], values_0[63U]);
                    if(any_fresh_0)
                    {
                        _S109 = _S304 < C_HEAD_DIM_0;
                    }
                    else
                    {
                        _S109 = false;
                    }
                    if(_S109)
                    {
                        _S110 = of_60 >= (max(first_1, fresh_0));
                    }
                    else
                    {
                        _S110 = false;
                    }
                    if(_S110)
                    {
                        _S111 = of_60 <= (at_1.pos_0);
                    }
                    else
                    {
                        _S111 = false;
                    }
                    if(_S111)
                    {
                        uint x_34 = (of_60 - fresh_0) * C_HEAD_DIM_0 + _S304;
                        two_17 = float2((*(&kernelContext_6)->fresh_values_0)[x_34], (*(&kernelContext_6)->fresh_values_0)[x_34 + 1U]);
                    }
                    else
                    {
                        two_17 = _S355;
                    }
                    float weight_125 = (*(&kernelContext_6)->weights_0)[_S305 + 15U];
                    float _S356 = two_17.x;
                    acc_0[8U] = fma((*(&kernelContext_6)->weights_0)[_S305 + 15U], _S356, acc_0[8U]);
                    float _S357 = two_17.y;
                    acc_0[9U] = fma(weight_125, _S357, acc_0[9U]);
                    float weight_126 = (*(&kernelContext_6)->weights_0)[_S310 + 15U];
                    acc_0[10U] = fma((*(&kernelContext_6)->weights_0)[_S310 + 15U], _S356, acc_0[10U]);
                    acc_0[11U] = fma(weight_126, _S357, acc_0[11U]);
                    float weight_127 = (*(&kernelContext_6)->weights_0)[_S311 + 15U];
                    acc_0[12U] = fma((*(&kernelContext_6)->weights_0)[_S311 + 15U], _S356, acc_0[12U]);
                    acc_0[13U] = fma(weight_127, _S357, acc_0[13U]);
                    float weight_128 = (*(&kernelContext_6)->weights_0)[_S312 + 15U];
                    acc_0[14U] = fma((*(&kernelContext_6)->weights_0)[_S312 + 15U], _S356, acc_0[14U]);
                    acc_0[15U] = fma(weight_128, _S357, acc_0[15U]);
                    break;
                }
                break;
            }
            break;
        }
        tile_6 = tile_6 + parts_0;
        sum_0 = _S249;
        most_1 = top_0;
    }
    for(;;)
    {
        for(;;)
        {
            for(;;)
            {
                if(0U >= _S123)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint _S358 = scored_0 * 2U;
                bool _S359 = _S153 != 0U;
                if(_S359)
                {
                    _S113 = _S358 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    (*(&kernelContext_6)->dots_0)[(_S153 - 1U) * 256U + _S358] = acc_0[0U];
                }
                uint e_19 = _S358 + 1U;
                if(_S359)
                {
                    _S113 = e_19 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    (*(&kernelContext_6)->dots_0)[(_S153 - 1U) * 256U + e_19] = acc_0[1U];
                }
                uint _S360 = (64U + scored_0) * 2U;
                if(_S359)
                {
                    _S113 = _S360 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    (*(&kernelContext_6)->dots_0)[(_S153 - 1U) * 256U + _S360] = acc_0[8U];
                }
                uint e_20 = _S360 + 1U;
                if(_S359)
                {
                    _S113 = e_20 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    (*(&kernelContext_6)->dots_0)[(_S153 - 1U) * 256U + e_20] = acc_0[9U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                float device* _S361 = partial_at_0(r_1, head_3, part_1, &kernelContext_6);
                bool _S362 = _S153 == 0U;
                if(_S362)
                {
                    _S113 = _S358 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    *(_S361 + _S358) = acc_0[0U] + (*(&kernelContext_6)->dots_0)[_S358] + (*(&kernelContext_6)->dots_0)[256U + _S358] + (*(&kernelContext_6)->dots_0)[512U + _S358];
                }
                if(_S362)
                {
                    _S113 = e_19 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    *(_S361 + e_19) = acc_0[1U] + (*(&kernelContext_6)->dots_0)[e_19] + (*(&kernelContext_6)->dots_0)[256U + e_19] + (*(&kernelContext_6)->dots_0)[512U + e_19];
                }
                if(_S362)
                {
                    _S113 = _S360 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    *(_S361 + _S360) = acc_0[8U] + (*(&kernelContext_6)->dots_0)[_S360] + (*(&kernelContext_6)->dots_0)[256U + _S360] + (*(&kernelContext_6)->dots_0)[512U + _S360];
                }
                if(_S362)
                {
                    _S113 = e_20 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    *(_S361 + e_20) = acc_0[9U] + (*(&kernelContext_6)->dots_0)[e_20] + (*(&kernelContext_6)->dots_0)[256U + e_20] + (*(&kernelContext_6)->dots_0)[512U + e_20];
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(1U >= _S123)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint _S363 = scored_0 * 2U;
                bool _S364 = _S153 != 0U;
                if(_S364)
                {
                    _S113 = _S363 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    (*(&kernelContext_6)->dots_0)[(_S153 - 1U) * 256U + _S363] = acc_0[2U];
                }
                uint e_21 = _S363 + 1U;
                if(_S364)
                {
                    _S113 = e_21 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    (*(&kernelContext_6)->dots_0)[(_S153 - 1U) * 256U + e_21] = acc_0[3U];
                }
                uint _S365 = (64U + scored_0) * 2U;
                if(_S364)
                {
                    _S113 = _S365 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    (*(&kernelContext_6)->dots_0)[(_S153 - 1U) * 256U + _S365] = acc_0[10U];
                }
                uint e_22 = _S365 + 1U;
                if(_S364)
                {
                    _S113 = e_22 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    (*(&kernelContext_6)->dots_0)[(_S153 - 1U) * 256U + e_22] = acc_0[11U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                float device* _S366 = partial_at_0(r_1, head_3 + 1U, part_1, &kernelContext_6);
                bool _S367 = _S153 == 0U;
                if(_S367)
                {
                    _S113 = _S363 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    *(_S366 + _S363) = acc_0[2U] + (*(&kernelContext_6)->dots_0)[_S363] + (*(&kernelContext_6)->dots_0)[256U + _S363] + (*(&kernelContext_6)->dots_0)[512U + _S363];
                }
                if(_S367)
                {
                    _S113 = e_21 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    *(_S366 + e_21) = acc_0[3U] + (*(&kernelContext_6)->dots_0)[e_21] + (*(&kernelContext_6)->dots_0)[256U + e_21] + (*(&kernelContext_6)->dots_0)[512U + e_21];
                }
                if(_S367)
                {
                    _S113 = _S365 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    *(_S366 + _S365) = acc_0[10U] + (*(&kernelContext_6)->dots_0)[_S365] + (*(&kernelContext_6)->dots_0)[256U + _S365] + (*(&kernelContext_6)->dots_0)[512U + _S365];
                }
                if(_S367)
                {
                    _S113 = e_22 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    *(_S366 + e_22) = acc_0[11U] + (*(&kernelContext_6)->dots_0)[e_22] + (*(&kernelContext_6)->dots_0)[256U + e_22] + (*(&kernelContext_6)->dots_0)[512U + e_22];
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(2U >= _S123)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint _S368 = scored_0 * 2U;
                bool _S369 = _S153 != 0U;
                if(_S369)
                {
                    _S113 = _S368 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    (*(&kernelContext_6)->dots_0)[(_S153 - 1U) * 256U + _S368] = acc_0[4U];
                }
                uint e_23 = _S368 + 1U;
                if(_S369)
                {
                    _S113 = e_23 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    (*(&kernelContext_6)->dots_0)[(_S153 - 1U) * 256U + e_23] = acc_0[5U];
                }
                uint _S370 = (64U + scored_0) * 2U;
                if(_S369)
                {
                    _S113 = _S370 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    (*(&kernelContext_6)->dots_0)[(_S153 - 1U) * 256U + _S370] = acc_0[12U];
                }
                uint e_24 = _S370 + 1U;
                if(_S369)
                {
                    _S113 = e_24 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    (*(&kernelContext_6)->dots_0)[(_S153 - 1U) * 256U + e_24] = acc_0[13U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                float device* _S371 = partial_at_0(r_1, head_3 + 2U, part_1, &kernelContext_6);
                bool _S372 = _S153 == 0U;
                if(_S372)
                {
                    _S113 = _S368 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    *(_S371 + _S368) = acc_0[4U] + (*(&kernelContext_6)->dots_0)[_S368] + (*(&kernelContext_6)->dots_0)[256U + _S368] + (*(&kernelContext_6)->dots_0)[512U + _S368];
                }
                if(_S372)
                {
                    _S113 = e_23 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    *(_S371 + e_23) = acc_0[5U] + (*(&kernelContext_6)->dots_0)[e_23] + (*(&kernelContext_6)->dots_0)[256U + e_23] + (*(&kernelContext_6)->dots_0)[512U + e_23];
                }
                if(_S372)
                {
                    _S113 = _S370 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    *(_S371 + _S370) = acc_0[12U] + (*(&kernelContext_6)->dots_0)[_S370] + (*(&kernelContext_6)->dots_0)[256U + _S370] + (*(&kernelContext_6)->dots_0)[512U + _S370];
                }
                if(_S372)
                {
                    _S113 = e_24 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    *(_S371 + e_24) = acc_0[13U] + (*(&kernelContext_6)->dots_0)[e_24] + (*(&kernelContext_6)->dots_0)[256U + e_24] + (*(&kernelContext_6)->dots_0)[512U + e_24];
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(3U >= _S123)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint _S373 = scored_0 * 2U;
                bool _S374 = _S153 != 0U;
                if(_S374)
                {
                    _S113 = _S373 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    (*(&kernelContext_6)->dots_0)[(_S153 - 1U) * 256U + _S373] = acc_0[6U];
                }
                uint e_25 = _S373 + 1U;
                if(_S374)
                {
                    _S113 = e_25 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    (*(&kernelContext_6)->dots_0)[(_S153 - 1U) * 256U + e_25] = acc_0[7U];
                }
                uint _S375 = (64U + scored_0) * 2U;
                if(_S374)
                {
                    _S113 = _S375 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    (*(&kernelContext_6)->dots_0)[(_S153 - 1U) * 256U + _S375] = acc_0[14U];
                }
                uint e_26 = _S375 + 1U;
                if(_S374)
                {
                    _S113 = e_26 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    (*(&kernelContext_6)->dots_0)[(_S153 - 1U) * 256U + e_26] = acc_0[15U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                float device* _S376 = partial_at_0(r_1, head_3 + 3U, part_1, &kernelContext_6);
                bool _S377 = _S153 == 0U;
                if(_S377)
                {
                    _S113 = _S373 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    *(_S376 + _S373) = acc_0[6U] + (*(&kernelContext_6)->dots_0)[_S373] + (*(&kernelContext_6)->dots_0)[256U + _S373] + (*(&kernelContext_6)->dots_0)[512U + _S373];
                }
                if(_S377)
                {
                    _S113 = e_25 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    *(_S376 + e_25) = acc_0[7U] + (*(&kernelContext_6)->dots_0)[e_25] + (*(&kernelContext_6)->dots_0)[256U + e_25] + (*(&kernelContext_6)->dots_0)[512U + e_25];
                }
                if(_S377)
                {
                    _S113 = _S375 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    *(_S376 + _S375) = acc_0[14U] + (*(&kernelContext_6)->dots_0)[_S375] + (*(&kernelContext_6)->dots_0)[256U + _S375] + (*(&kernelContext_6)->dots_0)[512U + _S375];
                }
                if(_S377)
                {
                    _S113 = e_26 < C_HEAD_DIM_0;
                }
                else
                {
                    _S113 = false;
                }
                if(_S113)
                {
                    *(_S376 + e_26) = acc_0[15U] + (*(&kernelContext_6)->dots_0)[e_26] + (*(&kernelContext_6)->dots_0)[256U + e_26] + (*(&kernelContext_6)->dots_0)[512U + e_26];
                }
                break;
            }
            break;
        }
        break;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*(&kernelContext_6)->weights_0)[sv_groupindex_0] = sum_0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if(scored_0 < 8U)
    {
        uint _S378 = scored_head_0 * 64U;
        float _S379 = (*(&kernelContext_6)->weights_0)[_S378 + scored_0];
        i_7 = 1U;
        score_0 = _S379;
        for(;;)
        {
            if(i_7 < 8U)
            {
            }
            else
            {
                break;
            }
            float _S380 = score_0 + (*(&kernelContext_6)->weights_0)[_S378 + i_7 * 8U + scored_0];
            i_7 = i_7 + 1U;
            score_0 = _S380;
        }
        (*(&kernelContext_6)->eighths_0)[scored_head_0 * 8U + scored_0] = score_0;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if(scored_0 == 0U)
    {
        _S113 = scored_head_0 < _S123;
    }
    else
    {
        _S113 = false;
    }
    if(_S113)
    {
        uint _S381 = scored_head_0 * 8U;
        float _S382 = (*(&kernelContext_6)->eighths_0)[_S381];
        i_7 = 1U;
        score_0 = _S382;
        for(;;)
        {
            if(i_7 < 8U)
            {
            }
            else
            {
                break;
            }
            float _S383 = score_0 + (*(&kernelContext_6)->eighths_0)[_S381 + i_7];
            i_7 = i_7 + 1U;
            score_0 = _S383;
        }
        float device* _S384 = partial_at_0(r_1, head_3 + scored_head_0, part_1, &kernelContext_6);
        *(_S384 + C_HEAD_DIM_0) = most_1;
        *(_S384 + (C_HEAD_DIM_0 + 1U)) = score_0;
    }
    return;
}
