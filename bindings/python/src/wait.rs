//! Waiting without the interpreter's lock: for signals, for its end, and in one process only.

use crate::errors::forked;
use akunu::Control;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long a wait lasts before signals are looked at.
pub(crate) const SLICE: Duration = Duration::from_millis(100);

static CLOSING: AtomicBool = AtomicBool::new(false);
/// Threads that run or wait without the interpreter's lock, and want it back.
static INSIDE: AtomicUsize = AtomicUsize::new(0);

/// Counts a thread for as long as it is without the lock.
pub(crate) struct Inside;

impl Inside {
    pub(crate) fn new() -> Self {
        INSIDE.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Whether the interpreter is about to end.
pub(crate) fn closing() -> bool {
    CLOSING.load(Ordering::SeqCst)
}

/// What a thread gets that still waits then.
pub(crate) fn ending() -> PyErr {
    PyRuntimeError::new_err("the interpreter is exiting; nothing runs any more")
}

/// Looks at signals, and at the interpreter's end.
pub(crate) fn check(py: Python<'_>) -> PyResult<()> {
    py.check_signals()?;
    if closing() { Err(ending()) } else { Ok(()) }
}

/// Looks at signals now and then while something runs, and remembers what they raise.
pub(crate) struct Signals {
    last: Instant,
    pub(crate) raised: Option<PyErr>,
}

impl Signals {
    pub(crate) fn new() -> Self {
        Self { last: Instant::now(), raised: None }
    }

    /// Whether to go on.
    pub(crate) fn look(&mut self) -> Control {
        if closing() {
            self.raised = Some(ending());
        } else if self.last.elapsed() >= SLICE {
            self.last = Instant::now();
            self.raised = Python::attach(|py| py.check_signals()).err();
        }
        if self.raised.is_some() { Control::Stop } else { Control::Continue }
    }
}

/// Tells whatever waits or runs here that the interpreter is about to end.
pub(crate) fn close() {
    CLOSING.store(true, Ordering::SeqCst);
}

/// Waits for a while until all of it has come back.
pub(crate) fn until_empty() {
    let until = Instant::now() + Duration::from_secs(5);
    while INSIDE.load(Ordering::SeqCst) > 0 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The process that something was made in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process(u32);

impl Process {
    pub(crate) fn this() -> Self {
        Self(std::process::id())
    }

    /// An error in any other.
    pub(crate) fn check(self, what: &str) -> PyResult<()> {
        if self == Self::this() { Ok(()) } else { Err(forked(what)) }
    }
}
