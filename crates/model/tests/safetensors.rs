//! Directories of safetensors files: damage of every kind is an error that names file and tensor; conversions while
//! reading give the values of their definition.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu_kernels::dtype::microscaling::e4m3;
use akunu_kernels::{DType, dtype};
use akunu_model::config::RopeScaling;
use akunu_model::safetensors::{SafetensorsSource, UnusedHead, is_directory_model};
use akunu_model::{ModelError, WeightSource};
use half::{bf16, f16};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// One tensor of a test's file.
#[derive(Clone)]
struct Tensor {
    name: String,
    dtype: &'static str,
    shape: Vec<u64>,
    bytes: Vec<u8>,
}

fn tensor(name: &str, dtype: &'static str, shape: &[u64], bytes: Vec<u8>) -> Tensor {
    Tensor { name: name.into(), dtype, shape: shape.into(), bytes }
}

fn bf16s(name: &str, shape: &[u64]) -> Tensor {
    let n = shape.iter().product::<u64>();
    let value = |i: u64| bf16::from_f32((i * 37 % 101) as f32 / 64.0 - 0.75);
    tensor(name, "BF16", shape, (0..n).flat_map(|i| value(i).to_le_bytes()).collect())
}

/// A Llama of one layer, 32 wide, two heads of 16, 8 tokens.
fn llama() -> Vec<Tensor> {
    let layer = |n: &str| format!("model.layers.0.{n}.weight");
    vec![
        bf16s("model.embed_tokens.weight", &[8, 32]),
        bf16s(&layer("input_layernorm"), &[32]),
        bf16s(&layer("self_attn.q_proj"), &[32, 32]),
        bf16s(&layer("self_attn.k_proj"), &[16, 32]),
        bf16s(&layer("self_attn.v_proj"), &[16, 32]),
        bf16s(&layer("self_attn.o_proj"), &[32, 32]),
        bf16s(&layer("post_attention_layernorm"), &[32]),
        bf16s(&layer("mlp.gate_proj"), &[64, 32]),
        bf16s(&layer("mlp.up_proj"), &[64, 32]),
        bf16s(&layer("mlp.down_proj"), &[32, 64]),
        bf16s("model.norm.weight", &[32]),
        bf16s("lm_head.weight", &[8, 32]),
    ]
}

fn config() -> Value {
    json!({
        "model_type": "llama", "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1,
        "num_attention_heads": 2, "num_key_value_heads": 1, "vocab_size": 8, "max_position_embeddings": 128,
        "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "tie_word_embeddings": false, "hidden_act": "silu",
    })
}

fn header(tensors: &[Tensor]) -> Map<String, Value> {
    let mut at = 0;
    let entry = |t: &Tensor| {
        let offsets = [at, at + t.bytes.len()];
        at = offsets[1];
        (t.name.clone(), json!({ "dtype": t.dtype, "shape": t.shape, "data_offsets": offsets }))
    };
    tensors.iter().map(entry).collect()
}

fn file(header: &[u8], data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes()[..], header, data].concat()
}

fn whole(tensors: &[Tensor]) -> Vec<u8> {
    let data: Vec<u8> = tensors.iter().flat_map(|t| t.bytes.clone()).collect();
    file(&serde_json::to_vec(&header(tensors)).unwrap(), &data)
}

fn directory(config: &Value, files: &[(&str, Vec<u8>)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("config.json"), config.to_string()).unwrap();
    for (name, bytes) in files {
        std::fs::write(dir.path().join(name), bytes).unwrap();
    }
    dir
}

fn open(config: &Value, tensors: &[Tensor]) -> Result<SafetensorsSource, ModelError> {
    SafetensorsSource::open(directory(config, &[("model.safetensors", whole(tensors))]).path())
}

/// The error's message, which must hold all these words.
fn refused(result: Result<SafetensorsSource, ModelError>, words: &[&str]) {
    let text = result.err().map_or_else(|| "it was accepted".into(), |e| e.to_string());
    for w in words {
        assert!(text.contains(w), "{w:?} is not in {text:?}");
    }
}

fn values(s: &SafetensorsSource, name: &str) -> Vec<f32> {
    let t = s.find(name).unwrap();
    let mut bytes = vec![0; t.bytes as usize];
    s.read(t, 0, &mut bytes).unwrap();
    let mut out = vec![0.0; (t.rows * t.cols) as usize];
    for (row, out) in out.chunks_exact_mut(t.cols as usize).enumerate() {
        dtype::dequantize_native_row(t.dtype, &bytes, t.cols as usize, row, out);
    }
    out
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)
}

