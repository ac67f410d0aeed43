// sample of one row in the persistent form. A greedy draw leaves the votes as they are; else every block votes again,
// for the best of its part of the vocabulary after noise. Formulas as in sample.cu.
template <u32 VOCAB>
struct Sample {
    DEVICE static u64 mix(u64 z) {
        z += 0x9e3779b97f4a7c15ull;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    DEVICE static float gumbel(u64 seed, u32 pos, u32 token) {
        u32 bits = (u32)(mix(seed ^ ((u64)pos << 32 | token)) >> 32);
        float v = fminf(((float)bits + 0.5f) * (1.0f / 4294967296.0f), 1.0f - 5.9604645e-8f);
        return -logf(-log1pf(-v));
    }

    DEVICE static void run(Worker& w, const Command& c) {
        float temperature = w.s.seq.temperature, min_p = w.s.seq.min_p;
        if (w.s.header.head_rows == 0 || !(temperature >= 1.17549435e-38f)) {
            // The counter keeps step with the others.
            if (w.warp == 0) w.arrived(c);
            return;
        }
        float max = key_pick(w.gather()).score;
        float inverse = 1.0f / temperature;
        float low = __fadd_rn(max, __fmul_rn(temperature, logf(min_p)));
        float floor = min_p > 0.0f ? fminf(low, max) : -INFINITE;
        u64 seed = mix(w.s.seq.seed ^ 0x9e3779b97f4a7c15ull), best = 0;
        u32 pos = w.s.row.pos + 1;
        u32 from = (u32)((u64)VOCAB * blockIdx.x / gridDim.x), end = (u32)((u64)VOCAB * (blockIdx.x + 1) / gridDim.x);
        const float* logits = w.place<const float>(c, 1);
#pragma unroll 1
        for (u32 i = from + w.t; i < end; i += CONSUMERS) {
            float l = load_relaxed(logits + i);
            if (l >= floor) {
                u64 k = pick_key(__fadd_rn(__fmul_rn(l - max, inverse), gumbel(seed, pos, i)), i);
                best = k > best ? k : best;
            }
        }
        best = warp_max_key(best);
        u64* warps = reinterpret_cast<u64*>(w.s.sums[w.buffer]);
        if (w.lane == 0) warps[w.warp] = best;
        if (w.meet()) w.vote(c, 3, warp_max_key(w.lane < WARPS ? warps[w.lane] : 0));
        w.buffer ^= 1;
        w.votes_at(c, 3);
    }
};
