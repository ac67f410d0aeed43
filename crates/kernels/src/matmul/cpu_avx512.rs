//! Tile kernels for x86-64 with AVX-512 and VNNI.
//!
//! Quantized weights are unpacked to unsigned bytes around 128 and multiplied with the activations' signed ones
//! by `vpdpbusd`, each half of a block by itself; the accumulator starts at the half's bias (-128 * its sum), which
//! makes the integer dot product exact ([`float_of`]). Codes of fewer than eight bits stay in the high bits of their byte (four-bit
//! ones are 16 times their value; the scale is divided by 16), so all formats share that one bias.
//!
//! BF16 weights take f32 activations and fused multiply-adds: on the measured machine (Sapphire Rapids)
//! `vdpbf16ps` issues once in two cycles, half the rate of two `vfmadd` a cycle, and it rounds activations.

use super::cpu_avx512_panel;
use super::cpu_avx512_unpack::{Block, fetch, float_of, load, unpack, unroll};
use super::cpu_tile::{Block32, Form, Ladder, Many, Tile, Version, ladder};
use crate::act::{Q8Block, Q16Block};
use crate::dtype::DType;
use crate::dtype::rows16::{self, Scales};
use std::arch::x86_64::*;
use std::marker::PhantomData;

/// Kernels of a quantized form.
pub(super) struct Quant<F>(PhantomData<F>);
/// Kernels of a quantized form with 16-bit activations.
pub(super) struct Quant16<F>(PhantomData<F>);
/// Kernels of a quantized form with f32 activations.
pub(super) struct Wide<F>(PhantomData<F>);
/// Kernels of F32, F16, BF16 or MXFP8 (its id).
pub(super) struct Float<const D: u32>;

impl<F: Form> Version for Quant<F> {
    const FEW: Ladder = ladder!(quant8, F, 1, [8, 6, 4, 3, 2, 1]);
    // Unpacking weights into registers for each eight rows takes less than a panel in memory for all, up to about here.
    const FEW_ROWS: usize = 32;
    const MANY: Many = Many::Panels(cpu_avx512_panel::kernels::<F>());
}

impl<F: Form> Version for Quant16<F> {
    const FEW: Ladder = ladder!(quant16, F, 1, [4, 3, 2, 1]);
    const MANY: Many = Many::Tiles(ladder!(quant16, F, 1, [8, 6, 4, 3, 2, 1]));
}

impl<F: Form> Version for Wide<F> {
    const FEW: Ladder = ladder!(wide, F, 1, [4, 2, 1]);
    const MANY: Many = Many::Tiles(ladder!(wide, F, 1, [6, 4, 2, 1]));
}

impl<const D: u32> Version for Float<D> {
    const FEW: Ladder = ladder!(float, D, 4, [4, 3, 2, 1]);
    const MANY: Many = Many::Tiles(ladder!(float, D, 2, [12, 8, 6, 4, 3, 2, 1]));
}

