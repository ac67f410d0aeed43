//! What the device needs of Metal: a dozen calls. Apple's implementation makes them; the emulator does in this process what they say.

use crate::DeviceError;
use akunu_kernels::metal::Chip;
use std::ops::Range;
use std::time::Duration;

/// What a GPU is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Name.
    pub name: String,
    /// What kernels and tables depend on.
    pub chip: Chip,
}

/// One command of a table.
pub struct Encoded<'a, G: Gpu> {
    /// The kernel.
    pub pipeline: &'a G::Pipeline,
    /// Where the arguments begin in the buffer of arguments.
    pub args: u64,
    /// Threadgroups.
    pub groups: [u32; 3],
    /// Threads of each.
    pub threads: u32,
    /// Whether it waits for all before it in the table.
    pub barrier: bool,
}

/// What one command buffer does: some commands of a table once, then others so many times. Each begins after all that was before has
/// ended.
pub struct Run<'a, G: Gpu> {
    /// The table.
    pub table: &'a G::Table,
    /// Commands that run first; may be empty.
    pub begin: Range<u32>,
    /// Commands of a step.
    pub step: Range<u32>,
    /// How many steps.
    pub steps: u32,
    /// The event's number before the first step; each step signals the next one when it has ended.
    pub signalled: u64,
}

/// How a command buffer stands.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    /// It is queued or runs.
    Running,
    /// It has ended, after so many seconds on the GPU.
    Ended(f64),
    /// It has failed, for that reason; the rest of it was not run.
    Failed(String),
}

/// A GPU. Every method may be called from any thread. Command buffers run in the order in which they are committed.
pub trait Gpu: Send + Sync + Sized + 'static {
    /// Memory that the GPU and the host share.
    type Buffer: Send + Sync;
    /// A kernel with constants, ready to be part of a table.
    type Pipeline: Send + Sync;
    /// An indirect command buffer.
    type Table: Send;
    /// A number that grows, on which the host can wait.
    type Event: Send + Sync;
    /// A command buffer that was committed.
    type Work: Clone + Send + Sync;

    /// What it is.
    fn about(&self) -> &About;
    /// (free, total) bytes of memory.
    fn memory(&self) -> (u64, u64);
    /// Memory, zeroed.
    fn buffer(&self, name: &'static str, bytes: u64) -> Result<Self::Buffer, DeviceError>;
    /// Where the GPU finds a buffer.
    fn address(buffer: &Self::Buffer) -> u64;
    /// Where the host finds it.
    fn contents(buffer: &Self::Buffer) -> *mut u8;
    /// Compiles a kernel for threadgroups of so many threads; function constant `i` is the `i`-th of `consts`.
    fn pipeline(
        &self,
        kernel: &'static str,
        text: &'static str,
        consts: &[u32],
        threads: u32,
    ) -> Result<Self::Pipeline, DeviceError>;
    /// Encodes a table once. Each command finds the address of its arguments in `args` as its buffer 0; they name places in `used`.
    fn encode(
        &self,
        commands: &[Encoded<'_, Self>],
        args: &Self::Buffer,
        used: &[&Self::Buffer],
    ) -> Result<Self::Table, DeviceError>;
    /// A new event, at 0.
    fn event(&self) -> Result<Self::Event, DeviceError>;
    /// Commits one command buffer.
    fn commit(&self, run: &Run<'_, Self>, event: &Self::Event) -> Result<Self::Work, DeviceError>;
    /// How a command buffer stands.
    fn state(&self, work: &Self::Work) -> State;
    /// Waits until a command buffer has ended or failed.
    fn finish(&self, work: &Self::Work) -> State;
    /// Waits until an event has come to a number, or for so long; what it has come to.
    fn wait(&self, event: &Self::Event, value: u64, long: Duration) -> u64;
}
