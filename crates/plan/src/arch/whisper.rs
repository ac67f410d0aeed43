//! Whisper: an encoder of audio and a decoder that reads it, layer norms before each sublayer (Radford et al., "Robust Speech Recognition
//! via Large-Scale Weak Supervision", 2022).

use super::{ArchDescriptor, Blocks, PLAIN, Pattern, PositionKind, QkvBias, Reads};
use akunu_kernels::glu::Activation;

/// All sizes and versions, distilled ones too.
pub(super) static WHISPER: ArchDescriptor = ArchDescriptor {
    name: "whisper",
    covers: "Whisper, for speech",
    activation: Activation::GeluErf,
    qkv_bias: QkvBias::QueriesAndValues,
    roped: Pattern::NONE,
    blocks: Blocks::Biased,
    positions: PositionKind::Learned,
    reads: Reads::Audio,
    ..PLAIN
};
