// norm_matmul of one row in the persistent form. x and out are carried.
template <u32 DTYPE, u32 K, u32 N>
struct NormMatmul {
    using M = Matrix<DTYPE, K>;
    DEVICE static void send(Producer& p, const Command& c, const u8* w) { p.send<M, 1>(w, c.first, c.rows, N); }

    struct Store {
        Worker& w;
        const Command& c;
        DEVICE void ahead(u32, u32) const {}
        DEVICE void put(u32 from, u32 n) const {
            float scale = w.inverse_rms<M>(__uint_as_float(c.param));
#pragma unroll 1
            for (u32 r = w.lane; r < n; r += 32) w.put(c, 4, c.first + from + r, w.sum_of(r) * scale);
        }
        DEVICE void done() const { w.arrived(c); }
    };

    DEVICE static void run(Worker& w, const Command& c) {
        float x[M::VALUES];
        w.load_weighed<M>(x, c);
        Store e = {w, c};
        w.products<M, 1>(c, x, e);
    }
    static constexpr u32 WEIGHTS = 3;
};
