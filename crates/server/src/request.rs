//! A request that has passed the guards: its body, and the way from there to answers.

use crate::error::ApiError;
use crate::generate::Generation;
use crate::json;
use crate::metrics::Account;
use crate::models::Loaded;
use crate::params::{self, Ask, On};
use crate::reply::{self, Reply};
use crate::server::Shared;
use crate::stream::{EventStream, Writer};
use akunu::Token;
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
    account: Account,
}

impl Incoming {
    /// Reads the body, finds its model, and lets `work` read what is the route's own, beside what else the server does: a long
    /// text takes long.
    pub(crate) async fn work<T: Send + 'static>(
        self,
        on: On,
        work: impl FnOnce(&Loaded, &Map<String, Value>, &Ask) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        self.read(on, work).await.map(|(_, _, value)| value)
    }

    /// The same, for what is to be generated: `work` makes the prompts.
    pub(crate) async fn ask(
        self,
        on: On,
        work: impl FnOnce(&Loaded, &Map<String, Value>, &Ask) -> Result<Vec<Vec<Token>>, ApiError>
        + Send
        + 'static,
    ) -> Result<Asked, ApiError> {
        let shared = Arc::clone(&self.shared);
        let account = Account::new(&shared.metrics);
        let (loaded, ask, prompts) = self.read(on, work).await?;
        Ok(Asked { shared, loaded, ask, prompts, account })
    }

    async fn read<T: Send + 'static>(
        self,
        on: On,
        work: impl FnOnce(&Loaded, &Map<String, Value>, &Ask) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<(Arc<Loaded>, Ask, T), ApiError> {
        let Self { shared, body, room, .. } = self;
        let body = blocking(move || json::object(&body)).await?;
        let slot = {
            let name = body.get("model").filter(|v| !v.is_null());
            let name = name.map(|v| v.as_str().ok_or_else(|| ApiError::type_of("model", "a string", v)));
            Arc::clone(shared.models.find(name.transpose()?)?)
        };
        let loaded = slot.get(&shared.loader).await?;
        blocking(move || {
            let mut ask = Ask::new(loaded.engine.model().sampling_defaults(), on);
            params::apply(&body, on, &mut ask)?;
            let value = work(&loaded, &body, &ask)?;
            drop(room);
            Ok((loaded, ask, value))
        })
        .await
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
        Generation::start(self.loaded, self.prompts, &self.ask, self.account)
    }

    /// The same, answered as a stream.
    pub(crate) fn stream(self, writer: Box<dyn Writer>) -> Result<Response<Reply>, ApiError> {
        let patience = self.shared.options.keep_alive;
        Ok(reply::stream(EventStream::new(self.start()?, writer, patience)))
    }
}
