// Weights of the planes layout (planes.rs) as operands of matrix units: copied to shared memory as they lie, 256 columns
// of some rows at a time, and turned into fragments on the way to registers.
//
// A thread of a fragment (m16k16, the same for `mma.sync` and `wgmma`) has columns 2t, 2t + 1, 8 + 2t and 9 + 2t of every
// sixteen, t being lane % 4: of a block of 32 four pairs. Codes become f16 numbers without a conversion: 0x6400 over a
// code c is the f16 1024 + c. What follows is in f16 too: exact but for one rounding where scales are f16, as in `dequantize`;
// products of scales are rounded before. Weights beyond f16 are infinite here and not the largest f16.

template <bool FIRST, class A, class B>
struct Either {
    typedef A type;
};
template <class A, class B>
struct Either<false, A, B> {
    typedef B type;
};

DEVICE u32 shared_u16(u32 at) {
    u16 v;
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(v) : "r"(at));
    return v;
}

DEVICE u32 shared_u32(u32 at) {
    u32 v;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(at));
    return v;
}

DEVICE uint2 shared_u64(u32 at) {
    uint2 v;
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(at));
    return v;
}

DEVICE uint4 shared_u128(u32 at) {
    uint4 v;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(at));
    return v;
}

// --- Planes ---

// Bytes that planes have for 256 values of a row. The last ones may be left out where nobody reads them.
template <u32 A, u32 B, u32 C = 0, u32 D = 0>
struct Planes {
    static constexpr u32 COUNT = D ? 4 : C ? 3 : 2;
    static constexpr __host__ __device__ u32 bytes(u32 i) { return i == 0 ? A : i == 1 ? B : i == 2 ? C : D; }
    // In shared memory two bytes take four.
    static constexpr __host__ __device__ u32 slot(u32 i) { return bytes(i) == 2 ? 4 : bytes(i); }
    // Bytes of a value of all planes before plane `i`, times 256; the same for slots.
    static constexpr __host__ __device__ u32 before(u32 i) {
        return (i > 0 ? bytes(0) : 0) + (i > 1 ? bytes(1) : 0) + (i > 2 ? bytes(2) : 0);
    }
    static constexpr __host__ __device__ u32 slots_before(u32 i) {
        return (i > 0 ? slot(0) : 0) + (i > 1 ? slot(1) : 0) + (i > 2 ? slot(2) : 0) + (i > 3 ? slot(3) : 0);
    }
    static constexpr u32 ROW = slots_before(COUNT);
};

// Byte `byte` of row `row` in a plane of rows of SLOT bytes: 16-byte chunks are swapped by the row number, so that eight rows
// lie in different banks.
//
// Rows of 256 bytes lie in two halves of 128, one below the other: ROWS rows of each.
template <u32 SLOT, u32 ROWS>
DEVICE u32 raw_at(u32 row, u32 byte) {
    if constexpr (SLOT == 256) return byte / 128 * ROWS * 128 + row * 128 + (byte % 128 ^ (row & 7) * 16);
    if constexpr (SLOT == 128) return row * SLOT + (byte ^ (row & 7) * 16);
    if constexpr (SLOT == 64) return row * SLOT + (byte ^ (row >> 1 & 3) * 16);
    if constexpr (SLOT == 32) return row * SLOT + (byte ^ (row >> 2 & 1) * 16);
    return row * SLOT + byte;
}

// Copies 16, 8 or 4 bytes, or writes zeros. ONCE: the command reads them once.
template <u32 BYTES, bool ONCE>
DEVICE void copy_piece(u32 to, const u8* from, bool inside) {
    if constexpr (BYTES == 16 && ONCE) {
        asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2, %3;" ::"r"(to), "l"(from),
                     "r"(inside ? 16 : 0), "l"(read_once())
                     : "memory");
    } else if constexpr (BYTES == 16) {
        asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(inside ? 16 : 0) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(BYTES), "r"(inside ? BYTES : 0)
                     : "memory");
    }
}

template <u32 BYTES, bool ONCE>
DEVICE void copy_piece(u32 to, const u8* from) {
    if constexpr (BYTES == 16 && ONCE) {
        asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "l"(read_once())
                     : "memory");
    } else if constexpr (BYTES == 16) {
        asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(BYTES) : "memory");
    }
}

// A stage of ROWS rows of a matrix of ALL rows of K; in two halves, the second of which begins APART rows after the first one
// (ROWS / 2 where there is nothing between them). COPIERS threads copy 256 columns together.
template <class P, u32 K, u32 ALL, u32 ROWS, u32 APART, u32 COPIERS, bool ONCE = false>
struct RawCopy {
    static constexpr u32 HALF = ROWS / 2;

