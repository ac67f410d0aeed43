//! Whole tables per target as snapshots, and the laws that every table keeps.
//!
//! A snapshot that changes shows what a change does to the commands; accept it with `cargo insta review`, or run once
//! with `INSTA_UPDATE=always`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use akunu_kernels::act::ActFormat;
use akunu_kernels::contract::Load;
use akunu_kernels::cpu::LEVELS;
use akunu_kernels::dtype::{Layout, matrix_bytes};
use akunu_kernels::pooling::{Normalize, Pooling};
use akunu_kernels::step::RowCount;
use akunu_kernels::{DType, KERNELS, Launch, Machine};
use akunu_model::safetensors::SafetensorsSource;
use akunu_model::synthetic::Synthetic;
use akunu_model::{ModelConfig, ModelError, TensorInfo, WeightSource};
use akunu_plan::dump::{dump, line};
use akunu_plan::table::Region;
use akunu_plan::verify::VerifiedTable;
use akunu_plan::{BatchSize, Encode, Program, Shape, Target, Walk};
use support::{gpu, packed, reference, settings, small, source, targets};

fn program(s: &dyn WeightSource, target: Target, context: u32, head_rows: u32) -> Program {
    Program::new(s, target, settings(context, head_rows)).unwrap()
}

fn tiny(target: Target, head_rows: u32) -> Program {
    program(&Synthetic::parse("tiny-llama:q4_0").unwrap(), target, 600, head_rows)
}

fn table(p: &Program, rows: u32, head_rows: u32) -> VerifiedTable {
    let name = if rows == 1 { "decode".into() } else { format!("rows{rows}") };
    p.table(&name, Shape::new(RowCount(rows), RowCount(head_rows))).unwrap()
}

fn text(t: &VerifiedTable) -> String {
    dump(t, Load { rows: t.rows, head_rows: t.head_rows, kv_len: 600 })
}

#[test]
fn tiny_decode_on_the_reference_target() {
    insta::assert_snapshot!(text(&table(&tiny(reference(), 1), 1, 1)));
}

#[test]
fn tiny_decode_on_the_packed_target() {
    insta::assert_snapshot!(text(&table(&tiny(packed(), 1), 1, 1)));
}

#[test]
fn tiny_rows8_on_the_packed_target() {
    insta::assert_snapshot!(text(&table(&tiny(packed(), 1), 8, 1)));
}

#[test]
fn tiny_rows512_on_the_packed_target() {
    insta::assert_snapshot!(text(&table(&tiny(packed(), 1), 512, 1)));
}

#[test]
fn tiny_scoring_on_the_packed_target() {
    insta::assert_snapshot!(text(&table(&tiny(packed(), 32), 32, 32)));
}

#[test]
fn tiny_shift_on_the_packed_target() {
    insta::assert_snapshot!(text(&tiny(packed(), 1).table("shift", Walk::Shift).unwrap()));
}

/// The tiny Whisper of the fixtures, with room for two texts of one window.
fn whisper(target: Target) -> Program {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/tiny-whisper");
    let source = SafetensorsSource::open(std::path::Path::new(path)).unwrap();
    program(&source, target, 48, 1).hearing(2, 1).unwrap()
}

#[test]
fn tiny_whisper_encodes_audio() {
    insta::assert_snapshot!(text(&whisper(packed()).encode_audio_table().unwrap()));
}

#[test]
fn tiny_whisper_decodes() {
    insta::assert_snapshot!(text(&whisper(packed()).logits_table(RowCount(1)).unwrap()));
}

#[test]
fn tiny_whisper_aligns() {
    let table = whisper(packed()).aligning().alignment_table().unwrap();
    insta::assert_snapshot!(text(&table));
}

/// An encoder of the fixtures, twelve times as wide (384, as MiniLM, no multiple of 256), with all matrices in a format, the table of
/// tokens among them.
struct Wide {
    config: ModelConfig,
    tensors: Vec<TensorInfo>,
}

