//! # vulkan: GPUs with Vulkan 1.3
//!
//! A verified table becomes one command buffer, recorded once and submitted for every step (`lower`), with barriers where its
//! dependencies ask for one. Kernels are SPIR-V that is part of this program; the driver specializes them with their
//! constants (`pipelines`), and what it makes of them is kept on disk (`cache`). They get addresses, so there are no descriptors.
//!
//! Nothing of Vulkan is needed to build this crate, and nothing to run it: the loader is looked for when a device is opened, and
//! its absence is an error that says what to do.

mod cache;
mod context;
mod identity;
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
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use cache::{Found, PipelineCache, Written};
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
    /// Nothing that the driver makes is kept on disk, nor taken from there.
    pub unkept: bool,
}

impl Options {
    /// The defaults, changed by `AKUNU_VULKAN`.
    pub fn from_env() -> Result<Self, DeviceError> {
        match std::env::var(OPTIONS_VAR) {
            Ok(v) => Self::parse(&v),
            Err(_) => Ok(Self::default()),
        }
    }

    /// From words, separated by commas: `staged`, `plain`, `unkept`.
    pub fn parse(words: &str) -> Result<Self, DeviceError> {
        let mut o = Self::default();
        for word in words.split(',').map(str::trim).filter(|w| !w.is_empty()) {
            match word {
                "staged" => o.staged = true,
                "plain" => o.plain = true,
                "unkept" => o.unkept = true,
                _ => {
                    let (value, remedy) =
                        (words.to_owned(), "the words are `staged`, `plain` and `unkept`".into());
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
        let folder = if options.unkept { None } else { pipelines_folder() };
        Self::with_folder(ordinal, options, folder.as_deref())
    }

    /// The same with another folder for pipelines; `None` keeps none.
    pub fn with_folder(ordinal: u32, options: Options, folder: Option<&Path>) -> Result<Self, DeviceError> {
        let context = Context::open(ordinal, options)?;
        Ok(Self {
            pipelines: pipelines::Pipelines::new(&context, folder)?,
            transfer: Arc::new(memory::Transfer::new(&context)),
            target: Target::of(Machine::Vulkan(context.chip)),
            context,
        })
    }

    /// What became of the file of pipelines.
    pub fn pipeline_cache(&self) -> PipelineCache {
        self.pipelines.cache.state()
    }
}

/// The folder of what drivers have made of kernels; `None` where there is no home.
pub fn pipelines_folder() -> Option<PathBuf> {
    Some(crate::cache::root()?.join("pipelines"))
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
        self.pipelines.cache.keep();
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
        let both = Options { staged: true, plain: true, ..Options::default() };
        assert!(Options::parse("plain,staged").unwrap() == both);
        assert!(Options::parse("unkept").unwrap().unkept);
        let e = Options::parse("fast").unwrap_err().to_string();
        assert!(e.contains("AKUNU_VULKAN=fast") && e.contains("staged"), "{e}");
    }
}
