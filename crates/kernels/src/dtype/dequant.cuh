// Eight neighbouring values of a weight row, for kernels that need the values themselves. Layouts as in planes.rs.
// The operations are those of the formats' own files in their order, so the bits are the same.

// Number of the block of SIZE values, 16 or more, that has values 32 c + 8 j of a row; rows are whole blocks.
template <u32 SIZE, u32 K>
DEVICE u64 block_of(u32 row, u32 c, u32 j) {
    return (u64)row * (K / SIZE) + (SIZE < 32 ? c * 2 + j / 2 : c / (SIZE < 32 ? 1 : SIZE / 32));
}

// Values 32 c + 8 j and the next seven of a row of N rows of K. Where `j` is known at compile time, what the values of one
// 32 have in common is read and computed once.
template <u32 DT, u32 K, u32 N>
struct Values;

template <u32 K, u32 N>
struct Values<DT_F32, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 c, u32 j, float (&v)[8]) {
        const float4* p = reinterpret_cast<const float4*>(w) + ((u64)row * K + c * 32 + j * 8) / 4;
        float4 a = p[0], b = p[1];
        v[0] = a.x, v[1] = a.y, v[2] = a.z, v[3] = a.w, v[4] = b.x, v[5] = b.y, v[6] = b.z, v[7] = b.w;
    }
};

template <u32 K, u32 N>
struct Values<DT_BF16, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 c, u32 j, float (&v)[8]) {
        uint4 q = reinterpret_cast<const uint4*>(w)[((u64)row * K + c * 32 + j * 8) / 8];
        u32 pairs[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
        for (int k = 0; k < 4; k++) v[2 * k] = bf16_low(pairs[k]), v[2 * k + 1] = bf16_high(pairs[k]);
    }
};

template <u32 K, u32 N>
struct Values<DT_F16, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 c, u32 j, float (&v)[8]) {
        uint4 q = reinterpret_cast<const uint4*>(w)[((u64)row * K + c * 32 + j * 8) / 8];
        u32 pairs[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
        for (int k = 0; k < 4; k++) v[2 * k] = f16_to_f32((u16)pairs[k]), v[2 * k + 1] = f16_to_f32((u16)(pairs[k] >> 16));
    }
};

// --- Codes of values 8 p to 8 p + 7 of block `b` of 32 ---

template <class T>
DEVICE T at(const u8* p) {
    return *reinterpret_cast<const T*>(p);
}

// Where block `b` begins in a plane of nibbles.
template <bool STRIPED>
DEVICE u64 nibble_chunk(u64 b) {
    u32 c = (u32)b % 8;
    return STRIPED ? b / 8 * 128 + (c % 2 * 4 + c / 2) * 16 : b * 16;
}

// Codes of BITS bits in planes of nibbles or pairs and the bits above them.
template <u32 BITS, bool STRIPED>
DEVICE void codes(const u8* w, u64 elements, u64 b, u32 p, u32 (&q)[8]) {
    constexpr u32 LOW = BITS < 4 ? 2 : 4, HIGH = BITS - LOW;
    const u8* above = w + elements / 8 * LOW;
    if constexpr (LOW == 4) {
        uint2 low = at<uint2>(w + nibble_chunk<STRIPED>(b) + p % 2 * 8);
#pragma unroll
        for (u32 k = 0; k < 8; k++) q[k] = (k < 4 ? low.x : low.y) >> (k % 4 * 8 + p / 2 * 4) & 15u;
    } else {
        u32 low = at<u32>(w + b * 8 + p / 2 * 4) >> (p % 2 * 4);
#pragma unroll
        for (u32 k = 0; k < 8; k++) q[k] = low >> (k % 4 * 8 + k / 4 * 2) & 3u;
    }
    if constexpr (HIGH == 2) {
        u32 high = at<u32>(above + b * 8 + p / 2 * 4) >> (p % 2 * 4);
#pragma unroll
        for (u32 k = 0; k < 8; k++) q[k] |= (high >> (k % 4 * 8 + k / 4 * 2) & 3u) << LOW;
    }
    if constexpr (HIGH == 1) {
        u32 high = at<u32>(above + b * 4) >> (p * 2);
#pragma unroll
        for (u32 k = 0; k < 8; k++) q[k] |= (high >> (k % 4 * 8 + k / 4) & 1u) << LOW;
    }
}

// Values that codes stand for in a table.
template <class TABLE, bool STRIPED>
DEVICE void places(const u8* w, u64 b, u32 p, float (&v)[8]) {
    u32 first, second;
    TABLE::look_up(at<u32>(w + nibble_chunk<STRIPED>(b) + p * 4), first, second);
#pragma unroll
    for (u32 k = 0; k < 8; k++) v[k] = (float)(i8)((k < 4 ? first : second) >> (k % 4 * 8));
}

