//! MLX's affine formats, by the rule of `mlx.core.quantize`: the range of a group is divided evenly; the end of larger
//! magnitude is kept exactly, and the scale is changed so that zero is a whole number of steps away from it.

use super::fit::nearest;
use super::reciprocal;
use akunu_kernels::dtype::affine::{Affine, HEADER, ScaleType};
use half::{bf16, f16};

/// The least scale, so that a group of equal values has one.
const LEAST: f32 = 1e-7;

/// One row.
pub(super) fn row(a: Affine, x: &[f32], out: &mut [u8]) {
    let groups = x.chunks_exact(a.group as usize);
    for (x, out) in groups.zip(out.chunks_exact_mut(a.block_bytes() as usize)) {
        group(a, x, out);
    }
}

fn group(a: Affine, x: &[f32], out: &mut [u8]) {
    let high = ((1u32 << a.bits) - 1) as f32;
    let low = x.iter().copied().fold(f32::INFINITY, f32::min);
    let top = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let even = ((top - low) / high).max(LEAST);
    // From the end of larger magnitude towards the other.
    let (edge, even) = if low.abs() > top.abs() { (low, even) } else { (top, -even) };
    let steps = nearest(edge / even);
    let (scale, bias) = if steps == 0.0 { (even, 0.0) } else { (edge / steps, edge) };
    let (scale, bias) = (stored(a.scale, scale), stored(a.scale, bias));
    out.fill(0);
    out[..2].copy_from_slice(&scale.to_le_bytes());
    out[2..HEADER].copy_from_slice(&bias.to_le_bytes());
    let (scale, bias) = (a.scale.value(scale.to_le_bytes()), a.scale.value(bias.to_le_bytes()));
    let inverse = reciprocal(scale);
    for (i, v) in x.iter().enumerate() {
        let code = nearest(((v - bias) * inverse).clamp(0.0, high)) as u16;
        let at = i * a.bits as usize;
        let shifted = code << (at % 8);
        out[HEADER + at / 8] |= shifted as u8;
        if shifted > 0xff {
            out[HEADER + at / 8 + 1] |= (shifted >> 8) as u8;
        }
    }
}

/// The bits of a scale or bias.
fn stored(t: ScaleType, v: f32) -> u16 {
    match t {
        ScaleType::Bf16 => bf16::from_f32(v).to_bits(),
        ScaleType::F16 => f16::from_f32(v).to_bits(),
    }
}
