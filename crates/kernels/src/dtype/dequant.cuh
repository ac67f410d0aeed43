// Eight neighbouring values of a weight row, for kernels that need the values themselves. Layouts as in dot.cuh.

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

// Eight nibbles of a block of 32: values 0..15 in the low halves of its bytes, 16..31 in the high ones.
DEVICE void nibbles(const u8* block, u32 i, float (&v)[8]) {
    uint2 q = *reinterpret_cast<const uint2*>(block + i % 16);
    u32 shift = i / 16 * 4;
#pragma unroll
    for (int j = 0; j < 8; j++) {
        u32 word = j < 4 ? q.x : q.y;
        v[j] = (float)((word >> (j % 4 * 8 + shift)) & 15u);
    }
}

template <u32 K, u32 N>
struct Values<DT_Q4_0, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 i, float (&v)[8]) {
        u64 block = (u64)row * (K / 32) + i / 32;
        nibbles(w + block * 16, i % 32, v);
        float d = f16_to_f32(*reinterpret_cast<const u16*>(w + (u64)N * (K / 2) + block * 2));
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = (v[j] - 8.0f) * d;
    }
};

template <u32 K, u32 N>
struct Values<DT_Q4_1, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 i, float (&v)[8]) {
        u64 block = (u64)row * (K / 32) + i / 32;
        nibbles(w + block * 16, i % 32, v);
        u32 dm = *reinterpret_cast<const u32*>(w + (u64)N * (K / 2) + block * 4);
        float d = f16_to_f32((u16)dm), m = f16_to_f32((u16)(dm >> 16));
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = __fadd_rn(__fmul_rn(v[j], d), m);
    }
};

template <u32 K, u32 N>
struct Values<DT_Q8_0, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 i, float (&v)[8]) {
        uint2 q = *reinterpret_cast<const uint2*>(w + (u64)row * K + i);
        u64 block = (u64)row * (K / 32) + i / 32;
        float d = f16_to_f32(*reinterpret_cast<const u16*>(w + (u64)N * K + block * 2));
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = (float)(i8)((j < 4 ? q.x : q.y) >> (j % 4 * 8)) * d;
    }
};

template <u32 K, u32 N>
struct Values<DT_Q6K, K, N> {
    static DEVICE void eight(const u8* w, u32 row, u32 i, float (&v)[8]) {
        constexpr u64 BLOCKS = (u64)N * (K / 256);
        u64 block = (u64)row * (K / 256) + i / 256;
        u32 e = i % 256, half = e / 128, quarter = e % 128 / 32, l = e % 32;
        // Quarters 0 and 1 are low nibbles of two runs of 32 bytes, 2 and 3 the high ones.
        uint2 low = *reinterpret_cast<const uint2*>(w + block * 128 + half * 64 + quarter % 2 * 32 + l);
        uint2 high = *reinterpret_cast<const uint2*>(w + BLOCKS * 128 + block * 64 + half * 32 + l);
        float s = (float)(i8)w[BLOCKS * 192 + block * 16 + half * 8 + quarter * 2 + l / 16];
        float d = f16_to_f32(*reinterpret_cast<const u16*>(w + BLOCKS * 208 + block * 2));
        u32 nibble = quarter / 2 * 4, bits = quarter * 2;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            u32 a = (j < 4 ? low.x : low.y) >> (j % 4 * 8 + nibble);
            u32 b = (j < 4 ? high.x : high.y) >> (j % 4 * 8 + bits);
            v[j] = d * s * (float)((int)((a & 15u) | (b & 3u) << 4) - 32);
        }
    }
};
