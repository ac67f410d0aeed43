//! `akunu bench --streams`: prefill and decode of many sequences at once, in the columns of llama-batched-bench.
//!
//! Every sequence has a prompt of its own, in each round another, so that the KV cache holds nothing of it. The prompts go in
//! in steps of as many rows as a step holds. The draw that ends a prompt belongs to the prompt's time; then every sequence
//! draws so many tokens as are asked for, whatever they are.

use super::{Columns, Report, Subject, describe};
use crate::args::{Bench, Machine};
use crate::commands::{load, load_options, memory};
use crate::error::CliError;
use crate::interrupt;
use akunu::batch::{Draw, Next, Piece};
use akunu::kernels::Load;
use akunu::kernels::step::KV_BLOCK;
use akunu::{Batch, BatchOptions, Eos, Model, RowCount, Sampling, Sequence, SequenceOptions, Source, Token};
use serde_json::{Value, json};
use std::time::Instant;

/// One measure: so many sequences, tokens of each prompt, tokens that each draws afterwards.
#[derive(Clone, Copy)]
struct Test {
    streams: u32,
    prompt: u32,
    generate: u32,
}

/// Seconds of one round: of the prompts, and of what was drawn after them.
type Seconds = [f64; 2];

/// A result.
struct Row {
    subject: Subject,
    test: Test,
    deterministic: bool,
    rounds: Vec<Seconds>,
    /// Bytes that one token of each sequence moves at least, while they draw.
    bytes_per_step: f64,
    bandwidth: Option<f64>,
}

pub(super) const COLUMNS: Columns = Columns {
    people: &[
        "model",
        ">threads",
        ">PP",
        ">TG",
        ">B",
        ">N_KV",
        ">T_PP s",
        ">S_PP t/s",
        ">T_TG s",
        ">S_TG t/s",
        ">T s",
        ">S t/s",
        ">of bandwidth",
    ],
    csv: &[
        "model",
        "model_size",
        "model_n_params",
        "backend",
        "threads",
        "type_k",
        "type_v",
        "streams",
        "n_prompt",
        "n_gen",
        "n_kv",
        "deterministic",
        "t_pp",
        "s_pp",
        "t_tg",
        "s_tg",
        "t",
        "s",
        "bytes_per_step",
        "gbps",
        "bandwidth_gbps",
        "bandwidth_share",
    ],
};

/// Refuses what cannot be measured of many sequences.
pub(super) fn check(a: &Bench) -> Result<(), CliError> {
    let refuse = |what: &str| Err(CliError::Usage(format!("--streams: {what}")));
    if a.prompt.contains(&0) {
        return refuse("a sequence begins with a prompt; give -p a number above 0");
    }
    if a.depth.iter().any(|d| *d > 0) {
        return refuse("the prompts are what is in the KV cache before decoding; leave out -d and give -p");
    }
    Ok(())
}

fn tests(a: &Bench) -> Vec<Test> {
    let mut all = Vec::new();
    for prompt in &a.prompt {
        for generate in &a.generate {
            let test = |streams: &u32| Test { streams: *streams, prompt: *prompt, generate: *generate };
            all.extend(a.streams.iter().map(test));
        }
    }
    all
}

pub(super) fn one_model(
    a: &Bench,
    machine: &Machine,
    s: &Source,
    report: &mut Report<'_>,
) -> Result<(), CliError> {
    let (out, tests) = (report.out, tests(a));
    let longest = tests.iter().map(|t| t.prompt.saturating_add(t.generate)).max().unwrap_or(1);
    let most = tests.iter().map(|t| t.streams).max().unwrap_or(1);
    let mut options = load_options(machine, s)?;
    // Tables have no more rows than the context has tokens, and each sequence needs one.
    let context = *options.context.get_or_insert(longest.max(most));
    if longest > context {
        return Err(akunu::Error::ContextFull { tokens: longest.into(), context }.into());
    }
    let model = load(s, &options, out)?;
    // What does not fit is known before anything is measured.
    for test in &tests {
        let what = format!("a batch of {} sequences of {} tokens", test.streams, test.tokens());
        let checked = model.check_batch(&test.batch(context, a.deterministic));
        checked.map_err(|e| memory(e, &what, "fewer --streams, smaller -p and -n"))?;
    }
    let subject = describe(s, &model, out);
    let bandwidth = if a.no_bandwidth { None } else { model.measure_bandwidth() };
    for test in tests {
        let mut batch = model.batch(&test.batch(context, a.deterministic))?;
        let mut rounds = Vec::new();
        let bar = out.steps(&test.name(), u64::from(a.repetitions) + 1);
        // The first round is not counted: it warms caches and pages.
        for round in 0..=a.repetitions {
            bar.set_position(u64::from(round));
            let seconds = measure(&mut batch, &model, test, round)?;
            if interrupt::asked() {
                bar.finish_and_clear();
                return Ok(());
            }
            if round > 0 {
                rounds.push(seconds);
            }
        }
        bar.finish_and_clear();
        let bytes_per_step = bytes_per_step(&batch, test)?;
        let deterministic = a.deterministic;
        let row = Row { subject: subject.clone(), test, deterministic, rounds, bytes_per_step, bandwidth };
        report.row(row.to_json(), &row.cells(), row.share())?;
    }
    Ok(())
}

