// Made by tools/vulkan-kernels.sh of ragged_attention.slang and what stands before it.
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
constant uint fc_C_SOFTCAP_0 [[function_constant(8)]];
constant uint C_SOFTCAP_0 = is_function_constant_defined(fc_C_SOFTCAP_0) ? fc_C_SOFTCAP_0 : 1U;
constant uint fc_C_KV_HEADS_0 [[function_constant(1)]];
constant uint C_KV_HEADS_0 = is_function_constant_defined(fc_C_KV_HEADS_0) ? fc_C_KV_HEADS_0 : 1U;
constant uint fc_C_WINDOW_0 [[function_constant(7)]];
constant uint C_WINDOW_0 = is_function_constant_defined(fc_C_WINDOW_0) ? fc_C_WINDOW_0 : 1U;
constant uint fc_C_BLOCKS_0 [[function_constant(9)]];
constant uint C_BLOCKS_0 = is_function_constant_defined(fc_C_BLOCKS_0) ? fc_C_BLOCKS_0 : 1U;
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
    uchar device* qkv_0;
    uchar device* k_cache_0;
    uchar device* v_cache_0;
    uchar device* out_0;
    float scale_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<float, int(512)> threadgroup* query_0;
    array<float, int(64)> threadgroup* sums_0;
    array<float, int(64)> threadgroup* weights_0;
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
float infinity_0()
{
    return (as_type<float>((2139095040U)));
}
uint kv_element_0(uint type_0)
{
    int _S2;
    if(type_0 == 1U)
    {
        _S2 = int(4);
    }
    else
    {
        if(type_0 == 3U)
        {
            _S2 = int(1);
        }
        else
        {
            _S2 = int(2);
        }
    }
    return uint(_S2);
}
ulong kv_tile_bytes_0(uint type_1)
{
    uint _S3 = C_HEAD_DIM_0 * kv_element_0(type_1);
    uint _S4;
    if(type_1 == 3U)
    {
        _S4 = C_HEAD_DIM_0 / 32U * 2U;
    }
    else
    {
        _S4 = 0U;
    }
    return ulong(256U * (_S3 + _S4));
}
ulong kv_tile_0(uint type_2, uint device* table_0, uint head_0, uint pos_1)
{
    return (ulong(*(table_0 + pos_1 / 256U)) * ulong(C_KV_HEADS_0) + ulong(head_0)) * kv_tile_bytes_0(type_2);
}
constant uint fc_C_K_TYPE_0 [[function_constant(3)]];
constant uint C_K_TYPE_0 = is_function_constant_defined(fc_C_K_TYPE_0) ? fc_C_K_TYPE_0 : 1U;
float f16_to_f32_0(uint half_0)
{
    return (as_type<half>((ushort)((half_0 & 65535U))));
}
float bf16_to_f32_0(uint half_1)
{
    return (as_type<float>((half_1 << 16U)));
}
void kv_load8_0(uint type_3, uchar device* tile_0, uint pos_2, uint e_0, array<float, int(8)> thread* v_0)
{
    uint _S5 = pos_2 % 256U;
    uint i_1 = _S5 * C_HEAD_DIM_0 + e_0;
    if(type_3 == 1U)
    {
        packed_float4 device* _S6 = (packed_float4 device*)((ulong)(tile_0 + i_1 * 4U));
        float4 _S7 = float4(*(_S6 + int(0))) ;
        float4 _S8 = float4(*(_S6 + int(1))) ;
        (*v_0)[int(0)] = _S7.x;
        (*v_0)[int(1)] = _S7.y;
        (*v_0)[int(2)] = _S7.z;
        (*v_0)[int(3)] = _S7.w;
        (*v_0)[int(4)] = _S8.x;
        (*v_0)[int(5)] = _S8.y;
        (*v_0)[int(6)] = _S8.z;
        (*v_0)[int(7)] = _S8.w;
        return;
    }
    if(type_3 == 3U)
    {
        uint2 _S9 = uint2(*(packed_uint2 device*)((ulong)(tile_0 + i_1))) ;
        float _S10 = f16_to_f32_0(uint(*((ushort device*)((ulong)(tile_0 + 256U * C_HEAD_DIM_0)) + (_S5 * (C_HEAD_DIM_0 / 32U) + e_0 / 32U))));
        uint _S11 = _S9.x;
        (*v_0)[0U] = float(int(_S11 << 24U) >> 24U) * _S10;
        (*v_0)[1U] = float(int(_S11 << 16U) >> 24U) * _S10;
        (*v_0)[2U] = float(int(_S11 << 8U) >> 24U) * _S10;
        (*v_0)[3U] = float(int(_S11 << 0U) >> 24U) * _S10;
        uint _S12 = _S9.y;
        (*v_0)[4U] = float(int(_S12 << 24U) >> 24U) * _S10;
        (*v_0)[5U] = float(int(_S12 << 16U) >> 24U) * _S10;
        (*v_0)[6U] = float(int(_S12 << 8U) >> 24U) * _S10;
        (*v_0)[7U] = float(int(_S12 << 0U) >> 24U) * _S10;
        return;
    }
    uint4 _S13 = uint4(*(packed_uint4 device*)((ulong)(tile_0 + i_1 * 2U))) ;
    uint _S14 = _S13.x;
    uint half_2 = (_S14 >> 0U) & 65535U;
    bool _S15 = type_3 == 0U;
    float _S16;
    if(_S15)
    {
        _S16 = f16_to_f32_0(half_2);
    }
    else
    {
        _S16 = bf16_to_f32_0(half_2);
    }
    (*v_0)[0U] = _S16;
    uint half_3 = (_S14 >> 16U) & 65535U;
    if(_S15)
    {
        _S16 = f16_to_f32_0(half_3);
    }
    else
    {
        _S16 = bf16_to_f32_0(half_3);
    }
    (*v_0)[1U] = _S16;
    uint _S17 = _S13.y;
    uint half_4 = (_S17 >> 0U) & 65535U;
    if(_S15)
    {
        _S16 = f16_to_f32_0(half_4);
    }
    else
    {
        _S16 = bf16_to_f32_0(half_4);
    }
    (*v_0)[2U] = _S16;
    uint half_5 = (_S17 >> 16U) & 65535U;
    if(_S15)
    {
        _S16 = f16_to_f32_0(half_5);
    }
    else
    {
        _S16 = bf16_to_f32_0(half_5);
    }
    (*v_0)[3U] = _S16;
    uint _S18 = _S13.z;
    uint half_6 = (_S18 >> 0U) & 65535U;
    if(_S15)
    {
        _S16 = f16_to_f32_0(half_6);
    }
    else
    {
        _S16 = bf16_to_f32_0(half_6);
    }
    (*v_0)[4U] = _S16;
    uint half_7 = (_S18 >> 16U) & 65535U;
    if(_S15)
    {
        _S16 = f16_to_f32_0(half_7);
    }
    else
    {
        _S16 = bf16_to_f32_0(half_7);
    }
    (*v_0)[5U] = _S16;
    uint _S19 = _S13.w;
    uint half_8 = (_S19 >> 0U) & 65535U;
    if(_S15)
    {
        _S16 = f16_to_f32_0(half_8);
    }
    else
    {
        _S16 = bf16_to_f32_0(half_8);
    }
    (*v_0)[6U] = _S16;
    uint half_9 = (_S19 >> 16U) & 65535U;
    if(_S15)
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
float kv_load_0(uint type_4, uchar device* tile_1, uint pos_3, uint e_1)
{
    uint _S20 = pos_3 % 256U;
    uint i_2 = _S20 * C_HEAD_DIM_0 + e_1;
    if(type_4 == 1U)
    {
        return *((float device*)((ulong)(tile_1)) + i_2);
    }
    if(type_4 == 0U)
    {
        return f16_to_f32_0(uint(*((ushort device*)((ulong)(tile_1)) + i_2)));
    }
    if(type_4 == 2U)
    {
        return bf16_to_f32_0(uint(*((ushort device*)((ulong)(tile_1)) + i_2)));
    }
    return float(int(uint(*(tile_1 + i_2)) << 24U) >> 24U) * f16_to_f32_0(uint(*((ushort device*)((ulong)(tile_1 + 256U * C_HEAD_DIM_0)) + (_S20 * (C_HEAD_DIM_0 / 32U) + e_1 / 32U))));
}
float power_of_two_0(int n_0)
{
    return (as_type<float>((uint(n_0 + int(127)) << 23U)));
}
float exp_of_0(float x_0)
{
    if(!(x_0 < 88.8000030517578125))
    {
        float _S21;
        if(x_0 != x_0)
        {
            _S21 = x_0;
        }
        else
        {
            _S21 = infinity_0();
        }
        return _S21;
    }
    if(x_0 < -104.0)
    {
        return 0.0;
    }
    float n_1 = floor(x_0 * 1.4426950216293335 + 0.5);
    float high_0 = x_0 - n_1 * 0.693359375;
    float r_0 = high_0 + n_1 * 0.00021219444170129;
    int _S22 = int(n_1);
    int half_10 = _S22 / int(2);
    return ((((((0.00019875691214111 * r_0 + 0.00139819993637502) * r_0 + 0.00833345204591751) * r_0 + 0.04166579619050026) * r_0 + 0.1666666567325592) * r_0 + 0.5) * r_0 * r_0 + r_0 + 1.0) * power_of_two_0(half_10) * power_of_two_0(_S22 - half_10);
}
float tanh_of_0(float x_1)
{
    float a_0 = abs(x_1);
    float z_0 = x_1 * x_1;
    if(a_0 < 0.30000001192092896)
    {
        return x_1 + x_1 * z_0 * ((((-0.0088632358238101 * z_0 + 0.0218694880604744) * z_0 - 0.05396825447678566) * z_0 + 0.13333332538604736) * z_0 - 0.3333333432674408);
    }
    float e_2 = exp_of_0(-2.0 * a_0);
    float y_0 = (1.0 - e_2) / (1.0 + e_2);
    float _S23;
    if(x_1 < 0.0)
    {
        _S23 = - y_0;
    }
    else
    {
        _S23 = y_0;
    }
    return _S23;
}
float capped_0(float score_0)
{
    if(C_SOFTCAP_0 == 0U)
    {
        return score_0;
    }
    float cap_0 = (as_type<float>((C_SOFTCAP_0)));
    return cap_0 * tanh_of_0(score_0 / cap_0);
}
float group_max_0(uint t_0, float v_1, KernelContext_0 thread* kernelContext_3)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_3->sums_0)[t_0] = v_1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint half_11 = 32U;
    for(;;)
    {
        if(half_11 != 0U)
        {
        }
        else
        {
            break;
        }
        if(t_0 < half_11)
        {
            (*kernelContext_3->sums_0)[t_0] = max((*kernelContext_3->sums_0)[t_0], (*kernelContext_3->sums_0)[t_0 + half_11]);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        half_11 = half_11 / 2U;
    }
    return (*kernelContext_3->sums_0)[int(0)];
}
float group_sum_0(uint t_1, float v_2, KernelContext_0 thread* kernelContext_4)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_4->sums_0)[t_1] = v_2;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint half_12 = 32U;
    for(;;)
    {
        if(half_12 != 0U)
        {
        }
        else
        {
            break;
        }
        if(t_1 < half_12)
        {
            (*kernelContext_4->sums_0)[t_1] = (*kernelContext_4->sums_0)[t_1] + (*kernelContext_4->sums_0)[t_1 + half_12];
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        half_12 = half_12 / 2U;
    }
    return (*kernelContext_4->sums_0)[int(0)];
}
constant uint fc_C_V_TYPE_0 [[function_constant(4)]];
constant uint C_V_TYPE_0 = is_function_constant_defined(fc_C_V_TYPE_0) ? fc_C_V_TYPE_0 : 1U;
float2 kv_load2_0(uint type_5, uchar device* tile_2, uint pos_4, uint e_3)
{
    if((C_HEAD_DIM_0 % 8U) != 0U)
    {
        float _S24 = kv_load_0(type_5, tile_2, pos_4, e_3);
        uint _S25 = e_3 + 1U;
        float _S26;
        if(_S25 < C_HEAD_DIM_0)
        {
            float _S27 = kv_load_0(type_5, tile_2, pos_4, _S25);
            _S26 = _S27;
        }
        else
        {
            _S26 = 0.0;
        }
        return float2(_S24, _S26);
    }
    uint _S28 = pos_4 % 256U;
    uint i_3 = _S28 * C_HEAD_DIM_0 + e_3;
    if(type_5 == 1U)
    {
        return float2(*(packed_float2 device*)((ulong)(tile_2 + i_3 * 4U))) ;
    }
    if(type_5 == 3U)
    {
        uint two_0 = uint(*(ushort device*)((ulong)(tile_2 + i_3)));
        return float2(float(int(two_0 << 24U) >> 24U), float(int(two_0 << 16U) >> 24U)) * float2(f16_to_f32_0(uint(*((ushort device*)((ulong)(tile_2 + 256U * C_HEAD_DIM_0)) + (_S28 * (C_HEAD_DIM_0 / 32U) + e_3 / 32U))))) ;
    }
    uint two_1 = *(uint device*)((ulong)(tile_2 + i_3 * 2U));
    float2 _S29;
    if(type_5 == 0U)
    {
        _S29 = float2(f16_to_f32_0(two_1), f16_to_f32_0(two_1 >> 16U));
    }
    else
    {
        _S29 = float2(bf16_to_f32_0(two_1 & 65535U), bf16_to_f32_0(two_1 >> 16U));
    }
    return _S29;
}
ulong act_row_bytes_0(uint act_0, uint k_0)
{
    uint _S30;
    if(act_0 == 0U)
    {
        _S30 = 4U * k_0;
    }
    else
    {
        _S30 = 2U * k_0;
    }
    return ulong(((_S30 + 63U) / 64U) | 1U) * 64UL;
}
constant uint fc_C_ACT_0 [[function_constant(5)]];
constant uint C_ACT_0 = is_function_constant_defined(fc_C_ACT_0) ? fc_C_ACT_0 : 1U;
uint f32_to_bf16_0(float value_0)
{
    uint bits_0 = (as_type<uint>((value_0)));
    if((bits_0 & 2147483647U) > 2139095040U)
    {
        return (bits_0 >> 16U) | 64U;
    }
    return (bits_0 + 32767U + ((bits_0 >> 16U) & 1U)) >> 16U;
}
uint f32_to_f16_0(float value_1)
{
    uint bits_1 = (as_type<uint>((value_1)));
    uint sign_0 = (bits_1 >> 16U) & 32768U;
    uint a_1 = bits_1 & 2147483647U;
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
    uint e_4 = a_1 >> 23U;
    bool _S31 = e_4 < 113U;
    uint shift_0;
    if(_S31)
    {
        shift_0 = 126U - e_4;
    }
    else
    {
        shift_0 = 13U;
    }
    uint m_0;
    if(_S31)
    {
        m_0 = (a_1 & 8388607U) | 8388608U;
    }
    else
    {
        m_0 = a_1 - 939524096U;
    }
    uint q_0 = m_0 >> shift_0;
    uint rest_0 = m_0 & ((1U << shift_0) - 1U);
    uint half_13 = 1U << (shift_0 - 1U);
    bool _S32;
    if(rest_0 > half_13)
    {
        _S32 = true;
    }
    else
    {
        if(rest_0 == half_13)
        {
            _S32 = (q_0 & 1U) != 0U;
        }
        else
        {
            _S32 = false;
        }
    }
    uint q_1;
    if(_S32)
    {
        q_1 = q_0 + 1U;
    }
    else
    {
        q_1 = q_0;
    }
    return sign_0 | q_1;
}
void store_act_0(uint act_1, uchar device* row_0, uint i_4, float v_3)
{
    if(act_1 == 0U)
    {
        *((float device*)((ulong)(row_0)) + i_4) = v_3;
    }
    if(act_1 == 2U)
    {
        *((ushort device*)((ulong)(row_0)) + i_4) = ushort(f32_to_bf16_0(v_3));
    }
    if(act_1 == 3U)
    {
        ushort device* _S33 = (ushort device*)((ulong)(row_0)) + i_4;
        float _S34;
        if(isnan(v_3))
        {
            _S34 = v_3;
        }
        else
        {
            _S34 = clamp(v_3 * 0.03125, -65504.0, 65504.0);
        }
        *_S33 = ushort(f32_to_f16_0(_S34));
    }
    return;
}
void attend_0(uint3 group_0, uint t_2, uint pos_5, uint device* table_1, KernelContext_0 thread* kernelContext_5)
{
    uint k_1;
    bool _S35;
    float2 v_4;
    float2 two_2;
    uint head_1 = group_0.x;
    uint r_1 = group_0.y;
    uint _S36 = head_1 / (C_HEADS_0 / C_KV_HEADS_0);
    ulong _S37 = ulong(r_1);
    float device* _S38 = (float device*)((ulong)(kernelContext_5->args_0->qkv_0)) + (_S37 * ulong(C_HEADS_0 + 2U * C_KV_HEADS_0) + ulong(head_1)) * ulong(C_HEAD_DIM_0);
    uint e_5 = t_2;
    for(;;)
    {
        if(e_5 < C_HEAD_DIM_0)
        {
        }
        else
        {
            break;
        }
        (*kernelContext_5->query_0)[e_5] = *(_S38 + e_5);
        e_5 = e_5 + 64U;
    }
    bool seen_0;
    if(C_WINDOW_0 == 0U)
    {
        seen_0 = true;
    }
    else
    {
        seen_0 = (pos_5 + 1U) < C_WINDOW_0;
    }
    uint first_0;
    if(seen_0)
    {
        first_0 = 0U;
    }
    else
    {
        first_0 = pos_5 + 1U - C_WINDOW_0;
    }
    float _S39 = - infinity_0();
    thread array<float, int(8)> acc_0;
    acc_0[0U] = 0.0;
    acc_0[1U] = 0.0;
    acc_0[2U] = 0.0;
    acc_0[3U] = 0.0;
    acc_0[4U] = 0.0;
    acc_0[5U] = 0.0;
    acc_0[6U] = 0.0;
    acc_0[7U] = 0.0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint from_0 = first_0 / 64U * 64U;
    float most_0 = _S39;
    float sum_0 = 0.0;
    for(;;)
    {
        if(from_0 <= pos_5)
        {
        }
        else
        {
            break;
        }
        uint j_0 = from_0 + t_2;
        if(j_0 >= first_0)
        {
            seen_0 = j_0 <= pos_5;
        }
        else
        {
            seen_0 = false;
        }
        uint p_0;
        uint k_2;
        float score_1;
        float shrink_0;
        if(seen_0)
        {
            uchar device* _S40 = kernelContext_5->args_0->k_cache_0;
            ulong _S41 = kv_tile_0(C_K_TYPE_0, table_1, _S36, j_0);
            uchar device* _S42 = _S40 + _S41;
            if((C_HEAD_DIM_0 % 8U) == 0U)
            {
                e_5 = 0U;
                score_1 = 0.0;
                for(;;)
                {
                    if(e_5 < C_HEAD_DIM_0)
                    {
                    }
                    else
                    {
                        break;
                    }
                    thread array<float, int(32)> k_3;
                    p_0 = 0U;
                    for(;;)
                    {
                        if(p_0 < 4U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        thread array<float, int(8)> eight_0;
                        uint _S43 = p_0 * 8U;
                        uint _S44 = e_5 + _S43;
                        if(_S44 >= C_HEAD_DIM_0)
                        {
                            p_0 = p_0 + 1U;
                            continue;
                        }
                        kv_load8_0(C_K_TYPE_0, _S42, j_0, _S44, &eight_0);
                        k_3[_S43] = eight_0[0U];
                        k_3[_S43 + 1U] = eight_0[1U];
                        k_3[_S43 + 2U] = eight_0[2U];
                        k_3[_S43 + 3U] = eight_0[3U];
                        k_3[_S43 + 4U] = eight_0[4U];
                        k_3[_S43 + 5U] = eight_0[5U];
                        k_3[_S43 + 6U] = eight_0[6U];
                        k_3[_S43 + 7U] = eight_0[7U];
                        p_0 = p_0 + 1U;
                    }
                    k_2 = 0U;
                    shrink_0 = score_1;
                    for(;;)
                    {
                        if(k_2 < 32U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        uint _S45 = e_5 + k_2;
                        if(_S45 < C_HEAD_DIM_0)
                        {
                            shrink_0 = fma((*kernelContext_5->query_0)[_S45], k_3[k_2], shrink_0);
                        }
                        k_2 = k_2 + 1U;
                    }
                    e_5 = e_5 + 32U;
                    score_1 = shrink_0;
                }
            }
            else
            {
                e_5 = 0U;
                score_1 = 0.0;
                for(;;)
                {
                    if(e_5 < C_HEAD_DIM_0)
                    {
                    }
                    else
                    {
                        break;
                    }
                    float _S46 = (*kernelContext_5->query_0)[e_5];
                    float _S47 = kv_load_0(C_K_TYPE_0, _S42, j_0, e_5);
                    float _S48 = fma(_S46, _S47, score_1);
                    e_5 = e_5 + 1U;
                    score_1 = _S48;
                }
            }
            score_1 = capped_0(kernelContext_5->args_0->scale_0 * score_1);
        }
        else
        {
            score_1 = _S39;
        }
        float _S49 = group_max_0(t_2, score_1, kernelContext_5);
        float _S50 = max(most_0, _S49);
        if(most_0 == _S50)
        {
            shrink_0 = 1.0;
        }
        else
        {
            shrink_0 = exp_of_0(most_0 - _S50);
        }
        float weight_0;
        if(seen_0)
        {
            weight_0 = exp_of_0(score_1 - _S50);
        }
        else
        {
            weight_0 = 0.0;
        }
        float _S51 = sum_0 * shrink_0;
        float _S52 = group_sum_0(t_2, weight_0, kernelContext_5);
        float _S53 = _S51 + _S52;
        (*kernelContext_5->weights_0)[t_2] = weight_0;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uchar device* _S54 = kernelContext_5->args_0->v_cache_0;
        ulong _S55 = kv_tile_0(C_V_TYPE_0, table_1, _S36, from_0);
        uchar device* _S56 = _S54 + _S55;
        uint _S57 = max(first_0, from_0) - from_0;
        uint _S58 = min(pos_5 - from_0 + 1U, 64U);
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    uint e_6 = t_2 * 2U;
                    if(e_6 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float2 _S59 = float2(acc_0[0U], acc_0[1U]) * float2(shrink_0) ;
                    p_0 = _S57 / 8U * 8U;
                    v_4 = _S59;
                    for(;;)
                    {
                        if(p_0 < _S58)
                        {
                        }
                        else
                        {
                            break;
                        }
                        thread array<float, int(16)> of_0;
                        k_2 = 0U;
                        for(;;)
                        {
                            if(k_2 < 8U)
                            {
                            }
                            else
                            {
                                break;
                            }
                            float2 _S60 = float2(0.0, 0.0);
                            uint _S61 = p_0 + k_2;
                            if(_S61 >= _S57)
                            {
                                _S35 = _S61 < _S58;
                            }
                            else
                            {
                                _S35 = false;
                            }
                            if(_S35)
                            {
                                float2 _S62 = kv_load2_0(C_V_TYPE_0, _S56, from_0 + p_0 + k_2, e_6);
                                two_2 = _S62;
                            }
                            else
                            {
                                two_2 = _S60;
                            }
                            uint _S63 = 2U * k_2;
                            of_0[_S63] = two_2.x;
                            of_0[_S63 + 1U] = two_2.y;
                            k_2 = k_2 + 1U;
                        }
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
                            uint _S64 = 2U * k_1;
                            float2 _S65 = float2(fma((*kernelContext_5->weights_0)[p_0 + k_1], of_0[_S64], v_4.x), fma((*kernelContext_5->weights_0)[p_0 + k_1], of_0[_S64 + 1U], v_4.y));
                            k_1 = k_1 + 1U;
                            v_4 = _S65;
                        }
                        p_0 = p_0 + 8U;
                    }
                    acc_0[0U] = v_4.x;
                    acc_0[1U] = v_4.y;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint e_7 = (64U + t_2) * 2U;
                    if(e_7 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float2 _S66 = float2(acc_0[2U], acc_0[3U]) * float2(shrink_0) ;
                    p_0 = _S57 / 8U * 8U;
                    v_4 = _S66;
                    for(;;)
                    {
                        if(p_0 < _S58)
                        {
                        }
                        else
                        {
                            break;
                        }
                        thread array<float, int(16)> of_1;
                        k_2 = 0U;
                        for(;;)
                        {
                            if(k_2 < 8U)
                            {
                            }
                            else
                            {
                                break;
                            }
                            float2 _S67 = float2(0.0, 0.0);
                            uint _S68 = p_0 + k_2;
                            if(_S68 >= _S57)
                            {
                                _S35 = _S68 < _S58;
                            }
                            else
                            {
                                _S35 = false;
                            }
                            if(_S35)
                            {
                                float2 _S69 = kv_load2_0(C_V_TYPE_0, _S56, from_0 + p_0 + k_2, e_7);
                                two_2 = _S69;
                            }
                            else
                            {
                                two_2 = _S67;
                            }
                            uint _S70 = 2U * k_2;
                            of_1[_S70] = two_2.x;
                            of_1[_S70 + 1U] = two_2.y;
                            k_2 = k_2 + 1U;
                        }
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
                            uint _S71 = 2U * k_1;
                            float2 _S72 = float2(fma((*kernelContext_5->weights_0)[p_0 + k_1], of_1[_S71], v_4.x), fma((*kernelContext_5->weights_0)[p_0 + k_1], of_1[_S71 + 1U], v_4.y));
                            k_1 = k_1 + 1U;
                            v_4 = _S72;
                        }
                        p_0 = p_0 + 8U;
                    }
                    acc_0[2U] = v_4.x;
                    acc_0[3U] = v_4.y;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint e_8 = (128U + t_2) * 2U;
                    if(e_8 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float2 _S73 = float2(acc_0[4U], acc_0[5U]) * float2(shrink_0) ;
                    p_0 = _S57 / 8U * 8U;
                    v_4 = _S73;
                    for(;;)
                    {
                        if(p_0 < _S58)
                        {
                        }
                        else
                        {
                            break;
                        }
                        thread array<float, int(16)> of_2;
                        k_2 = 0U;
                        for(;;)
                        {
                            if(k_2 < 8U)
                            {
                            }
                            else
                            {
                                break;
                            }
                            float2 _S74 = float2(0.0, 0.0);
                            uint _S75 = p_0 + k_2;
                            if(_S75 >= _S57)
                            {
                                _S35 = _S75 < _S58;
                            }
                            else
                            {
                                _S35 = false;
                            }
                            if(_S35)
                            {
                                float2 _S76 = kv_load2_0(C_V_TYPE_0, _S56, from_0 + p_0 + k_2, e_8);
                                two_2 = _S76;
                            }
                            else
                            {
                                two_2 = _S74;
                            }
                            uint _S77 = 2U * k_2;
                            of_2[_S77] = two_2.x;
                            of_2[_S77 + 1U] = two_2.y;
                            k_2 = k_2 + 1U;
                        }
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
                            uint _S78 = 2U * k_1;
                            float2 _S79 = float2(fma((*kernelContext_5->weights_0)[p_0 + k_1], of_2[_S78], v_4.x), fma((*kernelContext_5->weights_0)[p_0 + k_1], of_2[_S78 + 1U], v_4.y));
                            k_1 = k_1 + 1U;
                            v_4 = _S79;
                        }
                        p_0 = p_0 + 8U;
                    }
                    acc_0[4U] = v_4.x;
                    acc_0[5U] = v_4.y;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint e_9 = (192U + t_2) * 2U;
                    if(e_9 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float2 _S80 = float2(acc_0[6U], acc_0[7U]) * float2(shrink_0) ;
                    p_0 = _S57 / 8U * 8U;
                    v_4 = _S80;
                    for(;;)
                    {
                        if(p_0 < _S58)
                        {
                        }
                        else
                        {
                            break;
                        }
                        thread array<float, int(16)> of_3;
                        k_2 = 0U;
                        for(;;)
                        {
                            if(k_2 < 8U)
                            {
                            }
                            else
                            {
                                break;
                            }
                            float2 _S81 = float2(0.0, 0.0);
                            uint _S82 = p_0 + k_2;
                            if(_S82 >= _S57)
                            {
                                _S35 = _S82 < _S58;
                            }
                            else
                            {
                                _S35 = false;
                            }
                            if(_S35)
                            {
                                float2 _S83 = kv_load2_0(C_V_TYPE_0, _S56, from_0 + p_0 + k_2, e_9);
                                two_2 = _S83;
                            }
                            else
                            {
                                two_2 = _S81;
                            }
                            uint _S84 = 2U * k_2;
                            of_3[_S84] = two_2.x;
                            of_3[_S84 + 1U] = two_2.y;
                            k_2 = k_2 + 1U;
                        }
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
                            uint _S85 = 2U * k_1;
                            float2 _S86 = float2(fma((*kernelContext_5->weights_0)[p_0 + k_1], of_3[_S85], v_4.x), fma((*kernelContext_5->weights_0)[p_0 + k_1], of_3[_S85 + 1U], v_4.y));
                            k_1 = k_1 + 1U;
                            v_4 = _S86;
                        }
                        p_0 = p_0 + 8U;
                    }
                    acc_0[6U] = v_4.x;
                    acc_0[7U] = v_4.y;
                    break;
                }
                break;
            }
            break;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        from_0 = from_0 + 64U;
        most_0 = _S50;
        sum_0 = _S53;
    }
    uchar device* _S87 = kernelContext_5->args_0->out_0 + _S37 * act_row_bytes_0(C_ACT_0, C_HEADS_0 * C_HEAD_DIM_0);
    uint _S88 = t_2 * 2U;
    if(_S88 < C_HEAD_DIM_0)
    {
        store_act_0(C_ACT_0, _S87, head_1 * C_HEAD_DIM_0 + _S88, acc_0[0U] / sum_0);
    }
    uint e_10 = _S88 + 1U;
    if(e_10 < C_HEAD_DIM_0)
    {
        store_act_0(C_ACT_0, _S87, head_1 * C_HEAD_DIM_0 + e_10, acc_0[1U] / sum_0);
    }
    uint _S89 = (64U + t_2) * 2U;
    if(_S89 < C_HEAD_DIM_0)
    {
        store_act_0(C_ACT_0, _S87, head_1 * C_HEAD_DIM_0 + _S89, acc_0[2U] / sum_0);
    }
    uint e_11 = _S89 + 1U;
    if(e_11 < C_HEAD_DIM_0)
    {
        store_act_0(C_ACT_0, _S87, head_1 * C_HEAD_DIM_0 + e_11, acc_0[3U] / sum_0);
    }
    uint _S90 = (128U + t_2) * 2U;
    if(_S90 < C_HEAD_DIM_0)
    {
        store_act_0(C_ACT_0, _S87, head_1 * C_HEAD_DIM_0 + _S90, acc_0[4U] / sum_0);
    }
    uint e_12 = _S90 + 1U;
    if(e_12 < C_HEAD_DIM_0)
    {
        store_act_0(C_ACT_0, _S87, head_1 * C_HEAD_DIM_0 + e_12, acc_0[5U] / sum_0);
    }
    uint _S91 = (192U + t_2) * 2U;
    if(_S91 < C_HEAD_DIM_0)
    {
        store_act_0(C_ACT_0, _S87, head_1 * C_HEAD_DIM_0 + _S91, acc_0[6U] / sum_0);
    }
    uint e_13 = _S91 + 1U;
    if(e_13 < C_HEAD_DIM_0)
    {
        store_act_0(C_ACT_0, _S87, head_1 * C_HEAD_DIM_0 + e_13, acc_0[7U] / sum_0);
    }
    return;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_1 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_6;
    (&kernelContext_6)->args_0 = args_1;
    threadgroup array<float, int(512)> query_1;
    (&kernelContext_6)->query_0 = &query_1;
    threadgroup array<float, int(64)> sums_1;
    (&kernelContext_6)->sums_0 = &sums_1;
    threadgroup array<float, int(64)> weights_1;
    (&kernelContext_6)->weights_0 = &weights_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S92 = stopped_0(&kernelContext_6);
    bool _S93;
    if(_S92)
    {
        _S93 = true;
    }
    else
    {
        _S93 = (group_1.y) >= ((&kernelContext_6)->args_0->step_0->rows_0);
    }
    if(_S93)
    {
        return;
    }
    Row_0 device* _S94 = step_rows_0(&kernelContext_6);
    Row_0 at_0 = *(_S94 + group_1.y);
    attend_0(group_1, sv_groupindex_0, at_0.pos_0, (uint device*)((ulong)((&kernelContext_6)->args_0->block_table_0)) + ulong(at_0.seq_0) * ulong(C_BLOCKS_0), &kernelContext_6);
    return;
}
