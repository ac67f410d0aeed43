//! What event loops are woken by: answers ring with their number, and one thread of Python's listens for all loops of the process. So the
//! engine's thread never waits for the interpreter, and a loop is woken once for all that has come.
//!
//! An interpreter that wakes for every token takes a core from the engine as often; a call of a Python function for each token of SmolLM2 cost
//! 0.04 ms on two cores. So between two wakes there is a pause, and what comes in it comes together. An answer's first event and the engine's
//! last are told at once; where a stop string ends the text before the engine has ended, a loop may learn it a pause later.

use crate::wait::{Inside, SLICE, closing};
use pyo3::prelude::*;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::Wake;
use std::time::{Duration, Instant};

/// Between two wakes of event loops, two batches of one thread and two calls of a session's `on_text`: a frame of a display at 60 Hz.
pub(crate) const PAUSE: Duration = Duration::from_millis(16);

static RUNG: Mutex<Rung> =
    Mutex::new(Rung { numbers: Vec::new(), haste: Haste::Little, pausing: false, woken: None });
static CHANGED: Condvar = Condvar::new();

/// What has rung since the last wake.
struct Rung {
    numbers: Vec<u64>,
    /// The greatest of them.
    haste: Haste,
    /// Who listens waits for the end of the pause, and need not hear of what can wait as well.
    pausing: bool,
    /// When loops were woken last.
    woken: Option<Instant>,
}

/// Whether a ring may wait for the end of a pause.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Haste {
    /// It may.
    Little,
    /// Somebody waits for an answer's first event.
    Great,
}

/// Rings with a number.
pub(crate) struct Bell(pub(crate) u64, pub(crate) Haste);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        let mut rung = RUNG.lock().unwrap_or_else(PoisonError::into_inner);
        rung.numbers.push(self.0);
        if self.1 == Haste::Great {
            rung.haste = Haste::Great;
        }
        if self.1 == Haste::Great || !rung.pausing {
            CHANGED.notify_one();
        }
    }
}

/// Ends the pause if something has rung in it; woken when an answer has ended.
pub(crate) struct EndOfPause;

impl Wake for EndOfPause {
    fn wake(self: Arc<Self>) {
        let mut rung = RUNG.lock().unwrap_or_else(PoisonError::into_inner);
        if !rung.numbers.is_empty() {
            rung.haste = Haste::Great;
            CHANGED.notify_one();
        }
    }
}

/// Wakes who listens, for the last time.
pub(crate) fn close() {
    CHANGED.notify_all();
}

/// Waits for numbers that have rung; `None` when the interpreter is about to end. For one thread.
#[pyfunction]
pub(crate) fn wait_ready(py: Python<'_>) -> Option<Vec<u64>> {
    py.detach(|| {
        let _inside = Inside::new();
        let mut rung = RUNG.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if closing() {
                return None;
            }
            let pause = rung.woken.map_or(Duration::ZERO, |at| PAUSE.saturating_sub(at.elapsed()));
            rung.pausing = !pause.is_zero() && rung.haste == Haste::Little;
            if !rung.pausing && !rung.numbers.is_empty() {
                (rung.haste, rung.woken) = (Haste::Little, Some(Instant::now()));
                return Some(std::mem::take(&mut rung.numbers));
            }
            // Bounded, for the end may come between the look and the wait.
            let wait = if rung.pausing { pause.min(SLICE) } else { SLICE };
            rung = CHANGED.wait_timeout(rung, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
    })
}
