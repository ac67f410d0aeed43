// The best logit of each chunk of the vocabulary. A warp per chunk.
extern "C" __global__ void __launch_bounds__(256) logits_max(const Header* step, const float* logits, Pick* best) {
    constexpr u32 CHUNKS = (C_VOCAB + C_CHUNK - 1) / C_CHUNK;
    launch_dependents();
    wait_dependencies();
    u32 heads = step->head_rows, units = heads * CHUNKS, lane = threadIdx.x % 32;
    for (u32 u = (blockIdx.x * blockDim.x + threadIdx.x) / 32; u < units; u += gridDim.x * blockDim.x / 32) {
        // Of all rows, from the last chunk down: what was written last is still in the second cache.
        u32 r = u % heads, chunk = CHUNKS - 1 - u / heads, from = chunk * C_CHUNK;
        u32 end = min(from + C_CHUNK, C_VOCAB);
        const float* row = logits + (u64)r * C_VOCAB;
        Pick p = {-INFINITE, 0xffffffffu};
        // Ids ascend: the first of equals stays. Neither NaN nor a masked logit is above minus infinity.
        auto take = [&](float l, u32 i) {
            if (l > p.score) p = {l, i};
        };
        if constexpr (C_VOCAB % 4 == 0 && C_CHUNK % 4 == 0) {
#pragma unroll 4
            for (u32 i = from + 4 * lane; i < end; i += 128) {
                float4 l = *reinterpret_cast<const float4*>(row + i);
                take(l.x, i), take(l.y, i + 1), take(l.z, i + 2), take(l.w, i + 3);
            }
        } else {
#pragma unroll 4
            for (u32 i = from + lane; i < end; i += 32) take(row[i], i);
        }
        p = warp_best(p);
        if (lane == 0) best[r * CHUNKS + chunk] = p;
    }
}
