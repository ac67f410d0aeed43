//! Directories of safetensors files against the libraries that made them: transformers (`tools/tiny_models.py`) and
//! mlx-lm (`tools/tiny_mlx.py`), with the plain kernels.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::device::Device;
use akunu::device::cpu::CpuDevice;
use akunu::files::WeightSource;
use akunu::files::convert::{Input, Options, Requantize, convert};
use akunu::files::gguf::GgufSource;
use akunu::files::quantize::Recipe;
use akunu::files::safetensors::{SafetensorsSource, families::FAMILIES};
use akunu::files::tokenizer::TokenizerData;
use akunu::kernels::cpu::Level;
use akunu::{LoadOptions, Model, RowCount, Source, Token};
use akunu_conformance::{On, fixture, on_each_device};
use half::bf16;
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The bound of the house for the plain kernels.
const BOUND: f32 = 1e-4;

fn ids(v: &Value) -> Vec<Token> {
    v.as_array().unwrap().iter().map(|t| Token(t.as_u64().unwrap() as u32)).collect()
}

fn floats(path: &Path) -> Vec<f32> {
    let bytes = std::fs::read(path).unwrap();
    bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

fn plain() -> Arc<dyn Device> {
    Arc::new(CpuDevice::with_level(Level::Reference, Some(2)).unwrap())
}

/// Largest error of the logits of all positions, relative to the largest logit.
fn off(device: Arc<dyn Device>, dir: &Path, tokens: &[Token], want: &[f32]) -> f32 {
    let source = SafetensorsSource::open(dir).unwrap();
    assert_eq!(source.unmapped(), &[] as &[String], "{}", dir.display());
    off_source(device, Box::new(source), tokens, want)
}

fn off_source(device: Arc<dyn Device>, source: Box<dyn WeightSource>, tokens: &[Token], want: &[f32]) -> f32 {
    let options = LoadOptions { context: Some(64), head_rows: RowCount(8), ..LoadOptions::default() };
    let model = Model::load_on(source, device, &options, &mut |_| {}).unwrap();
    let vocab = model.config().vocab as usize;
    assert_eq!(want.len(), tokens.len() * vocab);
    let largest = want.iter().fold(0f32, |m, v| m.max(v.abs()));
    let (mut worst, mut rows) = (0f32, 0);
    let mut on_row = |row: u32, logits: &[f32]| {
        for (w, g) in want[row as usize * vocab..].iter().zip(logits) {
            let e = (w - g).abs() / largest;
            // (A NaN is an error too.)
            worst = if e <= worst { worst } else { e };
        }
        rows += 1;
    };
    model.session().unwrap().logits(tokens, &mut on_row).unwrap();
    assert_eq!(rows, tokens.len());
    worst
}

/// The directory as a GGUF file, its tokenizer with it.
fn converted(dir: &Path, recipe: &str) -> tempfile::TempDir {
    let source = SafetensorsSource::open(dir).unwrap();
    let tokenizer = TokenizerData::from_directory(source.directory(), source.config().vocab).unwrap();
    let input = Input::new(&source, dir, tokenizer.as_ref());
    let recipe = Recipe::parse(recipe).unwrap();
    let options = Options { recipe, requantize: Requantize::Refuse, threads: 2 };
    let out = tempfile::tempdir().unwrap();
    let made = convert(&input, &out.path().join("model.gguf"), &options, &mut |_| ControlFlow::Continue(()));
    assert!(made.unwrap().is_some());
    out
}

/// [`off`] of the directory as a GGUF file of values that the source's have room in.
fn off_converted(dir: &Path, recipe: &str, tokens: &[Token], want: &[f32]) -> f32 {
    let made = converted(dir, recipe);
    let source = GgufSource::open(&made.path().join("model.gguf")).unwrap();
    off_source(plain(), Box::new(source), tokens, want)
}

/// [`off`] of a directory that holds its own reference.
fn off_whole(device: Arc<dyn Device>, dir: &Path) -> f32 {
    let text = std::fs::read_to_string(dir.join("reference.json")).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    off(device, dir, &ids(&json["tokens"]), &floats(&dir.join("reference.f32")))
}

#[test]
fn a_tiny_llama_in_two_shards_agrees_with_transformers() {
    let off = off_whole(plain(), &fixture("tiny-llama"));
    assert!(off < BOUND, "off by {off:e}");
}

fn mlx() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(fixture("mlx")).unwrap();
    let mut all: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    all.sort();
    assert!(all.len() >= 13);
    all
}

