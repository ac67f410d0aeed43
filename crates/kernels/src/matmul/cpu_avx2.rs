//! Tile kernels for x86-64 with AVX2, FMA and F16C, for f32 activations: a tile is two halves of 8 rows.

use super::cpu_bytes256::{SIGNED, unpack};
use super::cpu_tile::{Form, Ladder, Many, Tile, Version, ladder};
use crate::dtype::DType;
use crate::dtype::rows16;
use std::arch::x86_64::*;
use std::marker::PhantomData;

/// Kernels of a quantized form with f32 activations.
pub(super) struct Wide<F>(PhantomData<F>);
/// Kernels of F32, F16, BF16 or MXFP8 (its id).
pub(super) struct Float<const D: u32>;

impl<F: Form> Version for Wide<F> {
    const FEW: Ladder = ladder!(wide, F, 1, [1]);
    const MANY: Many = Many::Tiles(ladder!(wide, F, 1, [4, 1]));
}

impl<const D: u32> Version for Float<D> {
    const FEW: Ladder = ladder!(float, D, 4, [1]);
    const MANY: Many = Many::Tiles(ladder!(float, D, 1, [6, 4, 2, 1]));
}

const F32: u32 = DType::F32 as u32;
const F16: u32 = DType::F16 as u32;
const BF16: u32 = DType::Bf16 as u32;

/// Quantized weights with f32 activations: quants become small whole floats, scaled once per block.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn wide<F: Form, const TILES: usize, const ROWS: usize>(t: &Tile) {
    for h in 0..2 {
        let mut acc = [_mm256_setzero_ps(); ROWS];
        for b in 0..t.k / 32 {
            // SAFETY: block b of k/32 lies inside the tile and inside each row, by the caller's promise.
            unsafe {
                let block = unpack::<F, SIGNED>(t, b, h);
                for half in 0..2 {
                    let mut sum = [_mm256_setzero_ps(); ROWS];
                    let scale = block.d[half];
                    for c in 0..16 {
                        let up = _mm256_set1_epi32(24 - 8 * (c as i32 % 4));
                        let v = _mm256_srai_epi32::<24>(_mm256_sllv_epi32(block.q[4 * half + c / 4], up));
                        let mut v = _mm256_cvtepi32_ps(v);
                        if F::SCALES.minimums() {
                            v = _mm256_fmadd_ps(v, scale, block.m[half]);
                        }
                        for r in 0..ROWS {
                            let x = t.x.add(r * t.x_stride + (b * 32 + half * 16 + c) * 4).cast::<f32>();
                            sum[r] = _mm256_fmadd_ps(v, _mm256_set1_ps(*x), sum[r]);
                        }
                    }
                    for r in 0..ROWS {
                        acc[r] = if F::SCALES.minimums() {
                            _mm256_add_ps(acc[r], sum[r])
                        } else {
                            _mm256_fmadd_ps(sum[r], scale, acc[r])
                        };
                    }
                }
            }
        }
        for (r, a) in acc.into_iter().enumerate() {
            // SAFETY: the caller's `out` holds ROWS rows of 16.
            unsafe { _mm256_store_ps(t.out.add(r * 16 + h * 8), a) };
        }
    }
}

/// 8 f16 as f32.
#[inline]
#[target_feature(enable = "avx2,f16c")]
unsafe fn halves(p: *const u8) -> __m256 {
    // SAFETY: the caller has 16 bytes at `p`.
    unsafe { _mm256_cvtph_ps(_mm_loadu_si128(p.cast())) }
}

#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn float<const D: u32, const TILES: usize, const ROWS: usize>(t: &Tile) {
    let mut acc = [[[_mm256_setzero_ps(); 2]; TILES]; ROWS];
    for c in 0..t.k {
        for i in 0..TILES {
            // SAFETY: column c is inside the tiles and rows, by the caller's promise.
            unsafe {
                let w = column::<D>(t.w.add(i * t.w_stride), c, t.k);
                for r in 0..ROWS {
                    let x = _mm256_set1_ps(*t.x.add(r * t.x_stride + c * 4).cast::<f32>());
                    for h in 0..2 {
                        acc[r][i][h] = _mm256_fmadd_ps(w[h], x, acc[r][i][h]);
                    }
                }
            }
        }
    }
    for r in 0..ROWS {
        for i in 0..TILES {
            for h in 0..2 {
                // SAFETY: the caller's `out` holds ROWS rows of 16 TILES.
                unsafe { _mm256_store_ps(t.out.add((r * TILES + i) * 16 + h * 8), acc[r][i][h]) };
            }
        }
    }
}

/// Column `c` of a tile of `k`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn column<const D: u32>(w: *const u8, c: usize, k: usize) -> [__m256; 2] {
    // SAFETY: the caller has the column at `w`.
    unsafe {
        match D {
            F32 => {
                let w = w.add(c * 64);
                [_mm256_loadu_ps(w.cast()), _mm256_loadu_ps(w.add(32).cast())]
            }
            F16 => [halves(w.add(c * 32)), halves(w.add(c * 32 + 16))],
            BF16 if c + 1 == k && k % 2 == 1 => {
                let words = |p: *const u8| _mm256_cvtepu16_epi32(_mm_loadu_si128(p.cast()));
                let v = [words(w.add(c * 32)), words(w.add(c * 32 + 16))];
                v.map(|v| _mm256_castsi256_ps(_mm256_slli_epi32::<16>(v)))
            }
            BF16 => {
                let p = w.add(c / 2 * 64);
                let v = [_mm256_loadu_si256(p.cast()), _mm256_loadu_si256(p.add(32).cast())];
                let high = _mm256_set1_epi32(0xFFFF_0000u32 as i32);
                v.map(|v| {
                    let v = if c.is_multiple_of(2) {
                        _mm256_slli_epi32::<16>(v)
                    } else {
                        _mm256_and_si256(v, high)
                    };
                    _mm256_castsi256_ps(v)
                })
            }
            _ => {
                let block = w.add(c / 32 * rows16::MXFP8_BLOCK);
                [0, 8].map(|row| {
                    let e = _mm256_cvtepu8_epi32(_mm_loadl_epi64(block.add(512 + row).cast()));
                    // As f16 the elements are 2^8 times too small.
                    let e = _mm256_slli_epi32::<23>(_mm256_add_epi32(e, _mm256_set1_epi32(8)));
                    _mm256_mul_ps(e4m3(block.add(c % 32 * 16 + row)), _mm256_castsi256_ps(e))
                })
            }
        }
    }
}

/// 8 E4M3 numbers times 2^-8, since an f16 has one more bit of exponent, biased by 8 more.
#[inline]
#[target_feature(enable = "avx2,f16c")]
unsafe fn e4m3(p: *const u8) -> __m256 {
    // SAFETY: the caller has 8 bytes at `p`.
    let v = unsafe { _mm_cvtepi8_epi16(_mm_loadl_epi64(p.cast())) };
    let number = _mm_and_si128(_mm_slli_epi16::<7>(v), _mm_set1_epi16(0x3f80));
    let sign = _mm_and_si128(v, _mm_set1_epi16(i16::MIN));
    _mm256_cvtph_ps(_mm_or_si128(number, sign))
}
