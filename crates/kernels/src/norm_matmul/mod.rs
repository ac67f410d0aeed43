//! `norm_matmul`: `rms_norm` and `matmul` in one command, for few rows. Every block of a GPU normalises the rows for
//! itself, which costs less than a command of its own and a trip through memory.

use crate::act::ActFormat;
use crate::contract::{Access, Cost, Kernel, KernelError, Load, binding, consts_of, require};
use crate::cpu::{Call, share};
use crate::dtype::{self, DType, Layout};
use crate::matmul::cuda_gemv::{self, Gemv, Mode};
use crate::matmul::reference::dot;
use crate::matmul::{self, MatmulConsts};
use crate::rms_norm::{RmsNormParams, rows_of};

/// The contract. Bindings: step block; x `[rows, k] f32`; norm `[k] f32`; w `[n, k]`; out `[rows, out_stride] f32`.
/// Constants are `matmul`'s, with f32 activations; parameters are `rms_norm`'s.
pub static KERNEL: Kernel = Kernel {
    name: "norm_matmul",
    bindings: &[
        binding("step", Access::Read),
        binding("x", Access::Read),
        binding("norm", Access::Read),
        binding("w", Access::Read),
        binding("out", Access::Write),
    ],
    consts: matmul::CONSTS,
    params: size_of::<RmsNormParams>(),
    units: matmul::units,
    cost: |consts, load: Load| {
        let mut cost = matmul::cost(consts, load);
        cost.weight_bytes += 4 * u64::from(consts[3]);
        cost
    },
    cpu: |_, consts| {
        let c: MatmulConsts = consts_of("norm_matmul", consts)?;
        check("norm_matmul", c.dtype, c.k, c.n, c.act)?;
        Ok(run)
    },
    cuda: Some(|consts, gpu| {
        let c: MatmulConsts = consts_of("norm_matmul", consts)?;
        check("norm_matmul", c.dtype, c.k, c.n, c.act)?;
        let source = const {
            &[
                include_str!("../dtype/codes.cuh"),
                include_str!("../dtype/dot.cuh"),
                include_str!("../cuda/gemv.cuh"),
                include_str!("norm_matmul.cu"),
            ]
        };
        let (dtype, layout, k, n, max_rows) = (c.dtype, c.layout, c.k, c.n, c.max_rows);
        let g = Gemv { kernel: "norm_matmul", dtype, layout, k, n, max_rows, mode: Mode::Store };
        cuda_gemv::pick(g, source, gpu)
    }),
};

/// What the fused products ask of a matrix.
pub(crate) fn check(kernel: &'static str, dtype: u32, k: u32, n: u32, act: u32) -> Result<(), KernelError> {
    let dt = dtype::from_const(kernel, dtype)?;
    require(kernel, k != 0 && n != 0 && k.is_multiple_of(dt.block()) && act == ActFormat::F32 as u32, || {
        format!("{n} x {k} {dt} weights with activation format {act}: empty, no whole blocks, or not f32")
    })
}

/// A matrix as the plain twins read it.
pub(crate) struct Matrix<'a> {
    dtype: DType,
    layout: Layout,
    w: &'a [u8],
    k: usize,
    row: Vec<f32>,
}

impl<'a> Matrix<'a> {
    pub(crate) fn new(dtype: u32, layout: u32, w: &'a [u8], k: usize) -> Option<Self> {
        let dtype = DType::from_ggml(dtype)?;
        Some(Self { dtype, layout: Layout::from_word(layout), w, k, row: vec![0.0; k] })
    }

    /// The product of row `j` with `x`.
    pub(crate) fn times(&mut self, j: usize, x: &[f32]) -> f32 {
        dtype::dequantize_row(self.dtype, self.layout, self.w, self.k, j, &mut self.row);
        dot(x, &self.row)
    }
}

/// The selected rows of binding 1, normalised with binding 2.
///
/// # Safety
/// Bindings 0 to 2 are those of a fused product of width `k`; nothing writes them.
pub(crate) unsafe fn normalised(call: &Call<'_>, k: usize, select: u32, eps: f32) -> Vec<Vec<f32>> {
    // SAFETY: the caller's promise.
    let (first, rows, norm) = unsafe {
        let (first, rows) = rows_of(call, select);
        (first, rows, call.slice::<f32>(2, 0, k))
    };
    (first..first + rows)
        .map(|r| {
            // SAFETY: the caller's promise.
            let x = unsafe { call.slice::<f32>(1, r * k, k) };
            let inverse = 1.0 / (dot(x, x) / k as f32 + eps).sqrt();
            x.iter().zip(norm).map(|(x, n)| x * inverse * n).collect()
        })
        .collect()
}

/// The plain twin: `rms_norm`, then `matmul`.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: MatmulConsts = call.consts();
    let p: RmsNormParams = call.params();
    let (k, stride, col) = (c.k as usize, c.out_stride as usize, c.out_col as usize);
    // SAFETY: shapes by the contract; parts own disjoint output columns.
    unsafe {
        let x = normalised(call, k, c.select, p.eps);
        let w = call.slice::<u8>(3, 0, call.bufs[3].len);
        let Some(mut m) = Matrix::new(c.dtype, c.layout, w, k) else { return };
        for j in share(c.n as usize, part, parts) {
            for (r, x) in x.iter().enumerate() {
                call.slice_mut::<f32>(4, r * stride + col + j, 1)[0] = m.times(j, x);
            }
        }
    }
}

/// The cost of a fused product whose output is `out` bytes per row.
pub(crate) fn cost(dtype: u32, k: u32, n: u32, rows: u32, out: u64) -> Cost {
    let dt = DType::from_ggml(dtype).unwrap_or(DType::F32);
    let (k, n, rows) = (u64::from(k), u64::from(n), u64::from(rows));
    Cost {
        weight_bytes: if rows == 0 { 0 } else { n * dt.row_bytes(k) + 4 * k },
        other_bytes: rows * (4 * k + out),
        flops: 2 * rows * n * k,
    }
}
