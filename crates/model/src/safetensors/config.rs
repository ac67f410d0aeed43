//! A model's configuration from `config.json` and `generation_config.json`.

use super::directory::Directory;
use super::family::{Classifier, Family, Fixed, Unroped, Windows};
use super::keys::{COMPLETE, GENERATION, Keys, OTHER, text_model};
use super::rope;
use super::sentence;
use super::speech;
use crate::ModelError;
use crate::config::{
    AttentionOptions, EncoderConfig, ExpertsConfig, Letters, ModelConfig, Normalize, Pooling, Purpose,
    RopeConfig, SamplingDefaults,
};
use crate::limits::{MAX_CAP, MAX_CONTEXT};
use serde_json::Value;

// Limits far above any model, low enough that products of any two fit in 64 bits without thought.
const MAX_LAYERS: u64 = 1 << 14;
const MAX_HEADS: u64 = 1 << 14;
const MAX_WIDTH: u64 = 1 << 24;
const MAX_VOCAB: u64 = 1 << 26;
const MAX_EXPERTS: u64 = 1 << 14;

/// The configuration of a directory's text model.
pub(super) struct Config {
    pub(super) model: ModelConfig,
    pub(super) family: &'static Family,
    /// Whether the output head is the embedding.
    pub(super) tied: bool,
    /// Modules of every layer that switches promise a bias for, each with what to do where it is missing.
    pub(super) biased: Vec<(&'static str, &'static str)>,
}

const ATTENTION_BIAS: &str = "config.json promises it (attention_bias): fetch config.json and the files of one and the \
                              same model again";
const MLP_BIAS: &str =
    "config.json promises it (mlp_bias): fetch config.json and the files of one and the same model again";

/// Reads and checks the configuration.
pub(super) fn read(dir: &Directory) -> Result<Config, ModelError> {
    let root = dir.config().fields();
    let (fields, family) = text_model(&root)?;
    let k = Keys { fields, root, family };
    k.refuse_unsupported()?;
    let sizes = &family.sizes;
    let layers = k.count(sizes.layers, MAX_LAYERS)?;
    let hidden = k.count(sizes.hidden, MAX_WIDTH)?;
    let heads = k.count(sizes.heads, MAX_HEADS)?;
    let head_dim = k.head_dim(hidden, heads)?;
    let context = k.count(sizes.context, MAX_CONTEXT.into())?;
    let vocab = k.count("vocab_size", MAX_VOCAB)?;
    let tied = k.switch("tie_word_embeddings")?.unwrap_or(true);
    let roped = k.roped(layers)?;
    let encoder = k.encoder(dir, context)?;
    // Of an encoder's positions, those that texts have.
    let context = encoder.as_ref().map_or(context, |e| context - e.first_position);
    let model = ModelConfig {
        arch: family.arch.into(),
        name: dir.path().file_name().and_then(|n| n.to_str()).map(Into::into),
        layers,
        hidden,
        heads,
        kv_heads: k.kv_heads(heads)?,
        head_dim,
        ffn: k.count(sizes.ffn, MAX_WIDTH)?,
        vocab,
        context,
        norm_eps: k.number(family.norm_eps, 0.0, 1.0)?.ok_or_else(|| k.missing(family.norm_eps))? as f32,
        rope: match family.audio {
            Some(_) => RopeConfig { dim: 0, ..rope::read(&k, head_dim, context)? },
            None => rope::read(&k, head_dim, context)?,
        },
        attention: k.attention(layers, context, roped)?,
        logits_softcap: k.number("final_logit_softcapping", 0.0, MAX_CAP.into())?.map(|c| c as f32),
        experts: k.experts()?,
        sampling: sampling(dir)?,
        encoder,
        audio: speech::read(&k, dir, [layers, heads, vocab])?,
    };
    let biased = k.biased()?;
    Ok(Config { model, family, tied, biased })
}

