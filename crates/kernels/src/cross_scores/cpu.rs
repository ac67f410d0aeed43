//! The CPU versions: 16 positions in 16 lanes, as in `cross_attention`.

use super::{CrossScoresConsts, CrossScoresParams, keys_of};
use crate::cpu::{Call, CpuFn, Level, share};
use crate::cross_attention::cpu::{COLUMNS, score};
use crate::cross_kv::Places;
use crate::kv::KvFormat;
use crate::simd::{self, Lanes};
use half::f16;

/// The version for a level.
pub(super) fn select(level: Level, c: &CrossScoresConsts) -> CpuFn {
    if c.positions.next_multiple_of(16) as usize > COLUMNS {
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
/// As [`CpuFn`], for `cross_scores`' contract.
unsafe fn plain(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise.
    unsafe { run::<simd::Plain>(call, part, parts) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,fma")]
unsafe fn avx512(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { run::<simd::Avx512>(call, part, parts) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn avx2(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { run::<simd::Avx2>(call, part, parts) }
}

#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon")]
unsafe fn neon(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { run::<simd::Neon>(call, part, parts) }
}

/// # Safety
/// As [`CpuFn`], for this contract, with the lanes' level.
#[inline(always)]
unsafe fn run<S: Lanes>(call: &Call<'_>, part: u32, parts: u32) {
    let c: CrossScoresConsts = call.consts();
    let params: CrossScoresParams = call.params();
    let head = params.head.min(c.heads - 1) as usize;
    let p = Places::of(c.heads, c.head_dim, c.positions);
    let (hd, positions) = (p.head_dim, c.positions as usize);
    // SAFETY: shapes by the contract; `select` bounds columns, so a head's `hd * columns` keys are those that are read; parts own disjoint
    // rows.
    unsafe {
        for r in share(call.step(0).header().rows as usize, part, parts) {
            let at = keys_of(call, &c, &p, r, head);
            let q = call.slice::<f32>(1, (r * p.heads + head) * hd, hd);
            let mut scores = [0f32; COLUMNS];
            if c.format == KvFormat::F32 as u32 {
                let keys = call.bufs[3].ptr.cast::<f32>().add(at);
                score::<S>(q, params.scale, p.columns, &mut scores, |i| S::load(keys.add(i)));
            } else {
                let keys = call.bufs[3].ptr.cast::<f16>().add(at);
                score::<S>(q, params.scale, p.columns, &mut scores, |i| S::load_f16(keys.add(i)));
            }
            call.slice_mut::<f32>(4, r * positions, positions).copy_from_slice(&scores[..positions]);
        }
    }
}
