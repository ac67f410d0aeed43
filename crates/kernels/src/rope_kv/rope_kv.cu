// rope_kv: one thread per pair of elements; the queries are rotated in place, keys and values go to the cache. Where a
// cache has scales, a warp takes a group of 32 elements instead, one a lane.

constexpr u32 HEADS = C_HEADS + 2 * C_KV_HEADS;

// Where a row's position lies in the cache, for one KV head.
DEVICE u64 slot_of(const Header* step, const u32* tables, u32 head, u32 row) {
    Row place = step_row(step, row);
    return kv_slot(tables + (u64)place.seq * C_BLOCKS, head, place.pos);
}

// The same before the wait. What writes the step block and the block table is a step's last command, which has ended before the next step
// begins, or the host, before the step is asked for.
DEVICE u64 slot_of_early(const Header* step, const u32* tables, u32 head, u32 row) {
    Row place = step_row_early(step, row);
    return kv_slot_in(__ldcg(tables + (u64)place.seq * C_BLOCKS + place.pos / KV_BLOCK), head, place.pos);
}

// Stores the keys or values of all rows in q8_0. Keys are still as they came: nobody turns them in place.
template <bool KEYS>
DEVICE void store_codes(const Header* step, const u32* tables, const float* angles, const float* qkv, u8* cache, u32 rows) {
    constexpr u32 GROUPS = C_HEAD_DIM / 32, PER_ROW = C_KV_HEADS * GROUPS;
    u32 lane = threadIdx.x % 32, n = rows * PER_ROW;
    // Whole warps go round together, as `kv_quantize` needs.
    for (u32 at = (blockIdx.x * blockDim.x + threadIdx.x) / 32; at < n; at += gridDim.x * blockDim.x / 32) {
        u32 row = at / PER_ROW, head = at % PER_ROW / GROUPS, e = at % GROUPS * 32 + lane;
        const float* x = qkv + ((u64)row * HEADS + C_HEADS + (KEYS ? 0 : C_KV_HEADS) + head) * C_HEAD_DIM;
        float v = x[e];
        if constexpr (KEYS) {
            Partner t = partner_of(e);
            float2 angle = make_float2(1.0f, 0.0f);
            if (t.turns) angle = reinterpret_cast<const float2*>(angles)[(u64)row * C_PAIRS + t.i];
            v = turned(x, e, t, angle);
        }
        Code c = kv_quantize(v);
        u64 slot = slot_of(step, tables, head, row);
        kv_values<KV_Q8_0>(cache, slot)[e] = (u8)c.code;
        if (lane == 0) reinterpret_cast<u16*>(kv_scales(cache, slot))[e / 32] = c.scale;
    }
}

extern "C" __global__ void __launch_bounds__(256)
rope_kv(const Header* step, const u32* tables, const float* angles, float* qkv, u8* k_cache, u8* v_cache) {
    constexpr u32 PER_ROW = HEADS * C_HEAD_DIM / 2;
    launch_dependents();
    u32 rows = __ldcg(&step->rows), n = rows * PER_ROW, first = blockIdx.x * blockDim.x + threadIdx.x;
    auto slot_at = [&](u32 at) -> u64 {
        u32 head = at % PER_ROW / (C_HEAD_DIM / 2);
        if (at >= n || head < C_HEADS) return 0;
        return slot_of_early(step, tables, (head - C_HEADS) % C_KV_HEADS, at / PER_ROW);
    };
    u64 slot = slot_at(first);
    wait_dependencies();
    for (u32 at = first; at < n; at += gridDim.x * blockDim.x) {
        if (at != first) slot = slot_at(at);
        u32 row = at / PER_ROW, in_row = at % PER_ROW;
        u32 head = in_row / (C_HEAD_DIM / 2), i = in_row % (C_HEAD_DIM / 2);
        float* x = qkv + (2 * (u64)row * PER_ROW + head * C_HEAD_DIM);
        if (head >= C_HEADS + C_KV_HEADS) {
            if constexpr (C_V_TYPE != KV_Q8_0) {
                float2 v = reinterpret_cast<const float2*>(x)[i];
                reinterpret_cast<u32*>(kv_values<C_V_TYPE>(v_cache, slot))[i] = to_16x2<C_V_TYPE>(v.x, v.y);
            }
            continue;
        }
        if (C_K_TYPE == KV_Q8_0 && head >= C_HEADS) continue;
        Pair p = pair_of(i);
        if (head < C_HEADS && !p.turns) continue;
        float2 y = turn(load_pair(p, i, x, angles + (u64)row * C_PAIRS * 2));
        if (head < C_HEADS) {
            x[p.first] = y.x;
            x[p.second] = y.y;
        } else {
            u16* to = reinterpret_cast<u16*>(kv_values<C_K_TYPE>(k_cache, slot));
            if (p.second == p.first + 1) {
                reinterpret_cast<u32*>(to)[p.first / 2] = to_16x2<C_K_TYPE>(y.x, y.y);
            } else {
                to[p.first] = to_16<C_K_TYPE>(y.x);
                to[p.second] = to_16<C_K_TYPE>(y.y);
            }
        }
    }
    if constexpr (C_K_TYPE == KV_Q8_0) store_codes<true>(step, tables, angles, qkv, k_cache, rows);
    if constexpr (C_V_TYPE == KV_Q8_0) store_codes<false>(step, tables, angles, qkv, v_cache, rows);
}
