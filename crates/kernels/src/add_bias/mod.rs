//! `add_bias`: adds a vector to every row, in place.

use crate::contract::{Cost, Kernel, Rows, reads, typed, updates};
use crate::cpu::{Call, share};
use crate::cuda::{CudaLaunch, quads};
use crate::error::require;
use crate::machine::Version;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct AddBiasConsts {
        /// Width of a row.
        pub n: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }
}

/// The contract. Bindings: step block; bias `[n] f32`; x `[rows, n] f32`.
pub static KERNEL: Kernel = Kernel {
    name: "add_bias",
    bindings: &[reads("step"), reads("bias"), updates("x")],
    consts: AddBiasConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: AddBiasConsts| require("add_bias", c.n != 0, || "width 0".into())),
    units: typed!(|c: AddBiasConsts| c.max_rows),
    cost: typed!(|c: AddBiasConsts, load| {
        let (n, rows) = (u64::from(c.n), u64::from(load.rows));
        Cost { weight_bytes: 4 * n, other_bytes: 8 * rows * n, flops: rows * n }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: AddBiasConsts, gpu| {
            let source = const { &[include_str!("add_bias.cu")] };
            Ok(CudaLaunch::plain(source, quads(c.max_rows, c.n, gpu), 256))
        })),
        Version::Vulkan(typed!(|c: AddBiasConsts, _| {
            Ok(VulkanLaunch::around(include_bytes!("add_bias.spv"), c.n.div_ceil(256), c.max_rows))
        })),
        Version::Metal(include_str!("add_bias.metal")),
    ],
};

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: AddBiasConsts = call.consts();
    let n = c.n as usize;
    // SAFETY: shapes by the contract; parts own disjoint rows.
    unsafe {
        let bias = call.slice::<f32>(1, 0, n);
        for r in share(call.step(0).header().rows as usize, part, parts) {
            for (x, b) in call.slice_mut::<f32>(2, r * n, n).iter_mut().zip(bias) {
                *x += b;
            }
        }
    }
}
