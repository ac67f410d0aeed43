//! Phi-3: Llama whose query, key and value matrices, and gate and up matrices, are one tensor each in the file; long
//! contexts through two sets of RoPE divisors (Abdin et al., 2024).

use super::{ArchDescriptor, PLAIN};

/// Phi-3, Phi-3.5 and Phi-4 without experts.
pub(super) static PHI3: ArchDescriptor =
    ArchDescriptor { name: "phi3", covers: "Phi-3, Phi-3.5-mini, Phi-4 (dense)", ..PLAIN };
