// Weight formats in matrix-vector products: one struct for each, so adding a format is adding a struct here.
//
// A lane takes a *unit* of a weight row at a time. `fetch` starts its copy to the lane's slot of shared memory,
// `read` takes it from there. Units are numbered through the whole matrix, since rows lie one after the other in
// every plane. Float weights multiply f32 activations. Quantized weights multiply activations of 16 bits, one scale
// for each block of 32, kept as signed high bytes and unsigned low bytes: two chains of byte products give the
// exact integer sum, so the only error is half a step of 1/32512 of a block's largest value.

// --- Copies to shared memory ---

DEVICE void copy16(u32 to, const u8* from) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

DEVICE void copy8(u32 to, const u8* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from) : "memory");
}

DEVICE void copy4(u32 to, const u8* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
}

DEVICE void copy_commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most `LEFT` of this thread's groups are on their way.
template <u32 LEFT>
DEVICE void copy_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

// --- Arithmetic ---

DEVICE i32 dot4_signed(u32 a, u32 b, i32 c) {
    i32 d;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

// Signed bytes of `a` with unsigned bytes of `b`.
DEVICE i32 dot4_mixed(u32 a, u32 b, i32 c) {
    i32 d;
    asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

DEVICE float f16_of(u32 pair, u32 high) {
    return f16_to_f32((u16)(pair >> (16 * high)));
}

template <class T>
DEVICE T shared_at(const u8* p) {
    return *reinterpret_cast<const T*>(p);
}

// --- Formats ---

// UNIT: values of a unit. SLOT: bytes of a lane's slot. A warp's slot is the lanes' first parts side by side, then
// their second parts: reads have no bank conflicts.
//
// A quantized unit is GROUPS groups of PIECES times 16 values; a group shares one scale. `block` and `half` place a
// group's piece among the activations' blocks of 32. `bytes` gives a piece's 16 signed bytes, which are the
// weights divided by their scale times RAISE; `factor` the scale; `least` the minimum where HAS_LEAST.
// ELEMENTS: values of the whole matrix, where its second plane begins.
template <u32 DTYPE, u64 ELEMENTS>
struct Dot;

template <u64 ELEMENTS>
struct Dot<DT_F32, ELEMENTS> {
    static constexpr bool QUANTIZED = false;
    static constexpr u32 UNIT = 4, SLOT = 16;
    struct Raw {
        uint4 q;
    };
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) { copy16(to + 16 * lane, w + (u64)unit * 16); }
    DEVICE static Raw read(const u8* slot, u32 lane, u32) { return {shared_at<uint4>(slot + 16 * lane)}; }
    DEVICE static void values(const Raw& r, float (&v)[UNIT]) {
        v[0] = __uint_as_float(r.q.x), v[1] = __uint_as_float(r.q.y);
        v[2] = __uint_as_float(r.q.z), v[3] = __uint_as_float(r.q.w);
    }
};

template <u64 ELEMENTS>
struct Dot<DT_BF16, ELEMENTS> {
    static constexpr bool QUANTIZED = false;
    static constexpr u32 UNIT = 8, SLOT = 16;
    struct Raw {
        uint4 q;
    };
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) { copy16(to + 16 * lane, w + (u64)unit * 16); }
    DEVICE static Raw read(const u8* slot, u32 lane, u32) { return {shared_at<uint4>(slot + 16 * lane)}; }
    DEVICE static void values(const Raw& r, float (&v)[UNIT]) {
        const u32 q[4] = {r.q.x, r.q.y, r.q.z, r.q.w};
#pragma unroll
        for (u32 i = 0; i < 4; i++) v[2 * i] = bf16_low(q[i]), v[2 * i + 1] = bf16_high(q[i]);
    }
};

