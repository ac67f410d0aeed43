//! `/v1/responses`, without what would have to be kept between requests.

use crate::conversation::{self, messages_in};
use crate::error::{ApiError, Shape};
use crate::generate::{End, Whole, collect};
use crate::logprobs::Probable;
use crate::params::On;
use crate::reply::{self, Reply};
use crate::request::Incoming;
use crate::stream::{Writer, named_event};
use crate::tools::{self, Style, only};
use akunu::files::chat::Message;
use akunu::tools::ToolCall;
use akunu::{FinishReason, LogProbs};
use hyper::Response;
use serde_json::{Map, Value, json};

/// Answers a conversation.
pub(crate) async fn answer(request: Incoming) -> Result<Response<Reply>, ApiError> {
    let most = request.shared.options.messages;
    let asked = request
        .ask(On::RESPONSES, move |loaded, body, _| {
            let tools = tools::read(body, Style::Flat)?;
            let mut work = loaded.converse(&input(body, most)?, tools.as_ref())?;
            for name in ["tools", "tool_choice", "text", "parallel_tool_calls", "reasoning"] {
                if let Some(v) = body.get(name).filter(|v| !v.is_null()) {
                    work.echo.insert(name.into(), v.clone());
                }
            }
            Ok(work)
        })
        .await?;
    let about = About {
        id: format!("{:016x}", crate::random()),
        created: crate::models::now(),
        model: asked.loaded.name.clone(),
        max_tokens: asked.ask.max_tokens,
        temperature: asked.ask.sampling.temperature,
        top_p: asked.ask.sampling.top_p,
        echo: asked.echo.clone(),
    };
    let probable = Probable::new(&asked.loaded, asked.ask.sampling.logprobs);
    if asked.ask.stream {
        return asked.stream(Box::new(Events {
            about,
            probable,
            sequence: 0,
            done: Vec::new(),
            open: None,
            end: None,
        }));
    }
    let all = collect(asked.start()?).await?;
    let Some(whole) = all.into_iter().next() else { return Err(ApiError::internal("there is no answer")) };
    let Whole { text, logprobs, thoughts, calls, end, .. } = whole;
    let mut items = Vec::new();
    if !thoughts.is_empty() {
        items.push(Item::Thoughts(thoughts));
    }
    if !text.trim().is_empty() || calls.is_empty() {
        items.push(Item::Text(text, probable.list(&logprobs)));
    }
    items.extend(calls.into_iter().map(Item::Call));
    Ok(reply::json(200, &about.whole(&items, &end)))
}

/// Instructions and input as a conversation. Input is a text or a list of messages, calls and their outputs.
fn input(body: &Map<String, Value>, most: usize) -> Result<Vec<Message>, ApiError> {
    let v = body.get("input").filter(|v| !v.is_null()).ok_or_else(|| ApiError::missing("input"))?;
    let mut all = match v {
        Value::String(text) => vec![Message::new("user", text)],
        Value::Array(items) => messages_in(&unitem(items)?, "input", most)?,
        v => return Err(ApiError::type_of("input", "a string or a list", v)),
    };
    if let Some(text) = body.get("instructions").filter(|v| !v.is_null()) {
        all.insert(0, Message::new("system", &conversation::text(text, "instructions")?));
    }
    Ok(all)
}

/// Calls and their outputs as messages.
fn unitem(items: &[Value]) -> Result<Value, ApiError> {
    let mut out: Vec<Value> = Vec::new();
    for (i, item) in items.iter().enumerate() {
        let path = format!("input[{i}]");
        let kind = item.get("type").and_then(Value::as_str);
        let (Some(kind @ ("function_call" | "function_call_output")), Some(map)) = (kind, item.as_object())
        else {
            out.push(item.clone());
            continue;
        };
        let text = |name: &str| {
            let v = map.get(name).ok_or_else(|| ApiError::missing(&format!("{path}.{name}")))?;
            v.as_str().ok_or_else(|| ApiError::type_of(&format!("{path}.{name}"), "a string", v))
        };
        if kind == "function_call_output" {
            only(map, &["type", "id", "call_id", "output", "status"], &path)?;
            let output = map.get("output").ok_or_else(|| ApiError::missing(&format!("{path}.output")))?;
            let output = conversation::text(output, &format!("{path}.output"))?;
            out.push(json!({ "role": "tool", "tool_call_id": text("call_id")?, "content": output }));
            continue;
        }
        only(map, &["type", "id", "call_id", "name", "arguments", "status"], &path)?;
        let arguments = conversation::read_arguments(map.get("arguments"), &format!("{path}.arguments"))?;
        let call = conversation::call(Some(text("call_id")?), text("name")?, arguments);
        // Calls that follow each other are one turn.
        match out.last_mut().and_then(|last| last.get_mut("tool_calls")).and_then(Value::as_array_mut) {
            Some(calls) => calls.push(call),
            None => out.push(json!({ "role": "assistant", "content": "", "tool_calls": [call] })),
        }
    }
    Ok(out.into())
}

