//! What an answer must follow, as the interfaces say it, and grammars that were compiled before.

use crate::error::ApiError;
use crate::tools::only;
use akunu::Model;
use akunu::grammar::{Grammar, GrammarError, GrammarSource, GrammarStart};
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// What an answer must follow, and the parameter that says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    pub(crate) param: String,
    pub(crate) source: GrammarSource,
}

/// The longest schema or grammar of a request, in bytes.
const LONGEST: usize = 256 << 10;

/// Any JSON object.
const OBJECT: &str = r#"{"type": "object"}"#;

/// OpenAI's `response_format`: `text`, `json_object` or `json_schema`, whose schema is one level deeper than that of `text.format`.
pub(crate) fn response_format(path: &str, v: &Value) -> Result<Option<GrammarSource>, ApiError> {
    let map = object(path, v)?;
    match map.get("type").and_then(Value::as_str) {
        Some("text") => only(map, &["type"], path).map(|()| None),
        Some("json_object") => {
            only(map, &["type", "schema"], path)?;
            schema_or(map.get("schema"), &format!("{path}.schema"))
        }
        Some("json_schema") => {
            only(map, &["type", "json_schema"], path)?;
            let path = format!("{path}.json_schema");
            let inner = map.get("json_schema").ok_or_else(|| ApiError::missing(&path))?;
            named_schema(object(&path, inner)?, &["name", "description", "schema", "strict"], &path)
        }
        _ => Err(unknown(path)),
    }
}

/// `text` of OpenAI's responses: an object with `format`.
pub(crate) fn text(path: &str, v: &Value) -> Result<Option<GrammarSource>, ApiError> {
    let map = object(path, v)?;
    only(map, &["format"], path)?;
    let Some(v) = map.get("format").filter(|v| !v.is_null()) else { return Ok(None) };
    let path = format!("{path}.format");
    let map = object(&path, v)?;
    match map.get("type").and_then(Value::as_str) {
        Some("text") => only(map, &["type"], &path).map(|()| None),
        Some("json_object") => only(map, &["type"], &path).and_then(|()| schema_or(None, &path)),
        Some("json_schema") => named_schema(map, &["type", "name", "description", "schema", "strict"], &path),
        _ => Err(unknown(&path)),
    }
}

/// ollama's `format`: `json`, or a schema.
pub(crate) fn ollama(path: &str, v: &Value) -> Result<Option<GrammarSource>, ApiError> {
    match v {
        Value::String(s) if s.is_empty() => Ok(None),
        Value::String(s) if s == "json" => schema_or(None, path),
        Value::String(_) => Err(ApiError::value(path, format!("`{path}` is neither `json` nor a schema"))),
        v => schema(path, v),
    }
}

/// llama.cpp's `grammar`.
pub(crate) fn gbnf(path: &str, v: &Value) -> Result<Option<GrammarSource>, ApiError> {
    match v {
        Value::String(s) if s.is_empty() => Ok(None),
        Value::String(s) if s.len() > LONGEST => Err(too_long(path, s.len())),
        Value::String(s) => Ok(Some(GrammarSource::Gbnf(s.clone()))),
        v => Err(ApiError::type_of(path, "a string", v)),
    }
}

/// A schema by itself.
pub(crate) fn schema(path: &str, v: &Value) -> Result<Option<GrammarSource>, ApiError> {
    if !(v.is_object() || v.is_boolean()) {
        return Err(ApiError::type_of(path, "an object", v));
    }
    let text = v.to_string();
    match text.len() {
        n if n > LONGEST => Err(too_long(path, n)),
        _ => Ok(Some(GrammarSource::JsonSchema(text))),
    }
}

fn schema_or(v: Option<&Value>, path: &str) -> Result<Option<GrammarSource>, ApiError> {
    match v.filter(|v| !v.is_null()) {
        Some(v) => schema(path, v),
        None => Ok(Some(GrammarSource::JsonSchema(OBJECT.into()))),
    }
}

fn named_schema(
    map: &Map<String, Value>,
    keys: &[&str],
    path: &str,
) -> Result<Option<GrammarSource>, ApiError> {
    only(map, keys, path)?;
    // A schema is always followed to the letter, which those who do not ask for it get too.
    let strict = map.get("strict").filter(|v| !v.is_null());
    if let Some(v) = strict.filter(|v| !v.is_boolean()) {
        return Err(ApiError::type_of(&format!("{path}.strict"), "true or false", v));
    }
    let at = format!("{path}.schema");
    schema(&at, map.get("schema").ok_or_else(|| ApiError::missing(&at))?)
}

fn object<'v>(path: &str, v: &'v Value) -> Result<&'v Map<String, Value>, ApiError> {
    v.as_object().ok_or_else(|| ApiError::type_of(path, "an object", v))
}

fn unknown(path: &str) -> ApiError {
    let path = format!("{path}.type");
    ApiError::value(&path, format!("`{path}` is none of: text, json_object, json_schema"))
}

fn too_long(path: &str, bytes: usize) -> ApiError {
    ApiError::value(path, format!("`{path}` has {bytes} bytes; at most {LONGEST} are taken"))
}

/// Grammars that requests compiled before, the one that was asked for last at the end.
#[derive(Default)]
pub(crate) struct Grammars(Mutex<VecDeque<Kept>>);

struct Kept {
    source: GrammarSource,
    start: GrammarStart,
    grammar: Arc<Grammar>,
}

/// How many are kept, and the longest source of one.
const KEPT: usize = 32;
const KEPT_BYTES: usize = 64 << 10;

impl Grammars {
    /// A grammar for a model, compiled unless it is here. Compiling is bounded in time and memory.
    pub(crate) fn get(
        &self,
        model: &Model,
        format: &Format,
        start: GrammarStart,
    ) -> Result<Arc<Grammar>, ApiError> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut all = lock();
            let at = all.iter().position(|k| k.source == format.source && k.start == start);
            if let Some(kept) = at.and_then(|at| all.remove(at)) {
                let grammar = Arc::clone(&kept.grammar);
                all.push_back(kept);
                return Ok(grammar);
            }
        }
        let source = &format.source;
        let grammar = model.grammar(source, &start).map_err(|e| refused(e, &format.param))?;
        if source.bytes() <= KEPT_BYTES {
            let mut all = lock();
            if all.len() >= KEPT {
                all.pop_front();
            }
            all.push_back(Kept { source: source.clone(), start, grammar: Arc::clone(&grammar) });
        }
        Ok(grammar)
    }
}

fn refused(e: akunu::Error, param: &str) -> ApiError {
    let code = match &e {
        akunu::Error::Grammar(GrammarError::Schema(_)) => "unsupported_schema",
        akunu::Error::Grammar(_) => "invalid_grammar",
        _ => return e.into(),
    };
    ApiError::bad(code, e.to_string()).about(param)
}
