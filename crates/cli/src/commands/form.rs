//! What the options of structured output and reasoning mean: a grammar for the model, and two voices for the reader.

use crate::args::Form;
use crate::error::CliError;
use crate::output::Output;
use crate::text::{Bound, read_text};
use akunu::grammar::{Grammar, GrammarSource, GrammarStart};
use akunu::reasoning::{ReasoningFormat, ReasoningSplitter, Voice};
use akunu::tools::shown;
use akunu::{GenerateOptions, Model, Reasoning, TokenEvent};
use std::path::Path;
use std::sync::Arc;

/// The marks of a model's thoughts, by its own template.
pub(super) fn reasoning(model: &Model) -> Option<ReasoningFormat> {
    ReasoningFormat::of_template(model.tokenizer().ok()?.data().chat_template.as_deref()?)
}

/// Bounds an answer to this prompt as the options say.
pub(super) fn bind(
    a: &Form,
    model: &Model,
    format: Option<ReasoningFormat>,
    prompt: &str,
    options: &mut GenerateOptions,
    out: &Output,
) -> Result<(), CliError> {
    options.reasoning = budget(a, format, prompt);
    tell_unmarked(a, format, out);
    let start = start(format.filter(|f| f.begun_by(prompt)));
    options.sampling.grammar = source(a)?.map(|s| model.grammar(&s, &start)).transpose()?;
    Ok(())
}

/// The bound on thoughts after this prompt.
fn budget(a: &Form, format: Option<ReasoningFormat>, prompt: &str) -> Option<Reasoning> {
    let (format, budget) = (format?, a.reasoning_budget.filter(|n| *n < u32::MAX)?);
    Some(Reasoning { format, begun: format.begun_by(prompt), budget })
}

fn tell_unmarked(a: &Form, format: Option<ReasoningFormat>, out: &Output) {
    if format.is_none() && (a.reasoning_budget.is_some() || a.hide_reasoning) {
        out.notice("the model's chat template marks no thoughts; --reasoning-budget and --hide-reasoning change nothing");
    }
}

/// What many answers must follow.
pub(super) struct Bounds<'a> {
    form: &'a Form,
    format: Option<ReasoningFormat>,
    at_once: Option<Arc<Grammar>>,
    after_thoughts: Option<Arc<Grammar>>,
}

impl<'a> Bounds<'a> {
    /// By the options, for any prompt of a model that marks its thoughts so.
    pub(super) fn new(
        a: &'a Form,
        format: Option<ReasoningFormat>,
        model: &Model,
        out: &Output,
    ) -> Result<Self, CliError> {
        tell_unmarked(a, format, out);
        let source = source(a)?;
        let grammar = |start| source.as_ref().map(|s| model.grammar(s, &start)).transpose();
        let after_thoughts = if format.is_some() { grammar(start(format))? } else { None };
        Ok(Self { form: a, format, at_once: grammar(start(None))?, after_thoughts })
    }

    /// How long the answer to this prompt may be thought about.
    pub(super) fn thoughts(&self, prompt: &str) -> Option<Reasoning> {
        budget(self.form, self.format, prompt)
    }

    /// What the answer to this prompt must follow.
    pub(super) fn of(&self, prompt: &str) -> Option<Arc<Grammar>> {
        let begun = self.format.is_some_and(|f| f.begun_by(prompt));
        if begun { self.after_thoughts.clone() } else { self.at_once.clone() }
    }
}

/// Where a grammar begins: after thoughts that the prompt has begun.
fn start(thoughts: Option<ReasoningFormat>) -> GrammarStart {
    thoughts.map_or(GrammarStart::AtOnce, |format| GrammarStart::After(format.close.into()))
}

