// A block to a head: its filters one after the other, as in chain.rs, whose comments say what each does, then the draw. All threads
// have the same bounds. Once what is kept fits into a list, thread i has entry i.

constexpr u32 THREADS = 1024, WARPS = THREADS / 32, LIST = THREADS, BINS = 2048, NOT_LISTED = 0xffffffffu;
constexpr u32 CHUNKS = (C_VOCAB + C_CHUNK - 1) / C_CHUNK, PIECES = (C_CHUNK + 31) / 32;
// Chunks that are looked at together, and loads that a warp has under way.
constexpr u32 HITS = 4 * THREADS, FLIGHT = 4;
constexpr float PER_UNIT = 64.0f;
enum { TOP_N_SIGMA = 1, TOP_K = 2, TYPICAL = 3, TOP_P = 4, MIN_P = 5, XTC = 6, TEMPERATURE = 7 };
constexpr u32 MIROSTAT = 8;
constexpr float LN_2 = 0.693147181f;

struct Entry {
    u64 rank, weight;
    float distance;
};

// Static shared memory: bins are given up before entries are listed, and both before chunks are.
struct Memory {
    u64 list[LIST];
    union {
        struct {
            u32 low[BINS], high[BINS], count[BINS];
        } bins;
        struct {
            u64 rank[LIST], weight[LIST];
        } entries;
        u32 chunks[HITS];
    };
    u64 parts[WARPS];
    Pick picks[WARPS];
    u64 found_rest;
    u32 found, found_count, listed, hits;
};

__shared__ Memory m;

// What a sum goes over (`reach`): tokens by logit, counted or by mass, or by their distance from a centre; or those at one distance
// alone, above or below the centre.
enum { COUNTS, MASSES, DISTANCES, UPPER, LOWER };

struct By {
    u32 kind;
    float centre;
    u64 rank;
};

DEVICE u64 part(u64 total, u32 share) {
    u64 v = __umul64hi(total, (u64)share << 32);
    return v ? v : 1;
}

DEVICE u32 bin_of(float distance) {
    return (u32)fminf(__fmul_rn(distance, PER_UNIT), (float)(BINS - 1));
}

struct Kept {
    const float* x;
    const Pick* bests;
    u64 hi, lo;
    float inverse;
    // NOT_LISTED while there is no list; `own` is this thread's entry, else 0.
    u32 n;
    u64 own;

    DEVICE float below(float logit) const {
        return __fmul_rn(__fsub_rn(logit, logit_of(hi)), inverse);
    }

    // Sum over the block, in every thread.
    __device__ __noinline__ static u64 sum(u64 v) {
#pragma unroll
        for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
        __syncthreads();
        if (threadIdx.x % 32 == 0) m.parts[threadIdx.x / 32] = v;
        __syncthreads();
        v = m.parts[threadIdx.x % 32];
#pragma unroll
        for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
        return v;
    }

    // Sum of the threads up to this one; the sum of all in `total`.
    DEVICE u64 scan(u64 v, u64& total) const {
        u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
        for (u32 o = 1; o < 32; o <<= 1) {
            u64 before = __shfl_up_sync(0xffffffffu, v, o);
            if (lane >= o) v += before;
        }
        __syncthreads();
        if (lane == 31) m.parts[warp] = v;
        __syncthreads();
        u64 all = m.parts[lane];
#pragma unroll
        for (u32 o = 1; o < 32; o <<= 1) {
            u64 before = __shfl_up_sync(0xffffffffu, all, o);
            if (lane >= o) all += before;
        }
        total = __shfl_sync(0xffffffffu, all, 31);
        u64 before = __shfl_sync(0xffffffffu, all, (warp + 31) % 32);
        return warp ? v + before : v;
    }

    // The greatest over the block, in every thread.
    __device__ __noinline__ static u64 greatest(u64 v) {
#pragma unroll
        for (int o = 16; o; o >>= 1) v = max(v, __shfl_xor_sync(0xffffffffu, v, o));
        __syncthreads();
        if (threadIdx.x % 32 == 0) m.parts[threadIdx.x / 32] = v;
        __syncthreads();
        v = m.parts[threadIdx.x % 32];
#pragma unroll
        for (int o = 16; o; o >>= 1) v = max(v, __shfl_xor_sync(0xffffffffu, v, o));
        return v;
    }

