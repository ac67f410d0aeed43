//! A line of a batch: a JSON string, or an object with a prompt and what differs from the options of the command.

use crate::args::{Overflow, Seed};
use akunu::files::chat::Message;
use clap::ValueEnum;
use serde_json::{Map, Value};

/// What a line asks for; `None` where the command's options hold.
#[derive(Debug, PartialEq)]
pub(super) struct Line {
    pub(super) said: Said,
    pub(super) system: Option<String>,
    pub(super) max_tokens: Option<u32>,
    pub(super) draw: Drawn,
    pub(super) seed: Option<Seed>,
    pub(super) stop: Option<Vec<String>>,
    pub(super) overflow: Option<Overflow>,
}

/// How a line wants to be drawn.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Drawn {
    pub(super) temperature: Option<f32>,
    pub(super) top_k: Option<u32>,
    pub(super) top_p: Option<f32>,
    pub(super) min_p: Option<f32>,
    pub(super) typical: Option<f32>,
    pub(super) repeat_penalty: Option<f32>,
    pub(super) presence_penalty: Option<f32>,
    pub(super) frequency_penalty: Option<f32>,
    pub(super) logprobs: Option<u32>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    Prompt(String),
    Messages(Vec<Message>),
}

/// What an object may have.
const FIELDS: [&str; 17] = [
    "prompt",
    "messages",
    "id",
    "system",
    "max_tokens",
    "temperature",
    "top_k",
    "top_p",
    "min_p",
    "typical",
    "repeat_penalty",
    "presence_penalty",
    "frequency_penalty",
    "seed",
    "stop",
    "logprobs",
    "overflow",
];

/// A line, and its id where it has one: an error is told with it. The error says what is wrong and what would be right.
pub(super) fn parse(text: &str) -> (Option<Value>, Result<Line, String>) {
    let mut object = match serde_json::from_str(text) {
        Ok(Value::String(prompt)) => {
            return (None, Line::of(Map::from_iter([("prompt".into(), prompt.into())])));
        }
        Ok(Value::Object(object)) => object,
        Ok(other) => {
            let what = format!("a line is a JSON string or an object, and this is {}", kind(&other));
            return (None, Err(what));
        }
        Err(e) => return (None, Err(format!("the line is no JSON: {}", without_place(&e)))),
    };
    (object.remove("id"), Line::of(object))
}

/// The parser counts lines of its own text, of which there is one.
fn without_place(e: &serde_json::Error) -> String {
    let text = e.to_string();
    match text.rsplit_once(" at line ") {
        Some((what, _)) => format!("{what} at byte {}", e.column()),
        None => text,
    }
}

impl Line {
    fn of(mut object: Map<String, Value>) -> Result<Self, String> {
        if let Some(name) = object.keys().find(|k| !FIELDS.contains(&k.as_str())) {
            return Err(format!("there is no field `{name}`; a line has {}", FIELDS.join(", ")));
        }
        // What is null is not there.
        object.retain(|_, v| !v.is_null());
        let said = match (object.remove("prompt"), object.remove("messages")) {
            (Some(_), Some(_)) => return Err("`prompt` and `messages` are both there; leave one out".into()),
            (None, None) => {
                return Err("there is no `prompt` and there are no `messages`; give one of them".into());
            }
            (Some(Value::String(prompt)), None) => Said::Prompt(prompt),
            (Some(other), None) => return Err(wrong("prompt", "a string", &other)),
            (None, Some(list)) => Said::Messages(messages(list)?),
        };
        let empty = match &said {
            Said::Prompt(prompt) => prompt.trim().is_empty(),
            Said::Messages(all) => all.iter().all(|m| m.content.trim().is_empty()),
        };
        if empty {
            return Err("the prompt is empty; say something in it, or leave the line out".into());
        }
        Ok(Self {
            said,
            system: take(&mut object, "system", "a string", |v| Some(v.as_str()?.to_owned()))?,
            max_tokens: take(
                &mut object,
                "max_tokens",
                "a whole number from 1 on, or -1 for no limit",
                limit,
            )?,
            draw: Drawn::of(&mut object)?,
            seed: take(&mut object, "seed", "a whole number from 0 on, or -1 for a random one", |v| {
                if v.as_i64() == Some(-1) { Some(Seed::Random) } else { v.as_u64().map(Seed::Fixed) }
            })?,
            stop: take(&mut object, "stop", "a text or a list of texts, none of them empty", stops)?,
            overflow: take(&mut object, "overflow", "\"shift\", \"trim\" or \"stop\"", |v| {
                Overflow::from_str(v.as_str()?, false).ok()
            })?,
        })
    }
}

