//! `qk_norm`: RMS norm of queries and keys before their rotation, in place: each head by itself, or all heads of a row
//! as one vector.

use crate::contract::{Cost, Kernel, Rows, reads, typed, updates};
use crate::cpu::{Call, share};
use crate::cuda::CudaLaunch;
use crate::error::require;
use crate::machine::Version;
use crate::rms_norm::RmsNormParams;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct QkNormConsts {
        /// Query heads.
        pub heads: u32,
        /// Key/value heads.
        pub kv_heads: u32,
        /// Width of a head.
        pub head_dim: u32,
        /// [`Span`].
        pub span: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }
}

/// What is normalised as one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Span {
    /// A head; all heads have the same weights.
    Head = 0,
    /// All query heads of a row, and all its key heads.
    Row = 1,
}

/// The contract. Bindings: step block; query weights and key weights (`[head_dim] f32` each; with [`Span::Row`]
/// `[heads * head_dim]` and `[kv_heads * head_dim]`); qkv `[rows, (heads + 2 kv_heads) * head_dim] f32`.
pub static KERNEL: Kernel = Kernel {
    name: "qk_norm",
    bindings: &[reads("step"), reads("q_weight"), reads("k_weight"), updates("qkv")],
    consts: QkNormConsts::NAMES,
    params: RmsNormParams::FIELDS,
    rows: Rows::Anywhere,
    check: typed!(|c: QkNormConsts| {
        let fits = |n: u32| n != 0 && n <= 1 << 16;
        require("qk_norm", fits(c.heads) && fits(c.kv_heads) && fits(c.head_dim) && c.span <= 1, || {
            format!("{} and {} heads of {}, span {}", c.heads, c.kv_heads, c.head_dim, c.span)
        })
    }),
    units: typed!(|c: QkNormConsts| vectors(&c).saturating_mul(c.max_rows)),
    cost: typed!(|c: QkNormConsts, load| {
        let n = u64::from(load.rows) * u64::from(c.heads + c.kv_heads) * u64::from(c.head_dim);
        Cost { weight_bytes: 8 * u64::from(c.head_dim), other_bytes: 8 * n, flops: 4 * n }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: QkNormConsts, gpu| {
            let source = const { &[include_str!("qk_norm.cu")] };
            // A warp for each head; a block for each row's vectors.
            let per_block = if c.span == Span::Head as u32 { 8 } else { 1 };
            let units = c.max_rows.saturating_mul(vectors(&c));
            Ok(CudaLaunch::plain(source, units.div_ceil(per_block).min(gpu.multiprocessors * 8), 256))
        })),
        Version::Vulkan(typed!(|c: QkNormConsts, _| {
            VulkanLaunch::new("qk_norm", include_bytes!("qk_norm.spv"), vectors(&c), c.max_rows)
        })),
        Version::Metal(include_str!("qk_norm.metal")),
    ],
};

/// Vectors of a row that are normalised.
fn vectors(c: &QkNormConsts) -> u32 {
    if c.span == Span::Head as u32 { c.heads.saturating_add(c.kv_heads) } else { 2 }
}

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: QkNormConsts = call.consts();
    let p: RmsNormParams = call.params();
    let (h, hkv, hd) = (c.heads as usize, c.kv_heads as usize, c.head_dim as usize);
    let width = (h + 2 * hkv) * hd;
    let by_head = c.span == Span::Head as u32;
    let per_row = vectors(&c) as usize;
    // SAFETY: shapes by the contract; parts own disjoint vectors.
    unsafe {
        let rows = call.step(0).header().rows as usize;
        for unit in share(rows * per_row, part, parts) {
            let (r, v) = (unit / per_row, unit % per_row);
            let (from, len, keys) = match (by_head, v) {
                (true, _) => (v * hd, hd, v >= h),
                (false, 0) => (0, h * hd, false),
                (false, _) => (h * hd, hkv * hd, true),
            };
            let w = call.slice::<f32>(if keys { 2 } else { 1 }, 0, len);
            let x = call.slice_mut::<f32>(3, r * width + from, len);
            normalize(x, w, p.eps);
        }
    }
}

/// x = x / sqrt(mean(x^2) + eps) * w, with the sum in 16 lanes.
#[inline(always)]
pub(crate) fn normalize(x: &mut [f32], w: &[f32], eps: f32) {
    let mut sums = [0f32; 16];
    let (chunks, tail) = x.as_chunks::<16>();
    for chunk in chunks {
        for (s, v) in sums.iter_mut().zip(chunk) {
            *s += v * v;
        }
    }
    let rest: f32 = tail.iter().map(|v| v * v).sum();
    let inverse = 1.0 / ((sums.iter().sum::<f32>() + rest) / x.len() as f32 + eps).sqrt();
    for (x, w) in x.iter_mut().zip(w) {
        *x = *x * inverse * w;
    }
}
