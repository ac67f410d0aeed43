// out = the frames under the taps of each row, the taps of a channel side by side. A thread has one value. Rows of a sequence stand
// together from position 0 on (the device has checked it).
extern "C" __global__ void __launch_bounds__(256) unfold(const Header* step, const float* x, u8* out) {
    constexpr u32 WIDTH = C_CHANNELS * C_TAPS;
    launch_dependents();
    wait_dependencies();
    u32 rows = step->rows;
    u64 all = (u64)rows * WIDTH;
    for (u64 u = (u64)blockIdx.x * blockDim.x + threadIdx.x; u < all; u += (u64)gridDim.x * blockDim.x) {
        u32 r = (u32)(u / WIDTH), i = (u32)(u % WIDTH), channel = i / C_TAPS;
        Row own = step_row(step, r);
        u32 ahead = own.pos * C_STRIDE + i % C_TAPS;
        float v = 0.0f;
        if (ahead >= C_LEAD) {
            u32 frame = ahead - C_LEAD, row = r - own.pos + frame / C_STRIDE;
            if (row < rows && step_row(step, row).seq == own.seq)
                v = x[(u64)row * C_X_STRIDE + frame % C_STRIDE * C_CHANNELS + channel];
        }
        store_act<C_ACT>(out + (u64)r * act_row_bytes(C_ACT, WIDTH), i, v);
    }
}
