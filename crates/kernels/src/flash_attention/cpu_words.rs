//! Attention of many rows in 16-bit integers, whose products are twice as many an instruction as those of floats.
//!
//! Each query, key and value is a vector of integers times a scale of its own, its norm over [`NORM`] or [`VALUE_NORM`]. A sum of
//! products of two such vectors is at most the product of their norms (Cauchy and Schwarz), so it fits in 32 bits and is exact. Weights of a block, times their values' scales,
//! are integers times a scale of the query's own: relative to their sum and their greatest, so that small ones of a long context keep their share
//! beside a great one in another block.
//!
//! No scale depends on other queries, and sums of integers do not depend on their order: what a query gathers is the same in any company.
//! Rounding costs a product of a query and a key about 1e-5 of both norms, an output 1e-4 to 4e-4 of its size.

use super::cpu_lanes::runs;
use super::cpu_tile::{
    BLOCK, Job, KEYS, MAX_DIM, Piece, QUERIES, Query, Schedule, Sums, Tiles, VALUES, by_format, ptr, zero,
};
use super::{SPAN, capped};
use crate::kv::{KV_GROUP, KvFormat, kv_place};
use crate::simd::Lanes;
use crate::simd_words::Words;
use std::marker::PhantomData;
use std::ops::Range;

/// Norms of queries and keys as integers: below 32,768 with what rounding adds, half of the root of the width.
const NORM: f32 = 32_700.0;
/// Norms of values, and the sum of the weights of a block: their product stays below 2^31.
const VALUE_NORM: f32 = 16_000.0;
const WEIGHTS: f32 = 131_000.0;
/// The greatest weight.
const WEIGHT: f32 = 32_700.0;
const _: () = {
    // With what rounding adds to the norm of 256 columns, and to the sum of 64 weights.
    assert!(NORM as i32 + 8 <= i16::MAX as i32 && WEIGHT as i32 <= i16::MAX as i32);
    assert!((NORM as i64 + 8) * (NORM as i64 + 8) < 1 << 31);
    assert!((WEIGHTS as i64 + 32) * (VALUE_NORM as i64 + 8) < 1 << 31);
};
/// Norms below count as this, whose inverse is finite.
const TINY: f32 = 1e-30;

/// Tiles of attention in integers. `R` rows by `V` vectors are the registers of one product, or `H` rows, where no more are left.
pub(super) struct InWords<D, const R: usize, const H: usize, const V: usize>(PhantomData<D>);

/// What a tile's queries have of a block and of a span, by query.
#[repr(align(64))]
struct State {
    /// What turns a product of integers into a score.
    scale: [f32; QUERIES],
    /// Of a block: the greatest score, the sum of weights relative to it, what turns a product of integers into a weighted sum.
    block_max: [f32; QUERIES],
    block_sum: [f32; QUERIES],
    take: [f32; QUERIES],
    /// What is kept of the sums so far.
    keep: [f32; QUERIES],
    /// Of the span so far.
    max: [f32; QUERIES],
    sum: [f32; QUERIES],
}

impl State {
    /// A block joins the span, for the first `count` queries: weights become relative to the greatest score of both.
    ///
    /// # Safety
    /// `count` is at most `QUERIES`; lanes have the caller's level.
    #[inline(always)]
    unsafe fn join<S: Lanes>(&mut self, count: usize) {
        for i in (0..count).step_by(16) {
            // SAFETY: arrays have a multiple of 16 elements; the caller's promise.
            unsafe {
                let load = |a: &[f32; QUERIES]| S::load(a.as_ptr().add(i));
                let (before, here) = (load(&self.max), load(&self.block_max));
                let max = before.max(here);
                // Where nothing was seen yet, all are minus infinity, and what is subtracted must not be.
                let base = max.max(S::splat(f32::MIN));
                let (keep, take) = (before.sub(base).exp(), here.sub(base).exp());
                let sum = load(&self.block_sum).mul(take);
                load(&self.sum).fma(keep, sum).store(self.sum.as_mut_ptr().add(i));
                load(&self.take).mul(take).store(self.take.as_mut_ptr().add(i));
                keep.store(self.keep.as_mut_ptr().add(i));
                max.store(self.max.as_mut_ptr().add(i));
            }
        }
    }
}

