// f32 rows into an activation format. A thread has four values of a row, or one where a row is no multiple of four.
extern "C" __global__ void __launch_bounds__(256) quantize(const Header* step, const float* x, u8* out) {
    constexpr u32 WIDE = C_K % 4 == 0 && C_X_STRIDE % 4 == 0 ? 4 : 1, PIECES = C_K / WIDE;
    launch_dependents();
    wait_dependencies();
    u64 all = (u64)step->rows * PIECES;
    for (u64 u = (u64)blockIdx.x * blockDim.x + threadIdx.x; u < all; u += (u64)gridDim.x * blockDim.x) {
        u32 r = (u32)(u / PIECES), i = (u32)(u % PIECES) * WIDE;
        const float* in = x + (u64)r * C_X_STRIDE + i;
        u8* to = out + (u64)r * act_row_bytes(C_ACT, C_K);
        if constexpr (WIDE == 4) {
            store_act4<C_ACT>(to, i, *reinterpret_cast<const float4*>(in));
        } else {
            store_act<C_ACT>(to, i, in[0]);
        }
    }
}
