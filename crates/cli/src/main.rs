//! The program `akunu`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(akunu_cli::run(std::env::args_os().collect()))
}
