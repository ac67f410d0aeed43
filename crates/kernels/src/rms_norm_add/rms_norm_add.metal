// Made by tools/vulkan-kernels.sh of rms_norm_add.slang and what stands before it.
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
    uchar device* residual_0;
    uchar device* out_0;
    float eps_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<float, int(256)> threadgroup* sums_0;
    array<float, int(16)> threadgroup* columns_0;
};
bool stopped_0(KernelContext_0 thread* kernelContext_0)
{
    return (kernelContext_0->args_0->step_0->stop_0) != 0U;
}
float4 four_0(float device* p_0, uint i_0)
{
    if((C_D_0 % 4U) == 0U)
    {
        return float4(*(packed_float4 device*)((ulong)(p_0 + i_0))) ;
    }
    thread float4 v_0 = float4(0.0) ;
    uint e_0 = 0U;
    for(;;)
    {
        if(e_0 < (min(4U, C_D_0 - i_0)))
        {
        }
        else
        {
            break;
        }
        v_0[e_0] = *(p_0 + (i_0 + e_0));
        e_0 = e_0 + 1U;
    }
    return v_0;
}
float group_sum_0(uint t_0, float v_1, KernelContext_0 thread* kernelContext_1)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_1->sums_0)[t_0] = v_1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint i_1;
    float s_0;
    if(t_0 < 16U)
    {
        float _S1 = (*kernelContext_1->sums_0)[t_0];
        i_1 = 1U;
        s_0 = _S1;
        for(;;)
        {
            if(i_1 < 16U)
            {
            }
            else
            {
                break;
            }
            float s_1 = s_0 + (*kernelContext_1->sums_0)[i_1 * 16U + t_0];
            i_1 = i_1 + 1U;
            s_0 = s_1;
        }
        (*kernelContext_1->columns_0)[t_0] = s_0;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float _S2 = (*kernelContext_1->columns_0)[int(0)];
    i_1 = 1U;
    s_0 = _S2;
    for(;;)
    {
        if(i_1 < 16U)
        {
        }
        else
        {
            break;
        }
        float s_2 = s_0 + (*kernelContext_1->columns_0)[i_1];
        i_1 = i_1 + 1U;
        s_0 = s_2;
    }
    return s_0;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_2;
    (&kernelContext_2)->args_0 = args_1;
    threadgroup array<float, int(256)> sums_1;
    (&kernelContext_2)->sums_0 = &sums_1;
    threadgroup array<float, int(16)> columns_1;
    (&kernelContext_2)->columns_0 = &columns_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 256U + sv_groupthreadid_0[int(0)];
    bool _S3 = stopped_0(&kernelContext_2);
    bool _S4;
    if(_S3)
    {
        _S4 = true;
    }
    else
    {
        _S4 = (group_0.x) >= ((&kernelContext_2)->args_0->step_0->rows_0);
    }
    if(_S4)
    {
        return;
    }
    ulong at_0 = ulong(group_0.x) * ulong(C_D_0);
    float device* _S5 = (float device*)((ulong)((&kernelContext_2)->args_0->x_0)) + at_0;
    uint _S6 = sv_groupindex_0 * 4U;
    float sum_0 = 0.0;
    uint i_2 = _S6;
    for(;;)
    {
        if(i_2 < C_D_0)
        {
        }
        else
        {
            break;
        }
        float4 v_2 = four_0(_S5, i_2);
        float _S7 = v_2.w;
        float _S8 = v_2.z;
        float _S9 = v_2.y;
        float _S10 = v_2.x;
        float _S11 = fma(_S7, _S7, fma(_S8, _S8, fma(_S9, _S9, fma(_S10, _S10, sum_0))));
        uint i_3 = i_2 + 1024U;
        sum_0 = _S11;
        i_2 = i_3;
    }
    float _S12 = group_sum_0(sv_groupindex_0, sum_0, &kernelContext_2);
    float _S13 = 1.0 / sqrt(_S12 / float(C_D_0) + (&kernelContext_2)->args_0->eps_0);
    float device* _S14 = (float device*)((ulong)((&kernelContext_2)->args_0->residual_0)) + at_0;
    float device* _S15 = (float device*)((ulong)((&kernelContext_2)->args_0->out_0)) + at_0;
    i_2 = _S6;
    for(;;)
    {
        if(i_2 < C_D_0)
        {
        }
        else
        {
            break;
        }
        float4 _S16 = four_0(_S5, i_2);
        float4 _S17 = four_0((float device*)((ulong)((&kernelContext_2)->args_0->weight_0)), i_2);
        float4 _S18 = four_0(_S14, i_2);
        uint e_1 = 0U;
        for(;;)
        {
            if(e_1 < (min(4U, C_D_0 - i_2)))
            {
            }
            else
            {
                break;
            }
            *(_S15 + (i_2 + e_1)) = _S18[e_1] + _S16[e_1] * _S13 * _S17[e_1];
            e_1 = e_1 + 1U;
        }
        i_2 = i_2 + 1024U;
    }
    return;
}
