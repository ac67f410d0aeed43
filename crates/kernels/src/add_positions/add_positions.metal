// Made by tools/vulkan-kernels.sh of add_positions.slang and what stands before it.
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
constant uint fc_C_POSITIONS_0 [[function_constant(1)]];
constant uint C_POSITIONS_0 = is_function_constant_defined(fc_C_POSITIONS_0) ? fc_C_POSITIONS_0 : 1U;
constant uint fc_C_SEGMENTS_0 [[function_constant(3)]];
constant uint C_SEGMENTS_0 = is_function_constant_defined(fc_C_SEGMENTS_0) ? fc_C_SEGMENTS_0 : 1U;
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
    uchar device* positions_0;
    uchar device* segments_0;
    uchar device* x_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
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
constant uint fc_C_FIRST_0 [[function_constant(2)]];
constant uint C_FIRST_0 = is_function_constant_defined(fc_C_FIRST_0) ? fc_C_FIRST_0 : 1U;
constant uint fc_C_MAX_ROWS_0 [[function_constant(4)]];
constant uint C_MAX_ROWS_0 = is_function_constant_defined(fc_C_MAX_ROWS_0) ? fc_C_MAX_ROWS_0 : 1U;
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_3;
    (&kernelContext_3)->args_0 = args_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S2 = stopped_0(&kernelContext_3);
    if(_S2)
    {
        return;
    }
    uint _S3 = 64U * min((C_D_0 + 255U) / 256U, 65535U);
    uint r_0 = group_0.y;
    for(;;)
    {
        if(r_0 < ((&kernelContext_3)->args_0->step_0->rows_0))
        {
        }
        else
        {
            break;
        }
        Row_0 device* _S4 = step_rows_0(&kernelContext_3);
        Row_0 own_0 = *(_S4 + r_0);
        uint second_0;
        if(C_SEGMENTS_0 > 1U)
        {
            Seq_0 device* _S5 = step_seq_0(own_0.seq_0, &kernelContext_3);
            second_0 = _S5->limit_0;
        }
        else
        {
            second_0 = 0U;
        }
        float device* _S6 = (float device*)((ulong)((&kernelContext_3)->args_0->segments_0));
        bool _S7;
        if(second_0 != 0U)
        {
            _S7 = (own_0.pos_0) >= second_0;
        }
        else
        {
            _S7 = false;
        }
        uint _S8;
        if(_S7)
        {
            _S8 = C_D_0;
        }
        else
        {
            _S8 = 0U;
        }
        float device* _S9 = _S6 + _S8;
        float device* _S10 = (float device*)((ulong)((&kernelContext_3)->args_0->positions_0)) + ulong(min(C_FIRST_0 + own_0.pos_0, C_POSITIONS_0 - 1U)) * ulong(C_D_0);
        float device* _S11 = (float device*)((ulong)((&kernelContext_3)->args_0->x_0)) + ulong(r_0) * ulong(C_D_0);
        uint i_1 = group_0.x * 64U + sv_groupindex_0;
        for(;;)
        {
            if(i_1 < C_D_0)
            {
            }
            else
            {
                break;
            }
            float device* _S12 = _S11 + i_1;
            *_S12 = *_S12 + *(_S9 + i_1) + *(_S10 + i_1);
            i_1 = i_1 + _S3;
        }
        r_0 = r_0 + min(C_MAX_ROWS_0, 65535U);
    }
    return;
}
