//! `log_probs`: log-probabilities of what was drawn and of the likeliest tokens, for sequences that ask: the logarithm of the softmax of
//! the model's own logits, before biases, penalties, filters and temperature, as OpenAI's interface and llama.cpp's have them.
//!
//! The sum is of whole numbers ([`mass`]), so it has one value in any order, and every device gives the same bits. Records lie in a ring
//! by position, so that the device goes on for many steps before the host reads them.

use crate::contract::{Cost, Kernel, Rows, reads, typed, updates};
use crate::cpu::{Call, share};
use crate::cuda::CudaLaunch;
use crate::draw::{LOWEST, MASS, key, log_total, logit, mass, token};
use crate::error::require;
use crate::machine::Version;
use crate::pick::Pick;
use crate::sample::NOISE;
use crate::sampler::{LOGPROB_RECORDS, LogProbs, MAX_LOGPROBS, Sampler};
use crate::step::{Position, Token};
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct LogProbsConsts {
        /// Vocabulary size.
        pub vocab: u32,
        /// Head rows the table was built for.
        pub max_rows: u32,
    }
}

const TOP: usize = MAX_LOGPROBS as usize;

/// The contract. Bindings: step block; samplers `[seqs]`; raw logits `[head_rows, vocab] f32`, in use where a sequence asks; picks
/// `[head_rows]` of `draw`; records `[seqs, 64]`.
pub static KERNEL: Kernel = Kernel {
    name: "log_probs",
    bindings: &[reads("step"), reads("samplers"), reads("raw_logits"), reads("picks"), updates("log_probs")],
    consts: LogProbsConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: LogProbsConsts| {
        require("log_probs", c.vocab != 0, || format!("vocabulary of {}", c.vocab))
    }),
    units: typed!(|c: LogProbsConsts| c.max_rows.max(1)),
    cost: |_, load| {
        // Who asks for nothing costs nothing.
        let n = u64::from(load.head_rows);
        Cost { weight_bytes: 0, other_bytes: n * 12, flops: n }
    },
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: LogProbsConsts, _| {
            // A block to a head.
            let source = const { &[NOISE, MASS, include_str!("log_probs.cu")] };
            let defines = vec![("RECORDS", LOGPROB_RECORDS), ("TOP", MAX_LOGPROBS)];
            Ok(CudaLaunch { defines, ..CudaLaunch::plain(source, c.max_rows, 1024) })
        })),
        Version::Vulkan(typed!(|c: LogProbsConsts, _| {
            VulkanLaunch::new("log_probs", include_bytes!("log_probs.spv"), c.max_rows, 1)
        })),
        Version::Metal(include_str!("log_probs.metal")),
    ],
};

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: LogProbsConsts = call.consts();
    let v = c.vocab as usize;
    // SAFETY: shapes by the contract; parts own disjoint heads. Heads of one step differ in their sequence, or stand less than a ring
    // apart in one (`device` checks a batch's, a session's rows follow each other), so they write different records.
    unsafe {
        let step = call.step(0);
        for r in share(step.header().head_rows as usize, part, parts) {
            let place = step.row(step.head_row(r as u32));
            let asked = call.slice::<Sampler>(1, place.seq.index(), 1)[0].logprobs;
            if asked == 0 {
                continue;
            }
            let pos = place.pos.next();
            let drawn = call.slice::<Pick>(3, r, 1)[0].token;
            let record = log_probs(call.slice::<f32>(2, r * v, v), drawn, asked - 1, pos);
            let at = (place.seq.0 * LOGPROB_RECORDS + pos.0 % LOGPROB_RECORDS) as usize;
            call.slice_mut::<LogProbs>(4, at, 1)[0] = record;
        }
    }
}

/// The record of a token that was drawn at a position, with so many of the likeliest ones.
pub fn log_probs(x: &[f32], drawn: Token, top: u32, pos: Position) -> LogProbs {
    // NaN is never the greater one.
    let best = x.iter().fold(f32::NEG_INFINITY, |a, b| if *b > a { *b } else { a });
    let mut record = LogProbs { token: drawn, log_prob: f32::NEG_INFINITY, pos, ..LogProbs::default() };
    if !best.is_finite() {
        return record;
    }
    let top = (top as usize).min(TOP);
    let (mut total, mut keys, mut n) = (0u64, [0u64; TOP], 0);
    let greatest = key(best, Token(0));
    for (i, l) in x.iter().enumerate() {
        total += mass(*l - best);
        let key = key(*l, Token(i as u32));
        // Neither NaN nor minus infinity lies between the two.
        if !(LOWEST..=greatest).contains(&key) || n == top && (n == 0 || key <= keys[n - 1]) {
            continue;
        }
        let at = keys[..n].partition_point(|k| *k > key);
        n = (n + 1).min(top);
        keys[at..n].rotate_right(1);
        keys[at] = key;
    }
    let all = log_total(total);
    let of = |l: f32| if l.is_nan() { f32::NEG_INFINITY } else { (l - best) - all };
    record.log_prob = x.get(drawn.index()).map_or(f32::NEG_INFINITY, |l| of(*l));
    record.count = n as u32;
    for (i, key) in keys[..n].iter().enumerate() {
        (record.top[i], record.top_log_probs[i]) = (token(*key), of(logit(*key)));
    }
    record
}
