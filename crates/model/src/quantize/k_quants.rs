//! The K formats: super-blocks of 256 values in groups of 16 or 32, the groups' scales being small whole multiples of
//! one f16 scale.
//!
//! Each group is fitted by itself, then the multiples are rounded, and the codes are chosen for the rounded scales.

use super::fit::{self, Minimum, Whole};
use super::{blocks, reciprocal};
use half::f16;

type Super = [f32; 256];

/// Q2_K.
pub(super) fn q2_k_row(x: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    blocks::<256, 84>(x, importance, out, |x, importance, out| {
        let w = weights(x, importance);
        let b = with_minimums::<16, 16>(x, &w, 3.0, 0.9, 15.0);
        for (o, (scale, min)) in out.iter_mut().zip(b.scales.iter().zip(b.minimums)) {
            *o = scale | min << 4;
        }
        out[16..80].copy_from_slice(&bit_pairs(&b.codes));
        out[80..82].copy_from_slice(&b.d.to_le_bytes());
        out[82..].copy_from_slice(&b.dmin.to_le_bytes());
    });
}

/// Q3_K.
pub(super) fn q3_k_row(x: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    blocks::<256, 110>(x, importance, out, |x, importance, out| {
        let w = weights(x, importance);
        let (d, scales, codes) =
            signed(x, &w, Whole { low: -4.0, high: 3.0 }, Whole { low: -32.0, high: 31.0 });
        out.fill(0);
        for (i, c) in codes.iter().enumerate() {
            out[i % 32] |= (c >> 2) << (i / 32);
        }
        out[32..96].copy_from_slice(&bit_pairs(&codes));
        for (g, s) in scales.iter().enumerate() {
            let s = (s + 32) as u8;
            out[96 + g % 8] |= (s & 15) << (g / 8 * 4);
            out[104 + g % 4] |= (s >> 4) << (g / 4 * 2);
        }
        out[108..].copy_from_slice(&d.to_le_bytes());
    });
}

/// Q4_K.
pub(super) fn q4_k_row(x: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    blocks::<256, 144>(x, importance, out, |x, importance, out| {
        let w = weights(x, importance);
        let b = with_minimums::<32, 8>(x, &w, 15.0, 1.0, 63.0);
        pack_scales(&b, &mut out[..16]);
        out[16..].copy_from_slice(&nibbles(&b.codes));
    });
}

/// Q5_K.
pub(super) fn q5_k_row(x: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    blocks::<256, 176>(x, importance, out, |x, importance, out| {
        let w = weights(x, importance);
        let b = with_minimums::<32, 8>(x, &w, 31.0, 1.0, 63.0);
        pack_scales(&b, &mut out[..16]);
        out[16..48].fill(0);
        for (i, c) in b.codes.iter().enumerate() {
            out[16 + i % 32] |= (c >> 4) << (i / 32);
        }
        out[48..].copy_from_slice(&nibbles(&b.codes));
    });
}

/// Q6_K.
pub(super) fn q6_k_row(x: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    blocks::<256, 210>(x, importance, out, |x, importance, out| {
        let w = weights(x, importance);
        let (d, scales, codes) =
            signed(x, &w, Whole { low: -32.0, high: 31.0 }, Whole { low: -128.0, high: 127.0 });
        out.fill(0);
        for (i, c) in codes.iter().enumerate() {
            // Two halves of 128; in each, four groups of 32 share 32 bytes of high bits.
            let (half, g, l) = (i / 128, i % 128 / 32, i % 32);
            out[64 * half + 32 * (g & 1) + l] |= (c & 15) << (4 * (g >> 1));
            out[128 + 32 * half + l] |= (c >> 4) << (2 * g);
        }
        for (o, s) in out[192..208].iter_mut().zip(scales) {
            *o = s as i8 as u8;
        }
        out[208..].copy_from_slice(&d.to_le_bytes());
    });
}

/// Q8_K: a format of intermediate results, which some files hold all the same.
pub(super) fn q8_k_row(x: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    blocks::<256, 292>(x, importance, out, |x, _, out| {
        let d = fit::extreme(x).abs() / 127.0;
        let inverse = reciprocal(d);
        let codes = x.map(|v| fit::nearest((v * inverse).clamp(-127.0, 127.0)) as i8);
        out[..4].copy_from_slice(&d.to_le_bytes());
        for (o, c) in out[4..260].iter_mut().zip(codes) {
            *o = c as u8;
        }
        for (o, group) in out[260..].as_chunks_mut().0.iter_mut().zip(codes.chunks_exact(16)) {
            *o = group.iter().map(|c| i16::from(*c)).sum::<i16>().to_le_bytes();
        }
    });
}

/// The weight of each value's error: with importance, that times the root of (mean square + square).
fn weights(x: &Super, importance: Option<&Super>) -> Super {
    match importance {
        Some(w) => {
            let mean = fit::mean_square(x);
            std::array::from_fn(|i| w[i] * (mean + x[i] * x[i]).sqrt())
        }
        None => {
            let mut out = [0.0; 256];
            for (o, x) in out.as_chunks_mut::<32>().0.iter_mut().zip(x.as_chunks::<32>().0) {
                *o = fit::plain_weights(x);
            }
            out
        }
    }
}

/// A super-block of groups with scale and minimum: value = d * scale * code - dmin * minimum.
struct WithMinimums<const G: usize> {
    d: f16,
    dmin: f16,
    scales: [u8; G],
    minimums: [u8; G],
    codes: [u8; 256],
}