    // All that is kept, by all threads.
    template <typename F>
    DEVICE void each(F f) const {
        if (n != NOT_LISTED) {
            if (threadIdx.x < n) f(own, below(logit_of(own)));
            return;
        }
#pragma unroll 4
        for (u32 i = threadIdx.x; i < C_VOCAB; i += THREADS) {
            float l = x[i];
            u64 key = key_of(l, i);
            if (key >= lo && key <= hi) f(key, below(l));
        }
    }

    // Entry i of thread i becomes the i-th greatest.
    DEVICE void sort() {
        u32 t = threadIdx.x, size = 32;
        while (size < n) size <<= 1;
        u64 v = t < n ? own : 0;
#pragma unroll 1
        for (u32 k = 2; k <= size; k <<= 1) {
#pragma unroll 1
            for (u32 j = k / 2; j; j >>= 1) {
                u64 o;
                if (j < 32) {
                    o = __shfl_xor_sync(0xffffffffu, v, j);
                } else {
                    __syncthreads();
                    m.list[t] = v;
                    __syncthreads();
                    o = m.list[t ^ j];
                }
                bool larger = ((t & k) == 0) == ((t & j) == 0);
                v = larger ? max(v, o) : min(v, o);
            }
        }
        own = t < n ? v : 0;
    }

    // Keeps entries from..to of the list.
    DEVICE void cut(u32 from, u32 to) {
        if (from) {
            __syncthreads();
            m.list[threadIdx.x] = own;
            __syncthreads();
            own = threadIdx.x + from < to ? m.list[threadIdx.x + from] : 0;
            if (threadIdx.x == 0) m.found_rest = own;
            __syncthreads();
            hi = m.found_rest;
        }
        n = to - from;
        if (threadIdx.x >= n) own = 0;
    }

    DEVICE void keep(u64 first, u64 last) {
        if (n != NOT_LISTED) {
            u32 from = __syncthreads_count(threadIdx.x < n && own > first);
            u32 to = __syncthreads_count(threadIdx.x < n && own >= last);
            hi = first, lo = last;
            cut(from, to);
            return;
        }
        hi = first, lo = last;
        gather_apart();
    }

    __device__ __noinline__ void gather_apart() {
        gather(-INFINITE);
    }

    // Chunks are few where they are long, so all warps share the pieces of those that may have something.
    DEVICE void gather(float floor) {
        u32 lane = threadIdx.x % 32;
        __syncthreads();
        if (threadIdx.x == 0) m.listed = 0;
        for (u32 base = 0; base < CHUNKS; base += HITS) {
            if (threadIdx.x == 0) m.hits = 0;
            __syncthreads();
            for (u32 c = base + threadIdx.x; c < min(base + HITS, CHUNKS); c += THREADS) {
                float b = bests[c].score;
                // A chunk without a logit has no key that is kept.
                if (below(b) >= floor && key_of(b, 0) >= lo) m.chunks[atomicAdd(&m.hits, 1)] = c;
            }
            __syncthreads();
            u32 pieces = m.hits * PIECES;
            for (u32 first = threadIdx.x / 32; first < pieces; first += FLIGHT * WARPS) {
                u32 ids[FLIGHT];
                float logits[FLIGHT];
#pragma unroll
                for (u32 j = 0; j < FLIGHT; j++) {
                    u32 p = first + j * WARPS, in = p % PIECES * 32 + lane;
                    ids[j] = p < pieces && in < C_CHUNK ? m.chunks[p / PIECES] * C_CHUNK + in : C_VOCAB;
                    logits[j] = ids[j] < C_VOCAB ? x[ids[j]] : -INFINITE;
                }
#pragma unroll
                for (u32 j = 0; j < FLIGHT; j++) {
                    u64 key = key_of(logits[j], ids[j]);
                    bool in = below(logits[j]) >= floor && key >= lo && key <= hi;
                    u32 which = __ballot_sync(0xffffffffu, in), place = 0;
                    if (which == 0) continue;
                    if (lane == 0) place = atomicAdd(&m.listed, __popc(which));
                    place = __shfl_sync(0xffffffffu, place, 0) + __popc(which & ((1u << lane) - 1));
                    if (in && place < LIST) m.list[place] = key;
                }
            }
            __syncthreads();
        }
        u32 all = m.listed;
        if (all > LIST) return;
        n = all;
        own = threadIdx.x < n ? m.list[threadIdx.x] : 0;
        sort();
    }

