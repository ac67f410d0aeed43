//! MXFP4, MXFP8 and NVFP4: small floats with a shared scale of few bits, of which the two or three nearest are tried.

use super::legacy::pack_nibbles;
use super::{blocks, fit};
use akunu_kernels::dtype::microscaling::{e8m0, ue4m3_half};

/// Magnitudes of E2M1.
const E2M1: [f32; 8] = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];
/// The largest exponents (plus 127) at which the format's largest value is finite.
const MXFP4_MOST: i32 = 252;
const MXFP8_MOST: i32 = 246;

/// MXFP4.
pub(super) fn mxfp4_row(x: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    blocks::<32, 17>(x, importance, out, |x, importance, out| {
        // With the exponent of the largest value at that of 4 the largest may be clipped at 6; with one more the
        // others are coarser.
        let first = exponent(fit::extreme(x)) - 2 + 127;
        let candidates = [first, first + 1].map(|e| e.clamp(0, MXFP4_MOST) as u8);
        let e = best(x, importance, candidates, |x, e| {
            let d = e8m0(e);
            d * e2m1(x / d)
        });
        let d = e8m0(e);
        out[0] = e;
        pack_nibbles(&x.map(|v| e2m1_code(v / d)), &mut out[1..]);
    });
}

/// MXFP8.
pub(super) fn mxfp8_row(x: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    blocks::<32, 33>(x, importance, out, |x, _, out| {
        // The largest exponent of E4M3 is 8, the largest value 448.
        let first = exponent(fit::extreme(x)) - 8 + 127;
        let clipped = fit::extreme(x).abs() > 448.0 * e8m0(first.clamp(0, MXFP8_MOST) as u8);
        let e = (first + i32::from(clipped)).clamp(0, MXFP8_MOST) as u8;
        let d = e8m0(e);
        out[0] = e;
        for (o, v) in out[1..].iter_mut().zip(x) {
            *o = e4m3_code(v / d);
        }
    });
}

/// NVFP4.
pub(super) fn nvfp4_row(x: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    blocks::<64, 36>(x, importance, out, |x, importance, out| {
        for (g, x) in x.as_chunks::<16>().0.iter().enumerate() {
            let importance = importance.and_then(|w| w.as_chunks::<16>().0.get(g));
            // The code whose scale maps the largest value to 6; 0x7e is the largest.
            let first = e4m3_code(fit::extreme(x).abs() / 6.0).min(0x7e);
            let candidates = [first, first.saturating_sub(1), (first + 1).min(0x7e)];
            let code = best(x, importance, candidates, |x, c| {
                let d = 2.0 * ue4m3_half(c);
                if d == 0.0 { 0.0 } else { d * e2m1(x / d) }
            });
            let d = 2.0 * ue4m3_half(code);
            out[g] = code;
            let codes = x.map(|v| if d == 0.0 { 0 } else { e2m1_code(v / d) });
            for (i, o) in out[4 + 8 * g..12 + 8 * g].iter_mut().enumerate() {
                *o = codes[i] | codes[i + 8] << 4;
            }
        }
    });
}

/// The candidate with the least error.
fn best<const N: usize, const C: usize>(
    x: &[f32; N],
    importance: Option<&[f32; N]>,
    candidates: [u8; C],
    value: impl Fn(f32, u8) -> f32,
) -> u8 {
    let w = importance.copied().unwrap_or([1.0; N]);
    let mut best = (f32::INFINITY, candidates[0]);
    for c in candidates {
        let e = fit::error(x, &w, |x| value(x, c));
        if e < best.0 {
            best = (e, c);
        }
    }
    best.1
}

/// The whole part of log2 |v|; -127 for 0.
fn exponent(v: f32) -> i32 {
    (v.abs().to_bits() >> 23) as i32 - 127
}

/// The E2M1 value nearest to `v`.
fn e2m1(v: f32) -> f32 {
    let c = e2m1_code(v);
    let magnitude = E2M1[usize::from(c & 7)];
    if c & 8 == 0 { magnitude } else { -magnitude }
}

/// The E2M1 code of the value nearest to `v`: the sign in bit 3.
fn e2m1_code(v: f32) -> u8 {
    let magnitude = E2M1.windows(2).map(|p| u8::from(v.abs() > (p[0] + p[1]) / 2.0)).sum::<u8>();
    magnitude | u8::from(v < 0.0) << 3
}

/// The E4M3 code of the value nearest to `v`, at most 448.
fn e4m3_code(v: f32) -> u8 {
    let a = v.abs().min(448.0);
    // Eighths of the value's power of two; those below 2^-6 share its own.
    let e = exponent(a).max(-6);
    let eighths = fit::nearest(a * f32::from_bits(((130 - e) as u32) << 23)) as i32;
    // Sixteen eighths carry into the exponent by themselves.
    let code = ((e + 6) << 3) + eighths;
    code.min(0x7e) as u8 | u8::from(v < 0.0) << 7
}
