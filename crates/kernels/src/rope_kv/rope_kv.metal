// Made by tools/vulkan-kernels.sh of rope_kv.slang and what stands before it.
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
constant uint fc_C_HEAD_DIM_0 [[function_constant(2)]];
constant uint C_HEAD_DIM_0 = is_function_constant_defined(fc_C_HEAD_DIM_0) ? fc_C_HEAD_DIM_0 : 1U;
constant uint fc_C_KV_HEADS_0 [[function_constant(1)]];
constant uint C_KV_HEADS_0 = is_function_constant_defined(fc_C_KV_HEADS_0) ? fc_C_KV_HEADS_0 : 1U;
constant uint fc_C_BLOCKS_0 [[function_constant(8)]];
constant uint C_BLOCKS_0 = is_function_constant_defined(fc_C_BLOCKS_0) ? fc_C_BLOCKS_0 : 1U;
constant uint fc_C_PAIRING_0 [[function_constant(4)]];
constant uint C_PAIRING_0 = is_function_constant_defined(fc_C_PAIRING_0) ? fc_C_PAIRING_0 : 1U;
constant uint fc_C_PAIRS_0 [[function_constant(3)]];
constant uint C_PAIRS_0 = is_function_constant_defined(fc_C_PAIRS_0) ? fc_C_PAIRS_0 : 1U;
constant uint fc_C_HEADS_0 [[function_constant(0)]];
constant uint C_HEADS_0 = is_function_constant_defined(fc_C_HEADS_0) ? fc_C_HEADS_0 : 1U;
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
    uchar device* block_table_0;
    uchar device* angles_0;
    uchar device* qkv_0;
    uchar device* k_cache_0;
    uchar device* v_cache_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<float, int(512)> threadgroup* head_values_0;
};
bool stopped_0(KernelContext_0 thread* kernelContext_0)
{
    return (kernelContext_0->args_0->step_0->stop_0) != 0U;
}
float turned_0(float device* x_0, packed_float2 device* angles_1, uint e_0)
{
    if(e_0 >= (2U * C_PAIRS_0))
    {
        return *(x_0 + e_0);
    }
    uint i_0;
    if(C_PAIRING_0 == 0U)
    {
        i_0 = e_0 / 2U;
    }
    else
    {
        uint _S1 = e_0 % C_PAIRS_0;
        i_0 = _S1;
    }
    bool second_0;
    if(C_PAIRING_0 == 0U)
    {
        second_0 = (e_0 % 2U) != 0U;
    }
    else
    {
        second_0 = e_0 >= C_PAIRS_0;
    }
    uint a_0;
    if(C_PAIRING_0 == 0U)
    {
        a_0 = e_0 / 2U * 2U;
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
    float2 _S2 = float2(*(angles_1 + i_0)) ;
    float _S3;
    if(second_0)
    {
        _S3 = *(x_0 + a_0) * _S2.y + *(x_0 + b_0) * _S2.x;
    }
    else
    {
        _S3 = *(x_0 + a_0) * _S2.x - *(x_0 + b_0) * _S2.y;
    }
    return _S3;
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
Seq_0 device* step_seq_0(uint i_1, KernelContext_0 thread* kernelContext_1)
{
    return (Seq_0 device*)((ulong)((uchar device*)((ulong)(kernelContext_1->args_0->step_0)) + int(64))) + i_1;
}
struct Row_0
{
    uint seq_0;
    uint pos_0;
};
Row_0 device* step_rows_0(KernelContext_0 thread* kernelContext_2)
{
    Seq_0 device* _S4 = step_seq_0(kernelContext_2->args_0->step_0->seqs_cap_0, kernelContext_2);
    return (Row_0 device*)((ulong)(_S4));
}
constant uint fc_C_V_TYPE_0 [[function_constant(6)]];
constant uint C_V_TYPE_0 = is_function_constant_defined(fc_C_V_TYPE_0) ? fc_C_V_TYPE_0 : 1U;
constant uint fc_C_K_TYPE_0 [[function_constant(5)]];
constant uint C_K_TYPE_0 = is_function_constant_defined(fc_C_K_TYPE_0) ? fc_C_K_TYPE_0 : 1U;
uint kv_element_0(uint type_0)
{
    int _S5;
    if(type_0 == 1U)
    {
        _S5 = int(4);
    }
    else
    {
        if(type_0 == 3U)
        {
            _S5 = int(1);
        }
        else
        {
            _S5 = int(2);
        }
    }
    return uint(_S5);
}
ulong kv_tile_bytes_0(uint type_1)
{
    uint _S6 = C_HEAD_DIM_0 * kv_element_0(type_1);
    uint _S7;
    if(type_1 == 3U)
    {
        _S7 = C_HEAD_DIM_0 / 32U * 2U;
    }
    else
    {
        _S7 = 0U;
    }
    return ulong(256U * (_S6 + _S7));
}
ulong kv_tile_0(uint type_2, uint device* table_0, uint head_0, uint pos_1)
{
    return (ulong(*(table_0 + pos_1 / 256U)) * ulong(C_KV_HEADS_0) + ulong(head_0)) * kv_tile_bytes_0(type_2);
}
uint f32_to_f16_0(float value_0)
{
    uint bits_0 = (as_type<uint>((value_0)));
    uint sign_0 = (bits_0 >> 16U) & 32768U;
    uint a_1 = bits_0 & 2147483647U;
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
    bool _S8 = e_1 < 113U;
    uint shift_0;
    if(_S8)
    {
        shift_0 = 126U - e_1;
    }
    else
    {
        shift_0 = 13U;
    }
    uint m_0;
    if(_S8)
    {
        m_0 = (a_1 & 8388607U) | 8388608U;
    }
    else
    {
        m_0 = a_1 - 939524096U;
    }
    uint q_0 = m_0 >> shift_0;
    uint rest_0 = m_0 & ((1U << shift_0) - 1U);
    uint half_0 = 1U << (shift_0 - 1U);
    bool _S9;
    if(rest_0 > half_0)
    {
        _S9 = true;
    }
    else
    {
        if(rest_0 == half_0)
        {
            _S9 = (q_0 & 1U) != 0U;
        }
        else
        {
            _S9 = false;
        }
    }
    uint q_1;
    if(_S9)
    {
        q_1 = q_0 + 1U;
    }
    else
    {
        q_1 = q_0;
    }
    return sign_0 | q_1;
}
float f16_to_f32_0(uint half_1)
{
    return (as_type<half>((ushort)((half_1 & 65535U))));
}
void store_codes_0(uint t_0, uchar device* tile_0, uint pos_2, KernelContext_0 thread* kernelContext_3)
{
    uint _S10 = pos_2 % 256U;
    uchar device* _S11 = tile_0 + _S10 * C_HEAD_DIM_0;
    ushort device* _S12 = (ushort device*)((ulong)(tile_0 + 256U * C_HEAD_DIM_0)) + _S10 * (C_HEAD_DIM_0 / 32U);
    uint g_0 = t_0;
    for(;;)
    {
        if(g_0 < (C_HEAD_DIM_0 / 32U))
        {
        }
        else
        {
            break;
        }
        uint most_0 = 0U;
        uint i_2 = 0U;
        for(;;)
        {
            if(i_2 < 32U)
            {
            }
            else
            {
                break;
            }
            uint _S13 = max(most_0, (as_type<uint>(((*kernelContext_3->head_values_0)[g_0 * 32U + i_2]))) & 2147483647U);
            uint _S14 = i_2 + 1U;
            most_0 = _S13;
            i_2 = _S14;
        }
        bool finite_0 = most_0 < 2139095040U;
        uint scale_0;
        if(finite_0)
        {
            scale_0 = f32_to_f16_0(min((as_type<float>((most_0))) * 0.0078740157186985, 65504.0));
        }
        else
        {
            scale_0 = 32256U;
        }
        float wide_0 = f16_to_f32_0(scale_0);
        float _S15;
        if(wide_0 > 0.0)
        {
            _S15 = 1.0 / wide_0;
        }
        else
        {
            _S15 = 0.0;
        }
        uint i_3 = 0U;
        for(;;)
        {
            if(i_3 < 32U)
            {
            }
            else
            {
                break;
            }
            int code_0;
            if(finite_0)
            {
                code_0 = int(rint(clamp((*kernelContext_3->head_values_0)[g_0 * 32U + i_3] * _S15, -127.0, 127.0)));
            }
            else
            {
                code_0 = int(1);
            }
            *(_S11 + (g_0 * 32U + i_3)) = uchar(uint(code_0) & 255U);
            i_3 = i_3 + 1U;
        }
        *(_S12 + g_0) = ushort(scale_0);
        g_0 = g_0 + 64U;
    }
    return;
}
uint f32_to_bf16_0(float value_1)
{
    uint bits_1 = (as_type<uint>((value_1)));
    if((bits_1 & 2147483647U) > 2139095040U)
    {
        return (bits_1 >> 16U) | 64U;
    }
    return (bits_1 + 32767U + ((bits_1 >> 16U) & 1U)) >> 16U;
}
void store_head_0(uint type_3, uint t_1, uchar device* tile_1, uint pos_3, KernelContext_0 thread* kernelContext_4)
{
    if(type_3 == 3U)
    {
        store_codes_0(t_1, tile_1, pos_3, kernelContext_4);
        return;
    }
    uint _S16 = pos_3 % 256U * C_HEAD_DIM_0;
    uint e_2 = t_1;
    for(;;)
    {
        if(e_2 < C_HEAD_DIM_0)
        {
        }
        else
        {
            break;
        }
        float v_0 = (*kernelContext_4->head_values_0)[e_2];
        if(type_3 == 1U)
        {
            *((float device*)((ulong)(tile_1)) + (_S16 + e_2)) = v_0;
        }
        if(type_3 == 0U)
        {
            *((ushort device*)((ulong)(tile_1)) + (_S16 + e_2)) = ushort(f32_to_f16_0(v_0));
        }
        if(type_3 == 2U)
        {
            *((ushort device*)((ulong)(tile_1)) + (_S16 + e_2)) = ushort(f32_to_bf16_0(v_0));
        }
        e_2 = e_2 + 64U;
    }
    return;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_5;
    (&kernelContext_5)->args_0 = args_1;
    threadgroup array<float, int(512)> head_values_1;
    (&kernelContext_5)->head_values_0 = &head_values_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S17 = stopped_0(&kernelContext_5);
    if(_S17)
    {
        return;
    }
    uint r_0 = group_0.y;
    uint head_1 = group_0.x;
    if(r_0 >= ((&kernelContext_5)->args_0->step_0->rows_0))
    {
        return;
    }
    ulong _S18 = ulong(r_0);
    float device* _S19 = (float device*)((ulong)((&kernelContext_5)->args_0->qkv_0)) + (_S18 * ulong(C_HEADS_0 + 2U * C_KV_HEADS_0) + ulong(head_1)) * ulong(C_HEAD_DIM_0);
    packed_float2 device* _S20 = (packed_float2 device*)((ulong)((&kernelContext_5)->args_0->angles_0)) + _S18 * ulong(C_PAIRS_0);
    bool value_2 = head_1 >= (C_HEADS_0 + C_KV_HEADS_0);
    uint e_3 = sv_groupindex_0;
    for(;;)
    {
        if(e_3 < C_HEAD_DIM_0)
        {
        }
        else
        {
            break;
        }
        float _S21;
        if(value_2)
        {
            _S21 = *(_S19 + e_3);
        }
        else
        {
            float _S22 = turned_0(_S19, _S20, e_3);
            _S21 = _S22;
        }
        (*(&kernelContext_5)->head_values_0)[e_3] = _S21;
        e_3 = e_3 + 64U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if(!value_2)
    {
        e_3 = sv_groupindex_0;
        for(;;)
        {
            if(e_3 < (2U * C_PAIRS_0))
            {
            }
            else
            {
                break;
            }
            *(_S19 + e_3) = (*(&kernelContext_5)->head_values_0)[e_3];
            e_3 = e_3 + 64U;
        }
    }
    if(head_1 < C_HEADS_0)
    {
        return;
    }
    Row_0 device* _S23 = step_rows_0(&kernelContext_5);
    Row_0 at_0 = *(_S23 + r_0);
    uint type_4;
    if(value_2)
    {
        type_4 = C_V_TYPE_0;
    }
    else
    {
        type_4 = C_K_TYPE_0;
    }
    uint kv_head_0 = (head_1 - C_HEADS_0) % C_KV_HEADS_0;
    uchar device* _S24;
    if(value_2)
    {
        _S24 = (&kernelContext_5)->args_0->v_cache_0;
    }
    else
    {
        _S24 = (&kernelContext_5)->args_0->k_cache_0;
    }
    ulong _S25 = kv_tile_0(type_4, (uint device*)((ulong)((&kernelContext_5)->args_0->block_table_0)) + ulong(at_0.seq_0) * ulong(C_BLOCKS_0), kv_head_0, at_0.pos_0);
    store_head_0(type_4, sv_groupindex_0, _S24 + _S25, at_0.pos_0, &kernelContext_5);
    return;
}
