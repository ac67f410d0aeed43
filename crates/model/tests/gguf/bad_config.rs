//! Metadata that are well-formed and make no model.

use crate::tiny;
use akunu_kernels::DType;
use akunu_model::gguf::GgufSource;
use akunu_model::gguf::write::MetadataValue;

/// A key, its bad value (`None` leaves it out), and what the message must say besides path and key.
type Case = (&'static str, Option<MetadataValue>, &'static [&'static str]);

fn missing_and_zero() -> Vec<Case> {
    let mut all: Vec<Case> = vec![("general.architecture", None, &["missing", "convert"])];
    for key in [
        "llama.block_count",
        "llama.context_length",
        "llama.embedding_length",
        "llama.feed_forward_length",
        "llama.attention.head_count",
    ] {
        all.push((key, None, &["missing", "convert"]));
        all.push((key, Some(0u32.into()), &["is 0", "from 1"]));
        all.push((key, Some(u32::MAX.into()), &["4294967295", "at most"]));
        all.push((key, Some(u64::MAX.into()), &["u64 18446744073709551615"]));
        all.push((key, Some((-1i32).into()), &["i32 -1"]));
        all.push((key, Some("7".into()), &["string \"7\"", "a whole number"]));
    }
    all
}

fn out_of_range() -> Vec<Case> {
    const HEADS: &str = "llama.attention.head_count";
    const KV: &str = "llama.attention.head_count_kv";
    const EPS: &str = "llama.attention.layer_norm_rms_epsilon";
    const BASE: &str = "llama.rope.freq_base";
    const DIM: &str = "llama.rope.dimension_count";
    const FACTOR: &str = "llama.rope.scaling.factor";
    vec![
        (KV, Some(0u32.into()), &["is 0", "divisor"]),
        (KV, Some(3u32.into()), &["is 3", "divisor of the 2 query heads"]),
        (
            KV,
            Some(MetadataValue::Array(akunu_model::gguf::ValueType::U32, vec![1u32.into(), 2u32.into()])),
            &["every layer"],
        ),
        ("llama.embedding_length", Some(33u32.into()), &["33", "multiple of the 2 heads"]),
        ("llama.embedding_length", Some(6u32.into()), &["even"]),
        (HEADS, Some(3u32.into()), &["llama.embedding_length", "multiple of the 3 heads"]),
        ("llama.attention.key_length", Some(0u32.into()), &["is 0"]),
        ("llama.attention.key_length", Some(15u32.into()), &["even"]),
        ("llama.attention.value_length", Some(32u32.into()), &["16 like llama.attention.key_length"]),
        (EPS, None, &["missing", "norm"]),
        (EPS, Some(f32::NAN.into()), &["NaN", "above 0"]),
        (EPS, Some(f32::INFINITY.into()), &["inf"]),
        (EPS, Some(0f32.into()), &["is 0", "above 0"]),
        (EPS, Some((-1f32).into()), &["-1"]),
        (EPS, Some(1u32.into()), &["u32 1", "floating-point"]),
        (BASE, Some(f32::NAN.into()), &["NaN"]),
        (BASE, Some(f64::MAX.into()), &["inf"]),
        (BASE, Some(0f32.into()), &["is 0"]),
        (BASE, Some(1f32.into()), &["is 1", "above 1"]),
        (BASE, Some(1e30f32.into()), &["at most 1000000000000000"]),
        ("llama.rope.freq_base_swa", Some(0.5f32.into()), &["0.5", "above 1"]),
        ("llama.attention.scale", Some(1e30f32.into()), &["at most 1000000"]),
        (DIM, Some(0u32.into()), &["is 0", "even"]),
        (DIM, Some(7u32.into()), &["is 7", "even"]),
        (DIM, Some(18u32.into()), &["is 18", "16"]),
        (FACTOR, Some(0f32.into()), &["is 0"]),
        (FACTOR, Some(f32::NAN.into()), &["NaN"]),
        (FACTOR, Some(0.5f32.into()), &["0.5", "from 1 to 65536"]),
        (FACTOR, Some(1e30f32.into()), &["from 1 to 65536"]),
        ("llama.rope.scale_linear", Some(f64::MAX.into()), &["inf", "from 1 to 65536"]),
        ("llama.rope.scaling.attn_factor", Some(1e30f32.into()), &["at most 1000"]),
        (
            "llama.vocab_size",
            Some(7u32.into()),
            &["is 7", "8, the rows of `token_embd.weight`", "or 8, the tokens"],
        ),
        ("llama.vocab_size", Some(u64::MAX.into()), &["is 18446744073709551615", "8, the rows"]),
        ("llama.rope.scaling.type", Some("dynamic".into()), &["dynamic", "linear"]),
        ("llama.expert_shared_count", Some(2u32.into()), &["is 2", "shared experts"]),
        ("llama.attn_logit_softcapping", Some(f32::NAN.into()), &["NaN", "above 0"]),
        ("llama.final_logit_softcapping", Some((-30f32).into()), &["-30", "above 0"]),
        (
            "llama.attention.sliding_window_pattern",
            Some("x".into()),
            &["a number, or one bool for each of 1"],
        ),
        (
            "llama.attention.sliding_window_pattern",
            Some(MetadataValue::Array(akunu_model::gguf::ValueType::Bool, vec![true.into(), false.into()])),
            &["one bool for each of 1"],
        ),
        ("general.sampling.temp", Some(f32::NAN.into()), &["NaN", "from 0"]),
        ("general.sampling.min_p", Some(1.5f32.into()), &["1.5", "to 1"]),
        ("general.sampling.top_p", Some(f32::NAN.into()), &["NaN", "to 1"]),
        ("general.sampling.top_k", Some(1.5f32.into()), &["a whole number"]),
        ("general.sampling.penalty_repeat", Some((-1f32).into()), &["-1", "from 0"]),
        ("tokenizer.ggml.tokens", Some(MetadataValue::strings(["x"; 9])), &["9 tokens", "at most 8"]),
    ]
}

#[test]
fn each_has_an_error_that_names_the_key() {
    for (key, value, parts) in [missing_and_zero(), out_of_range()].concat() {
        let what = format!("{key} = {value:?}");
        let disk = tiny::file(&tiny::with_tensors(tiny::writer(&[(key, value)]), tiny::TENSORS));
        let e = GgufSource::open(disk.path()).expect_err(&what).to_string();
        assert!(e.contains(&*disk.path().to_string_lossy()), "{what}: {e}");
        for part in parts.iter().chain([&key]) {
            assert!(e.contains(part), "{what}: `{part}` is not in: {e}");
        }
    }
}

/// What one key makes another need.
#[test]
fn keys_that_go_together() {
    type Keys = &'static [(&'static str, fn() -> MetadataValue)];
    let cases: &[(Keys, &str)] = &[
        (&[("llama.rope.scaling.type", || "yarn".into())], "rope.scaling.factor` is missing"),
        (
            &[("llama.rope.scaling.type", || "yarn".into()), ("llama.rope.scaling.factor", || 4f32.into())],
            "rope.scaling.original_context_length` is missing",
        ),
        // A context that no number holds.
        (
            &[
                ("llama.rope.scaling.type", || "yarn".into()),
                ("llama.rope.scaling.factor", || 4f32.into()),
                ("llama.rope.scaling.original_context_length", || (1u32 << 29).into()),
            ],
            "is 536870912, must be at most 268435456",
        ),
        (
            &[
                ("llama.rope.scaling.type", || "yarn".into()),
                ("llama.rope.scaling.factor", || 4f32.into()),
                ("llama.rope.scaling.original_context_length", || 32u32.into()),
                ("llama.rope.scaling.yarn_beta_slow", || 33f32.into()),
            ],
            "yarn_beta_fast` is 32, must be at least 33",
        ),
        // The embedding may have more rows than there are tokens; the key is then one of both.
        (
            &[
                ("tokenizer.ggml.tokens", || MetadataValue::strings(["a", "b", "c", "d", "e", "f"])),
                ("llama.vocab_size", || 7u32.into()),
            ],
            "llama.vocab_size` is 7, must be 8, the rows of `token_embd.weight`, or 6, the tokens",
        ),
        (&[("llama.expert_count", || 8u32.into())], "expert_used_count` is missing"),
        (
            &[("llama.expert_count", || 8u32.into()), ("llama.expert_used_count", || 9u32.into())],
            "at most the 8 experts",
        ),
    ];
    for (keys, part) in cases {
        let keys: Vec<_> = keys.iter().map(|(k, v)| (*k, Some(v()))).collect();
        let disk = tiny::file(&tiny::with_tensors(tiny::writer(&keys), tiny::TENSORS));
        let e = GgufSource::open(disk.path()).expect_err(part).to_string();
        assert!(e.contains(part), "{e}");
    }
}

