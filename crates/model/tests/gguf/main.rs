//! The GGUF reader and writer: round trips, split files, bad input, mutations.

mod bad_config;
mod bad_input;
mod layout;
mod other_kinds;
mod properties;
mod read;
mod split;
mod tiny;
