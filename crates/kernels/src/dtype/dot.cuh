// Weight formats in matrix-vector products: one struct for each, so adding a format is adding a struct here.
//
// A lane takes a *unit* of a weight row at a time. `fetch` starts its copy to the lane's slot of shared memory,
// `read` takes it from there. Units are numbered through the whole matrix, since rows lie one after the other in
// every plane. Float weights multiply f32 activations. Quantized weights multiply activations of 16 bits, one scale
// for each block of 32, kept as signed high bytes and unsigned low bytes: two chains of byte products give the
// exact integer sum, so the only error is half a step of 1/32512 of a block's largest value.

// --- Copies to shared memory ---

DEVICE void copy16(u32 to, const u8* from) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

DEVICE void copy8(u32 to, const u8* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from) : "memory");
}

DEVICE void copy4(u32 to, const u8* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
}

DEVICE void copy_commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most `LEFT` of this thread's groups are on their way.
template <u32 LEFT>
DEVICE void copy_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

// --- Arithmetic ---

DEVICE i32 dot4_signed(u32 a, u32 b, i32 c) {
    i32 d;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

// Signed bytes of `a` with unsigned bytes of `b`.
DEVICE i32 dot4_mixed(u32 a, u32 b, i32 c) {
    i32 d;
    asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

DEVICE u32 dot4(u32 a, u32 b, u32 c) {
    u32 d;
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

DEVICE float f16_of(u32 pair, u32 high) {
    return f16_to_f32((u16)(pair >> (16 * high)));
}

template <class T>
DEVICE T shared_at(const u8* p) {
    return *reinterpret_cast<const T*>(p);
}

// --- Formats ---

// UNIT: values of a unit. SLOT: bytes of a lane's slot. A warp's slot is the lanes' first parts side by side, then
// their second parts: reads have no bank conflicts.
//
// A quantized unit has pieces of 16 values: PIECES (1 or 2) of each of SPAN (1 or 2) blocks of 32 activations.
// `half` places a piece in its block. `bytes` gives a piece's 16 bytes, which are the weights divided by their scale
// times RAISE, signed unless UNSIGNED; `factor` the scale. PARTED: each piece has a scale of its own. `least` is the
// minimum where SUMS is not 0, which says how many sums of a block's activations it needs: 1, or one for each half.
// ELEMENTS: values of the whole matrix, where its second plane begins.
template <u32 DTYPE, u64 ELEMENTS>
struct Dot;

template <u64 ELEMENTS>
struct Dot<DT_F32, ELEMENTS> {
    static constexpr bool QUANTIZED = false;
    static constexpr u32 UNIT = 4, SLOT = 16;
    struct Raw {
        uint4 q;
    };
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) { copy16(to + 16 * lane, w + (u64)unit * 16); }
    DEVICE static Raw read(const u8* slot, u32 lane, u32) { return {shared_at<uint4>(slot + 16 * lane)}; }
    DEVICE static void values(const Raw& r, float (&v)[UNIT]) {
        v[0] = __uint_as_float(r.q.x), v[1] = __uint_as_float(r.q.y);
        v[2] = __uint_as_float(r.q.z), v[3] = __uint_as_float(r.q.w);
    }
};

template <u64 ELEMENTS>
struct Dot<DT_BF16, ELEMENTS> {
    static constexpr bool QUANTIZED = false;
    static constexpr u32 UNIT = 8, SLOT = 16;
    struct Raw {
        uint4 q;
    };
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) { copy16(to + 16 * lane, w + (u64)unit * 16); }
    DEVICE static Raw read(const u8* slot, u32 lane, u32) { return {shared_at<uint4>(slot + 16 * lane)}; }
    DEVICE static void values(const Raw& r, float (&v)[UNIT]) {
        const u32 q[4] = {r.q.x, r.q.y, r.q.z, r.q.w};
#pragma unroll
        for (u32 i = 0; i < 4; i++) v[2 * i] = bf16_low(q[i]), v[2 * i + 1] = bf16_high(q[i]);
    }
};

template <u64 ELEMENTS>
struct Dot<DT_F16, ELEMENTS> {
    static constexpr bool QUANTIZED = false;
    static constexpr u32 UNIT = 8, SLOT = 16;
    struct Raw {
        uint4 q;
    };
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) { copy16(to + 16 * lane, w + (u64)unit * 16); }
    DEVICE static Raw read(const u8* slot, u32 lane, u32) { return {shared_at<uint4>(slot + 16 * lane)}; }
    DEVICE static void values(const Raw& r, float (&v)[UNIT]) {
        const u32 q[4] = {r.q.x, r.q.y, r.q.z, r.q.w};
#pragma unroll
        for (u32 i = 0; i < 4; i++) v[2 * i] = f16_of(q[i], 0), v[2 * i + 1] = f16_of(q[i], 1);
    }
};

