//! `/v1/models`.

use crate::error::ApiError;
use crate::models::Slot;
use crate::reply::{self, Reply};
use crate::request::Incoming;
use hyper::Response;
use serde_json::{Value, json};

/// All models.
pub(crate) fn list(request: &Incoming) -> Response<Reply> {
    let all: Vec<Value> = request.shared.models.0.iter().map(|s| object(s)).collect();
    reply::json(200, &json!({ "object": "list", "data": all }))
}

/// One model, by any of its names.
pub(crate) fn one(request: &Incoming) -> Result<Response<Reply>, ApiError> {
    Ok(reply::json(200, &object(request.shared.models.find(Some(&request.tail))?)))
}

fn object(slot: &Slot) -> Value {
    let loaded = slot.loaded();
    json!({
        "id": slot.name, "object": "model", "created": slot.created, "owned_by": "akunu",
        "aliases": slot.aliases, "loaded": loaded.is_some(), "max_model_len": loaded.map(|l| l.context()),
    })
}
