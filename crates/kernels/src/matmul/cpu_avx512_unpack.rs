//! What the kernels of AVX-512 share, on tiles and on panels: blocks of quantized weights unpacked, sums of whole numbers as floats.
//!
//! What unpacks a block is `inline(always)` and so carries no instruction level itself: it must be inlined into a kernel
//! that enables the level, and a compiler left to itself would call it.

use super::cpu_scales;
use super::cpu_tile::{Block32, Form, Tile, centred};
use crate::act::Q8Block;
use crate::dtype::rows16::Codes;
use std::arch::x86_64::*;

/// Repeats a statement for r in 0..rows, rows <= 16. A loop of this size would not be unrolled, and its sums
/// would live in memory.
macro_rules! unroll {
    ($rows:expr, $r:ident, $do:expr) => {
        unroll!(@ $rows, $r, $do, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (@ $rows:expr, $r:ident, $do:expr, $($i:literal)*) => {
        $(if $i < $rows {
            let $r: usize = $i;
            $do;
        })*
    };
}
pub(super) use unroll;

/// How far ahead of use weights are fetched, in bytes.
const AHEAD: usize = 4096;

/// 32 columns of 16 rows, ready to multiply.
pub(super) struct Block {
    /// Unsigned codes at the top of their bytes, 4 columns a register.
    pub(super) q: [__m512i; 8],
    /// Scales of the first and the last 16 columns.
    pub(super) d: [__m512; 2],
    /// Offsets of both halves, for codes around 128; of forms with minimums.
    pub(super) m: [__m512; 2],
}

/// Unpacks sub-block `b` of a tile.
///
/// # Safety
/// The tile has at least `b + 1` sub-blocks. (Prefetching past the end is harmless.)
#[inline(always)]
pub(super) unsafe fn unpack<F: Form>(t: &Tile, b: usize) -> Block {
    // Lines in the order of memory, a sub-block's share of its block at a time.
    let (subs_log2, bytes) = t.block::<F>();
    let share = F::CODES.sub_bytes() + (F::SCALES.bytes() >> F::SCALES.subs_log2().unwrap_or(0));
    fetch(t.w.wrapping_add((b * bytes) >> subs_log2), share.div_ceil(64));
    // SAFETY: the caller's promise; all offsets are inside the block, by the layout of `rows16`.
    unsafe {
        let (w, s, q) = t.sub::<F>(b);
        let q = codes::<F>(q);
        let (d, m) = cpu_scales::scales::<__m512>(F::SCALES, t.word, w, s, 0);
        let (d, m) = centred!(F, d, m, _mm512_set1_ps, _mm512_mul_ps, _mm512_fmadd_ps);
        Block { q, d, m }
    }
}

/// The codes of a sub-block at the top of their bytes; tables' values plus 128.
///
/// # Safety
/// A sub-block lies at `w`.
#[inline(always)]
pub(super) unsafe fn codes<F: Form>(w: *const u8) -> [__m512i; 8] {
    // SAFETY: the caller's level; all offsets are inside the sub-block.
    unsafe {
        let mut q = [_mm512_setzero_si512(); 8];
        match F::CODES {
            Codes::Bits2 => {
                let pairs = [load(w), load(w.add(64))];
                unroll!(8, c, q[c] = keep(0xC0, left(pairs[c % 2], 6 - c as i32 / 2 * 2)));
            }
            Codes::Bits3 => {
                let (pairs, top) = ([load(w), load(w.add(64))], load(w.add(128)));
                unroll!(8, c, {
                    let low = left(pairs[c % 2], 5 - c as i32 / 2 * 2);
                    q[c] = keep(0xE0, either(0x60, low, left(top, 7 - c as i32)));
                });
            }
            Codes::Bits4 => {
                unroll!(4, c, {
                    let v = load(w.add(c * 64));
                    q[c] = keep(0xF0, left(v, 4));
                    q[c + 4] = keep(0xF0, v);
                });
            }
            Codes::Bits5 => {
                let top = load(w.add(256));
                unroll!(4, c, {
                    let v = load(w.add(c * 64));
                    q[c] = keep(0xF8, either(0x78, left(v, 3), left(top, 7 - c as i32)));
                    q[c + 4] = keep(0xF8, either(0x78, left(v, -1), left(top, 3 - c as i32)));
                });
            }
            Codes::Bits6 => {
                let pairs = [load(w.add(256)), load(w.add(320))];
                unroll!(4, c, {
                    let (v, pair, f) = (load(w.add(c * 64)), pairs[c % 2], c as i32 / 2);
                    q[c] = keep(0xFC, either(0x3C, left(v, 2), left(pair, 6 - 2 * f)));
                    q[c + 4] = keep(0xFC, either(0x3C, left(v, -2), left(pair, 2 - 2 * f)));
                });
            }
            Codes::Bits8 => {
                unroll!(8, c, q[c] = load(w.add(c * 64)));
            }
            Codes::Iq4 | Codes::E2m1 => {
                let table = F::CODES.table().map_or([0; 16], |t| *t);
                let table = _mm512_broadcast_i32x4(_mm_loadu_si128(table.as_ptr().cast()));
                let table = _mm512_xor_si512(table, _mm512_set1_epi8(-128));
                unroll!(4, c, {
                    let v = load(w.add(c * 64));
                    q[c] = _mm512_shuffle_epi8(table, keep(0x0F, v));
                    q[c + 4] = _mm512_shuffle_epi8(table, keep(0x0F, left(v, -4)));
                });
            }
        }
        q
    }
}

/// Dwords shifted left by a constant, or right by its negative.
#[inline(always)]
unsafe fn left(v: __m512i, by: i32) -> __m512i {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe {
        if by >= 0 {
            _mm512_sllv_epi32(v, _mm512_set1_epi32(by))
        } else {
            _mm512_srlv_epi32(v, _mm512_set1_epi32(-by))
        }
    }
}

/// The bits of each byte that `mask` has.
#[inline(always)]
unsafe fn keep(mask: u8, v: __m512i) -> __m512i {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe { _mm512_and_si512(v, _mm512_set1_epi8(mask as i8)) }
}

/// The bits of each byte of `a` that `mask` has, and of `b` those that it has not.
#[inline(always)]
unsafe fn either(mask: u8, a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe { _mm512_ternarylogic_epi32::<0xCA>(_mm512_set1_epi8(mask as i8), a, b) }
}

/// Asks for cache lines that will be used soon.
#[inline(always)]
pub(super) fn fetch(w: *const u8, lines: usize) {
    for i in 0..lines {
        // SAFETY: a prefetch of any address is harmless.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(w.wrapping_add(AHEAD + 64 * i).cast()) };
    }
}

#[inline(always)]
pub(super) unsafe fn load(p: *const u8) -> __m512i {
    // SAFETY: the caller has 64 bytes at `p`.
    unsafe { _mm512_loadu_si512(p.cast()) }
}

/// The value of sums that began with a block's [`Block32::BEGINS`].
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn float_of<X: Block32>(v: __m512i) -> __m512 {
    if X::FLOATS {
        _mm512_sub_ps(_mm512_castsi512_ps(v), _mm512_set1_ps(Q8Block::BEGIN))
    } else {
        _mm512_cvtepi32_ps(v)
    }
}
