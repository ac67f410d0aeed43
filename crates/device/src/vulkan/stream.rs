//! A session's queue, as the host sees it. Each step signals a timeline with its number; the page, which host and GPU both see, says
//! how many tokens had been drawn after each of the last steps.

use super::context::Context;
use super::instance::failed;
use super::memory::{self, Buffer, Transfer};
use crate::{DeviceError, Drawn, Progress, STREAM_TOKENS, Stream};
use akunu_kernels::step::{SeqIndex, Token};
use akunu_kernels::vulkan::RING;
use ash::vk;
use std::any::Any;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const _: () = assert!(RING as u64 == STREAM_TOKENS);

/// Words of the page, as in begin.slang and step_end.slang.
const REFUSED: usize = 0;
const CANCEL: usize = 1;
const COUNTS: usize = 16;
const TOKENS: usize = COUNTS + RING as usize;
const WHO: usize = TOKENS + RING as usize;
const WORDS: usize = WHO + RING as usize;

/// Steps that the driver is given at a time.
const BATCH: usize = 64;

/// A queue.
pub(crate) struct VulkanStream {
    pub(crate) context: Arc<Context>,
    page: Buffer,
    /// The GPU's own counters.
    control: Buffer,
    /// A timeline: step number n of this stream, from 1 on, signals n when it has ended.
    steps: vk::Semaphore,
    queued: Mutex<Queued>,
    /// Tokens drawn and steps refused when the stream was last reset.
    base: AtomicU32,
    refused: AtomicU32,
}

struct Queued {
    /// Steps of all submissions.
    steps: u64,
    /// The last step of each submission that has not been seen to end.
    ends: VecDeque<u64>,
}

impl VulkanStream {
    pub(crate) fn new(context: &Arc<Context>, transfer: &Transfer) -> Result<Self, DeviceError> {
        let page = memory::page(context, 4 * WORDS as u64)?;
        let control = memory::counters(context, transfer)?;
        let steps = context.timeline()?;
        Ok(Self {
            context: Arc::clone(context),
            page,
            control,
            steps,
            queued: Mutex::new(Queued { steps: 0, ends: VecDeque::with_capacity(16) }),
            base: AtomicU32::new(0),
            refused: AtomicU32::new(0),
        })
    }

    /// (control, page): their addresses.
    pub(crate) fn addresses(&self) -> [u64; 2] {
        [self.control.at, self.page.at]
    }

    fn word(&self, i: usize) -> &AtomicU32 {
        debug_assert!(i < WORDS);
        // SAFETY: the page holds so many words, aligned, and lives as long as this; the GPU writes whole aligned words, which is what
        // an atomic load expects.
        unsafe { &*self.page.host.cast::<AtomicU32>().add(i) }
    }

    fn queued(&self) -> MutexGuard<'_, Queued> {
        self.queued.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues `begin` and then so many steps.
    ///
    /// # Safety
    /// The command buffers are recorded and live, with all they use, until this stream's steps have ended.
    pub(crate) unsafe fn submit(
        &self,
        begin: vk::CommandBuffer,
        step: vk::CommandBuffer,
        steps: u32,
    ) -> Result<(), DeviceError> {
        let mut queued = self.queued();
        let info = |c| vk::CommandBufferSubmitInfo::default().command_buffer(c);
        let (both, one) = ([info(begin), info(step)], [info(step)]);
        let mut left = steps as usize;
        while left > 0 {
            let n = left.min(BATCH);
            let first = queued.steps;
            let signals: Vec<_> = (1..=n as u64)
                .map(|i| {
                    [vk::SemaphoreSubmitInfo::default()
                        .semaphore(self.steps)
                        .value(first + i)
                        .stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)]
                })
                .collect();
            let work: Vec<_> = signals
                .iter()
                .enumerate()
                .map(|(i, signal)| {
                    let buffers: &[_] = if i == 0 && left == steps as usize { &both } else { &one };
                    vk::SubmitInfo2::default().command_buffer_infos(buffers).signal_semaphore_infos(signal)
                })
                .collect();
            // SAFETY: the caller's promise; the lock is held, so numbers are signalled in their order.
            let done = unsafe { self.context.submit(&work) };
            if done.is_ok() {
                queued.steps += n as u64;
            }
            left -= n;
            if left == 0 || done.is_err() {
                let end = queued.steps;
                queued.ends.push_back(end);
            }
            done?;
        }
        Ok(())
    }

    /// The number of the last step that has ended.
    fn ended(&self) -> Result<u64, DeviceError> {
        // SAFETY: this stream's timeline.
        unsafe { self.context.device.get_semaphore_counter_value(self.steps) }
            .map_err(|e| failed("vkGetSemaphoreCounterValue", e))
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

    /// Waits until all steps have ended.
    pub(crate) fn idle(&self) -> Result<(), DeviceError> {
        let last = self.queued().steps;
        while !self.context.wait_for(self.steps, last)? {}
        Ok(())
    }

    /// Where token `from` of this stream lies in the ring, and how many there are from it on, at most `most`.
    fn after(&self, from: u64, most: usize) -> (u32, usize) {
        let first = self.base.load(Ordering::Relaxed).wrapping_add(from as u32);
        let n = self.progress().drawn.saturating_sub(from).min(most as u64);
        (first, n as usize)
    }
}

impl Stream for VulkanStream {
    fn reset(&self) {
        if let Ok(ended) = self.ended() {
            self.base.store(self.drawn_by(ended), Ordering::Relaxed);
        }
        self.refused.store(self.word(REFUSED).load(Ordering::Acquire), Ordering::Relaxed);
        self.word(CANCEL).store(0, Ordering::Release);
    }

    fn progress(&self) -> Progress {
        match self.ended() {
            Ok(ended) => self.at(ended),
            // A device that is lost has drawn nothing more; `wait` says so.
            Err(_) => Progress { drawn: 0, pending: self.queued().ends.len() as u64 },
        }
    }

    fn wait(&self, drawn: u64, pending: u64) -> Result<Progress, DeviceError> {
        let p = loop {
            let ended = self.ended()?;
            let p = self.at(ended);
            if p.drawn >= drawn || p.pending <= pending {
                break p;
            }
            // The next step may bring what is waited for.
            self.context.wait_for(self.steps, ended + 1)?;
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

impl Drop for VulkanStream {
    fn drop(&mut self) {
        // What still runs writes to the page; it must end before the page goes. A lost device writes nothing.
        self.cancel();
        let _ = self.idle();
        let _ = self.context.idle();
        // SAFETY: made by `new`, destroyed once; nothing waits for it or signals it any more.
        unsafe { self.context.device.destroy_semaphore(self.steps, None) };
    }
}
