// Made by tools/vulkan-kernels.sh of rope_kv_attention_merge.slang and what stands before it.
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
constant uint fc_C_HEADS_0 [[function_constant(0)]];
constant uint C_HEADS_0 = is_function_constant_defined(fc_C_HEADS_0) ? fc_C_HEADS_0 : 1U;
constant uint fc_C_HEAD_DIM_0 [[function_constant(2)]];
constant uint C_HEAD_DIM_0 = is_function_constant_defined(fc_C_HEAD_DIM_0) ? fc_C_HEAD_DIM_0 : 1U;
constant uint fc_C_KV_HEADS_0 [[function_constant(1)]];
constant uint C_KV_HEADS_0 = is_function_constant_defined(fc_C_KV_HEADS_0) ? fc_C_KV_HEADS_0 : 1U;
constant uint fc_C_WINDOW_0 [[function_constant(9)]];
constant uint C_WINDOW_0 = is_function_constant_defined(fc_C_WINDOW_0) ? fc_C_WINDOW_0 : 1U;
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
    uchar device* partials_0;
    uchar device* sync_0;
    uchar device* out_0;
    float scale_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<float, int(256)> threadgroup* sums_0;
    array<float, int(16)> threadgroup* columns_0;
    array<float, int(64)> threadgroup* shares_0;
    array<float, int(768)> threadgroup* quarters_0;
    array<uint, int(256)> threadgroup* block_mosts_0;
    array<int, int(256)> threadgroup* block_sums_0;
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
uint first_seen_0(uint pos_1)
{
    bool _S2;
    if(C_WINDOW_0 == 0U)
    {
        _S2 = true;
    }
    else
    {
        _S2 = (pos_1 + 1U) < C_WINDOW_0;
    }
    uint _S3;
    if(_S2)
    {
        _S3 = 0U;
    }
    else
    {
        _S3 = pos_1 + 1U - C_WINDOW_0;
    }
    return _S3;
}
constant uint fc_C_MAX_SEQ_0 [[function_constant(10)]];
constant uint C_MAX_SEQ_0 = is_function_constant_defined(fc_C_MAX_SEQ_0) ? fc_C_MAX_SEQ_0 : 1U;
uint group_heads_0()
{
    return C_HEADS_0 / C_KV_HEADS_0;
}
uint head_groups_0()
{
    return (group_heads_0() + 4U - 1U) / 4U;
}
uint split_parts_0()
{
    uint slots_0;
    if(C_WINDOW_0 == 0U)
    {
        slots_0 = C_MAX_SEQ_0;
    }
    else
    {
        slots_0 = min(C_MAX_SEQ_0, C_WINDOW_0 + 64U);
    }
    uint _S4 = (slots_0 + 64U - 1U) / 64U;
    uint _S5 = 512U / (C_KV_HEADS_0 * head_groups_0());
    return min(_S4, max(min(_S5, 64U), 1U));
}
float device* partial_at_0(uint row_0, uint head_0, uint part_0, KernelContext_0 thread* kernelContext_3)
{
    float device* _S6 = (float device*)((ulong)(kernelContext_3->args_0->partials_0));
    ulong _S7 = ulong(row_0) * ulong(C_HEADS_0) + ulong(head_0);
    uint _S8 = split_parts_0();
    return _S6 + (_S7 * ulong(_S8) + ulong(part_0)) * ulong(C_HEAD_DIM_0 + 2U);
}
float infinity_0()
{
    return (as_type<float>((2139095040U)));
}
float group_max_0(uint t_0, float v_0, KernelContext_0 thread* kernelContext_4)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_4->sums_0)[t_0] = v_0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float s_0;
    uint i_1;
    if(t_0 < 16U)
    {
        s_0 = (*kernelContext_4->sums_0)[t_0];
        i_1 = 1U;
        for(;;)
        {
            if(i_1 < 16U)
            {
            }
            else
            {
                break;
            }
            float _S9 = max(s_0, (*kernelContext_4->sums_0)[i_1 * 16U + t_0]);
            uint _S10 = i_1 + 1U;
            s_0 = _S9;
            i_1 = _S10;
        }
        (*kernelContext_4->columns_0)[t_0] = s_0;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    s_0 = (*kernelContext_4->columns_0)[int(0)];
    i_1 = 1U;
    for(;;)
    {
        if(i_1 < 16U)
        {
        }
        else
        {
            break;
        }
        float _S11 = max(s_0, (*kernelContext_4->columns_0)[i_1]);
        uint _S12 = i_1 + 1U;
        s_0 = _S11;
        i_1 = _S12;
    }
    return s_0;
}
float power_of_two_0(int n_0)
{
    return (as_type<float>((uint(n_0 + int(127)) << 23U)));
}
float exp_of_0(float x_0)
{
    if(!(x_0 < 88.8000030517578125))
    {
        float _S13;
        if(x_0 != x_0)
        {
            _S13 = x_0;
        }
        else
        {
            _S13 = infinity_0();
        }
        return _S13;
    }
    if(x_0 < -104.0)
    {
        return 0.0;
    }
    float n_1 = floor(x_0 * 1.4426950216293335 + 0.5);
    float high_0 = x_0 - n_1 * 0.693359375;
    float r_0 = high_0 + n_1 * 0.00021219444170129;
    int _S14 = int(n_1);
    int half_0 = _S14 / int(2);
    return ((((((0.00019875691214111 * r_0 + 0.00139819993637502) * r_0 + 0.00833345204591751) * r_0 + 0.04166579619050026) * r_0 + 0.1666666567325592) * r_0 + 0.5) * r_0 * r_0 + r_0 + 1.0) * power_of_two_0(half_0) * power_of_two_0(_S14 - half_0);
}
float group_sum_0(uint t_1, float v_1, KernelContext_0 thread* kernelContext_5)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_5->sums_0)[t_1] = v_1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint i_2;
    float s_1;
    if(t_1 < 16U)
    {
        float _S15 = (*kernelContext_5->sums_0)[t_1];
        i_2 = 1U;
        s_1 = _S15;
        for(;;)
        {
            if(i_2 < 16U)
            {
            }
            else
            {
                break;
            }
            float s_2 = s_1 + (*kernelContext_5->sums_0)[i_2 * 16U + t_1];
            i_2 = i_2 + 1U;
            s_1 = s_2;
        }
        (*kernelContext_5->columns_0)[t_1] = s_1;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float _S16 = (*kernelContext_5->columns_0)[int(0)];
    i_2 = 1U;
    s_1 = _S16;
    for(;;)
    {
        if(i_2 < 16U)
        {
        }
        else
        {
            break;
        }
        float s_3 = s_1 + (*kernelContext_5->columns_0)[i_2];
        i_2 = i_2 + 1U;
        s_1 = s_3;
    }
    return s_1;
}
ulong act_bytes_0(uint act_0, uint n_2)
{
    uint _S17;
    if(act_0 == 0U)
    {
        _S17 = 4U * n_2;
    }
    else
    {
        if(act_0 == 6U)
        {
            _S17 = n_2 / 32U * 80U;
        }
        else
        {
            _S17 = 2U * n_2;
        }
    }
    return ulong(_S17);
}
ulong act_row_bytes_0(uint act_1, uint k_0)
{
    return (((act_bytes_0(act_1, k_0) + 63UL) / 64UL) | 1UL) * 64UL;
}
constant uint fc_C_ACT_0 [[function_constant(7)]];
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
    bool _S18 = e_0 < 113U;
    uint shift_0;
    if(_S18)
    {
        shift_0 = 126U - e_0;
    }
    else
    {
        shift_0 = 13U;
    }
    uint m_0;
    if(_S18)
    {
        m_0 = (a_0 & 8388607U) | 8388608U;
    }
    else
    {
        m_0 = a_0 - 939524096U;
    }
    uint q_0 = m_0 >> shift_0;
    uint rest_0 = m_0 & ((1U << shift_0) - 1U);
    uint half_1 = 1U << (shift_0 - 1U);
    bool _S19;
    if(rest_0 > half_1)
    {
        _S19 = true;
    }
    else
    {
        if(rest_0 == half_1)
        {
            _S19 = (q_0 & 1U) != 0U;
        }
        else
        {
            _S19 = false;
        }
    }
    uint q_1;
    if(_S19)
    {
        q_1 = q_0 + 1U;
    }
    else
    {
        q_1 = q_0;
    }
    return sign_0 | q_1;
}
void store_act_0(uint act_2, uchar device* row_1, uint i_3, float v_2)
{
    if(act_2 == 0U)
    {
        *((float device*)((ulong)(row_1)) + i_3) = v_2;
    }
    if(act_2 == 2U)
    {
        *((ushort device*)((ulong)(row_1)) + i_3) = ushort(f32_to_bf16_0(v_2));
    }
    if(act_2 == 3U)
    {
        ushort device* _S20 = (ushort device*)((ulong)(row_1)) + i_3;
        float _S21;
        if(isnan(v_2))
        {
            _S21 = v_2;
        }
        else
        {
            _S21 = clamp(v_2 * 0.03125, -65504.0, 65504.0);
        }
        *_S20 = ushort(f32_to_f16_0(_S21));
    }
    return;
}
void store_four_0(uint act_3, uchar device* row_2, uint t_2, uint i_4, uint width_0, float4 v_3, KernelContext_0 thread* kernelContext_6)
{
    uint n_3;
    if(i_4 < width_0)
    {
        n_3 = min(4U, width_0 - i_4);
    }
    else
    {
        n_3 = 0U;
    }
    uint e_1;
    if(act_3 != 6U)
    {
        e_1 = 0U;
        for(;;)
        {
            if(e_1 < n_3)
            {
            }
            else
            {
                break;
            }
            store_act_0(act_3, row_2, i_4 + e_1, v_3[e_1]);
            e_1 = e_1 + 1U;
        }
        return;
    }
    float _S22 = v_3.x;
    float _S23 = v_3.y;
    float _S24 = v_3.z;
    float _S25 = v_3.w;
    uint _S26 = max(max((as_type<uint>((_S22))) & 2147483647U, (as_type<uint>((_S23))) & 2147483647U), max((as_type<uint>((_S24))) & 2147483647U, (as_type<uint>((_S25))) & 2147483647U));
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_6->block_mosts_0)[t_2] = _S26;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint first_0 = t_2 / 8U * 8U;
    e_1 = _S26;
    uint k_1 = 0U;
    for(;;)
    {
        if(k_1 < 8U)
        {
        }
        else
        {
            break;
        }
        uint _S27 = max(e_1, (*kernelContext_6->block_mosts_0)[first_0 + k_1]);
        uint _S28 = k_1 + 1U;
        e_1 = _S27;
        k_1 = _S28;
    }
    float largest_0 = (as_type<float>((e_1)));
    bool tiny_0 = largest_0 <= 1.00000000317107685e-30;
    float scale_1;
    if(tiny_0)
    {
        scale_1 = 0.0;
    }
    else
    {
        scale_1 = largest_0 / 32512.0;
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
    int _S29 = (as_type<int>((1.2582912e+07)));
    int a_1 = (as_type<int>((_S22 * inverse_0 + 1.2582912e+07))) - _S29;
    int b_0 = (as_type<int>((_S23 * inverse_0 + 1.2582912e+07))) - _S29;
    int c_0 = (as_type<int>((_S24 * inverse_0 + 1.2582912e+07))) - _S29;
    int d_0 = (as_type<int>((_S25 * inverse_0 + 1.2582912e+07))) - _S29;
    uint low_0 = (((uint(a_1) & 255U) | ((uint(b_0) & 255U) << 8U)) | ((uint(c_0) & 255U) << 16U)) | (uint(d_0) << 24U);
    uint high_1 = ((((uint(a_1 + int(128)) >> 8U) & 255U) | (((uint(b_0 + int(128)) >> 8U) & 255U) << 8U)) | (((uint(c_0 + int(128)) >> 8U) & 255U) << 16U)) | ((uint(d_0 + int(128)) >> 8U) << 24U);
    (*kernelContext_6->block_sums_0)[t_2] = a_1 + b_0 + (c_0 + d_0);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if(n_3 == 0U)
    {
        return;
    }
    uchar device* block_0 = row_2 + i_4 / 32U * 80U;
    uint _S30 = i_4 % 32U;
    *(uint device*)((ulong)(block_0 + _S30)) = high_1;
    *(uint device*)((ulong)(block_0 + int(32) + _S30)) = low_0;
    if(t_2 != first_0)
    {
        return;
    }
    int left_0 = (*kernelContext_6->block_sums_0)[t_2] + (*kernelContext_6->block_sums_0)[t_2 + 1U] + (*kernelContext_6->block_sums_0)[t_2 + 2U] + (*kernelContext_6->block_sums_0)[t_2 + 3U];
    int right_0 = (*kernelContext_6->block_sums_0)[t_2 + 4U] + (*kernelContext_6->block_sums_0)[t_2 + 5U] + (*kernelContext_6->block_sums_0)[t_2 + 6U] + (*kernelContext_6->block_sums_0)[t_2 + 7U];
    *(float device*)((ulong)(block_0 + int(64))) = scale_1;
    *(int device*)((ulong)(block_0 + int(68))) = left_0;
    *(int device*)((ulong)(block_0 + int(72))) = right_0;
    *(float device*)((ulong)(block_0 + int(76))) = scale_1 * float(left_0 + right_0);
    return;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_7;
    (&kernelContext_7)->args_0 = args_1;
    threadgroup array<float, int(256)> sums_1;
    (&kernelContext_7)->sums_0 = &sums_1;
    threadgroup array<float, int(16)> columns_1;
    (&kernelContext_7)->columns_0 = &columns_1;
    threadgroup array<float, int(64)> shares_1;
    (&kernelContext_7)->shares_0 = &shares_1;
    threadgroup array<float, int(768)> quarters_1;
    (&kernelContext_7)->quarters_0 = &quarters_1;
    threadgroup array<uint, int(256)> block_mosts_1;
    (&kernelContext_7)->block_mosts_0 = &block_mosts_1;
    threadgroup array<int, int(256)> block_sums_1;
    (&kernelContext_7)->block_sums_0 = &block_sums_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 256U + sv_groupthreadid_0[int(0)];
    uint head_1 = group_0.x;
    uint r_1 = group_0.y;
    bool _S31 = stopped_0(&kernelContext_7);
    bool _S32;
    if(_S31)
    {
        _S32 = true;
    }
    else
    {
        _S32 = r_1 >= ((&kernelContext_7)->args_0->step_0->rows_0);
    }
    if(_S32)
    {
        return;
    }
    Row_0 device* _S33 = step_rows_0(&kernelContext_7);
    uint first_1 = first_seen_0((_S33 + r_1)->pos_0) / 64U;
    uint parts_0 = split_parts_0();
    uint _S34 = min((_S33 + r_1)->pos_0 / 64U - first_1 + 1U, parts_0);
    uint _S35 = (first_1 + sv_groupindex_0) % parts_0;
    float device* _S36 = partial_at_0(r_1, head_1, _S35, &kernelContext_7);
    float _S37 = - infinity_0();
    bool _S38 = sv_groupindex_0 < _S34;
    float most_0;
    float sum_0;
    if(_S38)
    {
        float _S39 = *(_S36 + (C_HEAD_DIM_0 + 1U));
        most_0 = *(_S36 + C_HEAD_DIM_0);
        sum_0 = _S39;
    }
    else
    {
        most_0 = _S37;
        sum_0 = 0.0;
    }
    uint quarter_0 = sv_groupindex_0 / 64U;
    uint _S40 = sv_groupindex_0 % 64U * 4U;
    float _S41 = group_max_0(sv_groupindex_0, most_0, &kernelContext_7);
    float share_0;
    if(most_0 == _S41)
    {
        share_0 = 1.0;
    }
    else
    {
        share_0 = exp_of_0(most_0 - _S41);
    }
    if(_S38)
    {
        (*(&kernelContext_7)->shares_0)[sv_groupindex_0] = share_0;
    }
    if(_S38)
    {
        most_0 = sum_0 * share_0;
    }
    else
    {
        most_0 = 0.0;
    }
    float _S42 = group_sum_0(sv_groupindex_0, most_0, &kernelContext_7);
    thread array<float, int(4)> v_4;
    v_4[0U] = 0.0;
    v_4[1U] = 0.0;
    v_4[2U] = 0.0;
    v_4[3U] = 0.0;
    uint begin_0 = quarter_0;
    for(;;)
    {
        bool _S43 = begin_0 < _S34;
        if(_S43)
        {
        }
        else
        {
            break;
        }
        thread array<float, int(16)> some_0;
        uint _S44 = first_1 + begin_0;
        uint _S45 = _S44 % parts_0;
        float device* _S46 = partial_at_0(r_1, head_1, _S45, &kernelContext_7);
        if(_S43)
        {
            _S32 = _S40 < C_HEAD_DIM_0;
        }
        else
        {
            _S32 = false;
        }
        if(_S32)
        {
            most_0 = *(_S46 + _S40);
        }
        else
        {
            most_0 = 0.0;
        }
        some_0[0U] = most_0;
        bool _S47;
        if(_S43)
        {
            _S47 = (_S40 + 1U) < C_HEAD_DIM_0;
        }
        else
        {
            _S47 = false;
        }
        if(_S47)
        {
            sum_0 = *(_S46 + (_S40 + 1U));
        }
        else
        {
            sum_0 = 0.0;
        }
        some_0[1U] = sum_0;
        bool _S48;
        if(_S43)
        {
            _S48 = (_S40 + 2U) < C_HEAD_DIM_0;
        }
        else
        {
            _S48 = false;
        }
        if(_S48)
        {
            share_0 = *(_S46 + (_S40 + 2U));
        }
        else
        {
            share_0 = 0.0;
        }
        some_0[2U] = share_0;
        bool _S49;
        if(_S43)
        {
            _S49 = (_S40 + 3U) < C_HEAD_DIM_0;
        }
        else
        {
            _S49 = false;
        }
        float _S50;
        if(_S49)
        {
            _S50 = *(_S46 + (_S40 + 3U));
        }
        else
        {
            _S50 = 0.0;
        }
        some_0[3U] = _S50;
        uint _S51 = (_S44 + 4U) % parts_0;
        float device* _S52 = partial_at_0(r_1, head_1, _S51, &kernelContext_7);
        uint _S53 = begin_0 + 4U;
        bool _S54 = _S53 < _S34;
        bool _S55;
        if(_S54)
        {
            _S55 = _S40 < C_HEAD_DIM_0;
        }
        else
        {
            _S55 = false;
        }
        float _S56;
        if(_S55)
        {
            _S56 = *(_S52 + _S40);
        }
        else
        {
            _S56 = 0.0;
        }
        some_0[4U] = _S56;
        bool _S57;
        if(_S54)
        {
            _S57 = (_S40 + 1U) < C_HEAD_DIM_0;
        }
        else
        {
            _S57 = false;
        }
        float _S58;
        if(_S57)
        {
            _S58 = *(_S52 + (_S40 + 1U));
        }
        else
        {
            _S58 = 0.0;
        }
        some_0[5U] = _S58;
        bool _S59;
        if(_S54)
        {
            _S59 = (_S40 + 2U) < C_HEAD_DIM_0;
        }
        else
        {
            _S59 = false;
        }
        float _S60;
        if(_S59)
        {
            _S60 = *(_S52 + (_S40 + 2U));
        }
        else
        {
            _S60 = 0.0;
        }
        some_0[6U] = _S60;
        bool _S61;
        if(_S54)
        {
            _S61 = (_S40 + 3U) < C_HEAD_DIM_0;
        }
        else
        {
            _S61 = false;
        }
        float _S62;
        if(_S61)
        {
            _S62 = *(_S52 + (_S40 + 3U));
        }
        else
        {
            _S62 = 0.0;
        }
        some_0[7U] = _S62;
        uint _S63 = (_S44 + 8U) % parts_0;
        float device* _S64 = partial_at_0(r_1, head_1, _S63, &kernelContext_7);
        uint _S65 = begin_0 + 8U;
        bool _S66 = _S65 < _S34;
        bool _S67;
        if(_S66)
        {
            _S67 = _S40 < C_HEAD_DIM_0;
        }
        else
        {
            _S67 = false;
        }
        float _S68;
        if(_S67)
        {
            _S68 = *(_S64 + _S40);
        }
        else
        {
            _S68 = 0.0;
        }
        some_0[8U] = _S68;
        bool _S69;
        if(_S66)
        {
            _S69 = (_S40 + 1U) < C_HEAD_DIM_0;
        }
        else
        {
            _S69 = false;
        }
        float _S70;
        if(_S69)
        {
            _S70 = *(_S64 + (_S40 + 1U));
        }
        else
        {
            _S70 = 0.0;
        }
        some_0[9U] = _S70;
        bool _S71;
        if(_S66)
        {
            _S71 = (_S40 + 2U) < C_HEAD_DIM_0;
        }
        else
        {
            _S71 = false;
        }
        float _S72;
        if(_S71)
        {
            _S72 = *(_S64 + (_S40 + 2U));
        }
        else
        {
            _S72 = 0.0;
        }
        some_0[10U] = _S72;
        bool _S73;
        if(_S66)
        {
            _S73 = (_S40 + 3U) < C_HEAD_DIM_0;
        }
        else
        {
            _S73 = false;
        }
        float _S74;
        if(_S73)
        {
            _S74 = *(_S64 + (_S40 + 3U));
        }
        else
        {
            _S74 = 0.0;
        }
        some_0[11U] = _S74;
        uint _S75 = (_S44 + 12U) % parts_0;
        float device* _S76 = partial_at_0(r_1, head_1, _S75, &kernelContext_7);
        uint _S77 = begin_0 + 12U;
        bool _S78 = _S77 < _S34;
        bool _S79;
        if(_S78)
        {
            _S79 = _S40 < C_HEAD_DIM_0;
        }
        else
        {
            _S79 = false;
        }
        float _S80;
        if(_S79)
        {
            _S80 = *(_S76 + _S40);
        }
        else
        {
            _S80 = 0.0;
        }
        some_0[12U] = _S80;
        bool _S81;
        if(_S78)
        {
            _S81 = (_S40 + 1U) < C_HEAD_DIM_0;
        }
        else
        {
            _S81 = false;
        }
        float _S82;
        if(_S81)
        {
            _S82 = *(_S76 + (_S40 + 1U));
        }
        else
        {
            _S82 = 0.0;
        }
        some_0[13U] = _S82;
        bool _S83;
        if(_S78)
        {
            _S83 = (_S40 + 2U) < C_HEAD_DIM_0;
        }
        else
        {
            _S83 = false;
        }
        float _S84;
        if(_S83)
        {
            _S84 = *(_S76 + (_S40 + 2U));
        }
        else
        {
            _S84 = 0.0;
        }
        some_0[14U] = _S84;
        bool _S85;
        if(_S78)
        {
            _S85 = (_S40 + 3U) < C_HEAD_DIM_0;
        }
        else
        {
            _S85 = false;
        }
        float _S86;
        if(_S85)
        {
            _S86 = *(_S76 + (_S40 + 3U));
        }
        else
        {
            _S86 = 0.0;
        }
        some_0[15U] = _S86;
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    if(begin_0 >= _S34)
                    {
                        break;
                    }
                    v_4[0U] = fma(some_0[0U], (*(&kernelContext_7)->shares_0)[begin_0], v_4[0U]);
                    v_4[1U] = fma(some_0[1U], (*(&kernelContext_7)->shares_0)[begin_0], v_4[1U]);
                    v_4[2U] = fma(some_0[2U], (*(&kernelContext_7)->shares_0)[begin_0], v_4[2U]);
                    v_4[3U] = fma(some_0[3U], (*(&kernelContext_7)->shares_0)[begin_0], v_4[3U]);
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(_S53 >= _S34)
                    {
                        break;
                    }
                    v_4[0U] = fma(some_0[4U], (*(&kernelContext_7)->shares_0)[_S53], v_4[0U]);
                    v_4[1U] = fma(some_0[5U], (*(&kernelContext_7)->shares_0)[_S53], v_4[1U]);
                    v_4[2U] = fma(some_0[6U], (*(&kernelContext_7)->shares_0)[_S53], v_4[2U]);
                    v_4[3U] = fma(some_0[7U], (*(&kernelContext_7)->shares_0)[_S53], v_4[3U]);
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(_S65 >= _S34)
                    {
                        break;
                    }
                    v_4[0U] = fma(some_0[8U], (*(&kernelContext_7)->shares_0)[_S65], v_4[0U]);
                    v_4[1U] = fma(some_0[9U], (*(&kernelContext_7)->shares_0)[_S65], v_4[1U]);
                    v_4[2U] = fma(some_0[10U], (*(&kernelContext_7)->shares_0)[_S65], v_4[2U]);
                    v_4[3U] = fma(some_0[11U], (*(&kernelContext_7)->shares_0)[_S65], v_4[3U]);
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(_S77 >= _S34)
                    {
                        break;
                    }
                    v_4[0U] = fma(some_0[12U], (*(&kernelContext_7)->shares_0)[_S77], v_4[0U]);
                    v_4[1U] = fma(some_0[13U], (*(&kernelContext_7)->shares_0)[_S77], v_4[1U]);
                    v_4[2U] = fma(some_0[14U], (*(&kernelContext_7)->shares_0)[_S77], v_4[2U]);
                    v_4[3U] = fma(some_0[15U], (*(&kernelContext_7)->shares_0)[_S77], v_4[3U]);
                    break;
                }
                break;
            }
            break;
        }
        begin_0 = begin_0 + 16U;
    }
    bool _S87 = quarter_0 != 0U;
    if(_S87)
    {
        (*(&kernelContext_7)->quarters_0)[(quarter_0 - 1U) * 4U * 64U + _S40] = v_4[0U];
    }
    if(_S87)
    {
        (*(&kernelContext_7)->quarters_0)[(quarter_0 - 1U) * 4U * 64U + _S40 + 1U] = v_4[1U];
    }
    if(_S87)
    {
        (*(&kernelContext_7)->quarters_0)[(quarter_0 - 1U) * 4U * 64U + _S40 + 2U] = v_4[2U];
    }
    if(_S87)
    {
        (*(&kernelContext_7)->quarters_0)[(quarter_0 - 1U) * 4U * 64U + _S40 + 3U] = v_4[3U];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float4 _S88 = float4(0.0) ;
    float4 y_0;
    if(quarter_0 == 0U)
    {
        uint _S89 = 256U + _S40;
        uint _S90 = 512U + _S40;
        v_4[0U] = (v_4[0U] + (*(&kernelContext_7)->quarters_0)[_S40] + (*(&kernelContext_7)->quarters_0)[_S89] + (*(&kernelContext_7)->quarters_0)[_S90]) / _S42;
        v_4[1U] = (v_4[1U] + (*(&kernelContext_7)->quarters_0)[_S40 + 1U] + (*(&kernelContext_7)->quarters_0)[_S89 + 1U] + (*(&kernelContext_7)->quarters_0)[_S90 + 1U]) / _S42;
        v_4[2U] = (v_4[2U] + (*(&kernelContext_7)->quarters_0)[_S40 + 2U] + (*(&kernelContext_7)->quarters_0)[_S89 + 2U] + (*(&kernelContext_7)->quarters_0)[_S90 + 2U]) / _S42;
        v_4[3U] = (v_4[3U] + (*(&kernelContext_7)->quarters_0)[_S40 + 3U] + (*(&kernelContext_7)->quarters_0)[_S89 + 3U] + (*(&kernelContext_7)->quarters_0)[_S90 + 3U]) / _S42;
        y_0 = float4(v_4[int(0)], v_4[int(1)], v_4[int(2)], v_4[int(3)]);
    }
    else
    {
        y_0 = _S88;
    }
    store_four_0(C_ACT_0, (&kernelContext_7)->args_0->out_0 + ulong(r_1) * act_row_bytes_0(C_ACT_0, C_HEADS_0 * C_HEAD_DIM_0) + act_bytes_0(C_ACT_0, head_1 * C_HEAD_DIM_0), sv_groupindex_0, sv_groupindex_0 * 4U, C_HEAD_DIM_0, y_0, &kernelContext_7);
    return;
}
