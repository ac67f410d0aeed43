// attention: causal attention of many rows. A block does BM rows of one query head against tiles of positions, with
// the softmax kept up to date from tile to tile (Dao et al., FlashAttention-2). Blocks with the most positions
// come first, and the query heads of one KV head lie side by side, so that their tiles meet in the second cache.

// Bytes of shared memory: two stages, the tiles that codes are widened into, the queries.
constexpr u32 WIDE_BYTES = (K_CODES + V_CODES) * TILE_BYTES;
constexpr u32 K_WIDE_AT = 2 * STAGE_BYTES, V_WIDE_AT = K_WIDE_AT + K_CODES * TILE_BYTES;
constexpr u32 Q_AT = 2 * STAGE_BYTES + WIDE_BYTES;
static_assert(Q_AT + BM * STRIDE == SHARED && CODE_ROW == HD, "as attention/mod.rs says; codes of a tile follow each other");

// Turns the codes at `from` into rows of f16 at `to`. Rows from `count` on are zero, since what lies there may be anything.
DEVICE void widen_tile(u32 from, u32 to, u32 count) {
    constexpr u32 PARTS = HD / 8, N = TILE * PARTS;
#pragma unroll 4
    for (u32 i = threadIdx.x; i < N; i += THREADS) {
        u32 row = i / PARTS, part = i % PARTS;
        u32 x, y;
        u16 scale;
        asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(from + 8 * i) : "memory");
        asm volatile("ld.shared.u16 %0, [%1];"
                     : "=h"(scale)
                     : "r"(from + CODE_BYTES + 2 * (row * (HD / 32) + part / 4))
                     : "memory");
        u32 scales = scale * 0x10001u;
        uint2 a = kv_widen(x, scales), b = kv_widen(y, scales);
        if (row >= count) a = b = make_uint2(0, 0);
        asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to + row * STRIDE + 16 * part), "r"(a.x), "r"(a.y),
                     "r"(b.x), "r"(b.y)
                     : "memory");
    }
}

// Starts the copies of a tile; positions from `valid` on are zero, since what lies there may not be a number.
DEVICE void load_tile(u32 at, const u8* k_cache, const u8* v_cache, u64 slot, u32 valid) {
    const u8* keys = kv_values<C_K_TYPE>(k_cache, slot);
    const u8* values = kv_values<C_V_TYPE>(v_cache, slot);
    if constexpr (!K_CODES || !V_CODES) {
        constexpr u32 PARTS = HD / 8, N = TILE * PARTS;
#pragma unroll
        for (u32 j = 0; j < (N + THREADS - 1) / THREADS; j++) {
            u32 i = threadIdx.x + j * THREADS;
            if (N % THREADS != 0 && i >= N) break;
            u32 row = i / PARTS, part = i % PARTS, bytes = row < valid ? 16 : 0;
            u32 to = at + row * STRIDE + 16 * part;
            if constexpr (!K_CODES) copy_async(to, keys + 16 * i, bytes);
            if constexpr (!V_CODES) copy_async(to + K_STAGE, values + 16 * i, bytes);
        }
    }
    // Where there are codes, `widen_tile` puts the zeros.
    if constexpr (K_CODES) copy_codes(k_cache, at, slot, slot + TILE / 2, TILE, 0);
    if constexpr (V_CODES) copy_codes(v_cache, at + K_STAGE, slot, slot + TILE / 2, TILE, 0);
}

template <u32 ACT>
DEVICE void store_pair(u8* row, u32 i, float a, float b) {
    if constexpr (ACT == ACT_F32) reinterpret_cast<float2*>(row)[i / 2] = make_float2(a, b);
    if constexpr (ACT == ACT_BF16) reinterpret_cast<u32*>(row)[i / 2] = f32_to_bf16x2(a, b);
    if constexpr (ACT == ACT_F16) reinterpret_cast<u32*>(row)[i / 2] = f32_to_f16x2(f16_act(a), f16_act(b));
}

