//! MLX's affine formats: groups of 32, 64 or 128 values of 2 to 8 bits with one scale and one bias (both BF16, or both
//! F16); value = scale * q + bias.
//!
//! The block is ours, since MLX keeps the three parts in tensors of their own: scale, bias, then the codes as MLX packs
//! them, which is one little-endian stream of bits: element i has bits `i * bits` and up.

use super::DType;
use half::{bf16, f16};

/// One of the affine formats, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Affine {
    /// Bits of a code: 2, 3, 4, 5, 6 or 8.
    pub bits: u32,
    /// Values that share a scale and a bias: 32, 64 or 128.
    pub group: u32,
    /// Element type of scale and bias.
    pub scale: ScaleType,
}

/// Element type of a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScaleType {
    /// BF16.
    Bf16,
    /// F16.
    F16,
}

impl ScaleType {
    /// The value of two little-endian bytes.
    pub fn value(self, b: [u8; 2]) -> f32 {
        match self {
            Self::Bf16 => bf16::from_le_bytes(b).to_f32(),
            Self::F16 => f16::from_le_bytes(b).to_f32(),
        }
    }
}

/// Bytes before the codes: scale and bias.
pub const HEADER: usize = 4;
/// Ids of affine formats are this plus their fields; no GGUF type has an id so high.
pub(super) const FIRST_ID: u32 = 0x1000;

/// The id: bits in bits 4.., log2(group / 32) in bits 1.., the scale's type in bit 0.
pub(super) const fn id(bits: u32, group: u32, scale: ScaleType) -> u32 {
    let half = match scale {
        ScaleType::Bf16 => 0,
        ScaleType::F16 => 1,
    };
    FIRST_ID + (bits << 4) + ((group / 32).trailing_zeros() << 1) + half
}

impl DType {
    /// The parts of an affine format; `None` for the others.
    pub const fn affine(self) -> Option<Affine> {
        let id = self as u32;
        if id < FIRST_ID {
            return None;
        }
        let id = id - FIRST_ID;
        let scale = if id & 1 == 0 { ScaleType::Bf16 } else { ScaleType::F16 };
        Some(Affine { bits: id >> 4, group: 32 << (id >> 1 & 7), scale })
    }
}

impl Affine {
    /// Bytes of the block.
    pub const fn block_bytes(self) -> u32 {
        HEADER as u32 + self.group * self.bits / 8
    }
}

/// Element `i` of a stream of `bits`-bit codes.
pub fn code(stream: &[u8], bits: u32, i: usize) -> u8 {
    let at = i * bits as usize;
    let low = u16::from(stream[at / 8]);
    let high = stream.get(at / 8 + 1).map_or(0, |b| u16::from(*b) << 8);
    ((low | high) >> (at % 8)) as u8 & (0xff >> (8 - bits))
}

/// One block of the format with that id.
pub(super) fn block<const ID: u32>(b: &[u8], o: &mut [f32]) {
    let Some(a) = DType::from_ggml(ID).and_then(DType::affine) else { return };
    let (scale, bias) = (a.scale.value([b[0], b[1]]), a.scale.value([b[2], b[3]]));
    for (i, o) in o[..a.group as usize].iter_mut().enumerate() {
        *o = scale * f32::from(code(&b[HEADER..], a.bits, i)) + bias;
    }
}
