//! Tokenizers from GGUF metadata, on the `tokenizers` library: byte-level BPE with every known pre-tokenizer, and
//! SentencePiece models.
//!
//! Control tokens never come from plain text: [`Specials`] says whether a text may name them. A rendered chat
//! template names them on purpose, so it is encoded with [`Specials::Parse`], as other engines do.

mod bytes;
mod data;
mod error;
pub mod pre;
mod stream;

use crate::gguf::GgufFile;
use std::collections::HashSet;
use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::{ModelWrapper, Tokenizer as Pipeline};

pub use data::{AddBos, SpacePrefix, TokenType, TokenizerData};
pub use error::TokenizerError;
pub use stream::{Detokenizer, StopMatcher, Stopped};

/// Control tokens that end a turn, for files that name only one end token.
const TURN_ENDS: &[&str] = &[
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<end_of_turn>",
    "<|end|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|end_of_turn|>",
    "<EOT>",
    "<|return|>",
    "</s>",
];

/// SentencePiece's mark for a space.
const SPACE: char = '\u{2581}';

/// Whether a text may name control tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Specials {
    /// `<|im_end|>` is the control token.
    Parse,
    /// `<|im_end|>` is ten characters.
    AsText,
}

/// Whether encoding adds the beginning-of-sequence token where the model wants one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bos {
    /// As the model wants; never twice.
    Auto,
    /// Never.
    Never,
}

/// Text to token ids and back.
pub struct Tokenizer {
    pipeline: Pipeline,
    data: TokenizerData,
    /// Bytes of all tokens, one after the other.
    bytes: Vec<u8>,
    /// Where each token's bytes start; one more than tokens.
    starts: Vec<u32>,
    ends: Vec<u32>,
    specials: Specialities,
}

impl std::fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tokenizer")
            .field("model", &self.data.model)
            .field("pre", &self.data.pre)
            .field("vocab", &self.vocab_len())
            .finish_non_exhaustive()
    }
}

impl Tokenizer {
    /// The tokenizer of a file; `None` where it has no vocabulary.
    pub fn from_gguf(file: &GgufFile) -> Result<Option<Self>, TokenizerError> {
        TokenizerData::from_gguf(file)?.map(Self::new).transpose()
    }

    /// Builds a tokenizer.
    pub fn new(mut data: TokenizerData) -> Result<Self, TokenizerError> {
        let pipeline = match data.model.as_str() {
            "gpt2" => byte_level(&mut data)?,
            "llama" => sentence_piece(&data)?,
            _ => {
                return Err(TokenizerError::UnknownModel {
                    model: data.model,
                    known: "gpt2 (byte-level BPE), llama (SentencePiece)",
                });
            }
        };
        let (bytes, starts) = token_table(&data);
        let mut ends: Vec<u32> = data.ends.clone();
        for (id, text) in data.tokens.iter().enumerate() {
            if data.types[id] == TokenType::Control && TURN_ENDS.contains(&text.as_str()) {
                ends.push(id as u32);
            }
        }
        ends.sort_unstable();
        ends.dedup();
        let specials = Specialities::new(&data);
        Ok(Self { pipeline, data, bytes, starts, ends, specials })
    }

    /// Token ids of a text, with the beginning-of-sequence token where the model wants one.
    pub fn encode(&self, text: &str, specials: Specials) -> Result<Vec<u32>, TokenizerError> {
        self.encode_with(text, specials, Bos::Auto)
    }

    /// Token ids of a text.
    pub fn encode_with(&self, text: &str, specials: Specials, bos: Bos) -> Result<Vec<u32>, TokenizerError> {
        let mut out = Vec::new();
        let mut rest = text;
        let mut first = true;
        while !rest.is_empty() {
            let next = self.specials.find(rest, specials);
            let (plain, after) = match next {
                Some((at, id)) => {
                    let end = at + self.data.tokens[id as usize].len();
                    (&rest[..at], Some((id, end)))
                }
                None => (rest, None),
            };
            if !plain.is_empty() {
                self.encode_plain(plain, first, &mut out)?;
            }
            let Some((id, end)) = after else { break };
            out.push(id);
            // A SentencePiece text starts anew after a control token.
            first = self.data.types[id as usize] == TokenType::Control;
            rest = &rest[end..];
        }
        if let (Bos::Auto, AddBos::Yes, Some(b)) = (bos, self.data.add_bos, self.data.bos)
            && out.first() != Some(&b)
        {
            out.insert(0, b);
        }
        Ok(out)
    }

