//! The barrier between commands: workers count up one number and wait until it is a multiple of their count.

use super::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use super::sync::{Condvar, Mutex, MutexGuard, Patience, Waiting};
use std::sync::PoisonError;

/// Set in the count while somebody sleeps. More crossings than the other bits can count would take centuries.
const SLEEPER: u64 = 1 << 63;

/// A barrier for the workers of a team. A worker that fails breaks it, so that no other waits for ever.
#[derive(Debug)]
pub(crate) struct Barrier {
    workers: AtomicU64,
    patience: Patience,
    arrived: AtomicU64,
    broken: AtomicBool,
    sleep: Mutex<()>,
    wake: Condvar,
}

/// How a worker waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waited {
    /// Its thread could run all the time.
    Awake,
    /// Its thread slept.
    Asleep,
}

/// The barrier was broken by a failed worker.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Broken;

impl Barrier {
    pub(crate) fn new(workers: u32, patience: Patience) -> Self {
        Self {
            workers: AtomicU64::new(u64::from(workers)),
            patience,
            arrived: AtomicU64::new(0),
            broken: AtomicBool::new(false),
            sleep: Mutex::new(()),
            wake: Condvar::new(),
        }
    }

    /// Begins anew, for so many workers. Nobody may be in it, and the caller orders this before the next crossing (the
    /// pool does so with its lock).
    pub(crate) fn begin(&self, workers: u32) {
        self.workers.store(u64::from(workers), Ordering::Relaxed);
        self.arrived.store(0, Ordering::Relaxed);
    }

    /// Waits for every worker of the team. All that a worker did before is visible to every worker after.
    ///
    /// Why it is right: the k-th crossing ends when `arrived` reaches k x workers. No worker can add for
    /// crossing k + 1 before crossing k is over, so a worker's own ticket tells which crossing it is in. All changes
    /// of `arrived` are read-modify-writes, so they form one release sequence, and reading the final count acquires
    /// every worker's writes.
    ///
    /// Why no sleeper is forgotten: it sets `SLEEPER` in the same number that arrivals count up. Either it does so
    /// before the last arrival, which then sees the bit and wakes it, or it sees the last arrival and does not sleep.
    pub(crate) fn wait(&self) -> Result<Waited, Broken> {
        let workers = self.workers.load(Ordering::Relaxed);
        if workers == 1 {
            return Ok(Waited::Awake);
        }
        let before = self.arrived.fetch_add(1, Ordering::AcqRel);
        let ticket = before & !SLEEPER;
        let target = (ticket / workers + 1) * workers;
        if ticket + 1 == target {
            if before & SLEEPER != 0 {
                self.wake_all();
            }
            return Ok(Waited::Awake);
        }
        let mut waiting = Waiting::new(self.patience);
        while self.arrived.load(Ordering::Acquire) & !SLEEPER < target {
            if !waiting.moment() {
                return self.sleep(target);
            }
        }
        Ok(Waited::Awake)
    }

    /// Sleeps until the count is `target`.
    #[cold]
    fn sleep(&self, target: u64) -> Result<Waited, Broken> {
        let mut guard = self.lock();
        // The bit is set again after every waking: whoever woke the sleepers of one crossing cleared it for all. Not
        // where the crossing is over: the next one's last arrival would wake nobody.
        while self.arrived.load(Ordering::Acquire) & !SLEEPER < target
            && self.arrived.fetch_or(SLEEPER, Ordering::AcqRel) & !SLEEPER < target
        {
            if self.is_broken() {
                return Err(Broken);
            }
            guard = self.wake.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(Waited::Asleep)
    }

    #[cold]
    fn wake_all(&self) {
        // Under the lock: a sleeper of the next crossing either sleeps by now, and is woken for nothing, or has yet
        // to set the bit.
        let guard = self.lock();
        self.arrived.fetch_and(!SLEEPER, Ordering::AcqRel);
        drop(guard);
        self.wake.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.sleep.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether somebody sleeps at it.
    #[cfg(all(test, not(loom)))]
    pub(crate) fn sleeping(&self) -> bool {
        self.arrived.load(Ordering::Relaxed) & SLEEPER != 0
    }

    /// Whether a worker failed. Then a crossing proves nothing any more, and nobody may begin one.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    /// Releases every waiter with an error, for good: those that are awake as soon as they would sleep.
    pub(crate) fn break_it(&self) {
        self.broken.store(true, Ordering::Relaxed);
        // Taking the lock orders this after a waiter that has looked but does not sleep yet.
        drop(self.lock());
        self.wake.notify_all();
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;
    use std::time::Duration;

    /// Waits that are always awake, always asleep, and in between.
    const PATIENCE: [Patience; 3] = [
        Patience { spin: Duration::ZERO, offer: Duration::MAX },
        Patience { spin: Duration::ZERO, offer: Duration::ZERO },
        Patience { spin: Duration::from_micros(1), offer: Duration::from_micros(5) },
    ];

    #[test]
    fn no_worker_runs_ahead() {
        const WORKERS: u32 = 4;
        for patience in PATIENCE {
            let (b, count) = (Barrier::new(WORKERS, patience), AtomicU32::new(0));
            std::thread::scope(|s| {
                for _ in 0..WORKERS {
                    s.spawn(|| {
                        for round in 1..=200 {
                            count.fetch_add(1, Ordering::Relaxed);
                            b.wait().unwrap();
                            assert_eq!(count.load(Ordering::Relaxed), round * WORKERS);
                            b.wait().unwrap();
                        }
                    });
                }
            });
        }
    }

    #[test]
    fn a_broken_barrier_releases_waiters() {
        for patience in &PATIENCE[1..] {
            let b = Barrier::new(3, *patience);
            std::thread::scope(|s| {
                let waiters = [s.spawn(|| b.wait()), s.spawn(|| b.wait())];
                b.break_it();
                for w in waiters {
                    assert_eq!(w.join().unwrap(), Err(Broken));
                }
            });
        }
    }
}
