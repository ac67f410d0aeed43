// Made by tools/vulkan-kernels.sh of glu.slang and what stands before it.
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
constant uint fc_C_F_0 [[function_constant(0)]];
constant uint C_F_0 = is_function_constant_defined(fc_C_F_0) ? fc_C_F_0 : 1U;
constant uint fc_C_MAX_ROWS_0 [[function_constant(4)]];
constant uint C_MAX_ROWS_0 = is_function_constant_defined(fc_C_MAX_ROWS_0) ? fc_C_MAX_ROWS_0 : 1U;
constant uint fc_C_PER_ROW_0 [[function_constant(3)]];
constant uint C_PER_ROW_0 = is_function_constant_defined(fc_C_PER_ROW_0) ? fc_C_PER_ROW_0 : 1U;
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
    uchar device* gate_up_0;
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
ulong act_row_bytes_0(uint act_0, uint k_0)
{
    uint _S1;
    if(act_0 == 0U)
    {
        _S1 = 4U * k_0;
    }
    else
    {
        _S1 = 2U * k_0;
    }
    return ulong(((_S1 + 63U) / 64U) | 1U) * 64UL;
}
constant uint fc_C_ACT_0 [[function_constant(2)]];
constant uint C_ACT_0 = is_function_constant_defined(fc_C_ACT_0) ? fc_C_ACT_0 : 1U;
float infinity_0()
{
    return (as_type<float>((2139095040U)));
}
float power_of_two_0(int n_0)
{
    return (as_type<float>((uint(n_0 + int(127)) << 23U)));
}
float exp_of_0(float x_0)
{
    if(!(x_0 < 88.8000030517578125))
    {
        float _S2;
        if(x_0 != x_0)
        {
            _S2 = x_0;
        }
        else
        {
            _S2 = infinity_0();
        }
        return _S2;
    }
    if(x_0 < -104.0)
    {
        return 0.0;
    }
    float n_1 = floor(x_0 * 1.4426950216293335 + 0.5);
    float high_0 = x_0 - n_1 * 0.693359375;
    float r_0 = high_0 + n_1 * 0.00021219444170129;
    int _S3 = int(n_1);
    int half_0 = _S3 / int(2);
    return ((((((0.00019875691214111 * r_0 + 0.00139819993637502) * r_0 + 0.00833345204591751) * r_0 + 0.04166579619050026) * r_0 + 0.1666666567325592) * r_0 + 0.5) * r_0 * r_0 + r_0 + 1.0) * power_of_two_0(half_0) * power_of_two_0(_S3 - half_0);
}
float tanh_of_0(float x_1)
{
    float a_0 = abs(x_1);
    float z_0 = x_1 * x_1;
    if(a_0 < 0.30000001192092896)
    {
        return x_1 + x_1 * z_0 * ((((-0.0088632358238101 * z_0 + 0.0218694880604744) * z_0 - 0.05396825447678566) * z_0 + 0.13333332538604736) * z_0 - 0.3333333432674408);
    }
    float e_0 = exp_of_0(-2.0 * a_0);
    float y_0 = (1.0 - e_0) / (1.0 + e_0);
    float _S4;
    if(x_1 < 0.0)
    {
        _S4 = - y_0;
    }
    else
    {
        _S4 = y_0;
    }
    return _S4;
}
float gated_0(float x_2, float up_0)
{
    if(C_ACTIVATION_0 == 0U)
    {
        return x_2 / (1.0 + exp_of_0(- x_2)) * up_0;
    }
    return 0.5 * x_2 * (1.0 + tanh_of_0(0.79788458347320557 * (x_2 + 0.04471499845385551 * x_2 * x_2 * x_2))) * up_0;
}
uint f32_to_bf16_0(float value_0)
{
    uint bits_0 = (as_type<uint>((value_0)));
    if((bits_0 & 2147483647U) > 2139095040U)
    {
        return (bits_0 >> 16U) | 64U;
    }
    return (bits_0 + 32767U + ((bits_0 >> 16U) & 1U)) >> 16U;
}
uint f32_to_f16_0(float value_1)
{
    uint bits_1 = (as_type<uint>((value_1)));
    uint sign_0 = (bits_1 >> 16U) & 32768U;
    uint a_1 = bits_1 & 2147483647U;
    if(a_1 > 2139095040U)
    {
        return sign_0 | 32256U;
    }
    if(a_1 >= 1199566848U)
    {
        return sign_0 | 31744U;
    }
    if(a_1 < 855638017U)
    {
        return sign_0;
    }
    uint e_1 = a_1 >> 23U;
    bool _S5 = e_1 < 113U;
    uint shift_0;
    if(_S5)
    {
        shift_0 = 126U - e_1;
    }
    else
    {
        shift_0 = 13U;
    }
    uint m_0;
    if(_S5)
    {
        m_0 = (a_1 & 8388607U) | 8388608U;
    }
    else
    {
        m_0 = a_1 - 939524096U;
    }
    uint q_0 = m_0 >> shift_0;
    uint rest_0 = m_0 & ((1U << shift_0) - 1U);
    uint half_1 = 1U << (shift_0 - 1U);
    bool _S6;
    if(rest_0 > half_1)
    {
        _S6 = true;
    }
    else
    {
        if(rest_0 == half_1)
        {
            _S6 = (q_0 & 1U) != 0U;
        }
        else
        {
            _S6 = false;
        }
    }
    uint q_1;
    if(_S6)
    {
        q_1 = q_0 + 1U;
    }
    else
    {
        q_1 = q_0;
    }
    return sign_0 | q_1;
}
void store_act_0(uint act_1, uchar device* row_0, uint i_0, float v_0)
{
    if(act_1 == 0U)
    {
        *((float device*)((ulong)(row_0)) + i_0) = v_0;
    }
    if(act_1 == 2U)
    {
        *((ushort device*)((ulong)(row_0)) + i_0) = ushort(f32_to_bf16_0(v_0));
    }
    if(act_1 == 3U)
    {
        ushort device* _S7 = (ushort device*)((ulong)(row_0)) + i_0;
        float _S8;
        if(isnan(v_0))
        {
            _S8 = v_0;
        }
        else
        {
            _S8 = clamp(v_0 * 0.03125, -65504.0, 65504.0);
        }
        *_S7 = ushort(f32_to_f16_0(_S8));
    }
    return;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->args_0 = args_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S9 = stopped_0(&kernelContext_1);
    if(_S9)
    {
        return;
    }
    uint _S10 = (&kernelContext_1)->args_0->step_0->rows_0 * C_PER_ROW_0;
    uint _S11 = min(C_MAX_ROWS_0 * C_PER_ROW_0, 65535U);
    uint r_1 = group_0.y;
    for(;;)
    {
        if(r_1 < _S10)
        {
        }
        else
        {
            break;
        }
        ulong _S12 = ulong(r_1);
        float device* _S13 = (float device*)((ulong)((&kernelContext_1)->args_0->gate_up_0)) + _S12 * 2UL * ulong(C_F_0);
        uchar device* _S14 = (&kernelContext_1)->args_0->out_0 + _S12 * act_row_bytes_0(C_ACT_0, C_F_0);
        uint _S15 = 64U * min((C_F_0 + 255U) / 256U, 65535U);
        uint i_1 = group_0.x * 64U + sv_groupindex_0;
        for(;;)
        {
            if(i_1 < C_F_0)
            {
            }
            else
            {
                break;
            }
            store_act_0(C_ACT_0, _S14, i_1, gated_0(*(_S13 + i_1), *(_S13 + (C_F_0 + i_1))));
            i_1 = i_1 + _S15;
        }
        r_1 = r_1 + _S11;
    }
    return;
}
