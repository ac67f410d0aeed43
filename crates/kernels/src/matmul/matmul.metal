// Made by tools/vulkan-kernels.sh of matmul.slang and what stands before it.
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
constant uint fc_C_DTYPE_0 [[function_constant(0)]];
constant uint C_DTYPE_0 = is_function_constant_defined(fc_C_DTYPE_0) ? fc_C_DTYPE_0 : 1U;
constant uint fc_C_ACT_0 [[function_constant(2)]];
constant uint C_ACT_0 = is_function_constant_defined(fc_C_ACT_0) ? fc_C_ACT_0 : 1U;
constant uint fc_C_OUT_COL_0 [[function_constant(6)]];
constant uint C_OUT_COL_0 = is_function_constant_defined(fc_C_OUT_COL_0) ? fc_C_OUT_COL_0 : 1U;
constant uint fc_C_OUT_STRIDE_0 [[function_constant(5)]];
constant uint C_OUT_STRIDE_0 = is_function_constant_defined(fc_C_OUT_STRIDE_0) ? fc_C_OUT_STRIDE_0 : 1U;
constant uint fc_C_K_0 [[function_constant(3)]];
constant uint C_K_0 = is_function_constant_defined(fc_C_K_0) ? fc_C_K_0 : 1U;
constant uint fc_C_MAX_ROWS_0 [[function_constant(8)]];
constant uint C_MAX_ROWS_0 = is_function_constant_defined(fc_C_MAX_ROWS_0) ? fc_C_MAX_ROWS_0 : 1U;
constant uint fc_C_N_0 [[function_constant(4)]];
constant uint C_N_0 = is_function_constant_defined(fc_C_N_0) ? fc_C_N_0 : 1U;
constant uint fc_C_SELECT_0 [[function_constant(7)]];
constant uint C_SELECT_0 = is_function_constant_defined(fc_C_SELECT_0) ? fc_C_SELECT_0 : 1U;
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
    uchar device* w_0;
    uchar device* out_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<float, int(2304)> threadgroup* partial_0;
    array<float, int(256)> threadgroup* eighths_0;
};
bool stopped_0(KernelContext_0 thread* kernelContext_0)
{
    return (kernelContext_0->args_0->step_0->stop_0) != 0U;
}
uint product_tiles_0()
{
    return (C_N_0 + 4U - 1U) / 4U;
}
bool is_float_0()
{
    bool _S1;
    if(C_DTYPE_0 == 0U)
    {
        _S1 = true;
    }
    else
    {
        _S1 = C_DTYPE_0 == 1U;
    }
    if(_S1)
    {
        _S1 = true;
    }
    else
    {
        _S1 = C_DTYPE_0 == 30U;
    }
    return _S1;
}
uint low_bits_0()
{
    int _S2;
    if(C_DTYPE_0 == 8U)
    {
        _S2 = int(8);
    }
    else
    {
        bool _S3;
        if(C_DTYPE_0 == 10U)
        {
            _S3 = true;
        }
        else
        {
            _S3 = C_DTYPE_0 == 11U;
        }
        if(_S3)
        {
            _S2 = int(2);
        }
        else
        {
            _S2 = int(4);
        }
    }
    return uint(_S2);
}
uint high_bits_0()
{
    int _S4;
    if(C_DTYPE_0 == 14U)
    {
        _S4 = int(2);
    }
    else
    {
        bool _S5;
        if(C_DTYPE_0 == 6U)
        {
            _S5 = true;
        }
        else
        {
            _S5 = C_DTYPE_0 == 7U;
        }
        if(_S5)
        {
            _S5 = true;
        }
        else
        {
            _S5 = C_DTYPE_0 == 13U;
        }
        if(_S5)
        {
            _S5 = true;
        }
        else
        {
            _S5 = C_DTYPE_0 == 11U;
        }
        if(_S5)
        {
            _S4 = int(1);
        }
        else
        {
            _S4 = int(0);
        }
    }
    return uint(_S4);
}
struct Planes_0
{
    ulong low_0;
    ulong high_0;
    ulong scales_0;
    ulong super_0;
};
Planes_0 row_planes_0(uint row_0)
{
    ulong at_0 = ulong(row_0) * ulong(C_K_0);
    thread Planes_0 p_0;
    if(is_float_0())
    {
        int _S6;
        if(C_DTYPE_0 == 0U)
        {
            _S6 = int(4);
        }
        else
        {
            _S6 = int(2);
        }
        ulong _S7 = at_0 * ulong(_S6);
        (&p_0)->low_0 = _S7;
        (&p_0)->super_0 = _S7;
        (&p_0)->scales_0 = _S7;
        (&p_0)->high_0 = _S7;
        return p_0;
    }
    ulong _S8 = ulong(low_bits_0());
    ulong above_0 = ulong(C_N_0) * ulong(C_K_0) / 8UL * _S8;
    ulong _S9 = ulong(high_bits_0());
    ulong rest_0 = above_0 + ulong(C_N_0) * ulong(C_K_0) / 8UL * _S9;
    (&p_0)->low_0 = at_0 / 8UL * _S8;
    (&p_0)->high_0 = above_0 + at_0 / 8UL * _S9;
    (&p_0)->super_0 = rest_0;
    (&p_0)->scales_0 = rest_0;
    bool _S10;
    if(C_DTYPE_0 == 2U)
    {
        _S10 = true;
    }
    else
    {
        _S10 = C_DTYPE_0 == 6U;
    }
    if(_S10)
    {
        _S10 = true;
    }
    else
    {
        _S10 = C_DTYPE_0 == 8U;
    }
    if(_S10)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 16UL;
    }
    if(C_DTYPE_0 == 3U)
    {
        _S10 = true;
    }
    else
    {
        _S10 = C_DTYPE_0 == 7U;
    }
    if(_S10)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 8UL;
    }
    if(C_DTYPE_0 == 12U)
    {
        _S10 = true;
    }
    else
    {
        _S10 = C_DTYPE_0 == 13U;
    }
    if(_S10)
    {
        (&p_0)->super_0 = rest_0 + at_0 / 16UL;
    }
    if(C_DTYPE_0 == 10U)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 16UL;
        (&p_0)->super_0 = rest_0 + ulong(C_N_0) * ulong(C_K_0) / 16UL + at_0 / 64UL;
    }
    if(C_DTYPE_0 == 11U)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 256UL * 12UL;
        (&p_0)->super_0 = rest_0 + ulong(C_N_0) * ulong(C_K_0) / 256UL * 12UL + at_0 / 128UL;
    }
    if(C_DTYPE_0 == 14U)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 16UL;
        (&p_0)->super_0 = rest_0 + ulong(C_N_0) * ulong(C_K_0) / 16UL + at_0 / 128UL;
    }
    return p_0;
}
ulong act_bytes_0(uint act_0, uint n_0)
{
    uint _S11;
    if(act_0 == 0U)
    {
        _S11 = 4U * n_0;
    }
    else
    {
        if(act_0 == 6U)
        {
            _S11 = n_0 / 32U * 80U;
        }
        else
        {
            _S11 = 2U * n_0;
        }
    }
    return ulong(_S11);
}
ulong act_row_bytes_0(uint act_1, uint k_0)
{
    return (((act_bytes_0(act_1, k_0) + 63UL) / 64UL) | 1UL) * 64UL;
}
struct Four_0
{
    Planes_0 first_0;
    Planes_0 second_0;
    Planes_0 third_0;
    Planes_0 fourth_0;
};
Planes_0 of_0(const Four_0 thread* four_0, uint i_0)
{
    Planes_0 _S12;
    if(i_0 == 0U)
    {
        _S12 = four_0->first_0;
    }
    else
    {
        if(i_0 == 1U)
        {
            _S12 = four_0->second_0;
        }
        else
        {
            if(i_0 == 2U)
            {
                _S12 = four_0->third_0;
            }
            else
            {
                _S12 = four_0->fourth_0;
            }
        }
    }
    return _S12;
}
bool striped_0()
{
    bool _S13;
    if(C_DTYPE_0 == 12U)
    {
        _S13 = true;
    }
    else
    {
        _S13 = C_DTYPE_0 == 13U;
    }
    if(_S13)
    {
        _S13 = true;
    }
    else
    {
        _S13 = C_DTYPE_0 == 14U;
    }
    return _S13;
}
uint word_at_0(uchar device* p_1)
{
    return *(uint device*)((ulong)(p_1));
}
void block_codes_0(uchar device* w_1, const Planes_0 thread* p_2, uint b_0, array<uint, int(8)> thread* q_0)
{
    uint _S14 = low_bits_0();
    if(_S14 == 8U)
    {
        uchar device* _S15 = w_1 + p_2->low_0 + b_0 * 32U;
        uint4 _S16 = uint4(*(packed_uint4 device*)((ulong)(_S15))) ;
        uint4 _S17 = uint4(*(packed_uint4 device*)((ulong)(_S15 + int(16)))) ;
        (*q_0)[int(0)] = _S16.x;
        (*q_0)[int(1)] = _S16.y;
        (*q_0)[int(2)] = _S16.z;
        (*q_0)[int(3)] = _S16.w;
        (*q_0)[int(4)] = _S17.x;
        (*q_0)[int(5)] = _S17.y;
        (*q_0)[int(6)] = _S17.z;
        (*q_0)[int(7)] = _S17.w;
    }
    else
    {
        if(_S14 == 4U)
        {
            uint c_0 = b_0 % 8U;
            uint at_1;
            if(striped_0())
            {
                at_1 = b_0 / 8U * 128U + (c_0 % 2U * 4U + c_0 / 2U) * 16U;
            }
            else
            {
                at_1 = b_0 * 16U;
            }
            uint4 _S18 = uint4(*(packed_uint4 device*)((ulong)(w_1 + p_2->low_0 + at_1))) ;
            uint _S19 = _S18.x;
            (*q_0)[int(0)] = _S19 & 252645135U;
            uint _S20 = _S18.y;
            (*q_0)[int(1)] = _S20 & 252645135U;
            uint _S21 = _S18.z;
            (*q_0)[int(2)] = _S21 & 252645135U;
            uint _S22 = _S18.w;
            (*q_0)[int(3)] = _S22 & 252645135U;
            (*q_0)[int(4)] = (_S19 >> 4U) & 252645135U;
            (*q_0)[int(5)] = (_S20 >> 4U) & 252645135U;
            (*q_0)[int(6)] = (_S21 >> 4U) & 252645135U;
            (*q_0)[int(7)] = (_S22 >> 4U) & 252645135U;
        }
        else
        {
            uint2 _S23 = uint2(*(packed_uint2 device*)((ulong)(w_1 + p_2->low_0 + b_0 * 8U))) ;
            uint _S24 = _S23.x;
            (*q_0)[0U] = (_S24 >> 0U) & 50529027U;
            (*q_0)[1U] = (_S24 >> 2U) & 50529027U;
            (*q_0)[2U] = (_S24 >> 4U) & 50529027U;
            (*q_0)[3U] = (_S24 >> 6U) & 50529027U;
            uint _S25 = _S23.y;
            (*q_0)[4U] = (_S25 >> 0U) & 50529027U;
            (*q_0)[5U] = (_S25 >> 2U) & 50529027U;
            (*q_0)[6U] = (_S25 >> 4U) & 50529027U;
            (*q_0)[7U] = (_S25 >> 6U) & 50529027U;
        }
    }
    uint _S26 = high_bits_0();
    if(_S26 == 2U)
    {
        uint2 _S27 = uint2(*(packed_uint2 device*)((ulong)(w_1 + p_2->high_0 + b_0 * 8U))) ;
        uint _S28 = _S27.x;
        (*q_0)[0U] = ((*q_0)[0U]) | (((_S28 >> 0U) & 50529027U) << _S14);
        (*q_0)[1U] = ((*q_0)[1U]) | (((_S28 >> 2U) & 50529027U) << _S14);
        (*q_0)[2U] = ((*q_0)[2U]) | (((_S28 >> 4U) & 50529027U) << _S14);
        (*q_0)[3U] = ((*q_0)[3U]) | (((_S28 >> 6U) & 50529027U) << _S14);
        uint _S29 = _S27.y;
        (*q_0)[4U] = ((*q_0)[4U]) | (((_S29 >> 0U) & 50529027U) << _S14);
        (*q_0)[5U] = ((*q_0)[5U]) | (((_S29 >> 2U) & 50529027U) << _S14);
        (*q_0)[6U] = ((*q_0)[6U]) | (((_S29 >> 4U) & 50529027U) << _S14);
        (*q_0)[7U] = ((*q_0)[7U]) | (((_S29 >> 6U) & 50529027U) << _S14);
    }
    if(_S26 == 1U)
    {
        uint _S30 = word_at_0(w_1 + p_2->high_0 + b_0 * 4U);
        (*q_0)[0U] = ((*q_0)[0U]) | (((_S30 >> 0U) & 16843009U) << _S14);
        (*q_0)[1U] = ((*q_0)[1U]) | (((_S30 >> 1U) & 16843009U) << _S14);
        (*q_0)[2U] = ((*q_0)[2U]) | (((_S30 >> 2U) & 16843009U) << _S14);
        (*q_0)[3U] = ((*q_0)[3U]) | (((_S30 >> 3U) & 16843009U) << _S14);
        (*q_0)[4U] = ((*q_0)[4U]) | (((_S30 >> 4U) & 16843009U) << _S14);
        (*q_0)[5U] = ((*q_0)[5U]) | (((_S30 >> 5U) & 16843009U) << _S14);
        (*q_0)[6U] = ((*q_0)[6U]) | (((_S30 >> 6U) & 16843009U) << _S14);
        (*q_0)[7U] = ((*q_0)[7U]) | (((_S30 >> 7U) & 16843009U) << _S14);
    }
    return;
}
bool parted_0()
{
    bool _S31;
    if(C_DTYPE_0 == 10U)
    {
        _S31 = true;
    }
    else
    {
        _S31 = C_DTYPE_0 == 11U;
    }
    if(_S31)
    {
        _S31 = true;
    }
    else
    {
        _S31 = C_DTYPE_0 == 14U;
    }
    return _S31;
}
float f16_to_f32_0(uint half_0)
{
    return (as_type<half>((ushort)((half_0 & 65535U))));
}
uint six_bits_0(uchar device* p_3, uint g_0)
{
    uint from_0 = 6U * g_0;
    return ((uint(*(p_3 + from_0 / 8U)) | (uint(*(p_3 + (from_0 + 5U) / 8U)) << 8U)) >> (from_0 % 8U)) & 63U;
}
uint half_at_0(uchar device* p_4)
{
    return uint(*(ushort device*)((ulong)(p_4)));
}
float scale_at_0(uchar device* p_5)
{
    uint _S32 = half_at_0(p_5);
    return f16_to_f32_0(_S32);
}
int signed_byte_0(uchar b_1)
{
    return int(uint(b_1) << 24U) >> 24U;
}
float2 octet_scale_0(uchar device* w_2, const Planes_0 thread* p_6, uint o_0)
{
    uint b_2 = o_0 / 4U;
    uint c_1 = b_2 % 8U;
    uint super_1 = o_0 / 32U;
    bool _S33;
    if(C_DTYPE_0 == 3U)
    {
        _S33 = true;
    }
    else
    {
        _S33 = C_DTYPE_0 == 7U;
    }
    if(_S33)
    {
        uint dm_0 = word_at_0(w_2 + p_6->scales_0 + b_2 * 4U);
        return float2(f16_to_f32_0(dm_0), f16_to_f32_0(dm_0 >> 16U));
    }
    if(C_DTYPE_0 == 12U)
    {
        _S33 = true;
    }
    else
    {
        _S33 = C_DTYPE_0 == 13U;
    }
    if(_S33)
    {
        uchar device* head_0 = w_2 + p_6->super_0 + super_1 * 16U;
        uint dm_1 = word_at_0(head_0);
        uchar device* pair_0 = head_0 + int(4) + c_1 * 3U / 2U;
        uint two_0 = (uint(*(pair_0 + int(0))) | (uint(*(pair_0 + int(1))) << 8U)) >> (c_1 % 2U * 4U);
        return float2(f16_to_f32_0(dm_1) * float(two_0 & 63U), - (f16_to_f32_0(dm_1 >> 16U) * float((two_0 >> 6U) & 63U)));
    }
    if(C_DTYPE_0 == 10U)
    {
        uint s_0 = uint(*(w_2 + (p_6->scales_0 + ulong(o_0 / 2U))));
        uint dm_2 = word_at_0(w_2 + p_6->super_0 + super_1 * 4U);
        return float2(f16_to_f32_0(dm_2) * float(s_0 & 15U), - (f16_to_f32_0(dm_2 >> 16U) * float(s_0 >> 4U)));
    }
    if(C_DTYPE_0 == 11U)
    {
        uint _S34 = six_bits_0(w_2 + p_6->scales_0 + super_1 * 12U, o_0 / 2U % 16U);
        int s_1 = int(_S34) - int(32);
        float _S35 = scale_at_0(w_2 + p_6->super_0 + super_1 * 2U);
        return float2(_S35 * float(s_1), 0.0);
    }
    if(C_DTYPE_0 == 14U)
    {
        float _S36 = scale_at_0(w_2 + p_6->super_0 + super_1 * 2U);
        return float2(_S36 * float(signed_byte_0(*(w_2 + (p_6->scales_0 + ulong(o_0 / 2U))))), 0.0);
    }
    float _S37 = scale_at_0(w_2 + p_6->scales_0 + b_2 * 2U);
    return float2(_S37, 0.0);
}
uint own_0()
{
    uint _S38;
    if(C_MAX_ROWS_0 == 1U)
    {
        _S38 = 1U;
    }
    else
    {
        _S38 = 8U;
    }
    return _S38;
}
int dot4_0(uint a_0, uint b_3, int c_2)
{
    return c_2 + (int(a_0 << 24U) >> 24U) * (int(b_3 << 24U) >> 24U) + (int(a_0 << 16U) >> 24U) * (int(b_3 << 16U) >> 24U) + (int(a_0 << 8U) >> 24U) * (int(b_3 << 8U) >> 24U) + (int(a_0 << 0U) >> 24U) * (int(b_3 << 0U) >> 24U);
}
uint zero_0()
{
    int _S39;
    if(C_DTYPE_0 == 2U)
    {
        _S39 = int(8);
    }
    else
    {
        if(C_DTYPE_0 == 6U)
        {
            _S39 = int(16);
        }
        else
        {
            if(C_DTYPE_0 == 8U)
            {
                _S39 = int(128);
            }
            else
            {
                if(C_DTYPE_0 == 11U)
                {
                    _S39 = int(4);
                }
                else
                {
                    if(C_DTYPE_0 == 14U)
                    {
                        _S39 = int(32);
                    }
                    else
                    {
                        _S39 = int(0);
                    }
                }
            }
        }
    }
    return uint(_S39);
}
int block_zero_0()
{
    int _S40;
    if(C_DTYPE_0 == 8U)
    {
        _S40 = int(0);
    }
    else
    {
        _S40 = int(zero_0());
    }
    return _S40;
}
bool has_minimum_0()
{
    bool _S41;
    if(C_DTYPE_0 == 3U)
    {
        _S41 = true;
    }
    else
    {
        _S41 = C_DTYPE_0 == 7U;
    }
    if(_S41)
    {
        _S41 = true;
    }
    else
    {
        _S41 = C_DTYPE_0 == 12U;
    }
    if(_S41)
    {
        _S41 = true;
    }
    else
    {
        _S41 = C_DTYPE_0 == 13U;
    }
    if(_S41)
    {
        _S41 = true;
    }
    else
    {
        _S41 = C_DTYPE_0 == 10U;
    }
    return _S41;
}
void add_blocks_0(const Four_0 thread* four_1, uint first_1, uint n_1, uint t_0, array<float, int(32)> thread* acc_0, KernelContext_0 thread* kernelContext_1)
{
    uint _S42;
    bool _S43;
    bool _S44;
    ulong stride_0 = act_row_bytes_0(6U, C_K_0);
    uchar device* _S45 = kernelContext_1->args_0->x_0 + ulong(first_1) * stride_0;
    uint b_4 = t_0;
    for(;;)
    {
        if(b_4 < (C_K_0 / 32U))
        {
        }
        else
        {
            break;
        }
        thread array<uint, int(32)> q_1;
        thread array<float, int(8)> scales_1;
        thread array<float, int(8)> least_0;
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    uchar device* _S46 = kernelContext_1->args_0->w_0;
                    Planes_0 _S47 = of_0(four_1, 0U);
                    thread Planes_0 _S48 = _S47;
                    thread array<uint, int(8)> words_0;
                    block_codes_0(_S46, &_S48, b_4, &words_0);
                    q_1[0U] = words_0[0U];
                    q_1[1U] = words_0[1U];
                    q_1[2U] = words_0[2U];
                    q_1[3U] = words_0[3U];
                    q_1[4U] = words_0[4U];
                    q_1[5U] = words_0[5U];
                    q_1[6U] = words_0[6U];
                    q_1[7U] = words_0[7U];
                    for(;;)
                    {
                        uchar device* _S49 = kernelContext_1->args_0->w_0;
                        uint _S50 = b_4 * 4U;
                        _S42 = _S50;
                        thread Planes_0 _S51 = _S47;
                        float2 _S52 = octet_scale_0(_S49, &_S51, _S50);
                        scales_1[0U] = _S52.x;
                        least_0[0U] = _S52.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                bool _S53 = parted_0();
                                _S43 = _S53;
                                bool _S54 = !_S53;
                                _S44 = _S54;
                                if(_S54)
                                {
                                    break;
                                }
                                uchar device* _S55 = kernelContext_1->args_0->w_0;
                                uint _S56 = _S50 + 2U;
                                thread Planes_0 _S57 = _S47;
                                float2 _S58 = octet_scale_0(_S55, &_S57, _S56);
                                scales_1[1U] = _S58.x;
                                least_0[1U] = _S58.y;
                                break;
                            }
                            break;
                        }
                        break;
                    }
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uchar device* _S59 = kernelContext_1->args_0->w_0;
                    Planes_0 _S60 = of_0(four_1, 1U);
                    thread Planes_0 _S61 = _S60;
                    thread array<uint, int(8)> words_1;
                    block_codes_0(_S59, &_S61, b_4, &words_1);
                    q_1[8U] = words_1[0U];
                    q_1[9U] = words_1[1U];
                    q_1[10U] = words_1[2U];
                    q_1[11U] = words_1[3U];
                    q_1[12U] = words_1[4U];
                    q_1[13U] = words_1[5U];
                    q_1[14U] = words_1[6U];
                    q_1[15U] = words_1[7U];
                    for(;;)
                    {
                        uchar device* _S62 = kernelContext_1->args_0->w_0;
                        thread Planes_0 _S63 = _S60;
                        float2 _S64 = octet_scale_0(_S62, &_S63, _S42);
                        scales_1[2U] = _S64.x;
                        least_0[2U] = _S64.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(_S44)
                                {
                                    break;
                                }
                                uchar device* _S65 = kernelContext_1->args_0->w_0;
                                uint _S66 = _S42 + 2U;
                                thread Planes_0 _S67 = _S60;
                                float2 _S68 = octet_scale_0(_S65, &_S67, _S66);
                                scales_1[3U] = _S68.x;
                                least_0[3U] = _S68.y;
                                break;
                            }
                            break;
                        }
                        break;
                    }
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uchar device* _S69 = kernelContext_1->args_0->w_0;
                    Planes_0 _S70 = of_0(four_1, 2U);
                    thread Planes_0 _S71 = _S70;
                    thread array<uint, int(8)> words_2;
                    block_codes_0(_S69, &_S71, b_4, &words_2);
                    q_1[16U] = words_2[0U];
                    q_1[17U] = words_2[1U];
                    q_1[18U] = words_2[2U];
                    q_1[19U] = words_2[3U];
                    q_1[20U] = words_2[4U];
                    q_1[21U] = words_2[5U];
                    q_1[22U] = words_2[6U];
                    q_1[23U] = words_2[7U];
                    for(;;)
                    {
                        uchar device* _S72 = kernelContext_1->args_0->w_0;
                        thread Planes_0 _S73 = _S70;
                        float2 _S74 = octet_scale_0(_S72, &_S73, _S42);
                        scales_1[4U] = _S74.x;
                        least_0[4U] = _S74.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(_S44)
                                {
                                    break;
                                }
                                uchar device* _S75 = kernelContext_1->args_0->w_0;
                                uint _S76 = _S42 + 2U;
                                thread Planes_0 _S77 = _S70;
                                float2 _S78 = octet_scale_0(_S75, &_S77, _S76);
                                scales_1[5U] = _S78.x;
                                least_0[5U] = _S78.y;
                                break;
                            }
                            break;
                        }
                        break;
                    }
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    uchar device* _S79 = kernelContext_1->args_0->w_0;
                    Planes_0 _S80 = of_0(four_1, 3U);
                    thread Planes_0 _S81 = _S80;
                    thread array<uint, int(8)> words_3;
                    block_codes_0(_S79, &_S81, b_4, &words_3);
                    q_1[24U] = words_3[0U];
                    q_1[25U] = words_3[1U];
                    q_1[26U] = words_3[2U];
                    q_1[27U] = words_3[3U];
                    q_1[28U] = words_3[4U];
                    q_1[29U] = words_3[5U];
                    q_1[30U] = words_3[6U];
                    q_1[31U] = words_3[7U];
                    for(;;)
                    {
                        uchar device* _S82 = kernelContext_1->args_0->w_0;
                        thread Planes_0 _S83 = _S80;
                        float2 _S84 = octet_scale_0(_S82, &_S83, _S42);
                        scales_1[6U] = _S84.x;
                        least_0[6U] = _S84.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(_S44)
                                {
                                    break;
                                }
                                uchar device* _S85 = kernelContext_1->args_0->w_0;
                                uint _S86 = _S42 + 2U;
                                thread Planes_0 _S87 = _S80;
                                float2 _S88 = octet_scale_0(_S85, &_S87, _S86);
                                scales_1[7U] = _S88.x;
                                least_0[7U] = _S88.y;
                                break;
                            }
                            break;
                        }
                        break;
                    }
                    break;
                }
                break;
            }
            break;
        }
        uint r_0 = 0U;
        for(;;)
        {
            uint _S89 = own_0();
            if(r_0 < _S89)
            {
            }
            else
            {
                break;
            }
            bool _S90;
            if(_S89 != 1U)
            {
                _S90 = r_0 >= n_1;
            }
            else
            {
                _S90 = false;
            }
            if(_S90)
            {
                r_0 = r_0 + 1U;
                continue;
            }
            uchar device* block_0 = _S45 + ulong(r_0) * stride_0 + b_4 * 80U;
            uint4 _S91 = uint4(*(packed_uint4 device*)((ulong)(block_0))) ;
            uint4 _S92 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(16)))) ;
            uint4 _S93 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(32)))) ;
            uint4 _S94 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(48)))) ;
            uint4 _S95 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(64)))) ;
            float _S96 = (as_type<float>((_S95.x)));
            int _S97 = (as_type<int>((_S95.y)));
            int _S98 = (as_type<int>((_S95.z)));
            uint _S99 = _S91.w;
            uint _S100 = _S91.z;
            uint _S101 = _S91.y;
            uint _S102 = _S91.x;
            int h_0 = dot4_0(q_1[3U], _S99, dot4_0(q_1[2U], _S100, dot4_0(q_1[1U], _S101, dot4_0(q_1[0U], _S102, int(0)))));
            uint _S103 = _S93.w;
            uint _S104 = _S93.z;
            uint _S105 = _S93.y;
            uint _S106 = _S93.x;
            int l_0 = dot4_0(q_1[3U], _S103, dot4_0(q_1[2U], _S104, dot4_0(q_1[1U], _S105, dot4_0(q_1[0U], _S106, int(0)))));
            uint _S107 = q_1[7U];
            uint _S108 = _S92.w;
            uint _S109 = q_1[6U];
            uint _S110 = _S92.z;
            uint _S111 = q_1[5U];
            uint _S112 = _S92.y;
            uint _S113 = q_1[4U];
            uint _S114 = _S92.x;
            int _S115;
            if(_S43)
            {
                _S115 = int(0);
            }
            else
            {
                _S115 = h_0;
            }
            int h2_0 = dot4_0(_S107, _S108, dot4_0(_S109, _S110, dot4_0(_S111, _S112, dot4_0(_S113, _S114, _S115))));
            uint _S116 = q_1[7U];
            uint _S117 = _S94.w;
            uint _S118 = q_1[6U];
            uint _S119 = _S94.z;
            uint _S120 = q_1[5U];
            uint _S121 = _S94.y;
            uint _S122 = q_1[4U];
            uint _S123 = _S94.x;
            int _S124;
            if(_S43)
            {
                _S124 = int(0);
            }
            else
            {
                _S124 = l_0;
            }
            int l2_0 = dot4_0(_S116, _S117, dot4_0(_S118, _S119, dot4_0(_S120, _S121, dot4_0(_S122, _S123, _S124))));
            float sum_0 = (*acc_0)[r_0];
            float sum_1;
            if(_S43)
            {
                int _S125 = block_zero_0();
                float v_0 = fma(scales_1[0U], float(h_0 * int(256) + l_0 - _S125 * _S97), scales_1[1U] * float(h2_0 * int(256) + l2_0 - _S125 * _S98));
                if(has_minimum_0())
                {
                    sum_1 = fma(least_0[0U], float(_S97), fma(least_0[1U], float(_S98), v_0));
                }
                else
                {
                    sum_1 = v_0;
                }
                sum_1 = fma(_S96, sum_1, sum_0);
            }
            else
            {
                float sum_2 = fma(scales_1[0U] * _S96, float(h2_0 * int(256) + l2_0 - block_zero_0() * (_S97 + _S98)), sum_0);
                if(has_minimum_0())
                {
                    sum_1 = fma(least_0[0U], (as_type<float>((_S95.w))), sum_2);
                }
                else
                {
                    sum_1 = sum_2;
                }
            }
            (*acc_0)[r_0] = sum_1;
            int h_1 = dot4_0(q_1[11U], _S99, dot4_0(q_1[10U], _S100, dot4_0(q_1[9U], _S101, dot4_0(q_1[8U], _S102, int(0)))));
            int l_1 = dot4_0(q_1[11U], _S103, dot4_0(q_1[10U], _S104, dot4_0(q_1[9U], _S105, dot4_0(q_1[8U], _S106, int(0)))));
            uint _S126 = q_1[15U];
            uint _S127 = q_1[14U];
            uint _S128 = q_1[13U];
            uint _S129 = q_1[12U];
            int _S130;
            if(_S43)
            {
                _S130 = int(0);
            }
            else
            {
                _S130 = h_1;
            }
            int h2_1 = dot4_0(_S126, _S108, dot4_0(_S127, _S110, dot4_0(_S128, _S112, dot4_0(_S129, _S114, _S130))));
            uint _S131 = q_1[15U];
            uint _S132 = q_1[14U];
            uint _S133 = q_1[13U];
            uint _S134 = q_1[12U];
            int _S135;
            if(_S43)
            {
                _S135 = int(0);
            }
            else
            {
                _S135 = l_1;
            }
            int l2_1 = dot4_0(_S131, _S117, dot4_0(_S132, _S119, dot4_0(_S133, _S121, dot4_0(_S134, _S123, _S135))));
            float sum_3 = (*acc_0)[8U + r_0];
            float sum_4;
            if(_S43)
            {
                int _S136 = block_zero_0();
                float v_1 = fma(scales_1[2U], float(h_1 * int(256) + l_1 - _S136 * _S97), scales_1[3U] * float(h2_1 * int(256) + l2_1 - _S136 * _S98));
                if(has_minimum_0())
                {
                    sum_4 = fma(least_0[2U], float(_S97), fma(least_0[3U], float(_S98), v_1));
                }
                else
                {
                    sum_4 = v_1;
                }
                sum_4 = fma(_S96, sum_4, sum_3);
            }
            else
            {
                float sum_5 = fma(scales_1[2U] * _S96, float(h2_1 * int(256) + l2_1 - block_zero_0() * (_S97 + _S98)), sum_3);
                if(has_minimum_0())
                {
                    sum_4 = fma(least_0[2U], (as_type<float>((_S95.w))), sum_5);
                }
                else
                {
                    sum_4 = sum_5;
                }
            }
            (*acc_0)[8U + r_0] = sum_4;
            int h_2 = dot4_0(q_1[19U], _S99, dot4_0(q_1[18U], _S100, dot4_0(q_1[17U], _S101, dot4_0(q_1[16U], _S102, int(0)))));
            int l_2 = dot4_0(q_1[19U], _S103, dot4_0(q_1[18U], _S104, dot4_0(q_1[17U], _S105, dot4_0(q_1[16U], _S106, int(0)))));
            uint _S137 = q_1[23U];
            uint _S138 = q_1[22U];
            uint _S139 = q_1[21U];
            uint _S140 = q_1[20U];
            int _S141;
            if(_S43)
            {
                _S141 = int(0);
            }
            else
            {
                _S141 = h_2;
            }
            int h2_2 = dot4_0(_S137, _S108, dot4_0(_S138, _S110, dot4_0(_S139, _S112, dot4_0(_S140, _S114, _S141))));
            uint _S142 = q_1[23U];
            uint _S143 = q_1[22U];
            uint _S144 = q_1[21U];
            uint _S145 = q_1[20U];
            int _S146;
            if(_S43)
            {
                _S146 = int(0);
            }
            else
            {
                _S146 = l_2;
            }
            int l2_2 = dot4_0(_S142, _S117, dot4_0(_S143, _S119, dot4_0(_S144, _S121, dot4_0(_S145, _S123, _S146))));
            float sum_6 = (*acc_0)[16U + r_0];
            float sum_7;
            if(_S43)
            {
                int _S147 = block_zero_0();
                float v_2 = fma(scales_1[4U], float(h_2 * int(256) + l_2 - _S147 * _S97), scales_1[5U] * float(h2_2 * int(256) + l2_2 - _S147 * _S98));
                if(has_minimum_0())
                {
                    sum_7 = fma(least_0[4U], float(_S97), fma(least_0[5U], float(_S98), v_2));
                }
                else
                {
                    sum_7 = v_2;
                }
                sum_7 = fma(_S96, sum_7, sum_6);
            }
            else
            {
                float sum_8 = fma(scales_1[4U] * _S96, float(h2_2 * int(256) + l2_2 - block_zero_0() * (_S97 + _S98)), sum_6);
                if(has_minimum_0())
                {
                    sum_7 = fma(least_0[4U], (as_type<float>((_S95.w))), sum_8);
                }
                else
                {
                    sum_7 = sum_8;
                }
            }
            (*acc_0)[16U + r_0] = sum_7;
            int h_3 = dot4_0(q_1[27U], _S99, dot4_0(q_1[26U], _S100, dot4_0(q_1[25U], _S101, dot4_0(q_1[24U], _S102, int(0)))));
            int l_3 = dot4_0(q_1[27U], _S103, dot4_0(q_1[26U], _S104, dot4_0(q_1[25U], _S105, dot4_0(q_1[24U], _S106, int(0)))));
            uint _S148 = q_1[31U];
            uint _S149 = q_1[30U];
            uint _S150 = q_1[29U];
            uint _S151 = q_1[28U];
            int _S152;
            if(_S43)
            {
                _S152 = int(0);
            }
            else
            {
                _S152 = h_3;
            }
            int h2_3 = dot4_0(_S148, _S108, dot4_0(_S149, _S110, dot4_0(_S150, _S112, dot4_0(_S151, _S114, _S152))));
            uint _S153 = q_1[31U];
            uint _S154 = q_1[30U];
            uint _S155 = q_1[29U];
            uint _S156 = q_1[28U];
            int _S157;
            if(_S43)
            {
                _S157 = int(0);
            }
            else
            {
                _S157 = l_3;
            }
            int l2_3 = dot4_0(_S153, _S117, dot4_0(_S154, _S119, dot4_0(_S155, _S121, dot4_0(_S156, _S123, _S157))));
            float sum_9 = (*acc_0)[24U + r_0];
            float sum_10;
            if(_S43)
            {
                int _S158 = block_zero_0();
                float v_3 = fma(scales_1[6U], float(h_3 * int(256) + l_3 - _S158 * _S97), scales_1[7U] * float(h2_3 * int(256) + l2_3 - _S158 * _S98));
                if(has_minimum_0())
                {
                    sum_10 = fma(least_0[6U], float(_S97), fma(least_0[7U], float(_S98), v_3));
                }
                else
                {
                    sum_10 = v_3;
                }
                sum_10 = fma(_S96, sum_10, sum_9);
            }
            else
            {
                float sum_11 = fma(scales_1[6U] * _S96, float(h2_3 * int(256) + l2_3 - block_zero_0() * (_S97 + _S98)), sum_9);
                if(has_minimum_0())
                {
                    sum_10 = fma(least_0[6U], (as_type<float>((_S95.w))), sum_11);
                }
                else
                {
                    sum_10 = sum_11;
                }
            }
            (*acc_0)[24U + r_0] = sum_10;
            r_0 = r_0 + 1U;
        }
        b_4 = b_4 + 64U;
    }
    return;
}
float bf16_to_f32_0(uint half_1)
{
    return (as_type<float>((half_1 << 16U)));
}
void octet_floats_0(uchar device* w_3, const Planes_0 thread* p_7, uint o_1, array<float, int(8)> thread* v_4)
{
    if(C_DTYPE_0 == 0U)
    {
        uchar device* _S159 = w_3 + p_7->low_0 + o_1 * 32U;
        float4 _S160 = float4(*(packed_float4 device*)((ulong)(_S159))) ;
        float4 _S161 = float4(*(packed_float4 device*)((ulong)(_S159 + int(16)))) ;
        (*v_4)[int(0)] = _S160.x;
        (*v_4)[int(1)] = _S160.y;
        (*v_4)[int(2)] = _S160.z;
        (*v_4)[int(3)] = _S160.w;
        (*v_4)[int(4)] = _S161.x;
        (*v_4)[int(5)] = _S161.y;
        (*v_4)[int(6)] = _S161.z;
        (*v_4)[int(7)] = _S161.w;
        return;
    }
    uint4 _S162 = uint4(*(packed_uint4 device*)((ulong)(w_3 + p_7->low_0 + o_1 * 16U))) ;
    uint _S163 = _S162.x;
    uint half_2 = (_S163 >> 0U) & 65535U;
    float _S164;
    if(C_DTYPE_0 == 1U)
    {
        _S164 = f16_to_f32_0(half_2);
    }
    else
    {
        _S164 = bf16_to_f32_0(half_2);
    }
    (*v_4)[0U] = _S164;
    uint half_3 = (_S163 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S164 = f16_to_f32_0(half_3);
    }
    else
    {
        _S164 = bf16_to_f32_0(half_3);
    }
    (*v_4)[1U] = _S164;
    uint _S165 = _S162.y;
    uint half_4 = (_S165 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S164 = f16_to_f32_0(half_4);
    }
    else
    {
        _S164 = bf16_to_f32_0(half_4);
    }
    (*v_4)[2U] = _S164;
    uint half_5 = (_S165 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S164 = f16_to_f32_0(half_5);
    }
    else
    {
        _S164 = bf16_to_f32_0(half_5);
    }
    (*v_4)[3U] = _S164;
    uint _S166 = _S162.z;
    uint half_6 = (_S166 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S164 = f16_to_f32_0(half_6);
    }
    else
    {
        _S164 = bf16_to_f32_0(half_6);
    }
    (*v_4)[4U] = _S164;
    uint half_7 = (_S166 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S164 = f16_to_f32_0(half_7);
    }
    else
    {
        _S164 = bf16_to_f32_0(half_7);
    }
    (*v_4)[5U] = _S164;
    uint _S167 = _S162.w;
    uint half_8 = (_S167 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S164 = f16_to_f32_0(half_8);
    }
    else
    {
        _S164 = bf16_to_f32_0(half_8);
    }
    (*v_4)[6U] = _S164;
    uint half_9 = (_S167 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S164 = f16_to_f32_0(half_9);
    }
    else
    {
        _S164 = bf16_to_f32_0(half_9);
    }
    (*v_4)[7U] = _S164;
    return;
}
void octet_codes_0(uchar device* w_4, const Planes_0 thread* p_8, uint o_2, array<float, int(8)> thread* q_2)
{
    uint b_5 = o_2 / 4U;
    uint j_0 = o_2 % 4U;
    thread array<uint, int(8)> v_5;
    uint _S168 = low_bits_0();
    if(_S168 == 8U)
    {
        uint2 _S169 = (uint2(*(packed_uint2 device*)((ulong)(w_4 + p_8->low_0 + o_2 * 8U))) ) ^ (uint2(2155905152U) );
        uint _S170 = _S169.x;
        v_5[0U] = (_S170 >> 0U) & 255U;
        v_5[1U] = (_S170 >> 8U) & 255U;
        v_5[2U] = (_S170 >> 16U) & 255U;
        v_5[3U] = (_S170 >> 24U) & 255U;
        uint _S171 = _S169.y;
        v_5[4U] = (_S171 >> 0U) & 255U;
        v_5[5U] = (_S171 >> 8U) & 255U;
        v_5[6U] = (_S171 >> 16U) & 255U;
        v_5[7U] = (_S171 >> 24U) & 255U;
    }
    else
    {
        if(_S168 == 4U)
        {
            uint c_3 = b_5 % 8U;
            uint at_2;
            if(striped_0())
            {
                at_2 = b_5 / 8U * 128U + (c_3 % 2U * 4U + c_3 / 2U) * 16U;
            }
            else
            {
                at_2 = b_5 * 16U;
            }
            uint2 _S172 = (uint2(*(packed_uint2 device*)((ulong)(w_4 + p_8->low_0 + at_2 + j_0 % 2U * 8U))) ) >> (uint2((j_0 / 2U * 4U)) );
            uint _S173 = _S172.x;
            v_5[0U] = (_S173 >> 0U) & 15U;
            v_5[1U] = (_S173 >> 8U) & 15U;
            v_5[2U] = (_S173 >> 16U) & 15U;
            v_5[3U] = (_S173 >> 24U) & 15U;
            uint _S174 = _S172.y;
            v_5[4U] = (_S174 >> 0U) & 15U;
            v_5[5U] = (_S174 >> 8U) & 15U;
            v_5[6U] = (_S174 >> 16U) & 15U;
            v_5[7U] = (_S174 >> 24U) & 15U;
        }
        else
        {
            uint _S175 = word_at_0(w_4 + p_8->low_0 + b_5 * 8U + j_0 / 2U * 4U);
            uint _S176 = _S175 >> (j_0 % 2U * 4U);
            v_5[0U] = (_S176 >> 0U) & 3U;
            v_5[1U] = (_S176 >> 8U) & 3U;
            v_5[2U] = (_S176 >> 16U) & 3U;
            v_5[3U] = (_S176 >> 24U) & 3U;
            v_5[4U] = (_S176 >> 2U) & 3U;
            v_5[5U] = (_S176 >> 10U) & 3U;
            v_5[6U] = (_S176 >> 18U) & 3U;
            v_5[7U] = (_S176 >> 26U) & 3U;
        }
    }
    uint _S177 = high_bits_0();
    if(_S177 == 2U)
    {
        uint _S178 = word_at_0(w_4 + p_8->high_0 + b_5 * 8U + j_0 / 2U * 4U);
        uint _S179 = _S178 >> (j_0 % 2U * 4U);
        v_5[0U] = (v_5[0U]) | (((_S179 >> 0U) & 3U) << _S168);
        v_5[1U] = (v_5[1U]) | (((_S179 >> 8U) & 3U) << _S168);
        v_5[2U] = (v_5[2U]) | (((_S179 >> 16U) & 3U) << _S168);
        v_5[3U] = (v_5[3U]) | (((_S179 >> 24U) & 3U) << _S168);
        v_5[4U] = (v_5[4U]) | (((_S179 >> 2U) & 3U) << _S168);
        v_5[5U] = (v_5[5U]) | (((_S179 >> 10U) & 3U) << _S168);
        v_5[6U] = (v_5[6U]) | (((_S179 >> 18U) & 3U) << _S168);
        v_5[7U] = (v_5[7U]) | (((_S179 >> 26U) & 3U) << _S168);
    }
    if(_S177 == 1U)
    {
        uint _S180 = word_at_0(w_4 + p_8->high_0 + b_5 * 4U);
        uint _S181 = _S180 >> (j_0 * 2U);
        v_5[0U] = (v_5[0U]) | (((_S181 >> 0U) & 1U) << _S168);
        v_5[1U] = (v_5[1U]) | (((_S181 >> 8U) & 1U) << _S168);
        v_5[2U] = (v_5[2U]) | (((_S181 >> 16U) & 1U) << _S168);
        v_5[3U] = (v_5[3U]) | (((_S181 >> 24U) & 1U) << _S168);
        v_5[4U] = (v_5[4U]) | (((_S181 >> 1U) & 1U) << _S168);
        v_5[5U] = (v_5[5U]) | (((_S181 >> 9U) & 1U) << _S168);
        v_5[6U] = (v_5[6U]) | (((_S181 >> 17U) & 1U) << _S168);
        v_5[7U] = (v_5[7U]) | (((_S181 >> 25U) & 1U) << _S168);
    }
    float _S182 = float(8388608U + zero_0());
    (*q_2)[0U] = (as_type<float>((1258291200U | v_5[0U]))) - _S182;
    (*q_2)[1U] = (as_type<float>((1258291200U | v_5[1U]))) - _S182;
    (*q_2)[2U] = (as_type<float>((1258291200U | v_5[2U]))) - _S182;
    (*q_2)[3U] = (as_type<float>((1258291200U | v_5[3U]))) - _S182;
    (*q_2)[4U] = (as_type<float>((1258291200U | v_5[4U]))) - _S182;
    (*q_2)[5U] = (as_type<float>((1258291200U | v_5[5U]))) - _S182;
    (*q_2)[6U] = (as_type<float>((1258291200U | v_5[6U]))) - _S182;
    (*q_2)[7U] = (as_type<float>((1258291200U | v_5[7U]))) - _S182;
    return;
}
void add_eights_0(const Four_0 thread* four_2, uint first_2, uint n_2, uint t_1, array<float, int(32)> thread* acc_1, KernelContext_0 thread* kernelContext_2)
{
    uint _S183;
    bool _S184;
    float2 _S185;
    bool _S186;
    float sum_12;
    float sum_13;
    ulong stride_1 = act_row_bytes_0(0U, C_K_0) / 16UL;
    packed_float4 device* _S187 = (packed_float4 device*)((ulong)(kernelContext_2->args_0->x_0)) + ulong(first_2) * stride_1;
    uint o_3 = t_1;
    for(;;)
    {
        if(o_3 < (C_K_0 / 8U))
        {
        }
        else
        {
            break;
        }
        thread array<float, int(64)> x_1;
        thread array<float, int(8)> whole_0;
        uint r_1 = 0U;
        for(;;)
        {
            uint _S188 = own_0();
            _S183 = _S188;
            if(r_1 < _S188)
            {
            }
            else
            {
                break;
            }
            if(_S188 != 1U)
            {
                _S184 = r_1 >= n_2;
            }
            else
            {
                _S184 = false;
            }
            if(_S184)
            {
                r_1 = r_1 + 1U;
                continue;
            }
            packed_float4 device* _S189 = _S187 + ulong(r_1) * stride_1 + o_3 * 2U;
            float4 _S190 = float4(*(_S189 + int(0))) ;
            float4 _S191 = float4(*(_S189 + int(1))) ;
            uint to_0 = r_1 * 8U;
            float _S192 = _S190.x;
            x_1[to_0] = _S192;
            float _S193 = _S190.y;
            x_1[to_0 + 1U] = _S193;
            float _S194 = _S190.z;
            x_1[to_0 + 2U] = _S194;
            float _S195 = _S190.w;
            x_1[to_0 + 3U] = _S195;
            float _S196 = _S191.x;
            x_1[to_0 + 4U] = _S196;
            float _S197 = _S191.y;
            x_1[to_0 + 5U] = _S197;
            float _S198 = _S191.z;
            x_1[to_0 + 6U] = _S198;
            float _S199 = _S191.w;
            x_1[to_0 + 7U] = _S199;
            if(has_minimum_0())
            {
                whole_0[r_1] = _S192 + _S193 + (_S194 + _S195) + (_S196 + _S197 + (_S198 + _S199));
            }
            r_1 = r_1 + 1U;
        }
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    thread array<float, int(8)> q_3;
                    float2 _S200 = float2(1.0, 0.0);
                    _S185 = _S200;
                    Planes_0 _S201 = of_0(four_2, 0U);
                    bool _S202 = is_float_0();
                    _S186 = _S202;
                    float2 scale_0;
                    if(_S202)
                    {
                        uchar device* _S203 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S204 = _S201;
                        octet_floats_0(_S203, &_S204, o_3, &q_3);
                        scale_0 = _S200;
                    }
                    else
                    {
                        uchar device* _S205 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S206 = _S201;
                        octet_codes_0(_S205, &_S206, o_3, &q_3);
                        uchar device* _S207 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S208 = _S201;
                        float2 _S209 = octet_scale_0(_S207, &_S208, o_3);
                        scale_0 = _S209;
                    }
                    uint r_2 = 0U;
                    for(;;)
                    {
                        if(r_2 < _S183)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S183 != 1U)
                        {
                            _S184 = r_2 >= n_2;
                        }
                        else
                        {
                            _S184 = false;
                        }
                        if(_S184)
                        {
                            r_2 = r_2 + 1U;
                            continue;
                        }
                        uint _S210 = r_2 * 8U;
                        float _S211 = q_3[int(0)] * x_1[_S210];
                        float sum_14 = (*acc_1)[r_2];
                        float s_2 = fma(q_3[7U], x_1[_S210 + 7U], fma(q_3[6U], x_1[_S210 + 6U], fma(q_3[5U], x_1[_S210 + 5U], fma(q_3[4U], x_1[_S210 + 4U], fma(q_3[3U], x_1[_S210 + 3U], fma(q_3[2U], x_1[_S210 + 2U], fma(q_3[1U], x_1[_S210 + 1U], _S211)))))));
                        if(_S202)
                        {
                            sum_12 = sum_14 + s_2;
                        }
                        else
                        {
                            sum_12 = fma(scale_0.x, s_2, sum_14);
                        }
                        if(has_minimum_0())
                        {
                            sum_13 = fma(scale_0.y, whole_0[r_2], sum_12);
                        }
                        else
                        {
                            sum_13 = sum_12;
                        }
                        (*acc_1)[r_2] = sum_13;
                        r_2 = r_2 + 1U;
                    }
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    thread array<float, int(8)> q_4;
                    Planes_0 _S212 = of_0(four_2, 1U);
                    float2 scale_1;
                    if(_S186)
                    {
                        uchar device* _S213 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S214 = _S212;
                        octet_floats_0(_S213, &_S214, o_3, &q_4);
                        scale_1 = _S185;
                    }
                    else
                    {
                        uchar device* _S215 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S216 = _S212;
                        octet_codes_0(_S215, &_S216, o_3, &q_4);
                        uchar device* _S217 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S218 = _S212;
                        float2 _S219 = octet_scale_0(_S217, &_S218, o_3);
                        scale_1 = _S219;
                    }
                    uint r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S183)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S183 != 1U)
                        {
                            _S184 = r_3 >= n_2;
                        }
                        else
                        {
                            _S184 = false;
                        }
                        if(_S184)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S220 = r_3 * 8U;
                        float _S221 = q_4[int(0)] * x_1[_S220];
                        float sum_15 = (*acc_1)[8U + r_3];
                        float s_3 = fma(q_4[7U], x_1[_S220 + 7U], fma(q_4[6U], x_1[_S220 + 6U], fma(q_4[5U], x_1[_S220 + 5U], fma(q_4[4U], x_1[_S220 + 4U], fma(q_4[3U], x_1[_S220 + 3U], fma(q_4[2U], x_1[_S220 + 2U], fma(q_4[1U], x_1[_S220 + 1U], _S221)))))));
                        if(_S186)
                        {
                            sum_12 = sum_15 + s_3;
                        }
                        else
                        {
                            sum_12 = fma(scale_1.x, s_3, sum_15);
                        }
                        if(has_minimum_0())
                        {
                            sum_13 = fma(scale_1.y, whole_0[r_3], sum_12);
                        }
                        else
                        {
                            sum_13 = sum_12;
                        }
                        (*acc_1)[8U + r_3] = sum_13;
                        r_3 = r_3 + 1U;
                    }
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    thread array<float, int(8)> q_5;
                    Planes_0 _S222 = of_0(four_2, 2U);
                    float2 scale_2;
                    if(_S186)
                    {
                        uchar device* _S223 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S224 = _S222;
                        octet_floats_0(_S223, &_S224, o_3, &q_5);
                        scale_2 = _S185;
                    }
                    else
                    {
                        uchar device* _S225 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S226 = _S222;
                        octet_codes_0(_S225, &_S226, o_3, &q_5);
                        uchar device* _S227 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S228 = _S222;
                        float2 _S229 = octet_scale_0(_S227, &_S228, o_3);
                        scale_2 = _S229;
                    }
                    uint r_4 = 0U;
                    for(;;)
                    {
                        if(r_4 < _S183)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S183 != 1U)
                        {
                            _S184 = r_4 >= n_2;
                        }
                        else
                        {
                            _S184 = false;
                        }
                        if(_S184)
                        {
                            r_4 = r_4 + 1U;
                            continue;
                        }
                        uint _S230 = r_4 * 8U;
                        float _S231 = q_5[int(0)] * x_1[_S230];
                        float sum_16 = (*acc_1)[16U + r_4];
                        float s_4 = fma(q_5[7U], x_1[_S230 + 7U], fma(q_5[6U], x_1[_S230 + 6U], fma(q_5[5U], x_1[_S230 + 5U], fma(q_5[4U], x_1[_S230 + 4U], fma(q_5[3U], x_1[_S230 + 3U], fma(q_5[2U], x_1[_S230 + 2U], fma(q_5[1U], x_1[_S230 + 1U], _S231)))))));
                        if(_S186)
                        {
                            sum_12 = sum_16 + s_4;
                        }
                        else
                        {
                            sum_12 = fma(scale_2.x, s_4, sum_16);
                        }
                        if(has_minimum_0())
                        {
                            sum_13 = fma(scale_2.y, whole_0[r_4], sum_12);
                        }
                        else
                        {
                            sum_13 = sum_12;
                        }
                        (*acc_1)[16U + r_4] = sum_13;
                        r_4 = r_4 + 1U;
                    }
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    thread array<float, int(8)> q_6;
                    Planes_0 _S232 = of_0(four_2, 3U);
                    float2 scale_3;
                    if(_S186)
                    {
                        uchar device* _S233 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S234 = _S232;
                        octet_floats_0(_S233, &_S234, o_3, &q_6);
                        scale_3 = _S185;
                    }
                    else
                    {
                        uchar device* _S235 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S236 = _S232;
                        octet_codes_0(_S235, &_S236, o_3, &q_6);
                        uchar device* _S237 = kernelContext_2->args_0->w_0;
                        thread Planes_0 _S238 = _S232;
                        float2 _S239 = octet_scale_0(_S237, &_S238, o_3);
                        scale_3 = _S239;
                    }
                    uint r_5 = 0U;
                    for(;;)
                    {
                        if(r_5 < _S183)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S183 != 1U)
                        {
                            _S184 = r_5 >= n_2;
                        }
                        else
                        {
                            _S184 = false;
                        }
                        if(_S184)
                        {
                            r_5 = r_5 + 1U;
                            continue;
                        }
                        uint _S240 = r_5 * 8U;
                        float _S241 = q_6[int(0)] * x_1[_S240];
                        float sum_17 = (*acc_1)[24U + r_5];
                        float s_5 = fma(q_6[7U], x_1[_S240 + 7U], fma(q_6[6U], x_1[_S240 + 6U], fma(q_6[5U], x_1[_S240 + 5U], fma(q_6[4U], x_1[_S240 + 4U], fma(q_6[3U], x_1[_S240 + 3U], fma(q_6[2U], x_1[_S240 + 2U], fma(q_6[1U], x_1[_S240 + 1U], _S241)))))));
                        if(_S186)
                        {
                            sum_12 = sum_17 + s_5;
                        }
                        else
                        {
                            sum_12 = fma(scale_3.x, s_5, sum_17);
                        }
                        if(has_minimum_0())
                        {
                            sum_13 = fma(scale_3.y, whole_0[r_5], sum_12);
                        }
                        else
                        {
                            sum_13 = sum_12;
                        }
                        (*acc_1)[24U + r_5] = sum_13;
                        r_5 = r_5 + 1U;
                    }
                    break;
                }
                break;
            }
            break;
        }
        o_3 = o_3 + 64U;
    }
    return;
}
struct Product_0
{
    float v_6;
    uint row_1;
    uint column_0;
    bool mine_0;
};
Product_0 product_0(uint tile_0, uint side_0, uint t_2, KernelContext_0 thread* kernelContext_3)
{
    uint r_6;
    uint _S242;
    uint _S243;
    uint l_4;
    uint rows_1;
    if(C_SELECT_0 != 0U)
    {
        rows_1 = kernelContext_3->args_0->step_0->head_rows_0;
    }
    else
    {
        rows_1 = kernelContext_3->args_0->step_0->rows_0;
    }
    uint first_3 = side_0 * 8U;
    uint _S244 = min(8U, rows_1 - min(rows_1, first_3));
    thread Four_0 four_3;
    uint _S245 = tile_0 * 4U;
    (&four_3)->first_0 = row_planes_0(min(_S245, C_N_0 - 1U));
    (&four_3)->second_0 = row_planes_0(min(_S245 + 1U, C_N_0 - 1U));
    (&four_3)->third_0 = row_planes_0(min(_S245 + 2U, C_N_0 - 1U));
    (&four_3)->fourth_0 = row_planes_0(min(_S245 + 3U, C_N_0 - 1U));
    thread array<float, int(32)> acc_2;
    acc_2[0U] = 0.0;
    acc_2[1U] = 0.0;
    acc_2[2U] = 0.0;
    acc_2[3U] = 0.0;
    acc_2[4U] = 0.0;
    acc_2[5U] = 0.0;
    acc_2[6U] = 0.0;
    acc_2[7U] = 0.0;
    acc_2[8U] = 0.0;
    acc_2[9U] = 0.0;
    acc_2[10U] = 0.0;
    acc_2[11U] = 0.0;
    acc_2[12U] = 0.0;
    acc_2[13U] = 0.0;
    acc_2[14U] = 0.0;
    acc_2[15U] = 0.0;
    acc_2[16U] = 0.0;
    acc_2[17U] = 0.0;
    acc_2[18U] = 0.0;
    acc_2[19U] = 0.0;
    acc_2[20U] = 0.0;
    acc_2[21U] = 0.0;
    acc_2[22U] = 0.0;
    acc_2[23U] = 0.0;
    acc_2[24U] = 0.0;
    acc_2[25U] = 0.0;
    acc_2[26U] = 0.0;
    acc_2[27U] = 0.0;
    acc_2[28U] = 0.0;
    acc_2[29U] = 0.0;
    acc_2[30U] = 0.0;
    acc_2[31U] = 0.0;
    if(C_ACT_0 == 6U)
    {
        thread Four_0 _S246 = four_3;
        add_blocks_0(&_S246, first_3, _S244, t_2, &acc_2, kernelContext_3);
    }
    else
    {
        thread Four_0 _S247 = four_3;
        add_eights_0(&_S247, first_3, _S244, t_2, &acc_2, kernelContext_3);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for(;;)
    {
        for(;;)
        {
            for(;;)
            {
                r_6 = 0U;
                for(;;)
                {
                    uint _S248 = own_0();
                    _S242 = _S248;
                    if(r_6 < _S248)
                    {
                    }
                    else
                    {
                        break;
                    }
                    (*kernelContext_3->partial_0)[r_6 * 72U + t_2] = acc_2[r_6];
                    r_6 = r_6 + 1U;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                r_6 = 0U;
                for(;;)
                {
                    if(r_6 < _S242)
                    {
                    }
                    else
                    {
                        break;
                    }
                    (*kernelContext_3->partial_0)[(_S242 + r_6) * 72U + t_2] = acc_2[8U + r_6];
                    r_6 = r_6 + 1U;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                r_6 = 0U;
                for(;;)
                {
                    if(r_6 < _S242)
                    {
                    }
                    else
                    {
                        break;
                    }
                    (*kernelContext_3->partial_0)[(2U * _S242 + r_6) * 72U + t_2] = acc_2[16U + r_6];
                    r_6 = r_6 + 1U;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                r_6 = 0U;
                for(;;)
                {
                    if(r_6 < _S242)
                    {
                    }
                    else
                    {
                        break;
                    }
                    (*kernelContext_3->partial_0)[(3U * _S242 + r_6) * 72U + t_2] = acc_2[24U + r_6];
                    r_6 = r_6 + 1U;
                }
                break;
            }
            break;
        }
        break;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint s_6 = t_2 / 8U;
    for(;;)
    {
        uint _S249 = 4U * _S242;
        _S243 = _S249;
        if(s_6 < _S249)
        {
        }
        else
        {
            break;
        }
        uint _S250 = s_6 * 72U;
        uint _S251 = t_2 % 8U;
        float _S252 = (*kernelContext_3->partial_0)[_S250 + _S251];
        l_4 = 1U;
        float sum_18 = _S252;
        for(;;)
        {
            if(l_4 < 8U)
            {
            }
            else
            {
                break;
            }
            float _S253 = sum_18 + (*kernelContext_3->partial_0)[_S250 + l_4 * 8U + _S251];
            l_4 = l_4 + 1U;
            sum_18 = _S253;
        }
        (*kernelContext_3->eighths_0)[s_6 * 8U + _S251] = sum_18;
        s_6 = s_6 + 8U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    thread Product_0 p_9;
    (&p_9)->v_6 = 0.0;
    uint _S254 = t_2 % _S242;
    (&p_9)->row_1 = first_3 + _S254;
    uint _S255 = t_2 / _S242;
    (&p_9)->column_0 = _S245 + _S255;
    bool _S256;
    if(t_2 < _S243)
    {
        _S256 = _S254 < _S244;
    }
    else
    {
        _S256 = false;
    }
    if(_S256)
    {
        _S256 = ((&p_9)->column_0) < C_N_0;
    }
    else
    {
        _S256 = false;
    }
    (&p_9)->mine_0 = _S256;
    if(_S256)
    {
        l_4 = 0U;
        for(;;)
        {
            if(l_4 < 8U)
            {
            }
            else
            {
                break;
            }
            (&p_9)->v_6 = (&p_9)->v_6 + (*kernelContext_3->eighths_0)[t_2 * 8U + l_4];
            l_4 = l_4 + 1U;
        }
    }
    return p_9;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_4;
    (&kernelContext_4)->args_0 = args_1;
    threadgroup array<float, int(2304)> partial_1;
    (&kernelContext_4)->partial_0 = &partial_1;
    threadgroup array<float, int(256)> eighths_1;
    (&kernelContext_4)->eighths_0 = &eighths_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S257 = stopped_0(&kernelContext_4);
    if(_S257)
    {
        return;
    }
    uint tile_1 = group_0.x;
    for(;;)
    {
        uint _S258 = product_tiles_0();
        if(tile_1 < _S258)
        {
        }
        else
        {
            break;
        }
        Product_0 _S259 = product_0(tile_1, group_0.y, sv_groupindex_0, &kernelContext_4);
        if(_S259.mine_0)
        {
            *((float device*)((ulong)((&kernelContext_4)->args_0->out_0)) + (ulong(_S259.row_1) * ulong(C_OUT_STRIDE_0) + ulong(C_OUT_COL_0) + ulong(_S259.column_0))) = _S259.v_6;
        }
        tile_1 = tile_1 + min(_S258, 65535U);
    }
    return;
}
