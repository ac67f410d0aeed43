//! What a route makes of a body.

use crate::format::Format;
use akunu::Token;
use akunu::reading::Reading;
use serde_json::{Map, Value};

/// Prompts, and what is read out of their answers.
#[derive(Default)]
pub(crate) struct Work {
    pub(crate) prompts: Vec<Vec<Token>>,
    /// What is read out of the answers.
    pub(crate) reading: Reading,
    /// What they must follow, where the body says it in more than one parameter.
    pub(crate) format: Option<Format>,
    /// The mark with which that begins, where it may never come.
    pub(crate) mark: Option<&'static str>,
    /// Parameters that the answer repeats.
    pub(crate) echo: Map<String, Value>,
}

impl From<Vec<Vec<Token>>> for Work {
    fn from(prompts: Vec<Vec<Token>>) -> Self {
        Self { prompts, ..Self::default() }
    }
}
