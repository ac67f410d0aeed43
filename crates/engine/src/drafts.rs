//! Drafts: tokens that somebody guesses and a step verifies, several at once. What is drawn is what would have been drawn one by one;
//! only the time differs.
//!
//! A draft model is a session of its own with the same settings. Noise is a function of (seed, position, token), so where the two models
//! agree they draw the same token, at any temperature. The host stands between the two: a submission of drafts, then one that verifies.
//!
//! By look-up, drafting and verifying both happen on the device ([`akunu_kernels::accept`]): a chain of such steps is one submission. The
//! host reads the tokens and follows with the same look-up ([`Pace`]), so it knows how much each step gave, and how much it would give
//! while none is drafted. By these numbers and by the steps' measured times it chooses between tables that draft and tables that do not.

use crate::Error;
use crate::decode::{Control, DecodeOptions, Eos, FinishReason, OnToken, Run};
use crate::sampling::Settings;
use crate::session::{Session, StepWrite};
use akunu_device::{Memory, Replay};
use akunu_kernels::accept::{Draft, lookup};
use akunu_kernels::step::{NO_TOKEN, RowCount, SeqIndex, StopReason, Token};
use akunu_plan::table::Region;
use akunu_plan::{Draw, Program, VerifiedTable};
use std::time::Instant;

/// How drafts are made, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DraftOptions {
    /// The most tokens drafted for a step; at least 1. Fewer where more would move a step to another family of tables.
    pub most: u32,
    /// The fewest tokens that must agree with what came before; at least 1.
    pub least: u32,
    /// When to draft.
    pub when: DraftWhen,
}

/// When to draft.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DraftWhen {
    /// While it is faster than not drafting, as far as was measured.
    #[default]
    ItPays,
    /// Always; for tests and measurements.
    Always,
}

impl Default for DraftOptions {
    fn default() -> Self {
        Self { most: 7, least: 2, when: DraftWhen::ItPays }
    }
}

impl DraftOptions {
    /// Refuses numbers that mean nothing.
    pub fn check(&self) -> Result<(), Error> {
        for (name, value) in [("draft max", self.most), ("draft match", self.least)] {
            if value == 0 || value > lookup::LONGEST {
                let remedy = "choose between 1 and 16 tokens";
                return Err(Error::Option { name, value: value.to_string(), remedy });
            }
        }
        Ok(())
    }

    /// What a device is told, with the most tokens of a draft whose match is short.
    pub(crate) fn words(&self, unsure: u32) -> Draft {
        Draft { most: self.most, unsure, least: self.least, ..Draft::default() }
    }
}

/// What came of drafts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DraftCounts {
    /// Tokens drafted and verified.
    pub drafted: u32,
    /// Of those, the ones that were drawn.
    pub accepted: u32,
}

impl DraftCounts {
    /// What the device has counted in the region `drafts` for a sequence since its drafts were last written.
    pub(crate) fn read(region: &dyn Memory, index: SeqIndex) -> Result<Self, Error> {
        let mut words = [0u8; size_of::<Draft>()];
        region.read(draft_offset(index), &mut words)?;
        let Draft { drafted, accepted, .. } = bytemuck::pod_read_unaligned(&words);
        Ok(Self { drafted, accepted })
    }
}

/// Where a sequence's words are in the region `drafts`.
pub(crate) fn draft_offset(index: SeqIndex) -> u64 {
    u64::from(index.0) * size_of::<Draft>() as u64
}

impl std::ops::AddAssign for DraftCounts {
    fn add_assign(&mut self, o: Self) {
        self.drafted += o.drafted;
        self.accepted += o.accepted;
    }
}

/// What a measurement does to drafts, after so many known tokens.
pub type ForceDrafts = Box<dyn FnMut(usize, &mut [Token]) + Send>;

/// A session's drafts.
pub(crate) struct Drafts {
    /// The draft model, where there is one.
    model: Option<Session>,
    /// Changes what it has drawn.
    force: Option<ForceDrafts>,
    /// The tables that verify them, plain and with all samplers, once somebody has asked.
    tables: [Option<Box<dyn Replay>>; 2],
    pace: Pace,
    follower: Follower,
}

