//! `akunu run --batch`: a prompt in each line of a file, many answered at a time, the answers as lines of JSON in the same order.
//!
//! This thread submits lines and writes answers. A second one reads: a line when it is asked for one, so that a file need not be in
//! memory, and a pipe that is silent keeps no answer back. The engine's thread turns tokens into text.

mod line;

use super::form::{self, Bounds};
use super::template::Template;
use super::{
    batch_options, check_context, load, load_options, logprobs, overflow, prompt_template, random_seed,
    sampling, source, template as templates,
};
use crate::args::{Machine, Many, Run, Seed};
use crate::error::CliError;
use crate::interrupt;
use crate::output::Output;
use crate::text::{Bound, next_line};
use akunu::files::chat::Message;
use akunu::scheduler::{Event, Finished, Ticket};
use akunu::{
    BatchOptions, Control, Engine, EngineOptions, Eos, Error, FinishReason, LogProbs, Model, Request,
    Sampling, SequenceOptions, TextStream,
};
use indicatif::ProgressBar;
use line::{Line, Said};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Lines in the engine for each one that runs: who ends is followed at once.
const AHEAD: usize = 4;
/// The most lines that are known and not written: an answer that takes long holds those after it back.
const HELD: usize = 4096;
/// How often a signal is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// Runs the command.
pub(super) fn run(a: &Run, file: &Path, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    let input = Input::open(file)?;
    let source = source(Some(&a.model), None, out)?;
    interrupt::install();
    let start = Instant::now();
    let model = load(&source, &load_options(machine, &source)?, out)?;
    let load_ms = start.elapsed().as_secs_f64() * 1e3;
    check_context(&model, out);
    // Without one there is no text; said once, not of every line.
    model.tokenizer()?;
    let template = prompt_template(&model, a, out)?;
    let Many { sequences, deterministic, .. } = *a.many;
    let asked = BatchOptions { sequences, deterministic, drafts: a.drafting.look_up()?, cache_tokens: None };
    let options = batch_options(&model, asked, out)?;
    let sequences = model.batch_program(&options)?.capacity().seqs as usize;
    let engine = EngineOptions { batch: options, queue: usize::MAX, ..EngineOptions::default() };
    let engine = Engine::new(&model, &engine)?;
    let format = form::reasoning(&model).filter(|_| !a.raw);
    let (send, receive) = channel();
    let mut lines = Lines {
        a,
        model: &model,
        template,
        engine,
        out,
        defaults: Sampling { logprobs: a.logprobs, ..sampling(&model, &a.sampling)? },
        bounds: Bounds::new(&a.form, format, &model, out)?,
        send,
        slots: VecDeque::new(),
        first: 0,
        running: 0,
        count: Count::default(),
        fatal: None,
        bar: out.answers(),
    };
    let start = Instant::now();
    let path = input.name.clone();
    let asks = input.read_when_asked(lines.send.clone())?;
    let ended = lines.all(&receive, &asks, sequences, &path, start);
    lines.bar.finish_and_clear();
    ended?;
    lines.report(load_ms, start.elapsed().as_secs_f64());
    if interrupt::asked() {
        return Ok(interrupt::code());
    }
    match lines.fatal.take() {
        Some(e) => Err(e),
        None if lines.count.failed > 0 => Err(CliError::Lines {
            failed: lines.count.failed,
            all: lines.count.answered + lines.count.failed,
        }),
        None => Ok(0),
    }
}

/// Where lines come from.
struct Input {
    name: String,
    /// `None` is standard input.
    file: Option<File>,
}

/// What happens.
enum News {
    /// The line that was asked for; `None` is the end.
    Line(std::io::Result<Option<Result<String, CliError>>>),
    /// A request has ended.
    Ended(u64, Box<Ended>),
}

struct Ended {
    how: Result<Finished, Error>,
    text: String,
    /// Of its tokens, where they were asked for.
    logprobs: Option<Vec<LogProbs>>,
    /// At a stop string.
    stopped: bool,
}

impl Input {
    fn open(path: &Path) -> Result<Self, CliError> {
        if path.as_os_str() == "-" {
            if std::io::stdin().is_terminal() {
                return Err(CliError::Usage(
                    "--batch - reads standard input, which is a terminal; give a file, or pipe one into it; a \
                     conversation is `akunu chat`"
                        .into(),
                ));
            }
            return Ok(Self { name: "standard input".into(), file: None });
        }
        let name = path.display().to_string();
        let fail = |source| CliError::File { path: name.clone(), source };
        let file = File::open(path).map_err(fail)?;
        if file.metadata().map_err(fail)?.is_dir() {
            return Err(fail(std::io::ErrorKind::IsADirectory.into()));
        }
        Ok(Self { name, file: Some(file) })
    }

