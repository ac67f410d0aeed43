//! What the pages say is so: the tables of architectures and formats are those of the registries, the counts in the README
//! those of the table it names. `AKUNU_UPDATE_README=1` writes them. (The transcript has its test beside the command.)
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::kernels::Load;
use akunu::kernels::Machine;
use akunu::kernels::act::ActFormat;
use akunu::kernels::cpu::Level;
use akunu::plan::Shape;
use akunu::plan::Target;
use akunu::plan::arch::ARCHS;
use akunu::{CacheTypes, Model, RowCount, Source};
use akunu_conformance::smollm2;
use akunu_kernels::dtype::DTYPES;
use std::path::PathBuf;

/// The level of the counts; a plan for it can be made on any machine.
const COUNTED: Level = Level::Avx512Bf16;

/// The part of a page between `<!-- NAME: written by … -->` and `<!-- end of NAME -->`: compared, or written where asked for.
fn keep(page: &str, name: &str, wanted: &str) {
    let begin = format!("<!-- {name}: written by tests/conformance/tests/readme.rs -->\n");
    let end = format!("<!-- end of {name} -->");
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) =
        text.split_once(&begin).unwrap_or_else(|| panic!("{page} has no mark '{}'", begin.trim()));
    let (there, after) = rest.split_once(&end).unwrap_or_else(|| panic!("{page} has no mark '{end}'"));
    if std::env::var_os("AKUNU_UPDATE_README").is_some() {
        std::fs::write(&path, format!("{before}{begin}{wanted}{end}{after}")).unwrap();
        return;
    }
    assert!(
        there == wanted,
        "{page}: the {name} are old; run `AKUNU_UPDATE_README=1 cargo nextest run --cargo-profile fast -p akunu-conformance \
         --run-ignored all --test readme`. They should be:\n{wanted}"
    );
}

fn tables() -> String {
    let mut t = String::from("| architecture | covers |\n|---|---|\n");
    for a in ARCHS {
        t += &format!("| `{}` | {} |\n", a.name, a.covers);
    }
    t += "\n| format | found in | elements per block | bytes per block | activations of its product on the CPU |\n\
          |---|---|---|---|---|\n";
    let target = Target::of(Machine::Cpu(Level::Avx512));
    // Affine formats of one width differ in group and scale only: one line for each width.
    let mut widths = Vec::new();
    for d in DTYPES {
        let act = match target.rule(d.dtype, 256).map(|r| r.act) {
            Some(ActFormat::Q8) => "8-bit, a scale for 16 values",
            Some(ActFormat::F32) => "f32",
            other => panic!("{}: activations {other:?}", d.name),
        };
        let (name, found, block, bytes) = match d.dtype.affine() {
            Some(a) if widths.contains(&a.bits) => continue,
            Some(a) => {
                widths.push(a.bits);
                let of = |group: u32| (4 + group * a.bits / 8).to_string();
                let name = format!("`affine{}`, groups of 32, 64, 128; scales BF16 or F16", a.bits);
                (name, "MLX", "32, 64, 128".into(), [32, 64, 128].map(of).join(", "))
            }
            None => {
                let found = if d.dtype.in_gguf() { "GGUF" } else { "MLX" };
                (format!("`{}`", d.name), found, d.block.to_string(), d.block_bytes.to_string())
            }
        };
        t += &format!("| {name} | {found} | {block} | {bytes} | {act} |\n");
    }
    t
}

/// With thousands marked, as people read large counts.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, d) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(d);
    }
    out
}

/// What one token of SmolLM2 takes.
fn counts() -> String {
    let depth = 128;
    let program = Model::plan_for(
        &Source::Path(smollm2()),
        Target::of(Machine::Cpu(COUNTED)),
        Some(2048),
        CacheTypes::default(),
    )
    .unwrap();
    let t = program.table("decode", Shape::new(RowCount(1), RowCount(1))).unwrap();
    let in_layers = t.labels.iter().filter(|l| l.layer.is_some()).count() as u64;
    let (all, layers) = (t.commands.len() as u64, u64::from(program.config.layers));
    assert_eq!(in_layers % layers, 0, "every layer of this model is alike");
    let cost = t.cost(Load { rows: RowCount(1), head_rows: RowCount(1), kv_len: depth });
    format!(
        "| one token of SmolLM2-135M-Instruct, Q4_1, level {COUNTED} | |\n|---|---|\n\
         | commands | {all}: {} for each of {layers} layers, {} around them |\n\
         | distinct kernels with their constants | {} |\n\
         | bytes of weights read | {} |\n\
         | other bytes read and written, with {depth} positions in the cache | {} |\n",
        in_layers / layers,
        all - in_layers,
        t.kernels.len(),
        grouped(cost.weight_bytes),
        grouped(cost.other_bytes),
    )
}

