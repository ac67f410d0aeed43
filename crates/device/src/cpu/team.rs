//! How many workers run a step together: all, unless other programs use their cores.
//!
//! A team meets at every barrier, some hundred times a token. A worker whose core another program has for a few milliseconds
//! holds up the others for as long, and a step of two workers beside two busy programs can take a hundred times the step of one.
//! So each worker compares the time that passed with the time that its thread ran. Where too much is lost, the team gives up the
//! workers that it lost, and later tries to have them back.

use std::time::{Duration, Instant};

/// Time over which losses are added up. The system itself, and programs that do something now and then, take a core for some
/// milliseconds; giving up a worker for so little would cost more than waiting.
const WINDOW: Duration = Duration::from_millis(60);
/// A team that has just become larger is given up sooner, when it has lost so much: it was too large a moment ago.
const LEAST: Duration = Duration::from_millis(8);
/// A smaller team is worth it where the workers of this one lose more than this share of one worker's time.
const SHARE: f64 = 0.25;
/// How long the first attempt to have more workers again is put off. Each one that fails doubles it, up to `LATEST`.
const FIRST: Duration = Duration::from_millis(50);
const LATEST: Duration = Duration::from_secs(2);
/// An attempt has not failed if the team lasts so long.
const LASTING: Duration = Duration::from_secs(1);

/// Decides how many workers run; kept by the first worker.
#[derive(Debug)]
pub(crate) struct Sizing {
    workers: u32,
    size: u32,
    /// Start of the window, and what was lost in it.
    window: Instant,
    lost: Duration,
    /// When the team last became larger.
    grown: Option<Instant>,
    /// When to try a larger team.
    retry: Instant,
    delay: Duration,
}

impl Sizing {
    /// All workers.
    pub(crate) fn new(workers: u32, now: Instant) -> Self {
        let lost = Duration::ZERO;
        Self { workers, size: workers, window: now, lost, grown: None, retry: now, delay: FIRST }
    }

    /// Takes what the workers lost since the last call; gives the size of the team from here on.
    pub(crate) fn observe(&mut self, now: Instant, lost: Duration) -> u32 {
        self.lost += lost;
        let elapsed = now.duration_since(self.window);
        // Losses are known after they happened, so a short window can get some of the time before it.
        let share = self.lost.as_secs_f64() / elapsed.max(LEAST).as_secs_f64();
        let seen_enough = elapsed >= WINDOW || self.lost >= LEAST && self.is_new(now);
        if self.size > 1 && seen_enough && share >= SHARE {
            self.shrink(now, share);
        } else if self.size < self.workers && now >= self.retry {
            self.size += (self.workers - self.size).div_ceil(2);
            self.grown = Some(now);
            self.retry = now + FIRST;
            self.begin(now);
        } else if elapsed >= WINDOW {
            self.begin(now);
        }
        self.size
    }

    /// Gives up as many workers as there seem to be busy programs: each takes half of a core that it shares with a worker.
    fn shrink(&mut self, now: Instant, share: f64) {
        let programs = (2.0 * share).round().max(1.0) as u32;
        self.size = self.size.saturating_sub(programs).max(1);
        self.delay = if self.is_new(now) { (self.delay * 2).min(LATEST) } else { FIRST };
        self.retry = now + self.delay;
        self.begin(now);
    }

    /// Whether the team became larger a short time ago.
    fn is_new(&self, now: Instant) -> bool {
        self.grown.is_some_and(|grown| now.duration_since(grown) < LASTING)
    }

    fn begin(&mut self, now: Instant) {
        self.window = now;
        self.lost = Duration::ZERO;
    }
}

/// What a worker loses to other programs.
#[derive(Debug)]
pub(crate) struct Meter {
    /// When it was last looked at, and how long the thread had run then; `None` where that cannot be known.
    since: Option<(Instant, Duration)>,
}

impl Meter {
    pub(crate) fn new() -> Self {
        Self { since: mark() }
    }

    /// The thread slept: what has passed since the last look says nothing.
    pub(crate) fn slept(&mut self) {
        self.since = None;
    }

    /// Time since the last look in which the thread could have run and did not.
    pub(crate) fn lost(&mut self) -> Duration {
        let (before, now) = (self.since, mark());
        self.since = now;
        match (before, now) {
            (Some((t0, ran0)), Some((t1, ran1))) => (t1 - t0).saturating_sub(ran1.saturating_sub(ran0)),
            _ => Duration::ZERO,
        }
    }
}

