//! What CPUs prefer.

use super::{Family, Products, Staged, Target, WeightRule};
use crate::act::ActFormat;
use crate::cpu::Level;
use crate::dtype::rows16::{Form, Scales};
use crate::dtype::{self, DTYPES, DType, Layout};
use crate::kv::{KV_FORMATS, KvFormat};
use crate::machine::Machine;
use crate::split_attention;
use crate::step::RowCount;
use crate::{matmul_glu, matmul_rope_kv};

/// Rows of the largest tables of the first family.
pub(crate) const FEW_ROWS: u32 = 8;
/// They split attention over the length too.
const FEW: Family =
    Family { rows: RowCount(FEW_ROWS), fusions: &[&split_attention::KERNEL], ..Family::PLAIN };

/// Where the machine has matrix units: tables whose rows would fill them too little, and larger ones. (1B in Q4_0 on 16 cores of a Xeon with
/// AMX, tokens/s in sum: 735 with 9 sequences without tiles and 418 with them, 883 and 1,198 with 32.)
const BEFORE_UNITS: Family = Family { rows: RowCount(16), ..Family::PLAIN };
/// Where products of many rows take their inputs in another format ([`many_rule`]): tables of more rows than the families before.
const MANY: Family = Family { products: Products::Staged, ..Family::PLAIN };

/// Where products of many rows are on panels: the activation of gates and ups is in the command of their products, whose sums need not leave the
/// second cache.
const ON_PANELS: Family = Family { fusions: &[&matmul_glu::KERNEL], ..Family::PLAIN };
/// The same with other inputs.
const ON_PANELS_MANY: Family = Family { fusions: &[&matmul_glu::KERNEL], ..MANY };

/// The same on matrix units, where what follows the products of gates and ups, and of queries, keys and values, is in their command: their
/// sums need not leave the caches.
const ON_UNITS: Family = Family { fusions: &[&matmul_glu::KERNEL, &matmul_rope_kv::KERNEL], ..MANY };

/// Rows of prompts beside sequences that draw, on matrix units. (Four of the 1B in Q4_0 on two cores, a prompt of 512 each second: with 16 rows its
/// first token came after 3.0 s and the 99th percentile between two tokens was 1.9 times the undisturbed median; with 48 1.2 s and 3.1, with
/// 112 0.7 s and 4.1; `2026-11-27-cpu-amx-qkv.json`.)
const BESIDE_ON_UNITS: RowCount = RowCount(48);