#[test]
fn bad_frequency_divisors() {
    let cases: &[(&[u64], DType, f32, &str)] = &[
        (&[7], DType::F32, 1.0, "[8] of F32"),
        (&[8], DType::F16, 1.0, "of F16"),
        (&[8, 2], DType::F32, 1.0, "[8, 2]"),
        (&[8], DType::F32, f32::NAN, "factor 0 is NaN"),
        (&[8], DType::F32, 0.0, "factor 0 is 0"),
        (&[8], DType::F32, 1e-30, "at least 0.001"),
    ];
    for (dims, dtype, value, part) in cases {
        let n = dims.iter().product::<u64>() * dtype.row_bytes(1);
        let data: Vec<u8> = value.to_le_bytes().into_iter().cycle().take(n as usize).collect();
        let w = tiny::writer(&[]).tensor("rope_freqs.weight", dims, *dtype);
        let disk = tiny::file(&w.to_bytes([data]).expect("written"));
        let e = GgufSource::open(disk.path()).expect_err(part).to_string();
        assert!(e.contains(part) && e.contains("rope_freqs.weight"), "{e}");
    }
}

#[test]
fn a_vocabulary_smaller_than_the_embedding_is_counted_either_way() {
    use akunu_model::WeightSource;
    for (tokens, stated) in [(8, 8), (6, 6), (6, 8)] {
        let tokens = MetadataValue::strings((0..tokens).map(|i| format!("t{i}")));
        let w = tiny::writer(&[
            ("tokenizer.ggml.tokens", Some(tokens)),
            ("llama.vocab_size", Some((stated as u32).into())),
        ]);
        let disk = tiny::file(&tiny::with_tensors(w, tiny::TENSORS));
        assert_eq!(GgufSource::open(disk.path()).expect("valid").config().vocab, 8);
    }
}

