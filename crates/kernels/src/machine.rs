//! Machines and launches: what kernels depend on of a device, and what a kernel gives for it.

use crate::cpu::{CpuFn, Level};
use crate::cuda::{CudaLaunch, CudaPick, Gpu};
use crate::error::KernelError;
use crate::metal::{self, MetalLaunch};
use crate::vulkan::{Chip, Matrices, VulkanLaunch, VulkanPick};
use std::fmt;

/// A device, as far as a kernel's version and geometry depend on it. A new kind of device is a variant here, one of
/// [`Version`], one of [`Launch`], and a file in `target/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Machine {
    /// A CPU at an instruction level.
    Cpu(Level),
    /// An NVIDIA GPU.
    Cuda(Gpu),
    /// A GPU with Vulkan.
    Vulkan(Chip),
    /// A GPU with Metal.
    Metal(metal::Chip),
}

impl Machine {
    /// Whether its memory is for models alone. A CPU shares its own with every other program.
    pub fn has_own_memory(self) -> bool {
        !matches!(self, Self::Cpu(_))
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu(level) => write!(f, "cpu {level}"),
            Self::Cuda(gpu) => write!(f, "cuda sm_{}", gpu.sm),
            Self::Vulkan(chip) => {
                let units = if chip.matrices == Matrices::None { "" } else { " with matrix units" };
                write!(f, "vulkan subgroup {}{units}", chip.subgroup)
            }
            Self::Metal(chip) => write!(f, "metal apple{}", chip.family),
        }
    }
}

/// An operation's code for one kind of machine, and how it is launched for constants that its contract has checked; an error
/// where the machine has no version for them.
#[derive(Clone, Copy)]
pub enum Version {
    /// The function for a level.
    Cpu(fn(level: Level, consts: &[u32]) -> Result<CpuFn, KernelError>),
    /// The source and the geometry on a GPU.
    Cuda(CudaPick),
    /// The SPIR-V and the geometry with Vulkan.
    Vulkan(VulkanPick),
    /// Metal's text, made of the same source as the SPIR-V; the geometry is that of the Vulkan version.
    Metal(&'static str),
}

/// A kernel with its constants on a machine, ready to be lowered.
#[derive(Clone, Debug)]
pub enum Launch {
    /// A function.
    Cpu(CpuLaunch),
    /// A source to compile.
    Cuda(CudaLaunch),
    /// SPIR-V to specialize.
    Vulkan(VulkanLaunch),
    /// Metal's text to compile.
    Metal(MetalLaunch),
}

/// A function of this process.
#[derive(Clone, Copy, Debug)]
pub struct CpuLaunch {
    /// The function.
    pub run: CpuFn,
    /// Independent units of work: the most workers that can share one command.
    pub units: u32,
}

/// Launch geometry: independent units of work, and what one of them needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Independent units: blocks of a GPU, shares of CPU workers.
    pub grid: [u32; 3],
    /// Threads that share one unit; 1 on a CPU.
    pub block: u32,
    /// Bytes of shared memory per unit.
    pub shared: u32,
}

impl Launch {
    /// Its geometry.
    pub fn geometry(&self) -> Geometry {
        match self {
            Self::Cpu(l) => Geometry { grid: [l.units, 1, 1], block: 1, shared: 0 },
            Self::Cuda(l) => Geometry { grid: l.grid, block: l.block, shared: l.shared },
            Self::Vulkan(l) => Geometry { grid: l.groups, block: l.invocations, shared: 0 },
            Self::Metal(l) => Geometry { grid: l.groups, block: l.threads, shared: 0 },
        }
    }
}
