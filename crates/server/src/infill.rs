//! Texts with a hole, as the interfaces write them.

use crate::error::{ApiError, shown};
use crate::models::Loaded;
use crate::tools::only;
use akunu::{Infill, InfillFile, Token};
use serde_json::{Map, Value};

/// The most other files of a request.
const FILES: usize = 1024;

/// A text of a body; empty where there is none.
fn text<'a>(body: &'a Map<String, Value>, name: &str) -> Result<&'a str, ApiError> {
    match body.get(name).filter(|v| !v.is_null()) {
        None => Ok(""),
        Some(v) => v.as_str().ok_or_else(|| ApiError::type_of(name, "a string", v)),
    }
}

/// What comes after the hole, where a body has one: `suffix` of OpenAI's completions and of ollama's.
pub(crate) fn suffix(body: &Map<String, Value>) -> Result<Option<&str>, ApiError> {
    Ok(Some(text(body, "suffix")?).filter(|s| !s.is_empty()))
}

/// The prompt of a text with a hole; `param` is what an error is about.
pub(crate) fn prompt(loaded: &Loaded, infill: &Infill<'_>, param: &str) -> Result<Vec<Token>, ApiError> {
    // What draws no tokens says so first.
    loaded.engine()?;
    loaded.model.encode_infill(infill).map_err(|e| ApiError::from(e).about(param))
}

/// The prompt of llama.cpp's `/infill`.
pub(crate) fn llama(loaded: &Loaded, body: &Map<String, Value>) -> Result<Vec<Token>, ApiError> {
    for name in ["input_prefix", "input_suffix"] {
        if body.get(name).is_none_or(Value::is_null) {
            return Err(ApiError::missing(name));
        }
    }
    let files = match body.get("input_extra").filter(|v| !v.is_null()) {
        None => Vec::new(),
        Some(Value::Array(all)) if all.len() > FILES => {
            let message = format!("`input_extra` has {} texts; give at most {FILES}", all.len());
            return Err(ApiError::value("input_extra", message));
        }
        Some(Value::Array(all)) => all.iter().enumerate().map(file).collect::<Result<_, _>>()?,
        Some(v) => return Err(ApiError::type_of("input_extra", "a list", v)),
    };
    let infill = Infill {
        prefix: text(body, "input_prefix")?,
        suffix: text(body, "input_suffix")?,
        begun: text(body, "prompt")?,
        files: &files,
    };
    prompt(loaded, &infill, "input_suffix")
}

/// Another file: `text`, and perhaps `filename`.
fn file((i, v): (usize, &Value)) -> Result<InfillFile<'_>, ApiError> {
    /// llama.cpp's name of one without.
    const NAMELESS: &str = "tmp";
    let path = format!("input_extra[{i}]");
    let map = v.as_object().ok_or_else(|| ApiError::type_of(&path, "an object", v))?;
    only(map, &["filename", "text"], &path)?;
    let text = |name: &str| match map.get(name).filter(|v| !v.is_null()) {
        None => Ok(None),
        Some(Value::String(s)) => Ok(Some(s.as_str())),
        Some(v) => Err(ApiError::type_of(&format!("{path}.{name}"), "a string", v)),
    };
    let name = text("filename")?.unwrap_or(NAMELESS);
    if name.contains('\n') {
        let at = format!("{path}.filename");
        return Err(ApiError::value(&at, format!("`{at}` has two lines: `{}`; give one", shown(name))));
    }
    let text = text("text")?.ok_or_else(|| ApiError::missing(&format!("{path}.text")))?;
    Ok(InfillFile { name, text })
}
