//! The tokenizer's raw material, read and checked from a file's metadata.

use super::unigram::{ByteFallback, ExtraSpaces, InFile};
use super::{FimIds, TokenizerError, UNIGRAM, UNIGRAM_IN_FILE, UnigramRules};
use crate::gguf::names::ENCODERS;
use crate::gguf::{GgufFile, Value, vectors};
use akunu_kernels::step::Token;
use std::collections::HashMap;

const EOS: &str = "tokenizer.ggml.eos_token_id";
const ADD_EOS: &str = "tokenizer.ggml.add_eos_token";
const SPACE_PREFIX: &str = "tokenizer.ggml.add_space_prefix";

/// [`TokenizerData::model`] of a BPE whose text has its spaces marked as SentencePiece marks them, with a list of
/// merges; no GGUF file has one.
pub const MARKED_BPE: &str = "marked-bpe";

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenType {
    /// Text.
    Normal,
    /// The unknown token.
    Unknown,
    /// Has a meaning instead of a text (`<|im_end|>`).
    Control,
    /// Text that is always one token.
    UserDefined,
    /// A hole in the vocabulary.
    Unused,
    /// One raw byte.
    Byte,
}

impl TokenType {
    /// From `tokenizer.ggml.token_type`.
    fn from_id(id: i64) -> Self {
        match id {
            2 => Self::Unknown,
            3 => Self::Control,
            4 => Self::UserDefined,
            5 => Self::Unused,
            6 => Self::Byte,
            _ => Self::Normal,
        }
    }
}

/// Everything a tokenizer is built from.
#[derive(Clone, Debug)]
pub struct TokenizerData {
    /// `gpt2` (byte-level BPE), `llama` (SentencePiece), [`MARKED_BPE`], [`WORD_PIECES`] or [`UNIGRAM`].
    pub model: String,
    /// Name of the pre-tokenizer.
    pub pre: Option<String>,
    /// Token texts, by id.
    pub tokens: Vec<String>,
    /// Token scores, by id; empty where there are none.
    pub scores: Vec<f32>,
    /// Token types, by id.
    pub types: Vec<TokenType>,
    /// Merges, best first, `left right`.
    pub merges: Vec<String>,
    /// What a vocabulary of word pieces does to a text first.
    pub words: Option<WordRules>,
    /// What a unigram model has beside its tokens.
    pub unigram: Option<UnigramRules>,
    /// What follows a text, where the model wants something.
    pub suffix: Option<Token>,
    /// What stands between the token after a pair's first text and its second text, where the model wants something.
    pub between: Option<Token>,
    /// Beginning of sequence.
    pub bos: Option<Token>,
    /// Unknown token.
    pub unk: Option<Token>,
    /// Ids that end a sequence (end of sequence, of turn, of message).
    pub ends: Vec<Token>,
    /// Tokens of prompts with a hole, as far as the file names them.
    pub fim: FimIds,
    /// Whether a text starts with `bos`.
    pub add_bos: AddBos,
    /// Whether a SentencePiece text starts with a space.
    pub space_prefix: SpacePrefix,
    /// Jinja source of the chat template.
    pub chat_template: Option<String>,
    /// What happens to a text before it is cut.
    pub normalization: Normalization,
    /// Tokens matched as a whole that take white space around them with them.
    pub strips: HashMap<Token, Strip>,
}

/// What BERT's basic tokenization does before words are cut into pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordRules {
    /// Lower case.
    pub lowercase: bool,
    /// Without accents.
    pub strip_accents: bool,
    /// Without control characters, every white space a space.
    pub clean: bool,
    /// Each Chinese character a word.
    pub split_chinese: bool,
}

impl WordRules {
    /// What uncased models do.
    pub const UNCASED: Self = Self { lowercase: true, strip_accents: true, clean: true, split_chinese: true };
}

/// [`TokenizerData::model`] of word pieces, whose continuing pieces begin with `##`.
pub const WORD_PIECES: &str = "bert";

/// Whether a text starts with the beginning-of-sequence token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddBos {
    /// It does.
    Yes,
    /// It does not.
    No,
}

/// What happens to a text before it is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normalization {
    /// Nothing.
    None,
    /// Unicode's composed form (NFC).
    Nfc,
}

/// On which side a token takes white space with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Strip {
    Left,
    Right,
    Both,
}

/// Whether a SentencePiece text starts with a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpacePrefix {
    /// It does, and so does the text behind a token that was matched as a whole.
    Add,
    /// The same, unless there is a space already.
    Missing,
    /// Only the whole text does, unless there is a space already.
    First,
    /// It does not.
    None,
}

const TOKENS: &str = "tokenizer.ggml.tokens";
const TYPES: &str = "tokenizer.ggml.token_type";
const SCORES: &str = "tokenizer.ggml.scores";
const MERGES: &str = "tokenizer.ggml.merges";

