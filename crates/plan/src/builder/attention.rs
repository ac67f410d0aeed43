//! Attention: rotation, cache and scores, and the context shift.

use super::{Builder, pairing, words};
use crate::PlanError;
use crate::arch::{LayerAttention, LayerRope, QkNorm};
use crate::program::Program;
use crate::regions::attention_writes;
use crate::table::Region;
use crate::weights::{LayerWeights, SlotId};
use akunu_kernels as kernels;
use akunu_kernels::act::ActFormat;
use akunu_kernels::attention::{AttentionConsts, AttentionParams};
use akunu_kernels::kv_shift::KvShiftConsts;
use akunu_kernels::matmul::Select;
use akunu_kernels::matmul_rope_kv::MatmulRopeKvConsts;
use akunu_kernels::quantize::QuantizeConsts;
use akunu_kernels::ragged_attention::RaggedAttentionConsts;
use akunu_kernels::rms_norm::RmsNormParams;
use akunu_kernels::rope_kv::RopeKvConsts;
use akunu_kernels::rope_kv_attention::{self, RopeKvAttentionConsts};
use akunu_kernels::rope_kv_ragged_attention::RopeKvRaggedAttentionConsts;
use akunu_kernels::split_attention::{self, SplitAttentionConsts};
use akunu_kernels::step::RowCount;

