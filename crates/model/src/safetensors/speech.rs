//! A model of speech: the encoder's sizes from `config.json`, and what decoding goes by from `generation_config.json`, or from
//! `config.json`, where older files have it.

use super::directory::Directory;
use super::keys::{COMPLETE, GENERATION, Keys, OTHER};
use crate::ModelError;
use crate::config::{AudioConfig, SpeechDecoding};
use crate::json::Fields;
use akunu_kernels::step::Token;

/// Far above any model.
const MAX_MELS: u64 = 1 << 12;
const MAX_POSITIONS: u64 = 1 << 15;
const MAX_LAYERS: u64 = 1 << 14;
/// Entries of the vocabulary of models that know more languages than English.
const MULTILINGUAL_VOCAB: u32 = 51_865;

/// What a family of speech says; `None` for others.
pub(super) fn read(
    k: &Keys<'_>,
    dir: &Directory,
    [layers, heads, vocab]: [u32; 3],
) -> Result<Option<AudioConfig>, ModelError> {
    let Some(fields) = &k.family.audio else { return Ok(None) };
    for (one, other) in fields.equal {
        let other = k.fields.uint(other, u64::MAX)?;
        if k.fields.uint(one, u64::MAX)? != other {
            let wanted = format!("{}, as in the decoder", other.unwrap_or_default());
            return Err(k.fields.bad(one, wanted, OTHER));
        }
    }
    if k.fields.bool("scale_embedding")? == Some(true) {
        return Err(k.fields.bad("scale_embedding", "false", OTHER));
    }
    let file = dir.json(GENERATION)?;
    let generation = file.fields();
    let both = [&generation, &k.fields];
    Ok(Some(AudioConfig {
        mels: k.count(fields.mels, MAX_MELS)?,
        positions: k.count(fields.positions, MAX_POSITIONS)?,
        layers: k.count(fields.layers, MAX_LAYERS)?,
        decoding: SpeechDecoding {
            // (Files before the field: English has one token less.)
            multilingual: generation.bool("is_multilingual")?.unwrap_or(vocab >= MULTILINGUAL_VOCAB),
            suppressed: tokens(both, "suppress_tokens")?,
            suppressed_first: tokens(both, "begin_suppress_tokens")?,
            first_timestamp: generation
                .uint("max_initial_timestamp_index", u32::MAX.into())?
                .map(|n| n as u32),
            alignment_heads: alignment(&generation, layers, heads)?,
        },
    }))
}

/// A list of tokens from the first of the files that has it. (-1 in it stands for a library's own list, which is none here.)
fn tokens(files: [&Fields<'_>; 2], name: &str) -> Result<Vec<Token>, ModelError> {
    for fields in files {
        let Some(list) = fields.list(name)? else { continue };
        let ids = list.iter().filter(|v| v.as_i64() != Some(-1));
        let ids = ids.map(|v| v.as_u64().and_then(|id| u32::try_from(id).ok()).map(Token));
        let ids: Option<Vec<Token>> = ids.collect();
        return ids.ok_or_else(|| fields.bad(name, "a list of tokens' ids", COMPLETE));
    }
    Ok(Vec::new())
}

fn alignment(generation: &Fields<'_>, layers: u32, heads: u32) -> Result<Vec<(u32, u32)>, ModelError> {
    const NAME: &str = "alignment_heads";
    let Some(list) = generation.list(NAME)? else { return Ok(Vec::new()) };
    let pair = |v: &serde_json::Value| {
        let [layer, head] = v.as_array()?.as_slice() else { return None };
        let at = (u32::try_from(layer.as_u64()?).ok()?, u32::try_from(head.as_u64()?).ok()?);
        (at.0 < layers && at.1 < heads).then_some(at)
    };
    let all: Option<Vec<_>> = list.iter().map(pair).collect();
    all.ok_or_else(|| {
        generation.bad(NAME, format!("pairs of one of {layers} layers and {heads} heads"), COMPLETE)
    })
}
