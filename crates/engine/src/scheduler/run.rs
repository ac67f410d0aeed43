//! The engine's thread: who takes part in the next step.

use super::drafting::{Course, Drafting};
use super::guest::{Errand, Guest, Waiting, What};
use super::{EngineOptions, Event, Inbox, Shared, Status, Submission};
use crate::batch::{Batch, Draw, Next, Piece, Sequence};
use crate::decoded::{Control, FinishReason};
use crate::drafts::{Follower, Mode};
use crate::logprobs::LOGPROB_STEPS;
use crate::{Error, Request};
use akunu_kernels::step::RowCount;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{Ordering, fence};
use std::sync::{Arc, PoisonError};
use std::time::Instant;

pub(super) struct Scheduler {
    batch: Batch,
    shared: Arc<Shared>,
    guests: Vec<Guest>,
    /// Best first.
    waiting: Vec<Waiting>,
    pieces: Vec<Piece>,
    prompt_rows: RowCount,
    chain: u32,
    next_number: u64,
    status: Status,
    drafting: Option<Drafting>,
}

impl Scheduler {
    pub(super) fn new(batch: Batch, options: &EngineOptions, shared: Arc<Shared>) -> Self {
        let rows = options.prompt_rows.unwrap_or(batch.program().target.prompt_rows);
        let places = batch.free_places() as usize;
        Self {
            prompt_rows: rows.min(batch.most_rows()),
            chain: options.chain,
            guests: Vec::with_capacity(places),
            pieces: Vec::with_capacity(places),
            waiting: Vec::new(),
            next_number: 0,
            status: Status::default(),
            drafting: options.batch.drafts.map(|o| Drafting::new(o, &batch)),
            batch,
            shared,
        }
    }

    /// Runs until the engine is dropped.
    pub(super) fn run(mut self) {
        let ended = catch_unwind(AssertUnwindSafe(|| self.serve()));
        let why = match ended {
            Ok(Ok(())) => None,
            Ok(Err(e)) => Some(e.to_string()),
            Err(_) => Some("its thread failed; this is a bug, please report it".to_owned()),
        };
        let mut inbox = self.shared.inbox();
        inbox.broken = Some(why.clone().unwrap_or_else(|| "it was dropped".into()));
        let new = std::mem::take(&mut inbox.new);
        drop(inbox);
        let guests = std::mem::take(&mut self.guests).into_iter().map(|g| (g.errand, Some(g.sequence)));
        let waiting = std::mem::take(&mut self.waiting).into_iter().map(|w| match w.what {
            What::New(_) => (w.errand, None),
            What::Parked(s) => (w.errand, Some(*s)),
        });
        let all: Vec<(Errand, Option<Sequence>)> = guests.chain(waiting).collect();
        let new: Vec<_> = new.into_iter().map(|s| (self.errand(s).0, None)).collect();
        for (mut errand, sequence) in all.into_iter().chain(new) {
            match &why {
                None => errand.end(sequence.as_ref(), FinishReason::Cancelled),
                Some(why) => {
                    errand.deaf = false;
                    errand.tell(Event::Failed(Error::Stopped { why: why.clone() }));
                }
            }
        }
    }

    fn serve(&mut self) -> Result<(), Error> {
        loop {
            if !self.receive() {
                return Ok(());
            }
            self.drop_cancelled();
            self.admit()?;
            self.make_room()?;
            let steps = self.compose()?;
            if !self.pieces.is_empty() {
                self.step(steps)?;
            }
            self.report();
        }
    }

    /// Takes what has arrived; sleeps where there is nothing to do. False at the end.
    fn receive(&mut self) -> bool {
        let shared = Arc::clone(&self.shared);
        let mut inbox = shared.inbox();
        let idle = self.guests.is_empty() && self.waiting.is_empty();
        while idle && inbox.new.is_empty() && !inbox.closing {
            inbox = shared.arrived.wait(inbox).unwrap_or_else(PoisonError::into_inner);
        }
        // Before the inbox is read: who comes after this knocks again.
        shared.knock.store(false, Ordering::SeqCst);
        let Inbox { new, closing, .. } = &mut *inbox;
        let (new, closing) = (std::mem::take(new), *closing);
        for submission in new {
            let (errand, request) = self.errand(submission);
            self.wait(Waiting::new(errand, What::New(Box::new(request))));
        }
        !closing
    }

