//! `full_attention`: every row sees all rows of its own sequence in the step, before and after it, or those of a window around it; there
//! is no cache. Sequences of any lengths share a step, and none does work for another's length. A bias by the distance of a key may be
//! added to its score (Shaw et al., "Self-Attention with Relative Position Representations", 2018; buckets as in Raffel et al.,
//! "Exploring the Limits of Transfer Learning", 2020).

use crate::act::cpu::Row;
use crate::act::{self, ActFormat};
use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, StepView, share};
use crate::cuda::CudaLaunch;
use crate::error::{KernelError, require};
use crate::machine::Version;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;
use std::ops::Range;

mod cpu;

shared! {
    /// Compile-time constants.
    pub struct FullAttentionConsts {
        /// Heads of queries, keys and values.
        pub heads: u32,
        /// Width of one.
        pub head_dim: u32,
        /// Rows before a row, and rows after it, that it sees; 0 for all.
        pub window: u32,
        /// Distances up to this one, to either side, have a bias of their own; farther ones have that of the farthest. 0 for no bias.
        pub reach: u32,
        /// Rows of the table of biases; at least 1.
        pub buckets: u32,
        /// Output [`ActFormat`].
        pub act: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }

    /// Parameters.
    pub struct FullAttentionParams {
        /// Factor on the scores.
        pub scale: f32,
    }
}

/// The largest [`FullAttentionConsts::reach`].
pub const MAX_REACH: u32 = 128;

/// Queries of a block of `units.cu`, which says so too.
const CHUNK: u32 = 64;

/// The contract. Bindings: step block; qkv `[rows, 3 * heads * head_dim] f32`, queries first, then keys, then values; near
/// `[2 * reach + 1] u32`, the row of the table of biases for each distance of a key, from `-reach` (a key before the query) up; bias
/// `[buckets, heads] f32`, added to scaled scores; out `[rows, heads * head_dim]` in the activation format. Where `reach` is 0, nobody
/// reads near and bias.
pub static KERNEL: Kernel = Kernel {
    name: "full_attention",
    bindings: &[reads("step"), reads("qkv"), reads("near"), reads("bias"), writes("out")],
    consts: FullAttentionConsts::NAMES,
    params: FullAttentionParams::FIELDS,
    rows: Rows::Whole,
    check: typed!(|c: FullAttentionConsts| {
        let holds = c.heads != 0 && c.head_dim != 0 && u64::from(c.heads) * u64::from(c.head_dim) <= 1 << 24;
        require("full_attention", holds, || format!("{} heads of {}", c.heads, c.head_dim))?;
        require("full_attention", c.window <= 1 << 24 && c.reach <= MAX_REACH && c.buckets != 0, || {
            format!("a window of {}, biases of {} distances in {} rows", c.window, c.reach, c.buckets)
        })?;
        act::check("full_attention", c.act, c.head_dim)
    }),
    units: typed!(|c: FullAttentionConsts| c.heads.saturating_mul(c.max_rows)),
    cost: typed!(|c: FullAttentionConsts, load| {
        let (rows, width) = (u64::from(load.rows), u64::from(c.heads) * u64::from(c.head_dim));
        let act = ActFormat::from_word(c.act).unwrap_or(ActFormat::F32);
        let seen = if c.window == 0 { u64::MAX } else { 2 * u64::from(c.window) + 1 };
        Cost {
            weight_bytes: 0,
            other_bytes: rows * (12 * width + act.row_bytes(width as usize) as u64),
            flops: 4 * rows * u64::from(load.kv_len).min(seen) * width,
        }
    }),
    versions: &[
        Version::Cpu(typed!(|level, c: FullAttentionConsts| Ok(cpu::select(level, &c)))),
        Version::Cuda(typed!(|c: FullAttentionConsts, gpu| {
            let kernel = "full_attention";
            crate::cuda::check_act(kernel, c.act)?;
            if c.head_dim > 256 {
                let what = format!("heads of {} on CUDA", c.head_dim);
                return Err(KernelError::Unsupported { kernel, what });
            }
            let (source, units): (&'static [&'static str], _) = if c.head_dim.is_multiple_of(16) {
                let units = c.max_rows.div_ceil(CHUNK).saturating_mul(c.heads);
                (const { &[include_str!("../attention/mma.cuh"), include_str!("units.cu")] }, units)
            } else {
                let units = c.max_rows.saturating_mul(c.heads).div_ceil(4);
                (const { &[include_str!("full_attention.cu")] }, units)
            };
            Ok(CudaLaunch::plain(source, units.min(gpu.multiprocessors * 8).max(1), 128))
        })),
        Version::Vulkan(typed!(|c: FullAttentionConsts, _| {
            let kernel = "full_attention";
            crate::vulkan::check_act(kernel, c.act)?;
            crate::vulkan::check_head(kernel, c.head_dim)?;
            VulkanLaunch::new(kernel, include_bytes!("full_attention.spv"), c.heads, c.max_rows)
        })),
        Version::Metal(include_str!("full_attention.metal")),
    ],
};

