// Rotation, cache write and attention of a few rows. The KV length is cut into splits of SPLIT positions at absolute
// places; a unit of work is (row, KV head, split), and a persistent grid goes over them. All query heads of a KV head
// share the loads of keys and values. A row's partial results depend on its position alone and are merged in the order
// of the splits by the last block to finish one, so neither the number of rows nor the grid changes a bit.
//
// Keys and values of the step's own rows come from `qkv`: other blocks are storing them in the cache meanwhile.

struct Params {
    float scale;
};

enum { WARPS = 8, GROUP = C_HEADS / C_KV_HEADS };
// Heads worked on at once; more would not fit into registers beside the keys and values.
constexpr u32 AT_ONCE = GROUP < 4 ? GROUP : 4;
// Lanes that share a position's vector, 8 elements each, and positions that a warp reads at once.
constexpr u32 VECTORS = C_HEAD_DIM / 8;
constexpr u32 LANES = VECTORS <= 8 ? 8 : VECTORS <= 16 ? 16 : 32;
constexpr u32 POSITIONS = 32 / LANES;
constexpr u32 STEPS = SPLIT / (WARPS * POSITIONS);
constexpr u32 WIDTH = (C_HEADS + 2 * C_KV_HEADS) * C_HEAD_DIM;
// A partial result: weighted values, then maximum and sum.
constexpr u32 PARTIAL = C_HEAD_DIM + 2;
constexpr u32 MAX_SPLITS = (C_MAX_SEQ + SPLIT - 1) / SPLIT;

// Element d of a rotated head.
DEVICE float rotated(const float* x, const float2* angles, u32 d) {
    float v = x[d];
    if (d >= 2 * C_PAIRS) return v;
    if (C_PAIRING == 0) {
        float2 a = angles[d / 2];
        float o = x[d ^ 1];
        return d % 2 == 0 ? v * a.x - o * a.y : o * a.y + v * a.x;
    }
    float2 a = angles[d < C_PAIRS ? d : d - C_PAIRS];
    float o = x[d < C_PAIRS ? d + C_PAIRS : d - C_PAIRS];
    return d < C_PAIRS ? v * a.x - o * a.y : o * a.y + v * a.x;
}

DEVICE void unpack(uint4 p, float (&v)[8]) {
    v[0] = f16_to_f32((u16)p.x);
    v[1] = f16_to_f32((u16)(p.x >> 16));
    v[2] = f16_to_f32((u16)p.y);
    v[3] = f16_to_f32((u16)(p.y >> 16));
    v[4] = f16_to_f32((u16)p.z);
    v[5] = f16_to_f32((u16)(p.z >> 16));
    v[6] = f16_to_f32((u16)p.w);
    v[7] = f16_to_f32((u16)(p.w >> 16));
}

DEVICE uint4 pack(const float (&v)[8]) {
    return make_uint4(f32_to_f16x2(v[0], v[1]), f32_to_f16x2(v[2], v[3]), f32_to_f16x2(v[4], v[5]),
                      f32_to_f16x2(v[6], v[7]));
}

DEVICE u32 first_split(u32 pos) {
    return C_WINDOW == 0 || pos < C_WINDOW ? 0 : (pos + 1 - C_WINDOW) / SPLIT;
}

DEVICE u32 split_count(u32 pos) {
    return pos / SPLIT + 1 - first_split(pos);
}

DEVICE void store_out(u8* out, u32 row, u32 head, u32 d, float v) {
    store_act<C_ACT>(out + (u64)row * act_row_bytes(C_ACT, C_HEADS * C_HEAD_DIM), head * C_HEAD_DIM + d, v);
}

