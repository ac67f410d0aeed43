//! Attention's products in vector registers: of many queries with keys and values that were written down, of few with both as they come from the
//! cache. Every sum has the same order either way.

use super::product::product;
use super::products::{BLOCK, Products};
use crate::simd::Lanes;
use std::ops::Range;

/// Products in vector registers. `R` rows by `V` vectors are the registers of one, or `H` rows, where no more are left.
pub(super) struct InLanes<const R: usize, const H: usize, const V: usize>;

impl<S: Lanes, const R: usize, const H: usize, const V: usize> Products<S> for InLanes<R, H, V> {
    const FEW: usize = FEW;
    // A product takes H rows as fast as two.
    const QUERIES: usize = H;

    #[inline(always)]
    unsafe fn begin() -> Self {
        Self
    }

    #[inline(always)]
    unsafe fn keys(&mut self, hd: usize, seen: Range<usize>, k: *mut f32, read: &impl Fn(usize) -> S) {
        // SAFETY: the caller's promise.
        unsafe { transposed(hd, seen, k, read) }
    }

    #[inline(always)]
    unsafe fn values(&mut self, hd: usize, seen: Range<usize>, v: *mut f32, read: &impl Fn(usize) -> S) {
        // SAFETY: the caller's promise.
        unsafe { widened(hd, seen, v, read) }
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
        // SAFETY: the caller's promise.
        unsafe { product::<S, R, H, V, 0>(count, q, hd, k, BLOCK, hd, p, BLOCK, n.div_ceil(16)) }
    }

    #[inline(always)]
    unsafe fn gather(&mut self, hd: usize, count: usize, n: usize, p: *mut f32, v: *const f32, o: *mut f32) {
        // SAFETY: the caller's promise.
        unsafe { product::<S, R, H, V, 1>(count, p, BLOCK, v, hd, n, o, hd, hd / 16) }
    }

    #[inline(always)]
    unsafe fn gather_few(
        &mut self,
        hd: usize,
        seen: Range<usize>,
        count: usize,
        p: *const f32,
        o: *mut f32,
        read: &impl Fn(usize) -> S,
    ) {
        // SAFETY: the caller's promise.
        unsafe { gather::<S, H, V>(hd, seen, count, p, o, read) }
    }
}

/// Queries of a tile that use keys and values as they come from the cache, where products are in registers.
pub(super) const FEW: usize = 8;

/// Puts a block's values to `to`. Positions that no query sees are zero: what the cache holds there may be anything, and a
/// weight of 0 does not undo a NaN.
///
/// # Safety
/// `read` gives the block's elements, `to` holds BLOCK positions; lanes have the caller's level.
#[inline(always)]
unsafe fn widened<S: Lanes>(hd: usize, seen: Range<usize>, to: *mut f32, read: &impl Fn(usize) -> S) {
    for e in (0..seen.end * hd).step_by(16) {
        // SAFETY: the caller's promise.
        unsafe { (if e < seen.start * hd { S::splat(0.0) } else { read(e) }).store(to.add(e)) };
    }
}

/// Puts a block's keys to `to`, transposed; zeros as for values.
///
/// # Safety
/// As [`widened`].
#[inline(always)]
unsafe fn transposed<S: Lanes>(hd: usize, seen: Range<usize>, to: *mut f32, read: &impl Fn(usize) -> S) {
    for j in (0..seen.end).step_by(16) {
        for d in (0..hd).step_by(16) {
            // SAFETY: the caller's promise.
            unsafe {
                let mut m = [S::splat(0.0); 16];
                for i in seen.start.max(j)..seen.end.min(j + 16) {
                    m[i - j] = read(i * hd + d);
                }
                S::transpose(&mut m);
                for (i, m) in m.into_iter().enumerate() {
                    m.store(to.add((d + i) * BLOCK + j));
                }
            }
        }
    }
}

