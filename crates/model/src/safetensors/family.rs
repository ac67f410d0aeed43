//! Model types as data: what each is called here, what its configuration leaves out, and where its tensors go.

use super::encoders::{BERT, BERT_CLASSIFIER};
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
static COMMON: &[Rule] = &[
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

/// Whisper: an encoder of audio after two convolutions, and a decoder that reads it.
static WHISPER: &[Rule] = &[
    to("decoder.embed_tokens", "embed"),
    to("decoder.embed_positions", "positions"),
    to("decoder.layers.{l}.self_attn.q_proj", "layers.{l}.attention.q"),
    to("decoder.layers.{l}.self_attn.k_proj", "layers.{l}.attention.k"),
    to("decoder.layers.{l}.self_attn.v_proj", "layers.{l}.attention.v"),
    to("decoder.layers.{l}.self_attn.out_proj", "layers.{l}.attention.output"),
    to("decoder.layers.{l}.self_attn_layer_norm", "layers.{l}.attention_norm"),
    to("decoder.layers.{l}.encoder_attn.q_proj", "layers.{l}.cross.q"),
    to("decoder.layers.{l}.encoder_attn.k_proj", "layers.{l}.cross.k"),
    to("decoder.layers.{l}.encoder_attn.v_proj", "layers.{l}.cross.v"),
    to("decoder.layers.{l}.encoder_attn.out_proj", "layers.{l}.cross.output"),
    to("decoder.layers.{l}.encoder_attn_layer_norm", "layers.{l}.cross_norm"),
    to("decoder.layers.{l}.fc1", "layers.{l}.ffn.up"),
    to("decoder.layers.{l}.fc2", "layers.{l}.ffn.down"),
    to("decoder.layers.{l}.final_layer_norm", "layers.{l}.ffn_norm"),
    to("decoder.layer_norm", "output_norm"),
    to("proj_out", "output"),
    Rule { module: "encoder.conv1", goes: Filters("audio.conv1") },
    Rule { module: "encoder.conv2", goes: Filters("audio.conv2") },
    to("encoder.embed_positions", "audio.positions"),
    to("encoder.layers.{l}.self_attn.q_proj", "audio.layers.{l}.attention.q"),
    to("encoder.layers.{l}.self_attn.k_proj", "audio.layers.{l}.attention.k"),
    to("encoder.layers.{l}.self_attn.v_proj", "audio.layers.{l}.attention.v"),
    to("encoder.layers.{l}.self_attn.out_proj", "audio.layers.{l}.attention.output"),
    to("encoder.layers.{l}.self_attn_layer_norm", "audio.layers.{l}.attention_norm"),
    to("encoder.layers.{l}.fc1", "audio.layers.{l}.ffn.up"),
    to("encoder.layers.{l}.fc2", "audio.layers.{l}.ffn.down"),
    to("encoder.layers.{l}.final_layer_norm", "audio.layers.{l}.ffn_norm"),
    to("encoder.layer_norm", "audio.output_norm"),
];

/// Norms before attention and feed-forward layer.
static PRE_NORM: &[Rule] = &[
    to("layers.{l}.input_layernorm", "layers.{l}.attention_norm"),
    to("layers.{l}.post_attention_layernorm", "layers.{l}.ffn_norm"),
];

/// Norms before and after.
static SANDWICH_NORM: &[Rule] = &[
    to("layers.{l}.input_layernorm", "layers.{l}.attention_norm"),
    to("layers.{l}.post_attention_layernorm", "layers.{l}.attention_post_norm"),
    to("layers.{l}.pre_feedforward_layernorm", "layers.{l}.ffn_norm"),
    to("layers.{l}.post_feedforward_layernorm", "layers.{l}.ffn_post_norm"),
];

/// Norms after.
static POST_NORM: &[Rule] = &[
    to("layers.{l}.post_attention_layernorm", "layers.{l}.attention_post_norm"),
    to("layers.{l}.post_feedforward_layernorm", "layers.{l}.ffn_post_norm"),
];

/// Matrices that are fused in the file.
static FUSED: &[Rule] = &[
    Rule {
        module: "layers.{l}.self_attn.qkv_proj",
        goes: Split(&[
            ("layers.{l}.attention.q", RowsOf::Queries),
            ("layers.{l}.attention.k", RowsOf::Keys),
            ("layers.{l}.attention.v", RowsOf::Keys),
        ]),
    },
    Rule {
        module: "layers.{l}.mlp.gate_up_proj",
        goes: Split(&[("layers.{l}.ffn.gate", RowsOf::Ffn), ("layers.{l}.ffn.up", RowsOf::Ffn)]),
    },
];

const GATE: &str = "layers.{l}.ffn.experts.gate";
const UP: &str = "layers.{l}.ffn.experts.up";
const DOWN: &str = "layers.{l}.ffn.experts.down";

/// Experts as Mixtral's files name them, and MLX's conversions of those.
static MIXTRAL: &[Rule] = &[
    to("layers.{l}.block_sparse_moe.gate", "layers.{l}.ffn.router"),
    Rule { module: "layers.{l}.block_sparse_moe.experts.{e}.w1", goes: Expert(GATE) },
    Rule { module: "layers.{l}.block_sparse_moe.experts.{e}.w3", goes: Expert(UP) },
    Rule { module: "layers.{l}.block_sparse_moe.experts.{e}.w2", goes: Expert(DOWN) },
    Rule { module: "layers.{l}.block_sparse_moe.switch_mlp.gate_proj", goes: Experts(GATE) },
    Rule { module: "layers.{l}.block_sparse_moe.switch_mlp.up_proj", goes: Experts(UP) },
    Rule { module: "layers.{l}.block_sparse_moe.switch_mlp.down_proj", goes: Experts(DOWN) },
];

/// Experts as Qwen's files name them, and MLX's conversions of those.
static QWEN_EXPERTS: &[Rule] = &[
    to("layers.{l}.mlp.gate", "layers.{l}.ffn.router"),
    Rule { module: "layers.{l}.mlp.experts.{e}.gate_proj", goes: Expert(GATE) },
    Rule { module: "layers.{l}.mlp.experts.{e}.up_proj", goes: Expert(UP) },
    Rule { module: "layers.{l}.mlp.experts.{e}.down_proj", goes: Expert(DOWN) },
    Rule { module: "layers.{l}.mlp.switch_mlp.gate_proj", goes: Experts(GATE) },
    Rule { module: "layers.{l}.mlp.switch_mlp.up_proj", goes: Experts(UP) },
    Rule { module: "layers.{l}.mlp.switch_mlp.down_proj", goes: Experts(DOWN) },
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

const PRE: &[&str] = &["attention_norm", "ffn_norm"];
const SANDWICH: &[&str] = &["attention_norm", "attention_post_norm", "ffn_norm", "ffn_post_norm"];
const SILU: &[&str] = &["silu", "swish"];
/// Gemma 1 wrote `gelu` and meant the approximation by tanh.
const GELU: &[&str] = &["gelu_pytorch_tanh", "gelu"];

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

/// Every model type.
pub static FAMILIES: &[Family] = &[
    Family { model_types: &["llama"], ..PLAIN },
    Family {
        model_types: &["mistral"],
        windows: Windows::All,
        defaults: &[
            n("rope_theta", 10_000.0),
            n("rms_norm_eps", 1e-6),
            n("num_key_value_heads", 8.0),
            n("max_position_embeddings", 131_072.0),
            n("sliding_window", 4096.0),
            tied(false),
        ],
        ..PLAIN
    },
    Family {
        model_types: &["mixtral"],
        rules: &[COMMON, PRE_NORM, MIXTRAL],
        windows: Windows::All,
        defaults: &[
            n("rope_theta", 1e6),
            n("rms_norm_eps", 1e-5),
            n("num_key_value_heads", 8.0),
            n("max_position_embeddings", 131_072.0),
            n("num_local_experts", 8.0),
            n("num_experts_per_tok", 2.0),
            tied(false),
        ],
        experts: Some(ExpertFields {
            count: "num_local_experts",
            ffn: "intermediate_size",
            normalized: None,
        }),
        ..PLAIN
    },
    Family {
        model_types: &["qwen2"],
        arch: "qwen2",
        windows: Windows::UpperIfSwitched,
        attention_biases: &["attention.q", "attention.k", "attention.v"],
        ..PLAIN
    },
    Family {
        model_types: &["qwen3"],
        arch: "qwen3",
        windows: Windows::UpperIfSwitched,
        defaults: &[n("rope_theta", 10_000.0), n("rms_norm_eps", 1e-6), n("head_dim", 128.0), tied(false)],
        ..PLAIN
    },
    Family {
        model_types: &["qwen3_moe"],
        arch: "qwen3moe",
        rules: &[COMMON, PRE_NORM, QWEN_EXPERTS],
        windows: Windows::AllIfSwitched,
        experts: Some(ExpertFields {
            count: "num_experts",
            ffn: "moe_intermediate_size",
            normalized: Some("norm_topk_prob"),
        }),
        ..PLAIN
    },
    Family {
        model_types: &["gemma"],
        arch: "gemma",
        norm_offset: 1.0,
        activations: GELU,
        defaults: &[n("rope_theta", 10_000.0), n("rms_norm_eps", 1e-6), n("head_dim", 256.0), tied(true)],
        ..PLAIN
    },
    Family {
        model_types: &["gemma2"],
        arch: "gemma2",
        rules: &[COMMON, SANDWICH_NORM],
        norms: SANDWICH,
        norm_offset: 1.0,
        activations: GELU,
        defaults: &[
            n("rope_theta", 10_000.0),
            n("rms_norm_eps", 1e-6),
            n("head_dim", 256.0),
            n("query_pre_attn_scalar", 256.0),
            n("sliding_window", 4096.0),
            n("attn_logit_softcapping", 50.0),
            n("final_logit_softcapping", 30.0),
            tied(true),
        ],
        windows: Windows::AllButEvery(2),
        ..PLAIN
    },
    Family {
        model_types: &["gemma3_text"],
        arch: "gemma3",
        rules: &[COMMON, SANDWICH_NORM],
        norms: SANDWICH,
        norm_offset: 1.0,
        activations: GELU,
        defaults: &[
            n("vocab_size", 262_208.0),
            n("hidden_size", 2304.0),
            n("intermediate_size", 9216.0),
            n("num_hidden_layers", 26.0),
            n("num_attention_heads", 8.0),
            n("num_key_value_heads", 4.0),
            n("head_dim", 256.0),
            n("max_position_embeddings", 131_072.0),
            n("rms_norm_eps", 1e-6),
            n("rope_theta", 1e6),
            n("rope_local_base_freq", 10_000.0),
            n("query_pre_attn_scalar", 256.0),
            n("sliding_window", 4096.0),
            tied(true),
        ],
        windows: Windows::AllButEvery(6),
        ..PLAIN
    },
    Family {
        model_types: &["phi3"],
        arch: "phi3",
        rules: &[COMMON, PRE_NORM, FUSED],
        windows: Windows::All,
        defaults: &[n("rope_theta", 10_000.0), n("rms_norm_eps", 1e-5), tied(false)],
        ..PLAIN
    },
    Family {
        model_types: &["smollm3"],
        arch: "smollm3",
        windows: Windows::UnropedIfSwitched,
        unroped: Unroped::Every(4),
        defaults: &[n("rope_theta", 2e6), n("rms_norm_eps", 1e-6), n("num_key_value_heads", 4.0), tied(true)],
        ..PLAIN
    },
    Family {
        model_types: &["bert"],
        arch: "bert",
        rules: &[BERT, BERT_CLASSIFIER],
        norms: &["attention_post_norm", "ffn_post_norm"],
        activations: &["gelu"],
        defaults: &[
            n("rope_theta", 10_000.0),
            n("layer_norm_eps", 1e-12),
            n("type_vocab_size", 2.0),
            tied(true),
        ],
        encoder: Some(EncoderFields {
            segments: Some("type_vocab_size"),
            classifier: Classifier::Tanh,
            ..EncoderFields::BARE
        }),
        norm_eps: "layer_norm_eps",
        ..PLAIN
    },
    super::encoders::DISTILBERT_FAMILY,
    super::encoders::ROBERTA_FAMILY,
    super::encoders::MPNET_FAMILY,
    super::encoders::NOMIC_BERT_FAMILY,
    super::encoders::MODERN_BERT_FAMILY,
    Family {
        model_types: &["whisper"],
        arch: "whisper",
        rules: &[WHISPER],
        norms: &["attention_norm", "cross_norm", "ffn_norm"],
        activations: &["gelu"],
        defaults: &[n("rope_theta", 10_000.0), n("layer_norm_eps", 1e-5), tied(true)],
        audio: Some(AudioFields {
            mels: "num_mel_bins",
            positions: "max_source_positions",
            layers: "encoder_layers",
            equal: &[
                ("encoder_attention_heads", "decoder_attention_heads"),
                ("encoder_ffn_dim", "decoder_ffn_dim"),
            ],
        }),
        sizes: SizeFields {
            layers: "decoder_layers",
            hidden: "d_model",
            heads: "decoder_attention_heads",
            ffn: "decoder_ffn_dim",
            context: "max_target_positions",
        },
        norm_eps: "layer_norm_eps",
        ..PLAIN
    },
    Family {
        model_types: &["olmo2"],
        arch: "olmo2",
        rules: &[COMMON, POST_NORM],
        norms: &["attention_post_norm", "ffn_post_norm"],
        defaults: &[n("rope_theta", 10_000.0), n("rms_norm_eps", 1e-5), tied(false)],
        ..PLAIN
    },
];

/// The family of a model type.
pub fn find(model_type: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|f| f.model_types.contains(&model_type))
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_find_their_rules_under_every_prefix() {
        let gemma = find("gemma3_text").unwrap();
        for prefix in PREFIXES {
            let (rule, at) = gemma.rule(&format!("{prefix}layers.17.post_attention_layernorm")).unwrap();
            assert!(matches!(rule.goes, To("layers.{l}.attention_post_norm")), "{prefix}");
            assert_eq!(at.layer, 17);
        }
        let (rule, at) =
            find("mixtral").unwrap().rule("model.layers.3.block_sparse_moe.experts.7.w2").unwrap();
        assert!(matches!(rule.goes, Expert(DOWN)));
        assert_eq!(at, Indices { layer: 3, expert: 7 });
    }

    #[test]
    fn odd_paths_find_none() {
        let llama = find("llama").unwrap();
        for odd in [
            "model.layers.01.mlp.up_proj",
            "model.layers..mlp.up_proj",
            "model.layers.-1.mlp.up_proj",
            "model.layers.0.mlp.up_proj.lora_A",
            "model.layers.0.mlp",
            "model.layers.0.mlp.gate",
            "model.model.norm",
        ] {
            assert!(llama.rule(odd).is_none(), "{odd}");
        }
    }

    #[test]
    fn no_model_type_is_listed_twice() {
        let mut all: Vec<_> = FAMILIES.iter().flat_map(|f| f.model_types).collect();
        let n = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), n);
    }
}
