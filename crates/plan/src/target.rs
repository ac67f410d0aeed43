//! What a device offers, as plain data: all that the builder knows about where a table will run.

use akunu_kernels::act::ActFormat;
use akunu_kernels::attention::KvFormat;
use akunu_kernels::cuda::Gpu;
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
    /// How tables of more than [`Target::few_rows`] rows multiply, where that differs.
    pub many: Option<ManyRows>,
}

/// A product of many rows on matrix units: both sides in 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManyRows {
    /// Weights are dequantized to this into the staging buffer first, unless they are in it already. (Those of experts
    /// never are: their products dequantize them on their way.)
    pub dtype: DType,
    /// Format of the input.
    pub act: ActFormat,
}

/// A device, as far as a table depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Name for dumps and snapshots (`cpu avx512`).
    pub name: String,
    /// First match wins; a format without a match is not supported.
    pub rules: Vec<WeightRule>,
    /// Activation format of the output head where its weights' rule says q8: few rows have logits, and an error there
    /// goes straight into them.
    pub head_act: Option<ActFormat>,
    /// Formats of the KV cache that its kernels work on; the first is its own choice.
    pub kv: Vec<KvFormat>,
    /// Row counts to build tables for, ascending; the first is 1.
    pub ladder: Vec<u32>,
    /// Tokens per submission that the engine starts with.
    pub chunk: u32,
    /// Vocabulary entries that one unit of the sampling kernels looks at.
    pub pick_chunk: u32,
    /// Tables of up to this many rows use the fused kernels (`norm_matmul`, `rope_kv_attention`, ...), which read
    /// f32 activations; 0 where the device has none.
    pub few_rows: u32,
    /// Tables of up to this many rows use `split_attention`; 0 where the device has another way to split attention.
    pub split_rows: u32,
    /// The GPU whose kernels' geometry goes into the table; `None` on a CPU.
    pub gpu: Option<Gpu>,
    /// Weights stay in their file where they can, and the region shows its pages, of so many bytes; `None` where all are
    /// brought to memory.
    pub file_pages: Option<u64>,
}

impl Target {
    /// The rule for a weight.
    pub fn rule(&self, dtype: DType, k: u64) -> Option<&WeightRule> {
        self.rules.iter().find(|r| r.dtype == dtype && k.is_multiple_of(u64::from(r.k_multiple)))
    }
}
