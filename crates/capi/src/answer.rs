//! The answer to one request, event by event.

use crate::handle::{Cancel, OneCall, Table};
use crate::input::{Versioned, place, report};
use crate::options::finish_word;
use crate::session::Tops;
use crate::status::{AKUNU_DONE, AKUNU_OK, AKUNU_TIMED_OUT, akunu_status, call};
use crate::tables::free_after;
use akunu::scheduler::Ticket;
use akunu::{TextAnswer, TextEvent};
use std::ffi::c_char;
use std::task::Poll;
use std::time::Duration;

/// The answer to one request.
pub struct akunu_answer;

pub(crate) type AnswerCell = OneCall<State, Ticket>;

impl Cancel for Ticket {
    fn cancel(&self) {
        self.cancel();
    }
}

pub(crate) struct State {
    answer: TextAnswer,
    /// What the last event points to.
    text: String,
    name: String,
    tops: Tops,
}

pub(crate) static ANSWERS: Table<AnswerCell> = Table::new("akunu_answer", 7);

impl From<TextAnswer> for AnswerCell {
    fn from(answer: TextAnswer) -> Self {
        let ticket = answer.ticket();
        let (text, name) = (String::new(), String::new());
        Self::new(State { answer, text, name, tops: Tops::of(None) }, ticket)
    }
}

/// The request runs; `reused_tokens` of its prompt were found in the KV cache.
pub const AKUNU_EVENT_STARTED: u32 = 1;
/// A token was drawn: `token`, and its log-probabilities where they were asked for. What of its text is final comes after it.
pub const AKUNU_EVENT_TOKEN: u32 = 2;
/// Text that is final: whole characters that no stop string can swallow any more.
pub const AKUNU_EVENT_TEXT: u32 = 3;
/// Thoughts before the answer, of a conversation.
pub const AKUNU_EVENT_THOUGHT: u32 = 4;
/// A tool is to be called: `name`, and in `text` its arguments, a JSON object.
pub const AKUNU_EVENT_CALL: u32 = 5;
/// The last event: `finish`, and counts and times.
pub const AKUNU_EVENT_END: u32 = 6;

/// Something that has happened to an answer. Pointers are valid until the next `akunu_answer_next` or `akunu_answer_free` of this answer.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct akunu_event {
    /// Bytes of this struct.
    pub size: usize,
    /// What: `AKUNU_EVENT_*`. A program should pass over those that it does not know.
    pub kind: u32,
    /// The token.
    pub token: u32,
    /// The text, without a NUL at its end.
    pub text: *const c_char,
    /// Bytes of it.
    pub text_length: usize,
    /// The name of the tool, without a NUL at its end.
    pub name: *const c_char,
    /// Bytes of it.
    pub name_length: usize,
    /// The token's log-probability.
    pub logprob: f32,
    /// 1 where that was asked for.
    pub has_logprob: u32,
    /// The likeliest tokens in its place, best first.
    pub top_tokens: *const u32,
    /// Their log-probabilities.
    pub top_logprobs: *const f32,
    /// How many.
    pub top_count: u32,
    /// Why it ended: `AKUNU_FINISH_*`.
    pub finish: u32,
    /// Tokens of the prompt.
    pub prompt_tokens: u32,
    /// Those of them that were found in the KV cache.
    pub reused_tokens: u32,
    /// Tokens drawn.
    pub tokens: u32,
    /// Nothing.
    pub reserved: u32,
    /// Seconds until it first ran.
    pub queue_seconds: f64,
    /// From then to the first token.
    pub prompt_seconds: f64,
    /// From there to its end.
    pub decode_seconds: f64,
}

// SAFETY: repr(C), the size first, numbers and raw pointers.
unsafe impl Versioned for akunu_event {
    const FIRST: usize = 120;
    const NAME: &'static str = "akunu_event";
}

