//! IQ4_NL and IQ4_XS: codes into a table of uneven steps.

use super::fit::{self, Whole};
use super::legacy::pack_nibbles;
use super::{blocks, reciprocal};
use akunu_kernels::dtype::iq4::VALUES;
use half::f16;

/// Halfway between neighbours of the table.
const MIDDLES: [f32; 15] = {
    let mut out = [0.0; 15];
    let mut i = 0;
    while i < 15 {
        out[i] = (VALUES[i] as f32 + VALUES[i + 1] as f32) / 2.0;
        i += 1;
    }
    out
};

/// Multiples of the super-block's scale in IQ4_XS.
const MULTIPLES: Whole = Whole { low: -32.0, high: 31.0 };

/// IQ4_NL.
pub(super) fn iq4_nl_row(x: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    blocks::<32, 18>(x, importance, out, |x, importance, out| {
        let d = f16::from_f32(scale(x, &weights(x, importance)));
        out[..2].copy_from_slice(&d.to_le_bytes());
        pack_nibbles(&codes(x, d.to_f32()), &mut out[2..]);
    });
}

/// IQ4_XS.
pub(super) fn iq4_xs_row(x: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    blocks::<256, 136>(x, importance, out, |x, importance, out| {
        let groups = x.as_chunks::<32>().0;
        let importance = importance.map(|w| w.as_chunks::<32>().0);
        let w: [[f32; 32]; 8] = std::array::from_fn(|g| weights(&groups[g], importance.map(|w| &w[g])));
        let fits: [f32; 8] = std::array::from_fn(|g| scale(&groups[g], &w[g]));
        let d = f16::from_f32(fit::extreme(&fits) / MULTIPLES.low);
        let unit = d.to_f32();
        out.fill(0);
        out[..2].copy_from_slice(&d.to_le_bytes());
        let mut high = 0u16;
        for (g, x) in groups.iter().enumerate() {
            let first = MULTIPLES.round(fits[g] * reciprocal(unit));
            let mut best = (f32::INFINITY, first);
            for change in [0.0, -1.0, 1.0] {
                let multiple = MULTIPLES.round(first + change);
                let (scale, inverse) = (multiple * unit, reciprocal(multiple * unit));
                let e = fit::error(x, &w[g], |x| round(x * inverse) * scale);
                if e < best.0 {
                    best = (e, multiple);
                }
            }
            let stored = (best.1 as i16 + 32) as u16;
            out[4 + g / 2] |= ((stored & 15) << (g % 2 * 4)) as u8;
            high |= (stored >> 4) << (2 * g);
            pack_nibbles(&codes(x, best.1 * unit), &mut out[8 + 16 * g..24 + 16 * g]);
        }
        out[2..4].copy_from_slice(&high.to_le_bytes());
    });
}

fn weights(x: &[f32; 32], importance: Option<&[f32; 32]>) -> [f32; 32] {
    match importance {
        None => fit::plain_weights(x),
        Some(w) => {
            let mean = fit::mean_square(x);
            std::array::from_fn(|i| w[i] * (mean + x[i] * x[i]).sqrt())
        }
    }
}

fn scale(x: &[f32; 32], w: &[f32; 32]) -> f32 {
    fit::scale(x, w, f32::from(VALUES[0]), 3.0, round)
}

/// The table's value nearest to `v`. (A sum of steps over all fifteen middles: no branch, so it vectorizes.)
#[inline(always)]
fn round(v: f32) -> f32 {
    let mut out = f32::from(VALUES[0]);
    for (i, m) in MIDDLES.iter().enumerate() {
        out += if v > *m { f32::from(VALUES[i + 1]) - f32::from(VALUES[i]) } else { 0.0 };
    }
    out
}

fn codes(x: &[f32; 32], scale: f32) -> [u8; 32] {
    let inverse = reciprocal(scale);
    x.map(|v| MIDDLES.iter().map(|m| u8::from(v * inverse > *m)).sum())
}
