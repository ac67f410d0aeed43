// A block has one row. Its threads hold positions.
extern "C" __global__ void __launch_bounds__(256)
    cross_scores(const Header* step, const float* q, const u32* reads, const u8* keys, float* out, Params p) {
    constexpr u32 WIDTH = C_HEADS * C_HEAD_DIM, THREADS = 256;
    __shared__ float query[C_HEAD_DIM];
    launch_dependents();
    wait_dependencies();
    u32 head = min(p.head, C_HEADS - 1u), t = threadIdx.x;
    for (u32 r = blockIdx.x; r < step->rows; r += gridDim.x) {
        u64 at = cross_head(min(reads[step_row(step, r).seq], C_SOURCES - 1u), head);
        __syncthreads();
        for (u32 d = t; d < C_HEAD_DIM; d += THREADS) query[d] = q[(u64)r * WIDTH + head * C_HEAD_DIM + d] * p.scale;
        __syncthreads();
        for (u32 j = t; j < C_POSITIONS; j += THREADS) {
            float score = 0.0f;
            for (u32 d = 0; d < C_HEAD_DIM; d++) score += query[d] * cross_load(keys, at + (u64)d * COLUMNS + j);
            out[(u64)r * C_POSITIONS + j] = score;
        }
    }
}
