// Made by tools/vulkan-kernels.sh of softcap.slang and what stands before it.
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
constant uint fc_C_N_0 [[function_constant(0)]];
constant uint C_N_0 = is_function_constant_defined(fc_C_N_0) ? fc_C_N_0 : 1U;
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
    float cap_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
};
bool stopped_0(KernelContext_0 thread* kernelContext_0)
{
    return (kernelContext_0->args_0->step_0->stop_0) != 0U;
}
float infinity_0()
{
    return (as_type<float>((2139095040U)));
}
float power_of_two_0(int n_0)
{
    return (as_type<float>((uint(n_0 + int(127)) << 23U)));
}
float exp_of_0(float x_1)
{
    if(!(x_1 < 88.8000030517578125))
    {
        float _S1;
        if(x_1 != x_1)
        {
            _S1 = x_1;
        }
        else
        {
            _S1 = infinity_0();
        }
        return _S1;
    }
    if(x_1 < -104.0)
    {
        return 0.0;
    }
    float n_1 = floor(x_1 * 1.4426950216293335 + 0.5);
    float high_0 = x_1 - n_1 * 0.693359375;
    float r_0 = high_0 + n_1 * 0.00021219444170129;
    int _S2 = int(n_1);
    int half_0 = _S2 / int(2);
    return ((((((0.00019875691214111 * r_0 + 0.00139819993637502) * r_0 + 0.00833345204591751) * r_0 + 0.04166579619050026) * r_0 + 0.1666666567325592) * r_0 + 0.5) * r_0 * r_0 + r_0 + 1.0) * power_of_two_0(half_0) * power_of_two_0(_S2 - half_0);
}
float tanh_of_0(float x_2)
{
    float a_0 = abs(x_2);
    float z_0 = x_2 * x_2;
    if(a_0 < 0.30000001192092896)
    {
        return x_2 + x_2 * z_0 * ((((-0.0088632358238101 * z_0 + 0.0218694880604744) * z_0 - 0.05396825447678566) * z_0 + 0.13333332538604736) * z_0 - 0.3333333432674408);
    }
    float e_0 = exp_of_0(-2.0 * a_0);
    float y_0 = (1.0 - e_0) / (1.0 + e_0);
    float _S3;
    if(x_2 < 0.0)
    {
        _S3 = - y_0;
    }
    else
    {
        _S3 = y_0;
    }
    return _S3;
}
constant uint fc_C_MAX_ROWS_0 [[function_constant(1)]];
constant uint C_MAX_ROWS_0 = is_function_constant_defined(fc_C_MAX_ROWS_0) ? fc_C_MAX_ROWS_0 : 1U;
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->args_0 = args_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S4 = stopped_0(&kernelContext_1);
    if(_S4)
    {
        return;
    }
    uint _S5 = 64U * min((C_N_0 + 255U) / 256U, 65535U);
    uint r_1 = group_0.y;
    for(;;)
    {
        if(r_1 < ((&kernelContext_1)->args_0->step_0->head_rows_0))
        {
        }
        else
        {
            break;
        }
        float device* _S6 = (float device*)((ulong)((&kernelContext_1)->args_0->x_0)) + ulong(r_1) * ulong(C_N_0);
        uint i_0 = group_0.x * 64U + sv_groupindex_0;
        for(;;)
        {
            if(i_0 < C_N_0)
            {
            }
            else
            {
                break;
            }
            float device* _S7 = _S6 + i_0;
            *_S7 = (&kernelContext_1)->args_0->cap_0 * tanh_of_0(*_S7 / (&kernelContext_1)->args_0->cap_0);
            i_0 = i_0 + _S5;
        }
        r_1 = r_1 + min(C_MAX_ROWS_0, 65535U);
    }
    return;
}
