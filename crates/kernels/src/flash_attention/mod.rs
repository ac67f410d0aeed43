//! Attention over the KV cache block by block with an online softmax (Milakov and Gimelshein, "Online normalizer
//! calculation for softmax", 2018; Dao et al., "FlashAttention", 2022): what `attention`, `split_attention` and
//! `ragged_attention` share, the constants, which positions a row sees, and the CPU's versions. No operation of its own.

use crate::act::ActFormat;
use crate::contract::{Cost, Load};
use crate::error::KernelError;
use crate::kv;
use crate::step::KV_BLOCK;
use crate::words::shared;

pub(crate) mod cpu;
mod cpu_lanes;
pub(crate) mod cpu_tile;
#[cfg(target_arch = "x86_64")]
mod cpu_units;
#[cfg(any(test, target_arch = "x86_64"))]
mod cpu_words;
mod product;

/// Positions of a span, a block of the cache. What a query gathers from each span is added up in the order of spans.
pub(crate) const SPAN: usize = KV_BLOCK as usize;

shared! {
    /// Compile-time constants.
    pub struct AttentionConsts {
        /// Query heads.
        pub heads: u32,
        /// Key/value heads; divides `heads`.
        pub kv_heads: u32,
        /// Width of a head.
        pub head_dim: u32,
        /// [`kv::KvFormat`] of the keys.
        pub k_type: u32,
        /// [`kv::KvFormat`] of the values.
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
    pub struct AttentionParams {
        /// Factor on the scores, usually 1/sqrt(head_dim).
        pub scale: f32,
    }
}

/// What every machine asks of the constants.
pub(crate) fn check(kernel: &'static str, c: &AttentionConsts) -> Result<(), KernelError> {
    if c.kv_heads == 0 || !c.heads.is_multiple_of(c.kv_heads) || c.head_dim == 0 {
        let what = format!("{} heads over {} KV heads of {}", c.heads, c.kv_heads, c.head_dim);
        return Err(KernelError::Constants { kernel, what });
    }
    kv::check(kernel, c.head_dim, c.k_type, c.v_type)?;
    let fmt = ActFormat::from_word(c.act);
    if fmt.is_none() || fmt.is_some_and(|f| !c.head_dim.is_multiple_of(f.block())) {
        let what = format!("output format {} with heads of {}", c.act, c.head_dim);
        return Err(KernelError::Unsupported { kernel, what });
    }
    Ok(())
}

/// The cost of attention, however it is computed.
pub(crate) fn cost(c: &AttentionConsts, load: Load) -> Cost {
    let (rows, kv) = (u64::from(load.rows), u64::from(load.kv_len));
    let (h, hkv, hd) = (u64::from(c.heads), u64::from(c.kv_heads), u64::from(c.head_dim));
    Cost {
        weight_bytes: 0,
        other_bytes: kv * hkv * kv::bytes_per_position(c.k_type, c.v_type, c.head_dim) + rows * h * hd * 8,
        flops: 4 * rows * h * hd * kv,
    }
}

/// A score within the bound whose bits `softcap` are.
pub(crate) fn capped(score: f32, softcap: u32) -> f32 {
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
