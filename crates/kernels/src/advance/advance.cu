// The last command of a table: takes the drawn token, moves the step block to the next one, decides whether to stop.
extern "C" __global__ void __launch_bounds__(1024) advance(Header* step, const Pick* picks, u32* tokens) {
    constexpr u32 CHUNKS = (C_VOCAB + C_CHUNK - 1) / C_CHUNK;
    __shared__ Pick shared[32];
    launch_dependents();
    wait_dependencies();
    Header h = *step;
    // A lowering may replay past a stop; then nothing changes.
    if (h.rows == 0 || h.stop != STOP_NONE) return;
    Pick top = {-INFINITE, 0xffffffffu};
    if (h.head_rows > 0) {
        const Pick* last = picks + (u64)(h.head_rows - 1) * CHUNKS;
        for (u32 i = threadIdx.x; i < CHUNKS; i += blockDim.x) top = better(top, last[i]);
        top = warp_best(top);
        if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = top;
        __syncthreads();
        if (threadIdx.x < 32) {
            Pick none = {-INFINITE, 0xffffffffu};
            top = warp_best(threadIdx.x < blockDim.x / 32 ? shared[threadIdx.x] : none);
        }
    }
    if (threadIdx.x != 0) return;
    Row last = step_row(step, h.rows - 1);
    Seq* seq = const_cast<Seq*>(step_seq(step, last.seq));
    u32 len = last.pos + 1;
    seq->len = len;
    h.steps += 1;
    if (h.head_rows > 0) {
        if (!(fabsf(top.score) < INFINITE) || top.token >= C_VOCAB) {
            h.stop = STOP_NOT_FINITE;
        } else {
            h.last_token = top.token;
            h.drawn += 1;
            if (len >= seq->limit) h.stop = STOP_LIMIT;
            for (u32 i = 0; i < min(seq->eos_count, (u32)MAX_EOS); i++) {
                if (seq->eos[i] == top.token) h.stop = STOP_EOS;
            }
            if (len < C_MAX_SEQ) tokens[(u64)last.seq * C_MAX_SEQ + len] = top.token;
        }
        Row* row = const_cast<Row*>(reinterpret_cast<const Row*>(step_seq(step, h.seqs_cap)));
        row->seq = last.seq;
        row->pos = len;
        h.rows = 1;
        h.head_rows = 1;
    }
    *step = h;
}
