//! Attention for heads of any width: plain loops that allocate nothing.

use crate::act::cpu::Row;
use crate::act::{self, ActFormat};
use crate::cpu::{Call, share};
use crate::flash_attention::{AttentionConsts, AttentionParams, capped, first_visible};
use crate::kv::{KvFormat, kv_place, load_part};
use crate::step::Block;

/// Output values gathered at a time; a multiple of every activation block.
const CHUNK: usize = 64;

/// Attention, one (row, head) at a time.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for `attention`'s contract.
pub(super) unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: AttentionConsts = call.consts();
    let h = c.heads as usize;
    // SAFETY: shapes by the contract; parts own disjoint (row, head) pairs.
    unsafe {
        let step = call.step(0);
        let table = call.slice::<Block>(1, 0, call.bufs[1].len / 4);
        for unit in share(step.header().rows as usize * h, part, parts) {
            let (row, head) = (unit / h, unit % h);
            attend(call, &c, table, row, step.row(row as u32).pos.index(), head);
        }
    }
}

/// Attention of one head of a row at `pos`, [`CHUNK`] values of the output at a time: each pass goes over all positions
/// with an online softmax.
///
/// # Safety
/// The call is one of `attention`, or of an operation with its constants, parameters and bindings 2 to 5; the table has the
/// row's positions; nobody else stores this (row, head) pair.
pub(crate) unsafe fn attend(
    call: &Call<'_>,
    c: &AttentionConsts,
    table: &[Block],
    row: usize,
    pos: usize,
    head: usize,
) {
    let p: AttentionParams = call.params();
    let (h, hkv, hd) = (c.heads as usize, c.kv_heads as usize, c.head_dim as usize);
    let Some(format) = ActFormat::from_word(c.act) else { return };
    let (Some(k), Some(v)) = (KvFormat::from_word(c.k_type), KvFormat::from_word(c.v_type)) else { return };
    let mut elem = [0f32; CHUNK];
    // SAFETY: the caller's promise.
    unsafe {
        let q = call.slice::<f32>(2, row * (h + 2 * hkv) * hd + head * hd, hd);
        for from in (0..hd).step_by(CHUNK) {
            let n = CHUNK.min(hd - from);
            let mut out = [0f32; CHUNK];
            let (mut max, mut sum) = (f32::NEG_INFINITY, 0f32);
            for j in first_visible(pos, c.window)..=pos {
                let at = kv_place(table, hkv, head / (h / hkv), j);
                let mut score = 0f32;
                for (i, q) in q.chunks(CHUNK).enumerate() {
                    load_part(call, 3, k, at, hd, i * CHUNK, &mut elem[..q.len()]);
                    score += q.iter().zip(&elem).map(|(q, k)| q * k).sum::<f32>();
                }
                let score = capped(p.scale * score, c.softcap);
                let new = max.max(score);
                let (keep, e) = ((max - new).exp(), (score - new).exp());
                (max, sum) = (new, sum * keep + e);
                load_part(call, 4, v, at, hd, from, &mut elem[..n]);
                for (o, v) in out[..n].iter_mut().zip(&elem) {
                    *o = *o * keep + e * v;
                }
            }
            for o in &mut out[..n] {
                *o /= sum;
            }
            let row = Row { call, binding: 5, format, row, k: h * hd };
            let at = head * hd + from;
            act::store(format, row.bytes(at..at + n), 0, &out[..n]);
        }
    }
}
