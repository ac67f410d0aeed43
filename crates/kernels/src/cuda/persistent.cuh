// The engine of the persistent form: one kernel of one block on every multiprocessor, which runs whole steps of a
// one-row table. Every block walks the same list of commands and does its own rows of each.
//
// Weights. One thread (`Producer`) walks the list ahead of the others and copies the block's rows, in order, into a
// ring in shared memory. The ring runs across commands and steps, so memory never waits for a dependency.
//
// What commands hand on ("carried" buffers, f32). There is no barrier between commands; a value is its own signal:
//   * every word of a carried buffer has one writer, the same thread of the same block in every step;
//   * there are two copies, for even and odd steps; a step writes one and fills the other with POISON, and nobody
//     writes POISON as a result (`result` sees to that);
//   * a reader takes a word when it is not POISON. So it never takes one of an earlier step: the copy it reads was
//     filled with POISON during the step before, and `gather`, which ends every step, orders all of one step in all
//     blocks before all of the next in any. For the same reason nobody still reads the copy that is filled.
// Counters of arrivals are hints only: they tell when looking is worth while.
//
// Votes. At a step's end every block gives its best pick in a slot of its own and releases a counter; every block
// waits for all of them (`gather`) and comes to the same verdict by itself.
//
// No wait is without an end: past the deadline of a step all waits of the block fall through, the step runs to its end
// on whatever values there are (no address depends on them), and the kernel ends, reporting a failure.
//
// Defines: STAGE (bytes of a stage), STAGES, COMMANDS, PARITY (64-byte units between the two copies), SCRATCH (bytes
// that a command may use).

constexpr u32 WARPS = 8, CONSUMERS = 32 * WARPS, PASS = 128, ARGS = 9;
constexpr u32 POISON = 0xffffffffu, NONE = 0xffffffffu;
// Named barriers.
enum { BAR_SUMS = 1 /* and 2 */, BAR_ALL = 3, BAR_OP = 4 };

struct Command {
    u32 kind;
    u32 first, rows;     // the block's share of the outputs
    u32 hint, arrivals;  // counter of the input's writer, and arrivals a step; NONE
    u32 own;             // counter of this command
    u32 param;
    u32 args[ARGS];      // of each binding: 64-byte units from the base
};
static_assert(sizeof(Command) == 64, "as the device writes it");

struct __align__(128) Shared {
    u8 ring[STAGES][STAGE];
    float sums[2][PASS][WARPS];
    u8 scratch[SCRATCH];
    Command commands[COMMANDS];
    float squares[2][WARPS];
    u64 full[STAGES], empty[STAGES];
    // The step block as this block has it: all blocks' copies move alike.
    Header header;
    Seq seq;
    Row row;
    u64 deadline, key;
    u32 has_token, token;
    u32 cancel;      // the host's wish, as block 0 last saw it
    u32 cancelled;   // what block 0 made of it, as all blocks know
    u32 abort;       // a wait has passed the deadline
    u32 over;        // the step was the launch's last
    u32 go, end, consumed;
    u32 mail, mail_done, mails[2];
};

// --- Memory ---

DEVICE u32 shared_address(const void* p) {
    return (u32)__cvta_generic_to_shared(p);
}

DEVICE void barrier_init(u32 b, u32 n) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(n) : "memory");
}

DEVICE void barrier_expect(u32 b, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(bytes) : "memory");
}

DEVICE bool barrier_done(u32 b, u32 parity) {
    u32 done;
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(b), "r"(parity)
        : "memory");
    return done;
}

DEVICE void bulk_copy(u32 to, const u8* from, u32 bytes, u32 barrier, u64 policy) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(to),
        "l"(from), "r"(bytes), "r"(barrier), "l"(policy)
        : "memory");
}

DEVICE uint4 load_shared(u32 at) {
    uint4 v;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(at) : "memory");
    return v;
}

DEVICE u32 load_volatile(const u32* shared) {
    return *reinterpret_cast<const volatile u32*>(shared);
}

