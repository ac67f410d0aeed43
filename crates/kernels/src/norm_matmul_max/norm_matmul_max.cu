// The output head of few rows: logits = rms_norm(x) w^T, and the best logit of each chunk of the vocabulary. A warp
// has a whole chunk, so its best needs no other warp.
struct Params {
    float eps;
};

extern "C" __global__ void __launch_bounds__(GEMV_WARPS * 32)
norm_matmul_max(const Header* step, const float* x, const float* norm, const u8* w, float* logits, Pick* best, Params p) {
    GemvArgs a = {step, x, norm, w, nullptr, logits, best, p.eps};
    Gemv<C_DTYPE, C_K, C_N, BEST, C_K, C_N, 0, 1, 0, C_CHUNK>::run(a);
}
