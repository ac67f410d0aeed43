//! How the CPU versions split few rows: evenly by (KV head, span, query).
//!
//! Work is counted [KV head][span][query], and a part takes a contiguous share of it. A KV head that is one part's alone, or
//! has one span, needs nothing of memory. Of any other, each part leaves its partial results there and counts them; whoever
//! counts the last one adds all of the head's up. Nobody waits.

use super::{COUNTER, SplitAttentionConsts, stride};
use crate::cpu::share;
use crate::flash_attention::cpu_tile::{Job, Piece, Query, Schedule, Sums};
use crate::kv::{KvPlace, kv_place};
use crate::simd::Lanes;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// Bindings after `attention`'s.
const PARTIALS: usize = 6;
const SYNC: usize = 7;

/// One part's share.
pub(crate) struct Shares {
    c: SplitAttentionConsts,
    /// What all rows see together.
    spans: Range<usize>,
    /// Queries of a KV head.
    queries: usize,
    share: Range<usize>,
    /// The next unit of the share.
    at: usize,
}

impl Schedule for Shares {
    fn new(job: &Job<'_>, part: u32, parts: u32) -> Self {
        let c: SplitAttentionConsts = job.call.consts();
        let (group, rows) = (job.group(), job.rows());
        let seen = (0..rows).map(|row| Query::new(job, 0, row * group).spans());
        let spans = seen.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0);
        let queries = rows * group;
        let (heads, per_head) = (c.attention.kv_heads as usize, spans.len() * queries);
        // Rows that do not follow each other may see more spans than there is room for; then heads stay whole.
        let share = if spans.len() > c.spans as usize {
            let heads = share(heads, part, parts);
            heads.start * per_head..heads.end * per_head
        } else {
            share(heads * per_head, part, parts)
        };
        Self { c, spans, queries, at: share.start, share }
    }

    fn next(&mut self, job: &Job<'_>) -> Option<Piece> {
        if self.at >= self.share.end {
            return None;
        }
        let per_head = self.spans.len() * self.queries;
        let (kv_head, unit) = (self.at / per_head, self.at % per_head);
        let mine = self.of(kv_head);
        let (span, query) = (unit / self.queries, unit % self.queries);
        if mine.len() == per_head || self.spans.len() == 1 {
            // Queries through all of their spans at once; those of the first span stand for them until all are done.
            let end = self.queries.min(mine.end);
            let units = query..end.min(query + job.most);
            let done = units.end == end;
            self.at += if done { mine.end - unit } else { units.len() };
            return Some(Piece { kv_head, units, spans: self.spans.clone(), shared: false, last: false });
        }
        // As many whole spans as follow, or what is left of one, and no more queries than a tile has.
        let left = mine.end - unit;
        let (spans, count) = match left / self.queries {
            0 => (1, left.min(self.queries - query).min(job.most)),
            n if query == 0 && self.queries <= job.most => (n, self.queries),
            _ => (1, (self.queries - query).min(job.most)),
        };
        self.at += spans * count;
        let from = self.spans.start + span;
        let last = unit + spans * count == mine.end;
        Some(Piece { kv_head, units: query..query + count, spans: from..from + spans, shared: true, last })
    }

    /// Shares mostly go on with the next head: right where workers have whole heads.
    fn then(&self, job: &Job<'_>, piece: &Piece, from: usize) -> Option<KvPlace> {
        let (head, heads) = (piece.kv_head + 1, job.c.kv_heads as usize);
        (head < heads).then(|| kv_place(job.table, heads, head, from))
    }

    unsafe fn leave(&self, job: &Job<'_>, kv_head: usize, query: usize, span: usize, sums: &Sums) {
        let (to, hd) = (self.partial(job, kv_head, query, span), self.c.attention.head_dim as usize);
        // SAFETY: the place is inside the binding, and this part's alone until it counts.
        unsafe {
            to.copy_from_nonoverlapping(sums.o, hd);
            to.add(hd).write(sums.max);
            to.add(hd + 1).write(sums.sum);
        }
    }

    /// Counts what this part has left, and adds the head's partial results up where they are complete.
    #[inline(always)]
    unsafe fn end<S: Lanes>(&self, job: &Job<'_>, kv_head: usize) {
        let (hd, units, sync) =
            (self.c.attention.head_dim as usize, self.of(kv_head).len(), job.call.bufs[SYNC]);
        assert!((kv_head + 1) * COUNTER <= sync.len, "fewer counters than KV heads");
        // SAFETY: inside the binding, aligned, and used as an atomic only.
        let counter = unsafe { AtomicU32::from_ptr(sync.ptr.add(kv_head * COUNTER).cast()) };
        // Each part's count releases its partial results. All changes are read-modify-writes, so whoever sees the last
        // one acquires them all; nobody counts here again before the command is over.
        let counted = counter.fetch_add(units as u32, Ordering::AcqRel) as usize + units;
        if counted < self.spans.len() * self.queries {
            return;
        }
        counter.store(0, Ordering::Relaxed);
        for unit in 0..self.queries {
            let query = Query::new(job, kv_head, unit);
            // SAFETY: every part has left its results, and nobody but the last one to count comes here.
            unsafe {
                let mut total = Sums::none::<S>(hd, job.room());
                for span in query.spans() {
                    let o = self.partial(job, kv_head, unit, span);
                    total.add::<S>(hd, &Sums { max: *o.add(hd), sum: *o.add(hd + 1), o });
                }
                total.finish::<S>(job, &query);
            }
        }
    }
}

impl Shares {
    /// Units of the share in a KV head, counted from the head's first.
    fn of(&self, kv_head: usize) -> Range<usize> {
        let per_head = self.spans.len() * self.queries;
        let first = kv_head * per_head;
        self.share.start.max(first) - first..self.share.end.min(first + per_head) - first
    }

    /// The place of a query's partial result of a span.
    fn partial(&self, job: &Job<'_>, kv_head: usize, query: usize, span: usize) -> *mut f32 {
        let (c, buf) = (&self.c.attention, job.call.bufs[PARTIALS]);
        let (spans, queries) = (self.c.spans as usize, (c.max_rows * (c.heads / c.kv_heads)) as usize);
        let bytes = stride(c) as usize * 4;
        let span = span - self.spans.start;
        let at = ((kv_head * spans + span) * queries + query) * bytes;
        assert!(span < spans && query < queries && at + bytes <= buf.len, "no room for a partial result");
        // SAFETY: just checked.
        unsafe { buf.ptr.add(at).cast() }
    }
}
