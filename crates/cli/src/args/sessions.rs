//! The options of saved sessions and of several samples.

use super::{Sampling, token_limit};
use crate::error::CliError;
use clap::{Args, Parser, ValueHint};
use std::path::{Path, PathBuf};

/// What an answer goes on from, and what is kept of it.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Sessions")]
pub(crate) struct Sessions {
    /// Go on from a saved session: the prompt is the conversation's next question. With --raw the prompt is the whole text, and what it
    /// begins with is not computed again where the session has it.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "batch")]
    pub(crate) load_session: Option<PathBuf>,
    /// Save the session with its answer; `akunu chat` goes on from it with /load.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "batch")]
    pub(crate) save_session: Option<PathBuf>,
    /// Both, of one file, as llama.cpp has it: a prompt that begins as the saved one did is computed from there on.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(conflicts_with_all = ["batch", "load_session", "save_session"])]
    pub(crate) prompt_cache: Option<PathBuf>,
    /// Give N answers to the prompt, which is computed once; each has the seed of the one before and 1 more.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    #[arg(conflicts_with_all = ["batch", "load_session", "save_session", "prompt_cache"])]
    pub(crate) samples: Option<u32>,
}

impl Sessions {
    /// Where a session is saved.
    pub(crate) fn written(&self) -> Option<&Path> {
        self.save_session.as_deref().or(self.prompt_cache.as_deref())
    }

    /// Whether any of it is asked for.
    pub(crate) fn any(&self) -> bool {
        self.load_session.is_some() || self.samples.is_some() || self.written().is_some()
    }
}

/// A setting that a conversation changes, by its option's name.
#[derive(Parser, Debug)]
#[command(no_binary_name = true, disable_help_flag = true, disable_version_flag = true)]
pub(crate) struct Setting {
    #[command(flatten)]
    pub(crate) sampling: Sampling,
    #[arg(long, aliases = ["n", "n-predict", "predict", "num-predict"], value_parser = token_limit)]
    pub(crate) max_tokens: Option<u32>,
}

impl Setting {
    /// Reads a name without dashes, or with `_` in their place, and a value.
    pub(crate) fn parse(name: &str, value: &str) -> Result<Self, CliError> {
        let name = name.trim_start_matches('-').replace('_', "-");
        Self::try_parse_from([format!("--{name}={value}")]).map_err(|e| {
            let text = e.to_string();
            let line = text.lines().next().unwrap_or("").trim_start_matches("error: ");
            CliError::Usage(format!("{line}; /set lists what can be set"))
        })
    }
}

/// Names that can be set.
pub(crate) const SETTINGS: &str = "system, max-tokens, seed, temp, top-k, top-p, min-p, typical, top-n-sigma, xtc-probability, \
    xtc-threshold, repeat-penalty, repeat-last-n, presence-penalty, frequency-penalty, dry-multiplier, dry-base, dry-allowed-length, \
    dry-penalty-last-n, mirostat, mirostat-ent, mirostat-lr, logit-bias, samplers";
