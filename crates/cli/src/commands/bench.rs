//! `akunu bench`: prefill and decode speed, in the columns of llama-bench, next to what the memory allows.

mod streams;

use super::{load, load_options, source};
use crate::args::{Bench, Format, Machine, PromptGenerate};
use crate::error::CliError;
use crate::interrupt;
use crate::output::Output;
use akunu::kernels::Load;
use akunu::plan::Shape;
use akunu::{Control, DecodeOptions, Eos, KvFormat, Model, RowCount, Sampling, Session, Source, Token};
use serde_json::{Value, json};

/// Why something may be faster than the memory.
pub(super) const ABOVE_PEAK: &str = "shares above 100% are real: the bandwidth is that of the memory, and what a step reads \
                                     lies in a cache, at least in part";

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Test {
    /// Prefill of so many tokens, with the logits of the last.
    Prefill(u32),
    /// Decoding of so many tokens.
    Decode(u32),
    /// Prefill of so many tokens, and decoding of so many after them.
    Both(PromptGenerate),
}

impl Test {
    fn name(self) -> String {
        match self {
            Self::Prefill(n) => format!("pp{n}"),
            Self::Decode(n) => format!("tg{n}"),
            Self::Both(b) => format!("pp{}+tg{}", b.prompt, b.generate),
        }
    }

    fn tokens(self) -> u32 {
        match self {
            Self::Prefill(n) | Self::Decode(n) => n,
            Self::Both(b) => b.prompt.saturating_add(b.generate),
        }
    }
}

/// What is measured, and where.
#[derive(Clone)]
struct Subject {
    model: String,
    bytes: u64,
    params: u64,
    device: String,
    threads: u32,
    /// Formats of the KV cache.
    cache: [&'static str; 2],
}

/// A result.
struct Row {
    subject: Subject,
    test: Test,
    depth: u32,
    samples: Vec<Sample>,
    /// Bytes that one token moves at least.
    bytes_per_token: f64,
    bandwidth: Option<f64>,
}

/// Runs the command.
pub(crate) fn run(a: &Bench, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    interrupt::install();
    let mut sources = Vec::new();
    for m in &a.models {
        sources.push(source(Some(m), None, out)?);
    }
    for s in &a.synthetic {
        sources.push(Source::Synthetic(s.clone()));
    }
    let format = if out.is_json() { Format::Json } else { a.output };
    if a.streams.is_empty() {
        measure_all(a, machine, &sources, &mut Report::new(COLUMNS, format, out), &one_model)?;
    } else {
        streams::check(a)?;
        let report = &mut Report::new(streams::COLUMNS, format, out);
        measure_all(a, machine, &sources, report, &streams::one_model)?;
    }
    Ok(if interrupt::asked() { interrupt::code() } else { 0 })
}

/// Measures one model on one machine.
type Measure = dyn Fn(&Bench, &Machine, &Source, &mut Report<'_>) -> Result<(), CliError>;

fn measure_all(
    a: &Bench,
    machine: &Machine,
    sources: &[Source],
    report: &mut Report<'_>,
    measure: &Measure,
) -> Result<(), CliError> {
    for s in sources {
        for machine in &machines(a, machine) {
            measure(a, machine, s, report)?;
            if interrupt::asked() {
                break;
            }
        }
    }
    report.end()
}

/// What a table shows.
#[derive(Clone, Copy)]
struct Columns {
    /// For people; `>` before what stands to the right.
    people: &'static [&'static str],
    /// For CSV: the fields of JSON that are one value, in the same units.
    csv: &'static [&'static str],
}

/// The rows as they come.
struct Report<'a> {
    columns: Columns,
    format: Format,
    out: &'a Output,
    rows: Vec<Value>,
    above_peak: bool,
}

impl<'a> Report<'a> {
    fn new(columns: Columns, format: Format, out: &'a Output) -> Self {
        Self { columns, format, out, rows: Vec::new(), above_peak: false }
    }