// Copies a lane's part of BYTES to the warp's slot at `to`, or takes it from there.
template <u32 BYTES>
DEVICE void copy_part(u32 to, u32 lane, const u8* from) {
    if constexpr (BYTES == 16) copy16(to + 16 * lane, from);
    if constexpr (BYTES == 8) copy8(to + 8 * lane, from);
    if constexpr (BYTES == 4) copy4(to + 4 * lane, from);
}

template <u32 BYTES>
DEVICE void take_part(const u8* slot, u32 lane, u32* to) {
    if constexpr (BYTES == 16) {
        uint4 v = shared_at<uint4>(slot + 16 * lane);
        to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
    }
    if constexpr (BYTES == 8) {
        uint2 v = shared_at<uint2>(slot + 8 * lane);
        to[0] = v.x, to[1] = v.y;
    }
    if constexpr (BYTES == 4) to[0] = shared_at<u32>(slot + 4 * lane);
}

// BITS bits of every byte, from bit FROM to bit TO on.
template <u32 BITS, u32 FROM, u32 TO>
DEVICE u32 field(u32 v) {
    constexpr u32 MASK = (((1u << BITS) - 1) << TO) * 0x01010101u;
    return (FROM > TO ? v >> (FROM - TO) : v << (TO - FROM)) & MASK;
}

// The codes of a unit of BLOCKS blocks, BITS each, as planes.rs lays them out: nibbles or pairs, and the bits above
// them. `bytes` gives code * RAISE; CENTRED: (code - half of the range) * RAISE.
template <u32 BITS, u32 BLOCKS, bool CENTRED>
struct Codes {
    static constexpr u32 LOW = BITS < 4 ? 2 : 4, HIGH = BITS - LOW;
    static constexpr u32 LOW_BYTES = BLOCKS * LOW * 4, HIGH_BYTES = BLOCKS * HIGH * 4, SLOT = LOW_BYTES + HIGH_BYTES;
    // A code at the top of a byte, its top bit flipped, is centred.
    static constexpr u32 UP = CENTRED ? 8 - BITS : 0;
    static constexpr float RAISE = (float)(1u << UP);
    static constexpr u32 HIGH_AT = 32 * LOW_BYTES;
    struct Raw {
        u32 low[LOW_BYTES / 4], high[HIGH_BYTES ? HIGH_BYTES / 4 : 1];
    };

    template <u64 ELEMENTS>
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) {
        if constexpr (LOW_BYTES == 32) {
            // Blocks of 256 are striped.
            const u8* from = w + (u64)(unit / 4) * 128 + unit % 4 * 16;
            copy16(to + 16 * lane, from);
            copy16(to + 512 + 16 * lane, from + 64);
        } else {
            copy_part<LOW_BYTES>(to, lane, w + (u64)unit * LOW_BYTES);
        }
        if constexpr (HIGH != 0)
            copy_part<HIGH_BYTES>(to + HIGH_AT, lane, w + ELEMENTS * LOW / 8 + (u64)unit * HIGH_BYTES);
    }
    DEVICE static void read(Raw& r, const u8* slot, u32 lane) {
        if constexpr (LOW_BYTES == 32) {
            take_part<16>(slot, lane, r.low);
            take_part<16>(slot + 512, lane, r.low + 4);
        } else {
            take_part<LOW_BYTES>(slot, lane, r.low);
        }
        if constexpr (HIGH != 0) take_part<HIGH_BYTES>(slot + HIGH_AT, lane, r.high);
    }

    // Word I of piece P of block B.
    template <u32 B, u32 P, u32 I>
    DEVICE static u32 word(const Raw& r) {
        u32 v;
        if constexpr (LOW == 4) v = field<4, 4 * P, UP>(r.low[4 * B + I]);
        else v = field<2, 2 * I, UP>(r.low[2 * B + P]);
        if constexpr (HIGH == 1) v |= field<1, 4 * P + I, UP + LOW>(r.high[B]);
        if constexpr (HIGH == 2) v |= field<2, 2 * I, UP + LOW>(r.high[2 * B + P]);
        return CENTRED ? v ^ 0x80808080u : v;
    }
    template <u32 B, u32 P>
    DEVICE static void bytes(const Raw& r, u32 (&v)[4]) {
        v[0] = word<B, P, 0>(r), v[1] = word<B, P, 1>(r), v[2] = word<B, P, 2>(r), v[3] = word<B, P, 3>(r);
    }
};

// Codes of a unit of BLOCKS blocks that are places in a table.
template <class TABLE, u32 BLOCKS>
struct Places : Codes<4, BLOCKS, false> {
    using Raw = typename Codes<4, BLOCKS, false>::Raw;
    template <u32 B, u32 P>
    DEVICE static void bytes(const Raw& r, u32 (&v)[4]) {
        TABLE::look_up(r.low[4 * B + 2 * P], v[0], v[1]);
        TABLE::look_up(r.low[4 * B + 2 * P + 1], v[2], v[3]);
    }
};

