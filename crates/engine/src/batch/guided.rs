//! Tokens that come without a draw: those that a grammar forces, and the end of thoughts whose budget is used up. And the masks of the
//! next draws under grammars.

use super::{Batch, Draw, Piece, Queue, Queued, Sequence};
use crate::Error;
use crate::decoded::FinishReason;
use crate::grammar::GrammarError;
use crate::guide::{Guide, MaskMakers, MaskState};
use crate::sampling::Sampling;
use crate::thoughts::{Bounded, Reasoning};
use akunu_device::Replay;
use akunu_kernels::sampler::mask_words;
use akunu_kernels::step::{RowCount, Token};
use akunu_plan::table::Region;
use std::time::{Duration, Instant};

/// How long those who can draw wait for others' masks after the logits.
const PATIENCE: Duration = Duration::from_micros(200);

/// What a text follows from its beginning on, over all calls that make it.
#[derive(Debug, Default)]
pub(crate) struct Bounds {
    guide: Option<Box<Guide>>,
    thoughts: Option<Box<Bounded>>,
}

impl Sequence {
    /// Whether it draws under a grammar: a draw needs a mask that the host makes after the one before it.
    pub fn is_guided(&self) -> bool {
        self.guide.is_some()
    }

    /// Takes what comes before the first draw.
    pub(super) fn begin_guide(&mut self) -> Result<(), Error> {
        self.check_guide();
        while self.force().is_some() {}
        match self.failure.take() {
            Some(e) => Err(e.into()),
            None => Ok(()),
        }
    }

    /// Ends it where its grammar allows no text at all.
    pub(crate) fn check_guide(&mut self) {
        if self.guide.as_deref().is_some_and(Guide::must_end) {
            self.finish = Some(FinishReason::Eos);
        }
    }

    /// Takes up what its text follows, or gives it back as it stands.
    pub(crate) fn exchange(&mut self, bounds: &mut Bounds) {
        std::mem::swap(&mut self.guide, &mut bounds.guide);
        std::mem::swap(&mut self.thoughts, &mut bounds.thoughts);
    }

    /// Takes a token that the device drew.
    pub(super) fn take_drawn(&mut self, token: Token) -> Option<FinishReason> {
        let finish = self.take(token);
        self.tell(token, finish)
    }

    /// Takes the next token that comes without a draw, if there is one; a draw without a token where its grammar has failed.
    pub(crate) fn force(&mut self) -> Option<Draw> {
        if self.finish.is_some() {
            return None;
        }
        let end_of_thoughts = self.thoughts.as_mut().and_then(|t| t.forced());
        let forced = match end_of_thoughts {
            Some(token) => Ok(Some(token)),
            None => self.guide.as_mut()?.forced(),
        };
        match forced {
            Ok(token) => {
                let token = token?;
                let belt = self.place.as_ref().map(|p| p.belt);
                let finish = self.take(token);
                self.appended += 1;
                // The device has not written it.
                if let (Some(place), Some(belt)) = (&mut self.place, belt) {
                    place.belt = belt;
                }
                Some(Draw { token: Some(token), finish: self.tell(token, finish), logprobs: None })
            }
            Err(e) => {
                self.fail(e);
                Some(Draw { token: None, finish: self.finish, logprobs: None })
            }
        }
    }

    /// Tells those that follow the text of a token.
    fn tell(&mut self, token: Token, finish: Option<FinishReason>) -> Option<FinishReason> {
        if let Some(thoughts) = &mut self.thoughts {
            thoughts.take(token);
        }
        let Some(guide) = &mut self.guide else { return finish };
        match guide.take(token) {
            Ok(()) if guide.must_end() => self.finish = Some(FinishReason::Eos),
            Ok(()) => {}
            Err(e) => self.fail(e),
        }
        self.finish
    }

    /// Whether it draws under its grammar in the step under way.
    fn draws_guided(&self) -> bool {
        // One whose context is full may go on after a shift.
        let goes_on = self.finish.is_none_or(|f| f == FinishReason::ContextFull);
        goes_on && self.drawing && self.is_guided()
    }

    /// Whether its mask is there, or never comes.
    fn is_settled(&mut self) -> bool {
        match self.guide.as_ref().map(|g| g.mask_state()) {
            Some(MaskState::Missing) => false,
            Some(MaskState::Failed(e)) => {
                self.fail(e);
                true
            }
            Some(MaskState::Ready) | None => true,
        }
    }

    fn make_mask(&mut self) {
        if let Some(Err(e)) = self.guide.as_mut().map(|g| g.make_mask()) {
            self.fail(e);
        }
    }

    fn fail(&mut self, e: GrammarError) {
        self.failure = Some(e);
        self.finish = Some(FinishReason::Stuck);
    }
}

/// Which masks are asked for only in the step after; for tests.
#[derive(Debug, Default)]
pub(super) struct Withheld {
    every: u32,
    asked: u32,
}

impl Withheld {
    fn next_is(&mut self) -> bool {
        self.asked = self.asked.wrapping_add(1);
        self.every > 0 && self.asked.is_multiple_of(self.every)
    }
}

impl Batch {
    /// What a text follows that begins now.
    pub(crate) fn bounds(&self, sampling: &Sampling, reasoning: Option<Reasoning>) -> Result<Bounds, Error> {
        let guide = Guide::of(sampling, self.program.config.vocab).map(Box::new);
        let thoughts = reasoning.map(|r| Bounded::new(r, &self.model).map(Box::new)).transpose()?;
        Ok(Bounds { guide, thoughts })
    }

    /// Lets one mask of so many come late, where others draw beside it, so that a test sees that nothing changes.
    pub fn withhold_masks(&mut self, every: u32) {
        self.withheld = Withheld { every, asked: 0 };
    }

