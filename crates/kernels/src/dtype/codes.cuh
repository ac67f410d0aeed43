// Tables, small floats and bit streams that weight formats are made of.

DEVICE u32 permute(u32 a, u32 b, u32 selector) {
    u32 d;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(selector));
    return d;
}

// A table of sixteen signed bytes for codes that are places in it.
template <u32 T0, u32 T1, u32 T2, u32 T3>
struct Table {
    // Eight nibbles become two words of bytes.
    DEVICE static void look_up(u32 q, u32& first, u32& second) {
        // A selector's upper bit would spread a sign.
        u32 place = q & 0x77777777u, half = (q >> 1 & 0x44444444u) | 0x32103210u;
        first = permute(permute(T0, T1, place), permute(T2, T3, place), half);
        place >>= 16, half >>= 16;
        second = permute(permute(T0, T1, place), permute(T2, T3, place), half);
    }
};

// iq4.rs and microscaling.rs: the values, and twice the values.
typedef Table<0xbfad9881u, 0xf6eaddcfu, 0x26190d01u, 0x71594535u> Iq4Table;
typedef Table<0x03020100u, 0x0c080604u, 0xfdfeff00u, 0xf4f8fafcu> E2m1Table;

// Number `i` of a little-endian stream of six-bit numbers.
DEVICE u32 six_bits(u32 v, u32 i) {
    return v >> (6 * i) & 63u;
}

// 2^(e - 127), halved.
DEVICE float e8m0_half(u32 e) {
    return __uint_as_float(e < 2 ? 0x00200000u << e : (e - 1) << 23);
}

DEVICE float e8m0(u32 e) {
    return __uint_as_float(e == 0 ? 0x00400000u : e << 23);
}

// Four E4M3 of a word. None is NaN: files with any are refused.
DEVICE void e4m3(u32 q, float* v) {
#pragma unroll
    for (u32 i = 0; i < 2; i++) {
        u32 two;
#if SM >= 89
        asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(two) : "h"((u16)(q >> (16 * i))));
#else
        // One place lower in an f16, whose exponent is 8 more, also where it is subnormal. Multiplying by 256 is exact.
        u32 high = permute(q, 0, i == 0 ? 0x1404u : 0x3424u), bits = (high >> 1 & 0x3f803f80u) | (high & 0x80008000u);
        asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(two) : "r"(bits), "r"(0x5c005c00u));
#endif
        v[2 * i] = f16_to_f32((u16)two), v[2 * i + 1] = f16_to_f32((u16)(two >> 16));
    }
}

// Half of an unsigned E4M3; 0x7f is 0.
DEVICE float ue4m3_half(u32 b) {
    float v = __uint_as_float((b & 0x7fu) << 20) * 0x1p119f;
    return b == 0x7fu ? 0.0f : v;
}
