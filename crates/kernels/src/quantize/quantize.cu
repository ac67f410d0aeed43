// f32 rows into an activation format.
extern "C" __global__ void __launch_bounds__(256) quantize(const Header* step, const u8* x, u8* out) {
    launch_dependents();
    wait_dependencies();
    for (u32 r = blockIdx.x; r < step->rows; r += gridDim.x) {
        const float* in = reinterpret_cast<const float*>(x + (u64)r * act_row_bytes(ACT_F32, C_K));
        u8* to = out + (u64)r * act_row_bytes(C_ACT, C_K);
        for (u32 i = threadIdx.x; i < C_K; i += blockDim.x) store_act<C_ACT>(to, i, in[i]);
    }
}
