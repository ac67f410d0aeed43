//! `add_positions`: adds to every row the embedding of its position and that of its segment, in place (Devlin et al., "BERT", 2019).

use crate::contract::{Cost, Kernel, Rows, reads, typed, updates};
use crate::cpu::{Call, share};
use crate::cuda::CudaLaunch;
use crate::error::require;
use crate::machine::Version;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct AddPositionsConsts {
        /// Width of a row.
        pub d: u32,
        /// Rows of the position table.
        pub positions: u32,
        /// The table's row of position 0.
        pub first: u32,
        /// Rows of the segment table. With more than one, rows are of segment 1 from their sequence's `limit` on, unless that is 0.
        pub segments: u32,
        /// Rows the table of commands was built for.
        pub max_rows: u32,
    }
}

/// The contract. Bindings: step block; positions `[positions, d] f32`; segments `[segments, d] f32`; x `[rows, d] f32`.
pub static KERNEL: Kernel = Kernel {
    name: "add_positions",
    bindings: &[reads("step"), reads("positions"), reads("segments"), updates("x")],
    consts: AddPositionsConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: AddPositionsConsts| {
        let holds = c.d != 0 && c.first < c.positions && c.segments != 0;
        require("add_positions", holds, || {
            format!("width {}, {} positions from row {}, {} segments", c.d, c.positions, c.first, c.segments)
        })
    }),
    units: typed!(|c: AddPositionsConsts| c.max_rows),
    cost: typed!(|c: AddPositionsConsts, load| {
        let (d, rows) = (u64::from(c.d), u64::from(load.rows));
        Cost { weight_bytes: 4 * d * (rows + 1), other_bytes: 8 * rows * d, flops: 2 * rows * d }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: AddPositionsConsts, gpu| {
            let source = const { &[include_str!("add_positions.cu")] };
            let threads = c.d.next_multiple_of(32).clamp(32, 512);
            Ok(CudaLaunch::plain(source, c.max_rows.min(gpu.multiprocessors * 4), threads))
        })),
        Version::Vulkan(typed!(|c: AddPositionsConsts, _| {
            Ok(VulkanLaunch::around(include_bytes!("add_positions.spv"), c.d.div_ceil(256), c.max_rows))
        })),
        Version::Metal(include_str!("add_positions.metal")),
    ],
};

/// The plain twin; it is bound by memory, so it serves every CPU level. The sum is taken in the order of the files' own code:
/// token and segment, then position.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: AddPositionsConsts = call.consts();
    let d = c.d as usize;
    // SAFETY: shapes by the contract; parts own disjoint rows; the row of the table is clamped to it.
    unsafe {
        let step = call.step(0);
        for r in share(step.header().rows as usize, part, parts) {
            let own = step.row(r as u32);
            let at = c.first.saturating_add(own.pos.0).min(c.positions - 1);
            let second = if c.segments > 1 { step.seq(own.seq).limit } else { 0 };
            let segment = call.slice::<f32>(2, if second != 0 && own.pos.0 >= second { d } else { 0 }, d);
            let position = call.slice::<f32>(1, at as usize * d, d);
            let x = call.slice_mut::<f32>(3, r * d, d);
            for i in 0..d {
                x[i] = x[i] + segment[i] + position[i];
            }
        }
    }
}
