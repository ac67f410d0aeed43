// matmul of many rows. Bindings: step; x [rows, k] in the format; w [n, k]; out [rows, out_stride] f32.

struct Store {
    static constexpr u32 K = C_K, ROWS = C_N, OUTPUTS = C_N, MAX_ROWS = C_MAX_ROWS;
    static constexpr bool PAIRED = false, FETCHES = false, HEAD = C_SELECT == 1;
    using Out = Floats<C_OUT_STRIDE, C_OUT_COL, C_N>;
    float* out;

    DEVICE void put(u32 row, u32 column, float2 a, float2, float2) const { Out::store(out, row, column, a); }
};

extern "C" __global__ void GEMM_ENTRY
    matmul(const Header* step, const u8* x, const u8* w, float* out GEMM_MAPS) {
    GEMM_RUN(Store{out}, step, x, w);
}
