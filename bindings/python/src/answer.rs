//! The answer to one request, in batches of events.
//!
//! A thread that iterates takes the interpreter, and with it a core, from the engine for every batch. So what comes within a pause after the
//! batch before comes together, as it does for event loops; an answer's first event and the engine's last are given at once.

use crate::bell::{Bell, EndOfPause, Haste, PAUSE};
use crate::errors::raised;
use crate::wait::{Inside, Process, SLICE, check};
use akunu::scheduler::Ticket;
use akunu::{LogProbs, TextAnswer, TextEvent};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

/// The most events that are handed over at once.
const MOST: usize = 1024;

/// The answer to one request.
#[pyclass(frozen, module = "akunu._akunu")]
pub(crate) struct Answer {
    state: Mutex<State>,
    ticket: Ticket,
    process: Process,
}

struct State {
    /// `None` once nothing more comes.
    answer: Option<TextAnswer>,
    /// An error that comes after the events before it.
    failed: Option<akunu::Error>,
    /// Of the next wait for events: nobody who has none yet waits longer than he must.
    haste: Haste,
    /// When a thread was last given tokens or text.
    given: Option<Instant>,
    /// Whether the last event ends the pause of event loops; not before one has asked for events.
    has_end_waker: bool,
}

/// What is there now.
enum Next {
    Events(Vec<TextEvent>),
    Failed(akunu::Error),
    Nothing,
}

impl State {
    /// Events that are there or come before `until`; the first one is given.
    fn drain(&mut self, first: Option<Result<TextEvent, akunu::Error>>, until: Option<Instant>) -> Next {
        let mut events = Vec::new();
        let mut next = first;
        let mut cx = Context::from_waker(Waker::noop());
        loop {
            match next {
                Some(Ok(event)) => {
                    if !matches!(event, TextEvent::Started { .. }) {
                        self.haste = Haste::Little;
                    }
                    events.push(event);
                }
                Some(Err(e)) => {
                    self.answer = None;
                    if events.is_empty() {
                        return Next::Failed(e);
                    }
                    self.failed = Some(e);
                    return Next::Events(events);
                }
                None => {
                    self.answer = None;
                    return Next::Events(events);
                }
            }
            let Some(answer) = self.answer.as_mut().filter(|_| events.len() < MOST) else {
                return Next::Events(events);
            };
            let mut more = answer.poll(&mut cx);
            if more.is_pending()
                && let Some(left) = until.and_then(|at| at.checked_duration_since(Instant::now()))
            {
                more = answer.recv_timeout(left);
            }
            match more {
                Poll::Ready(event) => next = event,
                Poll::Pending => return Next::Events(events),
            }
        }
    }

    /// Waits a little for events, and after the first for those of the rest of the pause.
    fn wait(&mut self) -> Next {
        if let Some(e) = self.failed.take() {
            return Next::Failed(e);
        }
        let Some(answer) = &mut self.answer else { return Next::Events(Vec::new()) };
        match answer.recv_timeout(SLICE) {
            Poll::Ready(first) => {
                let next = self.drain(first, self.given.map(|at| at + PAUSE));
                if self.haste == Haste::Little {
                    self.given = Some(Instant::now());
                }
                next
            }
            Poll::Pending => Next::Nothing,
        }
    }

    /// Events that are there, or a ring of the bell when some are.
    fn poll(&mut self, bell: u64) -> Next {
        if let Some(e) = self.failed.take() {
            return Next::Failed(e);
        }
        let Some(answer) = &mut self.answer else { return Next::Events(Vec::new()) };
        if !std::mem::replace(&mut self.has_end_waker, true) {
            answer.wake_at_end(Waker::from(Arc::new(EndOfPause)));
        }
        let waker = Waker::from(Arc::new(Bell(bell, self.haste)));
        match answer.poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(first) => self.drain(first, None),
            Poll::Pending => Next::Nothing,
        }
    }
}

impl Answer {
    pub(crate) fn new(answer: TextAnswer) -> Self {
        let ticket = answer.ticket();
        Self {
            state: Mutex::new(State {
                answer: Some(answer),
                failed: None,
                haste: Haste::Great,
                given: None,
                has_end_waker: false,
            }),
            ticket,
            process: Process::this(),
        }
    }
}

#[pymethods]
impl Answer {
    /// Waits for events; none after the last one.
    fn next_events(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        self.process.check("answer")?;
        loop {
            let next = py.detach(|| {
                let _inside = Inside::new();
                self.state.lock().unwrap_or_else(PoisonError::into_inner).wait()
            });
            match next {
                Next::Events(events) => return shown(py, events),
                Next::Failed(e) => return Err(raised(e)),
                Next::Nothing => check(py)?,
            }
        }
    }

    /// Events that are there, an empty list after the last one; `None` where nothing is there, and the bell rings with this number when
    /// something is.
    fn poll_events(&self, py: Python<'_>, bell: u64) -> PyResult<Option<Vec<Py<PyAny>>>> {
        self.process.check("answer")?;
        let next = py.detach(|| self.state.lock().unwrap_or_else(PoisonError::into_inner).poll(bell));
        match next {
            Next::Events(events) => shown(py, events).map(Some),
            Next::Failed(e) => Err(raised(e)),
            Next::Nothing => Ok(None),
        }
    }

    /// Ends the request after the step under way. Its last event still comes.
    fn cancel(&self, py: Python<'_>) -> PyResult<()> {
        self.process.check("answer")?;
        py.detach(|| self.ticket.cancel());
        Ok(())
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        if self.process != Process::this() {
            let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
            std::mem::forget(state.answer.take());
        }
    }
}

/// Log-probabilities as Python has them: a token's own, and the likeliest.
pub(crate) type Tops = (f32, Vec<(u32, f32)>);

pub(crate) fn tops(p: &LogProbs) -> Tops {
    (p.log_prob(), p.top().map(|(t, v)| (t.0, v)).collect())
}

/// Events as tuples: a word, and what it says.
fn shown(py: Python<'_>, events: Vec<TextEvent>) -> PyResult<Vec<Py<PyAny>>> {
    let show = |event| match event {
        TextEvent::Started { reused } => ("started", reused).into_py_any(py),
        TextEvent::Token { token, logprobs } => {
            ("token", token.0, logprobs.as_deref().map(tops)).into_py_any(py)
        }
        TextEvent::Text(text) => ("text", text).into_py_any(py),
        TextEvent::Thought(text) => ("thought", text).into_py_any(py),
        TextEvent::Call(call) => ("call", call.name, call.arguments).into_py_any(py),
        TextEvent::End(e) => (
            "end",
            finish(e.finish),
            e.prompt,
            e.reused,
            e.tokens,
            (e.seconds[0], e.seconds[1], e.seconds[2]),
        )
            .into_py_any(py),
    };
    events.into_iter().map(show).collect()
}

/// Why an answer ended, in Python's words.
pub(crate) fn finish(finish: akunu::FinishReason) -> &'static str {
    use akunu::FinishReason as F;
    match finish {
        F::Eos => "eos",
        F::Length => "length",
        F::StopString => "stop",
        F::Cancelled => "cancelled",
        F::ContextFull => "context_full",
        F::NotFinite => "not_finite",
        F::Stuck => "stuck",
    }
}
