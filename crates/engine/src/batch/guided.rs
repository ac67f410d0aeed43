//! Tokens that come without a draw: those that a grammar forces, and the end of thoughts whose budget is used up. And the masks of the
//! next draws under grammars.

use super::{Batch, Draw, Piece, Sequence};
use crate::Error;
use crate::decode::FinishReason;
use crate::grammar::GrammarError;
use crate::guide::Guide;
use akunu_device::Replay;
use akunu_kernels::sampler::mask_words;
use akunu_kernels::step::{RowCount, Token};
use akunu_plan::table::Region;

impl Sequence {
    /// Whether it draws under a grammar: a draw needs a mask that the host makes after the one before it.
    pub fn is_guided(&self) -> bool {
        self.guide.is_some()
    }

    /// Takes what comes before the first draw, and makes its mask.
    pub(super) fn begin_guide(&mut self) -> Result<(), Error> {
        if self.guide.as_deref().is_some_and(Guide::must_end) {
            self.finish = Some(FinishReason::Eos);
        }
        while self.force().is_some() {}
        self.make_mask();
        match self.failure.take() {
            Some(e) => Err(e.into()),
            None => Ok(()),
        }
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

    /// Whether it lacks the mask of its next draw.
    fn needs_mask(&self) -> bool {
        // One whose context is full may go on after a shift.
        let goes_on = self.finish.is_none_or(|f| f == FinishReason::ContextFull);
        goes_on && self.guide.as_ref().is_some_and(|g| !g.has_mask())
    }

    fn make_mask(&mut self) {
        if self.needs_mask()
            && let Some(Err(e)) = self.guide.as_mut().map(|g| g.make_mask())
        {
            self.fail(e);
        }
    }

    fn fail(&mut self, e: GrammarError) {
        self.failure = Some(e);
        self.finish = Some(FinishReason::Stuck);
    }
}

impl Batch {
    /// Whether somebody draws under a grammar in a step of these pieces.
    pub(super) fn draws_guided<G: AsMut<Sequence>>(guests: &mut [G], pieces: &[Piece]) -> bool {
        pieces.iter().any(|p| {
            guests.get_mut(p.guest).is_some_and(|g| {
                let sequence = g.as_mut();
                sequence.drawing && sequence.is_guided()
            })
        })
    }

    /// Queues the step that was prepared: logits of `rows` rows, and, once the masks are made beside them, the draws.
    pub(super) fn submit_guided<G: AsMut<Sequence>>(
        &mut self,
        guests: &mut [G],
        pieces: &[Piece],
        rows: RowCount,
    ) -> Result<(), Error> {
        let rung = self.rung(rows);
        self.split(rung)?[0].submit(1)?;
        self.write_masks(guests, pieces)?;
        Ok(self.split(rung)?[1].submit(1)?)
    }

    /// Tells the device what those who draw under grammars may draw. A mask that cannot be made ends its sequence alone; what is drawn
    /// for it nobody takes.
    pub(super) fn write_masks<G: AsMut<Sequence>>(
        &self,
        guests: &mut [G],
        pieces: &[Piece],
    ) -> Result<(), Error> {
        let takes_part = |i: usize| pieces.iter().any(|p| p.guest == i);
        let sequences = guests.iter_mut().enumerate().filter(|(i, _)| takes_part(*i));
        let mut drawing: Vec<&mut Sequence> =
            sequences.map(|(_, g)| g.as_mut()).filter(|s| s.drawing && s.is_guided()).collect();
        Self::make_masks(&mut drawing);
        let words = u64::from(mask_words(self.program.config.vocab));
        for sequence in drawing {
            if let (Some(guide), Some(place)) = (&sequence.guide, &sequence.place)
                && guide.has_mask()
            {
                let at = u64::from(place.index.0) * words * 4;
                self.memory[Region::Masks as usize].write(at, bytemuck::cast_slice(guide.mask()))?;
            }
        }
        Ok(())
    }

    /// A table of the ladder as one of logits and one of draws, made when they are first asked for.
    fn split(&mut self, i: usize) -> Result<&mut [Box<dyn Replay>; 2], Error> {
        let made = match self.split[i].take() {
            Some(made) => made,
            None => {
                let [logits, draw] = self.program.split_tables(self.ladder[i].0)?;
                let lower = |table| self.model.device.lower(table, &self.memory, &self.stream);
                [lower(&logits)?, lower(&draw)?]
            }
        };
        Ok(self.split[i].insert(made))
    }

    /// Makes the masks of these sequences' next draws, side by side where there are several. One that cannot be made ends its
    /// sequence alone.
    fn make_masks(sequences: &mut [&mut Sequence]) {
        let mut guided: Vec<&mut &mut Sequence> = sequences.iter_mut().filter(|s| s.needs_mask()).collect();
        // Asking for the number of processors takes longer than a mask.
        if guided.len() < 2 {
            guided.iter_mut().for_each(|s| s.make_mask());
            return;
        }
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(guided.len());
        let share = guided.len().div_ceil(threads);
        std::thread::scope(|scope| {
            for part in guided.chunks_mut(share) {
                scope.spawn(|| part.iter_mut().for_each(|s| s.make_mask()));
            }
        });
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