/// Pre-tokenizers of families that compose characters first (NFC), which GGUF has no key for.
const COMPOSED: &[&str] = &["qwen2"];

/// A metadata error of a key.
fn bad(key: &'static str) -> impl Fn(crate::ModelError) -> TokenizerError {
    move |e| TokenizerError::Metadata { key, what: e.to_string() }
}

impl TokenizerData {
    /// Whether spaces are marked as SentencePiece marks them.
    pub(super) fn marks_spaces(&self) -> bool {
        ["llama", MARKED_BPE, UNIGRAM].contains(&&*self.model)
    }

    /// Reads the metadata; `None` where the file has no vocabulary.
    pub fn from_gguf(file: &GgufFile) -> Result<Option<Self>, TokenizerError> {
        const MODEL: &str = "tokenizer.ggml.model";
        let Some(model) = file.get_str(MODEL).map_err(bad(MODEL))? else { return Ok(None) };
        if model == "no_vocab" || model == "none" {
            return Ok(None);
        }
        let tokens = strings(file, TOKENS)?;
        let n = tokens.len();
        if n == 0 {
            return Err(TokenizerError::Metadata { key: TOKENS, what: "missing or empty".into() });
        }
        let scores = file.get_f32s(SCORES).map_err(bad(SCORES))?.unwrap_or_default();
        let types: Vec<TokenType> = match file.get_i64s(TYPES).map_err(bad(TYPES))? {
            Some(v) => v.into_iter().map(TokenType::from_id).collect(),
            None => vec![TokenType::Normal; n],
        };
        if scores.len() != n && !scores.is_empty() {
            return Err(TokenizerError::Length { key: SCORES, found: scores.len(), want: n });
        }
        let id = |key| special_id(file, key, n);
        let mut ends = Vec::new();
        for key in [EOS, "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"] {
            ends.extend(id(key)?);
        }
        let spm = model == "llama";
        let pieces = model == WORD_PIECES;
        let unigram = model == UNIGRAM_IN_FILE;
        // (The format's name of the key has a slip of the pen, and some files have it right.)
        let separator = match id("tokenizer.ggml.seperator_token_id")? {
            None => id("tokenizer.ggml.separator_token_id")?,
            found => found,
        };
        // Files mark what begins a word, as SentencePiece does; the vocabulary itself marks what goes on.
        let tokens: Vec<String> = if pieces {
            let turned = |(t, kind): (String, &TokenType)| match t.strip_prefix('▁') {
                Some(begins) => begins.to_owned(),
                None if matches!(kind, TokenType::Normal) && !is_bracketed(&t) => format!("##{t}"),
                None => t,
            };
            tokens.into_iter().zip(&types).map(turned).collect()
        } else {
            tokens
        };
        let named = |text: &str| {
            pieces.then(|| tokens.iter().position(|t| t == text)).flatten().map(|i| Token(i as u32))
        };
        let flag = |key, default| {
            Ok::<bool, TokenizerError>(file.get_bool(key).map_err(bad(key))?.unwrap_or(default))
        };
        let pre = file.get_str("tokenizer.ggml.pre").map_err(bad("tokenizer.ggml.pre"))?;
        let template = file.get_str("tokenizer.chat_template").map_err(bad("tokenizer.chat_template"))?;
        // Where the file says nothing, SentencePiece models start with BOS, and so do the families of Llama 3 and
        // Mistral Nemo.
        let family = pre.and_then(|p| super::pre::find(p).ok()).map_or(&[][..], |p| p.names);
        let bos_default = spm || family.contains(&"llama-bpe") || family.contains(&"tekken");
        Ok(Some(Self {
            model: if unigram { UNIGRAM } else { model }.into(),
            pre: pre.map(Into::into),
            merges: strings(file, MERGES)?,
            words: if pieces { Some(words(file)?) } else { None },
            unigram: if unigram { Some(unigram_rules(file, &scores, &types)?) } else { None },
            between: None,
            suffix: match pieces {
                true => separator.or_else(|| named("[SEP]")),
                false if reads_whole(file) && flag(ADD_EOS, unigram)? => id(EOS)?,
                false => None,
            },
            bos: match id("tokenizer.ggml.cls_token_id")?.filter(|_| pieces).or_else(|| named("[CLS]")) {
                None => id("tokenizer.ggml.bos_token_id")?,
                first => first,
            },
            unk: match id("tokenizer.ggml.unknown_token_id")? {
                None => named("[UNK]"),
                unk => unk,
            },
            ends,
            fim: FimIds::from_gguf(file, n)?,
            add_bos: if flag("tokenizer.ggml.add_bos_token", bos_default || pieces)? {
                AddBos::Yes
            } else {
                AddBos::No
            },
            space_prefix: if flag(SPACE_PREFIX, spm || unigram)? {
                SpacePrefix::Add
            } else {
                SpacePrefix::None
            },
            chat_template: template.map(Into::into),
            normalization: if pre.is_some_and(|p| COMPOSED.contains(&p)) {
                Normalization::Nfc
            } else {
                Normalization::None
            },
            strips: HashMap::new(),
            tokens,
            scores: if unigram { Vec::new() } else { scores },
            types,
        }))
    }
}

