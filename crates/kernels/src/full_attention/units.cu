// full_attention on matrix units, for heads of a multiple of 16 values.
//
// A block takes chunks of 64 queries of one head. Chunks are counted from the start of their sequence, and so are tiles of keys, which
// a chunk sees in order while its softmax is kept up to date: so a row's bits follow from its own sequence alone, wherever it stands in
// the step. Of 64 rows in a row, a block takes the chunks that begin there, as a rule one; of short sequences several, one after the other.
//
// The next tile is on its way in registers while one is multiplied, and becomes f16 on its way to shared memory, where there are two places.

constexpr u32 HD = C_HEAD_DIM, WIDTH = C_HEADS * HD, THREADS = 128, CHUNK = 64;
constexpr u32 TILE = HD <= 64 ? 64 : HD <= 128 ? 32 : 16;
constexpr u32 STRIDE = 2 * HD + 16;   // bytes of a row in shared memory: an odd number of 16
constexpr u32 SIDE = TILE * STRIDE, OUT_ROW = act_row_bytes(C_ACT, WIDTH);
// Four values each, of a tile's keys or values, that a thread fetches.
constexpr u32 PIECES = (TILE * HD / 4 + THREADS - 1) / THREADS;
static_assert(HD % 16 == 0 && HD <= 256, "as full_attention/mod.rs says");

// The row after the last one of row r's sequence. All lanes of a warp look for it together.
DEVICE u32 end_of(const Header* step, u32 r, u32 rows) {
    u32 seq = step_row(step, r).seq, last = r, end = rows;
    while (last + 1 < end) {
        u32 apart = (end - last - 1 + 31) / 32, probe = last + (threadIdx.x % 32 + 1) * apart;
        bool own = probe < end && step_row(step, probe).seq == seq;
        last += __popc(__ballot_sync(~0u, own)) * apart;
        end = min(end, last + apart);
    }
    return last + 1;
}

// A part of a tile in registers: keys or values from row `from` on; zeros from row `end` on.
DEVICE void fetch(float4 (&part)[PIECES], const float* side, u32 from, u32 end) {
#pragma unroll
    for (u32 j = 0; j < PIECES; j++) {
        u32 i = threadIdx.x + THREADS * j, row = from + i / (HD / 4);
        part[j] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (i < TILE * HD / 4 && row < end) {
            part[j] = __ldcg(reinterpret_cast<const float4*>(side + (u64)row * 3 * WIDTH) + i % (HD / 4));
        }
    }
}

// The same to shared memory.
DEVICE void put(u32 to, const float4 (&part)[PIECES]) {
#pragma unroll
    for (u32 j = 0; j < PIECES; j++) {
        u32 i = threadIdx.x + THREADS * j;
        if (i < TILE * HD / 4) {
            asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(to + i / (HD / 4) * STRIDE + i % (HD / 4) * 8),
                         "r"(f32_to_f16x2(part[j].x, part[j].y)), "r"(f32_to_f16x2(part[j].z, part[j].w))
                         : "memory");
        }
    }
}

// A warp's 16 queries, of which a lane has two: rows lane / 4 and lane / 4 + 8. Each sees keys `low` to `high`.
struct Queries {
    u32 q[HD / 16][4], row[2], low[2], high[2];
    float o[HD / 8][4], max[2], sum[2];
};

DEVICE void multiply_keys(float (&x)[TILE / 8][4], const Queries& w, u32 keys) {
    u32 lane = threadIdx.x % 32, at = keys + (lane / 16 * 8 + lane % 8) * STRIDE + lane / 8 % 2 * 16;
#pragma unroll
    for (u32 n = 0; n < TILE / 16; n++) {
#pragma unroll
        for (u32 k = 0; k < HD / 16; k++) {
            u32 b[4];
            load_matrices(b, at + n * 16 * STRIDE + 32 * k);
            mma(x[2 * n], w.q[k], b[0], b[1]);
            mma(x[2 * n + 1], w.q[k], b[2], b[3]);
        }
    }
}

