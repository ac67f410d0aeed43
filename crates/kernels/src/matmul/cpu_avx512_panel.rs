//! Products of many rows with AVX-512 and VNNI. A slab of columns of two tiles is unpacked once into a *panel*, which
//! stays in the first-level cache while all rows of a pass go by: unsigned codes, scales and offsets, ready to use.
//!
//! Per sub-block of 32 columns, row and tile there are eight `vpdpbusd`, whose number nothing can lower, and five or six
//! operations on the scales. Four rows by two tiles leave room for both halves' integer sums in registers, and one load
//! of four activations serves both tiles, so that the load ports are not the limit.

use super::cpu_avx512_unpack::{float_of, load, unpack};
use super::cpu_tile::{Form, Panel, PanelStep, Panels, Tile, panels};
use crate::act::Q8Block;
use std::arch::x86_64::*;
use std::mem::offset_of;

/// Bytes of a sub-block's codes in a panel.
const CODES: usize = 512;

/// Bytes of one tile's sub-block in a panel: codes, scales, offsets.
const fn stride(halves: bool, offsets: u32) -> usize {
    CODES + 64 * (1 + halves as usize + offsets as usize)
}

/// The kernels of a form.
pub(super) const fn kernels<F: Form>() -> Panels {
    match (F::SCALES.halves(), F::OFFSETS) {
        (false, 0) => panels!(fill, F, multiply, false, 0),
        (false, _) => panels!(fill, F, multiply, false, 1),
        (true, 0) => panels!(fill, F, multiply, true, 0),
        (true, _) => panels!(fill, F, multiply, true, 2),
    }
}

/// Unpacks sub-blocks `from..from + count` of `tiles` tiles.
///
/// # Safety
/// The tiles have these sub-blocks; `panel` is aligned to 64 bytes and has room; the machine has the level.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")]
unsafe fn fill<F: Form>(t: &Tile, tiles: usize, from: usize, count: usize, panel: *mut u8) {
    let (halves, offsets) = (F::SCALES.halves(), F::OFFSETS);
    let size = stride(halves, offsets);
    for i in 0..tiles {
        // SAFETY: the caller's promise.
        unsafe {
            let tile = Tile { w: t.w.add(i * t.w_stride), ..*t };
            for b in 0..count {
                let to = panel.add((b * tiles + i) * size);
                let mut block = unpack::<F>(&tile, from + b);
                for (c, q) in block.q.into_iter().enumerate() {
                    _mm512_store_si512(to.add(64 * c).cast(), q);
                }
                let mut at = CODES;
                for d in &block.d[..1 + usize::from(halves)] {
                    _mm512_store_ps(to.add(at).cast(), *d);
                    at += 64;
                }
                if offsets == 2 {
                    // They meet the halves' biases, which are sums times -128.
                    block.m = block.m.map(|m| _mm512_mul_ps(m, _mm512_set1_ps(-1.0 / 128.0)));
                }
                for m in &block.m[..offsets as usize] {
                    _mm512_store_ps(to.add(at).cast(), *m);
                    at += 64;
                }
            }
        }
    }
}

/// Adds a panel's products with `ROWS` rows to their sums.
///
/// # Safety
/// The panel's pointers are valid for that many rows and tiles, its memory is aligned to 64 bytes, and the machine has
/// the level.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")]
unsafe fn multiply<const TILES: usize, const ROWS: usize, const HALVES: bool, const OFFSETS: u32>(p: &Panel) {
    let size = stride(HALVES, OFFSETS);
    // SAFETY: all offsets lie in the panel, in the rows' blocks (dwords at multiples of 4) or in the sums, by the
    // caller's promise.
    unsafe {
        let mut acc = [[_mm512_setzero_ps(); TILES]; ROWS];
        if !p.first {
            for r in 0..ROWS {
                for i in 0..TILES {
                    acc[r][i] = _mm512_load_ps(p.sums.add((r * TILES + i) * 16));
                }
            }
        }
        for b in 0..p.blocks {
            let w = p.w.add(b * TILES * size);
            let x = p.x.add(b * size_of::<Q8Block>());
            let int = |r: usize, at: usize| {
                _mm512_set1_epi32(x.add(r * p.x_stride + at).cast::<i32>().read_unaligned())
            };
            let float = |r: usize, at: usize| {
                _mm512_set1_ps(x.add(r * p.x_stride + at).cast::<f32>().read_unaligned())
            };
            let (begins, scales) = (offset_of!(Q8Block, begins), offset_of!(Q8Block, scales));
            let mut dot = [[[_mm512_setzero_si512(); TILES]; ROWS]; 2];
            for h in 0..2 {
                for r in 0..ROWS {
                    dot[h][r] = [int(r, begins + 4 * h); TILES];
                }
            }
            for c in 0..4 {
                for h in 0..2 {
                    let mut q = [_mm512_setzero_si512(); TILES];
                    for i in 0..TILES {
                        q[i] = load(w.add(i * size + (4 * h + c) * 64));
                    }
                    for r in 0..ROWS {
                        let x = int(r, 16 * h + 4 * c);
                        for i in 0..TILES {
                            dot[h][r][i] = _mm512_dpbusd_epi32(dot[h][r][i], q[i], x);
                        }
                    }
                }
            }
            for r in 0..ROWS {
                for i in 0..TILES {
                    let vector = |n: usize| _mm512_load_ps(w.add(i * size + CODES + 64 * n).cast());
                    let product = |h: usize| float_of::<Q8Block>(dot[h][r][i]);
                    let scale = |h: usize| float(r, scales + 4 * h);
                    let mut a = acc[r][i];
                    if OFFSETS == 2 {
                        for h in 0..2 {
                            let offset =
                                _mm512_mul_ps(float_of::<Q8Block>(int(r, begins + 4 * h)), vector(2 + h));
                            a = _mm512_fmadd_ps(_mm512_fmadd_ps(product(h), vector(h), offset), scale(h), a);
                        }
                    } else if HALVES {
                        a = _mm512_fmadd_ps(_mm512_mul_ps(product(0), scale(0)), vector(0), a);
                        a = _mm512_fmadd_ps(_mm512_mul_ps(product(1), scale(1)), vector(1), a);
                    } else {
                        let both = _mm512_fmadd_ps(product(1), scale(1), _mm512_mul_ps(product(0), scale(0)));
                        a = _mm512_fmadd_ps(both, vector(0), a);
                    }
                    if OFFSETS == 1 {
                        a = _mm512_fmadd_ps(vector(1), float(r, offset_of!(Q8Block, sum)), a);
                    }
                    acc[r][i] = a;
                }
            }
        }
        for r in 0..ROWS {
            for i in 0..TILES {
                _mm512_store_ps(p.sums.add((r * TILES + i) * 16), acc[r][i]);
            }
        }
    }
}
