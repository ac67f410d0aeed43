// The device's own commands around a table: they know the step block's header and nothing else.

// A session's rows: all of its one sequence.
DEVICE bool fits_session(const Header* h, Limits l) {
    if (step_seq(h, 0)->len > l.positions) return false;
    bool good = true;
    for (u32 r = threadIdx.x; r < h->rows; r += blockDim.x) {
        Row row = step_row(h, r);
        good = good && row.seq == 0 && row.pos < l.positions;
        good = good && (!l.consecutive || row.pos - r == step_row(h, 0).pos);
    }
    return good;
}

// A batch's: each sequence's rows stand together, at consecutive positions, and only the last of them draws, or the last ones.
DEVICE bool fits_batch(const Header* h, Limits l) {
    __shared__ u32 seen[MOST_SEQUENCES / 32];
    for (u32 i = threadIdx.x; i < MOST_SEQUENCES / 32; i += blockDim.x) seen[i] = 0;
    __syncthreads();
    if (l.seqs_cap > MOST_SEQUENCES) return false;
    // A shift goes by it.
    if (step_seq(h, 0)->len > l.positions) return false;
    bool good = true;
    for (u32 r = threadIdx.x; r < h->rows; r += blockDim.x) {
        Row row = step_row(h, r);
        good = good && row.seq < l.seqs_cap && row.pos < l.positions;
        Row before = r ? step_row(h, r - 1) : row;
        if (r && before.seq == row.seq) {
            good = good && before.pos + 1 == row.pos;
        } else if (row.seq < l.seqs_cap) {
            good = good && (l.consecutive != 2 || row.pos == 0);
            // Its first row; a second first one is one too many.
            u32 bit = 1u << row.seq % 32;
            good = good && !(atomicOr(seen + row.seq / 32, bit) & bit);
        }
    }
    const Head* heads = step_heads(h, l.heads_at);
    for (u32 i = threadIdx.x; i < h->head_rows; i += blockDim.x) {
        u32 row = heads[i].row;
        // There is none to look at.
        if (row >= h->rows) {
            good = false;
            continue;
        }
        good = good && (i == 0 || heads[i - 1].row < row);
        bool last = row + 1 >= h->rows || step_row(h, row + 1).seq != step_row(h, row).seq;
        good = good && (last || (l.several && i + 1 < h->head_rows && heads[i + 1].row == row + 1));
    }
    return good;
}

// Whether all blocks lie in the cache. Regions begin at multiples of 256 bytes.
DEVICE bool inside(const u32* table, BlockTable t) {
    bool good = true;
    const uint4* four = reinterpret_cast<const uint4*>(table);
#pragma unroll 4
    for (u32 b = threadIdx.x; b < t.entries / 4; b += blockDim.x) {
        uint4 v = __ldcg(four + b);
        good = good && max(max(v.x, v.y), max(v.z, v.w)) < t.blocks;
    }
    for (u32 b = t.entries / 4 * 4 + threadIdx.x; b < t.entries; b += blockDim.x) good = good && table[b] < t.blocks;
    return good;
}

DEVICE bool fits(const Header* h, const u32* table, const u32* windows, Limits l) {
    if (h->seqs_cap != l.seqs_cap || h->heads_at != l.heads_at || h->heads_cap != l.heads_cap) return false;
    if (h->rows > l.rows || h->head_rows > h->rows || h->head_rows > l.head_rows) return false;
    bool good = l.heads_at == 0 ? fits_session(h, l) : fits_batch(h, l);
    return good && inside(table, l.table) && inside(windows, l.windows);
}

