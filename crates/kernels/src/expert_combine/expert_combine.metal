// Made by tools/vulkan-kernels.sh of expert_combine.slang and what stands before it.
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
constant uint fc_C_USED_0 [[function_constant(1)]];
constant uint C_USED_0 = is_function_constant_defined(fc_C_USED_0) ? fc_C_USED_0 : 1U;
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
    uchar device* routes_0;
    uchar device* y_0;
    uchar device* residual_0;
    uchar device* out_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
};
bool stopped_0(KernelContext_0 thread* kernelContext_0)
{
    return (kernelContext_0->args_0->step_0->stop_0) != 0U;
}
constant uint fc_C_MAX_ROWS_0 [[function_constant(2)]];
constant uint C_MAX_ROWS_0 = is_function_constant_defined(fc_C_MAX_ROWS_0) ? fc_C_MAX_ROWS_0 : 1U;
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->args_0 = args_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S1 = stopped_0(&kernelContext_1);
    if(_S1)
    {
        return;
    }
    uint _S2 = 64U * min((C_D_0 + 255U) / 256U, 65535U);
    uint r_0 = group_0.y;
    for(;;)
    {
        if(r_0 < ((&kernelContext_1)->args_0->step_0->rows_0))
        {
        }
        else
        {
            break;
        }
        ulong _S3 = ulong(r_0);
        ulong _S4 = _S3 * ulong(C_USED_0);
        packed_uint2 device* _S5 = (packed_uint2 device*)((ulong)((&kernelContext_1)->args_0->routes_0)) + _S4;
        uint i_0 = group_0.x * 64U + sv_groupindex_0;
        for(;;)
        {
            if(i_0 < C_D_0)
            {
            }
            else
            {
                break;
            }
            float sum_0 = 0.0;
            uint k_0 = 0U;
            for(;;)
            {
                if(k_0 < C_USED_0)
                {
                }
                else
                {
                    break;
                }
                float _S6 = fma((as_type<float>(((uint2(*(_S5 + k_0)) ).y))), *((float device*)((ulong)((&kernelContext_1)->args_0->y_0)) + ((_S4 + ulong(k_0)) * ulong(C_D_0) + ulong(i_0))), sum_0);
                uint _S7 = k_0 + 1U;
                sum_0 = _S6;
                k_0 = _S7;
            }
            ulong at_0 = _S3 * ulong(C_D_0) + ulong(i_0);
            *((float device*)((ulong)((&kernelContext_1)->args_0->out_0)) + at_0) = *((float device*)((ulong)((&kernelContext_1)->args_0->residual_0)) + at_0) + sum_0;
            i_0 = i_0 + _S2;
        }
        r_0 = r_0 + min(C_MAX_ROWS_0, 65535U);
    }
    return;
}
