//! The models that are served: by name, loaded when the server starts.

use crate::error::{ApiError, shown};
use crate::life::Life;
use crate::options::Serving;
use akunu::Engine;
use akunu::files::chat::{ChatTemplate, GenerationPrompt, Message};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// A model that answers.
pub(crate) struct Loaded {
    /// The name by which it is listed.
    pub(crate) name: String,
    pub(crate) engine: Engine,
    /// One that takes the place of the model's own.
    template: Option<ChatTemplate>,
    /// Texts that end each answer, which the template's format has.
    pub(crate) stops: Vec<String>,
    life: Arc<Life>,
}

impl Loaded {
    /// Notes an error of the engine. Where nothing runs any more, the server ends.
    pub(crate) fn note(&self, e: &akunu::Error) {
        if let akunu::Error::Stopped { why } = e {
            self.life.fail(format!("the model `{}` has stopped: {why}", self.name));
        }
    }

    /// Tokens that a sequence may have.
    pub(crate) fn context(&self) -> u32 {
        self.engine.model().program().settings.context
    }

    /// A conversation as the model reads it.
    pub(crate) fn render(&self, messages: &[Message], prompt: GenerationPrompt) -> Result<String, ApiError> {
        let model = self.engine.model();
        let template = match (&self.template, model.chat_template_error()) {
            (Some(t), _) => Some(t),
            (None, Some(e)) => return Err(ApiError::bad("chat_template", e.to_string())),
            (None, None) => model.chat_template(),
        };
        let template = template.ok_or_else(|| {
            let message =
                "the model has no chat template; use /v1/completions, or serve it with --chat-template";
            ApiError::bad("no_chat_template", message)
        })?;
        template
            .render(messages, prompt)
            .map_err(|e| ApiError::bad("chat_template", e.to_string()).about("messages"))
    }
}

/// What is known of a model.
enum State {
    Loading,
    Ready(Arc<Loaded>),
    Failed(String),
}

/// A model's place.
pub(crate) struct Slot {
    pub(crate) name: String,
    pub(crate) aliases: Vec<String>,
    /// Seconds since 1970.
    pub(crate) created: u64,
    state: Mutex<State>,
}

impl Slot {
    pub(crate) fn new(name: String, aliases: Vec<String>) -> Self {
        let created = now();
        Self { name, aliases, created, state: Mutex::new(State::Loading) }
    }

    fn set(&self, state: State) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }

    pub(crate) fn ready(&self, serving: Serving, life: &Arc<Life>) {
        let Serving { engine, template, stops } = serving;
        let name = self.name.clone();
        self.set(State::Ready(Arc::new(Loaded { name, engine, template, stops, life: Arc::clone(life) })));
    }

    pub(crate) fn failed(&self, why: String) {
        self.set(State::Failed(why));
    }

    /// The model, if it is loaded.
    pub(crate) fn loaded(&self) -> Option<Arc<Loaded>> {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Ready(loaded) => Some(Arc::clone(loaded)),
            State::Loading | State::Failed(_) => None,
        }
    }

    /// The model, or why it does not answer now.
    pub(crate) fn get(&self) -> Result<Arc<Loaded>, ApiError> {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Ready(loaded) => Ok(Arc::clone(loaded)),
            State::Loading => Err(ApiError::busy(
                "model_loading",
                format!("the model `{}` is loading; ask again soon", self.name),
                2,
            )),
            State::Failed(why) => {
                let message = format!("the model `{}` could not be loaded: {why}", self.name);
                Err(ApiError::busy("model_failed", message, 60))
            }
        }
    }

    /// Forgets the model. Its engine ends with the last request that has it.
    pub(crate) fn unload(&self) {
        self.set(State::Failed("the server is ending".into()));
    }

    fn is(&self, name: &str) -> bool {
        self.name == name || self.aliases.iter().any(|a| a == name)
    }
}

/// The models in the order in which they were given.
pub(crate) struct Models(pub(crate) Vec<Arc<Slot>>);

impl Models {
    /// The one of a name; the first where none is said. Names are compared and never looked up anywhere.
    pub(crate) fn find(&self, name: Option<&str>) -> Result<&Arc<Slot>, ApiError> {
        let found = match name {
            None => self.0.first(),
            Some(name) => {
                // ollama's names have a tag.
                let plain = name.strip_suffix(":latest").unwrap_or(name);
                self.0.iter().find(|s| s.is(name)).or_else(|| self.0.iter().find(|s| s.is(plain)))
            }
        };
        found.ok_or_else(|| {
            let known: Vec<&str> = self.0.iter().map(|s| s.name.as_str()).collect();
            let message = format!(
                "the model `{}` is not served here; choose one of: {}",
                shown(name.unwrap_or("")),
                known.join(", ")
            );
            ApiError::new(404, "model_not_found", message).about("model")
        })
    }

    /// Whether all are loaded.
    pub(crate) fn are_ready(&self) -> bool {
        self.0.iter().all(|s| s.loaded().is_some())
    }
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}
