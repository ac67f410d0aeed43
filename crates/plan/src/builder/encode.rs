//! The walk of an encoder: whole texts to one vector each, without a cache and without a draw.

use super::{Builder, Range};
use crate::PlanError;
use crate::builder::attention_writes;
use crate::table::Region;
use crate::walk::Encode;
use crate::weights::{Ffn, LayerBiases, LayerWeights, Product, SlotId};
use akunu_kernels as kernels;
use akunu_kernels::act::ActFormat;
use akunu_kernels::activate::ActivateConsts;
use akunu_kernels::add_positions::AddPositionsConsts;
use akunu_kernels::full_attention::{FullAttentionConsts, FullAttentionParams};
use akunu_kernels::layer_norm::{LayerNormConsts, LayerNormParams};
use akunu_kernels::matmul::{MatmulConsts, Select};
use akunu_kernels::pooling::PoolingConsts;
use akunu_kernels::quantize::QuantizeConsts;

impl Builder<'_> {
    /// All of it.
    pub(super) fn encode(&mut self, e: Encode) -> Result<(), PlanError> {
        let p = self.p;
        let Some(positions) = p.weights.positions else { return Err(lacking("position embeddings")) };
        let Some(config) = &p.config.encoder else { return Err(lacking("positions and pooling")) };
        let (d, max_rows) = (p.config.hidden, self.shape.rows.0);
        self.embed()?;
        let consts =
            AddPositionsConsts { d, positions: config.positions, first: config.first_position, max_rows };
        let (offset, bytes) = (p.weights.slot(positions.segment).offset, u64::from(d) * 4);
        let binds = [
            self.all(Region::Step),
            self.slot(positions.positions),
            (Region::Weights, offset, bytes),
            self.residual(),
        ];
        self.emit(None, "embed", &kernels::add_positions::KERNEL, &consts, &(), &binds)?;
        let mut act = self.next_act(0);
        let consts = LayerNormConsts { d, act: act as u32, max_rows };
        let params = LayerNormParams { eps: p.config.norm_eps };
        let binds = [
            self.all(Region::Step),
            self.residual(),
            self.slot(p.weights.output_norm),
            self.slot(positions.norm_bias),
            self.vectors(self.residual[1]),
            self.x(act, self.shape.rows),
        ];
        self.residual.swap(0, 1);
        self.emit(None, "embed.norm", &kernels::layer_norm::KERNEL, &consts, &params, &binds)?;
        for (i, layer) in p.weights.layers.iter().enumerate() {
            act = self.encoder_layer(i as u32, layer, act)?;
        }
        let max_heads = self.shape.head_rows.0;
        let consts = PoolingConsts { d, pooling: e.pooling as u32, normalize: e.normalize as u32, max_heads };
        let out = self.used(Region::Pooled, self.shape.head_rows, d as usize * 4);
        let binds = [self.all(Region::Step), self.residual(), out];
        self.emit(None, "pooling", &kernels::pooling::KERNEL, &consts, &(), &binds)
    }

    /// The format that the first product of layer `i` reads, f32 after the last layer.
    fn next_act(&self, i: u32) -> ActFormat {
        let layer = self.p.weights.layers.get(i as usize);
        let first = layer.and_then(|l| l.qkv.parts.first());
        first.map_or(ActFormat::F32, |(id, _)| self.act(*id, self.shape.rows))
    }

    /// Attention and feed-forward part, each ending in a norm of the sum. `ready` is the format in which `x` holds the input, and what
    /// it returns the one for the next layer.
    fn encoder_layer(&mut self, i: u32, w: &LayerWeights, ready: ActFormat) -> Result<ActFormat, PlanError> {
        let c = &self.p.config;
        let (l, rows, step) = (Some(i), self.shape.rows, self.all(Region::Step));
        let (Ffn::Plain { up, down }, Some(b)) = (&w.ffn, w.biases) else { return Err(lacking("biases")) };
        let LayerBiases { output, attention_post_norm, up: up_bias, down: down_bias, ffn_post_norm } = b;
        let (Some(norm), Some(last_norm)) = (w.attention_post_norm, w.ffn_post_norm) else {
            return Err(lacking("norms"));
        };
        let width = 3 * c.heads * c.head_dim;
        let qkv = self.qkv();
        self.products(l, "attention.qkv", &w.qkv, (width, qkv), ready)?;
        self.adjust_qkv(l, w, width)?;
        let x = self.full_attention(i, w.output)?;
        let act = up.parts.first().map_or(ActFormat::F32, |(id, _)| self.act(*id, rows));
        self.sublayer(l, "attention.output", w.output, x)?;
        self.sum_norm(l, "attention.post_norm", [output, norm, attention_post_norm], act)?;

        let middle = self.used(Region::GateUp, rows, c.ffn as usize * 4);
        self.products(l, "ffn.up", up, (c.ffn, middle), act)?;
        let act = self.act(*down, rows);
        let x = self.used(Region::FfnAct, rows, act.row_bytes(c.ffn as usize));
        let activation = self.p.arch.activation as u32;
        let consts = ActivateConsts { f: c.ffn, activation, act: act as u32, max_rows: rows.0 };
        let binds = [step, middle, self.slot(up_bias), x];
        self.emit(l, "ffn.activate", &kernels::activate::KERNEL, &consts, &(), &binds)?;
        self.sublayer(l, "ffn.down", *down, x)?;
        let act = self.next_act(i + 1);
        self.sum_norm(l, "ffn.post_norm", [down_bias, last_norm, ffn_post_norm], act)?;
        Ok(act)
    }

    /// The products of the residual stream, which `x` holds in the format `ready`; parts that read another have it written anew.
    fn products(
        &mut self,
        layer: Option<u32>,
        group: &'static str,
        product: &Product,
        (width, out): (u32, Range),
        ready: ActFormat,
    ) -> Result<(), PlanError> {
        let (rows, k) = (self.shape.rows, self.p.config.hidden);
        let mut current = ready;
        for (id, col) in &product.parts {
            let act = self.act(*id, rows);
            if act != current {
                let consts = QuantizeConsts { k, x_stride: k, act: act as u32, max_rows: rows.0 };
                let binds = [self.all(Region::Step), self.residual(), self.x(act, rows)];
                self.emit(layer, group, &kernels::quantize::KERNEL, &consts, &(), &binds)?;
                current = act;
            }
            let (dtype, layout, weights) = self.weights(layer, group, *id, rows)?;
            let consts = MatmulConsts {
                dtype: dtype as u32,
                layout: layout as u32,
                ..self.matmul_consts(*id, width, *col, Select::All, rows)
            };
            let binds = [self.all(Region::Step), self.x(act, rows), weights, out];
            self.emit(layer, group, &kernels::matmul::KERNEL, &consts, &(), &binds)?;
        }
        Ok(())
    }

    /// Attention of all rows of a text among each other, in the format that the product after it reads.
    fn full_attention(&mut self, layer: u32, output: SlotId) -> Result<Range, PlanError> {
        let c = &self.p.config;
        let (rows, act) = (self.shape.rows, self.act(output, self.shape.rows));
        let width = (c.heads * c.head_dim) as usize;
        let direct = attention_writes(act, c.head_dim);
        let (format, region) =
            if direct { (act, Region::AttnOut) } else { (ActFormat::F32, Region::AttnF32) };
        let out = self.used(region, rows, format.row_bytes(width));
        let consts = FullAttentionConsts {
            heads: c.heads,
            head_dim: c.head_dim,
            act: format as u32,
            max_rows: rows.0,
        };
        let params = FullAttentionParams { scale: self.score_scale() };
        let binds = [self.all(Region::Step), self.qkv(), out];
        let at = Some(layer);
        self.emit(at, "attention.attention", &kernels::full_attention::KERNEL, &consts, &params, &binds)?;
        if direct {
            return Ok(out);
        }
        let to = self.used(Region::AttnOut, rows, act.row_bytes(width));
        let x_stride = (ActFormat::F32.row_bytes(width) / 4) as u32;
        let consts = QuantizeConsts { k: width as u32, x_stride, act: act as u32, max_rows: rows.0 };
        let binds = [self.all(Region::Step), out, to];
        self.emit(at, "attention.quantize", &kernels::quantize::KERNEL, &consts, &(), &binds)?;
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
        let rows = self.shape.rows;
        let (dtype, layout, weights) = self.weights(layer, group, id, rows)?;
        let consts = MatmulConsts {
            dtype: dtype as u32,
            layout: layout as u32,
            ..self.matmul_consts(id, self.p.config.hidden, 0, Select::All, rows)
        };
        let binds = [self.all(Region::Step), x, weights, self.vectors(Region::Sublayer)];
        self.emit(layer, group, &kernels::matmul::KERNEL, &consts, &(), &binds)
    }

    /// The norm of the residual stream, a sublayer's output and its bias: the new residual stream, and `x` in a format.
    fn sum_norm(
        &mut self,
        layer: Option<u32>,
        group: &'static str,
        [bias, weight, norm_bias]: [SlotId; 3],
        act: ActFormat,
    ) -> Result<(), PlanError> {
        let c = &self.p.config;
        let consts = LayerNormConsts { d: c.hidden, act: act as u32, max_rows: self.shape.rows.0 };
        let params = LayerNormParams { eps: c.norm_eps };
        let binds = [
            self.all(Region::Step),
            self.vectors(Region::Sublayer),
            self.slot(bias),
            self.slot(weight),
            self.slot(norm_bias),
            self.residual(),
            self.vectors(self.residual[1]),
            self.x(act, self.shape.rows),
        ];
        self.residual.swap(0, 1);
        self.emit(layer, group, &kernels::layer_norm_add::KERNEL, &consts, &params, &binds)
    }
}

fn lacking(what: &str) -> PlanError {
    PlanError::Config {
        field: "encoder",
        value: format!("without {what}"),
        remedy: "its architecture needs them; convert the model anew",
    }
}
