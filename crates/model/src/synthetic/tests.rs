//! Totals against the tool, determinism, and the values' distribution.

use super::*;
use akunu_kernels::dtype::dequantize_native_row;

/// Format, number of tensors, bytes.
type Total = (DType, u64, u64);

/// Number of tensors and bytes by format, as `synth_gguf.py` wrote them:
/// `synth_gguf.py --shape S --type T --no-vocab --out m.gguf` (gguf 0.19.0, numpy 2.2.6), counted with
/// `gguf.GGUFReader("m.gguf").tensors` by `tensor_type` and `n_bytes`.
static TOOL: &[(&str, &[Total])] = &[
    ("smollm-135m:f32", &[(DType::F32, 272, 538_060_032)]),
    ("smollm-135m:f16", &[(DType::F32, 61, 140_544), (DType::F16, 211, 268_959_744)]),
    ("smollm-135m:bf16", &[(DType::F32, 61, 140_544), (DType::Bf16, 211, 268_959_744)]),
    ("smollm-135m:q8_0", &[(DType::F32, 61, 140_544), (DType::Q8_0, 211, 142_884_864)]),
    (
        "smollm-135m:q4_0",
        &[(DType::F32, 61, 140_544), (DType::Q4_0, 210, 59_719_680), (DType::Q8_0, 1, 30_081_024)],
    ),
    (
        "smollm-135m:q6_k",
        &[(DType::F32, 61, 140_544), (DType::Q8_0, 181, 114_683_904), (DType::Q6K, 30, 21_772_800)],
    ),
    ("llama-3.2-1b:f32", &[(DType::F32, 147, 4_943_257_728)]),
    ("llama-3.2-1b:f16", &[(DType::F32, 34, 270_464), (DType::F16, 113, 2_471_493_632)]),
    ("llama-3.2-1b:bf16", &[(DType::F32, 34, 270_464), (DType::Bf16, 113, 2_471_493_632)]),
    ("llama-3.2-1b:q8_0", &[(DType::F32, 34, 270_464), (DType::Q8_0, 113, 1_312_980_992)]),
    (
        "llama-3.2-1b:q4_0",
        &[(DType::F32, 34, 270_464), (DType::Q4_0, 112, 547_356_672), (DType::Q6K, 1, 215_470_080)],
    ),
    ("llama-3.2-1b:q6_k", &[(DType::F32, 34, 270_464), (DType::Q6K, 113, 1_013_698_560)]),
    // The tool does not write Q4_1. These are the counts of the real SmolLM2-135M-Instruct.Q4_1.gguf, quantized
    // by llama.cpp; the bytes follow from its shapes.
    (
        "smollm2-135m:q4_1",
        &[(DType::F32, 61, 140_544), (DType::Q4_1, 210, 66_355_200), (DType::Q8_0, 1, 30_081_024)],
    ),
];

/// Every recipe and every format.
fn formats() -> impl Iterator<Item = String> {
    let recipes = Recipe::names().map(str::to_owned);
    recipes.chain(DTYPES.iter().map(|d| d.name.to_owned()))
}

#[test]
fn totals_equal_the_tools() {
    for (spec, wanted) in TOOL {
        let s = Synthetic::parse(spec).expect(spec);
        let found: Vec<_> = s.totals().iter().map(|t| (t.dtype, t.tensors, t.bytes)).collect();
        assert_eq!(found, *wanted, "{spec}");
        assert_eq!(s.total_bytes(), wanted.iter().map(|t| t.2).sum::<u64>(), "{spec}");
    }
}

#[test]
fn mixes_choose_by_layer_and_part() {
    let s = Synthetic::parse("llama-3-8b:q4_k_m").expect("known");
    let dtype = |name: &str| s.find(name).map(|t| t.dtype);
    assert_eq!(dtype("output.weight"), Some(DType::Q6K));
    assert_eq!(dtype("embed.weight"), Some(DType::Q4K));
    let six = |part: &str| {
        let is_six = |l: &u32| dtype(&format!("layers.{l}.{part}.weight")) == Some(DType::Q6K);
        (0..32).filter(is_six).collect::<Vec<u32>>()
    };
    let spread = [0, 1, 2, 3, 6, 9, 12, 15, 18, 21, 24, 27, 28, 29, 30, 31];
    assert_eq!(six("attention.v"), spread);
    assert_eq!(six("ffn.down"), spread);
    assert_eq!(six("attention.k"), [0u32; 0]);
    // Rows of 576 are no whole super-blocks.
    let s = Synthetic::parse("smollm2-135m:q4_k_m").expect("known");
    let dtype = |name: &str| s.find(name).map(|t| t.dtype);
    assert_eq!(dtype("layers.5.attention.q.weight"), Some(DType::Q5_0));
    assert_eq!(dtype("layers.0.attention.v.weight"), Some(DType::Q8_0));
    assert_eq!(dtype("layers.0.ffn.down.weight"), Some(DType::Q6K));
}

#[test]
fn experts_are_matrices_and_routers_stay_exact() {
    let s = Synthetic::parse("qwen3-30b-a3b:q4_k_m").expect("known");
    let of = |name: &str| s.find(name).map(|t| (t.dtype, t.rows, t.cols));
    assert_eq!(of("layers.7.ffn.router.weight"), Some((DType::F32, 128, 2048)));
    assert_eq!(of("layers.7.ffn.experts.gate.weight"), Some((DType::Q4K, 128 * 768, 2048)));
    assert_eq!(of("layers.0.ffn.experts.down.weight"), Some((DType::Q6K, 128 * 2048, 768)));
    assert_eq!(of("layers.0.attention.q_norm.weight"), Some((DType::F32, 1, 128)));
    let params: u64 = s.tensors().iter().map(|t| t.rows * t.cols).sum();
    assert_eq!(params, 30_532_122_624);
    let s = Synthetic::parse("qwen3-0.6b:bf16").expect("known");
    let params: u64 = s.tensors().iter().map(|t| t.rows * t.cols).sum();
    assert_eq!(params, 596_049_920);
}

