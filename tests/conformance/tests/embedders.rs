//! Encoders of every type, and a decoder that makes vectors, from directories as sentence-transformers has them, against transformers
//! (`tools/tiny_encoders.py`); and GGUF files of the same weights against their directories.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::device::Device;
use akunu::device::cpu::CpuDevice;
use akunu::files::config::EncoderConfig;
use akunu::files::convert::{Input, Options, Requantize, convert};
use akunu::files::gguf::GgufSource;
use akunu::files::gguf::write::{MetadataValue, Writer, dims};
use akunu::files::quantize::Recipe;
use akunu::files::safetensors::{SafetensorsSource, families::FAMILIES};
use akunu::files::tokenizer::{Specials, Tokenizer, TokenizerData};
use akunu::files::{TensorInfo, WeightSource};
use akunu::kernels::cpu::Level;
use akunu::{EmbedOptions, Embedder, Error, LoadOptions, Matrices, Model, Overlong, Pooling, Source, Token};
use akunu_conformance::{On, fixture, on_each_device_and_vulkan};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Every directory whose texts have vectors.
fn directories() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(fixture("tiny-encoders")).unwrap();
    let mut all: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    all.retain(|d| d.join("modules.json").exists());
    all.push(fixture("tiny-bert"));
    all.sort();
    assert!(all.len() >= 8);
    all
}

/// (text, tokens, vector) of transformers.
fn reference(dir: &Path) -> Vec<(String, Vec<Token>, Vec<f32>)> {
    let text = std::fs::read_to_string(dir.join("reference.json")).unwrap();
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    let of = |v: &Value| {
        let tokens: Vec<u32> = serde_json::from_value(v["tokens"].clone()).unwrap();
        let vector = serde_json::from_value(v["vector"].clone()).unwrap();
        (v["text"].as_str().unwrap().to_owned(), tokens.into_iter().map(Token).collect(), vector)
    };
    all.iter().map(of).collect()
}

fn plain() -> Arc<dyn Device> {
    Arc::new(CpuDevice::with_level(Level::Reference, Some(2)).unwrap())
}

fn load(path: &Path, device: Arc<dyn Device>, matrices: Matrices) -> Model {
    let options = LoadOptions { matrices, ..LoadOptions::default() };
    Model::load_onto(&Source::Path(path.into()), device, &options, &mut |_| {}).unwrap()
}

fn embedder(model: &Model) -> Embedder {
    model.embedder(&EmbedOptions { overlong: Overlong::Truncate, ..EmbedOptions::default() }).unwrap()
}

/// The largest error of a value; vectors have a length of 1.
fn off(got: &[f32], want: &[f32]) -> f32 {
    assert_eq!(got.len(), want.len());
    // (A NaN is an error too.)
    got.iter().zip(want).map(|(g, w)| (g - w).abs()).fold(0.0, |m, v| if v <= m { m } else { v })
}

fn name(dir: &Path) -> String {
    dir.file_name().unwrap().to_string_lossy().into_owned()
}

/// Tokens, positions, windows, biases by distance, pooling and normalization: all that lies between a text and its vector. The bound of
/// the house for the plain kernels.
#[test]
fn texts_become_the_tokens_and_vectors_of_transformers() {
    for dir in directories() {
        let model = load(&dir, plain(), Matrices::File);
        assert!(model.makes_vectors());
        let mut embedder = embedder(&model);
        let mut worst = 0f32;
        for (text, tokens, vector) in reference(&dir) {
            // (Of tiny-bert, some are longer than its own limit.)
            if tokens.len() <= embedder.max_tokens() as usize {
                assert_eq!(embedder.tokens(0, &text).unwrap(), tokens, "{} {text:?}", name(&dir));
                worst = worst.max(off(&embedder.embed_tokens(&[tokens]).unwrap().vectors[0], &vector));
            }
        }
        println!("{}: {worst:.1e}", name(&dir));
        assert!(worst < 1e-4, "{}: off by {worst:e}", name(&dir));
    }
    // Every type of encoder has a directory.
    for model_type in FAMILIES.iter().filter(|f| f.encoder.is_some()).map(|f| f.model_types[0]) {
        let is = |dir: &PathBuf| {
            let text = std::fs::read_to_string(dir.join("config.json")).unwrap();
            serde_json::from_str::<Value>(&text).unwrap()["model_type"] == model_type
        };
        assert!(directories().iter().any(is), "no directory of `{model_type}`");
    }
}

