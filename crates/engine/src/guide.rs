//! A grammar at work on one sequence: which tokens the next draw may take, and which come without one.
//!
//! Sessions and batches ask the same things of it, in this order: is the text over, what is forced, what may be drawn; then they tell
//! it what was taken.

use crate::Error;
use crate::grammar::{GrammarError, Matcher};
use crate::sampling::Sampling;
use akunu_device::DeviceError;
use akunu_kernels::sampler::mask_words;
use akunu_kernels::step::Token;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError, mpsc};
use std::time::{Duration, Instant};

/// What a text's grammar may take of the host's time in all, and for each token beside that. A mask takes some tens of microseconds;
/// one of a grammar that means everything several times may take a tenth of a second.
const TIME: Duration = Duration::from_secs(3);
const TIME_PER_TOKEN: Duration = Duration::from_millis(5);

/// What follows a sequence. Its matcher may be at work on another thread ([`MaskMakers`]); whoever asks for it then waits.
#[derive(Debug)]
pub(crate) struct Guide {
    work: Arc<Mutex<Work>>,
    /// Whether the next mask was handed to other threads.
    handed: bool,
    /// The model's tokens; its tokenizer may know fewer, or more.
    vocab: u32,
    /// Tokens that must come next.
    forced: VecDeque<Token>,
    /// Whether they were looked for since the last token that was drawn.
    looked: bool,
    /// Whether forced tokens are drawn too: who asks for log-probabilities gets those of every token.
    draws_all: bool,
}

/// A matcher and what it has made.
#[derive(Debug)]
struct Work {
    matcher: Matcher,
    vocab: u32,
    /// Bit `i % 32` of word `i / 32`: token i may be drawn.
    mask: Vec<u32>,
    /// Whether the mask is that of the next draw.
    made: Made,
    /// Time that it took so far, and tokens that were taken.
    spent: Duration,
    taken: u32,
}

#[derive(Clone, Debug)]
enum Made {
    No,
    Yes,
    Failed(GrammarError),
}

/// Whether a mask is there.
#[derive(Debug)]
pub(crate) enum MaskState {
    Ready,
    Missing,
    Failed(GrammarError),
}

impl Work {
    fn fork(&self) -> Self {
        Self {
            matcher: self.matcher.fork(),
            vocab: self.vocab,
            mask: self.mask.clone(),
            made: self.made.clone(),
            spent: self.spent,
            taken: self.taken,
        }
    }

    /// Does something that takes time; an error where all of it together took too long.
    fn timed(
        &mut self,
        work: impl FnOnce(&mut Matcher) -> Result<(), GrammarError>,
    ) -> Result<(), GrammarError> {
        let start = Instant::now();
        let done = work(&mut self.matcher);
        self.spent += start.elapsed();
        if self.spent > TIME + TIME_PER_TOKEN * self.taken {
            let message = format!("it took {:.1} s for {} tokens", self.spent.as_secs_f64(), self.taken);
            return Err(GrammarError::Stuck { message });
        }
        done
    }

    /// Makes the mask of the next draw, unless it is made.
    fn make_mask(&mut self) {
        if matches!(self.made, Made::No) {
            self.made = match self.mask() {
                Ok(()) => Made::Yes,
                Err(e) => Made::Failed(e),
            };
        }
    }

    fn mask(&mut self) -> Result<(), GrammarError> {
        let mut mask = std::mem::take(&mut self.mask);
        let made = self.timed(|m| m.mask(&mut mask));
        self.mask = mask;
        made?;
        let words = mask_words(self.vocab) as usize;
        if !self.vocab.is_multiple_of(32) {
            self.mask[words - 1] &= (1 << (self.vocab % 32)) - 1;
        }
        if self.mask[..words].iter().all(|w| *w == 0) {
            let message = "no token of the model's vocabulary goes on from here".into();
            return Err(GrammarError::Stuck { message });
        }
        Ok(())
    }
}

impl Guide {
    /// At the beginning of a text; `None` where it follows nothing.
    pub(crate) fn of(sampling: &Sampling, vocab: u32) -> Option<Self> {
        let grammar = sampling.grammar.as_ref()?;
        let tokens = grammar.vocabulary().len().max(vocab as usize);
        let work = Work {
            matcher: grammar.matcher(),
            vocab,
            mask: vec![0; tokens.div_ceil(32)],
            made: Made::No,
            spent: Duration::ZERO,
            taken: 0,
        };
        Some(Self {
            work: Arc::new(Mutex::new(work)),
            handed: false,
            vocab,
            forced: VecDeque::new(),
            looked: false,
            draws_all: sampling.logprobs.is_some(),
        })
    }

    /// One that goes on by itself from here, if this sampling has the same grammar.
    pub(crate) fn fork(&self, sampling: &Sampling) -> Option<Self> {
        let work = self.work();
        let same = sampling.grammar.as_ref().is_some_and(|g| Arc::ptr_eq(work.matcher.grammar(), g));
        same.then(|| Self {
            work: Arc::new(Mutex::new(work.fork())),
            handed: false,
            vocab: self.vocab,
            forced: self.forced.clone(),
            looked: self.looked,
            draws_all: sampling.logprobs.is_some(),
        })
    }

