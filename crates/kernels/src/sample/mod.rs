//! `sample`: min-p and temperature sampling as Gumbel-max: the argmax of logit / temperature + Gumbel noise is a
//! draw from the softmax (Gumbel, 1954; Maddison et al., "A* Sampling", 2014). The noise is a hash of (seed,
//! position, token id), so a draw depends on nothing else: not on chunking, devices' order of work or history.
//!
//! Min-p keeps the tokens whose probability is at least `min_p` times the best one's, before temperature. All other settings need
//! `adjust` and `draw` in its place, which give the same tokens where there are no others.

mod noise;

use noise::noise_bits;
pub use noise::{from_uniform, gumbel, hash, ln, noise_bound};

use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::cuda::CudaLaunch;
use crate::logits_max::LogitsConsts;
use crate::machine::Version;
use crate::pick::{Pick, chunks};
use crate::step::{Position, Token};
use crate::vulkan::VulkanLaunch;

/// CUDA's text of the noise.
pub(crate) const NOISE: &str = include_str!("noise.cuh");

/// The contract. Bindings: step block; logits `[head_rows, vocab] f32`; best `[head_rows, chunks]` picks of
/// `logits_max`; out `[head_rows, chunks]` picks.
pub static KERNEL: Kernel = Kernel {
    name: "sample",
    bindings: &[reads("step"), reads("logits"), reads("best"), writes("picks")],
    consts: LogitsConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: LogitsConsts| c.check("sample")),
    units: typed!(|c: LogitsConsts| c.units()),
    cost: typed!(|c: LogitsConsts, load| {
        let n = u64::from(load.head_rows) * u64::from(c.vocab);
        Cost { weight_bytes: 0, other_bytes: n * 4, flops: n * 2 }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: LogitsConsts, gpu| {
            // 16 warps to a block: each block reads the best of all chunks, so they are few.
            let blocks = c.vocab.div_ceil(c.chunk).div_ceil(16).min(gpu.multiprocessors);
            let rows = (gpu.multiprocessors * 4 / blocks).clamp(1, c.max_rows.max(1));
            let source = const { &[NOISE, include_str!("sample.cu")] };
            let launch = CudaLaunch::plain(source, blocks, 512);
            Ok(CudaLaunch { grid: [blocks, rows, 1], ..launch })
        })),
        Version::Vulkan(typed!(|c: LogitsConsts, _| {
            let chunks = c.vocab.div_ceil(c.chunk);
            Ok(VulkanLaunch::around(include_bytes!("sample.spv"), chunks, c.max_rows))
        })),
        Version::Metal(include_str!("sample.metal")),
    ],
};

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
        let step = call.step(0);
        let h = step.header();
        for unit in share(h.head_rows as usize * n, part, parts) {
            let (r, from) = (unit / n, unit % n * chunk);
            let place = step.row(step.head_row(r as u32));
            let seq = step.seq(place.seq);
            let bests = call.slice::<Pick>(2, r * n, n);
            // Below the smallest normal number its reciprocal would be infinite, and every score NaN or minus
            // infinity; the draw is the greedy one long before.
            let pick = if seq.temperature >= f32::MIN_POSITIVE {
                let max = bests.iter().fold(Pick::NONE, |a, b| a.better(*b)).score;
                // Where min-p leaves out the best of a chunk, it leaves out all of it.
                if bests[unit % n].score - max >= seq.floor.min(0.0) {
                    let x = call.slice::<f32>(1, r * v + from, chunk.min(v - from));
                    noisy_best(x, from as u32, max, seq.temperature, seq.floor, seq.seed, place.pos.next())
                } else {
                    Pick::NONE
                }
            } else {
                bests[unit % n]
            };
            call.slice_mut::<Pick>(3, unit, 1)[0] = pick;
        }
    }
}

/// The best of a chunk after noise, among the tokens that min-p keeps: those at most `-floor` below the best. `pos` is the drawn
/// token's position.
pub fn noisy_best(
    x: &[f32],
    from: u32,
    max: f32,
    temperature: f32,
    floor: f32,
    seed: u64,
    pos: Position,
) -> Pick {
    let inv = 1.0 / temperature;
    // The best token is kept whatever the settings.
    let floor = floor.min(0.0);
    let mut best = Pick::NONE;
    for (i, l) in x.iter().enumerate() {
        let below = l - max;
        if below >= floor {
            best = best.better_with_noise(below * inv, seed, pos, Token(from + i as u32));
        }
    }
    best
}

impl Pick {
    /// The better of this one and of a token's score with its noise.
    pub(crate) fn better_with_noise(self, score: f32, seed: u64, pos: Position, token: Token) -> Self {
        let bits = noise_bits(seed, pos, token);
        // The logarithms are most of the work, and most tokens cannot win whatever they come to. (Not a number is no
        // reason to pass over it.)
        if score + noise_bound(bits) < self.score {
            return self;
        }
        self.better(Self { score: score + from_uniform(bits), token })
    }
}
