//! SentencePiece's BPE: neighbours whose joint text is a token are joined, the best score first and the leftmost
//! among equals. There is no merge list; the vocabulary with its scores is the whole model. (A merge list could be
//! derived, but not exactly: equal scores would be ordered by token instead of by place.)

use super::{TokenType, TokenizerData, TokenizerError, byte_token};
use akunu_kernels::step::Token;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

/// SentencePiece's mark for a space.
pub(super) const SPACE: char = '\u{2581}';

/// A SentencePiece BPE model.
#[derive(Debug)]
pub(super) struct SentencePiece {
    /// Ids of the tokens that text can become: no control, unknown or byte tokens.
    ids: HashMap<String, Token>,
    scores: Vec<f32>,
    /// Token of each raw byte.
    bytes: Box<[Option<Token>; 256]>,
    unk: Option<Token>,
}

/// A stretch of the text, in a list linked by index.
#[derive(Clone, Copy)]
struct Symbol {
    start: usize,
    /// Bytes; 0 once it has been joined to its left neighbour.
    len: usize,
    prev: Option<usize>,
    next: Option<usize>,
}

/// Two neighbours that could be joined.
struct Join {
    score: f32,
    left: usize,
    right: usize,
    /// Bytes of both; another length says that one of them has grown since.
    len: usize,
}

impl Ord for Join {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.left.cmp(&self.left))
    }
}

impl PartialOrd for Join {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Join {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Join {}

impl SentencePiece {
    /// The model of a vocabulary.
    pub(super) fn new(data: &TokenizerData) -> Result<Self, TokenizerError> {
        if data.scores.len() != data.tokens.len() {
            let (found, want) = (data.scores.len(), data.tokens.len());
            return Err(TokenizerError::Length { key: "tokenizer.ggml.scores", found, want });
        }
        let mut ids = HashMap::with_capacity(data.tokens.len());
        let mut bytes = Box::new([None; 256]);
        for (id, (text, kind)) in (0..).map(Token).zip(data.tokens.iter().zip(&data.types)) {
            match kind {
                TokenType::Byte => {
                    if let Some(b) = byte_token(text) {
                        bytes[usize::from(b)].get_or_insert(id);
                    }
                }
                TokenType::Control | TokenType::Unknown => {}
                TokenType::Normal | TokenType::UserDefined | TokenType::Unused => {
                    ids.entry(text.clone()).or_insert(id);
                }
            }
        }
        Ok(Self { ids, scores: data.scores.clone(), bytes, unk: data.unk })
    }

    /// Appends the tokens of a text in which spaces are marked already.
    pub(super) fn encode(&self, text: &str, out: &mut Vec<Token>) {
        let mut symbols = characters(text);
        let mut joins = BinaryHeap::new();
        for left in 0..symbols.len().saturating_sub(1) {
            joins.extend(self.join(text, &symbols, left, left + 1));
        }
        while let Some(Join { left, right, len, .. }) = joins.pop() {
            let (a, b) = (symbols[left], symbols[right]);
            if a.len == 0 || b.len == 0 || a.len + b.len != len {
                continue;
            }
            symbols[left] = Symbol { len, next: b.next, ..a };
            symbols[right].len = 0;
            if let Some(next) = b.next {
                symbols[next].prev = Some(left);
                joins.extend(self.join(text, &symbols, left, next));
            }
            if let Some(prev) = a.prev {
                joins.extend(self.join(text, &symbols, prev, left));
            }
        }
        self.emit(text, &symbols, out);
    }

    fn join(&self, text: &str, symbols: &[Symbol], left: usize, right: usize) -> Option<Join> {
        let start = symbols[left].start;
        let len = symbols[left].len + symbols[right].len;
        let id = *self.ids.get(&text[start..start + len])?;
        Some(Join { score: self.scores[id.index()], left, right, len })
    }

    /// Text without a token becomes its bytes' tokens or, in a vocabulary without those, one unknown token per run.
    fn emit(&self, text: &str, symbols: &[Symbol], out: &mut Vec<Token>) {
        let mut unknown = false;
        for s in symbols.iter().filter(|s| s.len > 0) {
            let part = &text[s.start..s.start + s.len];
            if let Some(id) = self.ids.get(part) {
                out.push(*id);
                unknown = false;
            } else if part.bytes().all(|b| self.bytes[usize::from(b)].is_some()) {
                out.extend(part.bytes().filter_map(|b| self.bytes[usize::from(b)]));
                unknown = false;
            } else {
                out.extend(self.unk.filter(|_| !unknown));
                unknown = true;
            }
        }
    }
}

fn characters(text: &str) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = text
        .char_indices()
        .enumerate()
        .map(|(i, (start, c))| Symbol { start, len: c.len_utf8(), prev: i.checked_sub(1), next: Some(i + 1) })
        .collect();
    if let Some(last) = symbols.last_mut() {
        last.next = None;
    }
    symbols
}
