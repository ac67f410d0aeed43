//! Token ids against the vectors of the llama.cpp vocabularies and against transformers.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu_model::gguf::GgufFile;
use akunu_model::tokenizer::{Bos, Specials, Token, TokenType, Tokenizer, TokenizerError};
use std::collections::HashMap;
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
    "bert-bge",
];

/// Vocabularies of kinds that this build does not have, and says so.
const OTHER_KINDS: &[&str] = &["gemma-4"];

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
            let want: Vec<Token> = want.split_whitespace().map(|w| Token(w.parse().unwrap())).collect();
            let got = t.encode_with(text, Specials::AsText, Bos::Never).unwrap();
            if got != want {
                failures.push(format!("{name}: {text:?}\n  got  {got:?}\n  want {want:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{} differ\n{}", failures.len(), failures.join("\n"));
}

/// Whatever a text says, only [`Specials::Parse`] makes control tokens of it.
#[test]
#[ignore = "needs tools/fetch-vocabs.sh"]
fn real_control_tokens_never_come_from_plain_text() {
    for name in FAMILIES {
        let t = open(&vocab(name));
        let control: Vec<Token> =
            (0..t.vocab_len() as u32).map(Token).filter(|id| t.is_control(*id)).collect();
        assert!(!control.is_empty(), "{name}");
        for id in control {
            let text = t.token_text(id).unwrap();
            let ids = t.encode_with(text, Specials::AsText, Bos::Never).unwrap();
            let made = ids.iter().find(|i| t.is_control(**i) && Some(**i) != t.data().unk);
            assert_eq!(made, None, "{name}: {text:?} gives {ids:?}");
        }
    }
}

/// SentencePiece by its definition, in quadratic time: join the best-scored neighbours until none can be joined.
fn sentence_piece(t: &Tokenizer, ids: &HashMap<&str, Token>, text: &str) -> Vec<Token> {
    let mut parts: Vec<String> =
        format!(" {text}").replace(' ', "\u{2581}").chars().map(String::from).collect();
    loop {
        let score = |at: usize| Some(t.data().scores[ids.get(parts[at..at + 2].concat().as_str())?.index()]);
        let joins = (0..parts.len().saturating_sub(1)).filter_map(|at| Some((at, score(at)?)));
        let best = joins.reduce(|best, join| if join.1 > best.1 { join } else { best });
        let Some((at, _)) = best else { break };
        let right = parts.remove(at + 1);
        parts[at].push_str(&right);
    }
    let byte = |b: u8| {
        (0..t.vocab_len() as u32)
            .map(Token)
            .find(|i| t.token_text(*i) == Some(&format!("<0x{b:02X}>")))
            .unwrap()
    };
    let token =
        |p: &String| ids.get(p.as_str()).map_or_else(|| p.bytes().map(byte).collect(), |id| vec![*id]);
    parts.iter().flat_map(token).collect()
}

#[test]
#[ignore = "needs tools/fetch-vocabs.sh"]
fn real_sentence_piece_follows_its_definition() {
    let samples = std::fs::read_to_string(format!("{}.inp", vocab("llama-spm").display())).unwrap();
    let prose = "Ünïcödé naïve déjà-vu; aaaaaaaaaaaaaaa ........ ======== 1000000 the therethen  in  internationally\t\n\n";
    for name in ["llama-spm", "phi-3", "baichuan"] {
        let t = open(&vocab(name));
        let ids: HashMap<&str, Token> = (0..t.vocab_len() as u32)
            .map(Token)
            .filter(|id| matches!(t.data().types[id.index()], TokenType::Normal | TokenType::UserDefined))
            .map(|id| (t.token_text(id).unwrap(), id))
            .collect();
        for text in samples.split("\n__ggml_vocab_test__\n").chain([prose]).filter(|s| !s.is_empty()) {
            let got = t.encode_with(text, Specials::AsText, Bos::Never).unwrap();
            assert_eq!(got, sentence_piece(&t, &ids, text), "{name}: {text:?}");
            assert_eq!(t.decode(&got), text, "{name}");
        }
    }
}

#[test]
#[ignore = "needs tools/fetch-vocabs.sh"]
fn real_vocabularies_without_a_pre_tokenizer_are_refused() {
    for name in ["aquila", "gpt-neox"] {
        let e = Tokenizer::from_gguf(&GgufFile::open(&vocab(name)).unwrap()).unwrap_err();
        assert!(matches!(e, TokenizerError::UnknownPre { .. }), "{name}: {e}");
    }
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

/// XLM-R's vocabulary, and its ids of this text.
#[test]
#[ignore = "needs tools/fetch-vocabs.sh"]
fn a_real_unigram_vocabulary_is_read() {
    let t = open(&vocab("nomic-bert-moe"));
    let ids = t.encode_with("Hello world!", Specials::AsText, Bos::Never).unwrap();
    assert_eq!(ids, [35378, 8999, 38].map(Token));
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
        let want: Vec<Token> =
            c["ids"].as_array().unwrap().iter().map(|v| Token(v.as_u64().unwrap() as u32)).collect();
        assert_eq!(t.encode(text, Specials::AsText).unwrap(), want, "{text:?}");
        assert_eq!(t.decode(&want), text);
    }
    assert_eq!(t.encode("<|im_start|>", Specials::Parse).unwrap(), [Token(1)]);
    assert!(t.encode("<|im_start|>", Specials::AsText).unwrap().len() > 1);
    assert!(t.eos_ids().contains(&Token(2)));
}
