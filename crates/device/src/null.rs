//! The null device: records what it is asked to run and does none of it, except the table's last command, which
//! advances the step block. It measures the host's own work per token, and shows what the engine submits.
//!
//! Big regions (weights, caches, activations) take no memory; only what the last command binds is real.

use crate::limits::Limits;
use crate::{Device, DeviceError, DeviceInfo, Drawn, Fill, Memory, Progress, Replay, Stream};
use akunu_kernels::cpu::{Buf, Call, CpuFn, Level, StepView};
use akunu_kernels::step::{Header, RowCount, SeqIndex, StopReason};
use akunu_plan::table::{Region, RegionId};
use akunu_plan::{RegionDecl, RegionKind, Target, VerifiedTable};
use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The device. `target` decides which tables are built for it.
pub struct NullDevice {
    target: Target,
    log: Arc<Mutex<Vec<Submission>>>,
    /// Held by whoever touches memory of this device: a host, or a step.
    access: Arc<Mutex<()>>,
}

/// One recorded submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// Rows of the table.
    pub rows: RowCount,
    /// Replays asked for.
    pub steps: u32,
}

/// Submissions that the recording keeps; later ones are only counted by the stream.
const RECORDED: usize = 1 << 12;

impl NullDevice {
    /// A device that pretends to be `target`.
    pub fn new(target: Target) -> Self {
        Self { target, log: Arc::new(Mutex::new(Vec::with_capacity(RECORDED))), access: Arc::default() }
    }

    /// What has been submitted so far.
    pub fn recorded(&self) -> Vec<Submission> {
        lock(&self.log).clone()
    }
}

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Device for NullDevice {
    fn info(&self) -> DeviceInfo {
        let (free_bytes, total_bytes) = crate::cpu::system_memory();
        DeviceInfo { kind: "null", name: "null".into(), threads: 0, free_bytes, total_bytes }
    }

    fn target(&self) -> &Target {
        &self.target
    }

    fn alloc(&self, decl: &RegionDecl) -> Result<Arc<dyn Memory>, DeviceError> {
        // What the last command of a table may bind, and what the host reads back; both small.
        let real = match decl.region {
            Some(Region::Picks) => true,
            _ => matches!(decl.kind, RegionKind::Persistent | RegionKind::Mailbox),
        };
        let len = if real { decl.bytes.div_ceil(8) as usize } else { 0 };
        let (words, access) = (Mutex::new(vec![0u64; len]), Arc::clone(&self.access));
        Ok(Arc::new(NullMemory { bytes: decl.bytes, words, access }))
    }

    fn stream(&self) -> Result<Arc<dyn Stream>, DeviceError> {
        Ok(Arc::new(NullStream::default()))
    }

    fn lower(
        &self,
        table: &VerifiedTable,
        regions: &[Arc<dyn Memory>],
        stream: &Arc<dyn Stream>,
    ) -> Result<Box<dyn Replay>, DeviceError> {
        let Some(last) = table.commands.len().checked_sub(1) else {
            return Err(DeviceError::Foreign { what: "empty table" });
        };
        let k = table.kernel_of(last);
        if regions.len() != table.regions.len() {
            return Err(DeviceError::Foreign { what: "region list" });
        }
        let binds = table.bindings_of(last).iter().map(|b| (b.region, b.offset, b.len)).collect();
        Ok(Box::new(NullReplay {
            name: table.name.clone(),
            rows: table.rows,
            limits: Limits::of(table)?,
            run: k.kernel.cpu(Level::Reference, &k.consts)?,
            consts: k.consts.clone(),
            params: table.params_of(last).to_vec(),
            binds,
            bufs: Vec::with_capacity(k.kernel.bindings.len()),
            regions: regions.to_vec(),
            stream: Arc::clone(stream),
            log: Arc::clone(&self.log),
            access: Arc::clone(&self.access),
        }))
    }

    fn measure_bandwidth(&self) -> Option<f64> {
        None
    }
}

struct NullMemory {
    bytes: u64,
    /// Empty for regions that only pretend. Words, so that the step block is aligned.
    words: Mutex<Vec<u64>>,
    /// The device's.
    access: Arc<Mutex<()>>,
}

impl NullMemory {
    fn check(&self, offset: u64, len: u64) -> Result<(), DeviceError> {
        match offset.checked_add(len) {
            Some(end) if end <= self.bytes => Ok(()),
            _ => Err(DeviceError::Range { offset, len, bytes: self.bytes }),
        }
    }
}

