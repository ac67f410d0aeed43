//! What GPUs with Metal prefer: what those with Vulkan do, since the kernels are the same, and their family's chunk.

use super::Target;
use super::vulkan::of_slang;
use crate::act::ActFormat;
use crate::machine::Machine;
use crate::metal::Chip;

pub(super) fn target(chip: Chip) -> Target {
    of_slang(Machine::Metal(chip), chip.chunk, ActFormat::F32)
}