    /// Waits for the matcher. A thread that failed with it has said so in `made`.
    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the text ends here.
    pub(crate) fn must_end(&self) -> bool {
        self.work().matcher.must_end()
    }

    /// The next token that must come, once for each stretch of them. It is not taken yet.
    pub(crate) fn forced(&mut self) -> Result<Option<Token>, GrammarError> {
        if !self.looked && !self.draws_all {
            let mut found = Vec::new();
            self.work().timed(|m| m.forced(&mut found))?;
            // What the model has no logit for is not its token.
            self.forced.extend(found.into_iter().take_while(|t| t.0 < self.vocab));
            self.looked = true;
        }
        Ok(self.forced.pop_front())
    }

    /// Takes the next token, drawn, forced, or written by whoever runs the sequence.
    pub(crate) fn take(&mut self, token: Token) -> Result<(), GrammarError> {
        self.handed = false;
        self.looked &= !self.forced.is_empty();
        let mut work = self.work();
        work.made = Made::No;
        work.taken += 1;
        work.timed(|m| m.accept(token))
    }

    /// Makes the mask of the next draw, unless it is made.
    pub(crate) fn make_mask(&mut self) -> Result<(), GrammarError> {
        let mut work = self.work();
        work.make_mask();
        match &work.made {
            Made::Failed(e) => Err(e.clone()),
            _ => Ok(()),
        }
    }

    /// Has other threads make the mask of the next draw, unless it is made or they do so already.
    pub(crate) fn hand_over(&mut self, makers: &MaskMakers) {
        if !std::mem::replace(&mut self.handed, true) {
            makers.make(Arc::clone(&self.work));
        }
    }

    /// Whether the mask of the next draw is there, without waiting for it.
    pub(crate) fn mask_state(&self) -> MaskState {
        let work = match self.work.try_lock() {
            Ok(work) => work,
            Err(TryLockError::Poisoned(e)) => e.into_inner(),
            Err(TryLockError::WouldBlock) => return MaskState::Missing,
        };
        match &work.made {
            Made::No => MaskState::Missing,
            Made::Yes => MaskState::Ready,
            Made::Failed(e) => MaskState::Failed(e.clone()),
        }
    }

    /// Shows the mask that was made last, as devices read it.
    pub(crate) fn show_mask<T>(&self, see: impl FnOnce(&[u32]) -> T) -> T {
        see(&self.work().mask[..mask_words(self.vocab) as usize])
    }
}

/// The most threads that make masks.
const MAKERS: u32 = 8;

/// Threads that make masks while a device computes logits. They end with their owner, a mask under way first.
#[derive(Debug)]
pub(crate) struct MaskMakers {
    jobs: mpsc::Sender<Arc<Mutex<Work>>>,
    done: Arc<(Mutex<u64>, Condvar)>,
    /// Jobs done that were seen.
    seen: AtomicU64,
}

impl MaskMakers {
    /// As many threads as there are processors, 8 at most.
    pub(crate) fn start() -> Result<Self, Error> {
        let (jobs, next) = mpsc::channel::<Arc<Mutex<Work>>>();
        let next = Arc::new(Mutex::new(next));
        let done = Arc::new((Mutex::new(0), Condvar::new()));
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u32).min(MAKERS);
        for i in 0..threads {
            let (next, done) = (Arc::clone(&next), Arc::clone(&done));
            let run = move || {
                loop {
                    let job = next.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(work) = job else { return };
                    make(&work);
                    *done.0.lock().unwrap_or_else(PoisonError::into_inner) += 1;
                    done.1.notify_all();
                }
            };
            let spawned = std::thread::Builder::new().name(format!("akunu-mask-{i}")).spawn(run);
            spawned.map_err(|source| Error::Device(DeviceError::Threads { threads, source }))?;
        }
        Ok(Self { jobs, done, seen: AtomicU64::new(0) })
    }

    fn make(&self, work: Arc<Mutex<Work>>) {
        // The threads live as long as this does.
        let _ = self.jobs.send(work);
    }

    /// Waits until another mask has been made, or so long.
    pub(crate) fn wait(&self, longest: Duration) {
        let done = self.done.0.lock().unwrap_or_else(PoisonError::into_inner);
        let none = |n: &mut u64| *n == self.seen.load(Ordering::Relaxed);
        let waited = self.done.1.wait_timeout_while(done, longest, none);
        let (done, _) = waited.unwrap_or_else(PoisonError::into_inner);
        self.seen.store(*done, Ordering::Relaxed);
    }
}

/// Makes a mask; a matcher that panics has failed.
fn make(work: &Mutex<Work>) {
    let mut work = work.lock().unwrap_or_else(PoisonError::into_inner);
    if catch_unwind(AssertUnwindSafe(|| work.make_mask())).is_err() {
        let message = "its matcher failed; this is a bug, please report it".into();
        work.made = Made::Failed(GrammarError::Stuck { message });
    }
}
