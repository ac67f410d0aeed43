//! What an operation promises: its bindings, constants, parameters, geometry and cost.

use crate::cpu::{CpuFn, Level};
use crate::cuda::CudaPick;
use thiserror::Error;

/// How a command touches a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Only read.
    Read,
    /// Written without being read; every byte in use is overwritten.
    Write,
    /// Read and written, or written only in part.
    ReadWrite,
}

impl Access {
    /// Whether the command reads bytes that an earlier command wrote.
    pub const fn reads(self) -> bool {
        !matches!(self, Self::Write)
    }
    /// Whether the command changes bytes.
    pub const fn writes(self) -> bool {
        !matches!(self, Self::Read)
    }
}

/// One slot of a kernel's binding list.
#[derive(Clone, Copy, Debug)]
pub struct BindingSpec {
    /// Name shown in dumps and errors.
    pub name: &'static str,
    /// How the kernel touches it.
    pub access: Access,
}

/// What the amount of work depends on at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Active rows (tokens) of the step.
    pub rows: u32,
    /// Rows whose logits are wanted.
    pub head_rows: u32,
    /// Positions in the KV cache that a row attends to.
    pub kv_len: u32,
}

/// What one command must do at least: the floor that a profile is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Bytes of weights read.
    pub weight_bytes: u64,
    /// Other bytes read or written (activations, KV cache).
    pub other_bytes: u64,
    /// Floating-point (or integer) operations; a multiply-add counts as 2.
    pub flops: u64,
}

impl Cost {
    /// All bytes moved.
    pub const fn bytes(&self) -> u64 {
        self.weight_bytes + self.other_bytes
    }
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, o: Self) {
        self.weight_bytes += o.weight_bytes;
        self.other_bytes += o.other_bytes;
        self.flops += o.flops;
    }
}

/// Why a kernel cannot be had in the asked form.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum KernelError {
    /// The constants describe something the kernel has no version for.
    #[error("kernel `{kernel}` has no version for {what}; use another dtype or device")]
    Unsupported {
        /// The kernel's name.
        kernel: &'static str,
        /// The combination that is missing.
        what: String,
    },
    /// The constants contradict each other (a row that is no multiple of its block, zero heads).
    #[error("kernel `{kernel}`: {what}")]
    Constants {
        /// The kernel's name.
        kernel: &'static str,
        /// What is wrong.
        what: String,
    },
}

/// The contract of one operation. Constants and parameters are plain words; each operation's folder defines
/// `repr(C)` structs of the same layout.
pub struct Kernel {
    /// The one name: folder, label, test and bench row.
    pub name: &'static str,
    /// The binding list, in order.
    pub bindings: &'static [BindingSpec],
    /// Names of the compile-time constants, one `u32` each, in order.
    pub consts: &'static [&'static str],
    /// Size of the parameter struct in bytes.
    pub params: usize,
    /// Independent units of work for the constants: the most workers that can share one command.
    pub units: fn(consts: &[u32]) -> u32,
    /// The least work of one command under a load.
    pub cost: fn(consts: &[u32], load: Load) -> Cost,
    /// The CPU version for a level, chosen once at lowering. Checks the constants.
    pub cpu: fn(level: Level, consts: &[u32]) -> Result<CpuFn, KernelError>,
    /// The CUDA version and its geometry; `None` where there is none yet.
    pub cuda: Option<CudaPick>,
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Reads a constant or parameter struct from its words. The builder writes what this reads, so a length
/// mismatch is a bug in a contract; it is caught by [`Kernel::cpu`] at lowering, never on the token path.
pub fn from_words<T: bytemuck::AnyBitPattern>(words: &[u32]) -> T {
    bytemuck::pod_read_unaligned(&bytemuck::cast_slice(words)[..size_of::<T>()])
}

/// Checks that `words` has the length of constant struct `T`, then reads it.
pub fn consts_of<T: bytemuck::AnyBitPattern>(kernel: &'static str, words: &[u32]) -> Result<T, KernelError> {
    if words.len() * 4 != size_of::<T>() {
        return Err(KernelError::Constants {
            kernel,
            what: format!("{} constants given, {} expected", words.len(), size_of::<T>() / 4),
        });
    }
    Ok(from_words(words))
}

/// Refuses a command whose constants do not hold together; `what` says so in the message.
pub fn require(kernel: &'static str, holds: bool, what: impl FnOnce() -> String) -> Result<(), KernelError> {
    if holds { Ok(()) } else { Err(KernelError::Constants { kernel, what: what() }) }
}

/// Shorthand for a binding list entry.
pub const fn binding(name: &'static str, access: Access) -> BindingSpec {
    BindingSpec { name, access }
}
