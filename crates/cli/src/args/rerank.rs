//! The arguments of `akunu rerank`.

use super::{MODEL, Named, Whole};
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(override_usage = "akunu rerank [OPTIONS] MODEL QUERY [TEXT]...")]
pub(crate) struct Rerank {
    #[arg(skip)]
    pub(crate) model: String,
    #[arg(value_name = "MODEL", help = MODEL, value_hint = ValueHint::FilePath)]
    pub(super) first: Option<String>,
    /// The query, and then the texts; each is one argument.
    #[arg(value_name = "QUERY TEXT")]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(super) named: Named,
    /// File with one text a line.
    #[arg(short = 'f', long = "file", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// The best so many alone.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) top: Option<u32>,
    /// Cut pairs of query and text that are longer than the model reads.
    #[arg(long)]
    pub(crate) truncate: bool,
    #[command(flatten)]
    pub(super) machine: Whole,
}
