//! The models that are served, by name. `loader.rs` loads them when the server starts or when somebody asks, and unloads them when
//! nobody does.

use crate::error::{ApiError, shown};
use crate::format::{Format, Grammars};
use crate::keep_alive::KeepAlive;
use crate::life::{Life, ServerError};
use crate::options::{Load, ModelEntry, Runner, Serving, Size};
use crate::tools::Tools;
use crate::turns::Turns;
use crate::work::Work;
use akunu::files::chat::{ChatTemplate, GenerationPrompt, Message};
use akunu::reading::{Calls, Reading};
use akunu::reasoning::ReasoningFormat;
use akunu::tools::ToolFormat;
use akunu::{Embedder, Engine, Model, Reranker, Transcriber};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;

/// A model that answers.
pub(crate) struct Loaded {
    /// The name by which it is listed.
    pub(crate) name: String,
    pub(crate) model: Model,
    runner: Runner,
    /// Who has the encoder, or the model of speech.
    pub(crate) turns: Turns,
    /// One that takes the place of the model's own.
    template: Option<ChatTemplate>,
    /// Texts that end each answer, which the template's format has.
    pub(crate) stops: Vec<String>,
    pub(crate) grammars: Grammars,
    /// Bytes that it takes, as far as they are known.
    pub(crate) bytes: u64,
    /// How long it stays without a request, where a client has said so.
    keep: Mutex<Option<KeepAlive>>,
    life: Arc<Life>,
}

/// Why a model is not in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotLoaded {
    /// It takes more than all models together may.
    TooLarge { needed: u64, budget: u64 },
    /// One line for people.
    Failed(String),
}

impl Loaded {
    /// Notes an error of the engine. Where nothing runs any more, the server ends.
    pub(crate) fn note(&self, e: &akunu::Error) {
        if let akunu::Error::Stopped { why } = e {
            let why = format!("the model `{}` has stopped: {why}", self.name);
            self.life.fail(ServerError::Fatal { why });
        }
    }

    /// Notes how long a client wants it to stay; holds until it is unloaded, or another client says otherwise.
    pub(crate) fn keep(&self, keep: KeepAlive) {
        *self.keep.lock().unwrap_or_else(PoisonError::into_inner) = Some(keep);
    }

