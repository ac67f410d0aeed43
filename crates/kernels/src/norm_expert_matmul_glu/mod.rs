//! `norm_expert_matmul_glu`: `rms_norm`, the gates' and the ups' `expert_matmul`, and `glu` in one command, for few rows.

use crate::act::ActFormat;
use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::cuda::{CudaLaunch, Gpu, Overlap};
use crate::dtype::{self, DType, Layout};
use crate::error::{KernelError, require};
use crate::glu::cpu::gate;
use crate::machine::Version;
use crate::matmul::reference::Matrix;
use crate::norm_matmul::normalised;
use crate::rms_norm::RmsNormParams;
use crate::route::{Choice, experts_fit};
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct NormExpertMatmulGluConsts {
        /// Weight [`DType`] of gates and ups.
        pub dtype: u32,
        /// Weight [`Layout`].
        pub layout: u32,
        /// Input width.
        pub k: u32,
        /// Output width: rows of one expert's gates, and of its ups.
        pub f: u32,
        /// Experts in the stacks.
        pub experts: u32,
        /// Experts of a row.
        pub used: u32,
        /// [`crate::glu::Activation`].
        pub activation: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }
}

/// The contract. Bindings: step block; x `[rows, k] f32`; norm `[k] f32`; routes `[rows, used]` of [`Choice`]; w
/// `[experts * f, k]`, the gates; w2 the ups, alike; out `[rows * used, f]`, rows in activation format f32. Parameters are
/// `rms_norm`'s.
pub static KERNEL: Kernel = Kernel {
    name: "norm_expert_matmul_glu",
    bindings: &[
        reads("step"),
        reads("x"),
        reads("norm"),
        reads("routes"),
        reads("w"),
        reads("w2"),
        writes("out"),
    ],
    consts: NormExpertMatmulGluConsts::NAMES,
    params: RmsNormParams::FIELDS,
    rows: Rows::Anywhere,
    check: typed!(|c: NormExpertMatmulGluConsts| {
        let kernel = "norm_expert_matmul_glu";
        let dt = dtype::from_const(kernel, c.dtype)?;
        let shape = c.k != 0 && c.f != 0 && c.k.is_multiple_of(dt.block());
        let fits = shape && c.activation <= 1 && c.layout <= 2 && experts_fit(c.experts, c.used);
        require(kernel, fits, || format!("{} of {} experts of 2 x {} x {} {dt}", c.used, c.experts, c.f, c.k))
    }),
    units: typed!(|c: NormExpertMatmulGluConsts| c.f.div_ceil(16).saturating_mul(c.used).max(1)),
    cost: typed!(|c: NormExpertMatmulGluConsts, load| {
        let (k, f, rows) = (u64::from(c.k), u64::from(c.f), u64::from(load.rows));
        let slots = rows * u64::from(c.used);
        let dt = DType::from_ggml(c.dtype).unwrap_or(DType::F32);
        Cost {
            // At most every expert's matrices once.
            weight_bytes: slots.min(c.experts.into()) * 2 * f * dt.row_bytes(k) + 4 * k * rows.min(1),
            other_bytes: rows * 4 * k + slots * ActFormat::F32.row_bytes(c.f as usize) as u64,
            flops: slots * f * (4 * k + 8),
        }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: NormExpertMatmulGluConsts, gpu| cuda(&c, gpu))),
    ],
};

fn cuda(c: &NormExpertMatmulGluConsts, gpu: &Gpu) -> Result<CudaLaunch, KernelError> {
    let dt = dtype::from_const("norm_expert_matmul_glu", c.dtype)?;
    let wanted = if dt.block() == 1 { Layout::Native } else { Layout::Planes };
    // The row; beside it the compiler's own few bytes.
    let shared = c.k.saturating_mul(4);
    let fits = c.k.is_multiple_of(8) && shared.saturating_add(256) <= gpu.shared;
    if Layout::from_word(c.layout) != wanted || !fits {
        let layout = Layout::from_word(c.layout).name();
        let what = format!("2 x {} x {} {dt} weights in layout {layout} on CUDA", c.f, c.k);
        return Err(KernelError::Unsupported { kernel: "norm_expert_matmul_glu", what });
    }
    let units = c.max_rows.saturating_mul(c.used).saturating_mul(c.f.div_ceil(8));
    Ok(CudaLaunch {
        source: const {
            &[
                include_str!("../dtype/codes.cuh"),
                include_str!("../dtype/dequant.cuh"),
                include_str!("norm_expert_matmul_glu.cu"),
            ]
        },
        defines: Vec::new(),
        grid: [units.min(gpu.multiprocessors * 8).max(1), 1, 1],
        block: 256,
        shared,
        exchange: 0,
        maps: Vec::new(),
        overlap: Overlap::Yes,
    })
}

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: NormExpertMatmulGluConsts = call.consts();
    let p: RmsNormParams = call.params();
    let (k, f, used) = (c.k as usize, c.f as usize, c.used as usize);
    let row_values = ActFormat::F32.row_bytes(f) / 4;
    // SAFETY: shapes by the contract; parts own disjoint output columns.
    unsafe {
        let x = normalised(call, k, 0, p.eps);
        let routes = call.slice::<Choice>(3, 0, x.len() * used);
        let matrix = |b: usize| Matrix::new(c.dtype, c.layout, call.slice::<u8>(b, 0, call.bufs[b].len), k);
        let (Some(mut gates), Some(mut ups)) = (matrix(4), matrix(5)) else { return };
        for j in share(f, part, parts) {
            for (slot, choice) in routes.iter().enumerate() {
                let (x, row) = (&x[slot / used], choice.expert as usize * f + j);
                let y = gate(c.activation, gates.times(row, x)) * ups.times(row, x);
                call.slice_mut::<f32>(6, slot * row_values + j, 1)[0] = y;
            }
        }
    }
}
