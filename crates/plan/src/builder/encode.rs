//! The walk of an encoder: whole texts to one vector each, without a cache and without a draw.

use super::Builder;
use super::biased::{Norm, Sees, lacking};
use crate::PlanError;
use crate::arch::PositionKind;
use crate::table::Region;
use crate::walk::Encode;
use crate::weights::LayerWeights;
use akunu_kernels as kernels;
use akunu_kernels::act::ActFormat;
use akunu_kernels::layer_norm::Stream;
use akunu_kernels::matmul::Select;
use akunu_kernels::pooling::PoolingConsts;

impl Builder<'_> {
    /// All of it.
    pub(super) fn encode(&mut self, e: Encode) -> Result<(), PlanError> {
        let p = self.p;
        let Some(positions) = p.weights.positions else { return Err(lacking("position embeddings")) };
        let Some(config) = &p.config.encoder else { return Err(lacking("positions and pooling")) };
        self.embed()?;
        if p.arch.positions == PositionKind::Rotated {
            self.rope_angles()?;
        }
        match (p.arch.positions, config.segments) {
            (PositionKind::Learned, _) => self.add_positions(config.positions, config.first_position)?,
            // One row for all positions.
            (PositionKind::Rotated, 1..) => self.add_positions(1, 0)?,
            (PositionKind::Rotated, 0) => {}
        }
        let layers = &p.weights.layers;
        let mut ready = self.first_norm(Norm {
            group: "embed.norm",
            slots: [p.weights.output_norm, positions.norm_bias],
            act: self.input_of(layers.first()),
            stream: Stream::Norm,
            select: Select::All,
        })?;
        for (i, layer) in layers.iter().enumerate() {
            let next = self.norm_after(layer, layers.get(i + 1))?;
            ready = self.biased_layer(i as u32, layer, Sees::Whole, ready, next)?;
        }
        let (d, max_heads) = (p.config.hidden, self.shape.head_rows.0);
        let consts = PoolingConsts { d, pooling: e.pooling as u32, normalize: e.normalize as u32, max_heads };
        let out = self.used(Region::Pooled, self.shape.head_rows, d as usize * 4);
        let binds = [self.all(Region::Step), self.residual(), out];
        self.emit(None, "pooling", &kernels::pooling::KERNEL, &consts, &(), &binds)
    }

    /// The norm after a layer: its own, or the next one's where norms stand before sublayers; the last one's output is what is pooled.
    fn norm_after(&self, layer: &LayerWeights, next: Option<&LayerWeights>) -> Result<Norm, PlanError> {
        let norm = match (self.p.arch.norms.before(), next) {
            (true, Some(next)) => return self.norm_before(next),
            (true, None) => self.p.weights.final_norm.map(|slots| ("head.norm", slots)),
            (false, _) => layer
                .ffn_post_norm
                .zip(layer.biases)
                .map(|(norm, biases)| ("ffn.post_norm", [norm, biases.ffn_norm])),
        };
        let Some((group, slots)) = norm else { return Err(lacking("norms")) };
        Ok(Norm { group, slots, act: self.input_of(next), stream: Stream::Norm, select: Select::All })
    }

    /// The format that a layer's first product reads, f32 after the last layer.
    fn input_of(&self, layer: Option<&LayerWeights>) -> ActFormat {
        layer.map_or(ActFormat::F32, |l| self.act_of(&l.qkv))
    }
}
