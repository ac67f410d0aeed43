//! Kernels of quantized weights for AVX-VNNI in 256-bit registers: `vpdpbusd` adds up products of unsigned and signed bytes. What is
//! unpacked and how few rows are multiplied is `cpu_bytes256`'s. In tables of more than 8 rows codes of up to five bits with one scale a block
//! are `cpu_quads256`'s.
//!
//! `vpdpbusd` and the multiplications of floats share two units. On panels a sub-block of 8 weight rows takes eight of the former and three of
//! the latter in each row of activations. Loads, two a cycle, take nearly as long. So three rows meet both halves of a tile, and both halves
//! of the columns at once: these are 12 integer sums in registers, and no scaled sum of one half of the columns waits in memory for the other's.
//! With eight sums (four rows, one half of the columns, then the other) the units also waited for the products' latency, five cycles.
//!
//! Only float sums are in memory. Integer ones begin with the bits of a float ([`Q8Block::begins`]), so that a subtraction, which has a
//! unit of its own, makes them floats.

use super::cpu_bytes256::{
    Scaling, VNNI, align_stack, begin, code_bytes, fill_vnni, float, int, pin, q8_vnni, q16_vnni, unroll,
};
use super::cpu_tile::{
    Block32, Form, Ladder, Many, PANEL_SUB, Panel, PanelStep, Panels, SLAB, Version, ladder,
};
use crate::act::Q8Block;
use crate::glu::cpu::gates_avx2;
use std::arch::asm;
use std::arch::x86_64::*;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Kernels of a quantized form.
pub(super) struct Vnni<F>(PhantomData<F>);
/// Kernels of a quantized form with 16-bit activations.
pub(super) struct VnniQ16<F>(PhantomData<F>);

impl<F: Form> Version for Vnni<F> {
    const FEW: Ladder = ladder!(q8_vnni, F, 1, [1]);
    const MANY: Many = Many::Panels(panels::<F>());
}

impl<F: Form> Version for VnniQ16<F> {
    const FEW: Ladder = ladder!(q16_vnni, F, 1, [4, 2, 1]);
    const MANY: Many = Many::Tiles(ladder!(q16_vnni, F, 1, [4, 2, 1]));
}

const fn panels<F: Form>() -> Panels {
    macro_rules! panels {
        ($halves:literal, $offsets:literal, $($rows:literal)*) => {
            Panels {
                fill: fill_vnni::<F>,
                slab: SLAB,
                x_block: size_of::<Q8Block>(),
                spills: true,
                gates: gates_avx2,
                steps: &[$(PanelStep {
                    rows: $rows,
                    one: multiply::<1, $rows, $halves, $offsets>,
                    wide: multiply::<2, $rows, $halves, $offsets>,
                }),*],
            }
        };
    }
    match (F::SCALES.halves(), F::OFFSETS) {
        (false, 0) => panels!(false, 0, 3 2 1),
        (false, _) => panels!(false, 1, 3 2 1),
        (true, 0) => panels!(true, 0, 3 2 1),
        (true, _) => panels!(true, 2, 3 2 1),
    }
}

/// [`pin`] of floats.
#[inline]
#[target_feature(enable = "avx2")]
fn pinned(v: __m256) -> __m256 {
    let mut v = _mm256_castps_si256(v);
    // SAFETY: it does nothing, and this function has the level.
    unsafe { pin(&mut v) };
    _mm256_castsi256_ps(v)
}

