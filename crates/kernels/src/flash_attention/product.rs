//! The small matrix product of attention with many queries: queries by transposed keys, then weights by values.

use crate::simd::Lanes;

/// c `[rows][16 vectors]` = a `[rows][inner]` x b `[inner][16 vectors]`, plus what c holds if `KEEP` is 1.
/// `R` or `H` rows and `V` vectors at a time; the arithmetic of an element does not depend on that split.
///
/// # Safety
/// The arrays have these shapes; lanes have the caller's level.
#[inline(always)]
pub(super) unsafe fn product<S: Lanes, const R: usize, const H: usize, const V: usize, const KEEP: u32>(
    rows: usize,
    a: *const f32,
    a_stride: usize,
    b: *const f32,
    b_stride: usize,
    inner: usize,
    c: *mut f32,
    c_stride: usize,
    vectors: usize,
) {
    let mut v = 0;
    while v < vectors {
        let wide = vectors - v >= V;
        let mut r = 0;
        while r < rows {
            let left = rows - r;
            let step = if left >= R { R } else { left.min(H) };
            // SAFETY: the caller's arrays have these shapes; lanes have the caller's level.
            unsafe {
                let (a, b, c) = (a.add(r * a_stride), b.add(v * 16), c.add(r * c_stride + v * 16));
                match (step, wide) {
                    (n, true) if n == R => {
                        micro::<S, R, V, KEEP>(a, a_stride, b, b_stride, inner, c, c_stride)
                    }
                    (n, false) if n == R => {
                        micro::<S, R, 1, KEEP>(a, a_stride, b, b_stride, inner, c, c_stride)
                    }
                    (n, true) if n == H => {
                        micro::<S, H, V, KEEP>(a, a_stride, b, b_stride, inner, c, c_stride)
                    }
                    (n, false) if n == H => {
                        micro::<S, H, 1, KEEP>(a, a_stride, b, b_stride, inner, c, c_stride)
                    }
                    (_, true) => micro::<S, 1, V, KEEP>(a, a_stride, b, b_stride, inner, c, c_stride),
                    (_, false) => micro::<S, 1, 1, KEEP>(a, a_stride, b, b_stride, inner, c, c_stride),
                }
            }
            r += step;
        }
        v += if wide { V } else { 1 };
    }
}

/// One step of [`product`], in registers.
///
/// # Safety
/// The arrays hold R rows and V vectors; lanes have the caller's level.
#[inline(always)]
unsafe fn micro<S: Lanes, const R: usize, const V: usize, const KEEP: u32>(
    a: *const f32,
    a_stride: usize,
    b: *const f32,
    b_stride: usize,
    inner: usize,
    c: *mut f32,
    c_stride: usize,
) {
    // SAFETY: the caller's arrays hold R rows and V vectors; lanes have the caller's level.
    unsafe {
        let mut acc = [[S::splat(0.0); V]; R];
        if KEEP == 1 {
            for r in 0..R {
                for v in 0..V {
                    acc[r][v] = S::load(c.add(r * c_stride + v * 16));
                }
            }
        }
        for i in 0..inner {
            let mut w = [S::splat(0.0); V];
            for v in 0..V {
                w[v] = S::load(b.add(i * b_stride + v * 16));
            }
            for r in 0..R {
                let x = S::splat(*a.add(r * a_stride + i));
                for v in 0..V {
                    acc[r][v] = x.fma(w[v], acc[r][v]);
                }
            }
        }
        for r in 0..R {
            for v in 0..V {
                acc[r][v].store(c.add(r * c_stride + v * 16));
            }
        }
    }
}
