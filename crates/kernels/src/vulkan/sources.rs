//! Which pieces make each kernel's text.

use super::{INVOCATIONS, UNITS, WIDE, declare, shared, threads};
use crate::Kernel;

/// Whether a source is made into Metal's language too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metal {
    /// It is.
    Made,
    /// Not yet: Metal's matrices are of 8 by 8, and its emulator knows none.
    NoMatrices,
}

/// A kernel's text in pieces, and where its SPIR-V lies in this crate's `src`.
#[derive(Debug)]
pub struct Source {
    /// The contract.
    pub kernel: &'static Kernel,
    /// What comes after the prelude.
    pub pieces: &'static [&'static str],
    /// The committed SPIR-V.
    pub code: &'static str,
    /// Whether Metal's text lies beside it.
    pub metal: Metal,
    /// Invocations of a workgroup.
    pub invocations: u32,
}

impl Source {
    /// Its name, of which the SPIR-V's file is called: the kernel's, and for matrix units one of its own.
    pub fn name(&self) -> &'static str {
        let file = self.code.rsplit('/').next().unwrap_or(self.code);
        file.strip_suffix(".spv").unwrap_or(file)
    }

    /// The whole text.
    pub fn text(&self) -> String {
        self.pieces.iter().fold(prelude(self.kernel, self.invocations), |text, piece| text + "\n" + piece)
    }
}

/// What stands before a kernel's own text: its constants, the structs that it shares with the host, its arguments, then what
/// all kernels share.
fn prelude(kernel: &Kernel, invocations: u32) -> String {
    let mut text = threads(invocations);
    for (i, name) in kernel.consts.iter().enumerate() {
        text += &format!("[vk::constant_id({i})] const uint C_{} = 1;\n", name.to_uppercase());
    }
    text += &shared();
    text += "struct Args {\n    Header* step;\n";
    for b in kernel.bindings.iter().skip(1) {
        text += &format!("    uint8_t* {};\n", b.name);
    }
    declare(&mut text, kernel.params);
    text + "};\n[[vk::push_constant]] ConstantBuffer<Args> args;\n" + include_str!("prelude.slang")
}

macro_rules! source {
    ($name:ident: $($piece:literal),*) => {
        source!($name, INVOCATIONS: $($piece),*)
    };
    ($name:ident, $invocations:ident: $($piece:literal),*) => {
        source!(Metal::Made, $invocations, $name, ".spv", $($piece),*)
    };
    ($name:ident on units, $invocations:ident: $($piece:literal),*) => {
        source!(Metal::NoMatrices, $invocations, $name, "_units.spv", $($piece),*)
    };
    ($name:ident then merge, $invocations:ident: $($piece:literal),*) => {
        source!(Metal::Made, $invocations, $name, "_merge.spv", $($piece),*)
    };
    ($metal:expr, $invocations:ident, $name:ident, $end:literal, $($piece:literal),*) => {
        Source {
            kernel: &crate::$name::KERNEL,
            pieces: &[$(include_str!(concat!("../", $piece))),*],
            code: concat!(stringify!($name), "/", stringify!($name), $end),
            metal: $metal,
            invocations: $invocations,
        }
    };
}

