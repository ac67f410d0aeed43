// The kernel of a persistent table: one block on every multiprocessor runs up to LAUNCH_STEPS steps. Operations come
// before this text, with `run_command` and `send_command` for the table's list (persistent.rs).
//
// All blocks must be on the device at once, or those that are would wait for those that are not. Nobody grants that: a
// kernel of another stream may hold some multiprocessors. So the blocks meet first. The last one to come decides that
// the launch runs, and then all are there; a block that has waited too long decides that it does not, and then all
// leave, nothing has happened, and the graph repeats the launch. One compare-and-swap makes it one decision. Two
// persistent kernels that hold a part each wait for different times, so one of them leaves first.

struct Links {
    Header* step;
    Control* control;
    Mapped* mapped;
    Persist* persist;
    const Command* commands;
    const u32* shares;   // [COMMANDS, blocks + 1]: where each block's outputs begin
    u32* counters;       // one to a line of 128 bytes
    u64 base;
    u64 positions;       // of the belt and the cache
};

DEVICE bool admitted(Persist* p) {
    u32 undecided = 4 * p->launch + UNDECIDED;
    u32 before = atomicAdd(&p->arrived, 1u);
    if (before + 1 == (p->launch + 1) * gridDim.x) atomicCAS(&p->decision, undecided, undecided + RUN);
    u64 start = global_time();
    // 0.5 to 4 ms.
    u64 patience = 500000 + (u32)(start ^ start >> 20 ^ (u64)p) % 3500000;
    u32 decision;
    while ((decision = load_acquire(&p->decision)) == undecided) {
        if (global_time() - start > patience) atomicCAS(&p->decision, undecided, undecided + RETRY);
    }
    return decision == undecided + RUN;
}

// Block 0's link to the host, beside the steps: passes tokens on, and the host's wish to stop.
DEVICE void keep_in_touch(Shared& s, Control* c, Mapped* m) {
    u32 done = 0;
    for (;;) {
        *reinterpret_cast<volatile u32*>(&s.cancel) = m->cancel;
        bool end = load_volatile(&s.end);
        __threadfence_block();
        if (load_volatile(&s.mail) == done) {
            if (end) return;
            __nanosleep(200);
            continue;
        }
        m->ring[c->drawn % RING] = load_volatile(&s.mails[done % 2]);
        __threadfence_system();
        c->drawn += 1;
        m->drawn = c->drawn;
        done++;
        *reinterpret_cast<volatile u32*>(&s.mail_done) = done;
    }
}

// A token that the step drew, to the host; one thread of block 0.
DEVICE void hand_over(const Worker& w) {
    Shared& s = w.s;
    for (u32 n = 0; s.mail - load_volatile(&s.mail_done) >= 2; n++) {
        if (w.late(n)) return;
    }
    s.mails[s.mail % 2] = s.header.last_token;
    __threadfence_block();
    *reinterpret_cast<volatile u32*>(&s.mail) = s.mail + 1;
}

DEVICE void consume(Shared& s, const Links& l, u32 steps) {
    Worker w(s, l.base, l.counters, &l.persist->failed, l.persist->epoch);
    u32 done = 0, seen = s.header.drawn;
    while (done < steps) {
        if (w.t == 0) s.deadline = global_time() + STEP_TIME;
        w.parity = w.epoch & 1 ? PARITY : 0;
        sync_consumers(BAR_ALL);
#pragma unroll 1
        for (u32 i = 0; i < COMMANDS; i++) {
            w.begin();
            run_command(w, s.commands[i]);
        }
        w.epoch++, done++, w.first_step = false;
        // One thread decides for the block, on what `gather` has told all blocks alike. (Only `abort` is the block's own;
        // the others then miss this block, and end too.)
        if (w.t == 0) {
            bool cancelled = s.cancelled && s.header.stop == STOP_NONE;
            s.over = cancelled || s.header.stop != STOP_NONE || load_volatile(&s.abort) || s.row.pos >= l.positions;
            if (blockIdx.x == 0) {
                if (s.header.drawn != seen) hand_over(w);
                if (cancelled) l.step->stop = STOP_CANCELLED;
            }
            seen = s.header.drawn;
        }
        sync_consumers(BAR_OP);
        if (s.over) break;
    }
    if (w.t != 0) return;
    if (blockIdx.x == 0) {
        l.persist->epoch = w.epoch;
        l.control->seen = seen;
        l.control->steps -= done;
    }
    s.consumed = w.consumed;
    __threadfence_block();
    *reinterpret_cast<volatile u32*>(&s.end) = 1;
}

extern "C" __global__ void __launch_bounds__(CONSUMERS + 128, 1)
    persistent(Links l) {
    extern __shared__ __align__(128) u8 raw[];
    static_assert(sizeof(Shared) <= SHARED, "as persistent.rs says");
    Shared& s = *reinterpret_cast<Shared*>(raw);
    if (l.persist->failed) return;
    u32 steps = min(l.control->steps, LAUNCH_STEPS);
    if (threadIdx.x == 0) {
        for (u32 i = 0; i < STAGES; i++) {
            barrier_init(shared_address(&s.full[i]), 1);
            barrier_init(shared_address(&s.empty[i]), WARPS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;" ::: "memory");
        s.header = *l.step;
        s.seq = *step_seq(l.step, 0);
        s.row = step_row(l.step, 0);
        s.has_token = 0, s.cancel = 0, s.cancelled = 0, s.abort = 0, s.over = 0;
        s.end = 0, s.consumed = 0, s.mail = 0, s.mail_done = 0;
        s.go = admitted(l.persist);
    }
    const u32* words = reinterpret_cast<const u32*>(l.commands);
    for (u32 i = threadIdx.x; i < COMMANDS * 16; i += CONSUMERS + 128) {
        u32 in = i % 16, word = words[i];
        const u32* share = l.shares + i / 16 * (gridDim.x + 1) + blockIdx.x;
        if (in == 1) word = share[0];
        if (in == 2) word = share[1] - share[0];
        // A buffer of the block's own.
        if (in >= 7 && (words[i / 16 * 16 + 1] >> (in - 7) & 1)) word += blockIdx.x * PRIVATE;
        reinterpret_cast<u32*>(s.commands)[i] = word;
    }
    __syncthreads();
    if (!s.go) return;
    if (s.header.rows == 0 || steps == 0 || s.row.pos >= l.positions) {
        // No active row, or none that has a place: the steps are nothing.
        if (blockIdx.x == 0 && threadIdx.x == 0) l.control->steps = 0;
        return;
    }
    if (threadIdx.x < CONSUMERS) {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        consume(s, l, steps);
    } else {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == CONSUMERS) {
            Producer producer(s);
            for (u32 n = 0; n < steps && !producer.stopped; n++) {
                for (u32 i = 0; i < COMMANDS && !producer.stopped; i++) send_command(producer, s.commands[i], l.base);
            }
            producer.drain();
        } else if (threadIdx.x == CONSUMERS + 32 && blockIdx.x == 0) {
            keep_in_touch(s, l.control, l.mapped);
        }
    }
}
