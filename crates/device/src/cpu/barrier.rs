//! The barrier between commands: workers count up one number and spin until it is a multiple of their count.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Spins before a waiting worker offers its core to others: a machine with more runnable threads than cores
/// would otherwise spend whole time slices waiting for a worker that cannot run.
const SPINS_BEFORE_YIELD: u32 = 4000;

/// A barrier for a fixed number of workers. A worker that fails breaks it, so that no other waits for ever.
#[derive(Debug)]
pub(crate) struct Barrier {
    workers: u64,
    arrived: AtomicU64,
    broken: AtomicBool,
}

/// The barrier was broken by a failed worker.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Broken;

impl Barrier {
    pub(crate) fn new(workers: u32) -> Self {
        Self { workers: u64::from(workers), arrived: AtomicU64::new(0), broken: AtomicBool::new(false) }
    }

    /// Waits for every worker. All that a worker did before is visible to every worker after.
    ///
    /// Why it is right: the k-th crossing ends when `arrived` reaches k x workers. No worker can add for
    /// crossing k + 1 before crossing k is over, so a worker's own ticket tells which crossing it is in. The
    /// additions form one release sequence, so reading the final count acquires every worker's writes.
    pub(crate) fn wait(&self) -> Result<(), Broken> {
        if self.workers == 1 {
            return Ok(());
        }
        let ticket = self.arrived.fetch_add(1, Ordering::AcqRel);
        let target = (ticket / self.workers + 1) * self.workers;
        let mut spins = 0;
        while self.arrived.load(Ordering::Acquire) < target {
            spins += 1;
            if spins < SPINS_BEFORE_YIELD {
                std::hint::spin_loop();
            } else {
                if self.is_broken() {
                    return Err(Broken);
                }
                spins = 0;
                std::thread::yield_now();
            }
        }
        Ok(())
    }

    /// Whether a worker failed. Then a crossing proves nothing any more, and nobody may begin one.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    /// Releases every waiter with an error, for good.
    pub(crate) fn break_it(&self) {
        self.broken.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    #[test]
    fn no_worker_runs_ahead() {
        const WORKERS: u32 = 4;
        let (b, count) = (Barrier::new(WORKERS), AtomicU32::new(0));
        std::thread::scope(|s| {
            for _ in 0..WORKERS {
                s.spawn(|| {
                    for round in 1..=2000 {
                        count.fetch_add(1, Ordering::Relaxed);
                        b.wait().unwrap();
                        assert_eq!(count.load(Ordering::Relaxed), round * WORKERS);
                        b.wait().unwrap();
                    }
                });
            }
        });
    }

    #[test]
    fn a_broken_barrier_releases_waiters() {
        let b = Barrier::new(2);
        std::thread::scope(|s| {
            let waiter = s.spawn(|| b.wait());
            b.break_it();
            assert_eq!(waiter.join().unwrap(), Err(Broken));
        });
    }
}
