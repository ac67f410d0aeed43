//! The engine: one thread that runs a [`Batch`] for any number of requests.
//!
//! A request waits until there is a place and room in the KV cache; the highest priority goes first, then the one that came first. A
//! running sequence is one row of each step while it draws; prompts take what is left of a step, in pieces, so that who draws never
//! waits for a long prompt to end. Where nobody waits for a prompt, the device makes many steps without the host. A newcomer, a cancel
//! and the end of the engine end such a chain after the step under way.
//!
//! Where the cache is full, the sequence with the lowest priority that came last is parked: its blocks go to host memory, and come back
//! before anything new begins. No bit of it changes.
//!
//! A request ends alone: neither a cancel, nor a callback that panics, nor numbers that are not finite touch the others. An error of the
//! device ends all.
//!
//! Deliberately absent: text. Who wants it puts tokens through a [`TextStream`](crate::TextStream).

mod answer;
mod drafting;
mod guest;
mod run;

use crate::batch::{BatchOptions, SequenceOptions};
use crate::blocks::Usage;
use crate::decoded::{Control, FinishReason};
use crate::generate::Overflow;
use crate::logprobs::LogProbs;
use crate::model::Model;
use crate::{Batch, Error};
use akunu_kernels::step::{RowCount, Token};
pub use answer::Answer;

use akunu_device::Stream;
use run::Scheduler;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

/// How an engine schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// The batch.
    pub batch: BatchOptions,
    /// Rows of prompts in a step while other sequences draw; fewer let those draw more evenly, more end prompts sooner. `None` is
    /// the target's own: a CPU's step is as long as its rows. Where several wait for their prompts, steps take up to four
    /// times as many.
    pub prompt_rows: Option<RowCount>,
    /// The most steps of a chain.
    pub chain: u32,
    /// The most requests that wait; one more is refused.
    pub queue: usize,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self { batch: BatchOptions::default(), prompt_rows: None, chain: 64, queue: 4096 }
    }
}

/// A prompt and what to do with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The prompt.
    pub tokens: Vec<Token>,
    /// How to draw.
    pub options: SequenceOptions,
    /// Higher goes first, and may take the place of a lower one that runs.
    pub priority: i32,
    /// What happens when its context is full.
    pub overflow: Overflow,
}

/// What happens to a request.
#[derive(Debug)]
pub enum Event {
    /// It runs; so many tokens of its prompt need not be computed.
    Started {
        /// Tokens found in the KV cache.
        reused: u32,
    },
    /// A token was drawn.
    Token {
        /// Which.
        token: Token,
        /// Its log-probabilities, where [`Sampling::logprobs`](crate::Sampling::logprobs) asks for them.
        logprobs: Option<Box<LogProbs>>,
    },
    /// It has ended: the last event.
    Finished(Finished),
    /// It has failed: the last event.
    Failed(Error),
}

impl Event {
    /// Whether no event follows it.
    fn is_last(&self) -> bool {
        matches!(self, Self::Finished(_) | Self::Failed(_))
    }
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finished {
    /// Why.
    pub finish: FinishReason,
    /// Tokens of the prompt.
    pub prompt: u32,
    /// Of those, tokens found in the KV cache.
    pub reused: u32,
    /// Tokens drawn.
    pub tokens: u32,
    /// Seconds until it first ran, from then to its first token, and from there to its end.
    pub seconds: [f64; 3],
}

/// What an engine does now, and has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Sequences that run.
    pub running: u32,
    /// Requests that wait, those whose blocks were moved to host memory among them.
    pub waiting: u32,
    /// Blocks of the KV cache.
    pub cache: Usage,
    /// Tokens of prompts that were computed.
    pub prefilled: u64,
    /// Tokens of prompts that were found in the KV cache.
    pub reused: u64,
    /// Tokens drawn.
    pub drawn: u64,
    /// Tokens drafted and verified.
    pub drafted: u64,
    /// Of those, the ones that were drawn.
    pub accepted: u64,
    /// How often a sequence was moved to host memory.
    pub parked: u64,
    /// How often room was made in a full context.
    pub shifts: u64,
}

