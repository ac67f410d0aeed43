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
            otherwise: None,
            marks: self.marks(),
        }
    }

    /// The same where the model may as well call nothing, and where that begins: without the mark that is looked for then. `None` for
    /// a format in which calls cannot be told from text before they are over.
    pub fn calls_if_any(
        self,
        template: &str,
        tools: &[&Tool],
        most: u32,
    ) -> Option<(CallText, Option<&'static str>)> {
        let mut text = self.calls(template, tools, most);
        let without = |text: &mut CallText, mark: &str| {
            for kind in &mut text.kinds {
                kind.open = kind.open.strip_prefix(mark).unwrap_or(&kind.open).to_owned();
            }
        };
        match self {
            Self::Hermes => {
                without(&mut text, "<tool_call>\n");
                text.separator = "\n<tool_call>\n".into();
                Some((text, Some("<tool_call>")))
            }
            Self::Mistral if text.before.is_empty() => {
                without(&mut text, "[TOOL_CALLS]");
                text.separator = "[TOOL_CALLS]".into();
                Some((text, Some("[TOOL_CALLS]")))
            }
            Self::Mistral => {
                text.before = "[".into();
                Some((text, Some("[TOOL_CALLS]")))
            }
            // A call is the whole answer, and begins it.
            Self::Llama3 => {
                text.otherwise = Some(NO_CALL);
                Some((text, None))
            }
            Self::Gemma => None,
        }
    }
}

/// An answer that Llama 3 does not begin with a call, nor has one in.
const NO_CALL: &str = r"/[ \t\r\n]*[^ \t\r\n{](.|\n)*/ & ~/(.|\n)*<\|python_tag\|>(.|\n)*/";