    /// Starts a thread that reads a line each time it is asked to. It ends when nobody can ask any more; one that waits for a
    /// pipe ends with the process.
    fn read_when_asked(self, send: Sender<News>) -> Result<Sender<()>, CliError> {
        let (asks, asked) = channel();
        let Self { name, file } = self;
        let read = move || {
            let mut from: Box<dyn BufRead> = match file {
                Some(file) => Box::new(BufReader::new(file)),
                None => Box::new(std::io::stdin().lock()),
            };
            while asked.recv().is_ok() {
                let line = next_line(&mut *from, "the line", Bound::Prompt);
                let last = !matches!(line, Ok(Some(_)));
                if send.send(News::Line(line)).is_err() || last {
                    return;
                }
            }
        };
        let started = std::thread::Builder::new().name("akunu-lines".into()).spawn(read);
        started.map_err(|source| CliError::File { path: name, source })?;
        Ok(asks)
    }
}

/// A line that is not written yet.
struct Slot {
    id: Option<Value>,
    state: State,
}

enum State {
    Runs(Ticket),
    /// What is to be written, if anything.
    Done(Option<Value>),
}

#[derive(Default)]
struct Count {
    answered: u64,
    failed: u64,
    unanswered: u64,
    prompt: u64,
    cached: u64,
    drawn: u64,
}

/// All lines, from their reading to their answers.
struct Lines<'a> {
    a: &'a Run,
    model: &'a Model,
    template: Option<Template<'a>>,
    engine: Engine,
    out: &'a Output,
    /// The options of the command.
    defaults: Sampling,
    /// What answers must follow.
    bounds: Bounds<'a>,
    send: Sender<News>,
    /// In the order of the lines.
    slots: VecDeque<(u64, Slot)>,
    /// Number of the next line.
    first: u64,
    /// Slots whose request is in the engine.
    running: usize,
    count: Count,
    /// Why nothing more can be answered.
    fatal: Option<CliError>,
    bar: ProgressBar,
}

