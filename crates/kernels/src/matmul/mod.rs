//! `matmul`: out[r, j] = sum over i of x[r, i] * w[j, i], one command for R rows.
//!
//! The weights are read once per command, whatever the number of rows. Accumulation is f32 (integer inside a
//! quantization block). For tables of up to 8 rows a row's result does not depend on the other rows.

use crate::act::ActFormat;
use crate::contract::{Cost, Kernel, Load, Rows, reads, typed, writes};
use crate::cpu::{Call, CpuFn, Level};
use crate::cuda::{CudaLaunch, Gpu};
use crate::dtype::{self, DType, Layout};
use crate::error::{KernelError, require};
use crate::machine::Version;
use crate::words::shared;
use cuda_flat::{Flat, flat};
use cuda_gemv::{Gemv, Mode, gemv};
use cuda_tiled::{Gemm, gemm};

pub(crate) mod cpu;
#[cfg(target_arch = "x86_64")]
mod cpu_avx2;
#[cfg(target_arch = "x86_64")]
mod cpu_avx512;
#[cfg(target_arch = "x86_64")]
mod cpu_avx512_panel;
#[cfg(target_arch = "x86_64")]
mod cpu_avx512_unpack;
#[cfg(target_arch = "x86_64")]
mod cpu_bytes256;
#[cfg(target_arch = "aarch64")]
mod cpu_neon;
#[cfg(target_arch = "aarch64")]
mod cpu_neon_i8mm;
#[cfg(target_arch = "x86_64")]
mod cpu_paired256;
mod cpu_portable;
#[cfg(target_arch = "x86_64")]
mod cpu_quads256;
mod cpu_rows;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod cpu_scales;
pub(crate) mod cpu_tile;
#[cfg(target_arch = "x86_64")]
mod cpu_units;
#[cfg(target_arch = "x86_64")]
mod cpu_units_fill;
#[cfg(target_arch = "x86_64")]
mod cpu_units_products;
#[cfg(target_arch = "x86_64")]
mod cpu_vnni256;
pub(crate) mod cuda_flat;
mod cuda_flat16;
pub(crate) mod cuda_flat_planes;
pub mod cuda_gemv;
pub(crate) mod cuda_product;
pub(crate) mod cuda_tiled;
pub mod reference;
pub(crate) mod vulkan;

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

shared! {
    /// Compile-time constants of `matmul` and `matmul_add`.
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
}

/// The contract. Bindings: step block; x `[rows, k]` in the activation format; w `[n, k]`; out
/// `[rows, out_stride] f32`. All rows of x's binding may be read, whatever those that are not active hold; no other row depends on them.
pub static KERNEL: Kernel = Kernel {
    name: "matmul",
    bindings: &[reads("step"), reads("x"), reads("w"), writes("out")],
    consts: MatmulConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: MatmulConsts| c.check("matmul")),
    units: typed!(|c: MatmulConsts| c.units()),
    cost: typed!(|c: MatmulConsts, load| c.cost(load)),
    versions: &[
        Version::Cpu(typed!(|level, c: MatmulConsts| c.cpu("matmul", level, cpu::store))),
        Version::Cuda(typed!(|c: MatmulConsts, gpu| c.cuda("matmul", gpu, GEMV, MANY))),
        Version::Vulkan(typed!(|c: MatmulConsts, chip| {
            let [code, units] = [include_bytes!("matmul.spv").as_slice(), include_bytes!("matmul_units.spv")];
            c.vulkan_or_units("matmul", chip, code, units)
        })),
        Version::Metal(include_str!("matmul.metal")),
    ],
};

const GEMV: &[&str] = gemv!("matmul.cu");
const MANY: (Flat, Gemm) = (flat!("matmul_tiled.cu"), gemm!("matmul_tiled.cu"));

/// The bindings of what follows the sums.
#[derive(Clone, Copy)]
pub(crate) struct Epilogue {
    /// What they are added to.
    residual: Option<usize>,
    out: usize,
}

