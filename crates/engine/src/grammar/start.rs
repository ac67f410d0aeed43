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
    /// So many bytes of an aside's beginning are the text, after white space.
    Opening(usize),
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

impl Seen {
    /// Where a sequence stands then, of the marker of this number, of so many.
    pub(super) fn before(self, number: usize, markers: usize) -> Before {
        match self {
            Self::Part(matched) => Before::Marker(number, matched),
            Self::All if number + 1 < markers => Before::Marker(number + 1, 0),
            Self::All => Before::Gap(MOST_GAP),
        }
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
        self.step_bytes(matched, shown(tokenizer, token))
    }

    fn step_bytes(&self, matched: usize, bytes: &[u8]) -> Option<Seen> {
        match self.advance(matched, bytes) {
            Ok(matched) => Some(Seen::Part(matched)),
            Err(after) if is_space(&bytes[bytes.len() - after..]) => Some(Seen::All),
            Err(_) => None,
        }
    }

    /// Takes from a mask those tokens in which the marker could end too early and that are not allowed.
    pub(super) fn refuse(&self, is_allowed: impl Fn(Token) -> bool, mask: &mut [u32]) {
        for token in &self.suspects {
            if !is_allowed(*token) {
                mask[token.0 as usize / 32] &= !(1 << (token.0 % 32));
            }
        }
    }
}

/// Where a text stands after a token, of which `seen` bytes of `open` were there: within the aside, whose end is the first of the markers, or
/// past it, before the second. `None` where the token is not allowed.
pub(super) fn open(
    open: &[u8],
    markers: &[Marker],
    seen: usize,
    tokenizer: &Tokenizer,
    token: Token,
) -> Option<Before> {
    let [close, mark] = markers else { return None };
    let (bytes, mut seen) = (shown(tokenizer, token), seen);
    for (i, byte) in bytes.iter().enumerate() {
        if seen == 0 && is_space(&[*byte]) {
            continue;
        }
        if open[seen] != *byte {
            // There is none; what looked like it may be the mark.
            let rest = [&open[..seen], &bytes[i..]].concat();
            return mark.step_bytes(0, &rest).map(|s| s.before(1, markers.len()));
        }
        seen += 1;
        if seen == open.len() {
            return close.step_bytes(0, &bytes[i + 1..]).map(|s| s.before(0, markers.len()));
        }
    }
    Some(Before::Opening(seen))
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
