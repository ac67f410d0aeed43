//! Tokenizers from `tokenizer.json` against the `tokenizers` library on the same file, and against GGUF vocabularies.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu_model::gguf::GgufFile;
use akunu_model::tokenizer::{Bos, Specials, Token, Tokenizer, TokenizerError};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn cache_dir() -> PathBuf {
    let var = |n: &str| std::env::var_os(n).filter(|v| !v.is_empty()).map(PathBuf::from);
    var("AKUNU_CACHE")
        .or_else(|| Some(var("XDG_CACHE_HOME")?.join("akunu")))
        .or_else(|| Some(var("HOME")?.join(".cache/akunu")))
        .unwrap()
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)
}

/// The recorded sample: texts, and their ids by model.
fn sample() -> Value {
    serde_json::from_str(&std::fs::read_to_string(fixture("tokenizers.json")).unwrap()).unwrap()
}

fn texts(sample: &Value) -> Vec<&str> {
    sample["texts"].as_array().unwrap().iter().map(|t| t.as_str().unwrap()).collect()
}

fn ids(v: &Value) -> Vec<Token> {
    v.as_array().unwrap().iter().map(|t| Token(t.as_u64().unwrap() as u32)).collect()
}

fn encode(t: &Tokenizer, text: &str) -> Vec<Token> {
    t.encode_with(text, Specials::Parse, Bos::Never).unwrap()
}

fn real(name: &str) -> Tokenizer {
    Tokenizer::from_json_file(&cache_dir().join("tokenizers").join(name).join("tokenizer.json")).unwrap()
}

