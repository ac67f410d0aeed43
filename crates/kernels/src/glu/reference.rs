//! The plain twin, and the same loop with a vectorisable exponential for the other levels.

use super::{Activation, GluConsts, plain_store, run};
use crate::act;
use crate::cpu::{Call, CpuFn, Level};

/// The version for a level.
pub fn select(level: Level) -> CpuFn {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 | Level::Avx512Bf16 => fast_avx512,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => fast_avx2,
        Level::Reference => plain,
        _ => fast_portable,
    }
}

/// # Safety
/// As [`CpuFn`], for `glu`'s contract.
unsafe fn plain(call: &Call<'_>, part: u32, parts: u32) {
    let c: GluConsts = call.consts();
    // SAFETY: the caller's promise.
    unsafe {
        run(call, part, parts, plain_store(), |g, u, y| {
            for i in 0..y.len() {
                let a = if c.activation == Activation::Silu as u32 { silu(g[i]) } else { gelu_tanh(g[i]) };
                y[i] = a * u[i];
            }
        });
    }
}

fn silu(x: f32) -> f32 {
    x / (1.0 + (-x).exp())
}

fn gelu_tanh(x: f32) -> f32 {
    0.5 * x * (1.0 + (0.797_884_6 * (x + 0.044_715 * x * x * x)).tanh())
}

/// e^x in f32 within 2 units in the last place over the range that matters: 2^n times a degree-6 polynomial
/// on [-ln2/2, ln2/2] (Taylor coefficients; the truncation error there is below 2^-26). Branch-free, so the
/// compiler vectorises loops over it.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.0, 88.0);
    let n = (x * std::f32::consts::LOG2_E + 12_582_912.0) - 12_582_912.0;
    let r = n.mul_add(-0.693_359_4, x);
    let r = n.mul_add(2.121_944_4e-4, r);
    let mut p = 1.0 / 720.0;
    for c in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        p = r.mul_add(p, c);
    }
    let bits = (n as i32 + 127) << 23;
    p * f32::from_bits(bits as u32)
}

#[inline(always)]
fn fast(c: &GluConsts, g: &[f32], u: &[f32], y: &mut [f32]) {
    let n = y.len();
    let (g, u) = (&g[..n], &u[..n]);
    if c.activation == Activation::Silu as u32 {
        for i in 0..n {
            y[i] = g[i] / (1.0 + exp(-g[i])) * u[i];
        }
    } else {
        for i in 0..n {
            // 0.5 (1 + tanh z) = 1 / (1 + e^(-2z))
            let z = 0.797_884_6 * (g[i] + 0.044_715 * g[i] * g[i] * g[i]);
            y[i] = g[i] / (1.0 + exp(-2.0 * z)) * u[i];
        }
    }
}

unsafe fn fast_portable(call: &Call<'_>, part: u32, parts: u32) {
    let c: GluConsts = call.consts();
    // SAFETY: the caller's promise.
    unsafe { run(call, part, parts, act::cpu::store_fn(Level::Portable), |g, u, y| fast(&c, g, u, y)) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,fma")]
unsafe fn fast_avx512(call: &Call<'_>, part: u32, parts: u32) {
    let c: GluConsts = call.consts();
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { run(call, part, parts, act::cpu::store_fn(Level::Avx512), |g, u, y| fast(&c, g, u, y)) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn fast_avx2(call: &Call<'_>, part: u32, parts: u32) {
    let c: GluConsts = call.consts();
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { run(call, part, parts, act::cpu::store_fn(Level::Avx2), |g, u, y| fast(&c, g, u, y)) }
}
