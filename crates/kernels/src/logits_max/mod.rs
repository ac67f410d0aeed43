//! `logits_max`: the best logit of each chunk of the vocabulary; the greedy choice and the ground for min-p.

use crate::contract::{Access, Cost, Kernel, KernelError, Load, binding, consts_of, require};
use crate::cpu::{Call, share};
use crate::cuda::CudaLaunch;
use bytemuck::{Pod, Zeroable};

/// Chunks of a vocabulary of `chunk` entries each.
pub const fn chunks(vocab: usize, chunk: usize) -> usize {
    vocab.div_ceil(chunk)
}

/// Compile-time constants, shared by the sampling kernels.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct LogitsConsts {
    /// Vocabulary size.
    pub vocab: u32,
    /// Vocabulary entries per chunk.
    pub chunk: u32,
    /// Head rows the table was built for.
    pub max_rows: u32,
}

/// A candidate: its score and token id.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Pick {
    /// Logit, or logit plus noise; NaN never wins.
    pub score: f32,
    /// Token id.
    pub token: u32,
}

impl Pick {
    /// Loses to everything.
    pub const NONE: Self = Self { score: f32::NEG_INFINITY, token: u32::MAX };

    /// The better of two; the lower id wins ties, so the result does not depend on the order of work.
    pub fn better(self, o: Self) -> Self {
        if o.score > self.score || o.score == self.score && o.token < self.token { o } else { self }
    }
}

/// The contract. Bindings: step block; logits `[head_rows, vocab] f32`; out `[head_rows, chunks]` [`Pick`]s.
pub static KERNEL: Kernel = Kernel {
    name: "logits_max",
    bindings: &[
        binding("step", Access::Read),
        binding("logits", Access::Read),
        binding("best", Access::Write),
    ],
    consts: &["vocab", "chunk", "max_rows"],
    params: 0,
    units: |c| c[0].div_ceil(c[1].max(1)).saturating_mul(c[2]),
    cost: |c, load: Load| {
        let n = u64::from(load.head_rows) * u64::from(c[0]);
        Cost { weight_bytes: 0, other_bytes: n * 4, flops: n }
    },
    cpu: |_, consts| check("logits_max", consts).map(|()| run as _),
    cuda: Some(|consts, gpu| {
        check("logits_max", consts)?;
        let units = (KERNEL.units)(consts).div_ceil(8);
        let source = const { &[include_str!("logits_max.cu")] };
        Ok(CudaLaunch::plain(source, units.min(gpu.multiprocessors * 8), 256))
    }),
};

/// Checks the constants of a kernel over the logits.
pub(crate) fn check(kernel: &'static str, consts: &[u32]) -> Result<(), KernelError> {
    let c: LogitsConsts = consts_of(kernel, consts)?;
    require(kernel, c.vocab != 0 && c.chunk != 0, || {
        format!("vocabulary of {} in chunks of {}", c.vocab, c.chunk)
    })
}

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: LogitsConsts = call.consts();
    let (v, chunk) = (c.vocab as usize, c.chunk as usize);
    let n = chunks(v, chunk);
    // SAFETY: shapes by the contract; parts own disjoint chunks.
    unsafe {
        let rows = call.step(0).header().head_rows as usize;
        for unit in share(rows * n, part, parts) {
            let (r, from) = (unit / n, unit % n * chunk);
            let x = call.slice::<f32>(1, r * v + from, chunk.min(v - from));
            call.slice_mut::<Pick>(2, unit, 1)[0] = best(x, from as u32);
        }
    }
}

/// The best of a chunk whose first id is `from`: a vectorisable maximum, then its first place.
fn best(x: &[f32], from: u32) -> Pick {
    let mut m = [f32::NEG_INFINITY; 16];
    let chunks = x.chunks_exact(16);
    let mut max = chunks.remainder().iter().fold(f32::NEG_INFINITY, |a, b| a.max(*b));
    for b in chunks {
        for i in 0..16 {
            m[i] = if b[i] > m[i] { b[i] } else { m[i] };
        }
    }
    max = m.iter().fold(max, |a, b| a.max(*b));
    match x.iter().position(|v| *v == max) {
        Some(i) if max > f32::NEG_INFINITY => Pick { score: max, token: from + i as u32 },
        _ => Pick::NONE,
    }
}
