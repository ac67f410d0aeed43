//! # cuda: NVIDIA GPUs
//!
//! A verified table becomes one CUDA graph (`lower`); a whole generation is one launch of it. Its kernels are compiled from source at load, with shapes and formats as constants (`compile`), and kept
//! on disk (`cache`).
//! Nothing of CUDA is needed to build this crate, and nothing to run it: driver and compiler are looked for when a
//! device is opened, and their absence is an error that says what to do.
//!
//! Host and device meet in a page of mapped memory (`stream`): while a graph runs the host makes no driver call.

mod cache;
mod compile;
mod context;
mod driver;
mod lower;
mod memory;
mod modules;
mod nvrtc;
mod stream;

use crate::{Device, DeviceError, DeviceInfo, Memory, Replay, Stream};
use akunu_kernels::Machine;
use akunu_plan::{RegionDecl, Target, VerifiedTable};
use context::{Address, Context};
use std::sync::Arc;

pub use cache::folder as cache_folder;
pub use compile::{Made, compile_table};
pub use context::{ListedGpu, gpus};
pub use driver::calls as driver_calls;
pub use nvrtc::{NVRTC_VAR, places as nvrtc_places};

/// Setting that changes how tables are lowered, for tests: words separated by commas.
pub const OPTIONS_VAR: &str = "AKUNU_CUDA";

/// How tables are lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Kernels start before their predecessors have ended (programmatic dependent launch).
    pub overlap: bool,
    /// Blocks wait for pseudo-random times; finds missing waits.
    pub delay: bool,
    /// The graph repeats on the device, where the driver can.
    pub repeat: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { overlap: true, delay: false, repeat: true }
    }
}

impl Options {
    /// The defaults, changed by `AKUNU_CUDA`.
    pub fn from_env() -> Result<Self, DeviceError> {
        match std::env::var(OPTIONS_VAR) {
            Ok(v) => Self::parse(&v),
            Err(_) => Ok(Self::default()),
        }
    }

    /// From words: `full-edges`, `delay`, `no-while`.
    pub fn parse(words: &str) -> Result<Self, DeviceError> {
        let mut o = Self::default();
        for word in words.split(',').map(str::trim).filter(|w| !w.is_empty()) {
            match word {
                "full-edges" => o.overlap = false,
                "delay" => o.delay = true,
                "no-while" => o.repeat = false,
                _ => {
                    return Err(DeviceError::Setting {
                        name: OPTIONS_VAR,
                        value: words.to_owned(),
                        remedy: "choose from full-edges, delay, no-while".into(),
                    });
                }
            }
        }
        Ok(o)
    }
}

/// A GPU.
pub struct CudaDevice {
    context: Arc<Context>,
    modules: modules::Modules,
    staging: Arc<memory::Staging>,
    target: Target,
    options: Options,
}

impl CudaDevice {
    /// Opens GPU number `ordinal`.
    pub fn open(ordinal: u32) -> Result<Self, DeviceError> {
        Self::with_options(ordinal, Options::from_env()?)
    }

    /// Opens a GPU with options of one's own.
    pub fn with_options(ordinal: u32, mut options: Options) -> Result<Self, DeviceError> {
        let context = Context::open(ordinal)?;
        options.overlap &= context.gpu.sm >= 90;
        let mut target = Target::of(Machine::Cuda(context.gpu));
        if !(options.repeat && context.driver.has_conditions()) {
            // One launch is one step, so a few steps are queued ahead.
            target.chunk = 16;
        }
        Ok(Self {
            modules: modules::Modules::new(&context),
            staging: Arc::default(),
            target,
            options,
            context,
        })
    }

    /// How many kernels were made so far, and how many of them were not in the cache.
    pub fn made(&self) -> Made {
        self.modules.made()
    }

    /// The driver's CUDA version and the architecture that is compiled for.
    pub fn versions(&self) -> (String, String) {
        let v = self.context.driver_version;
        (format!("{}.{}", v / 1000, v % 1000 / 10), self.context.arch())
    }
}

/// Where the compiler was found and its version; an error that says what to do where there is none.
pub fn compiler() -> Result<(std::path::PathBuf, String), DeviceError> {
    let n = nvrtc::Nvrtc::get()?;
    let (major, minor) = n.version();
    Ok((n.path().to_owned(), format!("{major}.{minor}")))
}

