// Products of 9 to 128 rows by weights of 16 bits on Hopper.
//
// A tile may have any multiple of 16 weight rows, and a matrix is cut into nearly as many tiles as there are multiprocessors. In tables of more
// than 32 rows activation rows are the rows of the matrix units' products, 64 to a warpgroup, and weight rows their columns.
// Fewer would leave most of such a product to rows that nobody has, which costs the energy of all of it; so there weight rows are the rows, 64 to
// a chunk, and activation rows the columns, which come by eights. The sums are the same. Rows that a product has beyond those of
// the tile are what lies after it in shared memory; nothing of that is kept.
//
// One thread copies the weights, another the activations, each into a ring of its own. Weights that no command before writes
// (FLAT_EARLY) are on their way before the step is known, the activations of the first stages before the number of rows is.
//
// A block has FLAT_PARTS parts of k, one after the other, a cluster all of them. Each block of a cluster finishes some of the
// columns: it gets the others' sums of these, by asynchronous stores whose bytes a barrier counts, and adds all in order.
//
// Tried without gain: two blocks to a multiprocessor, with rings of half the size, whether the next command may start at once or
// only when the last weights are on their way (blocks of a command then lie two to a multiprocessor, and others lie idle); stages
// of 128 columns; k in one block, with half the weight rows.
//
// Defines: FLAT_PARTS, FLAT_X_STAGES, FLAT_W_STAGES, FLAT_EARLY.

constexpr u32 FLAT_RANKS = FLAT_SPLIT / FLAT_PARTS;
// Whether weight rows are the rows of the products.
constexpr bool FLAT_FEW = FLAT_N <= 32;
constexpr u32 FLAT_GROUPS = ceil_div(FLAT_N, 64), FLAT_WARPS = FLAT_GROUPS * 4;

#define GEMM_ENTRY __launch_bounds__(64 + 128 * FLAT_GROUPS, 1) __cluster_dims__(FLAT_RANKS, 1, 1)
#define GEMM_MAPS , const __grid_constant__ TensorMap x_map, const __grid_constant__ TensorMap w_map
#define GEMM_RUN(e, step, x, w) flat(e, step, x_map, w_map)

// --- Shared memory ---

constexpr u32 FLAT_X_STAGE = FLAT_N * 128;

extern __shared__ u8 flat_shared[];

// --- The kernel ---

template <class E>
struct Flat {
    static constexpr u32 PANELS = ceil_div(C_K, 64), TILES = FLAT_TILES<E>;
    // Eight outputs are a unit: one group of columns, or two, gates and ups.
    static constexpr u32 EACH = E::PAIRED ? 2 : 1, OUTPUTS = FLAT_M / EACH, UNITS = OUTPUTS / 8;
    // With FLAT_FEW: chunks of the outputs, of each of which a warp has two units. Ups have as many of their own.
    static constexpr u32 CHUNKS = ceil_div(OUTPUTS, 64);
    static constexpr u32 UPS = (FLAT_FEW ? CHUNKS * 64 : OUTPUTS) * 128;
    static constexpr u32 W_BYTES = FLAT_M * 128, W_STAGE = E::PAIRED ? UPS + OUTPUTS * 128 : W_BYTES;
    // Bytes that products read after the last stage: its last chunk may have fewer rows than 64.
    static constexpr u32 W_AFTER = FLAT_FEW ? (CHUNKS * 64 - OUTPUTS) * 128 : 0;
    // Units that a block of the cluster finishes, and float4 that a lane has of each (of gates, and of ups).
    static constexpr u32 MINE = ceil_div(FLAT_FEW ? 2 * CHUNKS : UNITS, FLAT_RANKS);
    static constexpr u32 FOURS = FLAT_FEW ? ceil_div(FLAT_N, 16) : 1;
    static constexpr u32 SUMS = FLAT_RANKS > 1 ? FLAT_SPLIT * MINE * EACH * FOURS * FLAT_WARPS * 512 : 0;
    // What is added to the sums is fetched before the products where registers allow.
    static constexpr bool AHEAD =
        E::FETCHES && MINE * FOURS * 4 + FLAT_PARTS * (FLAT_FEW ? CHUNKS * EACH * FOURS * 8 : FLAT_M / 2) <= 96;

