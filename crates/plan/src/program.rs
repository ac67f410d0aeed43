//! A program: regions shared by named tables, for one model on one target with one context length.

use crate::arch::{self, ARCHS, ArchDescriptor, LayerAttention, LayerRope};
use crate::table::{Region, RegionDecl};
use crate::weights::{self, Ffn, Weights};
use crate::{PlanError, Table, Target, VerifiedTable, builder, regions, verify};
use akunu_kernels::act::ActFormat;
use akunu_kernels::attention::{AttentionConsts, KvFormat};
use akunu_kernels::expert_group::{self, ExpertGroupConsts};
use akunu_kernels::grouped_matmul;
use akunu_kernels::rope_kv_attention::{self, RopeKvAttentionConsts};
use akunu_kernels::split_attention::{self, SplitAttentionConsts};
use akunu_kernels::step::KV_BLOCK;
use akunu_model::config::ExpertsConfig;
use akunu_model::{ModelConfig, WeightSource};
use std::collections::HashSet;

/// What a session fixes before anything is allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Context length in tokens.
    pub context: u32,
    /// The most rows with logits that any table of the session serves: 1, or more for scoring.
    pub head_rows: u32,
    /// Formats of the KV cache.
    pub cache: CacheTypes,
}

/// Formats of the K cache and the V cache; `None` is the target's own choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheTypes {
    /// Of the keys.
    pub k: Option<KvFormat>,
    /// Of the values.
    pub v: Option<KvFormat>,
}

/// The shape of one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows it serves at most.
    pub rows: u32,
    /// Of those, the rows that may get logits.
    pub head_rows: u32,
}

/// Everything needed to build tables.
#[derive(Clone, Debug)]
pub struct Program {
    /// The descriptor.
    pub arch: &'static ArchDescriptor,
    /// The hyperparameters.
    pub config: ModelConfig,
    /// The device's side.
    pub target: Target,
    /// Context and head rows.
    pub settings: Settings,
    /// The weights region.
    pub weights: Weights,
    /// All regions, in the order of [`Region`].
    pub regions: Vec<RegionDecl>,
    /// Format of the K cache.
    pub k_type: KvFormat,
    /// Format of the V cache.
    pub v_type: KvFormat,
    /// Blocks of the caches of windowed layers, where they are fewer than the context's: those layers keep their window
    /// and some slack, in a ring.
    pub ring_blocks: Option<u32>,
}

impl Program {
    /// Lays out memory. Nothing is allocated and no tensor is read.
    pub fn new(source: &dyn WeightSource, target: Target, settings: Settings) -> Result<Self, PlanError> {
        let config = source.config().clone();
        let arch = arch::find(&config.arch).ok_or_else(|| PlanError::UnknownArch {
            arch: config.arch.clone(),
            known: ARCHS.iter().map(|a| a.name).collect::<Vec<_>>().join(", "),
        })?;
        weights::check(&config)?;
        if settings.context == 0 || settings.context > 1 << 24 {
            return Err(PlanError::Config {
                field: "context",
                value: settings.context.to_string(),
                remedy: "choose between 1 and 16777216 tokens",
            });
        }
        let k_type = cache_type("type of the K cache", settings.cache.k, &config, &target)?;
        let v_type = cache_type("type of the V cache", settings.cache.v, &config, &target)?;
        let ring_blocks = ring_blocks(arch, &config, &target, settings);
        let weights = Weights::plan(source, arch, &target, settings.context, ring_blocks)?;
        refuse_unknown(source, &weights)?;
        let mut p = Self {
            arch,
            k_type,
            v_type,
            config,
            target,
            settings,
            ring_blocks,
            weights,
            regions: Vec::new(),
        };
        p.regions = regions::declare(&p);
        Ok(p)
    }

    /// Builds and verifies a table.
    pub fn table(&self, name: &str, shape: Shape) -> Result<VerifiedTable, PlanError> {
        if shape.rows == 0 || shape.head_rows > shape.rows {
            return Err(PlanError::Config {
                field: "table shape",
                value: format!("{} rows, {} of them with logits", shape.rows, shape.head_rows),
                remedy: "ask for at least one row, and for logits of no more than there are",
            });
        }
        let table: Table = builder::build(self, name, shape)?;
        verify(table)
    }

    /// The table that shifts the context.
    pub fn shift_table(&self) -> Result<VerifiedTable, PlanError> {
        verify(builder::build_shift(self)?)
    }

    /// Row counts of the token tables: the target's ladder, cut to the context.
    pub fn ladder(&self) -> Vec<u32> {
        ladder(&self.target, self.settings.context)
    }

