// norm_matmul_pair, up to 8 rows. Bindings: step; x [rows, k] f32; norm [k] f32; w [n, k]; w2 [n2, k]; out
// [rows, out_stride] f32. The last blocks have the second matrix.

struct Both {
    static constexpr u32 K = C_K, MAX_ROWS = C_MAX_ROWS, SHARE = 1, X_STRIDE = C_K;
    static constexpr bool PAIRED = false, HEAD = false, NORM = true;
};

// Blocks for the second matrix, of all. As in mod.rs.
DEVICE u32 second_blocks() {
    return min(max(1u, (gridDim.x * PAIR_SHARE + 512) / 1024), gridDim.x - 1);
}

struct First : Tuning, Both {
    static constexpr u32 DTYPE = C_DTYPE, OUTPUTS = C_N;
    DEVICE static u32 blocks() { return gridDim.x - second_blocks(); }
};

struct Second : Both {
    static constexpr u32 DTYPE = C_DTYPE2, OUTPUTS = C_N2;
    static constexpr u32 LANES = PAIR_LANES, OUTS = PAIR_OUTS, STAGES = PAIR_STAGES, PIECE = PAIR_PIECE;
    DEVICE static u32 block() { return blockIdx.x - First::blocks(); }
    DEVICE static u32 blocks() { return second_blocks(); }
};

template <u32 COLUMN>
struct Store : Epilogue {
    float* out;
    DEVICE void put(u32 r, u32 o, float v, float, float) const { out[(u64)r * C_OUT_STRIDE + COLUMN + o] = v; }
};

template <class S, u32 COLUMN>
DEVICE void product(const Header* step, const float* x, const float* norm, const u8* w, float* out, Params p) {
    Store<COLUMN> e;
    e.out = out;
    Gemv<S, Store<COLUMN>>().run(step, x, norm, p.eps, w, e);
}

extern "C" __global__ void __launch_bounds__(GEMV_THREADS, GEMV_BLOCKS)
    norm_matmul_pair(const Header* step, const float* x, const float* norm, const u8* w, const u8* w2, float* out, Params p) {
    if (blockIdx.x < First::blocks()) product<First, C_OUT_COL>(step, x, norm, w, out, p);
    else product<Second, C_OUT_COL + C_N>(step, x, norm, w2, out, p);
}
