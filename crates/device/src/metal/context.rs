//! One GPU as this process holds it: its one queue, and what runs there.

use super::gpu::{Gpu, Run, State};
use crate::DeviceError;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A GPU and the command buffers that have been committed and not been seen to end.
pub(crate) struct Context<G: Gpu> {
    pub(crate) gpu: G,
    running: Mutex<Running<G>>,
}

struct Running<G: Gpu> {
    works: VecDeque<G::Work>,
    /// What a command buffer has failed with: from then on nothing is run.
    failed: Option<String>,
}

/// A command buffer that failed.
pub(crate) fn lost(what: String) -> DeviceError {
    let remedy = "the GPU was lost or ran out of memory; load the model again, or use --device cpu";
    DeviceError::Metal { call: "commit", what, remedy }
}

impl<G: Gpu> Context<G> {
    pub(crate) fn new(gpu: G) -> Self {
        Self { gpu, running: Mutex::new(Running { works: VecDeque::with_capacity(16), failed: None }) }
    }

    fn running(&self) -> MutexGuard<'_, Running<G>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Commits a command buffer after all that is queued.
    pub(crate) fn commit(&self, run: &Run<'_, G>, event: &G::Event) -> Result<G::Work, DeviceError> {
        self.check()?;
        let mut running = self.running();
        let work = self.gpu.commit(run, event)?;
        running.works.push_back(work.clone());
        Ok(work)
    }

    /// Forgets what has ended; an error where something has failed.
    pub(crate) fn check(&self) -> Result<(), DeviceError> {
        let mut running = self.running();
        while running.failed.is_none() {
            let Some(first) = running.works.front() else { return Ok(()) };
            match self.gpu.state(first) {
                State::Running => return Ok(()),
                State::Ended(_) => drop(running.works.pop_front()),
                State::Failed(what) => running.failed = Some(what),
            }
        }
        Err(lost(running.failed.clone().unwrap_or_default()))
    }

    /// Waits for all that is queued now. Work is done in order, so the last one's end is the end of all.
    pub(crate) fn idle(&self) -> Result<(), DeviceError> {
        let last = self.running().works.back().cloned();
        if let Some(last) = last {
            self.gpu.finish(&last);
        }
        self.check()
    }

    /// Waits for one command buffer; its seconds on the GPU.
    pub(crate) fn finish(&self, work: &G::Work) -> Result<f64, DeviceError> {
        match self.gpu.finish(work) {
            State::Ended(seconds) => Ok(seconds),
            State::Failed(what) => Err(lost(what)),
            State::Running => Err(lost("a wait came back too early".into())),
        }
    }
}