    fn encode_plain(&self, text: &str, first: bool, out: &mut Vec<u32>) -> Result<(), TokenizerError> {
        let fail = |e: tokenizers::Error| TokenizerError::Library { what: "encode", message: e.to_string() };
        let encoding = if self.data.model == "llama" {
            let mut marked = String::with_capacity(text.len() + 8);
            if first && self.data.space_prefix == SpacePrefix::Add {
                marked.push(SPACE);
            }
            marked.extend(text.chars().map(|c| if c == ' ' { SPACE } else { c }));
            self.pipeline.encode_fast(marked, false).map_err(fail)?
        } else {
            self.pipeline.encode_fast(text, false).map_err(fail)?
        };
        out.extend_from_slice(encoding.get_ids());
        Ok(())
    }

    /// The text of tokens; control tokens have none.
    pub fn decode(&self, tokens: &[u32]) -> String {
        let mut d = Detokenizer::default();
        let mut out = String::new();
        for t in tokens {
            out.push_str(d.push(self, *t));
        }
        out.push_str(d.finish());
        out
    }

    /// The bytes that a token stands for; empty for an id outside the vocabulary.
    pub fn token_bytes(&self, id: u32) -> &[u8] {
        match (self.starts.get(id as usize), self.starts.get(id as usize + 1)) {
            (Some(a), Some(b)) => &self.bytes[*a as usize..*b as usize],
            _ => &[],
        }
    }

    /// A token as the vocabulary writes it.
    pub fn token_text(&self, id: u32) -> Option<&str> {
        self.data.tokens.get(id as usize).map(String::as_str)
    }

    /// Whether a token is a control token.
    pub fn is_control(&self, id: u32) -> bool {
        matches!(
            self.data.types.get(id as usize),
            Some(TokenType::Control | TokenType::Unknown | TokenType::Unused)
        )
    }

    /// Entries of the vocabulary.
    pub fn vocab_len(&self) -> usize {
        self.data.tokens.len()
    }

    /// Ids that end a sequence, ascending.
    pub fn eos_ids(&self) -> &[u32] {
        &self.ends
    }

    /// The beginning-of-sequence token.
    pub fn bos(&self) -> Option<u32> {
        self.data.bos
    }

    /// What it was built from.
    pub fn data(&self) -> &TokenizerData {
        &self.data
    }

    /// Whether the first space of a text is the tokenizer's own.
    pub(crate) fn drops_first_space(&self) -> bool {
        self.data.model == "llama" && self.data.space_prefix == SpacePrefix::Add
    }
}

/// The vocabulary as the library wants it; the first of two equal texts counts.
fn vocabulary(data: &TokenizerData) -> Vocab {
    data.tokens.iter().enumerate().rev().map(|(i, t)| (t.clone(), i as u32)).collect()
}

fn build_bpe(builder: tokenizers::models::bpe::BpeBuilder) -> Result<Pipeline, TokenizerError> {
    let bpe: BPE = builder
        .build()
        .map_err(|e| TokenizerError::Library { what: "use the vocabulary", message: e.to_string() })?;
    Ok(Pipeline::new(ModelWrapper::from(bpe)))
}

fn byte_level(data: &mut TokenizerData) -> Result<Pipeline, TokenizerError> {
    let pre = pre::find(data.pre.as_deref().unwrap_or("default"))?;
    let vocab = vocabulary(data);
    // The merges are needed here only, and are the largest part of the data.
    let texts = std::mem::take(&mut data.merges);
    let mut merges = Vec::with_capacity(texts.len());
    for (index, merge) in texts.into_iter().enumerate() {
        // The first character may itself be the separator only in broken files.
        let what = match merge.split_once(' ') {
            None => Some("no space between two parts"),
            Some((a, b)) if !vocab.contains_key(a) || !vocab.contains_key(b) => Some("a part is no token"),
            Some((a, b)) if !vocab.contains_key(&format!("{a}{b}")) => Some("the result is no token"),
            Some((a, b)) => {
                merges.push((a.to_owned(), b.to_owned()));
                None
            }
        };
        if let Some(what) = what {
            return Err(TokenizerError::Merge { index, merge, what });
        }
    }
    let whole = pre.whole_pieces == pre::WholePieces::Taken;
    let mut p = build_bpe(BPE::builder().vocab_and_merges(vocab, merges).ignore_merges(whole))?;
    p.with_pre_tokenizer(Some(pre.pipeline()?));
    Ok(p)
}

