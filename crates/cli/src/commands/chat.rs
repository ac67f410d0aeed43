//! `akunu chat`: a conversation in the terminal that keeps its KV cache between turns.

mod input;
mod room;

use super::form::{self, Voices};
use super::template::{self, Template};
use super::{check_context, keep_common, load, load_options, prefill, sampling, saved, source};
use crate::args::{Chat, Form, Machine, Overflow, SETTINGS, Sampling, Setting};
use crate::error::CliError;
use crate::interrupt;
use crate::output::Output;
use crate::units::bytes;
use akunu::files::chat::Message;
use akunu::{Control, Error, FinishReason, GenerateOptions, Generation, Model, Session, Source, Timing};
use input::{Input, Line};
use std::path::Path;

const HELP: &str = "\
/system         show the system prompt
/system TEXT    set it and forget the conversation; a dash removes it
/reset          forget the conversation (also /clear)
/regen          answer the last question anew
/save FILE      save the conversation with its KV cache
/load FILE      go on from a saved one
/set            show what can be set, and what is
/set NAME VALUE set it: temp, top-k, max-tokens, system, …
/stats          tokens, context, memory, speed, temperature and seed
/help           this text
/quit           leave (also /bye, Ctrl-D, or Ctrl-C twice)
End a line with \\ to go on in the next one. Ctrl-C stops an answer.";

/// A conversation and what its last answer took.
struct Talk<'a> {
    model: &'a Model,
    source: &'a Source,
    template: Template<'a>,
    session: Session,
    messages: Vec<Message>,
    options: GenerateOptions,
    /// The sampling options so far.
    given: Sampling,
    overflow: Overflow,
    form: Form,
    /// The seed of the first answer; each further one adds 1.
    seed: u64,
    answers: u64,
    /// The user knows that the oldest turns leave.
    told: bool,
    last: String,
}

/// Runs the command.
pub(crate) fn run(a: &Chat, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    if out.is_json() {
        return Err(CliError::Usage("chat is for people; programs use `akunu run --json`".into()));
    }
    let source = source(Some(&a.model), None, out)?;
    let model = load(&source, &load_options(machine, &source)?, out)?;
    let template = Template::of(&model, a.chat_template.as_deref())?;
    let template = template.ok_or_else(|| CliError::Other(template::none()))?;
    let options = GenerateOptions {
        max_tokens: a.max_tokens.unwrap_or(u32::MAX),
        sampling: sampling(&model, &a.sampling)?,
        stop: template.with_stops(&a.stop),
        ..GenerateOptions::default()
    };
    let mut talk = Talk {
        model: &model,
        source: &source,
        template,
        session: super::session(&model, &a.drafting, machine, out)?,
        messages: a.system.iter().map(|s| Message::new("system", s)).collect(),
        overflow: a.overflow,
        form: a.form.clone(),
        given: a.sampling.clone(),
        seed: options.sampling.seed,
        answers: 0,
        told: false,
        options,
        last: "no answer yet".into(),
    };
    interrupt::install();
    interrupt::stops(&talk.session);
    check_context(&model, out);
    let mut input = Input::open()?;
    if input.is_terminal() {
        out.note(&format!(
            "{} on {}, context {} tokens. /help lists commands.",
            model.config().name.as_deref().unwrap_or(&a.model),
            model.device().name,
            talk.session.context()
        ));
    }
    let code = talk.conversation(&mut input, out);
    if talk.answers > 0 {
        out.note(&talk.drawn());
    }
    code
}

/// A person is told of an error and goes on; a program's conversation ends with it.
fn told(done: Result<(), CliError>, input: &Input, out: &Output) -> Result<(), CliError> {
    match done {
        Err(e) if input.is_terminal() && !matches!(e, CliError::Stdout(_)) => {
            out.error(&e);
            if matches!(e, CliError::Engine(Error::ContextFull { .. })) {
                out.note("the conversation is as it was; /reset starts anew");
            }
            Ok(())
        }
        other => other,
    }
}

