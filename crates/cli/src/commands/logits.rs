//! `akunu logits`: the distribution after every given token, for comparing engines.

use super::{load, load_options, read_text, source};
use crate::args::{Logits, Machine};
use crate::error::CliError;
use crate::interrupt;
use crate::output::Output;
use serde_json::json;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Runs the command.
pub(crate) fn run(a: &Logits, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    let tokens = read_tokens(&a.tokens)?;
    let source = source(Some(&a.model), None, out)?;
    let mut options = load_options(machine, a.rows);
    options.context.get_or_insert(a.window);
    let model = load(&source, &options, out)?;
    let mut session = model.session()?;
    interrupt::install();
    let target = a.out.display().to_string();
    let fail = |source| CliError::File { path: target.clone(), source };
    let mut file = BufWriter::new(std::fs::File::create(&a.out).map_err(fail)?);
    let mut failed = None;
    for window in tokens.chunks(a.window as usize) {
        if interrupt::asked() {
            return Ok(interrupt::code());
        }
        session.logits(window, &mut |_, row| {
            for v in row {
                if let Err(e) = file.write_all(&v.to_le_bytes()) {
                    failed.get_or_insert(e);
                    return;
                }
            }
        })?;
        if let Some(e) = failed.take() {
            return Err(fail(e));
        }
    }
    file.flush().map_err(fail)?;
    let shape = [tokens.len(), model.config().vocab as usize];
    if out.is_json() {
        out.json(&json!({ "out": target, "shape": shape, "device": model.device().name }))?;
    } else {
        out.note(&format!("{target}: {} x {} f32, {}", shape[0], shape[1], model.device().name));
    }
    Ok(0)
}

/// Token ids from a JSON list.
pub(crate) fn read_tokens(file: &Path) -> Result<Vec<u32>, CliError> {
    let path = file.display().to_string();
    let tokens: Vec<u32> = serde_json::from_str(&read_text(file)?)
        .map_err(|e| CliError::Usage(format!("{path} is no JSON list of token ids: {e}")))?;
    if tokens.is_empty() {
        return Err(CliError::Usage(format!("{path} holds no tokens")));
    }
    Ok(tokens)
}
