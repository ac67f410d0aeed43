// Gumbel-max over the tokens that min-p keeps, chunk by chunk; the noise is a hash of (seed, position, token). A warp
// per chunk. See mod.rs for the formulas, which are the same.
DEVICE u64 mix(u64 z) {
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

DEVICE float gumbel(u64 seed, u32 pos, u32 token) {
    u32 bits = (u32)(mix(mix(seed ^ 0x9e3779b97f4a7c15ull) ^ ((u64)pos << 32 | token)) >> 32);
    float v = fminf(((float)bits + 0.5f) * (1.0f / 4294967296.0f), 1.0f - 5.9604645e-8f);
    return -logf(-log1pf(-v));
}

extern "C" __global__ void __launch_bounds__(256)
sample(const Header* step, const float* logits, const Pick* best, Pick* picks) {
    constexpr u32 CHUNKS = (C_VOCAB + C_CHUNK - 1) / C_CHUNK;
    __shared__ Pick shared[8];
    launch_dependents();
    wait_dependencies();
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (u32 r = 0; r < step->head_rows; r++) {
        Row place = step_row(step, step->rows - step->head_rows + r);
        Seq seq = *step_seq(step, place.seq);
        const Pick* bests = best + r * CHUNKS;
        // Below the smallest normal number its reciprocal would be infinite; the draw is the greedy one long before.
        bool greedy = !(seq.temperature >= 1.17549435e-38f);
        if (greedy) {
            for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < CHUNKS; i += gridDim.x * blockDim.x) {
                picks[r * CHUNKS + i] = bests[i];
            }
            continue;
        }
        Pick top = {-INFINITE, 0xffffffffu};
        for (u32 i = threadIdx.x; i < CHUNKS; i += blockDim.x) top = better(top, bests[i]);
        top = warp_best(top);
        __syncthreads();
        if (lane == 0) shared[warp] = top;
        __syncthreads();
        top = shared[0];
        for (u32 i = 1; i < blockDim.x / 32; i++) top = better(top, shared[i]);
        float max = top.score, inverse = 1.0f / seq.temperature;
        float floor = seq.min_p > 0.0f ? fminf(__fadd_rn(max, __fmul_rn(seq.temperature, logf(seq.min_p))), max) : -INFINITE;
        for (u32 u = blockIdx.x * (blockDim.x / 32) + warp; u < CHUNKS; u += gridDim.x * (blockDim.x / 32)) {
            u32 end = min((u + 1) * C_CHUNK, C_VOCAB);
            Pick p = {-INFINITE, 0xffffffffu};
            for (u32 i = u * C_CHUNK + lane; i < end; i += 32) {
                float l = logits[(u64)r * C_VOCAB + i];
                if (l >= floor) {
                    Pick q = {__fadd_rn(__fmul_rn(l - max, inverse), gumbel(seq.seed, place.pos + 1, i)), i};
                    p = better(p, q);
                }
            }
            p = warp_best(p);
            if (lane == 0) picks[r * CHUNKS + u] = p;
        }
    }
}
