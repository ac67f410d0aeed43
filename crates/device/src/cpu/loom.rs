//! The protocols between workers and hosts, run by `loom` under every order of events that the memory model allows
//! (CONTRIBUTING.md has the command). Cells stand for the memory that a protocol guards: `loom` fails where two
//! threads could use one at the same time, where an assertion could fail, and where all threads could wait for ever.

use super::barrier::{Barrier, Broken};
use super::memory::{Gate, Ranges, Writes};
use super::placement::Placement;
use super::pool::{End, Member, Needs, Pool};
use super::stream::CpuStream;
use super::sync::Patience;
use super::test_job::{Counted, Work};
use crate::{Drawn, Stream};
use akunu_kernels::step::{SeqIndex, Token};
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use loom::thread;
use std::sync::Arc;
use std::time::Duration;

/// Looks once more before it sleeps.
const AWAKE: Patience = Patience { spin: Duration::ZERO, offer: Duration::MAX };
/// Sleeps at once.
const ASLEEP: Patience = Patience { spin: Duration::ZERO, offer: Duration::ZERO };

/// Runs a model; `switches` is how often a running thread may be interrupted in one execution.
fn check(switches: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut b = loom::model::Builder::new();
    b.preemption_bound = Some(switches);
    b.check(model);
}

/// One number per worker, that the worker alone writes between two crossings, and all read between two others.
struct Cells(Vec<UnsafeCell<u32>>);

// SAFETY: the cells are `loom`'s, which fails the model where two threads meet in one.
unsafe impl Sync for Cells {}

impl Cells {
    fn new(n: u32) -> Self {
        Self((0..n).map(|_| UnsafeCell::new(0)).collect())
    }

    fn add(&self, i: u32) {
        // SAFETY: `loom` fails the model if anybody else has the cell now.
        self.0[i as usize].with_mut(|p| unsafe { *p += 1 });
    }

    fn all_are(&self, value: u32) -> bool {
        // SAFETY: `loom` fails the model if anybody writes the cell now.
        self.0.iter().all(|c| c.with(|p| unsafe { *p == value }))
    }
}

fn crossings(workers: u32, rounds: u32, patience: Patience, switches: usize) {
    check(switches, move || {
        let shared = Arc::new((Barrier::new(workers, patience), Cells::new(workers)));
        let worker = |w: u32| {
            let shared = Arc::clone(&shared);
            move || {
                let (barrier, cells) = &*shared;
                for round in 1..=rounds {
                    cells.add(w);
                    assert!(barrier.wait().is_ok());
                    assert!(cells.all_are(round));
                    if round < rounds {
                        assert!(barrier.wait().is_ok());
                    }
                }
            }
        };
        let others: Vec<_> = (1..workers).map(|w| thread::spawn(worker(w))).collect();
        worker(0)();
        others.into_iter().for_each(|t| t.join().unwrap());
    });
}

#[test]
fn a_crossing_orders_all_before_it_and_all_after_it() {
    crossings(2, 2, AWAKE, 4);
    crossings(3, 1, AWAKE, 2);
}

#[test]
fn no_sleeper_is_forgotten() {
    crossings(2, 3, ASLEEP, 4);
    crossings(3, 2, ASLEEP, 2);
}

#[test]
fn a_broken_barrier_releases_every_waiter() {
    for patience in [AWAKE, ASLEEP] {
        check(3, move || {
            let barrier = Arc::new(Barrier::new(3, patience));
            let waiter = |b: &Arc<Barrier>| {
                let b = Arc::clone(b);
                thread::spawn(move || b.wait())
            };
            let waiters = [waiter(&barrier), waiter(&barrier)];
            barrier.break_it();
            for w in waiters {
                assert_eq!(w.join().unwrap(), Err(Broken));
            }
        });
    }
}

fn addresses() -> Ranges {
    let all = 64..128;
    Arc::new([all])
}

