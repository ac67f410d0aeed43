//! Token ids against the vectors of the llama.cpp vocabularies and against transformers.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu_model::gguf::GgufFile;
use akunu_model::tokenizer::{Bos, Specials, Tokenizer, TokenizerError};
use std::path::PathBuf;
use std::time::Instant;

/// Families whose vectors must agree.
const FAMILIES: &[&str] = &[
    "llama-bpe",
    "gpt-2",
    "qwen2",
    "llama-spm",
    "qwen35",
    "falcon",
    "mpt",
    "refact",
    "starcoder",
    "command-r",
    "deepseek-coder",
    "deepseek-llm",
    "phi-3",
];

/// Vocabularies of kinds that this build does not have, and says so.
const OTHER_KINDS: &[&str] = &["bert-bge", "gemma-4", "nomic-bert-moe"];

fn cache_dir() -> PathBuf {
    let var = |n: &str| std::env::var_os(n).filter(|v| !v.is_empty()).map(PathBuf::from);
    var("AKUNU_CACHE")
        .or_else(|| Some(var("XDG_CACHE_HOME")?.join("akunu")))
        .or_else(|| Some(var("HOME")?.join(".cache/akunu")))
        .unwrap()
}

fn vocab(name: &str) -> PathBuf {
    cache_dir().join(format!("vocabs/ggml-vocab-{name}.gguf"))
}

fn open(path: &std::path::Path) -> Tokenizer {
    Tokenizer::from_gguf(&GgufFile::open(path).unwrap()).unwrap().unwrap()
}

#[test]
#[ignore = "needs tools/fetch-vocabs.sh"]
fn real_vocabularies_give_their_vectors() {
    let mut failures = Vec::new();
    for name in FAMILIES {
        let start = Instant::now();
        let t = open(&vocab(name));
        println!("{name}: {} tokens built in {:?}", t.vocab_len(), start.elapsed());
        let side = |ext: &str| std::fs::read_to_string(format!("{}{ext}", vocab(name).display())).unwrap();
        let (inputs, outputs) = (side(".inp"), side(".out"));
        let outputs: Vec<&str> = outputs.lines().collect();
        let inputs: Vec<&str> = inputs.split("\n__ggml_vocab_test__\n").collect();
        assert!(outputs.len() >= 40 && inputs.len() >= outputs.len(), "{name}: {} vectors", outputs.len());
        for (text, want) in inputs.iter().zip(outputs) {
            let want: Vec<u32> = want.split_whitespace().map(|w| w.parse().unwrap()).collect();
            let got = t.encode_with(text, Specials::AsText, Bos::Never).unwrap();
            if got != want {
                failures.push(format!("{name}: {text:?}\n  got  {got:?}\n  want {want:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{} differ\n{}", failures.len(), failures.join("\n"));
}

#[test]
#[ignore = "needs tools/fetch-vocabs.sh"]
fn real_vocabularies_of_other_kinds_are_refused_by_name() {
    for name in OTHER_KINDS {
        let file = GgufFile::open(&vocab(name)).unwrap();
        let e = Tokenizer::from_gguf(&file).unwrap_err();
        assert!(matches!(e, TokenizerError::UnknownModel { .. }), "{name}: {e}");
    }
}

#[test]
#[ignore = "needs tools/fetch-model.sh"]
fn real_smollm2_agrees_with_transformers() {
    let t = open(&cache_dir().join("models/SmolLM2-135M-Instruct.Q4_1.gguf"));
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/oracle/smollm_tokens.json");
    let cases: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(fixture).unwrap()).unwrap();
    let cases = cases.as_array().unwrap();
    assert!(cases.len() > 100);
    for c in cases {
        let text = c["text"].as_str().unwrap();
        let want: Vec<u32> =
            c["ids"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as u32).collect();
        assert_eq!(t.encode(text, Specials::AsText).unwrap(), want, "{text:?}");
        assert_eq!(t.decode(&want), text);
    }
    assert_eq!(t.encode("<|im_start|>", Specials::Parse).unwrap(), [1]);
    assert!(t.encode("<|im_start|>", Specials::AsText).unwrap().len() > 1);
    assert!(t.eos_ids().contains(&2));
}
