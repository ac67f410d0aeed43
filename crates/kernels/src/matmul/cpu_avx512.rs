//! Tile kernels for x86-64 with AVX-512 and VNNI.
//!
//! Quantized weights are unpacked to unsigned bytes around 128 and multiplied with the activations' signed ones
//! by `vpdpbusd`, each half of a block by itself; the accumulator starts at the half's bias (-128 * its sum), which
//! makes the integer dot product exact. Four-bit quants stay in the high nibble (16 times their value; the scale is divided by 16)
//! and six-bit ones in the high bits (4 times), so all formats share that one bias.
//!
//! BF16 weights take f32 activations and fused multiply-adds: on the measured machine (Sapphire Rapids)
//! `vdpbf16ps` issues once in two cycles, half the rate of two `vfmadd` a cycle, and it rounds activations.

use super::cpu::{Ladder, Tile, Version, ladder};
use crate::act::Q8Block;
use crate::dtype::{DType, rows16};
use std::arch::x86_64::*;
use std::mem::offset_of;

/// Kernels of a quantized format (its GGUF id).
pub(super) struct Quant<const D: u32>;
/// Kernels of a quantized format with f32 activations.
pub(super) struct Wide<const D: u32>;
/// Kernels of F32, F16 or BF16 (its GGUF id).
pub(super) struct Float<const D: u32>;

impl<const D: u32> Version for Quant<D> {
    const FEW: Ladder = ladder!(quant, D, 1, [4, 3, 2, 1]);
    const MANY: Ladder = ladder!(quant, D, 1, [12, 8, 6, 4, 3, 2, 1]);
}

impl<const D: u32> Version for Wide<D> {
    const FEW: Ladder = ladder!(wide, D, 1, [4, 2, 1]);
    const MANY: Ladder = ladder!(wide, D, 1, [6, 4, 2, 1]);
}

impl<const D: u32> Version for Float<D> {
    const FEW: Ladder = ladder!(float, D, 4, [4, 3, 2, 1]);
    const MANY: Ladder = ladder!(float, D, 2, [12, 8, 6, 4, 3, 2, 1]);
}

const Q4_0: u32 = DType::Q4_0 as u32;
const Q4_1: u32 = DType::Q4_1 as u32;
const Q8_0: u32 = DType::Q8_0 as u32;
const Q6_K: u32 = DType::Q6K as u32;
const F32: u32 = DType::F32 as u32;
const F16: u32 = DType::F16 as u32;

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

/// How far ahead of use weights are fetched, in bytes.
const AHEAD: usize = 4096;

/// 32 columns of 16 rows, ready to multiply.
struct Block {
    /// Unsigned quants, 4 columns a register.
    q: [__m512i; 8],
    /// Scales; of the first 16 columns in `q6_k`.
    d: __m512,
    /// Offsets of `q4_1` (minimum + 8 steps), scales of the last 16 columns in `q6_k`.
    m: __m512,
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")]
unsafe fn quant<const D: u32, const TILES: usize, const ROWS: usize>(t: &Tile) {
    let mut acc = [_mm512_setzero_ps(); ROWS];
    for b in 0..t.k / 32 {
        // SAFETY: block b of k/32 lies inside the tile and inside each row, by the caller's promise.
        unsafe {
            let block = unpack::<D>(t.w, b);
            let x = t.x.add(b * size_of::<Q8Block>());
            unroll!(ROWS, r, acc[r] = multiply::<D>(acc[r], &block, x.add(r * t.x_stride)));
        }
    }
    for (r, a) in acc.into_iter().enumerate() {
        // SAFETY: the caller's `out` holds ROWS rows of 16.
        unsafe { _mm512_store_ps(t.out.add(r * 16), a) };
    }
}

/// Unpacks block `b` of a tile.
///
/// # Safety
/// The tile at `w` has at least `b + 1` blocks. (Prefetching past the end is harmless.)
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")]
unsafe fn unpack<const D: u32>(w: *const u8, b: usize) -> Block {
    let high = _mm512_set1_epi8(0xF0u8 as i8);
    let mut q = [_mm512_setzero_si512(); 8];
    // SAFETY: all offsets are inside the block, by the layout of `rows16`.
    unsafe {
        match D {
            Q4_0 | Q4_1 => {
                let w = w.add(b * if D == Q4_0 { rows16::Q4_0_BLOCK } else { rows16::Q4_1_BLOCK });
                fetch::<5>(w);
                for c in 0..4 {
                    let v = load(w.add(c * 64));
                    q[c] = _mm512_and_si512(_mm512_slli_epi32::<4>(v), high);
                    q[c + 4] = _mm512_and_si512(v, high);
                }
                let d = _mm512_mul_ps(halves(w.add(256)), _mm512_set1_ps(1.0 / 16.0));
                // d q + m = d (q - 8) + (m + 8 d): centred quants share the bias of the other formats.
                let m =
                    if D == Q4_1 { _mm512_fmadd_ps(d, _mm512_set1_ps(128.0), halves(w.add(288))) } else { d };
                Block { q, d, m }
            }
            Q8_0 => {
                let w = w.add(b * rows16::Q8_0_BLOCK);
                fetch::<9>(w);
                for c in 0..8 {
                    q[c] = load(w.add(c * 64));
                }
                let d = halves(w.add(512));
                Block { q, d, m: d }
            }
            _ => {
                let super_block = w.add(b / 8 * rows16::Q6_K_BLOCK);
                let w = super_block.add(b % 8 * rows16::Q6_K_SUB);
                fetch::<7>(w);
                let hi = [load(w.add(256)), load(w.add(320))];
                for c in 0..4 {
                    let lo = load(w.add(c * 64));
                    let pair = hi[c % 2];
                    q[c] = six(
                        _mm512_slli_epi32::<2>(lo),
                        if c < 2 { _mm512_slli_epi32::<6>(pair) } else { _mm512_slli_epi32::<4>(pair) },
                    );
                    q[c + 4] = six(
                        _mm512_srli_epi32::<2>(lo),
                        if c < 2 { _mm512_slli_epi32::<2>(pair) } else { pair },
                    );
                }
                let d = _mm512_mul_ps(halves(super_block.add(8 * rows16::Q6_K_SUB)), _mm512_set1_ps(0.25));
                let scales = |at| _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(w.add(at).cast())));
                Block { q, d: _mm512_mul_ps(d, scales(384)), m: _mm512_mul_ps(d, scales(400)) }
            }
        }
    }
}

