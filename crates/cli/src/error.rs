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
    /// Standard output.
    #[error("cannot write to standard output: {0}")]
    Stdout(std::io::Error),
    /// A file of the user's.
    #[error("{path}: {source}")]
    File { path: String, source: std::io::Error },
    /// Text that is no UTF-8.
    #[error("{what} is not valid UTF-8: byte {offset} starts no character; convert it to UTF-8 first")]
    Utf8 { what: String, offset: usize },
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
            Self::Stdout(_) | Self::File { .. } => "io",
            Self::Utf8 { .. } => "utf8",
            Self::Usage(_) => "usage",
            Self::Other(_) => "other",
        }
    }
}
