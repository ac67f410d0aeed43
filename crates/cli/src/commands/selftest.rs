//! `akunu selftest`: what this machine's device computes, against the plain twins on the CPU, and how fast it is: one report to send
//! to who cannot run it there.

use super::{load, load_options};
use crate::args::{Machine, SelfTest};
use crate::error::CliError;
use crate::interrupt;
use crate::output::Output;
use akunu::device::cpu::CpuDevice;
use akunu::files::synthetic::Synthetic;
use akunu::kernels::act::ActFormat;
use akunu::kernels::cpu::Level;
use akunu::scheduler::{Answer, Event};
use akunu::{
    BatchOptions, Control, DecodeOptions, Engine, EngineOptions, Eos, LoadOptions, Model, Overflow, Request,
    Sampling, SequenceOptions, Source, Token,
};
use serde_json::json;
use std::sync::Arc;

/// Tiny models with random weights, one for each kind of format.
const MODELS: &[&str] = &[
    "tiny-llama:f32",
    "tiny-llama:f16",
    "tiny-llama:bf16",
    "tiny-llama:q8_0",
    "tiny-llama:q4_0",
    "tiny-llama:q4_1",
];
/// Prompts' lengths: a row, the largest table of the first family, more, and several tables.
const PROMPTS: &[u32] = &[1, 8, 9, 150];
/// Tokens that are drawn in a comparison.
const DRAWN: u32 = 40;
/// How far logits may be from the twins', relative to their size: the KV cache is f16, and inputs of products are f32 or rounded to 8
/// or 16 bits.
const NEAR: [f64; 2] = [2e-3, 5e-2];

/// One line of the report.
struct Check {
    what: String,
    passed: bool,
    text: String,
}

/// Runs the command.
pub(crate) fn run(a: &SelfTest, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    interrupt::install();
    let mut checks = Vec::new();
    let mut device = None;
    for spec in MODELS {
        interrupt::leave_if_asked();
        out.note(&format!("{spec} ..."));
        match compared(spec, machine, out) {
            Ok((name, mut all)) => {
                device.get_or_insert(name);
                checks.append(&mut all);
            }
            Err(e) => {
                checks.push(Check { what: (*spec).into(), passed: false, text: e.to_string() });
                // What every model needs fails for every model.
                if device.is_none() {
                    break;
                }
            }
        }
    }
    let mut speeds = Vec::new();
    for spec in a.bench.iter().filter(|spec| device.is_some() && *spec != "none") {
        interrupt::leave_if_asked();
        out.note(&format!("{spec} ..."));
        match speed(spec, machine, out) {
            Ok(text) => speeds.push((spec.clone(), text)),
            Err(e) => speeds.push((spec.clone(), e.to_string())),
        }
    }
    report(device.as_deref(), &checks, &speeds, out)?;
    Ok(u8::from(checks.iter().any(|c| !c.passed)))
}

fn report(
    device: Option<&str>,
    checks: &[Check],
    speeds: &[(String, String)],
    out: &Output,
) -> Result<(), CliError> {
    let failed = checks.iter().filter(|c| !c.passed).count();
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    let device = device.unwrap_or("none");
    if out.is_json() {
        let checks: Vec<_> =
            checks.iter().map(|c| json!({ "what": c.what, "passed": c.passed, "text": c.text })).collect();
        let speeds: Vec<_> =
            speeds.iter().map(|(model, text)| json!({ "model": model, "text": text })).collect();
        return out.json(&json!({
            "akunu": env!("CARGO_PKG_VERSION"),
            "system": system,
            "device": device,
            "checks": checks,
            "failed": failed,
            "speeds": speeds,
        }));
    }
    out.line(&format!("akunu {} on {system}, device {device}", env!("CARGO_PKG_VERSION")))?;
    for c in checks {
        out.line(&format!("{} {}: {}", if c.passed { "ok  " } else { "FAIL" }, c.what, c.text))?;
    }
    for (model, text) in speeds {
        out.line(&format!("speed {model}: {text}"))?;
    }
    out.line(&format!("{} of {} checks passed", checks.len() - failed, checks.len()))
}