// Scores of the tile whose first key is row `from` become weights, two to a word, and what was added up before shrinks.
DEVICE void soften(u32 (&p)[TILE / 16][4], float (&x)[TILE / 8][4], Queries& w, u32 from, float factor, const float* biases) {
    u32 column = from + threadIdx.x % 4 * 2;
    float scale[2];
#pragma unroll
    for (u32 h = 0; h < 2; h++) {
        float top = -INFINITE;
#pragma unroll
        for (u32 n = 0; n < TILE / 8; n++) {
#pragma unroll
            for (u32 i = 0; i < 2; i++) {
                u32 key = column + n * 8 + i;
                float v = x[n][2 * h + i] * factor;
                if constexpr (C_REACH != 0) {
                    i32 far = (i32)key - (i32)w.row[h];
                    v += biases[max(-(i32)C_REACH, min((i32)C_REACH, far)) + (i32)C_REACH];
                }
                if (key < w.low[h] || key >= w.high[h]) v = -INFINITE;
                x[n][2 * h + i] = v;
                top = fmaxf(top, v);
            }
        }
        top = fmaxf(top, __shfl_xor_sync(~0u, top, 1));
        top = fmaxf(top, __shfl_xor_sync(~0u, top, 2));
        top = fmaxf(top, w.max[h]);
        // A query that has seen nothing yet must not subtract infinities.
        float zero = top == -INFINITE ? 0.0f : top, add = 0.0f;
        scale[h] = exp2_fast(w.max[h] - zero);
        w.max[h] = top;
#pragma unroll
        for (u32 n = 0; n < TILE / 8; n++) {
            float a = exp2_fast(x[n][2 * h] - zero), b = exp2_fast(x[n][2 * h + 1] - zero);
            add += a + b;
            p[n / 2][n % 2 * 2 + h] = f32_to_f16x2(a, b);
        }
        w.sum[h] = w.sum[h] * scale[h] + add;
    }
#pragma unroll
    for (u32 n = 0; n < HD / 8; n++) {
        w.o[n][0] *= scale[0], w.o[n][1] *= scale[0], w.o[n][2] *= scale[1], w.o[n][3] *= scale[1];
    }
}

DEVICE void multiply_values(Queries& w, const u32 (&p)[TILE / 16][4], u32 values) {
    u32 lane = threadIdx.x % 32, at = values + lane % 16 * STRIDE + lane / 16 * 16;
#pragma unroll
    for (u32 k = 0; k < TILE / 16; k++) {
#pragma unroll
        for (u32 n = 0; n < HD / 16; n++) {
            u32 b[4];
            load_matrices_transposed(b, at + k * 16 * STRIDE + 32 * n);
            mma(w.o[2 * n], p[k], b[0], b[1]);
            mma(w.o[2 * n + 1], p[k], b[2], b[3]);
        }
    }
}

// The queries of a warp, `count` of them in its chunk, from row `from` on of the sequence from `first` to `end`.
DEVICE void begin(Queries& w, const float* base, u32 from, u32 count, u32 first, u32 end) {
    u32 lane = threadIdx.x % 32;
#pragma unroll
    for (u32 h = 0; h < 2; h++) {
        u32 i = lane / 4 + 8 * h, r = from + i;
        bool inside = i < count;
        w.row[h] = r, w.low[h] = inside ? first : 0, w.high[h] = inside ? end : 0;
        if constexpr (C_WINDOW != 0) {
            w.low[h] = max(w.low[h], r - min(r, (u32)C_WINDOW));
            w.high[h] = min(w.high[h], r + C_WINDOW + 1);
        }
#pragma unroll
        for (u32 k = 0; k < HD / 16; k++) {
#pragma unroll
            for (u32 j = 0; j < 2; j++) {
                float2 v = make_float2(0.0f, 0.0f);
                if (inside) v = __ldcg(reinterpret_cast<const float2*>(base + (u64)r * 3 * WIDTH + k * 16 + j * 8 + lane % 4 * 2));
                w.q[k][2 * j + h] = f32_to_f16x2(v.x, v.y);
            }
        }
        w.max[h] = -INFINITE, w.sum[h] = 0.0f;
    }
#pragma unroll
    for (u32 n = 0; n < HD / 8; n++) w.o[n][0] = w.o[n][1] = w.o[n][2] = w.o[n][3] = 0.0f;
}

