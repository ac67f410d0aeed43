//! Tokenizers from GGUF metadata and from `tokenizer.json`: byte-level BPE, merged by the `tokenizers` library after
//! every known pre-tokenizer, SentencePiece models, by their scores or by a list of merges, word pieces and unigram models.
//!
//! Control tokens never come from plain text: [`Specials`] says whether a text may name them. A rendered chat
//! template names them on purpose, so it is encoded with [`Specials::Parse`], as other engines do.

mod bytes;
mod charsmap;
mod data;
mod error;
mod fim;
mod json;
pub mod pre;
mod special;
mod split;
mod spm;
mod stream;
mod unigram;
mod word_pieces;

use crate::gguf::GgufFile;
use special::WholeTokens;
use split::Splitter;
use spm::{SPACE, SentencePiece};
use std::borrow::Cow;
use tokenizers::Model as _;
use tokenizers::NormalizedString;
use tokenizers::models::bpe::{BPE, BpeBuilder, Vocab};
use unigram::Unigram;
use word_pieces::WordPieces;

pub use akunu_kernels::step::Token;
pub(crate) use bytes::CHARS as BYTE_CHARS;
pub use data::{
    AddBos, MARKED_BPE, Normalization, SpacePrefix, Strip, TokenType, TokenizerData, WORD_PIECES, WordRules,
};
pub use error::TokenizerError;
pub use fim::{FimIds, FimRole, FimTokens};
pub use stream::{Detokenizer, StopMatcher, Stopped, shorter_matches};
pub(crate) use unigram::ExtraSpaces;
pub use unigram::{UNIGRAM, UNIGRAM_IN_FILE, UnigramRules};

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
    "<turn|>",
    "<EOT>",
    "_<EOT>",
    "<|return|>",
    "<|call|>",
    "<｜end▁of▁sentence｜>",
    "<eos>",
    "</s>",
];

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
    core: Core,
    data: TokenizerData,
    /// Bytes of all tokens, one after the other.
    bytes: Vec<u8>,
    /// Where each token's bytes start; one more than tokens.
    starts: Vec<u32>,
    ends: Vec<Token>,
    fim: Option<FimTokens>,
    whole: WholeTokens,
}

/// What turns plain text into tokens.
enum Core {
    ByteLevel {
        splitter: Splitter,
        bpe: Box<BPE>,
    },
    SentencePiece(SentencePiece),
    /// Merges over text with marked spaces.
    Marked(Box<BPE>),
    WordPieces(WordPieces),
    Unigram(Box<Unigram>),
}

