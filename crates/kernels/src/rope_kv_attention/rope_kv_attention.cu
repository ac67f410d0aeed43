// rope_kv_attention: rotation, cache write and attention of a few rows, split over the KV length.
//
// What a row sees is cut into splits of CLUSTER pieces; a block does one piece for one KV head, all query heads of
// it, and up to QUERIES (row, head) pairs at once. Where pieces and splits lie follows from the row's own position
// alone, and everything is added up in one order, so neither the other rows nor the grid change a row's bits. Rows
// whose cuts are the same form a run and share what is read.
//
// Scores and sums run on tensor cores. A fragment has 16 rows for 8 queries: rows 0..8 hold the high half of a
// value, rows 8..16 what 16 bits lost of it. Both products land in the same thread, which adds them, so queries and
// weights count with 22 bits though the products are of f16 (16 bits on bf16).

constexpr u32 SUBSETS = 4, GROUP = C_HEADS / C_KV_HEADS;   // a subset is 16 positions of a tile, one warp's
constexpr u32 WARPS = SUBSETS * Q_TILES, QUERIES = 8 * Q_TILES;
constexpr u32 Q_BYTES = 16 * Q_TILES * STRIDE;
constexpr u32 OUT_STRIDE = HD + 8;                     // floats; spreads a fragment's rows over the banks
constexpr u32 CHUNKS = (C_MAX_ROWS * GROUP + QUERIES - 1) / QUERIES;
constexpr u32 MOST_QUERIES = C_MAX_ROWS * GROUP < QUERIES ? C_MAX_ROWS * GROUP : QUERIES;
constexpr u32 ITEMS = MOST_QUERIES * HD / 4;           // of a block's result, 4 elements each
constexpr u32 SLICE = (ITEMS + CLUSTER - 1) / CLUSTER; // items that a block of the cluster adds up, at most
// The step's own keys and values of a KV head, row by row. A side with codes has room for f32: 128 bytes for each 32 elements, in whose place
// their codes and their scale then lie.
constexpr u32 FRESH_KEYS = (K_CODES ? 4 : 2) * HD, FRESH_ROW = FRESH_KEYS + (V_CODES ? 4 : 2) * HD, FRESH_BYTES = C_MAX_ROWS * FRESH_ROW;
constexpr u32 INBOX_BYTES = CLUSTER > 1 ? CLUSTER * SLICE * 24 : 0;
constexpr u32 SUMS_BYTES = (SUBSETS + 1) * QUERIES * 8;
// In shared memory: the stages, and, when those are done, the merge in their place.
constexpr u32 MERGE_BYTES = SUBSETS * QUERIES * OUT_STRIDE * 4;
constexpr u32 TILES_END = STAGES * STAGE_BYTES;
// Behind the tiles.
constexpr u32 Q_AT = TILES_END > MERGE_BYTES ? TILES_END : MERGE_BYTES, FRESH_AT = Q_AT + Q_BYTES, INBOX_AT = FRESH_AT + FRESH_BYTES;
constexpr u32 SUMS_AT = INBOX_AT + INBOX_BYTES, BARRIER_AT = SUMS_AT + SUMS_BYTES;
constexpr bool Q_IN_REGISTERS = Q_TILES == 1 && HD <= 128;
// Blocks of one warp set that a multiprocessor's shared memory holds.
constexpr u32 RESIDENT = (BARRIER_AT + 16 + 1024) * 3 <= 228 * 1024 ? 3 : 2;
static_assert(THREADS == 32 * WARPS && HD % 16 == 0 && STAGES >= 2, "as rope_kv_attention/mod.rs checks");
static_assert(BARRIER_AT + 16 == SHARED, "as rope_kv_attention/mod.rs counts");

// Rows with the same cuts.
struct Run {
    u32 row, rows, seq;
    u32 start, length;   // first position of the first piece; positions of a piece
    u32 last;            // the largest position
};

// Where a row's first piece begins.
DEVICE u32 start_of(u32 pos) {
    return C_WINDOW == 0 || pos + 1 < C_WINDOW ? 0 : (pos + 1 - C_WINDOW) / 32 * 32;
}

// Positions of a piece. One split as long as that is quicker than handing partial results on.
DEVICE u32 length_of(u32 positions) {
    constexpr u32 FEW = 32 * CLUSTER, MANY = 32 * CLUSTER * MAX_SPLITS;
    return positions <= CLUSTER * DIRECT ? (positions + FEW - 1) / FEW * 32 : (positions + MANY - 1) / MANY * 32;
}

// Steps of `step` from `from` on that begin at or before `last`, at most MOST; counting beats dividing.
template <u32 MOST>
DEVICE u32 steps_to(u32 from, u32 step, u32 last) {
    u32 n = 0;
#pragma unroll
    for (u32 j = 0; j < MOST; j++) n += from + j * step <= last;
    return n;
}

DEVICE u32 splits_of(u32 start, u32 length, u32 last) {
    return steps_to<MAX_SPLITS>(start, length * CLUSTER, last);
}

