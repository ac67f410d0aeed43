//! Cutting text into pieces by a pre-tokenizer's patterns, in time linear in the text.
//!
//! Published patterns end in `\s+(?!\S)|\s+`: a run of white space before a word leaves its last character to the
//! word. A backtracking engine runs that as written, but gives up on hostile text, and then every later token is
//! wrong. The engine here never backtracks and has no look-ahead, so the tail becomes `\s+` and the last character
//! is given back afterwards. A property test compares both on random text.

use super::TokenizerError;
use regex::Regex;

/// How published patterns end.
const TAIL: &str = r"|\s+(?!\S)|\s+";
/// A pattern with this part takes white space that ends in a line break before the tail sees it.
const LINE_BREAKS: &str = r"\s*[\r\n]";

/// A pre-tokenizer's patterns, compiled.
#[derive(Debug)]
pub(super) struct Splitter {
    steps: Vec<(Regex, LastSpace)>,
}

/// What happens to the last character of a run of white space before a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastSpace {
    /// The pattern says itself.
    Kept,
    /// It belongs to the word.
    Given,
    /// It belongs to the word unless it breaks the line.
    GivenInLine,
}

impl Splitter {
    /// Compiles patterns, in the form they are published in.
    pub(super) fn new(patterns: &[&str]) -> Result<Self, TokenizerError> {
        let steps = patterns.iter().map(|published| {
            let (pattern, last) = match published.strip_suffix(TAIL) {
                None => ((*published).to_owned(), LastSpace::Kept),
                Some(head) if head.contains(LINE_BREAKS) => (format!(r"{head}|\s+"), LastSpace::GivenInLine),
                Some(head) => (format!(r"{head}|\s+"), LastSpace::Given),
            };
            let regex = Regex::new(&pattern)
                .map_err(|e| TokenizerError::Library { what: "compile a pattern", message: e.to_string() })?;
            Ok((regex, last))
        });
        Ok(Self { steps: steps.collect::<Result<_, _>>()? })
    }

    /// The pieces of a text, in order; together they are the text. Each pattern cuts the pieces of the one before:
    /// every match is a piece, and so is every gap between matches.
    pub(super) fn split<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut pieces = vec![text];
        let mut next = Vec::new();
        for (regex, last) in &self.steps {
            for piece in pieces.drain(..) {
                cut(regex, *last, piece, &mut next);
            }
            std::mem::swap(&mut pieces, &mut next);
        }
        pieces
    }
}

fn cut<'t>(regex: &Regex, last: LastSpace, text: &'t str, out: &mut Vec<&'t str>) {
    let mut from = 0;
    while let Some(found) = regex.find_at(text, from) {
        let end = found.end() - given_back(last, found.as_str(), &text[found.end()..]);
        if end == found.start() {
            // No pattern of the registry matches nothing; one that did would never get on.
            break;
        }
        if found.start() > from {
            out.push(&text[from..found.start()]);
        }
        out.push(&text[found.start()..end]);
        from = end;
    }
    if from < text.len() {
        out.push(&text[from..]);
    }
}

/// How many bytes of a match the text after it gets back.
fn given_back(last: LastSpace, found: &str, rest: &str) -> usize {
    let Some(c) = found.chars().next_back().filter(|c| c.is_whitespace()) else { return 0 };
    let alone = found.len() == c.len_utf8();
    let kept = match last {
        LastSpace::Kept => true,
        LastSpace::Given => false,
        LastSpace::GivenInLine => matches!(c, '\r' | '\n'),
    };
    if kept || alone || rest.is_empty() || !found.chars().all(char::is_whitespace) {
        return 0;
    }
    c.len_utf8()
}

#[cfg(test)]
mod tests {
    use super::super::pre::{PRE_TOKENIZERS, PreTokenizer};
    use super::*;
    use proptest::prelude::*;
    use std::sync::LazyLock;
    use tokenizers::pre_tokenizers::sequence::Sequence;
    use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
    use tokenizers::{
        OffsetReferential, OffsetType, PreTokenizedString, PreTokenizer as _, SplitDelimiterBehavior,
    };

    /// The patterns as published, on the backtracking engine of the `tokenizers` library.
    fn published(patterns: &[&str]) -> Sequence {
        let step = |p: &&str| {
            Split::new(SplitPattern::Regex((*p).into()), SplitDelimiterBehavior::Isolated, false)
                .unwrap()
                .into()
        };
        Sequence::new(patterns.iter().map(step).collect())
    }

    /// Text in which every branch of the patterns meets every other one.
    fn mixed() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            4 => proptest::sample::select(vec![
                " ", "  ", "\n", "\r\n", "\t", "\u{a0}", "\u{3000}", "\u{2028}", "a", "Zoë", "'s", "'LL", "'ſ", "1",
                "234", "²", "Ⅷ", ".", "!?", "$", "/", "_", "«", "中文", "かな", "한국", "ա", "ა", "𝐀", "é", "e\u{301}",
                "🦙", "\u{200d}", "\u{0}", "=", "^", "`", "||", "ǅ", "ʰ",
            ]).prop_map(String::from),
            1 => any::<char>().prop_map(String::from),
        ];
        prop::collection::vec(part, 0..24).prop_map(|v| v.concat())
    }

    static BOTH: LazyLock<Vec<(&[&str], Sequence, Splitter)>> = LazyLock::new(|| {
        let both = |p: &PreTokenizer| (p.names, published(p.patterns), Splitter::new(p.patterns).unwrap());
        PRE_TOKENIZERS.iter().map(both).collect()
    });

    proptest! {
        #[test]
        fn pieces_are_those_of_the_published_patterns(text in mixed()) {
            for (names, published, splitter) in BOTH.iter() {
                let mut want = PreTokenizedString::from(text.as_str());
                published.pre_tokenize(&mut want).unwrap();
                let want = want.get_splits(OffsetReferential::Original, OffsetType::Byte);
                let want: Vec<&str> = want.into_iter().map(|s| s.0).collect();
                let mut got = splitter.split(&text);
                got.retain(|p| !p.is_empty());
                prop_assert_eq!(got, want, "{:?}", names);
            }
        }
    }
}
