//! Stopping what a session runs, from another thread.

use akunu_device::Stream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, fence};

/// Stops what a session runs. It can be used from any thread, and outlives the session.
#[derive(Clone)]
pub struct Canceller {
    asked: Arc<AtomicBool>,
    stream: Arc<dyn Stream>,
}

impl Canceller {
    pub(crate) fn new(stream: &Arc<dyn Stream>) -> Self {
        Self { asked: Arc::default(), stream: Arc::clone(stream) }
    }

    /// Asks for a stop. `Session::prefill`, `Session::decode` and `Session::generate` then end as if their callback had said
    /// stop, `Session::logits` with `Error::Cancelled`; on the CPU also in the middle of a step, which then counts as not run.
    /// The session stands at the last accepted token.
    ///
    /// It applies to what runs or, where nothing does, to the next call. Each call but `prefill`, which is a part of a longer
    /// story, forgets it at its end.
    pub fn cancel(&self) {
        self.asked.store(true, Ordering::Release);
        // See `begin`.
        fence(Ordering::SeqCst);
        self.stream.cancel();
    }

    /// Takes it back, where nothing has obeyed it yet.
    pub fn withdraw(&self) {
        // A swap and not a store: who comes after this sees what was done before a cancel that this has overwritten.
        self.asked.swap(false, Ordering::AcqRel);
    }

    pub(crate) fn asked(&self) -> bool {
        self.asked.load(Ordering::Acquire)
    }

    /// Makes the stream ready for what runs next. Nothing is pending.
    pub(crate) fn begin(&self) {
        self.stream.reset();
        // Either this sees that a stop was asked for, or the stream's flag is set after `reset` has cleared it.
        fence(Ordering::SeqCst);
        if self.asked() {
            self.stream.cancel();
        }
    }
}
