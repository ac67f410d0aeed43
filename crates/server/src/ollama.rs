//! ollama's interface: lines of JSON, durations in nanoseconds, streams unless told otherwise.

use crate::conversation::{self, messages};
use crate::error::{ApiError, Shape};
use crate::generate::{End, collect};
use crate::infill;
use crate::json;
use crate::keep_alive::KeepAlive;
use crate::logprobs::Probable;
use crate::models::{Loaded, Slot, now};
use crate::params::{self, Ask, On, flag};
use crate::prompts::check_context;
use crate::reply::{self, Reply};
use crate::request::{Asked, Incoming};
use crate::stream::Writer;
use crate::tools::{self, Style};
use akunu::files::chat::Message;
use akunu::tools::ToolCall;
use akunu::{FinishReason, Infill, LogProbs, Sampling};
use hyper::Response;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// `/api/chat`.
pub(crate) async fn chat(request: Incoming) -> Result<Response<Reply>, ApiError> {
    if is_empty(&request, "messages") {
        return only_load(request, On::OLLAMA_CHAT, Answer::Message).await;
    }
    let (since, most) = (Instant::now(), request.shared.options.messages);
    let asked = request
        .ask(On::OLLAMA_CHAT, move |loaded, body, _| {
            check_context(loaded, body)?;
            let tools = tools::read(body, Style::Nested)?;
            loaded.converse(&messages(body, most)?, tools.as_ref())
        })
        .await?;
    finish(asked, Answer::Message, since).await
}

/// `/api/generate`.
pub(crate) async fn generate(request: Incoming) -> Result<Response<Reply>, ApiError> {
    if is_empty(&request, "prompt") {
        return only_load(request, On::OLLAMA_GENERATE, Answer::Response).await;
    }
    let since = Instant::now();
    let asked = request
        .ask(On::OLLAMA_GENERATE, |loaded, body, _| {
            check_context(loaded, body)?;
            let prompt = string(body, "prompt")?;
            let raw = body.get("raw").filter(|v| !v.is_null()).map_or(Ok(false), |v| flag("raw", v))?;
            let system = body.get("system").filter(|v| !v.is_null() && *v != "");
            let suffix = infill::suffix(body)?;
            if system.is_some() && (raw || suffix.is_some()) {
                let message =
                    "`system` has no place in a raw prompt, nor in one with a `suffix`; leave it out";
                return Err(ApiError::value("system", message));
            }
            if let Some(suffix) = suffix {
                let infill = Infill { prefix: prompt, suffix, ..Infill::default() };
                return Ok(vec![infill::prompt(loaded, &infill, "suffix")?].into());
            }
            if raw {
                return Ok(vec![loaded.model.encode(prompt)?].into());
            }
            let mut all = vec![Message::new("user", prompt)];
            if let Some(system) = system {
                all.insert(0, Message::new("system", &conversation::text(system, "system")?));
            }
            loaded.converse(&all, None)
        })
        .await?;
    finish(asked, Answer::Response, since).await
}

/// The longest body that may ask for nothing.
const EMPTY: usize = 4096;

/// Whether a request asks for nothing but that its model be there.
pub(crate) fn is_empty(request: &Incoming, what: &str) -> bool {
    let nothing = |v: &Value| v.is_null() || v == "" || v.as_array().is_some_and(Vec::is_empty);
    let body = Some(&request.body).filter(|b| b.len() <= EMPTY).and_then(|b| json::object(b).ok());
    body.is_some_and(|b| b.get(what).is_none_or(nothing) && b.contains_key("model"))
}

/// Loads the model, or, with a `keep_alive` of 0, unloads it once no request has it.
async fn only_load(request: Incoming, on: On, kind: Answer) -> Result<Response<Reply>, ApiError> {
    let since = Instant::now();
    let body = json::object(&request.body)?;
    let mut ask = Ask::new(Sampling::DEFAULT, on);
    params::apply(&body, on, &mut ask)?;
    let (name, reason) = if ask.keep_alive == Some(KeepAlive::For(Duration::ZERO)) {
        let slot = request.slot(&body)?;
        slot.unload();
        (slot.name.clone(), "unload")
    } else {
        (request.work(on, |loaded, _, _| Ok(loaded.name.clone())).await?, "load")
    };
    let mut v = About { model: name, kind, since }.line("");
    v["done"] = true.into();
    v["done_reason"] = reason.into();
    Ok(reply::json(200, &v))
}

