//! Tile kernels for aarch64 with products of matrices of bytes: `smmla` multiplies two weight rows with two activation
//! rows over 8 columns, twice the products of an `sdot`. Single rows, and all but quantized weights, are as in
//! [`cpu_neon`](super::cpu_neon).
//!
//! Integer products are exact and what follows them is shared with `cpu_neon`, so a row's result has the same bits
//! whether it is one of a pair or not.

use super::cpu_neon::{Block, Block32, put, quant, scaled, unpack, with_low};
pub(super) use super::cpu_neon::{Float, Wide};
use super::cpu_tile::{Form, Ladder, Many, Tile, Version, ladder};
use crate::act::{Q8Block, Q16Block};
use std::arch::aarch64::*;
use std::arch::asm;
use std::marker::PhantomData;

/// Kernels of a quantized form.
pub(super) struct Quant<F>(PhantomData<F>);
/// Kernels of a quantized form with 16-bit activations.
pub(super) struct Quant16<F>(PhantomData<F>);

impl<F: Form> Version for Quant<F> {
    const FEW: Ladder = ladder!(quant8, F, 1, [4, 2, 1]);
    const MANY: Many = Many::Tiles(ladder!(quant8, F, 1, [4, 2, 1]));
}

impl<F: Form> Version for Quant16<F> {
    const FEW: Ladder = ladder!(quant16, F, 1, [4, 2, 1]);
    const MANY: Many = Many::Tiles(ladder!(quant16, F, 1, [4, 2, 1]));
}

#[target_feature(enable = "neon,dotprod,i8mm")]
unsafe fn quant8<F: Form, const TILES: usize, const ROWS: usize>(t: &Tile) {
    // SAFETY: the caller's promise.
    unsafe { if ROWS == 1 { quant::<F, Q8Block, ROWS>(t) } else { pairs::<F, Q8Block, ROWS>(t) } }
}

#[target_feature(enable = "neon,dotprod,i8mm")]
unsafe fn quant16<F: Form, const TILES: usize, const ROWS: usize>(t: &Tile) {
    // SAFETY: the caller's promise.
    unsafe { if ROWS == 1 { quant::<F, Q16Block, ROWS>(t) } else { pairs::<F, Q16Block, ROWS>(t) } }
}

/// # Safety
/// As [`super::cpu_tile::TileFn`], for an even number of rows of blocks `X`.
#[inline]
#[target_feature(enable = "neon,dotprod,i8mm")]
unsafe fn pairs<F: Form, X: Block32, const ROWS: usize>(t: &Tile) {
    let mut acc = [[vdupq_n_f32(0.0); 4]; ROWS];
    for b in 0..t.k / 32 {
        for g in 0..4 {
            // SAFETY: block b of k/32 lies inside the tile and inside each row, by the caller's promise.
            unsafe {
                let block = unpack::<F>(t, b, g);
                let w = row_pairs(&block);
                for r in (0..ROWS).step_by(2) {
                    let x = [r, r + 1].map(|r| &*t.x.add(r * t.x_stride).cast::<X>().add(b));
                    let [mut first, mut second] = dots(&w, x[0].quants(), x[1].quants());
                    if let (Some(a), Some(b)) = (x[0].low(), x[1].low()) {
                        let low = dots(&w, a, b);
                        (first, second) = (with_low(first, low[0]), with_low(second, low[1]));
                    }
                    acc[r][g] = scaled::<F, X>(acc[r][g], first, &block, x[0]);
                    acc[r + 1][g] = scaled::<F, X>(acc[r + 1][g], second, &block, x[1]);
                }
            }
        }
    }
    // SAFETY: the caller's `out` holds ROWS rows of 16.
    unsafe { put(t, &acc) };
}

/// `[4 eights of columns][2 pairs of rows]`: 8 columns of two rows a register, the first row's first.
#[inline]
#[target_feature(enable = "neon")]
fn row_pairs(w: &Block) -> [[int8x16_t; 2]; 4] {
    let mut out = [[w.q[0]; 2]; 4];
    for (p, out) in out.iter_mut().enumerate() {
        let (a, b) = (vreinterpretq_s32_s8(w.q[2 * p]), vreinterpretq_s32_s8(w.q[2 * p + 1]));
        *out = [vreinterpretq_s8_s32(vzip1q_s32(a, b)), vreinterpretq_s8_s32(vzip2q_s32(a, b))];
    }
    out
}

/// For each of two rows of quants, their products with 4 weight rows: those of the first and of the last 16 columns.
#[inline]
#[target_feature(enable = "neon,i8mm")]
fn dots(w: &[[int8x16_t; 2]; 4], a: &[i8; 32], b: &[i8; 32]) -> [[int32x4_t; 2]; 2] {
    let mut out = [[vdupq_n_s32(0); 2]; 2];
    for h in 0..2 {
        // SAFETY: half a block of quants each.
        let (a, b) = unsafe { (vld1q_s8(a[16 * h..].as_ptr()), vld1q_s8(b[16 * h..].as_ptr())) };
        let (a, b) = (vreinterpretq_s64_s8(a), vreinterpretq_s64_s8(b));
        let x = [vreinterpretq_s8_s64(vzip1q_s64(a, b)), vreinterpretq_s8_s64(vzip2q_s64(a, b))];
        let mut sums = [vdupq_n_s32(0); 2];
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum = smmla(smmla(*sum, w[2 * h][i], x[0]), w[2 * h + 1][i], x[1]);
        }
        (out[0][h], out[1][h]) = (vuzp1q_s32(sums[0], sums[1]), vuzp2q_s32(sums[0], sums[1]));
    }
    out
}

/// Adds to the 2 x 2 matrix `acc` the product of two rows of 8 bytes and, transposed, two others. (Assembly, as the dot
/// product of `cpu_neon` and for the same reason.)
#[inline]
#[target_feature(enable = "neon,i8mm")]
fn smmla(mut acc: int32x4_t, w: int8x16_t, x: int8x16_t) -> int32x4_t {
    // SAFETY: works on registers alone.
    unsafe {
        asm!(
            "smmla {acc:v}.4s, {w:v}.16b, {x:v}.16b",
            acc = inout(vreg) acc, w = in(vreg) w, x = in(vreg) x,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    acc
}