    static_assert(FLAT_M % 16 == 0 && FLAT_M <= 256 && FLAT_N % 8 == 0 && FLAT_N <= 256, "tiles of the matrix units");
    static_assert(E::MAX_ROWS <= FLAT_N, "one tile of activation rows");

    const E& e;
    const Header* step;
    const TensorMap& x_map;
    const TensorMap& w_map;
    u32 rank, cluster, clusters, lane;
    // Shared memory.
    u32 x, w, sums, x_full, x_empty, w_full, w_empty, ready, taken;

    DEVICE Flat(const E& e, const Header* step, const TensorMap& x_map, const TensorMap& w_map)
        : e(e), step(step), x_map(x_map), w_map(w_map) {
        rank = blockIdx.x % FLAT_RANKS, cluster = blockIdx.x / FLAT_RANKS, clusters = gridDim.x / FLAT_RANKS;
        lane = threadIdx.x % 32;
        x = (shared_address(flat_shared) + 1023) & ~1023u;
        w = x + FLAT_X_STAGES * FLAT_X_STAGE;
        sums = w + FLAT_W_STAGES * W_STAGE + W_AFTER;
        x_full = sums + SUMS;
        x_empty = x_full + 8 * FLAT_X_STAGES;
        w_full = x_empty + 8 * FLAT_X_STAGES;
        w_empty = w_full + 8 * FLAT_W_STAGES;
        ready = w_empty + 8 * FLAT_W_STAGES;
        taken = ready + 8 * FLAT_WARPS;
    }

    // Bytes that a warp gets of the others' sums.
    DEVICE u32 received() const {
        u32 mine = 0;
        if constexpr (FLAT_FEW) {
#pragma unroll
            for (u32 i = 0; i < MINE; i++) mine += unit_at(rank * MINE + i) < OUTPUTS;
        } else {
            mine = min(MINE, UNITS - min(UNITS, rank * MINE));
        }
        return (FLAT_SPLIT - FLAT_PARTS) * mine * EACH * FOURS * 512;
    }

    // With FLAT_FEW: the first output of this warp's unit `i`, in the tile.
    static DEVICE u32 unit_at(u32 i) { return i / 2 * 64 + threadIdx.x / 32 * 16 + i % 2 * 8; }

    // Panels of 64 columns of this block's part `p`.
    DEVICE u32 begin(u32 p) const { return flat_cut(rank * FLAT_PARTS + p) * 4; }
    DEVICE u32 end(u32 p) const { return min(begin(p + 1), PANELS); }
    DEVICE u32 panels() const { return end(FLAT_PARTS - 1) - begin(0); }

    DEVICE u32 rows() const { return active_rows<E>(step); }