// What most formats have in common.
template <class C, u32 BLOCKS>
struct Quantized {
    static constexpr bool QUANTIZED = true, PARTED = false, UNSIGNED = false;
    static constexpr u32 UNIT = 32 * BLOCKS, SPAN = BLOCKS, PIECES = 2, SUMS = 0;
    static constexpr float RAISE = C::RAISE;
    DEVICE static u32 half(u32, u32 piece) { return piece; }
    template <u32 B, u32 P, class Raw>
    DEVICE static void bytes(const Raw& r, u32 (&v)[4]) {
        C::template bytes<B, P>(r.codes, v);
    }
    template <class Raw>
    DEVICE static float least(const Raw&, u32, u32) {
        return 0.0f;
    }
};

// Blocks of 32 with an f16 scale.
template <class C, u32 BITS, u64 ELEMENTS>
struct Scaled : Quantized<C, 1> {
    static constexpr u32 SLOT = C::SLOT + 4;
    struct Raw {
        typename C::Raw codes;
        float d;
    };
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) {
        C::template fetch<ELEMENTS>(to, lane, w, unit);
        // The aligned word that holds the scale: copies of two bytes do not exist.
        copy4(to + 32 * C::SLOT + 4 * lane, w + ELEMENTS / 8 * BITS + (u64)(unit / 2) * 4);
    }
    DEVICE static Raw read(const u8* slot, u32 lane, u32 unit) {
        Raw r;
        C::read(r.codes, slot, lane);
        r.d = f16_of(shared_at<u32>(slot + 32 * C::SLOT + 4 * lane), unit & 1);
        return r;
    }
    DEVICE static float factor(const Raw& r, u32, u32) { return r.d; }
};

template <u64 ELEMENTS>
struct Dot<DT_Q4_0, ELEMENTS> : Scaled<Codes<4, 1, true>, 4, ELEMENTS> {};
template <u64 ELEMENTS>
struct Dot<DT_Q5_0, ELEMENTS> : Scaled<Codes<5, 1, true>, 5, ELEMENTS> {};
template <u64 ELEMENTS>
struct Dot<DT_IQ4_NL, ELEMENTS> : Scaled<Places<Iq4Table, 1>, 4, ELEMENTS> {};

// Groups with a scale and a minimum of 16 bits each, in one word.
template <u32 BITS, u32 GROUP, bool BF16, u64 ELEMENTS>
struct Ranged : Quantized<Codes<BITS, BITS < 4 && GROUP >= 64 ? 2 : 1, false>, BITS < 4 && GROUP >= 64 ? 2 : 1> {
    static constexpr u32 BLOCKS = BITS < 4 && GROUP >= 64 ? 2 : 1, SUMS = 1;
    using C = Codes<BITS, BLOCKS, false>;
    static constexpr u32 SLOT = C::SLOT + 4;
    struct Raw {
        typename C::Raw codes;
        u32 dm;
    };
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) {
        C::template fetch<ELEMENTS>(to, lane, w, unit);
        copy4(to + 32 * C::SLOT + 4 * lane, w + ELEMENTS / 8 * BITS + (u64)(unit / (GROUP / (32 * BLOCKS))) * 4);
    }
    DEVICE static Raw read(const u8* slot, u32 lane, u32) {
        Raw r;
        C::read(r.codes, slot, lane);
        r.dm = shared_at<u32>(slot + 32 * C::SLOT + 4 * lane);
        return r;
    }
    DEVICE static float factor(const Raw& r, u32, u32) { return BF16 ? bf16_low(r.dm) : f16_of(r.dm, 0); }
    DEVICE static float least(const Raw& r, u32, u32) { return BF16 ? bf16_high(r.dm) : f16_of(r.dm, 1); }
};

template <u64 ELEMENTS>
struct Dot<DT_Q4_1, ELEMENTS> : Ranged<4, 32, false, ELEMENTS> {};
template <u64 ELEMENTS>
struct Dot<DT_Q5_1, ELEMENTS> : Ranged<5, 32, false, ELEMENTS> {};

