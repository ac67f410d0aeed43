// What kernels on Hopper (`sm_90a`) share: barriers of shared memory, the tensor copy engine, sums from block to block of a cluster.

// --- Barriers of shared memory: they count arrivals and the bytes of copies ---

DEVICE void barrier_init(u32 barrier, u32 arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// Arrives, and makes the phase wait for `bytes` more.
DEVICE void barrier_expect(u32 barrier, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

DEVICE void barrier_arrive(u32 barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// The address of the same place of block `rank` of the cluster.
DEVICE u32 mapped(u32 address, u32 rank) {
    u32 r;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(address), "r"(rank));
    return r;
}

// Arrives at the same barrier of block `rank` of the cluster. This reports that something has been read; it makes no write of this thread
// visible there, for which a release for the whole cluster would be needed.
DEVICE void barrier_arrive_at(u32 barrier, u32 rank) {
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(mapped(barrier, rank)) : "memory");
}

// Waits for the end of the phase with this parity.
DEVICE void barrier_wait(u32 barrier, u32 parity) {
    u32 done = 0;
    while (!done) {
        asm volatile(
            "{\n"
            ".reg .pred p;\n"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
            "selp.u32 %0, 1, 0, p;\n"
            "}"
            : "=r"(done)
            : "r"(barrier), "r"(parity)
            : "memory");
    }
}

// A place in a ring of stages.
template <u32 STAGES>
struct Turn {
    u32 stage = 0, parity = 0;
    DEVICE void next() {
        if (++stage == STAGES) stage = 0, parity ^= 1;
    }
};

// --- Copies ---

// A matrix as the tensor copy engine sees it (a `CUtensorMap`).
struct __align__(64) TensorMap {
    u64 words[16];
};

// A box at (column, row) of a matrix into shared memory; outside the matrix it is zeros.
DEVICE void copy_box(u32 to, const TensorMap& map, u32 column, u32 row, u32 barrier) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            to),
        "l"(&map), "r"(column), "r"(row), "r"(barrier)
        : "memory");
}

// The same with the hint of `read_once`.
DEVICE void copy_box_once(u32 to, const TensorMap& map, u32 column, u32 row, u32 barrier) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
        "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
        "l"(&map), "r"(column), "r"(row), "r"(barrier), "l"(read_once())
        : "memory");
}

// `bytes` bytes, a multiple of 16, with the same hint.
DEVICE void copy_bytes_once(u32 to, const void* from, u32 bytes, u32 barrier) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(to),
        "l"(from), "r"(bytes), "r"(barrier), "l"(read_once())
        : "memory");
}

// --- Clusters ---

// All threads of a cluster's BLOCKS blocks arrive when their block's barriers are there, and wait before they use another block's.
template <u32 BLOCKS>
DEVICE void cluster_arrive() {
    if constexpr (BLOCKS > 1) asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

template <u32 BLOCKS>
DEVICE void cluster_wait() {
    if constexpr (BLOCKS > 1) asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

// Stores sums at the same place of block `rank`, whose barrier counts the bytes once they are in its memory. PTX's memory model orders them
// before reads after a wait that acquires for the cluster; `barrier_wait` acquires for the block. What that relies on is that a block's
// shared memory is in one place, of which nothing is cached, as copies to all blocks of a cluster rely on it too.
DEVICE void shared_send(u32 at, u32 rank, u32 barrier, float4 v) {
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(mapped(at, rank)),
                 "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w), "r"(mapped(barrier, rank))
                 : "memory");
}

DEVICE void shared_put(u32 at, float4 v) {
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(at), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
}

DEVICE float4 shared_get(u32 at) {
    float4 v;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(at) : "memory");
    return v;
}
