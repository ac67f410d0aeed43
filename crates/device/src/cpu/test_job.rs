//! Jobs of the pool's tests and models: what workers do is theirs, how a job ends is counted here.

use super::barrier::Broken;
use super::memory::Ranges;
use super::pool::{End, Job, Member, Needs};
use super::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

/// What workers do.
pub(crate) trait Work: Send + Sync {
    const NEEDS: Needs = Needs::AnyTeam;
    /// `ended` is [`Counted::ended`]: a failure would hide in the pool, which catches panics, so it is added there.
    fn run(&self, member: &mut Member<'_>, ended: &AtomicU32) -> Result<End, Broken>;
}

/// A job that counts how it ended.
pub(crate) struct Counted<W> {
    pub(crate) work: W,
    /// 1 for a finish, 1000 for a worker's failure.
    pub(crate) ended: AtomicU32,
    ranges: Ranges,
}

impl<W: Work> Counted<W> {
    pub(crate) fn new(work: W, ranges: Ranges) -> Arc<Self> {
        Arc::new(Self { work, ended: AtomicU32::new(0), ranges })
    }

    pub(crate) fn count(&self) -> u32 {
        self.ended.load(Ordering::Acquire)
    }
}

impl<W: Work> Job for Counted<W> {
    fn run(&self, member: &mut Member<'_>) -> Result<End, Broken> {
        self.work.run(member, &self.ended)
    }

    fn needs(&self) -> Needs {
        W::NEEDS
    }

    fn ranges(&self) -> &Ranges {
        &self.ranges
    }

    fn finish(&self) {
        self.ended.fetch_add(1, Ordering::Release);
    }

    fn fail(&self) {
        self.ended.fetch_add(1000, Ordering::Release);
    }
}