impl Builder<'_> {
    /// Rotates queries and keys and writes the cache.
    pub(super) fn rope_kv(&mut self, layer: u32) -> Result<(), PlanError> {
        let c = &self.p.config;
        let attention = self.p.layer_attention(layer);
        let consts = RopeKvConsts {
            heads: c.heads,
            kv_heads: c.kv_heads,
            head_dim: c.head_dim,
            pairs: self.p.pairs(attention),
            pairing: pairing(c.rope.pairing),
            k_type: self.p.cache.k as u32,
            v_type: self.p.cache.v as u32,
            max_rows: self.shape.rows.0,
            blocks: self.p.table_entries(),
        };
        let (k, v) = self.caches(layer);
        let angles = self.angles(attention.rope);
        let binds = [self.all(Region::Step), self.block_table(layer), angles, self.qkv(), k, v];
        self.emit(Some(layer), "attention.rope_kv", &kernels::rope_kv::KERNEL, &consts, &(), &binds)
    }

    /// The product of queries, keys and values with all that comes before the attention, in one command; `false`, and nothing, where the
    /// machine lacks it for such heads and weights, or something else comes between.
    pub(super) fn matmul_rope_kv(&mut self, layer: u32, w: &LayerWeights) -> Result<bool, PlanError> {
        let (kernel, rows, c) = (&kernels::matmul_rope_kv::KERNEL, self.shape.rows, &self.p.config);
        let [(id, _)] = w.qkv.parts[..] else { return Ok(false) };
        let by_head = w.qk_norm.is_none() || self.p.arch.qk_norm == QkNorm::Head;
        let staged = self.p.weights.slot(id).staged.is_some();
        if !self.takes(kernel) || !staged || w.qkv_bias.is_some() || !by_head {
            return Ok(false);
        }
        let (act, attention) = (self.act(id, rows), self.p.layer_attention(layer));
        let (dtype, layout) = self.p.taken(id, rows);
        let consts = MatmulRopeKvConsts {
            dtype: dtype as u32,
            layout: layout as u32,
            act: act as u32,
            k: c.hidden,
            heads: c.heads,
            kv_heads: c.kv_heads,
            head_dim: c.head_dim,
            norm: w.qk_norm.is_some().into(),
            pairs: self.p.pairs(attention),
            pairing: pairing(c.rope.pairing),
            k_type: self.p.cache.k as u32,
            v_type: self.p.cache.v as u32,
            max_rows: rows.0,
            blocks: self.p.table_entries(),
        };
        if kernel.launch(&self.table.machine, &words(&consts)).is_err() {
            return Ok(false);
        }
        self.norm(Some(layer), "attention.norm", w.attention_norm, act, Select::All)?;
        let weights = self.weights(Some(layer), "attention.qkv", id, rows)?.2;
        let ((k, v), angles) = (self.caches(layer), self.angles(attention.rope));
        // Where nothing is normed, anything stands for the norms' weights.
        let [of_q, of_k] = w.qk_norm.map_or([angles; 2], |(q, k)| [q, k].map(|id| self.slot(id)));
        let (step, table) = (self.all(Region::Step), self.block_table(layer));
        let binds = [step, self.x(act, rows), weights, of_q, of_k, table, angles, self.qkv(), k, v];
        let params = RmsNormParams { eps: c.norm_eps };
        self.emit(Some(layer), "attention.qkv", kernel, &consts, &params, &binds)?;
        Ok(true)
    }

    /// Whether rotation, cache write and attention are one command: where the machine has it for such heads, and it can write what the
    /// output's product reads.
    pub(super) fn fuses_attention(&self, layer: u32, output: SlotId) -> bool {
        let (kernel, rows) = (&kernels::rope_kv_attention::KERNEL, self.shape.rows);
        let act = self.act(output, rows);
        let consts = self.p.fused_attention(self.p.layer_attention(layer), rows, act);
        let words = bytemuck::cast_slice::<_, u32>(std::slice::from_ref(&consts));
        self.takes(kernel)
            && attention_writes(act, self.p.config.head_dim)
            && kernel.launch(&self.p.target.machine, words).is_ok()
    }

    /// Rotation, cache write and attention of few rows in one command.
    pub(super) fn rope_kv_attention(&mut self, layer: u32, output: SlotId) -> Result<(), PlanError> {
        let c = &self.p.config;
        let act = self.act(output, self.shape.rows);
        let attention = self.p.layer_attention(layer);
        let consts = self.p.fused_attention(attention, self.shape.rows, act);
        let params = AttentionParams { scale: self.score_scale() };
        let (k, v) = self.caches(layer);
        let out = self.used(Region::AttnOut, self.shape.rows, act.row_bytes((c.heads * c.head_dim) as usize));
        let scratch = |r, bytes: u64| (r, 0, bytes);
        let words = bytemuck::cast_slice::<_, u32>(std::slice::from_ref(&consts));
        let binds = [
            self.all(Region::Step),
            self.block_table(layer),
            self.angles(attention.rope),
            self.qkv(),
            k,
            v,
            scratch(Region::Partials, kernels::rope_kv_attention::partial_bytes(words)),
            scratch(Region::Sync, kernels::rope_kv_attention::sync_bytes(words)),
            out,
        ];
        let kernel = &kernels::rope_kv_attention::KERNEL;
        self.emit(Some(layer), "attention.rope_kv_attention", kernel, &consts, &params, &binds)
    }

    /// The same for some rows of many sequences; `false`, and nothing, where the machine lacks it for such heads or so many rows.
    pub(super) fn rope_kv_ragged_attention(&mut self, layer: u32, output: SlotId) -> Result<bool, PlanError> {
        let (kernel, rows, c) = (&kernels::rope_kv_ragged_attention::KERNEL, self.shape.rows, &self.p.config);
        let act = self.act(output, rows);
        if self.p.settings.batch.is_none() || !self.takes(kernel) || !attention_writes(act, c.head_dim) {
            return Ok(false);
        }
        let attention = self.p.layer_attention(layer);
        let consts = RopeKvRaggedAttentionConsts {
            ragged: RaggedAttentionConsts {
                attention: self.p.attention(attention, rows, act),
                blocks: self.p.cache.blocks(),
            },
            pairs: self.p.pairs(attention),
            pairing: pairing(c.rope.pairing),
        };
        if kernel.launch(&self.table.machine, &words(&consts)).is_err() {
            return Ok(false);
        }
        let params = AttentionParams { scale: self.score_scale() };
        let ((k, v), angles) = (self.caches(layer), self.angles(attention.rope));
        let out = self.used(Region::AttnOut, rows, act.row_bytes((c.heads * c.head_dim) as usize));
        let binds = [self.all(Region::Step), self.block_table(layer), angles, self.qkv(), k, v, out];
        self.emit(Some(layer), "attention.rope_kv_ragged_attention", kernel, &consts, &params, &binds)?;
        Ok(true)
    }

    /// Factor on the scores.
    pub(super) fn score_scale(&self) -> f32 {
        let c = &self.p.config;
        c.attention.scale.unwrap_or_else(|| 1.0 / (c.head_dim as f32).sqrt())
    }

    /// Attention over the cache.
    pub(super) fn attention(&mut self, layer: u32, output: SlotId) -> Result<(), PlanError> {
        let c = &self.p.config;
        let act = self.act(output, self.shape.rows);
        let width = (c.heads * c.head_dim) as usize;
        let direct = attention_writes(act, c.head_dim);
        let (fmt, region) = if direct { (act, Region::AttnOut) } else { (ActFormat::F32, Region::AttnF32) };
        let out = self.used(region, self.shape.rows, fmt.row_bytes(width));
        let consts = self.p.attention(self.p.layer_attention(layer), self.shape.rows, fmt);
        let params = AttentionParams { scale: self.score_scale() };
        let (k, v) = self.caches(layer);
        let mut binds = vec![self.all(Region::Step), self.block_table(layer), self.qkv(), k, v, out];
        let (at, group) = (Some(layer), "attention.attention");
        if self.p.settings.batch.is_some() {
            let consts = RaggedAttentionConsts { attention: consts, blocks: self.p.cache.blocks() };
            self.emit(at, group, &kernels::ragged_attention::KERNEL, &consts, &params, &binds)?;
        } else if self.takes(&kernels::split_attention::KERNEL) {
            let consts = self.p.split_attention(consts);
            let (partials, sync) = split_bytes(&consts);
            binds.extend([(Region::Partials, 0, partials), (Region::Sync, 0, sync)]);
            self.emit(at, group, &kernels::split_attention::KERNEL, &consts, &params, &binds)?;
        } else {
            self.emit(at, group, &kernels::attention::KERNEL, &consts, &params, &binds)?;
        }
        if !direct {
            let to = self.used(Region::AttnOut, self.shape.rows, act.row_bytes(width));
            let x_stride = (ActFormat::F32.row_bytes(width) / 4) as u32;
            let consts =
                QuantizeConsts { k: width as u32, x_stride, act: act as u32, max_rows: self.shape.rows.0 };
            let binds = [self.all(Region::Step), out, to];
            self.emit(Some(layer), "attention.quantize", &kernels::quantize::KERNEL, &consts, &(), &binds)?;
        }
        Ok(())
    }

    /// Rotates the keys that stay to their new positions, one command a layer.
    pub(super) fn shift(&mut self) -> Result<(), PlanError> {
        let p = self.p;
        let c = &p.config;
        let consts = KvShiftConsts {
            kv_heads: c.kv_heads,
            head_dim: c.head_dim,
            pairs: 0,
            pairing: pairing(c.rope.pairing),
            k_type: p.cache.k as u32,
            v_type: p.cache.v as u32,
        };
        // A batch's host lends the first row to the sequence that is shifted.
        let row = p.settings.batch.map(|_| (Region::BlockTable, 0, u64::from(p.cache.blocks()) * 4));
        for layer in 0..c.layers {
            let (k, v) = self.caches(layer);
            let attention = p.layer_attention(layer);
            let frequencies = match (attention.rope, p.weights.local_frequencies) {
                (LayerRope::Local, Some(local)) => local,
                _ => p.weights.frequencies,
            };
            let consts = KvShiftConsts { pairs: p.pairs(attention), ..consts };
            let table = row.unwrap_or(self.block_table(layer));
            let binds = [self.all(Region::Step), table, self.slot(frequencies), k, v];
            self.emit(Some(layer), "shift", &kernels::kv_shift::KERNEL, &consts, &(), &binds)?;
        }
        Ok(())
    }
}