extern "C" __global__ void __launch_bounds__(THREADS, HD <= 128 && BM <= 128 ? 2 : 1)
attention(const Header* step, const u32* table, const float* qkv, const u8* k_cache, const u8* v_cache, u8* out,
          Params params) {
    extern __shared__ __align__(128) u8 shared[];
    launch_dependents();
    wait_dependencies();
    u32 rows = step->rows, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u32 row_blocks = (rows + BM - 1) / BM;
    u32 at = shared_address(shared), q_at = at + Q_AT;
    for (u32 unit = blockIdx.x; unit < row_blocks * C_HEADS; unit += gridDim.x) {
        u32 row0 = (row_blocks - 1 - unit / C_HEADS) * BM, head = unit % C_HEADS, kv_head = head / GROUP;
        u32 count = rows - row0 < BM ? rows - row0 : BM;
        // The rows of a step have consecutive positions.
        u32 pos0 = step_row(step, row0).pos, end = pos0 + count;
        u32 seen0 = C_WINDOW == 0 || pos0 + 1 < C_WINDOW ? 0 : pos0 + 1 - C_WINDOW;
        u32 first = seen0 / TILE, behind = (end + TILE - 1) / TILE;
        auto fetch = [&](u32 t) {
            load_tile(at + t % 2 * STAGE_BYTES, k_cache, v_cache, kv_slot(table, kv_head, t * TILE), end - t * TILE);
        };
        fetch(first);
        copy_commit();
        for (u32 i = threadIdx.x; i < BM * HD / 4; i += THREADS) {
            u32 r = i / (HD / 4), d = i % (HD / 4) * 4;
            float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            if (r < count) {
                v = *reinterpret_cast<const float4*>(
                    qkv + ((u64)(row0 + r) * (C_HEADS + 2 * C_KV_HEADS) + head) * HD + d);
            }
            float f = params.scale * LOG2E;
            u32 a = to_16x2<C_K_TYPE>(v.x * f, v.y * f), b = to_16x2<C_K_TYPE>(v.z * f, v.w * f);
            asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(q_at + r * STRIDE + 2 * d), "r"(a), "r"(b) : "memory");
        }
        // This lane's rows of the matrices that the fragments are loaded from.
        u32 q_row = q_at + (warp * 16 * MT + lane % 16) * STRIDE + lane / 16 * 16;
        u32 k_row = (lane / 16 * 8 + lane % 8) * STRIDE + lane / 8 % 2 * 16;
        u32 v_row = (lane % 16) * STRIDE + lane / 16 * 16;
        u32 warp_pos = pos0 + warp * 16 * MT;

        float o[MT][HD / 8][4], max[MT][2], sum[MT][2];
#pragma unroll
        for (u32 m = 0; m < MT; m++) {
#pragma unroll
            for (u32 n = 0; n < HD / 8; n++) {
#pragma unroll
                for (u32 i = 0; i < 4; i++) o[m][n][i] = 0.0f;
            }
            max[m][0] = max[m][1] = -INFINITE;
            sum[m][0] = sum[m][1] = 0.0f;
        }
        for (u32 t = first; t < behind; t++) {
            copy_wait<0>();
            __syncthreads();
            if (t + 1 < behind) fetch(t + 1);
            copy_commit();
            u32 stage = at + t % 2 * STAGE_BYTES, base = t * TILE;
            u32 keys = K_CODES ? at + K_WIDE_AT : stage, values = V_CODES ? at + V_WIDE_AT : stage + K_STAGE;
            if constexpr (K_CODES) widen_tile(stage, keys, end - base);
            if constexpr (V_CODES) widen_tile(stage + K_STAGE, values, end - base);
            if constexpr (K_CODES || V_CODES) __syncthreads();
            // A warp whose rows all come before the tile has nothing to add.
            if (base > warp_pos + 16 * MT - 1) continue;
            float s[MT][TILE / 8][4];
#pragma unroll
            for (u32 m = 0; m < MT; m++) {
#pragma unroll
                for (u32 n = 0; n < TILE / 8; n++) {
#pragma unroll
                    for (u32 i = 0; i < 4; i++) s[m][n][i] = 0.0f;
                }
            }
#pragma unroll
            for (u32 k = 0; k < HD / 16; k++) {
                u32 a[MT][4];
#pragma unroll
                for (u32 m = 0; m < MT; m++) load_matrices(a[m], q_row + m * 16 * STRIDE + 32 * k);
#pragma unroll
                for (u32 n = 0; n < TILE / 16; n++) {
                    u32 b[4];
                    load_matrices(b, keys + k_row + n * 16 * STRIDE + 32 * k);
#pragma unroll
                    for (u32 m = 0; m < MT; m++) {
                        mma_as<C_K_TYPE>(s[m][2 * n], a[m], b[0], b[1]);
                        mma_as<C_K_TYPE>(s[m][2 * n + 1], a[m], b[2], b[3]);
                    }
                }
            }
            bool edge = base + TILE - 1 > warp_pos ||
                        (C_WINDOW != 0 && base + C_WINDOW < warp_pos + 16 * MT);
            if constexpr (C_SOFTCAP != 0) {
#pragma unroll
                for (u32 m = 0; m < MT; m++) {
#pragma unroll
                    for (u32 n = 0; n < TILE / 8; n++) {
#pragma unroll
                        for (u32 i = 0; i < 4; i++) s[m][n][i] = capped(s[m][n][i]);
                    }
                }
            }
            u32 p[MT][TILE / 16][4];
#pragma unroll
            for (u32 m = 0; m < MT; m++) {
                if (edge) {
#pragma unroll
                    for (u32 i = 0; i < 4; i++) {
                        i32 pos = (i32)(warp_pos + m * 16 + lane / 4 + i / 2 * 8);
                        i32 key = (i32)(base + lane % 4 * 2 + i % 2);
#pragma unroll
                        for (u32 n = 0; n < TILE / 8; n++) {
                            i32 back = pos - key - (i32)(8 * n);
                            if (back < 0 || (C_WINDOW != 0 && back >= (i32)C_WINDOW)) s[m][n][i] = -INFINITE;
                        }
                    }
                }
#pragma unroll
                for (u32 h = 0; h < 2; h++) {
                    float top = max[m][h];
#pragma unroll
                    for (u32 n = 0; n < TILE / 8; n++) top = fmaxf(top, fmaxf(s[m][n][2 * h], s[m][n][2 * h + 1]));
                    top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 1));
                    top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 2));
                    // A row with nothing visible yet must not subtract infinities.
                    float zero = top == -INFINITE ? 0.0f : top;
                    float f = exp2_fast(max[m][h] - zero);
                    max[m][h] = top;
                    float add = 0.0f;
