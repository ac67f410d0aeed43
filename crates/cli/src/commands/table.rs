//! `akunu table`: the commands that one step replays.

use super::{load_options, source};
use crate::args::{Machine, Table};
use crate::error::CliError;
use crate::output::{Output, table};
use akunu::kernels::{Cost, Load};
use akunu::plan::{Shape, VerifiedTable, dump};
use akunu::{Model, RowCount};
use serde_json::json;

/// Runs the command.
pub(crate) fn run(a: &Table, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    let source = source(a.model.as_deref(), a.synthetic.as_deref(), out)?;
    let plan = Model::plan(&source, &load_options(machine, &source)?)?;
    let ladder = plan.program.ladder();
    let rows = ladder.iter().copied().find(|r| r.0 >= a.rows).unwrap_or(ladder[ladder.len() - 1]);
    let name = if rows == RowCount(1) { "decode".to_owned() } else { format!("rows{rows}") };
    let t = plan.program.table(&name, Shape::new(rows, RowCount(1))).map_err(akunu::Error::from)?;
    let load = Load { rows: rows.min(RowCount(a.rows)), head_rows: RowCount(1), kv_len: a.depth.max(a.rows) };
    if out.is_json() {
        out.json(&if a.summary { summary_json(&t, load) } else { to_json(&t, load) })?;
    } else if a.summary {
        out.text(&summary(&t, load))?;
    } else {
        out.text(&dump::dump(&t, load))?;
    }
    Ok(0)
}

/// Sums per group, in the order of first use: (group, commands, cost).
pub(crate) fn groups(t: &VerifiedTable, load: Load) -> Vec<(&'static str, u32, Cost)> {
    let mut out: Vec<(&'static str, u32, Cost)> = Vec::new();
    for i in 0..t.commands.len() {
        let group = t.labels[i].group;
        let cost = t.cost_of(i, load);
        match out.iter_mut().find(|g| g.0 == group) {
            Some(g) => {
                g.1 += 1;
                g.2 += cost;
            }
            None => out.push((group, 1, cost)),
        }
    }
    out
}

fn summary(t: &VerifiedTable, load: Load) -> String {
    let row = |name: &str, n: u32, c: Cost| {
        vec![
            name.to_owned(),
            n.to_string(),
            c.weight_bytes.to_string(),
            c.other_bytes.to_string(),
            c.flops.to_string(),
        ]
    };
    let mut rows: Vec<Vec<String>> = groups(t, load).into_iter().map(|(g, n, c)| row(g, n, c)).collect();
    rows.push(row("total", t.commands.len() as u32, t.cost(load)));
    table(&["group", ">commands", ">weight bytes", ">other bytes", ">FLOPs"], &rows)
}

fn summary_json(t: &VerifiedTable, load: Load) -> serde_json::Value {
    let sum = |name: &str, commands: u32, c: Cost| {
        let (weights, other) = (c.weight_bytes, c.other_bytes);
        json!({ "name": name, "commands": commands, "weight_bytes": weights, "other_bytes": other, "flops": c.flops })
    };
    let all: Vec<_> = groups(t, load).into_iter().map(|(name, n, cost)| sum(name, n, cost)).collect();
    let total = sum("total", t.commands.len() as u32, t.cost(load));
    json!({ "table": t.name, "rows": t.rows.0, "groups": all, "total": total })
}

fn to_json(t: &VerifiedTable, load: Load) -> serde_json::Value {
    let commands: Vec<_> = (0..t.commands.len())
        .map(|i| {
            let k = t.kernel_of(i);
            let cost = t.cost_of(i, load);
            let consts: serde_json::Map<String, serde_json::Value> =
                k.kernel.consts.iter().zip(&k.consts).map(|(n, v)| ((*n).to_owned(), json!(v))).collect();
            json!({
                "label": t.labels[i].to_string(),
                "kernel": k.kernel.name,
                "consts": consts,
                "units": k.launch.geometry().grid[0],
                "bytes": cost.bytes(),
                "flops": cost.flops,
                "after": t.deps(i).iter().filter(|d| !d.previous_replay).map(|d| d.command).collect::<Vec<_>>(),
            })
        })
        .collect();
    let total = t.cost(load);
    json!({ "table": t.name, "rows": t.rows.0, "bytes": total.bytes(), "flops": total.flops, "commands": commands })
}
