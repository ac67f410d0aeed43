// out = residual + x / sqrt(mean(x^2) + eps) * weight. One block per row.
extern "C" __global__ void __launch_bounds__(THREADS)
    rms_norm_add(const Header* step, const float* x, const float* weight, const float* residual, float* out, Params p) {
    constexpr u32 PIECES = (C_D + THREADS - 1) / THREADS;
    __shared__ float scratch[32];
    launch_dependents();
    float w[PIECES], v[PIECES], base[PIECES];
    auto load = [](const float* from, float (&to)[PIECES]) {
#pragma unroll
        for (u32 j = 0; j < PIECES; j++) {
            u32 i = j * THREADS + threadIdx.x;
            to[j] = i < C_D ? from[i] : 0.0f;
        }
    };
    load(weight, w);
    wait_dependencies();
    u32 rows = step->rows;
    for (u32 r = blockIdx.x; r < rows; r += gridDim.x) {
        load(x + (u64)r * C_D, v);
        load(residual + (u64)r * C_D, base);
        float sum = 0.0f;
#pragma unroll
        for (u32 j = 0; j < PIECES; j++) sum += v[j] * v[j];
        float inverse = 1.0f / sqrtf(block_sum(sum, scratch) / C_D + p.eps);
#pragma unroll
        for (u32 j = 0; j < PIECES; j++) {
            u32 i = j * THREADS + threadIdx.x;
            if (i < C_D) out[(u64)r * C_D + i] = base[j] + v[j] * inverse * w[j];
        }
    }
}