/// A tile's integers, in the job's scratch.
struct Memory {
    /// `[queries][columns]`, columns in whole steps of 32.
    q: *mut i16,
    /// `[pairs of columns][BLOCK]`, and `[16][columns]` on the way there.
    k: *mut i32,
    rows: *mut i16,
    /// `[pairs of positions][head_dim]`, and two rows of floats on the way there.
    v: *mut i32,
    wide: *mut f32,
    /// `[queries][BLOCK]`, scores, then weights, which become integers.
    p: *mut f32,
    w: *mut i16,
    /// `[queries][head_dim]`, weighted sums of a span and of all.
    o: *mut f32,
    t: *mut f32,
}

impl Memory {
    fn new(job: &Job<'_>) -> Self {
        let s = job.scratch;
        // SAFETY: inside the scratch's arrays: keys and values take half of theirs, scores and weights three quarters.
        unsafe {
            let (q, k, v) = (ptr(&raw mut (*s).q), ptr(&raw mut (*s).k), ptr(&raw mut (*s).v));
            let (p, o, t) = (ptr(&raw mut (*s).p), ptr(&raw mut (*s).o), ptr(&raw mut (*s).t));
            Self {
                q: q.cast(),
                k: k.cast(),
                rows: k.add(MAX_DIM / 2 * BLOCK).cast(),
                v: v.cast(),
                wide: v.add(BLOCK / 2 * MAX_DIM),
                p,
                w: p.add(QUERIES * BLOCK).cast(),
                o,
                t,
            }
        }
    }
}

impl<D: Words, const R: usize, const H: usize, const V: usize> Tiles for InWords<D, R, H, V> {
    type Lanes = D::Lanes;

    #[inline(always)]
    unsafe fn begin() -> Self {
        Self(PhantomData)
    }

