// y = x / sqrt(mean(x^2) + eps) * weight in an activation format. One block per row, which stays in registers. The
// weights are read before the wait, and so is the step block: what writes it is a step's last command, which has ended before the next
// step begins, or `take_heads`, which has ended before any command after it begins.
extern "C" __global__ void __launch_bounds__(THREADS)
    rms_norm(const Header* step, const float* x, const float* weight, u8* out, Params p) {
    // Values of a thread: in pieces of WIDE, of which the last may lie after the row's end.
    constexpr u32 WIDE = C_D % 4 == 0 ? 4 : 1, PIECES = (C_D / WIDE + THREADS - 1) / THREADS;
    __shared__ float scratch[32];
    launch_dependents();
    float w[PIECES][WIDE], v[PIECES][WIDE];
    auto load = [](const float* from, float (&to)[PIECES][WIDE]) {
#pragma unroll
        for (u32 j = 0; j < PIECES; j++) {
            u32 i = (j * THREADS + threadIdx.x) * WIDE;
            if constexpr (WIDE == 4) {
                float4 q = i < C_D ? *reinterpret_cast<const float4*>(from + i) : make_float4(0, 0, 0, 0);
                to[j][0] = q.x, to[j][1] = q.y, to[j][2] = q.z, to[j][3] = q.w;
            } else {
                to[j][0] = i < C_D ? from[i] : 0.0f;
            }
        }
    };
    load(weight, w);
    u32 rows = __ldcg(C_SELECT ? &step->head_rows : &step->rows), r = blockIdx.x;
    auto input = [&] { return x + (u64)(C_SELECT ? step_head_row_early(step, r) : r) * C_D; };
    const float* from = r < rows ? input() : x;
    wait_dependencies();
    if (r < rows) load(from, v);
    while (r < rows) {
        float sum = 0.0f;
#pragma unroll
        for (u32 j = 0; j < PIECES; j++) {
#pragma unroll
            for (u32 e = 0; e < WIDE; e++) sum += v[j][e] * v[j][e];
        }
        float inverse = 1.0f / sqrtf(block_sum(sum, scratch) / C_D + p.eps);
        u8* to = out + (u64)r * act_row_bytes(C_ACT, C_D);
#pragma unroll
        for (u32 j = 0; j < PIECES; j++) {
            u32 i = (j * THREADS + threadIdx.x) * WIDE;
            if (i >= C_D) continue;
#pragma unroll
            for (u32 e = 0; e < WIDE; e++) v[j][e] = v[j][e] * inverse * w[j][e];
            if constexpr (WIDE == 4) {
                store_act4<C_ACT>(to, i, make_float4(v[j][0], v[j][1], v[j][2], v[j][3]));
            } else {
                store_act<C_ACT>(to, i, v[j][0]);
            }
        }
        r += gridDim.x;
        if (r < rows) load(input(), v);
    }
}
