// Made by tools/vulkan-kernels.sh of rope_angles.slang and what stands before it.
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
constant uint fc_C_PAIRS_0 [[function_constant(0)]];
constant uint C_PAIRS_0 = is_function_constant_defined(fc_C_PAIRS_0) ? fc_C_PAIRS_0 : 1U;
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
    uchar device* frequencies_0;
    uchar device* angles_0;
    float magnitude_0;
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
float upper_0(float x_0)
{
    return (as_type<float>(((as_type<uint>((x_0))) & 4294963200U)));
}
float less_0(float x_1, float n_0, float part_0)
{
    float _S2 = upper_0(n_0);
    float high_0 = _S2 * part_0;
    float low_0 = (n_0 - _S2) * part_0;
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
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_3;
    (&kernelContext_3)->args_0 = args_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S3 = stopped_0(&kernelContext_3);
    if(_S3)
    {
        return;
    }
    uint r_2 = group_0.x;
    if(r_2 >= ((&kernelContext_3)->args_0->step_0->rows_0))
    {
        return;
    }
    Row_0 device* _S4 = step_rows_0(&kernelContext_3);
    float _S5 = float((_S4 + r_2)->pos_0);
    packed_float2 device* _S6 = (packed_float2 device*)((ulong)((&kernelContext_3)->args_0->angles_0)) + ulong(r_2) * ulong(C_PAIRS_0);
    uint i_1 = sv_groupindex_0;
    for(;;)
    {
        if(i_1 < C_PAIRS_0)
        {
        }
        else
        {
            break;
        }
        float angle_0 = _S5 * *((float device*)((ulong)((&kernelContext_3)->args_0->frequencies_0)) + i_1);
        *(_S6 + i_1) = packed_float2((cos_sin_0(angle_0) * float2((&kernelContext_3)->args_0->magnitude_0) )) ;
        i_1 = i_1 + 64U;
    }
    return;
}
