//! A table as text: one line per command, so that a refactor shows an empty diff and a feature shows exactly
//! what it meant to.

use crate::table::Region;
use crate::table::Table;
use crate::verify::VerifiedTable;
use akunu_kernels::contract::{Access, Load};
use akunu_kernels::kv::KvFormat;
use std::fmt::Write;

/// The whole table under a load (for bytes and FLOPs).
pub fn dump(t: &VerifiedTable, load: Load) -> String {
    let mut s = String::new();
    let total = t.cost(load);
    // Writing to a String cannot fail.
    let _ = writeln!(
        s,
        "table {} | rows {} | head rows {} | {} commands | {} kernels | {} bytes, {} FLOPs at rows {}, head rows {}, kv {}",
        t.name,
        t.rows,
        t.head_rows,
        t.commands.len(),
        t.kernels.len(),
        total.bytes(),
        total.flops,
        load.rows,
        load.head_rows,
        load.kv_len
    );
    // A decoder has none of what an encoder gives, and nothing to say of it.
    for r in t.regions.iter().filter(|r| r.bytes > 0 || r.name != Region::Pooled.name()) {
        let _ = writeln!(s, "region {:<12} {:<10} {:>14}", r.name, r.kind.name(), r.bytes);
    }
    for i in 0..t.commands.len() {
        let _ = writeln!(s, "{}", line(t, i, load));
    }
    s
}

/// One command.
pub fn line(t: &VerifiedTable, i: usize, load: Load) -> String {
    let cost = t.cost_of(i, load);
    let mut s = format!("{i:>4} {:<28} {}", t.labels[i].to_string(), kernel(t, i));
    let _ = write!(s, " |{}", bindings(t, i));
    let params = t.params_of(i);
    if !params.is_empty() {
        let words: Vec<String> = params.iter().map(|w| format!("{w:08x}")).collect();
        let _ = write!(s, " | params {}", words.join(" "));
    }
    let g = t.kernel_of(i).launch.geometry();
    let _ = match g.block {
        0 | 1 => write!(s, " | units {}", g.grid[0]),
        threads => write!(
            s,
            " | {} blocks of {threads} threads, {} B shared",
            g.grid.iter().product::<u32>(),
            g.shared
        ),
    };
    let _ = write!(s, " | {} B {} FLOP", cost.bytes(), cost.flops);
    let deps: Vec<String> = t
        .deps(i)
        .iter()
        .map(|d| if d.previous_replay { format!("{}'", d.command) } else { d.command.to_string() })
        .collect();
    let _ = write!(s, " | after {}", if deps.is_empty() { "-".into() } else { deps.join(",") });
    s
}

fn kernel(t: &Table, i: usize) -> String {
    let k = t.kernel_of(i);
    let consts: Vec<String> = k.kernel.consts.iter().zip(&k.consts).map(|(n, v)| constant(n, *v)).collect();
    format!("{}{{{}}}", k.kernel.name, consts.join(" "))
}

/// A constant; formats of a KV cache by name.
fn constant(name: &str, value: u32) -> String {
    match KvFormat::from_word(value).filter(|_| matches!(name, "k_type" | "v_type")) {
        Some(format) => format!("{name}={}", format.name()),
        None => format!("{name}={value}"),
    }
}

fn bindings(t: &Table, i: usize) -> String {
    let mut s = String::new();
    for b in t.bindings_of(i) {
        let mark = match b.access {
            Access::Read => "r",
            Access::Write => "w",
            Access::ReadWrite => "rw",
        };
        let _ = write!(s, " {mark} {}[{}+{}]", t.regions[b.region.0 as usize].name, b.offset, b.len);
    }
    s
}
