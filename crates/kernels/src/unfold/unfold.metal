// Made by tools/vulkan-kernels.sh of unfold.slang and what stands before it.
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
constant uint fc_C_X_STRIDE_0 [[function_constant(4)]];
constant uint C_X_STRIDE_0 = is_function_constant_defined(fc_C_X_STRIDE_0) ? fc_C_X_STRIDE_0 : 1U;
constant uint fc_C_CHANNELS_0 [[function_constant(0)]];
constant uint C_CHANNELS_0 = is_function_constant_defined(fc_C_CHANNELS_0) ? fc_C_CHANNELS_0 : 1U;
constant uint fc_C_TAPS_0 [[function_constant(1)]];
constant uint C_TAPS_0 = is_function_constant_defined(fc_C_TAPS_0) ? fc_C_TAPS_0 : 1U;
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
    uchar device* out_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
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
constant uint fc_C_STRIDE_0 [[function_constant(2)]];
constant uint C_STRIDE_0 = is_function_constant_defined(fc_C_STRIDE_0) ? fc_C_STRIDE_0 : 1U;
constant uint fc_C_LEAD_0 [[function_constant(3)]];
constant uint C_LEAD_0 = is_function_constant_defined(fc_C_LEAD_0) ? fc_C_LEAD_0 : 1U;
float under_tap_0(uint r_0, const Row_0 thread* own_0, uint i_1, KernelContext_0 thread* kernelContext_3)
{
    uint _S3 = own_0->pos_0;
    uint _S4 = own_0->pos_0 * C_STRIDE_0;
    uint _S5 = i_1 % C_TAPS_0;
    uint ahead_0 = _S4 + _S5;
    if(ahead_0 < C_LEAD_0)
    {
        return 0.0;
    }
    uint frame_0 = ahead_0 - C_LEAD_0;
    uint _S6 = r_0 - _S3;
    uint _S7 = frame_0 / C_STRIDE_0;
    uint row_0 = _S6 + _S7;
    bool _S8;
    if(row_0 >= (kernelContext_3->args_0->step_0->rows_0))
    {
        _S8 = true;
    }
    else
    {
        Row_0 device* _S9 = step_rows_0(kernelContext_3);
        _S8 = ((_S9 + row_0)->seq_0) != (own_0->seq_0);
    }
    if(_S8)
    {
        return 0.0;
    }
    float device* _S10 = (float device*)((ulong)(kernelContext_3->args_0->x_0));
    ulong _S11 = ulong(row_0) * ulong(C_X_STRIDE_0);
    uint _S12 = frame_0 % C_STRIDE_0;
    ulong _S13 = _S11 + ulong(_S12 * C_CHANNELS_0);
    uint _S14 = i_1 / C_TAPS_0;
    return *(_S10 + (_S13 + ulong(_S14)));
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
    uint half_0 = 1U << (shift_0 - 1U);
    bool _S16;
    if(rest_0 > half_0)
    {
        _S16 = true;
    }
    else
    {
        if(rest_0 == half_0)
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
void store_act_0(uint act_2, uchar device* row_1, uint i_2, float v_0)
{
    if(act_2 == 0U)
    {
        *((float device*)((ulong)(row_1)) + i_2) = v_0;
    }
    if(act_2 == 2U)
    {
        *((ushort device*)((ulong)(row_1)) + i_2) = ushort(f32_to_bf16_0(v_0));
    }
    if(act_2 == 3U)
    {
        ushort device* _S17 = (ushort device*)((ulong)(row_1)) + i_2;
        float _S18;
        if(isnan(v_0))
        {
            _S18 = v_0;
        }
        else
        {
            _S18 = clamp(v_0 * 0.03125, -65504.0, 65504.0);
        }
        *_S17 = ushort(f32_to_f16_0(_S18));
    }
    return;
}
void store_four_0(uint act_3, uchar device* row_2, uint t_0, uint i_3, uint width_0, float4 v_1, KernelContext_0 thread* kernelContext_4)
{
    uint n_1;
    if(i_3 < width_0)
    {
        n_1 = min(4U, width_0 - i_3);
    }
    else
    {
        n_1 = 0U;
    }
    uint e_1;
    if(act_3 != 6U)
    {
        e_1 = 0U;
        for(;;)
        {
            if(e_1 < n_1)
            {
            }
            else
            {
                break;
            }
            store_act_0(act_3, row_2, i_3 + e_1, v_1[e_1]);
            e_1 = e_1 + 1U;
        }
        return;
    }
    float _S19 = v_1.x;
    float _S20 = v_1.y;
    float _S21 = v_1.z;
    float _S22 = v_1.w;
    uint _S23 = max(max((as_type<uint>((_S19))) & 2147483647U, (as_type<uint>((_S20))) & 2147483647U), max((as_type<uint>((_S21))) & 2147483647U, (as_type<uint>((_S22))) & 2147483647U));
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_4->block_mosts_0)[t_0] = _S23;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint first_0 = t_0 / 8U * 8U;
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
        uint _S24 = max(e_1, (*kernelContext_4->block_mosts_0)[first_0 + k_1]);
        uint _S25 = k_1 + 1U;
        e_1 = _S24;
        k_1 = _S25;
    }
    float largest_0 = (as_type<float>((e_1)));
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
    int _S26 = (as_type<int>((1.2582912e+07)));
    int a_1 = (as_type<int>((_S19 * inverse_0 + 1.2582912e+07))) - _S26;
    int b_0 = (as_type<int>((_S20 * inverse_0 + 1.2582912e+07))) - _S26;
    int c_0 = (as_type<int>((_S21 * inverse_0 + 1.2582912e+07))) - _S26;
    int d_0 = (as_type<int>((_S22 * inverse_0 + 1.2582912e+07))) - _S26;
    uint low_0 = (((uint(a_1) & 255U) | ((uint(b_0) & 255U) << 8U)) | ((uint(c_0) & 255U) << 16U)) | (uint(d_0) << 24U);
    uint high_0 = ((((uint(a_1 + int(128)) >> 8U) & 255U) | (((uint(b_0 + int(128)) >> 8U) & 255U) << 8U)) | (((uint(c_0 + int(128)) >> 8U) & 255U) << 16U)) | ((uint(d_0 + int(128)) >> 8U) << 24U);
    (*kernelContext_4->block_sums_0)[t_0] = a_1 + b_0 + (c_0 + d_0);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if(n_1 == 0U)
    {
        return;
    }
    uchar device* block_0 = row_2 + i_3 / 32U * 80U;
    uint _S27 = i_3 % 32U;
    *(uint device*)((ulong)(block_0 + _S27)) = high_0;
    *(uint device*)((ulong)(block_0 + int(32) + _S27)) = low_0;
    if(t_0 != first_0)
    {
        return;
    }
    int left_0 = (*kernelContext_4->block_sums_0)[t_0] + (*kernelContext_4->block_sums_0)[t_0 + 1U] + (*kernelContext_4->block_sums_0)[t_0 + 2U] + (*kernelContext_4->block_sums_0)[t_0 + 3U];
    int right_0 = (*kernelContext_4->block_sums_0)[t_0 + 4U] + (*kernelContext_4->block_sums_0)[t_0 + 5U] + (*kernelContext_4->block_sums_0)[t_0 + 6U] + (*kernelContext_4->block_sums_0)[t_0 + 7U];
    *(float device*)((ulong)(block_0 + int(64))) = scale_0;
    *(int device*)((ulong)(block_0 + int(68))) = left_0;
    *(int device*)((ulong)(block_0 + int(72))) = right_0;
    *(float device*)((ulong)(block_0 + int(76))) = scale_0 * float(left_0 + right_0);
    return;
}
constant uint fc_C_MAX_ROWS_0 [[function_constant(6)]];
constant uint C_MAX_ROWS_0 = is_function_constant_defined(fc_C_MAX_ROWS_0) ? fc_C_MAX_ROWS_0 : 1U;
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_5;
    (&kernelContext_5)->args_0 = args_1;
    threadgroup array<uint, int(64)> block_mosts_1;
    (&kernelContext_5)->block_mosts_0 = &block_mosts_1;
    threadgroup array<int, int(64)> block_sums_1;
    (&kernelContext_5)->block_sums_0 = &block_sums_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S28 = stopped_0(&kernelContext_5);
    if(_S28)
    {
        return;
    }
    uint _S29 = 256U * min((C_CHANNELS_0 * C_TAPS_0 + 255U) / 256U, 65535U);
    uint r_1 = group_0.y;
    for(;;)
    {
        if(r_1 < ((&kernelContext_5)->args_0->step_0->rows_0))
        {
        }
        else
        {
            break;
        }
        Row_0 device* _S30 = step_rows_0(&kernelContext_5);
        Row_0 _S31 = *(_S30 + r_1);
        uchar device* _S32 = (&kernelContext_5)->args_0->out_0 + ulong(r_1) * act_row_bytes_0(C_ACT_0, C_CHANNELS_0 * C_TAPS_0);
        uint begin_0 = group_0.x * 64U * 4U;
        for(;;)
        {
            if(begin_0 < (C_CHANNELS_0 * C_TAPS_0))
            {
            }
            else
            {
                break;
            }
            uint i_4 = begin_0 + sv_groupindex_0 * 4U;
            thread float4 v_2 = float4(0.0) ;
            uint e_2 = 0U;
            for(;;)
            {
                if(e_2 < 4U)
                {
                }
                else
                {
                    break;
                }
                uint _S33 = i_4 + e_2;
                if(_S33 < (C_CHANNELS_0 * C_TAPS_0))
                {
                    thread Row_0 _S34 = _S31;
                    float _S35 = under_tap_0(r_1, &_S34, _S33, &kernelContext_5);
                    v_2[e_2] = _S35;
                }
                e_2 = e_2 + 1U;
            }
            store_four_0(C_ACT_0, _S32, sv_groupindex_0, i_4, C_CHANNELS_0 * C_TAPS_0, v_2, &kernelContext_5);
            begin_0 = begin_0 + _S29;
        }
        r_1 = r_1 + min(C_MAX_ROWS_0, 65535U);
    }
    return;
}
