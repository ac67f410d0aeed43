//! The CPU versions: tiles of `flash_attention`, dealt by what they cost.
//!
//! A *run* is a longest group of successive rows of one sequence. A tile has rows of one run, and what they see together has
//! no gap: of a sequence whose rows see far places through a window, each place is a tile of its own. So a tile reads nothing
//! that none of its rows sees. Rows of a run may have any positions in any order.
//!
//! Sequences may differ in length by orders of magnitude, so parts get shares of the cost, not of the rows. Every part computes
//! all shares anew from the step's rows, which takes no memory and no agreement.
//!
//! Absent: splitting a tile over its length. Where there are fewer tiles than parts, as for one long sequence on many cores,
//! some parts idle; for one sequence there is `split_attention`.

use super::RaggedAttentionConsts;
use crate::attention::cpu_any;
use crate::cpu::{Call, CpuFn, Level};
use crate::flash_attention::cpu::select as select_tiles;
use crate::flash_attention::cpu_tile::{BLOCK, Job, Piece, Schedule};
use crate::flash_attention::{AttentionConsts, first_visible};
use crate::kv::{KvPlace, kv_place};
use crate::step::{Block, SeqIndex};
use std::ops::Range;

/// The version for a level. Heads that the tiles do not take have a simple version.
pub(super) fn select(level: Level, c: &AttentionConsts) -> CpuFn {
    if level == Level::Reference {
        return super::run;
    }
    select_tiles::<Shares>(level, c).unwrap_or(any)
}

/// What a block costs beside its queries, in queries: it is read and widened, and its keys transposed, for few as for many.
/// Processors differ; the number only decides how even the shares are.
const READING: usize = 6;

/// The row of the block table that a sequence has.
fn table_of(tables: &[Block], blocks: u32, seq: SeqIndex) -> &[Block] {
    &tables[seq.index() * blocks as usize..][..blocks as usize]
}

/// A part's share of the tiles, counted [tile][KV head].
#[derive(Clone)]
struct Shares {
    /// Entries of the block table for each sequence.
    blocks: u32,
    deal: Deal,
    tile: Tile,
    /// The KV heads of the tile that are left to do.
    kv_heads: Range<usize>,
}

impl Schedule for Shares {
    fn new(job: &Job<'_>, part: u32, parts: u32) -> Self {
        let RaggedAttentionConsts { blocks, .. } = job.call.consts();
        let tiles = std::iter::successors(Tile::from(job, 0), |tile| Tile::from(job, tile.units.end));
        let total = tiles.map(|tile| tile.cost() * u64::from(job.c.kv_heads)).sum();
        Self { blocks, deal: Deal::new(part, parts, total), tile: Tile::default(), kv_heads: 0..0 }
    }

    fn next(&mut self, job: &Job<'_>) -> Option<Piece> {
        loop {
            if let Some(kv_head) = self.kv_heads.next() {
                let units = self.tile.units.clone();
                return Some(Piece { kv_head, units, spans: 0..usize::MAX, shared: false, last: false });
            }
            if self.deal.is_over() {
                return None;
            }
            self.tile = Tile::from(job, self.tile.units.end)?;
            self.kv_heads = self.deal.next(self.tile.cost(), job.c.kv_heads as usize);
        }
    }

    fn table<'a>(&self, job: &Job<'a>, piece: &Piece) -> &'a [Block] {
        let row = piece.units.start / job.group();
        table_of(job.table, self.blocks, job.step.row(row as u32).seq)
    }

    fn then(&self, job: &Job<'_>, _: &Piece, _: usize) -> Option<KvPlace> {
        let mut ahead = self.clone();
        let piece = ahead.next(job)?;
        let from = ahead.tile.seen.start / BLOCK * BLOCK;
        Some(kv_place(self.table(job, &piece), job.c.kv_heads as usize, piece.kv_head, from))
    }
}

/// Queries that go through the cache together, the same of each KV head.
#[derive(Clone, Default)]
struct Tile {
    /// Queries of a KV head, numbered [row][head of the group].
    units: Range<usize>,
    /// The positions that they see; each is seen by one of them at least.
    seen: Range<usize>,
}

impl Tile {
    /// The tile whose first query is `unit`; none after the last row.
    fn from(job: &Job<'_>, unit: usize) -> Option<Self> {
        let (group, first) = (job.group(), unit / job.group());
        if first >= job.rows() {
            return None;
        }
        let place = |row: usize| job.step.row(row as u32);
        let visible = |row: usize| {
            let pos = place(row).pos.index();
            first_visible(pos, job.c.window)..pos + 1
        };
        let most = job.rows().min(first + (job.most / group).max(1));
        let (mut seen, mut end) = (visible(first), first + 1);
        while end < most && place(end).seq == place(first).seq {
            let next = visible(end);
            if next.start > seen.end || seen.start > next.end {
                break;
            }
            seen = seen.start.min(next.start)..seen.end.max(next.end);
            end += 1;
        }
        // Groups wider than a tile go on in the same row.
        Some(Self { units: unit..(end * group).min(unit + job.most), seen })
    }