    DEVICE void init() const {
        for (u32 s = 0; s < FLAT_X_STAGES; s++) {
            barrier_init(x_full + 8 * s, 1);
            barrier_init(x_empty + 8 * s, FLAT_WARPS);
        }
        for (u32 s = 0; s < FLAT_W_STAGES; s++) {
            barrier_init(w_full + 8 * s, 1);
            barrier_init(w_empty + 8 * s, FLAT_WARPS);
        }
        if constexpr (FLAT_RANKS > 1) {
            for (u32 i = 0; i < FLAT_WARPS; i++) {
                barrier_init(ready + 8 * i, 1);
                barrier_init(taken + 8 * i, FLAT_RANKS - 1);
            }
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }

    // Panel `k` of a tile of weights.
    DEVICE void fill(Turn<FLAT_W_STAGES>& s, u32 tile, u32 k) const {
        u32 to = w + s.stage * W_STAGE, barrier = w_full + 8 * s.stage, column = tile * FLAT_OUT<E>;
        barrier_wait(w_empty + 8 * s.stage, s.parity ^ 1);
        barrier_expect(barrier, W_BYTES);
        copy_box_once(to, w_map, k * 64, column, barrier);
        if constexpr (E::PAIRED) copy_box_once(to + UPS, w_map, k * 64, E::OUTPUTS + column, barrier);
        s.next();
    }

    DEVICE void fill(Turn<FLAT_X_STAGES>& s, u32 k) const {
        u32 barrier = x_full + 8 * s.stage;
        barrier_wait(x_empty + 8 * s.stage, s.parity ^ 1);
        barrier_expect(barrier, FLAT_X_STAGE);
        copy_box(x + s.stage * FLAT_X_STAGE, x_map, k * 64, 0, barrier);
        s.next();
    }

    // The first thread of the last warp but one. `s` has `ahead` stages filled.
    DEVICE void weights(Turn<FLAT_W_STAGES>& s, u32 ahead) const {
        if (rows() != 0) {
            for (u32 u = cluster; u < TILES; u += clusters) {
                for (u32 k = begin(0) + ahead; k < end(FLAT_PARTS - 1); k++) fill(s, u, k);
                ahead = 0;
            }
        }
        // Nobody waits for these.
        for (u32 i = 0; i < ahead; i++) barrier_wait(w_full + 8 * i, 0);
    }

    // The first thread of the last warp.
    DEVICE void activations() const {
        // The inputs were written by ordinary stores of earlier kernels; the copy engine reads them by another path, which the
        // wait alone does not order.
        asm volatile("fence.proxy.async.global;" ::: "memory");
        Turn<FLAT_X_STAGES> s;
        u32 ahead = cluster < TILES ? min(FLAT_X_STAGES, panels()) : 0;
        for (u32 i = 0; i < ahead; i++) fill(s, begin(0) + i);
        if (rows() != 0) {
            for (u32 u = cluster; u < TILES; u += clusters) {
                for (u32 k = begin(0) + ahead; k < end(FLAT_PARTS - 1); k++) fill(s, k);
                ahead = 0;
            }
        }
        for (u32 i = 0; i < ahead; i++) barrier_wait(x_full + 8 * i, 0);
    }

    // --- Consumers ---

    // A thread's results of a unit: two neighbouring columns of rows `row` and `row + 8`.
    DEVICE void fetch(float4& f, u32 row, u32 column, u32 count) const {
        f = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if constexpr (E::FETCHES) {
            if (row < count && column < E::OUTPUTS) {
                float2 v = e.fetch(row, column);
                f.x = v.x, f.y = v.y;
            }
            if (row + 8 < count && column < E::OUTPUTS) {
                float2 v = e.fetch(row + 8, column);
                f.z = v.x, f.w = v.y;
            }
        }
    }

    DEVICE void put(float4 a, float4 b, float4 f, u32 row, u32 column, u32 count) const {
        constexpr float S = GEMM_UNSCALE;
        float2 a0 = make_float2(a.x * S, a.y * S), a1 = make_float2(a.z * S, a.w * S);
        float2 b0 = make_float2(b.x * S, b.y * S), b1 = make_float2(b.z * S, b.w * S);
        if (row < count && column < E::OUTPUTS) e.put(row, column, a0, b0, make_float2(f.x, f.y));
        if (row + 8 < count && column < E::OUTPUTS) e.put(row + 8, column, a1, b1, make_float2(f.z, f.w));
    }

    static DEVICE float4 group(const float (&acc)[FLAT_M / 2], u32 i) {
        return make_float4(acc[4 * i], acc[4 * i + 1], acc[4 * i + 2], acc[4 * i + 3]);
    }

    static DEVICE void add(float4& a, float4 b) { a.x += b.x, a.y += b.y, a.z += b.z, a.w += b.w; }

    DEVICE void consume() const {
        u32 count = rows(), warp = threadIdx.x / 32, row = warp * 16 + lane / 4;
        if (count == 0) return;
        // Whether this warp has any rows.
        bool some = warp * 16 < count;
        Turn<FLAT_X_STAGES> sx;
        Turn<FLAT_W_STAGES> sw;
        const u32 x_at = x + threadIdx.x / 128 * 8192;
        // Exchanges of this warp so far.
        u32 turns = 0;
        for (u32 u = cluster; u < TILES; u += clusters) {
            u32 column = u * FLAT_OUT<E> + lane % 4 * 2;
            float4 fetched[AHEAD ? MINE : 1];
            if constexpr (AHEAD) {
#pragma unroll
                for (u32 i = 0; i < MINE; i++) fetch(fetched[i], row, column + (rank * MINE + i) * 8, count);
            }
            float acc[FLAT_PARTS][FLAT_M / 2];
            u32 x_before = 0, w_before = 0, more = 0;
            auto free = [&]() {
                if (lane == 0) {
                    barrier_arrive(x_empty + 8 * x_before);
                    barrier_arrive(w_empty + 8 * w_before);
                }
            };
#pragma unroll
            for (u32 p = 0; p < FLAT_PARTS; p++) {
                u32 first = begin(p), last = end(p);
                for (u32 k = first; k < last; k++) {
                    barrier_wait(w_full + 8 * sw.stage, sw.parity);
                    barrier_wait(x_full + 8 * sx.stage, sx.parity);
                    u64 a = matrix_descriptor(x_at + sx.stage * FLAT_X_STAGE), b = matrix_descriptor(w + sw.stage * W_STAGE);
                    wgmma_fence();
#pragma unroll
                    for (u32 j = 0; j < 4; j++) wgmma<FLAT_M>(acc[p], a + 2 * j, b + 2 * j, j != 0 || k != first);
                    wgmma_commit();
                    // One step stays under way; the one before it is done with its stages.
                    wgmma_wait<1>();
                    if (more) free();
                    x_before = sx.stage, w_before = sw.stage, more = 1;
                    sx.next(), sw.next();
                }
                if constexpr (FLAT_PARTS > 1) {
                    // The compiler must not move a part's sums while it is under way.
                    wgmma_wait<0>();
#pragma unroll
                    for (u32 i = 0; i < FLAT_M / 2; i++) asm volatile("" : "+f"(acc[p][i])::"memory");
                }
            }
            wgmma_wait<0>();
            free();
#pragma unroll
            for (u32 p = 0; p < FLAT_PARTS; p++) {
#pragma unroll
                for (u32 i = 0; i < FLAT_M / 2; i++) asm volatile("" : "+f"(acc[p][i])::"memory");
            }
            if (!some) continue;
            bool last_turn = u + clusters >= TILES;
            if constexpr (FLAT_RANKS > 1) exchange(acc, fetched, row, column, count, warp, turns, last_turn);
            else finish(acc, fetched, row, column, count);
            turns++;
        }
    }

    template <u32 F>
    DEVICE void finish(const float (&acc)[FLAT_PARTS][FLAT_M / 2], const float4 (&fetched)[F], u32 row, u32 column, u32 count) const {
#pragma unroll
        for (u32 i = 0; i < UNITS; i++) {
            float4 v[2];
#pragma unroll
            for (u32 h = 0; h < EACH; h++) {
                v[h] = group(acc[0], i + h * UNITS);
#pragma unroll
                for (u32 p = 1; p < FLAT_PARTS; p++) add(v[h], group(acc[p], i + h * UNITS));
            }
            float4 f = fetched[0];
            if constexpr (AHEAD) f = fetched[i];
            else fetch(f, row, column + i * 8, count);
            put(v[0], v[EACH - 1], f, row, column + i * 8, count);
        }
    }

    // Sends each block of the cluster its columns' sums, and finishes this block's own.
    template <u32 F>
    DEVICE void exchange(const float (&acc)[FLAT_PARTS][FLAT_M / 2], const float4 (&fetched)[F], u32 row, u32 column, u32 count, u32 warp,
                         u32 turns, bool last_turn) const {
        auto place = [&](u32 part, u32 i, u32 h) { return sums + (((part * MINE + i) * EACH + h) * FLAT_WARPS * 32 + threadIdx.x) * 16; };
        u32 full = ready + 8 * warp;
        // Bytes may be there already: the phase does not end before they are expected too.
        if (lane == 0) barrier_expect(full, received());
        if (turns != 0) barrier_wait(taken + 8 * warp, (turns - 1) & 1);
#pragma unroll
        for (u32 t = 0; t < FLAT_RANKS; t++) {
            if (t == rank) continue;
#pragma unroll
            for (u32 p = 0; p < FLAT_PARTS; p++) {
#pragma unroll
                for (u32 i = 0; i < MINE; i++) {
                    if (t * MINE + i >= UNITS) continue;
#pragma unroll
                    for (u32 h = 0; h < EACH; h++)
                        shared_send(place(rank * FLAT_PARTS + p, i, h), t, full, group(acc[p], t * MINE + i + h * UNITS));
                }
            }
        }
        barrier_wait(full, turns & 1);
        float4 v[MINE][2];
#pragma unroll
        for (u32 p = 0; p < FLAT_SPLIT; p++) {
#pragma unroll
            for (u32 i = 0; i < MINE; i++) {
#pragma unroll
                for (u32 h = 0; h < EACH; h++) {
                    float4 o;
                    if (p / FLAT_PARTS == rank) {
                        o = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
                        for (u32 t = 0; t < FLAT_RANKS; t++) {
                            if (t == rank && t * MINE + i < UNITS) o = group(acc[p % FLAT_PARTS], t * MINE + i + h * UNITS);
                        }
                    } else {
                        o = shared_get(place(p, i, h));
                    }
                    if (p == 0) v[i][h] = o;
                    else add(v[i][h], o);
                }
            }
        }
        __syncwarp();
        if (!last_turn && lane < FLAT_RANKS && lane != rank) barrier_arrive_at(taken + 8 * warp, lane);
#pragma unroll
        for (u32 i = 0; i < MINE; i++) {
            u32 unit = rank * MINE + i;
            float4 f = fetched[0];
            if constexpr (AHEAD) f = fetched[i];
            else fetch(f, row, column + unit * 8, count);
            if (unit < UNITS) put(v[i][0], v[i][EACH - 1], f, row, column + unit * 8, count);
        }
    }

    // --- Consumers with FLAT_FEW ---

    // Four of a lane's results of a unit, as the matrix units leave them: two neighbouring activation rows from 16 f on, and the two 8 further, which
    // are 0 where COLUMNS is 8. All are of one output; `flat_turn` makes two outputs of one row of two lanes' pairs.
    template <u32 COLUMNS>
    static DEVICE float4 four(const float (&acc)[COLUMNS / 2], u32 unit, u32 f) {
        u32 at = 8 * f + unit % 2 * 2;
        float4 v = make_float4(acc[at], acc[at + 1], 0.0f, 0.0f);
        if (8 * f + 4 < COLUMNS / 2) v.z = acc[at + 4], v.w = acc[at + 5];
        return v;
    }

    // What is added to such four, in the places that they have in `put_four`.
    DEVICE float4 fetch_four(u32 tile, u32 unit, u32 f, u32 count) const {
        float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if constexpr (E::FETCHES) {
            FlatPlace a = flat_place(16 * f, tile + unit_at(unit));
            bool inside = unit_at(unit) < OUTPUTS && a.column < E::OUTPUTS;
            if (inside && a.row < count) {
                float2 x = e.fetch(a.row, a.column);
                v.x = x.x, v.y = x.y;
            }
            if (inside && a.row + 8 < count) {
                float2 x = e.fetch(a.row + 8, a.column);
                v.z = x.x, v.w = x.y;
            }
        }
        return v;
    }

    // Lanes exchange some, so that each has two neighbouring outputs of one activation row.
    DEVICE void put_four(float4 a, float4 b, float4 f, u32 tile, u32 unit, u32 four, u32 count) const {
        constexpr float S = GEMM_UNSCALE;
        FlatPlace at = flat_place(16 * four, tile + unit_at(unit));
        float2 a0 = flat_turn(a.x * S, a.y * S), a1 = flat_turn(a.z * S, a.w * S), b0 = a0, b1 = a1;
        if constexpr (E::PAIRED) b0 = flat_turn(b.x * S, b.y * S), b1 = flat_turn(b.z * S, b.w * S);
        bool inside = unit_at(unit) < OUTPUTS && at.column < E::OUTPUTS;
        if (inside && at.row < count) e.put(at.row, at.column, a0, b0, make_float2(f.x, f.y));
        if (inside && at.row + 8 < count) e.put(at.row + 8, at.column, a1, b1, make_float2(f.z, f.w));
    }

    // Products with COLUMNS activation rows.
    template <u32 COLUMNS>
    DEVICE void consume_few(u32 count) const {
        constexpr u32 ALL = CHUNKS * EACH, N_FOURS = ceil_div(COLUMNS, 16);
        Turn<FLAT_X_STAGES> sx;
        Turn<FLAT_W_STAGES> sw;
        u32 turns = 0;
        for (u32 u = cluster; u < TILES; u += clusters) {
            u32 tile = u * FLAT_OUT<E>;
            float4 fetched[AHEAD ? MINE * N_FOURS : 1];
            if constexpr (AHEAD) {
#pragma unroll
                for (u32 i = 0; i < MINE * N_FOURS; i++)
                    fetched[i] = fetch_four(tile, rank * MINE + i / N_FOURS, i % N_FOURS, count);
            }
            float acc[FLAT_PARTS][ALL][COLUMNS / 2];
            u32 x_before = 0, w_before = 0, more = 0;
            auto free = [&]() {
                if (lane == 0) {
                    barrier_arrive(x_empty + 8 * x_before);
                    barrier_arrive(w_empty + 8 * w_before);
                }
            };
            auto settle = [&]() {
                // The compiler must not move sums while they are under way.
#pragma unroll
                for (u32 i = 0; i < FLAT_PARTS * ALL * (COLUMNS / 2); i++) {
                    float& v = acc[i / (ALL * (COLUMNS / 2))][i / (COLUMNS / 2) % ALL][i % (COLUMNS / 2)];
                    asm volatile("" : "+f"(v)::"memory");
                }
            };
#pragma unroll
            for (u32 p = 0; p < FLAT_PARTS; p++) {
                u32 first = begin(p), last = end(p);
                for (u32 k = first; k < last; k++) {
                    barrier_wait(w_full + 8 * sw.stage, sw.parity);
                    barrier_wait(x_full + 8 * sx.stage, sx.parity);
                    u64 a = matrix_descriptor(w + sw.stage * W_STAGE), b = matrix_descriptor(x + sx.stage * FLAT_X_STAGE);
                    wgmma_fence();
#pragma unroll
                    for (u32 j = 0; j < 4; j++) {
#pragma unroll
                        for (u32 c = 0; c < ALL; c++) wgmma<COLUMNS>(acc[p][c], a + c * 512 + 2 * j, b + 2 * j, j != 0 || k != first);
                    }
                    wgmma_commit();
                    // One step stays under way; the one before it is done with its stages.
                    wgmma_wait<1>();
                    if (more) free();
                    x_before = sx.stage, w_before = sw.stage, more = 1;
                    sx.next(), sw.next();
                }
                if constexpr (FLAT_PARTS > 1) {
                    wgmma_wait<0>();
                    settle();
                }
            }
            wgmma_wait<0>();
            free();
            settle();
            auto own = [&](u32 part, u32 unit, u32 h, u32 f) { return four<COLUMNS>(acc[part][unit / 2 + h * CHUNKS], unit, f); };
            if constexpr (FLAT_RANKS == 1) {
#pragma unroll
                for (u32 i = 0; i < MINE * N_FOURS; i++) {
                    u32 unit = i / N_FOURS, f = i % N_FOURS;
                    float4 v[2];
#pragma unroll
                    for (u32 h = 0; h < EACH; h++) {
                        v[h] = own(0, unit, h, f);
#pragma unroll
                        for (u32 p = 1; p < FLAT_PARTS; p++) add(v[h], own(p, unit, h, f));
                    }
                    float4 rest = AHEAD ? fetched[AHEAD ? i : 0] : fetch_four(tile, unit, f, count);
                    put_four(v[0], v[EACH - 1], rest, tile, unit, f, count);
                }
            } else {
                exchange_few<N_FOURS>(own, fetched, tile, count, turns, u + clusters >= TILES);
            }
            turns++;
        }
    }

    // Sends each block of the cluster its units' sums, and finishes this block's own. `own(part, unit, h, f)` are this block's sums.
    template <u32 N_FOURS, class Own, u32 F>
    DEVICE void exchange_few(const Own& own, const float4 (&fetched)[F], u32 tile, u32 count, u32 turns, bool last_turn) const {
        u32 warp = threadIdx.x / 32, full = ready + 8 * warp;
        auto place = [&](u32 part, u32 i, u32 h, u32 f) {
            return sums + ((((part * MINE + i) * EACH + h) * FOURS + f) * FLAT_WARPS * 32 + threadIdx.x) * 16;
        };
        // Bytes may be there already: the phase does not end before they are expected too.
        if (lane == 0) barrier_expect(full, received() / FOURS * N_FOURS);
        if (turns != 0) barrier_wait(taken + 8 * warp, (turns - 1) & 1);
#pragma unroll
        for (u32 t = 0; t < FLAT_RANKS; t++) {
            if (t == rank) continue;
#pragma unroll
            for (u32 i = 0; i < MINE; i++) {
                if (t * MINE + i >= 2 * CHUNKS || unit_at(t * MINE + i) >= OUTPUTS) continue;
#pragma unroll
                for (u32 p = 0; p < FLAT_PARTS; p++) {
#pragma unroll
                    for (u32 j = 0; j < EACH * N_FOURS; j++) {
                        u32 h = j / N_FOURS, f = j % N_FOURS;
                        shared_send(place(rank * FLAT_PARTS + p, i, h, f), t, full, own(p, t * MINE + i, h, f));
                    }
                }
            }
        }
        barrier_wait(full, turns & 1);
        float4 v[MINE][EACH * N_FOURS];
#pragma unroll
        for (u32 p = 0; p < FLAT_SPLIT; p++) {
#pragma unroll
            for (u32 i = 0; i < MINE; i++) {
#pragma unroll
                for (u32 j = 0; j < EACH * N_FOURS; j++) {
                    u32 h = j / N_FOURS, f = j % N_FOURS;
                    float4 o = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
                    if (p / FLAT_PARTS == rank) {
#pragma unroll
                        for (u32 t = 0; t < FLAT_RANKS; t++) {
                            if (t == rank && t * MINE + i < 2 * CHUNKS) o = own(p % FLAT_PARTS, t * MINE + i, h, f);
                        }
                    } else {
                        o = shared_get(place(p, i, h, f));
                    }
                    if (p == 0) v[i][j] = o;
                    else add(v[i][j], o);
                }
            }
        }
        __syncwarp();
        if (!last_turn && lane < FLAT_RANKS && lane != rank) barrier_arrive_at(taken + 8 * warp, lane);
#pragma unroll
        for (u32 i = 0; i < MINE; i++) {
            u32 unit = rank * MINE + i;
#pragma unroll
            for (u32 f = 0; f < N_FOURS; f++) {
                float4 rest = AHEAD ? fetched[AHEAD ? i * N_FOURS + f : 0] : fetch_four(tile, unit, f, count);
                if (unit < 2 * CHUNKS) put_four(v[i][f], v[i][(EACH - 1) * N_FOURS + f], rest, tile, unit, f, count);
            }
        }
    }

    DEVICE void consume_few() const {
        u32 count = rows();
        if (count == 0) return;
        if (count <= 8) return consume_few<8>(count);
        if constexpr (FLAT_N > 16) {
            if (count > 16) return consume_few<32>(count);
        }
        consume_few<16>(count);
    }

    DEVICE void run() const {
        u32 warp = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
        launch_dependents();
        Turn<FLAT_W_STAGES> s;
        u32 ahead = 0;
        if (warp == FLAT_WARPS && lane == 0) {
            init();
            if (FLAT_EARLY && cluster < TILES) ahead = min(FLAT_W_STAGES, panels());
            for (u32 i = 0; i < ahead; i++) fill(s, cluster, begin(0) + i);
        }
        __syncthreads();
        // Others arrive at this block's barriers only after they have waited here.
        cluster_arrive<FLAT_RANKS>();
        wait_dependencies();
        if (warp == FLAT_WARPS) {
            if (lane == 0) weights(s, ahead);
        } else if (warp == FLAT_WARPS + 1) {
            if (lane == 0) activations();
        }
        __syncwarp();
        cluster_wait<FLAT_RANKS>();
        if (warp < FLAT_WARPS) {
            if constexpr (FLAT_FEW) consume_few();
            else consume();
        }
    }
};

template <class E>
DEVICE void flat(const E& e, const Header* step, const TensorMap& x_map, const TensorMap& w_map) {
    Flat<E>(e, step, x_map, w_map).run();
}