impl Drawn {
    fn of(object: &mut Map<String, Value>) -> Result<Self, String> {
        let share = |v: &Value| number(v).filter(|p| (0.0..=1.0).contains(p));
        let penalty = |v: &Value| number(v).filter(|p| p.abs() <= 1e6);
        Ok(Self {
            temperature: take(object, "temperature", "0 (greedy) or more", |v| {
                number(v).filter(|t| *t >= 0.0)
            })?,
            top_k: take(object, "top_k", "a number of tokens, or 0 for all", |v| {
                v.as_i64().map(|k| u32::try_from(k.max(0)).unwrap_or(u32::MAX))
            })?,
            top_p: take(object, "top_p", "between 0 and 1 (off)", share)?,
            min_p: take(object, "min_p", "between 0 (off) and 1", share)?,
            typical: take(object, "typical", "between 0 and 1 (off)", share)?,
            repeat_penalty: take(object, "repeat_penalty", "more than 0; 1 is off", |v| {
                number(v).filter(|p| *p > 0.0)
            })?,
            presence_penalty: take(object, "presence_penalty", "a number; 0 is off", penalty)?,
            frequency_penalty: take(object, "frequency_penalty", "a number; 0 is off", penalty)?,
            logprobs: take(object, "logprobs", "a whole number from 0 to 20", |v| {
                v.as_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| *n <= akunu::MAX_LOGPROBS)
            })?,
        })
    }
}

/// A field, if it is there.
fn take<T>(
    object: &mut Map<String, Value>,
    name: &str,
    wanted: &str,
    read: impl Fn(&Value) -> Option<T>,
) -> Result<Option<T>, String> {
    match object.remove(name) {
        None => Ok(None),
        Some(v) => read(&v).map(Some).ok_or_else(|| wrong(name, wanted, &v)),
    }
}

fn wrong(name: &str, wanted: &str, found: &Value) -> String {
    let found = match found {
        Value::Number(n) => n.to_string(),
        Value::String(s) if (1..=40).contains(&s.len()) => format!("a string, {s:?}"),
        other => kind(other).to_owned(),
    };
    format!("`{name}` must be {wanted}, and this is {found}")
}