    /// Takes a row. A person sees it as soon as it is there; programs get one list.
    fn row(&mut self, row: Value, cells: &[String], share: Option<f64>) -> Result<(), CliError> {
        self.above_peak |= share.is_some_and(|s| s > 1.0);
        // Where the first measurement fails there is no table.
        if self.rows.is_empty() {
            self.header()?;
        }
        match self.format {
            Format::Json => {}
            Format::Csv => self.out.line(&csv(self.columns.csv, &row))?,
            Format::Md => self.out.text(&markdown(cells))?,
        }
        self.rows.push(row);
        Ok(())
    }

    fn header(&self) -> Result<(), CliError> {
        let people = self.columns.people;
        match self.format {
            Format::Json => Ok(()),
            Format::Csv => self.out.line(&self.columns.csv.join(",")),
            Format::Md => {
                let names: Vec<String> =
                    people.iter().map(|h| h.trim_start_matches('>').to_owned()).collect();
                let rule = |h: &&str| if h.starts_with('>') { "---:".to_owned() } else { "---".to_owned() };
                let rule: Vec<String> = people.iter().map(rule).collect();
                self.out.text(&format!("{}{}", markdown(&names), markdown(&rule)))
            }
        }
    }

    fn end(&mut self) -> Result<(), CliError> {
        if self.format == Format::Json {
            self.out.json(&Value::Array(std::mem::take(&mut self.rows)))?;
        }
        if self.above_peak {
            self.out.note(ABOVE_PEAK);
        }
        Ok(())
    }
}

/// The machine with each number of threads that is asked for.
fn machines(a: &Bench, machine: &Machine) -> Vec<Machine> {
    if a.threads.is_empty() {
        return vec![machine.clone()];
    }
    a.threads.iter().map(|t| Machine { threads: Some(*t), ..machine.clone() }).collect()
}

fn tests(a: &Bench) -> Vec<(Test, u32)> {
    let mut v = Vec::new();
    for d in &a.depth {
        v.extend(a.prompt.iter().filter(|n| **n > 0).map(|n| (Test::Prefill(*n), *d)));
        v.extend(a.generate.iter().filter(|n| **n > 0).map(|n| (Test::Decode(*n), *d)));
        v.extend(a.prompt_generate.iter().map(|b| (Test::Both(*b), *d)));
    }
    v
}

fn one_model(a: &Bench, machine: &Machine, s: &Source, report: &mut Report<'_>) -> Result<(), CliError> {
    let (out, tests) = (report.out, tests(a));
    let Some(longest) = tests.iter().map(|(t, d)| t.tokens().saturating_add(*d)).max() else {
        return Err(CliError::Usage("nothing to measure; give -p or -n a number above 0, or -pg".into()));
    };
    let mut options = load_options(machine, s)?;
    options.context.get_or_insert(longest.saturating_add(1));
    let model = load(s, &options, out)?;
    let subject = describe(s, &model, out);
    let bandwidth = if a.no_bandwidth { None } else { model.measure_bandwidth() };
    let mut session = model.session()?;
    for (test, depth) in tests {
        let mut samples = Vec::new();
        let bar = out.steps(&test.name(), u64::from(a.repetitions) + 1);
        // The first round is not counted: it warms caches and pages.
        for round in 0..=a.repetitions {
            bar.set_position(u64::from(round));
            let sample = measure(&mut session, test, depth, model.config().vocab)?;
            if interrupt::asked() {
                bar.finish_and_clear();
                return Ok(());
            }
            if round > 0 {
                samples.push(sample);
            }
        }
        bar.finish_and_clear();
        let bytes_per_token = bytes_per_token(&model, test, depth)?;
        let row = Row { subject: subject.clone(), test, depth, samples, bytes_per_token, bandwidth };
        report.row(row.to_json(), &row.cells(), row.share())?;
    }
    Ok(())
}

