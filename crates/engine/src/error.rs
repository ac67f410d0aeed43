//! What can go wrong in the engine.

use akunu_device::DeviceError;
use akunu_kernels::step::Token;
use akunu_model::ModelError;
use akunu_model::tokenizer::TokenizerError;
use akunu_plan::PlanError;
use std::path::PathBuf;
use thiserror::Error;

/// Why a model has no tokenizer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoTokenizer {
    /// What is not there, and where.
    pub missing: String,
    /// What to do.
    pub remedy: &'static str,
}

/// What makes a batch smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lower {
    /// Fewer sequences.
    Sequences,
    /// A smaller KV cache.
    CacheTokens,
    /// Not even one sequence has room: a shorter context, or another format of the KV cache.
    Context,
}

impl std::fmt::Display for Lower {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Sequences => "lower `sequences`",
            Self::CacheTokens => "lower `cache_tokens`",
            Self::Context => {
                "load the model with a shorter context, or with a smaller format of the KV cache (q8_0)"
            }
        })
    }
}

/// Every message says what, where and what to do next.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the fields are named in the messages")]
pub enum Error {
    /// The file.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The device.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The tokenizer.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    /// Text is asked of a model without a tokenizer.
    #[error("the model has no tokenizer: {}; {}, or use token ids", .0.missing, .0.remedy)]
    NoTokenizer(NoTokenizer),
    /// A conversation is asked of a model without a chat template.
    #[error(
        "the model has no chat template; prompt with plain text, or choose a model that was trained for conversations"
    )]
    NoChatTemplate,
    /// The chat template refuses a conversation, or fails.
    #[error(transparent)]
    Chat(#[from] akunu_model::chat::ChatError),
    /// More tokens than the context holds.
    #[error(
        "{tokens} tokens do not fit into a context of {context}; shorten the prompt, or load with a longer \
         context (--ctx)"
    )]
    ContextFull { tokens: u64, context: u32 },
    /// A text that is longer than an encoder reads.
    #[error(
        "text {index} (from 0) has {tokens} tokens, and the model reads {most} at most; shorten it, or let it be cut (--truncate)"
    )]
    TextTooLong { index: usize, tokens: u64, most: u32 },
    /// A text without a token, which has no vector.
    #[error("text {index} (from 0) has no tokens; give it at least one")]
    EmptyText { index: usize },
    /// A text with a hole, for a model that cannot fill it.
    #[error(
        "the model's vocabulary has no tokens for text before and after a hole (fill-in-the-middle); choose a model that was trained for \
         that, as coders of Qwen, DeepSeek and StarCoder are"
    )]
    NoInfill,
    /// A token id outside the vocabulary.
    #[error("token id {token} at index {index} is outside the vocabulary of {vocab}; ids go from 0 to {max}", max = vocab - 1)]
    TokenRange { token: Token, index: usize, vocab: u32 },
    /// Nothing to go on from.
    #[error("the session is empty; append at least one token first")]
    Empty,
    /// An option with a value that means nothing.
    #[error("{name} is {value}; {remedy}")]
    Option { name: &'static str, value: String, remedy: &'static str },
    /// No logit was finite.
    #[error(
        "the model's output is not a number at position {position}; its weights are broken or of a kind that \
         overflows here: fetch the file again, or try AKUNU_CPU=reference"
    )]
    NotFinite { position: u32 },
    /// A sequence that bans tokens had none left to draw.
    #[error(
        "no token can be drawn at position {position}: all are banned, or the model's output is not a number; allow more tokens"
    )]
    NoToken { position: u32 },
    /// A batch needs more memory than is free; nothing was allocated.
    #[error(
        "a batch of {sequences} sequences with a KV cache of {tokens} tokens needs {} MiB of memory beside the weights, and {} MiB are \
         free; {lower}", needed.div_ceil(1 << 20), free >> 20
    )]
    Memory { sequences: u32, tokens: u64, needed: u64, free: u64, lower: Lower },
    /// No blocks left.
    #[error(
        "a sequence of {tokens} tokens finds no room: the KV cache has {blocks} blocks of 256 tokens for all sequences; end or park \
         one, or make the cache larger"
    )]
    CacheFull { tokens: u32, blocks: u32 },
    /// Too many requests wait.
    #[error("{waiting} requests wait already; try again later, or allow a longer queue")]
    QueueFull { waiting: usize },
    /// The engine has ended.
    #[error("the engine has stopped: {why}; start another one")]
    Stopped { why: String },
    /// The output cannot follow what it was asked to.
    #[error(transparent)]
    Grammar(#[from] crate::grammar::GrammarError),
    /// The audio.
    #[error(transparent)]
    Audio(#[from] akunu_audio::AudioError),
    /// A cancel ended it.
    #[error("cancelled; the session stands at its last whole step: ask again to go on")]
    Cancelled,
    /// A file that this session cannot be loaded from, or saved to.
    #[error("session file {}: {what}; {remedy}", path.display())]
    SessionFile { path: PathBuf, what: String, remedy: &'static str },
    /// A rewind or shift outside what the session has.
    #[error("{what}: the session has {tokens} tokens, {kv} of them in the KV cache; {remedy}")]
    Position { what: String, tokens: u32, kv: u32, remedy: &'static str },
}

/// What kind of error it is, for programs in other languages: each has a number in the C API and a class in Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// An argument or option that means nothing, or that this model or device does not know.
    Argument,
    /// A file that is not there, is broken, or is of a kind that is not supported.
    Model,
    /// The device, or its driver.
    Device,
    /// Not enough memory, or no room in the KV cache.
    Memory,
    /// More tokens than the context holds.
    ContextFull,
    /// Too many requests wait.
    QueueFull,
    /// The engine has ended.
    Stopped,
    /// The output cannot follow what it was asked to.
    Grammar,
    /// The model's output is not a number.
    NotFinite,
    /// A cancel ended it.
    Cancelled,
    /// A session's file.
    SessionFile,
}

impl Error {
    /// What kind of error it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Model(_) | Self::Plan(_) => ErrorKind::Model,
            Self::Device(_) => ErrorKind::Device,
            Self::ContextFull { .. } | Self::TextTooLong { .. } => ErrorKind::ContextFull,
            Self::Memory { .. } | Self::CacheFull { .. } => ErrorKind::Memory,
            Self::NotFinite { .. } | Self::NoToken { .. } => ErrorKind::NotFinite,
            Self::QueueFull { .. } => ErrorKind::QueueFull,
            Self::Stopped { .. } => ErrorKind::Stopped,
            Self::Grammar(_) => ErrorKind::Grammar,
            Self::Cancelled => ErrorKind::Cancelled,
            Self::SessionFile { .. } => ErrorKind::SessionFile,
            Self::Tokenizer(_)
            | Self::NoTokenizer(_)
            | Self::NoChatTemplate
            | Self::Chat(_)
            | Self::EmptyText { .. }
            | Self::NoInfill
            | Self::TokenRange { .. }
            | Self::Empty
            | Self::Option { .. }
            | Self::Audio(_)
            | Self::Position { .. } => ErrorKind::Argument,
        }
    }
}
