//! Activation formats with x86-64 intrinsics: `q8`, `q8paired` and `q8quads` blocks, [`Q8Block::new`] and its like bit for bit, and bf16.
//!
//! A compiler does not see that the two halves' maxima, divisions and sums go well together in one register.

use super::{PAIR_BYTES, Q8Block, Q8PairedBlock, Q8QuadsBlock, Units};
use std::arch::x86_64::*;

/// Adding 1.5 * 2^23 rounds to an integer, ties to even, and leaves it in the low bits.
const ROUND: f32 = 12_582_912.0;

/// Scales and reciprocals `[lo, hi, 1/lo, 1/hi]` of two largest magnitudes (in the low two lanes).
#[inline]
#[target_feature(enable = "avx2")]
fn steps(amax: __m128) -> __m128 {
    let full = _mm_set1_ps(127.0);
    let v = _mm_div_ps(_mm_movelh_ps(amax, full), _mm_movelh_ps(full, amax));
    // Not <=: a NaN is kept.
    let keep = _mm_cmp_ps::<_CMP_NLE_UQ>(_mm_movelh_ps(amax, amax), _mm_set1_ps(Q8Block::TINY));
    _mm_and_ps(v, keep)
}

/// Puts a block at `out` from its quants and [`steps`].
///
/// # Safety
/// `out` has room for a block.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn put(out: *mut u8, quants: __m256i, steps: __m128) {
    let pairs = _mm256_maddubs_epi16(_mm256_set1_epi8(1), quants);
    let v = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
    let v = _mm256_add_epi32(v, _mm256_shuffle_epi32::<0x4E>(v));
    let v = _mm256_add_epi32(v, _mm256_shuffle_epi32::<0xB1>(v));
    let sums = _mm_unpacklo_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
    let terms = _mm_mul_ps(steps, _mm_cvtepi32_ps(sums));
    let sum = _mm_add_ss(terms, _mm_movehdup_ps(terms));
    let begins = _mm_sub_epi32(_mm_set1_epi32(Q8Block::BEGIN.to_bits() as i32), _mm_slli_epi32::<7>(sums));
    let dwords = _mm_unpacklo_epi64(_mm_castps_si128(steps), begins);
    // SAFETY: quants, scales and beginnings, and the sum lie at 0, 32 and 48 of a block of 52 bytes.
    unsafe {
        _mm256_storeu_si256(out.cast(), quants);
        _mm_storeu_si128(out.add(32).cast(), dwords);
        out.add(48).cast::<f32>().write_unaligned(_mm_cvtss_f32(sum));
    }
}

const _: () = assert!(
    std::mem::offset_of!(Q8Block, scales) == 32
        && std::mem::offset_of!(Q8Block, begins) == 40
        && std::mem::offset_of!(Q8Block, sum) == 48
        && size_of::<Q8Block>() == 52
);

/// Whole blocks of `x` into `out`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")]
pub(super) fn blocks_avx512(out: &mut [u8], x: &[f32]) {
    let (round, magnitude) = (_mm512_set1_ps(ROUND), _mm512_set1_epi32(0x7fff_ffff));
    for (o, x) in out.chunks_exact_mut(size_of::<Q8Block>()).zip(x.as_chunks::<32>().0) {
        // SAFETY: 32 values and room for a block.
        unsafe {
            let lo = _mm512_loadu_ps(x.as_ptr());
            let hi = _mm512_loadu_ps(x.as_ptr().add(16));
            let a = _mm512_and_si512(_mm512_castps_si512(lo), magnitude);
            let b = _mm512_and_si512(_mm512_castps_si512(hi), magnitude);
            // The first half's maxima in the low 256 bits, the second half's in the high ones.
            let (p, q) = (_mm512_shuffle_i32x4::<0x44>(a, b), _mm512_shuffle_i32x4::<0xEE>(a, b));
            let m = _mm512_max_epu32(p, q);
            let m = _mm512_max_epu32(m, _mm512_shuffle_i32x4::<0xB1>(m, m));
            let m = _mm512_max_epu32(m, _mm512_shuffle_epi32::<0x4E>(m));
            let m = _mm512_max_epu32(m, _mm512_shuffle_epi32::<0xB1>(m));
            let pair = _mm_unpacklo_epi32(_mm512_castsi512_si128(m), _mm512_extracti32x4_epi32::<2>(m));
            let steps = steps(_mm_castsi128_ps(pair));
            let inv_lo = _mm512_broadcastss_ps(_mm_movehl_ps(steps, steps));
            let inv_hi = _mm512_broadcastss_ps(_mm_shuffle_ps::<0xFF>(steps, steps));
            let bytes = |v: __m512, inv: __m512| {
                let v = _mm512_add_ps(_mm512_mul_ps(v, inv), round);
                _mm512_cvtepi32_epi8(_mm512_castps_si512(v))
            };
            put(o.as_mut_ptr(), _mm256_set_m128i(bytes(hi, inv_hi), bytes(lo, inv_lo)), steps);
        }
    }
}

