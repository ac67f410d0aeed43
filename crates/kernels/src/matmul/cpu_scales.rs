//! Scales of the packed layout in vector registers, written once for all levels that have any. The plain twin is
//! [`rows16::scale`](crate::dtype::rows16::scale), which gives the same bits.
//!
//! Methods are `inline(always)` and carry no instruction level themselves: [`scales`] must be inlined into a function
//! that enables the level.

use crate::dtype::affine::ScaleType;
use crate::dtype::rows16::Scales;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Lanes of f32, one per weight row.
///
/// # Safety
/// All methods need the machine to have the type's level; those that take a pointer need as many elements after it as
/// there are lanes.
pub(super) trait Rows: Copy {
    /// As many lanes of i32.
    type Int: Copy;
    unsafe fn splat(v: f32) -> Self;
    unsafe fn mul(self, o: Self) -> Self;
    unsafe fn f32(p: *const u8) -> Self;
    unsafe fn f16(p: *const u8) -> Self;
    unsafe fn bf16(p: *const u8) -> Self;
    /// Half of unsigned E4M3 bytes.
    unsafe fn ue4m3_half(p: *const u8) -> Self;
    /// Unsigned bytes.
    unsafe fn bytes(p: *const u8) -> Self::Int;
    /// Signed bytes.
    unsafe fn signed_bytes(p: *const u8) -> Self::Int;
    unsafe fn int(v: i32) -> Self::Int;
    unsafe fn shr(v: Self::Int, by: u32) -> Self::Int;
    unsafe fn shl(v: Self::Int, by: u32) -> Self::Int;
    unsafe fn and(a: Self::Int, b: Self::Int) -> Self::Int;
    unsafe fn or(a: Self::Int, b: Self::Int) -> Self::Int;
    unsafe fn add(a: Self::Int, b: Self::Int) -> Self::Int;
    unsafe fn sub(a: Self::Int, b: Self::Int) -> Self::Int;
    /// Integers as numbers.
    unsafe fn float(v: Self::Int) -> Self;
    /// Integers as the bits of numbers.
    unsafe fn from_bits(v: Self::Int) -> Self;
}

/// Scales and minimums of both halves of sub-block `s` of a block, for the rows from `row` on. Minimums mean something
/// only where the form has them.
///
/// # Safety
/// `p` points to a block's scales of kind `kind`, which is a constant; the machine has the level of `V`.
#[inline(always)]
pub(super) unsafe fn scales<V: Rows>(
    kind: Scales,
    word: ScaleType,
    p: *const u8,
    s: usize,
    row: usize,
) -> ([V; 2], [V; 2]) {
    // SAFETY: the caller promises the level; offsets lie inside the scales by the layout of `rows16`.
    unsafe {
        let none = [V::splat(0.0); 2];
        // Element `i` of those of one byte, and the first of words.
        let byte = |i: usize| p.wrapping_add(16 * i + row);
        let words = |at: usize| p.wrapping_add(at + 2 * row);
        match kind {
            Scales::F16 => ([V::f16(words(0)); 2], none),
            Scales::F32 => ([V::f32(words(2 * row)); 2], none),
            Scales::E8m0 => ([e8m0_half(V::bytes(byte(0))); 2], none),
            Scales::Ue4m3 => ([V::ue4m3_half(byte(2 * s)), V::ue4m3_half(byte(2 * s + 1))], none),
            Scales::F16Pair => ([V::f16(words(0)); 2], [V::f16(words(32)); 2]),
            Scales::Affine => match word {
                ScaleType::F16 => ([V::f16(words(0)); 2], [V::f16(words(32)); 2]),
                ScaleType::Bf16 => ([V::bf16(words(0)); 2], [V::bf16(words(32)); 2]),
            },
            Scales::Nibbles => {
                let (d, dmin) = (V::f16(words(256)), V::f16(words(288)).mul(V::splat(-1.0)));
                let (lo, hi) = (V::bytes(byte(2 * s)), V::bytes(byte(2 * s + 1)));
                let mask = V::int(15);
                (
                    [d.mul(V::float(V::and(lo, mask))), d.mul(V::float(V::and(hi, mask)))],
                    [dmin.mul(V::float(V::shr(lo, 4))), dmin.mul(V::float(V::shr(hi, 4)))],
                )
            }
            Scales::Bytes => {
                let d = V::f16(words(256));
                let (lo, hi) = (V::signed_bytes(byte(2 * s)), V::signed_bytes(byte(2 * s + 1)));
                ([d.mul(V::float(lo)), d.mul(V::float(hi))], none)
            }
            Scales::Six => {
                let nibble = V::and(V::shr(V::bytes(byte(s / 2)), s as u32 % 2 * 4), V::int(15));
                let pair = V::and(V::shr(V::bytes(byte(4 + s / 4)), s as u32 % 4 * 2), V::int(3));
                let six = V::sub(V::or(nibble, V::shl(pair, 4)), V::int(32));
                ([V::f16(words(96)).mul(V::float(six)); 2], none)
            }
            Scales::Sixes => {
                let (d, [lo, hi]) = (V::f16(words(192)), sixes::<V>(byte(s), byte(8 + s / 2), s));
                let (lo, hi) = (V::sub(lo, V::int(32)), V::sub(hi, V::int(32)));
                ([d.mul(V::float(lo)), d.mul(V::float(hi))], none)
            }
            Scales::SixMinimums => {
                let [scale, min] = sixes::<V>(byte(s), byte(8 + s / 2), s);
                let d = V::f16(words(192)).mul(V::float(scale));
                let m = V::f16(words(224)).mul(V::splat(-1.0)).mul(V::float(min));
                ([d; 2], [m; 2])
            }
        }
    }
}