    /// KV blocks of one layer.
    pub fn blocks(&self) -> u32 {
        self.settings.context.div_ceil(KV_BLOCK)
    }

    /// KV blocks of layer `i`: the context's, or a ring's.
    pub fn layer_blocks(&self, i: u32) -> u32 {
        match self.ring_blocks {
            Some(ring) if self.layer_attention(i).window != 0 => ring,
            _ => self.blocks(),
        }
    }

    /// Where layer `i`'s cache lies in the region of the K cache or of the V cache, which `format` is: (offset, bytes).
    pub fn kv_place(&self, i: u32, format: KvFormat) -> (u64, u64) {
        let block = kv_block_bytes(&self.config, format);
        // Layers of one kind are alike, so only their number counts.
        let windowed = (0..i).filter(|i| self.layer_attention(*i).window != 0).count() as u64;
        let ring = u64::from(self.ring_blocks.unwrap_or(self.blocks()));
        let before = (u64::from(i) - windowed) * u64::from(self.blocks()) + windowed * ring;
        (before * block, u64::from(self.layer_blocks(i)) * block)
    }

    /// The first position that every cache still holds after `high` positions have been written.
    pub fn oldest_kept(&self, high: u32) -> u32 {
        match self.ring_blocks {
            Some(ring) if high > 0 => ((high - 1) / KV_BLOCK + 1).saturating_sub(ring) * KV_BLOCK,
            _ => 0,
        }
    }

    /// Slots of the token belt: the context and one more, where the last drawn token lands.
    pub fn max_seq(&self) -> u32 {
        self.settings.context + 1
    }

    /// Bytes of all layers' caches of keys, or of values, in a format.
    pub(crate) fn cache_bytes(&self, format: KvFormat) -> u64 {
        (0..self.config.layers).map(|i| self.kv_place(i, format).1).sum()
    }

    /// Layer `i`'s attention.
    pub(crate) fn layer_attention(&self, i: u32) -> LayerAttention {
        self.arch.attention(&self.config, i)
    }

    /// Pairs that a layer rotates.
    pub(crate) fn pairs(&self, layer: LayerAttention) -> u32 {
        if layer.rope == LayerRope::None { 0 } else { self.config.rope.dim / 2 }
    }

    /// Bits of the bound on scores; 0 for none.
    pub(crate) fn score_cap(&self) -> u32 {
        self.config.attention.softcap.map_or(0, f32::to_bits)
    }

    /// Constants of the fused attention of a layer in a table of `rows` rows.
    pub(crate) fn fused_attention(
        &self,
        layer: LayerAttention,
        rows: u32,
        act: ActFormat,
    ) -> RopeKvAttentionConsts {
        let c = &self.config;
        RopeKvAttentionConsts {
            heads: c.heads,
            kv_heads: c.kv_heads,
            head_dim: c.head_dim,
            pairs: self.pairs(layer),
            pairing: builder::pairing(c.rope.pairing),
            k_type: self.k_type as u32,
            v_type: self.v_type as u32,
            act: act as u32,
            max_rows: rows,
            window: layer.window,
            max_seq: self.max_seq(),
            softcap: self.score_cap(),
        }
    }

    /// Constants of the grouping of slots by expert in a table of `rows` rows.
    pub(crate) fn group(&self, e: &ExpertsConfig, rows: u32) -> ExpertGroupConsts {
        let tile = grouped_matmul::tile(rows, e.used, e.count);
        ExpertGroupConsts { experts: e.count, used: e.used, tile, max_rows: rows }
    }

    /// Whether the experts' products of many rows are grouped.
    pub(crate) fn groups(&self) -> bool {
        let Some(Ffn::Experts { gate, up, down, .. }) = self.weights.layers.first().map(|l| &l.ffn) else {
            return false;
        };
        [gate, up, down].iter().all(|id| self.weights.slot(**id).many.is_some())
    }

    /// Bytes that the grouping of any table needs: the smallest tiles make the most of them.
    pub(crate) fn group_bytes(&self) -> u64 {
        let Some(e) = self.config.experts.as_ref().filter(|_| self.groups()) else { return 0 };
        let rows = self.ladder().into_iter().chain([self.settings.head_rows]).max().unwrap_or(1);
        let consts = ExpertGroupConsts { tile: grouped_matmul::TILES[0], ..self.group(e, rows) };
        if rows > self.target.few_rows { expert_group::bytes(&consts) } else { 0 }
    }

