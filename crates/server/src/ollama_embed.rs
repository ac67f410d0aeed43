//! ollama's vectors: `/api/embed`, and `/api/embeddings`, its older form of one text.

use crate::embed::{self, Wanted};
use crate::error::ApiError;
use crate::ollama::is_empty;
use crate::params::On;
use crate::reply::{self, Reply};
use crate::request::Incoming;
use akunu::Overlong;
use hyper::Response;
use serde_json::{Value, json};
use std::time::Instant;

/// Vectors of one or several texts, which are cut where the model reads less, unless `truncate` says otherwise: so it is with ollama.
pub(crate) async fn embed(request: Incoming) -> Result<Response<Reply>, ApiError> {
    let since = Instant::now();
    let (model, vectors, tokens) = if is_empty(&request, "input") {
        (only_load(request, On::OLLAMA_EMBED).await?, Vec::new(), 0)
    } else {
        let wanted = Wanted { param: "input", overlong: Overlong::Truncate };
        let (made, _) = embed::vectors(request, On::OLLAMA_EMBED, wanted).await?;
        (made.model, made.vectors, made.tokens)
    };
    Ok(reply::json(
        200,
        &json!({
            "model": model, "embeddings": vectors, "total_duration": since.elapsed().as_nanos() as u64, "load_duration": 0,
            "prompt_eval_count": tokens,
        }),
    ))
}

/// The vector of one text.
pub(crate) async fn embeddings(request: Incoming) -> Result<Response<Reply>, ApiError> {
    let vector: Value = if is_empty(&request, "prompt") {
        only_load(request, On::OLLAMA_EMBEDDINGS).await?;
        json!([])
    } else {
        let wanted = Wanted { param: "prompt", overlong: Overlong::Refuse };
        let (made, _) = embed::vectors(request, On::OLLAMA_EMBEDDINGS, wanted).await?;
        made.vectors.into_iter().next().into()
    };
    Ok(reply::json(200, &json!({ "embedding": vector })))
}

/// Loads the model; its name.
async fn only_load(request: Incoming, on: On) -> Result<String, ApiError> {
    request.work(on, |loaded, _, _| loaded.embedder().map(|_| loaded.name.clone())).await
}
