// The shape of `rope_kv_attention`'s tiles.

constexpr u32 HD = C_HEAD_DIM;
constexpr u32 TILE = 64;                               // positions; 16 for each of 4 warps
constexpr u32 THREADS = 128 * Q_TILES;
constexpr u32 STRIDE = 2 * HD + 16;                    // bytes of a row in shared memory: an odd number of 16
constexpr u32 CODE_ROW = HD + 16;                      // of a row of codes, likewise
