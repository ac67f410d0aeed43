//! How a Metal device gets a kernel: text in Metal's language with function constants, and launch geometry, as plain data. No
//! interface of Apple's is used here; the device makes pipelines and launches.
//!
//! The text is made of the same Slang source as Vulkan's SPIR-V (`tools/vulkan-kernels.sh`), so the geometry is that of the
//! Vulkan version, and a contract names the text alone. The contract's constants are function constants 0, 1, ... in their order. All
//! that a launch is given lies in one buffer, at index 0: the address of each binding in order, 8 bytes each, then the parameter
//! struct. The entry point is [`ENTRY`].

use crate::error::KernelError;
use crate::vulkan::{self, Matrices, Pass, VulkanLaunch, VulkanPick};

/// The entry point of every kernel.
pub const ENTRY: &str = "main_0";
/// Text of what a device runs before the first step of a submission.
pub const BEGIN: &str = include_str!("begin.metal");
/// Text of what it runs after each step.
pub const STEP_END: &str = include_str!("step_end.metal");

/// A GPU, as far as kernels and tables depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chip {
    /// The number of its family among Apple's (7 is the M1's); 0 is any other.
    pub family: u32,
    /// Threads of a simdgroup.
    pub subgroup: u32,
    /// Steps that one command buffer runs, to begin with.
    pub chunk: u32,
}

/// What is known of families, by ascending number. Nothing here has been measured: faster chips get more steps in a command buffer, so
/// that its cost stays small.
pub static CHIPS: &[Chip] = &[
    Chip { family: 0, subgroup: 32, chunk: 4 },
    Chip { family: 7, subgroup: 32, chunk: 8 },
    Chip { family: 8, subgroup: 32, chunk: 8 },
    Chip { family: 9, subgroup: 32, chunk: 16 },
    Chip { family: 10, subgroup: 32, chunk: 16 },
];

impl Chip {
    /// Of a family's number; a newer one than all listed is taken for the last one.
    pub fn of(family: u32) -> Self {
        let known = CHIPS.iter().rev().find(|c| c.family <= family);
        Self { family, ..*known.unwrap_or(&CHIPS[0]) }
    }
}

/// A kernel for given constants: its text and how many threadgroups run it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MetalLaunch {
    /// Text, whose entry point is [`ENTRY`].
    pub text: &'static str,
    /// Threadgroups.
    pub groups: [u32; 3],
    /// Threads of each.
    pub threads: u32,
    /// What runs after all of that, with the same arguments.
    pub then: Option<Pass>,
}

/// Without the text.
impl std::fmt::Debug for MetalLaunch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MetalLaunch").field("groups", &self.groups).finish_non_exhaustive()
    }
}

impl MetalLaunch {
    /// The launch of a text, with the geometry of the Vulkan version of the same source.
    pub(crate) fn like(
        text: &'static str,
        pick: VulkanPick,
        consts: &[u32],
        chip: &Chip,
    ) -> Result<Self, KernelError> {
        let VulkanLaunch { groups, invocations, then, .. } =
            pick(consts, &vulkan::Chip { subgroup: chip.subgroup, matrices: Matrices::None })?;
        Ok(Self { text, groups, threads: invocations, then })
    }
}
