//! Architectures as data. The builder reads these fields and never branches on a name.

use akunu_kernels::glu::Activation;
use akunu_model::ModelConfig;

mod bert;
mod gemma;
mod llama;
mod modern_bert;
mod nomic_bert;
mod olmo2;
mod phi3;
mod qwen;
mod smollm3;
mod whisper;

/// Factor on the embedding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddingScale {
    /// None.
    One,
    /// The square root of the hidden width.
    SqrtHidden,
}

/// Where a layer's norms stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormPlacement {
    /// Before attention and feed-forward. In an encoder the embeddings have a norm, which is the first attention's too.
    Pre,
    /// Before each, and after each before the residual addition.
    PreAndPost,
    /// After each, before the residual addition.
    Post,
    /// After each residual addition, of the sum.
    Sum,
}

impl NormPlacement {
    /// Whether a sublayer's input is normalised.
    pub const fn before(self) -> bool {
        matches!(self, Self::Pre | Self::PreAndPost)
    }

    /// Whether a sublayer's output is normalised.
    pub const fn after(self) -> bool {
        matches!(self, Self::Post | Self::PreAndPost)
    }
}

/// What a model is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// The next token of a text, whose rows see what is before them.
    Draw,
    /// One vector of a whole text, whose rows see all of it.
    Pooled,
}

/// What a layer is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// RMS norms, a gate in the feed-forward part, no biases but those that other fields name.
    Gated,
    /// Layer norms with biases, no gate, a bias on the products of every sublayer's end and of the feed-forward part.
    Biased,
    /// Layer norms, with biases where the file has them; a gate in the feed-forward part, no biases of products.
    GatedLayerNorm,
}

impl Blocks {
    /// Whether its norms subtract the mean.
    pub const fn layer_norms(self) -> bool {
        matches!(self, Self::Biased | Self::GatedLayerNorm)
    }
}

/// How a row knows its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionKind {
    /// Queries and keys are rotated.
    Rotated,
    /// Each position has an embedding, which is added to the token's.
    Learned,
}

/// What a decoder reads beside its own text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Nothing.
    Text,
    /// What an encoder of audio made, by a cross attention in each layer.
    Audio,
}

/// Whether queries and keys are normalised before their rotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QkNorm {
    /// Not at all.
    None,
    /// Each head by itself.
    Head,
    /// All heads of a row as one vector.
    Row,
}

/// Whether the query, key and value products have a bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QkvBias {
    /// None.
    None,
    /// All three.
    Added,
    /// Queries and values. (One of keys would change all scores of a row alike, and so none.)
    QueriesAndValues,
}

/// A pattern that repeats over the layers: of each `period` layers, the first `first` have a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Layers after which it repeats.
    pub period: u32,
    /// Layers at the start of a period that have it.
    pub first: u32,
}

impl Pattern {
    /// Every layer.
    pub const ALL: Self = Self { period: 1, first: 1 };
    /// No layer.
    pub const NONE: Self = Self { period: 1, first: 0 };

    /// Whether layer `i` has the property.
    pub const fn holds(self, i: u32) -> bool {
        i % self.period < self.first
    }
}

/// What distinguishes one architecture from another.
#[derive(Clone, Copy, Debug)]
pub struct ArchDescriptor {
    /// `general.architecture` of its GGUF files.
    pub name: &'static str,
    /// Families that it covers, for `--list` and the README.
    pub covers: &'static str,
    /// The gate's activation.
    pub activation: Activation,
    /// Factor on the embedding.
    pub embedding_scale: EmbeddingScale,
    /// Where norms stand.
    pub norms: NormPlacement,
    /// Norm of queries and keys.
    pub qk_norm: QkNorm,
    /// Bias of queries, keys and values.
    pub qkv_bias: QkvBias,
    /// Layers whose attention sees a window only, in models that have one and do not say which.
    pub windowed: Pattern,
    /// RoPE's base in windowed layers, where it differs and the file does not say.
    pub local_rope_base: Option<f32>,
    /// Layers that rotate queries and keys, where the file does not say.
    pub roped: Pattern,
    /// What it is for.
    pub output: Output,
    /// What its layers are made of.
    pub blocks: Blocks,
    /// How rows know their positions.
    pub positions: PositionKind,
    /// What its decoder reads.
    pub reads: Reads,
}

/// What most decoders are: pre-norm RMS, RoPE in every layer, grouped-query attention, gated feed-forward with SiLU.
pub(crate) const PLAIN: ArchDescriptor = ArchDescriptor {
    name: "",
    covers: "",
    activation: Activation::Silu,
    embedding_scale: EmbeddingScale::One,
    norms: NormPlacement::Pre,
    qk_norm: QkNorm::None,
    qkv_bias: QkvBias::None,
    windowed: Pattern::ALL,
    local_rope_base: None,
    roped: Pattern::ALL,
    output: Output::Draw,
    blocks: Blocks::Gated,
    positions: PositionKind::Rotated,
    reads: Reads::Text,
};

/// Every architecture. Adding one is a file beside this one and a line here.
pub static ARCHS: &[&ArchDescriptor] = &[
    &llama::LLAMA,
    &qwen::QWEN2,
    &qwen::QWEN3,
    &qwen::QWEN3_MOE,
    &gemma::GEMMA,
    &gemma::GEMMA2,
    &gemma::GEMMA3,
    &phi3::PHI3,
    &smollm3::SMOLLM3,
    &olmo2::OLMO2,
    &bert::BERT,
    &nomic_bert::NOMIC_BERT,
    &modern_bert::MODERN_BERT,
    &whisper::WHISPER,
];

/// The descriptor of that name.
pub fn find(name: &str) -> Option<&'static ArchDescriptor> {
    ARCHS.iter().copied().find(|a| a.name == name)
}

/// How a layer's RoPE turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerRope {
    /// Not at all.
    None,
    /// With the model's frequencies.
    Global,
    /// With those of windowed layers.
    Local,
}

/// One layer's attention, from the file where it says and from the architecture where it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerAttention {
    /// Positions that a row sees, itself included; 0 for all. In an encoder, half as many before the row, and as many after it.
    pub window: u32,
    /// Its rotation.
    pub rope: LayerRope,
}

impl ArchDescriptor {
    /// RoPE's base in windowed layers, where it is another than in the others.
    pub fn local_rope_base(&self, c: &ModelConfig) -> Option<f32> {
        c.attention.sliding_window?;
        c.attention.local_rope_base.or(self.local_rope_base)
    }

    /// Layer `i`'s attention.
    pub fn attention(&self, c: &ModelConfig, i: u32) -> LayerAttention {
        let said = |list: &Option<Vec<bool>>, pattern: Pattern| {
            list.as_ref().and_then(|l| l.get(i as usize).copied()).unwrap_or_else(|| pattern.holds(i))
        };
        let a = &c.attention;
        let window = a.sliding_window.filter(|_| said(&a.windowed, self.windowed)).unwrap_or(0);
        let rope = match (said(&a.roped, self.roped), window != 0 && self.local_rope_base(c).is_some()) {
            (false, _) => LayerRope::None,
            (true, true) => LayerRope::Local,
            (true, false) => LayerRope::Global,
        };
        LayerAttention { window, rope }
    }
}
