//! The CPU versions. Scores have 16 positions in 16 lanes, since keys lie so; values have 16 columns in 16 lanes. A row and head are
//! computed alone and in one order, so neither other rows nor the number of workers change a bit.

use super::{CrossAttentionConsts, CrossAttentionParams, source_of};
use crate::act::ActFormat;
use crate::act::cpu::{Row, StoreFn, store_fn};
use crate::cpu::{Call, CpuFn, Level, share};
use crate::cross_kv::Places;
use crate::kv::KvFormat;
use crate::simd::{self, Lanes};
use half::f16;

/// The most columns whose scores are on the stack; more have the plain twin.
pub(crate) const COLUMNS: usize = 2048;
/// The widest head whose sums are in registers, 16 columns in each.
const WIDEST: usize = 128;
/// Channels of the keys that are added at a time, so that scores are read and written once for several.
const CHANNELS: usize = 4;

/// The version for a level.
pub(super) fn select(level: Level, c: &CrossAttentionConsts) -> CpuFn {
    let columns = c.positions.next_multiple_of(16) as usize;
    let hd = c.head_dim as usize;
    if columns > COLUMNS || hd > WIDEST || !hd.is_multiple_of(16) {
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
/// As [`CpuFn`], for `cross_attention`'s contract.
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
#[target_feature(enable = "avx2,fma,f16c")]
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

/// # Safety
/// As [`CpuFn`], for this contract, with the lanes' level.
#[inline(always)]
unsafe fn run<S: Lanes>(call: &Call<'_>, part: u32, parts: u32, store: StoreFn) {
    let c: CrossAttentionConsts = call.consts();
    let f32s = c.format == KvFormat::F32 as u32;
    let p = Places::of(c.heads, c.head_dim, c.positions);
    let Some(format) = ActFormat::from_word(c.act) else { return };
    let hd = p.head_dim;
    // SAFETY: shapes by the contract; `select` bounds columns and heads; parts own disjoint (row, head) pairs.
    unsafe {
        for unit in share(call.step(0).header().rows as usize * p.heads, part, parts) {
            let (r, head) = (unit / p.heads, unit % p.heads);
            let at = p.head(source_of(call, &c, r), head);
            let out = if f32s {
                let load = |binding: usize, i: usize| S::load(call.bufs[binding].ptr.cast::<f32>().add(i));
                attend::<S>(call, &c, &p, (r, head, at), load)
            } else {
                let load =
                    |binding: usize, i: usize| S::load_f16(call.bufs[binding].ptr.cast::<f16>().add(i));
                attend::<S>(call, &c, &p, (r, head, at), load)
            };
            let row = Row { call, binding: 5, format, row: r, k: p.heads * hd };
            store(format, row.bytes(head * hd..(head + 1) * hd), 0, &out[..hd]);
        }
    }
}

/// One head of one row. `load` gives 16 elements of a binding from an index on.
///
/// # Safety
/// As [`run`].
#[inline(always)]
unsafe fn attend<S: Lanes>(
    call: &Call<'_>,
    c: &CrossAttentionConsts,
    p: &Places,
    (r, head, at): (usize, usize, usize),
    load: impl Fn(usize, usize) -> S,
) -> [f32; WIDEST] {
    let (hd, columns, positions) = (p.head_dim, p.columns, c.positions as usize);
    let scale = call.params::<CrossAttentionParams>().scale;
    let mut scores = [0f32; COLUMNS];
    let mut out = [0f32; WIDEST];
    // SAFETY: a head has `hd * columns` elements from `at` on in both bindings, columns are a multiple of 16 and at most COLUMNS, `hd` is a
    // multiple of 16 and at most WIDEST; scores and out are whole arrays.
    unsafe {
        let q = call.slice::<f32>(1, (r * p.heads + head) * hd, hd);
        score::<S>(q, scale, columns, &mut scores, |i| load(3, at + i));
        // (What is after the positions was never written.)
        scores[positions..columns].fill(-1e30);
        let mut most = S::splat(-1e30);
        for j in (0..columns).step_by(16) {
            most = most.max(S::load(scores.as_ptr().add(j)));
        }
        let most = S::splat(most.reduce_max());
        let mut sum = S::splat(0.0);
        for j in (0..columns).step_by(16) {
            let w = S::load(scores.as_ptr().add(j)).sub(most).exp();
            sum = sum.add(w);
            w.store(scores.as_mut_ptr().add(j));
        }
        let sum = sum.reduce_add();
        let mut sums = [[S::splat(0.0); WIDEST / 16]; 2];
        for (j, w) in scores[..positions].iter().enumerate() {
            let w = S::splat(*w);
            for d in 0..hd / 16 {
                let s = &mut sums[j % 2][d];
                *s = w.fma(load(4, at + j * hd + d * 16), *s);
            }
        }
        for d in 0..hd / 16 {
            sums[0][d].add(sums[1][d]).store(out.as_mut_ptr().add(d * 16));
        }
        out[..hd].iter_mut().for_each(|o| *o /= sum);
    }
    out
}

/// Scores of one head of a row, of so many columns, added to what `scores` has. `load` gives 16 of the head's keys from an element on.
///
/// # Safety
/// The machine has the lanes' level; columns are a multiple of 16 and at most COLUMNS, and `load` may be asked for any 16 of a head's
/// `q.len() * columns` elements.
#[inline(always)]
pub(crate) unsafe fn score<S: Lanes>(
    q: &[f32],
    scale: f32,
    columns: usize,
    scores: &mut [f32; COLUMNS],
    load: impl Fn(usize) -> S,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let all = q.chunks_exact(CHANNELS);
        let rest = all.remainder();
        let whole = q.len() - rest.len();
        for (i, q) in all.enumerate() {
            let q: [S; CHANNELS] = std::array::from_fn(|k| S::splat(q[k] * scale));
            let from = i * CHANNELS * columns;
            for j in (0..columns).step_by(16) {
                let mut s = S::load(scores.as_ptr().add(j));
                for (k, q) in q.iter().enumerate() {
                    s = q.fma(load(from + k * columns + j), s);
                }
                s.store(scores.as_mut_ptr().add(j));
            }
        }
        // (Heads whose width is no multiple.)
        for (d, q) in rest.iter().enumerate() {
            let (q, from) = (S::splat(q * scale), (whole + d) * columns);
            for j in (0..columns).step_by(16) {
                let s = S::load(scores.as_ptr().add(j));
                q.fma(load(from + j), s).store(scores.as_mut_ptr().add(j));
            }
        }
    }
}
