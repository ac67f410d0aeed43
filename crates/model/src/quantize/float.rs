//! F32, F16 and BF16: rounded to nearest, ties to even.

use half::{bf16, f16};

/// F32.
pub(super) fn f32_row(x: &[f32], _: Option<&[f32]>, out: &mut [u8]) {
    for (v, o) in x.iter().zip(out.as_chunks_mut().0) {
        *o = v.to_le_bytes();
    }
}

/// F16.
pub(super) fn f16_row(x: &[f32], _: Option<&[f32]>, out: &mut [u8]) {
    for (v, o) in x.iter().zip(out.as_chunks_mut().0) {
        *o = f16::from_f32(*v).to_le_bytes();
    }
}

/// BF16.
pub(super) fn bf16_row(x: &[f32], _: Option<&[f32]>, out: &mut [u8]) {
    for (v, o) in x.iter().zip(out.as_chunks_mut().0) {
        *o = bf16::from_f32(*v).to_le_bytes();
    }
}
