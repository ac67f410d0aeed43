//! Tables for a GPU as snapshots; none is needed.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use akunu_kernels::cpu::Level;
use akunu_kernels::cuda::Gpu;
use akunu_kernels::kv::KvFormat;
use akunu_kernels::step::RowCount;
use akunu_kernels::{Load, Machine};
use akunu_model::synthetic::Synthetic;
use akunu_plan::{CacheTypes, Draw, Program, Settings, Shape, Target, dump};
use support::gpu;

fn table(spec: &str, rows: u32) -> String {
    table_of(spec, rows, CacheTypes::default())
}

fn table_of(spec: &str, rows: u32, cache: CacheTypes) -> String {
    let source = Synthetic::parse(spec).unwrap();
    let settings = Settings { context: 1024, head_rows: RowCount(1), cache, batch: None };
    let program = Program::new(&source, gpu(), settings).unwrap();
    let table = program.table("snapshot", Shape::new(RowCount(rows), RowCount(1))).unwrap();
    dump::dump(&table, Load { rows: RowCount(rows), head_rows: RowCount(1), kv_len: 100.max(rows) })
}

#[test]
fn decode_is_five_commands_a_layer() {
    let text = table("tiny-llama:q4_0", 1);
    assert_eq!(text.matches("layers.0.").count(), 5);
    insta::assert_snapshot!(text);
}

/// A table that draws with all samplers differs at its end, and in nothing else.
#[test]
fn all_samplers_are_three_commands_in_the_place_of_one() {
    let source = Synthetic::parse("tiny-llama:q4_0").unwrap();
    let settings =
        Settings { context: 1024, head_rows: RowCount(1), cache: CacheTypes::default(), batch: None };
    let program = Program::new(&source, gpu(), settings).unwrap();
    for rows in [1, 128] {
        let one = RowCount(1);
        let load = Load { rows: RowCount(rows), head_rows: one, kv_len: 100.max(rows) };
        let shape = Shape::new(RowCount(rows), one);
        let of = |draw| dump::dump(&program.table("snapshot", shape.drawing(draw)).unwrap(), load);
        let (plain, full) = (of(Draw::Plain), of(Draw::Full));
        let commands = |t: &str| t.lines().filter(|l| !l.contains(" sample ")).count();
        assert_eq!(commands(&plain), commands(&full), "{full}");
        let end: Vec<&str> = full.lines().filter(|l| l.contains(" sample ")).collect();
        assert_eq!(end.len(), plain.lines().filter(|l| l.contains(" sample ")).count() + 2);
        insta::assert_snapshot!(format!("all_samplers_{rows}"), end.join("\n"));
    }
}

#[test]
fn prefill_multiplies_on_matrix_units() {
    insta::assert_snapshot!(table("tiny-llama:q4_0", 128));
}

