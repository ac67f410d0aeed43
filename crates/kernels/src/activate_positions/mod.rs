//! `activate_positions`: out = activation(x + bias) + the embedding of the row's position: the end of a stem of convolutions, where the
//! residual stream begins.

use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cuda::{CudaLaunch, quads};
use crate::error::require;
use crate::glu::Activation;
use crate::machine::Version;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

mod cpu;

shared! {
    /// Compile-time constants.
    pub struct ActivatePositionsConsts {
        /// Width of a row.
        pub d: u32,
        /// [`Activation`].
        pub activation: u32,
        /// Rows of the position table.
        pub positions: u32,
        /// Rows the table of commands was built for.
        pub max_rows: u32,
    }
}

/// The contract. Bindings: step block; x `[rows, d] f32`; bias `[d] f32`; positions `[positions, d] f32`; out `[rows, d] f32`.
pub static KERNEL: Kernel = Kernel {
    name: "activate_positions",
    bindings: &[reads("step"), reads("x"), reads("bias"), reads("positions"), writes("out")],
    consts: ActivatePositionsConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: ActivatePositionsConsts| {
        let holds = c.d != 0 && c.positions != 0 && Activation::from_word(c.activation).is_some();
        require("activate_positions", holds, || {
            format!("width {}, activation {}, {} positions", c.d, c.activation, c.positions)
        })
    }),
    units: typed!(|c: ActivatePositionsConsts| c.max_rows),
    cost: typed!(|c: ActivatePositionsConsts, load| {
        let (rows, d) = (u64::from(load.rows), u64::from(c.d));
        Cost { weight_bytes: 4 * d * (rows + 1), other_bytes: 8 * rows * d, flops: 11 * rows * d }
    }),
    versions: &[
        Version::Cpu(|level, _| Ok(cpu::select(level))),
        Version::Cuda(typed!(|c: ActivatePositionsConsts, gpu| {
            let source =
                const { &[include_str!("../activate/activated.cuh"), include_str!("activate_positions.cu")] };
            Ok(CudaLaunch::plain(source, quads(c.max_rows, c.d, gpu), 256))
        })),
        Version::Vulkan(typed!(|c: ActivatePositionsConsts, _| {
            let code = include_bytes!("activate_positions.spv");
            Ok(VulkanLaunch::around(code, c.d.div_ceil(256), c.max_rows))
        })),
        Version::Metal(include_str!("activate_positions.metal")),
    ],
};
