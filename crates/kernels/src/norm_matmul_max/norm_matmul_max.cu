// norm_matmul_max, up to 8 head rows. Bindings: step; x [rows, k] f32; norm [k] f32; w [n, k];
// logits [head_rows, n] f32; best [head_rows, ceil(n / chunk)] picks.

struct Shape : Tuning {
    static constexpr u32 DTYPE = C_DTYPE, K = C_K, OUTPUTS = C_N, MAX_ROWS = C_MAX_ROWS, SHARE = C_CHUNK, X_STRIDE = C_K;
    static constexpr bool PAIRED = false, HEAD = true, NORM = true;
};

struct Best : Epilogue {
    float* logits;
    Pick* best;
    u32 begin;
    // [MAX_ROWS, MAX_CHUNKS]: a block's best by row and chunk; the score's order in the upper half, then the lower
    // id is greater. 0 is no pick.
    u64* keys;
    static constexpr u32 CHUNKS = (C_N + C_CHUNK - 1) / C_CHUNK;

    DEVICE static u32 most() { return (CHUNKS + gridDim.x - 1) / gridDim.x; }
    DEVICE void prepare() const {
        for (u32 i = threadIdx.x; i < C_MAX_ROWS * most(); i += blockDim.x) keys[i] = 0;
    }
    DEVICE void put(u32 r, u32 o, float v, float, float) const {
        logits[(u64)r * C_N + o] = v;
        if (!(v > -INFINITE)) return;
        // Both zeros are one score.
        u32 bits = __float_as_uint(v + 0.0f);
        u32 order = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
        atomicMax(keys + r * most() + (o - begin) / C_CHUNK, (u64)order << 32 | ~o);
    }
    DEVICE void finish(u32 rows, u32 from, u32 to) const {
        __syncthreads();
        u32 chunks = (to - from + C_CHUNK - 1) / C_CHUNK;
        for (u32 i = threadIdx.x; i < rows * chunks; i += blockDim.x) {
            u32 r = i / chunks, c = i % chunks;
            u64 key = keys[r * most() + c];
            u32 order = (u32)(key >> 32);
            Pick p = {-INFINITE, 0xffffffffu};
            if (key) p = {__uint_as_float(order & 0x80000000u ? order & 0x7fffffffu : ~order), ~(u32)key};
            best[(u64)r * CHUNKS + from / C_CHUNK + c] = p;
        }
    }
};

extern "C" __global__ void __launch_bounds__(GEMV_THREADS, GEMV_BLOCKS)
    norm_matmul_max(const Header* step, const float* x, const float* norm, const u8* w, float* logits, Pick* best,
                    Params p) {
    using G = Gemv<Shape, Best>;
    Best e;
    e.logits = logits, e.best = best;
    e.begin = (u32)((u64)Best::CHUNKS * blockIdx.x / gridDim.x) * C_CHUNK;
    e.keys = reinterpret_cast<u64*>(gemv_shared + G::EXTRA);
    G().run(step, x, norm, p.eps, w, e);
}
