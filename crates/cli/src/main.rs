//! The `akunu` command: arguments in, text or JSON out. No inference logic lives here.
#![forbid(unsafe_code)]

mod args;
mod commands;
mod environment;
mod error;
mod interrupt;
mod output;

use args::{Cli, Command};
use clap::Parser;
use error::CliError;
use output::Output;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(args::arguments(std::env::args_os())) {
        Ok(cli) => cli,
        Err(e) => return usage(&e),
    };
    let out = Output::new(cli.json);
    match dispatch(cli, &out) {
        Ok(code) => ExitCode::from(code),
        // The reader went away (`akunu ... | head`): nobody is left to tell.
        Err(CliError::Stdout(e)) if e.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(e) => {
            out.error(&e);
            ExitCode::from(e.code())
        }
    }
}

/// Help and version are answers; anything else is wrong usage, told as the arguments ask for it.
fn usage(e: &clap::Error) -> ExitCode {
    if e.use_stderr() && std::env::args_os().any(|a| a == "--json") {
        let e = CliError::Usage(e.render().to_string().trim().trim_start_matches("error: ").to_owned());
        Output::new(true).error(&e);
        return ExitCode::from(e.code());
    }
    // A reader that went away is no reason to fail.
    let _ = e.print();
    ExitCode::from(u8::try_from(e.exit_code()).unwrap_or(2))
}

fn dispatch(cli: Cli, out: &Output) -> Result<u8, CliError> {
    let machine = cli.machine;
    match cli.command {
        Command::Run(a) => commands::run::run(&a, &machine, out),
        Command::Chat(a) => commands::chat::run(&a, &machine, out),
        Command::Bench(a) => commands::bench::run(&a, &machine, out),
        Command::Inspect(a) => commands::inspect::run(&a, &machine, out),
        Command::Table(a) => commands::table::run(&a, &machine, out),
        Command::Profile(a) => commands::profile::run(&a, &machine, out),
        Command::Tokenize(a) => commands::tokenize::run(&a, out),
        Command::Logits(a) => commands::logits::run(&a, &machine, out),
        Command::Convert(a) => commands::convert::run(&a, &machine, out),
        Command::Perplexity(a) => commands::perplexity::run(&a, &machine, out),
        Command::Pull(a) => commands::models::pull(&a, out),
        Command::List => commands::models::list(out),
        Command::Doctor(a) => commands::doctor::run(&a, &machine, out),
        #[cfg(feature = "cuda")]
        Command::Compile(a) => commands::compile::run(&a, &machine, out),
        Command::Completions { shell } => commands::completions(shell),
    }
}