DEVICE Run run_at(const Row* list, u32 rows, u32 r) {
    Row first = list[r];
    Run run = {r, 1, first.seq, start_of(first.pos), 0, first.pos};
    run.length = length_of(first.pos + 1 - run.start);
    for (u32 i = r + 1; i < rows; i++) {
        Row next = list[i];
        u32 start = start_of(next.pos);
        if (next.seq != run.seq || start != run.start || length_of(next.pos + 1 - start) != run.length) break;
        run.rows++;
        run.last = next.pos > run.last ? next.pos : run.last;
    }
    return run;
}

// --- Clusters: blocks push results into each other's shared memory, and a barrier there counts the bytes ---

DEVICE void cluster_arrive() {
    if constexpr (CLUSTER > 1) asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

DEVICE void cluster_wait() {
    if constexpr (CLUSTER > 1) asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

DEVICE void barrier_init(u32 barrier) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(barrier) : "memory");
}

DEVICE void barrier_expect(u32 barrier, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

DEVICE void barrier_wait(u32 barrier, u32 phase) {
    u32 done = 0;
    while (!done) {
        asm volatile(
            "{\n.reg .pred p;\n"
            "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
            "selp.u32 %0, 1, 0, p;\n}"
            : "=r"(done)
            : "r"(barrier), "r"(phase)
            : "memory");
    }
}

// Where this block's shared address is in block `rank`.
DEVICE u32 remote(u32 at, u32 rank) {
    u32 r;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(at), "r"(rank));
    return r;
}

DEVICE void push4(u32 to, float4 v, u32 barrier) {
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to),
                 "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w), "r"(barrier)
                 : "memory");
}

DEVICE void push2(u32 to, float2 v, u32 barrier) {
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3];" ::"r"(to),
                 "f"(v.x), "f"(v.y), "r"(barrier)
                 : "memory");
}

DEVICE void add_weighted(float4& sum, float w, float4 v) {
    sum.x += w * v.x;
    sum.y += w * v.y;
    sum.z += w * v.z;
    sum.w += w * v.w;
}

// --- One piece ---

struct Inputs {
    const Header* step;
    const Row* list;
    const u32* table;
    const float *angles, *qkv;
    u8 *k_cache, *v_cache;
    float* partials;
    u32* sync;
    u8* out;
    float scale;
    u32 rows;
};

struct Piece {
    Run run;
    u32 split, kv_head, chunk, rank;
    u32 from, end;       // its positions
    u32 fresh;           // the smallest position that this step adds to the sequence
};

DEVICE const float* head_of(const Inputs& in, u32 row, u32 head) {
    return in.qkv + ((u64)row * (C_HEADS + 2 * C_KV_HEADS) + head) * HD;
}

// Starts the copies of a tile but for the step's own rows, which are not in the cache yet.
DEVICE void copy_tile(const Inputs& in, const Piece& p, u32 tile, u32 at) {
    constexpr u32 PARTS = HD / 8, N = TILE * PARTS;
    u32 base = p.from + tile * TILE, count = p.end - base < TILE ? p.end - base : TILE;
    // A piece begins at a multiple of 32, so each half of the tile lies in one block of the cache.
    u64 lower = kv_slot(in.table, p.kv_head, base);
    u64 upper = count <= 32 ? lower : kv_slot(in.table, p.kv_head, base + 32);
    bool whole = count == TILE;
    u64 fresh = 0;
    if (base + TILE > p.fresh) {
        whole = false;
#pragma unroll
        for (u32 r = 0; r < C_MAX_ROWS; r++) {
            // (Of the rows after this piece's end nobody puts anything here: they become zeros like all others there.)
            if (r < in.rows && in.list[r].seq == p.run.seq && in.list[r].pos - base < count) {
                fresh |= 1ull << (in.list[r].pos - base);
            }
        }
    }
    // Warps read whole groups of 16.
    u32 limit = (count + 15) / 16 * 16;
    if constexpr (K_CODES) copy_codes(in.k_cache, at, lower, upper, limit, fresh);
    if constexpr (V_CODES) copy_codes(in.v_cache, at + K_STAGE, lower, upper, limit, fresh);
    if constexpr (K_CODES && V_CODES) return;
    // Slots count rows, and 16-bit rows follow each other across tiles.
    u64 low = lower * HD * 2, high = (upper - 32) * HD * 2;
    if (whole) {
#pragma unroll
        for (u32 j = 0; j < (N + THREADS - 1) / THREADS; j++) {
            u32 i = threadIdx.x + j * THREADS;
            if (N % THREADS != 0 && i >= N) break;
            u32 row = i / PARTS, to = at + row * STRIDE + 16 * (i % PARTS);
            u64 from = (row < 32 ? low : high) + 16 * i;
            if constexpr (!K_CODES) copy_async(to, in.k_cache + from, 16);
            if constexpr (!V_CODES) copy_async(to + K_STAGE, in.v_cache + from, 16);
        }
        return;
    }
#pragma unroll
    for (u32 j = 0; j < (N + THREADS - 1) / THREADS; j++) {
        u32 i = threadIdx.x + j * THREADS;
        if (N % THREADS != 0 && i >= N) break;
        u32 row = i / PARTS, to = at + row * STRIDE + 16 * (i % PARTS), bytes = row < count ? 16 : 0;
        u64 from = (row < 32 ? low : high) + 16 * i;
        if (row >= limit || (fresh >> row & 1)) continue;
        if constexpr (!K_CODES) copy_async(to, in.k_cache + from, bytes);
        if constexpr (!V_CODES) copy_async(to + K_STAGE, in.v_cache + from, bytes);
    }
}

