// kv_shift: a block moves one KV head's keys or values. Positions go down in ascending chunks; a chunk is in
// registers before any of it is written, and a write never reaches a position that is still to be read.

extern "C" __global__ void __launch_bounds__(256)
kv_shift(const Header* step, const u32* table, const float* frequencies, u16* k_cache, u16* v_cache) {
    constexpr u32 HALF = C_HEAD_DIM / 2, CHUNK = 2048;
    constexpr u32 AHEAD = CHUNK / 256;
    launch_dependents();
    wait_dependencies();
    const Seq* s = step_seq(step, 0);
    u32 from = s->shift_keep + s->shift_by, by = s->shift_by, len = s->len;
    u32 head = blockIdx.x / 2;
    bool keys = blockIdx.x % 2 == 0;
    u16* cache = keys ? k_cache : v_cache;
    u64 n = len > from ? (u64)(len - from) * HALF : 0;
    for (u64 chunk = 0; chunk < n; chunk += CHUNK) {
        float2 x[AHEAD];
#pragma unroll
        for (u32 j = 0; j < AHEAD; j++) {
            u64 at = chunk + j * 256 + threadIdx.x;
            if (at >= n) continue;
            u32 i = (u32)(at % HALF);
            const u16* row = cache + kv_offset(table, C_KV_HEADS, C_HEAD_DIM, head, from + (u32)(at / HALF));
            Pair p = pair_of(i);
            float a = f16_to_f32(row[p.first]), b = f16_to_f32(row[p.second]);
            x[j] = make_float2(a, b);
            if (keys && p.turns) {
                float c, t;
                sincosf(-(float)by * frequencies[i], &t, &c);
                x[j] = make_float2(a * c - b * t, a * t + b * c);
            }
        }
        __syncthreads();
#pragma unroll
        for (u32 j = 0; j < AHEAD; j++) {
            u64 at = chunk + j * 256 + threadIdx.x;
            if (at >= n) continue;
            u16* row = cache + kv_offset(table, C_KV_HEADS, C_HEAD_DIM, head, from - by + (u32)(at / HALF));
            Pair p = pair_of((u32)(at % HALF));
            row[p.first] = f32_to_f16(x[j].x);
            row[p.second] = f32_to_f16(x[j].y);
        }
        __syncthreads();
    }
}
