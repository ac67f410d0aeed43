//! `akunu chat`: a conversation in the terminal that keeps its KV cache between turns.

use super::{check_context, load, load_options, prefill, sampling, source};
use crate::args::{Chat, Machine};
use crate::error::CliError;
use crate::interrupt;
use crate::output::{Output, bytes};
use akunu::files::chat::{ChatTemplate, GenerationPrompt, Message};
use akunu::{Control, Error, FinishReason, GenerateOptions, Model, Overflow, Session, Timing};
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

const HELP: &str = "\
/reset          forget the conversation
/system TEXT    set the system prompt and forget the conversation
/stats          tokens, context, memory and speed
/help           this text
/quit           leave (also Ctrl-D)
End a line with \\ to go on in the next one. Ctrl-C stops an answer.";

/// A conversation and what its last answer took.
struct Talk<'a> {
    model: &'a Model,
    template: &'a ChatTemplate,
    session: Session,
    messages: Vec<Message>,
    options: GenerateOptions,
    last: String,
}

/// Runs the command.
pub(crate) fn run(a: &Chat, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    if out.is_json() {
        return Err(CliError::Usage("chat is for people; programs use `akunu run --json`".into()));
    }
    let source = source(Some(&a.model), None, out)?;
    let model = load(&source, &load_options(machine, &source, 1)?, out)?;
    if let Some(e) = model.chat_template_error() {
        return Err(CliError::Other(e.to_string()));
    }
    let Some(template) = model.chat_template() else {
        return Err(CliError::Other(
            "the model has no chat template that works, so it cannot hold a conversation; use `akunu run --raw`".into(),
        ));
    };
    let options = GenerateOptions {
        sampling: sampling(&model, &a.sampling),
        overflow: Overflow::End,
        ..GenerateOptions::default()
    };
    let mut talk = Talk {
        model: &model,
        template,
        session: model.session()?,
        messages: a.system.iter().map(|s| Message::new("system", s)).collect(),
        options,
        last: "no answer yet".into(),
    };
    interrupt::install();
    check_context(&model, out);
    out.note(&format!(
        "{} on {}, context {} tokens. /help lists commands.",
        model.config().name.as_deref().unwrap_or(&a.model),
        model.device().name,
        talk.session.context()
    ));
    talk.conversation(out)?;
    Ok(0)
}

/// A line of input, with its continuations.
fn read(editor: &mut DefaultEditor) -> Result<Option<String>, CliError> {
    let mut text = String::new();
    loop {
        let prompt = if text.is_empty() { "> " } else { ". " };
        match interrupt::waiting(|| editor.readline(prompt)) {
            Ok(line) => match line.strip_suffix('\\') {
                Some(more) => {
                    text.push_str(more);
                    text.push('\n');
                }
                None => {
                    text.push_str(&line);
                    return Ok(Some(text));
                }
            },
            // Ctrl-C at the prompt drops the line.
            Err(ReadlineError::Interrupted) => text.clear(),
            Err(ReadlineError::Eof) => return Ok(None),
            Err(e) => return Err(CliError::Other(format!("cannot read the terminal: {e}"))),
        }
    }
}

impl Talk<'_> {
    fn conversation(&mut self, out: &Output) -> Result<(), CliError> {
        let mut editor = DefaultEditor::new()
            .map_err(|e| CliError::Other(format!("cannot use the terminal: {e}; use `akunu run` instead")))?;
        let history = akunu_hub::cache_dir()?.join("chat_history");
        // A missing or unwritable history is no reason not to talk.
        let _ = editor.load_history(&history);
        while let Some(line) = read(&mut editor)? {
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            let _ = editor.add_history_entry(line);
            interrupt::clear();
            match line.split_once(char::is_whitespace).unwrap_or((line, "")) {
                ("/quit" | "/exit", _) => break,
                ("/help", _) => out.line(HELP)?,
                ("/reset", _) => {
                    self.messages.retain(|m| m.role == "system");
                    out.note("forgotten");
                }
                ("/system", text) => {
                    self.messages.clear();
                    if !text.trim().is_empty() {
                        self.messages.push(Message::new("system", text.trim()));
                    }
                    out.note("system prompt set; the conversation starts anew");
                }
                ("/stats", _) => self.stats(out),
                (c, _) if c.starts_with('/') => out.note(&format!("no command {c}; /help lists them")),
                _ => self.answer(line, out)?,
            }
        }
        let _ = editor.save_history(&history);
        Ok(())
    }

    /// One turn. An error that the user can mend leaves the conversation as it was.
    fn answer(&mut self, text: &str, out: &Output) -> Result<(), CliError> {
        self.messages.push(Message::new("user", text));
        match self.generate(out) {
            // An answer that never began leaves no trace.
            Ok(None) => drop(self.messages.pop()),
            Ok(Some(answer)) => self.messages.push(Message::new("assistant", &answer)),
            Err(e @ CliError::Stdout(_)) => return Err(e),
            Err(e) => {
                self.messages.pop();
                out.error(&e);
                if matches!(e, CliError::Engine(Error::ContextFull { .. })) {
                    out.note("the conversation is as it was; /reset starts anew");
                }
            }
        }
        Ok(())
    }

    /// Renders, runs what is new and answers; `None` where the user stopped it before the first word.
    fn generate(&mut self, out: &Output) -> Result<Option<String>, CliError> {
        let text = self.template.render(&self.messages, GenerationPrompt::Add)?;
        let tokens = self.model.encode(&text)?;
        // What the cache holds already is not run again.
        let same = self.session.tokens().iter().zip(&tokens).take_while(|(a, b)| a == b).count();
        self.session.rewind(same.min(tokens.len().saturating_sub(1)) as u32)?;
        let kept = self.session.kv_len();
        let from = self.session.position() as usize;
        let read = prefill(&mut self.session, &tokens[from..], self.model, out)?;
        if interrupt::asked() {
            return Ok(None);
        }
        let mut failed = None;
        let g = self.session.generate(&self.options, &mut |event| {
            if let Err(e) = out.text(event.text) {
                failed = Some(e);
            }
            if failed.is_some() || interrupt::asked() { Control::Stop } else { Control::Continue }
        })?;
        if let Some(e) = failed {
            return Err(e);
        }
        out.line("")?;
        if g.finish_reason == FinishReason::ContextFull {
            out.note("the context is full; /reset starts anew, --ctx N makes it longer");
        }
        let prompt =
            Timing { tokens: read.tokens + g.prefill.tokens, seconds: read.seconds + g.prefill.seconds };
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
        Ok(Some(g.text))
    }

    fn stats(&self, out: &Output) {
        out.note(&format!(
            "{} of {} tokens used, KV cache {} in use; {}; {}",
            self.session.position(),
            self.session.context(),
            bytes(self.session.kv_bytes()),
            self.model.device().name,
            self.last
        ));
    }
}
