//! Persistent workers. Each takes the queued jobs in order, as part of a team; between jobs they stay awake for a moment and
//! then sleep, so that an idle session costs nothing.
//!
//! A job runs in *rounds*. A round has a team: the first so many workers. When all of them have left it, the job has ended, or the
//! next round of the same job begins with another team. Workers outside the team sleep.

use super::barrier::{Barrier, Broken, Waited};
use super::memory::{Gate, Ranges};
use super::placement::Placement;
use super::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use super::sync::thread::{Builder, JoinHandle};
use super::sync::{Condvar, Mutex, MutexGuard, Patience, Waiting};
use super::team::{Meter, Sizing};
use super::topology;
use crate::DeviceError;
use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// How long workers stay awake that have a core each: for longer than another program keeps a core from the worker that
/// is waited for. One that sleeps meanwhile has to queue after that program for its own. They do not offer their core
/// either: a scheduler that lets another program have it does so for milliseconds.
pub(crate) const AWAKE: Patience = Patience { spin: Duration::from_millis(10), offer: Duration::ZERO };
/// How long those stay awake that are more than the cores: the one that is waited for may need this core.
pub(crate) const CROWDED: Patience = Patience { spin: Duration::ZERO, offer: Duration::from_micros(50) };
/// Jobs that may be queued at once without the queue growing.
const QUEUE: usize = 64;

/// What a team does together. Every worker of a round's team calls `run` once.
pub(crate) trait Job: Send + Sync {
    /// This worker's part of a round. No other round runs meanwhile. All of a team give the same answer.
    fn run(&self, member: &mut Member<'_>) -> Result<End, Broken>;
    /// Which workers it needs.
    fn needs(&self) -> Needs;
    /// The memory that it touches.
    fn ranges(&self) -> &Ranges;
    /// Called once by the last worker to finish.
    fn finish(&self);
    /// Called when a worker panicked in this job or an earlier one, before `finish`; the job is not whole.
    fn fail(&self);
}

/// How a round ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The job has ended.
    Finished,
    /// The job goes on with another team. It knows where.
    Regroup,
}

/// The workers that a job needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// As many as other programs leave.
    AnyTeam,
    /// Every one.
    AllWorkers,
}

/// A worker in a round.
pub(crate) struct Member<'a> {
    /// Its number; the first is 0.
    pub(crate) worker: u32,
    /// Workers in the round.
    pub(crate) team: u32,
    /// Times that it has looked for another team in this round, and times that it has crossed the barrier.
    looks: u32,
    crossings: u64,
    meter: Meter,
    pool: &'a Shared,
}

