//! A request's way through the engine: it waits, runs as a guest of the batch, is parked and goes on, and tells its owner.

use super::{Event, Finished, Leads, Sink};
use crate::Request;
use crate::batch::{Batch, Sequence};
use crate::decoded::{Control, FinishReason};
use crate::drafts::Follower;
use crate::generate::{Overflow, half};
use akunu_kernels::step::KV_BLOCK;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A request that runs.
pub(super) struct Guest {
    pub(super) sequence: Sequence,
    pub(super) errand: Errand,
    /// What its steps draft, or would.
    pub(super) follower: Follower,
}

impl Guest {
    /// Whether it ended with a full context and is to go on.
    pub(super) fn wants_room(&self) -> bool {
        self.sequence.finish() == Some(FinishReason::ContextFull) && self.errand.overflow != Overflow::End
    }
}

impl AsMut<Sequence> for Guest {
    fn as_mut(&mut self) -> &mut Sequence {
        &mut self.sequence
    }
}

/// Whom a request's events go to, and its place among others.
pub(super) struct Errand {
    pub(super) sink: Sink,
    pub(super) cancelled: Arc<AtomicBool>,
    pub(super) priority: i32,
    pub(super) overflow: Overflow,
    /// How often room was made.
    pub(super) shifts: u32,
    /// Requests are numbered as they come.
    pub(super) number: u64,
    pub(super) submitted: Instant,
    pub(super) started: Option<Instant>,
    pub(super) first: Option<Instant>,
    /// Nobody listens any more.
    pub(super) deaf: bool,
    /// Others wait for its prompt.
    pub(super) leads: Option<Leads>,
    /// It waits for another one's prompt until this is set.
    pub(super) follows: Option<Arc<AtomicBool>>,
}

impl Errand {
    /// Whether the prompt that it waits for is in the cache, or nobody computes it any more.
    pub(super) fn may_begin(&self) -> bool {
        self.follows.as_ref().is_none_or(|f| f.load(Ordering::SeqCst))
    }

    /// Tells the owner. A panic there is the owner's alone: the request ends.
    pub(super) fn tell(&mut self, event: Event) -> Control {
        if self.deaf {
            return Control::Stop;
        }
        let said = catch_unwind(AssertUnwindSafe(|| (self.sink)(event)));
        let said = said.unwrap_or(Control::Stop);
        self.deaf = said == Control::Stop;
        said
    }

    /// What is kept and what is dropped when the context of `kv_len` positions is full.
    pub(super) fn room(&self, kv_len: u32) -> (u32, u32) {
        match &self.overflow {
            Overflow::Shift { drop, keep } => match drop.get(self.shifts as usize) {
                Some(turns) => (turns.start, turns.end.saturating_sub(turns.start)),
                None => half(kv_len, *keep),
            },
            Overflow::End => half(kv_len, 0),
        }
    }

    fn finished(&self, sequence: Option<&Sequence>, finish: FinishReason) -> Finished {
        let now = Instant::now();
        let started = self.started.unwrap_or(now);
        let first = self.first.unwrap_or(now);
        let seconds = |from: Instant, to: Instant| to.saturating_duration_since(from).as_secs_f64();
        Finished {
            finish,
            prompt: sequence.map_or(0, Sequence::prompt_len),
            reused: sequence.map_or(0, Sequence::reused),
            tokens: sequence.map_or(0, Sequence::drawn_len),
            seconds: [seconds(self.submitted, started), seconds(started, first), seconds(first, now)],
        }
    }

    /// The last event.
    pub(super) fn end(mut self, sequence: Option<&Sequence>, finish: FinishReason) {
        // An owner that has said stop still hears how it ended.
        self.deaf = false;
        let event = match sequence {
            Some(s) if matches!(finish, FinishReason::NotFinite | FinishReason::Stuck) => {
                Event::Failed(s.error())
            }
            _ => Event::Finished(self.finished(sequence, finish)),
        };
        self.tell(event);
    }
}

/// A request that waits: new, or with its blocks in host memory.
pub(super) struct Waiting {
    pub(super) errand: Errand,
    pub(super) what: What,
    short: Option<Short>,
}

/// What somebody found too little of.
#[derive(Clone, Copy)]
struct Short {
    /// Blocks that it takes of those available,
    needed: u32,
    /// as long as this is what others have published.
    published: u64,
}

pub(super) enum What {
    New(Box<Request>),
    Parked(Box<Sequence>),
}

impl Waiting {
    pub(super) fn new(errand: Errand, what: What) -> Self {
        Self { errand, what, short: None }
    }

    /// Blocks that it takes of those available. The cache is searched only if more may be found than the last time.
    pub(super) fn needed(&mut self, batch: &Batch) -> u32 {
        let published = batch.published();
        if let Some(short) = self.short.filter(|s| s.published == published) {
            return short.needed;
        }
        let needed = match &self.what {
            What::New(request) => batch.needed(&request.tokens),
            What::Parked(sequence) => sequence.positions().div_ceil(KV_BLOCK),
        };
        self.short = Some(Short { needed, published });
        needed
    }

    /// Smaller goes first: by priority, then as they came. Who was parked keeps its number.
    pub(super) fn rank(&self) -> (std::cmp::Reverse<i32>, u64) {
        (std::cmp::Reverse(self.errand.priority), self.errand.number)
    }
}
