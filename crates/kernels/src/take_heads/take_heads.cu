// take_heads: one thread per element of the rows that draw; the first one writes their step block.
extern "C" __global__ void __launch_bounds__(256) take_heads(const Header* step, const float* x, float* out, Header* heads) {
    launch_dependents();
    wait_dependencies();
    u64 n = (u64)step->head_rows * C_D;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) {
        out[i] = x[(u64)step_head_row(step, i / C_D) * C_D + i % C_D];
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        Header h = *step;
        h.rows = h.head_rows, h.heads_at = 0, h.heads_cap = 0;
        *heads = h;
    }
}
