//! `expert_combine`: out = residual + the weighted sum of what a row's experts gave.

use crate::contract::{Access, Cost, Kernel, KernelError, Load, binding, consts_of, require};
use crate::cpu::{Call, share};
use crate::cuda::CudaLaunch;
use crate::glu::cuda_blocks;
use crate::route::{Choice, MAX_USED};
use bytemuck::{Pod, Zeroable};

/// Compile-time constants.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct ExpertCombineConsts {
    /// Width of a row.
    pub d: u32,
    /// Experts of a row.
    pub used: u32,
    /// Rows the table was built for.
    pub max_rows: u32,
}

/// The contract. Bindings: step block; routes `[rows, used]` of [`Choice`]; y `[rows * used, d] f32`; residual and out
/// `[rows, d] f32`, which may be the same. The sum is taken in the order of the routes.
pub static KERNEL: Kernel = Kernel {
    name: "expert_combine",
    bindings: &[
        binding("step", Access::Read),
        binding("routes", Access::Read),
        binding("y", Access::Read),
        binding("residual", Access::Read),
        binding("out", Access::Write),
    ],
    consts: &["d", "used", "max_rows"],
    params: 0,
    units: |c| c[2],
    cost: |consts, load: Load| {
        let (rows, d, used) = (u64::from(load.rows), u64::from(consts[0]), u64::from(consts[1]));
        Cost { weight_bytes: 0, other_bytes: rows * d * 4 * (used + 2), flops: 2 * rows * d * used }
    },
    cpu: |_, consts| check(consts).map(|_| run as _),
    cuda: Some(|consts, gpu| {
        let c = check(consts)?;
        let source = const { &[include_str!("expert_combine.cu")] };
        Ok(CudaLaunch::plain(source, cuda_blocks(c.max_rows, c.d.saturating_mul(4), gpu), 256))
    }),
};

fn check(consts: &[u32]) -> Result<ExpertCombineConsts, KernelError> {
    let c: ExpertCombineConsts = consts_of("expert_combine", consts)?;
    require("expert_combine", c.d != 0 && (1..=MAX_USED).contains(&c.used), || {
        format!("width {}, {} experts", c.d, c.used)
    })?;
    Ok(c)
}

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: ExpertCombineConsts = call.consts();
    let (d, used) = (c.d as usize, c.used as usize);
    // SAFETY: shapes by the contract; parts own disjoint rows. The residual may be the output itself, so each value is
    // read before it is written, through pointers and not slices.
    unsafe {
        for r in share(call.step(0).header().rows as usize, part, parts) {
            let routes = call.slice::<Choice>(1, r * used, used);
            let y = call.slice::<f32>(2, r * used * d, used * d);
            let base = call.bufs[3].ptr.cast::<f32>().add(r * d);
            let out = call.bufs[4].ptr.cast::<f32>().add(r * d);
            for i in 0..d {
                let sum = routes.iter().enumerate().fold(0f32, |s, (j, c)| s + c.weight * y[j * d + i]);
                *out.add(i) = *base.add(i) + sum;
            }
        }
    }
}
