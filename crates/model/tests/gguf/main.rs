//! The GGUF reader and writer: round trips, split files, bad input, mutations.

mod bad_config;
mod bad_input;
mod properties;
mod read;
mod split;
mod tiny;
