//! Metal without Apple, for tests: what the calls say is done in this process, by a thread that takes one command buffer after the other.
//!
//! Kernels run as fibres that give way at barriers (`fibres.c`). It finds what a GPU may or may not show: a barrier that not all threads come to,
//! pointers of the wrong address space, more threadgroup memory than there is, a result that depends on the order of threads or of commands
//! between two barriers ([`Options::order`]). It says nothing about speed, nor about the simdgroups that no kernel uses.

mod library;
mod translate;

use super::{About, Encoded, Gpu, MetalDevice, Run, State};
use crate::DeviceError;
use akunu_kernels::metal::Chip;
use library::{Launch, Library, workspace};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A Metal device in this process.
pub type EmulatedDevice = MetalDevice<Emulator>;

/// How command buffers are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The order of a threadgroup's threads, and of commands between two barriers: 0 forward, 1 backward, others shuffled, each
    /// differently. No result may depend on it.
    pub order: u32,
    /// Threads of this process that run threadgroups.
    pub threads: usize,
    /// The number of the command buffer, from 0, that fails, as one does on a GPU that is lost; those after it fail too.
    pub fails_at: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(8);
        Self { order: 0, threads, fails_at: None }
    }
}

/// The GPU.
pub struct Emulator {
    about: About,
    queue: Sender<Job>,
}

impl EmulatedDevice {
    /// A device that runs kernels on this processor.
    pub fn emulated(options: Options) -> Result<Self, DeviceError> {
        let (queue, jobs) = channel();
        let mut runner = Runner::new(options)?;
        std::thread::Builder::new()
            .name("metal".into())
            .spawn(move || runner.serve(&jobs))
            .map_err(|source| DeviceError::Threads { threads: 1, source })?;
        let about = About { name: format!("emulator, order {}", options.order), chip: Chip::of(7) };
        Ok(Self::new(Emulator { about, queue }))
    }
}

/// Zeroed bytes at a place that does not change.
pub struct Bytes {
    at: *mut u8,
    layout: Layout,
}

// SAFETY: plain memory; who touches the bytes when is up to the users.
unsafe impl Send for Bytes {}
// SAFETY: as above.
unsafe impl Sync for Bytes {}

impl Bytes {
    fn new(bytes: u64) -> Option<Self> {
        let layout = Layout::from_size_align(usize::try_from(bytes.max(1)).ok()?, 256).ok()?;
        // SAFETY: a layout of at least one byte.
        let at = unsafe { alloc_zeroed(layout) };
        (!at.is_null()).then_some(Self { at, layout })
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        // SAFETY: allocated by `new` with this layout, freed once.
        unsafe { dealloc(self.at, self.layout) };
    }
}

fn full(region: &'static str, bytes: u64) -> DeviceError {
    let source = io::Error::new(io::ErrorKind::OutOfMemory, "the system has no more memory");
    DeviceError::OutOfMemory { region, bytes, source }
}

/// An encoded command.
struct Command {
    library: Arc<Library>,
    /// Of the arguments, from their buffer's beginning.
    args: u64,
    groups: [u32; 3],
    threads: u32,
    barrier: bool,
}

/// An encoded table, with all that it may touch.
pub struct Commands {
    all: Vec<Command>,
    args: Arc<Bytes>,
    _used: Vec<Arc<Bytes>>,
}

/// What a host waits on: a number, or a state.
pub struct Watched<T> {
    value: Mutex<T>,
    changed: Condvar,
}

impl<T: Clone> Watched<T> {
    fn new(value: T) -> Arc<Self> {
        Arc::new(Self { value: Mutex::new(value), changed: Condvar::new() })
    }

    fn lock(&self) -> MutexGuard<'_, T> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, value: T) {
        *self.lock() = value;
        self.changed.notify_all();
    }

    /// The value, once it is good or the time is over.
    fn wait(&self, long: Duration, good: impl Fn(&T) -> bool) -> T {
        let value = self.lock();
        let waited = self.changed.wait_timeout_while(value, long, |v| !good(v));
        waited.map_or_else(|e| e.into_inner().0.clone(), |(v, _)| v.clone())
    }
}