    fn errand(&mut self, s: Submission) -> (Errand, Request) {
        self.next_number += 1;
        let errand = Errand {
            sink: s.sink,
            cancelled: s.cancelled,
            priority: s.request.priority,
            overflow: s.request.overflow.clone(),
            shifts: 0,
            number: self.next_number,
            submitted: s.at,
            started: None,
            first: None,
            deaf: false,
            leads: s.leads,
            follows: s.follows,
        };
        (errand, s.request)
    }

    /// Puts somebody into the queue.
    fn wait(&mut self, w: Waiting) {
        let at = self.waiting.partition_point(|other| other.rank() < w.rank());
        self.waiting.insert(at, w);
        self.shared.waiting.store(self.waiting.len(), Ordering::SeqCst);
    }

    /// Takes somebody out of the queue. Whoever hears of it afterwards finds the room.
    fn leave(&mut self, at: usize) -> Waiting {
        let w = self.waiting.remove(at);
        self.shared.waiting.store(self.waiting.len(), Ordering::SeqCst);
        w
    }

    fn drop_cancelled(&mut self) {
        let cancelled = |e: &Errand| e.cancelled.load(Ordering::SeqCst);
        while let Some(i) = self.guests.iter().position(|g| cancelled(&g.errand)) {
            let Guest { sequence, errand, .. } = self.guests.remove(i);
            end(errand, sequence, FinishReason::Cancelled);
        }
        while let Some(i) = self.waiting.iter().position(|w| cancelled(&w.errand)) {
            let Waiting { errand, what, .. } = self.leave(i);
            match what {
                What::New(_) => errand.end(None, FinishReason::Cancelled),
                What::Parked(sequence) => end(errand, *sequence, FinishReason::Cancelled),
            }
        }
    }

    /// Lets in whom there is room for, the best first.
    fn admit(&mut self) -> Result<(), Error> {
        while let Some(at) = self.waiting.iter().position(|w| w.errand.may_begin()) {
            let priority = self.waiting[at].errand.priority;
            if self.has_room(at) {
                let candidate = self.leave(at);
                let Some(refused) = self.enter(candidate)? else { continue };
                self.wait(refused);
            }
            // Somebody less urgent may make room.
            let lowest = self.victim().filter(|i| self.guests[*i].errand.priority < priority);
            let Some(lowest) = lowest else { return Ok(()) };
            self.park(lowest)?;
        }
        Ok(())
    }

    /// Whether one that waits finds a row, a place and blocks.
    fn has_room(&mut self, at: usize) -> bool {
        // Each has a row of every step while it draws.
        let row = self.guests.len() < self.batch.most_rows().index();
        let place = self.batch.free_places() as usize > self.places_promised();
        let spare = if self.guests.is_empty() { 0 } else { self.guests.len() + 1 };
        let Some(first) = self.waiting.get_mut(at).filter(|_| row && place) else { return false };
        // Without a search, where there is too little of everything.
        let available = self.batch.available() as usize;
        available > spare && available >= first.needed(&self.batch) as usize + spare
    }

    /// Guests that have no place yet: they take one in their first step.
    fn places_promised(&self) -> usize {
        self.guests.iter().filter(|g| !g.sequence.is_seated()).count()
    }

    /// Begins or resumes a request, if the cache has room for all that is known of it and a block more for each guest; gives it back
    /// otherwise.
    fn enter(&mut self, w: Waiting) -> Result<Option<Waiting>, Error> {
        let Waiting { mut errand, what, .. } = w;
        let (mut sequence, request) = match what {
            What::Parked(sequence) => (*sequence, None),
            What::New(request) => match self.batch.sequence(&request.tokens, &request.options) {
                Ok(sequence) => (sequence, Some(request)),
                Err(e) => {
                    errand.deaf = false;
                    errand.tell(Event::Failed(e));
                    return Ok(None);
                }
            },
        };
        let known = sequence.tokens().len() as u32;
        let fits = self.batch.resume(&mut sequence)?
            && self.batch.reserve(&mut sequence, known)?
            && (self.guests.is_empty() || self.batch.available() as usize > self.guests.len());
        if !fits {
            let what = match request {
                Some(request) => What::New(request),
                None => {
                    self.batch.park(&mut sequence)?;
                    What::Parked(Box::new(sequence))
                }
            };
            return Ok(Some(Waiting::new(errand, what)));
        }
        if request.is_some() {
            errand.started = Some(Instant::now());
            self.status.reused += u64::from(sequence.reused());
            if errand.tell(Event::Started { reused: sequence.reused() }) == Control::Stop {
                end(errand, sequence, FinishReason::Cancelled);
                return Ok(None);
            }
            self.tell_forced(&mut sequence, &mut errand);
        }
        let guest = Guest { sequence, errand, follower: Follower::default() };
        match guest.sequence.finish() {
            Some(finish) if !guest.wants_room() => end(guest.errand, guest.sequence, finish),
            _ => self.guests.push(guest),
        }
        Ok(None)
    }

