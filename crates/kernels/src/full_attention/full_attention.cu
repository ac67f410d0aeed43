// Attention of every row over its whole sequence. A warp has one row and head: lanes hold keys while scores are made, and columns
// while values are added. Rows of a sequence stand together from position 0 on (the device has checked it). Of a window, only keys within
// it are read.
extern "C" __global__ void __launch_bounds__(128) full_attention(const Header* step, const float* qkv, const u32* near, const float* bias, u8* out, Params p) {
    constexpr u32 WIDTH = C_HEADS * C_HEAD_DIM, PIECES = (C_HEAD_DIM + 31) / 32;
    __shared__ float queries[4][C_HEAD_DIM];
    launch_dependents();
    wait_dependencies();
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, rows = step->rows;
    u64 units = (u64)rows * C_HEADS;
    for (u64 u = (u64)blockIdx.x * 4 + warp; u < units; u += (u64)gridDim.x * 4) {
        u32 r = (u32)(u / C_HEADS), head = (u32)(u % C_HEADS);
        Row row = step_row(step, r);
        // Where the sequence ends: the last row that is its own.
        u32 first = r - row.pos, low = r, high = rows;
        while (low + 1 < high) {
            u32 middle = (low + high) / 2;
            bool own = step_row(step, middle).seq == row.seq;
            low = own ? middle : low;
            high = own ? high : middle;
        }
        if constexpr (C_WINDOW != 0) {
            first = max(first, r - min(r, (u32)C_WINDOW));
            high = min(high, r + C_WINDOW + 1);
        }
        const float* base = qkv + head * C_HEAD_DIM;
        __syncwarp();
        for (u32 d = lane; d < C_HEAD_DIM; d += 32) queries[warp][d] = base[(u64)r * 3 * WIDTH + d] * p.scale;
        __syncwarp();
        float most = -INFINITE, sum = 0.0f, o[PIECES] = {};
        for (u32 from = first; from < high; from += 32) {
            u32 j = from + lane;
            float score = -INFINITE;
            if (j < high) {
                const float* k = base + ((u64)j * 3 + 1) * WIDTH;
                score = 0.0f;
                for (u32 d = 0; d < C_HEAD_DIM; d++) score += queries[warp][d] * k[d];
                if constexpr (C_REACH != 0) {
                    int distance = max(-(int)C_REACH, min((int)C_REACH, (int)j - (int)r)) + (int)C_REACH;
                    score += bias[(u64)min(near[distance], (u32)C_BUCKETS - 1) * C_HEADS + head];
                }
            }
            float best = score;
#pragma unroll
            for (u32 s = 16; s; s /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, s));
            best = fmaxf(best, most);
            float shrink = expf(most - best), weight = j < high ? expf(score - best) : 0.0f;
            most = best;
            sum = sum * shrink + warp_sum(weight);
#pragma unroll
            for (u32 i = 0; i < PIECES; i++) o[i] *= shrink;
            for (u32 i = 0; i < min(32u, high - from); i++) {
                float w = __shfl_sync(~0u, weight, i);
                const float* v = base + ((u64)(from + i) * 3 + 2) * WIDTH;
#pragma unroll
                for (u32 e = 0; e < PIECES; e++) {
                    u32 d = e * 32 + lane;
                    if (d < C_HEAD_DIM) o[e] += w * v[d];
                }
            }
        }
        u8* to = out + (u64)r * act_row_bytes(C_ACT, WIDTH);
#pragma unroll
        for (u32 e = 0; e < PIECES; e++) {
            u32 d = e * 32 + lane;
            if (d < C_HEAD_DIM) store_act<C_ACT>(to, head * C_HEAD_DIM + d, o[e] / sum);
        }
    }
}
