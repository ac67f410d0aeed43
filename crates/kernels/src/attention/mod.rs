//! `attention`: causal attention of the step's rows over the KV cache, grouped queries, softmax in f32.
//!
//! KV cache of one layer: `[block, kv_heads, 256, head_dim]`, blocks found through the block table. Row r at
//! position p attends to positions `0..=p` (the last `window` of them, where a window is set). The output goes
//! straight into the activation format of the product that reads it.

use crate::act::ActFormat;
use crate::contract::{Access, Cost, Kernel, KernelError, Load, binding, consts_of};
use crate::cuda::{CudaLaunch, Gpu, Overlap};
use crate::step::KV_BLOCK;
use bytemuck::{Pod, Zeroable};

pub mod cpu;
mod cpu_any;
pub mod reference;

/// Element format of the KV cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum KvFormat {
    /// Half precision.
    F16 = 0,
    /// Single precision (the reference level).
    F32 = 1,
}

impl KvFormat {
    /// From a kernel constant.
    pub const fn from_word(w: u32) -> Self {
        if w == 0 { Self::F16 } else { Self::F32 }
    }
    /// Bytes per element.
    pub const fn bytes(self) -> usize {
        match self {
            Self::F16 => 2,
            Self::F32 => 4,
        }
    }
    /// Element `i` of a cache's bytes.
    pub fn read(self, cache: &[u8], i: usize) -> f32 {
        match self {
            Self::F16 => half::f16::from_le_bytes([cache[2 * i], cache[2 * i + 1]]).to_f32(),
            Self::F32 => {
                let b = &cache[4 * i..4 * i + 4];
                f32::from_le_bytes([b[0], b[1], b[2], b[3]])
            }
        }
    }
    /// Name for dumps.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::F32 => "f32",
        }
    }
}

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
    /// [`KvFormat`].
    pub kv: u32,
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
    consts: &["heads", "kv_heads", "head_dim", "kv", "act", "max_rows", "window", "softcap"],
    params: size_of::<AttentionParams>(),
    units: |c| c[0].saturating_mul(c[5]),
    cost,
    cpu: |level, consts| {
        let c: AttentionConsts = consts_of("attention", consts)?;
        if c.kv_heads == 0 || !c.heads.is_multiple_of(c.kv_heads) || c.head_dim == 0 {
            let what = format!("{} heads over {} KV heads of {}", c.heads, c.kv_heads, c.head_dim);
            return Err(KernelError::Constants { kernel: "attention", what });
        }
        let fmt = ActFormat::from_word(c.act);
        if fmt.is_none() || fmt.is_some_and(|f| !c.head_dim.is_multiple_of(f.block())) {
            let what = format!("output format {} with heads of {}", c.act, c.head_dim);
            return Err(KernelError::Unsupported { kernel: "attention", what });
        }
        Ok(cpu::select(level, &c))
    },
    persistent: None,
    cuda: Some(cuda),
};

/// The CUDA version for prefill; tables of few rows have `rope_kv_attention`.
fn cuda(consts: &[u32], gpu: &Gpu) -> Result<CudaLaunch, KernelError> {
    let c: AttentionConsts = consts_of("attention", consts)?;
    crate::cuda::check_act("attention", c.act)?;
    let heads = c.kv_heads != 0 && c.heads.is_multiple_of(c.kv_heads) && c.head_dim.is_multiple_of(16);
    // Rows of a block and positions of a tile: wide heads leave room for half of each.
    let (rows, tile) = if c.head_dim <= 128 { (128, 64) } else { (64, 32) };
    let shared = c.head_dim.saturating_mul(2).saturating_add(16).saturating_mul(4 * tile + rows);
    let fits =
        c.kv == KvFormat::F16 as u32 && heads && (16..=256).contains(&c.head_dim) && shared <= gpu.shared;
    if !fits || c.max_rows <= 8 {
        let (rows, hd) = (c.max_rows, c.head_dim);
        let what = format!("{rows} rows of heads of {hd} in cache format {} on CUDA", c.kv);
        return Err(KernelError::Unsupported { kernel: "attention", what });
    }
    Ok(CudaLaunch {
        source: const { &[include_str!("mma.cuh"), include_str!("attention.cu")] },
        defines: vec![("BLOCK_ROWS", rows), ("ROW_TILES", rows / 64)],
        grid: [c.max_rows.div_ceil(rows).saturating_mul(c.heads).min(1 << 20), 1, 1],
        block: 128,
        shared,
        maps: Vec::new(),
        overlap: Overlap::Yes,
    })
}

fn cost(consts: &[u32], load: Load) -> Cost {
    let c: AttentionConsts = crate::contract::from_words(consts);
    let (rows, kv) = (u64::from(load.rows), u64::from(load.kv_len));
    let (h, hkv, hd) = (u64::from(c.heads), u64::from(c.kv_heads), u64::from(c.head_dim));
    Cost {
        weight_bytes: 0,
        other_bytes: 2 * kv * hkv * hd * KvFormat::from_word(c.kv).bytes() as u64 + rows * h * hd * 8,
        flops: 4 * rows * h * hd * kv,
    }
}

/// Element offset of (position, KV head) in one layer's cache.
pub fn kv_offset(block_table: &[u32], kv_heads: usize, head_dim: usize, head: usize, pos: usize) -> usize {
    let b = KV_BLOCK as usize;
    ((block_table[pos / b] as usize * kv_heads + head) * b + pos % b) * head_dim
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
