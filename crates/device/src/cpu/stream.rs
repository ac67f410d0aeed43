//! The host's side of a session's queue: a log of drawn tokens that worker 0 appends to, and a place to wait.

use super::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};
use super::sync::{Condvar, Mutex};
use crate::{DeviceError, Progress, Stream};
use std::any::Any;
use std::sync::PoisonError;

/// Tokens that the log holds; the engine reads every chunk long before it wraps.
pub(crate) const LOG: usize = if cfg!(all(loom, test)) { 4 } else { 1 << 16 };

/// Why a submission ended before its time.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// A worker panicked, in this table or before it.
    Worker(String),
    /// The step block did not fit the table.
    Step(String),
}

/// A session's queue.
#[derive(Debug)]
pub(crate) struct CpuStream {
    log: Box<[AtomicU32]>,
    drawn: AtomicU64,
    submitted: AtomicU64,
    finished: AtomicU64,
    cancel: AtomicBool,
    failed: Mutex<Option<Failure>>,
    /// `drawn` at which a waiting host wants to be woken; `u64::MAX` when none waits.
    wanted: AtomicU64,
    sleep: Mutex<()>,
    wake: Condvar,
}

impl CpuStream {
    pub(crate) fn new() -> Self {
        Self {
            log: (0..LOG).map(|_| AtomicU32::new(0)).collect(),
            drawn: AtomicU64::new(0),
            submitted: AtomicU64::new(0),
            finished: AtomicU64::new(0),
            cancel: AtomicBool::new(false),
            failed: Mutex::new(None),
            wanted: AtomicU64::new(u64::MAX),
            sleep: Mutex::new(()),
            wake: Condvar::new(),
        }
    }

    /// A submission was queued.
    pub(crate) fn submitted(&self) {
        self.submitted.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether the host asked to stop.
    #[inline]
    pub(crate) fn cancelled(&self) -> bool {
        self.cancel.load(Ordering::Acquire)
    }

    /// Appends a drawn token; called by worker 0 only.
    pub(crate) fn push(&self, token: u32) {
        let n = self.drawn.load(Ordering::Relaxed);
        self.log[n as usize % LOG].store(token, Ordering::Relaxed);
        self.drawn.store(n + 1, Ordering::Release);
        // Pairs with the fence in `wait`: either this sees the wish, or the host sees the token before it sleeps.
        fence(Ordering::SeqCst);
        if n + 1 >= self.wanted.load(Ordering::Relaxed) {
            self.notify();
        }
    }

    /// A submission ended.
    pub(crate) fn finish(&self) {
        self.finished.fetch_add(1, Ordering::Release);
        self.notify();
    }

    /// A submission failed; the first failure is the one that counts.
    pub(crate) fn fail(&self, why: Failure) {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
    }

    fn notify(&self) {
        // Taking the lock orders this after a host that has checked but not yet slept.
        drop(self.sleep.lock().unwrap_or_else(PoisonError::into_inner));
        self.wake.notify_all();
    }

    fn failure(&self) -> Result<(), DeviceError> {
        match self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            Some(Failure::Worker(table)) => Err(DeviceError::Worker { table }),
            Some(Failure::Step(table)) => Err(DeviceError::Step { table }),
            None => Ok(()),
        }
    }
}

impl Stream for CpuStream {
    fn reset(&self) {
        // The queue's lock orders these before the next submission.
        self.drawn.store(0, Ordering::Relaxed);
        self.cancel.store(false, Ordering::Relaxed);
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn progress(&self) -> Progress {
        // `finished` first: a submission that this counts as ended has its tokens in `drawn`.
        let finished = self.finished.load(Ordering::Acquire);
        let drawn = self.drawn.load(Ordering::Acquire);
        Progress { drawn, pending: self.submitted.load(Ordering::Relaxed) - finished }
    }

    fn wait(&self, drawn: u64, pending: u64) -> Result<Progress, DeviceError> {
        let done = |p: Progress| p.drawn >= drawn || p.pending <= pending;
        let mut p = self.progress();
        if !done(p) {
            self.wanted.store(drawn, Ordering::Relaxed);
            fence(Ordering::SeqCst);
            let mut guard = self.sleep.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                p = self.progress();
                if done(p) {
                    break;
                }
                guard = self.wake.wait(guard).unwrap_or_else(PoisonError::into_inner);
            }
            self.wanted.store(u64::MAX, Ordering::Relaxed);
        }
        self.failure()?;
        Ok(p)
    }

    fn tokens(&self, from: u64, out: &mut [u32]) -> usize {
        let end = self.drawn.load(Ordering::Acquire);
        let n = end.saturating_sub(from).min(out.len() as u64) as usize;
        for (i, o) in out[..n].iter_mut().enumerate() {
            *o = self.log[(from as usize + i) % LOG].load(Ordering::Relaxed);
        }
        n
    }

    fn cancel(&self) {
        // Who sees that a step was left in the middle also sees why.
        self.cancel.store(true, Ordering::Release);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