impl Keys<'_> {
    /// Modules that the configuration promises biases for. Experts have none, whatever it says.
    fn biased(&self) -> Result<Vec<(&'static str, &'static str)>, ModelError> {
        let mut all = Vec::new();
        if self.switch("attention_bias")? == Some(true) {
            all.extend(self.family.attention_biases.iter().map(|m| (*m, ATTENTION_BIAS)));
        }
        if self.switch("mlp_bias")? == Some(true) && self.family.experts.is_none() {
            all.extend(["ffn.gate", "ffn.up", "ffn.down"].map(|m| (m, MLP_BIAS)));
        }
        Ok(all)
    }

    /// What would change the computation and has no place in [`ModelConfig`].
    fn refuse_unsupported(&self) -> Result<(), ModelError> {
        let f = &self.fields;
        for name in ["hidden_activation", "hidden_act", "activation_function", "activation"] {
            match f.str(name)? {
                Some(a) if self.family.activations.contains(&a) => break,
                Some(_) => return Err(f.bad(name, format!("one of {:?}", self.family.activations), OTHER)),
                None => {}
            }
        }
        if f.str("position_embedding_type")?.is_some_and(|t| t != "absolute") {
            return Err(f.bad("position_embedding_type", "`absolute`", OTHER));
        }
        if self.family.encoder.is_some() && f.bool("is_decoder")? == Some(true) {
            return Err(f.bad("is_decoder", "false", OTHER));
        }
        if f.bool("use_bidirectional_attention")? == Some(true) {
            return Err(f.bad("use_bidirectional_attention", "false", OTHER));
        }
        if f.list("mlp_only_layers")?.is_some_and(|l| !l.is_empty()) {
            return Err(f.bad("mlp_only_layers", "empty", OTHER));
        }
        for (name, wanted) in self.family.fixed {
            let Some(v) = f.get(name).filter(|v| !v.is_null()) else { continue };
            let (holds, wanted) = match wanted {
                Fixed::Switch(b) => (v.as_bool() == Some(*b), b.to_string()),
                Fixed::Number(n) => (v.as_f64() == Some(*n), n.to_string()),
                Fixed::Nothing => (false, "null".into()),
            };
            if !holds {
                return Err(f.bad(name, wanted, OTHER));
            }
        }
        match f.uint("decoder_sparse_step", u64::MAX)? {
            None | Some(1) => Ok(()),
            Some(_) => Err(f.bad("decoder_sparse_step", "1", OTHER)),
        }
    }

    /// What an encoder has beside, with what the files of sentence-transformers say of it; and that of a decoder that has such files.
    fn encoder(&self, dir: &Directory, context: u32) -> Result<Option<EncoderConfig>, ModelError> {
        let bare = EncoderConfig {
            positions: 0,
            first_position: 0,
            segments: 0,
            distance_buckets: 0,
            max_tokens: context,
            pooling: Pooling::Mean,
            normalize: Normalize::No,
            letters: Letters::Kept,
            prompts: Vec::new(),
            default_prompt: None,
            purpose: Purpose::Vectors,
        };
        let Some(fields) = self.family.encoder else {
            return if sentence::is_there(dir) { sentence::read(dir, bare).map(Some) } else { Ok(None) };
        };
        let count =
            |name: Option<&str>, max| name.map_or(Ok(0), |n| self.whole(n, max).map(|n| n.unwrap_or(0)));
        // Positions begin after the padding token's row.
        let first = match fields.padding {
            Some(name) => self.whole(name, MAX_VOCAB)?.ok_or_else(|| self.missing(name))? + 1,
            None => 0,
        };
        let positions = if self.family.places("positions") { context } else { 0 };
        if positions != 0 && positions <= first {
            let field = self.family.sizes.context;
            return Err(self.fields.bad(
                field,
                format!("above {first}, the row of the first position"),
                COMPLETE,
            ));
        }
        let encoder = EncoderConfig {
            positions,
            first_position: first,
            segments: count(fields.segments, MAX_VOCAB)?,
            distance_buckets: count(fields.buckets, MAX_VOCAB)?,
            max_tokens: context - first,
            purpose: self.purpose(fields.classifier)?,
            ..bare
        };
        sentence::read(dir, encoder).map(Some)
    }

    /// A classifier of one label scores pairs; of more it is something else.
    fn purpose(&self, classifier: Classifier) -> Result<Purpose, ModelError> {
        const LABELS: &str = "num_labels";
        const KINDS: &str = "architectures";
        let classifies =
            |v: &serde_json::Value| v.as_str().is_some_and(|s| s.ends_with("ForSequenceClassification"));
        if !self.fields.list(KINDS)?.is_some_and(|all| all.iter().any(classifies)) {
            return Ok(Purpose::Vectors);
        }
        if classifier == Classifier::Other {
            return Err(self.fields.bad(KINDS, "an encoder without a classifier, in this type", OTHER));
        }
        let named = self.fields.object("id2label")?.map(|labels| labels.names().count() as u64);
        match self.fields.uint(LABELS, u64::MAX)?.or(named) {
            Some(1) => Ok(Purpose::Score),
            _ => Err(self.fields.bad(LABELS, "1 (id2label): rerankers have one label", OTHER)),
        }
    }

    fn kv_heads(&self, heads: u32) -> Result<u32, ModelError> {
        const NAME: &str = "num_key_value_heads";
        match self.whole(NAME, MAX_HEADS)?.unwrap_or(heads) {
            n if n == 0 || !heads.is_multiple_of(n) => {
                Err(self.fields.bad(NAME, format!("a divisor of the {heads} query heads"), COMPLETE))
            }
            n => Ok(n),
        }
    }

    fn head_dim(&self, hidden: u32, heads: u32) -> Result<u32, ModelError> {
        const NAME: &str = "head_dim";
        match self.whole(NAME, MAX_WIDTH)? {
            Some(0) => Err(self.fields.bad(NAME, "above 0", COMPLETE)),
            Some(n) => Ok(n),
            None if hidden.is_multiple_of(heads) => Ok(hidden / heads),
            None => {
                let wanted = format!("there, as {heads} heads do not divide the width of {hidden}");
                Err(self.fields.bad(NAME, wanted, COMPLETE))
            }
        }
    }

    /// Which layers rotate queries and keys, `None` where all do.
    fn roped(&self, layers: u32) -> Result<Option<Vec<bool>>, ModelError> {
        const LIST: &str = "no_rope_layers";
        let Unroped::Every(interval) = self.family.unroped else { return Ok(None) };
        // The list's name says the opposite of what it means: 1 marks a layer with RoPE.
        if let Some(list) = self.fields.list(LIST)? {
            let roped: Option<Vec<bool>> =
                list.iter().map(|v| v.as_u64().map(|n| n != 0).or(v.as_bool())).collect();
            return match roped {
                Some(r) if r.len() == layers as usize => Ok(Some(r)),
                _ => Err(self.fields.bad(LIST, format!("0 or 1 for each of {layers} layers"), COMPLETE)),
            };
        }
        let interval = match self.fields.uint("no_rope_layer_interval", MAX_LAYERS)?.unwrap_or(interval) {
            0 => return Err(self.fields.bad("no_rope_layer_interval", "above 0", COMPLETE)),
            n => n,
        };
        Ok(Some((1..=u64::from(layers)).map(|i| i % interval != 0).collect()))
    }

    fn attention(
        &self,
        layers: u32,
        context: u32,
        roped: Option<Vec<bool>>,
    ) -> Result<AttentionOptions, ModelError> {
        let most = f64::from(f32::MAX);
        let windowed = self.windowed(layers, roped.as_deref())?;
        let window = self.whole(self.family.window, MAX_CONTEXT.into())?.filter(|w| *w > 0);
        // A window that holds the whole context is none. (In an encoder it lies on both sides, and says how its layers rotate.)
        let holds = |w: &u32| *w >= context && self.family.encoder.is_none();
        let sliding_window = window.filter(|w| !holds(w) && windowed.contains(&true));
        let scalar = self.number("query_pre_attn_scalar", 0.0, most)?;
        Ok(AttentionOptions {
            sliding_window,
            windowed: sliding_window.map(|_| windowed),
            local_rope_base: rope::local_base(self)?,
            roped,
            scale: scalar.map(|s| s.powf(-0.5) as f32),
            softcap: self.number("attn_logit_softcapping", 0.0, MAX_CAP.into())?.map(|c| c as f32),
        })
    }

    /// Which layers are windowed in a model with a window.
    fn windowed(&self, layers: u32, roped: Option<&[bool]>) -> Result<Vec<bool>, ModelError> {
        const TYPES: &str = "layer_types";
        let f = &self.fields;
        let switched = f.bool("use_sliding_window")?.unwrap_or(false);
        let rule = match self.family.windows {
            Windows::Never => return Ok(vec![false; layers as usize]),
            Windows::AllIfSwitched | Windows::UpperIfSwitched | Windows::UnropedIfSwitched if !switched => {
                return Ok(vec![false; layers as usize]);
            }
            rule => rule,
        };
        if let Some(list) = f.list(TYPES)? {
            let kind = |v: &Value| match v.as_str() {
                Some("sliding_attention") => Some(true),
                Some("full_attention") => Some(false),
                _ => None,
            };
            let all: Option<Vec<bool>> = list.iter().map(kind).collect();
            return all.filter(|w| w.len() == layers as usize).ok_or_else(|| {
                f.bad(
                    TYPES,
                    format!("`sliding_attention` or `full_attention` for each of {layers} layers"),
                    OTHER,
                )
            });
        }
        let layers = 0..u64::from(layers);
        Ok(match rule {
            Windows::UpperIfSwitched => {
                let first = f.uint("max_window_layers", MAX_LAYERS)?.unwrap_or(28);
                layers.map(|i| i >= first).collect()
            }
            Windows::UnropedIfSwitched => {
                layers.map(|i| roped.and_then(|r| r.get(i as usize)) == Some(&false)).collect()
            }
            Windows::AllButEvery(n) => match f.uint("sliding_window_pattern", MAX_LAYERS)?.unwrap_or(n) {
                0 => return Err(f.bad("sliding_window_pattern", "above 0", COMPLETE)),
                n => layers.map(|i| (i + 1) % n != 0).collect(),
            },
            Windows::AllButFirstOf(n) => {
                const EVERY: &str = "global_attn_every_n_layers";
                match f.uint(EVERY, MAX_LAYERS)?.unwrap_or(n) {
                    0 => return Err(f.bad(EVERY, "above 0", COMPLETE)),
                    n => layers.map(|i| i % n != 0).collect(),
                }
            }
            _ => layers.map(|_| true).collect(),
        })
    }

    fn experts(&self) -> Result<Option<ExpertsConfig>, ModelError> {
        const USED: &str = "num_experts_per_tok";
        let Some(fields) = self.family.experts else { return Ok(None) };
        let count = self.count(fields.count, MAX_EXPERTS)?;
        let used = self.count(USED, MAX_EXPERTS)?;
        if used > count {
            return Err(self.fields.bad(USED, format!("at most the {count} experts"), COMPLETE));
        }
        let normalized = match fields.normalized {
            None => true,
            Some(name) => self.fields.bool(name)?.unwrap_or(false),
        };
        Ok(Some(ExpertsConfig { count, used, ffn: self.count(fields.ffn, MAX_WIDTH)?, normalized }))
    }
}

/// The author's sampling settings; they count only where sampling is what the author wants.
fn sampling(dir: &Directory) -> Result<SamplingDefaults, ModelError> {
    let file = dir.json(GENERATION)?;
    let f = file.fields();
    if f.bool("do_sample")? != Some(true) {
        return Ok(SamplingDefaults::default());
    }
    Ok(SamplingDefaults {
        temperature: f.float("temperature", -1e-9, 100.0)?.map(|t| t.max(0.0) as f32),
        min_p: f.float("min_p", -1e-9, 1.0)?.map(|p| p.max(0.0) as f32),
        top_k: f.uint("top_k", u32::MAX.into())?.map(|k| k as u32),
        top_p: f.float("top_p", -1e-9, 1.0)?.map(|p| p.max(0.0) as f32),
        repeat_penalty: f.float("repetition_penalty", 0.0, 100.0)?.map(|p| p as f32),
    })
}
