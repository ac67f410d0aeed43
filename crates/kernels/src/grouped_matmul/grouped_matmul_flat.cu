// grouped_matmul in tables of some hundred rows (flat_sm90.cuh): few slots of an expert at a time. Bindings: step; groups; x
// [rows, k] or [rows * used, k] in the format; w [experts * n, k]; out [rows * used, out_stride] f32.

struct Grouped {
    static constexpr u32 K = C_K, ROWS = C_N * C_EXPERTS, OUTPUTS = C_N, MAX_ROWS = C_MAX_ROWS * C_USED;
    static constexpr bool PAIRED = false, FETCHES = false, HEAD = false;
    static constexpr u32 MOST = MAX_ROWS / C_TILE + (MAX_ROWS < C_EXPERTS ? MAX_ROWS : C_EXPERTS);
    using Out = Floats<C_OUT_STRIDE, C_OUT_COL, C_N>;
    const u32* groups;
    const u8* x;
    float* out;

    DEVICE u32 tiles() const { return __ldcg(groups); }

    DEVICE uint4 tile(u32 i) const { return __ldcg(reinterpret_cast<const uint4*>(groups) + 1 + i); }

    DEVICE u32 slot(u32 place) const { return __ldcg(groups + 4 * (1 + MOST) + place); }

    DEVICE u32 input(u32 place) const { return C_INPUT == 1 ? slot(place) : slot(place) / C_USED; }

    DEVICE void put(u32 place, u32 column, float2 a, float2, float2) const { Out::store(out, slot(place), column, a); }
};

extern "C" __global__ void GEMM_ENTRY
    grouped_matmul(const Header* step, const u32* groups, const u8* x, const u8* w, float* out GEMM_MAPS) {
    GEMM_RUN((Grouped{groups, x, out}), step, x, w);
}