    /// Tells of tokens that came before the first draw.
    fn tell_forced(&mut self, sequence: &mut Sequence, errand: &mut Errand) {
        for i in 0..sequence.drawn().len() {
            errand.first.get_or_insert_with(Instant::now);
            self.status.drawn += 1;
            if errand.tell(Event::Token { token: sequence.drawn()[i], logprobs: None }) == Control::Stop {
                return sequence.end(FinishReason::Cancelled);
            }
        }
    }

    /// The guest to be parked first: the lowest priority, and of those the last that came.
    fn victim(&self) -> Option<usize> {
        self.victim_beside(None)
    }

    /// The same of all others.
    fn victim_beside(&self, one: Option<usize>) -> Option<usize> {
        let rank = |g: &Guest| (g.errand.priority, std::cmp::Reverse(g.errand.number));
        (0..self.guests.len()).filter(|i| Some(*i) != one).min_by_key(|i| rank(&self.guests[*i]))
    }

    fn park(&mut self, guest: usize) -> Result<(), Error> {
        let Guest { mut sequence, errand, .. } = self.guests.remove(guest);
        self.batch.park(&mut sequence)?;
        self.status.parked += 1;
        self.wait(Waiting::new(errand, What::Parked(Box::new(sequence))));
        Ok(())
    }

    /// The pieces of the next step, and how many steps: rows of those who draw, then pieces of prompts. Who finds no block parks
    /// somebody.
    fn compose(&mut self) -> Result<u32, Error> {
        loop {
            self.pieces.clear();
            let draws = |g: &Guest| g.sequence.pending() == 1;
            let drawing = self.guests.iter().filter(|g| draws(g)).count() as u32;
            let most = self.batch.most_rows().0;
            let asked = for_a_crowd(self.prompt_rows, drawing, self.guests.len() as u32 - drawing);
            let mut left = match drawing {
                0 => most,
                _ => beside(self.batch.tables(), drawing, asked).0.min(most - drawing),
            };
            self.pieces.extend(
                self.guests
                    .iter()
                    .enumerate()
                    .filter(|(_, g)| draws(g))
                    .map(|(guest, _)| Piece { guest, rows: 1 }),
            );
            let mut rest = false;
            for (guest, g) in self.guests.iter().enumerate().filter(|(_, g)| !draws(g)) {
                let rows = g.sequence.pending().min(left);
                left -= rows;
                rest |= rows < g.sequence.pending();
                if rows > 0 {
                    self.pieces.push(Piece { guest, rows });
                }
            }
            let mut steps = if rest { 1 } else { self.longest_chain() };
            loop {
                if self.room(steps)? {
                    return Ok(steps);
                }
                if steps == 1 {
                    break;
                }
                steps /= 2;
            }
            match self.victim().filter(|_| self.guests.len() > 1) {
                Some(victim) => self.park(victim)?,
                None => {
                    return Err(Error::CacheFull {
                        tokens: self.guests.first().map_or(0, |g| g.sequence.tokens().len() as u32),
                        blocks: self.batch.program().cache.pool,
                    });
                }
            }
        }
    }

    fn longest_chain(&self) -> u32 {
        let left = self.guests.iter().map(|g| g.sequence.left()).max().unwrap_or(1);
        let log_probs = self.guests.iter().any(|g| g.sequence.settings.log_probs());
        let chain = if log_probs { self.chain.min(LOGPROB_STEPS) } else { self.chain };
        let most = self.batch.most_steps(self.pieces.len() as u32).min(u64::from(chain));
        // The next mask of who draws under a grammar is made on the host, and so is the end of thoughts that are too long.
        let is_alone = self.pieces.len() == 1;
        let hosts = self.guests.iter().filter_map(|g| g.sequence.most_chain(is_alone));
        hosts.fold(left, u32::min).clamp(1, most.max(1) as u32)
    }