/// Whole blocks of `x` into `out`.
#[target_feature(enable = "avx2,fma")]
pub(super) fn blocks_avx2(out: &mut [u8], x: &[f32]) {
    for (o, x) in out.chunks_exact_mut(size_of::<Q8Block>()).zip(x.as_chunks::<32>().0) {
        let (quants, steps) = quantized_avx2(x);
        // SAFETY: room for a block.
        unsafe { put(o.as_mut_ptr(), quants, steps) };
    }
}

/// Whole `q8paired` blocks of `x` into `out`.
#[target_feature(enable = "avx2,fma")]
pub(super) fn paired_avx2(out: &mut [u8], x: &[f32]) {
    for (o, x) in out.chunks_exact_mut(size_of::<Q8PairedBlock>()).zip(x.as_chunks::<32>().0) {
        let (quants, steps) = quantized_avx2(x);
        // SAFETY: room for a block.
        unsafe { put_paired(o.as_mut_ptr(), quants, steps) };
    }
}

/// Whole `q8quads` blocks of `x` into `out`.
#[target_feature(enable = "avx2,fma")]
pub(super) fn quads_avx2(out: &mut [u8], x: &[f32]) {
    for (o, x) in out.chunks_exact_mut(size_of::<Q8QuadsBlock>()).zip(x.as_chunks::<32>().0) {
        let (quants, steps) = quantized_avx2(x);
        // SAFETY: room for a block.
        unsafe { put_quads(o.as_mut_ptr(), quants, steps) };
    }
}

/// 32 values' quants and [`steps`].
#[inline]
#[target_feature(enable = "avx2,fma")]
fn quantized_avx2(x: &[f32; 32]) -> (__m256i, __m128) {
    let (round, magnitude) = (_mm256_set1_ps(ROUND), _mm256_set1_epi32(0x7fff_ffff));
    let (byte, order) = (_mm256_set1_epi32(0xFF), _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    // SAFETY: 32 values.
    let v = [0, 8, 16, 24].map(|i| unsafe { _mm256_loadu_ps(x.as_ptr().add(i)) });
    let a = v.map(|v| _mm256_and_si256(_mm256_castps_si256(v), magnitude));
    let (a, b) = (_mm256_max_epu32(a[0], a[1]), _mm256_max_epu32(a[2], a[3]));
    let m =
        _mm256_max_epu32(_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b));
    let m = _mm256_max_epu32(m, _mm256_shuffle_epi32::<0x4E>(m));
    let m = _mm256_max_epu32(m, _mm256_shuffle_epi32::<0xB1>(m));
    let pair = _mm_unpacklo_epi32(_mm256_castsi256_si128(m), _mm256_extracti128_si256::<1>(m));
    let steps = steps(_mm_castsi128_ps(pair));
    let lo = _mm256_broadcastss_ps(_mm_movehl_ps(steps, steps));
    let hi = _mm256_broadcastss_ps(_mm_shuffle_ps::<0xFF>(steps, steps));
    let bits = |i: usize, inv: __m256| {
        let v = _mm256_add_ps(_mm256_mul_ps(v[i], inv), round);
        _mm256_and_si256(_mm256_castps_si256(v), byte)
    };
    let lo = _mm256_packus_epi32(bits(0, lo), bits(1, lo));
    let hi = _mm256_packus_epi32(bits(2, hi), bits(3, hi));
    (_mm256_permutevar8x32_epi32(_mm256_packus_epi16(lo, hi), order), steps)
}