// Whole bytes. A unit is half a block, so that a warp's copies lie side by side.
struct WholeBytes {
    static constexpr bool QUANTIZED = true, PARTED = false, UNSIGNED = false;
    static constexpr u32 UNIT = 16, SLOT = 20, SPAN = 1, PIECES = 1, SUMS = 0;
    static constexpr float RAISE = 1.0f;
    struct Raw {
        u32 q[4];
        float d, m;
    };
    DEVICE static u32 half(u32 unit, u32) { return unit & 1; }
    template <u32, u32>
    DEVICE static void bytes(const Raw& r, u32 (&v)[4]) {
        v[0] = r.q[0], v[1] = r.q[1], v[2] = r.q[2], v[3] = r.q[3];
    }
    DEVICE static float factor(const Raw& r, u32, u32) { return r.d; }
    DEVICE static float least(const Raw& r, u32, u32) { return r.m; }
    DEVICE static void copy(u32 to, u32 lane, const u8* w, u32 unit, const u8* scale) {
        copy16(to + 16 * lane, w + (u64)unit * 16);
        copy4(to + 512 + 4 * lane, scale);
    }
    DEVICE static u32 take(Raw& r, const u8* slot, u32 lane) {
        take_part<16>(slot, lane, r.q);
        r.m = 0.0f;
        return shared_at<u32>(slot + 512 + 4 * lane);
    }
};

template <u64 ELEMENTS>
struct Dot<DT_Q8_0, ELEMENTS> : WholeBytes {
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) {
        copy(to, lane, w, unit, w + ELEMENTS + (u64)(unit / 4) * 4);
    }
    DEVICE static Raw read(const u8* slot, u32 lane, u32 unit) {
        Raw r;
        r.d = f16_of(take(r, slot, lane), unit >> 1 & 1);
        return r;
    }
};

template <u64 ELEMENTS>
struct Dot<DT_Q8K, ELEMENTS> : WholeBytes {
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) {
        copy(to, lane, w, unit, w + ELEMENTS + (u64)(unit / 16) * 4);
    }
    DEVICE static Raw read(const u8* slot, u32 lane, u32) {
        Raw r;
        r.d = __uint_as_float(take(r, slot, lane));
        return r;
    }
};

template <u32 GROUP, bool BF16, u64 ELEMENTS>
struct RangedBytes : WholeBytes {
    static constexpr bool UNSIGNED = true;
    static constexpr u32 SUMS = 1;
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) {
        copy(to, lane, w, unit, w + ELEMENTS + (u64)(unit / (GROUP / 16)) * 4);
    }
    DEVICE static Raw read(const u8* slot, u32 lane, u32 unit) {
        Raw r;
        u32 dm = take(r, slot, lane);
        r.d = BF16 ? bf16_low(dm) : f16_of(dm, 0);
        // The sum is the whole block's, so one of its halves has the minimum.
        if ((unit & 1) == 0) r.m = BF16 ? bf16_high(dm) : f16_of(dm, 1);
        return r;
    }
};

// The affine formats: ids as in affine.rs.
template <u32 BITS, u32 GROUP, bool BF16, u64 ELEMENTS>
struct Affine : Ranged<BITS, GROUP, BF16, ELEMENTS> {};
template <u32 GROUP, bool BF16, u64 ELEMENTS>
struct Affine<8, GROUP, BF16, ELEMENTS> : RangedBytes<GROUP, BF16, ELEMENTS> {};
template <u32 DTYPE, u64 ELEMENTS>
struct Dot : Affine<AFFINE_BITS(DTYPE), AFFINE_GROUP(DTYPE), AFFINE_BF16(DTYPE), ELEMENTS> {
    static_assert(DTYPE >= DT_AFFINE, "a format without a version");
};

// Super-blocks of 256 values, a quarter of which is a unit: two blocks, which all have nibbles or pairs of their own.

// A unit's four six-bit scales: 24 bits of the super-block's stream, in two of its words. They are copied as words,
// since the lanes of a super-block would each fetch copies of 16 bytes, which do not go through the first cache.
struct Quarter {
    static constexpr u32 SLOT = 8;
    DEVICE static void fetch(u32 to, u32 lane, const u8* stream, u32 unit) {
        u32 from = 24 * (unit & 3);
        copy4(to + 4 * lane, stream + from / 32 * 4);
        copy4(to + 128 + 4 * lane, stream + (from + 23) / 32 * 4);
    }
    DEVICE static u32 read(const u8* slot, u32 lane, u32 unit) {
        return __funnelshift_r(shared_at<u32>(slot + 4 * lane), shared_at<u32>(slot + 128 + 4 * lane), 24 * (unit & 3));
    }
};

// q4_k and q5_k: scales and minimums of 32.
template <u32 BITS, u64 ELEMENTS>
struct RangedSuper : Quantized<Codes<BITS, 2, false>, 2> {
    using C = Codes<BITS, 2, false>;
    static constexpr u32 SLOT = C::SLOT + Quarter::SLOT + 4, SUMS = 1;
    struct Raw {
        typename C::Raw codes;
        u32 scales, dm;
    };
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) {
        C::template fetch<ELEMENTS>(to, lane, w, unit);
        const u8* head = w + ELEMENTS / 8 * BITS + (u64)(unit / 4) * 16;
        Quarter::fetch(to + 32 * C::SLOT, lane, head + 4, unit);
        copy4(to + 32 * C::SLOT + 256 + 4 * lane, head);
    }
    DEVICE static Raw read(const u8* slot, u32 lane, u32 unit) {
        Raw r;
        C::read(r.codes, slot, lane);
        r.scales = Quarter::read(slot + 32 * C::SLOT, lane, unit);
        r.dm = shared_at<u32>(slot + 32 * C::SLOT + 256 + 4 * lane);
        return r;
    }
    DEVICE static float factor(const Raw& r, u32 b, u32) {
        return __fmul_rn(f16_of(r.dm, 0), (float)six_bits(r.scales, 2 * b));
    }
    DEVICE static float least(const Raw& r, u32 b, u32) {
        return -__fmul_rn(f16_of(r.dm, 1), (float)six_bits(r.scales, 2 * b + 1));
    }
};

