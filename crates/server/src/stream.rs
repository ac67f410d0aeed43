//! Answers as they are made, in an interface's words. A silence is filled with comments, so that nothing between here and the client
//! takes it for a dead connection. What fails after the first byte becomes an event.

use crate::error::ApiError;
use crate::generate::{End, Generation, Piece};
use akunu::tools::ToolCall;
use akunu::{LogProbs, Token};
use bytes::Bytes;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep};

/// Bytes after which a piece is sent although more is there.
const PIECE: usize = 1 << 16;

/// An interface's events.
pub(crate) trait Writer: Send {
    /// What the stream is.
    fn content_type(&self) -> &'static str {
        "text/event-stream"
    }
    /// Before the first piece.
    fn start(&mut self, choices: usize, out: &mut String);
    /// Log-probabilities of tokens of an answer whose text comes next, or has no text.
    fn log_probs(&mut self, _choice: usize, _all: &[LogProbs]) {}
    /// A token of an answer, where tokens are asked for: its text comes next, or later.
    fn token(&mut self, _choice: usize, _token: Token, _out: &mut String) {}
    /// Text of an answer.
    fn text(&mut self, choice: usize, text: &str, out: &mut String);
    /// Thoughts before an answer. Interfaces without a place for them read none.
    fn thought(&mut self, _choice: usize, _text: &str, _out: &mut String) {}
    /// A call of a tool, whole. Interfaces without tools read none.
    fn call(&mut self, _choice: usize, _call: &ToolCall, _out: &mut String) {}
    /// An answer's end.
    fn end(&mut self, choice: usize, end: &End, out: &mut String);
    /// After the last answer.
    fn close(&mut self, out: &mut String);
    /// The request has failed; nothing comes after it.
    fn fail(&mut self, error: &ApiError, out: &mut String);
    /// Where nothing has been sent for a while.
    fn keep_alive(&mut self, out: &mut String) {
        out.push_str(": keep-alive\n\n");
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Running,
    Done,
}

/// A stream of events. Dropping it cancels what is under way.
pub(crate) struct EventStream {
    generation: Generation,
    writer: Box<dyn Writer>,
    silence: Pin<Box<Sleep>>,
    patience: Duration,
    state: State,
}

impl EventStream {
    /// The events of a request; after `patience` without one comes a comment.
    pub(crate) fn new(generation: Generation, writer: Box<dyn Writer>, patience: Duration) -> Self {
        let silence = Box::pin(tokio::time::sleep(patience));
        Self { generation, writer, silence, patience, state: State::New }
    }

    pub(crate) fn content_type(&self) -> &'static str {
        self.writer.content_type()
    }

    /// The next bytes; `None` at the end. A panic becomes an event of this stream, and ends it.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.state == State::Done {
            return Poll::Ready(None);
        }
        let mut out = String::new();
        if catch_unwind(AssertUnwindSafe(|| self.fill(cx, &mut out))).is_err() {
            self.state = State::Done;
            out.clear();
            let e = ApiError::internal("this request met an error of the server's own; others go on");
            self.writer.fail(&e, &mut out);
        }
        if !out.is_empty() {
            self.silence.as_mut().reset(Instant::now() + self.patience);
            return Poll::Ready(Some(out.into()));
        }
        if self.state == State::Done {
            return Poll::Ready(None);
        }
        if self.silence.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        self.silence.as_mut().reset(Instant::now() + self.patience);
        self.writer.keep_alive(&mut out);
        Poll::Ready(Some(out.into()))
    }

    /// Writes all that is there.
    fn fill(&mut self, cx: &mut Context<'_>, out: &mut String) {
        if self.state == State::New {
            self.state = State::Running;
            self.writer.start(self.generation.len(), out);
        }
        while out.len() < PIECE && self.state == State::Running {
            match self.generation.poll(cx) {
                Poll::Ready(Some(Ok((i, Piece::LogProbs(all))))) => self.writer.log_probs(i, &all),
                Poll::Ready(Some(Ok((i, Piece::Token(token))))) => self.writer.token(i, token, out),
                Poll::Ready(Some(Ok((i, Piece::Text(text))))) => self.writer.text(i, &text, out),
                Poll::Ready(Some(Ok((i, Piece::Thought(text))))) => self.writer.thought(i, &text, out),
                Poll::Ready(Some(Ok((i, Piece::Call(call))))) => self.writer.call(i, &call, out),
                Poll::Ready(Some(Ok((i, Piece::End(end))))) => self.writer.end(i, &end, out),
                Poll::Ready(Some(Err(e))) => {
                    self.state = State::Done;
                    self.writer.fail(&e, out);
                }
                Poll::Ready(None) => {
                    self.state = State::Done;
                    self.writer.close(out);
                }
                Poll::Pending => return,
            }
        }
    }
}

/// One server-sent event.
pub(crate) fn event(data: &serde_json::Value, out: &mut String) {
    use std::fmt::Write;
    // Writing to a string cannot fail.
    let _ = write!(out, "data: {data}\n\n");
}

/// One with a name, which its data has too.
pub(crate) fn named_event(name: &str, mut data: serde_json::Value, out: &mut String) {
    data["type"] = name.into();
    out.push_str("event: ");
    out.push_str(name);
    out.push('\n');
    event(&data, out);
}
