//! What samplers cost: `cargo run --release -p akunu --example sampling_cost -- MODEL [STREAMS]...`, with a synthetic model
//! (`llama-3.2-1b:bf16`). For each number of streams, milliseconds a step of greedy draws and of others, in turn, and the share that
//! the others take more.

use akunu::batch::{Next, Piece};
use akunu::{
    Batch, BatchOptions, CacheTypes, Eos, Error, LoadOptions, LogitBias, Model, Sampling, Sequence,
    SequenceOptions, Source, Token,
};
use std::time::Instant;

const PROMPT: u32 = 100;
const STEPS: u32 = 200;
const ROUNDS: usize = 5;

fn kinds() -> Vec<(&'static str, Sampling)> {
    let usual = Sampling::DEFAULT;
    vec![
        ("greedy", Sampling::greedy()),
        ("temperature 0.8, min-p 0.05", Sampling { top_k: 0, top_p: 1.0, ..usual.clone() }),
        ("top-k 40, top-p 0.95, min-p 0.05", usual.clone()),
        ("and repeat penalty 1.1", Sampling { repeat_penalty: 1.1, ..usual.clone() }),
        ("and DRY", Sampling { repeat_penalty: 1.1, dry_multiplier: 0.8, ..usual.clone() }),
        (
            "and a bias",
            Sampling { logit_bias: Some([LogitBias { token: Token(5), bias: 1.0 }].into()), ..usual.clone() },
        ),
        ("top-p 0.95 alone", Sampling { top_k: 0, min_p: 0.0, ..usual.clone() }),
        ("typical 0.9 alone", Sampling { top_k: 0, min_p: 0.0, top_p: 1.0, typical: 0.9, ..usual.clone() }),
        ("top-n-sigma 1", Sampling { top_n_sigma: 1.0, ..usual }),
    ]
}

/// Milliseconds a step.
fn time(batch: &mut Batch, streams: u32, sampling: &Sampling, seed: u64) -> Result<f64, Error> {
    let vocab = batch.program().config.vocab;
    let mut guests = Vec::new();
    for i in 0..streams {
        let tokens: Vec<Token> = (0..PROMPT).map(|t| Token((t * 31 + i * 977 + 5) % vocab)).collect();
        let sampling = Sampling { seed: seed + u64::from(i), ..sampling.clone() };
        let options = SequenceOptions { max_tokens: STEPS + 20, sampling, eos: Eos::Ignore, reasoning: None };
        guests.push(Guest(batch.sequence(&tokens, &options)?));
    }
    for guest in 0..guests.len() {
        let rows = guests[guest].0.pending();
        batch.run(&mut guests, &[Piece { guest, rows }], 1, &mut |_, _, _| Next::Go)?;
    }
    let pieces: Vec<Piece> = (0..guests.len()).map(|guest| Piece { guest, rows: 1 }).collect();
    batch.run(&mut guests, &pieces, 4, &mut |_, _, _| Next::Go)?;
    let start = Instant::now();
    batch.run(&mut guests, &pieces, STEPS, &mut |_, _, _| Next::Go)?;
    Ok(start.elapsed().as_secs_f64() * 1e3 / f64::from(STEPS))
}

struct Guest(Sequence);

impl AsMut<Sequence> for Guest {
    fn as_mut(&mut self) -> &mut Sequence {
        &mut self.0
    }
}

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let spec = args.next().unwrap_or_else(|| "tiny-llama:bf16".into());
    let streams: Vec<u32> = args.filter_map(|a| a.parse().ok()).collect();
    let options = LoadOptions { context: Some(1024), cache: CacheTypes::default(), ..LoadOptions::default() };
    let model = Model::load(&Source::Synthetic(spec), &options, &mut |_| {})?;
    println!("{}", model.device().name);
    for n in if streams.is_empty() { vec![1, 32] } else { streams } {
        let size = BatchOptions { sequences: Some(n), ..BatchOptions::default() };
        let mut batch = model.batch(&size)?;
        let mut all = vec![Vec::new(); kinds().len()];
        for round in 0..ROUNDS {
            for (i, (_, sampling)) in kinds().iter().enumerate() {
                all[i].push(time(&mut batch, n, sampling, round as u64 * 100)?);
            }
        }
        let median = |v: &mut Vec<f64>| {
            v.sort_by(f64::total_cmp);
            v[v.len() / 2]
        };
        let greedy = median(&mut all[0]);
        for ((name, _), times) in kinds().iter().zip(&mut all) {
            let ms = median(times);
            println!("{n} streams, {name}: {ms:.4} ms a step, {:+.1}%", (ms / greedy - 1.0) * 100.0);
        }
    }
    Ok(())
}