template <u64 ELEMENTS>
struct Dot<DT_Q4K, ELEMENTS> : RangedSuper<4, ELEMENTS> {};
template <u64 ELEMENTS>
struct Dot<DT_Q5K, ELEMENTS> : RangedSuper<5, ELEMENTS> {};

template <u64 ELEMENTS>
struct Dot<DT_Q6K, ELEMENTS> : Quantized<Codes<6, 2, true>, 2> {
    using C = Codes<6, 2, true>;
    static constexpr bool PARTED = true;
    static constexpr u32 SLOT = C::SLOT + 8;
    struct Raw {
        typename C::Raw codes;
        u32 scales;
        float d;
    };
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) {
        C::template fetch<ELEMENTS>(to, lane, w, unit);
        copy4(to + 32 * C::SLOT + 4 * lane, w + ELEMENTS / 4 * 3 + (u64)unit * 4);
        copy4(to + 32 * C::SLOT + 128 + 4 * lane, w + ELEMENTS / 16 * 13 + (u64)(unit / 8) * 4);
    }
    DEVICE static Raw read(const u8* slot, u32 lane, u32 unit) {
        Raw r;
        C::read(r.codes, slot, lane);
        r.scales = shared_at<u32>(slot + 32 * C::SLOT + 4 * lane);
        r.d = f16_of(shared_at<u32>(slot + 32 * C::SLOT + 128 + 4 * lane), unit >> 2 & 1);
        return r;
    }
    DEVICE static float factor(const Raw& r, u32 b, u32 p) {
        return __fmul_rn(r.d, (float)(i8)(r.scales >> (8 * (2 * b + p))));
    }
};

template <u64 ELEMENTS>
struct Dot<DT_Q3K, ELEMENTS> : Quantized<Codes<3, 2, true>, 2> {
    using C = Codes<3, 2, true>;
    static constexpr bool PARTED = true;
    static constexpr u32 SLOT = C::SLOT + Quarter::SLOT + 4;
    struct Raw {
        typename C::Raw codes;
        u32 scales;
        float d;
    };
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) {
        C::template fetch<ELEMENTS>(to, lane, w, unit);
        Quarter::fetch(to + 32 * C::SLOT, lane, w + ELEMENTS / 8 * 3 + (u64)(unit / 4) * 12, unit);
        copy4(to + 32 * C::SLOT + 256 + 4 * lane, w + ELEMENTS / 64 * 27 + (u64)(unit / 8) * 4);
    }
    DEVICE static Raw read(const u8* slot, u32 lane, u32 unit) {
        Raw r;
        C::read(r.codes, slot, lane);
        r.scales = Quarter::read(slot + 32 * C::SLOT, lane, unit);
        r.d = f16_of(shared_at<u32>(slot + 32 * C::SLOT + 256 + 4 * lane), unit >> 2 & 1);
        return r;
    }
    DEVICE static float factor(const Raw& r, u32 b, u32 p) {
        return __fmul_rn(r.d, (float)((i32)six_bits(r.scales, 2 * b + p) - 32));
    }
};

template <u64 ELEMENTS>
struct Dot<DT_Q2K, ELEMENTS> : Quantized<Codes<2, 2, false>, 2> {
    using C = Codes<2, 2, false>;
    static constexpr bool PARTED = true;
    static constexpr u32 SLOT = C::SLOT + 8, SUMS = 2;
    struct Raw {
        typename C::Raw codes;
        u32 scales, dm;
    };
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) {
        C::template fetch<ELEMENTS>(to, lane, w, unit);
        copy4(to + 32 * C::SLOT + 4 * lane, w + ELEMENTS / 4 + (u64)unit * 4);
        copy4(to + 32 * C::SLOT + 128 + 4 * lane, w + ELEMENTS / 16 * 5 + (u64)(unit / 4) * 4);
    }
    DEVICE static Raw read(const u8* slot, u32 lane, u32) {
        Raw r;
        C::read(r.codes, slot, lane);
        r.scales = shared_at<u32>(slot + 32 * C::SLOT + 4 * lane);
        r.dm = shared_at<u32>(slot + 32 * C::SLOT + 128 + 4 * lane);
        return r;
    }
    DEVICE static float factor(const Raw& r, u32 b, u32 p) {
        return __fmul_rn(f16_of(r.dm, 0), (float)(r.scales >> (8 * (2 * b + p)) & 15u));
    }
    DEVICE static float least(const Raw& r, u32 b, u32 p) {
        return -__fmul_rn(f16_of(r.dm, 1), (float)(r.scales >> (8 * (2 * b + p) + 4) & 15u));
    }
};

