//! What happens when the context is full.

use clap::ValueEnum;

/// A number of tokens that stay, or -1 for all.
pub(super) fn kept(text: &str) -> Result<u32, String> {
    match text {
        "-1" => Ok(u32::MAX),
        _ => text.parse().map_err(|_| "give a number of tokens, or -1 for the whole prompt".into()),
    }
}

/// What happens when the context is full.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overflow {
    /// The oldest turns leave, between turns and in the middle of an answer, which goes on.
    #[value(alias = "context-shift")]
    Shift,
    /// The oldest turns leave between turns only; an answer that fills the context ends there.
    #[value(alias = "truncate")]
    Trim,
    /// Nothing leaves: the answer ends, and a turn that does not fit is an error.
    #[value(alias = "end")]
    Stop,
}
