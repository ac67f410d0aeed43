//! How large a program's regions are. (What they are called, how long they live and what they hold: `region.rs`.)

use crate::arch::{Blocks, PositionKind};
use crate::program::Program;
use crate::region::{Region, RegionDecl};
use crate::weights::{LayerWeights, SlotId};
use akunu_kernels::accept::Draft;
use akunu_kernels::act::ActFormat;
use akunu_kernels::cross_kv;
use akunu_kernels::logits_max::{Pick, chunks};
use akunu_kernels::route::Choice;
use akunu_kernels::sampler::{Bias, LOGPROB_RECORDS, LogProbs, MAX_BIASES, Sampler, mask_words};
use akunu_kernels::step::{Header, RowCount};
use akunu_kernels::target::Family;
use akunu_model::config::AudioConfig;

/// Regions that only draws and the cache need.
const DRAWING: &[Region] = &[
    Region::BlockTable,
    Region::KCache,
    Region::VCache,
    Region::Logits,
    Region::Best,
    Region::Picks,
    Region::Partials,
    Region::Sync,
    Region::WindowTable,
    Region::Samplers,
    Region::Biases,
    Region::Masks,
    Region::Mirostat,
    Region::Breakers,
    Region::RawLogits,
    Region::LogProbs,
];

/// Regions that only draws need.
const DRAWS: &[Region] = &[
    Region::Best,
    Region::Picks,
    Region::Samplers,
    Region::Biases,
    Region::Masks,
    Region::Mirostat,
    Region::Breakers,
    Region::RawLogits,
    Region::LogProbs,
];

/// Declares every region of a program, in the order of [`Region`].
pub(crate) fn declare(p: &Program) -> Vec<RegionDecl> {
    let sizes = Sizes::of(p);
    let without: &[Region] = match (p.is_encoder(), p.hears()) {
        (true, _) => DRAWING,
        (false, true) => DRAWS,
        (false, false) => &[],
    };
    let bytes = |r: &Region| if without.contains(r) { 0 } else { sizes.bytes(*r) };
    Region::ALL.iter().map(|r| r.declare(r.kind(), bytes(r))).collect()
}

/// What sizes are made of.
struct Sizes<'a> {
    p: &'a Program,
    /// Of the largest table.
    rows: u64,
    head_rows: u64,
    hidden: u64,
    qkv: u64,
    attention: u64,
    /// Bytes of a row's angles.
    angles: u64,
    /// Vectors that a row's feed-forward part has, and their width.
    used: u64,
    ffn: u64,
    experts: u64,
    /// Frames of audio that a row stands for; 0 where there is no audio.
    frames: u64,
}

impl<'a> Sizes<'a> {
    fn of(p: &'a Program) -> Self {
        let c = &p.config;
        let rows = u64::from(p.capacity().rows);
        let (used, ffn, experts) = match &c.experts {
            Some(e) => (u64::from(e.used), u64::from(e.ffn), u64::from(e.count)),
            None => (1, u64::from(c.ffn), 0),
        };
        Self {
            p,
            rows,
            head_rows: u64::from(p.head_rows()),
            hidden: u64::from(c.hidden),
            qkv: u64::from(c.heads + 2 * c.kv_heads) * u64::from(c.head_dim),
            attention: u64::from(c.heads * c.head_dim),
            angles: match (p.is_encoder(), p.arch.positions) {
                (true, PositionKind::Learned) => 0,
                _ => u64::from(c.rope.dim) * 4,
            },
            used,
            ffn,
            experts,
            frames: if p.hears() { u64::from(AudioConfig::STRIDE) } else { 0 },
        }
    }

    /// Bytes that only a program that hears has.
    fn audio(&self, bytes: impl Fn(&AudioConfig) -> u64) -> u64 {
        self.p.config.audio.as_ref().filter(|_| self.p.hears()).map_or(0, bytes)
    }

    /// Bytes of the keys of all layers and sources, and of the values too.
    fn cross(&self) -> u64 {
        let c = &self.p.config;
        let format = cross_kv::format(self.p.cache.k);
        let one = |a: &AudioConfig| cross_kv::bytes(c.heads, c.head_dim, a.positions, self.p.sources, format);
        self.audio(|a| u64::from(c.layers) * one(a))
    }

