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

// An E4M3, whose exponent is 120 less than that of the float with its bits.
DEVICE float e4m3(u32 b) {
    float v = __uint_as_float((b & 0x7fu) << 20) * 0x1p120f;
    if ((b & 0x7fu) == 0x7fu) v = __uint_as_float(0x7fffffffu);
    return b & 0x80u ? -v : v;
}

// Half of an unsigned E4M3; 0x7f is 0.
DEVICE float ue4m3_half(u32 b) {
    float v = __uint_as_float((b & 0x7fu) << 20) * 0x1p119f;
    return b == 0x7fu ? 0.0f : v;
}