DEVICE float4 load_relaxed4(const float* p) {
    float4 v;
    asm volatile("ld.relaxed.gpu.global.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p) : "memory");
    return v;
}

DEVICE float load_relaxed(const float* p) {
    float v;
    asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];" : "=f"(v) : "l"(p) : "memory");
    return v;
}

DEVICE u32 load_relaxed(const u32* p) {
    u32 v;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

DEVICE u64 load_relaxed(const u64* p) {
    u64 v;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}

DEVICE u32 load_acquire(const u32* p) {
    u32 v;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

DEVICE void store_relaxed(float* p, float v) {
    asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" ::"l"(p), "f"(v) : "memory");
}

DEVICE void store_relaxed(u64* p, u64 v) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}

DEVICE void add_relaxed(u32* p) {
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(p) : "memory");
}

DEVICE void add_release(u32* p) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(p) : "memory");
}

DEVICE void sync_consumers(u32 id) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "n"(CONSUMERS) : "memory");
}

DEVICE void arrive_consumers(u32 id) {
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "n"(CONSUMERS) : "memory");
}

DEVICE u64 global_time() {
    u64 t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

DEVICE bool poisoned(float v) {
    return __float_as_uint(v) == POISON;
}

// A result as it may be carried: the one NaN that is the poison becomes another.
DEVICE float result(float v) {
    return poisoned(v) ? __uint_as_float(0x7fffffffu) : v;
}

// --- Picks as numbers: a greater score is greater, then a lower id; 0 is no pick, and NaN is never picked ---

DEVICE u64 pick_key(float score, u32 token) {
    return score > -INFINITE ? (u64)score_order(score) << 32 | ~token : 0;
}

DEVICE Pick key_pick(u64 key) {
    u32 order = (u32)(key >> 32);
    Pick none = {-INFINITE, 0xffffffffu};
    if (key == 0) return none;
    Pick p = {__uint_as_float(order & 0x80000000u ? order & 0x7fffffffu : ~order), ~(u32)key};
    return p;
}

DEVICE u64 warp_max_key(u64 v) {
#pragma unroll
    for (u32 o = 16; o; o >>= 1) {
        u64 other = __shfl_xor_sync(0xffffffffu, v, o);
        v = other > v ? other : v;
    }
    return v;
}

// --- Matrices in the ring ---

// A matrix of rows of K values. Thread t takes units t, t + CONSUMERS, ... of 16 bytes of every row; a stage is a few
// whole rows.
template <u32 DTYPE, u32 WIDTH>
struct Matrix {
    using F = Dot<DTYPE, 0>;
    static constexpr u32 K = WIDTH, UNIT = F::UNIT, UNITS = K / UNIT, BYTES = UNITS * 16;
    static constexpr u32 PER_THREAD = (UNITS + CONSUMERS - 1) / CONSUMERS, VALUES = PER_THREAD * UNIT;
    static constexpr u32 FIT = STAGE / BYTES, MOST = PER_THREAD >= 8 ? 1 : 8 / PER_THREAD;
    static constexpr u32 FEW = FIT < MOST ? FIT : MOST;
    static constexpr u32 ROWS = FEW >= 4 ? 4 : FEW, PADDED = ROWS == 3 ? 4 : ROWS;
    static constexpr bool WHOLE = UNITS % CONSUMERS == 0;
    static_assert(K % UNIT == 0 && BYTES <= STAGE && VALUES <= 64, "as cuda/persistent.rs checks");
    // So a warp that writes a pass's sums knows that the sums of two passes before have been read: it holds a stage
    // that warp 0 freed the place of in the pass between.
    static_assert(PASS / ROWS >= STAGES, "a pass is longer than the ring");
};

struct Producer {
    Shared& s;
    u32 slot, phase, issued;
    u64 policy;
    bool stopped;

    DEVICE explicit Producer(Shared& shared) : s(shared), slot(0), phase(1), issued(0), stopped(false) {
        asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    }

    // The place of the next stage, when it is free; false when the kernel ends.
    DEVICE bool next() {
        while (!load_volatile(&s.end)) {
            if (barrier_done(shared_address(&s.empty[slot]), phase)) return true;
        }
        stopped = true;
        return false;
    }

    // The block's share of a matrix, in passes. With HALVES == 2 an output has two rows, `outputs` apart; a pass has the
    // first halves of its outputs, then the second ones.
    template <class M, u32 HALVES>
    DEVICE void send(const u8* w, u32 first, u32 rows, u32 outputs) {
#pragma unroll 1
        for (u32 from = 0; from < rows; from += PASS / HALVES) {
            u32 n = min(PASS / HALVES, rows - from), all = n * HALVES;
#pragma unroll 1
            for (u32 i = 0; i < all; i += M::ROWS) {
                if (!next()) return;
                u32 count = min(M::ROWS, all - i), lower = i < n ? min(count, n - i) : 0, upper = count - lower;
                u32 to = shared_address(s.ring[slot]), full = shared_address(&s.full[slot]);
                barrier_expect(full, count * M::BYTES);
                if (lower) bulk_copy(to, w + (u64)(first + from + i) * M::BYTES, lower * M::BYTES, full, policy);
                if (upper) {
                    u64 row = outputs + first + from + (i + lower - n);
                    bulk_copy(to + lower * M::BYTES, w + row * M::BYTES, upper * M::BYTES, full, policy);
                }
                issued++;
                if (++slot == STAGES) slot = 0, phase ^= 1;
            }
        }
    }

    // Copies under way must land before the block's memory is another's.
    DEVICE void drain() {
        while (!load_volatile(&s.end)) __nanosleep(100);
        __threadfence_block();
        for (u32 i = load_volatile(&s.consumed); i != issued; i++) {
            while (!barrier_done(shared_address(&s.full[i % STAGES]), i / STAGES & 1)) {}
        }
    }
};

struct Worker {
    Shared& s;
    u64 base;
    u32* counters;
    u32* failed;
    u32 warp, lane, t;
    u32 slot, phase, consumed, buffer, norms;
    // This step: its number since the table was lowered, its copies, whether it is the launch's first.
    u32 epoch, parity;
    bool first_step;
    // Where the last votes are.
    u64* votes;
    u32 votes_counter;

    DEVICE Worker(Shared& shared, u64 base_address, u32* all_counters, u32* fail, u32 steps_before)
        : s(shared), base(base_address), counters(all_counters), failed(fail), slot(0), phase(0), consumed(0), buffer(0),
          norms(0), epoch(steps_before), parity(0), first_step(true), votes(nullptr), votes_counter(0) {
        begin();
    }

    // Before each command. Nothing derived from the thread's number is the same for two commands as far as the compiler
    // sees: it would keep all commands' addresses in registers, and then in local memory.
    DEVICE void begin() {
        asm volatile("mov.u32 %0, %%tid.x;" : "=r"(t));
        warp = t / 32, lane = t % 32;
    }

    // --- Addresses ---

    template <class T>
    DEVICE T* place(const Command& c, u32 i) const {
        return reinterpret_cast<T*>(base + (u64)c.args[i] * 64);
    }
    DEVICE float* carried(const Command& c, u32 i) const {
        return reinterpret_cast<float*>(base + (u64)(c.args[i] + parity) * 64);
    }
    DEVICE float* other(const Command& c, u32 i) const {
        return reinterpret_cast<float*>(base + (u64)(c.args[i] + (PARITY - parity)) * 64);
    }
    DEVICE u32* counter(u32 i) const { return counters + i * 32; }

    // --- Waits ---

    // Looks at the clock now and then; true when waiting has no sense any more.
    DEVICE bool late(u32 tries) const {
        if ((tries & 511u) != 511u) return false;
        if (load_volatile(&s.abort)) return true;
        if (global_time() < s.deadline && load_relaxed(failed) == 0) return false;
        *reinterpret_cast<volatile u32*>(&s.abort) = 1;
        atomicExch(failed, 1u);
        return true;
    }
    DEVICE bool warp_late(u32 tries) const {
        return (tries & 511u) == 511u && __any_sync(0xffffffffu, late(tries));
    }

    // All consumers, when the input is likely to be there.
    DEVICE void wait_hint(const Command& c) const {
        if (c.hint != NONE && warp == 1 && lane == 0) {
            u32 target = c.arrivals * (epoch + 1);
#pragma unroll 1
            for (u32 n = 0; (i32)(load_relaxed(counter(c.hint)) - target) < 0; n++) {
                if (late(n)) break;
            }
        }
        sync_consumers(BAR_ALL);
    }

    // One word.
    DEVICE float take(const float* p) const {
        float v = load_relaxed(p);
#pragma unroll 1
        for (u32 n = 0; poisoned(v); n++) {
            if (late(n)) break;
            v = load_relaxed(p);
        }
        return v;
    }

    // Part `i` of this thread's units: 4 values.
    template <class M>
    DEVICE void load_part(float (&x)[M::VALUES], const float* p, u32 i) const {
        u32 unit = t + i / (M::UNIT / 4) * CONSUMERS;
        float4 v = make_float4(0, 0, 0, 0);
        if (M::WHOLE || unit < M::UNITS) v = load_relaxed4(p + unit * M::UNIT + i % (M::UNIT / 4) * 4);
        x[4 * i] = v.x, x[4 * i + 1] = v.y, x[4 * i + 2] = v.z, x[4 * i + 3] = v.w;
    }

    // This thread's units of a row of carried values.
    template <class M>
    DEVICE void load(float (&x)[M::VALUES], const float* p) const {
        constexpr u32 PARTS = M::VALUES / 4;
#pragma unroll
        for (u32 i = 0; i < PARTS; i++) load_part<M>(x, p, i);
#pragma unroll 1
        for (u32 n = 0;; n++) {
            bool missing = false;
#pragma unroll
            for (u32 i = 0; i < M::VALUES; i++) missing = missing || poisoned(x[i]);
            if (!__any_sync(0xffffffffu, missing) || warp_late(n)) break;
#pragma unroll
            for (u32 i = 0; i < PARTS; i++) {
                if (poisoned(x[4 * i]) || poisoned(x[4 * i + 1]) || poisoned(x[4 * i + 2]) || poisoned(x[4 * i + 3])) load_part<M>(x, p, i);
            }
        }
    }

    // --- Results ---

    // Gives word `i` of a carried buffer, and empties it for the next step.
    DEVICE void put(const Command& c, u32 arg, u32 i, float v) const {
        store_relaxed(carried(c, arg) + i, result(v));
        store_relaxed(other(c, arg) + i, __uint_as_float(POISON));
    }

    // This warp has put its results. Only a hint: it orders nothing.
    DEVICE void arrived(const Command& c) const {
        __syncwarp();
        if (lane == 0) add_relaxed(counter(c.own));
    }

    // --- Products ---

    DEVICE void advance_ring() {
        consumed++;
        if (++slot == STAGES) slot = 0, phase ^= 1;
    }

    template <class M>
    struct Group {
        uint4 w[M::ROWS * M::PER_THREAD];
        u32 stage;
    };

    template <class M>
    DEVICE void fetch(Group<M>& g) {
        g.stage = slot;
        u32 full = shared_address(&s.full[slot]);
#pragma unroll 1
        for (u32 n = 0; !barrier_done(full, phase); n++) {
            if (late(n)) break;
        }
        u32 at = shared_address(s.ring[slot]) + t * 16;
        advance_ring();
#pragma unroll
        for (u32 r = 0; r < M::ROWS; r++) {
#pragma unroll
            for (u32 i = 0; i < M::PER_THREAD; i++) {
                // What lies behind a row is not multiplied: it may be anything, and 0 times NaN is NaN.
                uint4 v = make_uint4(0, 0, 0, 0);
                if (M::WHOLE || t + i * CONSUMERS < M::UNITS) v = load_shared(at + r * M::BYTES + i * CONSUMERS * 16);
                g.w[r * M::PER_THREAD + i] = v;
            }
        }
    }

    // The stage goes back when its loads have returned, which are in order: an arrival would overtake loads that wait
    // in the queue. So it is made to depend on the last one's value, whatever it is.
    template <class M>
    DEVICE void release(const Group<M>& g) {
        __syncwarp();
        if (lane == 0) {
            asm volatile(
                "{\n.reg .pred p;\n"
                "setp.ne.u32 p, %1, 0x7fc17fc3;\n"
                "@p mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];\n"
                "@!p mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];\n}" ::"r"(shared_address(&s.empty[g.stage])),
                "r"(g.w[M::ROWS * M::PER_THREAD - 1].w)
                : "memory");
        }
    }

    template <class M, u32 SUMS>
    DEVICE static void dots(const Group<M>& g, const float (&x)[M::VALUES], float (&acc)[SUMS], u32 at) {
#pragma unroll
        for (u32 r = 0; r < M::ROWS; r++) {
            float sum = 0.0f;
#pragma unroll
            for (u32 i = 0; i < M::PER_THREAD; i++) {
                float v[M::UNIT], d = 0.0f;
                M::F::values({g.w[r * M::PER_THREAD + i]}, v);
#pragma unroll
                for (u32 j = 0; j < M::UNIT; j++) d = __fmaf_rn(v[j], x[i * M::UNIT + j], d);
                sum = i == 0 ? d : sum + d;
            }
            acc[at + r] = sum;
        }
    }

    // N sums over 32 lanes; the lane ends with the value whose number is its upper bits.
    template <u32 N>
    DEVICE float add_lanes(float (&a)[N]) const {
        u32 away = 16;
#pragma unroll
        for (u32 n = N; n > 1; n >>= 1, away >>= 1) {
            bool upper = lane & away;
#pragma unroll
            for (u32 i = 0; i < n / 2; i++) {
                float keep = upper ? a[i + n / 2] : a[i], give = upper ? a[i] : a[i + n / 2];
                a[i] = keep + __shfl_xor_sync(0xffffffffu, give, away);
            }
        }
        float sum = a[0];
#pragma unroll
        for (u32 o = 16 / N; o; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
        return sum;
    }

    // The next `rows` rows of the ring times x: each warp's share of the sums. Two stages are on their way at a time.
    template <class M>
    DEVICE void product(const float (&x)[M::VALUES], u32 rows) {
        constexpr u32 SUMS = 2 * M::PADDED, LANES = 32 / SUMS;
        u32 stages = (rows + M::ROWS - 1) / M::ROWS, number = lane / LANES;
        u32 half = number / M::PADDED, in = number % M::PADDED;
        bool stores = lane % LANES == 0 && in < M::ROWS;
        // Written on every path: else the compiler keeps what another command left in these registers.
        Group<M> a = {}, b = {};
        if (stages) fetch<M>(a);
#pragma unroll 1
        for (u32 i = 0; i < stages; i += 2) {
            bool second = i + 1 < stages;
            if (second) fetch<M>(b);
            float acc[SUMS];
#pragma unroll
            for (u32 j = 0; j < SUMS; j++) acc[j] = 0.0f;
            release<M>(a);
            dots<M>(a, x, acc, 0);
            if (i + 2 < stages) fetch<M>(a);
            if (second) {
                release<M>(b);
                dots<M>(b, x, acc, M::PADDED);
            }
            float v = add_lanes<SUMS>(acc);
            u32 row = (i + half) * M::ROWS + in;
            if (stores && row < rows) s.sums[buffer][row][warp] = v;
        }
    }

    // The warps' shares are complete: true in warp 0, which goes on with them.
    DEVICE bool meet() const {
        if (warp == 0) {
            sync_consumers(BAR_SUMS + buffer);
            return true;
        }
        arrive_consumers(BAR_SUMS + buffer);
        return false;
    }

    DEVICE float sum_of(u32 row) const {
        const float4* p = reinterpret_cast<const float4*>(s.sums[buffer][row]);
        float4 a = p[0], b = p[1];
        return ((a.x + a.y) + (a.z + a.w)) + ((b.x + b.y) + (b.z + b.w));
    }

    // Weighs x for a norm; its sum of squares is for `inverse_rms`.
    template <class M>
    DEVICE void weigh(float (&x)[M::VALUES], const float (&gain)[M::VALUES]) {
        float q = 0.0f;
#pragma unroll
        for (u32 i = 0; i < M::VALUES; i++) q = __fmaf_rn(x[i], x[i], q);
        q = warp_sum(q);
        norms ^= 1;
        if (lane == 0) s.squares[norms][warp] = q;
#pragma unroll
        for (u32 i = 0; i < M::VALUES; i++) x[i] *= gain[i];
    }

    template <class M>
    DEVICE void load_gain(float (&gain)[M::VALUES], const float* p) const {
#pragma unroll
        for (u32 i = 0; i < M::VALUES / 4; i++) {
            u32 unit = t + i / (M::UNIT / 4) * CONSUMERS;
            float4 v = make_float4(0, 0, 0, 0);
            if (M::WHOLE || unit < M::UNITS) v = __ldg(reinterpret_cast<const float4*>(p + unit * M::UNIT + i % (M::UNIT / 4) * 4));
            gain[4 * i] = v.x, gain[4 * i + 1] = v.y, gain[4 * i + 2] = v.z, gain[4 * i + 3] = v.w;
        }
    }

    // The command's input for a product behind a norm: weighed, once it is there.
    template <class M>
    DEVICE void load_weighed(float (&x)[M::VALUES], const Command& c) {
        float gain[M::VALUES];
        load_gain<M>(gain, place<float>(c, 2));
        wait_hint(c);
        load<M>(x, carried(c, 1));
        weigh<M>(x, gain);
    }

    template <class M>
    DEVICE float inverse_rms(float eps) const {
        float q = 0.0f;
#pragma unroll
        for (u32 i = 0; i < WARPS; i++) q += s.squares[norms][i];
        return 1.0f / sqrtf(q / (float)M::K + eps);
    }

    // The block's share of a product, in passes. E: `ahead(from, n)` loads what `put` needs; `put(from, n)` takes the
    // sums of a pass, in warp 0; `done()` ends the command, in warp 0.
    template <class M, u32 HALVES, class E>
    DEVICE void products(const Command& c, const float (&x)[M::VALUES], E& e) {
#pragma unroll 1
        for (u32 from = 0; from < c.rows; from += PASS / HALVES) {
            u32 n = min(PASS / HALVES, c.rows - from);
            if (from && warp == 0) e.ahead(from, n);
            product<M>(x, n * HALVES);
            if (meet()) e.put(from, n);
            buffer ^= 1;
        }
        if (warp == 0) e.done();
    }

    // --- Votes ---

    // This block's pick; warp 0. Releases everything that the block has done.
    DEVICE void vote(const Command& c, u32 arg, u64 key) const {
        __syncwarp();
        if (lane != 0) return;
        u64* slots = reinterpret_cast<u64*>(carried(c, arg));
        store_relaxed(slots + blockIdx.x, key);
        if (blockIdx.x == 0) store_relaxed(slots + gridDim.x, (u64)load_volatile(&s.cancel));
        add_release(counter(c.own));
    }

    // Where the votes are that the next `gather` counts; all threads.
    DEVICE void votes_at(const Command& c, u32 arg) {
        votes = reinterpret_cast<u64*>(carried(c, arg));
        votes_counter = c.own;
    }

    // The best pick of all blocks, in every thread of every block. What any block did before its vote is done.
    DEVICE u64 gather() const {
        if (warp == 1) {
            if (lane == 0) {
                u32 target = gridDim.x * (epoch + 1);
#pragma unroll 1
                for (u32 n = 0; (i32)(load_acquire(counter(votes_counter)) - target) < 0; n++) {
                    if (late(n)) break;
                }
            }
            __syncwarp();
            u64 best = 0;
#pragma unroll 1
            for (u32 i = lane; i < gridDim.x; i += 32) {
                u64 v = load_relaxed(votes + i);
                best = v > best ? v : best;
            }
            u64 wish = lane == 0 ? load_relaxed(votes + gridDim.x) : 0;
            best = warp_max_key(best);
            if (lane == 0) s.key = best, s.cancelled = wish != 0;
        }
        sync_consumers(BAR_ALL);
        return s.key;
    }
};