/// SentencePiece's BPE joins the neighbours whose joint token has the best score. That is a merge list ordered by
/// score, with every way to split a token into two tokens.
fn sentence_piece(data: &TokenizerData) -> Result<Pipeline, TokenizerError> {
    if data.scores.len() != data.tokens.len() {
        return Err(TokenizerError::Length {
            key: "tokenizer.ggml.scores",
            found: data.scores.len(),
            want: data.tokens.len(),
        });
    }
    let vocab = vocabulary(data);
    let mut merges: Vec<(f32, u32, &str, &str)> = Vec::new();
    for (id, token) in data.tokens.iter().enumerate() {
        // A control or byte token is never the result of joining text.
        if !matches!(data.types[id], TokenType::Normal | TokenType::UserDefined | TokenType::Unused) {
            continue;
        }
        for (at, _) in token.char_indices().skip(1) {
            let (a, b) = token.split_at(at);
            if vocab.contains_key(a) && vocab.contains_key(b) {
                merges.push((data.scores[id], id as u32, a, b));
            }
        }
    }
    // Best score first; among equals the lower id, as the order of a vocabulary is the order of its making.
    merges.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
    let merges = merges.into_iter().map(|(_, _, a, b)| (a.to_owned(), b.to_owned())).collect();
    let mut builder = BPE::builder().vocab_and_merges(vocab, merges).byte_fallback(true).fuse_unk(true);
    if let Some(unk) = data.unk.and_then(|u| data.tokens.get(u as usize)) {
        builder = builder.unk_token(unk.clone());
    }
    build_bpe(builder)
}

/// The bytes of every token, one after the other, and where each starts.
fn token_table(data: &TokenizerData) -> (Vec<u8>, Vec<u32>) {
    let alphabet = bytes::ByteAlphabet::default();
    let mut all = Vec::new();
    let mut starts = Vec::with_capacity(data.tokens.len() + 1);
    for (text, kind) in data.tokens.iter().zip(&data.types) {
        starts.push(all.len() as u32);
        match kind {
            TokenType::Byte => all.extend(byte_token(text)),
            TokenType::Normal if data.model == "gpt2" => alphabet.decode(text, &mut all),
            TokenType::Normal | TokenType::UserDefined if data.model == "llama" => {
                all.extend_from_slice(text.replace(SPACE, " ").as_bytes());
            }
            _ => all.extend_from_slice(text.as_bytes()),
        }
    }
    starts.push(all.len() as u32);
    (all, starts)
}

/// The byte of `<0x41>`.
fn byte_token(text: &str) -> Option<u8> {
    u8::from_str_radix(text.strip_prefix("<0x")?.strip_suffix('>')?, 16).ok()
}

/// Finds tokens that are matched as whole texts, before any pre-tokenizer.
#[derive(Debug, Default)]
struct Specialities {
    /// By first byte: (text, id, whether it is a control token), longest first.
    by_first: Vec<Vec<(String, u32, bool)>>,
}

impl Specialities {
    fn new(data: &TokenizerData) -> Self {
        let mut by_first: Vec<Vec<(String, u32, bool)>> = vec![Vec::new(); 256];
        let mut seen = HashSet::new();
        for (id, (text, kind)) in data.tokens.iter().zip(&data.types).enumerate() {
            let control = matches!(kind, TokenType::Control | TokenType::Unknown);
            if !control && *kind != TokenType::UserDefined {
                continue;
            }
            if let Some(first) = text.bytes().next()
                && seen.insert(text.as_str())
            {
                by_first[first as usize].push((text.clone(), id as u32, control));
            }
        }
        for list in &mut by_first {
            list.sort_by_key(|t| std::cmp::Reverse(t.0.len()));
        }
        Self { by_first }
    }

    /// The first such token in a text: its byte offset and id; the longest where several start there.
    fn find(&self, text: &str, specials: Specials) -> Option<(usize, u32)> {
        let bytes = text.as_bytes();
        (0..bytes.len()).find_map(|at| {
            let list = self.by_first.get(bytes[at] as usize)?;
            let hit = list.iter().find(|(t, _, control)| {
                (!control || specials == Specials::Parse) && bytes[at..].starts_with(t.as_bytes())
            })?;
            Some((at, hit.1))
        })
    }
}
