//! `rope`: rotates queries and keys in place (Su et al., "RoFormer", 2021), for attention without a cache.

use crate::contract::{Cost, Kernel, Rows, reads, typed, updates};
use crate::cpu::{Call, share};
use crate::cuda::CudaLaunch;
use crate::error::require;
use crate::machine::Version;
use crate::rope_kv::{check_head, rotate};
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct RopeConsts {
        /// Query heads.
        pub heads: u32,
        /// Key heads, and value heads.
        pub kv_heads: u32,
        /// Width of a head.
        pub head_dim: u32,
        /// Rotated pairs per head; at most `head_dim / 2`.
        pub pairs: u32,
        /// 0: pairs are (2i, 2i+1); 1: (i, i + pairs).
        pub pairing: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }
}

/// The contract. Bindings: step block; angles `[rows, pairs, 2] f32`; qkv `[rows, (heads + 2 kv_heads) * head_dim] f32`, queries first,
/// then keys, then values.
pub static KERNEL: Kernel = Kernel {
    name: "rope",
    bindings: &[reads("step"), reads("angles"), updates("qkv")],
    consts: RopeConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: RopeConsts| {
        require("rope", c.heads != 0 && c.pairs != 0, || format!("{} heads, {} pairs", c.heads, c.pairs))?;
        check_head("rope", c.kv_heads, c.head_dim, c.pairs, c.pairing)
    }),
    units: typed!(|c: RopeConsts| c.heads.saturating_add(c.kv_heads).saturating_mul(c.max_rows)),
    cost: typed!(|c: RopeConsts, load| {
        let (rows, pairs) = (u64::from(load.rows), u64::from(c.pairs));
        let turned = rows * (u64::from(c.heads) + u64::from(c.kv_heads)) * pairs;
        Cost { weight_bytes: 0, other_bytes: 16 * turned + 8 * rows * pairs, flops: 6 * turned }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: RopeConsts, gpu| {
            let source = const { &[include_str!("../rope_kv/rotate.cuh"), include_str!("rope.cu")] };
            let blocks =
                c.max_rows.saturating_mul(c.heads.saturating_add(c.kv_heads)).min(gpu.multiprocessors * 8);
            Ok(CudaLaunch::plain(source, blocks.max(1), 256))
        })),
        Version::Vulkan(typed!(|c: RopeConsts, _| {
            let turned = c.heads.saturating_add(c.kv_heads);
            VulkanLaunch::new("rope", include_bytes!("rope.spv"), turned, c.max_rows)
        })),
        Version::Metal(include_str!("rope.metal")),
    ],
};

/// The plain twin; it is bound by memory, so it serves every CPU level.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: RopeConsts = call.consts();
    let (turned, hd, n) = ((c.heads + c.kv_heads) as usize, c.head_dim as usize, c.pairs as usize);
    let width = (c.heads + 2 * c.kv_heads) as usize * hd;
    // SAFETY: shapes by the contract; parts own disjoint (row, head) pairs.
    unsafe {
        for unit in share(call.step(0).header().rows as usize * turned, part, parts) {
            let (r, head) = (unit / turned, unit % turned);
            let x = call.slice_mut::<f32>(2, r * width + head * hd, hd);
            rotate(x, call.slice::<f32>(1, r * n * 2, n * 2), n, c.pairing);
        }
    }
}