impl Member<'_> {
    /// Meets the team at the barrier.
    #[inline]
    pub(crate) fn cross(&mut self) -> Result<(), Broken> {
        self.crossings += 1;
        if self.pool.barrier.wait()? == Waited::Asleep {
            self.meter.slept();
        }
        Ok(())
    }

    /// Says what it lost to other programs since the last time. The first worker then decides how large the team should be;
    /// `true` for it alone, where that is another size. All of the team do this at the same places, before a crossing.
    pub(crate) fn look(&mut self) -> bool {
        self.looks += 1;
        let lost = self.meter.lost();
        if self.worker != 0 {
            if lost > Duration::ZERO {
                self.pool.lost.fetch_add(lost.as_nanos() as u64, Ordering::Relaxed);
            }
            return false;
        }
        let others = Duration::from_nanos(self.pool.lost.swap(0, Ordering::Relaxed));
        let size = match (self.pool.restless.load(Ordering::Relaxed), self.pool.nodes) {
            (0, 1) => self.pool.sizing().observe(Instant::now(), lost + others),
            // Workers of several memory nodes have a place each: the last ones are not those that others disturb.
            (0, _) => self.pool.workers,
            (n, _) => {
                self.pool.restless.store(n.wrapping_add(1).max(1), Ordering::Relaxed);
                n % self.pool.workers + 1
            }
        };
        self.ask(size)
    }

    /// Asks for a team of that size, if this is another; called by the first worker, in a look.
    fn ask(&self, size: u32) -> bool {
        let changes = size != self.team;
        if changes {
            self.pool.change(self.looks, size);
        }
        changes
    }

    /// Has the whole team leave the round at the next crossing; called by the first worker. The caller then does what is left
    /// to do where [`Member::is_last_crossing`] says so, and gives up the job.
    ///
    /// Why all leave at the same crossing: a crossing is named by its number. The first worker writes the number before it comes
    /// to that crossing, so all see it after; who is still at an earlier one sees either nothing or a number that is not its own. The
    /// first worker leaves there too, so there is no second number in a round.
    #[inline]
    pub(crate) fn leave_at_next_crossing(&self) {
        self.pool.last_crossing.store(self.crossings + 1, Ordering::Relaxed);
    }

    /// Whether the team leaves at the crossing that this worker has just made.
    #[inline]
    pub(crate) fn is_last_crossing(&self) -> bool {
        // The barrier orders this after the first worker's write.
        self.pool.last_crossing.load(Ordering::Relaxed) == self.crossings
    }

    /// A look of which the result is known beforehand.
    #[cfg(test)]
    pub(crate) fn look_for(&mut self, size: u32) -> bool {
        self.looks += 1;
        self.worker == 0 && self.ask(size)
    }

    /// Whether the last look, which a crossing has followed, changed the team: then the round ends here.
    #[inline]
    pub(crate) fn regroups(&self) -> bool {
        // By the number of the look: the first worker may be one crossing ahead, and have changed its mind there.
        self.pool.changed.load(Ordering::Relaxed) >> 32 == u64::from(self.looks)
    }
}

/// The state that workers and hosts share.
pub(crate) struct Shared {
    /// Number of workers, and of the memory nodes that they are on.
    workers: u32,
    nodes: usize,
    /// The barrier between commands.
    barrier: Barrier,
    patience: Patience,
    gate: Arc<Gate>,
    /// Number of the newest round.
    announced: AtomicU64,
    /// The look at which the team of this round changes (upper half; they count from 1) and the size from there on.
    changed: AtomicU64,
    /// The crossing at which the team leaves the round (they count from 1); 0 for none.
    last_crossing: AtomicU64,
    /// Nanoseconds that all but the first worker lost to other programs, since the first one took them.
    lost: AtomicU64,
    /// Touched by the first worker only.
    sizing: Mutex<Sizing>,
    /// 0, or the number of the next look, which says the team's size in place of `sizing`.
    restless: AtomicU32,
    queue: Mutex<Queue>,
    /// Where workers of the team wait for a round, and where the others do.
    work: Condvar,
    larger: Condvar,
}

struct Queue {
    jobs: VecDeque<Arc<dyn Job>>,
    /// Number of the newest round, which is one of the front job's, and its team. Rounds count from 1.
    round: u64,
    team: u32,
    /// Workers that have not left it yet; 0 between rounds.
    left: u32,
    /// Size of the next team.
    next_team: u32,
    /// Whether somebody in the round says that the job has ended.
    finished: bool,
    /// Workers that sleep at `work`.
    asleep: u32,
    shutdown: bool,
}