/// A committed command buffer.
struct Job {
    table: Arc<Commands>,
    begin: Range<u32>,
    step: Range<u32>,
    steps: u32,
    signalled: u64,
    event: Arc<Watched<u64>>,
    state: Arc<Watched<State>>,
}

impl Gpu for Emulator {
    type Buffer = Arc<Bytes>;
    type Pipeline = Arc<Library>;
    type Table = Arc<Commands>;
    type Event = Arc<Watched<u64>>;
    type Work = Arc<Watched<State>>;

    fn about(&self) -> &About {
        &self.about
    }

    fn memory(&self) -> (u64, u64) {
        crate::cpu::system_memory()
    }

    fn buffer(&self, name: &'static str, bytes: u64) -> Result<Self::Buffer, DeviceError> {
        Bytes::new(bytes).map(Arc::new).ok_or_else(|| full(name, bytes))
    }

    fn address(buffer: &Self::Buffer) -> u64 {
        buffer.at.expose_provenance() as u64
    }

    fn contents(buffer: &Self::Buffer) -> *mut u8 {
        buffer.at
    }

    fn pipeline(
        &self,
        kernel: &'static str,
        text: &'static str,
        consts: &[u32],
        _threads: u32,
    ) -> Result<Self::Pipeline, DeviceError> {
        let refused = |what| DeviceError::MetalKernel { kernel, what };
        Ok(Arc::new(Library::new(kernel, text, consts).map_err(refused)?))
    }

    fn encode(
        &self,
        commands: &[Encoded<'_, Self>],
        args: &Self::Buffer,
        used: &[&Self::Buffer],
    ) -> Result<Self::Table, DeviceError> {
        let one = |c: &Encoded<'_, Self>| Command {
            library: Arc::clone(c.pipeline),
            args: c.args,
            groups: c.groups,
            threads: c.threads,
            barrier: c.barrier,
        };
        let all = commands.iter().map(one).collect();
        let used = used.iter().map(|b| Arc::clone(b)).collect();
        Ok(Arc::new(Commands { all, args: Arc::clone(args), _used: used }))
    }

    fn event(&self) -> Result<Self::Event, DeviceError> {
        Ok(Watched::new(0))
    }

    fn commit(&self, run: &Run<'_, Self>, event: &Self::Event) -> Result<Self::Work, DeviceError> {
        let state = Watched::new(State::Running);
        let job = Job {
            table: Arc::clone(run.table),
            begin: run.begin.clone(),
            step: run.step.clone(),
            steps: run.steps,
            signalled: run.signalled,
            event: Arc::clone(event),
            state: Arc::clone(&state),
        };
        let gone = |_| DeviceError::Metal {
            call: "commit",
            what: "the emulator's thread has ended".into(),
            remedy: "this is a bug; please report it",
        };
        self.queue.send(job).map_err(gone)?;
        Ok(state)
    }

    fn state(&self, work: &Self::Work) -> State {
        work.lock().clone()
    }

    fn finish(&self, work: &Self::Work) -> State {
        work.wait(Duration::MAX, |s| *s != State::Running)
    }

    fn wait(&self, event: &Self::Event, value: u64, long: Duration) -> u64 {
        event.wait(long, |v| *v >= value)
    }
}

/// What runs command buffers.
struct Runner {
    options: Options,
    /// One for each thread.
    memory: Vec<Bytes>,
    /// Command buffers so far.
    count: u64,
    failed: bool,
}

impl Runner {
    fn new(options: Options) -> Result<Self, DeviceError> {
        let bytes = workspace(1024) as u64;
        let memory: Option<Vec<Bytes>> = (0..options.threads.max(1)).map(|_| Bytes::new(bytes)).collect();
        let memory = memory.ok_or_else(|| full("stacks", bytes))?;
        Ok(Self { options, memory, count: 0, failed: false })
    }

