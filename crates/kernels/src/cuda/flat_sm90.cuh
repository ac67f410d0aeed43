// Products of 9 to some hundred rows on Hopper.
//
// Warpgroup 0 copies: its last warp the activations with the tensor copy engine, the first two the weights (as they lie, by
// asynchronous copies; 16-bit weights with the tensor copy engine too), each into rings of their own. The other warpgroups have
// 64 weight rows and a part of k each. They turn weights into fragments in registers, FLAT_STEP blocks of 32 columns at a time, while
// the matrix units multiply those before.
//
// A block has FLAT_PARTS parts of k, a cluster all of them. Each part's sums go to the warpgroups of their tile, which add them
// in order: each has some of the columns. They go by asynchronous stores, whose bytes a barrier of the receiver counts; a release
// for the cluster would wait for everything that a thread has written, a microsecond for each exchange.
//
// With FLAT_MEMORY a block has one part, and sums go through memory (exchange.cuh) between blocks of a team, which are no cluster. That takes
// longer, but a block then has twice as many weight rows for the activations that it copies.
//
// A thread's two weight rows of a gated tile in planes are a gate and its up, so that nothing is exchanged for them.
//
// With FLAT_GATHERED a tile is of one expert's weight rows and of slots that chose it, whose activations lie anywhere: a warp
// gathers them. E has tiles(), tile(i) (the expert, the first place in the order of slots, their number) and input(place).
//
// Tried without gain: two tiles of weight rows that share the activations by multicast; smaller blocks, two to a multiprocessor
// (the next command's blocks gather where the first ones end). Clusters of four fit 30 times on an H200, so that 32 take two turns.
//
// Defines: FLAT_PARTS, FLAT_X_STAGES, FLAT_W_STAGES (of each part's rings), FLAT_CHUNK_MOST (column groups whose parts are
// exchanged together, at most), FLAT_MEMORY, FLAT_EARLY (stages of weights that are asked for before the wait), FLAT_FEW (1 where up to eight
// rows are multiplied by `mma.sync`).

constexpr bool FLAT_RAW = C_LAYOUT == 2;
#ifndef FLAT_GATHERED
#define FLAT_GATHERED 0
#endif
#ifndef FLAT_FEW
#define FLAT_FEW 0
#endif
#ifndef FLAT_MEMORY
#define FLAT_MEMORY 0
#endif
// Units of the longest part.
constexpr u32 FLAT_LONGEST = ceil_div(FLAT_UNITS, FLAT_SPLIT);

// Blocks that share a tile, and those of a cluster.
constexpr u32 FLAT_RANKS = FLAT_SPLIT / FLAT_PARTS, FLAT_CLUSTER = FLAT_MEMORY ? 1 : FLAT_RANKS;
static_assert(!FLAT_MEMORY || FLAT_PARTS == 1, "each block of a team has one part");
// Whether sums are exchanged through shared memory.
constexpr bool FLAT_SHARES = FLAT_SPLIT > 1 && !FLAT_MEMORY;
// Warpgroups of a part, and of all.
constexpr u32 FLAT_GROUPS = FLAT_M / 64, FLAT_CONSUMERS = FLAT_GROUPS * FLAT_PARTS;

#define GEMM_ENTRY __launch_bounds__(128 + 128 * FLAT_CONSUMERS, 1) __cluster_dims__(FLAT_CLUSTER, 1, 1)
#if FLAT_GATHERED
#define GEMM_MAPS FLAT_W_MAP
#define GEMM_RUN(e, step, x, w) flat(e, step, w, nullptr, nullptr, FLAT_W_NAME)
#elif FLAT_MEMORY
#define GEMM_MAPS , u8* exchange, const __grid_constant__ TensorMap x_map FLAT_W_MAP
#define GEMM_RUN(e, step, x, w) flat(e, step, w, exchange, &x_map, FLAT_W_NAME)
#else
#define GEMM_MAPS , const __grid_constant__ TensorMap x_map FLAT_W_MAP
#define GEMM_RUN(e, step, x, w) flat(e, step, w, nullptr, &x_map, FLAT_W_NAME)
#endif

// --- The weights of a stage ---