    template <u32 I>
    static constexpr __host__ __device__ u64 row_bytes() {
        return (u64)K * P::bytes(I) / 256;
    }
    template <u32 I>
    static constexpr __host__ __device__ u64 offset() {
        return (u64)ALL * K / 32 * P::before(I) / 8;
    }
    // Bytes of a copy; of two bytes, the aligned four that have them.
    template <u32 I>
    static constexpr __host__ __device__ u32 piece() {
        constexpr u64 all = row_bytes<I>() | offset<I>() | P::bytes(I);
        return P::bytes(I) == 2 ? 2 : all % 16 == 0 ? 16 : all % 8 == 0 ? 8 : all % 4 == 0 ? 4 : 1;
    }
    // Whether all copies are asynchronous.
    static constexpr bool ASYNC = piece<0>() != 1 && piece<1>() != 1 && (P::COUNT < 3 || piece<2>() != 1) &&
                                  (P::COUNT < 4 || piece<3>() != 1);

    // Where a thread's pieces are the same of rows at equal distances: few instructions a copy.
    template <u32 I>
    static DEVICE void whole(u32 to, const u8* w, u32 first, u32 unit, u32 thread) {
        constexpr u32 PIECE = piece<I>(), SLOT = P::slot(I), PARTS = SLOT / PIECE, STEP = COPIERS / PARTS, TURNS = ROWS / STEP;
        u32 row = thread / PARTS, byte = thread % PARTS * PIECE;
        const u8* from = w + offset<I>() + (first + row) * row_bytes<I>() + unit * SLOT + byte;
        // Rows eight apart, or fewer where a row has many pieces, are swapped alike.
        constexpr u32 KINDS = STEP < 8 ? 8 / STEP : 1;
        u32 at[KINDS];
#pragma unroll
        for (u32 i = 0; i < KINDS; i++) at[i] = to + raw_at<SLOT, ROWS>(row + i * STEP, byte);
#pragma unroll
        for (u32 j = 0; j < TURNS; j++) {
            u64 down = j * STEP < HALF ? (u64)j * STEP : (u64)j * STEP - HALF + APART;
            copy_piece<PIECE, ONCE>(at[j % KINDS] + j / KINDS * KINDS * STEP * (SLOT < 128 ? SLOT : 128), from + down * row_bytes<I>());
        }
    }

    // Any rows: those at or beyond ALL, and what lies outside the width, become zeros.
    template <u32 I, class Place>
    static DEVICE void any(u32 to, const u8* w, u32 unit, u32 thread, Place place) {
        constexpr u32 BYTES = P::bytes(I), SLOT = P::slot(I), PIECE = piece<I>(), PARTS = BYTES / PIECE;
        for (u32 i = thread; i < ROWS * PARTS; i += COPIERS) {
            u32 row = i / PARTS, byte = i % PARTS * PIECE, from = place(row), put = to + raw_at<SLOT, ROWS>(row, byte);
            bool inside = from < ALL && (u64)unit * BYTES + byte < row_bytes<I>();
            const u8* at = inside ? w + offset<I>() + from * row_bytes<I>() + (u64)unit * BYTES + byte : w;
            if constexpr (PIECE == 1) {
                // Rows that begin at odd places: few matrices have any.
                u32 v = inside ? *at : 0;
                asm volatile("st.shared.u8 [%0], %1;" ::"r"(put), "r"(v) : "memory");
            } else if constexpr (PIECE == 2) {
                copy_piece<4, ONCE>(put, reinterpret_cast<const u8*>(reinterpret_cast<u64>(at) & ~3ull), inside);
            } else {
                copy_piece<PIECE, ONCE>(put, at, inside);
            }
        }
    }

    template <u32 I, class Place>
    static DEVICE void plane(u32 stage, const u8* w, u32 first, bool all, u32 unit, u32 thread, Place place) {
        if constexpr (I < P::COUNT) {
            constexpr u32 PIECE = piece<I>(), SLOT = P::slot(I), STEP = COPIERS * PIECE / SLOT;
            constexpr bool EVEN = PIECE >= 4 && COPIERS * PIECE % SLOT == 0 && (STEP & (STEP - 1)) == 0 && HALF % STEP == 0;
            u32 to = stage + P::slots_before(I) * ROWS;
            if constexpr (EVEN) {
                if (all) whole<I>(to, w, first, unit, thread);
                else any<I>(to, w, unit, thread, place);
            } else {
                any<I>(to, w, unit, thread, place);
            }
        }
    }

