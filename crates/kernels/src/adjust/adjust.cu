// A block to a head. Biases, then penalties of what is in the window, then the mask; see mod.rs. A token of the window is counted in a
// table in shared memory; whose order is any.

constexpr u32 THREADS = 1024, WARPS = THREADS / 32, CHUNKS = (C_VOCAB + C_CHUNK - 1) / C_CHUNK, WORDS = (C_VOCAB + 31) / 32;

// The best logit of a chunk, by a warp; with a mask, of what it allows, and the rest becomes minus infinity.
DEVICE void refresh(float* x, Pick* best, u32 chunk, const u32* mask) {
    u32 lane = threadIdx.x % 32, from = chunk * C_CHUNK, end = min(from + C_CHUNK, C_VOCAB);
    Pick p = {-INFINITE, 0xffffffffu};
#pragma unroll 8
    for (u32 i = from + lane; i < end; i += 32) {
        float l = x[i];
        if (mask && !(mask[i / 32] >> (i % 32) & 1u)) {
            l = -INFINITE;
            x[i] = l;
        }
        if (l > p.score) p = {l, i};
    }
    p = warp_best(p);
    if (lane == 0) best[chunk] = p;
}

// Brings a chunk's best logit up to date after a token of it was changed, by a warp. Most often there is nothing to do: the best is
// another token, and still above this one. (Another warp may be at the same chunk. What it writes is right for this token too, for all
// changes are done.)
DEVICE void refresh_for(float* x, Pick* best, u32 token) {
    u32 chunk = token / C_CHUNK;
    float l = x[token];
    Pick p = best[chunk];
    bool stale = p.token == token || l > p.score || (l == p.score && token < p.token);
    if (__shfl_sync(0xffffffffu, stale, 0)) refresh(x, best, chunk, nullptr);
}

// The same for all tokens in the table.
DEVICE void refresh_all(const u32* slots, u32 size, float* x, Pick* best) {
    for (u32 i = threadIdx.x / 32; i < size; i += WARPS) {
        if (slots[i]) refresh_for(x, best, slots[i] - 1);
    }
}

// Whether a mask is taken by 32 words at a time: chunks are whole words, and do not lie in two such groups.
constexpr bool BY_WORDS = C_CHUNK % 32 == 0 && 1024 % C_CHUNK == 0;
// Groups of a warp.
constexpr u32 GROUPS = (WORDS + 31) / 32, GROUPS_EACH = (GROUPS + WARPS - 1) / WARPS;

// Applies a mask where every chunk's best is up to date, by all threads. What is not allowed becomes minus infinity. A chunk is looked at
// again only if its best is not allowed: most masks allow nearly all tokens or nearly none.
DEVICE void restrict_to(const u32* mask, float* x, Pick* best) {
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    // The mask may lie in the host's memory, so all of it is asked for at once.
    u32 words[GROUPS_EACH];
#pragma unroll
    for (u32 j = 0; j < GROUPS_EACH; j++) {
        u32 word = (j * WARPS + warp) * 32 + lane;
        words[j] = word < WORDS ? __ldcg(mask + word) : 0xffffffffu;
    }
#pragma unroll 1
    for (u32 j = 0; j < GROUPS_EACH; j++) {
        u32 group = j * WARPS + warp, own = words[0];
        // A register array takes no index that is not known.
#pragma unroll
        for (u32 i = 1; i < GROUPS_EACH; i++) own = i == j ? words[i] : own;
        for (u32 left = __ballot_sync(0xffffffffu, own != 0xffffffffu); left; left &= left - 1) {
            u32 at = __ffs(left) - 1, word = __shfl_sync(0xffffffffu, own, at), token = (group * 32 + at) * 32 + lane;
            if (token < C_VOCAB && !(word >> lane & 1u)) x[token] = -INFINITE;
        }
        __syncwarp();
        // Lane c has the group's chunk c.
        constexpr u32 IN_GROUP = 1024 / C_CHUNK;
        u32 chunk = group * IN_GROUP + lane;
        bool has = lane < IN_GROUP && chunk < CHUNKS, stale = false;
        Pick p = {-INFINITE, 0xffffffffu};
        if (has) p = best[chunk];
        u32 word = __shfl_sync(0xffffffffu, own, p.token / 32 % 32);
        stale = has && p.token < C_VOCAB && !(word >> (p.token % 32) & 1u);
        if (C_CHUNK == 32 && stale && own == 0) {
            best[chunk] = Pick{-INFINITE, 0xffffffffu};
            stale = false;
        }
        for (u32 left = __ballot_sync(0xffffffffu, stale); left; left &= left - 1) {
            refresh(x, best, group * IN_GROUP + __ffs(left) - 1, nullptr);
        }
    }
}

// Empties a table for so many tokens: a power of two of slots, at least twice as many.
DEVICE u32 empty(u32* slots, u32* counts, u32 tokens) {
    u32 size = 64;
    while (size < 2 * tokens) size <<= 1;
    for (u32 i = threadIdx.x; i < size; i += THREADS) slots[i] = 0, counts[i] = 0;
    return size;
}

// A token's slot.
DEVICE u32 find(u32* slots, u32 size, u32 token) {
    u32 at = token * 0x9e3779b1u >> 16 & (size - 1);
    for (;;) {
        u32 was = atomicCAS(slots + at, 0, token + 1);
        if (was == 0 || was == token + 1) return at;
        at = (at + 1) & (size - 1);
    }
}

