//! `/v1/rerank`, as Jina and Cohere have it: texts sorted by how well they fit a query.

use crate::embed::Presence;
use crate::error::ApiError;
use crate::metrics::{Account, Outcome};
use crate::models::Loaded;
use crate::params::{Ask, On};
use crate::reply::{self, Reply};
use crate::request::Incoming;
use akunu::Overlong;
use hyper::Response;
use serde_json::{Map, Value, json};
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};

/// The most texts of a request.
const TEXTS: usize = 2048;
/// Texts between two looks whether the client is still there.
const PORTION: usize = 64;

/// Answers.
pub(crate) async fn answer(request: Incoming) -> Result<Response<Reply>, ApiError> {
    let mut account = Account::new(&request.shared.metrics);
    let presence = Presence::default();
    let gone = presence.flag();
    let work = move |loaded: &Loaded, body: &Map<String, Value>, ask: &Ask| {
        rerank(loaded, body, ask, (&mut account, &gone))
    };
    let body = request.work_in_turn_of(On::RERANK, |l| l.reranker().map(|_| ()), work).await?;
    Ok(reply::json(200, &body))
}

fn rerank(
    loaded: &Loaded,
    body: &Map<String, Value>,
    ask: &Ask,
    (account, gone): (&mut Account, &AtomicBool),
) -> Result<Value, ApiError> {
    let query = body.get("query").and_then(Value::as_str).ok_or_else(|| ApiError::missing("query"))?;
    let documents = body.get("documents").and_then(Value::as_array);
    let texts = texts(documents.ok_or_else(|| ApiError::missing("documents"))?)?;
    // A panic of another request left nothing that this one reads: each step is written anew.
    let mut reranker = loaded.reranker()?.lock().unwrap_or_else(PoisonError::into_inner);
    reranker.choose_overlong(ask.overlong.unwrap_or(Overlong::Refuse));
    for (i, text) in texts.iter().enumerate() {
        reranker.tokens(i, query, text).map_err(|e| ApiError::from(e).about("documents"))?;
    }
    account.accepted();
    account.started();
    let (mut ranked, mut tokens) = (Vec::with_capacity(texts.len()), 0);
    for portion in texts.chunks(PORTION) {
        if gone.load(Ordering::SeqCst) {
            // Nobody reads this.
            return Err(ApiError::internal("the client is gone"));
        }
        let made = reranker.rerank(query, portion);
        let made = made.inspect_err(|e| {
            loaded.note(e);
            account.end(Outcome::Failed);
        })?;
        tokens += made.tokens.iter().map(|t| u64::from(*t)).sum::<u64>();
        let first = ranked.len();
        let all = made.scores.into_iter().zip(made.logits).enumerate();
        ranked.extend(all.map(|(i, (score, logit))| (first + i, score, logit)));
    }
    account.end(Outcome::Completed);
    // (By logits: far from 0 scores are no more told apart.)
    ranked.sort_by(|a, b| b.2.total_cmp(&a.2));
    ranked.truncate(ask.top_n.map_or(usize::MAX, |n| n as usize));
    let one = |(i, score, _): &(usize, f32, f32)| {
        let mut v = json!({ "index": i, "relevance_score": score });
        if ask.documents {
            v["document"] = json!({ "text": texts[*i] });
        }
        v
    };
    let results: Vec<Value> = ranked.iter().map(one).collect();
    Ok(json!({
        "object": "list", "model": loaded.name, "results": results,
        "usage": { "prompt_tokens": tokens, "total_tokens": tokens },
    }))
}

/// Texts, each alone or as an object's `text`.
fn texts(documents: &[Value]) -> Result<Vec<&str>, ApiError> {
    if documents.is_empty() || documents.len() > TEXTS {
        let message = format!("there are {} texts; give 1 to {TEXTS}", documents.len());
        return Err(ApiError::value("documents", message));
    }
    let one = |(i, v): (usize, &'_ Value)| match v {
        Value::String(_) => Ok(i),
        Value::Object(o) if o.len() == 1 && o.get("text").is_some_and(Value::is_string) => Ok(i),
        v => {
            Err(ApiError::type_of(&format!("documents[{i}]"), "a string, or an object with `text` alone", v))
        }
    };
    documents.iter().enumerate().try_for_each(|d| one(d).map(|_| ()))?;
    Ok(documents.iter().filter_map(|v| v.as_str().or_else(|| v.get("text")?.as_str())).collect())
}
