//! The CPU versions. A tile is 16 successive queries of one sequence and one head, one in each lane, so that keys and values are used
//! where they lie: a score is a sum of (query lane) x (one value of a key), and no lane ever meets another. Keys come in blocks; maxima
//! and sums are kept as they come (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018).

use super::{FullAttentionConsts, FullAttentionParams};
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
/// Sums at a time, so that additions do not wait for each other.
const SUMS: usize = 8;

/// The version for a level.
pub(super) fn select(level: Level, c: &FullAttentionConsts) -> CpuFn {
    if c.head_dim as usize > WIDEST {
        return super::run;
    }
    match level.base() {
        Level::Reference => super::run,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => avx512,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2,
        #[cfg(target_arch = "aarch64")]
        Level::Neon => neon,
        _ => plain,
    }
}

/// # Safety
/// As [`CpuFn`], for `full_attention`'s contract.
unsafe fn plain(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise.
    unsafe { run::<simd::Plain>(call, part, parts, store_fn(Level::Portable)) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,fma")]
unsafe fn avx512(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { run::<simd::Avx512>(call, part, parts, store_fn(Level::Avx512)) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { run::<simd::Avx2>(call, part, parts, store_fn(Level::Avx2)) }
}

#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon")]
unsafe fn neon(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { run::<simd::Neon>(call, part, parts, store_fn(Level::Neon)) }
}

/// Deals (tile, head) pairs by their cost and computes this part's.
///
/// # Safety
/// As [`CpuFn`], for this contract, with the lanes' level.
#[inline(always)]
unsafe fn run<S: Lanes>(call: &Call<'_>, part: u32, parts: u32, store: StoreFn) {
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
    // A tile costs its keys, however many of its lanes are in use.
    let tiles = |r: &Range<u32>| u64::from((r.end - r.start).div_ceil(LANES as u32));
    let cost = |r: &Range<u32>| u64::from(RowCount(r.end - r.start));
    let total = runs().map(|r| tiles(&r) * cost(&r) * u64::from(c.heads)).sum();
    let mut deal = Deal::new(part, parts, total);
    for r in runs() {
        if deal.is_over() {
            return;
        }
        for unit in deal.next(cost(&r), tiles(&r) as usize * c.heads as usize) {
            let (tile, head) = (unit / c.heads as usize, unit % c.heads as usize);
            let keys = r.start as usize..r.end as usize;
            let first = keys.start + tile * LANES;
            // SAFETY: shapes by the contract; parts own disjoint (row, head) pairs.
            unsafe { attend::<S>(call, &c, keys.clone(), first..(first + LANES).min(keys.end), head, store) }
        }
    }
}

/// One tile.
///
/// # Safety
/// As [`run`]; `queries` and `head` are this part's alone.
#[inline(always)]
unsafe fn attend<S: Lanes>(
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
    let mut q = [[0f32; LANES]; WIDEST];
    let mut out = [[0f32; LANES]; WIDEST];
    let mut scores = [[0f32; LANES]; BLOCK];
    // SAFETY: rows lie inside qkv by the contract, and `hd` is at most WIDEST by `select`; loads and stores are of whole arrays.
    unsafe {
        for (lane, row) in queries.clone().enumerate() {
            for (d, v) in call.slice::<f32>(1, at(row, 0), hd).iter().enumerate() {
                q[d][lane] = v * scale;
            }
        }
        // (Far below any score, and no infinity, whose difference with itself is none.)
        let (mut most, mut sum) = (S::splat(-1e30), S::splat(0.0));
        for from in keys.clone().step_by(BLOCK) {
            let n = BLOCK.min(keys.end - from);
            let mut best = most;
            for j in (0..n).step_by(SUMS) {
                let mut s = [S::splat(0.0); SUMS];
                // The last keys of a block stand in for those after it.
                let k: [&[f32]; SUMS] =
                    std::array::from_fn(|i| call.slice::<f32>(1, at(from + (j + i).min(n - 1), 1), hd));
                for d in 0..hd {
                    let lanes = S::load(q[d].as_ptr());
                    for i in 0..SUMS {
                        s[i] = lanes.fma(S::splat(*k[i].get_unchecked(d)), s[i]);
                    }
                }
                for (i, s) in s.into_iter().enumerate().take(n - j) {
                    s.store(scores[j + i].as_mut_ptr());
                    best = best.max(s);
                }
            }
            let shrink = most.sub(best).exp();
            most = best;
            sum = sum.mul(shrink);
            for s in &mut scores[..n] {
                let w = S::load(s.as_ptr()).sub(most).exp();
                sum = sum.add(w);
                w.store(s.as_mut_ptr());
            }
            let mut d = 0;
            while d < hd {
                let wide = SUMS.min(hd - d);
                let mut o: [S; SUMS] =
                    std::array::from_fn(|i| S::load(out[d + i.min(wide - 1)].as_ptr()).mul(shrink));
                for (j, s) in scores[..n].iter().enumerate() {
                    let w = S::load(s.as_ptr());
                    let v = call.slice::<f32>(1, at(from + j, 2) + d, wide);
                    for i in 0..SUMS {
                        o[i] = w.fma(S::splat(*v.get_unchecked(i.min(wide - 1))), o[i]);
                    }
                }
                for (i, o) in o.into_iter().enumerate().take(wide) {
                    o.store(out[d + i].as_mut_ptr());
                }
                d += wide;
            }
        }
        let mut sums = [0f32; LANES];
        sum.store(sums.as_mut_ptr());
        let mut y = [0f32; WIDEST];
        for (lane, r) in queries.enumerate() {
            for d in 0..hd {
                y[d] = out[d][lane] / sums[lane];
            }
            let row = Row { call, binding: 2, format, row: r, k: h * hd };
            store(format, row.bytes(head * hd..(head + 1) * hd), 0, &y[..hd]);
        }
    }
}