/// What the answer must follow.
fn source(a: &Form) -> Result<Option<GrammarSource>, CliError> {
    let read = |option: &str, given: &str, itself: &str| {
        let path = Path::new(given);
        if given.trim().is_empty() || !path.exists() {
            let what = format!("{option} {given}: no such file, and no {itself}; give one of the two");
            return Err(CliError::Usage(what));
        }
        read_text(path, Bound::Prompt)
    };
    if let Some(given) = &a.schema {
        let itself = given.trim_start().starts_with('{') || matches!(given.trim(), "true" | "false");
        let text = if itself { given.clone() } else { read("--schema", given, "schema ({…})")? };
        return Ok(Some(GrammarSource::JsonSchema(text)));
    }
    if let Some(given) = &a.grammar {
        if given.contains("::=") {
            return Ok(Some(GrammarSource::Gbnf(given.clone())));
        }
        let text = read("--grammar", given, "GBNF (root ::= …)")?;
        let lark = Path::new(given).extension().is_some_and(|e| e.eq_ignore_ascii_case("lark"));
        return Ok(Some(if lark { GrammarSource::Lark(text) } else { GrammarSource::Gbnf(text) }));
    }
    Ok(a.regex.clone().map(GrammarSource::Regex))
}

/// Prints an answer as it comes: thoughts dimmed on a terminal, or not at all.
pub(super) struct Voices<'a> {
    model: &'a Model,
    splitter: Option<(ReasoningSplitter, ReasoningFormat)>,
    hide: bool,
    /// Whether thoughts are told apart by how they look; else the text goes out as the model writes it.
    dim: bool,
    /// Text by voice, so far.
    pub(super) thoughts: String,
    pub(super) answer: String,
}

impl<'a> Voices<'a> {
    pub(super) fn new(
        model: &'a Model,
        format: Option<ReasoningFormat>,
        prompt: &str,
        hide: bool,
        out: &Output,
    ) -> Self {
        let splitter = format.map(|f| (ReasoningSplitter::new(f, prompt), f));
        Self { model, splitter, hide, dim: out.dims(), thoughts: String::new(), answer: String::new() }
    }

    /// Whether thoughts are left out.
    pub(super) fn hides(&self) -> bool {
        self.hide
    }

    /// Takes a token.
    pub(super) fn take(&mut self, event: TokenEvent<'_>, out: &Output) -> Result<(), CliError> {
        let Some((splitter, format)) = &mut self.splitter else {
            self.answer.push_str(event.text);
            return print(event.text, out);
        };
        let text = match self.model.tokenizer() {
            Ok(t) => shown(t, event.token, event.text, format.marks),
            Err(_) => event.text,
        };
        let mut pieces = Vec::new();
        splitter.push(text, &mut pieces);
        if !self.hide && !self.dim {
            print(event.text, out)?;
        }
        self.put(pieces, out)
    }

    /// The end of the answer.
    pub(super) fn finish(&mut self, out: &Output) -> Result<(), CliError> {
        let mut pieces = Vec::new();
        if let Some((splitter, _)) = &mut self.splitter {
            splitter.finish(&mut pieces);
        }
        self.put(pieces, out)
    }

    fn put(&mut self, pieces: Vec<(Voice, String)>, out: &Output) -> Result<(), CliError> {
        for (voice, text) in pieces {
            let (hidden, apart) = (self.hide, self.hide || self.dim);
            match voice {
                Voice::Reasoning => {
                    if self.dim && !hidden {
                        print(&format!("\x1b[2m{text}\x1b[0m"), out)?;
                    }
                    self.thoughts.push_str(&text);
                }
                Voice::Answer => {
                    if apart {
                        let first = self.answer.is_empty() && !self.thoughts.is_empty() && !hidden;
                        print(if first { "\n\n" } else { "" }, out)?;
                        print(&text, out)?;
                    }
                    self.answer.push_str(&text);
                }
            }
        }
        Ok(())
    }
}

fn print(text: &str, out: &Output) -> Result<(), CliError> {
    if out.is_json() || text.is_empty() { Ok(()) } else { out.text(text) }
}
