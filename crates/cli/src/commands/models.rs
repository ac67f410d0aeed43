//! `akunu pull` and `akunu list`: the model cache.

use crate::args::{Pull, Rm};
use crate::error::CliError;
use crate::output::{Consent, Output, table};
use crate::units::bytes;
use serde_json::json;

/// Fetches a model.
pub(crate) fn pull(a: &Pull, out: &Output) -> Result<u8, CliError> {
    let path = akunu_hub::resolve(&a.model, &mut out.fetching())?;
    if out.is_json() {
        out.json(&json!({ "model": a.model, "path": path }))?;
    } else {
        out.line(&path.display().to_string())?;
    }
    Ok(0)
}

/// Lists what is there and what could be.
pub(crate) fn list(out: &Output) -> Result<u8, CliError> {
    let (models, aliases) = (akunu_hub::list()?, akunu_hub::aliases()?);
    if out.is_json() {
        let models: Vec<_> =
            models.iter().map(|m| json!({ "name": m.name, "path": m.path, "bytes": m.bytes })).collect();
        let aliases: Vec<_> = aliases
            .iter()
            .map(|s| json!({ "alias": s.alias.name, "about": s.alias.about, "bytes": s.alias.bytes, "path": s.path }))
            .collect();
        out.json(&json!({ "models": models, "aliases": aliases }))?;
        return Ok(0);
    }
    let rows: Vec<Vec<String>> =
        models.iter().map(|m| vec![m.name.clone(), bytes(m.bytes), m.path.display().to_string()]).collect();
    if rows.is_empty() {
        out.line("no models in the cache yet")?;
    } else {
        out.text(&table(&["model", ">size", "path"], &rows))?;
    }
    let rows: Vec<Vec<String>> = aliases
        .iter()
        .map(|s| {
            let here = if s.path.is_some() { "yes" } else { "no" };
            vec![s.alias.name.to_owned(), bytes(s.alias.bytes), here.to_owned(), s.alias.about.to_owned()]
        })
        .collect();
    out.line("")?;
    out.text(&table(&["alias", ">size", "here", "what"], &rows))?;
    Ok(0)
}

/// Removes models from the cache: all of them are looked up, and agreed to, before the first goes.
pub(crate) fn rm(a: &Rm, out: &Output) -> Result<u8, CliError> {
    let mut all = Vec::new();
    for model in &a.models {
        let found = akunu_hub::removal(model)?;
        if !all.contains(&found) {
            all.push(found);
        }
    }
    let named: Vec<String> = all.iter().map(|r| format!("{} ({})", r.name, bytes(r.bytes))).collect();
    let named = named.join(", ");
    if !a.yes {
        match out.consent(&format!("remove {named} from this machine?")) {
            Consent::Yes => {}
            Consent::No => {
                out.note("nothing was removed");
                return Ok(1);
            }
            Consent::Nobody => {
                return Err(CliError::Usage(format!(
                    "this would remove {named}, and there is no terminal to ask on; say so with --yes"
                )));
            }
        }
    }
    let mut removed = Vec::new();
    let mut failed = None;
    for r in &all {
        if let Err(e) = akunu_hub::remove(r, &mut out.fetching()) {
            failed = Some(e);
            break;
        }
        if !out.is_json() {
            out.line(&format!("removed {}, {}", r.name, bytes(r.bytes)))?;
        }
        removed.push(json!({ "model": r.name, "files": r.files, "bytes": r.bytes }));
    }
    if out.is_json() {
        out.json(&json!({ "removed": removed }))?;
    }
    failed.map_or(Ok(0), |e| Err(e.into()))
}
