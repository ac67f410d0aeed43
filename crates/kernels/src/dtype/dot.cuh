// How each weight format is read and multiplied by one thread: `Weights<DT>` is what 16 bytes of quants need in
// registers, `load` fetches them, `dot` multiplies them with staged activations. A format is one struct here.
//
// A matrix row is cut into chunks of 16 bytes of quants; chunk c of a row covers COUNT columns. K is the width, N the
// number of rows of the whole matrix (planes.rs: the scales lie behind all quants).

DEVICE int dp4a_us(u32 a, u32 b, int c) {  // unsigned bytes times signed bytes
    int d;
    asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

DEVICE int dp4a_ss(u32 a, u32 b, int c) {
    int d;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

DEVICE u16 load_u16(const u8* p) {
    u16 v;
    asm volatile("ld.global.nc.u16 %0, [%1];" : "=h"(v) : "l"(p));
    return v;
}

DEVICE u32 load_u32(const u8* p) {
    u32 v;
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}

// --- Staged activations ---
//
// For float weights: f32, values 8i..8i+3 of all i, then values 8i+4..8i+7, so that neighbouring threads read
// neighbouring 16 bytes. For quantized weights: 16-bit integers with one scale per 32 values, as two signed bytes
// (value = scale * (256 high + low)): a dot product of bytes is one instruction for four columns, and two of them
// keep the activation to 16 bits, at which its rounding is far below that of any weight format.

template <u32 K>
struct Ints {
    static constexpr u32 BLOCKS = K / 32;
    // Planes start 64 bytes apart in the banks, so that reading two of them side by side does not collide.
    static constexpr u32 PLANE = (BLOCKS * 16 + 127) / 128 * 128 + 64;
    static constexpr u32 BYTES = 4 * PLANE + BLOCKS * 16;
    struct Meta {
        float scale;
        int sum0, sum1;  // of each half's integers
        u32 unused;
    };

    // One thread's four values of a block of 32; eight neighbouring threads have one block. All threads of a warp
    // call this together, also those outside the row.
    static DEVICE void put(u8* s, u32 at, float4 v, bool inside) {
        u32 m = max(max(__float_as_uint(v.x) & 0x7fffffffu, __float_as_uint(v.y) & 0x7fffffffu),
                    max(__float_as_uint(v.z) & 0x7fffffffu, __float_as_uint(v.w) & 0x7fffffffu));
#pragma unroll
        for (int o = 4; o; o >>= 1) m = max(m, __shfl_xor_sync(0xffffffffu, m, o));
        // The largest magnitude as bits: a NaN or infinity stays on top and makes the scale not finite.
        float top = __uint_as_float(m);
        bool tiny = top <= 1e-30f;
        float scale = tiny ? 0.0f : top * (1.0f / 32512.0f);
        float inverse = tiny ? 0.0f : __fdividef(32512.0f, top);
        int q0 = __float2int_rn(v.x * inverse), q1 = __float2int_rn(v.y * inverse);
        int q2 = __float2int_rn(v.z * inverse), q3 = __float2int_rn(v.w * inverse);
        int h0 = (q0 + 128) >> 8, h1 = (q1 + 128) >> 8, h2 = (q2 + 128) >> 8, h3 = (q3 + 128) >> 8;
        u32 high = (h0 & 255) | (h1 & 255) << 8 | (h2 & 255) << 16 | (u32)h3 << 24;
        u32 low = (q0 & 255) | (q1 & 255) << 8 | (q2 & 255) << 16 | (u32)q3 << 24;
        u32 block = at / 32, half = at / 16 % 2, word = at / 4 % 4;
        u8* p = s + half * PLANE + block * 16 + word * 4;
        if (inside) {
            *reinterpret_cast<u32*>(p) = high;
            *reinterpret_cast<u32*>(p + 2 * PLANE) = low;
        }
        int sum = q0 + q1 + q2 + q3;
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        sum += __shfl_xor_sync(0xffffffffu, sum, 2);
        int other = __shfl_xor_sync(0xffffffffu, sum, 4);
        if (inside && at % 32 == 0) {
            Meta meta = {scale, sum, other, 0};
            reinterpret_cast<Meta*>(s + 4 * PLANE)[block] = meta;
        }
    }

    static DEVICE uint4 high(const u8* s, u32 block, u32 half) {
        return *reinterpret_cast<const uint4*>(s + half * PLANE + block * 16);
    }
    static DEVICE uint4 low(const u8* s, u32 block, u32 half) {
        return *reinterpret_cast<const uint4*>(s + (2 + half) * PLANE + block * 16);
    }
    static DEVICE Meta meta(const u8* s, u32 block) {
        uint4 v = *reinterpret_cast<const uint4*>(s + 4 * PLANE + block * 16);
        Meta m = {__uint_as_float(v.x), (int)v.y, (int)v.z, 0};
        return m;
    }
};

template <u32 K>
struct Floats {
    static constexpr u32 PLANE = (K / 8 * 16 + 127) / 128 * 128 + 64;
    static constexpr u32 BYTES = 2 * PLANE;

    static DEVICE void put(u8* s, u32 at, float4 v, bool inside) {
        if (inside) *reinterpret_cast<float4*>(s + at / 4 % 2 * PLANE + at / 8 * 16) = v;
    }
    static DEVICE float4 four(const u8* s, u32 chunk8, u32 half) {
        return *reinterpret_cast<const float4*>(s + half * PLANE + chunk8 * 16);
    }
};

// --- Formats ---

template <u32 DT, u32 K, u32 N>
struct Weights;

template <u32 K, u32 N>
struct Weights<DT_BF16, K, N> {
    using Staged = Floats<K>;
    static constexpr u32 COUNT = 8;
    static constexpr u32 ROW_BYTES = K * 2;
    uint4 q;
    struct Acts {
        float4 a, b;
    };
    static DEVICE Acts acts(const u8* s, u32 c) {
        return {Staged::four(s, c, 0), Staged::four(s, c, 1)};
    }
    DEVICE void load(const u8* w, u32 row, u32 c) {
        q = load_weights(w + (u64)row * ROW_BYTES + c * 16);
    }
    DEVICE float dot(const Acts& x, float acc, u32) const {
        acc = __fmaf_rn(bf16_low(q.x), x.a.x, acc);
        acc = __fmaf_rn(bf16_high(q.x), x.a.y, acc);
        acc = __fmaf_rn(bf16_low(q.y), x.a.z, acc);
        acc = __fmaf_rn(bf16_high(q.y), x.a.w, acc);
        acc = __fmaf_rn(bf16_low(q.z), x.b.x, acc);
        acc = __fmaf_rn(bf16_high(q.z), x.b.y, acc);
        acc = __fmaf_rn(bf16_low(q.w), x.b.z, acc);
        return __fmaf_rn(bf16_high(q.w), x.b.w, acc);
    }
};

template <u32 K, u32 N>
struct Weights<DT_F16, K, N> {
    using Staged = Floats<K>;
    static constexpr u32 COUNT = 8;
    static constexpr u32 ROW_BYTES = K * 2;
    uint4 q;
    struct Acts {
        float4 a, b;
    };
    static DEVICE Acts acts(const u8* s, u32 c) {
        return {Staged::four(s, c, 0), Staged::four(s, c, 1)};
    }
    DEVICE void load(const u8* w, u32 row, u32 c) {
        q = load_weights(w + (u64)row * ROW_BYTES + c * 16);
    }
    static DEVICE float low(u32 p) { return f16_to_f32((u16)p); }
    static DEVICE float high(u32 p) { return f16_to_f32((u16)(p >> 16)); }
    DEVICE float dot(const Acts& x, float acc, u32) const {
        acc = __fmaf_rn(low(q.x), x.a.x, acc);
        acc = __fmaf_rn(high(q.x), x.a.y, acc);
        acc = __fmaf_rn(low(q.y), x.a.z, acc);
        acc = __fmaf_rn(high(q.y), x.a.w, acc);
        acc = __fmaf_rn(low(q.z), x.b.x, acc);
        acc = __fmaf_rn(high(q.z), x.b.y, acc);
        acc = __fmaf_rn(low(q.w), x.b.z, acc);
        return __fmaf_rn(high(q.w), x.b.w, acc);
    }
};

template <u32 K, u32 N>
struct Weights<DT_F32, K, N> {
    using Staged = Floats<K>;
    static constexpr u32 COUNT = 4;
    static constexpr u32 ROW_BYTES = K * 4;
    uint4 q;
    struct Acts {
        float4 a;
    };
    static DEVICE Acts acts(const u8* s, u32 c) { return {Staged::four(s, c / 2, c % 2)}; }
    DEVICE void load(const u8* w, u32 row, u32 c) {
        q = load_weights(w + (u64)row * ROW_BYTES + c * 16);
    }
    DEVICE float dot(const Acts& x, float acc, u32) const {
        acc = __fmaf_rn(__uint_as_float(q.x), x.a.x, acc);
        acc = __fmaf_rn(__uint_as_float(q.y), x.a.y, acc);
        acc = __fmaf_rn(__uint_as_float(q.z), x.a.z, acc);
        return __fmaf_rn(__uint_as_float(q.w), x.a.w, acc);
    }
};

// Sums of nibbles (low halves of the bytes: columns 0..15, high halves: 16..31) times both bytes of the integers.
struct NibbleActs {
    uint4 h0, h1, l0, l1;
    float scale;
    int sum;
    DEVICE int dot(uint4 q) const {
        int h = 0, l = 0;
        u32 w[4] = {q.x, q.y, q.z, q.w}, a[4] = {h0.x, h0.y, h0.z, h0.w}, b[4] = {h1.x, h1.y, h1.z, h1.w};
        u32 c[4] = {l0.x, l0.y, l0.z, l0.w}, d[4] = {l1.x, l1.y, l1.z, l1.w};
#pragma unroll
        for (int i = 0; i < 4; i++) {
            u32 lo = w[i] & 0x0f0f0f0fu, hi = (w[i] >> 4) & 0x0f0f0f0fu;
            h = dp4a_us(hi, b[i], dp4a_us(lo, a[i], h));
            l = dp4a_us(hi, d[i], dp4a_us(lo, c[i], l));
        }
        return h * 256 + l;
    }
};

template <u32 K>
DEVICE NibbleActs nibble_acts(const u8* s, u32 c) {
    using S = Ints<K>;
    typename S::Meta m = S::meta(s, c);
    return {S::high(s, c, 0), S::high(s, c, 1), S::low(s, c, 0), S::low(s, c, 1), m.scale, m.sum0 + m.sum1};
}

template <u32 K, u32 N>
struct Weights<DT_Q4_0, K, N> {
    using Staged = Ints<K>;
    static constexpr u32 COUNT = 32;
    static constexpr u32 ROW_BYTES = K / 2;
    uint4 q;
    u16 d;
    using Acts = NibbleActs;
    static DEVICE Acts acts(const u8* s, u32 c) { return nibble_acts<K>(s, c); }
    DEVICE void load(const u8* w, u32 row, u32 c) {
        u64 block = (u64)row * (K / 32) + c;
        q = load_weights(w + block * 16);
        d = load_u16(w + (u64)N * (K / 2) + block * 2);
    }
    DEVICE float dot(const Acts& x, float acc, u32) const {
        return __fmaf_rn(f16_to_f32(d), __fmul_rn(x.scale, (float)(x.dot(q) - 8 * x.sum)), acc);
    }
};

template <u32 K, u32 N>
struct Weights<DT_Q4_1, K, N> {
    using Staged = Ints<K>;
    static constexpr u32 COUNT = 32;
    static constexpr u32 ROW_BYTES = K / 2;
    uint4 q;
    u32 dm;
    using Acts = NibbleActs;
    static DEVICE Acts acts(const u8* s, u32 c) { return nibble_acts<K>(s, c); }
    DEVICE void load(const u8* w, u32 row, u32 c) {
        u64 block = (u64)row * (K / 32) + c;
        q = load_weights(w + block * 16);
        dm = load_u32(w + (u64)N * (K / 2) + block * 4);
    }
    DEVICE float dot(const Acts& x, float acc, u32) const {
        float d = f16_to_f32((u16)dm), m = f16_to_f32((u16)(dm >> 16));
        acc = __fmaf_rn(d, __fmul_rn(x.scale, (float)x.dot(q)), acc);
        return __fmaf_rn(m, __fmul_rn(x.scale, (float)x.sum), acc);
    }
};

template <u32 K, u32 N>
struct Weights<DT_Q8_0, K, N> {
    using Staged = Ints<K>;
    static constexpr u32 COUNT = 16;
    static constexpr u32 ROW_BYTES = K;
    uint4 q;
    u16 d;
    struct Acts {
        uint4 h, l;
        float scale;
    };
    static DEVICE Acts acts(const u8* s, u32 c) {
        return {Staged::high(s, c / 2, c % 2), Staged::low(s, c / 2, c % 2), Staged::meta(s, c / 2).scale};
    }
    DEVICE void load(const u8* w, u32 row, u32 c) {
        q = load_weights(w + (u64)row * K + c * 16);
        d = load_u16(w + (u64)N * K + ((u64)row * (K / 32) + c / 2) * 2);
    }
    DEVICE float dot(const Acts& x, float acc, u32) const {
        int h = dp4a_ss(q.w, x.h.w, dp4a_ss(q.z, x.h.z, dp4a_ss(q.y, x.h.y, dp4a_ss(q.x, x.h.x, 0))));
        int l = dp4a_ss(q.w, x.l.w, dp4a_ss(q.z, x.l.z, dp4a_ss(q.y, x.l.y, dp4a_ss(q.x, x.l.x, 0))));
        return __fmaf_rn(f16_to_f32(d), __fmul_rn(x.scale, (float)(h * 256 + l)), acc);
    }
};

// A block of 256: halves of 128 columns; 16 bytes of low nibbles are columns e..e+15 and e+64..e+79.
template <u32 K, u32 N>
struct Weights<DT_Q6K, K, N> {
    using Staged = Ints<K>;
    static constexpr u32 COUNT = 32;
    static constexpr u32 ROW_BYTES = K / 2;
    uint4 q, top;
    u16 d;
    u32 scales;  // two signed bytes
    struct Acts {
        uint4 h0, l0, h1, l1;
        float scale0, scale1;
        int sum0, sum1;
    };
    // First of the chunk's columns.
    static DEVICE u32 column(u32 c) { return c / 4 * 128 + c % 4 * 16; }
    static DEVICE Acts acts(const u8* s, u32 c) {
        u32 e = column(c), block = e / 32, half = e / 16 % 2;
        typename Staged::Meta a = Staged::meta(s, block), b = Staged::meta(s, block + 2);
        return {Staged::high(s, block, half), Staged::low(s, block, half), Staged::high(s, block + 2, half),
                Staged::low(s, block + 2, half), a.scale, b.scale, half ? a.sum1 : a.sum0, half ? b.sum1 : b.sum0};
    }
    DEVICE void load(const u8* w, u32 row, u32 c) {
        constexpr u64 BLOCKS = (u64)N * (K / 256);
        u64 block = (u64)row * (K / 256) + c / 8;
        q = load_weights(w + ((u64)row * (K / 32) + c) * 16);
        const u8* h = w + BLOCKS * 128 + block * 64 + c / 4 % 2 * 32 + c % 2 * 16;
        top = *reinterpret_cast<const uint4*>(h);
        const u8* s = w + BLOCKS * 192 + block * 16 + c / 4 % 2 * 8 + c % 4;
        scales = (u32)s[0] | (u32)s[4] << 8;
        d = load_u16(w + BLOCKS * 208 + block * 2);
    }
    DEVICE float dot(const Acts& x, float acc, u32 c) const {
        u32 shift = c / 2 % 2 * 2;
        int ha = 0, la = 0, hb = 0, lb = 0;
        u32 w[4] = {q.x, q.y, q.z, q.w}, t[4] = {top.x, top.y, top.z, top.w};
        u32 p[4] = {x.h0.x, x.h0.y, x.h0.z, x.h0.w}, r[4] = {x.l0.x, x.l0.y, x.l0.z, x.l0.w};
        u32 u[4] = {x.h1.x, x.h1.y, x.h1.z, x.h1.w}, v[4] = {x.l1.x, x.l1.y, x.l1.z, x.l1.w};
#pragma unroll
        for (int i = 0; i < 4; i++) {
            u32 bits = t[i] >> shift;
            u32 a = (w[i] & 0x0f0f0f0fu) | (bits & 0x03030303u) << 4;
            u32 b = ((w[i] >> 4) & 0x0f0f0f0fu) | (bits & 0x30303030u);
            ha = dp4a_us(a, p[i], ha);
            la = dp4a_us(a, r[i], la);
            hb = dp4a_us(b, u[i], hb);
            lb = dp4a_us(b, v[i], lb);
        }
        float dd = f16_to_f32(d);
        float sa = dd * (float)(i8)scales, sb = dd * (float)(i8)(scales >> 8);
        acc = __fmaf_rn(sa, __fmul_rn(x.scale0, (float)(ha * 256 + la - 32 * x.sum0)), acc);
        return __fmaf_rn(sb, __fmul_rn(x.scale1, (float)(hb * 256 + lb - 32 * x.sum1)), acc);
    }
};