impl Drafts {
    pub(crate) fn new(options: DraftOptions, model: Option<Session>) -> Self {
        let by = if model.is_some() { By::Model } else { By::LookUp };
        Self {
            model,
            force: None,
            tables: [None, None],
            pace: Pace::by(by, options),
            follower: Follower::default(),
        }
    }
}

impl Drafts {
    /// Makes the table that verifies drafts with such draws, unless it is there; `lower` makes a table a device's.
    pub(crate) fn prepare(
        &mut self,
        draw: Draw,
        program: &Program,
        lower: impl FnOnce(&VerifiedTable) -> Result<Box<dyn Replay>, Error>,
    ) -> Result<(), Error> {
        let verify = &mut self.tables[draw as usize];
        if verify.is_none() {
            *verify = Some(lower(&program.drafting_table(RowCount(program.drafts + 1), draw)?)?);
        }
        Ok(())
    }
}

/// Who drafts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    LookUp,
    Model,
}

/// Whether steps verify drafts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Plain,
    Drafting,
}

/// Follows a sequence by the same look-up as the device's: what its steps draft, or would.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Follower {
    draft: [Token; lookup::LONGEST as usize],
    /// Tokens of the draft, and how many of them were met.
    count: usize,
    met: usize,
}

impl Default for Follower {
    fn default() -> Self {
        Self { draft: [Token(0); lookup::LONGEST as usize], count: 0, met: 0 }
    }
}

impl Follower {
    /// Begins a step after `known`, whose draft has room for so many tokens; the draft.
    pub(crate) fn begin(&mut self, draft: &Draft, known: &[Token], room: u32) -> &[Token] {
        let found = lookup::find(known);
        let n = found.map_or(0, |(_, matched)| lookup::count(draft, matched, room)) as usize;
        if let Some((from, _)) = found {
            for (i, token) in self.draft[..n].iter_mut().enumerate() {
                *token = lookup::token(known, from, i);
            }
        }
        (self.count, self.met) = (n, 0);
        &self.draft[..n]
    }

    /// Follows the last of `known`, which has just been drawn. Where a step ends with it, what that was, and the next begins.
    pub(crate) fn follow(&mut self, draft: &Draft, known: &[Token], room: u32) -> Option<Gave> {
        if self.met < self.count && known.last() == Some(&self.draft[self.met]) {
            self.met += 1;
            return None;
        }
        let gave = Gave { drafts: self.count as u32, tokens: self.met as u32 + 1 };
        self.begin(draft, known, room);
        Some(gave)
    }
}

/// What a step of a sequence gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gave {
    pub(crate) drafts: u32,
    pub(crate) tokens: u32,
}

/// How much drafts give, and what steps cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    options: DraftOptions,
    by: By,
    /// Tokens that a step with drafts gives; a mean that forgets.
    gain: f64,
    /// The same of all steps of a table that drafts, those without any draft among them.
    rate: f64,
    /// Steps followed, drafting or as if: without any draft, and with some.
    steps: [u32; 2],
    /// Seconds of a step: plain, and of a table that drafts, whether or not something was drafted.
    seconds: [Option<f64>; 2],
    /// Plain steps before a draft model is tried, or tried again.
    rest: u32,
}

impl Pace {
    /// What the last step counts in the means of steps with drafts and of all steps.
    const WEIGHT: f64 = 0.25;
    const SLOW: f64 = 0.125;
    /// How much longer a step of a table that drafts is taken to be until some were measured, and how much one with drafts is taken to give.
    const GUESS: f64 = 1.5;
    const HOPE: f64 = 2.5;
    /// Steps before a time is believed.
    const MEASURED: u32 = 4;
    /// Steps begin to draft where a token by drafts takes less than this share of a plain token's time; so that noise changes nothing.
    const MARGIN: f64 = 0.9;
    /// Plain steps before a draft model that did not pay is tried again.
    const REST: u32 = 128;

