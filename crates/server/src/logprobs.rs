//! Log-probabilities in the interfaces' words. They are natural logarithms of the softmax of the model's own logits, before biases,
//! penalties, filters and temperature.

use crate::models::Loaded;
use akunu::{LogProbs, Token};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What turns log-probabilities into JSON; `None` inside where they are not asked for.
pub(crate) struct Probable {
    loaded: Arc<Loaded>,
    asked: bool,
    /// Of each answer: what its next chunk has, and the characters before it.
    next: Vec<Vec<LogProbs>>,
    offsets: Vec<usize>,
}

impl Probable {
    pub(crate) fn new(loaded: &Arc<Loaded>, asked: Option<u32>) -> Self {
        let loaded = Arc::clone(loaded);
        Self { loaded, asked: asked.is_some(), next: Vec::new(), offsets: Vec::new() }
    }

    /// Keeps what an answer's next chunk has.
    pub(crate) fn keep(&mut self, choice: usize, all: &[LogProbs]) {
        if self.next.len() <= choice {
            self.next.resize(choice + 1, Vec::new());
        }
        self.next[choice].extend_from_slice(all);
    }

    /// Forgets what was kept: its tokens are no part of a text.
    pub(crate) fn forget(&mut self, choice: usize) {
        self.take(choice);
    }

    /// Entries of what was kept for an answer's next chunk.
    pub(crate) fn list_of_chunk(&mut self, choice: usize) -> Vec<Value> {
        let all = self.take(choice);
        self.list(&all)
    }

    /// The same of a whole answer.
    pub(crate) fn list(&self, all: &[LogProbs]) -> Vec<Value> {
        all.iter().map(|l| self.entry(l)).collect()
    }

    fn take(&mut self, choice: usize) -> Vec<LogProbs> {
        self.next.get_mut(choice).map(std::mem::take).unwrap_or_default()
    }

    /// OpenAI's object of a chat's chunk, of what was kept for it.
    pub(crate) fn chat_chunk(&mut self, choice: usize) -> Value {
        let all = self.take(choice);
        if all.is_empty() { Value::Null } else { self.chat(&all) }
    }

    /// The same of a whole answer.
    pub(crate) fn chat(&self, all: &[LogProbs]) -> Value {
        if !self.asked {
            return Value::Null;
        }
        json!({ "content": self.list(all), "refusal": null })
    }

    /// llama.cpp's list, of what was kept for a chunk.
    pub(crate) fn llama_chunk(&mut self) -> Option<Value> {
        let all = self.take(0);
        if all.is_empty() { None } else { self.llama(&all) }
    }

    /// The same of a whole answer.
    pub(crate) fn llama(&self, all: &[LogProbs]) -> Option<Value> {
        let entry = |l: &LogProbs| {
            let mut v = self.entry(l);
            v["id"] = l.token().0.into();
            for (entry, (token, _)) in v["top_logprobs"].as_array_mut().into_iter().flatten().zip(l.top()) {
                entry["id"] = token.0.into();
            }
            v
        };
        self.asked.then(|| all.iter().map(entry).collect())
    }

    /// The object of OpenAI's older interface, of what was kept for a chunk.
    pub(crate) fn completion_chunk(&mut self, choice: usize) -> Value {
        let all = self.take(choice);
        if all.is_empty() { Value::Null } else { self.completion(choice, &all) }
    }

    /// The same of a whole answer. Offsets count characters from the answer's beginning.
    pub(crate) fn completion(&mut self, choice: usize, all: &[LogProbs]) -> Value {
        if !self.asked {
            return Value::Null;
        }
        if self.offsets.len() <= choice {
            self.offsets.resize(choice + 1, 0);
        }
        let (mut tokens, mut own, mut tops, mut offsets) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for l in all {
            let text = self.text(l.token());
            // The likeliest, and the drawn one where it is none of them.
            let mut top = Map::new();
            for (token, log_prob) in l.top().chain([(l.token(), l.log_prob())]) {
                top.entry(self.text(token)).or_insert_with(|| number(log_prob));
            }
            offsets.push(self.offsets[choice]);
            self.offsets[choice] += text.chars().count();
            tokens.push(text);
            own.push(number(l.log_prob()));
            tops.push(Value::from(top));
        }
        json!({ "tokens": tokens, "token_logprobs": own, "top_logprobs": tops, "text_offset": offsets })
    }

    fn entry(&self, l: &LogProbs) -> Value {
        let mut v = self.token(l.token(), l.log_prob());
        v["top_logprobs"] = l.top().map(|(token, log_prob)| self.token(token, log_prob)).collect();
        v
    }

    /// A token with its text, as far as that is characters, and its bytes.
    fn token(&self, token: Token, log_prob: f32) -> Value {
        json!({ "token": self.text(token), "logprob": number(log_prob), "bytes": self.bytes(token) })
    }

    /// A control token, which has no text, as the vocabulary writes it.
    fn text(&self, token: Token) -> String {
        let control = self.tokenizer().filter(|t| t.is_control(token)).and_then(|t| t.token_text(token));
        control.map_or_else(|| String::from_utf8_lossy(self.bytes(token)).into_owned(), str::to_owned)
    }

    fn bytes(&self, token: Token) -> &[u8] {
        self.tokenizer().filter(|t| !t.is_control(token)).map_or(&[], |t| t.token_bytes(token))
    }

    /// It is there: the prompt went through it.
    fn tokenizer(&self) -> Option<&akunu::files::tokenizer::Tokenizer> {
        self.loaded.model.tokenizer().ok()
    }
}

/// JSON has no infinity; OpenAI writes -9999 for what has no probability.
fn number(log_prob: f32) -> Value {
    f64::from(log_prob.max(-9999.0)).into()
}