#[test]
fn every_quantization_of_mlx_agrees_with_mlx_lm() {
    for dir in mlx() {
        let off = off_whole(plain(), &dir);
        println!("{}: {off:.1e}", dir.file_name().unwrap().to_string_lossy());
        assert!(off < BOUND, "{}: off by {off:e}", dir.display());
    }
}

#[test]
fn every_quantization_of_mlx_is_the_same_model_as_a_gguf_file() {
    for dir in mlx() {
        let text = std::fs::read_to_string(dir.join("reference.json")).unwrap();
        let json: Value = serde_json::from_str(&text).unwrap();
        let want = floats(&dir.join("reference.f32"));
        let off = off_converted(&dir, "f32", &ids(&json["tokens"]), &want);
        println!("{}: {off:.1e}", dir.file_name().unwrap().to_string_lossy());
        assert!(off < BOUND, "{}: off by {off:e}", dir.display());
    }
}

on_each_device!(every_device_runs_every_quantization_of_mlx);

/// The other devices round the inputs of products to 8 bits, which moves each by up to 1/254 of the largest of its
/// group. An output of k = 64 inputs is then off by at most sqrt(k) / 254 of the largest output (Cauchy and Schwarz, with
/// inputs and outputs about as uneven as one another); products of a layer follow one another four deep, and the head is
/// one more. A wrong order of codes, scale or bias is off by as much as the logits are large.
fn every_device_runs_every_quantization_of_mlx(on: On) {
    for device in on.devices().unwrap() {
        for dir in mlx() {
            let config: Value =
                serde_json::from_str(&std::fs::read_to_string(dir.join("config.json")).unwrap()).unwrap();
            let layers = config["num_hidden_layers"].as_u64().unwrap() as f32;
            let bound = (4.0 * layers + 1.0) * 8.0 / 254.0;
            let (name, off) = (dir.file_name().unwrap().to_string_lossy(), off_whole(device.clone(), &dir));
            println!("{} {name}: {off:.1e}, bound {bound:.1e}", device.info().name);
            assert!(off < bound, "{} {name}: off by {off:e}, bound {bound:e}", device.info().name);
        }
    }
}

/// A model without weights: its configuration, and the names and shapes of its tensors.
struct Case {
    json: Value,
    name: String,
}

fn cases() -> Vec<Case> {
    let text = std::fs::read_to_string(fixture("safetensors/cases.json")).unwrap();
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    all.into_iter().map(|json| Case { name: json["name"].as_str().unwrap().into(), json }).collect()
}

fn case(name: &str) -> Case {
    cases().into_iter().find(|c| c.name == name).unwrap()
}

/// The polynomial of zip and PNG, reflected.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, b| {
        (0..8).fold(crc ^ u32::from(*b), |c, _| (c >> 1) ^ (0xedb8_8320 & (c & 1).wrapping_neg()))
    })
}

/// `weights` of tools/tiny_models.py.
fn weights(name: &str, shape: &[u64], gemma: bool) -> Vec<u8> {
    let n = shape.iter().product::<u64>() as u32;
    let norm = shape.len() == 1 && name.contains("norm");
    let value = |i: u32| {
        let mut x = i.wrapping_mul(2_654_435_761).wrapping_add(crc32(name.as_bytes()).wrapping_mul(40503));
        x ^= x >> 15;
        x = x.wrapping_mul(2_246_822_519);
        x ^= x >> 13;
        let step = (x >> 25) as f32 - 64.0;
        match (norm, gemma) {
            (false, _) => step / 256.0,
            (true, true) => step / 128.0,
            (true, false) => step / 128.0 + 1.0,
        }
    };
    (0..n).flat_map(|i| bf16::from_f32(value(i)).to_le_bytes()).collect()
}