    // Unit `unit` of the rows from `first` on, each of which is inside when `all`; else `place` says them one by one.
    template <class Place>
    static DEVICE void copy(u32 stage, const u8* w, u32 first, bool all, u32 unit, u32 thread, Place place) {
        all = all && (K % 256 == 0 || unit < K / 256);
        plane<0>(stage, w, first, all, unit, thread, place);
        plane<1>(stage, w, first, all, unit, thread, place);
        plane<2>(stage, w, first, all, unit, thread, place);
        plane<3>(stage, w, first, all, unit, thread, place);
    }
};

// --- Codes of a block of 32: the four pairs of thread `t`, each pair numbers over 0x6400 in either half ---
//
// `at` is the place of byte 0 of a row in its plane (`raw_at`); another chunk of 16 bytes is one exclusive or away, and the row
// eight further the bytes `next` of eight rows.

constexpr u32 RAW_MAGIC = 0x64646464u;

// A constant in a register that the compiler takes for a variable: `prmt` and `lop3` have one literal, and of two constants the compiler
// brings one to a register each time.
template <u32 V>
DEVICE u32 raw_constant() {
    u32 v;
    asm("{\n.reg .u32 one;\nmov.u32 one, %%lanemask_eq;\npopc.b32 one, one;\nadd.u32 %0, one, %1;\n}" : "=r"(v) : "n"(V - 1));
    return v;
}

// The bytes of the low half as two 16-bit numbers, over 0x6400.
DEVICE u32 spread(u32 two) {
    u32 d;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(two), "r"(RAW_MAGIC), "r"(raw_constant<0x4140>()));
    return d;
}

DEVICE u32 spread_bare(u32 two) {
    return permute(two, 0, 0x4140);
}

// Both nibbles of each byte; the upper ones sixteenfold in 2 and 3.
DEVICE void raw_nibbles(u32 at, u32 next, u32 chunk, u32 t, u32 (&q)[4]) {
    u32 from = (at + 2 * t ^ chunk * 16) + next, a = spread(shared_u16(from)), b = spread(shared_u16(from + 8));
    q[0] = a & 0xff0fff0fu, q[1] = b & 0xff0fff0fu, q[2] = a & 0xfff0fff0u, q[3] = b & 0xfff0fff0u;
}

// Two bits each, in their place SHIFT.
template <u32 SHIFT>
DEVICE void raw_pairs(u32 at, u32 next, u32 block, u32 t, u32 (&q)[4]) {
    u32 from = (at + t % 2 * 2 ^ block / 2 * 16) + block % 2 * 8 + next;
    u32 a = spread_bare(shared_u16(from) >> (t / 2 * 2)), b = spread_bare(shared_u16(from + 4) >> (t / 2 * 2));
    constexpr u32 MASK = 0x00030003u << SHIFT;
    q[0] |= a << SHIFT & MASK, q[1] |= (a << SHIFT) >> 4 & MASK, q[2] |= b << SHIFT & MASK, q[3] |= (b << SHIFT) >> 4 & MASK;
}

template <u32 SHIFT>
DEVICE void raw_bits(u32 at, u32 next, u32 block, u32 t, u32 (&q)[4]) {
    u32 a = spread_bare(shared_u16((at + t % 2 * 2 ^ block / 4 * 16) + block % 4 * 4 + next) >> (t / 2)) << SHIFT;
    constexpr u32 MASK = 0x00010001u << SHIFT;
    q[0] |= a & MASK, q[1] |= a >> 2 & MASK, q[2] |= a >> 4 & MASK, q[3] |= a >> 6 & MASK;
}

template <u32 FLIP, u32 ROWS>
DEVICE void raw_bytes(u32 at, u32 next, u32 block, u32 t, u32 (&q)[4]) {
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
        u32 from = (at + 2 * t ^ (block % 4 * 32 + i / 2 * 16)) + block / 4 * ROWS * 128;
        q[i] = spread(shared_u16(from + i % 2 * 8 + next));
        if constexpr (FLIP != 0) q[i] ^= FLIP;
    }
}

// Places in a table of signed bytes, 128 more.
template <class TABLE>
DEVICE void raw_places(u32 at, u32 next, u32 chunk, u32 t, u32 (&q)[4]) {
    uint4 all = shared_u128((at ^ chunk * 16) + next);
    u32 pick = t | (4 + t) << 4, mine = permute(permute(all.x, all.y, pick), permute(all.z, all.w, pick), 0x5410), a, b;
    TABLE::look_up(mine, a, b);
    a ^= 0x80808080u, b ^= 0x80808080u;
    q[0] = permute(a, RAW_MAGIC, 0x4140), q[1] = permute(a, RAW_MAGIC, 0x4342);
    q[2] = permute(b, RAW_MAGIC, 0x4140), q[3] = permute(b, RAW_MAGIC, 0x4342);
}

// The place of block `c` of a striped plane of nibbles.
DEVICE constexpr u32 stripe(u32 c) {
    return c % 2 * 4 + c / 2;
}

