//! Structured output: text that follows a JSON schema, a regular expression or a context-free grammar.
//!
//! A [`Vocabulary`] is the token trie of a tokenizer, built once. A [`Grammar`] is compiled once from a
//! [`GrammarSource`] for a vocabulary; a [`Matcher`] follows one sequence: it says which tokens may come next, takes
//! the token that was drawn, goes back, and forks. The masks are llguidance's; the JSON schemas that it gets are
//! ours (`schema`): references are resolved, drafts made one, and what it does not enforce is refused by name. GBNF
//! is read here too (`gbnf`).
//!
//! **Nothing fails open.** What cannot be enforced is an error of [`Grammar::compile`], before the first token. A
//! mask that cannot be made within its limits is an error of [`Matcher::mask`], and the caller ends the sequence.
//!
//! # Limits
//!
//! | what | limit |
//! |---|---|
//! | a source's text | [`MAX_SOURCE_BYTES`] |
//! | definitions of a schema: their depths added up | [`schema::MAX_DEPTH`] |
//! | alternatives of a `oneOf`, which are compared in pairs | [`schema::MAX_ONE_OF`] |
//! | patterns of a `patternProperties`, likewise | [`schema::MAX_PATTERN_PROPERTIES`] |
//! | a schema's parts that are intersected, as a product of their sizes | [`schema::MAX_PRODUCT`] |
//! | a GBNF grammar's repetitions, groups within groups, rules | [`gbnf::MAX_REPETITIONS`], [`gbnf::MAX_NESTING`], [`gbnf::MAX_RULES`] |
//! | regular expressions at compile time, steps of the lexer and the parser for one mask, states kept | [`LIMITS`] |
//!
//! Deliberately absent: sampling and devices; a mask is words of bits.

mod calls;
mod compile;
pub mod gbnf;
mod matcher;
pub mod schema;
mod start;
mod vocabulary;

use akunu_kernels::step::Token;
use llguidance::api::ParserLimits;
use thiserror::Error;

pub use calls::{CallKind, CallText};
pub use compile::Grammar;
pub use gbnf::GbnfError;
pub use matcher::Matcher;
pub use schema::SchemaError;
pub use vocabulary::Vocabulary;

/// Longest text of a source, in bytes.
pub const MAX_SOURCE_BYTES: usize = 4 << 20;

/// llguidance's limits. Fuel is its own unit of work on regular expressions, about 20 ns at compile time and 70 ns
/// when a mask is made; items are entries of Earley's table, about 50 ns each; a lexer state takes one to two KiB.
pub const LIMITS: ParserLimits = ParserLimits {
    max_items_in_row: 2_000,
    initial_lexer_fuel: 1_000_000,
    step_lexer_fuel: 500_000,
    // GBNF is parsed by characters, where a mask over 128k tokens visits many of them.
    step_max_items: 2_000_000,
    max_lexer_states: 100_000,
    max_grammar_size: 500_000,
    precompute_large_lexemes: true,
    verbose_errors: false,
};

/// What the output must follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrammarSource {
    /// A JSON schema, as text ([`schema`] says what of it is supported).
    JsonSchema(String),
    /// A regular expression that the whole output matches, in the syntax of the `regex` crate without look-around.
    Regex(String),
    /// A grammar in llguidance's variant of Lark.
    Lark(String),
    /// A grammar in llama.cpp's GBNF ([`gbnf`]).
    Gbnf(String),
    /// Calls of tools.
    Calls(CallText),
}

impl GrammarSource {
    /// What messages call it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::JsonSchema(_) => "JSON schema",
            Self::Regex(_) => "regular expression",
            Self::Lark(_) => "Lark grammar",
            Self::Gbnf(_) => "GBNF grammar",
            Self::Calls(_) => "grammar of tool calls",
        }
    }

    /// Bytes of it.
    pub fn bytes(&self) -> usize {
        match self {
            Self::JsonSchema(s) | Self::Regex(s) | Self::Lark(s) | Self::Gbnf(s) => s.len(),
            Self::Calls(c) => c.bytes(),
        }
    }
}

/// Where in the output a grammar begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum GrammarStart {
    /// With the first token.
    #[default]
    AtOnce,
    /// After this text, such as `</think>`, and white space after it. Before it every token is allowed but those
    /// that end the sequence.
    After(String),
    /// With this mark, if it comes, and white space after it. Before it every token is allowed, and the text may end without it.
    If {
        /// What comes first, in which the mark is not looked for.
        first: Option<Aside>,
        /// What the grammar begins with. It is not part of the grammar.
        mark: String,
    },
}

/// A beginning of a text that a grammar is not about: thoughts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    /// What it begins with, after white space, where the text has it at all; `None` where the text begins within it, so that its end must
    /// come.
    pub open: Option<String>,
    /// What it ends with.
    pub close: String,
}

/// Every message says what, where and what to do next.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named in the messages")]
pub enum GrammarError {
    /// The schema.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// The GBNF text.
    #[error(transparent)]
    Gbnf(#[from] GbnfError),
    /// A source that is too long.
    #[error("the {kind} has {bytes} bytes; at most {max} are taken", max = MAX_SOURCE_BYTES)]
    TooLong { kind: &'static str, bytes: usize },
    /// What the grammar library says of a source.
    #[error("the {kind} cannot be used: {message}")]
    Source { kind: &'static str, message: String },
    /// A vocabulary that a token trie has no room for, or that has no text.
    #[error("the vocabulary cannot be used for structured output: {what}")]
    Vocabulary { what: String },
    /// A marker without text.
    #[error("the text after which a grammar begins is empty; name one, such as </think>")]
    EmptyMarker,
    /// A mask slice of another size.
    #[error("a mask of {found} words is too small for {tokens} tokens; it needs {}", tokens.div_ceil(32))]
    MaskWords { found: usize, tokens: usize },
    /// A token that the grammar does not allow here; the matcher stands where it was.
    #[error("token {} is not allowed by the grammar at this place; draw from the mask", .token.0)]
    Refused { token: Token },
    /// More tokens to take back than were taken.
    #[error("{tokens} tokens cannot be taken back: the grammar has taken {taken}")]
    Rollback { tokens: usize, taken: usize },
    /// The grammar went beyond its limits in the middle of a text.
    #[error(
        "the grammar cannot go on: {message}; a simpler grammar helps (fewer nested repetitions, shorter bounds)"
    )]
    Stuck { message: String },
}