// What a thread loads of the activations, before anything else is known than the KV head: its share of the queries,
// and of the keys and values of the step's rows.
constexpr u32 Q_PAIRS = QUERIES * HD / 2, Q_SHARE = (Q_PAIRS + THREADS - 1) / THREADS;
constexpr u32 FRESH_PAIRS = C_MAX_ROWS * HD, FRESH_SHARE = (FRESH_PAIRS + THREADS - 1) / THREADS;

struct Early {
    Unturned q[Q_SHARE], fresh[FRESH_SHARE];
};

struct FreshPair {
    u32 row, i;
    bool key;
    Pair pair;
};

// Whether the piece is the one that stores a row at `pos` in the cache.
DEVICE bool stores(const Piece& p, u32 row, u32 pos) {
    return row >= p.run.row && row < p.run.row + p.run.rows && p.chunk == 0 && pos >= p.from && pos < p.end;
}

// Pairs of keys, then of values, row by row.
DEVICE FreshPair fresh_pair(u32 j) {
    u32 u = threadIdx.x + j * THREADS, i = u % HD;
    if (i < HD / 2) return {u / HD, i, true, pair_of(i)};
    return {u / HD, i, false, {2 * i - HD, 2 * i - HD + 1, false}};
}

DEVICE void load_early(const Inputs& in, u32 kv_head, u32 first_query, u32 queries, Early& e) {
#pragma unroll
    for (u32 j = 0; j < Q_SHARE; j++) {
        u32 i = threadIdx.x + j * THREADS, slot = i / (HD / 2), query = first_query + slot;
        e.q[j] = {0.0f, 0.0f, make_float2(1.0f, 0.0f)};
        if (slot >= queries) continue;
        u32 row = query / GROUP;
        const float* head = head_of(in, row, kv_head * GROUP + query % GROUP);
        e.q[j] = load_pair(pair_of(i % (HD / 2)), i % (HD / 2), head, in.angles + row * C_PAIRS * 2);
    }
#pragma unroll
    for (u32 j = 0; j < FRESH_SHARE; j++) {
        FreshPair f = fresh_pair(j);
        // The buffers have room for all rows of the table, used or not.
        if (f.row >= C_MAX_ROWS) continue;
        const float* head = head_of(in, f.row, C_HEADS + (f.key ? 0 : C_KV_HEADS) + kv_head);
        e.fresh[j] = load_pair(f.pair, f.i, head, in.angles + f.row * C_PAIRS * 2);
    }
}

// Where a query keeps an element. Of 16 elements a lane's fragment of keys has four neighbours where those are codes, so a query's has them, too.
DEVICE u32 query_place(u32 d) {
    return K_CODES ? d / 16 * 16 + d % 16 / 4 * 2 + d % 2 + d % 4 / 2 * 8 : d;
}

// Keeps the rotated, scaled queries as two 16-bit values each, zeros where there is no query, and the step's keys and
// values, which the piece that ends a row also stores in the cache. Those of a side with codes wait for `quantize_fresh` as f32.
DEVICE void keep_early(const Inputs& in, const Piece& p, const Early& e, u8* shared) {
    u16* q = reinterpret_cast<u16*>(shared + Q_AT);
#pragma unroll
    for (u32 j = 0; j < Q_SHARE; j++) {
        u32 i = threadIdx.x + j * THREADS, slot = i / (HD / 2);
        if (Q_PAIRS % THREADS != 0 && i >= Q_PAIRS) break;
        Pair pair = pair_of(i % (HD / 2));
        float2 y = turn(e.q[j]);
        y.x *= in.scale * LOG2E;
        y.y *= in.scale * LOG2E;
        u16* high = q + (slot / 8 * 16 + slot % 8) * (STRIDE / 2);
        u16* low = high + 8 * (STRIDE / 2);
        u16 a = to_16<C_K_TYPE>(y.x), b = to_16<C_K_TYPE>(y.y);
        u32 first = query_place(pair.first), second = query_place(pair.second);
        high[first] = a;
        high[second] = b;
        low[first] = to_16<C_K_TYPE>(y.x - from_16<C_K_TYPE>(a));
        low[second] = to_16<C_K_TYPE>(y.y - from_16<C_K_TYPE>(b));
    }
    if (p.end <= p.fresh) return;
#pragma unroll
    for (u32 j = 0; j < FRESH_SHARE; j++) {
        FreshPair f = fresh_pair(j);
        if (f.row >= in.rows) continue;
        float2 y = turn(e.fresh[j]);
        u8* fresh = shared + FRESH_AT + f.row * FRESH_ROW + (f.key ? 0 : FRESH_KEYS);
        if (f.key ? K_CODES : V_CODES) {
            float* to = reinterpret_cast<float*>(fresh);
            to[f.pair.first] = y.x;
            to[f.pair.second] = y.y;
            continue;
        }
        u16 a = f.key ? to_16<C_K_TYPE>(y.x) : to_16<C_V_TYPE>(y.x);
        u16 b = f.key ? to_16<C_K_TYPE>(y.y) : to_16<C_V_TYPE>(y.y);
        u16* to = reinterpret_cast<u16*>(fresh);
        to[f.pair.first] = a;
        to[f.pair.second] = b;
        u32 pos = in.list[f.row].pos;
        if (stores(p, f.row, pos)) {
            u64 at = kv_slot(in.table, p.kv_head, pos) * HD;
            u16* c = reinterpret_cast<u16*>(f.key ? in.k_cache : in.v_cache) + at;
            c[f.pair.first] = a;
            c[f.pair.second] = b;
        }
    }
}

