// rope_kv_attention: rotation, cache write and attention of a few rows, split over the KV length.
//
// What a row sees is cut into splits of CLUSTER pieces; a block does one piece for one KV head, all query heads of
// it, and up to QUERIES (row, head) pairs at once. Where pieces and splits lie follows from the row's own position
// alone, and everything is added up in one order, so neither the other rows nor the grid change a row's bits. Rows
// whose cuts are the same form a run and share what is read.
//
// Scores and sums run on tensor cores. A fragment has 16 rows for 8 queries: rows 0..8 hold the high half of a
// value, rows 8..16 what f16 lost of it. Both products land in the same thread, which adds them, so queries and
// weights count with 22 bits though the cache's format is f16.

constexpr u32 HD = C_HEAD_DIM, GROUP = C_HEADS / C_KV_HEADS;
constexpr u32 TILE = 64, SUBSETS = 4;                  // positions of a tile; 16 for each of 4 warps
constexpr u32 WARPS = SUBSETS * Q_TILES, THREADS = 32 * WARPS, QUERIES = 8 * Q_TILES;
constexpr u32 STRIDE = 2 * HD + 16;                    // bytes of a row in shared memory: an odd number of 16
constexpr u32 TILE_BYTES = TILE * STRIDE, STAGE_BYTES = 2 * TILE_BYTES;
constexpr u32 Q_BYTES = 16 * Q_TILES * STRIDE;
constexpr u32 OUT_STRIDE = HD + 8;                     // floats; spreads a fragment's rows over the banks
constexpr u32 CHUNKS = (C_MAX_ROWS * GROUP + QUERIES - 1) / QUERIES;
constexpr bool Q_IN_REGISTERS = Q_TILES == 1 && HD <= 128;
static_assert(WARPS * 8 * OUT_STRIDE * 4 <= STAGES * STAGE_BYTES, "the merge fits where the tiles were");
static_assert(HD % 16 == 0 && C_KV == 0 && STAGES >= 2, "as rope_kv_attention/mod.rs checks");

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
    u32 pieces = positions <= CLUSTER * DIRECT ? CLUSTER : CLUSTER * MAX_SPLITS;
    return (positions + 32 * pieces - 1) / (32 * pieces) * 32;
}

DEVICE u32 splits_of(u32 start, u32 length, u32 last) {
    return (last - start) / (length * CLUSTER) + 1;
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

// --- Clusters ---

DEVICE u32 cluster_rank() {
    return blockIdx.x % CLUSTER;
}

DEVICE void cluster_arrive() {
    if constexpr (CLUSTER > 1) asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

DEVICE void cluster_wait() {
    if constexpr (CLUSTER > 1) asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// The address of `at` in block `rank`'s shared memory.
DEVICE u32 remote(u32 at, u32 rank) {
    u32 r = at;
    if constexpr (CLUSTER > 1) asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(at), "r"(rank));
    return r;
}

DEVICE float4 load_remote4(u32 at) {
    float4 v;
#if SM >= 90
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(at) : "memory");
#else
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(at) : "memory");
#endif
    return v;
}

