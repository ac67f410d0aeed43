//! A model's hyperparameters, in one form for every file source.

use akunu_kernels::step::Token;

pub use akunu_kernels::pooling::{Normalize, Pooling};

/// Which elements of a head RoPE rotates together. A property of the file source: GGUF Llama files are permuted
/// to adjacent pairs, Hugging Face files rotate element i with i + dim/2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RopePairing {
    /// (2i, 2i + 1).
    Adjacent,
    /// (i, i + dim/2).
    SplitHalf,
}

/// How rotation frequencies are stretched beyond the trained context.
#[derive(Clone, Debug, PartialEq)]
pub enum RopeScaling {
    /// Not at all.
    None,
    /// Every frequency divided by `factor` (position interpolation).
    Linear {
        /// The divisor.
        factor: f32,
    },
    /// Llama 3.1's rule from its parameters (Hugging Face `rope_type: llama3`).
    Llama3 {
        /// Divisor of the low frequencies.
        factor: f32,
        /// Wavelengths above `original_context / low_freq_factor` are divided.
        low_freq_factor: f32,
        /// Wavelengths below `original_context / high_freq_factor` are kept.
        high_freq_factor: f32,
        /// Context length of the original training.
        original_context: u32,
    },
    /// One divisor per frequency, `[dim/2]`, as in a GGUF's `rope_freqs.weight`.
    Factors(Vec<f32>),
    /// The base raised so that the lowest frequency is divided by `factor` ("NTK-aware").
    Ntk {
        /// The divisor of the lowest frequency.
        factor: f32,
    },
    /// YaRN: high frequencies stay, low ones are divided, those between are blended (Peng et al., 2023).
    Yarn {
        /// Divisor of the low frequencies.
        factor: f32,
        /// Frequencies that turn more often than this over the original context stay.
        beta_fast: f32,
        /// Frequencies that turn less often than this over the original context are divided.
        beta_slow: f32,
        /// Context length of the original training.
        original_context: u32,
    },
    /// Divisors for contexts up to the original length, and for longer ones (Phi-3's "longrope").
    LongFactors {
        /// `[dim/2]`, up to the original context.
        short: Vec<f32>,
        /// `[dim/2]`, beyond.
        long: Vec<f32>,
        /// Context length of the original training.
        original_context: u32,
    },
}

/// Rotary position embedding.
#[derive(Clone, Debug, PartialEq)]
pub struct RopeConfig {
    /// Base of the geometric frequency series (theta).
    pub base: f32,
    /// Elements of a head that are rotated; even, at most `head_dim`.
    pub dim: u32,
    /// Which elements form a pair.
    pub pairing: RopePairing,
    /// Context extension.
    pub scaling: RopeScaling,
    /// Factor on cosine and sine, so that queries and keys grow with the context's extension; 1 without.
    pub magnitude: f32,
}

/// What the attention of some architectures has beyond the plain causal one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttentionOptions {
    /// Attention of windowed layers sees only this many last positions (its own included), where set.
    pub sliding_window: Option<u32>,
    /// Which layers are windowed, where the file says; else the architecture's own pattern holds.
    pub windowed: Option<Vec<bool>>,
    /// RoPE's base in windowed layers, where the file gives another than [`RopeConfig::base`].
    pub local_rope_base: Option<f32>,
    /// Which layers rotate queries and keys, where the file says; else the architecture's own pattern holds.
    pub roped: Option<Vec<bool>>,
    /// Factor on the scores instead of 1 / sqrt(head_dim).
    pub scale: Option<f32>,
    /// Scores become `cap * tanh(score / cap)`, where set.
    pub softcap: Option<f32>,
}

/// A mixture of experts in place of the feed-forward layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpertsConfig {
    /// Experts of a layer.
    pub count: u32,
    /// Experts that a token goes through.
    pub used: u32,
    /// Width of one expert's feed-forward layer.
    pub ffn: u32,
    /// Whether the weights of a token's experts are divided by their sum.
    pub normalized: bool,
}

/// Sampling defaults that a model's author recommends (`general.sampling.*`, generation_config.json).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SamplingDefaults {
    /// Softmax temperature.
    pub temperature: Option<f32>,
    /// Min-p threshold.
    pub min_p: Option<f32>,
    /// Tokens that top-k keeps; 0 is all.
    pub top_k: Option<u32>,
    /// The share that top-p keeps.
    pub top_p: Option<f32>,
    /// Repetition penalty.
    pub repeat_penalty: Option<f32>,
}

