//! The registry and every contract: names, lengths, and constants that make no sense.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu_kernels::contract::{Access, Load};
use akunu_kernels::cpu::LEVELS;
use akunu_kernels::step::RowCount;
use akunu_kernels::*;
use std::collections::HashSet;

/// The constants of a small command of each kernel, and the size of its constant struct.
fn good(name: &str) -> (Vec<u32>, usize) {
    let s = |v: &[u32], size| (v.to_vec(), size);
    match name {
        // dtype f32, native, d, vocab, max_seq, max_rows
        "embed" => s(&[0, 0, 32, 5, 16, 4], size_of::<embed::EmbedConsts>()),
        "rope_angles" => s(&[8, 4], size_of::<rope_angles::RopeAnglesConsts>()),
        "rms_norm" => s(&[32, 1, 0, 4], size_of::<rms_norm::RmsNormConsts>()),
        "matmul" | "matmul_add" | "norm_matmul" => {
            s(&[0, 0, 0, 32, 16, 16, 0, 0, 4], size_of::<matmul::MatmulConsts>())
        }
        "matmul_glu" => s(&[0, 0, 0, 32, 16, 0, 0, 4], size_of::<matmul_glu::MatmulGluConsts>()),
        // dtype f32, native, act f32, k, heads, KV heads, head_dim, a norm, pairs, pairing, f16 keys and values, max_rows, blocks
        "matmul_rope_kv" => {
            s(&[0, 0, 0, 32, 4, 2, 16, 1, 8, 0, 0, 0, 4, 0], size_of::<matmul_rope_kv::MatmulRopeKvConsts>())
        }
        "norm_matmul_glu" => s(&[0, 0, 32, 16, 0, 0, 4], size_of::<norm_matmul_glu::NormMatmulGluConsts>()),
        "norm_matmul_pair" => {
            s(&[0, 0, 16, 1, 0, 8, 32, 24, 0, 4], size_of::<norm_matmul_pair::NormMatmulPairConsts>())
        }
        "norm_matmul_max" => s(&[0, 0, 32, 16, 32, 4], size_of::<norm_matmul_max::NormMatmulMaxConsts>()),
        "dequantize" => s(&[0, 0, 32, 16, 1], size_of::<dequantize::DequantizeConsts>()),
        "rope_kv" => s(&[4, 2, 16, 8, 0, 0, 0, 4, 0], size_of::<rope_kv::RopeKvConsts>()),
        // heads, KV heads, head_dim, pairs, pairing, f16 keys, f16 values, act f32, max_rows, window, max_seq
        "rope_kv_attention" => s(
            &[4, 2, 32, 16, 0, 0, 0, 0, 4, 0, 64, 0, 0],
            size_of::<rope_kv_attention::RopeKvAttentionConsts>(),
        ),
        "attention" => s(&[4, 2, 32, 0, 0, 1, 4, 0, 0], size_of::<attention::AttentionConsts>()),
        "split_attention" => {
            s(&[4, 2, 32, 0, 0, 1, 4, 0, 0, 1], size_of::<split_attention::SplitAttentionConsts>())
        }
        // the same constants, then pairs and pairing
        "rope_kv_ragged_attention" => s(
            &[4, 2, 32, 0, 0, 1, 4, 0, 0, 2, 16, 0],
            size_of::<rope_kv_ragged_attention::RopeKvRaggedAttentionConsts>(),
        ),
        "ragged_attention" => {
            s(&[4, 2, 32, 0, 0, 1, 4, 0, 0, 2], size_of::<ragged_attention::RaggedAttentionConsts>())
        }
        "add_bias" => s(&[64, 4], size_of::<add_bias::AddBiasConsts>()),
        "qk_norm" => s(&[4, 2, 32, 0, 4], size_of::<qk_norm::QkNormConsts>()),
        "rms_norm_add" => s(&[64, 4], size_of::<rms_norm_add::RmsNormAddConsts>()),
        "take_heads" => s(&[64, 4], size_of::<take_heads::TakeHeadsConsts>()),
        "softcap" => s(&[100, 1], size_of::<softcap::SoftcapConsts>()),
        "route" => s(&[8, 2, 1, 4], size_of::<route::RouteConsts>()),
        "expert_matmul" => {
            s(&[0, 0, 0, 32, 16, 8, 2, 0, 16, 0, 4], size_of::<expert_matmul::ExpertMatmulConsts>())
        }
        "norm_expert_matmul_glu" => {
            let size = size_of::<norm_expert_matmul_glu::NormExpertMatmulGluConsts>();
            s(&[0, 0, 32, 16, 8, 2, 0, 4], size)
        }
        "expert_group" => s(&[8, 2, 32, 16], size_of::<expert_group::ExpertGroupConsts>()),
        "grouped_matmul" => {
            s(&[0, 0, 3, 32, 16, 8, 2, 0, 16, 0, 16, 64], size_of::<grouped_matmul::GroupedMatmulConsts>())
        }
        "expert_combine" => s(&[32, 2, 4], size_of::<expert_combine::ExpertCombineConsts>()),
        "glu" => s(&[64, 0, 1, 1, 4], size_of::<glu::GluConsts>()),
        "quantize" => s(&[64, 64, 1, 4], size_of::<quantize::QuantizeConsts>()),
        "logits_max" | "sample" => s(&[100, 64, 1], size_of::<logits_max::LogitsConsts>()),
        "advance" => s(&[100, 64, 16, 0], size_of::<advance::AdvanceConsts>()),
        "accept" => s(&[100, 64, 16, 8, 8], size_of::<accept::AcceptConsts>()),
        "draw" => s(&[100, 64, 1, 16], size_of::<draw::DrawConsts>()),
        "adjust" => s(&[100, 64, 1, 16], size_of::<adjust::AdjustConsts>()),
        "log_probs" => s(&[100, 1], size_of::<log_probs::LogProbsConsts>()),
        "kv_shift" => s(&[2, 16, 8, 0, 0, 0], size_of::<kv_shift::KvShiftConsts>()),
        // d, positions, first, max_rows
        "add_positions" => s(&[32, 16, 0, 2, 4], size_of::<add_positions::AddPositionsConsts>()),
        // d, act f32, the norm goes on, all rows, max_rows
        "layer_norm" | "layer_norm_add" => s(&[32, 0, 0, 0, 4], size_of::<layer_norm::LayerNormConsts>()),
        // f, GELU by the error function, act f32, max_rows
        "activate" => s(&[64, 3, 0, 4], size_of::<activate::ActivateConsts>()),
        "full_attention" => s(&[2, 32, 0, 0, 1, 0, 4], size_of::<full_attention::FullAttentionConsts>()),
        "rope" => s(&[2, 2, 32, 16, 1, 4], size_of::<rope::RopeConsts>()),
        "pooling" => s(&[32, 0, 1, 4], size_of::<pooling::PoolingConsts>()),
        // channels, taps, stride, lead, x_stride, act f32, max_rows
        "unfold" => s(&[8, 3, 2, 1, 16, 0, 4], size_of::<unfold::UnfoldConsts>()),
        // d, GELU by the error function, positions, max_rows
        "activate_positions" => s(&[32, 2, 4, 4], size_of::<activate_positions::ActivatePositionsConsts>()),
        // heads, head_dim, positions, sources, f16, max_rows
        "cross_kv" => s(&[2, 32, 20, 1, 0, 4], size_of::<cross_kv::CrossKvConsts>()),
        // the same, then act f32
        "cross_attention" => s(&[2, 32, 20, 1, 0, 0, 4], size_of::<cross_attention::CrossAttentionConsts>()),
        // as of `cross_kv`
        "cross_scores" => s(&[2, 32, 20, 1, 0, 4], size_of::<cross_scores::CrossScoresConsts>()),
        other => panic!("kernel `{other}` is new: add its constants here"),
    }
}

