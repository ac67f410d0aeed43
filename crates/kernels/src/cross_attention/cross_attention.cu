// A block has one row and head. Its threads hold positions while scores are made, and columns while values are added.
extern "C" __global__ void __launch_bounds__(256)
    cross_attention(const Header* step, const float* q, const u32* reads, const u8* keys, const u8* values, u8* out, Params p) {
    constexpr u32 WIDTH = C_HEADS * C_HEAD_DIM, THREADS = 256;
    // So many threads have the same columns and share the positions.
    constexpr u32 GROUPS = C_HEAD_DIM >= THREADS ? 1 : THREADS / C_HEAD_DIM;
    __shared__ float scores[C_POSITIONS], query[C_HEAD_DIM], parts[GROUPS * C_HEAD_DIM], scratch[32];
    launch_dependents();
    wait_dependencies();
    u32 units = step->rows * C_HEADS, t = threadIdx.x;
    for (u32 u = blockIdx.x; u < units; u += gridDim.x) {
        u32 r = u / C_HEADS, head = u % C_HEADS;
        u64 at = cross_head(min(reads[step_row(step, r).seq], C_SOURCES - 1u), head);
        __syncthreads();
        for (u32 d = t; d < C_HEAD_DIM; d += THREADS) query[d] = q[(u64)r * WIDTH + head * C_HEAD_DIM + d] * p.scale;
        __syncthreads();
        float most = -INFINITE;
        for (u32 j = t; j < C_POSITIONS; j += THREADS) {
            float score = 0.0f;
            for (u32 d = 0; d < C_HEAD_DIM; d++) score += query[d] * cross_load(keys, at + (u64)d * COLUMNS + j);
            scores[j] = score;
            most = fmaxf(most, score);
        }
        most = warp_max(most);
        if (t % 32 == 0) scratch[t / 32] = most;
        __syncthreads();
        most = warp_max(scratch[t % (THREADS / 32)]);
        float sum = 0.0f;
        for (u32 j = t; j < C_POSITIONS; j += THREADS) {
            float w = expf(scores[j] - most);
            scores[j] = w;
            sum += w;
        }
        // (Its barriers stand between the weights and their readers, too.)
        sum = block_sum(sum, scratch);
        if (t < GROUPS * C_HEAD_DIM) {
            u32 group = t / C_HEAD_DIM, d = t % C_HEAD_DIM;
            float o = 0.0f;
            for (u32 j = group; j < C_POSITIONS; j += GROUPS) o += scores[j] * cross_load(values, at + (u64)j * C_HEAD_DIM + d);
            parts[t] = o;
        }
        __syncthreads();
        u8* to = out + (u64)r * act_row_bytes(C_ACT, WIDTH);
        for (u32 d = t; d < C_HEAD_DIM; d += THREADS) {
            float o = 0.0f;
            for (u32 g = 0; g < GROUPS; g++) o += parts[g * C_HEAD_DIM + d];
            store_act<C_ACT>(to, head * C_HEAD_DIM + d, o / sum);
        }
    }
}
