//! What a model type is made of: what it is called here, what its configuration leaves out, and where its tensors go.

use Goes::{Expert, Experts, Filters, Split, To};

/// A value that a configuration leaves out.
#[derive(Clone, Copy, Debug)]
pub enum Default {
    /// A number.
    Number(f64),
    /// A switch.
    Switch(bool),
}

/// Which layers are windowed where `layer_types` does not say, in a model with a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Windows {
    /// None: the type has no window.
    Never,
    /// All.
    All,
    /// All, where `use_sliding_window` is set.
    AllIfSwitched,
    /// Those from `max_window_layers` on, where `use_sliding_window` is set.
    UpperIfSwitched,
    /// Those without RoPE, where `use_sliding_window` is set.
    UnropedIfSwitched,
    /// All but every n-th, n being `sliding_window_pattern` or this.
    AllButEvery(u64),
    /// All but the first of every n, n being `global_attn_every_n_layers` or this.
    AllButFirstOf(u64),
}

/// What a field must say, where it is there: anything else would be another computation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fixed {
    /// A switch.
    Switch(bool),
    /// A number.
    Number(f64),
    /// Nothing: null.
    Nothing,
}

/// Which layers lack RoPE where the configuration does not list them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unroped {
    /// None.
    Never,
    /// Every n-th, n being `no_rope_layer_interval` or this.
    Every(u64),
}

/// One model type, or several that differ in nothing.
#[derive(Debug)]
pub struct Family {
    /// `model_type` in `config.json`.
    pub model_types: &'static [&'static str],
    /// Name of the architecture, the same as in GGUF files.
    pub arch: &'static str,
    /// Where its modules go; the first rule that fits counts.
    pub rules: &'static [&'static [Rule]],
    /// Norms of a layer.
    pub norms: &'static [&'static str],
    /// Added to every norm's weights: 1 where files hold the difference from 1.
    pub norm_offset: f32,
    /// `hidden_act` (or `hidden_activation`) that the architecture computes with.
    pub activations: &'static [&'static str],
    /// What a configuration may leave out.
    pub defaults: &'static [(&'static str, Default)],
    /// Which layers are windowed.
    pub windows: Windows,
    /// Which layers lack RoPE.
    pub unroped: Unroped,
    /// Fields that count the experts, their users and their width; `None` for a dense model.
    pub experts: Option<ExpertFields>,
    /// What an encoder's configuration says beside; `None` for a decoder.
    pub encoder: Option<EncoderFields>,
    /// What a model of speech says of its encoder; `None` for others.
    pub audio: Option<AudioFields>,
    /// Fields of the sizes.
    pub sizes: SizeFields,
    /// Fields that must say what is computed.
    pub fixed: &'static [(&'static str, Fixed)],
    /// Tensors that are left out: how the name begins, why.
    pub left_out: &'static [(&'static str, &'static str)],
    /// The field of the window.
    pub window: &'static str,
    /// The field of RoPE's base, and that of its base in windowed layers.
    pub rope_bases: [&'static str; 2],
    /// The field of the norms' epsilon.
    pub norm_eps: &'static str,
    /// Modules of a layer that have a bias where the configuration says `attention_bias`.
    pub attention_biases: &'static [&'static str],
}

/// Names of the fields that describe an encoder.
#[derive(Clone, Copy, Debug)]
pub struct EncoderFields {
    /// Segments; `None` where the type has none.
    pub segments: Option<&'static str>,
    /// The padding token, where positions begin with the row after its id.
    pub padding: Option<&'static str>,
    /// Rows of the table of biases by distance; `None` where the type has none.
    pub buckets: Option<&'static str>,
    /// What a classifier is made of.
    pub classifier: Classifier,
}

/// What makes a score of the first token's vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Classifier {
    /// Something that is not computed.
    Other,
    /// A product, tanh, a product.
    Tanh,
}

impl EncoderFields {
    /// Nothing but what all have.
    pub(super) const BARE: Self =
        Self { segments: None, padding: None, buckets: None, classifier: Classifier::Other };
}

/// Names of the fields that describe an encoder of audio, which is as wide as the decoder.
#[derive(Clone, Copy, Debug)]
pub struct AudioFields {
    /// Mel bins of a frame.
    pub mels: &'static str,
    /// Positions.
    pub positions: &'static str,
    /// Layers.
    pub layers: &'static str,
    /// Fields that must be equal, the encoder's and the decoder's.
    pub equal: &'static [(&'static str, &'static str)],
}

