//! Persistent workers. Each takes the queued jobs in order, all together; between jobs they spin for a moment and
//! then park, so that an idle session costs nothing.

use super::barrier::{Barrier, Broken};
use super::memory::{Gate, Ranges};
use crate::DeviceError;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Spins on the submission counter before a worker parks: about the time between two chunks of a stream.
const SPINS_BEFORE_PARK: u32 = 20_000;
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
    gate: Arc<Gate>,
    submitted: AtomicU64,
    queue: Mutex<Queue>,
    work: Condvar,
}

struct Queue {
    jobs: VecDeque<Entry>,
    /// Number of the front job.
    first: u64,
    shutdown: bool,
}

struct Entry {
    job: Arc<dyn Job>,
    left: u32,
}

/// The pool.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    pub(crate) fn new(workers: u32, gate: Arc<Gate>) -> Result<Self, DeviceError> {
        let shared = Arc::new(Shared {
            workers,
            barrier: Barrier::new(workers),
            gate,
            submitted: AtomicU64::new(0),
            queue: Mutex::new(Queue { jobs: VecDeque::with_capacity(QUEUE), first: 0, shutdown: false }),
            work: Condvar::new(),
        });
        let mut pool = Self { shared, threads: Vec::with_capacity(workers as usize) };
        for w in 0..workers {
            let shared = Arc::clone(&pool.shared);
            let thread = std::thread::Builder::new()
                .name(format!("akunu-{w}"))
                .spawn(move || worker(w, &shared))
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

    /// Queues a job; waits while hosts access its memory.
    pub(crate) fn submit(&self, job: Arc<dyn Job>) {
        self.shared.gate.enter(job.ranges());
        let mut q = self.shared.lock();
        q.jobs.push_back(Entry { job, left: self.shared.workers });
        self.shared.submitted.fetch_add(1, Ordering::Release);
        drop(q);
        self.shared.work.notify_all();
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
    fn lock(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Job number `n`, when it comes; `None` at shutdown.
    fn next(&self, n: u64) -> Option<Arc<dyn Job>> {
        let mut spins = 0;
        while self.submitted.load(Ordering::Acquire) <= n && spins < SPINS_BEFORE_PARK {
            spins += 1;
            std::hint::spin_loop();
        }
        let mut q = self.lock();
        loop {
            // A worker asks for job n only after doing its part of n - 1, so n is never behind the front.
            if let Some(e) = q.jobs.get((n - q.first) as usize) {
                return Some(Arc::clone(&e.job));
            }
            if q.shutdown {
                return None;
            }
            q = self.work.wait(q).unwrap_or_else(PoisonError::into_inner);
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
