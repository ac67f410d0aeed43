//! Gemma: a scaled embedding and GELU gates; Gemma 2 adds norms after the sublayers, bounds on scores and logits, and a
//! window in every other layer; Gemma 3 drops the bounds for norms of queries and keys, and has five windowed layers to
//! each full one, with a RoPE base of their own (Gemma Team, 2024 and 2025).

use super::{ArchDescriptor, EmbeddingScale, NormPlacement, PLAIN, Pattern, QkNorm};
use akunu_kernels::glu::Activation;

/// Gemma 1.
pub(super) static GEMMA: ArchDescriptor = ArchDescriptor {
    name: "gemma",
    covers: "Gemma 1",
    activation: Activation::GeluTanh,
    embedding_scale: EmbeddingScale::SqrtHidden,
    ..PLAIN
};

/// Gemma 2.
pub(super) static GEMMA2: ArchDescriptor = ArchDescriptor {
    name: "gemma2",
    covers: "Gemma 2",
    norms: NormPlacement::PreAndPost,
    windowed: Pattern { period: 2, first: 1 },
    ..GEMMA
};

/// Gemma 3, text.
pub(super) static GEMMA3: ArchDescriptor = ArchDescriptor {
    name: "gemma3",
    covers: "Gemma 3 (text)",
    norms: NormPlacement::PreAndPost,
    qk_norm: QkNorm::Head,
    windowed: Pattern { period: 6, first: 5 },
    local_rope_base: Some(10_000.0),
    ..GEMMA
};
