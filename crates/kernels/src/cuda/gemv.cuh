// Products of few rows with a weight matrix: bound by reading the weights once. Every warp takes whole rows of the
// matrix; a thread reads 16 bytes at a time, several of them before the first is used, and the first of them before
// the kernel waits for its predecessor. The activations lie in shared memory, staged (and normalised) by each block.
//
// A row's result is the sum, in the order of its columns, of what each lane saw, then a fixed tree over the lanes: it
// does not depend on how many rows there are, so tables of up to 8 rows agree bit for bit.
//
// Constants: GEMV_ROWS (rows the table was built for), GEMV_GROUP (matrix rows a warp works on at once), GEMV_BATCH
// (chunks of each before they are used), GEMV_PASS (activation rows staged at once).

enum { GEMV_WARPS = 8 };
enum { STORE = 0, ADD = 1, GLU = 2, BEST = 3 };

DEVICE float gate(u32 activation, float g) {
    if (activation == 0) return g / (1.0f + expf(-g));
    float t = 0.7978845608f * (g + 0.044715f * g * g * g);
    return 0.5f * g * (1.0f + tanhf(t));
}

struct GemvArgs {
    const Header* step;
    const float* x;         // [rows, K], rows X_STRIDE floats apart
    const float* norm;      // [K] or null
    const u8* w;
    const float* residual;  // ADD
    float* out;
    Pick* best;             // BEST
    float eps;
};

// DT, K, N: the matrix (N counts all its rows). MODE: what becomes of the sums. HEAD: the head rows of the step.
template <u32 DT, u32 K, u32 N, u32 MODE, u32 X_STRIDE, u32 OUT_STRIDE, u32 OUT_COL, u32 HEAD, u32 ACTIVATION, u32 CHUNK>
struct Gemv {
    using W = Weights<DT, K, N>;
    using Staged = typename W::Staged;
    static constexpr u32 G = GEMV_GROUP, B = GEMV_BATCH, R = GEMV_ROWS, P = GEMV_PASS;
    static constexpr u32 CHUNKS = K / W::COUNT;
    static constexpr u32 PER_LANE = (CHUNKS + 31) / 32;
    static constexpr u32 BATCHES = (PER_LANE + B - 1) / B;
    // Gated products see gate and up rows in turn.
    static constexpr u32 HALF = N / 2;

    struct Share {
        u32 first, last;  // rows of this block (in pairs where gated)
        u32 groups;       // of this warp
    };

    static DEVICE Share share(u32 warp) {
        Share s;
        if constexpr (MODE == BEST) {
            constexpr u32 UNITS = (N + CHUNK - 1) / CHUNK;
            u32 gw = blockIdx.x * GEMV_WARPS + warp, all = gridDim.x * GEMV_WARPS;
            s.first = gw;
            s.last = UNITS;
            s.groups = gw < UNITS ? (UNITS - gw + all - 1) / all * (CHUNK / G) : 0;
        } else {
            constexpr u32 UNITS = MODE == GLU ? HALF : N;
            constexpr u32 PER_GROUP = MODE == GLU ? G / 2 : G;
            s.first = (u32)((u64)UNITS * blockIdx.x / gridDim.x);
            s.last = (u32)((u64)UNITS * (blockIdx.x + 1) / gridDim.x);
            u32 mine = s.last - s.first > warp ? (s.last - s.first - warp + GEMV_WARPS - 1) / GEMV_WARPS : 0;
            s.groups = (mine + PER_GROUP - 1) / PER_GROUP;
        }
        return s;
    }

    // Row of the matrix; N where there is none.
    static DEVICE u32 row(const Share& s, u32 warp, u32 group, u32 i) {
        if constexpr (MODE == BEST) {
            constexpr u32 PER = CHUNK / G;
            u32 unit = s.first + group / PER * gridDim.x * GEMV_WARPS;
            u32 r = unit * CHUNK + group % PER * G + i;
            return r < N ? r : N;
        } else if constexpr (MODE == GLU) {
            u32 r = s.first + warp + GEMV_WARPS * (group * (G / 2) + i / 2);
            return r < s.last ? r + i % 2 * HALF : N;
        } else {
            u32 r = s.first + warp + GEMV_WARPS * (group * G + i);
            return r < s.last ? r : N;
        }
    }

