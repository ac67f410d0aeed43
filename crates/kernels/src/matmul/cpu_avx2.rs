//! Tile kernels for x86-64 with AVX2, FMA and F16C: a tile is two halves of 8 rows.
//!
//! Quants are unpacked to signed bytes and multiplied by `vpmaddubsw` as |w| * (x with w's sign). The largest sum
//! of two products, 128 * 127 * 2, fits 16 bits, so the integer dot product is exact.

use super::cpu::{Ladder, Tile, Version, ladder};
use crate::act::Q8Block;
use crate::dtype::{DType, rows16};
use std::arch::x86_64::*;

/// Kernels of a quantized format (its GGUF id).
pub(super) struct Quant<const D: u32>;
/// Kernels of a quantized format with f32 activations.
pub(super) struct Wide<const D: u32>;
/// Kernels of F32, F16 or BF16 (its GGUF id).
pub(super) struct Float<const D: u32>;

impl<const D: u32> Version for Quant<D> {
    const FEW: Ladder = ladder!(quant, D, 1, [1]);
    const MANY: Ladder = ladder!(quant, D, 1, [4, 2, 1]);
}

impl<const D: u32> Version for Wide<D> {
    const FEW: Ladder = ladder!(wide, D, 1, [1]);
    const MANY: Ladder = ladder!(wide, D, 1, [4, 1]);
}

impl<const D: u32> Version for Float<D> {
    const FEW: Ladder = ladder!(float, D, 4, [1]);
    const MANY: Ladder = ladder!(float, D, 1, [6, 4, 2, 1]);
}

const Q4_0: u32 = DType::Q4_0 as u32;
const Q4_1: u32 = DType::Q4_1 as u32;
const Q8_0: u32 = DType::Q8_0 as u32;
const Q6_K: u32 = DType::Q6K as u32;
const F32: u32 = DType::F32 as u32;
const F16: u32 = DType::F16 as u32;

/// How far ahead of use weights are fetched, in bytes.
const AHEAD: usize = 2048;

/// 32 columns of 8 rows, ready to multiply.
struct Block {
    /// Signed quants, 4 columns a register.
    q: [__m256i; 8],
    /// Scales; of the first 16 columns in `q6_k`.
    d: __m256,
    /// Minimums of `q4_1`, scales of the last 16 columns in `q6_k`.
    m: __m256,
}

#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn quant<const D: u32, const TILES: usize, const ROWS: usize>(t: &Tile) {
    let mut acc = [[_mm256_setzero_ps(); 2]; ROWS];
    for b in 0..t.k / 32 {
        // SAFETY: block b of k/32 lies inside the tile and inside each row, by the caller's promise.
        unsafe {
            for h in 0..2 {
                let block = unpack::<D>(t.w, b, h);
                let x = t.x.add(b * size_of::<Q8Block>());
                for r in 0..ROWS {
                    acc[r][h] = multiply::<D>(acc[r][h], &block, &*x.add(r * t.x_stride).cast());
                }
            }
        }
    }
    for r in 0..ROWS {
        for h in 0..2 {
            // SAFETY: the caller's `out` holds ROWS rows of 16.
            unsafe { _mm256_store_ps(t.out.add(r * 16 + h * 8), acc[r][h]) };
        }
    }
}

/// Unpacks rows 8h.. of block `b` of a tile.
///
/// # Safety
/// The tile at `w` has at least `b + 1` blocks. (Prefetching past the end is harmless.)
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn unpack<const D: u32>(w: *const u8, b: usize, h: usize) -> Block {
    let mut q = [_mm256_setzero_si256(); 8];
    let nibble = _mm256_set1_epi8(15);
    // SAFETY: all offsets are inside the block, by the layout of `rows16`.
    unsafe {
        match D {
            Q4_0 | Q4_1 => {
                let (size, bias) = if D == Q4_0 { (rows16::Q4_0_BLOCK, 8) } else { (rows16::Q4_1_BLOCK, 0) };
                let (w, bias) = (w.add(b * size), _mm256_set1_epi8(bias));
                for c in 0..4 {
                    let v = load(w.add(c * 64 + h * 32));
                    q[c] = _mm256_sub_epi8(_mm256_and_si256(v, nibble), bias);
                    q[c + 4] = _mm256_sub_epi8(_mm256_and_si256(_mm256_srli_epi16::<4>(v), nibble), bias);
                }
                let d = halves(w.add(256 + h * 16));
                Block { q, d, m: if D == Q4_1 { halves(w.add(288 + h * 16)) } else { d } }
            }
            Q8_0 => {
                let w = w.add(b * rows16::Q8_0_BLOCK);
                for c in 0..8 {
                    q[c] = _mm256_xor_si256(load(w.add(c * 64 + h * 32)), _mm256_set1_epi8(-128));
                }
                let d = halves(w.add(512 + h * 16));
                Block { q, d, m: d }
            }
            _ => {
                let super_block = w.add(b / 8 * rows16::Q6_K_BLOCK);
                let w = super_block.add(b % 8 * rows16::Q6_K_SUB);
                let hi = [load(w.add(256 + h * 32)), load(w.add(320 + h * 32))];
                let mask = _mm256_set1_epi8(0x30);
                let six = |lo, hi| {
                    let v = _mm256_or_si256(_mm256_and_si256(lo, nibble), _mm256_and_si256(hi, mask));
                    _mm256_sub_epi8(v, _mm256_set1_epi8(32))
                };
                for c in 0..4 {
                    let (lo, pair) = (load(w.add(c * 64 + h * 32)), hi[c % 2]);
                    q[c] = six(
                        lo,
                        if c < 2 { _mm256_slli_epi16::<4>(pair) } else { _mm256_slli_epi16::<2>(pair) },
                    );
                    let lo = _mm256_srli_epi16::<4>(lo);
                    q[c + 4] = six(lo, if c < 2 { pair } else { _mm256_srli_epi16::<2>(pair) });
                }
                let d = halves(super_block.add(8 * rows16::Q6_K_SUB + h * 16));
                let scales = |at| _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(w.add(at).cast())));
                Block {
                    q,
                    d: _mm256_mul_ps(d, scales(384 + h * 8)),
                    m: _mm256_mul_ps(d, scales(400 + h * 8)),
                }
            }
        }
    }
}

