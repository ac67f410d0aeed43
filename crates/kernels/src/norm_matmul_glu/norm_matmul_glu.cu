// norm_matmul_glu, up to 8 rows. Bindings: step; x [rows, k] f32; norm [k] f32; w [2 f, k], gates first;
// out [rows, f] f32 rows.

struct Shape : Tuning {
    static constexpr u32 DTYPE = C_DTYPE, K = C_K, OUTPUTS = C_F, MAX_ROWS = C_MAX_ROWS, SHARE = 1, X_STRIDE = C_K;
    static constexpr bool PAIRED = true, HEAD = false, NORM = true;
};

struct Glu : Epilogue {
    float* out;
    DEVICE void put(u32 r, u32 o, float gate, float up, float) const {
        // 0.5 (1 + tanh z) = 1 / (1 + e^(-2z))
        float z = C_ACTIVATION == 0 ? gate : 1.5957691216f * (gate + 0.044715f * gate * gate * gate);
        out[(u64)r * (act_row_bytes(ACT_F32, C_F) / 4) + o] = gate / (1.0f + expf(-z)) * up;
    }
};

extern "C" __global__ void __launch_bounds__(GEMV_THREADS, GEMV_BLOCKS)
    norm_matmul_glu(const Header* step, const float* x, const float* norm, const u8* w, float* out, Params p) {
    Glu e;
    e.out = out;
    Gemv<Shape, Glu>().run(step, x, norm, p.eps, w, e);
}