#[test]
fn the_gate_keeps_hosts_and_jobs_apart() {
    check(4, || {
        let shared = Arc::new((Gate::default(), Cells::new(1)));
        let job = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let ranges = addresses();
                shared.0.enter(&ranges);
                shared.1.add(0);
                shared.0.leave(&ranges);
            })
        };
        let writer = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                // The last byte of the job's, and some after it.
                if let Ok(_access) = shared.0.host_enter(127..130, Writes::Yes) {
                    shared.1.add(0);
                }
            })
        };
        // Refused while the other host writes; nobody waits for a host but jobs.
        if let Ok(_access) = shared.0.host_enter(100..128, Writes::No) {
            let _ = shared.1.all_are(1);
        }
        job.join().unwrap();
        writer.join().unwrap();
    });
}

/// Adds one to each worker's cell; all read all of them after a crossing.
struct Count {
    cells: Arc<Cells>,
    number: u32,
}

impl Work for Count {
    const NEEDS: Needs = Needs::AllWorkers;

    fn run(&self, member: &mut Member<'_>, ended: &AtomicU32) -> Result<End, Broken> {
        self.cells.add(member.worker);
        member.cross()?;
        if !self.cells.all_are(self.number) {
            ended.fetch_add(100, Ordering::Relaxed);
        }
        Ok(End::Finished)
    }
}

/// So many jobs by two workers; then a host reads what they wrote.
fn jobs(number: u32, patience: Patience, switches: usize) {
    check(switches, move || {
        let gate = Arc::new(Gate::default());
        let cells = Arc::new(Cells::new(2));
        let placement = Placement { workers: vec![Vec::new(); 2], nodes: 1 };
        let pool = Pool::new(placement, patience, Arc::clone(&gate)).unwrap();
        let jobs: Vec<_> = (1..=number)
            .map(|number| Counted::new(Count { cells: Arc::clone(&cells), number }, addresses()))
            .collect();
        for job in &jobs {
            pool.submit(Arc::<Counted<Count>>::clone(job));
        }
        let access = gate.host_enter(64..65, Writes::Yes);
        assert!(access.is_ok() && cells.all_are(number));
        drop(access);
        drop(pool);
        assert!(jobs.iter().all(|job| job.count() == 1));
    });
}

/// A job of three steps, the second by the first worker alone, the others by all. The first worker counts each step in a cell;
/// after the last all workers see three.
struct Teams {
    workers: u32,
    at: AtomicU32,
    cells: Cells,
}

impl Work for Teams {
    fn run(&self, member: &mut Member<'_>, ended: &AtomicU32) -> Result<End, Broken> {
        let next = [1, self.workers, self.workers];
        for step in self.at.load(Ordering::Relaxed) as usize..3 {
            member.cross()?;
            if member.worker == 0 {
                self.cells.add(0);
            }
            if member.look_for(next[step]) {
                self.at.store(step as u32 + 1, Ordering::Relaxed);
            }
            member.cross()?;
            if step == 2 && !self.cells.all_are(3) {
                ended.fetch_add(100, Ordering::Relaxed);
            }
            if step < 2 && member.regroups() {
                return Ok(End::Regroup);
            }
        }
        Ok(End::Finished)
    }
}

#[test]
fn workers_leave_the_team_and_come_back() {
    for (workers, patience, switches) in [(2, AWAKE, 1), (2, ASLEEP, 2), (3, ASLEEP, 1)] {
        check(switches, move || {
            let gate = Arc::new(Gate::default());
            let placement = Placement { workers: vec![Vec::new(); workers as usize], nodes: 1 };
            let pool = Pool::new(placement, patience, Arc::clone(&gate)).unwrap();
            let job =
                Counted::new(Teams { workers, at: AtomicU32::new(0), cells: Cells::new(1) }, addresses());
            pool.submit(Arc::<Counted<Teams>>::clone(&job));
            let access = gate.host_enter(64..65, Writes::Yes);
            assert!(access.is_ok());
            drop(access);
            drop(pool);
            assert_eq!(job.count(), 1);
        });
    }
}

