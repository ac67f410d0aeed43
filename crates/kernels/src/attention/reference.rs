//! The plain twin: all scores of one row and head, softmax, weighted sum, in f32.

use crate::act::cpu::Row;
use crate::act::{self, ActFormat};
use crate::cpu::{Call, share};
use crate::flash_attention::{AttentionConsts, AttentionParams, capped, first_visible};
use crate::kv::{self, KvFormat, kv_place};
use crate::step::Block;

/// Attention, one (row, head) at a time.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for `attention`'s contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: AttentionConsts = call.consts();
    let (h, hkv, hd) = (c.heads as usize, c.kv_heads as usize, c.head_dim as usize);
    let Some(format) = ActFormat::from_word(c.act) else { return };
    let (Some(k), Some(v)) = (KvFormat::from_word(c.k_type), KvFormat::from_word(c.v_type)) else { return };
    // SAFETY: shapes by the contract; parts own disjoint (row, head) pairs.
    unsafe {
        let step = call.step(0);
        let past = Past {
            call,
            table: call.slice(1, 0, call.bufs[1].len / 4),
            bindings: [3, 4],
            formats: [k, v],
            kv_heads: hkv,
            window: c.window,
            softcap: c.softcap,
            scale: call.params::<AttentionParams>().scale,
        };
        let mut out = vec![0f32; hd];
        for unit in share(step.header().rows as usize * h, part, parts) {
            let (r, head) = (unit / h, unit % h);
            let q = call.slice::<f32>(2, r * (h + 2 * hkv) * hd + head * hd, hd);
            past.attend(head / (h / hkv), step.row(r as u32).pos.index(), q, &mut out);
            let row = Row { call, binding: 5, format, row: r, k: h * hd };
            act::store(format, row.bytes(head * hd..(head + 1) * hd), 0, &out);
        }
    }
}

/// A layer's keys and values.
pub(crate) struct Past<'a> {
    pub(crate) call: &'a Call<'a>,
    pub(crate) table: &'a [Block],
    /// Of the keys, of the values.
    pub(crate) bindings: [usize; 2],
    pub(crate) formats: [KvFormat; 2],
    pub(crate) kv_heads: usize,
    pub(crate) window: u32,
    /// Bits of the bound, as the contract has them.
    pub(crate) softcap: u32,
    pub(crate) scale: f32,
}

impl Past<'_> {
    /// The values that query `q` at a position sees, weighed.
    ///
    /// # Safety
    /// The cache has the positions, and nothing writes this head's meanwhile.
    pub(crate) unsafe fn attend(&self, kv_head: usize, pos: usize, q: &[f32], out: &mut [f32]) {
        let ([keys, values], [k, v]) = (self.bindings, self.formats);
        let place = |j: usize| kv_place(self.table, self.kv_heads, kv_head, j);
        let mut elem = vec![0f32; q.len()];
        let first = first_visible(pos, self.window);
        let mut scores = Vec::with_capacity(pos + 1 - first);
        for j in first..=pos {
            // SAFETY: the caller's promise.
            unsafe { kv::load(self.call, keys, k, place(j), &mut elem) };
            let score = self.scale * q.iter().zip(&elem).map(|(a, b)| a * b).sum::<f32>();
            scores.push(capped(score, self.softcap));
        }
        let max = scores.iter().fold(f32::NEG_INFINITY, |m, s| m.max(*s));
        out.fill(0.0);
        let mut sum = 0f32;
        for (i, s) in scores.iter().enumerate() {
            let e = (s - max).exp();
            sum += e;
            // SAFETY: the caller's promise.
            unsafe { kv::load(self.call, values, v, place(first + i), &mut elem) };
            out.iter_mut().zip(&elem).for_each(|(o, v)| *o += e * v);
        }
        out.iter_mut().for_each(|o| *o /= sum);
    }
}
