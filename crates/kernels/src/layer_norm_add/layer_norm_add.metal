// Made by tools/vulkan-kernels.sh of layer_norm_add.slang and what stands before it.
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
constant uint fc_C_STREAM_0 [[function_constant(2)]];
constant uint C_STREAM_0 = is_function_constant_defined(fc_C_STREAM_0) ? fc_C_STREAM_0 : 1U;
constant uint fc_C_D_0 [[function_constant(0)]];
constant uint C_D_0 = is_function_constant_defined(fc_C_D_0) ? fc_C_D_0 : 1U;
constant uint fc_C_SELECT_0 [[function_constant(3)]];
constant uint C_SELECT_0 = is_function_constant_defined(fc_C_SELECT_0) ? fc_C_SELECT_0 : 1U;
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
    uchar device* x_bias_0;
    uchar device* weight_0;
    uchar device* bias_0;
    uchar device* residual_0;
    uchar device* out_0;
    uchar device* act_out_0;
    float eps_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<float, int(256)> threadgroup* sums_0;
    array<float, int(16)> threadgroup* columns_0;
    array<uint, int(256)> threadgroup* block_mosts_0;
    array<int, int(256)> threadgroup* block_sums_0;
};
bool stopped_0(KernelContext_0 thread* kernelContext_0)
{
    return (kernelContext_0->args_0->step_0->stop_0) != 0U;
}
struct Head_0
{
    uint row_0;
    uint seq_0;
    uint token_0;
    uint pos_0;
};
Head_0 device* step_heads_0(KernelContext_0 thread* kernelContext_1)
{
    return (Head_0 device*)((ulong)((uchar device*)((ulong)(kernelContext_1->args_0->step_0)) + kernelContext_1->args_0->step_0->heads_at_0));
}
uint step_head_row_0(uint i_0, KernelContext_0 thread* kernelContext_2)
{
    uint _S1;
    if((kernelContext_2->args_0->step_0->heads_at_0) == 0U)
    {
        _S1 = kernelContext_2->args_0->step_0->rows_0 - kernelContext_2->args_0->step_0->head_rows_0 + i_0;
    }
    else
    {
        Head_0 device* _S2 = step_heads_0(kernelContext_2);
        _S1 = (_S2 + i_0)->row_0;
    }
    return _S1;
}
float4 four_0(float device* p_0, uint i_1)
{
    if((C_D_0 % 4U) == 0U)
    {
        return float4(*(packed_float4 device*)((ulong)(p_0 + i_1))) ;
    }
    thread float4 v_0 = float4(0.0) ;
    uint e_0 = 0U;
    for(;;)
    {
        if(e_0 < (min(4U, C_D_0 - i_1)))
        {
        }
        else
        {
            break;
        }
        v_0[e_0] = *(p_0 + (i_1 + e_0));
        e_0 = e_0 + 1U;
    }
    return v_0;
}
float4 input_0(ulong from_0, uint i_2, KernelContext_0 thread* kernelContext_3)
{
    float4 _S3 = four_0((float device*)((ulong)(kernelContext_3->args_0->residual_0)) + from_0, i_2);
    float4 _S4 = four_0((float device*)((ulong)(kernelContext_3->args_0->x_0)) + from_0, i_2);
    float4 _S5 = four_0((float device*)((ulong)(kernelContext_3->args_0->x_bias_0)), i_2);
    return _S3 + (_S4 + _S5);
}
float group_sum_0(uint t_0, float v_1, KernelContext_0 thread* kernelContext_4)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_4->sums_0)[t_0] = v_1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint i_3;
    float s_0;
    if(t_0 < 16U)
    {
        float _S6 = (*kernelContext_4->sums_0)[t_0];
        i_3 = 1U;
        s_0 = _S6;
        for(;;)
        {
            if(i_3 < 16U)
            {
            }
            else
            {
                break;
            }
            float s_1 = s_0 + (*kernelContext_4->sums_0)[i_3 * 16U + t_0];
            i_3 = i_3 + 1U;
            s_0 = s_1;
        }
        (*kernelContext_4->columns_0)[t_0] = s_0;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float _S7 = (*kernelContext_4->columns_0)[int(0)];
    i_3 = 1U;
    s_0 = _S7;
    for(;;)
    {
        if(i_3 < 16U)
        {
        }
        else
        {
            break;
        }
        float s_2 = s_0 + (*kernelContext_4->columns_0)[i_3];
        i_3 = i_3 + 1U;
        s_0 = s_2;
    }
    return s_0;
}
ulong act_bytes_0(uint act_0, uint n_0)
{
    uint _S8;
    if(act_0 == 0U)
    {
        _S8 = 4U * n_0;
    }
    else
    {
        if(act_0 == 6U)
        {
            _S8 = n_0 / 32U * 80U;
        }
        else
        {
            _S8 = 2U * n_0;
        }
    }
    return ulong(_S8);
}
ulong act_row_bytes_0(uint act_1, uint k_0)
{
    return (((act_bytes_0(act_1, k_0) + 63UL) / 64UL) | 1UL) * 64UL;
}
constant uint fc_C_ACT_0 [[function_constant(1)]];
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
    uint e_1 = a_0 >> 23U;
    bool _S9 = e_1 < 113U;
    uint shift_0;
    if(_S9)
    {
        shift_0 = 126U - e_1;
    }
    else
    {
        shift_0 = 13U;
    }
    uint m_0;
    if(_S9)
    {
        m_0 = (a_0 & 8388607U) | 8388608U;
    }
    else
    {
        m_0 = a_0 - 939524096U;
    }
    uint q_0 = m_0 >> shift_0;
    uint rest_0 = m_0 & ((1U << shift_0) - 1U);
    uint half_0 = 1U << (shift_0 - 1U);
    bool _S10;
    if(rest_0 > half_0)
    {
        _S10 = true;
    }
    else
    {
        if(rest_0 == half_0)
        {
            _S10 = (q_0 & 1U) != 0U;
        }
        else
        {
            _S10 = false;
        }
    }
    uint q_1;
    if(_S10)
    {
        q_1 = q_0 + 1U;
    }
    else
    {
        q_1 = q_0;
    }
    return sign_0 | q_1;
}
void store_act_0(uint act_2, uchar device* row_1, uint i_4, float v_2)
{
    if(act_2 == 0U)
    {
        *((float device*)((ulong)(row_1)) + i_4) = v_2;
    }
    if(act_2 == 2U)
    {
        *((ushort device*)((ulong)(row_1)) + i_4) = ushort(f32_to_bf16_0(v_2));
    }
    if(act_2 == 3U)
    {
        ushort device* _S11 = (ushort device*)((ulong)(row_1)) + i_4;
        float _S12;
        if(isnan(v_2))
        {
            _S12 = v_2;
        }
        else
        {
            _S12 = clamp(v_2 * 0.03125, -65504.0, 65504.0);
        }
        *_S11 = ushort(f32_to_f16_0(_S12));
    }
    return;
}
void store_four_0(uint act_3, uchar device* row_2, uint t_1, uint i_5, uint width_0, float4 v_3, KernelContext_0 thread* kernelContext_5)
{
    uint n_1;
    if(i_5 < width_0)
    {
        n_1 = min(4U, width_0 - i_5);
    }
    else
    {
        n_1 = 0U;
    }
    uint e_2;
    if(act_3 != 6U)
    {
        e_2 = 0U;
        for(;;)
        {
            if(e_2 < n_1)
            {
            }
            else
            {
                break;
            }
            store_act_0(act_3, row_2, i_5 + e_2, v_3[e_2]);
            e_2 = e_2 + 1U;
        }
        return;
    }
    float _S13 = v_3.x;
    float _S14 = v_3.y;
    float _S15 = v_3.z;
    float _S16 = v_3.w;
    uint _S17 = max(max((as_type<uint>((_S13))) & 2147483647U, (as_type<uint>((_S14))) & 2147483647U), max((as_type<uint>((_S15))) & 2147483647U, (as_type<uint>((_S16))) & 2147483647U));
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_5->block_mosts_0)[t_1] = _S17;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint first_0 = t_1 / 8U * 8U;
    e_2 = _S17;
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
        uint _S18 = max(e_2, (*kernelContext_5->block_mosts_0)[first_0 + k_1]);
        uint _S19 = k_1 + 1U;
        e_2 = _S18;
        k_1 = _S19;
    }
    float largest_0 = (as_type<float>((e_2)));
    bool tiny_0 = largest_0 <= 1.00000000317107685e-30;
    float scale_0;
    if(tiny_0)
    {
        scale_0 = 0.0;
    }
    else
    {
        scale_0 = largest_0 / 32512.0;
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
    int _S20 = (as_type<int>((1.2582912e+07)));
    int a_1 = (as_type<int>((_S13 * inverse_0 + 1.2582912e+07))) - _S20;
    int b_0 = (as_type<int>((_S14 * inverse_0 + 1.2582912e+07))) - _S20;
    int c_0 = (as_type<int>((_S15 * inverse_0 + 1.2582912e+07))) - _S20;
    int d_0 = (as_type<int>((_S16 * inverse_0 + 1.2582912e+07))) - _S20;
    uint low_0 = (((uint(a_1) & 255U) | ((uint(b_0) & 255U) << 8U)) | ((uint(c_0) & 255U) << 16U)) | (uint(d_0) << 24U);
    uint high_0 = ((((uint(a_1 + int(128)) >> 8U) & 255U) | (((uint(b_0 + int(128)) >> 8U) & 255U) << 8U)) | (((uint(c_0 + int(128)) >> 8U) & 255U) << 16U)) | ((uint(d_0 + int(128)) >> 8U) << 24U);
    (*kernelContext_5->block_sums_0)[t_1] = a_1 + b_0 + (c_0 + d_0);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if(n_1 == 0U)
    {
        return;
    }
    uchar device* block_0 = row_2 + i_5 / 32U * 80U;
    uint _S21 = i_5 % 32U;
    *(uint device*)((ulong)(block_0 + _S21)) = high_0;
    *(uint device*)((ulong)(block_0 + int(32) + _S21)) = low_0;
    if(t_1 != first_0)
    {
        return;
    }
    int left_0 = (*kernelContext_5->block_sums_0)[t_1] + (*kernelContext_5->block_sums_0)[t_1 + 1U] + (*kernelContext_5->block_sums_0)[t_1 + 2U] + (*kernelContext_5->block_sums_0)[t_1 + 3U];
    int right_0 = (*kernelContext_5->block_sums_0)[t_1 + 4U] + (*kernelContext_5->block_sums_0)[t_1 + 5U] + (*kernelContext_5->block_sums_0)[t_1 + 6U] + (*kernelContext_5->block_sums_0)[t_1 + 7U];
    *(float device*)((ulong)(block_0 + int(64))) = scale_0;
    *(int device*)((ulong)(block_0 + int(68))) = left_0;
    *(int device*)((ulong)(block_0 + int(72))) = right_0;
    *(float device*)((ulong)(block_0 + int(76))) = scale_0 * float(left_0 + right_0);
    return;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    uint e_3;
    thread KernelContext_0 kernelContext_6;
    (&kernelContext_6)->args_0 = args_1;
    threadgroup array<float, int(256)> sums_1;
    (&kernelContext_6)->sums_0 = &sums_1;
    threadgroup array<float, int(16)> columns_1;
    (&kernelContext_6)->columns_0 = &columns_1;
    threadgroup array<uint, int(256)> block_mosts_1;
    (&kernelContext_6)->block_mosts_0 = &block_mosts_1;
    threadgroup array<int, int(256)> block_sums_1;
    (&kernelContext_6)->block_sums_0 = &block_sums_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 256U + sv_groupthreadid_0[int(0)];
    bool _S22 = stopped_0(&kernelContext_6);
    if(_S22)
    {
        return;
    }
    uint r_0 = group_0.x;
    uint i_6;
    if(C_SELECT_0 != 0U)
    {
        i_6 = (&kernelContext_6)->args_0->step_0->head_rows_0;
    }
    else
    {
        i_6 = (&kernelContext_6)->args_0->step_0->rows_0;
    }
    if(r_0 >= i_6)
    {
        return;
    }
    if(C_SELECT_0 != 0U)
    {
        uint _S23 = step_head_row_0(r_0, &kernelContext_6);
        i_6 = _S23;
    }
    else
    {
        i_6 = r_0;
    }
    ulong _S24 = ulong(i_6) * ulong(C_D_0);
    uint _S25 = sv_groupindex_0 * 4U;
    i_6 = _S25;
    float sum_0 = 0.0;
    for(;;)
    {
        if(i_6 < C_D_0)
        {
        }
        else
        {
            break;
        }
        float4 _S26 = input_0(_S24, i_6, &kernelContext_6);
        float sum_1 = sum_0 + (_S26.x + _S26.y + (_S26.z + _S26.w));
        i_6 = i_6 + 1024U;
        sum_0 = sum_1;
    }
    float _S27 = group_sum_0(sv_groupindex_0, sum_0, &kernelContext_6);
    float _S28 = float(C_D_0);
    float _S29 = _S27 / _S28;
    float squares_0 = 0.0;
    i_6 = _S25;
    for(;;)
    {
        if(i_6 < C_D_0)
        {
        }
        else
        {
            break;
        }
        float4 _S30 = input_0(_S24, i_6, &kernelContext_6);
        float4 _S31 = _S30 - float4(_S29) ;
        e_3 = 0U;
        for(;;)
        {
            if(e_3 < (min(4U, C_D_0 - i_6)))
            {
            }
            else
            {
                break;
            }
            float _S32 = fma(_S31[e_3], _S31[e_3], squares_0);
            uint _S33 = e_3 + 1U;
            squares_0 = _S32;
            e_3 = _S33;
        }
        i_6 = i_6 + 1024U;
    }
    float _S34 = group_sum_0(sv_groupindex_0, squares_0, &kernelContext_6);
    float _S35 = 1.0 / sqrt(_S34 / _S28 + (&kernelContext_6)->args_0->eps_0);
    ulong _S36 = ulong(r_0);
    float device* _S37 = (float device*)((ulong)((&kernelContext_6)->args_0->out_0)) + _S36 * ulong(C_D_0);
    uchar device* _S38 = (&kernelContext_6)->args_0->act_out_0 + _S36 * act_row_bytes_0(C_ACT_0, C_D_0);
    uint begin_0 = 0U;
    for(;;)
    {
        if(begin_0 < C_D_0)
        {
        }
        else
        {
            break;
        }
        uint i_7 = begin_0 + _S25;
        float4 _S39 = float4(0.0) ;
        float4 y_0;
        if(i_7 < C_D_0)
        {
            float4 _S40 = input_0(_S24, i_7, &kernelContext_6);
            float4 _S41 = (_S40 - float4(_S29) ) * float4(_S35) ;
            float4 _S42 = four_0((float device*)((ulong)((&kernelContext_6)->args_0->weight_0)), i_7);
            float4 _S43 = _S41 * _S42;
            float4 _S44 = four_0((float device*)((ulong)((&kernelContext_6)->args_0->bias_0)), i_7);
            float4 _S45 = _S43 + _S44;
            e_3 = 0U;
            for(;;)
            {
                if(e_3 < (min(4U, C_D_0 - i_7)))
                {
                }
                else
                {
                    break;
                }
                float device* _S46 = _S37 + (i_7 + e_3);
                if(C_STREAM_0 != 0U)
                {
                    sum_0 = _S40[e_3];
                }
                else
                {
                    sum_0 = _S45[e_3];
                }
                *_S46 = sum_0;
                e_3 = e_3 + 1U;
            }
            y_0 = _S45;
        }
        else
        {
            y_0 = _S39;
        }
        store_four_0(C_ACT_0, _S38, sv_groupindex_0, i_7, C_D_0, y_0, &kernelContext_6);
        begin_0 = begin_0 + 1024U;
    }
    return;
}
