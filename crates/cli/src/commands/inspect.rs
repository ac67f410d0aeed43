//! `akunu inspect`: what is in a file, what it takes, and whether it fits. A file that cannot be run is still
//! shown, with the reason.

use super::{load_options, source};
use crate::args::{Inspect, Machine, Places};
use crate::error::CliError;
use crate::output::{Output, table};
use crate::units::bytes;
use akunu::files::WeightSource;
use akunu::files::ggml::{FileTensor as GgmlTensor, GgmlFile, GgmlSource, is_ggml};
use akunu::files::gguf::{GgufFile, Value};
use akunu::files::safetensors::{Directory, FileTensor, SafetensorsSource, UnusedHead, is_directory_model};
use akunu::kernels::step::KV_BLOCK;
use akunu::plan::Program;
use akunu::{BatchOptions, Model, Plan, Source};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

/// Characters of a metadata value that are shown.
const SHOWN: usize = 100;
/// Entries of a metadata array that are shown.
const ENTRIES: usize = 6;

/// Programs differ in which of the two they use; who compares answers must know.
const OTHER_HEAD: &str = "the output head lm_head differs from the embedding. config.json says tie_word_embeddings, so \
                          the embedding is used as the head, as transformers up to version 4 and mlx-lm do. If the \
                          answers make no sense, the model was trained with a head of its own: set \
                          tie_word_embeddings to false in config.json";

/// Runs the command.
pub(crate) fn run(a: &Inspect, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    let source = source(a.model.as_deref(), a.synthetic.as_deref(), out)?;
    if let Source::Path(p) = &source
        && is_directory_model(p)
    {
        return directory(&source, p, a, machine, out);
    }
    if let Source::Path(p) = &source
        && is_ggml(p)
    {
        return speech_file(&source, p, a, machine, out);
    }
    let file = match &source {
        Source::Path(p) => Some(GgufFile::open(p)?),
        Source::Synthetic(_) => None,
    };
    let plan = planned(Model::plan(&source, &load_options(machine, &source)?), a);
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
    verdict(plan, out)
}

/// What runs the model: a session, or a batch of so many sequences.
struct Planned {
    /// The model's, for a session.
    plan: Plan,
    /// A batch's.
    batch: Option<Program>,
}

fn planned(plan: Result<Plan, akunu::Error>, a: &Inspect) -> Result<Planned, akunu::Error> {
    let plan = plan?;
    let batch = a.sequences.map(|places| {
        let sequences = match places {
            Places::Auto => None,
            Places::Of(n) => Some(n),
        };
        plan.batch(&BatchOptions { sequences, ..BatchOptions::default() })
    });
    Ok(Planned { batch: batch.transpose()?, plan })
}

impl Planned {
    fn program(&self) -> &Program {
        self.batch.as_ref().unwrap_or(&self.plan.program)
    }
}