/// A guest of the batch.
struct Guest(Sequence);

impl AsMut<Sequence> for Guest {
    fn as_mut(&mut self) -> &mut Sequence {
        &mut self.0
    }
}

/// One round.
fn measure(batch: &mut Batch, model: &Model, test: Test, round: u32) -> Result<Seconds, CliError> {
    let options = SequenceOptions {
        max_tokens: test.generate + 1,
        sampling: Sampling::greedy(),
        eos: Eos::Ignore,
        reasoning: None,
    };
    let vocab = model.config().vocab;
    let mut guests = Vec::new();
    for stream in 0..test.streams {
        let prompt = prompt(test.prompt, round.wrapping_mul(test.streams).wrapping_add(stream), vocab);
        guests.push(Guest(batch.sequence(&prompt, &options)?));
    }
    let mut go = |_: &mut Guest, _: usize, _: Draw| if interrupt::asked() { Next::Pause } else { Next::Go };
    let most = batch.most_rows().0;
    let start = Instant::now();
    let mut first = 0;
    while !interrupt::asked() {
        // Whose prompt is in waits for the others.
        let pieces = prompt_pieces(&guests, &mut first, most);
        if pieces.is_empty() {
            break;
        }
        batch.run(&mut guests, &pieces, 1, &mut go)?;
    }
    let prompts = start.elapsed().as_secs_f64();
    let start = Instant::now();
    // More sequences than a step has rows take turns.
    for at in (0..guests.len()).step_by(most as usize) {
        let end = guests.len().min(at + most as usize);
        let pieces: Vec<Piece> = (at..end).map(|guest| Piece { guest, rows: 1 }).collect();
        let chain = batch.most_steps(pieces.len() as u32).min(u64::from(u32::MAX)) as u32;
        let mut left = test.generate;
        while left > 0 && !interrupt::asked() {
            let steps = left.min(chain);
            batch.run(&mut guests, &pieces, steps, &mut go)?;
            left -= steps;
        }
    }
    let draws = if test.generate == 0 { 0.0 } else { start.elapsed().as_secs_f64() };
    Ok([prompts, draws])
}

/// Tokens that begin like those of no other number, as far as there are enough of them.
fn prompt(tokens: u32, number: u32, vocab: u32) -> Vec<Token> {
    let first = number % vocab;
    (0..tokens).map(|i| Token((first + i.wrapping_mul(2_654_435_761) % vocab) % vocab)).collect()
}

/// The next rows of the prompts that are not in yet, from the guest `first` on.
fn prompt_pieces(guests: &[Guest], first: &mut usize, most: u32) -> Vec<Piece> {
    let (mut pieces, mut left) = (Vec::new(), most);
    for (guest, g) in guests.iter().enumerate().skip(*first) {
        let rows = if g.0.drawn().is_empty() { g.0.pending().min(left) } else { 0 };
        if rows > 0 {
            pieces.push(Piece { guest, rows });
            left -= rows;
        }
        if left == 0 {
            break;
        }
        *first = guest;
    }
    pieces
}

/// The least bytes that a step of all sequences moves in the middle of their draws, from the kernels' contracts: the weights
/// once, and each sequence's own keys and values.
fn bytes_per_step(batch: &Batch, test: Test) -> Result<f64, CliError> {
    let p = batch.program();
    let most = batch.most_rows().0;
    let kv_len = test.prompt + test.generate / 2 + 1;
    let mut bytes = 0.0;
    let mut left = test.streams;
    while left > 0 {
        let rows = RowCount(left.min(most));
        let t = p.table("bench", p.shape(batch.table_rows(rows))).map_err(akunu::Error::from)?;
        bytes += t.cost(Load { rows, head_rows: rows, kv_len }).bytes() as f64;
        left -= rows.0;
    }
    Ok(bytes)
}