#[test]
fn an_untied_head_is_q6_k_in_a_four_bit_model() {
    let s = Synthetic::parse("llama-3-8b:q4_0").expect("known");
    assert_eq!(s.find("output.weight").map(|t| t.dtype), Some(DType::Q6K));
    assert_eq!(s.find("embed.weight").map(|t| t.dtype), Some(DType::Q4_0));
    assert_eq!(s.config().rope.scaling, RopeScaling::None);
}

/// Llama-3.2's divisors, as the tool wrote them to `rope_freqs.weight`: the first 15 frequencies are kept, the
/// last 14 divided by 32.
#[test]
fn llama_3_frequency_divisors() {
    let s = Synthetic::parse("llama-3.2-1b:q8_0").expect("known");
    let RopeScaling::Factors(f) = &s.config().rope.scaling else { panic!("no factors") };
    assert_eq!(f[..15], [1.0; 15]);
    assert_eq!(f[15..18], [1.651_329_3, 3.292_262, 9.666_729]);
    assert_eq!(f[18..], [32.0; 14]);
}

#[test]
fn reads_agree_whatever_their_cuts() {
    for dtype in formats() {
        let spec = format!("tiny-llama:{dtype}");
        let (a, b) = (Synthetic::parse(&spec).expect("known"), Synthetic::parse(&spec).expect("known"));
        let embed = a.find("embed.weight").expect("there").clone();
        let mut whole = vec![0; embed.bytes as usize];
        a.read(&embed, 0, &mut whole).expect("read");
        assert_eq!(crate::source::check_finite(embed.dtype, &whole), None);
        for (offset, len) in [(0, 1), (7, 1000), (whole.len() / 2 - 3, 77), (whole.len() - 5, 5)] {
            let mut part = vec![0; len];
            b.read(&embed, offset as u64, &mut part).expect("read");
            assert!(part == whole[offset..offset + len], "{spec} {offset} {len}");
        }
        let other = a.find("layers.0.ffn.up.weight").expect("there").clone();
        let mut bytes = vec![0; other.bytes as usize];
        a.read(&other, 0, &mut bytes).expect("read");
        assert!(bytes != whole[..bytes.len().min(whole.len())]);
    }
}

#[test]
fn reads_cross_from_window_to_window() {
    let s = Synthetic::parse("smollm2-135m:q8_0").expect("known");
    let embed = s.find("embed.weight").expect("there").clone();
    let window = POOL / 32 / 2 * 34;
    let mut long = vec![0; 2 * window + 100];
    s.read(&embed, 0, &mut long).expect("read");
    for cut in [window, 2 * window] {
        let mut part = [0; 80];
        s.read(&embed, cut as u64 - 40, &mut part).expect("read");
        assert_eq!(part, long[cut - 40..cut + 40]);
    }
    assert!(long[..window] != long[window..2 * window]);
}

#[test]
fn values_are_normal_in_every_format() {
    for dtype in formats() {
        let s = Synthetic::parse(&format!("smollm2-135m:{dtype}")).expect("known");
        let t = s.find("layers.3.ffn.down.weight").expect("there").clone();
        let mut bytes = vec![0; t.bytes as usize];
        s.read(&t, 0, &mut bytes).expect("read");
        let (rows, cols) = (t.rows as usize, t.cols as usize);
        let (mut sum, mut squares, mut row) = (0f64, 0f64, vec![0f32; cols]);
        for r in 0..rows {
            dequantize_native_row(t.dtype, &bytes, cols, r, &mut row);
            sum += row.iter().map(|v| f64::from(*v)).sum::<f64>();
            squares += row.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>();
        }
        let n = (rows * cols) as f64;
        // Four standard errors of the mean and of the mean square, both of as many values as a window has, plus the
        // error of rounding a range of eight deviations to the format's levels.
        let i = t.dtype.info();
        let step = 8.0 / f64::from(1u32 << (i.block_bytes * 8 / i.block).min(16));
        let window = POOL as f64 / 2.0;
        assert!((sum / n).abs() < 0.02 * (4.0 / window.sqrt() + step / 12.0), "{dtype} mean {}", sum / n);
        let variance = squares / n / 4e-4;
        let tolerance = 4.0 * (2.0 / window).sqrt() + step * step / 12.0;
        assert!((variance - 1.0).abs() < tolerance, "{dtype} variance {variance} +- {tolerance}");
    }
}

#[test]
fn norms_are_one_and_ranges_are_checked() {
    let s = Synthetic::parse("tiny-llama:q4_0").expect("known");
    let norm = s.find("output_norm.weight").expect("there").clone();
    let mut bytes = [0; 9];
    s.read(&norm, 2, &mut bytes).expect("read");
    assert_eq!(bytes, [0x80, 0x3f, 0, 0, 0x80, 0x3f, 0, 0, 0x80]);
    for offset in [norm.bytes - 8, u64::MAX] {
        assert!(matches!(s.read(&norm, offset, &mut bytes), Err(ModelError::ReadRange { .. })));
    }
}

#[test]
fn unknown_names_are_answered_with_the_known_ones() {
    for (spec, part) in
        [("llama-3-8b", "SHAPE:DTYPE"), ("llama-9:q4_0", "smollm2-135m"), ("llama-3-8b:q5_q", "q5_k_m")]
    {
        let e = Synthetic::parse(spec).expect_err(spec).to_string();
        assert!(e.contains(part) && e.contains(spec), "{e}");
    }
}
