// A whole matrix into 16-bit rows, for products of many rows on matrix units. Eight values a thread and turn.
extern "C" __global__ void __launch_bounds__(256) dequantize(const Header* step, const u8* w, uint4* out) {
    launch_dependents();
    wait_dependencies();
    if (step->rows == 0) return;
    constexpr u64 UNITS = (u64)C_N * (C_K / 8);
    u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 u = (u64)blockIdx.x * blockDim.x + threadIdx.x; u < UNITS; u += stride) {
        float v[8];
        Values<C_DTYPE, C_K, C_N>::eight(w, (u32)(u / (C_K / 8)), (u32)(u % (C_K / 8)) * 8, v);
        uint4 o;
        if constexpr (C_TO == DT_F16) {
#pragma unroll
            for (int j = 0; j < 8; j++) v[j] = fminf(fmaxf(v[j], -65504.0f), 65504.0f);
            o = make_uint4(f32_to_f16x2(v[0], v[1]), f32_to_f16x2(v[2], v[3]), f32_to_f16x2(v[4], v[5]),
                           f32_to_f16x2(v[6], v[7]));
        } else {
            o = make_uint4(f32_to_bf16x2(v[0], v[1]), f32_to_bf16x2(v[2], v[3]), f32_to_bf16x2(v[4], v[5]),
                           f32_to_bf16x2(v[6], v[7]));
        }
        out[u] = o;
    }
}
