//! Lowering: a verified table becomes an array of resolved kernel functions over resolved addresses.

use super::memory::Mapping;
use super::pool::{Job, Pool, Shared};
use super::stream::CpuStream;
use crate::{DeviceError, Memory, Replay, Stream};
use akunu_kernels::cpu::{Buf, Call, CpuFn, Level};
use akunu_kernels::step::{Header, StopReason};
use akunu_plan::VerifiedTable;
use akunu_plan::table::{Region, Span};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

/// One command, ready to call.
struct Lowered {
    run: CpuFn,
    bufs: Span,
    consts: Span,
    params: Span,
    /// Workers that share it.
    parts: u32,
    /// Whether an earlier command since the last barrier must end first.
    barrier: bool,
}

/// A table in the CPU's own form. Immutable; workers and the host share it.
struct Code {
    name: String,
    commands: Vec<Lowered>,
    bufs: Vec<Buf>,
    words: Vec<u32>,
    /// Keeps the addresses in `bufs` valid.
    regions: Vec<Arc<dyn Memory>>,
    stream: Arc<dyn Stream>,
}

impl Code {
    fn call(&self, c: &Lowered) -> Call<'_> {
        Call {
            bufs: &self.bufs[c.bufs.range()],
            consts: &self.words[c.consts.range()],
            params: &self.words[c.params.range()],
        }
    }

    fn stream(&self) -> &CpuStream {
        match self.stream.as_any().downcast_ref() {
            Some(s) => s,
            // `lower` refuses foreign streams.
            None => unreachable!("a foreign stream passed `lower`"),
        }
    }

    fn step_ptr(&self) -> *mut u8 {
        match self.regions[Region::Step as usize].as_any().downcast_ref::<Mapping>() {
            Some(m) => m.ptr(),
            None => unreachable!("a foreign region passed `lower`"),
        }
    }

    /// The step block's header.
    ///
    /// # Safety
    /// No command that writes the step block runs.
    unsafe fn header(&self) -> Header {
        // SAFETY: the step region is at least a header long (checked by `lower`); nobody writes it now.
        unsafe { self.step_ptr().cast::<Header>().read() }
    }

    /// Runs command `c` as `worker`.
    ///
    /// # Safety
    /// The commands that `c` depends on have ended, and all of its parts are run.
    unsafe fn run(&self, c: &Lowered, worker: u32) {
        if worker < c.parts {
            // SAFETY: the bindings are those of a verified table over regions of the declared sizes; the level
            // was available when the function was chosen; order is the caller's promise.
            unsafe { (c.run)(&self.call(c), worker, c.parts) };
        }
    }
}

/// A lowered table and the pool that runs it.
pub(crate) struct CpuReplay {
    code: Arc<Code>,
    pool: Arc<Pool>,
    /// Jobs of this table, reused so that a submission does not allocate.
    runs: Vec<Arc<Run>>,
}

/// Chooses functions, resolves addresses, places barriers.
pub(crate) fn lower(
    table: &VerifiedTable,
    regions: &[Arc<dyn Memory>],
    stream: &Arc<dyn Stream>,
    level: Level,
    pool: &Arc<Pool>,
) -> Result<CpuReplay, DeviceError> {
    if stream.as_any().downcast_ref::<CpuStream>().is_none() {
        return Err(DeviceError::Foreign { what: "stream" });
    }
    let mut base = Vec::with_capacity(regions.len());
    for (r, decl) in regions.iter().zip(&table.regions) {
        let Some(m) = r.as_any().downcast_ref::<Mapping>() else {
            return Err(DeviceError::Foreign { what: decl.name });
        };
        if m.bytes() < decl.bytes {
            return Err(DeviceError::Range { offset: 0, len: decl.bytes, bytes: m.bytes() });
        }
        base.push(m.ptr());
    }
    if base.len() != table.regions.len() {
        return Err(DeviceError::Foreign { what: "region list" });
    }
    let mut code = Code {
        name: table.name.clone(),
        commands: Vec::with_capacity(table.commands.len()),
        bufs: Vec::with_capacity(table.bindings.len()),
        words: Vec::new(),
        regions: regions.to_vec(),
        stream: Arc::clone(stream),
    };
    let mut last_barrier = 0;
    for i in 0..table.commands.len() {
        let k = table.kernel_of(i);
        let bufs = Span { start: code.bufs.len() as u32, len: k.kernel.bindings.len() as u32 };
        for b in table.bindings_of(i) {
            // SAFETY: the verifier checked that the range lies inside its region.
            let ptr = unsafe { base[b.region.0 as usize].add(b.offset as usize) };
            code.bufs.push(Buf { ptr, len: b.len as usize });
        }
        let consts = push_words(&mut code.words, &k.consts);
        let params = push_words(&mut code.words, table.params_of(i));
        let barrier = table.deps(i).iter().any(|d| !d.previous_replay && d.command as usize >= last_barrier);
        if barrier {
            last_barrier = i;
        }
        let parts = table.commands[i].geometry.grid[0].clamp(1, pool.workers());
        let run = (k.kernel.cpu)(level, &k.consts)?;
        code.commands.push(Lowered { run, bufs, consts, params, parts, barrier });
    }
    let code = Arc::new(code);
    // One runs, one waits, and one may be handed out just before the first is back.
    let runs = (0..3).map(|_| Arc::new(Run::new(&code))).collect();
    Ok(CpuReplay { code, pool: Arc::clone(pool), runs })
}

