// rope_kv_attention of one row in the persistent form. qkv, partials and out are carried; angles are the block's own.
//
// Up to DIRECT positions a block does one query head alone. Beyond, a block does a split of the positions for all query
// heads of a KV head, and the block that would have done a head alone adds up the splits' results, in order. Warps take
// positions by themselves: a pass of POSITIONS is two loads of 16 bytes x 4 by every thread, started before the
// queries are there.
template <u32 HEADS, u32 KV_HEADS, u32 HD, u32 PAIRS, u32 PAIRING>
struct RopeKvAttention {
    static constexpr u32 GROUP = HEADS / KV_HEADS, LANES = HD / 32, POSITIONS = CONSUMERS / LANES, OWN = 32 / LANES;
    static constexpr u32 V_LANES = HD / 8, V_ROWS = 32 / V_LANES;   // lanes of a row of values; rows of a load
    static constexpr u32 DIRECT = 3 * POSITIONS;
    static constexpr u32 FIT = sizeof(Shared::sums) / (HD * 4), MAX_SPLITS = FIT < 16 ? FIT : 16;
    static constexpr u32 PARTIAL = HD + 4;                          // floats of a split's result: sums, maximum, sum
    static constexpr u32 MERGED = sizeof(Shared::sums) / (WARPS * HD * 4);  // queries whose sums fit at once
    static constexpr float LOG2E = 1.4426950408889634f;
    static_assert(HD % 32 == 0 && HD <= 256 && (LANES & (LANES - 1)) == 0 && GROUP <= 8 && MERGED >= 1, "as mod.rs checks");
    static_assert(OWN == 4 * V_ROWS, "a pass is four loads of keys and four of values");

    // In the scratch.
    struct Staged {
        float q[GROUP][HD];
        u16 k[HD], v[HD];
        float most[GROUP][WARPS], sum[GROUP][WARPS];
    };
    static constexpr u32 SCRATCH_BYTES = sizeof(Staged);
    static_assert(sizeof(Staged) <= SCRATCH, "as mod.rs says");

    struct Tile {
        uint4 k[4], v[4];
    };

    // Which head, if any, this block does alone or adds up.
    DEVICE static u32 own_head() {
        u32 apart = gridDim.x / HEADS;
        return blockIdx.x % apart == 0 && blockIdx.x / apart < HEADS ? blockIdx.x / apart : HEADS;
    }

    // This thread's keys and values of the pass from `base` on. A pass lies in one block of the cache.
    DEVICE static void load_tile(const Worker& w, const Command& c, u32 kv_head, u32 base, Tile& tile) {
        u64 at = kv_offset(w.place<const u32>(c, 1), KV_HEADS, HD, kv_head, base);
        const u16* k = w.place<const u16>(c, 4) + at + (u64)(w.warp * OWN + w.lane / LANES) * HD + w.lane % LANES * 8;
        const u16* v = w.place<const u16>(c, 5) + at + (u64)(w.warp * OWN + w.lane / V_LANES) * HD + w.lane % V_LANES * 8;
#pragma unroll
        for (u32 i = 0; i < 4; i++) tile.k[i] = __ldcg(reinterpret_cast<const uint4*>(k + i * LANES * 8));
#pragma unroll
        for (u32 i = 0; i < 4; i++) tile.v[i] = __ldcg(reinterpret_cast<const uint4*>(v + i * V_ROWS * HD));
    }

    DEVICE static void pair_of(u32 i, u32& first, u32& second) {
        bool halves = i < PAIRS && PAIRING != 0;
        first = halves ? i : 2 * i, second = halves ? i + PAIRS : 2 * i + 1;
    }

    // Rotates the queries of `queries` heads from `head` on, and the step's key; all in the scratch.
    DEVICE static void stage(const Worker& w, const Command& c, u32 head, u32 queries, u32 kv_head, Staged& to) {
        const float* qkv = w.carried(c, 3);
        const float2* angles = reinterpret_cast<const float2*>(w.carried(c, 2));
        float scale = __uint_as_float(c.param) * LOG2E;
#pragma unroll 1
        for (u32 i = w.t; i < (queries + 2) * (HD / 2); i += CONSUMERS) {
            u32 row = i / (HD / 2), pair = i % (HD / 2), first = 2 * pair, second = first + 1;
            bool value = row == queries + 1;
            if (!value) pair_of(pair, first, second);
            u32 from = row < queries ? head + row : HEADS + (value ? KV_HEADS : 0) + kv_head;
            float2 turn = make_float2(1.0f, 0.0f);
            if (!value && pair < PAIRS) turn = angles[pair];
            const float* x = qkv + from * HD;
            float a = load_relaxed(x + first), b = load_relaxed(x + second);
            if (poisoned(a)) a = w.take(x + first);
            if (poisoned(b)) b = w.take(x + second);
            float y = a * turn.x - b * turn.y, z = a * turn.y + b * turn.x;
            if (row < queries) {
                to.q[row][first] = y * scale, to.q[row][second] = z * scale;
            } else {
                u16* kept = value ? to.v : to.k;
                kept[first] = f32_to_f16(y), kept[second] = f32_to_f16(z);
            }
        }
        sync_consumers(BAR_OP);
    }

