//! What a table's kernels rely on in the step block and the block table. Both are data that any host can write,
//! so the devices check them before each step; beyond these bounds kernels would leave their buffers. (Counters in
//! `sync` are not looked at: they begin at zero, and a host has no business there.)

use crate::DeviceError;
use akunu_kernels::Machine;
use akunu_kernels::contract::Rows;
use akunu_kernels::cpu::StepView;
use akunu_kernels::step::{Block, Capacity, KV_BLOCK, RowCount, SeqIndex};
use akunu_plan::table::Region;
use akunu_plan::{Ending, VerifiedTable};

/// Refuses a table that was built for another machine.
pub(crate) fn check_machine(table: &VerifiedTable, machine: Machine) -> Result<(), DeviceError> {
    if table.machine == machine {
        return Ok(());
    }
    Err(DeviceError::Machine { table: table.name.clone(), built: table.machine, machine })
}

/// Sequences that a step's rows are checked against.
pub(crate) const SEQS: usize = akunu_plan::MAX_SEQUENCES as usize;

/// The bounds of one table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    rows: RowCount,
    head_rows: RowCount,
    capacity: Capacity,
    /// Positions of one sequence that both its token belt and its entries in the block table hold; without either in the table, as many as
    /// its rows.
    positions: u64,
    /// The block tables: of all layers, and of windowed ones with a pool of their own.
    tables: [BlockTable; 2],
    rows_are: Rows,
    ending: Ending,
}

/// A block table: where it is, how many entries it has, and below which number its blocks are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockTable {
    pub(crate) region: Region,
    pub(crate) entries: usize,
    blocks: u64,
}

impl BlockTable {
    /// Whether every block lies inside the KV cache.
    pub(crate) fn fits(&self, entries: &[Block]) -> bool {
        entries.iter().all(|b| u64::from(b.0) < self.blocks)
    }
}

impl Limits {
    /// Those of a table; refuses one whose regions are not a program's, or whose step block is too small.
    pub(crate) fn of(table: &VerifiedTable) -> Result<Self, DeviceError> {
        let bytes = |r: Region| {
            table.regions.get(r as usize).map(|d| d.bytes).ok_or(DeviceError::Foreign { what: "region list" })
        };
        let capacity = table.capacity;
        let rows = capacity.rows.max(table.rows);
        let (step, need) = (bytes(Region::Step)?, Capacity { rows, ..capacity }.bytes() as u64);
        if step < need {
            return Err(DeviceError::Range { offset: 0, len: need, bytes: step });
        }
        let seqs = u64::from(capacity.seqs.max(1));
        if seqs > SEQS as u64 {
            return Err(DeviceError::Range { offset: 0, len: seqs, bytes: SEQS as u64 });
        }
        let entries = bytes(Region::BlockTable)? / 4;
        let belt = bytes(Region::Tokens)? / 4 / seqs;
        let any = |rows| table.kernels.iter().any(|k| k.kernel.rows == rows);
        let ordered = [Rows::Consecutive, Rows::Whole].into_iter().find(|rows| any(*rows));
        let rows_are = ordered.unwrap_or(Rows::Anywhere);
        // Without a cache the belt alone bounds positions, and whole sequences that read neither are bounded by the rows.
        let cached = (entries / seqs).saturating_mul(u64::from(KV_BLOCK));
        let held = if bytes(Region::KCache)? == 0 { belt } else { belt.min(cached) };
        let reads = |r: Region| table.bindings.iter().any(|b| b.region == r.id());
        let alone = rows_are == Rows::Whole && !reads(Region::Tokens) && !reads(Region::BlockTable);
        let positions = if alone { held.max(table.rows.into()) } else { held };
        Ok(Self {
            rows: table.rows,
            head_rows: if capacity.heads == 0 {
                table.head_rows
            } else {
                table.head_rows.min(RowCount(capacity.heads))
            },
            capacity,
            positions,
            tables: [
                BlockTable {
                    region: Region::BlockTable,
                    entries: entries as usize,
                    blocks: table.kv_blocks.map_or(entries, u64::from),
                },
                BlockTable {
                    region: Region::WindowTable,
                    entries: (bytes(Region::WindowTable)? / 4) as usize,
                    blocks: table.window_blocks.into(),
                },
            ],
            rows_are,
            ending: table.ending,
        })
    }

