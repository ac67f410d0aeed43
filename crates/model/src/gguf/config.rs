//! A model's configuration from GGUF metadata: keys `{arch}.*` for whatever architecture the file names.

use super::file::GgufFile;
use super::names::{ENCODERS, ROPE_FACTORS, ROPE_FREQS, WIDE_SCORES, rope_pairing};
use super::shown;
use super::vectors::{self, CAUSAL, POOLING};
use crate::ModelError;
use crate::config::{
    AttentionOptions, EncoderConfig, ExpertsConfig, Letters, ModelConfig, Normalize, Pooling, Purpose,
    RopeConfig, RopeScaling, SamplingDefaults,
};
use crate::limits::{
    MAX_CAP, MAX_CONTEXT, MAX_ROPE_BASE, MAX_ROPE_FACTOR, MAX_ROPE_MAGNITUDE, MAX_ROPE_TURNS, MIN_ROPE_BASE,
    MIN_ROPE_DIVISOR, is_rope_divisor, is_rope_factor, max_original_context,
};
use akunu_kernels::DType;

const CONVERT: &str = "convert the model anew with llama.cpp's convert_hf_to_gguf.py";
const DAMAGED: &str = "the file is damaged or badly converted, fetch it again";
/// Base of the frequency series where the file does not say: that of the RoPE paper, as llama.cpp takes it.
const DEFAULT_ROPE_BASE: f32 = 10_000.0;

// Limits far above any model, low enough that products of any two fit in 64 bits without thought.
const MAX_LAYERS: u32 = 1 << 14;
const MAX_HEADS: u32 = 1 << 14;
const MAX_WIDTH: u32 = 1 << 24;
const MAX_VOCAB: u64 = 1 << 26;

/// Reads and checks the configuration.
pub(super) fn read(file: &GgufFile) -> Result<ModelConfig, ModelError> {
    const ARCH: &str = "general.architecture";
    let arch = file.get_str(ARCH)?.ok_or_else(|| missing(file, ARCH, CONVERT))?;
    let k = Keys { file, arch };
    k.refuse_unsupported()?;
    let layers = k.count("block_count", MAX_LAYERS)?;
    let hidden = k.count("embedding_length", MAX_WIDTH)?;
    let heads = k.count("attention.head_count", MAX_HEADS)?;
    let kv_heads = k.kv_heads(heads)?;
    let head_dim = k.head_dim(hidden, heads)?;
    let context = k.count("context_length", MAX_CONTEXT)?;
    Ok(ModelConfig {
        encoder: k.encoder(context)?,
        audio: None,
        layers,
        hidden,
        heads,
        kv_heads,
        head_dim,
        ffn: k.count("feed_forward_length", MAX_WIDTH)?,
        vocab: k.vocab()?,
        context,
        norm_eps: k.norm_eps()?,
        rope: k.rope(head_dim)?,
        attention: k.attention(layers, hidden, heads)?,
        logits_softcap: k.float("final_logit_softcapping", 0.0, MAX_CAP)?,
        experts: k.experts()?,
        sampling: sampling(file)?,
        name: file.get_str("general.name")?.map(Into::into),
        arch: arch.into(),
    })
}

fn missing(file: &GgufFile, key: &str, remedy: &'static str) -> ModelError {
    ModelError::MissingKey { path: file.path().into(), key: key.into(), remedy }
}

fn bad(
    file: &GgufFile,
    key: String,
    found: String,
    limits: impl Into<String>,
    remedy: &'static str,
) -> ModelError {
    ModelError::BadValue { path: file.path().into(), key, found, limits: limits.into(), remedy }
}

/// The file, seen through its architecture's prefix.
struct Keys<'a> {
    file: &'a GgufFile,
    arch: &'a str,
}