impl Lines<'_> {
    /// Answers until the input ends, or a signal comes.
    fn all(
        &mut self,
        news: &Receiver<News>,
        asks: &Sender<()>,
        sequences: usize,
        path: &str,
        start: Instant,
    ) -> Result<(), CliError> {
        let (mut open, mut asked) = (true, false);
        loop {
            if interrupt::asked() {
                return self.cancel(news);
            }
            open &= self.fatal.is_none();
            if open && !asked && self.running < AHEAD * sequences && self.slots.len() < HELD {
                // A reader that is gone has said so.
                asked = asks.send(()).is_ok();
            }
            if !open && self.slots.is_empty() {
                return Ok(());
            }
            self.progress(start);
            let Ok(next) = news.recv_timeout(LOOK) else { continue };
            match next {
                News::Line(Ok(Some(line))) => {
                    asked = false;
                    self.take(line);
                }
                News::Line(Ok(None)) => open = false,
                News::Line(Err(source)) => {
                    open = false;
                    self.fatal = Some(CliError::File { path: path.to_owned(), source });
                }
                News::Ended(index, ended) => self.ended(index, *ended),
            }
            self.write()?;
        }
    }

    fn progress(&self, start: Instant) {
        if self.bar.is_hidden() {
            return;
        }
        let drawn = self.engine.status().drawn as f64 / start.elapsed().as_secs_f64();
        self.bar.set_length(self.count.answered + self.count.failed + self.slots.len() as u64);
        self.bar.set_position(self.count.answered + self.count.failed);
        self.bar.set_message(format!(", {drawn:.0} tokens/s"));
        self.bar.tick();
    }

    /// Puts a line in its place. An empty one has none, but it counts.
    fn take(&mut self, text: Result<String, CliError>) {
        let index = self.first;
        self.first += 1;
        if text.as_ref().is_ok_and(|t| t.trim().is_empty()) {
            return;
        }
        let (id, parsed) = match text {
            Ok(text) => line::parse(&text),
            Err(e) => (None, Err(e.to_string())),
        };
        let state = match parsed.and_then(|line| self.submit(index, line).map_err(|e| self.told(e))) {
            Ok(ticket) => {
                self.running += 1;
                State::Runs(ticket)
            }
            Err(e) => State::Done(Some(self.failure(index, id.as_ref(), &e))),
        };
        self.slots.push_back((index, Slot { id, state }));
    }

    /// The words of an error. One that ends the engine ends the batch.
    fn told(&mut self, e: CliError) -> String {
        let text = e.to_string();
        if matches!(e, CliError::Engine(Error::Stopped { .. })) {
            self.fatal.get_or_insert(e);
        }
        text
    }

    fn submit(&self, index: u64, line: Line) -> Result<Ticket, CliError> {
        let stop = line.stop.as_ref().unwrap_or(&self.a.stop);
        let stop = self.template.as_ref().map_or_else(|| stop.clone(), |t| t.with_stops(stop));
        let (own, set) = (&self.defaults, &line.draw);
        let sampling = Sampling {
            temperature: set.temperature.unwrap_or(own.temperature),
            top_k: set.top_k.unwrap_or(own.top_k),
            top_p: set.top_p.unwrap_or(own.top_p),
            min_p: set.min_p.unwrap_or(own.min_p),
            typical: set.typical.unwrap_or(own.typical),
            repeat_penalty: set.repeat_penalty.unwrap_or(own.repeat_penalty),
            presence_penalty: set.presence_penalty.unwrap_or(own.presence_penalty),
            frequency_penalty: set.frequency_penalty.unwrap_or(own.frequency_penalty),
            logprobs: set.logprobs.or(own.logprobs),
            seed: match line.seed {
                Some(Seed::Fixed(seed)) => seed,
                Some(Seed::Random) => random_seed(),
                None => own.seed,
            },
            ..own.clone()
        };
        let max_tokens = line.max_tokens.or(self.a.max_tokens).unwrap_or(u32::MAX);
        let asked = line.overflow.or(self.a.overflow);
        let prompt = self.prompt(line)?;
        let reasoning = self.bounds.thoughts(&prompt);
        let sampling = Sampling { grammar: self.bounds.of(&prompt), ..sampling };
        let tokens = self.model.encode(&prompt)?;
        let overflow = overflow(asked, self.a.keep, tokens.len());
        let logprobs = sampling.logprobs.map(|_| Vec::new());
        let options = SequenceOptions { max_tokens, sampling, eos: Eos::Stop, reasoning };
        let mut listener = Listener {
            model: self.model.clone(),
            stream: TextStream::new(&stop),
            text: String::new(),
            logprobs,
            send: self.send.clone(),
            index,
        };
        let request = Request { tokens, options, priority: 0, overflow };
        Ok(self.engine.submit(request, move |event| listener.hear(event))?)
    }

    /// The text of a line as the model reads it.
    fn prompt(&self, line: Line) -> Result<String, CliError> {
        let refuse = |what: &str| {
            let why = if self.a.raw { "--raw continues plain text".to_owned() } else { templates::none() };
            Err(CliError::Usage(format!("{what}: {why}")))
        };
        let Some(template) = &self.template else {
            return match line.said {
                _ if line.system.is_some() => refuse("`system` has no place"),
                Said::Messages(_) => refuse("`messages` need a chat template"),
                Said::Prompt(prompt) => Ok(prompt),
            };
        };
        let messages = match line.said {
            Said::Prompt(prompt) => vec![Message::new("user", &prompt)],
            Said::Messages(all) => all,
        };
        let own = messages.iter().any(|m| m.role == "system");
        if own && line.system.is_some() {
            let what = "there are two system prompts, `system` and one of `messages`; leave one out";
            return Err(CliError::Usage(what.into()));
        }
        let system = line.system.as_deref().or(self.a.system.as_deref().filter(|_| !own));
        let system = system.map(|s| Message::new("system", s));
        template.render(&system.into_iter().chain(messages).collect::<Vec<_>>())
    }

    fn ended(&mut self, index: u64, ended: Ended) {
        self.running -= 1;
        let Ok(at) = self.slots.binary_search_by_key(&index, |s| s.0) else { return };
        let id = self.slots[at].1.id.clone();
        let done = match ended.how {
            Ok(f) if f.finish == FinishReason::Cancelled && !ended.stopped => {
                self.count.unanswered += 1;
                None
            }
            Ok(f) => Some(self.answer(index, id.as_ref(), &ended, f)),
            Err(e) => {
                let e = self.told(e.into());
                Some(self.failure(index, id.as_ref(), &e))
            }
        };
        self.slots[at].1.state = State::Done(done);
    }

    fn answer(&mut self, index: u64, id: Option<&Value>, ended: &Ended, f: Finished) -> Value {
        self.count.answered += 1;
        self.count.prompt += u64::from(f.prompt);
        self.count.cached += u64::from(f.reused);
        self.count.drawn += u64::from(f.tokens);
        let finish = if ended.stopped { FinishReason::StopString } else { f.finish };
        let mut row = beginning(index, id);
        row["text"] = json!(ended.text);
        row["finish_reason"] = json!(finish.as_str());
        row["prompt_tokens"] = json!(f.prompt);
        row["cached_tokens"] = json!(f.reused);
        row["completion_tokens"] = json!(f.tokens);
        if let Some(all) = &ended.logprobs {
            row["logprobs"] = logprobs::list(self.model, all);
        }
        row
    }

    fn failure(&mut self, index: u64, id: Option<&Value>, why: &str) -> Value {
        self.count.failed += 1;
        let mut row = beginning(index, id);
        row["error"] = json!(why);
        row
    }

    /// Writes what has ended, up to the first line that has not.
    fn write(&mut self) -> Result<(), CliError> {
        while let Some((_, Slot { state: State::Done(_), .. })) = self.slots.front() {
            let Some((_, Slot { state: State::Done(Some(row)), .. })) = self.slots.pop_front() else {
                continue;
            };
            self.bar.suspend(|| self.out.json(&row))?;
        }
        Ok(())
    }

    /// Ends all that runs, and writes what had ended before.
    fn cancel(&mut self, news: &Receiver<News>) -> Result<(), CliError> {
        for (_, slot) in &self.slots {
            if let State::Runs(ticket) = &slot.state {
                ticket.cancel();
            }
        }
        while self.running > 0 {
            // Each request has a last event, and this end holds a sender: it comes.
            match news.recv() {
                Ok(News::Ended(index, ended)) => self.ended(index, *ended),
                Ok(News::Line(_)) => {}
                Err(_) => break,
            }
        }
        self.write()
    }

    fn report(&self, load_ms: f64, seconds: f64) {
        let c = &self.count;
        let cancelled =
            if interrupt::asked() { format!(", {} cancelled", c.unanswered) } else { String::new() };
        self.out.note(&format!(
            "{} answered{cancelled}, {} prompt tokens ({} of them from the cache), {} generated at {:.1}/s in all, loaded in \
             {load_ms:.0} ms, {}, context {}, {}, seed {}",
            c.answered,
            c.prompt,
            c.cached,
            c.drawn,
            c.drawn as f64 / seconds,
            self.model.device().name,
            self.model.program().settings.context,
            self.defaults,
            self.defaults.seed,
        ));
    }
}

