//! `akunu run`: one prompt, one answer.

use super::{load, load_options, piped_stdin, read_text, sampling, source};
use crate::args::{Machine, Run};
use crate::error::CliError;
use crate::interrupt;
use crate::output::Output;
use akunu::files::chat::{GenerationPrompt, Message};
use akunu::{Control, FinishReason, GenerateOptions, Generation, Model, Overflow};
use serde_json::json;
use std::time::Instant;

/// Runs the command.
pub(crate) fn run(a: &Run, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    let prompt = prompt(a)?;
    let source = source(Some(&a.model), None, out)?;
    interrupt::install();
    let start = Instant::now();
    let model = load(&source, &load_options(machine, 1), out)?;
    let load_ms = start.elapsed().as_secs_f64() * 1e3;
    let text = render(&model, a, &prompt)?;
    let tokens = model.encode(&text)?;
    let mut session = model.session()?;
    session.append(&tokens)?;
    let options = GenerateOptions {
        max_tokens: a.max_tokens.unwrap_or(u32::MAX),
        sampling: sampling(&model, &a.sampling),
        stop: a.stop.clone(),
        overflow: Overflow::End,
        ..GenerateOptions::default()
    };
    let mut failed = None;
    let g = session.generate(&options, &mut |event| {
        if !out.is_json()
            && let Err(e) = out.text(event.text)
        {
            failed = Some(e);
        }
        if failed.is_some() || interrupt::asked() { Control::Stop } else { Control::Continue }
    })?;
    if let Some(e) = failed {
        return Err(e);
    }
    report(&model, &g, tokens.len(), load_ms, options.sampling.seed, out)?;
    Ok(if g.finish_reason == FinishReason::Cancelled { interrupt::CODE } else { 0 })
}

/// The prompt from the argument, a file and standard input.
fn prompt(a: &Run) -> Result<String, CliError> {
    let given = match &a.file {
        Some(path) => Some(read_text(path)?),
        None => a.prompt.clone(),
    };
    // A prompt that is given wins no wait for input that may never end; piped text is appended to it.
    let piped = piped_stdin()?.filter(|s| !s.is_empty());
    let prompt = match (given, piped) {
        (Some(p), Some(s)) => format!("{p}\n{s}"),
        (Some(p), None) => p,
        (None, Some(s)) => s,
        (None, None) => String::new(),
    };
    if prompt.trim().is_empty() {
        return Err(CliError::Usage(
            "the prompt is empty; give it as an argument, with -f FILE, or through standard input".into(),
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
    out.line("")?;
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