/// The rows of the sequence that row `r` belongs to.
pub(crate) fn run_of(step: &StepView<'_>, r: u32) -> Range<u32> {
    let (rows, seq) = (step.header().rows, step.row(r).seq);
    let mut run = r..r + 1;
    while run.start > 0 && step.row(run.start - 1).seq == seq {
        run.start -= 1;
    }
    while run.end < rows && step.row(run.end).seq == seq {
        run.end += 1;
    }
    run
}

/// Those of `run` that rows `first` to `last` see together.
fn seen(window: u32, run: &Range<usize>, first: usize, last: usize) -> Range<usize> {
    match window as usize {
        0 => run.clone(),
        w => first.saturating_sub(w).max(run.start)..(last + w + 1).min(run.end),
    }
}

/// What is added to the score of a key `distance` rows after its query (before it, where that is negative); 0 without a bias.
///
/// # Safety
/// Bindings 2 and 3 are the contract's, and `head` is below `heads`.
unsafe fn bias_of(call: &Call<'_>, c: &FullAttentionConsts, distance: i64, head: usize) -> f32 {
    if c.reach == 0 {
        return 0.0;
    }
    let reach = i64::from(c.reach);
    let at = (distance.clamp(-reach, reach) + reach) as usize;
    // SAFETY: `at` is within the table of distances, and the row that it names is clamped to the table of biases.
    unsafe {
        let bucket = call.slice::<u32>(2, at, 1)[0].min(c.buckets - 1) as usize;
        call.slice::<f32>(3, bucket * c.heads as usize + head, 1)[0]
    }
}

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: FullAttentionConsts = call.consts();
    let scale = call.params::<FullAttentionParams>().scale;
    let (h, hd) = (c.heads as usize, c.head_dim as usize);
    let Some(format) = ActFormat::from_word(c.act) else { return };
    // SAFETY: shapes by the contract; parts own disjoint (row, head) pairs.
    unsafe {
        let step = call.step(0);
        let vector = |row: usize, which: usize, head: usize| {
            call.slice::<f32>(1, (row * 3 + which) * h * hd + head * hd, hd)
        };
        for unit in share(step.header().rows as usize * h, part, parts) {
            let (r, head) = (unit / h, unit % h);
            let run = run_of(&step, r as u32);
            let run = seen(c.window, &(run.start as usize..run.end as usize), r, r);
            let q = vector(r, 0, head);
            let dot = |k: &[f32]| q.iter().zip(k).map(|(a, b)| a * b).sum::<f32>() * scale;
            let bias = |j: usize| bias_of(call, &c, j as i64 - r as i64, head);
            let scores: Vec<f32> = run.clone().map(|j| dot(vector(j, 1, head)) + bias(j)).collect();
            let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let weights: Vec<f32> = scores.iter().map(|s| (s - most).exp()).collect();
            let sum: f32 = weights.iter().sum();
            let mut out = vec![0f32; hd];
            for (j, w) in run.zip(&weights) {
                out.iter_mut().zip(vector(j, 2, head)).for_each(|(o, v)| *o += w / sum * v);
            }
            let row = Row { call, binding: 4, format, row: r, k: h * hd };
            act::store(format, row.bytes(head * hd..(head + 1) * hd), 0, &out);
        }
    }
}
