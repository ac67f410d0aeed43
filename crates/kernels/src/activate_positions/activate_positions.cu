// out = activation(x + bias) + positions[position of the row]. A thread has one value.
extern "C" __global__ void __launch_bounds__(256)
    activate_positions(const Header* step, const float* x, const float* bias, const float* positions, float* out) {
    launch_dependents();
    wait_dependencies();
    u64 all = (u64)step->rows * C_D;
    for (u64 u = (u64)blockIdx.x * blockDim.x + threadIdx.x; u < all; u += (u64)gridDim.x * blockDim.x) {
        u32 r = (u32)(u / C_D), i = (u32)(u % C_D);
        u32 at = min(step_row(step, r).pos, C_POSITIONS - 1u);
        out[u] = activated(x[u] + bias[i]) + positions[(u64)at * C_D + i];
    }
}
