//! A session's steps that verify drafts, where these pay.

use crate::Error;
use crate::decode::Run;
use crate::decoded::{Control, DecodeOptions, Eos, FinishReason, OnToken};
use crate::drafts::{DraftCounts, Follower, Gave, Mode, Pace};
use crate::sampling::Settings;
use crate::session::{Drafts, ForceDrafts, Session, StepWrite};
use akunu_device::Replay;
use akunu_kernels::accept::Draft;
use akunu_kernels::step::{NO_TOKEN, RowCount, SeqIndex, StopReason, Token};
use akunu_plan::table::Region;
use std::time::Instant;

/// What a run's steps are written with.
#[derive(Clone, Copy)]
struct Terms<'a> {
    settings: Settings,
    limit: u32,
    eos: &'a [Token],
    chunk: u32,
}

/// Parts of a session's drafts, which it does not hold while it runs.
struct Parts<'a> {
    pace: &'a mut Pace,
    follower: &'a mut Follower,
    verify: &'a mut Option<Box<dyn Replay>>,
}

/// The same, with a draft model.
struct Drafter<'a> {
    model: &'a mut Session,
    force: &'a mut Option<ForceDrafts>,
    pace: &'a mut Pace,
    verify: &'a mut Box<dyn Replay>,
}

/// How a phase of steps of one kind ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The other kind is better now, or longer or shorter drafts are, or the device has waited for the host.
    Changed,
    /// The last token has been drawn.
    Over,
    /// The callback said stop.
    Stopped,
}

impl Session {
    /// Has what a draft model draws changed before it is verified, for measurements of what a given share of right drafts costs. The
    /// text stays what it is.
    #[doc(hidden)]
    pub fn force_drafts(&mut self, force: ForceDrafts) {
        if let Some(drafts) = &mut self.drafts {
            drafts.force = Some(force);
        }
    }

    /// As `chain`, with steps that verify drafts where these pay.
    pub(crate) fn chain_drafting(
        &mut self,
        drafts: &mut Drafts,
        run: &mut Run<'_>,
        tail: RowCount,
        limit: u32,
        on_token: &mut OnToken<'_>,
    ) -> Result<FinishReason, Error> {
        let model = std::sync::Arc::clone(&self.model);
        let eos = run.eos(&model);
        let settings = run.options.sampling.settings();
        let chunk = run.options.chunk.unwrap_or(self.program.target.chunk).max(1);
        let terms = Terms { settings, limit, eos, chunk };
        let (table, rows) = self.rung(tail);
        // Whatever is made for the first time is made before the first step.
        self.table(table, settings.draw)?;
        self.table(0, settings.draw)?;
        drafts.prepare(settings.draw, &self.program, |t| {
            Ok(self.model.device.lower(t, &self.memory, &self.stream)?)
        })?;
        self.write_sampler(&run.options.sampling, &settings)?;
        // A draft model's tokens come from the host.
        let words = Draft { most: 0, ..drafts.pace.words() };
        self.memory[Region::Drafts as usize].write(0, bytemuck::bytes_of(&words))?;
        let first = self.kv_len;
        self.write_step(StepWrite { first, rows, head_rows: RowCount(1), limit, settings, eos })?;
        self.table(table, settings.draw)?.submit(1)?;
        drafts.pace = drafts.pace.anew();
        let mut ended = self.first_token(run, &terms, on_token)?;
        let mut mode = drafts.pace.mode(Mode::Plain);
        while ended == Phase::Changed {
            let Drafts { pace, tables, model, follower, force, .. } = &mut *drafts;
            let verify = &mut tables[settings.draw as usize];
            ended = match (model, verify, mode) {
                (Some(model), Some(verify), Mode::Drafting) => {
                    let drafter = Drafter { model, force, pace, verify };
                    self.assisted(drafter, run, &terms, on_token)?
                }
                (_, verify, mode) => {
                    let parts = Parts { pace, follower, verify };
                    self.phase(parts, mode, run, &terms, on_token)?
                }
            };
            mode = pace.mode(mode);
        }
        self.tell_drafts(run, &drafts.pace.words())?;
        self.settle(run, ended == Phase::Stopped)
    }