// Quantizes the step's keys and values that are to be codes, a warp a group of 32, in their place.
DEVICE void quantize_fresh(const Inputs& in, const Piece& p, u8* shared) {
    constexpr u32 SIDES = K_CODES + V_CODES, GROUPS = HD / 32, PER_ROW = SIDES * GROUPS;
    u32 lane = threadIdx.x % 32;
    for (u32 u = threadIdx.x / 32; u < in.rows * PER_ROW; u += WARPS) {
        u32 row = u / PER_ROW, e = u % GROUPS * 32 + lane, pos = in.list[row].pos;
        // Rows of other sequences, and those outside this piece, are never read.
        if (in.list[row].seq != p.run.seq || pos < p.from || pos >= p.end) continue;
        bool key = K_CODES && u % PER_ROW < GROUPS;
        u8* group = shared + FRESH_AT + row * FRESH_ROW + (key ? 0 : FRESH_KEYS) + e / 32 * 128;
        // All lanes have read theirs when the largest of them is known.
        Code c = kv_quantize(reinterpret_cast<const float*>(group)[lane]);
        __syncwarp();
        group[lane] = (u8)c.code;
        if (lane == 0) *reinterpret_cast<u16*>(group + 32) = c.scale;
        if (!stores(p, row, pos)) continue;
        u64 slot = kv_slot(in.table, p.kv_head, pos);
        u8* cache = key ? in.k_cache : in.v_cache;
        kv_values<KV_Q8_0>(cache, slot)[e] = (u8)c.code;
        if (lane == 0) reinterpret_cast<u16*>(kv_scales(cache, slot))[e / 32] = c.scale;
    }
}

// Puts one side of the step's own rows into a tile, of which there are pieces of 16 bytes.
template <bool CODES>
DEVICE void fill_side(const Inputs& in, const Piece& p, u32 base, u32 to, const u8* fresh) {
    constexpr u32 PARTS = HD / (CODES ? 16 : 8);
    for (u32 u = threadIdx.x; u < in.rows * PARTS; u += THREADS) {
        u32 r = u / PARTS, part = u % PARTS;
        Row place = in.list[r];
        if (place.seq != p.run.seq || place.pos - base >= TILE || place.pos >= p.end) continue;
        u32 row = place.pos - base, at = CODES ? row * CODE_ROW + 16 * part : row * STRIDE + 16 * part;
        const u8* from = fresh + r * FRESH_ROW + (CODES ? part / 2 * 128 + part % 2 * 16 : 16 * part);
        uint4 v = *reinterpret_cast<const uint4*>(from);
        asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to + at), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
        if (!CODES || part % 2 != 0) continue;
        u16 scale = *reinterpret_cast<const u16*>(from + 32);
        asm volatile("st.shared.u16 [%0], %1;" ::"r"(to + CODE_BYTES + row * (HD / 16) + part), "h"(scale) : "memory");
    }
}

// 8 queries' running softmax over the positions that one warp sees.
struct Sums {
    float out[HD / 8][4];
    float max, sum;
};

// Fragments of 16 positions and of columns 16 k to 16 k + 15. `keys` is where this lane's codes of the first columns lie, `scales_from` the
// scales of a tile; `scales` is of two groups, of the lane's position, number `row` of the tile, and of the one eight further.
DEVICE void key_codes(u32 (&b)[4], u32 keys, u32 scales_from, u32 row, u32 k, u32 (&scales)[2]) {
#pragma unroll
    for (u32 half = 0; half < 2; half++) {
        u32 codes;
        if (k % 4 == 0) scales[half] = scales_at(scales_from, row + 8 * half, k / 4);
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(codes) : "r"(keys + 8 * half * CODE_ROW + 16 * k) : "memory");
        uint2 v = kv_widen_key(codes, scales[half], k);
        b[2 * half] = v.x, b[2 * half + 1] = v.y;
    }
}

// Fragments of 16 positions and of columns 32 m to 32 m + 31: of each 16 the even columns, then the odd ones. `scales` is as position_scales has it.
DEVICE void value_codes(u32 (&b)[4][2], u32 values, u32 m, const u32 (&scales)[2][2]) {
    u32 codes[4];
    load_matrices_transposed(codes, values + 32 * m);
#pragma unroll
    for (u32 n = 0; n < 4; n++) {
        uint2 v = kv_widen_values(codes[n], scales[n % 2][m % 2]);
        b[n / 2 * 2][n % 2] = v.x, b[n / 2 * 2 + 1][n % 2] = v.y;
    }
}

