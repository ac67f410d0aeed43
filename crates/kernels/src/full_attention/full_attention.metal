// Made by tools/vulkan-kernels.sh of full_attention.slang and what stands before it.
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
constant uint fc_C_HEADS_0 [[function_constant(0)]];
constant uint C_HEADS_0 = is_function_constant_defined(fc_C_HEADS_0) ? fc_C_HEADS_0 : 1U;
constant uint fc_C_BUCKETS_0 [[function_constant(4)]];
constant uint C_BUCKETS_0 = is_function_constant_defined(fc_C_BUCKETS_0) ? fc_C_BUCKETS_0 : 1U;
constant uint fc_C_REACH_0 [[function_constant(3)]];
constant uint C_REACH_0 = is_function_constant_defined(fc_C_REACH_0) ? fc_C_REACH_0 : 1U;
constant uint fc_C_HEAD_DIM_0 [[function_constant(1)]];
constant uint C_HEAD_DIM_0 = is_function_constant_defined(fc_C_HEAD_DIM_0) ? fc_C_HEAD_DIM_0 : 1U;
constant uint fc_C_WINDOW_0 [[function_constant(2)]];
constant uint C_WINDOW_0 = is_function_constant_defined(fc_C_WINDOW_0) ? fc_C_WINDOW_0 : 1U;
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
    uchar device* qkv_0;
    uchar device* near_0;
    uchar device* bias_0;
    uchar device* out_0;
    float scale_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<float, int(512)> threadgroup* query_0;
    array<float, int(64)> threadgroup* sums_0;
    array<float, int(8)> threadgroup* columns_0;
    array<float, int(64)> threadgroup* weights_0;
    array<uint, int(64)> threadgroup* block_mosts_0;
    array<int, int(64)> threadgroup* block_sums_0;
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
ulong act_bytes_0(uint act_0, uint n_0)
{
    uint _S2;
    if(act_0 == 0U)
    {
        _S2 = 4U * n_0;
    }
    else
    {
        if(act_0 == 6U)
        {
            _S2 = n_0 / 32U * 80U;
        }
        else
        {
            _S2 = 2U * n_0;
        }
    }
    return ulong(_S2);
}
ulong act_row_bytes_0(uint act_1, uint k_0)
{
    return (((act_bytes_0(act_1, k_0) + 63UL) / 64UL) | 1UL) * 64UL;
}
constant uint fc_C_ACT_0 [[function_constant(5)]];
constant uint C_ACT_0 = is_function_constant_defined(fc_C_ACT_0) ? fc_C_ACT_0 : 1U;
struct Place_0
{
    uint row_0;
    uint head_0;
};
float device* head_of_0(const Place_0 thread* place_0, uint j_0, uint which_0, KernelContext_0 thread* kernelContext_3)
{
    return (float device*)((ulong)(kernelContext_3->args_0->qkv_0)) + (ulong(j_0) * 3UL + ulong(which_0)) * ulong(C_HEADS_0 * C_HEAD_DIM_0) + place_0->head_0 * C_HEAD_DIM_0;
}
float infinity_0()
{
    return (as_type<float>((2139095040U)));
}
float score_of_0(const Place_0 thread* place_1, uint j_1, KernelContext_0 thread* kernelContext_4)
{
    float device* _S3 = head_of_0(place_1, j_1, 1U, kernelContext_4);
    float score_0 = 0.0;
    uint d_0 = 0U;
    for(;;)
    {
        if(d_0 < C_HEAD_DIM_0)
        {
        }
        else
        {
            break;
        }
        float _S4 = fma((*kernelContext_4->query_0)[d_0], *(_S3 + d_0), score_0);
        uint _S5 = d_0 + 1U;
        score_0 = _S4;
        d_0 = _S5;
    }
    if(C_REACH_0 == 0U)
    {
        return score_0;
    }
    return score_0 + *((float device*)((ulong)(kernelContext_4->args_0->bias_0)) + (ulong(min(*((uint device*)((ulong)(kernelContext_4->args_0->near_0)) + (max(- int(C_REACH_0), min(int(C_REACH_0), int(j_1) - int(place_1->row_0))) + int(C_REACH_0))), C_BUCKETS_0 - 1U)) * ulong(C_HEADS_0) + ulong(place_1->head_0)));
}
float group_max_0(uint t_0, float v_0, KernelContext_0 thread* kernelContext_5)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_5->sums_0)[t_0] = v_0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float s_0;
    uint i_1;
    if(t_0 < 8U)
    {
        s_0 = (*kernelContext_5->sums_0)[t_0];
        i_1 = 1U;
        for(;;)
        {
            if(i_1 < 8U)
            {
            }
            else
            {
                break;
            }
            float _S6 = max(s_0, (*kernelContext_5->sums_0)[i_1 * 8U + t_0]);
            uint _S7 = i_1 + 1U;
            s_0 = _S6;
            i_1 = _S7;
        }
        (*kernelContext_5->columns_0)[t_0] = s_0;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    s_0 = (*kernelContext_5->columns_0)[int(0)];
    i_1 = 1U;
    for(;;)
    {
        if(i_1 < 8U)
        {
        }
        else
        {
            break;
        }
        float _S8 = max(s_0, (*kernelContext_5->columns_0)[i_1]);
        uint _S9 = i_1 + 1U;
        s_0 = _S8;
        i_1 = _S9;
    }
    return s_0;
}
float power_of_two_0(int n_1)
{
    return (as_type<float>((uint(n_1 + int(127)) << 23U)));
}
float exp_of_0(float x_0)
{
    if(!(x_0 < 88.8000030517578125))
    {
        float _S10;
        if(x_0 != x_0)
        {
            _S10 = x_0;
        }
        else
        {
            _S10 = infinity_0();
        }
        return _S10;
    }
    if(x_0 < -104.0)
    {
        return 0.0;
    }
    float n_2 = floor(x_0 * 1.4426950216293335 + 0.5);
    float high_0 = x_0 - n_2 * 0.693359375;
    float r_0 = high_0 + n_2 * 0.00021219444170129;
    int _S11 = int(n_2);
    int half_0 = _S11 / int(2);
    return ((((((0.00019875691214111 * r_0 + 0.00139819993637502) * r_0 + 0.00833345204591751) * r_0 + 0.04166579619050026) * r_0 + 0.1666666567325592) * r_0 + 0.5) * r_0 * r_0 + r_0 + 1.0) * power_of_two_0(half_0) * power_of_two_0(_S11 - half_0);
}
float value_of_0(const Place_0 thread* place_2, uint j_2, uint d_1, KernelContext_0 thread* kernelContext_6)
{
    float device* _S12 = head_of_0(place_2, j_2, 2U, kernelContext_6);
    return *(_S12 + d_1);
}
float group_sum_0(uint t_1, float v_1, KernelContext_0 thread* kernelContext_7)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_7->sums_0)[t_1] = v_1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint i_2;
    float s_1;
    if(t_1 < 8U)
    {
        float _S13 = (*kernelContext_7->sums_0)[t_1];
        i_2 = 1U;
        s_1 = _S13;
        for(;;)
        {
            if(i_2 < 8U)
            {
            }
            else
            {
                break;
            }
            float s_2 = s_1 + (*kernelContext_7->sums_0)[i_2 * 8U + t_1];
            i_2 = i_2 + 1U;
            s_1 = s_2;
        }
        (*kernelContext_7->columns_0)[t_1] = s_1;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float _S14 = (*kernelContext_7->columns_0)[int(0)];
    i_2 = 1U;
    s_1 = _S14;
    for(;;)
    {
        if(i_2 < 8U)
        {
        }
        else
        {
            break;
        }
        float s_3 = s_1 + (*kernelContext_7->columns_0)[i_2];
        i_2 = i_2 + 1U;
        s_1 = s_3;
    }
    return s_1;
}
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
    uint a_0 = bits_1 & 2147483647U;
    if(a_0 > 2139095040U)
    {
        return sign_0 | 32256U;
    }
    if(a_0 >= 1199566848U)
    {
        return sign_0 | 31744U;
    }
    if(a_0 < 855638017U)
    {
        return sign_0;
    }
    uint e_0 = a_0 >> 23U;
    bool _S15 = e_0 < 113U;
    uint shift_0;
    if(_S15)
    {
        shift_0 = 126U - e_0;
    }
    else
    {
        shift_0 = 13U;
    }
    uint m_0;
    if(_S15)
    {
        m_0 = (a_0 & 8388607U) | 8388608U;
    }
    else
    {
        m_0 = a_0 - 939524096U;
    }
    uint q_0 = m_0 >> shift_0;
    uint rest_0 = m_0 & ((1U << shift_0) - 1U);
    uint half_1 = 1U << (shift_0 - 1U);
    bool _S16;
    if(rest_0 > half_1)
    {
        _S16 = true;
    }
    else
    {
        if(rest_0 == half_1)
        {
            _S16 = (q_0 & 1U) != 0U;
        }
        else
        {
            _S16 = false;
        }
    }
    uint q_1;
    if(_S16)
    {
        q_1 = q_0 + 1U;
    }
    else
    {
        q_1 = q_0;
    }
    return sign_0 | q_1;
}
void store_act_0(uint act_2, uchar device* row_1, uint i_3, float v_2)
{
    if(act_2 == 0U)
    {
        *((float device*)((ulong)(row_1)) + i_3) = v_2;
    }
    if(act_2 == 2U)
    {
        *((ushort device*)((ulong)(row_1)) + i_3) = ushort(f32_to_bf16_0(v_2));
    }
    if(act_2 == 3U)
    {
        ushort device* _S17 = (ushort device*)((ulong)(row_1)) + i_3;
        float _S18;
        if(isnan(v_2))
        {
            _S18 = v_2;
        }
        else
        {
            _S18 = clamp(v_2 * 0.03125, -65504.0, 65504.0);
        }
        *_S17 = ushort(f32_to_f16_0(_S18));
    }
    return;
}
void store_four_0(uint act_3, uchar device* row_2, uint t_2, uint i_4, uint width_0, float4 v_3, KernelContext_0 thread* kernelContext_8)
{
    uint n_3;
    if(i_4 < width_0)
    {
        n_3 = min(4U, width_0 - i_4);
    }
    else
    {
        n_3 = 0U;
    }
    uint e_1;
    if(act_3 != 6U)
    {
        e_1 = 0U;
        for(;;)
        {
            if(e_1 < n_3)
            {
            }
            else
            {
                break;
            }
            store_act_0(act_3, row_2, i_4 + e_1, v_3[e_1]);
            e_1 = e_1 + 1U;
        }
        return;
    }
    float _S19 = v_3.x;
    float _S20 = v_3.y;
    float _S21 = v_3.z;
    float _S22 = v_3.w;
    uint _S23 = max(max((as_type<uint>((_S19))) & 2147483647U, (as_type<uint>((_S20))) & 2147483647U), max((as_type<uint>((_S21))) & 2147483647U, (as_type<uint>((_S22))) & 2147483647U));
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_8->block_mosts_0)[t_2] = _S23;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint first_0 = t_2 / 8U * 8U;
    e_1 = _S23;
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
        uint _S24 = max(e_1, (*kernelContext_8->block_mosts_0)[first_0 + k_1]);
        uint _S25 = k_1 + 1U;
        e_1 = _S24;
        k_1 = _S25;
    }
    float largest_0 = (as_type<float>((e_1)));
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
    int _S26 = (as_type<int>((1.2582912e+07)));
    int a_1 = (as_type<int>((_S19 * inverse_0 + 1.2582912e+07))) - _S26;
    int b_0 = (as_type<int>((_S20 * inverse_0 + 1.2582912e+07))) - _S26;
    int c_0 = (as_type<int>((_S21 * inverse_0 + 1.2582912e+07))) - _S26;
    int d_2 = (as_type<int>((_S22 * inverse_0 + 1.2582912e+07))) - _S26;
    uint low_0 = (((uint(a_1) & 255U) | ((uint(b_0) & 255U) << 8U)) | ((uint(c_0) & 255U) << 16U)) | (uint(d_2) << 24U);
    uint high_1 = ((((uint(a_1 + int(128)) >> 8U) & 255U) | (((uint(b_0 + int(128)) >> 8U) & 255U) << 8U)) | (((uint(c_0 + int(128)) >> 8U) & 255U) << 16U)) | ((uint(d_2 + int(128)) >> 8U) << 24U);
    (*kernelContext_8->block_sums_0)[t_2] = a_1 + b_0 + (c_0 + d_2);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if(n_3 == 0U)
    {
        return;
    }
    uchar device* block_0 = row_2 + i_4 / 32U * 80U;
    uint _S27 = i_4 % 32U;
    *(uint device*)((ulong)(block_0 + _S27)) = high_1;
    *(uint device*)((ulong)(block_0 + int(32) + _S27)) = low_0;
    if(t_2 != first_0)
    {
        return;
    }
    int left_0 = (*kernelContext_8->block_sums_0)[t_2] + (*kernelContext_8->block_sums_0)[t_2 + 1U] + (*kernelContext_8->block_sums_0)[t_2 + 2U] + (*kernelContext_8->block_sums_0)[t_2 + 3U];
    int right_0 = (*kernelContext_8->block_sums_0)[t_2 + 4U] + (*kernelContext_8->block_sums_0)[t_2 + 5U] + (*kernelContext_8->block_sums_0)[t_2 + 6U] + (*kernelContext_8->block_sums_0)[t_2 + 7U];
    *(float device*)((ulong)(block_0 + int(64))) = scale_1;
    *(int device*)((ulong)(block_0 + int(68))) = left_0;
    *(int device*)((ulong)(block_0 + int(72))) = right_0;
    *(float device*)((ulong)(block_0 + int(76))) = scale_1 * float(left_0 + right_0);
    return;
}
void attend_0(const Place_0 thread* place_3, uint t_3, float device* q_2, uint first_1, uint end_0, uchar device* to_0, KernelContext_0 thread* kernelContext_9)
{
    uint i_5;
    float v_4;
    uint d_3 = t_3;
    for(;;)
    {
        if(d_3 < C_HEAD_DIM_0)
        {
        }
        else
        {
            break;
        }
        (*kernelContext_9->query_0)[d_3] = *(q_2 + d_3) * kernelContext_9->args_0->scale_0;
        d_3 = d_3 + 64U;
    }
    float _S28 = - infinity_0();
    thread array<float, int(8)> o_0;
    o_0[0U] = 0.0;
    o_0[1U] = 0.0;
    o_0[2U] = 0.0;
    o_0[3U] = 0.0;
    o_0[4U] = 0.0;
    o_0[5U] = 0.0;
    o_0[6U] = 0.0;
    o_0[7U] = 0.0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint from_0 = first_1;
    float most_0 = _S28;
    float sum_0 = 0.0;
    for(;;)
    {
        if(from_0 < end_0)
        {
        }
        else
        {
            break;
        }
        uint j_3 = from_0 + t_3;
        uint _S29 = min(64U, end_0 - from_0);
        bool _S30 = j_3 < end_0;
        float score_1;
        if(_S30)
        {
            float _S31 = score_of_0(place_3, j_3, kernelContext_9);
            score_1 = _S31;
        }
        else
        {
            score_1 = _S28;
        }
        float _S32 = group_max_0(t_3, score_1, kernelContext_9);
        float _S33 = max(most_0, _S32);
        float shrink_0;
        if(most_0 == _S33)
        {
            shrink_0 = 1.0;
        }
        else
        {
            shrink_0 = exp_of_0(most_0 - _S33);
        }
        float weight_0;
        if(_S30)
        {
            weight_0 = exp_of_0(score_1 - _S33);
        }
        else
        {
            weight_0 = 0.0;
        }
        float _S34 = sum_0 * shrink_0 + weight_0;
        (*kernelContext_9->weights_0)[t_3] = weight_0;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    if(t_3 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float _S35 = o_0[0U] * shrink_0;
                    i_5 = 0U;
                    v_4 = _S35;
                    for(;;)
                    {
                        if(i_5 < _S29)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S36 = (*kernelContext_9->weights_0)[i_5];
                        float _S37 = value_of_0(place_3, from_0 + i_5, t_3, kernelContext_9);
                        float _S38 = fma(_S36, _S37, v_4);
                        i_5 = i_5 + 1U;
                        v_4 = _S38;
                    }
                    o_0[0U] = v_4;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint d_4 = 64U + t_3;
                    if(d_4 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float _S39 = o_0[1U] * shrink_0;
                    i_5 = 0U;
                    v_4 = _S39;
                    for(;;)
                    {
                        if(i_5 < _S29)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S40 = (*kernelContext_9->weights_0)[i_5];
                        float _S41 = value_of_0(place_3, from_0 + i_5, d_4, kernelContext_9);
                        float _S42 = fma(_S40, _S41, v_4);
                        i_5 = i_5 + 1U;
                        v_4 = _S42;
                    }
                    o_0[1U] = v_4;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint d_5 = 128U + t_3;
                    if(d_5 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float _S43 = o_0[2U] * shrink_0;
                    i_5 = 0U;
                    v_4 = _S43;
                    for(;;)
                    {
                        if(i_5 < _S29)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S44 = (*kernelContext_9->weights_0)[i_5];
                        float _S45 = value_of_0(place_3, from_0 + i_5, d_5, kernelContext_9);
                        float _S46 = fma(_S44, _S45, v_4);
                        i_5 = i_5 + 1U;
                        v_4 = _S46;
                    }
                    o_0[2U] = v_4;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint d_6 = 192U + t_3;
                    if(d_6 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float _S47 = o_0[3U] * shrink_0;
                    i_5 = 0U;
                    v_4 = _S47;
                    for(;;)
                    {
                        if(i_5 < _S29)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S48 = (*kernelContext_9->weights_0)[i_5];
                        float _S49 = value_of_0(place_3, from_0 + i_5, d_6, kernelContext_9);
                        float _S50 = fma(_S48, _S49, v_4);
                        i_5 = i_5 + 1U;
                        v_4 = _S50;
                    }
                    o_0[3U] = v_4;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint d_7 = 256U + t_3;
                    if(d_7 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float _S51 = o_0[4U] * shrink_0;
                    i_5 = 0U;
                    v_4 = _S51;
                    for(;;)
                    {
                        if(i_5 < _S29)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S52 = (*kernelContext_9->weights_0)[i_5];
                        float _S53 = value_of_0(place_3, from_0 + i_5, d_7, kernelContext_9);
                        float _S54 = fma(_S52, _S53, v_4);
                        i_5 = i_5 + 1U;
                        v_4 = _S54;
                    }
                    o_0[4U] = v_4;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint d_8 = 320U + t_3;
                    if(d_8 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float _S55 = o_0[5U] * shrink_0;
                    i_5 = 0U;
                    v_4 = _S55;
                    for(;;)
                    {
                        if(i_5 < _S29)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S56 = (*kernelContext_9->weights_0)[i_5];
                        float _S57 = value_of_0(place_3, from_0 + i_5, d_8, kernelContext_9);
                        float _S58 = fma(_S56, _S57, v_4);
                        i_5 = i_5 + 1U;
                        v_4 = _S58;
                    }
                    o_0[5U] = v_4;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint d_9 = 384U + t_3;
                    if(d_9 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float _S59 = o_0[6U] * shrink_0;
                    i_5 = 0U;
                    v_4 = _S59;
                    for(;;)
                    {
                        if(i_5 < _S29)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S60 = (*kernelContext_9->weights_0)[i_5];
                        float _S61 = value_of_0(place_3, from_0 + i_5, d_9, kernelContext_9);
                        float _S62 = fma(_S60, _S61, v_4);
                        i_5 = i_5 + 1U;
                        v_4 = _S62;
                    }
                    o_0[6U] = v_4;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uint d_10 = 448U + t_3;
                    if(d_10 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float _S63 = o_0[7U] * shrink_0;
                    i_5 = 0U;
                    v_4 = _S63;
                    for(;;)
                    {
                        if(i_5 < _S29)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S64 = (*kernelContext_9->weights_0)[i_5];
                        float _S65 = value_of_0(place_3, from_0 + i_5, d_10, kernelContext_9);
                        float _S66 = fma(_S64, _S65, v_4);
                        i_5 = i_5 + 1U;
                        v_4 = _S66;
                    }
                    o_0[7U] = v_4;
                    break;
                }
                break;
            }
            break;
        }
        from_0 = from_0 + 64U;
        most_0 = _S33;
        sum_0 = _S34;
    }
    float _S67 = group_sum_0(t_3, sum_0, kernelContext_9);
    if(t_3 < C_HEAD_DIM_0)
    {
        (*kernelContext_9->query_0)[t_3] = o_0[0U] / _S67;
    }
    uint d_11 = 64U + t_3;
    if(d_11 < C_HEAD_DIM_0)
    {
        (*kernelContext_9->query_0)[d_11] = o_0[1U] / _S67;
    }
    uint d_12 = 128U + t_3;
    if(d_12 < C_HEAD_DIM_0)
    {
        (*kernelContext_9->query_0)[d_12] = o_0[2U] / _S67;
    }
    uint d_13 = 192U + t_3;
    if(d_13 < C_HEAD_DIM_0)
    {
        (*kernelContext_9->query_0)[d_13] = o_0[3U] / _S67;
    }
    uint d_14 = 256U + t_3;
    if(d_14 < C_HEAD_DIM_0)
    {
        (*kernelContext_9->query_0)[d_14] = o_0[4U] / _S67;
    }
    uint d_15 = 320U + t_3;
    if(d_15 < C_HEAD_DIM_0)
    {
        (*kernelContext_9->query_0)[d_15] = o_0[5U] / _S67;
    }
    uint d_16 = 384U + t_3;
    if(d_16 < C_HEAD_DIM_0)
    {
        (*kernelContext_9->query_0)[d_16] = o_0[6U] / _S67;
    }
    uint d_17 = 448U + t_3;
    if(d_17 < C_HEAD_DIM_0)
    {
        (*kernelContext_9->query_0)[d_17] = o_0[7U] / _S67;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    i_5 = 0U;
    for(;;)
    {
        if(i_5 < C_HEAD_DIM_0)
        {
        }
        else
        {
            break;
        }
        uint d_18 = i_5 + t_3 * 4U;
        thread float4 v_5 = float4(0.0) ;
        uint k_2 = 0U;
        for(;;)
        {
            if(k_2 < 4U)
            {
            }
            else
            {
                break;
            }
            uint _S68 = d_18 + k_2;
            if(_S68 < C_HEAD_DIM_0)
            {
                v_5[k_2] = (*kernelContext_9->query_0)[_S68];
            }
            k_2 = k_2 + 1U;
        }
        store_four_0(C_ACT_0, to_0, t_3, d_18, C_HEAD_DIM_0, v_5, kernelContext_9);
        i_5 = i_5 + 256U;
    }
    return;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_10;
    (&kernelContext_10)->args_0 = args_1;
    threadgroup array<float, int(512)> query_1;
    (&kernelContext_10)->query_0 = &query_1;
    threadgroup array<float, int(64)> sums_1;
    (&kernelContext_10)->sums_0 = &sums_1;
    threadgroup array<float, int(8)> columns_1;
    (&kernelContext_10)->columns_0 = &columns_1;
    threadgroup array<float, int(64)> weights_1;
    (&kernelContext_10)->weights_0 = &weights_1;
    threadgroup array<uint, int(64)> block_mosts_1;
    (&kernelContext_10)->block_mosts_0 = &block_mosts_1;
    threadgroup array<int, int(64)> block_sums_1;
    (&kernelContext_10)->block_sums_0 = &block_sums_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    uint r_1 = group_0.y;
    uint rows_1 = args_1->step_0->rows_0;
    bool _S69 = stopped_0(&kernelContext_10);
    bool _S70;
    if(_S69)
    {
        _S70 = true;
    }
    else
    {
        _S70 = r_1 >= rows_1;
    }
    if(_S70)
    {
        return;
    }
    Row_0 device* _S71 = step_rows_0(&kernelContext_10);
    Row_0 device* _S72 = _S71 + r_1;
    Row_0 row_3 = *_S72;
    uint first_2 = r_1 - (*_S72).pos_0;
    uint last_0 = r_1;
    uint end_1 = rows_1;
    for(;;)
    {
        if((last_0 + 1U) < end_1)
        {
        }
        else
        {
            break;
        }
        uint middle_0 = (last_0 + end_1) / 2U;
        Row_0 device* _S73 = step_rows_0(&kernelContext_10);
        if(((_S73 + middle_0)->seq_0) == (row_3.seq_0))
        {
            last_0 = middle_0;
        }
        else
        {
            end_1 = middle_0;
        }
    }
    uint first_3;
    if(C_WINDOW_0 != 0U)
    {
        uint _S74 = min(end_1, r_1 + C_WINDOW_0 + 1U);
        first_3 = max(first_2, r_1 - min(r_1, C_WINDOW_0));
        end_1 = _S74;
    }
    else
    {
        first_3 = first_2;
    }
    thread Place_0 place_4;
    (&place_4)->row_0 = r_1;
    uint _S75 = group_0.x;
    (&place_4)->head_0 = _S75;
    uchar device* to_1 = (&kernelContext_10)->args_0->out_0 + ulong(r_1) * act_row_bytes_0(C_ACT_0, C_HEADS_0 * C_HEAD_DIM_0) + act_bytes_0(C_ACT_0, _S75 * C_HEAD_DIM_0);
    thread Place_0 _S76 = place_4;
    float device* _S77 = head_of_0(&_S76, r_1, 0U, &kernelContext_10);
    thread Place_0 _S78 = place_4;
    attend_0(&_S78, sv_groupindex_0, _S77, first_3, end_1, to_1, &kernelContext_10);
    return;
}
