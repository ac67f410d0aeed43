// Formats of the KV cache (kv.rs): a tile holds 256 positions of one KV head, as `[256, head_dim]` elements of 16 bits,
// or in q8_0 as `[256, head_dim]` codes and then `[256, head_dim / 32]` f16 scales. f32 is not here.

enum { KV_F16 = 0, KV_F32 = 1, KV_BF16 = 2, KV_Q8_0 = 3 };

// Bytes of a position's elements or codes, and of a tile.
constexpr __host__ __device__ u32 kv_width(u32 type) {
    return type == KV_Q8_0 ? C_HEAD_DIM : 2 * C_HEAD_DIM;
}

constexpr __host__ __device__ u32 kv_tile_bytes(u32 type) {
    return KV_BLOCK * (kv_width(type) + (type == KV_Q8_0 ? C_HEAD_DIM / 16 : 0));
}

static_assert((C_K_TYPE != KV_Q8_0 && C_V_TYPE != KV_Q8_0) || C_HEAD_DIM % 32 == 0, "as check in kv/mod.rs");
static_assert(C_K_TYPE != KV_F32 && C_V_TYPE != KV_F32, "as check_cuda in kv/mod.rs");

// A position of a KV head: 256 times its tile and the row in it.
DEVICE u64 kv_slot_in(u32 block, u32 head, u32 pos) {
    return ((u64)block * C_KV_HEADS + head) * KV_BLOCK + pos % KV_BLOCK;
}

DEVICE u64 kv_slot(const u32* block_table, u32 head, u32 pos) {
    return kv_slot_in(block_table[pos / KV_BLOCK], head, pos);
}

// Where a slot's elements or codes begin.
template <u32 TYPE, class Byte>
DEVICE Byte* kv_values(Byte* cache, u64 slot) {
    return cache + slot / KV_BLOCK * kv_tile_bytes(TYPE) + slot % KV_BLOCK * kv_width(TYPE);
}

// Where a slot's scales of q8_0 begin.
template <class Byte>
DEVICE Byte* kv_scales(Byte* cache, u64 slot) {
    return cache + slot / KV_BLOCK * kv_tile_bytes(KV_Q8_0) + KV_BLOCK * C_HEAD_DIM + slot % KV_BLOCK * (C_HEAD_DIM / 16);
}

// Values in the 16 bits that a product on a cache of this format takes: bf16 for bf16, else f16.
template <u32 TYPE>
DEVICE u16 to_16(float v) {
    if constexpr (TYPE == KV_BF16) return f32_to_bf16(v);
    return f32_to_f16(v);
}

template <u32 TYPE>
DEVICE float from_16(u16 v) {
    if constexpr (TYPE == KV_BF16) return bf16_to_f32(v);
    return f16_to_f32(v);
}

template <u32 TYPE>
DEVICE u32 to_16x2(float lo, float hi) {
    if constexpr (TYPE == KV_BF16) return f32_to_bf16x2(lo, hi);
    return f32_to_f16x2(lo, hi);
}

// A value of q8_0.
struct Code {
    i32 code;
    u16 scale;
};

// Quantizes a group of 32 values, one a lane, as `group` in kv.rs does: the scale is rounded first, and one value that
// is no finite number makes the group NaN. All lanes of the warp take part.
DEVICE Code kv_quantize(float v) {
    u32 most = __reduce_max_sync(0xffffffffu, __float_as_uint(v) & 0x7fffffffu);
    if (most >= 0x7f800000u) return {1, 0x7e00};
    u16 scale = f32_to_f16(fminf(__uint_as_float(most) * (1.0f / 127.0f), 65504.0f));
    float wide = f16_to_f32(scale), inverse = wide > 0.0f ? 1.0f / wide : 0.0f;
    return {__float2int_rn(fminf(fmaxf(v * inverse, -127.0f), 127.0f)), scale};
}

// Four codes times their scales as f16; each product is rounded once. A code c is the byte c + 128 in a f16 between 1024 and 2048, less 1152.
// Selectors of PRMT say which codes are the first pair and which the second one. `scales` has those of a pair.
template <u32 FIRST = 0x4140, u32 SECOND = 0x4342>
DEVICE uint2 kv_widen(u32 codes, u32 scales) {
    u32 bytes = codes ^ 0x80808080u;
    uint2 r;
    asm("{\n.reg .b32 a, b;\n"
        "prmt.b32 a, %2, 0x64646464, %5;\n"
        "prmt.b32 b, %2, 0x64646464, %6;\n"
        "sub.rn.f16x2 a, a, %4;\n"
        "sub.rn.f16x2 b, b, %4;\n"
        "mul.rn.f16x2 %0, a, %3;\n"
        "mul.rn.f16x2 %1, b, %3;\n}"
        : "=r"(r.x), "=r"(r.y)
        : "r"(bytes), "r"(scales), "r"(0x64806480u), "n"(FIRST), "n"(SECOND));
    return r;
}

// Four neighbouring codes of a key, of its 16 columns number `k`, as two pairs. `scales` is of the two groups that `k` is in.
DEVICE uint2 kv_widen_key(u32 codes, u32 scales, u32 k) {
    return kv_widen(codes, __byte_perm(scales, 0, k % 4 < 2 ? 0x1010 : 0x3232));
}

// Values as matrix loads transpose them, two columns of one position and of the next one, as a pair of positions of each column.
DEVICE uint2 kv_widen_values(u32 codes, u32 scales) {
    return kv_widen<0x4240, 0x4341>(codes, scales);
}

// Scales of groups 2 i and 2 i + 1 of a row in shared memory, where those of all rows begin at `scales`; where there is one group, the second
// one is zero.
DEVICE u32 scales_at(u32 scales, u32 row, u32 i) {
    u32 at = scales + row * (C_HEAD_DIM / 16) + 4 * i, both;
    if constexpr (C_HEAD_DIM % 64 == 0) {
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(both) : "r"(at));
    } else {
        u16 one, other = 0;
        asm volatile("ld.shared.u16 %0, [%1];" : "=h"(one) : "r"(at));
        if (64 * i + 32 < C_HEAD_DIM) asm volatile("ld.shared.u16 %0, [%1];" : "=h"(other) : "r"(at + 2));
        both = one | (u32)other << 16;
    }
    return both;
}

// Scales of groups 2 i and 2 i + 1, of four positions of a lane that a fragment has side by side: 2 (lane % 4) and the next one from row `row` on, then
// those eight further. Positions from `valid` on have none, since what lies there may not be a number.
DEVICE void position_scales(u32 (&scales)[2][2], u32 from, u32 row, u32 i, u32 valid) {
#pragma unroll
    for (u32 half = 0; half < 2; half++) {
        u32 at = row + threadIdx.x % 4 * 2 + 8 * half, first = scales_at(from, at, i), second = scales_at(from, at + 1, i);
        scales[half][0] = __byte_perm(first, second, 0x5410), scales[half][1] = __byte_perm(first, second, 0x7632);
        if (valid < row + 16) {
            u32 seen = at >= valid ? 0 : at + 1 >= valid ? 0xffff : 0xffffffff;
            scales[half][0] &= seen, scales[half][1] &= seen;
        }
    }
}
