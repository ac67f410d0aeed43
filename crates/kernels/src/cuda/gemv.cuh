// The engine of matrix-vector products: 1 to 8 activation rows against every weight row.
//
// One block on each multiprocessor takes a contiguous share of the outputs, so the whole matrix is on its way at
// once. Each lane keeps a ring of copies to its own slots of shared memory in flight; nothing but weights is needed
// to start them, so they run while the predecessor ends. Then the activations are staged in shared memory, in the
// form that the weight format multiplies.
//
// A weight row belongs to GEMV_LANES lanes; each adds up its units in ascending order and the lanes' sums are added
// pairwise, whatever the rows, the staging and the ring. So a row's bits depend on nothing but its own values.
//
// A norm is folded in: rows are staged as x * weight, and the factor 1 / rms, known a little later, is applied to the
// sums.
//
// Geometry (defines): GEMV_THREADS; GEMV_LANES of a weight row; GEMV_OUTS weight rows that a lane works on
// together; GEMV_STAGES of the ring; GEMV_PIECE steps of a weight row whose activations fit shared memory at once.

// Loads of what other kernels write go past the first cache, whose lines may be from before the wait.
DEVICE float4 load_fresh(const float4* p) {
    float4 v;
    asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(p)
                 : "memory");
    return v;
}

DEVICE float load_fresh(const float* p) {
    float v;
    asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(p) : "memory");
    return v;
}

