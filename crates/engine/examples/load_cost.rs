//! What loading costs: `cargo run --release -p akunu --example load_cost -- MODEL [TIMES]`. Prints one JSON object a load: the tokenizer
//! alone, the load, how long this process ran in the system meanwhile (page faults, reading), the first token, and decoding after it.
//!
//! Memory that is freed is warm for a while, so only a process's first load shows what a user sees, and of that only one
//! that comes seconds after the last.

use akunu::{Control, DecodeOptions, DeviceChoice, Eos, Error, LoadOptions, Model, Sampling, Source, Token};
use std::time::Instant;

/// Page faults, and seconds in user code and in the system, of this process; zeros where Linux's `/proc` is not there.
fn usage() -> [f64; 3] {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<f64> = stat
        .rsplit(')')
        .next()
        .into_iter()
        .flat_map(str::split_whitespace)
        .map(|f| f.parse().unwrap_or(0.0))
        .collect();
    let field = |i: usize| fields.get(i).copied().unwrap_or(0.0);
    [field(7), field(11) / 100.0, field(12) / 100.0]
}

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_else(|| "synthetic:tiny-llama:q4_0".into());
    let times: u32 = args.next().and_then(|n| n.parse().ok()).unwrap_or(1);
    let source = match name.strip_prefix("synthetic:") {
        Some(spec) => Source::Synthetic(spec.into()),
        None => Source::Path(name.into()),
    };
    let options = LoadOptions { device: DeviceChoice::Cpu, context: Some(2048), ..LoadOptions::default() };
    let seconds = |start: Instant| start.elapsed().as_secs_f64();
    for _ in 0..times {
        let (before, start) = (usage(), Instant::now());
        let model = Model::load(&source, &options, &mut |_| {})?;
        let load = seconds(start);
        let after = usage();
        let start = Instant::now();
        let mut session = model.session()?;
        session.append(&[Token(5)])?;
        let greedy = |max_tokens| DecodeOptions {
            max_tokens,
            sampling: Sampling::greedy(),
            eos: Eos::Ignore,
            chunk: None,
        };
        session.decode(&greedy(1), &mut |_| Control::Continue)?;
        let first = seconds(start);
        let start = Instant::now();
        session.decode(&greedy(500), &mut |_| Control::Continue)?;
        let decode = 500.0 / seconds(start);
        let start = Instant::now();
        drop(source.tokenizer()?);
        let tokenizer = seconds(start);
        let [faults, user, system] = [0, 1, 2].map(|i| after[i] - before[i]);
        println!(
            "{{\"load_s\": {load:.4}, \"user_s\": {user:.2}, \"system_s\": {system:.2}, \"faults\": {faults}, \
             \"first_token_s\": {first:.4}, \"decode_tps\": {decode:.1}, \"tokenizer_alone_s\": {tokenizer:.4}}}"
        );
    }
    Ok(())
}
