//! The CPU versions. A tile is 16 successive queries of one sequence and one head, one in each lane, so that keys and values are used
//! where they lie: a score is a sum of (query lane) x (one value of a key), and no lane ever meets another. Keys come in blocks; maxima
//! and sums are kept as they come (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018). Where there are registers
//! for it, two tiles share what is read of keys and values; a lane's arithmetic is the same.

use super::{FullAttentionConsts, FullAttentionParams, MAX_REACH, bias_of, seen};
use crate::act::ActFormat;
use crate::act::cpu::{Row, StoreFn, store_fn};
use crate::cpu::{Call, CpuFn, Level};
use crate::ragged_attention::cpu::Deal;
use crate::simd::{self, Lanes};
use crate::step::RowCount;
use std::ops::Range;

/// Queries of a tile.
const LANES: usize = 16;
/// Keys of a block.
const BLOCK: usize = 64;
/// The widest head whose tile is on the stack; wider ones have the plain twin.
const WIDEST: usize = 256;
/// The widest head of most models: short texts should not wait for a larger tile to be cleared.
const COMMON: usize = 64;
/// Sums at a time, so that additions do not wait for each other.
const SUMS: usize = 8;
/// Biases of a tile: each distance that has its own, and the lanes to either side of them.
const BIASES: usize = 2 * (MAX_REACH as usize + LANES);
/// Far below any score, and no infinity, whose difference with itself is none.
const LOWEST: f32 = -1e30;
/// Added to a score for each row that a key stands outside the window. (2^24 of them are above `LOWEST`, and one is below any score.)
const OUTSIDE: f32 = -1e20;

/// The version for a level.
pub(super) fn select(level: Level, c: &FullAttentionConsts) -> CpuFn {
    let width = c.head_dim as usize;
    if width > WIDEST {
        return super::run;
    }
    macro_rules! by_width {
        ($version:ident) => {
            match (width <= COMMON, c.window == 0 && c.reach == 0) {
                (true, true) => $version::<COMMON, false>,
                (true, false) => $version::<COMMON, true>,
                (false, true) => $version::<WIDEST, false>,
                (false, false) => $version::<WIDEST, true>,
            }
        };
    }
    match level.base() {
        Level::Reference => super::run,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => by_width!(avx512),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => by_width!(avx2),
        #[cfg(target_arch = "aarch64")]
        Level::Neon => by_width!(neon),
        _ => by_width!(plain),
    }
}

/// # Safety
/// As [`CpuFn`], for `full_attention`'s contract, with heads of at most `W`.
unsafe fn plain<const W: usize, const NEAR: bool>(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise.
    unsafe { run::<simd::Plain, 1, W, NEAR>(call, part, parts, store_fn(Level::Portable)) }
}

/// # Safety
/// As [`plain`]; the machine has the level.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,fma")]
unsafe fn avx512<const W: usize, const NEAR: bool>(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { run::<simd::Avx512, 2, W, NEAR>(call, part, parts, store_fn(Level::Avx512)) }
}

/// # Safety
/// As [`plain`]; the machine has the level.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<const W: usize, const NEAR: bool>(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { run::<simd::Avx2, 1, W, NEAR>(call, part, parts, store_fn(Level::Avx2)) }
}

/// # Safety
/// As [`plain`]; the machine has the level.
#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon")]
unsafe fn neon<const W: usize, const NEAR: bool>(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { run::<simd::Neon, 1, W, NEAR>(call, part, parts, store_fn(Level::Neon)) }
}

