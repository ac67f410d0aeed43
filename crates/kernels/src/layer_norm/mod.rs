//! `layer_norm`: y = (x - mean) / sqrt(variance + eps) * weight + bias (Ba, Kiros and Hinton, "Layer Normalization", 2016), written twice:
//! in f32 as the new residual, and in the activation format of the product that reads it.

use crate::act::{self, ActFormat};
use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cuda::{CudaLaunch, Gpu};
use crate::error::{KernelError, require};
use crate::machine::Version;
use crate::words::shared;

pub(crate) mod cpu;

shared! {
    /// Compile-time constants, `layer_norm_add`'s too.
    pub struct LayerNormConsts {
        /// Width of a row.
        pub d: u32,
        /// [`ActFormat`] of the second output.
        pub act: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }

    /// Parameters.
    pub struct LayerNormParams {
        /// Added to the variance.
        pub eps: f32,
    }
}

/// The contract. Bindings: step block; x `[rows, d] f32`; weight and bias `[d] f32`; out `[rows, d] f32`, which may be x; act_out
/// `[rows, d]` in the format.
pub static KERNEL: Kernel = Kernel {
    name: "layer_norm",
    bindings: &[reads("step"), reads("x"), reads("weight"), reads("bias"), writes("out"), writes("act_out")],
    consts: LayerNormConsts::NAMES,
    params: LayerNormParams::FIELDS,
    rows: Rows::Anywhere,
    check: typed!(|c: LayerNormConsts| check("layer_norm", &c)),
    units: typed!(|c: LayerNormConsts| c.max_rows),
    cost: typed!(|c: LayerNormConsts, load| cost(&c, load.rows.into(), 2, 1)),
    versions: &[
        Version::Cpu(|level, _| Ok(cpu::select(level))),
        Version::Cuda(typed!(|c: LayerNormConsts, gpu| {
            let source = const { &[include_str!("layer_norm.cuh"), include_str!("layer_norm.cu")] };
            launch("layer_norm", source, &c, gpu)
        })),
    ],
};

pub(crate) fn check(kernel: &'static str, c: &LayerNormConsts) -> Result<(), KernelError> {
    require(kernel, c.d != 0, || "width 0".into())?;
    act::check(kernel, c.act, c.d)
}

/// The cost of so many rows that read `vectors` vectors of weights and `inputs` rows each.
pub(crate) fn cost(c: &LayerNormConsts, rows: u64, vectors: u64, inputs: u64) -> Cost {
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
