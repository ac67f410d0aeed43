// Made by tools/vulkan-kernels.sh of activate.slang and what stands before it.
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
    uchar device* out_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<uint, int(64)> threadgroup* block_mosts_0;
    array<int, int(64)> threadgroup* block_sums_0;
};
bool stopped_0(KernelContext_0 thread* kernelContext_0)
{
    return (kernelContext_0->args_0->step_0->stop_0) != 0U;
}
ulong act_bytes_0(uint act_0, uint n_0)
{
    uint _S1;
    if(act_0 == 0U)
    {
        _S1 = 4U * n_0;
    }
    else
    {
        if(act_0 == 6U)
        {
            _S1 = n_0 / 32U * 80U;
        }
        else
        {
            _S1 = 2U * n_0;
        }
    }
    return ulong(_S1);
}
ulong act_row_bytes_0(uint act_1, uint k_0)
{
    return (((act_bytes_0(act_1, k_0) + 63UL) / 64UL) | 1UL) * 64UL;
}
constant uint fc_C_ACT_0 [[function_constant(2)]];
constant uint C_ACT_0 = is_function_constant_defined(fc_C_ACT_0) ? fc_C_ACT_0 : 1U;
float infinity_0()
{
    return (as_type<float>((2139095040U)));
}
float power_of_two_0(int n_1)
{
    return (as_type<float>((uint(n_1 + int(127)) << 23U)));
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
    float n_2 = floor(x_1 * 1.4426950216293335 + 0.5);
    float high_0 = x_1 - n_2 * 0.693359375;
    float r_0 = high_0 + n_2 * 0.00021219444170129;
    int _S3 = int(n_2);
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
    float k_1 = 1.0 / (1.0 + 0.32759109139442444 * a_1);
    float y_1 = 1.0 - ((((1.06140542030334473 * k_1 - 1.45315206050872803) * k_1 + 1.42141377925872803) * k_1 - 0.2844967246055603) * k_1 + 0.25482958555221558) * k_1 * exp_of_0(- a_1 * a_1);
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
    uint a_2 = bits_1 & 2147483647U;
    if(a_2 > 2139095040U)
    {
        return sign_0 | 32256U;
    }
    if(a_2 >= 1199566848U)
    {
        return sign_0 | 31744U;
    }
    if(a_2 < 855638017U)
    {
        return sign_0;
    }
    uint e_1 = a_2 >> 23U;
    bool _S7 = e_1 < 113U;
    uint shift_0;
    if(_S7)
    {
        shift_0 = 126U - e_1;
    }
    else
    {
        shift_0 = 13U;
    }
    uint m_0;
    if(_S7)
    {
        m_0 = (a_2 & 8388607U) | 8388608U;
    }
    else
    {
        m_0 = a_2 - 939524096U;
    }
    uint q_0 = m_0 >> shift_0;
    uint rest_0 = m_0 & ((1U << shift_0) - 1U);
    uint half_1 = 1U << (shift_0 - 1U);
    bool _S8;
    if(rest_0 > half_1)
    {
        _S8 = true;
    }
    else
    {
        if(rest_0 == half_1)
        {
            _S8 = (q_0 & 1U) != 0U;
        }
        else
        {
            _S8 = false;
        }
    }
    uint q_1;
    if(_S8)
    {
        q_1 = q_0 + 1U;
    }
    else
    {
        q_1 = q_0;
    }
    return sign_0 | q_1;
}
void store_act_0(uint act_2, uchar device* row_0, uint i_0, float v_0)
{
    if(act_2 == 0U)
    {
        *((float device*)((ulong)(row_0)) + i_0) = v_0;
    }
    if(act_2 == 2U)
    {
        *((ushort device*)((ulong)(row_0)) + i_0) = ushort(f32_to_bf16_0(v_0));
    }
    if(act_2 == 3U)
    {
        ushort device* _S9 = (ushort device*)((ulong)(row_0)) + i_0;
        float _S10;
        if(isnan(v_0))
        {
            _S10 = v_0;
        }
        else
        {
            _S10 = clamp(v_0 * 0.03125, -65504.0, 65504.0);
        }
        *_S9 = ushort(f32_to_f16_0(_S10));
    }
    return;
}
void store_four_0(uint act_3, uchar device* row_1, uint t_0, uint i_1, uint width_0, float4 v_1, KernelContext_0 thread* kernelContext_1)
{
    uint n_3;
    if(i_1 < width_0)
    {
        n_3 = min(4U, width_0 - i_1);
    }
    else
    {
        n_3 = 0U;
    }
    uint e_2;
    if(act_3 != 6U)
    {
        e_2 = 0U;
        for(;;)
        {
            if(e_2 < n_3)
            {
            }
            else
            {
                break;
            }
            store_act_0(act_3, row_1, i_1 + e_2, v_1[e_2]);
            e_2 = e_2 + 1U;
        }
        return;
    }
    float _S11 = v_1.x;
    float _S12 = v_1.y;
    float _S13 = v_1.z;
    float _S14 = v_1.w;
    uint _S15 = max(max((as_type<uint>((_S11))) & 2147483647U, (as_type<uint>((_S12))) & 2147483647U), max((as_type<uint>((_S13))) & 2147483647U, (as_type<uint>((_S14))) & 2147483647U));
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_1->block_mosts_0)[t_0] = _S15;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint first_0 = t_0 / 8U * 8U;
    e_2 = _S15;
    uint k_2 = 0U;
    for(;;)
    {
        if(k_2 < 8U)
        {
        }
        else
        {
            break;
        }
        uint _S16 = max(e_2, (*kernelContext_1->block_mosts_0)[first_0 + k_2]);
        uint _S17 = k_2 + 1U;
        e_2 = _S16;
        k_2 = _S17;
    }
    float largest_0 = (as_type<float>((e_2)));
    bool tiny_0 = largest_0 <= 1.00000000317107685e-30;
    float scale_0;
    if(tiny_0)
    {
        scale_0 = 0.0;
    }
    else
    {
        scale_0 = largest_0 / 32512.0;
    }
    float inverse_0;
    if(tiny_0)
    {
        inverse_0 = 0.0;
    }
    else
    {
        inverse_0 = 32512.0 / largest_0;
    }
    int _S18 = (as_type<int>((1.2582912e+07)));
    int a_3 = (as_type<int>((_S11 * inverse_0 + 1.2582912e+07))) - _S18;
    int b_0 = (as_type<int>((_S12 * inverse_0 + 1.2582912e+07))) - _S18;
    int c_0 = (as_type<int>((_S13 * inverse_0 + 1.2582912e+07))) - _S18;
    int d_0 = (as_type<int>((_S14 * inverse_0 + 1.2582912e+07))) - _S18;
    uint low_0 = (((uint(a_3) & 255U) | ((uint(b_0) & 255U) << 8U)) | ((uint(c_0) & 255U) << 16U)) | (uint(d_0) << 24U);
    uint high_1 = ((((uint(a_3 + int(128)) >> 8U) & 255U) | (((uint(b_0 + int(128)) >> 8U) & 255U) << 8U)) | (((uint(c_0 + int(128)) >> 8U) & 255U) << 16U)) | ((uint(d_0 + int(128)) >> 8U) << 24U);
    (*kernelContext_1->block_sums_0)[t_0] = a_3 + b_0 + (c_0 + d_0);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if(n_3 == 0U)
    {
        return;
    }
    uchar device* block_0 = row_1 + i_1 / 32U * 80U;
    uint _S19 = i_1 % 32U;
    *(uint device*)((ulong)(block_0 + _S19)) = high_1;
    *(uint device*)((ulong)(block_0 + int(32) + _S19)) = low_0;
    if(t_0 != first_0)
    {
        return;
    }
    int left_0 = (*kernelContext_1->block_sums_0)[t_0] + (*kernelContext_1->block_sums_0)[t_0 + 1U] + (*kernelContext_1->block_sums_0)[t_0 + 2U] + (*kernelContext_1->block_sums_0)[t_0 + 3U];
    int right_0 = (*kernelContext_1->block_sums_0)[t_0 + 4U] + (*kernelContext_1->block_sums_0)[t_0 + 5U] + (*kernelContext_1->block_sums_0)[t_0 + 6U] + (*kernelContext_1->block_sums_0)[t_0 + 7U];
    *(float device*)((ulong)(block_0 + int(64))) = scale_0;
    *(int device*)((ulong)(block_0 + int(68))) = left_0;
    *(int device*)((ulong)(block_0 + int(72))) = right_0;
    *(float device*)((ulong)(block_0 + int(76))) = scale_0 * float(left_0 + right_0);
    return;
}
constant uint fc_C_MAX_ROWS_0 [[function_constant(3)]];
constant uint C_MAX_ROWS_0 = is_function_constant_defined(fc_C_MAX_ROWS_0) ? fc_C_MAX_ROWS_0 : 1U;
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_2;
    (&kernelContext_2)->args_0 = args_1;
    threadgroup array<uint, int(64)> block_mosts_1;
    (&kernelContext_2)->block_mosts_0 = &block_mosts_1;
    threadgroup array<int, int(64)> block_sums_1;
    (&kernelContext_2)->block_sums_0 = &block_sums_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S20 = stopped_0(&kernelContext_2);
    if(_S20)
    {
        return;
    }
    uint _S21 = 256U * min((C_F_0 + 255U) / 256U, 65535U);
    uint r_1 = group_0.y;
    for(;;)
    {
        if(r_1 < ((&kernelContext_2)->args_0->step_0->rows_0))
        {
        }
        else
        {
            break;
        }
        ulong _S22 = ulong(r_1);
        float device* _S23 = (float device*)((ulong)((&kernelContext_2)->args_0->x_0)) + _S22 * ulong(C_F_0);
        uchar device* _S24 = (&kernelContext_2)->args_0->out_0 + _S22 * act_row_bytes_0(C_ACT_0, C_F_0);
        uint begin_0 = group_0.x * 64U * 4U;
        for(;;)
        {
            if(begin_0 < C_F_0)
            {
            }
            else
            {
                break;
            }
            uint i_2 = begin_0 + sv_groupindex_0 * 4U;
            thread float4 y_2 = float4(0.0) ;
            uint e_3 = 0U;
            for(;;)
            {
                if(e_3 < 4U)
                {
                }
                else
                {
                    break;
                }
                uint _S25 = i_2 + e_3;
                if(_S25 < C_F_0)
                {
                    y_2[e_3] = activated_0(*(_S23 + _S25) + *((float device*)((ulong)((&kernelContext_2)->args_0->bias_0)) + _S25));
                }
                e_3 = e_3 + 1U;
            }
            store_four_0(C_ACT_0, _S24, sv_groupindex_0, i_2, C_F_0, y_2, &kernelContext_2);
            begin_0 = begin_0 + _S21;
        }
        r_1 = r_1 + min(C_MAX_ROWS_0, 65535U);
    }
    return;
}
