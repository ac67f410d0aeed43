//! # device: who runs a table
//!
//! A [`Device`] allocates memory, and lowers a verified table to a [`Replay`] once. A replay runs the table n
//! times per submission; tokens appear on the session's [`Stream`] while it runs. One virtual call per chunk of
//! tokens, none per command.
//!
//! Devices here: [`null`] (a recording, for tests without hardware), [`cpu`] and, with the features `cuda`, `vulkan` and `metal`, NVIDIA
//! GPUs, GPUs with Vulkan and GPUs with Metal.
//!
//! Deliberately absent: operations. A backend knows how to load a kernel and lower a table, not what RoPE is.
//! The one thing it knows of a table's meaning is the step block's header ([`akunu_kernels::step::Header`]).

#[cfg(any(feature = "vulkan", feature = "metal"))]
mod barriers;
#[cfg(any(feature = "cuda", feature = "metal-emulator", feature = "vulkan"))]
mod cache;
pub mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod error;
#[cfg(any(feature = "cuda", feature = "vulkan"))]
mod kept;
mod limits;
#[cfg(feature = "metal")]
pub mod metal;
pub mod null;
#[cfg(any(feature = "cuda", feature = "metal", feature = "vulkan"))]
mod regions;
#[cfg(feature = "vulkan")]
pub mod vulkan;

use akunu_kernels::step::{SeqIndex, Token};
use akunu_plan::{RegionDecl, Target, VerifiedTable};
use std::any::Any;
use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

pub use error::DeviceError;

/// What a device says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Kind (`cpu`, `null`).
    pub kind: &'static str,
    /// One line for people (`cpu avx512bf16, 2 threads`).
    pub name: String,
    /// Worker threads; 0 where that means nothing.
    pub threads: u32,
    /// Memory that can be allocated now, in bytes.
    pub free_bytes: u64,
    /// Memory in all, in bytes.
    pub total_bytes: u64,
}

/// Allocates memory and lowers tables.
pub trait Device: Send + Sync {
    /// What it is.
    fn info(&self) -> DeviceInfo;
    /// What the builder needs to know.
    fn target(&self) -> &Target;
    /// Whether it can run tables at all (a compiler is there, a kernel loads); an error that says why not.
    fn ready(&self) -> Result<(), DeviceError> {
        Ok(())
    }
    /// Allocates a region, zeroed.
    fn alloc(&self, decl: &RegionDecl) -> Result<Arc<dyn Memory>, DeviceError>;
    /// The size of pages, where a region can show parts of files in place of memory.
    fn file_pages(&self) -> Option<u64> {
        None
    }
    /// Allocates a region, zeroed, in which parts of files take the place of memory. Each part's pages are its own, and it
    /// begins where it begins in a page of its file ([`Device::file_pages`]).
    fn alloc_over(&self, decl: &RegionDecl, files: &[FilePart<'_>]) -> Result<Arc<dyn Memory>, DeviceError> {
        match files {
            [] => self.alloc(decl),
            _ => Err(DeviceError::Foreign { what: "part of a file" }),
        }
    }
    /// Puts matrices of a region of this device, byte ranges, near those who will read them: each is read in even
    /// contiguous shares. Before they are filled; what is in them stays. For devices whose memory has distances.
    fn place(&self, _region: &Arc<dyn Memory>, _matrices: &[Range<u64>]) -> Result<(), DeviceError> {
        Ok(())
    }
    /// Says that a region of this device has been filled, and that the next who touch it are tables. For devices that first put it
    /// where it is quick to fill.
    fn filled(&self, _region: &Arc<dyn Memory>) {}
    /// A new in-order queue for one session.
    fn stream(&self) -> Result<Arc<dyn Stream>, DeviceError>;
    /// Turns a verified table into the device's own form. `regions` are the table's, in order of their ids.
    fn lower(
        &self,
        table: &VerifiedTable,
        regions: &[Arc<dyn Memory>],
        stream: &Arc<dyn Stream>,
    ) -> Result<Box<dyn Replay>, DeviceError>;
    /// Bytes per second of a read-only pass over memory much larger than the caches; `None` where that means
    /// nothing.
    fn measure_bandwidth(&self) -> Option<f64>;
}

/// A part of a file that stands in place of memory. It is read when it is used: who changes the file meanwhile changes the
/// region, and who shortens it ends the process.
#[derive(Clone, Copy, Debug)]
pub struct FilePart<'a> {
    /// Where it begins in the region.
    pub at: u64,
    /// Its bytes.
    pub len: u64,
    /// The file.
    pub file: &'a File,
    /// Where it begins in the file.
    pub offset: u64,
}