DEVICE float2 load_remote2(u32 at) {
    float2 v;
#if SM >= 90
    asm volatile("ld.shared::cluster.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(at) : "memory");
#else
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(at) : "memory");
#endif
    return v;
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
    u16 *k_cache, *v_cache;
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

// Whether the position is new in this step: its keys and values are not in the cache yet.
DEVICE bool is_fresh(const Inputs& in, const Piece& p, u32 pos) {
    if (pos < p.fresh) return false;
    for (u32 r = 0; r < in.rows; r++) {
        if (in.list[r].pos == pos && in.list[r].seq == p.run.seq) return true;
    }
    return false;
}

// Starts the copies of a tile, and puts the step's own rows in it; the first piece to hold them also stores them
// in the cache.
DEVICE void load_tile(const Inputs& in, const Piece& p, u32 tile, u32 at) {
    constexpr u32 PARTS = HD / 8, N = TILE * PARTS;
    u32 base = p.from + tile * TILE;
#pragma unroll 8
    for (u32 i = threadIdx.x; i < (N + THREADS - 1) / THREADS * THREADS; i += THREADS) {
        if (N % THREADS != 0 && i >= N) break;
        u32 row = i / PARTS, part = i % PARTS, pos = base + row;
        bool inside = pos < p.end;
        if (inside && is_fresh(in, p, pos)) continue;
        u64 from = kv_offset(in.table, C_KV_HEADS, HD, p.kv_head, inside ? pos : p.from) + 8 * part;
        u32 to = at + row * STRIDE + 16 * part;
        copy_async(to, in.k_cache + from, inside ? 16 : 0);
        copy_async(to + TILE_BYTES, in.v_cache + from, inside ? 16 : 0);
    }
    if (base + TILE <= p.fresh || p.end <= p.fresh) return;
    for (u32 r = 0; r < in.rows; r++) {
        Row place = in.list[r];
        if (place.seq != p.run.seq || place.pos < base || place.pos >= base + TILE || place.pos >= p.end) continue;
        bool keep = p.chunk == 0 && r >= p.run.row && r < p.run.row + p.run.rows;
        u64 cache = keep ? kv_offset(in.table, C_KV_HEADS, HD, p.kv_head, place.pos) : 0;
        u32 row = at + (place.pos - base) * STRIDE;
        for (u32 i = threadIdx.x; i < HD; i += THREADS) {
            bool key = i < HD / 2;
            u32 j = key ? i : i - HD / 2;
            Pair pair = pair_of(j);
            if (!key) pair = {2 * j, 2 * j + 1, false};
            const float* x = head_of(in, r, C_HEADS + (key ? 0 : C_KV_HEADS) + p.kv_head);
            float2 y = turn(pair, j, x, in.angles + r * C_PAIRS * 2);
            u16 a = f32_to_f16(y.x), b = f32_to_f16(y.y);
            u32 to = row + (key ? 0 : TILE_BYTES);
            asm volatile("st.shared.b16 [%0], %1;" ::"r"(to + 2 * pair.first), "h"(a) : "memory");
            asm volatile("st.shared.b16 [%0], %1;" ::"r"(to + 2 * pair.second), "h"(b) : "memory");
            if (keep) {
                u16* c = (key ? in.k_cache : in.v_cache) + cache;
                c[pair.first] = a;
                c[pair.second] = b;
            }
        }
    }
}

// The rotated, scaled queries as two f16 each; zeros where there is no query.
DEVICE void load_queries(const Inputs& in, const Piece& p, u32 queries, u16* q) {
#pragma unroll 4
    for (u32 i = threadIdx.x; i < QUERIES * HD / 2; i += THREADS) {
        u32 slot = i / (HD / 2), j = i % (HD / 2);
        Pair pair = pair_of(j);
        float2 y = make_float2(0.0f, 0.0f);
        if (slot < queries) {
            u32 query = p.chunk * QUERIES + slot, row = p.run.row + query / GROUP;
            y = turn(pair, j, head_of(in, row, p.kv_head * GROUP + query % GROUP), in.angles + row * C_PAIRS * 2);
        }
        y.x *= in.scale * LOG2E;
        y.y *= in.scale * LOG2E;
        u16* high = q + (slot / 8 * 16 + slot % 8) * (STRIDE / 2);
        u16* low = high + 8 * (STRIDE / 2);
        u16 a = f32_to_f16(y.x), b = f32_to_f16(y.y);
        high[pair.first] = a;
        high[pair.second] = b;
        low[pair.first] = f32_to_f16(y.x - f16_to_f32(a));
        low[pair.second] = f32_to_f16(y.y - f16_to_f32(b));
    }
}

// 8 queries' running softmax over the positions that one warp sees.
struct Sums {
    float out[HD / 8][4];
    float max, sum;
};

// Adds 16 positions, of which a query counts `low..=high`. `keys` and `values`: this lane's row address for the
// matrix loads. `pos`: the first position.
DEVICE void add_positions(Sums& s, const u32 (*q)[4], u32 q_at, u32 keys, u32 values, i32 pos, i32 low, i32 high) {
    float score[2][4] = {};
#pragma unroll
    for (u32 k = 0; k < HD / 16; k++) {
        u32 b[4], a[4];
        load_matrices(b, keys + 32 * k);
        if constexpr (Q_IN_REGISTERS) {
            mma(score[0], q[k], b[0], b[1]);
            mma(score[1], q[k], b[2], b[3]);
        } else {
            load_matrices(a, q_at + 32 * k);
            mma(score[0], a, b[0], b[1]);
            mma(score[1], a, b[2], b[3]);
        }
    }
    float x[4];
    float max = s.max;
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
        i32 at = pos + 8 * (i32)(i / 2) + 2 * (i32)(threadIdx.x % 4) + (i32)(i % 2);
        x[i] = score[i / 2][i % 2] + score[i / 2][i % 2 + 2];
        if (at < low || at > high) x[i] = -INFINITE;
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
        u32 h = f32_to_f16x2(x[2 * n], x[2 * n + 1]);
        p[2 * n] = h;
        p[2 * n + 1] = f32_to_f16x2(x[2 * n] - f16_to_f32((u16)h), x[2 * n + 1] - f16_to_f32((u16)(h >> 16)));
    }
#pragma unroll
    for (u32 n = 0; n < HD / 16; n++) {
        u32 b[4];
        load_matrices_transposed(b, values + 32 * n);
        mma(s.out[2 * n], p, b[0], b[1]);
        mma(s.out[2 * n + 1], p, b[2], b[3]);
    }
}

