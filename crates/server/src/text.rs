//! Text to tokens and back, without a model's run: `/tokenize`, `/detokenize`, `/apply-template`. Parameters and answers have the
//! names of llama.cpp's server and of vLLM's.

use crate::conversation::messages;
use crate::error::ApiError;
use crate::models::Loaded;
use crate::params::{On, flag};
use crate::prompts::token_ids;
use crate::reply::{self, Reply};
use crate::request::Incoming;
use crate::tools::{self, Style};
use akunu::Token;
use akunu::files::chat::GenerationPrompt;
use akunu::files::tokenizer::{Bos, Specials};
use hyper::Response;
use serde_json::{Map, Value, json};

/// Token ids of a text.
pub(crate) async fn tokenize(request: Incoming) -> Result<Response<Reply>, ApiError> {
    work(request, On::TOKENIZE, |loaded, body, _| {
        // llama.cpp's `content` has no beginning-of-sequence token unless asked for; vLLM's `prompt` has one.
        let (name, bos) = if has(body, "content") { ("content", false) } else { ("prompt", true) };
        let text = string(body, name)?;
        let bos = flag_or(body, "add_special", flag_or(body, "add_special_tokens", bos)?)?;
        let specials = if flag_or(body, "parse_special", true)? { Specials::Parse } else { Specials::AsText };
        let tokenizer = loaded.model.tokenizer()?;
        let bos = if bos { Bos::Auto } else { Bos::Never };
        let ids = tokenizer.encode_with(text, specials, bos).map_err(akunu::Error::from)?;
        let tokens: Value = match flag_or(body, "with_pieces", false)? {
            true => ids.iter().map(|id| piece(*id, tokenizer.token_bytes(*id))).collect(),
            false => json!(Token::ids(&ids)),
        };
        Ok(json!({ "tokens": tokens, "count": ids.len(), "max_model_len": loaded.context() }))
    })
    .await
}

/// A token and its text, or its bytes where these are no text.
fn piece(id: Token, bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => json!({ "id": id.0, "piece": text }),
        Err(_) => json!({ "id": id.0, "piece": bytes }),
    }
}

/// The text of token ids.
pub(crate) async fn detokenize(request: Incoming) -> Result<Response<Reply>, ApiError> {
    work(request, On::DETOKENIZE, |loaded, body, _| {
        let v = body.get("tokens").ok_or_else(|| ApiError::missing("tokens"))?;
        let all = v.as_array().ok_or_else(|| ApiError::type_of("tokens", "a list of token ids", v))?;
        let ids = token_ids(all, "tokens")?;
        let tokenizer = loaded.model.tokenizer()?;
        if let Some(at) = ids.iter().position(|id| id.index() >= tokenizer.vocab_len()) {
            let message = format!(
                "`tokens[{at}]` is {}, and ids go from 0 to {}",
                ids[at].0,
                tokenizer.vocab_len() - 1
            );
            return Err(ApiError::bad("invalid_token", message).about("tokens"));
        }
        let text = tokenizer.decode(&ids);
        Ok(json!({ "content": text, "prompt": text }))
    })
    .await
}

/// A conversation as the model reads it.
pub(crate) async fn template(request: Incoming) -> Result<Response<Reply>, ApiError> {
    work(request, On::TEMPLATE, |loaded, body, most| {
        let add = flag_or(body, "add_generation_prompt", true)?;
        let prompt = if add { GenerationPrompt::Add } else { GenerationPrompt::None };
        let tools = tools::read(body, Style::Nested)?;
        if tools.is_some() {
            loaded.tool_format()?;
        }
        Ok(json!({ "prompt": loaded.render(&messages(body, most)?, tools.as_ref(), prompt)? }))
    })
    .await
}

async fn work(
    request: Incoming,
    on: On,
    work: impl FnOnce(&Loaded, &Map<String, Value>, usize) -> Result<Value, ApiError> + Send + 'static,
) -> Result<Response<Reply>, ApiError> {
    let most = request.shared.options.messages;
    let value = request.work(on, move |loaded, body, _| work(loaded, body, most)).await?;
    Ok(reply::json(200, &value))
}

fn has(body: &Map<String, Value>, name: &str) -> bool {
    body.get(name).is_some_and(|v| !v.is_null())
}

fn string<'a>(body: &'a Map<String, Value>, name: &str) -> Result<&'a str, ApiError> {
    let v = body.get(name).filter(|v| !v.is_null()).ok_or_else(|| ApiError::missing(name))?;
    v.as_str().ok_or_else(|| ApiError::type_of(name, "a string", v))
}

fn flag_or(body: &Map<String, Value>, name: &str, default: bool) -> Result<bool, ApiError> {
    body.get(name).filter(|v| !v.is_null()).map_or(Ok(default), |v| flag(name, v))
}
