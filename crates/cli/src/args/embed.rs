//! The arguments of `akunu embed`.

use super::{MODEL, Named, Whole};
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

/// Which tokens' vectors a text's is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PoolingChoice {
    /// The mean of all.
    Mean,
    /// The first.
    Cls,
    /// The last.
    Last,
}

impl From<PoolingChoice> for akunu::Pooling {
    fn from(p: PoolingChoice) -> Self {
        match p {
            PoolingChoice::Mean => Self::Mean,
            PoolingChoice::Cls => Self::Cls,
            PoolingChoice::Last => Self::Last,
        }
    }
}

#[derive(Args, Debug)]
#[command(override_usage = "akunu embed [OPTIONS] MODEL [TEXT]...")]
pub(crate) struct Embed {
    #[arg(skip)]
    pub(crate) model: String,
    #[arg(value_name = "MODEL", help = MODEL, value_hint = ValueHint::FilePath)]
    pub(super) first: Option<String>,
    /// The texts; each is one argument.
    #[arg(value_name = "TEXT")]
    pub(crate) texts: Vec<String>,
    #[command(flatten)]
    pub(super) named: Named,
    /// File with one text a line.
    #[arg(short = 'f', long = "file", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// NumPy file to write, `[texts, dimensions]` f32.
    #[arg(short = 'o', long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,
    /// Cut texts that are longer than the model reads.
    #[arg(long)]
    pub(crate) truncate: bool,
    /// The first so many values of each vector, normalized anew.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    pub(crate) dimensions: Option<u32>,
    /// Which tokens' vectors count [default: the model's own].
    #[arg(long, value_name = "HOW", value_enum)]
    pub(crate) pooling: Option<PoolingChoice>,
    /// Name of the model's prompt that is put before every text.
    #[arg(long, value_name = "NAME")]
    pub(crate) prompt: Option<String>,
    #[command(flatten)]
    pub(super) machine: Whole,
}
