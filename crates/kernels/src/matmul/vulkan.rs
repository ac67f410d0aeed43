//! The Vulkan version of products: four outputs of eight rows a workgroup.

use super::MatmulConsts;
use crate::act::ActFormat;
use crate::dtype::{self, DType, Layout};
use crate::error::KernelError;
use crate::vulkan::{MOST_GROUPS, VulkanLaunch};

/// Weight formats that Vulkan's kernels read.
pub(crate) const FORMATS: &[DType] = &[
    DType::F32,
    DType::F16,
    DType::Bf16,
    DType::Q4_0,
    DType::Q4_1,
    DType::Q5_0,
    DType::Q5_1,
    DType::Q8_0,
    DType::Q2K,
    DType::Q3K,
    DType::Q4K,
    DType::Q5K,
    DType::Q6K,
];

/// Refuses a matrix that `dtype/octet.slang` does not read.
pub(crate) fn check(kernel: &'static str, format: u32, layout: u32, k: u32) -> Result<(), KernelError> {
    let dt = dtype::from_const(kernel, format)?;
    let float = matches!(dt, DType::F32 | DType::F16 | DType::Bf16);
    let wanted = if float { Layout::Native } else { Layout::Planes };
    let layout = Layout::from_word(layout);
    if FORMATS.contains(&dt) && layout == wanted && k.is_multiple_of(8) {
        return Ok(());
    }
    let what = format!("{dt} rows of {k} in layout {} on Vulkan or Metal", layout.name());
    Err(KernelError::Unsupported { kernel, what })
}

impl MatmulConsts {
    /// Chooses the Vulkan version.
    pub(crate) fn vulkan(
        &self,
        kernel: &'static str,
        code: &'static [u8],
    ) -> Result<VulkanLaunch, KernelError> {
        check(kernel, self.dtype, self.layout, self.k)?;
        // Blocks of codes take blocks of whole numbers; floats take floats.
        let blocks = self.act == ActFormat::Q16Aligned as u32
            && dtype::from_const(kernel, self.dtype)?.block() > 1
            && self.k.is_multiple_of(32);
        if self.act != ActFormat::F32 as u32 && !blocks {
            let what = format!("activation format {} as input on Vulkan or Metal", self.act);
            return Err(KernelError::Unsupported { kernel, what });
        }
        VulkanLaunch::new(kernel, code, self.n.div_ceil(4).min(MOST_GROUPS), self.max_rows.div_ceil(8))
    }
}