    /// How long it stays without a request; `usual` where no client has said so.
    fn stays(&self, usual: Option<Duration>) -> Option<Duration> {
        match *self.keep.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(KeepAlive::For(time)) => Some(time),
            Some(KeepAlive::Forever) => None,
            None => usual,
        }
    }

    /// What draws tokens.
    pub(crate) fn engine(&self) -> Result<&Engine, ApiError> {
        match &self.runner {
            Runner::Engine(engine) => Ok(engine),
            Runner::Embedder(_) => {
                Err(self.other("makes vectors of texts; ask /v1/embeddings, or another model"))
            }
            Runner::Transcriber(_) => {
                Err(self.other("makes text of speech; ask /v1/audio/transcriptions, or another model"))
            }
            Runner::Reranker(_) => Err(self.other("scores pairs of texts; ask /v1/rerank, or another model")),
        }
    }

    /// What makes vectors, one request at a time.
    pub(crate) fn embedder(&self) -> Result<&Mutex<Embedder>, ApiError> {
        match &self.runner {
            Runner::Embedder(embedder) => Ok(embedder),
            Runner::Engine(_) => {
                Err(self.other("draws tokens and makes no vectors; ask an encoder, as BERT and MiniLM are"))
            }
            Runner::Transcriber(_) => {
                Err(self.other("makes text of speech and no vectors; ask an encoder, as BERT and MiniLM are"))
            }
            Runner::Reranker(_) => {
                Err(self.other("scores pairs of texts; ask /v1/rerank, or an encoder without a classifier"))
            }
        }
    }

    /// What scores texts for a query, one request at a time.
    pub(crate) fn reranker(&self) -> Result<&Mutex<Reranker>, ApiError> {
        match &self.runner {
            Runner::Reranker(reranker) => Ok(reranker),
            Runner::Engine(_) | Runner::Embedder(_) | Runner::Transcriber(_) => {
                Err(self.other("scores no texts; ask a cross-encoder: BERT with a classifier of one label"))
            }
        }
    }

    /// What makes text of speech, one request at a time.
    pub(crate) fn transcriber(&self) -> Result<&Mutex<Transcriber>, ApiError> {
        match &self.runner {
            Runner::Transcriber(transcriber) => Ok(transcriber),
            Runner::Engine(_) | Runner::Embedder(_) | Runner::Reranker(_) => {
                Err(self.other("hears nothing; ask a model of speech, as Whisper is"))
            }
        }
    }

    /// A model of another kind than the route is for.
    fn other(&self, what: &str) -> ApiError {
        let message = format!("the model `{}` {what}", self.name);
        ApiError::bad("unsupported_by_model", message).about("model")
    }

    /// Tokens that a sequence may have.
    pub(crate) fn context(&self) -> u32 {
        self.model.program().settings.context
    }

    /// A conversation as the model reads it.
    pub(crate) fn render(
        &self,
        messages: &[Message],
        tools: Option<&Tools>,
        prompt: GenerationPrompt,
    ) -> Result<String, ApiError> {
        let tools = tools.map(Tools::for_template).unwrap_or_default();
        self.template()?
            .render_with(messages, &tools, prompt)
            .map_err(|e| ApiError::bad("chat_template", e.to_string()).about("messages"))
    }

    /// What is to be generated as the next turn of a conversation.
    pub(crate) fn converse(&self, messages: &[Message], tools: Option<&Tools>) -> Result<Work, ApiError> {
        let source = self.template()?.source();
        let text = self.render(messages, tools, GenerationPrompt::Add)?;
        let thoughts = ReasoningFormat::of_template(source).map(|f| (f, f.begun_by(&text)));
        let mut work = Work::from(vec![self.model.encode(&text)?]);
        work.reading = Reading { thoughts, tools: None };
        if let Some(tools) = tools {
            let format = self.tool_format()?;
            let calls = if tools.parallel { Calls::Several } else { Calls::One };
            work.reading.tools = Some((format, calls));
            if let Some((source, mark)) = tools.grammar(format, source)? {
                work.format = Some(Format { param: "tools".into(), source });
                work.mark = mark;
            }
        }
        Ok(work)
    }

    /// How the model writes calls.
    pub(crate) fn tool_format(&self) -> Result<ToolFormat, ApiError> {
        let source = self.template()?.source();
        // One that does not look at the tools would never tell the model of them.
        let format = ToolFormat::of_template(source).filter(|_| source.contains("tools"));
        format.ok_or_else(|| {
            let message = "the model's chat template knows no tools, or writes calls in a way that is not known here; leave `tools` out, or \
                           serve a model that was trained for them";
            ApiError::bad("unsupported_by_model", message).about("tools")
        })
    }

    fn template(&self) -> Result<&ChatTemplate, ApiError> {
        let model = &self.model;
        let template = match (&self.template, model.chat_template_error()) {
            (Some(t), _) => Some(t),
            (None, Some(e)) => return Err(ApiError::bad("chat_template", e.to_string())),
            (None, None) => model.chat_template(),
        };
        template.ok_or_else(|| {
            let message =
                "the model has no chat template; use /v1/completions, or serve it with --chat-template";
            ApiError::bad("no_chat_template", message)
        })
    }
}

/// Where a model is.
#[derive(Clone)]
enum State {
    /// Loading for the first time, at the start.
    Starting,
    /// Not in memory. The next request has it loaded.
    Asleep,
    /// Loading because somebody asked.
    Loading,
    Ready(Arc<Loaded>),
    /// Makes way for another model once its last request has ended. New requests wait, and have it loaded again.
    Leaving(Arc<Loaded>),
    /// The last try failed; the next request has it tried again.
    Failed(NotLoaded),
    /// The server is ending.
    Ended,
}

/// A model's place.
pub(crate) struct Slot {
    pub(crate) name: String,
    pub(crate) aliases: Vec<String>,
    /// Seconds since 1970.
    pub(crate) created: u64,
    load: Load,
    size: Option<Size>,
    /// Requests take what is `Ready` under its lock, so that who holds the lock for writing knows how many have it.
    state: watch::Sender<State>,
    /// When a request last had it.
    used: Mutex<Instant>,
    /// When a request last came for it.
    asked: Mutex<Instant>,
}

