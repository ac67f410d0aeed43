//! What GPUs with Vulkan prefer.

use super::{Family, Products, Staged, Target, WeightRule};
use crate::act::ActFormat;
use crate::dtype::DTYPES;
use crate::kv::KvFormat;
use crate::machine::Machine;
use crate::matmul::vulkan::{layout, takes_blocks};
use crate::step::RowCount;
use crate::vulkan::{Chip, Matrices};
use crate::{matmul_glu, norm_matmul, norm_matmul_glu, rope_kv_attention};

/// Bound by the memory and by the number of commands. What weights of codes are multiplied by on Vulkan is made by a norm of its own:
/// then nothing is fused.
const FEW: Family =
    Family { fusions: &[&norm_matmul::KERNEL, &norm_matmul_glu::KERNEL], pick_chunk: 1024, ..Family::PLAIN };
/// The same of tables of at most 8 rows: too few for attention to have work for a whole GPU, so the KV length is split.
const SPLIT: Family = Family {
    rows: RowCount(8),
    fusions: &[&norm_matmul::KERNEL, &norm_matmul_glu::KERNEL, &rope_kv_attention::KERNEL],
    ..FEW
};
/// Bound by the products, which are on matrix units. Weights become f16 on their way.
const MANY: Family =
    Family { products: Products::Staged, fusions: &[&matmul_glu::KERNEL], pick_chunk: 1024, ..Family::PLAIN };

pub(super) fn target(chip: Chip) -> Target {
    // Steps that are queued at a time: those after a stop run too, and return at once.
    // Every device has dot products of bytes.
    let plain = of_slang(Machine::Vulkan(chip), 16, ActFormat::Q16Aligned);
    if chip.matrices == Matrices::None {
        return plain;
    }
    let on_units = |r: WeightRule| WeightRule {
        // The product itself reads weights of every format.
        staged: Some(Staged { dtype: r.dtype, act: ActFormat::F16 }),
        ..r
    };
    Target {
        rules: plain.rules.into_iter().map(on_units).collect(),
        families: vec![SPLIT, MANY],
        ladder: [1, 8, 128, 512].map(RowCount).into(),
        batch_ladder: [1, 8, 128].map(RowCount).into(),
        ..plain
    }
}

/// What machines prefer whose kernels are made of Slang, with so many steps a submission and what weights of codes are multiplied by.
pub(super) fn of_slang(machine: Machine, chunk: u32, codes: ActFormat) -> Target {
    let rules = DTYPES.iter().map(|info| {
        let act = if takes_blocks(info.dtype) { codes } else { ActFormat::F32 };
        WeightRule {
            dtype: info.dtype,
            k_multiple: info.block.max(8),
            layout: layout(info.dtype),
            act,
            staged: None,
        }
    });
    Target {
        name: machine.to_string(),
        machine,
        rules: rules.collect(),
        head_act: None,
        kv: vec![KvFormat::F16, KvFormat::Bf16, KvFormat::F32, KvFormat::Q8_0],
        families: vec![SPLIT, FEW],
        ladder: [1, 8, 128].map(RowCount).into(),
        staged_from: None,
        // The smallest table of the second family is what a deterministic batch runs a single row in.
        batch_ladder: [1, 8, 16, 128].map(RowCount).into(),
        chunk,
        sequences: 16,
        prompt_rows: RowCount(64),
        encoder_matrices: None,
        speech_matrices: None,
        encoder_rows: None,
        file_pages: None,
    }
}