impl Talk<'_> {
    /// Goes on until the user leaves; gives the exit code. A person is told of an error and goes on; a program's
    /// conversation ends with it.
    fn conversation(&mut self, input: &mut Input, out: &Output) -> Result<u8, CliError> {
        loop {
            let text = match input.read(out)? {
                Line::Text(text) => text,
                Line::End => return Ok(0),
                Line::Interrupted => return Ok(interrupt::CTRL_C),
            };
            let line = text.trim();
            if line.is_empty() {
                continue;
            }
            interrupt::clear();
            match line.split_once(char::is_whitespace).unwrap_or((line, "")) {
                ("/quit" | "/exit" | "/bye", _) => return Ok(0),
                ("/help" | "/?", _) => out.line(HELP)?,
                ("/reset" | "/clear", _) => {
                    self.messages.retain(|m| m.role == "system");
                    out.note("forgotten");
                }
                ("/system", text) => self.system(text.trim(), out)?,
                ("/stats", _) => self.stats(out),
                (c @ ("/regen" | "/save" | "/load" | "/set"), rest) => {
                    let done = match c {
                        "/regen" => self.regenerate(out),
                        "/save" => self.save(rest.trim(), out),
                        "/load" => self.load(rest.trim(), out),
                        _ => self.set(rest.trim(), out),
                    };
                    told(done, input, out)?;
                }
                (c, _) if c.starts_with('/') => {
                    let unknown = format!("no command {c}; /help lists them");
                    if !input.is_terminal() {
                        return Err(CliError::Other(unknown));
                    }
                    out.note(&unknown);
                }
                _ => told(self.answer(line, out), input, out)?,
            }
            // Ctrl-C stops an answer; only where nobody could ask for the next one does it end the conversation, too.
            if interrupt::ending() || (interrupt::asked() && !input.is_terminal()) {
                return Ok(interrupt::code());
            }
        }
    }

    /// Shows, sets or removes the system prompt.
    fn system(&mut self, text: &str, out: &Output) -> Result<(), CliError> {
        if text.is_empty() {
            return match self.messages.first().filter(|m| m.role == "system") {
                Some(m) => out.line(&m.content),
                None => out.line("no system prompt (the model's template may write one of its own)"),
            };
        }
        self.messages.clear();
        if text == "-" {
            out.note("system prompt removed; the conversation starts anew");
        } else {
            self.messages.push(Message::new("system", text));
            out.note("system prompt set; the conversation starts anew");
        }
        Ok(())
    }

    /// One turn. An error leaves the conversation as it was.
    fn answer(&mut self, text: &str, out: &Output) -> Result<(), CliError> {
        let before = self.messages.clone();
        self.messages.push(Message::new("user", text));
        match self.generate(out) {
            Ok(Some(answer)) => self.messages.push(Message::new("assistant", &answer)),
            // An answer that never began leaves no trace.
            Ok(None) => self.messages = before,
            Err(e) => {
                self.messages = before;
                return Err(e);
            }
        }
        Ok(())
    }

    /// Answers the last question anew, with the next seed.
    fn regenerate(&mut self, out: &Output) -> Result<(), CliError> {
        let Some(last) = self.messages.pop_if(|m| m.role == "assistant") else {
            out.note("there is no answer yet");
            return Ok(());
        };
        let done = self.generate(out);
        let again = matches!(done, Ok(Some(_)));
        self.messages.push(match done {
            Ok(Some(ref answer)) => Message::new("assistant", answer),
            _ => last,
        });
        if !again && done.is_ok() {
            out.note("the answer is as it was");
        }
        done.map(|_| ())
    }

    fn save(&self, path: &str, out: &Output) -> Result<(), CliError> {
        if path.is_empty() {
            return Err(CliError::Usage("name a file: /save FILE".into()));
        }
        saved::check(Path::new(path), self.source)?;
        saved::save(&self.session, &self.messages, Path::new(path))?;
        out.note(&format!(
            "saved {} messages, {} tokens to {path}",
            self.messages.len(),
            self.session.position()
        ));
        Ok(())
    }

    fn load(&mut self, path: &str, out: &Output) -> Result<(), CliError> {
        if path.is_empty() {
            return Err(CliError::Usage("name a file: /load FILE".into()));
        }
        self.messages = saved::load(&mut self.session, Path::new(path))?;
        out.note(&format!("loaded {} messages, {} tokens", self.messages.len(), self.session.position()));
        Ok(())
    }

    /// Shows what is set, or sets it from the next answer on.
    fn set(&mut self, text: &str, out: &Output) -> Result<(), CliError> {
        let (name, value) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let value = value.trim();
        match (name, value) {
            ("", _) => {
                out.note(&format!("{}; /set NAME VALUE sets one of {SETTINGS}", self.drawn()));
                return Ok(());
            }
            ("system", _) => return self.system(value, out),
            _ => {}
        }
        let setting = Setting::parse(name, value)?;
        let seeded = setting.sampling.seed.is_some();
        let mut given = self.given.clone();
        given.take_over(setting.sampling);
        let mut sampling = sampling(self.model, &given)?;
        if seeded {
            (self.seed, self.answers) = (sampling.seed, 0);
        } else {
            sampling.seed = self.options.sampling.seed;
        }
        (self.given, self.options.sampling) = (given, sampling);
        self.options.max_tokens = setting.max_tokens.unwrap_or(self.options.max_tokens);
        out.note(&format!("from the next answer on: {}", self.drawn()));
        Ok(())
    }

    /// Renders, runs what is new and answers; `None` where the user stopped it before the first word.
    fn generate(&mut self, out: &Output) -> Result<Option<String>, CliError> {
        let tokens = self.fit(out)?;
        // What the cache holds already is not run again.
        let from = keep_common(&mut self.session, &tokens)?;
        let kept = self.session.kv_len();
        let read = prefill(&mut self.session, &tokens[from..], self.model, out)?;
        if interrupt::asked() {
            return Ok(None);
        }
        let leaving = self.leaving(&tokens)?;
        self.options.overflow = leaving.overflow.clone();
        let mut failed = None;
        let prompt = self.template.render(&self.messages)?;
        let format = form::reasoning(self.model);
        form::bind(&self.form, self.model, format, &prompt, &mut self.options, out)?;
        let mut voices = Voices::new(self.model, format, &prompt, self.form.hide_reasoning, out);
        let g = self.session.generate(&self.options, &mut |event| {
            if let Err(e) = voices.take(event, out) {
                failed = Some(e);
            }
            if failed.is_some() || interrupt::asked() { Control::Stop } else { Control::Continue }
        })?;
        if let Some(e) = failed {
            return Err(e);
        }
        voices.finish(out)?;
        out.line("")?;
        self.forget(leaving.after(g.shifts), g.shifts, out);
        if g.finish_reason == FinishReason::ContextFull {
            out.note(
                "the context is full; /reset starts anew, --ctx N makes it longer, --overflow shift goes on",
            );
        }
        self.account(&g, kept, read);
        // Thoughts leave the conversation with their answer, as templates have it.
        let answer = if voices.thoughts.is_empty() { g.text } else { voices.answer };
        Ok((!g.tokens.is_empty()).then_some(answer))
    }

    fn account(&mut self, g: &Generation, kept: u32, read: Timing) {
        let prompt =
            Timing { tokens: read.tokens + g.prefill.tokens, seconds: read.seconds + g.prefill.seconds };
        self.answers += 1;
        // The next answer draws anew.
        self.options.sampling.seed = self.options.sampling.seed.wrapping_add(1);
        self.last = format!(
            "last answer: {kept} tokens kept, {} prefilled at {:.1}/s, {} generated at {:.1}/s, {}",
            prompt.tokens,
            prompt.per_second(),
            g.tokens.len(),
            g.decode.per_second(),
            g.finish_reason.as_str()
        );
    }

    fn stats(&self, out: &Output) {
        out.note(&format!(
            "{} of {} tokens used, KV cache {} in use; {}; {}; {}",
            self.session.position(),
            self.session.context(),
            bytes(self.session.kv_bytes()),
            self.model.device().name,
            self.last,
            self.drawn(),
        ));
    }

    /// How the answers were drawn, to get them again.
    fn drawn(&self) -> String {
        let how = &self.options.sampling;
        match self.answers {
            0 | 1 => format!("{how}, seed {}", self.seed),
            n => format!("{n} answers, {how}, seed {} and 1 more for each further answer", self.seed),
        }
    }
}