/// Every kernel that Vulkan has, one line each, and one for a second pass; at the end, for tables of many rows, those on matrix units.
pub static SOURCES: &[Source] = &[
    source!(embed: "embed/names.slang", "dtype/formats.slang", "dtype/octet.slang", "embed/embed.slang"),
    source!(rope_angles: "rope_angles/cos_sin.slang", "rope_angles/rope_angles.slang"),
    source!(rms_norm, WIDE: "rms_norm/four.slang", "rms_norm/rms_norm.slang"),
    source!(matmul: "dtype/formats.slang", "dtype/octet.slang", "matmul/plain.slang", "matmul/rows.slang", "matmul/neighbours.slang", "matmul/sums.slang", "matmul/matmul.slang"),
    source!(matmul_add: "dtype/formats.slang", "dtype/octet.slang", "matmul/plain.slang", "matmul/rows.slang", "matmul/neighbours.slang", "matmul/sums.slang", "matmul_add/matmul_add.slang"),
    source!(norm_matmul: "dtype/formats.slang", "dtype/octet.slang", "norm_matmul/norm.slang", "matmul/rows.slang", "matmul/neighbours.slang", "matmul/sums.slang", "matmul/matmul.slang"),
    source!(norm_matmul_glu: "norm_matmul_glu/names.slang", "dtype/formats.slang", "dtype/octet.slang", "norm_matmul/norm.slang", "matmul/rows.slang", "norm_matmul_glu/gates.slang", "matmul/sums.slang", "activate/activated.slang", "glu/gated.slang", "norm_matmul_glu/norm_matmul_glu.slang"),
    source!(add_bias: "add_bias/add_bias.slang"),
    source!(qk_norm: "qk_norm/qk_norm.slang"),
    source!(rope_kv: "kv/kv.slang", "kv/store.slang", "rope_kv/turned.slang", "rope_kv/rope_kv.slang"),
    source!(attention, WIDE: "kv/kv.slang", "attention/body.slang", "attention/attention.slang"),
    source!(ragged_attention, WIDE: "kv/kv.slang", "attention/body.slang", "ragged_attention/ragged_attention.slang"),
    source!(rope_kv_attention, WIDE: "kv/kv.slang", "rope_kv/turned.slang", "rope_kv_attention/split.slang", "rope_kv_attention/rope_kv_attention.slang"),
    source!(rope_kv_attention then merge, WIDE: "rope_kv_attention/split.slang", "rope_kv_attention/merge.slang"),
    source!(rms_norm_add, WIDE: "rms_norm/four.slang", "rms_norm_add/rms_norm_add.slang"),
    source!(glu: "activate/activated.slang", "glu/gated.slang", "glu/glu.slang"),
    source!(quantize: "quantize/quantize.slang"),
    source!(softcap: "softcap/softcap.slang"),
    source!(logits_max: "logits_max/logits_max.slang"),
    source!(sample: "sample/noise.slang", "sample/sample.slang"),
    source!(adjust, WIDE: "sample/noise.slang", "adjust/adjust.slang"),
    source!(draw, WIDE: "sample/noise.slang", "draw/mass.slang", "draw/wide.slang", "draw/draw.slang"),
    source!(log_probs: "sample/noise.slang", "draw/mass.slang", "log_probs/log_probs.slang"),
    source!(advance: "advance/drawn.slang", "advance/advance.slang"),
    source!(kv_shift: "kv/kv.slang", "kv/store.slang", "rope_angles/cos_sin.slang", "kv_shift/kv_shift.slang"),
    source!(accept, WIDE: "advance/drawn.slang", "accept/accept.slang"),
    source!(route: "route/route.slang"),
    source!(expert_matmul: "expert_matmul/names.slang", "dtype/formats.slang", "dtype/octet.slang", "expert_matmul/slots.slang", "matmul/sums.slang", "expert_matmul/expert_matmul.slang"),
    source!(expert_combine: "expert_combine/expert_combine.slang"),
    source!(add_positions: "add_positions/add_positions.slang"),
    source!(layer_norm, WIDE: "rms_norm/four.slang", "layer_norm/input.slang", "layer_norm/layer_norm.slang"),
    source!(layer_norm_add, WIDE: "rms_norm/four.slang", "layer_norm_add/input.slang", "layer_norm/layer_norm.slang"),
    source!(activate: "activate/activated.slang", "activate/activate.slang"),
    source!(rope: "rope/rope.slang"),
    source!(full_attention: "full_attention/online.slang", "full_attention/full_attention.slang"),
    source!(pooling, WIDE: "pooling/pooling.slang"),
    source!(unfold: "unfold/unfold.slang"),
    source!(activate_positions: "activate/activated.slang", "activate_positions/activate_positions.slang"),
    source!(cross_kv: "cross_kv/cross.slang", "cross_kv/cross_kv.slang"),
    source!(cross_attention, WIDE: "cross_kv/cross.slang", "full_attention/online.slang", "cross_attention/cross_attention.slang"),
    source!(cross_scores, WIDE: "cross_kv/cross.slang", "cross_scores/cross_scores.slang"),
    source!(matmul on units, WIDE: "dtype/formats.slang", "dtype/octet.slang", "matmul/units.slang", "matmul/nothing_added.slang", "matmul/units_take.slang"),
    source!(matmul_add on units, WIDE: "dtype/formats.slang", "dtype/octet.slang", "matmul/units.slang", "matmul_add/residual_added.slang", "matmul/units_take.slang"),
    source!(matmul_glu on units, WIDE: "matmul_glu/names.slang", "dtype/formats.slang", "dtype/octet.slang", "matmul/units.slang", "activate/activated.slang", "glu/gated.slang", "matmul_glu/matmul_glu.slang"),
    source!(attention on units, UNITS: "kv/kv.slang", "attention/units.slang"),
];
