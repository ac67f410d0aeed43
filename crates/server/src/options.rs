//! What a server is made of, and its limits.

use akunu::files::chat::ChatTemplate;
use akunu::{Embedder, Engine, Model, Reranker, Transcriber};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What runs a model.
pub enum Runner {
    /// It draws tokens.
    Engine(Engine),
    /// It makes vectors of texts, for one request after the other.
    Embedder(Box<Mutex<Embedder>>),
    /// It scores pairs of texts, for one request after the other.
    Reranker(Box<Mutex<Reranker>>),
    /// It makes text of speech, for one request after the other.
    Transcriber(Box<Mutex<Transcriber>>),
}

impl Runner {
    pub(crate) fn model(&self) -> Model {
        match self {
            Self::Engine(engine) => engine.model().clone(),
            Self::Embedder(embedder) => embedder.lock().unwrap_or_else(PoisonError::into_inner).model(),
            Self::Reranker(r) => r.lock().unwrap_or_else(PoisonError::into_inner).model().clone(),
            Self::Transcriber(t) => t.lock().unwrap_or_else(PoisonError::into_inner).model().clone(),
        }
    }
}

/// A model that is ready to answer.
pub struct Serving {
    /// What runs it.
    pub runner: Runner,
    /// A chat template in the place of the model's own.
    pub template: Option<ChatTemplate>,
    /// Texts that end every answer, for formats whose ends are no tokens.
    pub stops: Vec<String>,
}

impl From<Engine> for Serving {
    fn from(engine: Engine) -> Self {
        Self { runner: Runner::Engine(engine), template: None, stops: Vec::new() }
    }
}

impl From<Embedder> for Serving {
    fn from(embedder: Embedder) -> Self {
        let runner = Runner::Embedder(Box::new(Mutex::new(embedder)));
        Self { runner, template: None, stops: Vec::new() }
    }
}

impl From<Reranker> for Serving {
    fn from(reranker: Reranker) -> Self {
        let runner = Runner::Reranker(Box::new(Mutex::new(reranker)));
        Self { runner, template: None, stops: Vec::new() }
    }
}

impl From<Transcriber> for Serving {
    fn from(transcriber: Transcriber) -> Self {
        let runner = Runner::Transcriber(Box::new(Mutex::new(transcriber)));
        Self { runner, template: None, stops: Vec::new() }
    }
}

/// Loads a model; the error is one line for people.
pub(crate) type Load = Box<dyn Fn() -> Result<Serving, String> + Send + Sync>;

/// How many bytes a model will take; the error is one line for people.
pub(crate) type Size = Box<dyn Fn() -> Result<u64, String> + Send + Sync>;

/// A model by its names, and how it is loaded.
pub struct ModelEntry {
    pub(crate) name: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) load: Load,
    pub(crate) size: Option<Size>,
}

impl ModelEntry {
    /// A model that is loaded on a thread of the server's, when it starts or when somebody asks ([`Options::resident`]).
    pub fn new(name: &str, load: impl Fn() -> Result<Serving, String> + Send + Sync + 'static) -> Self {
        Self { name: name.into(), aliases: Vec::new(), load: Box::new(load), size: None }
    }

    /// Other names of it.
    pub fn aliases(self, aliases: Vec<String>) -> Self {
        Self { aliases, ..self }
    }

    /// How many bytes of memory it takes once it is loaded, which [`Resident::memory`] needs to know before that. A model of which
    /// nobody knows counts as none.
    pub fn sized(self, size: impl Fn() -> Result<u64, String> + Send + Sync + 'static) -> Self {
        Self { size: Some(Box::new(size)), ..self }
    }
}

/// Who may connect to a server without keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutKey {
    /// Programs on the same machine.
    ThisMachine,
    /// Whoever reaches it.
    Anyone,
}

/// Which models are in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resident {
    /// The most at a time; `None` is all. Those beyond it are loaded when somebody asks for them, in the place of those that nobody
    /// has asked for the longest time.
    pub most: Option<usize>,
    /// The most bytes that all together may take ([`ModelEntry::sized`]); `None` is any number.
    pub memory: Option<u64>,
    /// How long a model stays in memory without a request, unless one says otherwise (ollama's `keep_alive`); `None` is for ever.
    pub idle: Option<Duration>,
}

/// How a server treats its clients.
#[derive(Clone, Debug)]
pub struct Options {
    /// Keys, one of which each request must show; none are needed where there are none.
    pub keys: Vec<String>,
    /// Who may connect where no key is needed.
    pub without_key: WithoutKey,
    /// Names by which clients may call this machine, beside `localhost` and all addresses; `*` is any.
    pub hosts: Vec<String>,
    /// Requests that a key may make in a minute; all clients together where there are no keys.
    pub rate: Option<u32>,
    /// Which models are in memory.
    pub resident: Resident,
    /// Bytes of a request's body; one more is refused.
    pub body: usize,
    /// The same of a form with audio.
    pub audio: usize,
    /// Bytes of the bodies that are held at a time, of all requests together.
    pub bodies: usize,
    /// Bytes of a request's head, and its header fields.
    pub head: (usize, usize),
    /// Messages of a conversation.
    pub messages: usize,
    /// Requests that wait for each encoder or model of speech; one more is refused. (An engine has a queue of its own.)
    pub queue: usize,
    /// Connections at a time.
    pub connections: usize,
    /// How long a request's head may take, and how long a connection may be silent between two requests.
    pub head_timeout: Duration,
    /// How long a body may take.
    pub body_timeout: Duration,
    /// How long a client may read nothing of what is there for it.
    pub write_timeout: Duration,
    /// How long a stream is silent before a comment is sent.
    pub keep_alive: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            keys: Vec::new(),
            without_key: WithoutKey::ThisMachine,
            hosts: Vec::new(),
            rate: None,
            resident: Resident::default(),
            body: 8 << 20,
            // OpenAI's.
            audio: 25 << 20,
            bodies: 64 << 20,
            head: (32 << 10, 64),
            messages: 4096,
            queue: 256,
            connections: 1024,
            head_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
            keep_alive: Duration::from_secs(15),
        }
    }
}