/// Two six-bit numbers of sub-block `s`: a byte of low nibbles, and a nibble (of two sub-blocks' byte) of high pairs.
#[inline(always)]
unsafe fn sixes<V: Rows>(nibbles: *const u8, pairs: *const u8, s: usize) -> [V::Int; 2] {
    // SAFETY: the caller promises the level, and the elements at the pointers.
    unsafe {
        let (n, p) = (V::bytes(nibbles), V::shr(V::bytes(pairs), s as u32 % 2 * 4));
        [
            V::or(V::and(n, V::int(15)), V::shl(V::and(p, V::int(3)), 4)),
            V::or(V::shr(n, 4), V::shl(V::and(p, V::int(12)), 2)),
        ]
    }
}

/// 2^(e - 128) as a product of two normal numbers, since the smallest results are not normal.
#[inline(always)]
unsafe fn e8m0_half<V: Rows>(e: V::Int) -> V {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe {
        let half = V::shr(e, 1);
        let (a, b) = (V::add(half, V::int(63)), V::add(V::sub(e, half), V::int(63)));
        V::from_bits(V::shl(a, 23)).mul(V::from_bits(V::shl(b, 23)))
    }
}

// SAFETY comments below: each method is called on a machine with its level (the trait's contract), and pointers have
// as many elements after them as there are lanes.
#[cfg(target_arch = "x86_64")]
impl Rows for __m512 {
    type Int = __m512i;
    #[inline(always)]
    unsafe fn splat(v: f32) -> Self {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm512_set1_ps(v) }
    }
    #[inline(always)]
    unsafe fn mul(self, o: Self) -> Self {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm512_mul_ps(self, o) }
    }
    #[inline(always)]
    unsafe fn f32(p: *const u8) -> Self {
        // SAFETY: the CPU has the type's level, and an element for each lane lies at the pointer: the trait's callers promise both.
        unsafe { _mm512_loadu_ps(p.cast()) }
    }
    #[inline(always)]
    unsafe fn f16(p: *const u8) -> Self {
        // SAFETY: the CPU has the type's level, and an element for each lane lies at the pointer: the trait's callers promise both.
        unsafe { _mm512_cvtph_ps(_mm256_loadu_si256(p.cast())) }
    }
    #[inline(always)]
    unsafe fn bf16(p: *const u8) -> Self {
        // SAFETY: the CPU has the type's level, and an element for each lane lies at the pointer: the trait's callers promise both.
        unsafe {
            let v = _mm512_cvtepu16_epi32(_mm256_loadu_si256(p.cast()));
            _mm512_castsi512_ps(_mm512_slli_epi32::<16>(v))
        }
    }
    #[inline(always)]
    unsafe fn ue4m3_half(p: *const u8) -> Self {
        // SAFETY: the CPU has the type's level, and an element for each lane lies at the pointer: the trait's callers promise both. As an f16 the number is 2^8 times too small.
        unsafe {
            let v = _mm256_cvtepu8_epi16(_mm_loadu_si128(p.cast()));
            let zero = _mm256_cmpeq_epi16(v, _mm256_set1_epi16(0x7f));
            let v = _mm256_and_si256(_mm256_slli_epi16::<7>(v), _mm256_set1_epi16(0x3f80));
            let v = _mm256_andnot_si256(zero, v);
            _mm512_mul_ps(_mm512_cvtph_ps(v), _mm512_set1_ps(128.0))
        }
    }
    #[inline(always)]
    unsafe fn bytes(p: *const u8) -> Self::Int {
        // SAFETY: the CPU has the type's level, and an element for each lane lies at the pointer: the trait's callers promise both.
        unsafe { _mm512_cvtepu8_epi32(_mm_loadu_si128(p.cast())) }
    }
    #[inline(always)]
    unsafe fn signed_bytes(p: *const u8) -> Self::Int {
        // SAFETY: the CPU has the type's level, and an element for each lane lies at the pointer: the trait's callers promise both.
        unsafe { _mm512_cvtepi8_epi32(_mm_loadu_si128(p.cast())) }
    }
    #[inline(always)]
    unsafe fn int(v: i32) -> Self::Int {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm512_set1_epi32(v) }
    }
    #[inline(always)]
    unsafe fn shr(v: Self::Int, by: u32) -> Self::Int {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm512_srl_epi32(v, _mm_cvtsi32_si128(by as i32)) }
    }
    #[inline(always)]
    unsafe fn shl(v: Self::Int, by: u32) -> Self::Int {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm512_sll_epi32(v, _mm_cvtsi32_si128(by as i32)) }
    }
    #[inline(always)]
    unsafe fn and(a: Self::Int, b: Self::Int) -> Self::Int {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm512_and_si512(a, b) }
    }
    #[inline(always)]
    unsafe fn or(a: Self::Int, b: Self::Int) -> Self::Int {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm512_or_si512(a, b) }
    }
    #[inline(always)]
    unsafe fn add(a: Self::Int, b: Self::Int) -> Self::Int {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm512_add_epi32(a, b) }
    }
    #[inline(always)]
    unsafe fn sub(a: Self::Int, b: Self::Int) -> Self::Int {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm512_sub_epi32(a, b) }
    }
    #[inline(always)]
    unsafe fn float(v: Self::Int) -> Self {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm512_cvtepi32_ps(v) }
    }
    #[inline(always)]
    unsafe fn from_bits(v: Self::Int) -> Self {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm512_castsi512_ps(v) }
    }
}

