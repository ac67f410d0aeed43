// qk_norm: a warp for each head of a row, or a block for all query heads and one for all key heads.
constexpr u32 WIDTH = (C_HEADS + 2 * C_KV_HEADS) * C_HEAD_DIM;

extern "C" __global__ void __launch_bounds__(256)
    qk_norm(const Header* step, const float* q_weight, const float* k_weight, float* qkv, Params p) {
    launch_dependents();
    u32 lane = threadIdx.x % 32;
    if constexpr (C_SPAN == 0) {
        constexpr u32 HEADS = C_HEADS + C_KV_HEADS, PIECES = (C_HEAD_DIM + 31) / 32;
        u32 unit = (blockIdx.x * blockDim.x + threadIdx.x) / 32, stride = gridDim.x * blockDim.x / 32;
        auto weights = [&](u32 u, float (&w)[PIECES]) {
            const float* from = u % HEADS < C_HEADS ? q_weight : k_weight;
#pragma unroll
            for (u32 j = 0; j < PIECES; j++) w[j] = j * 32 + lane < C_HEAD_DIM ? from[j * 32 + lane] : 0.0f;
        };
        float w[PIECES];
        weights(unit, w);
        wait_dependencies();
        u32 units = step->rows * HEADS;
        for (; unit < units; unit += stride) {
            float* x = qkv + (u64)(unit / HEADS) * WIDTH + unit % HEADS * C_HEAD_DIM;
            float v[PIECES], sum = 0.0f;
#pragma unroll
            for (u32 j = 0; j < PIECES; j++) {
                v[j] = j * 32 + lane < C_HEAD_DIM ? x[j * 32 + lane] : 0.0f;
                sum += v[j] * v[j];
            }
            float inverse = 1.0f / sqrtf(warp_sum(sum) / C_HEAD_DIM + p.eps);
#pragma unroll
            for (u32 j = 0; j < PIECES; j++) {
                if (j * 32 + lane < C_HEAD_DIM) x[j * 32 + lane] = v[j] * inverse * w[j];
            }
            if (unit + stride < units) weights(unit + stride, w);
        }
    } else {
        __shared__ float scratch[32];
        wait_dependencies();
        u32 units = step->rows * 2;
        for (u32 unit = blockIdx.x; unit < units; unit += gridDim.x) {
            bool keys = unit % 2;
            u32 n = (keys ? C_KV_HEADS : C_HEADS) * C_HEAD_DIM;
            float* x = qkv + (u64)(unit / 2) * WIDTH + (keys ? C_HEADS * C_HEAD_DIM : 0);
            const float* w = keys ? k_weight : q_weight;
            float sum = 0.0f;
            for (u32 i = threadIdx.x; i < n; i += 256) sum += x[i] * x[i];
            float inverse = 1.0f / sqrtf(block_sum(sum, scratch) / n + p.eps);
            for (u32 i = threadIdx.x; i < n; i += 256) x[i] = x[i] * inverse * w[i];
        }
    }
}