// Row addresses that a lane reads from, of keys (codes: of its four in the first 16 columns) and of values; where the scales of both sides
// begin, of which the 16 positions have those from `row` on. Positions of the tile from `valid` on are not there.
struct Rows16 {
    u32 keys, values, key_scales, value_scales, row, valid;
};

// Adds 16 positions, of which a query counts `low..=high`. `pos`: the first position.
DEVICE void add_positions(Sums& s, const u32 (*q)[4], u32 q_at, const Rows16& rows, i32 pos, i32 low, i32 high) {
    // Two chains of products each, since one waits for itself.
    float score[2][2][4] = {};
    [[maybe_unused]] u32 key_scales[2];
#pragma unroll
    for (u32 k = 0; k < HD / 16; k++) {
        u32 b[4], a[4];
        if constexpr (K_CODES) key_codes(b, rows.keys, rows.key_scales, rows.row + threadIdx.x % 32 / 4, k, key_scales);
        else load_matrices(b, rows.keys + 32 * k);
        if constexpr (Q_IN_REGISTERS) {
            mma_as<C_K_TYPE>(score[k % 2][0], q[k], b[0], b[1]);
            mma_as<C_K_TYPE>(score[k % 2][1], q[k], b[2], b[3]);
        } else {
            load_matrices(a, q_at + 32 * k);
            mma_as<C_K_TYPE>(score[k % 2][0], a, b[0], b[1]);
            mma_as<C_K_TYPE>(score[k % 2][1], a, b[2], b[3]);
        }
    }
    float x[4];
    float max = s.max;
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
        i32 at = pos + 8 * (i32)(i / 2) + 2 * (i32)(threadIdx.x % 4) + (i32)(i % 2);
        x[i] = score[0][i / 2][i % 2] + score[1][i / 2][i % 2] + (score[0][i / 2][i % 2 + 2] + score[1][i / 2][i % 2 + 2]);
        x[i] = at < low || at > high ? -INFINITE : capped(x[i]);
        max = fmaxf(max, x[i]);
    }
    max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, 1));
    max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, 2));
    // Where the maximum stays, the factor would be exactly 1.
    if (__any_sync(0xffffffffu, max > s.max)) {
        float f = max > s.max ? weight(s.max, max) : 1.0f;
        s.max = max;
        s.sum *= f;
#pragma unroll
        for (u32 n = 0; n < HD / 8; n++) {
#pragma unroll
            for (u32 i = 0; i < 4; i++) s.out[n][i] *= f;
        }
    }
#pragma unroll
    for (u32 i = 0; i < 4; i++) x[i] = weight(x[i], s.max);
    s.sum += (x[0] + x[1]) + (x[2] + x[3]);
    u32 p[4];
#pragma unroll
    for (u32 n = 0; n < 2; n++) {
        u32 h = to_16x2<C_V_TYPE>(x[2 * n], x[2 * n + 1]);
        float lost0 = x[2 * n] - from_16<C_V_TYPE>((u16)h), lost1 = x[2 * n + 1] - from_16<C_V_TYPE>((u16)(h >> 16));
        p[2 * n] = h;
        p[2 * n + 1] = to_16x2<C_V_TYPE>(lost0, lost1);
    }
    if constexpr (V_CODES) {
        u32 value_scales[2][2];
#pragma unroll
        for (u32 m = 0; m < HD / 32; m++) {
            u32 b[4][2];
            if (m % 2 == 0) position_scales(value_scales, rows.value_scales, rows.row, m / 2, rows.valid);
            value_codes(b, rows.values, m, value_scales);
#pragma unroll
            for (u32 n = 0; n < 4; n++) mma_as<C_V_TYPE>(s.out[4 * m + n], p, b[n][0], b[n][1]);
        }
        return;
    }
#pragma unroll
    for (u32 n = 0; n < HD / 16; n++) {
        u32 b[4];
        load_matrices_transposed(b, rows.values + 32 * n);
        mma_as<C_V_TYPE>(s.out[2 * n], p, b[0], b[1]);
        mma_as<C_V_TYPE>(s.out[2 * n + 1], p, b[2], b[3]);
    }
}

DEVICE void store_out(const Inputs& in, u32 row, u32 element, float4 v, float sum) {
    u8* to = in.out + (u64)row * act_row_bytes(C_ACT, C_HEADS * HD);
    float f;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(f) : "f"(sum));
    v.x *= f;
    v.y *= f;
    v.z *= f;
    v.w *= f;
    if constexpr (C_ACT == ACT_F32) reinterpret_cast<float4*>(to)[element / 4] = v;
    uint2 pack;
    if constexpr (C_ACT == ACT_BF16) pack = make_uint2(f32_to_bf16x2(v.x, v.y), f32_to_bf16x2(v.z, v.w));
    if constexpr (C_ACT == ACT_F16) {
        pack = make_uint2(f32_to_f16x2(f16_act(v.x), f16_act(v.y)), f32_to_f16x2(f16_act(v.z), f16_act(v.w)));
    }
    if constexpr (C_ACT != ACT_F32) reinterpret_cast<uint2*>(to)[element / 4] = pack;
}

// Four elements of one query's result: not yet divided by the sum, relative to the maximum.
struct Part {
    float4 out;
    float max, sum;
};

