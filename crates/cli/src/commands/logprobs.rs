//! Log-probabilities of an answer, as JSON and for people.

use crate::error::CliError;
use crate::output::Output;
use akunu::{LogProbs, Model, Token};
use serde_json::{Value, json};

/// A list of tokens, each with the likeliest in its place.
pub(super) fn list(model: &Model, all: &[LogProbs]) -> Value {
    let one = |(token, log_prob): (Token, f32)| json!({ "id": token.0, "text": text(model, token), "logprob": log_prob });
    let entry = |l: &LogProbs| {
        let mut v = one((l.token(), l.log_prob()));
        v["top"] = l.top().map(one).collect();
        v
    };
    all.iter().map(entry).collect()
}

/// A line for each token: what was drawn, its log-probability and probability, and the likeliest.
pub(super) fn print(model: &Model, all: &[LogProbs], out: &Output) -> Result<(), CliError> {
    let shown = |token: Token| format!("{:?}", text(model, token));
    let width = all.iter().map(|l| shown(l.token()).chars().count()).max().unwrap_or(0);
    out.line("")?;
    for l in all {
        let percent = f64::from(l.log_prob()).exp() * 100.0;
        let mut line = format!("{:width$} {:9.4} {percent:7.2}%", shown(l.token()), l.log_prob());
        for (token, log_prob) in l.top() {
            line += &format!("  {} {log_prob:.4}", shown(token));
        }
        out.line(&line)?;
    }
    Ok(())
}

/// A token's text, or how the vocabulary writes it where it has none.
fn text(model: &Model, token: Token) -> String {
    let Ok(tokenizer) = model.tokenizer() else { return String::new() };
    match tokenizer.token_text(token).filter(|_| tokenizer.is_control(token)) {
        Some(name) => name.to_owned(),
        None => String::from_utf8_lossy(tokenizer.token_bytes(token)).into_owned(),
    }
}
