//! `akunu profile`: where the time of a step goes.

use super::{load, load_options, source};
use crate::args::{Machine, Profile};
use crate::error::CliError;
use crate::output::{Output, table};
use akunu::kernels::Cost;
use akunu::kernels::step::KV_BLOCK;
use akunu::{BatchOptions, CommandTime, RowCount, Sampling};
use serde_json::json;

/// One line of the report.
struct Line {
    name: String,
    commands: u32,
    seconds: f64,
    cost: Cost,
}

/// Runs the command.
pub(crate) fn run(a: &Profile, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    let source = source(a.model.as_deref(), a.synthetic.as_deref(), out)?;
    let model = load(&source, &load_options(machine, &source)?, out)?;
    let peak = model.measure_bandwidth();
    let context = model.program().settings.context;
    let wide = a.streams.unwrap_or(a.rows);
    let depth = a.depth.unwrap_or(128).max(a.rows).min(context);
    let p = match a.streams {
        Some(sequences) => {
            let blocks = u64::from(sequences) * u64::from(depth.div_ceil(KV_BLOCK)) * u64::from(KV_BLOCK);
            let cache_tokens = Some(blocks.max(u64::from(context)));
            let options =
                BatchOptions { sequences: Some(sequences), cache_tokens, ..BatchOptions::default() };
            // One draw by the samplers that `run` has without flags, the other by what the plain tables have.
            let plain = Sampling { temperature: 0.8, min_p: 0.05, ..Sampling::NEUTRAL };
            let all = Sampling { repeat_penalty: 1.1, ..Sampling::DEFAULT };
            let sampling = if a.sampled { all } else { plain };
            model.batch(&options)?.profile(sequences, depth, &sampling, a.repetitions)?
        }
        None => model.session()?.profile(RowCount(a.rows.min(depth)), depth, a.repetitions)?,
    };
    let lines = lines(&p.commands, a.commands);
    if out.is_json() {
        let rows: Vec<_> = lines.iter().map(|l| line_json(l, peak, p.sum_seconds)).collect();
        out.json(&json!({
            "device": model.device().name,
            "rows": wide,
            "streams": a.streams,
            "sampled": a.sampled,
            "kv_len": depth,
            "bandwidth_gbps": peak.map(|b| b / 1e9),
            "step_us": p.step_seconds * 1e6,
            "sum_us": p.sum_seconds * 1e6,
            "groups": rows,
        }))?;
        return Ok(0);
    }
    let of_peak = |l: &Line| peak.map(|b| l.cost.bytes() as f64 / l.seconds / b);
    let share = |l: &Line| of_peak(l).map_or("-".into(), |s| format!("{:.0}%", s * 100.0));
    let rows: Vec<Vec<String>> = lines
        .iter()
        .map(|l| {
            vec![
                l.name.clone(),
                l.commands.to_string(),
                format!("{:.1}", l.seconds * 1e6),
                format!("{:.1}%", l.seconds / p.sum_seconds * 100.0),
                format!("{:.1}", l.cost.bytes() as f64 / l.seconds / 1e9),
                share(l),
                format!("{:.1}", l.cost.flops as f64 / l.seconds / 1e9),
            ]
        })
        .collect();
    let what = if a.streams.is_some() { "sequences" } else { "rows" };
    let header = ["group", ">commands", ">µs", ">of step", ">GB/s", ">of peak", ">GFLOP/s"];
    out.text(&table(&header, &rows))?;
    out.note(&format!(
        "one step of {wide} {what} at KV length {depth}: {:.1} µs as it runs; {:.1} µs command by command, with a barrier \
         and a clock after each ({:+.0}% distortion); peak {}",
        p.step_seconds * 1e6,
        p.sum_seconds * 1e6,
        (p.sum_seconds / p.step_seconds - 1.0) * 100.0,
        peak.map_or("not measured".into(), |b| format!("{:.1} GB/s read", b / 1e9)),
    ));
    if lines.iter().filter_map(of_peak).any(|s| s > 1.0) {
        out.note(super::bench::ABOVE_PEAK);
    }
    Ok(0)
}

fn lines(commands: &[CommandTime], each: bool) -> Vec<Line> {
    let mut out: Vec<Line> = Vec::new();
    for c in commands {
        let name = if each { c.label.clone() } else { c.group.to_owned() };
        match out.iter_mut().find(|l| !each && l.name == name) {
            Some(l) => {
                l.commands += 1;
                l.seconds += c.seconds;
                l.cost += c.cost;
            }
            None => out.push(Line { name, commands: 1, seconds: c.seconds, cost: c.cost }),
        }
    }
    out
}

fn line_json(l: &Line, peak: Option<f64>, total: f64) -> serde_json::Value {
    let gbps = l.cost.bytes() as f64 / l.seconds / 1e9;
    json!({
        "name": l.name,
        "commands": l.commands,
        "us": l.seconds * 1e6,
        "share": l.seconds / total,
        "gbps": gbps,
        "bandwidth_share": peak.map(|b| gbps * 1e9 / b),
        "gflops": l.cost.flops as f64 / l.seconds / 1e9,
    })
}
