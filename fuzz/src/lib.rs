//! What the fuzz targets share: memory that is counted, files in memory, and the tokenizers that they use.
//!
//! A target fails by panicking, by holding more memory than its [`Budget`], or by taking longer than the time limit of
//! `tools/fuzz.sh`.

mod budget;
mod files;
mod tokenizers;

pub use budget::Budget;
pub use files::{Folder, padded, sections};
pub use tokenizers::{byte_level, exercise, marked, sentence_piece};