// 64 columns of 16 bits, or 256 columns as they lie.
#if C_LAYOUT == 2
typedef Raw<C_DTYPE, FLAT_M> FlatRaw;
constexpr u32 FLAT_W_STAGE = FlatRaw::P::ROW * FLAT_M;
#ifndef FLAT_W_BOXES
#define FLAT_W_BOXES 0u
#endif
// 1 where the tensor copy engine brings both planes: rows of 128 bytes (or two such halves), swizzled as `raw_at` has them, and of 16.
#if FLAT_W_BOXES
#define FLAT_W_MAP , const __grid_constant__ TensorMap w_map, const __grid_constant__ TensorMap s_map
#define FLAT_W_NAME &w_map, &s_map
constexpr u32 FLAT_COPIERS = 1;
#else
#define FLAT_W_MAP
#define FLAT_W_NAME nullptr, nullptr
constexpr u32 FLAT_COPIERS = 64;
#endif
#else
#define FLAT_W_MAP , const __grid_constant__ TensorMap w_map
#define FLAT_W_NAME &w_map, &w_map
constexpr u32 FLAT_W_STAGE = FLAT_M * 128, FLAT_COPIERS = 1;
#endif
// Panels of 64 columns of a stage of activations, which one barrier announces.
#ifndef FLAT_X_PANELS
#define FLAT_X_PANELS 1u
#endif
// Blocks of 32 columns that are multiplied together.
#ifndef FLAT_STEP
#define FLAT_STEP 2u
#endif
constexpr u32 FLAT_X_PANEL = FLAT_N * 128, FLAT_X_STAGE = FLAT_X_PANELS * FLAT_X_PANEL;
constexpr u32 FLAT_CHUNK = FLAT_N / 8 < FLAT_CHUNK_MOST ? FLAT_N / 8 : FLAT_CHUNK_MOST;
static_assert(FLAT_N / 8 % FLAT_CHUNK == 0, "whole chunks; a part of one would write rows of the next tile");
// Of these, each warpgroup that takes any adds up so many; each part sends it as many.
constexpr u32 FLAT_EACH = FLAT_CHUNK < FLAT_SPLIT ? 1 : FLAT_CHUNK / FLAT_SPLIT, FLAT_TAKERS = FLAT_CHUNK / FLAT_EACH;
// Takers of a block: they are spread over the cluster.
constexpr u32 FLAT_HERE = FLAT_TAKERS / FLAT_RANKS;
static_assert(FLAT_TAKERS % FLAT_RANKS == 0, "every block of a cluster takes the same bytes");
// Bytes that a block takes of an exchange.
constexpr u32 FLAT_SUMS = FLAT_HERE * FLAT_SPLIT * FLAT_EACH * FLAT_GROUPS * 128 * 16;
// Of these, what other blocks send. The block's own are ordinary stores, and each of its warps arrives once they are made.
constexpr u32 FLAT_SENT = FLAT_SUMS / FLAT_RANKS * (FLAT_RANKS - 1);

extern __shared__ u8 flat_shared[];

// Warps that copy activations.
#ifndef FLAT_X_WARPS
#define FLAT_X_WARPS (FLAT_PARTS > 1 ? 2u : 1u)
#endif

// Where everything lies in shared memory.
struct FlatShared {
    u32 x, w, sums, gates, x_full, x_empty, w_full, w_empty, ready, taken;

    DEVICE FlatShared(bool paired) {
        x = (shared_address(flat_shared) + 1023) & ~1023u;
        w = x + FLAT_PARTS * FLAT_X_STAGES * FLAT_X_STAGE;
        sums = w + FLAT_PARTS * FLAT_W_STAGES * FLAT_W_STAGE;
        gates = sums + (FLAT_SHARES ? FLAT_SUMS : 0);
        x_full = gates + (paired ? FLAT_CHUNK * FLAT_GROUPS * 64 * 16 : 0);
        x_empty = x_full + 8 * FLAT_PARTS * FLAT_X_STAGES;
        w_full = x_empty + 8 * FLAT_PARTS * FLAT_X_STAGES;
        w_empty = w_full + 8 * FLAT_PARTS * FLAT_W_STAGES;
        ready = w_empty + 8 * FLAT_PARTS * FLAT_W_STAGES;
        taken = ready + 8;
    }
};

template <u32 NAME>
DEVICE void consumers_sync() {
    asm volatile("bar.sync %0, %1;" ::"n"(NAME), "n"(FLAT_CONSUMERS * 128) : "memory");
}

// What becomes of the sums. All consumers call `put`.
template <class E>
struct FlatResults {
    const E& e;
    const FlatShared& at;
    // The thread's part of k, the first one of its block, and its place among those of the part.
    u32 part, first_part, thread, rows;
    // Exchanges so far, and of all tiles.
    u32 turns = 0, all = 0;

    // Starts the reads for COUNT column groups from `group` on.
    template <u32 COUNT>
    DEVICE void fetch(float2 (&fetched)[COUNT][2], u32 row, u32 column, u32 group) const {
        if constexpr (E::FETCHES) {
#pragma unroll
            for (u32 j = 0; j < COUNT; j++) {
                FlatPlace p = flat_place(row + (group + j) * 8, column);
#pragma unroll
                for (u32 i = 0; i < 2; i++) {
                    fetched[j][i] = make_float2(0.0f, 0.0f);
                    if (p.row < rows && p.column + 8 * i < E::OUTPUTS) fetched[j][i] = e.fetch(p.row, p.column + 8 * i);
                }
            }
        }
    }

