// Products of few rows with a weight matrix: bound by reading the weights once. Every warp takes whole rows of the
// matrix and has a ring of slots in shared memory, into which it copies its rows piece by piece, far ahead: the ring is
// full before the kernel waits for its predecessor, so that memory works while the device changes from one command to
// the next. The activations lie in shared memory too, staged (and normalised) by each block.
//
// A row's result is the sum, in the order of its columns, of what each lane saw, then a fixed tree over the lanes: it
// does not depend on how many rows there are, so tables of up to 8 rows agree bit for bit.
//
// Constants: GEMV_GROUP (matrix rows a warp works on at once), GEMV_PIECE (bytes of quants of each row in a slot, a
// multiple of 512, or a whole row), GEMV_SLOTS, GEMV_PASS (activation rows staged at once).

enum { GEMV_WARPS = 8 };
enum { STORE = 0, ADD = 1, GLU = 2, BEST = 3 };

DEVICE float gate(u32 activation, float g) {
    if (activation == 0) return g / (1.0f + expf(-g));
    float t = 0.7978845608f * (g + 0.044715f * g * g * g);
    return 0.5f * g * (1.0f + tanhf(t));
}

DEVICE u32 shared_address(const void* p) {
    return (u32)__cvta_generic_to_shared(p);
}

struct GemvArgs {
    const Header* step;
    const float* x;         // [rows, K], rows X_STRIDE floats apart
    const float* norm;      // [K], where NORM
    const u8* w;
    const float* residual;  // ADD
    float* out;
    Pick* best;             // BEST
    float eps;
};

// DT, K, N: the matrix (N counts all its rows). MODE: what becomes of the sums. HEAD: the head rows of the step.
template <u32 DT, u32 K, u32 N, u32 MODE, u32 NORM, u32 X_STRIDE, u32 OUT_STRIDE, u32 OUT_COL, u32 HEAD, u32 ACTIVATION,
          u32 CHUNK>
struct Gemv {
    using W = Weights<DT, K>;
    using Staged = typename W::Staged;
    static constexpr u32 G = GEMV_GROUP, P = GEMV_PASS, SLOTS = GEMV_SLOTS, PIECE = GEMV_PIECE;
    static constexpr u32 THREADS = GEMV_WARPS * 32;
    static constexpr u32 CHUNKS = K / W::COUNT;
    static constexpr u32 PIECE_CHUNKS = PIECE / 16;
    static constexpr u32 PIECES = (W::ROW_BYTES + PIECE - 1) / PIECE;
    // Rows of one copy: whole rows lie side by side; pieces of rows do not. Gated products have two runs of rows.
    static constexpr u32 RUNS = MODE == GLU ? 2 : 1;
    static constexpr u32 RUN = G / RUNS;
    static constexpr u32 COPY_ROWS = PIECES == 1 ? RUN : 1;
    static constexpr u32 COPIES = G / COPY_ROWS;
    static constexpr u32 HALF = N / 2;

    // Bytes of plane i: of a row, of a piece, of a copy in the slot (with room to begin at a multiple of 16).
    static constexpr __host__ __device__ u32 row_bytes(u32 i) { return W::ROW_BYTES >> W::SHIFT[i]; }
    static constexpr __host__ __device__ u32 piece_bytes(u32 i) { return PIECE >> W::SHIFT[i]; }
    static constexpr __host__ __device__ u32 copy_room(u32 i) {
        u32 bytes = PIECES == 1 ? COPY_ROWS * row_bytes(i) : piece_bytes(i);
        return i == 0 ? bytes : (bytes + 15) / 16 * 16 + 16;
    }
    static constexpr __host__ __device__ u32 plane_at(u32 i) {
        u32 at = 0;
        for (u32 j = 0; j < i; j++) at += COPIES * copy_room(j);
        return at;
    }
    static constexpr u32 SLOT = (plane_at(W::PLANES) + 127) / 128 * 128;
    static constexpr u32 RING = SLOTS * SLOT;
    static constexpr __host__ __device__ u64 plane_offset(u32 i) {
        u64 at = 0;
        for (u32 j = 0; j < i; j++) at += (u64)N * row_bytes(j);
        return at;
    }

    // The rows of this warp: first..last in steps of G; in pairs where gated, in units of CHUNK rows where the best of
    // each is wanted.
    struct Share {
        u32 first, last;
        u32 groups;
    };