#[test]
#[ignore = "needs tools/fetch-tokenizers.sh"]
fn real_npm_tokenizers_agree_with_the_library() {
    let sample = sample();
    let mut failures = Vec::new();
    for (name, entries) in [("qwen3", 151_669), ("gemma3", 262_145), ("llama3", 128_256)] {
        let t = real(name);
        assert_eq!(t.vocab_len(), entries, "{name}");
        for (text, want) in texts(&sample).into_iter().zip(sample[name].as_array().unwrap()) {
            let (got, want) = (encode(&t, text), ids(want));
            if got != want {
                failures.push(format!("{name}: {text:?}\n  got  {got:?}\n  want {want:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{} differ\n{}", failures.len(), failures.join("\n"));
}

#[test]
#[ignore = "needs tools/fetch-tokenizers.sh"]
fn real_npm_tokenizers_know_their_special_tokens() {
    let turn = |name: &str, end: &str| {
        let t = real(name);
        let [id] = encode(&t, end)[..] else { panic!("{name}: {end} is no token") };
        assert!(t.is_control(id) && t.eos_ids().contains(&id), "{name}");
        assert!(encode(&t, "x").iter().all(|i| !t.is_control(*i)));
        let plain = t.encode_with(end, Specials::AsText, Bos::Never).unwrap();
        assert!(plain.len() > 1, "{name}: {plain:?}");
        assert!(t.data().chat_template.is_some(), "{name}");
        t
    };
    turn("qwen3", "<|im_end|>");
    turn("llama3", "<|end_of_text|>");
    let gemma = turn("gemma3", "<end_of_turn>");
    assert_eq!(gemma.encode("a", Specials::Parse).unwrap()[0], Token(2));
    for text in ["a  b", " lead", "naïve 中文 🦙\n"] {
        assert_eq!(gemma.decode(&encode(&gemma, text)), text);
    }
}

/// Both sources of one vocabulary give the same tokens.
#[test]
#[ignore = "needs tools/fetch-tokenizers.sh and tools/fetch-vocabs.sh"]
fn real_npm_tokenizers_agree_with_gguf_vocabularies() {
    let sample = sample();
    for (name, vocab, shared) in [("llama3", "llama-bpe", 128_256), ("qwen3", "qwen2", 151_646)] {
        let path = cache_dir().join(format!("vocabs/ggml-vocab-{vocab}.gguf"));
        let gguf = Tokenizer::from_gguf(&GgufFile::open(&path).unwrap()).unwrap().unwrap();
        let json = real(name);
        for id in 0..shared {
            assert_eq!(json.token_text(Token(id)), gguf.token_text(Token(id)), "{name} {id}");
            assert_eq!(json.token_bytes(Token(id)), gguf.token_bytes(Token(id)), "{name} {id}");
            assert_eq!(json.is_control(Token(id)), gguf.is_control(Token(id)), "{name} {id}");
        }
        for text in texts(&sample) {
            let both = [&json, &gguf].map(|t| t.encode_with(text, Specials::AsText, Bos::Never).unwrap());
            // Tokens that only the newer vocabulary added.
            if both[0].iter().all(|id| *id < Token(shared)) {
                assert_eq!(both[0], both[1], "{name}: {text:?}");
            }
        }
    }
}

/// A tokenizer as Llama 2's converters write it: spaces marked, bytes where there is no token.
fn marked() -> Value {
    let mut vocab = serde_json::Map::new();
    for (i, t) in ["<unk>", "<s>", "</s>"].into_iter().enumerate() {
        vocab.insert(t.into(), json!(i));
    }
    for b in 0..256 {
        vocab.insert(format!("<0x{b:02X}>"), json!(3 + b));
    }
    for t in ["▁", "a", "b", "c", "ab", "▁a", "▁ab", "abc", "▁▁", "<", "bc"] {
        vocab.insert(t.into(), json!(vocab.len()));
    }
    vocab.insert("<|end|>".into(), json!(vocab.len()));
    let end = vocab["<|end|>"].clone();
    json!({
        "version": "1.0",
        "added_tokens": [
            added(0, "<unk>"), added(1, "<s>"), added(2, "</s>"),
            { "id": end, "content": "<|end|>", "single_word": false, "lstrip": false, "rstrip": true,
              "normalized": false, "special": true },
        ],
        "normalizer": { "type": "Sequence", "normalizers": [
            { "type": "Prepend", "prepend": "▁" },
            { "type": "Replace", "pattern": { "String": " " }, "content": "▁" } ] },
        "pre_tokenizer": null,
        "post_processor": { "type": "TemplateProcessing",
            "single": [ { "SpecialToken": { "id": "<s>", "type_id": 0 } }, { "Sequence": { "id": "A", "type_id": 0 } } ],
            "pair": [ { "Sequence": { "id": "A", "type_id": 0 } }, { "Sequence": { "id": "B", "type_id": 1 } } ],
            "special_tokens": { "<s>": { "id": "<s>", "ids": [1], "tokens": ["<s>"] } } },
        "decoder": null,
        "model": { "type": "BPE", "dropout": null, "unk_token": "<unk>", "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": true, "byte_fallback": true, "ignore_merges": false,
            "vocab": vocab, "merges": ["a b", "▁ a", "b c", "▁ ab", "ab c", "▁ ▁"] },
    })
}

fn added(id: u32, text: &str) -> Value {
    json!({ "id": id, "content": text, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
            "special": true })
}

fn build(json: &Value) -> Result<Tokenizer, TokenizerError> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tokenizer.json");
    std::fs::write(&path, json.to_string()).unwrap();
    Tokenizer::from_json_file(&path)
}

const SAMPLES: &[&str] = &[
    "",
    " ",
    "  ",
    "a",
    "ab",
    " ab",
    "ab ab",
    "  ab  ",
    "abc cab",
    "é🦙",
    "<s>ab",
    "ab<|end|>  \n ab",
    "<|end|>",
    "<|end",
    "ab</s> ab<s>",
    "x\u{2581}ab",
    "▁ab",
    "\n",
    "aaaaabbbbbcccccabcabcab",
];

/// The library itself is the oracle.
fn agrees(json: &Value) {
    let ours = build(json).unwrap();
    let theirs = tokenizers::Tokenizer::from_bytes(json.to_string()).unwrap();
    for text in SAMPLES {
        let want = theirs.encode(*text, true).unwrap();
        let got = ours.encode(text, Specials::Parse).unwrap();
        // Ours never puts a second BOS before the text's own; a text without any token has none of ours.
        let mut want = Token::from_ids(want.get_ids()).to_vec();
        if want.starts_with(&[Token(1), Token(1)]) {
            want.remove(0);
        }
        assert_eq!(got, want, "{text:?} with {}", json["normalizer"]);
    }
}

#[test]
fn marked_tokenizers_agree_with_the_library() {
    agrees(&marked());
    for scheme in ["first", "always", "never"] {
        let mut metaspace = marked();
        metaspace["normalizer"] = Value::Null;
        metaspace["pre_tokenizer"] =
            json!({ "type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": false });
        agrees(&metaspace);
    }
    let mut gemma = marked();
    gemma["normalizer"] = json!({ "type": "Replace", "pattern": { "String": " " }, "content": "▁" });
    gemma["pre_tokenizer"] = json!({ "type": "Split", "pattern": { "String": " " }, "behavior": "MergedWithPrevious",
                                     "invert": false });
    agrees(&gemma);
}

#[test]
fn byte_level_tokenizers_agree_with_the_library() {
    let path = fixture("tiny-llama/tokenizer.json");
    let json: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let ours = Tokenizer::from_json_file(&path).unwrap();
    let theirs = tokenizers::Tokenizer::from_file(&path).unwrap();
    let sample = sample();
    for text in texts(&sample) {
        assert_eq!(
            Token::ids(&encode(&ours, text)),
            theirs.encode(text, false).unwrap().get_ids(),
            "{text:?}"
        );
    }
    // Composed letters, where the file asks for them.
    let mut nfc = json;
    nfc["normalizer"] = json!({ "type": "NFC" });
    let (ours, theirs) = (build(&nfc).unwrap(), tokenizers::Tokenizer::from_bytes(nfc.to_string()).unwrap());
    for text in texts(&sample) {
        assert_eq!(
            Token::ids(&encode(&ours, text)),
            theirs.encode(text, false).unwrap().get_ids(),
            "{text:?}"
        );
    }
    assert_eq!(encode(&ours, "e\u{301}"), encode(&ours, "é"));
}

#[test]
fn steps_that_are_not_known_are_refused() {
    for (place, value) in [
        ("normalizer", json!({ "type": "Lowercase" })),
        ("normalizer", json!({ "type": "Prepend", "prepend": "x" })),
        ("pre_tokenizer", json!({ "type": "Whitespace" })),
        ("pre_tokenizer", json!({ "type": "Metaspace", "replacement": "▁", "split": true })),
        ("pre_tokenizer", json!({ "type": "Split", "pattern": { "Regex": "x" }, "behavior": "Removed" })),
        ("post_processor", json!({ "type": "BertProcessing" })),
    ] {
        let mut json = marked();
        json[place] = value.clone();
        let e = build(&json).unwrap_err().to_string();
        assert!(e.contains(place) && e.contains(value["type"].as_str().unwrap()), "{e}");
    }
    let mut other = marked();
    other["model"]["type"] = json!("WordLevel");
    assert!(matches!(build(&other).unwrap_err(), TokenizerError::UnknownModel { .. }));
    // A list of merges is no unigram model.
    other["model"]["type"] = json!("Unigram");
    assert!(matches!(build(&other).unwrap_err(), TokenizerError::Json { .. }));
}

#[test]
fn broken_files_are_errors() {
    for (pointer, value) in [
        ("/model/vocab", json!([["a", 0.0]])),
        ("/model/vocab/a", json!(-1)),
        ("/model/vocab/a", json!(0)),
        ("/model/vocab/a", json!(4_000_000_000u64)),
        ("/model/vocab/a", json!(10_000_000)),
        ("/model/vocab/a", json!(u64::MAX)),
        ("/model/vocab/a", json!(u64::MAX - 1)),
        ("/model/vocab/a", json!(1u64 << 63)),
        ("/model/vocab/a", json!(1.5)),
        ("/added_tokens/0/id", json!(u32::MAX - 1)),
        ("/added_tokens/0/id", json!(u64::MAX)),
        ("/model/merges/0", json!("a q")),
        ("/model/merges/0", json!("ab")),
        ("/model/merges/0", json!(7)),
        ("/added_tokens/0/id", json!("x")),
        ("/model", Value::Null),
    ] {
        let mut json = marked();
        *json.pointer_mut(pointer).unwrap() = value.clone();
        assert!(build(&json).is_err(), "{pointer} = {value}");
    }
    let mut json = marked();
    json["model"]["vocab"]["a"] = json!(u64::MAX);
    let e = build(&json).unwrap_err().to_string();
    assert!(e.contains("`a`") && e.contains("18446744073709551615"), "{e}");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tokenizer.json");
    assert!(Tokenizer::from_json_file(&path).is_err());
    std::fs::write(&path, "{").unwrap();
    assert!(Tokenizer::from_json_file(&path).is_err());
}
