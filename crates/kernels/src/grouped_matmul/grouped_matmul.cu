// grouped_matmul: a block takes a tile of slots of one expert and a strip of 128 of its weight rows at a time. Weight rows
// are the rows of the product, slots its columns, so that an expert with few slots costs few products.
//
// In turns of 64 PANELS columns of k: the matrix units multiply a stage of weights with one of activations, while all
// threads gather the next activations and dequantize the next weights into the other stage.
//
// Defines: PANELS.

constexpr u32 STRIP = 128, TURN = 64 * PANELS, STEPS = (C_K + TURN - 1) / TURN, STRIPS = (C_N + STRIP - 1) / STRIP;
// No version has fewer columns than 64.
constexpr u32 W_PANEL = STRIP * 128, X_PANEL = (C_TILE < 64 ? 64 : C_TILE) * 128, W_STAGE = PANELS * W_PANEL, X_STAGE = PANELS * X_PANEL;
constexpr u32 X_STRIDE = act_row_bytes(C_ACT, C_K);

// A thread's part of the products of a tile of N slots: 16 HIGH rows and 8 WIDE slots of its warp.
#if SM == 90
template <u32 N>
struct Part {
    static constexpr u32 HIGH = 1, WIDE = N / 16;
    u32 row, column;
    float acc[N / 4];

    // Two warpgroups above each other, two beside each other.
    DEVICE Part() : row(threadIdx.x / 128 % 2 * 64 + threadIdx.x % 128 / 32 * 16), column(threadIdx.x / 256 * (N / 2)) {}

    DEVICE void multiply(u32 w, u32 x, u32, u32 turn) {
        u64 a = matrix_descriptor(w + row / 64 * 8192), b = matrix_descriptor(x + column * 128);
        wgmma_fence();
#pragma unroll
        for (u32 j = 0; j < 4 * PANELS; j++) {
            wgmma<N / 2>(acc, a + (j / 4 * W_PANEL + j % 4 * 32) / 16, b + (j / 4 * X_PANEL + j % 4 * 32) / 16, j != 0 || turn);
        }
        wgmma_commit();
    }

    DEVICE void wait() { wgmma_wait<0>(); }

    // The sums may be read from here on.
    DEVICE void finish() {
#pragma unroll
        for (u32 i = 0; i < N / 4; i++) asm volatile("" : "+f"(acc[i])::"memory");
    }
};

// What this thread has written to shared memory is what `wgmma` reads after a barrier.
DEVICE void publish() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
#else
template <u32 N>
struct Part {
    static constexpr u32 HIGH = 2, WIDE = N / 32;
    u32 row, column;
    float acc[N / 4];

    DEVICE Part() : row(threadIdx.x / 32 % 4 * 32), column(threadIdx.x / 128 * (N / 4)) {}

    DEVICE void multiply(u32 w, u32 x, u32 slots, u32 turn) {
        u32 lane = threadIdx.x % 32;
        if (turn == 0) {
#pragma unroll
            for (u32 i = 0; i < N / 4; i++) acc[i] = 0.0f;
        }
#pragma unroll
        for (u32 j = 0; j < 4 * PANELS; j++) {
            u32 w_panel = w + j / 4 * W_PANEL, x_panel = x + j / 4 * X_PANEL, chunk = j % 4 * 2, a[HIGH][4];
#pragma unroll
            for (u32 i = 0; i < HIGH; i++) load_matrices(a[i], w_panel + chunk_at(row + i * 16 + lane % 16, chunk + lane / 16));
#pragma unroll
            for (u32 n = 0; n < WIDE; n += 2) {
                if (column + n * 8 >= slots) continue;
                u32 b[4];
                load_matrices(b, x_panel + chunk_at(column + n * 8 + lane / 16 * 8 + lane % 8, chunk + lane / 8 % 2));
#pragma unroll
                for (u32 i = 0; i < HIGH; i++) {
                    ::multiply(acc + 4 * (i * WIDE + n), a[i], b[0], b[1]);
                    ::multiply(acc + 4 * (i * WIDE + n + 1), a[i], b[2], b[3]);
                }
            }
        }
    }

    DEVICE void wait() {}
    DEVICE void finish() {}
};

DEVICE void publish() {}
#endif

extern __shared__ u8 grouped_shared[];

struct Grouped {
    const u8* x;
    const u8* w;
    float* out;
    // Shared memory: the stages, and the tile's slots.
    u32 w_at, x_at;
    u32* slots;
    // The tile's first weight row of the strip, the rows of the strip, and how many slots it has.
    u32 first_row, rows, count;

