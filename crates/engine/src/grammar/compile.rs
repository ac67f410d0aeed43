//! A source becomes a grammar.

use super::start::{Marker, is_space_token};
use super::{GrammarError, GrammarSource, GrammarStart, MAX_SOURCE_BYTES, Matcher, Vocabulary, gbnf, schema};
use akunu_kernels::step::Token;
use llguidance::api::{GrammarInit, TopLevelGrammar};
use llguidance::{Matcher as Parser, regex_to_lark};
use std::sync::Arc;

/// Stack of the thread that compiles: the library is recursive, and so are schemas. Pages that are not touched cost
/// nothing.
const STACK: usize = 256 << 20;

/// A compiled grammar for one vocabulary.
pub struct Grammar {
    /// A parser that stands at the beginning; matchers are copies of it.
    first: std::sync::Mutex<Parser>,
    pub(super) vocabulary: Arc<Vocabulary>,
    /// What an aside before it begins with, where that may come; the first of the markers ends it.
    pub(super) opening: Option<Vec<u8>>,
    /// What must come before it, in their order.
    pub(super) markers: Vec<Marker>,
    /// Whether the last of them may never come.
    pub(super) need: Need,
    /// Tokens of nothing but white space; only with markers.
    pub(super) spaces: Vec<Token>,
    kind: &'static str,
}

/// Whether a text that ends before its grammar has begun is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// It is not.
    Must,
    /// It is.
    May,
}

impl std::fmt::Debug for Grammar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Grammar").field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// Nothing but itself: two that were compiled from one text are two.
impl PartialEq for Grammar {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Grammar {
    /// Compiles a source.
    pub fn compile(
        source: &GrammarSource,
        start: &GrammarStart,
        vocabulary: &Arc<Vocabulary>,
    ) -> Result<Arc<Self>, GrammarError> {
        let kind = source.kind();
        let bytes = source.bytes();
        if bytes > MAX_SOURCE_BYTES {
            return Err(GrammarError::TooLong { kind, bytes });
        }
        let (texts, need): (Vec<&String>, Need) = match start {
            GrammarStart::AtOnce => (Vec::new(), Need::Must),
            GrammarStart::After(text) => (vec![text], Need::Must),
            GrammarStart::If { first, mark } => {
                (first.iter().map(|a| &a.close).chain([mark]).collect(), Need::May)
            }
        };
        let opening = match start {
            GrammarStart::If { first: Some(aside), .. } => aside.open.as_ref(),
            _ => None,
        };
        if texts.iter().copied().chain(opening).any(String::is_empty) {
            return Err(GrammarError::EmptyMarker);
        }
        let opening = opening.map(|o| o.as_bytes().to_vec());
        let markers: Vec<Marker> = texts.into_iter().map(|t| Marker::new(t, vocabulary)).collect();
        let spaces = match markers.is_empty() {
            true => Vec::new(),
            false => {
                let all = (0..vocabulary.len() as u32).map(Token);
                all.filter(|t| is_space_token(vocabulary.tokenizer(), *t)).collect()
            }
        };
        let first = on_large_stack(kind, || parser(source, vocabulary))?;
        let vocabulary = vocabulary.clone();
        Ok(Arc::new(Self { first: first.into(), vocabulary, opening, markers, need, spaces, kind }))
    }

    /// A matcher for one sequence. It shares nothing that changes with others.
    pub fn matcher(self: &Arc<Self>) -> Matcher {
        let first = self.first.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Matcher::new(first.deep_clone(), self.clone())
    }

    /// What it was compiled from: "JSON schema", "GBNF grammar".
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Its vocabulary.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }
}

/// Runs `f` on a thread whose stack holds what the limits allow.
fn on_large_stack<T: Send>(
    kind: &'static str,
    f: impl FnOnce() -> Result<T, GrammarError> + Send,
) -> Result<T, GrammarError> {
    let fail = |message: String| GrammarError::Source { kind, message };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("grammar".into()).stack_size(STACK);
        let thread = thread.spawn_scoped(scope, f).map_err(|e| fail(format!("no thread: {e}")))?;
        thread.join().map_err(|_| fail("the grammar library failed; please report the source".into()))?
    })
}

fn parser(source: &GrammarSource, vocabulary: &Vocabulary) -> Result<Parser, GrammarError> {
    let kind = source.kind();
    let init = match source {
        GrammarSource::JsonSchema(text) => {
            GrammarInit::Serialized(TopLevelGrammar::from_json_schema(schema::lower(text)?))
        }
        GrammarSource::Regex(text) => GrammarInit::Serialized(TopLevelGrammar::from_lark(format!(
            "start: /{}/",
            regex_to_lark(text, "")
        ))),
        GrammarSource::Lark(text) => GrammarInit::Serialized(TopLevelGrammar::from_lark(text.clone())),
        GrammarSource::Gbnf(text) => {
            GrammarInit::Serialized(TopLevelGrammar::from_lark(gbnf::to_lark(text)?))
        }
        GrammarSource::Calls(calls) => {
            GrammarInit::Serialized(TopLevelGrammar::from_lark(calls.to_lark(vocabulary)?))
        }
    };
    let parser = vocabulary.factory.create_parser_from_init_default(init);
    let parser = parser.map_err(|e| GrammarError::Source { kind, message: shorten(&e.to_string()) })?;
    Ok(Parser::new(Ok(parser)))
}

/// The library's message in one line of bounded length.
pub(super) fn shorten(message: &str) -> String {
    const MOST: usize = 300;
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