    static DEVICE Share share(u32 warp) {
        Share s;
        u32 nth = blockIdx.x * GEMV_WARPS + warp, all = gridDim.x * GEMV_WARPS;
        if constexpr (MODE == BEST) {
            constexpr u32 UNITS = (N + CHUNK - 1) / CHUNK;
            s.first = (u32)((u64)UNITS * nth / all) * CHUNK;
            s.last = min((u32)((u64)UNITS * (nth + 1) / all) * CHUNK, N);
        } else {
            constexpr u32 UNITS = N / RUNS;
            s.first = (u32)((u64)UNITS * nth / all);
            s.last = (u32)((u64)UNITS * (nth + 1) / all);
        }
        s.groups = s.last > s.first ? (s.last - s.first + RUN - 1) / RUN : 0;
        return s;
    }

    // Row of the matrix that is number i of a group; N where there is none.
    static DEVICE u32 row(const Share& s, u32 group, u32 i) {
        u32 r = s.first + group * RUN + i % RUN;
        return r < s.last ? r + i / RUN * HALF : N;
    }

    // Where copy j of plane i begins in the matrix.
    static DEVICE u64 source(const Share& s, u32 group, u32 piece, u32 i, u32 j) {
        u32 first = row(s, group, j * COPY_ROWS);
        return plane_offset(i) + (u64)first * row_bytes(i) + piece * piece_bytes(i);
    }

    // Begins to fill a slot.
    static DEVICE void fill(const Share& s, const u8* w, u8* slot, u32 barrier, u32 lane, u32 at) {
        u32 group = at / PIECES, piece = at % PIECES;
        u32 rows = min(RUN, s.last - (s.first + group * RUN));
        u32 total = 0;
        u32 bytes[W::PLANES][COPIES], skew[W::PLANES][COPIES];
#pragma unroll
        for (u32 i = 0; i < W::PLANES; i++) {
#pragma unroll
            for (u32 j = 0; j < COPIES; j++) {
                u32 here = PIECES == 1 ? rows : (j % RUN < rows ? 1 : 0);
                u32 n = PIECES == 1 ? here * row_bytes(i)
                                    : here * min(piece_bytes(i), row_bytes(i) - piece * piece_bytes(i));
                skew[i][j] = n == 0 || i == 0 ? 0 : (u32)source(s, group, piece, i, j) & 15;
                bytes[i][j] = (n + skew[i][j] + 15) & ~15u;
                total += bytes[i][j];
            }
        }
#if SM >= 90
        if (lane == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(total) : "memory");
#pragma unroll
            for (u32 i = 0; i < W::PLANES; i++) {
#pragma unroll
                for (u32 j = 0; j < COPIES; j++) {
                    if (bytes[i][j] == 0) continue;
                    const u8* from = w + source(s, group, piece, i, j) - skew[i][j];
                    asm volatile(
                        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                            shared_address(slot + plane_at(i) + j * copy_room(i))),
                        "l"(from), "r"(bytes[i][j]), "r"(barrier)
                        : "memory");
                }
            }
        }
