//! A tokenizer as `tokenizer.ggml.*`.

use crate::gguf::write::MetadataValue;
use crate::tokenizer::{
    AddBos, ExtraSpaces, FimRole, MARKED_BPE, SpacePrefix, TokenType, TokenizerData, UNIGRAM,
    UNIGRAM_IN_FILE, WORD_PIECES, WordRules,
};
use std::collections::HashMap;

/// Score of a token that no merge makes: below those of all merges.
const UNMERGED: f32 = -1e9;
/// Score of a hole in a unigram model's vocabulary.
const HOLE: f32 = -10_000.0;

type Entry = (&'static str, MetadataValue);

/// The entries, with a token for each of the embedding's `rows`. `Err` is what a file cannot say.
pub(super) fn metadata(t: &TokenizerData, rows: u32) -> Result<Vec<Entry>, String> {
    let holes = t.tokens.len()..rows as usize;
    let pieces = t.model == WORD_PIECES;
    let text = |(text, kind): (&String, &TokenType)| if pieces { marked(text, *kind) } else { text.clone() };
    let tokens = t.tokens.iter().zip(&t.types).map(text).chain(holes.clone().map(|i| format!("[PAD{i}]")));
    let types = t.types.iter().copied().chain(holes.clone().map(|_| TokenType::Unused));
    // A file has no merges for text with marked spaces: the order of merges becomes a score.
    let marked = t.model == MARKED_BPE;
    let model = match &*t.model {
        MARKED_BPE => "llama",
        UNIGRAM => UNIGRAM_IN_FILE,
        other => other,
    };
    let mut out: Vec<Entry> = vec![
        ("tokenizer.ggml.model", model.into()),
        ("tokenizer.ggml.tokens", MetadataValue::strings(tokens)),
        ("tokenizer.ggml.token_type", MetadataValue::i32s(types.map(type_id))),
        ("tokenizer.ggml.add_bos_token", (t.add_bos == AddBos::Yes).into()),
        ("tokenizer.ggml.add_space_prefix", (t.space_prefix != SpacePrefix::None).into()),
    ];
    let named = marked || pieces || t.model == UNIGRAM;
    if let Some(pre) = t.pre.as_deref().or(named.then_some("default")) {
        out.push(("tokenizer.ggml.pre", pre.into()));
    }
    let mut scores = if marked { scores_of_merges(t) } else { t.scores.clone() };
    let mut hole = UNMERGED;
    if t.model == UNIGRAM {
        scores = unigram(t, &mut out)?;
        hole = HOLE;
    }
    if !scores.is_empty() {
        scores.resize(holes.end.max(scores.len()), hole);
        out.push(("tokenizer.ggml.scores", MetadataValue::f32s(scores)));
    }
    if pieces {
        word_rules(t.words.unwrap_or(WordRules::UNCASED), &mut out)?;
    }
    if !t.merges.is_empty() && !marked {
        out.push(("tokenizer.ggml.merges", MetadataValue::strings(t.merges.iter().map(String::as_str))));
    }
    ids(t, &mut out);
    if let Some(template) = &t.chat_template {
        out.push(("tokenizer.chat_template", template.as_str().into()));
    }
    Ok(out)
}

/// What has a number of its own. A token that ends every text is the first that ends a sequence.
fn ids(t: &TokenizerData, out: &mut Vec<Entry>) {
    let pieces = t.model == WORD_PIECES;
    let suffix = t.suffix.filter(|_| !pieces);
    if suffix.is_some() || t.model == UNIGRAM {
        out.push(("tokenizer.ggml.add_eos_token", suffix.is_some().into()));
    }
    let ends = suffix.into_iter().chain(t.ends.iter().copied().filter(|e| Some(*e) != suffix));
    let keys = ["tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"];
    let around = [("tokenizer.ggml.cls_token_id", t.bos), ("tokenizer.ggml.seperator_token_id", t.suffix)];
    let ids = [("tokenizer.ggml.bos_token_id", t.bos), ("tokenizer.ggml.unknown_token_id", t.unk)]
        .into_iter()
        .chain(keys.into_iter().zip(ends.map(Some)))
        .chain(around.into_iter().filter(|_| pieces))
        .chain(FimRole::ALL.map(|role| (role.key(), t.fim.get(role))));
    out.extend(ids.filter_map(|(key, id)| Some((key, id?.0.into()))));
}

/// A word piece as files have it: marked where it begins a word, and bare where it goes on.
fn marked(text: &str, kind: TokenType) -> String {
    match text.strip_prefix("##").filter(|t| !t.is_empty()) {
        _ if kind != TokenType::Normal && kind != TokenType::UserDefined => text.into(),
        Some(goes_on) => goes_on.into(),
        None => format!("\u{2581}{text}"),
    }
}

/// What is done to words before they are cut.
fn word_rules(words: WordRules, out: &mut Vec<Entry>) -> Result<(), String> {
    if !words.clean || !words.split_chinese {
        return Err("control characters are kept, or Chinese characters are not cut apart".into());
    }
    out.push(("tokenizer.ggml.normalizer.lowercase", words.lowercase.into()));
    out.push(("tokenizer.ggml.normalizer.strip_accents", words.strip_accents.into()));
    Ok(())
}

/// A unigram model's entries, and its scores.
fn unigram(t: &TokenizerData, out: &mut Vec<Entry>) -> Result<Vec<f32>, String> {
    let rules = t.unigram.as_ref().ok_or("a unigram model without scores")?;
    let file = rules.in_file()?;
    let dropped = file.extra_spaces == ExtraSpaces::Dropped;
    out.push(("tokenizer.ggml.remove_extra_whitespaces", dropped.into()));
    if let Some(table) = file.charsmap {
        out.push(("tokenizer.ggml.precompiled_charsmap", MetadataValue::u8s(table)));
    }
    let mut scores = file.scores;
    scores.resize(t.tokens.len(), 0.0);
    Ok(scores)
}

/// Scores that order merges as their list does: minus the place of the first merge that makes a token.
fn scores_of_merges(t: &TokenizerData) -> Vec<f32> {
    let mut places = HashMap::new();
    for (i, merge) in t.merges.iter().enumerate() {
        places.entry(merge.replacen(' ', "", 1)).or_insert(i);
    }
    t.tokens.iter().map(|text| places.get(text).map_or(UNMERGED, |i| -(*i as f32))).collect()
}

/// The id of a token's type in a file.
const fn type_id(t: TokenType) -> i32 {
    match t {
        TokenType::Normal => 1,
        TokenType::Unknown => 2,
        TokenType::Control => 3,
        TokenType::UserDefined => 4,
        TokenType::Unused => 5,
        TokenType::Byte => 6,
    }
}
