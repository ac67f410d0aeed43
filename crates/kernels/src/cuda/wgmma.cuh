// Products of tiles with `wgmma` (`sm_90a`): 64 rows of A, N rows of B, 16 columns of both, from shared memory.

// A tile whose rows of 128 bytes are swizzled: groups of eight rows are 1024 bytes apart.
DEVICE u64 matrix_descriptor(u32 address) {
    return (u64)((address & 0x3ffff) >> 4) | (u64)1 << 16 | (u64)(1024 >> 4) << 32 | (u64)1 << 62;
}

#if C_ACT == 3
#define WGMMA_TYPES "f32.f16.f16"
#else
#define WGMMA_TYPES "f32.bf16.bf16"
#endif

#define WGMMA_NAMES(a, b, c, d, e, f, g, h) "%" #a ",%" #b ",%" #c ",%" #d ",%" #e ",%" #f ",%" #g ",%" #h
// Of a product of N rows of B.
#define WGMMA_NAMES_8 "%0,%1,%2,%3"
#define WGMMA_NAMES_16 WGMMA_NAMES(0, 1, 2, 3, 4, 5, 6, 7)
#define WGMMA_NAMES_32 WGMMA_NAMES_16 "," WGMMA_NAMES(8, 9, 10, 11, 12, 13, 14, 15)
#define WGMMA_NAMES_48 WGMMA_NAMES_32 "," WGMMA_NAMES(16, 17, 18, 19, 20, 21, 22, 23)
#define WGMMA_NAMES_64 WGMMA_NAMES_48 "," WGMMA_NAMES(24, 25, 26, 27, 28, 29, 30, 31)
#define WGMMA_NAMES_80 WGMMA_NAMES_64 "," WGMMA_NAMES(32, 33, 34, 35, 36, 37, 38, 39)
#define WGMMA_NAMES_96 WGMMA_NAMES_80 "," WGMMA_NAMES(40, 41, 42, 43, 44, 45, 46, 47)
#define WGMMA_NAMES_112 WGMMA_NAMES_96 "," WGMMA_NAMES(48, 49, 50, 51, 52, 53, 54, 55)
#define WGMMA_NAMES_128 WGMMA_NAMES_112 "," WGMMA_NAMES(56, 57, 58, 59, 60, 61, 62, 63)
#define WGMMA_NAMES_144 WGMMA_NAMES_128 "," WGMMA_NAMES(64, 65, 66, 67, 68, 69, 70, 71)
#define WGMMA_NAMES_160 WGMMA_NAMES_144 "," WGMMA_NAMES(72, 73, 74, 75, 76, 77, 78, 79)
#define WGMMA_NAMES_176 WGMMA_NAMES_160 "," WGMMA_NAMES(80, 81, 82, 83, 84, 85, 86, 87)
#define WGMMA_NAMES_192 WGMMA_NAMES_176 "," WGMMA_NAMES(88, 89, 90, 91, 92, 93, 94, 95)
#define WGMMA_NAMES_208 WGMMA_NAMES_192 "," WGMMA_NAMES(96, 97, 98, 99, 100, 101, 102, 103)
#define WGMMA_NAMES_224 WGMMA_NAMES_208 "," WGMMA_NAMES(104, 105, 106, 107, 108, 109, 110, 111)
#define WGMMA_NAMES_240 WGMMA_NAMES_224 "," WGMMA_NAMES(112, 113, 114, 115, 116, 117, 118, 119)
#define WGMMA_NAMES_256 WGMMA_NAMES_240 "," WGMMA_NAMES(120, 121, 122, 123, 124, 125, 126, 127)

#define WGMMA_SUMS_8(i)                                                                                             \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
        "+f"(d[i + 7])
#define WGMMA_SUMS_4 "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define WGMMA_SUMS_32(i) WGMMA_SUMS_8(i), WGMMA_SUMS_8(i + 8), WGMMA_SUMS_8(i + 16), WGMMA_SUMS_8(i + 24)

// d = a b + (more ? d : 0). `p`, `q`, `r` are the places of the last operands, behind the sums.
#define WGMMA(n, p, q, r, ...)                                                                   \
    asm volatile(                                                                                \
        "{\n.reg .pred more;\nsetp.ne.b32 more, %" #r ", 0;\n"                                   \
        "wgmma.mma_async.sync.aligned.m64n" #n "k16." WGMMA_TYPES " {" WGMMA_NAMES_##n "}, %" #p ", %" #q \
        ", more, 1, 1, 0, 0;\n}"                                                                 \
        : __VA_ARGS__                                                                            \
        : "l"(a), "l"(b), "r"(more))

