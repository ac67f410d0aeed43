//! # akunu: the engine
//!
//! Language models in your own process. A model's forward pass is compiled once, at load, into flat immutable tables of device commands;
//! a token is a replay of a table.
//!
//! [`Model::load`] takes a GGUF file, a directory of safetensors files, or, to try things without a file, random weights:
//!
//! ```
//! use akunu::{Control, DecodeOptions, Eos, LoadOptions, Model, Sampling, Source, Token};
//!
//! let options = LoadOptions { context: Some(256), ..LoadOptions::default() };
//! let model = Model::load(&Source::Synthetic("tiny-llama:q8_0".into()), &options, &mut |_| {})?;
//! let mut session = model.session()?;
//! session.append(&[Token(1), Token(2), Token(3)])?;
//! let options = DecodeOptions { max_tokens: 8, sampling: Sampling::greedy(), eos: Eos::Ignore, chunk: None };
//! let mut drawn = Vec::new();
//! session.decode(&options, &mut |token| {
//!     drawn.push(token);
//!     Control::Continue
//! })?;
//! assert_eq!(drawn.len(), 8);
//! # Ok::<(), akunu::Error>(())
//! ```
//!
//! With a real model, text:
//!
//! ```no_run
//! use akunu::{Control, GenerateOptions, LoadOptions, Model, Sampling, Source};
//!
//! let model = Model::load(&Source::Path("model.gguf".into()), &LoadOptions::default(), &mut |_| {})?;
//! let tokens = model.encode("The capital of France is")?;
//! let mut session = model.session()?;
//! session.append(&tokens)?;
//! let options = GenerateOptions { max_tokens: 16, sampling: Sampling::greedy(), ..Default::default() };
//! let answer = session.generate(&options, &mut |event| {
//!     print!("{}", event.text);
//!     Control::Continue
//! })?;
//! # let _ = answer;
//! # Ok::<(), akunu::Error>(())
//! ```
//!
//! | to … | use |
//! |---|---|
//! | drive one sequence: append, decode, rewind, save | [`Session`] |
//! | answer many requests at once, from any thread or task | [`Engine`]: [`Engine::start`] for tokens, [`Engine::generate`] for text |
//! | answer conversations, with tools | [`Conversation`], [`Model::converse`] |
//! | follow a JSON schema, a regular expression or a grammar | [`grammar`], [`Sampling::grammar`] |
//! | make vectors of texts | [`Model::embedder`] |
//! | look at memory and tables before anything is loaded | [`Model::plan`] |
//! | see where the time goes | [`Session::profile`] |
//!
//! Features: `cuda` and `vulkan`, both on, add these devices; they need nothing to build, and look for a driver when a model is loaded.
//!
//! Deliberately absent: HTTP, terminals, and any knowledge of which device runs.
#![forbid(unsafe_code)]

pub mod batch;
pub mod blocks;
mod cancel;
mod conversation;
mod decode;
mod decoded;
mod drafting;
mod drafts;
mod embed;
mod error;
mod fingerprint;
mod generate;
pub mod grammar;
mod guide;
mod infill;
mod load;
mod logprobs;
mod model;
mod opened;
pub mod perplexity;
mod profile;
pub mod reading;
pub mod reasoning;
mod rerank;
mod sampling;
pub mod scheduler;
mod score;
mod score_head;
mod session;
mod session_file;
mod source;
mod text_answer;
mod thoughts;
pub mod tools;
pub mod transcribe;

pub use akunu_device as device;
pub use akunu_kernels as kernels;
pub use akunu_model as files;
pub use akunu_plan as plan;

pub use akunu_device::DeviceInfo;
pub use akunu_kernels::kv::KvFormat;
pub use akunu_kernels::step::{RowCount, Token};
pub use akunu_plan::CacheTypes;
pub use batch::{Batch, BatchOptions, Sequence, SequenceOptions};
pub use cancel::Canceller;
pub use conversation::{Conversation, ToolChoice, Turn};
pub use decoded::{Control, DecodeOptions, Decoded, Eos, FinishReason, Timing};
pub use drafts::{DraftCounts, DraftOptions, DraftWhen};
pub use embed::{EmbedOptions, Embedder, Embeddings, Normalize, Overlong, Pooling};
pub use error::{Error, ErrorKind, Lower, NoTokenizer};
pub use generate::{GenerateOptions, Generation, Overflow, TextStream, TokenEvent};
pub use infill::{Infill, InfillFile};
pub use load::LoadProgress;
pub use logprobs::{LogProbs, MAX_LOGPROBS};
pub use model::{DeviceChoice, LoadOptions, Matrices, Model, Plan, WeightsAt};
pub use profile::{CommandTime, Profile};
pub use rerank::{Reranked, Reranker};
pub use sampling::{LogitBias, SamplerKind, SamplerOrder, Sampling};
pub use scheduler::{Engine, EngineOptions, Request};
#[doc(hidden)]
pub use session::ForceDrafts;
pub use session::Session;
pub use source::Source;
pub use text_answer::{TextAnswer, TextEvent, TextOptions};
pub use thoughts::Reasoning;
pub use transcribe::{TranscribeOptions, Transcriber, Transcript};

/// The best level of this machine whose rows have the same bits in tables of every size.
#[cfg(test)]
pub(crate) fn level_of_one_family() -> akunu_kernels::cpu::Level {
    use akunu_kernels::{DType, cpu::LEVELS, target::cpu_one_family};
    LEVELS.iter().copied().rev().find(|l| l.available() && cpu_one_family(*l, DType::Q4_0)).unwrap()
}
