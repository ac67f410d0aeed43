// The device's own commands around a table: they know the step block's header and nothing else.

DEVICE bool fits(const Header* h, const u32* table, Limits l) {
    if (h->seqs_cap != 1 || h->rows > l.rows || h->head_rows > h->rows || h->head_rows > l.head_rows) return false;
    if (step_seq(h, 0)->len > l.positions) return false;
    bool good = true;
    for (u32 r = threadIdx.x; r < h->rows; r += blockDim.x) {
        Row row = step_row(h, r);
        good = good && row.seq == 0 && row.pos < l.positions;
        good = good && (!l.consecutive || row.pos - r == step_row(h, 0).pos);
    }
    for (u32 b = threadIdx.x; b < l.blocks; b += blockDim.x) good = good && table[b] < l.blocks;
    return good;
}

// Before the first step: whether to run at all.
extern "C" __global__ void begin(Header* h, const u32* table, Control* c, Mapped* m, Limits l, u64 handle) {
    bool good = __syncthreads_and(fits(h, table, l));
    if (threadIdx.x != 0) return;
    c->seen = h->drawn;
    if (!good) {
        m->refused = m->refused + 1;
        // What is queued after it must not run either.
        h->stop = STOP_CANCELLED;
    }
    bool go = good && h->stop == STOP_NONE && c->steps != 0;
    if (!go) c->steps = 0;
    if (handle) cudaGraphSetConditional(handle, go ? 1 : 0);
}

// After a step: the token to the host, the host's wish to stop to the step block, and whether to go on.
extern "C" __global__ void step_end(Header* h, Control* c, Mapped* m, u64 handle) {
    // The host's flag does not depend on earlier commands; its read takes long, so it begins before the wait.
    u32 cancel = m->cancel;
    wait_dependencies();
    u32 drawn = h->drawn;
    if (drawn != c->seen) {
        c->seen = drawn;
        m->ring[c->drawn % RING] = h->last_token;
        __threadfence_system();
        c->drawn += 1;
        m->drawn = c->drawn;
    }
    if (cancel && h->stop == STOP_NONE) h->stop = STOP_CANCELLED;
    u32 left = c->steps ? c->steps - 1 : 0;
    c->steps = left;
    if (handle) cudaGraphSetConditional(handle, left != 0 && h->stop == STOP_NONE ? 1 : 0);
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
