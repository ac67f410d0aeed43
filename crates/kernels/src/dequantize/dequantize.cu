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
        u32 eight = (u32)(u - (u64)row * (C_K / 8));
        Values<C_DTYPE, C_K, C_N>::eight(w, row, eight / 4, eight % 4, v);
        out[u] = sixteen_bits<C_TO == DT_F16>(v);
    }
}
