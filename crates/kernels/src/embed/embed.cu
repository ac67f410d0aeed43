// h[r] = scale * embedding of row r's token. One block per row, eight values a thread.
extern "C" __global__ void __launch_bounds__(THREADS)
    embed(const Header* step, const u32* tokens, const u8* w, float* h, Params p) {
    launch_dependents();
    wait_dependencies();
    for (u32 r = blockIdx.x; r < C_MAX_ROWS; r += gridDim.x) {
        Place at = step_place(step, r);
        if (r >= at.rows) return;
        // The host checks ids it writes and the sampler only writes ids below the vocabulary; this keeps a corrupted
        // belt from reading outside the matrix.
        u32 token = min(tokens[(u64)at.row.seq * C_MAX_SEQ + at.row.pos], C_VOCAB - 1);
#pragma unroll
        for (u32 i = threadIdx.x * 8; i < C_D; i += THREADS * 8) {
            float v[8];
            Values<C_DTYPE, C_D, C_VOCAB>::eight(w, token, i / 32, i % 32 / 8, v);
#pragma unroll
            for (int j = 0; j < 8; j++) v[j] *= p.scale;
            float4* to = reinterpret_cast<float4*>(h + (u64)r * C_D + i);
            to[0] = make_float4(v[0], v[1], v[2], v[3]);
            to[1] = make_float4(v[4], v[5], v[6], v[7]);
        }
    }
}
