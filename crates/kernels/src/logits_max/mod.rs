//! `logits_max`: the best logit of each chunk of the vocabulary; the greedy choice and the ground for min-p.

use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::cuda::CudaLaunch;
use crate::error::{KernelError, require};
use crate::machine::Version;
use crate::step::Token;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

pub use crate::pick::{Pick, chunks};

shared! {
    /// Compile-time constants, shared by the sampling kernels.
    pub struct LogitsConsts {
        /// Vocabulary size.
        pub vocab: u32,
        /// Vocabulary entries per chunk.
        pub chunk: u32,
        /// Head rows the table was built for.
        pub max_rows: u32,
    }
}

/// The contract. Bindings: step block; logits `[head_rows, vocab] f32`; out `[head_rows, chunks]` [`Pick`]s.
pub static KERNEL: Kernel = Kernel {
    name: "logits_max",
    bindings: &[reads("step"), reads("logits"), writes("best")],
    consts: LogitsConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: LogitsConsts| c.check("logits_max")),
    units: typed!(|c: LogitsConsts| c.units()),
    cost: typed!(|c: LogitsConsts, load| {
        let n = u64::from(load.head_rows) * u64::from(c.vocab);
        Cost { weight_bytes: 0, other_bytes: n * 4, flops: n }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: LogitsConsts, gpu| {
            let source = const { &[include_str!("logits_max.cu")] };
            Ok(CudaLaunch::plain(source, c.units().div_ceil(8).min(gpu.multiprocessors * 8), 256))
        })),
        Version::Vulkan(typed!(|c: LogitsConsts, _| {
            let chunks = c.vocab.div_ceil(c.chunk);
            Ok(VulkanLaunch::around(include_bytes!("logits_max.spv"), chunks, c.max_rows))
        })),
        Version::Metal(include_str!("logits_max.metal")),
    ],
};

impl LogitsConsts {
    /// What a kernel over the logits asks.
    pub(crate) fn check(&self, kernel: &'static str) -> Result<(), KernelError> {
        require(kernel, self.vocab != 0 && self.chunk != 0, || {
            format!("vocabulary of {} in chunks of {}", self.vocab, self.chunk)
        })
    }

    /// Chunks of all rows.
    pub(crate) const fn units(&self) -> u32 {
        self.vocab.div_ceil(if self.chunk == 0 { 1 } else { self.chunk }).saturating_mul(self.max_rows)
    }
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
    if max == f32::NEG_INFINITY {
        return Pick::NONE;
    }
    // Sixteen at a time without a way out among them, so that they are compared together.
    let blocks = x.chunks_exact(16).take_while(|b| !b.iter().fold(false, |found, v| found | (*v == max)));
    let before = 16 * blocks.count();
    match x[before..].iter().position(|v| *v == max) {
        Some(i) => Pick { score: max, token: Token(from + (before + i) as u32) },
        None => Pick::NONE,
    }
}
