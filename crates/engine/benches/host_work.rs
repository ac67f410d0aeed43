//! The host's own work per token: decoding on the null device, which computes nothing.
//!
//! `cargo bench -p akunu --bench host_work`
#![forbid(unsafe_code)]
#![allow(missing_docs, reason = "a program, not a library")]

use akunu::{Control, DecodeOptions, DeviceChoice, Eos, LoadOptions, Model, Sampling, Source, Token};
use std::time::Instant;

const TOKENS: u32 = 10_000;
const ROUNDS: usize = 5;

fn main() -> Result<(), akunu::Error> {
    let options =
        LoadOptions { device: DeviceChoice::Null, context: Some(TOKENS + 8), ..LoadOptions::default() };
    let source = Source::Synthetic("smollm2-135m:q4_0".into());
    let model = Model::load(&source, &options, &mut |_| {})?;
    let mut session = model.session()?;
    let decode =
        DecodeOptions { max_tokens: TOKENS, sampling: Sampling::DEFAULT, eos: Eos::Ignore, chunk: None };
    let mut samples = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        session.reset();
        session.append(&[Token(1)])?;
        let mut sum = 0u64;
        let start = Instant::now();
        let decoded = session.decode(&decode, &mut |t| {
            sum += u64::from(t.0);
            Control::Continue
        })?;
        let ns = start.elapsed().as_nanos() as f64 / f64::from(decoded.tokens);
        println!("{} tokens, {ns:.0} ns of host work each (token sum {sum})", decoded.tokens);
        samples.push(ns);
    }
    samples.sort_by(f64::total_cmp);
    println!("median {:.0} ns per token", samples[ROUNDS / 2]);
    Ok(())
}
