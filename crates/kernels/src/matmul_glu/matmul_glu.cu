// out = activation(x gate^T) * (x up^T). Bindings: step; x [rows, k] in the format; w [2 f, k], gates first; out
// [rows, f] in the output format.

struct Glu {
    static constexpr u32 K = C_K, ROWS = 2 * C_F, OUTPUTS = C_F, MAX_ROWS = C_MAX_ROWS;
    static constexpr bool PAIRED = true, FETCHES = false, HEAD = false;
    u8* out;

    // Both are x * sigmoid(s): tanh(u) = 2 sigmoid(2 u) - 1. Large -s give 0, by division by infinity.
    static DEVICE float activation(float x) {
        float s = x;
        if constexpr (C_ACTIVATION == 1) s = 1.5957691216f * (x + 0.044715f * x * x * x);
        return __fdividef(x, 1.0f + __expf(-s));
    }

    DEVICE void put(u32 row, u32 column, float2 gate, float2 up, float2) const {
        u8* to = out + (u64)row * act_row_bytes(C_ACT_OUT, C_F);
        float a = activation(gate.x) * up.x, b = activation(gate.y) * up.y;
        if (C_F % 2 != 0 && column + 1 == C_F) {
            store_act<C_ACT_OUT>(to, column, a);
        } else if constexpr (C_ACT_OUT == ACT_BF16) {
            *reinterpret_cast<u32*>(to + 2 * column) = f32_to_bf16x2(a, b);
        } else if constexpr (C_ACT_OUT == ACT_F16) {
            *reinterpret_cast<u32*>(to + 2 * column) = f32_to_f16x2(f16_act(a), f16_act(b));
        } else {
            store_act<C_ACT_OUT>(to, column, a);
            store_act<C_ACT_OUT>(to, column + 1, b);
        }
    }
};

extern "C" __global__ void GEMM_ENTRY matmul_glu(const Header* step, const u8* x, const u8* w, u8* out GEMM_MAPS) {
    GEMM_RUN(Glu{out}, step, x, w);
}
