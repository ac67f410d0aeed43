//! The routes of llama.cpp's server that have no counterpart elsewhere: `/completion`, `/infill`, `/props`, `/slots`.

use crate::error::{ApiError, Shape};
use crate::generate::{End, collect};
use crate::infill;
use crate::logprobs::Probable;
use crate::params::On;
use crate::prompts::prompts;
use crate::reply::{self, Reply};
use crate::request::{Asked, Incoming};
use crate::stream::{Writer, event};
use akunu::{FinishReason, LogProbs, Token};
use hyper::Response;
use serde_json::{Value, json};
use std::time::Duration;

/// Continues a prompt.
pub(crate) async fn completion(request: Incoming) -> Result<Response<Reply>, ApiError> {
    let asked = request
        .ask(On::LLAMA, |loaded, body, _| {
            let prompts = prompts(loaded, body)?;
            if prompts.len() > 1 {
                return Err(ApiError::value("prompt", "give one prompt; /v1/completions takes several"));
            }
            Ok(prompts.into())
        })
        .await?;
    answer(asked).await
}

/// Fills in the middle of a text.
pub(crate) async fn infill(request: Incoming) -> Result<Response<Reply>, ApiError> {
    let asked =
        request.ask(On::INFILL, |loaded, body, _| Ok(vec![infill::llama(loaded, body)?].into())).await?;
    answer(asked).await
}

async fn answer(asked: Asked) -> Result<Response<Reply>, ApiError> {
    let model = asked.loaded.name.clone();
    let stop = asked.ask.stop.clone();
    let probable = Probable::new(&asked.loaded, asked.ask.sampling.logprobs);
    if asked.ask.stream {
        return asked.stream(Box::new(Events { model, stop, probable, held: Vec::new() }));
    }
    let all = collect(asked.start()?).await?;
    let Some(whole) = all.first() else { return Err(ApiError::internal("there is no answer")) };
    let mut v = last(&model, &stop, &whole.text, &whole.end);
    v["tokens"] = ids(&whole.tokens);
    if let Some(list) = probable.llama(&whole.logprobs) {
        v["completion_probabilities"] = list;
    }
    Ok(reply::json(200, &v))
}

/// The last event of a stream, or the whole answer.
fn last(model: &str, stop: &[String], text: &str, end: &End) -> Value {
    let kind = match end.finish {
        FinishReason::Eos => "eos",
        FinishReason::StopString => "word",
        _ => "limit",
    };
    let word = stop.first().filter(|_| kind == "word" && stop.len() == 1);
    let u = &end.usage;
    let ms = |d: Duration| d.as_secs_f64() * 1e3;
    let each = |n: u64, d: Duration| if n == 0 { 0.0 } else { ms(d) / n as f64 };
    let rate = |n: u64, d: Duration| if d.is_zero() { 0.0 } else { n as f64 / d.as_secs_f64() };
    let (computed, drawn, t) = (u.prompt - u.cached, u.completion, &end.timing);
    json!({
        "index": 0, "content": text, "tokens": [], "id_slot": -1, "stop": true, "model": model, "truncated": false,
        "tokens_predicted": drawn, "tokens_evaluated": u.prompt, "tokens_cached": u.cached, "stop_type": kind,
        "stopping_word": word.map_or("", String::as_str),
        "timings": {
            "cache_n": u.cached, "prompt_n": computed, "prompt_ms": ms(t.prompt),
            "prompt_per_token_ms": each(computed, t.prompt), "prompt_per_second": rate(computed, t.prompt),
            "predicted_n": drawn, "predicted_ms": ms(t.drawing), "predicted_per_token_ms": each(drawn, t.drawing),
            "predicted_per_second": rate(drawn, t.drawing),
        },
    })
}

fn ids(tokens: &[Token]) -> Value {
    tokens.iter().map(|t| t.0).collect()
}

struct Events {
    model: String,
    stop: Vec<String>,
    probable: Probable,
    /// Tokens of the next event.
    held: Vec<Token>,
}

impl Events {
    fn piece(&mut self, text: &str, out: &mut String) {
        let tokens = ids(&std::mem::take(&mut self.held));
        self.event(json!({ "index": 0, "content": text, "tokens": tokens, "stop": false }), out);
    }

    fn event(&mut self, mut v: Value, out: &mut String) {
        if let Some(list) = self.probable.llama_chunk() {
            v["completion_probabilities"] = list;
        }
        event(&v, out);
    }
}

impl Writer for Events {
    fn start(&mut self, _: usize, _: &mut String) {}

    fn log_probs(&mut self, _: usize, all: &[LogProbs]) {
        self.probable.keep(0, all);
    }

    /// One without text of its own yet is told before the next, so that tokens come as they are drawn.
    fn token(&mut self, _: usize, token: Token, out: &mut String) {
        if !self.held.is_empty() {
            self.piece("", out);
        }
        self.held.push(token);
    }

    fn text(&mut self, _: usize, text: &str, out: &mut String) {
        self.piece(text, out);
    }

    fn end(&mut self, _: usize, end: &End, out: &mut String) {
        if !self.held.is_empty() {
            self.piece("", out);
        }
        self.event(last(&self.model, &self.stop, "", end), out);
    }

    fn close(&mut self, _: &mut String) {}

    fn fail(&mut self, error: &ApiError, out: &mut String) {
        event(&error.body(Shape::OpenAi), out);
    }
}

/// What the first model is.
pub(crate) async fn props(request: &Incoming) -> Result<Response<Reply>, ApiError> {
    let loaded = request.shared.model(request.shared.models.find(None)?).await?;
    let model = &loaded.model;
    let sampling = model.sampling_defaults();
    let template = model.tokenizer().ok().and_then(|t| t.data().chat_template.clone());
    Ok(reply::json(
        200,
        &json!({
            "default_generation_settings": {
                "n_ctx": loaded.context(),
                "params": {
                    "temperature": sampling.temperature, "top_k": sampling.top_k, "top_p": sampling.top_p,
                    "min_p": sampling.min_p, "n_predict": -1,
                },
            },
            "total_slots": loaded.engine()?.sequences(), "model_path": loaded.name, "model_alias": loaded.name,
            "chat_template": template, "modalities": { "vision": false, "audio": false },
            "build_info": concat!("akunu-", env!("CARGO_PKG_VERSION")),
        }),
    ))
}

/// Who runs: slots are places here, so the first ones are taken.
pub(crate) async fn slots(request: &Incoming) -> Result<Response<Reply>, ApiError> {
    let loaded = request.shared.model(request.shared.models.find(None)?).await?;
    let running = loaded.engine()?.status().running;
    let slot = |id: u32| json!({ "id": id, "n_ctx": loaded.context(), "is_processing": id < running });
    let all: Vec<Value> = (0..loaded.engine()?.sequences()).map(slot).collect();
    Ok(reply::json(200, &all.into()))
}
