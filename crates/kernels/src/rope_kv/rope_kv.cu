// rope_kv: one thread per pair of elements; the queries are rotated in place, keys and values go to the cache.

extern "C" __global__ void __launch_bounds__(256)
rope_kv(const Header* step, const u32* table, const float* angles, float* qkv, u16* k_cache, u16* v_cache) {
    constexpr u32 PER_ROW = (C_HEADS + 2 * C_KV_HEADS) * C_HEAD_DIM / 2;
    launch_dependents();
    wait_dependencies();
    u32 rows = step->rows;
    u32 n = rows * PER_ROW;
    for (u32 at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += gridDim.x * blockDim.x) {
        u32 row = at / PER_ROW, in_row = at % PER_ROW;
        u32 head = in_row / (C_HEAD_DIM / 2), i = in_row % (C_HEAD_DIM / 2);
        float* x = qkv + (2 * (u64)row * PER_ROW + head * C_HEAD_DIM);
        if (head >= C_HEADS + C_KV_HEADS) {
            u64 to = kv_offset(table, C_KV_HEADS, C_HEAD_DIM, head - C_HEADS - C_KV_HEADS, step_row(step, row).pos);
            float2 v = reinterpret_cast<const float2*>(x)[i];
            reinterpret_cast<u32*>(v_cache + to)[i] = f32_to_f16x2(v.x, v.y);
            continue;
        }
        Pair p = pair_of(i);
        if (head < C_HEADS && !p.turns) continue;
        float2 y = turn(load_pair(p, i, x, angles + (u64)row * C_PAIRS * 2));
        if (head < C_HEADS) {
            x[p.first] = y.x;
            x[p.second] = y.y;
        } else {
            u16* to = k_cache + kv_offset(table, C_KV_HEADS, C_HEAD_DIM, head - C_HEADS, step_row(step, row).pos);
            if (p.second == p.first + 1) {
                reinterpret_cast<u32*>(to)[p.first / 2] = f32_to_f16x2(y.x, y.y);
            } else {
                to[p.first] = f32_to_f16(y.x);
                to[p.second] = f32_to_f16(y.y);
            }
        }
    }
}
