//! The models that are served: by name, loaded when the server starts or when somebody asks, unloaded when nobody does.

use crate::error::{ApiError, shown};
use crate::format::{Format, Grammars};
use crate::life::{Life, Phase};
use crate::options::{Load, Resident, Serving};
use crate::reading::{Calls, Reading};
use crate::request::Work;
use crate::tools::Tools;
use akunu::Engine;
use akunu::files::chat::{ChatTemplate, GenerationPrompt, Message};
use akunu::reasoning::ReasoningFormat;
use akunu::tools::ToolFormat;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;

/// A model that answers.
pub(crate) struct Loaded {
    /// The name by which it is listed.
    pub(crate) name: String,
    pub(crate) engine: Engine,
    /// One that takes the place of the model's own.
    template: Option<ChatTemplate>,
    /// Texts that end each answer, which the template's format has.
    pub(crate) stops: Vec<String>,
    pub(crate) grammars: Grammars,
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
        let mut work = Work::from(vec![self.engine.model().encode(&text)?]);
        work.reading = Reading { thoughts, tools: None };
        if let Some(tools) = tools {
            let format = self.tool_format()?;
            let calls = if tools.parallel { Calls::Several } else { Calls::One };
            work.reading.tools = Some((format, calls));
            let param = "tools".to_owned();
            work.format = tools.grammar(format, source).map(|source| Format { param, source });
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
        let model = self.engine.model();
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
    /// The last try failed; the next request has it tried again.
    Failed(String),
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
    /// Requests take what is `Ready` under its lock, so that who holds the lock for writing knows how many have it.
    state: watch::Sender<State>,
    /// When a request last had it.
    used: Mutex<Instant>,
}

impl Slot {
    pub(crate) fn new(name: String, aliases: Vec<String>, load: Load) -> Self {
        let (created, state) = (now(), watch::Sender::new(State::Starting));
        Self { name, aliases, created, load, state, used: Mutex::new(Instant::now()) }
    }

    /// The model, if it is loaded.
    pub(crate) fn loaded(&self) -> Option<Arc<Loaded>> {
        match &*self.state.borrow() {
            State::Ready(loaded) => Some(Arc::clone(loaded)),
            _ => None,
        }
    }

    /// The model. One that is not in memory is loaded first; one that the server is starting with is not waited for.
    pub(crate) async fn get(self: &Arc<Self>, loader: &Loader) -> Result<Arc<Loaded>, ApiError> {
        let mut states = self.state.subscribe();
        let mut waited = false;
        loop {
            let state = states.borrow_and_update().clone();
            match state {
                State::Ready(loaded) => {
                    *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
                    return Ok(loaded);
                }
                State::Starting => {
                    let message = format!("the model `{}` is loading; ask again soon", self.name);
                    return Err(ApiError::busy("model_loading", message, 2));
                }
                State::Failed(why) if waited => {
                    let message = format!("the model `{}` could not be loaded: {why}", self.name);
                    return Err(ApiError::busy("model_failed", message, 10));
                }
                State::Asleep | State::Failed(_) => loader.ask(self),
                State::Loading => {}
                State::Ended => return Err(ApiError::busy("ending", "the server is ending", 5)),
            }
            waited = true;
            // The slot holds the other end.
            let _ = states.changed().await;
        }
    }

    /// Whether it was to be loaded, and is now.
    fn begin(&self) -> bool {
        self.state.send_if_modified(|s| {
            let begins = matches!(s, State::Asleep | State::Failed(_));
            if begins {
                *s = State::Loading;
            }
            begins
        })
    }

    /// Loads it. The error is one line for people.
    fn load(&self, life: &Arc<Life>) -> Result<(), String> {
        let loaded = catch_unwind(AssertUnwindSafe(&self.load));
        match loaded.unwrap_or_else(|_| Err("loading it panicked".into())) {
            Ok(Serving { engine, template, stops }) => {
                let (name, life) = (self.name.clone(), Arc::clone(life));
                let loaded =
                    Arc::new(Loaded { name, engine, template, stops, grammars: Grammars::default(), life });
                *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
                self.state.send_if_modified(|s| {
                    let wanted = !matches!(s, State::Ended);
                    if wanted {
                        *s = State::Ready(loaded);
                    }
                    wanted
                });
                Ok(())
            }
            Err(why) => {
                self.state.send_replace(State::Failed(why.clone()));
                Err(why)
            }
        }
    }

