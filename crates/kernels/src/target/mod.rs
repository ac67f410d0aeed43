//! What a machine prefers, as plain data: all that the builder of tables knows about where a table will run.

mod cpu;
mod cuda;
mod metal;
mod vulkan;

#[cfg(target_arch = "x86_64")]
pub(crate) use cpu::FEW_ROWS;
pub use cpu::{
    UNITS_K as CPU_UNITS_K, head_rule as cpu_head_rule, in_words as cpu_attention_in_words,
    many_rule as cpu_many_rule, one_family as cpu_one_family, rule as cpu_rule, units_rule as cpu_units_rule,
};

use crate::act::ActFormat;
use crate::contract::Kernel;
use crate::dtype::{DType, Layout};
use crate::kv::KvFormat;
use crate::machine::Machine;
use crate::step::RowCount;

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
    /// How families of many rows multiply, where that differs.
    pub staged: Option<Staged>,
}

/// A product of many rows: on matrix units, both sides in 16 bits; at AVX2, of bytes in another order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Staged {
    /// Weights are dequantized to this into the staging buffer first, unless they are in it already. (Those of experts
    /// never are: their products dequantize them on their way.)
    pub dtype: DType,
    /// Format of the input.
    pub act: ActFormat,
}

/// How a family's products take their weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Products {
    /// As they lie, with inputs in [`WeightRule::act`].
    Direct,
    /// As [`WeightRule::staged`] says, where a rule has it.
    Staged,
    /// The same, but weights in [`Layout::Planes`] are read where they lie and dequantized on their way to the matrix units.
    OnTheWay,
}

/// The tables of a range of row counts.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The most rows of its tables.
    pub rows: RowCount,
    /// How its products take their weights.
    pub products: Products,
    /// Kernels that its tables take where the shapes allow it, in place of several commands or of a plainer one.
    pub fusions: &'static [&'static Kernel],
    /// Vocabulary entries that one unit of the sampling kernels looks at, where so many rows draw.
    pub pick_chunk: u32,
}

impl Family {
    /// No fusions, weights as they lie.
    pub const PLAIN: Self =
        Self { rows: RowCount(u32::MAX), products: Products::Direct, fusions: &[], pick_chunk: 4096 };

    /// Whether its tables take a kernel.
    pub fn takes(&self, kernel: &'static Kernel) -> bool {
        self.fusions.iter().any(|k| std::ptr::eq(*k, kernel))
    }
}

/// A machine and what it prefers.
#[derive(Clone, Debug)]
pub struct Target {
    /// Name for dumps and snapshots (`cpu avx512`).
    pub name: String,
    /// Whose kernels go into the table.
    pub machine: Machine,
    /// First match wins; a format without a match is not supported.
    pub rules: Vec<WeightRule>,
    /// Activation format of the output head where its weights' rule says q8: few rows have logits, and an error there
    /// goes straight into them.
    pub head_act: Option<ActFormat>,
    /// Formats of the KV cache that its kernels work on; the first is its own choice.
    pub kv: Vec<KvFormat>,
    /// Families of tables, by ascending row counts. Larger tables than the last one's belong to [`Family::PLAIN`].
    pub families: Vec<Family>,
    /// Row counts to build a session's tables for, ascending; the first is 1.
    pub ladder: Vec<RowCount>,
    /// A prompt with at least so many rows left runs in a table that stages weights ([`Products::Staged`]), one with fewer in tables that
    /// dequantize them on their way ([`Products::OnTheWay`]), in several steps if need be. `None` where no table does the latter.
    pub staged_from: Option<RowCount>,
    /// Row counts to build a batch's tables for, ascending.
    pub batch_ladder: Vec<RowCount>,
    /// Tokens per submission that the engine starts with.
    pub chunk: u32,
    /// The most sequences of a batch, unless somebody says otherwise.
    pub sequences: u32,
    /// Rows of prompts in a step beside sequences that draw, unless somebody says otherwise.
    pub prompt_rows: RowCount,
    /// Format to which wider matrices of encoders are brought, of text and of audio: their steps have many rows, so products are what
    /// they wait for. `None` where the file's own are as fast.
    pub encoder_matrices: Option<DType>,
    /// The same of the decoders of speech, whose steps have few rows.
    pub speech_matrices: Option<DType>,
    /// Rows of an encoder's table where those of `batch_ladder` are too few: a machine of many multiprocessors has work for all of them
    /// only with more. One table serves few rows as well, and is of one family.
    pub encoder_rows: Option<RowCount>,
    /// Weights stay in their file where they can, and the region shows its pages, of so many bytes; `None` where all are
    /// brought to memory.
    pub file_pages: Option<u64>,
}

impl Target {
    /// What a machine prefers. It need not be this one.
    pub fn of(machine: Machine) -> Self {
        match machine {
            Machine::Cpu(level) => cpu::target(level),
            Machine::Cuda(gpu) => cuda::target(gpu),
            Machine::Vulkan(chip) => vulkan::target(chip),
            Machine::Metal(chip) => metal::target(chip),
        }
    }

    /// The rule for a weight.
    pub fn rule(&self, dtype: DType, k: u64) -> Option<&WeightRule> {
        self.rules.iter().find(|r| r.dtype == dtype && k.is_multiple_of(u64::from(r.k_multiple)))
    }

    /// The family of tables of `rows` rows.
    pub fn family(&self, rows: RowCount) -> &Family {
        self.families.iter().find(|f| rows <= f.rows).unwrap_or(&Family::PLAIN)
    }
}
