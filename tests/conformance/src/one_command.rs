//! One command of any kernel as a table of its own, run for one step on any device: the same bytes go in everywhere,
//! and every binding's bytes come out.

use akunu::RowCount;
use akunu::device::{Device, Memory};
use akunu::kernels::cpu::Level;
use akunu::kernels::step::{self, Capacity, Header, KV_BLOCK, Row, Seq, SeqIndex};
use akunu::kernels::{Access, Kernel};
use akunu::kernels::{Machine, accept};
use akunu::plan::table::{KernelUse, Label, Span};
use akunu::plan::{Binding, Command, Ending, Region, RegionKind, Table, VerifiedTable, verify};
use std::sync::Arc;

/// What went wrong, in words; a test prints it and fails.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Bytes after each binding that no kernel may write.
const GUARD: usize = 256;
/// What they are filled with.
const GUARD_BYTE: u8 = 0xA5;
/// Regions for bindings that have none of their own.
const FREE: [Region; 12] = [
    Region::H0,
    Region::H1,
    Region::X,
    Region::Qkv,
    Region::Angles,
    Region::AttnF32,
    Region::AttnOut,
    Region::GateUp,
    Region::FfnAct,
    Region::Logits,
    Region::Best,
    Region::Picks,
];

/// A command and the content of its bindings.
#[derive(Clone, Debug)]
pub struct OneCommand {
    kernel: &'static Kernel,
    consts: Vec<u32>,
    params: Vec<u32>,
    /// One for each binding, the step block first. Outputs hold their poison.
    buffers: Vec<Vec<u8>>,
    batch: Option<OfBatch>,
}

/// What a batch's command has beside a session's.
#[derive(Clone, Copy, Debug)]
struct OfBatch {
    capacity: Capacity,
    /// Entries of the block table for each sequence.
    entries: u32,
    /// Blocks of the cache.
    blocks: u32,
}

impl OneCommand {
    /// A command with constants, f32 parameters and the content of its bindings, in the contract's order.
    pub fn new(kernel: &'static Kernel, consts: &[u32], params: &[f32], buffers: Vec<Vec<u8>>) -> Self {
        let params = params.iter().map(|p| p.to_bits()).collect();
        Self { kernel, consts: consts.to_vec(), params, buffers, batch: None }
    }

    /// The same in a batch's table: the step block has a list of heads, and each sequence has so many entries of the block table,
    /// which name so many blocks.
    pub fn of_batch(self, capacity: Capacity, entries: u32, blocks: u32) -> Self {
        Self { batch: Some(OfBatch { capacity, entries, blocks }), ..self }
    }

    /// The content of binding `i` before the step.
    pub fn before(&self, i: usize) -> &[u8] {
        &self.buffers[i]
    }

    /// Changes the content of binding `i`.
    pub fn before_mut(&mut self, i: usize) -> &mut [u8] {
        &mut self.buffers[i]
    }

    /// What a level of the CPU runs for it: the address of its version, and the constants.
    pub fn version(&self, level: Level) -> Option<(usize, Vec<u32>)> {
        let version = self.kernel.cpu(level, &self.consts).ok()?;
        Some((version as usize, self.consts.clone()))
    }

    fn header(&self) -> Header {
        bytemuck::pod_read_unaligned(&self.buffers[0][..size_of::<Header>()])
    }

    /// Positions that the token belt and the KV cache must hold.
    fn positions(&self) -> u64 {
        if let Some(batch) = self.batch {
            return u64::from(batch.entries * KV_BLOCK);
        }
        let b = &self.buffers[0];
        let seq: Seq = bytemuck::pod_read_unaligned(&b[step::seq_offset(SeqIndex(0))..][..size_of::<Seq>()]);
        let rows = (0..self.header().rows).map(|r| {
            let row: Row = bytemuck::pod_read_unaligned(&b[step::row_offset(1, r)..][..size_of::<Row>()]);
            u64::from(row.pos.0) + 1
        });
        rows.max().unwrap_or(1).max(seq.len.into()).max(1)
    }

    /// Where each binding lies: region and offset.
    fn places(&self) -> Vec<(Region, u64)> {
        let (mut free, mut weights) = (FREE.into_iter(), 0u64);
        let bindings = self.kernel.bindings.iter().zip(&self.buffers);
        bindings
            .map(|(spec, bytes)| match spec.name {
                "step" => (Region::Step, 0),
                "tokens" => (Region::Tokens, 0),
                "block_table" => (Region::BlockTable, 0),
                "k_cache" => (Region::KCache, 0),
                "v_cache" => (Region::VCache, 0),
                "partials" => (Region::Partials, 0),
                "sync" => (Region::Sync, 0),
                "w" | "norm" | "weight" | "frequencies" => {
                    // Not at the region's start, so that a forgotten offset shows.
                    let at = weights + 256;
                    weights = (at + bytes.len() as u64).next_multiple_of(256);
                    (Region::Weights, at)
                }
                _ => (free.next().unwrap_or(Region::Staging), 0),
            })
            .collect()
    }

