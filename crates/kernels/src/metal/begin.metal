// Made by tools/vulkan-kernels.sh of begin.slang and what stands before it.
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
    uint stop_0;
    array<uint, int(16)> eos_0;
};
struct Header_0
{
    uint rows_0;
    uint head_rows_0;
    uint seqs_cap_0;
    uint stop_1;
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
    uint device* table_0;
    uint device* windows_0;
    uint rows_1;
    uint head_rows_1;
    uint positions_0;
    uint consecutive_0;
    uint entries_0;
    uint blocks_0;
    uint window_entries_0;
    uint window_blocks_0;
    uint seqs_cap_1;
    uint heads_at_1;
    uint heads_cap_1;
    uint several_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    uint threadgroup* bad_0;
    array<uint, int(128)> threadgroup* seen_0;
};
Seq_0 device* step_seq_0(uint i_0, KernelContext_0 thread* kernelContext_0)
{
    return (Seq_0 device*)((ulong)((uchar device*)((ulong)(kernelContext_0->args_0->step_0)) + int(64))) + i_0;
}
struct Row_0
{
    uint seq_0;
    uint pos_0;
};
Row_0 device* step_rows_0(KernelContext_0 thread* kernelContext_1)
{
    Seq_0 device* _S1 = step_seq_0(kernelContext_1->args_0->step_0->seqs_cap_0, kernelContext_1);
    return (Row_0 device*)((ulong)(_S1));
}
bool fits_session_0(uint t_0, KernelContext_0 thread* kernelContext_2)
{
    Seq_0 device* _S2 = step_seq_0(0U, kernelContext_2);
    if((_S2->len_0) > (kernelContext_2->args_0->positions_0))
    {
        return false;
    }
    bool good_0 = true;
    uint r_0 = t_0;
    for(;;)
    {
        if(r_0 < (kernelContext_2->args_0->step_0->rows_0))
        {
        }
        else
        {
            break;
        }
        Row_0 device* _S3 = step_rows_0(kernelContext_2);
        Row_0 row_0 = *(_S3 + r_0);
        bool _S4;
        if(good_0)
        {
            _S4 = (row_0.seq_0) == 0U;
        }
        else
        {
            _S4 = false;
        }
        bool good_1;
        if(_S4)
        {
            good_1 = (row_0.pos_0) < (kernelContext_2->args_0->positions_0);
        }
        else
        {
            good_1 = false;
        }
        if(good_1)
        {
            bool _S5;
            if((kernelContext_2->args_0->consecutive_0) == 0U)
            {
                _S5 = true;
            }
            else
            {
                uint _S6 = row_0.pos_0 - r_0;
                Row_0 device* _S7 = step_rows_0(kernelContext_2);
                _S5 = _S6 == ((_S7 + int(0))->pos_0);
            }
            good_0 = _S5;
        }
        else
        {
            good_0 = false;
        }
        r_0 = r_0 + 64U;
    }
    return good_0;
}
struct Head_0
{
    uint row_1;
    uint seq_1;
    uint token_0;
    uint pos_1;
};
Head_0 device* step_heads_0(KernelContext_0 thread* kernelContext_3)
{
    return (Head_0 device*)((ulong)((uchar device*)((ulong)(kernelContext_3->args_0->step_0)) + kernelContext_3->args_0->step_0->heads_at_0));
}
bool fits_batch_0(KernelContext_0 thread* kernelContext_4)
{
    Seq_0 device* _S8 = step_seq_0(0U, kernelContext_4);
    bool _S9;
    if((_S8->len_0) > (kernelContext_4->args_0->positions_0))
    {
        _S9 = true;
    }
    else
    {
        _S9 = (kernelContext_4->args_0->seqs_cap_1) > 4096U;
    }
    if(_S9)
    {
        return false;
    }
    uint i_1 = 0U;
    for(;;)
    {
        if(i_1 < 128U)
        {
        }
        else
        {
            break;
        }
        (*kernelContext_4->seen_0)[i_1] = 0U;
        i_1 = i_1 + 1U;
    }
    uint _S10 = kernelContext_4->args_0->step_0->rows_0;
    uint head_rows_2 = kernelContext_4->args_0->step_0->head_rows_0;
    uint r_1 = 0U;
    uint heads_0 = 0U;
    for(;;)
    {
        if(r_1 < _S10)
        {
        }
        else
        {
            break;
        }
        Row_0 device* _S11 = step_rows_0(kernelContext_4);
        Row_0 device* _S12 = _S11 + r_1;
        Row_0 row_2 = *_S12;
        if(((*_S12).seq_0) >= (kernelContext_4->args_0->seqs_cap_1))
        {
            _S9 = true;
        }
        else
        {
            _S9 = (row_2.pos_0) >= (kernelContext_4->args_0->positions_0);
        }
        if(_S9)
        {
            return false;
        }
        bool _S13;
        if(r_1 != 0U)
        {
            Row_0 device* _S14 = step_rows_0(kernelContext_4);
            _S13 = ((_S14 + (r_1 - 1U))->seq_0) == (row_2.seq_0);
        }
        else
        {
            _S13 = false;
        }
        bool last_0;
        if(_S13)
        {
            Row_0 device* _S15 = step_rows_0(kernelContext_4);
            if(((_S15 + (r_1 - 1U))->pos_0 + 1U) != (row_2.pos_0))
            {
                return false;
            }
        }
        else
        {
            if((kernelContext_4->args_0->consecutive_0) == 2U)
            {
                last_0 = (row_2.pos_0) != 0U;
            }
            else
            {
                last_0 = false;
            }
            if(last_0)
            {
                return false;
            }
            uint _S16 = row_2.seq_0 % 32U;
            if(((((*kernelContext_4->seen_0)[row_2.seq_0 / 32U]) >> _S16) & 1U) != 0U)
            {
                return false;
            }
            (*kernelContext_4->seen_0)[row_2.seq_0 / 32U] = ((*kernelContext_4->seen_0)[row_2.seq_0 / 32U]) | (1U << _S16);
        }
        uint _S17 = r_1 + 1U;
        if(_S17 == _S10)
        {
            last_0 = true;
        }
        else
        {
            Row_0 device* _S18 = step_rows_0(kernelContext_4);
            last_0 = ((_S18 + _S17)->seq_0) != (row_2.seq_0);
        }
        bool _S19;
        if(heads_0 < head_rows_2)
        {
            Head_0 device* _S20 = step_heads_0(kernelContext_4);
            _S19 = ((_S20 + heads_0)->row_1) == r_1;
        }
        else
        {
            _S19 = false;
        }
        if(_S19)
        {
            uint heads_1 = heads_0 + 1U;
            bool next_0;
            if(heads_1 < head_rows_2)
            {
                Head_0 device* _S21 = step_heads_0(kernelContext_4);
                next_0 = ((_S21 + heads_1)->row_1) == _S17;
            }
            else
            {
                next_0 = false;
            }
            bool _S22;
            if(last_0)
            {
                _S22 = true;
            }
            else
            {
                if((kernelContext_4->args_0->several_0) != 0U)
                {
                    _S22 = next_0;
                }
                else
                {
                    _S22 = false;
                }
            }
            if(!_S22)
            {
                return false;
            }
            heads_0 = heads_1;
        }
        r_1 = _S17;
    }
    return heads_0 == head_rows_2;
}
bool inside_0(uint t_1, uint device* table_1, uint entries_1, uint blocks_1)
{
    bool good_2 = true;
    uint b_0 = t_1;
    for(;;)
    {
        if(b_0 < entries_1)
        {
        }
        else
        {
            break;
        }
        if(good_2)
        {
            good_2 = (*(table_1 + b_0)) < blocks_1;
        }
        else
        {
            good_2 = false;
        }
        b_0 = b_0 + 64U;
    }
    return good_2;
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], Args_0 constant* args_1 [[buffer(0)]])
{
    thread KernelContext_0 kernelContext_5;
    (&kernelContext_5)->args_0 = args_1;
    threadgroup uint bad_1;
    (&kernelContext_5)->bad_0 = &bad_1;
    threadgroup array<uint, int(128)> seen_1;
    (&kernelContext_5)->seen_0 = &seen_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    Header_0 device* h_0 = args_1->step_0;
    bool _S23 = sv_groupindex_0 == 0U;
    if(_S23)
    {
        *(&kernelContext_5)->bad_0 = 0U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool good_3;
    if((h_0->seqs_cap_0) == ((&kernelContext_5)->args_0->seqs_cap_1))
    {
        good_3 = (h_0->heads_at_0) == ((&kernelContext_5)->args_0->heads_at_1);
    }
    else
    {
        good_3 = false;
    }
    if(good_3)
    {
        good_3 = (h_0->heads_cap_0) == ((&kernelContext_5)->args_0->heads_cap_1);
    }
    else
    {
        good_3 = false;
    }
    if(good_3)
    {
        good_3 = (h_0->rows_0) <= ((&kernelContext_5)->args_0->rows_1);
    }
    else
    {
        good_3 = false;
    }
    if(good_3)
    {
        good_3 = (h_0->head_rows_0) <= (h_0->rows_0);
    }
    else
    {
        good_3 = false;
    }
    if(good_3)
    {
        good_3 = (h_0->head_rows_0) <= ((&kernelContext_5)->args_0->head_rows_1);
    }
    else
    {
        good_3 = false;
    }
    if(good_3)
    {
        if(((&kernelContext_5)->args_0->heads_at_1) == 0U)
        {
            bool _S24 = fits_session_0(sv_groupindex_0, &kernelContext_5);
            good_3 = _S24;
        }
        else
        {
            if(_S23)
            {
                bool _S25 = fits_batch_0(&kernelContext_5);
                good_3 = _S25;
            }
        }
        if(good_3)
        {
            bool _S26 = inside_0(sv_groupindex_0, (&kernelContext_5)->args_0->table_0, (&kernelContext_5)->args_0->entries_0, (&kernelContext_5)->args_0->blocks_0);
            good_3 = _S26;
        }
        else
        {
            good_3 = false;
        }
        if(good_3)
        {
            bool _S27 = inside_0(sv_groupindex_0, (&kernelContext_5)->args_0->windows_0, (&kernelContext_5)->args_0->window_entries_0, (&kernelContext_5)->args_0->window_blocks_0);
            good_3 = _S27;
        }
        else
        {
            good_3 = false;
        }
    }
    if(!good_3)
    {
        uint _S28 = atomic_fetch_or_explicit(((atomic_uint threadgroup*)((&kernelContext_5)->bad_0)), 1U, memory_order_relaxed);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if(sv_groupindex_0 != 0U)
    {
        return;
    }
    *((&kernelContext_5)->args_0->control_0 + int(0)) = h_0->drawn_0;
    if((*(&kernelContext_5)->bad_0) != 0U)
    {
        uint device* _S29 = (&kernelContext_5)->args_0->page_0 + int(0);
        *_S29 = *_S29 + 1U;
        h_0->stop_1 = 3U;
    }
    return;
}
