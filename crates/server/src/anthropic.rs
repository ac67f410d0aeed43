//! Anthropic's `/v1/messages` and `/v1/messages/count_tokens`.

use crate::conversation::{self, messages_in, read_arguments};
use crate::error::{ApiError, Shape};
use crate::generate::{End, Whole, collect};
use crate::models::Loaded;
use crate::params::On;
use crate::reply::{self, Reply};
use crate::request::Incoming;
use crate::stream::{Writer, named_event};
use crate::tools::{self, Style, Tools, only};
use akunu::FinishReason;
use akunu::files::chat::Message;
use akunu::tools::ToolCall;
use hyper::Response;
use serde_json::{Map, Value, json};

/// Answers a conversation.
pub(crate) async fn answer(request: Incoming) -> Result<Response<Reply>, ApiError> {
    let most = request.shared.options.messages;
    let asked = request
        .ask(On::MESSAGES, move |loaded, body, ask| {
            let Some(all) = ask.max_tokens else { return Err(ApiError::missing("max_tokens")) };
            if let Some(thoughts) = ask.thinking.as_ref().filter(|t| t.most.is_some_and(|n| n >= all)) {
                let message = format!(
                    "`{}` must be less than `max_tokens`, which is {all}: the answer comes after the thoughts",
                    thoughts.param
                );
                return Err(ApiError::value(&thoughts.param, message));
            }
            let (all, tools) = conversation(body, most)?;
            loaded.converse(&all, tools.as_ref())
        })
        .await?;
    let about = About {
        id: format!("msg_{:016x}", crate::random()),
        model: asked.loaded.name.clone(),
        stops: asked.ask.stop.clone(),
        prompt: asked.prompts.first().map_or(0, Vec::len),
    };
    if asked.ask.stream {
        return asked.stream(Box::new(Events { about, blocks: 0, open: None }));
    }
    let all = collect(asked.start()?).await?;
    let Some(whole) = all.first() else { return Err(ApiError::internal("there is no answer")) };
    let mut v = about.message(about.content(whole));
    let (reason, sequence) = about.reason(&whole.end);
    v["stop_reason"] = reason.into();
    v["stop_sequence"] = sequence.into();
    v["usage"] = usage(&whole.end);
    Ok(reply::json(200, &v))
}

/// How many tokens a conversation has.
pub(crate) async fn count(request: Incoming) -> Result<Response<Reply>, ApiError> {
    let most = request.shared.options.messages;
    let count = move |loaded: &Loaded, body: &Map<String, Value>, _: &_| {
        let (all, tools) = conversation(body, most)?;
        Ok(loaded.converse(&all, tools.as_ref())?.prompts.iter().map(Vec::len).sum::<usize>())
    };
    let tokens = request.work(On::COUNT, count).await?;
    Ok(reply::json(200, &json!({ "input_tokens": tokens })))
}

/// The conversation of a body, and its tools.
fn conversation(body: &Map<String, Value>, most: usize) -> Result<(Vec<Message>, Option<Tools>), ApiError> {
    let v = body.get("messages").filter(|v| !v.is_null()).ok_or_else(|| ApiError::missing("messages"))?;
    let mut all = messages_in(&unblock(v)?, "messages", most)?;
    if let Some(system) = body.get("system").filter(|v| !v.is_null()) {
        all.insert(0, Message::new("system", &conversation::text(system, "system")?));
    }
    Ok((all, tools::read(body, Style::Anthropic)?))
}

/// The same messages with calls, results and thoughts beside their texts, as other interfaces have them.
fn unblock(v: &Value) -> Result<Value, ApiError> {
    let Some(all) = v.as_array() else { return Ok(v.clone()) };
    let mut out = Vec::new();
    for (i, message) in all.iter().enumerate() {
        let blocks = message.get("content").and_then(Value::as_array);
        let special = |b: &Value| {
            matches!(b.get("type").and_then(Value::as_str), Some("tool_use" | "tool_result" | "thinking"))
        };
        let Some(blocks) = blocks.filter(|b| b.iter().any(special)) else {
            out.push(message.clone());
            continue;
        };
        let (mut rest, mut calls, mut thoughts) = (Vec::new(), Vec::new(), String::new());
        for (n, block) in blocks.iter().enumerate() {
            let path = format!("messages[{i}].content[{n}]");
            let map = block.as_object().ok_or_else(|| ApiError::type_of(&path, "an object", block))?;
            let text = |name: &str| {
                let v = map.get(name).ok_or_else(|| ApiError::missing(&format!("{path}.{name}")))?;
                v.as_str().ok_or_else(|| ApiError::type_of(&format!("{path}.{name}"), "a string", v))
            };
            match map.get("type").and_then(Value::as_str) {
                Some("tool_use") => {
                    only(map, &["type", "id", "name", "input", "cache_control"], &path)?;
                    let input = read_arguments(map.get("input"), &format!("{path}.input"))?;
                    calls.push(conversation::call(Some(text("id")?), text("name")?, input));
                }
                Some("tool_result") => {
                    only(map, &["type", "tool_use_id", "content", "is_error", "cache_control"], &path)?;
                    let content = map.get("content").filter(|v| !v.is_null()).cloned().unwrap_or("".into());
                    out.push(
                        json!({ "role": "tool", "tool_call_id": text("tool_use_id")?, "content": content }),
                    );
                }
                Some("thinking") => {
                    only(map, &["type", "thinking", "signature"], &path)?;
                    thoughts.push_str(text("thinking")?);
                }
                _ => rest.push(block.clone()),
            }
        }
        if !rest.is_empty() || !calls.is_empty() || !thoughts.is_empty() {
            let mut message = message.clone();
            message["content"] = if rest.is_empty() { "".into() } else { rest.into() };
            if !calls.is_empty() {
                message["tool_calls"] = calls.into();
            }
            if !thoughts.is_empty() {
                message["reasoning_content"] = thoughts.into();
            }
            out.push(message);
        }
    }
    Ok(out.into())
}

