//! SmolLM3: Llama whose every fourth layer does not rotate queries and keys (Bakouch et al., 2025).

use super::{ArchDescriptor, PLAIN, Pattern};

/// SmolLM3.
pub(super) static SMOLLM3: ArchDescriptor =
    ArchDescriptor { name: "smollm3", covers: "SmolLM3", roped: Pattern { period: 4, first: 3 }, ..PLAIN };
