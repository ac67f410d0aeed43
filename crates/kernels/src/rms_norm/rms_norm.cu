// y = x / sqrt(mean(x^2) + eps) * weight in an activation format. One block per row.
struct Params {
    float eps;
};

extern "C" __global__ void __launch_bounds__(256)
rms_norm(const Header* step, const float* x, const float* weight, u8* out, Params p) {
    __shared__ float scratch[32];
    launch_dependents();
    wait_dependencies();
    u32 rows = C_SELECT ? step->head_rows : step->rows;
    u32 first = C_SELECT ? step->rows - step->head_rows : 0;
    for (u32 r = blockIdx.x; r < rows; r += gridDim.x) {
        const float* in = x + (u64)(first + r) * C_D;
        u8* to = out + (u64)r * act_row_bytes(C_ACT, C_D);
        float sum = 0.0f;
        for (u32 i = threadIdx.x; i < C_D; i += blockDim.x) sum += in[i] * in[i];
        float inverse = 1.0f / sqrtf(block_sum(sum, scratch) / C_D + p.eps);
        for (u32 i = threadIdx.x; i < C_D; i += blockDim.x) store_act<C_ACT>(to, i, in[i] * inverse * weight[i]);
    }
}
