//! Sessions on disk, with the conversation that they hold.

use crate::error::CliError;
use akunu::files::chat::Message;
use akunu::files::destination::Destination;
use akunu::{Session, Source};
use serde_json::{Value, json};
use std::path::Path;

/// Refuses a place where no session can be saved, before anything is loaded.
pub(super) fn check(path: &Path, source: &Source) -> Result<(), CliError> {
    let destination = Destination::of(path)?;
    match destination.file() {
        Some(file) if source.holds(file)? => Err(CliError::Usage(format!(
            "{} is the model itself; save the session to another file",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// Saves a session with its conversation.
pub(super) fn save(session: &Session, messages: &[Message], path: &Path) -> Result<(), CliError> {
    let messages: Vec<Value> =
        messages.iter().map(|m| json!({ "role": m.role, "content": m.content })).collect();
    Ok(session.save(path, json!({ "messages": messages }).to_string().as_bytes())?)
}

/// Loads a session; its conversation, empty where it was saved without one.
pub(super) fn load(session: &mut Session, path: &Path) -> Result<Vec<Message>, CliError> {
    let attached = session.load(path)?;
    let broken =
        || CliError::Other(format!("{}: its conversation cannot be read; save it anew", path.display()));
    let v: Value = serde_json::from_slice(&attached).map_err(|_| broken())?;
    let all = v["messages"].as_array().ok_or_else(broken)?;
    let one = |m: &Value| Some(Message::new(m["role"].as_str()?, m["content"].as_str()?));
    all.iter().map(one).collect::<Option<_>>().ok_or_else(broken)
}
