// Made by tools/vulkan-kernels.sh of step_end.slang and what stands before it.
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
struct Head_0
{
    uint row_0;
    uint seq_0;
    uint token_0;
    uint pos_0;
};
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
    uint device* control_0;
    uint device* page_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
};
Head_0 device* step_heads_0(KernelContext_0 thread* kernelContext_0)
{
    return (Head_0 device*)((ulong)((uchar device*)((ulong)(kernelContext_0->args_0->step_0)) + kernelContext_0->args_0->step_0->heads_at_0));
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->args_0 = args_1;
    if(((sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)]) != 0U)
    {
        return;
    }
    Header_0 device* h_0 = (&kernelContext_1)->args_0->step_0;
    uint device* c_0 = (&kernelContext_1)->args_0->control_0;
    uint device* page_1 = (&kernelContext_1)->args_0->page_0;
    uint device* counts_0 = (&kernelContext_1)->args_0->page_0 + int(16);
    uint device* tokens_0 = counts_0 + 65536U;
    uint device* _S1 = tokens_0 + 65536U;
    uint drawn_1 = (&kernelContext_1)->args_0->step_0->drawn_0;
    uint device* _S2 = (&kernelContext_1)->args_0->control_0 + int(1);
    uint at_0 = *_S2;
    uint device* _S3 = (&kernelContext_1)->args_0->control_0 + int(0);
    uint at_1;
    if(((&kernelContext_1)->args_0->step_0->drawn_0) != (*_S3))
    {
        if((h_0->heads_at_0) == 0U)
        {
            at_1 = 1U;
        }
        else
        {
            at_1 = h_0->drew_0;
        }
        uint i_0 = 0U;
        for(;;)
        {
            if(i_0 < at_1)
            {
            }
            else
            {
                break;
            }
            uint _S4 = (at_0 + i_0) % 65536U;
            uint device* _S5 = tokens_0 + _S4;
            uint _S6;
            if((h_0->heads_at_0) == 0U)
            {
                _S6 = h_0->last_token_0;
            }
            else
            {
                Head_0 device* _S7 = step_heads_0(&kernelContext_1);
                _S6 = (_S7 + i_0)->token_0;
            }
            *_S5 = _S6;
            uint device* _S8 = _S1 + _S4;
            uint _S9;
            if((h_0->heads_at_0) == 0U)
            {
                _S9 = 0U;
            }
            else
            {
                Head_0 device* _S10 = step_heads_0(&kernelContext_1);
                _S9 = (_S10 + i_0)->seq_0;
            }
            *_S8 = _S9;
            i_0 = i_0 + 1U;
        }
        uint at_2 = at_0 + at_1;
        *_S3 = drawn_1;
        *_S2 = at_2;
        at_1 = at_2;
    }
    else
    {
        at_1 = at_0;
    }
    uint device* _S11 = c_0 + int(2);
    uint _S12 = *_S11 + 1U;
    *_S11 = _S12;
    *(counts_0 + _S12 % 65536U) = at_1;
    bool _S13;
    if((*(page_1 + int(1))) != 0U)
    {
        _S13 = (h_0->stop_0) == 0U;
    }
    else
    {
        _S13 = false;
    }
    if(_S13)
    {
        h_0->stop_0 = 3U;
    }
    return;
}
