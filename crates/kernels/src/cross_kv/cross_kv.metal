// Made by tools/vulkan-kernels.sh of cross_kv.slang and what stands before it.
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
constant uint fc_C_FORMAT_0 [[function_constant(4)]];
constant uint C_FORMAT_0 = is_function_constant_defined(fc_C_FORMAT_0) ? fc_C_FORMAT_0 : 1U;
constant uint fc_C_HEADS_0 [[function_constant(0)]];
constant uint C_HEADS_0 = is_function_constant_defined(fc_C_HEADS_0) ? fc_C_HEADS_0 : 1U;
constant uint fc_C_HEAD_DIM_0 [[function_constant(1)]];
constant uint C_HEAD_DIM_0 = is_function_constant_defined(fc_C_HEAD_DIM_0) ? fc_C_HEAD_DIM_0 : 1U;
constant uint fc_C_POSITIONS_0 [[function_constant(2)]];
constant uint C_POSITIONS_0 = is_function_constant_defined(fc_C_POSITIONS_0) ? fc_C_POSITIONS_0 : 1U;
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
    uchar device* kv_0;
    uchar device* bias_0;
    uchar device* keys_0;
    uchar device* values_0;
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
constant uint fc_C_SOURCES_0 [[function_constant(3)]];
constant uint C_SOURCES_0 = is_function_constant_defined(fc_C_SOURCES_0) ? fc_C_SOURCES_0 : 1U;
ulong cross_head_0(uint source_0, uint head_0)
{
    return (ulong(source_0) * ulong(C_HEADS_0) + ulong(head_0)) * ulong(C_HEAD_DIM_0) * ulong((C_POSITIONS_0 + 15U) / 16U * 16U);
}
uint f32_to_f16_0(float value_0)
{
    uint bits_0 = (as_type<uint>((value_0)));
    uint sign_0 = (bits_0 >> 16U) & 32768U;
    uint a_0 = bits_0 & 2147483647U;
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
void cross_store_0(uchar device* to_0, ulong i_1, float v_0)
{
    if(C_FORMAT_0 != 0U)
    {
        *((float device*)((ulong)(to_0)) + i_1) = v_0;
    }
    else
    {
        *((ushort device*)((ulong)(to_0)) + i_1) = ushort(f32_to_f16_0(v_0));
    }
    return;
}
constant uint fc_C_MAX_ROWS_0 [[function_constant(5)]];
constant uint C_MAX_ROWS_0 = is_function_constant_defined(fc_C_MAX_ROWS_0) ? fc_C_MAX_ROWS_0 : 1U;
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_3;
    (&kernelContext_3)->args_0 = args_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S4 = stopped_0(&kernelContext_3);
    if(_S4)
    {
        return;
    }
    uint _S5 = 64U * min((2U * (C_HEADS_0 * C_HEAD_DIM_0) + 255U) / 256U, 65535U);
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
        Row_0 device* _S6 = step_rows_0(&kernelContext_3);
        Row_0 device* _S7 = _S6 + r_0;
        Row_0 row_0 = *_S7;
        bool _S8;
        if(((*_S7).seq_0) >= C_SOURCES_0)
        {
            _S8 = true;
        }
        else
        {
            _S8 = (row_0.pos_0) >= C_POSITIONS_0;
        }
        if(_S8)
        {
            r_0 = r_0 + min(C_MAX_ROWS_0, 65535U);
            continue;
        }
        uint i_2 = group_0.x * 64U + sv_groupindex_0;
        for(;;)
        {
            if(i_2 < (2U * (C_HEADS_0 * C_HEAD_DIM_0)))
            {
            }
            else
            {
                break;
            }
            uint of_0 = i_2 % (C_HEADS_0 * C_HEAD_DIM_0);
            uint d_0 = of_0 % C_HEAD_DIM_0;
            uint _S9 = of_0 / C_HEAD_DIM_0;
            ulong at_0 = cross_head_0(row_0.seq_0, _S9);
            float v_1 = *((float device*)((ulong)((&kernelContext_3)->args_0->kv_0)) + (ulong(r_0) * 2UL * ulong(C_HEADS_0 * C_HEAD_DIM_0) + ulong(i_2))) + *((float device*)((ulong)((&kernelContext_3)->args_0->bias_0)) + i_2);
            if(i_2 < (C_HEADS_0 * C_HEAD_DIM_0))
            {
                cross_store_0((&kernelContext_3)->args_0->keys_0, at_0 + ulong(d_0) * ulong((C_POSITIONS_0 + 15U) / 16U * 16U) + ulong(row_0.pos_0), v_1);
            }
            else
            {
                cross_store_0((&kernelContext_3)->args_0->values_0, at_0 + ulong(row_0.pos_0) * ulong(C_HEAD_DIM_0) + ulong(d_0), v_1);
            }
            i_2 = i_2 + _S5;
        }
        r_0 = r_0 + min(C_MAX_ROWS_0, 65535U);
    }
    return;
}
