//! The options that say who drafts.

use crate::error::CliError;
use akunu::DraftOptions;
use clap::Args;

/// Who drafts tokens that steps verify. Many answers at a time draft by look-up only.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Drafts")]
pub(crate) struct Drafting {
    /// Draft tokens that a step verifies, several at once: ngram (by look-up in the text so far) or a smaller model with the same
    /// tokens, also as -md. The answer is the same; steps draft while that is faster.
    #[arg(long, value_name = "ngram|MODEL", aliases = ["model-draft", "speculative"], value_parser = drafter)]
    pub(crate) draft: Option<Drafter>,
    /// The most tokens that are drafted for a step.
    #[arg(long, value_name = "N", requires = "draft", alias = "draft-n")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=16), default_value = "7")]
    draft_max: u32,
    /// The fewest tokens at the end of the text that must have stood together before, for ngram.
    #[arg(long, value_name = "N", requires = "draft")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=16), default_value = "2")]
    draft_match: u32,
}

/// Who drafts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Drafter {
    /// Look-up in the text so far.
    Ngram,
    /// A model.
    Model(String),
}

fn drafter(value: &str) -> Result<Drafter, String> {
    match value {
        "ngram" | "n-gram" | "lookup" => Ok(Drafter::Ngram),
        "" => Err("name ngram or a model".into()),
        number if number.parse::<i64>().is_ok() => {
            Err("who drafts is ngram or a model; how much, --draft-max".into())
        }
        model => Ok(Drafter::Model(model.to_owned())),
    }
}

impl Drafting {
    /// As the engine has it.
    pub(crate) fn options(&self) -> DraftOptions {
        DraftOptions { most: self.draft_max, least: self.draft_match, ..DraftOptions::default() }
    }

    /// The same where many answer at a time.
    pub(crate) fn look_up(&self) -> Result<Option<DraftOptions>, CliError> {
        match &self.draft {
            None => Ok(None),
            Some(Drafter::Ngram) => Ok(Some(self.options())),
            Some(Drafter::Model(name)) => Err(CliError::Usage(format!(
                "--draft {name}: many answers at a time draft by look-up only; give --draft ngram"
            ))),
        }
    }
}
