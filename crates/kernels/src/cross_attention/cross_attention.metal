// Made by tools/vulkan-kernels.sh of cross_attention.slang and what stands before it.
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
constant uint fc_C_POSITIONS_0 [[function_constant(2)]];
constant uint C_POSITIONS_0 = is_function_constant_defined(fc_C_POSITIONS_0) ? fc_C_POSITIONS_0 : 1U;
constant uint fc_C_FORMAT_0 [[function_constant(4)]];
constant uint C_FORMAT_0 = is_function_constant_defined(fc_C_FORMAT_0) ? fc_C_FORMAT_0 : 1U;
constant uint fc_C_HEADS_0 [[function_constant(0)]];
constant uint C_HEADS_0 = is_function_constant_defined(fc_C_HEADS_0) ? fc_C_HEADS_0 : 1U;
constant uint fc_C_HEAD_DIM_0 [[function_constant(1)]];
constant uint C_HEAD_DIM_0 = is_function_constant_defined(fc_C_HEAD_DIM_0) ? fc_C_HEAD_DIM_0 : 1U;
constant uint fc_C_SOURCES_0 [[function_constant(3)]];
constant uint C_SOURCES_0 = is_function_constant_defined(fc_C_SOURCES_0) ? fc_C_SOURCES_0 : 1U;
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
    uchar device* q_0;
    uchar device* reads_0;
    uchar device* keys_0;
    uchar device* values_0;
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
ulong cross_head_0(uint source_0, uint head_0)
{
    return (ulong(source_0) * ulong(C_HEADS_0) + ulong(head_0)) * ulong(C_HEAD_DIM_0) * ulong((C_POSITIONS_0 + 15U) / 16U * 16U);
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
float infinity_0()
{
    return (as_type<float>((2139095040U)));
}
float f16_to_f32_0(uint half_0)
{
    return (as_type<half>((ushort)((half_0 & 65535U))));
}
float cross_load_0(uchar device* from_0, ulong i_1)
{
    float _S3;
    if(C_FORMAT_0 != 0U)
    {
        _S3 = *((float device*)((ulong)(from_0)) + i_1);
    }
    else
    {
        _S3 = f16_to_f32_0(uint(*((ushort device*)((ulong)(from_0)) + i_1)));
    }
    return _S3;
}
struct Place_0
{
    ulong at_0;
};
float score_of_0(const Place_0 thread* place_0, uint j_0, KernelContext_0 thread* kernelContext_3)
{
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
        float _S4 = (*kernelContext_3->query_0)[d_0];
        float _S5 = cross_load_0(kernelContext_3->args_0->keys_0, place_0->at_0 + ulong(d_0) * ulong((C_POSITIONS_0 + 15U) / 16U * 16U) + ulong(j_0));
        float _S6 = fma(_S4, _S5, score_0);
        uint _S7 = d_0 + 1U;
        score_0 = _S6;
        d_0 = _S7;
    }
    return score_0;
}
float group_max_0(uint t_0, float v_0, KernelContext_0 thread* kernelContext_4)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_4->sums_0)[t_0] = v_0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float s_0;
    uint i_2;
    if(t_0 < 16U)
    {
        s_0 = (*kernelContext_4->sums_0)[t_0];
        i_2 = 1U;
        for(;;)
        {
            if(i_2 < 16U)
            {
            }
            else
            {
                break;
            }
            float _S8 = max(s_0, (*kernelContext_4->sums_0)[i_2 * 16U + t_0]);
            uint _S9 = i_2 + 1U;
            s_0 = _S8;
            i_2 = _S9;
        }
        (*kernelContext_4->columns_0)[t_0] = s_0;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    s_0 = (*kernelContext_4->columns_0)[int(0)];
    i_2 = 1U;
    for(;;)
    {
        if(i_2 < 16U)
        {
        }
        else
        {
            break;
        }
        float _S10 = max(s_0, (*kernelContext_4->columns_0)[i_2]);
        uint _S11 = i_2 + 1U;
        s_0 = _S10;
        i_2 = _S11;
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
        float _S12;
        if(x_0 != x_0)
        {
            _S12 = x_0;
        }
        else
        {
            _S12 = infinity_0();
        }
        return _S12;
    }
    if(x_0 < -104.0)
    {
        return 0.0;
    }
    float n_2 = floor(x_0 * 1.4426950216293335 + 0.5);
    float high_0 = x_0 - n_2 * 0.693359375;
    float r_0 = high_0 + n_2 * 0.00021219444170129;
    int _S13 = int(n_2);
    int half_1 = _S13 / int(2);
    return ((((((0.00019875691214111 * r_0 + 0.00139819993637502) * r_0 + 0.00833345204591751) * r_0 + 0.04166579619050026) * r_0 + 0.1666666567325592) * r_0 + 0.5) * r_0 * r_0 + r_0 + 1.0) * power_of_two_0(half_1) * power_of_two_0(_S13 - half_1);
}
float value_of_0(const Place_0 thread* place_1, uint j_1, uint d_1, KernelContext_0 thread* kernelContext_5)
{
    float _S14 = cross_load_0(kernelContext_5->args_0->values_0, place_1->at_0 + ulong(j_1) * ulong(C_HEAD_DIM_0) + ulong(d_1));
    return _S14;
}
float group_sum_0(uint t_1, float v_1, KernelContext_0 thread* kernelContext_6)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_6->sums_0)[t_1] = v_1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint i_3;
    float s_1;
    if(t_1 < 16U)
    {
        float _S15 = (*kernelContext_6->sums_0)[t_1];
        i_3 = 1U;
        s_1 = _S15;
        for(;;)
        {
            if(i_3 < 16U)
            {
            }
            else
            {
                break;
            }
            float s_2 = s_1 + (*kernelContext_6->sums_0)[i_3 * 16U + t_1];
            i_3 = i_3 + 1U;
            s_1 = s_2;
        }
        (*kernelContext_6->columns_0)[t_1] = s_1;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float _S16 = (*kernelContext_6->columns_0)[int(0)];
    i_3 = 1U;
    s_1 = _S16;
    for(;;)
    {
        if(i_3 < 16U)
        {
        }
        else
        {
            break;
        }
        float s_3 = s_1 + (*kernelContext_6->columns_0)[i_3];
        i_3 = i_3 + 1U;
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
    bool _S17 = e_0 < 113U;
    uint shift_0;
    if(_S17)
    {
        shift_0 = 126U - e_0;
    }
    else
    {
        shift_0 = 13U;
    }
    uint m_0;
    if(_S17)
    {
        m_0 = (a_0 & 8388607U) | 8388608U;
    }
    else
    {
        m_0 = a_0 - 939524096U;
    }
    uint q_1 = m_0 >> shift_0;
    uint rest_0 = m_0 & ((1U << shift_0) - 1U);
    uint half_2 = 1U << (shift_0 - 1U);
    bool _S18;
    if(rest_0 > half_2)
    {
        _S18 = true;
    }
    else
    {
        if(rest_0 == half_2)
        {
            _S18 = (q_1 & 1U) != 0U;
        }
        else
        {
            _S18 = false;
        }
    }
    uint q_2;
    if(_S18)
    {
        q_2 = q_1 + 1U;
    }
    else
    {
        q_2 = q_1;
    }
    return sign_0 | q_2;
}
void store_act_0(uint act_2, uchar device* row_0, uint i_4, float v_2)
{
    if(act_2 == 0U)
    {
        *((float device*)((ulong)(row_0)) + i_4) = v_2;
    }
    if(act_2 == 2U)
    {
        *((ushort device*)((ulong)(row_0)) + i_4) = ushort(f32_to_bf16_0(v_2));
    }
    if(act_2 == 3U)
    {
        ushort device* _S19 = (ushort device*)((ulong)(row_0)) + i_4;
        float _S20;
        if(isnan(v_2))
        {
            _S20 = v_2;
        }
        else
        {
            _S20 = clamp(v_2 * 0.03125, -65504.0, 65504.0);
        }
        *_S19 = ushort(f32_to_f16_0(_S20));
    }
    return;
}
void store_four_0(uint act_3, uchar device* row_1, uint t_2, uint i_5, uint width_0, float4 v_3, KernelContext_0 thread* kernelContext_7)
{
    uint n_3;
    if(i_5 < width_0)
    {
        n_3 = min(4U, width_0 - i_5);
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
            store_act_0(act_3, row_1, i_5 + e_1, v_3[e_1]);
            e_1 = e_1 + 1U;
        }
        return;
    }
    float _S21 = v_3.x;
    float _S22 = v_3.y;
    float _S23 = v_3.z;
    float _S24 = v_3.w;
    uint _S25 = max(max((as_type<uint>((_S21))) & 2147483647U, (as_type<uint>((_S22))) & 2147483647U), max((as_type<uint>((_S23))) & 2147483647U, (as_type<uint>((_S24))) & 2147483647U));
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_7->block_mosts_0)[t_2] = _S25;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint first_0 = t_2 / 8U * 8U;
    e_1 = _S25;
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
        uint _S26 = max(e_1, (*kernelContext_7->block_mosts_0)[first_0 + k_1]);
        uint _S27 = k_1 + 1U;
        e_1 = _S26;
        k_1 = _S27;
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
    int _S28 = (as_type<int>((1.2582912e+07)));
    int a_1 = (as_type<int>((_S21 * inverse_0 + 1.2582912e+07))) - _S28;
    int b_0 = (as_type<int>((_S22 * inverse_0 + 1.2582912e+07))) - _S28;
    int c_0 = (as_type<int>((_S23 * inverse_0 + 1.2582912e+07))) - _S28;
    int d_2 = (as_type<int>((_S24 * inverse_0 + 1.2582912e+07))) - _S28;
    uint low_0 = (((uint(a_1) & 255U) | ((uint(b_0) & 255U) << 8U)) | ((uint(c_0) & 255U) << 16U)) | (uint(d_2) << 24U);
    uint high_1 = ((((uint(a_1 + int(128)) >> 8U) & 255U) | (((uint(b_0 + int(128)) >> 8U) & 255U) << 8U)) | (((uint(c_0 + int(128)) >> 8U) & 255U) << 16U)) | ((uint(d_2 + int(128)) >> 8U) << 24U);
    (*kernelContext_7->block_sums_0)[t_2] = a_1 + b_0 + (c_0 + d_2);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if(n_3 == 0U)
    {
        return;
    }
    uchar device* block_0 = row_1 + i_5 / 32U * 80U;
    uint _S29 = i_5 % 32U;
    *(uint device*)((ulong)(block_0 + _S29)) = high_1;
    *(uint device*)((ulong)(block_0 + int(32) + _S29)) = low_0;
    if(t_2 != first_0)
    {
        return;
    }
    int left_0 = (*kernelContext_7->block_sums_0)[t_2] + (*kernelContext_7->block_sums_0)[t_2 + 1U] + (*kernelContext_7->block_sums_0)[t_2 + 2U] + (*kernelContext_7->block_sums_0)[t_2 + 3U];
    int right_0 = (*kernelContext_7->block_sums_0)[t_2 + 4U] + (*kernelContext_7->block_sums_0)[t_2 + 5U] + (*kernelContext_7->block_sums_0)[t_2 + 6U] + (*kernelContext_7->block_sums_0)[t_2 + 7U];
    *(float device*)((ulong)(block_0 + int(64))) = scale_1;
    *(int device*)((ulong)(block_0 + int(68))) = left_0;
    *(int device*)((ulong)(block_0 + int(72))) = right_0;
    *(float device*)((ulong)(block_0 + int(76))) = scale_1 * float(left_0 + right_0);
    return;
}
void attend_0(const Place_0 thread* place_2, uint t_3, float device* q_3, uint first_1, uint end_0, uchar device* to_0, KernelContext_0 thread* kernelContext_8)
{
    uint i_6;
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
        (*kernelContext_8->query_0)[d_3] = *(q_3 + d_3) * kernelContext_8->args_0->scale_0;
        d_3 = d_3 + 256U;
    }
    float _S30 = - infinity_0();
    thread array<float, int(2)> o_0;
    o_0[0U] = 0.0;
    o_0[1U] = 0.0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint from_1 = first_1;
    float most_0 = _S30;
    float sum_0 = 0.0;
    for(;;)
    {
        if(from_1 < end_0)
        {
        }
        else
        {
            break;
        }
        uint j_2 = from_1 + t_3;
        uint _S31 = min(256U, end_0 - from_1);
        bool _S32 = j_2 < end_0;
        float score_1;
        if(_S32)
        {
            float _S33 = score_of_0(place_2, j_2, kernelContext_8);
            score_1 = _S33;
        }
        else
        {
            score_1 = _S30;
        }
        float _S34 = group_max_0(t_3, score_1, kernelContext_8);
        float _S35 = max(most_0, _S34);
        float shrink_0;
        if(most_0 == _S35)
        {
            shrink_0 = 1.0;
        }
        else
        {
            shrink_0 = exp_of_0(most_0 - _S35);
        }
        float weight_0;
        if(_S32)
        {
            weight_0 = exp_of_0(score_1 - _S35);
        }
        else
        {
            weight_0 = 0.0;
        }
        float _S36 = sum_0 * shrink_0 + weight_0;
        (*kernelContext_8->weights_0)[t_3] = weight_0;
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
                    float _S37 = o_0[0U] * shrink_0;
                    i_6 = 0U;
                    v_4 = _S37;
                    for(;;)
                    {
                        if(i_6 < _S31)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S38 = (*kernelContext_8->weights_0)[i_6];
                        float _S39 = value_of_0(place_2, from_1 + i_6, t_3, kernelContext_8);
                        float _S40 = fma(_S38, _S39, v_4);
                        i_6 = i_6 + 1U;
                        v_4 = _S40;
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
                    uint d_4 = 256U + t_3;
                    if(d_4 >= C_HEAD_DIM_0)
                    {
                        break;
                    }
                    float _S41 = o_0[1U] * shrink_0;
                    i_6 = 0U;
                    v_4 = _S41;
                    for(;;)
                    {
                        if(i_6 < _S31)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S42 = (*kernelContext_8->weights_0)[i_6];
                        float _S43 = value_of_0(place_2, from_1 + i_6, d_4, kernelContext_8);
                        float _S44 = fma(_S42, _S43, v_4);
                        i_6 = i_6 + 1U;
                        v_4 = _S44;
                    }
                    o_0[1U] = v_4;
                    break;
                }
                break;
            }
            break;
        }
        from_1 = from_1 + 256U;
        most_0 = _S35;
        sum_0 = _S36;
    }
    float _S45 = group_sum_0(t_3, sum_0, kernelContext_8);
    if(t_3 < C_HEAD_DIM_0)
    {
        (*kernelContext_8->query_0)[t_3] = o_0[0U] / _S45;
    }
    uint d_5 = 256U + t_3;
    if(d_5 < C_HEAD_DIM_0)
    {
        (*kernelContext_8->query_0)[d_5] = o_0[1U] / _S45;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    i_6 = 0U;
    for(;;)
    {
        if(i_6 < C_HEAD_DIM_0)
        {
        }
        else
        {
            break;
        }
        uint d_6 = i_6 + t_3 * 4U;
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
            uint _S46 = d_6 + k_2;
            if(_S46 < C_HEAD_DIM_0)
            {
                v_5[k_2] = (*kernelContext_8->query_0)[_S46];
            }
            k_2 = k_2 + 1U;
        }
        store_four_0(C_ACT_0, to_0, t_3, d_6, C_HEAD_DIM_0, v_5, kernelContext_8);
        i_6 = i_6 + 1024U;
    }
    return;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_9;
    (&kernelContext_9)->args_0 = args_1;
    threadgroup array<float, int(512)> query_1;
    (&kernelContext_9)->query_0 = &query_1;
    threadgroup array<float, int(256)> sums_1;
    (&kernelContext_9)->sums_0 = &sums_1;
    threadgroup array<float, int(16)> columns_1;
    (&kernelContext_9)->columns_0 = &columns_1;
    threadgroup array<float, int(256)> weights_1;
    (&kernelContext_9)->weights_0 = &weights_1;
    threadgroup array<uint, int(256)> block_mosts_1;
    (&kernelContext_9)->block_mosts_0 = &block_mosts_1;
    threadgroup array<int, int(256)> block_sums_1;
    (&kernelContext_9)->block_sums_0 = &block_sums_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 256U + sv_groupthreadid_0[int(0)];
    uint r_1 = group_0.y;
    uint head_1 = group_0.x;
    bool _S47 = stopped_0(&kernelContext_9);
    bool _S48;
    if(_S47)
    {
        _S48 = true;
    }
    else
    {
        _S48 = r_1 >= ((&kernelContext_9)->args_0->step_0->rows_0);
    }
    if(_S48)
    {
        return;
    }
    thread Place_0 place_3;
    uint device* _S49 = (uint device*)((ulong)((&kernelContext_9)->args_0->reads_0));
    Row_0 device* _S50 = step_rows_0(&kernelContext_9);
    (&place_3)->at_0 = cross_head_0(min(*(_S49 + (_S50 + r_1)->seq_0), C_SOURCES_0 - 1U), head_1);
    ulong _S51 = ulong(r_1);
    uint _S52 = head_1 * C_HEAD_DIM_0;
    uchar device* to_1 = (&kernelContext_9)->args_0->out_0 + _S51 * act_row_bytes_0(C_ACT_0, C_HEADS_0 * C_HEAD_DIM_0) + act_bytes_0(C_ACT_0, _S52);
    float device* _S53 = (float device*)((ulong)((&kernelContext_9)->args_0->q_0)) + _S51 * ulong(C_HEADS_0 * C_HEAD_DIM_0) + _S52;
    thread Place_0 _S54 = place_3;
    attend_0(&_S54, sv_groupindex_0, _S53, 0U, C_POSITIONS_0, to_1, &kernelContext_9);
    return;
}
