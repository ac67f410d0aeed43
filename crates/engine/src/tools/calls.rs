//! What an answer that must call a tool looks like, by format.

use super::ToolFormat;
use crate::grammar::{CallKind, CallText};
use serde_json::{Map, Value, json};

/// A tool that may be called.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// A JSON schema of its arguments, an object; empty where it says nothing.
    pub parameters: Value,
}

impl Tool {
    /// The schema of its arguments, which are an object in any case.
    pub fn schema(&self) -> Value {
        let mut schema = self.parameters.as_object().cloned().unwrap_or_default();
        schema.entry("type").or_insert_with(|| "object".into());
        if !schema.contains_key("$ref") {
            schema.entry("properties").or_insert_with(|| Map::new().into());
        }
        schema.into()
    }
}

/// The most calls of one answer.
const MOST: u32 = 16;

impl ToolFormat {
    /// The most calls that an answer in this format may have.
    pub fn most_calls(self) -> u32 {
        match self {
            // An object by itself.
            Self::Llama3 | Self::Gemma => 1,
            Self::Hermes | Self::Mistral => MOST,
        }
    }

    /// A text of one to `most` calls of these tools, as a model with this chat template writes them.
    pub fn calls(self, template: &str, tools: &[&Tool], most: u32) -> CallText {
        let named = template.contains("[ARGS]");
        let key = match self {
            Self::Llama3 | Self::Gemma => "parameters",
            Self::Hermes | Self::Mistral => "arguments",
        };
        let kind = |tool: &&Tool| {
            let object = format!("{{\"name\": {}, \"{key}\": ", json!(tool.name));
            let (open, close) = match self {
                Self::Llama3 | Self::Gemma => (object, "}".into()),
                Self::Hermes => (format!("<tool_call>\n{object}"), "}\n</tool_call>".into()),
                Self::Mistral if named => (format!("[TOOL_CALLS]{}[ARGS]", tool.name), String::new()),
                Self::Mistral => (object, "}".into()),
            };
            CallKind { open, schema: tool.schema().to_string(), close }
        };
        let (before, separator, after) = match self {
            Self::Mistral if !named => ("[TOOL_CALLS] [", ", ", "]"),
            Self::Hermes => ("", "\n", ""),
            _ => ("", "", ""),
        };
        CallText {
            before: before.into(),
            kinds: tools.iter().map(kind).collect(),
            separator: separator.into(),
            most,
            after: after.into(),
            marks: self.marks(),
        }
    }
}