fn string<'a>(body: &'a Map<String, Value>, name: &str) -> Result<&'a str, ApiError> {
    let v = body.get(name).filter(|v| !v.is_null()).ok_or_else(|| ApiError::missing(name))?;
    v.as_str().ok_or_else(|| ApiError::type_of(name, "a string", v))
}

/// Where the text stands in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Message,
    Response,
}

async fn finish(asked: Asked, kind: Answer, since: Instant) -> Result<Response<Reply>, ApiError> {
    let about = About { model: asked.loaded.name.clone(), kind, since };
    let probable = Probable::new(&asked.loaded, asked.ask.sampling.logprobs);
    if asked.ask.stream {
        return asked.stream(Box::new(Lines { about, probable }));
    }
    let all = collect(asked.start()?).await?;
    let Some(whole) = all.first() else { return Err(ApiError::internal("there is no answer")) };
    let mut v = about.last(&whole.text, &whole.end);
    if !whole.thoughts.is_empty() {
        *about.thinking(&mut v) = whole.thoughts.as_str().into();
    }
    if !whole.logprobs.is_empty() {
        v["logprobs"] = probable.list(&whole.logprobs).into();
    }
    if !whole.calls.is_empty() {
        v["message"]["tool_calls"] = whole.calls.iter().map(call).collect();
    }
    Ok(reply::json(200, &v))
}

/// What all lines of an answer have.
struct About {
    model: String,
    kind: Answer,
    since: Instant,
}

impl About {
    fn line(&self, text: &str) -> Value {
        let mut v = json!({ "model": self.model, "created_at": time(now()) });
        match self.kind {
            Answer::Message => v["message"] = json!({ "role": "assistant", "content": text }),
            Answer::Response => v["response"] = text.into(),
        }
        v["done"] = false.into();
        v
    }

    /// The place of thoughts.
    fn thinking<'v>(&self, v: &'v mut Value) -> &'v mut Value {
        match self.kind {
            Answer::Message => &mut v["message"]["thinking"],
            Answer::Response => &mut v["thinking"],
        }
    }

    fn last(&self, text: &str, end: &End) -> Value {
        let mut v = self.line(text);
        v["done"] = true.into();
        let stop = matches!(end.finish, FinishReason::Eos | FinishReason::StopString);
        v["done_reason"] = if stop { "stop" } else { "length" }.into();
        v["total_duration"] = (self.since.elapsed().as_nanos() as u64).into();
        v["load_duration"] = 0.into();
        v["prompt_eval_count"] = end.usage.prompt.into();
        v["prompt_eval_duration"] = (end.timing.prompt.as_nanos() as u64).into();
        v["eval_count"] = end.usage.completion.into();
        v["eval_duration"] = (end.timing.drawing.as_nanos() as u64).into();
        v
    }
}

/// A call, whose arguments are an object here.
fn call(call: &ToolCall) -> Value {
    // They were found to be one.
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
    json!({ "function": { "name": call.name, "arguments": arguments } })
}

fn push(v: &Value, out: &mut String) {
    use std::fmt::Write;
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{v}");
}

struct Lines {
    about: About,
    probable: Probable,
}

impl Lines {
    /// A line, with the log-probabilities that were kept for it.
    fn push(&mut self, mut v: Value, out: &mut String) {
        let list = self.probable.list_of_chunk(0);
        if !list.is_empty() {
            v["logprobs"] = list.into();
        }
        push(&v, out);
    }
}

