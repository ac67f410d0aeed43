//! `split_attention`: `attention` of few rows, with the KV length split over workers.
//!
//! Positions lie in *spans* of 256. What a query gathers from each is added up in the order of spans, whoever gathered it: the number of workers changes no bit, and the results are `attention`'s own.

use crate::attention;
use crate::contract::{Kernel, Rows, reads, typed, updates, writes};
use crate::error::require;
use crate::flash_attention::{AttentionConsts, AttentionParams, check, cost};
use crate::machine::Version;
use crate::step::KV_BLOCK;
use crate::words::{from_words, shared};

pub(crate) mod cpu;

shared! {
    /// Compile-time constants.
    pub struct SplitAttentionConsts {
        /// `attention`'s.
        pub attention: AttentionConsts,
        /// Most spans that the rows of a step see together: [`most_spans`].
        pub spans: u32,
    }
}

/// The contract. `attention`'s bindings, then partials (scratch of [`partial_bytes`]) and sync (counters of [`sync_bytes`]),
/// zero before and after. Parameters are `attention`'s.
pub static KERNEL: Kernel = Kernel {
    name: "split_attention",
    bindings: &[
        reads("step"),
        reads("block_table"),
        reads("qkv"),
        reads("k_cache"),
        reads("v_cache"),
        writes("out"),
        writes("partials"),
        updates("sync"),
    ],
    consts: SplitAttentionConsts::NAMES,
    params: AttentionParams::FIELDS,
    rows: Rows::Consecutive,
    check: typed!(|c: SplitAttentionConsts| {
        check("split_attention", &c.attention)?;
        require("split_attention", c.spans != 0, || "no span".into())
    }),
    units: typed!(|c: SplitAttentionConsts| {
        c.attention.heads.saturating_mul(c.attention.max_rows).saturating_mul(c.spans)
    }),
    cost: typed!(|c: SplitAttentionConsts, load| cost(&c.attention, load)),
    versions: &[Version::Cpu(typed!(|level, c: SplitAttentionConsts| {
        Ok(attention::cpu::select::<cpu::Shares>(level, &c.attention))
    }))],
};

/// Most spans that `rows` successive positions below `max_seq` see together, each the last `window` positions (0 for all).
pub fn most_spans(max_seq: u32, window: u32, rows: u32) -> u32 {
    let all = max_seq.div_ceil(KV_BLOCK).max(1);
    match window {
        0 => all,
        // The first position may be the last of its span.
        _ => all.min((window.saturating_add(rows).saturating_sub(2)).div_ceil(KV_BLOCK).saturating_add(1)),
    }
}

/// Numbers of one partial result: the head's weighted sum, then maximum and sum in a line of their own.
const fn stride(c: &AttentionConsts) -> u64 {
    c.head_dim as u64 + 16
}

/// Bytes of the partial results: `[kv_heads, spans, queries]` of `head_dim` sums, a maximum and a sum, in f32, padded to
/// whole lines.
pub fn partial_bytes(consts: &[u32]) -> u64 {
    let c: SplitAttentionConsts = from_words(consts);
    let (queries, spans) =
        (u64::from(c.attention.max_rows) * u64::from(c.attention.heads), u64::from(c.spans));
    // One span is nobody's to share.
    if c.spans < 2 { 64 } else { queries.saturating_mul(spans).saturating_mul(stride(&c.attention) * 4) }
}

/// Bytes between two counters, so that each has its own line.
const COUNTER: usize = 64;

/// Bytes of the counters, one for each KV head.
pub fn sync_bytes(consts: &[u32]) -> u64 {
    let c: SplitAttentionConsts = from_words(consts);
    u64::from(c.attention.kv_heads) * COUNTER as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flash_attention::{SPAN, first_visible};

    #[test]
    fn no_step_sees_more_spans_than_were_planned() {
        for window in [0, 1, 2, 100, 255, 256, 257, 1024] {
            for rows in [1, 2, 8] {
                let mut most = 0;
                for first in 0..3000 {
                    let last = first + rows - 1;
                    let from = first_visible(first as usize, window) / SPAN;
                    let spans = (last as usize / SPAN + 1 - from) as u32;
                    let planned = most_spans(last + 1, window, rows);
                    assert!(
                        spans <= planned,
                        "{rows} rows at {first}, window {window}: {spans} of {planned}"
                    );
                    most = most.max(spans);
                }
                assert_eq!(most, most_spans(3000 + rows - 1, window, rows), "{rows} rows, window {window}");
            }
        }
    }
}
