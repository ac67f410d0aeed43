// Tiles of a KV cache in shared memory, for the attention kernels. A stage holds what was copied: rows of 16-bit
// elements, STRIDE bytes apart, or of q8_0 rows of HD codes, CODE_ROW bytes apart, and then `[TILE, HD / 32]` scales. The including file
// defines HD, TILE, THREADS, STRIDE and CODE_ROW.

constexpr u32 TILE_BYTES = TILE * STRIDE;
constexpr bool K_CODES = C_K_TYPE == KV_Q8_0, V_CODES = C_V_TYPE == KV_Q8_0;
constexpr u32 CODE_BYTES = TILE * CODE_ROW;
constexpr u32 K_STAGE = K_CODES ? CODE_BYTES + TILE * HD / 16 : TILE_BYTES;
constexpr u32 V_STAGE = V_CODES ? CODE_BYTES + TILE * HD / 16 : TILE_BYTES;
constexpr u32 STAGE_BYTES = K_STAGE + V_STAGE;
// Pieces of 16 bytes.
constexpr u32 CODE_PIECES = TILE * HD / 16, SCALE_PIECES = TILE * HD / 256;
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
    const u8 *low = kv_values<KV_Q8_0>(cache, lower), *high = kv_values<KV_Q8_0>(cache, upper) - TILE * HD / 2;
    const u8 *low_scales = kv_scales(cache, lower), *high_scales = kv_scales(cache, upper) - SCALE_PIECES * 8;
#pragma unroll
    for (u32 j = 0; j < (N + THREADS - 1) / THREADS; j++) {
        u32 i = threadIdx.x + j * THREADS;
        if (N % THREADS != 0 && i >= N) break;
        if (i < CODE_PIECES) {
            u32 row = i / (HD / 16);
            if (row >= limit || (skip >> row & 1)) continue;
            copy_async(at + row * CODE_ROW + i % (HD / 16) * 16, (row < TILE / 2 ? low : high) + 16 * i, 16);
        } else {
            u32 k = i - CODE_PIECES;
            // The first of the rows that the piece has scales of.
            if (k * 256 / HD >= limit) continue;
            copy_async(at + CODE_BYTES + 16 * k, (k < SCALE_PIECES / 2 ? low_scales : high_scales) + 16 * k, 16);
        }
    }
}
