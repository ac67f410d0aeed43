//! The template that a conversation is written with: the model's own, or the one that the user names.

use crate::error::CliError;
use crate::text::{Bound, read_text};
use akunu::Model;
use akunu::files::chat::{ChatTemplate, GenerationPrompt, Message, NAMED, NamedTemplate};

/// A template and what ends an answer.
pub(crate) struct Template<'a> {
    jinja: Jinja<'a>,
    /// Texts that end an answer, where the format has some.
    pub(crate) stops: &'static [&'static str],
}

enum Jinja<'a> {
    Own(&'a ChatTemplate),
    Chosen(Box<ChatTemplate>),
}

impl<'a> Template<'a> {
    /// The chosen template, else the model's own, else none.
    pub(crate) fn of(model: &'a Model, chosen: Option<&str>) -> Result<Option<Self>, CliError> {
        if let Some(chosen) = chosen {
            return Self::chosen(model, chosen).map(Some);
        }
        if let Some(e) = model.chat_template_error() {
            return Err(CliError::Other(format!("{e}, or --chat-template NAME|FILE to use another")));
        }
        Ok(model.chat_template().map(|own| Self { jinja: Jinja::Own(own), stops: &[] }))
    }

    /// `chosen` is a name, Jinja itself, or a file of it.
    fn chosen(model: &Model, chosen: &str) -> Result<Self, CliError> {
        let tokenizer = model.tokenizer()?;
        let compile = |source: &str, stops| {
            let jinja = Jinja::Chosen(Box::new(ChatTemplate::for_tokenizer(source, tokenizer)?));
            Ok(Self { jinja, stops })
        };
        if let Some(named) = NamedTemplate::find(chosen) {
            return compile(named.source, named.stops);
        }
        if chosen.contains("{%") || chosen.contains("{{") {
            return compile(chosen, &[]);
        }
        let path = std::path::Path::new(chosen);
        if !path.exists() {
            return Err(CliError::Usage(format!(
                "--chat-template {chosen}: no such file, and no format of that name; choose one of {}, or give a file",
                names()
            )));
        }
        compile(&read_text(path, Bound::Prompt)?, &[])
    }

    /// The conversation as the model reads it, up to where its answer begins.
    pub(crate) fn render(&self, messages: &[Message]) -> Result<String, CliError> {
        let jinja = match &self.jinja {
            Jinja::Own(own) => own,
            Jinja::Chosen(chosen) => &**chosen,
        };
        Ok(jinja.render(messages, GenerationPrompt::Add)?)
    }

    /// The chosen template, if it is not the model's own, and what ends an answer.
    pub(crate) fn into_parts(self) -> (Option<ChatTemplate>, Vec<String>) {
        let stops = self.stops.iter().map(|s| (*s).to_owned()).collect();
        match self.jinja {
            Jinja::Own(_) => (None, stops),
            Jinja::Chosen(chosen) => (Some(*chosen), stops),
        }
    }

    /// The user's stop strings and the format's.
    pub(crate) fn with_stops(&self, stops: &[String]) -> Vec<String> {
        stops.iter().cloned().chain(self.stops.iter().map(|s| (*s).to_owned())).collect()
    }
}

/// What is said of a model without a template.
pub(crate) fn none() -> String {
    format!(
        "the model has no chat template; give it one with --chat-template NAME|FILE ({}), or continue plain text with \
         `akunu run --raw`",
        names()
    )
}

/// The formats that have a name.
pub(crate) fn names() -> String {
    NAMED.iter().map(|t| t.name).collect::<Vec<_>>().join(", ")
}
