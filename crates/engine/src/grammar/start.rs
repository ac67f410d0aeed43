//! A grammar that begins after markers: which tokens may come before it.

use super::Vocabulary;
use akunu_kernels::step::Token;
use akunu_model::tokenizer::{Tokenizer, shorter_matches};

/// White-space tokens between the marker and the text, at most; then the grammar begins in any case.
const MOST_GAP: u8 = 4;

/// The text before a grammar and what of it has been seen.
#[derive(Clone, Debug)]
pub(super) struct Marker {
    text: Vec<u8>,
    /// For each length of a partial match, the longest shorter one that ends at the same place.
    shorter: Vec<usize>,
    /// Tokens in which the marker could end before the token does.
    suspects: Vec<Token>,
}

/// Where a sequence stands before its grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    /// So many bytes of the marker of this number are the end of the text.
    Marker(usize, usize),
    /// The last marker is complete; so many tokens of white space may come.
    Gap(u8),
    /// The grammar has begun.
    Nothing,
}

/// What of a marker is the end of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// So many bytes.
    Part(usize),
    /// All of it.
    All,
}

impl Before {
    /// Where a sequence stands once the marker of this number is complete, of so many.
    pub(super) fn after(number: usize, markers: usize) -> Self {
        if number + 1 < markers { Self::Marker(number + 1, 0) } else { Self::Gap(MOST_GAP) }
    }
}

impl Marker {
    pub(super) fn new(text: &str, vocabulary: &Vocabulary) -> Self {
        let text = text.as_bytes().to_vec();
        let shorter = shorter_matches(&text);
        let last = text[text.len() - 1];
        let tokenizer = vocabulary.tokenizer();
        let suspects = (0..vocabulary.len() as u32)
            .map(Token)
            .filter(|id| {
                let bytes = shown(tokenizer, *id);
                bytes.len() > 1 && bytes[..bytes.len() - 1].contains(&last)
            })
            .collect();
        Self { text, shorter, suspects }
    }

    /// What a token makes of a match of `matched` bytes: the new match, or how many of its bytes come after the
    /// marker's end.
    fn advance(&self, mut matched: usize, bytes: &[u8]) -> Result<usize, usize> {
        for (i, byte) in bytes.iter().enumerate() {
            while matched > 0 && self.text[matched] != *byte {
                matched = self.shorter[matched];
            }
            matched += usize::from(self.text[matched] == *byte);
            if matched == self.text.len() {
                return Err(bytes.len() - i - 1);
            }
        }
        Ok(matched)
    }

    /// How far the marker is seen after a token; `None` where the token is not allowed: one that ends the marker and goes on with
    /// something that the grammar never saw.
    pub(super) fn step(&self, matched: usize, tokenizer: &Tokenizer, token: Token) -> Option<Seen> {
        let bytes = shown(tokenizer, token);
        match self.advance(matched, bytes) {
            Ok(matched) => Some(Seen::Part(matched)),
            Err(after) if is_space(&bytes[bytes.len() - after..]) => Some(Seen::All),
            Err(_) => None,
        }
    }

    /// Takes from a mask the tokens that `step` refuses.
    pub(super) fn refuse(&self, matched: usize, tokenizer: &Tokenizer, mask: &mut [u32]) {
        for token in &self.suspects {
            if self.step(matched, tokenizer, *token).is_none() {
                mask[token.0 as usize / 32] &= !(1 << (token.0 % 32));
            }
        }
    }
}

/// The bytes by which a marker is found: a control token is its name.
fn shown(tokenizer: &Tokenizer, token: Token) -> &[u8] {
    if tokenizer.is_control(token) {
        tokenizer.token_text(token).unwrap_or_default().as_bytes()
    } else {
        tokenizer.token_bytes(token)
    }
}

fn is_space(bytes: &[u8]) -> bool {
    bytes.iter().all(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n'))
}

/// Whether a token is white space and nothing else.
pub(super) fn is_space_token(tokenizer: &Tokenizer, token: Token) -> bool {
    let bytes = tokenizer.token_bytes(token);
    !tokenizer.is_control(token) && !bytes.is_empty() && is_space(bytes)
}
