//! What an answer must look like, and what of a model's thoughts is shown.

use clap::Args;
use clap::ValueHint;

/// A bound on the answer, and on the thoughts before it.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Structured output, reasoning")]
pub(crate) struct Form {
    /// The answer is JSON that follows this schema, also as -j: a file, or the schema itself.
    #[arg(long, short = 'j', value_name = "FILE|JSON", aliases = ["json-schema", "json-schema-file"], value_hint = ValueHint::FilePath)]
    #[arg(allow_hyphen_values = true, conflicts_with_all = ["grammar", "regex"])]
    pub(crate) schema: Option<String>,
    /// The answer follows this grammar: a file of GBNF, or of Lark where its name ends in .lark, or GBNF itself.
    #[arg(long, value_name = "FILE|GBNF", alias = "grammar-file", value_hint = ValueHint::FilePath, conflicts_with = "regex")]
    pub(crate) grammar: Option<String>,
    /// The whole answer matches this regular expression.
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pub(crate) regex: Option<String>,
    /// The most tokens of a model's thoughts, where its template marks them; then it must answer [default, also as -1: no limit].
    #[arg(long, value_name = "N", value_parser = budget)]
    pub(crate) reasoning_budget: Option<u32>,
    /// Show the answer without the thoughts before it.
    #[arg(long, alias = "hidethinking")]
    pub(crate) hide_reasoning: bool,
}

fn budget(text: &str) -> Result<u32, String> {
    match text.parse::<i64>() {
        Ok(-1) => Ok(u32::MAX),
        Ok(n) => u32::try_from(n).map_err(|_| "give 0 (none) or more tokens, or -1 for no limit".into()),
        Err(_) => Err("give a number of tokens, or -1 for no limit".into()),
    }
}
