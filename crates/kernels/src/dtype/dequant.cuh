// Eight neighbouring values of a weight row, for kernels that need the values themselves. Layouts as in planes.rs.
// The operations are those of the formats' own files in their order, so the bits are the same.

// N rows of K values; `i` is a multiple of 8.
template <u32 DT, u32 K, u32 N>
struct Values;

template <u32 K, u32 N>
struct Values<DT_F32, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 i, float (&v)[8]) {
        const float4* p = reinterpret_cast<const float4*>(w) + ((u64)row * K + i) / 4;
        float4 a = p[0], b = p[1];
        v[0] = a.x, v[1] = a.y, v[2] = a.z, v[3] = a.w, v[4] = b.x, v[5] = b.y, v[6] = b.z, v[7] = b.w;
    }
};

template <u32 K, u32 N>
struct Values<DT_BF16, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 i, float (&v)[8]) {
        uint4 q = reinterpret_cast<const uint4*>(w)[((u64)row * K + i) / 8];
        u32 pairs[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
        for (int j = 0; j < 4; j++) v[2 * j] = bf16_low(pairs[j]), v[2 * j + 1] = bf16_high(pairs[j]);
    }
};

template <u32 K, u32 N>
struct Values<DT_F16, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 i, float (&v)[8]) {
        uint4 q = reinterpret_cast<const uint4*>(w)[((u64)row * K + i) / 8];
        u32 pairs[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
        for (int j = 0; j < 4; j++) v[2 * j] = f16_to_f32((u16)pairs[j]), v[2 * j + 1] = f16_to_f32((u16)(pairs[j] >> 16));
    }
};

// --- Codes of values `e` to `e + 7` of a matrix ---

template <class T>
DEVICE T at(const u8* p) {
    return *reinterpret_cast<const T*>(p);
}

// Where the chunk of value `e` begins in a plane of nibbles.
template <bool STRIPED>
DEVICE u64 nibble_chunk(u64 e) {
    u32 c = (u32)(e / 32) % 8;
    return STRIPED ? e / 256 * 128 + (c % 2 * 4 + c / 2) * 16 : e / 32 * 16;
}

// Codes of BITS bits in planes of nibbles or pairs and the bits above them.
template <u32 BITS, bool STRIPED>
DEVICE void codes(const u8* w, u64 elements, u64 e, u32 (&q)[8]) {
    constexpr u32 LOW = BITS < 4 ? 2 : 4, HIGH = BITS - LOW;
    u32 i = (u32)e % 32;
    const u8* above = w + elements / 8 * LOW;
    if constexpr (LOW == 4) {
        uint2 low = at<uint2>(w + nibble_chunk<STRIPED>(e) + i % 16);
#pragma unroll
        for (u32 j = 0; j < 8; j++) q[j] = (j < 4 ? low.x : low.y) >> (j % 4 * 8 + i / 16 * 4) & 15u;
    } else {
        u32 low = at<u32>(w + e / 32 * 8 + i / 16 * 4) >> (i % 16 / 4 * 2);
#pragma unroll
        for (u32 j = 0; j < 8; j++) q[j] = low >> (j % 4 * 8 + j / 4 * 2) & 3u;
    }
    if constexpr (HIGH == 2) {
        u32 high = at<u32>(above + e / 32 * 8 + i / 16 * 4) >> (i % 16 / 4 * 2);
#pragma unroll
        for (u32 j = 0; j < 8; j++) q[j] |= (high >> (j % 4 * 8 + j / 4 * 2) & 3u) << LOW;
    }
    if constexpr (HIGH == 1) {
        u32 high = at<u32>(above + e / 32 * 4) >> (i / 4);
#pragma unroll
        for (u32 j = 0; j < 8; j++) q[j] |= (high >> (j % 4 * 8 + j / 4) & 1u) << LOW;
    }
}

// Values that codes stand for in a table.
template <class TABLE, bool STRIPED>
DEVICE void places(const u8* w, u64 e, float (&v)[8]) {
    u32 first, second;
    TABLE::look_up(at<u32>(w + nibble_chunk<STRIPED>(e) + (u32)e % 32 / 2), first, second);
#pragma unroll
    for (u32 j = 0; j < 8; j++) v[j] = (float)(i8)((j < 4 ? first : second) >> (j % 4 * 8));
}

// Scale * (code - zero).
DEVICE void scaled(const u32 (&q)[8], int zero, float d, float (&v)[8]) {
#pragma unroll
    for (u32 j = 0; j < 8; j++) v[j] = d * (float)((int)q[j] - zero);
}