    DEVICE void top_k(u64 k) {
        if (n != NOT_LISTED) {
            if (k < n) cut(0, (u32)k);
            return;
        }
        u64 rank, rest;
        if (reach({COUNTS, 0.0f, 0}, k, 0, rank, rest)) keep(hi, rank);
    }

    // Makes a list that has the best k, where the best ones of k chunks bound them well.
    DEVICE void gather_best(u64 k) {
        if (lo != LOWEST) return;
        for (u32 i = threadIdx.x; i < BINS; i += THREADS) m.bins.count[i] = 0;
        __syncthreads();
        bool higher = false;
        for (u32 c = threadIdx.x; c < CHUNKS; c += THREADS) {
            float b = bests[c].score;
            higher |= b > logit_of(hi);
            if (b > -INFINITE && b <= logit_of(hi)) atomicAdd(&m.bins.count[bin_of(-below(b))], 1);
        }
        if (__syncthreads_or(higher)) return;
        u64 total, own_count = (u64)m.bins.count[2 * threadIdx.x] + m.bins.count[2 * threadIdx.x + 1];
        u64 upto = scan(own_count, total);
        if (threadIdx.x == 0) m.found = BINS - 1;
        __syncthreads();
        if (upto >= k && upto - own_count < k) {
            m.found = upto - own_count + m.bins.count[2 * threadIdx.x] >= k ? 2 * threadIdx.x : 2 * threadIdx.x + 1;
        }
        __syncthreads();
        u32 found = m.found;
        if (found < BINS - 1) gather(-__fdiv_rn((float)(found + 1), PER_UNIT));
    }

    DEVICE void top_p(u32 share) {
        if (n != NOT_LISTED) {
            u64 total, weight = threadIdx.x < n ? mass(below(logit_of(own))) : 0, upto = scan(weight, total);
            u64 target = part(total, share);
            if (target < total) cut(0, __syncthreads_count(threadIdx.x < n && upto - weight < target));
            return;
        }
        u64 rank, rest;
        if (reach({MASSES, 0.0f, 0}, 0, share, rank, rest)) keep(hi, rank);
    }

    DEVICE void above(float floor) {
        if (n != NOT_LISTED) {
            cut(0, __syncthreads_count(threadIdx.x < n && below(logit_of(own)) >= floor));
            return;
        }
        u64 first = first_not_below(floor);
        keep(hi, max(lo, first));
    }

    DEVICE u64 first_not_below(float floor) const {
        u32 no = (u32)(LOWEST >> 32) - 1, yes = (u32)(hi >> 32);
        while (yes - no > 1) {
            u32 mid = no + (yes - no) / 2;
            if (below(logit_of((u64)mid << 32)) >= floor) yes = mid;
            else no = mid;
        }
        return (u64)yes << 32;
    }

    DEVICE void top_n_sigma(float sigmas) {
        u64 count = 0, all = 0, squares = 0;
        each([&](u64, float y) {
            u64 d = (u64)fminf(__fmul_rn(-y, 16384.0f), 4194304.0f);
            count++, all += d, squares += d * d;
        });
        count = sum(count), all = sum(all), squares = sum(squares);
        double c = __ull2double_rn(count), mean = __ddiv_rn(__ull2double_rn(all), c);
        double variance = __dsub_rn(__ddiv_rn(__ull2double_rn(squares), c), __dmul_rn(mean, mean));
        double deviation = __ddiv_rn(__dsqrt_rn(fmax(variance, 0.0)), 16384.0);
        above(-__fmul_rn(sigmas, __double2float_rn(deviation)));
    }

