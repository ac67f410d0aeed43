// norm_matmul, up to 8 rows. Bindings: step; x [rows, k] f32; norm [k] f32; w [n, k]; out [rows, out_stride] f32.

struct Shape : Tuning {
    static constexpr u32 DTYPE = C_DTYPE, K = C_K, OUTPUTS = C_N, MAX_ROWS = C_MAX_ROWS, SHARE = 1, X_STRIDE = C_K;
    static constexpr bool PAIRED = false, HEAD = C_SELECT == 1, NORM = true;
};

struct Store : Epilogue {
    float* out;
    DEVICE void put(u32 r, u32 o, float v, float, float) const { out[(u64)r * C_OUT_STRIDE + C_OUT_COL + o] = v; }
};

extern "C" __global__ void __launch_bounds__(GEMV_THREADS, GEMV_BLOCKS)
    norm_matmul(const Header* step, const float* x, const float* norm, const u8* w, float* out, Params p) {
    Store e;
    e.out = out;
    Gemv<Shape, Store>().run(step, x, norm, p.eps, w, e);
}
