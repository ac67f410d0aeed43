//! Panics where a test wants them, on each way that a request goes. There is nothing of it outside of tests.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and these panic on purpose"
)]

#[path = "../tests/http/client.rs"]
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest of it")]
mod client;

use crate::error::ApiError;
use crate::generate::End;
use crate::options::Options;
use crate::params::Ask;
use crate::stream::Writer;
use akunu::LogProbs;
use akunu::tools::ToolCall;
use client::{LONG, Running, SMALL, Size};
use serde_json::{Value, json};

/// Panics where a body has this mark.
pub(crate) fn at(mark: &str, body: &[u8]) {
    assert!(!body.windows(mark.len()).any(|w| w == mark.as_bytes()), "a test wants this panic: {mark}");
}

/// Panics where one of the strings that end an answer is this mark.
pub(crate) fn asked(mark: &str, ask: &Ask) {
    assert!(!ask.stop.iter().any(|s| s == mark), "a test wants this panic: {mark}");
}

/// A writer that panics at the second text, where that is wanted.
pub(crate) fn writer(ask: &Ask, writer: Box<dyn Writer>) -> Box<dyn Writer> {
    if ask.stop.iter().any(|s| s == STREAM) { Box::new(Failing { writer, texts: 0 }) } else { writer }
}

pub(crate) const HANDLER: &str = "panic in the handler";
pub(crate) const WORK: &str = "panic in the work beside it";
pub(crate) const START: &str = "panic after the engine has it";
const STREAM: &str = "panic in the stream";

struct Failing {
    writer: Box<dyn Writer>,
    texts: u32,
}

impl Writer for Failing {
    fn content_type(&self) -> &'static str {
        self.writer.content_type()
    }

    fn start(&mut self, choices: usize, out: &mut String) {
        self.writer.start(choices, out);
    }

    fn log_probs(&mut self, choice: usize, all: &[LogProbs]) {
        self.writer.log_probs(choice, all);
    }

    fn text(&mut self, choice: usize, text: &str, out: &mut String) {
        self.texts += 1;
        assert!(self.texts < 2, "a test wants this panic: {STREAM}");
        self.writer.text(choice, text, out);
    }

    fn call(&mut self, choice: usize, call: &ToolCall, out: &mut String) {
        self.writer.call(choice, call, out);
    }

    fn end(&mut self, choice: usize, end: &End, out: &mut String) {
        self.writer.end(choice, end, out);
    }

    fn close(&mut self, out: &mut String) {
        self.writer.close(out);
    }

    fn fail(&mut self, error: &ApiError, out: &mut String) {
        self.writer.fail(error, out);
    }
}

/// A stream that runs while others panic.
fn steady() -> Value {
    json!({"prompt": "hello there", "max_tokens": 200, "temperature": 0, "ignore_eos": true, "stream": true})
}

fn text(events: &[Value]) -> String {
    events.iter().filter_map(|e| e["choices"][0]["text"].as_str()).collect()
}

#[test]
fn a_panic_ends_its_request_alone() {
    let s = Running::new(SMALL, Options::default());
    let want = text(&s.post("/v1/completions", &steady()).events());
    assert!(!want.is_empty());
    let victims = [
        (json!({"user": HANDLER}), 500),
        (json!({"user": WORK}), 500),
        (json!({"stop": [START]}), 500),
        (json!({"stop": [START], "stream": true}), 500),
        (json!({"stop": [START], "n": 3}), 500),
        (json!({"stop": [STREAM], "stream": true}), 200),
        (json!({"stop": [STREAM], "stream": true, "n": 3, "logprobs": 2}), 200),
    ];
    for (more, status) in &victims {
        let mut v = json!({"prompt": "x", "max_tokens": 60, "ignore_eos": true, "seed": 1});
        v.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        std::thread::scope(|scope| {
            let other = scope.spawn(|| text(&s.post("/v1/completions", &steady()).events()));
            for _ in 0..3 {
                let a = s.post("/v1/completions", &v);
                assert_eq!(a.status, *status, "{v}: {a:?}");
                let e = if *status == 200 { a.events().pop().unwrap() } else { a.json() };
                assert_eq!(e["error"]["code"], "internal_error", "{v}: {e}");
                // Nothing of what went wrong is told.
                assert!(!a.text().contains("a test wants"), "{a:?}");
            }
            assert_eq!(other.join().unwrap(), want, "{v}");
        });
        s.rest();
    }
    let number = |name: &str| s.metric(name);
    let ended = ["completed", "cancelled", "failed"].map(|n| number(&format!("akunu_requests_{n}_total")));
    assert_eq!(number("akunu_requests_accepted_total"), ended.iter().sum::<f64>());
    assert_eq!(ended[0], 1.0 + victims.len() as f64, "the steady ones");
    // Each connection of these was its own; the same one goes on after a panic, too.
    let (mut c, v) = (s.connect(), json!({"prompt": "x", "user": WORK}).to_string());
    let keep =
        format!("POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n{v}", v.len());
    std::io::Write::write_all(&mut c, keep.as_bytes()).unwrap();
    std::io::Write::write_all(&mut c, client::head("GET", "/health", "").as_bytes()).unwrap();
    let both = client::Answer::read(&mut c);
    let body = String::from_utf8_lossy(&both.body).into_owned();
    assert!(both.status == 500 && body.contains("HTTP/1.1 200"), "{body}");
}

/// A body's room and a place in the queue come back, too: they are few here.
#[test]
fn what_a_request_held_comes_back_after_a_panic() {
    let options = Options { body: 64 << 10, bodies: 64 << 10, ..Options::default() };
    let s = Running::new(Size { context: 600, ..LONG }, options);
    let large = "x".repeat(40 << 10);
    // A cancel has to reach the engine's thread before its place is free.
    let post = |v: &Value| {
        let since = std::time::Instant::now();
        loop {
            let a = s.post("/v1/completions", v);
            if a.status != 503 {
                return a.status;
            }
            assert!(since.elapsed().as_secs() < 60, "it never comes back: {a:?}");
        }
    };
    for i in 0..20 {
        let user = if i % 2 == 0 { HANDLER } else { WORK };
        let v = json!({"prompt": "x", "max_tokens": 2, "padding": large, "user": user});
        assert_eq!(post(&v), 500);
        assert_eq!(post(&json!({"prompt": "x", "max_tokens": 5, "stop": [START]})), 500);
    }
    assert_eq!(post(&json!({"prompt": "x", "max_tokens": 5, "user": large})), 200);
    s.rest();
}
