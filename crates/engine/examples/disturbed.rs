//! How evenly sequences draw while prompts arrive, and what a shared prefix saves:
//! `cargo run --release -p akunu --example disturbed -- MODEL STREAMS PROMPT SECONDS`, with a file or a synthetic model
//! (`llama-3.2-1b:q4_0`). Prints one JSON object; times are milliseconds.
//!
//! STREAMS sequences draw without end. Undisturbed first; then a prompt of PROMPT tokens arrives each second, or as soon as the one
//! before has begun its answer. Last, a prompt of 2,000 tokens that the cache has, with 8 new ones after it.

use akunu::scheduler::{Answer, Event};
use akunu::{
    Control, Engine, EngineOptions, Eos, Error, LoadOptions, Model, Overflow, Request, RowCount, Sampling,
    SequenceOptions, Source, Token,
};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

type Gaps = Arc<Mutex<Vec<f64>>>;

fn request(tokens: Vec<Token>, max_tokens: u32) -> Request {
    let options =
        SequenceOptions { max_tokens, sampling: Sampling::greedy(), eos: Eos::Ignore, reasoning: None };
    Request { tokens, options, priority: 0, overflow: Overflow::End }
}

/// Tokens that begin like no other prompt's.
fn prompt(n: u32, number: u32) -> Vec<Token> {
    (0..n)
        .map(|i| i.wrapping_mul(31).wrapping_add(number.wrapping_mul(977)).wrapping_add(5) % 30_000)
        .map(Token)
        .collect()
}

/// Milliseconds until the first token.
fn first_token(answer: &mut Answer) -> Option<f64> {
    let start = Instant::now();
    answer.find(|e| matches!(e, Event::Token { .. })).map(|_| start.elapsed().as_secs_f64() * 1e3)
}

/// Median and 99th percentile of the times between two tokens that have come since this was asked for last.
fn percentiles(gaps: &[Gaps]) -> [f64; 2] {
    let mut all = Vec::new();
    for gap in gaps {
        all.append(&mut gap.lock().unwrap_or_else(PoisonError::into_inner));
    }
    all.sort_by(f64::total_cmp);
    let at = |share: f64| all.get((all.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN);
    [at(0.5), at(0.99)]
}

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().collect();
    let number = |i: usize, or: u32| args.get(i).and_then(|a| a.parse().ok()).unwrap_or(or);
    let name = args.get(1).cloned().unwrap_or_else(|| "tiny-llama:q8_0".into());
    let source = if std::path::Path::new(&name).exists() {
        Source::Path(name.into())
    } else {
        Source::Synthetic(name)
    };
    let (streams, length, seconds) = (number(2, 4), number(3, 2048), f64::from(number(4, 20)));
    let load = LoadOptions { context: Some(length.max(2008) + 4096), ..LoadOptions::default() };
    let model = Model::load(&source, &load, &mut |_| {})?;
    let mut options = EngineOptions {
        prompt_rows: args.get(5).and_then(|a| a.parse().ok()).map(RowCount),
        ..EngineOptions::default()
    };
    options.batch.cache_tokens = Some(u64::from(streams + 3) * u64::from(length.max(2008) + 4096));
    let engine = Engine::new(&model, &options)?;

    let mut gaps = Vec::new();
    let mut tickets = Vec::new();
    for i in 0..streams {
        let gap = Gaps::default();
        gaps.push(Arc::clone(&gap));
        let mut last: Option<Instant> = None;
        tickets.push(engine.submit(request(prompt(64, i), 4000), move |event| {
            if let Event::Token { .. } = event {
                let now = Instant::now();
                if let Some(last) = last.replace(now) {
                    gap.lock().unwrap_or_else(PoisonError::into_inner).push((now - last).as_secs_f64() * 1e3);
                }
            }
            Control::Continue
        })?);
    }
    std::thread::sleep(Duration::from_secs(2));
    percentiles(&gaps);
    std::thread::sleep(Duration::from_secs_f64(seconds / 2.0));
    let quiet = percentiles(&gaps);
    let (start, mut firsts) = (Instant::now(), Vec::new());
    while start.elapsed().as_secs_f64() < seconds {
        let sent = Instant::now();
        firsts.extend(first_token(&mut engine.start(request(prompt(length, 100 + firsts.len() as u32), 1))?));
        std::thread::sleep(Duration::from_secs(1).saturating_sub(sent.elapsed()));
    }
    let disturbed = percentiles(&gaps);
    tickets.iter().for_each(akunu::scheduler::Ticket::cancel);
    std::thread::sleep(Duration::from_secs(1));
    let alone = first_token(&mut engine.start(request(prompt(length, 99), 1))?);
    firsts.sort_by(f64::total_cmp);

    let shared = prompt(2000, 50);
    let mut prefix = [f64::NAN; 2];
    for (i, at) in [0, 1, 1, 1, 1].into_iter().enumerate() {
        let asked = [&shared[..], &prompt(8, 60 + i as u32)].concat();
        let time = first_token(&mut engine.start(request(asked, 1))?).unwrap_or(f64::NAN);
        prefix[at] = prefix[at].min(time);
    }
    println!(
        "{{\"streams\": {streams}, \"prompt\": {length}, \"quiet_median\": {:.2}, \"quiet_p99\": {:.2}, \"disturbed_median\": \
         {:.2}, \"disturbed_p99\": {:.2}, \"p99_over_quiet_median\": {:.2}, \"first_token_median\": {:.1}, \
         \"first_token_alone\": {:.1}, \"prompts\": {}, \"prefix_new\": {:.1}, \"prefix_shared\": {:.1}, \"prefix_ratio\": {:.1}}}",
        quiet[0],
        quiet[1],
        disturbed[0],
        disturbed[1],
        disturbed[1] / quiet[0],
        firsts.get(firsts.len() / 2).copied().unwrap_or(f64::NAN),
        alone.unwrap_or(f64::NAN),
        firsts.len(),
        prefix[0],
        prefix[1],
        prefix[0] / prefix[1],
    );
    Ok(())
}
