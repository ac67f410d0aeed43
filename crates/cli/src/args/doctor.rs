//! The arguments of `akunu doctor` and `akunu selftest`, which look at a machine.

use super::machine::{Placement, Threads};
use clap::Args;

#[derive(Args, Debug)]
pub(crate) struct Doctor {
    /// Fetch what is missing: NVRTC, where there is an NVIDIA driver or with --device cuda.
    #[arg(long)]
    pub(crate) fix: bool,
    #[command(flatten)]
    pub(super) placement: Placement,
    #[command(flatten)]
    pub(super) threads: Threads,
}

#[derive(Args, Debug)]
pub(crate) struct SelfTest {
    /// Models with random weights whose speed is measured, or none.
    #[arg(
        long,
        value_name = "SHAPE:FORMAT",
        value_delimiter = ',',
        default_value = "smollm2-135m:q8_0,llama-3.2-1b:q4_0"
    )]
    pub(crate) bench: Vec<String>,
    #[command(flatten)]
    pub(super) placement: Placement,
    #[command(flatten)]
    pub(super) threads: Threads,
}