    static DEVICE void load(W (&buf)[G][B], const Share& s, const u8* w, u32 warp, u32 lane, u32 at) {
        u32 group = at / BATCHES, batch = at % BATCHES;
        if (group >= s.groups) return;
#pragma unroll
        for (u32 i = 0; i < G; i++) {
            u32 r = row(s, warp, group, i);
#pragma unroll
            for (u32 b = 0; b < B; b++) {
                u32 c = (batch * B + b) * 32 + lane;
                if (r < N && c < CHUNKS) buf[i][b].load(w, r, c);
            }
        }
    }

    // Asks for more of the block's share than fits into registers, so that memory works while the kernel waits.
    static DEVICE void prefetch(const Share& s, const u8* w) {
        if constexpr (MODE != BEST) {
            constexpr u32 UNITS_PER_ROW = MODE == GLU ? 2 : 1;
            u64 bytes = (u64)(s.last - s.first) * W::ROW_BYTES;
            u64 most = GEMV_PREFETCH / UNITS_PER_ROW;
            if (bytes > most) bytes = most;
            for (u32 half = 0; half < UNITS_PER_ROW; half++) {
                const u8* p = w + (u64)(s.first + half * HALF) * W::ROW_BYTES;
                for (u64 i = threadIdx.x * 128; i < bytes; i += GEMV_WARPS * 32 * 128) {
                    asm volatile("prefetch.global.L2 [%0];" ::"l"(p + i));
                }
            }
        }
    }

    static DEVICE void stage(const GemvArgs& a, u8* shared, float* scratch, u32 first, u32 count) {
        for (u32 r = 0; r < count; r++) {
            const float* x = a.x + (u64)(first + r) * X_STRIDE;
            u8* s = shared + r * Staged::BYTES;
            float inverse = 1.0f;
            if (a.norm) {
                float sum = 0.0f;
                for (u32 i = threadIdx.x * 4; i < K; i += GEMV_WARPS * 32 * 4) {
                    float4 v = *reinterpret_cast<const float4*>(x + i);
                    sum += v.x * v.x + v.y * v.y + (v.z * v.z + v.w * v.w);
                }
                inverse = 1.0f / sqrtf(block_sum(sum, scratch) / K + a.eps);
            }
            // Whole warps go round, because eight threads share a block of 32.
            constexpr u32 ROUNDS = (K / 4 + GEMV_WARPS * 32 - 1) / (GEMV_WARPS * 32);
            for (u32 j = 0; j < ROUNDS; j++) {
                u32 i = (j * GEMV_WARPS * 32 + threadIdx.x) * 4;
                bool inside = i < K;
                float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
                if (inside) {
                    v = *reinterpret_cast<const float4*>(x + i);
                    if (a.norm) {
                        float4 n = *reinterpret_cast<const float4*>(a.norm + i);
                        v.x = v.x * inverse * n.x;
                        v.y = v.y * inverse * n.y;
                        v.z = v.z * inverse * n.z;
                        v.w = v.w * inverse * n.w;
                    }
                }
                Staged::put(s, i, v, inside);
            }
        }
    }