/// Names of the fields of a model's sizes.
#[derive(Clone, Copy, Debug)]
pub struct SizeFields {
    /// Layers.
    pub layers: &'static str,
    /// Width of the residual stream.
    pub hidden: &'static str,
    /// Query heads.
    pub heads: &'static str,
    /// Width of the feed-forward layer.
    pub ffn: &'static str,
    /// Positions of the training.
    pub context: &'static str,
}

impl SizeFields {
    /// As most configurations call them.
    pub(super) const USUAL: Self = Self {
        layers: "num_hidden_layers",
        hidden: "hidden_size",
        heads: "num_attention_heads",
        ffn: "intermediate_size",
        context: "max_position_embeddings",
    };
}

/// Names of the fields that describe a mixture of experts.
#[derive(Clone, Copy, Debug)]
pub struct ExpertFields {
    /// Number of experts.
    pub count: &'static str,
    /// Width of one.
    pub ffn: &'static str,
    /// Whether the weights of the experts used are divided by their sum: a field, or `None` for always.
    pub normalized: Option<&'static str>,
}

/// Where a module's tensors go. `{l}` is the layer and `{e}` the expert.
#[derive(Debug)]
pub struct Rule {
    /// The module's path in the file, without the model's own prefix.
    pub module: &'static str,
    /// Its place.
    pub goes: Goes,
}

/// The place of a module.
#[derive(Debug)]
pub enum Goes {
    /// One module, by its canonical path.
    To(&'static str),
    /// Several modules, each some of the rows, from the top.
    Split(&'static [(&'static str, RowsOf)]),
    /// One expert of a stack.
    Expert(&'static str),
    /// A whole stack, `[experts, rows, cols]`.
    Experts(&'static str),
    /// Filters of a convolution, `[rows, channels, taps]`: a matrix whose columns are taps of a channel after taps of a channel.
    Filters(&'static str),
}

/// How many rows a part of a fused matrix has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsOf {
    /// Query heads times their width.
    Queries,
    /// Key heads (or value heads) times their width.
    Keys,
    /// Width of the feed-forward layer.
    Ffn,
}

pub(super) const fn to(module: &'static str, canonical: &'static str) -> Rule {
    Rule { module, goes: To(canonical) }
}

/// What all have in common.
pub(super) static COMMON: &[Rule] = &[
    to("embed_tokens", "embed"),
    to("norm", "output_norm"),
    to("lm_head", "output"),
    to("layers.{l}.self_attn.q_proj", "layers.{l}.attention.q"),
    to("layers.{l}.self_attn.k_proj", "layers.{l}.attention.k"),
    to("layers.{l}.self_attn.v_proj", "layers.{l}.attention.v"),
    to("layers.{l}.self_attn.o_proj", "layers.{l}.attention.output"),
    to("layers.{l}.self_attn.q_norm", "layers.{l}.attention.q_norm"),
    to("layers.{l}.self_attn.k_norm", "layers.{l}.attention.k_norm"),
    to("layers.{l}.mlp.gate_proj", "layers.{l}.ffn.gate"),
    to("layers.{l}.mlp.up_proj", "layers.{l}.ffn.up"),
    to("layers.{l}.mlp.down_proj", "layers.{l}.ffn.down"),
];

/// Norms before attention and feed-forward layer.
pub(super) static PRE_NORM: &[Rule] = &[
    to("layers.{l}.input_layernorm", "layers.{l}.attention_norm"),
    to("layers.{l}.post_attention_layernorm", "layers.{l}.ffn_norm"),
];

/// What files put before the names of the rules; the first that fits counts.
pub static PREFIXES: &[&str] = &[
    "language_model.model.",
    "model.language_model.",
    "language_model.",
    "model.",
    "bert.",
    "distilbert.",
    "roberta.",
    "mpnet.",
    "",
];

/// Tensors that are left out wherever they appear: how the name begins, how it ends, why.
pub static LEFT_OUT: &[(&str, &str, &str)] = &[
    ("", ".rotary_emb.inv_freq", "RoPE's frequencies follow from config.json"),
    ("", ".rotary_emb.cos_cached", "RoPE's angles follow from config.json"),
    ("", ".rotary_emb.sin_cached", "RoPE's angles follow from config.json"),
    ("", ".input_scale", "activations are not quantized to FP8"),
    ("", ".activation_scale", "activations are not quantized to FP8"),
    ("", ".k_scale", "the KV cache is not FP8"),
    ("", ".v_scale", "the KV cache is not FP8"),
    ("", "embeddings.position_ids", "positions are counted"),
    ("cls.", "", "the head of the training; vectors are made without it"),
    ("vision_tower.", "", "part of the vision tower; only text is run"),
    ("model.vision_tower.", "", "part of the vision tower; only text is run"),
    ("vision_model.", "", "part of the vision tower; only text is run"),
    ("multi_modal_projector.", "", "joins the vision tower to the text model; only text is run"),
    ("model.multi_modal_projector.", "", "joins the vision tower to the text model; only text is run"),
];

/// How names of what only classifiers read begin, and why others leave it out.
pub static POOLERS: [&str; 4] = ["pooler.", "bert.pooler.", "roberta.pooler.", "mpnet.pooler."];
/// The reason.
pub static UNREAD_POOLER: &str = "only classifiers read it";

/// Why what only the training read is left out.
pub(super) const TRAINING: &str = "the head of the training; vectors are made without it";

/// Why an output head is left out beside an embedding that it shares.
pub static TIED: &str = "the output head shares the embedding (tie_word_embeddings)";

/// Configurations that keep the text model's own in `text_config`, and the type of that where it does not say.
pub static WRAPPERS: &[(&str, &str)] = &[("gemma3", "gemma3_text")];

pub(super) const PRE: &[&str] = &["attention_norm", "ffn_norm"];
pub(super) const SILU: &[&str] = &["silu", "swish"];

pub(super) const fn n(name: &'static str, value: f64) -> (&'static str, Default) {
    (name, Default::Number(value))
}

pub(super) const fn tied(yes: bool) -> (&'static str, Default) {
    ("tie_word_embeddings", Default::Switch(yes))
}

/// A pre-norm model with a SwiGLU feed-forward layer.
pub(super) const PLAIN: Family = Family {
    model_types: &[],
    arch: "llama",
    rules: &[COMMON, PRE_NORM],
    norms: PRE,
    norm_offset: 0.0,
    activations: SILU,
    defaults: &[n("rope_theta", 10_000.0), n("rms_norm_eps", 1e-6), tied(false)],
    windows: Windows::Never,
    unroped: Unroped::Never,
    experts: None,
    encoder: None,
    audio: None,
    sizes: SizeFields::USUAL,
    fixed: &[],
    left_out: &[],
    window: "sliding_window",
    rope_bases: ["rope_theta", "rope_local_base_freq"],
    norm_eps: "rms_norm_eps",
    attention_biases: &["attention.q", "attention.k", "attention.v", "attention.output"],
};

/// The indices that a module's path has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Indices {
    /// The layer.
    pub layer: u32,
    /// The expert.
    pub expert: u32,
}