/// `G` groups of `N`; codes up to `high`, scales and minimums up to `most`.
fn with_minimums<const N: usize, const G: usize>(
    x: &Super,
    w: &Super,
    high: f32,
    spread: f32,
    most: f32,
) -> WithMinimums<G> {
    let (x, w) = (x.as_chunks::<N>().0, w.as_chunks::<N>().0);
    let fits: [(f32, f32); G] =
        std::array::from_fn(|g| fit::scale_and_minimum(&x[g], &w[g], high, spread, Minimum::NotPositive));
    let d = f16::from_f32(fits.iter().fold(0f32, |m, f| m.max(f.0)) / most);
    let dmin = f16::from_f32(fits.iter().fold(0f32, |m, f| m.max(-f.1)) / most);
    let (scale_unit, min_unit) = (d.to_f32(), dmin.to_f32());
    let mut out = WithMinimums { d, dmin, scales: [0; G], minimums: [0; G], codes: [0; 256] };
    let multiples = Whole { low: 0.0, high: most };
    let codes = Whole { low: 0.0, high };
    for (g, (scale, min)) in fits.into_iter().enumerate() {
        let first =
            (multiples.round(scale * reciprocal(scale_unit)), multiples.round(-min * reciprocal(min_unit)));
        let value = |(s, m): (f32, f32)| {
            let (scale, min) = (s * scale_unit, m * min_unit);
            let inverse = reciprocal(scale);
            move |x: f32| codes.round((x + min) * inverse) * scale - min
        };
        // Rounding scale and minimum one by one is not the best pair.
        let mut best = (f32::INFINITY, first);
        for ds in [-1.0, 0.0, 1.0] {
            for dm in [-1.0, 0.0, 1.0] {
                let pair = (multiples.round(first.0 + ds), multiples.round(first.1 + dm));
                let e = fit::error(&x[g], &w[g], value(pair));
                if e < best.0 {
                    best = (e, pair);
                }
            }
        }
        let (s, m) = best.1;
        (out.scales[g], out.minimums[g]) = (s as u8, m as u8);
        let (inverse, min) = (reciprocal(s * scale_unit), m * min_unit);
        for (c, x) in out.codes[g * N..(g + 1) * N].iter_mut().zip(&x[g]) {
            *c = codes.round((x + min) * inverse) as u8;
        }
    }
    out
}

/// Sixteen groups of 16 with a signed multiple each, and codes from 0 up.
fn signed(x: &Super, w: &Super, codes: Whole, multiples: Whole) -> (f16, [i16; 16], [u8; 256]) {
    let (x, w) = (x.as_chunks::<16>().0, w.as_chunks::<16>().0);
    let fits: [f32; 16] =
        std::array::from_fn(|g| fit::scale(&x[g], &w[g], codes.low, 0.1, |v| codes.round(v)));
    // The largest magnitude gets the lowest multiple, which reaches one further than the highest.
    let d = f16::from_f32(fit::extreme(&fits) / multiples.low);
    let unit = d.to_f32();
    let (mut scales, mut out) = ([0; 16], [0; 256]);
    for (g, scale) in fits.into_iter().enumerate() {
        let first = multiples.round(scale * reciprocal(unit));
        let mut best = (f32::INFINITY, first);
        for change in [0.0, -1.0, 1.0] {
            let multiple = multiples.round(first + change);
            let (scale, inverse) = (multiple * unit, reciprocal(multiple * unit));
            let e = fit::error(&x[g], &w[g], |x| codes.round(x * inverse) * scale);
            if e < best.0 {
                best = (e, multiple);
            }
        }
        scales[g] = best.1 as i16;
        let inverse = reciprocal(best.1 * unit);
        for (c, x) in out[g * 16..(g + 1) * 16].iter_mut().zip(&x[g]) {
            *c = (codes.round(x * inverse) - codes.low) as u8;
        }
    }
    (d, scales, out)
}

/// d, dmin, and the six-bit scales and minimums of eight groups in 12 bytes: those of groups 0 to 3 in the low bits of
/// bytes, those of groups 4 to 7 in nibbles of their own and the high bits of the others'.
fn pack_scales(b: &WithMinimums<8>, out: &mut [u8]) {
    out[..2].copy_from_slice(&b.d.to_le_bytes());
    out[2..4].copy_from_slice(&b.dmin.to_le_bytes());
    for g in 0..4 {
        let (s, m) = (b.scales[g + 4], b.minimums[g + 4]);
        out[4 + g] = b.scales[g] | s >> 4 << 6;
        out[8 + g] = b.minimums[g] | m >> 4 << 6;
        out[12 + g] = s & 15 | m << 4;
    }
}

/// The low two bits of each code: halves of 128 have 32 bytes each, a pair for each of their four groups of 32.
fn bit_pairs(codes: &[u8; 256]) -> [u8; 64] {
    let mut out = [0; 64];
    for (i, c) in codes.iter().enumerate() {
        out[i / 128 * 32 + i % 32] |= (c & 3) << (i % 128 / 32 * 2);
    }
    out
}

/// The low four bits of each code: two groups of 32 share 32 bytes.
fn nibbles(codes: &[u8; 256]) -> [u8; 128] {
    let mut out = [0; 128];
    for (i, c) in codes.iter().enumerate() {
        out[i / 64 * 32 + i % 32] |= (c & 15) << (i % 64 / 32 * 4);
    }
    out
}
