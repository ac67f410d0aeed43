//! What was written is what is read.

use crate::tiny;
use akunu_kernels::DType;
use akunu_model::config::{RopePairing, RopeScaling, SamplingDefaults};
use akunu_model::gguf::types::TensorType;
use akunu_model::gguf::write::{MetadataValue, Writer, write_source};
use akunu_model::gguf::{GgufFile, GgufSource, Value, ValueType};
use akunu_model::synthetic::Synthetic;
use akunu_model::{ModelError, WeightSource};

#[test]
fn every_metadata_type_in_file_order() {
    for version in [2, 3] {
        let bytes = tiny::with_tensors(tiny::writer(&[]).version(version), tiny::TENSORS);
        let disk = tiny::file(&bytes);
        let file = GgufFile::open(disk.path()).expect("valid");
        assert_eq!(file.version(), version);
        assert_eq!(file.size(), bytes.len() as u64);
        let written = tiny::metadata();
        assert_eq!(file.metadata().count(), written.len());
        for ((key, value), (wanted_key, wanted)) in file.metadata().zip(&written) {
            assert_eq!(key, *wanted_key);
            assert_eq!(owned(value), *wanted, "{key}");
            assert_eq!(file.get(key), Some(value));
        }
        assert_eq!(file.get("general.nam"), None);
    }
}

fn owned(v: Value<'_>) -> MetadataValue {
    match v {
        Value::U8(v) => v.into(),
        Value::I8(v) => v.into(),
        Value::U16(v) => v.into(),
        Value::I16(v) => v.into(),
        Value::U32(v) => v.into(),
        Value::I32(v) => v.into(),
        Value::F32(v) => v.into(),
        Value::Bool(v) => v.into(),
        Value::String(_) => v.as_str().expect("UTF-8").into(),
        Value::Array(a) => MetadataValue::Array(a.element_type(), a.iter().map(owned).collect()),
        Value::U64(v) => v.into(),
        Value::I64(v) => v.into(),
        Value::F64(v) => v.into(),
    }
}

