//! `matmul_glu`: the gate and up products and `glu` in one command, for many rows.

use crate::act::{self, ActFormat};
use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, CpuFn, Level, share};
use crate::dtype::{self, DType};
use crate::error::{KernelError, require};
use crate::glu::cpu::gate;
use crate::machine::Version;
use crate::matmul::cuda_flat::{self, flat};
use crate::matmul::cuda_tiled::{self, Product, gemm};
use crate::matmul::reference::Matrix;
use crate::matmul::vulkan;
use crate::words::shared;

#[cfg(target_arch = "x86_64")]
mod cpu_packed;

shared! {
    /// Compile-time constants.
    pub struct MatmulGluConsts {
        /// Weight [`crate::DType`].
        pub dtype: u32,
        /// Weight [`crate::Layout`].
        pub layout: u32,
        /// Input [`ActFormat`].
        pub act: u32,
        /// Input width.
        pub k: u32,
        /// Output width; the matrix has twice as many rows.
        pub f: u32,
        /// [`crate::glu::Activation`].
        pub activation: u32,
        /// Output [`ActFormat`].
        pub act_out: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }
}

/// The contract. Bindings: step block; x `[rows, k]` in the input format; w `[2 f, k]`, gates first; out `[rows, f]` in
/// the output format. All rows of x may be read, as in `matmul`.
pub static KERNEL: Kernel = Kernel {
    name: "matmul_glu",
    bindings: &[reads("step"), reads("x"), reads("w"), writes("out")],
    consts: MatmulGluConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: MatmulGluConsts| check(&c)),
    units: typed!(|c: MatmulGluConsts| c.f.div_ceil(32)),
    cost: typed!(|c: MatmulGluConsts, load| {
        let (k, f, rows) = (u64::from(c.k), u64::from(c.f), u64::from(load.rows));
        let dt = DType::from_ggml(c.dtype).unwrap_or(DType::F32);
        let bytes =
            |a, n: u32| ActFormat::from_word(a).unwrap_or(ActFormat::F32).row_bytes(n as usize) as u64;
        Cost {
            weight_bytes: if rows == 0 { 0 } else { 2 * f * dt.row_bytes(k) },
            other_bytes: rows * (bytes(c.act, c.k) + bytes(c.act_out, c.f)),
            flops: rows * f * (4 * k + 8),
        }
    }),
    versions: &[
        Version::Cpu(typed!(|level, c: MatmulGluConsts| cpu(level, &c))),
        Version::Cuda(typed!(|c: MatmulGluConsts, gpu| {
            let kernel = "matmul_glu";
            crate::cuda::check_act(kernel, c.act_out)?;
            if cuda_flat::takes(c.layout, c.act, c.max_rows, gpu) {
                let w = [c.dtype, c.layout, c.act, c.k];
                return cuda_flat::pick_paired(kernel, w, [c.f, c.max_rows], flat!("matmul_glu.cu"), gpu);
            }
            let act = cuda_tiled::check(kernel, c.dtype, c.layout, c.act, c.k)?;
            let p = Product { kernel, act, k: c.k, n: c.f, paired: 2, max_rows: c.max_rows.max(1), split: 1 };
            cuda_tiled::launch(&p, gemm!("matmul_glu.cu"), gpu)
        })),
        Version::Vulkan(typed!(|c: MatmulGluConsts, chip| {
            let kernel = "matmul_glu";
            if !vulkan::on_units(chip, c.act) {
                let what = format!("activation format {} as input on Vulkan or Metal", c.act);
                return Err(KernelError::Unsupported { kernel, what });
            }
            vulkan::check(kernel, c.dtype, c.layout, c.k)?;
            crate::vulkan::check_act(kernel, c.act_out)?;
            vulkan::units(kernel, include_bytes!("matmul_glu_units.spv"), c.f.saturating_mul(2), c.max_rows)
        })),
    ],
};

/// A version of its own for the inputs of matrix units and panels, where it has the shape; the twin for all others.
fn cpu(level: Level, c: &MatmulGluConsts) -> Result<CpuFn, KernelError> {
    #[cfg(target_arch = "x86_64")]
    if cpu_packed::takes(level, ActFormat::from_word(c.act)) {
        return cpu_packed::version(level, c).ok_or_else(|| {
            let what = format!("width {} from {} with formats {} and {}", c.f, c.k, c.act, c.act_out);
            KernelError::Unsupported { kernel: "matmul_glu", what }
        });
    }
    let _ = (level, c);
    Ok(run)
}

fn check(c: &MatmulGluConsts) -> Result<(), KernelError> {
    let kernel = "matmul_glu";
    let dt = dtype::from_const(kernel, c.dtype)?;
    require(kernel, c.k != 0 && c.f != 0 && c.k.is_multiple_of(dt.block()) && c.activation <= 1, || {
        format!("2 x {} x {} {dt} weights, activation {}", c.f, c.k, c.activation)
    })?;
    // The twin needs whole blocks of whatever format; machines' versions say which they have.
    let out = ActFormat::from_word(c.act_out).filter(|o| c.f.is_multiple_of(o.block()));
    if ActFormat::from_word(c.act).is_none() || out.is_none() {
        let what = format!("formats {} and {}", c.act, c.act_out);
        return Err(KernelError::Unsupported { kernel, what });
    }
    Ok(())
}

/// The plain twin: `matmul`, then `glu`.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: MatmulGluConsts = call.consts();
    let (k, f) = (c.k as usize, c.f as usize);
    let (Some(fmt), Some(out)) = (ActFormat::from_word(c.act), ActFormat::from_word(c.act_out)) else {
        return;
    };
    let (rb, ob) = (fmt.row_bytes(k), out.row_bytes(f));
    let width = out.block() as usize;
    // SAFETY: shapes by the contract; parts own disjoint blocks of output columns.
    unsafe {
        let rows = call.step(0).header().rows as usize;
        let mut x = vec![0f32; rows * k];
        for r in 0..rows {
            act::load(fmt, call.slice::<u8>(1, r * rb, rb), k, &mut x[r * k..(r + 1) * k]);
        }
        let w = call.slice::<u8>(2, 0, call.bufs[2].len);
        let Some(mut m) = Matrix::new(c.dtype, c.layout, w, k) else { return };
        let mut y = vec![0f32; rows * width];
        for block in share(f / width, part, parts) {
            for i in 0..width {
                let j = block * width + i;
                for (r, x) in x.chunks_exact(k).enumerate() {
                    y[r * width + i] = gate(c.activation, m.times(j, x)) * m.times(f + j, x);
                }
            }
            for (r, y) in y.chunks_exact(width).enumerate() {
                let at = r * ob + out.bytes(block * width);
                act::store(out, call.slice_mut::<u8>(3, at, out.bytes(width)), 0, y);
            }
        }
    }
}
