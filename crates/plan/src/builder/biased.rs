//! Layers with layer norms, of encoders and of decoders that read one.

use super::{Builder, Range};
use crate::PlanError;
use crate::arch::{LayerRope, NormPlacement, PositionKind};
use crate::regions::attention_writes;
use crate::table::Region;
use crate::weights::{CrossWeights, Ffn, LayerWeights, Product, SlotId};
use akunu_kernels as kernels;
use akunu_kernels::act::ActFormat;
use akunu_kernels::activate::ActivateConsts;
use akunu_kernels::add_bias::AddBiasConsts;
use akunu_kernels::add_positions::AddPositionsConsts;
use akunu_kernels::cross_attention::{CrossAttentionConsts, CrossAttentionParams};
use akunu_kernels::cross_kv;
use akunu_kernels::cross_scores::{CrossScoresConsts, CrossScoresParams};
use akunu_kernels::full_attention::{FullAttentionConsts, FullAttentionParams, MAX_REACH};
use akunu_kernels::glu::GluConsts;
use akunu_kernels::layer_norm::{LayerNormConsts, LayerNormParams, Stream};
use akunu_kernels::matmul::{MatmulConsts, Select};
use akunu_kernels::quantize::QuantizeConsts;
use akunu_kernels::rope::RopeConsts;

/// What a row of a layer's attention sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sees {
    /// Its whole text.
    Whole,
    /// The cache up to itself.
    Cache,
}

/// A layer norm: its weights and bias, and the format of the product that reads it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Norm {
    pub(super) group: &'static str,
    /// Weights and bias.
    pub(super) slots: [SlotId; 2],
    pub(super) act: ActFormat,
    /// What goes on as the residual stream.
    pub(super) stream: Stream,
    /// Which rows go on.
    pub(super) select: Select,
}

/// What `x` holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ready {
    act: ActFormat,
    /// The norm that made it from the residual stream; `None` where that is the norm's output itself.
    norm: Option<[SlotId; 2]>,
}

impl Ready {
    /// After that norm.
    fn of(norm: Norm) -> Self {
        Self { act: norm.act, norm: (norm.stream == Stream::Sum).then_some(norm.slots) }
    }
}

