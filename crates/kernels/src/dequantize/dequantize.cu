// A whole matrix into 16-bit rows, for products of many rows on matrix units. Eight values a thread and turn; rows hold
// whole blocks, so they are one long row. Weights are read only: the loads of several turns run ahead of the stores.
extern "C" __global__ void __launch_bounds__(256)
    dequantize(const Header* step, const u8* __restrict__ w, uint4* __restrict__ out) {
    launch_dependents();
    wait_dependencies();
    if (__ldcg(&step->rows) == 0) return;
    constexpr u64 UNITS = (u64)C_N * (C_K / 8);
    // Beyond 32 bits, positions are row and column.
    constexpr bool LONG = UNITS >= 1u << 29;
    u64 stride = (u64)gridDim.x * blockDim.x;
#pragma unroll 4
    for (u64 u = (u64)blockIdx.x * blockDim.x + threadIdx.x; u < UNITS; u += stride) {
        float v[8];
        u32 row = LONG ? (u32)(u / (C_K / 8)) : 0;
        Values<C_DTYPE, C_K, C_N>::eight(w, row, (u32)(u - (u64)row * (C_K / 8)) * 8, v);
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