    #[inline(always)]
    unsafe fn tile<W: Schedule>(&mut self, job: &Job<'_>, piece: &Piece, schedule: &W) {
        let &Piece { kv_head, ref units, ref spans, shared, .. } = piece;
        let c = &job.c;
        let (table, hd, count) = (schedule.table(job, piece), c.head_dim as usize, units.len());
        let (columns, padded) = (hd.next_multiple_of(32), count.next_multiple_of(H));
        let mut queries = [Query::default(); QUERIES];
        let (mut lo, mut hi) = (usize::MAX, 0);
        let m = Memory::new(job);
        let mut state = State {
            scale: [0.0; QUERIES],
            block_max: [f32::NEG_INFINITY; QUERIES],
            block_sum: [0.0; QUERIES],
            take: [0.0; QUERIES],
            keep: [0.0; QUERIES],
            max: [0.0; QUERIES],
            sum: [0.0; QUERIES],
        };
        // SAFETY: offsets into the scratch are below its arrays' sizes because count <= QUERIES, hd <= MAX_DIM and
        // blocks have BLOCK positions; bindings have the contract's shapes; the level is the caller's.
        unsafe {
            let mut total = [Sums { max: f32::NEG_INFINITY, sum: 0.0, o: m.t }; QUERIES];
            for (i, u) in units.clone().enumerate() {
                let query = Query::new(job, kv_head, u);
                (lo, hi) = (lo.min(query.from), hi.max(query.to));
                queries[i] = query;
                total[i] = Sums::none::<D::Lanes>(hd, m.t.add(i * hd));
                let from = query.elements(job).as_ptr();
                let to = m.q.add(i * columns);
                state.scale[i] = job.scale * narrow_row::<D>(hd, |d| D::Lanes::load(from.add(d)), m.wide, to);
            }
            zero_words::<D>(m.q.add(count * columns), (padded - count) * columns);
            let place = |at: usize| kv_place(table, c.kv_heads as usize, kv_head, at);
            let seen = lo.max(spans.start * SPAN)..hi.min(spans.end.saturating_mul(SPAN));
            let then = schedule.then(job, piece, seen.start / BLOCK * BLOCK);
            for span in seen.start / SPAN..seen.end.div_ceil(SPAN) {
                let (lo, hi) = (lo.max(span * SPAN), hi.min((span + 1) * SPAN));
                state.max = [f32::NEG_INFINITY; QUERIES];
                state.sum = [0.0; QUERIES];
                zero::<D::Lanes>(padded * hd, m.o);
                for start in (lo / BLOCK * BLOCK..hi).step_by(BLOCK) {
                    let n = BLOCK.min(hi - start);
                    let at = place(start);
                    // As in `cpu_lanes`: a guess after the last.
                    let next =
                        if start + BLOCK < seen.end { place(start + BLOCK) } else { then.unwrap_or(at) };
                    let here = lo.saturating_sub(start)..n;
                    let mut scales = [[0f32; BLOCK]; 2];
                    by_format!(job, KEYS, D::Lanes, at, next, n, |read| {
                        keys::<D>(hd, here.clone(), &m, &mut scales[KEYS], &read)
                    });
                    by_format!(job, VALUES, D::Lanes, at, next, n, |read| {
                        values::<D>(hd, here.clone(), &m, &mut scales[VALUES], &read)
                    });
                    for run in runs::<H>(&queries[..count], start, n) {
                        let (q, p) = (m.q.add(run.at * columns).cast(), m.p.add(run.at * BLOCK));
                        let row_scales = state.scale.as_ptr().add(run.at);
                        product::<D, _, R, H, V>(
                            [run.count, columns / 2, run.vectors],
                            (q, columns / 2),
                            (m.k, BLOCK),
                            &Scores { rows: row_scales, positions: &scales[KEYS], to: p },
                        );
                    }
                    for (i, query) in queries[..count].iter().enumerate() {
                        let visible =
                            query.from.saturating_sub(start).min(n)..query.to.saturating_sub(start).min(n);
                        let p = m.p.add(i * BLOCK);
                        if c.softcap != 0 {
                            for j in visible.clone() {
                                *p.add(j) = capped(*p.add(j), c.softcap);
                            }
                        }
                        softmax::<D>(p, m.w.add(i * BLOCK), visible, &scales[VALUES], &mut state, i);
                    }
                    zero_words::<D>(m.w.add(count * BLOCK), (padded - count) * BLOCK);
                    state.join::<D::Lanes>(count);
                    for run in runs::<H>(&queries[..count], start, n) {
                        let (w, o) = (m.w.add(run.at * BLOCK).cast(), m.o.add(run.at * hd));
                        let (keep, take) = (state.keep.as_ptr().add(run.at), state.take.as_ptr().add(run.at));
                        let pairs = n.min(run.vectors * 16).div_ceil(2);
                        product::<D, _, R, H, V>(
                            [run.count, pairs, hd / 16],
                            (w, BLOCK / 2),
                            (m.v, hd),
                            &Gathered { keep, take, hd, to: o },
                        );
                    }
                }
                for (i, query) in queries[..count].iter().enumerate() {
                    if !query.spans().contains(&span) {
                        continue;
                    }
                    let now = Sums { max: state.max[i], sum: state.sum[i], o: m.o.add(i * hd) };
                    if shared {
                        schedule.leave(job, kv_head, units.start + i, span, &now);
                    } else {
                        total[i].add::<D::Lanes>(hd, &now);
                    }
                }
            }
            if !shared {
                for (query, total) in queries[..count].iter().zip(&total) {
                    total.finish::<D::Lanes>(job, query);
                }
            }
        }
    }
}

/// Zeros.
///
/// # Safety
/// `to` has room for `count`, a multiple of 32; the level is the caller's.
#[inline(always)]
unsafe fn zero_words<D: Words>(to: *mut i16, count: usize) {
    // SAFETY: the caller's promise.
    unsafe { zero::<D::Lanes>(count / 2, to.cast()) }
}

/// Copies a vector to `wide` and gives its norm, or what is counted as such. A NaN makes it NaN.
///
/// # Safety
/// `row` gives the vector's elements, `wide` has room for them; the level is the caller's.
#[inline(always)]
unsafe fn norm<D: Words>(hd: usize, row: impl Fn(usize) -> D::Lanes, wide: *mut f32) -> f32 {
    // SAFETY: the caller's promise.
    unsafe {
        let mut squares = D::Lanes::splat(0.0);
        for d in (0..hd).step_by(16) {
            let x = row(d);
            x.store(wide.add(d));
            squares = x.fma(x, squares);
        }
        let norm = squares.reduce_add().sqrt();
        if norm < TINY { TINY } else { norm }
    }
}

