//! `/v1/embeddings`.

use crate::embed::{self, Made, Wanted};
use crate::error::ApiError;
use crate::params::On;
use crate::reply::{self, Reply};
use crate::request::Incoming;
use akunu::Overlong;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::Response;
use serde_json::{Value, json};

/// How a vector is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// As numbers.
    #[default]
    Float,
    /// Its f32, little-endian, in base64.
    Base64,
}

/// Reads one.
pub(crate) fn encoding(name: &str, v: &Value) -> Result<Encoding, ApiError> {
    match v.as_str() {
        Some("float") => Ok(Encoding::Float),
        Some("base64") => Ok(Encoding::Base64),
        _ => Err(ApiError::value(name, format!("`{name}` is `float` or `base64`"))),
    }
}

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
