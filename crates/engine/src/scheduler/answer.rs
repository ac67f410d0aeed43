//! What a request gives: events, to be waited for by a thread or a task.

use super::{Event, Ticket};
use crate::decoded::Control;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// The events of one request. Dropping it cancels the request.
#[derive(Debug)]
pub struct Answer {
    queue: Arc<Queue>,
    ticket: Ticket,
}

/// Events on their way from the engine's thread.
#[derive(Debug, Default)]
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    events: VecDeque<Event>,
    waker: Option<Waker>,
    /// Woken when the last event is queued, besides whoever waits for the next event.
    at_end: Option<Waker>,
    /// The sender is gone: nothing more comes.
    closed: bool,
    /// The receiver is gone: nobody wants more.
    dropped: bool,
}

/// The engine's end of a queue.
pub(super) struct Sender(Arc<Queue>);

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, is_last: bool, change: impl FnOnce(&mut State)) {
        let wakers = {
            let mut state = self.lock();
            change(&mut state);
            [state.waker.take(), state.at_end.take_if(|_| is_last)]
        };
        self.changed.notify_all();
        wakers.into_iter().flatten().for_each(Waker::wake);
    }
}

impl Sender {
    /// Passes an event on; whether somebody still wants them.
    pub(super) fn send(&self, event: Event) -> Control {
        if self.0.lock().dropped {
            return Control::Stop;
        }
        self.0.change(event.is_last(), |s| s.events.push_back(event));
        Control::Continue
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        self.0.change(true, |s| s.closed = true);
    }
}

/// The two ends of a new queue; the answer's is made once there is a ticket.
pub(super) fn queue() -> (Sender, impl FnOnce(Ticket) -> Answer) {
    let queue = Arc::new(Queue::default());
    (Sender(Arc::clone(&queue)), move |ticket| Answer { queue, ticket })
}

impl Answer {
    /// The next event, when it is there; `None` after the last one. Blocks this thread.
    pub fn recv(&mut self) -> Option<Event> {
        let mut state = self.queue.lock();
        loop {
            if let Some(event) = state.events.pop_front() {
                return Some(event);
            }
            if state.closed {
                return None;
            }
            state = self.queue.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The next event of a task; `None` after the last one.
    pub async fn next_event(&mut self) -> Option<Event> {
        poll_fn(|cx| self.poll(cx)).await
    }

    /// [`Answer::next_event`] for who polls by hand.
    pub fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        let mut state = self.queue.lock();
        if let Some(event) = state.events.pop_front() {
            return Poll::Ready(Some(event));
        }
        if state.closed {
            return Poll::Ready(None);
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Also wakes `waker`, once, when the last event is queued; at once if it is already. For callers that read events in batches.
    pub fn wake_at_end(&self, waker: Waker) {
        let mut state = self.queue.lock();
        if state.closed || state.events.back().is_some_and(Event::is_last) {
            drop(state);
            waker.wake();
        } else {
            state.at_end = Some(waker);
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
}

impl Iterator for Answer {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        self.recv()
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        state.dropped = true;
        let ended = state.closed;
        drop(state);
        if !ended {
            self.ticket.cancel();
        }
    }
}
