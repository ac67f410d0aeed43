// Made by tools/vulkan-kernels.sh of norm_matmul_glu.slang and what stands before it.
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
constant uint fc_C_ACT_0 [[function_constant(5)]];
constant uint C_ACT_0 = is_function_constant_defined(fc_C_ACT_0) ? fc_C_ACT_0 : 1U;
constant uint fc_C_ACTIVATION_0 [[function_constant(4)]];
constant uint C_ACTIVATION_0 = is_function_constant_defined(fc_C_ACTIVATION_0) ? fc_C_ACTIVATION_0 : 1U;
constant uint fc_C_K_0 [[function_constant(2)]];
constant uint C_K_0 = is_function_constant_defined(fc_C_K_0) ? fc_C_K_0 : 1U;
constant uint fc_C_F_0 [[function_constant(3)]];
constant uint C_F_0 = is_function_constant_defined(fc_C_F_0) ? fc_C_F_0 : 1U;
constant uint fc_C_MAX_ROWS_0 [[function_constant(6)]];
constant uint C_MAX_ROWS_0 = is_function_constant_defined(fc_C_MAX_ROWS_0) ? fc_C_MAX_ROWS_0 : 1U;
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
    uchar device* norm_0;
    uchar device* w_0;
    uchar device* out_0;
    float eps_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<float, int(576)> threadgroup* partial_0;
    array<float, int(64)> threadgroup* eighths_of_squares_0;
    array<float, int(256)> threadgroup* eighths_0;
    array<float, int(32)> threadgroup* finished_0;
};
bool stopped_0(KernelContext_0 thread* kernelContext_0)
{
    return (kernelContext_0->args_0->step_0->stop_0) != 0U;
}
uint outputs_0()
{
    int _S1;
    if(C_MAX_ROWS_0 == 1U)
    {
        _S1 = int(8);
    }
    else
    {
        _S1 = int(4);
    }
    return uint(_S1);
}
uint gates_0()
{
    return outputs_0() / 2U;
}
uint product_tiles_0()
{
    uint _S2 = gates_0();
    uint _S3 = (C_F_0 + _S2 - 1U) / _S2;
    return _S3;
}
uint inputs_0(KernelContext_0 thread* kernelContext_1)
{
    return kernelContext_1->args_0->step_0->rows_0;
}
uint own_0()
{
    uint _S4;
    if(C_MAX_ROWS_0 == 1U)
    {
        _S4 = 1U;
    }
    else
    {
        _S4 = 8U;
    }
    return _S4;
}
uint weight_row_0(uint tile_0, uint side_0, uint i_0)
{
    uint _S5 = gates_0();
    uint _S6 = tile_0 * _S5;
    uint _S7 = i_0 % _S5;
    uint _S8 = min(_S6 + _S7, C_F_0 - 1U);
    uint _S9 = i_0 / _S5;
    return _S8 + _S9 * C_F_0;
}
bool is_float_0()
{
    bool _S10;
    if(C_DTYPE_0 == 0U)
    {
        _S10 = true;
    }
    else
    {
        _S10 = C_DTYPE_0 == 1U;
    }
    if(_S10)
    {
        _S10 = true;
    }
    else
    {
        _S10 = C_DTYPE_0 == 30U;
    }
    return _S10;
}
uint low_bits_0()
{
    int _S11;
    if(C_DTYPE_0 == 8U)
    {
        _S11 = int(8);
    }
    else
    {
        bool _S12;
        if(C_DTYPE_0 == 10U)
        {
            _S12 = true;
        }
        else
        {
            _S12 = C_DTYPE_0 == 11U;
        }
        if(_S12)
        {
            _S11 = int(2);
        }
        else
        {
            _S11 = int(4);
        }
    }
    return uint(_S11);
}
uint high_bits_0()
{
    int _S13;
    if(C_DTYPE_0 == 14U)
    {
        _S13 = int(2);
    }
    else
    {
        bool _S14;
        if(C_DTYPE_0 == 6U)
        {
            _S14 = true;
        }
        else
        {
            _S14 = C_DTYPE_0 == 7U;
        }
        if(_S14)
        {
            _S14 = true;
        }
        else
        {
            _S14 = C_DTYPE_0 == 13U;
        }
        if(_S14)
        {
            _S14 = true;
        }
        else
        {
            _S14 = C_DTYPE_0 == 11U;
        }
        if(_S14)
        {
            _S13 = int(1);
        }
        else
        {
            _S13 = int(0);
        }
    }
    return uint(_S13);
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
        int _S15;
        if(C_DTYPE_0 == 0U)
        {
            _S15 = int(4);
        }
        else
        {
            _S15 = int(2);
        }
        ulong _S16 = at_0 * ulong(_S15);
        (&p_0)->low_0 = _S16;
        (&p_0)->super_0 = _S16;
        (&p_0)->scales_0 = _S16;
        (&p_0)->high_0 = _S16;
        return p_0;
    }
    ulong _S17 = ulong(low_bits_0());
    ulong above_0 = ulong(2U * C_F_0) * ulong(C_K_0) / 8UL * _S17;
    ulong _S18 = ulong(high_bits_0());
    ulong rest_0 = above_0 + ulong(2U * C_F_0) * ulong(C_K_0) / 8UL * _S18;
    (&p_0)->low_0 = at_0 / 8UL * _S17;
    (&p_0)->high_0 = above_0 + at_0 / 8UL * _S18;
    (&p_0)->super_0 = rest_0;
    (&p_0)->scales_0 = rest_0;
    bool _S19;
    if(C_DTYPE_0 == 2U)
    {
        _S19 = true;
    }
    else
    {
        _S19 = C_DTYPE_0 == 6U;
    }
    if(_S19)
    {
        _S19 = true;
    }
    else
    {
        _S19 = C_DTYPE_0 == 8U;
    }
    if(_S19)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 16UL;
    }
    if(C_DTYPE_0 == 3U)
    {
        _S19 = true;
    }
    else
    {
        _S19 = C_DTYPE_0 == 7U;
    }
    if(_S19)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 8UL;
    }
    if(C_DTYPE_0 == 12U)
    {
        _S19 = true;
    }
    else
    {
        _S19 = C_DTYPE_0 == 13U;
    }
    if(_S19)
    {
        (&p_0)->super_0 = rest_0 + at_0 / 16UL;
    }
    if(C_DTYPE_0 == 10U)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 16UL;
        (&p_0)->super_0 = rest_0 + ulong(2U * C_F_0) * ulong(C_K_0) / 16UL + at_0 / 64UL;
    }
    if(C_DTYPE_0 == 11U)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 256UL * 12UL;
        (&p_0)->super_0 = rest_0 + ulong(2U * C_F_0) * ulong(C_K_0) / 256UL * 12UL + at_0 / 128UL;
    }
    if(C_DTYPE_0 == 14U)
    {
        (&p_0)->scales_0 = rest_0 + at_0 / 16UL;
        (&p_0)->super_0 = rest_0 + ulong(2U * C_F_0) * ulong(C_K_0) / 16UL + at_0 / 128UL;
    }
    return p_0;
}
ulong act_bytes_0(uint act_0, uint n_0)
{
    uint _S20;
    if(act_0 == 0U)
    {
        _S20 = 4U * n_0;
    }
    else
    {
        if(act_0 == 6U)
        {
            _S20 = n_0 / 32U * 80U;
        }
        else
        {
            _S20 = 2U * n_0;
        }
    }
    return ulong(_S20);
}
ulong act_row_bytes_0(uint act_1, uint k_0)
{
    return (((act_bytes_0(act_1, k_0) + 63UL) / 64UL) | 1UL) * 64UL;
}
uint input_row_0(uint r_0)
{
    return r_0;
}
struct Eight_0
{
    Planes_0 first_0;
    Planes_0 second_0;
    Planes_0 third_0;
    Planes_0 fourth_0;
    Planes_0 fifth_0;
    Planes_0 sixth_0;
    Planes_0 seventh_0;
    Planes_0 eighth_0;
};
Planes_0 of_0(const Eight_0 thread* at_1, uint i_1)
{
    Planes_0 _S21;
    if(i_1 == 0U)
    {
        _S21 = at_1->first_0;
    }
    else
    {
        if(i_1 == 1U)
        {
            _S21 = at_1->second_0;
        }
        else
        {
            if(i_1 == 2U)
            {
                _S21 = at_1->third_0;
            }
            else
            {
                if(i_1 == 3U)
                {
                    _S21 = at_1->fourth_0;
                }
                else
                {
                    if(i_1 == 4U)
                    {
                        _S21 = at_1->fifth_0;
                    }
                    else
                    {
                        if(i_1 == 5U)
                        {
                            _S21 = at_1->sixth_0;
                        }
                        else
                        {
                            if(i_1 == 6U)
                            {
                                _S21 = at_1->seventh_0;
                            }
                            else
                            {
                                _S21 = at_1->eighth_0;
                            }
                        }
                    }
                }
            }
        }
    }
    return _S21;
}
bool striped_0()
{
    bool _S22;
    if(C_DTYPE_0 == 12U)
    {
        _S22 = true;
    }
    else
    {
        _S22 = C_DTYPE_0 == 13U;
    }
    if(_S22)
    {
        _S22 = true;
    }
    else
    {
        _S22 = C_DTYPE_0 == 14U;
    }
    return _S22;
}
uint word_at_0(uchar device* p_1)
{
    return *(uint device*)((ulong)(p_1));
}
void block_codes_0(uchar device* w_1, const Planes_0 thread* p_2, uint b_0, array<uint, int(8)> thread* q_0)
{
    uint _S23 = low_bits_0();
    if(_S23 == 8U)
    {
        uchar device* _S24 = w_1 + p_2->low_0 + b_0 * 32U;
        uint4 _S25 = uint4(*(packed_uint4 device*)((ulong)(_S24))) ;
        uint4 _S26 = uint4(*(packed_uint4 device*)((ulong)(_S24 + int(16)))) ;
        (*q_0)[int(0)] = _S25.x;
        (*q_0)[int(1)] = _S25.y;
        (*q_0)[int(2)] = _S25.z;
        (*q_0)[int(3)] = _S25.w;
        (*q_0)[int(4)] = _S26.x;
        (*q_0)[int(5)] = _S26.y;
        (*q_0)[int(6)] = _S26.z;
        (*q_0)[int(7)] = _S26.w;
    }
    else
    {
        if(_S23 == 4U)
        {
            uint c_0 = b_0 % 8U;
            uint at_2;
            if(striped_0())
            {
                at_2 = b_0 / 8U * 128U + (c_0 % 2U * 4U + c_0 / 2U) * 16U;
            }
            else
            {
                at_2 = b_0 * 16U;
            }
            uint4 _S27 = uint4(*(packed_uint4 device*)((ulong)(w_1 + p_2->low_0 + at_2))) ;
            uint _S28 = _S27.x;
            (*q_0)[int(0)] = _S28 & 252645135U;
            uint _S29 = _S27.y;
            (*q_0)[int(1)] = _S29 & 252645135U;
            uint _S30 = _S27.z;
            (*q_0)[int(2)] = _S30 & 252645135U;
            uint _S31 = _S27.w;
            (*q_0)[int(3)] = _S31 & 252645135U;
            (*q_0)[int(4)] = (_S28 >> 4U) & 252645135U;
            (*q_0)[int(5)] = (_S29 >> 4U) & 252645135U;
            (*q_0)[int(6)] = (_S30 >> 4U) & 252645135U;
            (*q_0)[int(7)] = (_S31 >> 4U) & 252645135U;
        }
        else
        {
            uint2 _S32 = uint2(*(packed_uint2 device*)((ulong)(w_1 + p_2->low_0 + b_0 * 8U))) ;
            uint _S33 = _S32.x;
            (*q_0)[0U] = (_S33 >> 0U) & 50529027U;
            (*q_0)[1U] = (_S33 >> 2U) & 50529027U;
            (*q_0)[2U] = (_S33 >> 4U) & 50529027U;
            (*q_0)[3U] = (_S33 >> 6U) & 50529027U;
            uint _S34 = _S32.y;
            (*q_0)[4U] = (_S34 >> 0U) & 50529027U;
            (*q_0)[5U] = (_S34 >> 2U) & 50529027U;
            (*q_0)[6U] = (_S34 >> 4U) & 50529027U;
            (*q_0)[7U] = (_S34 >> 6U) & 50529027U;
        }
    }
    uint _S35 = high_bits_0();
    if(_S35 == 2U)
    {
        uint2 _S36 = uint2(*(packed_uint2 device*)((ulong)(w_1 + p_2->high_0 + b_0 * 8U))) ;
        uint _S37 = _S36.x;
        (*q_0)[0U] = ((*q_0)[0U]) | (((_S37 >> 0U) & 50529027U) << _S23);
        (*q_0)[1U] = ((*q_0)[1U]) | (((_S37 >> 2U) & 50529027U) << _S23);
        (*q_0)[2U] = ((*q_0)[2U]) | (((_S37 >> 4U) & 50529027U) << _S23);
        (*q_0)[3U] = ((*q_0)[3U]) | (((_S37 >> 6U) & 50529027U) << _S23);
        uint _S38 = _S36.y;
        (*q_0)[4U] = ((*q_0)[4U]) | (((_S38 >> 0U) & 50529027U) << _S23);
        (*q_0)[5U] = ((*q_0)[5U]) | (((_S38 >> 2U) & 50529027U) << _S23);
        (*q_0)[6U] = ((*q_0)[6U]) | (((_S38 >> 4U) & 50529027U) << _S23);
        (*q_0)[7U] = ((*q_0)[7U]) | (((_S38 >> 6U) & 50529027U) << _S23);
    }
    if(_S35 == 1U)
    {
        uint _S39 = word_at_0(w_1 + p_2->high_0 + b_0 * 4U);
        (*q_0)[0U] = ((*q_0)[0U]) | (((_S39 >> 0U) & 16843009U) << _S23);
        (*q_0)[1U] = ((*q_0)[1U]) | (((_S39 >> 1U) & 16843009U) << _S23);
        (*q_0)[2U] = ((*q_0)[2U]) | (((_S39 >> 2U) & 16843009U) << _S23);
        (*q_0)[3U] = ((*q_0)[3U]) | (((_S39 >> 3U) & 16843009U) << _S23);
        (*q_0)[4U] = ((*q_0)[4U]) | (((_S39 >> 4U) & 16843009U) << _S23);
        (*q_0)[5U] = ((*q_0)[5U]) | (((_S39 >> 5U) & 16843009U) << _S23);
        (*q_0)[6U] = ((*q_0)[6U]) | (((_S39 >> 6U) & 16843009U) << _S23);
        (*q_0)[7U] = ((*q_0)[7U]) | (((_S39 >> 7U) & 16843009U) << _S23);
    }
    return;
}
bool parted_0()
{
    bool _S40;
    if(C_DTYPE_0 == 10U)
    {
        _S40 = true;
    }
    else
    {
        _S40 = C_DTYPE_0 == 11U;
    }
    if(_S40)
    {
        _S40 = true;
    }
    else
    {
        _S40 = C_DTYPE_0 == 14U;
    }
    return _S40;
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
    uint _S41 = half_at_0(p_5);
    return f16_to_f32_0(_S41);
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
    bool _S42;
    if(C_DTYPE_0 == 3U)
    {
        _S42 = true;
    }
    else
    {
        _S42 = C_DTYPE_0 == 7U;
    }
    if(_S42)
    {
        uint dm_0 = word_at_0(w_2 + p_6->scales_0 + b_2 * 4U);
        return float2(f16_to_f32_0(dm_0), f16_to_f32_0(dm_0 >> 16U));
    }
    if(C_DTYPE_0 == 12U)
    {
        _S42 = true;
    }
    else
    {
        _S42 = C_DTYPE_0 == 13U;
    }
    if(_S42)
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
        uint _S43 = six_bits_0(w_2 + p_6->scales_0 + super_1 * 12U, o_0 / 2U % 16U);
        int s_1 = int(_S43) - int(32);
        float _S44 = scale_at_0(w_2 + p_6->super_0 + super_1 * 2U);
        return float2(_S44 * float(s_1), 0.0);
    }
    if(C_DTYPE_0 == 14U)
    {
        float _S45 = scale_at_0(w_2 + p_6->super_0 + super_1 * 2U);
        return float2(_S45 * float(signed_byte_0(*(w_2 + (p_6->scales_0 + ulong(o_0 / 2U))))), 0.0);
    }
    float _S46 = scale_at_0(w_2 + p_6->scales_0 + b_2 * 2U);
    return float2(_S46, 0.0);
}
int dot4_0(uint a_0, uint b_3, int c_2)
{
    return c_2 + (int(a_0 << 24U) >> 24U) * (int(b_3 << 24U) >> 24U) + (int(a_0 << 16U) >> 24U) * (int(b_3 << 16U) >> 24U) + (int(a_0 << 8U) >> 24U) * (int(b_3 << 8U) >> 24U) + (int(a_0 << 0U) >> 24U) * (int(b_3 << 0U) >> 24U);
}
uint zero_0()
{
    int _S47;
    if(C_DTYPE_0 == 2U)
    {
        _S47 = int(8);
    }
    else
    {
        if(C_DTYPE_0 == 6U)
        {
            _S47 = int(16);
        }
        else
        {
            if(C_DTYPE_0 == 8U)
            {
                _S47 = int(128);
            }
            else
            {
                if(C_DTYPE_0 == 11U)
                {
                    _S47 = int(4);
                }
                else
                {
                    if(C_DTYPE_0 == 14U)
                    {
                        _S47 = int(32);
                    }
                    else
                    {
                        _S47 = int(0);
                    }
                }
            }
        }
    }
    return uint(_S47);
}
int block_zero_0()
{
    int _S48;
    if(C_DTYPE_0 == 8U)
    {
        _S48 = int(0);
    }
    else
    {
        _S48 = int(zero_0());
    }
    return _S48;
}
bool has_minimum_0()
{
    bool _S49;
    if(C_DTYPE_0 == 3U)
    {
        _S49 = true;
    }
    else
    {
        _S49 = C_DTYPE_0 == 7U;
    }
    if(_S49)
    {
        _S49 = true;
    }
    else
    {
        _S49 = C_DTYPE_0 == 12U;
    }
    if(_S49)
    {
        _S49 = true;
    }
    else
    {
        _S49 = C_DTYPE_0 == 13U;
    }
    if(_S49)
    {
        _S49 = true;
    }
    else
    {
        _S49 = C_DTYPE_0 == 10U;
    }
    return _S49;
}
void add_blocks_0(const Eight_0 thread* rows_1, uint first_1, uint n_1, uint t_0, array<float, int(32)> thread* acc_0, KernelContext_0 thread* kernelContext_2)
{
    uint _S50;
    bool _S51;
    bool _S52;
    bool _S53;
    bool _S54;
    bool _S55;
    bool _S56;
    bool _S57;
    bool _S58;
    int _S59;
    int _S60;
    float sum_0;
    ulong stride_0 = act_row_bytes_0(6U, C_K_0);
    uchar device* _S61 = kernelContext_2->args_0->x_0 + ulong(input_row_0(first_1)) * stride_0;
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
        thread array<uint, int(64)> q_1;
        thread array<float, int(16)> scales_1;
        thread array<float, int(16)> least_0;
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    uint _S62 = outputs_0();
                    _S50 = _S62;
                    bool _S63 = 0U >= _S62;
                    _S51 = _S63;
                    if(_S63)
                    {
                        break;
                    }
                    uchar device* _S64 = kernelContext_2->args_0->w_0;
                    Planes_0 _S65 = of_0(rows_1, 0U);
                    thread Planes_0 _S66 = _S65;
                    thread array<uint, int(8)> words_0;
                    block_codes_0(_S64, &_S66, b_4, &words_0);
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
                        uchar device* _S67 = kernelContext_2->args_0->w_0;
                        uint _S68 = b_4 * 4U;
                        thread Planes_0 _S69 = _S65;
                        float2 _S70 = octet_scale_0(_S67, &_S69, _S68);
                        scales_1[0U] = _S70.x;
                        least_0[0U] = _S70.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S71 = kernelContext_2->args_0->w_0;
                                uint _S72 = _S68 + 2U;
                                thread Planes_0 _S73 = _S65;
                                float2 _S74 = octet_scale_0(_S71, &_S73, _S72);
                                scales_1[1U] = _S74.x;
                                least_0[1U] = _S74.y;
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
                    bool _S75 = 1U >= _S50;
                    _S52 = _S75;
                    if(_S75)
                    {
                        break;
                    }
                    uchar device* _S76 = kernelContext_2->args_0->w_0;
                    Planes_0 _S77 = of_0(rows_1, 1U);
                    thread Planes_0 _S78 = _S77;
                    thread array<uint, int(8)> words_1;
                    block_codes_0(_S76, &_S78, b_4, &words_1);
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
                        uchar device* _S79 = kernelContext_2->args_0->w_0;
                        uint _S80 = b_4 * 4U;
                        thread Planes_0 _S81 = _S77;
                        float2 _S82 = octet_scale_0(_S79, &_S81, _S80);
                        scales_1[2U] = _S82.x;
                        least_0[2U] = _S82.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S83 = kernelContext_2->args_0->w_0;
                                uint _S84 = _S80 + 2U;
                                thread Planes_0 _S85 = _S77;
                                float2 _S86 = octet_scale_0(_S83, &_S85, _S84);
                                scales_1[3U] = _S86.x;
                                least_0[3U] = _S86.y;
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
                    bool _S87 = 2U >= _S50;
                    _S53 = _S87;
                    if(_S87)
                    {
                        break;
                    }
                    uchar device* _S88 = kernelContext_2->args_0->w_0;
                    Planes_0 _S89 = of_0(rows_1, 2U);
                    thread Planes_0 _S90 = _S89;
                    thread array<uint, int(8)> words_2;
                    block_codes_0(_S88, &_S90, b_4, &words_2);
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
                        uchar device* _S91 = kernelContext_2->args_0->w_0;
                        uint _S92 = b_4 * 4U;
                        thread Planes_0 _S93 = _S89;
                        float2 _S94 = octet_scale_0(_S91, &_S93, _S92);
                        scales_1[4U] = _S94.x;
                        least_0[4U] = _S94.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S95 = kernelContext_2->args_0->w_0;
                                uint _S96 = _S92 + 2U;
                                thread Planes_0 _S97 = _S89;
                                float2 _S98 = octet_scale_0(_S95, &_S97, _S96);
                                scales_1[5U] = _S98.x;
                                least_0[5U] = _S98.y;
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
                    bool _S99 = 3U >= _S50;
                    _S54 = _S99;
                    if(_S99)
                    {
                        break;
                    }
                    uchar device* _S100 = kernelContext_2->args_0->w_0;
                    Planes_0 _S101 = of_0(rows_1, 3U);
                    thread Planes_0 _S102 = _S101;
                    thread array<uint, int(8)> words_3;
                    block_codes_0(_S100, &_S102, b_4, &words_3);
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
                        uchar device* _S103 = kernelContext_2->args_0->w_0;
                        uint _S104 = b_4 * 4U;
                        thread Planes_0 _S105 = _S101;
                        float2 _S106 = octet_scale_0(_S103, &_S105, _S104);
                        scales_1[6U] = _S106.x;
                        least_0[6U] = _S106.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S107 = kernelContext_2->args_0->w_0;
                                uint _S108 = _S104 + 2U;
                                thread Planes_0 _S109 = _S101;
                                float2 _S110 = octet_scale_0(_S107, &_S109, _S108);
                                scales_1[7U] = _S110.x;
                                least_0[7U] = _S110.y;
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
                    bool _S111 = 4U >= _S50;
                    _S55 = _S111;
                    if(_S111)
                    {
                        break;
                    }
                    uchar device* _S112 = kernelContext_2->args_0->w_0;
                    Planes_0 _S113 = of_0(rows_1, 4U);
                    thread Planes_0 _S114 = _S113;
                    thread array<uint, int(8)> words_4;
                    block_codes_0(_S112, &_S114, b_4, &words_4);
                    q_1[32U] = words_4[0U];
                    q_1[33U] = words_4[1U];
                    q_1[34U] = words_4[2U];
                    q_1[35U] = words_4[3U];
                    q_1[36U] = words_4[4U];
                    q_1[37U] = words_4[5U];
                    q_1[38U] = words_4[6U];
                    q_1[39U] = words_4[7U];
                    for(;;)
                    {
                        uchar device* _S115 = kernelContext_2->args_0->w_0;
                        uint _S116 = b_4 * 4U;
                        thread Planes_0 _S117 = _S113;
                        float2 _S118 = octet_scale_0(_S115, &_S117, _S116);
                        scales_1[8U] = _S118.x;
                        least_0[8U] = _S118.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S119 = kernelContext_2->args_0->w_0;
                                uint _S120 = _S116 + 2U;
                                thread Planes_0 _S121 = _S113;
                                float2 _S122 = octet_scale_0(_S119, &_S121, _S120);
                                scales_1[9U] = _S122.x;
                                least_0[9U] = _S122.y;
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
                    bool _S123 = 5U >= _S50;
                    _S56 = _S123;
                    if(_S123)
                    {
                        break;
                    }
                    uchar device* _S124 = kernelContext_2->args_0->w_0;
                    Planes_0 _S125 = of_0(rows_1, 5U);
                    thread Planes_0 _S126 = _S125;
                    thread array<uint, int(8)> words_5;
                    block_codes_0(_S124, &_S126, b_4, &words_5);
                    q_1[40U] = words_5[0U];
                    q_1[41U] = words_5[1U];
                    q_1[42U] = words_5[2U];
                    q_1[43U] = words_5[3U];
                    q_1[44U] = words_5[4U];
                    q_1[45U] = words_5[5U];
                    q_1[46U] = words_5[6U];
                    q_1[47U] = words_5[7U];
                    for(;;)
                    {
                        uchar device* _S127 = kernelContext_2->args_0->w_0;
                        uint _S128 = b_4 * 4U;
                        thread Planes_0 _S129 = _S125;
                        float2 _S130 = octet_scale_0(_S127, &_S129, _S128);
                        scales_1[10U] = _S130.x;
                        least_0[10U] = _S130.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S131 = kernelContext_2->args_0->w_0;
                                uint _S132 = _S128 + 2U;
                                thread Planes_0 _S133 = _S125;
                                float2 _S134 = octet_scale_0(_S131, &_S133, _S132);
                                scales_1[11U] = _S134.x;
                                least_0[11U] = _S134.y;
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
                    bool _S135 = 6U >= _S50;
                    _S57 = _S135;
                    if(_S135)
                    {
                        break;
                    }
                    uchar device* _S136 = kernelContext_2->args_0->w_0;
                    Planes_0 _S137 = of_0(rows_1, 6U);
                    thread Planes_0 _S138 = _S137;
                    thread array<uint, int(8)> words_6;
                    block_codes_0(_S136, &_S138, b_4, &words_6);
                    q_1[48U] = words_6[0U];
                    q_1[49U] = words_6[1U];
                    q_1[50U] = words_6[2U];
                    q_1[51U] = words_6[3U];
                    q_1[52U] = words_6[4U];
                    q_1[53U] = words_6[5U];
                    q_1[54U] = words_6[6U];
                    q_1[55U] = words_6[7U];
                    for(;;)
                    {
                        uchar device* _S139 = kernelContext_2->args_0->w_0;
                        uint _S140 = b_4 * 4U;
                        thread Planes_0 _S141 = _S137;
                        float2 _S142 = octet_scale_0(_S139, &_S141, _S140);
                        scales_1[12U] = _S142.x;
                        least_0[12U] = _S142.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S143 = kernelContext_2->args_0->w_0;
                                uint _S144 = _S140 + 2U;
                                thread Planes_0 _S145 = _S137;
                                float2 _S146 = octet_scale_0(_S143, &_S145, _S144);
                                scales_1[13U] = _S146.x;
                                least_0[13U] = _S146.y;
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
                    bool _S147 = 7U >= _S50;
                    _S58 = _S147;
                    if(_S147)
                    {
                        break;
                    }
                    uchar device* _S148 = kernelContext_2->args_0->w_0;
                    Planes_0 _S149 = of_0(rows_1, 7U);
                    thread Planes_0 _S150 = _S149;
                    thread array<uint, int(8)> words_7;
                    block_codes_0(_S148, &_S150, b_4, &words_7);
                    q_1[56U] = words_7[0U];
                    q_1[57U] = words_7[1U];
                    q_1[58U] = words_7[2U];
                    q_1[59U] = words_7[3U];
                    q_1[60U] = words_7[4U];
                    q_1[61U] = words_7[5U];
                    q_1[62U] = words_7[6U];
                    q_1[63U] = words_7[7U];
                    for(;;)
                    {
                        uchar device* _S151 = kernelContext_2->args_0->w_0;
                        uint _S152 = b_4 * 4U;
                        thread Planes_0 _S153 = _S149;
                        float2 _S154 = octet_scale_0(_S151, &_S153, _S152);
                        scales_1[14U] = _S154.x;
                        least_0[14U] = _S154.y;
                        for(;;)
                        {
                            for(;;)
                            {
                                if(!parted_0())
                                {
                                    break;
                                }
                                uchar device* _S155 = kernelContext_2->args_0->w_0;
                                uint _S156 = _S152 + 2U;
                                thread Planes_0 _S157 = _S149;
                                float2 _S158 = octet_scale_0(_S155, &_S157, _S156);
                                scales_1[15U] = _S158.x;
                                least_0[15U] = _S158.y;
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
        uint r_1 = 0U;
        for(;;)
        {
            uint _S159 = own_0();
            if(r_1 < _S159)
            {
            }
            else
            {
                break;
            }
            bool _S160;
            if(_S159 != 1U)
            {
                _S160 = r_1 >= n_1;
            }
            else
            {
                _S160 = false;
            }
            if(_S160)
            {
                r_1 = r_1 + 1U;
                continue;
            }
            uchar device* block_0 = _S61 + ulong(r_1) * stride_0 + b_4 * 80U;
            uint4 _S161 = uint4(*(packed_uint4 device*)((ulong)(block_0))) ;
            uint4 _S162 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(16)))) ;
            uint4 _S163 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(32)))) ;
            uint4 _S164 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(48)))) ;
            uint4 _S165 = uint4(*(packed_uint4 device*)((ulong)(block_0 + int(64)))) ;
            float _S166 = (as_type<float>((_S165.x)));
            int _S167 = (as_type<int>((_S165.y)));
            int _S168 = (as_type<int>((_S165.z)));
            for(;;)
            {
                for(;;)
                {
                    for(;;)
                    {
                        if(_S51)
                        {
                            break;
                        }
                        int h_0 = dot4_0(q_1[3U], _S161.w, dot4_0(q_1[2U], _S161.z, dot4_0(q_1[1U], _S161.y, dot4_0(q_1[0U], _S161.x, int(0)))));
                        int l_0 = dot4_0(q_1[3U], _S163.w, dot4_0(q_1[2U], _S163.z, dot4_0(q_1[1U], _S163.y, dot4_0(q_1[0U], _S163.x, int(0)))));
                        uint _S169 = q_1[7U];
                        uint _S170 = _S162.w;
                        uint _S171 = q_1[6U];
                        uint _S172 = _S162.z;
                        uint _S173 = q_1[5U];
                        uint _S174 = _S162.y;
                        uint _S175 = q_1[4U];
                        uint _S176 = _S162.x;
                        bool _S177 = parted_0();
                        if(_S177)
                        {
                            _S59 = int(0);
                        }
                        else
                        {
                            _S59 = h_0;
                        }
                        int h2_0 = dot4_0(_S169, _S170, dot4_0(_S171, _S172, dot4_0(_S173, _S174, dot4_0(_S175, _S176, _S59))));
                        uint _S178 = q_1[7U];
                        uint _S179 = _S164.w;
                        uint _S180 = q_1[6U];
                        uint _S181 = _S164.z;
                        uint _S182 = q_1[5U];
                        uint _S183 = _S164.y;
                        uint _S184 = q_1[4U];
                        uint _S185 = _S164.x;
                        if(_S177)
                        {
                            _S60 = int(0);
                        }
                        else
                        {
                            _S60 = l_0;
                        }
                        int l2_0 = dot4_0(_S178, _S179, dot4_0(_S180, _S181, dot4_0(_S182, _S183, dot4_0(_S184, _S185, _S60))));
                        float sum_1 = (*acc_0)[r_1];
                        if(_S177)
                        {
                            int _S186 = block_zero_0();
                            float v_0 = fma(scales_1[0U], float(h_0 * int(256) + l_0 - _S186 * _S167), scales_1[1U] * float(h2_0 * int(256) + l2_0 - _S186 * _S168));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[0U], float(_S167), fma(least_0[1U], float(_S168), v_0));
                            }
                            else
                            {
                                sum_0 = v_0;
                            }
                            sum_0 = fma(_S166, sum_0, sum_1);
                        }
                        else
                        {
                            float sum_2 = fma(scales_1[0U] * _S166, float(h2_0 * int(256) + l2_0 - block_zero_0() * (_S167 + _S168)), sum_1);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[0U], (as_type<float>((_S165.w))), sum_2);
                            }
                            else
                            {
                                sum_0 = sum_2;
                            }
                        }
                        (*acc_0)[r_1] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S52)
                        {
                            break;
                        }
                        int h_1 = dot4_0(q_1[11U], _S161.w, dot4_0(q_1[10U], _S161.z, dot4_0(q_1[9U], _S161.y, dot4_0(q_1[8U], _S161.x, int(0)))));
                        int l_1 = dot4_0(q_1[11U], _S163.w, dot4_0(q_1[10U], _S163.z, dot4_0(q_1[9U], _S163.y, dot4_0(q_1[8U], _S163.x, int(0)))));
                        uint _S187 = q_1[15U];
                        uint _S188 = _S162.w;
                        uint _S189 = q_1[14U];
                        uint _S190 = _S162.z;
                        uint _S191 = q_1[13U];
                        uint _S192 = _S162.y;
                        uint _S193 = q_1[12U];
                        uint _S194 = _S162.x;
                        bool _S195 = parted_0();
                        if(_S195)
                        {
                            _S59 = int(0);
                        }
                        else
                        {
                            _S59 = h_1;
                        }
                        int h2_1 = dot4_0(_S187, _S188, dot4_0(_S189, _S190, dot4_0(_S191, _S192, dot4_0(_S193, _S194, _S59))));
                        uint _S196 = q_1[15U];
                        uint _S197 = _S164.w;
                        uint _S198 = q_1[14U];
                        uint _S199 = _S164.z;
                        uint _S200 = q_1[13U];
                        uint _S201 = _S164.y;
                        uint _S202 = q_1[12U];
                        uint _S203 = _S164.x;
                        if(_S195)
                        {
                            _S60 = int(0);
                        }
                        else
                        {
                            _S60 = l_1;
                        }
                        int l2_1 = dot4_0(_S196, _S197, dot4_0(_S198, _S199, dot4_0(_S200, _S201, dot4_0(_S202, _S203, _S60))));
                        float sum_3 = (*acc_0)[_S159 + r_1];
                        if(_S195)
                        {
                            int _S204 = block_zero_0();
                            float v_1 = fma(scales_1[2U], float(h_1 * int(256) + l_1 - _S204 * _S167), scales_1[3U] * float(h2_1 * int(256) + l2_1 - _S204 * _S168));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[2U], float(_S167), fma(least_0[3U], float(_S168), v_1));
                            }
                            else
                            {
                                sum_0 = v_1;
                            }
                            sum_0 = fma(_S166, sum_0, sum_3);
                        }
                        else
                        {
                            float sum_4 = fma(scales_1[2U] * _S166, float(h2_1 * int(256) + l2_1 - block_zero_0() * (_S167 + _S168)), sum_3);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[2U], (as_type<float>((_S165.w))), sum_4);
                            }
                            else
                            {
                                sum_0 = sum_4;
                            }
                        }
                        (*acc_0)[_S159 + r_1] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S53)
                        {
                            break;
                        }
                        int h_2 = dot4_0(q_1[19U], _S161.w, dot4_0(q_1[18U], _S161.z, dot4_0(q_1[17U], _S161.y, dot4_0(q_1[16U], _S161.x, int(0)))));
                        int l_2 = dot4_0(q_1[19U], _S163.w, dot4_0(q_1[18U], _S163.z, dot4_0(q_1[17U], _S163.y, dot4_0(q_1[16U], _S163.x, int(0)))));
                        uint _S205 = q_1[23U];
                        uint _S206 = _S162.w;
                        uint _S207 = q_1[22U];
                        uint _S208 = _S162.z;
                        uint _S209 = q_1[21U];
                        uint _S210 = _S162.y;
                        uint _S211 = q_1[20U];
                        uint _S212 = _S162.x;
                        bool _S213 = parted_0();
                        if(_S213)
                        {
                            _S59 = int(0);
                        }
                        else
                        {
                            _S59 = h_2;
                        }
                        int h2_2 = dot4_0(_S205, _S206, dot4_0(_S207, _S208, dot4_0(_S209, _S210, dot4_0(_S211, _S212, _S59))));
                        uint _S214 = q_1[23U];
                        uint _S215 = _S164.w;
                        uint _S216 = q_1[22U];
                        uint _S217 = _S164.z;
                        uint _S218 = q_1[21U];
                        uint _S219 = _S164.y;
                        uint _S220 = q_1[20U];
                        uint _S221 = _S164.x;
                        if(_S213)
                        {
                            _S60 = int(0);
                        }
                        else
                        {
                            _S60 = l_2;
                        }
                        int l2_2 = dot4_0(_S214, _S215, dot4_0(_S216, _S217, dot4_0(_S218, _S219, dot4_0(_S220, _S221, _S60))));
                        float sum_5 = (*acc_0)[2U * _S159 + r_1];
                        if(_S213)
                        {
                            int _S222 = block_zero_0();
                            float v_2 = fma(scales_1[4U], float(h_2 * int(256) + l_2 - _S222 * _S167), scales_1[5U] * float(h2_2 * int(256) + l2_2 - _S222 * _S168));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[4U], float(_S167), fma(least_0[5U], float(_S168), v_2));
                            }
                            else
                            {
                                sum_0 = v_2;
                            }
                            sum_0 = fma(_S166, sum_0, sum_5);
                        }
                        else
                        {
                            float sum_6 = fma(scales_1[4U] * _S166, float(h2_2 * int(256) + l2_2 - block_zero_0() * (_S167 + _S168)), sum_5);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[4U], (as_type<float>((_S165.w))), sum_6);
                            }
                            else
                            {
                                sum_0 = sum_6;
                            }
                        }
                        (*acc_0)[2U * _S159 + r_1] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S54)
                        {
                            break;
                        }
                        int h_3 = dot4_0(q_1[27U], _S161.w, dot4_0(q_1[26U], _S161.z, dot4_0(q_1[25U], _S161.y, dot4_0(q_1[24U], _S161.x, int(0)))));
                        int l_3 = dot4_0(q_1[27U], _S163.w, dot4_0(q_1[26U], _S163.z, dot4_0(q_1[25U], _S163.y, dot4_0(q_1[24U], _S163.x, int(0)))));
                        uint _S223 = q_1[31U];
                        uint _S224 = _S162.w;
                        uint _S225 = q_1[30U];
                        uint _S226 = _S162.z;
                        uint _S227 = q_1[29U];
                        uint _S228 = _S162.y;
                        uint _S229 = q_1[28U];
                        uint _S230 = _S162.x;
                        bool _S231 = parted_0();
                        if(_S231)
                        {
                            _S59 = int(0);
                        }
                        else
                        {
                            _S59 = h_3;
                        }
                        int h2_3 = dot4_0(_S223, _S224, dot4_0(_S225, _S226, dot4_0(_S227, _S228, dot4_0(_S229, _S230, _S59))));
                        uint _S232 = q_1[31U];
                        uint _S233 = _S164.w;
                        uint _S234 = q_1[30U];
                        uint _S235 = _S164.z;
                        uint _S236 = q_1[29U];
                        uint _S237 = _S164.y;
                        uint _S238 = q_1[28U];
                        uint _S239 = _S164.x;
                        if(_S231)
                        {
                            _S60 = int(0);
                        }
                        else
                        {
                            _S60 = l_3;
                        }
                        int l2_3 = dot4_0(_S232, _S233, dot4_0(_S234, _S235, dot4_0(_S236, _S237, dot4_0(_S238, _S239, _S60))));
                        float sum_7 = (*acc_0)[3U * _S159 + r_1];
                        if(_S231)
                        {
                            int _S240 = block_zero_0();
                            float v_3 = fma(scales_1[6U], float(h_3 * int(256) + l_3 - _S240 * _S167), scales_1[7U] * float(h2_3 * int(256) + l2_3 - _S240 * _S168));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[6U], float(_S167), fma(least_0[7U], float(_S168), v_3));
                            }
                            else
                            {
                                sum_0 = v_3;
                            }
                            sum_0 = fma(_S166, sum_0, sum_7);
                        }
                        else
                        {
                            float sum_8 = fma(scales_1[6U] * _S166, float(h2_3 * int(256) + l2_3 - block_zero_0() * (_S167 + _S168)), sum_7);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[6U], (as_type<float>((_S165.w))), sum_8);
                            }
                            else
                            {
                                sum_0 = sum_8;
                            }
                        }
                        (*acc_0)[3U * _S159 + r_1] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S55)
                        {
                            break;
                        }
                        int h_4 = dot4_0(q_1[35U], _S161.w, dot4_0(q_1[34U], _S161.z, dot4_0(q_1[33U], _S161.y, dot4_0(q_1[32U], _S161.x, int(0)))));
                        int l_4 = dot4_0(q_1[35U], _S163.w, dot4_0(q_1[34U], _S163.z, dot4_0(q_1[33U], _S163.y, dot4_0(q_1[32U], _S163.x, int(0)))));
                        uint _S241 = q_1[39U];
                        uint _S242 = _S162.w;
                        uint _S243 = q_1[38U];
                        uint _S244 = _S162.z;
                        uint _S245 = q_1[37U];
                        uint _S246 = _S162.y;
                        uint _S247 = q_1[36U];
                        uint _S248 = _S162.x;
                        bool _S249 = parted_0();
                        if(_S249)
                        {
                            _S59 = int(0);
                        }
                        else
                        {
                            _S59 = h_4;
                        }
                        int h2_4 = dot4_0(_S241, _S242, dot4_0(_S243, _S244, dot4_0(_S245, _S246, dot4_0(_S247, _S248, _S59))));
                        uint _S250 = q_1[39U];
                        uint _S251 = _S164.w;
                        uint _S252 = q_1[38U];
                        uint _S253 = _S164.z;
                        uint _S254 = q_1[37U];
                        uint _S255 = _S164.y;
                        uint _S256 = q_1[36U];
                        uint _S257 = _S164.x;
                        if(_S249)
                        {
                            _S60 = int(0);
                        }
                        else
                        {
                            _S60 = l_4;
                        }
                        int l2_4 = dot4_0(_S250, _S251, dot4_0(_S252, _S253, dot4_0(_S254, _S255, dot4_0(_S256, _S257, _S60))));
                        float sum_9 = (*acc_0)[4U * _S159 + r_1];
                        if(_S249)
                        {
                            int _S258 = block_zero_0();
                            float v_4 = fma(scales_1[8U], float(h_4 * int(256) + l_4 - _S258 * _S167), scales_1[9U] * float(h2_4 * int(256) + l2_4 - _S258 * _S168));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[8U], float(_S167), fma(least_0[9U], float(_S168), v_4));
                            }
                            else
                            {
                                sum_0 = v_4;
                            }
                            sum_0 = fma(_S166, sum_0, sum_9);
                        }
                        else
                        {
                            float sum_10 = fma(scales_1[8U] * _S166, float(h2_4 * int(256) + l2_4 - block_zero_0() * (_S167 + _S168)), sum_9);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[8U], (as_type<float>((_S165.w))), sum_10);
                            }
                            else
                            {
                                sum_0 = sum_10;
                            }
                        }
                        (*acc_0)[4U * _S159 + r_1] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S56)
                        {
                            break;
                        }
                        int h_5 = dot4_0(q_1[43U], _S161.w, dot4_0(q_1[42U], _S161.z, dot4_0(q_1[41U], _S161.y, dot4_0(q_1[40U], _S161.x, int(0)))));
                        int l_5 = dot4_0(q_1[43U], _S163.w, dot4_0(q_1[42U], _S163.z, dot4_0(q_1[41U], _S163.y, dot4_0(q_1[40U], _S163.x, int(0)))));
                        uint _S259 = q_1[47U];
                        uint _S260 = _S162.w;
                        uint _S261 = q_1[46U];
                        uint _S262 = _S162.z;
                        uint _S263 = q_1[45U];
                        uint _S264 = _S162.y;
                        uint _S265 = q_1[44U];
                        uint _S266 = _S162.x;
                        bool _S267 = parted_0();
                        if(_S267)
                        {
                            _S59 = int(0);
                        }
                        else
                        {
                            _S59 = h_5;
                        }
                        int h2_5 = dot4_0(_S259, _S260, dot4_0(_S261, _S262, dot4_0(_S263, _S264, dot4_0(_S265, _S266, _S59))));
                        uint _S268 = q_1[47U];
                        uint _S269 = _S164.w;
                        uint _S270 = q_1[46U];
                        uint _S271 = _S164.z;
                        uint _S272 = q_1[45U];
                        uint _S273 = _S164.y;
                        uint _S274 = q_1[44U];
                        uint _S275 = _S164.x;
                        if(_S267)
                        {
                            _S60 = int(0);
                        }
                        else
                        {
                            _S60 = l_5;
                        }
                        int l2_5 = dot4_0(_S268, _S269, dot4_0(_S270, _S271, dot4_0(_S272, _S273, dot4_0(_S274, _S275, _S60))));
                        float sum_11 = (*acc_0)[5U * _S159 + r_1];
                        if(_S267)
                        {
                            int _S276 = block_zero_0();
                            float v_5 = fma(scales_1[10U], float(h_5 * int(256) + l_5 - _S276 * _S167), scales_1[11U] * float(h2_5 * int(256) + l2_5 - _S276 * _S168));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[10U], float(_S167), fma(least_0[11U], float(_S168), v_5));
                            }
                            else
                            {
                                sum_0 = v_5;
                            }
                            sum_0 = fma(_S166, sum_0, sum_11);
                        }
                        else
                        {
                            float sum_12 = fma(scales_1[10U] * _S166, float(h2_5 * int(256) + l2_5 - block_zero_0() * (_S167 + _S168)), sum_11);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[10U], (as_type<float>((_S165.w))), sum_12);
                            }
                            else
                            {
                                sum_0 = sum_12;
                            }
                        }
                        (*acc_0)[5U * _S159 + r_1] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S57)
                        {
                            break;
                        }
                        int h_6 = dot4_0(q_1[51U], _S161.w, dot4_0(q_1[50U], _S161.z, dot4_0(q_1[49U], _S161.y, dot4_0(q_1[48U], _S161.x, int(0)))));
                        int l_6 = dot4_0(q_1[51U], _S163.w, dot4_0(q_1[50U], _S163.z, dot4_0(q_1[49U], _S163.y, dot4_0(q_1[48U], _S163.x, int(0)))));
                        uint _S277 = q_1[55U];
                        uint _S278 = _S162.w;
                        uint _S279 = q_1[54U];
                        uint _S280 = _S162.z;
                        uint _S281 = q_1[53U];
                        uint _S282 = _S162.y;
                        uint _S283 = q_1[52U];
                        uint _S284 = _S162.x;
                        bool _S285 = parted_0();
                        if(_S285)
                        {
                            _S59 = int(0);
                        }
                        else
                        {
                            _S59 = h_6;
                        }
                        int h2_6 = dot4_0(_S277, _S278, dot4_0(_S279, _S280, dot4_0(_S281, _S282, dot4_0(_S283, _S284, _S59))));
                        uint _S286 = q_1[55U];
                        uint _S287 = _S164.w;
                        uint _S288 = q_1[54U];
                        uint _S289 = _S164.z;
                        uint _S290 = q_1[53U];
                        uint _S291 = _S164.y;
                        uint _S292 = q_1[52U];
                        uint _S293 = _S164.x;
                        if(_S285)
                        {
                            _S60 = int(0);
                        }
                        else
                        {
                            _S60 = l_6;
                        }
                        int l2_6 = dot4_0(_S286, _S287, dot4_0(_S288, _S289, dot4_0(_S290, _S291, dot4_0(_S292, _S293, _S60))));
                        float sum_13 = (*acc_0)[6U * _S159 + r_1];
                        if(_S285)
                        {
                            int _S294 = block_zero_0();
                            float v_6 = fma(scales_1[12U], float(h_6 * int(256) + l_6 - _S294 * _S167), scales_1[13U] * float(h2_6 * int(256) + l2_6 - _S294 * _S168));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[12U], float(_S167), fma(least_0[13U], float(_S168), v_6));
                            }
                            else
                            {
                                sum_0 = v_6;
                            }
                            sum_0 = fma(_S166, sum_0, sum_13);
                        }
                        else
                        {
                            float sum_14 = fma(scales_1[12U] * _S166, float(h2_6 * int(256) + l2_6 - block_zero_0() * (_S167 + _S168)), sum_13);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[12U], (as_type<float>((_S165.w))), sum_14);
                            }
                            else
                            {
                                sum_0 = sum_14;
                            }
                        }
                        (*acc_0)[6U * _S159 + r_1] = sum_0;
                        break;
                    }
                    break;
                }
                for(;;)
                {
                    for(;;)
                    {
                        if(_S58)
                        {
                            break;
                        }
                        int h_7 = dot4_0(q_1[59U], _S161.w, dot4_0(q_1[58U], _S161.z, dot4_0(q_1[57U], _S161.y, dot4_0(q_1[56U], _S161.x, int(0)))));
                        int l_7 = dot4_0(q_1[59U], _S163.w, dot4_0(q_1[58U], _S163.z, dot4_0(q_1[57U], _S163.y, dot4_0(q_1[56U], _S163.x, int(0)))));
                        uint _S295 = q_1[63U];
                        uint _S296 = _S162.w;
                        uint _S297 = q_1[62U];
                        uint _S298 = _S162.z;
                        uint _S299 = q_1[61U];
                        uint _S300 = _S162.y;
                        uint _S301 = q_1[60U];
                        uint _S302 = _S162.x;
                        bool _S303 = parted_0();
                        if(_S303)
                        {
                            _S59 = int(0);
                        }
                        else
                        {
                            _S59 = h_7;
                        }
                        int h2_7 = dot4_0(_S295, _S296, dot4_0(_S297, _S298, dot4_0(_S299, _S300, dot4_0(_S301, _S302, _S59))));
                        uint _S304 = q_1[63U];
                        uint _S305 = _S164.w;
                        uint _S306 = q_1[62U];
                        uint _S307 = _S164.z;
                        uint _S308 = q_1[61U];
                        uint _S309 = _S164.y;
                        uint _S310 = q_1[60U];
                        uint _S311 = _S164.x;
                        if(_S303)
                        {
                            _S60 = int(0);
                        }
                        else
                        {
                            _S60 = l_7;
                        }
                        int l2_7 = dot4_0(_S304, _S305, dot4_0(_S306, _S307, dot4_0(_S308, _S309, dot4_0(_S310, _S311, _S60))));
                        float sum_15 = (*acc_0)[7U * _S159 + r_1];
                        if(_S303)
                        {
                            int _S312 = block_zero_0();
                            float v_7 = fma(scales_1[14U], float(h_7 * int(256) + l_7 - _S312 * _S167), scales_1[15U] * float(h2_7 * int(256) + l2_7 - _S312 * _S168));
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[14U], float(_S167), fma(least_0[15U], float(_S168), v_7));
                            }
                            else
                            {
                                sum_0 = v_7;
                            }
                            sum_0 = fma(_S166, sum_0, sum_15);
                        }
                        else
                        {
                            float sum_16 = fma(scales_1[14U] * _S166, float(h2_7 * int(256) + l2_7 - block_zero_0() * (_S167 + _S168)), sum_15);
                            if(has_minimum_0())
                            {
                                sum_0 = fma(least_0[14U], (as_type<float>((_S165.w))), sum_16);
                            }
                            else
                            {
                                sum_0 = sum_16;
                            }
                        }
                        (*acc_0)[7U * _S159 + r_1] = sum_0;
                        break;
                    }
                    break;
                }
                break;
            }
            r_1 = r_1 + 1U;
        }
        b_4 = b_4 + 64U;
    }
    return;
}
float4 norm_four_0(uint i_2, KernelContext_0 thread* kernelContext_3)
{
    return float4(*((packed_float4 device*)((ulong)(kernelContext_3->args_0->norm_0)) + i_2)) ;
}
float4 input_four_0(uint r_2, uint i_3, KernelContext_0 thread* kernelContext_4)
{
    return float4(*((packed_float4 device*)((ulong)(kernelContext_4->args_0->x_0)) + ulong(r_2) * ulong(C_K_0 / 4U) + i_3)) ;
}
float bf16_to_f32_0(uint half_1)
{
    return (as_type<float>((half_1 << 16U)));
}
void octet_floats_0(uchar device* w_3, const Planes_0 thread* p_7, uint o_1, array<float, int(8)> thread* v_8)
{
    if(C_DTYPE_0 == 0U)
    {
        uchar device* _S313 = w_3 + p_7->low_0 + o_1 * 32U;
        float4 _S314 = float4(*(packed_float4 device*)((ulong)(_S313))) ;
        float4 _S315 = float4(*(packed_float4 device*)((ulong)(_S313 + int(16)))) ;
        (*v_8)[int(0)] = _S314.x;
        (*v_8)[int(1)] = _S314.y;
        (*v_8)[int(2)] = _S314.z;
        (*v_8)[int(3)] = _S314.w;
        (*v_8)[int(4)] = _S315.x;
        (*v_8)[int(5)] = _S315.y;
        (*v_8)[int(6)] = _S315.z;
        (*v_8)[int(7)] = _S315.w;
        return;
    }
    uint4 _S316 = uint4(*(packed_uint4 device*)((ulong)(w_3 + p_7->low_0 + o_1 * 16U))) ;
    uint _S317 = _S316.x;
    uint half_2 = (_S317 >> 0U) & 65535U;
    float _S318;
    if(C_DTYPE_0 == 1U)
    {
        _S318 = f16_to_f32_0(half_2);
    }
    else
    {
        _S318 = bf16_to_f32_0(half_2);
    }
    (*v_8)[0U] = _S318;
    uint half_3 = (_S317 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S318 = f16_to_f32_0(half_3);
    }
    else
    {
        _S318 = bf16_to_f32_0(half_3);
    }
    (*v_8)[1U] = _S318;
    uint _S319 = _S316.y;
    uint half_4 = (_S319 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S318 = f16_to_f32_0(half_4);
    }
    else
    {
        _S318 = bf16_to_f32_0(half_4);
    }
    (*v_8)[2U] = _S318;
    uint half_5 = (_S319 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S318 = f16_to_f32_0(half_5);
    }
    else
    {
        _S318 = bf16_to_f32_0(half_5);
    }
    (*v_8)[3U] = _S318;
    uint _S320 = _S316.z;
    uint half_6 = (_S320 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S318 = f16_to_f32_0(half_6);
    }
    else
    {
        _S318 = bf16_to_f32_0(half_6);
    }
    (*v_8)[4U] = _S318;
    uint half_7 = (_S320 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S318 = f16_to_f32_0(half_7);
    }
    else
    {
        _S318 = bf16_to_f32_0(half_7);
    }
    (*v_8)[5U] = _S318;
    uint _S321 = _S316.w;
    uint half_8 = (_S321 >> 0U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S318 = f16_to_f32_0(half_8);
    }
    else
    {
        _S318 = bf16_to_f32_0(half_8);
    }
    (*v_8)[6U] = _S318;
    uint half_9 = (_S321 >> 16U) & 65535U;
    if(C_DTYPE_0 == 1U)
    {
        _S318 = f16_to_f32_0(half_9);
    }
    else
    {
        _S318 = bf16_to_f32_0(half_9);
    }
    (*v_8)[7U] = _S318;
    return;
}
void octet_codes_0(uchar device* w_4, const Planes_0 thread* p_8, uint o_2, array<float, int(8)> thread* q_2)
{
    uint b_5 = o_2 / 4U;
    uint j_0 = o_2 % 4U;
    thread array<uint, int(8)> v_9;
    uint _S322 = low_bits_0();
    if(_S322 == 8U)
    {
        uint2 _S323 = (uint2(*(packed_uint2 device*)((ulong)(w_4 + p_8->low_0 + o_2 * 8U))) ) ^ (uint2(2155905152U) );
        uint _S324 = _S323.x;
        v_9[0U] = (_S324 >> 0U) & 255U;
        v_9[1U] = (_S324 >> 8U) & 255U;
        v_9[2U] = (_S324 >> 16U) & 255U;
        v_9[3U] = (_S324 >> 24U) & 255U;
        uint _S325 = _S323.y;
        v_9[4U] = (_S325 >> 0U) & 255U;
        v_9[5U] = (_S325 >> 8U) & 255U;
        v_9[6U] = (_S325 >> 16U) & 255U;
        v_9[7U] = (_S325 >> 24U) & 255U;
    }
    else
    {
        if(_S322 == 4U)
        {
            uint c_3 = b_5 % 8U;
            uint at_3;
            if(striped_0())
            {
                at_3 = b_5 / 8U * 128U + (c_3 % 2U * 4U + c_3 / 2U) * 16U;
            }
            else
            {
                at_3 = b_5 * 16U;
            }
            uint2 _S326 = (uint2(*(packed_uint2 device*)((ulong)(w_4 + p_8->low_0 + at_3 + j_0 % 2U * 8U))) ) >> (uint2((j_0 / 2U * 4U)) );
            uint _S327 = _S326.x;
            v_9[0U] = (_S327 >> 0U) & 15U;
            v_9[1U] = (_S327 >> 8U) & 15U;
            v_9[2U] = (_S327 >> 16U) & 15U;
            v_9[3U] = (_S327 >> 24U) & 15U;
            uint _S328 = _S326.y;
            v_9[4U] = (_S328 >> 0U) & 15U;
            v_9[5U] = (_S328 >> 8U) & 15U;
            v_9[6U] = (_S328 >> 16U) & 15U;
            v_9[7U] = (_S328 >> 24U) & 15U;
        }
        else
        {
            uint _S329 = word_at_0(w_4 + p_8->low_0 + b_5 * 8U + j_0 / 2U * 4U);
            uint _S330 = _S329 >> (j_0 % 2U * 4U);
            v_9[0U] = (_S330 >> 0U) & 3U;
            v_9[1U] = (_S330 >> 8U) & 3U;
            v_9[2U] = (_S330 >> 16U) & 3U;
            v_9[3U] = (_S330 >> 24U) & 3U;
            v_9[4U] = (_S330 >> 2U) & 3U;
            v_9[5U] = (_S330 >> 10U) & 3U;
            v_9[6U] = (_S330 >> 18U) & 3U;
            v_9[7U] = (_S330 >> 26U) & 3U;
        }
    }
    uint _S331 = high_bits_0();
    if(_S331 == 2U)
    {
        uint _S332 = word_at_0(w_4 + p_8->high_0 + b_5 * 8U + j_0 / 2U * 4U);
        uint _S333 = _S332 >> (j_0 % 2U * 4U);
        v_9[0U] = (v_9[0U]) | (((_S333 >> 0U) & 3U) << _S322);
        v_9[1U] = (v_9[1U]) | (((_S333 >> 8U) & 3U) << _S322);
        v_9[2U] = (v_9[2U]) | (((_S333 >> 16U) & 3U) << _S322);
        v_9[3U] = (v_9[3U]) | (((_S333 >> 24U) & 3U) << _S322);
        v_9[4U] = (v_9[4U]) | (((_S333 >> 2U) & 3U) << _S322);
        v_9[5U] = (v_9[5U]) | (((_S333 >> 10U) & 3U) << _S322);
        v_9[6U] = (v_9[6U]) | (((_S333 >> 18U) & 3U) << _S322);
        v_9[7U] = (v_9[7U]) | (((_S333 >> 26U) & 3U) << _S322);
    }
    if(_S331 == 1U)
    {
        uint _S334 = word_at_0(w_4 + p_8->high_0 + b_5 * 4U);
        uint _S335 = _S334 >> (j_0 * 2U);
        v_9[0U] = (v_9[0U]) | (((_S335 >> 0U) & 1U) << _S322);
        v_9[1U] = (v_9[1U]) | (((_S335 >> 8U) & 1U) << _S322);
        v_9[2U] = (v_9[2U]) | (((_S335 >> 16U) & 1U) << _S322);
        v_9[3U] = (v_9[3U]) | (((_S335 >> 24U) & 1U) << _S322);
        v_9[4U] = (v_9[4U]) | (((_S335 >> 1U) & 1U) << _S322);
        v_9[5U] = (v_9[5U]) | (((_S335 >> 9U) & 1U) << _S322);
        v_9[6U] = (v_9[6U]) | (((_S335 >> 17U) & 1U) << _S322);
        v_9[7U] = (v_9[7U]) | (((_S335 >> 25U) & 1U) << _S322);
    }
    float _S336 = float(8388608U + zero_0());
    (*q_2)[0U] = (as_type<float>((1258291200U | v_9[0U]))) - _S336;
    (*q_2)[1U] = (as_type<float>((1258291200U | v_9[1U]))) - _S336;
    (*q_2)[2U] = (as_type<float>((1258291200U | v_9[2U]))) - _S336;
    (*q_2)[3U] = (as_type<float>((1258291200U | v_9[3U]))) - _S336;
    (*q_2)[4U] = (as_type<float>((1258291200U | v_9[4U]))) - _S336;
    (*q_2)[5U] = (as_type<float>((1258291200U | v_9[5U]))) - _S336;
    (*q_2)[6U] = (as_type<float>((1258291200U | v_9[6U]))) - _S336;
    (*q_2)[7U] = (as_type<float>((1258291200U | v_9[7U]))) - _S336;
    return;
}
void add_eights_0(const Eight_0 thread* rows_2, uint first_2, uint n_2, uint t_1, array<float, int(32)> thread* acc_1, array<float, int(8)> thread* squares_0, KernelContext_0 thread* kernelContext_5)
{
    uint _S337;
    bool _S338;
    uint _S339;
    uint r_3;
    float2 scale_0;
    float sum_17;
    float sum_18;
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
        uint _S340 = o_3 * 2U;
        float4 _S341 = norm_four_0(_S340, kernelContext_5);
        uint _S342 = _S340 + 1U;
        float4 _S343 = norm_four_0(_S342, kernelContext_5);
        uint r_4 = 0U;
        for(;;)
        {
            uint _S344 = own_0();
            _S337 = _S344;
            if(r_4 < _S344)
            {
            }
            else
            {
                break;
            }
            if(_S344 != 1U)
            {
                _S338 = r_4 >= n_2;
            }
            else
            {
                _S338 = false;
            }
            if(_S338)
            {
                r_4 = r_4 + 1U;
                continue;
            }
            uint _S345 = input_row_0(first_2 + r_4);
            float4 _S346 = input_four_0(_S345, _S340, kernelContext_5);
            float4 _S347 = input_four_0(_S345, _S342, kernelContext_5);
            float _S348 = _S346.x;
            float _S349 = _S346.y;
            float _S350 = _S346.z;
            float _S351 = _S346.w;
            float _S352 = _S347.x;
            float _S353 = _S347.y;
            float _S354 = _S347.z;
            float _S355 = _S347.w;
            (*squares_0)[r_4] = fma(_S355, _S355, fma(_S354, _S354, fma(_S353, _S353, fma(_S352, _S352, fma(_S351, _S351, fma(_S350, _S350, fma(_S349, _S349, fma(_S348, _S348, (*squares_0)[r_4]))))))));
            float4 _S356 = _S346 * _S341;
            float4 _S357 = _S347 * _S343;
            uint to_0 = r_4 * 8U;
            float _S358 = _S356.x;
            x_1[to_0] = _S358;
            float _S359 = _S356.y;
            x_1[to_0 + 1U] = _S359;
            float _S360 = _S356.z;
            x_1[to_0 + 2U] = _S360;
            float _S361 = _S356.w;
            x_1[to_0 + 3U] = _S361;
            float _S362 = _S357.x;
            x_1[to_0 + 4U] = _S362;
            float _S363 = _S357.y;
            x_1[to_0 + 5U] = _S363;
            float _S364 = _S357.z;
            x_1[to_0 + 6U] = _S364;
            float _S365 = _S357.w;
            x_1[to_0 + 7U] = _S365;
            if(has_minimum_0())
            {
                whole_0[r_4] = _S358 + _S359 + (_S360 + _S361) + (_S362 + _S363 + (_S364 + _S365));
            }
            r_4 = r_4 + 1U;
        }
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    uint _S366 = outputs_0();
                    _S339 = _S366;
                    if(0U >= _S366)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_3;
                    float2 _S367 = float2(1.0, 0.0);
                    Planes_0 _S368 = of_0(rows_2, 0U);
                    bool _S369 = is_float_0();
                    if(_S369)
                    {
                        uchar device* _S370 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S371 = _S368;
                        octet_floats_0(_S370, &_S371, o_3, &q_3);
                        scale_0 = _S367;
                    }
                    else
                    {
                        uchar device* _S372 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S373 = _S368;
                        octet_codes_0(_S372, &_S373, o_3, &q_3);
                        uchar device* _S374 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S375 = _S368;
                        float2 _S376 = octet_scale_0(_S374, &_S375, o_3);
                        scale_0 = _S376;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S337)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S337 != 1U)
                        {
                            _S338 = r_3 >= n_2;
                        }
                        else
                        {
                            _S338 = false;
                        }
                        if(_S338)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S377 = r_3 * 8U;
                        float _S378 = q_3[int(0)] * x_1[_S377];
                        float sum_19 = (*acc_1)[r_3];
                        float s_2 = fma(q_3[7U], x_1[_S377 + 7U], fma(q_3[6U], x_1[_S377 + 6U], fma(q_3[5U], x_1[_S377 + 5U], fma(q_3[4U], x_1[_S377 + 4U], fma(q_3[3U], x_1[_S377 + 3U], fma(q_3[2U], x_1[_S377 + 2U], fma(q_3[1U], x_1[_S377 + 1U], _S378)))))));
                        if(_S369)
                        {
                            sum_17 = sum_19 + s_2;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_2, sum_19);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[r_3] = sum_18;
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
                    if(1U >= _S339)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_4;
                    float2 _S379 = float2(1.0, 0.0);
                    Planes_0 _S380 = of_0(rows_2, 1U);
                    bool _S381 = is_float_0();
                    if(_S381)
                    {
                        uchar device* _S382 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S383 = _S380;
                        octet_floats_0(_S382, &_S383, o_3, &q_4);
                        scale_0 = _S379;
                    }
                    else
                    {
                        uchar device* _S384 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S385 = _S380;
                        octet_codes_0(_S384, &_S385, o_3, &q_4);
                        uchar device* _S386 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S387 = _S380;
                        float2 _S388 = octet_scale_0(_S386, &_S387, o_3);
                        scale_0 = _S388;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S337)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S337 != 1U)
                        {
                            _S338 = r_3 >= n_2;
                        }
                        else
                        {
                            _S338 = false;
                        }
                        if(_S338)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S389 = r_3 * 8U;
                        float _S390 = q_4[int(0)] * x_1[_S389];
                        float sum_20 = (*acc_1)[_S337 + r_3];
                        float s_3 = fma(q_4[7U], x_1[_S389 + 7U], fma(q_4[6U], x_1[_S389 + 6U], fma(q_4[5U], x_1[_S389 + 5U], fma(q_4[4U], x_1[_S389 + 4U], fma(q_4[3U], x_1[_S389 + 3U], fma(q_4[2U], x_1[_S389 + 2U], fma(q_4[1U], x_1[_S389 + 1U], _S390)))))));
                        if(_S381)
                        {
                            sum_17 = sum_20 + s_3;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_3, sum_20);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[_S337 + r_3] = sum_18;
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
                    if(2U >= _S339)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_5;
                    float2 _S391 = float2(1.0, 0.0);
                    Planes_0 _S392 = of_0(rows_2, 2U);
                    bool _S393 = is_float_0();
                    if(_S393)
                    {
                        uchar device* _S394 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S395 = _S392;
                        octet_floats_0(_S394, &_S395, o_3, &q_5);
                        scale_0 = _S391;
                    }
                    else
                    {
                        uchar device* _S396 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S397 = _S392;
                        octet_codes_0(_S396, &_S397, o_3, &q_5);
                        uchar device* _S398 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S399 = _S392;
                        float2 _S400 = octet_scale_0(_S398, &_S399, o_3);
                        scale_0 = _S400;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S337)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S337 != 1U)
                        {
                            _S338 = r_3 >= n_2;
                        }
                        else
                        {
                            _S338 = false;
                        }
                        if(_S338)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S401 = r_3 * 8U;
                        float _S402 = q_5[int(0)] * x_1[_S401];
                        float sum_21 = (*acc_1)[2U * _S337 + r_3];
                        float s_4 = fma(q_5[7U], x_1[_S401 + 7U], fma(q_5[6U], x_1[_S401 + 6U], fma(q_5[5U], x_1[_S401 + 5U], fma(q_5[4U], x_1[_S401 + 4U], fma(q_5[3U], x_1[_S401 + 3U], fma(q_5[2U], x_1[_S401 + 2U], fma(q_5[1U], x_1[_S401 + 1U], _S402)))))));
                        if(_S393)
                        {
                            sum_17 = sum_21 + s_4;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_4, sum_21);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[2U * _S337 + r_3] = sum_18;
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
                    if(3U >= _S339)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_6;
                    float2 _S403 = float2(1.0, 0.0);
                    Planes_0 _S404 = of_0(rows_2, 3U);
                    bool _S405 = is_float_0();
                    if(_S405)
                    {
                        uchar device* _S406 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S407 = _S404;
                        octet_floats_0(_S406, &_S407, o_3, &q_6);
                        scale_0 = _S403;
                    }
                    else
                    {
                        uchar device* _S408 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S409 = _S404;
                        octet_codes_0(_S408, &_S409, o_3, &q_6);
                        uchar device* _S410 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S411 = _S404;
                        float2 _S412 = octet_scale_0(_S410, &_S411, o_3);
                        scale_0 = _S412;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S337)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S337 != 1U)
                        {
                            _S338 = r_3 >= n_2;
                        }
                        else
                        {
                            _S338 = false;
                        }
                        if(_S338)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S413 = r_3 * 8U;
                        float _S414 = q_6[int(0)] * x_1[_S413];
                        float sum_22 = (*acc_1)[3U * _S337 + r_3];
                        float s_5 = fma(q_6[7U], x_1[_S413 + 7U], fma(q_6[6U], x_1[_S413 + 6U], fma(q_6[5U], x_1[_S413 + 5U], fma(q_6[4U], x_1[_S413 + 4U], fma(q_6[3U], x_1[_S413 + 3U], fma(q_6[2U], x_1[_S413 + 2U], fma(q_6[1U], x_1[_S413 + 1U], _S414)))))));
                        if(_S405)
                        {
                            sum_17 = sum_22 + s_5;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_5, sum_22);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[3U * _S337 + r_3] = sum_18;
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
                    if(4U >= _S339)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_7;
                    float2 _S415 = float2(1.0, 0.0);
                    Planes_0 _S416 = of_0(rows_2, 4U);
                    bool _S417 = is_float_0();
                    if(_S417)
                    {
                        uchar device* _S418 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S419 = _S416;
                        octet_floats_0(_S418, &_S419, o_3, &q_7);
                        scale_0 = _S415;
                    }
                    else
                    {
                        uchar device* _S420 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S421 = _S416;
                        octet_codes_0(_S420, &_S421, o_3, &q_7);
                        uchar device* _S422 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S423 = _S416;
                        float2 _S424 = octet_scale_0(_S422, &_S423, o_3);
                        scale_0 = _S424;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S337)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S337 != 1U)
                        {
                            _S338 = r_3 >= n_2;
                        }
                        else
                        {
                            _S338 = false;
                        }
                        if(_S338)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S425 = r_3 * 8U;
                        float _S426 = q_7[int(0)] * x_1[_S425];
                        float sum_23 = (*acc_1)[4U * _S337 + r_3];
                        float s_6 = fma(q_7[7U], x_1[_S425 + 7U], fma(q_7[6U], x_1[_S425 + 6U], fma(q_7[5U], x_1[_S425 + 5U], fma(q_7[4U], x_1[_S425 + 4U], fma(q_7[3U], x_1[_S425 + 3U], fma(q_7[2U], x_1[_S425 + 2U], fma(q_7[1U], x_1[_S425 + 1U], _S426)))))));
                        if(_S417)
                        {
                            sum_17 = sum_23 + s_6;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_6, sum_23);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[4U * _S337 + r_3] = sum_18;
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
                    if(5U >= _S339)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_8;
                    float2 _S427 = float2(1.0, 0.0);
                    Planes_0 _S428 = of_0(rows_2, 5U);
                    bool _S429 = is_float_0();
                    if(_S429)
                    {
                        uchar device* _S430 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S431 = _S428;
                        octet_floats_0(_S430, &_S431, o_3, &q_8);
                        scale_0 = _S427;
                    }
                    else
                    {
                        uchar device* _S432 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S433 = _S428;
                        octet_codes_0(_S432, &_S433, o_3, &q_8);
                        uchar device* _S434 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S435 = _S428;
                        float2 _S436 = octet_scale_0(_S434, &_S435, o_3);
                        scale_0 = _S436;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S337)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S337 != 1U)
                        {
                            _S338 = r_3 >= n_2;
                        }
                        else
                        {
                            _S338 = false;
                        }
                        if(_S338)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S437 = r_3 * 8U;
                        float _S438 = q_8[int(0)] * x_1[_S437];
                        float sum_24 = (*acc_1)[5U * _S337 + r_3];
                        float s_7 = fma(q_8[7U], x_1[_S437 + 7U], fma(q_8[6U], x_1[_S437 + 6U], fma(q_8[5U], x_1[_S437 + 5U], fma(q_8[4U], x_1[_S437 + 4U], fma(q_8[3U], x_1[_S437 + 3U], fma(q_8[2U], x_1[_S437 + 2U], fma(q_8[1U], x_1[_S437 + 1U], _S438)))))));
                        if(_S429)
                        {
                            sum_17 = sum_24 + s_7;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_7, sum_24);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[5U * _S337 + r_3] = sum_18;
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
                    if(6U >= _S339)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_9;
                    float2 _S439 = float2(1.0, 0.0);
                    Planes_0 _S440 = of_0(rows_2, 6U);
                    bool _S441 = is_float_0();
                    if(_S441)
                    {
                        uchar device* _S442 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S443 = _S440;
                        octet_floats_0(_S442, &_S443, o_3, &q_9);
                        scale_0 = _S439;
                    }
                    else
                    {
                        uchar device* _S444 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S445 = _S440;
                        octet_codes_0(_S444, &_S445, o_3, &q_9);
                        uchar device* _S446 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S447 = _S440;
                        float2 _S448 = octet_scale_0(_S446, &_S447, o_3);
                        scale_0 = _S448;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S337)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S337 != 1U)
                        {
                            _S338 = r_3 >= n_2;
                        }
                        else
                        {
                            _S338 = false;
                        }
                        if(_S338)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S449 = r_3 * 8U;
                        float _S450 = q_9[int(0)] * x_1[_S449];
                        float sum_25 = (*acc_1)[6U * _S337 + r_3];
                        float s_8 = fma(q_9[7U], x_1[_S449 + 7U], fma(q_9[6U], x_1[_S449 + 6U], fma(q_9[5U], x_1[_S449 + 5U], fma(q_9[4U], x_1[_S449 + 4U], fma(q_9[3U], x_1[_S449 + 3U], fma(q_9[2U], x_1[_S449 + 2U], fma(q_9[1U], x_1[_S449 + 1U], _S450)))))));
                        if(_S441)
                        {
                            sum_17 = sum_25 + s_8;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_8, sum_25);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[6U * _S337 + r_3] = sum_18;
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
                    if(7U >= _S339)
                    {
                        break;
                    }
                    thread array<float, int(8)> q_10;
                    float2 _S451 = float2(1.0, 0.0);
                    Planes_0 _S452 = of_0(rows_2, 7U);
                    bool _S453 = is_float_0();
                    if(_S453)
                    {
                        uchar device* _S454 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S455 = _S452;
                        octet_floats_0(_S454, &_S455, o_3, &q_10);
                        scale_0 = _S451;
                    }
                    else
                    {
                        uchar device* _S456 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S457 = _S452;
                        octet_codes_0(_S456, &_S457, o_3, &q_10);
                        uchar device* _S458 = kernelContext_5->args_0->w_0;
                        thread Planes_0 _S459 = _S452;
                        float2 _S460 = octet_scale_0(_S458, &_S459, o_3);
                        scale_0 = _S460;
                    }
                    r_3 = 0U;
                    for(;;)
                    {
                        if(r_3 < _S337)
                        {
                        }
                        else
                        {
                            break;
                        }
                        if(_S337 != 1U)
                        {
                            _S338 = r_3 >= n_2;
                        }
                        else
                        {
                            _S338 = false;
                        }
                        if(_S338)
                        {
                            r_3 = r_3 + 1U;
                            continue;
                        }
                        uint _S461 = r_3 * 8U;
                        float _S462 = q_10[int(0)] * x_1[_S461];
                        float sum_26 = (*acc_1)[7U * _S337 + r_3];
                        float s_9 = fma(q_10[7U], x_1[_S461 + 7U], fma(q_10[6U], x_1[_S461 + 6U], fma(q_10[5U], x_1[_S461 + 5U], fma(q_10[4U], x_1[_S461 + 4U], fma(q_10[3U], x_1[_S461 + 3U], fma(q_10[2U], x_1[_S461 + 2U], fma(q_10[1U], x_1[_S461 + 1U], _S462)))))));
                        if(_S453)
                        {
                            sum_17 = sum_26 + s_9;
                        }
                        else
                        {
                            sum_17 = fma(scale_0.x, s_9, sum_26);
                        }
                        if(has_minimum_0())
                        {
                            sum_18 = fma(scale_0.y, whole_0[r_3], sum_17);
                        }
                        else
                        {
                            sum_18 = sum_17;
                        }
                        (*acc_1)[7U * _S337 + r_3] = sum_18;
                        r_3 = r_3 + 1U;
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
float norm_factor_0(float squares_1, KernelContext_0 thread* kernelContext_6)
{
    return 1.0 / sqrt(squares_1 / float(C_K_0) + kernelContext_6->args_0->eps_0);
}
struct Product_0
{
    float v_10;
    uint row_1;
    uint column_0;
    bool mine_0;
};
Product_0 product_0(uint tile_1, uint side_1, uint t_2, KernelContext_0 thread* kernelContext_7)
{
    uint _S463;
    uint _S464 = inputs_0(kernelContext_7);
    uint _S465 = own_0();
    uint first_3 = side_1 * _S465;
    uint _S466 = min(_S465, _S464 - min(_S464, first_3));
    thread Eight_0 rows_at_0;
    uint _S467 = weight_row_0(tile_1, side_1, 0U);
    Planes_0 _S468 = row_planes_0(_S467);
    (&rows_at_0)->first_0 = _S468;
    uint _S469 = weight_row_0(tile_1, side_1, 1U);
    (&rows_at_0)->second_0 = row_planes_0(_S469);
    uint _S470 = weight_row_0(tile_1, side_1, 2U);
    (&rows_at_0)->third_0 = row_planes_0(_S470);
    uint _S471 = weight_row_0(tile_1, side_1, 3U);
    (&rows_at_0)->fourth_0 = row_planes_0(_S471);
    (&rows_at_0)->eighth_0 = _S468;
    (&rows_at_0)->seventh_0 = _S468;
    (&rows_at_0)->sixth_0 = _S468;
    (&rows_at_0)->fifth_0 = _S468;
    uint _S472 = outputs_0();
    if(_S472 == 8U)
    {
        uint _S473 = weight_row_0(tile_1, side_1, 4U);
        (&rows_at_0)->fifth_0 = row_planes_0(_S473);
        uint _S474 = weight_row_0(tile_1, side_1, 5U);
        (&rows_at_0)->sixth_0 = row_planes_0(_S474);
        uint _S475 = weight_row_0(tile_1, side_1, 6U);
        (&rows_at_0)->seventh_0 = row_planes_0(_S475);
        uint _S476 = weight_row_0(tile_1, side_1, 7U);
        (&rows_at_0)->eighth_0 = row_planes_0(_S476);
    }
    thread array<float, int(32)> acc_2;
    thread array<float, int(8)> squares_2;
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
    squares_2[0U] = 0.0;
    squares_2[1U] = 0.0;
    squares_2[2U] = 0.0;
    squares_2[3U] = 0.0;
    squares_2[4U] = 0.0;
    squares_2[5U] = 0.0;
    squares_2[6U] = 0.0;
    squares_2[7U] = 0.0;
    if(C_ACT_0 == 6U)
    {
        thread Eight_0 _S477 = rows_at_0;
        add_blocks_0(&_S477, first_3, _S466, t_2, &acc_2, kernelContext_7);
    }
    else
    {
        thread Eight_0 _S478 = rows_at_0;
        add_eights_0(&_S478, first_3, _S466, t_2, &acc_2, &squares_2, kernelContext_7);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if(0U < _S465)
    {
        (*kernelContext_7->partial_0)[t_2] = squares_2[0U];
    }
    if(1U < _S465)
    {
        (*kernelContext_7->partial_0)[72U + t_2] = squares_2[1U];
    }
    if(2U < _S465)
    {
        (*kernelContext_7->partial_0)[144U + t_2] = squares_2[2U];
    }
    if(3U < _S465)
    {
        (*kernelContext_7->partial_0)[216U + t_2] = squares_2[3U];
    }
    if(4U < _S465)
    {
        (*kernelContext_7->partial_0)[288U + t_2] = squares_2[4U];
    }
    if(5U < _S465)
    {
        (*kernelContext_7->partial_0)[360U + t_2] = squares_2[5U];
    }
    if(6U < _S465)
    {
        (*kernelContext_7->partial_0)[432U + t_2] = squares_2[6U];
    }
    if(7U < _S465)
    {
        (*kernelContext_7->partial_0)[504U + t_2] = squares_2[7U];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint l_8;
    float sum_27;
    if((t_2 / 8U) < _S465)
    {
        uint _S479 = t_2 % 8U;
        float _S480 = (*kernelContext_7->partial_0)[t_2 / 8U * 72U + _S479];
        l_8 = 1U;
        sum_27 = _S480;
        for(;;)
        {
            if(l_8 < 8U)
            {
            }
            else
            {
                break;
            }
            float _S481 = sum_27 + (*kernelContext_7->partial_0)[t_2 / 8U * 72U + l_8 * 8U + _S479];
            l_8 = l_8 + 1U;
            sum_27 = _S481;
        }
        (*kernelContext_7->eighths_of_squares_0)[t_2] = sum_27;
    }
    for(;;)
    {
        for(;;)
        {
            for(;;)
            {
                uint _S482 = _S472 * _S465;
                _S463 = _S482;
                if(0U >= _S482)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(0U < _S482)
                {
                    (*kernelContext_7->partial_0)[t_2] = acc_2[0U];
                }
                if(1U < _S482)
                {
                    (*kernelContext_7->partial_0)[72U + t_2] = acc_2[1U];
                }
                if(2U < _S482)
                {
                    (*kernelContext_7->partial_0)[144U + t_2] = acc_2[2U];
                }
                if(3U < _S482)
                {
                    (*kernelContext_7->partial_0)[216U + t_2] = acc_2[3U];
                }
                if(4U < _S482)
                {
                    (*kernelContext_7->partial_0)[288U + t_2] = acc_2[4U];
                }
                if(5U < _S482)
                {
                    (*kernelContext_7->partial_0)[360U + t_2] = acc_2[5U];
                }
                if(6U < _S482)
                {
                    (*kernelContext_7->partial_0)[432U + t_2] = acc_2[6U];
                }
                if(7U < _S482)
                {
                    (*kernelContext_7->partial_0)[504U + t_2] = acc_2[7U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_10 = t_2 / 8U;
                if(s_10 < _S482)
                {
                    uint _S483 = s_10 * 72U;
                    uint _S484 = t_2 % 8U;
                    float _S485 = (*kernelContext_7->partial_0)[_S483 + _S484];
                    l_8 = 1U;
                    sum_27 = _S485;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S486 = sum_27 + (*kernelContext_7->partial_0)[_S483 + l_8 * 8U + _S484];
                        l_8 = l_8 + 1U;
                        sum_27 = _S486;
                    }
                    (*kernelContext_7->eighths_0)[s_10 * 8U + _S484] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(8U >= _S463)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(8U < _S463)
                {
                    (*kernelContext_7->partial_0)[t_2] = acc_2[8U];
                }
                if(9U < _S463)
                {
                    (*kernelContext_7->partial_0)[72U + t_2] = acc_2[9U];
                }
                if(10U < _S463)
                {
                    (*kernelContext_7->partial_0)[144U + t_2] = acc_2[10U];
                }
                if(11U < _S463)
                {
                    (*kernelContext_7->partial_0)[216U + t_2] = acc_2[11U];
                }
                if(12U < _S463)
                {
                    (*kernelContext_7->partial_0)[288U + t_2] = acc_2[12U];
                }
                if(13U < _S463)
                {
                    (*kernelContext_7->partial_0)[360U + t_2] = acc_2[13U];
                }
                if(14U < _S463)
                {
                    (*kernelContext_7->partial_0)[432U + t_2] = acc_2[14U];
                }
                if(15U < _S463)
                {
                    (*kernelContext_7->partial_0)[504U + t_2] = acc_2[15U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_11 = t_2 / 8U;
                uint _S487 = 8U + s_11;
                if(_S487 < _S463)
                {
                    uint _S488 = s_11 * 72U;
                    uint _S489 = t_2 % 8U;
                    float _S490 = (*kernelContext_7->partial_0)[_S488 + _S489];
                    l_8 = 1U;
                    sum_27 = _S490;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S491 = sum_27 + (*kernelContext_7->partial_0)[_S488 + l_8 * 8U + _S489];
                        l_8 = l_8 + 1U;
                        sum_27 = _S491;
                    }
                    (*kernelContext_7->eighths_0)[_S487 * 8U + _S489] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(16U >= _S463)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(16U < _S463)
                {
                    (*kernelContext_7->partial_0)[t_2] = acc_2[16U];
                }
                if(17U < _S463)
                {
                    (*kernelContext_7->partial_0)[72U + t_2] = acc_2[17U];
                }
                if(18U < _S463)
                {
                    (*kernelContext_7->partial_0)[144U + t_2] = acc_2[18U];
                }
                if(19U < _S463)
                {
                    (*kernelContext_7->partial_0)[216U + t_2] = acc_2[19U];
                }
                if(20U < _S463)
                {
                    (*kernelContext_7->partial_0)[288U + t_2] = acc_2[20U];
                }
                if(21U < _S463)
                {
                    (*kernelContext_7->partial_0)[360U + t_2] = acc_2[21U];
                }
                if(22U < _S463)
                {
                    (*kernelContext_7->partial_0)[432U + t_2] = acc_2[22U];
                }
                if(23U < _S463)
                {
                    (*kernelContext_7->partial_0)[504U + t_2] = acc_2[23U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_12 = t_2 / 8U;
                uint _S492 = 16U + s_12;
                if(_S492 < _S463)
                {
                    uint _S493 = s_12 * 72U;
                    uint _S494 = t_2 % 8U;
                    float _S495 = (*kernelContext_7->partial_0)[_S493 + _S494];
                    l_8 = 1U;
                    sum_27 = _S495;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S496 = sum_27 + (*kernelContext_7->partial_0)[_S493 + l_8 * 8U + _S494];
                        l_8 = l_8 + 1U;
                        sum_27 = _S496;
                    }
                    (*kernelContext_7->eighths_0)[_S492 * 8U + _S494] = sum_27;
                }
                break;
            }
            break;
        }
        for(;;)
        {
            for(;;)
            {
                if(24U >= _S463)
                {
                    break;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                if(24U < _S463)
                {
                    (*kernelContext_7->partial_0)[t_2] = acc_2[24U];
                }
                if(25U < _S463)
                {
                    (*kernelContext_7->partial_0)[72U + t_2] = acc_2[25U];
                }
                if(26U < _S463)
                {
                    (*kernelContext_7->partial_0)[144U + t_2] = acc_2[26U];
                }
                if(27U < _S463)
                {
                    (*kernelContext_7->partial_0)[216U + t_2] = acc_2[27U];
                }
                if(28U < _S463)
                {
                    (*kernelContext_7->partial_0)[288U + t_2] = acc_2[28U];
                }
                if(29U < _S463)
                {
                    (*kernelContext_7->partial_0)[360U + t_2] = acc_2[29U];
                }
                if(30U < _S463)
                {
                    (*kernelContext_7->partial_0)[432U + t_2] = acc_2[30U];
                }
                if(31U < _S463)
                {
                    (*kernelContext_7->partial_0)[504U + t_2] = acc_2[31U];
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint s_13 = t_2 / 8U;
                uint _S497 = 24U + s_13;
                if(_S497 < _S463)
                {
                    uint _S498 = s_13 * 72U;
                    uint _S499 = t_2 % 8U;
                    float _S500 = (*kernelContext_7->partial_0)[_S498 + _S499];
                    l_8 = 1U;
                    sum_27 = _S500;
                    for(;;)
                    {
                        if(l_8 < 8U)
                        {
                        }
                        else
                        {
                            break;
                        }
                        float _S501 = sum_27 + (*kernelContext_7->partial_0)[_S498 + l_8 * 8U + _S499];
                        l_8 = l_8 + 1U;
                        sum_27 = _S501;
                    }
                    (*kernelContext_7->eighths_0)[_S497 * 8U + _S499] = sum_27;
                }
                break;
            }
            break;
        }
        break;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    thread Product_0 p_9;
    (&p_9)->v_10 = 0.0;
    uint _S502 = t_2 % _S465;
    (&p_9)->row_1 = first_3 + _S502;
    uint _S503 = tile_1 * _S472;
    uint _S504 = t_2 / _S465;
    (&p_9)->column_0 = _S503 + _S504;
    bool _S505 = t_2 < _S463;
    bool _S506;
    if(_S505)
    {
        _S506 = _S502 < _S466;
    }
    else
    {
        _S506 = false;
    }
    if(_S506)
    {
        _S506 = ((&p_9)->column_0) < (2U * C_F_0);
    }
    else
    {
        _S506 = false;
    }
    (&p_9)->mine_0 = _S506;
    if(_S505)
    {
        l_8 = 0U;
        for(;;)
        {
            if(l_8 < 8U)
            {
            }
            else
            {
                break;
            }
            (&p_9)->v_10 = (&p_9)->v_10 + (*kernelContext_7->eighths_0)[t_2 * 8U + l_8];
            l_8 = l_8 + 1U;
        }
        l_8 = 0U;
        sum_27 = 0.0;
        for(;;)
        {
            if(l_8 < 8U)
            {
            }
            else
            {
                break;
            }
            float _S507 = sum_27 + (*kernelContext_7->eighths_of_squares_0)[_S502 * 8U + l_8];
            l_8 = l_8 + 1U;
            sum_27 = _S507;
        }
        float _S508 = norm_factor_0(sum_27, kernelContext_7);
        (&p_9)->v_10 = (&p_9)->v_10 * _S508;
    }
    return p_9;
}
float infinity_0()
{
    return (as_type<float>((2139095040U)));
}
float power_of_two_0(int n_3)
{
    return (as_type<float>((uint(n_3 + int(127)) << 23U)));
}
float exp_of_0(float x_2)
{
    if(!(x_2 < 88.8000030517578125))
    {
        float _S509;
        if(x_2 != x_2)
        {
            _S509 = x_2;
        }
        else
        {
            _S509 = infinity_0();
        }
        return _S509;
    }
    if(x_2 < -104.0)
    {
        return 0.0;
    }
    float n_4 = floor(x_2 * 1.4426950216293335 + 0.5);
    float high_1 = x_2 - n_4 * 0.693359375;
    float r_5 = high_1 + n_4 * 0.00021219444170129;
    int _S510 = int(n_4);
    int half_10 = _S510 / int(2);
    return ((((((0.00019875691214111 * r_5 + 0.00139819993637502) * r_5 + 0.00833345204591751) * r_5 + 0.04166579619050026) * r_5 + 0.1666666567325592) * r_5 + 0.5) * r_5 * r_5 + r_5 + 1.0) * power_of_two_0(half_10) * power_of_two_0(_S510 - half_10);
}
float tanh_of_0(float x_3)
{
    float a_1 = abs(x_3);
    float z_0 = x_3 * x_3;
    if(a_1 < 0.30000001192092896)
    {
        return x_3 + x_3 * z_0 * ((((-0.0088632358238101 * z_0 + 0.0218694880604744) * z_0 - 0.05396825447678566) * z_0 + 0.13333332538604736) * z_0 - 0.3333333432674408);
    }
    float e_0 = exp_of_0(-2.0 * a_1);
    float y_0 = (1.0 - e_0) / (1.0 + e_0);
    float _S511;
    if(x_3 < 0.0)
    {
        _S511 = - y_0;
    }
    else
    {
        _S511 = y_0;
    }
    return _S511;
}
float erf_of_0(float x_4)
{
    float a_2 = abs(x_4);
    float k_1 = 1.0 / (1.0 + 0.32759109139442444 * a_2);
    float y_1 = 1.0 - ((((1.06140542030334473 * k_1 - 1.45315206050872803) * k_1 + 1.42141377925872803) * k_1 - 0.2844967246055603) * k_1 + 0.25482958555221558) * k_1 * exp_of_0(- a_2 * a_2);
    float _S512;
    if(x_4 < 0.0)
    {
        _S512 = - y_1;
    }
    else
    {
        _S512 = y_1;
    }
    return _S512;
}
float activated_0(float x_5)
{
    if(C_ACTIVATION_0 == 0U)
    {
        return x_5 / (1.0 + exp_of_0(- x_5));
    }
    if(C_ACTIVATION_0 == 1U)
    {
        return 0.5 * x_5 * (1.0 + tanh_of_0(0.79788458347320557 * (x_5 + 0.04471499845385551 * x_5 * x_5 * x_5)));
    }
    if(C_ACTIVATION_0 == 2U)
    {
        return 0.5 * x_5 * (1.0 + erf_of_0(x_5 * 0.70710676908493042));
    }
    float _S513;
    if(x_5 < 0.0)
    {
        _S513 = 0.0;
    }
    else
    {
        _S513 = x_5;
    }
    return _S513;
}
float gated_0(float x_6, float up_0)
{
    return activated_0(x_6) * up_0;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_8;
    (&kernelContext_8)->args_0 = args_1;
    threadgroup array<float, int(576)> partial_1;
    (&kernelContext_8)->partial_0 = &partial_1;
    threadgroup array<float, int(64)> eighths_of_squares_1;
    (&kernelContext_8)->eighths_of_squares_0 = &eighths_of_squares_1;
    threadgroup array<float, int(256)> eighths_1;
    (&kernelContext_8)->eighths_0 = &eighths_1;
    threadgroup array<float, int(32)> finished_1;
    (&kernelContext_8)->finished_0 = &finished_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S514 = stopped_0(&kernelContext_8);
    if(_S514)
    {
        return;
    }
    uint tile_2 = group_0.x;
    for(;;)
    {
        uint _S515 = product_tiles_0();
        if(tile_2 < _S515)
        {
        }
        else
        {
            break;
        }
        Product_0 _S516 = product_0(tile_2, group_0.y, sv_groupindex_0, &kernelContext_8);
        uint _S517 = own_0();
        if(sv_groupindex_0 < (outputs_0() * _S517))
        {
            (*(&kernelContext_8)->finished_0)[sv_groupindex_0] = _S516.v_10;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint _S518 = gates_0();
        uint _S519 = tile_2 * _S518;
        uint _S520 = sv_groupindex_0 / _S517;
        uint column_1 = _S519 + _S520;
        uint _S521 = _S518 * _S517;
        bool _S522;
        if(sv_groupindex_0 < _S521)
        {
            _S522 = (_S516.row_1) < ((&kernelContext_8)->args_0->step_0->rows_0);
        }
        else
        {
            _S522 = false;
        }
        bool _S523;
        if(_S522)
        {
            _S523 = column_1 < C_F_0;
        }
        else
        {
            _S523 = false;
        }
        if(_S523)
        {
            *((float device*)((ulong)((&kernelContext_8)->args_0->out_0)) + (ulong(_S516.row_1) * act_row_bytes_0(0U, C_F_0) / 4UL + ulong(column_1))) = gated_0((*(&kernelContext_8)->finished_0)[sv_groupindex_0], (*(&kernelContext_8)->finished_0)[sv_groupindex_0 + _S521]);
        }
        uint _S524 = product_tiles_0();
        tile_2 = tile_2 + min(_S524, 65535U);
    }
    return;
}
