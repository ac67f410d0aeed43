// Products of many rows on Hopper: the tensor copy engine fills a ring of stages, two warpgroups multiply from it with
// `wgmma`.
//
// Warpgroup 0 is the producer (one thread of it works); 1 and 2 are consumers, each with 64 rows of the tile, or, in
// tiles of 64 rows, each with half of the columns. A stage has 64 columns of the tile's rows of x, then of its rows of
// w, in rows of 128 bytes with the 128-byte swizzle that both engines know. With TILE_CLUSTER 2, two blocks with
// neighbouring rows of x share the same weights: each fetches half of them for both.
//
// With TILE_SPLIT above 1, k is cut into so many parts, of neighbouring clusters, which are a team and take the same tiles; see
// exchange.cuh.
//
// (Consumers that take whole tiles in turns, one multiplying while the other writes, were slower: their tiles are
// smaller, so each product costs more reads of shared memory.)
//
// Defines: TILE_M, TILE_N, TILE_STAGES, TILE_CLUSTER, TILE_BOX (weight rows of one copy), TILE_BAND, TILE_SPLIT.

#define GEMM_ENTRY __launch_bounds__(384, 1) __cluster_dims__(TILE_CLUSTER, 1, 1)
#if TILE_SPLIT > 1
#define GEMM_MAPS , u8* exchange, const __grid_constant__ TensorMap x_map, const __grid_constant__ TensorMap w_map
#define GEMM_RUN(e, step, x, w) gemm(e, step, exchange, x_map, w_map)
#else
#define GEMM_MAPS , const __grid_constant__ TensorMap x_map, const __grid_constant__ TensorMap w_map
#define GEMM_RUN(e, step, x, w) gemm(e, step, nullptr, x_map, w_map)
#endif

// Arrives at the same barrier of block `rank` of the cluster. What it reports is that `wgmma` has read a stage, which the wait for
// `wgmma` orders.
DEVICE void barrier_arrive(u32 barrier, u32 rank) {
    if constexpr (TILE_CLUSTER == 1) barrier_arrive(barrier);
    else barrier_arrive_at(barrier, rank);
}

DEVICE u32 cluster_rank() {
    u32 r = 0;
    if constexpr (TILE_CLUSTER > 1) asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}

// All threads of the cluster.
DEVICE void cluster_sync() {
    if constexpr (TILE_CLUSTER == 1) {
        __syncthreads();
    } else {
        // Whole warps arrive, also where one thread alone worked before.
        __syncwarp();
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    }
}

// --- Copies ---

// `copy_box` into every block of the cluster, at the same place, reporting to the same barrier of each.
DEVICE void copy_box_to_all(u32 to, const TensorMap& map, u32 column, u32 row, u32 barrier) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
        "l"(&map), "r"(column), "r"(row), "r"(barrier), "h"((u16)((1 << TILE_CLUSTER) - 1))
        : "memory");
}

// --- The kernel ---

extern __shared__ u8 gemm_shared[];