/// The time, and how long this thread has run.
fn mark() -> Option<(Instant, Duration)> {
    thread_time().map(|ran| (Instant::now(), ran))
}

#[cfg(unix)]
fn thread_time() -> Option<Duration> {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is a timespec that may be written.
    let rc = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) };
    let (seconds, nanos) = (u64::try_from(t.tv_sec).ok()?, u32::try_from(t.tv_nsec).ok()?);
    (rc == 0).then(|| Duration::new(seconds, nanos))
}

#[cfg(not(unix))]
fn thread_time() -> Option<Duration> {
    None
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    /// A machine on which each worker beyond `free` loses half of its time. Runs for so many milliseconds and gives the
    /// size of the team after each.
    fn run(sizing: &mut Sizing, now: &mut Instant, free: u32, milliseconds: u32) -> Vec<u32> {
        let mut sizes = Vec::new();
        let mut size = sizing.size;
        for _ in 0..milliseconds {
            *now += Duration::from_millis(1);
            size = sizing.observe(*now, Duration::from_micros(500) * size.saturating_sub(free));
            sizes.push(size);
        }
        sizes
    }

    #[test]
    fn a_quiet_machine_keeps_all_workers() {
        let mut now = Instant::now();
        let mut sizing = Sizing::new(8, now);
        // A tenth of one worker's time goes to the system.
        for _ in 0..10_000 {
            now += Duration::from_millis(1);
            assert_eq!(sizing.observe(now, Duration::from_micros(100)), 8);
        }
        // Interruptions of ten milliseconds, one in each window.
        for _ in 0..100 {
            now += Duration::from_millis(61);
            assert_eq!(sizing.observe(now, Duration::from_millis(10)), 8);
        }
    }

    #[test]
    fn busy_programs_get_their_cores_within_a_window() {
        for (workers, free, least) in [(2, 1, 1), (2, 0, 1), (16, 15, 14), (16, 12, 10), (64, 40, 36)] {
            let mut now = Instant::now();
            let mut sizing = Sizing::new(workers, now);
            let sizes = run(&mut sizing, &mut now, free, 60);
            let smallest = *sizes.iter().min().unwrap();
            assert!((least..=free.max(1)).contains(&smallest), "{workers} workers, {free} free: {smallest}");
        }
    }

    #[test]
    fn attempts_to_grow_become_rare_while_programs_stay() {
        for (workers, free) in [(2, 1), (2, 0), (16, 15), (16, 8)] {
            let mut now = Instant::now();
            let mut sizing = Sizing::new(workers, now);
            run(&mut sizing, &mut now, free, 10_000);
            let sizes = run(&mut sizing, &mut now, free, 20_000);
            let crowded = sizes.iter().filter(|s| **s > free.max(1)).count();
            assert!(
                crowded <= 600,
                "{workers} workers, {free} free: {crowded} of 20,000 ms too many workers"
            );
        }
    }

    #[test]
    fn all_workers_come_back_when_the_programs_end() {
        for (workers, free) in [(2, 0), (16, 12), (64, 1)] {
            let mut now = Instant::now();
            let mut sizing = Sizing::new(workers, now);
            run(&mut sizing, &mut now, free, 10_000);
            let sizes = run(&mut sizing, &mut now, workers, 2_500);
            assert_eq!(*sizes.last().unwrap(), workers);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_thread_that_runs_loses_little_and_one_that_slept_says_nothing() {
        let mut meter = Meter::new();
        std::thread::sleep(Duration::from_millis(30));
        // Sleeping without saying so looks like a loss.
        assert!(meter.lost() >= Duration::from_millis(29));
        std::thread::sleep(Duration::from_millis(30));
        meter.slept();
        assert_eq!(meter.lost(), Duration::ZERO);
        let (start, before) = (Instant::now(), thread_time().unwrap());
        while thread_time().unwrap() - before < Duration::from_millis(5) {}
        let (lost, passed) = (meter.lost(), start.elapsed());
        assert!(lost <= passed.saturating_sub(Duration::from_millis(4)), "{lost:?} of {passed:?}");
    }
}