/// A tiny model on the device and on the reference level of the CPU; the device's name, and what was found.
fn compared(spec: &str, machine: &Machine, out: &Output) -> Result<(String, Vec<Check>), CliError> {
    let source = Source::Synthetic(spec.into());
    let options = LoadOptions { context: Some(300), ..load_options(machine, &source)? };
    let model = load(&source, &options, &out.quieted())?;
    let twins = Arc::new(CpuDevice::with_level(Level::Reference, None).map_err(akunu::Error::from)?);
    let weights = Synthetic::parse(spec).map_err(akunu::Error::from)?;
    let plain = LoadOptions { context: Some(300), ..LoadOptions::default() };
    let twin = Model::load_on(Box::new(weights), twins, &plain, &mut |_| {})?;
    let checks = vec![
        logits(spec, &model, &twin)?,
        greedy(spec, &model, &twin)?,
        chunks(spec, &model)?,
        batch(spec, &model)?,
    ];
    Ok((model.device().name, checks))
}

fn prompt(n: u32, vocab: u32) -> Vec<Token> {
    (0..n).map(|i| i.wrapping_mul(2_654_435_761) % vocab).map(Token).collect()
}

fn next_logits(model: &Model, tokens: &[Token]) -> Result<Vec<f32>, akunu::Error> {
    let mut session = model.session()?;
    session.append(tokens)?;
    session.next_logits()
}

fn drawn(
    model: &Model,
    prompt: &[Token],
    sampling: Sampling,
    chunk: Option<u32>,
) -> Result<Vec<Token>, akunu::Error> {
    let mut session = model.session()?;
    session.append(prompt)?;
    let options = DecodeOptions { max_tokens: DRAWN, sampling, eos: Eos::Ignore, chunk };
    let mut tokens = Vec::new();
    session.decode(&options, &mut |t| {
        tokens.push(t);
        Control::Continue
    })?;
    Ok(tokens)
}

/// The largest distance of logits from the twins', relative to their size.
fn logits(spec: &str, model: &Model, twin: &Model) -> Result<Check, CliError> {
    let f32_inputs = model.program().target.rules.iter().all(|r| r.act == ActFormat::F32);
    let bound = NEAR[usize::from(!f32_inputs)];
    let mut most = 0f64;
    for n in PROMPTS {
        let tokens = prompt(*n, twin.config().vocab);
        let (want, got) = (next_logits(twin, &tokens)?, next_logits(model, &tokens)?);
        let square = |v: f32| f64::from(v).powi(2);
        let size: f64 = want.iter().map(|v| square(*v)).sum();
        let off: f64 = want.iter().zip(&got).map(|(a, b)| square(a - b)).sum();
        let relative = (off / size).sqrt();
        // NaN is the largest of all.
        most = if relative > most || relative.is_nan() { relative } else { most };
    }
    let text = format!("{most:.1e} from the twins', of {bound:.0e} allowed");
    Ok(Check { what: format!("{spec} logits"), passed: most <= bound, text })
}

/// The greedy tokens, which may leave the twins' where these have two tokens that are as near.
fn greedy(spec: &str, model: &Model, twin: &Model) -> Result<Check, CliError> {
    let tokens = prompt(20, twin.config().vocab);
    let want = drawn(twin, &tokens, Sampling::greedy(), None)?;
    let got = drawn(model, &tokens, Sampling::greedy(), None)?;
    let what = format!("{spec} greedy tokens");
    let Some(i) = want.iter().zip(&got).position(|(a, b)| a != b) else {
        return Ok(Check {
            what,
            passed: want.len() == got.len(),
            text: format!("{} as the twins'", got.len()),
        });
    };
    let x = next_logits(twin, &[&tokens[..], &want[..i]].concat())?;
    let size = x.iter().fold(0f32, |m, v| m.max(v.abs()));
    let gap = (x[want[i].index()] - x[got[i].index()]) / size;
    let text = format!("another one at {i}, {gap:.1e} of the largest logit behind");
    Ok(Check { what, passed: f64::from(gap) < NEAR[1], text })
}

