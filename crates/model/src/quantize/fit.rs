//! Scales by weighted least squares.
//!
//! The error of a group is a sum of weight times (value - reconstruction) squared. For fixed codes its minimum over the
//! scale (and the minimum) is a linear problem; for a fixed scale the best codes are the nearest ones. The search tries
//! several first scales, solves for the best one of the codes that each gives, and keeps the best.
//!
//! Sums run over eight lanes, so that they vectorize and do not depend on the compiler.

const LANES: usize = 8;
/// 1.5 * 2^23: adding it to a number below 2^22 leaves no fraction bits, so that the sum rounds to the nearest whole
/// number, ties to even; the baseline instruction sets have nothing faster.
const ROUND: f32 = 12_582_912.0;
/// Groups whose largest value is below this are zeros: the reciprocal of their scale would overflow.
const TINY: f32 = 1e-30;

/// The nearest whole number; `|v| < 2^22`.
#[inline(always)]
pub(super) fn nearest(v: f32) -> f32 {
    (v + ROUND) - ROUND
}

/// The sum of `f` over all indices, in eight partial sums.
#[inline(always)]
fn sum<const N: usize>(f: impl Fn(usize) -> f32) -> f32 {
    let mut lanes = [0f32; LANES];
    for i in (0..N).step_by(LANES) {
        for (j, l) in lanes.iter_mut().enumerate() {
            *l += f(i + j);
        }
    }
    fold(lanes)
}

#[inline(always)]
fn fold(l: [f32; LANES]) -> f32 {
    ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

/// Mean of the squares.
pub(super) fn mean_square<const N: usize>(x: &[f32; N]) -> f32 {
    sum::<N>(|i| x[i] * x[i]) / N as f32
}

/// Weights of errors without importance: large values matter more, but not in proportion to their squares, which would
/// leave the many small ones to chance.
#[inline(always)]
pub(super) fn plain_weights<const N: usize>(x: &[f32; N]) -> [f32; N] {
    let deviation = mean_square(x).sqrt();
    x.map(|v| deviation + v.abs())
}

/// The value of largest magnitude, with its sign.
pub(super) fn extreme(x: &[f32]) -> f32 {
    x.iter().fold(0f32, |m, v| if v.abs() > m.abs() { *v } else { m })
}

/// Weighted sums over the codes of a group, codes being already the numbers that they stand for.
#[derive(Clone, Copy)]
struct Sums {
    /// Weight times code.
    l: f32,
    /// Weight times code squared.
    ll: f32,
    /// Weight times code times value.
    xl: f32,
}

#[inline(always)]
fn sums<const N: usize>(x: &[f32; N], w: &[f32; N], code: impl Fn(f32) -> f32) -> Sums {
    let (mut a, mut b, mut c) = ([0f32; LANES], [0f32; LANES], [0f32; LANES]);
    for i in (0..N).step_by(LANES) {
        for j in 0..LANES {
            let (x, w) = (x[i + j], w[i + j]);
            let l = code(x);
            a[j] += w * l;
            b[j] += w * l * l;
            c[j] += w * l * x;
        }
    }
    Sums { l: fold(a), ll: fold(b), xl: fold(c) }
}

/// The whole numbers from `low` to `high`.
#[derive(Clone, Copy)]
pub(super) struct Whole {
    pub(super) low: f32,
    pub(super) high: f32,
}

impl Whole {
    /// The nearest of them.
    #[inline(always)]
    pub(super) fn round(self, v: f32) -> f32 {
        nearest(v.clamp(self.low, self.high))
    }
}

/// The scale for values that are a scale times a code, where the value of largest magnitude gets a code near `first`.
/// `round` gives the number that the code nearest to its argument stands for, `step` is the distance between first
/// guesses.
#[inline(always)]
pub(super) fn scale<const N: usize>(
    x: &[f32; N],
    w: &[f32; N],
    first: f32,
    step: f32,
    round: impl Fn(f32) -> f32 + Copy,
) -> f32 {
    let extreme = extreme(x);
    if extreme.abs() < TINY {
        return 0.0;
    }
    // Weighted squares that the scale explains, and the scale.
    let mut best = (0f32, 0f32);
    let consider = |inverse: f32, best: &mut (f32, f32)| {
        let s = sums(x, w, |x| round(x * inverse));
        if s.ll > 0.0 && s.xl * s.xl > best.0 * s.ll {
            *best = (s.xl * s.xl / s.ll, s.xl / s.ll);
        }
    };
    for i in -9i8..=9 {
        consider((first + step * f32::from(i)) / extreme, &mut best);
    }
    // The codes nearest to the best scale may have a better scale still.
    for _ in 0..2 {
        if best.1 != 0.0 {
            consider(1.0 / best.1, &mut best);
        }
    }
    best.1
}

/// What a minimum may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Minimum {
    /// Any number.
    Any,
    /// 0 or below, as where it is stored as a positive number to subtract.
    NotPositive,
}

/// Scale and minimum for values that are scale times a code from 0 to `high`, plus the minimum. First guesses give the
/// range from `high - spread` to `high + spread` codes.
#[inline(always)]
pub(super) fn scale_and_minimum<const N: usize>(
    x: &[f32; N],
    w: &[f32; N],
    high: f32,
    spread: f32,
    minimum: Minimum,
) -> (f32, f32) {
    let low = x.iter().copied().fold(f32::INFINITY, f32::min);
    let top = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let (low, top) = if minimum == Minimum::Any { (low, top) } else { (low.min(0.0), top.max(0.0)) };
    let range = top - low;
    if range < TINY {
        return (0.0, low);
    }
    let (sw, sx) = (sum::<N>(|i| w[i]), sum::<N>(|i| w[i] * x[i]));
    let codes = Whole { low: 0.0, high };
    let mut best = (f32::INFINITY, range / high, low);
    for i in -10i8..=10 {
        let inverse = (high + spread * f32::from(i) * 0.1) / range;
        let s = sums(x, w, |x| codes.round((x - low) * inverse));
        let det = sw * s.ll - s.l * s.l;
        if det <= 0.0 {
            continue;
        }
        let (mut scale, mut min) = ((sw * s.xl - sx * s.l) / det, (s.ll * sx - s.l * s.xl) / det);
        if minimum == Minimum::NotPositive && min > 0.0 {
            (scale, min) = (s.xl / s.ll, 0.0);
        }
        // Up to the weighted squares of the values, which all candidates share.
        let error = scale * (scale * s.ll + 2.0 * (min * s.l - s.xl)) + min * (min * sw - 2.0 * sx);
        if scale > 0.0 && error < best.0 {
            best = (error, scale, min);
        }
    }
    (best.1, best.2)
}

/// The weighted error of a group whose values are reconstructed by `value`.
#[inline(always)]
pub(super) fn error<const N: usize>(x: &[f32; N], w: &[f32; N], value: impl Fn(f32) -> f32) -> f32 {
    sum::<N>(|i| {
        let e = x[i] - value(x[i]);
        w[i] * e * e
    })
}