// Scale * (code - zero).
DEVICE void scaled(const u32 (&q)[8], int zero, float d, float (&v)[8]) {
#pragma unroll
    for (u32 k = 0; k < 8; k++) v[k] = d * (float)((int)q[k] - zero);
}

DEVICE void times(float d, float (&v)[8]) {
#pragma unroll
    for (u32 k = 0; k < 8; k++) v[k] = d * v[k];
}

// Scale * code + minimum, rounded twice.
DEVICE void ranged(const u32 (&q)[8], float d, float m, float (&v)[8]) {
#pragma unroll
    for (u32 k = 0; k < 8; k++) v[k] = __fadd_rn(__fmul_rn(d, (float)q[k]), m);
}

// --- Blocks of 32 with an f16 scale ---

template <u32 BITS, u32 K, u32 N>
struct ScaledValues {
    static DEVICE void eight(const u8* w, u32 row, u32 c, u32 j, float (&v)[8]) {
        constexpr u64 ELEMENTS = (u64)N * K;
        u64 b = block_of<32, K>(row, c, j);
        u32 q[8];
        codes<BITS, false>(w, ELEMENTS, b, j, q);
        scaled(q, 1 << (BITS - 1), f16_to_f32(at<u16>(w + ELEMENTS / 8 * BITS + b * 2)), v);
    }
};

template <u32 K, u32 N>
struct Values<DT_Q4_0, K, N> : ScaledValues<4, K, N> {};
template <u32 K, u32 N>
struct Values<DT_Q5_0, K, N> : ScaledValues<5, K, N> {};

template <u32 K, u32 N>
struct Values<DT_IQ4_NL, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 c, u32 j, float (&v)[8]) {
        u64 b = block_of<32, K>(row, c, j);
        places<Iq4Table, false>(w, b, j, v);
        times(f16_to_f32(at<u16>(w + (u64)N * (K / 2) + b * 2)), v);
    }
};

// --- Groups with a scale and a minimum ---

template <u32 BITS, u32 GROUP, bool BF16, u32 K, u32 N>
struct RangedValues {
    static DEVICE void eight(const u8* w, u32 row, u32 c, u32 j, float (&v)[8]) {
        constexpr u64 ELEMENTS = (u64)N * K;
        u64 b = block_of<32, K>(row, c, j);
        u32 q[8];
        if constexpr (BITS == 8) {
            uint2 bytes = at<uint2>(w + b * 32 + j * 8);
#pragma unroll
            for (u32 k = 0; k < 8; k++) q[k] = (k < 4 ? bytes.x : bytes.y) >> (k % 4 * 8) & 255u;
        } else {
            codes<BITS, false>(w, ELEMENTS, b, j, q);
        }
        u32 dm = at<u32>(w + ELEMENTS / 8 * BITS + block_of<GROUP, K>(row, c, j) * 4);
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
    for (u32 k = 0; k < 8; k++) v[k] = (float)(i8)((k < 4 ? q.x : q.y) >> (k % 4 * 8)) * d;
}

template <u32 K, u32 N>
struct Values<DT_Q8_0, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 c, u32 j, float (&v)[8]) {
        u64 b = block_of<32, K>(row, c, j);
        signed_bytes(w + b * 32 + j * 8, f16_to_f32(at<u16>(w + (u64)N * K + b * 2)), v);
    }
};

template <u32 K, u32 N>
struct Values<DT_Q8K, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 c, u32 j, float (&v)[8]) {
        u64 b = block_of<32, K>(row, c, j);
        signed_bytes(w + b * 32 + j * 8, at<float>(w + (u64)N * K + block_of<256, K>(row, c, j) * 4), v);
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
    static DEVICE void eight(const u8* w, u32 row, u32 c, u32 j, float (&v)[8]) {
        constexpr u64 ELEMENTS = (u64)N * K;
        u64 b = block_of<32, K>(row, c, j);
        u32 q[8], g = c % 8;
        codes<BITS, true>(w, ELEMENTS, b, j, q);
        const u8* head = w + ELEMENTS / 8 * BITS + block_of<256, K>(row, c, j) * 16;
        u32 dm = at<u32>(head);
        // A block's scale and minimum are neighbours, in two bytes.
        const u8* pair = head + 4 + g * 3 / 2;
        u32 two = (pair[0] | (u32)pair[1] << 8) >> (g % 2 * 4);
        float d = f16_to_f32((u16)dm) * (float)(two & 63u);
        float m = f16_to_f32((u16)(dm >> 16)) * (float)(two >> 6 & 63u);
        ranged(q, d, -m, v);
    }
};

