//! The plain twin: all scores of one row and head, softmax, weighted sum, in f32.

use super::{AttentionConsts, AttentionParams, KvFormat, capped, first_visible, kv_place, load_kv};
use crate::act::{self, ActFormat};
use crate::cpu::{Call, share};

/// Attention, one (row, head) at a time.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for `attention`'s contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: AttentionConsts = call.consts();
    let p: AttentionParams = call.params();
    let (h, hkv, hd) = (c.heads as usize, c.kv_heads as usize, c.head_dim as usize);
    let Some(fmt) = ActFormat::from_word(c.act) else { return };
    let (Some(k), Some(v)) = (KvFormat::from_word(c.k_type), KvFormat::from_word(c.v_type)) else { return };
    let rb = fmt.row_bytes(h * hd);
    // SAFETY: shapes by the contract; parts own disjoint (row, head) pairs, and a format's bytes of two heads
    // are disjoint because head_dim is a multiple of its block (checked by the contract).
    unsafe {
        let step = call.step(0);
        let table = call.slice::<u32>(1, 0, call.bufs[1].len / 4);
        let rows = step.header().rows as usize;
        let mut out = vec![0f32; hd];
        let mut elem = vec![0f32; hd];
        let mut scores = Vec::new();
        for unit in share(rows * h, part, parts) {
            let (r, head) = (unit / h, unit % h);
            let pos = step.row(r as u32).pos as usize;
            let kv_head = head / (h / hkv);
            let q = call.slice::<f32>(2, r * (h + 2 * hkv) * hd + head * hd, hd);
            scores.clear();
            let first = first_visible(pos, c.window);
            for j in first..=pos {
                load_kv(call, 3, k, kv_place(table, hkv, kv_head, j), &mut elem);
                let score = p.scale * q.iter().zip(&elem).map(|(a, b)| a * b).sum::<f32>();
                scores.push(capped(score, c.softcap));
            }
            let max = scores.iter().fold(f32::NEG_INFINITY, |m, s| m.max(*s));
            out.fill(0.0);
            let mut sum = 0f32;
            for (i, s) in scores.iter().enumerate() {
                let e = (s - max).exp();
                sum += e;
                load_kv(call, 4, v, kv_place(table, hkv, kv_head, first + i), &mut elem);
                for (o, v) in out.iter_mut().zip(&elem) {
                    *o += e * v;
                }
            }
            for o in &mut out {
                *o /= sum;
            }
            store_head(call, fmt, rb, r, h * hd, head * hd, &out);
        }
    }
}

/// Stores one head's output in the activation format, touching only that head's bytes.
///
/// # Safety
/// Binding 5 holds rows of `rb` bytes; no other part stores this head of this row.
pub unsafe fn store_head(
    call: &Call<'_>,
    fmt: ActFormat,
    rb: usize,
    row: usize,
    k: usize,
    from: usize,
    out: &[f32],
) {
    let b = call.bufs[5];
    // SAFETY: `store` writes only the bytes of values from..from+len; the slice over the whole row is used by
    // this part for those bytes only. Other parts may write other bytes of the row at the same time, so the
    // exclusive slice must not be read elsewhere; `store` never reads the row.
    unsafe {
        let row = std::slice::from_raw_parts_mut(b.ptr.add(row * rb), rb);
        act::store(fmt, row, k, from, out);
    }
}