impl Wide {
    fn new(fixture: &str, dtype: DType) -> Self {
        let path = format!("{}/../../tests/fixtures/{fixture}", env!("CARGO_MANIFEST_DIR"));
        let source = SafetensorsSource::open(std::path::Path::new(&path)).unwrap();
        let c = source.config();
        let config =
            ModelConfig { hidden: c.hidden * 12, ffn: c.ffn * 12, head_dim: c.head_dim * 12, ..c.clone() };
        let wide = |t: &TensorInfo| {
            let is_layers = t.name.starts_with("layers.");
            let rows = if is_layers && t.rows > 1 { t.rows * 12 } else { t.rows };
            let is_matrix = is_layers && rows > 1 || t.name == "embed.weight";
            let dtype = if is_matrix { dtype } else { t.dtype };
            let bytes = rows * dtype.row_bytes(t.cols * 12);
            TensorInfo { rows, cols: t.cols * 12, dtype, bytes, ..t.clone() }
        };
        Self { config, tensors: source.tensors().iter().map(wide).collect() }
    }
}

impl WeightSource for Wide {
    fn config(&self) -> &ModelConfig {
        &self.config
    }
    fn tensors(&self) -> &[TensorInfo] {
        &self.tensors
    }
    fn read(&self, _: &TensorInfo, _: u64, _: &mut [u8]) -> Result<(), ModelError> {
        Ok(())
    }
}

/// What is pooled is f32 and needs room as such, whatever formats the weights ask of the inputs of products.
#[test]
fn encoders_of_any_format_have_room_for_what_they_pool() {
    let levels = LEVELS.iter().filter(|l| l.available()).map(|l| Target::of(Machine::Cpu(*l)));
    for target in levels.chain([packed(), gpu()]) {
        for dtype in [DType::F32, DType::F16, DType::Q8_0, DType::Q4_0] {
            for fixture in ["tiny-bert", "tiny-encoders/nomic-bert"] {
                let p = program(&Wide::new(fixture, dtype), target.clone(), 64, 1);
                for rows in p.encode_ladder() {
                    let shape = Encode { rows, pooling: Pooling::Mean, normalize: Normalize::L2 };
                    p.encode_table(shape)
                        .unwrap_or_else(|e| panic!("{fixture} in {dtype}, {}: {e}", target.name));
                }
            }
        }
    }
}

/// A model of speech has its walks and no other, and no other model has them.
#[test]
fn only_models_of_speech_hear() {
    for target in targets() {
        let p = whisper(target.clone());
        let rows = RowCount(1);
        for walk in [Walk::Tokens(Shape::new(rows, rows)), Walk::Hidden(Shape::new(rows, rows)), Walk::Shift]
        {
            let e = p.table("other", walk).unwrap_err().to_string();
            assert!(e.contains("akunu transcribe"), "{e}");
        }
        assert!(p.table("audio", Walk::EncodeAudio).is_ok());
        let e = p.alignment_table().unwrap_err().to_string();
        assert!(e.contains("`aligning`"), "{e}");
        assert_eq!(p.aligning().alignment, [(1, 0), (2, 1)]);
        let text = tiny(target, 1);
        assert!(text.encode_audio_table().is_err() && text.logits_table(rows).is_err());
    }
}

/// Four sequences over a shared cache: lists and tables for each, a gather of heads, and attention by sequence.
#[test]
fn tiny_batch_decode_on_the_packed_target() {
    let p = tiny(packed(), 1).batch(BatchSize { sequences: 4, blocks: 7 }).unwrap();
    insta::assert_snapshot!(text(&table(&p, 8, 4)));
}

