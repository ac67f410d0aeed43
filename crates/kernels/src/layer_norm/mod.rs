//! `layer_norm`: y = (x - mean) / sqrt(variance + eps) * weight + bias (Ba, Kiros and Hinton, "Layer Normalization", 2016), written twice:
//! in f32 as the new residual, or the sum itself as that, and in the activation format of the product that reads it.

use crate::act::{self, ActFormat};
use crate::contract::{Cost, Kernel, Load, Rows, reads, typed, writes};
use crate::cuda::{CudaLaunch, Gpu};
use crate::error::{KernelError, require};
use crate::machine::Version;
use crate::matmul::Select;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

pub(crate) mod cpu;

/// What goes on as the residual stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Stream {
    /// The norm's output, where norms stand after the residual addition.
    Norm = 0,
    /// Its input, where they stand before a sublayer.
    Sum = 1,
}

shared! {
    /// Compile-time constants, `layer_norm_add`'s too.
    pub struct LayerNormConsts {
        /// Width of a row.
        pub d: u32,
        /// [`ActFormat`] of the second output.
        pub act: u32,
        /// [`Stream`]: what the first output is.
        pub stream: u32,
        /// [`Select`]: all rows, or the heads, moved to the front of both outputs.
        pub select: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }

    /// Parameters.
    pub struct LayerNormParams {
        /// Added to the variance.
        pub eps: f32,
    }
}

/// The contract. Bindings: step block; x `[rows, d] f32`; weight and bias `[d] f32`; out `[rows, d] f32`, which may be x where all rows
/// are selected and the stream is the norm; act_out `[rows, d]` in the format.
pub static KERNEL: Kernel = Kernel {
    name: "layer_norm",
    bindings: &[reads("step"), reads("x"), reads("weight"), reads("bias"), writes("out"), writes("act_out")],
    consts: LayerNormConsts::NAMES,
    params: LayerNormParams::FIELDS,
    rows: Rows::Anywhere,
    check: typed!(|c: LayerNormConsts| check("layer_norm", &c)),
    units: typed!(|c: LayerNormConsts| c.max_rows),
    cost: typed!(|c: LayerNormConsts, load| cost(&c, load, 2, 1)),
    versions: &[
        Version::Cpu(|level, _| Ok(cpu::select(level))),
        Version::Cuda(typed!(|c: LayerNormConsts, gpu| {
            let source = const { &[include_str!("layer_norm.cuh"), include_str!("layer_norm.cu")] };
            launch("layer_norm", source, &c, gpu)
        })),
        Version::Vulkan(typed!(|c: LayerNormConsts, _| {
            vulkan("layer_norm", include_bytes!("layer_norm.spv"), &c)
        })),
        Version::Metal(include_str!("layer_norm.metal")),
    ],
};

pub(crate) fn check(kernel: &'static str, c: &LayerNormConsts) -> Result<(), KernelError> {
    require(kernel, c.d != 0 && c.stream <= 1 && c.select <= 1, || {
        format!("width {}, stream {}, selection {}", c.d, c.stream, c.select)
    })?;
    act::check(kernel, c.act, c.d)
}

/// The cost of a load whose rows read `inputs` rows each, and `vectors` vectors of weights.
pub(crate) fn cost(c: &LayerNormConsts, load: Load, vectors: u64, inputs: u64) -> Cost {
    let rows = u64::from(if c.select == Select::Head as u32 { load.head_rows } else { load.rows });
    let act = ActFormat::from_word(c.act).unwrap_or(ActFormat::F32);
    let d = u64::from(c.d);
    Cost {
        weight_bytes: 4 * vectors * d,
        other_bytes: rows * (4 * (inputs + 1) * d + act.row_bytes(c.d as usize) as u64),
        flops: (7 + inputs) * rows * d,
    }
}

pub(crate) fn launch(
    kernel: &'static str,
    source: &'static [&'static str],
    c: &LayerNormConsts,
    gpu: &Gpu,
) -> Result<CudaLaunch, KernelError> {
    crate::cuda::check_act(kernel, c.act)?;
    // Four values a thread and round, in at most four rounds up to a width of 4096: a row stays in registers.
    let threads = c.d.div_ceil(16).clamp(128, 1024).next_multiple_of(32);
    let launch = CudaLaunch::plain(source, c.max_rows.min(gpu.multiprocessors * 8), threads);
    Ok(CudaLaunch { defines: vec![("THREADS", threads)], ..launch })
}

/// The Vulkan version of either contract.
pub(crate) fn vulkan(
    kernel: &'static str,
    code: &'static [u8],
    c: &LayerNormConsts,
) -> Result<VulkanLaunch, KernelError> {
    crate::vulkan::check_act(kernel, c.act)?;
    let launch = VulkanLaunch::new(kernel, code, c.max_rows, 1)?;
    Ok(VulkanLaunch { invocations: crate::vulkan::WIDE, ..launch })
}
