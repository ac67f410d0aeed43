// Made by tools/vulkan-kernels.sh of route.slang and what stands before it.
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
constant uint fc_C_NORMALIZED_0 [[function_constant(2)]];
constant uint C_NORMALIZED_0 = is_function_constant_defined(fc_C_NORMALIZED_0) ? fc_C_NORMALIZED_0 : 1U;
constant uint fc_C_USED_0 [[function_constant(1)]];
constant uint C_USED_0 = is_function_constant_defined(fc_C_USED_0) ? fc_C_USED_0 : 1U;
constant uint fc_C_EXPERTS_0 [[function_constant(0)]];
constant uint C_EXPERTS_0 = is_function_constant_defined(fc_C_EXPERTS_0) ? fc_C_EXPERTS_0 : 1U;
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
    uchar device* scores_0;
    uchar device* routes_0;
};
struct Pick_0
{
    float score_0;
    uint token_0;
};
struct KernelContext_0
{
    Args_0 constant* args_0;
    array<float, int(64)> threadgroup* sums_0;
    array<float, int(8)> threadgroup* columns_0;
    array<Pick_0, int(64)> threadgroup* bests_0;
    array<float, int(64)> threadgroup* shares_0;
    array<uint, int(64)> threadgroup* chosen_0;
};
bool stopped_0(KernelContext_0 thread* kernelContext_0)
{
    return (kernelContext_0->args_0->step_0->stop_0) != 0U;
}
float infinity_0()
{
    return (as_type<float>((2139095040U)));
}
float group_max_0(uint t_0, float v_0, KernelContext_0 thread* kernelContext_1)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_1->sums_0)[t_0] = v_0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float s_0;
    uint i_0;
    if(t_0 < 8U)
    {
        s_0 = (*kernelContext_1->sums_0)[t_0];
        i_0 = 1U;
        for(;;)
        {
            if(i_0 < 8U)
            {
            }
            else
            {
                break;
            }
            float _S1 = max(s_0, (*kernelContext_1->sums_0)[i_0 * 8U + t_0]);
            uint _S2 = i_0 + 1U;
            s_0 = _S1;
            i_0 = _S2;
        }
        (*kernelContext_1->columns_0)[t_0] = s_0;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    s_0 = (*kernelContext_1->columns_0)[int(0)];
    i_0 = 1U;
    for(;;)
    {
        if(i_0 < 8U)
        {
        }
        else
        {
            break;
        }
        float _S3 = max(s_0, (*kernelContext_1->columns_0)[i_0]);
        uint _S4 = i_0 + 1U;
        s_0 = _S3;
        i_0 = _S4;
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
        float _S5;
        if(x_0 != x_0)
        {
            _S5 = x_0;
        }
        else
        {
            _S5 = infinity_0();
        }
        return _S5;
    }
    if(x_0 < -104.0)
    {
        return 0.0;
    }
    float n_1 = floor(x_0 * 1.4426950216293335 + 0.5);
    float high_0 = x_0 - n_1 * 0.693359375;
    float r_0 = high_0 + n_1 * 0.00021219444170129;
    int _S6 = int(n_1);
    int half_0 = _S6 / int(2);
    return ((((((0.00019875691214111 * r_0 + 0.00139819993637502) * r_0 + 0.00833345204591751) * r_0 + 0.04166579619050026) * r_0 + 0.1666666567325592) * r_0 + 0.5) * r_0 * r_0 + r_0 + 1.0) * power_of_two_0(half_0) * power_of_two_0(_S6 - half_0);
}
float group_sum_0(uint t_1, float v_1, KernelContext_0 thread* kernelContext_2)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_2->sums_0)[t_1] = v_1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint i_1;
    float s_1;
    if(t_1 < 8U)
    {
        float _S7 = (*kernelContext_2->sums_0)[t_1];
        i_1 = 1U;
        s_1 = _S7;
        for(;;)
        {
            if(i_1 < 8U)
            {
            }
            else
            {
                break;
            }
            float s_2 = s_1 + (*kernelContext_2->sums_0)[i_1 * 8U + t_1];
            i_1 = i_1 + 1U;
            s_1 = s_2;
        }
        (*kernelContext_2->columns_0)[t_1] = s_1;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float _S8 = (*kernelContext_2->columns_0)[int(0)];
    i_1 = 1U;
    s_1 = _S8;
    for(;;)
    {
        if(i_1 < 8U)
        {
        }
        else
        {
            break;
        }
        float s_3 = s_1 + (*kernelContext_2->columns_0)[i_1];
        i_1 = i_1 + 1U;
        s_1 = s_3;
    }
    return s_1;
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
    float _S9 = b_0->score_0;
    float _S10 = a_0->score_0;
    bool _S11;
    if((b_0->score_0) > (a_0->score_0))
    {
        _S11 = true;
    }
    else
    {
        if(_S9 == _S10)
        {
            _S11 = (b_0->token_0) < (a_0->token_0);
        }
        else
        {
            _S11 = false;
        }
    }
    if(_S11)
    {
        return *b_0;
    }
    return *a_0;
}
Pick_0 group_best_0(uint t_2, const Pick_0 thread* p_1, KernelContext_0 thread* kernelContext_3)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_3->bests_0)[t_2] = *p_1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint half_1 = 32U;
    for(;;)
    {
        if(half_1 != 0U)
        {
        }
        else
        {
            break;
        }
        if(t_2 < half_1)
        {
            Pick_0 _S12 = (*kernelContext_3->bests_0)[t_2 + half_1];
            thread Pick_0 _S13 = (*kernelContext_3->bests_0)[t_2];
            thread Pick_0 _S14 = _S12;
            Pick_0 _S15 = better_0(&_S13, &_S14);
            (*kernelContext_3->bests_0)[t_2] = _S15;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        half_1 = half_1 / 2U;
    }
    return (*kernelContext_3->bests_0)[int(0)];
}
[[kernel]] void main_0(uint3 sv_groupthreadid_0 [[thread_position_in_threadgroup]], uint3 group_0 [[threadgroup_position_in_grid]], Args_0 constant* args_1 [[buffer(0)]])
{
    float sum_0;
    uint taken_0;
    uint taken_1;
    uint taken_2;
    uint taken_3;
    uint taken_4;
    uint taken_5;
    uint taken_6;
    uint taken_7;
    uint taken_8;
    uint taken_9;
    uint taken_10;
    uint taken_11;
    uint taken_12;
    uint taken_13;
    uint taken_14;
    uint taken_15;
    thread KernelContext_0 kernelContext_4;
    (&kernelContext_4)->args_0 = args_1;
    threadgroup array<float, int(64)> sums_1;
    (&kernelContext_4)->sums_0 = &sums_1;
    threadgroup array<float, int(8)> columns_1;
    (&kernelContext_4)->columns_0 = &columns_1;
    threadgroup array<Pick_0, int(64)> bests_1;
    (&kernelContext_4)->bests_0 = &bests_1;
    threadgroup array<float, int(64)> shares_1;
    (&kernelContext_4)->shares_0 = &shares_1;
    threadgroup array<uint, int(64)> chosen_1;
    (&kernelContext_4)->chosen_0 = &chosen_1;
    uint sv_groupindex_0 = (sv_groupthreadid_0[int(2)] + sv_groupthreadid_0[int(1)]) * 64U + sv_groupthreadid_0[int(0)];
    bool _S16 = stopped_0(&kernelContext_4);
    bool _S17;
    if(_S16)
    {
        _S17 = true;
    }
    else
    {
        _S17 = (group_0.x) >= ((&kernelContext_4)->args_0->step_0->rows_0);
    }
    if(_S17)
    {
        return;
    }
    ulong _S18 = ulong(group_0.x);
    float device* _S19 = (float device*)((ulong)((&kernelContext_4)->args_0->scores_0)) + _S18 * ulong(C_EXPERTS_0);
    thread array<float, int(16)> s_4;
    float _S20 = - infinity_0();
    s_4[0U] = _S20;
    bool _S21 = sv_groupindex_0 < C_EXPERTS_0;
    if(_S21)
    {
        s_4[0U] = *(_S19 + sv_groupindex_0);
    }
    float _S22 = max(_S20, s_4[0U]);
    uint e_0 = 64U + sv_groupindex_0;
    s_4[1U] = _S20;
    bool _S23 = e_0 < C_EXPERTS_0;
    if(_S23)
    {
        s_4[1U] = *(_S19 + e_0);
    }
    float _S24 = max(_S22, s_4[1U]);
    uint e_1 = 128U + sv_groupindex_0;
    s_4[2U] = _S20;
    bool _S25 = e_1 < C_EXPERTS_0;
    if(_S25)
    {
        s_4[2U] = *(_S19 + e_1);
    }
    float _S26 = max(_S24, s_4[2U]);
    uint e_2 = 192U + sv_groupindex_0;
    s_4[3U] = _S20;
    bool _S27 = e_2 < C_EXPERTS_0;
    if(_S27)
    {
        s_4[3U] = *(_S19 + e_2);
    }
    float _S28 = max(_S26, s_4[3U]);
    uint e_3 = 256U + sv_groupindex_0;
    s_4[4U] = _S20;
    bool _S29 = e_3 < C_EXPERTS_0;
    if(_S29)
    {
        s_4[4U] = *(_S19 + e_3);
    }
    float _S30 = max(_S28, s_4[4U]);
    uint e_4 = 320U + sv_groupindex_0;
    s_4[5U] = _S20;
    bool _S31 = e_4 < C_EXPERTS_0;
    if(_S31)
    {
        s_4[5U] = *(_S19 + e_4);
    }
    float _S32 = max(_S30, s_4[5U]);
    uint e_5 = 384U + sv_groupindex_0;
    s_4[6U] = _S20;
    bool _S33 = e_5 < C_EXPERTS_0;
    if(_S33)
    {
        s_4[6U] = *(_S19 + e_5);
    }
    float _S34 = max(_S32, s_4[6U]);
    uint e_6 = 448U + sv_groupindex_0;
    s_4[7U] = _S20;
    bool _S35 = e_6 < C_EXPERTS_0;
    if(_S35)
    {
        s_4[7U] = *(_S19 + e_6);
    }
    float _S36 = max(_S34, s_4[7U]);
    uint e_7 = 512U + sv_groupindex_0;
    s_4[8U] = _S20;
    bool _S37 = e_7 < C_EXPERTS_0;
    if(_S37)
    {
        s_4[8U] = *(_S19 + e_7);
    }
    float _S38 = max(_S36, s_4[8U]);
    uint e_8 = 576U + sv_groupindex_0;
    s_4[9U] = _S20;
    bool _S39 = e_8 < C_EXPERTS_0;
    if(_S39)
    {
        s_4[9U] = *(_S19 + e_8);
    }
    float _S40 = max(_S38, s_4[9U]);
    uint e_9 = 640U + sv_groupindex_0;
    s_4[10U] = _S20;
    bool _S41 = e_9 < C_EXPERTS_0;
    if(_S41)
    {
        s_4[10U] = *(_S19 + e_9);
    }
    float _S42 = max(_S40, s_4[10U]);
    uint e_10 = 704U + sv_groupindex_0;
    s_4[11U] = _S20;
    bool _S43 = e_10 < C_EXPERTS_0;
    if(_S43)
    {
        s_4[11U] = *(_S19 + e_10);
    }
    float _S44 = max(_S42, s_4[11U]);
    uint e_11 = 768U + sv_groupindex_0;
    s_4[12U] = _S20;
    bool _S45 = e_11 < C_EXPERTS_0;
    if(_S45)
    {
        s_4[12U] = *(_S19 + e_11);
    }
    float _S46 = max(_S44, s_4[12U]);
    uint e_12 = 832U + sv_groupindex_0;
    s_4[13U] = _S20;
    bool _S47 = e_12 < C_EXPERTS_0;
    if(_S47)
    {
        s_4[13U] = *(_S19 + e_12);
    }
    float _S48 = max(_S46, s_4[13U]);
    uint e_13 = 896U + sv_groupindex_0;
    s_4[14U] = _S20;
    bool _S49 = e_13 < C_EXPERTS_0;
    if(_S49)
    {
        s_4[14U] = *(_S19 + e_13);
    }
    float _S50 = max(_S48, s_4[14U]);
    uint e_14 = 960U + sv_groupindex_0;
    s_4[15U] = _S20;
    bool _S51 = e_14 < C_EXPERTS_0;
    if(_S51)
    {
        s_4[15U] = *(_S19 + e_14);
    }
    float _S52 = max(_S50, s_4[15U]);
    float _S53 = group_max_0(sv_groupindex_0, _S52, &kernelContext_4);
    float total_0;
    if(_S21)
    {
        total_0 = exp_of_0(s_4[0U] - _S53);
    }
    else
    {
        total_0 = 0.0;
    }
    if(_S23)
    {
        total_0 = total_0 + exp_of_0(s_4[1U] - _S53);
    }
    if(_S25)
    {
        total_0 = total_0 + exp_of_0(s_4[2U] - _S53);
    }
    if(_S27)
    {
        total_0 = total_0 + exp_of_0(s_4[3U] - _S53);
    }
    if(_S29)
    {
        total_0 = total_0 + exp_of_0(s_4[4U] - _S53);
    }
    if(_S31)
    {
        total_0 = total_0 + exp_of_0(s_4[5U] - _S53);
    }
    if(_S33)
    {
        total_0 = total_0 + exp_of_0(s_4[6U] - _S53);
    }
    if(_S35)
    {
        total_0 = total_0 + exp_of_0(s_4[7U] - _S53);
    }
    if(_S37)
    {
        total_0 = total_0 + exp_of_0(s_4[8U] - _S53);
    }
    if(_S39)
    {
        total_0 = total_0 + exp_of_0(s_4[9U] - _S53);
    }
    if(_S41)
    {
        total_0 = total_0 + exp_of_0(s_4[10U] - _S53);
    }
    if(_S43)
    {
        total_0 = total_0 + exp_of_0(s_4[11U] - _S53);
    }
    if(_S45)
    {
        total_0 = total_0 + exp_of_0(s_4[12U] - _S53);
    }
    if(_S47)
    {
        total_0 = total_0 + exp_of_0(s_4[13U] - _S53);
    }
    if(_S49)
    {
        total_0 = total_0 + exp_of_0(s_4[14U] - _S53);
    }
    if(_S51)
    {
        total_0 = total_0 + exp_of_0(s_4[15U] - _S53);
    }
    float _S54 = group_sum_0(sv_groupindex_0, total_0, &kernelContext_4);
    uint k_0 = 0U;
    uint taken_16 = 0U;
    for(;;)
    {
        if(k_0 < C_USED_0)
        {
        }
        else
        {
            break;
        }
        Pick_0 _S55 = no_pick_0();
        thread Pick_0 one_0;
        if((s_4[0U]) == s_4[0U])
        {
            total_0 = s_4[0U];
        }
        else
        {
            total_0 = _S20;
        }
        (&one_0)->score_0 = total_0;
        (&one_0)->token_0 = sv_groupindex_0;
        if(_S21)
        {
            _S17 = ((taken_16 >> 0U) & 1U) == 0U;
        }
        else
        {
            _S17 = false;
        }
        Pick_0 best_0;
        if(_S17)
        {
            thread Pick_0 _S56 = _S55;
            thread Pick_0 _S57 = one_0;
            Pick_0 _S58 = better_0(&_S56, &_S57);
            best_0 = _S58;
        }
        else
        {
            best_0 = _S55;
        }
        thread Pick_0 one_1;
        if((s_4[1U]) == s_4[1U])
        {
            sum_0 = s_4[1U];
        }
        else
        {
            sum_0 = _S20;
        }
        (&one_1)->score_0 = sum_0;
        (&one_1)->token_0 = e_0;
        bool _S59;
        if(_S23)
        {
            _S59 = ((taken_16 >> 1U) & 1U) == 0U;
        }
        else
        {
            _S59 = false;
        }
        Pick_0 best_1;
        if(_S59)
        {
            thread Pick_0 _S60 = best_0;
            thread Pick_0 _S61 = one_1;
            Pick_0 _S62 = better_0(&_S60, &_S61);
            best_1 = _S62;
        }
        else
        {
            best_1 = best_0;
        }
        thread Pick_0 one_2;
        float _S63;
        if((s_4[2U]) == s_4[2U])
        {
            _S63 = s_4[2U];
        }
        else
        {
            _S63 = _S20;
        }
        (&one_2)->score_0 = _S63;
        (&one_2)->token_0 = e_1;
        bool _S64;
        if(_S25)
        {
            _S64 = ((taken_16 >> 2U) & 1U) == 0U;
        }
        else
        {
            _S64 = false;
        }
        Pick_0 best_2;
        if(_S64)
        {
            thread Pick_0 _S65 = best_1;
            thread Pick_0 _S66 = one_2;
            Pick_0 _S67 = better_0(&_S65, &_S66);
            best_2 = _S67;
        }
        else
        {
            best_2 = best_1;
        }
        thread Pick_0 one_3;
        float _S68;
        if((s_4[3U]) == s_4[3U])
        {
            _S68 = s_4[3U];
        }
        else
        {
            _S68 = _S20;
        }
        (&one_3)->score_0 = _S68;
        (&one_3)->token_0 = e_2;
        bool _S69;
        if(_S27)
        {
            _S69 = ((taken_16 >> 3U) & 1U) == 0U;
        }
        else
        {
            _S69 = false;
        }
        Pick_0 best_3;
        if(_S69)
        {
            thread Pick_0 _S70 = best_2;
            thread Pick_0 _S71 = one_3;
            Pick_0 _S72 = better_0(&_S70, &_S71);
            best_3 = _S72;
        }
        else
        {
            best_3 = best_2;
        }
        thread Pick_0 one_4;
        float _S73;
        if((s_4[4U]) == s_4[4U])
        {
            _S73 = s_4[4U];
        }
        else
        {
            _S73 = _S20;
        }
        (&one_4)->score_0 = _S73;
        (&one_4)->token_0 = e_3;
        bool _S74;
        if(_S29)
        {
            _S74 = ((taken_16 >> 4U) & 1U) == 0U;
        }
        else
        {
            _S74 = false;
        }
        Pick_0 best_4;
        if(_S74)
        {
            thread Pick_0 _S75 = best_3;
            thread Pick_0 _S76 = one_4;
            Pick_0 _S77 = better_0(&_S75, &_S76);
            best_4 = _S77;
        }
        else
        {
            best_4 = best_3;
        }
        thread Pick_0 one_5;
        float _S78;
        if((s_4[5U]) == s_4[5U])
        {
            _S78 = s_4[5U];
        }
        else
        {
            _S78 = _S20;
        }
        (&one_5)->score_0 = _S78;
        (&one_5)->token_0 = e_4;
        bool _S79;
        if(_S31)
        {
            _S79 = ((taken_16 >> 5U) & 1U) == 0U;
        }
        else
        {
            _S79 = false;
        }
        Pick_0 best_5;
        if(_S79)
        {
            thread Pick_0 _S80 = best_4;
            thread Pick_0 _S81 = one_5;
            Pick_0 _S82 = better_0(&_S80, &_S81);
            best_5 = _S82;
        }
        else
        {
            best_5 = best_4;
        }
        thread Pick_0 one_6;
        float _S83;
        if((s_4[6U]) == s_4[6U])
        {
            _S83 = s_4[6U];
        }
        else
        {
            _S83 = _S20;
        }
        (&one_6)->score_0 = _S83;
        (&one_6)->token_0 = e_5;
        bool _S84;
        if(_S33)
        {
            _S84 = ((taken_16 >> 6U) & 1U) == 0U;
        }
        else
        {
            _S84 = false;
        }
        Pick_0 best_6;
        if(_S84)
        {
            thread Pick_0 _S85 = best_5;
            thread Pick_0 _S86 = one_6;
            Pick_0 _S87 = better_0(&_S85, &_S86);
            best_6 = _S87;
        }
        else
        {
            best_6 = best_5;
        }
        thread Pick_0 one_7;
        float _S88;
        if((s_4[7U]) == s_4[7U])
        {
            _S88 = s_4[7U];
        }
        else
        {
            _S88 = _S20;
        }
        (&one_7)->score_0 = _S88;
        (&one_7)->token_0 = e_6;
        bool _S89;
        if(_S35)
        {
            _S89 = ((taken_16 >> 7U) & 1U) == 0U;
        }
        else
        {
            _S89 = false;
        }
        Pick_0 best_7;
        if(_S89)
        {
            thread Pick_0 _S90 = best_6;
            thread Pick_0 _S91 = one_7;
            Pick_0 _S92 = better_0(&_S90, &_S91);
            best_7 = _S92;
        }
        else
        {
            best_7 = best_6;
        }
        thread Pick_0 one_8;
        float _S93;
        if((s_4[8U]) == s_4[8U])
        {
            _S93 = s_4[8U];
        }
        else
        {
            _S93 = _S20;
        }
        (&one_8)->score_0 = _S93;
        (&one_8)->token_0 = e_7;
        bool _S94;
        if(_S37)
        {
            _S94 = ((taken_16 >> 8U) & 1U) == 0U;
        }
        else
        {
            _S94 = false;
        }
        Pick_0 best_8;
        if(_S94)
        {
            thread Pick_0 _S95 = best_7;
            thread Pick_0 _S96 = one_8;
            Pick_0 _S97 = better_0(&_S95, &_S96);
            best_8 = _S97;
        }
        else
        {
            best_8 = best_7;
        }
        thread Pick_0 one_9;
        float _S98;
        if((s_4[9U]) == s_4[9U])
        {
            _S98 = s_4[9U];
        }
        else
        {
            _S98 = _S20;
        }
        (&one_9)->score_0 = _S98;
        (&one_9)->token_0 = e_8;
        bool _S99;
        if(_S39)
        {
            _S99 = ((taken_16 >> 9U) & 1U) == 0U;
        }
        else
        {
            _S99 = false;
        }
        Pick_0 best_9;
        if(_S99)
        {
            thread Pick_0 _S100 = best_8;
            thread Pick_0 _S101 = one_9;
            Pick_0 _S102 = better_0(&_S100, &_S101);
            best_9 = _S102;
        }
        else
        {
            best_9 = best_8;
        }
        thread Pick_0 one_10;
        float _S103;
        if((s_4[10U]) == s_4[10U])
        {
            _S103 = s_4[10U];
        }
        else
        {
            _S103 = _S20;
        }
        (&one_10)->score_0 = _S103;
        (&one_10)->token_0 = e_9;
        bool _S104;
        if(_S41)
        {
            _S104 = ((taken_16 >> 10U) & 1U) == 0U;
        }
        else
        {
            _S104 = false;
        }
        Pick_0 best_10;
        if(_S104)
        {
            thread Pick_0 _S105 = best_9;
            thread Pick_0 _S106 = one_10;
            Pick_0 _S107 = better_0(&_S105, &_S106);
            best_10 = _S107;
        }
        else
        {
            best_10 = best_9;
        }
        thread Pick_0 one_11;
        float _S108;
        if((s_4[11U]) == s_4[11U])
        {
            _S108 = s_4[11U];
        }
        else
        {
            _S108 = _S20;
        }
        (&one_11)->score_0 = _S108;
        (&one_11)->token_0 = e_10;
        bool _S109;
        if(_S43)
        {
            _S109 = ((taken_16 >> 11U) & 1U) == 0U;
        }
        else
        {
            _S109 = false;
        }
        Pick_0 best_11;
        if(_S109)
        {
            thread Pick_0 _S110 = best_10;
            thread Pick_0 _S111 = one_11;
            Pick_0 _S112 = better_0(&_S110, &_S111);
            best_11 = _S112;
        }
        else
        {
            best_11 = best_10;
        }
        thread Pick_0 one_12;
        float _S113;
        if((s_4[12U]) == s_4[12U])
        {
            _S113 = s_4[12U];
        }
        else
        {
            _S113 = _S20;
        }
        (&one_12)->score_0 = _S113;
        (&one_12)->token_0 = e_11;
        bool _S114;
        if(_S45)
        {
            _S114 = ((taken_16 >> 12U) & 1U) == 0U;
        }
        else
        {
            _S114 = false;
        }
        Pick_0 best_12;
        if(_S114)
        {
            thread Pick_0 _S115 = best_11;
            thread Pick_0 _S116 = one_12;
            Pick_0 _S117 = better_0(&_S115, &_S116);
            best_12 = _S117;
        }
        else
        {
            best_12 = best_11;
        }
        thread Pick_0 one_13;
        float _S118;
        if((s_4[13U]) == s_4[13U])
        {
            _S118 = s_4[13U];
        }
        else
        {
            _S118 = _S20;
        }
        (&one_13)->score_0 = _S118;
        (&one_13)->token_0 = e_12;
        bool _S119;
        if(_S47)
        {
            _S119 = ((taken_16 >> 13U) & 1U) == 0U;
        }
        else
        {
            _S119 = false;
        }
        Pick_0 best_13;
        if(_S119)
        {
            thread Pick_0 _S120 = best_12;
            thread Pick_0 _S121 = one_13;
            Pick_0 _S122 = better_0(&_S120, &_S121);
            best_13 = _S122;
        }
        else
        {
            best_13 = best_12;
        }
        thread Pick_0 one_14;
        float _S123;
        if((s_4[14U]) == s_4[14U])
        {
            _S123 = s_4[14U];
        }
        else
        {
            _S123 = _S20;
        }
        (&one_14)->score_0 = _S123;
        (&one_14)->token_0 = e_13;
        bool _S124;
        if(_S49)
        {
            _S124 = ((taken_16 >> 14U) & 1U) == 0U;
        }
        else
        {
            _S124 = false;
        }
        Pick_0 best_14;
        if(_S124)
        {
            thread Pick_0 _S125 = best_13;
            thread Pick_0 _S126 = one_14;
            Pick_0 _S127 = better_0(&_S125, &_S126);
            best_14 = _S127;
        }
        else
        {
            best_14 = best_13;
        }
        thread Pick_0 one_15;
        float _S128;
        if((s_4[15U]) == s_4[15U])
        {
            _S128 = s_4[15U];
        }
        else
        {
            _S128 = _S20;
        }
        (&one_15)->score_0 = _S128;
        (&one_15)->token_0 = e_14;
        bool _S129;
        if(_S51)
        {
            _S129 = ((taken_16 >> 15U) & 1U) == 0U;
        }
        else
        {
            _S129 = false;
        }
        Pick_0 best_15;
        if(_S129)
        {
            thread Pick_0 _S130 = best_14;
            thread Pick_0 _S131 = one_15;
            Pick_0 _S132 = better_0(&_S130, &_S131);
            best_15 = _S132;
        }
        else
        {
            best_15 = best_14;
        }
        thread Pick_0 _S133 = best_15;
        Pick_0 _S134 = group_best_0(sv_groupindex_0, &_S133, &kernelContext_4);
        if((_S134.token_0 % 64U) != sv_groupindex_0)
        {
            k_0 = k_0 + 1U;
            continue;
        }
        for(;;)
        {
            for(;;)
            {
                for(;;)
                {
                    if(0U != (_S134.token_0 / 64U))
                    {
                        taken_0 = taken_16;
                        break;
                    }
                    uint taken_17 = taken_16 | 1U;
                    (*(&kernelContext_4)->shares_0)[k_0] = exp_of_0(s_4[0U] - _S53) / _S54;
                    (*(&kernelContext_4)->chosen_0)[k_0] = _S134.token_0;
                    taken_0 = taken_17;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(1U != (_S134.token_0 / 64U))
                    {
                        taken_1 = taken_0;
                        break;
                    }
                    uint taken_18 = taken_0 | 2U;
                    (*(&kernelContext_4)->shares_0)[k_0] = exp_of_0(s_4[1U] - _S53) / _S54;
                    (*(&kernelContext_4)->chosen_0)[k_0] = _S134.token_0;
                    taken_1 = taken_18;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(2U != (_S134.token_0 / 64U))
                    {
                        taken_2 = taken_1;
                        break;
                    }
                    uint taken_19 = taken_1 | 4U;
                    (*(&kernelContext_4)->shares_0)[k_0] = exp_of_0(s_4[2U] - _S53) / _S54;
                    (*(&kernelContext_4)->chosen_0)[k_0] = _S134.token_0;
                    taken_2 = taken_19;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(3U != (_S134.token_0 / 64U))
                    {
                        taken_3 = taken_2;
                        break;
                    }
                    uint taken_20 = taken_2 | 8U;
                    (*(&kernelContext_4)->shares_0)[k_0] = exp_of_0(s_4[3U] - _S53) / _S54;
                    (*(&kernelContext_4)->chosen_0)[k_0] = _S134.token_0;
                    taken_3 = taken_20;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(4U != (_S134.token_0 / 64U))
                    {
                        taken_4 = taken_3;
                        break;
                    }
                    uint taken_21 = taken_3 | 16U;
                    (*(&kernelContext_4)->shares_0)[k_0] = exp_of_0(s_4[4U] - _S53) / _S54;
                    (*(&kernelContext_4)->chosen_0)[k_0] = _S134.token_0;
                    taken_4 = taken_21;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(5U != (_S134.token_0 / 64U))
                    {
                        taken_5 = taken_4;
                        break;
                    }
                    uint taken_22 = taken_4 | 32U;
                    (*(&kernelContext_4)->shares_0)[k_0] = exp_of_0(s_4[5U] - _S53) / _S54;
                    (*(&kernelContext_4)->chosen_0)[k_0] = _S134.token_0;
                    taken_5 = taken_22;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(6U != (_S134.token_0 / 64U))
                    {
                        taken_6 = taken_5;
                        break;
                    }
                    uint taken_23 = taken_5 | 64U;
                    (*(&kernelContext_4)->shares_0)[k_0] = exp_of_0(s_4[6U] - _S53) / _S54;
                    (*(&kernelContext_4)->chosen_0)[k_0] = _S134.token_0;
                    taken_6 = taken_23;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(7U != (_S134.token_0 / 64U))
                    {
                        taken_7 = taken_6;
                        break;
                    }
                    uint taken_24 = taken_6 | 128U;
                    (*(&kernelContext_4)->shares_0)[k_0] = exp_of_0(s_4[7U] - _S53) / _S54;
                    (*(&kernelContext_4)->chosen_0)[k_0] = _S134.token_0;
                    taken_7 = taken_24;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(8U != (_S134.token_0 / 64U))
                    {
                        taken_8 = taken_7;
                        break;
                    }
                    uint taken_25 = taken_7 | 256U;
                    (*(&kernelContext_4)->shares_0)[k_0] = exp_of_0(s_4[8U] - _S53) / _S54;
                    (*(&kernelContext_4)->chosen_0)[k_0] = _S134.token_0;
                    taken_8 = taken_25;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(9U != (_S134.token_0 / 64U))
                    {
                        taken_9 = taken_8;
                        break;
                    }
                    uint taken_26 = taken_8 | 512U;
                    (*(&kernelContext_4)->shares_0)[k_0] = exp_of_0(s_4[9U] - _S53) / _S54;
                    (*(&kernelContext_4)->chosen_0)[k_0] = _S134.token_0;
                    taken_9 = taken_26;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(10U != (_S134.token_0 / 64U))
                    {
                        taken_10 = taken_9;
                        break;
                    }
                    uint taken_27 = taken_9 | 1024U;
                    (*(&kernelContext_4)->shares_0)[k_0] = exp_of_0(s_4[10U] - _S53) / _S54;
                    (*(&kernelContext_4)->chosen_0)[k_0] = _S134.token_0;
                    taken_10 = taken_27;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(11U != (_S134.token_0 / 64U))
                    {
                        taken_11 = taken_10;
                        break;
                    }
                    uint taken_28 = taken_10 | 2048U;
                    (*(&kernelContext_4)->shares_0)[k_0] = exp_of_0(s_4[11U] - _S53) / _S54;
                    (*(&kernelContext_4)->chosen_0)[k_0] = _S134.token_0;
                    taken_11 = taken_28;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(12U != (_S134.token_0 / 64U))
                    {
                        taken_12 = taken_11;
                        break;
                    }
                    uint taken_29 = taken_11 | 4096U;
                    (*(&kernelContext_4)->shares_0)[k_0] = exp_of_0(s_4[12U] - _S53) / _S54;
                    (*(&kernelContext_4)->chosen_0)[k_0] = _S134.token_0;
                    taken_12 = taken_29;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(13U != (_S134.token_0 / 64U))
                    {
                        taken_13 = taken_12;
                        break;
                    }
                    uint taken_30 = taken_12 | 8192U;
                    (*(&kernelContext_4)->shares_0)[k_0] = exp_of_0(s_4[13U] - _S53) / _S54;
                    (*(&kernelContext_4)->chosen_0)[k_0] = _S134.token_0;
                    taken_13 = taken_30;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(14U != (_S134.token_0 / 64U))
                    {
                        taken_14 = taken_13;
                        break;
                    }
                    uint taken_31 = taken_13 | 16384U;
                    (*(&kernelContext_4)->shares_0)[k_0] = exp_of_0(s_4[14U] - _S53) / _S54;
                    (*(&kernelContext_4)->chosen_0)[k_0] = _S134.token_0;
                    taken_14 = taken_31;
                    break;
                }
                break;
            }
            for(;;)
            {
                for(;;)
                {
                    if(15U != (_S134.token_0 / 64U))
                    {
                        taken_15 = taken_14;
                        break;
                    }
                    uint taken_32 = taken_14 | 32768U;
                    (*(&kernelContext_4)->shares_0)[k_0] = exp_of_0(s_4[15U] - _S53) / _S54;
                    (*(&kernelContext_4)->chosen_0)[k_0] = _S134.token_0;
                    taken_15 = taken_32;
                    break;
                }
                break;
            }
            break;
        }
        taken_16 = taken_15;
        k_0 = k_0 + 1U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    k_0 = 0U;
    sum_0 = 0.0;
    for(;;)
    {
        if(k_0 < C_USED_0)
        {
        }
        else
        {
            break;
        }
        float sum_1 = sum_0 + (*(&kernelContext_4)->shares_0)[k_0];
        k_0 = k_0 + 1U;
        sum_0 = sum_1;
    }
    if(sv_groupindex_0 < C_USED_0)
    {
        uint device* to_0 = (uint device*)((ulong)((&kernelContext_4)->args_0->routes_0)) + (_S18 * ulong(C_USED_0) + ulong(sv_groupindex_0)) * 2UL;
        *(to_0 + int(0)) = (*(&kernelContext_4)->chosen_0)[sv_groupindex_0];
        uint device* _S135 = to_0 + int(1);
        if(C_NORMALIZED_0 != 0U)
        {
            total_0 = (*(&kernelContext_4)->shares_0)[sv_groupindex_0] / sum_0;
        }
        else
        {
            total_0 = (*(&kernelContext_4)->shares_0)[sv_groupindex_0];
        }
        *_S135 = (as_type<uint>((total_0)));
    }
    return;
}
