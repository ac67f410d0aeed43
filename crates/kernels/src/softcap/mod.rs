//! `softcap`: x = cap * tanh(x / cap), in place; bounds the logits of some models.

use crate::contract::{Access, Cost, Kernel, KernelError, Load, binding, consts_of, require};
use crate::cpu::{Call, share};
use crate::cuda::CudaLaunch;
use crate::glu::cuda_blocks;
use bytemuck::{Pod, Zeroable};

/// Compile-time constants.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct SoftcapConsts {
    /// Width of a row.
    pub n: u32,
    /// Rows with logits that the table was built for.
    pub max_rows: u32,
}

/// Parameters.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct SoftcapParams {
    /// The bound; above 0.
    pub cap: f32,
}

/// Values of one unit of work.
const CHUNK: usize = 4096;

/// The contract. Bindings: step block; x `[head_rows, n] f32`.
pub static KERNEL: Kernel = Kernel {
    name: "softcap",
    bindings: &[binding("step", Access::Read), binding("x", Access::ReadWrite)],
    consts: &["n", "max_rows"],
    params: size_of::<SoftcapParams>(),
    units: |c| c[0].div_ceil(CHUNK as u32).saturating_mul(c[1]),
    cost: |consts, load: Load| {
        let n = u64::from(load.head_rows) * u64::from(consts[0]);
        Cost { weight_bytes: 0, other_bytes: 8 * n, flops: 20 * n }
    },
    cpu: |_, consts| check(consts).map(|_| run as _),
    cuda: Some(|consts, gpu| {
        let c = check(consts)?;
        let source = const { &[include_str!("softcap.cu")] };
        Ok(CudaLaunch::plain(source, cuda_blocks(c.max_rows, c.n, gpu), 256))
    }),
};

fn check(consts: &[u32]) -> Result<SoftcapConsts, KernelError> {
    let c: SoftcapConsts = consts_of("softcap", consts)?;
    require("softcap", c.n != 0, || "width 0".into())?;
    Ok(c)
}

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: SoftcapConsts = call.consts();
    let p: SoftcapParams = call.params();
    let n = c.n as usize;
    let chunks = n.div_ceil(CHUNK);
    // SAFETY: shapes by the contract; parts own disjoint pieces of rows.
    unsafe {
        let rows = call.step(0).header().head_rows as usize;
        for unit in share(rows * chunks, part, parts) {
            let from = unit % chunks * CHUNK;
            for x in call.slice_mut::<f32>(1, unit / chunks * n + from, CHUNK.min(n - from)) {
                *x = p.cap * (*x / p.cap).tanh();
            }
        }
    }
}