template <u32 N>
DEVICE void wgmma(float (&d)[N / 2], u64 a, u64 b, u32 more) {
    if constexpr (N == 8) WGMMA(8, 4, 5, 6, WGMMA_SUMS_4);
    if constexpr (N == 16) WGMMA(16, 8, 9, 10, WGMMA_SUMS_8(0));
    if constexpr (N == 32) WGMMA(32, 16, 17, 18, WGMMA_SUMS_8(0), WGMMA_SUMS_8(8));
    if constexpr (N == 48) WGMMA(48, 24, 25, 26, WGMMA_SUMS_8(0), WGMMA_SUMS_8(8), WGMMA_SUMS_8(16));
    if constexpr (N == 64) WGMMA(64, 32, 33, 34, WGMMA_SUMS_32(0));
    if constexpr (N == 80) WGMMA(80, 40, 41, 42, WGMMA_SUMS_32(0), WGMMA_SUMS_8(32));
    if constexpr (N == 96) WGMMA(96, 48, 49, 50, WGMMA_SUMS_32(0), WGMMA_SUMS_8(32), WGMMA_SUMS_8(40));
    if constexpr (N == 112) WGMMA(112, 56, 57, 58, WGMMA_SUMS_32(0), WGMMA_SUMS_8(32), WGMMA_SUMS_8(40), WGMMA_SUMS_8(48));
    if constexpr (N == 128) WGMMA(128, 64, 65, 66, WGMMA_SUMS_32(0), WGMMA_SUMS_32(32));
    if constexpr (N == 144) WGMMA(144, 72, 73, 74, WGMMA_SUMS_32(0), WGMMA_SUMS_32(32), WGMMA_SUMS_8(64));
    if constexpr (N == 160) WGMMA(160, 80, 81, 82, WGMMA_SUMS_32(0), WGMMA_SUMS_32(32), WGMMA_SUMS_8(64), WGMMA_SUMS_8(72));
    if constexpr (N == 176)
        WGMMA(176, 88, 89, 90, WGMMA_SUMS_32(0), WGMMA_SUMS_32(32), WGMMA_SUMS_8(64), WGMMA_SUMS_8(72), WGMMA_SUMS_8(80));
    if constexpr (N == 192) WGMMA(192, 96, 97, 98, WGMMA_SUMS_32(0), WGMMA_SUMS_32(32), WGMMA_SUMS_32(64));
    if constexpr (N == 208) WGMMA(208, 104, 105, 106, WGMMA_SUMS_32(0), WGMMA_SUMS_32(32), WGMMA_SUMS_32(64), WGMMA_SUMS_8(96));
    if constexpr (N == 224)
        WGMMA(224, 112, 113, 114, WGMMA_SUMS_32(0), WGMMA_SUMS_32(32), WGMMA_SUMS_32(64), WGMMA_SUMS_8(96), WGMMA_SUMS_8(104));
    if constexpr (N == 240)
        WGMMA(240, 120, 121, 122, WGMMA_SUMS_32(0), WGMMA_SUMS_32(32), WGMMA_SUMS_32(64), WGMMA_SUMS_8(96), WGMMA_SUMS_8(104), WGMMA_SUMS_8(112));
    if constexpr (N == 256) WGMMA(256, 128, 129, 130, WGMMA_SUMS_32(0), WGMMA_SUMS_32(32), WGMMA_SUMS_32(64), WGMMA_SUMS_32(96));
}

// The same with A from registers, in the fragments of mma.cuh.
#define WGMMA_FROM(n, p0, p1, p2, p3, q, r, ...)                                                               \
    asm volatile(                                                                                              \
        "{\n.reg .pred more;\nsetp.ne.b32 more, %" #r ", 0;\n"                                                 \
        "wgmma.mma_async.sync.aligned.m64n" #n "k16." WGMMA_TYPES " {" WGMMA_NAMES_##n "}, {%" #p0 ",%" #p1 ",%" #p2      \
        ",%" #p3 "}, %" #q ", more, 1, 1, 0;\n}"                                                               \
        : __VA_ARGS__                                                                                          \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(more))

template <u32 N>
DEVICE void wgmma_from(float (&d)[N / 2], const u32 (&a)[4], u64 b, u32 more) {
    if constexpr (N == 16) WGMMA_FROM(16, 8, 9, 10, 11, 12, 13, WGMMA_SUMS_8(0));
    if constexpr (N == 32) WGMMA_FROM(32, 16, 17, 18, 19, 20, 21, WGMMA_SUMS_8(0), WGMMA_SUMS_8(8));
    if constexpr (N == 64) WGMMA_FROM(64, 32, 33, 34, 35, 36, 37, WGMMA_SUMS_32(0));
    if constexpr (N == 96) WGMMA_FROM(96, 48, 49, 50, 51, 52, 53, WGMMA_SUMS_32(0), WGMMA_SUMS_8(32), WGMMA_SUMS_8(40));
    if constexpr (N == 128) WGMMA_FROM(128, 64, 65, 66, 67, 68, 69, WGMMA_SUMS_32(0), WGMMA_SUMS_32(32));
    if constexpr (N == 192) WGMMA_FROM(192, 96, 97, 98, 99, 100, 101, WGMMA_SUMS_32(0), WGMMA_SUMS_32(32), WGMMA_SUMS_32(64));
    if constexpr (N == 256)
        WGMMA_FROM(256, 128, 129, 130, 131, 132, 133, WGMMA_SUMS_32(0), WGMMA_SUMS_32(32), WGMMA_SUMS_32(64), WGMMA_SUMS_32(96));
}

DEVICE void wgmma_fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

DEVICE void wgmma_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <u32 LEFT>
DEVICE void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}