impl Epilogue {
    const STORE: Self = Self { residual: None, out: 3 };
    const ADD: Self = Self { residual: Some(3), out: 4 };
}

/// Chooses an epilogue's CPU version.
pub(crate) type CpuPick = fn(Level, &MatmulConsts) -> Option<CpuFn>;

/// What `matmul` and `matmul_add` share, and in part their fusions.
impl MatmulConsts {
    /// Refuses constants that do not hold together.
    pub(crate) fn check(&self, kernel: &'static str) -> Result<(), KernelError> {
        let (dt, k, n) = (dtype::from_const(kernel, self.dtype)?, self.k, self.n);
        require(kernel, k != 0 && n != 0 && k.is_multiple_of(dt.block()), || {
            format!("{n} x {k} is empty or no multiple of {dt}'s block of {}", dt.block())
        })
    }

    /// Picks the CPU version.
    pub(crate) fn cpu(
        &self,
        kernel: &'static str,
        level: Level,
        pick: CpuPick,
    ) -> Result<CpuFn, KernelError> {
        let dt = dtype::from_const(kernel, self.dtype)?;
        pick(level, self).ok_or_else(|| {
            let layout = Layout::from_word(self.layout).name();
            let what =
                format!("{dt} weights in layout {layout} with activations {} at level {level}", self.act);
            KernelError::Unsupported { kernel, what }
        })
    }

    /// Chooses the CUDA version by the number of rows: sources for few, and for many.
    pub(crate) fn cuda(
        &self,
        kernel: &'static str,
        gpu: &Gpu,
        few: &'static [&'static str],
        (flat, tiled): (Flat, Gemm),
    ) -> Result<CudaLaunch, KernelError> {
        if self.max_rows > cuda_gemv::MAX_ROWS || self.act != ActFormat::F32 as u32 {
            return if cuda_flat::takes(self.layout, self.act, self.max_rows, gpu) {
                cuda_flat::pick(kernel, self, flat, gpu)
            } else {
                cuda_tiled::pick(kernel, self, tiled, gpu)
            };
        }
        cuda_gemv::pick(self.gemv(kernel), few, gpu)
    }

    /// As a product of few rows.
    pub(crate) const fn gemv(&self, kernel: &'static str) -> Gemv {
        let Self { dtype, layout, k, n, max_rows, .. } = *self;
        Gemv { kernel, dtype, layout, k, n, max_rows, mode: Mode::Store }
    }

    /// Units of work: tiles of 16 output columns, and of 32 rows.
    pub(crate) fn units(&self) -> u32 {
        self.n.div_ceil(16).saturating_mul(self.max_rows.div_ceil(UNIT_ROWS).max(1))
    }

    /// Weights once, inputs and outputs once.
    pub(crate) fn cost(&self, load: Load) -> Cost {
        let rows = u64::from(if self.select == Select::Head as u32 { load.head_rows } else { load.rows });
        let dt = DType::from_ggml(self.dtype).unwrap_or(DType::F32);
        let act = ActFormat::from_word(self.act).unwrap_or(ActFormat::F32);
        let (n, k) = (u64::from(self.n), u64::from(self.k));
        Cost {
            weight_bytes: if rows == 0 { 0 } else { n * dt.row_bytes(k) },
            other_bytes: rows * (act.row_bytes(self.k as usize) as u64 + n * 4),
            flops: 2 * rows * n * k,
        }
    }
}

/// Fewer rows at a time would waste what unpacking weights costs.
pub(crate) const UNIT_ROWS: u32 = 32;

/// Rows that a command works on now.
///
/// # Safety
/// Binding 0 is the step block and nothing writes it during the command.
pub unsafe fn active_rows(call: &Call<'_>, select: u32) -> usize {
    // SAFETY: the caller's promise.
    let h = unsafe { call.step(0) }.header();
    if select == Select::Head as u32 { h.head_rows as usize } else { h.rows as usize }
}