// Before the first step: whether to run at all. `own` is the number of steps where the host does not write it: then the commands run
// in any case, and have no rows where they must not. The loop of `handle` takes `each` steps at a time, and none where there are fewer.
extern "C" __global__ void begin(Header* h, const u32* table, const u32* windows, Control* c, Mapped* m, Limits l,
                                 u64 handle, u32 each, u32 own) {
    bool good = __syncthreads_and(fits(h, table, windows, l));
    if (threadIdx.x != 0) return;
    c->seen = h->drawn;
    if (!good) {
        m->refused = m->refused + 1;
        // What is queued after it must not run either.
        h->stop = STOP_CANCELLED;
    }
    u32 steps = own ? own : c->steps;
    bool go = good && h->stop == STOP_NONE && steps != 0;
    c->steps = go ? steps : 0;
    if (own && !go) h->rows = 0, h->head_rows = 0;
    if (handle) cudaGraphSetConditional(handle, go && steps >= each ? 1 : 0);
}

// After a step: what was drawn to the host, the host's wish to stop to the step block, and whether to go on. One thread for a
// session, one block for a batch. The loop of `handle` takes `each` steps at a time. Where another step follows in any case, `each` is 0, and that
// step has no rows where it must not run.
extern "C" __global__ void step_end(Header* h, Control* c, Mapped* m, u64 handle, u32 each) {
    // The host's flag does not depend on earlier commands; its read takes long, so it begins before the wait.
    u32 cancel = m->cancel;
    wait_dependencies();
    u32 drawn = h->drawn, at = c->drawn, heads_at = h->heads_at;
    if (heads_at != 0) {
        u32 n = drawn != c->seen ? h->drew : 0;
        const Head* heads = step_heads(h, heads_at);
        for (u32 i = threadIdx.x; i < n; i += blockDim.x) {
            Head head = heads[i];
            m->tokens[(at + i) % RING] = head.token;
            m->who[(at + i) % RING] = head.seq;
        }
        // The host reads the count first: what it counts must be there.
        __threadfence_system();
        __syncthreads();
        if (threadIdx.x != 0) return;
        c->seen = drawn;
        c->drawn = at + n;
        if (n) m->drawn = at + n;
    } else if (drawn != c->seen) {
        c->seen = drawn;
        // Nobody writes `who` in a session's page: it is the first sequence.
        m->tokens[at % RING] = h->last_token;
        __threadfence_system();
        c->drawn = at + 1;
        m->drawn = at + 1;
    }
    if (cancel && h->stop == STOP_NONE) h->stop = STOP_CANCELLED;
    u32 left = c->steps ? c->steps - 1 : 0;
    c->steps = left;
    if (each == 0 && h->stop != STOP_NONE) h->rows = 0, h->head_rows = 0;
    if (handle) cudaGraphSetConditional(handle, left >= each && h->stop == STOP_NONE ? 1 : 0);
}

// Between the loop that takes several steps at a time and the one that takes the steps that are left.
extern "C" __global__ void rest(const Header* h, const Control* c, u64 handle) {
    cudaGraphSetConditional(handle, c->steps != 0 && h->stop == STOP_NONE ? 1 : 0);
}

// After the last step.
extern "C" __global__ void finish(Control* c, Mapped* m) {
    c->ended += 1;
    __threadfence_system();
    m->ended = c->ended;
}

// A time stamp between commands, for profiles.
extern "C" __global__ void stamp(u64* at) {
    u64 t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    *at = t;
}

// Reads memory once, for the peak that profiles compare with.
extern "C" __global__ void __launch_bounds__(512) read_all(const u8* p, u64 bytes, u32* sink) {
    u32 sum = 0;
    u64 step = (u64)gridDim.x * blockDim.x * 16;
    u64 i = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * 16;
    for (; i + 3 * step < bytes; i += 4 * step) {
        uint4 a = load_weights(p + i), b = load_weights(p + i + step);
        uint4 c = load_weights(p + i + 2 * step), d = load_weights(p + i + 3 * step);
        sum ^= a.x ^ a.y ^ a.z ^ a.w ^ b.x ^ b.y ^ b.z ^ b.w ^ c.x ^ c.y ^ c.z ^ c.w ^ d.x ^ d.y ^ d.z ^ d.w;
    }
    if (sum == 0x12345678u) *sink = sum;
}
