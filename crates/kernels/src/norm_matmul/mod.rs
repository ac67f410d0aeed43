//! `norm_matmul`: `rms_norm` and `matmul` in one command, for few rows. Every block of a GPU normalises the rows for
//! itself, which costs less than a command of its own and a trip through memory.

use crate::act::ActFormat;
use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::dtype::{self, DType};
use crate::error::{KernelError, require};
use crate::machine::Version;
use crate::matmul::MatmulConsts;
use crate::matmul::cuda_gemv::{self, gemv};
use crate::matmul::reference::{Matrix, dot};
use crate::matmul::vulkan;
use crate::rms_norm::{RmsNormParams, Selected};
use crate::vulkan::{MOST_GROUPS, VulkanLaunch};

/// The contract. Bindings: step block; x `[rows, k] f32`; norm `[k] f32`; w `[n, k]`; out `[rows, out_stride] f32`.
/// Constants are `matmul`'s, with f32 activations; parameters are `rms_norm`'s.
pub static KERNEL: Kernel = Kernel {
    name: "norm_matmul",
    bindings: &[reads("step"), reads("x"), reads("norm"), reads("w"), writes("out")],
    consts: MatmulConsts::NAMES,
    params: RmsNormParams::FIELDS,
    rows: Rows::Anywhere,
    check: typed!(|c: MatmulConsts| check("norm_matmul", c.dtype, c.k, c.n, c.act)),
    units: typed!(|c: MatmulConsts| c.units()),
    cost: typed!(|c: MatmulConsts, load| {
        let cost = c.cost(load);
        Cost { weight_bytes: cost.weight_bytes + 4 * u64::from(c.k), ..cost }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: MatmulConsts, gpu| {
            cuda_gemv::pick(c.gemv("norm_matmul"), gemv!("norm_matmul.cu"), gpu)
        })),
        Version::Vulkan(typed!(|c: MatmulConsts, _| {
            let (kernel, code) = ("norm_matmul", include_bytes!("norm_matmul.spv"));
            let launch = c.vulkan(kernel, code)?;
            let groups = c.n.div_ceil(vulkan::normed_outputs(c.max_rows)).min(MOST_GROUPS);
            Ok(VulkanLaunch { groups: [groups, launch.groups[1], 1], ..launch })
        })),
        Version::Metal(include_str!("norm_matmul.metal")),
    ],
};

/// What the fused products ask of a matrix.
pub(crate) fn check(kernel: &'static str, dtype: u32, k: u32, n: u32, act: u32) -> Result<(), KernelError> {
    let dt = dtype::from_const(kernel, dtype)?;
    require(kernel, k != 0 && n != 0 && k.is_multiple_of(dt.block()) && act == ActFormat::F32 as u32, || {
        format!("{n} x {k} {dt} weights with activation format {act}: empty, no whole blocks, or not f32")
    })
}

/// The selected rows of binding 1, normalised with binding 2.
///
/// # Safety
/// Bindings 0 to 2 are those of a fused product of width `k`; nothing writes them.
pub(crate) unsafe fn normalised(call: &Call<'_>, k: usize, select: u32, eps: f32) -> Vec<Vec<f32>> {
    // SAFETY: the caller's promise.
    let (rows, norm) = unsafe { (Selected::of(call, select), call.slice::<f32>(2, 0, k)) };
    (0..rows.len)
        .map(|r| {
            // SAFETY: the caller's promise.
            let x = unsafe { call.slice::<f32>(1, rows.row(r) * k, k) };
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
