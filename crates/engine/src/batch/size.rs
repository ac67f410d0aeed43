//! How large a batch is where nobody says it, and whether it fits.
//!
//! On a device with memory of its own the KV cache fills what is left of it, up to what the sequences can use. A CPU's memory
//! is everybody's: the cache holds one whole context there, and a block for each sequence. Any sequence may use the whole context in
//! both cases.

use super::BatchOptions;
use crate::Error;
use crate::error::Lower;
use crate::model::{Model, Plan};
use akunu_device::DeviceInfo;
use akunu_kernels::step::KV_BLOCK;
use akunu_plan::{BatchSize, MAX_BLOCKS, PlanError, Program};

/// Share of what is free beside weights and scratch that the KV cache fills; the rest is left to the system and to whoever else
/// uses the device.
const CACHE_SHARE: f64 = 0.9;

impl Model {
    /// The layout of a batch, before anything is allocated. It may need more memory than is free: [`Model::check_batch`].
    pub fn batch_program(&self, options: &BatchOptions) -> Result<Program, Error> {
        layout(&self.inner.program, options, free(&self.device()))
    }

    /// The same; an error where there is less memory than it needs.
    pub fn check_batch(&self, options: &BatchOptions) -> Result<Program, Error> {
        let free = free(&self.device());
        let program = layout(&self.inner.program, options, free)?;
        check(&self.inner.program, &program, options, free)?;
        Ok(program)
    }
}

impl Plan {
    /// The layout of a batch of the model, before anything is allocated, the weights among it. It may need more memory than
    /// is free: [`Plan::check_batch`].
    pub fn batch(&self, options: &BatchOptions) -> Result<Program, Error> {
        layout(&self.program, options, self.left())
    }

    /// An error where there is less memory than a batch and the weights need.
    pub fn check_batch(&self, options: &BatchOptions) -> Result<(), Error> {
        let left = self.left();
        check(&self.program, &layout(&self.program, options, left)?, options, left)
    }

    /// What the weights will leave.
    fn left(&self) -> Option<u64> {
        let weights = self.program.bytes() - self.program.own_bytes();
        free(&self.device).map(|free| free.saturating_sub(weights))
    }
}

/// Free memory of a device that knows it.
fn free(device: &DeviceInfo) -> Option<u64> {
    Some(device.free_bytes).filter(|free| *free > 0)
}

/// A batch of a session's program with what was asked for. Of what was not, as much as fits into what is free.
fn layout(p: &Program, options: &BatchOptions, free: Option<u64>) -> Result<Program, Error> {
    let blocks = |tokens: u64| {
        let blocks = u32::try_from(tokens.div_ceil(KV_BLOCK.into())).ok().filter(|b| *b <= MAX_BLOCKS);
        let remedy = "choose 4294967296 at most, or leave it out for what suits the device";
        blocks.ok_or_else(|| Error::Option { name: "`cache_tokens`", value: tokens.to_string(), remedy })
    };
    let asked = options.cache_tokens.map(blocks).transpose()?;
    let sized = |sequences: u32| {
        let blocks = match (asked, free) {
            (Some(blocks), _) => blocks,
            (None, Some(free)) if p.target.machine.has_own_memory() => {
                p.blocks_within(sequences, free, CACHE_SHARE)?
            }
            (None, _) => p.cache.blocks().saturating_add(sequences),
        };
        let batch = p.batch(BatchSize { sequences, blocks })?;
        Ok::<_, PlanError>(match options.drafts {
            Some(drafts) => batch.drafting(drafts.most),
            None => batch,
        })
    };
    if let Some(sequences) = options.sequences {
        return Ok(sized(sequences)?);
    }
    // Each needs a block.
    let mut sequences = p.target.sequences.min(asked.unwrap_or(u32::MAX)).max(1);
    loop {
        let program = sized(sequences)?;
        if sequences == 1 || free.is_none_or(|free| program.own_bytes() <= free) {
            return Ok(program);
        }
        sequences /= 2;
    }
}

/// Refuses a batch that needs more than is free, and says what makes it smaller.
fn check(p: &Program, batch: &Program, options: &BatchOptions, free: Option<u64>) -> Result<(), Error> {
    let (needed, sequences) = (batch.own_bytes(), batch.capacity().seqs);
    let Some(free) = free.filter(|free| needed > *free) else { return Ok(()) };
    let fits = |sequences| {
        let size = BatchSize { sequences, blocks: p.fewest_blocks(sequences) };
        p.batch(size).is_ok_and(|p| p.own_bytes() <= free)
    };
    let lower = match options.cache_tokens {
        Some(_) if fits(sequences) => Lower::CacheTokens,
        _ if fits(1) => Lower::Sequences,
        _ => Lower::Context,
    };
    Err(Error::Memory {
        sequences,
        tokens: u64::from(batch.cache.pool) * u64::from(KV_BLOCK),
        needed,
        free,
        lower,
    })
}
