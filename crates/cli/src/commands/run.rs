//! `akunu run`: one prompt, one answer.

use super::form::{self, Voices};
use super::{
    batch, chat, check_context, keep_common, load, load_options, logprobs, overflow, prefill,
    prompt_template, samples, sampling, saved, source,
};
use crate::args::{Machine, Run};
use crate::error::CliError;
use crate::interrupt;
use crate::output::Output;
use crate::text::{Bound, piped_stdin, read_text};
use akunu::files::chat::Message;
use akunu::{
    Control, DraftCounts, FinishReason, GenerateOptions, Generation, Infill, Model, Sampling, Session,
    Timing, Token,
};
use serde_json::json;
use std::io::IsTerminal;
use std::time::Instant;

/// Runs the command.
pub(crate) fn run(a: &Run, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    if let Some(file) = &a.many.batch {
        return batch::run(a, file, machine, out);
    }
    if talks(a, out) {
        return chat::run(&a.as_chat(), machine, out);
    }
    let prompt = prompt(a, out)?;
    let source = source(Some(&a.model), None, out)?;
    if let Some(path) = a.sessions.written() {
        saved::check(path, &source)?;
    }
    interrupt::install();
    let start = Instant::now();
    let model = load(&source, &load_options(machine, &source)?, out)?;
    let load_ms = start.elapsed().as_secs_f64() * 1e3;
    check_context(&model, out);
    let suffix = a.fill.suffix()?;
    let template = if suffix.is_some() { None } else { prompt_template(&model, a, out)? };
    let mut session = match a.sessions.samples {
        Some(_) => None,
        None => Some(super::session(&model, &a.drafting, machine, out)?),
    };
    let mut messages = match &mut session {
        Some(session) => loaded(a, session)?,
        None => Vec::new(),
    };
    messages.extend(asked(a, &prompt, &messages)?);
    let text = match &template {
        Some(template) => template.render(&messages)?,
        None => prompt,
    };
    let raw = template.is_none();
    let tokens = match &suffix {
        Some(suffix) => model.encode_infill(&Infill { prefix: &text, suffix, ..Infill::default() })?,
        None => model.encode(&text)?,
    };
    let mut options = GenerateOptions {
        max_tokens: a.max_tokens.unwrap_or(u32::MAX),
        sampling: Sampling { logprobs: a.logprobs, ..sampling(&model, &a.sampling)? },
        stop: template.map_or_else(|| a.stop.clone(), |t| t.with_stops(&a.stop)),
        overflow: overflow(a.overflow, a.keep, tokens.len()),
        ..GenerateOptions::default()
    };
    let format = form::reasoning(&model).filter(|_| !a.raw && suffix.is_none());
    form::bind(&a.form, &model, format, &text, &mut options, out)?;
    let Some(mut session) = session else {
        return samples::run(&model, &tokens, a.sessions.samples.unwrap_or(1), &options, out);
    };
    interrupt::stops(&session);
    let from = keep_common(&mut session, &tokens)?;
    let cached = session.kv_len();
    let read = prefill(&mut session, &tokens[from..], &model, out)?;
    let mut voices = Voices::new(&model, format, &text, a.form.hide_reasoning, out);
    let g = if interrupt::asked() { nothing() } else { answer(&mut session, &options, &mut voices, out)? };
    if let Some(path) = a.sessions.written() {
        let said = if voices.thoughts.is_empty() { &g.text } else { &voices.answer };
        messages.push(Message::new("assistant", said));
        saved::save(&session, if raw { &[] } else { &messages }, path)?;
    }
    let g = Generation {
        prefill: Timing { tokens: read.tokens + g.prefill.tokens, seconds: read.seconds + g.prefill.seconds },
        ..g
    };
    report(&model, &g, &voices, (tokens.len(), cached), load_ms, &options.sampling, out)?;
    Ok(if g.finish_reason == FinishReason::Cancelled { interrupt::code() } else { 0 })
}

/// Generates, and prints text as it appears where a person reads.
fn answer(
    session: &mut Session,
    options: &GenerateOptions,
    voices: &mut Voices<'_>,
    out: &Output,
) -> Result<Generation, CliError> {
    let mut failed = None;
    let g = session.generate(options, &mut |event| {
        if let Err(e) = voices.take(event, out) {
            failed = Some(e);
        }
        if failed.is_some() || interrupt::asked() { Control::Stop } else { Control::Continue }
    })?;
    match failed {
        Some(e) => Err(e),
        None => voices.finish(out).map(|()| g),
    }
}