DEVICE void store_out(const Inputs& in, u32 row, u32 element, float4 v, float sum) {
    u8* to = in.out + (u64)row * act_row_bytes(C_ACT, C_HEADS * HD);
    float f = 1.0f / sum;
    store_act<C_ACT>(to, element, v.x * f);
    store_act<C_ACT>(to, element + 1, v.y * f);
    store_act<C_ACT>(to, element + 2, v.z * f);
    store_act<C_ACT>(to, element + 3, v.w * f);
}

// Where a (row, KV head, split, query head) keeps its partial sums, in query heads.
DEVICE u64 partial_of(u32 row, u32 kv_head, u32 split, u32 g) {
    return (((u64)row * C_KV_HEADS + kv_head) * MAX_SPLITS + split) * GROUP + g;
}

DEVICE void do_piece(const Inputs& in, const Piece& p, u8* shared) {
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    u32 subset = warp / Q_TILES, tile = warp % Q_TILES;
    u32 at = shared_address(shared);
    u16* q_shared = reinterpret_cast<u16*>(shared + STAGES * STAGE_BYTES);
    float2* warp_ml = reinterpret_cast<float2*>(shared + STAGES * STAGE_BYTES + Q_BYTES);   // [subset][query]
    float2* block_ml = warp_ml + WARPS * 8;                                                 // [query]
    float* merged = reinterpret_cast<float*>(shared);                                       // [subset][query][HD]

    u32 queries = p.run.rows * GROUP - p.chunk * QUERIES;
    queries = queries < QUERIES ? queries : QUERIES;
    u32 tiles = p.end > p.from ? (p.end - p.from + TILE - 1) / TILE : 0;
    if (tiles != 0) {
#pragma unroll
        for (u32 s = 0; s < STAGES - 1; s++) {
            if (s < tiles) load_tile(in, p, s, at + s * STAGE_BYTES);
            copy_commit();
        }
        load_queries(in, p, queries, q_shared);
        __syncthreads();
    }
    // This lane's rows of the matrices that the fragments are loaded from.
    u32 q_at = at + STAGES * STAGE_BYTES + (tile * 16 + lane % 16) * STRIDE + lane / 16 * 16;
    u32 k_row = (lane / 16 * 8 + lane % 8 + subset * 16) * STRIDE + lane / 8 % 2 * 16;
    u32 v_row = (lane % 16 + subset * 16) * STRIDE + lane / 16 * 16 + TILE_BYTES;
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
    for (u32 t = 0; t < tiles; t++) {
        copy_wait<STAGES - 2>();
        __syncthreads();
        if (t + STAGES - 1 < tiles) load_tile(in, p, t + STAGES - 1, at + (t + STAGES - 1) % STAGES * STAGE_BYTES);
        copy_commit();
        u32 pos = p.from + t * TILE + subset * 16;
        if (pos < p.end && tile * 8 < queries) {
            u32 stage = at + t % STAGES * STAGE_BYTES;
            add_positions(s, q, q_at, stage + k_row, stage + v_row, (i32)pos, low, high);
        }
    }

    // The block's four subsets become one, in order.
    if (tiles != 0) {
        copy_wait<0>();
        __syncthreads();
        s.sum += __shfl_xor_sync(0xffffffffu, s.sum, 1);
        s.sum += __shfl_xor_sync(0xffffffffu, s.sum, 2);
        u32 slot = subset * QUERIES + tile * 8 + lane / 4;
        if (lane % 4 == 0) warp_ml[slot] = make_float2(s.max, s.sum);
        float* to = merged + slot * OUT_STRIDE + lane % 4 * 2;
#pragma unroll
        for (u32 n = 0; n < HD / 8; n++) {
            *reinterpret_cast<float2*>(to + 8 * n) = make_float2(s.out[n][0] + s.out[n][2], s.out[n][1] + s.out[n][3]);
        }
        __syncthreads();
        for (u32 i = threadIdx.x; i < queries * (HD / 4); i += THREADS) {
            u32 query = i / (HD / 4), d = i % (HD / 4) * 4;
            float2 ml[SUBSETS];
            float max = -INFINITE, sum = 0.0f;
#pragma unroll
            for (u32 j = 0; j < SUBSETS; j++) {
                ml[j] = warp_ml[j * QUERIES + query];
                max = fmaxf(max, ml[j].x);
            }
            float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
            for (u32 j = 0; j < SUBSETS; j++) {
                float w = weight(ml[j].x, max);
                sum += w * ml[j].y;
                add_weighted(v, w, *reinterpret_cast<float4*>(merged + (j * QUERIES + query) * OUT_STRIDE + d));
            }
            *reinterpret_cast<float4*>(merged + query * OUT_STRIDE + d) = v;
            if (d == 0) block_ml[query] = make_float2(max, sum);
        }
    }

    // The cluster's pieces become one; each block does a slice of the elements.
    cluster_arrive();
    cluster_wait();
    if constexpr (CLUSTER == 1) __syncthreads();
    u32 piece0 = p.run.start + p.split * CLUSTER * p.run.length;
    u32 pieces = (p.run.last - piece0) / p.run.length + 1;
    pieces = pieces < CLUSTER ? pieces : CLUSTER;
    u32 items = queries * (HD / 4), per = (items + CLUSTER - 1) / CLUSTER;
    u32 first = p.rank * per, behind = first + per < items ? first + per : items;
    u32 splits = splits_of(p.run.start, p.run.length, p.run.last);
    u32 merged_at = at, ml_at = shared_address(block_ml);
    float2* partial_ml = reinterpret_cast<float2*>(in.partials + (u64)C_MAX_ROWS * C_HEADS * MAX_SPLITS * HD);
    for (u32 i = first + threadIdx.x; i < behind; i += THREADS) {
        u32 slot = i / (HD / 4), d = i % (HD / 4) * 4;
        float2 ml[CLUSTER];
        float4 v[CLUSTER];
#pragma unroll
        for (u32 j = 0; j < CLUSTER; j++) {
            ml[j] = make_float2(-INFINITE, 0.0f);
            v[j] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            if (j < pieces) {
                ml[j] = load_remote2(remote(ml_at + 8 * slot, j));
                v[j] = load_remote4(remote(merged_at + 4 * (slot * OUT_STRIDE + d), j));
            }
        }
        float max = -INFINITE, sum = 0.0f;
        float4 o = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
        for (u32 j = 0; j < CLUSTER; j++) max = fmaxf(max, ml[j].x);
#pragma unroll
        for (u32 j = 0; j < CLUSTER; j++) {
            float w = weight(ml[j].x, max);
            sum += w * ml[j].y;
            add_weighted(o, w, v[j]);
        }
        u32 query = p.chunk * QUERIES + slot, row = p.run.row + query / GROUP, g = query % GROUP;
        u32 own = splits_of(p.run.start, p.run.length, in.list[row].pos);
        if (own == 1 && p.split == 0) store_out(in, row, (p.kv_head * GROUP + g) * HD + d, o, sum);
        if (own > 1 && p.split < own) {
            u64 to = partial_of(row, p.kv_head, p.split, g);
            *reinterpret_cast<float4*>(in.partials + to * HD + d) = o;
            // Every slice keeps its own copy, written by its first element of the query.
            if (d == 0 || i == first) partial_ml[to * CLUSTER + p.rank] = make_float2(max, sum);
        }
    }
    cluster_arrive();

    // The last split to arrive adds up all of them, slice by slice.
    if (splits > 1) {
        u32* last = reinterpret_cast<u32*>(block_ml + QUERIES);
        u32* counter = in.sync + ((p.run.row * CHUNKS + p.chunk) * C_KV_HEADS + p.kv_head) * CLUSTER + p.rank;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            bool is_last = atomicAdd(counter, 1) == splits - 1;
            if (is_last) *counter = 0;
            __threadfence();
            *last = is_last;
        }
        __syncthreads();
        if (*last) {
            for (u32 i = first + threadIdx.x; i < behind; i += THREADS) {
                u32 slot = i / (HD / 4), d = i % (HD / 4) * 4;
                u32 query = p.chunk * QUERIES + slot, row = p.run.row + query / GROUP, g = query % GROUP;
                u32 own = splits_of(p.run.start, p.run.length, in.list[row].pos);
                if (own == 1) continue;
                float max = -INFINITE, sum = 0.0f;
                float2 ml[MAX_SPLITS];
                float4 v[MAX_SPLITS];
#pragma unroll
                for (u32 j = 0; j < MAX_SPLITS; j++) {
                    if (j >= own) break;
                    u64 from = partial_of(row, p.kv_head, j, g);
                    ml[j] = __ldcg(partial_ml + from * CLUSTER + p.rank);
                    v[j] = __ldcg(reinterpret_cast<float4*>(in.partials + from * HD + d));
                    max = fmaxf(max, ml[j].x);
                }
                float4 o = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
                for (u32 j = 0; j < MAX_SPLITS; j++) {
                    if (j >= own) break;
                    float w = weight(ml[j].x, max);
                    sum += w * ml[j].y;
                    add_weighted(o, w, v[j]);
                }
                store_out(in, row, (p.kv_head * GROUP + g) * HD + d, o, sum);
            }
        }
        __syncthreads();
    }
    // Nobody may read this block's shared memory any more.
    cluster_wait();
    if constexpr (CLUSTER == 1) __syncthreads();
}

