//! `rms_norm_add`: out = residual + rms_norm(x): the norm behind a sublayer, with the residual addition.

use crate::contract::{Access, Cost, Kernel, KernelError, Load, binding, consts_of, require};
use crate::cpu::{CpuFn, Level};
use crate::cuda::CudaLaunch;
use crate::rms_norm::{RmsNormParams, reference};
use bytemuck::{Pod, Zeroable};

/// Compile-time constants.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct RmsNormAddConsts {
    /// Width of a row.
    pub d: u32,
    /// Rows the table was built for.
    pub max_rows: u32,
}

/// The contract. Bindings: step block; x `[rows, d] f32`; weight `[d] f32`; residual and out `[rows, d] f32`, which may
/// be the same. Parameters are `rms_norm`'s.
pub static KERNEL: Kernel = Kernel {
    name: "rms_norm_add",
    bindings: &[
        binding("step", Access::Read),
        binding("x", Access::Read),
        binding("weight", Access::Read),
        binding("residual", Access::Read),
        binding("out", Access::Write),
    ],
    consts: &["d", "max_rows"],
    params: size_of::<RmsNormParams>(),
    units: |c| c[1],
    cost: |consts, load: Load| {
        let (rows, d) = (u64::from(load.rows), u64::from(consts[0]));
        Cost { weight_bytes: 4 * d, other_bytes: 12 * rows * d, flops: 5 * rows * d }
    },
    cpu: select,
    cuda: Some(|consts, gpu| {
        let c = check(consts)?;
        let source = const { &[include_str!("rms_norm_add.cu")] };
        // Four values a thread and round, in at most four rounds: a row stays in registers.
        let threads = c.d.div_ceil(16).clamp(128, 1024).next_multiple_of(32);
        let launch = CudaLaunch::plain(source, c.max_rows.min(gpu.multiprocessors * 8), threads);
        Ok(CudaLaunch { defines: vec![("THREADS", threads)], ..launch })
    }),
};

fn check(consts: &[u32]) -> Result<RmsNormAddConsts, KernelError> {
    let c: RmsNormAddConsts = consts_of("rms_norm_add", consts)?;
    require("rms_norm_add", c.d != 0, || "width 0".into())?;
    Ok(c)
}

fn select(level: Level, consts: &[u32]) -> Result<CpuFn, KernelError> {
    check(consts)?;
    Ok(reference::select_add(level))
}