template <u32 K, u32 N>
struct Values<DT_Q4K, K, N> : RangedSuperValues<4, K, N> {};
template <u32 K, u32 N>
struct Values<DT_Q5K, K, N> : RangedSuperValues<5, K, N> {};

template <u32 K, u32 N>
struct Values<DT_Q2K, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 c, u32 j, float (&v)[8]) {
        constexpr u64 ELEMENTS = (u64)N * K;
        u64 b = block_of<32, K>(row, c, j);
        u32 q[8];
        codes<2, false>(w, ELEMENTS, b, j, q);
        u32 s = w[ELEMENTS / 4 + block_of<16, K>(row, c, j)], dm = at<u32>(w + ELEMENTS / 16 * 5 + block_of<256, K>(row, c, j) * 4);
        float d = f16_to_f32((u16)dm) * (float)(s & 15u), m = f16_to_f32((u16)(dm >> 16)) * (float)(s >> 4);
        ranged(q, d, -m, v);
    }
};

template <u32 K, u32 N>
struct Values<DT_Q3K, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 c, u32 j, float (&v)[8]) {
        constexpr u64 ELEMENTS = (u64)N * K;
        u64 b = block_of<32, K>(row, c, j);
        u32 q[8];
        codes<3, false>(w, ELEMENTS, b, j, q);
        int s = (int)scale_of(w + ELEMENTS / 8 * 3 + block_of<256, K>(row, c, j) * 12, c % 8 * 2 + j / 2) - 32;
        scaled(q, 4, f16_to_f32(at<u16>(w + ELEMENTS / 64 * 27 + block_of<256, K>(row, c, j) * 2)) * (float)s, v);
    }
};

template <u32 K, u32 N>
struct Values<DT_Q6K, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 c, u32 j, float (&v)[8]) {
        constexpr u64 ELEMENTS = (u64)N * K;
        u64 b = block_of<32, K>(row, c, j);
        u32 q[8];
        codes<6, true>(w, ELEMENTS, b, j, q);
        float s = (float)(i8)w[ELEMENTS / 4 * 3 + block_of<16, K>(row, c, j)];
        scaled(q, 32, f16_to_f32(at<u16>(w + ELEMENTS / 16 * 13 + block_of<256, K>(row, c, j) * 2)) * s, v);
    }
};

template <u32 K, u32 N>
struct Values<DT_IQ4_XS, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 c, u32 j, float (&v)[8]) {
        u64 b = block_of<32, K>(row, c, j);
        u32 g = c % 8;
        places<Iq4Table, true>(w, b, j, v);
        uint2 head = at<uint2>(w + (u64)N * (K / 2) + block_of<256, K>(row, c, j) * 8);
        int s = (int)((head.y >> (4 * g) & 15u) | (head.x >> (16 + 2 * g) & 3u) << 4) - 32;
        times(f16_to_f32((u16)head.x) * (float)s, v);
    }
};

// --- Small floats ---

template <u32 K, u32 N>
struct Values<DT_MXFP4, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 c, u32 j, float (&v)[8]) {
        u64 b = block_of<32, K>(row, c, j);
        places<E2m1Table, false>(w, b, j, v);
        times(e8m0_half(w[(u64)N * (K / 2) + b]), v);
    }
};

template <u32 K, u32 N>
struct Values<DT_NVFP4, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 c, u32 j, float (&v)[8]) {
        u64 b = block_of<32, K>(row, c, j);
        places<E2m1Table, false>(w, b, j, v);
        times(ue4m3_half(w[(u64)N * (K / 2) + block_of<16, K>(row, c, j)]), v);
    }
};

template <u32 K, u32 N>
struct Values<DT_MXFP8, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 c, u32 j, float (&v)[8]) {
        u64 b = block_of<32, K>(row, c, j);
        uint2 q = at<uint2>(w + b * 32 + j * 8);
        e4m3(q.x, v), e4m3(q.y, v + 4);
        times(e8m0(w[(u64)N * K + b]), v);
    }
};

// --- To 16 bits ---

// Eight values as f16, saturated, or as bf16.
template <bool F16>
DEVICE uint4 sixteen_bits(const float (&v)[8]) {
    u32 o[4];
#pragma unroll
    for (u32 j = 0; j < 4; j++) {
        if constexpr (F16) {
            asm("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(o[j]) : "f"(v[2 * j + 1]), "f"(v[2 * j]));
        } else {
            o[j] = f32_to_bf16x2(v[2 * j], v[2 * j + 1]);
        }
    }
    return make_uint4(o[0], o[1], o[2], o[3]);
}
