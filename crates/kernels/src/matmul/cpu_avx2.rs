//! Tile kernels for x86-64 with AVX2, FMA and F16C, for f32 activations: a tile is two halves of 8 rows.

use super::cpu::{Form, Ladder, Many, Tile, Version, centred, ladder};
use super::cpu_scales;
use crate::dtype::DType;
use crate::dtype::rows16::{self, Codes};
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

/// How far ahead of use weights are fetched, in bytes.
const AHEAD: usize = 2048;

/// 32 columns of 8 rows, ready to multiply.
struct Block {
    /// Signed codes, 4 columns a register.
    q: [__m256i; 8],
    /// Scales of the first and the last 16 columns.
    d: [__m256; 2],
    /// Offsets of both halves, for signed codes; of forms with minimums.
    m: [__m256; 2],
}

/// Unpacks rows 8h.. of sub-block `b` of a tile.
///
/// # Safety
/// The tile has at least `b + 1` sub-blocks. (Prefetching past the end is harmless.)
#[inline(always)]
unsafe fn unpack<F: Form>(t: &Tile, b: usize, h: usize) -> Block {
    let subs_log2 = F::SCALES.subs_log2().unwrap_or(t.subs_log2);
    let sub = F::CODES.sub_bytes();
    let bytes = (sub << subs_log2) + F::SCALES.bytes();
    let s = b & ((1 << subs_log2) - 1);
    // SAFETY: all offsets are inside the block, by the layout of `rows16`.
    unsafe {
        let w = t.w.add((b >> subs_log2) * bytes);
        let q = codes::<F>(w.add(F::SCALES.bytes() + s * sub + h * 32));
        let (d, m) = cpu_scales::scales::<__m256>(F::SCALES, t.word, w, s, 8 * h);
        let (d, m) = centred!(F, d, m, _mm256_set1_ps, _mm256_mul_ps, _mm256_fmadd_ps);
        Block { q, d, m }
    }
}

/// The codes of 8 rows of a sub-block at the top of their bytes, less 128; tables' values as they are.
///
/// # Safety
/// `w` points to the first of 8 rows in a sub-block.
#[inline(always)]
unsafe fn codes<F: Form>(w: *const u8) -> [__m256i; 8] {
    // SAFETY: the caller's level; all offsets are inside the sub-block.
    unsafe {
        let mut q = [_mm256_setzero_si256(); 8];
        match F::CODES {
            Codes::Bits2 => {
                let pairs = [load(w), load(w.add(64))];
                for c in 0..8 {
                    q[c] = signed(keep(0xC0, left(pairs[c % 2], 6 - c as i32 / 2 * 2)));
                }
            }
            Codes::Bits3 => {
                let (pairs, top) = ([load(w), load(w.add(64))], load(w.add(128)));
                for c in 0..8 {
                    let low = keep(0x60, left(pairs[c % 2], 5 - c as i32 / 2 * 2));
                    q[c] = signed(_mm256_or_si256(low, keep(0x80, left(top, 7 - c as i32))));
                }
            }
            Codes::Bits4 => {
                for c in 0..4 {
                    let v = load(w.add(c * 64));
                    q[c] = signed(keep(0xF0, left(v, 4)));
                    q[c + 4] = signed(keep(0xF0, v));
                }
            }
            Codes::Bits5 => {
                let top = load(w.add(256));
                for c in 0..8 {
                    let v = load(w.add(c % 4 * 64));
                    let low = keep(0x78, left(v, if c < 4 { 3 } else { -1 }));
                    q[c] = signed(_mm256_or_si256(low, keep(0x80, left(top, 7 - c as i32))));
                }
            }
            Codes::Bits6 => {
                let pairs = [load(w.add(256)), load(w.add(320))];
                for c in 0..8 {
                    let v = load(w.add(c % 4 * 64));
                    let low = keep(0x3C, left(v, if c < 4 { 2 } else { -2 }));
                    let high = keep(0xC0, left(pairs[c % 2], 6 - c as i32 / 2 * 2));
                    q[c] = signed(_mm256_or_si256(low, high));
                }
            }
            Codes::Bits8 => {
                for c in 0..8 {
                    q[c] = signed(load(w.add(c * 64)));
                }
            }
            Codes::Iq4 | Codes::E2m1 => {
                let table = F::CODES.table().map_or([0; 16], |t| *t);
                let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast()));
                for c in 0..4 {
                    let v = load(w.add(c * 64));
                    q[c] = _mm256_shuffle_epi8(table, keep(0x0F, v));
                    q[c + 4] = _mm256_shuffle_epi8(table, keep(0x0F, left(v, -4)));
                }
            }
        }
        q
    }
}

/// Dwords shifted left by a constant, or right by its negative.
#[inline(always)]
unsafe fn left(v: __m256i, by: i32) -> __m256i {
    // SAFETY: the caller's level.
    unsafe {
        if by >= 0 {
            _mm256_sllv_epi32(v, _mm256_set1_epi32(by))
        } else {
            _mm256_srlv_epi32(v, _mm256_set1_epi32(-by))
        }
    }
}

/// The bits of each byte that `mask` has.
#[inline(always)]
unsafe fn keep(mask: u8, v: __m256i) -> __m256i {
    // SAFETY: the caller's level.
    unsafe { _mm256_and_si256(v, _mm256_set1_epi8(mask as i8)) }
}

/// Bytes less 128.
#[inline(always)]
unsafe fn signed(v: __m256i) -> __m256i {
    // SAFETY: the caller's level.
    unsafe { _mm256_xor_si256(v, _mm256_set1_epi8(-128)) }
}

/// Quantized weights with f32 activations: quants become small whole floats, scaled once per block.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn wide<F: Form, const TILES: usize, const ROWS: usize>(t: &Tile) {
    for h in 0..2 {
        let mut acc = [_mm256_setzero_ps(); ROWS];
        for b in 0..t.k / 32 {
            // SAFETY: block b of k/32 lies inside the tile and inside each row, by the caller's promise.
            unsafe {
                let block = unpack::<F>(t, b, h);
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

#[inline(always)]
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