DEVICE u32 load_fresh(const u32* p) {
    u32 v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

extern __shared__ __align__(128) u8 gemv_shared[];

// A matrix's tuning, and the blocks that share it: all of the grid, where a kernel has one matrix.
struct Tuning {
    static constexpr u32 LANES = GEMV_LANES, OUTS = GEMV_OUTS, STAGES = GEMV_STAGES, PIECE = GEMV_PIECE;
    DEVICE static u32 block() { return blockIdx.x; }
    DEVICE static u32 blocks() { return gridDim.x; }
};

// S describes the operation; it is a Tuning with
//   DTYPE, K; OUTPUTS; PAIRED: an output has two weight rows, OUTPUTS apart;
//   MAX_ROWS; HEAD: rows are the head rows; NORM: x is normalised, and its head rows are where the step says;
//   X_STRIDE: floats from row to row of x; SHARE: outputs that one block must own together.
// E is what happens to a result: `ahead(row, output)` loads what it needs early, `put` takes it.
template <class S, class E>
struct Gemv {
    DEVICE static constexpr u32 ceil_div(u32 a, u32 b) { return (a + b - 1) / b; }
    DEVICE static constexpr u32 power_of_two(u32 a) { return a <= 1 ? 1 : a <= 2 ? 2 : a <= 4 ? 4 : 8; }

    static constexpr u32 PAIRED = S::PAIRED ? 1 : 0, K = S::K;
    using F = Dot<S::DTYPE, (u64)S::OUTPUTS * (1 + PAIRED) * K>;
    static constexpr u32 THREADS = GEMV_THREADS, WARPS = THREADS / 32, LANES = S::LANES, OUTS = S::OUTS;
    static constexpr u32 STAGES = S::STAGES, SUBS = 32 / LANES, GROUP = (OUTS >> PAIRED) * SUBS;
    static constexpr u32 UNITS = K / F::UNIT, STEPS = ceil_div(UNITS, LANES);
    static constexpr u32 PIECE = S::PIECE < STEPS ? S::PIECE : STEPS, PIECES = ceil_div(STEPS, PIECE);
    static constexpr u32 VALUES = PIECES == 1 ? K : PIECE * LANES * F::UNIT;
    static constexpr u32 ROWS = power_of_two(S::MAX_ROWS), SUMS = OUTS * ROWS;
    using A = Acts<F, VALUES>;

    // Shared memory.
    static constexpr u32 STAGE = OUTS * 32 * F::SLOT, RING = WARPS * STAGES * STAGE;
    static constexpr u32 ACTS = RING, SQUARES = ACTS + S::MAX_ROWS * A::ROW, EXTRA = SQUARES + S::MAX_ROWS * WARPS * 4;

    // Staging: chunks of four values; each thread loads BATCH chunks of every row before it uses the first.
    static constexpr u32 PER_THREAD = ceil_div(VALUES / 4, THREADS), MOST = 8 / ROWS;
    static constexpr u32 BATCH = PER_THREAD < MOST ? PER_THREAD : MOST;
    // Whether a thread's share of the norm's weights fits its registers, so that they are loaded before the wait.
    static constexpr bool NORM_AHEAD = S::NORM && PER_THREAD == BATCH;

    static_assert(K % F::UNIT == 0 && K % 4 == 0, "rows of whole units");
    static_assert(!F::QUANTIZED || K % 32 == 0, "rows of whole blocks");
    static_assert(SUMS <= LANES, "a lane ends with at most one sum");
    static_assert(OUTS > PAIRED && S::MAX_ROWS <= 8, "");

    const u8* w;
    const float* x;
    const float* norm;
    u32 rows;
    // The rows of x that are multiplied, where they are not the first ones.
    static constexpr bool GATHERS = S::HEAD && S::NORM;
    u32 place[GATHERS ? ROWS : 1];
    // The share.
    u32 begin, end;
    // This lane: its place in its warp's and its row's lanes.
    u32 warp, lane, in_row, sub;
    // The ring: the next copy's output and unit, and its stage.
    u32 copy_out, copy_unit, stage;
    u8* ring;
    u32 ring_address;
    // The lane's sum after the reduction: its place in the group, its row, whether it stores.
    u32 sum_out, sum_row;
    bool stores;

    DEVICE static u32 flat(u32 out, u32 unit, u32 i) { return (out + (i & PAIRED) * S::OUTPUTS) * UNITS + unit; }

    DEVICE void start(const u8* weights) {
        w = weights;
        warp = threadIdx.x / 32, lane = threadIdx.x % 32, in_row = lane % LANES, sub = lane / LANES;
        constexpr u32 SHARES = ceil_div(S::OUTPUTS, S::SHARE);
        begin = (u32)((u64)SHARES * S::block() / S::blocks()) * S::SHARE;
        end = min((u32)((u64)SHARES * (S::block() + 1) / S::blocks()) * S::SHARE, S::OUTPUTS);
        ring = gemv_shared + warp * (STAGES * STAGE);
        ring_address = (u32)__cvta_generic_to_shared(ring);
        copy_out = begin + warp * GROUP + sub, copy_unit = in_row, stage = 0;
        for (u32 s = 0; s < STAGES; s++) copy_next();
        u32 v = in_row / (LANES / SUMS);
        sum_out = sub + (v >> PAIRED) / ROWS * SUBS, sum_row = (v >> PAIRED) % ROWS;
        stores = in_row % (LANES / SUMS) == 0 && (v & PAIRED) == 0;
    }

    // Starts the copies of the lane's next units into the current stage, and moves on.
    DEVICE void copy_next() {
        u32 to = ring_address + stage * STAGE;
#pragma unroll
        for (u32 i = 0; i < OUTS; i++) {
            u32 out = copy_out + (i >> PAIRED) * SUBS;
            if (out < end && (UNITS % LANES == 0 || copy_unit < UNITS))
                F::fetch(to + i * (32 * F::SLOT), lane, w, flat(out, copy_unit, i));
        }
        copy_commit();
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        copy_unit += LANES;
        if (copy_unit >= STEPS * LANES) copy_unit = in_row, copy_out += WARPS * GROUP;
    }

    DEVICE void load_norm(float4 (&g)[BATCH], u32 at, u32 from, u32 chunks) {
#pragma unroll
        for (u32 j = 0; j < BATCH; j++) {
            u32 c = from + j * THREADS + threadIdx.x;
            g[j] = c < chunks ? __ldg(reinterpret_cast<const float4*>(norm) + at + c) : make_float4(0, 0, 0, 0);
        }
    }

    DEVICE const float4* input(u32 r) const {
        return reinterpret_cast<const float4*>(x + (u64)(GATHERS ? place[GATHERS ? r : 0] : r) * S::X_STRIDE);
    }

    DEVICE static float add_squares(float4 v, float s) {
        s = __fmaf_rn(v.x, v.x, s);
        s = __fmaf_rn(v.y, v.y, s);
        s = __fmaf_rn(v.z, v.z, s);
        return __fmaf_rn(v.w, v.w, s);
    }

    // Sums of squares by warp. Each thread's share and order are the same whatever the batches.
    DEVICE void put_squares(const float (&squares)[ROWS]) {
        float* partial = reinterpret_cast<float*>(gemv_shared + SQUARES);
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            if (ROWS == 1 || r < rows) {
                float s = warp_sum(squares[r]);
                if (lane == 0) partial[r * WARPS + warp] = s;
            }
        }
    }

    // Stages values `piece * VALUES ..` of all rows.
    DEVICE void stage_piece(u32 piece, float4 (&g)[BATCH]) {
        u32 at = piece * (VALUES / 4);
        u32 chunks = PIECES == 1 ? K / 4 : min(VALUES / 4, K / 4 - at);
        float squares[ROWS] = {};
        for (u32 from = 0; from < PER_THREAD * THREADS; from += BATCH * THREADS) {
            float4 v[BATCH][ROWS];
#pragma unroll
            for (u32 j = 0; j < BATCH; j++) {
#pragma unroll
                for (u32 r = 0; r < ROWS; r++) {
                    u32 c = from + j * THREADS + threadIdx.x;
                    v[j][r] = make_float4(0, 0, 0, 0);
                    if (c < chunks && (ROWS == 1 || r < rows)) v[j][r] = load_fresh(input(r) + at + c);
                }
            }
            if (S::NORM && !(NORM_AHEAD && PIECES == 1)) load_norm(g, at, from, chunks);
#pragma unroll
            for (u32 j = 0; j < BATCH; j++) {
                u32 c = from + j * THREADS + threadIdx.x;
#pragma unroll
                for (u32 r = 0; r < ROWS; r++) {
                    if (ROWS == 1 || r < rows) {
                        float4 y = v[j][r];
                        if constexpr (S::NORM) {
                            if (PIECES == 1) squares[r] = add_squares(y, squares[r]);
                            y.x *= g[j].x, y.y *= g[j].y, y.z *= g[j].z, y.w *= g[j].w;
                        }
                        A::store(gemv_shared + ACTS + r * A::ROW, c, c < chunks, y);
                    }
                }
            }
        }
        if (S::NORM && PIECES == 1) put_squares(squares);
    }

    // The sums of squares where no piece has the whole row.
    DEVICE void square_pass() {
        float squares[ROWS] = {};
        for (u32 c = threadIdx.x; c < K / 4; c += THREADS) {
#pragma unroll
            for (u32 r = 0; r < ROWS; r++) {
                if (ROWS == 1 || r < rows) squares[r] = add_squares(load_fresh(input(r) + c), squares[r]);
            }
        }
        put_squares(squares);
    }

    // 1 / rms of this lane's row.
    DEVICE float inverse_rms(float eps) const {
        const float* partial = reinterpret_cast<const float*>(gemv_shared + SQUARES) + min(sum_row, S::MAX_ROWS - 1) * WARPS;
        float s = 0.0f;
#pragma unroll
        for (u32 i = 0; i < WARPS; i++) s += partial[i];
        return 1.0f / sqrtf(s / (float)K + eps);
    }

    // Adds the lanes' sums, each step to lanes half as far away. While a lane has several sums it gives half of them
    // away, so it ends with one: number in_row / (LANES / SUMS). The pairs that meet do not depend on the number.
    template <u32 AWAY, u32 HELD>
    DEVICE void add_lanes(float (&v)[SUMS]) const {
        if constexpr (HELD > 1) {
            bool upper = in_row & AWAY;
#pragma unroll
            for (u32 i = 0; i < HELD / 2; i++) {
                float give = upper ? v[i] : v[i + HELD / 2], keep = upper ? v[i + HELD / 2] : v[i];
                v[i] = keep + __shfl_xor_sync(0xffffffffu, give, AWAY);
            }
        } else {
            v[0] += __shfl_xor_sync(0xffffffffu, v[0], AWAY);
        }
        if constexpr (AWAY > 1) add_lanes<AWAY / 2, (HELD > 1 ? HELD / 2 : 1)>(v);
    }

    DEVICE float reduce(const float (&acc)[OUTS][ROWS]) const {
        float v[SUMS];
#pragma unroll
        for (u32 i = 0; i < SUMS; i++) {
            u32 p = i >> PAIRED;
            v[i] = acc[p / ROWS << PAIRED | (i & PAIRED)][p % ROWS];
        }
        add_lanes<LANES / 2, SUMS>(v);
        return v[0];
    }

    // Steps `from..to` of the group at `out`; `base` is the first unit whose activations are staged.
    DEVICE void multiply(u32 out, u32 from, u32 to, u32 base, float (&acc)[OUTS][ROWS]) {
        for (u32 u = from; u < to; u++) {
            u32 unit = u * LANES + in_row;
            copy_wait<STAGES - 1>();
            const u8* slots = ring + stage * STAGE;
            typename F::Raw raw[OUTS];
#pragma unroll
            for (u32 i = 0; i < OUTS; i++)
                raw[i] = F::read(slots + i * (32 * F::SLOT), lane, flat(out + sub + (i >> PAIRED) * SUBS, unit, i));
            // The slots just read are the next to fill.
            copy_next();
            if (UNITS % LANES == 0 || unit < UNITS)
                A::template multiply<OUTS, ROWS>(raw, gemv_shared + ACTS, unit - base, rows, acc);
        }
    }

    DEVICE void run(const Header* step, const float* input_rows, const float* norm_weight, float eps,
                    const u8* weights, const E& e) {
        launch_dependents();
        x = input_rows, norm = norm_weight;
        start(weights);
        float4 g[BATCH];
        if (NORM_AHEAD && PIECES == 1) load_norm(g, 0, 0, K / 4);
        wait_dependencies();

        if (S::MAX_ROWS == 1 && !S::HEAD) {
            // The one row, if any, is row 0: nothing waits for the count but the stores. (One head row may be the last
            // of many rows.)
            rows = load_fresh(&step->rows);
        } else {
            u32 all = load_fresh(&step->rows);
            rows = S::HEAD ? load_fresh(&step->head_rows) : all;
            if constexpr (GATHERS) {
                u32 list = load_fresh(&step->heads_at);
#pragma unroll
                for (u32 r = 0; r < ROWS; r++) {
                    // Without a head row the inputs are still read (a prefill step has none): row 0, which is always there.
                    place[r] = rows == 0 ? 0 : all - min(rows, all) + r;
                    if (list != 0 && r < rows) place[r] = load_fresh(&step_heads(step, list)[r].row);
                }
            }
            rows = min(rows, (u32)S::MAX_ROWS);
        }
        u32 out = begin + warp * GROUP;
        float extra = stores && sum_row < rows && out + sum_out < end ? e.ahead(sum_row, out + sum_out) : 0.0f;
        e.prepare();
        if (S::NORM && PIECES > 1) square_pass();
        if (PIECES == 1) stage_piece(0, g);
        __syncthreads();
        float scale = S::NORM ? inverse_rms(eps) : 1.0f;

        // Pieces are staged by the whole block together, so then every warp makes as many turns.
        u32 turns = ceil_div(end - begin, WARPS * GROUP);
        for (u32 turn = 0; PIECES == 1 ? out < end : turn < turns; turn++, out += WARPS * GROUP) {
            bool mine = stores && sum_row < rows && out + sum_out < end;
            if (turn && mine) extra = e.ahead(sum_row, out + sum_out);
            float acc[OUTS][ROWS] = {};
            if (PIECES == 1) {
                multiply(out, 0, STEPS, 0, acc);
            } else {
                for (u32 piece = 0; piece < PIECES; piece++) {
                    if (turn + piece) __syncthreads();
                    stage_piece(piece, g);
                    __syncthreads();
                    if (out < end) multiply(out, piece * PIECE, min((piece + 1) * PIECE, STEPS), piece * PIECE * LANES, acc);
                }
            }
            float v = reduce(acc);
            if (S::NORM) v *= scale;
            float second = PAIRED ? __shfl_xor_sync(0xffffffffu, v, LANES / SUMS) : 0.0f;
            if (mine) e.put(sum_row, out + sum_out, v, second, extra);
        }
        copy_wait<0>();
        e.finish(rows, begin, end);
    }
};

// What an epilogue has unless it says otherwise.
struct Epilogue {
    DEVICE float ahead(u32, u32) const { return 0.0f; }
    DEVICE void prepare() const {}
    DEVICE void finish(u32, u32, u32) const {}
};
