//! What a run draws, told as it comes; with log-probabilities, once it is over.

use super::{Batch, Draw, Next, Queue, Sequence};
use crate::Error;
use crate::decoded::FinishReason;
use akunu_device::Drawn;
use akunu_kernels::step::NO_TOKEN;
use akunu_plan::table::Region;

impl Batch {
    /// Reads the stream until nothing runs, and queues what is to run still; how much was drawn.
    pub(super) fn follow<G: AsMut<Sequence>>(
        &mut self,
        mut queue: Queue,
        guests: &mut [G],
        on_draw: &mut dyn FnMut(&mut G, usize, Draw) -> Next,
    ) -> Result<u64, Error> {
        let mut seen = 0u64;
        loop {
            self.queue(&mut queue, seen, guests)?;
            let p = self.stream.wait(seen + 1, 0)?;
            loop {
                let n = self.stream.drawn(seen, &mut self.drawn);
                if n == 0 {
                    break;
                }
                seen += n as u64;
                for i in 0..n {
                    let drawn = self.drawn[i];
                    let Some(at) = self.guest_at.get(drawn.seq.index()).copied() else { continue };
                    let Some(guest) = guests.get_mut(at) else { continue };
                    if guest.as_mut().settings.log_probs() {
                        self.late.push(drawn);
                    } else if self.give(guest, at, drawn, on_draw)? != Next::Go {
                        queue.left = 0;
                    }
                }
            }
            let goes_on = u64::from(queue.queued) <= seen && queue.left > 0;
            if p.pending == 0 && seen >= p.drawn && !goes_on {
                self.give_late(guests, on_draw)?;
                return Ok(seen);
            }
        }
    }

    /// Tells of a draw; whether the sequence goes on.
    fn give<G: AsMut<Sequence>>(
        &self,
        guest: &mut G,
        at: usize,
        drawn: Drawn,
        on_draw: &mut dyn FnMut(&mut G, usize, Draw) -> Next,
    ) -> Result<Next, Error> {
        let sequence = guest.as_mut();
        // Drawn after the caller ended it, or under a stale mask.
        if sequence.finish.is_some() || sequence.is_late {
            return Ok(Next::End);
        }
        let draw = if drawn.token == NO_TOKEN {
            sequence.finish = Some(FinishReason::NotFinite);
            Draw { token: None, finish: sequence.finish, logprobs: None }
        } else {
            let asked = sequence.settings.log_probs();
            let logprobs = asked.then(|| self.records.at(sequence.tokens.len())).flatten();
            Draw { token: Some(drawn.token), finish: sequence.take_drawn(drawn.token), logprobs }
        };
        let known = sequence.tokens.len();
        let mut next = on_draw(guest, at, draw);
        self.heed(next, guest.as_mut());
        // What its grammar forces comes without a draw.
        while let Some(draw) = guest.as_mut().force() {
            next = on_draw(guest, at, draw);
            self.heed(next, guest.as_mut());
        }
        let sequence = guest.as_mut();
        self.carry_bound(sequence, known)?;
        Ok(match next {
            _ if sequence.finish.is_some() => Next::End,
            // The next step begins with what has come.
            Next::Go if sequence.appended > 0 => Next::Pause,
            _ => next,
        })
    }

    /// Does what a caller wants after a draw.
    fn heed(&self, next: Next, sequence: &mut Sequence) {
        match next {
            Next::Go => {}
            Next::Pause => self.stream.pause(),
            Next::End => {
                sequence.end(FinishReason::Cancelled);
                // The step under way is of use to nobody else where there is nobody else.
                if self.is_single() { self.stream.cancel() } else { self.stream.pause() }
            }
        }
    }

    /// Tells of the draws that waited for their log-probabilities, now that nothing runs.
    fn give_late<G: AsMut<Sequence>>(
        &mut self,
        guests: &mut [G],
        on_draw: &mut dyn FnMut(&mut G, usize, Draw) -> Next,
    ) -> Result<(), Error> {
        let mut late = std::mem::take(&mut self.late);
        late.sort_by_key(|d| d.seq);
        for of_one in late.chunk_by(|a, b| a.seq == b.seq) {
            let Some(at) = of_one.first().and_then(|d| self.guest_at.get(d.seq.index()).copied()) else {
                continue;
            };
            let Some(guest) = guests.get_mut(at) else { continue };
            self.records.read(&*self.memory[Region::LogProbs as usize], of_one[0].seq)?;
            for drawn in of_one {
                self.give(guest, at, *drawn, on_draw)?;
            }
        }
        late.clear();
        self.late = late;
        Ok(())
    }
}