const F32: u32 = DType::F32 as u32;
const F16: u32 = DType::F16 as u32;
const BF16: u32 = DType::Bf16 as u32;

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")]
unsafe fn quant8<F: Form, const TILES: usize, const ROWS: usize>(t: &Tile) {
    // SAFETY: the caller's promise.
    unsafe { quant::<F, Q8Block, ROWS>(t) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")]
unsafe fn quant16<F: Form, const TILES: usize, const ROWS: usize>(t: &Tile) {
    // SAFETY: the caller's promise.
    unsafe { quant::<F, Q16Block, ROWS>(t) }
}

/// # Safety
/// As [`super::cpu_tile::TileFn`], for rows of blocks `X`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")]
unsafe fn quant<F: Form, X: Block32, const ROWS: usize>(t: &Tile) {
    let mut acc = [_mm512_setzero_ps(); ROWS];
    for b in 0..t.k / 32 {
        // SAFETY: block b of k/32 lies inside the tile and inside each row, by the caller's promise.
        unsafe {
            let mut block = unpack::<F>(t, b);
            if matches!(F::SCALES, Scales::Nibbles) {
                // `multiply` has the halves' sums times -128.
                let part = _mm512_set1_ps(-1.0 / 128.0);
                block.m = [_mm512_mul_ps(block.m[0], part), _mm512_mul_ps(block.m[1], part)];
            }
            let x = t.x.add(b * X::BYTES);
            unroll!(ROWS, r, acc[r] = multiply::<F, X>(acc[r], &block, x.add(r * t.x_stride)));
        }
    }
    for (r, a) in acc.into_iter().enumerate() {
        // SAFETY: the caller's `out` holds ROWS rows of 16.
        unsafe { _mm512_store_ps(t.out.add(r * 16), a) };
    }
}

/// Adds the product of a weight block and one row's block at `x` to the row's 16 sums.
///
/// # Safety
/// `x` points to a block `X`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")]
unsafe fn multiply<F: Form, X: Block32>(acc: __m512, w: &Block, x: *const u8) -> __m512 {
    // SAFETY: all reads are inside the block; its fields are dwords at multiples of 4.
    unsafe {
        let int = |at: usize| _mm512_set1_epi32(x.add(at).cast::<i32>().read_unaligned());
        let float = |at: usize| _mm512_set1_ps(x.add(at).cast::<f32>().read_unaligned());
        let begins = [int(X::BEGINS), int(X::BEGINS + 4)];
        let [mut lo, mut hi] = begins;
        let low = match X::LOW {
            None => 0,
            Some(low) => {
                // The high bytes' sums count 256-fold.
                let mut top = [_mm512_setzero_si512(); 2];
                for c in 0..4 {
                    top[0] = _mm512_dpbusd_epi32(top[0], w.q[c], int(4 * c));
                    top[1] = _mm512_dpbusd_epi32(top[1], w.q[c + 4], int(16 + 4 * c));
                }
                lo = _mm512_add_epi32(lo, _mm512_slli_epi32::<8>(top[0]));
                hi = _mm512_add_epi32(hi, _mm512_slli_epi32::<8>(top[1]));
                low
            }
        };
        for c in 0..4 {
            lo = _mm512_dpbusd_epi32(lo, w.q[c], int(low + 4 * c));
            hi = _mm512_dpbusd_epi32(hi, w.q[c + 4], int(low + 16 + 4 * c));
        }
        let (lo, hi) = (float_of::<X>(lo), float_of::<X>(hi));
        let (lo_scale, hi_scale) = (float(X::SCALES), float(X::SCALES + 4));
        if matches!(F::SCALES, Scales::Nibbles) {
            let lo_offset = _mm512_mul_ps(float_of::<X>(begins[0]), w.m[0]);
            let hi_offset = _mm512_mul_ps(float_of::<X>(begins[1]), w.m[1]);
            let acc = _mm512_fmadd_ps(_mm512_fmadd_ps(lo, w.d[0], lo_offset), lo_scale, acc);
            return _mm512_fmadd_ps(_mm512_fmadd_ps(hi, w.d[1], hi_offset), hi_scale, acc);
        }
        if F::SCALES.halves() {
            let acc = _mm512_fmadd_ps(_mm512_mul_ps(lo, lo_scale), w.d[0], acc);
            return _mm512_fmadd_ps(_mm512_mul_ps(hi, hi_scale), w.d[1], acc);
        }
        let both = _mm512_fmadd_ps(hi, hi_scale, _mm512_mul_ps(lo, lo_scale));
        let acc = _mm512_fmadd_ps(both, w.d[0], acc);
        if !F::SCALES.minimums() {
            return acc;
        }
        _mm512_fmadd_ps(w.m[0], float(X::SUM), acc)
    }
}

/// Quantized weights with f32 activations: quants become small whole floats, scaled once per block.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")]
unsafe fn wide<F: Form, const TILES: usize, const ROWS: usize>(t: &Tile) {
    // A byte in the low bits of 2^23 is 2^23 + byte.
    const MAGIC: f32 = 8_388_608.0;
    let (byte, magic) = (_mm512_set1_epi32(0xFF), _mm512_set1_epi32(MAGIC.to_bits() as i32));
    let mut acc = [_mm512_setzero_ps(); ROWS];
    for b in 0..t.k / 32 {
        // SAFETY: block b of k/32 lies inside the tile and inside each row, by the caller's promise.
        unsafe {
            let block = unpack::<F>(t, b);
            unroll!(2, half, {
                // Two chains of sums (even and odd columns), or the additions' latency shows.
                let mut sum = [[_mm512_setzero_ps(); 2]; ROWS];
                let scale = block.d[half];
                unroll!(16, c, {
                    let v =
                        _mm512_srlv_epi32(block.q[4 * half + c / 4], _mm512_set1_epi32(8 * (c as i32 % 4)));
                    // magic | (v & byte)
                    let v = _mm512_castsi512_ps(_mm512_ternarylogic_epi32::<0xF8>(magic, v, byte));
                    let mut v = _mm512_sub_ps(v, _mm512_set1_ps(MAGIC + 128.0));
                    if F::SCALES.minimums() {
                        v = _mm512_fmadd_ps(v, scale, block.m[half]);
                    }
                    for r in 0..ROWS {
                        let x = t.x.add(r * t.x_stride + (b * 32 + half * 16 + c) * 4).cast::<f32>();
                        sum[r][c % 2] = _mm512_fmadd_ps(v, _mm512_set1_ps(*x), sum[r][c % 2]);
                    }
                });
                for r in 0..ROWS {
                    let sum = _mm512_add_ps(sum[r][0], sum[r][1]);
                    acc[r] = if F::SCALES.minimums() {
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

/// 16 f16 as f32.
#[inline(always)]
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
pub(super) unsafe fn pair<const D: u32>(w: *const u8, p: usize) -> [__m512; 2] {
    // SAFETY: the caller has both columns at `w`.
    unsafe {
        match D {
            F32 => {
                let w = w.add(p * 128);
                fetch(w, 2);
                [_mm512_loadu_ps(w.cast()), _mm512_loadu_ps(w.add(64).cast())]
            }
            F16 => {
                let w = w.add(p * 64);
                fetch(w, 1);
                [halves(w), halves(w.add(32))]
            }
            BF16 => {
                let w = w.add(p * 64);
                fetch(w, 1);
                let v = load(w);
                let high = _mm512_set1_epi32(0xFFFF_0000u32 as i32);
                [
                    _mm512_castsi512_ps(_mm512_slli_epi32::<16>(v)),
                    _mm512_castsi512_ps(_mm512_and_si512(v, high)),
                ]
            }
            _ => {
                let block = w.add(p / 16 * rows16::MXFP8_BLOCK);
                let w = block.add(p % 16 * 32);
                fetch(w, 1);
                let e = _mm512_cvtepu8_epi32(_mm_loadu_si128(block.add(512).cast()));
                // As f16 the elements are 2^8 times too small.
                let e = _mm512_slli_epi32::<23>(_mm512_add_epi32(e, _mm512_set1_epi32(8)));
                let scale = _mm512_castsi512_ps(e);
                [e4m3(w), e4m3(w.add(16))].map(|v| _mm512_mul_ps(v, scale))
            }
        }
    }
}

/// 16 E4M3 numbers times 2^-8, since an f16 has one more bit of exponent, biased by 8 more.
#[inline]
#[target_feature(enable = "avx512f,avx2,f16c")]
unsafe fn e4m3(p: *const u8) -> __m512 {
    // SAFETY: the caller has 16 bytes at `p`.
    let v = unsafe { _mm256_cvtepi8_epi16(_mm_loadu_si128(p.cast())) };
    let number = _mm256_and_si256(_mm256_slli_epi16::<7>(v), _mm256_set1_epi16(0x3f80));
    let sign = _mm256_and_si256(v, _mm256_set1_epi16(i16::MIN));
    _mm512_cvtph_ps(_mm256_or_si256(number, sign))
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
