//! Whether the server serves, drains or stops, and why.

use crate::server::ServerError;
use std::sync::{Mutex, PoisonError};
use tokio::sync::watch;

/// What the server does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(crate) enum Phase {
    Serving,
    /// No connection is accepted, and each ends after the answer under way.
    Draining,
    /// Everything ends at once.
    Stopped,
}

/// A server's life. It never goes back.
#[derive(Debug)]
pub(crate) struct Life {
    phase: watch::Sender<Phase>,
    why: Mutex<Option<ServerError>>,
}

impl Life {
    pub(crate) fn new() -> Self {
        Self { phase: watch::Sender::new(Phase::Serving), why: Mutex::new(None) }
    }

    /// Goes on to a phase, if it is not there yet.
    pub(crate) fn enter(&self, phase: Phase) {
        self.phase.send_if_modified(|now| {
            let goes = phase > *now;
            if goes {
                *now = phase;
            }
            goes
        });
    }

    /// Ends the server because of an error, the first of which is kept.
    pub(crate) fn fail(&self, why: ServerError) {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
        self.enter(Phase::Draining);
    }

    /// The error that ended it, given out once.
    pub(crate) fn take_error(&self) -> Option<ServerError> {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(crate) fn phase(&self) -> Phase {
        *self.phase.borrow()
    }

    pub(crate) fn watch(&self) -> watch::Receiver<Phase> {
        self.phase.subscribe()
    }
}