    // Results of these, which have been fetched for.
    template <u32 COUNT>
    DEVICE void finish(const float4 (&v)[COUNT], const float2 (&fetched)[COUNT][2], u32 row, u32 column, u32 group) const {
        if constexpr (E::PAIRED) {
            if constexpr (FLAT_RAW) {
#pragma unroll
                for (u32 j = 0; j < COUNT; j++) {
                    FlatPlace p = flat_place(row + (group + j) * 8, column);
                    float2 gate = flat_turn(v[j].x * GEMM_UNSCALE, v[j].y * GEMM_UNSCALE);
                    float2 up = flat_turn(v[j].z * GEMM_UNSCALE, v[j].w * GEMM_UNSCALE);
                    if (p.row < rows && p.column < E::OUTPUTS) e.put(p.row, p.column, gate, up, gate);
                }
                return;
            }
            // The second half of the consumers has the ups of the first half's gates.
            constexpr u32 HALF = FLAT_GROUPS * 64;
            static_assert(!E::PAIRED || (FLAT_GROUPS % 2 == 0 && FLAT_PARTS == 1), "gates and ups");
            u32 mine = at.gates + thread % HALF * 16;
            if (thread >= HALF) {
#pragma unroll
                for (u32 j = 0; j < COUNT; j++) shared_put(mine + j * HALF * 16, v[j]);
            }
            consumers_sync<1>();
            if (thread < HALF) {
#pragma unroll
                for (u32 j = 0; j < COUNT; j++) {
                    float4 up = shared_get(mine + j * HALF * 16);
                    both(v[j], up, row + (group + j) * 8, column);
                }
            }
            consumers_sync<2>();
        } else {
#pragma unroll
            for (u32 j = 0; j < COUNT; j++) {
                FlatPlace p = flat_place(row + (group + j) * 8, column);
                float2 a = flat_turn(v[j].x * GEMM_UNSCALE, v[j].y * GEMM_UNSCALE);
                float2 b = flat_turn(v[j].z * GEMM_UNSCALE, v[j].w * GEMM_UNSCALE);
                if (p.row < rows && p.column < E::OUTPUTS) e.put(p.row, p.column, a, a, fetched[j][0]);
                if (p.row < rows && p.column + 8 < E::OUTPUTS) e.put(p.row, p.column + 8, b, b, fetched[j][1]);
            }
        }
    }

    DEVICE void both(float4 gate, float4 up, u32 row, u32 column) const {
        FlatPlace p = flat_place(row, column);
        float2 g = flat_turn(gate.x * GEMM_UNSCALE, gate.y * GEMM_UNSCALE), u = flat_turn(up.x * GEMM_UNSCALE, up.y * GEMM_UNSCALE);
        float2 g8 = flat_turn(gate.z * GEMM_UNSCALE, gate.w * GEMM_UNSCALE), u8 = flat_turn(up.z * GEMM_UNSCALE, up.w * GEMM_UNSCALE);
        if (p.row < rows && p.column < E::OUTPUTS) e.put(p.row, p.column, g, u, g);
        if (p.row < rows && p.column + 8 < E::OUTPUTS) e.put(p.row, p.column + 8, g8, u8, g8);
    }

#if FLAT_MEMORY
    typedef Exchange<FLAT_SPLIT, FLAT_N / 8> Team;

    // As the other `put`, for a part in a block of its own, which finishes its share of the column groups. All blocks of a team call it for
    // the same tiles, so that each finds the others' sums.
    DEVICE void put(const float (&acc)[FLAT_N / 2], u32 row, u32 column, Team& team) const {
        constexpr u32 EACH = Team::EACH;
        float2 fetched[EACH][2];
        fetch(fetched, row, column, part * EACH);
        float all[4 * EACH];
        team.run(all, acc);
        float4 v[EACH];
#pragma unroll
        for (u32 j = 0; j < EACH; j++) v[j] = make_float4(all[4 * j], all[4 * j + 1], all[4 * j + 2], all[4 * j + 3]);
        finish(v, fetched, row, column, part * EACH);
    }
#endif

    // Sums of activation rows from `row` on; `column` is the output of the warp's first weight row.
    DEVICE void put(const float (&acc)[FLAT_N / 2], u32 row, u32 column) {
#pragma unroll
        for (u32 first = 0; first < FLAT_N / 8; first += FLAT_CHUNK) {
            if constexpr (FLAT_SPLIT == 1) {
                float4 v[FLAT_CHUNK];
                float2 fetched[FLAT_CHUNK][2];
                fetch(fetched, row, column, first);
#pragma unroll
                for (u32 j = 0; j < FLAT_CHUNK; j++) {
                    u32 i = 4 * (first + j);
                    v[j] = make_float4(acc[i], acc[i + 1], acc[i + 2], acc[i + 3]);
                }
                finish(v, fetched, row, column, first);
            } else {
                // Takers have numbers that go round the ranks.
                u32 rank = first_part / FLAT_PARTS, taker = (part - first_part) * FLAT_RANKS + rank;
                auto place = [&](u32 at_rank, u32 p, u32 j) {
                    u32 slot = (at_rank * FLAT_SPLIT + p) * FLAT_EACH + j;
                    return at.sums + (slot * FLAT_GROUPS * 128 + thread) * 16;
                };
                bool takes = taker < FLAT_TAKERS;
                float2 fetched[FLAT_EACH][2];
                if (takes) fetch(fetched, row, column, first + taker * FLAT_EACH);
                if (turns != 0) barrier_wait(at.taken, (turns - 1) & 1);
#pragma unroll
                for (u32 j = 0; j < FLAT_CHUNK; j++) {
                    u32 i = 4 * (first + j), number = j / FLAT_EACH, to = place(number / FLAT_RANKS, part, j % FLAT_EACH);
                    float4 sums = make_float4(acc[i], acc[i + 1], acc[i + 2], acc[i + 3]);
                    if (number % FLAT_RANKS == rank) shared_put(to, sums);
                    else shared_send(to, number % FLAT_RANKS, at.ready, sums);
                }
                __syncwarp();
                if (threadIdx.x % 32 == 0) barrier_arrive(at.ready);
                if (takes) {
                    barrier_wait(at.ready, turns & 1);
                    // Of the next exchange, whose bytes are sent when all have been taken of this one.
                    if (part == first_part && thread == 0) barrier_expect(at.ready, FLAT_SENT);
                    float4 v[FLAT_EACH];
#pragma unroll
                    for (u32 j = 0; j < FLAT_EACH; j++) {
                        v[j] = shared_get(place(part - first_part, 0, j));
#pragma unroll
                        for (u32 p = 1; p < FLAT_SPLIT; p++) {
                            float4 o = shared_get(place(part - first_part, p, j));
                            v[j].x += o.x, v[j].y += o.y, v[j].z += o.z, v[j].w += o.w;
                        }
                    }
                    // Nobody is told where nothing is sent again, so that a block may end before others do.
                    __syncwarp();
                    if (turns + 1 < all && threadIdx.x % 32 < FLAT_RANKS) barrier_arrive_at(at.taken, threadIdx.x % 32);
                    finish(v, fetched, row, column, first + taker * FLAT_EACH);
                }
                turns++;
            }
        }
    }
};

