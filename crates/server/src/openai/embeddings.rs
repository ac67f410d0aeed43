//! `/v1/embeddings`: vectors of texts. The model makes them for one request after the other, each as full steps.

use super::completions::token_ids;
use crate::error::ApiError;
use crate::metrics::{Account, Outcome};
use crate::models::Loaded;
use crate::params::{On, whole};
use crate::reply::{self, Reply};
use crate::request::Incoming;
use akunu::{Embedder, Token};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::Response;
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

/// The most texts of a request.
const TEXTS: usize = 2048;
/// Texts between two looks whether the client is still there.
const PORTION: usize = 128;

/// How a vector is written.
#[derive(Clone, Copy)]
enum Encoding {
    /// As numbers.
    Float,
    /// Its f32, little-endian, in base64.
    Base64,
}

/// Says when its request is gone.
#[derive(Default)]
struct Presence(Arc<AtomicBool>);

impl Drop for Presence {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Answers.
pub(crate) async fn answer(request: Incoming) -> Result<Response<Reply>, ApiError> {
    let mut account = Account::new(&request.shared.metrics);
    let presence = Presence::default();
    let gone = Arc::clone(&presence.0);
    let value = request
        .work(On::EMBEDDINGS, move |loaded, body, _| vectors(loaded, body, &mut account, &gone))
        .await?;
    Ok(reply::json(200, &value))
}

fn vectors(
    loaded: &Loaded,
    body: &Map<String, Value>,
    account: &mut Account,
    gone: &AtomicBool,
) -> Result<Value, ApiError> {
    let given = |name| body.get(name).filter(|v| !v.is_null());
    let encoding = encoding(given("encoding_format"))?;
    let dimensions = given("dimensions").map(|v| whole("dimensions", v, 1, 1 << 24)).transpose()?;
    let input = given("input").ok_or_else(|| ApiError::missing("input"))?;
    // A panic of another request left nothing that this one reads: each step is written anew.
    let mut embedder = loaded.embedder()?.lock().unwrap_or_else(PoisonError::into_inner);
    let dimensions = dimensions.and_then(|n| u32::try_from(n).ok());
    embedder.choose_dimensions(dimensions).map_err(|e| ApiError::from(e).about("dimensions"))?;
    let texts = texts(&embedder, input)?;
    account.accepted();
    account.started();
    let mut data = Vec::with_capacity(texts.len());
    for portion in texts.chunks(PORTION) {
        if gone.load(Ordering::SeqCst) {
            // Nobody reads this.
            return Err(ApiError::internal("the client is gone"));
        }
        let made = embedder.embed_tokens(portion);
        let made = made.inspect_err(|e| {
            loaded.note(e);
            account.end(Outcome::Failed);
        })?;
        for vector in made.vectors {
            let embedding = match encoding {
                Encoding::Float => json!(vector),
                Encoding::Base64 => {
                    let bytes: Vec<u8> = vector.iter().flat_map(|v| v.to_le_bytes()).collect();
                    STANDARD.encode(bytes).into()
                }
            };
            data.push(json!({ "object": "embedding", "index": data.len(), "embedding": embedding }));
        }
    }
    account.end(Outcome::Completed);
    let tokens: usize = texts.iter().map(Vec::len).sum();
    Ok(json!({
        "object": "list", "data": data, "model": loaded.name,
        "usage": { "prompt_tokens": tokens, "total_tokens": tokens },
    }))
}

fn encoding(given: Option<&Value>) -> Result<Encoding, ApiError> {
    match given.map(|v| v.as_str()) {
        None | Some(Some("float")) => Ok(Encoding::Float),
        Some(Some("base64")) => Ok(Encoding::Base64),
        Some(_) => {
            let message = "`encoding_format` is `float` or `base64`";
            Err(ApiError::value("encoding_format", message))
        }
    }
}

/// A text, a list of texts, token ids, or a list of such.
fn texts(embedder: &Embedder, input: &Value) -> Result<Vec<Vec<Token>>, ApiError> {
    let one = |i: usize, v: &Value| match v {
        Value::String(text) => Ok(embedder.tokens(i, text)?),
        Value::Array(ids) => token_ids(ids, &format!("input[{i}]")),
        _ => {
            let wanted = "a string, a list of token ids, or a list of such";
            Err(ApiError::type_of(&format!("input[{i}]"), wanted, v))
        }
    };
    let texts = match input {
        Value::Array(all) if all.first().is_some_and(Value::is_number) => vec![token_ids(all, "input")?],
        Value::Array(all) if all.is_empty() || all.len() > TEXTS => {
            let message = format!("there are {} texts; give 1 to {TEXTS}", all.len());
            return Err(ApiError::value("input", message));
        }
        Value::Array(all) => all.iter().enumerate().map(|(i, v)| one(i, v)).collect::<Result<_, _>>()?,
        Value::String(_) => vec![one(0, input)?],
        v => return Err(ApiError::type_of("input", "a string, a list of token ids, or a list of such", v)),
    };
    // Token ids are not cut, and not checked before they run.
    let most = embedder.max_tokens() as usize;
    match texts.iter().position(|t| t.is_empty() || t.len() > most) {
        Some(i) => {
            let message = format!("`input[{i}]` has {} tokens; give 1 to {most}", texts[i].len());
            Err(ApiError::bad("context_length_exceeded", message).about("input"))
        }
        None => Ok(texts),
    }
}
