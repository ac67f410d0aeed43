//! `full_attention`: every row sees all rows of its own sequence in the step, before and after it; there is no cache. Sequences of any
//! lengths share a step, and none does work for another's length.

use crate::act::cpu::Row;
use crate::act::{self, ActFormat};
use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, StepView, share};
use crate::cuda::CudaLaunch;
use crate::error::{KernelError, require};
use crate::machine::Version;
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

/// The contract. Bindings: step block; qkv `[rows, 3 * heads * head_dim] f32`, queries first, then keys, then values; out
/// `[rows, heads * head_dim]` in the activation format.
pub static KERNEL: Kernel = Kernel {
    name: "full_attention",
    bindings: &[reads("step"), reads("qkv"), writes("out")],
    consts: FullAttentionConsts::NAMES,
    params: FullAttentionParams::FIELDS,
    rows: Rows::Whole,
    check: typed!(|c: FullAttentionConsts| {
        let holds = c.heads != 0 && c.head_dim != 0 && u64::from(c.heads) * u64::from(c.head_dim) <= 1 << 24;
        require("full_attention", holds, || format!("{} heads of {}", c.heads, c.head_dim))?;
        act::check("full_attention", c.act, c.head_dim)
    }),
    units: typed!(|c: FullAttentionConsts| c.heads.saturating_mul(c.max_rows)),
    cost: typed!(|c: FullAttentionConsts, load| {
        let (rows, width) = (u64::from(load.rows), u64::from(c.heads) * u64::from(c.head_dim));
        let act = ActFormat::from_word(c.act).unwrap_or(ActFormat::F32);
        Cost {
            weight_bytes: 0,
            other_bytes: rows * (12 * width + act.row_bytes(width as usize) as u64),
            flops: 4 * rows * u64::from(load.kv_len) * width,
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
            let source = const { &[include_str!("full_attention.cu")] };
            let units = c.max_rows.saturating_mul(c.heads).div_ceil(4);
            Ok(CudaLaunch::plain(source, units.min(gpu.multiprocessors * 8).max(1), 128))
        })),
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
            let q = vector(r, 0, head);
            let dot = |k: &[f32]| q.iter().zip(k).map(|(a, b)| a * b).sum::<f32>() * scale;
            let scores: Vec<f32> = run.clone().map(|j| dot(vector(j as usize, 1, head))).collect();
            let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let weights: Vec<f32> = scores.iter().map(|s| (s - most).exp()).collect();
            let sum: f32 = weights.iter().sum();
            let mut out = vec![0f32; hd];
            for (j, w) in run.zip(&weights) {
                out.iter_mut().zip(vector(j as usize, 2, head)).for_each(|(o, v)| *o += w / sum * v);
            }
            let row = Row { call, binding: 2, format, row: r, k: h * hd };
            act::store(format, row.bytes(head * hd..(head + 1) * hd), 0, &out);
        }
    }
}
