//! What a device offers, as plain data: all that the builder knows about where a table will run.

use akunu_kernels::act::ActFormat;
use akunu_kernels::attention::KvFormat;
use akunu_kernels::{DType, Layout};

/// How a weight format is laid out and fed on this target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightRule {
    /// The format.
    pub dtype: DType,
    /// Applies to rows whose width is a multiple of this.
    pub k_multiple: u32,
    /// Layout in device memory.
    pub layout: Layout,
    /// Activation format of its product.
    pub act: ActFormat,
}

/// A device, as far as a table depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Name for dumps and snapshots (`cpu avx512`).
    pub name: String,
    /// First match wins; a format without a match is not supported.
    pub rules: Vec<WeightRule>,
    /// Activation format of the output head, where it differs from its weights' rule: few rows have logits, and
    /// an error there goes straight into them.
    pub head_act: Option<ActFormat>,
    /// Element format of the KV cache.
    pub kv: KvFormat,
    /// Row counts to build tables for, ascending; the first is 1.
    pub ladder: Vec<u32>,
    /// Tokens per submission that the engine starts with.
    pub chunk: u32,
}

impl Target {
    /// The rule for a weight.
    pub fn rule(&self, dtype: DType, k: u64) -> Option<&WeightRule> {
        self.rules.iter().find(|r| r.dtype == dtype && k.is_multiple_of(u64::from(r.k_multiple)))
    }
}
