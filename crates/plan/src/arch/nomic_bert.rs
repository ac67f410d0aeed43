//! nomic-bert: BERT whose queries and keys are rotated, with a SiLU gate in the feed-forward part and no biases but those of the norms
//! (Nussbaum et al., "Nomic Embed", 2024).

use super::{ArchDescriptor, Blocks, NormPlacement, Output, PLAIN};

/// nomic-embed-text, versions 1 and 1.5.
pub(super) static NOMIC_BERT: ArchDescriptor = ArchDescriptor {
    name: "nomic-bert",
    covers: "nomic-embed-text v1, v1.5",
    norms: NormPlacement::Sum,
    output: Output::Pooled,
    blocks: Blocks::GatedLayerNorm,
    ..PLAIN
};
