//! Anthropic's `/v1/messages` and `/v1/messages/count_tokens`.

use crate::conversation::{self, messages};
use crate::error::{ApiError, Shape};
use crate::generate::{End, collect};
use crate::models::Loaded;
use crate::params::On;
use crate::reply::{self, Reply};
use crate::request::Incoming;
use crate::stream::{Writer, named_event};
use akunu::files::chat::{GenerationPrompt, Message};
use akunu::{FinishReason, Token};
use hyper::Response;
use serde_json::{Map, Value, json};

/// Answers a conversation.
pub(crate) async fn answer(request: Incoming) -> Result<Response<Reply>, ApiError> {
    let most = request.shared.options.messages;
    let asked = request
        .ask(On::MESSAGES, move |loaded, body, ask| {
            if ask.max_tokens.is_none() {
                return Err(ApiError::missing("max_tokens"));
            }
            Ok(vec![prompt(loaded, body, most)?])
        })
        .await?;
    let about = About {
        id: format!("msg_{:016x}", crate::random()),
        model: asked.loaded.name.clone(),
        stops: asked.ask.stop.clone(),
        prompt: asked.prompts.first().map_or(0, Vec::len),
    };
    if asked.ask.stream {
        return asked.stream(Box::new(Events(about)));
    }
    let all = collect(asked.start()?).await?;
    let Some(whole) = all.first() else { return Err(ApiError::internal("there is no answer")) };
    let content = json!([{ "type": "text", "text": whole.text }]);
    let mut v = about.message(content);
    let (reason, sequence) = about.reason(&whole.end);
    v["stop_reason"] = reason.into();
    v["stop_sequence"] = sequence.into();
    v["usage"] = usage(&whole.end);
    Ok(reply::json(200, &v))
}

/// How many tokens a conversation has.
pub(crate) async fn count(request: Incoming) -> Result<Response<Reply>, ApiError> {
    let most = request.shared.options.messages;
    let tokens =
        request.work(On::COUNT, move |loaded, body, _| Ok(prompt(loaded, body, most)?.len())).await?;
    Ok(reply::json(200, &json!({ "input_tokens": tokens })))
}

fn prompt(loaded: &Loaded, body: &Map<String, Value>, most: usize) -> Result<Vec<Token>, ApiError> {
    let mut all = messages(body, most)?;
    if let Some(system) = body.get("system").filter(|v| !v.is_null()) {
        all.insert(0, Message::new("system", &conversation::text(system, "system")?));
    }
    Ok(loaded.engine.model().encode(&loaded.render(&all, GenerationPrompt::Add)?)?)
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

    /// Why an answer ended, and at which string. Of several strings it is not known which one.
    fn reason(&self, end: &End) -> (&'static str, Option<&str>) {
        match end.finish {
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

struct Events(About);

impl Writer for Events {
    fn start(&mut self, _: usize, out: &mut String) {
        let message = self.0.message(json!([]));
        named_event("message_start", json!({ "message": message }), out);
        let block = json!({ "type": "text", "text": "" });
        named_event("content_block_start", json!({ "index": 0, "content_block": block }), out);
    }

    fn text(&mut self, _: usize, text: &str, out: &mut String) {
        let delta = json!({ "type": "text_delta", "text": text });
        named_event("content_block_delta", json!({ "index": 0, "delta": delta }), out);
    }

    fn end(&mut self, _: usize, end: &End, out: &mut String) {
        named_event("content_block_stop", json!({ "index": 0 }), out);
        let (reason, sequence) = self.0.reason(end);
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
