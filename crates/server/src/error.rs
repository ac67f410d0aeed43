//! What a request can be refused or fail with, and how each interface writes it.

use serde_json::{Value, json};
use std::borrow::Cow;

/// How an interface writes errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `error: {message, type, param, code}`.
    OpenAi,
    /// `type: "error", error: {type, message}`.
    Anthropic,
    /// `error: "message"`.
    Ollama,
}

/// A request's error: a status, and what the client is told. Texts of prompts are never part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ApiError {
    pub(crate) status: u16,
    /// For programs, one for each reason.
    pub(crate) code: &'static str,
    /// The parameter that it is about.
    pub(crate) param: Option<String>,
    pub(crate) message: String,
    /// Seconds after which the same request may be answered.
    pub(crate) retry_after: Option<u64>,
    /// The method that the path takes, where it was another one.
    pub(crate) allow: Option<&'static str>,
}

impl ApiError {
    pub(crate) fn new(status: u16, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, param: None, message: message.into(), retry_after: None, allow: None }
    }

    /// A request that cannot be understood.
    pub(crate) fn bad(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(400, code, message)
    }

    /// A parameter with a value that means nothing.
    pub(crate) fn value(param: &str, message: impl Into<String>) -> Self {
        Self::bad("invalid_value", message).about(param)
    }

    /// A parameter of another type than it is.
    pub(crate) fn type_of(param: &str, wanted: &str, found: &Value) -> Self {
        let message = format!("`{param}` must be {wanted}, and is {}", kind(found));
        Self::bad("invalid_type", message).about(param)
    }

    /// A parameter that is missing.
    pub(crate) fn missing(param: &str) -> Self {
        Self::bad("missing_parameter", format!("`{param}` is missing; it is required")).about(param)
    }

    /// The server's own fault.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(500, "internal_error", message)
    }

    /// The server cannot now.
    pub(crate) fn busy(code: &'static str, message: impl Into<String>, retry_after: u64) -> Self {
        Self { retry_after: Some(retry_after), ..Self::new(503, code, message) }
    }

    pub(crate) fn about(mut self, param: &str) -> Self {
        self.param = Some(shown(param).into_owned());
        self
    }

    /// The kind of error, as OpenAI and Anthropic name them.
    fn kind(&self, shape: Shape) -> &'static str {
        match (self.status, shape) {
            (401, _) => "authentication_error",
            (403, _) => "permission_error",
            (404, Shape::Anthropic) => "not_found_error",
            (413, Shape::Anthropic) => "request_too_large",
            (429, _) => "rate_limit_error",
            (503, Shape::Anthropic) => "overloaded_error",
            (501, _) => "not_implemented_error",
            (500.., Shape::Anthropic) => "api_error",
            (500.., _) => "server_error",
            _ => "invalid_request_error",
        }
    }

    /// The body of the answer.
    pub(crate) fn body(&self, shape: Shape) -> Value {
        let kind = self.kind(shape);
        match shape {
            Shape::OpenAi => json!({
                "error": { "message": self.message, "type": kind, "param": self.param, "code": self.code }
            }),
            Shape::Anthropic => {
                json!({ "type": "error", "error": { "type": kind, "message": self.message } })
            }
            Shape::Ollama => json!({ "error": self.message }),
        }
    }
}

/// What an error of the engine is to a client.
impl From<akunu::Error> for ApiError {
    fn from(e: akunu::Error) -> Self {
        use akunu::Error as E;
        let message = e.to_string();
        match e {
            E::ContextFull { .. } => Self::bad("context_length_exceeded", message),
            E::TokenRange { .. } => Self::bad("invalid_token", message),
            E::TextTooLong { index, tokens, most } => {
                let message = format!(
                    "text {index} (from 0) has {tokens} tokens, and the model reads {most} at most; shorten it, or let it be cut (`truncate`)"
                );
                Self::bad("context_length_exceeded", message).about("input")
            }
            E::EmptyText { .. } => Self::bad("empty_input", message).about("input"),
            E::Empty => Self::bad("empty_prompt", "the prompt has no tokens; give at least one"),
            E::Option { .. } => Self::bad("invalid_value", message),
            E::NoInfill => Self::bad("unsupported_by_model", message),
            E::NoTokenizer(_) => Self::bad("no_tokenizer", message),
            E::Tokenizer(_) => Self::bad("tokenizer", message),
            E::QueueFull { .. } => Self::busy("queue_full", message, 2),
            E::CacheFull { .. } => Self::busy("cache_full", message, 5),
            // Compiling says more of what is wrong; here it was found in the middle of an answer.
            E::Grammar(_) => Self::bad("grammar_too_hard", message),
            E::Audio(_) => Self::bad("invalid_audio", message).about("file"),
            E::Stopped { .. } => Self::busy("engine_stopped", message, 30),
            _ => Self::internal(message),
        }
    }
}

/// A JSON value's kind, in words.
fn kind(v: &Value) -> &'static str {
    match v {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A name from outside, short and printable.
pub(crate) fn shown(name: &str) -> Cow<'_, str> {
    const MOST: usize = 80;
    if name.len() <= MOST && name.chars().all(|c| !c.is_control()) {
        return name.into();
    }
    let mut text: String = name.chars().take(MOST).flat_map(char::escape_default).collect();
    if name.chars().nth(MOST).is_some() {
        text.push('…');
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_interface_has_its_own_shape() {
        let e = ApiError::value("n", "`n` is 0");
        assert_eq!(
            e.body(Shape::OpenAi),
            json!({"error": {"message": "`n` is 0", "type": "invalid_request_error", "param": "n", "code": "invalid_value"}})
        );
        assert_eq!(e.body(Shape::Anthropic)["error"]["type"], "invalid_request_error");
        assert_eq!(e.body(Shape::Ollama), json!({"error": "`n` is 0"}));
        assert_eq!(ApiError::busy("x", "y", 1).body(Shape::Anthropic)["error"]["type"], "overloaded_error");
    }

    #[test]
    fn names_from_outside_are_short_and_printable() {
        assert_eq!(shown("top_p"), "top_p");
        assert_eq!(shown("a\nb"), "a\\nb");
        assert!(shown(&"ö".repeat(500)).len() < 1000 && shown(&"x".repeat(81)).ends_with("x…"));
    }
}
