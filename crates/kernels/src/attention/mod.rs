//! `attention`: causal attention of the step's rows over the KV cache, grouped queries, softmax in f32.
//!
//! KV cache of one layer: `[block, kv_heads, 256, head_dim]`, blocks found through the block table, keys and values
//! each in a format of their own (`kv.rs`). Row r at position p attends to positions `0..=p` (the last `window` of them,
//! where a window is set). The output goes straight into the activation format of the product that reads it.

use crate::act::ActFormat;
use crate::contract::{Access, Cost, Kernel, KernelError, Load, binding, consts_of, require};
use crate::cuda::{CudaLaunch, Gpu, Overlap};
use crate::rope_kv::check_cuda;
use bytemuck::{Pod, Zeroable};

pub(crate) mod cpu;
mod cpu_any;
mod cpu_product;
mod kv;
pub mod reference;

pub use kv::{KV_FORMATS, KV_GROUP, KvFormat, KvPlace, kv_place};
pub(crate) use kv::{load_kv, load_part, store_kv};

/// Compile-time constants.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct AttentionConsts {
    /// Query heads.
    pub heads: u32,
    /// Key/value heads; divides `heads`.
    pub kv_heads: u32,
    /// Width of a head.
    pub head_dim: u32,
    /// [`KvFormat`] of the keys.
    pub k_type: u32,
    /// [`KvFormat`] of the values.
    pub v_type: u32,
    /// Output [`ActFormat`]; `q8` needs `head_dim` to be a multiple of 32.
    pub act: u32,
    /// Rows the table was built for.
    pub max_rows: u32,
    /// Positions that a row sees, itself included; 0 for all.
    pub window: u32,
    /// Bits of an f32: scores become `cap * tanh(score / cap)`; 0 for none.
    pub softcap: u32,
}

/// Parameters.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct AttentionParams {
    /// Factor on the scores, usually 1/sqrt(head_dim).
    pub scale: f32,
}

/// The contract. Bindings: step block; block table `[blocks] u32`; qkv `[rows, (heads + 2 kv_heads) * head_dim]
/// f32` with the rotated queries first; K cache; V cache; out `[rows, heads * head_dim]` in the activation format.
pub static KERNEL: Kernel = Kernel {
    name: "attention",
    bindings: &[
        binding("step", Access::Read),
        binding("block_table", Access::Read),
        binding("qkv", Access::Read),
        binding("k_cache", Access::Read),
        binding("v_cache", Access::Read),
        binding("out", Access::Write),
    ],
    consts: &["heads", "kv_heads", "head_dim", "k_type", "v_type", "act", "max_rows", "window", "softcap"],
    params: size_of::<AttentionParams>(),
    units: |c| c[0].saturating_mul(c[6]),
    cost,
    cpu: |level, consts| {
        let c: AttentionConsts = consts_of("attention", consts)?;
        check("attention", &c)?;
        Ok(cpu::select(level, &c))
    },
    cuda: Some(cuda),
};

/// What every CPU version asks of the constants.
pub(crate) fn check(kernel: &'static str, c: &AttentionConsts) -> Result<(), KernelError> {
    if c.kv_heads == 0 || !c.heads.is_multiple_of(c.kv_heads) || c.head_dim == 0 {
        let what = format!("{} heads over {} KV heads of {}", c.heads, c.kv_heads, c.head_dim);
        return Err(KernelError::Constants { kernel, what });
    }
    check_types(kernel, c.head_dim, c.k_type, c.v_type)?;
    let fmt = ActFormat::from_word(c.act);
    if fmt.is_none() || fmt.is_some_and(|f| !c.head_dim.is_multiple_of(f.block())) {
        let what = format!("output format {} with heads of {}", c.act, c.head_dim);
        return Err(KernelError::Unsupported { kernel, what });
    }
    Ok(())
}

