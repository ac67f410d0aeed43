//! Activations of one value and what they are made of, for the plain twins and for loops that the compiler vectorises.

use super::Activation;

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

#[cfg(test)]
mod tests {
    use super::{erf, erf_fast, exp};

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
