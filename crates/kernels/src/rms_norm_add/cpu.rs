//! The norm of `rms_norm` in 16 lanes, at every level with the same bits, and the sum.

use super::RmsNormAddConsts;
use crate::cpu::{Call, CpuFn, Level, share};
use crate::rms_norm::RmsNormParams;
use crate::rms_norm::cpu::{CHUNK, mean_square, scale};
use crate::simd::{self, Lanes};

/// The version for a level.
pub(super) fn select(level: Level) -> CpuFn {
    match level.base() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => add_avx512,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => add_avx2,
        #[cfg(target_arch = "aarch64")]
        Level::Neon => add_neon,
        _ => add_plain,
    }
}

/// # Safety
/// As [`CpuFn`], for `rms_norm_add`'s contract.
unsafe fn add_plain(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise.
    unsafe { add::<simd::Plain>(call, part, parts) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,fma")]
unsafe fn add_avx512(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { add::<simd::Avx512>(call, part, parts) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn add_avx2(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { add::<simd::Avx2>(call, part, parts) }
}

#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon")]
unsafe fn add_neon(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { add::<simd::Neon>(call, part, parts) }
}

/// # Safety
/// As [`CpuFn`], for `rms_norm_add`'s contract, with the lanes' level.
#[inline(always)]
unsafe fn add<S: Lanes>(call: &Call<'_>, part: u32, parts: u32) {
    let c: RmsNormAddConsts = call.consts();
    let p: RmsNormParams = call.params();
    let d = c.d as usize;
    // SAFETY: shapes by the contract; parts own disjoint rows. The residual may be the output itself, so a piece of it
    // is read before that piece is written, through pointers and not slices.
    unsafe {
        let n = call.step(0).header().rows as usize;
        let w = call.slice::<f32>(2, 0, d);
        for r in share(n, part, parts) {
            let x = call.slice::<f32>(1, r * d, d);
            let base = call.bufs[3].ptr.cast::<f32>().add(r * d);
            let out = call.bufs[4].ptr.cast::<f32>().add(r * d);
            let inv = 1.0 / (mean_square::<S>(x) + p.eps).sqrt();
            let mut y = [0f32; CHUNK];
            for from in (0..d).step_by(CHUNK) {
                let m = CHUNK.min(d - from);
                scale::<S>(&mut y[..m], &x[from..from + m], inv, &w[from..from + m]);
                for (i, y) in y[..m].iter().enumerate() {
                    *out.add(from + i) = *base.add(from + i) + y;
                }
            }
        }
    }
}