    /// Whether somebody draws under a grammar in a step of these pieces.
    pub(super) fn draws_guided<G: AsMut<Sequence>>(guests: &mut [G], pieces: &[Piece]) -> bool {
        pieces.iter().any(|p| {
            guests.get_mut(p.guest).is_some_and(|g| {
                let sequence = g.as_mut();
                sequence.drawing && sequence.is_guided()
            })
        })
    }

    /// Queues the step that was prepared: logits of `rows` rows, and the draws once the masks are there, which are made while the logits
    /// are computed. What is to be queued after it: more steps, where there is one sequence. Of several, one whose mask is late draws under a
    /// stale one, and that draw does not count: the others do not wait for it.
    pub(super) fn submit_guided<G: AsMut<Sequence>>(
        &mut self,
        guests: &mut [G],
        pieces: &[Piece],
        rows: RowCount,
        steps: u32,
    ) -> Result<Queue, Error> {
        let (first, next) = (self.rung(rows), self.rung(RowCount(1)));
        if let [Piece { guest, .. }] = *pieces {
            self.split(next)?;
            self.step_guided(first, guests[guest].as_mut())?;
            return Ok(Queue { kind: Queued::Guided(next, guest), queued: 1, left: steps - 1, chunk: 0 });
        }
        self.split(first)?[0].submit(1)?;
        let mut guided = Self::guided(guests, pieces);
        let others = pieces.len() > guided.len();
        self.wait_for_masks(&mut guided, others)?;
        self.write_masks(&guided)?;
        self.split(first)?[1].submit(1)?;
        Ok(Queue::default())
    }

    /// Queues a step in this table of the ladder of the only sequence that takes part, which draws under a grammar.
    pub(super) fn step_guided(&mut self, rung: usize, sequence: &mut Sequence) -> Result<(), Error> {
        self.split(rung)?[0].submit(1)?;
        sequence.make_mask();
        self.write_masks(&[sequence])?;
        Ok(self.split(rung)?[1].submit(1)?)
    }

    /// Those of the pieces that draw under grammars.
    fn guided<'g, G: AsMut<Sequence>>(guests: &'g mut [G], pieces: &[Piece]) -> Vec<&'g mut Sequence> {
        let takes_part = |i: usize| pieces.iter().any(|p| p.guest == i);
        let sequences = guests.iter_mut().enumerate().filter(|(i, _)| takes_part(*i));
        sequences.map(|(_, g)| g.as_mut()).filter(|s| s.draws_guided()).collect()
    }

    /// Has masks made and waits for them, but not much longer than for the logits where somebody can draw.
    fn wait_for_masks(&mut self, guided: &mut [&mut Sequence], others: bool) -> Result<(), Error> {
        let makers = match self.makers.take() {
            Some(makers) => makers,
            None => MaskMakers::start()?,
        };
        let makers = self.makers.insert(makers);
        for guide in guided.iter_mut().filter_map(|s| s.guide.as_mut()) {
            if !others || !self.withheld.next_is() {
                guide.hand_over(makers);
            }
        }
        let mut logits: Option<Instant> = None;
        loop {
            let missing = guided.iter_mut().filter_map(|s| (!s.is_settled()).then_some(())).count();
            if missing == 0 {
                break;
            }
            let somebody_draws = others || missing < guided.len();
            if somebody_draws && self.stream.progress().pending == 0 {
                let since = *logits.get_or_insert_with(Instant::now);
                if since.elapsed() > PATIENCE {
                    break;
                }
            }
            makers.wait(PATIENCE / 4);
        }
        for sequence in guided.iter_mut() {
            sequence.is_late = !sequence.is_settled();
        }
        Ok(())
    }

    /// Makes the masks of those who draw under grammars, and tells the device. One that cannot be made ends its sequence alone; what is
    /// drawn for it nobody takes.
    pub(super) fn make_masks<G: AsMut<Sequence>>(
        &self,
        guests: &mut [G],
        pieces: &[Piece],
    ) -> Result<(), Error> {
        let mut guided = Self::guided(guests, pieces);
        guided.iter_mut().for_each(|s| s.make_mask());
        self.write_masks(&guided)
    }

    /// Tells the device what those may draw whose masks are there.
    fn write_masks(&self, guided: &[&mut Sequence]) -> Result<(), Error> {
        let words = u64::from(mask_words(self.program.config.vocab));
        for sequence in guided {
            if let (Some(guide), Some(place)) = (&sequence.guide, &sequence.place)
                && !sequence.is_late
            {
                let at = u64::from(place.index.0) * words * 4;
                let memory = &self.memory[Region::Masks as usize];
                guide.show_mask(|mask| memory.write(at, bytemuck::cast_slice(mask)))?;
            }
        }
        Ok(())
    }

    /// A table of the ladder as one of logits and one of draws, made when they are first asked for.
    fn split(&mut self, i: usize) -> Result<&mut [Box<dyn Replay>; 2], Error> {
        let made = match self.split[i].take() {
            Some(made) => made,
            None => self.model.split(&self.program, self.ladder[i].0, &self.memory, &self.stream)?,
        };
        Ok(self.split[i].insert(made))
    }

    /// Mirostat's bound of the next draw, where `before` tokens were known and more have come without a draw.
    pub(super) fn carry_bound(&self, sequence: &Sequence, before: usize) -> Result<(), Error> {
        let known = sequence.tokens.len();
        if let Some(place) = sequence.place.as_ref().filter(|p| p.told && known != before)
            && sequence.settings.sampler.mirostat_tau > 0.0
        {
            let (from, to) = (self.bound_at(place.index, before), self.bound_at(place.index, known));
            if from != to {
                self.memory[Region::Mirostat as usize].copy(from, to, 4)?;
            }
        }
        Ok(())
    }
}
