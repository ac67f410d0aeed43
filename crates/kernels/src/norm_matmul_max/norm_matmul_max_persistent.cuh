// norm_matmul_max of one row in the persistent form. x is carried; logits lie in their region; a block's best is its
// vote. Without a head row there is only an empty vote.
template <u32 DTYPE, u32 K, u32 N>
struct NormMatmulMax {
    using M = Matrix<DTYPE, K>;
    static constexpr u32 WEIGHTS = 3;
    DEVICE static void send(Producer& p, const Command& c, const u8* w) {
        // The number of head rows is the same in all steps of a launch.
        if (p.s.header.head_rows != 0) p.send<M, 1>(w, c.first, c.rows, N);
    }

    struct Best {
        Worker& w;
        const Command& c;
        u64 key;
        DEVICE void ahead(u32, u32) const {}
        DEVICE void put(u32 from, u32 n) {
            float scale = w.inverse_rms<M>(__uint_as_float(c.param));
#pragma unroll 1
            for (u32 r = w.lane; r < n; r += 32) {
                float v = w.sum_of(r) * scale;
                u32 id = c.first + from + r;
                w.place<float>(c, 4)[id] = v;
                u64 k = pick_key(v, id);
                key = k > key ? k : key;
            }
        }
        DEVICE void done() const { w.vote(c, 5, warp_max_key(key)); }
    };

    DEVICE static void run(Worker& w, const Command& c) {
        float x[M::VALUES], gain[M::VALUES];
        w.load_gain<M>(gain, w.place<float>(c, 2));
        w.wait_hint(c);
        w.load<M>(x, w.carried(c, 1));
        w.votes_at(c, 5);
        Best e = {w, c, 0};
        if (w.s.header.head_rows == 0) {
            // The vote says that all warps have read what they read of this step.
            if (w.meet()) e.done();
            w.buffer ^= 1;
            return;
        }
        w.weigh<M>(x, gain);
        // A block without rows has no pass in which its warps meet.
        if (c.rows == 0) w.meet(), w.buffer ^= 1;
        w.products<M, 1>(c, x, e);
    }
};
