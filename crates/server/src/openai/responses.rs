//! `/v1/responses`, without what would have to be kept between requests.

use crate::conversation::{self, messages_in};
use crate::error::{ApiError, Shape};
use crate::generate::{End, collect};
use crate::params::On;
use crate::reply::{self, Reply};
use crate::request::Incoming;
use crate::stream::{Writer, named_event};
use akunu::FinishReason;
use akunu::files::chat::{GenerationPrompt, Message};
use hyper::Response;
use serde_json::{Map, Value, json};

/// Answers a conversation.
pub(crate) async fn answer(request: Incoming) -> Result<Response<Reply>, ApiError> {
    let most = request.shared.options.messages;
    let asked = request
        .ask(On::RESPONSES, move |loaded, body, _| {
            let text = loaded.render(&input(body, most)?, GenerationPrompt::Add)?;
            Ok(vec![loaded.engine.model().encode(&text)?])
        })
        .await?;
    let id = crate::random();
    let about = About {
        id: format!("resp_{id:016x}"),
        item: format!("msg_{id:016x}"),
        created: crate::models::now(),
        model: asked.loaded.name.clone(),
        max_tokens: asked.ask.max_tokens,
        temperature: asked.ask.sampling.temperature,
        top_p: asked.ask.sampling.top_p,
    };
    if asked.ask.stream {
        return asked.stream(Box::new(Events { about, sequence: 0, text: String::new(), end: None }));
    }
    let all = collect(asked.start()?).await?;
    let Some(whole) = all.first() else { return Err(ApiError::internal("there is no answer")) };
    Ok(reply::json(200, &about.whole(&whole.text, &whole.end)))
}

/// Instructions and input as a conversation. Input is a text or a list of messages.
fn input(body: &Map<String, Value>, most: usize) -> Result<Vec<Message>, ApiError> {
    let v = body.get("input").filter(|v| !v.is_null()).ok_or_else(|| ApiError::missing("input"))?;
    let mut all = match v {
        Value::String(text) => vec![Message::new("user", text)],
        v => messages_in(v, "input", most)?,
    };
    if let Some(text) = body.get("instructions").filter(|v| !v.is_null()) {
        all.insert(0, Message::new("system", &conversation::text(text, "instructions")?));
    }
    Ok(all)
}

struct About {
    id: String,
    item: String,
    created: u64,
    model: String,
    max_tokens: Option<u32>,
    temperature: f32,
    top_p: f32,
}

impl About {
    fn response(&self, status: &str, output: Value) -> Value {
        json!({
            "id": self.id, "object": "response", "created_at": self.created, "status": status, "error": null,
            "incomplete_details": null, "instructions": null, "max_output_tokens": self.max_tokens,
            "model": self.model, "output": output, "parallel_tool_calls": true, "previous_response_id": null,
            "reasoning": { "effort": null, "summary": null }, "store": false, "temperature": self.temperature,
            "text": { "format": { "type": "text" } }, "tool_choice": "auto", "tools": [], "top_p": self.top_p,
            "truncation": "disabled", "usage": null, "user": null, "metadata": {},
        })
    }

    fn whole(&self, text: &str, end: &End) -> Value {
        let cut = !matches!(end.finish, FinishReason::Eos | FinishReason::StopString);
        let status = if cut { "incomplete" } else { "completed" };
        let mut v = self.response(status, json!([self.item(status, json!([part(text)]))]));
        if cut {
            v["incomplete_details"] = json!({ "reason": "max_output_tokens" });
        }
        let u = &end.usage;
        v["usage"] = json!({
            "input_tokens": u.prompt, "input_tokens_details": { "cached_tokens": u.cached },
            "output_tokens": u.completion, "output_tokens_details": { "reasoning_tokens": 0 },
            "total_tokens": u.prompt + u.completion,
        });
        v
    }

    fn item(&self, status: &str, content: Value) -> Value {
        json!({ "type": "message", "id": self.item, "status": status, "role": "assistant", "content": content })
    }
}

fn part(text: &str) -> Value {
    json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] })
}

struct Events {
    about: About,
    /// Events are numbered.
    sequence: u64,
    text: String,
    end: Option<End>,
}

impl Events {
    fn event(&mut self, name: &str, mut data: Value, out: &mut String) {
        data["sequence_number"] = self.sequence.into();
        self.sequence += 1;
        named_event(name, data, out);
    }

    /// What is about the one part of the one item.
    fn part_event(&mut self, name: &str, key: &str, value: Value, out: &mut String) {
        let mut data = json!({ "item_id": self.about.item, "output_index": 0, "content_index": 0 });
        data[key] = value;
        if name.contains("output_text") {
            data["logprobs"] = json!([]);
        }
        self.event(name, data, out);
    }
}

impl Writer for Events {
    fn start(&mut self, _: usize, out: &mut String) {
        for name in ["response.created", "response.in_progress"] {
            let response = self.about.response("in_progress", json!([]));
            self.event(name, json!({ "response": response }), out);
        }
        let item = self.about.item("in_progress", json!([]));
        self.event("response.output_item.added", json!({ "output_index": 0, "item": item }), out);
        self.part_event("response.content_part.added", "part", part(""), out);
    }

    fn text(&mut self, _: usize, text: &str, out: &mut String) {
        self.text.push_str(text);
        self.part_event("response.output_text.delta", "delta", text.into(), out);
    }

    fn end(&mut self, _: usize, end: &End, out: &mut String) {
        self.part_event("response.output_text.done", "text", self.text.as_str().into(), out);
        self.part_event("response.content_part.done", "part", part(&self.text), out);
        self.end = Some(*end);
    }

    fn close(&mut self, out: &mut String) {
        let Some(end) = self.end else { return };
        let response = self.about.whole(&self.text, &end);
        let item = response["output"][0].clone();
        self.event("response.output_item.done", json!({ "output_index": 0, "item": item }), out);
        let name =
            if response["status"] == "completed" { "response.completed" } else { "response.incomplete" };
        self.event(name, json!({ "response": response }), out);
    }

    fn fail(&mut self, error: &ApiError, out: &mut String) {
        let data = error.body(Shape::OpenAi)["error"].take();
        self.event("error", data, out);
    }
}
