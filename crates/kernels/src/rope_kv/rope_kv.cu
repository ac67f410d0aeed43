// Rotates the queries in place and writes the rotated keys and the values to the cache. A block per row.
extern "C" __global__ void __launch_bounds__(256)
rope_kv(const Header* step, const u32* block_table, const float2* angles, float* qkv, u16* k_cache, u16* v_cache) {
    constexpr u32 WIDTH = (C_HEADS + 2 * C_KV_HEADS) * C_HEAD_DIM;
    launch_dependents();
    wait_dependencies();
    for (u32 r = blockIdx.x; r < step->rows; r += gridDim.x) {
        float* x = qkv + (u64)r * WIDTH;
        const float2* a = angles + (u64)r * C_PAIRS;
        u32 pos = step_row(step, r).pos;
        // Each thread owns whole pairs, so that rotating in place needs no barrier.
        constexpr u32 ROTATED = (C_HEADS + C_KV_HEADS) * C_PAIRS;
        for (u32 u = threadIdx.x; u < ROTATED; u += blockDim.x) {
            u32 head = u / C_PAIRS, i = u % C_PAIRS;
            u32 first = C_PAIRING == 0 ? 2 * i : i, second = C_PAIRING == 0 ? 2 * i + 1 : i + C_PAIRS;
            float* h = x + head * C_HEAD_DIM;
            float x0 = h[first], x1 = h[second];
            float2 cs = a[i];
            float y0 = x0 * cs.x - x1 * cs.y, y1 = x0 * cs.y + x1 * cs.x;
            if (head < C_HEADS) {
                h[first] = y0;
                h[second] = y1;
            } else {
                u64 at = kv_offset(block_table, C_KV_HEADS, C_HEAD_DIM, head - C_HEADS, pos);
                k_cache[at + first] = f32_to_f16(y0);
                k_cache[at + second] = f32_to_f16(y1);
            }
        }
        // What of the keys is not rotated, and the values.
        constexpr u32 REST = C_HEAD_DIM - 2 * C_PAIRS;
        if constexpr (REST > 0) {
            for (u32 u = threadIdx.x; u < C_KV_HEADS * REST; u += blockDim.x) {
                u32 head = u / REST, i = 2 * C_PAIRS + u % REST;
                u64 at = kv_offset(block_table, C_KV_HEADS, C_HEAD_DIM, head, pos);
                k_cache[at + i] = f32_to_f16(x[(C_HEADS + head) * C_HEAD_DIM + i]);
            }
        }
        for (u32 u = threadIdx.x; u < C_KV_HEADS * C_HEAD_DIM; u += blockDim.x) {
            u32 head = u / C_HEAD_DIM, i = u % C_HEAD_DIM;
            u64 at = kv_offset(block_table, C_KV_HEADS, C_HEAD_DIM, head, pos);
            v_cache[at + i] = f32_to_f16(x[(C_HEADS + C_KV_HEADS + head) * C_HEAD_DIM + i]);
        }
    }
}