    /// How long no request has had it; `None` where one has, or it is not in memory.
    fn idle(&self) -> Option<Duration> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        match &*self.state.borrow() {
            State::Ready(loaded) if Arc::strong_count(loaded) == 1 => Some(used.elapsed()),
            State::Ready(_) => {
                *used = Instant::now();
                None
            }
            _ => None,
        }
    }

    /// Gives its memory back, unless a request has taken it meanwhile.
    fn sleep(&self) {
        let mut gone = None;
        self.state.send_if_modified(|s| {
            let unused = matches!(s, State::Ready(loaded) if Arc::strong_count(loaded) == 1);
            if unused {
                // It waits for its thread, and not under this lock.
                gone = Some(std::mem::replace(s, State::Asleep));
            }
            unused
        });
        drop(gone);
    }

    /// Forgets the model for good. Its engine ends with the last request that has it.
    pub(crate) fn end(&self) {
        self.state.send_replace(State::Ended);
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

    /// Whether requests for any of them are answered, be it after loading it.
    pub(crate) fn are_ready(&self) -> bool {
        !self.0.iter().any(|s| matches!(&*s.state.borrow(), State::Starting | State::Ended))
    }
}

/// Loads models on a thread of its own, one after the other, and gives back the memory of those that nobody asks for.
pub(crate) struct Loader {
    asked: Mutex<Sender<Arc<Slot>>>,
    /// Taken by the thread.
    asks: Mutex<Option<Receiver<Arc<Slot>>>>,
}

/// How often idle models are looked for.
const LOOK: Duration = Duration::from_millis(100);

impl Loader {
    pub(crate) fn new() -> Self {
        let (asked, asks) = channel();
        Self { asked: Mutex::new(asked), asks: Mutex::new(Some(asks)) }
    }

    /// Has a slot loaded, unless that is under way.
    fn ask(&self, slot: &Arc<Slot>) {
        if slot.begin() {
            let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            if asked.send(Arc::clone(slot)).is_err() {
                slot.end();
            }
        }
    }

    /// Loads what there is room for at the start, then what is asked for, until the server ends. At the start an error ends it.
    pub(crate) fn run(&self, models: &Models, resident: &Resident, life: &Arc<Life>) {
        let Some(asks) = self.asks.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        Self::serve(&asks, models, resident, life);
        // From here on who asks finds that nobody listens. Who asked before is told now.
        drop(asks);
        let waiting = models.0.iter().filter(|s| matches!(&*s.state.borrow(), State::Loading));
        waiting.for_each(|s| s.end());
    }

    fn serve(asks: &Receiver<Arc<Slot>>, models: &Models, resident: &Resident, life: &Arc<Life>) {
        let (now, later) = models.0.split_at(resident.most.unwrap_or(usize::MAX).min(models.0.len()));
        later.iter().for_each(|s| drop(s.state.send_replace(State::Asleep)));
        for slot in now {
            if let Err(why) = slot.load(life) {
                return life.fail(why);
            }
        }
        while life.phase() == Phase::Serving {
            if let Ok(slot) = asks.recv_timeout(LOOK) {
                if !models.make_room(resident, life) {
                    return;
                }
                // Whoever asked is told.
                let _ = slot.load(life);
            }
            let forgotten =
                |s: &&Arc<Slot>| s.idle().zip(resident.idle).is_some_and(|(idle, most)| idle >= most);
            models.0.iter().filter(forgotten).for_each(|s| s.sleep());
        }
    }
}

impl Models {
    /// Waits until there is room for one model more: those that no request has make way, the one first that was asked for the
    /// longest time ago. False where the server ends.
    fn make_room(&self, resident: &Resident, life: &Life) -> bool {
        let Some(most) = resident.most else { return true };
        loop {
            if self.0.iter().filter(|s| matches!(&*s.state.borrow(), State::Ready(_))).count() < most {
                return true;
            }
            match self.0.iter().filter_map(|s| Some((s.idle()?, s))).max_by_key(|(idle, _)| *idle) {
                Some((_, slot)) => slot.sleep(),
                None if life.phase() != Phase::Serving => return false,
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        }
    }
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}
