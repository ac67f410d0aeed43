//! Whether the server serves, drains or stops, and why.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use thiserror::Error;
use tokio::sync::watch;

/// Why a server does not run, or does not run any more.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the fields are named in the messages")]
pub enum ServerError {
    /// Others could use it.
    #[error(
        "{address} can be reached from other machines, and there is no API key; give one (--api-key), listen on 127.0.0.1, or say \
         that anyone may use it (--allow-anyone)"
    )]
    Open { address: SocketAddr },
    /// There is nothing to serve.
    #[error("there is no model to serve; name at least one")]
    NoModel,
    /// Two models with one name.
    #[error("two models are called `{name}`; give one of them another name (--alias)")]
    SameName { name: String },
    /// A key that no header can carry.
    #[error("an API key is empty or has characters other than visible ASCII; choose another")]
    Key,
    /// The operating system refused.
    #[error("cannot listen: {0}")]
    Io(#[from] std::io::Error),
    /// A model for which there will never be room.
    #[error(
        "the model `{name}` takes {needed} bytes of memory, and all models together may take {budget} (--memory-budget); allow more, or \
         have it take less: a shorter --ctx, fewer --cache-tokens, fewer --sequences"
    )]
    Budget { name: String, needed: u64, budget: u64 },
    /// A model could not be loaded, or its engine has stopped.
    #[error("{why}")]
    Fatal { why: String },
}

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