/// Hidden states of a batch: the tables of one family alone, each the token table of as many rows without what comes after the last layer, and
/// with one norm in its place that gathers the heads.
#[test]
fn a_batch_may_end_in_hidden_states() {
    for target in targets() {
        let p = tiny(target.clone(), 1).batch(BatchSize { sequences: 4, blocks: 7 }).unwrap();
        let hidden: Vec<_> = p.hidden_tables().map(Result::unwrap).collect();
        let largest = p.ladder().last().copied().unwrap();
        assert_eq!(hidden.last().map(|t| t.rows), Some(largest), "{}", target.name);
        for t in &hidden {
            assert_eq!(target.family(t.rows).rows, target.family(largest).rows, "{}", target.name);
            assert_eq!(
                (t.name.as_str(), t.head_rows),
                (&*format!("hidden{}", t.rows), p.shape(t.rows).head_rows)
            );
            let tokens = p.token_tables().map(Result::unwrap).find(|o| o.rows == t.rows).unwrap();
            let layers = |t: &VerifiedTable| {
                t.labels.iter().filter(|l| l.layer.is_some()).cloned().collect::<Vec<_>>()
            };
            assert_eq!(layers(t), layers(&tokens));
            assert_eq!(t.labels.last().map(|l| l.group), Some("head.norm"));
            assert!(t.labels.iter().all(|l| !["head.logits", "sample"].contains(&l.group)));
        }
    }
}

/// A batch differs from a session in what a sequence has of its own, and in nothing else.
#[test]
fn a_batch_is_the_same_table() {
    for target in targets() {
        let session = tiny(target, 64);
        let batch = session.batch(BatchSize { sequences: 64, blocks: 90 }).unwrap();
        for (rows, heads) in [(8, 8), (512, 64)] {
            let [one, many] = [&session, &batch].map(|p| table(p, rows, heads));
            let attention = [
                "rope_kv_attention",
                "rope_kv_ragged_attention",
                "split_attention",
                "ragged_attention",
                "attention",
            ];
            let kernels = |t: &VerifiedTable| -> Vec<(&str, Vec<u32>)> {
                let uses = (0..t.commands.len()).map(|i| t.kernel_of(i));
                let plain = uses.filter(|k| !["advance", "rope_kv"].contains(&k.kernel.name));
                let plain = plain.filter(|k| !attention.contains(&k.kernel.name));
                plain.map(|k| (k.kernel.name, k.consts.clone())).collect()
            };
            assert_eq!(kernels(&one), kernels(&many));
            let count = |t: &VerifiedTable, name| t.labels.iter().filter(|l| l.group == name).count();
            assert_eq!(count(&many, "attention.attention"), session.config.layers as usize);
        }
    }
}

/// 30 layers: the head of the dump, the first layer, and the end. The other layers are the first one with other
/// offsets, which is checked and not printed.
#[test]
fn smollm2_decode() {
    let s = Synthetic::parse("smollm2-135m:q4_1").unwrap();
    let t = table(&program(&s, packed(), 2048, 1), 1, 1);
    let per_layer = (t.commands.len() - 2 - 5) / 30;
    assert_eq!(2 + 30 * per_layer + 5, t.commands.len());
    for i in 2..2 + 30 * per_layer {
        let first = 2 + (i - 2) % per_layer;
        assert_eq!(t.kernel_of(i).consts, t.kernel_of(first).consts, "{}", t.labels[i]);
        assert_eq!(t.params_of(i), t.params_of(first), "{}", t.labels[i]);
        assert_eq!(t.labels[i].group, t.labels[first].group);
        assert_eq!(t.labels[i].layer, Some(((i - 2) / per_layer) as u32));
    }
    let whole = text(&t);
    let lines: Vec<&str> = whole.lines().collect();
    let header = lines.len() - t.commands.len();
    let mut shown = lines[..header + 2 + per_layer].to_vec();
    shown.push("...");
    shown.extend(&lines[lines.len() - 5..]);
    insta::assert_snapshot!(shown.join("\n"));
}

