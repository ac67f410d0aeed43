//! Attention in vector registers. For many queries a block of keys is widened to f32 and transposed once per tile, a block of values
//! widened, and both are used for every query by the same small matrix product. For up to [`FEW`] queries a block is used too seldom to be
//! worth writing down: keys are transposed in registers, and values used as they come. Every sum has the same order either way.

use super::cpu_tile::{
    BLOCK, Job, KEYS, Piece, QUERIES, Query, Schedule, Sums, Tiles, VALUES, base, by_format, ptr, zero,
};
use super::product::product;
use super::{SPAN, capped};
use crate::kv::{KV_GROUP, KvFormat, kv_place};
use crate::simd::Lanes;
use std::marker::PhantomData;
use std::ops::Range;

/// Tiles of attention in vector registers. `R` rows by `V` vectors are the registers of one product, or `H` rows, where no more are left.
pub(super) struct InLanes<S, const R: usize, const H: usize, const V: usize>(PhantomData<S>);

impl<S: Lanes, const R: usize, const H: usize, const V: usize> Tiles for InLanes<S, R, H, V> {
    type Lanes = S;

    #[inline(always)]
    unsafe fn begin() -> Self {
        Self(PhantomData)
    }

    #[inline(always)]
    unsafe fn tile<W: Schedule>(&mut self, job: &Job<'_>, piece: &Piece, schedule: &W) {
        let &Piece { kv_head, ref units, ref spans, shared, .. } = piece;
        let c = &job.c;
        let (table, hd, count) = (schedule.table(job, piece), c.head_dim as usize, units.len());
        let mut queries = [Query::default(); QUERIES];
        let (mut lo, mut hi) = (usize::MAX, 0);
        // SAFETY: offsets into the scratch are below its arrays' sizes because count <= QUERIES, hd <= MAX_DIM and
        // blocks have BLOCK positions; bindings have the contract's shapes; lanes have the caller's level.
        unsafe {
            let s = job.scratch;
            let (q, k, v) = (ptr(&raw mut (*s).q), ptr(&raw mut (*s).k), ptr(&raw mut (*s).v));
            let (p, o, t) = (ptr(&raw mut (*s).p), ptr(&raw mut (*s).o), ptr(&raw mut (*s).t));
            // Queries of zeros fill up the last few that a product takes, or the next power of two.
            let many = count > FEW;
            let padded = if many { count.next_multiple_of(H) } else { count.next_power_of_two() };
            let mut total = [Sums { max: f32::NEG_INFINITY, sum: 0.0, o }; QUERIES];
            for (i, u) in units.clone().enumerate() {
                let query = Query::new(job, kv_head, u);
                (lo, hi) = (lo.min(query.from), hi.max(query.to));
                queries[i] = query;
                total[i] = Sums::none::<S>(hd, t.add(i * hd));
                let src = query.elements(job).as_ptr();
                for d in (0..hd).step_by(16) {
                    S::load(src.add(d)).mul(S::splat(job.scale)).store(q.add(i * hd + d));
                }
            }
            for i in count..padded {
                zero::<S>(hd, q.add(i * hd));
            }
            let place = |at: usize| kv_place(table, c.kv_heads as usize, kv_head, at);
            let seen = lo.max(spans.start * SPAN)..hi.min(spans.end.saturating_mul(SPAN));
            let then = schedule.then(job, piece, seen.start / BLOCK * BLOCK);
            for span in seen.start / SPAN..seen.end.div_ceil(SPAN) {
                let (lo, hi) = (lo.max(span * SPAN), hi.min((span + 1) * SPAN));
                let mut now = total;
                for i in 0..padded {
                    now[i] = Sums::none::<S>(hd, o.add(i * hd));
                }
                for start in (lo / BLOCK * BLOCK..hi).step_by(BLOCK) {
                    let n = BLOCK.min(hi - start);
                    let at = place(start);
                    // Where the next block is, so that it comes from memory while this one is used. After the last, where the
                    // schedule goes on: a guess, which costs a block's bytes where it is wrong.
                    let next =
                        if start + BLOCK < seen.end { place(start + BLOCK) } else { then.unwrap_or(at) };
                    let here = lo.saturating_sub(start)..n;
                    if many {
                        by_format!(job, KEYS, S, at, next, n, |read| transposed(hd, here.clone(), k, &read));
                        by_format!(job, VALUES, S, at, next, n, |read| widened(hd, here.clone(), v, &read));
                        for run in runs::<H>(&queries[..count], start, n) {
                            let (q, p) = (q.add(run.at * hd), p.add(run.at * BLOCK));
                            product::<S, R, H, V, 0>(run.count, q, hd, k, BLOCK, hd, p, BLOCK, run.vectors);
                        }
                    } else {
                        by_format!(job, KEYS, S, at, next, n, |read| match padded {
                            1 => scores::<S, 1>(hd, here.clone(), q, p, &read),
                            2 => scores::<S, 2>(hd, here.clone(), q, p, &read),
                            3..=4 => scores::<S, 4>(hd, here.clone(), q, p, &read),
                            _ => scores::<S, FEW>(hd, here.clone(), q, p, &read),
                        });
                    }
                    for (i, query) in queries[..count].iter().enumerate() {
                        let visible =
                            query.from.saturating_sub(start).min(n)..query.to.saturating_sub(start).min(n);
                        let p = p.add(i * BLOCK);
                        if c.softcap != 0 {
                            for j in visible.clone() {
                                *p.add(j) = capped(*p.add(j), c.softcap);
                            }
                        }
                        softmax::<S>(p, visible, hd, &mut now[i]);
                    }
                    if many {
                        for run in runs::<H>(&queries[..count], start, n) {
                            let (p, o) = (p.add(run.at * BLOCK), o.add(run.at * hd));
                            let seen = n.min(run.vectors * 16);
                            product::<S, R, H, V, 1>(run.count, p, BLOCK, v, hd, seen, o, hd, hd / 16);
                        }
                    } else {
                        let here = here.clone();
                        by_format!(job, VALUES, S, at, next, n, |read| gather::<S, H, V>(
                            hd, here, count, p, o, &read
                        ));
                    }
                }
                for (i, query) in queries[..count].iter().enumerate() {
                    if !query.spans().contains(&span) {
                        continue;
                    }
                    if shared {
                        schedule.leave(job, kv_head, units.start + i, span, &now[i]);
                    } else {
                        total[i].add::<S>(hd, &now[i]);
                    }
                }
            }
            if !shared {
                for (query, total) in queries[..count].iter().zip(&total) {
                    total.finish::<S>(job, query);
                }
            }
        }
    }
}

