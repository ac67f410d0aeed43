//! What a table's kernels rely on in the step block and the block table. Both are data that any host can write,
//! so the devices check them before each step; beyond these bounds kernels would leave their buffers. (Counters in
//! `sync` are not looked at: they begin at zero, and a host has no business there.)

use crate::DeviceError;
use akunu_kernels::Machine;
use akunu_kernels::contract::Rows;
use akunu_kernels::cpu::StepView;
use akunu_kernels::step::{self, Block, KV_BLOCK, SeqIndex};
use akunu_plan::VerifiedTable;
use akunu_plan::table::Region;

/// Refuses a table that was built for another machine.
pub(crate) fn check_machine(table: &VerifiedTable, machine: Machine) -> Result<(), DeviceError> {
    if table.machine == machine {
        return Ok(());
    }
    Err(DeviceError::Machine { table: table.name.clone(), built: table.machine, machine })
}

/// The bounds of one table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    rows: u32,
    head_rows: u32,
    /// Positions that both the token belt and the KV cache hold.
    positions: u64,
    /// Blocks of the KV cache.
    blocks: u64,
    rows_are: Rows,
}

impl Limits {
    /// Those of a table; refuses one whose regions are not a program's, or whose step block is too small.
    pub(crate) fn of(table: &VerifiedTable) -> Result<Self, DeviceError> {
        let bytes = |r: Region| {
            table.regions.get(r as usize).map(|d| d.bytes).ok_or(DeviceError::Foreign { what: "region list" })
        };
        let (step, need) = (bytes(Region::Step)?, step::bytes(1, table.rows) as u64);
        if step < need {
            return Err(DeviceError::Range { offset: 0, len: need, bytes: step });
        }
        let blocks = bytes(Region::BlockTable)? / 4;
        let positions = (bytes(Region::Tokens)? / 4).min(blocks.saturating_mul(u64::from(KV_BLOCK)));
        let ordered = table.kernels.iter().any(|k| k.kernel.rows == Rows::Consecutive);
        let rows_are = if ordered { Rows::Consecutive } else { Rows::Anywhere };
        Ok(Self { rows: table.rows, head_rows: table.head_rows, positions, blocks, rows_are })
    }

    /// Whether the next step stays inside. `block` is at least as large as [`Limits::of`] asks.
    pub(crate) fn step(&self, block: &[u8]) -> bool {
        let view = StepView::new(block);
        let h = view.header();
        // One sequence per step block for now: the belt and the block table have room for one.
        h.seqs_cap == 1
            && h.rows <= self.rows
            && h.head_rows <= h.rows.min(self.head_rows)
            && u64::from(view.seq(SeqIndex(0)).len) <= self.positions
            && (0..h.rows).all(|r| {
                let row = view.row(r);
                row.seq == SeqIndex(0)
                    && u64::from(row.pos.0) < self.positions
                    && (self.rows_are == Rows::Anywhere || row.pos.0.wrapping_sub(r) == view.row(0).pos.0)
            })
    }

    /// Whether every block lies inside the KV cache.
    pub(crate) fn blocks(&self, table: &[Block]) -> bool {
        table.iter().all(|b| u64::from(b.0) < self.blocks)
    }

    /// (rows, head rows, positions, blocks, 1 where rows are consecutive), for a device that checks by itself.
    #[cfg(feature = "cuda")]
    pub(crate) fn words(&self) -> [u32; 5] {
        let word = |v: u64| u32::try_from(v).unwrap_or(u32::MAX);
        let consecutive = u32::from(self.rows_are == Rows::Consecutive);
        [self.rows, self.head_rows, word(self.positions), word(self.blocks), consecutive]
    }

    /// Blocks of the KV cache.
    pub(crate) fn block_count(&self) -> usize {
        self.blocks as usize
    }
}
