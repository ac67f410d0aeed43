//! Tokens that are matched as whole texts, before any pre-tokenizer.

use super::{Specials, TokenType, TokenizerData};
use akunu_kernels::step::Token;
use std::collections::HashSet;

/// Control tokens and tokens that users added.
#[derive(Debug)]
pub(super) struct WholeTokens {
    /// By first byte, longest text first.
    by_first: Vec<Vec<WholeToken>>,
}

#[derive(Clone, Debug)]
struct WholeToken {
    text: String,
    id: Token,
    /// What must be asked for to match it; `None` when it always matches.
    needs: Option<Specials>,
}

impl WholeTokens {
    pub(super) fn new(data: &TokenizerData) -> Self {
        let mut by_first: Vec<Vec<WholeToken>> = vec![Vec::new(); 256];
        let mut seen = HashSet::new();
        for (id, (text, kind)) in (0..).map(Token).zip(data.tokens.iter().zip(&data.types)) {
            let needs = match kind {
                TokenType::Control | TokenType::Unknown => Some(Specials::Parse),
                TokenType::UserDefined => None,
                TokenType::Normal | TokenType::Unused | TokenType::Byte => continue,
            };
            if let Some(first) = text.bytes().next()
                && seen.insert(text.as_str())
            {
                by_first[usize::from(first)].push(WholeToken { text: text.clone(), id, needs });
            }
        }
        for list in &mut by_first {
            list.sort_by_key(|t| std::cmp::Reverse(t.text.len()));
        }
        Self { by_first }
    }

    /// The first such token in a text: its byte offset and id; the longest where several start there.
    pub(super) fn find(&self, text: &str, specials: Specials) -> Option<(usize, Token)> {
        let bytes = text.as_bytes();
        (0..bytes.len()).find_map(|at| {
            let hit = self.by_first[usize::from(bytes[at])].iter().find(|t| {
                t.needs.is_none_or(|n| n == specials) && bytes[at..].starts_with(t.text.as_bytes())
            })?;
            Some((at, hit.id))
        })
    }
}
