// Tiles in shared memory for products on matrix units: rows of 128 bytes, 64 columns of 16 bits, whose 16-byte chunks are
// swapped by the row number, so that a matrix load touches every bank once. It is the tensor copy engine's 128-byte
// swizzle where a tile begins at a multiple of 1024 bytes.

// What the inputs were divided by.
#define GEMM_UNSCALE (C_ACT == ACT_F16 ? 32.0f : 1.0f)

DEVICE constexpr u32 ceil_div(u32 a, u32 b) {
    return (a + b - 1) / b;
}

DEVICE u32 shared_address(const void* p) {
    return (u32)__cvta_generic_to_shared(p);
}

// Byte of chunk `chunk` of row `row`.
DEVICE u32 chunk_at(u32 row, u32 chunk) {
    return row * 128 + ((chunk ^ row) & 7) * 16;
}

// 16 bytes, or zeros.
DEVICE void copy_chunk(u32 to, const u8* from, bool inside) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(inside ? 16 : 0) : "memory");
}