#[test]
fn a_small_llama_is_read() {
    let s = open(&config(), &llama()).unwrap();
    assert!(s.unmapped().is_empty() && s.ignored().is_empty());
    assert_eq!(s.tensors().len(), 12);
    let c = s.config();
    assert_eq!((c.arch.as_str(), c.layers, c.head_dim, c.rope.dim, c.vocab), ("llama", 1, 16, 16, 8));
    let q = s.find("layers.0.attention.q.weight").unwrap();
    assert_eq!((q.dtype, q.rows, q.cols), (DType::Bf16, 32, 32));
    assert_eq!(values(&s, "layers.0.attention.q.weight")[..2], [-0.75, 37.0 / 64.0 - 0.75]);
    // Norms are F32 for every model.
    assert_eq!(s.find("output_norm.weight").unwrap().dtype, DType::F32);
    assert_eq!(values(&s, "output_norm.weight")[1], 37.0 / 64.0 - 0.75);
    assert!(s.read(q, q.bytes - 1, &mut [0; 2]).is_err());
}

/// Any range gives the bytes of the whole.
#[test]
fn ranges_that_cut_blocks_are_the_same_bytes() {
    for name in ["mlx/qwen3-3bit", "mlx/qwen3-mxfp4", "mlx/qwen3-nvfp4", "mlx/qwen3-moe-4bit", "tiny-llama"] {
        let s = SafetensorsSource::open(&fixture(name)).unwrap();
        for t in s.tensors() {
            let mut all = vec![0; t.bytes as usize];
            s.read(t, 0, &mut all).unwrap();
            for (from, len) in
                [(0, 1), (1, 30), (5, 100), (t.bytes as usize / 2 - 3, 77), (t.bytes as usize - 1, 1)]
            {
                let len = len.min(all.len() - from);
                let mut part = vec![0; len];
                s.read(t, from as u64, &mut part).unwrap();
                assert_eq!(part, all[from..from + len], "{name} {} {from} {len}", t.name);
            }
        }
    }
}

#[test]
fn what_is_left_out_is_listed_with_the_reason() {
    let mut tensors = llama();
    tensors.push(bf16s("model.layers.0.self_attn.rotary_emb.inv_freq", &[8]));
    let mut tied = config();
    tied["tie_word_embeddings"] = json!(true);
    let s = open(&tied, &tensors).unwrap();
    let names: Vec<&str> = s.ignored().iter().map(|i| i.0.as_str()).collect();
    assert_eq!(names, ["lm_head.weight", "model.layers.0.self_attn.rotary_emb.inv_freq"]);
    assert!(s.find("output.weight").is_none());
    tensors.push(bf16s("model.layers.0.mlp.up_proj.lora_A", &[8]));
    let s = open(&config(), &tensors).unwrap();
    assert_eq!(s.unmapped(), ["model.layers.0.mlp.up_proj.lora_A"]);
}

/// A head beside an embedding that replaces it: whether they are the same is what a reader must know.
#[test]
fn a_head_that_is_not_used_is_compared_with_the_embedding() {
    let mut tied = config();
    tied["tie_word_embeddings"] = json!(true);
    let with = |change: &dyn Fn(&mut Tensor)| {
        let mut tensors = llama();
        change(tensors.last_mut().unwrap());
        open(&tied, &tensors).unwrap().unused_head().unwrap()
    };
    assert_eq!(with(&|_| {}), Some(UnusedHead::Same));
    assert_eq!(with(&|t| *t.bytes.last_mut().unwrap() ^= 1), Some(UnusedHead::Differs));
    let wide = |t: &mut Tensor| {
        t.dtype = "F32";
        t.bytes = vec![0; 8 * 32 * 4];
    };
    assert_eq!(with(&wide), Some(UnusedHead::Differs));
    assert_eq!(
        with(&|t| t.name = "lm_head.scales".into()),
        Some(UnusedHead::Differs),
        "the embedding has none"
    );
    let headless: Vec<Tensor> = llama().into_iter().filter(|t| t.name != "lm_head.weight").collect();
    assert_eq!(open(&tied, &headless).unwrap().unused_head().unwrap(), None);
    assert_eq!(open(&config(), &llama()).unwrap().unused_head().unwrap(), None, "it is used");
}