/// Deals (`T` tiles, head) pairs by their cost and computes this part's.
///
/// # Safety
/// As [`CpuFn`], for this contract, with the lanes' level and heads of at most `W`.
#[inline(always)]
unsafe fn run<S: Lanes, const T: usize, const W: usize, const NEAR: bool>(
    call: &Call<'_>,
    part: u32,
    parts: u32,
    store: StoreFn,
) {
    let c: FullAttentionConsts = call.consts();
    // SAFETY: binding 0 is the step block.
    let step = unsafe { call.step(0) };
    let rows = step.header().rows;
    let run_at = |first: u32| {
        let seq = step.row(first).seq;
        first..(first + 1..rows).find(|r| step.row(*r).seq != seq).unwrap_or(rows)
    };
    let runs = || {
        let next = |r: &Range<u32>| (r.end < rows).then(|| run_at(r.end));
        std::iter::successors((rows > 0).then(|| run_at(0)), next)
    };
    // A unit costs its keys, however many of its lanes are in use.
    let units = |r: &Range<u32>| u64::from((r.end - r.start).div_ceil((T * LANES) as u32));
    let widest = if NEAR && c.window != 0 { 2 * u64::from(c.window) + (T * LANES) as u64 } else { u64::MAX };
    let cost = |r: &Range<u32>| u64::from(RowCount(r.end - r.start)).min(widest);
    let total = runs().map(|r| units(&r) * cost(&r) * u64::from(c.heads)).sum();
    let mut deal = Deal::new(part, parts, total);
    for r in runs() {
        if deal.is_over() {
            return;
        }
        for unit in deal.next(cost(&r), units(&r) as usize * c.heads as usize) {
            // One head after the other: its keys and values stay in the second-level cache.
            let (head, tile) = (unit / units(&r) as usize, unit % units(&r) as usize);
            let keys = r.start as usize..r.end as usize;
            let first = keys.start + tile * T * LANES;
            let queries = first..(first + T * LANES).min(keys.end);
            // SAFETY: shapes by the contract; parts own disjoint (row, head) pairs; a tile's queries are as many as its lanes at most.
            unsafe {
                if T > 1 && queries.len() <= LANES {
                    attend::<S, 1, W, NEAR>(call, &c, keys.clone(), queries, head, store);
                } else {
                    attend::<S, T, W, NEAR>(call, &c, keys.clone(), queries, head, store);
                }
            }
        }
    }
}

/// What is added to scores by the distance of a key.
struct Near {
    /// The first query of the tiles.
    first: i64,
    /// `[2 * reach + 2 * LANES]`: by how far the tile's first query is after the key, less `reach + LANES` at the least; so queries of
    /// successive lanes have successive places. Zeros without a bias.
    biases: [f32; BIASES],
    reach: i64,
    window: Option<f32>,
}

impl Near {
    /// For a head, of tiles from query `first` on.
    ///
    /// # Safety
    /// As [`run`], with a head that there is.
    unsafe fn of(call: &Call<'_>, c: &FullAttentionConsts, first: usize, head: usize) -> Self {
        let mut biases = [0f32; BIASES];
        let reach = i64::from(c.reach);
        if reach != 0 {
            for (i, b) in biases.iter_mut().enumerate() {
                // SAFETY: the caller's promise.
                *b = unsafe { bias_of(call, c, reach + LANES as i64 - i as i64, head) };
            }
        }
        let window = (c.window != 0).then_some(c.window as f32);
        Self { first: first as i64, biases, reach, window }
    }

    /// Scores of tile `t`'s queries for key `j` with what is added to them.
    ///
    /// # Safety
    /// As the lanes' own methods.
    #[inline(always)]
    unsafe fn add<S: Lanes>(&self, scores: S, j: usize, t: usize) -> S {
        const LANE: [f32; LANES] = [0., 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12., 13., 14., 15.];
        // How far the first lane's query is after the key.
        let after = self.first + (t * LANES) as i64 - j as i64;
        let place = (after + self.reach + LANES as i64).clamp(0, 2 * self.reach + LANES as i64) as usize;
        // SAFETY: the lanes' level by the caller; after `place` there are `LANES` biases, as the reach is at most `MAX_REACH`.
        unsafe {
            let scores = scores.add(S::load(self.biases[place..].as_ptr()));
            let Some(window) = self.window else { return scores };
            let after = S::splat(after as f32).add(S::load(LANE.as_ptr()));
            let far = after.max(S::splat(0.0).sub(after));
            let outside = far.sub(S::splat(window)).max(S::splat(0.0));
            outside.fma(S::splat(OUTSIDE), scores)
        }
    }
}

