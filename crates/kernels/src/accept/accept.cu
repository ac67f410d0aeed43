// The last command of a table that verifies drafts: takes the draws that count, moves the step block on, and drafts anew. One block.

constexpr u32 CHUNKS = (C_VOCAB + C_CHUNK - 1) / C_CHUNK, THREADS = 1024, WARPS = THREADS / 32, LONGEST = 16, SURE = 8;
constexpr u32 NO_TOKEN = 0xffffffffu;

// A head of this step: its row, what it drew, and what becomes of that.
struct Drawn {
    u32 seq, pos, token, stop;
    bool meets;   // the draft after it is what it drew
    bool counts;  // all before it of its sequence meet
};

// Where a text of `len` + 1 tokens goes on like its end, the longest and of those the last: (length, place), or 0.
DEVICE u64 longest_match(const u32* belt, u32 len, u64* shared) {
    u32 last = __ldcg(belt + len);
    u64 best = 0;
    for (u32 j = threadIdx.x; j < len; j += THREADS) {
        if (__ldcg(belt + j) != last) continue;
        u32 n = 1;
        while (n < LONGEST && n <= j && __ldcg(belt + j - n) == __ldcg(belt + len - n)) n++;
        best = max(best, (u64)n << 32 | j + 1);
    }
    for (u32 d = 16; d; d /= 2) best = max(best, __shfl_xor_sync(0xffffffffu, best, d));
    __syncthreads();
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = best;
    __syncthreads();
    best = shared[threadIdx.x % 32];
    for (u32 d = 16; d; d /= 2) best = max(best, __shfl_xor_sync(0xffffffffu, best, d));
    return best;
}

extern "C" __global__ void __launch_bounds__(THREADS) accept(Header* step, const Pick* picks, u32* tokens, Draft* drafts) {
    __shared__ Drawn drawn[C_ROWS];
    __shared__ u32 going[C_ROWS], counted, goes;
    __shared__ u64 matches[WARPS];
    launch_dependents();
    wait_dependencies();
    uint4* words = reinterpret_cast<uint4*>(step);
    uint4 low = __ldcg(words), high = __ldcg(words + 1), more = __ldcg(words + 2);
    // A lowering may replay past a stop; then nothing changes.
    if (low.w != STOP_NONE) return;
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, n = min(low.y, (u32)C_ROWS);
    uint4* heads = reinterpret_cast<uint4*>(const_cast<Head*>(step_heads(step, high.w)));
    uint2* rows = reinterpret_cast<uint2*>(const_cast<Seq*>(step_seq(step, low.z)));
    for (u32 h = warp; h < n; h += WARPS) {
        const uint2* of = reinterpret_cast<const uint2*>(picks + (u64)h * CHUNKS);
        Pick top = {-INFINITE, NO_TOKEN};
        for (u32 i = lane; i < CHUNKS; i += 32) {
            uint2 p = __ldcg(of + i);
            top = better(top, {__uint_as_float(p.x), p.y});
        }
        top = warp_best(top);
        if (lane != 0) continue;
        bool good = fabsf(top.score) < INFINITE && top.token < C_VOCAB;
        uint2 row = __ldcg(rows + __ldcg(&heads[h].x));
        Drawn d = {row.x, row.y + 1, good ? top.token : NO_TOKEN, STOP_NOT_FINITE, false, true};
        const Seq* seq = step_seq(step, d.seq);
        if (good) {
            d.stop = d.pos >= __ldcg(&seq->limit) ? STOP_LIMIT : STOP_NONE;
            u32 eos_count = min(__ldcg(&seq->eos_count), (u32)MAX_EOS);
            for (u32 e = 0; e < eos_count; e++) {
                if (__ldcg(&seq->eos[e]) == d.token) d.stop = STOP_EOS;
            }
            d.meets = d.stop == STOP_NONE && d.pos < C_MAX_SEQ && __ldcg(tokens + (u64)d.seq * C_MAX_SEQ + d.pos) == d.token;
        }
        drawn[h] = d;
    }
    // Rows, heads and drafts have been read; from here on they are written.
    __syncthreads();
    if (threadIdx.x == 0) {
        u32 drew = 0, on = 0;
        for (u32 i = 0; i < n; i++) {
            Drawn& d = drawn[i];
            bool first = i == 0 || drawn[i - 1].seq != d.seq, last = i + 1 == n || drawn[i + 1].seq != d.seq;
            d.counts = first || (drawn[i - 1].counts && drawn[i - 1].meets);
            if (!first) drafts[d.seq].drafted++;
            if (!d.counts) continue;
            if (!first) drafts[d.seq].accepted++;
            heads[drew] = make_uint4(heads[drew].x, d.seq, d.token, d.pos);
            drew++;
            if (d.token != NO_TOKEN && d.pos < C_MAX_SEQ) tokens[(u64)d.seq * C_MAX_SEQ + d.pos] = d.token;
            if (d.meets && !last) continue;
            // The sequence's last draw that counts.
            Seq* seq = const_cast<Seq*>(step_seq(step, d.seq));
            seq->len = d.pos;
            seq->stop = d.stop;
            if (d.stop == STOP_NONE) going[on++] = i;
        }
        counted = drew;
        goes = on;
    }
    __syncthreads();
    u32 row = 0, spare = C_ROWS - min(goes, (u32)C_ROWS);
    for (u32 g = 0; g < goes; g++) {
        Drawn d = drawn[going[g]];
        u32* belt = tokens + (u64)d.seq * C_MAX_SEQ;
        u32 end = min(__ldcg(&step_seq(step, d.seq)->limit), C_MAX_SEQ - 1u);
        u32 room = min(end > d.pos + 1 ? end - d.pos - 1 : 0, spare);
        u32 most = min(__ldcg(&drafts[d.seq].most), room), least = max(__ldcg(&drafts[d.seq].least), 1u), k = 0;
        if (most != 0) {
            u64 best = longest_match(belt, d.pos, matches);
            u32 matched = (u32)(best >> 32), from = (u32)best, period = d.pos + 1 - from;
            if (matched < SURE) most = min(most, __ldcg(&drafts[d.seq].unsure));
            k = best == 0 || matched < least ? 0 : min(2 * matched - 1, most);
            if (threadIdx.x < k) belt[d.pos + 1 + threadIdx.x] = __ldcg(belt + from + threadIdx.x % period);
        }
        if (threadIdx.x <= k) {
            rows[row + threadIdx.x] = make_uint2(d.seq, d.pos + threadIdx.x);
            reinterpret_cast<Head*>(heads)[row + threadIdx.x].row = row + threadIdx.x;
        }
        row += k + 1;
        spare -= k;
    }
    if (threadIdx.x == 0) {
        low.x = low.y = row;
        low.w = row == 0 ? STOP_LIMIT : STOP_NONE;
        high.x += 1;        // steps
        high.z += counted;  // drawn
        more.y = counted;   // drew
        words[0] = low, words[1] = high, words[2] = more;
    }
}