/// q and k are Q4_0, v is F16: three products, and the norm once for each change of format.
#[test]
fn mixed_formats_make_separate_products_and_repeat_the_norm() {
    let s = small().retype("layers.0.attention.v.weight", DType::F16);
    let t = table(&s.program(packed(), 300), 1, 1);
    let group = |i: usize| t.labels[i].to_string();
    let layer =
        |l: u32, g: &str| (0..t.commands.len()).filter(|i| group(*i) == format!("layers.{l}.{g}")).count();
    assert_eq!((layer(0, "attention.qkv"), layer(0, "attention.norm")), (2, 2));
    assert_eq!((layer(1, "attention.qkv"), layer(1, "attention.norm")), (1, 1));
    let lines: Vec<String> = (0..t.commands.len())
        .filter(|i| group(*i).starts_with("layers.0.attention"))
        .map(|i| line(&t, i, Load { rows: RowCount(1), head_rows: RowCount(1), kv_len: 10 }))
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
    // v in the middle: three norms.
    let s = small().retype("layers.0.attention.k.weight", DType::F16);
    let t = table(&s.program(packed(), 300), 1, 1);
    let norms = t.labels.iter().filter(|l| l.to_string() == "layers.0.attention.norm").count();
    assert_eq!(norms, 3);
}

/// What follows a prompt's last attention has the rows that draw alone: their step block, their number. Where all rows draw, nothing is taken.
#[test]
fn a_prompt_ends_with_the_rows_that_draw() {
    for (target, name) in [(packed(), "q4_0"), (reference(), "q4_0"), (packed(), "f16")] {
        let p = program(&Synthetic::parse(&format!("tiny-llama:{name}")).unwrap(), target, 600, 3);
        let t = table(&p, 512, 3);
        let taken = (0..t.commands.len()).position(|i| t.kernel_of(i).kernel.name == "take_heads").unwrap();
        assert_eq!(t.labels[taken - 1].to_string(), "layers.1.attention.output");
        for i in 0..t.commands.len() {
            let drawing = ["logits_max", "sample", "advance"].contains(&t.kernel_of(i).kernel.name);
            let of_heads = t.bindings_of(i)[0].region == Region::HeadStep.id();
            assert_eq!(of_heads, i > taken && !drawing, "{}", t.labels[i]);
        }
        let load = |rows| Load { rows: RowCount(rows), head_rows: RowCount(1), kv_len: 600 };
        let down = (0..t.commands.len()).filter(|i| t.labels[*i].to_string().ends_with("ffn.down"));
        let flops: Vec<u64> = down.map(|i| t.cost_of(i, load(100)).flops).collect();
        assert_eq!((flops.len(), flops[0]), (2, 100 * flops[1]));
        let all = table(&p, 3, 3);
        assert!(all.kernels.iter().all(|k| k.kernel.name != "take_heads"));
    }
}

/// Heads of 80: a q8 block would straddle two heads, so attention writes f32 and a command quantizes it.
#[test]
fn odd_heads_get_a_quantize_command() {
    let s = source(160, 2, 1, 80, 96, 100, DType::Q4_0);
    let t = table(&s.program(packed(), 300), 8, 1);
    let lines: Vec<String> = (0..t.commands.len())
        .filter(|i| t.labels[*i].to_string().starts_with("layers.1.attention"))
        .map(|i| line(&t, i, Load { rows: RowCount(8), head_rows: RowCount(1), kv_len: 10 }))
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
    for (target, heads) in [(reference(), 80), (packed(), 32), (packed(), 64)] {
        let s = source(160, 2, 1, heads, 96, 100, DType::Q4_0);
        let t = table(&s.program(target, 300), 1, 1);
        assert!(t.kernels.iter().all(|k| k.kernel.name != "quantize"), "not needed with heads of {heads}");
    }
}

/// Rows that are no multiple of a tile cannot be stacked: the next matrix would begin inside one.
#[test]
fn part_tiles_are_not_stacked() {
    // 24 query and 8 key and value rows; 40 gate rows.
    let t = table(&source(64, 3, 1, 8, 40, 100, DType::F16).program(packed(), 64), 1, 1);
    let products: Vec<Vec<u32>> = (0..t.commands.len())
        .filter(|i| ["layers.0.attention.qkv", "layers.0.ffn.gate_up"].contains(&&*t.labels[*i].to_string()))
        .map(|i| t.kernel_of(i).consts.clone())
        .collect();
    // (n, stride, first column)
    let shape: Vec<_> = products.iter().map(|c| (c[4], c[5], c[6])).collect();
    assert_eq!(shape, [(24, 40, 0), (8, 40, 24), (8, 40, 32), (40, 80, 0), (40, 80, 40)]);
}

