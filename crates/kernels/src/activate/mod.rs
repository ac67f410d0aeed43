//! `activate`: y = activation(x + bias), the middle of a feed-forward part without a gate, written in the activation format of the product
//! that reads it (GELU: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016).

use crate::act::{self, ActFormat};
use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cuda::{CudaLaunch, quads};
use crate::error::require;
use crate::glu::Activation;
use crate::machine::Version;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

pub(crate) mod cpu;

shared! {
    /// Compile-time constants.
    pub struct ActivateConsts {
        /// Width of the feed-forward layer.
        pub f: u32,
        /// [`Activation`].
        pub activation: u32,
        /// Output [`ActFormat`].
        pub act: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }
}

/// The contract. Bindings: step block; x `[rows, f] f32`; bias `[f] f32`; out `[rows, f]` in the format.
pub static KERNEL: Kernel = Kernel {
    name: "activate",
    bindings: &[reads("step"), reads("x"), reads("bias"), writes("out")],
    consts: ActivateConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: ActivateConsts| {
        let known = Activation::from_word(c.activation).is_some();
        require("activate", c.f != 0 && known, || format!("width {}, activation {}", c.f, c.activation))?;
        act::check("activate", c.act, c.f)
    }),
    units: typed!(|c: ActivateConsts| c.max_rows.saturating_mul(c.f.div_ceil(crate::glu::CHUNK as u32))),
    cost: typed!(|c: ActivateConsts, load| {
        let (rows, f) = (u64::from(load.rows), u64::from(c.f));
        let act = ActFormat::from_word(c.act).unwrap_or(ActFormat::F32);
        Cost {
            weight_bytes: 4 * f,
            other_bytes: rows * (4 * f + act.row_bytes(c.f as usize) as u64),
            flops: 10 * rows * f,
        }
    }),
    versions: &[
        Version::Cpu(|level, _| Ok(cpu::select(level))),
        Version::Cuda(typed!(|c: ActivateConsts, gpu| {
            crate::cuda::check_act("activate", c.act)?;
            let source = const { &[include_str!("activated.cuh"), include_str!("activate.cu")] };
            Ok(CudaLaunch::plain(source, quads(c.max_rows, c.f, gpu), 256))
        })),
        Version::Vulkan(typed!(|c: ActivateConsts, _| {
            crate::vulkan::check_act("activate", c.act)?;
            Ok(VulkanLaunch::around(include_bytes!("activate.spv"), c.f.div_ceil(256), c.max_rows))
        })),
        Version::Metal(include_str!("activate.metal")),
    ],
};