/// What an answer consists of.
#[derive(Clone, Debug)]
enum Item {
    Thoughts(String),
    /// With the log-probabilities of its tokens, where they are asked for.
    Text(String, Vec<Value>),
    Call(ToolCall),
}

struct About {
    id: String,
    created: u64,
    model: String,
    max_tokens: Option<u32>,
    temperature: f32,
    top_p: f32,
    /// Parameters as they were given.
    echo: Map<String, Value>,
}

impl About {
    fn response(&self, status: &str, output: Value) -> Value {
        let mut v = json!({
            "id": format!("resp_{}", self.id), "object": "response", "created_at": self.created, "status": status, "error": null,
            "incomplete_details": null, "instructions": null, "max_output_tokens": self.max_tokens,
            "model": self.model, "output": output, "parallel_tool_calls": true, "previous_response_id": null,
            "reasoning": { "effort": null, "summary": null }, "store": false, "temperature": self.temperature,
            "text": { "format": { "type": "text" } }, "tool_choice": "auto", "tools": [], "top_p": self.top_p,
            "truncation": "disabled", "usage": null, "user": null, "metadata": {},
        });
        for (name, value) in &self.echo {
            match (&mut v[name], value) {
                (Value::Object(own), Value::Object(given)) => own.extend(given.clone()),
                (own, given) => *own = given.clone(),
            }
        }
        v
    }

    fn whole(&self, items: &[Item], end: &End) -> Value {
        let cut = !matches!(end.finish, FinishReason::Eos | FinishReason::StopString);
        let status = if cut { "incomplete" } else { "completed" };
        let output: Vec<Value> =
            items.iter().enumerate().map(|(i, item)| self.item(i, item, Some(status))).collect();
        let mut v = self.response(status, output.into());
        if cut {
            v["incomplete_details"] = json!({ "reason": "max_output_tokens" });
        }
        let u = &end.usage;
        v["usage"] = json!({
            "input_tokens": u.prompt, "input_tokens_details": { "cached_tokens": u.cached },
            "output_tokens": u.completion, "output_tokens_details": { "reasoning_tokens": u.thoughts },
            "total_tokens": u.prompt + u.completion,
        });
        v
    }

    /// An item of the output; without a status it has just begun.
    fn item(&self, i: usize, item: &Item, status: Option<&str>) -> Value {
        let (id, begun) = (&self.id, status.is_none());
        let status = status.unwrap_or("in_progress");
        match item {
            Item::Text(text, logprobs) => {
                let content = if begun { json!([]) } else { json!([part(text, logprobs)]) };
                json!({ "type": "message", "id": format!("msg_{id}_{i}"), "status": status, "role": "assistant", "content": content })
            }
            Item::Thoughts(text) => {
                let content =
                    if begun { json!([]) } else { json!([{ "type": "reasoning_text", "text": text }]) };
                json!({ "type": "reasoning", "id": format!("rs_{id}_{i}"), "status": status, "summary": [], "content": content })
            }
            // A call is given out when it is whole.
            Item::Call(call) => json!({
                "type": "function_call", "id": format!("fc_{id}_{i}"), "call_id": format!("call_{id}_{i}"),
                "status": if begun { "in_progress" } else { "completed" }, "name": call.name,
                "arguments": if begun { "" } else { &call.arguments },
            }),
        }
    }
}

fn part(text: &str, logprobs: &[Value]) -> Value {
    json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": logprobs })
}

struct Events {
    about: About,
    probable: Probable,
    /// Events are numbered.
    sequence: u64,
    /// Items that have ended.
    done: Vec<Item>,
    /// The one under way.
    open: Option<Item>,
    end: Option<End>,
}

impl Events {
    fn event(&mut self, name: &str, mut data: Value, out: &mut String) {
        data["sequence_number"] = self.sequence.into();
        self.sequence += 1;
        named_event(name, data, out);
    }

