//! ModernBERT: layer norms before the sublayers, rotated queries and keys, GELU gates; two of three layers see a window around each row,
//! and rotate with a base of their own (Warner et al., "Smarter, Better, Faster, Longer", 2024).

use super::{ArchDescriptor, Blocks, Output, PLAIN, Pattern};
use akunu_kernels::glu::Activation;

/// ModernBERT and encoders made of it.
pub(super) static MODERN_BERT: ArchDescriptor = ArchDescriptor {
    name: "modern-bert",
    covers: "ModernBERT",
    activation: Activation::GeluErf,
    // Files say which layers are windowed.
    windowed: Pattern::NONE,
    output: Output::Pooled,
    blocks: Blocks::GatedLayerNorm,
    ..PLAIN
};