extern "C" __global__ void __launch_bounds__(WARPS * 32, 2)
rope_kv_attention(const Header* step, const u32* block_table, const float2* angles, const float* qkv, u16* k_cache,
                  u16* v_cache, float* partials, u32* sync, u8* out, Params params) {
    __shared__ float q[GROUP][C_HEAD_DIM];
    __shared__ float merged[WARPS][AT_ONCE][C_HEAD_DIM];
    __shared__ float tops[WARPS][AT_ONCE], sums[WARPS][AT_ONCE];
    __shared__ u32 arrived;
    launch_dependents();
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    u32 vector = lane % LANES, sub = lane / LANES;
    bool active = vector < VECTORS;
    wait_dependencies();
    u32 rows = step->rows;
    u32 first_pos = rows ? step_row(step, 0).pos : 0;
    u32 unit = blockIdx.x, row = 0;
    for (;; unit += gridDim.x) {
        // Which row this unit belongs to; rows have nearly the same number of units.
        while (row < rows) {
            u32 units = split_count(step_row(step, row).pos) * C_KV_HEADS;
            if (unit < units) break;
            unit -= units;
            row++;
        }
        if (row >= rows) break;
        u32 pos = step_row(step, row).pos;
        u32 splits = split_count(pos), head = unit % C_KV_HEADS, nth = unit / C_KV_HEADS;
        u32 from = (first_split(pos) + nth) * SPLIT;
        u32 lowest = C_WINDOW == 0 || pos < C_WINDOW ? 0 : pos + 1 - C_WINDOW;

        // Keys and values first: everything else is shorter than their way from memory.
        uint4 k[STEPS], v[STEPS];
#pragma unroll
        for (u32 i = 0; i < STEPS; i++) {
            u32 p = from + (i * WARPS + warp) * POSITIONS + sub;
            k[i] = v[i] = make_uint4(0, 0, 0, 0);
            if (!active || p > pos || p < lowest) continue;
            if (p >= first_pos) {
                const float* x = qkv + (u64)(p - first_pos) * WIDTH;
                const float* key = x + (C_HEADS + head) * C_HEAD_DIM;
                const float* value = key + C_KV_HEADS * C_HEAD_DIM;
                float a[8], b[8];
#pragma unroll
                for (u32 j = 0; j < 8; j++) {
                    a[j] = rotated(key, angles + (u64)(p - first_pos) * C_PAIRS, vector * 8 + j);
                    b[j] = value[vector * 8 + j];
                }
                k[i] = pack(a);
                v[i] = pack(b);
                if (p == pos) {
                    u64 at = kv_offset(block_table, C_KV_HEADS, C_HEAD_DIM, head, p) + vector * 8;
                    *reinterpret_cast<uint4*>(k_cache + at) = k[i];
                    *reinterpret_cast<uint4*>(v_cache + at) = v[i];
                }
            } else {
                u64 at = kv_offset(block_table, C_KV_HEADS, C_HEAD_DIM, head, p) + vector * 8;
                k[i] = *reinterpret_cast<const uint4*>(k_cache + at);
                v[i] = *reinterpret_cast<const uint4*>(v_cache + at);
            }
        }
        __syncthreads();
        for (u32 i = threadIdx.x; i < GROUP * C_HEAD_DIM; i += WARPS * 32) {
            u32 h = head * GROUP + i / C_HEAD_DIM, d = i % C_HEAD_DIM;
            const float* x = qkv + (u64)row * WIDTH + h * C_HEAD_DIM;
            q[i / C_HEAD_DIM][d] = rotated(x, angles + (u64)row * C_PAIRS, d) * (params.scale * 1.44269504f);
        }
        __syncthreads();

#pragma unroll 1
        for (u32 g0 = 0; g0 < GROUP; g0 += AT_ONCE) {
            // Scores, in units of log 2.
            float s[STEPS][AT_ONCE];
            float top[AT_ONCE];
#pragma unroll
            for (u32 g = 0; g < AT_ONCE; g++) top[g] = -INFINITE;
            float qv[AT_ONCE][8];
#pragma unroll
            for (u32 g = 0; g < AT_ONCE; g++) {
                u32 h = min(g0 + g, (u32)GROUP - 1);
#pragma unroll
                for (u32 j = 0; j < 8; j++) qv[g][j] = active ? q[h][vector * 8 + j] : 0.0f;
            }
#pragma unroll
            for (u32 i = 0; i < STEPS; i++) {
                u32 p = from + (i * WARPS + warp) * POSITIONS + sub;
                float key[8];
                unpack(k[i], key);
#pragma unroll
                for (u32 g = 0; g < AT_ONCE; g++) {
                    float t = 0.0f;
#pragma unroll
                    for (u32 j = 0; j < 8; j++) t = __fmaf_rn(key[j], qv[g][j], t);
#pragma unroll
                    for (u32 o = LANES / 2; o; o >>= 1) t += __shfl_xor_sync(0xffffffffu, t, o);
                    s[i][g] = p > pos || p < lowest ? -INFINITE : t;
                    top[g] = fmaxf(top[g], s[i][g]);
                }
            }
            float acc[AT_ONCE][8], sum[AT_ONCE];
#pragma unroll
            for (u32 g = 0; g < AT_ONCE; g++) {
#pragma unroll
                for (u32 o = LANES; o < 32; o <<= 1) top[g] = fmaxf(top[g], __shfl_xor_sync(0xffffffffu, top[g], o));
                sum[g] = 0.0f;
#pragma unroll
                for (u32 j = 0; j < 8; j++) acc[g][j] = 0.0f;
            }
#pragma unroll
            for (u32 i = 0; i < STEPS; i++) {
                float value[8];
                unpack(v[i], value);
#pragma unroll
                for (u32 g = 0; g < AT_ONCE; g++) {
                    // A warp without any visible position has a maximum of -inf; its weights are zero.
                    float e = s[i][g] == -INFINITE ? 0.0f : exp2f(s[i][g] - top[g]);
                    sum[g] += e;
#pragma unroll
                    for (u32 j = 0; j < 8; j++) acc[g][j] = __fmaf_rn(e, value[j], acc[g][j]);
                }
            }
#pragma unroll
            for (u32 g = 0; g < AT_ONCE; g++) {
#pragma unroll
                for (u32 o = LANES; o < 32; o <<= 1) {
                    sum[g] += __shfl_xor_sync(0xffffffffu, sum[g], o);
#pragma unroll
                    for (u32 j = 0; j < 8; j++) acc[g][j] += __shfl_xor_sync(0xffffffffu, acc[g][j], o);
                }
                if (sub == 0 && active) {
#pragma unroll
                    for (u32 j = 0; j < 8; j += 4) {
                        *reinterpret_cast<float4*>(&merged[warp][g][vector * 8 + j]) =
                            make_float4(acc[g][j], acc[g][j + 1], acc[g][j + 2], acc[g][j + 3]);
                    }
                }
                if (lane == 0) {
                    tops[warp][g] = top[g];
                    sums[warp][g] = sum[g];
                }
            }
            __syncthreads();
            for (u32 i = threadIdx.x; i < AT_ONCE * C_HEAD_DIM; i += WARPS * 32) {
                u32 g = i / C_HEAD_DIM, d = i % C_HEAD_DIM;
                if (g0 + g >= GROUP) continue;
                float m = tops[0][g];
#pragma unroll
                for (u32 w = 1; w < WARPS; w++) m = fmaxf(m, tops[w][g]);
                float total = 0.0f, y = 0.0f;
#pragma unroll
                for (u32 w = 0; w < WARPS; w++) {
                    float f = tops[w][g] == -INFINITE ? 0.0f : exp2f(tops[w][g] - m);
                    total = __fmaf_rn(f, sums[w][g], total);
                    y = __fmaf_rn(f, merged[w][g][d], y);
                }
                u32 h = head * GROUP + g0 + g;
                if (splits == 1) {
                    store_out(out, row, h, d, y / total);
                } else {
                    float* to = partials + (((u64)row * C_HEADS + h) * MAX_SPLITS + nth) * PARTIAL;
                    to[d] = y;
                    if (d == 0) {
                        to[C_HEAD_DIM] = m;
                        to[C_HEAD_DIM + 1] = total;
                    }
                }
            }
            __syncthreads();
        }
        if (splits == 1) continue;

        // The last block to finish a split of this (row, KV head) merges them all, in their order.
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) arrived = atomicAdd(&sync[row * C_KV_HEADS + head], 1u);
        __syncthreads();
        if (arrived != splits - 1) continue;
        __threadfence();
        if (threadIdx.x == 0) sync[row * C_KV_HEADS + head] = 0;
        for (u32 i = threadIdx.x; i < GROUP * C_HEAD_DIM; i += WARPS * 32) {
            u32 h = head * GROUP + i / C_HEAD_DIM, d = i % C_HEAD_DIM;
            const float* at = partials + ((u64)row * C_HEADS + h) * MAX_SPLITS * PARTIAL;
            float m = -INFINITE;
#pragma unroll 8
            for (u32 n = 0; n < splits; n++) m = fmaxf(m, __ldcg(at + n * PARTIAL + C_HEAD_DIM));
            float total = 0.0f, y = 0.0f;
#pragma unroll 8
            for (u32 n = 0; n < splits; n++) {
                float f = exp2f(__ldcg(at + n * PARTIAL + C_HEAD_DIM) - m);
                total = __fmaf_rn(f, __ldcg(at + n * PARTIAL + C_HEAD_DIM + 1), total);
                y = __fmaf_rn(f, __ldcg(at + n * PARTIAL + d), y);
            }
            store_out(out, row, h, d, y / total);
        }
    }
}
