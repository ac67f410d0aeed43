//! `attention` for heads of any width: plain loops that allocate nothing.

use super::{AttentionConsts, AttentionParams, KvFormat, capped, first_visible, kv_offset, reference};
use crate::act::ActFormat;
use crate::cpu::{Call, share};
use half::f16;

/// Output values gathered at a time; a multiple of every activation block.
const CHUNK: usize = 64;

/// Attention, one (row, head) at a time, [`CHUNK`] values of the output at a time: each pass goes over all
/// positions with an online softmax.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for `attention`'s contract.
pub(super) unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: AttentionConsts = call.consts();
    let p: AttentionParams = call.params();
    let (h, hkv, hd) = (c.heads as usize, c.kv_heads as usize, c.head_dim as usize);
    let Some(format) = ActFormat::from_word(c.act) else { return };
    // SAFETY: shapes by the contract; parts own disjoint (row, head) pairs, see `reference::store_head`.
    unsafe {
        let step = call.step(0);
        let table = call.slice::<u32>(1, 0, call.bufs[1].len / 4);
        for unit in share(step.header().rows as usize * h, part, parts) {
            let (r, head) = (unit / h, unit % h);
            let pos = step.row(r as u32).pos as usize;
            let q = call.slice::<f32>(2, r * (h + 2 * hkv) * hd + head * hd, hd);
            for from in (0..hd).step_by(CHUNK) {
                let n = CHUNK.min(hd - from);
                let mut out = [0f32; CHUNK];
                let (mut max, mut sum) = (f32::NEG_INFINITY, 0f32);
                for j in first_visible(pos, c.window)..=pos {
                    let at = kv_offset(table, hkv, hd, head / (h / hkv), j);
                    let score = p.scale * (0..hd).map(|d| q[d] * element(call, 3, c.kv, at + d)).sum::<f32>();
                    let score = capped(score, c.softcap);
                    let new = max.max(score);
                    let (keep, e) = ((max - new).exp(), (score - new).exp());
                    (max, sum) = (new, sum * keep + e);
                    for d in 0..n {
                        out[d] = out[d] * keep + e * element(call, 4, c.kv, at + from + d);
                    }
                }
                for o in &mut out[..n] {
                    *o /= sum;
                }
                let rb = format.row_bytes(h * hd);
                reference::store_head(call, format, rb, r, h * hd, head * hd + from, &out[..n]);
            }
        }
    }
}

/// One element of a cache.
///
/// # Safety
/// The element is inside binding `i`.
unsafe fn element(call: &Call<'_>, i: usize, kv: u32, at: usize) -> f32 {
    // SAFETY: the caller's promise.
    unsafe {
        match KvFormat::from_word(kv) {
            KvFormat::F16 => call.slice::<f16>(i, at, 1)[0].to_f32(),
            KvFormat::F32 => call.slice::<f32>(i, at, 1)[0],
        }
    }
}
