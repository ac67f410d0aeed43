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
    array<float, int(8)> threadgroup* columns_0;
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
    uint i_0;
    float s_0;
    if(t_0 < 8U)
    {
        float _S1 = (*kernelContext_1->sums_0)[t_0];
        i_0 = 1U;
        s_0 = _S1;
        for(;;)
        {
            if(i_0 < 8U)
            {
            }
            else
            {
                break;
            }
            float s_1 = s_0 + (*kernelContext_1->sums_0)[i_0 * 8U + t_0];
            i_0 = i_0 + 1U;
            s_0 = s_1;
        }
        (*kernelContext_1->columns_0)[t_0] = s_0;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float _S2 = (*kernelContext_1->columns_0)[int(0)];
    i_0 = 1U;
    s_0 = _S2;
    for(;;)
    {
        if(i_0 < 8U)
        {
        }
        else
        {
            break;
        }
        float s_2 = s_0 + (*kernelContext_1->columns_0)[i_0];
        i_0 = i_0 + 1U;
        s_0 = s_2;
    }
    return s_0;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_2;
    (&kernelContext_2)->args_0 = args_1;
    threadgroup array<float, int(64)> sums_1;
    (&kernelContext_2)->sums_0 = &sums_1;
    threadgroup array<float, int(8)> columns_1;
    (&kernelContext_2)->columns_0 = &columns_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S3 = stopped_0(&kernelContext_2);
    bool keys_0;
    if(_S3)
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
    uint _S4 = v_1 * C_HEAD_DIM_0;
    bool _S5 = v_1 >= C_HEADS_0;
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
        uint _S6 = n_0 * C_HEAD_DIM_0;
        keys_0 = keys_1;
        n_0 = _S6;
    }
    else
    {
        keys_0 = _S5;
        from_0 = _S4;
        n_0 = C_HEAD_DIM_0;
    }
    uchar device* _S7;
    if(keys_0)
    {
        _S7 = (&kernelContext_2)->args_0->k_weight_0;
    }
    else
    {
        _S7 = (&kernelContext_2)->args_0->q_weight_0;
    }
    float device* _S8 = (float device*)((ulong)(_S7));
    float device* _S9 = (float device*)((ulong)((&kernelContext_2)->args_0->qkv_0)) + ulong(group_0.y) * ulong(C_HEADS_0 + 2U * C_KV_HEADS_0) * ulong(C_HEAD_DIM_0) + from_0;
    float sum_0 = 0.0;
    uint i_1 = sv_groupindex_0;
    for(;;)
    {
        if(i_1 < n_0)
        {
        }
        else
        {
            break;
        }
        float device* _S10 = _S9 + i_1;
        float _S11 = fma(*_S10, *_S10, sum_0);
        uint i_2 = i_1 + 64U;
        sum_0 = _S11;
        i_1 = i_2;
    }
    float _S12 = group_sum_0(sv_groupindex_0, sum_0, &kernelContext_2);
    float _S13 = 1.0 / sqrt(_S12 / float(n_0) + (&kernelContext_2)->args_0->eps_0);
    i_1 = sv_groupindex_0;
    for(;;)
    {
        if(i_1 < n_0)
        {
        }
        else
        {
            break;
        }
        float device* _S14 = _S9 + i_1;
        *_S14 = *_S14 * _S13 * *(_S8 + i_1);
        i_1 = i_1 + 64U;
    }
    return;
}