/// `T` tiles.
///
/// # Safety
/// As [`run`]; `queries`, `T` x `LANES` at most, and `head` are this part's alone.
#[inline(always)]
unsafe fn attend<S: Lanes, const T: usize, const W: usize, const NEAR: bool>(
    call: &Call<'_>,
    c: &FullAttentionConsts,
    keys: Range<usize>,
    queries: Range<usize>,
    head: usize,
    store: StoreFn,
) {
    let (h, hd) = (c.heads as usize, c.head_dim as usize);
    let Some(format) = ActFormat::from_word(c.act) else { return };
    let scale = call.params::<FullAttentionParams>().scale;
    let at = |row: usize, which: usize| (row * 3 + which) * h * hd + head * hd;
    let mut q = [[[0f32; LANES]; T]; W];
    let mut out = [[[0f32; LANES]; T]; W];
    let mut scores = [[[0f32; LANES]; T]; BLOCK];
    // SAFETY: rows lie inside qkv by the contract, and `hd` is at most W by `select`; loads and stores are of whole arrays.
    unsafe {
        for (i, row) in queries.clone().enumerate() {
            for (d, v) in call.slice::<f32>(1, at(row, 0), hd).iter().enumerate() {
                q[d][i / LANES][i % LANES] = v * scale;
            }
        }
        let near = if NEAR { Some(Near::of(call, c, queries.start, head)) } else { None };
        let keys = if NEAR { seen(c.window, &keys, queries.start, queries.end - 1) } else { keys };
        let (mut most, mut sum) = ([S::splat(LOWEST); T], [S::splat(0.0); T]);
        for from in keys.clone().step_by(BLOCK) {
            let n = BLOCK.min(keys.end - from);
            let mut best = most;
            for j in (0..n).step_by(SUMS) {
                let mut s = [[S::splat(0.0); T]; SUMS];
                // The last keys of a block stand in for those after it.
                let k: [&[f32]; SUMS] =
                    std::array::from_fn(|i| call.slice::<f32>(1, at(from + (j + i).min(n - 1), 1), hd));
                for (d, q) in q.iter().enumerate().take(hd) {
                    let mut lanes = [S::splat(0.0); T];
                    for t in 0..T {
                        lanes[t] = S::load(q[t].as_ptr());
                    }
                    for i in 0..SUMS {
                        let k = S::splat(*k[i].get_unchecked(d));
                        for t in 0..T {
                            s[i][t] = lanes[t].fma(k, s[i][t]);
                        }
                    }
                }
                for (i, mut s) in s.into_iter().enumerate().take(n - j) {
                    for t in 0..T {
                        if let Some(near) = &near {
                            s[t] = near.add(s[t], from + j + i, t);
                        }
                        s[t].store(scores[j + i][t].as_mut_ptr());
                        best[t] = best[t].max(s[t]);
                    }
                }
            }
            let mut shrink = [S::splat(0.0); T];
            for t in 0..T {
                shrink[t] = most[t].sub(best[t]).exp();
                sum[t] = sum[t].mul(shrink[t]);
            }
            most = best;
            for s in &mut scores[..n] {
                for t in 0..T {
                    let w = S::load(s[t].as_ptr()).sub(most[t]).exp();
                    sum[t] = sum[t].add(w);
                    w.store(s[t].as_mut_ptr());
                }
            }
            let mut d = 0;
            while d < hd {
                let wide = SUMS.min(hd - d);
                let mut o = [[S::splat(0.0); T]; SUMS];
                for i in 0..SUMS {
                    for t in 0..T {
                        o[i][t] = S::load(out[d + i.min(wide - 1)][t].as_ptr()).mul(shrink[t]);
                    }
                }
                for (j, s) in scores[..n].iter().enumerate() {
                    let mut w = [S::splat(0.0); T];
                    for t in 0..T {
                        w[t] = S::load(s[t].as_ptr());
                    }
                    let v = call.slice::<f32>(1, at(from + j, 2) + d, wide);
                    for i in 0..SUMS {
                        let v = S::splat(*v.get_unchecked(i.min(wide - 1)));
                        for t in 0..T {
                            o[i][t] = w[t].fma(v, o[i][t]);
                        }
                    }
                }
                for (i, o) in o.into_iter().enumerate().take(wide) {
                    for t in 0..T {
                        o[t].store(out[d + i][t].as_mut_ptr());
                    }
                }
                d += wide;
            }
        }
        let mut sums = [[0f32; LANES]; T];
        for t in 0..T {
            sum[t].store(sums[t].as_mut_ptr());
        }
        let mut y = [0f32; W];
        for (i, r) in queries.enumerate() {
            let (t, lane) = (i / LANES, i % LANES);
            for d in 0..hd {
                y[d] = out[d][t][lane] / sums[t][lane];
            }
            let row = Row { call, binding: 4, format, row: r, k: h * hd };
            store(format, row.bytes(head * hd..(head + 1) * hd), 0, &y[..hd]);
        }
    }
}