template <u64 ELEMENTS>
struct Dot<DT_F16, ELEMENTS> {
    static constexpr bool QUANTIZED = false;
    static constexpr u32 UNIT = 8, SLOT = 16;
    struct Raw {
        uint4 q;
    };
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) { copy16(to + 16 * lane, w + (u64)unit * 16); }
    DEVICE static Raw read(const u8* slot, u32 lane, u32) { return {shared_at<uint4>(slot + 16 * lane)}; }
    DEVICE static void values(const Raw& r, float (&v)[UNIT]) {
        const u32 q[4] = {r.q.x, r.q.y, r.q.z, r.q.w};
#pragma unroll
        for (u32 i = 0; i < 4; i++) v[2 * i] = f16_of(q[i], 0), v[2 * i + 1] = f16_of(q[i], 1);
    }
};

template <u64 ELEMENTS>
struct Dot<DT_Q4_0, ELEMENTS> {
    static constexpr bool QUANTIZED = true, HAS_LEAST = false, SPREAD = false;
    static constexpr u32 UNIT = 32, SLOT = 20, GROUPS = 1, PIECES = 2;
    // A nibble in a byte's upper half, its top bit flipped, is 16 (q - 8).
    static constexpr float RAISE = 16.0f;
    struct Raw {
        uint4 q;
        float d;
    };
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) {
        copy16(to + 16 * lane, w + (u64)unit * 16);
        // The aligned word that holds the scale: copies of two bytes do not exist.
        copy4(to + 512 + 4 * lane, w + ELEMENTS / 2 + (u64)(unit / 2) * 4);
    }
    DEVICE static Raw read(const u8* slot, u32 lane, u32 unit) {
        return {shared_at<uint4>(slot + 16 * lane), f16_of(shared_at<u32>(slot + 512 + 4 * lane), unit & 1)};
    }
    DEVICE static u32 block(u32 unit, u32) { return unit; }
    DEVICE static u32 half(u32, u32 piece) { return piece; }
    DEVICE static void bytes(const Raw& r, u32, u32 piece, u32 (&v)[4]) {
        const u32 q[4] = {r.q.x, r.q.y, r.q.z, r.q.w};
#pragma unroll
        for (u32 i = 0; i < 4; i++) v[i] = ((piece ? q[i] : q[i] << 4) & 0xf0f0f0f0u) ^ 0x80808080u;
    }
    DEVICE static float factor(const Raw& r, u32) { return r.d; }
    DEVICE static float least(const Raw&) { return 0.0f; }
};

template <u64 ELEMENTS>
struct Dot<DT_Q4_1, ELEMENTS> {
    static constexpr bool QUANTIZED = true, HAS_LEAST = true, SPREAD = false;
    static constexpr u32 UNIT = 32, SLOT = 20, GROUPS = 1, PIECES = 2;
    static constexpr float RAISE = 1.0f;
    struct Raw {
        uint4 q;
        u32 dm;
    };
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) {
        copy16(to + 16 * lane, w + (u64)unit * 16);
        copy4(to + 512 + 4 * lane, w + ELEMENTS / 2 + (u64)unit * 4);
    }
    DEVICE static Raw read(const u8* slot, u32 lane, u32) {
        return {shared_at<uint4>(slot + 16 * lane), shared_at<u32>(slot + 512 + 4 * lane)};
    }
    DEVICE static u32 block(u32 unit, u32) { return unit; }
    DEVICE static u32 half(u32, u32 piece) { return piece; }
    DEVICE static void bytes(const Raw& r, u32, u32 piece, u32 (&v)[4]) {
        const u32 q[4] = {r.q.x, r.q.y, r.q.z, r.q.w};
#pragma unroll
        for (u32 i = 0; i < 4; i++) v[i] = (piece ? q[i] >> 4 : q[i]) & 0x0f0f0f0fu;
    }
    DEVICE static float factor(const Raw& r, u32) { return f16_of(r.dm, 0); }
    DEVICE static float least(const Raw& r) { return f16_of(r.dm, 1); }
};

