//! `add_bias`: adds a vector to every row, in place.

use crate::contract::{Access, Cost, Kernel, KernelError, Load, binding, consts_of, require};
use crate::cpu::{Call, share};
use crate::cuda::CudaLaunch;
use crate::glu::cuda_blocks;
use bytemuck::{Pod, Zeroable};

/// Compile-time constants.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct AddBiasConsts {
    /// Width of a row.
    pub n: u32,
    /// Rows the table was built for.
    pub max_rows: u32,
}

/// The contract. Bindings: step block; bias `[n] f32`; x `[rows, n] f32`.
pub static KERNEL: Kernel = Kernel {
    name: "add_bias",
    bindings: &[
        binding("step", Access::Read),
        binding("bias", Access::Read),
        binding("x", Access::ReadWrite),
    ],
    consts: &["n", "max_rows"],
    params: 0,
    units: |c| c[1],
    cost: |consts, load: Load| {
        let n = u64::from(load.rows) * u64::from(consts[0]);
        Cost { weight_bytes: 4 * u64::from(consts[0]), other_bytes: 8 * n, flops: n }
    },
    cpu: |_, consts| check(consts).map(|_| run as _),
    cuda: Some(|consts, gpu| {
        let c = check(consts)?;
        let source = const { &[include_str!("add_bias.cu")] };
        Ok(CudaLaunch::plain(source, cuda_blocks(c.max_rows, c.n, gpu), 256))
    }),
};

fn check(consts: &[u32]) -> Result<AddBiasConsts, KernelError> {
    let c: AddBiasConsts = consts_of("add_bias", consts)?;
    require("add_bias", c.n != 0, || "width 0".into())?;
    Ok(c)
}

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: AddBiasConsts = call.consts();
    let n = c.n as usize;
    // SAFETY: shapes by the contract; parts own disjoint rows.
    unsafe {
        let bias = call.slice::<f32>(1, 0, n);
        for r in share(call.step(0).header().rows as usize, part, parts) {
            for (x, b) in call.slice_mut::<f32>(2, r * n, n).iter_mut().zip(bias) {
                *x += b;
            }
        }
    }
}
