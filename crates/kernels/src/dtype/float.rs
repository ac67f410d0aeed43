//! F32, F16 and BF16: one element per block.

use half::{bf16, f16};

/// One F32 element.
pub fn f32_block(b: &[u8], o: &mut [f32]) {
    o[0] = f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
}
/// One F16 element.
pub fn f16_block(b: &[u8], o: &mut [f32]) {
    o[0] = f16::from_le_bytes([b[0], b[1]]).to_f32();
}
/// One BF16 element.
pub fn bf16_block(b: &[u8], o: &mut [f32]) {
    o[0] = bf16::from_le_bytes([b[0], b[1]]).to_f32();
}