    fn serve(&mut self, jobs: &Receiver<Job>) {
        while let Ok(job) = jobs.recv() {
            let start = Instant::now();
            let state = match self.run(&job) {
                Ok(()) => State::Ended(start.elapsed().as_secs_f64()),
                Err(what) => {
                    self.failed = true;
                    State::Failed(what)
                }
            };
            job.state.set(state);
        }
    }

    fn run(&mut self, job: &Job) -> Result<(), String> {
        let number = self.count;
        self.count += 1;
        if self.failed {
            return Err("ignored, since one before it failed".into());
        }
        if self.options.fails_at == Some(number) {
            return Err(format!("command buffer {number} is to fail"));
        }
        self.commands(&job.table, &job.begin)?;
        for i in 1..=u64::from(job.steps) {
            self.commands(&job.table, &job.step)?;
            job.event.set(job.signalled + i);
        }
        Ok(())
    }

    /// Some commands of a table: what stands between two barriers in an order of one's choice.
    fn commands(&mut self, table: &Commands, range: &Range<u32>) -> Result<(), String> {
        let commands = table.all.get(range.start as usize..range.end as usize);
        let mut rest = commands.ok_or("commands that the table does not have")?;
        while !rest.is_empty() {
            let more = rest[1..].iter().position(|c| c.barrier).map_or(rest.len(), |n| n + 1);
            let (now, after) = rest.split_at(more);
            for i in arranged(now.len(), self.options.order) {
                self.launch(&now[i], &table.args)?;
            }
            rest = after;
        }
        Ok(())
    }

    /// All groups of a command, by several threads where there are many.
    fn launch(&mut self, command: &Command, args: &Bytes) -> Result<(), String> {
        let [x, y, z] = command.groups;
        let groups = x.checked_mul(y).and_then(|xy| xy.checked_mul(z)).ok_or("too many threadgroups")?;
        let order = self.options.order;
        let next = AtomicU32::new(0);
        let share = groups.div_ceil(4 * self.memory.len() as u32).max(16);
        let work = |memory: &mut Bytes| -> Result<(), String> {
            loop {
                let first = next.fetch_add(share, Ordering::Relaxed);
                if first >= groups {
                    return Ok(());
                }
                let mut launch = Launch {
                    // SAFETY: the arguments of an encoded command lie in their buffer (`lower`).
                    args: unsafe { args.at.add(command.args as usize) }.cast::<c_void>(),
                    groups: command.groups,
                    first,
                    last: first.saturating_add(share).min(groups),
                    threads: command.threads,
                    order,
                    memory: memory.at,
                    memory_bytes: memory.layout.size() as u64,
                    failed_at: 0,
                };
                // SAFETY: the table is verified and keeps what it touches alive; this thread alone runs commands, one after the other, and
                // each worker has memory of its own.
                unsafe { command.library.run(&mut launch)? };
            }
        };
        let (own, others) = self.memory.split_at_mut(1);
        let helpers = (groups.div_ceil(share) as usize - 1).min(others.len());
        let work = &work;
        std::thread::scope(|s| {
            let spawned: Vec<_> = others[..helpers].iter_mut().map(|m| s.spawn(move || work(m))).collect();
            let mut done = work(&mut own[0]);
            for helper in spawned {
                done = done.and(helper.join().unwrap_or_else(|_| Err("a thread failed".into())));
            }
            done
        })
    }
}

/// The order in which `n` commands run that need not wait for each other.
fn arranged(n: usize, order: u32) -> Vec<usize> {
    let mut all: Vec<usize> = (0..n).collect();
    match order {
        0 => {}
        1 => all.reverse(),
        _ => all.rotate_left(order as usize % n.max(1)),
    }
    all
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;