/// What answers and errors have in common.
fn beginning(index: u64, id: Option<&Value>) -> Value {
    match id {
        Some(id) => json!({ "index": index, "id": id }),
        None => json!({ "index": index }),
    }
}

/// What the engine's thread does with the events of a line.
struct Listener {
    model: Model,
    stream: TextStream,
    text: String,
    logprobs: Option<Vec<LogProbs>>,
    send: Sender<News>,
    index: u64,
}

impl Listener {
    fn hear(&mut self, event: Event) -> Control {
        let how = match event {
            Event::Started { .. } => return Control::Continue,
            Event::Token { token, logprobs } => {
                if let Some(all) = &mut self.logprobs {
                    all.extend(logprobs.map(|l| *l));
                }
                // It is there: the prompt went through it.
                let Ok(tokenizer) = self.model.tokenizer() else { return Control::Stop };
                self.text.push_str(self.stream.push(tokenizer, token));
                return if self.stream.stopped() { Control::Stop } else { Control::Continue };
            }
            Event::Finished(f) => Ok(f),
            Event::Failed(e) => Err(e),
        };
        self.text.push_str(self.stream.finish());
        let (text, logprobs) = (std::mem::take(&mut self.text), self.logprobs.take());
        let ended = Ended { how, text, logprobs, stopped: self.stream.stopped() };
        // Who has gone away needs no answer.
        let _ = self.send.send(News::Ended(self.index, Box::new(ended)));
        Control::Continue
    }
}