    /// What it costs for one KV head, in (query, block of positions) pairs.
    fn cost(&self) -> u64 {
        let blocks = self.seen.end.div_ceil(BLOCK) - self.seen.start / BLOCK;
        ((self.units.len() + READING) * blocks) as u64
    }
}

/// Deals units of work to parts. A part gets those whose middle lies in its even share of the cost: a contiguous share, which
/// differs from an even one by no more than the greatest unit.
#[derive(Clone)]
pub(crate) struct Deal {
    part: u64,
    parts: u64,
    /// The cost of all units.
    total: u64,
    /// The cost of the units that have been dealt.
    dealt: u64,
}

impl Deal {
    pub(crate) fn new(part: u32, parts: u32, total: u64) -> Self {
        Self { part: part.into(), parts: parts.into(), total, dealt: 0 }
    }

    /// Which of the next `count` units are this part's, each of a cost above 0.
    pub(crate) fn next(&mut self, cost: u64, count: usize) -> Range<usize> {
        // Units whose middle lies before a part's share, in halves of the cost, times the number of parts.
        let before = |part: u64| {
            let room = (2 * part * self.total).saturating_sub(self.parts * (2 * self.dealt + cost));
            room.div_ceil(2 * self.parts * cost).min(count as u64) as usize
        };
        let mine = before(self.part)..before(self.part + 1);
        self.dealt += cost * count as u64;
        mine
    }

    /// Whether all units to come are other parts'.
    pub(crate) fn is_over(&self) -> bool {
        self.dealt * self.parts >= (self.part + 1) * self.total
    }
}

/// Heads of any width, one (row, head) at a time.
///
/// # Safety
/// As [`CpuFn`], for this contract.
unsafe fn any(call: &Call<'_>, part: u32, parts: u32) {
    let RaggedAttentionConsts { attention: c, blocks } = call.consts();
    // SAFETY: bindings 0 and 1 are the step block and the block table by the contract.
    let (step, tables) = unsafe { (call.step(0), call.slice(1, 0, call.bufs[1].len / 4)) };
    let rows = step.header().rows;
    let cost = |row: u32| {
        let pos = step.row(row).pos.index();
        (pos + 1 - first_visible(pos, c.window)) as u64
    };
    let total = (0..rows).map(|row| cost(row) * u64::from(c.heads)).sum();
    let mut deal = Deal::new(part, parts, total);
    for row in 0..rows {
        let place = step.row(row);
        for head in deal.next(cost(row), c.heads as usize) {
            let table = table_of(tables, blocks, place.seq);
            // SAFETY: shapes by the contract; parts own disjoint (row, head) pairs.
            unsafe { cpu_any::attend(call, &c, table, row as usize, place.pos.index(), head) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Deal;

    /// Shares go on where the one before ends, and none is further from an even one than a unit.
    #[test]
    fn shares_are_whole_contiguous_and_even() {
        let kinds: &[&[(u64, usize)]] = &[
            &[(1, 1)],
            &[(7, 3)],
            &[(1, 5), (100_000, 1), (1, 5)],
            &[(3, 3), (1600, 3), (8, 3), (8, 3), (63, 3)],
            &[(5, 8); 512],
            &[],
        ];
        for units in kinds {
            let total = units.iter().map(|(cost, count)| cost * *count as u64).sum();
            let most = units.iter().map(|u| u.0).max().unwrap_or(0);
            for parts in 1..20 {
                let mut deals: Vec<Deal> = (0..parts).map(|part| Deal::new(part, parts, total)).collect();
                let mut costs = vec![0; parts as usize];
                for &(cost, count) in *units {
                    let mut end = 0;
                    for (deal, sum) in deals.iter_mut().zip(&mut costs) {
                        let over = deal.is_over();
                        let mine = deal.next(cost, count);
                        assert_eq!(mine.start, end, "{parts} parts");
                        assert!(!over || mine.is_empty(), "{parts} parts: more after the end");
                        end = mine.end;
                        *sum += cost * mine.len() as u64;
                    }
                    assert_eq!(end, count, "{parts} parts");
                }
                let even = total as f64 / f64::from(parts);
                for cost in costs {
                    assert!((cost as f64 - even).abs() <= most as f64, "{cost} of {even}, {parts} parts");
                }
            }
        }
    }
}