DEVICE void finish(const Queries& w, u32 from, u32 count, u8* out, u32 head) {
    u32 lane = threadIdx.x % 32;
#pragma unroll
    for (u32 h = 0; h < 2; h++) {
        float sum = w.sum[h];
        sum += __shfl_xor_sync(~0u, sum, 1);
        sum += __shfl_xor_sync(~0u, sum, 2);
        if (lane / 4 + 8 * h >= count) continue;
        u8* to = out + (u64)(from + lane / 4 + 8 * h) * OUT_ROW;
        float inverse = 1.0f / sum;
#pragma unroll
        for (u32 n = 0; n < HD / 8; n++) {
            u32 pair = (head * HD + n * 8) / 2 + lane % 4;
            float a = w.o[n][2 * h] * inverse, b = w.o[n][2 * h + 1] * inverse;
            if constexpr (C_ACT == ACT_F32) reinterpret_cast<float2*>(to)[pair] = make_float2(a, b);
            if constexpr (C_ACT == ACT_BF16) reinterpret_cast<u32*>(to)[pair] = f32_to_bf16x2(a, b);
            if constexpr (C_ACT == ACT_F16) reinterpret_cast<u32*>(to)[pair] = f32_to_f16x2(f16_act(a), f16_act(b));
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) full_attention(const Header* step, const float* qkv, const u32* near,
                                                                     const float* bias, u8* out, Params params) {
    __shared__ __align__(16) u8 tiles[4 * SIDE];
    __shared__ float biases[C_REACH != 0 ? 2 * C_REACH + 1 : 1];
    launch_dependents();
    wait_dependencies();
    u32 rows = min(step->rows, C_MAX_ROWS), warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    u32 places = shared_address(tiles);
    float factor = params.scale * LOG2E;
    for (u32 unit = blockIdx.x; unit < (rows + CHUNK - 1) / CHUNK * C_HEADS; unit += gridDim.x) {
        u32 head = unit % C_HEADS, span = unit / C_HEADS * CHUNK;
        if constexpr (C_REACH != 0) {
            // (Read after the barrier of the first tile.)
            for (u32 i = threadIdx.x; i < 2 * C_REACH + 1; i += THREADS) {
                biases[i] = bias[(u64)min(near[i], (u32)C_BUCKETS - 1) * C_HEADS + head] * LOG2E;
            }
        }
        u32 starts[2];
#pragma unroll
        for (u32 i = 0; i < 2; i++) {
            u32 r = span + 32 * i + lane;
            starts[i] = __ballot_sync(~0u, r < rows && step_row(step, min(r, rows - 1)).pos % CHUNK == 0);
        }
        for (u64 left = starts[0] | (u64)starts[1] << 32; left != 0; left &= left - 1) {
            u32 chunk = span + __ffsll(left) - 1, first = chunk - step_row(step, chunk).pos, end = end_of(step, chunk, rows);
            u32 count = min(CHUNK, end - chunk), own = count - min(count, 16 * warp);
            u32 from = first, until = end;
            if constexpr (C_WINDOW != 0) {
                u32 seen = max(first, chunk - min(chunk, (u32)C_WINDOW));
                from += (seen - first) / TILE * TILE;
                until = min(end, chunk + count + C_WINDOW);
            }
            const float* base = qkv + head * HD;
            float4 part[PIECES];
            fetch(part, base + WIDTH, from, end);
            put(places, part);
            fetch(part, base + 2 * WIDTH, from, end);
            put(places + SIDE, part);
            Queries w;
            begin(w, base, chunk + 16 * warp, own, first, end);
            __syncthreads();
            for (u32 place = 0; from < until; from += TILE, place ^= 1) {
                // What is put there was read before the last barrier.
                u32 now = places + place * 2 * SIDE, then = places + (place ^ 1) * 2 * SIDE;
                bool more = from + TILE < until;
                float x[TILE / 8][4] = {};
                u32 p[TILE / 16][4];
                if (more) fetch(part, base + WIDTH, from + TILE, end);
                if (own != 0) multiply_keys(x, w, now);
                if (more) {
                    put(then, part);
                    fetch(part, base + 2 * WIDTH, from + TILE, end);
                }
                if (own != 0) {
                    soften(p, x, w, from, factor, biases);
                    multiply_values(w, p, now + SIDE);
                }
                if (more) put(then + SIDE, part);
                __syncthreads();
            }
            if (own != 0) finish(w, chunk + 16 * warp, own, out, head);
        }
        // Nobody writes another head's biases while they are read: the last tile's barrier stands between.
    }
}