template <u64 ELEMENTS>
struct Dot<DT_Q8_0, ELEMENTS> {
    static constexpr bool QUANTIZED = true, HAS_LEAST = false, SPREAD = false;
    // Half a block, so that a warp's copies lie side by side.
    static constexpr u32 UNIT = 16, SLOT = 20, GROUPS = 1, PIECES = 1;
    static constexpr float RAISE = 1.0f;
    struct Raw {
        uint4 q;
        float d;
    };
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) {
        copy16(to + 16 * lane, w + (u64)unit * 16);
        copy4(to + 512 + 4 * lane, w + ELEMENTS + (u64)(unit / 4) * 4);
    }
    DEVICE static Raw read(const u8* slot, u32 lane, u32 unit) {
        return {shared_at<uint4>(slot + 16 * lane), f16_of(shared_at<u32>(slot + 512 + 4 * lane), unit >> 1 & 1)};
    }
    DEVICE static u32 block(u32 unit, u32) { return unit / 2; }
    DEVICE static u32 half(u32 unit, u32) { return unit & 1; }
    DEVICE static void bytes(const Raw& r, u32, u32, u32 (&v)[4]) {
        v[0] = r.q.x, v[1] = r.q.y, v[2] = r.q.z, v[3] = r.q.w;
    }
    DEVICE static float factor(const Raw& r, u32) { return r.d; }
    DEVICE static float least(const Raw&) { return 0.0f; }
};

template <u64 ELEMENTS>
struct Dot<DT_Q6K, ELEMENTS> {
    static constexpr bool QUANTIZED = true, HAS_LEAST = false, SPREAD = true;
    // A quarter of a super-block: 16 values of each of a half's four groups of 32, which share their high bits.
    static constexpr u32 UNIT = 64, SLOT = 60, GROUPS = 4, PIECES = 1;
    // Six bits at the top of a byte, the sign flipped: 4 (q - 32).
    static constexpr float RAISE = 4.0f;
    struct Raw {
        uint4 low[2], high;
        uint2 scales;
        float d;
    };
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) {
        const u8* low = w + (u64)(unit / 2) * 64 + (unit & 1) * 16;
        const u8* high = w + ELEMENTS / 2 + (u64)(unit / 2) * 32 + (unit & 1) * 16;
        copy16(to + 16 * lane, low);
        copy16(to + 512 + 16 * lane, low + 32);
        copy16(to + 1024 + 16 * lane, high);
        copy8(to + 1536 + 8 * lane, w + ELEMENTS / 4 * 3 + (u64)(unit / 2) * 8);
        copy4(to + 1792 + 4 * lane, w + ELEMENTS / 16 * 13 + (u64)(unit / 8) * 4);
    }
    DEVICE static Raw read(const u8* slot, u32 lane, u32 unit) {
        Raw r;
        r.low[0] = shared_at<uint4>(slot + 16 * lane);
        r.low[1] = shared_at<uint4>(slot + 512 + 16 * lane);
        r.high = shared_at<uint4>(slot + 1024 + 16 * lane);
        r.scales = shared_at<uint2>(slot + 1536 + 8 * lane);
        // A group's scale then is byte 2 * (group & 1) of word group / 2.
        u32 shift = 8 * (unit & 1);
        r.scales.x >>= shift, r.scales.y >>= shift;
        r.d = f16_of(shared_at<u32>(slot + 1792 + 4 * lane), unit >> 2 & 1);
        return r;
    }
    DEVICE static u32 block(u32 unit, u32 group) { return unit / 2 * 4 + group; }
    DEVICE static u32 half(u32 unit, u32) { return unit & 1; }
    DEVICE static void bytes(const Raw& r, u32 group, u32, u32 (&v)[4]) {
        const uint4 l = r.low[group & 1], h = r.high;
        const u32 low[4] = {l.x, l.y, l.z, l.w}, high[4] = {h.x, h.y, h.z, h.w};
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            u32 a = (group < 2 ? low[i] << 2 : low[i] >> 2) & 0x3c3c3c3cu;
            u32 b = (high[i] << (6 - 2 * group)) & 0xc0c0c0c0u;
            v[i] = (a | b) ^ 0x80808080u;
        }
    }
    DEVICE static float factor(const Raw& r, u32 group) {
        u32 word = group < 2 ? r.scales.x : r.scales.y;
        return r.d * (float)(i8)(word >> (16 * (group & 1)));
    }
    DEVICE static float least(const Raw&) { return 0.0f; }
};