impl akunu_event {
    const NOTHING: Self = Self {
        size: 0,
        kind: 0,
        token: 0,
        text: c"".as_ptr(),
        text_length: 0,
        name: c"".as_ptr(),
        name_length: 0,
        logprob: 0.0,
        has_logprob: 0,
        top_tokens: std::ptr::null(),
        top_logprobs: std::ptr::null(),
        top_count: 0,
        finish: 0,
        prompt_tokens: 0,
        reused_tokens: 0,
        tokens: 0,
        reserved: 0,
        queue_seconds: 0.0,
        prompt_seconds: 0.0,
        decode_seconds: 0.0,
    };
}

impl State {
    /// An event as C has it, which points into this state.
    fn show(&mut self, event: TextEvent) -> akunu_event {
        let nothing = akunu_event::NOTHING;
        match event {
            TextEvent::Started { reused } => {
                akunu_event { kind: AKUNU_EVENT_STARTED, reused_tokens: reused, ..nothing }
            }
            TextEvent::Token { token, logprobs } => {
                self.tops = Tops::of(logprobs.as_deref());
                akunu_event {
                    kind: AKUNU_EVENT_TOKEN,
                    token: token.0,
                    logprob: self.tops.logprob.unwrap_or(0.0),
                    has_logprob: self.tops.logprob.is_some().into(),
                    top_tokens: self.tops.tokens.as_ptr(),
                    top_logprobs: self.tops.logprobs.as_ptr(),
                    top_count: self.tops.tokens.len() as u32,
                    ..nothing
                }
            }
            TextEvent::Text(text) => self.say(AKUNU_EVENT_TEXT, text, String::new()),
            TextEvent::Thought(text) => self.say(AKUNU_EVENT_THOUGHT, text, String::new()),
            TextEvent::Call(call) => self.say(AKUNU_EVENT_CALL, call.arguments, call.name),
            TextEvent::End(end) => akunu_event {
                kind: AKUNU_EVENT_END,
                finish: finish_word(end.finish),
                prompt_tokens: end.prompt,
                reused_tokens: end.reused,
                tokens: end.tokens,
                queue_seconds: end.seconds[0],
                prompt_seconds: end.seconds[1],
                decode_seconds: end.seconds[2],
                ..nothing
            },
        }
    }

    fn say(&mut self, kind: u32, text: String, name: String) -> akunu_event {
        (self.text, self.name) = (text, name);
        akunu_event {
            kind,
            text: self.text.as_ptr().cast(),
            text_length: self.text.len(),
            name: self.name.as_ptr().cast(),
            name_length: self.name.len(),
            ..akunu_event::NOTHING
        }
    }
}

/// Waits for the next event, `timeout_ms` milliseconds at most, or for as long as it takes where that is negative. `AKUNU_TIMED_OUT` where
/// nothing has come, `AKUNU_DONE` after the last event; an error where the request has failed, and `AKUNU_DONE` after that. Set
/// `event->size` to `sizeof(akunu_event)` before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_answer_next(
    answer: *const akunu_answer,
    timeout_ms: i64,
    event: *mut akunu_event,
) -> akunu_status {
    call(|| {
        place(event, "event")?;
        let cell = ANSWERS.get(answer)?;
        let mut state = ANSWERS.enter(&cell)?;
        let next = match u64::try_from(timeout_ms) {
            Ok(ms) => state.answer.recv_timeout(Duration::from_millis(ms.min(1 << 40))),
            Err(_) => Poll::Ready(state.answer.recv()),
        };
        match next {
            Poll::Pending => Ok(AKUNU_TIMED_OUT),
            Poll::Ready(None) => Ok(AKUNU_DONE),
            Poll::Ready(Some(next)) => {
                let shown = state.show(next?);
                // SAFETY: the caller's promise.
                unsafe { report(event, shown) }?;
                Ok(AKUNU_OK)
            }
        }
    })
}

/// Ends the request after the step under way, from any thread. Its last event, with `AKUNU_FINISH_CANCELLED`, still comes.
#[unsafe(no_mangle)]
pub extern "C" fn akunu_answer_cancel(answer: *const akunu_answer) -> akunu_status {
    call(|| Ok(ANSWERS.cancel(answer)?))
}

/// Frees an answer; a request under way is cancelled.
#[unsafe(no_mangle)]
pub extern "C" fn akunu_answer_free(answer: *mut akunu_answer) {
    free_after(&ANSWERS, answer, OneCall::close);
}
