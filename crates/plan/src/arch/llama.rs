//! Llama: pre-norm RMS, RoPE, grouped-query attention, SwiGLU (Touvron et al., 2023).

use super::{ArchDescriptor, PLAIN};

/// Llama 1 to 3.x and what is built alike.
pub(super) static LLAMA: ArchDescriptor = ArchDescriptor {
    name: "llama",
    covers: "Llama 1-3.x, SmolLM2, Mistral (sliding window too), Mixtral",
    ..PLAIN
};