/// What was generated where the prompt was interrupted.
fn nothing() -> Generation {
    Generation {
        text: String::new(),
        tokens: Vec::new(),
        logprobs: Vec::new(),
        finish_reason: FinishReason::Cancelled,
        prefill: Timing::default(),
        decode: Timing::default(),
        shifts: 0,
        drafts: DraftCounts::default(),
    }
}

/// The prompt from the argument, a file and standard input.
fn prompt(a: &Run, out: &Output) -> Result<String, CliError> {
    let given = match &a.file {
        Some(path) => Some(read_text(path, Bound::Prompt)?),
        None => a.prompt.clone(),
    };
    let piped = piped_stdin(out)?.filter(|s| !s.is_empty());
    let prompt = match (given, piped) {
        (Some(p), Some(s)) => format!("{p}\n{s}"),
        (Some(p), None) => p,
        (None, Some(s)) => s,
        (None, None) => String::new(),
    };
    if prompt.trim().is_empty() && !a.fill.is_asked() {
        return Err(CliError::Usage(
            "the prompt is empty; give it as an argument, with -f FILE, or through standard input; without one, `akunu \
             run` on a terminal is a conversation, as is `akunu chat`"
                .into(),
        ));
    }
    Ok(prompt)
}

/// Whether this is a conversation: a person at a terminal, and nothing to answer yet.
fn talks(a: &Run, out: &Output) -> bool {
    let given = a.prompt.is_some()
        || a.file.is_some()
        || a.raw
        || a.fill.is_asked()
        || a.logprobs.is_some()
        || a.keep != u32::MAX
        || a.sessions.any()
        || out.is_json();
    !given && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Takes up a saved session; the conversation that goes on. What is cached for llama.cpp's option is no conversation to go on with.
fn loaded(a: &Run, session: &mut Session) -> Result<Vec<Message>, CliError> {
    match (&a.sessions.load_session, &a.sessions.prompt_cache) {
        (Some(path), _) => {
            let messages = saved::load(session, path)?;
            Ok(if a.raw { Vec::new() } else { messages })
        }
        (None, Some(path)) if path.exists() => saved::load(session, path).map(|_| Vec::new()),
        _ => Ok(Vec::new()),
    }
}

/// What is asked after a conversation, or as its beginning.
fn asked(a: &Run, prompt: &str, before: &[Message]) -> Result<Vec<Message>, CliError> {
    let system = a.system.as_deref().map(|s| Message::new("system", s));
    if system.is_some() && !before.is_empty() {
        return Err(CliError::Usage(
            "the session has begun without this --system; leave one of the two out".into(),
        ));
    }
    Ok(system.into_iter().chain([Message::new("user", prompt)]).collect())
}

fn report(
    model: &Model,
    g: &Generation,
    voices: &Voices<'_>,
    (prompt_tokens, cached): (usize, u32),
    load_ms: f64,
    drawn: &Sampling,
    out: &Output,
) -> Result<(), CliError> {
    if out.is_json() {
        let text = if voices.thoughts.is_empty() { &g.text } else { &voices.answer };
        let mut answer = json!({
            "text": text,
            "tokens": Token::ids(&g.tokens),
            "finish_reason": g.finish_reason.as_str(),
            "prompt_tokens": prompt_tokens,
            "cached_tokens": cached,
            "generated_tokens": g.tokens.len(),
            "load_ms": load_ms,
            "prefill_tps": g.prefill.per_second(),
            "decode_tps": g.decode.per_second(),
            "drafted_tokens": g.drafts.drafted,
            "accepted_tokens": g.drafts.accepted,
            "device": model.device().name,
            "samplers": drawn.to_string(),
            "temperature": drawn.temperature,
            "seed": drawn.seed,
        });
        if drawn.logprobs.is_some() {
            answer["logprobs"] = logprobs::list(model, &g.logprobs);
        }
        if !voices.thoughts.is_empty() && !voices.hides() {
            answer["reasoning"] = voices.thoughts.as_str().into();
        }
        return out.json(&answer);
    }
    if !g.text.ends_with('\n') {
        out.line("")?;
    }
    if drawn.logprobs.is_some() {
        logprobs::print(model, &g.logprobs, out)?;
    }
    let DraftCounts { drafted, accepted } = g.drafts;
    let drafts = if drafted > 0 { format!("{accepted} of {drafted} drafts met, ") } else { String::new() };
    out.note(&format!(
        "{prompt_tokens} prompt tokens at {:.1}/s, {} generated at {:.1}/s, {drafts}{}, loaded in {load_ms:.0} ms, {}, context {}, \
         {drawn}, seed {}",
        g.prefill.per_second(),
        g.tokens.len(),
        g.decode.per_second(),
        g.finish_reason.as_str(),
        model.device().name,
        model.program().settings.context,
        drawn.seed,
    ));
    Ok(())
}
