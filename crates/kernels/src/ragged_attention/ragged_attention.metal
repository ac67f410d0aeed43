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
    array<float, int(256)> threadgroup* sums_0;
    array<float, int(16)> threadgroup* columns_0;
    array<float, int(256)> threadgroup* weights_0;
    array<float, int(1536)> threadgroup* others_0;
    array<uint, int(256)> threadgroup* block_mosts_0;
    array<int, int(256)> threadgroup* block_sums_0;
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
    float s_0;
    uint i_3;
    if(t_0 < 16U)
    {
        s_0 = (*kernelContext_3->sums_0)[t_0];
        i_3 = 1U;
        for(;;)
        {
            if(i_3 < 16U)
            {
            }
            else
            {
                break;
            }
            float _S24 = max(s_0, (*kernelContext_3->sums_0)[i_3 * 16U + t_0]);
            uint _S25 = i_3 + 1U;
            s_0 = _S24;
            i_3 = _S25;
        }
        (*kernelContext_3->columns_0)[t_0] = s_0;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    s_0 = (*kernelContext_3->columns_0)[int(0)];
    i_3 = 1U;
    for(;;)
    {
        if(i_3 < 16U)
        {
        }
        else
        {
            break;
        }
        float _S26 = max(s_0, (*kernelContext_3->columns_0)[i_3]);
        uint _S27 = i_3 + 1U;
        s_0 = _S26;
        i_3 = _S27;
    }
    return s_0;
}
constant uint fc_C_V_TYPE_0 [[function_constant(4)]];
constant uint C_V_TYPE_0 = is_function_constant_defined(fc_C_V_TYPE_0) ? fc_C_V_TYPE_0 : 1U;
float2 kv_load2_0(uint type_5, uchar device* tile_2, uint pos_4, uint e_3)
{
    if((C_HEAD_DIM_0 % 8U) != 0U)
    {
        float _S28 = kv_load_0(type_5, tile_2, pos_4, e_3);
        uint _S29 = e_3 + 1U;
        float _S30;
        if(_S29 < C_HEAD_DIM_0)
        {
            float _S31 = kv_load_0(type_5, tile_2, pos_4, _S29);
            _S30 = _S31;
        }
        else
        {
            _S30 = 0.0;
        }
        return float2(_S28, _S30);
    }
    uint _S32 = pos_4 % 256U;
    uint i_4 = _S32 * C_HEAD_DIM_0 + e_3;
    if(type_5 == 1U)
    {
        return float2(*(packed_float2 device*)((ulong)(tile_2 + i_4 * 4U))) ;
    }
    if(type_5 == 3U)
    {
        uint two_0 = uint(*(ushort device*)((ulong)(tile_2 + i_4)));
        return float2(float(int(two_0 << 24U) >> 24U), float(int(two_0 << 16U) >> 24U)) * float2(f16_to_f32_0(uint(*((ushort device*)((ulong)(tile_2 + 256U * C_HEAD_DIM_0)) + (_S32 * (C_HEAD_DIM_0 / 32U) + e_3 / 32U))))) ;
    }
    uint two_1 = *(uint device*)((ulong)(tile_2 + i_4 * 2U));
    float2 _S33;
    if(type_5 == 0U)
    {
        _S33 = float2(f16_to_f32_0(two_1), f16_to_f32_0(two_1 >> 16U));
    }
    else
    {
        _S33 = float2(bf16_to_f32_0(two_1 & 65535U), bf16_to_f32_0(two_1 >> 16U));
    }
    return _S33;
}
float group_sum_0(uint t_1, float v_2, KernelContext_0 thread* kernelContext_4)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_4->sums_0)[t_1] = v_2;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint i_5;
    float s_1;
    if(t_1 < 16U)
    {
        float _S34 = (*kernelContext_4->sums_0)[t_1];
        i_5 = 1U;
        s_1 = _S34;
        for(;;)
        {
            if(i_5 < 16U)
            {
            }
            else
            {
                break;
            }
            float s_2 = s_1 + (*kernelContext_4->sums_0)[i_5 * 16U + t_1];
            i_5 = i_5 + 1U;
            s_1 = s_2;
        }
        (*kernelContext_4->columns_0)[t_1] = s_1;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float _S35 = (*kernelContext_4->columns_0)[int(0)];
    i_5 = 1U;
    s_1 = _S35;
    for(;;)
    {
        if(i_5 < 16U)
        {
        }
        else
        {
            break;
        }
        float s_3 = s_1 + (*kernelContext_4->columns_0)[i_5];
        i_5 = i_5 + 1U;
        s_1 = s_3;
    }
    return s_1;
}
ulong act_bytes_0(uint act_0, uint n_2)
{
    uint _S36;
    if(act_0 == 0U)
    {
        _S36 = 4U * n_2;
    }
    else
    {
        if(act_0 == 6U)
        {
            _S36 = n_2 / 32U * 80U;
        }
        else
        {
            _S36 = 2U * n_2;
        }
    }
    return ulong(_S36);
}
ulong act_row_bytes_0(uint act_1, uint k_0)
{
    return (((act_bytes_0(act_1, k_0) + 63UL) / 64UL) | 1UL) * 64UL;
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
    bool _S37 = e_4 < 113U;
    uint shift_0;
    if(_S37)
    {
        shift_0 = 126U - e_4;
    }
    else
    {
        shift_0 = 13U;
    }
    uint m_0;
    if(_S37)
    {
        m_0 = (a_1 & 8388607U) | 8388608U;
    }
    else
    {
        m_0 = a_1 - 939524096U;
    }
    uint q_0 = m_0 >> shift_0;
    uint rest_0 = m_0 & ((1U << shift_0) - 1U);
    uint half_11 = 1U << (shift_0 - 1U);
    bool _S38;
    if(rest_0 > half_11)
    {
        _S38 = true;
    }
    else
    {
        if(rest_0 == half_11)
        {
            _S38 = (q_0 & 1U) != 0U;
        }
        else
        {
            _S38 = false;
        }
    }
    uint q_1;
    if(_S38)
    {
        q_1 = q_0 + 1U;
    }
    else
    {
        q_1 = q_0;
    }
    return sign_0 | q_1;
}
void store_act_0(uint act_2, uchar device* row_0, uint i_6, float v_3)
{
    if(act_2 == 0U)
    {
        *((float device*)((ulong)(row_0)) + i_6) = v_3;
    }
    if(act_2 == 2U)
    {
        *((ushort device*)((ulong)(row_0)) + i_6) = ushort(f32_to_bf16_0(v_3));
    }
    if(act_2 == 3U)
    {
        ushort device* _S39 = (ushort device*)((ulong)(row_0)) + i_6;
        float _S40;
        if(isnan(v_3))
        {
            _S40 = v_3;
        }
        else
        {
            _S40 = clamp(v_3 * 0.03125, -65504.0, 65504.0);
        }
        *_S39 = ushort(f32_to_f16_0(_S40));
    }
    return;
}
void store_four_0(uint act_3, uchar device* row_1, uint t_2, uint i_7, uint width_0, float4 v_4, KernelContext_0 thread* kernelContext_5)
{
    uint n_3;
    if(i_7 < width_0)
    {
        n_3 = min(4U, width_0 - i_7);
    }
    else
    {
        n_3 = 0U;
    }
    uint e_5;
    if(act_3 != 6U)
    {
        e_5 = 0U;
        for(;;)
        {
            if(e_5 < n_3)
            {
            }
            else
            {
                break;
            }
            store_act_0(act_3, row_1, i_7 + e_5, v_4[e_5]);
            e_5 = e_5 + 1U;
        }
        return;
    }
    float _S41 = v_4.x;
    float _S42 = v_4.y;
    float _S43 = v_4.z;
    float _S44 = v_4.w;
    uint _S45 = max(max((as_type<uint>((_S41))) & 2147483647U, (as_type<uint>((_S42))) & 2147483647U), max((as_type<uint>((_S43))) & 2147483647U, (as_type<uint>((_S44))) & 2147483647U));
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_5->block_mosts_0)[t_2] = _S45;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint first_0 = t_2 / 8U * 8U;
    e_5 = _S45;
    uint k_1 = 0U;
    for(;;)
    {
        if(k_1 < 8U)
        {
        }
        else
        {
            break;
        }
        uint _S46 = max(e_5, (*kernelContext_5->block_mosts_0)[first_0 + k_1]);
        uint _S47 = k_1 + 1U;
        e_5 = _S46;
        k_1 = _S47;
    }
    float largest_0 = (as_type<float>((e_5)));
    bool tiny_0 = largest_0 <= 1.00000000317107685e-30;
    float scale_1;
    if(tiny_0)
    {
        scale_1 = 0.0;
    }
    else
    {
        scale_1 = largest_0 / 32512.0;
    }
    float inverse_0;
    if(tiny_0)
    {
        inverse_0 = 0.0;
    }
    else
    {
        inverse_0 = 32512.0 / largest_0;
    }
    int _S48 = (as_type<int>((1.2582912e+07)));
    int a_2 = (as_type<int>((_S41 * inverse_0 + 1.2582912e+07))) - _S48;
    int b_0 = (as_type<int>((_S42 * inverse_0 + 1.2582912e+07))) - _S48;
    int c_0 = (as_type<int>((_S43 * inverse_0 + 1.2582912e+07))) - _S48;
    int d_0 = (as_type<int>((_S44 * inverse_0 + 1.2582912e+07))) - _S48;
    uint low_0 = (((uint(a_2) & 255U) | ((uint(b_0) & 255U) << 8U)) | ((uint(c_0) & 255U) << 16U)) | (uint(d_0) << 24U);
    uint high_1 = ((((uint(a_2 + int(128)) >> 8U) & 255U) | (((uint(b_0 + int(128)) >> 8U) & 255U) << 8U)) | (((uint(c_0 + int(128)) >> 8U) & 255U) << 16U)) | ((uint(d_0 + int(128)) >> 8U) << 24U);
    (*kernelContext_5->block_sums_0)[t_2] = a_2 + b_0 + (c_0 + d_0);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if(n_3 == 0U)
    {
        return;
    }
    uchar device* block_0 = row_1 + i_7 / 32U * 80U;
    uint _S49 = i_7 % 32U;
    *(uint device*)((ulong)(block_0 + _S49)) = high_1;
    *(uint device*)((ulong)(block_0 + int(32) + _S49)) = low_0;
    if(t_2 != first_0)
    {
        return;
    }
    int left_0 = (*kernelContext_5->block_sums_0)[t_2] + (*kernelContext_5->block_sums_0)[t_2 + 1U] + (*kernelContext_5->block_sums_0)[t_2 + 2U] + (*kernelContext_5->block_sums_0)[t_2 + 3U];
    int right_0 = (*kernelContext_5->block_sums_0)[t_2 + 4U] + (*kernelContext_5->block_sums_0)[t_2 + 5U] + (*kernelContext_5->block_sums_0)[t_2 + 6U] + (*kernelContext_5->block_sums_0)[t_2 + 7U];
    *(float device*)((ulong)(block_0 + int(64))) = scale_1;
    *(int device*)((ulong)(block_0 + int(68))) = left_0;
    *(int device*)((ulong)(block_0 + int(72))) = right_0;
    *(float device*)((ulong)(block_0 + int(76))) = scale_1 * float(left_0 + right_0);
    return;
}
void attend_0(uint3 group_0, uint t_3, uint pos_5, uint device* table_1, KernelContext_0 thread* kernelContext_6)
{
    uint p_0;
    uint _S50;
    uint _S51;
    uint _S52;
    uint _S53;
    uint _S54;
    uint _S55;
    uint _S56;
    bool _S57;
    bool _S58;
    bool _S59;
    bool _S60;
    bool _S61;
    bool _S62;
    bool _S63;
    bool _S64;
    bool _S65;
    bool _S66;
    bool _S67;
    bool _S68;
    bool _S69;
    bool _S70;
    bool _S71;
    bool _S72;
    float2 v_5;
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
    uint head_1 = group_0.x;
    uint r_1 = group_0.y;
    uint _S73 = head_1 / (C_HEADS_0 / C_KV_HEADS_0);
    ulong _S74 = ulong(r_1);
    float device* _S75 = (float device*)((ulong)(kernelContext_6->args_0->qkv_0)) + (_S74 * ulong(C_HEADS_0 + 2U * C_KV_HEADS_0) + ulong(head_1)) * ulong(C_HEAD_DIM_0);
    uint e_6 = t_3;
    for(;;)
    {
        if(e_6 < C_HEAD_DIM_0)
        {
        }
        else
        {
            break;
        }
        (*kernelContext_6->query_0)[e_6] = *(_S75 + e_6);
        e_6 = e_6 + 256U;
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
    uint first_1;
    if(seen_0)
    {
        first_1 = 0U;
    }
    else
    {
        first_1 = pos_5 + 1U - C_WINDOW_0;
    }
    uint _S76 = t_3 / 64U;
    uint _S77 = t_3 % 64U;
    float _S78 = - infinity_0();
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
    uint from_0 = first_1 / 256U * 256U;
    float most_0 = _S78;
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
        uint j_0 = from_0 + t_3;
        if(j_0 >= first_1)
        {
            seen_0 = j_0 <= pos_5;
        }
        else
        {
            seen_0 = false;
        }
        float score_1;
        float shrink_0;
        float weight_0;
        if(seen_0)
        {
            uchar device* _S79 = kernelContext_6->args_0->k_cache_0;
            ulong _S80 = kv_tile_0(C_K_TYPE_0, table_1, _S73, j_0);
            uchar device* _S81 = _S79 + _S80;
            if((C_HEAD_DIM_0 % 8U) == 0U)
            {
                e_6 = 0U;
                score_1 = 0.0;
                for(;;)
                {
                    bool _S82 = e_6 < C_HEAD_DIM_0;
                    if(_S82)
                    {
                    }
                    else
                    {
                        break;
                    }
                    thread array<float, int(64)> k_2;
                    for(;;)
                    {
                        for(;;)
                        {
                            for(;;)
                            {
                                thread array<float, int(8)> eight_0;
                                if(e_6 >= C_HEAD_DIM_0)
                                {
                                    break;
                                }
                                kv_load8_0(C_K_TYPE_0, _S81, j_0, e_6, &eight_0);
                                k_2[0U] = eight_0[0U];
                                k_2[1U] = eight_0[1U];
                                k_2[2U] = eight_0[2U];
                                k_2[3U] = eight_0[3U];
                                k_2[4U] = eight_0[4U];
                                k_2[5U] = eight_0[5U];
                                k_2[6U] = eight_0[6U];
                                k_2[7U] = eight_0[7U];
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                thread array<float, int(8)> eight_1;
                                uint _S83 = e_6 + 8U;
                                _S50 = _S83;
                                if(_S83 >= C_HEAD_DIM_0)
                                {
                                    break;
                                }
                                kv_load8_0(C_K_TYPE_0, _S81, j_0, _S83, &eight_1);
                                k_2[8U] = eight_1[0U];
                                k_2[9U] = eight_1[1U];
                                k_2[10U] = eight_1[2U];
                                k_2[11U] = eight_1[3U];
                                k_2[12U] = eight_1[4U];
                                k_2[13U] = eight_1[5U];
                                k_2[14U] = eight_1[6U];
                                k_2[15U] = eight_1[7U];
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                thread array<float, int(8)> eight_2;
                                uint _S84 = e_6 + 16U;
                                _S51 = _S84;
                                if(_S84 >= C_HEAD_DIM_0)
                                {
                                    break;
                                }
                                kv_load8_0(C_K_TYPE_0, _S81, j_0, _S84, &eight_2);
                                k_2[16U] = eight_2[0U];
                                k_2[17U] = eight_2[1U];
                                k_2[18U] = eight_2[2U];
                                k_2[19U] = eight_2[3U];
                                k_2[20U] = eight_2[4U];
                                k_2[21U] = eight_2[5U];
                                k_2[22U] = eight_2[6U];
                                k_2[23U] = eight_2[7U];
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                thread array<float, int(8)> eight_3;
                                uint _S85 = e_6 + 24U;
                                _S52 = _S85;
                                if(_S85 >= C_HEAD_DIM_0)
                                {
                                    break;
                                }
                                kv_load8_0(C_K_TYPE_0, _S81, j_0, _S85, &eight_3);
                                k_2[24U] = eight_3[0U];
                                k_2[25U] = eight_3[1U];
                                k_2[26U] = eight_3[2U];
                                k_2[27U] = eight_3[3U];
                                k_2[28U] = eight_3[4U];
                                k_2[29U] = eight_3[5U];
                                k_2[30U] = eight_3[6U];
                                k_2[31U] = eight_3[7U];
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                thread array<float, int(8)> eight_4;
                                uint _S86 = e_6 + 32U;
                                _S53 = _S86;
                                if(_S86 >= C_HEAD_DIM_0)
                                {
                                    break;
                                }
                                kv_load8_0(C_K_TYPE_0, _S81, j_0, _S86, &eight_4);
                                k_2[32U] = eight_4[0U];
                                k_2[33U] = eight_4[1U];
                                k_2[34U] = eight_4[2U];
                                k_2[35U] = eight_4[3U];
                                k_2[36U] = eight_4[4U];
                                k_2[37U] = eight_4[5U];
                                k_2[38U] = eight_4[6U];
                                k_2[39U] = eight_4[7U];
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                thread array<float, int(8)> eight_5;
                                uint _S87 = e_6 + 40U;
                                _S54 = _S87;
                                if(_S87 >= C_HEAD_DIM_0)
                                {
                                    break;
                                }
                                kv_load8_0(C_K_TYPE_0, _S81, j_0, _S87, &eight_5);
                                k_2[40U] = eight_5[0U];
                                k_2[41U] = eight_5[1U];
                                k_2[42U] = eight_5[2U];
                                k_2[43U] = eight_5[3U];
                                k_2[44U] = eight_5[4U];
                                k_2[45U] = eight_5[5U];
                                k_2[46U] = eight_5[6U];
                                k_2[47U] = eight_5[7U];
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                thread array<float, int(8)> eight_6;
                                uint _S88 = e_6 + 48U;
                                _S55 = _S88;
                                if(_S88 >= C_HEAD_DIM_0)
                                {
                                    break;
                                }
                                kv_load8_0(C_K_TYPE_0, _S81, j_0, _S88, &eight_6);
                                k_2[48U] = eight_6[0U];
                                k_2[49U] = eight_6[1U];
                                k_2[50U] = eight_6[2U];
                                k_2[51U] = eight_6[3U];
                                k_2[52U] = eight_6[4U];
                                k_2[53U] = eight_6[5U];
                                k_2[54U] = eight_6[6U];
                                k_2[55U] = eight_6[7U];
                                break;
                            }
                            break;
                        }
                        for(;;)
                        {
                            for(;;)
                            {
                                thread array<float, int(8)> eight_7;
                                uint _S89 = e_6 + 56U;
                                _S56 = _S89;
                                if(_S89 >= C_HEAD_DIM_0)
                                {
                                    break;
                                }
                                kv_load8_0(C_K_TYPE_0, _S81, j_0, _S89, &eight_7);
                                k_2[56U] = eight_7[0U];
                                k_2[57U] = eight_7[1U];
                                k_2[58U] = eight_7[2U];
                                k_2[59U] = eight_7[3U];
                                k_2[60U] = eight_7[4U];
                                k_2[61U] = eight_7[5U];
                                k_2[62U] = eight_7[6U];
                                k_2[63U] = eight_7[7U];
                                break;
                            }
                            break;
                        }
                        break;
                    }
                    if(_S82)
                    {
                        shrink_0 = fma((*kernelContext_6->query_0)[e_6], k_2[0U], score_1);
                    }
                    else
                    {
                        shrink_0 = score_1;
                    }
                    uint _S90 = e_6 + 1U;
                    if(_S90 < C_HEAD_DIM_0)
                    {
                        weight_0 = fma((*kernelContext_6->query_0)[_S90], k_2[1U], shrink_0);
                    }
                    else
                    {
                        weight_0 = shrink_0;
                    }
                    uint _S91 = e_6 + 2U;
                    float dot_0;
                    if(_S91 < C_HEAD_DIM_0)
                    {
                        dot_0 = fma((*kernelContext_6->query_0)[_S91], k_2[2U], weight_0);
                    }
                    else
                    {
                        dot_0 = weight_0;
                    }
                    uint _S92 = e_6 + 3U;
                    float dot_1;
                    if(_S92 < C_HEAD_DIM_0)
                    {
                        dot_1 = fma((*kernelContext_6->query_0)[_S92], k_2[3U], dot_0);
                    }
                    else
                    {
                        dot_1 = dot_0;
                    }
                    uint _S93 = e_6 + 4U;
                    float dot_2;
                    if(_S93 < C_HEAD_DIM_0)
                    {
                        dot_2 = fma((*kernelContext_6->query_0)[_S93], k_2[4U], dot_1);
                    }
                    else
                    {
                        dot_2 = dot_1;
                    }
                    uint _S94 = e_6 + 5U;
                    float dot_3;
                    if(_S94 < C_HEAD_DIM_0)
                    {
                        dot_3 = fma((*kernelContext_6->query_0)[_S94], k_2[5U], dot_2);
                    }
                    else
                    {
                        dot_3 = dot_2;
                    }
                    uint _S95 = e_6 + 6U;
                    float dot_4;
                    if(_S95 < C_HEAD_DIM_0)
                    {
                        dot_4 = fma((*kernelContext_6->query_0)[_S95], k_2[6U], dot_3);
                    }
                    else
                    {
                        dot_4 = dot_3;
                    }
                    uint _S96 = e_6 + 7U;
                    float dot_5;
                    if(_S96 < C_HEAD_DIM_0)
                    {
                        dot_5 = fma((*kernelContext_6->query_0)[_S96], k_2[7U], dot_4);
                    }
                    else
                    {
                        dot_5 = dot_4;
                    }
                    float dot_6;
                    if(_S50 < C_HEAD_DIM_0)
                    {
                        dot_6 = fma((*kernelContext_6->query_0)[_S50], k_2[8U], dot_5);
                    }
                    else
                    {
                        dot_6 = dot_5;
                    }
                    uint _S97 = e_6 + 9U;
                    float dot_7;
                    if(_S97 < C_HEAD_DIM_0)
                    {
                        dot_7 = fma((*kernelContext_6->query_0)[_S97], k_2[9U], dot_6);
                    }
                    else
                    {
                        dot_7 = dot_6;
                    }
                    uint _S98 = e_6 + 10U;
                    float dot_8;
                    if(_S98 < C_HEAD_DIM_0)
                    {
                        dot_8 = fma((*kernelContext_6->query_0)[_S98], k_2[10U], dot_7);
                    }
                    else
                    {
                        dot_8 = dot_7;
                    }
                    uint _S99 = e_6 + 11U;
                    float dot_9;
                    if(_S99 < C_HEAD_DIM_0)
                    {
                        dot_9 = fma((*kernelContext_6->query_0)[_S99], k_2[11U], dot_8);
                    }
                    else
                    {
                        dot_9 = dot_8;
                    }
                    uint _S100 = e_6 + 12U;
                    float dot_10;
                    if(_S100 < C_HEAD_DIM_0)
                    {
                        dot_10 = fma((*kernelContext_6->query_0)[_S100], k_2[12U], dot_9);
                    }
                    else
                    {
                        dot_10 = dot_9;
                    }
                    uint _S101 = e_6 + 13U;
                    float dot_11;
                    if(_S101 < C_HEAD_DIM_0)
                    {
                        dot_11 = fma((*kernelContext_6->query_0)[_S101], k_2[13U], dot_10);
                    }
                    else
                    {
                        dot_11 = dot_10;
                    }
                    uint _S102 = e_6 + 14U;
                    float dot_12;
                    if(_S102 < C_HEAD_DIM_0)
                    {
                        dot_12 = fma((*kernelContext_6->query_0)[_S102], k_2[14U], dot_11);
                    }
                    else
                    {
                        dot_12 = dot_11;
                    }
                    uint _S103 = e_6 + 15U;
                    float dot_13;
                    if(_S103 < C_HEAD_DIM_0)
                    {
                        dot_13 = fma((*kernelContext_6->query_0)[_S103], k_2[15U], dot_12);
                    }
                    else
                    {
                        dot_13 = dot_12;
                    }
                    float dot_14;
                    if(_S51 < C_HEAD_DIM_0)
                    {
                        dot_14 = fma((*kernelContext_6->query_0)[_S51], k_2[16U], dot_13);
                    }
                    else
                    {
                        dot_14 = dot_13;
                    }
                    uint _S104 = e_6 + 17U;
                    float dot_15;
                    if(_S104 < C_HEAD_DIM_0)
                    {
                        dot_15 = fma((*kernelContext_6->query_0)[_S104], k_2[17U], dot_14);
                    }
                    else
                    {
                        dot_15 = dot_14;
                    }
                    uint _S105 = e_6 + 18U;
                    float dot_16;
                    if(_S105 < C_HEAD_DIM_0)
                    {
                        dot_16 = fma((*kernelContext_6->query_0)[_S105], k_2[18U], dot_15);
                    }
                    else
                    {
                        dot_16 = dot_15;
                    }
                    uint _S106 = e_6 + 19U;
                    float dot_17;
                    if(_S106 < C_HEAD_DIM_0)
                    {
                        dot_17 = fma((*kernelContext_6->query_0)[_S106], k_2[19U], dot_16);
                    }
                    else
                    {
                        dot_17 = dot_16;
                    }
                    uint _S107 = e_6 + 20U;
                    float dot_18;
                    if(_S107 < C_HEAD_DIM_0)
                    {
                        dot_18 = fma((*kernelContext_6->query_0)[_S107], k_2[20U], dot_17);
                    }
                    else
                    {
                        dot_18 = dot_17;
                    }
                    uint _S108 = e_6 + 21U;
                    float dot_19;
                    if(_S108 < C_HEAD_DIM_0)
                    {
                        dot_19 = fma((*kernelContext_6->query_0)[_S108], k_2[21U], dot_18);
                    }
                    else
                    {
                        dot_19 = dot_18;
                    }
                    uint _S109 = e_6 + 22U;
                    float dot_20;
                    if(_S109 < C_HEAD_DIM_0)
                    {
                        dot_20 = fma((*kernelContext_6->query_0)[_S109], k_2[22U], dot_19);
                    }
                    else
                    {
                        dot_20 = dot_19;
                    }
                    uint _S110 = e_6 + 23U;
                    float dot_21;
                    if(_S110 < C_HEAD_DIM_0)
                    {
                        dot_21 = fma((*kernelContext_6->query_0)[_S110], k_2[23U], dot_20);
                    }
                    else
                    {
                        dot_21 = dot_20;
                    }
                    float dot_22;
                    if(_S52 < C_HEAD_DIM_0)
                    {
                        dot_22 = fma((*kernelContext_6->query_0)[_S52], k_2[24U], dot_21);
                    }
                    else
                    {
                        dot_22 = dot_21;
                    }
                    uint _S111 = e_6 + 25U;
                    float dot_23;
                    if(_S111 < C_HEAD_DIM_0)
                    {
                        dot_23 = fma((*kernelContext_6->query_0)[_S111], k_2[25U], dot_22);
                    }
                    else
                    {
                        dot_23 = dot_22;
                    }
                    uint _S112 = e_6 + 26U;
                    float dot_24;
                    if(_S112 < C_HEAD_DIM_0)
                    {
                        dot_24 = fma((*kernelContext_6->query_0)[_S112], k_2[26U], dot_23);
                    }
                    else
                    {
                        dot_24 = dot_23;
                    }
                    uint _S113 = e_6 + 27U;
                    float dot_25;
                    if(_S113 < C_HEAD_DIM_0)
                    {
                        dot_25 = fma((*kernelContext_6->query_0)[_S113], k_2[27U], dot_24);
                    }
                    else
                    {
                        dot_25 = dot_24;
                    }
                    uint _S114 = e_6 + 28U;
                    float dot_26;
                    if(_S114 < C_HEAD_DIM_0)
                    {
                        dot_26 = fma((*kernelContext_6->query_0)[_S114], k_2[28U], dot_25);
                    }
                    else
                    {
                        dot_26 = dot_25;
                    }
                    uint _S115 = e_6 + 29U;
                    float dot_27;
                    if(_S115 < C_HEAD_DIM_0)
                    {
                        dot_27 = fma((*kernelContext_6->query_0)[_S115], k_2[29U], dot_26);
                    }
                    else
                    {
                        dot_27 = dot_26;
                    }
                    uint _S116 = e_6 + 30U;
                    float dot_28;
                    if(_S116 < C_HEAD_DIM_0)
                    {
                        dot_28 = fma((*kernelContext_6->query_0)[_S116], k_2[30U], dot_27);
                    }
                    else
                    {
                        dot_28 = dot_27;
                    }
                    uint _S117 = e_6 + 31U;
                    float dot_29;
                    if(_S117 < C_HEAD_DIM_0)
                    {
                        dot_29 = fma((*kernelContext_6->query_0)[_S117], k_2[31U], dot_28);
                    }
                    else
                    {
                        dot_29 = dot_28;
                    }
                    float dot_30;
                    if(_S53 < C_HEAD_DIM_0)
                    {
                        dot_30 = fma((*kernelContext_6->query_0)[_S53], k_2[32U], dot_29);
                    }
                    else
                    {
                        dot_30 = dot_29;
                    }
                    uint _S118 = e_6 + 33U;
                    float dot_31;
                    if(_S118 < C_HEAD_DIM_0)
                    {
                        dot_31 = fma((*kernelContext_6->query_0)[_S118], k_2[33U], dot_30);
                    }
                    else
                    {
                        dot_31 = dot_30;
                    }
                    uint _S119 = e_6 + 34U;
                    float dot_32;
                    if(_S119 < C_HEAD_DIM_0)
                    {
                        dot_32 = fma((*kernelContext_6->query_0)[_S119], k_2[34U], dot_31);
                    }
                    else
                    {
                        dot_32 = dot_31;
                    }
                    uint _S120 = e_6 + 35U;
                    float dot_33;
                    if(_S120 < C_HEAD_DIM_0)
                    {
                        dot_33 = fma((*kernelContext_6->query_0)[_S120], k_2[35U], dot_32);
                    }
                    else
                    {
                        dot_33 = dot_32;
                    }
                    uint _S121 = e_6 + 36U;
                    float dot_34;
                    if(_S121 < C_HEAD_DIM_0)
                    {
                        dot_34 = fma((*kernelContext_6->query_0)[_S121], k_2[36U], dot_33);
                    }
                    else
                    {
                        dot_34 = dot_33;
                    }
                    uint _S122 = e_6 + 37U;
                    float dot_35;
                    if(_S122 < C_HEAD_DIM_0)
                    {
                        dot_35 = fma((*kernelContext_6->query_0)[_S122], k_2[37U], dot_34);
                    }
                    else
                    {
                        dot_35 = dot_34;
                    }
                    uint _S123 = e_6 + 38U;
                    float dot_36;
                    if(_S123 < C_HEAD_DIM_0)
                    {
                        dot_36 = fma((*kernelContext_6->query_0)[_S123], k_2[38U], dot_35);
                    }
                    else
                    {
                        dot_36 = dot_35;
                    }
                    uint _S124 = e_6 + 39U;
                    float dot_37;
                    if(_S124 < C_HEAD_DIM_0)
                    {
                        dot_37 = fma((*kernelContext_6->query_0)[_S124], k_2[39U], dot_36);
                    }
                    else
                    {
                        dot_37 = dot_36;
                    }
                    float dot_38;
                    if(_S54 < C_HEAD_DIM_0)
                    {
                        dot_38 = fma((*kernelContext_6->query_0)[_S54], k_2[40U], dot_37);
                    }
                    else
                    {
                        dot_38 = dot_37;
                    }
                    uint _S125 = e_6 + 41U;
                    float dot_39;
                    if(_S125 < C_HEAD_DIM_0)
                    {
                        dot_39 = fma((*kernelContext_6->query_0)[_S125], k_2[41U], dot_38);
                    }
                    else
                    {
                        dot_39 = dot_38;
                    }
                    uint _S126 = e_6 + 42U;
                    float dot_40;
                    if(_S126 < C_HEAD_DIM_0)
                    {
                        dot_40 = fma((*kernelContext_6->query_0)[_S126], k_2[42U], dot_39);
                    }
                    else
                    {
                        dot_40 = dot_39;
                    }
                    uint _S127 = e_6 + 43U;
                    float dot_41;
                    if(_S127 < C_HEAD_DIM_0)
                    {
                        dot_41 = fma((*kernelContext_6->query_0)[_S127], k_2[43U], dot_40);
                    }
                    else
                    {
                        dot_41 = dot_40;
                    }
                    uint _S128 = e_6 + 44U;
                    float dot_42;
                    if(_S128 < C_HEAD_DIM_0)
                    {
                        dot_42 = fma((*kernelContext_6->query_0)[_S128], k_2[44U], dot_41);
                    }
                    else
                    {
                        dot_42 = dot_41;
                    }
                    uint _S129 = e_6 + 45U;
                    float dot_43;
                    if(_S129 < C_HEAD_DIM_0)
                    {
                        dot_43 = fma((*kernelContext_6->query_0)[_S129], k_2[45U], dot_42);
                    }
                    else
                    {
                        dot_43 = dot_42;
                    }
                    uint _S130 = e_6 + 46U;
                    float dot_44;
                    if(_S130 < C_HEAD_DIM_0)
                    {
                        dot_44 = fma((*kernelContext_6->query_0)[_S130], k_2[46U], dot_43);
                    }
                    else
                    {
                        dot_44 = dot_43;
                    }
                    uint _S131 = e_6 + 47U;
                    float dot_45;
                    if(_S131 < C_HEAD_DIM_0)
                    {
                        dot_45 = fma((*kernelContext_6->query_0)[_S131], k_2[47U], dot_44);
                    }
                    else
                    {
                        dot_45 = dot_44;
                    }
                    float dot_46;
                    if(_S55 < C_HEAD_DIM_0)
                    {
                        dot_46 = fma((*kernelContext_6->query_0)[_S55], k_2[48U], dot_45);
                    }
                    else
                    {
                        dot_46 = dot_45;
                    }
                    uint _S132 = e_6 + 49U;
                    float dot_47;
                    if(_S132 < C_HEAD_DIM_0)
                    {
                        dot_47 = fma((*kernelContext_6->query_0)[_S132], k_2[49U], dot_46);
                    }
                    else
                    {
                        dot_47 = dot_46;
                    }
                    uint _S133 = e_6 + 50U;
                    float dot_48;
                    if(_S133 < C_HEAD_DIM_0)
                    {
                        dot_48 = fma((*kernelContext_6->query_0)[_S133], k_2[50U], dot_47);
                    }
                    else
                    {
                        dot_48 = dot_47;
                    }
                    uint _S134 = e_6 + 51U;
                    float dot_49;
                    if(_S134 < C_HEAD_DIM_0)
                    {
                        dot_49 = fma((*kernelContext_6->query_0)[_S134], k_2[51U], dot_48);
                    }
                    else
                    {
                        dot_49 = dot_48;
                    }
                    uint _S135 = e_6 + 52U;
                    float dot_50;
                    if(_S135 < C_HEAD_DIM_0)
                    {
                        dot_50 = fma((*kernelContext_6->query_0)[_S135], k_2[52U], dot_49);
                    }
                    else
                    {
                        dot_50 = dot_49;
                    }
                    uint _S136 = e_6 + 53U;
                    float dot_51;
                    if(_S136 < C_HEAD_DIM_0)
                    {
                        dot_51 = fma((*kernelContext_6->query_0)[_S136], k_2[53U], dot_50);
                    }
                    else
                    {
                        dot_51 = dot_50;
                    }
                    uint _S137 = e_6 + 54U;
                    float dot_52;
                    if(_S137 < C_HEAD_DIM_0)
                    {
                        dot_52 = fma((*kernelContext_6->query_0)[_S137], k_2[54U], dot_51);
                    }
                    else
                    {
                        dot_52 = dot_51;
                    }
                    uint _S138 = e_6 + 55U;
                    float dot_53;
                    if(_S138 < C_HEAD_DIM_0)
                    {
                        dot_53 = fma((*kernelContext_6->query_0)[_S138], k_2[55U], dot_52);
                    }
                    else
                    {
                        dot_53 = dot_52;
                    }
                    float dot_54;
                    if(_S56 < C_HEAD_DIM_0)
                    {
                        dot_54 = fma((*kernelContext_6->query_0)[_S56], k_2[56U], dot_53);
                    }
                    else
                    {
                        dot_54 = dot_53;
                    }
                    uint _S139 = e_6 + 57U;
                    float dot_55;
                    if(_S139 < C_HEAD_DIM_0)
                    {
                        dot_55 = fma((*kernelContext_6->query_0)[_S139], k_2[57U], dot_54);
                    }
                    else
                    {
                        dot_55 = dot_54;
                    }
                    uint _S140 = e_6 + 58U;
                    float dot_56;
                    if(_S140 < C_HEAD_DIM_0)
                    {
                        dot_56 = fma((*kernelContext_6->query_0)[_S140], k_2[58U], dot_55);
                    }
                    else
                    {
                        dot_56 = dot_55;
                    }
                    uint _S141 = e_6 + 59U;
                    float dot_57;
                    if(_S141 < C_HEAD_DIM_0)
                    {
                        dot_57 = fma((*kernelContext_6->query_0)[_S141], k_2[59U], dot_56);
                    }
                    else
                    {
                        dot_57 = dot_56;
                    }
                    uint _S142 = e_6 + 60U;
                    float dot_58;
                    if(_S142 < C_HEAD_DIM_0)
                    {
                        dot_58 = fma((*kernelContext_6->query_0)[_S142], k_2[60U], dot_57);
                    }
                    else
                    {
                        dot_58 = dot_57;
                    }
                    uint _S143 = e_6 + 61U;
                    float dot_59;
                    if(_S143 < C_HEAD_DIM_0)
                    {
                        dot_59 = fma((*kernelContext_6->query_0)[_S143], k_2[61U], dot_58);
                    }
                    else
                    {
                        dot_59 = dot_58;
                    }
                    uint _S144 = e_6 + 62U;
                    float dot_60;
                    if(_S144 < C_HEAD_DIM_0)
                    {
                        dot_60 = fma((*kernelContext_6->query_0)[_S144], k_2[62U], dot_59);
                    }
                    else
                    {
                        dot_60 = dot_59;
                    }
                    uint _S145 = e_6 + 63U;
                    if(_S145 < C_HEAD_DIM_0)
                    {
                        score_1 = fma((*kernelContext_6->query_0)[_S145], k_2[63U], dot_60);
                    }
                    else
                    {
                        score_1 = dot_60;
                    }
                    e_6 = e_6 + 64U;
                }
            }
            else
            {
                e_6 = 0U;
                score_1 = 0.0;
                for(;;)
                {
                    if(e_6 < C_HEAD_DIM_0)
                    {
                    }
                    else
                    {
                        break;
                    }
                    float _S146 = (*kernelContext_6->query_0)[e_6];
                    float _S147 = kv_load_0(C_K_TYPE_0, _S81, j_0, e_6);
                    float _S148 = fma(_S146, _S147, score_1);
                    e_6 = e_6 + 1U;
                    score_1 = _S148;
                }
            }
            score_1 = capped_0(kernelContext_6->args_0->scale_0 * score_1);
        }
        else
        {
            score_1 = _S78;
        }
        float _S149 = group_max_0(t_3, score_1, kernelContext_6);
        float _S150 = max(most_0, _S149);
        if(most_0 == _S150)
        {
            shrink_0 = 1.0;
        }
        else
        {
            shrink_0 = exp_of_0(most_0 - _S150);
        }
        if(seen_0)
        {
            weight_0 = exp_of_0(score_1 - _S150);
        }
        else
        {
            weight_0 = 0.0;
        }
        float _S151 = sum_0 * shrink_0 + weight_0;
        (*kernelContext_6->weights_0)[t_3] = weight_0;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uchar device* _S152 = kernelContext_6->args_0->v_cache_0;
        ulong _S153 = kv_tile_0(C_V_TYPE_0, table_1, _S73, from_0);
        uchar device* _S154 = _S152 + _S153;
        uint _S155 = max(max(first_1, from_0) - from_0, _S76 * 64U);
        uint _S156 = min(pos_5 - from_0 + 1U, (_S76 + 1U) * 64U);
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    uint e_7 = _S77 * 2U;
                    if(e_7 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float2 _S157 = float2(acc_0[0U], acc_0[1U]) * float2(shrink_0) ;
                    p_0 = _S155 / 16U * 16U;
                    v_5 = _S157;
                    for(;;)
                    {
                        bool _S158 = p_0 < _S156;
                        if(_S158)
                        {
                        }
                        else
                        {
                            break;
                        }
                        thread array<float, int(32)> of_0;
                        float2 _S159 = float2(0.0, 0.0);
                        if(p_0 >= _S155)
                        {
                            _S57 = _S158;
                        }
                        else
                        {
                            _S57 = false;
                        }
                        if(_S57)
                        {
                            float2 _S160 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0, e_7);
                            two_2 = _S160;
                        }
                        else
                        {
                            two_2 = _S159;
                        }
                        of_0[0U] = two_2.x;
                        of_0[1U] = two_2.y;
                        uint _S161 = p_0 + 1U;
                        if(_S161 >= _S155)
                        {
                            _S58 = _S161 < _S156;
                        }
                        else
                        {
                            _S58 = false;
                        }
                        if(_S58)
                        {
                            float2 _S162 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 1U, e_7);
                            two_3 = _S162;
                        }
                        else
                        {
                            two_3 = _S159;
                        }
                        of_0[2U] = two_3.x;
                        of_0[3U] = two_3.y;
                        uint _S163 = p_0 + 2U;
                        if(_S163 >= _S155)
                        {
                            _S59 = _S163 < _S156;
                        }
                        else
                        {
                            _S59 = false;
                        }
                        if(_S59)
                        {
                            float2 _S164 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 2U, e_7);
                            two_4 = _S164;
                        }
                        else
                        {
                            two_4 = _S159;
                        }
                        of_0[4U] = two_4.x;
                        of_0[5U] = two_4.y;
                        uint _S165 = p_0 + 3U;
                        if(_S165 >= _S155)
                        {
                            _S60 = _S165 < _S156;
                        }
                        else
                        {
                            _S60 = false;
                        }
                        if(_S60)
                        {
                            float2 _S166 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 3U, e_7);
                            two_5 = _S166;
                        }
                        else
                        {
                            two_5 = _S159;
                        }
                        of_0[6U] = two_5.x;
                        of_0[7U] = two_5.y;
                        uint _S167 = p_0 + 4U;
                        if(_S167 >= _S155)
                        {
                            _S61 = _S167 < _S156;
                        }
                        else
                        {
                            _S61 = false;
                        }
                        if(_S61)
                        {
                            float2 _S168 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 4U, e_7);
                            two_6 = _S168;
                        }
                        else
                        {
                            two_6 = _S159;
                        }
                        of_0[8U] = two_6.x;
                        of_0[9U] = two_6.y;
                        uint _S169 = p_0 + 5U;
                        if(_S169 >= _S155)
                        {
                            _S62 = _S169 < _S156;
                        }
                        else
                        {
                            _S62 = false;
                        }
                        if(_S62)
                        {
                            float2 _S170 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 5U, e_7);
                            two_7 = _S170;
                        }
                        else
                        {
                            two_7 = _S159;
                        }
                        of_0[10U] = two_7.x;
                        of_0[11U] = two_7.y;
                        uint _S171 = p_0 + 6U;
                        if(_S171 >= _S155)
                        {
                            _S63 = _S171 < _S156;
                        }
                        else
                        {
                            _S63 = false;
                        }
                        if(_S63)
                        {
                            float2 _S172 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 6U, e_7);
                            two_8 = _S172;
                        }
                        else
                        {
                            two_8 = _S159;
                        }
                        of_0[12U] = two_8.x;
                        of_0[13U] = two_8.y;
                        uint _S173 = p_0 + 7U;
                        if(_S173 >= _S155)
                        {
                            _S64 = _S173 < _S156;
                        }
                        else
                        {
                            _S64 = false;
                        }
                        if(_S64)
                        {
                            float2 _S174 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 7U, e_7);
                            two_9 = _S174;
                        }
                        else
                        {
                            two_9 = _S159;
                        }
                        of_0[14U] = two_9.x;
                        of_0[15U] = two_9.y;
                        uint _S175 = p_0 + 8U;
                        if(_S175 >= _S155)
                        {
                            _S65 = _S175 < _S156;
                        }
                        else
                        {
                            _S65 = false;
                        }
                        if(_S65)
                        {
                            float2 _S176 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 8U, e_7);
                            two_10 = _S176;
                        }
                        else
                        {
                            two_10 = _S159;
                        }
                        of_0[16U] = two_10.x;
                        of_0[17U] = two_10.y;
                        uint _S177 = p_0 + 9U;
                        if(_S177 >= _S155)
                        {
                            _S66 = _S177 < _S156;
                        }
                        else
                        {
                            _S66 = false;
                        }
                        if(_S66)
                        {
                            float2 _S178 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 9U, e_7);
                            two_11 = _S178;
                        }
                        else
                        {
                            two_11 = _S159;
                        }
                        of_0[18U] = two_11.x;
                        of_0[19U] = two_11.y;
                        uint _S179 = p_0 + 10U;
                        if(_S179 >= _S155)
                        {
                            _S67 = _S179 < _S156;
                        }
                        else
                        {
                            _S67 = false;
                        }
                        if(_S67)
                        {
                            float2 _S180 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 10U, e_7);
                            two_12 = _S180;
                        }
                        else
                        {
                            two_12 = _S159;
                        }
                        of_0[20U] = two_12.x;
                        of_0[21U] = two_12.y;
                        uint _S181 = p_0 + 11U;
                        if(_S181 >= _S155)
                        {
                            _S68 = _S181 < _S156;
                        }
                        else
                        {
                            _S68 = false;
                        }
                        if(_S68)
                        {
                            float2 _S182 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 11U, e_7);
                            two_13 = _S182;
                        }
                        else
                        {
                            two_13 = _S159;
                        }
                        of_0[22U] = two_13.x;
                        of_0[23U] = two_13.y;
                        uint _S183 = p_0 + 12U;
                        if(_S183 >= _S155)
                        {
                            _S69 = _S183 < _S156;
                        }
                        else
                        {
                            _S69 = false;
                        }
                        if(_S69)
                        {
                            float2 _S184 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 12U, e_7);
                            two_14 = _S184;
                        }
                        else
                        {
                            two_14 = _S159;
                        }
                        of_0[24U] = two_14.x;
                        of_0[25U] = two_14.y;
                        uint _S185 = p_0 + 13U;
                        if(_S185 >= _S155)
                        {
                            _S70 = _S185 < _S156;
                        }
                        else
                        {
                            _S70 = false;
                        }
                        if(_S70)
                        {
                            float2 _S186 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 13U, e_7);
                            two_15 = _S186;
                        }
                        else
                        {
                            two_15 = _S159;
                        }
                        of_0[26U] = two_15.x;
                        of_0[27U] = two_15.y;
                        uint _S187 = p_0 + 14U;
                        if(_S187 >= _S155)
                        {
                            _S71 = _S187 < _S156;
                        }
                        else
                        {
                            _S71 = false;
                        }
                        if(_S71)
                        {
                            float2 _S188 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 14U, e_7);
                            two_16 = _S188;
                        }
                        else
                        {
                            two_16 = _S159;
                        }
                        of_0[28U] = two_16.x;
                        of_0[29U] = two_16.y;
                        uint _S189 = p_0 + 15U;
                        if(_S189 >= _S155)
                        {
                            _S72 = _S189 < _S156;
                        }
                        else
                        {
                            _S72 = false;
                        }
                        if(_S72)
                        {
                            float2 _S190 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 15U, e_7);
                            two_17 = _S190;
                        }
                        else
                        {
                            two_17 = _S159;
                        }
                        of_0[30U] = two_17.x;
                        of_0[31U] = two_17.y;
                        float2 v_6 = float2(fma((*kernelContext_6->weights_0)[_S189], of_0[30U], fma((*kernelContext_6->weights_0)[_S187], of_0[28U], fma((*kernelContext_6->weights_0)[_S185], of_0[26U], fma((*kernelContext_6->weights_0)[_S183], of_0[24U], fma((*kernelContext_6->weights_0)[_S181], of_0[22U], fma((*kernelContext_6->weights_0)[_S179], of_0[20U], fma((*kernelContext_6->weights_0)[_S177], of_0[18U], fma((*kernelContext_6->weights_0)[_S175], of_0[16U], fma((*kernelContext_6->weights_0)[_S173], of_0[14U], fma((*kernelContext_6->weights_0)[_S171], of_0[12U], fma((*kernelContext_6->weights_0)[_S169], of_0[10U], fma((*kernelContext_6->weights_0)[_S167], of_0[8U], fma((*kernelContext_6->weights_0)[_S165], of_0[6U], fma((*kernelContext_6->weights_0)[_S163], of_0[4U], fma((*kernelContext_6->weights_0)[_S161], of_0[2U], fma((*kernelContext_6->weights_0)[p_0], of_0[0U], v_5.x)))))))))))))))), fma((*kernelContext_6->weights_0)[_S189], of_0[31U], fma((*kernelContext_6->weights_0)[_S187], of_0[29U], fma((*kernelContext_6->weights_0)[_S185], of_0[27U], fma((*kernelContext_6->weights_0)[_S183], of_0[25U], fma((*kernelContext_6->weights_0)[_S181], of_0[23U], fma((*kernelContext_6->weights_0)[_S179], of_0[21U], fma((*kernelContext_6->weights_0)[_S177], of_0[19U], fma((*kernelContext_6->weights_0)[_S175], of_0[17U], fma((*kernelContext_6->weights_0)[_S173], of_0[15U], fma((*kernelContext_6->weights_0)[_S171], of_0[13U], fma((*kernelContext_6->weights_0)[_S169], of_0[11U], fma((*kernelContext_6->weights_0)[_S167], of_0[9U], fma((*kernelContext_6->weights_0)[_S165], of_0[7U], fma((*kernelContext_6->weights_0)[_S163], of_0[5U], fma((*kernelContext_6->weights_0)[_S161], of_0[3U], fma((*kernelContext_6->weights_0)[p_0], of_0[1U], v_5.y)))))))))))))))));
                        p_0 = p_0 + 16U;
                        v_5 = v_6;
                    }
                    acc_0[0U] = v_5.x;
                    acc_0[1U] = v_5.y;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint e_8 = (64U + _S77) * 2U;
                    if(e_8 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float2 _S191 = float2(acc_0[2U], acc_0[3U]) * float2(shrink_0) ;
                    p_0 = _S155 / 16U * 16U;
                    v_5 = _S191;
                    for(;;)
                    {
                        bool _S192 = p_0 < _S156;
                        if(_S192)
                        {
                        }
                        else
                        {
                            break;
                        }
                        thread array<float, int(32)> of_1;
                        float2 _S193 = float2(0.0, 0.0);
                        if(p_0 >= _S155)
                        {
                            _S57 = _S192;
                        }
                        else
                        {
                            _S57 = false;
                        }
                        if(_S57)
                        {
                            float2 _S194 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0, e_8);
                            two_2 = _S194;
                        }
                        else
                        {
                            two_2 = _S193;
                        }
                        of_1[0U] = two_2.x;
                        of_1[1U] = two_2.y;
                        uint _S195 = p_0 + 1U;
                        if(_S195 >= _S155)
                        {
                            _S58 = _S195 < _S156;
                        }
                        else
                        {
                            _S58 = false;
                        }
                        if(_S58)
                        {
                            float2 _S196 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 1U, e_8);
                            two_3 = _S196;
                        }
                        else
                        {
                            two_3 = _S193;
                        }
                        of_1[2U] = two_3.x;
                        of_1[3U] = two_3.y;
                        uint _S197 = p_0 + 2U;
                        if(_S197 >= _S155)
                        {
                            _S59 = _S197 < _S156;
                        }
                        else
                        {
                            _S59 = false;
                        }
                        if(_S59)
                        {
                            float2 _S198 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 2U, e_8);
                            two_4 = _S198;
                        }
                        else
                        {
                            two_4 = _S193;
                        }
                        of_1[4U] = two_4.x;
                        of_1[5U] = two_4.y;
                        uint _S199 = p_0 + 3U;
                        if(_S199 >= _S155)
                        {
                            _S60 = _S199 < _S156;
                        }
                        else
                        {
                            _S60 = false;
                        }
                        if(_S60)
                        {
                            float2 _S200 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 3U, e_8);
                            two_5 = _S200;
                        }
                        else
                        {
                            two_5 = _S193;
                        }
                        of_1[6U] = two_5.x;
                        of_1[7U] = two_5.y;
                        uint _S201 = p_0 + 4U;
                        if(_S201 >= _S155)
                        {
                            _S61 = _S201 < _S156;
                        }
                        else
                        {
                            _S61 = false;
                        }
                        if(_S61)
                        {
                            float2 _S202 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 4U, e_8);
                            two_6 = _S202;
                        }
                        else
                        {
                            two_6 = _S193;
                        }
                        of_1[8U] = two_6.x;
                        of_1[9U] = two_6.y;
                        uint _S203 = p_0 + 5U;
                        if(_S203 >= _S155)
                        {
                            _S62 = _S203 < _S156;
                        }
                        else
                        {
                            _S62 = false;
                        }
                        if(_S62)
                        {
                            float2 _S204 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 5U, e_8);
                            two_7 = _S204;
                        }
                        else
                        {
                            two_7 = _S193;
                        }
                        of_1[10U] = two_7.x;
                        of_1[11U] = two_7.y;
                        uint _S205 = p_0 + 6U;
                        if(_S205 >= _S155)
                        {
                            _S63 = _S205 < _S156;
                        }
                        else
                        {
                            _S63 = false;
                        }
                        if(_S63)
                        {
                            float2 _S206 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 6U, e_8);
                            two_8 = _S206;
                        }
                        else
                        {
                            two_8 = _S193;
                        }
                        of_1[12U] = two_8.x;
                        of_1[13U] = two_8.y;
                        uint _S207 = p_0 + 7U;
                        if(_S207 >= _S155)
                        {
                            _S64 = _S207 < _S156;
                        }
                        else
                        {
                            _S64 = false;
                        }
                        if(_S64)
                        {
                            float2 _S208 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 7U, e_8);
                            two_9 = _S208;
                        }
                        else
                        {
                            two_9 = _S193;
                        }
                        of_1[14U] = two_9.x;
                        of_1[15U] = two_9.y;
                        uint _S209 = p_0 + 8U;
                        if(_S209 >= _S155)
                        {
                            _S65 = _S209 < _S156;
                        }
                        else
                        {
                            _S65 = false;
                        }
                        if(_S65)
                        {
                            float2 _S210 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 8U, e_8);
                            two_10 = _S210;
                        }
                        else
                        {
                            two_10 = _S193;
                        }
                        of_1[16U] = two_10.x;
                        of_1[17U] = two_10.y;
                        uint _S211 = p_0 + 9U;
                        if(_S211 >= _S155)
                        {
                            _S66 = _S211 < _S156;
                        }
                        else
                        {
                            _S66 = false;
                        }
                        if(_S66)
                        {
                            float2 _S212 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 9U, e_8);
                            two_11 = _S212;
                        }
                        else
                        {
                            two_11 = _S193;
                        }
                        of_1[18U] = two_11.x;
                        of_1[19U] = two_11.y;
                        uint _S213 = p_0 + 10U;
                        if(_S213 >= _S155)
                        {
                            _S67 = _S213 < _S156;
                        }
                        else
                        {
                            _S67 = false;
                        }
                        if(_S67)
                        {
                            float2 _S214 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 10U, e_8);
                            two_12 = _S214;
                        }
                        else
                        {
                            two_12 = _S193;
                        }
                        of_1[20U] = two_12.x;
                        of_1[21U] = two_12.y;
                        uint _S215 = p_0 + 11U;
                        if(_S215 >= _S155)
                        {
                            _S68 = _S215 < _S156;
                        }
                        else
                        {
                            _S68 = false;
                        }
                        if(_S68)
                        {
                            float2 _S216 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 11U, e_8);
                            two_13 = _S216;
                        }
                        else
                        {
                            two_13 = _S193;
                        }
                        of_1[22U] = two_13.x;
                        of_1[23U] = two_13.y;
                        uint _S217 = p_0 + 12U;
                        if(_S217 >= _S155)
                        {
                            _S69 = _S217 < _S156;
                        }
                        else
                        {
                            _S69 = false;
                        }
                        if(_S69)
                        {
                            float2 _S218 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 12U, e_8);
                            two_14 = _S218;
                        }
                        else
                        {
                            two_14 = _S193;
                        }
                        of_1[24U] = two_14.x;
                        of_1[25U] = two_14.y;
                        uint _S219 = p_0 + 13U;
                        if(_S219 >= _S155)
                        {
                            _S70 = _S219 < _S156;
                        }
                        else
                        {
                            _S70 = false;
                        }
                        if(_S70)
                        {
                            float2 _S220 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 13U, e_8);
                            two_15 = _S220;
                        }
                        else
                        {
                            two_15 = _S193;
                        }
                        of_1[26U] = two_15.x;
                        of_1[27U] = two_15.y;
                        uint _S221 = p_0 + 14U;
                        if(_S221 >= _S155)
                        {
                            _S71 = _S221 < _S156;
                        }
                        else
                        {
                            _S71 = false;
                        }
                        if(_S71)
                        {
                            float2 _S222 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 14U, e_8);
                            two_16 = _S222;
                        }
                        else
                        {
                            two_16 = _S193;
                        }
                        of_1[28U] = two_16.x;
                        of_1[29U] = two_16.y;
                        uint _S223 = p_0 + 15U;
                        if(_S223 >= _S155)
                        {
                            _S72 = _S223 < _S156;
                        }
                        else
                        {
                            _S72 = false;
                        }
                        if(_S72)
                        {
                            float2 _S224 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 15U, e_8);
                            two_17 = _S224;
                        }
                        else
                        {
                            two_17 = _S193;
                        }
                        of_1[30U] = two_17.x;
                        of_1[31U] = two_17.y;
                        float2 v_7 = float2(fma((*kernelContext_6->weights_0)[_S223], of_1[30U], fma((*kernelContext_6->weights_0)[_S221], of_1[28U], fma((*kernelContext_6->weights_0)[_S219], of_1[26U], fma((*kernelContext_6->weights_0)[_S217], of_1[24U], fma((*kernelContext_6->weights_0)[_S215], of_1[22U], fma((*kernelContext_6->weights_0)[_S213], of_1[20U], fma((*kernelContext_6->weights_0)[_S211], of_1[18U], fma((*kernelContext_6->weights_0)[_S209], of_1[16U], fma((*kernelContext_6->weights_0)[_S207], of_1[14U], fma((*kernelContext_6->weights_0)[_S205], of_1[12U], fma((*kernelContext_6->weights_0)[_S203], of_1[10U], fma((*kernelContext_6->weights_0)[_S201], of_1[8U], fma((*kernelContext_6->weights_0)[_S199], of_1[6U], fma((*kernelContext_6->weights_0)[_S197], of_1[4U], fma((*kernelContext_6->weights_0)[_S195], of_1[2U], fma((*kernelContext_6->weights_0)[p_0], of_1[0U], v_5.x)))))))))))))))), fma((*kernelContext_6->weights_0)[_S223], of_1[31U], fma((*kernelContext_6->weights_0)[_S221], of_1[29U], fma((*kernelContext_6->weights_0)[_S219], of_1[27U], fma((*kernelContext_6->weights_0)[_S217], of_1[25U], fma((*kernelContext_6->weights_0)[_S215], of_1[23U], fma((*kernelContext_6->weights_0)[_S213], of_1[21U], fma((*kernelContext_6->weights_0)[_S211], of_1[19U], fma((*kernelContext_6->weights_0)[_S209], of_1[17U], fma((*kernelContext_6->weights_0)[_S207], of_1[15U], fma((*kernelContext_6->weights_0)[_S205], of_1[13U], fma((*kernelContext_6->weights_0)[_S203], of_1[11U], fma((*kernelContext_6->weights_0)[_S201], of_1[9U], fma((*kernelContext_6->weights_0)[_S199], of_1[7U], fma((*kernelContext_6->weights_0)[_S197], of_1[5U], fma((*kernelContext_6->weights_0)[_S195], of_1[3U], fma((*kernelContext_6->weights_0)[p_0], of_1[1U], v_5.y)))))))))))))))));
                        p_0 = p_0 + 16U;
                        v_5 = v_7;
                    }
                    acc_0[2U] = v_5.x;
                    acc_0[3U] = v_5.y;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint e_9 = (128U + _S77) * 2U;
                    if(e_9 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float2 _S225 = float2(acc_0[4U], acc_0[5U]) * float2(shrink_0) ;
                    p_0 = _S155 / 16U * 16U;
                    v_5 = _S225;
                    for(;;)
                    {
                        bool _S226 = p_0 < _S156;
                        if(_S226)
                        {
                        }
                        else
                        {
                            break;
                        }
                        thread array<float, int(32)> of_2;
                        float2 _S227 = float2(0.0, 0.0);
                        if(p_0 >= _S155)
                        {
                            _S57 = _S226;
                        }
                        else
                        {
                            _S57 = false;
                        }
                        if(_S57)
                        {
                            float2 _S228 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0, e_9);
                            two_2 = _S228;
                        }
                        else
                        {
                            two_2 = _S227;
                        }
                        of_2[0U] = two_2.x;
                        of_2[1U] = two_2.y;
                        uint _S229 = p_0 + 1U;
                        if(_S229 >= _S155)
                        {
                            _S58 = _S229 < _S156;
                        }
                        else
                        {
                            _S58 = false;
                        }
                        if(_S58)
                        {
                            float2 _S230 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 1U, e_9);
                            two_3 = _S230;
                        }
                        else
                        {
                            two_3 = _S227;
                        }
                        of_2[2U] = two_3.x;
                        of_2[3U] = two_3.y;
                        uint _S231 = p_0 + 2U;
                        if(_S231 >= _S155)
                        {
                            _S59 = _S231 < _S156;
                        }
                        else
                        {
                            _S59 = false;
                        }
                        if(_S59)
                        {
                            float2 _S232 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 2U, e_9);
                            two_4 = _S232;
                        }
                        else
                        {
                            two_4 = _S227;
                        }
                        of_2[4U] = two_4.x;
                        of_2[5U] = two_4.y;
                        uint _S233 = p_0 + 3U;
                        if(_S233 >= _S155)
                        {
                            _S60 = _S233 < _S156;
                        }
                        else
                        {
                            _S60 = false;
                        }
                        if(_S60)
                        {
                            float2 _S234 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 3U, e_9);
                            two_5 = _S234;
                        }
                        else
                        {
                            two_5 = _S227;
                        }
                        of_2[6U] = two_5.x;
                        of_2[7U] = two_5.y;
                        uint _S235 = p_0 + 4U;
                        if(_S235 >= _S155)
                        {
                            _S61 = _S235 < _S156;
                        }
                        else
                        {
                            _S61 = false;
                        }
                        if(_S61)
                        {
                            float2 _S236 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 4U, e_9);
                            two_6 = _S236;
                        }
                        else
                        {
                            two_6 = _S227;
                        }
                        of_2[8U] = two_6.x;
                        of_2[9U] = two_6.y;
                        uint _S237 = p_0 + 5U;
                        if(_S237 >= _S155)
                        {
                            _S62 = _S237 < _S156;
                        }
                        else
                        {
                            _S62 = false;
                        }
                        if(_S62)
                        {
                            float2 _S238 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 5U, e_9);
                            two_7 = _S238;
                        }
                        else
                        {
                            two_7 = _S227;
                        }
                        of_2[10U] = two_7.x;
                        of_2[11U] = two_7.y;
                        uint _S239 = p_0 + 6U;
                        if(_S239 >= _S155)
                        {
                            _S63 = _S239 < _S156;
                        }
                        else
                        {
                            _S63 = false;
                        }
                        if(_S63)
                        {
                            float2 _S240 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 6U, e_9);
                            two_8 = _S240;
                        }
                        else
                        {
                            two_8 = _S227;
                        }
                        of_2[12U] = two_8.x;
                        of_2[13U] = two_8.y;
                        uint _S241 = p_0 + 7U;
                        if(_S241 >= _S155)
                        {
                            _S64 = _S241 < _S156;
                        }
                        else
                        {
                            _S64 = false;
                        }
                        if(_S64)
                        {
                            float2 _S242 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 7U, e_9);
                            two_9 = _S242;
                        }
                        else
                        {
                            two_9 = _S227;
                        }
                        of_2[14U] = two_9.x;
                        of_2[15U] = two_9.y;
                        uint _S243 = p_0 + 8U;
                        if(_S243 >= _S155)
                        {
                            _S65 = _S243 < _S156;
                        }
                        else
                        {
                            _S65 = false;
                        }
                        if(_S65)
                        {
                            float2 _S244 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 8U, e_9);
                            two_10 = _S244;
                        }
                        else
                        {
                            two_10 = _S227;
                        }
                        of_2[16U] = two_10.x;
                        of_2[17U] = two_10.y;
                        uint _S245 = p_0 + 9U;
                        if(_S245 >= _S155)
                        {
                            _S66 = _S245 < _S156;
                        }
                        else
                        {
                            _S66 = false;
                        }
                        if(_S66)
                        {
                            float2 _S246 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 9U, e_9);
                            two_11 = _S246;
                        }
                        else
                        {
                            two_11 = _S227;
                        }
                        of_2[18U] = two_11.x;
                        of_2[19U] = two_11.y;
                        uint _S247 = p_0 + 10U;
                        if(_S247 >= _S155)
                        {
                            _S67 = _S247 < _S156;
                        }
                        else
                        {
                            _S67 = false;
                        }
                        if(_S67)
                        {
                            float2 _S248 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 10U, e_9);
                            two_12 = _S248;
                        }
                        else
                        {
                            two_12 = _S227;
                        }
                        of_2[20U] = two_12.x;
                        of_2[21U] = two_12.y;
                        uint _S249 = p_0 + 11U;
                        if(_S249 >= _S155)
                        {
                            _S68 = _S249 < _S156;
                        }
                        else
                        {
                            _S68 = false;
                        }
                        if(_S68)
                        {
                            float2 _S250 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 11U, e_9);
                            two_13 = _S250;
                        }
                        else
                        {
                            two_13 = _S227;
                        }
                        of_2[22U] = two_13.x;
                        of_2[23U] = two_13.y;
                        uint _S251 = p_0 + 12U;
                        if(_S251 >= _S155)
                        {
                            _S69 = _S251 < _S156;
                        }
                        else
                        {
                            _S69 = false;
                        }
                        if(_S69)
                        {
                            float2 _S252 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 12U, e_9);
                            two_14 = _S252;
                        }
                        else
                        {
                            two_14 = _S227;
                        }
                        of_2[24U] = two_14.x;
                        of_2[25U] = two_14.y;
                        uint _S253 = p_0 + 13U;
                        if(_S253 >= _S155)
                        {
                            _S70 = _S253 < _S156;
                        }
                        else
                        {
                            _S70 = false;
                        }
                        if(_S70)
                        {
                            float2 _S254 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 13U, e_9);
                            two_15 = _S254;
                        }
                        else
                        {
                            two_15 = _S227;
                        }
                        of_2[26U] = two_15.x;
                        of_2[27U] = two_15.y;
                        uint _S255 = p_0 + 14U;
                        if(_S255 >= _S155)
                        {
                            _S71 = _S255 < _S156;
                        }
                        else
                        {
                            _S71 = false;
                        }
                        if(_S71)
                        {
                            float2 _S256 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 14U, e_9);
                            two_16 = _S256;
                        }
                        else
                        {
                            two_16 = _S227;
                        }
                        of_2[28U] = two_16.x;
                        of_2[29U] = two_16.y;
                        uint _S257 = p_0 + 15U;
                        if(_S257 >= _S155)
                        {
                            _S72 = _S257 < _S156;
                        }
                        else
                        {
                            _S72 = false;
                        }
                        if(_S72)
                        {
                            float2 _S258 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 15U, e_9);
                            two_17 = _S258;
                        }
                        else
                        {
                            two_17 = _S227;
                        }
                        of_2[30U] = two_17.x;
                        of_2[31U] = two_17.y;
                        float2 v_8 = float2(fma((*kernelContext_6->weights_0)[_S257], of_2[30U], fma((*kernelContext_6->weights_0)[_S255], of_2[28U], fma((*kernelContext_6->weights_0)[_S253], of_2[26U], fma((*kernelContext_6->weights_0)[_S251], of_2[24U], fma((*kernelContext_6->weights_0)[_S249], of_2[22U], fma((*kernelContext_6->weights_0)[_S247], of_2[20U], fma((*kernelContext_6->weights_0)[_S245], of_2[18U], fma((*kernelContext_6->weights_0)[_S243], of_2[16U], fma((*kernelContext_6->weights_0)[_S241], of_2[14U], fma((*kernelContext_6->weights_0)[_S239], of_2[12U], fma((*kernelContext_6->weights_0)[_S237], of_2[10U], fma((*kernelContext_6->weights_0)[_S235], of_2[8U], fma((*kernelContext_6->weights_0)[_S233], of_2[6U], fma((*kernelContext_6->weights_0)[_S231], of_2[4U], fma((*kernelContext_6->weights_0)[_S229], of_2[2U], fma((*kernelContext_6->weights_0)[p_0], of_2[0U], v_5.x)))))))))))))))), fma((*kernelContext_6->weights_0)[_S257], of_2[31U], fma((*kernelContext_6->weights_0)[_S255], of_2[29U], fma((*kernelContext_6->weights_0)[_S253], of_2[27U], fma((*kernelContext_6->weights_0)[_S251], of_2[25U], fma((*kernelContext_6->weights_0)[_S249], of_2[23U], fma((*kernelContext_6->weights_0)[_S247], of_2[21U], fma((*kernelContext_6->weights_0)[_S245], of_2[19U], fma((*kernelContext_6->weights_0)[_S243], of_2[17U], fma((*kernelContext_6->weights_0)[_S241], of_2[15U], fma((*kernelContext_6->weights_0)[_S239], of_2[13U], fma((*kernelContext_6->weights_0)[_S237], of_2[11U], fma((*kernelContext_6->weights_0)[_S235], of_2[9U], fma((*kernelContext_6->weights_0)[_S233], of_2[7U], fma((*kernelContext_6->weights_0)[_S231], of_2[5U], fma((*kernelContext_6->weights_0)[_S229], of_2[3U], fma((*kernelContext_6->weights_0)[p_0], of_2[1U], v_5.y)))))))))))))))));
                        p_0 = p_0 + 16U;
                        v_5 = v_8;
                    }
                    acc_0[4U] = v_5.x;
                    acc_0[5U] = v_5.y;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint e_10 = (192U + _S77) * 2U;
                    if(e_10 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float2 _S259 = float2(acc_0[6U], acc_0[7U]) * float2(shrink_0) ;
                    p_0 = _S155 / 16U * 16U;
                    v_5 = _S259;
                    for(;;)
                    {
                        bool _S260 = p_0 < _S156;
                        if(_S260)
                        {
                        }
                        else
                        {
                            break;
                        }
                        thread array<float, int(32)> of_3;
                        float2 _S261 = float2(0.0, 0.0);
                        if(p_0 >= _S155)
                        {
                            _S57 = _S260;
                        }
                        else
                        {
                            _S57 = false;
                        }
                        if(_S57)
                        {
                            float2 _S262 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0, e_10);
                            two_2 = _S262;
                        }
                        else
                        {
                            two_2 = _S261;
                        }
                        of_3[0U] = two_2.x;
                        of_3[1U] = two_2.y;
                        uint _S263 = p_0 + 1U;
                        if(_S263 >= _S155)
                        {
                            _S58 = _S263 < _S156;
                        }
                        else
                        {
                            _S58 = false;
                        }
                        if(_S58)
                        {
                            float2 _S264 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 1U, e_10);
                            two_3 = _S264;
                        }
                        else
                        {
                            two_3 = _S261;
                        }
                        of_3[2U] = two_3.x;
                        of_3[3U] = two_3.y;
                        uint _S265 = p_0 + 2U;
                        if(_S265 >= _S155)
                        {
                            _S59 = _S265 < _S156;
                        }
                        else
                        {
                            _S59 = false;
                        }
                        if(_S59)
                        {
                            float2 _S266 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 2U, e_10);
                            two_4 = _S266;
                        }
                        else
                        {
                            two_4 = _S261;
                        }
                        of_3[4U] = two_4.x;
                        of_3[5U] = two_4.y;
                        uint _S267 = p_0 + 3U;
                        if(_S267 >= _S155)
                        {
                            _S60 = _S267 < _S156;
                        }
                        else
                        {
                            _S60 = false;
                        }
                        if(_S60)
                        {
                            float2 _S268 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 3U, e_10);
                            two_5 = _S268;
                        }
                        else
                        {
                            two_5 = _S261;
                        }
                        of_3[6U] = two_5.x;
                        of_3[7U] = two_5.y;
                        uint _S269 = p_0 + 4U;
                        if(_S269 >= _S155)
                        {
                            _S61 = _S269 < _S156;
                        }
                        else
                        {
                            _S61 = false;
                        }
                        if(_S61)
                        {
                            float2 _S270 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 4U, e_10);
                            two_6 = _S270;
                        }
                        else
                        {
                            two_6 = _S261;
                        }
                        of_3[8U] = two_6.x;
                        of_3[9U] = two_6.y;
                        uint _S271 = p_0 + 5U;
                        if(_S271 >= _S155)
                        {
                            _S62 = _S271 < _S156;
                        }
                        else
                        {
                            _S62 = false;
                        }
                        if(_S62)
                        {
                            float2 _S272 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 5U, e_10);
                            two_7 = _S272;
                        }
                        else
                        {
                            two_7 = _S261;
                        }
                        of_3[10U] = two_7.x;
                        of_3[11U] = two_7.y;
                        uint _S273 = p_0 + 6U;
                        if(_S273 >= _S155)
                        {
                            _S63 = _S273 < _S156;
                        }
                        else
                        {
                            _S63 = false;
                        }
                        if(_S63)
                        {
                            float2 _S274 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 6U, e_10);
                            two_8 = _S274;
                        }
                        else
                        {
                            two_8 = _S261;
                        }
                        of_3[12U] = two_8.x;
                        of_3[13U] = two_8.y;
                        uint _S275 = p_0 + 7U;
                        if(_S275 >= _S155)
                        {
                            _S64 = _S275 < _S156;
                        }
                        else
                        {
                            _S64 = false;
                        }
                        if(_S64)
                        {
                            float2 _S276 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 7U, e_10);
                            two_9 = _S276;
                        }
                        else
                        {
                            two_9 = _S261;
                        }
                        of_3[14U] = two_9.x;
                        of_3[15U] = two_9.y;
                        uint _S277 = p_0 + 8U;
                        if(_S277 >= _S155)
                        {
                            _S65 = _S277 < _S156;
                        }
                        else
                        {
                            _S65 = false;
                        }
                        if(_S65)
                        {
                            float2 _S278 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 8U, e_10);
                            two_10 = _S278;
                        }
                        else
                        {
                            two_10 = _S261;
                        }
                        of_3[16U] = two_10.x;
                        of_3[17U] = two_10.y;
                        uint _S279 = p_0 + 9U;
                        if(_S279 >= _S155)
                        {
                            _S66 = _S279 < _S156;
                        }
                        else
                        {
                            _S66 = false;
                        }
                        if(_S66)
                        {
                            float2 _S280 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 9U, e_10);
                            two_11 = _S280;
                        }
                        else
                        {
                            two_11 = _S261;
                        }
                        of_3[18U] = two_11.x;
                        of_3[19U] = two_11.y;
                        uint _S281 = p_0 + 10U;
                        if(_S281 >= _S155)
                        {
                            _S67 = _S281 < _S156;
                        }
                        else
                        {
                            _S67 = false;
                        }
                        if(_S67)
                        {
                            float2 _S282 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 10U, e_10);
                            two_12 = _S282;
                        }
                        else
                        {
                            two_12 = _S261;
                        }
                        of_3[20U] = two_12.x;
                        of_3[21U] = two_12.y;
                        uint _S283 = p_0 + 11U;
                        if(_S283 >= _S155)
                        {
                            _S68 = _S283 < _S156;
                        }
                        else
                        {
                            _S68 = false;
                        }
                        if(_S68)
                        {
                            float2 _S284 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 11U, e_10);
                            two_13 = _S284;
                        }
                        else
                        {
                            two_13 = _S261;
                        }
                        of_3[22U] = two_13.x;
                        of_3[23U] = two_13.y;
                        uint _S285 = p_0 + 12U;
                        if(_S285 >= _S155)
                        {
                            _S69 = _S285 < _S156;
                        }
                        else
                        {
                            _S69 = false;
                        }
                        if(_S69)
                        {
                            float2 _S286 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 12U, e_10);
                            two_14 = _S286;
                        }
                        else
                        {
                            two_14 = _S261;
                        }
                        of_3[24U] = two_14.x;
                        of_3[25U] = two_14.y;
                        uint _S287 = p_0 + 13U;
                        if(_S287 >= _S155)
                        {
                            _S70 = _S287 < _S156;
                        }
                        else
                        {
                            _S70 = false;
                        }
                        if(_S70)
                        {
                            float2 _S288 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 13U, e_10);
                            two_15 = _S288;
                        }
                        else
                        {
                            two_15 = _S261;
                        }
                        of_3[26U] = two_15.x;
                        of_3[27U] = two_15.y;
                        uint _S289 = p_0 + 14U;
                        if(_S289 >= _S155)
                        {
                            _S71 = _S289 < _S156;
                        }
                        else
                        {
                            _S71 = false;
                        }
                        if(_S71)
                        {
                            float2 _S290 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 14U, e_10);
                            two_16 = _S290;
                        }
                        else
                        {
                            two_16 = _S261;
                        }
                        of_3[28U] = two_16.x;
                        of_3[29U] = two_16.y;
                        uint _S291 = p_0 + 15U;
                        if(_S291 >= _S155)
                        {
                            _S72 = _S291 < _S156;
                        }
                        else
                        {
                            _S72 = false;
                        }
                        if(_S72)
                        {
                            float2 _S292 = kv_load2_0(C_V_TYPE_0, _S154, from_0 + p_0 + 15U, e_10);
                            two_17 = _S292;
                        }
                        else
                        {
                            two_17 = _S261;
                        }
                        of_3[30U] = two_17.x;
                        of_3[31U] = two_17.y;
                        float2 v_9 = float2(fma((*kernelContext_6->weights_0)[_S291], of_3[30U], fma((*kernelContext_6->weights_0)[_S289], of_3[28U], fma((*kernelContext_6->weights_0)[_S287], of_3[26U], fma((*kernelContext_6->weights_0)[_S285], of_3[24U], fma((*kernelContext_6->weights_0)[_S283], of_3[22U], fma((*kernelContext_6->weights_0)[_S281], of_3[20U], fma((*kernelContext_6->weights_0)[_S279], of_3[18U], fma((*kernelContext_6->weights_0)[_S277], of_3[16U], fma((*kernelContext_6->weights_0)[_S275], of_3[14U], fma((*kernelContext_6->weights_0)[_S273], of_3[12U], fma((*kernelContext_6->weights_0)[_S271], of_3[10U], fma((*kernelContext_6->weights_0)[_S269], of_3[8U], fma((*kernelContext_6->weights_0)[_S267], of_3[6U], fma((*kernelContext_6->weights_0)[_S265], of_3[4U], fma((*kernelContext_6->weights_0)[_S263], of_3[2U], fma((*kernelContext_6->weights_0)[p_0], of_3[0U], v_5.x)))))))))))))))), fma((*kernelContext_6->weights_0)[_S291], of_3[31U], fma((*kernelContext_6->weights_0)[_S289], of_3[29U], fma((*kernelContext_6->weights_0)[_S287], of_3[27U], fma((*kernelContext_6->weights_0)[_S285], of_3[25U], fma((*kernelContext_6->weights_0)[_S283], of_3[23U], fma((*kernelContext_6->weights_0)[_S281], of_3[21U], fma((*kernelContext_6->weights_0)[_S279], of_3[19U], fma((*kernelContext_6->weights_0)[_S277], of_3[17U], fma((*kernelContext_6->weights_0)[_S275], of_3[15U], fma((*kernelContext_6->weights_0)[_S273], of_3[13U], fma((*kernelContext_6->weights_0)[_S271], of_3[11U], fma((*kernelContext_6->weights_0)[_S269], of_3[9U], fma((*kernelContext_6->weights_0)[_S267], of_3[7U], fma((*kernelContext_6->weights_0)[_S265], of_3[5U], fma((*kernelContext_6->weights_0)[_S263], of_3[3U], fma((*kernelContext_6->weights_0)[p_0], of_3[1U], v_5.y)))))))))))))))));
                        p_0 = p_0 + 16U;
                        v_5 = v_9;
                    }
                    acc_0[6U] = v_5.x;
                    acc_0[7U] = v_5.y;
                    break;
                }
                break;
            }
            break;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        from_0 = from_0 + 256U;
        most_0 = _S150;
        sum_0 = _S151;
    }
    float _S293 = group_sum_0(t_3, sum_0, kernelContext_6);
    uint _S294 = _S77 * 2U;
    bool _S295 = _S76 != 0U;
    if(_S295)
    {
        seen_0 = _S294 < C_HEAD_DIM_0;
    }
    else
    {
        seen_0 = false;
    }
    if(seen_0)
    {
        (*kernelContext_6->others_0)[(_S76 - 1U) * 512U + _S294] = acc_0[0U];
    }
    uint e_11 = _S294 + 1U;
    if(_S295)
    {
        seen_0 = e_11 < C_HEAD_DIM_0;
    }
    else
    {
        seen_0 = false;
    }
    if(seen_0)
    {
        (*kernelContext_6->others_0)[(_S76 - 1U) * 512U + e_11] = acc_0[1U];
    }
    uint _S296 = (64U + _S77) * 2U;
    if(_S295)
    {
        seen_0 = _S296 < C_HEAD_DIM_0;
    }
    else
    {
        seen_0 = false;
    }
    if(seen_0)
    {
        (*kernelContext_6->others_0)[(_S76 - 1U) * 512U + _S296] = acc_0[2U];
    }
    uint e_12 = _S296 + 1U;
    if(_S295)
    {
        seen_0 = e_12 < C_HEAD_DIM_0;
    }
    else
    {
        seen_0 = false;
    }
    if(seen_0)
    {
        (*kernelContext_6->others_0)[(_S76 - 1U) * 512U + e_12] = acc_0[3U];
    }
    uint _S297 = (128U + _S77) * 2U;
    if(_S295)
    {
        seen_0 = _S297 < C_HEAD_DIM_0;
    }
    else
    {
        seen_0 = false;
    }
    if(seen_0)
    {
        (*kernelContext_6->others_0)[(_S76 - 1U) * 512U + _S297] = acc_0[4U];
    }
    uint e_13 = _S297 + 1U;
    if(_S295)
    {
        seen_0 = e_13 < C_HEAD_DIM_0;
    }
    else
    {
        seen_0 = false;
    }
    if(seen_0)
    {
        (*kernelContext_6->others_0)[(_S76 - 1U) * 512U + e_13] = acc_0[5U];
    }
    uint _S298 = (192U + _S77) * 2U;
    if(_S295)
    {
        seen_0 = _S298 < C_HEAD_DIM_0;
    }
    else
    {
        seen_0 = false;
    }
    if(seen_0)
    {
        (*kernelContext_6->others_0)[(_S76 - 1U) * 512U + _S298] = acc_0[6U];
    }
    uint e_14 = _S298 + 1U;
    if(_S295)
    {
        seen_0 = e_14 < C_HEAD_DIM_0;
    }
    else
    {
        seen_0 = false;
    }
    if(seen_0)
    {
        (*kernelContext_6->others_0)[(_S76 - 1U) * 512U + e_14] = acc_0[7U];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _S299 = _S76 == 0U;
    if(_S299)
    {
        seen_0 = _S294 < C_HEAD_DIM_0;
    }
    else
    {
        seen_0 = false;
    }
    if(seen_0)
    {
        (*kernelContext_6->query_0)[_S294] = (acc_0[0U] + (*kernelContext_6->others_0)[_S294] + (*kernelContext_6->others_0)[512U + _S294] + (*kernelContext_6->others_0)[1024U + _S294]) / _S293;
    }
    if(_S299)
    {
        seen_0 = e_11 < C_HEAD_DIM_0;
    }
    else
    {
        seen_0 = false;
    }
    if(seen_0)
    {
        (*kernelContext_6->query_0)[e_11] = (acc_0[1U] + (*kernelContext_6->others_0)[e_11] + (*kernelContext_6->others_0)[512U + e_11] + (*kernelContext_6->others_0)[1024U + e_11]) / _S293;
    }
    if(_S299)
    {
        seen_0 = _S296 < C_HEAD_DIM_0;
    }
    else
    {
        seen_0 = false;
    }
    if(seen_0)
    {
        (*kernelContext_6->query_0)[_S296] = (acc_0[2U] + (*kernelContext_6->others_0)[_S296] + (*kernelContext_6->others_0)[512U + _S296] + (*kernelContext_6->others_0)[1024U + _S296]) / _S293;
    }
    if(_S299)
    {
        seen_0 = e_12 < C_HEAD_DIM_0;
    }
    else
    {
        seen_0 = false;
    }
    if(seen_0)
    {
        (*kernelContext_6->query_0)[e_12] = (acc_0[3U] + (*kernelContext_6->others_0)[e_12] + (*kernelContext_6->others_0)[512U + e_12] + (*kernelContext_6->others_0)[1024U + e_12]) / _S293;
    }
    if(_S299)
    {
        seen_0 = _S297 < C_HEAD_DIM_0;
    }
    else
    {
        seen_0 = false;
    }
    if(seen_0)
    {
        (*kernelContext_6->query_0)[_S297] = (acc_0[4U] + (*kernelContext_6->others_0)[_S297] + (*kernelContext_6->others_0)[512U + _S297] + (*kernelContext_6->others_0)[1024U + _S297]) / _S293;
    }
    if(_S299)
    {
        seen_0 = e_13 < C_HEAD_DIM_0;
    }
    else
    {
        seen_0 = false;
    }
    if(seen_0)
    {
        (*kernelContext_6->query_0)[e_13] = (acc_0[5U] + (*kernelContext_6->others_0)[e_13] + (*kernelContext_6->others_0)[512U + e_13] + (*kernelContext_6->others_0)[1024U + e_13]) / _S293;
    }
    if(_S299)
    {
        seen_0 = _S298 < C_HEAD_DIM_0;
    }
    else
    {
        seen_0 = false;
    }
    if(seen_0)
    {
        (*kernelContext_6->query_0)[_S298] = (acc_0[6U] + (*kernelContext_6->others_0)[_S298] + (*kernelContext_6->others_0)[512U + _S298] + (*kernelContext_6->others_0)[1024U + _S298]) / _S293;
    }
    if(_S299)
    {
        seen_0 = e_14 < C_HEAD_DIM_0;
    }
    else
    {
        seen_0 = false;
    }
    if(seen_0)
    {
        (*kernelContext_6->query_0)[e_14] = (acc_0[7U] + (*kernelContext_6->others_0)[e_14] + (*kernelContext_6->others_0)[512U + e_14] + (*kernelContext_6->others_0)[1024U + e_14]) / _S293;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uchar device* _S300 = kernelContext_6->args_0->out_0 + _S74 * act_row_bytes_0(C_ACT_0, C_HEADS_0 * C_HEAD_DIM_0) + act_bytes_0(C_ACT_0, head_1 * C_HEAD_DIM_0);
    p_0 = 0U;
    for(;;)
    {
        if(p_0 < C_HEAD_DIM_0)
        {
        }
        else
        {
            break;
        }
        uint e_15 = p_0 + t_3 * 4U;
        thread float4 v_10 = float4(0.0) ;
        uint k_3 = 0U;
        for(;;)
        {
            if(k_3 < 4U)
            {
            }
            else
            {
                break;
            }
            uint _S301 = e_15 + k_3;
            if(_S301 < C_HEAD_DIM_0)
            {
                v_10[k_3] = (*kernelContext_6->query_0)[_S301];
            }
            k_3 = k_3 + 1U;
        }
        store_four_0(C_ACT_0, _S300, t_3, e_15, C_HEAD_DIM_0, v_10, kernelContext_6);
        p_0 = p_0 + 1024U;
    }
    return;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_1 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_7;
    (&kernelContext_7)->args_0 = args_1;
    threadgroup array<float, int(512)> query_1;
    (&kernelContext_7)->query_0 = &query_1;
    threadgroup array<float, int(256)> sums_1;
    (&kernelContext_7)->sums_0 = &sums_1;
    threadgroup array<float, int(16)> columns_1;
    (&kernelContext_7)->columns_0 = &columns_1;
    threadgroup array<float, int(256)> weights_1;
    (&kernelContext_7)->weights_0 = &weights_1;
    threadgroup array<float, int(1536)> others_1;
    (&kernelContext_7)->others_0 = &others_1;
    threadgroup array<uint, int(256)> block_mosts_1;
    (&kernelContext_7)->block_mosts_0 = &block_mosts_1;
    threadgroup array<int, int(256)> block_sums_1;
    (&kernelContext_7)->block_sums_0 = &block_sums_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 256U + sv_groupthreadid_0[int(0)];
    bool _S302 = stopped_0(&kernelContext_7);
    bool _S303;
    if(_S302)
    {
        _S303 = true;
    }
    else
    {
        _S303 = (group_1.y) >= ((&kernelContext_7)->args_0->step_0->rows_0);
    }
    if(_S303)
    {
        return;
    }
    Row_0 device* _S304 = step_rows_0(&kernelContext_7);
    Row_0 at_0 = *(_S304 + group_1.y);
    attend_0(group_1, sv_groupindex_0, at_0.pos_0, (uint device*)((ulong)((&kernelContext_7)->args_0->block_table_0)) + ulong(at_0.seq_0) * ulong(C_BLOCKS_0), &kernelContext_7);
    return;
}
