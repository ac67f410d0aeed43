//! The regions of a program: what each is called, how long it lives, how large it is and what it holds, in one list.

use crate::arch::{Blocks, PositionKind};
use crate::program::Program;
use crate::table::{RegionDecl, RegionId, RegionKind};
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

/// Makes [`Region`] and [`SPECS`] from one line for each region: `Variant "name" Kind: bytes`.
macro_rules! regions {
    ($($(#[$doc:meta])* $region:ident $name:literal $kind:ident: $bytes:expr,)*) => {
        /// The regions of every program, in the order of their ids. A model that does not need one gives it no bytes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum Region {
            $($(#[$doc])* $region,)*
        }

        impl Region {
            /// All of them, in the order of their ids.
            pub const ALL: &[Self] = &[$(Self::$region),*];
        }

        static SPECS: &[Spec] = &[$(Spec { name: $name, kind: RegionKind::$kind, bytes: $bytes }),*];
    };
}

/// One line of the list.
struct Spec {
    name: &'static str,
    kind: RegionKind,
    bytes: fn(&Sizes<'_>) -> u64,
}

regions! {
    /// All weights, packed, and tables derived from the configuration. Slots, each at a multiple of 256 bytes.
    Weights "weights" Weights: |s| s.p.weights.bytes,
    /// The step block.
    Step "step" Persistent: |s| s.p.capacity().bytes() as u64,
    /// Token belts, `[seqs, context + 1] u32`.
    Tokens "tokens" Persistent: |s| u64::from(s.p.capacity().seqs) * u64::from(s.p.max_seq()) * 4,
    /// Physical KV block of each logical one, `[seqs, blocks] u32`.
    BlockTable "block_table" Persistent: |s| u64::from(s.p.capacity().seqs) * u64::from(s.p.cache.blocks()) * 4,
    /// Keys, `[layers, pool, kv_heads, 256, head_dim]` in the cache's format.
    KCache "k_cache" Cache: |s| s.p.cache.bytes(s.p.cache.k),
    /// Values, the same shape in a format of their own.
    VCache "v_cache" Cache: |s| s.p.cache.bytes(s.p.cache.v),
    /// Residual stream, `[rows, hidden] f32`; ping.
    H0 "h0" Scratch: |s| s.rows * s.hidden * 4,
    /// Residual stream; pong.
    H1 "h1" Scratch: |s| s.rows * s.hidden * 4,
    /// Normalised input of a product, `[rows, hidden]` in an activation format.
    X "x" Scratch: |s| s.rows * s.input_bytes(),
    /// Queries, keys and values, `[rows, (heads + 2 kv_heads) head_dim] f32`.
    Qkv "qkv" Scratch: |s| s.rows * s.qkv * 4,
    /// Rotation angles, `[rows, pairs, 2] f32`: cosine and sine.
    Angles "angles" Scratch: |s| s.rows * s.angles,
    /// Attention output in f32, where its activation format cannot be written directly.
    AttnF32 "attn_f32" Scratch: |s| s.rows * s.attention_f32_bytes(),
    /// Attention output, `[rows, heads head_dim]` in an activation format.
    AttnOut "attn_out" Scratch: |s| s.rows * s.widest(s.attention, |l| l.outputs().collect()),
    /// Gate and up projections, `[rows used, 2 ffn] f32`; `used` is 1 without experts. Without a gate `[rows, ffn]`, and what the
    /// convolutions before an encoder of audio give.
    GateUp "gate_up" Scratch: |s| match s.p.arch.blocks {
        Blocks::Gated => s.rows * s.used * 2 * s.ffn * 4,
        Blocks::Biased => s.rows * s.ffn.max(s.frames * s.hidden) * 4,
        Blocks::GatedLayerNorm => s.rows * 2 * s.ffn * 4,
    },
    /// Gated product, `[rows used, ffn]` in an activation format.
    FfnAct "ffn_act" Scratch: |s| s.rows * s.used * s.widest(s.ffn, |l| vec![l.down()]),
    /// `[head_rows, vocab] f32`; hidden states, where a table ends in them, `[head_rows, hidden]` as [`ActFormat::F32`].
    Logits "logits" Scratch: |s| s.head_rows * (u64::from(s.p.config.vocab) * 4).max(ActFormat::F32.row_bytes(s.hidden as usize) as u64),
    /// `[head_rows, chunks]` picks before noise; a family says the chunk.
    Best "best" Scratch: |s| s.picks(),
    /// `[head_rows, chunks]` picks after noise.
    Picks "picks" Scratch: |s| s.picks(),
    /// What the parts of a split attention leave for each other.
    Partials "partials" Scratch: |s| s.p.split_attention_bytes().0,
    /// Counters of split and fused kernels; zero between commands.
    Sync "sync" Persistent: |s| s.p.split_attention_bytes().1,
    /// A dequantized matrix, for products of many rows on a GPU.
    Staging "staging" Scratch: |s| s.staging_bytes(),
    /// As `angles`, of windowed layers, where their RoPE base is another.
    LocalAngles "local_angles" Scratch: |s| s.p.weights.local_frequencies.map_or(0, |_| s.rows * s.angles),
    /// A sublayer's output before the norm after it, `[rows, hidden] f32`.
    Sublayer "sublayer" Scratch: |s| if s.p.arch.norms.after() || s.p.arch.blocks.layer_norms() { s.rows * s.hidden * 4 } else { 0 },
    /// The router's scores, `[rows, experts] f32`.
    Scores "scores" Scratch: |s| s.rows * s.experts * 4,
    /// Each row's experts and their weights, `[rows, used]`.
    Routes "routes" Scratch: |s| if s.experts == 0 { 0 } else { s.rows * s.used * size_of::<Choice>() as u64 },
    /// What the experts gave, `[rows used, hidden] f32`.
    ExpertOut "expert_out" Scratch: |s| if s.experts == 0 { 0 } else { s.rows * s.used * s.hidden * 4 },
    /// Tiles of slots by expert, then the slots' order, in tables of many rows.
    Groups "groups" Scratch: |s| s.p.group_bytes(),
    /// As `block_table`, of a batch's windowed layers, where they have a pool of their own. Entries before a sequence's window
    /// name blocks that it has given back; nobody reads them.
    WindowTable "window_table" Persistent: |s| s.p.cache.windows.map_or(0, |_| {
        u64::from(s.p.capacity().seqs) * u64::from(s.p.cache.blocks()) * 4
    }),
    /// Sampler settings, `[seqs]`; written by the host.
    Samplers "samplers" Persistent: |s| u64::from(s.p.capacity().seqs) * size_of::<Sampler>() as u64,
    /// What is added to logits, `[seqs, 1024]` of (token, bias); written by the host.
    Biases "biases" Persistent: |s| u64::from(s.p.capacity().seqs * MAX_BIASES) * size_of::<Bias>() as u64,
    /// Which tokens may be drawn, `[seqs, vocab / 32] u32`, rounded up; written by the host, also while logits are being computed.
    Masks "masks" Mailbox: |s| u64::from(s.p.capacity().seqs) * u64::from(mask_words(s.p.config.vocab)) * 4,
    /// Mirostat's bound for the token at each position, `[seqs, context + 1] f32`.
    Mirostat "mirostat" Persistent: |s| u64::from(s.p.capacity().seqs) * u64::from(s.p.max_seq()) * 4,
    /// Tokens that no repetition goes over, the same shape; written by the host.
    Breakers "breakers" Persistent: |s| u64::from(s.p.capacity().seqs) * u64::from(mask_words(s.p.config.vocab)) * 4,
    /// How each sequence drafts, `[seqs]`; settings by the host, counts by the device.
    Drafts "drafts" Persistent: |s| {
        if s.p.drafts == 0 { 0 } else { u64::from(s.p.capacity().seqs) * size_of::<Draft>() as u64 }
    },
    /// As `logits`, before anything changed them, of the rows that log-probabilities are asked of.
    RawLogits "raw_logits" Scratch: |s| u64::from(s.p.drawn_rows()) * u64::from(s.p.config.vocab) * 4,
    /// Log-probabilities of drawn tokens, `[seqs, 64]`, by position.
    LogProbs "log_probs" Persistent: |s| {
        u64::from(s.p.capacity().seqs * LOGPROB_RECORDS) * size_of::<LogProbs>() as u64
    },
    /// An encoder's vectors, `[seqs, hidden] f32`.
    Pooled "pooled" Persistent: |s| {
        if s.p.is_encoder() { u64::from(s.p.capacity().seqs) * s.hidden * 4 } else { 0 }
    },
    /// A window of audio, `[positions, 2, mels] f32`: the frames one after the other; written by the host.
    Mel "mel" Persistent: |s| s.audio(|a| u64::from(a.frames()) * u64::from(a.mels) * 4),
    /// The frames under the filters of a convolution, `[rows, channels taps]` in an activation format.
    Unfolded "unfolded" Scratch: |s| s.unfolded(),
    /// What the first convolution gave, `[rows, 2 hidden]` as [`ActFormat::F32`].
    Frames "frames" Scratch: |s| s.rows * if s.frames == 0 { 0 } else { bytes_of(s.frames * s.hidden, [ActFormat::F32].into_iter()) },
    /// Keys of the audio for each decoder layer, `[layers, sources, heads, head_dim, columns]` (see `cross_kv`).
    CrossK "cross_k" Persistent: |s| s.cross(),
    /// Its values, `[layers, sources, heads, columns, head_dim]`.
    CrossV "cross_v" Persistent: |s| s.cross(),
    /// The source that each sequence reads, `[seqs] u32`; written by the host.
    Sources "sources" Persistent: |s| s.audio(|_| u64::from(s.p.capacity().seqs) * 4),
    /// Scores of the audio, `[alignment heads, rows, positions] f32`, each head's at a multiple of 64 bytes; read by the host.
    Alignment "alignment" Persistent: |s| s.audio(|_| s.p.alignment.len() as u64 * s.p.alignment_stride()),
    /// The header of a step block of the rows that draw alone (see `take_heads`).
    HeadStep "head_step" Scratch: |_| size_of::<Header>() as u64,
}

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

impl Region {
    /// Its id.
    pub const fn id(self) -> RegionId {
        RegionId(self as u32)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        SPECS[self as usize].name
    }

    /// A declaration with its name.
    pub fn declare(self, kind: RegionKind, bytes: u64) -> RegionDecl {
        RegionDecl { region: Some(self), name: self.name(), kind, bytes }
    }
}

/// Declares every region of a program, in the order of [`Region`].
pub(crate) fn declare(p: &Program) -> Vec<RegionDecl> {
    let sizes = Sizes::of(p);
    let without: &[Region] = match (p.is_encoder(), p.hears()) {
        (true, _) => DRAWING,
        (false, true) => DRAWS,
        (false, false) => &[],
    };
    let bytes = |r: &Region, s: &Spec| if without.contains(r) { 0 } else { (s.bytes)(&sizes) };
    Region::ALL.iter().zip(SPECS).map(|(r, s)| r.declare(s.kind, bytes(r, s))).collect()
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