/// Where a stretch of plain text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// At the start of the text.
    Start,
    /// Behind a token that was matched as a whole.
    AfterWhole,
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
        check(&data)?;
        let core = match data.model.as_str() {
            "gpt2" => byte_level(&mut data)?,
            "llama" => Core::SentencePiece(SentencePiece::new(&data)?),
            MARKED_BPE => marked(&mut data)?,
            WORD_PIECES => Core::WordPieces(WordPieces::new(&data)?),
            UNIGRAM => Core::Unigram(Box::new(Unigram::new(&data)?)),
            _ => {
                return Err(TokenizerError::UnknownModel {
                    model: data.model,
                    known: "gpt2 (byte-level BPE), llama (SentencePiece), bert (word pieces), t5 (unigram)",
                });
            }
        };
        let (bytes, starts) = token_table(&data);
        let mut ends: Vec<Token> = data.ends.clone();
        for (id, text) in data.tokens.iter().enumerate() {
            if data.types[id] == TokenType::Control && TURN_ENDS.contains(&text.as_str()) {
                ends.push(Token(id as u32));
            }
        }
        let fim = FimTokens::of(&data);
        ends.extend(fim.iter().flat_map(FimTokens::ends));
        ends.sort_unstable();
        ends.dedup();
        let whole = WholeTokens::new(&data);
        Ok(Self { core, data, bytes, starts, ends, fim, whole })
    }

    /// Token ids of a text, with the beginning-of-sequence token where the model wants one.
    pub fn encode(&self, text: &str, specials: Specials) -> Result<Vec<Token>, TokenizerError> {
        self.encode_with(text, specials, Bos::Auto)
    }

    /// Token ids of a text. Bytes that the vocabulary has no token for, and no unknown token either, are left out, as
    /// the models' own tokenizers do (SmolLM2 lacks a few control characters and unassigned planes).
    pub fn encode_with(
        &self,
        text: &str,
        specials: Specials,
        bos: Bos,
    ) -> Result<Vec<Token>, TokenizerError> {
        let mut out = Vec::new();
        let mut rest = text;
        let mut place = Place::Start;
        while !rest.is_empty() {
            let next = self.whole.find(rest, specials);
            let (mut plain, after) = match next {
                Some((at, id)) => {
                    let end = at + self.data.tokens[id.index()].len();
                    (&rest[..at], Some((id, end)))
                }
                None => (rest, None),
            };
            let strip = after.and_then(|(id, _)| self.data.strips.get(&id));
            if matches!(strip, Some(Strip::Left | Strip::Both)) {
                plain = plain.trim_end();
            }
            if !plain.is_empty() {
                self.encode_plain(plain, place, &mut out)?;
            }
            let Some((id, end)) = after else { break };
            out.push(id);
            // A SentencePiece text starts anew after a token that was matched as a whole.
            place = Place::AfterWhole;
            rest = &rest[end..];
            if matches!(strip, Some(Strip::Right | Strip::Both)) {
                rest = rest.trim_start();
            }
        }
        if let (Bos::Auto, AddBos::Yes, Some(b)) = (bos, self.data.add_bos, self.data.bos)
            && out.first() != Some(&b)
        {
            out.insert(0, b);
        }
        if bos == Bos::Auto {
            out.extend(self.data.suffix);
        }
        Ok(out)
    }

    fn encode_plain(&self, text: &str, place: Place, out: &mut Vec<Token>) -> Result<(), TokenizerError> {
        let fail = |e: tokenizers::Error| TokenizerError::Library { what: "encode", message: e.to_string() };
        let text = &*self.normalized(text);
        match &self.core {
            Core::WordPieces(model) => model.encode(text, out)?,
            Core::Unigram(model) => model.encode(text, out)?,
            Core::SentencePiece(model) => model.encode(&self.marked(text, place), out),
            Core::Marked(bpe) => {
                let tokens = bpe.tokenize(&self.marked(text, place)).map_err(fail)?;
                out.extend(tokens.into_iter().map(|t| Token(t.id)));
            }
            Core::ByteLevel { splitter, bpe } => {
                let mut mapped = String::new();
                for piece in splitter.split(text) {
                    mapped.clear();
                    mapped.extend(piece.bytes().map(|b| bytes::CHARS[usize::from(b)]));
                    out.extend(bpe.tokenize(&mapped).map_err(fail)?.into_iter().map(|t| Token(t.id)));
                }
            }
        }
        Ok(())
    }

    /// A text in the form that the vocabulary was made for.
    fn normalized<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.data.normalization == Normalization::None || text.is_ascii() {
            return text.into();
        }
        let mut n = NormalizedString::from(text);
        n.nfc();
        n.get().to_owned().into()
    }

    /// A text with its spaces marked, and one in front where the model wants it.
    fn marked(&self, text: &str, place: Place) -> String {
        let mut marked = String::with_capacity(text.len() + text.len() / 2);
        let has_one = text.starts_with([' ', SPACE]);
        let add = match self.data.space_prefix {
            SpacePrefix::Add => true,
            SpacePrefix::Missing => !has_one,
            SpacePrefix::First => place == Place::Start && !has_one,
            SpacePrefix::None => false,
        };
        if add {
            marked.push(SPACE);
        }
        marked.extend(text.chars().map(|c| if c == ' ' { SPACE } else { c }));
        marked
    }

    /// The text of tokens; control tokens have none.
    pub fn decode(&self, tokens: &[Token]) -> String {
        let mut d = Detokenizer::default();
        let mut out = String::new();
        for t in tokens {
            out.push_str(d.push(self, *t));
        }
        out.push_str(d.finish());
        out
    }

    /// The bytes that a token stands for; empty for an id outside the vocabulary.
    pub fn token_bytes(&self, id: Token) -> &[u8] {
        match (self.starts.get(id.index()), self.starts.get(id.index() + 1)) {
            (Some(a), Some(b)) => &self.bytes[*a as usize..*b as usize],
            _ => &[],
        }
    }

    /// A token as the vocabulary writes it.
    pub fn token_text(&self, id: Token) -> Option<&str> {
        self.data.tokens.get(id.index()).map(String::as_str)
    }

    /// Whether a token is a control token.
    pub fn is_control(&self, id: Token) -> bool {
        matches!(
            self.data.types.get(id.index()),
            Some(TokenType::Control | TokenType::Unknown | TokenType::Unused)
        )
    }

    /// Entries of the vocabulary.
    pub fn vocab_len(&self) -> usize {
        self.data.tokens.len()
    }

    /// Ids that end a sequence, ascending.
    pub fn eos_ids(&self) -> &[Token] {
        &self.ends
    }

    /// Tokens with which the model fills in the middle; `None` where it was not trained for that.
    pub fn fim(&self) -> Option<FimTokens> {
        self.fim
    }

    /// The beginning-of-sequence token.
    pub fn bos(&self) -> Option<Token> {
        self.data.bos
    }

    /// What it was built from.
    pub fn data(&self) -> &TokenizerData {
        &self.data
    }

    /// Whether the first space of a text is the tokenizer's own.
    pub(crate) fn drops_first_space(&self) -> bool {
        self.data.marks_spaces() && self.data.space_prefix != SpacePrefix::None
    }
}