struct Params {
    float scale;
};

extern "C" __global__ void
#if CLUSTER > 1
__cluster_dims__(CLUSTER, 1, 1)
#endif
__launch_bounds__(THREADS, Q_IN_REGISTERS ? 3 : 1)
rope_kv_attention(const Header* step, const u32* table, const float* angles, const float* qkv, u16* k_cache,
                  u16* v_cache, float* partials, u32* sync, u8* out, Params params) {
    extern __shared__ __align__(128) u8 shared[];
    launch_dependents();
    wait_dependencies();
    u32 rows = step->rows;
    rows = rows < C_MAX_ROWS ? rows : C_MAX_ROWS;
    Inputs in = {step, reinterpret_cast<const Row*>(step_seq(step, step->seqs_cap)), table, angles, qkv, k_cache,
                 v_cache, partials, sync, out, params.scale, rows};
    u32 next = blockIdx.x / CLUSTER, clusters = gridDim.x / CLUSTER;
    for (u32 r = 0, base = 0; r < rows;) {
        Piece p;
        p.run = run_at(in.list, rows, r);
        p.rank = cluster_rank();
        p.fresh = p.run.last;
        for (u32 i = 0; i < rows; i++) {
            if (in.list[i].seq == p.run.seq && in.list[i].pos < p.fresh) p.fresh = in.list[i].pos;
        }
        u32 chunks = (p.run.rows * GROUP + QUERIES - 1) / QUERIES;
        u32 units = splits_of(p.run.start, p.run.length, p.run.last) * C_KV_HEADS * chunks;
        for (; next < base + units; next += clusters) {
            u32 unit = next - base;
            p.chunk = unit % chunks;
            p.kv_head = unit / chunks % C_KV_HEADS;
            p.split = unit / chunks / C_KV_HEADS;
            p.from = p.run.start + (p.split * CLUSTER + p.rank) * p.run.length;
            u32 end = p.from + p.run.length;
            p.end = end < p.run.last + 1 ? end : p.run.last + 1;
            do_piece(in, p, shared);
        }
        base += units;
        r += p.run.rows;
    }
}
