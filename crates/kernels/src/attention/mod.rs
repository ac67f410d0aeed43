//! `attention`: causal attention of the step's rows over the KV cache, grouped queries, softmax in f32.
//!
//! KV cache of one layer: `[block, kv_heads, 256, head_dim]`, blocks found through the block table, keys and values
//! each in a format of their own ([`kv`]). Row r at position p attends to positions `0..=p` (the last `window` of them,
//! where a window is set). The output goes straight into the activation format of the product that reads it.

use crate::act::ActFormat;
use crate::contract::{Kernel, Rows, reads, typed, writes};
use crate::cuda::{CudaLaunch, Gpu, Overlap};
use crate::error::KernelError;
use crate::flash_attention::{check, cost};
use crate::kv::{self, KvFormat};
use crate::machine::Version;
use crate::vulkan::{Chip, Matrices, UNITS, VulkanLaunch, WIDE};

pub(crate) mod cpu;
pub(crate) mod cpu_any;
pub mod reference;

pub use crate::flash_attention::{AttentionConsts, AttentionParams, first_visible};

/// The contract. Bindings: step block; block table `[blocks] u32`; qkv `[rows, (heads + 2 kv_heads) * head_dim]
/// f32` with the rotated queries first; K cache; V cache; out `[rows, heads * head_dim]` in the activation format.
pub static KERNEL: Kernel = Kernel {
    name: "attention",
    bindings: &[
        reads("step"),
        reads("block_table"),
        reads("qkv"),
        reads("k_cache"),
        reads("v_cache"),
        writes("out"),
    ],
    consts: AttentionConsts::NAMES,
    params: AttentionParams::FIELDS,
    rows: Rows::Consecutive,
    check: typed!(|c: AttentionConsts| check("attention", &c)),
    units: typed!(|c: AttentionConsts| c.heads.saturating_mul(c.max_rows)),
    cost: typed!(|c: AttentionConsts, load| cost(&c, load)),
    versions: &[
        Version::Cpu(typed!(|level, c: AttentionConsts| Ok(cpu::select::<cpu::Dealt>(level, &c)))),
        Version::Cuda(typed!(|c: AttentionConsts, gpu| cuda(&c, gpu))),
        Version::Vulkan(typed!(|c: AttentionConsts, chip| vulkan(&c, chip))),
        Version::Metal(include_str!("attention.metal")),
    ],
};

/// The Vulkan version: on matrix units for many rows of what they take.
fn vulkan(c: &AttentionConsts, chip: &Chip) -> Result<VulkanLaunch, KernelError> {
    let kernel = "attention";
    crate::vulkan::check_act(kernel, c.act)?;
    crate::vulkan::check_head(kernel, c.head_dim)?;
    let head = c.head_dim.is_multiple_of(16) && c.head_dim <= 128;
    let blocks = c.act == ActFormat::Q16Aligned as u32;
    if chip.matrices == Matrices::F16 && c.max_rows > 8 && head && !blocks {
        let code = include_bytes!("attention_units.spv");
        let launch = VulkanLaunch::new(kernel, code, c.max_rows.div_ceil(64), c.heads)?;
        return Ok(VulkanLaunch { invocations: UNITS, ..launch });
    }
    let launch = VulkanLaunch::new(kernel, include_bytes!("attention.spv"), c.heads, c.max_rows)?;
    Ok(VulkanLaunch { invocations: WIDE, ..launch })
}

/// Bytes of shared memory for a tile of one side of the cache: as it is copied, and as it is widened where it has codes.
fn shared_tile(kv_type: u32, head_dim: u32, tile: u32) -> (u32, u32) {
    let rows = tile.saturating_mul(head_dim.saturating_mul(2).saturating_add(16));
    if kv_type == KvFormat::Q8_0 as u32 {
        (tile.saturating_mul(head_dim.saturating_add(head_dim / 16)), rows)
    } else {
        (rows, 0)
    }
}

/// The CUDA version for prefill; tables of few rows have `rope_kv_attention`.
fn cuda(c: &AttentionConsts, gpu: &Gpu) -> Result<CudaLaunch, KernelError> {
    crate::cuda::check_act("attention", c.act)?;
    // Rows of a block and positions of a tile: wide heads leave room for half of each.
    let (rows, tile) = if c.head_dim <= 128 { (128, 64) } else { (64, 32) };
    let stride = c.head_dim.saturating_mul(2).saturating_add(16);
    let [(k, k_wide), (v, v_wide)] = [c.k_type, c.v_type].map(|t| shared_tile(t, c.head_dim, tile));
    let stages = k.saturating_add(v).saturating_mul(2);
    let shared =
        stages.saturating_add(k_wide.saturating_add(v_wide)).saturating_add(stride.saturating_mul(rows));
    let cache = kv::check_cuda("attention", c.head_dim, c.k_type, c.v_type).is_ok();
    let head = c.head_dim.is_multiple_of(16) && c.head_dim <= 256;
    let fits = cache && head && shared <= gpu.shared;
    if !fits || c.max_rows <= 8 {
        let (rows, hd) = (c.max_rows, c.head_dim);
        let what = format!("{rows} rows of heads of {hd} with {} on CUDA", kv::names(c.k_type, c.v_type));
        return Err(KernelError::Unsupported { kernel: "attention", what });
    }
    Ok(CudaLaunch {
        source: const {
            &[
                include_str!("mma.cuh"),
                include_str!("capped.cuh"),
                include_str!("kv.cuh"),
                include_str!("shape.cuh"),
                include_str!("kv_tile.cuh"),
                include_str!("attention.cu"),
            ]
        },
        defines: vec![("BLOCK_ROWS", rows), ("ROW_TILES", rows / 64), ("SHARED", shared)],
        grid: [c.max_rows.div_ceil(rows).saturating_mul(c.heads).min(1 << 20), 1, 1],
        block: 128,
        shared,
        exchange: 0,
        maps: Vec::new(),
        overlap: Overlap::Yes,
    })
}