/// A huge divisor turns a pair off; files say so with 1e30, and some with a factor besides.
#[test]
fn divisors_may_be_huge() {
    use akunu_model::WeightSource;
    use akunu_model::config::RopeScaling;
    let data: Vec<u8> = [1e30f32, 3e38].iter().cycle().take(8).flat_map(|f| f.to_le_bytes()).collect();
    let w = tiny::writer(&[("llama.rope.scaling.factor", Some(4f32.into()))]);
    let disk =
        tiny::file(&w.tensor("rope_freqs.weight", &[8], DType::F32).to_bytes([data]).expect("written"));
    let s = GgufSource::open(disk.path()).expect("valid");
    let RopeScaling::Factors(f) = &s.config().rope.scaling else { unreachable!("it has divisors") };
    assert_eq!(f[..2], [4e30, f32::MAX]);
}

#[test]
fn per_layer_values_that_agree_are_one_value() {
    use akunu_model::WeightSource;
    let same = MetadataValue::i32s([2, 2, 2]);
    let disk = tiny::file(&tiny::with_tensors(
        tiny::writer(&[("llama.attention.head_count", Some(same))]),
        tiny::TENSORS,
    ));
    assert_eq!(GgufSource::open(disk.path()).expect("valid").config().heads, 2);
}

/// Whether an architecture can run is the plan's to say.
#[test]
fn other_architectures_have_a_configuration_too() {
    use akunu_model::WeightSource;
    let mut w = akunu_model::gguf::write::Writer::new();
    for (key, value) in tiny::metadata() {
        w = match key.strip_prefix("llama.") {
            Some(rest) => w.metadata(&format!("strange.{rest}"), value),
            None if key == "general.architecture" => w.metadata(key, "strange"),
            None => w.metadata(key, value),
        };
    }
    let disk = tiny::file(&tiny::with_tensors(w, tiny::TENSORS));
    let s = GgufSource::open(disk.path()).expect("valid");
    assert_eq!(s.config().arch, "strange");
    assert_eq!(s.config().rope.pairing, akunu_model::config::RopePairing::SplitHalf);
}
