//! A session's queue, as the host sees it. Each step signals an event with its number; the page, which host and GPU both see, says how
//! many tokens had been drawn after each of the last steps.

use super::context::Context;
use super::gpu::{Gpu, Run};
use crate::{DeviceError, Drawn, Progress, STREAM_TOKENS, Stream};
use akunu_kernels::step::{SeqIndex, Token};
use akunu_kernels::vulkan::RING;
use std::any::Any;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const _: () = assert!(RING as u64 == STREAM_TOKENS);

/// Words of the page, as in begin.slang and step_end.slang.
const REFUSED: usize = 0;
const CANCEL: usize = 1;
const COUNTS: usize = 16;
const TOKENS: usize = COUNTS + RING as usize;
const WHO: usize = TOKENS + RING as usize;
const WORDS: usize = WHO + RING as usize;

/// A wait looks after so long whether the device has failed.
const LOOK: Duration = Duration::from_millis(500);

/// A queue.
pub(crate) struct MetalStream<G: Gpu> {
    pub(crate) context: Arc<Context<G>>,
    /// Step number n of this stream, from 1 on, signals n when it has ended.
    steps: G::Event,
    queued: Mutex<Queued>,
    /// Tokens drawn and steps refused when the stream was last reset.
    base: AtomicU32,
    refused: AtomicU32,
    pub(crate) page: G::Buffer,
    /// The GPU's own counters.
    pub(crate) control: G::Buffer,
}

struct Queued {
    /// Steps of all submissions.
    steps: u64,
    /// The last step of each submission that has not been seen to end.
    ends: VecDeque<u64>,
}

impl<G: Gpu> MetalStream<G> {
    pub(crate) fn new(context: &Arc<Context<G>>) -> Result<Self, DeviceError> {
        Ok(Self {
            context: Arc::clone(context),
            steps: context.gpu.event()?,
            queued: Mutex::new(Queued { steps: 0, ends: VecDeque::with_capacity(16) }),
            base: AtomicU32::new(0),
            refused: AtomicU32::new(0),
            page: context.gpu.buffer("page", 4 * WORDS as u64)?,
            control: context.gpu.buffer("control", 64)?,
        })
    }

    fn word(&self, i: usize) -> &AtomicU32 {
        debug_assert!(i < WORDS);
        // SAFETY: the page holds so many words, aligned, and lives as long as this; the GPU writes whole aligned words, which is what
        // an atomic load expects.
        unsafe { &*G::contents(&self.page).cast::<AtomicU32>().add(i) }
    }

    fn queued(&self) -> MutexGuard<'_, Queued> {
        self.queued.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Commits one command buffer: command 0 of a table, then so many steps, which are the commands of `step`.
    pub(crate) fn submit(&self, table: &G::Table, step: Range<u32>, steps: u32) -> Result<(), DeviceError> {
        let mut queued = self.queued();
        let run = Run { table, begin: 0..1, step, steps, signalled: queued.steps };
        self.context.commit(&run, &self.steps)?;
        queued.steps += u64::from(steps);
        let end = queued.steps;
        queued.ends.push_back(end);
        Ok(())
    }

    /// Commits commands of a table alone and waits for them; their seconds on the GPU.
    pub(crate) fn time(&self, table: &G::Table, range: Range<u32>) -> Result<f64, DeviceError> {
        let run = Run { table, begin: range, step: 0..0, steps: 0, signalled: 0 };
        let work = self.context.commit(&run, &self.steps)?;
        self.context.finish(&work)
    }

    /// Commits the last command of a step whose others were timed: with it the step has run.
    pub(crate) fn end_step(&self, table: &G::Table, range: Range<u32>) -> Result<(), DeviceError> {
        let mut queued = self.queued();
        let run = Run { table, begin: 0..0, step: range, steps: 1, signalled: queued.steps };
        self.context.commit(&run, &self.steps)?;
        queued.steps += 1;
        let end = queued.steps;
        queued.ends.push_back(end);
        Ok(())
    }

    /// The number of the last step that has ended.
    fn ended(&self) -> u64 {
        self.context.gpu.wait(&self.steps, 0, Duration::ZERO)
    }

    /// Tokens drawn by then, since the stream was made.
    fn drawn_by(&self, ended: u64) -> u32 {
        if ended == 0 {
            0
        } else {
            self.word(COUNTS + ended as usize % RING as usize).load(Ordering::Acquire)
        }
    }

    fn at(&self, ended: u64) -> Progress {
        let mut queued = self.queued();
        while queued.ends.front().is_some_and(|end| *end <= ended) {
            queued.ends.pop_front();
        }
        Progress {
            drawn: u64::from(self.drawn_by(ended).wrapping_sub(self.base.load(Ordering::Relaxed))),
            pending: queued.ends.len() as u64,
        }
    }

    /// Where token `from` of this stream lies in the ring, and how many there are from it on, at most `most`.
    fn after(&self, from: u64, most: usize) -> (u32, usize) {
        let first = self.base.load(Ordering::Relaxed).wrapping_add(from as u32);
        let n = self.progress().drawn.saturating_sub(from).min(most as u64);
        (first, n as usize)
    }
}

impl<G: Gpu> Stream for MetalStream<G> {
    fn reset(&self) {
        self.base.store(self.drawn_by(self.ended()), Ordering::Relaxed);
        self.refused.store(self.word(REFUSED).load(Ordering::Acquire), Ordering::Relaxed);
        self.word(CANCEL).store(0, Ordering::Release);
    }

    fn progress(&self) -> Progress {
        self.at(self.ended())
    }

    fn wait(&self, drawn: u64, pending: u64) -> Result<Progress, DeviceError> {
        let p = loop {
            let ended = self.ended();
            let p = self.at(ended);
            if p.drawn >= drawn || p.pending <= pending {
                break p;
            }
            // The next step may bring what is waited for. What has failed signals nothing any more.
            if self.context.gpu.wait(&self.steps, ended + 1, LOOK) <= ended {
                self.context.check()?;
            }
        };
        if self.word(REFUSED).load(Ordering::Acquire) != self.refused.load(Ordering::Relaxed) {
            return Err(DeviceError::Step { table: "a submitted table".into() });
        }
        Ok(p)
    }

    fn drawn(&self, from: u64, out: &mut [Drawn]) -> usize {
        let (first, n) = self.after(from, out.len());
        for (i, o) in out[..n].iter_mut().enumerate() {
            let at = first.wrapping_add(i as u32) as usize % RING as usize;
            let word = |list| self.word(list + at).load(Ordering::Relaxed);
            *o = Drawn { seq: SeqIndex(word(WHO)), token: Token(word(TOKENS)) };
        }
        n
    }

    fn cancel(&self) {
        self.word(CANCEL).store(1, Ordering::Release);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl<G: Gpu> Drop for MetalStream<G> {
    fn drop(&mut self) {
        // What still runs writes to the page; it must end before the page goes. A lost device writes nothing.
        self.cancel();
        let _ = self.context.idle();
    }
}