    // Starts the copies of turn `k` of the inputs. What lies behind the last one is not written: it multiplies into
    // columns that nobody takes.
    template <u32 N>
    DEVICE void gather(u32 k) const {
        constexpr u32 CHUNKS = 8 * PANELS, APART = 512 / CHUNKS;
        u32 chunk = threadIdx.x % CHUNKS, at_k = k * TURN + chunk * 8, to = x_at + k % 2 * X_STAGE + chunk / 8 * X_PANEL;
#pragma unroll
        for (u32 i = 0; i < N / APART; i++) {
            u32 place = i * APART + threadIdx.x / CHUNKS;
            bool inside = C_K % TURN == 0 || at_k < C_K;
            if (place < count) {
                u32 input = C_INPUT == 1 ? slots[place] : slots[place] / C_USED;
                copy_chunk(to + chunk_at(place, chunk), inside ? x + (u64)input * X_STRIDE + at_k * 2 : x, inside);
            }
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    }

    // Dequantizes turn `k` of the strip. A thread has neighbouring columns of one row, a whole block of most formats; four
    // threads have a row. Neighbouring threads store to different banks.
    DEVICE void dequantize(u32 k) const {
        constexpr u32 EIGHTS = 2 * PANELS;
        u32 lane = threadIdx.x % 32, quarter = lane % 2 + lane / 8 % 2 * 2;
        u32 row = threadIdx.x / 32 * 8 + lane / 2 % 4 + lane / 16 * 4, at_k = k * TURN + quarter * (8 * EIGHTS);
        // With one panel, a thread has the first or the second half of a block of 32.
        u32 block = at_k / 32, first_eight = EIGHTS == 4 ? 0 : quarter % 2 * 2;
        u32 from = first_row + (C_N % STRIP == 0 ? row : min(row, rows - 1)), to = w_at + k % 2 * W_STAGE;
        uint4 v[EIGHTS];
#pragma unroll
        for (u32 i = 0; i < EIGHTS; i++) {
            float f[8] = {};
            if (C_K % TURN == 0 || at_k + 8 * i < C_K) {
                Values<C_DTYPE, C_K, C_N * C_EXPERTS>::eight(w, from, block + i / 4, first_eight + i % 4, f);
            }
            v[i] = sixteen_bits<C_ACT == ACT_F16>(f);
        }
#pragma unroll
        for (u32 i = 0; i < EIGHTS; i++) {
            u32 chunk = quarter * EIGHTS + i;
            asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to + chunk / 8 * W_PANEL + chunk_at(row, chunk)),
                         "r"(v[i].x), "r"(v[i].y), "r"(v[i].z), "r"(v[i].w)
                         : "memory");
        }
    }

    // A tile of at most N slots; `column` is the output of its first weight row.
    template <u32 N>
    DEVICE void run(u32 column) const {
        Part<N> part;
        gather<N>(0);
        dequantize(0);
        for (u32 k = 0; k < STEPS; k++) {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
            publish();
            // Everybody's part of this turn is here, and nobody reads the stages that are filled next.
            __syncthreads();
            part.multiply(w_at + k % 2 * W_STAGE, x_at + k % 2 * X_STAGE, count, k);
            if (k + 1 < STEPS) {
                gather<N>(k + 1);
                dequantize(k + 1);
            }
            part.wait();
        }
        part.finish();
        u32 lane = threadIdx.x % 32;
#pragma unroll
        for (u32 j = 0; j < Part<N>::WIDE; j++) {
#pragma unroll
            for (u32 second = 0; second < 2; second++) {
                u32 place = part.column + j * 8 + lane % 4 * 2 + second;
                if (place >= count) continue;
                float* to = out + (u64)slots[place] * C_OUT_STRIDE + C_OUT_COL + column;
#pragma unroll
                for (u32 i = 0; i < 2 * Part<N>::HIGH; i++) {
                    u32 row = part.row + i * 8 + lane / 4;
                    if (C_N % STRIP == 0 || row < rows) {
                        to[row] = part.acc[4 * (i / 2 * Part<N>::WIDE + j) + i % 2 * 2 + second] * GEMM_UNSCALE;
                    }
                }
            }
        }
    }
};

extern "C" __global__ void __launch_bounds__(512, 1)
    grouped_matmul(const Header*, const u32* groups, const u8* x, const u8* w, float* out) {
    constexpr u32 SLOTS = C_MAX_ROWS * C_USED, MOST = SLOTS / C_TILE + (SLOTS < C_EXPERTS ? SLOTS : C_EXPERTS);
    launch_dependents();
    u32 start = shared_address(grouped_shared), base = (start + 1023) & ~1023u;
    Grouped g;
    g.x = x, g.w = w, g.out = out;
    g.w_at = base, g.x_at = base + 2 * W_STAGE;
    g.slots = reinterpret_cast<u32*>(grouped_shared + (g.x_at + 2 * X_STAGE - start));
    wait_dependencies();
    const u32* order = groups + 4 * (1 + MOST);
    u32 units = __ldcg(groups) * STRIPS;
    for (u32 unit = blockIdx.x; unit < units; unit += gridDim.x) {
        uint4 tile = __ldcg(reinterpret_cast<const uint4*>(groups) + 1 + unit / STRIPS);
        u32 column = unit % STRIPS * STRIP;
        g.first_row = tile.x * C_N + column, g.rows = min(STRIP, C_N - column), g.count = tile.z;
        // Stages and slots may still be read for the unit before.
        __syncthreads();
        if (threadIdx.x < tile.z) g.slots[threadIdx.x] = __ldcg(order + tile.y + threadIdx.x);
        __syncthreads();
        if (C_TILE > 128 && tile.z > 128) g.run<C_TILE>(column);
        else if (C_TILE >= 128 && tile.z > 64) g.run<(C_TILE < 128 ? 64 : 128)>(column);
        else g.run<64>(column);
    }
}
