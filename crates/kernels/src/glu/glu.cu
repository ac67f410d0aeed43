// y = activation(gate) * up in an activation format. A thread has four values of a row, or one where a row is no
// multiple of four.
DEVICE float gated(float x, float up) {
    if constexpr (C_ACTIVATION == 0) return x / (1.0f + expf(-x)) * up;
    if constexpr (C_ACTIVATION == 2) return 0.5f * x * (1.0f + erff(x * 0.70710678118f)) * up;
    return 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x))) * up;
}

extern "C" __global__ void __launch_bounds__(256) glu(const Header* step, const float* gate_up, u8* out) {
    constexpr u32 WIDE = C_F % 4 == 0 ? 4 : 1, PIECES = C_F / WIDE;
    launch_dependents();
    wait_dependencies();
    u64 all = (u64)step->rows * C_PER_ROW * PIECES;
    for (u64 u = (u64)blockIdx.x * blockDim.x + threadIdx.x; u < all; u += (u64)gridDim.x * blockDim.x) {
        u32 r = (u32)(u / PIECES), i = (u32)(u % PIECES) * WIDE;
        const float* g = gate_up + (u64)r * 2 * C_F + i;
        u8* to = out + (u64)r * act_row_bytes(C_ACT, C_F);
        if constexpr (WIDE == 4) {
            float4 a = *reinterpret_cast<const float4*>(g), b = *reinterpret_cast<const float4*>(g + C_F);
            store_act4<C_ACT>(to, i, make_float4(gated(a.x, b.x), gated(a.y, b.y), gated(a.z, b.z), gated(a.w, b.w)));
        } else {
            store_act<C_ACT>(to, i, gated(g[0], g[C_F]));
        }
    }
}
