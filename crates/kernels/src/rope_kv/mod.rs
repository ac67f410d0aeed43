//! `rope_kv`: rotates the queries in place, and writes the rotated keys and the values to the KV cache. A fusion
//! of RoPE and the cache write: the keys never go back to the activation buffer.

use crate::contract::{Cost, Kernel, Rows, reads, typed, updates};
use crate::cpu::{Call, CpuFn, Level, share};
use crate::cuda::CudaLaunch;
use crate::error::{KernelError, require};
use crate::kv::{self, KvFormat, kv_place};
use crate::machine::Version;
use crate::step::Block;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct RopeKvConsts {
        /// Query heads.
        pub heads: u32,
        /// Key/value heads.
        pub kv_heads: u32,
        /// Width of a head.
        pub head_dim: u32,
        /// Rotated pairs per head; at most `head_dim / 2`.
        pub pairs: u32,
        /// 0: pairs are (2i, 2i+1); 1: (i, i + pairs).
        pub pairing: u32,
        /// [`KvFormat`] of the keys.
        pub k_type: u32,
        /// [`KvFormat`] of the values.
        pub v_type: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
        /// Entries of the block table for each sequence; 0 for a table of one sequence.
        pub blocks: u32,
    }
}

/// The contract. Bindings: step block; block table `[seqs, blocks] u32`; angles `[rows, pairs, 2] f32`; qkv
/// `[rows, (heads + 2 kv_heads) * head_dim] f32` (queries, keys, values); K cache and V cache
/// `[block, kv_heads, 256, head_dim]`.
pub static KERNEL: Kernel = Kernel {
    name: "rope_kv",
    bindings: &[
        reads("step"),
        reads("block_table"),
        reads("angles"),
        updates("qkv"),
        updates("k_cache"),
        updates("v_cache"),
    ],
    consts: RopeKvConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: RopeKvConsts| {
        require("rope_kv", c.heads != 0, || "no heads".into())?;
        check_head("rope_kv", c.kv_heads, c.head_dim, c.pairs, c.pairing)?;
        kv::check("rope_kv", c.head_dim, c.k_type, c.v_type)
    }),
    units: typed!(|c: RopeKvConsts| {
        c.heads.saturating_add(c.kv_heads.saturating_mul(2)).saturating_mul(c.max_rows)
    }),
    cost: typed!(|c: RopeKvConsts, load| {
        let rows = u64::from(load.rows);
        let (q, kv) = (u64::from(c.heads * c.head_dim), u64::from(c.kv_heads * c.head_dim));
        let stored = u64::from(c.kv_heads) * kv::bytes_per_position(c.k_type, c.v_type, c.head_dim);
        Cost { weight_bytes: 0, other_bytes: rows * (8 * q + 8 * kv + stored), flops: rows * 3 * (q + kv) }
    }),
    versions: &[
        Version::Cpu(|level, _| Ok(select(level))),
        Version::Cuda(typed!(|c: RopeKvConsts, gpu| {
            kv::check_cuda("rope_kv", c.head_dim, c.k_type, c.v_type)?;
            let source = const {
                &[include_str!("../attention/kv.cuh"), include_str!("rotate.cuh"), include_str!("rope_kv.cu")]
            };
            // A pair for each thread, and no block more: the next command's begin when all of these have.
            let heads = u64::from(c.heads) + 2 * u64::from(c.kv_heads);
            let pairs = u64::from(c.max_rows) * heads * u64::from(c.head_dim / 2);
            let most = u64::from(gpu.multiprocessors) * 8;
            let blocks = pairs.div_ceil(THREADS.into()).clamp(1, most) as u32;
            Ok(CudaLaunch::plain(source, blocks, THREADS))
        })),
        Version::Vulkan(typed!(|c: RopeKvConsts, _| {
            crate::vulkan::check_head("rope_kv", c.head_dim)?;
            let heads = c.heads.saturating_add(c.kv_heads.saturating_mul(2));
            VulkanLaunch::new("rope_kv", include_bytes!("rope_kv.spv"), heads, c.max_rows)
        })),
        Version::Metal(include_str!("rope_kv.metal")),
    ],
};

/// Threads of a block on CUDA.
const THREADS: u32 = 256;

/// The plain twin, compiled for the level; it moves few bytes.
fn select(level: Level) -> CpuFn {
    match level.base() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => avx512,
        _ => run,
    }
}

/// # Safety
/// As [`CpuFn`], for this contract.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn avx2(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise.
    unsafe { run(call, part, parts) }
}

/// # Safety
/// As [`CpuFn`], for this contract.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma,f16c")]
unsafe fn avx512(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise.
    unsafe { run(call, part, parts) }
}

/// What `rope_kv` and `kv_shift` ask of a head.
pub(crate) fn check_head(
    kernel: &'static str,
    kv_heads: u32,
    head_dim: u32,
    pairs: u32,
    pairing: u32,
) -> Result<(), KernelError> {
    let holds = kv_heads != 0 && head_dim != 0 && pairs <= head_dim / 2 && pairing <= 1;
    require(kernel, holds, || {
        format!("{pairs} pairs (pairing {pairing}) in {kv_heads} KV heads of {head_dim}")
    })
}

/// The plain twin.
///
/// # Safety
/// As [`CpuFn`], for this contract.
#[inline(always)]
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: RopeKvConsts = call.consts();
    let (h, hkv, hd) = (c.heads as usize, c.kv_heads as usize, c.head_dim as usize);
    let n = c.pairs as usize;
    let units = h + 2 * hkv;
    let (Some(k), Some(v)) = (KvFormat::from_word(c.k_type), KvFormat::from_word(c.v_type)) else { return };
    // SAFETY: shapes by the contract; parts own disjoint (row, head) pairs, and no two rows of a step have the
    // same (sequence, position), so cache slots are disjoint too.
    unsafe {
        let step = call.step(0);
        let tables = call.slice::<Block>(1, 0, call.bufs[1].len / 4);
        for unit in share(step.header().rows as usize * units, part, parts) {
            let (r, head) = (unit / units, unit % units);
            let x = call.slice_mut::<f32>(3, (r * units + head) * hd, hd);
            if head < h + hkv {
                rotate(x, call.slice::<f32>(2, r * n * 2, n * 2), n, c.pairing);
            }
            if head >= h {
                let (kv_head, buf, format) =
                    if head < h + hkv { (head - h, 4, k) } else { (head - h - hkv, 5, v) };
                let row = step.row(r as u32);
                let table = &tables[row.seq.index() * c.blocks as usize..];
                let at = kv_place(table, hkv, kv_head, row.pos.index());
                kv::store(call, buf, format, at, x);
            }
        }
    }
}

/// Rotates the first `2n` elements of a head by (cos, sin) pairs.
#[inline(always)]
pub fn rotate(x: &mut [f32], angles: &[f32], n: usize, pairing: u32) {
    let angles = &angles.as_chunks::<2>().0[..n];
    let turn = |x0: &mut f32, x1: &mut f32, [c, s]: [f32; 2]| {
        (*x0, *x1) = (*x0 * c - *x1 * s, *x0 * s + *x1 * c);
    };
    if pairing == 0 {
        for ([x0, x1], a) in x.as_chunks_mut::<2>().0.iter_mut().zip(angles) {
            turn(x0, x1, *a);
        }
    } else {
        let (first, second) = x[..2 * n].split_at_mut(n);
        for ((x0, x1), a) in first.iter_mut().zip(second).zip(angles) {
            turn(x0, x1, *a);
        }
    }
}
