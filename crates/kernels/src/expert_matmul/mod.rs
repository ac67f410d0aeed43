//! `expert_matmul`: the products of each row with the matrices of its experts.
//!
//! The matrices of all experts are one stack `[experts * n, k]`. A *slot* is a row and one of its experts, numbered
//! `row * used + j`.

use crate::act::ActFormat;
use crate::contract::{Cost, Kernel, Load, Rows, reads, typed, writes};
use crate::cuda::{CudaLaunch, Gpu, Overlap};
use crate::dtype::{self, DType, Layout};
use crate::error::{KernelError, require};
use crate::machine::Version;
use crate::route::experts_fit;
use crate::vulkan::{MOST_GROUPS, VulkanLaunch};
use crate::words::shared;

mod cpu;
pub mod reference;

shared! {
    /// Compile-time constants.
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
    bindings: &[reads("step"), reads("routes"), reads("x"), reads("w"), writes("out")],
    consts: ExpertMatmulConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: ExpertMatmulConsts| c.check("expert_matmul")),
    units: typed!(|c: ExpertMatmulConsts| c.n.div_ceil(16).saturating_mul(c.used).max(1)),
    cost: typed!(|c: ExpertMatmulConsts, load| c.cost(load)),
    versions: &[
        Version::Cpu(typed!(|level, c: ExpertMatmulConsts| {
            cpu::select(level, &c).ok_or_else(|| KernelError::Unsupported {
                kernel: "expert_matmul",
                what: format!("weights of type {} with activations {} at level {level}", c.dtype, c.act),
            })
        })),
        Version::Cuda(typed!(|c: ExpertMatmulConsts, gpu| cuda(&c, gpu))),
        Version::Vulkan(typed!(|c: ExpertMatmulConsts, _| vulkan(&c))),
        Version::Metal(include_str!("expert_matmul.metal")),
    ],
};

/// What holds for every product with a stack of experts.
impl ExpertMatmulConsts {
    /// Refuses constants that do not hold together.
    pub(crate) fn check(&self, kernel: &'static str) -> Result<(), KernelError> {
        let Self { dtype, act, k, n, experts, used, .. } = *self;
        let dt = dtype::from_const(kernel, dtype)?;
        let fits = k != 0 && n != 0 && k.is_multiple_of(dt.block()) && self.input <= 1 && self.layout <= 2;
        require(kernel, fits && experts_fit(experts, used) && ActFormat::from_word(act).is_some(), || {
            format!("{used} of {experts} experts of {n} x {k} {dt}, activations {act}")
        })
    }

    /// The cost, however it is computed.
    pub(crate) fn cost(&self, load: Load) -> Cost {
        let slots = u64::from(load.rows) * u64::from(self.used);
        let dt = DType::from_ggml(self.dtype).unwrap_or(DType::F32);
        let act = ActFormat::from_word(self.act).unwrap_or(ActFormat::F32);
        let (n, k) = (u64::from(self.n), u64::from(self.k));
        Cost {
            // At most every expert's matrix once.
            weight_bytes: slots.min(self.experts.into()) * n * dt.row_bytes(k),
            other_bytes: slots * (act.row_bytes(self.k as usize) as u64 + 4 * n),
            flops: 2 * slots * n * k,
        }
    }
}

/// A workgroup for four outputs of a slot. Inputs of 16 bits are read too, as tables on matrix units have them.
fn vulkan(c: &ExpertMatmulConsts) -> Result<VulkanLaunch, KernelError> {
    let kernel = "expert_matmul";
    crate::matmul::vulkan::check(kernel, c.dtype, c.layout, c.k)?;
    let blocks =
        crate::matmul::vulkan::takes_blocks(dtype::from_const(kernel, c.dtype)?) && c.k.is_multiple_of(32);
    match ActFormat::from_word(c.act) {
        Some(ActFormat::F32 | ActFormat::F16) => {}
        Some(ActFormat::Q16Aligned) if blocks => {}
        _ => {
            let what = format!("activation format {} as input on Vulkan or Metal", c.act);
            return Err(KernelError::Unsupported { kernel, what });
        }
    }
    let slots = c.max_rows.saturating_mul(c.used);
    VulkanLaunch::new(kernel, include_bytes!("expert_matmul.spv"), c.n.div_ceil(4).min(MOST_GROUPS), slots)
}

fn cuda(c: &ExpertMatmulConsts, gpu: &Gpu) -> Result<CudaLaunch, KernelError> {
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
        exchange: 0,
        maps: Vec::new(),
        overlap: Overlap::Yes,
    })
}
