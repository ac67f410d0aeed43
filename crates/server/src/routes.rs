//! Every route, in one table.

use crate::error::{ApiError, Shape};
use crate::params::On;

/// What a route does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Page,
    Health,
    Metrics,
    OpenApi,
    Models,
    Model,
    Chat,
    Completions,
    Responses,
    Embeddings,
    Rerank,
    Transcriptions,
    Translations,
    Messages,
    Count,
    Tokenize,
    Detokenize,
    Template,
    OllamaChat,
    OllamaGenerate,
    OllamaEmbed,
    OllamaEmbeddings,
    OllamaTags,
    OllamaShow,
    OllamaPs,
    OllamaVersion,
    Completion,
    Infill,
    Props,
    Slots,
}

/// A route.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) method: &'static str,
    /// A path; `{id}` at its end stands for the rest of one.
    pub(crate) path: &'static str,
    pub(crate) action: Action,
    pub(crate) shape: Shape,
    /// Whose parameters its body has.
    pub(crate) body: Option<On>,
    /// What it does, in a line.
    pub(crate) about: &'static str,
}

const fn get(path: &'static str, action: Action, shape: Shape, about: &'static str) -> Route {
    Route { method: "GET", path, action, shape, body: None, about }
}

const fn post(path: &'static str, action: Action, shape: Shape, on: On, about: &'static str) -> Route {
    Route { method: "POST", path, action, shape, body: Some(on), about }
}

use Shape::{Anthropic, Ollama, OpenAi};

/// All of them.
#[rustfmt::skip]
pub(crate) static ROUTES: &[Route] = &[
    get("/", Action::Page, OpenAi, "A page to chat with the models."),
    get("/health", Action::Health, OpenAi, "Whether requests are answered: 503 while models load and while the server ends."),
    get("/metrics", Action::Metrics, OpenAi, "Numbers for Prometheus."),
    get("/openapi.json", Action::OpenApi, OpenAi, "This description."),
    get("/v1/models", Action::Models, OpenAi, "The models."),
    get("/v1/models/{id}", Action::Model, OpenAi, "One model."),
    post("/v1/chat/completions", Action::Chat, OpenAi, On::CHAT, "Answers a conversation."),
    post("/v1/completions", Action::Completions, OpenAi, On::COMPLETIONS, "Continues prompts."),
    post("/v1/responses", Action::Responses, OpenAi, On::RESPONSES, "Answers a conversation, of which nothing is kept."),
    post("/v1/embeddings", Action::Embeddings, OpenAi, On::EMBEDDINGS, "Vectors of texts."),
    post("/v1/rerank", Action::Rerank, OpenAi, On::RERANK, "Texts sorted by how well they fit a query."),
    post("/v1/audio/transcriptions", Action::Transcriptions, OpenAi, On::TRANSCRIPTIONS, "The text of speech."),
    post("/v1/audio/translations", Action::Translations, OpenAi, On::TRANSLATIONS, "The text of speech, in English."),
    post("/v1/messages", Action::Messages, Anthropic, On::MESSAGES, "Answers a conversation, as Anthropic has it."),
    post("/v1/messages/count_tokens", Action::Count, Anthropic, On::COUNT, "Counts a conversation's tokens."),
    post("/tokenize", Action::Tokenize, OpenAi, On::TOKENIZE, "Token ids of a text."),
    post("/detokenize", Action::Detokenize, OpenAi, On::DETOKENIZE, "The text of token ids."),
    post("/apply-template", Action::Template, OpenAi, On::TEMPLATE, "A conversation as the model reads it."),
    post("/api/chat", Action::OllamaChat, Ollama, On::OLLAMA_CHAT, "Answers a conversation, as ollama has it."),
    post("/api/generate", Action::OllamaGenerate, Ollama, On::OLLAMA_GENERATE, "Answers a prompt, as ollama has it."),
    post("/api/embed", Action::OllamaEmbed, Ollama, On::OLLAMA_EMBED, "Vectors of texts, as ollama has them."),
    post("/api/embeddings", Action::OllamaEmbeddings, Ollama, On::OLLAMA_EMBEDDINGS, "The vector of a text, as ollama had it."),
    get("/api/tags", Action::OllamaTags, Ollama, "The models, as ollama has them."),
    post("/api/show", Action::OllamaShow, Ollama, On::OLLAMA_SHOW, "What a model is."),
    get("/api/ps", Action::OllamaPs, Ollama, "The models that are loaded."),
    get("/api/version", Action::OllamaVersion, Ollama, "The server's version."),
    post("/completion", Action::Completion, OpenAi, On::LLAMA, "Continues a prompt, as llama.cpp has it."),
    post("/infill", Action::Infill, OpenAi, On::INFILL, "Fills in the middle of a text, as llama.cpp has it."),
    get("/props", Action::Props, OpenAi, "What the first model is."),
    get("/slots", Action::Slots, OpenAi, "How many answers run."),
];

/// The route of a request, and what stands in the place of `{id}`, decoded. Where the path is known with another method only, that is
/// an error of its own.
pub(crate) fn find(method: &str, path: &str) -> Result<(&'static Route, String), ApiError> {
    let mut known = None;
    for route in ROUTES {
        let tail = match route.path.strip_suffix("{id}") {
            Some(start) => path.strip_prefix(start).filter(|t| !t.is_empty()),
            None => (path == route.path).then_some(""),
        };
        let Some(tail) = tail else { continue };
        if route.method == method || route.method == "GET" && method == "HEAD" {
            return Ok((route, decoded(tail)?));
        }
        known = Some(route.method);
    }
    Err(match known {
        Some(method) => {
            // Who can be asked for an answer can be asked for its head.
            let allow = if method == "GET" { "GET, HEAD" } else { method };
            let e = ApiError::new(405, "method_not_allowed", format!("this path takes {allow}"));
            ApiError { allow: Some(allow), ..e }
        }
        None => ApiError::new(404, "not_found", "there is no such path here; /openapi.json lists all"),
    })
}

/// Text with `%2F` and its like made what they stand for.
fn decoded(text: &str) -> Result<String, ApiError> {
    let wrong = || ApiError::bad("invalid_path", "the path has a `%` that is no character of UTF-8");
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(b) = bytes.next() {
        if b != b'%' {
            out.push(b);
            continue;
        }
        let mut digit = || bytes.next().and_then(|b| char::from(b).to_digit(16)).ok_or_else(wrong);
        out.push((digit()? * 16 + digit()?) as u8);
    }
    String::from_utf8(out).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_as_they_are() {
        let tail = |path| find("GET", path).map(|(r, tail)| (r.path, tail)).map_err(|e| e.status);
        assert_eq!(tail("/v1/models/a%2Fb%20c/d"), Ok(("/v1/models/{id}", "a/b c/d".into())));
        assert_eq!(tail("/v1/models"), Ok(("/v1/models", String::new())));
        for path in ["/v1/models/", "//", "", "//health", "/health/", "/V1/models", "/v1/../health"] {
            assert_eq!(tail(path), Err(404), "{path}");
        }
        for path in ["/v1/models/%", "/v1/models/%2", "/v1/models/%zz", "/v1/models/%ff", "/v1/models/%+1"] {
            assert_eq!(tail(path), Err(400), "{path}");
        }
        assert_eq!(find("POST", "/health").map(|_| ()).map_err(|e| e.status), Err(405));
        assert!(find("HEAD", "/health").is_ok());
    }
}
