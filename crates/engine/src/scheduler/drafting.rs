//! Whether the next steps draft: by what drafts of these sequences gave, and by the measured time of steps of so many.

use super::guest::Guest;
use crate::batch::{Batch, Piece, Sequence};
use crate::drafts::{DraftOptions, Follower, Mode, Pace};
use akunu_kernels::accept::Draft;
use std::time::Instant;

/// How an engine's sequences draft.
pub(super) struct Drafting {
    /// By how many sequences draw, from one on: how steps of so many went on, and how they go on now.
    paces: Vec<(Pace, Mode)>,
}

impl Drafting {
    pub(super) fn new(options: DraftOptions, batch: &Batch) -> Self {
        let most = (1..).take_while(|n| batch.drafts_for(*n)).count();
        Self { paces: vec![(Pace::new(options), Mode::Plain); most] }
    }
}

/// Steps of some sequences that may draft, from their choice to their measure.
pub(super) struct Course<'a> {
    pub(super) mode: Mode,
    pub(super) steps: u32,
    pace: &'a mut Pace,
    words: Draft,
    context: u32,
    before: [u32; 2],
    start: Instant,
}

impl<'a> Course<'a> {
    /// Chooses how to go on, for `steps` plain steps or fewer that gain as much. `None` where these sequences cannot draft, or there is
    /// nothing to choose.
    pub(super) fn choose(
        drafting: &'a mut Option<Drafting>,
        batch: &mut Batch,
        guests: &mut [Guest],
        pieces: &[Piece],
        steps: u32,
    ) -> Option<Self> {
        let Drafting { paces } = drafting.as_mut()?;
        let (pace, mode) = paces.get_mut(pieces.len().checked_sub(1)?)?;
        let draws = |p: &Piece| {
            let sequence = &guests[p.guest].sequence;
            sequence.pending() == 1 && sequence.can_draft()
        };
        let fewer = steps / batch.most_gain();
        if fewer == 0 || !pieces.iter().all(draws) {
            return None;
        }
        *mode = pace.mode(*mode);
        let words = pace.words();
        batch.draft_by(words);
        // Short runs, so that what is measured soon counts.
        let steps = if *mode == Mode::Drafting { fewer } else { steps.min(4 * batch.most_gain()) };
        for p in pieces {
            let Guest { sequence, follower, .. } = &mut guests[p.guest];
            follower.begin(&words, sequence.tokens(), sequence.draft_room(batch.context()));
        }
        Some(Self {
            mode: *mode,
            steps,
            before: pace.steps(),
            pace,
            words,
            context: batch.context(),
            start: Instant::now(),
        })
    }

    /// Follows a token that a sequence has just drawn.
    pub(super) fn follow(&mut self, sequence: &Sequence, follower: &mut Follower) {
        let room = sequence.draft_room(self.context);
        if let Some(gave) = follower.follow(&self.words, sequence.tokens(), room) {
            self.pace.take(gave);
        }
    }

    /// Measures the steps, which drew so many tokens, where all sequences were in all of them. What is counted is a step of one sequence.
    pub(super) fn end(self, all_go_on: impl FnOnce() -> bool, drawn: u64) {
        let seconds = self.start.elapsed().as_secs_f64();
        match self.mode {
            _ if !all_go_on() => {}
            Mode::Plain => self.pace.measure(u32::try_from(drawn).unwrap_or(u32::MAX), seconds),
            Mode::Drafting => self.pace.measure_drafting(self.before, seconds),
        }
    }
}
