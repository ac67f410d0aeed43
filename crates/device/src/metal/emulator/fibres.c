/* Runs threadgroups, one after the other: a fibre for each thread, in an order of one's choice, which changes at barriers alone. A result
   that depends on the order misses a barrier; a barrier that not all threads come to is an error. */
#undef thread
#undef device
#undef constant
#undef threadgroup
#undef uint
#undef int

enum { READY, WAITING, DONE };
enum { THREADS = 1024, SHARED = 32 << 10, STACK = 64 << 10 };

struct Fibre {
    jmp_buf at;
    int state;
    uint line, position, allocated;
};

/* What the host gives; see `Launch` in library.rs. */
struct Launch {
    const void *args;
    uint groups[3];
    uint first, last; /* of the groups, x fastest */
    uint threads;
    uint order; /* 0 forward, 1 backward, others shuffled */
    uchar *memory;
    ulong memory_bytes;
    uint failed_at; /* a line, where a barrier is not reached by all */
};

struct Run {
    jmp_buf scheduler;
    struct Fibre *fibres, *now;
    const struct Launch *launch;
    uint group[3];
    uint shared_used, exchanges;
    uchar *shared;
    ucontext_t home;
};

static _Thread_local struct Run *run;

/* Not inlined: what runs on after a jump finds its variables as they were. */
static __attribute__((noinline)) void give_way(void) {
    if (!_setjmp(run->now->at)) _longjmp(run->scheduler, 1);
}

static __attribute__((noinline)) void resume(struct Fibre *f) {
    run->now = f;
    if (!_setjmp(run->scheduler)) _longjmp(f->at, 1);
}

static void barrier(uint line) {
    run->now->state = WAITING;
    run->now->line = line;
    give_way();
}

static uint fails_now(void) { return run->exchanges++ % 3 == 2; }

/* Every thread asks for the same, in the same order. */
static void *shared_memory(uint bytes) {
    struct Fibre *f = run->now;
    uint from = (f->allocated + 15) / 16 * 16;
    f->allocated = from + bytes;
    if (f->allocated > run->shared_used) run->shared_used = f->allocated;
    /* Too much is reported after the group; until then it is the same bytes. */
    return run->shared + (f->allocated > SHARED ? 0 : from);
}

static void call(const void *args, const uint *group, uint position);

static void fibre(void) {
    for (;;) {
        struct Fibre *f = run->now;
        call(run->launch->args, run->group, f->position);
        f->state = DONE;
        give_way();
    }
}

/* Onto its own stack, where it waits for its first group. */
static void begin(void) {
    struct Run *r = run;
    if (!_setjmp(r->now->at)) swapcontext(&(ucontext_t){}, &r->home);
    fibre();
}

static int make(struct Fibre *f, uchar *stack) {
    ucontext_t on;
    if (getcontext(&on) != 0) return 0;
    on.uc_stack.ss_sp = stack;
    on.uc_stack.ss_size = STACK;
    on.uc_link = &run->home;
    makecontext(&on, begin, 0);
    run->now = f;
    return swapcontext(&run->home, &on) == 0;
}

static ulong next_number(ulong *state) {
    ulong z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void arrange(ushort *order, uint n, uint how, ulong group) {
    ulong state = group << 32 | how;
    for (uint i = 0; i < n; i++) order[i] = how == 1 ? n - 1 - i : i;
    for (uint i = n; how > 1 && i > 1; i--) {
        uint j = next_number(&state) % i;
        ushort other = order[j];
        order[j] = order[i - 1];
        order[i - 1] = other;
    }
}

/* 0 where all threads have come to the end; else the line of a barrier that some have not come to. */
static uint run_group(uint n, const ushort *order) {
    for (uint i = 0; i < n; i++) {
        run->fibres[i].state = READY;
        run->fibres[i].allocated = 0;
    }
    for (;;) {
        uint waiting = 0, line = 0;
        for (uint i = 0; i < n; i++) {
            struct Fibre *f = &run->fibres[order[i]];
            resume(f);
            if (f->state == DONE) continue;
            /* All wait at one barrier. */
            if (waiting != 0 && f->line != line) return line;
            waiting++;
            line = f->line;
        }
        if (waiting == 0) return 0;
        if (waiting != n) return line;
    }
}

/* 0, or: 1 the host gave too little memory, 2 a barrier is not reached by all, 3 too much threadgroup memory. */
int run_groups(struct Launch *l) {
    ulong head = sizeof(struct Run) + THREADS * (sizeof(struct Fibre) + sizeof(ushort)) + 64;
    if (l->threads == 0 || l->threads > THREADS || l->memory_bytes < head + SHARED + (ulong)l->threads * STACK) return 1;
    uchar *at = (uchar *)(((ulong)l->memory + 63) / 64 * 64);
    struct Run *r = (struct Run *)at;
    memset(r, 0, sizeof *r);
    run = r;
    r->fibres = (struct Fibre *)(r + 1);
    ushort *order = (ushort *)(r->fibres + THREADS);
    r->shared = (uchar *)(((ulong)(order + THREADS) + 63) / 64 * 64);
    r->launch = l;
    uchar *stacks = l->memory + l->memory_bytes - (ulong)l->threads * STACK;
    for (uint i = 0; i < l->threads; i++) {
        r->fibres[i].position = i;
        if (!make(&r->fibres[i], stacks + (ulong)i * STACK)) return 1;
    }
    arrange(order, l->threads, l->order, 0);
    uint poisoned = SHARED;
    for (uint g = l->first; g < l->last; g++) {
        r->group[0] = g % l->groups[0];
        r->group[1] = g / l->groups[0] % l->groups[1];
        r->group[2] = g / l->groups[0] / l->groups[1];
        if (l->order > 1) arrange(order, l->threads, l->order, g);
        memset(r->shared, 0xff, poisoned);
        uint line = run_group(l->threads, order);
        poisoned = r->shared_used < SHARED ? r->shared_used : SHARED;
        if (line != 0) {
            l->failed_at = line;
            return 2;
        }
        if (r->shared_used > SHARED) return 3;
    }
    return 0;
}