/// Neighbouring queries of a tile, and how many vectors of 16 positions of a block they see: up to the last position that any of `H` sees.
pub(super) struct Run {
    pub(super) at: usize,
    pub(super) count: usize,
    pub(super) vectors: usize,
}

/// The runs of a tile's queries, `H` at a time, in the block of `n` positions from `start` on, without those that see none of it. In a block of the
/// tile's own positions most queries of a prompt see a part. A run may reach beyond the queries, to the next multiple of `H`, where the tile's
/// arrays have zeros.
pub(super) fn runs<const H: usize>(queries: &[Query], start: usize, n: usize) -> impl Iterator<Item = Run> {
    let vectors = move |some: &[Query]| {
        let last = some.iter().map(|q| q.to.saturating_sub(start).min(n)).max();
        last.unwrap_or(0).div_ceil(16)
    };
    let mut at = 0;
    std::iter::from_fn(move || {
        let mut run = Run { at, count: 0, vectors: 0 };
        while at < queries.len() {
            let v = vectors(&queries[at..(at + H).min(queries.len())]);
            if run.count > 0 && v != run.vectors {
                break;
            }
            run = Run { count: run.count + H, vectors: v, ..run };
            at += H;
        }
        (run.count > 0).then_some(run)
    })
    .filter(|run| run.vectors > 0)
}

/// Queries of a tile that use keys and values as they come from the cache, where products are in registers.
const FEW: usize = 8;

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
unsafe fn scores<S: Lanes, const N: usize>(
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

/// Turns one query's scores of a block into weights, and rescales what it has gathered so far.
#[inline(always)]
unsafe fn softmax<S: Lanes>(p: *mut f32, visible: Range<usize>, hd: usize, sums: &mut Sums) {
    // What is seen of a block, in vectors: nearly always all, which is worth a copy with known bounds.
    let end = if visible.is_empty() { 0 } else { visible.end.next_multiple_of(16) };
    // SAFETY: `p` has BLOCK elements and the sums hd; lanes have the caller's level.
    unsafe {
        for j in (end..BLOCK).step_by(16) {
            S::splat(0.0).store(p.add(j));
        }
        match end {
            0 => {}
            BLOCK => weigh::<S>(p, visible, BLOCK, hd, sums),
            _ => weigh::<S>(p, visible, end, hd, sums),
        }
    }
}

/// [`softmax`] of the positions before `end`.
#[inline(always)]
unsafe fn weigh<S: Lanes>(p: *mut f32, visible: Range<usize>, end: usize, hd: usize, sums: &mut Sums) {
    // SAFETY: `p` has `end` elements and the sums hd; lanes have the caller's level.
    unsafe {
        for j in (0..visible.start).chain(visible.end..end) {
            *p.add(j) = f32::NEG_INFINITY;
        }
        let mut m = S::load(p);
        for j in (16..end).step_by(16) {
            m = m.max(S::load(p.add(j)));
        }
        let new = sums.max.max(m.reduce_max());
        let base = base(new);
        let mut total = S::splat(0.0);
        for j in (0..end).step_by(16) {
            let e = S::load(p.add(j)).sub(S::splat(base)).exp();
            e.store(p.add(j));
            total = total.add(e);
        }
        let total = total.reduce_add();
        // What was gathered relative to another score. Mostly there is none: a factor of 1, or nothing was gathered yet.
        if new > sums.max && sums.max > f32::NEG_INFINITY {
            let mut correction = [0f32; 16];
            S::splat(sums.max - base).exp().store(correction.as_mut_ptr());
            let correction = correction[0];
            sums.sum *= correction;
            for d in (0..hd).step_by(16) {
                let o = sums.o.add(d);
                S::load(o).mul(S::splat(correction)).store(o);
            }
        }
        sums.sum += total;
        sums.max = new;
    }
}