#[test]
fn names_are_unique_and_are_those_of_their_folders() {
    let names: HashSet<_> = KERNELS.iter().map(|k| k.name).collect();
    assert_eq!(names.len(), KERNELS.len());
    let src = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    for name in names {
        let file = format!("{src}/{name}/mod.rs");
        let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert!(text.contains(&format!("name: \"{name}\"")), "{file} does not define `{name}`");
    }
    // Every folder that has a contract is registered.
    for dir in std::fs::read_dir(src).unwrap().map(|d| d.unwrap().path()).filter(|d| d.is_dir()) {
        let text = std::fs::read_to_string(dir.join("mod.rs")).unwrap();
        let name = dir.file_name().unwrap().to_str().unwrap();
        let has = text.contains("pub static KERNEL: Kernel");
        assert_eq!(has, KERNELS.iter().any(|k| k.name == name), "{name}");
    }
}

#[test]
fn constants_and_parameters_fit_their_structs() {
    for k in KERNELS {
        let (consts, size) = good(k.name);
        assert_eq!(k.consts.len() * 4, size, "{}", k.name);
        assert_eq!(consts.len(), k.consts.len(), "{}", k.name);
        assert_eq!(k.consts.iter().collect::<HashSet<_>>().len(), k.consts.len(), "{}", k.name);
        let params = match k.name {
            "matmul_rope_kv" | "embed" | "rms_norm" | "rms_norm_add" | "qk_norm" | "rope_angles"
            | "softcap" => 4,
            "attention" | "rope_kv_attention" | "split_attention" | "ragged_attention" => 4,
            "rope_kv_ragged_attention" => 4,
            "norm_matmul" | "norm_matmul_pair" | "norm_matmul_glu" | "norm_matmul_max" => 4,
            "norm_expert_matmul_glu" | "layer_norm" | "layer_norm_add" | "full_attention" => 4,
            "cross_attention" => 4,
            "cross_scores" => 8,
            _ => 0,
        };
        assert_eq!(k.params.len() * 4, params, "{}", k.name);
    }
}

