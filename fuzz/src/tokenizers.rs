//! The tokenizers that targets use, and what must hold for any.

use crate::Folder;
use akunu_model::gguf::GgufFile;
use akunu_model::tokenizer::{Bos, Detokenizer, Specials, Token, Tokenizer};
use std::path::PathBuf;

/// Text in which most branches of a tokenizer meet.
const TEXT: &str =
    "Hello  world\n\u{2581}▁ 'LL 1234 ½ é e\u{301} 中文 🦙\u{200d}\u{0}<s><|im_end|></s> \t\r\n";

fn cached(name: &str) -> Tokenizer {
    let var = |n: &str| std::env::var_os(n).filter(|v| !v.is_empty()).map(PathBuf::from);
    let cache = var("AKUNU_CACHE")
        .or_else(|| Some(var("XDG_CACHE_HOME")?.join("akunu")))
        .or_else(|| Some(var("HOME")?.join(".cache/akunu")));
    let path = cache.expect("AKUNU_CACHE or HOME").join("vocabs").join(name);
    let file = GgufFile::open(&path).unwrap_or_else(|e| panic!("{e} (tools/fetch-vocabs.sh fetches it)"));
    Tokenizer::from_gguf(&file).expect("a vocabulary").expect("a vocabulary")
}

/// GPT-2's vocabulary: byte-level BPE.
pub fn byte_level() -> Tokenizer {
    cached("ggml-vocab-gpt-2.gguf")
}

/// Llama 2's vocabulary: SentencePiece by scores.
pub fn sentence_piece() -> Tokenizer {
    cached("ggml-vocab-llama-spm.gguf")
}

/// A small vocabulary of merges over text with marked spaces, with byte tokens.
pub fn marked() -> Tokenizer {
    let path = Folder::new().write("marked.json", include_bytes!("../marked.json"), 0);
    Tokenizer::from_json_file(&path).expect("the fuzz crate's own tokenizer")
}

/// Uses all of a tokenizer that an input made.
pub fn exercise(t: &Tokenizer) {
    for specials in [Specials::Parse, Specials::AsText] {
        if let Ok(ids) = t.encode_with(TEXT, specials, Bos::Auto) {
            assert!(ids.iter().all(|id| id.index() < t.vocab_len()), "an id outside the vocabulary");
            let mut d = Detokenizer::default();
            let mut pieces: String = ids.iter().map(|id| d.push(t, *id).to_owned()).collect();
            pieces.push_str(d.finish());
            assert_eq!(pieces, t.decode(&ids));
        }
    }
    let n = t.vocab_len() as u32;
    for id in (0..n.min(64)).chain([n - 1, n, u32::MAX]).map(Token) {
        std::hint::black_box((t.token_bytes(id), t.token_text(id), t.is_control(id)));
    }
    std::hint::black_box((t.bos(), t.eos_ids()));
}