/// Every table of every target and of several awkward models.
fn every_table() -> Vec<(Program, VerifiedTable)> {
    let models: Vec<Box<dyn WeightSource>> = vec![
        Box::new(Synthetic::parse("tiny-llama:q4_0").unwrap()),
        Box::new(Synthetic::parse("tiny-llama:bf16").unwrap()),
        Box::new(Synthetic::parse("tiny-llama:f32").unwrap()),
        Box::new(small().retype("layers.0.attention.v.weight", DType::F16)),
        Box::new(small().retype("layers.1.ffn.up.weight", DType::Bf16)),
        Box::new(source(160, 2, 1, 80, 96, 100, DType::Q8_0)),
        Box::new(source(33, 3, 1, 10, 21, 5000, DType::F16)),
    ];
    let mut out = Vec::new();
    for m in &models {
        for target in targets() {
            let p = program(m.as_ref(), target, 600, 64);
            for (rows, head_rows) in [(1, 1), (8, 1), (7, 0), (64, 64), (512, 1), (512, 64)] {
                out.push((p.clone(), table(&p, rows, head_rows)));
            }
            out.push((p.clone(), p.table("shift", Walk::Shift).unwrap()));
        }
    }
    out
}

/// What changes from token to token is in the step block: a table built twice has the same bytes.
#[test]
fn building_twice_gives_the_same_bytes() {
    for (p, t) in every_table() {
        let again = if t.name == "shift" {
            p.table("shift", Walk::Shift).unwrap()
        } else {
            p.table(&t.name, Shape::new(t.rows, t.head_rows)).unwrap()
        };
        let bytes = |t: &VerifiedTable| -> (Vec<u8>, Vec<u8>) {
            (bytemuck::cast_slice(&t.commands).to_vec(), bytemuck::cast_slice(&t.params).to_vec())
        };
        assert_eq!(bytes(&t), bytes(&again), "{}", t.name);
        assert_eq!(t.bindings, again.bindings, "{}", t.name);
        assert_eq!(t.labels, again.labels, "{}", t.name);
        assert_eq!(text(&t), text(&again), "{}", t.name);
    }
}

/// Every launch is for the target's machine, and of a registered kernel.
#[test]
fn launches_are_for_the_targets_machine() {
    let p = tiny(gpu(), 64);
    let on_a_gpu =
        [(1, 1), (8, 1), (64, 64), (512, 1)].map(|(rows, heads)| (p.clone(), table(&p, rows, heads)));
    for (p, t) in every_table().into_iter().chain(on_a_gpu) {
        assert_eq!(t.machine, p.target.machine);
        for k in &t.kernels {
            assert!(KERNELS.iter().any(|r| std::ptr::eq(*r, k.kernel)));
            assert!(matches!(
                (&k.launch, t.machine),
                (Launch::Cpu(_), Machine::Cpu(_)) | (Launch::Cuda(_), Machine::Cuda(_))
            ));
        }
    }
}

/// A target that asks for what its machine has no kernel for is refused when a table is built, not when it runs.
#[test]
fn a_missing_version_is_an_error_of_the_builder() {
    let mut target = packed();
    for rule in &mut target.rules {
        rule.act = ActFormat::Bf16;
    }
    let p = program(&small(), target, 600, 1);
    let e = p.table("decode", Shape::new(RowCount(1), RowCount(1))).unwrap_err().to_string();
    assert!(e.contains("kernel `matmul` has no version for q4_0 weights") && e.contains("portable"), "{e}");
}

