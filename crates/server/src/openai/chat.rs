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
use akunu::LogProbs;
use akunu::files::chat::GenerationPrompt;
use hyper::Response;
use serde_json::{Value, json};

/// Answers a conversation.
pub(crate) async fn answer(request: Incoming) -> Result<Response<Reply>, ApiError> {
    let most = request.shared.options.messages;
    let asked = request
        .ask(On::CHAT, move |loaded, body, _| {
            let text = loaded.render(&messages(body, most)?, GenerationPrompt::Add)?;
            Ok(vec![loaded.engine.model().encode(&text)?])
        })
        .await?;
    let about = About::new("chatcmpl", &asked.loaded.name);
    let probable = Probable::new(&asked.loaded, asked.ask.sampling.logprobs);
    if asked.ask.stream {
        let include_usage = asked.ask.include_usage;
        let writer = Chunks { about, probable, include_usage, usage: Usage::default() };
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

    fn whole(&self, all: &[Whole], probable: &Probable) -> Value {
        let choice = |(i, w): (usize, &Whole)| {
            json!({
                "index": i, "message": { "role": "assistant", "content": w.text, "refusal": null },
                "logprobs": probable.chat(&w.logprobs), "finish_reason": finish_reason(w.end.finish),
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

/// A stream's chunks.
struct Chunks {
    about: About,
    probable: Probable,
    include_usage: bool,
    usage: Usage,
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

    fn end(&mut self, choice: usize, end: &End, out: &mut String) {
        let first = self.usage.prompt == 0;
        self.usage.add(&end.usage, if first { Prompt::Another } else { Prompt::Same });
        self.chunk(choice, json!({}), Some(finish_reason(end.finish)), out);
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