on_each_device_and_vulkan!(every_device_agrees_with_transformers);

/// With matrices as they are, the bound of `encoders.rs`: inputs of products are rounded to 11 bits, twice in each sublayer.
fn every_device_agrees_with_transformers(on: On) {
    for device in on.devices().unwrap() {
        for dir in directories() {
            let model = load(&dir, Arc::clone(&device), Matrices::File);
            let mut embedder = embedder(&model);
            let all = reference(&dir);
            let some: Vec<_> =
                all.into_iter().filter(|r| r.1.len() <= embedder.max_tokens() as usize).collect();
            let tokens: Vec<Vec<Token>> = some.iter().map(|r| r.1.clone()).collect();
            let got = embedder.embed_tokens(&tokens).unwrap();
            let worst = got.vectors.iter().zip(&some).map(|(g, r)| off(g, &r.2)).fold(0f32, f32::max);
            let bound = 8.0 * model.config().layers as f32 * 2f32.powi(-11);
            println!("{} {}: {worst:.1e}, bound {bound:.1e}", device.info().name, name(&dir));
            assert!(
                worst < bound,
                "{} {}: off by {worst:e}, bound {bound:e}",
                device.info().name,
                name(&dir)
            );
        }
    }
}

/// A text alone, among others, and cut to fewer dimensions; its prompt.
#[test]
fn a_decoders_vectors_are_cut_and_prompted_as_an_encoders() {
    let dir = fixture("tiny-encoders/qwen3");
    let model = load(&dir, plain(), Matrices::File);
    assert!(model.makes_vectors() && !model.is_encoder());
    let texts = ["the cat", "on the mat", "x"];
    let make = |options: EmbedOptions, texts: &[&str]| {
        model.embedder(&options).unwrap().embed(texts).unwrap().vectors
    };
    let whole = make(EmbedOptions::default(), &texts);
    for (text, want) in texts.iter().zip(&whole) {
        assert_eq!(&make(EmbedOptions::default(), &[text])[0], want);
    }
    let cut = make(EmbedOptions { dimensions: Some(8), ..EmbedOptions::default() }, &texts);
    for (cut, whole) in cut.iter().zip(&whole) {
        let length = whole[..8].iter().map(|v| v * v).sum::<f32>().sqrt();
        assert!(off(cut, &whole[..8].iter().map(|v| v / length).collect::<Vec<_>>()) < 1e-6);
    }
    let prompted =
        make(EmbedOptions { prompt: Some("query".into()), ..EmbedOptions::default() }, &["the cat"]);
    assert_eq!(prompted, make(EmbedOptions::default(), &["Instruct: find it\nQuery: the cat"]));
    let mean = make(EmbedOptions { pooling: Some(Pooling::Mean), ..EmbedOptions::default() }, &texts);
    assert!(mean.iter().zip(&whole).all(|(m, w)| off(m, w) > 1e-2));
    // It draws tokens too.
    assert!(model.session().is_ok());
    // A decoder whose files say nothing needs to be told.
    let other = load(&fixture("tiny-llama"), plain(), Matrices::File);
    assert!(!other.makes_vectors());
    let e = other.embedder(&EmbedOptions::default()).err().unwrap().to_string();
    assert!(e.contains("--pooling last"), "{e}");
    let last = EmbedOptions { pooling: Some(Pooling::Last), ..EmbedOptions::default() };
    assert_eq!(other.embedder(&last).unwrap().embed(&["the cat"]).unwrap().vectors[0].len(), 32);
    let long = vec![Token(1); 513];
    let e = other.embedder(&last).unwrap().embed_tokens(&[long]).unwrap_err();
    assert!(matches!(e, Error::TextTooLong { .. }), "{e}");
}

on_each_device_and_vulkan!(a_decoders_texts_share_steps);

