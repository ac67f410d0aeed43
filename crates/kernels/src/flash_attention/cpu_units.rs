//! Attention's products of many rows on the matrix unit of x86-64.
//!
//! Queries, keys, weights and values are two bf16 each, a number and what rounding took from it, and a product takes all of
//! them but `rest * rest`: nothing is lost that f32 sums would keep. Keys and values are prepared once for all queries of a
//! tile; queries and weights become pairs where they lie.

use super::products::{BLOCK, Products};
use crate::matrix_unit::{MatrixUnit, ROW, ROWS, TILE, columns};
use crate::simd::{Avx512, Lanes};
use std::arch::x86_64::*;
use std::ops::Range;

/// Columns of a block of pairs: `[32] bf16` numbers, then `[32] bf16` rests.
const PAIRS: usize = 32;

/// Products on a unit.
pub(super) struct OnUnit<U>(U);

impl<U: MatrixUnit> Products<Avx512> for OnUnit<U> {
    /// Whatever the number of queries, so that it changes no bit.
    const FEW: usize = 0;
    const QUERIES: usize = ROWS;
    const COLUMNS: usize = PAIRS;

    #[inline(always)]
    unsafe fn begin() -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { U::begin() })
    }

    #[inline(always)]
    unsafe fn queries(&mut self, hd: usize, count: usize, q: *mut f32) {
        let stride = hd.next_multiple_of(PAIRS);
        for i in 0..count {
            // SAFETY: the caller's promise.
            unsafe {
                if hd < stride {
                    Avx512::splat(0.0).store(q.add(i * stride + hd));
                }
                pairs(stride, q.add(i * stride));
            }
        }
    }

    /// `[blocks of 32 columns][4 times 16 positions][2 parts]`, each one of the unit's tiles.
    #[inline(always)]
    unsafe fn keys(&mut self, hd: usize, seen: Range<usize>, to: *mut f32, read: &impl Fn(usize) -> Avx512) {
        let to = to.cast::<u8>();
        for j in (0..seen.end).step_by(ROWS) {
            for d in (0..hd).step_by(PAIRS) {
                // SAFETY: the caller's promise; a head is a multiple of 16 wide.
                unsafe {
                    let mut parts = [[Avx512::splat(0.0); 16]; 2];
                    for i in seen.start.max(j)..seen.end.min(j + ROWS) {
                        let low = read(i * hd + d);
                        let high = if d + 16 < hd { read(i * hd + d + 16) } else { Avx512::splat(0.0) };
                        [parts[0][i - j], parts[1][i - j]] = pair(low, high);
                    }
                    let to = to.add((d / PAIRS * (BLOCK / ROWS) + j / ROWS) * 2 * TILE);
                    for (part, m) in parts.iter_mut().enumerate() {
                        Avx512::transpose(m);
                        for (i, m) in m.iter().enumerate() {
                            m.store(to.add(part * TILE + i * ROW).cast());
                        }
                    }
                }
            }
        }
    }

    /// `[blocks of 32 positions][16 columns each][2 parts]`, each one of the unit's tiles.
    #[inline(always)]
    unsafe fn values(
        &mut self,
        hd: usize,
        seen: Range<usize>,
        to: *mut f32,
        read: &impl Fn(usize) -> Avx512,
    ) {
        let to = to.cast::<u8>();
        for j in (0..seen.end.next_multiple_of(PAIRS)).step_by(2) {
            for d in (0..hd).step_by(16) {
                // SAFETY: the caller's promise.
                unsafe {
                    let at = |j: usize| if seen.contains(&j) { read(j * hd + d) } else { Avx512::splat(0.0) };
                    let (even, odd) = (at(j).0, at(j + 1).0);
                    let both = columns(even, odd);
                    let to = to.add((j / PAIRS * (hd / 16) + d / 16) * 2 * TILE + j % PAIRS / 2 * ROW);
                    _mm512_store_si512(to.cast(), both);
                    _mm512_store_si512(
                        to.add(TILE).cast(),
                        columns(even_rest(even, both), odd_rest(odd, both)),
                    );
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn scores(
        &mut self,
        hd: usize,
        count: usize,
        n: usize,
        q: *const f32,
        k: *const f32,
        p: *mut f32,
    ) {
        let (blocks, stride) = (hd.div_ceil(PAIRS), hd.next_multiple_of(PAIRS));
        // SAFETY: the caller's promise.
        unsafe {
            product::<U, false>(
                &mut self.0,
                count / ROWS,
                (q.cast(), 4 * stride),
                (k.cast(), blocks, BLOCK / ROWS),
                n.div_ceil(16),
                (p, BLOCK),
            );
        }
    }

    #[inline(always)]
    unsafe fn gather(&mut self, hd: usize, count: usize, n: usize, p: *mut f32, v: *const f32, o: *mut f32) {
        // SAFETY: the caller's promise.
        unsafe {
            for i in 0..count {
                pairs(n.next_multiple_of(PAIRS), p.add(i * BLOCK));
            }
            product::<U, true>(
                &mut self.0,
                count / ROWS,
                (p.cast_const().cast(), 4 * BLOCK),
                (v.cast(), n.div_ceil(PAIRS), hd / 16),
                hd / 16,
                (o, hd),
            );
        }
    }
}

/// 32 numbers as bf16, and what that takes from them, in the bits of f32.
#[inline(always)]
unsafe fn pair(low: Avx512, high: Avx512) -> [Avx512; 2] {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe {
        let wide = |v: __m256i| _mm512_castsi512_ps(_mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(v)));
        let numbers: __m512i = std::mem::transmute(_mm512_cvtne2ps_pbh(high.0, low.0));
        let low = _mm512_sub_ps(low.0, wide(_mm512_castsi512_si256(numbers)));
        let high = _mm512_sub_ps(high.0, wide(_mm512_extracti64x4_epi64::<1>(numbers)));
        let rests: __m512i = std::mem::transmute(_mm512_cvtne2ps_pbh(high, low));
        [numbers, rests].map(|v| Avx512(_mm512_castsi512_ps(v)))
    }
}

/// What the even ones of both columns have lost.
#[inline(always)]
unsafe fn even_rest(even: __m512, both: __m512i) -> __m512 {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe { _mm512_sub_ps(even, _mm512_castsi512_ps(_mm512_slli_epi32::<16>(both))) }
}

/// What the odd ones of both columns have lost.
#[inline(always)]
unsafe fn odd_rest(odd: __m512, both: __m512i) -> __m512 {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe {
        let high = _mm512_and_si512(both, _mm512_set1_epi32(0xFFFF_0000u32 as i32));
        _mm512_sub_ps(odd, _mm512_castsi512_ps(high))
    }
}

/// Makes pairs of a row's numbers, in the same bytes.
///
/// # Safety
/// `x` has as many, a multiple of 32; the machine has the level.
#[inline(always)]
unsafe fn pairs(columns: usize, x: *mut f32) {
    for d in (0..columns).step_by(PAIRS) {
        // SAFETY: the caller's promise.
        unsafe {
            let x = x.add(d);
            let [numbers, rests] = pair(Avx512::load(x), Avx512::load(x.add(16)));
            numbers.store(x);
            rests.store(x.add(16));
        }
    }
}

/// c `[16 rows each][16 columns each]` = a x b, plus what c holds if `KEEP`. `a` is rows of pairs and the bytes from one to the
/// next; `b` is `[blocks][tiles][2 parts]`, of which `columns` tiles are used; `c` has a stride in elements.
///
/// # Safety
/// The arrays have these shapes, and the machine the unit.
#[inline(always)]
unsafe fn product<U: MatrixUnit, const KEEP: bool>(
    unit: &mut U,
    rows: usize,
    (a, a_stride): (*const u8, usize),
    (b, blocks, tiles): (*const u8, usize, usize),
    columns: usize,
    (c, c_stride): (*mut f32, usize),
) {
    for first in (0..columns).step_by(4) {
        let most = columns - first;
        for r in 0..rows {
            // SAFETY: the caller's promise. Sums are in the unit's tiles 0 to 3, a's numbers and rests in 4 and 5, b's in 6 and 7.
            unsafe {
                let c = c.add(r * ROWS * c_stride + first * 16).cast::<u8>();
                let a = a.add(r * ROWS * a_stride);
                macro_rules! each_sum {
                    (|$i:ident| $do:expr) => {
                        each_sum!(@ $i, $do, 0 1 2 3)
                    };
                    (@ $i:ident, $do:expr, $($n:literal)*) => {
                        $(if most > $n {
                            const $i: usize = $n;
                            $do;
                        })*
                    };
                }
                if KEEP {
                    each_sum!(|I| unit.load::<I>(c.add(I * ROW), 4 * c_stride));
                } else {
                    each_sum!(|I| unit.zero::<I>());
                }
                for block in 0..blocks {
                    unit.load::<4>(a.add(block * 2 * ROW), a_stride);
                    unit.load::<5>(a.add(block * 2 * ROW + ROW), a_stride);
                    let b = b.add((block * tiles + first) * 2 * TILE);
                    each_sum!(|I| {
                        unit.load::<6>(b.add(I * 2 * TILE), ROW);
                        unit.product::<I, 4, 6>();
                        unit.product::<I, 5, 6>();
                        unit.load::<7>(b.add(I * 2 * TILE + TILE), ROW);
                        unit.product::<I, 4, 7>();
                    });
                }
                each_sum!(|I| unit.store::<I>(c.add(I * ROW), 4 * c_stride));
            }
        }
    }
}
