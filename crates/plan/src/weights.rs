//! Where every weight goes: slots of the weights region, each one matrix of one or several tensors.

use crate::arch::{ArchDescriptor, Blocks, NormPlacement, Output, PositionKind, QkNorm, QkvBias, Reads};
use crate::region::WEIGHT_ALIGN;
use crate::target::Staged;
use crate::{PlanError, Target};
use akunu_kernels::act::ActFormat;
use akunu_kernels::grouped_matmul;
use akunu_kernels::matmul::packs_on_the_way;
use akunu_kernels::step::KV_BLOCK;
use akunu_kernels::{DType, Layout, dtype};
use akunu_model::config::{AudioConfig, RopeConfig, RopeScaling};
use akunu_model::{ModelConfig, TensorInfo, WeightSource};

mod check;
mod distances;
mod frequencies;

pub use check::{check, check_encoder};
use distances::distance_buckets;
pub use frequencies::rope_frequencies;

/// Slots start at multiples of this many bytes (a cache line, and every vector width).
const ALIGN: u64 = 256;

/// What fills a slot.
#[derive(Clone, Debug, PartialEq)]
pub enum SlotData {
    /// Tensors stacked by rows, in order.
    Tensors(Vec<TensorInfo>),
    /// A tensor that stays in its file, where it begins at byte `at`.
    File {
        /// The tensor.
        tensor: TensorInfo,
        /// Its place in the file.
        at: u64,
    },
    /// Tensors stacked by rows, with zeros between them.
    Sparse {
        /// The tensors.
        tensors: Vec<TensorInfo>,
        /// The first row of each.
        at: Vec<u64>,
    },
    /// Values computed from the configuration, f32.
    Values(Vec<f32>),
}

impl SlotData {
    /// The tensors in it.
    pub fn tensors(&self) -> &[TensorInfo] {
        match self {
            Self::Tensors(t) | Self::Sparse { tensors: t, .. } => t,
            Self::File { tensor, .. } => std::slice::from_ref(tensor),
            Self::Values(_) => &[],
        }
    }
}

/// One matrix or vector in the weights region.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// What fills it.
    pub data: SlotData,
    /// Element format.
    pub dtype: DType,
    /// Layout in device memory.
    pub layout: Layout,
    /// Activation format of its product.
    pub act: ActFormat,
    /// How products of many rows differ.
    pub staged: Option<Staged>,
    /// Rows (output features).
    pub rows: u64,
    /// Row width (input features).
    pub k: u64,
    /// Offset in the weights region.
    pub offset: u64,
    /// Size in the weights region.
    pub bytes: u64,
}

/// Index of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotId(pub usize);

/// A product whose weights may be one fused slot or several side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Product {
    /// (slot, first output column).
    pub parts: Vec<(SlotId, u32)>,
}

/// One layer's slots.
#[derive(Clone, Debug)]
pub struct LayerWeights {
    /// `[hidden]`, where the architecture has a norm there.
    pub attention_norm: Option<SlotId>,
    /// Queries, keys, values.
    pub qkv: Product,
    /// Their bias, `[(heads + 2 kv_heads) head_dim]`.
    pub qkv_bias: Option<SlotId>,
    /// Norms of queries and keys.
    pub qk_norm: Option<(SlotId, SlotId)>,
    /// Attention output.
    pub output: SlotId,
    /// What reads an encoder, after the attention.
    pub cross: Option<CrossWeights>,
    /// `[hidden]`, after the attention.
    pub attention_post_norm: Option<SlotId>,
    /// `[hidden]`.
    pub ffn_norm: Option<SlotId>,
    /// The feed-forward part.
    pub ffn: Ffn,
    /// `[hidden]`, after the feed-forward part.
    pub ffn_post_norm: Option<SlotId>,
    /// Biases of the products and norms, where the norms are layer norms.
    pub biases: Option<LayerBiases>,
}