/// Texts of one token to the longest, more than a step holds of them: each has the vector that it has alone, to the bit, whatever is beside it and
/// in whatever order, and the state that a session gives of its last token.
fn a_decoders_texts_share_steps(on: On) {
    let dir = fixture("tiny-encoders/qwen3");
    for device in on.devices().unwrap() {
        let name = device.info().name;
        let model = load(&dir, device, Matrices::File);
        let mut embedder = model.embedder(&EmbedOptions::default()).unwrap();
        let lengths = [1, 480, 7, 33, 200, 2, 9, 120, 480, 1, 64, 300, 17];
        let many = lengths.into_iter().chain((0..40).map(|i| 3 + i % 11));
        let text = |(i, n): (usize, usize)| (0..n).map(|t| Token(((i * 37 + t * 11) % 250) as u32)).collect();
        let texts: Vec<Vec<Token>> = many.enumerate().map(text).collect();
        let together = embedder.embed_tokens(&texts).unwrap();
        assert_eq!(together.tokens.len(), texts.len());
        let mut session = model.session().unwrap();
        let bound = 8.0 * model.config().layers as f32 * 2f32.powi(-11);
        for (text, vector) in texts.iter().zip(&together.vectors).take(20) {
            let alone = embedder.embed_tokens(std::slice::from_ref(text)).unwrap().vectors.remove(0);
            assert!(alone == *vector, "{name}: {} tokens", text.len());
            let mut last = Vec::new();
            session.hidden_states(text, &mut |_, state| last = state.to_vec()).unwrap();
            let length = last.iter().map(|v| v * v).sum::<f32>().sqrt();
            let want: Vec<f32> = last.iter().map(|v| v / length).collect();
            let worst = off(vector, &want);
            assert!(worst < bound, "{name}: {} tokens are off by {worst:e}, bound {bound:e}", text.len());
        }
        let reversed: Vec<Vec<Token>> = texts.iter().rev().cloned().collect();
        let again = embedder.embed_tokens(&reversed).unwrap();
        assert!(again.vectors.iter().rev().eq(&together.vectors), "{name}: in another order");
        // Texts differ, so a vector in another's place would show.
        assert!(off(&together.vectors[3], &together.vectors[4]) > 1e-2);
        // What is wrong with one of them is an error, and the others are read afterwards.
        let mut wrong = texts.clone();
        wrong[5] = vec![Token(320)];
        assert!(matches!(embedder.embed_tokens(&wrong), Err(Error::TokenRange { .. })));
        wrong[5].clear();
        assert!(matches!(embedder.embed_tokens(&wrong), Err(Error::EmptyText { index: 5 })));
        assert!(embedder.embed_tokens(&texts).unwrap() == together && embedder.embed_tokens(&[]).is_ok());
    }
}

/// Two tokens stand between the texts of a pair, and the classifier is RoBERTa's.
#[test]
fn a_reranker_of_another_type_scores_as_transformers() {
    let dir = fixture("tiny-encoders/xlm-roberta-reranker");
    let model = load(&dir, plain(), Matrices::File);
    assert!(model.is_reranker());
    let mut reranker = model.reranker().unwrap();
    reranker.choose_overlong(Overlong::Truncate);
    let text = std::fs::read_to_string(dir.join("reference.json")).unwrap();
    for v in serde_json::from_str::<Vec<Value>>(&text).unwrap() {
        let (query, text) = (v["query"].as_str().unwrap(), v["text"].as_str().unwrap());
        let want: Vec<u32> = serde_json::from_value(v["tokens"].clone()).unwrap();
        assert_eq!(Token::ids(&reranker.tokens(0, query, text).unwrap().0), want, "{query:?} {text:?}");
        let (got, logit) = (reranker.rerank(query, &[text]).unwrap().logits[0], v["logit"].as_f64().unwrap());
        assert!((f64::from(got) - logit).abs() < 2e-4, "{query:?} {text:?}: {got} and not {logit}");
    }
}

