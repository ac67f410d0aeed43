//! `akunu run --samples N`: several answers to one prompt, which is computed once.

use super::{batch_options, logprobs};
use crate::error::CliError;
use crate::interrupt;
use crate::output::Output;
use akunu::scheduler::{Answer, Event, Finished};
use akunu::{
    BatchOptions, Engine, EngineOptions, FinishReason, GenerateOptions, LogProbs, Model, Request, Sampling,
    SequenceOptions, TextStream, Token,
};
use serde_json::{Value, json};

/// One of the answers.
struct Sample {
    seed: u64,
    text: String,
    tokens: Vec<Token>,
    logprobs: Vec<LogProbs>,
    finished: Finished,
    stopped: bool,
}

/// Answers, and prints each answer when it is complete, in order.
pub(super) fn run(
    model: &Model,
    prompt: &[Token],
    n: u32,
    options: &GenerateOptions,
    out: &Output,
) -> Result<u8, CliError> {
    let batch = BatchOptions { sequences: Some(n), ..BatchOptions::default() };
    let batch = batch_options(model, batch, out)?;
    let engine = Engine::new(model, &EngineOptions { batch, ..EngineOptions::default() })?;
    let seed = |i: u32| options.sampling.seed.wrapping_add(i.into());
    let request = |i| {
        let sampling = Sampling { seed: seed(i), ..options.sampling.clone() };
        let GenerateOptions { max_tokens, eos, reasoning, .. } = *options;
        let sequence = SequenceOptions { max_tokens, sampling, eos, reasoning };
        Request {
            tokens: prompt.to_vec(),
            options: sequence,
            priority: 0,
            overflow: options.overflow.clone(),
        }
    };
    let answers = engine.start_all((0..n).map(request).collect())?;
    let mut all = Vec::new();
    for (i, answer) in answers.into_iter().enumerate() {
        let sample = listen(model, answer, seed(i as u32), &options.stop)?;
        if !out.is_json() {
            out.line(&format!("# {}, seed {}", i + 1, sample.seed))?;
            out.line(sample.text.trim_end())?;
            if options.sampling.logprobs.is_some() {
                logprobs::print(model, &sample.logprobs, out)?;
            }
            out.line("")?;
        }
        all.push(sample);
    }
    report(model, &all, options, out)?;
    Ok(if interrupt::asked() { interrupt::code() } else { 0 })
}

/// Waits for an answer. A signal ends it.
fn listen(model: &Model, mut answer: Answer, seed: u64, stop: &[String]) -> Result<Sample, CliError> {
    let tokenizer = model.tokenizer()?;
    let mut stream = TextStream::new(stop);
    let (mut text, mut tokens, mut all) = (String::new(), Vec::new(), Vec::new());
    while let Some(event) = answer.recv() {
        match event {
            Event::Started { .. } => {}
            Event::Token { token, logprobs } => {
                if stream.stopped() {
                    continue;
                }
                tokens.push(token);
                all.extend(logprobs.map(|l| *l));
                text.push_str(stream.push(tokenizer, token));
                if stream.stopped() || interrupt::asked() {
                    answer.cancel();
                }
            }
            Event::Failed(e) => return Err(e.into()),
            Event::Finished(finished) => {
                text.push_str(stream.finish());
                return Ok(Sample { seed, text, tokens, logprobs: all, finished, stopped: stream.stopped() });
            }
        }
    }
    Err(CliError::Other("the engine ended before the answer did; this is a bug, please report it".into()))
}

fn report(model: &Model, all: &[Sample], options: &GenerateOptions, out: &Output) -> Result<(), CliError> {
    let (prompt, drawn): (u32, usize) =
        (all.first().map_or(0, |s| s.finished.prompt), all.iter().map(|s| s.tokens.len()).sum());
    let computed: u32 = all.iter().map(|s| s.finished.prompt - s.finished.reused).sum();
    if out.is_json() {
        let one = |s: &Sample| {
            let finish = if s.stopped { FinishReason::StopString } else { s.finished.finish };
            let mut v = json!({
                "text": s.text, "tokens": Token::ids(&s.tokens), "finish_reason": finish.as_str(), "seed": s.seed,
                "cached_tokens": s.finished.reused, "generated_tokens": s.tokens.len(),
            });
            if options.sampling.logprobs.is_some() {
                v["logprobs"] = logprobs::list(model, &s.logprobs);
            }
            v
        };
        let samples: Vec<Value> = all.iter().map(one).collect();
        return out.json(&json!({
            "samples": samples, "prompt_tokens": prompt, "device": model.device().name,
            "samplers": options.sampling.to_string(), "temperature": options.sampling.temperature,
        }));
    }
    out.note(&format!(
        "{} answers to {prompt} prompt tokens, {computed} of them computed in all, {drawn} generated, {}, {}",
        all.len(),
        model.device().name,
        options.sampling,
    ));
    Ok(())
}
