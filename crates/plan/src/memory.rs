//! How much memory a program takes, the longest context that fits, and the largest cache of a batch.

use crate::program::{MAX_BLOCKS, Program};
use crate::settings::{BatchSize, CacheTypes, Settings};
use crate::table::{Region, RegionKind};
use crate::{PlanError, Target};
use akunu_kernels::step::{KV_BLOCK, RowCount};
use akunu_model::WeightSource;

impl Program {
    /// Bytes of memory for all regions of a kind; weights that stay in files are no memory.
    pub fn bytes_of(&self, kind: RegionKind) -> u64 {
        let all: u64 = self.regions.iter().filter(|r| r.kind == kind).map(|r| r.bytes).sum();
        if kind == RegionKind::Weights { all - self.weights.file_bytes } else { all }
    }

    /// Bytes of memory for all regions.
    pub fn bytes(&self) -> u64 {
        self.regions.iter().map(|r| r.bytes).sum::<u64>() - self.weights.file_bytes
    }

    /// Bytes of memory beside the weights, which all sessions and batches share.
    pub fn own_bytes(&self) -> u64 {
        self.bytes() - self.bytes_of(RegionKind::Weights)
    }

    /// Bytes of the KV cache.
    pub fn cache_bytes(&self) -> u64 {
        self.region(Region::KCache).bytes + self.region(Region::VCache).bytes
    }

    /// The fewest blocks that a batch of so many sequences can have: one whole context, and one for each sequence.
    pub fn fewest_blocks(&self, sequences: u32) -> u32 {
        self.settings.context.div_ceil(KV_BLOCK).max(sequences)
    }

    /// The blocks of a batch whose KV cache fills a share of what `available` bytes leave beside the weights and all else. No more
    /// than are of use: twice what all sequences can hold, so that as much again stays of those that have ended. No fewer than
    /// a batch needs, whether they fit or not.
    pub fn blocks_within(&self, sequences: u32, available: u64, share: f64) -> Result<u32, PlanError> {
        let least = self.fewest_blocks(sequences);
        let of_use = u64::from(self.settings.context.div_ceil(KV_BLOCK)) * u64::from(sequences) * 2;
        let most = of_use.clamp(least.into(), MAX_BLOCKS.max(least).into()) as u32;
        let fits = |blocks| {
            self.batch(BatchSize { sequences, blocks }).map(|p| {
                let left = available.saturating_sub(p.own_bytes() - p.cache_bytes());
                p.cache_bytes() <= (left as f64 * share) as u64
            })
        };
        if fits(most)? {
            return Ok(most);
        }
        let (mut low, mut high) = (least, most);
        while low + 1 < high {
            let mid = low + (high - low) / 2;
            if fits(mid)? {
                low = mid;
            } else {
                high = mid;
            }
        }
        Ok(low)
    }
}

/// The default context: the smaller of what the model was trained for and what fits into `available` bytes,
/// never below one KV block (or the trained length, if that is shorter).
pub fn default_context(
    source: &dyn WeightSource,
    target: &Target,
    cache: CacheTypes,
    available: u64,
) -> Result<u32, PlanError> {
    let trained = source.config().context.clamp(1, 1 << 24);
    let fits = |context| {
        Program::new(source, target.clone(), Settings { context, head_rows: RowCount(1), cache, batch: None })
            .map(|p| p.bytes() <= available)
    };
    if fits(trained)? {
        return Ok(trained);
    }
    let (mut low, mut high) = (1, trained.div_ceil(KV_BLOCK));
    while low + 1 < high {
        let mid = low + (high - low) / 2;
        if fits(mid * KV_BLOCK)? {
            low = mid;
        } else {
            high = mid;
        }
    }
    Ok((low * KV_BLOCK).min(trained))
}
