//! The plain twin with the exact functions, and loops that the compiler vectorises for the other levels.

use super::ActivateConsts;
use crate::act::ActFormat;
use crate::act::cpu::{Row, StoreFn, store_fn};
use crate::cpu::{Call, CpuFn, Level, share};
use crate::glu::cpu::exp;
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

/// An activation of one value, in f64.
pub(crate) fn exact(activation: Activation, v: f32) -> f32 {
    let x = f64::from(v);
    let y = match activation {
        Activation::Silu => x / (1.0 + (-x).exp()),
        Activation::GeluTanh => {
            0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x * x * x)).tanh())
        }
        Activation::GeluErf => 0.5 * x * (1.0 + erf(f64::from(v) * std::f64::consts::FRAC_1_SQRT_2)),
        Activation::Relu => x.max(0.0),
    };
    y as f32
}

/// The error function within 1e-14: its series below 3, its continued fraction above (Abramowitz and Stegun 7.1.6, 7.1.14).
fn erf(x: f64) -> f64 {
    let a = x.abs();
    if a.is_nan() {
        return x;
    }
    if a > 6.0 {
        return 1f64.copysign(x);
    }
    let y = if a < 3.0 {
        let (mut term, mut sum, mut n) = (a, a, 0.0);
        while term > sum * 1e-17 && n < 200.0 {
            n += 1.0;
            term *= 2.0 * a * a / (2.0 * n + 1.0);
            sum += term;
        }
        sum * (-a * a).exp() * std::f64::consts::FRAC_2_SQRT_PI
    } else {
        let mut f = 0.0;
        for k in (1..=60).rev() {
            f = f64::from(k) / 2.0 / (a + f);
        }
        1.0 - (-a * a).exp() / (a + f) * std::f64::consts::FRAC_2_SQRT_PI / 2.0
    };
    y.copysign(x)
}

/// erf(x) within 7e-7, without branches: Abramowitz and Stegun's 7.1.26 has 1.5e-7, and nine roundings of numbers up to 1 the rest.
#[inline(always)]
pub(crate) fn erf_fast(x: f32) -> f32 {
    let a = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * a);
    let mut p = 1.061_405_4f32;
    for c in [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6] {
        p = p * t + c;
    }
    let y = 1.0 - p * t * exp(-a * a);
    f32::from_bits(y.to_bits() | (x.to_bits() & 0x8000_0000))
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

#[cfg(test)]
mod tests {
    use super::{erf, erf_fast};

    /// Values from tables (Abramowitz and Stegun, 7.1), and both forms against each other.
    #[test]
    fn erf_is_the_error_function() {
        for (x, want) in
            [(0.5, 0.520_499_877_813_046_5), (1.0, 0.842_700_792_949_714_9), (2.0, 0.995_322_265_018_952_7)]
        {
            assert!((erf(x) - want).abs() < 1e-14 && (erf(-x) + want).abs() < 1e-14);
        }
        assert!((erf(2.999_999) - erf(3.000_001)).abs() < 1e-8 && erf(f64::NAN).is_nan());
        for i in -80_000..=80_000 {
            let x = i as f32 / 10_000.0;
            assert!((f64::from(erf_fast(x)) - erf(x.into())).abs() < 7e-7, "{x}");
        }
    }
}
