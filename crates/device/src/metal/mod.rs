//! # metal: GPUs with Metal
//!
//! A verified table becomes one indirect command buffer, encoded once (`lower`) and executed for every step, many steps in one command
//! buffer. Kernels are text that is part of this program; Metal compiles them with their constants (`pipelines`). They find the
//! addresses of their bindings in one buffer of arguments, so nothing is bound but that.
//!
//! All that is Metal's own stands behind the trait [`Gpu`]: Apple's implementation (on macOS alone) calls it; the emulator (feature
//! `metal-emulator`, for tests) compiles the same texts for this processor and does what the calls say, so that the whole way from a table to
//! tokens runs on any machine. **It has not run on Apple hardware yet.**

#[cfg(target_os = "macos")]
mod apple;
mod context;
#[cfg(feature = "metal-emulator")]
pub mod emulator;
mod gpu;
mod lower;
mod memory;
mod pipelines;
mod stream;

pub use gpu::{About, Encoded, Gpu, Run, State};

use crate::{Device, DeviceError, DeviceInfo, Memory, Replay, Stream};
use akunu_kernels::Machine;
use akunu_kernels::metal::{BEGIN, STEP_END};
use akunu_kernels::vulkan::INVOCATIONS;
use akunu_plan::{RegionDecl, Target, VerifiedTable};
use context::Context;
use std::sync::Arc;

/// A GPU that the system shows. Its number is its place in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedGpu {
    /// Name.
    pub name: String,
    /// The number of its family among Apple's; 0 is any other.
    pub family: u32,
    /// Memory that it may use, in bytes.
    pub total_bytes: u64,
    /// What the kernels need and it lacks; empty where it has all.
    pub missing: Vec<&'static str>,
}

impl ListedGpu {
    /// Why the kernels cannot run on it; `None` where they can.
    pub fn obstacle(&self) -> Option<String> {
        let what = || format!("{} lacks {}", self.name, self.missing.join(", "));
        (!self.missing.is_empty()).then(what)
    }
}

/// Every GPU that the system shows, in the order of their numbers.
#[cfg(not(target_os = "macos"))]
pub fn gpus() -> Result<Vec<ListedGpu>, DeviceError> {
    Err(elsewhere())
}

/// Opens GPU number `ordinal`.
#[cfg(not(target_os = "macos"))]
pub fn open(_ordinal: u32) -> Result<Arc<dyn Device>, DeviceError> {
    Err(elsewhere())
}

/// Every GPU that the system shows, in the order of their numbers.
#[cfg(target_os = "macos")]
pub fn gpus() -> Result<Vec<ListedGpu>, DeviceError> {
    Ok(apple::gpus())
}

/// Opens GPU number `ordinal`.
#[cfg(target_os = "macos")]
pub fn open(ordinal: u32) -> Result<Arc<dyn Device>, DeviceError> {
    apple::open(ordinal)
}

#[cfg(not(target_os = "macos"))]
fn elsewhere() -> DeviceError {
    DeviceError::NoMetal { what: "it is a part of macOS, and this is another system".into() }
}

/// A GPU.
pub struct MetalDevice<G: Gpu> {
    pipelines: pipelines::Pipelines<G>,
    target: Target,
    context: Arc<Context<G>>,
}

impl<G: Gpu> MetalDevice<G> {
    /// A device of a GPU.
    pub fn new(gpu: G) -> Self {
        let target = Target::of(Machine::Metal(gpu.about().chip));
        Self { pipelines: pipelines::Pipelines::new(), target, context: Arc::new(Context::new(gpu)) }
    }
}

impl<G: Gpu> Device for MetalDevice<G> {
    fn info(&self) -> DeviceInfo {
        let (free_bytes, total_bytes) = self.context.gpu.memory();
        let name = format!("metal {}", self.context.gpu.about().name);
        DeviceInfo { kind: "metal", name, threads: 0, free_bytes, total_bytes }
    }

    fn target(&self) -> &Target {
        &self.target
    }

    fn ready(&self) -> Result<(), DeviceError> {
        self.pipelines.get(&self.context.gpu, "begin", BEGIN, &[], INVOCATIONS)?;
        self.pipelines.get(&self.context.gpu, "step_end", STEP_END, &[], INVOCATIONS)?;
        Ok(())
    }

    fn alloc(&self, decl: &RegionDecl) -> Result<Arc<dyn Memory>, DeviceError> {
        Ok(Arc::new(memory::MetalMemory::new(&self.context, decl)?))
    }

    fn stream(&self) -> Result<Arc<dyn Stream>, DeviceError> {
        Ok(Arc::new(stream::MetalStream::new(&self.context)?))
    }

    fn lower(
        &self,
        table: &VerifiedTable,
        regions: &[Arc<dyn Memory>],
        stream: &Arc<dyn Stream>,
    ) -> Result<Box<dyn Replay>, DeviceError> {
        lower::lower(&self.context, &self.pipelines, table, regions, stream)
    }

    /// Not measured: no kernel for it has been written.
    fn measure_bandwidth(&self) -> Option<f64> {
        None
    }
}