#[test]
fn bindings_are_named_once_and_begin_with_the_step_block() {
    for k in KERNELS {
        let names: HashSet<_> = k.bindings.iter().map(|b| b.name).collect();
        assert_eq!(names.len(), k.bindings.len(), "{}", k.name);
        assert_eq!(k.bindings[0].name, "step", "{}", k.name);
        assert!(k.bindings.iter().any(|b| b.access.writes()), "{} writes nothing", k.name);
        let moves_on = matches!(k.name, "advance" | "accept");
        let step = if moves_on { Access::ReadWrite } else { Access::Read };
        assert_eq!(
            k.bindings[0].access, step,
            "{}: only `advance` and `accept` write the step block",
            k.name
        );
    }
}

#[test]
fn good_constants_have_a_version_at_every_level() {
    for k in KERNELS {
        let (consts, _) = good(k.name);
        for level in LEVELS {
            assert!(k.cpu(*level, &consts).is_ok(), "{} {level}", k.name);
        }
        assert!((k.units)(&consts) > 0, "{}", k.name);
    }
}

#[test]
fn wrong_lengths_are_typed_errors() {
    for k in KERNELS {
        let (consts, _) = good(k.name);
        for n in [0, 1, consts.len() - 1, consts.len() + 1, 40] {
            let words = vec![1; n];
            if n == consts.len() {
                continue;
            }
            for level in LEVELS {
                let e = k.cpu(*level, &words).unwrap_err();
                let want = format!("{n} constants given, {} expected", consts.len());
                assert!(e.to_string().contains(&want), "{e}");
                assert!(e.to_string().contains(&format!("`{}`", k.name)), "{e}");
            }
        }
    }
}

