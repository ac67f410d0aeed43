//! `dequantize`: a whole weight matrix as 16-bit floats, row after row, for products of many rows on matrix units.

use crate::contract::{Access, Cost, Kernel, KernelError, Load, binding, consts_of, require};
use crate::cpu::{Call, share};
use crate::cuda::{CudaLaunch, Gpu, Overlap};
use crate::dtype::{self, DType, Layout};
use bytemuck::{Pod, Zeroable};
use half::{bf16, f16};

/// Compile-time constants.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
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

/// The contract. Bindings: step block; w `[n, k]`; out `[n, k]` native. A step without rows writes nothing.
pub static KERNEL: Kernel = Kernel {
    name: "dequantize",
    bindings: &[binding("step", Access::Read), binding("w", Access::Read), binding("out", Access::Write)],
    consts: &["dtype", "layout", "k", "n", "to"],
    params: 0,
    units: |c| c[3],
    cost: |consts, load: Load| {
        let c: DequantizeConsts = crate::contract::from_words(consts);
        if load.rows == 0 {
            return Cost::default();
        }
        let (k, n) = (u64::from(c.k), u64::from(c.n));
        let dt = DType::from_ggml(c.dtype).unwrap_or(DType::F32);
        Cost { weight_bytes: n * dt.row_bytes(k), other_bytes: 2 * n * k, flops: n * k }
    },
    cpu: |_, consts| {
        check(consts)?;
        Ok(run)
    },
    cuda: Some(cuda),
};

fn check(consts: &[u32]) -> Result<DequantizeConsts, KernelError> {
    let c: DequantizeConsts = consts_of("dequantize", consts)?;
    let dt = dtype::from_const("dequantize", c.dtype)?;
    require(
        "dequantize",
        c.k != 0 && c.n != 0 && c.k.is_multiple_of(dt.block().max(8)) && c.layout <= 2,
        || format!("{} x {} {dt} weights in layout {}", c.n, c.k, c.layout),
    )?;
    match DType::from_ggml(c.to) {
        Some(DType::F16 | DType::Bf16) => Ok(c),
        _ => Err(KernelError::Unsupported { kernel: "dequantize", what: format!("output type id {}", c.to) }),
    }
}

fn cuda(consts: &[u32], gpu: &Gpu) -> Result<CudaLaunch, KernelError> {
    let c = check(consts)?;
    let float = matches!(DType::from_ggml(c.dtype), Some(DType::F32 | DType::F16 | DType::Bf16));
    let layout = Layout::from_word(c.layout);
    if layout != if float { Layout::Native } else { Layout::Planes } {
        let what = format!("layout {} on CUDA", layout.name());
        return Err(KernelError::Unsupported { kernel: "dequantize", what });
    }
    Ok(CudaLaunch {
        source: const {
            &[
                include_str!("../dtype/codes.cuh"),
                include_str!("../dtype/dequant.cuh"),
                include_str!("dequantize.cu"),
            ]
        },
        defines: Vec::new(),
        grid: [gpu.multiprocessors * 8, 1, 1],
        block: 256,
        shared: 0,
        maps: Vec::new(),
        overlap: Overlap::Yes,
    })
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
