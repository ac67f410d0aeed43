//! What event loops are woken by: answers ring with their number, and one thread of Python's listens for all loops of the process. So the
//! engine's thread never waits for the interpreter, and a loop is woken once for all that has come.

use crate::wait::{Inside, SLICE, closing};
use pyo3::prelude::*;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::Wake;

static RUNG: Mutex<Vec<u64>> = Mutex::new(Vec::new());
static CHANGED: Condvar = Condvar::new();

/// Rings with a number.
pub(crate) struct Bell(pub(crate) u64);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        RUNG.lock().unwrap_or_else(PoisonError::into_inner).push(self.0);
        CHANGED.notify_one();
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
            if !rung.is_empty() {
                return Some(std::mem::take(&mut *rung));
            }
            // Bounded, for the end may come between the look and the wait.
            rung = CHANGED.wait_timeout(rung, SLICE).unwrap_or_else(PoisonError::into_inner).0;
        }
    })
}