/// (kernel, constant, value) that must be refused, everything else being good.
const BAD: &[(&str, &str, u32)] = &[
    ("embed", "dtype", 77),
    ("embed", "d", 0),
    ("embed", "vocab", 0),
    ("embed", "max_seq", 0),
    ("embed", "layout", 3),
    ("rms_norm", "d", 0),
    ("rms_norm", "d", 33),
    ("rms_norm", "act", 9),
    ("rms_norm", "select", 2),
    ("matmul", "dtype", 77),
    ("matmul", "k", 0),
    ("matmul", "n", 0),
    ("matmul_add", "k", 0),
    ("rope_kv", "heads", 0),
    ("rope_kv", "kv_heads", 0),
    ("rope_kv", "head_dim", 0),
    ("rope_kv", "pairs", 9),
    ("rope_kv", "pairs", 1 << 31),
    ("rope_kv", "pairing", 2),
    ("rope_kv", "k_type", 4),
    // Heads of 16 have no whole group of q8_0.
    ("rope_kv", "v_type", 3),
    ("ragged_attention", "blocks", 0),
    ("ragged_attention", "kv_heads", 0),
    ("rope_kv_ragged_attention", "blocks", 0),
    ("rope_kv_ragged_attention", "heads", 3),
    ("rope_kv_ragged_attention", "kv_heads", 0),
    ("rope_kv_ragged_attention", "pairs", 17),
    ("rope_kv_ragged_attention", "pairing", 2),
    ("rope_kv_ragged_attention", "v_type", 4),
    ("rope_kv_ragged_attention", "act", 99),
    ("attention", "heads", 3),
    ("attention", "kv_heads", 0),
    ("attention", "head_dim", 0),
    ("attention", "head_dim", 33),
    ("attention", "act", 9),
    ("attention", "k_type", 4),
    ("split_attention", "heads", 3),
    ("split_attention", "k_type", 4),
    ("split_attention", "spans", 0),
    ("add_bias", "n", 0),
    ("qk_norm", "heads", 0),
    ("qk_norm", "kv_heads", 0),
    ("qk_norm", "head_dim", 0),
    ("qk_norm", "span", 2),
    ("rms_norm_add", "d", 0),
    ("softcap", "n", 0),
    ("take_heads", "d", 0),
    ("route", "experts", 0),
    ("route", "experts", 2000),
    ("route", "used", 0),
    ("route", "used", 9),
    ("route", "normalized", 2),
    ("expert_matmul", "dtype", 77),
    ("expert_matmul", "k", 0),
    ("expert_matmul", "n", 0),
    ("expert_matmul", "experts", 1),
    ("expert_matmul", "used", 0),
    ("expert_matmul", "input", 2),
    ("norm_expert_matmul_glu", "k", 0),
    ("norm_expert_matmul_glu", "f", 0),
    ("norm_expert_matmul_glu", "used", 9),
    ("norm_expert_matmul_glu", "activation", 2),
    ("expert_group", "experts", 0),
    ("expert_group", "used", 9),
    ("expert_group", "tile", 0),
    ("grouped_matmul", "dtype", 77),
    ("grouped_matmul", "act", 0),
    ("grouped_matmul", "k", 0),
    ("grouped_matmul", "n", 0),
    ("grouped_matmul", "experts", 1),
    ("grouped_matmul", "used", 0),
    ("grouped_matmul", "input", 2),
    ("grouped_matmul", "tile", 48),
    ("expert_combine", "d", 0),
    ("expert_combine", "used", 0),
    ("glu", "per_row", 0),
    ("glu", "f", 0),
    ("glu", "f", 33),
    ("glu", "activation", 3),
    ("glu", "act", 9),
    ("quantize", "k", 0),
    ("quantize", "k", 33),
    ("quantize", "x_stride", 63),
    ("quantize", "act", 9),
    ("matmul_glu", "k", 0),
    ("matmul_glu", "f", 0),
    ("matmul_glu", "activation", 2),
    ("matmul_glu", "act_out", 1),
    ("matmul_rope_kv", "dtype", 77),
    ("matmul_rope_kv", "act", 99),
    ("matmul_rope_kv", "k", 0),
    ("matmul_rope_kv", "heads", 0),
    ("matmul_rope_kv", "kv_heads", 0),
    ("matmul_rope_kv", "norm", 2),
    ("matmul_rope_kv", "pairs", 9),
    ("matmul_rope_kv", "pairing", 2),
    ("matmul_rope_kv", "v_type", 99),
    ("dequantize", "k", 0),
    ("dequantize", "n", 0),
    ("dequantize", "layout", 3),
    ("dequantize", "to", 0),
    ("norm_matmul", "k", 0),
    ("norm_matmul", "act", 1),
    ("norm_matmul_pair", "k", 0),
    ("norm_matmul_pair", "n2", 0),
    ("norm_matmul_pair", "dtype2", 77),
    ("norm_matmul_glu", "f", 0),
    ("norm_matmul_glu", "activation", 2),
    ("norm_matmul_max", "n", 0),
    ("norm_matmul_max", "chunk", 0),
    ("norm_matmul_max", "chunk", 48),
    ("rope_kv_attention", "heads", 3),
    ("rope_kv_attention", "act", 1),
    ("rope_kv_attention", "max_seq", 0),
    ("rope_kv_attention", "k_type", 4),
    ("logits_max", "vocab", 0),
    ("logits_max", "chunk", 0),
    ("sample", "vocab", 0),
    ("sample", "chunk", 0),
    ("draw", "vocab", 0),
    ("draw", "chunk", 0),
    ("draw", "max_seq", 0),
    ("adjust", "vocab", 0),
    ("adjust", "chunk", 0),
    ("adjust", "max_seq", 0),
    ("log_probs", "vocab", 0),
    ("advance", "vocab", 0),
    ("advance", "chunk", 0),
    ("advance", "max_seq", 0),
    ("accept", "vocab", 0),
    ("accept", "chunk", 0),
    ("accept", "max_seq", 0),
    ("accept", "heads", 7),
    ("accept", "rows", 0),
    ("accept", "rows", 9),
    ("kv_shift", "kv_heads", 0),
    ("kv_shift", "head_dim", 0),
    ("kv_shift", "v_type", 4),
    ("kv_shift", "k_type", 3),
    ("kv_shift", "head_dim", 513),
    ("kv_shift", "pairs", 9),
    ("kv_shift", "pairs", (1 << 31) + 1),
    ("kv_shift", "pairing", 2),
];

