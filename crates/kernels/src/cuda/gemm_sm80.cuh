// Products of many rows with `mma.sync` (compute capability 8.0 and later): a ring of stages filled by asynchronous
// copies, 8 warps in 2 rows of 4, each with TILE_M / 2 rows and 32 weight rows of the tile.
//
// A stage has 64 columns of the tile's rows of x, then of its rows of w, in rows of 128 bytes whose 16-byte chunks are
// swapped by the row number, so that a matrix load touches every bank once.
//
// Defines: TILE_M, TILE_N (128), TILE_STAGES, TILE_BAND.

#define GEMM_ENTRY __launch_bounds__(256)
#define GEMM_MAPS
#define GEMM_RUN(e, step, x, w) gemm(e, step, x, w)

extern __shared__ __align__(128) u8 gemm_shared[];

template <class E>
DEVICE void gemm(const E& e, const Header* step, const u8* x, const u8* w) {
    constexpr u32 STEPS = ceil_div(E::K, 64), ACROSS = ceil_div(E::OUTPUTS, TILE_OUT<E>);
    constexpr u32 X_BYTES = TILE_M * 128, STAGE = X_BYTES + TILE_N * 128, X_STRIDE = act_row_bytes(C_ACT, E::K);
    // Fragments of 16 rows that a warp has.
    constexpr u32 HIGH = TILE_M / 32;
    static_assert(TILE_N == 128, "four warps of 32");

    u32 base = shared_address(gemm_shared);
    u32 lane = threadIdx.x % 32, warp_row = threadIdx.x / 128 * (TILE_M / 2), warp_column = threadIdx.x / 32 % 4 * 32;
    launch_dependents();
    wait_dependencies();
    u32 rows = active_rows<E>(step);
    u32 down = ceil_div(rows, TILE_M), tiles = down * ACROSS;

    for (u32 t = blockIdx.x; t < tiles; t += gridDim.x) {
        TilePlace at = tile_place<TILE_BAND>(t, down, ACROSS);
        u32 row = at.row * TILE_M, column = at.column * TILE_OUT<E>;

        auto load = [&](u32 k) {
            u32 to = base + k % TILE_STAGES * STAGE;
            // A thread copies the same chunk of rows 32 apart.
            u32 chunk = threadIdx.x % 8, at_k = k * 64 + chunk * 8;
#pragma unroll
            for (u32 i = 0; i < TILE_M / 32; i++) {
                u32 r = i * 32 + threadIdx.x / 8;
                bool inside = row + r < rows && at_k < E::K;
                copy_chunk(to + chunk_at(r, chunk), inside ? x + (u64)(row + r) * X_STRIDE + at_k * 2 : x, inside);
            }
#pragma unroll
            for (u32 i = 0; i < TILE_N / 32; i++) {
                u32 r = i * 32 + threadIdx.x / 8, from = column + r;
                // When paired, each warp's rows are 16 gates and their 16 ups.
                if constexpr (E::PAIRED) from = column + r / 32 * 16 + r % 16 + r % 32 / 16 * E::OUTPUTS;
                bool inside = from < E::ROWS && at_k < E::K;
                copy_chunk(to + X_BYTES + chunk_at(r, chunk), inside ? w + ((u64)from * E::K + at_k) * 2 : w, inside);
            }
        };
        auto commit = [] { asm volatile("cp.async.commit_group;" ::: "memory"); };

        float acc[HIGH][16];
#pragma unroll
        for (u32 i = 0; i < HIGH; i++) {
#pragma unroll
            for (u32 j = 0; j < 16; j++) acc[i][j] = 0.0f;
        }
        // The stages may still be read for the tile before.
        __syncthreads();
#pragma unroll
        for (u32 k = 0; k < TILE_STAGES - 1; k++) {
            if (k < STEPS) load(k);
            commit();
        }
        for (u32 k = 0; k < STEPS; k++) {
            asm volatile("cp.async.wait_group %0;" ::"n"(TILE_STAGES - 2) : "memory");
            // Everybody's copies of this stage are here, and nobody reads the stage that is filled next.
            __syncthreads();
            if (k + TILE_STAGES - 1 < STEPS) load(k + TILE_STAGES - 1);
            commit();
            u32 from = base + k % TILE_STAGES * STAGE;
#pragma unroll
            for (u32 j = 0; j < 4; j++) {
                u32 a[HIGH][4], b[2][4];
#pragma unroll
                for (u32 i = 0; i < HIGH; i++) {
                    load_matrices(a[i], from + chunk_at(warp_row + i * 16 + lane % 16, 2 * j + lane / 16));
                }
#pragma unroll
                for (u32 i = 0; i < 2; i++) {
                    u32 r = warp_column + i * 16 + lane / 16 * 8 + lane % 8;
                    load_matrices(b[i], from + X_BYTES + chunk_at(r, 2 * j + lane / 8 % 2));
                }
#pragma unroll
                for (u32 i = 0; i < HIGH; i++) {
#pragma unroll
                    for (u32 n = 0; n < 4; n++) multiply(acc[i] + 4 * n, a[i], b[n / 2][n % 2 * 2], b[n / 2][n % 2 * 2 + 1]);
                }
            }
        }
        u32 out_column = column + (E::PAIRED ? warp_column / 2 : warp_column) + lane % 4 * 2;
#pragma unroll
        for (u32 i = 0; i < HIGH; i++) {
            Results<E, 4> results = {row + warp_row + i * 16 + lane / 4, out_column, rows};
            results.fetch(e, 0);
            results.put(e, acc[i]);
        }
    }
}
