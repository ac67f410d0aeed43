//! `/v1/completions`.

use super::chat::About;
use super::{finish_reason, usage};
use crate::error::{ApiError, Shape};
use crate::generate::{End, Prompt, Usage, Whole, collect};
use crate::infill;
use crate::logprobs::Probable;
use crate::models::Loaded;
use crate::params::{CHOICES, On};
use crate::prompts::prompts;
use crate::reply::{self, Reply};
use crate::request::Incoming;
use crate::stream::{Writer, event};
use akunu::{Infill, LogProbs, Token};
use hyper::Response;
use serde_json::{Map, Value, json};

/// Continues one or several prompts.
pub(crate) async fn answer(request: Incoming) -> Result<Response<Reply>, ApiError> {
    let asked = request
        .ask(On::COMPLETIONS, |loaded, body, ask| {
            let prompts = match infill::suffix(body)? {
                Some(_) if ask.echo => {
                    let message = "`echo` returns the prompt before the answer, and `suffix` comes after it; leave one of the two out";
                    return Err(ApiError::value("echo", message));
                }
                Some(suffix) => around(loaded, body, suffix)?,
                None => prompts(loaded, body)?,
            };
            if prompts.len() * ask.n as usize > CHOICES as usize {
                let message =
                    format!("{} prompts with `n` {} are more than {CHOICES} answers", prompts.len(), ask.n);
                return Err(ApiError::value("n", message));
            }
            Ok(prompts.into())
        })
        .await?;
    let about = About::new("cmpl", &asked.loaded.name);
    let n = asked.ask.n as usize;
    let mut probable = Probable::new(&asked.loaded, asked.ask.sampling.logprobs);
    let echo = match asked.ask.echo {
        true => {
            let tokenizer = asked.loaded.model.tokenizer()?;
            asked.prompts.iter().map(|p| tokenizer.decode(p)).collect()
        }
        false => Vec::new(),
    };
    if asked.ask.stream {
        let include_usage = asked.ask.include_usage;
        let usage = Usage::default();
        return asked.stream(Box::new(Chunks { about, probable, n, echo, include_usage, usage }));
    }
    let all = collect(asked.start()?).await?;
    Ok(reply::json(200, &outcome(&about, &all, n, &echo, &mut probable)))
}

/// The prompts of texts with a hole after each.
fn around(loaded: &Loaded, body: &Map<String, Value>, suffix: &str) -> Result<Vec<Vec<Token>>, ApiError> {
    let wanted = "a string or a list of strings, where there is a `suffix`";
    let v = body.get("prompt").filter(|v| !v.is_null()).ok_or_else(|| ApiError::missing("prompt"))?;
    let all = match v {
        Value::Array(all) if all.is_empty() || all.len() > CHOICES as usize => {
            return Err(ApiError::value(
                "prompt",
                format!("there are {} prompts; give 1 to {CHOICES}", all.len()),
            ));
        }
        Value::Array(all) => all.as_slice(),
        v => std::slice::from_ref(v),
    };
    let one = |v: &Value| {
        let prefix = v.as_str().ok_or_else(|| ApiError::type_of("prompt", wanted, v))?;
        infill::prompt(loaded, &Infill { prefix, suffix, ..Infill::default() }, "suffix")
    };
    all.iter().map(one).collect()
}

/// Whether an answer is the first to its prompt, where each prompt has `n`.
fn prompt_of(choice: usize, n: usize) -> Prompt {
    if choice.is_multiple_of(n) { Prompt::Another } else { Prompt::Same }
}

fn outcome(about: &About, all: &[Whole], n: usize, echo: &[String], probable: &mut Probable) -> Value {
    let mut sum = Usage::default();
    let mut choices = Vec::new();
    for (i, w) in all.iter().enumerate() {
        sum.add(&w.end.usage, prompt_of(i, n));
        let text = format!("{}{}", echo.get(i / n).map_or("", String::as_str), w.text);
        let finish = finish_reason(w.end.finish);
        let logprobs = probable.completion(i, &w.logprobs);
        choices.push(json!({ "index": i, "text": text, "logprobs": logprobs, "finish_reason": finish }));
    }
    let mut v = about.object("text_completion", choices.into());
    v["usage"] = usage(&sum);
    v
}

struct Chunks {
    about: About,
    probable: Probable,
    /// Answers to each prompt.
    n: usize,
    echo: Vec<String>,
    include_usage: bool,
    usage: Usage,
}

impl Chunks {
    fn chunk(&mut self, choice: usize, text: &str, finish: Option<&str>, out: &mut String) {
        let logprobs = self.probable.completion_chunk(choice);
        let choices =
            json!([{ "index": choice, "text": text, "logprobs": logprobs, "finish_reason": finish }]);
        let mut v = self.about.object("text_completion", choices);
        if self.include_usage {
            v["usage"] = Value::Null;
        }
        event(&v, out);
    }
}

impl Writer for Chunks {
    fn start(&mut self, choices: usize, out: &mut String) {
        if !self.echo.is_empty() {
            for i in 0..choices {
                let prompt = self.echo[i / self.n].clone();
                self.chunk(i, &prompt, None, out);
            }
        }
    }

    fn log_probs(&mut self, choice: usize, all: &[LogProbs]) {
        self.probable.keep(choice, all);
    }

    fn text(&mut self, choice: usize, text: &str, out: &mut String) {
        self.chunk(choice, text, None, out);
    }

    fn end(&mut self, choice: usize, end: &End, out: &mut String) {
        self.usage.add(&end.usage, prompt_of(choice, self.n));
        self.chunk(choice, "", Some(finish_reason(end.finish)), out);
    }

    fn close(&mut self, out: &mut String) {
        if self.include_usage {
            let mut v = self.about.object("text_completion", json!([]));
            v["usage"] = usage(&self.usage);
            event(&v, out);
        }
        out.push_str("data: [DONE]\n\n");
    }

    fn fail(&mut self, error: &ApiError, out: &mut String) {
        event(&error.body(Shape::OpenAi), out);
    }
}