/// Who decides on small letters: BERT's Python classes go by `tokenizer_config.json` and their defaults, others by `tokenizer.json`;
/// sentence-transformers' switch comes before both. The tokens are those of sentence-transformers 5.1.2 with transformers 4.57.3.
#[test]
fn letters_are_made_small_as_by_sentence_transformers() {
    const TEXT: &str = " The CAT, thé 你mat\u{1c}";
    let (uncased, cased) = (vec![2, 84, 85, 78, 84, 83, 86, 3], vec![2, 1, 1, 78, 1, 83, 86, 3]);
    let accents = vec![2, 84, 85, 78, 1, 83, 86, 3];
    let together = vec![2, 84, 85, 78, 84, 83, 53, 41, 60, 3];
    let (bert, other) = ("BertTokenizer", "PreTrainedTokenizerFast");
    let no = serde_json::Value::Null;
    let json = |class: &str, more: Value| {
        let mut v = more;
        v["tokenizer_class"] = class.into();
        v
    };
    let none = || serde_json::json!({});
    // (lowercase and strip_accents of tokenizer.json, tokenizer_config.json, sentence-transformers' switch, tokens)
    let cases = [
        (false, no.clone(), Value::Null, false, &uncased),
        (false, no.clone(), none(), false, &uncased),
        (false, no.clone(), json(bert, none()), false, &uncased),
        (false, no.clone(), json("BertTokenizerFast", none()), false, &uncased),
        (true, no.clone(), json(bert, serde_json::json!({ "do_lower_case": false })), false, &cased),
        (true, no.clone(), json(bert, serde_json::json!({ "strip_accents": false })), false, &accents),
        (true, false.into(), json(bert, none()), false, &uncased),
        (
            true,
            no.clone(),
            json(bert, serde_json::json!({ "tokenize_chinese_chars": false })),
            false,
            &together,
        ),
        (true, no.clone(), json(other, serde_json::json!({ "do_lower_case": false })), false, &uncased),
        (false, no.clone(), json(other, serde_json::json!({ "do_lower_case": true })), false, &cased),
        (false, no.clone(), json(other, none()), true, &accents),
        (false, no.clone(), json(bert, serde_json::json!({ "do_lower_case": false })), true, &accents),
    ];
    for (lowercase, strip, config, lowered, want) in cases {
        let dir = copied(&fixture("tiny-bert"));
        let path = |name: &str| dir.path().join(name);
        let read = |name: &str| -> Value {
            serde_json::from_str(&std::fs::read_to_string(path(name)).unwrap()).unwrap()
        };
        let mut tokenizer = read("tokenizer.json");
        tokenizer["normalizer"]["lowercase"] = lowercase.into();
        tokenizer["normalizer"]["strip_accents"] = strip.clone();
        std::fs::write(path("tokenizer.json"), tokenizer.to_string()).unwrap();
        match &config {
            Value::Null => std::fs::remove_file(path("tokenizer_config.json")).unwrap(),
            said => std::fs::write(path("tokenizer_config.json"), said.to_string()).unwrap(),
        }
        let mut sentence = read("sentence_bert_config.json");
        sentence["do_lower_case"] = lowered.into();
        // An old name of the file.
        std::fs::remove_file(path("sentence_bert_config.json")).unwrap();
        std::fs::write(path("sentence_roberta_config.json"), sentence.to_string()).unwrap();
        let model = load(dir.path(), plain(), Matrices::File);
        let e = embedder(&model);
        assert_eq!(e.max_tokens(), 24);
        let got = Token::ids(&e.tokens(0, TEXT).unwrap()).to_vec();
        assert_eq!(&got, want, "{lowercase} {strip} {config} {lowered}");
    }
    // A switch that is none.
    let dir = copied(&fixture("tiny-bert"));
    for (file, value) in [
        ("tokenizer_config.json", serde_json::json!({ "tokenizer_class": bert, "do_lower_case": "no" })),
        ("sentence_bert_config.json", serde_json::json!({ "do_lower_case": 1 })),
    ] {
        std::fs::write(dir.path().join(file), value.to_string()).unwrap();
        let source = Source::Path(dir.path().into());
        let e = Model::load_onto(&source, plain(), &LoadOptions::default(), &mut |_| {})
            .err()
            .unwrap()
            .to_string();
        assert!(e.contains("do_lower_case"), "{e}");
    }
}

/// llama.cpp's name of a tensor, and how many parts above each other it has there.
fn in_gguf(name: &str, fused: bool) -> (String, usize) {
    let outer = match name {
        "embed.weight" => Some("token_embd.weight"),
        "positions.weight" => Some("position_embd.weight"),
        "segments.weight" => Some("token_types.weight"),
        "embed_norm.weight" => Some("token_embd_norm.weight"),
        "embed_norm.bias" => Some("token_embd_norm.bias"),
        _ => None,
    };
    if let Some(outer) = outer {
        return (outer.into(), 0);
    }
    let (layer, rest) = name.strip_prefix("layers.").unwrap().split_once('.').unwrap();
    let (module, kind) = rest.rsplit_once('.').unwrap();
    let (own, part) = match module {
        "attention.q" if fused => ("attn_qkv", 0),
        "attention.k" if fused => ("attn_qkv", 1),
        "attention.v" if fused => ("attn_qkv", 2),
        "attention.q" => ("attn_q", 0),
        "attention.k" => ("attn_k", 0),
        "attention.v" => ("attn_v", 0),
        "attention.output" => ("attn_output", 0),
        "attention_post_norm" => ("attn_output_norm", 0),
        "ffn.gate" => ("ffn_gate", 0),
        "ffn.up" => ("ffn_up", 0),
        "ffn.down" => ("ffn_down", 0),
        "ffn_post_norm" => ("layer_output_norm", 0),
        other => panic!("{other}"),
    };
    (format!("blk.{layer}.{own}.{kind}"), part)
}

