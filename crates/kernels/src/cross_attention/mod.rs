//! `cross_attention`: every row sees all positions of the source that its sequence reads (Vaswani et al., "Attention Is All You Need",
//! 2017, section 3.2.3); `cross_kv` wrote its keys and values.

use crate::act::cpu::Row;
use crate::act::{self, ActFormat};
use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::cross_kv::{self, Places};
use crate::cuda::CudaLaunch;
use crate::error::KernelError;
use crate::kv::KvFormat;
use crate::machine::Version;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;
use half::f16;

pub(crate) mod cpu;

shared! {
    /// Compile-time constants.
    pub struct CrossAttentionConsts {
        /// Heads.
        pub heads: u32,
        /// Width of one.
        pub head_dim: u32,
        /// Positions of a source.
        pub positions: u32,
        /// Sources that there is room for.
        pub sources: u32,
        /// [`KvFormat`] of keys and values: f16 or f32.
        pub format: u32,
        /// Output [`ActFormat`].
        pub act: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }

    /// Parameters.
    pub struct CrossAttentionParams {
        /// Factor on the scores.
        pub scale: f32,
    }
}

/// The contract. Bindings: step block; q `[rows, heads * head_dim] f32`; reads `[seqs] u32`, the source of each sequence; keys and values
/// as `cross_kv` has them; out `[rows, heads * head_dim]` in the activation format. A source beyond the last is the last.
pub static KERNEL: Kernel = Kernel {
    name: "cross_attention",
    bindings: &[reads("step"), reads("q"), reads("reads"), reads("keys"), reads("values"), writes("out")],
    consts: CrossAttentionConsts::NAMES,
    params: CrossAttentionParams::FIELDS,
    rows: Rows::Anywhere,
    check: typed!(|c: CrossAttentionConsts| {
        cross_kv::check("cross_attention", c.heads, c.head_dim, c.positions, c.sources)?;
        cross_kv::check_format("cross_attention", c.format)?;
        act::check("cross_attention", c.act, c.head_dim)
    }),
    units: typed!(|c: CrossAttentionConsts| c.heads.saturating_mul(c.max_rows)),
    cost: typed!(|c: CrossAttentionConsts, load| {
        let (rows, width) = (u64::from(load.rows), u64::from(c.heads) * u64::from(c.head_dim));
        let act = ActFormat::from_word(c.act).unwrap_or(ActFormat::F32);
        let format = KvFormat::from_word(c.format).unwrap_or(KvFormat::F16);
        // (All rows may be of one sequence.)
        let source = 2 * cross_kv::bytes(c.heads, c.head_dim, c.positions, 1, format);
        Cost {
            weight_bytes: 0,
            other_bytes: source + rows * (4 * width + act.row_bytes(width as usize) as u64),
            flops: 4 * rows * u64::from(c.positions) * width,
        }
    }),
    versions: &[
        Version::Cpu(typed!(|level, c: CrossAttentionConsts| Ok(cpu::select(level, &c)))),
        Version::Cuda(typed!(|c: CrossAttentionConsts, gpu| {
            let kernel = "cross_attention";
            crate::cuda::check_act(kernel, c.act)?;
            // Scores and sums lie in shared memory.
            if c.positions > 8192 || c.head_dim > 256 {
                let what = format!("{} positions and heads of {} on CUDA", c.positions, c.head_dim);
                return Err(KernelError::Unsupported { kernel, what });
            }
            let source =
                const { &[include_str!("../cross_kv/cross.cuh"), include_str!("cross_attention.cu")] };
            let units = c.max_rows.saturating_mul(c.heads);
            Ok(CudaLaunch::plain(source, units.min(gpu.multiprocessors * 8), 256))
        })),
        Version::Vulkan(typed!(|c: CrossAttentionConsts, _| {
            let kernel = "cross_attention";
            crate::vulkan::check_act(kernel, c.act)?;
            crate::vulkan::check_head(kernel, c.head_dim)?;
            let launch =
                VulkanLaunch::new(kernel, include_bytes!("cross_attention.spv"), c.heads, c.max_rows)?;
            Ok(VulkanLaunch { invocations: crate::vulkan::WIDE, ..launch })
        })),
        Version::Metal(include_str!("cross_attention.metal")),
    ],
};

/// The source that a row reads.
///
/// # Safety
/// The bindings are the contract's.
unsafe fn source_of(call: &Call<'_>, c: &CrossAttentionConsts, r: usize) -> usize {
    // SAFETY: a device has checked that the row's sequence is one of the list's.
    unsafe {
        let seq = call.step(0).row(r as u32).seq;
        call.slice::<u32>(2, seq.index(), 1)[0].min(c.sources - 1) as usize
    }
}

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: CrossAttentionConsts = call.consts();
    let scale = call.params::<CrossAttentionParams>().scale;
    let p = Places::of(c.heads, c.head_dim, c.positions);
    let (h, hd) = (p.heads, p.head_dim);
    let Some(format) = ActFormat::from_word(c.act) else { return };
    // SAFETY: shapes by the contract; parts own disjoint (row, head) pairs.
    unsafe {
        let element = |binding: usize, at: usize| {
            if c.format == KvFormat::F32 as u32 {
                call.slice::<f32>(binding, at, 1)[0]
            } else {
                call.slice::<f16>(binding, at, 1)[0].to_f32()
            }
        };
        for unit in share(call.step(0).header().rows as usize * h, part, parts) {
            let (r, head) = (unit / h, unit % h);
            let at = p.head(source_of(call, &c, r), head);
            let q = call.slice::<f32>(1, (r * h + head) * hd, hd);
            let score = |j: usize| {
                let terms = q.iter().enumerate().map(|(d, q)| q * element(3, at + d * p.columns + j));
                terms.sum::<f32>() * scale
            };
            let scores: Vec<f32> = (0..c.positions as usize).map(score).collect();
            let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let weights: Vec<f32> = scores.iter().map(|s| (s - most).exp()).collect();
            let sum: f32 = weights.iter().sum();
            let mut out = vec![0f32; hd];
            for (j, w) in weights.iter().enumerate() {
                for (d, o) in out.iter_mut().enumerate() {
                    *o += w / sum * element(4, at + j * hd + d);
                }
            }
            let row = Row { call, binding: 5, format, row: r, k: h * hd };
            act::store(format, row.bytes(head * hd..(head + 1) * hd), 0, &out);
        }
    }
}