pub(super) fn target(level: Level) -> Target {
    let rules = DTYPES.iter().flat_map(|d| {
        let (layout, act) = rule(level, d.dtype);
        // Weights stay as they lie, and products unpack them on their way.
        let staged = many_rule(level, d.dtype).map(|act| Staged { dtype: d.dtype, act });
        let plain = WeightRule { dtype: d.dtype, k_multiple: 1, layout, act, staged: None };
        [WeightRule { k_multiple: UNITS_K, staged, ..plain }, plain]
    });
    // The oracle keeps what it computes; all others start with the format that every device has.
    let mut kv = KV_FORMATS.to_vec();
    if level == Level::Reference {
        kv.sort_by_key(|f| *f != KvFormat::F32);
    }
    let machine = Machine::Cpu(level);
    let (families, ladder) = match level {
        _ if has_units(level) => (vec![FEW, BEFORE_UNITS, ON_UNITS], &[1, 8, 16, 512][..]),
        Level::Avx2 | Level::AvxVnni => (vec![FEW, ON_PANELS_MANY], &[1, 8, 512][..]),
        Level::Avx512 | Level::Avx512Bf16 => (vec![FEW, ON_PANELS], &[1, 8, 512][..]),
        _ => (vec![FEW, Family::PLAIN], &[1, 8, 512][..]),
    };
    let ladder: Vec<RowCount> = ladder.iter().copied().map(RowCount).collect();
    Target {
        name: machine.to_string(),
        machine,
        rules: rules.collect(),
        head_act: Some(head_rule(level, DType::Q8_0).1),
        kv,
        families,
        batch_ladder: ladder.clone(),
        ladder,
        staged_from: None,
        chunk: 16,
        sequences: 16,
        prompt_rows: if has_units(level) { BESIDE_ON_UNITS } else { RowCount(16) },
        encoder_matrices: encoder_matrices(level),
        speech_matrices: (level != Level::Reference).then_some(DType::Q8_0),
        encoder_rows: None,
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
    match (level.base(), rule(level, dt)) {
        (Level::Avx2 | Level::Avx512 | Level::Neon, (layout, ActFormat::Q8)) => (layout, ActFormat::Q16),
        (_, (layout, _)) => (layout, ActFormat::F32),
    }
}

/// Whether a level has matrix units, or what stands for them.
fn has_units(level: Level) -> bool {
    matches!(level, Level::Amx | Level::AmxEmulated)
}

/// What matrices of encoders are brought to. Matrix units multiply 16 bits, with inputs of twice as many, in no more time than they take to
/// unpack codes for inputs that are rounded to bf16.
fn encoder_matrices(level: Level) -> Option<DType> {
    match level {
        Level::Reference => None,
        _ if has_units(level) => Some(DType::F16),
        _ => Some(DType::Q8_0),
    }
}

/// Rows of weights that the matrix units, [`ActFormat::Q8Paired`] and [`ActFormat::Q8Quads`] take are a multiple of this wide.
pub const UNITS_K: u32 = 32;

/// What products of many rows want as their input where that is another format than [`rule`]'s: on matrix units what [`units_rule`] says.
/// AVX2's have kernels of their own for codes of up to six bits with one minimum a block at most, AVX-VNNI's for codes of up to five with one
/// scale a block.
pub fn many_rule(level: Level, dt: DType) -> Option<ActFormat> {
    let paired = |f: &Form| f.codes.bits() <= 6 && f.codes.table().is_none() && f.scales != Scales::Nibbles;
    let quads = |f: &Form| f.codes.bits() <= 5 && f.codes.table().is_none() && !f.scales.halves();
    match level {
        Level::AvxVnni => dtype::rows16::form(dt).filter(quads).map(|_| ActFormat::Q8Quads),
        Level::Avx2 => dtype::rows16::form(dt).filter(paired).map(|_| ActFormat::Q8Paired),
        _ => units_rule(level, dt),
    }
}

/// Whether attention of many rows is in 16-bit integers where the next product takes a format: what that takes in bytes loses nothing that
/// counts. At AVX-512 only for a format that nothing there asks for, so that rows have the same bits in all tables (ADR 0043).
pub fn in_words(level: Level, act: ActFormat) -> bool {
    match level {
        Level::Avx2 | Level::AvxVnni => {
            matches!(act, ActFormat::Q8 | ActFormat::Q8Paired | ActFormat::Q8Quads)
        }
        Level::Avx512 | Level::Avx512Bf16 => act == ActFormat::Q8Paired,
        _ => false,
    }
}

/// Whether rows have the same bits in tables of every size, where all weights have a format: what many rows go through computes as
/// what few do.
pub fn one_family(level: Level, dt: DType) -> bool {
    many_rule(level, dt).is_none() && !in_words(level, rule(level, dt).1)
}

/// What products of many rows on matrix units want as their input; `None` where there are none, or where the format is multiplied
/// as in small tables.
///
/// A quantized weight is rounded to bf16, and so is its input: together half the error of `q8` inputs. Weights of BF16, MXFP8
/// and F16 are kept as they are (an F16 one in two parts), and inputs are two bf16 parts, so that such models lose nothing. F32
/// weights would need three parts of each side.
pub fn units_rule(level: Level, dt: DType) -> Option<ActFormat> {
    match dt {
        _ if !has_units(level) => None,
        DType::F32 => None,
        DType::F16 | DType::Bf16 | DType::Mxfp8 => Some(ActFormat::Bf16Pair),
        _ => Some(ActFormat::Bf16),
    }
}
