//! A prompt with a hole.

use crate::error::CliError;
use crate::text::{Bound, read_text};
use clap::{Args, ValueHint};
use std::path::PathBuf;

/// What comes after what is to be written.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Fill in the middle")]
pub(crate) struct Fill {
    /// The prompt goes on with this text, and the answer is what comes between; for models that were trained for that, as coders are.
    #[arg(long, value_name = "TEXT", alias = "fim-suffix", allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["system", "chat_template", "suffix_file"])]
    suffix: Option<String>,
    /// The same from a file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["system", "chat_template"])]
    suffix_file: Option<PathBuf>,
}

impl Fill {
    /// Whether there is a hole.
    pub(crate) fn is_asked(&self) -> bool {
        self.suffix.is_some() || self.suffix_file.is_some()
    }

    /// What comes after it.
    pub(crate) fn suffix(&self) -> Result<Option<String>, CliError> {
        match &self.suffix_file {
            Some(path) => read_text(path, Bound::Prompt).map(Some),
            None => Ok(self.suffix.clone()),
        }
    }
}
