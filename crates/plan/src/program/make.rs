//! How programs are made: of a model, and of each other.

use super::{ENCODED, HOST_WEIGHTS, MAX_BLOCKS, MAX_SEQUENCES, Program};
use crate::arch::{self, ARCHS, Output, PositionKind, Reads};
use crate::cache::Cache;
use crate::settings::{BatchSize, Settings};
use crate::weights::{self, Weights};
use crate::{PlanError, Target, regions};
use akunu_kernels::step::{KV_BLOCK, RowCount};
use akunu_model::WeightSource;
use akunu_model::config::Purpose;
use std::collections::HashSet;

impl Program {
    /// Lays out memory. Nothing is allocated and no tensor is read.
    pub fn new(source: &dyn WeightSource, target: Target, settings: Settings) -> Result<Self, PlanError> {
        let config = source.config().clone();
        let arch = arch::find(&config.arch).ok_or_else(|| PlanError::UnknownArch {
            arch: config.arch.clone(),
            known: ARCHS.iter().map(|a| a.name).collect::<Vec<_>>().join(", "),
        })?;
        weights::check(&config)?;
        if arch.output == Output::Pooled {
            let Some(encoder) = &config.encoder else {
                return Err(PlanError::Config {
                    field: "encoder",
                    value: "without positions and pooling".into(),
                    remedy: "the source must say them; convert the model anew",
                });
            };
            weights::check_encoder(arch, &config, encoder)?;
        }
        if arch.reads == Reads::Audio && config.audio.is_none() {
            return Err(PlanError::Config {
                field: "audio",
                value: "without an encoder of it".into(),
                remedy: "the source must say its sizes; convert the model anew",
            });
        }
        if arch.positions == PositionKind::Learned && settings.context > config.context {
            return Err(PlanError::Config {
                field: "context",
                value: settings.context.to_string(),
                remedy: "there are no positions beyond those that the model was trained for: ask for fewer, or for none",
            });
        }
        if settings.context == 0 || settings.context > 1 << 24 {
            return Err(PlanError::Config {
                field: "context",
                value: settings.context.to_string(),
                remedy: "choose between 1 and 16777216 tokens",
            });
        }
        if let Some(b) = settings.batch {
            check_batch(b, settings.context)?;
        }
        let settings = match arch.output {
            // Steps of whole texts, and no cache.
            Output::Pooled => {
                Settings { batch: Some(BatchSize { sequences: ENCODED, blocks: 0 }), ..settings }
            }
            // One sequence, until a transcriber asks for more.
            Output::Draw if arch.reads == Reads::Audio => {
                let blocks = settings.context.div_ceil(KV_BLOCK);
                Settings { batch: settings.batch.or(Some(BatchSize { sequences: 1, blocks })), ..settings }
            }
            Output::Draw => settings,
        };
        let cache = Cache::new(arch, &config, &target, settings)?;
        let weights = Weights::plan(source, arch, &target, settings.context, cache.ring)?;
        refuse_unknown(source, &weights)?;
        let mut p = Self {
            arch,
            config,
            target,
            settings,
            cache,
            weights,
            drafts: 0,
            sources: 1,
            alignment: Vec::new(),
            regions: Vec::new(),
        };
        p.regions = regions::declare(&p);
        Ok(p)
    }

    /// The same model with many sequences, over the same weights.
    pub fn batch(&self, size: BatchSize) -> Result<Self, PlanError> {
        let settings = Settings { batch: Some(size), ..self.settings };
        check_batch(size, settings.context)?;
        let cache = Cache::new(self.arch, &self.config, &self.target, settings)?;
        let mut p = Self { settings, cache, regions: Vec::new(), ..self.clone() };
        p.regions = regions::declare(&p);
        Ok(p)
    }

    /// The same with drafts: at most so many for each step of a sequence, and no more than leave the step in the family of a single row.
    pub fn drafting(&self, most: u32) -> Self {
        let drafts = most.min(self.most_drafting_rows().0 - 1);
        let mut p = Self { drafts, regions: Vec::new(), ..self.clone() };
        p.regions = regions::declare(&p);
        p
    }

