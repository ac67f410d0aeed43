// Made by tools/vulkan-kernels.sh of kv_shift.slang and what stands before it.
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
constant uint fc_C_HEAD_DIM_0 [[function_constant(1)]];
constant uint C_HEAD_DIM_0 = is_function_constant_defined(fc_C_HEAD_DIM_0) ? fc_C_HEAD_DIM_0 : 1U;
constant uint fc_C_PAIRING_0 [[function_constant(3)]];
constant uint C_PAIRING_0 = is_function_constant_defined(fc_C_PAIRING_0) ? fc_C_PAIRING_0 : 1U;
constant uint fc_C_PAIRS_0 [[function_constant(2)]];
constant uint C_PAIRS_0 = is_function_constant_defined(fc_C_PAIRS_0) ? fc_C_PAIRS_0 : 1U;
constant uint fc_C_KV_HEADS_0 [[function_constant(0)]];
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
    uchar device* block_table_0;
    uchar device* frequencies_0;
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
constant uint fc_C_V_TYPE_0 [[function_constant(5)]];
constant uint C_V_TYPE_0 = is_function_constant_defined(fc_C_V_TYPE_0) ? fc_C_V_TYPE_0 : 1U;
constant uint fc_C_K_TYPE_0 [[function_constant(4)]];
constant uint C_K_TYPE_0 = is_function_constant_defined(fc_C_K_TYPE_0) ? fc_C_K_TYPE_0 : 1U;
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
uint kv_element_0(uint type_0)
{
    int _S1;
    if(type_0 == 1U)
    {
        _S1 = int(4);
    }
    else
    {
        if(type_0 == 3U)
        {
            _S1 = int(1);
        }
        else
        {
            _S1 = int(2);
        }
    }
    return uint(_S1);
}
ulong kv_tile_bytes_0(uint type_1)
{
    uint _S2 = C_HEAD_DIM_0 * kv_element_0(type_1);
    uint _S3;
    if(type_1 == 3U)
    {
        _S3 = C_HEAD_DIM_0 / 32U * 2U;
    }
    else
    {
        _S3 = 0U;
    }
    return ulong(256U * (_S2 + _S3));
}
ulong kv_tile_0(uint type_2, uint device* table_0, uint head_0, uint pos_0)
{
    return (ulong(*(table_0 + pos_0 / 256U)) * ulong(C_KV_HEADS_0) + ulong(head_0)) * kv_tile_bytes_0(type_2);
}
float f16_to_f32_0(uint half_0)
{
    return (as_type<half>((ushort)((half_0 & 65535U))));
}
float bf16_to_f32_0(uint half_1)
{
    return (as_type<float>((half_1 << 16U)));
}
float kv_load_0(uint type_3, uchar device* tile_0, uint pos_1, uint e_0)
{
    uint _S4 = pos_1 % 256U;
    uint i_1 = _S4 * C_HEAD_DIM_0 + e_0;
    if(type_3 == 1U)
    {
        return *((float device*)((ulong)(tile_0)) + i_1);
    }
    if(type_3 == 0U)
    {
        return f16_to_f32_0(uint(*((ushort device*)((ulong)(tile_0)) + i_1)));
    }
    if(type_3 == 2U)
    {
        return bf16_to_f32_0(uint(*((ushort device*)((ulong)(tile_0)) + i_1)));
    }
    return float(int(uint(*(tile_0 + i_1)) << 24U) >> 24U) * f16_to_f32_0(uint(*((ushort device*)((ulong)(tile_0 + 256U * C_HEAD_DIM_0)) + (_S4 * (C_HEAD_DIM_0 / 32U) + e_0 / 32U))));
}
float upper_0(float x_0)
{
    return (as_type<float>(((as_type<uint>((x_0))) & 4294963200U)));
}
float less_0(float x_1, float n_0, float part_0)
{
    float _S5 = upper_0(n_0);
    float high_0 = _S5 * part_0;
    float low_0 = (n_0 - _S5) * part_0;
    float r_0 = x_1 - high_0;
    float s_0 = r_0 - low_0;
    return s_0;
}
float2 cos_sin_0(float x_2)
{
    float n_1 = round(x_2 * 0.63661974668502808);
    float r_1 = less_0(less_0(less_0(less_0(x_2, n_1, 1.5703125), n_1, 0.00048375129699707), n_1, 7.54953362047672272e-08), n_1, 2.5633440682570896e-12);
    float z_0 = r_1 * r_1;
    float s_1 = r_1 + r_1 * z_0 * (-0.16666655242443085 + z_0 * (0.00833216123282909 + z_0 * -0.00019515295571182));
    float k_0 = 1.0 - 0.5 * z_0 + z_0 * z_0 * (0.04166664555668831 + z_0 * (-0.00138873164542019 + z_0 * 0.00002443315679557));
    int quadrant_0 = int(n_1) & int(3);
    if(quadrant_0 == int(0))
    {
        return float2(k_0, s_1);
    }
    if(quadrant_0 == int(1))
    {
        return float2(- s_1, k_0);
    }
    if(quadrant_0 == int(2))
    {
        return float2(- k_0, - s_1);
    }
    return float2(s_1, - k_0);
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
    uint e_1 = a_0 >> 23U;
    bool _S6 = e_1 < 113U;
    uint shift_0;
    if(_S6)
    {
        shift_0 = 126U - e_1;
    }
    else
    {
        shift_0 = 13U;
    }
    uint m_0;
    if(_S6)
    {
        m_0 = (a_0 & 8388607U) | 8388608U;
    }
    else
    {
        m_0 = a_0 - 939524096U;
    }
    uint q_0 = m_0 >> shift_0;
    uint rest_0 = m_0 & ((1U << shift_0) - 1U);
    uint half_2 = 1U << (shift_0 - 1U);
    bool _S7;
    if(rest_0 > half_2)
    {
        _S7 = true;
    }
    else
    {
        if(rest_0 == half_2)
        {
            _S7 = (q_0 & 1U) != 0U;
        }
        else
        {
            _S7 = false;
        }
    }
    uint q_1;
    if(_S7)
    {
        q_1 = q_0 + 1U;
    }
    else
    {
        q_1 = q_0;
    }
    return sign_0 | q_1;
}
void store_codes_0(uint t_0, uchar device* tile_1, uint pos_2, KernelContext_0 thread* kernelContext_2)
{
    uint _S8 = pos_2 % 256U;
    uchar device* _S9 = tile_1 + _S8 * C_HEAD_DIM_0;
    ushort device* _S10 = (ushort device*)((ulong)(tile_1 + 256U * C_HEAD_DIM_0)) + _S8 * (C_HEAD_DIM_0 / 32U);
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
            uint _S11 = max(most_0, (as_type<uint>(((*kernelContext_2->head_values_0)[g_0 * 32U + i_2]))) & 2147483647U);
            uint _S12 = i_2 + 1U;
            most_0 = _S11;
            i_2 = _S12;
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
        float _S13;
        if(wide_0 > 0.0)
        {
            _S13 = 1.0 / wide_0;
        }
        else
        {
            _S13 = 0.0;
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
                code_0 = int(rint(clamp((*kernelContext_2->head_values_0)[g_0 * 32U + i_3] * _S13, -127.0, 127.0)));
            }
            else
            {
                code_0 = int(1);
            }
            *(_S9 + (g_0 * 32U + i_3)) = uchar(uint(code_0) & 255U);
            i_3 = i_3 + 1U;
        }
        *(_S10 + g_0) = ushort(scale_0);
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
void store_head_0(uint type_4, uint t_1, uchar device* tile_2, uint pos_3, KernelContext_0 thread* kernelContext_3)
{
    if(type_4 == 3U)
    {
        store_codes_0(t_1, tile_2, pos_3, kernelContext_3);
        return;
    }
    uint _S14 = pos_3 % 256U * C_HEAD_DIM_0;
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
        float v_0 = (*kernelContext_3->head_values_0)[e_2];
        if(type_4 == 1U)
        {
            *((float device*)((ulong)(tile_2)) + (_S14 + e_2)) = v_0;
        }
        if(type_4 == 0U)
        {
            *((ushort device*)((ulong)(tile_2)) + (_S14 + e_2)) = ushort(f32_to_f16_0(v_0));
        }
        if(type_4 == 2U)
        {
            *((ushort device*)((ulong)(tile_2)) + (_S14 + e_2)) = ushort(f32_to_bf16_0(v_0));
        }
        e_2 = e_2 + 64U;
    }
    return;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_4;
    (&kernelContext_4)->args_0 = args_1;
    threadgroup array<float, int(512)> head_values_1;
    (&kernelContext_4)->head_values_0 = &head_values_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S15 = stopped_0(&kernelContext_4);
    if(_S15)
    {
        return;
    }
    bool values_0 = (group_0.y) != 0U;
    uint _S16;
    if(values_0)
    {
        _S16 = C_V_TYPE_0;
    }
    else
    {
        _S16 = C_K_TYPE_0;
    }
    uchar device* _S17;
    if(values_0)
    {
        _S17 = (&kernelContext_4)->args_0->v_cache_0;
    }
    else
    {
        _S17 = (&kernelContext_4)->args_0->k_cache_0;
    }
    uint device* _S18 = (uint device*)((ulong)((&kernelContext_4)->args_0->block_table_0));
    Seq_0 device* _S19 = step_seq_0(0U, &kernelContext_4);
    uint by_0 = _S19->shift_by_0;
    uint _S20 = _S19->len_0;
    uint pos_4 = _S19->shift_keep_0 + _S19->shift_by_0;
    for(;;)
    {
        if(pos_4 < _S20)
        {
        }
        else
        {
            break;
        }
        uint _S21 = group_0.x;
        ulong _S22 = kv_tile_0(_S16, _S18, _S21, pos_4);
        uchar device* _S23 = _S17 + _S22;
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
            float v_1 = kv_load_0(_S16, _S23, pos_4, e_3);
            bool _S24;
            if(!values_0)
            {
                _S24 = e_3 < (2U * C_PAIRS_0);
            }
            else
            {
                _S24 = false;
            }
            float v_2;
            if(_S24)
            {
                uint i_4;
                if(C_PAIRING_0 == 0U)
                {
                    i_4 = e_3 / 2U;
                }
                else
                {
                    uint _S25 = e_3 % C_PAIRS_0;
                    i_4 = _S25;
                }
                bool second_0;
                if(C_PAIRING_0 == 0U)
                {
                    second_0 = (e_3 % 2U) != 0U;
                }
                else
                {
                    second_0 = e_3 >= C_PAIRS_0;
                }
                uint other_0;
                if(C_PAIRING_0 == 0U)
                {
                    other_0 = e_3 ^ 1U;
                }
                else
                {
                    if(second_0)
                    {
                        other_0 = i_4;
                    }
                    else
                    {
                        other_0 = i_4 + C_PAIRS_0;
                    }
                }
                float o_0 = kv_load_0(_S16, _S23, pos_4, other_0);
                float angle_0 = - float(by_0) * *((float device*)((ulong)((&kernelContext_4)->args_0->frequencies_0)) + i_4);
                float2 turn_0 = cos_sin_0(angle_0);
                if(second_0)
                {
                    v_2 = o_0 * turn_0.y + v_1 * turn_0.x;
                }
                else
                {
                    v_2 = v_1 * turn_0.x - o_0 * turn_0.y;
                }
            }
            else
            {
                v_2 = v_1;
            }
            (*(&kernelContext_4)->head_values_0)[e_3] = v_2;
            e_3 = e_3 + 64U;
        }
        threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup | mem_flags::mem_texture | mem_flags::mem_threadgroup_imageblock);
        uint _S26 = pos_4 - by_0;
        ulong _S27 = kv_tile_0(_S16, _S18, _S21, _S26);
        store_head_0(_S16, sv_groupindex_0, _S17 + _S27, _S26, &kernelContext_4);
        threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup | mem_flags::mem_texture | mem_flags::mem_threadgroup_imageblock);
        pos_4 = pos_4 + 1U;
    }
    return;
}
