// expert_matmul: a block takes 8 WARP_ROWS outputs of one slot at a time; its input is staged in shared memory, a warp has
// WARP_ROWS weight rows, a lane eight neighbouring values of each.
extern __shared__ __align__(16) float staged[];

extern "C" __global__ void __launch_bounds__(256)
    expert_matmul(const Header* step, const Pick* routes, const u8* x, const u8* w, float* out) {
    constexpr u32 BLOCK_ROWS = 8 * WARP_ROWS, PIECES = (C_N + BLOCK_ROWS - 1) / BLOCK_ROWS;
    constexpr u32 AHEAD = 8 / WARP_ROWS;
    launch_dependents();
    wait_dependencies();
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u32 units = step->rows * C_USED * PIECES, held = 0xffffffffu;
    for (u32 unit = blockIdx.x; unit < units; unit += gridDim.x) {
        u32 slot = unit / PIECES, first = unit % PIECES * BLOCK_ROWS + warp * WARP_ROWS;
        u32 input = C_INPUT == 1 ? slot : slot / C_USED;
        u32 expert = min(__ldcg(reinterpret_cast<const uint2*>(routes) + slot).x, C_EXPERTS - 1);
        if (input != held) {
            __syncthreads();
            const float4* from = reinterpret_cast<const float4*>(x + (u64)input * act_row_bytes(ACT_F32, C_K));
            for (u32 i = threadIdx.x; i < C_K / 4; i += 256) reinterpret_cast<float4*>(staged)[i] = __ldcg(from + i);
            held = input;
            __syncthreads();
        }
        float sum[WARP_ROWS] = {};
#pragma unroll AHEAD
        for (u32 i = lane * 8; i < C_K; i += 256) {
            float4 a = reinterpret_cast<const float4*>(staged + i)[0], b = reinterpret_cast<const float4*>(staged + i)[1];
#pragma unroll
            for (u32 j = 0; j < WARP_ROWS; j++) {
                u32 row = min(first + j, C_N - 1);
                float v[8];
                Values<C_DTYPE, C_K, C_N * C_EXPERTS>::eight(w, expert * C_N + row, i / 32, i % 32 / 8, v);
                float s = sum[j];
                s = __fmaf_rn(v[0], a.x, s);
                s = __fmaf_rn(v[1], a.y, s);
                s = __fmaf_rn(v[2], a.z, s);
                s = __fmaf_rn(v[3], a.w, s);
                s = __fmaf_rn(v[4], b.x, s);
                s = __fmaf_rn(v[5], b.y, s);
                s = __fmaf_rn(v[6], b.z, s);
                sum[j] = __fmaf_rn(v[7], b.w, s);
            }
        }
#pragma unroll
        for (u32 j = 0; j < WARP_ROWS; j++) {
            float s = warp_sum(sum[j]);
            if (lane == 0 && first + j < C_N) out[(u64)slot * C_OUT_STRIDE + C_OUT_COL + first + j] = s;
        }
    }
}