// --- Activations in shared memory, and the products with them ---

// f32: the four-value chunks of a unit in planes of their own, so that a warp's reads have no bank conflicts.
template <class F, u32 VALUES, bool QUANTIZED = F::QUANTIZED>
struct Acts {
    static constexpr u32 PLANES = F::UNIT / 4, LINES = (VALUES / 4 + PLANES - 1) / PLANES;
    // Half of the 128 bytes of all banks past a whole number of them: neighbouring planes' lines do not collide.
    static constexpr u32 PLANE = ((LINES + 3) / 8 * 8 + 4) * 16;
    static constexpr u32 ROW = PLANES * PLANE;

    // Stores chunk `c` (4 values); the whole warp calls it.
    DEVICE static void store(u8* row, u32 c, bool inside, float4 v) {
        if (inside) *reinterpret_cast<float4*>(row + c % PLANES * PLANE + c / PLANES * 16) = v;
    }

    // acc[i][r] += unit `unit` of weight row i times activation row r.
    template <u32 OUTS, u32 ROWS>
    DEVICE static void multiply(const typename F::Raw (&raw)[OUTS], const u8* acts, u32 unit, u32 rows,
                                float (&acc)[OUTS][ROWS]) {
        float w[OUTS][F::UNIT];
#pragma unroll
        for (u32 i = 0; i < OUTS; i++) F::values(raw[i], w[i]);
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            if (ROWS == 1 || r < rows) {
#pragma unroll
                for (u32 p = 0; p < PLANES; p++) {
                    float4 x = shared_at<float4>(acts + r * ROW + p * PLANE + unit * 16);
#pragma unroll
                    for (u32 i = 0; i < OUTS; i++) {
                        float a = acc[i][r];
                        a = __fmaf_rn(w[i][4 * p], x.x, a);
                        a = __fmaf_rn(w[i][4 * p + 1], x.y, a);
                        a = __fmaf_rn(w[i][4 * p + 2], x.z, a);
                        acc[i][r] = __fmaf_rn(w[i][4 * p + 3], x.w, a);
                    }
                }
            }
        }
    }
};

// 16-bit integers: planes of high bytes of the blocks' first and second halves, then of low bytes, then the scales.
template <class F, u32 VALUES>
struct Acts<F, VALUES, true> {
    static constexpr u32 BLOCKS = VALUES / 32;
    // Units of a spread format read every fourth block: a gap after every four keeps them in different banks.
    DEVICE static constexpr u32 line(u32 block) { return F::SPREAD ? block + block / 4 : block; }
    static constexpr u32 PLANE = ((line(BLOCKS - 1) + 1 + 3) / 8 * 8 + 4) * 16;
    static constexpr u32 LOW = 2 * PLANE, SCALES = 4 * PLANE, SCALE = F::HAS_LEAST ? 8 : 4;
    static constexpr u32 ROW = SCALES + (BLOCKS * SCALE + 15) / 16 * 16;
    static constexpr float STEPS = 32512.0f;

