//! What workers and hosts meet through: the standard library's types, or those of `loom`, which runs a test under
//! every order of events that the memory model allows (CONTRIBUTING.md says how). And how long a worker stays awake.

#[cfg(not(all(loom, test)))]
pub(crate) use std::{
    sync::{Condvar, Mutex, MutexGuard, atomic},
    thread,
};

#[cfg(all(loom, test))]
pub(crate) use loom::{
    sync::{Condvar, Mutex, MutexGuard, atomic},
    thread,
};

use std::time::Duration;
#[cfg(not(all(loom, test)))]
use std::time::Instant;

/// How long a worker that waits stays awake.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// First it spins: nothing is faster, but nobody else can use the core.
    pub(crate) spin: Duration,
    /// Then it offers its core to others between two looks. After that it sleeps.
    pub(crate) offer: Duration,
}

/// One wait of a worker.
pub(crate) struct Waiting {
    patience: Patience,
    spins: u32,
    #[cfg(not(all(loom, test)))]
    since: Option<Instant>,
}

#[cfg(not(all(loom, test)))]
impl Waiting {
    /// Spins between two looks at the clock, which costs about as much as one of them on some processors and a
    /// hundred on others.
    const LOOK: u32 = 16;

    pub(crate) fn new(patience: Patience) -> Self {
        Self { patience, spins: 0, since: None }
    }

    /// Lets a moment pass; `false` when it is time to sleep.
    pub(crate) fn moment(&mut self) -> bool {
        self.spins += 1;
        if self.spins >= Self::LOOK {
            let now = Instant::now();
            let waited = now.duration_since(*self.since.get_or_insert(now));
            if waited >= self.patience.spin.saturating_add(self.patience.offer) {
                return false;
            }
            if waited >= self.patience.spin {
                thread::yield_now();
                return true;
            }
            self.spins = 0;
        }
        std::hint::spin_loop();
        true
    }
}

/// For `loom`, which has no clock: one more look, then sleep, so that both ways of waiting are explored.
#[cfg(all(loom, test))]
impl Waiting {
    pub(crate) fn new(patience: Patience) -> Self {
        Self { patience, spins: 0 }
    }

    pub(crate) fn moment(&mut self) -> bool {
        self.spins += 1;
        let some = self.patience.spin.saturating_add(self.patience.offer) > Duration::ZERO;
        let awake = self.spins == 1 && some;
        if awake {
            thread::yield_now();
        }
        awake
    }
}