/// The directory as llama.cpp's converter writes it: its keys, its names, word pieces marked where words begin.
fn as_gguf(dir: &Path, arch: &str, pooling: u32) -> Vec<u8> {
    let source = SafetensorsSource::open(dir).unwrap();
    let c = source.config();
    let t = TokenizerData::from_directory(source.directory(), c.vocab).unwrap().unwrap();
    let key = |name: &str| format!("{arch}.{name}");
    let mut w = Writer::new()
        .metadata("general.architecture", arch)
        .metadata(&key("block_count"), c.layers)
        .metadata(&key("context_length"), c.context)
        .metadata(&key("embedding_length"), c.hidden)
        .metadata(&key("feed_forward_length"), c.ffn)
        .metadata(&key("attention.head_count"), c.heads)
        .metadata(&key("attention.layer_norm_epsilon"), c.norm_eps)
        .metadata(&key("attention.causal"), false)
        .metadata(&key("pooling_type"), pooling);
    if arch == "nomic-bert" {
        w = w.metadata(&key("rope.freq_base"), c.rope.base);
    }
    let marked = |text: &String| match text.strip_prefix("##") {
        Some(goes_on) => goes_on.to_owned(),
        None if text.starts_with('[') && text.len() > 2 => text.clone(),
        None => format!("\u{2581}{text}"),
    };
    let types = t.tokens.iter().map(|text| if text.starts_with('[') && text.len() > 2 { 3 } else { 1 });
    let id = |text: &str| t.tokens.iter().position(|own| own == text).unwrap() as u32;
    w = w
        .metadata("tokenizer.ggml.model", "bert")
        .metadata("tokenizer.ggml.pre", "default")
        .metadata("tokenizer.ggml.tokens", MetadataValue::strings(t.tokens.iter().map(marked)))
        .metadata("tokenizer.ggml.token_type", MetadataValue::i32s(types))
        .metadata("tokenizer.ggml.cls_token_id", id("[CLS]"))
        .metadata("tokenizer.ggml.seperator_token_id", id("[SEP]"))
        .metadata("tokenizer.ggml.unknown_token_id", id("[UNK]"));
    let mut parts: Vec<(String, usize, &TensorInfo)> = Vec::new();
    for tensor in source.tensors() {
        let (name, part) = in_gguf(&tensor.name, arch == "nomic-bert");
        parts.push((name, part, tensor));
    }
    parts.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    let mut data: Vec<Vec<u8>> = Vec::new();
    for run in parts.chunk_by(|a, b| a.0 == b.0) {
        let rows = run.iter().map(|p| p.2.rows).sum();
        let whole = TensorInfo { rows, ..run[0].2.clone() };
        w = w.tensor(&run[0].0, &dims(&whole, c), whole.dtype);
        let mut bytes = Vec::new();
        for (_, _, tensor) in run {
            let at = bytes.len();
            bytes.resize(at + tensor.bytes as usize, 0);
            source.read(tensor, 0, &mut bytes[at..]).unwrap();
        }
        data.push(bytes);
    }
    w.to_bytes(data).unwrap()
}

/// The same weights from both kinds of file: the same tokens and, to the bit, the same vectors.
#[test]
fn gguf_files_give_their_directories_vectors() {
    let out = tempfile::tempdir().unwrap();
    for (dir, arch) in [
        ("tiny-bert", "bert"),
        ("tiny-encoders/distilbert", "bert"),
        ("tiny-encoders/nomic-bert", "nomic-bert"),
    ] {
        let dir = fixture(dir);
        let file = out.path().join(format!("{}.gguf", name(&dir)));
        std::fs::write(&file, as_gguf(&dir, arch, 1)).unwrap();
        assert_eq!(GgufSource::open(&file).unwrap().unmapped(), &[] as &[String]);
        let (a, b) = (load(&dir, plain(), Matrices::File), load(&file, plain(), Matrices::File));
        let (mut a, mut b) = (embedder(&a), embedder(&b));
        for (text, ..) in reference(&dir) {
            let (of_directory, of_file) = (a.tokens(0, &text).unwrap(), b.tokens(0, &text).unwrap());
            // (A file knows nothing of sentence-transformers' limit.)
            if of_file.len() == of_directory.len() {
                assert_eq!(of_directory, of_file, "{text:?}");
                let (x, y) = (a.embed(&[&text]).unwrap().vectors, b.embed(&[&text]).unwrap().vectors);
                assert!(x == y, "{} {text:?}", name(&dir));
            }
        }
    }
    // Another pooling is another vector; one that is not known is refused, and so is a mask that looks back only.
    let dir = fixture("tiny-encoders/nomic-bert");
    let file = out.path().join("other.gguf");
    std::fs::write(&file, as_gguf(&dir, "nomic-bert", 2)).unwrap();
    let (a, b) = (load(&dir, plain(), Matrices::File), load(&file, plain(), Matrices::File));
    let [x, y] = [a, b].map(|m| embedder(&m).embed(&["the cat sat"]).unwrap().vectors.remove(0));
    assert!(off(&x, &y) > 1e-2);
    std::fs::write(&file, as_gguf(&dir, "nomic-bert", 9)).unwrap();
    let e = GgufSource::open(&file).unwrap_err().to_string();
    assert!(e.contains("pooling_type"), "{e}");
}

