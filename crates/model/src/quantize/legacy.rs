//! Q4_0, Q4_1, Q5_0, Q5_1 and Q8_0: blocks of 32 with an f16 scale, and in the `_1` formats an f16 minimum.

use super::fit::{self, Minimum, Whole};
use super::{blocks, reciprocal};
use half::f16;

const Q4: Whole = Whole { low: -8.0, high: 7.0 };
const Q5: Whole = Whole { low: -16.0, high: 15.0 };

/// Q4_0.
pub(super) fn q4_0_row(x: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    blocks::<32, 18>(x, importance, out, |x, importance, out| {
        let (d, codes) = symmetric(x, importance, Q4);
        out[..2].copy_from_slice(&d.to_le_bytes());
        pack_nibbles(&codes, &mut out[2..]);
    });
}

/// Q4_1.
pub(super) fn q4_1_row(x: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    blocks::<32, 20>(x, importance, out, |x, importance, out| {
        let (d, m, codes) = with_minimum(x, importance, 15.0);
        out[..2].copy_from_slice(&d.to_le_bytes());
        out[2..4].copy_from_slice(&m.to_le_bytes());
        pack_nibbles(&codes, &mut out[4..]);
    });
}

/// Q5_0.
pub(super) fn q5_0_row(x: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    blocks::<32, 22>(x, importance, out, |x, importance, out| {
        let (d, codes) = symmetric(x, importance, Q5);
        out[..2].copy_from_slice(&d.to_le_bytes());
        out[2..6].copy_from_slice(&fifth_bits(&codes));
        pack_nibbles(&codes, &mut out[6..]);
    });
}

/// Q5_1.
pub(super) fn q5_1_row(x: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    blocks::<32, 24>(x, importance, out, |x, importance, out| {
        let (d, m, codes) = with_minimum(x, importance, 31.0);
        out[..2].copy_from_slice(&d.to_le_bytes());
        out[2..4].copy_from_slice(&m.to_le_bytes());
        out[4..8].copy_from_slice(&fifth_bits(&codes));
        pack_nibbles(&codes, &mut out[8..]);
    });
}

/// Q8_0: the largest magnitude gets the code 127; a search would gain nothing that could be seen.
pub(super) fn q8_0_row(x: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    blocks::<32, 34>(x, importance, out, |x, _, out| {
        let d = f16::from_f32(fit::extreme(x).abs() / 127.0);
        let inverse = reciprocal(d.to_f32());
        out[..2].copy_from_slice(&d.to_le_bytes());
        for (o, v) in out[2..].iter_mut().zip(x) {
            *o = fit::nearest((v * inverse).clamp(-127.0, 127.0)) as i8 as u8;
        }
    });
}

/// Large values matter more, but not in proportion: without importance the weight of each is one.
fn weights(x: &[f32; 32], importance: Option<&[f32; 32]>) -> [f32; 32] {
    let Some(importance) = importance else { return [1.0; 32] };
    let mean = fit::mean_square(x);
    std::array::from_fn(|i| importance[i] * (mean + x[i] * x[i]).sqrt())
}

/// Scale, and codes from 0 up.
fn symmetric(x: &[f32; 32], importance: Option<&[f32; 32]>, codes: Whole) -> (f16, [u8; 32]) {
    let d = f16::from_f32(fit::scale(x, &weights(x, importance), codes.low, 0.1, |v| codes.round(v)));
    let inverse = reciprocal(d.to_f32());
    (d, x.map(|v| (codes.round(v * inverse) - codes.low) as u8))
}

/// Scale, minimum and codes.
fn with_minimum(x: &[f32; 32], importance: Option<&[f32; 32]>, high: f32) -> (f16, f16, [u8; 32]) {
    let (d, m) = fit::scale_and_minimum(x, &weights(x, importance), high, 1.0, Minimum::Any);
    let (d, m) = (f16::from_f32(d), f16::from_f32(m));
    let (inverse, min) = (reciprocal(d.to_f32()), m.to_f32());
    let codes = Whole { low: 0.0, high };
    (d, m, x.map(|v| codes.round((v - min) * inverse) as u8))
}

/// Byte i holds the low four bits of code i and, in its high ones, those of code i + 16.
pub(super) fn pack_nibbles(codes: &[u8; 32], out: &mut [u8]) {
    for (i, b) in out.iter_mut().take(16).enumerate() {
        *b = codes[i] & 15 | codes[i + 16] << 4;
    }
}

/// Bit i is the fifth bit of code i.
fn fifth_bits(codes: &[u8; 32]) -> [u8; 4] {
    let bits = codes.iter().enumerate().fold(0u32, |bits, (i, c)| bits | u32::from(c >> 4 & 1) << i);
    bits.to_le_bytes()
}
