//! The `akunu` command: arguments in, text or JSON out. No inference logic lives here.
//!
//! A library so that others can be the command too: the binary `akunu` and Python's `python -m akunu` call [`run`].
#![forbid(unsafe_code)]

mod args;
mod commands;
mod completion;
mod environment;
mod error;
mod habits;
mod interrupt;
mod output;
mod spelling;
mod text;
mod units;

use args::{Cli, Command, Refusal};
use error::CliError;
use output::Output;
use std::ffi::OsString;

/// Runs the command with these arguments, the program's name first, and gives its exit code. What it prints depends on the process's own
/// arguments in one point: whether an error is told as JSON. It handles signals, so it should be called once in a process.
pub fn run(given: Vec<OsString>) -> u8 {
    if given.get(1).is_some_and(|w| w == completion::COMMAND) {
        return completion::answer(&given[2..]);
    }
    let cli = match args::parse(given) {
        Ok(cli) => cli,
        Err(Refusal::Parser(e)) => return usage(&e),
        Err(Refusal::Usage(e)) => {
            Output::new(asks_for_json()).error(&e);
            return e.code();
        }
    };
    let mut out = Output::new(cli.json);
    if cli.quiet {
        out = out.quieted();
    }
    match dispatch(cli, &out) {
        Ok(code) => code,
        // The reader went away (`akunu ... | head`): nobody is left to tell.
        Err(CliError::Stdout(e)) if e.kind() == std::io::ErrorKind::BrokenPipe => 0,
        Err(e) => {
            out.error(&e);
            e.code()
        }
    }
}

/// Help and version are answers; anything else is wrong usage, told as the arguments ask for it.
fn usage(e: &clap::Error) -> u8 {
    if e.use_stderr() && asks_for_json() {
        let e = CliError::Usage(e.render().to_string().trim().trim_start_matches("error: ").to_owned());
        Output::new(true).error(&e);
        return e.code();
    }
    // A reader that went away is no reason to fail.
    let _ = e.print();
    u8::try_from(e.exit_code()).unwrap_or(2)
}

/// Whether arguments that could not be understood ask for JSON.
fn asks_for_json() -> bool {
    std::env::args_os().take_while(|a| a != "--").any(|a| a == "--json")
}

fn dispatch(cli: Cli, out: &Output) -> Result<u8, CliError> {
    let machine = cli.command.machine()?;
    match cli.command {
        Command::Run(a) => commands::run::run(&a, &machine, out),
        Command::Chat(a) => commands::chat::run(&a, &machine, out),
        Command::Serve(a) => commands::serve::run(&a, &machine, out),
        Command::Bench(a) => commands::bench::run(&a, &machine, out),
        Command::Inspect(a) => commands::inspect::run(&a, &machine, out),
        Command::Table(a) => commands::table::run(&a, &machine, out),
        Command::Profile(a) => commands::profile::run(&a, &machine, out),
        Command::Tokenize(a) => commands::tokenize::run(&a, out),
        Command::Embed(a) => commands::embed::run(&a, &machine, out),
        Command::Rerank(a) => commands::rerank::run(&a, &machine, out),
        Command::Transcribe(a) => commands::transcribe::run(&a, &machine, out),
        Command::Logits(a) => commands::logits::run(&a, &machine, out),
        Command::Convert(a) => commands::convert::run(&a, &machine, out),
        Command::Perplexity(a) => commands::perplexity::run(&a, &machine, out),
        Command::Pull(a) => commands::models::pull(&a, out),
        Command::List => commands::models::list(out),
        Command::Rm(a) => commands::models::rm(&a, out),
        Command::Doctor(a) => commands::doctor::run(&a, &machine, out),
        Command::SelfTest(a) => commands::selftest::run(&a, &machine, out),
        #[cfg(feature = "cuda")]
        Command::Compile(a) => commands::compile::run(&a, &machine, out),
        Command::Completions { shell } => commands::completions(shell, out),
    }
}
