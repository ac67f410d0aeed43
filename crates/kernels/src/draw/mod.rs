//! `draw`: a sequence's filters in the order that it asks for, then a draw from what they keep: the choice of tables that draw
//! with all samplers, in the place of `sample`. Where a sequence asks for min-p and temperature alone, it draws the same tokens.
//!
//! Each filter keeps a run of the tokens as they are sorted by logit, the lower id first among equals. So what is kept is two bounds,
//! and nothing is sorted but a short list, once what is kept fits into one. Before that a bound is found by sums over bins. A
//! token's probability relative to the best one's is a whole number of 2^-40ths, made of the same roundings everywhere; a sum has one
//! value, whatever its order, and every device keeps the same tokens.
//!
//! The definitions are those of llama.cpp's samplers of the same names, where a filter sees the probabilities of what the ones before it
//! kept.

mod chain;
mod mass;

pub(crate) use chain::{LOWEST, key, logit, token};
pub use chain::{draw, draw_from};
pub use mass::{log_total, mass};

use crate::contract::{Cost, Kernel, Rows, reads, typed, updates, writes};
use crate::cpu::{Call, share};
use crate::cuda::CudaLaunch;
use crate::error::require;
use crate::machine::Version;
use crate::pick::{Pick, chunks};
use crate::sample::NOISE;
use crate::sampler::Sampler;
use crate::step::Position;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;
use std::sync::atomic::{AtomicU32, Ordering};

/// CUDA's text of keys and masses.
pub(crate) const MASS: &str = include_str!("mass.cuh");

shared! {
    /// Compile-time constants.
    pub struct DrawConsts {
        /// Vocabulary size.
        pub vocab: u32,
        /// Vocabulary entries per chunk.
        pub chunk: u32,
        /// Head rows the table was built for.
        pub max_rows: u32,
        /// Slots of one sequence's token belt.
        pub max_seq: u32,
    }
}

/// The contract. Bindings: step block; samplers `[seqs]`; logits `[head_rows, vocab] f32`; best `[head_rows, chunks]` picks of
/// `logits_max`; mirostat's bound for each token that is drawn, `[seqs, max_seq] f32`; out `[head_rows]` picks.
pub static KERNEL: Kernel = Kernel {
    name: "draw",
    bindings: &[
        reads("step"),
        reads("samplers"),
        reads("logits"),
        reads("best"),
        updates("mirostat"),
        writes("picks"),
    ],
    consts: DrawConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: DrawConsts| {
        require("draw", c.vocab != 0 && c.chunk != 0 && c.max_seq != 0, || {
            format!("vocabulary of {} in chunks of {}, {} token slots", c.vocab, c.chunk, c.max_seq)
        })
    }),
    units: typed!(|c: DrawConsts| c.max_rows.max(1)),
    cost: typed!(|c: DrawConsts, load| {
        let n = u64::from(load.head_rows) * u64::from(c.vocab);
        Cost { weight_bytes: 0, other_bytes: n * 4, flops: n * 2 }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: DrawConsts, _| {
            // A block to a head.
            let source = const { &[NOISE, MASS, include_str!("draw.cu")] };
            Ok(CudaLaunch::plain(source, c.max_rows, 1024))
        })),
        Version::Vulkan(typed!(|c: DrawConsts, _| {
            let launch = VulkanLaunch::new("draw", include_bytes!("draw.spv"), c.max_rows, 1)?;
            Ok(VulkanLaunch { invocations: crate::vulkan::WIDE, ..launch })
        })),
        Version::Metal(include_str!("draw.metal")),
    ],
};

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: DrawConsts = call.consts();
    let v = c.vocab as usize;
    let n = chunks(v, c.chunk as usize);
    // SAFETY: shapes by the contract; parts own disjoint heads. Bounds are atomic: where a step verifies drafts, one head writes the
    // bound that another of its sequence reads (whoever asks for mirostat has no drafts; nothing else uses the value).
    unsafe {
        let step = call.step(0);
        for r in share(step.header().head_rows as usize, part, parts) {
            let place = step.row(step.head_row(r as u32));
            let seq = step.seq(place.seq);
            let sampler = call.slice::<Sampler>(1, place.seq.index(), 1)[0];
            let bests = call.slice::<Pick>(3, r * n, n);
            let best = bests.iter().fold(Pick::NONE, |a, b| a.better(*b));
            let x = call.slice::<f32>(2, r * v, v);
            let (pos, slots) = (place.pos.next(), c.max_seq as usize);
            let slot = |p: Position| {
                let at = (p.index() < slots).then(|| place.seq.index() * slots + p.index());
                at.map(|at| AtomicU32::from_ptr(call.bufs[4].ptr.cast::<u32>().add(at)))
            };
            let mut bound = slot(pos).map_or(0.0, |b| f32::from_bits(b.load(Ordering::Relaxed)));
            let pick = draw_from(x, best, &sampler, seq.temperature, seq.seed, pos, &mut bound);
            if let (true, Some(b)) = (sampler.mirostat_tau > 0.0, slot(pos.next())) {
                b.store(bound.to_bits(), Ordering::Relaxed);
            }
            call.slice_mut::<Pick>(5, r, 1)[0] = pick;
        }
    }
}
