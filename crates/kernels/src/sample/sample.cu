// A bound on a token's score with its noise, which is -ln(-ln(1 - v)) <= -ln(v) for v = (bits + 0.5) / 2^32. 1e-3 is more than all
// logarithms' rounding, and to round a sum keeps the order.
DEVICE float at_most(float below, float inverse, u32 bits) {
    float v = __fmaf_rn((float)bits, 1.0f / 4294967296.0f, 0.5f / 4294967296.0f);
    return times_plus(below, inverse, __fmaf_rn(__log2f(v), -0.6931472f, 1e-3f));
}

// Gumbel-max over the tokens that min-p keeps, chunk by chunk; the noise is a hash of (seed, position, token). A warp
// per chunk. See mod.rs for the formulas, which are the same. What lies at a known place (the best of all chunks, the
// first sequence) is read together with the header.
extern "C" __global__ void __launch_bounds__(512)
    sample(const Header* step, const float* logits, const Pick* best, Pick* picks) {
    constexpr u32 CHUNKS = (C_VOCAB + C_CHUNK - 1) / C_CHUNK, WARPS = 512 / 32;
    // Logits that a lane asks for at once.
    constexpr u32 AHEAD = 8, NO_TOKEN = 0xffffffffu;
    __shared__ float shared[WARPS];
    launch_dependents();
    wait_dependencies();
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, unit = blockIdx.x * WARPS + warp;
    for (u32 r = blockIdx.y; r < C_MAX_ROWS; r += gridDim.y) {
        const Pick* bests = best + (u64)r * CHUNKS;
        const float* row = logits + (u64)r * C_VOCAB;
        // The first logits and the first copy that this thread may need, whatever the header says.
        u32 chunk = unit < CHUNKS ? unit : 0, at = min(chunk * C_CHUNK + lane, C_VOCAB - 1);
        u32 own = blockIdx.x * 512 + threadIdx.x;
        uint4 head = load_now(reinterpret_cast<const uint4*>(step));
        Seq seq = *step_seq(step, 0);
        u32 logit = load_now(reinterpret_cast<const u32*>(row + at));
        uint2 copy = load_now(reinterpret_cast<const uint2*>(bests + min(own, CHUNKS - 1)));
        float max = -INFINITE;
        for (u32 i = threadIdx.x; i < CHUNKS; i += 512) max = fmaxf(max, bests[i].score);
        if (r >= head.y) return;
        Row place = step_row(step, step_head_row(step, r));
        if (place.seq != 0) seq = *step_seq(step, place.seq);
        // Below the smallest normal number its reciprocal would be infinite; the draw is the greedy one long before.
        if (!(seq.temperature >= 1.17549435e-38f)) {
            uint2* to = reinterpret_cast<uint2*>(picks + (u64)r * CHUNKS);
            if (own < CHUNKS) to[own] = copy;
            for (u32 i = own + gridDim.x * 512; i < CHUNKS; i += gridDim.x * 512) {
                to[i] = reinterpret_cast<const uint2*>(bests)[i];
            }
            continue;
        }
        max = warp_max(max);
        // Nobody still reads the last row's.
        if (r != blockIdx.y) __syncthreads();
        if (lane == 0) shared[warp] = max;
        __syncthreads();
        max = warp_max(shared[lane % WARPS]);
        float inverse = 1.0f / seq.temperature;
        float floor = fminf(seq.floor, 0.0f);
        u64 seed = mix(seq.seed ^ 0x9e3779b97f4a7c15ull);
        for (u32 u = unit; u < CHUNKS; u += gridDim.x * WARPS) {
            u32 from = u * C_CHUNK, end = min(from + C_CHUNK, C_VOCAB);
            // What a lane's tokens come to at most: the greatest two, and whose the first is.
            float first = -INFINITE, second = -INFINITE, first_below = 0.0f;
            u32 token = NO_TOKEN;
            // Where even the best is too far below, nothing is kept.
            bool any = __fsub_rn(bests[u].score, max) >= floor;
            for (u32 i = from + lane; any && i < end; i += 32 * AHEAD) {
                float l[AHEAD];
#pragma unroll
                for (u32 j = 0; j < AHEAD; j++) {
                    bool known = j == 0 && u == unit && i == from + lane;
                    l[j] = known ? __uint_as_float(logit) : i + 32 * j < end ? row[i + 32 * j] : -INFINITE;
                }
#pragma unroll
                for (u32 j = 0; j < AHEAD; j++) {
                    u32 id = i + 32 * j;
                    float below = __fsub_rn(l[j], max), most = at_most(below, inverse, noise_bits(seed, place.pos + 1, id));
                    if (!(id < end && below >= floor)) continue;
                    bool wins = most > first || token == NO_TOKEN;
                    second = fmaxf(second, wins ? first : most);
                    if (wins) first = most, first_below = below, token = id;
                }
            }
            // The logarithms are most of the work. A lane takes them of its first token, and of others where they may still win.
            Pick p = {-INFINITE, NO_TOKEN};
            if (token != NO_TOKEN) p = {times_plus(first_below, inverse, gumbel(seed, place.pos + 1, token)), token};
            p = warp_best(p);
            if (__any_sync(0xffffffffu, second > -INFINITE && second >= p.score)) {
                Pick own = p;
                for (u32 i = from + lane; i < end; i += 32) {
                    float below = __fsub_rn(row[i], max);
                    if (!(below >= floor) || i == token) continue;
                    if (at_most(below, inverse, noise_bits(seed, place.pos + 1, i)) < p.score) continue;
                    own = better(own, {times_plus(below, inverse, gumbel(seed, place.pos + 1, i)), i});
                }
                p = warp_best(own);
            }
            if (lane == 0) picks[(u64)r * CHUNKS + u] = p;
        }
    }
}