/// Tensors may be described in any order; what no tensor has is a hole.
#[test]
fn tensors_tile_the_file() {
    let with = |bytes: Vec<u8>| {
        SafetensorsSource::open(directory(&config(), &[("model.safetensors", bytes)]).path())
    };
    let tensors = llama();
    let mut entries: Vec<(String, Value)> = header(&tensors).into_iter().collect();
    let data: Vec<u8> = tensors.iter().flat_map(|t| t.bytes.clone()).collect();
    let described = |entries: &[(String, Value)]| {
        serde_json::to_vec(&entries.iter().cloned().collect::<Map<_, _>>()).unwrap()
    };
    entries.reverse();
    with(file(&described(&entries), &data)).unwrap();
    // An empty tensor takes no place.
    let empty = json!({ "dtype": "F32", "shape": [0], "data_offsets": [64, 64] });
    entries.push(("model.layers.0.self_attn.rotary_emb.inv_freq".into(), empty));
    with(file(&described(&entries), &data)).unwrap();
    entries.pop();
    // Bytes at the end.
    let long = [&data[..], &[0]].concat();
    refused(with(file(&described(&entries), &long)), &["lm_head.weight", "but the file has"]);
    // A type that is too small: half of the bytes are nobody's.
    let at = entries.iter().position(|e| e.0.contains("down_proj")).unwrap();
    let from = entries[at].1["data_offsets"][0].as_u64().unwrap();
    entries[at].1["dtype"] = json!("F8_E4M3");
    entries[at].1["data_offsets"] = json!([from, from + 32 * 64]);
    refused(
        with(file(&described(&entries), &data)),
        &["mlp.down_proj.weight", "model.norm.weight", "a hole between them"],
    );
    // And one at the start.
    let shifted = serde_json::to_vec(&header(&tensors)).unwrap();
    let shifted = String::from_utf8(shifted).unwrap().replacen(
        "\"data_offsets\":[0,512]",
        "\"data_offsets\":[1,513]",
        1,
    );
    refused(with(file(shifted.as_bytes(), &data)), &["the header", "embed_tokens", "a hole between them"]);
}

