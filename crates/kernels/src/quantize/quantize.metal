// Made by tools/vulkan-kernels.sh of quantize.slang and what stands before it.
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
constant uint fc_C_X_STRIDE_0 [[function_constant(1)]];
constant uint C_X_STRIDE_0 = is_function_constant_defined(fc_C_X_STRIDE_0) ? fc_C_X_STRIDE_0 : 1U;
constant uint fc_C_K_0 [[function_constant(0)]];
constant uint C_K_0 = is_function_constant_defined(fc_C_K_0) ? fc_C_K_0 : 1U;
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
    uint a_0 = bits_1 & 2147483647U;
    if(a_0 > 2139095040U)
    {
        return sign_0 | 32256U;
    }
    if(a_0 >= 1199566848U)
    {
        return sign_0 | 31744U;
    }
    if(a_0 < 855638017U)
    {
        return sign_0;
    }
    uint e_0 = a_0 >> 23U;
    bool _S2 = e_0 < 113U;
    uint shift_0;
    if(_S2)
    {
        shift_0 = 126U - e_0;
    }
    else
    {
        shift_0 = 13U;
    }
    uint m_0;
    if(_S2)
    {
        m_0 = (a_0 & 8388607U) | 8388608U;
    }
    else
    {
        m_0 = a_0 - 939524096U;
    }
    uint q_0 = m_0 >> shift_0;
    uint rest_0 = m_0 & ((1U << shift_0) - 1U);
    uint half_0 = 1U << (shift_0 - 1U);
    bool _S3;
    if(rest_0 > half_0)
    {
        _S3 = true;
    }
    else
    {
        if(rest_0 == half_0)
        {
            _S3 = (q_0 & 1U) != 0U;
        }
        else
        {
            _S3 = false;
        }
    }
    uint q_1;
    if(_S3)
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
        ushort device* _S4 = (ushort device*)((ulong)(row_0)) + i_0;
        float _S5;
        if(isnan(v_0))
        {
            _S5 = v_0;
        }
        else
        {
            _S5 = clamp(v_0 * 0.03125, -65504.0, 65504.0);
        }
        *_S4 = ushort(f32_to_f16_0(_S5));
    }
    return;
}
constant uint fc_C_MAX_ROWS_0 [[function_constant(3)]];
constant uint C_MAX_ROWS_0 = is_function_constant_defined(fc_C_MAX_ROWS_0) ? fc_C_MAX_ROWS_0 : 1U;
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->args_0 = args_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S6 = stopped_0(&kernelContext_1);
    if(_S6)
    {
        return;
    }
    uint _S7 = 64U * min((C_K_0 + 255U) / 256U, 65535U);
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
        ulong _S8 = ulong(r_0);
        float device* _S9 = (float device*)((ulong)((&kernelContext_1)->args_0->x_0)) + _S8 * ulong(C_X_STRIDE_0);
        uchar device* _S10 = (&kernelContext_1)->args_0->out_0 + _S8 * act_row_bytes_0(C_ACT_0, C_K_0);
        uint i_1 = group_0.x * 64U + sv_groupindex_0;
        for(;;)
        {
            if(i_1 < C_K_0)
            {
            }
            else
            {
                break;
            }
            store_act_0(C_ACT_0, _S10, i_1, *(_S9 + i_1));
            i_1 = i_1 + _S7;
        }
        r_0 = r_0 + min(C_MAX_ROWS_0, 65535U);
    }
    return;
}
