//! `norm_matmul_pair`: two `norm_matmul` of one input, whose weights have different formats, in one command. Their outputs
//! lie beside each other. Mixed files have such products in every layer (values are kept better than queries and keys),
//! and for few rows a command of its own costs more than its bytes.

use crate::act::ActFormat;
use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::cuda::{CudaLaunch, Gpu};
use crate::dtype::DType;
use crate::error::KernelError;
use crate::machine::Version;
use crate::matmul::cuda_gemv::{self, Gemv, Mode, gemv};
use crate::matmul::reference::Matrix;
use crate::norm_matmul::{check, normalised};
use crate::rms_norm::RmsNormParams;
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct NormMatmulPairConsts {
        /// First weight [`DType`].
        pub dtype: u32,
        /// First weight [`crate::Layout`].
        pub layout: u32,
        /// First output width.
        pub n: u32,
        /// Second weight [`DType`].
        pub dtype2: u32,
        /// Second weight [`crate::Layout`].
        pub layout2: u32,
        /// Second output width.
        pub n2: u32,
        /// Input width.
        pub k: u32,
        /// Row stride of the output in elements.
        pub out_stride: u32,
        /// First output column of the first product; the second's columns follow the first's.
        pub out_col: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }
}

/// The contract. Bindings: step block; x `[rows, k] f32`; norm `[k] f32`; w `[n, k]`; w2 `[n2, k]`; out
/// `[rows, out_stride] f32`. Parameters are `rms_norm`'s.
pub static KERNEL: Kernel = Kernel {
    name: "norm_matmul_pair",
    bindings: &[reads("step"), reads("x"), reads("norm"), reads("w"), reads("w2"), writes("out")],
    consts: NormMatmulPairConsts::NAMES,
    params: RmsNormParams::FIELDS,
    rows: Rows::Anywhere,
    check: typed!(|c: NormMatmulPairConsts| {
        for (dtype, n) in [(c.dtype, c.n), (c.dtype2, c.n2)] {
            check("norm_matmul_pair", dtype, c.k, n, ActFormat::F32 as u32)?;
        }
        Ok(())
    }),
    units: typed!(|c: NormMatmulPairConsts| c.n.saturating_add(c.n2).div_ceil(16).max(1)),
    cost: typed!(|c: NormMatmulPairConsts, load| {
        let (k, rows) = (u64::from(c.k), u64::from(load.rows));
        let n = u64::from(c.n) + u64::from(c.n2);
        let weights = bytes(c.dtype, c.n, c.k) + bytes(c.dtype2, c.n2, c.k) + 4 * k;
        Cost {
            weight_bytes: if rows == 0 { 0 } else { weights },
            other_bytes: rows * 4 * (k + n),
            flops: 2 * rows * n * k,
        }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: NormMatmulPairConsts, gpu| cuda(&c, gpu))),
    ],
};

fn bytes(dtype: u32, n: u32, k: u32) -> u64 {
    u64::from(n).saturating_mul(DType::from_ggml(dtype).unwrap_or(DType::F32).row_bytes(k.into()))
}

fn cuda(c: &NormMatmulPairConsts, gpu: &Gpu) -> Result<CudaLaunch, KernelError> {
    let source = gemv!("norm_matmul_pair.cu");
    let (first, second) = (bytes(c.dtype, c.n, c.k), bytes(c.dtype2, c.n2, c.k));
    // Of 1024 blocks, so many have the second matrix: as many as its bytes.
    let part = (second as f64 / (first as f64 + second as f64) * 1024.0) as u32;
    let grid = gpu.multiprocessors.min(c.n.saturating_add(c.n2)).max(2);
    let blocks = ((grid * part + 512) / 1024).clamp(1, grid - 1);
    let pick = |dtype, layout, n, multiprocessors| {
        let g = Gemv {
            kernel: "norm_matmul_pair",
            dtype,
            layout,
            k: c.k,
            n,
            max_rows: c.max_rows,
            mode: Mode::Store,
        };
        cuda_gemv::pick(g, source, &Gpu { multiprocessors, ..*gpu })
    };
    let mut launch = pick(c.dtype, c.layout, c.n, grid - blocks)?;
    let other = pick(c.dtype2, c.layout2, c.n2, blocks)?;
    if launch.block != other.block {
        let what = format!("blocks of {} and {} threads", launch.block, other.block);
        return Err(KernelError::Unsupported { kernel: "norm_matmul_pair", what });
    }
    launch.defines.push(("PAIR_SHARE", part));
    launch.defines.extend(other.defines.iter().filter_map(|(name, value)| match *name {
        "GEMV_LANES" => Some(("PAIR_LANES", *value)),
        "GEMV_OUTS" => Some(("PAIR_OUTS", *value)),
        "GEMV_STAGES" => Some(("PAIR_STAGES", *value)),
        "GEMV_PIECE" => Some(("PAIR_PIECE", *value)),
        _ => None,
    }));
    launch.grid = [grid, 1, 1];
    launch.shared = launch.shared.max(other.shared);
    Ok(launch)
}

/// The plain twin: `rms_norm`, then both products.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: NormMatmulPairConsts = call.consts();
    let p: RmsNormParams = call.params();
    let (k, stride) = (c.k as usize, c.out_stride as usize);
    let matrices = [(3, c.dtype, c.layout, c.n, c.out_col), (4, c.dtype2, c.layout2, c.n2, c.out_col + c.n)];
    // SAFETY: shapes by the contract; parts own disjoint output columns.
    unsafe {
        let x = normalised(call, k, 0, p.eps);
        for (binding, dtype, layout, n, col) in matrices {
            let w = call.slice::<u8>(binding, 0, call.bufs[binding].len);
            let Some(mut m) = Matrix::new(dtype, layout, w, k) else { return };
            for j in share(n as usize, part, parts) {
                for (r, x) in x.iter().enumerate() {
                    call.slice_mut::<f32>(5, r * stride + col as usize + j, 1)[0] = m.times(j, x);
                }
            }
        }
    }
}