/// Scores `[N][BLOCK]` of the positions that any query sees, from keys transposed in registers: each sum in the order of
/// columns, as [`product`] has it.
///
/// # Safety
/// `read` gives the block's keys; q is `[N][hd]` and p `[N][BLOCK]`; lanes have the caller's level.
#[inline(always)]
pub(super) unsafe fn scores<S: Lanes, const N: usize>(
    hd: usize,
    seen: Range<usize>,
    q: *const f32,
    p: *mut f32,
    read: &impl Fn(usize) -> S,
) {
    for j in (0..seen.end).step_by(16) {
        // SAFETY: the caller's promise.
        unsafe {
            let mut sum = [S::splat(0.0); N];
            for d in (0..hd).step_by(16) {
                let mut m = [S::splat(0.0); 16];
                for i in seen.start.max(j)..seen.end.min(j + 16) {
                    m[i - j] = read(i * hd + d);
                }
                S::transpose(&mut m);
                for (i, m) in m.into_iter().enumerate() {
                    for n in 0..N {
                        sum[n] = S::splat(*q.add(n * hd + d + i)).fma(m, sum[n]);
                    }
                }
            }
            for n in 0..N {
                sum[n].store(p.add(n * BLOCK + j));
            }
        }
    }
}

/// Adds a block's values, weighted, to `[queries][hd]` sums, `H`, 2 or 1 queries at a time.
///
/// # Safety
/// `read` gives the block's values; p is `[count][BLOCK]` and o `[count][hd]`; lanes have the caller's level.
#[inline(always)]
unsafe fn gather<S: Lanes, const H: usize, const V: usize>(
    hd: usize,
    seen: Range<usize>,
    count: usize,
    p: *const f32,
    o: *mut f32,
    read: &impl Fn(usize) -> S,
) {
    let mut i = 0;
    while i < count {
        // SAFETY: the caller's promise.
        unsafe {
            let (p, o) = (p.add(i * BLOCK), o.add(i * hd));
            i += match count - i {
                n if n >= H => some_gather::<S, H, V>(hd, seen.clone(), p, o, read),
                2.. => some_gather::<S, 2, V>(hd, seen.clone(), p, o, read),
                _ => some_gather::<S, 1, V>(hd, seen.clone(), p, o, read),
            };
        }
    }
}

/// [`gather`] for `N` queries, two times `V` vectors of columns at a time; gives `N`.
///
/// # Safety
/// As [`gather`].
#[inline(always)]
unsafe fn some_gather<S: Lanes, const N: usize, const V: usize>(
    hd: usize,
    seen: Range<usize>,
    p: *const f32,
    o: *mut f32,
    read: &impl Fn(usize) -> S,
) -> usize {
    let mut d = 0;
    while d < hd {
        // SAFETY: the caller's promise; as many vectors of the head are left.
        d += unsafe {
            match (hd - d) / 16 {
                n if n >= 2 * V => columns::<S, N, V, 2>(hd, d, seen.clone(), p, o, read),
                n if n >= V => columns::<S, N, V, 1>(hd, d, seen.clone(), p, o, read),
                _ => columns::<S, N, 1, 1>(hd, d, seen.clone(), p, o, read),
            }
        };
    }
    N
}

/// [`gather`] for `N` queries and `V` times `T` vectors of columns from d on; gives the number of columns.
///
/// # Safety
/// As [`gather`].
#[inline(always)]
unsafe fn columns<S: Lanes, const N: usize, const V: usize, const T: usize>(
    hd: usize,
    d: usize,
    seen: Range<usize>,
    p: *const f32,
    o: *mut f32,
    read: &impl Fn(usize) -> S,
) -> usize {
    // SAFETY: the caller's promise.
    unsafe {
        let mut sum = [[[S::splat(0.0); V]; T]; N];
        for n in 0..N {
            for t in 0..T {
                for v in 0..V {
                    sum[n][t][v] = S::load(o.add(n * hd + d + 16 * (t * V + v)));
                }
            }
        }
        for i in seen {
            for t in 0..T {
                for v in 0..V {
                    let value = read(i * hd + d + 16 * (t * V + v));
                    for n in 0..N {
                        sum[n][t][v] = S::splat(*p.add(n * BLOCK + i)).fma(value, sum[n][t][v]);
                    }
                }
            }
        }
        for n in 0..N {
            for t in 0..T {
                for v in 0..V {
                    sum[n][t][v].store(o.add(n * hd + d + 16 * (t * V + v)));
                }
            }
        }
    }
    16 * T * V
}