#[test]
fn bad_constants_are_typed_errors() {
    let mut wrong = Vec::new();
    for (name, constant, value) in BAD {
        let k = KERNELS.iter().find(|k| k.name == *name).unwrap();
        let (mut consts, _) = good(name);
        let i = k.consts.iter().position(|c| c == constant).unwrap();
        consts[i] = *value;
        for level in LEVELS {
            match k.cpu(*level, &consts) {
                Ok(_) => wrong.push(format!("{name} {constant}={value} {level} is accepted")),
                Err(e) => assert!(e.to_string().contains(name), "{e}"),
            }
        }
    }
    // Block formats in rows that are no whole blocks.
    for (dt, width) in [(DType::Q4_0, 33), (DType::Q8_0, 16), (DType::Q6K, 32)] {
        let (mut consts, _) = good("embed");
        (consts[0], consts[2]) = (dt as u32, width);
        if embed::KERNEL.cpu(cpu::Level::Reference, &consts).is_ok() {
            wrong.push(format!("embed {dt} of width {width} is accepted"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn any_words_are_an_answer_and_not_a_panic() {
    let words = [0, 1, 2, 3, 16, 31, 32, 255, 256, 1 << 16, 1 << 31, u32::MAX];
    for k in KERNELS {
        let (good, _) = good(k.name);
        for i in 0..good.len() {
            for w in words {
                let mut consts = good.clone();
                consts[i] = w;
                for level in LEVELS {
                    let _ = k.cpu(*level, &consts);
                }
                let _ = (k.units)(&consts);
            }
        }
        for w in words {
            let _ = k.cpu(cpu::Level::Reference, &vec![w; good.len()]);
            let _ = (k.units)(&vec![w; good.len()]);
        }
    }
}

#[test]
fn costs_grow_with_the_load() {
    let one = Load { rows: RowCount(1), head_rows: RowCount(1), kv_len: 10 };
    let more = Load { rows: RowCount(3), head_rows: RowCount(3), kv_len: 20 };
    for k in KERNELS {
        let (consts, _) = good(k.name);
        let (a, b) = ((k.cost)(&consts, one), (k.cost)(&consts, more));
        assert!(a.bytes() > 0, "{}", k.name);
        // `advance` takes one token and `dequantize` the whole matrix, whatever the rows.
        let fixed = matches!(k.name, "advance" | "dequantize");
        assert_eq!(b.other_bytes > a.other_bytes, !fixed, "{}", k.name);
        if matches!(k.name, "matmul" | "matmul_add") {
            assert_eq!((a.weight_bytes, b.weight_bytes), (32 * 16 * 4, 32 * 16 * 4), "weights are read once");
            assert_eq!(b.flops, 3 * a.flops);
        }
    }
}