DEVICE void times(float d, float (&v)[8]) {
#pragma unroll
    for (u32 j = 0; j < 8; j++) v[j] = d * v[j];
}

// Scale * code + minimum, rounded twice.
DEVICE void ranged(const u32 (&q)[8], float d, float m, float (&v)[8]) {
#pragma unroll
    for (u32 j = 0; j < 8; j++) v[j] = __fadd_rn(__fmul_rn(d, (float)q[j]), m);
}

// --- Blocks of 32 with an f16 scale ---

template <u32 BITS, u32 K, u32 N>
struct ScaledValues {
    static DEVICE void eight(const u8* w, u32 row, u32 i, float (&v)[8]) {
        constexpr u64 ELEMENTS = (u64)N * K;
        u64 e = (u64)row * K + i;
        u32 q[8];
        codes<BITS, false>(w, ELEMENTS, e, q);
        scaled(q, 1 << (BITS - 1), f16_to_f32(at<u16>(w + ELEMENTS / 8 * BITS + e / 32 * 2)), v);
    }
};

template <u32 K, u32 N>
struct Values<DT_Q4_0, K, N> : ScaledValues<4, K, N> {};
template <u32 K, u32 N>
struct Values<DT_Q5_0, K, N> : ScaledValues<5, K, N> {};

template <u32 K, u32 N>
struct Values<DT_IQ4_NL, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 i, float (&v)[8]) {
        u64 e = (u64)row * K + i;
        places<Iq4Table, false>(w, e, v);
        times(f16_to_f32(at<u16>(w + (u64)N * (K / 2) + e / 32 * 2)), v);
    }
};

// --- Groups with a scale and a minimum ---

template <u32 BITS, u32 GROUP, bool BF16, u32 K, u32 N>
struct RangedValues {
    static DEVICE void eight(const u8* w, u32 row, u32 i, float (&v)[8]) {
        constexpr u64 ELEMENTS = (u64)N * K;
        u64 e = (u64)row * K + i;
        u32 q[8];
        if constexpr (BITS == 8) {
            uint2 bytes = at<uint2>(w + e);
#pragma unroll
            for (u32 j = 0; j < 8; j++) q[j] = (j < 4 ? bytes.x : bytes.y) >> (j % 4 * 8) & 255u;
        } else {
            codes<BITS, false>(w, ELEMENTS, e, q);
        }
        u32 dm = at<u32>(w + ELEMENTS / 8 * BITS + e / GROUP * 4);
        if constexpr (BF16) ranged(q, bf16_low(dm), bf16_high(dm), v);
        else ranged(q, f16_to_f32((u16)dm), f16_to_f32((u16)(dm >> 16)), v);
    }
};

template <u32 K, u32 N>
struct Values<DT_Q4_1, K, N> : RangedValues<4, 32, false, K, N> {};
template <u32 K, u32 N>
struct Values<DT_Q5_1, K, N> : RangedValues<5, 32, false, K, N> {};
template <u32 DT, u32 K, u32 N>
struct Values : RangedValues<AFFINE_BITS(DT), AFFINE_GROUP(DT), AFFINE_BF16(DT), K, N> {
    static_assert(DT >= DT_AFFINE, "a format without a version");
};

// --- Whole bytes ---

DEVICE void signed_bytes(const u8* p, float d, float (&v)[8]) {
    uint2 q = at<uint2>(p);
#pragma unroll
    for (u32 j = 0; j < 8; j++) v[j] = (float)(i8)((j < 4 ? q.x : q.y) >> (j % 4 * 8)) * d;
}

template <u32 K, u32 N>
struct Values<DT_Q8_0, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 i, float (&v)[8]) {
        u64 e = (u64)row * K + i;
        signed_bytes(w + e, f16_to_f32(at<u16>(w + (u64)N * K + e / 32 * 2)), v);
    }
};

template <u32 K, u32 N>
struct Values<DT_Q8K, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 i, float (&v)[8]) {
        u64 e = (u64)row * K + i;
        signed_bytes(w + e, at<float>(w + (u64)N * K + e / 256 * 4), v);
    }
};

// --- Super-blocks of 256 ---

// Number `g` of a block's sixteen six-bit scales, a little-endian stream at `p`.
DEVICE u32 scale_of(const u8* p, u32 g) {
    u32 from = 6 * g;
    return (p[from / 8] | (u32)p[(from + 5) / 8] << 8) >> (from % 8) & 63u;
}