#[test]
fn bf16_is_multiplied_where_it_lies() {
    let text = table("tiny-llama:bf16", 128);
    assert!(!text.contains("dequantize"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn two_formats_beside_each_other_are_one_command() {
    let text = table("llama-3-8b:q4_k_m", 1);
    // Values in six bits, in half of the layers.
    assert_eq!(text.matches("norm_matmul_pair{").count(), 16, "{text}");
    for layer in 0..32 {
        assert_eq!(text.matches(&format!(" layers.{layer}.")).count(), 5, "{text}");
    }
}

#[test]
fn experts_are_grouped_where_rows_are_many() {
    let prefill = table("tiny-qwen3moe:q4_k_m", 128);
    assert_eq!(prefill.matches(" layers.0.ffn.group ").count(), 1, "{prefill}");
    assert_eq!(
        prefill.matches(" layers.0.ffn.norm ").count(),
        1,
        "one norm for router and experts: {prefill}"
    );
    // The last layer goes on with the one row that draws.
    let slots: Vec<&str> = prefill.lines().filter(|l| l.contains("expert_matmul{")).collect();
    assert!(slots.iter().all(|l| l.contains(" layers.1.")), "{prefill}");
    let (first, last) = (" layers.0.ffn.norm ", " layers.1.attention.norm ");
    let layer = prefill.lines().skip_while(|l| !l.contains(first)).take_while(|l| !l.contains(last));
    insta::assert_snapshot!(layer.collect::<Vec<_>>().join("\n"));
    for rows in [1, 8] {
        let few = table("tiny-qwen3moe:q4_k_m", rows);
        assert!(few.contains("expert_matmul{") && !few.contains("grouped_matmul{"), "{few}");
        // Router, choice, gates, downs, their sum.
        assert_eq!(few.matches(" layers.0.ffn.").count(), 5, "{few}");
    }
}

/// Formats of the cache change the size of its regions and the constants of what works on it, and nothing else.
#[test]
fn caches_have_formats_of_their_own() {
    let cache = CacheTypes { k: Some(KvFormat::Q8_0), v: Some(KvFormat::Bf16) };
    let text = table_of("tiny-llama:q4_0", 1, cache);
    let others = |t: &str| -> String {
        t.lines().skip(1).filter(|l| !l.contains("_cache") && !l.contains("k_type")).collect()
    };
    assert_eq!(others(&text), others(&table("tiny-llama:q4_0", 1)));
    insta::assert_snapshot!(text);
}

/// The steps of a session's prompt of `left` tokens.
fn steps(program: &Program, mut left: u32) -> Vec<u32> {
    let (end, mut steps) = (program.last_rows(left), Vec::new());
    while left != 0 {
        steps.push(program.next_rows(left));
        left -= steps.last().unwrap();
    }
    assert_eq!(steps.last(), Some(&end), "the last step");
    steps
}

/// Where weights would be staged, a prompt's last thousand tokens run in steps that dequantize them on their way.
#[test]
fn prompts_of_quantized_models_end_without_staging() {
    let program = |spec: &str, context| {
        let source = Synthetic::parse(spec).unwrap();
        let settings =
            Settings { context, head_rows: RowCount(1), cache: CacheTypes::default(), batch: None };
        Program::new(&source, gpu(), settings).unwrap()
    };
    let quantized = program("tiny-llama:q4_0", 8192);
    assert_eq!(
        quantized.ladder().iter().map(|r| r.0).collect::<Vec<_>>(),
        [1, 8, 32, 64, 128, 256, 512, 2048]
    );
    for (tokens, want) in [
        (1, &[1][..]),
        (512, &[512]),
        (513, &[512, 1]),
        (1024, &[512, 512]),
        (1025, &[1025]),
        (2048, &[2048]),
        (2600, &[2048, 512, 40]),
        (5000, &[2048, 2048, 512, 392]),
        (5400, &[2048, 2048, 1304]),
    ] {
        assert_eq!(steps(&quantized, tokens), want);
    }
    // What comes before the last step is cut alike without it, as `akunu run` reads it.
    for tokens in 1..6000 {
        let mut all = steps(&quantized, tokens);
        let last = all.pop().unwrap();
        assert!(tokens == last || steps(&quantized, tokens - last) == all, "{tokens} tokens");
    }
    // Weights of 16 bits are multiplied where they lie, and experts are dequantized on their way in all tables.
    for spec in ["tiny-llama:bf16", "tiny-qwen3moe:q4_0"] {
        assert_eq!(steps(&program(spec, 8192), 2648), [2048, 600], "{spec}");
    }
    // A context that cuts the ladder.
    assert_eq!(steps(&program("tiny-llama:q4_0", 700), 699), [512, 187]);
    assert_eq!(steps(&program("tiny-llama:q4_0", 300), 299), [299]);
}

/// Gates and ups lie in memory only where no command makes their activation too, and tables that may have them find room.
#[test]
fn gates_and_ups_have_as_many_rows_as_tables_that_store_them() {
    let rows = |target: Target, spec: &str| {
        let source = Synthetic::parse(spec).unwrap();
        let settings =
            Settings { context: 4096, head_rows: RowCount(64), cache: CacheTypes::default(), batch: None };
        let program = Program::new(&source, target, settings).unwrap();
        for rows in [1, 2, 3, 8, 9, 15, 16, 17, 31, 33, 65, 100, 300, 500, 513, 700, 1500, 2048] {
            let most = program.ladder().last().copied().unwrap();
            let rows = RowCount(rows).min(most);
            for heads in [RowCount(1), rows.min(RowCount(64))] {
                program.table("any", Shape::new(rows, heads)).unwrap();
            }
        }
        let bytes = program.regions.iter().find(|r| r.name == "gate_up").unwrap().bytes;
        let experts = program.config.experts.as_ref();
        bytes / (8 * experts.map_or(u64::from(program.config.ffn), |e| u64::from(e.used * e.ffn)))
    };
    // Fused in tables of all sizes; a mixture of experts stores its gates and ups.
    assert_eq!(rows(gpu(), "tiny-llama:q4_0"), 0);
    assert_eq!(rows(gpu(), "tiny-llama:bf16"), 0);
    assert_eq!(rows(gpu(), "tiny-qwen3moe:q4_0"), 2048);
    // CPUs fuse them in their tables of many rows.
    let few = Target::of(Machine::Cpu(Level::Avx512));
    let bound = few.families[0].rows.0;
    assert!(bound < 512, "a family of few rows");
    assert_eq!(rows(few, "tiny-llama:q4_0"), u64::from(bound));
    // Elsewhere tables find room.
    let older = Gpu { sm: 80, multiprocessors: 108, shared: 163 << 10 };
    let levels = [Level::Portable, Level::Avx2, Level::AvxVnni, Level::Avx512Bf16, Level::AmxEmulated];
    for machine in levels.map(Machine::Cpu).into_iter().chain([Machine::Cuda(older)]) {
        for spec in ["tiny-llama:q4_k", "tiny-llama:f16", "tiny-qwen3:q8_0", "llama-3.2-1b:bf16"] {
            rows(Target::of(machine), spec);
        }
    }
}
