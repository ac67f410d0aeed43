//! `expert_matmul`: the products of each row with the matrices of its experts.
//!
//! The matrices of all experts are one stack `[experts * n, k]`. A *slot* is a row and one of its experts, numbered
//! `row * used + j`.

use crate::act::ActFormat;
use crate::contract::{Access, Cost, Kernel, KernelError, Load, binding, consts_of, require};
use crate::cpu::{CpuFn, Level};
use crate::cuda::{CudaLaunch, Gpu, Overlap};
use crate::dtype::{self, DType, Layout};
use crate::route::{MAX_EXPERTS, MAX_USED};
use bytemuck::{Pod, Zeroable};

pub mod reference;

/// Compile-time constants.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct ExpertMatmulConsts {
    /// Weight [`DType`].
    pub dtype: u32,
    /// Weight [`Layout`].
    pub layout: u32,
    /// Input [`ActFormat`].
    pub act: u32,
    /// Input width.
    pub k: u32,
    /// Output width: weight rows of one expert.
    pub n: u32,
    /// Experts in the stack.
    pub experts: u32,
    /// Experts of a row.
    pub used: u32,
    /// [`Input`].
    pub input: u32,
    /// Row stride of the output in elements.
    pub out_stride: u32,
    /// First output column.
    pub out_col: u32,
    /// Rows the table was built for.
    pub max_rows: u32,
}

/// What a slot's input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Input {
    /// The row's.
    Row = 0,
    /// The slot's own.
    Slot = 1,
}

/// The contract. Bindings: step block; routes `[rows, used]` of [`crate::route::Choice`]; x `[rows, k]` or
/// `[rows * used, k]` in the activation format; w `[experts * n, k]`; out `[rows * used, out_stride] f32`.
pub static KERNEL: Kernel = Kernel {
    name: "expert_matmul",
    bindings: &[
        binding("step", Access::Read),
        binding("routes", Access::Read),
        binding("x", Access::Read),
        binding("w", Access::Read),
        binding("out", Access::Write),
    ],
    consts: &[
        "dtype",
        "layout",
        "act",
        "k",
        "n",
        "experts",
        "used",
        "input",
        "out_stride",
        "out_col",
        "max_rows",
    ],
    params: 0,
    units: |c| c[4].div_ceil(16).saturating_mul(c[6]).max(1),
    cost,
    cpu: |level, consts| select(level, &check(consts)?),
    cuda: Some(cuda),
};

fn check(consts: &[u32]) -> Result<ExpertMatmulConsts, KernelError> {
    check_product("expert_matmul", consts_of("expert_matmul", consts)?)
}

/// Checks what holds for every product with a stack of experts.
pub(crate) fn check_product(
    kernel: &'static str,
    c: ExpertMatmulConsts,
) -> Result<ExpertMatmulConsts, KernelError> {
    let dt = dtype::from_const(kernel, c.dtype)?;
    let fits = c.k != 0 && c.n != 0 && c.k.is_multiple_of(dt.block()) && c.input <= 1 && c.layout <= 2;
    let experts = (1..=MAX_EXPERTS).contains(&c.experts) && (1..=c.experts.min(MAX_USED)).contains(&c.used);
    require(kernel, fits && experts && ActFormat::from_word(c.act).is_some(), || {
        format!("{} of {} experts of {} x {} {dt}, activations {}", c.used, c.experts, c.n, c.k, c.act)
    })?;
    Ok(c)
}

fn select(level: Level, c: &ExpertMatmulConsts) -> Result<CpuFn, KernelError> {
    crate::matmul::cpu::experts(level, c).ok_or_else(|| KernelError::Unsupported {
        kernel: "expert_matmul",
        what: format!("weights of type {} with activations {} at level {level}", c.dtype, c.act),
    })
}

fn cuda(consts: &[u32], gpu: &Gpu) -> Result<CudaLaunch, KernelError> {
    let c = check(consts)?;
    let dt = dtype::from_const("expert_matmul", c.dtype)?;
    let wanted = if dt.block() == 1 { Layout::Native } else { Layout::Planes };
    let fits =
        Layout::from_word(c.layout) == wanted && c.act == ActFormat::F32 as u32 && c.k.is_multiple_of(8);
    let shared = 4 * c.k;
    if !fits || shared > gpu.shared {
        let layout = Layout::from_word(c.layout).name();
        let what =
            format!("{} x {} {dt} weights in layout {layout}, activations {} on CUDA", c.n, c.k, c.act);
        return Err(KernelError::Unsupported { kernel: "expert_matmul", what });
    }
    // Blocks of 8 warps. With many slots a warp has several rows, so that an input is staged for more than a few
    // products; with few, the machine would be half empty.
    let slots = c.max_rows.saturating_mul(c.used);
    let warp_rows = if slots > 64 { 4 } else { 1 };
    let pieces = c.n.div_ceil(8 * warp_rows);
    let blocks = slots.saturating_mul(pieces).min(gpu.multiprocessors * 8);
    Ok(CudaLaunch {
        source: const {
            &[
                include_str!("../dtype/codes.cuh"),
                include_str!("../dtype/dequant.cuh"),
                include_str!("expert_matmul.cu"),
            ]
        },
        defines: vec![("WARP_ROWS", warp_rows)],
        grid: [blocks, 1, 1],
        block: 256,
        shared,
        maps: Vec::new(),
        overlap: Overlap::Yes,
    })
}

fn cost(consts: &[u32], load: Load) -> Cost {
    cost_of(&crate::contract::from_words(consts), load)
}

/// The cost of a product with a stack of experts, however it is computed.
pub(crate) fn cost_of(c: &ExpertMatmulConsts, load: Load) -> Cost {
    let slots = u64::from(load.rows) * u64::from(c.used);
    let dt = DType::from_ggml(c.dtype).unwrap_or(DType::F32);
    let act = ActFormat::from_word(c.act).unwrap_or(ActFormat::F32);
    let (n, k) = (u64::from(c.n), u64::from(c.k));
    Cost {
        // At most every expert's matrix once.
        weight_bytes: slots.min(c.experts.into()) * n * dt.row_bytes(k),
        other_bytes: slots * (act.row_bytes(c.k as usize) as u64 + 4 * n),
        flops: 2 * slots * n * k,
    }
}