#else
#pragma unroll
        for (u32 i = 0; i < W::PLANES; i++) {
#pragma unroll
            for (u32 j = 0; j < COPIES; j++) {
                const u8* from = w + source(s, group, piece, i, j) - skew[i][j];
                u32 to = shared_address(slot + plane_at(i) + j * copy_room(i));
                for (u32 b = lane * 16; b < bytes[i][j]; b += 512) {
                    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + b), "l"(from + b) : "memory");
                }
            }
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
#endif
    }

    static DEVICE void await(u32 barrier, u32 parity) {
#if SM >= 90
        asm volatile(
            "{\n .reg .pred done;\n wait:\n"
            " mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n @done bra.uni over;\n bra.uni wait;\n over:\n}" ::"r"(
                barrier),
            "r"(parity)
            : "memory");
#else
        asm volatile("cp.async.wait_group %0;" ::"n"(SLOTS - 1) : "memory");
#endif
        __syncwarp();
    }

    static DEVICE Parts parts(const Share& s, const u8* slot, u32 group, u32 piece, u32 i) {
        const u8* p[4] = {slot, slot, slot, slot};
        u32 j = i / COPY_ROWS, in = i % COPY_ROWS;
#pragma unroll
        for (u32 n = 0; n < W::PLANES; n++) {
            u32 skew = n == 0 ? 0 : (u32)source(s, group, piece, n, j) & 15;
            p[n] = slot + plane_at(n) + j * copy_room(n) + skew + in * row_bytes(n);
        }
        return {p[0], p[1], p[2], p[3]};
    }

    static constexpr u32 ROUNDS = (K / 4 + THREADS - 1) / THREADS;
    // A row that each thread can hold in registers is read once.
    static constexpr u32 HELD = ROUNDS <= 8 ? ROUNDS : 1;

    static DEVICE float4 four(const float* p, u32 i) {
        return i < K ? *reinterpret_cast<const float4*>(p + i) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }

    static DEVICE float squares(float4 v) { return v.x * v.x + v.y * v.y + (v.z * v.z + v.w * v.w); }

    static DEVICE float4 scaled(float4 v, float f, float4 n) {
        return make_float4(v.x * f * n.x, v.y * f * n.y, v.z * f * n.z, v.w * f * n.w);
    }

    static DEVICE void stage(const GemvArgs& a, const float4 (&norm)[HELD], u8* shared, float* scratch, u32 first,
                             u32 count) {
        u32 at = threadIdx.x * 4;
        for (u32 r = 0; r < count; r++) {
            const float* x = a.x + (u64)(first + r) * X_STRIDE;
            u8* s = shared + r * Staged::BYTES;
            if constexpr (NORM && ROUNDS <= 8) {
                float4 v[HELD];
                float sum = 0.0f;
#pragma unroll
                for (u32 j = 0; j < HELD; j++) v[j] = four(x, at + j * THREADS * 4);
#pragma unroll
                for (u32 j = 0; j < HELD; j++) sum += squares(v[j]);
                float inverse = 1.0f / sqrtf(total(sum, scratch, r) / K + a.eps);
#pragma unroll
                for (u32 j = 0; j < HELD; j++) {
                    u32 i = at + j * THREADS * 4;
                    Staged::put(s, i, scaled(v[j], inverse, norm[j]), i < K);
                }
            } else {
                float inverse = 1.0f;
                if constexpr (NORM) {
                    float sum = 0.0f;
                    for (u32 j = 0; j < ROUNDS; j++) sum += squares(four(x, at + j * THREADS * 4));
                    inverse = 1.0f / sqrtf(total(sum, scratch, r) / K + a.eps);
                }
#pragma unroll 4
                for (u32 j = 0; j < ROUNDS; j++) {
                    u32 i = at + j * THREADS * 4;
                    float4 v = four(x, i);
                    if constexpr (NORM) v = scaled(v, inverse, four(a.norm, i));
                    Staged::put(s, i, v, i < K);
                }
            }
        }
    }

    // Sum over the block. Rows take turns in the scratch, so that one barrier each is enough.
    static DEVICE float total(float v, float* scratch, u32 r) {
        v = warp_sum(v);
        float* mine = scratch + r % 2 * GEMV_WARPS;
        if (threadIdx.x % 32 == 0) mine[threadIdx.x / 32] = v;
        __syncthreads();
        float t = 0.0f;
#pragma unroll
        for (u32 i = 0; i < GEMV_WARPS; i++) t += mine[i];
        return t;
    }

    static DEVICE void emit(const GemvArgs& a, const Share& s, u32 lane, u32 group, u32 first, u32 count,
                            float (&acc)[G][P], Pick (&top)[P]) {
#pragma unroll
        for (u32 r = 0; r < P; r++) {
            if (r >= count) break;
            u64 out = (u64)(first + r) * OUT_STRIDE + OUT_COL;
#pragma unroll
            for (u32 i = 0; i < G; i++) acc[i][r] = warp_sum(acc[i][r]);
            if constexpr (MODE == GLU) {
#pragma unroll
                for (u32 i = 0; i < RUN; i++) {
                    u32 j = row(s, group, i);
                    if (j < N && lane == i) a.out[out + j] = gate(ACTIVATION, acc[i][r]) * acc[i + RUN][r];
                }
            } else {
#pragma unroll
                for (u32 i = 0; i < G; i++) {
                    u32 j = row(s, group, i);
                    if (j >= N) continue;
                    float v = acc[i][r];
                    if constexpr (MODE == BEST) {
                        Pick p = {v, j};
                        top[r] = better(top[r], p);
                        if (j % CHUNK == CHUNK - 1 || j == N - 1) {
                            if (lane == 0) a.best[(first + r) * ((N + CHUNK - 1) / CHUNK) + j / CHUNK] = top[r];
                            top[r] = {-INFINITE, 0xffffffffu};
                        }
                    }
                    if (lane == i) {
                        if constexpr (MODE == ADD) v += a.residual[out + j];
                        a.out[out + j] = v;
                    }
                }
            }
        }
    }

    static DEVICE void run(const GemvArgs& a) {
        extern __shared__ uint4 dynamic[];
        __shared__ float scratch[2 * GEMV_WARPS];
        __shared__ u64 barriers[GEMV_WARPS][SLOTS];
        u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        u8* ring = reinterpret_cast<u8*>(dynamic) + warp * RING;
        u8* staged = reinterpret_cast<u8*>(dynamic) + GEMV_WARPS * RING;
        u32 barrier = shared_address(barriers[warp]);
        launch_dependents();
        Share s = share(warp);
        u32 steps = s.groups * PIECES;
#if SM >= 90
        if (lane == 0) {
            for (u32 i = 0; i < SLOTS; i++) {
                asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier + 8 * i) : "memory");
            }
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        }
        __syncwarp();
