//! BERT's tokenizer: basic tokenization, then the longest pieces of the vocabulary, from the left (Devlin et al., 2019).
//!
//! Characters are normalized by the `tokenizers` library, as in the models' own code. A text is cut at plain white space first, so that
//! what is held beside it does not grow with its length.

use super::data::WordRules;
use super::{Token, TokenizerData, TokenizerError};
use std::collections::HashMap;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::{NormalizedString, Normalizer as _};

/// Longer words are the unknown token.
const MOST_CHARACTERS: usize = 100;

pub(super) struct WordPieces {
    normalizer: BertNormalizer,
    /// Pieces that begin a word.
    begin: HashMap<String, Token>,
    /// Pieces that continue one, without their mark.
    go_on: HashMap<String, Token>,
    unk: Option<Token>,
}

impl WordPieces {
    pub(super) fn new(data: &TokenizerData) -> Result<Self, TokenizerError> {
        let rules = data.words.unwrap_or(WordRules::UNCASED);
        let normalizer =
            BertNormalizer::new(rules.clean, rules.split_chinese, Some(rules.strip_accents), rules.lowercase);
        let (mut begin, mut go_on) = (HashMap::new(), HashMap::new());
        // The first of two equal texts counts.
        for (id, text) in data.tokens.iter().enumerate().rev() {
            match text.strip_prefix("##").filter(|t| !t.is_empty()) {
                Some(t) => go_on.insert(t.to_owned(), Token(id as u32)),
                None => begin.insert(text.clone(), Token(id as u32)),
            };
        }
        Ok(Self { normalizer, begin, go_on, unk: data.unk })
    }

    pub(super) fn encode(&self, text: &str, out: &mut Vec<Token>) -> Result<(), TokenizerError> {
        for piece in text.split([' ', '\t', '\n', '\r']).filter(|p| !p.is_empty()) {
            let mut n = NormalizedString::from(piece);
            let failed =
                |e: tokenizers::Error| TokenizerError::Library { what: "encode", message: e.to_string() };
            self.normalizer.normalize(&mut n).map_err(failed)?;
            for word in n.get().split(char::is_whitespace) {
                self.punctuated(word, out);
            }
        }
        Ok(())
    }

    /// Each punctuation character is a word.
    fn punctuated(&self, word: &str, out: &mut Vec<Token>) {
        let mut from = 0;
        for (at, c) in word.char_indices().filter(|(_, c)| is_punctuation(*c)) {
            self.word(&word[from..at], out);
            from = at + c.len_utf8();
            self.word(&word[at..from], out);
        }
        self.word(&word[from..], out);
    }

    /// A word as the longest pieces from the left; the unknown token where that fails somewhere.
    fn word(&self, word: &str, out: &mut Vec<Token>) {
        if word.is_empty() {
            return;
        }
        let before = out.len();
        let ends: Vec<usize> =
            word.char_indices().map(|(i, c)| i + c.len_utf8()).take(MOST_CHARACTERS + 1).collect();
        let known = ends.len() <= MOST_CHARACTERS && {
            let mut from = 0;
            loop {
                let pieces = if from == 0 { &self.begin } else { &self.go_on };
                let longest = ends.iter().rev().take_while(|e| **e > from);
                let Some((end, id)) = longest.clone().find_map(|e| Some((*e, *pieces.get(&word[from..*e])?)))
                else {
                    break false;
                };
                out.push(id);
                from = end;
                if from == word.len() {
                    break true;
                }
            }
        };
        if !known {
            out.truncate(before);
            out.extend(self.unk);
        }
    }
}

/// ASCII's and Unicode's: categories Pc, Pd, Pe, Pf, Pi, Po and Ps.
fn is_punctuation(c: char) -> bool {
    use std::sync::LazyLock;
    static OTHERS: LazyLock<Option<regex::Regex>> = LazyLock::new(|| regex::Regex::new(r"^\p{P}$").ok());
    if c.is_ascii() {
        return c.is_ascii_punctuation();
    }
    OTHERS.as_ref().is_some_and(|r| r.is_match(c.encode_utf8(&mut [0; 4])))
}