/// [`Units`] of [`steps`]: whole steps in the low words, the exponent, and whether it is more than the greatest.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn units(steps: __m128) -> (__m128i, i32, bool) {
    // A NaN is larger than all.
    let bits = _mm_castps_si128(steps);
    let most = _mm_castsi128_ps(_mm_max_epu32(bits, _mm_shuffle_epi32::<0x55>(bits)));
    let quotient = _mm_castps_si128(_mm_mul_ss(most, _mm_set_ss(Units::PART)));
    let (exponent, broken) = Units::exponent(_mm_cvtsi128_si32(quotient).cast_unsigned());
    let whole = _mm_mul_ps(steps, _mm_set1_ps(Units::unit(-exponent)));
    let whole = _mm_castps_si128(_mm_add_ps(whole, _mm_set1_ps(ROUND)));
    (_mm_shufflelo_epi16::<0x08>(whole), exponent, broken)
}

/// Puts a `q8paired` block at `out` from its quants, in the order of columns, and [`steps`].
///
/// # Safety
/// `out` has room for a block.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn put_paired(out: *mut u8, quants: __m256i, steps: __m128) {
    let (first, last) = (_mm256_castsi256_si128(quants), _mm256_extracti128_si256::<1>(quants));
    let paired = _mm256_set_m128i(_mm_unpackhi_epi16(first, last), _mm_unpacklo_epi16(first, last));
    // The sums of each half's first 8 quants in the low 128 bits, of its last ones in the high ones.
    let v = _mm256_maddubs_epi16(_mm256_set1_epi8(1), paired);
    let v = _mm256_add_epi16(v, _mm256_shuffle_epi32::<0x4E>(v));
    let v = _mm256_add_epi16(v, _mm256_shuffle_epi32::<0xB1>(v));
    let (first, last) = (_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
    let sums = _mm_add_epi16(first, last);
    let zero = _mm_setzero_si128();
    let biases = _mm_sub_epi16(zero, _mm_slli_epi16::<4>(sums));
    let of_eight = _mm_sub_epi16(zero, _mm_slli_epi16::<5>(_mm_unpacklo_epi32(first, last)));
    let (whole, exponent, broken) = units(steps);
    let total = _mm_cvtsi128_si32(_mm_madd_epi16(whole, sums));
    let (exponent, sum) = match broken {
        true => (Q8PairedBlock::BROKEN, f32::INFINITY),
        false => (exponent << 23, Units::unit(exponent) * total as f32),
    };
    let head = _mm_unpacklo_epi64(_mm_unpacklo_epi32(whole, biases), of_eight);
    // SAFETY: quants, whole numbers, and exponent and sum lie at 0, 32 and 48 of a block of 56 bytes.
    unsafe {
        _mm256_storeu_si256(out.cast(), paired);
        _mm_storeu_si128(out.add(32).cast(), head);
        out.add(48).cast::<i32>().write_unaligned(exponent);
        out.add(52).cast::<f32>().write_unaligned(sum);
    }
}

const _: () = assert!(
    std::mem::offset_of!(Q8PairedBlock, steps) == 32
        && std::mem::offset_of!(Q8PairedBlock, biases) == 36
        && std::mem::offset_of!(Q8PairedBlock, biases_of_eight) == 40
        && std::mem::offset_of!(Q8PairedBlock, exponent) == 48
        && std::mem::offset_of!(Q8PairedBlock, sum) == 52
        && size_of::<Q8PairedBlock>() == 56
);

