//! The host's side of a session's queue: a log of drawn tokens that worker 0 appends to, and a place to wait.

use super::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use super::sync::{Condvar, Mutex};
use crate::{DeviceError, Drawn, Progress, STREAM_TOKENS, Stream};
use akunu_kernels::step::{SeqIndex, Token};
use std::any::Any;
use std::sync::PoisonError;

/// Tokens that the log holds; the engine reads every chunk long before it wraps.
pub(crate) const LOG: usize = if cfg!(all(loom, test)) { 4 } else { STREAM_TOKENS as usize };

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
    /// Sequence, then token, in one word.
    log: Box<[AtomicU64]>,
    drawn: AtomicU64,
    submitted: AtomicU64,
    finished: AtomicU64,
    cancel: AtomicBool,
    pause: AtomicBool,
    failed: Mutex<Option<Failure>>,
    /// `drawn` at which a waiting host wants to be woken; `u64::MAX` when none waits.
    wanted: AtomicU64,
    sleep: Mutex<()>,
    wake: Condvar,
}

impl CpuStream {
    pub(crate) fn new() -> Self {
        Self {
            log: (0..LOG).map(|_| AtomicU64::new(0)).collect(),
            drawn: AtomicU64::new(0),
            submitted: AtomicU64::new(0),
            finished: AtomicU64::new(0),
            cancel: AtomicBool::new(false),
            pause: AtomicBool::new(false),
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

    /// Whether no step is to follow the one under way.
    #[inline]
    pub(crate) fn ends(&self) -> bool {
        self.cancelled() || self.pause.load(Ordering::Relaxed)
    }

    /// Appends what a step has drawn, of which the host sees all or nothing, and is woken once; called by worker 0 only.
    pub(crate) fn push(&self, drawn: impl IntoIterator<Item = Drawn>) {
        let mut n = self.drawn.load(Ordering::Relaxed);
        for drawn in drawn {
            let word = u64::from(drawn.seq.0) << 32 | u64::from(drawn.token.0);
            self.log[n as usize % LOG].store(word, Ordering::Relaxed);
            n += 1;
        }
        self.drawn.store(n, Ordering::Release);
        // Pairs with the fence in `wait`: either this sees the wish, or the host sees the tokens before it sleeps.
        fence(Ordering::SeqCst);
        if n >= self.wanted.load(Ordering::Relaxed) {
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
        self.pause.store(false, Ordering::Relaxed);
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

    fn drawn(&self, from: u64, out: &mut [Drawn]) -> usize {
        let end = self.drawn.load(Ordering::Acquire);
        let n = end.saturating_sub(from).min(out.len() as u64) as usize;
        for (i, o) in out[..n].iter_mut().enumerate() {
            let word = self.log[(from as usize + i) % LOG].load(Ordering::Relaxed);
            *o = Drawn { seq: SeqIndex((word >> 32) as u32), token: Token(word as u32) };
        }
        n
    }

    fn cancel(&self) {
        // Who sees that a step was left in the middle also sees why.
        self.cancel.store(true, Ordering::Release);
    }

    fn pause(&self) {
        self.pause.store(true, Ordering::Relaxed);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn drawn(i: u64) -> Drawn {
        Drawn { seq: SeqIndex(i as u32 % 1024), token: Token(u32::MAX - i as u32 * 3) }
    }

    /// Around the end of the log and far beyond it, whoever reads in time reads everything once and in order.
    #[test]
    fn a_log_that_wraps_loses_nothing_to_who_follows() {
        let stream = CpuStream::new();
        let (mut seen, mut pushed) = (0u64, 0u64);
        let mut out = [Drawn::default(); 700];
        for round in 0..500u64 {
            // In steps of one draw, and of many.
            let end = pushed + round % 13 * 53;
            while pushed < end {
                let step = (round % 17 + 1).min(end - pushed);
                stream.push((pushed..pushed + step).map(drawn));
                pushed += step;
            }
            let n = stream.drawn(seen, &mut out);
            assert_eq!(n as u64, (pushed - seen).min(700));
            for (i, got) in out[..n].iter().enumerate() {
                assert_eq!(*got, drawn(seen + i as u64));
            }
            seen += n as u64;
        }
        assert!(pushed > 2 * LOG as u64, "{pushed}");
        // The last so many are there at once, and nothing beyond them.
        let mut all = vec![Drawn::default(); LOG + 1];
        let from = pushed - LOG as u64;
        assert_eq!(stream.drawn(from, &mut all), LOG);
        assert!(all[..LOG].iter().enumerate().all(|(i, got)| *got == drawn(from + i as u64)));
        assert_eq!((stream.drawn(pushed, &mut all), stream.drawn(pushed + 5, &mut all)), (0, 0));
        stream.reset();
        assert_eq!(stream.drawn(0, &mut all), 0);
        stream.push([drawn(77)]);
        assert_eq!((stream.drawn(0, &mut all), all[0]), (1, drawn(77)));
    }

    #[test]
    fn a_pause_lasts_until_the_reset_and_is_no_cancel() {
        let stream = CpuStream::new();
        stream.pause();
        assert!(stream.ends() && !stream.cancelled());
        stream.reset();
        assert!(!stream.ends());
        stream.cancel();
        assert!(stream.ends() && stream.cancelled());
        stream.reset();
        assert!(!stream.ends());
    }
}
