//! The plain twin, and the same loop with a vectorisable exponential for the other levels.

use super::{Activation, GluConsts, run};
use crate::act;
use crate::activate::cpu::{erf_fast, exact};
use crate::cpu::{Call, CpuFn, Level};

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
/// As [`CpuFn`], for `glu`'s contract.
unsafe fn plain(call: &Call<'_>, part: u32, parts: u32) {
    let c: GluConsts = call.consts();
    // SAFETY: the caller's promise.
    unsafe {
        run(call, part, parts, act::cpu::store_fn(Level::Reference), |g, u, y| {
            for i in 0..y.len() {
                y[i] = gate(c.activation, g[i]) * u[i];
            }
        });
    }
}

/// The gate's activation, by the constant.
pub(crate) fn gate(activation: u32, x: f32) -> f32 {
    match Activation::from_word(activation) {
        Some(Activation::Silu) => silu(x),
        Some(other @ Activation::GeluErf) => exact(other, x),
        _ => gelu_tanh(x),
    }
}

fn silu(x: f32) -> f32 {
    x / (1.0 + (-x).exp())
}

fn gelu_tanh(x: f32) -> f32 {
    0.5 * x * (1.0 + (0.797_884_6 * (x + 0.044_715 * x * x * x)).tanh())
}

/// e^x in f32 within 2 units in the last place on [-87, 88], and the value at the nearer end outside it; NaN stays
/// NaN. 2^n times a degree-7 polynomial on [-ln2/2, ln2/2] (Taylor coefficients; the truncation error there is
/// below 2^-27). Branch-free and without fused operations, so that the compiler vectorises loops over it at every
/// level, with the same bits.
///
/// The part of ln 2 taken off first has 9 bits, so its product with n is exact.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.0, 88.0);
    // The sum's low bits are n. (A conversion to an integer saturates, which keeps loops from being vectorised.)
    let t = x * std::f32::consts::LOG2_E + 12_582_912.0;
    let n = t - 12_582_912.0;
    let r = x - n * (355.0 / 512.0);
    let r = r + n * 2.121_944_4e-4;
    let mut p = 1.0 / 5040.0;
    for c in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        p = r * p + c;
    }
    p * f32::from_bits((t.to_bits().wrapping_add(127)) << 23)
}

#[inline(always)]
fn fast(c: &GluConsts, g: &[f32], u: &[f32], y: &mut [f32]) {
    let n = y.len();
    let (g, u) = (&g[..n], &u[..n]);
    if c.activation == Activation::Silu as u32 {
        for i in 0..n {
            y[i] = g[i] / (1.0 + exp(-g[i])) * u[i];
        }
    } else if c.activation == Activation::GeluErf as u32 {
        for i in 0..n {
            y[i] = 0.5 * g[i] * (1.0 + erf_fast(g[i] * std::f32::consts::FRAC_1_SQRT_2)) * u[i];
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

#[cfg(test)]
mod tests {
    use super::exp;

    /// The distance from the exact value in units in the last place of its f32 form.
    fn ulps(got: f32, want: f64) -> f64 {
        let near = want as f32;
        let ulp = f64::from(f32::from_bits(near.to_bits() + 1)) - f64::from(near);
        (f64::from(got) - want).abs() / ulp
    }

    /// Rounding adds up to 1.5 units, most of it in the last two steps of the polynomial when the result is just
    /// below a power of two; its truncation adds 0.1.
    #[test]
    fn exp_is_within_two_units_in_the_last_place() {
        let mut worst = (0.0, 0.0);
        let steps = 4_000_000;
        for i in 0..=steps {
            let x = -87.0 + 175.0 * (f64::from(i) / f64::from(steps)) as f32;
            let e = ulps(exp(x), f64::from(x).exp());
            if e > worst.0 {
                worst = (e, x);
            }
        }
        println!("largest error {} ulp at {}", worst.0, worst.1);
        assert!(worst.0 <= 2.0, "{} ulp at {}", worst.0, worst.1);
    }

    #[test]
    fn exp_is_defined_everywhere() {
        assert_eq!((exp(0.0), exp(-0.0)), (1.0, 1.0));
        for x in [88.5, 100.0, 1e30, f32::INFINITY] {
            assert_eq!(exp(x), exp(88.0));
            assert_eq!(exp(-x), exp(-87.0));
        }
        assert!(exp(88.0).is_finite() && exp(-87.0) > 0.0);
        assert!(exp(f32::NAN).is_nan());
    }
}
