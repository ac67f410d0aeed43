//! `expert_combine`: out = residual + the weighted sum of what a row's experts gave.

use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::cuda::{CudaLaunch, quads};
use crate::error::require;
use crate::machine::Version;
use crate::route::{Choice, MAX_USED};
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct ExpertCombineConsts {
        /// Width of a row.
        pub d: u32,
        /// Experts of a row.
        pub used: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }
}

/// The contract. Bindings: step block; routes `[rows, used]` of [`Choice`]; y `[rows * used, d] f32`; residual and out
/// `[rows, d] f32`, which may be the same. The sum is taken in the order of the routes.
pub static KERNEL: Kernel = Kernel {
    name: "expert_combine",
    bindings: &[reads("step"), reads("routes"), reads("y"), reads("residual"), writes("out")],
    consts: ExpertCombineConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: ExpertCombineConsts| {
        require("expert_combine", c.d != 0 && (1..=MAX_USED).contains(&c.used), || {
            format!("width {}, {} experts", c.d, c.used)
        })
    }),
    units: typed!(|c: ExpertCombineConsts| c.max_rows),
    cost: typed!(|c: ExpertCombineConsts, load| {
        let (rows, d, used) = (u64::from(load.rows), u64::from(c.d), u64::from(c.used));
        Cost { weight_bytes: 0, other_bytes: rows * d * 4 * (used + 2), flops: 2 * rows * d * used }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: ExpertCombineConsts, gpu| {
            let source = const { &[include_str!("expert_combine.cu")] };
            Ok(CudaLaunch::plain(source, quads(c.max_rows, c.d.saturating_mul(4), gpu), 256))
        })),
        Version::Vulkan(typed!(|c: ExpertCombineConsts, _| {
            Ok(VulkanLaunch::around(include_bytes!("expert_combine.spv"), c.d.div_ceil(256), c.max_rows))
        })),
        Version::Metal(include_str!("expert_combine.metal")),
    ],
};

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: ExpertCombineConsts = call.consts();
    let (d, used) = (c.d as usize, c.used as usize);
    // SAFETY: shapes by the contract; parts own disjoint rows. The residual may be the output itself, so each value is
    // read before it is written, through pointers and not slices.
    unsafe {
        for r in share(call.step(0).header().rows as usize, part, parts) {
            let routes = call.slice::<Choice>(1, r * used, used);
            let y = call.slice::<f32>(2, r * used * d, used * d);
            let base = call.bufs[3].ptr.cast::<f32>().add(r * d);
            let out = call.bufs[4].ptr.cast::<f32>().add(r * d);
            for i in 0..d {
                let sum = routes.iter().enumerate().fold(0f32, |s, (j, c)| s + c.weight * y[j * d + i]);
                *out.add(i) = *base.add(i) + sum;
            }
        }
    }
}
