// out = layer norm of x, in f32 and in an activation format. One block per row. The weights are read before the wait.
extern "C" __global__ void __launch_bounds__(THREADS)
    layer_norm(const Header* step, const float* x, const float* weight, const float* bias, float* out, u8* act_out, Params p) {
    __shared__ float scratch[32];
    launch_dependents();
    float w[PIECES], b[PIECES], v[PIECES];
    load_row(weight, w);
    load_row(bias, b);
    wait_dependencies();
    u32 rows = C_SELECT ? step->head_rows : step->rows;
    for (u32 r = blockIdx.x; r < rows; r += gridDim.x) {
        load_row(x + (u64)(C_SELECT ? step_head_row(step, r) : r) * C_D, v);
        norm_row(v, w, b, p.eps, scratch, out + (u64)r * C_D, act_out + (u64)r * act_row_bytes(C_ACT, C_D));
    }
}