/// Whether a compiler can be found now. Unlike [`compiler`] this does not settle the answer for the process, so it can
/// be asked before one is fetched.
pub fn compiler_in_use() -> Result<(), DeviceError> {
    nvrtc::Nvrtc::find().map(|_| ()).map_err(|what| DeviceError::NoCompiler { what })
}

impl Device for CudaDevice {
    fn info(&self) -> DeviceInfo {
        let (free_bytes, total_bytes) = self.context.memory().unwrap_or((0, 0));
        DeviceInfo {
            kind: "cuda",
            name: format!("cuda {}", self.context.name),
            threads: 0,
            free_bytes,
            total_bytes,
        }
    }

    fn target(&self) -> &Target {
        &self.target
    }

    fn ready(&self) -> Result<(), DeviceError> {
        self.modules.load(&[compile::control(&self.context.gpu, self.options)])
    }

    fn alloc(&self, decl: &RegionDecl) -> Result<Arc<dyn Memory>, DeviceError> {
        Ok(Arc::new(memory::CudaMemory::new(&self.context, decl, &self.staging)?))
    }

    fn stream(&self) -> Result<Arc<dyn Stream>, DeviceError> {
        // Weights are in place when a session begins; their buffers are not needed any more.
        self.staging.clear();
        Ok(Arc::new(stream::CudaStream::new(&self.context)?))
    }

    fn lower(
        &self,
        table: &VerifiedTable,
        regions: &[Arc<dyn Memory>],
        stream: &Arc<dyn Stream>,
    ) -> Result<Box<dyn Replay>, DeviceError> {
        lower::lower(&self.context, &self.modules, self.options, table, regions, stream)
    }

    fn measure_bandwidth(&self) -> Option<f64> {
        bandwidth(self).ok()
    }
}

/// Bytes that one pass of the measurement reads; far more than the caches hold.
const PASS: u64 = 4 << 30;

/// The best of a few passes over device memory, read only.
fn bandwidth(device: &CudaDevice) -> Result<f64, DeviceError> {
    let (free, _) = device.context.memory()?;
    let bytes = PASS.min(free / 4) / 4096 * 4096;
    let data = Address::new(&device.context, "bandwidth", bytes)?;
    let stamps = Address::new(&device.context, "stamps", 64)?;
    let control = compile::control(&device.context.gpu, device.options);
    device.modules.load(std::slice::from_ref(&control))?;
    let read = device.modules.function(&control, "read_all", 0)?;
    let stamp = device.modules.function(&control, "stamp", 0)?;
    let driver = device.context.enter()?;
    let launch = |f: &modules::Function, grid: u32, block: u32, args: &mut [u64]| {
        let mut pointers: Vec<*mut std::ffi::c_void> =
            args.iter_mut().map(|a| std::ptr::from_mut(a).cast()).collect();
        let none = std::ptr::null_mut();
        // SAFETY: the kernels of control.cu with their arguments; the default queue.
        unsafe { driver.launch(f.raw, grid, 1, 1, block, 1, 1, 0, none, pointers.as_mut_ptr(), none.cast()) }
    };
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        launch(&stamp, 1, 1, &mut [stamps.at])?;
        launch(&read, device.context.gpu.multiprocessors * 4, 512, &mut [data.at, bytes, stamps.at + 32])?;
        launch(&stamp, 1, 1, &mut [stamps.at + 8])?;
        let mut at = [0u64; 2];
        // SAFETY: two words of the stamps' memory.
        unsafe { driver.copy_out(at.as_mut_ptr().cast(), stamps.at, 16)? };
        best = best.min(at[1].saturating_sub(at[0]) as f64 * 1e-9);
    }
    Ok(bytes as f64 / best)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn options_are_words() {
        assert_eq!(Options::parse("").unwrap(), Options::default());
        let o = Options::parse(" full-edges, delay,no-while").unwrap();
        assert_eq!(o, Options { overlap: false, delay: true, repeat: false });
        let e = Options::parse("fast").unwrap_err().to_string();
        assert!(e.contains("AKUNU_CUDA=fast") && e.contains("full-edges"), "{e}");
    }
}