#endif
        for (u32 i = 0; i < SLOTS; i++) {
            if (i < steps) {
                fill(s, a.w, ring + i * SLOT, barrier + 8 * i, lane, i);
            } else {
                pad();
            }
        }
        float4 norm[HELD];
        if constexpr (NORM && ROUNDS <= 8) {
#pragma unroll
            for (u32 j = 0; j < HELD; j++) norm[j] = four(a.norm, (threadIdx.x + j * THREADS) * 4);
        }
        wait_dependencies();
        u32 rows = 1, skip = 0;
        if constexpr (HEAD) {
            rows = a.step->head_rows;
            skip = a.step->rows - rows;
        } else if constexpr (C_MAX_ROWS > 1) {
            rows = a.step->rows;
        }
        u32 filled = min(SLOTS, steps), slot = 0, parity = 0;
        for (u32 first = 0; first < rows; first += P) {
            u32 count = P == 1 ? 1 : min(P, rows - first);
            if (first > 0) {
                // The ring is empty and every slot has been used equally often in whole turns or is behind `slot`.
                __syncthreads();
                for (u32 i = 0; i < SLOTS; i++) {
                    u32 to = (slot + i) % SLOTS;
                    if (i < steps) {
                        fill(s, a.w, ring + to * SLOT, barrier + 8 * to, lane, i);
                    } else {
                        pad();
                    }
                }
                filled = min(SLOTS, steps);
            }
            stage(a, norm, staged, scratch, skip + first, count);
            __syncthreads();
            float acc[G][P] = {};
            Pick top[P];
#pragma unroll
            for (u32 r = 0; r < P; r++) top[r] = {-INFINITE, 0xffffffffu};
            for (u32 at = 0; at < steps; at++) {
                u32 group = at / PIECES, piece = at % PIECES;
                await(barrier + 8 * slot, parity);
                multiply(s, ring + slot * SLOT, staged, lane, group, piece, count, acc);
                __syncwarp();
                if (filled < steps) {
                    fill(s, a.w, ring + slot * SLOT, barrier + 8 * slot, lane, filled);
                    filled++;
                } else {
                    pad();
                }
                if (++slot == SLOTS) {
                    slot = 0;
                    parity ^= 1;
                }
                if (piece == PIECES - 1) {
                    emit(a, s, lane, group, first, count, acc, top);
#pragma unroll
                    for (u32 i = 0; i < G; i++)
#pragma unroll
                        for (u32 r = 0; r < P; r++) acc[i][r] = 0.0f;
                }
            }
        }
        // Copies that nobody waited for must not outlive the block's shared memory.
        if (HEAD && rows == 0) {
            for (u32 i = 0; i < filled; i++) await(barrier + 8 * i, 0);
        }
    }

    // An empty group in place of a copy, so that waiting for "all but the last SLOTS - 1" keeps its meaning.
    static DEVICE void pad() {
#if SM < 90
        asm volatile("cp.async.commit_group;" ::: "memory");
#endif
    }

    static DEVICE void multiply(const Share& s, const u8* slot, const u8* staged, u32 lane, u32 group, u32 piece,
                                u32 count, float (&acc)[G][P]) {
        Parts p[G];
#pragma unroll
        for (u32 i = 0; i < G; i++) p[i] = parts(s, slot, group, piece, i);
#pragma unroll
        for (u32 b = 0; b < (PIECE_CHUNKS + 31) / 32; b++) {
            u32 c = b * 32 + lane, column = piece * PIECE_CHUNKS + c;
            if (c >= PIECE_CHUNKS || column >= CHUNKS) continue;
            W w[G];
#pragma unroll
            for (u32 i = 0; i < G; i++) w[i].load(p[i], c);
#pragma unroll
            for (u32 r = 0; r < P; r++) {
                if (r >= count) break;
                typename W::Acts x = W::acts(staged + r * Staged::BYTES, column);
#pragma unroll
                for (u32 i = 0; i < G; i++) acc[i][r] = w[i].dot(x, acc[i][r], column);
            }
        }
    }
};