/// Who is measured; of random weights it is said what they are.
fn describe(s: &Source, model: &Model, out: &Output) -> Subject {
    let (mut bytes, mut params) = (0, 0);
    for slot in &model.program().weights.slots {
        let tensors = slot.data.tensors();
        bytes += tensors.iter().map(|t| t.bytes).sum::<u64>();
        params += tensors.iter().map(|t| t.rows * t.cols).sum::<u64>();
    }
    let name = match s {
        Source::Synthetic(spec) => format!("synthetic {spec}"),
        Source::Path(p) => p.file_stem().map_or_else(String::new, |n| n.to_string_lossy().into_owned()),
    };
    if matches!(s, Source::Synthetic(_)) {
        out.note(&format!(
            "{name}: random weights, {bytes} bytes in {} matrices and vectors",
            model.program().weights.slots.len()
        ));
    }
    let device = model.device();
    let cache = [model.program().cache.k, model.program().cache.v].map(KvFormat::name);
    Subject { model: name, bytes, params, device: device.name, threads: device.threads, cache }
}

/// What one run has given.
#[derive(Clone, Copy, Debug)]
struct Sample {
    tokens_per_second: f64,
    /// Of the process and all its threads, where the system tells.
    processor_us_per_token: Option<f64>,
}

/// Seconds that processors have worked for this process, in all of its threads.
#[cfg(unix)]
fn processor_seconds() -> Option<f64> {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(t.tv_sec as f64 + t.tv_nsec as f64 / 1e9)
}

/// Not known here.
#[cfg(not(unix))]
fn processor_seconds() -> Option<f64> {
    None
}

/// One run.
fn measure(s: &mut Session, test: Test, depth: u32, vocab: u32) -> Result<Sample, CliError> {
    let token = |i: u32| Token(i.wrapping_mul(2_654_435_761) % vocab);
    let options =
        |n| DecodeOptions { max_tokens: n, sampling: Sampling::greedy(), eos: Eos::Ignore, chunk: None };
    let mut go = |_| if interrupt::asked() { Control::Stop } else { Control::Continue };
    s.reset();
    let before: Vec<Token> = (0..depth).map(token).collect();
    s.append(&before)?;
    if depth > 0 {
        // Everything before the test, its last token included, must be in the cache.
        s.decode(&options(1), &mut go)?;
        s.rewind(depth)?;
    }
    let (prompt, draws) = match test {
        Test::Prefill(n) => (n, 1),
        Test::Decode(n) => (0, n),
        // The prompt's end draws the first token; so many more are run.
        Test::Both(b) => (b.prompt, b.generate + 1),
    };
    let prompt: Vec<Token> = (depth..depth + prompt).map(token).collect();
    s.append(&prompt)?;
    if s.tokens().is_empty() {
        s.append(&[Token(0)])?;
    }
    let before = processor_seconds();
    let d = s.decode(&options(draws), &mut go)?;
    let processor = before.zip(processor_seconds()).map(|(before, after)| after - before);
    let both = d.prefill.seconds + d.decode.seconds;
    let (tokens, seconds) = match test {
        Test::Prefill(_) => (d.prefill.tokens, d.prefill.seconds),
        Test::Decode(_) => (d.tokens, both),
        Test::Both(_) => (d.prefill.tokens + d.decode.tokens, both),
    };
    Ok(Sample {
        tokens_per_second: f64::from(tokens) / seconds,
        processor_us_per_token: processor.map(|s| s * 1e6 / f64::from(tokens.max(1))),
    })
}

/// The least bytes that one token of a test moves, from the kernels' contracts.
fn bytes_per_token(model: &Model, test: Test, depth: u32) -> Result<f64, CliError> {
    let p = model.program();
    let prompt = match test {
        Test::Decode(_) => 1,
        Test::Prefill(n) => n,
        Test::Both(b) => {
            let prefill = bytes_per_token(model, Test::Prefill(b.prompt), depth)?;
            let decode = bytes_per_token(model, Test::Decode(b.generate), depth + b.prompt)?;
            let all = prefill * f64::from(b.prompt) + decode * f64::from(b.generate);
            return Ok(all / f64::from(test.tokens()));
        }
    };
    let (ladder, kv_len) = (p.ladder(), depth + test.tokens() / 2 + 1);
    let (mut left, mut bytes) = (prompt, 0.0);
    while left != 0 {
        let rows = RowCount(p.next_rows(left));
        let table_rows = ladder.iter().copied().find(|r| *r >= rows).unwrap_or(rows);
        let t = p.table("bench", Shape::new(table_rows, RowCount(1))).map_err(akunu::Error::from)?;
        bytes += t.cost(Load { rows, head_rows: RowCount(1), kv_len }).bytes() as f64;
        left -= rows.0;
    }
    Ok(bytes / f64::from(prompt))
}