/// Puts a query or key to `to` as integers, with zeros up to whole steps of 32, and gives their scale.
///
/// # Safety
/// As [`norm`]; `to` has room.
#[inline(always)]
unsafe fn narrow_row<D: Words>(
    hd: usize,
    row: impl Fn(usize) -> D::Lanes,
    wide: *mut f32,
    to: *mut i16,
) -> f32 {
    // SAFETY: the caller's promise.
    unsafe {
        let norm = norm::<D>(hd, row, wide);
        let inverse = D::Lanes::splat(NORM / norm);
        for d in (0..hd).step_by(16) {
            D::narrow(D::Lanes::load(wide.add(d)).mul(inverse), to.add(d));
        }
        if !hd.is_multiple_of(32) {
            D::narrow(D::Lanes::splat(0.0), to.add(hd));
        }
        norm / NORM
    }
}

/// Puts a block's keys to memory as integers, transposed, and their scales to `scales`. Positions that no query sees are zero: what the cache
/// holds there may be anything, and a weight of 0 does not undo a NaN.
///
/// # Safety
/// `read` gives the block's elements; the level is the caller's.
#[inline(always)]
unsafe fn keys<D: Words>(
    hd: usize,
    seen: Range<usize>,
    m: &Memory,
    scales: &mut [f32; BLOCK],
    read: &impl Fn(usize) -> D::Lanes,
) {
    let columns = hd.next_multiple_of(32);
    for j in (0..seen.end).step_by(16) {
        // SAFETY: the caller's promise.
        unsafe {
            for i in j..j + 16 {
                let to = m.rows.add((i - j) * columns);
                if seen.contains(&i) {
                    scales[i] = narrow_row::<D>(hd, |d| read(i * hd + d), m.wide, to);
                } else {
                    zero_words::<D>(to, columns);
                }
            }
            for pair in (0..columns / 2).step_by(16) {
                // Only moved, so these may be any bits.
                let mut t = [D::Lanes::splat(0.0); 16];
                for (i, t) in t.iter_mut().enumerate() {
                    *t = D::Lanes::load(m.rows.add(i * columns + 2 * pair).cast());
                }
                D::Lanes::transpose(&mut t);
                for (i, t) in t.into_iter().enumerate() {
                    t.store(m.k.add((pair + i) * BLOCK + j).cast());
                }
            }
        }
    }
}

/// Puts a block's values to memory as pairs of integers of two positions, and their scales to `scales`; zeros as for [`keys`].
///
/// # Safety
/// As [`keys`].
#[inline(always)]
unsafe fn values<D: Words>(
    hd: usize,
    seen: Range<usize>,
    m: &Memory,
    scales: &mut [f32; BLOCK],
    read: &impl Fn(usize) -> D::Lanes,
) {
    for j in (0..seen.end).step_by(2) {
        // SAFETY: the caller's promise.
        unsafe {
            let mut inverse = [D::Lanes::splat(0.0); 2];
            for h in 0..2 {
                let (i, wide) = (j + h, m.wide.add(h * hd));
                if seen.contains(&i) {
                    let norm = norm::<D>(hd, |d| read(i * hd + d), wide);
                    scales[i] = norm / VALUE_NORM;
                    inverse[h] = D::Lanes::splat(VALUE_NORM / norm);
                } else {
                    zero::<D::Lanes>(hd, wide);
                }
            }
            for d in (0..hd).step_by(16) {
                let a = D::Lanes::load(m.wide.add(d)).mul(inverse[0]);
                let b = D::Lanes::load(m.wide.add(hd + d)).mul(inverse[1]);
                D::pair(a, b, m.v.add(j / 2 * hd + d));
            }
        }
    }
}

/// Turns query `i`'s scores of a block into weights, times the scales of their values, as integers.
///
/// # Safety
/// `p` and `w` have BLOCK elements, and the scales of positions that nobody sees are 0; the level is the caller's.
#[inline(always)]
unsafe fn softmax<D: Words>(
    p: *mut f32,
    w: *mut i16,
    visible: Range<usize>,
    scales: &[f32; BLOCK],
    state: &mut State,
    i: usize,
) {
    // What is seen of a block, in vectors: nearly always all, which is worth a copy with known bounds.
    let end = if visible.is_empty() { 0 } else { visible.end.next_multiple_of(16) };
    // SAFETY: the caller's promise.
    unsafe {
        let zero = D::Lanes::splat(0.0);
        for j in (end..BLOCK).step_by(16) {
            D::narrow(zero, w.add(j));
        }
        (state.block_max[i], state.block_sum[i], state.take[i]) = match end {
            0 => (f32::NEG_INFINITY, 0.0, 0.0),
            BLOCK => weigh::<D>(p, w, visible, BLOCK, scales),
            _ => weigh::<D>(p, w, visible, end, scales),
        };
    }
}

