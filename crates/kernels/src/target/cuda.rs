//! What NVIDIA GPUs prefer.

use super::{Family, Products, Staged, Target, WeightRule};
use crate::act::ActFormat;
use crate::cuda::Gpu;
use crate::dtype::{DTYPES, DType, Layout};
use crate::kv::KvFormat;
use crate::machine::Machine;
use crate::matmul::cuda_product;
use crate::step::RowCount;
use crate::{
    expert_group, grouped_matmul, matmul_glu, norm_expert_matmul_glu, norm_matmul, norm_matmul_glu,
    norm_matmul_max, norm_matmul_pair, rope_kv_attention, rope_kv_ragged_attention,
};

/// Bound by the memory: fewer commands, and weights read where they lie.
const FEW: Family = Family {
    rows: RowCount(8),
    products: Products::Direct,
    fusions: &[
        &norm_matmul::KERNEL,
        &norm_matmul_pair::KERNEL,
        &norm_matmul_glu::KERNEL,
        &norm_expert_matmul_glu::KERNEL,
        &norm_matmul_max::KERNEL,
        &rope_kv_attention::KERNEL,
    ],
    pick_chunk: 32,
};
/// On matrix units, and still bound by the memory: writing dequantized weights and reading them again would cost more than
/// the product.
const SOME: Family = Family {
    rows: RowCount(cuda_product::MAX_ROWS),
    products: Products::OnTheWay,
    fusions: &[
        &matmul_glu::KERNEL,
        &expert_group::KERNEL,
        &grouped_matmul::KERNEL,
        &rope_kv_ragged_attention::KERNEL,
    ],
    ..MANY
};
/// Bound by the products.
const MANY: Family = Family {
    rows: RowCount(u32::MAX),
    products: Products::Staged,
    fusions: &[&matmul_glu::KERNEL, &expert_group::KERNEL, &grouped_matmul::KERNEL],
    // `advance` reads all picks of all rows in one block.
    pick_chunk: 1024,
};

pub(super) fn target(gpu: Gpu) -> Target {
    let rule = |dtype, k_multiple, layout, staged, act| WeightRule {
        dtype,
        k_multiple,
        layout,
        act: ActFormat::F32,
        staged: Some(Staged { dtype: staged, act }),
    };
    let float = |dtype, staged, act| rule(dtype, 8, Layout::Native, staged, act);
    let rules = DTYPES.iter().map(|d| match d.dtype {
        DType::F32 | DType::F16 => float(d.dtype, DType::F16, ActFormat::F16),
        DType::Bf16 => float(DType::Bf16, DType::Bf16, ActFormat::Bf16),
        _ => rule(d.dtype, d.block, Layout::Planes, DType::F16, ActFormat::F16),
    });
    let machine = Machine::Cuda(gpu);
    Target {
        name: machine.to_string(),
        machine,
        rules: rules.collect(),
        head_act: None,
        kv: vec![KvFormat::F16, KvFormat::Bf16, KvFormat::Q8_0],
        families: vec![FEW, SOME, MANY],
        ladder: [1, FEW.rows.0, 32, 64, 128, 256, SOME.rows.0, 2048].map(RowCount).into(),
        // On an H200 two steps of 512 rows are faster than one that stages weights, with an 8B and a 1B in Q4_0; three are not with the 1B.
        staged_from: Some(RowCount(2 * SOME.rows.0 + 1)),
        // Few rows of different sequences are quicker on the matrix units, too.
        batch_ladder: [1, 2, 16, 32, 64, 128, 192, 256, SOME.rows.0].map(RowCount).into(),
        // One submission runs to its end by itself.
        chunk: u32::MAX,
        sequences: 256,
        prompt_rows: RowCount(192),
        encoder_matrices: None,
        speech_matrices: None,
        encoder_rows: Some(RowCount(4096)),
        file_pages: None,
    }
}