impl Slot {
    pub(crate) fn new(entry: ModelEntry) -> Self {
        let ModelEntry { name, aliases, load, size } = entry;
        let (created, state) = (now(), watch::Sender::new(State::Starting));
        Self {
            name,
            aliases,
            created,
            load,
            size,
            state,
            used: Mutex::new(Instant::now()),
            asked: Mutex::new(Instant::now()),
        }
    }

    /// The model, if it is loaded.
    pub(crate) fn loaded(&self) -> Option<Arc<Loaded>> {
        match &*self.state.borrow() {
            State::Ready(loaded) | State::Leaving(loaded) => Some(Arc::clone(loaded)),
            _ => None,
        }
    }

    /// Bytes that it takes now; `None` where it is not in memory.
    pub(crate) fn holds(&self) -> Option<u64> {
        match &*self.state.borrow() {
            State::Ready(loaded) | State::Leaving(loaded) => Some(loaded.bytes),
            _ => None,
        }
    }

    /// Bytes that it would take; 0 where nobody knows.
    pub(crate) fn size(&self) -> Result<u64, NotLoaded> {
        let Some(size) = &self.size else { return Ok(0) };
        let size = catch_unwind(AssertUnwindSafe(size));
        size.unwrap_or_else(|_| Err("looking at it panicked".into())).map_err(NotLoaded::Failed)
    }

    /// The model. If it is not in memory, `ask` is called to have it loaded, and this waits; one that the server is starting with is not waited for.
    pub(crate) async fn get(self: &Arc<Self>, ask: impl Fn(&Arc<Self>)) -> Result<Arc<Loaded>, ApiError> {
        let mut states = self.state.subscribe();
        let mut waited = false;
        loop {
            let state = states.borrow_and_update().clone();
            match state {
                State::Ready(loaded) => {
                    self.touch();
                    *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
                    return Ok(loaded);
                }
                State::Starting => {
                    let message = format!("the model `{}` is loading; ask again soon", self.name);
                    return Err(ApiError::busy("model_loading", message, 2));
                }
                State::Failed(why) if waited => return Err(self.not_loaded(&why)),
                State::Asleep | State::Failed(_) => ask(self),
                State::Loading | State::Leaving(_) => {}
                State::Ended => return Err(ApiError::busy("ending", "the server is ending", 5)),
            }
            waited = true;
            // The slot holds the other end.
            let _ = states.changed().await;
        }
    }

    fn not_loaded(&self, why: &NotLoaded) -> ApiError {
        match why {
            NotLoaded::TooLarge { needed, budget } => {
                let e = ServerError::Budget { name: self.name.clone(), needed: *needed, budget: *budget };
                ApiError::new(507, "model_too_large", e.to_string()).about("model")
            }
            NotLoaded::Failed(why) => {
                let message = format!("the model `{}` could not be loaded: {why}", self.name);
                ApiError::busy("model_failed", message, 10)
            }
        }
    }

    /// Whether it was to be loaded, and is now.
    pub(crate) fn begin(&self) -> bool {
        self.state.send_if_modified(|s| {
            let begins = matches!(s, State::Asleep | State::Failed(_));
            if begins {
                *s = State::Loading;
            }
            begins
        })
    }

    /// Not to be loaded before somebody asks.
    pub(crate) fn wait_for_request(&self) {
        self.state.send_replace(State::Asleep);
    }

    /// Whether somebody waits for it.
    pub(crate) fn is_awaited(&self) -> bool {
        matches!(&*self.state.borrow(), State::Loading)
    }