impl Case {
    fn config(&self) -> Value {
        self.json["config"].clone()
    }

    /// The directory, with another configuration and with other names for the tensors where asked for.
    fn write(&self, config: &Value, rename: impl Fn(&str) -> String) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let gemma = self.json["config"]["model_type"].as_str().unwrap().starts_with("gemma");
        let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
        for (name, shape) in self.json["tensors"].as_object().unwrap() {
            let shape: Vec<u64> = shape.as_array().unwrap().iter().map(|d| d.as_u64().unwrap()).collect();
            let start = data.len();
            data.extend(weights(name, &shape, gemma));
            let entry = json!({ "dtype": "BF16", "shape": shape, "data_offsets": [start, data.len()] });
            header.insert(rename(name), entry);
        }
        let header = serde_json::to_vec(&header).unwrap();
        let file = [&(header.len() as u64).to_le_bytes()[..], &header, &data].concat();
        std::fs::write(dir.path().join("model.safetensors"), file).unwrap();
        std::fs::write(dir.path().join("config.json"), config.to_string()).unwrap();
        dir
    }

    fn off(&self, dir: &Path) -> f32 {
        let want = floats(&fixture(&format!("safetensors/{}.f32", self.name)));
        off(plain(), dir, &ids(&self.json["tokens"]), &want)
    }
}

#[test]
fn every_model_type_agrees_with_transformers() {
    let cases = cases();
    for case in &cases {
        let off = case.off(case.write(&case.config(), str::to_owned).path());
        println!("{}: {off:.1e}", case.name);
        assert!(off < BOUND, "{}: off by {off:e}", case.name);
    }
    // Encoders have no logits; `tools/embed_oracle.py` compares their vectors.
    for model_type in
        FAMILIES.iter().filter(|f| f.encoder.is_none() && f.audio.is_none()).flat_map(|f| f.model_types)
    {
        let has = cases.iter().any(|c| c.json["config"]["model_type"] == **model_type);
        assert!(has, "no case of `{model_type}`");
    }
}

/// Pairs of RoPE, norms with their 1, parts in one matrix, experts above each other, settings as keys.
#[test]
fn every_model_type_is_the_same_model_as_a_gguf_file() {
    for case in cases() {
        let dir = case.write(&case.config(), str::to_owned);
        let want = floats(&fixture(&format!("safetensors/{}.f32", case.name)));
        let off = off_converted(dir.path(), "bf16", &ids(&case.json["tokens"]), &want);
        println!("{}: {off:.1e}", case.name);
        assert!(off < BOUND, "{}: off by {off:e}", case.name);
    }
}

/// The text model within one that sees: its configuration lies deeper and its tensors have a prefix.
#[test]
fn the_text_model_of_a_multimodal_directory_is_the_same() {
    let case = case("gemma3");
    let outer = json!({ "model_type": "gemma3", "text_config": case.config(), "vision_config": {} });
    for prefix in ["language_model.", "model.language_model."] {
        let rename = |name: &str| match prefix {
            "language_model." => format!("{prefix}{name}"),
            _ => name.replacen("model.", prefix, 1),
        };
        let off = case.off(case.write(&outer, rename).path());
        assert!(off < BOUND, "{prefix}: off by {off:e}");
    }
}

/// RoPE's settings in the spelling of newer files.
#[test]
fn rope_parameters_say_the_same_as_rope_scaling() {
    for name in ["llama", "llama-yarn", "phi3-longrope", "gemma3"] {
        let case = case(name);
        let mut config = case.config();
        let fields = config.as_object_mut().unwrap();
        let mut nested = fields.remove("rope_scaling").unwrap();
        let kind = nested.get("rope_type").or(nested.get("type")).cloned().unwrap();
        nested["rope_type"] = kind;
        nested["rope_theta"] = fields.remove("rope_theta").unwrap();
        if name == "gemma3" {
            let local = fields.remove("rope_local_base_freq").unwrap();
            let sliding = json!({ "rope_type": "default", "rope_theta": local });
            nested = json!({ "full_attention": nested, "sliding_attention": sliding });
        }
        fields.insert("rope_parameters".into(), nested);
        let off = case.off(case.write(&config, str::to_owned).path());
        assert!(off < BOUND, "{name}: off by {off:e}");
    }
}