impl Builder<'_> {
    /// A decoder's embedding and layers; `x` then holds the heads' rows, normalised for the output head.
    pub(super) fn biased_decoder(&mut self) -> Result<(), PlanError> {
        let p = self.p;
        let Some(positions) = p.weights.positions else { return Err(lacking("position embeddings")) };
        self.embed()?;
        self.add_positions(p.config.context, 0)?;
        let head = Norm {
            group: "head.norm",
            slots: [p.weights.output_norm, positions.norm_bias],
            act: self.head_input(),
            stream: Stream::Sum,
            select: Select::Head,
        };
        self.biased_layers(&p.weights.layers, Sees::Cache, head).map(|_| ())
    }

    /// Logits of the heads, whose normalised rows `x` holds.
    pub(super) fn head_logits(&mut self) -> Result<(), PlanError> {
        let vocab = self.p.config.vocab as usize;
        let logits = self.used(Region::Logits, self.shape.head_rows, vocab * 4);
        self.head_product(self.head_input(), logits)
    }

    /// Layers with norms before their sublayers, from the first norm to the one after the last.
    pub(super) fn biased_layers(
        &mut self,
        layers: &[LayerWeights],
        sees: Sees,
        last: Norm,
    ) -> Result<Ready, PlanError> {
        let Some(first) = layers.first() else { return Err(lacking("layers")) };
        let mut ready = self.first_norm(self.norm_before(first)?)?;
        for (i, layer) in layers.iter().enumerate() {
            let next = layers.get(i + 1).map_or(Ok(last), |l| self.norm_before(l))?;
            ready = self.biased_layer(i as u32, layer, sees, ready, next)?;
        }
        Ok(ready)
    }

    /// The norm before a layer's attention.
    pub(super) fn norm_before(&self, w: &LayerWeights) -> Result<Norm, PlanError> {
        let (Some(norm), Some(biases)) = (w.attention_norm, w.biases) else {
            return Err(lacking("norms"));
        };
        let slots = [norm, biases.attention_norm];
        let act = self.act_of(&w.qkv);
        Ok(Norm { group: "attention.norm", slots, act, stream: Stream::Sum, select: Select::All })
    }

    /// The format that the first part of a product reads.
    pub(super) fn act_of(&self, product: &Product) -> ActFormat {
        product.parts.first().map_or(ActFormat::F32, |(id, _)| self.act(*id, self.shape.rows))
    }

    /// Adds the embeddings of positions to those of tokens.
    pub(super) fn add_positions(&mut self, positions: u32, first: u32) -> Result<(), PlanError> {
        let p = self.p;
        let Some(slots) = p.weights.positions else { return Err(lacking("position embeddings")) };
        let (d, max_rows) = (p.config.hidden, self.shape.rows.0);
        let segments = p.weights.slot(slots.segments).rows as u32;
        let consts = AddPositionsConsts { d, positions, first, segments, max_rows };
        let tables = [self.slot(slots.positions), self.slot(slots.segments)];
        let binds = [self.all(Region::Step), tables[0], tables[1], self.residual()];
        self.emit(None, "embed", &kernels::add_positions::KERNEL, &consts, &(), &binds)
    }

    /// The norm of the residual stream as it begins.
    pub(super) fn first_norm(&mut self, norm: Norm) -> Result<Ready, PlanError> {
        self.norm_again(None, norm)?;
        Ok(Ready::of(norm))
    }

    /// The norm of the residual stream, which moves to the other buffer.
    fn norm_again(&mut self, layer: Option<u32>, norm: Norm) -> Result<(), PlanError> {
        let consts = self.layer_norm(norm);
        let binds = [
            self.all(Region::Step),
            self.residual(),
            self.slot(norm.slots[0]),
            self.slot(norm.slots[1]),
            self.vectors(self.residual[1]),
            self.x(norm.act, self.shape.rows),
        ];
        self.residual.swap(0, 1);
        let params = LayerNormParams { eps: self.p.config.norm_eps };
        self.emit(layer, norm.group, &kernels::layer_norm::KERNEL, &consts, &params, &binds)
    }

    fn layer_norm(&self, norm: Norm) -> LayerNormConsts {
        let rows = if norm.select == Select::Head { self.shape.head_rows } else { self.shape.rows };
        LayerNormConsts {
            d: self.p.config.hidden,
            act: norm.act as u32,
            stream: norm.stream as u32,
            select: norm.select as u32,
            max_rows: rows.0,
        }
    }

    /// One layer. `ready` is what `x` holds, `next` the norm after the layer, and what it returns what `x` then holds.
    pub(super) fn biased_layer(
        &mut self,
        i: u32,
        w: &LayerWeights,
        sees: Sees,
        ready: Ready,
        next: Norm,
    ) -> Result<Ready, PlanError> {
        let p = self.p;
        let c = &p.config;
        let (l, rows) = (Some(i), self.shape.rows);
        let Some(b) = w.biases else { return Err(lacking("biases")) };
        let up = match &w.ffn {
            Ffn::Plain { up: product, .. } | Ffn::Dense { gate_up: product, .. } => product,
            Ffn::Experts { .. } => return Err(lacking("a feed-forward part without experts")),
        };
        let width = 3 * c.heads * c.head_dim;
        self.products(l, "attention.qkv", &w.qkv, (width, self.qkv()), ready)?;
        self.adjust_qkv(l, w, width)?;
        if sees == Sees::Whole && p.arch.positions == PositionKind::Rotated {
            self.rope(i)?;
        }
        let x = match sees {
            Sees::Whole => self.full_attention(i, w.output)?,
            Sees::Cache => self.cached_attention(i, w.output)?,
        };
        self.sublayer(l, "attention.output", w.output, x)?;
        let sum = p.arch.norms == NormPlacement::Sum;
        let (group, norm, bias) = if sum {
            ("attention.post_norm", w.attention_post_norm, b.attention_norm)
        } else {
            ("ffn.norm", w.ffn_norm, b.ffn_norm)
        };
        let Some(norm) = norm else { return Err(lacking("norms")) };
        let stream = if sum { Stream::Norm } else { Stream::Sum };
        let up_norm = Norm { group, slots: [norm, bias], act: self.act_of(up), stream, select: Select::All };
        let ready = match &w.cross {
            None => self.sum_norm(l, b.output, up_norm)?,
            Some(cross) => self.cross(i, cross, b.output, up_norm)?,
        };
        let down = w.down();
        let act = self.act(down, rows);
        let x = self.used(Region::FfnAct, rows, act.row_bytes(c.ffn as usize));
        if let Ffn::Plain { .. } = w.ffn {
            let middle = self.used(Region::GateUp, rows, c.ffn as usize * 4);
            self.products(l, "ffn.up", up, (c.ffn, middle), ready)?;
            self.activate(l, "ffn.activate", c.ffn, act, [middle, self.slot(b.up), x])?;
        } else {
            let gates = self.used(Region::GateUp, rows, c.ffn as usize * 8);
            self.products(l, "ffn.gate_up", up, (2 * c.ffn, gates), ready)?;
            let activation = p.arch.activation as u32;
            let consts = GluConsts { f: c.ffn, activation, act: act as u32, per_row: 1, max_rows: rows.0 };
            let binds = [self.all(Region::Step), gates, x];
            self.emit(l, "ffn.glu", &kernels::glu::KERNEL, &consts, &(), &binds)?;
        }
        self.sublayer(l, "ffn.down", down, x)?;
        self.sum_norm(l, b.down, next)
    }

    /// Activation of the sum of the first two ranges, to the third.
    pub(super) fn activate(
        &mut self,
        layer: Option<u32>,
        group: &'static str,
        f: u32,
        act: ActFormat,
        [x, bias, out]: [Range; 3],
    ) -> Result<(), PlanError> {
        let activation = self.p.arch.activation as u32;
        let consts = ActivateConsts { f, activation, act: act as u32, max_rows: self.shape.rows.0 };
        let binds = [self.all(Region::Step), x, bias, out];
        self.emit(layer, group, &kernels::activate::KERNEL, &consts, &(), &binds)
    }

    /// Keys and values to the cache, and the attention over it.
    fn cached_attention(&mut self, i: u32, output: SlotId) -> Result<Range, PlanError> {
        if self.fuses_attention(i, output) {
            self.rope_kv_attention(i, output)?;
        } else if !self.rope_kv_ragged_attention(i, output)? {
            self.rope_kv(i)?;
            self.attention(i, output)?;
        }
        let c = &self.p.config;
        let (rows, act) = (self.shape.rows, self.act(output, self.shape.rows));
        Ok(self.used(Region::AttnOut, rows, act.row_bytes((c.heads * c.head_dim) as usize)))
    }

    /// The attention to what an encoder left, between two norms of sums: before it, with the bias of the attention's output, and `next`.
    fn cross(
        &mut self,
        i: u32,
        w: &CrossWeights,
        output_bias: SlotId,
        next: Norm,
    ) -> Result<Ready, PlanError> {
        let p = self.p;
        let c = &p.config;
        let (l, rows) = (Some(i), self.shape.rows);
        let width = c.heads * c.head_dim;
        let act = self.act(w.q, rows);
        let norm = Norm { group: "cross.norm", slots: w.norm, act, stream: Stream::Sum, select: Select::All };
        self.sum_norm(l, output_bias, norm)?;
        let q = self.used(Region::Qkv, rows, width as usize * 4);
        self.product(l, "cross.q", w.q, (width, 0), [self.x(act, rows), q])?;
        let consts = AddBiasConsts { n: width, max_rows: rows.0 };
        let binds = [self.all(Region::Step), self.slot(w.q_bias), q];
        self.emit(l, "cross.bias", &kernels::add_bias::KERNEL, &consts, &(), &binds)?;
        self.cross_scores(i, q)?;
        let x = self.cross_attention(i, w.output, q)?;
        self.sublayer(l, "cross.output", w.output, x)?;
        self.sum_norm(l, w.output_bias, next)
    }

    /// Scores of the layer's heads that say which audio a token was heard at, for the host.
    fn cross_scores(&mut self, i: u32, q: Range) -> Result<(), PlanError> {
        let p = self.p;
        let Some(audio) = p.config.audio.as_ref().filter(|_| self.aligns) else { return Ok(()) };
        let consts = CrossScoresConsts {
            heads: p.config.heads,
            head_dim: p.config.head_dim,
            positions: audio.positions,
            sources: p.sources,
            format: cross_kv::format(p.cache.k) as u32,
            max_rows: self.shape.rows.0,
        };
        let scale = self.score_scale();
        let [keys, _] = self.cross_places(i);
        let row = u64::from(audio.positions) * 4;
        for (n, (_, head)) in p.alignment.iter().enumerate().filter(|(_, (layer, _))| *layer == i) {
            let out = (Region::Alignment, n as u64 * p.alignment_stride(), u64::from(self.shape.rows) * row);
            let binds = [self.all(Region::Step), q, self.all(Region::Sources), keys, out];
            let params = CrossScoresParams { scale, head: *head };
            self.emit(Some(i), "cross.scores", &kernels::cross_scores::KERNEL, &consts, &params, &binds)?;
        }
        Ok(())
    }

    fn cross_attention(&mut self, i: u32, output: SlotId, q: Range) -> Result<Range, PlanError> {
        let c = &self.p.config;
        let Some(audio) = &c.audio else { return Err(lacking("an encoder to read")) };
        let at = Some(i);
        self.attended(at, "cross", output, |b, act, out| {
            let consts = CrossAttentionConsts {
                heads: c.heads,
                head_dim: c.head_dim,
                positions: audio.positions,
                sources: b.p.sources,
                format: cross_kv::format(b.p.cache.k) as u32,
                act: act as u32,
                max_rows: b.shape.rows.0,
            };
            let params = CrossAttentionParams { scale: b.score_scale() };
            let [k, v] = b.cross_places(i);
            let binds = [b.all(Region::Step), q, b.all(Region::Sources), k, v, out];
            b.emit(at, "cross.attention", &kernels::cross_attention::KERNEL, &consts, &params, &binds)
        })
    }

    /// Keys and values of the audio for a layer of the decoder.
    pub(super) fn cross_places(&self, layer: u32) -> [Range; 2] {
        let place = |r: Region| {
            let bytes = self.p.region(r).bytes / u64::from(self.p.config.layers);
            (r, u64::from(layer) * bytes, bytes)
        };
        [place(Region::CrossK), place(Region::CrossV)]
    }

    /// The products of what `x` holds; parts that read another format have it written anew.
    pub(super) fn products(
        &mut self,
        layer: Option<u32>,
        group: &'static str,
        product: &Product,
        (width, out): (u32, Range),
        ready: Ready,
    ) -> Result<(), PlanError> {
        let (rows, k) = (self.shape.rows, self.p.config.hidden);
        let mut current = ready.act;
        for (id, col) in &product.parts {
            let act = self.act(*id, rows);
            if act != current {
                match ready.norm {
                    Some(slots) => {
                        let norm = Norm { group, slots, act, stream: Stream::Sum, select: Select::All };
                        self.norm_again(layer, norm)?;
                    }
                    None => {
                        let consts = QuantizeConsts { k, x_stride: k, act: act as u32, max_rows: rows.0 };
                        let binds = [self.all(Region::Step), self.residual(), self.x(act, rows)];
                        self.emit(layer, group, &kernels::quantize::KERNEL, &consts, &(), &binds)?;
                    }
                }
                current = act;
            }
            self.product(layer, group, *id, (width, *col), [self.x(act, rows), out])?;
        }
        Ok(())
    }

    /// One product of all rows, to columns from one on of rows so wide.
    pub(super) fn product(
        &mut self,
        layer: Option<u32>,
        group: &'static str,
        id: SlotId,
        (width, column): (u32, u32),
        [x, out]: [Range; 2],
    ) -> Result<(), PlanError> {
        let rows = self.shape.rows;
        let (dtype, layout, weights) = self.weights(layer, group, id, rows)?;
        let consts = MatmulConsts {
            dtype: dtype as u32,
            layout: layout as u32,
            ..self.matmul_consts(id, width, column, Select::All, rows)
        };
        let binds = [self.all(Region::Step), x, weights, out];
        self.emit(layer, group, &kernels::matmul::KERNEL, &consts, &(), &binds)
    }

    /// Queries and keys, in place.
    fn rope(&mut self, layer: u32) -> Result<(), PlanError> {
        let c = &self.p.config;
        let rope = self.p.layer_attention(layer).rope;
        if rope == LayerRope::None {
            return Ok(());
        }
        let consts = RopeConsts {
            heads: c.heads,
            kv_heads: c.kv_heads,
            head_dim: c.head_dim,
            pairs: c.rope.dim / 2,
            pairing: super::pairing(c.rope.pairing),
            max_rows: self.shape.rows.0,
        };
        let binds = [self.all(Region::Step), self.angles(rope), self.qkv()];
        self.emit(Some(layer), "attention.rope", &kernels::rope::KERNEL, &consts, &(), &binds)
    }

    /// Attention of all rows of a text among each other.
    fn full_attention(&mut self, layer: u32, output: SlotId) -> Result<Range, PlanError> {
        let p = self.p;
        let c = &p.config;
        let at = Some(layer);
        // Half of a window is before a row, half after it.
        let window = p.layer_attention(layer).window / 2;
        let (near, biases, reach, buckets) = match p.weights.distances {
            Some(d) => (d.near, d.biases, MAX_REACH, p.weights.slot(d.biases).rows as u32),
            // Any: nobody reads them.
            None => (p.weights.output_norm, p.weights.output_norm, 0, 1),
        };
        self.attended(at, "attention", output, |b, act, out| {
            let consts = FullAttentionConsts {
                heads: c.heads,
                head_dim: c.head_dim,
                window,
                reach,
                buckets,
                act: act as u32,
                max_rows: b.shape.rows.0,
            };
            let params = FullAttentionParams { scale: b.score_scale() };
            let binds = [b.all(Region::Step), b.qkv(), b.slot(near), b.slot(biases), out];
            b.emit(at, "attention.attention", &kernels::full_attention::KERNEL, &consts, &params, &binds)
        })
    }

    /// What an attention gives, in the format that the product after it reads, where the kernel writes that or in two commands.
    fn attended(
        &mut self,
        layer: Option<u32>,
        of: &'static str,
        output: SlotId,
        attention: impl FnOnce(&mut Self, ActFormat, Range) -> Result<(), PlanError>,
    ) -> Result<Range, PlanError> {
        let c = &self.p.config;
        let (rows, act) = (self.shape.rows, self.act(output, self.shape.rows));
        let width = (c.heads * c.head_dim) as usize;
        let to = self.used(Region::AttnOut, rows, act.row_bytes(width));
        if attention_writes(act, c.head_dim) {
            attention(self, act, to)?;
            return Ok(to);
        }
        let out = self.used(Region::AttnF32, rows, ActFormat::F32.row_bytes(width));
        attention(self, ActFormat::F32, out)?;
        let x_stride = (ActFormat::F32.row_bytes(width) / 4) as u32;
        let consts = QuantizeConsts { k: width as u32, x_stride, act: act as u32, max_rows: rows.0 };
        let group = if of == "cross" { "cross.quantize" } else { "attention.quantize" };
        let binds = [self.all(Region::Step), out, to];
        self.emit(layer, group, &kernels::quantize::KERNEL, &consts, &(), &binds)?;
        Ok(to)
    }

    /// A sublayer's last product, without its bias.
    fn sublayer(
        &mut self,
        layer: Option<u32>,
        group: &'static str,
        id: SlotId,
        x: Range,
    ) -> Result<(), PlanError> {
        self.product(layer, group, id, (self.p.config.hidden, 0), [x, self.vectors(Region::Sublayer)])
    }

    /// The sum of the residual stream, a sublayer's output and its bias, and a norm of it: the new residual stream, and `x`.
    fn sum_norm(&mut self, layer: Option<u32>, bias: SlotId, norm: Norm) -> Result<Ready, PlanError> {
        let consts = self.layer_norm(norm);
        let params = LayerNormParams { eps: self.p.config.norm_eps };
        let rows = if norm.select == Select::Head { self.shape.head_rows } else { self.shape.rows };
        let binds = [
            self.all(Region::Step),
            self.vectors(Region::Sublayer),
            self.slot(bias),
            self.slot(norm.slots[0]),
            self.slot(norm.slots[1]),
            self.residual(),
            self.used(self.residual[1], rows, self.p.config.hidden as usize * 4),
            self.x(norm.act, rows),
        ];
        self.residual.swap(0, 1);
        self.emit(layer, norm.group, &kernels::layer_norm_add::KERNEL, &consts, &params, &binds)?;
        Ok(Ready::of(norm))
    }
}

pub(super) fn lacking(what: &str) -> PlanError {
    PlanError::Config {
        field: "weights",
        value: format!("without {what}"),
        remedy: "the architecture needs them; convert the model anew",
    }
}