template <class E>
DEVICE void gemm(const E& e, const Header* step, u8* memory, const TensorMap& x_map, const TensorMap& w_map) {
    constexpr u32 PANELS = ceil_div(E::K, 64), ACROSS = ceil_div(E::OUTPUTS, TILE_OUT<E>);
    constexpr u32 X_BYTES = TILE_M * 128, W_BYTES = TILE_N * 128, STAGE = X_BYTES + W_BYTES;
    // Consumers beside each other, and the weight rows of each.
    constexpr u32 BESIDE = TILE_M == 64 ? 2 : 1, WIDTH = TILE_N / BESIDE;
    constexpr u32 BOXES = TILE_N / TILE_BOX;
    static_assert(BOXES % TILE_CLUSTER == 0 && TILE_BOX % 8 == 0, "copies are shared evenly, in whole swizzles");
    static_assert(!E::PAIRED || BOXES == 2 * BESIDE, "a box has gates or ups of one consumer");
    static_assert(TILE_SPLIT == 1 || !E::PAIRED, "gates and ups have k in one part");

    u32 base = (shared_address(gemm_shared) + 1023) & ~1023u;
    u32 full = base + TILE_STAGES * STAGE, empty = full + TILE_STAGES * 8;
    u32 group = threadIdx.x / 128, rank = cluster_rank();
    launch_dependents();
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&x_map) : "memory");
        asm volatile("prefetch.tensormap [%0];" ::"l"(&w_map) : "memory");
        for (u32 s = 0; s < TILE_STAGES; s++) {
            barrier_init(full + 8 * s, 1);
            // Every consuming warp of the cluster.
            barrier_init(empty + 8 * s, 8 * TILE_CLUSTER);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    // Nobody arrives at a barrier that is not there yet.
    cluster_sync();
    wait_dependencies();
    u32 rows = active_rows<E>(step);
    u32 down = ceil_div(rows, TILE_M * TILE_CLUSTER), tiles = down * ACROSS;
    u32 stage = 0, parity = 0;
    // The part of k that this cluster has of its team's tiles, cut where flat.cuh cuts.
    u32 cluster = blockIdx.x / TILE_CLUSTER, team = cluster / TILE_SPLIT, teams = gridDim.x / TILE_CLUSTER / TILE_SPLIT;
    u32 part = cluster % TILE_SPLIT;
    u32 begin = part * ceil_div(E::K, 256) / TILE_SPLIT * 4, end = min((part + 1) * ceil_div(E::K, 256) / TILE_SPLIT * 4, PANELS);

    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            // The inputs were written by ordinary stores of earlier kernels; the copy engine reads them by another
            // path, which the wait alone does not order.
            asm volatile("fence.proxy.async.global;" ::: "memory");
            for (u32 t = team; t < tiles; t += teams) {
                TilePlace at = tile_place<TILE_BAND>(t, down, ACROSS);
                u32 row = (at.row * TILE_CLUSTER + rank) * TILE_M, column = at.column * TILE_OUT<E>;
                for (u32 k = begin; k < end; k++) {
                    u32 to = base + stage * STAGE, barrier = full + 8 * stage;
                    barrier_wait(empty + 8 * stage, parity ^ 1);
                    barrier_expect(barrier, STAGE);
                    copy_box(to, x_map, k * 64, row, barrier);
#pragma unroll
                    for (u32 i = 0; i < BOXES / TILE_CLUSTER; i++) {
                        u32 box = i * TILE_CLUSTER + rank;
                        u32 from = E::PAIRED ? box % 2 * E::OUTPUTS + column + box / 2 * TILE_BOX
                                             : column + box * TILE_BOX;
                        u32 box_to = to + X_BYTES + box * TILE_BOX * 128;
                        if constexpr (TILE_CLUSTER == 1) {
                            copy_box(box_to, w_map, k * 64, from, barrier);
                        } else {
                            copy_box_to_all(box_to, w_map, k * 64, from, barrier);
                        }
                    }
                    if (++stage == TILE_STAGES) stage = 0, parity ^= 1;
                }
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        u32 consumer = group - 1, lane = threadIdx.x % 32;
        // This consumer's part of a tile.
        u32 row_in = BESIDE == 1 ? consumer * 64 : 0, column_in = BESIDE == 1 ? 0 : consumer * WIDTH;
        u32 x_at = base + row_in * 128, w_at = base + X_BYTES + column_in * 128;
#if TILE_SPLIT > 1
        Exchange<TILE_SPLIT, WIDTH / 8> exchange(memory, (team * TILE_CLUSTER + rank) * 2 + consumer, part, 1 + consumer);
#endif
        for (u32 t = team; t < tiles; t += teams) {
            float acc[WIDTH / 2];
            u32 before = 0;
            for (u32 k = begin; k < end; k++) {
                barrier_wait(full + 8 * stage, parity);
                u64 a = matrix_descriptor(x_at + stage * STAGE), b = matrix_descriptor(w_at + stage * STAGE);
                wgmma_fence();
#pragma unroll
                for (u32 j = 0; j < 4; j++) wgmma<WIDTH>(acc, a + 2 * j, b + 2 * j, j != 0 || k != begin);
                wgmma_commit();
                // One step stays under way; the one before it is done with its stage.
                wgmma_wait<1>();
                if (k != begin && lane < TILE_CLUSTER) barrier_arrive(empty + 8 * before, lane);
                before = stage;
                if (++stage == TILE_STAGES) stage = 0, parity ^= 1;
            }
            TilePlace at = tile_place<TILE_BAND>(t, down, ACROSS);
            u32 row = (at.row * TILE_CLUSTER + rank) * TILE_M + row_in + threadIdx.x % 128 / 32 * 16 + lane / 4;
            u32 column = at.column * TILE_OUT<E> + column_in / (E::PAIRED ? 2 : 1) + lane % 4 * 2;
            // Column groups that this block finishes.
            constexpr u32 EACH = WIDTH / 8 / TILE_SPLIT;
            Results<E, EACH> results = {row, column + part * EACH * 8, rows};
            results.fetch(e, 0);
            wgmma_wait<0>();
            if (lane < TILE_CLUSTER) barrier_arrive(empty + 8 * before, lane);
            // The sums may be read from here on.
#pragma unroll
            for (u32 i = 0; i < WIDTH / 2; i++) asm volatile("" : "+f"(acc[i])::"memory");
#if TILE_SPLIT > 1
            float all[4 * EACH];
            exchange.run(all, acc);
            results.put(e, all);
#else
            results.put(e, acc);
#endif
        }
    }
    // A block whose memory the other still writes to, or arrives at, must not end.
    if constexpr (TILE_CLUSTER > 1) cluster_sync();
}
