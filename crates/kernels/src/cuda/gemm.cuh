// Products of many rows on matrix units: what the versions for each architecture share.
//
// A tile is TILE_M activation rows by TILE_N weight rows. One block on each multiprocessor takes tile after tile; how
// many there are follows from the active rows, which the step block says. The operation is a struct E:
//   K, ROWS (of the whole weight matrix), OUTPUTS (columns of the result), MAX_ROWS;
//   PAIRED: an output belongs to two weight rows, OUTPUTS apart (gate and up), which one thread gets together;
//   HEAD: the rows are the head rows;
//   FETCHES: the result needs something from memory: fetch(row, column);
//   put(row, column, a, b, fetched): takes two neighbouring results; column + 1 may lie outside. When PAIRED, `a`
//   are the gates and `b` the ups, else `b` is empty.
//
// Rows of x beyond the active ones may be multiplied too (stale, but inside the buffer): no result depends on them.

// Reads past the first cache, whose lines may be from before the wait.
template <class E>
DEVICE u32 active_rows(const Header* step) {
    u32 rows = __ldcg(E::HEAD ? &step->head_rows : &step->rows);
    return rows < E::MAX_ROWS ? rows : E::MAX_ROWS;
}

// Outputs of a tile.
template <class E>
constexpr u32 TILE_OUT = E::PAIRED ? TILE_N / 2 : TILE_N;

// Where tile `t` lies, of `down` tiles over the rows. Neighbours share their weights and, in a band of BAND tiles, go
// through all columns before the next band starts: what runs at one time is nearly square, and stays in the second
// cache.
struct TilePlace {
    u32 row, column;
};

template <u32 BAND>
DEVICE TilePlace tile_place(u32 t, u32 down, u32 across) {
    u32 band = t / (BAND * across), first = band * BAND, in = t - band * BAND * across;
    u32 high = down - first < BAND ? down - first : BAND;
    return {first + in % high, in / high};
}

// The results of a thread: it has columns 2 * (lane % 4) and the next of every eight, in rows `row` and `row + 8`.
// `acc[4 * j ..]` are column group j: two of the first row, two of the second. With PAIRED the second half of the
// groups belongs to the second weight rows.
template <class E, u32 GROUPS>
struct Results {
    static constexpr u32 HALF = E::PAIRED ? GROUPS / 2 : GROUPS;
    // Groups whose reads are under way together, while those before them are written.
    static constexpr u32 BATCH = HALF % 4 == 0 ? 4 : HALF % 2 == 0 ? 2 : 1;
    u32 row, column, rows;
    float2 fetched[2][BATCH][2];

    DEVICE bool inside(u32 r, u32 c) const { return r < rows && c < E::OUTPUTS; }

    // Starts the reads of the groups from `first` on.
    DEVICE void fetch(const E& e, u32 first) {
        if constexpr (E::FETCHES) {
#pragma unroll
            for (u32 i = 0; i < 2 * BATCH; i++) {
                u32 r = row + i % 2 * 8, c = column + 8 * (first + i / 2);
                float2 v = make_float2(0.0f, 0.0f);
                if (inside(r, c)) v = e.fetch(r, c);
                fetched[first / BATCH % 2][i / 2][i % 2] = v;
            }
        }
    }

    // After `fetch(e, 0)`.
    DEVICE void put(const E& e, const float (&acc)[4 * GROUPS]) {
#pragma unroll
        for (u32 first = 0; first < HALF; first += BATCH) {
            if (first + BATCH < HALF) fetch(e, first + BATCH);
#pragma unroll
            for (u32 i = 0; i < 2 * BATCH; i++) {
                u32 r = row + i % 2 * 8, c = column + 8 * (first + i / 2), at = 4 * (first + i / 2) + i % 2 * 2;
                float2 a = make_float2(acc[at] * GEMM_UNSCALE, acc[at + 1] * GEMM_UNSCALE), b = a, f = a;
                if constexpr (E::PAIRED) {
                    b = make_float2(acc[at + 4 * HALF] * GEMM_UNSCALE, acc[at + 1 + 4 * HALF] * GEMM_UNSCALE);
                }
                if constexpr (E::FETCHES) f = fetched[first / BATCH % 2][i / 2][i % 2];
                if (inside(r, c)) e.put(r, c, a, b, f);
            }
        }
    }
};

// Two neighbouring floats of a matrix of width WIDTH; as one access where that is aligned.
template <u32 STRIDE, u32 FIRST, u32 WIDTH>
struct Floats {
    static constexpr bool WHOLE = STRIDE % 2 == 0 && FIRST % 2 == 0 && WIDTH % 2 == 0;

    static DEVICE float2 load(const float* m, u32 row, u32 column) {
        const float* p = m + (u64)row * STRIDE + FIRST + column;
        if constexpr (WHOLE) return __ldcg(reinterpret_cast<const float2*>(p));
        return make_float2(__ldcg(p), column + 1 < WIDTH ? __ldcg(p + 1) : 0.0f);
    }

    static DEVICE void store(float* m, u32 row, u32 column, float2 v) {
        float* p = m + (u64)row * STRIDE + FIRST + column;
        if constexpr (WHOLE) {
            *reinterpret_cast<float2*>(p) = v;
        } else {
            p[0] = v.x;
            if (column + 1 < WIDTH) p[1] = v.y;
        }
    }
};
