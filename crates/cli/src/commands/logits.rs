//! `akunu logits`: the distribution after every given token, for comparing engines, or the hidden state that it is made of.

use super::{load, load_options, source};
use crate::args::{Logits, Machine};
use crate::error::CliError;
use crate::interrupt;
use crate::output::Output;
use crate::text::{Bound, read_text};
use akunu::files::ModelError;
use akunu::files::destination::{Destination, StreamedFile};
use akunu::{Error, RowCount, Session, Source, Token};
use serde_json::json;
use std::path::Path;

/// Runs the command. All that can be checked is checked before the output is touched.
pub(crate) fn run(a: &Logits, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    let tokens = read_tokens(&a.tokens)?;
    let destination = Destination::of(&a.out)?;
    let to_stdout = destination.is_stdout();
    if to_stdout && out.is_json() {
        let what = "--json and the logits would both go to standard output; write the logits to a file";
        return Err(CliError::Usage(what.into()));
    }
    let source = source(Some(&a.model), None, out)?;
    refuse_inputs(&destination, a, &source)?;
    let mut options = load_options(machine, &source)?;
    options.head_rows = RowCount(a.rows);
    options.context.get_or_insert(a.window);
    let model = load(&source, &options, out)?;
    let mut session = model.session()?;
    let config = model.config();
    let width = if a.hidden_states { config.hidden } else { config.vocab };
    check_tokens(&tokens, a.window, config.vocab, session.context())?;
    let mut file = destination.streamed(tokens.len() as u64 * u64::from(width) * 4)?;
    interrupt::install();
    // A reader of standard output that went away is no failure, which the caller sees to.
    let told = |e| match e {
        CliError::Model(ModelError::Io { source, .. }) if to_stdout => CliError::Stdout(source),
        other => other,
    };
    for window in tokens.chunks(a.window as usize) {
        if interrupt::asked() {
            return Ok(interrupt::code());
        }
        write_window(&mut session, a, window, &mut file).map_err(told)?;
    }
    file.finish().map_err(|e| told(e.into()))?;
    let target = a.out.display().to_string();
    let shape = [tokens.len(), width as usize];
    if out.is_json() {
        out.json(&json!({ "out": target, "shape": shape, "device": model.device().name }))?;
    } else {
        out.note(&format!("{target}: {} x {} f32, {}", shape[0], shape[1], model.device().name));
    }
    Ok(0)
}

/// Token ids from a JSON list.
pub(crate) fn read_tokens(file: &Path) -> Result<Vec<Token>, CliError> {
    let path = file.display().to_string();
    let tokens: Vec<u32> = serde_json::from_str(&read_text(file, Bound::Corpus)?)
        .map_err(|e| CliError::Usage(format!("{path} is no JSON list of token ids: {e}")))?;
    if tokens.is_empty() {
        return Err(CliError::Usage(format!("{path} holds no tokens")));
    }
    Ok(tokens.into_iter().map(Token).collect())
}

/// Refuses an output in the place of something that is read.
fn refuse_inputs(destination: &Destination, a: &Logits, source: &Source) -> Result<(), CliError> {
    let Some(file) = destination.file().filter(|f| f.exists()) else { return Ok(()) };
    let what = if a.tokens.canonicalize().is_ok_and(|t| t == file) {
        "holds the token ids"
    } else if source.holds(file)? {
        "belongs to the model"
    } else {
        return Ok(());
    };
    Err(CliError::Usage(format!("{}: this file {what}; name another file to write", a.out.display())))
}

fn check_tokens(tokens: &[Token], window: u32, vocab: u32, context: u32) -> Result<(), Error> {
    if let Some((index, token)) = tokens.iter().enumerate().find(|t| t.1.0 >= vocab) {
        return Err(Error::TokenRange { token: *token, index, vocab });
    }
    let longest = u64::from(window).min(tokens.len() as u64);
    if longest > u64::from(context) {
        return Err(Error::ContextFull { tokens: longest, context });
    }
    Ok(())
}

fn write_window(
    session: &mut Session,
    a: &Logits,
    window: &[Token],
    file: &mut StreamedFile,
) -> Result<(), CliError> {
    let mut failed = None;
    let mut bytes = Vec::new();
    let mut write = |_, row: &[f32]| {
        if failed.is_none() {
            bytes.clear();
            bytes.extend(row.iter().flat_map(|v| v.to_le_bytes()));
            failed = file.write(&bytes).err();
        }
    };
    if a.hidden_states {
        session.hidden_states(window, &mut write)?;
    } else {
        session.logits(window, &mut write)?;
    }
    failed.map_or(Ok(()), |e| Err(e.into()))
}
