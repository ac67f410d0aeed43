//! The plain twin with `activate`'s exact functions, and its loops for the other levels.

use super::ActivatePositionsConsts;
use crate::activate::cpu::fast;
use crate::cpu::{Call, CpuFn, Level, share};
use crate::glu::Activation;
use crate::glu::functions::exact;

/// The version for a level.
pub(super) fn select(level: Level) -> CpuFn {
    match level.base() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => fast_avx512,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => fast_avx2,
        Level::Reference => plain,
        _ => fast_portable,
    }
}

/// # Safety
/// As [`CpuFn`], for `activate_positions`' contract.
unsafe fn plain(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise.
    unsafe { run(call, part, parts, |activation, y| y.iter_mut().for_each(|v| *v = exact(activation, *v))) }
}

/// # Safety
/// As [`CpuFn`], for `activate_positions`' contract.
unsafe fn fast_portable(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        run(call, part, parts, |a, y| {
            fast(a, y);
        })
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,fma")]
unsafe fn fast_avx512(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe {
        run(call, part, parts, |a, y| {
            fast(a, y);
        })
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn fast_avx2(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe {
        run(call, part, parts, |a, y| {
            fast(a, y);
        })
    }
}

/// The loop around a level's function of one row, in place: a closure, as in `activate`.
///
/// # Safety
/// As [`CpuFn`], for this contract.
#[inline(always)]
unsafe fn run(call: &Call<'_>, part: u32, parts: u32, function: impl Fn(Activation, &mut [f32])) {
    let c: ActivatePositionsConsts = call.consts();
    let d = c.d as usize;
    let Some(activation) = Activation::from_word(c.activation) else { return };
    // SAFETY: shapes by the contract; parts own disjoint rows; the row of the table is clamped to it.
    unsafe {
        let step = call.step(0);
        let bias = call.slice::<f32>(2, 0, d);
        for r in share(step.header().rows as usize, part, parts) {
            let at = step.row(r as u32).pos.0.min(c.positions - 1) as usize;
            let (x, position) = (call.slice::<f32>(1, r * d, d), call.slice::<f32>(3, at * d, d));
            let y = call.slice_mut::<f32>(4, r * d, d);
            for i in 0..d {
                y[i] = x[i] + bias[i];
            }
            function(activation, y);
            for i in 0..d {
                y[i] += position[i];
            }
        }
    }
}
