//! What an operation promises: its bindings, constants, parameters, geometry and cost.

use crate::cpu::{CpuFn, Level};
use crate::cuda::{CudaLaunch, Gpu};
use crate::error::KernelError;
use crate::machine::{CpuLaunch, Launch, Machine, Version};
use crate::metal::MetalLaunch;
use crate::step::RowCount;
use crate::vulkan::VulkanPick;
use crate::words::Field;

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
    pub rows: RowCount,
    /// Rows whose logits are wanted.
    pub head_rows: RowCount,
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

/// At which positions the rows of a step may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Anywhere in any sequence.
    Anywhere,
    /// Each one position after the one before it, in one sequence; in a batch each sequence's rows stand together, at consecutive positions.
    Consecutive,
    /// Whole sequences, each from position 0 on.
    Whole,
}

/// The contract of one operation. Constants and parameters are plain words; each operation's folder has their structs.
pub struct Kernel {
    /// The one name: folder, label, test and bench row.
    pub name: &'static str,
    /// The binding list, in order.
    pub bindings: &'static [BindingSpec],
    /// Names of the compile-time constants, one `u32` each, in order.
    pub consts: &'static [&'static str],
    /// The parameters, one word each.
    pub params: &'static [Field],
    /// At which positions the rows of a step may stand.
    pub rows: Rows,
    /// Refuses constants that do not hold together; run before any version is chosen.
    pub check: fn(consts: &[u32]) -> Result<(), KernelError>,
    /// Independent units of work for the constants: the most workers that can share one command.
    pub units: fn(consts: &[u32]) -> u32,
    /// The least work of one command under a load.
    pub cost: fn(consts: &[u32], load: Load) -> Cost,
    /// Its code for each kind of machine that has it; see [`Kernel::launch`].
    pub versions: &'static [Version],
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Kernel {
    /// The version for a machine and how to launch it; an error where there is none for the machine or the constants.
    pub fn launch(&self, machine: &Machine, consts: &[u32]) -> Result<Launch, KernelError> {
        if consts.len() != self.consts.len() {
            let what = format!("{} constants given, {} expected", consts.len(), self.consts.len());
            return Err(KernelError::Constants { kernel: self.name, what });
        }
        (self.check)(consts)?;
        let launch = self.versions.iter().find_map(|version| match (version, machine) {
            (Version::Cpu(pick), Machine::Cpu(level)) => Some(
                pick(*level, consts).map(|run| Launch::Cpu(CpuLaunch { run, units: (self.units)(consts) })),
            ),
            (Version::Cuda(pick), Machine::Cuda(gpu)) => Some(pick(consts, gpu).map(Launch::Cuda)),
            (Version::Vulkan(pick), Machine::Vulkan(chip)) => Some(pick(consts, chip).map(Launch::Vulkan)),
            (Version::Metal(text), Machine::Metal(chip)) => {
                self.vulkan_pick().map(|pick| MetalLaunch::like(text, pick, consts, chip).map(Launch::Metal))
            }
            _ => None,
        });
        let missing =
            || KernelError::Unsupported { kernel: self.name, what: format!("devices like {machine}") };
        launch.unwrap_or_else(|| Err(missing()))
    }

    fn vulkan_pick(&self) -> Option<VulkanPick> {
        self.versions.iter().find_map(|v| if let Version::Vulkan(pick) = v { Some(*pick) } else { None })
    }

    /// The function for a level of the CPU.
    pub fn cpu(&self, level: Level, consts: &[u32]) -> Result<CpuFn, KernelError> {
        match self.launch(&Machine::Cpu(level), consts)? {
            Launch::Cpu(l) => Ok(l.run),
            Launch::Cuda(_) | Launch::Vulkan(_) | Launch::Metal(_) => {
                unreachable!("a CPU's launch is a function")
            }
        }
    }

    /// The source and geometry for an NVIDIA GPU.
    pub fn cuda(&self, gpu: &Gpu, consts: &[u32]) -> Result<CudaLaunch, KernelError> {
        match self.launch(&Machine::Cuda(*gpu), consts)? {
            Launch::Cuda(l) => Ok(l),
            Launch::Cpu(_) | Launch::Vulkan(_) | Launch::Metal(_) => {
                unreachable!("a GPU's launch is a source")
            }
        }
    }
}

/// A contract's function of its constants, from one of their struct: `typed!(|c: SoftcapConsts| c.n)`, with other arguments
/// before or after. [`Kernel::launch`] checks how many words there are.
macro_rules! typed {
    (|$c:ident: $t:ty| $body:expr) => {
        |$c| {
            let $c: $t = $crate::words::from_words($c);
            $body
        }
    };
    (|$c:ident: $t:ty, $after:pat_param| $body:expr) => {
        |$c, $after| {
            let $c: $t = $crate::words::from_words($c);
            $body
        }
    };
    (|$before:pat_param, $c:ident: $t:ty| $body:expr) => {
        |$before, $c| {
            let $c: $t = $crate::words::from_words($c);
            $body
        }
    };
}
pub(crate) use typed;

/// A binding that is only read.
pub(crate) const fn reads(name: &'static str) -> BindingSpec {
    BindingSpec { name, access: Access::Read }
}

/// A binding that is written, all of it that is in use.
pub(crate) const fn writes(name: &'static str) -> BindingSpec {
    BindingSpec { name, access: Access::Write }
}

/// A binding that is read and written.
pub(crate) const fn updates(name: &'static str) -> BindingSpec {
    BindingSpec { name, access: Access::ReadWrite }
}
