//! A request that has passed the guards: its body, and the way from there to answers.

use crate::error::ApiError;
use crate::generate::Generation;
use crate::json;
use crate::metrics::Account;
use crate::models::{Loaded, Slot};
use crate::multipart::{self, File, Form};
use crate::params::{self, Ask, On};
use crate::reply::{self, Reply};
use crate::shared::Shared;
use crate::stream::{EventStream, Writer};
use crate::work::Work;
use crate::{samplers, thinking};
use akunu::grammar::{Aside, Grammar, GrammarStart};
use akunu::reading::Reading;
use akunu::{Reasoning, Token};
use bytes::Bytes;
use hyper::Response;
use serde_json::{Map, Value};
use std::sync::Arc;
use tokio::sync::OwnedSemaphorePermit;

/// A request.
pub(crate) struct Incoming {
    pub(crate) shared: Arc<Shared>,
    /// What stands in its path in the place of a name, decoded.
    pub(crate) tail: String,
    pub(crate) body: Bytes,
    /// The type that its head says.
    pub(crate) content_type: Option<String>,
    /// The room that its body takes; given back when the body is not needed any more.
    pub(crate) room: Option<OwnedSemaphorePermit>,
}

/// What is asked of a model.
pub(crate) struct Asked {
    shared: Arc<Shared>,
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) ask: Ask,
    /// In tokens.
    pub(crate) prompts: Vec<Vec<Token>>,
    reading: Reading,
    thoughts: Option<Reasoning>,
    /// Parameters that the answer repeats.
    pub(crate) echo: Map<String, Value>,
    account: Account,
}

/// When a request's work is done.
#[derive(Clone, Copy)]
enum Order {
    /// Beside others'.
    Any,
    /// After that of those who came before, where the model is of the route's kind.
    InTurn(fn(&Loaded) -> Result<(), ApiError>),
}

impl Incoming {
    /// Reads the body, finds its model, and lets `work` read what is the route's own, beside what else the server does: a long
    /// text takes long.
    pub(crate) async fn work<T: Send + 'static>(
        self,
        on: On,
        work: impl FnOnce(&Loaded, &Map<String, Value>, &Ask) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        self.read(on, Order::Any, work).await.map(|(_, _, value)| value)
    }

    /// The same, for one request after the other of an encoder's.
    pub(crate) async fn work_in_turn<T: Send + 'static>(
        self,
        on: On,
        work: impl FnOnce(&Loaded, &Map<String, Value>, &Ask) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        self.read(on, Order::InTurn(|l| l.embedder().map(|_| ())), work).await.map(|(_, _, value)| value)
    }

    /// The same, for one request after the other of a model that `fits`.
    pub(crate) async fn work_in_turn_of<T: Send + 'static>(
        self,
        on: On,
        fits: fn(&Loaded) -> Result<(), ApiError>,
        work: impl FnOnce(&Loaded, &Map<String, Value>, &Ask) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        self.read(on, Order::InTurn(fits), work).await.map(|(_, _, value)| value)
    }

    /// The same of a form with audio, for one request after the other of a model of speech.
    pub(crate) async fn hear<T: Send + 'static>(
        self,
        on: On,
        work: impl FnOnce(&Loaded, &Map<String, Value>, &Ask, File) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let (bytes, kind) = (self.body.clone(), self.content_type.clone());
        let Form { body, file } = blocking(move || multipart::form(kind.as_deref(), &bytes, on)).await?;
        let order = Order::InTurn(|l| l.transcriber().map(|_| ()));
        let work = move |l: &Loaded, body: &Map<String, Value>, ask: &Ask| work(l, body, ask, file);
        self.with(body, on, order, work).await.map(|(_, _, value)| value)
    }

    /// The same, for what is to be generated: `work` makes the prompts.
    pub(crate) async fn ask(
        self,
        on: On,
        work: impl FnOnce(&Loaded, &Map<String, Value>, &Ask) -> Result<Work, ApiError> + Send + 'static,
    ) -> Result<Asked, ApiError> {
        let shared = Arc::clone(&self.shared);
        let account = Account::new(&shared.metrics);
        let bound = move |loaded: &Loaded, body: &Map<String, Value>, ask: &Ask| {
            let work = work(loaded, body, ask)?;
            let thoughts = thinking::bound(ask.thinking.as_ref(), work.reading.thoughts)?;
            let grammar = work.grammar(loaded, ask)?;
            Ok((work, thoughts, grammar))
        };
        let (loaded, mut ask, (work, thoughts, grammar)) = self.read(on, Order::Any, bound).await?;
        ask.sampling.grammar = grammar;
        let Work { prompts, reading, echo, .. } = work;
        Ok(Asked { shared, loaded, ask, prompts, reading, thoughts, echo, account })
    }

    /// The model that a body names.
    pub(crate) fn slot(&self, body: &Map<String, Value>) -> Result<&Arc<Slot>, ApiError> {
        let name = body.get("model").filter(|v| !v.is_null());
        let name = name.map(|v| v.as_str().ok_or_else(|| ApiError::type_of("model", "a string", v)));
        self.shared.models.find(name.transpose()?)
    }

    async fn read<T: Send + 'static>(
        self,
        on: On,
        order: Order,
        work: impl FnOnce(&Loaded, &Map<String, Value>, &Ask) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<(Arc<Loaded>, Ask, T), ApiError> {
        let bytes = self.body.clone();
        let body = blocking(move || json::object(&bytes)).await?;
        self.with(body, on, order, work).await
    }

    async fn with<T: Send + 'static>(
        self,
        body: Map<String, Value>,
        on: On,
        order: Order,
        work: impl FnOnce(&Loaded, &Map<String, Value>, &Ask) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<(Arc<Loaded>, Ask, T), ApiError> {
        let slot = Arc::clone(self.slot(&body)?);
        let Self { shared, room, body: bytes, .. } = self;
        drop(bytes);
        let loaded = shared.model(&slot).await?;
        let turn = match order {
            Order::Any => None,
            // A model of another kind says so at once.
            Order::InTurn(fits) => {
                fits(&loaded)?;
                Some(loaded.turns.take(shared.options.queue).await?)
            }
        };
        blocking(move || {
            #[cfg(test)]
            crate::panics::at(
                crate::panics::WORK,
                body.get("user").map_or("", |v| v.as_str().unwrap_or("")).as_bytes(),
            );
            let mut ask = Ask::new(loaded.model.sampling_defaults(), on);
            params::apply(&body, on, &mut ask)?;
            samplers::settle(&mut ask, &loaded.model)?;
            if let Some(keep) = ask.keep_alive {
                loaded.keep(keep);
            }
            let value = work(&loaded, &body, &ask)?;
            drop((room, turn));
            Ok((loaded, ask, value))
        })
        .await
    }
}

