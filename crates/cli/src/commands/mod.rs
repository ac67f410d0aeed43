//! One module per command, and what they share.

pub(crate) mod bench;
pub(crate) mod chat;
pub(crate) mod doctor;
pub(crate) mod inspect;
pub(crate) mod logits;
pub(crate) mod models;
pub(crate) mod profile;
pub(crate) mod run;
pub(crate) mod table;
pub(crate) mod tokenize;

use crate::args::{Cli, Device, Machine, Sampling};
use crate::error::CliError;
use crate::output::Output;
use akunu::{DeviceChoice, LoadOptions, Model, Source};
use clap::CommandFactory;
use std::io::{IsTerminal, Read};
use std::path::Path;

/// The engine's options for a machine's.
pub(crate) fn load_options(m: &Machine, head_rows: u32) -> LoadOptions {
    let device = match m.device {
        Device::Auto => DeviceChoice::Auto,
        Device::Cpu => DeviceChoice::Cpu,
        Device::Null => DeviceChoice::Null,
    };
    LoadOptions { device, context: m.ctx, threads: m.threads, head_rows }
}

/// The source that a MODEL argument means; fetches what is not there.
pub(crate) fn source(model: Option<&str>, synthetic: Option<&str>, out: &Output) -> Result<Source, CliError> {
    if let Some(s) = synthetic {
        return Ok(Source::Synthetic(s.into()));
    }
    let model = model.ok_or_else(|| CliError::Usage("give a MODEL or --synthetic SHAPE:DTYPE".into()))?;
    Ok(Source::Path(akunu_hub::resolve(model, &mut out.fetching())?))
}

/// Loads with a progress bar.
pub(crate) fn load(source: &Source, options: &LoadOptions, out: &Output) -> Result<Model, CliError> {
    Ok(Model::load(source, options, &mut out.loading())?)
}

/// The draw's settings: the arguments, else the model's own.
pub(crate) fn sampling(model: &Model, a: &Sampling) -> akunu::Sampling {
    let own = model.sampling_defaults();
    akunu::Sampling {
        temperature: a.temp.unwrap_or(own.temperature),
        min_p: a.min_p.unwrap_or(own.min_p),
        seed: a.seed.unwrap_or_else(random_seed),
    }
}

/// A seed that differs from run to run; small enough for every JSON reader.
fn random_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish() >> 16
}

/// Bytes as text, or where they are no text.
pub(crate) fn utf8(bytes: Vec<u8>, what: &str) -> Result<String, CliError> {
    String::from_utf8(bytes)
        .map_err(|e| CliError::Utf8 { what: what.into(), offset: e.utf8_error().valid_up_to() })
}

/// A text file.
pub(crate) fn read_text(path: &Path) -> Result<String, CliError> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|source| CliError::File { path: name.clone(), source })?;
    utf8(bytes, &name)
}

/// Standard input, where it is piped.
pub(crate) fn piped_stdin() -> Result<Option<String>, CliError> {
    let mut stdin = std::io::stdin().lock();
    if stdin.is_terminal() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    stdin
        .read_to_end(&mut bytes)
        .map_err(|source| CliError::File { path: "standard input".into(), source })?;
    Ok(Some(utf8(bytes, "standard input")?))
}

/// `akunu completions`.
pub(crate) fn completions(shell: clap_complete::Shell) -> Result<u8, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "akunu", &mut script);
    std::io::Write::write_all(&mut std::io::stdout(), &script).map_err(CliError::Stdout)?;
    Ok(0)
}
