//! What can be wrong with a tokenizer.

use thiserror::Error;

/// Every message says what, where and what to do next.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the fields are named in the messages")]
pub enum TokenizerError {
    /// A metadata field has the wrong type or is missing.
    #[error("tokenizer metadata `{key}`: {what}; the file is incomplete, convert the model anew")]
    Metadata { key: &'static str, what: String },
    /// A tokenizer family that is not supported.
    #[error("tokenizer model `{model}` is not supported; supported: {known}")]
    UnknownModel { model: String, known: &'static str },
    /// A pre-tokenizer that is not known.
    #[error(
        "pre-tokenizer `{pre}` (tokenizer.ggml.pre) is not known, and guessing would change every token; known: {known}"
    )]
    UnknownPre { pre: String, known: String },
    /// A `tokenizer.json`, or a file beside it, that cannot be read.
    #[error("tokenizer.json: {what}; fetch the tokenizer's files again")]
    Json { what: String },
    /// A step of a `tokenizer.json` that is not known.
    #[error(
        "tokenizer.json: {place} has a step that is not known, and leaving it out would change tokens: {step}; use a GGUF \
         of this model"
    )]
    UnknownStep { place: &'static str, step: String },
    /// A list of the wrong length.
    #[error(
        "tokenizer metadata `{key}` has {found} entries, the vocabulary has {want}; convert the model anew"
    )]
    Length { key: &'static str, found: usize, want: usize },
    /// A merge that the vocabulary cannot make.
    #[error("merge {index} (`{merge}`) does not fit the vocabulary: {what}; convert the model anew")]
    Merge { index: usize, merge: String, what: &'static str },
    /// A special id outside the vocabulary.
    #[error("tokenizer metadata `{key}` is {id}, the vocabulary has {vocab} entries; convert the model anew")]
    SpecialId { key: &'static str, id: u64, vocab: usize },
    /// The `tokenizers` library refused.
    #[error("the tokenizer cannot {what}: {message}")]
    Library { what: &'static str, message: String },
}
