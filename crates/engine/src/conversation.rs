//! Conversations as programs write them (messages and tools, as JSON or as values), and what they become: a prompt, what is to be read
//! out of its answer, and what the answer must follow.
//!
//! Deliberately absent: what an interface over HTTP refuses beyond that; it has parameters to name.

use crate::Error;
use crate::grammar::{Grammar, GrammarSource, GrammarStart};
use crate::model::Model;
use crate::reading::{Calls, Reading};
use crate::reasoning::ReasoningFormat;
use crate::tools::{Tool, ToolFormat};
use akunu_kernels::step::Token;
use akunu_model::chat::{ChatTemplate, GenerationPrompt, Message};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The most messages and tools that are read from JSON.
const MOST: usize = 65_536;

/// Roles that templates know, beside newer names of them.
const ROLES: &[(&str, &str)] = &[
    ("system", "system"),
    ("developer", "system"),
    ("user", "user"),
    ("assistant", "assistant"),
    ("tool", "tool"),
];

/// Which calls an answer may have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// As the model likes.
    #[default]
    Auto,
    /// At least one. Their arguments follow the tools' schemas.
    Required,
    /// One of this tool. Its arguments follow the tool's schema.
    Named(String),
}

/// A conversation, and what may be called in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    /// The messages, oldest first.
    pub messages: Vec<Message>,
    /// The tools that the model is told of.
    pub tools: Vec<Tool>,
    /// Which calls the answer may have.
    pub choice: ToolChoice,
}

/// The next turn of a conversation, ready to be drawn.
#[derive(Debug)]
pub struct Turn {
    /// The prompt as the model's template writes it.
    pub text: String,
    /// The same as tokens.
    pub tokens: Vec<Token>,
    /// What is to be read out of the answer.
    pub reading: Reading,
    /// What the answer must follow, where tools must be called.
    pub grammar: Option<Arc<Grammar>>,
}

impl Conversation {
    /// From JSON: a list of messages (`role`, `content`, and what templates know beside: `tool_calls`, `tool_call_id`, `name`,
    /// `reasoning_content`), and a list of tools (`{"type": "function", "function": {"name", "description", "parameters"}}`, or the
    /// inner object alone).
    pub fn parse(messages: &str, tools: Option<&str>) -> Result<Self, Error> {
        let messages = list("messages", messages)?;
        if messages.is_empty() {
            return Err(refuse("messages", "an empty list", "give at least one message"));
        }
        let messages = messages.into_iter().enumerate().map(|(i, v)| message(i, v));
        let tools = tools.map(|t| list("tools", t)).transpose()?.unwrap_or_default();
        let tools = tools.into_iter().enumerate().map(|(i, v)| tool(i, v)).collect::<Result<Vec<_>, _>>()?;
        if let Some(i) = (1..tools.len()).find(|i| tools[..*i].iter().any(|t| t.name == tools[*i].name)) {
            let value = format!("two with the name `{}`", tools[i].name);
            return Err(refuse("tools", &value, "give each a name of its own"));
        }
        Ok(Self { messages: messages.collect::<Result<_, _>>()?, tools, choice: ToolChoice::Auto })
    }
}

impl Model {
    /// A conversation as the model's template writes it.
    pub fn render(&self, conversation: &Conversation, prompt: GenerationPrompt) -> Result<String, Error> {
        let tools: Vec<Value> = conversation.tools.iter().map(told).collect();
        Ok(self.template()?.render_with(&conversation.messages, &tools, prompt)?)
    }