    DEVICE float log_total() const {
        u64 total = 0;
        each([&](u64, float y) { total += mass(y); });
        total = sum(total);
        return ln(__double2float_rn(__ddiv_rn(__ull2double_rn(total), 1099511627776.0)));
    }

    DEVICE void exclude(float threshold) {
        float floor = __fadd_rn(threshold, log_total());
        if (!(floor <= 0.0f)) return;
        u64 first = first_not_below(floor), count = 0, last = ~hi;
        each([&](u64 key, float) {
            if (key >= first) count++, last = max(last, ~key);
        });
        count = sum(count), last = greatest(last);
        if (count > 1) keep(~last, lo);
    }

    DEVICE void typical(u32 share) {
        u64 total = 0, low = 0, high = 0;
        each([&](u64, float y) {
            u64 w = mass(y), product = w * (u64)fminf(__fmul_rn(-y, 65536.0f), 2097152.0f);
            total += w, low += product & 0xffffffffull, high += product >> 32;
        });
        total = sum(total), low = sum(low), high = sum(high);
        double all = __dadd_rn(__dmul_rn(__ull2double_rn(high), 4294967296.0), __ull2double_rn(low));
        float centre = -__double2float_rn(__ddiv_rn(__ddiv_rn(all, __ull2double_rn(total)), 65536.0));
        u64 rank, rest;
        if (!reach({DISTANCES, centre, 0}, 0, share, rank, rest)) return;
        u64 over = 0;
        each([&](u64, float y) {
            if (rank_of(y, centre) == rank && y >= centre) over += mass(y);
        });
        over = sum(over);
        u64 most = ~0ull, least = ~0ull, r, ignored;
        if (rest <= over) {
            if (reach({UPPER, centre, rank}, rest, 0, r, ignored)) most = ~r;
        } else {
            least = reach({LOWER, centre, rank}, rest - over, 0, r, ignored) ? r : 0;
        }
        u64 first = 0, last = 0;
        each([&](u64 key, float y) {
            u64 own_rank = rank_of(y, centre);
            if (own_rank > rank || (own_rank == rank && (y >= centre ? key <= most : key >= least))) {
                first = max(first, key), last = max(last, ~key);
            }
        });
        first = greatest(first), last = greatest(last);
        keep(first, ~last);
    }

    DEVICE static u64 rank_of(float y, float centre) {
        return (u64)~__float_as_uint(fabsf(__fsub_rn(y, centre))) << 32;
    }

    // An entry with a distance below 0 is none.
    DEVICE static Entry entry(const By& by, u64 key, float y) {
        if (by.kind == COUNTS) return {key, 1, -y};
        u64 w = mass(y);
        if (by.kind == MASSES) return {key, w, -y};
        float distance = fabsf(__fsub_rn(y, by.centre));
        u64 rank = rank_of(y, by.centre);
        if (by.kind == DISTANCES) return {rank, w, distance};
        if (rank != by.rank || (y >= by.centre) != (by.kind == UPPER)) return {0, 0, -1.0f};
        return {by.kind == UPPER ? ~key : key, w, distance};
    }

    // The bin of `bins` in which a sum is reached, by order of `place`; less what is before it is left.
    DEVICE u32 descend(u32 bins, bool backwards, u64& rest) const {
        auto place = [&](u32 b) { return backwards ? bins - 1 - b : b; };
        u64 own_sum[2], total, before;
        for (u32 i = 0; i < 2; i++) {
            u32 b = 2 * threadIdx.x + i;
            own_sum[i] = b < bins ? (u64)m.bins.high[place(b)] << 32 | m.bins.low[place(b)] : 0;
        }
        u64 upto = scan(own_sum[0] + own_sum[1], total);
        before = upto - own_sum[0] - own_sum[1];
        if (before < rest && upto >= rest) {
            u32 i = before + own_sum[0] >= rest ? 0 : 1;
            m.found = place(2 * threadIdx.x + i);
            m.found_count = m.bins.count[m.found];
            m.found_rest = rest - before - (i ? own_sum[0] : 0);
        }
        __syncthreads();
        rest = m.found_rest;
        return m.found;
    }