// --- Codes to values of 16 bits ---

// Half `i` of a word, twice. Instructions on pairs take one half twice by themselves; the compiler sees it in this form.
DEVICE u32 half_twice(u32 w, u32 i) {
    u32 d;
    if (i % 2) asm("{\n.reg .b16 a, b;\nmov.b32 {a, b}, %1;\nmov.b32 %0, {b, b};\n}" : "=r"(d) : "r"(w));
    else asm("{\n.reg .b16 a, b;\nmov.b32 {a, b}, %1;\nmov.b32 %0, {a, a};\n}" : "=r"(d) : "r"(w));
    return d;
}

// Numbers over 0x6400 less ZERO as f16 pairs.
template <u32 ZERO>
DEVICE void raw_numbers(u32 (&q)[4]) {
    constexpr u32 LESS = (0x6400u + ZERO) * 0x00010001u;
#pragma unroll
    for (u32 i = 0; i < 4; i++) asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(q[i]) : "r"(q[i]), "r"(LESS));
}

// Nibbles less ZERO as f16 pairs, of two pairs of bytes: the lower nibbles in 0 and 1, the upper ones in 2 and 3. A byte over 0x6400 is
// 1024 + low + 16 high. With ZERO in the low nibble's place it is what is taken from that to leave the low one, and a sixteenth of it the
// high one and a constant. All of it is exact.
template <u32 ZERO>
DEVICE void raw_nibble_numbers(u32 at, u32 next, u32 chunk, u32 t, u32 (&q)[4]) {
    static_assert(ZERO < 16, "in a nibble's place");
    // -64 - ZERO - ZERO / 16: 0xd400 is -64, whose last place is 1/16.
    constexpr u32 REST = (0xd400u + ZERO * 17) * 0x00010001u;
    u32 from = (at + 2 * t ^ chunk * 16) + next;
#pragma unroll
    for (u32 i = 0; i < 2; i++) {
        u32 both = spread(shared_u16(from + 8 * i)), high = both & 0xfff0fff0u;
        if constexpr (ZERO != 0) high |= raw_constant<ZERO * 0x00010001u>();
        asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(q[i]) : "r"(both), "r"(high));
        asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(q[i + 2]) : "r"(high), "r"(0x2c002c00u), "r"(REST));
    }
}

// d * number + m, of f32, in the activations' format.
DEVICE u32 raw_scaled(u32 pair, float d, float m) {
    float lo = __fmaf_rn(d, f16_to_f32((u16)pair), m), hi = __fmaf_rn(d, f16_to_f32((u16)(pair >> 16)), m);
    u32 o;
    if constexpr (C_ACT == ACT_F16) {
        asm("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(o) : "f"(hi), "f"(lo));
    } else {
        o = f32_to_bf16x2(lo, hi);
    }
    return o;
}

// The same with both f16, twice each: exact, then rounded once.
template <bool RANGED>
DEVICE void raw_scaled_f16(u32 (&q)[4], u32 dd, u32 mm) {
    if constexpr (C_ACT == ACT_F16) {
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            if constexpr (RANGED) {
                asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(q[i]) : "r"(q[i]), "r"(dd), "r"(mm));
            } else {
                asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(q[i]) : "r"(q[i]), "r"(dd));
            }
        }
    } else {
        float a = f16_to_f32((u16)dd), b = RANGED ? f16_to_f32((u16)mm) : 0.0f;
#pragma unroll
        for (u32 i = 0; i < 4; i++) q[i] = raw_scaled(q[i], a, b);
    }
}

// The first sixteen and the last have scales of their own. In f32, rounded once.
DEVICE void raw_scaled_f32(u32 (&q)[4], float d0, float m0, float d1, float m1) {
    q[0] = raw_scaled(q[0], d0, m0), q[1] = raw_scaled(q[1], d0, m0);
    q[2] = raw_scaled(q[2], d1, m1), q[3] = raw_scaled(q[3], d1, m1);
}

// Factors of f16 in pairs: the first sixteen's, the last's.
template <bool RANGED>
DEVICE void raw_scaled_pairs(u32 (&q)[4], u32 d, u32 m) {
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
        u32 dd = half_twice(d, i / 2), mm = half_twice(m, i / 2);
        if constexpr (RANGED) {
            asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(q[i]) : "r"(q[i]), "r"(dd), "r"(mm));
        } else {
            asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(q[i]) : "r"(q[i]), "r"(dd));
        }
    }
}

