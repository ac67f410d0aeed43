//! Answers as text: a request's tokens put through the tokenizer, stop strings, thoughts and calls of tools told apart.

use crate::Error;
use crate::decoded::FinishReason;
use crate::generate::TextStream;
use crate::logprobs::LogProbs;
use crate::model::Model;
use crate::reading::{Reader, Reading, Said};
use crate::scheduler::{Answer, Engine, Event, Finished, Request, Ticket};
use crate::tools::ToolCall;
use akunu_kernels::step::Token;
use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker, ready};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// What becomes of an answer's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextOptions {
    /// Strings that end it; they are not part of it.
    pub stop: Vec<String>,
    /// What is read out of it; nothing where the prompt is a plain text.
    pub reading: Reading,
}

/// What happens to an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum TextEvent {
    /// It runs; so many tokens of its prompt need not be computed.
    Started {
        /// Tokens found in the KV cache.
        reused: u32,
    },
    /// A token was drawn. What of its text is final comes after it.
    Token {
        /// Which.
        token: Token,
        /// Its log-probabilities, where [`Sampling::logprobs`](crate::Sampling::logprobs) asks for them.
        logprobs: Option<Box<LogProbs>>,
    },
    /// Text that is final: whole characters that no stop string can swallow any more.
    Text(String),
    /// Thoughts before the answer.
    Thought(String),
    /// A call of a tool, whole.
    Call(ToolCall),
    /// It has ended: the last event.
    End(Finished),
}

/// The events of one request as text. Dropping it cancels the request.
pub struct TextAnswer {
    model: Model,
    /// `None` once it has ended.
    answer: Option<Answer>,
    ticket: Ticket,
    text: TextStream,
    reader: Reader,
    events: VecDeque<TextEvent>,
    /// As far as they are known, until the engine says them.
    counts: Finished,
    began: [Option<Instant>; 2],
    since: Instant,
}

impl Engine {
    /// Submits a request whose answer is read as text.
    pub fn generate(&self, request: Request, options: &TextOptions) -> Result<TextAnswer, Error> {
        self.model().tokenizer()?;
        let since = Instant::now();
        let prompt = request.tokens.len() as u32;
        let answer = self.start(request)?;
        Ok(TextAnswer {
            model: self.model().clone(),
            ticket: answer.ticket(),
            answer: Some(answer),
            text: TextStream::new(&options.stop).with_marks(options.reading.marks()),
            reader: Reader::new(&options.reading),
            events: VecDeque::new(),
            counts: Finished {
                finish: FinishReason::StopString,
                prompt,
                reused: 0,
                tokens: 0,
                seconds: [0.0; 3],
            },
            began: [None; 2],
            since,
        })
    }
}

impl TextAnswer {
    /// The next event, when it is there; `None` after the last one or an error. Blocks this thread.
    pub fn recv(&mut self) -> Option<Result<TextEvent, Error>> {
        loop {
            if let Poll::Ready(event) = self.recv_timeout(Duration::from_secs(3600)) {
                return event;
            }
        }
    }

    /// The same for so long at most; pending where nothing has happened.
    pub fn recv_timeout(&mut self, timeout: Duration) -> Poll<Option<Result<TextEvent, Error>>> {
        let until = Instant::now() + timeout;
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        let mut cx = Context::from_waker(&waker);
        loop {
            if let Poll::Ready(event) = self.poll(&mut cx) {
                return Poll::Ready(event);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Poll::Pending;
            }
            std::thread::park_timeout(left);
        }
    }

    /// The next event of a task; `None` after the last one or an error.
    pub async fn next_event(&mut self) -> Option<Result<TextEvent, Error>> {
        std::future::poll_fn(|cx| self.poll(cx)).await
    }

    /// [`TextAnswer::next_event`] for who polls by hand.
    pub fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<TextEvent, Error>>> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Poll::Ready(Some(Ok(event)));
            }
            let Some(answer) = &mut self.answer else { return Poll::Ready(None) };
            let event = ready!(answer.poll(cx));
            if let Err(e) = self.take(event) {
                self.answer = None;
                self.events.clear();
                return Poll::Ready(Some(Err(e)));
            }
        }
    }

    /// Also wakes `waker`, once, when the engine's last event is queued ([`Answer::wake_at_end`](crate::scheduler::Answer::wake_at_end)). A stop
    /// string that ends the text sooner is found when events are read.
    pub fn wake_at_end(&self, waker: Waker) {
        match &self.answer {
            Some(answer) => answer.wake_at_end(waker),
            None => waker.wake(),
        }
    }

    /// Ends the request after the step under way. Its last event still comes.
    pub fn cancel(&self) {
        self.ticket.cancel();
    }

    /// What cancels the request from elsewhere.
    pub fn ticket(&self) -> Ticket {
        self.ticket.clone()
    }

    /// Tokens of the prompt.
    pub fn prompt_len(&self) -> u32 {
        self.counts.prompt
    }

    fn take(&mut self, event: Option<Event>) -> Result<(), Error> {
        match event {
            Some(Event::Started { reused }) => {
                self.counts.reused = reused;
                self.began[0] = Some(Instant::now());
                self.events.push_back(TextEvent::Started { reused });
            }
            Some(Event::Token { token, logprobs }) => {
                self.began[1].get_or_insert_with(Instant::now);
                self.counts.tokens += 1;
                self.events.push_back(TextEvent::Token { token, logprobs });
                let text = self.text.push(self.model.tokenizer()?, token);
                let events = &mut self.events;
                self.reader.push(text, &mut |s| events.push_back(s.into()));
                if self.reader.is_over() {
                    self.end_here(FinishReason::Eos);
                } else if self.text.stopped() {
                    self.reader.finish(&mut |s| events.push_back(s.into()));
                    self.end_here(FinishReason::StopString);
                }
            }
            Some(Event::Finished(finished)) => {
                let events = &mut self.events;
                let rest = self.text.finish();
                self.reader.push(rest, &mut |s| events.push_back(s.into()));
                self.reader.finish(&mut |s| events.push_back(s.into()));
                self.events.push_back(TextEvent::End(finished));
                self.answer = None;
            }
            Some(Event::Failed(e)) => return Err(e),
            None => return Err(Error::Stopped { why: "it ended before the answer did".into() }),
        }
        Ok(())
    }

    /// Ends it before the engine does: what is drawn after this is nobody's.
    fn end_here(&mut self, finish: FinishReason) {
        let now = Instant::now();
        let started = self.began[0].unwrap_or(self.since);
        let first = self.began[1].unwrap_or(now);
        let seconds = [started - self.since, first - started, now - first].map(|d| d.as_secs_f64());
        self.events.push_back(TextEvent::End(Finished { finish, seconds, ..self.counts }));
        self.answer = None;
    }
}

impl From<Said> for TextEvent {
    fn from(said: Said) -> Self {
        match said {
            Said::Text(text) => Self::Text(text),
            Said::Thought(text) => Self::Thought(text),
            Said::Call(call) => Self::Call(call),
        }
    }
}

/// Wakes a thread that is parked.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
