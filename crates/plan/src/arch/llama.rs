//! Llama: pre-norm RMS, RoPE, grouped-query attention, SwiGLU (Touvron et al., 2023).

use super::{ArchDescriptor, EmbeddingScale};
use akunu_kernels::glu::Activation;

/// Llama 1 to 3.x, SmolLM2, Mistral without sliding window.
pub(super) static LLAMA: ArchDescriptor = ArchDescriptor {
    name: "llama",
    covers: "Llama 1-3.x, SmolLM2, Mistral without sliding window",
    activation: Activation::Silu,
    embedding_scale: EmbeddingScale::One,
};
