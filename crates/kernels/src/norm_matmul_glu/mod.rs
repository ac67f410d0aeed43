//! `norm_matmul_glu`: `rms_norm`, the gate and up products and `glu` in one command, for few rows.

use crate::act::{self, ActFormat};
use crate::contract::{Access, Kernel, Load, binding, consts_of, require};
use crate::cpu::{Call, share};
use crate::glu::reference::gate;
use crate::matmul::cuda_gemv::{self, Gemv, Mode};
use crate::norm_matmul::{Matrix, check, cost, normalised};
use crate::rms_norm::RmsNormParams;
use bytemuck::{Pod, Zeroable};

/// Compile-time constants.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
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

/// The contract. Bindings: step block; x `[rows, k] f32`; norm `[k] f32`; w `[2 f, k]`, gates first; out `[rows, f]` in
/// the format. Parameters are `rms_norm`'s.
pub static KERNEL: Kernel = Kernel {
    name: "norm_matmul_glu",
    bindings: &[
        binding("step", Access::Read),
        binding("x", Access::Read),
        binding("norm", Access::Read),
        binding("w", Access::Read),
        binding("out", Access::Write),
    ],
    consts: &["dtype", "layout", "k", "f", "activation", "act", "max_rows"],
    params: size_of::<RmsNormParams>(),
    units: |c| c[3].div_ceil(16),
    cost: |consts, load: Load| {
        let c: NormMatmulGluConsts = crate::contract::from_words(consts);
        cost(c.dtype, c.k, c.f.saturating_mul(2), load.rows, u64::from(c.f) * 4)
    },
    cpu: |_, consts| {
        let c: NormMatmulGluConsts = consts_of("norm_matmul_glu", consts)?;
        check("norm_matmul_glu", c.dtype, c.k, c.f, c.act)?;
        require("norm_matmul_glu", c.activation <= 1, || format!("activation {}", c.activation))?;
        Ok(run)
    },
    cuda: Some(|consts, gpu| {
        let c: NormMatmulGluConsts = consts_of("norm_matmul_glu", consts)?;
        check("norm_matmul_glu", c.dtype, c.k, c.f, c.act)?;
        let source = const {
            &[
                include_str!("../dtype/codes.cuh"),
                include_str!("../dtype/dot.cuh"),
                include_str!("../cuda/gemv.cuh"),
                include_str!("norm_matmul_glu.cu"),
            ]
        };
        let (dtype, layout, k, n, max_rows) = (c.dtype, c.layout, c.k, c.f.saturating_mul(2), c.max_rows);
        let g = Gemv { kernel: "norm_matmul_glu", dtype, layout, k, n, max_rows, mode: Mode::Glu };
        cuda_gemv::pick(g, source, gpu)
    }),
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
                act::store(ActFormat::F32, call.slice_mut::<u8>(4, r * rb + 4 * j, 4), 1, 0, &[y]);
            }
        }
    }
}
