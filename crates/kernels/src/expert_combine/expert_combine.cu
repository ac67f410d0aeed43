// expert_combine: a thread for each value.
extern "C" __global__ void __launch_bounds__(256)
    expert_combine(const Header* step, const Pick* routes, const float* y, const float* residual, float* out) {
    launch_dependents();
    wait_dependencies();
    u64 n = (u64)step->rows * C_D;
    for (u64 u = (u64)blockIdx.x * blockDim.x + threadIdx.x; u < n; u += (u64)gridDim.x * blockDim.x) {
        u64 r = u / C_D, i = u % C_D;
        float sum = 0.0f;
#pragma unroll 8
        for (u32 j = 0; j < C_USED; j++) {
            float weight = __uint_as_float(reinterpret_cast<const uint2*>(routes)[r * C_USED + j].y);
            sum = __fmaf_rn(weight, y[(r * C_USED + j) * C_D + i], sum);
        }
        out[u] = residual[u] + sum;
    }
}
