//! Tool calls in what a model writes: text comes in as it is generated, events come out.
//!
//! A [`ToolParser`] is chosen by what the chat template writes around calls ([`ToolFormat::of_template`]). Its events
//! do not depend on how the text was cut into pieces, but for where [`ToolEvent::Text`] and [`ToolEvent::Arguments`]
//! are cut. Arguments are given out as they come, each character once, while they are valid JSON. A call that turns
//! out to be none is given back as text ([`ToolEvent::Broken`]).
//!
//! Control tokens have no text of their own; whoever feeds a parser gives the names of those in
//! [`ToolFormat::marks`] ([`shown`]).
//!
//! Deliberately absent: running tools, and schemas of their arguments (`grammar` has those).

mod calls;
mod gemma;
mod json;
mod parser;

use akunu_kernels::step::Token;
use akunu_model::tokenizer::Tokenizer;

pub use calls::Tool;
pub use parser::ToolParser;

/// How a family of models writes calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolFormat {
    /// Llama 3: the answer is a JSON object with `name` and `parameters`, possibly after `<|python_tag|>`.
    Llama3,
    /// Qwen and Hermes: JSON between `<tool_call>` and `</tool_call>`.
    Hermes,
    /// Mistral: `[TOOL_CALLS]` and a JSON list, or a name, `[ARGS]` and an object.
    Mistral,
    /// Gemma: a call in Python's words in a block `tool_code`, or JSON in a block or by itself.
    Gemma,
}

/// All formats.
pub const TOOL_FORMATS: &[ToolFormat] =
    &[ToolFormat::Llama3, ToolFormat::Hermes, ToolFormat::Mistral, ToolFormat::Gemma];

impl ToolFormat {
    /// The format that a chat template's marks belong to; `None` where it has none that is known.
    pub fn of_template(source: &str) -> Option<Self> {
        let has = |mark: &str| source.contains(mark);
        if has("[TOOL_CALLS]") {
            Some(Self::Mistral)
        } else if has("<tool_call>") {
            // Some newer families have XML between the same marks.
            (!has("<function=") && !has("<arg_key>")).then_some(Self::Hermes)
        } else if has("<|python_tag|>") || has("Environment: ipython") {
            Some(Self::Llama3)
        } else if has("<start_of_turn>") {
            Some(Self::Gemma)
        } else {
            None
        }
    }

    /// Texts that mean something to the parser and that a vocabulary may have as control tokens.
    pub fn marks(self) -> &'static [&'static str] {
        match self {
            Self::Llama3 => &["<|python_tag|>"],
            Self::Hermes => &["<tool_call>", "</tool_call>"],
            Self::Mistral => &["[TOOL_CALLS]", "[ARGS]", "[CALL_ID]"],
            Self::Gemma => &[],
        }
    }
}

/// What a model has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolEvent {
    /// Text that belongs to no call.
    Text(String),
    /// A call begins; calls of an answer count from 0.
    Begin {
        /// Which call.
        index: usize,
        /// The tool's name.
        name: String,
    },
    /// More of the arguments of the call that began last: a piece of a JSON object.
    Arguments(String),
    /// The call is complete.
    End,
    /// The call that began last is none, and its number is free again; or none had begun. This is all of it, as the
    /// model wrote it.
    Broken(String),
}

/// A whole call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool's name.
    pub name: String,
    /// A JSON object.
    pub arguments: String,
}

/// Events joined: the text, with broken calls in their places, and the calls.
pub fn join(events: &[ToolEvent]) -> (String, Vec<ToolCall>) {
    let (mut text, mut calls) = (String::new(), Vec::<ToolCall>::new());
    let mut open = false;
    for event in events {
        match event {
            ToolEvent::Text(t) => text.push_str(t),
            ToolEvent::Begin { name, .. } => {
                calls.push(ToolCall { name: name.clone(), arguments: String::new() });
                open = true;
            }
            ToolEvent::Arguments(a) => {
                if let Some(call) = calls.last_mut() {
                    call.arguments.push_str(a);
                }
            }
            ToolEvent::End => open = false,
            ToolEvent::Broken(t) => {
                if std::mem::take(&mut open) {
                    calls.pop();
                }
                text.push_str(t);
            }
        }
    }
    (text, calls)
}

/// The text of a token for a parser: what the detokenizer made of it, or its name where it is one of these marks.
pub fn shown<'t>(tokenizer: &'t Tokenizer, token: Token, text: &'t str, marks: &[&str]) -> &'t str {
    let name = tokenizer.token_text(token).filter(|_| tokenizer.is_control(token));
    name.filter(|n| marks.contains(n)).unwrap_or(text)
}