// `raw_scaled_f32` with factors that are rounded to f16 first, where activations are f16: a third of the instructions. The error
// is that of one more rounding of a weight and its minimum, far below a step of the codes.
template <bool RANGED>
DEVICE void raw_scaled_halves(u32 (&q)[4], float d0, float m0, float d1, float m1) {
    if constexpr (C_ACT == ACT_F16) {
        u32 d, m = 0;
        asm("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(d1), "f"(d0));
        if constexpr (RANGED) asm("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(m) : "f"(m1), "f"(m0));
        raw_scaled_pairs<RANGED>(q, d, m);
    } else {
        raw_scaled_f32(q, d0, m0, d1, m1);
    }
}

DEVICE u32 word_of(uint4 v, u32 i) {
    return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

// Half `i` of eight, twice.
DEVICE u32 halves_of(uint4 v, u32 i) {
    return half_twice(word_of(v, i / 2), i);
}

DEVICE u32 byte_of(uint4 v, u32 i) {
    return word_of(v, i / 4) >> (i % 4 * 8) & 255u;
}

// --- Formats ---
//
// `Planes`; `OfRow`: what a thread keeps of a row of a stage; `load`: reads it (`place` is the row's number in its matrix times
// its units, plus the unit: the number of its 256 values); `block`: block `c` of row `row + further`, both known at compile time
// but for `row`; `further` is a multiple of 8.

template <u32 DT, u32 ROWS>
struct Raw;

// Where plane I of a stage begins.
template <class P, u32 ROWS, u32 I>
DEVICE u32 raw_plane(u32 stage) {
    return stage + P::slots_before(I) * ROWS;
}

// Numbers less ZERO of BITS bits in planes: nibbles or pairs, and the bits above them.
template <class P, u32 ROWS, u32 BITS, u32 ZERO, bool STRIPED>
DEVICE void raw_codes(u32 stage, u32 row, u32 further, u32 c, u32 t, u32 (&q)[4]) {
    u32 low = stage + raw_at<P::bytes(0), ROWS>(row, 0), high = raw_plane<P, ROWS, 1>(stage) + raw_at<P::slot(1), ROWS>(row, 0);
    u32 next = further * P::bytes(0), next_high = further * P::slot(1);
    if constexpr (BITS == 4) {
        raw_nibble_numbers<ZERO>(low, next, STRIPED ? stripe(c) : c, t, q);
        return;
    } else if constexpr (BITS > 4) {
        raw_nibbles(low, next, STRIPED ? stripe(c) : c, t, q);
        q[2] = (q[2] >> 4 & 0x000f000fu) | 0x64006400u, q[3] = (q[3] >> 4 & 0x000f000fu) | 0x64006400u;
    } else {
        q[0] = q[1] = q[2] = q[3] = 0x64006400u;
        raw_pairs<0>(low, next, c, t, q);
    }
    if constexpr (BITS == 3) raw_bits<2>(high, next_high, c, t, q);
    if constexpr (BITS == 5) raw_bits<4>(high, next_high, c, t, q);
    if constexpr (BITS == 6) raw_pairs<4>(high, next_high, c, t, q);
    raw_numbers<ZERO>(q);
}

// A f16 scale for 32.
template <u32 BITS, u32 ROWS>
struct RawScaled {
    using P = typename Either<BITS == 4, Planes<128, 16>, typename Either<BITS == 5, Planes<128, 32, 16>, Planes<256, 16>>::type>::type;
    typedef uint4 OfRow;
    static DEVICE OfRow load(u32 stage, u32 row, u32) {
        return shared_u128(raw_plane<P, ROWS, P::COUNT - 1>(stage) + row * 16);
    }
    static DEVICE void block(u32 stage, u32 row, u32 further, const OfRow& s, u32 c, u32 t, u32 (&q)[4]) {
        if constexpr (BITS == 8) {
            raw_bytes<0x00800080, ROWS>(stage + raw_at<256, ROWS>(row, 0), further * 128, c, t, q);
            raw_numbers<128>(q);
        } else {
            raw_codes<P, ROWS, BITS, 1 << (BITS - 1), false>(stage, row, further, c, t, q);
        }
        raw_scaled_f16<false>(q, halves_of(s, c), 0);
    }
};

template <u32 ROWS>
struct Raw<DT_Q4_0, ROWS> : RawScaled<4, ROWS> {};
template <u32 ROWS>
struct Raw<DT_Q5_0, ROWS> : RawScaled<5, ROWS> {};
template <u32 ROWS>
struct Raw<DT_Q8_0, ROWS> : RawScaled<8, ROWS> {};

template <u32 ROWS>
struct Raw<DT_IQ4_NL, ROWS> {
    using P = Planes<128, 16>;
    typedef uint4 OfRow;
    static DEVICE OfRow load(u32 stage, u32 row, u32) { return shared_u128(raw_plane<P, ROWS, 1>(stage) + row * 16); }
    static DEVICE void block(u32 stage, u32 row, u32 further, const OfRow& s, u32 c, u32 t, u32 (&q)[4]) {
        raw_places<Iq4Table>(stage + raw_at<128, ROWS>(row, 0), further * 128, c, t, q);
        raw_numbers<128>(q);
        raw_scaled_f16<false>(q, halves_of(s, c), 0);
    }
};

// A scale and a minimum for GROUP.
template <u32 BITS, u32 GROUP, bool BF16, u32 ROWS>
struct RawRanged {
    static constexpr u32 DM = 4 * 256 / GROUP;
    using P = typename Either<BITS == 2, Planes<64, DM>,
              typename Either<BITS == 3, Planes<64, 32, DM>,
              typename Either<BITS == 4, Planes<128, DM>,
              typename Either<BITS == 5, Planes<128, 32, DM>,
              typename Either<BITS == 6, Planes<128, 64, DM>, Planes<256, DM>>::type>::type>::type>::type>::type;
    struct OfRow {};
    static DEVICE OfRow load(u32, u32, u32) { return {}; }
    static DEVICE void block(u32 stage, u32 row, u32 further, const OfRow&, u32 c, u32 t, u32 (&q)[4]) {
        if constexpr (BITS == 8) {
            raw_bytes<0, ROWS>(stage + raw_at<256, ROWS>(row, 0), further * 128, c, t, q);
            raw_numbers<0>(q);
        } else {
            raw_codes<P, ROWS, BITS, 0, false>(stage, row, further, c, t, q);
        }
        u32 dm = shared_u32(raw_plane<P, ROWS, P::COUNT - 1>(stage) + raw_at<DM, ROWS>(row + further, c * 32 / GROUP * 4));
        if constexpr (BF16) {
#pragma unroll
            for (u32 i = 0; i < 4; i++) q[i] = raw_scaled(q[i], bf16_low(dm), bf16_high(dm));
        } else {
            raw_scaled_f16<true>(q, half_twice(dm, 0), half_twice(dm, 1));
        }
    }
};

template <u32 ROWS>
struct Raw<DT_Q4_1, ROWS> : RawRanged<4, 32, false, ROWS> {};
template <u32 ROWS>
struct Raw<DT_Q5_1, ROWS> : RawRanged<5, 32, false, ROWS> {};
template <u32 DT, u32 ROWS>
struct Raw : RawRanged<AFFINE_BITS(DT), AFFINE_GROUP(DT), AFFINE_BF16(DT), ROWS> {
    static_assert(DT >= DT_AFFINE, "a format without a version");
};

template <u32 ROWS>
struct Raw<DT_Q8K, ROWS> {
    using P = Planes<256, 4>;
    typedef float OfRow;
    static DEVICE OfRow load(u32 stage, u32 row, u32) { return __uint_as_float(shared_u32(raw_plane<P, ROWS, 1>(stage) + row * 4)); }
    static DEVICE void block(u32 stage, u32 row, u32 further, const OfRow& d, u32 c, u32 t, u32 (&q)[4]) {
        raw_bytes<0x00800080, ROWS>(stage + raw_at<256, ROWS>(row, 0), further * 128, c, t, q);
        raw_numbers<128>(q);
        raw_scaled_halves<false>(q, d, 0.0f, d, 0.0f);
    }
};

// A number of up to eight bits as f32.
DEVICE float small_float(u32 v) {
    return __uint_as_float(0x4b000000u | v) - 8388608.0f;
}

// Six bits from bit `from` on of words 1 to 3.
DEVICE u32 head_bits(uint4 head, u32 from) {
    u32 i = from / 32, s = from % 32, low = word_of(head, 1 + i) >> s;
    if (s > 26) low |= word_of(head, 2 + i) << (32 - s);
    return low & 63u;
}

// Two factors for each block of 32. The four threads that share a row work out those of two blocks each, 2t and 2t + 1, and
// pass them on. Where activations are f16, they are rounded to f16 first.
struct RawFactors {
    u32 pair[2];
    float first[2], second[2];

    DEVICE void set(u32 i, float a, float b) {
        first[i] = a, second[i] = b;
        if constexpr (C_ACT == ACT_F16) asm("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(pair[i]) : "f"(b), "f"(a));
    }
    DEVICE u32 pair_of(u32 c) const { return __shfl_sync(0xffffffffu, pair[c % 2], c / 2, 4); }
    DEVICE float first_of(u32 c) const { return __shfl_sync(0xffffffffu, first[c % 2], c / 2, 4); }
    DEVICE float second_of(u32 c) const { return __shfl_sync(0xffffffffu, second[c % 2], c / 2, 4); }
};

template <u32 BITS, u32 ROWS>
struct RawRangedSuper {
    using P = typename Either<BITS == 4, Planes<128, 16>, Planes<128, 32, 16>>::type;
    // Scale and minimum.
    typedef RawFactors OfRow;
    static DEVICE OfRow load(u32 stage, u32 row, u32) {
        u32 t = threadIdx.x % 4, head = raw_plane<P, ROWS, P::COUNT - 1>(stage) + row * 16, at = 4 + 3 * t;
        u32 both = shared_u32(head), low = shared_u32(head + (at & ~3u)), high = shared_u32(head + min((at & ~3u) + 4, 12u));
        float d = f16_to_f32((u16)both), m = -f16_to_f32((u16)(both >> 16));
        // Four numbers of six bits.
        u32 v = __funnelshift_r(low, high, at % 4 * 8);
        OfRow r;
#pragma unroll
        for (u32 i = 0; i < 2; i++) r.set(i, d * small_float(v >> (12 * i) & 63u), m * small_float(v >> (12 * i + 6) & 63u));
        return r;
    }
    static DEVICE void block(u32 stage, u32 row, u32 further, const OfRow& r, u32 c, u32 t, u32 (&q)[4]) {
        raw_codes<P, ROWS, BITS, 0, true>(stage, row, further, c, t, q);
        if constexpr (C_ACT == ACT_F16) {
            u32 dm = r.pair_of(c);
            raw_scaled_f16<true>(q, half_twice(dm, 0), half_twice(dm, 1));
        } else {
            float d = r.first_of(c), m = r.second_of(c);
            raw_scaled_f32(q, d, m, d, m);
        }
    }
};

template <u32 ROWS>
struct Raw<DT_Q4K, ROWS> : RawRangedSuper<4, ROWS> {};
template <u32 ROWS>
struct Raw<DT_Q5K, ROWS> : RawRangedSuper<5, ROWS> {};

template <u32 ROWS>
struct Raw<DT_Q2K, ROWS> {
    using P = Planes<64, 16, 4>;
    struct OfRow {
        uint4 scales;
        float d, m;
    };
    static DEVICE OfRow load(u32 stage, u32 row, u32) {
        u32 dm = shared_u32(raw_plane<P, ROWS, 2>(stage) + row * 4);
        return {shared_u128(raw_plane<P, ROWS, 1>(stage) + row * 16), f16_to_f32((u16)dm), -f16_to_f32((u16)(dm >> 16))};
    }
    static DEVICE void block(u32 stage, u32 row, u32 further, const OfRow& r, u32 c, u32 t, u32 (&q)[4]) {
        raw_codes<P, ROWS, 2, 0, false>(stage, row, further, c, t, q);
        u32 a = byte_of(r.scales, 2 * c), b = byte_of(r.scales, 2 * c + 1);
        raw_scaled_halves<true>(q, r.d * small_float(a & 15u), r.m * small_float(a >> 4), r.d * small_float(b & 15u),
                          r.m * small_float(b >> 4));
    }
};

// A scale of two bytes, whose word was copied; its plane begins at a whole word.
DEVICE float raw_half(u32 plane, u32 row, u32 place) {
    return f16_to_f32((u16)(shared_u32(plane + row * 4) >> (place % 2 * 16)));
}

template <u32 ROWS>
struct Raw<DT_Q3K, ROWS> {
    using P = Planes<64, 32, 12, 2>;
    struct OfRow {
        uint4 head;
        float d;
    };
    static DEVICE OfRow load(u32 stage, u32 row, u32 place) {
        u32 s = raw_plane<P, ROWS, 2>(stage) + row * 12;
        return {make_uint4(0, shared_u32(s), shared_u32(s + 4), shared_u32(s + 8)),
                raw_half(raw_plane<P, ROWS, 3>(stage), row, place)};
    }
    static DEVICE void block(u32 stage, u32 row, u32 further, const OfRow& r, u32 c, u32 t, u32 (&q)[4]) {
        raw_codes<P, ROWS, 3, 4, false>(stage, row, further, c, t, q);
        float a = r.d * (small_float(head_bits(r.head, 12 * c)) - 32.0f), b = r.d * (small_float(head_bits(r.head, 12 * c + 6)) - 32.0f);
        raw_scaled_halves<false>(q, a, 0.0f, b, 0.0f);
    }
};

template <u32 ROWS>
struct Raw<DT_Q6K, ROWS> {
    using P = Planes<128, 64, 16, 2>;
    // Scales of the first sixteen and the last.
    typedef RawFactors OfRow;
    static DEVICE OfRow load(u32 stage, u32 row, u32 place) {
        u32 s = shared_u32(raw_plane<P, ROWS, 2>(stage) + row * 16 + threadIdx.x % 4 * 4) ^ 0x80808080u;
        float d = raw_half(raw_plane<P, ROWS, 3>(stage), row, place);
        OfRow r;
#pragma unroll
        for (u32 i = 0; i < 2; i++) {
            r.set(i, d * (small_float(s >> (16 * i) & 255u) - 128.0f), d * (small_float(s >> (16 * i + 8) & 255u) - 128.0f));
        }
        return r;
    }
    static DEVICE void block(u32 stage, u32 row, u32 further, const OfRow& r, u32 c, u32 t, u32 (&q)[4]) {
        raw_codes<P, ROWS, 6, 32, true>(stage, row, further, c, t, q);
        if constexpr (C_ACT == ACT_F16) {
            raw_scaled_pairs<false>(q, r.pair_of(c), 0);
        } else {
            raw_scaled_f32(q, r.first_of(c), 0.0f, r.second_of(c), 0.0f);
        }
    }
};

template <u32 ROWS>
struct Raw<DT_IQ4_XS, ROWS> {
    using P = Planes<128, 8>;
    typedef uint2 OfRow;
    static DEVICE OfRow load(u32 stage, u32 row, u32) { return shared_u64(raw_plane<P, ROWS, 1>(stage) + row * 8); }
    static DEVICE void block(u32 stage, u32 row, u32 further, const OfRow& h, u32 c, u32 t, u32 (&q)[4]) {
        raw_places<Iq4Table>(stage + raw_at<128, ROWS>(row, 0), further * 128, stripe(c), t, q);
        raw_numbers<128>(q);
        u32 s = (h.y >> (4 * c) & 15u) | (h.x >> (16 + 2 * c) & 3u) << 4;
        float d = f16_to_f32((u16)h.x) * (small_float(s) - 32.0f);
        raw_scaled_halves<false>(q, d, 0.0f, d, 0.0f);
    }
};

template <u32 ROWS>
struct Raw<DT_MXFP4, ROWS> {
    using P = Planes<128, 8>;
    typedef uint2 OfRow;
    static DEVICE OfRow load(u32 stage, u32 row, u32) { return shared_u64(raw_plane<P, ROWS, 1>(stage) + row * 8); }
    static DEVICE void block(u32 stage, u32 row, u32 further, const OfRow& h, u32 c, u32 t, u32 (&q)[4]) {
        raw_places<E2m1Table>(stage + raw_at<128, ROWS>(row, 0), further * 128, c, t, q);
        raw_numbers<128>(q);
        float d = e8m0_half((c < 4 ? h.x : h.y) >> (c % 4 * 8) & 255u);
        // Powers of two of all sizes.
        raw_scaled_f32(q, d, 0.0f, d, 0.0f);
    }
};

template <u32 ROWS>
struct Raw<DT_NVFP4, ROWS> {
    using P = Planes<128, 16>;
    typedef uint4 OfRow;
    static DEVICE OfRow load(u32 stage, u32 row, u32) { return shared_u128(raw_plane<P, ROWS, 1>(stage) + row * 16); }
    static DEVICE void block(u32 stage, u32 row, u32 further, const OfRow& h, u32 c, u32 t, u32 (&q)[4]) {
        raw_places<E2m1Table>(stage + raw_at<128, ROWS>(row, 0), further * 128, c, t, q);
        raw_numbers<128>(q);
        raw_scaled_halves<false>(q, ue4m3_half(byte_of(h, 2 * c)), 0.0f, ue4m3_half(byte_of(h, 2 * c + 1)), 0.0f);
    }
};

template <u32 ROWS>
struct Raw<DT_MXFP8, ROWS> {
    using P = Planes<256, 8>;
    typedef uint2 OfRow;
    static DEVICE OfRow load(u32 stage, u32 row, u32) { return shared_u64(raw_plane<P, ROWS, 1>(stage) + row * 8); }
    static DEVICE void block(u32 stage, u32 row, u32 further, const OfRow& h, u32 c, u32 t, u32 (&q)[4]) {
        float d = e8m0((c < 4 ? h.x : h.y) >> (c % 4 * 8) & 255u);
#pragma unroll
        for (u32 i = 0; i < 4; i += 2) {
            u32 at = ((stage + raw_at<256, ROWS>(row, 0)) ^ (c % 4 * 32 + i * 8)) + 2 * t + c / 4 * ROWS * 128 + further * 128;
            float v[4];
            e4m3(shared_u16(at) | shared_u16(at + 8) << 16, v);
#pragma unroll
            for (u32 j = 0; j < 2; j++) {
                float lo = v[2 * j] * d, hi = v[2 * j + 1] * d;
                if constexpr (C_ACT == ACT_F16) asm("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(q[i + j]) : "f"(hi), "f"(lo));
                else q[i + j] = f32_to_bf16x2(lo, hi);
            }
        }
    }
};
