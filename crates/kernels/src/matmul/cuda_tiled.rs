//! The CUDA versions for many rows, on matrix units: which tiles a matrix gets.

use super::MatmulConsts;
use crate::contract::KernelError;
use crate::cuda::{CudaLaunch, Gpu};
use crate::matmul_glu::MatmulGluConsts;

/// For `matmul` and `matmul_add`.
pub fn pick(kernel: &'static str, c: &MatmulConsts, _gpu: &Gpu) -> Result<CudaLaunch, KernelError> {
    Err(KernelError::Unsupported { kernel, what: format!("tables of {} rows on CUDA", c.max_rows) })
}

/// For `matmul_glu`.
pub fn pick_glu(c: &MatmulGluConsts, _gpu: &Gpu) -> Result<CudaLaunch, KernelError> {
    Err(KernelError::Unsupported { kernel: "matmul_glu", what: format!("tables of {} rows on CUDA", c.max_rows) })
}
