//! The Vulkan versions of products: four outputs of eight rows a workgroup, and tiles on matrix units.

use super::MatmulConsts;
use crate::act::ActFormat;
use crate::dtype::{self, DType, Layout};
use crate::error::KernelError;
use crate::vulkan::{Chip, MOST_GROUPS, Matrices, VulkanLaunch, WIDE};

/// How `dtype/octet.slang` reads a format.
pub(crate) fn layout(dt: DType) -> Layout {
    if dt.block() == 1 { Layout::Native } else { Layout::Planes }
}

/// Whether blocks of whole numbers multiply a format. E4M3 are floats, whatever their blocks.
pub(crate) fn takes_blocks(dt: DType) -> bool {
    dt.block() > 1 && dt != DType::Mxfp8
}

/// Refuses a matrix that `dtype/octet.slang` does not read.
pub(crate) fn check(kernel: &'static str, format: u32, layout: u32, k: u32) -> Result<(), KernelError> {
    let dt = dtype::from_const(kernel, format)?;
    let given = Layout::from_word(layout);
    if given == self::layout(dt) && k.is_multiple_of(dt.block().max(8)) {
        return Ok(());
    }
    let what = format!("{dt} rows of {k} in layout {} on Vulkan or Metal", given.name());
    Err(KernelError::Unsupported { kernel, what })
}

/// Outputs of a workgroup whose input is normalised on its way (`norm_matmul/norm.slang`).
pub(crate) const fn normed_outputs(max_rows: u32) -> u32 {
    if max_rows == 1 { 8 } else { 4 }
}

/// Outputs and rows of a workgroup on matrix units.
const TILE: u32 = 128;

/// Whether a product is one of many rows on matrix units, which its input's format says.
pub(crate) fn on_units(chip: &Chip, act: u32) -> bool {
    chip.matrices == Matrices::F16 && act == ActFormat::F16 as u32
}

/// The launch on matrix units for so many columns, weights' rows. Tiles of the same weights are neighbours, so that these come from
/// memory once.
pub(crate) fn units(
    kernel: &'static str,
    code: &'static [u8],
    columns: u32,
    max_rows: u32,
) -> Result<VulkanLaunch, KernelError> {
    let launch = VulkanLaunch::new(kernel, code, max_rows.div_ceil(TILE), columns.div_ceil(TILE))?;
    Ok(VulkanLaunch { invocations: WIDE, ..launch })
}

impl MatmulConsts {
    /// Chooses the Vulkan version: the one on matrix units where the input has 16 bits and the device such units.
    pub(crate) fn vulkan_or_units(
        &self,
        kernel: &'static str,
        chip: &Chip,
        code: &'static [u8],
        on_matrices: &'static [u8],
    ) -> Result<VulkanLaunch, KernelError> {
        if !on_units(chip, self.act) {
            return self.vulkan(kernel, code);
        }
        check(kernel, self.dtype, self.layout, self.k)?;
        units(kernel, on_matrices, self.n, self.max_rows)
    }

    /// Chooses the version of few rows.
    pub(crate) fn vulkan(
        &self,
        kernel: &'static str,
        code: &'static [u8],
    ) -> Result<VulkanLaunch, KernelError> {
        check(kernel, self.dtype, self.layout, self.k)?;
        // Blocks of codes take blocks of whole numbers; floats take floats.
        let blocks = self.act == ActFormat::Q16Aligned as u32
            && takes_blocks(dtype::from_const(kernel, self.dtype)?)
            && self.k.is_multiple_of(32);
        if self.act != ActFormat::F32 as u32 && !blocks {
            let what = format!("activation format {} as input on Vulkan or Metal", self.act);
            return Err(KernelError::Unsupported { kernel, what });
        }
        VulkanLaunch::new(kernel, code, self.n.div_ceil(4).min(MOST_GROUPS), self.max_rows.div_ceil(8))
    }
}
