// y = activation(x + bias) in an activation format. A thread has four values of a row, or one where a row is no multiple of four.
extern "C" __global__ void __launch_bounds__(256) activate(const Header* step, const float* x, const float* bias, u8* out) {
    constexpr u32 WIDE = C_F % 4 == 0 ? 4 : 1, PIECES = C_F / WIDE;
    launch_dependents();
    wait_dependencies();
    u64 all = (u64)step->rows * PIECES;
    for (u64 u = (u64)blockIdx.x * blockDim.x + threadIdx.x; u < all; u += (u64)gridDim.x * blockDim.x) {
        u32 r = (u32)(u / PIECES), i = (u32)(u % PIECES) * WIDE;
        const float* from = x + (u64)r * C_F + i;
        u8* to = out + (u64)r * act_row_bytes(C_ACT, C_F);
        if constexpr (WIDE == 4) {
            float4 a = *reinterpret_cast<const float4*>(from), b = *reinterpret_cast<const float4*>(bias + i);
            store_act4<C_ACT>(to, i,
                              make_float4(activated(a.x + b.x), activated(a.y + b.y), activated(a.z + b.z), activated(a.w + b.w)));
        } else {
            store_act<C_ACT>(to, i, activated(from[0] + bias[i]));
        }
    }
}
