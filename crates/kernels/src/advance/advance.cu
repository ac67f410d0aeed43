// The last command of a table: takes the drawn token, moves the step block to the next one, decides whether to stop. One
// block. What a step of one row and one sequence needs is read together with the header.
extern "C" __global__ void __launch_bounds__(512) advance(Header* step, const Pick* picks, u32* tokens) {
    constexpr u32 CHUNKS = (C_VOCAB + C_CHUNK - 1) / C_CHUNK, WARPS = 512 / 32;
    __shared__ Pick shared[WARPS];
    launch_dependents();
    wait_dependencies();
    uint4* words = reinterpret_cast<uint4*>(step);
    uint4 low = load_now(words), high = load_now(words + 1);
    u32 lane = threadIdx.x % 32;
    Seq* seq = const_cast<Seq*>(step_seq(step, 0));
    u32 limit = load_now(&seq->limit), eos_count = load_now(&seq->eos_count);
    u32 eos = load_now(seq->eos + lane % MAX_EOS);
    u32 rows = low.x, head_rows = low.y, seqs_cap = low.z;
    // A lowering may replay past a stop; then nothing changes.
    if (rows == 0 || low.w != STOP_NONE) return;
    Row last = step_row(step, rows - 1);
    Pick none = {-INFINITE, 0xffffffffu}, top = none;
    if (head_rows > 0) {
        const Pick* of = picks + (u64)(head_rows - 1) * CHUNKS;
#pragma unroll 4
        for (u32 i = threadIdx.x; i < CHUNKS; i += 512) top = better(top, of[i]);
        top = warp_best(top);
        if (lane == 0) shared[threadIdx.x / 32] = top;
        __syncthreads();
        if (threadIdx.x >= 32) return;
        top = warp_best(lane < WARPS ? shared[lane] : none);
    }
    if (threadIdx.x >= 32) return;
    if (last.seq != 0) {
        seq = const_cast<Seq*>(step_seq(step, last.seq));
        limit = seq->limit, eos_count = seq->eos_count, eos = seq->eos[lane % MAX_EOS];
    }
    u32 len = last.pos + 1;
    bool ends = __any_sync(0xffffffffu, lane < min(eos_count, (u32)MAX_EOS) && eos == top.token);
    if (lane != 0) return;
    seq->len = len;
    high.x += 1;  // steps
    if (head_rows > 0) {
        if (!(fabsf(top.score) < INFINITE) || top.token >= C_VOCAB) {
            low.w = STOP_NOT_FINITE;
        } else {
            high.y = top.token;  // last_token
            high.z += 1;         // drawn
            low.w = ends ? STOP_EOS : len >= limit ? STOP_LIMIT : STOP_NONE;
            if (len < C_MAX_SEQ) tokens[(u64)last.seq * C_MAX_SEQ + len] = top.token;
        }
        uint2* row = reinterpret_cast<uint2*>(const_cast<Seq*>(step_seq(step, seqs_cap)));
        *row = make_uint2(last.seq, len);
        low.x = 1, low.y = 1;
    }
    words[0] = low;
    words[1] = high;
}