/// Biases of a layer, beside those of queries, keys and values; `[hidden]` but for `up`. Where the architecture has none, zeros.
#[derive(Clone, Copy, Debug)]
pub struct LayerBiases {
    /// Of the attention output.
    pub output: SlotId,
    /// Of the norm before or after the attention.
    pub attention_norm: SlotId,
    /// `[ffn]`, of the feed-forward part's first product.
    pub up: SlotId,
    /// Of its second.
    pub down: SlotId,
    /// Of the norm before or after it.
    pub ffn_norm: SlotId,
}

/// A layer's cross attention.
#[derive(Clone, Debug)]
pub struct CrossWeights {
    /// `[hidden]`, before it, and its bias.
    pub norm: [SlotId; 2],
    /// Queries, of the decoder's rows.
    pub q: SlotId,
    /// Their bias.
    pub q_bias: SlotId,
    /// Keys and values, of the encoder's rows.
    pub kv: Product,
    /// Their bias, `[2 heads head_dim]`, zeros for the keys.
    pub kv_bias: SlotId,
    /// Output.
    pub output: SlotId,
    /// Its bias.
    pub output_bias: SlotId,
}

/// An encoder of audio.
#[derive(Clone, Debug)]
pub struct AudioWeights {
    /// Filters of the two convolutions, `[hidden, channels * taps]`.
    pub conv: [SlotId; 2],
    /// Their biases. The first convolution has two frames a row: twice `[hidden]`.
    pub conv_bias: [SlotId; 2],
    /// `[positions, hidden]`, added to what the convolutions give.
    pub positions: SlotId,
    /// The layers.
    pub layers: Vec<LayerWeights>,
    /// `[hidden]`, after the layers, and its bias.
    pub norm: [SlotId; 2],
}

/// Biases of scores by the distance of a key from its query.
#[derive(Clone, Copy, Debug)]
pub struct Distances {
    /// `[2 * 128 + 1] u32`, the row of the biases for each distance from -128 up.
    pub near: SlotId,
    /// `[buckets, heads] f32`.
    pub biases: SlotId,
}

/// What is added to the embeddings of tokens.
#[derive(Clone, Copy, Debug)]
pub struct Positions {
    /// `[positions, hidden]`; a row of zeros where queries and keys are rotated instead.
    pub positions: SlotId,
    /// `[segments, hidden]`; a row of zeros where there are none.
    pub segments: SlotId,
    /// `[hidden]`, the bias of `output_norm`: after them in an encoder, after the layers in a decoder.
    pub norm_bias: SlotId,
}

/// A layer's feed-forward part.
#[derive(Clone, Debug)]
pub enum Ffn {
    /// One for all tokens.
    Dense {
        /// Gate, up.
        gate_up: Product,
        /// Down.
        down: SlotId,
    },
    /// One for all tokens, without a gate.
    Plain {
        /// Up.
        up: Product,
        /// Down.
        down: SlotId,
    },
    /// A mixture of experts.
    Experts {
        /// Scores of the experts.
        router: Product,
        /// Gates of all experts, one above the other.
        gate: SlotId,
        /// Ups of all experts.
        up: SlotId,
        /// Downs of all experts.
        down: SlotId,
    },
}

impl LayerWeights {
    /// Products of the normalised residual stream.
    pub fn inputs(&self) -> impl Iterator<Item = SlotId> {
        let (product, others) = match &self.ffn {
            Ffn::Dense { gate_up: product, .. } | Ffn::Plain { up: product, .. } => (product, None),
            Ffn::Experts { router, gate, up, .. } => (router, Some([*gate, *up])),
        };
        let parts = self.qkv.parts.iter().chain(&product.parts).map(|(id, _)| *id);
        let cross = self.cross.iter().flat_map(|c| c.kv.parts.iter().map(|(id, _)| *id).chain([c.q]));
        parts.chain(others.into_iter().flatten()).chain(cross)
    }

