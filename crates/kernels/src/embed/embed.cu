// h[r] = scale * embedding of row r's token. One block per row.
struct Params {
    float scale;
};

extern "C" __global__ void __launch_bounds__(256)
embed(const Header* step, const u32* tokens, const u8* w, float* h, Params p) {
    launch_dependents();
    wait_dependencies();
    for (u32 r = blockIdx.x; r < step->rows; r += gridDim.x) {
        Row row = step_row(step, r);
        // The host checks ids it writes and the sampler only writes ids below the vocabulary; this keeps a corrupted
        // belt from reading outside the matrix.
        u32 token = min(tokens[(u64)row.seq * C_MAX_SEQ + row.pos], C_VOCAB - 1);
        for (u32 i = threadIdx.x * 8; i < C_D; i += blockDim.x * 8) {
            float v[8];
            Values<C_DTYPE, C_D, C_VOCAB>::eight(w, token, i, v);
#pragma unroll
            for (int j = 0; j < 8; j++) h[(u64)r * C_D + i + j] = v[j] * p.scale;
        }
    }
}
