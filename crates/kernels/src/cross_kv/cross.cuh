// Keys and values of cross attention: `[sources, heads, head_dim, columns]` and `[sources, heads, columns, head_dim]`.
enum { CROSS_F16 = 0, CROSS_F32 = 1 };
constexpr u32 COLUMNS = (C_POSITIONS + 15) / 16 * 16;

DEVICE u64 cross_head(u32 source, u32 head) {
    return ((u64)source * C_HEADS + head) * C_HEAD_DIM * COLUMNS;
}

DEVICE float cross_load(const u8* from, u64 i) {
    if constexpr (C_FORMAT == CROSS_F32) return reinterpret_cast<const float*>(from)[i];
    return f16_to_f32(reinterpret_cast<const u16*>(from)[i]);
}

DEVICE void cross_store(u8* to, u64 i, float v) {
    if constexpr (C_FORMAT == CROSS_F32) {
        reinterpret_cast<float*>(to)[i] = v;
    } else {
        reinterpret_cast<u16*>(to)[i] = f32_to_f16(v);
    }
}