impl Work {
    /// What the answers must follow, compiled.
    fn grammar(&self, loaded: &Loaded, ask: &Ask) -> Result<Option<Arc<Grammar>>, ApiError> {
        let format = match (&ask.format, &self.format) {
            (Some(a), Some(b)) => {
                let message =
                    format!("an answer follows one of `{}` and `{}`; leave one out", a.param, b.param);
                return Err(ApiError::value(&a.param, message));
            }
            (Some(a), None) if self.reading.tools.is_some() => {
                let message = format!(
                    "`{}` binds the whole answer, which calls no tools then; leave it or `tools` out",
                    a.param
                );
                return Err(ApiError::value(&a.param, message));
            }
            (a, b) => a.as_ref().or(b.as_ref()),
        };
        let Some(format) = format else { return Ok(None) };
        let start = match (self.mark, self.reading.thoughts) {
            (Some(mark), thoughts) => {
                let first = thoughts
                    .map(|(t, begun)| Aside { open: (!begun).then(|| t.open.into()), close: t.close.into() });
                GrammarStart::If { first, mark: mark.into() }
            }
            (None, Some((thoughts, true))) => GrammarStart::After(thoughts.close.into()),
            (None, _) => GrammarStart::AtOnce,
        };
        loaded.grammars.get(&loaded.model, format, start).map(Some)
    }
}

/// Runs what computes on a thread for such work. A panic there is this request's alone.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| {
        Err(ApiError::internal("this request met an error of the server's own; others go on"))
    })
}

impl Asked {
    /// Hands it to the engine.
    pub(crate) fn start(self) -> Result<Generation, ApiError> {
        let Self { loaded, prompts, reading, thoughts, ask, account, .. } = self;
        let generation = Generation::start(loaded, prompts, &ask, (&reading, thoughts), account)?;
        #[cfg(test)]
        crate::panics::asked(crate::panics::START, &ask);
        Ok(generation)
    }

    /// The same, answered as a stream.
    pub(crate) fn stream(self, writer: Box<dyn Writer>) -> Result<Response<Reply>, ApiError> {
        #[cfg(test)]
        let writer = crate::panics::writer(&self.ask, writer);
        let patience = self.shared.options.keep_alive;
        Ok(reply::stream(EventStream::new(self.start()?, writer, patience)))
    }
}
