//! Lowering: a verified table becomes an array of resolved kernel functions over resolved addresses.

use super::barrier::Broken;
use super::memory::{Gate, Mapping, Ranges};
use super::pool::{End, Job, Member, Needs, Pool};
use super::stream::{CpuStream, Failure};
use crate::limits::{Limits, check_machine};
use crate::{DeviceError, Drawn, Memory, Replay, Stream};
use akunu_kernels::cpu::{Buf, Call, CpuFn, StepView};
use akunu_kernels::machine::CpuLaunch;
use akunu_kernels::step::{Block, Header, SeqIndex, StopReason};
use akunu_kernels::{Cost, Launch, Load, Machine};
use akunu_plan::VerifiedTable;
use akunu_plan::table::{Region, Span};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

/// One command, ready to call.
struct Lowered {
    run: CpuFn,
    bufs: Span,
    consts: Span,
    params: Span,
    /// Parts that workers share it in: one each, or [`CLAIMS`] each, where `claims` says where their counters are.
    parts: u32,
    claims: Option<usize>,
    /// Whether an earlier command since the last barrier must end first.
    barrier: bool,
    /// Whether the team may change at that barrier.
    looks: bool,
    /// Whether a cancel may end the step at that barrier: the step block is as the step found it.
    cancels: bool,
}

/// A table in the CPU's own form. Immutable; workers and the host share it.
struct Code {
    name: String,
    commands: Vec<Lowered>,
    bufs: Vec<Buf>,
    words: Vec<u32>,
    /// Keeps the addresses in `bufs` valid.
    regions: Vec<Arc<dyn Memory>>,
    /// The addresses of `regions`, for the gate.
    ranges: Ranges,
    stream: Arc<dyn Stream>,
    limits: Limits,
    /// Bytes of the step block.
    step_bytes: usize,
    /// Whether other commands may still run when worker 0 has ended its last one.
    tail_barrier: bool,
    /// For each command with claims and each worker, how often in this replay somebody asked for a part of that worker's.
    claims: Vec<AtomicU32>,
}