DEVICE bool is_set(const u32* words, u32 token) {
    return token < C_VOCAB && words[token / 32] >> (token % 32) & 1u;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    adjust(const Header* step, const Sampler* samplers, const Bias* biases, const u32* masks, const u32* breakers,
           const u32* tokens, float* logits, Pick* bests, float* raw_logits) {
    extern __shared__ u32 table[];
    u32 *slots = table, *counts = table + SLOTS, *last = table + 2 * SLOTS;
    __shared__ u32 nearest;
    launch_dependents();
    wait_dependencies();
    u32 r = blockIdx.x, warp = threadIdx.x / 32;
    if (r >= step->head_rows) return;
    Row place = step_row(step, step_head_row(step, r));
    const Sampler& s = samplers[place.seq];
    float repeat = s.repeat_penalty, frequency = s.frequency_penalty, presence = s.presence_penalty;
    u32 known = min(place.pos + 1, (u32)C_MAX_SEQ), masked = s.masked, listed = min(s.biases, (u32)MAX_BIASES);
    u32 window = min(min(s.window, (u32)MAX_WINDOW), known);
    bool repeats = repeat != 0.0f && repeat != 1.0f;
    if (!repeats && frequency == 0.0f && presence == 0.0f) window = 0;
    u32 dry = s.dry_multiplier == 0.0f ? 0 : min(min(s.dry_window, (u32)MAX_WINDOW), known);
    float* x = logits + (u64)r * C_VOCAB;
    if (s.logprobs) {
        float* raw = raw_logits + (u64)r * C_VOCAB;
#pragma unroll 4
        for (u32 i = threadIdx.x; i < C_VOCAB; i += THREADS) raw[i] = x[i];
        __syncthreads();
    }
    if (window == 0 && listed == 0 && masked == 0 && dry == 0) return;
    Pick* best = bests + (u64)r * CHUNKS;
    const Bias* own = biases + (u64)place.seq * MAX_BIASES;
    u32 size = empty(slots, counts, window);
    for (u32 i = threadIdx.x; i < listed; i += THREADS) {
        u32 token = own[i].token;
        if (token < C_VOCAB) x[token] = __fadd_rn(x[token], own[i].bias);
    }
    __syncthreads();
    const u32* belt = tokens + (u64)place.seq * C_MAX_SEQ + known - window;
    for (u32 i = threadIdx.x; i < window; i += THREADS) {
        u32 token = belt[i];
        if (token < C_VOCAB) atomicAdd(counts + find(slots, size, token), 1);
    }
    __syncthreads();
    if (window) {
        for (u32 i = threadIdx.x; i < size; i += THREADS) {
            if (slots[i] == 0) continue;
            u32 token = slots[i] - 1;
            float l = x[token];
            if (repeat != 0.0f) l = l <= 0.0f ? __fmul_rn(l, repeat) : __fdiv_rn(l, repeat);
            x[token] = __fsub_rn(l, __fadd_rn(__fmul_rn((float)counts[i], frequency), presence));
        }
    }
    __syncthreads();
    if (dry) {
        // The bests of what has been touched so far: the table is used again.
        if (window) refresh_all(slots, size, x, best);
        const u32* breaks = breakers + (u64)place.seq * WORDS;
        const u32* from = tokens + (u64)place.seq * C_MAX_SEQ + known - dry;
        __syncthreads();
        window = dry;
        size = empty(slots, counts, window);
        if (threadIdx.x == 0) nearest = dry;
        for (u32 i = threadIdx.x; i < dry; i += THREADS) last[i] = from[i];
        __syncthreads();
        for (u32 i = threadIdx.x; i < dry; i += THREADS) {
            if (is_set(breaks, last[i])) atomicMin(&nearest, dry - 1 - i);
        }
        __syncthreads();
        u32 most = nearest, allowed = max(s.dry_allowed, 1u);
        for (u32 next = 1 + threadIdx.x; next < dry; next += THREADS) {
            u32 length = 0, limit = min(most, next), token = last[next];
            while (length < limit && last[next - 1 - length] == last[dry - 1 - length]) length++;
            if (length >= allowed && token < C_VOCAB && !is_set(breaks, token)) {
                atomicMax(counts + find(slots, size, token), length);
            }
        }
        __syncthreads();
        for (u32 i = threadIdx.x; i < size; i += THREADS) {
            if (slots[i] == 0) continue;
            float penalty = s.dry_multiplier, base = s.dry_base;
            u32 times = min(counts[i] - allowed, (u32)MAX_EXPONENT);
            for (u32 t = 0; t < times; t++) penalty = __fmul_rn(penalty, base);
            x[slots[i] - 1] = __fsub_rn(x[slots[i] - 1], fminf(penalty, 1e30f));
        }
        __syncthreads();
    }
    const u32* mask = masks + (u64)place.seq * WORDS;
    if (masked && !BY_WORDS) {
        for (u32 c = warp; c < CHUNKS; c += WARPS) refresh(x, best, c, mask);
        return;
    }
    for (u32 i = warp; i < listed; i += WARPS) {
        if (own[i].token < C_VOCAB) refresh_for(x, best, own[i].token);
    }
    if (window) refresh_all(slots, size, x, best);
    if (masked) {
        __syncthreads();
        restrict_to(mask, x, best);
    }
}