    /// Takes blocks for so many steps of all pieces.
    fn room(&mut self, steps: u32) -> Result<bool, Error> {
        for p in &self.pieces {
            let sequence = &mut self.guests[p.guest].sequence;
            let positions = sequence.kv_len() + p.rows + steps - 1;
            if !self.batch.reserve_run(sequence, positions)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn step(&mut self, steps: u32) -> Result<(), Error> {
        let (known, drafts) = (self.known(), self.drafts());
        let mut course =
            Course::choose(&mut self.drafting, &mut self.batch, &mut self.guests, &self.pieces, steps);
        let (mode, steps) = course.as_ref().map_or((Mode::Plain, steps), |c| (c.mode, c.steps));
        let (shared, full) = (Arc::clone(&self.shared), !self.waiting.is_empty());
        // Each of its steps is queued after a draw has been read.
        let guided = self.pieces.iter().any(|p| self.guests[p.guest].sequence.is_guided());
        let mut drawn = 0;
        let mut on_draw = |guest: &mut Guest, _: usize, draw: Draw| {
            let errand = &mut guest.errand;
            // Its prompt is in the cache once this run is over, which is soon then.
            let led = draw.token.is_some() && errand.leads.take().is_some();
            if let Some(token) = draw.token {
                drawn += 1;
                if let Some(course) = &mut course {
                    course.follow(&guest.sequence, &mut guest.follower);
                }
                errand.first.get_or_insert_with(Instant::now);
                let logprobs = draw.logprobs.map(Box::new);
                if errand.tell(Event::Token { token, logprobs }) == Control::Stop {
                    return Next::End;
                }
            }
            // Its place, its blocks or its prompt are wanted, or somebody knocks where nothing else ends the run.
            let is_wanted = draw.finish.is_some() && full || led;
            if is_wanted || guided && shared.knock.load(Ordering::SeqCst) { Next::Pause } else { Next::Go }
        };
        // Who has come since the inbox was read does not wait for a chain; who comes from here on ends it. Steps under grammars end by themselves.
        let steps = |batch: &Batch| {
            batch.forget_stop();
            shared.chained.store(steps > 1 && !guided, Ordering::SeqCst);
            fence(Ordering::SeqCst);
            if !shared.knock.load(Ordering::SeqCst) {
                return steps;
            }
            shared.chained.store(false, Ordering::SeqCst);
            1
        };
        let flags = self.pieces.iter().map(|p| Arc::clone(&self.guests[p.guest].errand.cancelled));
        shared.under_way().cancelled.extend(flags);
        let steps = steps(&self.batch);
        // A cancel that came before is forgotten; one that comes from here on ends the step.
        let vain = shared.under_way().is_vain();
        let ran = match vain {
            true => Ok(()),
            false if mode == Mode::Drafting => {
                self.batch.run_drafting(&mut self.guests, &self.pieces, steps, &mut on_draw)
            }
            false => self.batch.run(&mut self.guests, &self.pieces, steps, &mut on_draw),
        };
        if let Some(course) = course {
            let goes_on = |p: &Piece| self.guests[p.guest].sequence.finish().is_none();
            course.end(|| self.pieces.iter().all(goes_on), drawn);
        }
        shared.under_way().cancelled.clear();
        ran?;
        self.status.drawn += drawn;
        let now = self.drafts();
        self.status.drafted += now[0] - drafts[0];
        self.status.accepted += now[1] - drafts[1];
        self.status.prefilled += (self.known() - known).saturating_sub(drawn);
        while let Some(i) = self.guests.iter().position(|g| g.sequence.finish().is_some() && !g.wants_room())
        {
            let Guest { sequence, errand, .. } = self.guests.remove(i);
            let finish = sequence.finish().unwrap_or(FinishReason::Cancelled);
            end(errand, sequence, finish);
        }
        Ok(())
    }

    /// Makes room where a context is full, if its request says so. Who finds no blocks for copies parks somebody else.
    fn make_room(&mut self) -> Result<(), Error> {
        while let Some(i) = self.guests.iter().position(Guest::wants_room) {
            let guest = &mut self.guests[i];
            let (keep, discard) = guest.errand.room(guest.sequence.kv_len());
            match self.batch.shift(&mut guest.sequence, keep, discard) {
                Ok(true) => {
                    guest.errand.shifts += 1;
                    self.status.shifts += 1;
                    // What comes without a draw may have met the end of the context.
                    while let Some(draw) = guest.sequence.force() {
                        let Some(token) = draw.token else { continue };
                        self.status.drawn += 1;
                        if guest.errand.tell(Event::Token { token, logprobs: None }) == Control::Stop {
                            guest.sequence.end(FinishReason::Cancelled);
                        }
                    }
                }
                Ok(false) => match self.victim_beside(Some(i)) {
                    Some(other) => self.park(other)?,
                    // Nobody else holds blocks, so none of its own is shared and this does not happen.
                    None => {
                        let Guest { sequence, errand, .. } = self.guests.remove(i);
                        end(errand, sequence, FinishReason::ContextFull);
                    }
                },
                // Turns that are not in its context.
                Err(e @ Error::Position { .. }) => {
                    let Guest { mut sequence, mut errand, .. } = self.guests.remove(i);
                    sequence.release();
                    errand.deaf = false;
                    errand.tell(Event::Failed(e));
                }
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// Positions of all guests in the cache.
    fn known(&self) -> u64 {
        self.guests.iter().map(|g| u64::from(g.sequence.kv_len())).sum()
    }

    /// Tokens that all guests drafted, and those of them that they drew.
    fn drafts(&self) -> [u64; 2] {
        self.guests.iter().map(|g| g.sequence.drafts()).fold([0; 2], |[drafted, accepted], d| {
            [drafted + u64::from(d.drafted), accepted + u64::from(d.accepted)]
        })
    }

    fn report(&mut self) {
        self.status.running = self.guests.len() as u32;
        self.status.waiting = self.waiting.len() as u32;
        self.status.cache = self.batch.usage();
        *self.shared.status.lock().unwrap_or_else(PoisonError::into_inner) = self.status;
    }
}

/// Rows of prompts for so many sequences that draw and so many whose prompts are not computed yet. Larger steps end prompts sooner and
/// hold up those who draw. One prompt alone holds them up as little as was asked for; where others wait for it, rows grow with their
/// share, up to four times as many for a quarter of those who draw.
fn for_a_crowd(asked: RowCount, drawing: u32, prompts: u32) -> RowCount {
    let asked = u64::from(asked.0);
    let rows = asked * 16 * u64::from(prompts.saturating_sub(1)) / u64::from(drawing.max(1));
    RowCount(rows.clamp(asked, asked * 4).try_into().unwrap_or(u32::MAX))
}

/// Rows of prompts beside so many that draw: those asked for, or up to half as many less where the step then fits a smaller table.
fn beside(tables: impl Iterator<Item = RowCount>, drawing: u32, asked: RowCount) -> RowCount {
    let fits = tables.filter_map(|rows| rows.0.checked_sub(drawing)).filter(|left| *left <= asked.0);
    fits.max().filter(|left| *left >= asked.0.div_ceil(2)).map_or(asked, RowCount)
}

/// Gives a sequence's blocks back, then tells its owner: who hears of the end finds them free.
fn end(errand: Errand, mut sequence: Sequence, finish: FinishReason) {
    sequence.release();
    errand.end(Some(&sequence), finish);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_of_prompts_takes_larger_steps() {
        let rows = |drawing, prompts| for_a_crowd(RowCount(192), drawing, prompts).0;
        // One that arrives holds nobody up more than was asked for, nor do few where many draw.
        assert_eq!([(1, 1), (4, 1), (32, 1), (32, 3), (0, 0)].map(|(d, p)| rows(d, p)), [192; 5]);
        assert_eq!([(32, 4), (32, 5), (32, 7)].map(|(d, p)| rows(d, p)), [288, 384, 576]);
        assert_eq!([(1, 63), (4, 2), (48, 13), (0, 9)].map(|(d, p)| rows(d, p)), [768; 4]);
        assert_eq!(for_a_crowd(RowCount(u32::MAX), 1, u32::MAX / 3).0, u32::MAX);
    }

    #[test]
    fn prompts_fill_the_tables_that_there_are() {
        let gpu = |asked| {
            move |drawing| {
                let tables = [1, 2, 16, 32, 64, 128, 192, 256, 512].map(RowCount);
                beside(tables.into_iter(), drawing, RowCount(asked)).0
            }
        };
        assert_eq!([1, 32, 128, 129, 250, 256].map(gpu(256)), [255, 224, 128, 256, 256, 256]);
        assert_eq!([1, 32, 64, 97, 160].map(gpu(192)), [191, 160, 192, 159, 96]);
        // A step of a CPU is as long as its rows.
        let cpu = |drawing| beside([1, 8, 512].map(RowCount).into_iter(), drawing, RowCount(16)).0;
        assert_eq!([1, 4, 15].map(cpu), [16; 3]);
    }
}