/// [`softmax`] of the positions before `end`: the greatest score, the sum of the weights, and the scale of the integers.
///
/// # Safety
/// As [`softmax`].
#[inline(always)]
unsafe fn weigh<D: Words>(
    p: *mut f32,
    w: *mut i16,
    visible: Range<usize>,
    end: usize,
    scales: &[f32; BLOCK],
) -> (f32, f32, f32) {
    // SAFETY: the caller's promise.
    unsafe {
        for j in (0..visible.start).chain(visible.end..end) {
            *p.add(j) = f32::NEG_INFINITY;
        }
        let mut max = D::Lanes::load(p);
        for j in (16..end).step_by(16) {
            max = max.max(D::Lanes::load(p.add(j)));
        }
        let max = max.reduce_max();
        let base = D::Lanes::splat(super::cpu_tile::base(max));
        let (mut sum, mut scaled, mut most) = ([D::Lanes::splat(0.0); 3]).into();
        for j in (0..end).step_by(16) {
            let e = D::Lanes::load(p.add(j)).sub(base).exp();
            let u = e.mul(D::Lanes::load(scales.as_ptr().add(j)));
            u.store(p.add(j));
            (sum, scaled, most) = (sum.add(e), scaled.add(u), most.max(u));
        }
        let (sum, scaled, most) = (sum.reduce_add(), scaled.reduce_add(), most.reduce_max());
        // What makes the sum WEIGHTS and no weight more than WEIGHT. All may be 0; a NaN stays one in the sum.
        let unit = (scaled * (1.0 / WEIGHTS)).max(most * (1.0 / WEIGHT)).max(f32::MIN_POSITIVE);
        let inverse = D::Lanes::splat(1.0 / unit);
        for j in (0..end).step_by(16) {
            D::narrow(D::Lanes::load(p.add(j)).mul(inverse), w.add(j));
        }
        (max, sum, if scaled.is_nan() { scaled } else { unit })
    }
}

/// What becomes of sums of products.
trait Put<D: Words> {
    /// # Safety
    /// The row and the vector of 16 columns are in the arrays; the level is the caller's.
    unsafe fn put(&self, row: usize, vector: usize, sum: D::Ints);
}

/// Scores `[rows][BLOCK]`.
struct Scores<'a> {
    /// Scales of the queries, and of the block's keys.
    rows: *const f32,
    positions: &'a [f32; BLOCK],
    to: *mut f32,
}

impl<D: Words> Put<D> for Scores<'_> {
    #[inline(always)]
    unsafe fn put(&self, row: usize, vector: usize, sum: D::Ints) {
        // SAFETY: the caller's promise.
        unsafe {
            let score = D::floats(sum).mul(D::Lanes::load(self.positions.as_ptr().add(16 * vector)));
            score.mul(D::Lanes::splat(*self.rows.add(row))).store(self.to.add(row * BLOCK + 16 * vector));
        }
    }
}

/// Weighted sums `[rows][hd]`, by row: what is kept of those so far, and the scale of what is added.
struct Gathered {
    keep: *const f32,
    take: *const f32,
    hd: usize,
    to: *mut f32,
}

impl<D: Words> Put<D> for Gathered {
    #[inline(always)]
    unsafe fn put(&self, row: usize, vector: usize, sum: D::Ints) {
        // SAFETY: the caller's promise.
        unsafe {
            let to = self.to.add(row * self.hd + 16 * vector);
            let kept = D::Lanes::load(to).mul(D::Lanes::splat(*self.keep.add(row)));
            D::floats(sum).fma(D::Lanes::splat(*self.take.add(row)), kept).store(to);
        }
    }
}