/// What it takes, or why it cannot be run.
fn verdict(plan: Result<Planned, akunu::Error>, out: &Output) -> Result<u8, CliError> {
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

/// The same for a file of whisper.cpp.
fn speech_file(
    source: &Source,
    path: &Path,
    a: &Inspect,
    machine: &Machine,
    out: &Output,
) -> Result<u8, CliError> {
    let file = GgmlFile::open(path)?;
    let weights = GgmlSource::open(path).ok();
    let plan = planned(Model::plan(source, &load_options(machine, source)?), a);
    let unmapped = weights.as_ref().map_or(&[][..], |w| w.unmapped());
    let words = ("words", file.words() as u64);
    let fields = file.fields().map(|(name, value)| (name, u64::from(value))).chain([words]);
    if out.is_json() {
        let tensor = |t: &GgmlTensor| {
            json!({
                "name": t.name,
                "type": t.tensor_type.name,
                "type_id": t.tensor_type.id,
                "shape": t.dims,
                "bytes": t.bytes,
            })
        };
        out.json(&json!({
            "metadata": fields.map(|(k, v)| (k.to_owned(), v.into())).collect::<serde_json::Map<_, _>>(),
            "tensors": file.tensors().iter().map(tensor).collect::<Vec<_>>(),
            "unknown": unmapped,
            "plan": plan.as_ref().ok().map(plan_json),
            "runs": plan.is_ok(),
            "reason": plan.as_ref().err().map(ToString::to_string),
        }))?;
        return Ok(u8::from(plan.is_err()));
    }
    out.line(&format!("whisper.cpp's GGML, {}, {} tensors", bytes(file.size()), file.tensors().len()))?;
    out.line("\nmetadata")?;
    for (name, value) in fields {
        out.line(&format!("  {name} = {value}"))?;
    }
    let all = file.tensors().iter().map(|t| (t.name.as_str(), t.tensor_type.name, &t.dims[..], t.bytes));
    show_tensors(all, a, out)?;
    show_unknown(unmapped, out)?;
    verdict(plan, out)
}

/// The same for a directory of safetensors files.
fn directory(
    source: &Source,
    path: &Path,
    a: &Inspect,
    machine: &Machine,
    out: &Output,
) -> Result<u8, CliError> {
    let dir = Directory::open(path)?;
    let weights = SafetensorsSource::open(path).ok();
    let plan = planned(Model::plan(source, &load_options(machine, source)?), a);
    let ignored = weights.as_ref().map_or(&[][..], |w| w.ignored());
    let unmapped = weights.as_ref().map_or(&[][..], |w| w.unmapped());
    let head = weights.as_ref().map_or(Ok(None), |w| w.unused_head())?;
    let note = head.filter(|h| *h == UnusedHead::Differs).map(|_| OTHER_HEAD);
    if out.is_json() {
        let tensors: Vec<_> = dir
            .tensors()
            .iter()
            .map(|t| json!({ "name": t.name, "type": t.element.name(), "shape": t.shape, "bytes": t.bytes }))
            .collect();
        let left_out: Vec<_> =
            ignored.iter().map(|(name, why)| json!({ "name": name, "reason": why })).collect();
        out.json(&json!({
            "metadata": dir.config_fields().map(|(k, v)| (k.to_owned(), v)).collect::<serde_json::Map<_, _>>(),
            "tensors": tensors,
            "left_out": left_out,
            "notes": note.into_iter().collect::<Vec<_>>(),
            "unknown": unmapped,
            "plan": plan.as_ref().ok().map(plan_json),
            "runs": plan.is_ok(),
            "reason": plan.as_ref().err().map(ToString::to_string),
        }))?;
        return Ok(u8::from(plan.is_err()));
    }
    show_directory(&dir, a, out)?;
    if let Some(w) = &weights {
        out.line("\nweights by format")?;
        let all = w.tensors().iter().map(|t| (t.dtype.name().to_owned(), t.bytes));
        out.text(&table(&["format", ">weights", ">bytes"], &sums(all)))?;
    }
    if !ignored.is_empty() {
        out.line("\ntensors left out")?;
        let rows: Vec<Vec<String>> =
            ignored.iter().map(|(n, why)| vec![n.clone(), (*why).to_owned()]).collect();
        out.text(&table(&["name", "reason"], &rows))?;
    }
    if let Some(note) = note {
        out.line(&format!("\nnote: {note}"))?;
    }
    show_unknown(unmapped, out)?;
    verdict(plan, out)
}

fn show_unknown(unmapped: &[String], out: &Output) -> Result<(), CliError> {
    if !unmapped.is_empty() {
        out.line("\ntensors of unknown meaning")?;
        unmapped.iter().try_for_each(|name| out.line(&format!("  {}", escaped(name))))?;
    }
    Ok(())
}

fn show_directory(dir: &Directory, a: &Inspect, out: &Output) -> Result<(), CliError> {
    let size = dir.files().map(|f| f.1).sum();
    let files = dir.files().count();
    out.line(&format!("safetensors, {files} files, {}, {} tensors", bytes(size), dir.tensors().len()))?;
    out.line("\nconfig.json")?;
    for (key, value) in dir.config_fields() {
        out.line(&format!("  {} = {}", escaped(key), cut(escaped(&value.to_string()))))?;
    }
    if a.tensors {
        out.line("\ntensors")?;
        let row = |t: &FileTensor| {
            let dims: Vec<String> = t.shape.iter().map(u64::to_string).collect();
            vec![escaped(&t.name), t.element.name().to_owned(), dims.join(" x "), t.bytes.to_string()]
        };
        let rows: Vec<Vec<String>> = dir.tensors().iter().map(row).collect();
        out.text(&table(&["name", "type", "shape", ">bytes"], &rows))?;
    }
    out.line("\ntensors by type")?;
    let all = dir.tensors().iter().map(|t| (t.element.name().to_owned(), t.bytes));
    out.text(&table(&["type", ">tensors", ">bytes"], &sums(all)))
}

/// How many there are of each kind, and their bytes.
fn sums(all: impl Iterator<Item = (String, u64)>) -> Vec<Vec<String>> {
    let mut by_kind: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (kind, bytes) in all {
        let sum = by_kind.entry(kind).or_default();
        sum.0 += 1;
        sum.1 += bytes;
    }
    by_kind.into_iter().map(|(t, (n, b))| vec![t, n.to_string(), b.to_string()]).collect()
}

fn show_file(f: &GgufFile, a: &Inspect, out: &Output) -> Result<(), CliError> {
    out.line(&format!("GGUF version {}, {}, {} tensors", f.version(), bytes(f.size()), f.tensors().len()))?;
    out.line("\nmetadata")?;
    for (key, value) in f.metadata() {
        out.line(&format!("  {key} = {}", short(&value)))?;
    }
    let named: Vec<String> = (f.tensors().iter())
        .map(|t| t.tensor_type().map_or_else(|| format!("type {}", t.type_id()), |k| k.name.to_owned()))
        .collect();
    let all = f.tensors().iter().zip(&named);
    show_tensors(all.map(|(t, kind)| (t.name(), kind.as_str(), t.dims(), t.bytes().unwrap_or(0))), a, out)
}

/// Tensors by type, and each where that is asked for: names, types, dimensions and bytes.
fn show_tensors<'a>(
    all: impl Iterator<Item = (&'a str, &'a str, &'a [u64], u64)>,
    a: &Inspect,
    out: &Output,
) -> Result<(), CliError> {
    let mut by_type = Vec::new();
    let mut rows = Vec::new();
    for (name, kind, dims, size) in all {
        by_type.push((kind.to_owned(), size));
        let dims: Vec<String> = dims.iter().map(u64::to_string).collect();
        rows.push(vec![escaped(name), kind.to_owned(), dims.join(" x "), size.to_string()]);
    }
    if a.tensors {
        out.line("\ntensors")?;
        out.text(&table(&["name", "type", "shape", ">bytes"], &rows))?;
    }
    out.line("\ntensors by type")?;
    out.text(&table(&["type", ">tensors", ">bytes"], &sums(by_type.into_iter())))
}

fn show_plan(planned: &Planned, out: &Output) -> Result<(), CliError> {
    let (device, p) = (&planned.plan.device, planned.program());
    let c = &p.config;
    out.line(&format!(
        "\n{}: {} layers, width {}, {} heads over {} KV heads of {}, feed-forward {}, vocabulary {}, trained for {} tokens",
        c.arch, c.layers, c.hidden, c.heads, c.kv_heads, c.head_dim, c.ffn, c.vocab, c.context
    ))?;
    let of = planned.batch.as_ref().map_or(String::new(), |p| {
        let (sequences, blocks) = (p.capacity().seqs, u64::from(p.cache.pool));
        let tokens = blocks * u64::from(KV_BLOCK);
        format!(
            " for {sequences} sequences at a time, {tokens} tokens in the KV cache ({blocks} blocks), each"
        )
    });
    let context = p.settings.context;
    out.line(&format!("\nmemory on {}{of} with a context of {context} tokens", device.name))?;
    let mut rows: Vec<Vec<String>> = p
        .regions
        .iter()
        .filter(|r| r.bytes > 0)
        .map(|r| vec![r.name.to_owned(), r.kind.name().to_owned(), r.bytes.to_string(), bytes(r.bytes)])
        .collect();
    let total = p.bytes();
    let in_file = p.weights.file_bytes;
    if in_file > 0 {
        rows.push(vec!["(in files)".into(), "no memory".into(), format!("-{in_file}"), bytes(in_file)]);
    }
    rows.push(vec!["total".into(), String::new(), total.to_string(), bytes(total)]);
    out.text(&table(&["region", "kind", ">bytes", ">"], &rows))?;
    out.line(&format!(
        "KV cache: keys in {}, values in {}; --cache-type-k and --cache-type-v choose others",
        p.cache.k.name(),
        p.cache.v.name()
    ))?;
    let free = device.free_bytes;
    out.line(&if free == 0 {
        "free memory is not known here".to_owned()
    } else if total <= free {
        format!("fits: {} are free", bytes(free))
    } else {
        let fewer = if planned.batch.is_some() { "fewer --sequences, " } else { "" };
        format!("does not fit: {} are free; use {fewer}a shorter --ctx, a smaller KV cache (--cache-type-k and --cache-type-v q8_0), a smaller model, or leave the weights in their file (--no-repack)", bytes(free))
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
    if matches!(v, Value::Array(_)) { text } else { cut(text) }
}

/// The start of a long text.
fn cut(text: String) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}… ({} bytes)", &text[..at], text.len()),
        None => text,
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

fn plan_json(planned: &Planned) -> serde_json::Value {
    let (device, p) = (&planned.plan.device, planned.program());
    let regions: Vec<_> = p
        .regions
        .iter()
        .filter(|r| r.bytes > 0)
        .map(|r| json!({ "name": r.name, "kind": r.kind.name(), "bytes": r.bytes }))
        .collect();
    let mut plan = json!({
        "arch": p.config.arch,
        "context": p.settings.context,
        "cache_type_k": p.cache.k.name(),
        "cache_type_v": p.cache.v.name(),
        "device": device.name,
        "regions": regions,
        "file_bytes": p.weights.file_bytes,
        "total_bytes": p.bytes(),
        "free_bytes": device.free_bytes,
        "fits": device.free_bytes == 0 || p.bytes() <= device.free_bytes,
    });
    if let Some(batch) = &planned.batch {
        plan["sequences"] = json!(batch.capacity().seqs);
        plan["cache_tokens"] = json!(u64::from(batch.cache.pool) * u64::from(KV_BLOCK));
    }
    plan
}