    /// The table: everything but weights outlives a replay, so inputs need no command that writes them.
    pub fn table(&self, machine: Machine) -> Result<VerifiedTable, Failure> {
        let k = self.kernel;
        let launch = k.launch(&machine, &self.consts)?;
        let at = k.consts.iter().position(|c| *c == "max_rows");
        let rows = at.map_or(1, |i| self.consts[i]).max(self.header().rows).max(1);
        let rows = RowCount(rows);
        let (capacity, head_rows) = match self.batch {
            Some(b) => (b.capacity, RowCount(b.capacity.heads).min(rows)),
            None => (Capacity::session(rows), rows),
        };
        let seqs = u64::from(capacity.seqs);
        let mut sizes = [0u64; Region::ALL.len()];
        sizes[Region::Step as usize] = capacity.bytes() as u64;
        // A belt that is bound says by its size how long it is.
        if !k.bindings.iter().any(|b| b.name == "tokens") {
            sizes[Region::Tokens as usize] = seqs * (self.positions() + 1) * 4;
        }
        sizes[Region::BlockTable as usize] = seqs * self.positions().div_ceil(KV_BLOCK.into()) * 4;
        let mut bindings = Vec::new();
        for ((region, offset), (spec, bytes)) in
            self.places().into_iter().zip(k.bindings.iter().zip(&self.buffers))
        {
            let len = bytes.len() as u64;
            // The block table's size says how many blocks there are.
            let guard = if region == Region::BlockTable { 0 } else { GUARD as u64 };
            let size = &mut sizes[region as usize];
            *size = (*size).max(offset + len + guard);
            bindings.push(Binding { region: region.id(), offset, len, access: spec.access });
        }
        let kind = |r| if r == Region::Weights { RegionKind::Weights } else { RegionKind::Persistent };
        let regions = Region::ALL.iter().zip(sizes).map(|(r, bytes)| r.declare(kind(*r), bytes));
        let span = |len: usize| Span { start: 0, len: len as u32 };
        let table = Table {
            name: k.name.into(),
            machine,
            rows,
            head_rows,
            ending: if k.name == accept::KERNEL.name { Ending::Accept } else { Ending::Advance },
            steps: akunu::plan::Steps::Many,
            capacity,
            kv_blocks: self.batch.map(|b| b.blocks),
            window_blocks: 0,
            regions: regions.collect(),
            kernels: vec![KernelUse { kernel: k, consts: self.consts.clone(), launch }],
            commands: vec![Command {
                kernel: 0,
                bindings: span(bindings.len()),
                params: span(self.params.len()),
            }],
            bindings,
            params: self.params.clone(),
            labels: vec![Label { layer: None, group: "test" }],
        };
        Ok(verify(table)?)
    }

    /// Runs one step and gives the content of every binding after it.
    pub fn run(&self, device: &dyn Device) -> Result<Vec<Vec<u8>>, Failure> {
        let table = self.table(device.target().machine)?;
        let stream = device.stream()?;
        let regions: Vec<Arc<dyn Memory>> =
            table.regions.iter().map(|d| device.alloc(d)).collect::<Result<_, _>>()?;
        let bound = || table.bindings_of(0).iter().zip(self.kernel.bindings).zip(&self.buffers);
        for ((b, _), bytes) in bound() {
            let m = &regions[b.region.0 as usize];
            m.write(b.offset, bytes)?;
            let behind = b.offset + b.len;
            if b.access != Access::Read {
                m.write(behind, &vec![GUARD_BYTE; (m.bytes().min(behind + GUARD as u64) - behind) as usize])?;
            }
        }
        let mut replay = device.lower(&table, &regions, &stream)?;
        replay.submit(1)?;
        stream.wait(u64::MAX, 0)?;
        let mut after = Vec::with_capacity(self.buffers.len());
        for ((b, spec), before) in bound() {
            let m = &regions[b.region.0 as usize];
            let mut bytes = vec![0u8; before.len()];
            m.read(b.offset, &mut bytes)?;
            if b.access == Access::Read && bytes != *before {
                return Err(format!("wrote binding `{}`, which it only reads", spec.name).into());
            }
            if b.access != Access::Read {
                let behind = b.offset + b.len;
                let mut guard = vec![0u8; (m.bytes().min(behind + GUARD as u64) - behind) as usize];
                m.read(behind, &mut guard)?;
                if guard.iter().any(|g| *g != GUARD_BYTE) {
                    return Err(format!("wrote behind binding `{}`", spec.name).into());
                }
            }
            after.push(bytes);
        }
        Ok(after)
    }
}