/// Sums of products of pairs, c `[rows][16 vectors]` = a `[rows][inner]` x b `[inner][16 vectors]`. `R` or `H` rows and `V` vectors at a time.
///
/// # Safety
/// The arrays have these shapes, and the strides given; the level is the caller's.
#[inline(always)]
unsafe fn product<D: Words, P: Put<D>, const R: usize, const H: usize, const V: usize>(
    [rows, inner, vectors]: [usize; 3],
    (a, a_stride): (*const i32, usize),
    (b, b_stride): (*const i32, usize),
    c: &P,
) {
    // A run has a multiple of H rows, and none may be taken twice.
    const { assert!(R.is_multiple_of(H)) };
    let mut v = 0;
    while v < vectors {
        let wide = vectors - v >= V;
        let mut r = 0;
        while r < rows {
            // SAFETY: the caller's promise.
            unsafe {
                let (a, b) = ((a.add(r * a_stride), a_stride), (b.add(v * 16), b_stride));
                r += match (rows - r >= R, wide) {
                    (true, true) => micro::<D, P, R, V>(inner, a, b, [r, v], c),
                    (true, false) => micro::<D, P, R, 1>(inner, a, b, [r, v], c),
                    (false, true) => micro::<D, P, H, V>(inner, a, b, [r, v], c),
                    (false, false) => micro::<D, P, H, 1>(inner, a, b, [r, v], c),
                };
            }
        }
        v += if wide { V } else { 1 };
    }
}

/// One step of [`product`], in registers, at a row and a vector; gives `R`.
///
/// # Safety
/// The arrays hold R rows and V vectors; the level is the caller's.
#[inline(always)]
unsafe fn micro<D: Words, P: Put<D>, const R: usize, const V: usize>(
    inner: usize,
    (a, a_stride): (*const i32, usize),
    (b, b_stride): (*const i32, usize),
    [row, vector]: [usize; 2],
    c: &P,
) -> usize {
    // SAFETY: the caller's promise.
    unsafe {
        let mut acc = [[D::splat(0); V]; R];
        for i in 0..inner {
            let mut w = [D::splat(0); V];
            for v in 0..V {
                w[v] = D::load(b.add(i * b_stride + v * 16));
            }
            for r in 0..R {
                let x = D::splat(a.add(r * a_stride + i).read_unaligned());
                for v in 0..V {
                    acc[r][v] = D::dot(acc[r][v], x, w[v]);
                }
            }
        }
        for r in 0..R {
            for v in 0..V {
                c.put(row + r, vector + v, acc[r][v]);
            }
        }
    }
    R
}

#[cfg(test)]
mod tests {
    use super::super::cpu_tile::run;
    use super::super::{AttentionConsts, AttentionParams};
    use super::*;
    use crate::act::{self, ActFormat};
    use crate::attention::cpu::Dealt;
    use crate::cpu::{Buf, Call, CpuFn, Level};
    use crate::kv::KV_FORMATS;
    use crate::simd_words::PlainWords;
    use crate::step::{self, Block, Header, KV_BLOCK, Position, Row, SeqIndex};

    unsafe fn plain(call: &Call<'_>, part: u32, parts: u32) {
        // SAFETY: the caller's promise, passed on.
        unsafe {
            run::<Dealt, InWords<PlainWords, 4, 2, 1>>(call, part, parts, act::cpu::store_fn(Level::Portable))
        }
    }

    /// Versions of this machine.
    fn versions() -> Vec<(&'static str, CpuFn)> {
        let mut all: Vec<(&str, CpuFn)> = vec![("plain", plain)];
        #[cfg(target_arch = "x86_64")]
        for level in [Level::Avx2, Level::AvxVnni, Level::Avx512] {
            if level.available() {
                let words = super::super::cpu::words::<Dealt>(level).expect("a version");
                all.push((level.name(), words));
            }
        }
        all
    }

    /// One sequence, positions 0 to `rows`.
    struct Case {
        c: AttentionConsts,
        q: Vec<f32>,
        /// Keys and values, `[position][KV head][head_dim]`.
        kv: [Vec<f32>; 2],
        scale: f32,
    }

