// A block to a head. Thread t has the column of ids t, t + 1024, and so on. The likeliest tokens are found one after the other: each is
// the greatest of the columns' greatest keys, and its column's next one is found by all threads.

constexpr u32 THREADS = 1024, WARPS = THREADS / 32;

__shared__ u64 parts[WARPS];

// The greatest over the block, in every thread.
DEVICE u64 greatest(u64 v) {
#pragma unroll
    for (int o = 16; o; o >>= 1) v = max(v, __shfl_xor_sync(0xffffffffu, v, o));
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
    __syncthreads();
    v = parts[threadIdx.x % 32];
#pragma unroll
    for (int o = 16; o; o >>= 1) v = max(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
}

// Sum over the block, in every thread.
DEVICE u64 sum(u64 v) {
#pragma unroll
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
    __syncthreads();
    v = parts[threadIdx.x % 32];
#pragma unroll
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

// A token's key; 0 for NaN and minus infinity.
DEVICE u64 valid_key(float l, u32 id) {
    return l > -INFINITE ? key_of(l, id) : 0;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    log_probs(const Header* step, const Sampler* samplers, const float* raw_logits, const Pick* picks, LogProbs* records) {
    launch_dependents();
    wait_dependencies();
    u32 r = blockIdx.x;
    if (r >= step->head_rows) return;
    Row place = step_row(step, step_head_row(step, r));
    u32 asked = samplers[place.seq].logprobs;
    if (asked == 0) return;
    const float* x = raw_logits + (u64)r * C_VOCAB;
    u32 pos = place.pos + 1, drawn = picks[r].token, top = min(asked - 1, (u32)TOP);
    LogProbs* record = records + (u64)place.seq * RECORDS + pos % RECORDS;
    if (threadIdx.x < TOP) record->top[threadIdx.x] = 0, record->top_log_probs[threadIdx.x] = 0.0f;
    if (threadIdx.x < 4) record->reserved[threadIdx.x] = 0;
    u64 own = 0;
#pragma unroll 4
    for (u32 i = threadIdx.x; i < C_VOCAB; i += THREADS) own = max(own, valid_key(x[i], i));
    u64 first = greatest(own);
    float best = first ? logit_of(first) : -INFINITE;
    if (!(best < INFINITE) || first == 0) {
        if (threadIdx.x == 0) {
            record->token = drawn, record->log_prob = -INFINITE, record->pos = pos, record->count = 0;
        }
        return;
    }
    u64 total = 0;
#pragma unroll 4
    for (u32 i = threadIdx.x; i < C_VOCAB; i += THREADS) total += mass(__fsub_rn(x[i], best));
    total = sum(total);
    float all = ln(__double2float_rn(__ddiv_rn(__ull2double_rn(total), 1099511627776.0)));
    u32 n = 0;
    for (u64 next = first; n < top && next; n++) {
        u32 id = ~(u32)next, column = id % THREADS;
        if (threadIdx.x == 0) {
            record->top[n] = id, record->top_log_probs[n] = __fsub_rn(__fsub_rn(logit_of(next), best), all);
        }
        if (n + 1 == top) {
            n++;
            break;
        }
        u64 rest = 0;
        for (u64 i = column + (u64)threadIdx.x * THREADS; i < C_VOCAB; i += (u64)THREADS * THREADS) {
            u64 key = valid_key(x[i], (u32)i);
            if (key < next) rest = max(rest, key);
        }
        rest = greatest(rest);
        if (threadIdx.x == column) own = rest;
        next = greatest(own);
    }
    if (threadIdx.x == 0) {
        float l = drawn < C_VOCAB ? x[drawn] : -INFINITE;
        record->token = drawn, record->pos = pos, record->count = n;
        record->log_prob = l == l ? __fsub_rn(__fsub_rn(l, best), all) : -INFINITE;
    }
}
