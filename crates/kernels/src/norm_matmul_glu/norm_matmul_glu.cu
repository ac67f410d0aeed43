// out = activation(rms_norm(x) gate^T) * (rms_norm(x) up^T) for few rows, gate and up being the halves of one matrix.
struct Params {
    float eps;
};

extern "C" __global__ void __launch_bounds__(GEMV_WARPS * 32)
norm_matmul_glu(const Header* step, const float* x, const float* norm, const u8* w, float* out, Params p) {
    GemvArgs a = {step, x, norm, w, nullptr, out, nullptr, p.eps};
    Gemv<C_DTYPE, C_K, 2 * C_F, GLU, C_K, act_row_bytes(ACT_F32, C_F) / 4, 0, 0, C_ACTIVATION, 1>::run(a);
}