#pragma unroll
                    for (u32 n = 0; n < TILE / 8; n++) {
                        float x = exp2_fast(s[m][n][2 * h] - zero), y = exp2_fast(s[m][n][2 * h + 1] - zero);
                        add += x + y;
                        p[m][n / 2][n % 2 * 2 + h] = to_16x2<C_V_TYPE>(x, y);
                    }
                    sum[m][h] = sum[m][h] * f + add;
#pragma unroll
                    for (u32 n = 0; n < HD / 8; n++) {
                        o[m][n][2 * h] *= f;
                        o[m][n][2 * h + 1] *= f;
                    }
                }
            }
#pragma unroll
            for (u32 k = 0; k < TILE / 16; k++) {
#pragma unroll
                for (u32 n = 0; n < HD / 16; n++) {
                    u32 b[4];
                    load_matrices_transposed(b, values + v_row + k * 16 * STRIDE + 32 * n);
#pragma unroll
                    for (u32 m = 0; m < MT; m++) {
                        mma_as<C_V_TYPE>(o[m][2 * n], p[m][k], b[0], b[1]);
                        mma_as<C_V_TYPE>(o[m][2 * n + 1], p[m][k], b[2], b[3]);
                    }
                }
            }
        }
#pragma unroll
        for (u32 m = 0; m < MT; m++) {
#pragma unroll
            for (u32 h = 0; h < 2; h++) {
                float total = sum[m][h];
                total += __shfl_xor_sync(0xffffffffu, total, 1);
                total += __shfl_xor_sync(0xffffffffu, total, 2);
                float f = 1.0f / total;
                u32 r = warp * 16 * MT + m * 16 + h * 8 + lane / 4;
                if (r >= count) continue;
                u8* to = out + (u64)(row0 + r) * OUT_ROW;
#pragma unroll
                for (u32 n = 0; n < HD / 8; n++) {
                    store_pair<C_ACT>(to, head * HD + 8 * n + lane % 4 * 2, o[m][n][2 * h] * f, o[m][n][2 * h + 1] * f);
                }
            }
        }
        __syncthreads();
    }
}