/// Whether a file's model makes vectors of whole texts, whose last token may be the one that ends a sequence. (Files of models that go on
/// with a text say so too, by mistake.)
fn reads_whole(file: &GgufFile) -> bool {
    let arch = file.get_str("general.architecture").ok().flatten();
    arch.is_some_and(|a| ENCODERS.contains(&a) || vectors::is_said(file, a))
}

/// What a file's word pieces do to a text first; uncased where it says nothing.
fn words(file: &GgufFile) -> Result<WordRules, TokenizerError> {
    const LOWERCASE: &str = "tokenizer.ggml.normalizer.lowercase";
    const STRIP_ACCENTS: &str = "tokenizer.ggml.normalizer.strip_accents";
    let lowercase = file.get_bool(LOWERCASE).map_err(bad(LOWERCASE))?.unwrap_or(true);
    let strip_accents = file.get_bool(STRIP_ACCENTS).map_err(bad(STRIP_ACCENTS))?.unwrap_or(lowercase);
    Ok(WordRules { lowercase, strip_accents, ..WordRules::UNCASED })
}

/// A file's unigram model.
fn unigram_rules(
    file: &GgufFile,
    scores: &[f32],
    types: &[TokenType],
) -> Result<UnigramRules, TokenizerError> {
    const EXTRA: &str = "tokenizer.ggml.remove_extra_whitespaces";
    const CHARSMAP: &str = "tokenizer.ggml.precompiled_charsmap";
    // Real tables have some 300 kB.
    const MOST: u64 = 1 << 24;
    if scores.len() != types.len() {
        return Err(TokenizerError::Length { key: SCORES, found: scores.len(), want: types.len() });
    }
    let broken = |what: &str| TokenizerError::Metadata { key: CHARSMAP, what: format!("broken: {what}") };
    // Bytes, with a sign or without.
    let byte = |v: i64| u8::try_from(v).ok().or_else(|| i8::try_from(v).ok().map(i8::cast_unsigned));
    if file.get_len(CHARSMAP).map_err(bad(CHARSMAP))?.is_some_and(|n| n > MOST) {
        return Err(broken("it is longer than 16 MiB"));
    }
    let table = match file.get_i64s(CHARSMAP).map_err(bad(CHARSMAP))? {
        None => None,
        Some(all) => {
            let bytes: Option<Vec<u8>> = all.into_iter().map(byte).collect();
            Some(bytes.ok_or_else(|| broken("it holds more than bytes"))?)
        }
    };
    // llama.cpp's converter takes both from attributes of a Python class that say other things, where a model has `tokenizer.json` alone. What
    // shows it is a false prefix, which no model of this kind has.
    let told = file.get_bool(SPACE_PREFIX).map_err(bad(SPACE_PREFIX))? != Some(false);
    let dropped = file.get_bool(EXTRA).map_err(bad(EXTRA))?.unwrap_or(false) || !told;
    let file = InFile {
        scores: scores.to_vec(),
        charsmap: table,
        extra_spaces: if dropped { ExtraSpaces::Dropped } else { ExtraSpaces::Kept },
    };
    let fallback = if types.contains(&TokenType::Byte) { ByteFallback::Yes } else { ByteFallback::No };
    UnigramRules::of_file(file, fallback).map_err(broken)
}

/// `[CLS]` and its like, which begin no word and continue none.
fn is_bracketed(token: &str) -> bool {
    token.starts_with('[') && token.ends_with(']') && token.len() > 2
}

fn strings(file: &GgufFile, key: &'static str) -> Result<Vec<String>, TokenizerError> {
    let all = file.get_strs(key).map_err(bad(key))?.unwrap_or_default();
    Ok(all.into_iter().map(String::from).collect())
}

pub(super) fn special_id(
    file: &GgufFile,
    key: &'static str,
    vocab: usize,
) -> Result<Option<Token>, TokenizerError> {
    // Some files write -1 for "none".
    if file.get(key).as_ref().and_then(Value::as_i64) == Some(-1) {
        return Ok(None);
    }
    match file.get_u64(key).map_err(bad(key))? {
        Some(id) if id == u64::from(u32::MAX) => Ok(None),
        Some(id) if id < vocab as u64 => Ok(Some(Token(id as u32))),
        Some(id) => Err(TokenizerError::SpecialId { key, id, vocab }),
        None => Ok(None),
    }
}
