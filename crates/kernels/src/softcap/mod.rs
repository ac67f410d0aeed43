//! `softcap`: x = cap * tanh(x / cap), in place; bounds the logits of some models.

use crate::contract::{Cost, Kernel, Rows, reads, typed, updates};
use crate::cpu::{Call, share};
use crate::cuda::{CudaLaunch, quads};
use crate::error::require;
use crate::machine::Version;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct SoftcapConsts {
        /// Width of a row.
        pub n: u32,
        /// Rows with logits that the table was built for.
        pub max_rows: u32,
    }

    /// Parameters.
    pub struct SoftcapParams {
        /// The bound; above 0.
        pub cap: f32,
    }
}

/// Values of one unit of work.
const CHUNK: usize = 4096;

/// The contract. Bindings: step block; x `[head_rows, n] f32`.
pub static KERNEL: Kernel = Kernel {
    name: "softcap",
    bindings: &[reads("step"), updates("x")],
    consts: SoftcapConsts::NAMES,
    params: SoftcapParams::FIELDS,
    rows: Rows::Anywhere,
    check: typed!(|c: SoftcapConsts| require("softcap", c.n != 0, || "width 0".into())),
    units: typed!(|c: SoftcapConsts| c.n.div_ceil(CHUNK as u32).saturating_mul(c.max_rows)),
    cost: typed!(|c: SoftcapConsts, load| {
        let n = u64::from(load.head_rows) * u64::from(c.n);
        Cost { weight_bytes: 0, other_bytes: 8 * n, flops: 20 * n }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: SoftcapConsts, gpu| {
            let source = const { &[include_str!("softcap.cu")] };
            Ok(CudaLaunch::plain(source, quads(c.max_rows, c.n, gpu), 256))
        })),
        Version::Vulkan(typed!(|c: SoftcapConsts, _| {
            Ok(VulkanLaunch::around(include_bytes!("softcap.spv"), c.n.div_ceil(256), c.max_rows))
        })),
        Version::Metal(include_str!("softcap.metal")),
    ],
};

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: SoftcapConsts = call.consts();
    let p: SoftcapParams = call.params();
    let n = c.n as usize;
    let chunks = n.div_ceil(CHUNK);
    // SAFETY: shapes by the contract; parts own disjoint pieces of rows.
    unsafe {
        let rows = call.step(0).header().head_rows as usize;
        for unit in share(rows * chunks, part, parts) {
            let from = unit % chunks * CHUNK;
            for x in call.slice_mut::<f32>(1, unit / chunks * n + from, CHUNK.min(n - from)) {
                *x = p.cap * (*x / p.cap).tanh();
            }
        }
    }
}
