//! The GGUF format, versions 2 and 3, little-endian: [`GgufFile`] reads it, [`write::Writer`] writes it.
//!
//! A file is a header (metadata entries, then tensor descriptions) and tensor data. [`GgufFile::open`] reads the
//! header with positioned reads into one buffer and checks all of it: every count, length, offset and product, before
//! anything is allocated for it. Strings and arrays stay ranges of that buffer and are decoded when asked for.
//! Tensor data is never buffered: [`GgufFile::read`] reads it straight into the caller's memory. Nothing is
//! mapped, because a mapped file that shrinks kills the process with SIGBUS, while a read returns an error.
//!
//! Deliberately absent: what the metadata mean. [`GgufSource`] turns a file into a configuration and canonical
//! weights; tensor types that nobody computes with are listed here all the same, so that a file can be inspected.
//!
//! Format: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>.

mod config;
mod file;
mod header;
pub(crate) mod kind;
mod layout;
mod metadata;
pub(crate) mod names;
mod part;
mod sniff;
mod source;
pub(crate) mod split;
mod tensor;
pub mod types;
mod value;
pub(crate) mod vectors;
pub mod write;

use crate::error::shown;

pub use file::GgufFile;
pub use names::rotates;
pub use source::GgufSource;
pub use tensor::GgufTensor;
pub use value::{Array, Value, ValueType, Values};

/// Alignment of tensor data, in bytes, where `general.alignment` does not say otherwise.
pub const DEFAULT_ALIGNMENT: u64 = 32;
