//! How texts become vectors, in GGUF metadata: the format's own keys say which rows count and whether rows see what follows; the rest of what
//! sentence-transformers' files say has no key there, and stands under keys of ours, which other readers pass over.

use super::file::GgufFile;
use super::metadata::MetadataValue;
use crate::ModelError;
use crate::config::{EncoderConfig, Letters, ModelConfig, Normalize, Pooling};
use crate::limits::MAX_CONTEXT;

/// `{arch}.…`: which rows a text's vector is made of.
pub(super) const POOLING: &str = "pooling_type";
/// `{arch}.…`: whether a row sees only those before it.
pub(super) const CAUSAL: &str = "attention.causal";
const POOLINGS: [(u32, Pooling); 3] = [(1, Pooling::Mean), (2, Pooling::Cls), (3, Pooling::Last)];

const MAX_TOKENS: &str = "akunu.vectors.max_tokens";
const NORMALIZED: &str = "akunu.vectors.normalized";
const LOWERED: &str = "akunu.vectors.lowered";
const PROMPT_NAMES: &str = "akunu.vectors.prompt_names";
const PROMPTS: &str = "akunu.vectors.prompts";
const DEFAULT_PROMPT: &str = "akunu.vectors.default_prompt";
const DAMAGED: &str = "the file is damaged or badly converted, convert the model anew";

/// The pooling of a number; `None` for one that is not known.
pub(super) fn pooling(number: u32) -> Option<Pooling> {
    POOLINGS.iter().find(|p| p.0 == number).map(|p| p.1)
}

/// Whether a file says that its model makes vectors.
pub(crate) fn is_said(file: &GgufFile, arch: &str) -> bool {
    let number = file.get_u32(&format!("{arch}.{POOLING}")).ok().flatten();
    number.and_then(pooling).is_some()
}

/// The configuration with what stands under our keys.
pub(super) fn read(file: &GgufFile, mut c: EncoderConfig) -> Result<EncoderConfig, ModelError> {
    let bad = |key: &str, found: String, limits: String| ModelError::BadValue {
        path: file.path().into(),
        key: key.into(),
        found,
        limits,
        remedy: DAMAGED,
    };
    if let Some(n) = file.get_u32(MAX_TOKENS)? {
        if n == 0 || n > MAX_CONTEXT {
            return Err(bad(MAX_TOKENS, n.to_string(), format!("from 1 to {MAX_CONTEXT}")));
        }
        c.max_tokens = c.max_tokens.min(n);
    }
    if file.get_bool(NORMALIZED)? == Some(false) {
        c.normalize = Normalize::No;
    }
    if file.get_bool(LOWERED)? == Some(true) {
        c.letters = Letters::Lowered;
    }
    let list = |key| file.get_strs(key).map(Option::unwrap_or_default);
    let (names, prompts) = (list(PROMPT_NAMES)?, list(PROMPTS)?);
    if names.len() != prompts.len() {
        let limits = format!("{}, one for each of {PROMPT_NAMES}", names.len());
        return Err(bad(PROMPTS, format!("{} prompts", prompts.len()), limits));
    }
    c.prompts = names.into_iter().zip(prompts).map(|(n, p)| (n.into(), p.into())).collect();
    c.default_prompt = file.get_str(DEFAULT_PROMPT)?.map(Into::into);
    Ok(c)
}

/// The metadata of a model that makes vectors; nothing for others.
pub(super) fn metadata(c: &ModelConfig) -> Vec<(String, MetadataValue)> {
    let Some(e) = &c.encoder else { return Vec::new() };
    let mut out: Vec<(String, MetadataValue)> = Vec::new();
    let mut say = |key: String, value: MetadataValue| out.push((key, value));
    if let Some((number, _)) = POOLINGS.iter().find(|p| p.1 == e.pooling) {
        say(format!("{}.{POOLING}", c.arch), (*number).into());
    }
    if super::names::ENCODERS.contains(&&*c.arch) {
        say(format!("{}.{CAUSAL}", c.arch), false.into());
        // Readers want a count where there is no table, too.
        say("tokenizer.ggml.token_type_count".into(), e.segments.max(1).into());
    }
    if e.max_tokens < c.context {
        say(MAX_TOKENS.into(), e.max_tokens.into());
    }
    if e.normalize == Normalize::No {
        say(NORMALIZED.into(), false.into());
    }
    if e.letters == Letters::Lowered {
        say(LOWERED.into(), true.into());
    }
    if !e.prompts.is_empty() {
        say(PROMPT_NAMES.into(), MetadataValue::strings(e.prompts.iter().map(|p| &*p.0)));
        say(PROMPTS.into(), MetadataValue::strings(e.prompts.iter().map(|p| &*p.1)));
    }
    if let Some(name) = &e.default_prompt {
        say(DEFAULT_PROMPT.into(), name.as_str().into());
    }
    out
}
