//! A model's configuration from GGUF metadata: keys `{arch}.*` for whatever architecture the file names.

use super::file::GgufFile;
use super::names::{ROPE_FREQS, rope_pairing};
use super::shown;
use crate::ModelError;
use crate::config::{AttentionOptions, ModelConfig, RopeConfig, RopeScaling, SamplingDefaults};
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
const MAX_CONTEXT: u32 = 1 << 30;

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
    Ok(ModelConfig {
        layers,
        hidden,
        heads,
        kv_heads,
        head_dim,
        ffn: k.count("feed_forward_length", MAX_WIDTH)?,
        vocab: k.vocab()?,
        context: k.count("context_length", MAX_CONTEXT)?,
        norm_eps: k.norm_eps()?,
        rope: k.rope(head_dim)?,
        attention: AttentionOptions {
            sliding_window: k.optional("attention.sliding_window", MAX_CONTEXT)?.filter(|w| *w > 0),
            ..AttentionOptions::default()
        },
        logits_softcap: None,
        experts: None,
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
        const USE: &str = "use a dense model; mixtures of experts do not run yet";
        match self.optional("expert_count", u32::MAX)? {
            Some(n) if n > 0 => {
                Err(bad(self.file, self.key("expert_count"), n.to_string(), "0 or absent", USE))
            }
            _ => Ok(()),
        }
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

    /// Rows of the embedding; in a file without tensors the `vocab_size` key, or else the token list.
    fn vocab(&self) -> Result<u32, ModelError> {
        const TOKENS: &str = "tokenizer.ggml.tokens";
        const EMBED: &str = "token_embd.weight";
        let tokens = self.file.get_len(TOKENS)?;
        let key = self.key("vocab_size");
        let rows = match self.file.tensor(EMBED) {
            Some(t) => Some(t.rows()),
            None => self.file.get_u64(&key)?.or(tokens),
        };
        let Some(rows) = rows else { return Err(missing(self.file, &key, CONVERT)) };
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

    fn norm_eps(&self) -> Result<f32, ModelError> {
        const NAME: &str = "attention.layer_norm_rms_epsilon";
        const USE: &str = "models with another kind of norm do not run yet; else convert the model anew";
        self.float(NAME, 0.0, 1.0)?.ok_or_else(|| missing(self.file, &self.key(NAME), USE))
    }

    fn rope(&self, head_dim: u32) -> Result<RopeConfig, ModelError> {
        const DIM: &str = "rope.dimension_count";
        let dim = self.optional(DIM, MAX_HEADS)?.unwrap_or(head_dim);
        if dim == 0 || dim % 2 != 0 || dim > head_dim {
            return Err(self.bad(DIM, dim, format!("even, from 2 to the head's width of {head_dim}")));
        }
        let base = self.float("rope.freq_base", 0.0, f32::MAX)?.unwrap_or(DEFAULT_ROPE_BASE);
        let factor = self.linear_factor()?;
        let scaling = match self.rope_factors(dim)? {
            // Both apply at once in such a file, and both divide.
            Some(f) => RopeScaling::Factors(f.into_iter().map(|f| f * factor.unwrap_or(1.0)).collect()),
            None => factor.map_or(RopeScaling::None, |factor| RopeScaling::Linear { factor }),
        };
        Ok(RopeConfig { base, dim, pairing: rope_pairing(self.arch), scaling, magnitude: 1.0 })
    }

    /// The divisor of linear scaling, `None` where there is none.
    fn linear_factor(&self) -> Result<Option<f32>, ModelError> {
        const TYPE: &str = "rope.scaling.type";
        const USE: &str = "this kind of context extension does not run yet; use the model's original context";
        let key = self.key(TYPE);
        let kind = self.file.get_str(&key)?;
        // A factor without a type means linear scaling, as llama.cpp reads it; `scale_linear` is the key's old name.
        let factor = match self.float("rope.scaling.factor", 0.0, f32::MAX)? {
            None => self.float("rope.scale_linear", 0.0, f32::MAX)?,
            factor => factor,
        };
        match (kind, factor) {
            (Some("none"), _) | (None, None) => Ok(None),
            (Some("linear") | None, Some(f)) => Ok(Some(f).filter(|f| *f != 1.0)),
            (Some("linear"), None) => Err(missing(self.file, &self.key("rope.scaling.factor"), CONVERT)),
            (Some(other), _) => Err(bad(self.file, key, shown(other.as_bytes()), "`none` or `linear`", USE)),
        }
    }

    /// One divisor per frequency, `[dim / 2]` f32, from the tensor that Llama 3.1 files carry.
    fn rope_factors(&self, dim: u32) -> Result<Option<Vec<f32>>, ModelError> {
        let Some(t) = self.file.tensor(ROPE_FREQS) else { return Ok(None) };
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
        match factors.iter().enumerate().find(|(_, f)| !(f.is_finite() && **f > 0.0)) {
            Some((i, f)) => Err(bad(format!("factor {i} is {f}"), "finite and above 0".into())),
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
    })
}
