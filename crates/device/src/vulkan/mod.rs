//! # vulkan: GPUs with Vulkan 1.3
//!
//! A verified table becomes one command buffer, recorded once and submitted for every step (`lower`), with barriers where its
//! dependencies ask for one. Kernels are SPIR-V that is part of this program; the driver specializes them with their
//! constants (`pipelines`). They get addresses, so there are no descriptors.
//!
//! Nothing of Vulkan is needed to build this crate, and nothing to run it: the loader is looked for when a device is opened, and
//! its absence is an error that says what to do.

mod context;
mod instance;
mod lower;
mod memory;
mod pipelines;
mod stream;

use crate::{Device, DeviceError, DeviceInfo, Memory, Replay, Stream};
use akunu_kernels::Machine;
use akunu_kernels::vulkan::{BEGIN, STEP_END};
use akunu_plan::{RegionDecl, Target, VerifiedTable};
use context::Context;
use std::sync::Arc;

pub use instance::{ListedGpu, gpus};

/// Setting that changes how a GPU is used, for tests.
pub const OPTIONS_VAR: &str = "AKUNU_VULKAN";

/// How a GPU is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Bytes go through a buffer of the host also where the GPU's memory is the system's.
    pub staged: bool,
    /// Matrix units stay unused, also where there are some.
    pub plain: bool,
}

impl Options {
    /// The defaults, changed by `AKUNU_VULKAN`.
    pub fn from_env() -> Result<Self, DeviceError> {
        match std::env::var(OPTIONS_VAR) {
            Ok(v) => Self::parse(&v),
            Err(_) => Ok(Self::default()),
        }
    }

    /// From words, separated by commas: `staged`, `plain`.
    pub fn parse(words: &str) -> Result<Self, DeviceError> {
        let mut o = Self::default();
        for word in words.split(',').map(str::trim).filter(|w| !w.is_empty()) {
            match word {
                "staged" => o.staged = true,
                "plain" => o.plain = true,
                _ => {
                    let (value, remedy) = (words.to_owned(), "the words are `staged` and `plain`".into());
                    return Err(DeviceError::Setting { name: OPTIONS_VAR, value, remedy });
                }
            }
        }
        Ok(o)
    }
}

/// A GPU.
pub struct VulkanDevice {
    pipelines: pipelines::Pipelines,
    transfer: Arc<memory::Transfer>,
    target: Target,
    context: Arc<Context>,
}

impl VulkanDevice {
    /// Opens GPU number `ordinal`.
    pub fn open(ordinal: u32) -> Result<Self, DeviceError> {
        Self::with_options(ordinal, Options::from_env()?)
    }

    /// Opens a GPU with options of one's own.
    pub fn with_options(ordinal: u32, options: Options) -> Result<Self, DeviceError> {
        let context = Context::open(ordinal, options)?;
        Ok(Self {
            pipelines: pipelines::Pipelines::new(&context),
            transfer: Arc::new(memory::Transfer::new(&context)),
            target: Target::of(Machine::Vulkan(context.chip)),
            context,
        })
    }
}

impl Device for VulkanDevice {
    fn info(&self) -> DeviceInfo {
        let (free_bytes, total_bytes) = self.context.memory();
        let name = format!("vulkan {}", self.context.name);
        DeviceInfo { kind: "vulkan", name, threads: 0, free_bytes, total_bytes }
    }

    fn target(&self) -> &Target {
        &self.target
    }

    fn ready(&self) -> Result<(), DeviceError> {
        self.pipelines.get("begin", BEGIN, &[])?;
        self.pipelines.get("step_end", STEP_END, &[])?;
        Ok(())
    }

    fn alloc(&self, decl: &RegionDecl) -> Result<Arc<dyn Memory>, DeviceError> {
        Ok(Arc::new(memory::VulkanMemory::new(&self.context, decl, &self.transfer)?))
    }

    fn stream(&self) -> Result<Arc<dyn Stream>, DeviceError> {
        Ok(Arc::new(stream::VulkanStream::new(&self.context, &self.transfer)?))
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn options_are_words() {
        assert_eq!(Options::parse("").unwrap(), Options::default());
        let o = Options::parse(" staged, ").unwrap();
        assert!(o.staged && !o.plain);
        assert!(Options::parse("plain,staged").unwrap() == Options { staged: true, plain: true });
        let e = Options::parse("fast").unwrap_err().to_string();
        assert!(e.contains("AKUNU_VULKAN=fast") && e.contains("staged"), "{e}");
    }
}
