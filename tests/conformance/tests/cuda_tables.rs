//! Tables for a GPU as snapshots; none is needed.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use akunu::device::cuda::{gpu_of_arch, target};
use akunu::files::synthetic::Synthetic;
use akunu::kernels::Load;
use akunu::plan::{Program, Settings, Shape, dump};

fn table(spec: &str, rows: u32) -> String {
    let gpu = gpu_of_arch("sm_90a").unwrap();
    let source = Synthetic::parse(spec).unwrap();
    let settings = Settings { context: 1024, head_rows: 1 };
    let program = Program::new(&source, target(gpu, true), settings).unwrap();
    let table = program.table("snapshot", Shape { rows, head_rows: 1 }).unwrap();
    dump::dump(&table, Load { rows, head_rows: 1, kv_len: 100.max(rows) })
}

#[test]
fn decode_is_five_commands_a_layer() {
    let text = table("tiny-llama:q4_0", 1);
    assert_eq!(text.matches("layers.0.").count(), 5);
    insta::assert_snapshot!(text);
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