impl Test {
    fn name(self) -> String {
        format!("{} x pp{}+tg{}", self.streams, self.prompt, self.generate)
    }

    /// Tokens of one sequence.
    fn tokens(self) -> u32 {
        self.prompt + self.generate
    }

    /// Tokens of all of them.
    fn all(self) -> u64 {
        u64::from(self.streams) * u64::from(self.tokens())
    }

    /// A cache that holds all sequences to their end, each in blocks of its own.
    fn batch(self, context: u32, deterministic: bool) -> BatchOptions {
        let each = u64::from(self.tokens().div_ceil(KV_BLOCK)) * u64::from(KV_BLOCK);
        let cache_tokens = (u64::from(self.streams) * each).max(context.into());
        BatchOptions {
            sequences: Some(self.streams),
            cache_tokens: Some(cache_tokens),
            deterministic,
            drafts: None,
        }
    }
}

impl Row {
    /// The median over the rounds of a time.
    fn median(&self, of: impl Fn(&Seconds) -> f64) -> f64 {
        let mut all: Vec<f64> = self.rounds.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        let middle = |i: usize| all.get(i).copied().unwrap_or(f64::NAN);
        (middle(all.len() / 2) + middle(all.len().saturating_sub(1) / 2)) / 2.0
    }

    /// Seconds of the prompts, of the draws and of both.
    fn seconds(&self) -> [f64; 3] {
        [self.median(|s| s[0]), self.median(|s| s[1]), self.median(|s| s[0] + s[1])]
    }

    /// Tokens per second of the prompts, of the draws, if there are any, and of both.
    fn rates(&self) -> [Option<f64>; 3] {
        let (t, [pp, tg, both]) = (self.test, self.seconds());
        let rate = |tokens: u64, seconds: f64| (tokens > 0).then(|| tokens as f64 / seconds);
        let streams = u64::from(t.streams);
        [
            rate(streams * u64::from(t.prompt), pp),
            rate(streams * u64::from(t.generate), tg),
            rate(t.all(), both),
        ]
    }

    /// Bytes per second while sequences draw.
    fn bytes_per_second(&self) -> Option<f64> {
        let steps = self.test.generate;
        (steps > 0).then(|| self.bytes_per_step * f64::from(steps) / self.seconds()[1])
    }

    /// Of the memory's bandwidth.
    fn share(&self) -> Option<f64> {
        Some(self.bytes_per_second()? / self.bandwidth?)
    }

    fn to_json(&self) -> Value {
        let (s, t) = (&self.subject, self.test);
        let ([t_pp, t_tg, both], [s_pp, s_tg, s_both]) = (self.seconds(), self.rates());
        let samples = |i: usize| self.rounds.iter().map(|s| s[i]).collect::<Vec<_>>();
        json!({
            "model": s.model,
            "model_size": s.bytes,
            "model_n_params": s.params,
            "backend": s.device,
            "threads": s.threads,
            "type_k": s.cache[0],
            "type_v": s.cache[1],
            "streams": t.streams,
            "n_prompt": t.prompt,
            "n_gen": t.generate,
            "n_kv": t.all(),
            "deterministic": self.deterministic,
            "t_pp": t_pp,
            "s_pp": s_pp,
            "t_tg": t_tg,
            "s_tg": s_tg,
            "t": both,
            "s": s_both,
            "samples_t_pp": samples(0),
            "samples_t_tg": samples(1),
            "bytes_per_step": self.bytes_per_step,
            "gbps": self.bytes_per_second().map(|b| b / 1e9),
            "bandwidth_gbps": self.bandwidth.map(|b| b / 1e9),
            "bandwidth_share": self.share(),
        })
    }

    fn cells(&self) -> Vec<String> {
        let (t, seconds, rates) = (self.test, self.seconds(), self.rates());
        let mut cells = vec![self.subject.model.clone(), self.subject.threads.to_string()];
        cells.extend([t.prompt, t.generate, t.streams].map(|n| n.to_string()));
        cells.push(t.all().to_string());
        for (seconds, rate) in seconds.into_iter().zip(rates) {
            cells.push(format!("{seconds:.3}"));
            cells.push(rate.map_or("-".into(), |r| format!("{r:.2}")));
        }
        cells.push(self.share().map_or("-".into(), |s| format!("{:.0}%", s * 100.0)));
        cells
    }
}