    DEVICE static void store(u8* row, u32 c, bool inside, float4 v) {
        // Magnitudes compare like their bits, and so a NaN is largest.
        u32 m = __float_as_uint(v.x) & 0x7fffffffu;
        m = max(m, __float_as_uint(v.y) & 0x7fffffffu);
        m = max(m, __float_as_uint(v.z) & 0x7fffffffu);
        m = max(m, __float_as_uint(v.w) & 0x7fffffffu);
#pragma unroll
        for (u32 o = 4; o; o >>= 1) m = max(m, __shfl_xor_sync(0xffffffffu, m, o));
        float largest = __uint_as_float(m), scale = largest * (1.0f / (STEPS * F::RAISE)), inverse;
        // Below 1e-30 a block is zero: the inverse could overflow. From 2^125 on, an inverse is subnormal.
        if (largest < 1e-30f) scale = 0.0f, inverse = 0.0f;
        else inverse = __fdividef(STEPS, largest);
        if (!(largest < 4.25e37f)) scale = __uint_as_float(0x7fffffffu);
        i32 a = __float2int_rn(v.x * inverse), b = __float2int_rn(v.y * inverse);
        i32 d = __float2int_rn(v.z * inverse), e = __float2int_rn(v.w * inverse);
        u32 low = __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(d, e, 0x0040), 0x5410);
        u32 high = __byte_perm(__byte_perm(a, b, 0x0051), __byte_perm(d, e, 0x0051), 0x5410);
        float sum = 0.0f;
        if constexpr (F::HAS_LEAST) {
            i32 s = a + b + d + e;
#pragma unroll
            for (u32 o = 4; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
            sum = scale * (float)s;
        }
        if (!inside) return;
        u32 block = c / 8;
        u8* at = row + (c & 4 ? PLANE : 0) + line(block) * 16 + (c & 3) * 4;
        *reinterpret_cast<u32*>(at) = high;
        *reinterpret_cast<u32*>(at + LOW) = low;
        if ((c & 7) == 0) {
            u8* s = row + SCALES + block * SCALE;
            if constexpr (F::HAS_LEAST) *reinterpret_cast<float2*>(s) = make_float2(scale, sum);
            else *reinterpret_cast<float*>(s) = scale;
        }
    }

    template <u32 OUTS, u32 ROWS>
    DEVICE static void multiply(const typename F::Raw (&raw)[OUTS], const u8* acts, u32 unit, u32 rows,
                                float (&acc)[OUTS][ROWS]) {
#pragma unroll
        for (u32 g = 0; g < F::GROUPS; g++) {
            u32 block = F::block(unit, g);
            const u8* at = acts + line(block) * 16;
#pragma unroll
            for (u32 r = 0; r < ROWS; r++) {
                if (ROWS == 1 || r < rows) {
                    uint4 high[F::PIECES], low[F::PIECES];
#pragma unroll
                    for (u32 p = 0; p < F::PIECES; p++) {
                        const u8* h = at + r * ROW + F::half(unit, p) * PLANE;
                        high[p] = shared_at<uint4>(h), low[p] = shared_at<uint4>(h + LOW);
                    }
                    const u8* s = acts + r * ROW + SCALES + block * SCALE;
                    float2 scale = make_float2(shared_at<float>(s), 0.0f);
                    if constexpr (F::HAS_LEAST) scale = shared_at<float2>(s);
#pragma unroll
                    for (u32 i = 0; i < OUTS; i++) {
                        i32 h = 0, l = 0;
#pragma unroll
                        for (u32 p = 0; p < F::PIECES; p++) {
                            u32 q[4];
                            F::bytes(raw[i], g, p, q);
                            h = dot4_signed(q[0], high[p].x, h), l = dot4_mixed(q[0], low[p].x, l);
                            h = dot4_signed(q[1], high[p].y, h), l = dot4_mixed(q[1], low[p].y, l);
                            h = dot4_signed(q[2], high[p].z, h), l = dot4_mixed(q[2], low[p].z, l);
                            h = dot4_signed(q[3], high[p].w, h), l = dot4_mixed(q[3], low[p].w, l);
                        }
                        float f = __fmul_rn(F::factor(raw[i], g), scale.x);
                        acc[i][r] = __fmaf_rn(f, (float)(h * 256 + l), acc[i][r]);
                        if constexpr (F::HAS_LEAST) acc[i][r] = __fmaf_rn(F::least(raw[i]), scale.y, acc[i][r]);
                    }
                }
            }
        }
    }
};
