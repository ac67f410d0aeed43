//! `dequantize`: a whole weight matrix as 16-bit floats, row after row, for products of many rows on matrix units.

use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::cuda::{CudaLaunch, Gpu};
use crate::dtype::{self, DType, Layout};
use crate::error::{KernelError, require};
use crate::machine::Version;
use crate::words::shared;
use half::{bf16, f16};

shared! {
    /// Compile-time constants.
    pub struct DequantizeConsts {
        /// Weight [`DType`].
        pub dtype: u32,
        /// Weight [`Layout`].
        pub layout: u32,
        /// Width of a row; a multiple of 8.
        pub k: u32,
        /// Rows.
        pub n: u32,
        /// [`DType`] to write: f16 (saturated) or bf16.
        pub to: u32,
    }
}

/// The contract. Bindings: step block; w `[n, k]`; out `[n, k]` native. A step without rows writes nothing.
pub static KERNEL: Kernel = Kernel {
    name: "dequantize",
    bindings: &[reads("step"), reads("w"), writes("out")],
    consts: DequantizeConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: DequantizeConsts| {
        let kernel = "dequantize";
        let dt = dtype::from_const(kernel, c.dtype)?;
        let holds = c.k != 0 && c.n != 0 && c.k.is_multiple_of(dt.block().max(8)) && c.layout <= 2;
        require(kernel, holds, || format!("{} x {} {dt} weights in layout {}", c.n, c.k, c.layout))?;
        match DType::from_ggml(c.to) {
            Some(DType::F16 | DType::Bf16) => Ok(()),
            _ => Err(KernelError::Unsupported { kernel, what: format!("output type id {}", c.to) }),
        }
    }),
    units: typed!(|c: DequantizeConsts| c.n),
    cost: typed!(|c: DequantizeConsts, load| {
        if load.rows.0 == 0 {
            return Cost::default();
        }
        let (k, n) = (u64::from(c.k), u64::from(c.n));
        let dt = DType::from_ggml(c.dtype).unwrap_or(DType::F32);
        Cost { weight_bytes: n * dt.row_bytes(k), other_bytes: 2 * n * k, flops: n * k }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: DequantizeConsts, gpu| cuda(&c, gpu))),
    ],
};

fn cuda(c: &DequantizeConsts, gpu: &Gpu) -> Result<CudaLaunch, KernelError> {
    let float = matches!(DType::from_ggml(c.dtype), Some(DType::F32 | DType::F16 | DType::Bf16));
    let layout = Layout::from_word(c.layout);
    if layout != if float { Layout::Native } else { Layout::Planes } {
        let what = format!("layout {} on CUDA", layout.name());
        return Err(KernelError::Unsupported { kernel: "dequantize", what });
    }
    let source = const {
        &[
            include_str!("../dtype/codes.cuh"),
            include_str!("../dtype/dequant.cuh"),
            include_str!("dequantize.cu"),
        ]
    };
    Ok(CudaLaunch::plain(source, gpu.multiprocessors * 8, 256))
}

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: DequantizeConsts = call.consts();
    let (k, n) = (c.k as usize, c.n as usize);
    let Some(dt) = DType::from_ggml(c.dtype) else { return };
    let mut row = vec![0f32; k];
    // SAFETY: shapes by the contract; parts own disjoint rows.
    unsafe {
        if call.step(0).header().rows == 0 {
            return;
        }
        let w = call.slice::<u8>(1, 0, call.bufs[1].len);
        for j in share(n, part, parts) {
            dtype::dequantize_row(dt, Layout::from_word(c.layout), w, k, j, &mut row);
            for (o, v) in call.slice_mut::<u16>(2, j * k, k).iter_mut().zip(&row) {
                *o = if c.to == DType::F16 as u32 {
                    f16::from_f32(v.clamp(-65504.0, 65504.0)).to_bits()
                } else {
                    bf16::from_f32(*v).to_bits()
                };
            }
        }
    }
}
