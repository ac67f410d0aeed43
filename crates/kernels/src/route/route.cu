// route: a warp for each row. The best score is taken away `used` times; a lane keeps every 32nd score.
extern "C" __global__ void __launch_bounds__(128) route(const Header* step, const float* scores, Pick* routes) {
    constexpr u32 PIECES = (C_EXPERTS + 31) / 32;
    launch_dependents();
    wait_dependencies();
    u32 rows = step->rows, lane = threadIdx.x % 32;
    for (u32 r = (blockIdx.x * blockDim.x + threadIdx.x) / 32; r < rows; r += gridDim.x * blockDim.x / 32) {
        float s[PIECES], max = -INFINITE;
#pragma unroll
        for (u32 j = 0; j < PIECES; j++) {
            u32 e = j * 32 + lane;
            s[j] = e < C_EXPERTS ? scores[(u64)r * C_EXPERTS + e] : -INFINITE;
            max = fmaxf(max, s[j]);
        }
        max = warp_max(max);
        float total = 0.0f;
#pragma unroll
        for (u32 j = 0; j < PIECES; j++) total += j * 32 + lane < C_EXPERTS ? expf(s[j] - max) : 0.0f;
        total = warp_sum(total);
        u64 taken = 0;
        float sum = 0.0f, weights[(C_USED + 31) / 32] = {};
        u32 chosen[(C_USED + 31) / 32] = {};
#pragma unroll 1
        for (u32 k = 0; k < C_USED; k++) {
            // Numbers that are not taken, then what is not a number, then nothing.
            Pick p = {-INFINITE, 0xffffffffu};
#pragma unroll
            for (u32 j = 0; j < PIECES; j++) {
                u32 e = j * 32 + lane;
                if (e >= C_EXPERTS || (taken >> j & 1)) continue;
                float v = s[j] == s[j] ? s[j] : -INFINITE;
                if (v > p.score || p.token == 0xffffffffu) p = {v, e};
            }
            p = warp_best(p);
            if (p.token % 32 == lane) taken |= (u64)1 << (p.token / 32);
            float score = 0.0f;
#pragma unroll
            for (u32 j = 0; j < PIECES; j++) score = j == p.token / 32 ? s[j] : score;
            float weight = __shfl_sync(0xffffffffu, expf(score - max) / total, p.token % 32);
            sum += weight;
#pragma unroll
            for (u32 j = 0; j < (C_USED + 31) / 32; j++) {
                if (k == j * 32 + lane) weights[j] = weight, chosen[j] = p.token;
            }
        }
#pragma unroll
        for (u32 j = 0; j < (C_USED + 31) / 32; j++) {
            u32 k = j * 32 + lane;
            if (k >= C_USED) continue;
            float w = C_NORMALIZED ? weights[j] / sum : weights[j];
            reinterpret_cast<uint2*>(routes)[(u64)r * C_USED + k] = make_uint2(chosen[j], __float_as_uint(w));
        }
    }
}
