//! A program's KV cache: its formats, and where each layer's keys and values lie.

use crate::arch::ArchDescriptor;
use crate::settings::Settings;
use crate::walk::most_rows;
use crate::{PlanError, Target};
use akunu_kernels::attention::first_visible;
use akunu_kernels::kv::KvFormat;
use akunu_kernels::step::{KV_BLOCK, RowCount};
use akunu_model::ModelConfig;

/// The KV cache of all layers. One block holds 256 positions of all KV heads of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// Format of the keys.
    pub k: KvFormat,
    /// Format of the values.
    pub v: KvFormat,
    /// Blocks of windowed layers, where they are fewer than the context's: those layers keep their window and some
    /// slack, in a ring.
    pub ring: Option<u32>,
    /// In a batch, the pool of windowed layers, where it is smaller than the others'.
    pub windows: Option<WindowPool>,
    /// Blocks of all other layers: the context's, or those that the sequences of a batch share.
    pub pool: u32,
    context: u32,
    kv_heads: u32,
    head_dim: u32,
    /// Whether each layer has a window.
    windowed: Vec<bool>,
}

/// Blocks of a batch's windowed layers. A sequence holds those that its window reaches and gives the others back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowPool {
    /// How many there are, for all sequences.
    pub blocks: u32,
    /// Positions that a row sees, its own among them, in the layer that sees the most.
    pub window: u32,
}

impl WindowPool {
    /// The most steps of a run: so far ahead do sequences hold blocks.
    pub const STEPS: u32 = KV_BLOCK;

    /// Enough for all sequences at once, in a step of any rows and the chain after it. `None` where that is no less than the pool
    /// of the other layers, or nothing is windowed.
    fn new(window: u32, target: &Target, settings: Settings) -> Option<Self> {
        let batch = settings.batch.filter(|_| window > 0)?;
        let rows = most_rows(&target.batch_ladder, settings.positions()).max(settings.head_rows);
        let blocks =
            batch.sequences.saturating_mul(Self::each(window)).saturating_add(rows.0.div_ceil(KV_BLOCK));
        Some(Self { blocks, window }).filter(|p| p.blocks < batch.blocks)
    }

    /// Blocks of a sequence that runs no piece of a prompt: its window begins and ends within a block, and so does the chain.
    fn each(window: u32) -> u32 {
        (window - 1).div_ceil(KV_BLOCK) + 3
    }

    /// The most blocks that a sequence holds at a time, in a step of so many rows and the chain after it.
    pub fn most(&self, rows: RowCount) -> u32 {
        Self::each(self.window).saturating_add(rows.0.div_ceil(KV_BLOCK))
    }

    /// The first block that a row at `position` sees something of; later rows see nothing before it either.
    pub fn first_block(&self, position: u32) -> u32 {
        first_visible(position as usize, self.window) as u32 / KV_BLOCK
    }
}

impl Cache {
    /// Of a model on a target; refuses formats that the target or the heads cannot have.
    pub(crate) fn new(
        arch: &ArchDescriptor,
        c: &ModelConfig,
        target: &Target,
        settings: Settings,
    ) -> Result<Self, PlanError> {
        let windows: Vec<u32> = (0..c.layers).map(|i| arch.attention(c, i).window).collect();
        let widest = windows.iter().copied().max().unwrap_or(0);
        let cache = Self {
            k: format("type of the K cache", settings.cache.k, c, target)?,
            v: format("type of the V cache", settings.cache.v, c, target)?,
            ring: ring(widest, target, settings),
            windows: WindowPool::new(widest, target, settings),
            pool: settings.batch.map_or(settings.context.div_ceil(KV_BLOCK), |b| b.blocks),
            context: settings.context,
            kv_heads: c.kv_heads,
            head_dim: c.head_dim,
            windowed: windows.iter().map(|w| *w != 0).collect(),
        };
        if cache.counted_bytes().is_none() {
            let value = cache.pool.to_string();
            let remedy =
                "their bytes are more than can be counted: choose a smaller cache or a shorter context";
            return Err(PlanError::Config { field: "blocks of the KV cache", value, remedy });
        }
        Ok(cache)
    }

