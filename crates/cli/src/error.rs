//! What the command can fail with, and its exit codes: 1 for an error, 2 for wrong usage, 128 and its number after a
//! signal.

use thiserror::Error;

/// A failure of the command.
#[derive(Debug, Error)]
pub(crate) enum CliError {
    /// The engine.
    #[error(transparent)]
    Engine(#[from] akunu::Error),
    /// A file's metadata or weights.
    #[error(transparent)]
    Model(#[from] akunu::files::ModelError),
    /// A tokenizer.
    #[error(transparent)]
    Tokenizer(#[from] akunu::files::tokenizer::TokenizerError),
    /// A chat template.
    #[error(transparent)]
    Chat(#[from] akunu::files::chat::ChatError),
    /// Getting a model.
    #[error(transparent)]
    Hub(#[from] akunu_hub::HubError),
    /// The server.
    #[error(transparent)]
    Server(#[from] akunu_server::ServerError),
    /// Standard output.
    #[error("cannot write to standard output: {0}")]
    Stdout(std::io::Error),
    /// A file of the user's.
    #[error("{path}: {source}")]
    File { path: String, source: std::io::Error },
    /// Text that is no UTF-8.
    #[error("{what} is not valid UTF-8: byte {offset} starts no character; convert it to UTF-8 first")]
    Utf8 { what: String, offset: usize },
    /// Text in an encoding whose characters are wider than a byte.
    #[error("{what} is {encoding} by its byte-order mark; convert it to UTF-8 first")]
    Wide { what: String, encoding: &'static str },
    /// Bytes that are no text.
    #[error(
        "{what} has a NUL byte at {offset}, so it is no text, or text in UTF-16; give it as plain text in UTF-8"
    )]
    Nul { what: String, offset: usize },
    /// More text than is read.
    #[error("{what} has more than {} MiB, {why}", limit >> 20)]
    TooLong { what: String, limit: u64, why: &'static str },
    /// What a batch needs is not free.
    #[error(
        "{what} needs {} of memory beside the weights, and {} are free; {remedy}",
        crate::units::bytes(*needed), crate::units::bytes(*free)
    )]
    Memory { what: String, needed: u64, free: u64, remedy: String },
    /// Lines of a batch that have no answer.
    #[error("{failed} of {all} lines failed; the `error` of each is in its place among the answers")]
    Lines { failed: u64, all: u64 },
    /// Wrong usage that the argument parser cannot see.
    #[error("{0}")]
    Usage(String),
    /// Anything else, in full.
    #[error("{0}")]
    Other(String),
}

impl CliError {
    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        if matches!(self, Self::Usage(_)) { 2 } else { 1 }
    }

    /// A short name for programs.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Engine(_) => "engine",
            Self::Model(_) => "model",
            Self::Tokenizer(_) => "tokenizer",
            Self::Chat(_) => "chat_template",
            Self::Hub(_) => "hub",
            Self::Server(_) => "server",
            Self::Stdout(_) | Self::File { .. } => "io",
            Self::Utf8 { .. } | Self::Wide { .. } | Self::Nul { .. } => "utf8",
            Self::TooLong { .. } => "too_long",
            Self::Memory { .. } => "memory",
            Self::Lines { .. } => "lines",
            Self::Usage(_) => "usage",
            Self::Other(_) => "other",
        }
    }
}