/// The directory as `akunu convert` writes it, with the values that it has.
fn converted(dir: &Path, out: &Path) -> Result<(), akunu::files::ModelError> {
    let source = SafetensorsSource::open(dir).unwrap();
    let tokenizer = TokenizerData::from_directory(source.directory(), source.config().vocab).unwrap();
    let input = Input::new(&source, dir, tokenizer.as_ref());
    let recipe = Recipe::parse("f16").unwrap();
    let options = Options { recipe, requantize: Requantize::Refuse, threads: 2 };
    convert(&input, out, &options, &mut |_| ControlFlow::Continue(())).map(|made| assert!(made.is_some()))
}

/// A copy of a directory with other values in its JSON files.
fn changed(dir: &str, changes: &[(&str, &str, Value)]) -> tempfile::TempDir {
    let dir = copied(&fixture(dir));
    for (file, field, value) in changes {
        let path = dir.path().join(file);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|_| "{}".into());
        let mut v: Value = serde_json::from_str(&text).unwrap();
        *v.pointer_mut(field).unwrap() = value.clone();
        std::fs::write(path, v.to_string()).unwrap();
    }
    dir
}

/// Word pieces, unigram and byte-level models; positions that do not begin with the first row; a decoder; what sentence-transformers' files
/// say. The same tokens and, to the bit, the same vectors.
#[test]
fn what_convert_writes_gives_its_directorys_vectors() {
    let lasttoken =
        |dir| changed(dir, &[("1_Pooling/config.json", "", json!({ "pooling_mode": "lasttoken" }))]);
    let dirs = [
        ("tiny-bert", copied(&fixture("tiny-bert"))),
        ("distilbert", copied(&fixture("tiny-encoders/distilbert"))),
        ("nomic-bert", copied(&fixture("tiny-encoders/nomic-bert"))),
        ("roberta", copied(&fixture("tiny-encoders/roberta"))),
        ("xlm-roberta", copied(&fixture("tiny-encoders/xlm-roberta"))),
        ("qwen3", copied(&fixture("tiny-encoders/qwen3"))),
        ("last token", lasttoken("tiny-encoders/xlm-roberta")),
        ("cased", changed("tiny-bert", &[("tokenizer_config.json", "/do_lower_case", json!(false))])),
        (
            "lowered, not normalized, prompted",
            changed(
                "tiny-bert",
                &[
                    ("tokenizer_config.json", "/do_lower_case", json!(false)),
                    ("sentence_bert_config.json", "/do_lower_case", json!(true)),
                    ("modules.json", "/2/type", json!("sentence_transformers.models.Transformer")),
                    ("modules.json", "/2/path", json!("")),
                    ("config_sentence_transformers.json", "/default_prompt_name", json!("query")),
                ],
            ),
        ),
    ];
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("model.gguf");
    for (what, dir) in &dirs {
        converted(dir.path(), &file).unwrap();
        assert_eq!(GgufSource::open(&file).unwrap().unmapped(), &[] as &[String], "{what}");
        let (a, b) = (load(dir.path(), plain(), Matrices::File), load(&file, plain(), Matrices::File));
        let said = |m: &Model| {
            let e = m.config().encoder.clone().unwrap();
            EncoderConfig { positions: e.positions - e.first_position, first_position: 0, ..e }
        };
        assert_eq!(said(&a), said(&b), "{what}");
        let (mut a, mut b) = (embedder(&a), embedder(&b));
        let mut texts: Vec<String> = reference(dir.path()).into_iter().map(|r| r.0).collect();
        texts.extend(["</s> <s> [SEP]", "ÉCOLE <unk> \u{FDD0}0"].map(Into::into));
        for text in texts {
            assert_eq!(a.tokens(0, &text).unwrap(), b.tokens(0, &text).unwrap(), "{what} {text:?}");
            let (x, y) = (a.embed(&[&text]).unwrap().vectors, b.embed(&[&text]).unwrap().vectors);
            assert!(x == y, "{what} {text:?}");
        }
    }
}

