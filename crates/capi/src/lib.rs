//! # capi: the engine as a C library
//!
//! Thin functions over [`akunu`]: opaque handles, plain structs that carry their size, status codes, and a message for each thread's last
//! error. The header, `include/akunu.h`, is made from these files by `tests/header.rs`; its first comment is the contract.
//!
//! * A handle is a number (`handle.rs`), looked up in a table with each call. So a freed or invented handle is an error and never
//!   dereferenced, and an object that another thread frees lives until the calls under way have ended.
//! * No panic crosses the border (`status.rs`, `call`).
//! * Pointers to text, arrays and structs are the caller's promise; NULL, misalignment, absurd lengths, invalid UTF-8 and unknown sizes are
//!   errors (`input.rs`).
//! * A process that forks after a model was loaded has none of its threads: handles of the parent are errors in the child.
//!
//! Deliberately absent: inference logic.
#![allow(non_camel_case_types, reason = "types have the names of the header")]
#![allow(clippy::missing_safety_doc, reason = "the header's contract is that of every function")]

#[cfg(not(target_pointer_width = "64"))]
compile_error!("handles are 64-bit numbers; 32-bit targets are not supported");

mod answer;
mod embedder;
mod engine;
mod grammar;
mod handle;
#[cfg(test)]
mod handle_tests;
mod input;
mod log;
mod model;
mod options;
mod profile;
mod session;
mod status;
mod sync;
mod tables;
mod tokenizer;
mod transcriber;

pub use answer::*;
pub use embedder::*;
pub use engine::*;
pub use grammar::*;
pub use input::AKUNU_NUL;
pub use log::*;
pub use model::*;
pub use options::*;
pub use profile::*;
pub use session::*;
pub use status::*;
pub use tokenizer::*;
pub use transcriber::*;
