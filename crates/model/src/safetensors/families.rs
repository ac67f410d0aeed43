//! Every model type, and the places of the tensors of those that are not in a file of their own.

use super::encoders;
use super::family::Goes::{Expert, Experts, Filters, Split};
use super::family::{
    AudioFields, COMMON, Classifier, EncoderFields, ExpertFields, Family, PLAIN, PRE_NORM, RowsOf, Rule,
    SizeFields, Unroped, Windows, n, tied, to,
};

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

/// Norms before and after.
static SANDWICH_NORM: &[Rule] = &[
    to("layers.{l}.input_layernorm", "layers.{l}.attention_norm"),
    to("layers.{l}.post_attention_layernorm", "layers.{l}.attention_post_norm"),
    to("layers.{l}.pre_feedforward_layernorm", "layers.{l}.ffn_norm"),
    to("layers.{l}.post_feedforward_layernorm", "layers.{l}.ffn_post_norm"),
];

/// Norms after attention and after the feed-forward network.
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

const SANDWICH: &[&str] = &["attention_norm", "attention_post_norm", "ffn_norm", "ffn_post_norm"];

/// Gemma 1 wrote `gelu` and meant the approximation by tanh.
const GELU: &[&str] = &["gelu_pytorch_tanh", "gelu"];

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
        rules: &[encoders::BERT, encoders::BERT_CLASSIFIER],
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
    encoders::DISTILBERT_FAMILY,
    encoders::ROBERTA_FAMILY,
    encoders::MPNET_FAMILY,
    encoders::NOMIC_BERT_FAMILY,
    encoders::MODERN_BERT_FAMILY,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::safetensors::family::Goes::To;
    use crate::safetensors::family::{Indices, PREFIXES};

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