// --- Tiles ---

// A tile's first output, the weight rows before those of its expert, its first activation row (or place in the order of slots), and
// where these end.
struct FlatUnit {
    u32 column, above, row, rows;
};

#if FLAT_GATHERED
// Says one unit after the other, and reads where the next one is before it is asked.
template <class E>
struct FlatUnits {
    const E& e;
    u32 down, all, apart;
    FlatUnit ahead;

    DEVICE FlatUnits(const E& e, const Header*, u32 first, u32 apart) : e(e), down(e.tiles()), all(FLAT_TILES<E> * down), apart(apart) {
        if (first < all) ahead = read(first);
    }

    DEVICE FlatUnit read(u32 u) const {
        uint4 t = e.tile(u % down);
        return {u / down * FLAT_OUT<E>, t.x * E::OUTPUTS, t.y, t.y + t.z};
    }

    DEVICE FlatUnit take(u32 u) {
        FlatUnit now = ahead;
        if (u + apart < all) ahead = read(u + apart);
        return now;
    }
};

// Copies the activations of slots, 32 threads together. A stage is announced once its copies have landed; those of FLAT_X_STAGES - 2
// stages after it have been started by then. Not of one more: who multiplies gives a stage back when it has begun the next one.
template <class E>
DEVICE void flat_gather(const E& e, const FlatShared& at) {
    constexpr u32 STEPS = ceil_div(ceil_div(C_K, 64), FLAT_X_PANELS), CHUNKS = FLAT_X_PANELS * 8, HELD = ceil_div(FLAT_N, 32);
    static_assert(FLAT_X_STAGES >= 2 && FLAT_PARTS == 1, "a stage under way while another is read; k in one part");
    u32 lane = threadIdx.x % 32, under_way = 0;
    Turn<FLAT_X_STAGES> to, told;
    auto announce = [&]() {
        // Written by ordinary stores, read by the matrix units.
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncwarp();
        if (lane == 0) barrier_arrive(at.x_full + 8 * told.stage);
        told.next();
    };
    FlatUnits<E> units(e, nullptr, blockIdx.x, gridDim.x);
    for (u32 u = blockIdx.x; u < units.all; u += gridDim.x) {
        FlatUnit unit = units.take(u);
        u32 count = unit.rows - unit.row, input[HELD];
#pragma unroll
        for (u32 i = 0; i < HELD; i++) input[i] = i * 32 + lane < count ? e.input(unit.row + i * 32 + lane) : 0;
        for (u32 s = 0; s < STEPS; s++) {
            barrier_wait(at.x_empty + 8 * to.stage, to.parity ^ 1);
            __syncwarp();
#pragma unroll
            for (u32 i = 0; i < FLAT_N * CHUNKS / 32; i++) {
                u32 row = (i * 32 + lane) / CHUNKS, chunk = (i * 32 + lane) % CHUNKS, k = s * FLAT_X_PANELS * 64 + chunk * 8;
                u32 from = __shfl_sync(0xffffffffu, input[i / CHUNKS], row % 32);
                // Rows beyond the last slot multiply into columns that nobody takes.
                if (row < count) {
                    bool inside = C_K % (64 * FLAT_X_PANELS) == 0 || k < C_K;
                    u32 put = at.x + to.stage * FLAT_X_STAGE + chunk / 8 * FLAT_X_PANEL + chunk_at(row, chunk);
                    copy_chunk(put, e.x + (u64)from * act_row_bytes(C_ACT, C_K) + (inside ? 2 * k : 0), inside);
                }
            }
            asm volatile("cp.async.commit_group;" ::: "memory");
            to.next();
            if (++under_way == FLAT_X_STAGES - 1) {
                asm volatile("cp.async.wait_group %0;" ::"n"(FLAT_X_STAGES - 2) : "memory");
                announce();
                under_way--;
            }
        }
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    for (; under_way != 0; under_way--) announce();
}
#else
template <class E>
struct FlatUnits {
    u32 rows, down, all;

    DEVICE FlatUnits(const E&, const Header* step, u32, u32)
        : rows(active_rows<E>(step)), down(ceil_div(rows, FLAT_N)), all(FLAT_TILES<E> * down) {}

    DEVICE FlatUnit take(u32 u) const { return {u / down * FLAT_OUT<E>, 0, u % down * FLAT_N, rows}; }
};
#endif

#if FLAT_FEW
// A warp's sums of up to eight activation rows, by `mma.sync`. A `wgmma` of 16 rows takes 13 cycles by itself, but hardly overlaps with the
// instructions that make its other side in registers. The order of the sums is the same, and so are their bits.
struct FlatFew {
    u32 x_at, w_at, x_full, x_empty, w_full, w_empty;

    // Sums of the part of k from `begin` to `end`, four of each thread. `row` is this thread's weight row in the tile and `further` how far its other one lies, `place`
    // and `place8` are where both lie in the matrix.
    DEVICE void multiply(float (&acc)[FLAT_N / 2], Turn<FLAT_X_STAGES>& x, Turn<FLAT_W_STAGES>& s, u32 begin, u32 end, u32 row,
                         u32 further, u32 place, u32 place8) const {
        constexpr u32 PANELS = ceil_div(C_K, 64), BLOCKS = FLAT_X_PANELS * 2;
        u32 lane = threadIdx.x % 32, t = lane % 4;
        // This lane's row of a matrix of eight activation rows by eight columns; four matrices are a block.
        u32 from = chunk_at(lane % 8, lane / 8);
#pragma unroll
        for (u32 i = 0; i < FLAT_N / 2; i++) acc[i] = 0.0f;
        for (u32 k = begin; k < end; k++) {
            u32 stage = w_at + s.stage * FLAT_W_STAGE, panels = 0;
            barrier_wait(w_full + 8 * s.stage, s.parity);
            auto a = FlatRaw::load(stage, row, place + k), b = FlatRaw::load(stage, row + further, place8 + k);
#pragma unroll
            for (u32 c = 0; c < 8; c++) {
                if (C_K % 256 != 0 && k * 4 + c / 2 >= PANELS) continue;
                if (c % BLOCKS == 0) {
                    barrier_wait(x_full + 8 * x.stage, x.parity);
                    panels = x_at + x.stage * FLAT_X_STAGE;
                }
                u32 q[4], q8[4], m[4];
                FlatRaw::block(stage, row, 0, a, c, t, q);
                FlatRaw::block(stage, row, further, b, c, t, q8);
                const u32 f[2][4] = {{q[0], q8[0], q[1], q8[1]}, {q[2], q8[2], q[3], q8[3]}};
                load_matrices(m, panels + c % BLOCKS / 2 * FLAT_X_PANEL + (from ^ c % 2 * 64));
                ::multiply(acc, f[0], m[0], m[1]);
                ::multiply(acc, f[1], m[2], m[3]);
                if (c % BLOCKS == BLOCKS - 1) {
                    __syncwarp();
                    if (lane == 0) barrier_arrive(x_empty + 8 * x.stage);
                    x.next();
                }
            }
            // All of the stage is in registers.
            __syncwarp();
            if (lane == 0) barrier_arrive(w_empty + 8 * s.stage);
            s.next();
        }
    }
};
#endif

// --- The kernel ---

template <class E>
DEVICE void flat(const E& e, const Header* step, const u8* w, [[maybe_unused]] u8* memory, const TensorMap* x_map, const TensorMap* w_map,
                 const TensorMap* s_map) {
    constexpr u32 PANELS = ceil_div(C_K, 64), TILES = FLAT_TILES<E>;
    const FlatShared at(E::PAIRED && !FLAT_RAW);
    u32 first_part = blockIdx.x % FLAT_RANKS * FLAT_PARTS;
    u32 cluster = blockIdx.x / FLAT_RANKS, clusters = gridDim.x / FLAT_RANKS;
    // The same in a warp, which the compiler must know.
    u32 group = __shfl_sync(0xffffffffu, threadIdx.x / 128, 0), lane = threadIdx.x % 32;
    launch_dependents();
    if (threadIdx.x == 0) {
        if constexpr (!FLAT_GATHERED) asm volatile("prefetch.tensormap [%0];" ::"l"(x_map) : "memory");
        if constexpr (FLAT_COPIERS == 1) asm volatile("prefetch.tensormap [%0];" ::"l"(w_map) : "memory");
        for (u32 s = 0; s < FLAT_PARTS * FLAT_X_STAGES; s++) {
            barrier_init(at.x_full + 8 * s, 1);
            barrier_init(at.x_empty + 8 * s, 4 * FLAT_GROUPS);
        }
        for (u32 s = 0; s < FLAT_PARTS * FLAT_W_STAGES; s++) {
            barrier_init(at.w_full + 8 * s, FLAT_COPIERS);
            barrier_init(at.w_empty + 8 * s, 4 * FLAT_GROUPS);
        }
        if constexpr (FLAT_SHARES) {
            barrier_init(at.ready, 1 + 4 * FLAT_CONSUMERS);
            barrier_init(at.taken, 4 * FLAT_GROUPS * FLAT_TAKERS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        if constexpr (FLAT_SHARES) barrier_expect(at.ready, FLAT_SENT);
    }
    __syncthreads();
    cluster_arrive<FLAT_CLUSTER>();

    if (group == 0) {
        if constexpr (FLAT_CONSUMERS == 2 || FLAT_CONSUMERS == 3) asm volatile("setmaxnreg.dec.sync.aligned.u32 56;");
        if constexpr (FLAT_CONSUMERS == 4) asm volatile("setmaxnreg.dec.sync.aligned.u32 32;");
        if (threadIdx.x >= 128 - 32 * FLAT_X_WARPS) {
            wait_dependencies();
#if FLAT_GATHERED
            flat_gather(e, at);
#else
            // Each of these warps copies for every FLAT_X_WARPS-th part.
            constexpr u32 PARTS = FLAT_PARTS / FLAT_X_WARPS, STEPS = ceil_div(FLAT_LONGEST * 4, FLAT_X_PANELS);
            if (lane == 0) {
                // The inputs were written by ordinary stores of earlier kernels; the copy engine reads them by another
                // path, which the wait alone does not order.
                asm volatile("fence.proxy.async.global;" ::: "memory");
                u32 from_part = 3 - threadIdx.x / 32;
                Turn<FLAT_X_STAGES> turn[PARTS];
                // Stage `i` of each part, of the rows from `row` on.
                auto fill = [&](u32 row, u32 i) {
#pragma unroll
                    for (u32 j = 0; j < PARTS; j++) {
                        u32 p = j * FLAT_X_WARPS + from_part, k = flat_cut(first_part + p) * 4 + i * FLAT_X_PANELS;
                        if (k >= min(flat_cut(first_part + p + 1) * 4, PANELS)) continue;
                        Turn<FLAT_X_STAGES>& x = turn[j];
                        u32 stage = p * FLAT_X_STAGES + x.stage;
                        u32 to = at.x + stage * FLAT_X_STAGE, barrier = at.x_full + 8 * stage;
                        barrier_wait(at.x_empty + 8 * stage, x.parity ^ 1);
                        barrier_expect(barrier, FLAT_X_STAGE);
                        // What lies beyond the width comes as zeros.
#pragma unroll
                        for (u32 j = 0; j < FLAT_X_PANELS; j++) copy_box(to + j * FLAT_X_PANEL, *x_map, (k + j) * 64, row, barrier);
                        x.next();
                    }
                };
                // The first rows are inside the buffer, however many are active: no need to read that first.
                u32 ahead = 0;
                if (E::MAX_ROWS <= FLAT_N && cluster < TILES) {
                    ahead = min(FLAT_X_STAGES, STEPS);
                    for (u32 i = 0; i < ahead; i++) fill(0, i);
                }
                u32 down = ceil_div(active_rows<E>(step), FLAT_N);
                for (u32 u = cluster; u < TILES * down; u += clusters) {
                    for (u32 i = ahead; i < STEPS; i++) fill(u % down * FLAT_N, i);
                    ahead = 0;
                }
                if (down == 0) {
#pragma unroll
                    for (u32 j = 0; j < PARTS; j++) {
                        u32 filled = turn[j].parity ? FLAT_X_STAGES : turn[j].stage, p = j * FLAT_X_WARPS + from_part;
                        for (u32 i = 0; i < filled; i++) barrier_wait(at.x_full + 8 * (p * FLAT_X_STAGES + i), 0);
                    }
                }
            }
#endif
        } else if (threadIdx.x < FLAT_COPIERS) {
            Turn<FLAT_W_STAGES> turn[FLAT_PARTS];
            // Steps of a part: stages of weights.
            constexpr u32 STEPS = FLAT_RAW ? FLAT_LONGEST : FLAT_LONGEST * 4;
            // Whether one tile has all rows, and few: with 256 a step takes longer for it on an H200.
            constexpr bool ONCE = !FLAT_GATHERED && E::MAX_ROWS <= FLAT_N && FLAT_N <= 128;
            [[maybe_unused]] auto copy = [](u32 to, const TensorMap& map, u32 column, u32 row, u32 barrier) {
                if constexpr (ONCE) copy_box_once(to, map, column, row, barrier);
                else copy_box(to, map, column, row, barrier);
            };
            // Stage `i` of each part.
            auto fill = [&](u32 column, u32 i) {
#pragma unroll
                for (u32 p = 0; p < FLAT_PARTS; p++) {
                    u32 k = flat_cut(first_part + p) * (FLAT_RAW ? 1 : 4) + i, cut = flat_cut(first_part + p + 1);
                    if (k >= (FLAT_RAW ? cut : min(cut * 4, PANELS))) continue;
                    Turn<FLAT_W_STAGES>& s = turn[p];
                    u32 stage = p * FLAT_W_STAGES + s.stage, to = at.w + stage * FLAT_W_STAGE;
                    u32 barrier = at.w_full + 8 * stage;
                    barrier_wait(at.w_empty + 8 * stage, s.parity ^ 1);
#if C_LAYOUT == 2 && FLAT_W_BOXES
                    using P = FlatRaw::P;
                    static_assert(P::COUNT == 2 && P::bytes(0) % 128 == 0 && P::bytes(1) == 16, "two planes");
                    barrier_expect(barrier, FLAT_W_STAGE);
                    constexpr u32 ROWS = E::PAIRED ? FLAT_M / 2 : FLAT_M;
#pragma unroll
                    for (u32 half = 0; half < FLAT_M / ROWS; half++) {
                        u32 row = half * E::OUTPUTS + column;
#pragma unroll
                        for (u32 i = 0; i < P::bytes(0) / 128; i++) {
                            copy(to + (i * FLAT_M + half * ROWS) * 128, *w_map, k * (P::bytes(0) / 2) + i * 64, row, barrier);
                        }
                        copy(to + FLAT_M * P::bytes(0) + half * ROWS * 16, *s_map, k * 8, row, barrier);
                    }
#elif C_LAYOUT == 2
                    typedef RawCopy<FlatRaw::P, C_K, E::ROWS, FLAT_M, E::PAIRED ? E::OUTPUTS : FLAT_M / 2, FLAT_COPIERS, ONCE> Copy;
                    // Of gathered slots, what lies beyond an expert's rows is the next one's, and nobody takes it.
                    bool all = column + FLAT_OUT<E> <= (FLAT_GATHERED ? E::ROWS : E::OUTPUTS);
                    Copy::copy(to, w, column, all, k, threadIdx.x, [&](u32 i) { return flat_row<E>(column, i); });
                    if constexpr (Copy::ASYNC) {
                        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory");
                    } else {
                        asm volatile("cp.async.wait_all;" ::: "memory");
                        barrier_arrive(barrier);
                    }
#else
                    barrier_expect(barrier, FLAT_W_STAGE);
                    copy(to, *w_map, k * 64, column, barrier);
                    if constexpr (E::PAIRED) copy(to + FLAT_W_STAGE / 2, *w_map, k * 64, E::OUTPUTS + column, barrier);
#endif
                    s.next();
                }
            };
            u32 ahead = 0;
            // Weights in planes are nobody's output, so they need not wait; rows of 16 bits may be what the command before has dequantized.
            // Which tile of gathered slots comes first is not known before it.
            if constexpr (FLAT_EARLY != 0) {
                // Which tile comes first follows from the rows where they may be more than one tile. Only a step's last command writes
                // the step block, and nothing after `take_heads` begins before that has ended, so it can be read before the wait.
                u32 down = E::MAX_ROWS <= FLAT_N ? 1 : ceil_div(active_rows<E>(step), FLAT_N);
                if (cluster < TILES * down) {
                    ahead = min(FLAT_EARLY, STEPS);
                    for (u32 i = 0; i < ahead; i++) fill(cluster / down * FLAT_OUT<E>, i);
                }
            }
            wait_dependencies();
            FlatUnits<E> units(e, step, cluster, clusters);
            for (u32 u = cluster; u < units.all; u += clusters) {
                FlatUnit unit = units.take(u);
                for (u32 i = ahead; i < STEPS; i++) fill(unit.above + unit.column, i);
                ahead = 0;
            }
            // Nobody waits for these.
            if (units.down == 0) {
#pragma unroll
                for (u32 p = 0; p < FLAT_PARTS; p++) {
                    u32 filled = turn[p].parity ? FLAT_W_STAGES : turn[p].stage;
                    for (u32 i = 0; i < filled; i++) barrier_wait(at.w_full + 8 * (p * FLAT_W_STAGES + i), 0);
                }
            }
        } else {
            wait_dependencies();
        }
        __syncwarp();
        cluster_wait<FLAT_CLUSTER>();
    } else {
        if constexpr (FLAT_CONSUMERS == 2) asm volatile("setmaxnreg.inc.sync.aligned.u32 224;");
        if constexpr (FLAT_CONSUMERS == 3) asm volatile("setmaxnreg.inc.sync.aligned.u32 152;");
        if constexpr (FLAT_CONSUMERS == 4) asm volatile("setmaxnreg.inc.sync.aligned.u32 112;");
        wait_dependencies();
        cluster_wait<FLAT_CLUSTER>();
        FlatUnits<E> units(e, step, cluster, clusters);
        // This warp's first row in the tile, and this thread's.
        u32 own = (group - 1) / FLAT_GROUPS, part = first_part + own, thread = (threadIdx.x - 128) % (FLAT_GROUPS * 128);
        u32 warp_row = thread / 32 * (E::PAIRED && FLAT_RAW ? 8 : 16), begin = flat_cut(part), end = flat_cut(part + 1);
        FlatResults<E> results = {e, at, part, first_part, thread, 0};
        if constexpr (FLAT_SHARES) results.all = (units.all + clusters - 1 - cluster) / clusters * (FLAT_N / 8 / FLAT_CHUNK);
#if FLAT_MEMORY
        u32 number = cluster * FLAT_GROUPS + thread / 128;
        typename FlatResults<E>::Team team(memory, number, part, group);
#endif
        const u32 x_at = at.x + own * FLAT_X_STAGES * FLAT_X_STAGE, w_at = at.w + own * FLAT_W_STAGES * FLAT_W_STAGE;
        const u32 x_full = at.x_full + 8 * own * FLAT_X_STAGES, x_empty = at.x_empty + 8 * own * FLAT_X_STAGES;
        const u32 w_full = at.w_full + 8 * own * FLAT_W_STAGES, w_empty = at.w_empty + 8 * own * FLAT_W_STAGES;
        Turn<FLAT_X_STAGES> x;
        Turn<FLAT_W_STAGES> s;
        auto free = [&](u32 barriers, u32 stage) {
            if (lane == 0) barrier_arrive(barriers + 8 * stage);
        };

        for (u32 u = cluster; u < units.all; u += clusters) {
            FlatUnit unit = units.take(u);
            u32 column = unit.above + unit.column;
            results.rows = unit.rows;
            float acc[FLAT_N / 2];
            // The stages of the product under way.
            u32 x_before = 0, more = 0;
#if C_LAYOUT == 2
            u32 row = warp_row + lane / 4, t = lane % 4;
            // A thread's other weight row: eight further, or the up of its gate.
            constexpr u32 FURTHER = E::PAIRED ? FLAT_M / 2 : 8;
            u32 place = flat_row<E>(column, row) * FLAT_UNITS, place8 = flat_row<E>(column, row + FURTHER) * FLAT_UNITS;
            // What describes the first panel of activations, and of the stage under way.
            const u64 x_first = matrix_descriptor(x_at);
#if FLAT_FEW
            // The same in all warps.
            if (unit.rows - unit.row <= 8) {
                FlatFew few = {x_at, w_at, x_full, x_empty, w_full, w_empty};
                float sums[FLAT_N / 2];
                few.multiply(sums, x, s, begin, end, row, FURTHER, place, place8);
                results.put(sums, unit.row, unit.column + warp_row);
                continue;
            }
#endif
            u64 x_panels = x_first;
            for (u32 k = begin; k < end; k++) {
                u32 stage = w_at + s.stage * FLAT_W_STAGE;
                barrier_wait(w_full + 8 * s.stage, s.parity);
                auto a = FlatRaw::load(stage, row, place + k), b = FlatRaw::load(stage, row + FURTHER, place8 + k);
#pragma unroll
                for (u32 p = 0; p < 8 / FLAT_STEP; p++) {
                    // A panel of 64 columns has two blocks, a stage of activations so many steps.
                    constexpr u32 STAGE = FLAT_X_PANELS * 2 / FLAT_STEP;
                    if (C_K % 256 == 0 || k * 4 + p * FLAT_STEP / 2 < PANELS) {
                        u32 f[2 * FLAT_STEP][4];
#pragma unroll
                        for (u32 h = 0; h < FLAT_STEP; h++) {
                            u32 q[4], q8[4];
                            FlatRaw::block(stage, row, 0, a, FLAT_STEP * p + h, t, q);
                            FlatRaw::block(stage, row, FURTHER, b, FLAT_STEP * p + h, t, q8);
#pragma unroll
                            for (u32 i = 0; i < 2; i++) {
                                f[2 * h + i][0] = q[2 * i], f[2 * h + i][1] = q8[2 * i];
                                f[2 * h + i][2] = q[2 * i + 1], f[2 * h + i][3] = q8[2 * i + 1];
                            }
                        }
                        if (p % STAGE == 0) {
                            barrier_wait(x_full + 8 * x.stage, x.parity);
                            x_panels = x_first + x.stage * (FLAT_X_STAGE / 16);
                        }
                        wgmma_fence();
#pragma unroll
                        for (u32 j = 0; j < 2 * FLAT_STEP; j++) {
                            u32 block = (FLAT_STEP * p + j / 2) % (FLAT_X_PANELS * 2);
                            u32 further = block / 2 * (FLAT_X_PANEL / 16) + block % 2 * 4 + j % 2 * 2;
                            wgmma_from<FLAT_N>(acc, f[j], x_panels + further, p != 0 || j != 0 || more);
                        }
                        wgmma_commit();
                        // One step stays under way; the one before it is done with its stage.
                        wgmma_wait<1>();
                        if (p % STAGE == 0 && more) free(x_empty, x_before);
                        more = 1;
                        if (p % STAGE == STAGE - 1) {
                            x_before = x.stage;
                            x.next();
                        }
                    }
                }
                // All of the stage is in registers.
                __syncwarp();
                free(w_empty, s.stage);
                s.next();
            }
            wgmma_wait<0>();
            free(x_empty, x_before);
#else
            u32 w_before = 0;
            for (u32 k = begin * 4; k < min(end * 4, PANELS); k++) {
                barrier_wait(w_full + 8 * s.stage, s.parity);
                barrier_wait(x_full + 8 * x.stage, x.parity);
                u64 a = matrix_descriptor(w_at + s.stage * FLAT_W_STAGE + thread / 128 * 8192);
                u64 b = matrix_descriptor(x_at + x.stage * FLAT_X_STAGE);
                wgmma_fence();
#pragma unroll
                for (u32 j = 0; j < 4; j++) wgmma<FLAT_N>(acc, a + 2 * j, b + 2 * j, j != 0 || more);
                wgmma_commit();
                wgmma_wait<1>();
                if (more) {
                    free(x_empty, x_before);
                    free(w_empty, w_before);
                }
                x_before = x.stage, w_before = s.stage, more = 1;
                x.next(), s.next();
            }
            wgmma_wait<0>();
            free(x_empty, x_before);
            free(w_empty, w_before);
#endif
            // The sums may be read from here on.
#pragma unroll
            for (u32 i = 0; i < FLAT_N / 2; i++) asm volatile("" : "+f"(acc[i])::"memory");
            u32 output = unit.column + (E::PAIRED && !FLAT_RAW ? warp_row % (FLAT_M / 2) : warp_row);
#if FLAT_MEMORY
            results.put(acc, unit.row, output, team);
#else
            results.put(acc, unit.row, output);
#endif
        }
    }
}