/// Joins four low bits (at bits 2..6 of each byte) and two high bits (at 6..8).
#[inline]
#[target_feature(enable = "avx512f")]
fn six(lo: __m512i, hi: __m512i) -> __m512i {
    let both = _mm512_ternarylogic_epi32::<0xCA>(_mm512_set1_epi8(0x3C), lo, hi);
    _mm512_and_si512(both, _mm512_set1_epi8(0xFCu8 as i8))
}

/// Adds the product of a weight block and one row's block at `x` to the row's 16 sums.
///
/// # Safety
/// `x` points to a [`Q8Block`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")]
unsafe fn multiply<const D: u32>(acc: __m512, w: &Block, x: *const u8) -> __m512 {
    // SAFETY: all reads are inside the block; its fields are dwords at multiples of 4.
    unsafe {
        let int = |at: usize| _mm512_set1_epi32(x.add(at).cast::<i32>().read_unaligned());
        let float = |at: usize| _mm512_set1_ps(x.add(at).cast::<f32>().read_unaligned());
        let (scales, biases) = (offset_of!(Q8Block, scales), offset_of!(Q8Block, biases));
        let (mut lo, mut hi) = (int(biases), int(biases + 4));
        for c in 0..4 {
            lo = _mm512_dpbusd_epi32(lo, w.q[c], int(4 * c));
            hi = _mm512_dpbusd_epi32(hi, w.q[c + 4], int(16 + 4 * c));
        }
        let lo = _mm512_mul_ps(_mm512_cvtepi32_ps(lo), float(scales));
        let (hi, scale) = (_mm512_cvtepi32_ps(hi), float(scales + 4));
        if D == Q6_K {
            let acc = _mm512_fmadd_ps(lo, w.d, acc);
            return _mm512_fmadd_ps(_mm512_mul_ps(hi, scale), w.m, acc);
        }
        let acc = _mm512_fmadd_ps(_mm512_fmadd_ps(hi, scale, lo), w.d, acc);
        if D == Q4_1 { _mm512_fmadd_ps(w.m, float(offset_of!(Q8Block, sum)), acc) } else { acc }
    }
}

/// Quantized weights with f32 activations: quants become small whole floats, scaled once per block.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")]
unsafe fn wide<const D: u32, const TILES: usize, const ROWS: usize>(t: &Tile) {
    // A byte in the low bits of 2^23 is 2^23 + byte.
    const MAGIC: f32 = 8_388_608.0;
    let (byte, magic) = (_mm512_set1_epi32(0xFF), _mm512_set1_epi32(MAGIC.to_bits() as i32));
    let mut acc = [_mm512_setzero_ps(); ROWS];
    for b in 0..t.k / 32 {
        // SAFETY: block b of k/32 lies inside the tile and inside each row, by the caller's promise.
        unsafe {
            let block = unpack::<D>(t.w, b);
            unroll!(2, half, {
                // Two chains of sums (even and odd columns), or the additions' latency shows.
                let mut sum = [[_mm512_setzero_ps(); 2]; ROWS];
                let scale = if D == Q6_K && half == 1 { block.m } else { block.d };
                unroll!(16, c, {
                    let v =
                        _mm512_srlv_epi32(block.q[4 * half + c / 4], _mm512_set1_epi32(8 * (c as i32 % 4)));
                    // magic | (v & byte)
                    let v = _mm512_castsi512_ps(_mm512_ternarylogic_epi32::<0xF8>(magic, v, byte));
                    let mut v = _mm512_sub_ps(v, _mm512_set1_ps(MAGIC + 128.0));
                    if D == Q4_1 {
                        v = _mm512_fmadd_ps(v, scale, block.m);
                    }
                    for r in 0..ROWS {
                        let x = t.x.add(r * t.x_stride + (b * 32 + half * 16 + c) * 4).cast::<f32>();
                        sum[r][c % 2] = _mm512_fmadd_ps(v, _mm512_set1_ps(*x), sum[r][c % 2]);
                    }
                });
                for r in 0..ROWS {
                    let sum = _mm512_add_ps(sum[r][0], sum[r][1]);
                    acc[r] = if D == Q4_1 {
                        _mm512_add_ps(acc[r], sum)
                    } else {
                        _mm512_fmadd_ps(sum, scale, acc[r])
                    };
                }
            });
        }
    }
    for (r, a) in acc.into_iter().enumerate() {
        // SAFETY: the caller's `out` holds ROWS rows of 16.
        unsafe { _mm512_store_ps(t.out.add(r * 16), a) };
    }
}