template <u64 ELEMENTS>
struct Dot<DT_IQ4_XS, ELEMENTS> : Quantized<Places<Iq4Table, 2>, 2> {
    using C = Places<Iq4Table, 2>;
    static constexpr u32 SLOT = C::SLOT + 8;
    struct Raw {
        typename C::Raw codes;
        float d;
        // Low bits of the two scales, and their high bits.
        u32 low, high;
    };
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) {
        C::template fetch<ELEMENTS>(to, lane, w, unit);
        copy8(to + 32 * C::SLOT + 8 * lane, w + ELEMENTS / 2 + (u64)(unit / 4) * 8);
    }
    DEVICE static Raw read(const u8* slot, u32 lane, u32 unit) {
        Raw r;
        C::read(r.codes, slot, lane);
        uint2 head = shared_at<uint2>(slot + 32 * C::SLOT + 8 * lane);
        r.d = f16_of(head.x, 0);
        r.low = head.y >> (8 * (unit & 3)), r.high = head.x >> (16 + 4 * (unit & 3));
        return r;
    }
    DEVICE static float factor(const Raw& r, u32 b, u32) {
        return __fmul_rn(r.d, (float)((i32)((r.low >> (4 * b) & 15u) | (r.high >> (2 * b) & 3u) << 4) - 32));
    }
};

template <u64 ELEMENTS>
struct Dot<DT_MXFP4, ELEMENTS> : Quantized<Places<E2m1Table, 1>, 1> {
    using C = Places<E2m1Table, 1>;
    static constexpr u32 SLOT = C::SLOT + 4;
    struct Raw {
        typename C::Raw codes;
        float d;
    };
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) {
        C::template fetch<ELEMENTS>(to, lane, w, unit);
        copy4(to + 32 * C::SLOT + 4 * lane, w + ELEMENTS / 2 + (u64)(unit / 4) * 4);
    }
    DEVICE static Raw read(const u8* slot, u32 lane, u32 unit) {
        Raw r;
        C::read(r.codes, slot, lane);
        r.d = e8m0_half(shared_at<u32>(slot + 32 * C::SLOT + 4 * lane) >> (8 * (unit & 3)) & 255u);
        return r;
    }
    DEVICE static float factor(const Raw& r, u32, u32) { return r.d; }
};

template <u64 ELEMENTS>
struct Dot<DT_NVFP4, ELEMENTS> : Quantized<Places<E2m1Table, 1>, 1> {
    using C = Places<E2m1Table, 1>;
    static constexpr bool PARTED = true;
    static constexpr u32 SLOT = C::SLOT + 4;
    struct Raw {
        typename C::Raw codes;
        u32 scales;
    };
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) {
        C::template fetch<ELEMENTS>(to, lane, w, unit);
        copy4(to + 32 * C::SLOT + 4 * lane, w + ELEMENTS / 2 + (u64)(unit / 2) * 4);
    }
    DEVICE static Raw read(const u8* slot, u32 lane, u32 unit) {
        Raw r;
        C::read(r.codes, slot, lane);
        r.scales = shared_at<u32>(slot + 32 * C::SLOT + 4 * lane) >> (16 * (unit & 1));
        return r;
    }
    DEVICE static float factor(const Raw& r, u32, u32 p) { return ue4m3_half(r.scales >> (8 * p) & 255u); }
};

// Its values are floats, so they multiply f32 activations.
template <u64 ELEMENTS>
struct Dot<DT_MXFP8, ELEMENTS> {
    static constexpr bool QUANTIZED = false;
    static constexpr u32 UNIT = 16, SLOT = 20;
    struct Raw {
        u32 q[4];
        float d;
    };
    DEVICE static void fetch(u32 to, u32 lane, const u8* w, u32 unit) {
        copy16(to + 16 * lane, w + (u64)unit * 16);
        copy4(to + 512 + 4 * lane, w + ELEMENTS + (u64)(unit / 8) * 4);
    }
    DEVICE static Raw read(const u8* slot, u32 lane, u32 unit) {
        Raw r;
        take_part<16>(slot, lane, r.q);
        r.d = e8m0(shared_at<u32>(slot + 512 + 4 * lane) >> (8 * (unit >> 1 & 3)) & 255u);
        return r;
    }
    DEVICE static void values(const Raw& r, float (&v)[UNIT]) {
#pragma unroll
        for (u32 i = 0; i < UNIT / 4; i++) e4m3(r.q[i], v + 4 * i);
#pragma unroll
        for (u32 i = 0; i < UNIT; i++) v[i] = __fmul_rn(v[i], r.d);
    }
};