impl Writer for Lines {
    fn content_type(&self) -> &'static str {
        "application/x-ndjson"
    }

    fn start(&mut self, _: usize, _: &mut String) {}

    fn log_probs(&mut self, _: usize, all: &[LogProbs]) {
        self.probable.keep(0, all);
    }

    fn text(&mut self, _: usize, text: &str, out: &mut String) {
        self.push(self.about.line(text), out);
    }

    fn thought(&mut self, _: usize, text: &str, out: &mut String) {
        let mut v = self.about.line("");
        *self.about.thinking(&mut v) = text.into();
        self.push(v, out);
    }

    fn call(&mut self, _: usize, made: &ToolCall, out: &mut String) {
        let mut v = self.about.line("");
        v["message"]["tool_calls"] = json!([call(made)]);
        self.push(v, out);
    }

    fn end(&mut self, _: usize, end: &End, out: &mut String) {
        self.push(self.about.last("", end), out);
    }

    fn close(&mut self, _: &mut String) {}

    fn fail(&mut self, error: &ApiError, out: &mut String) {
        push(&error.body(Shape::Ollama), out);
    }

    /// A line without text: these streams have no comments.
    fn keep_alive(&mut self, out: &mut String) {
        push(&self.about.line(""), out);
    }
}

/// `/api/tags`: all models.
pub(crate) fn tags(request: &Incoming) -> Response<Reply> {
    let all: Vec<Value> = request.shared.models.0.iter().map(model).collect();
    reply::json(200, &json!({ "models": all }))
}

/// `/api/ps`: those that are loaded.
pub(crate) fn ps(request: &Incoming) -> Response<Reply> {
    /// The year 9999: never.
    const NEVER: u64 = 253_402_300_799;
    let loaded = |s: &&Arc<Slot>| s.loaded().is_some();
    let usual = request.shared.options.resident.idle;
    let all = request.shared.models.0.iter().filter(loaded).map(|s| {
        let mut v = model(s);
        v["size_vram"] = v["size"].clone();
        v["expires_at"] = time(s.expires(usual).unwrap_or(NEVER)).into();
        v
    });
    reply::json(200, &json!({ "models": all.collect::<Vec<_>>() }))
}

/// `/api/version`.
pub(crate) fn version() -> Response<Reply> {
    reply::json(200, &json!({ "version": env!("CARGO_PKG_VERSION") }))
}

/// `/api/show`.
pub(crate) async fn show(request: Incoming) -> Result<Response<Reply>, ApiError> {
    let v = request
        .work(On::OLLAMA_SHOW, |loaded, _, _| {
            let model = &loaded.model;
            let template = model.tokenizer().ok().and_then(|t| t.data().chat_template.clone());
            let c = model.config();
            let arch = model.program().arch.name;
            Ok(json!({
                "details": details(loaded), "template": template,
                "capabilities": [if model.makes_vectors() { "embedding" } else { "completion" }],
                "model_info": {
                    "general.architecture": arch, format!("{arch}.context_length"): c.context,
                    format!("{arch}.block_count"): c.layers,
                },
            }))
        })
        .await?;
    Ok(reply::json(200, &v))
}

fn model(slot: &Arc<Slot>) -> Value {
    let loaded = slot.loaded();
    let size = loaded.as_ref().map_or(0, |l| {
        let p = l.model.program();
        p.bytes() - p.own_bytes()
    });
    json!({
        "name": slot.name, "model": slot.name, "modified_at": time(slot.created), "size": size, "digest": "",
        "details": loaded.map(|l| details(&l)),
    })
}

fn details(loaded: &Loaded) -> Value {
    let family = loaded.model.program().arch.name;
    json!({
        "parent_model": "", "format": "", "family": family, "families": [family], "parameter_size": "",
        "quantization_level": "",
    })
}

/// A time of seconds since 1970 as RFC 3339 has it, in UTC.
fn time(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March here, and eras have 400 of them, so that the leap day is the last (H. Hinnant, "chrono-compatible
    // low-level date algorithms").
    let z = days + 719_468;
    let (era, doe) = (z / 146_097, z % 146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let (day, month) = (doy - (153 * mp + 2) / 5 + 1, if mp < 10 { mp + 3 } else { mp - 9 });
    let year = yoe + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates() {
        assert_eq!(time(0), "1970-01-01T00:00:00Z");
        assert_eq!(time(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(time(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(time(1_795_262_400), "2026-11-21T12:00:00Z");
        assert_eq!(time(253_402_300_799), "9999-12-31T23:59:59Z");
    }
}
