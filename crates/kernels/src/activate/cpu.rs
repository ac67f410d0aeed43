//! The plain twin with the exact functions, and loops that the compiler vectorises for the other levels.

use super::ActivateConsts;
use crate::act::ActFormat;
use crate::act::cpu::{Row, StoreFn, store_fn};
use crate::cpu::{Call, CpuFn, Level, share};
use crate::glu::functions::{erf_fast, exact, exp};
use crate::glu::{Activation, CHUNK};

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
/// As [`CpuFn`], for `activate`'s contract.
unsafe fn plain(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        run(call, part, parts, store_fn(Level::Reference), |activation, y| {
            for v in y {
                *v = exact(activation, *v);
            }
        });
    }
}

/// Activations in place, in loops that the compiler vectorises.
#[inline(always)]
pub(crate) fn fast(activation: Activation, y: &mut [f32]) {
    match activation {
        Activation::Silu => y.iter_mut().for_each(|v| *v /= 1.0 + exp(-*v)),
        Activation::GeluTanh => y.iter_mut().for_each(|v| {
            // 0.5 (1 + tanh z) = 1 / (1 + e^(-2z))
            let z = 0.797_884_6 * (*v + 0.044_715 * *v * *v * *v);
            *v /= 1.0 + exp(-2.0 * z);
        }),
        Activation::GeluErf => {
            y.iter_mut().for_each(|v| *v = 0.5 * *v * (1.0 + erf_fast(*v * std::f32::consts::FRAC_1_SQRT_2)));
        }
        Activation::Relu => y.iter_mut().for_each(|v| *v = v.max(0.0)),
    }
}

unsafe fn fast_portable(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        run(call, part, parts, store_fn(Level::Portable), |a, y| {
            fast(a, y);
        })
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,fma")]
unsafe fn fast_avx512(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe {
        run(call, part, parts, store_fn(Level::Avx512), |a, y| {
            fast(a, y);
        })
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn fast_avx2(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe {
        run(call, part, parts, store_fn(Level::Avx2), |a, y| {
            fast(a, y);
        })
    }
}

/// The loop around a level's function of one chunk, in place. That is a closure, which has the level of where it stands: the name of a
/// function would stand for one without a level.
///
/// # Safety
/// As [`CpuFn`], for this contract.
#[inline(always)]
unsafe fn run(
    call: &Call<'_>,
    part: u32,
    parts: u32,
    store: StoreFn,
    function: impl Fn(Activation, &mut [f32]),
) {
    let c: ActivateConsts = call.consts();
    let f = c.f as usize;
    let (Some(format), Some(activation)) = (ActFormat::from_word(c.act), Activation::from_word(c.activation))
    else {
        return;
    };
    let chunks = f.div_ceil(CHUNK);
    // SAFETY: shapes by the contract; parts own disjoint (row, chunk) pairs, whose bytes in the output row are disjoint because CHUNK is
    // a multiple of every format's block.
    unsafe {
        let rows = call.step(0).header().rows as usize;
        for unit in share(rows * chunks, part, parts) {
            let (r, from) = (unit / chunks, unit % chunks * CHUNK);
            let m = CHUNK.min(f - from);
            let x = call.slice::<f32>(1, r * f + from, m);
            let bias = call.slice::<f32>(2, from, m);
            let mut y = [0f32; CHUNK];
            for i in 0..m {
                y[i] = x[i] + bias[i];
            }
            function(activation, &mut y[..m]);
            let row = Row { call, binding: 3, format, row: r, k: f };
            store(format, row.bytes(from..from + m), 0, &y[..m]);
        }
    }
}
