// Tiles of a KV cache in shared memory, for the attention kernels. A stage holds what was copied: rows of 16-bit
// elements, STRIDE bytes apart, or of q8_0 `[TILE, HD]` codes and then `[TILE, HD / 32]` scales, which `widen_tile` turns
// into such rows. The including file defines HD, TILE, THREADS and STRIDE.

constexpr u32 TILE_BYTES = TILE * STRIDE;
constexpr bool K_CODES = C_K_TYPE == KV_Q8_0, V_CODES = C_V_TYPE == KV_Q8_0;
constexpr u32 CODE_BYTES = TILE * HD;
constexpr u32 K_STAGE = K_CODES ? CODE_BYTES + TILE * HD / 16 : TILE_BYTES;
constexpr u32 V_STAGE = V_CODES ? CODE_BYTES + TILE * HD / 16 : TILE_BYTES;
constexpr u32 STAGE_BYTES = K_STAGE + V_STAGE;
constexpr u32 WIDE_BYTES = (K_CODES + V_CODES) * TILE_BYTES;
// Pieces of 16 bytes.
constexpr u32 CODE_PIECES = CODE_BYTES / 16, SCALE_PIECES = TILE * HD / 256;
static_assert(KV_BLOCK % TILE == 0 && TILE % 32 == 0, "half a tile is whole pieces of scales, and lies in one block");

// Products of 16-bit operands, as the format of the cache side has them.
template <u32 TYPE>
DEVICE void mma_as(float (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
    if constexpr (TYPE == KV_BF16) {
        mma_bf16(c, a, b0, b1);
    } else {
        mma(c, a, b0, b1);
    }
}

// Starts the copies of a tile's codes and scales. `lower` and `upper` are the slots of its halves. Rows from `limit` on
// (a multiple of 16) are not needed; those whose bit is set in `skip` are written meanwhile and come from elsewhere. Their
// scales may share a piece with others' and are copied with those.
DEVICE void copy_codes(const u8* cache, u32 at, u64 lower, u64 upper, u32 limit, u64 skip) {
    constexpr u32 N = CODE_PIECES + SCALE_PIECES;
    const u8 *low = kv_values<KV_Q8_0>(cache, lower), *high = kv_values<KV_Q8_0>(cache, upper) - CODE_BYTES / 2;
    const u8 *low_scales = kv_scales(cache, lower), *high_scales = kv_scales(cache, upper) - SCALE_PIECES * 8;
#pragma unroll
    for (u32 j = 0; j < (N + THREADS - 1) / THREADS; j++) {
        u32 i = threadIdx.x + j * THREADS;
        if (N % THREADS != 0 && i >= N) break;
        if (i < CODE_PIECES) {
            u32 row = i / (HD / 16);
            if (row >= limit || (skip >> row & 1)) continue;
            copy_async(at + 16 * i, (row < TILE / 2 ? low : high) + 16 * i, 16);
        } else {
            u32 k = i - CODE_PIECES;
            // The first of the rows that the piece has scales of.
            if (k * 256 / HD >= limit) continue;
            copy_async(at + 16 * i, (k < SCALE_PIECES / 2 ? low_scales : high_scales) + 16 * k, 16);
        }
    }
}

// Turns the codes at `from` into rows of f16 at `to`. Rows from `count` on are zero, since what lies there may be anything.
DEVICE void widen_tile(u32 from, u32 to, u32 count) {
    constexpr u32 PARTS = HD / 8, N = TILE * PARTS;
#pragma unroll 4
    for (u32 i = threadIdx.x; i < N; i += THREADS) {
        u32 row = i / PARTS, part = i % PARTS;
        u32 x, y;
        u16 scale;
        asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(from + 8 * i) : "memory");
        asm volatile("ld.shared.u16 %0, [%1];"
                     : "=h"(scale)
                     : "r"(from + CODE_BYTES + 2 * (row * (HD / 32) + part / 4))
                     : "memory");
        u32 scales = scale * 0x10001u;
        uint2 a = kv_widen(x, scales), b = kv_widen(y, scales);
        if (row >= count) a = b = make_uint2(0, 0);
        asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to + row * STRIDE + 16 * part), "r"(a.x), "r"(a.y),
                     "r"(b.x), "r"(b.y)
                     : "memory");
    }
}