impl Family {
    /// Whether some module goes to that place.
    pub fn places(&self, canonical: &str) -> bool {
        self.rules.iter().flat_map(|r| r.iter()).any(|r| match r.goes {
            To(c) | Expert(c) | Experts(c) | Filters(c) => c == canonical,
            Split(parts) => parts.iter().any(|p| p.0 == canonical),
        })
    }

    /// The rule of a module, and its indices.
    pub fn rule(&self, module: &str) -> Option<(&'static Rule, Indices)> {
        let rest = PREFIXES.iter().find_map(|p| module.strip_prefix(p))?;
        self.rules.iter().flat_map(|r| r.iter()).find_map(|r| Some((r, matches(r.module, rest)?)))
    }
}

/// Whether a path fits a pattern, segment by segment.
fn matches(pattern: &str, path: &str) -> Option<Indices> {
    let mut found = Indices::default();
    let (mut want, mut have) = (pattern.split('.'), path.split('.'));
    loop {
        match (want.next(), have.next()) {
            (None, None) => return Some(found),
            (Some("{l}"), Some(s)) => found.layer = index(s)?,
            (Some("{e}"), Some(s)) => found.expert = index(s)?,
            (a, b) if a == b => {}
            _ => return None,
        }
    }
}

/// Decimal without leading zeros, so that every canonical name has one file name.
fn index(s: &str) -> Option<u32> {
    let plain = (1..=5).contains(&s.len())
        && s.bytes().all(|b| b.is_ascii_digit())
        && (s == "0" || !s.starts_with('0'));
    if plain { s.parse().ok() } else { None }
}