    /// Constants of the attention of a layer in a table of `rows` rows.
    pub(crate) fn attention(&self, layer: LayerAttention, rows: u32, act: ActFormat) -> AttentionConsts {
        let c = &self.config;
        AttentionConsts {
            heads: c.heads,
            kv_heads: c.kv_heads,
            head_dim: c.head_dim,
            k_type: self.k_type as u32,
            v_type: self.v_type as u32,
            act: act as u32,
            max_rows: rows,
            window: layer.window,
            softcap: self.score_cap(),
        }
    }

    /// The same, split over the length.
    pub(crate) fn split_attention(&self, attention: AttentionConsts) -> SplitAttentionConsts {
        let spans = split_attention::most_spans(self.settings.context, attention.window, attention.max_rows);
        SplitAttentionConsts { attention, spans }
    }

    /// Bytes that the split attention of any table needs, fused or not: (partials, counters).
    pub(crate) fn split_attention_bytes(&self) -> (u64, u64) {
        let tables = || self.ladder().into_iter().chain([self.settings.head_rows]);
        let most = |limit| tables().filter(|r| *r <= limit).max();
        let fused = most(self.target.few_rows).map_or((0, 0), |rows| {
            let consts = self.fused_attention(self.layer_attention(0), rows, ActFormat::F32);
            let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(&consts));
            (rope_kv_attention::partial_bytes(words), rope_kv_attention::sync_bytes(words))
        });
        let split = (0..self.config.layers).filter_map(|i| {
            let rows = most(self.target.split_rows)?;
            let consts = self.attention(self.layer_attention(i), rows, ActFormat::F32);
            Some(split_bytes(&self.split_attention(consts)))
        });
        split.fold(fused, |most, bytes| (most.0.max(bytes.0), most.1.max(bytes.1)))
    }

    /// Activation format of the output head.
    pub fn head_act(&self) -> ActFormat {
        let act = self.weights.slot(self.weights.head).act;
        self.target.head_act.filter(|_| act == ActFormat::Q8).unwrap_or(act)
    }

    /// The declaration of a region.
    pub fn region(&self, r: Region) -> &RegionDecl {
        &self.regions[r as usize]
    }
}

/// Bytes of a split attention's (partials, counters).
pub(crate) fn split_bytes(consts: &SplitAttentionConsts) -> (u64, u64) {
    let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(consts));
    (split_attention::partial_bytes(words), split_attention::sync_bytes(words))
}

/// A tensor that no slot uses would silently change what the model computes.
fn refuse_unknown(source: &dyn WeightSource, weights: &Weights) -> Result<(), PlanError> {
    let used: HashSet<&str> =
        weights.slots.iter().flat_map(|s| s.data.tensors()).map(|t| t.name.as_str()).collect();
    let unused = source.tensors().iter().filter(|t| !used.contains(t.name.as_str())).map(|t| &t.file_name);
    let mut unknown = source.unmapped().iter().chain(unused);
    let Some(tensor) = unknown.next() else { return Ok(()) };
    let n = unknown.count();
    let more = if n > 0 { format!(" (nor are {n} more)") } else { String::new() };
    Err(PlanError::UnknownTensor { tensor: tensor.clone(), arch: source.config().arch.clone(), more })
}

/// Blocks that windowed layers need: the window of the first row of the largest step, the step itself, as much again to
/// rewind by, and the block that the window begins in. `None` where the context has no more, or nothing is windowed.
fn ring_blocks(arch: &ArchDescriptor, c: &ModelConfig, target: &Target, settings: Settings) -> Option<u32> {
    let window = (0..c.layers).map(|i| arch.attention(c, i).window).max().filter(|w| *w > 0)?;
    let rows = ladder(target, settings.context).last().copied().unwrap_or(1).max(settings.head_rows);
    let ring = window.saturating_add(rows.saturating_mul(2)).div_ceil(KV_BLOCK) + 1;
    Some(ring).filter(|ring| *ring < settings.context.div_ceil(KV_BLOCK))
}

/// Whether `attention` can write a format directly: blocks must not straddle heads.
pub fn attention_writes(format: ActFormat, head_dim: u32) -> bool {
    head_dim.is_multiple_of(format.block())
}

/// Row counts of the token tables for a context.
pub fn ladder(target: &Target, context: u32) -> Vec<u32> {
    let mut v: Vec<u32> = target.ladder.iter().map(|r| (*r).clamp(1, context.max(1))).collect();
    v.dedup();
    v
}

/// Bytes of one block of one layer's K (or V) cache: a tile of 256 positions for each KV head.
pub fn kv_block_bytes(c: &ModelConfig, format: KvFormat) -> u64 {
    u64::from(c.kv_heads) * format.tile_bytes(c.head_dim as usize) as u64
}

/// The format asked for, or the target's own.
fn cache_type(
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
