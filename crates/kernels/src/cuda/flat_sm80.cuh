// Products of 9 to some hundred rows with `mma.sync` (compute capability 8.0 and later), of weights in planes: two stages filled
// by asynchronous copies, each 256 columns of weights as they lie and of activations. Each of 8 warps has 16 weight rows of the
// tile and all its activation rows; a block has all parts of k, one after the other.
//
// Defines: those of flat.cuh; FLAT_M is 128.

#define GEMM_ENTRY __launch_bounds__(256, 1)
#define GEMM_MAPS
#define GEMM_RUN(e, step, x, w) flat(e, step, x, w)

extern __shared__ __align__(1024) u8 flat_shared[];

template <class E>
DEVICE void flat(const E& e, const Header* step, const u8* x, const u8* w) {
    typedef Raw<C_DTYPE, FLAT_M> R;
    typedef RawCopy<typename R::P, C_K, E::ROWS, FLAT_M, E::PAIRED ? E::OUTPUTS : FLAT_M / 2, 256> Copy;
    constexpr u32 W_BYTES = R::P::ROW * FLAT_M, PANEL = FLAT_N * 128, STAGE = 4 * PANEL + W_BYTES;
    constexpr u32 X_STRIDE = act_row_bytes(C_ACT, C_K);
    static_assert(FLAT_M == 128, "eight warps of 16");

    u32 base = shared_address(flat_shared), lane = threadIdx.x % 32, t = lane % 4;
    u32 warp_row = threadIdx.x / 32 * 16, weight = warp_row + lane / 4;
    launch_dependents();
    wait_dependencies();
    u32 rows = active_rows<E>(step), down = ceil_div(rows, FLAT_N);

    for (u32 u = blockIdx.x; u < FLAT_TILES<E> * down; u += gridDim.x) {
        u32 row = u % down * FLAT_N, column = u / down * FLAT_OUT<E>;
        auto load = [&](u32 k) {
            u32 to = base + k % 2 * STAGE;
            for (u32 i = threadIdx.x; i < FLAT_N * 32; i += 256) {
                u32 chunk = i % 8, panel = i / 8 % 4, r = i / 32, at_k = k * 256 + panel * 64 + chunk * 8;
                bool inside = row + r < rows && at_k < C_K;
                copy_chunk(to + panel * PANEL + chunk_at(r, chunk), inside ? x + (u64)(row + r) * X_STRIDE + at_k * 2 : x, inside);
            }
            bool all = column + FLAT_OUT<E> <= E::OUTPUTS;
            Copy::copy(to + 4 * PANEL, w, column, all, k, threadIdx.x, [&](u32 i) { return flat_row<E>(column, i); });
            asm volatile("cp.async.commit_group;" ::: "memory");
        };
        u32 place = flat_row<E>(column, weight) * FLAT_UNITS, place8 = flat_row<E>(column, weight + 8) * FLAT_UNITS;
        float sum[FLAT_N / 2], acc[FLAT_N / 2];
        // The stages may still be read for the tile before.
        __syncthreads();
        load(0);
        for (u32 part = 0, k = 0; part < FLAT_SPLIT; part++) {
#pragma unroll
            for (u32 i = 0; i < FLAT_N / 2; i++) acc[i] = 0.0f;
            for (; k < flat_cut(part + 1); k++) {
                asm volatile("cp.async.wait_group 0;" ::: "memory");
                // Everybody's copies of this stage are here, and nobody reads the stage that is filled next.
                __syncthreads();
                if (k + 1 < FLAT_UNITS) load(k + 1);
                u32 xs = base + k % 2 * STAGE, stage = xs + 4 * PANEL;
                auto a = R::load(stage, weight, place + k), b = R::load(stage, weight + 8, place8 + k);
#pragma unroll
                for (u32 c = 0; c < 8; c++) {
                    u32 q[4], q8[4];
                    R::block(stage, weight, 0, a, c, t, q);
                    R::block(stage, weight, 8, b, c, t, q8);
#pragma unroll
                    for (u32 i = 0; i < 2; i++) {
                        u32 f[4] = {q[2 * i], q8[2 * i], q[2 * i + 1], q8[2 * i + 1]};
#pragma unroll
                        for (u32 n = 0; n < FLAT_N / 16; n++) {
                            u32 m[4];
                            u32 r = n * 16 + lane / 16 * 8 + lane % 8, chunk = c % 2 * 4 + 2 * i + lane / 8 % 2;
                            load_matrices(m, xs + c / 2 * PANEL + chunk_at(r, chunk));
                            multiply(acc + 8 * n, f, m[0], m[1]);
                            multiply(acc + 8 * n + 4, f, m[2], m[3]);
                        }
                    }
                }
            }
#pragma unroll
            for (u32 i = 0; i < FLAT_N / 2; i++) sum[i] = part == 0 ? acc[i] : sum[i] + acc[i];
        }
        if constexpr (E::PAIRED) {
            // The second half of the warps has the ups of the first half's gates.
            __syncthreads();
            float* ups = reinterpret_cast<float*>(flat_shared) + threadIdx.x % 128;
            if (threadIdx.x >= 128) {
#pragma unroll
                for (u32 i = 0; i < FLAT_N / 2; i++) ups[i * 128] = sum[i];
            }
            __syncthreads();
            if (threadIdx.x < 128) {
#pragma unroll
                for (u32 i = 0; i < FLAT_N / 2; i++) acc[i] = ups[i * 128];
            }
        }
        if (E::PAIRED && threadIdx.x >= 128) continue;
#pragma unroll
        for (u32 j = 0; j < FLAT_N / 4; j++) {
            u32 i = 2 * j;
            FlatPlace p = flat_place(row + j / 2 * 8, column + warp_row + j % 2 * 8);
            float2 a = flat_turn(sum[i] * GEMM_UNSCALE, sum[i + 1] * GEMM_UNSCALE), b = a, f = a;
            if constexpr (E::PAIRED) b = flat_turn(acc[i] * GEMM_UNSCALE, acc[i + 1] * GEMM_UNSCALE);
            if (p.row < rows && p.column < E::OUTPUTS) {
                if constexpr (E::FETCHES) f = e.fetch(p.row, p.column);
                e.put(p.row, p.column, a, b, f);
            }
        }
    }
}
