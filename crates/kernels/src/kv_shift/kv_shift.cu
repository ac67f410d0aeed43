// Moves cached keys and values down by `shift_by` positions behind the first `shift_keep`, and rotates the keys to
// their new places. One block per KV head: positions are read before they are overwritten because a block moves them in
// ascending order, as many at a time as it moves them down at least.
extern "C" __global__ void __launch_bounds__(256)
kv_shift(const Header* step, const u32* block_table, const float* frequencies, u16* k_cache, u16* v_cache) {
    wait_dependencies();
    const Seq* s = step_seq(step, 0);
    u32 keep = s->shift_keep, by = s->shift_by, len = s->len, head = blockIdx.x;
    // A thread moves one pair (or one element that is not rotated) of one position.
    constexpr u32 ITEMS = C_PAIRS + (C_HEAD_DIM - 2 * C_PAIRS);
    u32 together = min(by, max(1u, blockDim.x / ITEMS));
    for (u32 from = keep + by; from < len; from += together) {
        u32 count = min(together, len - from) * ITEMS;
        // Read all, then write all.
        for (u32 base = 0; base < count; base += blockDim.x) {
            u32 u = base + threadIdx.x;
            u32 pos = from + u / ITEMS, i = u % ITEMS;
            bool mine = u < count, pair = i < C_PAIRS;
            u32 e0 = !pair ? C_PAIRS + i : C_PAIRING == 0 ? 2 * i : i;
            u32 e1 = !pair ? e0 : C_PAIRING == 0 ? 2 * i + 1 : i + C_PAIRS;
            float k0 = 0.0f, k1 = 0.0f;
            u16 v0 = 0, v1 = 0;
            if (mine) {
                u64 at = kv_offset(block_table, C_KV_HEADS, C_HEAD_DIM, head, pos);
                k0 = f16_to_f32(k_cache[at + e0]);
                k1 = f16_to_f32(k_cache[at + e1]);
                v0 = v_cache[at + e0];
                v1 = v_cache[at + e1];
            }
            __syncthreads();
            if (mine) {
                u64 to = kv_offset(block_table, C_KV_HEADS, C_HEAD_DIM, head, pos - by);
                if (pair) {
                    float sn, cs;
                    sincosf(-(float)by * frequencies[i], &sn, &cs);
                    k_cache[to + e0] = f32_to_f16(k0 * cs - k1 * sn);
                    k_cache[to + e1] = f32_to_f16(k0 * sn + k1 * cs);
                    v_cache[to + e1] = v1;
                } else {
                    k_cache[to + e0] = f32_to_f16(k0);
                }
                v_cache[to + e0] = v0;
            }
            __syncthreads();
        }
    }
}