/// The pool.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Says whether a job waits or runs; never, once the pool is gone.
    pub(crate) fn busy(&self) -> impl Fn() -> bool + Send + 'static {
        let shared = Arc::downgrade(&self.shared);
        move || shared.upgrade().is_some_and(|shared| !shared.lock().jobs.is_empty())
    }

    /// Workers at their places.
    pub(crate) fn new(
        placement: Placement,
        patience: Patience,
        gate: Arc<Gate>,
    ) -> Result<Self, DeviceError> {
        let workers = placement.workers.len() as u32;
        let shared = Arc::new(Shared::new(workers, placement.nodes, patience, gate));
        let threads = Vec::with_capacity(workers as usize);
        let mut pool = Self { shared, threads };
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
        self.shared.nodes
    }

    /// From here on every look asks for another team.
    pub(crate) fn make_restless(&self) {
        self.shared.restless.store(1, Ordering::Relaxed);
    }

    pub(crate) fn is_restless(&self) -> bool {
        self.shared.restless.load(Ordering::Relaxed) != 0
    }

    /// Queues a job; waits while hosts access its memory.
    pub(crate) fn submit(&self, job: Arc<dyn Job>) {
        self.shared.gate.enter(job.ranges());
        let mut q = self.shared.lock();
        q.jobs.push_back(job);
        if q.left == 0 {
            self.shared.begin(&mut q);
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let mut q = self.shared.lock();
        q.shutdown = true;
        // Wakes spinning workers too: they look at the queue when the counter moves. It is no round's number, but nobody
        // can submit any more.
        self.shared.announced.store(u64::MAX, Ordering::Release);
        drop(q);
        self.shared.work.notify_all();
        self.shared.larger.notify_all();
        for t in self.threads.drain(..) {
            // A worker catches its jobs' panics, so it ends normally.
            let _ = t.join();
        }
    }
}

