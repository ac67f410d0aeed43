//! Which pieces make each kernel's text.

use super::{INVOCATIONS, WIDE, prelude};
use crate::Kernel;

/// A kernel's text in pieces, and where its SPIR-V lies in this crate's `src`.
#[derive(Debug)]
pub struct Source {
    /// The contract.
    pub kernel: &'static Kernel,
    /// What comes after the prelude.
    pub pieces: &'static [&'static str],
    /// The committed SPIR-V.
    pub code: &'static str,
    /// Invocations of a workgroup.
    pub invocations: u32,
}

impl Source {
    /// The whole text.
    pub fn text(&self) -> String {
        self.pieces.iter().fold(prelude(self.kernel, self.invocations), |text, piece| text + "\n" + piece)
    }
}

macro_rules! source {
    ($name:ident: $($piece:literal),*) => {
        source!($name, INVOCATIONS: $($piece),*)
    };
    ($name:ident, $invocations:ident: $($piece:literal),*) => {
        Source {
            kernel: &crate::$name::KERNEL,
            pieces: &[$(include_str!(concat!("../", $piece))),*],
            code: concat!(stringify!($name), "/", stringify!($name), ".spv"),
            invocations: $invocations,
        }
    };
}

/// Every kernel that Vulkan has, one line each.
pub static SOURCES: &[Source] = &[
    source!(embed: "dtype/formats.slang", "dtype/dequant.slang", "embed/embed.slang"),
    source!(rope_angles: "rope_angles/cos_sin.slang", "rope_angles/rope_angles.slang"),
    source!(rms_norm, WIDE: "rms_norm/four.slang", "rms_norm/rms_norm.slang"),
    source!(matmul: "dtype/formats.slang", "dtype/octet.slang", "matmul/sums.slang", "matmul/matmul.slang"),
    source!(matmul_add: "dtype/formats.slang", "dtype/octet.slang", "matmul/sums.slang", "matmul_add/matmul_add.slang"),
    source!(add_bias: "add_bias/add_bias.slang"),
    source!(qk_norm: "qk_norm/qk_norm.slang"),
    source!(rope_kv: "kv/kv.slang", "kv/store.slang", "rope_kv/rope_kv.slang"),
    source!(attention, WIDE: "kv/kv.slang", "attention/body.slang", "attention/attention.slang"),
    source!(ragged_attention, WIDE: "kv/kv.slang", "attention/body.slang", "ragged_attention/ragged_attention.slang"),
    source!(rms_norm_add, WIDE: "rms_norm/four.slang", "rms_norm_add/rms_norm_add.slang"),
    source!(glu: "glu/glu.slang"),
    source!(quantize: "quantize/quantize.slang"),
    source!(softcap: "softcap/softcap.slang"),
    source!(logits_max: "logits_max/logits_max.slang"),
    source!(sample: "sample/noise.slang", "sample/sample.slang"),
    source!(adjust, WIDE: "sample/noise.slang", "adjust/adjust.slang"),
    source!(draw, WIDE: "sample/noise.slang", "draw/mass.slang", "draw/wide.slang", "draw/draw.slang"),
    source!(log_probs: "sample/noise.slang", "draw/mass.slang", "log_probs/log_probs.slang"),
    source!(advance: "advance/advance.slang"),
    source!(kv_shift: "kv/kv.slang", "kv/store.slang", "rope_angles/cos_sin.slang", "kv_shift/kv_shift.slang"),
];