/// The CUDA version for prefill; tables of few rows have `rope_kv_attention`.
fn cuda(consts: &[u32], gpu: &Gpu) -> Result<CudaLaunch, KernelError> {
    let c: AttentionConsts = consts_of("attention", consts)?;
    crate::cuda::check_act("attention", c.act)?;
    let heads = c.kv_heads != 0 && c.heads.is_multiple_of(c.kv_heads) && c.head_dim.is_multiple_of(16);
    // Rows of a block and positions of a tile: wide heads leave room for half of each.
    let (rows, tile) = if c.head_dim <= 128 { (128, 64) } else { (64, 32) };
    let stride = c.head_dim.saturating_mul(2).saturating_add(16);
    let [(k, k_wide), (v, v_wide)] = [c.k_type, c.v_type].map(|t| tile_bytes(t, c.head_dim, tile));
    let stages = k.saturating_add(v).saturating_mul(2);
    let shared =
        stages.saturating_add(k_wide.saturating_add(v_wide)).saturating_add(stride.saturating_mul(rows));
    let cache = check_cuda("attention", c.head_dim, c.k_type, c.v_type).is_ok();
    let fits = cache && heads && (16..=256).contains(&c.head_dim) && shared <= gpu.shared;
    if !fits || c.max_rows <= 8 {
        let (rows, hd) = (c.max_rows, c.head_dim);
        let what = format!("{rows} rows of heads of {hd} with {} on CUDA", kv_names(c.k_type, c.v_type));
        return Err(KernelError::Unsupported { kernel: "attention", what });
    }
    Ok(CudaLaunch {
        source: const {
            &[
                include_str!("mma.cuh"),
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
        maps: Vec::new(),
        overlap: Overlap::Yes,
    })
}

/// Bytes of shared memory for a tile of one side of the cache: as it is copied, and as it is widened where it has codes.
pub(crate) const fn tile_bytes(kv_type: u32, head_dim: u32, tile: u32) -> (u32, u32) {
    let rows = tile.saturating_mul(head_dim.saturating_mul(2).saturating_add(16));
    if kv_type == KvFormat::Q8_0 as u32 {
        (tile.saturating_mul(head_dim.saturating_add(head_dim / 16)), rows)
    } else {
        (rows, 0)
    }
}

pub(crate) fn cost(consts: &[u32], load: Load) -> Cost {
    let c: AttentionConsts = crate::contract::from_words(consts);
    let (rows, kv) = (u64::from(load.rows), u64::from(load.kv_len));
    let (h, hkv, hd) = (u64::from(c.heads), u64::from(c.kv_heads), u64::from(c.head_dim));
    Cost {
        weight_bytes: 0,
        other_bytes: kv * hkv * kv_bytes(c.k_type, c.v_type, c.head_dim) + rows * h * hd * 8,
        flops: 4 * rows * h * hd * kv,
    }
}

/// The formats of a cache for messages.
pub(crate) fn kv_names(k_type: u32, v_type: u32) -> String {
    let [k, v] = [k_type, v_type].map(|w| KvFormat::from_word(w).map_or("?", KvFormat::name));
    format!("keys in {k} and values in {v}")
}

/// Bytes of a key and a value of one head at one position.
pub(crate) fn kv_bytes(k_type: u32, v_type: u32, head_dim: u32) -> u64 {
    [k_type, v_type]
        .into_iter()
        .filter_map(KvFormat::from_word)
        .map(|f| f.row_bytes(head_dim as usize) as u64)
        .sum()
}

/// What every kernel on a cache asks of its formats.
pub(crate) fn check_types(
    kernel: &'static str,
    head_dim: u32,
    k_type: u32,
    v_type: u32,
) -> Result<(), KernelError> {
    for (name, word) in [("keys", k_type), ("values", v_type)] {
        let Some(format) = KvFormat::from_word(word) else {
            return Err(KernelError::Constants { kernel, what: format!("{name} in cache format {word}") });
        };
        require(kernel, format.holds(head_dim as usize), || {
            let f = format.name();
            format!(
                "{name} in {f} need heads of a multiple of {KV_GROUP}, these have {head_dim}; use f16 or bf16"
            )
        })?;
    }
    Ok(())
}

/// A score within the bound whose bits `softcap` are.
pub fn capped(score: f32, softcap: u32) -> f32 {
    if softcap == 0 {
        return score;
    }
    let cap = f32::from_bits(softcap);
    cap * (score / cap).tanh()
}

/// First position that a row at `pos` sees.
pub const fn first_visible(pos: usize, window: u32) -> usize {
    if window == 0 { 0 } else { (pos + 1).saturating_sub(window as usize) }
}
