//! What all requests of a server share.

use crate::error::ApiError;
use crate::guard::Guard;
use crate::life::{Life, Phase};
use crate::loader::Loader;
use crate::metrics::Metrics;
use crate::models::{Loaded, Models, Slot};
use crate::options::Options;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The server's settings, models and limits; there is one of it.
pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) models: Models,
    pub(crate) loader: Loader,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) guard: Guard,
    pub(crate) life: Arc<Life>,
    pub(crate) bodies: Arc<Semaphore>,
}

impl Shared {
    /// Whether nothing new is to be sent here.
    pub(crate) fn is_ending(&self) -> bool {
        self.life.phase() != Phase::Serving
    }

    /// A slot's model, loaded first where it is not in memory.
    pub(crate) async fn model(&self, slot: &Arc<Slot>) -> Result<Arc<Loaded>, ApiError> {
        slot.get(|slot| self.loader.ask(slot)).await
    }
}
