//! How much memory a program takes, and the longest context that fits.

use crate::program::Program;
use crate::settings::{CacheTypes, Settings};
use crate::table::RegionKind;
use crate::{PlanError, Target};
use akunu_kernels::step::KV_BLOCK;
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
        Program::new(source, target.clone(), Settings { context, head_rows: 1, cache, batch: None })
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
