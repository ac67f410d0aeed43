// y = activation(gate) * up in an activation format.
extern "C" __global__ void __launch_bounds__(256) glu(const Header* step, const float* gate_up, u8* out) {
    launch_dependents();
    wait_dependencies();
    for (u32 r = blockIdx.x; r < step->rows; r += gridDim.x) {
        const float* g = gate_up + (u64)r * 2 * C_F;
        u8* to = out + (u64)r * act_row_bytes(C_ACT, C_F);
        for (u32 i = threadIdx.x; i < C_F; i += blockDim.x) {
            float x = g[i], a;
            if constexpr (C_ACTIVATION == 0) {
                a = x / (1.0f + expf(-x));
            } else {
                a = 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
            }
            store_act<C_ACT>(to, i, a * g[C_F + i]);
        }
    }
}