impl Shared {
    fn new(workers: u32, nodes: usize, patience: Patience, gate: Arc<Gate>) -> Self {
        let queue = Queue {
            jobs: VecDeque::with_capacity(QUEUE),
            round: 0,
            team: workers,
            left: 0,
            next_team: workers,
            finished: false,
            asleep: 0,
            shutdown: false,
        };
        Self {
            workers,
            nodes,
            barrier: Barrier::new(workers, patience),
            patience,
            gate,
            announced: AtomicU64::new(0),
            changed: AtomicU64::new(0),
            last_crossing: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            sizing: Mutex::new(Sizing::new(workers, Instant::now())),
            restless: AtomicU32::new(0),
            queue: Mutex::new(queue),
            work: Condvar::new(),
            larger: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sizing(&self) -> MutexGuard<'_, Sizing> {
        self.sizing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From this look on the team has that size; called by the first worker before the crossing after its look.
    fn change(&self, look: u32, size: u32) {
        self.changed.store(u64::from(look) << 32 | u64::from(size), Ordering::Relaxed);
        self.lock().next_team = size;
    }

    /// Begins the next round, where there is a job. No round runs.
    fn begin(&self, q: &mut Queue) {
        let Some(job) = q.jobs.front() else { return };
        let before = q.team;
        q.team = match job.needs() {
            Needs::AnyTeam => q.next_team,
            Needs::AllWorkers => self.workers,
        };
        q.round += 1;
        q.left = q.team;
        q.finished = false;
        if q.team != before {
            // What the last team lost is not this one's.
            self.lost.store(0, Ordering::Relaxed);
        }
        self.barrier.begin(q.team);
        self.changed.store(0, Ordering::Relaxed);
        self.last_crossing.store(0, Ordering::Relaxed);
        // The lock orders all of this before whoever takes the round; this only ends their waiting.
        self.announced.store(q.round, Ordering::Release);
        if q.asleep > 0 {
            self.work.notify_all();
        }
        if q.team > before {
            self.larger.notify_all();
        }
    }

    /// The next round after number `last` that worker `w` is in, and its job and team; `None` at shutdown.
    fn next(&self, w: u32, last: u64) -> Option<(u64, u32, Arc<dyn Job>)> {
        let mut waiting = Waiting::new(self.patience);
        while self.announced.load(Ordering::Acquire) <= last && waiting.moment() {}
        let mut q = self.lock();
        loop {
            // A round of which this worker is one does not end without it, so the newest is the one that it has to take.
            if q.round > last
                && w < q.team
                && let Some(job) = q.jobs.front()
            {
                return Some((q.round, q.team, Arc::clone(job)));
            }
            // Jobs that wait still need everybody.
            if q.shutdown && q.jobs.is_empty() {
                return None;
            }
            if w < q.team {
                q.asleep += 1;
                q = self.work.wait(q).unwrap_or_else(PoisonError::into_inner);
                q.asleep -= 1;
            } else {
                // Woken when a team is larger than the one before, and this worker is in none of the smaller ones.
                q = self.larger.wait(q).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// A worker leaves the round. The last one ends it, and begins the next.
    fn leave(&self, end: End) {
        let mut q = self.lock();
        q.finished |= end == End::Finished;
        q.left -= 1;
        if q.left > 0 {
            return;
        }
        let ended = if q.finished { q.jobs.pop_front() } else { None };
        self.begin(&mut q);
        let nothing_left = q.shutdown && q.jobs.is_empty();
        drop(q);
        if nothing_left {
            self.work.notify_all();
            self.larger.notify_all();
        }
        if let Some(job) = ended {
            self.gate.leave(job.ranges());
            job.finish();
        }
    }
}

fn worker(w: u32, shared: &Shared) {
    let mut last = 0;
    while let Some((round, team, job)) = shared.next(w, last) {
        let mut member =
            Member { worker: w, team, looks: 0, crossings: 0, meter: Meter::new(), pool: shared };
        let run = std::panic::AssertUnwindSafe(|| job.run(&mut member));
        // A worker that failed never comes to the barrier again. So no crossing that it misses is ever complete,
        // the others leave this job with `Broken`, and every later job fails without being run.
        let end = match shared.barrier.is_broken() {
            true => None,
            false => std::panic::catch_unwind(run).ok().and_then(Result::ok),
        };
        if end.is_none() {
            shared.barrier.break_it();
            job.fail();
        }
        drop(job);
        shared.leave(end.unwrap_or(End::Finished));
        last = round;
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::super::test_job::{Counted, Work};
    use super::*;

    /// Runs a closure as every worker.
    struct Each<F> {
        run: F,
    }

    impl<F: Fn(u32) + Send + Sync> Work for Each<F> {
        const NEEDS: Needs = Needs::AllWorkers;

        fn run(&self, member: &mut Member<'_>, _: &AtomicU32) -> Result<End, Broken> {
            member.cross()?;
            (self.run)(member.worker);
            member.cross()?;
            Ok(End::Finished)
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

    fn submit<F: Fn(u32) + Send + Sync + 'static>(pool: &Pool, run: F) -> Arc<Counted<Each<F>>> {
        let job = Counted::new(Each { run }, Arc::new([]));
        pool.submit(Arc::<Counted<Each<F>>>::clone(&job));
        job
    }

    #[test]
    fn idle_workers_sleep() {
        for patience in [AWAKE, CROWDED] {
            let pool = pool(vec![Vec::new(); 5], patience);
            for _ in 0..3 {
                let asleep = || pool.shared.lock().asleep == 5;
                assert!(eventually(asleep), "somebody stays awake with nothing to do");
                let finished = submit(&pool, |_| ());
                assert!(eventually(|| finished.count() == 1), "somebody sleeps while there is work");
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
        assert!(eventually(|| finished.count() == 1));
    }

    #[test]
    fn a_panic_fails_this_job_and_all_after_it() {
        let pool = pool(vec![Vec::new(); 3], AWAKE);
        let before = submit(&pool, |_| ());
        let panics = submit(&pool, |w| assert_ne!(w, 1, "meant to fail"));
        let after = submit(&pool, |_| ());
        let counts = || [before.count(), panics.count(), after.count()];
        assert!(eventually(|| counts() == [1, 3001, 3001]), "{:?}", counts());
    }

    /// Steps with given teams. Each worker of a step's team marks it, once.
    struct Steps {
        teams: Vec<u32>,
        at: AtomicU32,
        marks: Vec<AtomicU32>,
    }

    impl Work for Steps {
        fn run(&self, member: &mut Member<'_>, _: &AtomicU32) -> Result<End, Broken> {
            for step in self.at.load(Ordering::Relaxed) as usize..self.teams.len() {
                // All have read where they begin before somebody writes where the next round does.
                member.cross()?;
                let mark = 1 << (8 * member.worker);
                self.marks[step].fetch_add(mark, Ordering::Relaxed);
                let next = self.teams.get(step + 1).copied().unwrap_or(member.team);
                if member.look_for(next) {
                    self.at.store(step as u32 + 1, Ordering::Relaxed);
                }
                member.cross()?;
                if step + 1 < self.teams.len() && member.regroups() {
                    return Ok(End::Regroup);
                }
            }
            Ok(End::Finished)
        }
    }

    #[test]
    fn each_step_is_run_by_its_team() {
        const WORKERS: u32 = 4;
        for patience in [AWAKE, CROWDED] {
            let pool = pool(vec![Vec::new(); WORKERS as usize], patience);
            let mut first = WORKERS;
            for round in 0..12u32 {
                // Every size follows every other, some of them twice.
                let mut teams = vec![first];
                teams.extend((0..40).map(|i| (i * i + round * (i + 1) + i / 3) % WORKERS + 1));
                let marks = teams.iter().map(|_| AtomicU32::new(0)).collect();
                let job = Counted::new(Steps { at: AtomicU32::new(0), marks, teams }, Arc::new([]));
                pool.submit(Arc::<Counted<Steps>>::clone(&job));
                // A job for all, right after it, whatever its last team was.
                let all = Arc::new(AtomicU32::new(0));
                let ran = Arc::clone(&all);
                let after = submit(&pool, move |_| {
                    ran.fetch_add(1, Ordering::Relaxed);
                });
                assert!(eventually(|| after.count() == 1));
                assert_eq!((job.count(), all.load(Ordering::Relaxed)), (1, WORKERS));
                for (step, (mark, team)) in job.work.marks.iter().zip(&job.work.teams).enumerate() {
                    let expected = (0..*team).fold(0, |m, w| m | 1 << (8 * w));
                    assert_eq!(mark.load(Ordering::Relaxed), expected, "round {round}, step {step}");
                }
                first = *job.work.teams.last().unwrap();
            }
        }
    }

    /// Crosses until the first worker has the team leave; notes how often each worker has crossed.
    struct Leaves {
        at: u64,
        crossed: Vec<AtomicU64>,
    }

    impl Work for Leaves {
        fn run(&self, member: &mut Member<'_>, _: &AtomicU32) -> Result<End, Broken> {
            let crossed = &self.crossed[member.worker as usize];
            for n in 1..=20 {
                if member.worker == 0 && n == self.at {
                    member.leave_at_next_crossing();
                }
                member.cross()?;
                crossed.store(n, Ordering::Relaxed);
                if member.is_last_crossing() {
                    break;
                }
            }
            Ok(End::Finished)
        }
    }

    #[test]
    fn a_team_leaves_at_one_crossing() {
        const WORKERS: u32 = 4;
        for patience in [AWAKE, CROWDED] {
            let pool = pool(vec![Vec::new(); WORKERS as usize], patience);
            // One after the other: what one has left must not reach the next.
            for at in (1..=20).chain([1, 99, 1]) {
                let crossed = (0..WORKERS).map(|_| AtomicU64::new(0)).collect();
                let job = Counted::new(Leaves { at, crossed }, Arc::new([]));
                pool.submit(Arc::<Counted<Leaves>>::clone(&job));
                assert!(eventually(|| job.count() == 1), "{at}: {}", job.count());
                let crossed: Vec<u64> = job.work.crossed.iter().map(|c| c.load(Ordering::Relaxed)).collect();
                assert_eq!(crossed, [at.min(20); WORKERS as usize]);
            }
        }
    }

    #[test]
    fn a_pool_that_is_dropped_does_what_was_queued() {
        let finished: Vec<_> = {
            let pool = pool(vec![Vec::new(); 3], CROWDED);
            (0..20).map(|_| submit(&pool, |_| std::thread::sleep(Duration::from_micros(100)))).collect()
        };
        assert!(finished.iter().all(|f| f.count() == 1));
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
        assert!(eventually(|| finished.count() == 1));
        assert_eq!(*seen.lock().unwrap(), [last, all]);
    }
}