    DEVICE void add(u32 bin, u64 weight) const {
        u32 low = (u32)weight, old = atomicAdd(&m.bins.low[bin], low);
        u32 high = (u32)(weight >> 32) + (old + low < old);
        if (high) atomicAdd(&m.bins.high[bin], high);
        atomicAdd(&m.bins.count[bin], 1);
    }

    DEVICE void clear(u32 bins) const {
        __syncthreads();
        for (u32 i = threadIdx.x; i < bins; i += THREADS) m.bins.low[i] = m.bins.high[i] = m.bins.count[i] = 0;
        __syncthreads();
    }

    // As in chain.rs; the target is a share of all, unless that is 0. False where all is not more than the target.
    __device__ __noinline__ bool reach(By by, u64 target, u32 share, u64& rank, u64& rest) const {
        u64 total = 0;
        clear(BINS);
        each([&](u64 key, float y) {
            Entry e = entry(by, key, y);
            if (e.distance < 0.0f) return;
            add(bin_of(e.distance), e.weight);
            total += e.weight;
        });
        total = sum(total);
        rest = share ? part(total, share) : target;
        if (rest >= total) return false;
        u32 place = descend(BINS, false, rest), count = m.found_count, shift = 64;
        u64 prefix = 0;
        auto inside = [&](const Entry& e) {
            return e.distance >= 0.0f && bin_of(e.distance) == place && (shift == 64 || e.rank >> shift == prefix);
        };
        while (count > LIST && shift > 0) {
            clear(256);
            each([&](u64 key, float y) {
                Entry e = entry(by, key, y);
                if (inside(e)) add((u32)(e.rank >> (shift - 8)) & 255, e.weight);
            });
            __syncthreads();
            u32 digit = descend(256, true, rest);
            count = m.found_count, prefix = prefix << 8 | digit, shift -= 8;
        }
        if (shift == 0) {
            rank = prefix;
            return true;
        }
        __syncthreads();
        if (threadIdx.x == 0) m.listed = 0;
        __syncthreads();
        each([&](u64 key, float y) {
            Entry e = entry(by, key, y);
            if (!inside(e)) return;
            u32 at = atomicAdd(&m.listed, 1);
            m.entries.rank[at] = e.rank, m.entries.weight[at] = e.weight;
        });
        __syncthreads();
        // A thread's entry: what is of greater ranks before it, and what its rank has itself.
        u64 before = 0, same = 0, own_rank = 0;
        if (threadIdx.x < count) {
            own_rank = m.entries.rank[threadIdx.x];
            for (u32 i = 0; i < count; i++) {
                u64 r = m.entries.rank[i], w = m.entries.weight[i];
                if (r > own_rank) before += w;
                else if (r == own_rank) same += w;
            }
            // Equals write the same.
            if (before < rest && before + same >= rest) m.found_rest = before, m.parts[0] = own_rank;
        }
        __syncthreads();
        rest -= m.found_rest, rank = m.parts[0];
        __syncthreads();
        return true;
    }
};

// A filter on more than a list, or a rare one. Apart from the others, so that these stay small.
__device__ __noinline__ Kept filtered(Kept kept, u32 filter, const Sampler& s, float bound) {
    if (filter == TOP_N_SIGMA) kept.top_n_sigma(s.top_n_sigma);
    if (filter == TOP_K) kept.top_k(s.top_k ? s.top_k : 1);
    if (filter == TYPICAL) kept.typical(s.typical);
    if (filter == TOP_P) kept.top_p(s.top_p);
    if (filter == MIN_P) kept.above(fminf(s.min_p, 0.0f));
    if (filter == XTC) kept.exclude(s.xtc_threshold);
    if (filter == MIROSTAT) kept.above(fminf(__fsub_rn(kept.log_total(), __fmul_rn(bound, LN_2)), 0.0f));
    return kept;
}

