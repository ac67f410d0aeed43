//! A model's hyperparameters, in one form for every file source.

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
}

/// Sampling defaults that a model's author recommends (`general.sampling.*`, generation_config.json).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SamplingDefaults {
    /// Softmax temperature.
    pub temperature: Option<f32>,
    /// Min-p threshold.
    pub min_p: Option<f32>,
}

/// A decoder's hyperparameters, checked: no count is zero, heads are a multiple of KV heads, products fit.
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
    /// RMS norm epsilon.
    pub norm_eps: f32,
    /// Rotary position embedding.
    pub rope: RopeConfig,
    /// Attention sees only this many last positions, where set.
    pub sliding_window: Option<u32>,
    /// The author's sampling defaults.
    pub sampling: SamplingDefaults,
}