    /// Of sequences that draft by look-up.
    pub(crate) fn new(options: DraftOptions) -> Self {
        Self::by(By::LookUp, options)
    }

    fn by(by: By, options: DraftOptions) -> Self {
        // Nobody knows whether anything repeats: until some steps were followed, they are taken to give just what they cost.
        let (gain, rate) = (Self::HOPE, Self::GUESS);
        Self { options, by, gain, rate, steps: [0; 2], seconds: [None; 2], rest: Self::MEASURED }
    }

    /// The same at the beginning of another text: what steps cost is known.
    fn anew(&self) -> Self {
        Self { seconds: self.seconds, ..Self::by(self.by, self.options) }
    }

    /// Takes what a step gave, drafting or as if.
    pub(crate) fn take(&mut self, gave: Gave) {
        self.steps[usize::from(gave.drafts > 0)] += 1;
        self.rate += Self::SLOW * (f64::from(gave.tokens) - self.rate);
        if gave.drafts > 0 {
            self.gain += Self::WEIGHT * (f64::from(gave.tokens) - self.gain);
        }
    }

    /// The most steps of a submission. What is queued still runs after the choice falls on the other table: so few steps while drafts
    /// are tried, and not the whole answer otherwise, though a GPU would take it at once.
    fn chunk(&self, mode: Mode) -> u32 {
        match mode {
            // Just enough to be believed.
            _ if self.seconds[0].is_none() => Self::MEASURED,
            Mode::Drafting => 8,
            Mode::Plain => 32,
        }
    }

    /// The most tokens that are worth drafting: more than steps met of late, for as long as these are met. A row costs time.
    fn worth(&self) -> u32 {
        (self.gain.round() as u32 + 1).clamp(1, self.options.most)
    }

    /// How a device drafts by look-up now.
    pub(crate) fn words(&self) -> Draft {
        let words = self.options.words(self.worth());
        if self.by == By::LookUp { words } else { Draft { most: 0, ..words } }
    }

    /// Takes the time of plain steps.
    pub(crate) fn measure(&mut self, steps: u32, seconds: f64) {
        if steps >= Self::MEASURED {
            self.seconds[0] = Some(seconds / f64::from(steps));
        }
    }

    /// Steps followed: without any draft, and with some.
    pub(crate) fn steps(&self) -> [u32; 2] {
        self.steps
    }

    /// Takes the time of steps of a table that drafts, from where there were `before` on.
    pub(crate) fn measure_drafting(&mut self, before: [u32; 2], seconds: f64) {
        let steps: u32 = self.steps.iter().sum::<u32>() - before.iter().sum::<u32>();
        if let Some(plain) = self.seconds[0].filter(|_| steps >= Self::MEASURED) {
            self.seconds[1] = Some((seconds / f64::from(steps)).max(plain));
        }
    }

    /// How to go on.
    pub(crate) fn mode(&self, now: Mode) -> Mode {
        if self.options.when == DraftWhen::Always {
            return Mode::Drafting;
        }
        let Some(plain) = self.seconds[0] else { return Mode::Plain };
        // A draft model drafts for every step.
        let gain = if self.by == By::LookUp { self.rate } else { self.gain };
        let token = self.seconds[1].unwrap_or(plain * Self::GUESS) / gain;
        match (self.by, now) {
            (By::LookUp, _) => {}
            // What a draft model gives is known by trying.
            (By::Model, Mode::Plain) => return if self.rest == 0 { Mode::Drafting } else { Mode::Plain },
            (By::Model, Mode::Drafting) if self.steps[1] < 2 * Self::MEASURED => return now,
            (By::Model, Mode::Drafting) => {}
        }
        match now {
            Mode::Plain if token < plain * Self::MARGIN => Mode::Drafting,
            Mode::Drafting if token > plain => Mode::Plain,
            now => now,
        }
    }
}

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
        let (start, steps, mut followed) = (Instant::now(), pace.steps, self.tokens.len());
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
                if pace.by == By::Model {
                    pace.rest = pace.rest.saturating_sub(1);
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
        let (start, steps) = (Instant::now(), pace.steps);
        pace.rest = Pace::REST;
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
