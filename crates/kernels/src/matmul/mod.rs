//! `matmul`: out[r, j] = sum over i of x[r, i] * w[j, i], one command for R rows.
//!
//! The weights are read once per command, whatever the number of rows. Accumulation is f32 (integer inside a
//! quantization block). For tables of up to 8 rows a row's result does not depend on the other rows.

use crate::act::ActFormat;
use crate::contract::{Access, Cost, Kernel, KernelError, Load, binding, consts_of};
use crate::cpu::{Call, CpuFn, Level};
use crate::cuda::{CudaLaunch, Gpu};
use crate::dtype::{self, DType, Layout};
use bytemuck::{Pod, Zeroable};
use cuda_gemv::{Gemv, Mode};

pub mod cpu;
#[cfg(target_arch = "x86_64")]
mod cpu_avx2;
#[cfg(target_arch = "x86_64")]
mod cpu_avx512;
#[cfg(target_arch = "x86_64")]
mod cpu_avx512_panel;
#[cfg(target_arch = "x86_64")]
mod cpu_bytes256;
#[cfg(target_arch = "aarch64")]
mod cpu_neon;
#[cfg(target_arch = "aarch64")]
mod cpu_neon_i8mm;
mod cpu_portable;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod cpu_scales;
pub mod cuda_gemv;
pub mod cuda_tiled;
pub mod reference;

pub use cpu::packs_on_the_way;

/// Which rows a command works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Select {
    /// The active rows of the step.
    All = 0,
    /// The head rows only; they lie at the front of the input.
    Head = 1,
}

/// Compile-time constants of `matmul` and `matmul_add`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct MatmulConsts {
    /// Weight [`DType`].
    pub dtype: u32,
    /// Weight [`Layout`].
    pub layout: u32,
    /// Input [`ActFormat`].
    pub act: u32,
    /// Input width.
    pub k: u32,
    /// Output width (weight rows).
    pub n: u32,
    /// Row stride of the output in elements.
    pub out_stride: u32,
    /// First output column.
    pub out_col: u32,
    /// [`Select`].
    pub select: u32,
    /// Rows the table was built for.
    pub max_rows: u32,
}

/// Names of [`MatmulConsts`]' fields.
pub const CONSTS: &[&str] =
    &["dtype", "layout", "act", "k", "n", "out_stride", "out_col", "select", "max_rows"];

/// The contract. Bindings: step block; x `[rows, k]` in the activation format; w `[n, k]`; out
/// `[rows, out_stride] f32`.
pub static KERNEL: Kernel = Kernel {
    name: "matmul",
    bindings: &[
        binding("step", Access::Read),
        binding("x", Access::Read),
        binding("w", Access::Read),
        binding("out", Access::Write),
    ],
    consts: CONSTS,
    params: 0,
    units,
    cost,
    cpu: |level, consts| select_cpu("matmul", level, consts, false_residual),
    cuda: Some(|consts, gpu| cuda_pick("matmul", consts, gpu, GEMV)),
};

const GEMV: &[&str] = &[
    include_str!("../dtype/codes.cuh"),
    include_str!("../dtype/dot.cuh"),
    include_str!("../cuda/gemv.cuh"),
    include_str!("matmul.cu"),
];

/// Chooses the CUDA version by the number of rows; shared with `matmul_add`.
pub fn cuda_pick(
    kernel: &'static str,
    consts: &[u32],
    gpu: &Gpu,
    few: &'static [&'static str],
) -> Result<CudaLaunch, KernelError> {
    let c: MatmulConsts = consts_of(kernel, consts)?;
    if c.max_rows > cuda_gemv::MAX_ROWS || c.act != ActFormat::F32 as u32 {
        return cuda_tiled::pick(kernel, &c, gpu);
    }
    let (dtype, layout, k, n, max_rows) = (c.dtype, c.layout, c.k, c.n, c.max_rows);
    cuda_gemv::pick(Gemv { kernel, dtype, layout, k, n, max_rows, mode: Mode::Store }, few, gpu)
}

/// How the epilogue's variant is chosen: plain store or residual add.
pub type Pick = fn(Level, &MatmulConsts) -> Option<CpuFn>;

