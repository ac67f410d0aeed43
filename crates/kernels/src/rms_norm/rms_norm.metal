// Made by tools/vulkan-kernels.sh of rms_norm.slang and what stands before it.
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
constant uint fc_C_D_0 [[function_constant(0)]];
constant uint C_D_0 = is_function_constant_defined(fc_C_D_0) ? fc_C_D_0 : 1U;
constant uint fc_C_SELECT_0 [[function_constant(2)]];
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
    uchar device* weight_0;
    uchar device* out_0;
    float eps_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<float, int(256)> threadgroup* sums_0;
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
float group_sum_0(uint t_0, float v_1, KernelContext_0 thread* kernelContext_3)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_3->sums_0)[t_0] = v_1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint half_0 = 128U;
    for(;;)
    {
        if(half_0 != 0U)
        {
        }
        else
        {
            break;
        }
        if(t_0 < half_0)
        {
            (*kernelContext_3->sums_0)[t_0] = (*kernelContext_3->sums_0)[t_0] + (*kernelContext_3->sums_0)[t_0 + half_0];
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        half_0 = half_0 / 2U;
    }
    return (*kernelContext_3->sums_0)[int(0)];
}
ulong act_row_bytes_0(uint act_0, uint k_0)
{
    uint _S3;
    if(act_0 == 0U)
    {
        _S3 = 4U * k_0;
    }
    else
    {
        _S3 = 2U * k_0;
    }
    return ulong(((_S3 + 63U) / 64U) | 1U) * 64UL;
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
    bool _S4 = e_1 < 113U;
    uint shift_0;
    if(_S4)
    {
        shift_0 = 126U - e_1;
    }
    else
    {
        shift_0 = 13U;
    }
    uint m_0;
    if(_S4)
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
    bool _S5;
    if(rest_0 > half_1)
    {
        _S5 = true;
    }
    else
    {
        if(rest_0 == half_1)
        {
            _S5 = (q_0 & 1U) != 0U;
        }
        else
        {
            _S5 = false;
        }
    }
    uint q_1;
    if(_S5)
    {
        q_1 = q_0 + 1U;
    }
    else
    {
        q_1 = q_0;
    }
    return sign_0 | q_1;
}
void store_act_0(uint act_1, uchar device* row_1, uint i_2, float v_2)
{
    if(act_1 == 0U)
    {
        *((float device*)((ulong)(row_1)) + i_2) = v_2;
    }
    if(act_1 == 2U)
    {
        *((ushort device*)((ulong)(row_1)) + i_2) = ushort(f32_to_bf16_0(v_2));
    }
    if(act_1 == 3U)
    {
        ushort device* _S6 = (ushort device*)((ulong)(row_1)) + i_2;
        float _S7;
        if(isnan(v_2))
        {
            _S7 = v_2;
        }
        else
        {
            _S7 = clamp(v_2 * 0.03125, -65504.0, 65504.0);
        }
        *_S6 = ushort(f32_to_f16_0(_S7));
    }
    return;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_4;
    (&kernelContext_4)->args_0 = args_1;
    threadgroup array<float, int(256)> sums_1;
    (&kernelContext_4)->sums_0 = &sums_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 256U + sv_groupthreadid_0[int(0)];
    bool _S8 = stopped_0(&kernelContext_4);
    if(_S8)
    {
        return;
    }
    uint r_0 = group_0.x;
    uint from_0;
    if(C_SELECT_0 != 0U)
    {
        from_0 = (&kernelContext_4)->args_0->step_0->head_rows_0;
    }
    else
    {
        from_0 = (&kernelContext_4)->args_0->step_0->rows_0;
    }
    if(r_0 >= from_0)
    {
        return;
    }
    if(C_SELECT_0 != 0U)
    {
        uint _S9 = step_head_row_0(r_0, &kernelContext_4);
        from_0 = _S9;
    }
    else
    {
        from_0 = r_0;
    }
    float device* _S10 = (float device*)((ulong)((&kernelContext_4)->args_0->x_0)) + ulong(from_0) * ulong(C_D_0);
    uint _S11 = sv_groupindex_0 * 4U;
    float sum_0 = 0.0;
    uint i_3 = _S11;
    for(;;)
    {
        if(i_3 < C_D_0)
        {
        }
        else
        {
            break;
        }
        float4 v_3 = four_0(_S10, i_3);
        float _S12 = v_3.w;
        float _S13 = v_3.z;
        float _S14 = v_3.y;
        float _S15 = v_3.x;
        float _S16 = fma(_S12, _S12, fma(_S13, _S13, fma(_S14, _S14, fma(_S15, _S15, sum_0))));
        uint i_4 = i_3 + 1024U;
        sum_0 = _S16;
        i_3 = i_4;
    }
    float _S17 = group_sum_0(sv_groupindex_0, sum_0, &kernelContext_4);
    float _S18 = 1.0 / sqrt(_S17 / float(C_D_0) + (&kernelContext_4)->args_0->eps_0);
    uchar device* _S19 = (&kernelContext_4)->args_0->out_0 + ulong(r_0) * act_row_bytes_0(C_ACT_0, C_D_0);
    i_3 = _S11;
    for(;;)
    {
        if(i_3 < C_D_0)
        {
        }
        else
        {
            break;
        }
        float4 _S20 = four_0(_S10, i_3);
        float4 _S21 = four_0((float device*)((ulong)((&kernelContext_4)->args_0->weight_0)), i_3);
        uint e_2 = 0U;
        for(;;)
        {
            if(e_2 < (min(4U, C_D_0 - i_3)))
            {
            }
            else
            {
                break;
            }
            store_act_0(C_ACT_0, _S19, i_3 + e_2, _S20[e_2] * _S18 * _S21[e_2]);
            e_2 = e_2 + 1U;
        }
        i_3 = i_3 + 1024U;
    }
    return;
}