// Adds up parts in order; N is known when compiling, so that all their loads are under way at once.
template <u32 N>
DEVICE Part add_parts(const Part (&parts)[N]) {
    Part all = {make_float4(0.0f, 0.0f, 0.0f, 0.0f), -INFINITE, 0.0f};
#pragma unroll
    for (u32 j = 0; j < N; j++) all.max = fmaxf(all.max, parts[j].max);
#pragma unroll
    for (u32 j = 0; j < N; j++) {
        float w = weight(parts[j].max, all.max);
        all.sum += w * parts[j].sum;
        add_weighted(all.out, w, parts[j].out);
    }
    return all;
}

DEVICE Part no_part() {
    return {make_float4(0.0f, 0.0f, 0.0f, 0.0f), -INFINITE, 0.0f};
}

// Where a (row, KV head, split, query head) keeps its partial sums, in query heads.
DEVICE u64 partial_of(u32 row, u32 kv_head, u32 split, u32 g) {
    return (((u64)row * C_KV_HEADS + kv_head) * MAX_SPLITS + split) * GROUP + g;
}

// An item of a piece: 4 elements of a query.
struct Item {
    u32 slot, d, row, g, splits;
};

DEVICE Item item_of(const Inputs& in, const Piece& p, u32 i) {
    Item it;
    it.slot = i / (HD / 4);
    it.d = i % (HD / 4) * 4;
    u32 query = p.chunk * QUERIES + it.slot;
    it.row = p.run.row + query / GROUP;
    it.g = query % GROUP;
    // Of its row alone; the run may have more.
    it.splits = splits_of(p.run.start, p.run.length, C_MAX_ROWS == 1 ? p.run.last : in.list[it.row].pos);
    return it;
}

DEVICE float2* partial_sums(const Inputs& in) {
    return reinterpret_cast<float2*>(in.partials + (u64)C_MAX_ROWS * C_HEADS * MAX_SPLITS * HD);
}

// A split's result: the row's where it is the only one, or else a partial one.
DEVICE void finish_split(const Inputs& in, const Piece& p, const Item& it, const Part& part, bool first_of_slice) {
    if (it.splits == 1) {
        if (p.split == 0) store_out(in, it.row, (p.kv_head * GROUP + it.g) * HD + it.d, part.out, part.sum);
        return;
    }
    if (p.split >= it.splits) return;
    u64 to = partial_of(it.row, p.kv_head, p.split, it.g);
    *reinterpret_cast<float4*>(in.partials + to * HD + it.d) = part.out;
    // Every slice keeps its own copy, written by its first element of the query.
    if (it.d == 0 || first_of_slice) partial_sums(in)[to * CLUSTER + p.rank] = make_float2(part.max, part.sum);
}

DEVICE void finish_row(const Inputs& in, const Piece& p, const Item& it) {
    if (it.splits == 1) return;
    Part parts[MAX_SPLITS];
#pragma unroll
    for (u32 j = 0; j < MAX_SPLITS; j++) {
        parts[j] = no_part();
        if (j < it.splits) {
            u64 from = partial_of(it.row, p.kv_head, j, it.g);
            float2 ml = __ldcg(partial_sums(in) + from * CLUSTER + p.rank);
            parts[j] = {__ldcg(reinterpret_cast<float4*>(in.partials + from * HD + it.d)), ml.x, ml.y};
        }
    }
    Part all = add_parts(parts);
    store_out(in, it.row, (p.kv_head * GROUP + it.g) * HD + it.d, all.out, all.sum);
}

