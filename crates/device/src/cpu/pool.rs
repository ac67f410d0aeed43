//! Persistent workers. Each takes the queued jobs in order, all together; between jobs they stay awake for a
//! moment and then sleep, so that an idle session costs nothing.

use super::barrier::{Barrier, Broken};
use super::memory::{Gate, Ranges};
use super::placement::Placement;
use super::sync::atomic::{AtomicU64, Ordering};
use super::sync::thread::{Builder, JoinHandle};
use super::sync::{Condvar, Mutex, MutexGuard, Patience, Waiting};
use super::topology;
use crate::DeviceError;
use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// How long workers stay awake that have a core each: for longer than another program keeps a core from the worker that
/// is waited for. One that sleeps meanwhile has to queue behind that program for its own. They do not offer their core
/// either: a scheduler that lets another program have it does so for milliseconds.
pub(crate) const AWAKE: Patience = Patience { spin: Duration::from_millis(10), offer: Duration::ZERO };
/// How long those stay awake that are more than the cores: the one that is waited for may need this core.
pub(crate) const CROWDED: Patience = Patience { spin: Duration::ZERO, offer: Duration::from_micros(50) };
/// Jobs that may be queued at once without the queue growing.
const QUEUE: usize = 64;

/// What all workers do together. Every worker calls `run` once.
pub(crate) trait Job: Send + Sync {
    /// This worker's part. Begins with a crossing of the barrier: another worker may still end the job before.
    fn run(&self, worker: u32, pool: &Shared) -> Result<(), Broken>;
    /// The memory that it touches.
    fn ranges(&self) -> &Ranges;
    /// Called once by the last worker to finish.
    fn finish(&self);
    /// Called when a worker panicked in this job or an earlier one, before `finish`; the job is not whole.
    fn fail(&self);
}

/// The state that workers and hosts share.
pub(crate) struct Shared {
    /// Number of workers.
    pub(crate) workers: u32,
    /// The barrier between commands.
    pub(crate) barrier: Barrier,
    patience: Patience,
    gate: Arc<Gate>,
    submitted: AtomicU64,
    queue: Mutex<Queue>,
    work: Condvar,
}

struct Queue {
    jobs: VecDeque<Entry>,
    /// Number of the front job.
    first: u64,
    /// Workers that sleep until there is work.
    asleep: u32,
    shutdown: bool,
}

struct Entry {
    job: Arc<dyn Job>,
    left: u32,
}