// --- Activations in shared memory, and the products with them ---

// f32: the four-value chunks of a unit in planes of their own, so that a warp's reads have no bank conflicts.
template <class F, u32 VALUES, bool QUANTIZED = F::QUANTIZED>
struct Acts {
    static constexpr u32 PLANES = F::UNIT / 4, LINES = (VALUES / 4 + PLANES - 1) / PLANES;
    // Half of the 128 bytes of all banks past a whole number of them: neighbouring planes' lines do not collide.
    static constexpr u32 PLANE = ((LINES + 3) / 8 * 8 + 4) * 16;
    static constexpr u32 ROW = PLANES * PLANE;

    // Stores chunk `c` (4 values); the whole warp calls it.
    DEVICE static void store(u8* row, u32 c, bool inside, float4 v) {
        if (inside) *reinterpret_cast<float4*>(row + c % PLANES * PLANE + c / PLANES * 16) = v;
    }

    // acc[i][r] += unit `unit` of weight row i times activation row r.
    template <u32 OUTS, u32 ROWS>
    DEVICE static void multiply(const typename F::Raw (&raw)[OUTS], const u8* acts, u32 unit, u32 rows,
                                float (&acc)[OUTS][ROWS]) {
        float w[OUTS][F::UNIT];
#pragma unroll
        for (u32 i = 0; i < OUTS; i++) F::values(raw[i], w[i]);
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            if (ROWS == 1 || r < rows) {
#pragma unroll
                for (u32 p = 0; p < PLANES; p++) {
                    float4 x = shared_at<float4>(acts + r * ROW + p * PLANE + unit * 16);
#pragma unroll
                    for (u32 i = 0; i < OUTS; i++) {
                        float a = acc[i][r];
                        a = __fmaf_rn(w[i][4 * p], x.x, a);
                        a = __fmaf_rn(w[i][4 * p + 1], x.y, a);
                        a = __fmaf_rn(w[i][4 * p + 2], x.z, a);
                        acc[i][r] = __fmaf_rn(w[i][4 * p + 3], x.w, a);
                    }
                }
            }
        }
    }
};

// 16-bit integers: planes of high bytes of the blocks' first and second halves, then of low bytes, then the scales.
template <class F, u32 VALUES>
struct Acts<F, VALUES, true> {
    static constexpr u32 BLOCKS = VALUES / 32;
    // Where units have several blocks, the units' first blocks lie side by side, then their second ones: a warp's reads
    // and writes have no bank conflicts.
    static constexpr u32 LINES = (BLOCKS + F::SPAN - 1) / F::SPAN, EVEN = 4 / F::SPAN;
    static constexpr u32 STRIPE = (LINES + 7 - EVEN) / 8 * 8 + EVEN;
    DEVICE static constexpr u32 line(u32 block) { return block % F::SPAN * STRIPE + block / F::SPAN; }
    static constexpr u32 PLANE = F::SPAN * STRIPE * 16;
    static constexpr u32 LOW = 2 * PLANE, SCALES = 4 * PLANE;
    // A block's scale, and the sums of its activations or of their halves.
    static constexpr u32 SCALE = F::SUMS == 0 ? 4 : F::SUMS == 1 ? 8 : 16;
    static constexpr u32 ROW = SCALES + (F::SPAN * STRIPE * SCALE + 15) / 16 * 16;
    static constexpr float STEPS = 32512.0f;

    DEVICE static void store(u8* row, u32 c, bool inside, float4 v) {
        // Magnitudes compare like their bits, and so a NaN is largest.
        u32 m = __float_as_uint(v.x) & 0x7fffffffu;
        m = max(m, __float_as_uint(v.y) & 0x7fffffffu);
        m = max(m, __float_as_uint(v.z) & 0x7fffffffu);
        m = max(m, __float_as_uint(v.w) & 0x7fffffffu);
#pragma unroll
        for (u32 o = 4; o; o >>= 1) m = max(m, __shfl_xor_sync(0xffffffffu, m, o));
        float largest = __uint_as_float(m), scale = largest * (1.0f / (STEPS * F::RAISE)), inverse;
        // Below 1e-30 a block is zero: the inverse could overflow. From 2^125 on, an inverse is subnormal.
        if (largest < 1e-30f) scale = 0.0f, inverse = 0.0f;
        else inverse = __fdividef(STEPS, largest);
        if (!(largest < 4.25e37f)) scale = __uint_as_float(0x7fffffffu);
        i32 a = __float2int_rn(v.x * inverse), b = __float2int_rn(v.y * inverse);
        i32 d = __float2int_rn(v.z * inverse), e = __float2int_rn(v.w * inverse);
        u32 low = __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(d, e, 0x0040), 0x5410);
        u32 high = __byte_perm(__byte_perm(a, b, 0x0051), __byte_perm(d, e, 0x0051), 0x5410);
        float sum = 0.0f;
        if constexpr (F::SUMS != 0) {
            i32 s = a + b + d + e;
#pragma unroll
            for (u32 o = F::SUMS == 1 ? 4 : 2; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
            sum = scale * (float)s;
        }
        if (!inside) return;
        u32 block = c / 8;
        u8* at = row + (c & 4 ? PLANE : 0) + line(block) * 16 + (c & 3) * 4;
        *reinterpret_cast<u32*>(at) = high;
        *reinterpret_cast<u32*>(at + LOW) = low;
        u8* s = row + SCALES + line(block) * SCALE;
        if ((c & 7) == 0) {
            if constexpr (F::SUMS == 0) *reinterpret_cast<float*>(s) = scale;
            else *reinterpret_cast<float2*>(s) = make_float2(scale, sum);
        }
        if (F::SUMS == 2 && (c & 7) == 4) *reinterpret_cast<float*>(s + 8) = sum;
    }