struct About {
    id: String,
    model: String,
    stops: Vec<String>,
    prompt: usize,
}

impl About {
    fn message(&self, content: Value) -> Value {
        json!({
            "id": self.id, "type": "message", "role": "assistant", "model": self.model, "content": content,
            "stop_reason": null, "stop_sequence": null,
            "usage": { "input_tokens": self.prompt, "output_tokens": 0 },
        })
    }

    fn content(&self, whole: &Whole) -> Value {
        let mut blocks = Vec::new();
        if !whole.thoughts.is_empty() {
            blocks.push(json!({ "type": "thinking", "thinking": whole.thoughts, "signature": "" }));
        }
        if !whole.text.trim().is_empty() || whole.calls.is_empty() {
            blocks.push(json!({ "type": "text", "text": whole.text }));
        }
        for call in &whole.calls {
            let mut block = self.call(blocks.len(), call);
            // It was found to be an object.
            block["input"] = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
            blocks.push(block);
        }
        blocks.into()
    }

    /// A call that begins as block `n`.
    fn call(&self, n: usize, call: &ToolCall) -> Value {
        let id = self.id.trim_start_matches("msg_");
        json!({ "type": "tool_use", "id": format!("toolu_{id}_{n}"), "name": call.name, "input": {} })
    }

    /// Why an answer ended, and at which string. Of several strings it is not known which one.
    fn reason(&self, end: &End) -> (&'static str, Option<&str>) {
        match end.finish {
            _ if end.calls_tools() => ("tool_use", None),
            FinishReason::StopString if !self.stops.is_empty() => {
                let one = self.stops.first().filter(|_| self.stops.len() == 1);
                ("stop_sequence", one.map(String::as_str))
            }
            FinishReason::Eos | FinishReason::StopString => ("end_turn", None),
            _ => ("max_tokens", None),
        }
    }
}

/// The tokens of the prompt that were computed stand apart from those found in the cache.
fn usage(end: &End) -> Value {
    let u = &end.usage;
    json!({
        "input_tokens": u.prompt - u.cached, "output_tokens": u.completion, "cache_read_input_tokens": u.cached,
        "cache_creation_input_tokens": 0,
    })
}

struct Events {
    about: About,
    /// Blocks that have begun.
    blocks: usize,
    /// The kind of the last one, until it has ended.
    open: Option<Block>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    Thinking,
    Text,
}

impl Events {
    fn delta(&self, delta: Value, out: &mut String) {
        let index = self.blocks.saturating_sub(1);
        named_event("content_block_delta", json!({ "index": index, "delta": delta }), out);
    }

    fn begin(&mut self, block: Value, out: &mut String) {
        self.close_block(out);
        named_event("content_block_start", json!({ "index": self.blocks, "content_block": block }), out);
        self.blocks += 1;
    }

    fn close_block(&mut self, out: &mut String) {
        if self.open.take().is_some() {
            self.stop(out);
        }
    }

    fn stop(&self, out: &mut String) {
        named_event("content_block_stop", json!({ "index": self.blocks.saturating_sub(1) }), out);
    }

    fn open(&mut self, block: Block, out: &mut String) {
        if self.open != Some(block) {
            let empty = match block {
                Block::Thinking => json!({ "type": "thinking", "thinking": "", "signature": "" }),
                Block::Text => json!({ "type": "text", "text": "" }),
            };
            self.begin(empty, out);
            self.open = Some(block);
        }
    }
}

impl Writer for Events {
    fn start(&mut self, _: usize, out: &mut String) {
        let message = self.about.message(json!([]));
        named_event("message_start", json!({ "message": message }), out);
    }

    fn text(&mut self, _: usize, text: &str, out: &mut String) {
        self.open(Block::Text, out);
        self.delta(json!({ "type": "text_delta", "text": text }), out);
    }

    fn thought(&mut self, _: usize, text: &str, out: &mut String) {
        self.open(Block::Thinking, out);
        self.delta(json!({ "type": "thinking_delta", "thinking": text }), out);
    }

    fn call(&mut self, _: usize, call: &ToolCall, out: &mut String) {
        self.begin(self.about.call(self.blocks, call), out);
        self.delta(json!({ "type": "input_json_delta", "partial_json": call.arguments }), out);
        self.stop(out);
    }

    fn end(&mut self, _: usize, end: &End, out: &mut String) {
        if self.blocks == 0 {
            self.open(Block::Text, out);
        }
        self.close_block(out);
        let (reason, sequence) = self.about.reason(end);
        let delta = json!({ "stop_reason": reason, "stop_sequence": sequence });
        named_event("message_delta", json!({ "delta": delta, "usage": usage(end) }), out);
    }

    fn close(&mut self, out: &mut String) {
        named_event("message_stop", json!({}), out);
    }

    fn fail(&mut self, error: &ApiError, out: &mut String) {
        named_event("error", error.body(Shape::Anthropic), out);
    }

    fn keep_alive(&mut self, out: &mut String) {
        named_event("ping", json!({}), out);
    }
}
