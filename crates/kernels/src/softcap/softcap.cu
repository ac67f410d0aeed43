// softcap: one thread per logit.
extern "C" __global__ void __launch_bounds__(256) softcap(const Header* step, float* x, Params p) {
    launch_dependents();
    wait_dependencies();
    u64 n = (u64)step->head_rows * C_N;
    for (u64 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        x[i] = p.cap * tanhf(x[i] / p.cap);
    }
}