/// How many steps are submitted at a time changes no token, drawn or greedy.
fn chunks(spec: &str, model: &Model) -> Result<Check, CliError> {
    let tokens = prompt(20, model.config().vocab);
    let warm = Sampling { temperature: 0.9, min_p: 0.02, seed: 7, ..Sampling::NEUTRAL };
    let mut passed = true;
    for sampling in [Sampling::greedy(), warm] {
        let want = drawn(model, &tokens, sampling.clone(), None)?;
        for chunk in [1, 3, 100] {
            passed &= drawn(model, &tokens, sampling.clone(), Some(chunk))? == want;
        }
    }
    Ok(Check { what: format!("{spec} chunks"), passed, text: "1, 3 and 100 steps at a time".into() })
}

/// Four sequences at a time draw what each draws alone.
fn batch(spec: &str, model: &Model) -> Result<Check, CliError> {
    let vocab = model.config().vocab;
    let prompts: Vec<Vec<Token>> = (0..4).map(|i| prompt(20 + i, vocab - 100 * i)).collect();
    // Where few rows have another order of sums than many, all take the order of many.
    let options = BatchOptions { sequences: Some(4), deterministic: true, ..BatchOptions::default() };
    let engine = Engine::new(model, &EngineOptions { batch: options, ..EngineOptions::default() })?;
    let options = SequenceOptions {
        max_tokens: DRAWN,
        sampling: Sampling::greedy(),
        eos: Eos::Ignore,
        reasoning: None,
    };
    let request = |tokens: &Vec<Token>| Request {
        tokens: tokens.clone(),
        options: options.clone(),
        priority: 0,
        overflow: Overflow::End,
    };
    let together = engine.start_all(prompts.iter().map(request).collect())?;
    let together: Vec<_> = together.into_iter().map(answered).collect::<Result<_, _>>()?;
    let mut passed = true;
    for (got, prompt) in together.iter().zip(&prompts) {
        passed &= got.len() == DRAWN as usize && *got == answered(engine.start(request(prompt))?)?;
    }
    Ok(Check { what: format!("{spec} batch"), passed, text: "4 sequences, each as alone".into() })
}

/// The tokens of an answer.
fn answered(mut answer: Answer) -> Result<Vec<Token>, CliError> {
    let mut tokens = Vec::new();
    while let Some(event) = answer.recv() {
        match event {
            Event::Token { token, .. } => tokens.push(token),
            Event::Failed(e) => return Err(e.into()),
            Event::Started { .. } | Event::Finished(_) => {}
        }
    }
    Ok(tokens)
}

/// Prefill and decode of a model with random weights.
fn speed(spec: &str, machine: &Machine, out: &Output) -> Result<String, CliError> {
    let source = Source::Synthetic(spec.into());
    let options = LoadOptions { context: Some(1024), ..load_options(machine, &source)? };
    let model = load(&source, &options, &out.quieted())?;
    let tokens = prompt(512, model.config().vocab);
    let mut best = [0f64; 2];
    // The first one also loads kernels.
    for _ in 0..3 {
        interrupt::leave_if_asked();
        let mut session = model.session()?;
        session.append(&tokens)?;
        let options =
            DecodeOptions { max_tokens: 64, sampling: Sampling::greedy(), eos: Eos::Ignore, chunk: None };
        let done = session.decode(&options, &mut |_| Control::Continue)?;
        for (best, timing) in best.iter_mut().zip([done.prefill, done.decode]) {
            *best = best.max(timing.per_second());
        }
    }
    Ok(format!("prefill of 512 {:.1} tok/s, decode of 64 {:.1} tok/s, the best of 3", best[0], best[1]))
}
