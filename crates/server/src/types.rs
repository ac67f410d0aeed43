//! Types of JSON that parameters take, for those whose routes read them, and for `/openapi.json`.

use crate::ask::On;
use crate::error::ApiError;
use serde_json::Value;

/// Types of JSON that parameters without a range take, by their names and where these are.
#[rustfmt::skip]
static TYPES: &[(&[&str], On, &[&str])] = &[
    (&["model", "suffix", "input_prefix", "input_suffix", "content", "grammar", "reasoning_effort", "encoding_format"], On::ANY, &["string"]),
    (&["messages", "tools", "input_extra", "tokens", "samplers", "dry_sequence_breakers", "include"], On::ANY, &["array"]),
    (&["raw", "add_special", "add_special_tokens", "parse_special", "with_pieces", "add_generation_prompt", "parallel_tool_calls"], On::ANY, &["boolean"]),
    (&["response_format", "language", "file"], On::AUDIO, &["string"]),
    (&["query"], On::RERANK, &["string"]),
    (&["documents"], On::RERANK, &["array"]),
    (&["timestamp_granularities"], On::AUDIO, &["array"]),
    (&["chunking_strategy"], On::AUDIO, &["string", "object"]),
    (&["type"], On::CHUNKING, &["string"]),
    (&["text", "thinking", "reasoning", "response_format"], On::ANY, &["object"]),
    (&["system", "input", "instructions"], On::ANY, &["string", "array"]),
    (&["prompt"], On::SEVERAL_PROMPTS, &["string", "array"]),
    (&["prompt"], On::ANY, &["string"]),
    (&["logit_bias"], On::LLAMA.or(On::INFILL), &["object", "array"]),
    (&["logit_bias"], On::ANY, &["object"]),
    (&["tool_choice"], On::MESSAGES.or(On::COUNT), &["object"]),
    (&["tool_choice"], On::ANY, &["string", "object"]),
    (&["num_ctx", "thinking_token_budget", "mirostat"], On::ANY, &["integer"]),
    (&["format"], On::ANY, &["string", "object", "boolean"]),
    (&["json_schema"], On::ANY, &["object", "boolean"]),
    (&["think"], On::ANY, &["boolean", "string"]),
    (&["keep_alive"], On::ANY, &["number", "string"]),
];

/// The types of a parameter without a range; `None` where any is taken.
pub(crate) fn types(name: &str, on: On) -> Option<&'static [&'static str]> {
    TYPES.iter().find(|(names, at, _)| names.contains(&name) && at.has(on)).map(|t| t.2)
}

/// Refuses a value of another type, be it read later or not. `full` is the parameter's name with where it stands.
pub(crate) fn check(name: &str, on: On, full: &str, v: &Value) -> Result<(), ApiError> {
    let Some(types) = types(name, on) else { return Ok(()) };
    let is = |kind: &str| match kind {
        "string" => v.is_string(),
        "array" => v.is_array(),
        "object" => v.is_object(),
        "boolean" => v.is_boolean(),
        "integer" => v.as_f64().is_some_and(|n| n.fract() == 0.0),
        _ => v.is_number(),
    };
    if types.iter().any(|kind| is(kind)) {
        return Ok(());
    }
    let words: Vec<&str> = types.iter().map(|kind| word(kind)).collect();
    Err(ApiError::type_of(full, &words.join(" or "), v))
}

fn word(kind: &str) -> &'static str {
    match kind {
        "string" => "a string",
        "array" => "a list",
        "object" => "an object",
        "boolean" => "true or false",
        "integer" => "a whole number",
        _ => "a number",
    }
}
