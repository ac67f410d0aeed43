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
use akunu_device::Memory;
use akunu_kernels::accept::{Draft, lookup};
use akunu_kernels::step::{SeqIndex, Token};

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

    /// Of a session that has a draft model.
    pub(crate) fn assisted(options: DraftOptions) -> Self {
        Self::by(By::Model, options)
    }

    /// Whether a draft model drafts.
    pub(crate) fn is_assisted(&self) -> bool {
        self.by == By::Model
    }

    fn by(by: By, options: DraftOptions) -> Self {
        // Nobody knows whether anything repeats: until some steps were followed, they are taken to give just what they cost.
        let (gain, rate) = (Self::HOPE, Self::GUESS);
        Self { options, by, gain, rate, steps: [0; 2], seconds: [None; 2], rest: Self::MEASURED }
    }

    /// The same at the beginning of another text: what steps cost is known.
    pub(crate) fn anew(&self) -> Self {
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

    /// Counts a plain step: after some, a draft model is tried again.
    pub(crate) fn count_plain_step(&mut self) {
        self.rest = self.rest.saturating_sub(1);
    }

    /// Says how many plain steps must follow, once drafting ends, before a draft model is tried again.
    pub(crate) fn start_rest(&mut self) {
        self.rest = Self::REST;
    }

    /// The most steps of a submission. What is queued still runs after the choice falls on the other table: so few steps while drafts
    /// are tried, and not the whole answer otherwise, though a GPU would take it at once.
    pub(crate) fn chunk(&self, mode: Mode) -> u32 {
        match mode {
            // Just enough to be believed.
            _ if self.seconds[0].is_none() => Self::MEASURED,
            Mode::Drafting => 8,
            Mode::Plain => 32,
        }
    }

    /// The most tokens that are worth drafting: more than steps met of late, for as long as these are met. A row costs time.
    pub(crate) fn worth(&self) -> u32 {
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