    static DEVICE void emit(const GemvArgs& a, const Share& s, u32 warp, u32 lane, u32 group, u32 first, u32 count,
                            float (&acc)[G][P], Pick (&top)[P]) {
#pragma unroll
        for (u32 r = 0; r < P; r++) {
            if (r >= count) break;
            u64 out = (u64)(first + r) * OUT_STRIDE + OUT_COL;
#pragma unroll
            for (u32 i = 0; i < G; i++) acc[i][r] = warp_sum(acc[i][r]);
            if constexpr (MODE == GLU) {
#pragma unroll
                for (u32 i = 0; i < G; i += 2) {
                    u32 j = row(s, warp, group, i);
                    if (j < N && lane == i) a.out[out + j] = gate(ACTIVATION, acc[i][r]) * acc[i + 1][r];
                }
            } else {
#pragma unroll
                for (u32 i = 0; i < G; i++) {
                    u32 j = row(s, warp, group, i);
                    if (j >= N) continue;
                    float v = acc[i][r];
                    if constexpr (MODE == BEST) {
                        Pick p = {v, j};
                        top[r] = better(top[r], p);
                    }
                    if (lane == i) {
                        if constexpr (MODE == ADD) v += a.residual[out + j];
                        a.out[out + j] = v;
                    }
                }
                if constexpr (MODE == BEST) {
                    constexpr u32 PER = CHUNK / G, UNITS = (N + CHUNK - 1) / CHUNK;
                    if (group % PER == PER - 1) {
                        u32 unit = s.first + group / PER * gridDim.x * GEMV_WARPS;
                        if (lane == 0) a.best[(first + r) * UNITS + unit] = top[r];
                        top[r] = {-INFINITE, 0xffffffffu};
                    }
                }
            }
        }
    }

    static DEVICE void multiply(const W (&buf)[G][B], const u8* shared, u32 lane, u32 batch, u32 count, float (&acc)[G][P]) {
#pragma unroll
        for (u32 b = 0; b < B; b++) {
            u32 c = (batch * B + b) * 32 + lane;
            if (c >= CHUNKS) continue;
#pragma unroll
            for (u32 r = 0; r < P; r++) {
                if (r >= count) break;
                typename W::Acts x = W::acts(shared + r * Staged::BYTES, c);
#pragma unroll
                for (u32 i = 0; i < G; i++) acc[i][r] = buf[i][b].dot(x, acc[i][r], c);
            }
        }
    }

    static DEVICE void run(const GemvArgs& a) {
        extern __shared__ uint4 dynamic[];
        __shared__ float scratch[32];
        u8* shared = reinterpret_cast<u8*>(dynamic);
        u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        launch_dependents();
        Share s = share(warp);
        W one[G][B] = {}, two[G][B] = {};
        load(one, s, a.w, warp, lane, 0);
        prefetch(s, a.w);
        wait_dependencies();
        u32 rows = HEAD ? a.step->head_rows : a.step->rows;
        u32 skip = HEAD ? a.step->rows - a.step->head_rows : 0;
        u32 steps = s.groups * BATCHES;
        for (u32 first = 0; first < rows; first += P) {
            u32 count = P == 1 ? 1 : min(P, rows - first);
            if (first > 0) {
                __syncthreads();
                load(one, s, a.w, warp, lane, 0);
            }
            stage(a, shared, scratch, skip + first, count);
            __syncthreads();
            float acc[G][P] = {};
            Pick top[P];
            for (u32 r = 0; r < P; r++) top[r] = {-INFINITE, 0xffffffffu};
            for (u32 at = 0; at < steps; at += 2) {
                load(two, s, a.w, warp, lane, at + 1);
                work(a, s, one, shared, warp, lane, at, first, count, acc, top);
                if (at + 1 >= steps) break;
                load(one, s, a.w, warp, lane, at + 2);
                work(a, s, two, shared, warp, lane, at + 1, first, count, acc, top);
            }
        }
    }

    static DEVICE void work(const GemvArgs& a, const Share& s, const W (&buf)[G][B], const u8* shared, u32 warp, u32 lane,
                            u32 at, u32 first, u32 count, float (&acc)[G][P], Pick (&top)[P]) {
        u32 group = at / BATCHES, batch = at % BATCHES;
        multiply(buf, shared, lane, batch, count, acc);
        if (batch == BATCHES - 1) {
            emit(a, s, warp, lane, group, first, count, acc, top);
#pragma unroll
            for (u32 i = 0; i < G; i++)
#pragma unroll
                for (u32 r = 0; r < P; r++) acc[i][r] = 0.0f;
        }
    }
};