    DEVICE static float2 halves(u32 pair) {
        return make_float2(f16_to_f32((u16)pair), f16_to_f32((u16)(pair >> 16)));
    }

    template <u32 Q>
    struct Sums {
        float out[Q][8], most[Q], sum[Q];
    };

    // One pass for Q queries.
    template <u32 Q>
    DEVICE static void add_tile(const Worker& w, const Staged& staged, u32 base, u32 pos, Tile& tile, Sums<Q>& s) {
        u32 p = base + w.warp * OWN + w.lane / LANES;
        if (p == pos) {
#pragma unroll
            for (u32 i = 0; i < 4; i++) tile.k[i] = reinterpret_cast<const uint4*>(staged.k)[w.lane % LANES + i * LANES];
        }
        float k[32];
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            const u32 words[4] = {tile.k[i].x, tile.k[i].y, tile.k[i].z, tile.k[i].w};
#pragma unroll
            for (u32 j = 0; j < 4; j++) {
                float2 f = halves(words[j]);
                k[8 * i + 2 * j] = f.x, k[8 * i + 2 * j + 1] = f.y;
            }
        }
        float weight[Q];
#pragma unroll
        for (u32 q = 0; q < Q; q++) {
            float d[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
            for (u32 i = 0; i < 4; i++) {
                const float4* x = reinterpret_cast<const float4*>(staged.q[q] + (w.lane % LANES + i * LANES) * 8);
                float4 a = x[0], b = x[1];
                const float* y = k + 8 * i;
                d[i] = __fmaf_rn(a.x, y[0], __fmaf_rn(a.y, y[1], __fmaf_rn(a.z, y[2], a.w * y[3])));
                d[i] = __fmaf_rn(b.x, y[4], __fmaf_rn(b.y, y[5], __fmaf_rn(b.z, y[6], __fmaf_rn(b.w, y[7], d[i]))));
            }
            float score = (d[0] + d[1]) + (d[2] + d[3]);
#pragma unroll
            for (u32 o = LANES / 2; o; o >>= 1) score += __shfl_xor_sync(0xffffffffu, score, o);
            if (p > pos) score = -INFINITE;
            float most = score;
#pragma unroll
            for (u32 o = 16; o >= LANES; o >>= 1) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, o));
            most = fmaxf(most, s.most[q]);
            // A warp may see no position at all.
            bool some = most > -INFINITE;
            weight[q] = some ? exp2f(score - most) : 0.0f;
            float keep = some ? exp2f(s.most[q] - most) : 1.0f;
            s.most[q] = most;
            s.sum[q] = s.sum[q] * keep + weight[q];
#pragma unroll
            for (u32 i = 0; i < 8; i++) s.out[q][i] *= keep;
        }
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            u32 in = i * V_ROWS + w.lane / V_LANES, at = base + w.warp * OWN + in;
            uint4 raw = tile.v[i];
            if (at == pos) raw = reinterpret_cast<const uint4*>(staged.v)[w.lane % V_LANES];
            // What lies beyond may be anything.
            if (at > pos) raw = make_uint4(0, 0, 0, 0);
            const u32 words[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
            for (u32 q = 0; q < Q; q++) {
                float e = __shfl_sync(0xffffffffu, weight[q], in * LANES);
#pragma unroll
                for (u32 j = 0; j < 4; j++) {
                    float2 f = halves(words[j]);
                    s.out[q][2 * j] = __fmaf_rn(e, f.x, s.out[q][2 * j]);
                    s.out[q][2 * j + 1] = __fmaf_rn(e, f.y, s.out[q][2 * j + 1]);
                }
            }
        }
    }

    // The warps' results become one.
    template <u32 Q, class G>
    DEVICE static void merge(const Worker& w, Sums<Q>& s, Staged& staged, const G& give) {
        float(*sums)[HD] = reinterpret_cast<float(*)[HD]>(w.s.sums);
#pragma unroll
        for (u32 q = 0; q < Q; q++) {
#pragma unroll
            for (u32 i = 0; i < 8; i++) {
#pragma unroll
                for (u32 o = 16; o >= V_LANES; o >>= 1) s.out[q][i] += __shfl_xor_sync(0xffffffffu, s.out[q][i], o);
            }
#pragma unroll
            for (u32 o = 16; o >= LANES; o >>= 1) s.sum[q] += __shfl_xor_sync(0xffffffffu, s.sum[q], o);
            if (w.lane == 0) staged.most[q][w.warp] = s.most[q], staged.sum[q][w.warp] = s.sum[q];
        }
#pragma unroll
        for (u32 round = 0; round < Q; round += MERGED) {
            if (round) sync_consumers(BAR_OP);
#pragma unroll
            for (u32 q = round; q < Q && q < round + MERGED; q++) {
                if (w.lane < V_LANES) {
                    float4* to = reinterpret_cast<float4*>(sums[(q - round) * WARPS + w.warp] + w.lane * 8);
                    to[0] = make_float4(s.out[q][0], s.out[q][1], s.out[q][2], s.out[q][3]);
                    to[1] = make_float4(s.out[q][4], s.out[q][5], s.out[q][6], s.out[q][7]);
                }
            }
            sync_consumers(BAR_OP);
            u32 q = round + w.warp;
            if (w.warp >= MERGED || q >= Q) continue;
            float most = -INFINITE, sum = 0.0f, out[LANES];
#pragma unroll
            for (u32 i = 0; i < WARPS; i++) most = fmaxf(most, staged.most[q][i]);
#pragma unroll
            for (u32 d = 0; d < LANES; d++) out[d] = 0.0f;
#pragma unroll
            for (u32 i = 0; i < WARPS; i++) {
                float e = exp2f(staged.most[q][i] - most);
                sum = __fmaf_rn(e, staged.sum[q][i], sum);
#pragma unroll
                for (u32 d = 0; d < LANES; d++) out[d] = __fmaf_rn(e, sums[w.warp * WARPS + i][w.lane + 32 * d], out[d]);
            }
            give(q, out, most, sum);
        }
    }

    // Positions `from..end` of a KV head for Q queries from `head` on. `give(query, out, most, sum)` takes the result of
    // one query in one warp: its lanes' elements (HD / 32 each), maximum and sum.
    template <u32 Q, class G>
    DEVICE static void attend(const Worker& w, const Command& c, u32 head, u32 kv_head, u32 from, u32 end, const G& give) {
        Staged& staged = *reinterpret_cast<Staged*>(w.s.scratch);
        u32 pos = w.s.row.pos;
        Tile tile, next = {};
        load_tile(w, c, kv_head, from, tile);
        if (from + POSITIONS < end) load_tile(w, c, kv_head, from + POSITIONS, next);
        stage(w, c, head, Q, kv_head, staged);
        Sums<Q> s;
#pragma unroll
        for (u32 q = 0; q < Q; q++) {
            s.most[q] = -INFINITE, s.sum[q] = 0.0f;
#pragma unroll
            for (u32 i = 0; i < 8; i++) s.out[q][i] = 0.0f;
        }
#pragma unroll 1
        for (u32 base = from; base < end; base += POSITIONS) {
            Tile ahead = {};
            if (base + 2 * POSITIONS < end) load_tile(w, c, kv_head, base + 2 * POSITIONS, ahead);
            add_tile<Q>(w, staged, base, pos, tile, s);
            tile = next, next = ahead;
        }
        // The step's own key and value to the cache, once for each KV head.
        if (pos >= from && pos < end && head == kv_head * GROUP && w.t < HD / 4) {
            u64 at = kv_offset(w.place<const u32>(c, 1), KV_HEADS, HD, kv_head, pos);
            u16* to = w.place<u16>(c, w.t < HD / 8 ? 4 : 5) + at;
            const u16* of = w.t < HD / 8 ? staged.k : staged.v;
            reinterpret_cast<uint4*>(to)[w.t % (HD / 8)] = reinterpret_cast<const uint4*>(of)[w.t % (HD / 8)];
        }
        merge<Q>(w, s, staged, give);
    }

    // A head's result to the output.
    struct Whole {
        const Worker& w;
        const Command& c;
        u32 head;
        DEVICE void operator()(u32 q, const float (&out)[LANES], float, float sum) const {
#pragma unroll
            for (u32 d = 0; d < LANES; d++) w.put(c, 8, (head + q) * HD + w.lane + 32 * d, out[d] / sum);
            w.arrived(c);
        }
    };

    DEVICE static u32 partial_at(u32 head, u32 split) { return (head * MAX_SPLITS + split) * PARTIAL; }

    struct Part {
        const Worker& w;
        const Command& c;
        u32 head, split;
        DEVICE void operator()(u32 q, const float (&out)[LANES], float most, float sum) const {
            float* to = w.carried(c, 6) + partial_at(head + q, split);
#pragma unroll
            for (u32 d = 0; d < LANES; d++) store_relaxed(to + w.lane + 32 * d, result(out[d]));
            if (w.lane < 2) store_relaxed(to + HD + w.lane, result(w.lane ? sum : most));
        }
    };

    // Empties a split's place for the next step. Its owner does so whether it has a result in this step or not.
    DEVICE static void empty(const Worker& w, const Command& c, u32 kv_head, u32 split) {
        float* to = w.other(c, 6) + partial_at(kv_head * GROUP, split);
#pragma unroll 1
        for (u32 i = w.t; i < GROUP * PARTIAL; i += CONSUMERS) {
            store_relaxed(to + i / PARTIAL * (MAX_SPLITS * PARTIAL) + i % PARTIAL, __uint_as_float(POISON));
        }
    }

    // Adds up a head's splits: each word is taken by a thread of its own, warp 0 does the rest.
    DEVICE static void add_splits(const Worker& w, const Command& c, u32 head, u32 splits) {
        constexpr u32 THREADS = CONSUMERS / MAX_SPLITS, SHARE = HD / THREADS;
        Staged& staged = *reinterpret_cast<Staged*>(w.s.scratch);
        float(*sums)[HD] = reinterpret_cast<float(*)[HD]>(w.s.sums);
        float* most = &staged.q[0][0];
        u32 split = w.t / THREADS, in = w.t % THREADS;
        const float* from = w.carried(c, 6) + partial_at(head, split);
        float v[SHARE], m = -INFINITE, l = 0.0f;
#pragma unroll
        for (u32 i = 0; i < SHARE; i++) v[i] = split < splits ? load_relaxed(from + in + i * THREADS) : 0.0f;
        if (split < splits) m = load_relaxed(from + HD), l = load_relaxed(from + HD + 1);
#pragma unroll
        for (u32 i = 0; i < SHARE; i++) {
            if (poisoned(v[i])) v[i] = w.take(from + in + i * THREADS);
        }
        if (poisoned(m)) m = w.take(from + HD);
        if (poisoned(l)) l = w.take(from + HD + 1);
        // The block's own split may still be read from here.
        sync_consumers(BAR_OP);
#pragma unroll
        for (u32 i = 0; i < SHARE; i++) sums[split][in + i * THREADS] = v[i];
        if (in == 0) most[split] = m, most[MAX_SPLITS + split] = l;
        sync_consumers(BAR_OP);
        if (w.warp != 0) return;
        // Lane i has split i's maximum and sum.
        m = w.lane < MAX_SPLITS ? most[w.lane] : -INFINITE;
        l = w.lane < MAX_SPLITS ? most[MAX_SPLITS + w.lane] : 0.0f;
        float e = exp2f(m - warp_max(m)), sum = warp_sum(e * l), out[LANES];
#pragma unroll
        for (u32 d = 0; d < LANES; d++) out[d] = 0.0f;
#pragma unroll
        for (u32 i = 0; i < MAX_SPLITS; i++) {
            float weight = __shfl_sync(0xffffffffu, e, i);
#pragma unroll
            for (u32 d = 0; d < LANES; d++) out[d] = __fmaf_rn(weight, sums[i][w.lane + 32 * d], out[d]);
        }
        Whole whole = {w, c, head};
        whole(0, out, 0.0f, sum);
    }

    DEVICE static void run(Worker& w, const Command& c) {
        u32 count = w.s.row.pos + 1, head = own_head(), most_splits = min(gridDim.x / KV_HEADS, MAX_SPLITS);
        u32 kv_head = blockIdx.x / most_splits, split = blockIdx.x % most_splits;
        bool splits_own = kv_head < KV_HEADS;
        // Where the step before had no splits, their places are empty. The launch before may have had some.
        if (splits_own && (w.first_step || count > DIRECT)) empty(w, c, kv_head, split);
        if (count <= DIRECT) {
            if (head < HEADS) {
                Whole whole = {w, c, head};
                attend<1>(w, c, head, head / GROUP, 0, count, whole);
            }
            return;
        }
        u32 length = (count + most_splits * POSITIONS - 1) / (most_splits * POSITIONS) * POSITIONS;
        u32 splits = (count + length - 1) / length;
        if (splits_own && split < splits) {
            Part part = {w, c, kv_head * GROUP, split};
            attend<GROUP>(w, c, kv_head * GROUP, kv_head, split * length, min((split + 1) * length, count), part);
        }
        if (head < HEADS) add_splits(w, c, head, splits);
    }
};
