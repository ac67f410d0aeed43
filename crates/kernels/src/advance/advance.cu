// The last command of a table: takes the drawn tokens, moves the step block to the next ones, decides who stops. One block.

constexpr u32 CHUNKS = (C_VOCAB + C_CHUNK - 1) / C_CHUNK, THREADS = C_HEADS == 0 ? 512 : 1024, WARPS = THREADS / 32;

// The one sequence of a session. What a step of one row needs is read together with the header.
DEVICE void advance_session(Header* step, const Pick* picks, u32* tokens) {
    __shared__ Pick shared[WARPS];
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
        for (u32 i = threadIdx.x; i < CHUNKS; i += THREADS) top = better(top, of[i]);
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

// All heads of a batch: a warp finds a head's token, then a thread takes it. Sequences that go on keep their order.
DEVICE void advance_batch(Header* step, const Pick* picks, u32* tokens) {
    constexpr u32 NO_TOKEN = 0xffffffffu;
    __shared__ u32 drawn[THREADS], going[WARPS];
    uint4* words = reinterpret_cast<uint4*>(step);
    uint4 low = __ldcg(words), high = __ldcg(words + 1), more = __ldcg(words + 2);
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, n = min(low.y, (u32)C_HEADS);
    if (low.w != STOP_NONE) return;
    // A warp asks for picks of so many heads at once; heads that are not there are the last one.
    constexpr u32 AHEAD = 4;
    for (u32 h = warp; h < n; h += WARPS * AHEAD) {
        const uint2* of[AHEAD];
        Pick top[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) {
            of[k] = reinterpret_cast<const uint2*>(picks + (u64)min(h + k * WARPS, n - 1) * CHUNKS);
            top[k] = {-INFINITE, NO_TOKEN};
        }
        for (u32 first = lane; first < CHUNKS; first += 128) {
            uint2 p[4][AHEAD];
#pragma unroll
            for (u32 j = 0; j < 4; j++) {
#pragma unroll
                for (u32 k = 0; k < AHEAD; k++) p[j][k] = __ldcg(of[k] + min(first + 32 * j, CHUNKS - 1));
            }
#pragma unroll
            for (u32 j = 0; j < 4; j++) {
#pragma unroll
                for (u32 k = 0; k < AHEAD; k++) top[k] = better(top[k], {__uint_as_float(p[j][k].x), p[j][k].y});
            }
        }
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) {
            Pick best = warp_best(top[k]);
            bool good = fabsf(best.score) < INFINITE && best.token < C_VOCAB;
            if (lane == 0 && h + k * WARPS < n) drawn[h + k * WARPS] = good ? best.token : NO_TOKEN;
        }
    }
    __syncthreads();
    u32 i = threadIdx.x, token = NO_TOKEN, stop = STOP_NOT_FINITE;
    uint4* head = reinterpret_cast<uint4*>(const_cast<Head*>(step_heads(step, high.w))) + i;
    uint2* rows = reinterpret_cast<uint2*>(const_cast<Seq*>(step_seq(step, low.z)));
    uint2 row = {0, 0};
    u32 own = 0;
    Seq* seq = nullptr;
    if (i < n) {
        own = __ldcg(&head->x);
        row = __ldcg(rows + own);
        row.y++;
        token = drawn[i];
        seq = const_cast<Seq*>(step_seq(step, row.x));
        u32 eos_count = min(__ldcg(&seq->eos_count), (u32)MAX_EOS);
        if (token != NO_TOKEN) {
            stop = row.y >= __ldcg(&seq->limit) ? STOP_LIMIT : STOP_NONE;
            for (u32 e = 0; e < eos_count; e++) {
                if (__ldcg(&seq->eos[e]) == token) stop = STOP_EOS;
            }
        }
    }
    // Those who go on, of this warp and of those before it. The barrier also stands between the reads of rows and heads and
    // their writes, which are at other places.
    bool goes = stop == STOP_NONE;
    u32 mask = __ballot_sync(0xffffffffu, goes), next = __popc(mask & ((1u << lane) - 1)), all = 0;
    if (lane == 0) going[warp] = __popc(mask);
    __syncthreads();
    for (u32 w = 0; w < WARPS; w++) {
        if (w < warp) next += going[w];
        all += going[w];
    }
    if (i < n) {
        seq->len = row.y;
        seq->stop = stop;
        if (token != NO_TOKEN && row.y < C_MAX_SEQ) tokens[(u64)row.x * C_MAX_SEQ + row.y] = token;
        // A head's row in the next step, and what a head of this one drew.
        *head = make_uint4(i < all ? i : own, row.x, token, row.y);
        if (goes) rows[next] = row;
    }
    if (i == 0) {
        low.x = low.y = all;
        low.w = all == 0 ? STOP_LIMIT : STOP_NONE;
        high.x += 1;  // steps
        high.z += n;  // drawn
        more.y = n;   // drew
        words[0] = low, words[1] = high, words[2] = more;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) advance(Header* step, const Pick* picks, u32* tokens) {
    launch_dependents();
    wait_dependencies();
    if constexpr (C_HEADS == 0) advance_session(step, picks, tokens);
    else advance_batch(step, picks, tokens);
}