/// What fills a range of memory: given the bytes, says whether it could.
pub type Fill<'a> = dyn FnMut(&mut [u8]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> + 'a;

/// A region of device memory. Host accesses wait until nothing that is queued touches the region; on a mailbox
/// ([`akunu_plan::RegionKind`]) they need not wait, and the host writes nothing that a queued command reads.
pub trait Memory: Send + Sync {
    /// Its size.
    fn bytes(&self) -> u64;
    /// Copies bytes in.
    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), DeviceError>;
    /// Copies bytes out.
    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), DeviceError>;
    /// Copies bytes from one range to another, which does not overlap it.
    fn copy(&self, from: u64, to: u64, len: u64) -> Result<(), DeviceError> {
        let mut bytes = vec![0u8; len as usize];
        self.read(from, &mut bytes)?;
        self.write(to, &bytes)
    }
    /// Lets `fill` write a range in place (or into a staging buffer, on devices whose memory the host cannot
    /// see). Threads may fill disjoint ranges at once; overlapping ones are refused. `fill` must not submit what
    /// touches the region: that waits for `fill` itself.
    fn fill(&self, offset: u64, len: u64, fill: &mut Fill<'_>) -> Result<(), DeviceError>;
    /// For the device that made it.
    fn as_any(&self) -> &dyn Any;
}

/// A lowered table.
pub trait Replay: Send {
    /// Queues `steps` replays after what is queued already, and returns at once. They end early where the step
    /// block says stop.
    fn submit(&mut self, steps: u32) -> Result<(), DeviceError>;
    /// Runs one replay and writes each command's seconds. The commands do not overlap then, so the sum is more
    /// than a plain replay takes.
    fn profile(&mut self, seconds: &mut [f64]) -> Result<(), DeviceError>;
}

/// Drawn tokens that a stream keeps. Who queues more steps than these hold loses the oldest.
pub const STREAM_TOKENS: u64 = 1 << 16;

/// How far a session's queue has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Tokens drawn since the stream was reset.
    pub drawn: u64,
    /// Submissions that have not ended.
    pub pending: u64,
}

/// A token that a sequence has drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// Whose it is.
    pub seq: SeqIndex,
    /// The token; [`NO_TOKEN`](akunu_kernels::step::NO_TOKEN) where the logits were not finite.
    pub token: Token,
}

/// A batch's in-order queue, as the host sees it.
pub trait Stream: Send + Sync {
    /// Forgets drawn tokens, a past cancel and a past failure. Only while nothing is pending.
    fn reset(&self);
    /// Where it stands, without waiting.
    fn progress(&self) -> Progress;
    /// Waits until `drawn` tokens have been drawn or at most `pending` submissions are left. One thread waits
    /// for tokens at a time; a second one may wake only when a submission ends.
    fn wait(&self, drawn: u64, pending: u64) -> Result<Progress, DeviceError>;
    /// Copies what was drawn from number `from` on; returns how many. A stream keeps the last [`STREAM_TOKENS`]. Steps draw in the order of
    /// their heads; where a step block has no list of these, the first sequence does.
    fn drawn(&self, from: u64, out: &mut [Drawn]) -> usize;
    /// Asks what is queued to stop: at the latest after the step under way (or one more, where a submission is just starting),
    /// or in the middle of it. A step that was left in the middle counts as not run: the step block is as the step found it, but
    /// for the stop word, and what the step wrote to persistent regions lies where no earlier step is read.
    fn cancel(&self);
    /// Asks what is queued to stop after the step under way, or after one more where a submission is just starting. That step
    /// counts. Until [`Stream::reset`].
    fn pause(&self) {
        self.cancel();
    }
    /// For the device that made it.
    fn as_any(&self) -> &dyn Any;
}