    /// Loads it; it takes so many bytes.
    pub(crate) fn load(&self, bytes: u64, life: &Arc<Life>) -> Result<(), NotLoaded> {
        let loaded = catch_unwind(AssertUnwindSafe(&self.load));
        let serving = loaded.unwrap_or_else(|_| Err("loading it panicked".into())).map_err(NotLoaded::Failed);
        let Serving { runner, template, stops } = serving.inspect_err(|why| self.fail(why.clone()))?;
        let loaded = Arc::new(Loaded {
            name: self.name.clone(),
            model: runner.model(),
            runner,
            turns: Turns::new(),
            template,
            stops,
            grammars: Grammars::default(),
            bytes,
            keep: Mutex::new(None),
            life: Arc::clone(life),
        });
        self.touch();
        self.state.send_if_modified(|s| {
            let wanted = !matches!(s, State::Ended);
            if wanted {
                *s = State::Ready(loaded);
            }
            wanted
        });
        Ok(())
    }

    /// It was not loaded; who waits is told.
    pub(crate) fn fail(&self, why: NotLoaded) {
        self.state.send_if_modified(|s| {
            let waits = !matches!(s, State::Ended);
            if waits {
                *s = State::Failed(why);
            }
            waits
        });
    }

    /// When a request last came for it.
    pub(crate) fn asked(&self) -> Instant {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn touch(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// How long no request has had it; `None` where one has, or it is not in memory.
    pub(crate) fn idle(&self) -> Option<Duration> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        match &*self.state.borrow() {
            State::Ready(loaded) | State::Leaving(loaded) if Arc::strong_count(loaded) == 1 => {
                Some(used.elapsed())
            }
            State::Ready(_) | State::Leaving(_) => {
                *used = Instant::now();
                None
            }
            _ => None,
        }
    }

    /// Whether no request has had it for longer than it is to stay; `usual` where no client has said how long that is.
    pub(crate) fn is_forgotten(&self, usual: Option<Duration>) -> bool {
        let Some(idle) = self.idle() else { return false };
        let stays = match &*self.state.borrow() {
            State::Ready(loaded) => loaded.stays(usual),
            _ => None,
        };
        stays.is_some_and(|most| idle >= most)
    }

    /// Seconds since 1970 at which it will be unloaded if nobody asks; `None` is never.
    pub(crate) fn expires(&self, usual: Option<Duration>) -> Option<u64> {
        let stays = match &*self.state.borrow() {
            State::Ready(loaded) | State::Leaving(loaded) => loaded.stays(usual)?,
            _ => return None,
        };
        let left = stays.saturating_sub(self.idle().unwrap_or_default());
        now().checked_add(left.as_secs())
    }

    /// Gives its memory back, unless a request has taken it meanwhile. Whether it did.
    pub(crate) fn sleep(&self) -> bool {
        let mut gone = None;
        self.state.send_if_modified(|s| {
            let unused =
                matches!(s, State::Ready(loaded) | State::Leaving(loaded) if Arc::strong_count(loaded) == 1);
            if unused {
                // It waits for its thread, and not under this lock.
                gone = Some(std::mem::replace(s, State::Asleep));
            }
            unused
        });
        gone.is_some()
    }

    /// Has new requests wait, so that the last one that has it ends; or no longer.
    pub(crate) fn leave(&self, leaves: Leaves) {
        self.state.send_if_modified(|s| {
            let next = match (&*s, leaves) {
                (State::Ready(loaded), Leaves::Soon) => State::Leaving(Arc::clone(loaded)),
                (State::Leaving(loaded), Leaves::NotNow) => State::Ready(Arc::clone(loaded)),
                _ => return false,
            };
            *s = next;
            true
        });
    }

    /// Has it unloaded once no request has it.
    pub(crate) fn unload(&self) {
        if let Some(loaded) = self.loaded() {
            loaded.keep(KeepAlive::For(Duration::ZERO));
        }
    }

    /// Forgets the model for good. Its engine ends with the last request that has it.
    pub(crate) fn end(&self) {
        self.state.send_replace(State::Ended);
    }

    fn is(&self, name: &str) -> bool {
        self.name == name || self.aliases.iter().any(|a| a == name)
    }
}

/// Whether a model makes way for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaves {
    Soon,
    NotNow,
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

    /// Whether requests for any of them are answered, be it after loading it.
    pub(crate) fn are_ready(&self) -> bool {
        !self.0.iter().any(|s| matches!(&*s.state.borrow(), State::Starting | State::Ended))
    }
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}
