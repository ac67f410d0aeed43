// One vector of each head's sequence. One block per head.
extern "C" __global__ void pooling(const Header* step, const float* x, float* out) {
    __shared__ float scratch[32];
    launch_dependents();
    wait_dependencies();
    for (u32 i = blockIdx.x; i < step->head_rows; i += gridDim.x) {
        u32 last = step_head_row(step, i), first = last - step_row(step, last).pos;
        if (C_POOLING == 1) last = first;
        if (C_POOLING == 2) first = last;
        float n = (float)(last - first + 1), squares = 0.0f;
        float* to = out + (u64)i * C_D;
        for (u32 d = threadIdx.x; d < C_D; d += blockDim.x) {
            float v = 0.0f;
            for (u32 r = first; r <= last; r++) v += x[(u64)r * C_D + d];
            v /= n;
            to[d] = v;
            squares += v * v;
        }
        if (C_NORMALIZE) {
            float length = fmaxf(sqrtf(block_sum(squares, scratch)), 1e-12f);
            for (u32 d = threadIdx.x; d < C_D; d += blockDim.x) to[d] /= length;
        }
    }
}
