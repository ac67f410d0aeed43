//! Vocabularies that tests use, and a text against a grammar.

use akunu::Token;
use akunu::files::gguf::GgufFile;
use akunu::files::tokenizer::{AddBos, Normalization, SpacePrefix, TokenType, Tokenizer, TokenizerData};
use akunu::grammar::{Grammar, GrammarError, GrammarSource, GrammarStart, Matcher, Vocabulary};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// GPT-2's byte alphabet.
fn alphabet() -> Vec<char> {
    let mut next = 0x100;
    let printable = |b: u32| matches!(b, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
    (0..=255u32)
        .map(|b| {
            if printable(b) {
                return char::from_u32(b).unwrap();
            }
            next += 1;
            char::from_u32(next - 1).unwrap()
        })
        .collect()
}

/// A byte-level tokenizer with all bytes, these texts as tokens, two control tokens, and `<|end|>`.
pub(crate) fn tokenizer(texts: &[&str]) -> Arc<Tokenizer> {
    let alphabet = alphabet();
    let mut tokens: Vec<String> = alphabet.iter().copied().map(String::from).collect();
    let byte_level = |t: &str| t.bytes().map(|b| alphabet[usize::from(b)]).collect::<String>();
    tokens.extend(texts.iter().map(|t| byte_level(t)));
    let mut types = vec![TokenType::Normal; tokens.len()];
    for t in ["<|end|>", "</think>", "<|tool|>"] {
        tokens.push(t.into());
        types.push(TokenType::Control);
    }
    let end = Token(tokens.len() as u32 - 3);
    let data = TokenizerData {
        model: "gpt2".into(),
        pre: Some("gpt-2".into()),
        tokens,
        scores: vec![],
        types,
        merges: vec![],
        bos: None,
        unk: None,
        words: None,
        unigram: None,
        between: None,
        suffix: None,
        ends: vec![end],
        add_bos: AddBos::No,
        space_prefix: SpacePrefix::None,
        normalization: Normalization::None,
        fim: Default::default(),
        strips: Default::default(),
        chat_template: None,
    };
    Arc::new(Tokenizer::new(data).unwrap())
}

/// Bytes, and a few longer tokens that cross what grammars have borders at.
pub(crate) fn small() -> Arc<Vocabulary> {
    static SMALL: OnceLock<Arc<Vocabulary>> = OnceLock::new();
    SMALL
        .get_or_init(|| {
            let texts = [
                "ab",
                "abc",
                "aab",
                "12",
                "123",
                "1.",
                "-1",
                "e1",
                "\"a",
                "\":",
                "\": ",
                "{\"",
                "\"}",
                "\",\"",
                "true",
                "fal",
                "se",
                "null",
                "],[",
                "[[",
                "]]",
                "  ",
                "\n  ",
                " \"",
                "\", \"",
                "é",
                "日",
                "本語",
                "\\u",
                "\\n",
                "()",
                "((",
                "))",
                "+1",
                "name",
                "\"name\"",
                "\"name\":",
                "a\"",
                "aa",
                "aaa",
                ".5",
                "00",
                "}}",
                "ñ\"",
                "x y",
                "</",
                "think>",
                "</th",
            ];
            Arc::new(Vocabulary::new(tokenizer(&texts)).unwrap())
        })
        .clone()
}

fn cache() -> PathBuf {
    let var = |n: &str| std::env::var_os(n).filter(|v| !v.is_empty()).map(PathBuf::from);
    var("AKUNU_CACHE")
        .or_else(|| Some(var("XDG_CACHE_HOME")?.join("akunu")))
        .or_else(|| Some(var("HOME")?.join(".cache/akunu")))
        .unwrap()
}

/// The vocabulary of a file below the cache.
pub(crate) fn real(path: &str) -> Arc<Vocabulary> {
    let tokenizer = Tokenizer::from_gguf(&GgufFile::open(&cache().join(path)).unwrap()).unwrap().unwrap();
    Arc::new(Vocabulary::new(Arc::new(tokenizer)).unwrap())
}

/// SmolLM2's, from `tools/fetch-model.sh`.
pub(crate) const SMOLLM2: &str = "models/SmolLM2-135M-Instruct.Q4_1.gguf";
/// Llama 3's, with 128k tokens, from `tools/fetch-vocabs.sh`.
pub(crate) const LLAMA3: &str = "vocabs/ggml-vocab-llama-bpe.gguf";

/// The folder of `tools/fetch-json-schema-suite.sh`.
pub(crate) fn suite() -> PathBuf {
    cache().join("json-schema-suite")
}

pub(crate) fn compile(source: &GrammarSource) -> Result<Arc<Grammar>, GrammarError> {
    Grammar::compile(source, &GrammarStart::AtOnce, &small())
}

/// The matcher after a text, byte by byte, or how many bytes were taken before one was refused.
pub(crate) fn after(grammar: &Arc<Grammar>, text: &str) -> Result<Matcher, usize> {
    let mut matcher = grammar.matcher();
    for (at, byte) in text.bytes().enumerate() {
        // Ids of the small vocabulary begin with the bytes.
        match matcher.accept(Token(u32::from(byte))) {
            Ok(()) => {}
            Err(GrammarError::Refused { .. }) => return Err(at),
            Err(e) => panic!("{e} at byte {at} of {text:?}"),
        }
    }
    Ok(matcher)
}

/// Whether a whole text is allowed.
pub(crate) fn allows(grammar: &Arc<Grammar>, text: &str) -> bool {
    after(grammar, text).is_ok_and(|mut m| m.may_end().unwrap())
}

/// Whether a text may be the beginning of one.
pub(crate) fn begins(grammar: &Arc<Grammar>, text: &str) -> bool {
    after(grammar, text).is_ok()
}

/// A generator of numbers that need not be good (xorshift64*).
pub(crate) struct Draws(pub(crate) u64);

impl Draws {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// The ids of a mask.
pub(crate) fn ids(mask: &[u32]) -> Vec<Token> {
    let bits = |(i, w): (usize, &u32)| {
        let w = *w;
        (0..32).filter(move |b| w >> b & 1 == 1).map(move |b| Token(i as u32 * 32 + b))
    };
    mask.iter().enumerate().flat_map(bits).collect()
}