    /// The same with logits or hidden states of so many rows at a time, and no more than its largest table has.
    pub fn reading(&self, rows: RowCount) -> Self {
        let most = self.ladder().last().copied().unwrap_or(RowCount(1));
        let settings = Settings { head_rows: self.settings.head_rows.max(rows.min(most)), ..self.settings };
        let mut p = Self { settings, regions: Vec::new(), ..self.clone() };
        p.regions = regions::declare(&p);
        p
    }

    /// The same model with so many sequences, each with a cache of its own, over the audio of so many windows.
    pub fn hearing(&self, sequences: u32, sources: u32) -> Result<Self, PlanError> {
        let size = BatchSize { sequences, blocks: sequences.saturating_mul(self.cache.blocks()) };
        let mut p = Self { sources: sources.max(1), regions: Vec::new(), ..self.batch(size)? };
        p.regions = regions::declare(&p);
        Ok(p)
    }

    /// The same with a table that says how a text and its audio lie beside each other ([`Self::alignment_table`]): by the heads that the
    /// model's files name, or, where they name none, by all of the latter half of the layers.
    pub fn aligning(&self) -> Self {
        let named = self.config.audio.iter().flat_map(|a| &a.decoding.alignment_heads).copied();
        let mut alignment: Vec<_> = named.collect();
        if alignment.is_empty() {
            let (layers, heads) = (self.config.layers, self.config.heads);
            alignment = (layers / 2..layers).flat_map(|l| (0..heads).map(move |h| (l, h))).collect();
        }
        alignment.sort_unstable();
        alignment.dedup();
        let mut p = Self { alignment, regions: Vec::new(), ..self.clone() };
        p.regions = regions::declare(&p);
        p
    }
}

fn check_batch(b: BatchSize, context: u32) -> Result<(), PlanError> {
    let refuse =
        |field, value: u32, remedy| Err(PlanError::Config { field, value: value.to_string(), remedy });
    if b.sequences == 0 || b.sequences > MAX_SEQUENCES {
        return refuse("sequences of a batch", b.sequences, "choose between 1 and 1024");
    }
    if b.blocks > MAX_BLOCKS {
        let remedy = "there can be 16777216 at most, which hold 4294967296 tokens: choose a smaller cache";
        return refuse("blocks of the KV cache", b.blocks, remedy);
    }
    // A sequence that has the cache to itself must be able to end.
    if b.blocks < context.div_ceil(KV_BLOCK) {
        let remedy =
            "the cache must hold one whole context: choose a shorter context or more blocks of 256 tokens";
        return refuse("blocks of the KV cache", b.blocks, remedy);
    }
    if b.blocks < b.sequences {
        let remedy = "each sequence needs one at least: choose fewer sequences or more blocks of 256 tokens";
        return refuse("blocks of the KV cache", b.blocks, remedy);
    }
    Ok(())
}

/// A tensor that no slot uses would silently change what the model computes.
fn refuse_unknown(source: &dyn WeightSource, weights: &Weights) -> Result<(), PlanError> {
    let used: HashSet<&str> =
        weights.slots.iter().flat_map(|s| s.data.tensors()).map(|t| t.name.as_str()).collect();
    let scores = source.config().encoder.as_ref().is_some_and(|e| e.purpose == Purpose::Score);
    let by_the_host = |name: &str| scores && HOST_WEIGHTS.contains(&name);
    let unused = source.tensors().iter().filter(|t| !used.contains(t.name.as_str()) && !by_the_host(&t.name));
    let unused = unused.map(|t| &t.file_name);
    let mut unknown = source.unmapped().iter().chain(unused);
    let Some(tensor) = unknown.next() else { return Ok(()) };
    let n = unknown.count();
    let more = if n > 0 { format!(" (nor are {n} more)") } else { String::new() };
    Err(PlanError::UnknownTensor { tensor: tensor.clone(), arch: source.config().arch.clone(), more })
}