/// Whether the parts fit together, so that no id or length needs a second look later.
fn check(data: &TokenizerData) -> Result<(), TokenizerError> {
    let n = data.tokens.len();
    if n == 0 {
        return Err(TokenizerError::Metadata {
            key: "tokenizer.ggml.tokens",
            what: "missing or empty".into(),
        });
    }
    if data.types.len() != n {
        return Err(TokenizerError::Length {
            key: "tokenizer.ggml.token_type",
            found: data.types.len(),
            want: n,
        });
    }
    let bytes: usize = data.tokens.iter().map(String::len).sum();
    if u32::try_from(bytes.max(n)).is_err() {
        return Err(TokenizerError::Metadata {
            key: "tokenizer.ggml.tokens",
            what: "more than 4 GiB of text".into(),
        });
    }
    let ids = [("tokenizer.ggml.bos_token_id", data.bos), ("tokenizer.ggml.unknown_token_id", data.unk)];
    let ends = data.ends.iter().map(|e| ("tokenizer.ggml.eos_token_id", Some(*e)));
    let fim = FimRole::ALL.map(|role| (role.key(), data.fim.get(role)));
    for (key, id) in ids.into_iter().chain(ends).chain(fim) {
        if let Some(id) = id.filter(|id| id.index() >= n) {
            return Err(TokenizerError::SpecialId { key, id: u64::from(id.0), vocab: n });
        }
    }
    Ok(())
}

/// The vocabulary as the library wants it; the first of two equal texts counts.
fn vocabulary(data: &TokenizerData) -> Vocab {
    data.tokens.iter().enumerate().rev().map(|(i, t)| (t.clone(), i as u32)).collect()
}

fn byte_level(data: &mut TokenizerData) -> Result<Core, TokenizerError> {
    let pre = pre::find(data.pre.as_deref().unwrap_or("(missing)"))?;
    let bpe = BPE::builder().ignore_merges(pre.whole_pieces == pre::WholePieces::Taken);
    Ok(Core::ByteLevel { splitter: Splitter::new(pre.patterns)?, bpe: Box::new(merged(data, bpe)?) })
}

/// Merges over text with marked spaces; a character without a token becomes its bytes, or one unknown token per run.
fn marked(data: &mut TokenizerData) -> Result<Core, TokenizerError> {
    let mut bpe = BPE::builder().fuse_unk(true).byte_fallback(data.types.contains(&TokenType::Byte));
    if let Some(unk) = data.unk {
        bpe = bpe.unk_token(data.tokens[unk.index()].clone());
    }
    Ok(Core::Marked(Box::new(merged(data, bpe)?)))
}

/// The library's model with a vocabulary and its merges. They are needed once, and are the largest part of the data, so
/// they leave it. The library looks every part up, so which merge does not fit is only asked where one does not.
fn merged(data: &mut TokenizerData, bpe: BpeBuilder) -> Result<BPE, TokenizerError> {
    let pair = |merge: &String| merge.split_once(' ').map(|(a, b)| (a.to_owned(), b.to_owned()));
    let built = match data.merges.iter().map(pair).collect() {
        Some(merges) => {
            let built = bpe.vocab_and_merges(vocabulary(data), merges).build();
            built.map_err(|e| e.to_string())
        }
        None => Err("a merge is no pair".into()),
    };
    let unusable = |message| TokenizerError::Library { what: "use the vocabulary", message };
    let bpe = built.map_err(|message| bad_merge(data).unwrap_or_else(|| unusable(message)))?;
    data.merges = Vec::new();
    Ok(bpe)
}

/// The first merge that does not fit the vocabulary, and what is wrong with it.
fn bad_merge(data: &TokenizerData) -> Option<TokenizerError> {
    let vocab = vocabulary(data);
    let known = |text: &str| vocab.contains_key(text);
    // The first character may itself be the separator only in broken files.
    let wrong = |merge: &str| match merge.split_once(' ') {
        None => Some("no space between two parts"),
        Some((a, b)) if !known(a) || !known(b) => Some("a part is no token"),
        Some((a, b)) if !known(&format!("{a}{b}")) => Some("the result is no token"),
        Some(_) => None,
    };
    data.merges.iter().enumerate().find_map(|(index, merge)| {
        let what = wrong(merge)?;
        Some(TokenizerError::Merge { index, merge: merge.clone(), what })
    })
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
            TokenType::Normal if data.model == WORD_PIECES => match text.strip_prefix("##") {
                Some(goes_on) => all.extend_from_slice(goes_on.as_bytes()),
                None => all.extend([b" ", text.as_bytes()].concat()),
            },
            TokenType::Normal if data.model == "gpt2" => alphabet.decode(text, &mut all),
            TokenType::Normal | TokenType::UserDefined if data.marks_spaces() => {
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
