//! # akunu-server: an HTTP server over the akunu engine
//!
//! The interfaces that programs know (OpenAI's, and the habits of vLLM's and llama.cpp's servers), many requests at a time, safe by
//! default.
//!
//! ```no_run
//! use akunu::{Engine, EngineOptions, LoadOptions, Model, Source};
//! use akunu_server::{ModelEntry, Options, Server};
//!
//! let model = ModelEntry::new("mine", || {
//!     let source = Source::Path("model.gguf".into());
//!     let load = || Engine::new(&Model::load(&source, &LoadOptions::default(), &mut |_| {})?, &EngineOptions::default());
//!     load().map(Into::into).map_err(|e: akunu::Error| e.to_string())
//! });
//! let server = Server::new(vec![model], Options::default())?;
//! server.run(std::net::TcpListener::bind("127.0.0.1:8080")?)?;
//! # Ok::<(), akunu_server::ServerError>(())
//! ```
//!
//! Who holds what: a request holds its body until it is tokens (`Options::bodies` bounds all bodies together), then its tokens and its
//! places in the engine. A dropped request, at any point, drops its answers, which cancels them. A connection is dropped
//! when its client is gone, or has stopped reading; so nothing runs for nobody.
//!
//! Deliberately absent: inference, terminals, TLS (a proxy's matter), and any text of a prompt in a log or an error.
#![forbid(unsafe_code)]

// The tests' client names the crate as others do.
#[cfg(test)]
extern crate self as akunu_server;

mod actions;
mod anthropic;
mod ask;
mod conversation;
mod embed;
mod error;
mod format;
mod generate;
mod guard;
mod infill;
mod io;
mod json;
mod keep_alive;
mod life;
mod llamacpp;
mod loader;
mod logprobs;
mod metrics;
mod models;
mod multipart;
mod ollama;
mod ollama_embed;
mod openai;
mod openapi;
mod options;
#[cfg(test)]
mod panics;
mod params;
mod prompts;
mod reply;
mod request;
mod rerank;
mod routes;
mod samplers;
mod server;
mod shared;
mod stream;
mod text;
mod thinking;
mod tools;
mod turns;
mod types;
mod work;

pub use life::ServerError;
pub use options::{ModelEntry, Options, Resident, Runner, Serving, WithoutKey};
pub use server::{Handle, Server};

/// A number that differs from call to call; small enough for every JSON reader.
pub(crate) fn random() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish() >> 16
}
