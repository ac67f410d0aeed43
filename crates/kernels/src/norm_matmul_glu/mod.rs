//! `norm_matmul_glu`: `rms_norm`, the gate and up products and `glu` in one command, for few rows.

use crate::act::{self, ActFormat};
use crate::contract::{Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::error::require;
use crate::glu::cpu::gate;
use crate::machine::Version;
use crate::matmul::cuda_gemv::{self, Gemv, Mode, gemv};
use crate::matmul::reference::Matrix;
use crate::matmul::vulkan;
use crate::norm_matmul::{check, cost, normalised};
use crate::rms_norm::RmsNormParams;
use crate::vulkan::{MOST_GROUPS, VulkanLaunch};
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct NormMatmulGluConsts {
        /// Weight [`crate::DType`].
        pub dtype: u32,
        /// Weight [`crate::Layout`].
        pub layout: u32,
        /// Input width.
        pub k: u32,
        /// Output width; the matrix has twice as many rows.
        pub f: u32,
        /// [`crate::glu::Activation`].
        pub activation: u32,
        /// Output format; f32.
        pub act: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }
}

/// The contract. Bindings: step block; x `[rows, k] f32`; norm `[k] f32`; w `[2 f, k]`, gates first; out `[rows, f]` in
/// the format. Parameters are `rms_norm`'s.
pub static KERNEL: Kernel = Kernel {
    name: "norm_matmul_glu",
    bindings: &[reads("step"), reads("x"), reads("norm"), reads("w"), writes("out")],
    consts: NormMatmulGluConsts::NAMES,
    params: RmsNormParams::FIELDS,
    rows: Rows::Anywhere,
    check: typed!(|c: NormMatmulGluConsts| {
        check("norm_matmul_glu", c.dtype, c.k, c.f, c.act)?;
        require("norm_matmul_glu", c.activation <= 1, || format!("activation {}", c.activation))
    }),
    units: typed!(|c: NormMatmulGluConsts| c.f.div_ceil(16)),
    cost: typed!(|c: NormMatmulGluConsts, load| {
        cost(c.dtype, c.k, c.f.saturating_mul(2), load.rows.0, u64::from(c.f) * 4)
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: NormMatmulGluConsts, gpu| {
            let NormMatmulGluConsts { dtype, layout, k, max_rows, .. } = c;
            let (n, mode) = (c.f.saturating_mul(2), Mode::Glu);
            let g = Gemv { kernel: "norm_matmul_glu", dtype, layout, k, n, max_rows, mode };
            cuda_gemv::pick(g, gemv!("norm_matmul_glu.cu"), gpu)
        })),
        Version::Vulkan(typed!(|c: NormMatmulGluConsts, _| {
            let kernel = "norm_matmul_glu";
            vulkan::check(kernel, c.dtype, c.layout, c.k)?;
            // Half as many gates as a workgroup has outputs.
            let gates = vulkan::normed_outputs(c.max_rows) / 2;
            let groups = c.f.div_ceil(gates).min(MOST_GROUPS);
            VulkanLaunch::new(kernel, include_bytes!("norm_matmul_glu.spv"), groups, c.max_rows.div_ceil(8))
        })),
        Version::Metal(include_str!("norm_matmul_glu.metal")),
    ],
};

/// The plain twin: `rms_norm`, `matmul`, `glu`.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: NormMatmulGluConsts = call.consts();
    let p: RmsNormParams = call.params();
    let (k, f) = (c.k as usize, c.f as usize);
    let rb = ActFormat::F32.row_bytes(f);
    // SAFETY: shapes by the contract; parts own disjoint output columns.
    unsafe {
        let x = normalised(call, k, 0, p.eps);
        let w = call.slice::<u8>(3, 0, call.bufs[3].len);
        let Some(mut m) = Matrix::new(c.dtype, c.layout, w, k) else { return };
        for j in share(f, part, parts) {
            for (r, x) in x.iter().enumerate() {
                let y = gate(c.activation, m.times(j, x)) * m.times(f + j, x);
                act::store(ActFormat::F32, call.slice_mut::<u8>(4, r * rb + 4 * j, 4), 0, &[y]);
            }
        }
    }
}