    /// What is about the item under way: pairs of names and values.
    fn item_event<const N: usize>(&mut self, name: &str, more: [(&str, Value); N], out: &mut String) {
        let Some(open) = &self.open else { return };
        let at = self.done.len();
        let mut data = json!({ "item_id": self.about.item(at, open, None)["id"], "output_index": at });
        if !matches!(open, Item::Call(_)) {
            data["content_index"] = 0.into();
        }
        for (key, value) in more {
            data[key] = value;
        }
        self.event(name, data, out);
    }

    fn begin(&mut self, item: Item, out: &mut String) {
        self.finish("completed", out);
        let at = self.done.len();
        let begun = self.about.item(at, &item, None);
        let is_text = matches!(item, Item::Text(..));
        self.open = Some(item);
        self.event("response.output_item.added", json!({ "output_index": at, "item": begun }), out);
        if is_text {
            self.item_event("response.content_part.added", [("part", part("", &[]))], out);
        }
    }

    /// Ends the item under way.
    fn finish(&mut self, status: &str, out: &mut String) {
        match self.open.clone() {
            Some(Item::Text(text, logprobs)) => {
                let part = part(&text, &logprobs);
                let more = [("text", text.into()), ("logprobs", logprobs.into())];
                self.item_event("response.output_text.done", more, out);
                self.item_event("response.content_part.done", [("part", part)], out);
            }
            Some(Item::Thoughts(text)) => {
                self.item_event("response.reasoning_text.done", [("text", text.into())], out);
            }
            Some(Item::Call(call)) => {
                let more = [("arguments", call.arguments.into())];
                self.item_event("response.function_call_arguments.done", more, out);
            }
            None => return,
        }
        if let Some(item) = self.open.take() {
            let at = self.done.len();
            let ended = self.about.item(at, &item, Some(status));
            self.done.push(item);
            self.event("response.output_item.done", json!({ "output_index": at, "item": ended }), out);
        }
    }
}

impl Writer for Events {
    fn start(&mut self, _: usize, out: &mut String) {
        for name in ["response.created", "response.in_progress"] {
            let response = self.about.response("in_progress", json!([]));
            self.event(name, json!({ "response": response }), out);
        }
    }

    fn log_probs(&mut self, _: usize, all: &[LogProbs]) {
        self.probable.keep(0, all);
    }

    fn text(&mut self, _: usize, text: &str, out: &mut String) {
        if !matches!(self.open, Some(Item::Text(..))) {
            self.begin(Item::Text(String::new(), Vec::new()), out);
        }
        let logprobs = self.probable.list_of_chunk(0);
        if let Some(Item::Text(all, list)) = &mut self.open {
            all.push_str(text);
            list.extend_from_slice(&logprobs);
        }
        let more = [("delta", text.into()), ("logprobs", logprobs.into())];
        self.item_event("response.output_text.delta", more, out);
    }

    fn thought(&mut self, _: usize, text: &str, out: &mut String) {
        if !matches!(self.open, Some(Item::Thoughts(_))) {
            self.begin(Item::Thoughts(String::new()), out);
        }
        if let Some(Item::Thoughts(all)) = &mut self.open {
            all.push_str(text);
        }
        self.item_event("response.reasoning_text.delta", [("delta", text.into())], out);
    }

    fn call(&mut self, _: usize, call: &ToolCall, out: &mut String) {
        self.probable.forget(0);
        self.begin(Item::Call(call.clone()), out);
        let arguments = call.arguments.as_str().into();
        self.item_event("response.function_call_arguments.delta", [("delta", arguments)], out);
        self.finish("completed", out);
    }

    fn end(&mut self, _: usize, end: &End, out: &mut String) {
        if self.open.is_none() && self.done.is_empty() {
            self.begin(Item::Text(String::new(), Vec::new()), out);
        }
        if let Some(Item::Text(_, list)) = &mut self.open {
            // Of tokens without text.
            list.extend(self.probable.list_of_chunk(0));
        }
        let cut = !matches!(end.finish, FinishReason::Eos | FinishReason::StopString);
        self.finish(if cut { "incomplete" } else { "completed" }, out);
        self.end = Some(*end);
    }

    fn close(&mut self, out: &mut String) {
        let Some(end) = self.end else { return };
        let response = self.about.whole(&self.done, &end);
        let name =
            if response["status"] == "completed" { "response.completed" } else { "response.incomplete" };
        self.event(name, json!({ "response": response }), out);
    }

    fn fail(&mut self, error: &ApiError, out: &mut String) {
        let data = error.body(Shape::OpenAi)["error"].take();
        self.event("error", data, out);
    }
}