    // Adds the products of NUMBER pieces from FIRST on, which share a scale, for one activation row.
    template <u32 B, u32 FIRST, u32 NUMBER>
    DEVICE static float products(const typename F::Raw& raw, const uint4* high, const uint4* low, float scale, float acc) {
        i32 h = 0, l = 0;
        add<B, FIRST>(raw, high, low, h, l);
        if constexpr (NUMBER == 2) add<B, FIRST + 1>(raw, high, low, h, l);
        float f = __fmul_rn(F::factor(raw, B, FIRST), scale);
        return __fmaf_rn(f, (float)(h * 256 + l), acc);
    }

    template <u32 B, u32 P>
    DEVICE static void add(const typename F::Raw& raw, const uint4* high, const uint4* low, i32& h, i32& l) {
        u32 q[4];
        F::template bytes<B, P>(raw, q);
        const u32 a[4] = {high[P].x, high[P].y, high[P].z, high[P].w}, b[4] = {low[P].x, low[P].y, low[P].z, low[P].w};
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            if constexpr (F::UNSIGNED) h = dot4_mixed(a[i], q[i], h), l = (i32)dot4(q[i], b[i], (u32)l);
            else h = dot4_signed(q[i], a[i], h), l = dot4_mixed(q[i], b[i], l);
        }
    }

    // Block B of a unit.
    template <u32 B, u32 OUTS, u32 ROWS>
    DEVICE static void multiply_block(const typename F::Raw (&raw)[OUTS], const u8* acts, u32 unit, u32 rows,
                                      float (&acc)[OUTS][ROWS]) {
        u32 place = line(unit * F::UNIT / 32 + B);
        const u8* at = acts + place * 16;
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            if (ROWS == 1 || r < rows) {
                uint4 high[F::PIECES], low[F::PIECES];
#pragma unroll
                for (u32 p = 0; p < F::PIECES; p++) {
                    const u8* h = at + r * ROW + F::half(unit, p) * PLANE;
                    high[p] = shared_at<uint4>(h), low[p] = shared_at<uint4>(h + LOW);
                }
                const u8* s = acts + r * ROW + SCALES + place * SCALE;
                float4 scale = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
                if constexpr (F::SUMS == 0) scale.x = shared_at<float>(s);
                if constexpr (F::SUMS == 1) {
                    float2 two = shared_at<float2>(s);
                    scale.x = two.x, scale.y = two.y;
                }
                if constexpr (F::SUMS == 2) scale = shared_at<float4>(s);
#pragma unroll
                for (u32 i = 0; i < OUTS; i++) {
                    float v = acc[i][r];
                    if constexpr (F::PARTED) {
                        v = products<B, 0, 1>(raw[i], high, low, scale.x, v);
                        v = products<B, 1, 1>(raw[i], high, low, scale.x, v);
                    } else {
                        v = products<B, 0, F::PIECES>(raw[i], high, low, scale.x, v);
                    }
                    if constexpr (F::SUMS != 0) v = __fmaf_rn(F::least(raw[i], B, 0), scale.y, v);
                    if constexpr (F::SUMS == 2) v = __fmaf_rn(F::least(raw[i], B, 1), scale.z, v);
                    acc[i][r] = v;
                }
            }
        }
    }

    template <u32 OUTS, u32 ROWS>
    DEVICE static void multiply(const typename F::Raw (&raw)[OUTS], const u8* acts, u32 unit, u32 rows,
                                float (&acc)[OUTS][ROWS]) {
        multiply_block<0>(raw, acts, unit, rows, acc);
        if constexpr (F::SPAN == 2) multiply_block<1>(raw, acts, unit, rows, acc);
    }
};
