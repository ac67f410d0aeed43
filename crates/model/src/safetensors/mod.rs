//! Directories of safetensors files: those of Hugging Face (`config.json`, `model.safetensors` or shards under an
//! index) and those of MLX, which are the same with `quantization` in `config.json` and three tensors for each
//! quantized matrix.
//!
//! [`SafetensorsSource`] is the source of weights. What a model type is called here, which names its tensors have and
//! what its configuration leaves out stands in [`family`] as data. Tensors are converted while they are read: norms and
//! biases become F32 (Gemma's norms get the 1 that its files leave out), MLX's three tensors become blocks of one
//! format, FP8 with scales becomes BF16.
//!
//! Files are read with positioned reads, as GGUF files are, and headers are checked whole before anything is read: the
//! format's own crate would want the file in memory or mapped.
//!
//! Format: <https://github.com/huggingface/safetensors#format>.

mod config;
mod directory;
mod elsewhere;
mod encoders;
pub mod families;
pub mod family;
mod header;
mod keys;
mod quantization;
mod read;
mod rope;
mod sentence;
mod source;
mod speech;

pub use directory::{Directory, is_directory_model};
pub use header::{ElementType, FileTensor};
pub use source::{SafetensorsSource, UnusedHead};

/// The largest `config.json` and its like that is read, in bytes.
const CONFIG_LIMIT: u64 = 16 << 20;
/// The largest index that is read, in bytes.
const INDEX_LIMIT: u64 = 256 << 20;
