//! Prompts in a body, and the context that it asks for.

use crate::error::ApiError;
use crate::models::Loaded;
use crate::params::{CHOICES, whole};
use akunu::Token;
use serde_json::{Map, Value};

/// The prompts: a text, a list of texts, token ids, or a list of such.
pub(crate) fn prompts(loaded: &Loaded, body: &Map<String, Value>) -> Result<Vec<Vec<Token>>, ApiError> {
    let v = body.get("prompt").filter(|v| !v.is_null()).ok_or_else(|| ApiError::missing("prompt"))?;
    let one = |v: &Value, path: &str| match v {
        Value::String(s) => Ok(loaded.model.encode(s)?),
        Value::Array(ids) => token_ids(ids, path),
        _ => Err(ApiError::type_of(path, "a string, a list of token ids, or a list of such", v)),
    };
    let prompts = match v {
        Value::Array(all) if all.first().is_none_or(Value::is_number) => vec![token_ids(all, "prompt")?],
        Value::Array(all) if all.len() > CHOICES as usize => {
            return Err(ApiError::value(
                "prompt",
                format!("there are {} prompts; give at most {CHOICES}", all.len()),
            ));
        }
        Value::Array(all) => {
            let each = all.iter().enumerate().map(|(i, v)| one(v, &format!("prompt[{i}]")));
            each.collect::<Result<_, _>>()?
        }
        v => vec![one(v, "prompt")?],
    };
    if prompts.iter().any(Vec::is_empty) {
        return Err(
            ApiError::bad("empty_prompt", "a prompt has no tokens; give at least one").about("prompt")
        );
    }
    Ok(prompts)
}

/// A list of token ids; whether the model has them is the engine's matter.
pub(crate) fn token_ids(all: &[Value], path: &str) -> Result<Vec<Token>, ApiError> {
    let id = |(i, v): (usize, &Value)| {
        Ok(Token(whole(&format!("{path}[{i}]"), v, 0, i64::from(u32::MAX))? as u32))
    };
    all.iter().enumerate().map(id).collect()
}

/// A context is chosen when a model is loaded. One that is asked for must fit into it.
pub(crate) fn check_context(loaded: &Loaded, body: &Map<String, Value>) -> Result<(), ApiError> {
    let asked = body.get("options").and_then(|o| o.get("num_ctx")).filter(|v| !v.is_null());
    let Some(v) = asked else { return Ok(()) };
    let n = whole("options.num_ctx", v, 1, i64::from(u32::MAX))?;
    if n <= i64::from(loaded.context()) {
        return Ok(());
    }
    let message = format!(
        "`options.num_ctx` is {n}, and the model is served with a context of {}; start the server with a longer --ctx",
        loaded.context()
    );
    Err(ApiError::bad("context_length_exceeded", message).about("options.num_ctx"))
}
