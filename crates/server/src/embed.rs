//! Vectors of texts, whatever the interface. A model makes them for one request after the other, each as full steps; requests that wait
//! for that hold no thread, and there is a bound on how many do.

use crate::error::ApiError;
use crate::metrics::{Account, Outcome};
use crate::models::Loaded;
use crate::params::{Ask, Encoding, On};
use crate::prompts::{check_context, token_ids};
use crate::request::Incoming;
use akunu::{Embedder, Overlong, Token};
use serde_json::{Map, Value};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

/// The most texts of a request.
const TEXTS: usize = 2048;
/// Texts between two looks whether the client is still there.
const PORTION: usize = 128;

/// Says when its request is gone.
#[derive(Default)]
pub(crate) struct Presence(Arc<AtomicBool>);

impl Presence {
    /// What is set then.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// What a request wants vectors of.
pub(crate) struct Wanted {
    /// The parameter that has the texts.
    pub(crate) param: &'static str,
    /// What happens to texts that are too long where the request does not say.
    pub(crate) overlong: Overlong,
}

/// Vectors, and how many tokens they are of.
pub(crate) struct Made {
    pub(crate) model: String,
    pub(crate) vectors: Vec<Vec<f32>>,
    pub(crate) tokens: usize,
}

/// Makes the vectors that a request asks for; and how they are to be written.
pub(crate) async fn vectors(request: Incoming, on: On, wanted: Wanted) -> Result<(Made, Encoding), ApiError> {
    let mut account = Account::new(&request.shared.metrics);
    let presence = Presence::default();
    let gone = presence.flag();
    let work = move |loaded: &Loaded, body: &Map<String, Value>, ask: &Ask| {
        Ok((make(loaded, body, ask, &wanted, (&mut account, &gone))?, ask.encoding))
    };
    request.work_in_turn(on, work).await
}

fn make(
    loaded: &Loaded,
    body: &Map<String, Value>,
    ask: &Ask,
    wanted: &Wanted,
    (account, gone): (&mut Account, &AtomicBool),
) -> Result<Made, ApiError> {
    check_context(loaded, body)?;
    let overlong = ask.overlong.unwrap_or(wanted.overlong);
    let input = body.get(wanted.param).filter(|v| !v.is_null());
    let input = input.ok_or_else(|| ApiError::missing(wanted.param))?;
    // A panic of another request left nothing that this one reads: each step is written anew.
    let mut embedder = loaded.embedder()?.lock().unwrap_or_else(PoisonError::into_inner);
    embedder.choose_dimensions(ask.dimensions).map_err(|e| ApiError::from(e).about("dimensions"))?;
    embedder.choose_overlong(overlong);
    let texts = texts(&embedder, input, wanted.param, overlong)?;
    account.accepted();
    account.started();
    let mut vectors = Vec::with_capacity(texts.len());
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
        vectors.extend(made.vectors);
    }
    account.end(Outcome::Completed);
    let tokens = texts.iter().map(Vec::len).sum();
    Ok(Made { model: loaded.name.clone(), vectors, tokens })
}

/// A text, a list of texts, token ids, or a list of such.
fn texts(
    embedder: &Embedder,
    input: &Value,
    param: &str,
    overlong: Overlong,
) -> Result<Vec<Vec<Token>>, ApiError> {
    let wanted = "a string, a list of token ids, or a list of such";
    let one = |i: usize, v: &Value| match v {
        Value::String(text) => embedder.tokens(i, text).map_err(|e| ApiError::from(e).about(param)),
        Value::Array(ids) => token_ids(ids, &format!("{param}[{i}]")),
        _ => Err(ApiError::type_of(&format!("{param}[{i}]"), wanted, v)),
    };
    let mut texts = match input {
        Value::Array(all) if all.first().is_some_and(Value::is_number) => vec![token_ids(all, param)?],
        Value::Array(all) if all.is_empty() || all.len() > TEXTS => {
            let message = format!("there are {} texts; give 1 to {TEXTS}", all.len());
            return Err(ApiError::value(param, message));
        }
        Value::Array(all) => all.iter().enumerate().map(|(i, v)| one(i, v)).collect::<Result<_, _>>()?,
        Value::String(_) => vec![one(0, input)?],
        v => return Err(ApiError::type_of(param, wanted, v)),
    };
    // The embedder has cut texts, and takes token ids as they are.
    let most = embedder.max_tokens() as usize;
    if overlong == Overlong::Truncate {
        texts.iter_mut().for_each(|t| t.truncate(most));
    }
    match texts.iter().position(|t| t.is_empty() || t.len() > most) {
        Some(i) => {
            let message = format!("`{param}[{i}]` has {} tokens; give 1 to {most}", texts[i].len());
            Err(ApiError::bad("context_length_exceeded", message).about(param))
        }
        None => Ok(texts),
    }
}
