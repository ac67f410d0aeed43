//! Architectures as data. The builder reads these fields and never branches on a name.

use akunu_kernels::glu::Activation;

mod llama;

/// Factor on the embedding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddingScale {
    /// None.
    One,
    /// The square root of the hidden width.
    SqrtHidden,
}

/// What distinguishes one decoder architecture from another.
#[derive(Clone, Debug)]
pub struct ArchDescriptor {
    /// `general.architecture` of its GGUF files.
    pub name: &'static str,
    /// Families that it covers, for `--list` and the README.
    pub covers: &'static str,
    /// The gate's activation.
    pub activation: Activation,
    /// Factor on the embedding.
    pub embedding_scale: EmbeddingScale,
}

/// Every architecture. Adding one is a file beside this one and a line here.
pub static ARCHS: &[&ArchDescriptor] = &[&llama::LLAMA];

/// The descriptor of that name.
pub fn find(name: &str) -> Option<&'static ArchDescriptor> {
    ARCHS.iter().copied().find(|a| a.name == name)
}