    /// Matrices that are multiplied one at a time: all but those of the experts.
    pub fn matrices(&self) -> impl Iterator<Item = SlotId> {
        let (product, down) = match &self.ffn {
            Ffn::Dense { gate_up, down } | Ffn::Plain { up: gate_up, down } => (gate_up, Some(*down)),
            Ffn::Experts { router, .. } => (router, None),
        };
        let parts = self.qkv.parts.iter().chain(&product.parts).map(|(id, _)| *id);
        let cross = self.cross.iter().flat_map(|c| c.kv.parts.iter().map(|(id, _)| *id).chain([c.q]));
        parts.chain(self.outputs()).chain(down).chain(cross)
    }

    /// Products of what an attention gave.
    pub fn outputs(&self) -> impl Iterator<Item = SlotId> {
        [self.output].into_iter().chain(self.cross.as_ref().map(|c| c.output))
    }

    /// The product of the gated values.
    pub fn down(&self) -> SlotId {
        match self.ffn {
            Ffn::Dense { down, .. } | Ffn::Plain { down, .. } | Ffn::Experts { down, .. } => down,
        }
    }
}

/// The whole weights region.
#[derive(Clone, Debug)]
pub struct Weights {
    /// Every slot, in order of offset.
    pub slots: Vec<Slot>,
    /// Token embedding.
    pub embed: SlotId,
    /// Rotation frequencies `[pairs] f32`.
    pub frequencies: SlotId,
    /// Those of windowed layers, where they are others.
    pub local_frequencies: Option<SlotId>,
    /// `[blocks] u32`, the block table of windowed layers that keep a ring of blocks.
    pub ring_table: Option<SlotId>,
    /// The layers.
    pub layers: Vec<LayerWeights>,
    /// `[hidden]`; of an encoder, the norm after its embeddings.
    pub output_norm: SlotId,
    /// What is added to the embeddings, where positions are learned.
    pub positions: Option<Positions>,
    /// The encoder of audio that the decoder reads.
    pub audio: Option<AudioWeights>,
    /// The norm after an encoder's last layer, where norms stand before sublayers, and its bias.
    pub final_norm: Option<[SlotId; 2]>,
    /// What is added to an encoder's scores by distance.
    pub distances: Option<Distances>,
    /// Output head; the embedding's slot where they are tied, or where there is none.
    pub head: SlotId,
    /// Size of the region.
    pub bytes: u64,
    /// Bytes of it that stay in files and take no memory of their own.
    pub file_bytes: u64,
}

