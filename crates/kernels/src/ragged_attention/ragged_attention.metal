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
float kv_load_0(uint type_3, uchar device* tile_0, uint pos_2, uint e_0)
{
    uint _S5 = pos_2 % 256U;
    uint i_1 = _S5 * C_HEAD_DIM_0 + e_0;
    if(type_3 == 1U)
    {
        return *((float device*)((ulong)(tile_0)) + i_1);
    }
    if(type_3 == 0U)
    {
        return f16_to_f32_0(uint(*((ushort device*)((ulong)(tile_0)) + i_1)));
    }
    if(type_3 == 2U)
    {
        return bf16_to_f32_0(uint(*((ushort device*)((ulong)(tile_0)) + i_1)));
    }
    return float(int(uint(*(tile_0 + i_1)) << 24U) >> 24U) * f16_to_f32_0(uint(*((ushort device*)((ulong)(tile_0 + 256U * C_HEAD_DIM_0)) + (_S5 * (C_HEAD_DIM_0 / 32U) + e_0 / 32U))));
}
float power_of_two_0(int n_0)
{
    return (as_type<float>((uint(n_0 + int(127)) << 23U)));
}
float exp_of_0(float x_0)
{
    if(!(x_0 < 88.8000030517578125))
    {
        float _S6;
        if(x_0 != x_0)
        {
            _S6 = x_0;
        }
        else
        {
            _S6 = infinity_0();
        }
        return _S6;
    }
    if(x_0 < -104.0)
    {
        return 0.0;
    }
    float n_1 = floor(x_0 * 1.4426950216293335 + 0.5);
    float high_0 = x_0 - n_1 * 0.693359375;
    float r_0 = high_0 + n_1 * 0.00021219444170129;
    int _S7 = int(n_1);
    int half_2 = _S7 / int(2);
    return ((((((0.00019875691214111 * r_0 + 0.00139819993637502) * r_0 + 0.00833345204591751) * r_0 + 0.04166579619050026) * r_0 + 0.1666666567325592) * r_0 + 0.5) * r_0 * r_0 + r_0 + 1.0) * power_of_two_0(half_2) * power_of_two_0(_S7 - half_2);
}
float tanh_of_0(float x_1)
{
    float a_0 = abs(x_1);
    float z_0 = x_1 * x_1;
    if(a_0 < 0.30000001192092896)
    {
        return x_1 + x_1 * z_0 * ((((-0.0088632358238101 * z_0 + 0.0218694880604744) * z_0 - 0.05396825447678566) * z_0 + 0.13333332538604736) * z_0 - 0.3333333432674408);
    }
    float e_1 = exp_of_0(-2.0 * a_0);
    float y_0 = (1.0 - e_1) / (1.0 + e_1);
    float _S8;
    if(x_1 < 0.0)
    {
        _S8 = - y_0;
    }
    else
    {
        _S8 = y_0;
    }
    return _S8;
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
float group_max_0(uint t_0, float v_0, KernelContext_0 thread* kernelContext_3)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_3->sums_0)[t_0] = v_0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint half_3 = 32U;
    for(;;)
    {
        if(half_3 != 0U)
        {
        }
        else
        {
            break;
        }
        if(t_0 < half_3)
        {
            (*kernelContext_3->sums_0)[t_0] = max((*kernelContext_3->sums_0)[t_0], (*kernelContext_3->sums_0)[t_0 + half_3]);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        half_3 = half_3 / 2U;
    }
    return (*kernelContext_3->sums_0)[int(0)];
}
float group_sum_0(uint t_1, float v_1, KernelContext_0 thread* kernelContext_4)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_4->sums_0)[t_1] = v_1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint half_4 = 32U;
    for(;;)
    {
        if(half_4 != 0U)
        {
        }
        else
        {
            break;
        }
        if(t_1 < half_4)
        {
            (*kernelContext_4->sums_0)[t_1] = (*kernelContext_4->sums_0)[t_1] + (*kernelContext_4->sums_0)[t_1 + half_4];
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        half_4 = half_4 / 2U;
    }
    return (*kernelContext_4->sums_0)[int(0)];
}
constant uint fc_C_V_TYPE_0 [[function_constant(4)]];
constant uint C_V_TYPE_0 = is_function_constant_defined(fc_C_V_TYPE_0) ? fc_C_V_TYPE_0 : 1U;
ulong act_row_bytes_0(uint act_0, uint k_0)
{
    uint _S9;
    if(act_0 == 0U)
    {
        _S9 = 4U * k_0;
    }
    else
    {
        _S9 = 2U * k_0;
    }
    return ulong(((_S9 + 63U) / 64U) | 1U) * 64UL;
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
    uint e_2 = a_1 >> 23U;
    bool _S10 = e_2 < 113U;
    uint shift_0;
    if(_S10)
    {
        shift_0 = 126U - e_2;
    }
    else
    {
        shift_0 = 13U;
    }
    uint m_0;
    if(_S10)
    {
        m_0 = (a_1 & 8388607U) | 8388608U;
    }
    else
    {
        m_0 = a_1 - 939524096U;
    }
    uint q_0 = m_0 >> shift_0;
    uint rest_0 = m_0 & ((1U << shift_0) - 1U);
    uint half_5 = 1U << (shift_0 - 1U);
    bool _S11;
    if(rest_0 > half_5)
    {
        _S11 = true;
    }
    else
    {
        if(rest_0 == half_5)
        {
            _S11 = (q_0 & 1U) != 0U;
        }
        else
        {
            _S11 = false;
        }
    }
    uint q_1;
    if(_S11)
    {
        q_1 = q_0 + 1U;
    }
    else
    {
        q_1 = q_0;
    }
    return sign_0 | q_1;
}
void store_act_0(uint act_1, uchar device* row_0, uint i_2, float v_2)
{
    if(act_1 == 0U)
    {
        *((float device*)((ulong)(row_0)) + i_2) = v_2;
    }
    if(act_1 == 2U)
    {
        *((ushort device*)((ulong)(row_0)) + i_2) = ushort(f32_to_bf16_0(v_2));
    }
    if(act_1 == 3U)
    {
        ushort device* _S12 = (ushort device*)((ulong)(row_0)) + i_2;
        float _S13;
        if(isnan(v_2))
        {
            _S13 = v_2;
        }
        else
        {
            _S13 = clamp(v_2 * 0.03125, -65504.0, 65504.0);
        }
        *_S12 = ushort(f32_to_f16_0(_S13));
    }
    return;
}
void attend_0(uint3 group_0, uint t_2, uint pos_3, uint device* table_1, KernelContext_0 thread* kernelContext_5)
{
    uint p_0;
    float v_3;
    uint head_1 = group_0.x;
    uint r_1 = group_0.y;
    uint _S14 = head_1 / (C_HEADS_0 / C_KV_HEADS_0);
    ulong _S15 = ulong(r_1);
    float device* _S16 = (float device*)((ulong)(kernelContext_5->args_0->qkv_0)) + (_S15 * ulong(C_HEADS_0 + 2U * C_KV_HEADS_0) + ulong(head_1)) * ulong(C_HEAD_DIM_0);
    uint e_3 = t_2;
    for(;;)
    {
        if(e_3 < C_HEAD_DIM_0)
        {
        }
        else
        {
            break;
        }
        (*kernelContext_5->query_0)[e_3] = *(_S16 + e_3);
        e_3 = e_3 + 64U;
    }
    bool seen_0;
    if(C_WINDOW_0 == 0U)
    {
        seen_0 = true;
    }
    else
    {
        seen_0 = (pos_3 + 1U) < C_WINDOW_0;
    }
    uint first_0;
    if(seen_0)
    {
        first_0 = 0U;
    }
    else
    {
        first_0 = pos_3 + 1U - C_WINDOW_0;
    }
    float _S17 = - infinity_0();
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
    float most_0 = _S17;
    float sum_0 = 0.0;
    for(;;)
    {
        if(from_0 <= pos_3)
        {
        }
        else
        {
            break;
        }
        uint j_0 = from_0 + t_2;
        if(j_0 >= first_0)
        {
            seen_0 = j_0 <= pos_3;
        }
        else
        {
            seen_0 = false;
        }
        float score_1;
        if(seen_0)
        {
            uchar device* _S18 = kernelContext_5->args_0->k_cache_0;
            ulong _S19 = kv_tile_0(C_K_TYPE_0, table_1, _S14, j_0);
            uchar device* _S20 = _S18 + _S19;
            e_3 = 0U;
            score_1 = 0.0;
            for(;;)
            {
                if(e_3 < C_HEAD_DIM_0)
                {
                }
                else
                {
                    break;
                }
                float _S21 = (*kernelContext_5->query_0)[e_3];
                float _S22 = kv_load_0(C_K_TYPE_0, _S20, j_0, e_3);
                float _S23 = fma(_S21, _S22, score_1);
                e_3 = e_3 + 1U;
                score_1 = _S23;
            }
            score_1 = capped_0(kernelContext_5->args_0->scale_0 * score_1);
        }
        else
        {
            score_1 = _S17;
        }
        float _S24 = group_max_0(t_2, score_1, kernelContext_5);
        float _S25 = max(most_0, _S24);
        float shrink_0;
        if(most_0 == _S25)
        {
            shrink_0 = 1.0;
        }
        else
        {
            shrink_0 = exp_of_0(most_0 - _S25);
        }
        float weight_0;
        if(seen_0)
        {
            weight_0 = exp_of_0(score_1 - _S25);
        }
        else
        {
            weight_0 = 0.0;
        }
        float _S26 = sum_0 * shrink_0;
        float _S27 = group_sum_0(t_2, weight_0, kernelContext_5);
        float _S28 = _S26 + _S27;
        (*kernelContext_5->weights_0)[t_2] = weight_0;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uchar device* _S29 = kernelContext_5->args_0->v_cache_0;
        ulong _S30 = kv_tile_0(C_V_TYPE_0, table_1, _S14, from_0);
        uchar device* _S31 = _S29 + _S30;
        uint _S32 = max(first_0, from_0) - from_0;
        uint _S33 = min(pos_3 - from_0 + 1U, 64U);
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    if(t_2 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float _S34 = acc_0[0U] * shrink_0;
                    p_0 = _S32;
                    v_3 = _S34;
                    for(;;)
                    {
                        if(p_0 < _S33)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S35 = (*kernelContext_5->weights_0)[p_0];
                        float _S36 = kv_load_0(C_V_TYPE_0, _S31, from_0 + p_0, t_2);
                        float _S37 = fma(_S35, _S36, v_3);
                        p_0 = p_0 + 1U;
                        v_3 = _S37;
                    }
                    acc_0[0U] = v_3;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint e_4 = 64U + t_2;
                    if(e_4 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float _S38 = acc_0[1U] * shrink_0;
                    p_0 = _S32;
                    v_3 = _S38;
                    for(;;)
                    {
                        if(p_0 < _S33)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S39 = (*kernelContext_5->weights_0)[p_0];
                        float _S40 = kv_load_0(C_V_TYPE_0, _S31, from_0 + p_0, e_4);
                        float _S41 = fma(_S39, _S40, v_3);
                        p_0 = p_0 + 1U;
                        v_3 = _S41;
                    }
                    acc_0[1U] = v_3;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint e_5 = 128U + t_2;
                    if(e_5 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float _S42 = acc_0[2U] * shrink_0;
                    p_0 = _S32;
                    v_3 = _S42;
                    for(;;)
                    {
                        if(p_0 < _S33)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S43 = (*kernelContext_5->weights_0)[p_0];
                        float _S44 = kv_load_0(C_V_TYPE_0, _S31, from_0 + p_0, e_5);
                        float _S45 = fma(_S43, _S44, v_3);
                        p_0 = p_0 + 1U;
                        v_3 = _S45;
                    }
                    acc_0[2U] = v_3;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint e_6 = 192U + t_2;
                    if(e_6 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float _S46 = acc_0[3U] * shrink_0;
                    p_0 = _S32;
                    v_3 = _S46;
                    for(;;)
                    {
                        if(p_0 < _S33)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S47 = (*kernelContext_5->weights_0)[p_0];
                        float _S48 = kv_load_0(C_V_TYPE_0, _S31, from_0 + p_0, e_6);
                        float _S49 = fma(_S47, _S48, v_3);
                        p_0 = p_0 + 1U;
                        v_3 = _S49;
                    }
                    acc_0[3U] = v_3;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint e_7 = 256U + t_2;
                    if(e_7 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float _S50 = acc_0[4U] * shrink_0;
                    p_0 = _S32;
                    v_3 = _S50;
                    for(;;)
                    {
                        if(p_0 < _S33)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S51 = (*kernelContext_5->weights_0)[p_0];
                        float _S52 = kv_load_0(C_V_TYPE_0, _S31, from_0 + p_0, e_7);
                        float _S53 = fma(_S51, _S52, v_3);
                        p_0 = p_0 + 1U;
                        v_3 = _S53;
                    }
                    acc_0[4U] = v_3;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint e_8 = 320U + t_2;
                    if(e_8 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float _S54 = acc_0[5U] * shrink_0;
                    p_0 = _S32;
                    v_3 = _S54;
                    for(;;)
                    {
                        if(p_0 < _S33)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S55 = (*kernelContext_5->weights_0)[p_0];
                        float _S56 = kv_load_0(C_V_TYPE_0, _S31, from_0 + p_0, e_8);
                        float _S57 = fma(_S55, _S56, v_3);
                        p_0 = p_0 + 1U;
                        v_3 = _S57;
                    }
                    acc_0[5U] = v_3;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint e_9 = 384U + t_2;
                    if(e_9 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float _S58 = acc_0[6U] * shrink_0;
                    p_0 = _S32;
                    v_3 = _S58;
                    for(;;)
                    {
                        if(p_0 < _S33)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S59 = (*kernelContext_5->weights_0)[p_0];
                        float _S60 = kv_load_0(C_V_TYPE_0, _S31, from_0 + p_0, e_9);
                        float _S61 = fma(_S59, _S60, v_3);
                        p_0 = p_0 + 1U;
                        v_3 = _S61;
                    }
                    acc_0[6U] = v_3;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint e_10 = 448U + t_2;
                    if(e_10 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float _S62 = acc_0[7U] * shrink_0;
                    p_0 = _S32;
                    v_3 = _S62;
                    for(;;)
                    {
                        if(p_0 < _S33)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S63 = (*kernelContext_5->weights_0)[p_0];
                        float _S64 = kv_load_0(C_V_TYPE_0, _S31, from_0 + p_0, e_10);
                        float _S65 = fma(_S63, _S64, v_3);
                        p_0 = p_0 + 1U;
                        v_3 = _S65;
                    }
                    acc_0[7U] = v_3;
                    break;
                }
                break;
            }
            break;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        from_0 = from_0 + 64U;
        most_0 = _S25;
        sum_0 = _S28;
    }
    uchar device* _S66 = kernelContext_5->args_0->out_0 + _S15 * act_row_bytes_0(C_ACT_0, C_HEADS_0 * C_HEAD_DIM_0);
    if(t_2 < C_HEAD_DIM_0)
    {
        store_act_0(C_ACT_0, _S66, head_1 * C_HEAD_DIM_0 + t_2, acc_0[0U] / sum_0);
    }
    uint e_11 = 64U + t_2;
    if(e_11 < C_HEAD_DIM_0)
    {
        store_act_0(C_ACT_0, _S66, head_1 * C_HEAD_DIM_0 + e_11, acc_0[1U] / sum_0);
    }
    uint e_12 = 128U + t_2;
    if(e_12 < C_HEAD_DIM_0)
    {
        store_act_0(C_ACT_0, _S66, head_1 * C_HEAD_DIM_0 + e_12, acc_0[2U] / sum_0);
    }
    uint e_13 = 192U + t_2;
    if(e_13 < C_HEAD_DIM_0)
    {
        store_act_0(C_ACT_0, _S66, head_1 * C_HEAD_DIM_0 + e_13, acc_0[3U] / sum_0);
    }
    uint e_14 = 256U + t_2;
    if(e_14 < C_HEAD_DIM_0)
    {
        store_act_0(C_ACT_0, _S66, head_1 * C_HEAD_DIM_0 + e_14, acc_0[4U] / sum_0);
    }
    uint e_15 = 320U + t_2;
    if(e_15 < C_HEAD_DIM_0)
    {
        store_act_0(C_ACT_0, _S66, head_1 * C_HEAD_DIM_0 + e_15, acc_0[5U] / sum_0);
    }
    uint e_16 = 384U + t_2;
    if(e_16 < C_HEAD_DIM_0)
    {
        store_act_0(C_ACT_0, _S66, head_1 * C_HEAD_DIM_0 + e_16, acc_0[6U] / sum_0);
    }
    uint e_17 = 448U + t_2;
    if(e_17 < C_HEAD_DIM_0)
    {
        store_act_0(C_ACT_0, _S66, head_1 * C_HEAD_DIM_0 + e_17, acc_0[7U] / sum_0);
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
    bool _S67 = stopped_0(&kernelContext_6);
    bool _S68;
    if(_S67)
    {
        _S68 = true;
    }
    else
    {
        _S68 = (group_1.y) >= ((&kernelContext_6)->args_0->step_0->rows_0);
    }
    if(_S68)
    {
        return;
    }
    Row_0 device* _S69 = step_rows_0(&kernelContext_6);
    Row_0 at_0 = *(_S69 + group_1.y);
    attend_0(group_1, sv_groupindex_0, at_0.pos_0, (uint device*)((ulong)((&kernelContext_6)->args_0->block_table_0)) + ulong(at_0.seq_0) * ulong(C_BLOCKS_0), &kernelContext_6);
    return;
}