impl Keys<'_> {
    fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.arch)
    }

    fn bad(&self, name: &str, found: impl ToString, limits: impl Into<String>) -> ModelError {
        bad(self.file, self.key(name), found.to_string(), limits, DAMAGED)
    }

    /// What would change the computation and has no place in [`ModelConfig`].
    fn refuse_unsupported(&self) -> Result<(), ModelError> {
        const USE: &str = "use a model without shared experts; they do not run yet";
        const SHARED: &str = "expert_shared_count";
        match self.optional(SHARED, u32::MAX)? {
            Some(n) if n > 0 => Err(bad(self.file, self.key(SHARED), n.to_string(), "0 or absent", USE)),
            _ => Ok(()),
        }
    }

    fn attention(&self, layers: u32, hidden: u32, heads: u32) -> Result<AttentionOptions, ModelError> {
        // The two largest Gemmas scale scores by the hidden width of a head's share, which no key says.
        let wide = WIDE_SCORES.contains(&(self.arch, layers));
        Ok(AttentionOptions {
            sliding_window: self.optional("attention.sliding_window", MAX_CONTEXT)?.filter(|w| *w > 0),
            windowed: self.windowed(layers)?,
            local_rope_base: self.rope_base("rope.freq_base_swa")?,
            roped: None,
            scale: match self.float("attention.scale", 0.0, MAX_CAP)? {
                None if wide => Some((heads as f32 / hidden as f32).sqrt()),
                scale => scale,
            },
            softcap: self.float("attn_logit_softcapping", 0.0, MAX_CAP)?,
        })
    }

    /// Which layers are windowed: a list, or the length of a pattern whose last layer is not.
    fn windowed(&self, layers: u32) -> Result<Option<Vec<bool>>, ModelError> {
        const NAME: &str = "attention.sliding_window_pattern";
        let Some(value) = self.file.get(&self.key(NAME)) else { return Ok(None) };
        let wrong = || {
            self.bad(NAME, value.to_string(), format!("a number, or one bool for each of {layers} layers"))
        };
        if let Some(list) = value.as_array() {
            let list: Option<Vec<bool>> = list.iter().map(|v| v.as_bool()).collect();
            return list.filter(|l| l.len() == layers as usize).map(Some).ok_or_else(wrong);
        }
        match value.as_u64() {
            Some(0) => Ok(None),
            Some(n) => Ok(Some((0..u64::from(layers)).map(|i| i % n != n - 1).collect())),
            None => Err(wrong()),
        }
    }

    fn experts(&self) -> Result<Option<ExpertsConfig>, ModelError> {
        const USED: &str = "expert_used_count";
        let Some(count) = self.optional("expert_count", MAX_HEADS)?.filter(|n| *n > 0) else {
            return Ok(None);
        };
        let used = self.count(USED, MAX_HEADS)?;
        if used > count {
            return Err(self.bad(USED, used, format!("at most the {count} experts")));
        }
        let ffn = match self.optional("expert_feed_forward_length", MAX_WIDTH)?.filter(|n| *n > 0) {
            Some(n) => n,
            None => self.count("feed_forward_length", MAX_WIDTH)?,
        };
        let key = self.key("expert_weights_norm");
        let normalized = match self.file.get(&key) {
            None => true,
            Some(v) => {
                v.as_bool().ok_or_else(|| self.bad("expert_weights_norm", v.to_string(), "true or false"))?
            }
        };
        Ok(Some(ExpertsConfig { count, used, ffn, normalized }))
    }

    /// A count that must be there, from 1 to `max`.
    fn count(&self, name: &str, max: u32) -> Result<u32, ModelError> {
        match self.optional(name, max)? {
            None => Err(missing(self.file, &self.key(name), CONVERT)),
            Some(0) => Err(self.bad(name, 0, format!("from 1 to {max}"))),
            Some(n) => Ok(n),
        }
    }

    /// A number up to `max`. Some converters write one per layer; those must all be equal.
    fn optional(&self, name: &str, max: u32) -> Result<Option<u32>, ModelError> {
        let key = self.key(name);
        let n = match self.file.get(&key).and_then(|v| v.as_array()) {
            None => self.file.get_u32(&key)?,
            Some(per_layer) => {
                let mut all = per_layer.iter().map(|v| v.as_u64().and_then(|n| u32::try_from(n).ok()));
                let first = all.next().flatten();
                if first.is_none() || all.any(|n| n != first) {
                    const USE: &str = "layers of different sizes do not run yet; use another model";
                    return Err(bad(self.file, key, per_layer.to_string(), "the same for every layer", USE));
                }
                first
            }
        };
        match n {
            Some(n) if n > max => Err(self.bad(name, n, format!("at most {max}"))),
            n => Ok(n),
        }
    }

    /// A finite number within `(low, high]`.
    fn float(&self, name: &str, low: f32, high: f32) -> Result<Option<f32>, ModelError> {
        match self.file.get_f32(&self.key(name))? {
            Some(v) if !(v > low && v <= high) => {
                Err(self.bad(name, v, format!("above {low} and at most {high}")))
            }
            v => Ok(v),
        }
    }

    fn kv_heads(&self, heads: u32) -> Result<u32, ModelError> {
        const NAME: &str = "attention.head_count_kv";
        match self.optional(NAME, MAX_HEADS)?.unwrap_or(heads) {
            n if n == 0 || !heads.is_multiple_of(n) => {
                Err(self.bad(NAME, n, format!("a divisor of the {heads} query heads")))
            }
            n => Ok(n),
        }
    }

    fn head_dim(&self, hidden: u32, heads: u32) -> Result<u32, ModelError> {
        const KEY: &str = "attention.key_length";
        const VALUE: &str = "attention.value_length";
        let even = |name: &str, n: u32| match n {
            0 => Err(self.bad(name, n, "at least 1")),
            n if n % 2 != 0 => Err(self.bad(name, n, "even, because RoPE rotates pairs")),
            n => Ok(n),
        };
        let key = match self.optional(KEY, MAX_HEADS)? {
            Some(n) => even(KEY, n)?,
            None if !hidden.is_multiple_of(heads) => {
                return Err(self.bad(
                    "embedding_length",
                    hidden,
                    format!("a multiple of the {heads} heads ({})", self.key("attention.head_count")),
                ));
            }
            None if hidden / heads > MAX_HEADS => {
                return Err(self.bad("embedding_length", hidden, format!("at most {MAX_HEADS} per head")));
            }
            None => even("embedding_length", hidden / heads)?,
        };
        match self.optional(VALUE, MAX_HEADS)? {
            Some(v) if v != key => {
                const USE: &str = "values narrower or wider than keys do not run yet; use another model";
                Err(bad(
                    self.file,
                    self.key(VALUE),
                    v.to_string(),
                    format!("{key} like {}", self.key(KEY)),
                    USE,
                ))
            }
            _ => Ok(key),
        }
    }

    /// Rows of the embedding; in a file without tensors the `vocab_size` key, or else the token list. The key counts
    /// either the rows or the tokens: some embeddings have more rows than there are tokens.
    fn vocab(&self) -> Result<u32, ModelError> {
        const TOKENS: &str = "tokenizer.ggml.tokens";
        const EMBED: &str = "token_embd.weight";
        let tokens = self.file.get_len(TOKENS)?;
        let key = self.key("vocab_size");
        let stated = self.file.get_u64(&key)?;
        let rows = self.file.tensor(EMBED).map(|t| t.rows()).or(stated).or(tokens);
        let Some(rows) = rows else { return Err(missing(self.file, &key, CONVERT)) };
        if let Some(n) = stated.filter(|n| *n != rows && Some(*n) != tokens) {
            let listed = tokens.map_or(String::new(), |t| format!(", or {t}, the tokens in `{TOKENS}`"));
            let limits = format!("{rows}, the rows of `{EMBED}`{listed}");
            return Err(bad(self.file, key, n.to_string(), limits, DAMAGED));
        }
        if let Some(n) = tokens.filter(|n| *n > rows) {
            return Err(bad(
                self.file,
                TOKENS.into(),
                format!("{n} tokens"),
                format!("at most {rows}, the rows of the embedding"),
                DAMAGED,
            ));
        }
        match u32::try_from(rows) {
            Ok(n) if n > 0 && rows <= MAX_VOCAB => Ok(n),
            _ => Err(bad(
                self.file,
                key,
                rows.to_string(),
                format!("from 1 to {MAX_VOCAB} (rows of `{EMBED}`)"),
                DAMAGED,
            )),
        }
    }

    /// What an encoder's keys say, or a decoder's that name a pooling: files do that by a number, and vectors are normalized.
    fn encoder(&self, context: u32) -> Result<Option<EncoderConfig>, ModelError> {
        let (encoder, named) = (ENCODERS.contains(&self.arch), self.optional(POOLING, u32::MAX)?);
        // (A decoder that scores pairs is still a decoder.)
        if !encoder && named.and_then(vectors::pooling).is_none() {
            return Ok(None);
        }
        if self.file.get_bool(&self.key(CAUSAL))? == Some(encoder) {
            let (found, wanted) =
                if encoder { ("true", "false or absent") } else { ("false", "true or absent") };
            return Err(self.bad(CAUSAL, found, wanted));
        }
        let wrong = |n| self.bad(POOLING, n, "1 (mean), 2 (first token) or 3 (last token)");
        let pooling = match named {
            None => Pooling::Mean,
            Some(n) => vectors::pooling(n).ok_or_else(|| wrong(n))?,
        };
        let rows = |name: &str| self.file.tensor(name).map(|t| t.rows() as u32);
        let c = EncoderConfig {
            positions: rows("position_embd.weight").unwrap_or(0),
            first_position: 0,
            segments: rows("token_types.weight").unwrap_or(0),
            distance_buckets: 0,
            max_tokens: context,
            pooling,
            normalize: Normalize::L2,
            letters: Letters::Kept,
            prompts: Vec::new(),
            default_prompt: None,
            purpose: Purpose::Vectors,
        };
        vectors::read(self.file, c).map(Some)
    }

    fn norm_eps(&self) -> Result<f32, ModelError> {
        let encoder = ENCODERS.contains(&self.arch);
        let name = if encoder { "attention.layer_norm_epsilon" } else { "attention.layer_norm_rms_epsilon" };
        const USE: &str = "models with another kind of norm do not run yet; else convert the model anew";
        self.float(name, 0.0, 1.0)?.ok_or_else(|| missing(self.file, &self.key(name), USE))
    }

    fn rope(&self, head_dim: u32) -> Result<RopeConfig, ModelError> {
        const DIM: &str = "rope.dimension_count";
        let dim = self.optional(DIM, MAX_HEADS)?.unwrap_or(head_dim);
        if dim == 0 || dim % 2 != 0 || dim > head_dim {
            return Err(self.bad(DIM, dim, format!("even, from 2 to the head's width of {head_dim}")));
        }
        let base = self.rope_base("rope.freq_base")?.unwrap_or(DEFAULT_ROPE_BASE);
        let (scaling, magnitude) = self.rope_scaling(dim)?;
        Ok(RopeConfig { base, dim, pairing: rope_pairing(self.arch), scaling, magnitude })
    }

    /// The context's extension, and what it makes queries and keys grow by.
    fn rope_scaling(&self, dim: u32) -> Result<(RopeScaling, f32), ModelError> {
        const TYPE: &str = "rope.scaling.type";
        const USE: &str = "this kind of context extension does not run yet; use the model's original context";
        let key = self.key(TYPE);
        let kind = self.file.get_str(&key)?;
        // A factor without a type means linear scaling, as llama.cpp reads it; `scale_linear` is the key's old name.
        let factor = match self.rope_factor("rope.scaling.factor")? {
            None => self.rope_factor("rope.scale_linear")?,
            factor => factor,
        };
        let attn_factor = self.float("rope.scaling.attn_factor", 0.0, MAX_ROPE_MAGNITUDE)?.unwrap_or(1.0);
        let factors = self.rope_factors(ROPE_FREQS, dim)?;
        let long = self.rope_factors(ROPE_FACTORS[0], dim)?.zip(self.rope_factors(ROPE_FACTORS[1], dim)?);
        let original = |most| self.count("rope.scaling.original_context_length", most);
        let needed =
            |f: Option<f32>| f.ok_or_else(|| missing(self.file, &self.key("rope.scaling.factor"), CONVERT));
        Ok(match (kind, factor) {
            (Some("longrope") | None | Some("none"), _) if long.is_some() => {
                let (long, short) = long.unwrap_or_default();
                (
                    RopeScaling::LongFactors { short, long, original_context: original(MAX_CONTEXT)? },
                    attn_factor,
                )
            }
            (Some("none"), _) | (None, None) => {
                (factors.map_or(RopeScaling::None, RopeScaling::Factors), 1.0)
            }
            (Some("linear") | None, f) => {
                let factor = needed(f)?;
                let scaling = match factors {
                    // Both apply at once in such a file, and both divide.
                    Some(v) => {
                        RopeScaling::Factors(v.into_iter().map(|f| (f * factor).min(f32::MAX)).collect())
                    }
                    None if factor == 1.0 => RopeScaling::None,
                    None => RopeScaling::Linear { factor },
                };
                (scaling, 1.0)
            }
            (Some("yarn"), f) => {
                let factor = needed(f)?;
                let (beta_fast, beta_slow) = self.yarn_turns()?;
                let original_context = original(max_original_context(factor))?;
                let scaling = RopeScaling::Yarn { factor, beta_fast, beta_slow, original_context };
                (scaling, attn_factor * (0.1 * factor.ln() + 1.0).max(1.0))
            }
            (Some(other), _) => {
                let wanted = "`none`, `linear`, `yarn` or `longrope`";
                return Err(bad(self.file, key, shown(other.as_bytes()), wanted, USE));
            }
        })
    }

    fn rope_base(&self, name: &str) -> Result<Option<f32>, ModelError> {
        self.float(name, MIN_ROPE_BASE as f32, MAX_ROPE_BASE as f32)
    }

    /// A factor by which the context is extended.
    fn rope_factor(&self, name: &str) -> Result<Option<f32>, ModelError> {
        match self.file.get_f32(&self.key(name))? {
            Some(f) if !is_rope_factor(f) => Err(self.bad(name, f, format!("from 1 to {MAX_ROPE_FACTOR}"))),
            f => Ok(f),
        }
    }

    /// How often frequencies turn that stay, and that are divided, over YaRN's original context.
    fn yarn_turns(&self) -> Result<(f32, f32), ModelError> {
        const FAST: &str = "rope.scaling.yarn_beta_fast";
        const SLOW: &str = "rope.scaling.yarn_beta_slow";
        let fast = self.float(FAST, 0.0, MAX_ROPE_TURNS)?.unwrap_or(32.0);
        let slow = self.float(SLOW, 0.0, MAX_ROPE_TURNS)?.unwrap_or(1.0);
        if fast < slow {
            return Err(self.bad(FAST, fast, format!("at least {slow}, which {} is", self.key(SLOW))));
        }
        Ok((fast, slow))
    }

    /// One divisor per frequency, `[dim / 2]` f32, from a tensor that such files carry.
    fn rope_factors(&self, name: &str, dim: u32) -> Result<Option<Vec<f32>>, ModelError> {
        let Some(t) = self.file.tensor(name) else { return Ok(None) };
        let wanted = u64::from(dim / 2);
        let bad = |found: String, limits: String| ModelError::BadTensor {
            path: self.file.path_of(t).into(),
            tensor: t.name().into(),
            found,
            limits,
            remedy: DAMAGED,
        };
        let is_f32 = t.type_id() == DType::F32 as u32;
        if !is_f32 || t.rows() != 1 || t.cols() != wanted {
            let kind = t.tensor_type().map_or("unknown", |t| t.name);
            return Err(bad(format!("{:?} of {kind}", t.dims()), format!("[{wanted}] of F32")));
        }
        // At most MAX_HEADS / 2 numbers.
        let mut bytes = vec![0; usize::try_from(wanted * 4).unwrap_or(0)];
        self.file.read(t, 0, &mut bytes)?;
        let (words, _) = bytes.as_chunks::<4>();
        let factors: Vec<f32> = words.iter().map(|b| f32::from_le_bytes(*b)).collect();
        match factors.iter().enumerate().find(|(_, f)| !is_rope_divisor(**f)) {
            Some((i, f)) => {
                Err(bad(format!("factor {i} is {f}"), format!("finite and at least {MIN_ROPE_DIVISOR}")))
            }
            None => Ok(Some(factors)),
        }
    }
}

fn sampling(file: &GgufFile) -> Result<SamplingDefaults, ModelError> {
    let get = |key: &str, high: f32| match file.get_f32(key)? {
        Some(v) if !(0.0..=high).contains(&v) => {
            Err(bad(file, key.into(), v.to_string(), format!("from 0 to {high}"), DAMAGED))
        }
        v => Ok(v),
    };
    Ok(SamplingDefaults {
        temperature: get("general.sampling.temp", 100.0)?,
        min_p: get("general.sampling.min_p", 1.0)?,
        top_k: file.get_i64("general.sampling.top_k")?.map(|k| u32::try_from(k.max(0)).unwrap_or(u32::MAX)),
        top_p: get("general.sampling.top_p", 1.0)?,
        repeat_penalty: get("general.sampling.penalty_repeat", 100.0)?.filter(|p| *p > 0.0),
    })
}
