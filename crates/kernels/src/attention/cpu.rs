//! The CPU versions: tiles of `flash_attention`, dealt back and forth, since later rows see more positions.

use super::{cpu_any, reference};
use crate::cpu::{CpuFn, Level};
use crate::flash_attention::AttentionConsts;
use crate::flash_attention::cpu::select as select_tiles;
use crate::flash_attention::cpu_tile::{Job, Piece, Schedule};

/// The version for a level with a schedule. Heads that the tiles do not take have a simple version, which divides by
/// (row, head) and never splits the length.
pub(crate) fn select<W: Schedule>(level: Level, c: &AttentionConsts) -> CpuFn {
    if level == Level::Reference {
        return reference::run;
    }
    select_tiles::<W>(level, c).unwrap_or(cpu_any::run)
}

/// Whole tiles, all spans at once.
pub(crate) struct Dealt {
    part: u32,
    parts: u32,
    /// The next tile of all parts', counted [rows][KV head], and of its queries the next.
    tile: usize,
    query: usize,
}

impl Schedule for Dealt {
    fn new(_: &Job<'_>, part: u32, parts: u32) -> Self {
        Self { part, parts, tile: 0, query: 0 }
    }

    fn next(&mut self, job: &Job<'_>) -> Option<Piece> {
        let (rows, kv_heads, group) = (job.rows(), job.c.kv_heads as usize, job.group());
        let rows_per = (job.most / group).max(1);
        while self.tile < rows.div_ceil(rows_per) * kv_heads {
            let (round, place) = (self.tile as u32 / self.parts, self.tile as u32 % self.parts);
            let first = self.tile / kv_heads * rows_per;
            let queries = first * group..rows.min(first + rows_per) * group;
            let from = queries.start + self.query;
            let mine = if round.is_multiple_of(2) { place } else { self.parts - 1 - place } == self.part;
            if !mine || from >= queries.end {
                (self.tile, self.query) = (self.tile + 1, 0);
                continue;
            }
            self.query += job.most;
            let units = from..queries.end.min(from + job.most);
            let kv_head = self.tile % kv_heads;
            return Some(Piece { kv_head, units, spans: 0..usize::MAX, shared: false, last: false });
        }
        None
    }
}
