//! The walk of an encoder of audio: a window of frames through two convolutions and the layers to keys and values for every layer of the
//! decoder.

use super::Builder;
use super::biased::{Norm, Sees, lacking};
use crate::PlanError;
use crate::table::Region;
use crate::weights::{AudioWeights, SlotId};
use akunu_kernels as kernels;
use akunu_kernels::act::ActFormat;
use akunu_kernels::activate_positions::ActivatePositionsConsts;
use akunu_kernels::cross_kv::{self, CrossKvConsts};
use akunu_kernels::layer_norm::Stream;
use akunu_kernels::matmul::Select;
use akunu_kernels::unfold::UnfoldConsts;
use akunu_model::config::AudioConfig;

/// What a convolution reads, and which of it the rows of a product are.
#[derive(Clone, Copy)]
struct Unfold {
    from: Region,
    channels: u32,
    /// Values of a row in `from`.
    x_stride: u32,
    /// Frames before a row's first one.
    lead: u32,
}

impl Builder<'_> {
    /// All of it.
    pub(super) fn encode_audio(&mut self) -> Result<(), PlanError> {
        let p = self.p;
        let (Some(audio), Some(w)) = (&p.config.audio, &p.weights.audio) else {
            return Err(lacking("an encoder of audio"));
        };
        self.convolutions(audio, w)?;
        let last = Norm {
            group: "audio.norm",
            slots: w.norm,
            act: p
                .weights
                .layers
                .first()
                .and_then(|l| l.cross.as_ref())
                .map_or(ActFormat::F32, |c| self.act_of(&c.kv)),
            stream: Stream::Sum,
            select: Select::All,
        };
        let ready = self.biased_layers(&w.layers, Sees::Whole, last)?;
        let c = &p.config;
        let width = 2 * c.heads * c.head_dim;
        let consts = CrossKvConsts {
            heads: c.heads,
            head_dim: c.head_dim,
            positions: audio.positions,
            sources: p.sources,
            format: cross_kv::format(p.cache.k) as u32,
            max_rows: self.shape.rows.0,
        };
        for (i, layer) in p.weights.layers.iter().enumerate() {
            let Some(cross) = &layer.cross else { return Err(lacking("cross attention")) };
            let (l, i) = (Some(i as u32), i as u32);
            let kv = self.used(Region::Qkv, self.shape.rows, width as usize * 4);
            self.products(l, "cross.kv", &cross.kv, (width, kv), ready)?;
            let [keys, values] = self.cross_places(i);
            let binds = [self.all(Region::Step), kv, self.slot(cross.kv_bias), keys, values];
            self.emit(l, "cross.kv", &kernels::cross_kv::KERNEL, &consts, &(), &binds)?;
        }
        Ok(())
    }

    /// Frames to the residual stream. The first convolution keeps the frames' number, so a row has two of them, side by side; the second
    /// halves it.
    fn convolutions(&mut self, audio: &AudioConfig, w: &AudioWeights) -> Result<(), PlanError> {
        let p = self.p;
        let (d, rows) = (p.config.hidden, self.shape.rows);
        let both = AudioConfig::STRIDE * d;
        let (first, group) = (self.used(Region::GateUp, rows, both as usize * 4), "audio.conv1");
        let mel = Unfold {
            from: Region::Mel,
            channels: audio.mels,
            x_stride: AudioConfig::STRIDE * audio.mels,
            lead: 0,
        };
        for frame in 0..AudioConfig::STRIDE {
            // The middle tap stands on the frame itself.
            let unfold = Unfold { lead: AudioConfig::TAPS / 2 - frame, ..mel };
            self.convolution(group, w.conv[0], unfold, (both, frame * d), first)?;
        }
        let act = ActFormat::F32;
        let row_bytes = act.row_bytes(both as usize);
        let frames = self.used(Region::Frames, rows, row_bytes);
        self.activate(None, group, both, act, [first, self.slot(w.conv_bias[0]), frames])?;

        let group = "audio.conv2";
        let second = self.used(Region::GateUp, rows, d as usize * 4);
        let unfold = Unfold {
            from: Region::Frames,
            channels: d,
            x_stride: (row_bytes / 4) as u32,
            lead: AudioConfig::TAPS / 2,
        };
        self.convolution(group, w.conv[1], unfold, (d, 0), second)?;
        let activation = p.arch.activation as u32;
        let consts = ActivatePositionsConsts { d, activation, positions: audio.positions, max_rows: rows.0 };
        let binds = [
            self.all(Region::Step),
            second,
            self.slot(w.conv_bias[1]),
            self.slot(w.positions),
            self.residual(),
        ];
        self.emit(None, group, &kernels::activate_positions::KERNEL, &consts, &(), &binds)
    }

    /// A convolution without its bias, to some columns of rows so wide.
    fn convolution(
        &mut self,
        group: &'static str,
        filters: SlotId,
        u: Unfold,
        columns: (u32, u32),
        out: super::Range,
    ) -> Result<(), PlanError> {
        let rows = self.shape.rows;
        let act = self.act(filters, rows);
        let consts = UnfoldConsts {
            channels: u.channels,
            taps: AudioConfig::TAPS,
            stride: AudioConfig::STRIDE,
            lead: u.lead,
            x_stride: u.x_stride,
            act: act as u32,
            max_rows: rows.0,
        };
        let width = (u.channels * AudioConfig::TAPS) as usize;
        let x = self.used(Region::Unfolded, rows, act.row_bytes(width));
        let from = self.used(u.from, rows, u.x_stride as usize * 4);
        let binds = [self.all(Region::Step), from, x];
        self.emit(None, group, &kernels::unfold::KERNEL, &consts, &(), &binds)?;
        self.product(None, group, filters, columns, [x, out])
    }
}
