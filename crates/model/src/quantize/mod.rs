//! Values into blocks of every format: the inverse of [`akunu_kernels::dtype::DTypeInfo::dequantize_block`].
//!
//! Where a format leaves a choice, that is the scale (and the minimum) of a group, candidates around the group's range
//! are rounded, the least-squares scale of each set of codes is solved for, and the one with the least weighted error is
//! kept (`fit`). Importance, one positive number per column, multiplies the weight of a value's error.
//!
//! Deliberately absent: which format a tensor gets ([`recipe`] decides that) and files.

mod affine;
mod fit;
mod float;
mod iq4;
mod k_quants;
mod legacy;
mod microscaling;
pub mod recipe;

pub use recipe::{Choice, Recipe};

use akunu_kernels::DType;

/// Quantizes one row. `x` is whole blocks of finite values, `importance` is as long, `out` has the bytes that the format
/// needs for them. The same input gives the same bytes on every machine.
///
/// A value too large for the format's scale (f16 in most) becomes infinite: [`crate::source::check_finite`] finds it.
pub fn quantize_row(dtype: DType, x: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    let row: fn(&[f32], Option<&[f32]>, &mut [u8]) = match dtype {
        DType::F32 => float::f32_row,
        DType::F16 => float::f16_row,
        DType::Bf16 => float::bf16_row,
        DType::Q4_0 => legacy::q4_0_row,
        DType::Q4_1 => legacy::q4_1_row,
        DType::Q5_0 => legacy::q5_0_row,
        DType::Q5_1 => legacy::q5_1_row,
        DType::Q8_0 => legacy::q8_0_row,
        DType::Q2K => k_quants::q2_k_row,
        DType::Q3K => k_quants::q3_k_row,
        DType::Q4K => k_quants::q4_k_row,
        DType::Q5K => k_quants::q5_k_row,
        DType::Q6K => k_quants::q6_k_row,
        DType::Q8K => k_quants::q8_k_row,
        DType::Iq4Nl => iq4::iq4_nl_row,
        DType::Iq4Xs => iq4::iq4_xs_row,
        DType::Mxfp4 => microscaling::mxfp4_row,
        DType::Mxfp8 => microscaling::mxfp8_row,
        DType::Nvfp4 => microscaling::nvfp4_row,
        other => {
            if let Some(a) = other.affine() {
                affine::row(a, x, out);
            }
            return;
        }
    };
    row(x, importance, out);
}

/// Calls `block` for every block of `N` values and `B` bytes.
fn blocks<const N: usize, const B: usize>(
    x: &[f32],
    importance: Option<&[f32]>,
    out: &mut [u8],
    block: impl Fn(&[f32; N], Option<&[f32; N]>, &mut [u8; B]),
) {
    let importance = importance.map(|w| w.as_chunks::<N>().0);
    for (i, (x, out)) in x.as_chunks::<N>().0.iter().zip(out.as_chunks_mut::<B>().0).enumerate() {
        block(x, importance.and_then(|w| w.get(i)), out);
    }
}

/// 1 / v, and 0 for 0: a group of zeros has the scale 0.
fn reciprocal(v: f32) -> f32 {
    if v == 0.0 { 0.0 } else { 1.0 / v }
}
