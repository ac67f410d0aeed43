//! What is settled before a program is laid out.

use akunu_kernels::kv::KvFormat;
use akunu_kernels::step::{KV_BLOCK, RowCount};

/// What a session fixes before anything is allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Context length in tokens.
    pub context: u32,
    /// The most rows with logits that any table of the session serves: 1, or more for scoring.
    pub head_rows: RowCount,
    /// Formats of the KV cache.
    pub cache: CacheTypes,
    /// What many sequences share; `None` for a session, which has one.
    pub batch: Option<BatchSize>,
}

impl Settings {
    /// Positions that a step's rows can be at, of all sequences together.
    pub(crate) fn positions(&self) -> u32 {
        let cache = self.batch.map_or(0, |b| b.blocks.saturating_mul(KV_BLOCK));
        self.context.max(cache)
    }
}

/// The size of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchSize {
    /// The most sequences in a step.
    pub sequences: u32,
    /// Blocks of the KV cache, which all sequences share.
    pub blocks: u32,
}

/// Formats of the K cache and the V cache; `None` is the target's own choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheTypes {
    /// Of the keys.
    pub k: Option<KvFormat>,
    /// Of the values.
    pub v: Option<KvFormat>,
}
