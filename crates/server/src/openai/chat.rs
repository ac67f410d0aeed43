//! `/v1/chat/completions`.

use super::{FINGERPRINT, finish_reason, usage};
use crate::conversation::messages;
use crate::error::{ApiError, Shape};
use crate::generate::{End, Prompt, Usage, Whole, collect};
use crate::logprobs::Probable;
use crate::params::On;
use crate::reply::{self, Reply};
use crate::request::Incoming;
use crate::stream::{Writer, event};
use crate::tools::{self, Style};
use akunu::LogProbs;
use akunu::tools::ToolCall;
use hyper::Response;
use serde_json::{Value, json};

/// Answers a conversation.
pub(crate) async fn answer(request: Incoming) -> Result<Response<Reply>, ApiError> {
    let most = request.shared.options.messages;
    let asked = request
        .ask(On::CHAT, move |loaded, body, _| {
            let tools = tools::read(body, Style::Nested)?;
            loaded.converse(&messages(body, most)?, tools.as_ref())
        })
        .await?;
    let about = About::new("chatcmpl", &asked.loaded.name);
    let probable = Probable::new(&asked.loaded, asked.ask.sampling.logprobs);
    if asked.ask.stream {
        let include_usage = asked.ask.include_usage;
        let writer = Chunks { about, probable, include_usage, usage: Usage::default(), calls: Vec::new() };
        return asked.stream(Box::new(writer));
    }
    let all = collect(asked.start()?).await?;
    Ok(reply::json(200, &about.whole(&all, &probable)))
}

/// What all chunks of an answer repeat.
pub(super) struct About {
    pub(super) id: String,
    pub(super) created: u64,
    pub(super) model: String,
}

impl About {
    pub(super) fn new(prefix: &str, model: &str) -> Self {
        let id = format!("{prefix}-{:016x}", crate::random());
        Self { id, created: crate::models::now(), model: model.into() }
    }

    pub(super) fn object(&self, object: &str, choices: Value) -> Value {
        json!({
            "id": self.id, "object": object, "created": self.created, "model": self.model,
            "system_fingerprint": FINGERPRINT, "choices": choices,
        })
    }

    /// A call of a choice.
    fn call(&self, choice: usize, n: usize, call: &ToolCall) -> Value {
        let id = self.id.trim_start_matches(|c| c != '-').trim_start_matches('-');
        json!({
            "id": format!("call_{id}_{choice}_{n}"), "type": "function",
            "function": { "name": call.name, "arguments": call.arguments },
        })
    }

    fn whole(&self, all: &[Whole], probable: &Probable) -> Value {
        let choice = |(i, w): (usize, &Whole)| {
            let mut message = json!({ "role": "assistant", "content": w.text, "refusal": null });
            if !w.thoughts.is_empty() {
                message["reasoning_content"] = w.thoughts.as_str().into();
            }
            if !w.calls.is_empty() {
                if w.text.trim().is_empty() {
                    message["content"] = Value::Null;
                }
                let each = (0..w.calls.len()).map(|n| self.call(i, n, &w.calls[n]));
                message["tool_calls"] = each.collect();
            }
            json!({
                "index": i, "message": message, "logprobs": probable.chat(&w.logprobs),
                "finish_reason": turn_reason(&w.end),
            })
        };
        let choices: Vec<Value> = all.iter().enumerate().map(choice).collect();
        let mut sum = Usage::default();
        for (i, w) in all.iter().enumerate() {
            sum.add(&w.end.usage, if i == 0 { Prompt::Another } else { Prompt::Same });
        }
        let mut v = self.object("chat.completion", choices.into());
        v["usage"] = usage(&sum);
        v
    }
}

/// Why a turn ended.
fn turn_reason(end: &End) -> &'static str {
    if end.calls_tools() { "tool_calls" } else { finish_reason(end.finish) }
}

/// A stream's chunks.
struct Chunks {
    about: About,
    probable: Probable,
    include_usage: bool,
    usage: Usage,
    /// Calls of each choice so far.
    calls: Vec<usize>,
}

impl Chunks {
    fn chunk(&mut self, choice: usize, delta: Value, finish: Option<&str>, out: &mut String) {
        let logprobs = self.probable.chat_chunk(choice);
        let choices =
            json!([{ "index": choice, "delta": delta, "logprobs": logprobs, "finish_reason": finish }]);
        let mut v = self.about.object("chat.completion.chunk", choices);
        if self.include_usage {
            v["usage"] = Value::Null;
        }
        event(&v, out);
    }
}

impl Writer for Chunks {
    fn start(&mut self, choices: usize, out: &mut String) {
        self.calls = vec![0; choices];
        for i in 0..choices {
            self.chunk(i, json!({ "role": "assistant", "content": "" }), None, out);
        }
    }

    fn log_probs(&mut self, choice: usize, all: &[LogProbs]) {
        self.probable.keep(choice, all);
    }

    fn text(&mut self, choice: usize, text: &str, out: &mut String) {
        self.chunk(choice, json!({ "content": text }), None, out);
    }

    fn thought(&mut self, choice: usize, text: &str, out: &mut String) {
        self.chunk(choice, json!({ "reasoning_content": text }), None, out);
    }

    fn call(&mut self, choice: usize, call: &ToolCall, out: &mut String) {
        let n = self.calls[choice];
        self.calls[choice] += 1;
        let mut call = self.about.call(choice, n, call);
        call["index"] = n.into();
        self.chunk(choice, json!({ "tool_calls": [call] }), None, out);
    }

    fn end(&mut self, choice: usize, end: &End, out: &mut String) {
        let first = self.usage.prompt == 0;
        self.usage.add(&end.usage, if first { Prompt::Another } else { Prompt::Same });
        self.chunk(choice, json!({}), Some(turn_reason(end)), out);
    }

    fn close(&mut self, out: &mut String) {
        if self.include_usage {
            let mut v = self.about.object("chat.completion.chunk", json!([]));
            v["usage"] = usage(&self.usage);
            event(&v, out);
        }
        out.push_str("data: [DONE]\n\n");
    }

    fn fail(&mut self, error: &ApiError, out: &mut String) {
        event(&error.body(Shape::OpenAi), out);
    }
}