    /// Takes what the device has counted, and tells it how to draft.
    fn tell_drafts(&self, run: &mut Run<'_>, words: &Draft) -> Result<(), Error> {
        let region = &*self.memory[Region::Drafts as usize];
        run.drafts += DraftCounts::read(region, SeqIndex(0))?;
        Ok(region.write(0, bytemuck::bytes_of(words))?)
    }

    /// Reads what the step after the prompt has drawn.
    fn first_token(
        &mut self,
        run: &mut Run<'_>,
        terms: &Terms<'_>,
        on_token: &mut OnToken<'_>,
    ) -> Result<Phase, Error> {
        self.stream.wait(u64::MAX, 0)?;
        if self.read_tokens(run, on_token) == Control::Stop {
            return Ok(Phase::Stopped);
        }
        Ok(if run.seen == 0 || self.is_over(terms) { Phase::Over } else { Phase::Changed })
    }

    /// Whether the last token was the last one: the rule of `advance`.
    fn is_over(&self, terms: &Terms<'_>) -> bool {
        let last = self.tokens.last();
        self.position() > terms.limit || last.is_none_or(|t| terms.eos.contains(t))
    }

    /// Tokens that can be drafted after so many that are known.
    fn room(&self, limit: u32, known: u32) -> u32 {
        limit.min(self.context()).saturating_sub(known).min(self.program.drafts)
    }

    /// Steps of one kind, always one submission ahead of what is being read, until the other kind is better.
    fn phase(
        &mut self,
        Parts { pace, follower, verify }: Parts<'_>,
        mode: Mode,
        run: &mut Run<'_>,
        terms: &Terms<'_>,
        on_token: &mut OnToken<'_>,
    ) -> Result<Phase, Error> {
        let room = self.room(terms.limit, self.position());
        let words = pace.words();
        let draft = follower.begin(&words, &self.tokens, room);
        let rows = if mode == Mode::Drafting { draft.len() as u32 + 1 } else { 1 };
        if rows > 1 {
            self.write_belt(self.tokens.len(), draft)?;
        }
        let Terms { settings, limit, eos, chunk } = *terms;
        let (first, rows) = (self.position() - 1, RowCount(rows));
        self.tell_drafts(run, &words)?;
        self.write_step(StepWrite { first, rows, head_rows: rows, limit, settings, eos })?;
        let chunk = chunk.min(pace.chunk(mode));
        let (start, steps, mut followed) = (Instant::now(), pace.steps(), self.tokens.len());
        let (mut queue, mut ended) = (true, Phase::Changed);
        let from = followed;
        loop {
            // One runs and one waits. Steps after a stop return at once.
            while queue && self.stream.progress().pending < 2 {
                match (mode, &mut *verify) {
                    (Mode::Drafting, Some(verify)) => verify.submit(chunk)?,
                    _ => self.table(0, settings.draw)?.submit(chunk)?,
                }
            }
            let p = self.stream.wait(u64::from(run.seen) + 1, u64::from(queue))?;
            if ended == Phase::Changed && self.read_tokens(run, on_token) == Control::Stop {
                ended = Phase::Stopped;
                self.stream.cancel();
            }
            while followed < self.tokens.len() {
                followed += 1;
                let room = self.room(limit, followed as u32);
                if pace.is_assisted() {
                    pace.count_plain_step();
                } else if let Some(gave) = follower.follow(&words, &self.tokens[..followed], room) {
                    pace.take(gave);
                }
            }
            if ended == Phase::Changed && (self.is_over(terms) || self.found_none(run)) {
                ended = Phase::Over;
            }
            match (mode, start.elapsed().as_secs_f64()) {
                (Mode::Plain, seconds) => pace.measure((followed - from) as u32, seconds),
                (Mode::Drafting, seconds) => pace.measure_drafting(steps, seconds),
            }
            // Drafts twice as long, or half as long, are worth a pause.
            let (now, then) = (pace.worth(), words.unsure);
            let same = mode == Mode::Plain || now < 2 * then && then < 2 * now;
            queue =
                queue && ended == Phase::Changed && same && pace.mode(mode) == mode && !self.cancel.asked();
            if p.pending == 0 && !queue {
                break;
            }
        }
        self.after_phase(run, ended, on_token)
    }