/// What the cases must notice: each of these fields changes what the model computes.
#[test]
fn a_wrong_configuration_fails() {
    for (name, field, value) in [
        ("llama", "rope_theta", json!(400_000.0)),
        ("mistral", "sliding_window", json!(15)),
        ("qwen2-window", "max_window_layers", json!(3)),
        ("qwen3-moe", "norm_topk_prob", json!(false)),
        ("gemma2", "attn_logit_softcapping", json!(1.0)),
        ("gemma2", "final_logit_softcapping", json!(3.0)),
        ("gemma3", "query_pre_attn_scalar", json!(32)),
        ("gemma3", "rope_local_base_freq", json!(9000.0)),
        ("phi3-longrope", "original_max_position_embeddings", json!(255)),
        ("smollm3", "no_rope_layers", json!([1, 1, 1, 1])),
    ] {
        let case = case(name);
        let mut config = case.config();
        config[field] = value;
        if matches!(name, "qwen2-window") {
            config.as_object_mut().unwrap().remove("layer_types");
        }
        let off = case.off(case.write(&config, str::to_owned).path());
        assert!(off > BOUND, "{name} with another {field} is off by {off:e} only");
    }
}

/// A directory, its configuration, a shard and its index all name the same model, and it speaks.
#[test]
fn a_directory_is_opened_by_itself_and_by_its_files() {
    let dir = fixture("tiny-llama");
    let files = ["", "config.json", "model.safetensors.index.json", "model-00002-of-00002.safetensors"];
    for file in files {
        let path = if file.is_empty() { dir.clone() } else { dir.join(file) };
        let options = LoadOptions { context: Some(64), ..LoadOptions::default() };
        let model = Model::load(&Source::Path(path), &options, &mut |_| {}).unwrap();
        assert_eq!(model.config().name.as_deref(), Some("tiny-llama"));
        let tokens = model.encode("the quick brown fox</s>").unwrap();
        assert_eq!(tokens.last(), Some(&Token(1)));
        assert_eq!(model.tokenizer().unwrap().decode(&tokens), "the quick brown fox");
        assert_eq!(model.tokenizer().unwrap().eos_ids(), [Token(1)]);
        assert!(model.chat_template().is_some());
    }
}

/// Tokenizer and chat template go with it.
#[test]
fn a_converted_directory_speaks_as_before() {
    let dir = fixture("tiny-llama");
    let made = converted(&dir, "q8_0");
    let options = LoadOptions { context: Some(64), ..LoadOptions::default() };
    let open = |path: PathBuf| Model::load(&Source::Path(path), &options, &mut |_| {}).unwrap();
    let (from, to) = (open(dir), open(made.path().join("model.gguf")));
    for text in ["the quick brown fox</s>", "<s> 12 apples,\nfour  pears \u{e9}\u{1f600}"] {
        let tokens = from.encode(text).unwrap();
        assert_eq!(to.encode(text).unwrap(), tokens);
        let decode = |m: &Model| m.tokenizer().unwrap().decode(&tokens);
        assert_eq!(decode(&to), decode(&from));
    }
    assert_eq!(to.tokenizer().unwrap().eos_ids(), [Token(1)]);
    assert_eq!(to.tokenizer().unwrap().bos(), from.tokenizer().unwrap().bos());
    let source = SafetensorsSource::open(&fixture("tiny-llama")).unwrap();
    let data = TokenizerData::from_directory(source.directory(), from.config().vocab).unwrap().unwrap();
    assert!(data.chat_template.is_some());
    assert_eq!(to.tokenizer().unwrap().data().chat_template, data.chat_template);
    assert!(to.chat_template().is_some());
}