    /// Bytes of the widest unfolded input.
    fn unfolded(&self) -> u64 {
        let Some(a) = &self.p.weights.audio else { return 0 };
        let rows = a.conv.iter().map(|id| bytes_of(self.p.weights.slot(*id).k, self.acts(*id)));
        self.rows * rows.max().unwrap_or(0)
    }

    /// The formats in which a slot's product reads its input: tables of few rows and of many may differ, and a buffer holds
    /// either.
    fn acts(&self, id: SlotId) -> impl Iterator<Item = ActFormat> + use<> {
        let s = self.p.weights.slot(id);
        [Some(s.act), s.staged.map(|m| m.act)].into_iter().flatten()
    }

    /// Bytes of the widest input row of `width` that certain slots of the layers read.
    fn widest(&self, width: u64, slots: impl Fn(&LayerWeights) -> Vec<SlotId>) -> u64 {
        let layers = self.p.weights.all_layers();
        bytes_of(width, layers.flat_map(slots).flat_map(|id| self.acts(id)))
    }

    /// Bytes of the inputs of width `width` that certain slots of the layers read: of the table that has most. Families differ in formats.
    fn inputs(&self, width: u64, slots: impl Fn(&LayerWeights) -> Vec<SlotId>) -> u64 {
        let ids: Vec<SlotId> = self.p.weights.all_layers().flat_map(slots).collect();
        let of =
            |rows: RowCount| u64::from(rows) * bytes_of(width, ids.iter().map(|id| self.p.act(*id, rows)));
        self.p.family_ends(self.p.capacity().rows).map(of).max().unwrap_or(0)
    }

    /// Bytes of the widest row of `x`: the input of a layer's products or of the head.
    fn input_bytes(&self) -> u64 {
        // An encoder has no head; what it pools is f32, whatever its table of tokens is in.
        let pooled = self.p.is_encoder().then_some(ActFormat::F32);
        let head = self.acts(self.p.weights.head).chain([self.p.head_act()]).chain(pooled);
        self.widest(self.hidden, |l| l.inputs().collect()).max(bytes_of(self.hidden, head))
    }

    fn attention_f32_bytes(&self) -> u64 {
        let mut acts =
            self.p.weights.all_layers().flat_map(LayerWeights::outputs).flat_map(|id| self.acts(id));
        let needed = acts.any(|a| !attention_writes(a, self.p.config.head_dim));
        if needed { ActFormat::F32.row_bytes(self.attention as usize) as u64 } else { 0 }
    }

    /// Bytes of the picks of the table that has most.
    fn picks(&self) -> u64 {
        let vocab = self.p.config.vocab as usize;
        let of =
            |rows: u64, f: &Family| rows * (chunks(vocab, f.pick_chunk as usize) * size_of::<Pick>()) as u64;
        let target = &self.p.target;
        let most = of(self.head_rows, target.family(self.p.head_rows()));
        let smaller = target.families.iter().filter(|f| u64::from(f.rows) < self.head_rows);
        smaller.map(|f| of(f.rows.into(), f)).fold(most, u64::max)
    }

    /// Bytes of the largest matrix that a product of many rows needs in another format than its own: a layer's
    /// where a table has many rows, the head's where so many have logits. Those of experts are dequantized on their way to the
    /// matrix units, and the embedding is looked up.
    fn staging_bytes(&self) -> u64 {
        let w = &self.p.weights;
        let staged = |id: SlotId, rows: RowCount| {
            let s = w.slot(id);
            let to = self.p.staged(id, rows).map(|m| m.dtype).filter(|to| *to != s.dtype);
            to.map_or(0, |to| s.rows * to.row_bytes(s.k))
        };
        let conv = w.audio.iter().flat_map(|a| a.conv);
        let all = w.all_layers().flat_map(LayerWeights::matrices).chain(conv);
        let layers = all.map(|id| staged(id, self.p.capacity().rows));
        layers.max().unwrap_or(0).max(staged(w.head, self.p.head_rows()))
    }
}

/// The most bytes that a row of `width` has in any of these formats.
fn bytes_of(width: u64, formats: impl Iterator<Item = ActFormat>) -> u64 {
    formats.map(|f| f.row_bytes(width as usize) as u64).max().unwrap_or(0)
}

/// Whether `attention` can write a format directly: blocks must not straddle heads.
pub(crate) fn attention_writes(format: ActFormat, head_dim: u32) -> bool {
    head_dim.is_multiple_of(format.block())
}

