// Made by tools/vulkan-kernels.sh of rope.slang and what stands before it.
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
constant uint fc_C_PAIRING_0 [[function_constant(4)]];
constant uint C_PAIRING_0 = is_function_constant_defined(fc_C_PAIRING_0) ? fc_C_PAIRING_0 : 1U;
constant uint fc_C_PAIRS_0 [[function_constant(3)]];
constant uint C_PAIRS_0 = is_function_constant_defined(fc_C_PAIRS_0) ? fc_C_PAIRS_0 : 1U;
constant uint fc_C_HEAD_DIM_0 [[function_constant(2)]];
constant uint C_HEAD_DIM_0 = is_function_constant_defined(fc_C_HEAD_DIM_0) ? fc_C_HEAD_DIM_0 : 1U;
constant uint fc_C_HEADS_0 [[function_constant(0)]];
constant uint C_HEADS_0 = is_function_constant_defined(fc_C_HEADS_0) ? fc_C_HEADS_0 : 1U;
constant uint fc_C_KV_HEADS_0 [[function_constant(1)]];
constant uint C_KV_HEADS_0 = is_function_constant_defined(fc_C_KV_HEADS_0) ? fc_C_KV_HEADS_0 : 1U;
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
    uchar device* angles_0;
    uchar device* qkv_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
};
bool stopped_0(KernelContext_0 thread* kernelContext_0)
{
    return (kernelContext_0->args_0->step_0->stop_0) != 0U;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->args_0 = args_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S1 = stopped_0(&kernelContext_1);
    bool _S2;
    if(_S1)
    {
        _S2 = true;
    }
    else
    {
        _S2 = (group_0.y) >= ((&kernelContext_1)->args_0->step_0->rows_0);
    }
    if(_S2)
    {
        return;
    }
    ulong _S3 = ulong(group_0.y);
    float device* _S4 = (float device*)((ulong)((&kernelContext_1)->args_0->qkv_0)) + (_S3 * ulong(C_HEADS_0 + 2U * C_KV_HEADS_0) + ulong(group_0.x)) * ulong(C_HEAD_DIM_0);
    packed_float2 device* _S5 = (packed_float2 device*)((ulong)((&kernelContext_1)->args_0->angles_0)) + _S3 * ulong(C_PAIRS_0);
    uint i_0 = sv_groupindex_0;
    for(;;)
    {
        if(i_0 < C_PAIRS_0)
        {
        }
        else
        {
            break;
        }
        uint a_0;
        if(C_PAIRING_0 == 0U)
        {
            a_0 = 2U * i_0;
        }
        else
        {
            a_0 = i_0;
        }
        uint b_0;
        if(C_PAIRING_0 == 0U)
        {
            b_0 = a_0 + 1U;
        }
        else
        {
            b_0 = i_0 + C_PAIRS_0;
        }
        float2 _S6 = float2(*(_S5 + i_0)) ;
        float device* _S7 = _S4 + a_0;
        float first_0 = *_S7;
        float device* _S8 = _S4 + b_0;
        float second_0 = *_S8;
        float _S9 = _S6.x;
        float _S10 = _S6.y;
        *_S7 = *_S7 * _S9 - *_S8 * _S10;
        *_S8 = first_0 * _S10 + second_0 * _S9;
        i_0 = i_0 + 64U;
    }
    return;
}
