//! What a run submits, and when.

use super::{Batch, Sequence, TableDraw};
use crate::Error;
use akunu_kernels::step::RowCount;

/// Steps of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Steps {
    /// The most.
    pub(crate) all: u32,
    /// Those of a submission, the next of which is queued before what the last has drawn is read. All at once where several sequences draw:
    /// a step then draws as many tokens as go on.
    pub(crate) chunk: u32,
}

impl Steps {
    /// So many, in one submission.
    pub(crate) const fn at_once(all: u32) -> Self {
        Self { all, chunk: u32::MAX }
    }
}

/// Steps of a run: those that are submitted, and those that are to be.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Queue {
    pub(super) kind: Queued,
    pub(super) queued: u32,
    pub(super) left: u32,
    /// Steps that are queued ahead of what is read.
    pub(super) chunk: u32,
}

/// What runs a queue's steps.
#[derive(Clone, Copy, Debug)]
pub(super) enum Queued {
    /// A table of the ladder, which draws so.
    Ladder(usize, TableDraw),
    /// The table that verifies drafts.
    Verify(TableDraw),
    /// A table of the ladder as one of logits and one of draws, and who draws under a grammar.
    Guided(usize, usize),
}

impl Default for Queued {
    fn default() -> Self {
        Self::Ladder(0, TableDraw::Plain)
    }
}

impl Batch {
    /// Queues the step that was prepared; what is to be queued after it.
    pub(super) fn submit(
        &mut self,
        rows: RowCount,
        heads: RowCount,
        steps: Steps,
        draw: TableDraw,
    ) -> Result<Queue, Error> {
        let (first, next) = (self.rung(rows), self.rung(heads));
        // Whatever is made for the first time is made before the first step.
        self.table(next, draw)?;
        self.table(first, draw)?.submit(1)?;
        let left = if heads > RowCount(0) { steps.all - 1 } else { 0 };
        Ok(Queue { kind: Queued::Ladder(next, draw), queued: 1, left, chunk: steps.chunk })
    }

    /// Queues more steps, once so many have been seen: always a chunk ahead of what is being read.
    pub(super) fn queue<G: AsMut<Sequence>>(
        &mut self,
        queue: &mut Queue,
        seen: u64,
        guests: &mut [G],
    ) -> Result<(), Error> {
        while queue.left > 0 && u64::from(queue.queued) <= seen.saturating_add(queue.chunk.into()) {
            let steps = queue.chunk.clamp(1, queue.left);
            match queue.kind {
                Queued::Ladder(i, draw) => self.table(i, draw)?.submit(steps)?,
                Queued::Verify(draw) => self.verifier(draw)?.submit(steps)?,
                Queued::Guided(i, guest) => {
                    let Some(guest) = guests.get_mut(guest) else { return Ok(()) };
                    self.step_guided(i, guest.as_mut())?;
                }
            }
            queue.queued += steps;
            queue.left -= steps;
        }
        Ok(())
    }
}
