// add_bias: one thread per element.
extern "C" __global__ void __launch_bounds__(256) add_bias(const Header* step, const float* bias, float* x) {
    launch_dependents();
    wait_dependencies();
    u64 n = (u64)step->rows * C_N;
    for (u64 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] += bias[i % C_N];
}
