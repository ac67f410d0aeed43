// kv_shift: a block moves one KV head's keys or values. Positions go down in ascending chunks; a chunk is in
// registers (or in shared memory) before any of it is written, and a write never reaches a position that is still to be
// read.

struct Move {
    const u32* table;
    const float* frequencies;
    u32 head, from, by, len;
};

DEVICE float2 back_by(const Move& m, u32 i) {
    float2 a;
    sincosf(-(float)m.by * m.frequencies[i], &a.y, &a.x);
    return a;
}

template <u32 TYPE, bool KEYS>
DEVICE void move_16(const Move& m, u8* cache) {
    constexpr u32 HALF = C_HEAD_DIM / 2, CHUNK = 2048;
    constexpr u32 AHEAD = CHUNK / 256;
    u64 n = m.len > m.from ? (u64)(m.len - m.from) * HALF : 0;
    auto row_of = [&](u32 pos) {
        return reinterpret_cast<u16*>(kv_values<TYPE>(cache, kv_slot(m.table, m.head, pos)));
    };
    for (u64 chunk = 0; chunk < n; chunk += CHUNK) {
        float2 x[AHEAD];
#pragma unroll
        for (u32 j = 0; j < AHEAD; j++) {
            u64 at = chunk + j * 256 + threadIdx.x;
            if (at >= n) continue;
            u32 i = (u32)(at % HALF);
            const u16* row = row_of(m.from + (u32)(at / HALF));
            Pair p = pair_of(i);
            float a = from_16<TYPE>(row[p.first]), b = from_16<TYPE>(row[p.second]);
            x[j] = make_float2(a, b);
            if (KEYS && p.turns) {
                float2 t = back_by(m, i);
                x[j] = make_float2(a * t.x - b * t.y, a * t.y + b * t.x);
            }
        }
        __syncthreads();
#pragma unroll
        for (u32 j = 0; j < AHEAD; j++) {
            u64 at = chunk + j * 256 + threadIdx.x;
            if (at >= n) continue;
            u16* row = row_of(m.from - m.by + (u32)(at / HALF));
            Pair p = pair_of((u32)(at % HALF));
            row[p.first] = to_16<TYPE>(x[j].x);
            row[p.second] = to_16<TYPE>(x[j].y);
        }
        __syncthreads();
    }
}

// In q8_0 a warp moves a position; a chunk is 8 of them. Values move as they are; keys are turned and quantized anew.
template <bool KEYS>
DEVICE void move_codes(const Move& m, u8* cache) {
    constexpr u32 GROUPS = C_HEAD_DIM / 32;
    __shared__ float heads[KEYS ? 8 * C_HEAD_DIM : 1];
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float* x = heads + (KEYS ? warp * C_HEAD_DIM : 0);
    for (u32 chunk = m.from; chunk < m.len; chunk += 8) {
        u32 pos = chunk + warp;
        i32 code[GROUPS];
        u16 scale[GROUPS];
        if (pos < m.len) {
            u64 slot = kv_slot(m.table, m.head, pos);
            const i8* codes = reinterpret_cast<const i8*>(kv_values<KV_Q8_0>(cache, slot));
            const u16* scales = reinterpret_cast<const u16*>(kv_scales(cache, slot));
#pragma unroll
            for (u32 g = 0; g < GROUPS; g++) {
                code[g] = codes[32 * g + lane];
                scale[g] = scales[g];
                if (KEYS) x[32 * g + lane] = (float)code[g] * f16_to_f32(scale[g]);
            }
        }
        __syncthreads();
        if (pos < m.len) {
            u64 slot = kv_slot(m.table, m.head, pos - m.by);
            u8* codes = kv_values<KV_Q8_0>(cache, slot);
            u16* scales = reinterpret_cast<u16*>(kv_scales(cache, slot));
#pragma unroll
            for (u32 g = 0; g < GROUPS; g++) {
                if constexpr (KEYS) {
                    u32 e = 32 * g + lane;
                    Partner t = partner_of(e);
                    Code c = kv_quantize(turned(x, e, t, t.turns ? back_by(m, t.i) : make_float2(1.0f, 0.0f)));
                    code[g] = c.code;
                    scale[g] = c.scale;
                }
                codes[32 * g + lane] = (u8)code[g];
                if (lane == 0) scales[g] = scale[g];
            }
        }
        __syncthreads();
    }
}

template <u32 TYPE, bool KEYS>
DEVICE void move(const Move& m, u8* cache) {
    if constexpr (TYPE == KV_Q8_0) {
        move_codes<KEYS>(m, cache);
    } else {
        move_16<TYPE, KEYS>(m, cache);
    }
}

extern "C" __global__ void __launch_bounds__(256)
kv_shift(const Header* step, const u32* table, const float* frequencies, u8* k_cache, u8* v_cache) {
    launch_dependents();
    wait_dependencies();
    const Seq* s = step_seq(step, 0);
    Move m = {table, frequencies, blockIdx.x / 2, s->shift_keep + s->shift_by, s->shift_by, s->len};
    if (blockIdx.x % 2 == 0) {
        move<C_K_TYPE, true>(m, k_cache);
    } else {
        move<C_V_TYPE, false>(m, v_cache);
    }
}
