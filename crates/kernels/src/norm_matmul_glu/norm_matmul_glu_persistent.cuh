// norm_matmul_glu of one row in the persistent form. x and out are carried.
template <u32 DTYPE, u32 K, u32 F, u32 ACTIVATION>
struct NormMatmulGlu {
    using M = Matrix<DTYPE, K>;
    static constexpr u32 WEIGHTS = 3;
    DEVICE static void send(Producer& p, const Command& c, const u8* w) { p.send<M, 2>(w, c.first, c.rows, F); }

    struct Gate {
        Worker& w;
        const Command& c;
        DEVICE void ahead(u32, u32) const {}
        DEVICE void put(u32 from, u32 n) const {
            float scale = w.inverse_rms<M>(__uint_as_float(c.param));
#pragma unroll 1
            for (u32 r = w.lane; r < n; r += 32) {
                float gate = w.sum_of(r) * scale, up = w.sum_of(n + r) * scale;
                // 0.5 (1 + tanh z) = 1 / (1 + e^(-2z))
                float z = ACTIVATION == 0 ? gate : 1.5957691216f * (gate + 0.044715f * gate * gate * gate);
                w.put(c, 4, c.first + from + r, gate / (1.0f + expf(-z)) * up);
            }
        }
        DEVICE void done() const { w.arrived(c); }
    };

    DEVICE static void run(Worker& w, const Command& c) {
        float x[M::VALUES];
        w.load_weighed<M>(x, c);
        Gate e = {w, c};
        w.products<M, 2>(c, x, e);
    }
};