fn kind(v: &Value) -> &'static str {
    match v {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(s) if s.is_empty() => "an empty string",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn number(v: &Value) -> Option<f32> {
    v.as_f64().map(|n| n as f32).filter(|n| n.is_finite())
}

fn limit(v: &Value) -> Option<u32> {
    match v.as_i64() {
        Some(-1) => Some(u32::MAX),
        Some(n) if n > 0 => Some(u32::try_from(n).unwrap_or(u32::MAX)),
        _ => None,
    }
}

fn stops(v: &Value) -> Option<Vec<String>> {
    let text = |v: &Value| v.as_str().filter(|s| !s.is_empty()).map(str::to_owned);
    match v {
        Value::Array(all) => all.iter().map(text).collect(),
        one => text(one).map(|s| vec![s]),
    }
}

fn messages(list: Value) -> Result<Vec<Message>, String> {
    let wanted = "a list of objects with `role` and `content`";
    let Value::Array(list) = list else { return Err(wrong("messages", wanted, &list)) };
    if list.is_empty() {
        return Err(format!("`messages` must be {wanted}, and this is an empty one"));
    }
    let mut all = Vec::new();
    for (i, message) in list.iter().enumerate() {
        let Value::Object(fields) = message else {
            return Err(wrong(&format!("messages[{i}]"), "an object with `role` and `content`", message));
        };
        let text = |name: &str| match fields.get(name) {
            Some(Value::String(s)) => Ok(s.as_str()),
            Some(other) => Err(wrong(&format!("messages[{i}].{name}"), "a string", other)),
            None => Err(format!("`messages[{i}]` has no `{name}`; give it as a string")),
        };
        let message = Message::new(text("role")?, text("content")?);
        if message.role.trim().is_empty() {
            return Err(format!("`messages[{i}].role` is empty; it is system, user or assistant"));
        }
        if let Some(name) = fields.keys().find(|k| !["role", "content"].contains(&k.as_str())) {
            return Err(format!("`messages[{i}]` has a field `{name}`; only `role` and `content` are read"));
        }
        all.push(message);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn line(text: &str) -> Line {
        parse(text).1.unwrap_or_else(|e| unreachable!("{text}: {e}"))
    }

    #[test]
    fn a_line_says_what_differs() {
        let bare = Line {
            said: Said::Prompt("hi".into()),
            system: None,
            max_tokens: None,
            draw: Drawn::default(),
            seed: None,
            stop: None,
            overflow: None,
        };
        assert_eq!(line("\"hi\""), bare);
        assert_eq!(line(" {\"prompt\": \"hi\"}\r"), bare);
        assert_eq!(line(r#"{"prompt": "hi", "stop": null, "messages": null}"#), bare);
        let all = json!({ "id": [1], "prompt": "hi", "system": "S", "max_tokens": 7, "temperature": 0.5, "min_p": 0, "top_k": 3,
            "top_p": 0.5, "typical": 1, "repeat_penalty": 1.5, "presence_penalty": -1, "frequency_penalty": 2,
            "seed": u64::MAX, "stop": ["a", "b"], "logprobs": 4, "overflow": "shift" });
        let (id, parsed) = parse(&all.to_string());
        assert_eq!(id, Some(json!([1])));
        let want = Line {
            said: Said::Prompt("hi".into()),
            system: Some("S".into()),
            max_tokens: Some(7),
            draw: Drawn {
                temperature: Some(0.5),
                top_k: Some(3),
                top_p: Some(0.5),
                min_p: Some(0.0),
                typical: Some(1.0),
                repeat_penalty: Some(1.5),
                presence_penalty: Some(-1.0),
                frequency_penalty: Some(2.0),
                logprobs: Some(4),
            },
            seed: Some(Seed::Fixed(u64::MAX)),
            stop: Some(vec!["a".into(), "b".into()]),
            overflow: Some(Overflow::Shift),
        };
        assert_eq!(parsed, Ok(want));
        let more = line(r#"{"prompt": "hi", "max_tokens": -1, "seed": -1, "stop": "x"}"#);
        assert_eq!((more.max_tokens, more.seed), (Some(u32::MAX), Some(Seed::Random)));
        assert_eq!(more.stop, Some(vec!["x".into()]));
        let told = line(r#"{"messages": [{"role": "user", "content": "hi"}]}"#).said;
        assert_eq!(told, Said::Messages(vec![Message::new("user", "hi")]));
        // An id may be anything, null too.
        assert_eq!(parse(r#"{"id": null, "prompt": "hi"}"#).0, Some(Value::Null));
    }

    #[test]
    fn a_wrong_line_is_told_what_would_be_right() {
        for (text, words) in [
            ("", &["no JSON"][..]),
            ("hello", &["no JSON", "at byte 1"]),
            ("{\"prompt\": \"hi\"", &["no JSON", "EOF"]),
            ("\"a\" \"b\"", &["no JSON", "trailing"]),
            ("7", &["a JSON string or an object", "a number"]),
            ("[\"hi\"]", &["a list"]),
            ("{}", &["no `prompt`", "`messages`"]),
            (r#"{"prompt": "a", "messages": [{"role": "user", "content": "b"}]}"#, &["both"]),
            (r#"{"prompt": 7}"#, &["`prompt`", "a string", "7"]),
            (r#"{"prompt": " \n"}"#, &["empty"]),
            ("\"\"", &["empty"]),
            (r#"{"messages": []}"#, &["`messages`", "empty"]),
            (r#"{"messages": "hi"}"#, &["a list", "a string"]),
            (r#"{"messages": ["hi"]}"#, &["messages[0]", "an object"]),
            (r#"{"messages": [{"role": "user"}]}"#, &["messages[0]", "`content`"]),
            (r#"{"messages": [{"role": "", "content": "x"}]}"#, &["role", "empty"]),
            (r#"{"messages": [{"role": "user", "content": ["x"]}]}"#, &["messages[0].content", "a list"]),
            (r#"{"messages": [{"role": "user", "content": "x", "name": "y"}]}"#, &["`name`"]),
            (r#"{"messages": [{"role": "user", "content": " "}]}"#, &["empty"]),
            (r#"{"prompt": "a", "max_token": 5}"#, &["`max_token`", "max_tokens"]),
            (r#"{"prompt": "a", "max_tokens": 0}"#, &["`max_tokens`", "-1", "this is 0"]),
            (r#"{"prompt": "a", "max_tokens": 1.5}"#, &["`max_tokens`", "1.5"]),
            (r#"{"prompt": "a", "temperature": -1}"#, &["`temperature`", "greedy"]),
            (r#"{"prompt": "a", "temperature": "hot"}"#, &["`temperature`", "a string"]),
            (r#"{"prompt": "a", "min_p": 2}"#, &["`min_p`", "between 0"]),
            (r#"{"prompt": "a", "top_p": -1}"#, &["`top_p`", "1 (off)"]),
            (r#"{"prompt": "a", "top_k": 0.5}"#, &["`top_k`", "0 for all"]),
            (r#"{"prompt": "a", "typical": "x"}"#, &["`typical`", "a string"]),
            (r#"{"prompt": "a", "repeat_penalty": 0}"#, &["`repeat_penalty`", "more than 0"]),
            (r#"{"prompt": "a", "presence_penalty": 1e9}"#, &["`presence_penalty`", "0 is off"]),
            (r#"{"prompt": "a", "frequency_penalty": []}"#, &["`frequency_penalty`", "a list"]),
            (r#"{"prompt": "a", "seed": -2}"#, &["`seed`", "-2"]),
            (r#"{"prompt": "a", "logprobs": 21}"#, &["`logprobs`", "0 to 20"]),
            (r#"{"prompt": "a", "logprobs": -1}"#, &["`logprobs`", "-1"]),
            (r#"{"prompt": "a", "seed": 1.5}"#, &["`seed`", "1.5"]),
            (r#"{"prompt": "a", "stop": ""}"#, &["`stop`", "an empty string"]),
            (r#"{"prompt": "a", "stop": ["b", 5]}"#, &["`stop`", "a list"]),
            (
                r#"{"prompt": "a", "overflow": "later"}"#,
                &["`overflow`", "\"shift\"", "\"stop\"", "\"later\""],
            ),
            (r#"{"prompt": "a", "overflow": true}"#, &["`overflow`", "\"trim\"", "true or false"]),
            (r#"{"prompt": "a", "system": 5}"#, &["`system`", "5"]),
        ] {
            let (_, parsed) = parse(text);
            let e = parsed.expect_err(text);
            assert!(words.iter().all(|w| e.contains(w)), "{text} should say {words:?}: {e}");
        }
        // An error is told with the id.
        assert_eq!(parse(r#"{"id": "x", "prompt": 7}"#).0, Some(json!("x")));
    }
}
