// Made by tools/vulkan-kernels.sh of cross_scores.slang and what stands before it.
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
    uchar device* out_0;
    float scale_0;
    uint head_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<float, int(512)> threadgroup* query_0;
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
ulong cross_head_0(uint source_0, uint head_1)
{
    return (ulong(source_0) * ulong(C_HEADS_0) + ulong(head_1)) * ulong(C_HEAD_DIM_0) * ulong((C_POSITIONS_0 + 15U) / 16U * 16U);
}
float f16_to_f32_0(uint half_0)
{
    return (as_type<half>((ushort)((half_0 & 65535U))));
}
float cross_load_0(uchar device* from_0, ulong i_1)
{
    float _S2;
    if(C_FORMAT_0 != 0U)
    {
        _S2 = *((float device*)((ulong)(from_0)) + i_1);
    }
    else
    {
        _S2 = f16_to_f32_0(uint(*((ushort device*)((ulong)(from_0)) + i_1)));
    }
    return _S2;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_3;
    (&kernelContext_3)->args_0 = args_1;
    threadgroup array<float, int(512)> query_1;
    (&kernelContext_3)->query_0 = &query_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 256U + sv_groupthreadid_0[int(0)];
    uint r_0 = group_0.x;
    uint _S3 = min(args_1->head_0, C_HEADS_0 - 1U);
    bool _S4 = stopped_0(&kernelContext_3);
    bool _S5;
    if(_S4)
    {
        _S5 = true;
    }
    else
    {
        _S5 = r_0 >= ((&kernelContext_3)->args_0->step_0->rows_0);
    }
    if(_S5)
    {
        return;
    }
    uint device* _S6 = (uint device*)((ulong)((&kernelContext_3)->args_0->reads_0));
    Row_0 device* _S7 = step_rows_0(&kernelContext_3);
    ulong _S8 = cross_head_0(min(*(_S6 + (_S7 + r_0)->seq_0), C_SOURCES_0 - 1U), _S3);
    ulong _S9 = ulong(r_0);
    float device* _S10 = (float device*)((ulong)((&kernelContext_3)->args_0->q_0)) + _S9 * ulong(C_HEADS_0 * C_HEAD_DIM_0) + _S3 * C_HEAD_DIM_0;
    uint d_0 = sv_groupindex_0;
    for(;;)
    {
        if(d_0 < C_HEAD_DIM_0)
        {
        }
        else
        {
            break;
        }
        (*(&kernelContext_3)->query_0)[d_0] = *(_S10 + d_0) * (&kernelContext_3)->args_0->scale_0;
        d_0 = d_0 + 256U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint j_0 = sv_groupindex_0;
    for(;;)
    {
        if(j_0 < C_POSITIONS_0)
        {
        }
        else
        {
            break;
        }
        float score_0 = 0.0;
        d_0 = 0U;
        for(;;)
        {
            if(d_0 < C_HEAD_DIM_0)
            {
            }
            else
            {
                break;
            }
            float _S11 = (*(&kernelContext_3)->query_0)[d_0];
            float _S12 = cross_load_0((&kernelContext_3)->args_0->keys_0, _S8 + ulong(d_0) * ulong((C_POSITIONS_0 + 15U) / 16U * 16U) + ulong(j_0));
            float _S13 = fma(_S11, _S12, score_0);
            uint _S14 = d_0 + 1U;
            score_0 = _S13;
            d_0 = _S14;
        }
        *((float device*)((ulong)((&kernelContext_3)->args_0->out_0)) + (_S9 * ulong(C_POSITIONS_0) + ulong(j_0))) = score_0;
        j_0 = j_0 + 256U;
    }
    return;
}
