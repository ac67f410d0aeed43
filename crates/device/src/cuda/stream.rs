//! A session's queue, as the host sees it: a page of pinned memory that the GPU writes while it runs. Reading
//! tokens and waiting for them makes no driver call.

use super::context::{Address, Context, Pinned};
use super::driver::Driver;
use crate::{DeviceError, Drawn, Progress, STREAM_TOKENS, Stream};
use akunu_kernels::step::{SeqIndex, Token};
use cudarc::driver::sys as cu;
use std::any::Any;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Tokens that the ring holds.
pub(crate) const RING: usize = STREAM_TOKENS as usize;
/// How long a waiting host spins before it sleeps between looks: an idle core is worth more than microseconds.
const SPIN: Duration = Duration::from_micros(200);
/// How long it sleeps between looks; the most that a token is late.
const NAP: Duration = Duration::from_micros(30);
/// A wait that is expected to take longer than this sleeps more of it.
const LONGEST_SPIN: Duration = Duration::from_millis(4);
/// After this long without news the host asks the driver whether the device is still alive.
const SILENCE: Duration = Duration::from_secs(2);

/// The driver's answer for a queue that still has work.
const NOT_READY: u32 = cu::cudaError_enum::CUDA_ERROR_NOT_READY as u32;

// Words of the mapped page, as in control.cu.
const DRAWN: usize = 0;
const ENDED: usize = 1;
const REFUSED: usize = 2;
const CANCEL: usize = 3;
const TOKENS: usize = 16;
const WHO: usize = TOKENS + RING;

/// A queue.
pub(crate) struct CudaStream {
    pub(crate) context: Arc<Context>,
    pub(crate) raw: cu::CUstream,
    /// The page that host and device share.
    pub(crate) mapped: Pinned,
    /// The device's own counters.
    pub(crate) control: Address,
    /// Memory that the blocks of a command leave each other sums in, the largest last. Tables that were lowered before a larger one
    /// keep theirs.
    exchanges: Mutex<Vec<Address>>,
    submitted: AtomicU32,
    /// `drawn` and `refused` of the page when the stream was last reset.
    base: AtomicU32,
    refused: AtomicU32,
    /// Microseconds since `born` when something last moved; for `SILENCE`.
    moved: AtomicU64,
    born: Instant,
    /// What the last wait took, in microseconds.
    expected: AtomicU64,
}

// SAFETY: the driver's queue may be used from any thread; the page is read and written as atomic words.
unsafe impl Send for CudaStream {}
// SAFETY: shared use is the same: the driver locks its queue, and words of the page are atomic.
unsafe impl Sync for CudaStream {}

impl CudaStream {
    pub(crate) fn new(context: &Arc<Context>) -> Result<Self, DeviceError> {
        let driver = context.enter()?;
        let mapped = Pinned::new(context, (WHO + RING) * 4)?;
        let control = Address::new(context, "control", 64)?;
        let mut raw: cu::CUstream = std::ptr::null_mut();
        // SAFETY: a writable pointer. Not a non-blocking queue: host copies must wait for it by themselves.
        unsafe { driver.stream_create(&mut raw, 0)? };
        Ok(Self {
            context: Arc::clone(context),
            raw,
            mapped,
            control,
            exchanges: Mutex::default(),
            submitted: AtomicU32::new(0),
            base: AtomicU32::new(0),
            refused: AtomicU32::new(0),
            moved: AtomicU64::new(0),
            born: Instant::now(),
            expected: AtomicU64::new(0),
        })
    }

    /// The address of at least so many bytes, zeroed when they were made, that commands of this queue exchange sums in, one after the other.
    pub(crate) fn exchange(&self, bytes: u64) -> Result<u64, DeviceError> {
        let mut all = self.exchanges.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = all.last().filter(|a| a.bytes >= bytes) {
            return Ok(last.at);
        }
        let memory = Address::new(&self.context, "exchange", bytes)?;
        let at = memory.at;
        all.push(memory);
        Ok(at)
    }

    fn word(&self, i: usize) -> &AtomicU32 {
        debug_assert!((i + 1) * 4 <= self.mapped.bytes);
        // SAFETY: the page holds WHO + RING words, aligned, and lives as long as this; the device writes whole
        // aligned words, which is what an atomic load expects.
        unsafe { &*self.mapped.host.cast::<AtomicU32>().add(i) }
    }