type Sink = Box<dyn FnMut(Event) -> Control + Send>;

/// A request with what it brings along.
struct Submission {
    request: Request,
    sink: Sink,
    cancelled: Arc<AtomicBool>,
    at: Instant,
    leads: Option<Leads>,
    /// Set once it may begin.
    follows: Option<Arc<AtomicBool>>,
}

/// What those with the same prompt wait for. Dropped when its request has drawn, or ended in any way: then they may begin.
struct Leads(Arc<AtomicBool>);

impl Drop for Leads {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// What the engine's thread and its users share.
struct Shared {
    inbox: Mutex<Inbox>,
    arrived: Condvar,
    /// Something is in the inbox, or somebody has cancelled.
    knock: AtomicBool,
    /// The run under way has several steps, queued without a look at `knock`.
    chained: AtomicBool,
    /// Requests that the thread has taken and that wait.
    waiting: AtomicUsize,
    stream: Arc<dyn Stream>,
    under_way: Mutex<UnderWay>,
    status: Mutex<Status>,
}

/// Whom the step under way is for.
#[derive(Default)]
struct UnderWay {
    /// Whether each of its guests was cancelled.
    cancelled: Vec<Arc<AtomicBool>>,
    /// The engine ends.
    closing: bool,
}

impl UnderWay {
    /// Whether nobody wants what it computes.
    fn is_vain(&self) -> bool {
        let all = || self.cancelled.iter().all(|c| c.load(Ordering::SeqCst));
        self.closing || !self.cancelled.is_empty() && all()
    }
}

#[derive(Default)]
struct Inbox {
    new: Vec<Submission>,
    closing: bool,
    /// Why nothing runs any more.
    broken: Option<String>,
}

impl Shared {
    fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn under_way(&self) -> MutexGuard<'_, UnderWay> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the step under way in its middle, where nobody wants it any more: that of a long prompt takes long.
    fn end_vain_step(&self) {
        if self.under_way().is_vain() {
            self.stream.cancel();
        }
    }

    /// Ends the chain under way after its step. The engine clears its stream's wish to pause and says that a chain begins before it looks
    /// at `knock`, and here it is the other way round: one of the two sees the other. The fences order what the stream does by itself.
    ///
    /// Single steps and steps under grammars are left alone: the latter are two tables each, and would end between them, without a draw. (A knock
    /// that has just seen a chain may still end the step after it, which is repeated then.) A run of steps under a grammar looks at `knock`
    /// after each draw.
    fn knock(&self) {
        self.knock.store(true, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        if self.chained.load(Ordering::SeqCst) {
            self.stream.pause();
        }
        self.arrived.notify_all();
    }
}

/// Cancels a request, from any thread.
#[derive(Clone)]
pub struct Ticket {
    cancelled: Arc<AtomicBool>,
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Ticket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ticket").field("cancelled", &self.cancelled).finish_non_exhaustive()
    }
}

impl Ticket {
    /// Ends the request, whether it waits, runs its prompt or draws, after the step under way; in its middle, where all others of
    /// that step were cancelled too (a GPU finishes it).
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        // The lock orders this with an engine that is about to sleep.
        drop(self.shared.inbox());
        self.shared.knock();
        self.shared.end_vain_step();
    }
}

/// Runs many requests at once. Dropping it cancels all of them.
pub struct Engine {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    model: Model,
    queue: usize,
    sequences: u32,
}

impl Engine {
    /// An engine with a batch of its own, and a thread.
    pub fn new(model: &Model, options: &EngineOptions) -> Result<Self, Error> {
        Self::over(model.batch(&options.batch)?, model, options)
    }

