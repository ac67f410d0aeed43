// Made by tools/vulkan-kernels.sh of activate_positions.slang and what stands before it.
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
constant uint fc_C_ACTIVATION_0 [[function_constant(1)]];
constant uint C_ACTIVATION_0 = is_function_constant_defined(fc_C_ACTIVATION_0) ? fc_C_ACTIVATION_0 : 1U;
constant uint fc_C_POSITIONS_0 [[function_constant(2)]];
constant uint C_POSITIONS_0 = is_function_constant_defined(fc_C_POSITIONS_0) ? fc_C_POSITIONS_0 : 1U;
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
    uchar device* bias_0;
    uchar device* positions_0;
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
        float _S2;
        if(x_1 != x_1)
        {
            _S2 = x_1;
        }
        else
        {
            _S2 = infinity_0();
        }
        return _S2;
    }
    if(x_1 < -104.0)
    {
        return 0.0;
    }
    float n_1 = floor(x_1 * 1.4426950216293335 + 0.5);
    float high_0 = x_1 - n_1 * 0.693359375;
    float r_0 = high_0 + n_1 * 0.00021219444170129;
    int _S3 = int(n_1);
    int half_0 = _S3 / int(2);
    return ((((((0.00019875691214111 * r_0 + 0.00139819993637502) * r_0 + 0.00833345204591751) * r_0 + 0.04166579619050026) * r_0 + 0.1666666567325592) * r_0 + 0.5) * r_0 * r_0 + r_0 + 1.0) * power_of_two_0(half_0) * power_of_two_0(_S3 - half_0);
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
    float _S4;
    if(x_2 < 0.0)
    {
        _S4 = - y_0;
    }
    else
    {
        _S4 = y_0;
    }
    return _S4;
}
float erf_of_0(float x_3)
{
    float a_1 = abs(x_3);
    float k_0 = 1.0 / (1.0 + 0.32759109139442444 * a_1);
    float y_1 = 1.0 - ((((1.06140542030334473 * k_0 - 1.45315206050872803) * k_0 + 1.42141377925872803) * k_0 - 0.2844967246055603) * k_0 + 0.25482958555221558) * k_0 * exp_of_0(- a_1 * a_1);
    float _S5;
    if(x_3 < 0.0)
    {
        _S5 = - y_1;
    }
    else
    {
        _S5 = y_1;
    }
    return _S5;
}
float activated_0(float x_4)
{
    if(C_ACTIVATION_0 == 0U)
    {
        return x_4 / (1.0 + exp_of_0(- x_4));
    }
    if(C_ACTIVATION_0 == 1U)
    {
        return 0.5 * x_4 * (1.0 + tanh_of_0(0.79788458347320557 * (x_4 + 0.04471499845385551 * x_4 * x_4 * x_4)));
    }
    if(C_ACTIVATION_0 == 2U)
    {
        return 0.5 * x_4 * (1.0 + erf_of_0(x_4 * 0.70710676908493042));
    }
    float _S6;
    if(x_4 < 0.0)
    {
        _S6 = 0.0;
    }
    else
    {
        _S6 = x_4;
    }
    return _S6;
}
constant uint fc_C_MAX_ROWS_0 [[function_constant(3)]];
constant uint C_MAX_ROWS_0 = is_function_constant_defined(fc_C_MAX_ROWS_0) ? fc_C_MAX_ROWS_0 : 1U;
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_3;
    (&kernelContext_3)->args_0 = args_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S7 = stopped_0(&kernelContext_3);
    if(_S7)
    {
        return;
    }
    uint _S8 = 64U * min((C_D_0 + 255U) / 256U, 65535U);
    uint r_1 = group_0.y;
    for(;;)
    {
        if(r_1 < ((&kernelContext_3)->args_0->step_0->rows_0))
        {
        }
        else
        {
            break;
        }
        ulong _S9 = ulong(r_1) * ulong(C_D_0);
        float device* _S10 = (float device*)((ulong)((&kernelContext_3)->args_0->positions_0));
        Row_0 device* _S11 = step_rows_0(&kernelContext_3);
        float device* _S12 = _S10 + ulong(min((_S11 + r_1)->pos_0, C_POSITIONS_0 - 1U)) * ulong(C_D_0);
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
            ulong _S13 = _S9 + ulong(i_1);
            *((float device*)((ulong)((&kernelContext_3)->args_0->out_0)) + _S13) = activated_0(*((float device*)((ulong)((&kernelContext_3)->args_0->x_0)) + _S13) + *((float device*)((ulong)((&kernelContext_3)->args_0->bias_0)) + i_1)) + *(_S12 + i_1);
            i_1 = i_1 + _S8;
        }
        r_1 = r_1 + min(C_MAX_ROWS_0, 65535U);
    }
    return;
}