#[test]
fn typed_getters() {
    let disk = tiny::file(&tiny::bytes());
    let f = GgufFile::open(disk.path()).expect("valid");
    assert_eq!(f.get_u32("llama.attention.head_count_kv").expect("a number"), Some(1));
    assert_eq!(f.get_u64("llama.context_length").expect("a number"), Some(128));
    assert_eq!(f.get_f32("llama.attention.layer_norm_rms_epsilon").expect("a number"), Some(1e-5));
    assert_eq!(f.get_bool("tokenizer.ggml.add_bos_token").expect("a bool"), Some(true));
    assert_eq!(f.get_str("general.name").expect("a string"), Some("Tiny"));
    assert_eq!(f.get_strs("tokenizer.ggml.tokens").expect("strings").map(|t| t[7]), Some("ĝ"));
    assert_eq!(f.get_f32s("tokenizer.ggml.scores").expect("floats"), Some(vec![0.0, -1.5, 2.0]));
    assert_eq!(f.get_i64s("tokenizer.ggml.token_type").expect("numbers"), Some(vec![1, -1, 3]));
    assert_eq!(f.get_len("test.empty").expect("an array"), Some(0));
    assert_eq!(f.get_u32("absent").expect("nothing"), None);
    let e = f.get_u32("test.i8").expect_err("negative");
    assert!(
        matches!(&e, ModelError::WrongType { key, found, .. } if key == "test.i8" && found == "i8 -3"),
        "{e}"
    );
    let e = f.get_strs("tokenizer.ggml.scores").expect_err("floats").to_string();
    assert!(e.contains("array of 3 x f32"), "{e}");
    assert_eq!(f.get("test.nested").map(|v| v.to_string()).as_deref(), Some(r#"[["x", ""], ["yy"]]"#));
}

#[test]
fn configuration_and_canonical_tensors() {
    let disk = tiny::file(&tiny::bytes());
    let s = GgufSource::open(disk.path()).expect("valid");
    let c = s.config();
    assert_eq!((c.arch.as_str(), c.name.as_deref()), ("llama", Some("Tiny")));
    assert_eq!((c.layers, c.hidden, c.heads, c.kv_heads, c.head_dim), (1, 32, 2, 1, 16));
    assert_eq!((c.ffn, c.vocab, c.context, c.norm_eps), (64, 8, 128, 1e-5));
    assert_eq!((c.rope.base, c.rope.dim, c.rope.pairing), (500.0, 16, RopePairing::Adjacent));
    assert_eq!((&c.rope.scaling, c.attention.sliding_window), (&RopeScaling::None, None));
    assert_eq!(c.sampling, SamplingDefaults { temperature: Some(0.6), ..SamplingDefaults::default() });
    assert_eq!(s.tensors().len(), tiny::TENSORS.len());
    let t = s.find("layers.0.ffn.gate.weight").expect("mapped");
    assert_eq!((t.rows, t.cols, t.dtype, t.bytes), (64, 32, DType::Q4_0, 64 * 18));
    let norm = s.find("output_norm.weight").expect("mapped");
    assert_eq!((norm.rows, norm.cols, norm.bytes), (1, 32, 128));
    for t in s.tensors() {
        let mut whole = vec![0xee; t.bytes as usize];
        s.read(t, 0, &mut whole).expect("read");
        let mut tail = vec![0; 7];
        s.read(t, t.bytes - 7, &mut tail).expect("read");
        assert_eq!(tail, whole[whole.len() - 7..]);
        s.check_finite(t, 0, &whole).expect("finite");
        assert!(matches!(s.read(t, t.bytes - 6, &mut tail), Err(ModelError::ReadRange { .. })));
        assert!(matches!(s.read(t, u64::MAX, &mut tail), Err(ModelError::ReadRange { .. })));
    }
}

#[test]
fn a_synthetic_model_survives_the_file() {
    for spec in ["tiny-llama:q4_0", "tiny-llama:bf16"] {
        let made = Synthetic::parse(spec).expect("known");
        let bytes = write_source(&made, Writer::new().alignment(64), Vec::new()).expect("written");
        let disk = tiny::file(&bytes);
        let read = GgufSource::open(disk.path()).expect("valid");
        assert_eq!(read.config(), made.config());
        assert_eq!(read.tensors(), made.tensors());
        for t in made.tensors() {
            let (mut a, mut b) = (vec![0; t.bytes as usize], vec![1; t.bytes as usize]);
            made.read(t, 0, &mut a).expect("made");
            read.read(t, 0, &mut b).expect("read");
            assert!(a == b, "{}", t.name);
            assert_eq!(read.file().tensor(&t.file_name).map(|t| t.file_offset() % 64), Some(0));
        }
    }
}

#[test]
fn rope_scaling_kinds() {
    let config = |changes: &[(&str, Option<MetadataValue>)]| {
        let disk = tiny::file(&tiny::with_tensors(tiny::writer(changes), tiny::TENSORS));
        GgufSource::open(disk.path()).expect("valid").config().rope.scaling.clone()
    };
    let (kind, factor) = ("llama.rope.scaling.type", "llama.rope.scaling.factor");
    let linear = RopeScaling::Linear { factor: 4.0 };
    assert_eq!(config(&[(kind, Some("linear".into())), (factor, Some(4.0f32.into()))]), linear);
    assert_eq!(config(&[(factor, Some(4.0f32.into()))]), linear);
    assert_eq!(config(&[("llama.rope.scale_linear", Some(4.0f32.into()))]), linear);
    assert_eq!(config(&[(kind, Some("none".into())), (factor, Some(4.0f32.into()))]), RopeScaling::None);
}

#[test]
fn frequency_divisors_come_from_their_tensor() {
    let f: Vec<f32> = (1..=8).map(|i| i as f32).collect();
    let data: Vec<u8> = f.iter().flat_map(|f| f.to_le_bytes()).collect();
    let w = tiny::writer(&[]).tensor("rope_freqs.weight", &[8], DType::F32);
    let disk = tiny::file(&w.to_bytes([data]).expect("valid"));
    let s = GgufSource::open(disk.path()).expect("valid");
    assert_eq!(s.config().rope.scaling, RopeScaling::Factors(f));
    assert!(s.tensors().is_empty() && s.unmapped().is_empty());
}

#[test]
fn tensors_without_a_canonical_name_are_reported() {
    let bytes = tiny::with_tensors(tiny::writer(&[]), &[("blk.0.ssm_a", &[32], DType::F32)]);
    let disk = tiny::file(&bytes);
    let s = GgufSource::open(disk.path()).expect("valid");
    assert_eq!(s.unmapped(), ["blk.0.ssm_a"]);
}

/// A file whose tensors cannot be computed with can still be inspected.
#[test]
fn unsupported_types_are_listed_and_refused_as_weights() {
    for (type_id, name) in [(9, "Q8_1"), (17, "IQ2_XS"), (34, "TQ1_0"), (777, "unknown")] {
        let known = TensorType::from_id(type_id).copied();
        let t = known.unwrap_or(TensorType { id: type_id, name: "?", block: 1, block_bytes: 1 });
        let w = tiny::writer(&[]).tensor_of_type("blk.0.attn_q.weight", &[256, 2], t);
        let bytes = w.to_bytes([vec![0; t.bytes(2, 256).expect("small") as usize]]).expect("valid");
        let disk = tiny::file(&bytes);
        let file = GgufFile::open(disk.path()).expect("listed");
        let listed = &file.tensors()[0];
        assert_eq!((listed.type_id(), listed.tensor_type().copied()), (type_id, known));
        assert_eq!(listed.bytes(), known.and_then(|k| k.bytes(2, 256)));
        let e = GgufSource::new(file).expect_err("refused");
        assert!(matches!(e, ModelError::UnsupportedDType { .. }));
        let text = e.to_string();
        for part in ["blk.0.attn_q.weight", name, &type_id.to_string(), "Q8_0", "llama-quantize"] {
            assert!(text.contains(part), "{text}");
        }
    }
}

#[test]
fn non_finite_scales_name_their_tensor_and_block() {
    let disk = tiny::file(&tiny::bytes());
    let s = GgufSource::open(disk.path()).expect("valid");
    let t = s.find("layers.0.attention.q.weight").expect("there");
    let mut bytes = vec![0; t.bytes as usize];
    s.read(t, 0, &mut bytes).expect("read");
    bytes[18 * 5..18 * 5 + 2].copy_from_slice(&[0, 0x7e]);
    let e = s.check_finite(t, 18 * 2, &bytes[18 * 2..]).expect_err("NaN");
    assert!(
        matches!(&e, ModelError::NotFinite { block: 5, tensor, .. } if tensor == "blk.0.attn_q.weight"),
        "{e}"
    );
    assert!(e.to_string().contains(&*disk.path().to_string_lossy()));
}

#[test]
fn the_writer_refuses_what_does_not_fit() {
    let odd = Writer::new().tensor("t", &[33], DType::Q4_0).to_bytes([vec![0; 18]]);
    assert!(odd.expect_err("no block").to_string().contains("Q4_0"));
    assert!(Writer::new().tensor("t", &[4], DType::F32).to_bytes([[0; 15]]).is_err());
    assert!(Writer::new().tensor("t", &[4], DType::F32).to_bytes::<&[u8]>([]).is_err());
    assert!(Writer::new().to_bytes([[0; 15]]).is_err());
    assert!(Writer::new().alignment(12).to_bytes::<&[u8]>([]).is_err());
    let mixed = MetadataValue::Array(ValueType::U8, vec![1u8.into(), 1u16.into()]);
    assert!(Writer::new().metadata("k", mixed).to_bytes::<&[u8]>([]).is_err());
}

/// The configuration of the tiny model with further keys.
fn config_with(changes: &[(&str, MetadataValue)]) -> akunu_model::ModelConfig {
    let changes: Vec<_> = changes.iter().map(|(k, v)| (*k, Some(v.clone()))).collect();
    let disk = tiny::file(&tiny::with_tensors(tiny::writer(&changes), tiny::TENSORS));
    GgufSource::open(disk.path()).expect("valid").config().clone()
}

#[test]
fn windows_caps_and_experts() {
    let c = config_with(&[
        ("llama.attention.sliding_window", 64u32.into()),
        ("llama.attention.sliding_window_pattern", 6u32.into()),
        ("llama.rope.freq_base_swa", 1000.0f32.into()),
        ("llama.attention.scale", 0.25f32.into()),
        ("llama.attn_logit_softcapping", 50f32.into()),
        ("llama.final_logit_softcapping", 30f32.into()),
        ("llama.expert_count", 8u32.into()),
        ("llama.expert_used_count", 2u32.into()),
        ("llama.expert_weights_norm", false.into()),
    ]);
    let a = &c.attention;
    assert_eq!((a.sliding_window, a.local_rope_base), (Some(64), Some(1000.0)));
    assert_eq!((a.scale, a.softcap, c.logits_softcap), (Some(0.25), Some(50.0), Some(30.0)));
    // One layer, the first of six.
    assert_eq!(a.windowed, Some(vec![true]));
    let e = c.experts.expect("experts");
    assert_eq!((e.count, e.used, e.ffn, e.normalized), (8, 2, 64, false));
    let pattern = MetadataValue::Array(akunu_model::gguf::ValueType::Bool, vec![false.into()]);
    let c = config_with(&[("llama.attention.sliding_window_pattern", pattern)]);
    assert_eq!(c.attention.windowed, Some(vec![false]));
}

#[test]
fn yarn_and_its_magnitude() {
    let rope = config_with(&[
        ("llama.rope.scaling.type", "yarn".into()),
        ("llama.rope.scaling.factor", 4f32.into()),
        ("llama.rope.scaling.original_context_length", 32u32.into()),
    ])
    .rope;
    let scaling = RopeScaling::Yarn { factor: 4.0, beta_fast: 32.0, beta_slow: 1.0, original_context: 32 };
    assert_eq!(rope.scaling, scaling);
    // 0.1 ln 4 + 1.
    assert!((rope.magnitude - 1.138_629_4).abs() < 1e-6);
}

#[test]
fn two_sets_of_divisors() {
    let of = |f: [f32; 8]| f.iter().flat_map(|f| f.to_le_bytes()).collect::<Vec<u8>>();
    let w = tiny::writer(&[
        ("llama.rope.scaling.original_context_length", Some(32u32.into())),
        ("llama.rope.scaling.attn_factor", Some(1.25f32.into())),
    ])
    .tensor("rope_factors_long.weight", &[8], DType::F32)
    .tensor("rope_factors_short.weight", &[8], DType::F32);
    let disk = tiny::file(&w.to_bytes([of([4.0; 8]), of([2.0; 8])]).expect("valid"));
    let s = GgufSource::open(disk.path()).expect("valid");
    let scaling = RopeScaling::LongFactors { short: vec![2.0; 8], long: vec![4.0; 8], original_context: 32 };
    assert_eq!((&s.config().rope.scaling, s.config().rope.magnitude), (&scaling, 1.25));
    assert!(s.unmapped().is_empty());
}

/// A fused tensor is read as its parts, and refused where it has other rows than they have.
#[test]
fn fused_tensors_are_row_ranges() {
    let phi3 = |rows: u64, gate: &[&str]| {
        let mut w = Writer::new().metadata("general.architecture", "phi3");
        for (key, value) in tiny::metadata() {
            if let Some(rest) = key.strip_prefix("llama.") {
                w = w.metadata(&format!("phi3.{rest}"), value);
            }
        }
        let w = w
            .metadata("phi3.vocab_size", 8u32)
            .tensor("blk.0.attn_qkv.weight", &[32, rows], DType::F32)
            .tensor("blk.0.ffn_up.weight", &[32, 128], DType::Q8_0);
        let w = gate.iter().fold(w, |w, name| w.tensor(name, &[32, 64], DType::F32));
        let qkv: Vec<u8> = (0..32 * rows as u32).flat_map(|i| (i as f32).to_le_bytes()).collect();
        let up: Vec<u8> = (0..128 * 34u32).map(|i| (i / 34) as u8 & 0x3f).collect();
        let gates = gate.iter().map(|_| vec![0; 32 * 64 * 4]);
        tiny::file(&w.to_bytes([qkv, up].into_iter().chain(gates)).expect("valid"))
    };
    // 32 query rows, 16 key rows, 16 value rows.
    let disk = phi3(64, &[]);
    let s = GgufSource::open(disk.path()).expect("valid");
    for (name, rows, first) in [("q", 32u64, 0u32), ("k", 16, 32), ("v", 16, 48)] {
        let t = s.find(&format!("layers.0.attention.{name}.weight")).expect("a part");
        assert_eq!((t.rows, t.cols, t.bytes, &*t.file_name), (rows, 32, rows * 128, "blk.0.attn_qkv.weight"));
        let mut b = [0; 4];
        s.read(t, t.bytes - 4, &mut b).expect("read");
        assert_eq!(f32::from_le_bytes(b) as u32, (first + rows as u32) * 32 - 1);
        assert!(matches!(s.read(t, t.bytes - 3, &mut b), Err(ModelError::ReadRange { .. })));
    }
    let up = s.find("layers.0.ffn.up.weight").expect("a part");
    let mut b = [0; 1];
    s.read(up, 0, &mut b).expect("read");
    assert_eq!((up.rows, b[0]), (64, 0), "row 64 of the file, whose bytes are 64 & 0x3f");
    s.read(up, 34, &mut b).expect("read");
    assert_eq!(b[0], 1);
    // One matrix twice: neither is the right one.
    let disk = phi3(64, &["blk.0.ffn_gate.weight"]);
    let e = GgufSource::open(disk.path()).expect_err("refused").to_string();
    assert!(
        e.contains("blk.0.ffn_") && e.contains("(as layers.0.ffn.gate.weight)") && e.contains("twice"),
        "{e}"
    );
    let disk = phi3(65, &[]);
    let e = GgufSource::open(disk.path()).expect_err("refused").to_string();
    assert!(e.contains("65 rows") && e.contains("64, which") && e.contains("blk.0.attn_qkv.weight"), "{e}");
}
