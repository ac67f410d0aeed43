//! One module per command, and what they share.

pub(crate) mod bench;
pub(crate) mod chat;
#[cfg(feature = "cuda")]
pub(crate) mod compile;
pub(crate) mod convert;
pub(crate) mod doctor;
pub(crate) mod inspect;
pub(crate) mod logits;
pub(crate) mod models;
pub(crate) mod perplexity;
pub(crate) mod profile;
pub(crate) mod run;
pub(crate) mod table;
pub(crate) mod template;
pub(crate) mod tokenize;

use crate::args::{Cli, Device, Machine, Sampling};
use crate::error::CliError;
use crate::interrupt;
use crate::output::Output;
use akunu::{CacheTypes, Control, DeviceChoice, LoadOptions, Model, Session, Source, Timing, WeightsAt};
use clap::CommandFactory;
use std::io::{IsTerminal, Read};
use std::path::Path;
use std::time::Duration;

/// How long standard input may stay open before a person is told what is being waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// The engine's options for a machine's.
pub(crate) fn load_options(m: &Machine, head_rows: u32) -> LoadOptions {
    let device = match m.device {
        Device::Auto => DeviceChoice::Auto,
        Device::Cpu => DeviceChoice::Cpu,
        Device::Cuda => DeviceChoice::Cuda,
        Device::Null => DeviceChoice::Null,
    };
    let weights = if m.no_repack { WeightsAt::File } else { WeightsAt::Memory };
    LoadOptions { device, context: m.ctx, threads: m.threads, head_rows, cache: cache(m), weights }
}

/// The KV cache's formats.
pub(crate) fn cache(m: &Machine) -> CacheTypes {
    CacheTypes { k: m.cache_type_k, v: m.cache_type_v }
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
    let mut bar = out.loading();
    let model = Model::load(source, options, &mut |p| {
        // Nothing is half done that would have to be put in order.
        interrupt::leave_if_asked();
        bar(p);
    })?;
    drop(bar);
    if let Some(note) = model.device_note() {
        out.note(note);
    }
    Ok(model)
}

/// Warns of a context beyond what the model was trained for.
pub(crate) fn check_context(model: &Model, out: &Output) {
    let (context, trained) = (model.program().settings.context, model.config().context);
    if context > trained {
        out.note(&format!(
            "a context of {context} tokens is longer than the {trained} that the model was trained for; what it \
             says beyond them may make no sense"
        ));
    }
}

/// Puts tokens into a session and runs all that its next draw will not run by itself, with a progress bar, so that
/// a long prompt can be interrupted. The rows are split as the engine splits them, so the text does not change.
pub(crate) fn prefill(
    session: &mut Session,
    tokens: &[u32],
    model: &Model,
    out: &Output,
) -> Result<Timing, CliError> {
    session.append(tokens)?;
    let largest = model.program().ladder().last().map_or(1, |r| *r as usize);
    let pending = (session.position() - session.kv_len()) as usize;
    if pending <= largest {
        return Ok(Timing::default());
    }
    // The draw runs the last rows, as many as one table has: they wait until the others have run.
    let tail = (pending - 1) % largest + 1;
    let cut = session.position() as usize + 1 - tail;
    let rest = session.tokens()[cut..].to_vec();
    session.rewind(cut as u32)?;
    let bar = out.steps("reading the prompt", (pending - tail) as u64);
    let ran = session.prefill(&mut |done, _| {
        bar.set_position(u64::from(done));
        if interrupt::asked() { Control::Stop } else { Control::Continue }
    });
    bar.finish_and_clear();
    session.append(&rest)?;
    Ok(ran?)
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

/// Standard input to its end, where it is no terminal. Text that is on its way cannot be told from a pipe that
/// somebody forgot to close, and text must not be lost: so this waits, and says for what.
pub(crate) fn piped_stdin(out: &Output) -> Result<Option<String>, CliError> {
    if std::io::stdin().is_terminal() {
        return Ok(None);
    }
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        // The receiver waits for ever, so it is there.
        let _ = send.send(read.map(|_| bytes));
    });
    let read = receive.recv_timeout(PATIENCE).or_else(|_| {
        out.notice("waiting for the end of standard input, which is a pipe; give </dev/null to read nothing");
        receive.recv()
    });
    let bytes = read
        .unwrap_or_else(|e| Err(std::io::Error::other(e)))
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
