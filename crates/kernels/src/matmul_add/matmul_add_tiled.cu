// matmul_add of many rows. Bindings: step; x [rows, k] in the format; w [n, k]; residual and out [rows, out_stride] f32.

struct Add {
    static constexpr u32 K = C_K, ROWS = C_N, OUTPUTS = C_N, MAX_ROWS = C_MAX_ROWS;
    static constexpr bool PAIRED = false, FETCHES = true, HEAD = C_SELECT == 1;
    using Out = Floats<C_OUT_STRIDE, C_OUT_COL, C_N>;
    const float* residual;
    float* out;

    DEVICE float2 fetch(u32 row, u32 column) const { return Out::load(residual, row, column); }
    DEVICE void put(u32 row, u32 column, float2 a, float2, float2 r) const {
        Out::store(out, row, column, make_float2(r.x + a.x, r.y + a.y));
    }
};

extern "C" __global__ void GEMM_ENTRY
    matmul_add(const Header* step, const u8* x, const u8* w, const float* residual, float* out GEMM_MAPS) {
    GEMM_RUN((Add{residual, out}), step, x, w);
}