    /// An engine over a batch of this model.
    pub fn over(batch: Batch, model: &Model, options: &EngineOptions) -> Result<Self, Error> {
        if options.chain == 0 {
            return Err(Error::Option {
                name: "chain",
                value: "0".into(),
                remedy: "ask for at least one step",
            });
        }
        if options.prompt_rows == Some(RowCount(0)) {
            let remedy = "ask for at least one row";
            return Err(Error::Option { name: "prompt rows", value: "0".into(), remedy });
        }
        let shared = Arc::new(Shared {
            inbox: Mutex::default(),
            arrived: Condvar::new(),
            knock: AtomicBool::new(false),
            chained: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
            stream: batch.stopper(),
            under_way: Mutex::default(),
            status: Mutex::new(Status { cache: batch.usage(), ..Status::default() }),
        });
        let sequences = batch.program().capacity().seqs;
        let scheduler = Scheduler::new(batch, options, Arc::clone(&shared));
        let thread = std::thread::Builder::new().name("akunu-engine".into()).spawn(move || scheduler.run());
        let thread = thread
            .map_err(|source| Error::Device(akunu_device::DeviceError::Threads { threads: 1, source }))?;
        Ok(Self { shared, thread: Some(thread), model: model.clone(), queue: options.queue, sequences })
    }

    /// Submits a request whose events go to a callback on the engine's thread, which waits for it. One that says stop, or panics,
    /// ends the request.
    pub fn submit(
        &self,
        request: Request,
        sink: impl FnMut(Event) -> Control + Send + 'static,
    ) -> Result<Ticket, Error> {
        crate::batch::check(self.model.program(), &request.tokens, &request.options)?;
        let cancelled = Arc::new(AtomicBool::new(false));
        let ticket = Ticket { cancelled: Arc::clone(&cancelled), shared: Arc::clone(&self.shared) };
        let at = Instant::now();
        let sink = Box::new(sink);
        self.queue_up(vec![Submission { request, sink, cancelled, at, leads: None, follows: None }])?;
        Ok(ticket)
    }

    /// Submits a request whose events are waited for.
    pub fn start(&self, request: Request) -> Result<Answer, Error> {
        let (sender, answer) = answer::queue();
        let ticket = self.submit(request, move |event| sender.send(event))?;
        Ok(answer(ticket))
    }

    /// The same of requests with one prompt: the first computes it, and the others begin once it is in the KV cache. All are taken,
    /// or none.
    pub fn start_all(&self, requests: Vec<Request>) -> Result<Vec<Answer>, Error> {
        let prompt = Arc::new(AtomicBool::new(requests.len() < 2));
        let (mut submissions, mut answers) = (Vec::new(), Vec::new());
        for (i, request) in requests.into_iter().enumerate() {
            crate::batch::check(self.model.program(), &request.tokens, &request.options)?;
            let (sender, answer) = answer::queue();
            let cancelled = Arc::new(AtomicBool::new(false));
            answers
                .push(answer(Ticket { cancelled: Arc::clone(&cancelled), shared: Arc::clone(&self.shared) }));
            let sink: Sink = Box::new(move |event| sender.send(event));
            let leads = (i == 0).then(|| Leads(Arc::clone(&prompt)));
            let follows = (i > 0).then(|| Arc::clone(&prompt));
            submissions.push(Submission { request, sink, cancelled, at: Instant::now(), leads, follows });
        }
        self.queue_up(submissions)?;
        Ok(answers)
    }

    /// Puts submissions into the inbox, all or none.
    fn queue_up(&self, submissions: Vec<Submission>) -> Result<(), Error> {
        {
            let mut inbox = self.shared.inbox();
            if let Some(why) = &inbox.broken {
                return Err(Error::Stopped { why: why.clone() });
            }
            if inbox.new.len() + self.shared.waiting.load(Ordering::SeqCst) + submissions.len() > self.queue {
                return Err(Error::QueueFull { waiting: self.queue });
            }
            inbox.new.extend(submissions);
        }
        self.shared.knock();
        Ok(())
    }

    /// What it does now, as of its last step.
    pub fn status(&self) -> Status {
        *self.shared.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The most sequences that run at a time.
    pub fn sequences(&self) -> u32 {
        self.sequences
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.shared.inbox().closing = true;
        self.shared.under_way().closing = true;
        self.shared.knock();
        self.shared.end_vain_step();
        if let Some(thread) = self.thread.take() {
            // A thread that has panicked has told its guests.
            let _ = thread.join();
        }
    }
}
