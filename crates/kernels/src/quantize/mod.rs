//! `quantize`: f32 rows into an activation format, where the producing kernel cannot write it itself.

use crate::act::{self, ActFormat};
use crate::contract::{Access, Cost, Kernel, KernelError, Load, binding, consts_of, require};
use crate::cpu::{Call, share};
use crate::cuda::CudaLaunch;
use crate::glu::cuda_blocks;
use bytemuck::{Pod, Zeroable};

/// Compile-time constants.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct QuantizeConsts {
    /// Width of a row.
    pub k: u32,
    /// Values from one row of the input to the next.
    pub x_stride: u32,
    /// Output [`ActFormat`].
    pub act: u32,
    /// Rows the table was built for.
    pub max_rows: u32,
}

/// The contract. Bindings: step block; x `[rows, k] f32` with rows `x_stride` apart; out `[rows, k]`.
pub static KERNEL: Kernel = Kernel {
    name: "quantize",
    bindings: &[binding("step", Access::Read), binding("x", Access::Read), binding("out", Access::Write)],
    consts: &["k", "x_stride", "act", "max_rows"],
    params: 0,
    units: |c| c[3],
    cost: |consts, load: Load| {
        let c: QuantizeConsts = crate::contract::from_words(consts);
        let act = ActFormat::from_word(c.act).unwrap_or(ActFormat::F32);
        let rows = u64::from(load.rows);
        let k = c.k as usize;
        Cost {
            weight_bytes: 0,
            other_bytes: rows * (4 * k + act.row_bytes(k)) as u64,
            flops: 2 * rows * k as u64,
        }
    },
    cpu: |_, consts| {
        let c: QuantizeConsts = consts_of("quantize", consts)?;
        require("quantize", c.k != 0 && c.x_stride >= c.k, || format!("width {} at {}", c.k, c.x_stride))?;
        match ActFormat::from_word(c.act) {
            None => Err(KernelError::Unsupported { kernel: "quantize", what: format!("format {}", c.act) }),
            Some(act) if !c.k.is_multiple_of(act.block()) => Err(KernelError::Unsupported {
                kernel: "quantize",
                what: format!("{} of width {}", act.name(), c.k),
            }),
            Some(_) => Ok(run),
        }
    },
    cuda: Some(|consts, gpu| {
        let c: QuantizeConsts = consts_of("quantize", consts)?;
        crate::cuda::check_act("quantize", c.act)?;
        let source = const { &[include_str!("quantize.cu")] };
        Ok(CudaLaunch::plain(source, cuda_blocks(c.max_rows, c.k, gpu), 256))
    }),
};

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: QuantizeConsts = call.consts();
    let Some(fmt) = ActFormat::from_word(c.act) else { return };
    let k = c.k as usize;
    let (from, to) = (c.x_stride as usize, fmt.row_bytes(k));
    // SAFETY: shapes by the contract; parts own disjoint rows; rows start at multiples of 64 bytes.
    unsafe {
        let rows = call.step(0).header().rows as usize;
        for r in share(rows, part, parts) {
            let x = call.slice::<f32>(1, r * from, k);
            act::store(fmt, call.slice_mut::<u8>(2, r * to, to), k, 0, x);
        }
    }
}
