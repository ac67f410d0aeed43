//! What can go wrong on a device.

use akunu_kernels::{KernelError, Machine};
use thiserror::Error;

/// Every message says what, where and what to do next.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the fields are named in the messages")]
pub enum DeviceError {
    /// No memory for a region.
    #[error("cannot allocate {bytes} bytes for `{region}`: {source}; use a smaller model or a shorter --ctx")]
    OutOfMemory { region: &'static str, bytes: u64, source: std::io::Error },
    /// A part of a file that cannot stand in place of memory.
    #[error("cannot map {len} bytes at {offset} of a weights file: {source}; leave out --no-repack")]
    Map { offset: u64, len: u64, source: std::io::Error },
    /// An access outside a region.
    #[error("access of {len} bytes at {offset} in a region of {bytes}")]
    Range { offset: u64, len: u64, bytes: u64 },
    /// Two hosts' writes at once.
    #[error("bytes {offset}+{len} of a region are being written by another thread")]
    Overlap { offset: u64, len: u64 },
    /// A kernel refuses its constants.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// Memory or stream of another device.
    #[error("`{what}` belongs to another device")]
    Foreign { what: &'static str },
    /// A table for another kind of device, level or GPU: its functions might not run here.
    #[error("table `{table}` was built for {built}, not for {machine}; plan it for this device's target")]
    Machine { table: String, built: Machine, machine: Machine },
    /// A worker died; the numbers of this session are lost.
    #[error(
        "a worker thread failed while running `{table}`; this is a bug, please report it with the model's name"
    )]
    Worker { table: String },
    /// The step block or the block table, as the host wrote them, go beyond what a table was built for.
    #[error(
        "the step block asks `{table}` for more rows, or for later positions or blocks, than it was built for, or for \
         rows whose positions do not follow each other; nothing was run. Write the block as `akunu::Session` does"
    )]
    Step { table: String },
    /// No NVIDIA driver on this machine.
    #[error("CUDA cannot be used: there is no NVIDIA driver ({what}). Install it, or use --device cpu")]
    NoDriver { what: String },
    /// No GPU that this build can use.
    #[error("CUDA cannot be used: {what}. Use --device cpu, or see `akunu doctor`")]
    NoCuda { what: String },
    /// No compiler for kernels.
    #[error(
        "kernels must be compiled, but there is no NVRTC: {what}. `akunu doctor --fix` fetches it; AKUNU_NVRTC names \
         a file or folder"
    )]
    NoCompiler { what: String },
    /// A kernel that does not compile.
    #[error("kernel `{kernel}` does not compile for {arch}: {what}. This is a bug; please report it")]
    Compile { kernel: String, arch: String, what: String },
    /// The driver said no. `code` is its number for the error; `None` where the function was not called.
    #[error("the CUDA driver failed in {call}: {what}; {remedy}")]
    Cuda { call: &'static str, code: Option<u32>, what: String, remedy: &'static str },
    /// No GPU that this build can use through Vulkan.
    #[error("Vulkan cannot be used: {what}. Use --device cpu, or see `akunu doctor`")]
    NoVulkan { what: String },
    /// A kernel that the driver does not take.
    #[error("the Vulkan driver does not take kernel `{kernel}`: {what}; update it, or use --device cpu")]
    Pipeline { kernel: &'static str, what: String },
    /// A Vulkan driver said no.
    #[error("the Vulkan driver failed in {call}: {what}; {remedy}")]
    Vulkan { call: &'static str, what: String, remedy: &'static str },
    /// No GPU that this build can use through Metal.
    #[error("Metal cannot be used: {what}. Use --device cpu, or see `akunu doctor`")]
    NoMetal { what: String },
    /// A kernel that Metal's compiler does not take.
    #[error(
        "Metal does not take kernel `{kernel}`: {what}. This is a bug; please report it with what `akunu doctor` prints"
    )]
    MetalKernel { kernel: &'static str, what: String },
    /// Metal said no, or a command buffer failed.
    #[error("Metal failed in {call}: {what}; {remedy}")]
    Metal { call: &'static str, what: String, remedy: &'static str },
    /// The filler of a range failed.
    #[error("{0}")]
    Fill(Box<dyn std::error::Error + Send + Sync>),
    /// Threads could not be started.
    #[error("cannot start {threads} worker threads: {source}; use fewer --threads")]
    Threads { threads: u32, source: std::io::Error },
    /// An environment variable or option has a value that means nothing here.
    #[error("{name}={value}: {remedy}")]
    Setting { name: &'static str, value: String, remedy: String },
}