/// Puts a `q8quads` block at `out` from its quants, in the order of columns, and [`steps`].
///
/// # Safety
/// `out` has room for a block.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn put_quads(out: *mut u8, quants: __m256i, steps: __m128) {
    let (first, last) = (_mm256_castsi256_si128(quants), _mm256_extracti128_si256::<1>(quants));
    let quads = _mm256_set_m128i(_mm_unpackhi_epi32(first, last), _mm_unpacklo_epi32(first, last));
    // Each half's sum, in the low dwords.
    let v = _mm256_madd_epi16(_mm256_maddubs_epi16(_mm256_set1_epi8(1), quads), _mm256_set1_epi16(1));
    let v = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
    let sums = _mm_add_epi32(v, _mm_shuffle_epi32::<0x4E>(v));
    let begins = _mm_sub_epi32(_mm_setzero_si128(), _mm_slli_epi32::<4>(sums));
    let (whole, exponent, broken) = units(steps);
    let total = _mm_cvtsi128_si32(_mm_madd_epi16(whole, _mm_packs_epi32(sums, sums)));
    let (broken, sum) = match broken {
        true => (Q8QuadsBlock::BROKEN, f32::INFINITY),
        false => (0, Units::unit(exponent) * total as f32),
    };
    let head = _mm_insert_epi32::<1>(whole, exponent << 23);
    // SAFETY: quants, beginnings, steps, exponent, what is broken and the sum lie at 0, 32, 40, 44, 48 and 52 of a block of 56 bytes.
    unsafe {
        _mm256_storeu_si256(out.cast(), quads);
        _mm_storeu_si128(out.add(32).cast(), _mm_unpacklo_epi64(begins, head));
        out.add(48).cast::<u32>().write_unaligned(broken);
        out.add(52).cast::<f32>().write_unaligned(sum);
    }
}

const _: () = assert!(
    std::mem::offset_of!(Q8QuadsBlock, begins) == 32
        && std::mem::offset_of!(Q8QuadsBlock, steps) == 40
        && std::mem::offset_of!(Q8QuadsBlock, exponent) == 44
        && std::mem::offset_of!(Q8QuadsBlock, broken) == 48
        && std::mem::offset_of!(Q8QuadsBlock, sum) == 52
        && size_of::<Q8QuadsBlock>() == 56
);

/// 16 values as bf16, ties to even; a NaN stays one.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")]
pub(crate) fn bf16(v: __m512) -> __m256i {
    let bits = _mm512_castps_si512(v);
    let odd = _mm512_and_si512(_mm512_srli_epi32::<16>(bits), _mm512_set1_epi32(1));
    let rounded = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
    let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(v, v);
    let kept = _mm512_mask_or_epi32(rounded, nan, bits, _mm512_set1_epi32(0x0040_0000));
    _mm512_cvtepi32_epi16(_mm512_srli_epi32::<16>(kept))
}

/// 16 bf16 as f32.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")]
pub(crate) fn wide(v: __m256i) -> __m512 {
    _mm512_castsi512_ps(_mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(v)))
}

/// `x` as bf16 into `out`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")]
pub(super) fn bf16_avx512(out: &mut [u8], x: &[f32]) {
    let (groups, rest) = x.as_chunks::<16>();
    let (to, rest_to) = out[..2 * x.len()].split_at_mut(32 * groups.len());
    for (o, x) in to.as_chunks_mut::<32>().0.iter_mut().zip(groups) {
        // SAFETY: 16 values and room for them.
        unsafe { _mm256_storeu_si256(o.as_mut_ptr().cast(), bf16(_mm512_loadu_ps(x.as_ptr()))) };
    }
    for (o, x) in rest_to.as_chunks_mut::<2>().0.iter_mut().zip(rest) {
        *o = half::bf16::from_f32(*x).to_le_bytes();
    }
}

/// Whole blocks of `x` as pairs of bf16 into `out`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")]
pub(super) fn pairs_avx512(out: &mut [u8], x: &[f32]) {
    for (o, x) in out.as_chunks_mut::<PAIR_BYTES>().0.iter_mut().zip(x.as_chunks::<32>().0) {
        for h in 0..2 {
            // SAFETY: 32 values and room for a block.
            unsafe {
                let v = _mm512_loadu_ps(x.as_ptr().add(16 * h));
                let value = bf16(v);
                _mm256_storeu_si256(o.as_mut_ptr().add(32 * h).cast(), value);
                let rest = bf16(_mm512_sub_ps(v, wide(value)));
                _mm256_storeu_si256(o.as_mut_ptr().add(PAIR_BYTES / 2 + 32 * h).cast(), rest);
            }
        }
    }
}