    /// The next turn of a conversation. An error where tools are given and the model's template knows none.
    pub fn converse(&self, conversation: &Conversation) -> Result<Turn, Error> {
        let source = self.template()?.source();
        let text = self.render(conversation, GenerationPrompt::Add)?;
        let thoughts = ReasoningFormat::of_template(source).map(|f| (f, f.begun_by(&text)));
        let mut reading = Reading { thoughts, tools: None };
        let mut grammar = None;
        if !conversation.tools.is_empty() {
            let format =
                ToolFormat::of_template(source).filter(|_| source.contains("tools")).ok_or_else(|| {
                    let remedy = "leave the tools out, or choose a model that was trained for them";
                    refuse("tools", "not known to the model's chat template", remedy)
                })?;
            let calls = if format.most_calls() > 1 { Calls::Several } else { Calls::One };
            reading.tools = Some((format, calls));
            if let Some(calls) = must_call(conversation, format, source)? {
                // Thoughts come before the calls.
                let start = match thoughts {
                    Some((f, true)) => GrammarStart::After(f.close.into()),
                    _ => GrammarStart::AtOnce,
                };
                grammar = Some(self.grammar(&calls, &start)?);
            }
        } else if conversation.choice != ToolChoice::Auto {
            return Err(refuse("the choice of tools", "a call, and there is no tool", "give the tool"));
        }
        Ok(Turn { tokens: self.encode(&text)?, text, reading, grammar })
    }

    fn template(&self) -> Result<&ChatTemplate, Error> {
        match (self.chat_template(), self.chat_template_error()) {
            (Some(template), _) => Ok(template),
            (None, Some(e)) => Err(refuse("the chat template", &e.to_string(), "prompt with plain text")),
            (None, None) => Err(Error::NoChatTemplate),
        }
    }
}

/// What an answer must follow that has to call something.
fn must_call(c: &Conversation, format: ToolFormat, template: &str) -> Result<Option<GrammarSource>, Error> {
    let (tools, most): (Vec<&Tool>, u32) = match &c.choice {
        ToolChoice::Auto => return Ok(None),
        ToolChoice::Required => (c.tools.iter().collect(), format.most_calls()),
        ToolChoice::Named(name) => (c.tools.iter().filter(|t| t.name == *name).collect(), 1),
    };
    if tools.is_empty() {
        return Err(refuse("the choice of tools", "one that is not among them", "name one of the tools"));
    }
    Ok(Some(GrammarSource::Calls(format.calls(template, &tools, most))))
}

/// A tool as templates know it.
fn told(tool: &Tool) -> Value {
    let mut function = json!({ "name": tool.name });
    if let Some(description) = &tool.description {
        function["description"] = description.as_str().into();
    }
    function["parameters"] = tool.schema();
    json!({ "type": "function", "function": function })
}

fn refuse(name: &'static str, value: &str, remedy: &'static str) -> Error {
    Error::Option { name, value: value.into(), remedy }
}

fn list(name: &'static str, text: &str) -> Result<Vec<Value>, Error> {
    match serde_json::from_str(text) {
        Ok(Value::Array(all)) if all.len() <= MOST => Ok(all),
        Ok(Value::Array(all)) => Err(refuse(name, &format!("a list of {}", all.len()), "give at most 65536")),
        Ok(_) => Err(refuse(name, "JSON but no list", "write a list of objects")),
        Err(e) => Err(refuse(name, &format!("no JSON ({e})"), "write a list of objects")),
    }
}

fn object(name: &'static str, i: usize, v: Value) -> Result<Map<String, Value>, Error> {
    match v {
        Value::Object(map) => Ok(map),
        _ => Err(refuse(name, &format!("no object at index {i}"), "write a list of objects")),
    }
}

fn message(i: usize, v: Value) -> Result<Message, Error> {
    const NAME: &str = "messages";
    let mut map = object(NAME, i, v)?;
    let role = map.remove("role");
    let known = ROLES.iter().find(|(name, _)| role.as_ref().is_some_and(|r| r == name));
    let Some((_, role)) = known else {
        let value = format!("without a known `role` at index {i}");
        return Err(refuse(NAME, &value, "write system, user, assistant or tool"));
    };
    let content = match map.remove("content") {
        Some(Value::String(text)) => text,
        // Who calls need not say anything.
        None | Some(Value::Null) if map.contains_key("tool_calls") => String::new(),
        _ => {
            let value = format!("without a text in `content` at index {i}");
            return Err(refuse(NAME, &value, "write it as a string"));
        }
    };
    map.retain(|_, v| !v.is_null());
    if let Some(calls) = map.get_mut("tool_calls") {
        read_arguments(i, calls)?;
    }
    Ok(Message { role: (*role).into(), content, more: map })
}

