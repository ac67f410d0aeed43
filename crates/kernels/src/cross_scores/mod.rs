//! `cross_scores`: the scores of one head of cross attention before their softmax, for who asks which positions a token was heard at
//! (Radford et al., "Robust Speech Recognition via Large-Scale Weak Supervision", 2022; the authors' program aligns words by them).

use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::cross_kv::{self, Places};
use crate::cuda::CudaLaunch;
use crate::kv::KvFormat;
use crate::machine::Version;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;
use half::f16;

mod cpu;

shared! {
    /// Compile-time constants.
    pub struct CrossScoresConsts {
        /// Heads.
        pub heads: u32,
        /// Width of one.
        pub head_dim: u32,
        /// Positions of a source.
        pub positions: u32,
        /// Sources that there is room for.
        pub sources: u32,
        /// [`KvFormat`] of the keys: f16 or f32.
        pub format: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }

    /// Parameters.
    pub struct CrossScoresParams {
        /// Factor on the scores.
        pub scale: f32,
        /// The head; one beyond the last is the last.
        pub head: u32,
    }
}

/// The contract. Bindings: step block; q `[rows, heads * head_dim] f32`; reads `[seqs] u32`, the source of each sequence; keys as
/// `cross_kv` has them; out `[rows, positions] f32`. A source beyond the last is the last.
pub static KERNEL: Kernel = Kernel {
    name: "cross_scores",
    bindings: &[reads("step"), reads("q"), reads("reads"), reads("keys"), writes("out")],
    consts: CrossScoresConsts::NAMES,
    params: CrossScoresParams::FIELDS,
    rows: Rows::Anywhere,
    check: typed!(|c: CrossScoresConsts| {
        cross_kv::check("cross_scores", c.heads, c.head_dim, c.positions, c.sources)?;
        cross_kv::check_format("cross_scores", c.format)
    }),
    units: typed!(|c: CrossScoresConsts| c.max_rows),
    cost: typed!(|c: CrossScoresConsts, load| {
        let (rows, hd, positions) = (u64::from(load.rows), u64::from(c.head_dim), u64::from(c.positions));
        let format = KvFormat::from_word(c.format).unwrap_or(KvFormat::F16);
        // (All rows may be of one sequence.)
        Cost {
            weight_bytes: 0,
            other_bytes: cross_kv::bytes(1, c.head_dim, c.positions, 1, format) + rows * 4 * (hd + positions),
            flops: 2 * rows * positions * hd,
        }
    }),
    versions: &[
        Version::Cpu(typed!(|level, c: CrossScoresConsts| Ok(cpu::select(level, &c)))),
        Version::Cuda(typed!(|c: CrossScoresConsts, gpu| {
            let source = const { &[include_str!("../cross_kv/cross.cuh"), include_str!("cross_scores.cu")] };
            Ok(CudaLaunch::plain(source, c.max_rows.min(gpu.multiprocessors * 8), 256))
        })),
        Version::Vulkan(typed!(|c: CrossScoresConsts, _| {
            let kernel = "cross_scores";
            crate::vulkan::check_head(kernel, c.head_dim)?;
            let launch = VulkanLaunch::new(kernel, include_bytes!("cross_scores.spv"), c.max_rows, 1)?;
            Ok(VulkanLaunch { invocations: crate::vulkan::WIDE, ..launch })
        })),
        Version::Metal(include_str!("cross_scores.metal")),
    ],
};

/// The number of the row's first key of the head, in elements.
///
/// # Safety
/// The bindings are the contract's.
unsafe fn keys_of(call: &Call<'_>, c: &CrossScoresConsts, p: &Places, r: usize, head: usize) -> usize {
    // SAFETY: a device has checked that the row's sequence is one of the list's.
    unsafe {
        let seq = call.step(0).row(r as u32).seq;
        p.head(call.slice::<u32>(2, seq.index(), 1)[0].min(c.sources - 1) as usize, head)
    }
}

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: CrossScoresConsts = call.consts();
    let params: CrossScoresParams = call.params();
    let head = params.head.min(c.heads - 1) as usize;
    let p = Places::of(c.heads, c.head_dim, c.positions);
    let (hd, positions) = (p.head_dim, c.positions as usize);
    // SAFETY: shapes by the contract; parts own disjoint rows.
    unsafe {
        let key = |i: usize| {
            if c.format == KvFormat::F32 as u32 {
                call.slice::<f32>(3, i, 1)[0]
            } else {
                call.slice::<f16>(3, i, 1)[0].to_f32()
            }
        };
        for r in share(call.step(0).header().rows as usize, part, parts) {
            let at = keys_of(call, &c, &p, r, head);
            let q = call.slice::<f32>(1, (r * p.heads + head) * hd, hd);
            for (j, to) in call.slice_mut::<f32>(4, r * positions, positions).iter_mut().enumerate() {
                let terms = q.iter().enumerate().map(|(d, q)| q * key(at + d * p.columns + j));
                *to = terms.sum::<f32>() * params.scale;
            }
        }
    }
}
