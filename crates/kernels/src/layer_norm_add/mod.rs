//! `layer_norm_add`: the layer norm of residual + x + x_bias: a sublayer's end, with the norm after the residual addition or with the norm
//! before the next sublayer.

use crate::contract::{Kernel, Rows, reads, typed, writes};
use crate::layer_norm::{self, LayerNormConsts, LayerNormParams};
use crate::machine::Version;

mod cpu;

/// The contract. Bindings: step block; x `[rows, d] f32`, a product without its bias; x_bias `[d] f32`; weight and bias `[d] f32`, the
/// norm's; residual and out `[rows, d] f32`, which may be the same where all rows are selected and the
/// stream is the norm; act_out `[rows, d]` in the format. Constants and parameters are
/// `layer_norm`'s.
pub static KERNEL: Kernel = Kernel {
    name: "layer_norm_add",
    bindings: &[
        reads("step"),
        reads("x"),
        reads("x_bias"),
        reads("weight"),
        reads("bias"),
        reads("residual"),
        writes("out"),
        writes("act_out"),
    ],
    consts: LayerNormConsts::NAMES,
    params: LayerNormParams::FIELDS,
    rows: Rows::Anywhere,
    check: typed!(|c: LayerNormConsts| layer_norm::check("layer_norm_add", &c)),
    units: typed!(|c: LayerNormConsts| c.max_rows),
    cost: typed!(|c: LayerNormConsts, load| layer_norm::cost(&c, load, 3, 2)),
    versions: &[
        Version::Cpu(|level, _| Ok(cpu::select(level))),
        Version::Cuda(typed!(|c: LayerNormConsts, gpu| {
            let source =
                const { &[include_str!("../layer_norm/layer_norm.cuh"), include_str!("layer_norm_add.cu")] };
            layer_norm::launch("layer_norm_add", source, &c, gpu)
        })),
        Version::Vulkan(typed!(|c: LayerNormConsts, _| {
            layer_norm::vulkan("layer_norm_add", include_bytes!("layer_norm_add.spv"), &c)
        })),
        Version::Metal(include_str!("layer_norm_add.metal")),
    ],
};