/// What an encoder has that a decoder lacks, and how a text becomes a vector.
#[derive(Clone, Debug, PartialEq)]
pub struct EncoderConfig {
    /// Rows of the table of position embeddings; 0 where queries and keys are rotated instead.
    pub positions: u32,
    /// The row of position 0.
    pub first_position: u32,
    /// Rows of the table of segment embeddings; a text is segment 0.
    pub segments: u32,
    /// Rows of the table of biases by the distance of a key from its query, one for each head; 0 for none.
    pub distance_buckets: u32,
    /// The most tokens of a text, those that the tokenizer puts around it among them.
    pub max_tokens: u32,
    /// Which rows a text's vector is made of.
    pub pooling: Pooling,
    /// Whether it is divided by its length.
    pub normalize: Normalize,
    /// What happens to a text and its prompt before they are cut into tokens.
    pub letters: Letters,
    /// What is put before a text, by the name of its purpose (`query`).
    pub prompts: Vec<(String, String)>,
    /// The name of the one that is used where none is asked for.
    pub default_prompt: Option<String>,
    /// What it is for.
    pub purpose: Purpose,
}

/// What becomes of a text's letters before its tokenizer sees them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Letters {
    /// They stay.
    #[default]
    Kept,
    /// All are made small.
    Lowered,
}

/// What an encoder is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// Vectors of texts.
    #[default]
    Vectors,
    /// One score of a pair of texts, of the first token's vector: tanh of a product, and another product (`score.dense`, `score.output`).
    Score,
}

/// What a model that transcribes has beside its decoder: an encoder of audio, as wide as the decoder.
#[derive(Clone, Debug, PartialEq)]
pub struct AudioConfig {
    /// Mel bins of a frame.
    pub mels: u32,
    /// Positions of the encoder; each stands for [`AudioConfig::STRIDE`] frames.
    pub positions: u32,
    /// Layers of the encoder.
    pub layers: u32,
    /// What decoding goes by.
    pub decoding: SpeechDecoding,
}

impl AudioConfig {
    /// Frames of a position.
    pub const STRIDE: u32 = 2;
    /// Taps of the convolutions before the encoder.
    pub const TAPS: u32 = 3;

    /// Frames of a window.
    pub fn frames(&self) -> u32 {
        self.positions * Self::STRIDE
    }
}

/// What the authors say of decoding speech.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpeechDecoding {
    /// Whether the model was trained on many languages, and to translate.
    pub multilingual: bool,
    /// Tokens that are never drawn.
    pub suppressed: Vec<Token>,
    /// Tokens that are not drawn first.
    pub suppressed_first: Vec<Token>,
    /// The latest timestamp that may come first, in steps of 20 ms; `None` for any.
    pub first_timestamp: Option<u32>,
    /// (layer, head) of the cross attention that follows the audio in time.
    pub alignment_heads: Vec<(u32, u32)>,
}

/// A model's hyperparameters, checked: no count is zero, heads are a multiple of KV heads, products fit.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelConfig {
    /// Architecture name as in `general.architecture` (`llama`); the key into `plan`'s `ARCHS`.
    pub arch: String,
    /// The model's own name, if it has one.
    pub name: Option<String>,
    /// Transformer layers.
    pub layers: u32,
    /// Width of the residual stream.
    pub hidden: u32,
    /// Query heads.
    pub heads: u32,
    /// Key/value heads.
    pub kv_heads: u32,
    /// Width of one head.
    pub head_dim: u32,
    /// Width of the feed-forward layer.
    pub ffn: u32,
    /// Vocabulary entries (rows of the embedding).
    pub vocab: u32,
    /// Context length of the training, in tokens.
    pub context: u32,
    /// The norms' epsilon.
    pub norm_eps: f32,
    /// Rotary position embedding.
    pub rope: RopeConfig,
    /// What attention has beyond the plain causal one.
    pub attention: AttentionOptions,
    /// Logits become `cap * tanh(logit / cap)`, where set.
    pub logits_softcap: Option<f32>,
    /// A mixture of experts in place of every feed-forward layer, where set.
    pub experts: Option<ExpertsConfig>,
    /// The author's sampling defaults.
    pub sampling: SamplingDefaults,
    /// What an encoder has beside, or how a decoder's files say that it makes vectors; `None` for others.
    pub encoder: Option<EncoderConfig>,
    /// The encoder of audio whose output the decoder reads; `None` where there is none.
    pub audio: Option<AudioConfig>,
}
