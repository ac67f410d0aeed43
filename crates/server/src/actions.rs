//! What each route does.

use crate::error::ApiError;
use crate::reply::{self, Reply};
use crate::request::Incoming;
use crate::routes::Action;
use crate::{anthropic, llamacpp, ollama, ollama_embed, openai, openapi, rerank, text};
use hyper::Response;
use hyper::header::HeaderValue;
use serde_json::json;

/// Answers.
pub(crate) async fn answer(action: Action, request: Incoming) -> Result<Response<Reply>, ApiError> {
    #[cfg(test)]
    crate::panics::at(crate::panics::HANDLER, &request.body);
    match action {
        Action::Page => Ok(page()),
        Action::Health => health(&request),
        Action::Metrics => {
            let all = request.shared.metrics.text(&request.shared.models);
            Ok(reply::text(200, "text/plain; version=0.0.4", all))
        }
        Action::OpenApi => {
            let slots = request.shared.models.0.iter();
            let names: Vec<&str> =
                slots.flat_map(|s| s.aliases.iter().chain([&s.name])).map(String::as_str).collect();
            Ok(reply::json(200, &openapi::document(&names)))
        }
        Action::Models => Ok(openai::models::list(&request)),
        Action::Model => openai::models::one(&request),
        Action::Chat => openai::chat::answer(request).await,
        Action::Completions => openai::completions::answer(request).await,
        Action::Responses => openai::responses::answer(request).await,
        Action::Embeddings => openai::embeddings::answer(request).await,
        Action::Rerank => rerank::answer(request).await,
        Action::Transcriptions => openai::audio::transcriptions(request).await,
        Action::Translations => openai::audio::translations(request).await,
        Action::Messages => anthropic::answer(request).await,
        Action::Count => anthropic::count(request).await,
        Action::Tokenize => text::tokenize(request).await,
        Action::Detokenize => text::detokenize(request).await,
        Action::Template => text::template(request).await,
        Action::OllamaChat => ollama::chat(request).await,
        Action::OllamaGenerate => ollama::generate(request).await,
        Action::OllamaEmbed => ollama_embed::embed(request).await,
        Action::OllamaEmbeddings => ollama_embed::embeddings(request).await,
        Action::OllamaTags => Ok(ollama::tags(&request)),
        Action::OllamaShow => ollama::show(request).await,
        Action::OllamaPs => Ok(ollama::ps(&request)),
        Action::OllamaVersion => Ok(ollama::version()),
        Action::Completion => llamacpp::completion(request).await,
        Action::Infill => llamacpp::infill(request).await,
        Action::Props => llamacpp::props(&request).await,
        Action::Slots => llamacpp::slots(&request).await,
    }
}

/// The page, which asks nothing of other places and may not be framed by them.
fn page() -> Response<Reply> {
    let mut r = reply::text(200, "text/html; charset=utf-8", include_str!("page.html"));
    let policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; \
                  base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    r.headers_mut().insert("content-security-policy", HeaderValue::from_static(policy));
    r
}

/// Whether a request would be answered: 503 while models load, and once the server ends.
fn health(request: &Incoming) -> Result<Response<Reply>, ApiError> {
    if request.shared.is_ending() {
        return Err(ApiError::busy("ending", "the server is ending", 5));
    }
    if !request.shared.models.are_ready() {
        return Err(ApiError::busy("loading", "models are loading", 1));
    }
    Ok(reply::json(200, &json!({ "status": "ok" })))
}
