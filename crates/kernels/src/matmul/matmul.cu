// matmul, up to 8 rows. Bindings: step; x [rows, k] f32 rows; w [n, k]; out [rows, out_stride] f32.

struct Shape : Tuning {
    static constexpr u32 DTYPE = C_DTYPE, K = C_K, OUTPUTS = C_N, MAX_ROWS = C_MAX_ROWS, SHARE = 1;
    static constexpr u32 X_STRIDE = act_row_bytes(ACT_F32, C_K) / 4;
    static constexpr bool PAIRED = false, HEAD = C_SELECT == 1, NORM = false;
};

struct Store : Epilogue {
    float* out;
    DEVICE void put(u32 r, u32 o, float v, float, float) const { out[(u64)r * C_OUT_STRIDE + C_OUT_COL + o] = v; }
};

extern "C" __global__ void __launch_bounds__(GEMV_THREADS, GEMV_BLOCKS)
    matmul(const Header* step, const float* x, const u8* w, float* out) {
    Store e;
    e.out = out;
    Gemv<Shape, Store>().run(step, x, nullptr, 0.0f, w, e);
}