// Mirostat's bound of the next token.
__device__ __noinline__ float next_bound(Kept kept, float logit, const Sampler& s, float bound) {
    float surprise = __fdiv_rn(__fsub_rn(kept.log_total(), kept.below(logit)), LN_2);
    return __fsub_rn(bound, __fmul_rn(s.mirostat_eta, __fsub_rn(surprise, s.mirostat_tau)));
}

extern "C" __global__ void __launch_bounds__(THREADS)
    draw(const Header* step, const Sampler* samplers, const float* logits, const Pick* best,
         float* mirostat, Pick* picks) {
    launch_dependents();
    wait_dependencies();
    u32 r = blockIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const Pick* bests = best + (u64)r * CHUNKS;
    const float* x = logits + (u64)r * C_VOCAB;
    Pick none = {-INFINITE, 0xffffffffu}, top = none;
    for (u32 i = threadIdx.x; i < CHUNKS; i += THREADS) top = better(top, bests[i]);
    if (r >= step->head_rows) return;
    Row place = step_row(step, step_head_row(step, r));
    Seq seq = *step_seq(step, place.seq);
    const Sampler& s = samplers[place.seq];
    u32 pos = place.pos + 1;
    float* bounds = mirostat + (u64)place.seq * C_MAX_SEQ;
    float bound = pos < C_MAX_SEQ ? bounds[pos] : 0.0f;
    top = warp_best(top);
    if (lane == 0) m.picks[warp] = top;
    __syncthreads();
    top = warp_best(m.picks[lane]);
    if (!(fabsf(top.score) < INFINITE)) {
        if (threadIdx.x == 0) {
            picks[r] = top;
            if (s.mirostat_tau > 0.0f && pos + 1 < C_MAX_SEQ) bounds[pos + 1] = bound;
        }
        return;
    }
    Kept kept = {x, bests, key_of(top.score, top.token), LOWEST, 1.0f, NOT_LISTED, 0};
    bool greedy = !(seq.temperature >= 1.17549435e-38f);
    u64 seed = mix(seq.seed ^ 0x9e3779b97f4a7c15ull);
    for (u32 filters = s.filters; filters & 15u; filters >>= 4) {
        u32 f = filters & 15u;
        if (f == TOP_K && kept.n == NOT_LISTED) kept.gather_best(s.top_k ? s.top_k : 1);
        bool listed = kept.n != NOT_LISTED;
        if (f == TOP_K && listed) kept.top_k(s.top_k ? s.top_k : 1);
        else if (f == TOP_P && listed) kept.top_p(s.top_p);
        else if (f == MIN_P && listed) kept.above(fminf(s.min_p, 0.0f));
        else if (f != TEMPERATURE && (f != XTC || noise_bits(seed, pos, 0xffffffffu) <= s.xtc_probability)) {
            kept = filtered(kept, f, s, bound);
        }
        if (f == TEMPERATURE) {
            if (greedy) break;
            kept.inverse = __fdiv_rn(1.0f, seq.temperature);
        }
    }
    Pick pick = none;
    if (greedy) {
        pick = {logit_of(kept.hi), ~(u32)kept.hi};
    } else {
        kept.each([&](u64 key, float y) {
            u32 id = ~(u32)key;
            pick = better(pick, {__fadd_rn(y, gumbel(seed, pos, id)), id});
        });
        pick = warp_best(pick);
        __syncthreads();
        if (lane == 0) m.picks[warp] = pick;
        __syncthreads();
        pick = warp_best(m.picks[lane]);
        if (s.mirostat_tau > 0.0f && pick.token < C_VOCAB) bound = next_bound(kept, x[pick.token], s, bound);
    }
    if (threadIdx.x == 0) {
        picks[r] = pick;
        if (s.mirostat_tau > 0.0f && pos + 1 < C_MAX_SEQ) bounds[pos + 1] = bound;
    }
}
