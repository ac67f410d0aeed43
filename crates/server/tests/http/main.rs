//! The server over real sockets: a tiny model on the CPU, and clients that write every byte themselves.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod answers;
mod attacks;
mod audio;
mod client;
mod embeddings;
mod infill;
mod interfaces;
mod leaving;
mod loading;
mod logprobs;
mod rerank;
mod sampling;
mod structured;
mod thinking;