#[test]
fn broken_headers_are_refused() {
    let good = whole(&llama());
    let with = |bytes: Vec<u8>| {
        SafetensorsSource::open(directory(&config(), &[("model.safetensors", bytes)]).path())
    };
    refused(with(good[..5].to_vec()), &["model.safetensors", "header's length", "incomplete"]);
    refused(with(good[..100].to_vec()), &["model.safetensors", "ends inside the safetensors header"]);
    refused(with(good[..good.len() - 1].to_vec()), &["model.safetensors", "lm_head.weight", "incomplete"]);
    let mut absurd = good.clone();
    absurd[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    refused(with(absurd), &["length of the safetensors header", "100000000"]);
    let text = serde_json::to_string(&header(&llama())).unwrap();
    let data = &good[8 + text.len()..];
    for (from, to, word) in [
        ("\"BF16\"", "\"BF17\"", "BF17"),
        ("[8,32]", "[9,32]", "another size"),
        ("[8,32]", "[18446744073709551615,32]", "another size"),
        ("[8,32]", "[-8,32]", "broken"),
        ("[0,512]", "[512,0]", "another size"),
        ("[512,576]", "[511,575]", "the same bytes"),
        ("\"model.norm.weight\"", "\"lm_head.weight\"", "twice"),
        ("{", "[", "broken"),
    ] {
        assert!(text.contains(from), "{from}");
        let broken = text.replacen(from, to, 1);
        refused(with(file(broken.as_bytes(), data)), &["model.safetensors", word]);
    }
    let deep = "[".repeat(100_000);
    refused(with(file(format!("{{\"a\":{deep}").as_bytes(), data)), &["broken"]);
}

#[test]
fn every_cut_of_a_header_is_an_error() {
    let good = whole(&llama());
    for n in (0..good.len() - 1).step_by(97) {
        let dir = directory(&config(), &[("model.safetensors", good[..n].to_vec())]);
        assert!(SafetensorsSource::open(dir.path()).is_err(), "{n} bytes");
    }
}

/// Whatever a header says, it is an error or a model: no panic, and no read outside the file.
#[test]
fn a_changed_header_never_panics() {
    let good = whole(&llama());
    let header = u64::from_le_bytes(good[..8].try_into().unwrap()) as usize;
    let dir = directory(&config(), &[]);
    for at in 0..8 + header {
        for bits in [1, 0x10, 0x80] {
            let mut bytes = good.clone();
            bytes[at] ^= bits;
            std::fs::write(dir.path().join("model.safetensors"), bytes).unwrap();
            let Ok(s) = SafetensorsSource::open(dir.path()) else { continue };
            for t in s.tensors() {
                s.read(t, 0, &mut vec![0; t.bytes as usize]).unwrap();
            }
        }
    }
}

#[test]
fn a_configuration_that_contradicts_the_tensors_is_refused() {
    for (field, value, words) in [
        ("hidden_size", json!(48), &["model.embed_tokens.weight", "8 x 32", "8 x 48"][..]),
        ("num_key_value_heads", json!(2), &["self_attn.k_proj.weight", "16 x 32", "32 x 32"]),
        ("intermediate_size", json!(65), &["mlp.gate_proj.weight", "64 x 32", "65 x 32"]),
        ("vocab_size", json!(9), &["model.embed_tokens.weight", "9 x 32"]),
        ("num_hidden_layers", json!(2), &["model.layers.1.", "is missing"]),
        (
            "attention_bias",
            json!(true),
            &["model.layers.0.self_attn.q_proj.bias", "is missing", "attention_bias"],
        ),
        ("mlp_bias", json!(true), &["model.layers.0.mlp.gate_proj.bias", "is missing", "mlp_bias"]),
        ("rms_norm_eps", json!(1e-300), &["rms_norm_eps", "above 0"]),
        ("rope_theta", json!(1.0), &["rope_theta", "above 1"]),
        ("rope_theta", json!(1e30), &["rope_theta", "at most 1000000000000000"]),
        ("final_logit_softcapping", json!(1e30), &["final_logit_softcapping", "at most 1000000"]),
        (
            "rope_scaling",
            json!({ "type": "linear", "factor": 1e30 }),
            &["rope_scaling.factor", "from 1 to 65536"],
        ),
        (
            "rope_scaling",
            json!({ "type": "yarn", "factor": 1e30 }),
            &["rope_scaling.factor", "from 1 to 65536"],
        ),
        (
            "rope_scaling",
            json!({ "type": "yarn", "factor": 0.5 }),
            &["rope_scaling.factor", "from 1 to 65536"],
        ),
        (
            "rope_scaling",
            json!({ "type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1 << 29 }),
            &["rope_scaling.factor", "536870912 tokens become at most 1073741824"],
        ),
        (
            "rope_scaling",
            json!({ "type": "yarn", "factor": 4.0, "beta_fast": 1.0, "beta_slow": 2.0 }),
            &["rope_scaling.beta_fast", "at least beta_slow"],
        ),
        (
            "rope_scaling",
            json!({ "type": "yarn", "factor": 4.0, "attention_factor": 1e30 }),
            &["rope_scaling.attention_factor", "at most 1000"],
        ),
        // Apart as f64, and the same as f32.
        (
            "rope_scaling",
            json!({ "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 1.000_000_001 }),
            &["rope_scaling.high_freq_factor", "above low_freq_factor"],
        ),
        (
            "rope_scaling",
            json!({ "type": "longrope", "short_factor": [1e-30, 1, 1, 1, 1, 1, 1, 1], "long_factor": [1, 1, 1, 1, 1, 1, 1, 1] }),
            &["rope_scaling.short_factor", "8 numbers from 0.001 up"],
        ),
        ("model_type", json!("rwkv"), &["model_type", "rwkv", "qwen3_moe"]),
        ("hidden_act", json!("relu"), &["hidden_act", "silu"]),
        ("rms_norm_eps", json!("small"), &["rms_norm_eps", "a number"]),
        ("num_attention_heads", json!(0), &["num_attention_heads"]),
        ("num_attention_heads", json!(3), &["head_dim"]),
        ("rope_scaling", json!({ "rope_type": "spiral" }), &["rope_scaling.rope_type", "yarn"]),
        ("rope_scaling", json!({ "rope_type": "linear" }), &["rope_scaling.factor", "missing"]),
        ("quantization_config", json!({ "quant_method": "gptq" }), &["quant_method", "gptq", "GGUF"]),
    ] {
        let mut c = config();
        c[field] = value;
        refused(open(&c, &llama()), words);
    }
    let mut c = config();
    c["num_hidden_layers"] = json!(1);
    let mut more = llama();
    more.push(bf16s("model.layers.1.input_layernorm.weight", &[32]));
    refused(
        open(&c, &more),
        &["model.layers.1.input_layernorm.weight", "model.safetensors", "one of 1 layers"],
    );
    let missing: Vec<Tensor> = llama().into_iter().filter(|t| !t.name.contains("down_proj")).collect();
    refused(open(&config(), &missing), &["model.layers.0.mlp.down_proj.weight", "is missing"]);
    let headless: Vec<Tensor> = llama().into_iter().filter(|t| t.name != "lm_head.weight").collect();
    refused(open(&config(), &headless), &["lm_head.weight", "is missing"]);
}

#[test]
fn an_index_stays_in_its_directory() {
    let tensors = llama();
    let (a, b) = tensors.split_at(5);
    let map = |b_file: &str| {
        let one = a.iter().map(|t| (t.name.clone(), json!("model-1.safetensors")));
        let two = b.iter().map(|t| (t.name.clone(), json!(b_file)));
        json!({ "weight_map": one.chain(two).collect::<Map<_, _>>() }).to_string().into_bytes()
    };
    let with = |index: Vec<u8>| {
        let files = [
            ("model-1.safetensors", whole(a)),
            ("model-2.safetensors", whole(b)),
            ("model.safetensors.index.json", index),
        ];
        let dir = directory(&config(), &files);
        SafetensorsSource::open(dir.path())
    };
    assert_eq!(with(map("model-2.safetensors")).unwrap().tensors().len(), 12);
    for outside in [
        "../model-2.safetensors",
        "/etc/model-2.safetensors",
        "a\\b.safetensors",
        "C:x.safetensors",
        ".x.safetensors",
        "model-2.bin",
    ] {
        refused(with(map(outside)), &["model.safetensors.index.json", "weight_map.", "same directory"]);
    }
    refused(
        with(map("model-1.safetensors")),
        &["model-1.safetensors", "self_attn.o_proj.weight", "is missing"],
    );
    refused(with(map("model-3.safetensors")), &["model-3.safetensors", "no such file"]);
    refused(with(b"{\"weight_map\": {}}".to_vec()), &["model.safetensors.index.json", "weight_map"]);
    refused(
        with(b"{\"weight_map\": {\"a\": 1}}".to_vec()),
        &["model.safetensors.index.json", "weight_map.a"],
    );
    refused(with(b"[]".to_vec()), &["model.safetensors.index.json", "JSON"]);
}

#[test]
fn directories_without_a_model_say_what_is_missing() {
    let empty = tempfile::tempdir().unwrap();
    refused(SafetensorsSource::open(empty.path()), &["no config.json"]);
    refused(SafetensorsSource::open(directory(&config(), &[]).path()), &["no weights"]);
    refused(
        SafetensorsSource::open(directory(&config(), &[("a.gguf", vec![1])]).path()),
        &["holds a GGUF file, a.gguf", "akunu run", "/a.gguf`"],
    );
    let many = tempfile::tempdir().unwrap();
    let parts = ["mmproj-f16.gguf", "x-00001-of-00002.gguf", "x-00002-of-00002.gguf", "y.GGUF", "notes.txt"];
    for name in parts {
        std::fs::write(many.path().join(name), "GGUF").unwrap();
    }
    refused(
        SafetensorsSource::open(many.path()),
        &["holds GGUF files: mmproj-f16.gguf, x-00001-of-00002.gguf, y.GGUF;", "/x-00001-of-00002.gguf`"],
    );
    for i in 0..20 {
        std::fs::write(many.path().join(format!("z{i:02}.gguf")), "GGUF").unwrap();
    }
    refused(SafetensorsSource::open(many.path()), &["z08.gguf, and 11 more;"]);
    let pickled = directory(&config(), &[("pytorch_model.bin", vec![1])]);
    refused(SafetensorsSource::open(pickled.path()), &["another format"]);
    let dir =
        directory(&config(), &[("model.safetensors", whole(&llama())), ("x.gguf", b"GGUF....".to_vec())]);
    for (name, is) in [("model.safetensors", true), ("config.json", true), ("x.gguf", false), ("none", false)]
    {
        assert_eq!(is_directory_model(&dir.path().join(name)), is, "{name}");
    }
}

/// A directory, or a file in one, of peft or mlx-lm.
#[test]
fn adapters_are_called_that() {
    let words = ["LoRA adapter", "merge it into its base model"];
    let adapter =
        [("adapter_model.safetensors", whole(&[bf16s("base_model.model.x.lora_A.weight", &[2, 2])]))];
    let dir = directory(&config(), &adapter);
    refused(SafetensorsSource::open(dir.path()), &words);
    refused(SafetensorsSource::open(&dir.path().join(adapter[0].0)), &words);
    std::fs::remove_file(dir.path().join("config.json")).unwrap();
    refused(SafetensorsSource::open(dir.path()), &words);
    let base = r#"{ "base_model_name_or_path": "org/base\u001b[1m" }"#;
    std::fs::write(dir.path().join("adapter_config.json"), base).unwrap();
    refused(SafetensorsSource::open(dir.path()), &["LoRA adapter", r"its base model is org/base\u{1b}[1m"]);
    std::fs::write(dir.path().join("adapter_config.json"), "{").unwrap();
    refused(SafetensorsSource::open(dir.path()), &words);
    // A model with an adapter beside it is a model.
    let both = directory(&config(), &[("model.safetensors", whole(&llama())), adapter[0].clone()]);
    assert!(SafetensorsSource::open(both.path()).is_ok());
}

/// A fused bias has a number for each row of the matrices that are fused with it.
#[test]
fn a_fused_bias_of_another_length_is_refused() {
    let mut c = config();
    c["model_type"] = json!("phi3");
    let with = |numbers: u64| {
        let layer = |n: &str| format!("model.layers.0.{n}");
        let kept =
            llama().into_iter().filter(|t| !t.name.contains("q_proj") && !t.name.contains("gate_proj"));
        let kept = kept.filter(|t| !["k_proj", "v_proj", "up_proj"].iter().any(|n| t.name.contains(n)));
        let mut tensors: Vec<Tensor> = kept.collect();
        tensors.push(bf16s(&layer("self_attn.qkv_proj.weight"), &[64, 32]));
        tensors.push(bf16s(&layer("mlp.gate_up_proj.weight"), &[128, 32]));
        tensors.push(bf16s(&layer("self_attn.qkv_proj.bias"), &[numbers]));
        open(&c, &tensors)
    };
    let s = with(64).unwrap();
    assert_eq!(values(&s, "layers.0.attention.v.bias").len(), 16);
    for wrong in [63, 65, 16] {
        refused(
            with(wrong),
            &["model.layers.0.self_attn.qkv_proj.bias", &format!("[{wrong}]"), "[64] by config.json"],
        );
    }
}

/// The tensors of a directory's one file, with its configuration.
fn taken(name: &str) -> (Value, Vec<Tensor>) {
    let bytes = std::fs::read(fixture(name).join("model.safetensors")).unwrap();
    let config = serde_json::from_slice(&std::fs::read(fixture(name).join("config.json")).unwrap()).unwrap();
    let n = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let all: Map<String, Value> = serde_json::from_slice(&bytes[8..8 + n]).unwrap();
    let one = |(name, e): (&String, &Value)| {
        let at = |i: usize| 8 + n + e["data_offsets"][i].as_u64().unwrap() as usize;
        let dtype = ["U32", "BF16", "F16", "U8", "F32"].into_iter().find(|d| e["dtype"] == **d).unwrap();
        let shape: Vec<u64> = e["shape"].as_array().unwrap().iter().map(|d| d.as_u64().unwrap()).collect();
        tensor(name, dtype, &shape, bytes[at(0)..at(1)].to_vec())
    };
    (config, all.iter().filter(|t| t.0 != "__metadata__").map(one).collect())
}

#[test]
fn damage_to_mlx_directories_names_tensor_and_file() {
    let (config, tensors) = taken("mlx/qwen3-4bit");
    assert!(open(&config, &tensors).is_ok());
    let key = "model.layers.0.self_attn.q_proj";
    let find = |list: &[Tensor], suffix: &str| {
        list.iter().position(|t| t.name == format!("{key}.{suffix}")).unwrap()
    };
    let with = |change: &dyn Fn(&mut Vec<Tensor>)| {
        let mut t = tensors.clone();
        change(&mut t);
        open(&config, &t)
    };
    for gone in ["scales", "biases", "weight"] {
        let words = [format!("{key}.{gone}"), "model.safetensors".into(), "is missing".into()];
        let without = with(&|t| {
            let i = find(t, gone);
            t.remove(i);
        });
        refused(without, &words.each_ref().map(String::as_str));
    }
    let narrow = |suffix: &'static str| {
        with(&move |t| {
            let i = find(t, suffix);
            t[i].shape[0] /= 2;
            let half = t[i].bytes.len() / 2;
            t[i].bytes.truncate(half);
        })
    };
    refused(narrow("scales"), &["q_proj.scales", "model.safetensors", "beside its weight"]);
    refused(narrow("biases"), &["q_proj.biases", "model.safetensors", "beside its weight"]);
    refused(narrow("weight"), &["q_proj.", "model.safetensors"]);
    let swapped = with(&|t| {
        let (s, b) = (find(t, "scales"), find(t, "biases"));
        let bytes = std::mem::take(&mut t[s].bytes);
        t[s].bytes = std::mem::replace(&mut t[b].bytes, bytes);
    });
    refused(swapped, &["q_proj.scales", "model.safetensors", "swapped"]);
    let wide = with(&|t| {
        for suffix in ["scales", "biases"] {
            let i = find(t, suffix);
            let (words, _) = t[i].bytes.as_chunks();
            t[i].bytes = words.iter().flat_map(|w| bf16::from_le_bytes(*w).to_f32().to_le_bytes()).collect();
            t[i].dtype = "F32";
        }
    });
    refused(wide, &["q_proj.scales", "F32", "--dtype bfloat16"]);
    for (q, words) in [
        (json!({ "group_size": 64, "bits": 4, key: false }), &["q_proj.scales", "says nothing"][..]),
        (json!({ "group_size": 32, "bits": 4 }), &[".scales", "beside its weight"]),
        (json!({ "group_size": 64, "bits": 8 }), &[".weight", "model.safetensors"]),
        (json!({ "group_size": 64, "bits": 7 }), &["quantization.bits", "2, 3, 4"]),
        (json!({ "group_size": 16, "bits": 4 }), &["quantization.group_size", "32, 64"]),
        (json!({ "mode": "ternary" }), &["quantization.mode", "nvfp4"]),
        (json!({ "group_size": 64, "bits": 4, key: 3 }), &["quantization.model.layers.0.self_attn.q_proj"]),
    ] {
        let mut c = config.clone();
        c["quantization"] = q;
        refused(open(&c, &tensors), words);
    }
}

/// Some conversions keep a module as it was.
#[test]
fn a_module_that_is_not_quantized_stays_as_it_is() {
    let (mut config, mut tensors) = taken("mlx/qwen3-4bit");
    let key = "model.layers.0.self_attn.q_proj";
    config["quantization"][key] = json!(false);
    tensors.retain(|t| !t.name.starts_with(key));
    tensors.push(bf16s(&format!("{key}.weight"), &[64, 64]));
    let s = open(&config, &tensors).unwrap();
    assert_eq!(s.find("layers.0.attention.q.weight").unwrap().dtype, DType::Bf16);
    assert_eq!(s.find("layers.0.attention.k.weight").unwrap().dtype.name(), "affine4_g64");
}

/// One scale for all, one per row, one per block of 32 x 16; and the numbers of the scales in each type.
#[test]
fn fp8_is_its_value_times_its_scale() {
    let codes: Vec<u8> = (0..32 * 32u32).map(|i| (i * 7 % 127) as u8 | ((i % 2) as u8) << 7).collect();
    type Scale = fn(usize, usize) -> usize;
    let shapes: [(&[u64], Scale); 4] =
        [(&[], |_, _| 0), (&[1], |_, _| 0), (&[32, 1], |r, _| r), (&[1, 2], |_, c| c / 16)];
    for (shape, index) in shapes {
        let n = shape.iter().product::<u64>() as usize;
        let scales: Vec<f32> = (0..n).map(|i| 0.5 + i as f32 / 8.0).collect();
        let key = "model.layers.0.self_attn.q_proj";
        let mut tensors = llama();
        let at = tensors.iter().position(|t| t.name == format!("{key}.weight")).unwrap();
        tensors[at] = tensor(&format!("{key}.weight"), "F8_E4M3", &[32, 32], codes.clone());
        let bytes = scales.iter().flat_map(|s| s.to_le_bytes()).collect();
        tensors.push(tensor(&format!("{key}.weight_scale_inv"), "F32", shape, bytes));
        let mut c = config();
        c["quantization_config"] = json!({ "quant_method": "fp8", "weight_block_size": [32, 16] });
        let s = open(&c, &tensors).unwrap();
        assert_eq!(s.find("layers.0.attention.q.weight").unwrap().dtype, DType::Bf16);
        for (i, got) in values(&s, "layers.0.attention.q.weight").iter().enumerate() {
            let want = bf16::from_f32(e4m3(codes[i]) * scales[index(i / 32, i % 32)]).to_f32();
            assert_eq!(*got, want, "{shape:?} {i}");
        }
        tensors.pop();
        refused(open(&c, &tensors), &["weight_scale_inv", "is missing"]);
        tensors.push(tensor(&format!("{key}.weight_scale_inv"), "F32", &[3, 1], vec![0; 12]));
        refused(open(&c, &tensors), &["weight_scale_inv", "[3, 1]"]);
    }
}

#[test]
fn numbers_of_every_type_become_f32() {
    for (dtype, bytes) in [
        ("F32", (0..32).flat_map(|i| (i as f32 / 8.0).to_le_bytes()).collect::<Vec<u8>>()),
        ("F16", (0..32).flat_map(|i| f16::from_f32(i as f32 / 8.0).to_le_bytes()).collect()),
        ("BF16", (0..32).flat_map(|i| bf16::from_f32(i as f32 / 8.0).to_le_bytes()).collect()),
    ] {
        let mut tensors = llama();
        let at = tensors.iter().position(|t| t.name == "model.norm.weight").unwrap();
        tensors[at] = tensor("model.norm.weight", dtype, &[32], bytes);
        let s = open(&config(), &tensors).unwrap();
        let want: Vec<f32> = (0..32).map(|i| i as f32 / 8.0).collect();
        assert_eq!(values(&s, "output_norm.weight"), want, "{dtype}");
    }
    let mut tensors = llama();
    let at = tensors.iter().position(|t| t.name == "model.norm.weight").unwrap();
    tensors[at] = tensor("model.norm.weight", "I64", &[32], vec![0; 256]);
    refused(open(&config(), &tensors), &["model.norm.weight", "I64"]);
}

/// Experts come one by one, in any order; one that is missing or too much is named.
#[test]
fn experts_are_stacked_in_order() {
    let mut c = config();
    for (k, v) in
        [("model_type", json!("mixtral")), ("num_local_experts", json!(3)), ("num_experts_per_tok", json!(2))]
    {
        c[k] = v;
    }
    let base = || llama().into_iter().filter(|t| !t.name.contains(".mlp."));
    let expert = |e: u64, w: &str, shape: &[u64]| {
        let bytes = (0..shape.iter().product::<u64>()).flat_map(|_| bf16::from_f32(e as f32).to_le_bytes());
        tensor(
            &format!("model.layers.0.block_sparse_moe.experts.{e}.{w}.weight"),
            "BF16",
            shape,
            bytes.collect(),
        )
    };
    let experts = |which: &[u64]| {
        let one =
            |e: &u64| [expert(*e, "w1", &[64, 32]), expert(*e, "w2", &[32, 64]), expert(*e, "w3", &[64, 32])];
        let mut all: Vec<Tensor> = base().chain(which.iter().flat_map(one)).collect();
        all.push(bf16s("model.layers.0.block_sparse_moe.gate.weight", &[3, 32]));
        all
    };
    let s = open(&c, &experts(&[2, 0, 1])).unwrap();
    let down = s.find("layers.0.ffn.experts.down.weight").unwrap();
    assert_eq!((down.rows, down.cols), (3 * 32, 64));
    let v = values(&s, "layers.0.ffn.experts.down.weight");
    assert!(v.iter().enumerate().all(|(i, v)| *v == (i / (32 * 64)) as f32));
    refused(open(&c, &experts(&[0, 2])), &["block_sparse_moe.experts", "expert 1", "is missing"]);
    refused(open(&c, &experts(&[0, 1, 2, 3])), &["block_sparse_moe.experts", "one of 3 experts"]);
}

#[test]
fn extensions_of_rope_are_read() {
    let with = |scaling: Value| {
        let mut c = config();
        c["rope_scaling"] = scaling;
        open(&c, &llama()).unwrap().config().rope.clone()
    };
    assert_eq!(with(Value::Null).scaling, RopeScaling::None);
    assert_eq!(with(json!({ "type": "linear", "factor": 2 })).scaling, RopeScaling::Linear { factor: 2.0 });
    let yarn = with(json!({ "type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32 }));
    assert_eq!(
        yarn.scaling,
        RopeScaling::Yarn { factor: 4.0, beta_fast: 32.0, beta_slow: 1.0, original_context: 32 }
    );
    assert!((yarn.magnitude - (0.1 * 4f32.ln() + 1.0)).abs() < 1e-6);
    let equal = with(json!({ "type": "yarn", "factor": 4.0, "mscale": 1.0, "mscale_all_dim": 1.0 }));
    assert_eq!(equal.magnitude, 1.0);
}

#[test]
fn generation_config_gives_sampling_defaults() {
    let files = |generation: Value| {
        let files = [
            ("model.safetensors", whole(&llama())),
            ("generation_config.json", generation.to_string().into()),
        ];
        SafetensorsSource::open(directory(&config(), &files).path())
    };
    let s = files(json!({ "do_sample": true, "temperature": 0.6, "min_p": 0.0 })).unwrap();
    assert_eq!((s.config().sampling.temperature, s.config().sampling.min_p), (Some(0.6), Some(0.0)));
    let s =
        files(json!({ "do_sample": true, "top_k": 20, "top_p": 0.9, "repetition_penalty": 1.05 })).unwrap();
    let d = &s.config().sampling;
    assert_eq!((d.top_k, d.top_p, d.repeat_penalty, d.temperature), (Some(20), Some(0.9), Some(1.05), None));
    assert_eq!(files(json!({ "temperature": 0.6 })).unwrap().config().sampling.temperature, None);
    refused(
        files(json!({ "do_sample": true, "temperature": "hot" })),
        &["generation_config.json", "temperature"],
    );
    for (field, bad) in [("top_k", json!(-1)), ("top_p", json!(1.5)), ("repetition_penalty", json!(0.0))] {
        refused(files(json!({ "do_sample": true, field: bad })), &["generation_config.json", field]);
    }
}