/// Asks for `LINES` cache lines that will be used soon.
#[inline(always)]
fn fetch<const LINES: usize>(w: *const u8) {
    for i in 0..LINES {
        // SAFETY: a prefetch of any address is harmless.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(w.wrapping_add(AHEAD + 64 * i).cast()) };
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load(p: *const u8) -> __m512i {
    // SAFETY: the caller has 64 bytes at `p`.
    unsafe { _mm512_loadu_si512(p.cast()) }
}

/// 16 f16 as f32.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn halves(p: *const u8) -> __m512 {
    // SAFETY: the caller has 32 bytes at `p`.
    unsafe { _mm512_cvtph_ps(_mm256_loadu_si256(p.cast())) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")]
unsafe fn float<const D: u32, const TILES: usize, const ROWS: usize>(t: &Tile) {
    let mut acc = [[_mm512_setzero_ps(); TILES]; ROWS];
    // Columns come in pairs; an odd last one is padded with a zero column.
    for p in 0..t.k / 2 {
        // SAFETY: columns 2p and 2p + 1 are inside the tiles and rows, by the caller's promise.
        unsafe {
            let mut w = [[_mm512_setzero_ps(); 2]; TILES];
            for i in 0..TILES {
                w[i] = pair::<D>(t.w.add(i * t.w_stride), p);
            }
            for r in 0..ROWS {
                let x = t.x.add(r * t.x_stride + p * 8).cast::<f32>();
                for c in 0..2 {
                    let x = _mm512_set1_ps(*x.add(c));
                    for i in 0..TILES {
                        acc[r][i] = _mm512_fmadd_ps(w[i][c], x, acc[r][i]);
                    }
                }
            }
        }
    }
    if t.k % 2 == 1 {
        for r in 0..ROWS {
            for i in 0..TILES {
                // SAFETY: column k - 1 is inside the tile and the row.
                unsafe {
                    let w = last::<D>(t.w.add(i * t.w_stride), t.k - 1);
                    let x = *t.x.add(r * t.x_stride + (t.k - 1) * 4).cast::<f32>();
                    acc[r][i] = _mm512_fmadd_ps(w, _mm512_set1_ps(x), acc[r][i]);
                }
            }
        }
    }
    for r in 0..ROWS {
        for i in 0..TILES {
            // SAFETY: the caller's `out` holds ROWS rows of 16 TILES.
            unsafe { _mm512_store_ps(t.out.add((r * TILES + i) * 16), acc[r][i]) };
        }
    }
}

/// Columns 2p and 2p + 1 of a tile.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")]
unsafe fn pair<const D: u32>(w: *const u8, p: usize) -> [__m512; 2] {
    // SAFETY: the caller has both columns at `w`.
    unsafe {
        match D {
            F32 => {
                let w = w.add(p * 128);
                fetch::<2>(w);
                [_mm512_loadu_ps(w.cast()), _mm512_loadu_ps(w.add(64).cast())]
            }
            F16 => {
                let w = w.add(p * 64);
                fetch::<1>(w);
                [halves(w), halves(w.add(32))]
            }
            _ => {
                let w = w.add(p * 64);
                fetch::<1>(w);
                let v = load(w);
                let high = _mm512_set1_epi32(0xFFFF_0000u32 as i32);
                [
                    _mm512_castsi512_ps(_mm512_slli_epi32::<16>(v)),
                    _mm512_castsi512_ps(_mm512_and_si512(v, high)),
                ]
            }
        }
    }
}

/// The odd last column `c` of a tile.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")]
unsafe fn last<const D: u32>(w: *const u8, c: usize) -> __m512 {
    // SAFETY: the caller has the column at `w`.
    unsafe {
        match D {
            F32 => _mm512_loadu_ps(w.add(c * 64).cast()),
            F16 => halves(w.add(c * 32)),
            _ => {
                let v = _mm512_cvtepu16_epi32(_mm256_loadu_si256(w.add(c * 32).cast()));
                _mm512_castsi512_ps(_mm512_slli_epi32::<16>(v))
            }
        }
    }
}