/// Parts of one worker's share of a large command. Who has done its own takes over what is left of others': a core that
/// another program has for a while, or a slower one, holds up the others by the part that it is in.
const CLAIMS: u32 = 4;
/// Operations of a part that are worth a claim: at least so many, and so many for each worker, since all look for parts
/// of all.
const CLAIM_FLOPS: [u64; 2] = [1 << 20, 1 << 16];
/// Bytes and operations of a worker after which the team may change: about a millisecond.
const LOOK_BYTES: u64 = 20 << 20;
const LOOK_FLOPS: u64 = 500_000_000;
/// Tables of up to so many rows wait for memory most of the time: there each worker streams one share.
const STREAM_ROWS: u32 = 8;

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

    fn ptr(&self, region: Region) -> *mut u8 {
        match self.regions[region as usize].as_any().downcast_ref::<Mapping>() {
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
        unsafe { self.ptr(Region::Step).cast::<Header>().read() }
    }

    /// Whether the next step is one that the table was built for.
    ///
    /// # Safety
    /// As for [`Code::header`].
    unsafe fn step_fits(&self) -> bool {
        // SAFETY: `lower` checked the region's size; nobody writes it now.
        self.limits.step(unsafe { std::slice::from_raw_parts(self.ptr(Region::Step), self.step_bytes) })
    }

    /// Whether the block tables name blocks of the cache only.
    ///
    /// # Safety
    /// A job of this table runs, so that the gate keeps hosts out; no kernel writes a block table.
    unsafe fn blocks_fit(&self) -> bool {
        self.limits.tables().iter().filter(|t| t.entries != 0).all(|t| {
            let ptr = self.ptr(t.region).cast::<Block>();
            // SAFETY: the region has so many words (`lower` checked its size) and begins at a page; nobody writes it.
            t.fits(unsafe { std::slice::from_raw_parts(ptr, t.entries) })
        })
    }

    /// What the step that `after` ends has drawn.
    ///
    /// # Safety
    /// As for [`Code::header`], for a step block that fits the table, until the iterator is gone.
    unsafe fn drawn(&self, after: Header) -> impl Iterator<Item = Drawn> {
        // SAFETY: the region has `step_bytes` bytes; nobody writes them now.
        let block = unsafe { std::slice::from_raw_parts(self.ptr(Region::Step), self.step_bytes) };
        let heads = (after.heads_at > 0).then(|| StepView::new(block));
        let draws = if heads.is_some() { after.drew } else { 1 };
        (0..draws).map(move |i| match &heads {
            None => Drawn { seq: SeqIndex(0), token: after.last_token },
            Some(view) => {
                let head = view.head(i);
                Drawn { seq: head.seq, token: head.token }
            }
        })
    }

    /// Ends a job whose step block does not fit. Every worker comes to the same conclusion; one says so.
    fn refuse(&self, worker: u32) {
        if worker == 0 {
            self.stream().fail(Failure::Step(self.name.clone()));
        }
    }

    /// Runs command `c` as one of a team.
    ///
    /// # Safety
    /// The commands that `c` depends on have ended, and all of the team run it.
    unsafe fn run(&self, c: &Lowered, member: &Member<'_>) {
        // SAFETY: the bindings are those of a verified table over regions of the declared sizes; the level was
        // available when the function was chosen; order is the caller's promise. Each part is run once: by the worker
        // with its number, or by the one whose claim was counted with it.
        let run = |part, parts| unsafe { (c.run)(&self.call(c), part, parts) };
        let worker = member.worker;
        let Some(first) = c.claims else {
            // A kernel takes any number of parts, and gives the same bits.
            let parts = c.parts.min(member.team);
            if worker < parts {
                run(worker, parts);
            }
            return;
        };
        // Shares of workers that are not in the team are claimed by those who are.
        let owners = c.parts / CLAIMS;
        for owner in (worker..owners).chain(0..worker) {
            let counter = &self.claims[first + owner as usize];
            loop {
                let part = counter.fetch_add(1, Ordering::Relaxed);
                if part >= CLAIMS {
                    break;
                }
                run(owner * CLAIMS + part, c.parts);
            }
        }
    }

    /// Sets the stop word where it is not set.
    ///
    /// # Safety
    /// As for [`Code::header`], and nobody reads the header now.
    unsafe fn stop(&self) {
        // SAFETY: no command that writes the step block runs (the caller's promise).
        let header = unsafe { self.header() };
        if header.stop == StopReason::None as u32 {
            let stopped = Header { stop: StopReason::Cancelled as u32, ..header };
            // SAFETY: the step region is at least a header long; the caller's promise.
            unsafe { self.ptr(Region::Step).cast::<Header>().write(stopped) };
        }
    }

    /// Makes all parts claimable again, for the next replay. Called by worker 0 where no command with claims runs.
    fn reset_claims(&self) {
        for counter in &self.claims {
            counter.store(0, Ordering::Relaxed);
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

/// Resolves addresses, places barriers.
pub(crate) fn lower(
    table: &VerifiedTable,
    regions: &[Arc<dyn Memory>],
    stream: &Arc<dyn Stream>,
    machine: Machine,
    pool: &Arc<Pool>,
) -> Result<CpuReplay, DeviceError> {
    if stream.as_any().downcast_ref::<CpuStream>().is_none() {
        return Err(DeviceError::Foreign { what: "stream" });
    }
    check_machine(table, machine)?;
    let limits = Limits::of(table)?;
    let ranges = addresses(table, regions, pool.gate())?;
    let writes_step =
        |i: usize| table.bindings_of(i).iter().any(|b| b.region == Region::Step.id() && b.access.writes());
    let mut code = Code {
        name: table.name.clone(),
        commands: Vec::with_capacity(table.commands.len()),
        bufs: Vec::with_capacity(table.bindings.len()),
        words: Vec::new(),
        regions: regions.to_vec(),
        ranges: Arc::clone(&ranges),
        stream: Arc::clone(stream),
        limits,
        step_bytes: table.regions[Region::Step as usize].bytes as usize,
        tail_barrier: true,
        claims: Vec::new(),
    };
    let (mut last_barrier, mut barriers) = (0, 0);
    let mut since_look = Cost::default();
    let (steps, mut step_written) = ((0..table.commands.len()).any(writes_step), false);
    for i in 0..table.commands.len() {
        let k = table.kernel_of(i);
        let bufs = Span { start: code.bufs.len() as u32, len: k.kernel.bindings.len() as u32 };
        for b in table.bindings_of(i) {
            let region: &Mapping = mapping(regions, b.region.0 as usize, pool.gate())?;
            // SAFETY: the verifier checked that the range lies inside the declared region, and `addresses` that
            // the mapping is at least that large.
            let ptr = unsafe { region.ptr().add(b.offset as usize) };
            code.bufs.push(Buf { ptr, len: b.len as usize });
        }
        let consts = push_words(&mut code.words, &k.consts);
        let params = push_words(&mut code.words, table.params_of(i));
        let hazard = table.deps(i).iter().any(|d| !d.previous_replay && d.command as usize >= last_barrier);
        // Workers read the step block before the first command, which the verifier does not know.
        let barrier = hazard || barriers == 0 && writes_step(i);
        if barrier {
            last_barrier = i;
            barriers += 1;
        }
        let each = u64::from(pool.workers());
        let far = since_look.bytes() / each >= LOOK_BYTES
            || since_look.flops / each >= LOOK_FLOPS
            || pool.is_restless();
        // Not before the first barrier: the round begins there anyway. Not after the step block was written: a round reads where
        // its step began.
        let looks = far && barrier && barriers > 1 && !step_written;
        // A table that does not move the step block on (a shift changes the cache in place) must run whole.
        let cancels = barrier && steps && !step_written;
        step_written |= writes_step(i);
        if looks {
            since_look = Cost::default();
        }
        let Launch::Cpu(CpuLaunch { run, units }) = k.launch else {
            return Err(DeviceError::Foreign { what: k.kernel.name });
        };
        let workers = pool.workers();
        let load = Load { rows: table.rows, head_rows: table.head_rows, kv_len: table.rows.0 };
        let all = workers * CLAIMS;
        let worth = CLAIM_FLOPS[0].max(CLAIM_FLOPS[1] * u64::from(workers));
        let cost = table.cost_of(i, load);
        since_look += cost;
        let large = table.rows.0 > STREAM_ROWS && cost.flops / u64::from(all) >= worth;
        let claims = (large && workers > 1 && units >= all).then_some(code.claims.len());
        let parts = if claims.is_some() { all } else { units.clamp(1, workers) };
        if claims.is_some() {
            code.claims.resize_with(code.claims.len() + workers as usize, AtomicU32::default);
        }
        code.commands.push(Lowered { run, bufs, consts, params, parts, claims, barrier, looks, cancels });
    }
    // Worker 0 ends a step alone where its last command ran alone, after a barrier.
    let last = code.commands.last().is_some_and(|c| c.barrier);
    code.tail_barrier = !(last && table.commands.len().checked_sub(1).is_some_and(writes_step));
    let code = Arc::new(code);
    // One runs, one waits, and one may be handed out just before the first is back.
    let runs = (0..3).map(|_| Arc::new(Run::new(&code))).collect();
    Ok(CpuReplay { code, pool: Arc::clone(pool), runs })
}

/// Region `i` as this device's own.
fn mapping<'a>(
    regions: &'a [Arc<dyn Memory>],
    i: usize,
    gate: &Arc<Gate>,
) -> Result<&'a Mapping, DeviceError> {
    let m = regions.get(i).and_then(|r| r.as_any().downcast_ref::<Mapping>());
    m.filter(|m| m.is_behind(gate)).ok_or(DeviceError::Foreign { what: "region" })
}

/// Checks that the regions are the table's, large enough and behind this device's gate; gives their addresses.
fn addresses(
    table: &VerifiedTable,
    regions: &[Arc<dyn Memory>],
    gate: &Arc<Gate>,
) -> Result<Ranges, DeviceError> {
    if regions.len() != table.regions.len() {
        return Err(DeviceError::Foreign { what: "region list" });
    }
    let mut ranges = Vec::with_capacity(regions.len());
    for (i, decl) in table.regions.iter().enumerate() {
        let m = mapping(regions, i, gate)?;
        if m.bytes() < decl.bytes {
            return Err(DeviceError::Range { offset: 0, len: decl.bytes, bytes: m.bytes() });
        }
        let addresses: std::ops::Range<usize> = m.addresses();
        // Two names for the same bytes would hide hazards from the verifier.
        let shared = |r: &std::ops::Range<usize>| r.start < addresses.end && addresses.start < r.end;
        if ranges.iter().any(shared) {
            return Err(DeviceError::Foreign { what: decl.name });
        }
        ranges.push(addresses);
    }
    Ok(ranges.into())
}

fn push_words(words: &mut Vec<u32>, new: &[u32]) -> Span {
    let span = Span { start: words.len() as u32, len: new.len() as u32 };
    words.extend_from_slice(new);
    span
}

impl Replay for CpuReplay {
    fn submit(&mut self, steps: u32) -> Result<(), DeviceError> {
        if steps == 0 {
            return Ok(());
        }
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
    /// Replays left at the start of a round; 0 when the job is free to be used again.
    steps: AtomicU64,
    /// The command at which a round begins, of the first of these replays.
    at: AtomicUsize,
}

impl Run {
    fn new(code: &Arc<Code>) -> Self {
        Self { code: Arc::clone(code), steps: AtomicU64::new(0), at: AtomicUsize::new(0) }
    }

    /// Looks whether the team changes at the crossing that follows, from where so many steps are left, the first from
    /// command `at`.
    fn look(&self, member: &mut Member<'_>, steps: u64, at: usize) {
        // After the last step the job ends, and is free for the host to use again.
        if member.look() && steps > 0 {
            // Read when the next round begins, after this one has ended. Nobody still reads the last values: that comes before
            // a round's first crossing, and a round crosses at least once before it looks.
            self.steps.store(steps, Ordering::Relaxed);
            self.at.store(at, Ordering::Relaxed);
        }
    }

    /// What worker 0 does after the last command of a step.
    ///
    /// # Safety
    /// Either all commands have ended, or the last one is `advance`, which runs on worker 0 alone after every other command
    /// that touches the step block. No other worker reads the block before the next barrier.
    unsafe fn end_step(&self, before: Header) {
        let code = &*self.code;
        let stream = code.stream();
        // SAFETY: no command that writes the step block runs (the caller's promise).
        let after = unsafe { code.header() };
        if stream.ends() {
            // SAFETY: the same, and the other workers read the header after the next barrier.
            unsafe { code.stop() };
        }
        if after.drawn != before.drawn {
            // SAFETY: the same; `lower` checked the region's size, and the step fitted it.
            stream.push(unsafe { code.drawn(after) });
        }
        code.reset_claims();
    }
}

/// A cancel ends a step between two commands, at a barrier.
///
/// Only the first worker looks at the flag, before a crossing, and has the whole team leave at that crossing
/// ([`Member::leave_at_next_crossing`]); so all take the same way, whenever the flag changes. Each command has then either ended on
/// all workers or been begun by none: counters in `sync` are zero, as between any two commands. Nothing has moved the step block
/// on (`Lowered::cancels`), so it says that this step did not run, and the cache has no more positions than before; what the
/// step has written after them is written again before it is read. The first worker makes the parts claimable again and
/// sets the stop word, for the replays that are queued.
impl Job for Run {
    fn run(&self, member: &mut Member<'_>) -> Result<End, Broken> {
        let code = &*self.code;
        let stream = code.stream();
        // SAFETY: a job of this table runs.
        if !unsafe { code.blocks_fit() } {
            code.refuse(member.worker);
            return Ok(End::Finished);
        }
        let mut at = self.at.load(Ordering::Relaxed);
        for left in (1..=self.steps.load(Ordering::Acquire)).rev() {
            // SAFETY: the end of the last round, or the barrier that ends a step, lies between the last write of the step
            // block and here; the next write comes after a barrier that this worker has yet to reach (`lower` puts one
            // before the first writer, and a round that begins there crosses it again). So all of the team read the same
            // and take the same way.
            let (before, fits) = unsafe { (code.header(), code.step_fits()) };
            if before.stop != StopReason::None as u32 {
                return Ok(End::Finished);
            }
            if !fits {
                code.refuse(member.worker);
                return Ok(End::Finished);
            }
            for (i, c) in code.commands.iter().enumerate().skip(at) {
                // Not where a round begins: that would be the same crossing again.
                let looks = c.looks && i != at;
                if looks {
                    self.look(member, left, i);
                }
                if c.cancels && member.worker == 0 && stream.cancelled() {
                    member.leave_at_next_crossing();
                }
                if c.barrier {
                    member.cross()?;
                }
                if c.cancels && member.is_last_crossing() {
                    if member.worker == 0 {
                        // SAFETY: all commands before the crossing have ended, and nobody runs another one or reads the step
                        // block before the next job, which begins when all have left this one.
                        unsafe { code.stop() };
                        code.reset_claims();
                    }
                    return Ok(End::Finished);
                }
                if looks && member.regroups() {
                    return Ok(End::Regroup);
                }
                // SAFETY: barriers stand wherever the verified dependencies ask for one; all of the team run all
                // commands, so every part is run.
                unsafe { code.run(c, member) };
            }
            at = 0;
            if code.tail_barrier {
                member.cross()?;
            }
            if member.worker == 0 {
                // SAFETY: just crossed, or the last command was `advance`, on this worker.
                unsafe { self.end_step(before) };
            }
            self.look(member, left - 1, 0);
            member.cross()?;
            if left > 1 && member.regroups() {
                return Ok(End::Regroup);
            }
        }
        Ok(End::Finished)
    }

    fn needs(&self) -> Needs {
        Needs::AnyTeam
    }

    fn ranges(&self) -> &Ranges {
        &self.code.ranges
    }

    fn finish(&self) {
        self.at.store(0, Ordering::Relaxed);
        self.steps.store(0, Ordering::Release);
        self.code.stream().finish();
    }

    fn fail(&self) {
        self.code.stream().fail(Failure::Worker(self.code.name.clone()));
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
    fn run(&self, member: &mut Member<'_>) -> Result<End, Broken> {
        // SAFETY: a job of this table runs, and no command of it before the barrier below.
        let fits = unsafe { self.code.blocks_fit() && self.code.step_fits() };
        if !fits {
            self.code.refuse(member.worker);
            return Ok(End::Finished);
        }
        member.cross()?;
        for (i, c) in self.code.commands.iter().enumerate() {
            let start = Instant::now();
            // SAFETY: a barrier stands between any two commands; all of the team run all commands.
            unsafe { self.code.run(c, member) };
            member.cross()?;
            if member.worker == 0 {
                let mut s = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                s.seconds[i] = start.elapsed().as_secs_f64();
            }
        }
        if member.worker == 0 {
            self.code.reset_claims();
        }
        Ok(End::Finished)
    }

    fn needs(&self) -> Needs {
        Needs::AllWorkers
    }

    fn ranges(&self) -> &Ranges {
        &self.code.ranges
    }

    fn finish(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).done = true;
        self.ended.notify_all();
        self.code.stream().finish();
    }

    fn fail(&self) {
        self.code.stream().fail(Failure::Worker(self.code.name.clone()));
    }
}
