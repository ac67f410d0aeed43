// matmul_add, up to 8 rows. Bindings: step; x [rows, k] f32 rows; w [n, k]; residual and out [rows, out_stride] f32,
// which may be the same memory.

struct Shape : Tuning {
    static constexpr u32 DTYPE = C_DTYPE, K = C_K, OUTPUTS = C_N, MAX_ROWS = C_MAX_ROWS, SHARE = 1;
    static constexpr u32 X_STRIDE = act_row_bytes(ACT_F32, C_K) / 4;
    static constexpr bool PAIRED = false, HEAD = C_SELECT == 1, NORM = false;
};

struct Add : Epilogue {
    const float* residual;
    float* out;
    DEVICE static u64 place(u32 r, u32 o) { return (u64)r * C_OUT_STRIDE + C_OUT_COL + o; }
    DEVICE float ahead(u32 r, u32 o) const { return load_fresh(residual + place(r, o)); }
    DEVICE void put(u32 r, u32 o, float v, float, float base) const { out[place(r, o)] = base + v; }
};

extern "C" __global__ void __launch_bounds__(GEMV_THREADS, GEMV_BLOCKS)
    matmul_add(const Header* step, const float* x, const u8* w, const float* residual, float* out) {
    Add e;
    e.residual = residual, e.out = out;
    Gemv<Shape, Add>().run(step, x, nullptr, 0.0f, w, e);
}
