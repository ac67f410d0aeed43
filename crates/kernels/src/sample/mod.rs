//! `sample`: temperature and min-p sampling as Gumbel-max: the argmax of logit / temperature + Gumbel noise is a
//! draw from the softmax (Gumbel, 1954; Maddison et al., "A* Sampling", 2014). The noise is a hash of (seed,
//! position, token id), so a draw depends on nothing else: not on chunking, devices' order of work or history.
//!
//! Min-p keeps the tokens whose probability is at least `min_p` times the best one's, after temperature.

use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::cuda::CudaLaunch;
use crate::logits_max::LogitsConsts;
use crate::machine::Version;
use crate::pick::{Pick, chunks};
use crate::step::{Position, Token};

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
            let source = const { &[include_str!("sample.cu")] };
            let launch = CudaLaunch::plain(source, blocks, 512);
            Ok(CudaLaunch { grid: [blocks, rows, 1], ..launch })
        })),
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
                let x = call.slice::<f32>(1, r * v + from, chunk.min(v - from));
                noisy_best(x, from as u32, max, seq.temperature, seq.min_p, seq.seed, place.pos.next())
            } else {
                bests[unit % n]
            };
            call.slice_mut::<Pick>(3, unit, 1)[0] = pick;
        }
    }
}

/// The best of a chunk after noise, among the tokens that min-p keeps. `pos` is the drawn token's position.
pub fn noisy_best(
    x: &[f32],
    from: u32,
    max: f32,
    temperature: f32,
    min_p: f32,
    seed: u64,
    pos: Position,
) -> Pick {
    let inv = 1.0 / temperature;
    // p_i >= min_p * p_max  <=>  (x_i - max) / T >= ln(min_p). The best token is kept whatever the settings.
    let floor = if min_p > 0.0 { (max + temperature * min_p.ln()).min(max) } else { f32::NEG_INFINITY };
    let mut best = Pick::NONE;
    for (i, l) in x.iter().enumerate() {
        if *l >= floor {
            let (token, score) = (Token(from + i as u32), (l - max) * inv);
            let bits = noise_bits(seed, pos, token);
            // The logarithms are most of the work, and most tokens cannot win whatever they come to. (Not a number is no
            // reason to pass over it.)
            if score + noise_bound(bits) < best.score {
                continue;
            }
            best = best.better(Pick { score: score + from_uniform(bits), token });
        }
    }
    best
}

/// Standard Gumbel noise from a counter, always finite: from -2.9 to 22.9.
pub fn gumbel(seed: u64, pos: Position, token: Token) -> f32 {
    from_uniform(noise_bits(seed, pos, token))
}

/// Of what [`gumbel`] is made.
fn noise_bits(seed: u64, pos: Position, token: Token) -> u32 {
    (hash(seed, pos, token) >> 32) as u32
}

/// A bound on [`from_uniform`]: -ln(-ln(1 - v)) <= -ln(v), and v >= 2^-(1 + leading zeros). With room for the logarithms'
/// rounding.
pub fn noise_bound(bits: u32) -> f32 {
    (bits.leading_zeros() + 1) as f32 * std::f32::consts::LN_2 + 1e-3
}

/// -ln(-ln(1 - v)) with v = (bits + 0.5) / 2^32. The winners have a small v, which keeps its resolution in f32
/// where 1 - v would lose it; v itself must not round up to 1, whose noise would be infinite.
pub fn from_uniform(bits: u32) -> f32 {
    let v = ((bits as f32 + 0.5) * (1.0 / 4_294_967_296.0)).min(1.0 - f32::EPSILON / 2.0);
    -(-(-v).ln_1p()).ln()
}

/// A 64-bit mix of the three words: two rounds of the SplitMix64 finalizer (Steele et al., 2014).
pub fn hash(seed: u64, pos: Position, token: Token) -> u64 {
    mix(mix(seed ^ 0x9e37_79b9_7f4a_7c15) ^ (u64::from(pos.0) << 32 | u64::from(token.0)))
}

fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