    /// A submission of `steps` steps: puts the count where the device looks for it, after what is queued.
    pub(crate) fn submit(
        &self,
        steps: u32,
        queue: impl FnOnce(&'static Driver) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        self.queue(|driver| {
            // SAFETY: the first word of the control block.
            unsafe { driver.fill32_async(self.control.at, steps, 1, self.raw)? };
            queue(driver)
        })
    }

    /// A submission that says by itself how many steps it has.
    pub(crate) fn queue(
        &self,
        queue: impl FnOnce(&'static Driver) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        queue(self.context.enter()?)?;
        self.submitted.fetch_add(1, Ordering::Relaxed);
        self.moved.store(self.born.elapsed().as_micros() as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Where token `from` of this stream lies in the ring, and how many there are from it on, at most `most`.
    fn after(&self, from: u64, most: usize) -> (u32, usize) {
        let first = self.base.load(Ordering::Relaxed).wrapping_add(from as u32);
        let n = self.progress().drawn.saturating_sub(from).min(most as u64);
        (first, n as usize)
    }

    /// Asks the driver, when nothing has moved for long: a device that failed will never move again.
    fn alive(&self) -> Result<(), DeviceError> {
        let driver = self.context.enter()?;
        // SAFETY: this stream's queue.
        match unsafe { driver.stream_query(self.raw) } {
            Ok(()) => Ok(()),
            // Work in the queue is the normal answer.
            Err(DeviceError::Cuda { code: Some(NOT_READY), .. }) => Ok(()),
            Err(e) => Err(e),
        }
    }
}

impl Stream for CudaStream {
    fn reset(&self) {
        self.base.store(self.word(DRAWN).load(Ordering::Acquire), Ordering::Relaxed);
        self.refused.store(self.word(REFUSED).load(Ordering::Acquire), Ordering::Relaxed);
        self.word(CANCEL).store(0, Ordering::Release);
    }

    fn progress(&self) -> Progress {
        // `ended` first: a submission that this counts as ended has its tokens in `drawn`.
        let ended = self.word(ENDED).load(Ordering::Acquire);
        let drawn = self.word(DRAWN).load(Ordering::Acquire);
        Progress {
            drawn: u64::from(drawn.wrapping_sub(self.base.load(Ordering::Relaxed))),
            pending: u64::from(self.submitted.load(Ordering::Relaxed).wrapping_sub(ended)),
        }
    }

    fn wait(&self, drawn: u64, pending: u64) -> Result<Progress, DeviceError> {
        let start = Instant::now();
        let mut asked = start;
        // Tokens come at even distances. So this sleeps for half of what the last wait took, and looks all the time around its end: a sleep
        // ends some 50 us late, which matters to who submits the next step then.
        let expected = Duration::from_micros(self.expected.load(Ordering::Relaxed)).min(LONGEST_SPIN);
        let spin = if expected > SPIN { expected + SPIN } else { SPIN };
        let mut slept = expected <= SPIN;
        let p = loop {
            let p = self.progress();
            let waited = start.elapsed();
            if p.drawn >= drawn || p.pending <= pending {
                self.expected.store(waited.as_micros() as u64, Ordering::Relaxed);
                break p;
            }
            if !slept && waited > SPIN / 4 {
                std::thread::sleep(expected / 2);
                slept = true;
            } else if waited < spin {
                std::hint::spin_loop();
            } else {
                std::thread::sleep(NAP);
                if asked.elapsed() > SILENCE {
                    self.alive()?;
                    asked = Instant::now();
                }
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
            let at = first.wrapping_add(i as u32) as usize % RING;
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

impl Drop for CudaStream {
    fn drop(&mut self) {
        if let Ok(driver) = self.context.enter() {
            // What still runs writes to the page; it must end before the page goes.
            self.cancel();
            // SAFETY: this stream's queue, destroyed once.
            unsafe {
                let _ = driver.stream_synchronize(self.raw);
                let _ = driver.stream_destroy(self.raw);
            }
        }
    }
}
