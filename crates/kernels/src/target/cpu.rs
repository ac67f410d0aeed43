//! What CPUs prefer.

use super::{Family, Target, WeightRule};
use crate::act::ActFormat;
use crate::cpu::Level;
use crate::dtype::{self, DTYPES, DType, Layout};
use crate::kv::{KV_FORMATS, KvFormat};
use crate::machine::Machine;
use crate::split_attention;
use crate::step::RowCount;

/// Tables of up to so many rows split attention over the length too.
const FEW: Family = Family { rows: RowCount(8), fusions: &[&split_attention::KERNEL], ..Family::PLAIN };

pub(super) fn target(level: Level) -> Target {
    let rules = DTYPES.iter().map(|d| {
        let (layout, act) = rule(level, d.dtype);
        WeightRule { dtype: d.dtype, k_multiple: 1, layout, act, staged: None }
    });
    // The oracle keeps what it computes; all others start with the format that every device has.
    let mut kv = KV_FORMATS.to_vec();
    if level == Level::Reference {
        kv.sort_by_key(|f| *f != KvFormat::F32);
    }
    let machine = Machine::Cpu(level);
    Target {
        name: machine.to_string(),
        machine,
        rules: rules.collect(),
        head_act: Some(head_rule(level, DType::Q8_0).1),
        kv,
        families: vec![FEW, Family::PLAIN],
        ladder: [1, 8, 512].map(RowCount).into(),
        batch_ladder: [1, 8, 512].map(RowCount).into(),
        chunk: 16,
        sequences: 16,
        prompt_rows: RowCount(16),
        encoder_matrices: (level != Level::Reference).then_some(DType::Q8_0),
        file_pages: None,
    }
}

/// What a level wants for a weight format: its layout and the activation format of its product.
///
/// BF16 weights take f32 activations at every level: `vdpbf16ps` is half as fast as two fused multiply-adds on
/// the processors measured, and rounds the activations. So do MXFP8 weights, whose elements are floats of 18 binades.
pub fn rule(level: Level, dt: DType) -> (Layout, ActFormat) {
    if level == Level::Reference {
        return (Layout::Native, ActFormat::F32);
    }
    match dtype::rows16::form(dt) {
        Some(_) => (Layout::Rows16, ActFormat::Q8),
        None => (Layout::Rows16, ActFormat::F32),
    }
}

/// [`rule`] for the output head, where inputs of 8 bits would put their error straight into the logits (on SmolLM2
/// Q4_1, 28% of the mean KL divergence that all quantized inputs cause together). A step computes few head rows, whose
/// time should be that of reading the weights: two byte products are fast enough for that, f32 activations are not.
pub fn head_rule(level: Level, dt: DType) -> (Layout, ActFormat) {
    match (level, rule(level, dt)) {
        (Level::Avx512 | Level::Avx512Bf16 | Level::Neon | Level::NeonI8mm, (layout, ActFormat::Q8)) => {
            (layout, ActFormat::Q16)
        }
        (_, (layout, _)) => (layout, ActFormat::F32),
    }
}