template <u32 BITS, u32 K, u32 N>
struct RangedSuperValues {
    static DEVICE void eight(const u8* w, u32 row, u32 i, float (&v)[8]) {
        constexpr u64 ELEMENTS = (u64)N * K;
        u64 e = (u64)row * K + i;
        u32 q[8], g = (u32)e % 256 / 32;
        codes<BITS, true>(w, ELEMENTS, e, q);
        const u8* head = w + ELEMENTS / 8 * BITS + e / 256 * 16;
        u32 dm = at<u32>(head);
        float d = f16_to_f32((u16)dm) * (float)scale_of(head + 4, 2 * g);
        float m = f16_to_f32((u16)(dm >> 16)) * (float)scale_of(head + 4, 2 * g + 1);
        ranged(q, d, -m, v);
    }
};

template <u32 K, u32 N>
struct Values<DT_Q4K, K, N> : RangedSuperValues<4, K, N> {};
template <u32 K, u32 N>
struct Values<DT_Q5K, K, N> : RangedSuperValues<5, K, N> {};

template <u32 K, u32 N>
struct Values<DT_Q2K, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 i, float (&v)[8]) {
        constexpr u64 ELEMENTS = (u64)N * K;
        u64 e = (u64)row * K + i;
        u32 q[8];
        codes<2, false>(w, ELEMENTS, e, q);
        u32 s = w[ELEMENTS / 4 + e / 16], dm = at<u32>(w + ELEMENTS / 16 * 5 + e / 256 * 4);
        float d = f16_to_f32((u16)dm) * (float)(s & 15u), m = f16_to_f32((u16)(dm >> 16)) * (float)(s >> 4);
        ranged(q, d, -m, v);
    }
};

template <u32 K, u32 N>
struct Values<DT_Q3K, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 i, float (&v)[8]) {
        constexpr u64 ELEMENTS = (u64)N * K;
        u64 e = (u64)row * K + i;
        u32 q[8];
        codes<3, false>(w, ELEMENTS, e, q);
        int s = (int)scale_of(w + ELEMENTS / 8 * 3 + e / 256 * 12, (u32)e % 256 / 16) - 32;
        scaled(q, 4, f16_to_f32(at<u16>(w + ELEMENTS / 64 * 27 + e / 256 * 2)) * (float)s, v);
    }
};

template <u32 K, u32 N>
struct Values<DT_Q6K, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 i, float (&v)[8]) {
        constexpr u64 ELEMENTS = (u64)N * K;
        u64 e = (u64)row * K + i;
        u32 q[8];
        codes<6, true>(w, ELEMENTS, e, q);
        float s = (float)(i8)w[ELEMENTS / 4 * 3 + e / 16];
        scaled(q, 32, f16_to_f32(at<u16>(w + ELEMENTS / 16 * 13 + e / 256 * 2)) * s, v);
    }
};

template <u32 K, u32 N>
struct Values<DT_IQ4_XS, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 i, float (&v)[8]) {
        u64 e = (u64)row * K + i;
        u32 g = (u32)e % 256 / 32;
        places<Iq4Table, true>(w, e, v);
        uint2 head = at<uint2>(w + (u64)N * (K / 2) + e / 256 * 8);
        int s = (int)((head.y >> (4 * g) & 15u) | (head.x >> (16 + 2 * g) & 3u) << 4) - 32;
        times(f16_to_f32((u16)head.x) * (float)s, v);
    }
};

// --- Small floats ---

template <u32 K, u32 N>
struct Values<DT_MXFP4, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 i, float (&v)[8]) {
        u64 e = (u64)row * K + i;
        places<E2m1Table, false>(w, e, v);
        times(e8m0_half(w[(u64)N * (K / 2) + e / 32]), v);
    }
};

template <u32 K, u32 N>
struct Values<DT_NVFP4, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 i, float (&v)[8]) {
        u64 e = (u64)row * K + i;
        places<E2m1Table, false>(w, e, v);
        times(ue4m3_half(w[(u64)N * (K / 2) + e / 16]), v);
    }
};

template <u32 K, u32 N>
struct Values<DT_MXFP8, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 i, float (&v)[8]) {
        u64 e = (u64)row * K + i;
        uint2 q = at<uint2>(w + e);
        float d = e8m0(w[(u64)N * K + e / 32]);
#pragma unroll
        for (u32 j = 0; j < 8; j++) v[j] = d * e4m3((j < 4 ? q.x : q.y) >> (j % 4 * 8) & 255u);
    }
};