/// Rows: every command is built for the table's rows or head rows and no buffer is bound beyond them.
#[test]
fn every_command_is_built_for_the_tables_rows() {
    for (p, t) in every_table() {
        for (i, label) in t.labels.iter().enumerate() {
            let k = t.kernel_of(i);
            let at = |name: &str| k.kernel.consts.iter().position(|c| *c == name).map(|c| k.consts[c]);
            let is_head = at("select") == Some(1)
                || ["logits_max", "sample", "take_heads"].contains(&k.kernel.name)
                || t.bindings_of(i)[0].region == Region::HeadStep.id();
            let rows = if is_head { t.head_rows } else { t.rows };
            assert_eq!(at("max_rows").unwrap_or(rows.0), rows.0, "{label}");
            for (b, spec) in t.bindings_of(i).iter().zip(k.kernel.bindings) {
                let r = &t.regions[b.region.0 as usize];
                assert!(b.offset + b.len <= r.bytes, "{label} {}", spec.name);
                assert!(b.offset.is_multiple_of(64), "{label} {}", spec.name);
            }
        }
        // More rows than the program has room for are refused, not truncated.
        if t.name != "shift" {
            let e = p.table("big", Shape::new(RowCount(513), RowCount(1))).unwrap_err().to_string();
            assert!(e.contains("of region `h0`"), "{e}");
            let e = p.table("heads", Shape::new(RowCount(512), RowCount(65))).unwrap_err().to_string();
            // (Logits have room for hidden states too, which are wider where the vocabulary is tiny.)
            assert!(e.contains("of region `logits`") || e.contains("of region `best`"), "{e}");
        }
    }
}

/// Products bind exactly the bytes that their contract describes.
#[test]
fn products_bind_what_their_contract_says() {
    for (_, t) in every_table() {
        for i in (0..t.commands.len()).filter(|i| t.kernel_of(*i).kernel.name.starts_with("matmul")) {
            let c = t.kernel_of(i).consts.clone();
            let (dtype, act) = (DType::from_ggml(c[0]).unwrap(), ActFormat::from_word(c[2]).unwrap());
            let (k, n, stride, col, rows) = (c[3], c[4], c[5], c[6], u64::from(c[8]));
            let b = t.bindings_of(i);
            assert_eq!(b[1].len, rows * act.row_bytes(k as usize) as u64, "{} x", t.labels[i]);
            let w = matrix_bytes(dtype, Layout::from_word(c[1]), n.into(), k.into());
            assert_eq!(b[2].len, w, "{} w", t.labels[i]);
            assert_eq!(b[b.len() - 1].len, rows * u64::from(stride) * 4, "{} out", t.labels[i]);
            assert!(col + n <= stride, "{}", t.labels[i]);
        }
    }
}

#[test]
fn slots_do_not_overlap_and_caches_are_their_layers_own() {
    for (p, t) in every_table() {
        let mut end = 0;
        for s in &p.weights.slots {
            assert!(s.offset >= end && s.offset.is_multiple_of(256));
            end = s.offset + s.bytes;
        }
        assert!(end <= p.weights.bytes);
        let caches: Vec<_> = (0..t.commands.len())
            .filter(|i| ["rope_kv", "kv_shift"].contains(&t.kernel_of(*i).kernel.name))
            .map(|i| {
                let b = t.bindings_of(i);
                (b[b.len() - 2], b[b.len() - 1])
            })
            .collect();
        assert_eq!(caches.len() as u32, p.config.layers);
        for (l, (k, v)) in caches.iter().enumerate() {
            let bytes = u64::from(p.cache.blocks()) * p.cache.block_bytes(p.cache.k);
            assert_eq!((k.offset, k.len), (l as u64 * bytes, bytes));
            assert_eq!((k.offset, k.len), (v.offset, v.len));
            assert_ne!(k.region, v.region);
        }
    }
}

#[test]
fn shapes_without_rows_are_refused() {
    let p = tiny(packed(), 1);
    for (rows, head_rows) in [(0, 0), (1, 2), (8, 9)] {
        let e = p.table("odd", Shape::new(RowCount(rows), RowCount(head_rows))).unwrap_err().to_string();
        assert!(e.contains(&format!("table shape is {rows} rows, {head_rows} of them")), "{e}");
    }
}
