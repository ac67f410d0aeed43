//! `akunu rerank`: texts sorted by how well they fit a query.

use super::{load, load_options, source};
use crate::args::{Machine, Rerank};
use crate::error::CliError;
use crate::interrupt;
use crate::output::Output;
use crate::text::{Bound, read_text};
use akunu::Overlong;
use serde_json::{Value, json};

/// Texts that are run between two looks for an interrupt.
const PORTION: usize = 256;

/// Runs the command.
pub(crate) fn run(a: &Rerank, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    let (query, texts) = query_and_texts(a)?;
    let source = source(Some(&a.model), None, out)?;
    let model = load(&source, &load_options(machine, &source)?, out)?;
    let mut reranker = model.reranker()?;
    reranker.choose_overlong(if a.truncate { Overlong::Truncate } else { Overlong::Refuse });
    // All that can be refused is, before anything is computed.
    for (i, text) in texts.iter().enumerate() {
        reranker.tokens(i, &query, text)?;
    }
    interrupt::install();
    let (mut ranked, mut tokens) = (Vec::with_capacity(texts.len()), 0);
    for portion in texts.chunks(PORTION) {
        if interrupt::asked() {
            return Ok(interrupt::code());
        }
        let some = reranker.rerank(&query, portion)?;
        tokens += some.tokens.iter().map(|t| u64::from(*t)).sum::<u64>();
        let first = ranked.len();
        ranked.extend(
            some.scores.into_iter().zip(some.logits).enumerate().map(|(i, (s, l))| (first + i, s, l)),
        );
    }
    // (By logits: far from 0 scores are no more told apart.)
    ranked.sort_by(|a, b| b.2.total_cmp(&a.2));
    ranked.truncate(a.top.map_or(usize::MAX, |n| n as usize));
    if out.is_json() {
        let one = |(i, score, logit): &(usize, f32, f32)| json!({ "index": i, "score": score, "logit": logit, "text": texts[*i] });
        let results: Vec<Value> = ranked.iter().map(one).collect();
        out.json(&json!({ "results": results, "tokens": tokens }))?;
    } else {
        for (i, score, _) in &ranked {
            out.line(&format!("{score:.4}  {}", texts[*i]))?;
        }
    }
    Ok(0)
}

/// The query, and the texts: the other arguments, or the lines of a file.
fn query_and_texts(a: &Rerank) -> Result<(String, Vec<String>), CliError> {
    let Some((query, texts)) = a.words.split_first() else {
        return Err(CliError::Usage("give a query, and texts that are to be sorted for it".into()));
    };
    let texts: Vec<String> = match &a.file {
        Some(_) if !texts.is_empty() => {
            let what = "texts are given as arguments and as a file (-f); leave one out";
            return Err(CliError::Usage(what.into()));
        }
        Some(file) => read_text(file, Bound::Corpus)?.lines().map(Into::into).collect(),
        None => texts.to_vec(),
    };
    if texts.is_empty() {
        let what = "give texts after the query, or a file with one a line (-f FILE)";
        return Err(CliError::Usage(what.into()));
    }
    Ok((query.clone(), texts))
}