/// Adds a panel's products with `ROWS` rows to their sums, a tile after the other.
///
/// # Safety
/// The panel's pointers are valid for that many rows and tiles, its memory and its sums are aligned to 32 bytes, and the machine has the
/// level.
#[target_feature(enable = "avx2,fma,f16c,avxvnni")]
unsafe fn multiply<const TILES: usize, const ROWS: usize, const HALVES: bool, const OFFSETS: u32>(p: &Panel) {
    const { assert!(2 * Scaling { halves: HALVES, offsets: OFFSETS }.stride(VNNI) <= PANEL_SUB) };
    let s = Scaling { halves: HALVES, offsets: OFFSETS };
    let stride = s.stride(VNNI);
    // SAFETY: all offsets lie in the panel, in the rows' blocks or in the sums, by the caller's promise; what is loaded and stored aligned is
    // at multiples of 32 bytes of the panel and of the sums, and rows' blocks are read as dwords.
    unsafe {
        align_stack!();
        for i in 0..TILES {
            let sums = p.sums.add(16 * i);
            if p.first {
                for r in 0..ROWS {
                    for v in 0..2 {
                        _mm256_store_ps(sums.add(r * TILES * 16 + v * 8), _mm256_setzero_ps());
                    }
                }
            }
            for b in 0..p.blocks {
                let w = p.w.add((b * TILES + i) * 2 * stride);
                let x = p.x.add(b * size_of::<Q8Block>());
                // Of both halves of the columns, rows, and both halves of the tile.
                let mut dot = [[[_mm256_setzero_si256(); 2]; ROWS]; 2];
                for h in 0..2 {
                    for r in 0..ROWS {
                        dot[h][r] = [begin::<Q8Block>(s.biased(VNNI), x.add(r * p.x_stride), h); 2];
                    }
                }
                unroll!(4, c, {
                    unroll!(2, h, {
                        let at = w.add((4 * h + c) * 32);
                        let q = [at, at.add(stride)].map(|at| _mm256_load_si256(at.cast()));
                        for r in 0..ROWS {
                            let x = int(x, r * p.x_stride + 16 * h + 4 * c);
                            for v in 0..2 {
                                dot[h][r][v] = _mm256_dpbusd_avx_epi32(dot[h][r][v], q[v], x);
                            }
                        }
                        for r in 0..ROWS {
                            for v in 0..2 {
                                pin(&mut dot[h][r][v]);
                            }
                        }
                    });
                });
                // From here on a register is free for it. (A compiler left to itself loads it for each sum.)
                let less = pinned(_mm256_set1_ps(Q8Block::BEGIN));
                let value = |v: __m256i| _mm256_sub_ps(_mm256_castsi256_ps(v), less);
                let vector =
                    |v: usize, n: usize| _mm256_load_ps(w.add(v * stride + code_bytes(VNNI) + 32 * n).cast());
                // Formats whose halves have scales of their own have more than there are registers for.
                let d = match HALVES {
                    true => [less; 2],
                    false => [pinned(vector(0, 0)), pinned(vector(1, 0))],
                };
                for r in 0..ROWS {
                    let x = x.add(r * p.x_stride);
                    let acc = [0, 8].map(|v| sums.add(r * TILES * 16 + v));
                    if HALVES {
                        let mut a = acc.map(|acc| _mm256_load_ps(acc));
                        for h in 0..2 {
                            let scale = float(x, Q8Block::SCALES + 4 * h);
                            let bias = int(x, Q8Block::BEGINS + 4 * h);
                            for v in 0..2 {
                                let product = value(dot[h][r][v]);
                                a[v] = if OFFSETS == 2 {
                                    let offset = _mm256_mul_ps(value(bias), vector(v, 2 + h));
                                    let product = _mm256_fmadd_ps(product, vector(v, h), offset);
                                    _mm256_fmadd_ps(product, scale, a[v])
                                } else {
                                    _mm256_fmadd_ps(_mm256_mul_ps(product, scale), vector(v, h), a[v])
                                };
                            }
                        }
                        for v in 0..2 {
                            _mm256_store_ps(acc[v], a[v]);
                        }
                    } else {
                        let scale = float(x, Q8Block::SCALES);
                        let mut a = [0, 1].map(|v| _mm256_mul_ps(value(dot[0][r][v]), scale));
                        let scale = float(x, Q8Block::SCALES + 4);
                        for v in 0..2 {
                            a[v] = _mm256_fmadd_ps(value(dot[1][r][v]), scale, a[v]);
                            a[v] = _mm256_fmadd_ps(a[v], d[v], _mm256_load_ps(acc[v]));
                        }
                        let total = float(x, Q8Block::SUM);
                        for v in 0..2 {
                            if OFFSETS == 1 {
                                a[v] = _mm256_fmadd_ps(total, vector(v, 1), a[v]);
                            }
                            _mm256_store_ps(acc[v], a[v]);
                        }
                    }
                }
            }
        }
    }
}