impl Memory for NullMemory {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.check(offset, bytes.len() as u64)?;
        let _alone = lock(&self.access);
        let mut words = lock(&self.words);
        let real: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        if let Some(to) = real.get_mut(offset as usize..offset as usize + bytes.len()) {
            to.copy_from_slice(bytes);
        }
        Ok(())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), DeviceError> {
        self.check(offset, out.len() as u64)?;
        let _alone = lock(&self.access);
        let words = lock(&self.words);
        let real: &[u8] = bytemuck::cast_slice(&words);
        match real.get(offset as usize..offset as usize + out.len()) {
            Some(from) => out.copy_from_slice(from),
            None => out.fill(0),
        }
        Ok(())
    }

    fn fill(&self, offset: u64, len: u64, _fill: &mut Fill<'_>) -> Result<(), DeviceError> {
        self.check(offset, len)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

struct NullReplay {
    name: String,
    rows: RowCount,
    limits: Limits,
    run: CpuFn,
    consts: Vec<u32>,
    params: Vec<u32>,
    binds: Vec<(RegionId, u64, u64)>,
    bufs: Vec<Buf>,
    regions: Vec<Arc<dyn Memory>>,
    stream: Arc<dyn Stream>,
    log: Arc<Mutex<Vec<Submission>>>,
    access: Arc<Mutex<()>>,
}

impl NullReplay {
    fn memory(&self, r: RegionId) -> Result<&NullMemory, DeviceError> {
        let m = self.regions.get(r.0 as usize).and_then(|m| m.as_any().downcast_ref::<NullMemory>());
        m.filter(|m| Arc::ptr_eq(&m.access, &self.access)).ok_or(DeviceError::Foreign { what: "region" })
    }

    fn header(&self) -> Result<Header, DeviceError> {
        let mut h = [0u8; size_of::<Header>()];
        self.memory(Region::Step.id())?.read(0, &mut h)?;
        Ok(bytemuck::pod_read_unaligned(&h))
    }

    /// Appends what the step that `after` ends has drawn; how many.
    fn drawn(&self, after: Header, log: &mut Vec<Drawn>) -> Result<u64, DeviceError> {
        if after.heads_at == 0 {
            log.push(Drawn { seq: SeqIndex(0), token: after.last_token });
            return Ok(1);
        }
        let words = lock(&self.memory(Region::Step.id())?.words);
        let view = StepView::new(bytemuck::cast_slice(&words));
        let heads = (0..after.drew).map(|i| view.head(i));
        log.extend(heads.map(|h| Drawn { seq: h.seq, token: h.token }));
        Ok(u64::from(after.drew))
    }

    /// Runs the last command once.
    fn step(&mut self) -> Result<(), DeviceError> {
        let access = Arc::clone(&self.access);
        let _alone = lock(&access);
        let fits = {
            let words = lock(&self.memory(Region::Step.id())?.words);
            let block: &[u8] = bytemuck::cast_slice(&words);
            self.limits.step(block)
        };
        if !fits {
            return Err(DeviceError::Step { table: self.name.clone() });
        }
        self.bufs.clear();
        for i in 0..self.binds.len() {
            let (region, offset, len) = self.binds[i];
            let mut words = lock(&self.memory(region)?.words);
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
            // A command that binds a pretended region (a context shift) is recorded and not run.
            let Some(range) = bytes.get_mut(offset as usize..(offset + len) as usize) else { return Ok(()) };
            let buf = Buf { ptr: range.as_mut_ptr(), len: range.len() };
            drop(words);
            self.bufs.push(buf);
        }
        let call = Call { bufs: &self.bufs, consts: &self.consts, params: &self.params };
        // SAFETY: the table is verified and the step block fits it; the vectors behind the regions never grow or
        // move; nobody else touches them while the device's `access` is held; one part is all there is.
        unsafe { (self.run)(&call, 0, 1) };
        Ok(())
    }
}

impl Replay for NullReplay {
    fn submit(&mut self, steps: u32) -> Result<(), DeviceError> {
        let mut log = lock(&self.log);
        if log.len() < RECORDED {
            log.push(Submission { rows: self.rows, steps });
        }
        drop(log);
        let stream = Arc::clone(&self.stream);
        let Some(stream) = stream.as_any().downcast_ref::<NullStream>() else {
            return Err(DeviceError::Foreign { what: "stream" });
        };
        for _ in 0..steps {
            let before = self.header()?;
            if before.stop != StopReason::None as u32 || stream.cancelled.load(Ordering::Relaxed) {
                break;
            }
            self.step()?;
            let after = self.header()?;
            if after.drawn != before.drawn {
                let n = self.drawn(after, &mut lock(&stream.log))?;
                stream.drawn.fetch_add(n, Ordering::Relaxed);
            }
            if stream.paused.load(Ordering::Relaxed) && after.stop == StopReason::None as u32 {
                // For the submissions that follow, too.
                let stopped = Header { stop: StopReason::Cancelled as u32, ..after };
                self.memory(Region::Step.id())?.write(0, bytemuck::bytes_of(&stopped))?;
            }
        }
        Ok(())
    }

    fn profile(&mut self, seconds: &mut [f64]) -> Result<(), DeviceError> {
        seconds.fill(0.0);
        self.submit(1)
    }
}

struct NullStream {
    log: Mutex<Vec<Drawn>>,
    drawn: AtomicU64,
    cancelled: AtomicBool,
    paused: AtomicBool,
}

impl Default for NullStream {
    fn default() -> Self {
        // Room for a long test, so that recording a token does not allocate.
        let log = Mutex::new(Vec::with_capacity(1 << 17));
        Self {
            log,
            drawn: AtomicU64::new(0),
            cancelled: AtomicBool::new(false),
            paused: AtomicBool::new(false),
        }
    }
}

impl Stream for NullStream {
    fn reset(&self) {
        lock(&self.log).clear();
        self.drawn.store(0, Ordering::Relaxed);
        self.cancelled.store(false, Ordering::Relaxed);
        self.paused.store(false, Ordering::Relaxed);
    }

    fn progress(&self) -> Progress {
        Progress { drawn: self.drawn.load(Ordering::Relaxed), pending: 0 }
    }

    fn wait(&self, _drawn: u64, _pending: u64) -> Result<Progress, DeviceError> {
        Ok(self.progress())
    }

    fn drawn(&self, from: u64, out: &mut [Drawn]) -> usize {
        let log = lock(&self.log);
        let from = (from as usize).min(log.len());
        let n = out.len().min(log.len() - from);
        out[..n].copy_from_slice(&log[from..from + n]);
        n
    }

    fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    fn pause(&self) {
        self.paused.store(true, Ordering::Relaxed);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
