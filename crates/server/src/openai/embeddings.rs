//! `/v1/embeddings`.

use crate::embed::{self, Made, Wanted};
use crate::error::ApiError;
use crate::params::{Encoding, On};
use crate::reply::{self, Reply};
use crate::request::Incoming;
use akunu::Overlong;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::Response;
use serde_json::{Value, json};

/// Answers.
pub(crate) async fn answer(request: Incoming) -> Result<Response<Reply>, ApiError> {
    let wanted = Wanted { param: "input", overlong: Overlong::Refuse };
    let (Made { model, vectors, tokens }, encoding) = embed::vectors(request, On::EMBEDDINGS, wanted).await?;
    let one = |(i, vector): (usize, Vec<f32>)| {
        let embedding = match encoding {
            Encoding::Float => json!(vector),
            Encoding::Base64 => {
                let bytes: Vec<u8> = vector.iter().flat_map(|v| v.to_le_bytes()).collect();
                STANDARD.encode(bytes).into()
            }
        };
        json!({ "object": "embedding", "index": i, "embedding": embedding })
    };
    let data: Vec<Value> = vectors.into_iter().enumerate().map(one).collect();
    Ok(reply::json(
        200,
        &json!({
            "object": "list", "data": data, "model": model,
            "usage": { "prompt_tokens": tokens, "total_tokens": tokens },
        }),
    ))
}
