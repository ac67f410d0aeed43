// norm_expert_matmul_glu, up to 8 rows: a block takes eight outputs of one slot at a time. The row is staged as x * norm; the
// factor 1 / rms is applied to the sums. A warp has an output's gate and its up, a lane eight neighbouring values of each.
//
// A sum's order depends on nothing but the width.
extern __shared__ __align__(16) float staged[];

// Both are x * sigmoid(s): tanh(u) = 2 sigmoid(2 u) - 1. Large -s give 0, by division by infinity.
DEVICE float activation(float x) {
    float s = x;
    if constexpr (C_ACTIVATION == 1) s = 1.5957691216f * (x + 0.044715f * x * x * x);
    return x / (1.0f + expf(-s));
}

extern "C" __global__ void __launch_bounds__(256, 6)
    norm_expert_matmul_glu(const Header* step, const float* x, const float* norm, const Pick* routes, const u8* gate,
                           const u8* up, u8* out, Params p) {
    constexpr u32 PIECES = (C_F + 7) / 8, ROWS = C_F * C_EXPERTS;
    __shared__ float squares[8];
    launch_dependents();
    wait_dependencies();
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u32 units = min(step->rows, C_MAX_ROWS) * C_USED * PIECES, held = 0xffffffffu;
    for (u32 unit = blockIdx.x; unit < units; unit += gridDim.x) {
        u32 slot = unit / PIECES, o = unit % PIECES * 8 + warp, row = slot / C_USED;
        u32 expert = min(__ldcg(reinterpret_cast<const uint2*>(routes) + slot).x, C_EXPERTS - 1);
        if (row != held) {
            __syncthreads();
            const float4* from = reinterpret_cast<const float4*>(x + (u64)row * C_K);
            float s = 0.0f;
            for (u32 i = threadIdx.x; i < C_K / 4; i += 256) {
                float4 v = __ldcg(from + i), n = __ldg(reinterpret_cast<const float4*>(norm) + i);
                s = __fmaf_rn(v.x, v.x, s);
                s = __fmaf_rn(v.y, v.y, s);
                s = __fmaf_rn(v.z, v.z, s);
                s = __fmaf_rn(v.w, v.w, s);
                reinterpret_cast<float4*>(staged)[i] = make_float4(v.x * n.x, v.y * n.y, v.z * n.z, v.w * n.w);
            }
            s = warp_sum(s);
            if (lane == 0) squares[warp] = s;
            held = row;
            __syncthreads();
        }
        u32 weight_row = expert * C_F + min(o, C_F - 1);
        float g = 0.0f, u = 0.0f;
#pragma unroll 2
        for (u32 i = lane; i < C_K / 8; i += 32) {
            float4 a = reinterpret_cast<const float4*>(staged)[2 * i], b = reinterpret_cast<const float4*>(staged)[2 * i + 1];
            float xs[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}, v[8], w[8];
            Values<C_DTYPE, C_K, ROWS>::eight(gate, weight_row, i / 4, i % 4, v);
            Values<C_DTYPE, C_K, ROWS>::eight(up, weight_row, i / 4, i % 4, w);
#pragma unroll
            for (u32 j = 0; j < 8; j++) g = __fmaf_rn(v[j], xs[j], g), u = __fmaf_rn(w[j], xs[j], u);
        }
        g = warp_sum(g), u = warp_sum(u);
        float total = 0.0f;
#pragma unroll
        for (u32 i = 0; i < 8; i++) total += squares[i];
        float scale = 1.0f / sqrtf(total / (float)C_K + p.eps);
        if (lane == 0 && o < C_F) {
            reinterpret_cast<float*>(out + (u64)slot * act_row_bytes(ACT_F32, C_F))[o] = activation(g * scale) * (u * scale);
        }
    }
}
