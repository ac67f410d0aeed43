// The shape of `attention`'s work.

constexpr u32 HD = C_HEAD_DIM, GROUP = C_HEADS / C_KV_HEADS;
constexpr u32 BM = BLOCK_ROWS, MT = ROW_TILES;      // rows; fragments of 16 rows per warp
constexpr u32 WARPS = BM / (16 * MT), THREADS = 32 * WARPS;
constexpr u32 TILE = HD <= 128 ? 64 : 32;          // positions; divides the cache's block
constexpr u32 STRIDE = 2 * HD + 16;                // bytes of a row in shared memory: an odd number of 16
constexpr u32 CODE_ROW = HD;                       // bytes of a row of codes; `widen_tile` reads them without gaps
constexpr u32 OUT_ROW = act_row_bytes(C_ACT, C_HEADS * HD);
static_assert(HD % 16 == 0, "as attention/mod.rs says");
