//! `akunu pull` and `akunu list`: the model cache.

use crate::args::Pull;
use crate::error::CliError;
use crate::output::{Output, bytes, table};
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