impl Sizes<'_> {
    /// Bytes of a region.
    fn bytes(&self, region: Region) -> u64 {
        let (p, rows, seqs) = (self.p, self.rows, u64::from(self.p.capacity().seqs));
        match region {
            Region::Weights => p.weights.bytes,
            Region::Step => p.capacity().bytes() as u64,
            Region::Tokens => seqs * u64::from(p.max_seq()) * 4,
            Region::BlockTable => seqs * u64::from(p.cache.blocks()) * 4,
            Region::KCache => p.cache.bytes(p.cache.k),
            Region::VCache => p.cache.bytes(p.cache.v),
            Region::H0 | Region::H1 => rows * self.hidden * 4,
            Region::X => rows * self.input_bytes(),
            Region::Qkv => rows * self.qkv * 4,
            Region::Angles => rows * self.angles,
            Region::AttnF32 => rows * self.attention_f32_bytes(),
            Region::AttnOut => self.inputs(self.attention, |l| l.outputs().collect()),
            Region::GateUp => match p.arch.blocks {
                // Experts have commands of their own.
                Blocks::Gated if self.experts != 0 => rows * self.used * 2 * self.ffn * 4,
                Blocks::Gated => u64::from(p.ungated_rows(p.capacity().rows)) * 2 * self.ffn * 4,
                Blocks::Biased => rows * self.ffn.max(self.frames * self.hidden) * 4,
                Blocks::GatedLayerNorm => rows * 2 * self.ffn * 4,
            },
            Region::FfnAct => self.used * self.inputs(self.ffn, |l| vec![l.down()]),
            Region::Logits => {
                self.head_rows
                    * (u64::from(p.config.vocab) * 4)
                        .max(ActFormat::F32.row_bytes(self.hidden as usize) as u64)
            }
            Region::Best | Region::Picks => self.picks(),
            Region::Partials => p.split_attention_bytes().0,
            Region::Sync => p.split_attention_bytes().1,
            Region::Staging => self.staging_bytes(),
            Region::LocalAngles => p.weights.local_frequencies.map_or(0, |_| rows * self.angles),
            Region::Sublayer if p.arch.norms.after() || p.arch.blocks.layer_norms() => rows * self.hidden * 4,
            Region::Sublayer => 0,
            Region::Scores => rows * self.experts * 4,
            Region::Routes if self.experts != 0 => rows * self.used * size_of::<Choice>() as u64,
            Region::ExpertOut if self.experts != 0 => rows * self.used * self.hidden * 4,
            Region::Routes | Region::ExpertOut => 0,
            Region::Groups => p.group_bytes(),
            Region::WindowTable => p.cache.windows.map_or(0, |_| seqs * u64::from(p.cache.blocks()) * 4),
            Region::Samplers => seqs * size_of::<Sampler>() as u64,
            Region::Biases => seqs * u64::from(MAX_BIASES) * size_of::<Bias>() as u64,
            Region::Masks => seqs * u64::from(mask_words(p.config.vocab)) * 4,
            Region::Mirostat => seqs * u64::from(p.max_seq()) * 4,
            Region::Breakers => seqs * u64::from(mask_words(p.config.vocab)) * 4,
            Region::Drafts if p.drafts != 0 => seqs * size_of::<Draft>() as u64,
            Region::Drafts => 0,
            Region::RawLogits => u64::from(p.drawn_rows()) * u64::from(p.config.vocab) * 4,
            Region::LogProbs => seqs * u64::from(LOGPROB_RECORDS) * size_of::<LogProbs>() as u64,
            Region::Pooled if p.is_encoder() => seqs * self.hidden * 4,
            Region::Pooled => 0,
            Region::Mel => self.audio(|a| u64::from(a.frames()) * u64::from(a.mels) * 4),
            Region::Unfolded => self.unfolded(),
            Region::Frames if self.frames != 0 => {
                rows * bytes_of(self.frames * self.hidden, [ActFormat::F32].into_iter())
            }
            Region::Frames => 0,
            Region::CrossK | Region::CrossV => self.cross(),
            Region::Sources => self.audio(|_| seqs * 4),
            Region::Alignment => self.audio(|_| p.alignment.len() as u64 * p.alignment_stride()),
            Region::HeadStep => size_of::<Header>() as u64,
        }
    }
}
