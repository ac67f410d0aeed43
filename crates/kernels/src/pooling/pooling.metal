// Made by tools/vulkan-kernels.sh of pooling.slang and what stands before it.
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
constant uint fc_C_NORMALIZE_0 [[function_constant(2)]];
constant uint C_NORMALIZE_0 = is_function_constant_defined(fc_C_NORMALIZE_0) ? fc_C_NORMALIZE_0 : 1U;
constant uint fc_C_D_0 [[function_constant(0)]];
constant uint C_D_0 = is_function_constant_defined(fc_C_D_0) ? fc_C_D_0 : 1U;
constant uint fc_C_POOLING_0 [[function_constant(1)]];
constant uint C_POOLING_0 = is_function_constant_defined(fc_C_POOLING_0) ? fc_C_POOLING_0 : 1U;
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
    array<float, int(256)> threadgroup* sums_0;
    array<float, int(16)> threadgroup* columns_0;
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
Seq_0 device* step_seq_0(uint i_1, KernelContext_0 thread* kernelContext_3)
{
    return (Seq_0 device*)((ulong)((uchar device*)((ulong)(kernelContext_3->args_0->step_0)) + int(64))) + i_1;
}
struct Row_0
{
    uint seq_1;
    uint pos_1;
};
Row_0 device* step_rows_0(KernelContext_0 thread* kernelContext_4)
{
    Seq_0 device* _S3 = step_seq_0(kernelContext_4->args_0->step_0->seqs_cap_0, kernelContext_4);
    return (Row_0 device*)((ulong)(_S3));
}
float group_sum_0(uint t_0, float v_0, KernelContext_0 thread* kernelContext_5)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_5->sums_0)[t_0] = v_0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint i_2;
    float s_0;
    if(t_0 < 16U)
    {
        float _S4 = (*kernelContext_5->sums_0)[t_0];
        i_2 = 1U;
        s_0 = _S4;
        for(;;)
        {
            if(i_2 < 16U)
            {
            }
            else
            {
                break;
            }
            float s_1 = s_0 + (*kernelContext_5->sums_0)[i_2 * 16U + t_0];
            i_2 = i_2 + 1U;
            s_0 = s_1;
        }
        (*kernelContext_5->columns_0)[t_0] = s_0;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float _S5 = (*kernelContext_5->columns_0)[int(0)];
    i_2 = 1U;
    s_0 = _S5;
    for(;;)
    {
        if(i_2 < 16U)
        {
        }
        else
        {
            break;
        }
        float s_2 = s_0 + (*kernelContext_5->columns_0)[i_2];
        i_2 = i_2 + 1U;
        s_0 = s_2;
    }
    return s_0;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_6;
    (&kernelContext_6)->args_0 = args_1;
    threadgroup array<float, int(256)> sums_1;
    (&kernelContext_6)->sums_0 = &sums_1;
    threadgroup array<float, int(16)> columns_1;
    (&kernelContext_6)->columns_0 = &columns_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 256U + sv_groupthreadid_0[int(0)];
    bool _S6 = stopped_0(&kernelContext_6);
    bool _S7;
    if(_S6)
    {
        _S7 = true;
    }
    else
    {
        _S7 = (group_0.x) >= ((&kernelContext_6)->args_0->step_0->head_rows_0);
    }
    if(_S7)
    {
        return;
    }
    uint _S8 = group_0.x;
    uint _S9 = step_head_row_0(_S8, &kernelContext_6);
    Row_0 device* _S10 = step_rows_0(&kernelContext_6);
    uint first_0 = _S9 - (_S10 + _S9)->pos_1;
    uint last_0;
    if(C_POOLING_0 == 1U)
    {
        last_0 = first_0;
    }
    else
    {
        last_0 = _S9;
    }
    uint first_1;
    if(C_POOLING_0 == 2U)
    {
        first_1 = last_0;
    }
    else
    {
        first_1 = first_0;
    }
    float _S11 = float(last_0 - first_1 + 1U);
    float device* _S12 = (float device*)((ulong)((&kernelContext_6)->args_0->out_0)) + ulong(_S8) * ulong(C_D_0);
    float squares_0 = 0.0;
    uint i_3 = sv_groupindex_0;
    for(;;)
    {
        if(i_3 < C_D_0)
        {
        }
        else
        {
            break;
        }
        uint r_0 = first_1;
        float v_1 = 0.0;
        for(;;)
        {
            if(r_0 <= last_0)
            {
            }
            else
            {
                break;
            }
            float v_2 = v_1 + *((float device*)((ulong)((&kernelContext_6)->args_0->x_0)) + (ulong(r_0) * ulong(C_D_0) + ulong(i_3)));
            r_0 = r_0 + 1U;
            v_1 = v_2;
        }
        float v_3 = v_1 / _S11;
        *(_S12 + i_3) = v_3;
        float _S13 = fma(v_3, v_3, squares_0);
        uint i_4 = i_3 + 256U;
        squares_0 = _S13;
        i_3 = i_4;
    }
    if(C_NORMALIZE_0 == 0U)
    {
        return;
    }
    float _S14 = group_sum_0(sv_groupindex_0, squares_0, &kernelContext_6);
    float _S15 = max(sqrt(_S14), 9.999999960041972e-13);
    i_3 = sv_groupindex_0;
    for(;;)
    {
        if(i_3 < C_D_0)
        {
        }
        else
        {
            break;
        }
        float device* _S16 = _S12 + i_3;
        *_S16 = *_S16 / _S15;
        i_3 = i_3 + 256U;
    }
    return;
}
