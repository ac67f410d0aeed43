//! How a tile's queries meet a block's keys and values, whatever multiplies them.

use super::SPAN;
use crate::simd::Lanes;
use std::ops::Range;

/// Most queries of a tile.
pub(crate) const QUERIES: usize = 128;
/// Positions of a block; divides a span.
pub(crate) const BLOCK: usize = 64;
const _: () = assert!(SPAN.is_multiple_of(BLOCK));
/// How a tile's queries meet a block's keys and values.
///
/// # Safety
/// All methods need the level of the lanes, and of the kind itself. `hd` is the width of a head, a multiple of 16; `count` is a
/// multiple of [`Self::QUERIES`] and at most [`QUERIES`]; `n` positions of a block exist; `q` is `[count][hd]`, with `hd`
/// rounded up to [`Self::COLUMNS`], `p` `[count][BLOCK]`, `o` `[count][hd]`; `k` and `v` have room for a block, in whatever form.
pub(super) trait Products<S: Lanes> {
    /// A tile of up to so many queries uses keys and values as they come from the cache.
    const FEW: usize;
    /// Queries at a time.
    const QUERIES: usize;
    /// Columns of a query at a time.
    const COLUMNS: usize = 1;

    /// For all tiles of a part.
    unsafe fn begin() -> Self;

    /// Takes a tile's queries, which are its own from then on.
    unsafe fn queries(&mut self, _hd: usize, _count: usize, _q: *mut f32) {}

    /// Puts a block's keys to `k`. Positions that no query sees are zero: what the cache holds there may be anything, and a weight
    /// of 0 does not undo a NaN. `read` gives 16 of the block's elements from one on.
    unsafe fn keys(&mut self, hd: usize, seen: Range<usize>, k: *mut f32, read: &impl Fn(usize) -> S);

    /// Puts a block's values to `v`; zeros as for keys.
    unsafe fn values(&mut self, hd: usize, seen: Range<usize>, v: *mut f32, read: &impl Fn(usize) -> S);

    /// p = q x k.
    unsafe fn scores(&mut self, hd: usize, count: usize, n: usize, q: *const f32, k: *const f32, p: *mut f32);

    /// o += p x v. Nothing else reads p after it. Beyond `n` it is zero.
    unsafe fn gather(&mut self, hd: usize, count: usize, n: usize, p: *mut f32, v: *const f32, o: *mut f32);

    /// The same of a tile of few, with values as they come.
    unsafe fn gather_few(
        &mut self,
        _hd: usize,
        _seen: Range<usize>,
        _count: usize,
        _p: *const f32,
        _o: *mut f32,
        _read: &impl Fn(usize) -> S,
    ) {
    }
}
