// out = x w^T for few rows. The input is f32 with the activation format's row stride.
extern "C" __global__ void __launch_bounds__(GEMV_WARPS * 32)
matmul(const Header* step, const float* x, const u8* w, float* out) {
    GemvArgs a = {step, x, nullptr, w, nullptr, out, nullptr, 0.0f};
    Gemv<C_DTYPE, C_K, C_N, STORE, act_row_bytes(ACT_F32, C_K) / 4, C_OUT_STRIDE, C_OUT_COL, C_SELECT, 0, 1>::run(a);
}
