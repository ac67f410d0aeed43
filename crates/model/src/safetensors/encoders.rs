//! Model types of encoders of text, and where their modules go.

use super::family::Goes::Split;
use super::family::{
    Classifier, EncoderFields, Family, Fixed, PLAIN, RowsOf, Rule, SizeFields, TRAINING, Windows, n, tied, to,
};

/// BERT: embeddings with positions, segments and a norm; a norm after each residual addition.
pub(super) static BERT: &[Rule] = &[
    to("embeddings.word_embeddings", "embed"),
    to("embeddings.position_embeddings", "positions"),
    to("embeddings.token_type_embeddings", "segments"),
    to("embeddings.LayerNorm", "embed_norm"),
    to("encoder.layer.{l}.attention.self.query", "layers.{l}.attention.q"),
    to("encoder.layer.{l}.attention.self.key", "layers.{l}.attention.k"),
    to("encoder.layer.{l}.attention.self.value", "layers.{l}.attention.v"),
    to("encoder.layer.{l}.attention.output.dense", "layers.{l}.attention.output"),
    to("encoder.layer.{l}.attention.output.LayerNorm", "layers.{l}.attention_post_norm"),
    to("encoder.layer.{l}.intermediate.dense", "layers.{l}.ffn.up"),
    to("encoder.layer.{l}.output.dense", "layers.{l}.ffn.down"),
    to("encoder.layer.{l}.output.LayerNorm", "layers.{l}.ffn_post_norm"),
];

/// BERT's classifier, of which the pooler is the first product.
pub(super) static BERT_CLASSIFIER: &[Rule] =
    &[to("pooler.dense", "score.dense"), to("classifier", "score.output")];

/// RoBERTa's classifier.
pub(super) static ROBERTA_CLASSIFIER: &[Rule] =
    &[to("classifier.dense", "score.dense"), to("classifier.out_proj", "score.output")];

/// DistilBERT: BERT without segments, under other names.
pub(super) static DISTILBERT: &[Rule] = &[
    to("embeddings.word_embeddings", "embed"),
    to("embeddings.position_embeddings", "positions"),
    to("embeddings.LayerNorm", "embed_norm"),
    to("transformer.layer.{l}.attention.q_lin", "layers.{l}.attention.q"),
    to("transformer.layer.{l}.attention.k_lin", "layers.{l}.attention.k"),
    to("transformer.layer.{l}.attention.v_lin", "layers.{l}.attention.v"),
    to("transformer.layer.{l}.attention.out_lin", "layers.{l}.attention.output"),
    to("transformer.layer.{l}.sa_layer_norm", "layers.{l}.attention_post_norm"),
    to("transformer.layer.{l}.ffn.lin1", "layers.{l}.ffn.up"),
    to("transformer.layer.{l}.ffn.lin2", "layers.{l}.ffn.down"),
    to("transformer.layer.{l}.output_layer_norm", "layers.{l}.ffn_post_norm"),
];

/// MPNet: BERT without segments, with biases by distance that all layers share.
pub(super) static MPNET: &[Rule] = &[
    to("embeddings.word_embeddings", "embed"),
    to("embeddings.position_embeddings", "positions"),
    to("embeddings.LayerNorm", "embed_norm"),
    to("encoder.relative_attention_bias", "distance_bias"),
    to("encoder.layer.{l}.attention.attn.q", "layers.{l}.attention.q"),
    to("encoder.layer.{l}.attention.attn.k", "layers.{l}.attention.k"),
    to("encoder.layer.{l}.attention.attn.v", "layers.{l}.attention.v"),
    to("encoder.layer.{l}.attention.attn.o", "layers.{l}.attention.output"),
    to("encoder.layer.{l}.attention.LayerNorm", "layers.{l}.attention_post_norm"),
    to("encoder.layer.{l}.intermediate.dense", "layers.{l}.ffn.up"),
    to("encoder.layer.{l}.output.dense", "layers.{l}.ffn.down"),
    to("encoder.layer.{l}.output.LayerNorm", "layers.{l}.ffn_post_norm"),
];

/// nomic-bert: fused queries, keys and values; the second of the feed-forward part's matrices is the gate's.
pub(super) static NOMIC_BERT: &[Rule] = &[
    to("embeddings.word_embeddings", "embed"),
    to("embeddings.token_type_embeddings", "segments"),
    to("emb_ln", "embed_norm"),
    Rule {
        module: "encoder.layers.{l}.attn.Wqkv",
        goes: Split(&[
            ("layers.{l}.attention.q", RowsOf::Queries),
            ("layers.{l}.attention.k", RowsOf::Keys),
            ("layers.{l}.attention.v", RowsOf::Keys),
        ]),
    },
    to("encoder.layers.{l}.attn.out_proj", "layers.{l}.attention.output"),
    to("encoder.layers.{l}.norm1", "layers.{l}.attention_post_norm"),
    to("encoder.layers.{l}.mlp.fc11", "layers.{l}.ffn.up"),
    to("encoder.layers.{l}.mlp.fc12", "layers.{l}.ffn.gate"),
    to("encoder.layers.{l}.mlp.fc2", "layers.{l}.ffn.down"),
    to("encoder.layers.{l}.norm2", "layers.{l}.ffn_post_norm"),
];