fn false_residual(level: Level, c: &MatmulConsts) -> Option<CpuFn> {
    cpu::store(level, c)
}

/// Checks constants and picks the CPU version; shared with `matmul_add`.
pub fn select_cpu(
    kernel: &'static str,
    level: Level,
    consts: &[u32],
    pick: Pick,
) -> Result<CpuFn, KernelError> {
    let c: MatmulConsts = consts_of(kernel, consts)?;
    let dt = dtype::from_const(kernel, c.dtype)?;
    if c.k == 0 || c.n == 0 || !c.k.is_multiple_of(dt.block()) {
        return Err(KernelError::Constants {
            kernel,
            what: format!("{} x {} is empty or no multiple of {dt}'s block of {}", c.n, c.k, dt.block()),
        });
    }
    pick(level, &c).ok_or_else(|| KernelError::Unsupported {
        kernel,
        what: format!(
            "{dt} weights in layout {} with activations {} at level {level}",
            Layout::from_word(c.layout).name(),
            c.act
        ),
    })
}

/// Units of work: tiles of 16 output columns, and of 32 rows.
pub fn units(consts: &[u32]) -> u32 {
    let c: MatmulConsts = crate::contract::from_words(consts);
    c.n.div_ceil(16).saturating_mul(c.max_rows.div_ceil(UNIT_ROWS).max(1))
}

/// Fewer rows at a time would waste what unpacking weights costs.
pub(crate) const UNIT_ROWS: u32 = 32;

/// Weights once, inputs and outputs once.
pub fn cost(consts: &[u32], load: Load) -> Cost {
    let c: MatmulConsts = crate::contract::from_words(consts);
    let rows = u64::from(if c.select == Select::Head as u32 { load.head_rows } else { load.rows });
    let dt = DType::from_ggml(c.dtype).unwrap_or(DType::F32);
    let act = ActFormat::from_word(c.act).unwrap_or(ActFormat::F32);
    Cost {
        weight_bytes: if rows == 0 { 0 } else { u64::from(c.n) * dt.row_bytes(u64::from(c.k)) },
        other_bytes: rows * (act.row_bytes(c.k as usize) as u64 + u64::from(c.n) * 4),
        flops: 2 * rows * u64::from(c.n) * u64::from(c.k),
    }
}

/// What a device family wants for a weight format: its layout and the activation format of its product.
/// `level` is the CPU level; the builder asks through `Target`.
///
/// BF16 weights take f32 activations at every level: `vdpbf16ps` is half as fast as two fused multiply-adds on
/// the processors measured, and rounds the activations. So do MXFP8 weights, whose elements are floats of 18 binades.
pub fn cpu_plan(level: Level, dt: DType, _k: u64) -> (Layout, ActFormat) {
    if level == Level::Reference {
        return (Layout::Native, ActFormat::F32);
    }
    match dtype::rows16::form(dt) {
        Some(_) => (Layout::Rows16, ActFormat::Q8),
        None => (Layout::Rows16, ActFormat::F32),
    }
}

/// [`cpu_plan`] for the output head, where inputs of 8 bits would put their error straight into the logits (on SmolLM2
/// Q4_1, 28% of the mean KL divergence that all quantized inputs cause together). A step computes few head rows, whose
/// time should be that of reading the weights: two byte products are fast enough for that, f32 activations are not.
pub fn cpu_head_plan(level: Level, dt: DType, k: u64) -> (Layout, ActFormat) {
    match (level, cpu_plan(level, dt, k)) {
        (Level::Avx512 | Level::Avx512Bf16 | Level::Neon | Level::NeonI8mm, (layout, ActFormat::Q8)) => {
            (layout, ActFormat::Q16)
        }
        (_, (layout, _)) => (layout, ActFormat::F32),
    }
}

/// Rows that a command works on now.
///
/// # Safety
/// Binding 0 is the step block and nothing writes it during the command.
pub unsafe fn active_rows(call: &Call<'_>, select: u32) -> usize {
    // SAFETY: the caller's promise.
    let h = unsafe { call.step(0) }.header();
    if select == Select::Head as u32 { h.head_rows as usize } else { h.rows as usize }
}
