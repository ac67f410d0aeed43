// Made by tools/vulkan-kernels.sh of logits_max.slang and what stands before it.
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
constant uint fc_C_VOCAB_0 [[function_constant(0)]];
constant uint C_VOCAB_0 = is_function_constant_defined(fc_C_VOCAB_0) ? fc_C_VOCAB_0 : 1U;
constant uint fc_C_CHUNK_0 [[function_constant(1)]];
constant uint C_CHUNK_0 = is_function_constant_defined(fc_C_CHUNK_0) ? fc_C_CHUNK_0 : 1U;
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
    uchar device* logits_0;
    uchar device* best_0;
};
struct Pick_0
{
    float score_0;
    uint token_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<Pick_0, int(64)> threadgroup* bests_0;
};
bool stopped_0(KernelContext_0 thread* kernelContext_0)
{
    return (kernelContext_0->args_0->step_0->stop_0) != 0U;
}
float infinity_0()
{
    return (as_type<float>((2139095040U)));
}
Pick_0 no_pick_0()
{
    thread Pick_0 p_0;
    (&p_0)->score_0 = - infinity_0();
    (&p_0)->token_0 = 4294967295U;
    return p_0;
}
Pick_0 better_0(const Pick_0 thread* a_0, const Pick_0 thread* b_0)
{
    float _S1 = b_0->score_0;
    float _S2 = a_0->score_0;
    bool _S3;
    if((b_0->score_0) > (a_0->score_0))
    {
        _S3 = true;
    }
    else
    {
        if(_S1 == _S2)
        {
            _S3 = (b_0->token_0) < (a_0->token_0);
        }
        else
        {
            _S3 = false;
        }
    }
    if(_S3)
    {
        return *b_0;
    }
    return *a_0;
}
Pick_0 group_best_0(uint t_0, const Pick_0 thread* p_1, KernelContext_0 thread* kernelContext_1)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_1->bests_0)[t_0] = *p_1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint half_0 = 32U;
    for(;;)
    {
        if(half_0 != 0U)
        {
        }
        else
        {
            break;
        }
        if(t_0 < half_0)
        {
            Pick_0 _S4 = (*kernelContext_1->bests_0)[t_0 + half_0];
            thread Pick_0 _S5 = (*kernelContext_1->bests_0)[t_0];
            thread Pick_0 _S6 = _S4;
            Pick_0 _S7 = better_0(&_S5, &_S6);
            (*kernelContext_1->bests_0)[t_0] = _S7;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        half_0 = half_0 / 2U;
    }
    return (*kernelContext_1->bests_0)[int(0)];
}
constant uint fc_C_MAX_ROWS_0 [[function_constant(2)]];
constant uint C_MAX_ROWS_0 = is_function_constant_defined(fc_C_MAX_ROWS_0) ? fc_C_MAX_ROWS_0 : 1U;
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_2;
    (&kernelContext_2)->args_0 = args_1;
    threadgroup array<Pick_0, int(64)> bests_1;
    (&kernelContext_2)->bests_0 = &bests_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S8 = stopped_0(&kernelContext_2);
    if(_S8)
    {
        return;
    }
    uint c_0 = group_0.x;
    for(;;)
    {
        if(c_0 < ((C_VOCAB_0 + C_CHUNK_0 - 1U) / C_CHUNK_0))
        {
        }
        else
        {
            break;
        }
        uint r_0 = group_0.y;
        for(;;)
        {
            if(r_0 < ((&kernelContext_2)->args_0->step_0->head_rows_0))
            {
            }
            else
            {
                break;
            }
            ulong _S9 = ulong(r_0);
            float device* _S10 = (float device*)((ulong)((&kernelContext_2)->args_0->logits_0)) + _S9 * ulong(C_VOCAB_0);
            thread Pick_0 p_2 = no_pick_0();
            uint _S11 = min((c_0 + 1U) * C_CHUNK_0, C_VOCAB_0);
            uint i_0 = c_0 * C_CHUNK_0 + sv_groupindex_0;
            for(;;)
            {
                if(i_0 < _S11)
                {
                }
                else
                {
                    break;
                }
                float device* _S12 = _S10 + i_0;
                if((*_S12) > ((&p_2)->score_0))
                {
                    (&p_2)->score_0 = *_S12;
                    (&p_2)->token_0 = i_0;
                }
                i_0 = i_0 + 64U;
            }
            thread Pick_0 _S13 = p_2;
            Pick_0 _S14 = group_best_0(sv_groupindex_0, &_S13, &kernelContext_2);
            p_2 = _S14;
            if(sv_groupindex_0 == 0U)
            {
                *((Pick_0 device*)((ulong)((&kernelContext_2)->args_0->best_0)) + (_S9 * ulong((C_VOCAB_0 + C_CHUNK_0 - 1U) / C_CHUNK_0) + ulong(c_0))) = p_2;
            }
            r_0 = r_0 + min(C_MAX_ROWS_0, 65535U);
        }
        c_0 = c_0 + min((C_VOCAB_0 + C_CHUNK_0 - 1U) / C_CHUNK_0, 65535U);
    }
    return;
}