#[cfg(target_arch = "x86_64")]
impl Rows for __m256 {
    type Int = __m256i;
    #[inline(always)]
    unsafe fn splat(v: f32) -> Self {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm256_set1_ps(v) }
    }
    #[inline(always)]
    unsafe fn mul(self, o: Self) -> Self {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm256_mul_ps(self, o) }
    }
    #[inline(always)]
    unsafe fn f32(p: *const u8) -> Self {
        // SAFETY: the CPU has the type's level, and an element for each lane lies at the pointer: the trait's callers promise both.
        unsafe { _mm256_loadu_ps(p.cast()) }
    }
    #[inline(always)]
    unsafe fn f16(p: *const u8) -> Self {
        // SAFETY: the CPU has the type's level, and an element for each lane lies at the pointer: the trait's callers promise both.
        unsafe { _mm256_cvtph_ps(_mm_loadu_si128(p.cast())) }
    }
    #[inline(always)]
    unsafe fn bf16(p: *const u8) -> Self {
        // SAFETY: the CPU has the type's level, and an element for each lane lies at the pointer: the trait's callers promise both.
        unsafe {
            let v = _mm256_cvtepu16_epi32(_mm_loadu_si128(p.cast()));
            _mm256_castsi256_ps(_mm256_slli_epi32::<16>(v))
        }
    }
    #[inline(always)]
    unsafe fn ue4m3_half(p: *const u8) -> Self {
        // SAFETY: the CPU has the type's level, and an element for each lane lies at the pointer: the trait's callers promise both. As an f16 the number is 2^8 times too small.
        unsafe {
            let v = _mm_cvtepu8_epi16(_mm_loadl_epi64(p.cast()));
            let zero = _mm_cmpeq_epi16(v, _mm_set1_epi16(0x7f));
            let v = _mm_and_si128(_mm_slli_epi16::<7>(v), _mm_set1_epi16(0x3f80));
            let v = _mm_andnot_si128(zero, v);
            _mm256_mul_ps(_mm256_cvtph_ps(v), _mm256_set1_ps(128.0))
        }
    }
    #[inline(always)]
    unsafe fn bytes(p: *const u8) -> Self::Int {
        // SAFETY: the CPU has the type's level, and an element for each lane lies at the pointer: the trait's callers promise both.
        unsafe { _mm256_cvtepu8_epi32(_mm_loadl_epi64(p.cast())) }
    }
    #[inline(always)]
    unsafe fn signed_bytes(p: *const u8) -> Self::Int {
        // SAFETY: the CPU has the type's level, and an element for each lane lies at the pointer: the trait's callers promise both.
        unsafe { _mm256_cvtepi8_epi32(_mm_loadl_epi64(p.cast())) }
    }
    #[inline(always)]
    unsafe fn int(v: i32) -> Self::Int {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm256_set1_epi32(v) }
    }
    #[inline(always)]
    unsafe fn shr(v: Self::Int, by: u32) -> Self::Int {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm256_srl_epi32(v, _mm_cvtsi32_si128(by as i32)) }
    }
    #[inline(always)]
    unsafe fn shl(v: Self::Int, by: u32) -> Self::Int {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm256_sll_epi32(v, _mm_cvtsi32_si128(by as i32)) }
    }
    #[inline(always)]
    unsafe fn and(a: Self::Int, b: Self::Int) -> Self::Int {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm256_and_si256(a, b) }
    }
    #[inline(always)]
    unsafe fn or(a: Self::Int, b: Self::Int) -> Self::Int {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm256_or_si256(a, b) }
    }
    #[inline(always)]
    unsafe fn add(a: Self::Int, b: Self::Int) -> Self::Int {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm256_add_epi32(a, b) }
    }
    #[inline(always)]
    unsafe fn sub(a: Self::Int, b: Self::Int) -> Self::Int {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm256_sub_epi32(a, b) }
    }
    #[inline(always)]
    unsafe fn float(v: Self::Int) -> Self {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm256_cvtepi32_ps(v) }
    }
    #[inline(always)]
    unsafe fn from_bits(v: Self::Int) -> Self {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { _mm256_castsi256_ps(v) }
    }
}
