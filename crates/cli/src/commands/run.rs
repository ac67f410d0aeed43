//! `akunu run`: one prompt, one answer.

use super::{check_context, load, load_options, prefill, sampling, source};
use crate::args::{Machine, Run};
use crate::error::CliError;
use crate::interrupt;
use crate::output::Output;
use crate::text::{Bound, piped_stdin, read_text};
use akunu::files::chat::{GenerationPrompt, Message};
use akunu::{Control, FinishReason, GenerateOptions, Generation, Model, Overflow, Session, Timing};
use serde_json::json;
use std::time::Instant;

/// Runs the command.
pub(crate) fn run(a: &Run, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    let prompt = prompt(a, out)?;
    let source = source(Some(&a.model), None, out)?;
    interrupt::install();
    let start = Instant::now();
    let model = load(&source, &load_options(machine, &source, 1)?, out)?;
    let load_ms = start.elapsed().as_secs_f64() * 1e3;
    check_context(&model, out);
    let text = render(&model, a, &prompt)?;
    let tokens = model.encode(&text)?;
    let mut session = model.session()?;
    let read = prefill(&mut session, &tokens, &model, out)?;
    let options = GenerateOptions {
        max_tokens: a.max_tokens.unwrap_or(u32::MAX),
        sampling: sampling(&model, &a.sampling),
        stop: a.stop.clone(),
        overflow: Overflow::End,
        ..GenerateOptions::default()
    };
    let g = if interrupt::asked() { nothing() } else { answer(&mut session, &options, out)? };
    let g = Generation {
        prefill: Timing { tokens: read.tokens + g.prefill.tokens, seconds: read.seconds + g.prefill.seconds },
        ..g
    };
    report(&model, &g, tokens.len(), load_ms, options.sampling.seed, out)?;
    Ok(if g.finish_reason == FinishReason::Cancelled { interrupt::CODE } else { 0 })
}

/// Generates, and prints text as it appears where a person reads.
fn answer(session: &mut Session, options: &GenerateOptions, out: &Output) -> Result<Generation, CliError> {
    let mut failed = None;
    let g = session.generate(options, &mut |event| {
        if !out.is_json()
            && let Err(e) = out.text(event.text)
        {
            failed = Some(e);
        }
        if failed.is_some() || interrupt::asked() { Control::Stop } else { Control::Continue }
    })?;
    match failed {
        Some(e) => Err(e),
        None => Ok(g),
    }
}

/// What was generated where the prompt was interrupted.
fn nothing() -> Generation {
    Generation {
        text: String::new(),
        tokens: Vec::new(),
        finish_reason: FinishReason::Cancelled,
        prefill: Timing::default(),
        decode: Timing::default(),
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
    if prompt.trim().is_empty() {
        return Err(CliError::Usage(
            "the prompt is empty; give it as an argument, with -f FILE, or through standard input; for a \
             conversation there is `akunu chat`"
                .into(),
        ));
    }
    Ok(prompt)
}

/// The prompt in the model's chat template, where it has one and the user wants it.
fn render(model: &Model, a: &Run, prompt: &str) -> Result<String, CliError> {
    if let (false, Some(e)) = (a.raw, model.chat_template_error()) {
        return Err(CliError::Other(e.to_string()));
    }
    match model.chat_template() {
        Some(template) if !a.raw => {
            let mut messages = Vec::new();
            messages.extend(a.system.as_deref().map(|s| Message::new("system", s)));
            messages.push(Message::new("user", prompt));
            Ok(template.render(&messages, GenerationPrompt::Add)?)
        }
        None if a.system.is_some() => Err(CliError::Usage(
            "the model has no chat template, so --system has no place; put it into the prompt".into(),
        )),
        _ => Ok(prompt.to_owned()),
    }
}

fn report(
    model: &Model,
    g: &Generation,
    prompt_tokens: usize,
    load_ms: f64,
    seed: u64,
    out: &Output,
) -> Result<(), CliError> {
    if out.is_json() {
        return out.json(&json!({
            "text": g.text,
            "tokens": g.tokens,
            "finish_reason": g.finish_reason.as_str(),
            "prompt_tokens": prompt_tokens,
            "generated_tokens": g.tokens.len(),
            "load_ms": load_ms,
            "prefill_tps": g.prefill.per_second(),
            "decode_tps": g.decode.per_second(),
            "device": model.device().name,
            "seed": seed,
        }));
    }
    if !g.text.ends_with('\n') {
        out.line("")?;
    }
    out.note(&format!(
        "{prompt_tokens} prompt tokens at {:.1}/s, {} generated at {:.1}/s, {}, loaded in {load_ms:.0} ms, {}, context {}",
        g.prefill.per_second(),
        g.tokens.len(),
        g.decode.per_second(),
        g.finish_reason.as_str(),
        model.device().name,
        model.program().settings.context,
    ));
    Ok(())
}