// The scores and sums of a piece, left in shared memory: `[subset][query][HD]` and the maxima and sums.
DEVICE void sum_piece(const Inputs& in, const Piece& p, u32 tiles, u32 queries, const Early& early, u8* shared) {
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    u32 subset = warp / Q_TILES, tile = warp % Q_TILES, at = shared_address(shared);
#pragma unroll 1
    for (u32 s = 0; s < STAGES - 1; s++) {
        if (s < tiles) copy_tile(in, p, s, at + s * STAGE_BYTES);
        copy_commit();
    }
    keep_early(in, p, early, shared);
    __syncthreads();
    // The sync of the first tile comes before anyone reads what this writes.
    if ((K_CODES || V_CODES) && p.end > p.fresh) quantize_fresh(in, p, shared);
    // This lane's rows of the matrices that the fragments are loaded from.
    u32 q_at = at + Q_AT + (tile * 16 + lane % 16) * STRIDE + lane / 16 * 16;
    u32 k_row = K_CODES ? (lane / 4 + subset * 16) * CODE_ROW + lane % 4 * 4
                        : (lane / 16 * 8 + lane % 8 + subset * 16) * STRIDE + lane / 8 % 2 * 16;
    u32 v_row = (lane % 16 + subset * 16) * (V_CODES ? CODE_ROW : STRIDE) + lane / 16 * 16;
    u32 q[Q_IN_REGISTERS ? HD / 16 : 1][4];
    if constexpr (Q_IN_REGISTERS) {
#pragma unroll
        for (u32 k = 0; k < HD / 16; k++) load_matrices(q[k], q_at + 32 * k);
    }
    i32 low = 0, high = -1;
    if (tile * 8 + lane / 4 < queries) {
        u32 pos = in.list[p.run.row + (p.chunk * QUERIES + tile * 8 + lane / 4) / GROUP].pos;
        high = (i32)(pos < p.end ? pos : p.end - 1);
        low = C_WINDOW == 0 || pos + 1 < C_WINDOW ? 0 : (i32)(pos + 1 - C_WINDOW);
    }
    Sums s;
#pragma unroll
    for (u32 n = 0; n < HD / 8; n++) {
#pragma unroll
        for (u32 i = 0; i < 4; i++) s.out[n][i] = 0.0f;
    }
    s.max = -INFINITE;
    s.sum = 0.0f;
    u32 stage = at, next = at + (STAGES - 1) * STAGE_BYTES;
    for (u32 t = 0; t < tiles; t++) {
        copy_wait<STAGES - 2>();
        __syncthreads();
        if (t + STAGES - 1 < tiles) copy_tile(in, p, t + STAGES - 1, next);
        copy_commit();
        u32 base = p.from + t * TILE, pos = base + subset * 16;
        u32 values = stage + K_STAGE;
        if (base + TILE > p.fresh && p.end > p.fresh) {
            fill_side<K_CODES>(in, p, base, stage, shared + FRESH_AT);
            fill_side<V_CODES>(in, p, base, values, shared + FRESH_AT + FRESH_KEYS);
            __syncthreads();
        }
        if (pos < p.end && tile * 8 < queries) {
            Rows16 rows = {stage + k_row, values + v_row, stage + CODE_BYTES, values + CODE_BYTES, subset * 16, p.end - base};
            add_positions(s, q, q_at, rows, (i32)pos, low, high);
        }
        next = stage;
        stage = stage == at + (STAGES - 1) * STAGE_BYTES ? at : stage + STAGE_BYTES;
    }
    __syncthreads();
    s.sum += __shfl_xor_sync(0xffffffffu, s.sum, 1);
    s.sum += __shfl_xor_sync(0xffffffffu, s.sum, 2);
    u32 slot = subset * QUERIES + tile * 8 + lane / 4;
    if (lane % 4 == 0) reinterpret_cast<float2*>(shared + SUMS_AT)[slot] = make_float2(s.max, s.sum);
    float* to = reinterpret_cast<float*>(shared) + slot * OUT_STRIDE + lane % 4 * (V_CODES ? 4 : 2);
#pragma unroll
    for (u32 n = 0; n < HD / 8; n++) {
        const float(&v)[4] = s.out[n];
        if constexpr (V_CODES) {
            // The even columns of 16, then the odd ones.
            if (n % 2 != 0) continue;
            const float(&odd)[4] = s.out[n + 1];
            *reinterpret_cast<float4*>(to + 8 * n) = make_float4(v[0] + v[2], odd[0] + odd[2], v[1] + v[3], odd[1] + odd[3]);
        } else {
            *reinterpret_cast<float2*>(to + 8 * n) = make_float2(v[0] + v[2], v[1] + v[3]);
        }
    }
    __syncthreads();
}

DEVICE void do_piece(const Inputs& in, const Piece& p, const Early& early, u8* shared, u32 phase) {
    u32 queries = p.run.rows * GROUP - p.chunk * QUERIES;
    queries = C_MAX_ROWS == 1 && CHUNKS == 1 ? GROUP : queries < QUERIES ? queries : QUERIES;
    u32 tiles = p.end > p.from ? (p.end - p.from + TILE - 1) / TILE : 0;
    // The block's slice of the items, which it adds up over the pieces of the cluster.
    u32 items = queries * (HD / 4), per = (items + CLUSTER - 1) / CLUSTER;
    u32 first = p.rank * per, behind = first + per < items ? first + per : items;
    u32 barrier = shared_address(shared) + BARRIER_AT, inbox = shared_address(shared) + INBOX_AT;
    u32 pieces = steps_to<CLUSTER>(p.run.start + p.split * CLUSTER * p.run.length, p.run.length, p.run.last);
    if (CLUSTER > 1 && threadIdx.x == 0) barrier_expect(barrier, behind > first ? (behind - first) * pieces * 24 : 0);

    if (tiles != 0) {
        sum_piece(in, p, tiles, queries, early, shared);
        // The block's four subsets become one, in order, and go to the block whose slice they are.
        const float* sums = reinterpret_cast<const float*>(shared);
        const float2* ml = reinterpret_cast<const float2*>(shared + SUMS_AT);
        for (u32 i = threadIdx.x; i < items; i += THREADS) {
            u32 slot = i / (HD / 4), d = i % (HD / 4) * 4;
            Part parts[SUBSETS];
#pragma unroll
            for (u32 j = 0; j < SUBSETS; j++) {
                float2 m = ml[j * QUERIES + slot];
                parts[j] = {*reinterpret_cast<const float4*>(sums + (j * QUERIES + slot) * OUT_STRIDE + d), m.x, m.y};
            }
            Part all = add_parts(parts);
            if constexpr (CLUSTER == 1) {
                finish_split(in, p, item_of(in, p, i), all, i == first);
            } else {
                u32 owner = i / per, place = p.rank * SLICE + i % per, b = remote(barrier, owner);
                push4(remote(inbox + place * 16, owner), all.out, b);
                push2(remote(inbox + CLUSTER * SLICE * 16 + place * 8, owner), make_float2(all.max, all.sum), b);
            }
        }
    }
    if constexpr (CLUSTER > 1) {
        // Also keeps the block alive until everything meant for it has come.
        barrier_wait(barrier, phase);
        for (u32 i = first + threadIdx.x; i < behind; i += THREADS) {
            Part parts[CLUSTER];
#pragma unroll
            for (u32 j = 0; j < CLUSTER; j++) {
                u32 place = j * SLICE + i - first;
                parts[j] = no_part();
                if (j < pieces) {
                    float2 m = *reinterpret_cast<const float2*>(shared + INBOX_AT + CLUSTER * SLICE * 16 + place * 8);
                    parts[j] = {*reinterpret_cast<const float4*>(shared + INBOX_AT + place * 16), m.x, m.y};
                }
            }
            finish_split(in, p, item_of(in, p, i), add_parts(parts), i == first);
        }
    }

    // The last split to arrive adds up all of them, slice by slice.
    u32 splits = splits_of(p.run.start, p.run.length, p.run.last);
    if (splits == 1) return;
    u32* last = reinterpret_cast<u32*>(shared + BARRIER_AT + 8);
    u32* counter = in.sync + ((p.run.row * CHUNKS + p.chunk) * C_KV_HEADS + p.kv_head) * CLUSTER + p.rank;
    __syncthreads();
    if (threadIdx.x == 0) {
        u32 before;
        asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(counter) : "memory");
        *last = before == splits - 1;
        if (before == splits - 1) *counter = 0;
    }
    __syncthreads();
    if (*last) {
        for (u32 i = first + threadIdx.x; i < behind; i += THREADS) finish_row(in, p, item_of(in, p, i));
    }
}