impl Row {
    fn rates(&self) -> Vec<f64> {
        self.samples.iter().map(|s| s.tokens_per_second).collect()
    }

    fn mean(&self) -> f64 {
        self.rates().iter().sum::<f64>() / self.samples.len() as f64
    }

    /// The least of the runs: other work of the machine can only add to it.
    fn processor_us(&self) -> Option<f64> {
        self.samples.iter().filter_map(|s| s.processor_us_per_token).reduce(f64::min)
    }

    fn deviation(&self) -> f64 {
        let (m, n) = (self.mean(), self.samples.len() as f64);
        if n < 2.0 {
            0.0
        } else {
            (self.rates().iter().map(|s| (s - m).powi(2)).sum::<f64>() / (n - 1.0)).sqrt()
        }
    }

    fn gbps(&self) -> f64 {
        self.bytes_per_token * self.mean() / 1e9
    }

    /// Of the memory's bandwidth.
    fn share(&self) -> Option<f64> {
        self.bandwidth.map(|b| self.gbps() * 1e9 / b)
    }

    fn test_name(&self) -> String {
        if self.depth == 0 { self.test.name() } else { format!("{} @ d{}", self.test.name(), self.depth) }
    }

    fn to_json(&self) -> Value {
        let s = &self.subject;
        json!({
            "model": s.model,
            "model_size": s.bytes,
            "model_n_params": s.params,
            "backend": s.device,
            "threads": s.threads,
            "type_k": s.cache[0],
            "type_v": s.cache[1],
            "test": self.test.name(),
            "depth": self.depth,
            "avg_ts": self.mean(),
            "stddev_ts": self.deviation(),
            "samples_ts": self.rates(),
            "processor_us_per_token": self.processor_us(),
            "bytes_per_token": self.bytes_per_token,
            "gbps": self.gbps(),
            "bandwidth_gbps": self.bandwidth.map(|b| b / 1e9),
            "bandwidth_share": self.share(),
        })
    }

    fn cells(&self) -> Vec<String> {
        let s = &self.subject;
        vec![
            s.model.clone(),
            format!("{:.2} MiB", s.bytes as f64 / 1048576.0),
            format!("{:.2} M", s.params as f64 / 1e6),
            s.device.clone(),
            s.threads.to_string(),
            self.test_name(),
            format!("{:.2} ± {:.2}", self.mean(), self.deviation()),
            format!("{:.2} MB", self.bytes_per_token / 1e6),
            format!("{:.1}", self.gbps()),
            self.share().map_or("-".into(), |s| format!("{:.0}%", s * 100.0)),
        ]
    }
}

const COLUMNS: Columns = Columns {
    people: &[
        "model",
        ">size",
        ">params",
        "backend",
        ">threads",
        ">test",
        ">t/s",
        ">bytes/token",
        ">GB/s",
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
        "test",
        "depth",
        "avg_ts",
        "stddev_ts",
        "bytes_per_token",
        "gbps",
        "bandwidth_gbps",
        "bandwidth_share",
        "processor_us_per_token",
    ],
};

/// A line of CSV: numbers as they are, text in quotes where it needs them, nothing for what is not known.
fn csv(columns: &[&str], row: &Value) -> String {
    let cell = |name: &&str| match &row[*name] {
        Value::Null => String::new(),
        Value::String(s) if s.contains([',', '"', '\n', '\r']) => format!("\"{}\"", s.replace('"', "\"\"")),
        Value::String(s) => s.clone(),
        number => number.to_string(),
    };
    columns.iter().map(cell).collect::<Vec<_>>().join(",")
}

/// A line of a Markdown table.
fn markdown(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_quotes_what_would_break_a_line() {
        let row =
            json!({ "model": "a \"b\", c", "backend": "CPU", "threads": 2, "avg_ts": 1.5, "gbps": null });
        assert_eq!(csv(COLUMNS.csv, &row), "\"a \"\"b\"\", c\",,,CPU,2,,,,,1.5,,,,,,");
    }
}
