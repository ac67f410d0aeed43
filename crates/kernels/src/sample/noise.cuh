// Gumbel noise as in noise.rs: each operation is one rounding, none is fused, so the bits are those of the CPU.
DEVICE u64 mix(u64 z) {
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

DEVICE float times_plus(float a, float b, float c) {
    return __fadd_rn(__fmul_rn(a, b), c);
}

DEVICE float ln_near_1(float x) {
    float q = 0.07147729f;
    q = times_plus(q, x, -0.11570767f), q = times_plus(q, x, 0.116619974f), q = times_plus(q, x, -0.12411125f);
    q = times_plus(q, x, 0.14249897f), q = times_plus(q, x, -0.16668476f), q = times_plus(q, x, 0.20000708f);
    q = times_plus(q, x, -0.2499999f), q = times_plus(q, x, 0.33333331f);
    return __fadd_rn(x, __fmul_rn(__fmul_rn(x, x), times_plus(q, x, -0.5f)));
}

DEVICE float ln(float x) {
    u32 bits = __float_as_uint(x);
    i32 e = (i32)(bits - 0x3f3504f3u) >> 23;
    float m = __uint_as_float(bits - ((u32)e << 23)), f = (float)e;
    float low = __fadd_rn(ln_near_1(__fadd_rn(m, -1.0f)), __fmul_rn(f, -2.1219444e-4f));
    return __fadd_rn(low, __fmul_rn(f, 0.693359375f));
}

// `seed` is mixed already.
DEVICE u32 noise_bits(u64 seed, u32 pos, u32 token) {
    return (u32)(mix(seed ^ ((u64)pos << 32 | token)) >> 32);
}

DEVICE float gumbel(u64 seed, u32 pos, u32 token) {
    constexpr float UNIT = 1.0f / 4294967296.0f;
    u32 bits = noise_bits(seed, pos, token);
    bool small = bits < 1u << 30;
    float v = __fmul_rn(__fadd_rn((float)(small ? bits : ~bits), 0.5f), UNIT);
    return -ln(-(small ? ln_near_1(-v) : ln(v)));
}
