//! Qwen 2, Qwen 2.5 and Qwen 3: Llama with a bias on queries, keys and values (2), then with a norm of each query and
//! key head (3) (Yang et al., 2024 and 2025).

use super::{ArchDescriptor, PLAIN, QkNorm, QkvBias};

/// Qwen 2 and 2.5.
pub(super) static QWEN2: ArchDescriptor =
    ArchDescriptor { name: "qwen2", covers: "Qwen 2, Qwen 2.5", qkv_bias: QkvBias::Added, ..PLAIN };

/// Qwen 3.
pub(super) static QWEN3: ArchDescriptor =
    ArchDescriptor { name: "qwen3", covers: "Qwen 3", qk_norm: QkNorm::Head, ..PLAIN };

/// Qwen 3 with a mixture of experts in every layer.
pub(super) static QWEN3_MOE: ArchDescriptor = ArchDescriptor {
    name: "qwen3moe",
    covers: "Qwen 3 mixtures of experts (30B-A3B, 235B-A22B)",
    qk_norm: QkNorm::Head,
    ..PLAIN
};