/// The pool.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    nodes: usize,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Workers at their places.
    pub(crate) fn new(
        placement: Placement,
        patience: Patience,
        gate: Arc<Gate>,
    ) -> Result<Self, DeviceError> {
        let workers = placement.workers.len() as u32;
        let shared = Arc::new(Shared {
            workers,
            barrier: Barrier::new(workers, patience),
            patience,
            gate,
            submitted: AtomicU64::new(0),
            queue: Mutex::new(Queue {
                jobs: VecDeque::with_capacity(QUEUE),
                first: 0,
                asleep: 0,
                shutdown: false,
            }),
            work: Condvar::new(),
        });
        let threads = Vec::with_capacity(workers as usize);
        let mut pool = Self { shared, nodes: placement.nodes, threads };
        for (w, processors) in (0u32..).zip(placement.workers) {
            let shared = Arc::clone(&pool.shared);
            let run = move || {
                topology::bind(&processors);
                worker(w, &shared);
            };
            let thread = Builder::new()
                .name(format!("akunu-{w}"))
                .spawn(run)
                .map_err(|source| DeviceError::Threads { threads: workers, source })?;
            pool.threads.push(thread);
        }
        Ok(pool)
    }

    /// The gate of its device.
    pub(crate) fn gate(&self) -> &Arc<Gate> {
        &self.shared.gate
    }

    pub(crate) fn workers(&self) -> u32 {
        self.shared.workers
    }

    /// Memory nodes that its workers are on.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes
    }

    /// Queues a job; waits while hosts access its memory.
    pub(crate) fn submit(&self, job: Arc<dyn Job>) {
        self.shared.gate.enter(job.ranges());
        let mut q = self.shared.lock();
        q.jobs.push_back(Entry { job, left: self.shared.workers });
        self.shared.submitted.fetch_add(1, Ordering::Release);
        let asleep = q.asleep > 0;
        drop(q);
        if asleep {
            self.shared.work.notify_all();
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().shutdown = true;
        // Wakes spinning workers too: they look at the queue when the counter moves.
        self.shared.submitted.fetch_add(1, Ordering::Release);
        self.shared.work.notify_all();
        for t in self.threads.drain(..) {
            // A worker catches its jobs' panics, so it ends normally.
            let _ = t.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Job number `n`, when it comes; `None` at shutdown.
    fn next(&self, n: u64) -> Option<Arc<dyn Job>> {
        let mut waiting = Waiting::new(self.patience);
        while self.submitted.load(Ordering::Acquire) <= n && waiting.moment() {}
        let mut q = self.lock();
        loop {
            // A worker asks for job n only after doing its part of n - 1, so n is never behind the front.
            if let Some(e) = q.jobs.get((n - q.first) as usize) {
                return Some(Arc::clone(&e.job));
            }
            if q.shutdown {
                return None;
            }
            q.asleep += 1;
            q = self.work.wait(q).unwrap_or_else(PoisonError::into_inner);
            q.asleep -= 1;
        }
    }

    /// This worker's part of job `n` is done; the last one retires it.
    fn done(&self, n: u64) {
        let mut q = self.lock();
        let i = (n - q.first) as usize;
        let Some(e) = q.jobs.get_mut(i) else { return };
        e.left -= 1;
        if e.left > 0 {
            return;
        }
        // Every worker does jobs in order, so the first to be complete is the front.
        let entry = q.jobs.pop_front();
        q.first += 1;
        drop(q);
        if let Some(e) = entry {
            self.gate.leave(e.job.ranges());
            e.job.finish();
        }
    }
}

fn worker(w: u32, shared: &Shared) {
    let mut n = 0;
    while let Some(job) = shared.next(n) {
        let run = std::panic::AssertUnwindSafe(|| job.run(w, shared));
        // A worker that failed never comes to the barrier again. So no crossing that it misses is ever complete,
        // the others leave this job with `Broken`, and every later job fails without being run.
        let whole = !shared.barrier.is_broken() && matches!(std::panic::catch_unwind(run), Ok(Ok(())));
        if !whole {
            shared.barrier.break_it();
            job.fail();
        }
        drop(job);
        shared.done(n);
        n += 1;
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    /// Runs a closure as every worker.
    struct Each<F> {
        run: F,
        ranges: Ranges,
        finished: Arc<AtomicU32>,
    }

    impl<F: Fn(u32) + Send + Sync> Job for Each<F> {
        fn run(&self, worker: u32, pool: &Shared) -> Result<(), Broken> {
            pool.barrier.wait()?;
            (self.run)(worker);
            pool.barrier.wait()
        }

        fn ranges(&self) -> &Ranges {
            &self.ranges
        }

        fn finish(&self) {
            self.finished.fetch_add(1, Ordering::Release);
        }

        fn fail(&self) {
            self.finished.fetch_add(1000, Ordering::Release);
        }
    }

    fn pool(workers: Vec<Vec<u32>>, patience: Patience) -> Pool {
        Pool::new(Placement { workers, nodes: 1 }, patience, Arc::default()).unwrap()
    }

    /// Looks again and again; gives up after a time that only a failure takes.
    fn eventually(what: impl Fn() -> bool) -> bool {
        (0..10_000).any(|_| {
            std::thread::sleep(Duration::from_millis(1));
            what()
        })
    }

    fn submit(pool: &Pool, run: impl Fn(u32) + Send + Sync + 'static) -> Arc<AtomicU32> {
        let finished = Arc::new(AtomicU32::new(0));
        pool.submit(Arc::new(Each { run, ranges: Arc::new([]), finished: Arc::clone(&finished) }));
        finished
    }

    #[test]
    fn idle_workers_sleep() {
        for patience in [AWAKE, CROWDED] {
            let pool = pool(vec![Vec::new(); 5], patience);
            for _ in 0..3 {
                let asleep = || pool.shared.lock().asleep == 5;
                assert!(eventually(asleep), "somebody stays awake with nothing to do");
                let finished = submit(&pool, |_| ());
                assert!(
                    eventually(|| finished.load(Ordering::Acquire) == 1),
                    "somebody sleeps while there is work"
                );
            }
        }
    }

    #[test]
    fn workers_sleep_while_one_works_for_long() {
        let pool = pool(vec![Vec::new(); 3], AWAKE);
        let released = Arc::new(AtomicU32::new(0));
        let held = Arc::clone(&released);
        // Worker 0 holds the others at the barrier that ends the job.
        let finished = submit(&pool, move |w| {
            while w == 0 && held.load(Ordering::Relaxed) == 0 {
                std::thread::yield_now();
            }
        });
        assert!(eventually(|| pool.shared.barrier.sleeping()), "somebody stays awake at a barrier");
        released.store(1, Ordering::Relaxed);
        assert!(eventually(|| finished.load(Ordering::Acquire) == 1));
    }

    #[test]
    fn a_panic_fails_this_job_and_all_after_it() {
        let pool = pool(vec![Vec::new(); 3], AWAKE);
        let before = submit(&pool, |_| ());
        let panics = submit(&pool, |w| assert_ne!(w, 1, "meant to fail"));
        let after = submit(&pool, |_| ());
        for (finished, value) in [(before, 1), (panics, 3001), (after, 3001)] {
            assert!(eventually(|| finished.load(Ordering::Acquire) == value), "{finished:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn workers_run_where_they_are_bound() {
        let all = topology::affinity();
        let last = vec![*all.last().unwrap()];
        let pool = pool(vec![last.clone(), Vec::new()], AWAKE);
        let seen = Arc::new(std::sync::Mutex::new(vec![Vec::new(); 2]));
        let theirs = Arc::clone(&seen);
        let finished = submit(&pool, move |w| theirs.lock().unwrap()[w as usize] = topology::affinity());
        assert!(eventually(|| finished.load(Ordering::Acquire) == 1));
        assert_eq!(*seen.lock().unwrap(), [last, all]);
    }
}