/// A row of the README's speeds: its name, the record's list and model, and the recipe that its quality is of.
const SPEEDS: [(&str, &str, &str, Option<&str>); 6] = [
    ("SmolLM2-135M, Q4_1", "models", "smollm2-135m-q4_1", Some("q4_1")),
    ("Qwen3-0.6B shape, Q4_K_M", "models", "qwen3-0.6b-q4_k_m", Some("q4_k_m")),
    ("Llama-3.2-1B shape, Q4_0", "models", "llama-3.2-1b-q4_0", Some("q4_0")),
    ("the same with 4,096 tokens in the cache, decode of 32", "depth_4096", "llama-3.2-1b-q4_0", None),
    ("Llama-3.2-1B shape, Q8_0", "models", "llama-3.2-1b-q8_0", Some("q8_0")),
    ("Llama-3.2-1B shape, BF16", "models", "llama-3.2-1b-bf16", Some("bf16")),
];

/// The CPU's speed and quality, from the records that the README names.
fn speeds() -> String {
    let record = |name: &str| -> serde_json::Value {
        serde_json::from_str(&page(&format!("benches/records/2026-11-22-{name}.json"))).unwrap()
    };
    let (speed, quality) = (record("cpu-all-rows"), record("kl-by-dtype"));
    let find = |list: &serde_json::Value, key: &str, value: &str| {
        let all = list.as_array().unwrap().iter();
        all.clone().find(|m| m[key].as_str().is_some_and(|v| v.starts_with(value))).cloned()
    };
    let rate = |v: &serde_json::Value| match v.as_f64().unwrap() {
        v if v >= 100.0 => grouped(v.round() as u64),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    };
    // Three digits that say something.
    let thousandths = |v: &serde_json::Value| {
        let v = v.as_f64().unwrap() * 1e3;
        format!("{v:.*}", (2.0 - v.log10().floor()) as usize)
    };
    let both = |cells: Option<(String, String)>| match cells {
        Some((ours, theirs)) => format!("**{ours}** | {theirs} |"),
        None => " | |".into(),
    };
    let mut t = String::from(
        "| 2 cores of an Intel Xeon with AVX-512 VNNI | prompt of 512 | llama.cpp | decode of 128 | llama.cpp \
         | KL × 1000 | llama.cpp |\n|---|---:|---:|---:|---:|---:|---:|\n",
    );
    for (name, list, model, recipe) in SPEEDS {
        let tests = find(&speed[list], "model", model).unwrap()["tests"].clone();
        let pair = |test| {
            let t = find(&tests, "test", test)?;
            Some((rate(&t["akunu_median_ts"]), rate(&t["peer_median_ts"])))
        };
        let kl = recipe.map(|r| {
            let row = find(&quality["results"], "recipe", r).unwrap();
            let ours = row["akunu"].as_object().unwrap().values().next().unwrap();
            (thousandths(&ours["kl_mean"]), thousandths(&row["peer"]["kl_mean"]))
        });
        t += &format!("| {name} | {} {} {}\n", both(pair("pp")), both(pair("tg")), both(kl));
    }
    t
}

#[test]
fn speeds_are_those_of_the_records() {
    keep("README.md", "speeds", &speeds());
}

#[test]
fn formats_are_those_of_the_registries() {
    keep("docs/formats.md", "registries", &tables());
}

#[test]
#[ignore = "needs the SmolLM2 file; tools/fetch-model.sh"]
fn real_counts_are_those_of_the_table() {
    keep("README.md", "counts", &counts());
}

fn page(name: &str) -> String {
    std::fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)).unwrap()
}

/// The README's program is one of the examples on the library's first page, which the compiler checks.
#[test]
fn the_snippet_is_the_library_s_example() {
    let library = page("crates/engine/src/lib.rs");
    let lines: Vec<&str> = library
        .lines()
        .map_while(|l| l.strip_prefix("//!"))
        .map(|l| l.strip_prefix(' ').unwrap_or_default())
        .filter(|l| !l.starts_with("# "))
        .collect();
    let examples: Vec<String> =
        lines.split(|l| l.starts_with("```")).skip(1).step_by(2).map(|e| e.join("\n")).collect();
    assert!(examples.iter().any(|e| e.lines().count() > 5));
    let readme = page("README.md");
    let found = examples.iter().any(|e| readme.contains(&format!("```rust\n{e}\n```\n")));
    assert!(found, "the README's Rust snippet should be one of\n{}", examples.join("\n\n"));
}

/// A link to a file that is not there helps nobody.
#[test]
fn links_between_pages_lead_somewhere() {
    for name in ["README.md", "docs/README.md", "docs/guide.md", "docs/formats.md", "docs/quantization.md"] {
        let text = page(name);
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
        let links = text.split("](").skip(1).filter_map(|l| l.split_once(')')).map(|(link, _)| link);
        for link in links.filter(|l| !l.contains("://")) {
            let (file, heading) = link.split_once('#').map_or((link, None), |(f, h)| (f, Some(h)));
            let target = if file.is_empty() { folder.clone() } else { folder.with_file_name(file) };
            assert!(target.exists(), "{name}: {link} leads nowhere");
            let Some(heading) = heading else { continue };
            let there = std::fs::read_to_string(&target).unwrap();
            let anchor = |l: &str| {
                let kept = l.trim_start_matches('#').trim().to_lowercase();
                let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
                kept.collect::<String>().replace(' ', "-")
            };
            let found = there.lines().any(|l| l.starts_with('#') && anchor(l) == heading);
            assert!(found, "{name}: {link} names a heading that is not there");
        }
    }
}
