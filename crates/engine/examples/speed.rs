//! Tokens per second as a Rust program sees them, beside `crates/capi/tests/c/speed.c` and the Python program of `tools/bindings_speed.py`:
//! `cargo run --release -p akunu --example speed -- MODEL session|engine TOKENS PROMPT`. For each line of standard input it decodes so many
//! tokens once and prints how many that were per second.

use akunu::{
    Control, Engine, EngineOptions, Eos, GenerateOptions, LoadOptions, Model, Overflow, Request, Sampling,
    SequenceOptions, Source, TextEvent, TextOptions,
};
use std::error::Error;
use std::hint::black_box;
use std::io::Write;
use std::time::Instant;

/// Prints a rate for each line of standard input.
fn serve(mut rate: impl FnMut() -> Result<f64, Box<dyn Error>>) -> Result<(), Box<dyn Error>> {
    for line in std::io::stdin().lines() {
        line?;
        println!("{:.3}", rate()?);
        std::io::stdout().flush()?;
    }
    Ok(())
}

fn session(model: &Model, prompt: &str, tokens: u32) -> Result<(), Box<dyn Error>> {
    let mut session = model.session()?;
    let options = |max_tokens| GenerateOptions {
        max_tokens,
        sampling: Sampling::greedy(),
        eos: Eos::Ignore,
        ..GenerateOptions::default()
    };
    serve(|| {
        session.rewind(0)?;
        session.append(&model.encode(prompt)?)?;
        session.generate(&options(1), &mut |_| Control::Continue)?;
        let start = Instant::now();
        session.generate(&options(tokens), &mut |event| {
            black_box(event.text);
            Control::Continue
        })?;
        Ok(f64::from(tokens) / start.elapsed().as_secs_f64())
    })
}

fn engine(model: &Model, prompt: &str, tokens: u32) -> Result<(), Box<dyn Error>> {
    let engine = Engine::new(model, &EngineOptions::default())?;
    serve(|| {
        let options = SequenceOptions {
            max_tokens: tokens + 1,
            sampling: Sampling::greedy(),
            eos: Eos::Ignore,
            reasoning: None,
        };
        let tokens = model.encode(prompt)?;
        let request = Request { tokens, options, priority: 0, overflow: Overflow::End };
        let mut answer = engine.generate(request, &TextOptions::default())?;
        let (mut first, mut after) = (None, 0u32);
        while let Some(event) = answer.recv() {
            match event? {
                TextEvent::Token { .. } if first.is_none() => first = Some(Instant::now()),
                TextEvent::Token { .. } => after += 1,
                TextEvent::Text(text) => drop(black_box(text)),
                _ => {}
            }
        }
        Ok(f64::from(after) / first.map_or(f64::INFINITY, |f| f.elapsed().as_secs_f64()))
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [path, how, tokens, prompt] = args.as_slice() else {
        return Err("usage: speed MODEL session|engine TOKENS PROMPT".into());
    };
    let model = Model::load(&Source::Path(path.into()), &LoadOptions::default(), &mut |_| {})?;
    let measure = if how == "engine" { engine } else { session };
    measure(&model, prompt, tokens.parse()?)
}