    /// Whether the next step stays inside. `block` is at least as large as [`Limits::of`] asks.
    pub(crate) fn step(&self, block: &[u8]) -> bool {
        let view = StepView::new(block);
        let (h, made) = (view.header(), self.capacity.header());
        (h.seqs_cap, h.heads_at, h.heads_cap) == (made.seqs_cap, made.heads_at, made.heads_cap)
            && RowCount(h.rows) <= self.rows
            && h.head_rows <= h.rows.min(self.head_rows.0)
            && if h.heads_at == 0 { self.session(view) } else { self.batch(view) }
    }

    fn session(&self, view: StepView<'_>) -> bool {
        u64::from(view.seq(SeqIndex(0)).len) <= self.positions
            && (0..view.header().rows).all(|r| {
                let row = view.row(r);
                row.seq == SeqIndex(0)
                    && u64::from(row.pos.0) < self.positions
                    && (self.rows_are == Rows::Anywhere || row.pos.0.wrapping_sub(r) == view.row(0).pos.0)
            })
    }

    /// Each sequence's rows stand together, at consecutive positions, and only the last of them draws, or the last ones, where drafts
    /// are verified. So no two rows have the same place.
    fn batch(&self, view: StepView<'_>) -> bool {
        let h = view.header();
        // A shift goes by it.
        if u64::from(view.seq(SeqIndex(0)).len) > self.positions {
            return false;
        }
        let mut seen = [0u64; SEQS / 64];
        let mut heads = 0;
        for r in 0..h.rows {
            let row = view.row(r);
            if row.seq.0 >= h.seqs_cap || u64::from(row.pos.0) >= self.positions {
                return false;
            }
            let before = r.checked_sub(1).map(|b| view.row(b));
            if before.is_some_and(|b| b.seq == row.seq) {
                if before.is_none_or(|b| b.pos.next() != row.pos) {
                    return false;
                }
            } else {
                if self.rows_are == Rows::Whole && row.pos.0 != 0 {
                    return false;
                }
                let (word, bit) = (row.seq.index() / 64, 1 << (row.seq.0 % 64));
                if seen[word] & bit != 0 {
                    return false;
                }
                seen[word] |= bit;
            }
            let last = r + 1 == h.rows || view.row(r + 1).seq != row.seq;
            if heads < h.head_rows && view.head(heads).row == r {
                heads += 1;
                let next_draws = heads < h.head_rows && view.head(heads).row == r + 1;
                if !(last || self.ending == Ending::Accept && next_draws) {
                    return false;
                }
            }
        }
        heads == h.head_rows
    }

    /// The block tables.
    pub(crate) fn tables(&self) -> &[BlockTable; 2] {
        &self.tables
    }

    /// (rows, head rows, positions, 1 where rows are consecutive and 2 where sequences are whole, entries and blocks of both block
    /// tables, what the header says of its capacity, 1 where several rows of a sequence may draw), for a device that checks by itself.
    #[cfg(any(feature = "cuda", feature = "vulkan", feature = "metal"))]
    pub(crate) fn words(&self) -> [u32; 12] {
        let word = |v: u64| u32::try_from(v).unwrap_or(u32::MAX);
        let consecutive = match self.rows_are {
            Rows::Anywhere => 0,
            Rows::Consecutive => 1,
            Rows::Whole => 2,
        };
        let made = self.capacity.header();
        let [[entries, blocks], [own, of]] = self.tables.map(|t| [t.entries as u64, t.blocks].map(word));
        let [seqs, heads_at, heads] = [made.seqs_cap, made.heads_at, made.heads_cap];
        let positions = word(self.positions);
        [
            self.rows.0,
            self.head_rows.0,
            positions,
            consecutive,
            entries,
            blocks,
            own,
            of,
            seqs,
            heads_at,
            heads,
            u32::from(self.ending == Ending::Accept),
        ]
    }

    /// Whether the table is a batch's.
    #[cfg(feature = "cuda")]
    pub(crate) fn is_batch(&self) -> bool {
        self.capacity.heads != 0
    }
}