impl Program {
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
        rows: RowCount,
        act: ActFormat,
    ) -> RopeKvAttentionConsts {
        let c = &self.config;
        RopeKvAttentionConsts {
            heads: c.heads,
            kv_heads: c.kv_heads,
            head_dim: c.head_dim,
            pairs: self.pairs(layer),
            pairing: pairing(c.rope.pairing),
            k_type: self.cache.k as u32,
            v_type: self.cache.v as u32,
            act: act as u32,
            max_rows: rows.0,
            window: layer.window,
            max_seq: self.max_seq(),
            softcap: self.score_cap(),
            blocks: self.table_entries(),
        }
    }

    /// Entries of a sequence's block table, where there are many sequences.
    fn table_entries(&self) -> u32 {
        self.settings.batch.map_or(0, |_| self.cache.blocks())
    }

    /// Constants of the attention of a layer in a table of `rows` rows.
    pub(crate) fn attention(&self, layer: LayerAttention, rows: RowCount, act: ActFormat) -> AttentionConsts {
        let c = &self.config;
        AttentionConsts {
            heads: c.heads,
            kv_heads: c.kv_heads,
            head_dim: c.head_dim,
            k_type: self.cache.k as u32,
            v_type: self.cache.v as u32,
            act: act as u32,
            max_rows: rows.0,
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
        let rows = self.ladder().last().copied().unwrap_or(RowCount(1)).max(self.settings.head_rows);
        let families = &self.target.families;
        let most = |kernel| families.iter().filter(|f| f.takes(kernel)).map(|f| f.rows.min(rows)).max();
        let fused = (0..self.config.layers).filter_map(|i| {
            let rows = most(&rope_kv_attention::KERNEL)?;
            let consts = self.fused_attention(self.layer_attention(i), rows, ActFormat::F32);
            let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(&consts));
            Some((rope_kv_attention::partial_bytes(words), rope_kv_attention::sync_bytes(words)))
        });
        // A batch has `ragged_attention` in its place.
        let layers = if self.settings.batch.is_some() { 0 } else { self.config.layers };
        let split = (0..layers).filter_map(|i| {
            let rows = most(&split_attention::KERNEL)?;
            let consts = self.attention(self.layer_attention(i), rows, ActFormat::F32);
            Some(split_bytes(&self.split_attention(consts)))
        });
        fused.chain(split).fold((0, 0), |most, bytes| (most.0.max(bytes.0), most.1.max(bytes.1)))
    }
}

/// Bytes of a split attention's (partials, counters).
pub(crate) fn split_bytes(consts: &SplitAttentionConsts) -> (u64, u64) {
    let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(consts));
    (split_attention::partial_bytes(words), split_attention::sync_bytes(words))
}