/// A job of three commands with a barrier before each, as a step of a table. A host may cancel it at any moment: then the first
/// worker writes the stop word, which all have read at the start.
struct Cancelled {
    asked: AtomicBool,
    stop: Cells,
    commands: Cells,
}

impl Work for Cancelled {
    fn run(&self, member: &mut Member<'_>, ended: &AtomicU32) -> Result<End, Broken> {
        let mut good = self.stop.all_are(0);
        for command in 0..3 {
            if member.worker == 0 && self.asked.load(Ordering::Acquire) {
                member.leave_at_next_crossing();
            }
            member.cross()?;
            if member.is_last_crossing() {
                if member.worker == 0 {
                    self.stop.add(0);
                    // All left at the same place: each command was run by all or by none.
                    good &= self.commands.all_are(command);
                }
                break;
            }
            self.commands.add(member.worker);
        }
        if !good {
            ended.fetch_add(100, Ordering::Relaxed);
        }
        Ok(End::Finished)
    }
}

#[test]
fn a_cancel_ends_a_step_for_all_at_one_place() {
    for (patience, switches) in [(AWAKE, 2), (ASLEEP, 2)] {
        check(switches, move || {
            let gate = Arc::new(Gate::default());
            let placement = Placement { workers: vec![Vec::new(); 2], nodes: 1 };
            let pool = Pool::new(placement, patience, Arc::clone(&gate)).unwrap();
            let work =
                Cancelled { asked: AtomicBool::new(false), stop: Cells::new(1), commands: Cells::new(2) };
            let job = Counted::new(work, addresses());
            pool.submit(Arc::<Counted<Cancelled>>::clone(&job));
            job.work.asked.store(true, Ordering::Release);
            let access = gate.host_enter(64..65, Writes::Yes);
            assert!(access.is_ok());
            // Cancelled before some command, or not at all.
            assert!(job.work.stop.all_are(1) || job.work.commands.all_are(3));
            drop(access);
            drop(pool);
            assert_eq!(job.count(), 1);
        });
    }
}

#[test]
fn every_worker_takes_every_job_in_order() {
    jobs(1, AWAKE, 2);
    jobs(2, ASLEEP, 1);
}

/// A submission whose worker does `work`, beside a host that does `wait`.
fn stream(work: fn(&CpuStream), wait: fn(&CpuStream)) {
    check(4, move || {
        let stream = Arc::new(CpuStream::new());
        stream.submitted();
        let worker = {
            let stream = Arc::clone(&stream);
            thread::spawn(move || work(&stream))
        };
        wait(&stream);
        worker.join().unwrap();
    });
}

fn drawn(token: Token) -> Drawn {
    Drawn { seq: SeqIndex(0), token }
}

#[test]
fn no_token_is_missed() {
    let work = |stream: &CpuStream| {
        stream.push([drawn(Token(7))]);
        stream.push([drawn(Token(8))]);
    };
    // The submission never ends, so only a token can wake the host.
    stream(work, |stream| {
        for (n, token) in [(1, Token(7)), (2, Token(8))] {
            assert!(stream.wait(n, 0).unwrap().drawn >= n);
            let mut out = [Drawn::default()];
            assert_eq!((stream.drawn(n - 1, &mut out), out), (1, [drawn(token)]));
        }
    });
}

#[test]
fn a_step_is_seen_whole() {
    let work = |stream: &CpuStream| stream.push([7, 8].map(Token).map(drawn));
    stream(work, |stream| {
        assert_eq!(stream.wait(1, 0).unwrap().drawn, 2);
        let mut out = [Drawn::default(); 2];
        assert_eq!((stream.drawn(0, &mut out), out), (2, [7, 8].map(Token).map(drawn)));
    });
}

#[test]
fn no_end_is_missed() {
    let work = |stream: &CpuStream| {
        stream.push([drawn(Token(7))]);
        stream.finish();
    };
    stream(work, |stream| {
        let p = stream.wait(u64::MAX, 0).unwrap();
        assert_eq!((p.drawn, p.pending), (1, 0));
    });
}
