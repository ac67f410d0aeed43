// The best logit of each chunk of the vocabulary. A warp per chunk.
extern "C" __global__ void __launch_bounds__(256) logits_max(const Header* step, const float* logits, Pick* best) {
    constexpr u32 CHUNKS = (C_VOCAB + C_CHUNK - 1) / C_CHUNK;
    launch_dependents();
    wait_dependencies();
    u32 units = step->head_rows * CHUNKS, lane = threadIdx.x % 32;
    for (u32 u = (blockIdx.x * blockDim.x + threadIdx.x) / 32; u < units; u += gridDim.x * blockDim.x / 32) {
        u32 r = u / CHUNKS, from = u % CHUNKS * C_CHUNK;
        u32 end = min(from + C_CHUNK, C_VOCAB);
        Pick p = {-INFINITE, 0xffffffffu};
#pragma unroll 4
        for (u32 i = from + lane; i < end; i += 32) {
            float l = logits[(u64)r * C_VOCAB + i];
            // Ids ascend: the first of equals stays. Neither NaN nor a masked logit is above minus infinity.
            if (l > p.score) p = {l, i};
        }
        p = warp_best(p);
        if (lane == 0) best[u] = p;
    }
}
