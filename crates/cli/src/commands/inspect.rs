//! `akunu inspect`: what is in a file, what it takes, and whether it fits. A file that cannot be run is still
//! shown, with the reason.

use super::{load_options, source};
use crate::args::{Inspect, Machine};
use crate::error::CliError;
use crate::output::{Output, bytes, table};
use akunu::files::gguf::{GgufFile, Value};
use akunu::{Model, Plan, Source};
use serde_json::json;
use std::collections::BTreeMap;

/// Characters of a metadata value that are shown.
const SHOWN: usize = 100;
/// Entries of a metadata array that are shown.
const ENTRIES: usize = 6;

/// Runs the command.
pub(crate) fn run(a: &Inspect, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    let source = source(a.model.as_deref(), a.synthetic.as_deref(), out)?;
    let file = match &source {
        Source::Path(p) => Some(GgufFile::open(p)?),
        Source::Synthetic(_) => None,
    };
    let plan = Model::plan(&source, &load_options(machine, 1));
    if out.is_json() {
        out.json(&json!({
            "metadata": file.as_ref().map(metadata_json),
            "tensors": file.as_ref().map(tensors_json),
            "plan": plan.as_ref().ok().map(plan_json),
            "runs": plan.is_ok(),
            "reason": plan.as_ref().err().map(ToString::to_string),
        }))?;
        return Ok(u8::from(plan.is_err()));
    }
    if let Some(f) = &file {
        show_file(f, a, out)?;
    }
    match plan {
        Ok(p) => {
            show_plan(&p, out)?;
            Ok(0)
        }
        Err(e) => {
            out.line("")?;
            Err(CliError::Other(format!("this file cannot be run: {e}")))
        }
    }
}

fn show_file(f: &GgufFile, a: &Inspect, out: &Output) -> Result<(), CliError> {
    out.line(&format!("GGUF version {}, {}, {} tensors", f.version(), bytes(f.size()), f.tensors().len()))?;
    out.line("\nmetadata")?;
    for (key, value) in f.metadata() {
        out.line(&format!("  {key} = {}", short(&value)))?;
    }
    let mut by_type: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut rows = Vec::new();
    for t in f.tensors() {
        let name = t.tensor_type().map_or_else(|| format!("type {}", t.type_id()), |k| k.name.to_owned());
        let size = t.bytes().unwrap_or(0);
        let sum = by_type.entry(name.clone()).or_default();
        sum.0 += 1;
        sum.1 += size;
        let dims: Vec<String> = t.dims().iter().map(u64::to_string).collect();
        rows.push(vec![t.name().to_owned(), name, dims.join(" x "), size.to_string()]);
    }
    if a.tensors {
        out.line("\ntensors")?;
        out.text(&table(&["name", "type", "shape", ">bytes"], &rows))?;
    }
    out.line("\ntensors by type")?;
    let rows: Vec<Vec<String>> =
        by_type.into_iter().map(|(t, (n, b))| vec![t, n.to_string(), b.to_string()]).collect();
    out.text(&table(&["type", ">tensors", ">bytes"], &rows))
}

fn show_plan(p: &Plan, out: &Output) -> Result<(), CliError> {
    let c = &p.program.config;
    out.line(&format!(
        "\n{}: {} layers, width {}, {} heads over {} KV heads of {}, feed-forward {}, vocabulary {}, trained for {} tokens",
        c.arch, c.layers, c.hidden, c.heads, c.kv_heads, c.head_dim, c.ffn, c.vocab, c.context
    ))?;
    out.line(&format!(
        "\nmemory on {} with a context of {} tokens",
        p.device.name, p.program.settings.context
    ))?;
    let mut rows: Vec<Vec<String>> = p
        .program
        .regions
        .iter()
        .map(|r| vec![r.name.to_owned(), r.kind.name().to_owned(), r.bytes.to_string(), bytes(r.bytes)])
        .collect();
    let total = p.program.bytes();
    rows.push(vec!["total".into(), String::new(), total.to_string(), bytes(total)]);
    out.text(&table(&["region", "kind", ">bytes", ">"], &rows))?;
    let free = p.device.free_bytes;
    out.line(&if free == 0 {
        "free memory is not known here".to_owned()
    } else if total <= free {
        format!("fits: {} are free", bytes(free))
    } else {
        format!("does not fit: {} are free; use a shorter --ctx or a smaller model", bytes(free))
    })
}

/// A value in one short line.
fn short(v: &Value<'_>) -> String {
    let text = match v {
        Value::Array(a) => {
            let head: Vec<String> = a.iter().take(ENTRIES).map(|v| short(&v)).collect();
            let more = if a.len() > head.len() as u64 {
                format!(", … ({} in all)", a.len())
            } else {
                String::new()
            };
            format!("[{}{more}]", head.join(", "))
        }
        Value::String(s) => escaped(&String::from_utf8_lossy(s)),
        other => plain(other),
    };
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) if !matches!(v, Value::Array(_)) => format!("{}… ({} bytes)", &text[..at], text.len()),
        _ => text,
    }
}

/// Without what could move the terminal's cursor; quotes stay as they are.
fn escaped(s: &str) -> String {
    let mut out = String::new();
    for c in s.chars() {
        match c {
            '\'' | '"' => out.push(c),
            _ => out.extend(c.escape_debug()),
        }
    }
    out
}

fn plain(v: &Value<'_>) -> String {
    if let Some(b) = v.as_bool() {
        return b.to_string();
    }
    match (v.as_u64(), v.as_i64(), v.as_f32()) {
        (Some(u), _, _) => u.to_string(),
        (_, Some(i), _) => i.to_string(),
        (_, _, Some(f)) => f.to_string(),
        _ => format!("{v:?}"),
    }
}

fn metadata_json(f: &GgufFile) -> serde_json::Value {
    let map: serde_json::Map<String, serde_json::Value> =
        f.metadata().map(|(k, v)| (k.to_owned(), value_json(&v))).collect();
    map.into()
}

fn value_json(v: &Value<'_>) -> serde_json::Value {
    match v {
        Value::Array(a) => {
            let head: Vec<serde_json::Value> = a.iter().take(ENTRIES).map(|v| value_json(&v)).collect();
            json!({ "length": a.len(), "first": head })
        }
        Value::String(s) => String::from_utf8_lossy(s).into(),
        _ => match (v.as_bool(), v.as_u64(), v.as_i64(), v.as_f32()) {
            (Some(b), ..) => b.into(),
            (_, Some(u), ..) => u.into(),
            (_, _, Some(i), _) => i.into(),
            (.., Some(x)) => json!(x),
            _ => format!("{v:?}").into(),
        },
    }
}

fn tensors_json(f: &GgufFile) -> serde_json::Value {
    f.tensors()
        .iter()
        .map(|t| {
            json!({
                "name": t.name(),
                "type": t.tensor_type().map(|k| k.name),
                "type_id": t.type_id(),
                "shape": t.dims(),
                "bytes": t.bytes(),
            })
        })
        .collect::<Vec<_>>()
        .into()
}

fn plan_json(p: &Plan) -> serde_json::Value {
    let regions: Vec<_> = p
        .program
        .regions
        .iter()
        .map(|r| json!({ "name": r.name, "kind": r.kind.name(), "bytes": r.bytes }))
        .collect();
    json!({
        "arch": p.program.config.arch,
        "context": p.program.settings.context,
        "device": p.device.name,
        "regions": regions,
        "total_bytes": p.program.bytes(),
        "free_bytes": p.device.free_bytes,
        "fits": p.device.free_bytes == 0 || p.program.bytes() <= p.device.free_bytes,
    })
}