    /// Bytes of keys and values, where they are fewer than 2^62.
    fn counted_bytes(&self) -> Option<u64> {
        let block = self.block_bytes(self.k).checked_add(self.block_bytes(self.v))?;
        let layers = 0..self.windowed.len() as u32;
        let blocks: u64 = layers.map(|i| u64::from(self.layer_blocks(i))).sum();
        blocks.checked_mul(block).filter(|bytes| *bytes < 1 << 62)
    }

    /// Blocks that hold a whole context: a sequence's entries in the block table.
    pub fn blocks(&self) -> u32 {
        self.context.div_ceil(KV_BLOCK)
    }

    /// Blocks of layer `i`: those of the pool that it has its own from, or a ring's.
    pub fn layer_blocks(&self, i: u32) -> u32 {
        let own = self.ring.or(self.windows.map(|w| w.blocks));
        own.filter(|_| self.windowed[i as usize]).unwrap_or(self.pool)
    }

    /// Whether layer `i` has a window.
    pub fn is_windowed(&self, i: u32) -> bool {
        self.windowed[i as usize]
    }

    /// Whether layer `i` has its blocks from the pool of windowed layers.
    pub fn has_window_blocks(&self, i: u32) -> bool {
        self.windows.is_some() && self.windowed[i as usize]
    }

    /// Bytes of a block of one layer's K cache or V cache in a format: a tile of 256 positions for each KV head.
    pub fn block_bytes(&self, format: KvFormat) -> u64 {
        u64::from(self.kv_heads) * format.tile_bytes(self.head_dim as usize) as u64
    }

    /// Where layer `i` lies in the region of the K cache or of the V cache, which `format` is: (offset, bytes).
    pub fn place(&self, i: u32, format: KvFormat) -> (u64, u64) {
        let before: u64 = (0..i).map(|i| u64::from(self.layer_blocks(i))).sum();
        let block = self.block_bytes(format);
        (before * block, u64::from(self.layer_blocks(i)) * block)
    }

    /// Bytes of all layers' keys, or values, in a format.
    pub fn bytes(&self, format: KvFormat) -> u64 {
        let blocks: u64 = (0..self.windowed.len() as u32).map(|i| u64::from(self.layer_blocks(i))).sum();
        blocks * self.block_bytes(format)
    }

    /// The first position that every layer still holds after `high` positions have been written.
    pub fn oldest_kept(&self, high: u32) -> u32 {
        match self.ring {
            Some(ring) if high > 0 => ((high - 1) / KV_BLOCK + 1).saturating_sub(ring) * KV_BLOCK,
            _ => 0,
        }
    }
}

/// Blocks that windowed layers need: the window of the first row of the largest step, the step itself, as much again to
/// rewind by, and the block that the window begins in. `None` where the context has no more, or nothing is windowed, and in a
/// batch, whose sequences take their blocks one by one.
fn ring(window: u32, target: &Target, settings: Settings) -> Option<u32> {
    if settings.batch.is_some() {
        return None;
    }
    let rows = most_rows(&target.ladder, settings.context).max(settings.head_rows);
    let ring = window.saturating_add(rows.0.saturating_mul(2)).div_ceil(KV_BLOCK) + 1;
    Some(ring).filter(|ring| window > 0 && *ring < settings.context.div_ceil(KV_BLOCK))
}

/// The format asked for, or the target's own.
fn format(
    field: &'static str,
    asked: Option<KvFormat>,
    c: &ModelConfig,
    target: &Target,
) -> Result<KvFormat, PlanError> {
    let Some(format) = asked.or(target.kv.first().copied()) else {
        let remedy = "the device keeps no KV cache; choose another device";
        return Err(PlanError::Config { field, value: "not known".into(), remedy });
    };
    if !target.kv.contains(&format) {
        let value = format!("{} on {}", format.name(), target.name);
        let remedy = "choose a format that the device has: f16, bf16 or q8_0";
        return Err(PlanError::Config { field, value, remedy });
    }
    if !format.holds(c.head_dim as usize) {
        let value = format!("{} for heads of {}", format.name(), c.head_dim);
        let remedy = "it needs heads of a multiple of 32; choose f16 or bf16";
        return Err(PlanError::Config { field, value, remedy });
    }
    Ok(format)
}