extern "C" __global__ void
#if CLUSTER > 1
__cluster_dims__(CLUSTER, 1, 1)
#endif
__launch_bounds__(THREADS, Q_IN_REGISTERS ? RESIDENT : 1)
rope_kv_attention(const Header* step, const u32* table, const float* angles, const float* qkv, u8* k_cache,
                  u8* v_cache, float* partials, u32* sync, u8* out, Params params) {
    extern __shared__ __align__(128) u8 shared[];
    launch_dependents();
    // The blocks of a cluster meet once, so that all of them have their barriers.
    if (CLUSTER > 1 && threadIdx.x == 0) barrier_init(shared_address(shared) + BARRIER_AT);
    cluster_arrive();
    cluster_wait();
    wait_dependencies();
    // The places of the rows and the first of the table are loaded beside the header, at where they mostly are, so
    // that what follows finds them in the first cache.
    u32 rows = step->rows, cap = step->seqs_cap;
    Row guess = *reinterpret_cast<const Row*>(step_seq(step, 1));
    u32 block = table[0];
    Inputs in = {step, nullptr, table, angles, qkv, k_cache, v_cache, partials, sync, out, params.scale, 0};
    u32 next = blockIdx.x / CLUSTER, clusters = gridDim.x / CLUSTER, phase = 0;
    Early early;
    constexpr bool ONE = C_MAX_ROWS == 1 && CHUNKS == 1;
    if constexpr (ONE) load_early(in, next % C_KV_HEADS, 0, GROUP, early);
    asm volatile("" ::"r"(guess.pos), "r"(block), "r"(cap));
    in.rows = rows < C_MAX_ROWS ? rows : C_MAX_ROWS;
    in.list = reinterpret_cast<const Row*>(step_seq(step, cap));
    for (u32 r = 0, base = 0; r < in.rows;) {
        Piece p;
        p.run = run_at(in.list, in.rows, r);
        in.table = table + (u64)p.run.seq * C_BLOCKS;
        p.rank = blockIdx.x % CLUSTER;
        p.fresh = p.run.last;
        for (u32 i = 0; i < in.rows; i++) {
            if (in.list[i].seq == p.run.seq && in.list[i].pos < p.fresh) p.fresh = in.list[i].pos;
        }
        u32 chunks = CHUNKS == 1 ? 1 : (p.run.rows * GROUP + QUERIES - 1) / QUERIES;
        u32 units = splits_of(p.run.start, p.run.length, p.run.last) * C_KV_HEADS * chunks;
        for (; next < base + units; next += clusters) {
            u32 unit = next - base;
            p.chunk = unit % chunks;
            p.kv_head = unit / chunks % C_KV_HEADS;
            p.split = unit / chunks / C_KV_HEADS;
            p.from = p.run.start + (p.split * CLUSTER + p.rank) * p.run.length;
            u32 end = p.from + p.run.length;
            p.end = end < p.run.last + 1 ? end : p.run.last + 1;
            // Nobody may push results while another block of the cluster still reads those before, nor load tiles
            // over them.
            if (phase != 0) {
                cluster_arrive();
                cluster_wait();
                __syncthreads();
            }
            if (!ONE || phase != 0) {
                u32 first = p.chunk * QUERIES, queries = p.run.rows * GROUP - first;
                load_early(in, p.kv_head, p.run.row * GROUP + first, queries < QUERIES ? queries : QUERIES, early);
            }
            do_piece(in, p, early, shared, phase & 1);
            phase++;
        }
        base += units;
        r += p.run.rows;
    }
}