    /// Steps that verify what a draft model has drawn, until plain ones are better.
    fn assisted(
        &mut self,
        Drafter { model, force, pace, verify }: Drafter<'_>,
        run: &mut Run<'_>,
        terms: &Terms<'_>,
        on_token: &mut OnToken<'_>,
    ) -> Result<Phase, Error> {
        let Terms { settings, limit, eos, .. } = *terms;
        let (start, steps) = (Instant::now(), pace.steps());
        pace.start_rest();
        loop {
            let most = self.room(limit, self.position()).min(pace.worth());
            let drafted = self.ask(model, most, run)?;
            let known = self.tokens.len();
            if drafted > 0 {
                let draft = known..known + drafted as usize;
                if let Some(force) = force {
                    force(known, &mut model.tokens[draft.clone()]);
                    model.write_belt(known, &model.tokens[draft.clone()])?;
                }
                self.write_belt(known, &model.tokens[draft])?;
            }
            let (first, rows) = (self.position() - 1, RowCount(drafted + 1));
            self.write_step(StepWrite { first, rows, head_rows: rows, limit, settings, eos })?;
            verify.submit(1)?;
            self.stream.wait(u64::MAX, 0)?;
            let wish = self.read_tokens(run, on_token);
            let gave = (self.tokens.len() - known) as u32;
            pace.take(Gave { drafts: drafted.max(1), tokens: gave });
            pace.measure_drafting(steps, start.elapsed().as_secs_f64());
            self.kv_len = self.position() - 1;
            if wish == Control::Stop {
                return Ok(Phase::Stopped);
            }
            if gave == 0 || self.is_over(terms) || self.cancel.asked() {
                return Ok(Phase::Over);
            }
            if pace.mode(Mode::Drafting) == Mode::Plain {
                return Ok(Phase::Changed);
            }
        }
    }

    /// Has a draft model draw up to `most` tokens after all that are known; how many it drew. Where its context is shorter, none.
    fn ask(&self, model: &mut Session, most: u32, run: &Run<'_>) -> Result<u32, Error> {
        let common = model.tokens.iter().zip(&self.tokens).take_while(|(a, b)| a == b).count();
        if most == 0 || self.tokens.len() as u64 + u64::from(most) > u64::from(model.context()) {
            return Ok(0);
        }
        model.rewind(common as u32)?;
        model.append(&self.tokens[common..])?;
        let options = DecodeOptions {
            max_tokens: most,
            sampling: run.options.sampling.clone(),
            eos: Eos::Ignore,
            chunk: Some(most),
        };
        match model.decode(&options, &mut |_| Control::Continue) {
            Ok(drawn) => Ok(drawn.tokens),
            // Its numbers are its own; the model goes on without it.
            Err(Error::NotFinite { .. } | Error::NoToken { .. }) => Ok(0),
            Err(e) => Err(e),
        }
    }

    /// Waits for what is queued, and takes what it has drawn.
    fn after_phase(
        &mut self,
        run: &mut Run<'_>,
        ended: Phase,
        on_token: &mut OnToken<'_>,
    ) -> Result<Phase, Error> {
        self.stream.wait(u64::MAX, 0)?;
        if ended != Phase::Stopped && self.read_tokens(run, on_token) == Control::Stop {
            return Ok(Phase::Stopped);
        }
        if ended != Phase::Changed {
            return Ok(ended);
        }
        let (_, _, stop) = self.read_stop()?;
        // A device that runs no step after a cancel sets no stop word.
        let over = stop != StopReason::None || self.cancel.asked();
        self.kv_len = self.position() - 1;
        Ok(if over { Phase::Over } else { Phase::Changed })
    }

    /// Whether the last step has found no token to draw.
    fn found_none(&self, run: &Run<'_>) -> bool {
        let mut next = [Token(0)];
        self.stream.tokens(u64::from(run.seen), &mut next) == 1 && next[0] == NO_TOKEN
    }
}