impl Weights {
    /// Lays out every tensor that the architecture needs, and checks its shape.
    pub fn plan(
        source: &dyn WeightSource,
        arch: &ArchDescriptor,
        target: &Target,
        context: u32,
        ring_blocks: Option<u32>,
    ) -> Result<Self, PlanError> {
        let c = source.config();
        let zeros = u64::from(c.hidden.max(c.ffn));
        let mut p =
            Planner { source, target, slots: Vec::new(), end: 0, file_bytes: 0, zeros: (zeros, None) };
        let d = u64::from(c.hidden);
        let embed = p.matrix("embed.weight", u64::from(c.vocab), d)?;
        let frequencies = p.values(rope_frequencies(&c.rope, context)?);
        let local_frequencies = match arch.local_rope_base(c) {
            // Contexts are extended through the layers that see all of it.
            Some(base) => {
                let rope = RopeConfig { base, scaling: RopeScaling::None, ..c.rope.clone() };
                Some(p.values(rope_frequencies(&rope, context)?))
            }
            None => None,
        };
        // It never changes, so it is a weight: nobody can write block numbers that lie outside the ring. Its words go
        // where values go, bit for bit.
        let ring_table = ring_blocks.map(|ring| {
            let blocks = 0..context.div_ceil(KV_BLOCK);
            p.values(blocks.map(|b| f32::from_bits(b % ring)).collect())
        });
        // Grows with the tensors that are found, not with the count that the file claims.
        let mut layers = Vec::new();
        for i in 0..c.layers {
            layers.push(p.layer(arch, c, "", i)?);
        }
        let encoder = c.encoder.as_ref().filter(|_| arch.output == Output::Pooled);
        let output_norm =
            p.vector(if encoder.is_some() { "embed_norm.weight" } else { "output_norm.weight" }, d)?;
        let positions = match (&c.audio, encoder) {
            (Some(_), _) if arch.reads == Reads::Audio => {
                Some(p.positions(arch, "output_norm", c.context, 0, d)?)
            }
            (_, Some(e)) => Some(p.positions(arch, "embed_norm", e.positions, e.segments, d)?),
            _ => None,
        };
        let final_norm = match encoder {
            Some(_) if arch.norms.before() => {
                Some([p.vector("output_norm.weight", d)?, p.norm_bias(arch, "output_norm", d)?])
            }
            _ => None,
        };
        let distances = match encoder.map_or(0, |e| e.distance_buckets) {
            0 => None,
            n => Some(p.distances(n, c.heads)?),
        };
        let audio = c.audio.as_ref().filter(|_| arch.reads == Reads::Audio);
        let audio = audio.map(|a| p.audio(arch, c, a)).transpose()?;
        let head = if source.find("output.weight").is_some() {
            p.matrix("output.weight", u64::from(c.vocab), d)?
        } else {
            embed
        };
        Ok(Self {
            bytes: p.end,
            file_bytes: p.file_bytes,
            slots: p.slots,
            embed,
            frequencies,
            local_frequencies,
            ring_table,
            layers,
            output_norm,
            positions,
            audio,
            final_norm,
            distances,
            head,
        })
    }

    /// The layers of the decoder, or of the only stack, and those of an encoder of audio.
    pub fn all_layers(&self) -> impl Iterator<Item = &LayerWeights> {
        self.layers.iter().chain(self.audio.iter().flat_map(|a| &a.layers))
    }

    /// A slot.
    pub fn slot(&self, id: SlotId) -> &Slot {
        &self.slots[id.0]
    }
}

struct Planner<'a> {
    source: &'a dyn WeightSource,
    target: &'a Target,
    slots: Vec<Slot>,
    end: u64,
    file_bytes: u64,
    /// As many zeros as the widest bias has, and their slot once it is there.
    zeros: (u64, Option<SlotId>),
}