/// ModernBERT: fused matrices, norms before the sublayers.
pub(super) static MODERN_BERT: &[Rule] = &[
    to("embeddings.tok_embeddings", "embed"),
    to("embeddings.norm", "embed_norm"),
    to("layers.{l}.attn_norm", "layers.{l}.attention_norm"),
    Rule {
        module: "layers.{l}.attn.Wqkv",
        goes: Split(&[
            ("layers.{l}.attention.q", RowsOf::Queries),
            ("layers.{l}.attention.k", RowsOf::Keys),
            ("layers.{l}.attention.v", RowsOf::Keys),
        ]),
    },
    to("layers.{l}.attn.Wo", "layers.{l}.attention.output"),
    to("layers.{l}.mlp_norm", "layers.{l}.ffn_norm"),
    Rule {
        module: "layers.{l}.mlp.Wi",
        goes: Split(&[("layers.{l}.ffn.gate", RowsOf::Ffn), ("layers.{l}.ffn.up", RowsOf::Ffn)]),
    },
    to("layers.{l}.mlp.Wo", "layers.{l}.ffn.down"),
    to("final_norm", "output_norm"),
];

/// What encoders of text have in common.
const LIKE_BERT: Family = Family {
    arch: "bert",
    norms: &["attention_post_norm", "ffn_post_norm"],
    activations: &["gelu"],
    norm_eps: "layer_norm_eps",
    ..PLAIN
};

/// The model type of these rules.
pub(super) const DISTILBERT_FAMILY: Family = Family {
    model_types: &["distilbert"],
    rules: &[DISTILBERT],
    defaults: &[n("rope_theta", 10_000.0), n("layer_norm_eps", 1e-12), tied(true)],
    encoder: Some(EncoderFields::BARE),
    left_out: &[
        ("vocab_transform.", TRAINING),
        ("vocab_layer_norm.", TRAINING),
        ("vocab_projector.", TRAINING),
    ],
    sizes: SizeFields {
        layers: "n_layers",
        hidden: "dim",
        heads: "n_heads",
        ffn: "hidden_dim",
        ..SizeFields::USUAL
    },
    ..LIKE_BERT
};

/// The model type of these rules.
pub(super) const ROBERTA_FAMILY: Family = Family {
    model_types: &["roberta", "xlm-roberta", "camembert"],
    rules: &[BERT, ROBERTA_CLASSIFIER],
    defaults: &[
        n("rope_theta", 10_000.0),
        n("layer_norm_eps", 1e-12),
        n("type_vocab_size", 2.0),
        n("pad_token_id", 1.0),
        tied(true),
    ],
    encoder: Some(EncoderFields {
        segments: Some("type_vocab_size"),
        padding: Some("pad_token_id"),
        classifier: Classifier::Tanh,
        ..EncoderFields::BARE
    }),
    left_out: &[("lm_head.", TRAINING)],
    ..LIKE_BERT
};

/// The model type of these rules.
pub(super) const MPNET_FAMILY: Family = Family {
    model_types: &["mpnet"],
    rules: &[MPNET, ROBERTA_CLASSIFIER],
    defaults: &[
        n("rope_theta", 10_000.0),
        n("layer_norm_eps", 1e-12),
        n("pad_token_id", 1.0),
        n("relative_attention_num_buckets", 32.0),
        tied(true),
    ],
    encoder: Some(EncoderFields {
        padding: Some("pad_token_id"),
        buckets: Some("relative_attention_num_buckets"),
        classifier: Classifier::Tanh,
        ..EncoderFields::BARE
    }),
    left_out: &[("lm_head.", TRAINING)],
    ..LIKE_BERT
};

/// The model type of these rules.
pub(super) const NOMIC_BERT_FAMILY: Family = Family {
    model_types: &["nomic_bert"],
    arch: "nomic-bert",
    rules: &[NOMIC_BERT],
    activations: &["swiglu"],
    defaults: &[n("rotary_emb_base", 10_000.0), tied(true)],
    encoder: Some(EncoderFields { segments: Some("type_vocab_size"), ..EncoderFields::BARE }),
    sizes: SizeFields {
        layers: "n_layer",
        hidden: "n_embd",
        heads: "n_head",
        ffn: "n_inner",
        context: "n_positions",
    },
    fixed: &[
        ("prenorm", Fixed::Switch(false)),
        ("parallel_block", Fixed::Switch(false)),
        ("use_rms_norm", Fixed::Switch(false)),
        ("causal", Fixed::Switch(false)),
        ("qkv_proj_bias", Fixed::Switch(false)),
        ("mlp_fc1_bias", Fixed::Switch(false)),
        ("mlp_fc2_bias", Fixed::Switch(false)),
        ("scale_attn_weights", Fixed::Switch(true)),
        ("scale_attn_by_inverse_layer_idx", Fixed::Switch(false)),
        ("rotary_emb_interleaved", Fixed::Switch(false)),
        ("rotary_emb_fraction", Fixed::Number(1.0)),
        ("rotary_emb_scale_base", Fixed::Nothing),
        ("rotary_scaling_factor", Fixed::Nothing),
        ("num_experts", Fixed::Number(0.0)),
    ],
    rope_bases: ["rotary_emb_base", "rope_local_base_freq"],
    norm_eps: "layer_norm_epsilon",
    ..LIKE_BERT
};

/// The model type of these rules.
pub(super) const MODERN_BERT_FAMILY: Family = Family {
    model_types: &["modernbert"],
    arch: "modern-bert",
    rules: &[MODERN_BERT],
    // (The first layer has no norm before its attention.)
    norms: &["ffn_norm"],
    defaults: &[
        n("global_rope_theta", 160_000.0),
        n("local_rope_theta", 10_000.0),
        n("local_attention", 128.0),
        n("norm_eps", 1e-5),
        tied(true),
    ],
    windows: Windows::AllButFirstOf(3),
    encoder: Some(EncoderFields::BARE),
    fixed: &[("attention_bias", Fixed::Switch(false)), ("mlp_bias", Fixed::Switch(false))],
    left_out: &[("head.", TRAINING), ("decoder.", TRAINING)],
    window: "local_attention",
    rope_bases: ["global_rope_theta", "local_rope_theta"],
    norm_eps: "norm_eps",
    ..LIKE_BERT
};
