//! # akunu: the engine
//!
//! When things run: loading a [`Model`], keeping a [`Session`] (tokens, KV length, rollback), decoding chunks of
//! tokens, turning them into text.
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
//! Deliberately absent: HTTP, terminals, and any knowledge of which device runs.
#![forbid(unsafe_code)]

pub mod batch;
pub mod blocks;
mod cancel;
mod constrained;
mod decode;
mod drafts;
mod embed;
mod error;
mod generate;
pub mod grammar;
mod guide;
mod infill;
mod load;
mod logprobs;
mod model;
pub mod perplexity;
mod profile;
pub mod reasoning;
mod sampling;
pub mod scheduler;
mod score;
mod session;
mod session_file;
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
pub use decode::{Control, DecodeOptions, Decoded, Eos, FinishReason, Timing};
#[doc(hidden)]
pub use drafts::ForceDrafts;
pub use drafts::{DraftCounts, DraftOptions, DraftWhen};
pub use embed::{EmbedOptions, Embedder, Embeddings, Normalize, Overlong, Pooling};
pub use error::{Error, Lower, NoTokenizer};
pub use generate::{GenerateOptions, Generation, Overflow, TextStream, TokenEvent};
pub use infill::{Infill, InfillFile};
pub use load::LoadProgress;
pub use logprobs::{LogProbs, MAX_LOGPROBS};
pub use model::{DeviceChoice, LoadOptions, Model, Plan, Source, WeightsAt};
pub use profile::{CommandTime, Profile};
pub use sampling::{LogitBias, SamplerKind, SamplerOrder, Sampling};
pub use scheduler::{Engine, EngineOptions, Request};
pub use session::Session;
pub use thoughts::Reasoning;
pub use transcribe::{TranscribeOptions, Transcriber, Transcript};
