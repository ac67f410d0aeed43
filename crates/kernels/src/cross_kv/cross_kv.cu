// A thread has one value of a row.
extern "C" __global__ void __launch_bounds__(256)
    cross_kv(const Header* step, const float* kv, const float* bias, u8* keys, u8* values) {
    constexpr u32 WIDTH = C_HEADS * C_HEAD_DIM;
    launch_dependents();
    wait_dependencies();
    u64 all = (u64)step->rows * 2 * WIDTH;
    for (u64 u = (u64)blockIdx.x * blockDim.x + threadIdx.x; u < all; u += (u64)gridDim.x * blockDim.x) {
        u32 r = (u32)(u / (2 * WIDTH)), i = (u32)(u % (2 * WIDTH));
        Row row = step_row(step, r);
        if (row.seq >= C_SOURCES || row.pos >= C_POSITIONS) continue;
        u32 of = i % WIDTH, head = of / C_HEAD_DIM, d = of % C_HEAD_DIM;
        u64 at = cross_head(row.seq, head);
        float v = kv[u] + bias[i];
        if (i < WIDTH) {
            cross_store(keys, at + (u64)d * COLUMNS + row.pos, v);
        } else {
            cross_store(values, at + (u64)row.pos * C_HEAD_DIM + d, v);
        }
    }
}
