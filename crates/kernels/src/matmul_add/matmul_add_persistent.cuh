// matmul_add of one row in the persistent form. x, residual and out are carried.
template <u32 DTYPE, u32 K, u32 N>
struct MatmulAdd {
    using M = Matrix<DTYPE, K>;
    static constexpr u32 WEIGHTS = 2;
    DEVICE static void send(Producer& p, const Command& c, const u8* w) { p.send<M, 1>(w, c.first, c.rows, N); }

    struct Add {
        Worker& w;
        const Command& c;
        float residual[PASS / 32];
        // Looked at only after the product: till then it has mostly come.
        DEVICE void ahead(u32 from, u32 n) {
            const float* p = w.carried(c, 3) + c.first + from;
#pragma unroll
            for (u32 i = 0; i < PASS / 32; i++) {
                u32 r = w.lane + 32 * i;
                residual[i] = r < n ? load_relaxed(p + r) : 0.0f;
            }
        }
        DEVICE void put(u32 from, u32 n) {
            const float* p = w.carried(c, 3) + c.first + from;
#pragma unroll
            for (u32 i = 0; i < PASS / 32; i++) {
                u32 r = w.lane + 32 * i;
                if (r >= n) continue;
                float base = residual[i];
                if (poisoned(base)) base = w.take(p + r);
                w.put(c, 4, c.first + from + r, base + w.sum_of(r));
            }
        }
        DEVICE void done() const { w.arrived(c); }
    };

    DEVICE static void run(Worker& w, const Command& c) {
        float x[M::VALUES];
        Add e = {w, c, {}};
        if (w.warp == 0) e.ahead(0, min(c.rows, PASS));
        w.wait_hint(c);
        w.load<M>(x, w.carried(c, 1));
        w.products<M, 1>(c, x, e);
    }
};
