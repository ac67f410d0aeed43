//! The CPU device: persistent workers replay an array of resolved kernel functions, with a barrier only where a
//! dependency needs one.

mod bandwidth;
mod barrier;
mod cold;
mod first_touch;
#[cfg(all(loom, test))]
mod loom;
mod lower;
mod memory;
mod mend;
mod pages;
mod placement;
mod pool;
mod stream;
mod sync;
mod team;
#[cfg(test)]
mod test_job;
pub mod topology;

use crate::{Device, DeviceError, DeviceInfo, FilePart, Memory, Replay, Stream};
use akunu_kernels::Machine;
use akunu_kernels::cpu::{LEVELS, Level};
use akunu_plan::{RegionDecl, Target, VerifiedTable};
use memory::{Gate, Mapping};
use placement::Placement;
use pool::Pool;
use std::ops::Range;
use std::sync::Arc;
use topology::Topology;

/// The environment variable that forces a level.
pub const LEVEL_VAR: &str = "AKUNU_CPU";

/// The CPU.
pub struct CpuDevice {
    level: Level,
    target: Target,
    gate: Arc<Gate>,
    pool: Arc<Pool>,
}

impl CpuDevice {
    /// A CPU with so many worker threads (default: [`Topology::workers`]), at the level that `AKUNU_CPU` names or the
    /// best one of this machine.
    pub fn new(threads: Option<u32>) -> Result<Self, DeviceError> {
        Self::with_level(level_from_env()?, threads)
    }

    /// A CPU at a given level.
    pub fn with_level(level: Level, threads: Option<u32>) -> Result<Self, DeviceError> {
        if let Some(why) = level.missing() {
            return Err(DeviceError::Setting {
                name: LEVEL_VAR,
                value: level.to_string(),
                remedy: format!("{why}; the best here is {}", Level::detect()),
            });
        }
        let topology = Topology::detect();
        let threads = threads.unwrap_or_else(|| topology.workers());
        if threads == 0 || threads > 1024 {
            return Err(DeviceError::Setting {
                name: "threads",
                value: threads.to_string(),
                remedy: "choose between 1 and 1024".into(),
            });
        }
        let gate = Arc::new(Gate::default());
        let patience = if threads > topology.parallelism { pool::CROWDED } else { pool::AWAKE };
        let pool = Arc::new(Pool::new(Placement::new(&topology, threads), patience, Arc::clone(&gate))?);
        Ok(Self { target: Target::of(Machine::Cpu(level)), level, gate, pool })
    }

    /// The same with a team of workers that changes wherever it can. For tests: no result may depend on it.
    pub fn with_restless_team(level: Level, threads: u32) -> Result<Self, DeviceError> {
        let device = Self::with_level(level, Some(threads))?;
        device.pool.make_restless();
        Ok(device)
    }

    /// The level in use.
    pub fn level(&self) -> Level {
        self.level
    }
}

fn level_from_env() -> Result<Level, DeviceError> {
    match std::env::var(LEVEL_VAR) {
        Err(_) => Ok(Level::detect()),
        Ok(v) if v.is_empty() => Ok(Level::detect()),
        Ok(v) => Level::parse(&v).ok_or_else(|| DeviceError::Setting {
            name: LEVEL_VAR,
            remedy: format!(
                "choose one of {}",
                LEVELS.iter().map(|l| l.name()).collect::<Vec<_>>().join(", ")
            ),
            value: v,
        }),
    }
}

impl Device for CpuDevice {
    fn info(&self) -> DeviceInfo {
        let (free_bytes, total_bytes) = system_memory();
        let threads = self.pool.workers();
        let s = if threads == 1 { "" } else { "s" };
        DeviceInfo {
            kind: "cpu",
            name: format!("cpu {}, {threads} thread{s}", self.level),
            threads,
            free_bytes,
            total_bytes,
        }
    }

    fn target(&self) -> &Target {
        &self.target
    }

    fn alloc(&self, decl: &RegionDecl) -> Result<Arc<dyn Memory>, DeviceError> {
        Ok(Arc::new(Mapping::new(decl, &self.gate)?))
    }

    fn file_pages(&self) -> Option<u64> {
        pages::file_pages()
    }

    fn alloc_over(&self, decl: &RegionDecl, files: &[FilePart<'_>]) -> Result<Arc<dyn Memory>, DeviceError> {
        match files {
            [] => self.alloc(decl),
            _ => Ok(Arc::new(Mapping::over(decl, files, &self.gate)?)),
        }
    }

    fn place(&self, region: &Arc<dyn Memory>, matrices: &[Range<u64>]) -> Result<(), DeviceError> {
        first_touch::place(&self.pool, region, matrices)
    }

    fn filled(&self, region: &Arc<dyn Memory>) {
        mend::mend(region, self.pool.busy());
    }

    fn stream(&self) -> Result<Arc<dyn Stream>, DeviceError> {
        Ok(Arc::new(stream::CpuStream::new()))
    }

    fn lower(
        &self,
        table: &VerifiedTable,
        regions: &[Arc<dyn Memory>],
        stream: &Arc<dyn Stream>,
    ) -> Result<Box<dyn Replay>, DeviceError> {
        Ok(Box::new(lower::lower(table, regions, stream, self.target.machine, &self.pool)?))
    }

    fn measure_bandwidth(&self) -> Option<f64> {
        bandwidth::measure(&self.pool, &self.gate)
    }
}

/// (available, total) bytes of the system's memory, the container's limit included; (0, 0) where unknown.
pub fn system_memory() -> (u64, u64) {
    let (mut free, mut total) = meminfo();
    // A container's limit, version 2 and version 1 of the interface.
    for (max, used) in [
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ] {
        let read = |p| std::fs::read_to_string(p).ok().and_then(|s| s.trim().parse::<u64>().ok());
        if let (Some(m), Some(u)) = (read(max), read(used)) {
            total = total.min(m);
            free = free.min(m.saturating_sub(u));
        }
    }
    (free, total)
}

#[cfg(target_os = "linux")]
fn meminfo() -> (u64, u64) {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let field = |name: &str| {
        text.lines()
            .find_map(|l| l.strip_prefix(name)?.trim().strip_suffix("kB")?.trim().parse::<u64>().ok())
            .unwrap_or(0)
            * 1024
    };
    (field("MemAvailable:"), field("MemTotal:"))
}

#[cfg(not(target_os = "linux"))]
fn meminfo() -> (u64, u64) {
    #[cfg(target_os = "macos")]
    {
        let mut bytes: u64 = 0;
        let mut len = size_of::<u64>();
        // SAFETY: the name is a C string, and `bytes` and `len` describe eight writable bytes.
        let rc = unsafe {
            libc::sysctlbyname(
                c"hw.memsize".as_ptr(),
                std::ptr::from_mut(&mut bytes).cast(),
                &mut len,
                std::ptr::null_mut(),
                0,
            )
        };
        if rc == 0 {
            return (bytes / 4 * 3, bytes);
        }
    }
    (0, 0)
}
