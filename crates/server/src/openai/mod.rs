//! OpenAI's interfaces.

pub(crate) mod audio;
pub(crate) mod chat;
pub(crate) mod completions;
pub(crate) mod embeddings;
pub(crate) mod models;
pub(crate) mod responses;

use crate::generate::Usage;
use akunu::FinishReason;
use serde_json::{Value, json};

/// Why an answer ended, in these interfaces' words.
pub(crate) fn finish_reason(finish: FinishReason) -> &'static str {
    match finish {
        FinishReason::Eos | FinishReason::StopString => "stop",
        _ => "length",
    }
}

fn usage(u: &Usage) -> Value {
    json!({
        "prompt_tokens": u.prompt,
        "completion_tokens": u.completion,
        "total_tokens": u.prompt + u.completion,
        "prompt_tokens_details": { "cached_tokens": u.cached },
        "completion_tokens_details": { "reasoning_tokens": u.thoughts },
    })
}

/// What answers were made by.
const FINGERPRINT: &str = concat!("akunu-", env!("CARGO_PKG_VERSION"));