fn push_words(words: &mut Vec<u32>, new: &[u32]) -> Span {
    let span = Span { start: words.len() as u32, len: new.len() as u32 };
    words.extend_from_slice(new);
    span
}

impl Replay for CpuReplay {
    fn submit(&mut self, steps: u32) -> Result<(), DeviceError> {
        let free = self.runs.iter().find(|r| r.steps.load(Ordering::Acquire) == 0);
        let run = match free {
            Some(r) => Arc::clone(r),
            None => {
                // More submissions of one table in flight than ever before; kept for the next time.
                let r = Arc::new(Run::new(&self.code));
                self.runs.push(Arc::clone(&r));
                r
            }
        };
        if steps == 0 {
            return Ok(());
        }
        run.steps.store(u64::from(steps), Ordering::Release);
        self.code.stream().submitted();
        self.pool.submit(run);
        Ok(())
    }

    fn profile(&mut self, seconds: &mut [f64]) -> Result<(), DeviceError> {
        let job = Arc::new(Timed {
            code: Arc::clone(&self.code),
            state: Mutex::new(TimedState { seconds: vec![0.0; self.code.commands.len()], done: false }),
            ended: Condvar::new(),
        });
        self.code.stream().submitted();
        self.pool.submit(Arc::<Timed>::clone(&job));
        let mut s = job.state.lock().unwrap_or_else(PoisonError::into_inner);
        while !s.done {
            s = job.ended.wait(s).unwrap_or_else(PoisonError::into_inner);
        }
        for (o, v) in seconds.iter_mut().zip(&s.seconds) {
            *o = *v;
        }
        self.code.stream().wait(u64::MAX, 0).map(|_| ())
    }
}

/// A submission: so many replays of one table.
struct Run {
    code: Arc<Code>,
    /// Replays asked for; 0 when the job is free to be used again.
    steps: AtomicU64,
}

impl Run {
    fn new(code: &Arc<Code>) -> Self {
        Self { code: Arc::clone(code), steps: AtomicU64::new(0) }
    }
}

impl Job for Run {
    fn run(&self, worker: u32, pool: &Shared) {
        let code = &*self.code;
        let stream = code.stream();
        // The queue orders jobs, but a worker may come here while another still ends the last one.
        if pool.barrier.wait().is_err() {
            return;
        }
        for _ in 0..self.steps.load(Ordering::Acquire) {
            // SAFETY: the barrier above, or the one that ends a step, lies between the last `advance` and here,
            // and the next `advance` is behind a barrier that this worker has yet to reach.
            let before = unsafe { code.header() };
            if before.stop != StopReason::None as u32 {
                return;
            }
            for c in &code.commands {
                if c.barrier && pool.barrier.wait().is_err() {
                    return;
                }
                // SAFETY: barriers stand wherever the verified dependencies ask for one; all workers run all
                // commands, so every part is run.
                unsafe { code.run(c, worker) };
            }
            if worker == 0 {
                // SAFETY: the last command (the only writer of the step block) runs on worker 0 alone.
                let after = unsafe { code.header() };
                if stream.cancelled() && after.stop == StopReason::None as u32 {
                    let stopped = Header { stop: StopReason::Cancelled as u32, ..after };
                    // SAFETY: as above; no other worker reads the block before the next barrier.
                    unsafe { code.step_ptr().cast::<Header>().write(stopped) };
                }
                if after.drawn != before.drawn {
                    stream.push(after.last_token);
                }
            }
            if pool.barrier.wait().is_err() {
                return;
            }
        }
    }

    fn finish(&self) {
        self.steps.store(0, Ordering::Release);
        self.code.stream().finish();
    }

    fn fail(&self) {
        self.code.stream().fail(&self.code.name);
    }
}

/// One replay with a barrier after every command and a clock on worker 0.
struct Timed {
    code: Arc<Code>,
    state: Mutex<TimedState>,
    ended: Condvar,
}

struct TimedState {
    seconds: Vec<f64>,
    done: bool,
}

impl Job for Timed {
    fn run(&self, worker: u32, pool: &Shared) {
        if pool.barrier.wait().is_err() {
            return;
        }
        for (i, c) in self.code.commands.iter().enumerate() {
            let start = Instant::now();
            // SAFETY: a barrier stands between any two commands; all workers run all commands.
            unsafe { self.code.run(c, worker) };
            if pool.barrier.wait().is_err() {
                return;
            }
            if worker == 0 {
                let mut s = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                s.seconds[i] = start.elapsed().as_secs_f64();
            }
        }
    }

    fn finish(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).done = true;
        self.ended.notify_all();
        self.code.stream().finish();
    }

    fn fail(&self) {
        self.code.stream().fail(&self.code.name);
    }
}
