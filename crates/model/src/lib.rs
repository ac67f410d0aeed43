//! # model: what is on disk
//!
//! GGUF files ([`gguf`]), whisper.cpp's files ([`ggml`]), Hugging Face and MLX directories ([`safetensors`]), a model's configuration ([`config`]),
//! weights under canonical names whatever the file calls them ([`source`]), quantizers and recipes ([`quantize`]),
//! conversion into GGUF files ([`convert`]) or on the way to memory ([`narrowed`]), files that commands write ([`destination`]), synthetic weights of real shapes ([`synthetic`]), tokenizers and the streaming
//! detokenizer ([`tokenizer`]) and chat templates ([`chat`]).
//!
//! Deliberately absent: devices, tables, execution. Every byte of a file is untrusted: sizes and offsets are
//! checked before use and allocation is bounded by the file's size.

#![forbid(unsafe_code)]

pub mod chat;
pub mod config;
pub mod convert;
pub mod destination;
mod disk;
pub mod error;
mod finite;
pub mod ggml;
pub mod gguf;
mod json;
mod limits;
pub mod narrowed;
pub mod quantize;
pub mod safetensors;
pub mod source;
pub mod synthetic;
pub mod tokenizer;

pub use config::ModelConfig;
pub use error::ModelError;
pub use source::{FilePlace, TensorInfo, WeightSource};
