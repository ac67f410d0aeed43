// One row through a layer norm by a whole block: `v` holds the values threadIdx.x, threadIdx.x + THREADS and so on. `out` gets the norm,
// or what was given where that goes on as the residual stream.
constexpr u32 PIECES = (C_D + THREADS - 1) / THREADS;

DEVICE void load_row(const float* from, float (&to)[PIECES]) {
#pragma unroll
    for (u32 j = 0; j < PIECES; j++) {
        u32 i = j * THREADS + threadIdx.x;
        to[j] = i < C_D ? from[i] : 0.0f;
    }
}

DEVICE void norm_row(float (&v)[PIECES], const float (&w)[PIECES], const float (&b)[PIECES], float eps, float* scratch,
                     float* out, u8* act_out) {
    float sum = 0.0f;
#pragma unroll
    for (u32 j = 0; j < PIECES; j++) sum += v[j];
    float mean = block_sum(sum, scratch) / C_D;
    float squares = 0.0f;
#pragma unroll
    for (u32 j = 0; j < PIECES; j++) {
        float off = v[j] - mean;
        if (j * THREADS + threadIdx.x < C_D) squares += off * off;
    }
    float inverse = 1.0f / sqrtf(block_sum(squares, scratch) / C_D + eps);
#pragma unroll
    for (u32 j = 0; j < PIECES; j++) {
        u32 i = j * THREADS + threadIdx.x;
        if (i >= C_D) continue;
        float y = (v[j] - mean) * inverse * w[j] + b[j];
        out[i] = C_STREAM ? v[j] : y;
        store_act<C_ACT>(act_out, i, y);
    }
}
