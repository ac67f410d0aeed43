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
/// As much of one worker's time in a team of any age, where the workers lose `MUCH` of it: nothing but other programs does that.
const CLEAR: Duration = Duration::from_millis(16);
const MUCH: f64 = 0.6;
/// What a worker loses at a time to another program; the system's own work takes less.
const SLICE: Duration = Duration::from_micros(500);
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
    /// Whether that has failed.
    failed: bool,
    /// When to try a larger team.
    retry: Instant,
    delay: Duration,
}

impl Sizing {
    /// All workers.
    pub(crate) fn new(workers: u32, now: Instant) -> Self {
        let lost = Duration::ZERO;
        Self {
            workers,
            size: workers,
            window: now,
            lost,
            grown: None,
            failed: false,
            retry: now,
            delay: FIRST,
        }
    }

    /// Takes what the workers lost since the last call; gives the size of the team from here on.
    pub(crate) fn observe(&mut self, now: Instant, lost: Duration) -> u32 {
        self.lost += lost;
        let elapsed = now.duration_since(self.window);
        // Losses are known after they happened, so a short window can get some of the time before it.
        let share = self.lost.as_secs_f64() / elapsed.max(LEAST).as_secs_f64();
        let seen_enough = elapsed >= WINDOW
            || self.lost >= LEAST && self.is_new(now)
            || self.lost >= CLEAR && share >= MUCH;
        if self.size > 1 && seen_enough && share >= SHARE {
            self.shrink(now, share);
        } else if self.size < self.workers && now >= self.retry {
            self.size += (self.workers - self.size).div_ceil(2);
            (self.grown, self.failed) = (Some(now), false);
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
        if !self.is_new(now) {
            self.delay = FIRST;
        } else if !std::mem::replace(&mut self.failed, true) {
            self.delay = (self.delay * 2).min(LATEST);
        }
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
    /// The last look; `None` where nothing is known of it.
    since: Option<Mark>,
    /// What was missing at the last look without an interruption: that may have come in the middle of the look, when the
    /// interruptions had been counted.
    early: Duration,
}

impl Meter {
    pub(crate) fn new() -> Self {
        Self { since: mark(), early: Duration::ZERO }
    }

    /// The thread slept: what has passed since the last look says nothing.
    pub(crate) fn slept(&mut self) {
        (self.since, self.early) = (None, Duration::ZERO);
    }

    /// Time since the last look in which the thread could have run and another one had its core.
    pub(crate) fn lost(&mut self) -> Duration {
        let (before, now) = (self.since, mark());
        self.since = now;
        let early = std::mem::take(&mut self.early);
        let (Some(before), Some(now)) = (before, now) else { return Duration::ZERO };
        // A thread that waited, for a page of a file perhaps, gave its core away.
        let (waited, interrupted) = (now.waits != before.waits, now.interrupts != before.interrupts);
        let lost = (now.time - before.time).saturating_sub(now.ran.saturating_sub(before.ran));
        let lost = if waited || lost < SLICE { Duration::ZERO } else { lost };
        if interrupted {
            return early + lost;
        }
        self.early = lost;
        Duration::ZERO
    }
}

/// The time, how long this thread has run, and how often it gave its core away or lost it.
#[derive(Clone, Copy, Debug)]
struct Mark {
    time: Instant,
    ran: Duration,
    waits: i64,
    interrupts: i64,
}

#[cfg(target_os = "linux")]
fn mark() -> Option<Mark> {
    // SAFETY: an all-zero value is valid for this plain structure of the C interface.
    let mut u: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `u` is a rusage that may be written.
    if unsafe { libc::getrusage(libc::RUSAGE_THREAD, &mut u) } != 0 {
        return None;
    }
    // Times in a rusage are those of the last tick; this clock goes to the moment.
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is a timespec that may be written.
    if unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) } != 0 {
        return None;
    }
    let ran = Duration::new(u64::try_from(t.tv_sec).ok()?, u32::try_from(t.tv_nsec).ok()?);
    // These counts have the width of the machine.
    #[allow(clippy::useless_conversion, reason = "they are narrower on machines of 32 bits")]
    let (waits, interrupts) = (i64::from(u.ru_nvcsw), i64::from(u.ru_nivcsw));
    Some(Mark { time: Instant::now(), ran, waits, interrupts })
}

/// Other systems do not tell how a single thread fares; there all workers always run.
#[cfg(not(target_os = "linux"))]
fn mark() -> Option<Mark> {
    None
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    #[cfg(target_os = "linux")]
    use crate::cpu::topology;

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
        // A tenth of one worker's time goes to services.
        for i in 0..10_000 {
            now += Duration::from_millis(1);
            let lost = if i % 50 == 0 { 5 } else { 0 };
            assert_eq!(sizing.observe(now, Duration::from_millis(lost)), 8);
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

    #[cfg(target_os = "linux")]
    #[test]
    fn only_what_others_take_is_lost() {
        let mut meter = Meter::new();
        // A thread that sleeps, or waits for a file, gives its core away.
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(meter.lost(), Duration::ZERO);
        std::thread::sleep(Duration::from_millis(20));
        meter.slept();
        assert_eq!(meter.lost(), Duration::ZERO);
        let ran = |m: &Option<Mark>| m.unwrap().ran;
        let (start, before) = (Instant::now(), mark());
        while ran(&mark()) - ran(&before) < Duration::from_millis(5) {}
        let (lost, passed) = (meter.lost(), start.elapsed());
        assert!(lost <= passed.saturating_sub(Duration::from_millis(4)), "{lost:?} of {passed:?}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_that_shares_its_core_loses_time() {
        let core = topology::affinity()[0];
        let threads = (0..4).map(|_| {
            std::thread::spawn(move || {
                topology::bind(&[core]);
                let (mut meter, start, mut lost) = (Meter::new(), Instant::now(), Duration::ZERO);
                while start.elapsed() < Duration::from_millis(300) {
                    lost += meter.lost();
                }
                lost
            })
        });
        // Four threads on one core: each lacks most of the time.
        let lost: Vec<Duration> =
            threads.collect::<Vec<_>>().into_iter().map(|t| t.join().unwrap()).collect();
        assert!(lost.iter().all(|l| *l >= Duration::from_millis(100)), "{lost:?}");
    }
}