/// Adds the product of a weight block and one row's block to the row's 8 sums.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn multiply<const D: u32>(acc: __m256, w: &Block, x: &Q8Block) -> __m256 {
    let dwords: [i32; 8] = bytemuck::cast(x.quants);
    let ones = _mm256_set1_epi16(1);
    let mut dot = [_mm256_setzero_si256(); 2];
    for c in 0..8 {
        let v = _mm256_sign_epi8(_mm256_set1_epi32(dwords[c]), w.q[c]);
        let v = _mm256_madd_epi16(_mm256_maddubs_epi16(_mm256_abs_epi8(w.q[c]), v), ones);
        dot[c / 4] = _mm256_add_epi32(dot[c / 4], v);
    }
    let [lo, hi] = [0, 1].map(|h| (_mm256_cvtepi32_ps(dot[h]), _mm256_set1_ps(x.scales[h])));
    if D == Q6_K {
        let acc = _mm256_fmadd_ps(lo.0, _mm256_mul_ps(w.d, lo.1), acc);
        return _mm256_fmadd_ps(hi.0, _mm256_mul_ps(w.m, hi.1), acc);
    }
    let y = _mm256_fmadd_ps(hi.0, hi.1, _mm256_mul_ps(lo.0, lo.1));
    let acc = _mm256_fmadd_ps(y, w.d, acc);
    if D == Q4_1 { _mm256_fmadd_ps(w.m, _mm256_set1_ps(x.sum), acc) } else { acc }
}

/// Quantized weights with f32 activations: quants become small whole floats, scaled once per block.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn wide<const D: u32, const TILES: usize, const ROWS: usize>(t: &Tile) {
    for h in 0..2 {
        let mut acc = [_mm256_setzero_ps(); ROWS];
        for b in 0..t.k / 32 {
            // SAFETY: block b of k/32 lies inside the tile and inside each row, by the caller's promise.
            unsafe {
                let block = unpack::<D>(t.w, b, h);
                for half in 0..2 {
                    let mut sum = [_mm256_setzero_ps(); ROWS];
                    let scale = if D == Q6_K && half == 1 { block.m } else { block.d };
                    for c in 0..16 {
                        let up = _mm256_set1_epi32(24 - 8 * (c as i32 % 4));
                        let v = _mm256_srai_epi32::<24>(_mm256_sllv_epi32(block.q[4 * half + c / 4], up));
                        let mut v = _mm256_cvtepi32_ps(v);
                        if D == Q4_1 {
                            v = _mm256_fmadd_ps(v, scale, block.m);
                        }
                        for r in 0..ROWS {
                            let x = t.x.add(r * t.x_stride + (b * 32 + half * 16 + c) * 4).cast::<f32>();
                            sum[r] = _mm256_fmadd_ps(v, _mm256_set1_ps(*x), sum[r]);
                        }
                    }
                    for r in 0..ROWS {
                        acc[r] = if D == Q4_1 {
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

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(p: *const u8) -> __m256i {
    // SAFETY: the caller has 32 bytes at `p`; a prefetch of any address is harmless.
    unsafe {
        _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(AHEAD).cast());
        _mm256_loadu_si256(p.cast())
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
            _ if c + 1 == k && k % 2 == 1 => {
                let words = |p: *const u8| _mm256_cvtepu16_epi32(_mm_loadu_si128(p.cast()));
                let v = [words(w.add(c * 32)), words(w.add(c * 32 + 16))];
                v.map(|v| _mm256_castsi256_ps(_mm256_slli_epi32::<16>(v)))
            }
            _ => {
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
        }
    }
}
