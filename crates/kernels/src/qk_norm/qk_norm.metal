// Made by tools/vulkan-kernels.sh of qk_norm.slang and what stands before it.
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
constant uint fc_C_KV_HEADS_0 [[function_constant(1)]];
constant uint C_KV_HEADS_0 = is_function_constant_defined(fc_C_KV_HEADS_0) ? fc_C_KV_HEADS_0 : 1U;
constant uint fc_C_SPAN_0 [[function_constant(3)]];
constant uint C_SPAN_0 = is_function_constant_defined(fc_C_SPAN_0) ? fc_C_SPAN_0 : 1U;
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
    uchar device* q_weight_0;
    uchar device* k_weight_0;
    uchar device* qkv_0;
    float eps_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<float, int(64)> threadgroup* sums_0;
};
bool stopped_0(KernelContext_0 thread* kernelContext_0)
{
    return (kernelContext_0->args_0->step_0->stop_0) != 0U;
}
float group_sum_0(uint t_0, float v_0, KernelContext_0 thread* kernelContext_1)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_1->sums_0)[t_0] = v_0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint half_0 = 32U;
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
            (*kernelContext_1->sums_0)[t_0] = (*kernelContext_1->sums_0)[t_0] + (*kernelContext_1->sums_0)[t_0 + half_0];
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        half_0 = half_0 / 2U;
    }
    return (*kernelContext_1->sums_0)[int(0)];
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_2;
    (&kernelContext_2)->args_0 = args_1;
    threadgroup array<float, int(64)> sums_1;
    (&kernelContext_2)->sums_0 = &sums_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S1 = stopped_0(&kernelContext_2);
    bool keys_0;
    if(_S1)
    {
        keys_0 = true;
    }
    else
    {
        keys_0 = (group_0.y) >= ((&kernelContext_2)->args_0->step_0->rows_0);
    }
    if(keys_0)
    {
        return;
    }
    uint v_1 = group_0.x;
    uint _S2 = v_1 * C_HEAD_DIM_0;
    bool _S3 = v_1 >= C_HEADS_0;
    uint from_0;
    uint n_0;
    if(C_SPAN_0 != 0U)
    {
        bool keys_1 = v_1 != 0U;
        if(keys_1)
        {
            from_0 = C_HEADS_0 * C_HEAD_DIM_0;
        }
        else
        {
            from_0 = 0U;
        }
        if(keys_1)
        {
            n_0 = C_KV_HEADS_0;
        }
        else
        {
            n_0 = C_HEADS_0;
        }
        uint _S4 = n_0 * C_HEAD_DIM_0;
        keys_0 = keys_1;
        n_0 = _S4;
    }
    else
    {
        keys_0 = _S3;
        from_0 = _S2;
        n_0 = C_HEAD_DIM_0;
    }
    uchar device* _S5;
    if(keys_0)
    {
        _S5 = (&kernelContext_2)->args_0->k_weight_0;
    }
    else
    {
        _S5 = (&kernelContext_2)->args_0->q_weight_0;
    }
    float device* _S6 = (float device*)((ulong)(_S5));
    float device* _S7 = (float device*)((ulong)((&kernelContext_2)->args_0->qkv_0)) + ulong(group_0.y) * ulong(C_HEADS_0 + 2U * C_KV_HEADS_0) * ulong(C_HEAD_DIM_0) + from_0;
    float sum_0 = 0.0;
    uint i_0 = sv_groupindex_0;
    for(;;)
    {
        if(i_0 < n_0)
        {
        }
        else
        {
            break;
        }
        float device* _S8 = _S7 + i_0;
        float _S9 = fma(*_S8, *_S8, sum_0);
        uint i_1 = i_0 + 64U;
        sum_0 = _S9;
        i_0 = i_1;
    }
    float _S10 = group_sum_0(sv_groupindex_0, sum_0, &kernelContext_2);
    float _S11 = 1.0 / sqrt(_S10 / float(n_0) + (&kernelContext_2)->args_0->eps_0);
    i_0 = sv_groupindex_0;
    for(;;)
    {
        if(i_0 < n_0)
        {
        }
        else
        {
            break;
        }
        float device* _S12 = _S7 + i_0;
        *_S12 = *_S12 * _S11 * *(_S6 + i_0);
        i_0 = i_0 + 64U;
    }
    return;
}
