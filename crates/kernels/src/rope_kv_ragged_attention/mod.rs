//! `rope_kv_ragged_attention`: `rope_kv` and `ragged_attention` in one command, for tables of some rows of many sequences.

use crate::contract::{Cost, Kernel, Rows, reads, typed, updates, writes};
use crate::cpu::Call;
use crate::error::{KernelError, require};
use crate::flash_attention::{self, AttentionConsts, AttentionParams};
use crate::kv::KvFormat;
use crate::machine::Version;
use crate::ragged_attention::{self, RaggedAttentionConsts};
use crate::rope_kv::check_head;
use crate::rope_kv_attention::{self, RopeKvAttentionConsts};
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct RopeKvRaggedAttentionConsts {
        /// Those of `ragged_attention`.
        pub ragged: RaggedAttentionConsts,
        /// Rotated pairs per head; at most `head_dim / 2`.
        pub pairs: u32,
        /// As `rope_kv`'s.
        pub pairing: u32,
    }
}

/// The contract. Bindings: step block, in which each sequence's rows stand together, at consecutive positions; block table
/// `[seqs, blocks] u32`; angles `[rows, pairs, 2] f32`; qkv `[rows, (heads + 2 kv_heads) head_dim] f32`, not rotated; K cache and V cache
/// `[block, kv_heads, 256, head_dim]`; out `[rows, heads head_dim]` in the activation format. Parameters are `attention`'s.
pub static KERNEL: Kernel = Kernel {
    name: "rope_kv_ragged_attention",
    bindings: &[
        reads("step"),
        reads("block_table"),
        reads("angles"),
        reads("qkv"),
        updates("k_cache"),
        updates("v_cache"),
        writes("out"),
    ],
    consts: RopeKvRaggedAttentionConsts::NAMES,
    params: AttentionParams::FIELDS,
    rows: Rows::Consecutive,
    check: typed!(|c: RopeKvRaggedAttentionConsts| check(&c)),
    units: typed!(|c: RopeKvRaggedAttentionConsts| c.ragged.attention.kv_heads),
    cost: typed!(|c: RopeKvRaggedAttentionConsts, load| {
        let (a, rows) = (c.ragged.attention, u64::from(load.rows));
        let (h, hkv, hd) = (u64::from(a.heads), u64::from(a.kv_heads), u64::from(a.head_dim));
        let cost = ragged_attention::cost(&a, load);
        let stored = crate::kv::bytes_per_position(a.k_type, a.v_type, a.head_dim);
        Cost {
            weight_bytes: 0,
            other_bytes: cost.other_bytes + rows * hkv * (8 * hd + stored),
            flops: cost.flops + rows * 3 * (h + hkv) * hd,
        }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: RopeKvRaggedAttentionConsts, gpu| {
            let a = c.ragged.attention;
            let codes = [a.k_type, a.v_type].contains(&(KvFormat::Q8_0 as u32));
            if codes || !ROWS.contains(&a.max_rows) {
                let what = format!("{} rows with {}", a.max_rows, crate::kv::names(a.k_type, a.v_type));
                return Err(KernelError::Unsupported { kernel: "rope_kv_ragged_attention", what });
            }
            let source = const {
                &[
                    include_str!("../cuda/hopper.cuh"),
                    include_str!("../attention/mma.cuh"),
                    include_str!("../attention/capped.cuh"),
                    include_str!("../attention/kv.cuh"),
                    include_str!("../rope_kv/rotate.cuh"),
                    include_str!("../ragged_attention/ragged.cuh"),
                    include_str!("rope_kv_ragged_attention.cu"),
                ]
            };
            ragged_attention::cuda("rope_kv_ragged_attention", &a, [4, 5], true, source, gpu)
        })),
    ],
};

/// Rows of a table. Fewer are quicker in two commands, the first of which takes no longer than the second one's first copies; of more, many
/// are of prompts, and each block rotates anew the keys that a step adds to its sequence before its own row.
const ROWS: std::ops::RangeInclusive<u32> = 17..=256;

fn check(c: &RopeKvRaggedAttentionConsts) -> Result<(), KernelError> {
    let (kernel, a) = ("rope_kv_ragged_attention", c.ragged.attention);
    flash_attention::check(kernel, &a)?;
    check_head(kernel, a.kv_heads, a.head_dim, c.pairs, c.pairing)?;
    require(kernel, c.ragged.blocks != 0, || "a block table without entries".into())
}

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let RopeKvRaggedAttentionConsts { ragged, pairs, pairing } = call.consts();
    let AttentionConsts { heads, kv_heads, head_dim, k_type, v_type, act, max_rows, window, softcap } =
        ragged.attention;
    let blocks = ragged.blocks;
    let consts = RopeKvAttentionConsts {
        heads,
        kv_heads,
        head_dim,
        pairs,
        pairing,
        k_type,
        v_type,
        act,
        max_rows,
        window,
        max_seq: 0,
        softcap,
        blocks,
    };
    // SAFETY: the caller's promise; the bindings before the output are the same.
    unsafe { rope_kv_attention::twin(call, &consts, 6, part, parts) }
}
