// A logit's place in the order of all, and probability as whole numbers: as in chain.rs and mass.rs.
constexpr u64 LOWEST = 0x00800000ull << 32;

DEVICE u64 key_of(float logit, u32 id) {
    return (u64)score_order(logit) << 32 | (u32)~id;
}

DEVICE float logit_of(u64 key) {
    u32 order = (u32)(key >> 32);
    return __uint_as_float(order & 0x80000000u ? order & 0x7fffffffu : ~order);
}

DEVICE u64 mass(float y) {
    if (!(y >= -28.0f)) return 0;
    float n = __fadd_rn(__fadd_rn(__fmul_rn(y, 1.44269504f), 12582912.0f), -12582912.0f);
    float f = __fsub_rn(__fsub_rn(y, __fmul_rn(n, 0.693359375f)), __fmul_rn(n, -2.1219444e-4f));
    float q = times_plus(0.0013937184f, f, 0.008365537f);
    q = times_plus(q, f, 0.041666433f), q = times_plus(q, f, 0.16666563f), q = times_plus(q, f, 0.5f);
    float p = __fadd_rn(times_plus(q, __fmul_rn(f, f), f), 1.0f);
    return (u64)__float2uint_rz(__fmul_rn(p, 1073741824.0f)) << 10 >> -(i32)n;
}