    fn case(heads: u32, kv_heads: u32, hd: u32, rows: u32) -> Case {
        let mut state = u64::from(heads * 7 + hd + rows);
        let mut normal = || {
            let mut uniform = || {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 40) as f32 / (1u64 << 24) as f32
            };
            (0..12).map(|_| uniform()).sum::<f32>() - 6.0
        };
        let c = AttentionConsts {
            heads,
            kv_heads,
            head_dim: hd,
            k_type: KvFormat::F32 as u32,
            v_type: KvFormat::F32 as u32,
            act: ActFormat::F32 as u32,
            max_rows: rows,
            window: 0,
            softcap: 0,
        };
        let q = (0..rows * (heads + 2 * kv_heads) * hd).map(|_| normal()).collect();
        let kv = [(); 2].map(|_| (0..rows * kv_heads * hd).map(|_| normal()).collect());
        Case { c, q, kv, scale: 1.0 / (hd as f32).sqrt() }
    }

    impl Case {
        /// `[row][head][head_dim]` of rows `from..to`, with all positions before in the cache.
        fn run(&self, f: CpuFn, from: u32, to: u32, parts: u32) -> Vec<f32> {
            let (c, rows) = (self.c, to - from);
            let (hd, kv_heads) = (c.head_dim as usize, c.kv_heads as usize);
            let mut table: Vec<Block> = (0..to.div_ceil(KV_BLOCK)).rev().map(Block).collect();
            let format = |word| KV_FORMATS.iter().copied().find(|f| *f as u32 == word).expect("a format");
            let mut caches = [(c.k_type, &self.kv[0]), (c.v_type, &self.kv[1])].map(|(word, x)| {
                let f = format(word);
                // What no row has written is NaN.
                let mut m = vec![u32::MAX; table.len() * kv_heads * f.tile_bytes(hd) / 4];
                for (i, x) in x.chunks_exact(hd).take(to as usize * kv_heads).enumerate() {
                    let place = kv_place(&table, kv_heads, i % kv_heads, i / kv_heads);
                    f.write(bytemuck::cast_slice_mut(&mut m), place, x);
                }
                m
            });
            let mut block = vec![0u32; step::bytes(1, rows) / 4];
            let header = Header { rows, seqs_cap: 1, ..Header::default() };
            block[..16].copy_from_slice(bytemuck::cast_slice(&[header]));
            for r in 0..rows {
                let row = Row { seq: SeqIndex(0), pos: Position(from + r) };
                block[step::row_offset(1, r) / 4..][..2].copy_from_slice(bytemuck::cast_slice(&[row]));
            }
            let q_width = self.q.len() / c.max_rows as usize;
            let mut q = self.q[from as usize * q_width..to as usize * q_width].to_vec();
            let (width, stride) =
                (c.heads as usize * hd, ActFormat::F32.row_bytes(c.heads as usize * hd) / 4);
            let mut out = vec![f32::NAN; rows as usize * stride];
            fn buf<T>(v: &mut [T]) -> Buf {
                Buf { ptr: v.as_mut_ptr().cast(), len: size_of_val(v) }
            }
            let [k, v] = &mut caches;
            let bufs = [buf(&mut block), buf(&mut table), buf(&mut q), buf(k), buf(v), buf(&mut out)];
            let (consts, params): ([u32; 9], [u32; 1]) =
                (bytemuck::cast(c), bytemuck::cast(AttentionParams { scale: self.scale }));
            let call = Call { bufs: &bufs, consts: &consts, params: &params };
            for part in 0..parts {
                // SAFETY: bindings laid out by the contract; each part once; the machine has the level.
                unsafe { f(&call, part, parts) };
            }
            out.chunks_exact(stride).flat_map(|row| row[..width].to_vec()).collect()
        }

        /// The same in f64.
        fn exact(&self, row: u32) -> Vec<f64> {
            let c = self.c;
            let (hd, group) = (c.head_dim as usize, (c.heads / c.kv_heads) as usize);
            let at = |x: &[f32], i: usize, d: usize| f64::from(x[i * hd + d]);
            let q_heads = (c.heads + 2 * c.kv_heads) as usize;
            let mut out = Vec::new();
            for h in 0..c.heads as usize {
                let place = |j: usize| j * c.kv_heads as usize + h / group;
                let scores: Vec<f64> = (0..=row as usize)
                    .map(|j| {
                        let q = row as usize * q_heads + h;
                        let dot: f64 =
                            (0..hd).map(|d| at(&self.q, q, d) * at(&self.kv[0], place(j), d)).sum();
                        dot * f64::from(self.scale)
                    })
                    .collect();
                let max = scores.iter().fold(f64::MIN, |m, s| m.max(*s));
                let weights: Vec<f64> = scores.iter().map(|s| (s - max).exp()).collect();
                let sum: f64 = weights.iter().sum();
                out.extend((0..hd).map(|d| {
                    let all = weights.iter().enumerate().map(|(j, w)| w * at(&self.kv[1], place(j), d));
                    all.sum::<f64>() / sum
                }));
            }
            out
        }

        /// Root mean square of the difference to f64, over that of the outputs, by version.
        fn errors(&self, rows: &[u32]) -> Vec<(&'static str, f64)> {
            let of = |(name, f): (&'static str, CpuFn)| {
                let out = self.run(f, 0, self.c.max_rows, 3);
                let width = out.len() / self.c.max_rows as usize;
                let (mut error, mut all) = (0f64, 0f64);
                for r in rows {
                    let got = &out[*r as usize * width..][..width];
                    for (a, b) in self.exact(*r).iter().zip(got) {
                        error += (a - f64::from(*b)).powi(2);
                        all += a * a;
                    }
                }
                (name, (error / all).sqrt())
            };
            versions().into_iter().map(of).collect()
        }
    }

    #[test]
    fn outputs_are_exact_to_what_words_hold() {
        for (heads, kv_heads, hd) in [(4, 2, 64), (3, 1, 80), (2, 2, 128), (1, 1, 256), (5, 1, 16)] {
            for (name, error) in
                case(heads, kv_heads, hd, 600).errors(&[0, 1, 17, 63, 64, 200, 255, 256, 599])
            {
                assert!(error < 5e-4, "{name} {hd}: {error}");
            }
        }
    }

    /// A first token that draws half of all weight leaves the others theirs, in its own block and in others.
    #[test]
    fn small_weights_keep_their_share_beside_a_great_one() {
        let mut c = case(2, 1, 64, 900);
        // All queries and the first key point the same way, a little; the first value is small, as such are.
        for q in c.q.chunks_exact_mut(64) {
            q[0] = 8.0;
        }
        for (i, k) in c.kv[0].chunks_exact_mut(64).enumerate() {
            k[0] = if i == 0 { 7.0 } else { 0.0 };
        }
        for v in &mut c.kv[1][..64] {
            *v *= 0.01;
        }
        for (name, error) in c.errors(&[300, 620, 899]) {
            assert!(error < 1e-3, "{name}: {error}");
        }
    }

    /// In any company, in any number of parts, in whichever steps.
    #[test]
    fn a_row_has_the_same_bits_in_any_company() {
        for (heads, kv_heads, hd) in [(4, 2, 64), (6, 1, 48), (2, 2, 128)] {
            let c = case(heads, kv_heads, hd, 330);
            for (name, f) in versions() {
                let all = c.run(f, 0, 330, 1);
                let width = all.len() / 330;
                for (from, to) in [(0, 1), (5, 70), (63, 65), (200, 201), (250, 263), (31, 330)] {
                    for parts in [1, 3] {
                        let some = c.run(f, from, to, parts);
                        let want = &all[from as usize * width..to as usize * width];
                        let other = some.iter().zip(want).position(|(a, b)| a.to_bits() != b.to_bits());
                        assert_eq!(
                            other, None,
                            "{name} {hd}: rows {from} to {to} in {parts} parts, {width} a row"
                        );
                    }
                }
            }
        }
    }

    /// Vectors of zeros, huge and tiny ones count as what they are; a NaN is one in the rows that see it.
    #[test]
    fn vectors_of_any_length_are_themselves() {
        let mut c = case(2, 1, 32, 40);
        c.kv[0][32 * 3..32 * 4].fill(0.0);
        c.kv[1][32 * 5..32 * 6].fill(0.0);
        for v in &mut c.kv[1][32 * 7..32 * 8] {
            *v *= 3e4;
        }
        for k in &mut c.kv[0][32 * 9..32 * 10] {
            *k *= 1e-20;
        }
        for (name, error) in c.errors(&[3, 6, 30, 39]) {
            assert!(error < 5e-4, "{name}: {error}");
        }
        for side in [KEYS, VALUES] {
            let mut c = case(2, 1, 32, 40);
            c.kv[side][32 * 20 + 5] = f32::NAN;
            for (name, f) in versions() {
                let out = c.run(f, 0, 40, 1);
                for (r, row) in out.chunks_exact(64).enumerate() {
                    // (A row of the same vector of positions meets it with weight 0, which is a NaN, too.)
                    assert!(r < 20 || row.iter().all(|v| v.is_nan()), "{name} row {r}, side {side}");
                    assert!(r >= 16 || row.iter().all(|v| v.is_finite()), "{name} row {r}, side {side}");
                }
            }
        }
    }
}