/// Arguments of calls are objects to templates; programs often write them as text.
fn read_arguments(i: usize, calls: &mut Value) -> Result<(), Error> {
    let wrong = || {
        let value = format!("with `tool_calls` that are none at index {i}");
        refuse(
            "messages",
            &value,
            "write a list of {\"type\": \"function\", \"function\": {\"name\", \"arguments\"}}",
        )
    };
    for call in calls.as_array_mut().ok_or_else(wrong)? {
        let function = call.get_mut("function").and_then(Value::as_object_mut).ok_or_else(wrong)?;
        if !function.get("name").is_some_and(Value::is_string) {
            return Err(wrong());
        }
        let arguments = function.entry("arguments").or_insert_with(|| json!({}));
        if let Value::String(text) = arguments {
            *arguments = serde_json::from_str(text).map_err(|_| wrong())?;
        }
        if !arguments.is_object() {
            return Err(wrong());
        }
    }
    Ok(())
}

fn tool(i: usize, v: Value) -> Result<Tool, Error> {
    const NAME: &str = "tools";
    let mut map = object(NAME, i, v)?;
    if let Some(Value::Object(inner)) = map.remove("function") {
        map = inner;
    }
    let name = map.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() || name.len() > 64 || !name.chars().all(fine) {
        let value = format!("without a usable `name` at index {i}");
        return Err(refuse(NAME, &value, "write 1 to 64 letters, digits, hyphens, underscores and dots"));
    }
    let description = map.get("description").and_then(Value::as_str).map(String::from);
    let parameters = match map.remove("parameters") {
        None | Some(Value::Null) => json!({}),
        Some(v @ Value::Object(_)) => v,
        Some(_) => {
            let value = format!("with `parameters` that are no object at index {i}");
            return Err(refuse(NAME, &value, "write a JSON schema"));
        }
    };
    Ok(Tool { name, description, parameters })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_tools_are_read() {
        let messages = r#"[{"role": "developer", "content": "a"}, {"role": "user", "content": "b", "name": null},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{\"x\": 1}"}}]},
            {"role": "tool", "content": "7", "tool_call_id": "1"}]"#;
        let tools = r#"[{"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}}, {"name": "g"}]"#;
        let c = Conversation::parse(messages, Some(tools)).unwrap();
        assert_eq!(c.messages[..2], [Message::new("system", "a"), Message::new("user", "b")]);
        assert_eq!(c.messages[2].more["tool_calls"][0]["function"]["arguments"], json!({"x": 1}));
        assert_eq!((c.tools[0].name.as_str(), c.tools[0].description.as_deref()), ("f", Some("d")));
        assert_eq!((c.tools[1].name.as_str(), &c.tools[1].parameters), ("g", &json!({})));
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_place() {
        for (messages, tools, what) in [
            ("", None, "messages is no JSON"),
            ("{}", None, "no list"),
            ("[]", None, "an empty list"),
            ("[5]", None, "no object at index 0"),
            (r#"[{"role": "robot", "content": "x"}]"#, None, "`role` at index 0"),
            (r#"[{"role": "user"}]"#, None, "`content` at index 0"),
            (r#"[{"role": "user", "content": 5}]"#, None, "`content` at index 0"),
            (r#"[{"role": "assistant", "content": "", "tool_calls": 5}]"#, None, "`tool_calls`"),
            (
                r#"[{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "["}}]}]"#,
                None,
                "`tool_calls`",
            ),
            (
                r#"[{"role": "user", "content": "x"}]"#,
                Some("[{}]"),
                "tools is without a usable `name` at index 0",
            ),
            (
                r#"[{"role": "user", "content": "x"}]"#,
                Some(r#"[{"name": "f", "parameters": 5}]"#),
                "`parameters`",
            ),
            (
                r#"[{"role": "user", "content": "x"}]"#,
                Some(r#"[{"name": "f"}, {"name": "f"}]"#),
                "two with the name `f`",
            ),
        ] {
            let e = Conversation::parse(messages, tools).expect_err(messages).to_string();
            assert!(e.contains(what), "{messages}: {e}");
        }
    }
}
