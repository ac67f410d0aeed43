//! `rms_norm_add`: out = residual + rms_norm(x): the norm after a sublayer, with the residual addition.

use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cuda::CudaLaunch;
use crate::error::require;
use crate::machine::Version;
use crate::rms_norm::RmsNormParams;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

mod cpu;

shared! {
    /// Compile-time constants.
    pub struct RmsNormAddConsts {
        /// Width of a row.
        pub d: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }
}

/// The contract. Bindings: step block; x `[rows, d] f32`; weight `[d] f32`; residual and out `[rows, d] f32`, which may
/// be the same. Parameters are `rms_norm`'s.
pub static KERNEL: Kernel = Kernel {
    name: "rms_norm_add",
    bindings: &[reads("step"), reads("x"), reads("weight"), reads("residual"), writes("out")],
    consts: RmsNormAddConsts::NAMES,
    params: RmsNormParams::FIELDS,
    rows: Rows::Anywhere,
    check: typed!(|c: RmsNormAddConsts| require("rms_norm_add", c.d != 0, || "width 0".into())),
    units: typed!(|c: RmsNormAddConsts| c.max_rows),
    cost: typed!(|c: RmsNormAddConsts, load| {
        let (rows, d) = (u64::from(load.rows), u64::from(c.d));
        Cost { weight_bytes: 4 * d, other_bytes: 12 * rows * d, flops: 5 * rows * d }
    }),
    versions: &[
        Version::Cpu(|level, _| Ok(cpu::select(level))),
        Version::Cuda(typed!(|c: RmsNormAddConsts, gpu| {
            let source = const { &[include_str!("rms_norm_add.cu")] };
            // Four values a thread and round, in at most four rounds: a row stays in registers.
            let threads = c.d.div_ceil(16).clamp(128, 1024).next_multiple_of(32);
            let launch = CudaLaunch::plain(source, c.max_rows.min(gpu.multiprocessors * 8), threads);
            Ok(CudaLaunch { defines: vec![("THREADS", threads)], ..launch })
        })),
        Version::Vulkan(typed!(|c: RmsNormAddConsts, _| {
            let launch =
                VulkanLaunch::new("rms_norm_add", include_bytes!("rms_norm_add.spv"), c.max_rows, 1)?;
            Ok(VulkanLaunch { invocations: crate::vulkan::WIDE, ..launch })
        })),
        Version::Metal(include_str!("rms_norm_add.metal")),
    ],
};
