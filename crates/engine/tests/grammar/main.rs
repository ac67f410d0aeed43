//! Structured output: masks, GBNF, schemas, limits.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod calls;
mod gbnf;
mod limits;
mod masks;
mod schemas;
mod suite;
mod vocab;
mod walks;
