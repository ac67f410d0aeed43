//! `quantize`: f32 rows into an activation format, where the producing kernel cannot write it itself.

use crate::act::{self, ActFormat};
use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::cuda::{CudaLaunch, quads};
use crate::error::require;
use crate::machine::Version;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct QuantizeConsts {
        /// Width of a row.
        pub k: u32,
        /// Values from one row of the input to the next.
        pub x_stride: u32,
        /// Output [`ActFormat`].
        pub act: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }
}

/// The contract. Bindings: step block; x `[rows, k] f32` with rows `x_stride` apart; out `[rows, k]`.
pub static KERNEL: Kernel = Kernel {
    name: "quantize",
    bindings: &[reads("step"), reads("x"), writes("out")],
    consts: QuantizeConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: QuantizeConsts| {
        require("quantize", c.k != 0 && c.x_stride >= c.k, || format!("width {} at {}", c.k, c.x_stride))?;
        act::check("quantize", c.act, c.k)
    }),
    units: typed!(|c: QuantizeConsts| c.max_rows),
    cost: typed!(|c: QuantizeConsts, load| {
        let act = ActFormat::from_word(c.act).unwrap_or(ActFormat::F32);
        let (rows, k) = (u64::from(load.rows), c.k as usize);
        Cost {
            weight_bytes: 0,
            other_bytes: rows * (4 * k + act.row_bytes(k)) as u64,
            flops: 2 * rows * k as u64,
        }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: QuantizeConsts, gpu| {
            crate::cuda::check_act("quantize", c.act)?;
            let source = const { &[include_str!("quantize.cu")] };
            Ok(CudaLaunch::plain(source, quads(c.max_rows, c.k, gpu), 256))
        })),
        Version::Vulkan(typed!(|c: QuantizeConsts, _| {
            crate::vulkan::check_act("quantize", c.act)?;
            Ok(VulkanLaunch::around(include_bytes!("quantize.spv"), c.k.div_ceil(256), c.max_rows))
        })),
        Version::Metal(include_str!("quantize.metal")),
    ],
};

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: QuantizeConsts = call.consts();
    let Some(fmt) = ActFormat::from_word(c.act) else { return };
    let k = c.k as usize;
    let (from, to) = (c.x_stride as usize, fmt.row_bytes(k));
    // SAFETY: shapes by the contract; parts own disjoint rows; rows start at multiples of 64 bytes.
    unsafe {
        let rows = call.step(0).header().rows as usize;
        for r in share(rows, part, parts) {
            let x = call.slice::<f32>(1, r * from, k);
            act::store(fmt, call.slice_mut::<u8>(2, r * to, to), 0, x);
        }
    }
}