impl Planner<'_> {
    /// Layer `i` of the decoder, or of an encoder whose names begin with `side`.
    fn layer(
        &mut self,
        arch: &ArchDescriptor,
        c: &ModelConfig,
        side: &str,
        i: u32,
    ) -> Result<LayerWeights, PlanError> {
        let (d, hd) = (u64::from(c.hidden), u64::from(c.head_dim));
        let (q, kv) = (u64::from(c.heads) * hd, u64::from(c.kv_heads) * hd);
        let f = u64::from(c.ffn);
        let at = format!("{side}layers.{i}");
        let n = |s: &str| format!("{at}.{s}.weight");
        let sum = arch.norms == NormPlacement::Sum;
        let post = arch.norms.after() || sum;
        // (The embeddings' norm is that of an encoder's first attention.)
        let first = i == 0 && arch.output == Output::Pooled;
        let crosses = side.is_empty() && arch.reads == Reads::Audio;
        let norm = |p: &mut Self, there: bool, s: &str| there.then(|| p.vector(&n(s), d)).transpose();
        let attention_norm = norm(self, arch.norms.before() && !first, "attention_norm")?;
        let parts = [(&*n("attention.q"), q), (&*n("attention.k"), kv), (&*n("attention.v"), kv)];
        let qkv = self.product(&parts, d)?;
        let qkv_bias = match arch.qkv_bias {
            QkvBias::None => None,
            QkvBias::Added => {
                let of = |part: &str| format!("{at}.attention.{part}.bias");
                Some(self.stacked_vector(&[(&of("q"), q), (&of("k"), kv), (&of("v"), kv)])?)
            }
            QkvBias::QueriesAndValues => {
                let of = |part: &str| format!("{at}.attention.{part}.bias");
                Some(self.sparse_vector(&[(&of("q"), 0, q), (&of("v"), q + kv, kv)], q + 2 * kv)?)
            }
        };
        let widths = match arch.qk_norm {
            QkNorm::None => None,
            QkNorm::Head => Some((hd, hd)),
            QkNorm::Row => Some((q, kv)),
        };
        let qk_norm = match widths {
            None => None,
            Some((q, k)) => {
                Some((self.vector(&n("attention.q_norm"), q)?, self.vector(&n("attention.k_norm"), k)?))
            }
        };
        Ok(LayerWeights {
            attention_norm,
            qkv,
            qkv_bias,
            qk_norm,
            output: self.matrix(&n("attention.output"), d, q)?,
            cross: if crosses { Some(self.cross(&at, d, q)?) } else { None },
            attention_post_norm: norm(self, post, "attention_post_norm")?,
            ffn_norm: norm(self, arch.norms.before(), "ffn_norm")?,
            ffn: self.ffn(arch, c, &at)?,
            ffn_post_norm: norm(self, post, "ffn_post_norm")?,
            biases: match arch.blocks {
                Blocks::Gated => None,
                _ => Some(self.biases(&at, arch, d, f)?),
            },
        })
    }

    fn ffn(&mut self, arch: &ArchDescriptor, c: &ModelConfig, layer: &str) -> Result<Ffn, PlanError> {
        let (d, f) = (u64::from(c.hidden), u64::from(c.ffn));
        let n = |s: &str| format!("{layer}.{s}.weight");
        Ok(match &c.experts {
            None if arch.blocks == Blocks::Biased => Ffn::Plain {
                up: self.product(&[(&n("ffn.up"), f)], d)?,
                down: self.matrix(&n("ffn.down"), d, f)?,
            },
            None => Ffn::Dense {
                gate_up: self.product(&[(&n("ffn.gate"), f), (&n("ffn.up"), f)], d)?,
                down: self.matrix(&n("ffn.down"), d, f)?,
            },
            Some(e) => {
                let (count, f) = (u64::from(e.count), u64::from(e.ffn));
                Ffn::Experts {
                    router: self.product(&[(&n("ffn.router"), count)], d)?,
                    gate: self.experts(&n("ffn.experts.gate"), count, f, d)?,
                    up: self.experts(&n("ffn.experts.up"), count, f, d)?,
                    down: self.experts(&n("ffn.experts.down"), count, d, f)?,
                }
            }
        })
    }

    fn biases(
        &mut self,
        layer: &str,
        arch: &ArchDescriptor,
        d: u64,
        f: u64,
    ) -> Result<LayerBiases, PlanError> {
        let [attention, ffn] = if arch.norms.before() {
            ["attention_norm", "ffn_norm"]
        } else {
            ["attention_post_norm", "ffn_post_norm"]
        };
        if arch.blocks == Blocks::GatedLayerNorm {
            let zeros = self.zeros();
            return Ok(LayerBiases {
                output: zeros,
                attention_norm: self.norm_bias(arch, &format!("{layer}.{attention}"), d)?,
                up: zeros,
                down: zeros,
                ffn_norm: self.norm_bias(arch, &format!("{layer}.{ffn}"), d)?,
            });
        }
        let mut of = |s: &str, n| self.vector(&format!("{layer}.{s}.bias"), n);
        Ok(LayerBiases {
            output: of("attention.output", d)?,
            attention_norm: of(attention, d)?,
            up: of("ffn.up", f)?,
            down: of("ffn.down", d)?,
            ffn_norm: of(ffn, d)?,
        })
    }

    fn cross(&mut self, layer: &str, d: u64, q: u64) -> Result<CrossWeights, PlanError> {
        let n = |s: &str| format!("{layer}.{s}");
        Ok(CrossWeights {
            norm: [self.vector(&n("cross_norm.weight"), d)?, self.vector(&n("cross_norm.bias"), d)?],
            q: self.matrix(&n("cross.q.weight"), q, d)?,
            q_bias: self.vector(&n("cross.q.bias"), q)?,
            kv: self.product(&[(&n("cross.k.weight"), q), (&n("cross.v.weight"), q)], d)?,
            kv_bias: self.sparse_vector(&[(&n("cross.v.bias"), q, q)], 2 * q)?,
            output: self.matrix(&n("cross.output.weight"), d, q)?,
            output_bias: self.vector(&n("cross.output.bias"), d)?,
        })
    }

    fn audio(
        &mut self,
        arch: &ArchDescriptor,
        c: &ModelConfig,
        a: &AudioConfig,
    ) -> Result<AudioWeights, PlanError> {
        let (d, taps) = (u64::from(c.hidden), u64::from(AudioConfig::TAPS));
        let conv = [
            self.matrix("audio.conv1.weight", d, u64::from(a.mels) * taps)?,
            self.matrix("audio.conv2.weight", d, d * taps)?,
        ];
        let first = ("audio.conv1.bias", d);
        let conv_bias = [self.stacked_vector(&[first, first])?, self.vector("audio.conv2.bias", d)?];
        let positions = self.numbers("audio.positions.weight", u64::from(a.positions), d)?;
        let layers = (0..a.layers).map(|i| self.layer(arch, c, "audio.", i)).collect::<Result<_, _>>()?;
        let norm = [self.vector("audio.output_norm.weight", d)?, self.vector("audio.output_norm.bias", d)?];
        Ok(AudioWeights { conv, conv_bias, positions, layers, norm })
    }

    fn positions(
        &mut self,
        arch: &ArchDescriptor,
        norm: &str,
        rows: u32,
        segments: u32,
        d: u64,
    ) -> Result<Positions, PlanError> {
        let norm_bias = self.norm_bias(arch, norm, d)?;
        let positions = match arch.positions {
            PositionKind::Learned => self.numbers("positions.weight", u64::from(rows), d)?,
            PositionKind::Rotated => self.values(vec![0.0; d as usize]),
        };
        let segments = match segments {
            0 => self.values(vec![0.0; d as usize]),
            n => self.numbers("segments.weight", u64::from(n), d)?,
        };
        Ok(Positions { positions, segments, norm_bias })
    }

    /// A layer norm's bias; zeros where architecture and file have none.
    fn norm_bias(&mut self, arch: &ArchDescriptor, norm: &str, d: u64) -> Result<SlotId, PlanError> {
        let name = format!("{norm}.bias");
        if arch.blocks == Blocks::GatedLayerNorm && self.source.find(&name).is_none() {
            return Ok(self.zeros());
        }
        self.vector(&name, d)
    }

    /// As many zeros as any bias needs; one slot for all.
    fn zeros(&mut self) -> SlotId {
        let (n, made) = self.zeros;
        let id = made.unwrap_or_else(|| self.values(vec![0.0; n as usize]));
        self.zeros.1 = Some(id);
        id
    }

    /// Biases by distance, and the row of each.
    fn distances(&mut self, buckets: u32, heads: u32) -> Result<Distances, PlanError> {
        // Words go where values go, bit for bit.
        let near = self.values(distance_buckets(buckets)?.into_iter().map(f32::from_bits).collect());
        let biases = self.numbers("distance_bias.weight", u64::from(buckets), u64::from(heads))?;
        Ok(Distances { near, biases })
    }

    /// A matrix of numbers that are added, kept in f32 as the file has them.
    fn numbers(&mut self, name: &str, rows: u64, k: u64) -> Result<SlotId, PlanError> {
        let t = self.tensor(name, rows, k)?;
        require_f32(&t)?;
        Ok(self.push(Slot {
            dtype: DType::F32,
            layout: Layout::Native,
            act: ActFormat::F32,
            staged: None,
            rows,
            k,
            offset: 0,
            bytes: 4 * rows * k,
            data: SlotData::Tensors(vec![t]),
        }))
    }

    /// The matrices of all experts above each other. Products of many rows that are grouped by expert dequantize them on
    /// their way, and not into the staging buffer; where none are grouped, many rows are as few. Where an expert's rows are
    /// no whole tiles, they stay as the file has them.
    fn experts(&mut self, name: &str, count: u64, rows: u64, k: u64) -> Result<SlotId, PlanError> {
        let id = self.matrix(name, count * rows, k)?;
        let grouped = self.target.families.iter().any(|f| f.takes(&grouped_matmul::KERNEL));
        let (slot, whole) = (&mut self.slots[id.0], rows.is_multiple_of(16));
        slot.staged = slot.staged.filter(|_| grouped).map(|m| Staged { dtype: slot.dtype, ..m });
        if slot.layout != Layout::Planes && !whole {
            (slot.layout, slot.act) = (Layout::Native, ActFormat::F32);
        }
        Ok(id)
    }

    /// Vectors one after the other, kept in f32 as the file has them.
    fn stacked_vector(&mut self, parts: &[(&str, u64)]) -> Result<SlotId, PlanError> {
        let mut tensors = Vec::new();
        for (name, d) in parts {
            let t = self.tensor(name, 1, *d)?;
            require_f32(&t)?;
            // A column, so that several can be stacked.
            tensors.push(TensorInfo { rows: *d, cols: 1, ..t });
        }
        let rows = tensors.iter().map(|t| t.rows).sum();
        Ok(self.push(Slot {
            data: SlotData::Tensors(tensors),
            dtype: DType::F32,
            layout: Layout::Native,
            act: ActFormat::F32,
            staged: None,
            rows,
            k: 1,
            offset: 0,
            bytes: 4 * rows,
        }))
    }

    /// Vectors at certain places of one of `n` values, which has zeros between them.
    fn sparse_vector(&mut self, parts: &[(&str, u64, u64)], n: u64) -> Result<SlotId, PlanError> {
        let (mut tensors, mut at) = (Vec::new(), Vec::new());
        for (name, from, d) in parts {
            let t = self.tensor(name, 1, *d)?;
            require_f32(&t)?;
            tensors.push(TensorInfo { rows: *d, cols: 1, ..t });
            at.push(*from);
        }
        Ok(self.push(Slot {
            data: SlotData::Sparse { tensors, at },
            dtype: DType::F32,
            layout: Layout::Native,
            act: ActFormat::F32,
            staged: None,
            rows: n,
            k: 1,
            offset: 0,
            bytes: 4 * n,
        }))
    }

    fn tensor(&self, name: &str, rows: u64, cols: u64) -> Result<TensorInfo, PlanError> {
        let t = self.source.find(name).ok_or_else(|| PlanError::MissingTensor { tensor: name.into() })?;
        if (t.rows, t.cols) != (rows, cols) {
            let tensor = t.file_name.clone();
            return Err(PlanError::Shape {
                tensor,
                rows: t.rows,
                cols: t.cols,
                want_rows: rows,
                want_cols: cols,
            });
        }
        Ok(t.clone())
    }

    fn push(&mut self, mut slot: Slot) -> SlotId {
        let (offset, next) = match (&slot.data, self.target.file_pages) {
            // Pages of its own, in which it begins where it begins in a page of the file.
            (SlotData::File { at, .. }, Some(page)) => {
                self.file_bytes += slot.bytes;
                (self.end.next_multiple_of(page) + at % page, page)
            }
            _ => (self.end, ALIGN),
        };
        slot.offset = offset;
        self.end = (offset + slot.bytes).next_multiple_of(next);
        self.slots.push(slot);
        SlotId(self.slots.len() - 1)
    }

    fn values(&mut self, v: Vec<f32>) -> SlotId {
        let k = v.len() as u64;
        self.push(Slot {
            data: SlotData::Values(v),
            dtype: DType::F32,
            layout: Layout::Native,
            act: ActFormat::F32,
            staged: None,
            rows: 1,
            k,
            offset: 0,
            bytes: 4 * k,
        })
    }

    /// A vector, kept in f32 as the file has it.
    fn vector(&mut self, name: &str, d: u64) -> Result<SlotId, PlanError> {
        let t = self.tensor(name, 1, d)?;
        require_f32(&t)?;
        Ok(self.push(Slot {
            dtype: DType::F32,
            layout: Layout::Native,
            act: ActFormat::F32,
            staged: None,
            rows: 1,
            k: d,
            offset: 0,
            bytes: 4 * d,
            data: SlotData::Tensors(vec![t]),
        }))
    }

    fn matrix(&mut self, name: &str, rows: u64, k: u64) -> Result<SlotId, PlanError> {
        let t = self.tensor(name, rows, k)?;
        self.stack(vec![t], k)
    }

    fn stack(&mut self, tensors: Vec<TensorInfo>, k: u64) -> Result<SlotId, PlanError> {
        let dtype = tensors[0].dtype;
        let rule = self.target.rule(dtype, k).ok_or_else(|| PlanError::Dtype {
            tensor: tensors[0].file_name.clone(),
            dtype: dtype.name().into(),
            want: "a format that this device has kernels for",
        })?;
        let rows = tensors.iter().map(|t| t.rows).sum();
        let (layout, data) = match self.in_file(&tensors, k) {
            Some(data) => (Layout::Native, data),
            None => (rule.layout, SlotData::Tensors(tensors)),
        };
        let bytes = dtype::matrix_bytes(dtype, layout, rows, k);
        let slot =
            Slot { dtype, layout, act: rule.act, staged: rule.staged, rows, k, offset: 0, bytes, data };
        Ok(self.push(slot))
    }

    /// A tensor that is a slot by itself stays in its file, where files are asked for, it lies there as it is, and the
    /// kernels take it so.
    fn in_file(&self, tensors: &[TensorInfo], k: u64) -> Option<SlotData> {
        let [tensor] = tensors else { return None };
        self.target.file_pages?;
        let at = self.source.place(tensor)?.offset;
        let fits = at.is_multiple_of(WEIGHT_ALIGN) && packs_on_the_way(tensor.dtype, k as usize);
        fits.then(|| SlotData::File { tensor: tensor.clone(), at })
    }

    /// Tensors that read the same input: neighbours of one format and whole tiles are one slot, others one each.
    fn product(&mut self, parts: &[(&str, u64)], k: u64) -> Result<Product, PlanError> {
        let tensors =
            parts.iter().map(|(n, rows)| self.tensor(n, *rows, k)).collect::<Result<Vec<_>, _>>()?;
        let mut col = 0;
        let mut out = Vec::new();
        // (In files they do not lie one after the other.)
        let stacked = |a: &TensorInfo, b: &TensorInfo| {
            self.target.file_pages.is_none() && a.dtype == b.dtype && (a.rows | b.rows).is_multiple_of(16)
        };
        let runs: Vec<_> = tensors.chunk_by(stacked).collect();
        for run in runs {
            let rows: u64 = run.iter().map(|t| t.rows).sum();
            out.push((self.stack(run.to_vec(), k)?, col));
            col += rows as u32;
        }
        Ok(Product { parts: out })
    }
}

fn require_f32(t: &TensorInfo) -> Result<(), PlanError> {
    if t.dtype == DType::F32 {
        return Ok(());
    }
    Err(PlanError::Dtype { tensor: t.file_name.clone(), dtype: t.dtype.name().into(), want: "f32" })
}