/// The name of a control token in a text is text: a unigram model, whose pieces hold such names, makes other tokens of it.
#[test]
fn a_unigram_models_control_tokens_do_not_come_from_text() {
    let model = load(&fixture("tiny-encoders/xlm-roberta"), plain(), Matrices::File);
    let e = embedder(&model);
    for text in ["<s>", "a</s>b", "<pad> <s>", "\u{FDD0}0", "\u{FDD0}2 x"] {
        let tokens = Token::ids(&e.tokens(0, text).unwrap()).to_vec();
        let inside = &tokens[1..tokens.len() - 1];
        assert_eq!((tokens[0], tokens[tokens.len() - 1]), (0, 2));
        assert!(inside.iter().all(|t| ![0, 1, 2].contains(t)), "{text:?}: {tokens:?}");
    }
}

/// What would be another model for a reader of the file is not written, and the message names it.
#[test]
fn what_a_file_cannot_say_is_not_converted() {
    let normalizer = "/normalizer/normalizers/1";
    let cut = json!({ "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true });
    let pieces = |field: &str| changed("tiny-bert", &[("tokenizer.json", field, json!(false))]);
    for (said, dir) in [
        ("modern-bert", copied(&fixture("tiny-encoders/modernbert"))),
        ("relative_attention_bias", copied(&fixture("tiny-encoders/mpnet"))),
        ("classifier", copied(&fixture("tiny-encoders/xlm-roberta-reranker"))),
        (
            "Lowercase",
            changed(
                "tiny-encoders/xlm-roberta",
                &[("tokenizer.json", normalizer, json!({ "type": "Lowercase" }))],
            ),
        ),
        ("white space", changed("tiny-encoders/xlm-roberta", &[("tokenizer.json", "/pre_tokenizer", cut)])),
        ("control characters", pieces("/normalizer/clean_text")),
    ] {
        let out = tempfile::tempdir().unwrap();
        let file = out.path().join("model.gguf");
        let e = converted(dir.path(), &file).unwrap_err().to_string();
        assert!(e.contains(said), "{e}");
        assert!(!file.exists());
    }
}

/// Each entry that says how texts become vectors or tokens, broken: an error that names it.
#[test]
fn broken_entries_of_a_file_are_named() {
    let out = tempfile::tempdir().unwrap();
    let (good, bad) = (out.path().join("good.gguf"), out.path().join("bad.gguf"));
    let dir = changed(
        "tiny-encoders/xlm-roberta",
        &[("1_Pooling/config.json", "", json!({ "pooling_mode": "mean" }))],
    );
    converted(dir.path(), &good).unwrap();
    let source = GgufSource::open(&good).unwrap();
    let with = |key: &str, value: Option<MetadataValue>| {
        let mut w = Writer::new();
        for (k, v) in source.file().metadata().filter(|(k, _)| *k != key) {
            w = w.metadata(k, MetadataValue::of(&v).unwrap());
        }
        if let Some(value) = value {
            w = w.metadata(key, value);
        }
        std::fs::write(&bad, w.to_bytes(Vec::<Vec<u8>>::new()).unwrap()).unwrap();
        let opened = GgufSource::open(&bad).map_err(|e| e.to_string())?;
        TokenizerData::from_gguf(opened.file()).map(|_| ()).map_err(|e| e.to_string())
    };
    with("akunu.other", Some(1u32.into())).unwrap();
    // As llama.cpp's converter has it where it reads `tokenizer.json`: the same tokens.
    let tokens = |path: &Path| {
        let file = GgufSource::open(path).unwrap();
        let t = Tokenizer::from_gguf(file.file()).unwrap().unwrap();
        t.encode("  many   blanks\tand lines ", Specials::AsText).unwrap()
    };
    with("tokenizer.ggml.add_space_prefix", Some(false.into())).unwrap();
    assert_eq!(tokens(&bad), tokens(&good));
    let ggml = |name: &str| format!("tokenizer.ggml.{name}");
    let cases: [(String, Option<MetadataValue>); 14] = [
        ("bert.pooling_type".into(), Some(4u32.into())),
        ("bert.attention.causal".into(), Some(true.into())),
        ("akunu.vectors.max_tokens".into(), Some(0u32.into())),
        ("akunu.vectors.max_tokens".into(), Some("many".into())),
        ("akunu.vectors.normalized".into(), Some(1u32.into())),
        ("akunu.vectors.prompts".into(), Some(MetadataValue::strings(["a", "b"]))),
        (ggml("scores"), None),
        (ggml("add_space_prefix"), Some("no".into())),
        (ggml("remove_extra_whitespaces"), Some(0u32.into())),
        (ggml("precompiled_charsmap"), Some(MetadataValue::u8s([255; 12]))),
        (ggml("precompiled_charsmap"), Some(MetadataValue::i32s([0, 1000]))),
        (ggml("precompiled_charsmap"), Some("AAAA".into())),
        (ggml("precompiled_charsmap"), Some(MetadataValue::u8s(vec![0; (1 << 24) + 1]))),
        (ggml("unknown_token_id"), Some(100_000u32.into())),
    ];
    for (key, value) in cases {
        let e = with(&key, value.clone()).expect_err(&key);
        assert!(e.contains(&key), "{key} as {value:?}: {e}");
    }
}

/// A field that changes what is computed refuses the directory, and the message names it.
#[test]
fn what_is_not_computed_is_refused() {
    for (directory, field, value) in [
        ("nomic-bert", "prenorm", serde_json::json!(true)),
        ("nomic-bert", "rotary_scaling_factor", serde_json::json!(2.0)),
        ("nomic-bert", "rotary_emb_fraction", serde_json::json!(0.5)),
        ("nomic-bert", "activation_function", serde_json::json!("gelu")),
        ("nomic-bert", "qkv_proj_bias", serde_json::json!(true)),
        ("modernbert", "attention_bias", serde_json::json!(true)),
        ("modernbert", "global_attn_every_n_layers", serde_json::json!(0)),
        ("modernbert", "hidden_activation", serde_json::json!("silu")),
        ("distilbert", "activation", serde_json::json!("relu")),
        ("distilbert", "architectures", serde_json::json!(["DistilBertForSequenceClassification"])),
        ("xlm-roberta", "position_embedding_type", serde_json::json!("relative_key")),
        ("xlm-roberta", "pad_token_id", serde_json::json!(4000)),
        ("mpnet", "relative_attention_num_buckets", serde_json::json!(31)),
    ] {
        let dir = copied(&fixture(&format!("tiny-encoders/{directory}")));
        let path = dir.path().join("config.json");
        let mut config: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        config[field] = value;
        std::fs::write(&path, config.to_string()).unwrap();
        let options = LoadOptions::default();
        let source = Source::Path(dir.path().into());
        let e = Model::load_onto(&source, plain(), &options, &mut |_| {}).err();
        let e = e.unwrap_or_else(|| panic!("{directory} with another {field} is taken")).to_string();
        // (Another count of buckets contradicts the table first.)
        let named = if field == "relative_attention_num_buckets" {
            "32 x 2"
        } else if field == "pad_token_id" {
            "max_position_embeddings"
        } else {
            field
        };
        assert!(e.contains(named), "{directory} {field}: {e}");
    }
    // A prompt that the mean leaves out.
    let dir = copied(&fixture("tiny-encoders/nomic-bert"));
    let pooling = r#"{"pooling_mode_mean_tokens": true, "include_prompt": false}"#;
    std::fs::write(dir.path().join("1_Pooling/config.json"), pooling).unwrap();
    let e = SafetensorsSource::open(dir.path()).unwrap_err().to_string();
    assert!(e.contains("include_prompt"), "{e}");
}

/// A directory with its folders, one deep.
fn copied(from: &Path) -> tempfile::TempDir {
    let to = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let at = to.path().join(entry.file_name());
        if entry.path().is_dir() {
            std::fs::create_dir(&at).unwrap();
            for file in std::fs::read_dir(entry.path()).unwrap().map(Result::unwrap) {
                std::fs::copy(file.path(), at.join(file.file_name())).unwrap();
            }
        } else {
            std::fs::copy(entry.path(), at).unwrap();
        }
    }
    to
}
