//! Models that a plan refuses, and how much memory one takes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use akunu_kernels::cpu::Level;
use akunu_kernels::cuda::Gpu;
use akunu_kernels::kv::KvFormat;
use akunu_kernels::step::RowCount;
use akunu_kernels::{DType, Layout, Machine};
use akunu_model::WeightSource;
use akunu_model::config::ExpertsConfig;
use akunu_model::synthetic::Synthetic;
use akunu_plan::arch::PositionKind;
use akunu_plan::memory::default_context;
use akunu_plan::walk::{Shape, ladder};
use akunu_plan::weights::SlotData;
use akunu_plan::{
    ARCHS, BatchSize, CacheTypes, MAX_BLOCKS, PlanError, Program, Region, RegionKind, Settings, Target, Walk,
};
use support::{Source, packed, reference, settings, small, source, targets};

/// Refused with a message that says all of `want`.
#[track_caller]
fn refused(s: &Source, context: u32, want: &[&str]) {
    for target in targets() {
        let e = s.try_program(target, context).expect_err("a broken model was planned").to_string();
        for w in want {
            assert!(e.contains(w), "{e:?} does not say {w:?}");
        }
    }
}

/// [`refused`] for a small model with something changed in its configuration.
#[track_caller]
fn config(change: impl Fn(&mut Source), want: &[&str]) {
    let mut s = small();
    change(&mut s);
    refused(&s, 300, want);
}

#[test]
fn unknown_architectures_are_refused_with_those_that_are_known() {
    let names: Vec<_> = ARCHS.iter().map(|a| a.name).collect();
    config(|s| s.config.arch = "mamba".into(), &["architecture `mamba` is not supported", &names.join(", ")]);
    config(|s| s.config.arch.clear(), &["architecture `` is not supported"]);
    for a in ARCHS {
        assert!(!a.covers.is_empty());
        assert_eq!(ARCHS.iter().filter(|b| b.name == a.name).count(), 1);
        // A conversion refuses what its file's readers would take for something else.
        let rotated = a.positions == PositionKind::Rotated;
        for layer in (0..64).filter(|_| rotated) {
            assert_eq!(a.roped.holds(layer), akunu_model::gguf::rotates(a.name, layer), "{} {layer}", a.name);
        }
    }
}

#[test]
fn every_tensor_is_needed() {
    let whole = small();
    for t in &whole.tensors {
        let mut s = whole.clone();
        s.tensors.retain(|o| o.name != t.name);
        refused(&s, 300, &[&format!("tensor `{}` is missing", t.name)]);
    }
}

#[test]
fn every_shape_is_checked() {
    let whole = small();
    for t in &whole.tensors {
        let mut s = whole.clone();
        s.tensor(&t.name).rows += 1;
        let (rows, want) = (t.rows + 1, t.rows);
        let shapes = format!("shape {rows} x {}, the configuration says {want} x {}", t.cols, t.cols);
        refused(&s, 300, &[&format!("tensor `{}` has", t.file_name), &shapes]);
        let mut s = whole.clone();
        s.tensor(&t.name).cols *= 2;
        refused(&s, 300, &[&format!("tensor `{}` has", t.file_name), "the file contradicts itself"]);
    }
}

#[test]
fn tensors_that_the_architecture_does_not_know_are_refused() {
    let mut s = small();
    s.add("layers.0.attention.q.bias", DType::F32, 1, 128);
    refused(&s, 300, &["`file:layers.0.attention.q.bias` is not part of architecture `llama`;"]);
    s.add("layers.1.attention.q.bias", DType::F32, 1, 128);
    refused(&s, 300, &["(nor are 1 more)"]);
    let mut s = small();
    s.unmapped = vec!["blk.0.ffn_gate_exps.weight".into(), "b".into(), "c".into()];
    refused(&s, 300, &["`blk.0.ffn_gate_exps.weight` is not part", "(nor are 2 more)"]);
    // A layer too many.
    let mut s = small();
    s.config.layers = 1;
    refused(&s, 300, &["`file:layers.1.attention_norm.weight` is not part", "(nor are 8 more)"]);
}

#[test]
fn a_separate_head_is_used() {
    let mut s = small();
    let tied = s.program(packed(), 300);
    assert_eq!(tied.weights.head, tied.weights.embed);
    s.add("output.weight", DType::Q6K, 100, 64);
    // Q6_K needs rows of 256; the source would have refused it. Here another format:
    let s = s.retype("output.weight", DType::Q8_0);
    let p = s.program(packed(), 300);
    assert_ne!(p.weights.head, p.weights.embed);
    assert_eq!(p.weights.slot(p.weights.head).dtype, DType::Q8_0);
}

#[test]
fn formats_without_a_rule_are_refused() {
    let target = Target {
        rules: reference().rules.into_iter().filter(|r| r.dtype != DType::Q4_0).collect(),
        ..reference()
    };
    let e = small().try_program(target, 300).unwrap_err();
    assert!(
        matches!(&e, PlanError::Dtype { tensor, dtype, .. } if tensor == "file:embed.weight" && dtype == "q4_0"),
        "{e}"
    );
    let s = small().retype("output_norm.weight", DType::F16);
    refused(&s, 300, &["tensor `file:output_norm.weight` is f16; here it must be f32"]);
}

#[test]
fn rules_are_tried_in_order_and_by_width() {
    let mut t = reference();
    t.rules.insert(0, akunu_plan::target::WeightRule { dtype: DType::Q4_0, k_multiple: 96, ..t.rules[0] });
    let rule = |k| t.rule(DType::Q4_0, k).unwrap().k_multiple;
    assert_eq!((rule(96), rule(192), rule(64), rule(97)), (96, 96, 1, 1));
}

#[test]
fn weights_stay_in_their_file_where_they_can() {
    const PAGE: u64 = 4096;
    let mut s = small();
    let mut at = 5_000_032;
    for t in &s.tensors {
        s.places.insert(t.name.clone(), at);
        at += t.bytes.next_multiple_of(32);
    }
    // One that no kernel could take where it lies, and one that lies nowhere.
    *s.places.get_mut("layers.0.ffn.down.weight").unwrap() += 8;
    s.places.remove("layers.1.ffn.up.weight");
    let target = || Target { file_pages: Some(PAGE), ..packed() };
    let p = s.program(target(), 300);
    let mut file_bytes = 0;
    let (mut end, mut page_end) = (0, 0);
    for slot in &p.weights.slots {
        assert!(slot.offset >= end && slot.offset >= page_end, "slots overlap");
        end = slot.offset + slot.bytes;
        match &slot.data {
            SlotData::File { tensor, at } => {
                assert_eq!(Some(at), s.places.get(&tensor.name));
                assert_eq!(
                    (slot.layout, slot.offset % PAGE, slot.bytes),
                    (Layout::Native, at % PAGE, tensor.bytes)
                );
                page_end = end.next_multiple_of(PAGE);
                file_bytes += slot.bytes;
            }
            // Vectors, and what cannot stay.
            SlotData::Tensors(t) | SlotData::Sparse { tensors: t, .. } => {
                let names: Vec<&str> = t.iter().map(|t| t.name.as_str()).collect();
                let left = ["layers.0.ffn.down.weight", "layers.1.ffn.up.weight"];
                assert!(slot.rows == 1 || names.len() == 1 && left.contains(&names[0]), "{names:?}");
            }
            SlotData::Values(_) => {}
        }
    }
    assert_eq!(p.weights.file_bytes, file_bytes);
    let in_memory = s.program(packed(), 300);
    // Half empty pages are counted, files are not.
    assert_eq!(p.bytes_of(RegionKind::Weights), p.weights.bytes - file_bytes);
    assert_eq!(p.bytes() - p.bytes_of(RegionKind::Weights), in_memory.bytes() - in_memory.weights.bytes);
    // Tables hold, with bindings where the file has them.
    p.table("decode", Shape::new(RowCount(1), RowCount(1))).unwrap();
    assert_eq!(in_memory.weights.file_bytes, 0);
}

#[test]
fn counts_that_make_no_sense_are_refused() {
    config(|s| s.config.layers = 0, &["layers is 0"]);
    config(|s| s.config.hidden = 0, &["hidden width is 0"]);
    config(|s| s.config.heads = 0, &["heads is 0"]);
    config(|s| s.config.kv_heads = 0, &["KV heads is 0"]);
    config(|s| s.config.head_dim = 0, &["head width is 0"]);
    config(|s| s.config.ffn = 0, &["feed-forward width is 0"]);
    config(|s| s.config.vocab = 0, &["vocabulary is 0"]);
    config(|s| s.config.vocab = (1 << 24) + 1, &["vocabulary is 16777217", "between 1 and 2^24"]);
    config(|s| s.config.layers = u32::MAX, &["layers is 4294967295"]);
    config(|s| s.config.kv_heads = 3, &["heads is 4; it must be a multiple of the KV heads"]);
    config(|s| s.config.kv_heads = 8, &["heads is 4; it must be a multiple of the KV heads"]);
    config(|s| s.config.rope.dim = 31, &["rope dimension is 31", "even"]);
    config(|s| s.config.rope.dim = 34, &["rope dimension is 34", "at most the head width"]);
    config(|s| (s.config.heads, s.config.head_dim) = (1 << 20, 1 << 20), &["qkv width is", "below 2^24"]);
    config(|s| s.config.attention.windowed = Some(vec![true; 9]), &["windowed layers is 9"]);
    config(|s| s.config.attention.roped = Some(Vec::new()), &["roped layers is 0"]);
    config(|s| s.config.attention.scale = Some(0.0), &["attention scale is 0"]);
    config(|s| s.config.attention.softcap = Some(f32::NAN), &["attention soft cap is NaN"]);
    config(|s| s.config.logits_softcap = Some(-1.0), &["logit soft cap is -1"]);
    config(|s| s.config.rope.magnitude = f32::INFINITY, &["RoPE magnitude is inf"]);
    let experts = |count, used, ffn| Some(ExpertsConfig { count, used, ffn, normalized: true });
    // In u32 the bytes of a row of 64 such experts would be none.
    config(|s| s.config.experts = experts(64, 64, 1 << 24), &["experts of a token is 64", "below 2^24"]);
    config(|s| s.config.norm_eps = f32::NAN, &["norm epsilon is NaN"]);
    config(|s| s.config.norm_eps = f32::INFINITY, &["norm epsilon is inf"]);
    config(|s| s.config.norm_eps = -1e-5, &["norm epsilon is -0.00001"]);
    config(|s| s.config.rope.base = f32::NAN, &["rope frequency is not finite"]);
    // Claims of many layers cost nothing before the first missing tensor is named.
    config(|s| s.config.layers = 1 << 24, &["tensor `layers.2.attention_norm.weight` is missing"]);
}

#[test]
fn contexts_out_of_range_are_refused() {
    for context in [0, (1 << 24) + 1, u32::MAX] {
        refused(&small(), context, &[&format!("context is {context}"), "between 1 and 16777216"]);
    }
    for context in [1, 255, 256, 257, 1 << 24] {
        let p = small().program(packed(), context);
        assert_eq!(p.cache.blocks(), context.div_ceil(256));
        assert_eq!(p.max_seq(), context + 1);
    }
}

#[test]
fn row_counts_are_cut_to_the_context() {
    let l = |context| ladder(&packed().ladder, context).iter().map(|r| r.0).collect::<Vec<u32>>();
    assert_eq!(l(1), [1]);
    assert_eq!(l(5), [1, 5]);
    assert_eq!(l(8), [1, 8]);
    assert_eq!(l(100), [1, 8, 100]);
    assert_eq!(l(4096), [1, 8, 512]);
    assert_eq!(l(0), [1], "no panic, whatever is asked");
}

/// The regions of a small model, by hand.
#[test]
fn regions_have_the_sizes_of_their_shapes() {
    // 64 wide, 4 + 2 heads of 32, 96 wide feed-forward, 100 tokens, 300 positions: two blocks, 300 rows.
    let p = small().program(packed(), 300);
    let bytes = |name: &str| p.regions.iter().find(|r| r.name == name).unwrap().bytes;
    assert_eq!(bytes("tokens"), 301 * 4);
    assert_eq!(bytes("block_table"), 2 * 4);
    assert_eq!(bytes("k_cache"), 2 * 2 * 2 * 256 * 32 * 2);
    assert_eq!(bytes("v_cache"), bytes("k_cache"));
    assert_eq!(bytes("h0"), 300 * 64 * 4);
    assert_eq!(bytes("qkv"), 300 * 8 * 32 * 4);
    assert_eq!(bytes("angles"), 300 * 32 * 4);
    assert_eq!(bytes("gate_up"), 300 * 2 * 96 * 4);
    assert_eq!(bytes("logits"), 100 * 4);
    assert_eq!(bytes("attn_f32"), 0, "heads of 32 need none");
    // x: the head's f32 rows (5 lines of 64 bytes) are wider than the layers' q8 rows.
    assert_eq!(bytes("x"), 300 * 320);
    assert_eq!(p.bytes(), p.regions.iter().map(|r| r.bytes).sum::<u64>());
    let cache = bytes("k_cache") + bytes("v_cache");
    assert_eq!(p.bytes_of(RegionKind::Cache), cache);
    let kinds = [RegionKind::Weights, RegionKind::Persistent, RegionKind::Scratch, RegionKind::Mailbox];
    assert_eq!(cache + kinds.map(|k| p.bytes_of(k)).iter().sum::<u64>(), p.bytes());
    assert_eq!(p.bytes_of(RegionKind::Weights), p.weights.bytes);
    let odd = source(160, 2, 1, 80, 96, 100, DType::Q4_0).program(packed(), 300);
    assert!(odd.regions.iter().any(|r| r.name == "attn_f32" && r.bytes == 300 * 704), "{:?}", odd.regions);
}

/// The regions of a batch of the same model, by hand: what a sequence has of its own, what all share, and what stays.
#[test]
fn regions_of_a_batch_have_the_sizes_of_their_shapes() {
    let session = small().program(packed(), 300);
    // Five sequences, nine blocks for all of them.
    let size = BatchSize { sequences: 5, blocks: 9 };
    let p = session.batch(size).unwrap();
    let of = |p: &Program, name: &str| p.regions.iter().find(|r| r.name == name).unwrap().bytes;
    let bytes = |name: &str| of(&p, name);
    // 64 of the header, 104 a sequence, 8 a row, 8 to the next multiple of 16, 16 a head.
    // The cache has room for a whole table of 512 rows, one context has not.
    assert_eq!(bytes("step"), 64 + 5 * 104 + 512 * 8 + 8 + 5 * 16);
    assert_eq!(bytes("tokens"), 5 * 301 * 4);
    assert_eq!(bytes("block_table"), 5 * 2 * 4);
    // Layers, blocks, heads, positions, width, f16.
    assert_eq!(bytes("k_cache"), 2 * 9 * 2 * 256 * 32 * 2);
    assert_eq!(bytes("v_cache"), bytes("k_cache"));
    assert_eq!(bytes("logits"), 5 * 100 * 4);
    assert_eq!((bytes("best"), bytes("picks")), (5 * 8, 5 * 8));
    assert_eq!((bytes("partials"), bytes("sync")), (0, 0), "nothing is split over the length");
    // A struct of 32 words, 1,024 pairs, a bit for each of 100 tokens, a number for each slot of a belt.
    assert_eq!((bytes("samplers"), bytes("biases")), (5 * 128, 5 * 8192));
    assert_eq!((bytes("masks"), bytes("breakers"), bytes("mirostat")), (5 * 16, 5 * 16, bytes("tokens")));
    // What adjust changes, and 64 records of 48 words.
    assert_eq!((bytes("raw_logits"), bytes("log_probs")), (bytes("logits"), 5 * 64 * 192));
    for r in &session.regions {
        let own = ["step", "tokens", "block_table", "k_cache", "v_cache", "logits", "best", "picks"];
        if ["samplers", "biases", "masks", "breakers", "mirostat", "raw_logits", "log_probs", "head_step"]
            .contains(&r.name)
        {
            continue;
        }
        if !own.contains(&r.name) && !["partials", "sync"].contains(&r.name) {
            assert_eq!(
                bytes(r.name),
                if r.name == "weights" { r.bytes } else { r.bytes / 300 * 512 },
                "{}",
                r.name
            );
        }
    }
    assert_eq!((p.cache.pool, p.cache.blocks()), (9, 2));
    let layers = [0, 1].map(|i| p.cache.place(i, KvFormat::F16));
    assert_eq!(layers, [(0, 9 * 32_768), (9 * 32_768, 9 * 32_768)]);
    // Made at once or from a session's program, it is the same.
    let at_once =
        Program::new(&small(), packed(), Settings { batch: Some(size), ..settings(300, 1) }).unwrap();
    assert_eq!(at_once.regions, p.regions);
    assert_eq!((at_once.cache, at_once.settings), (p.cache, p.settings));
}

#[test]
fn batches_that_cannot_be_are_refused() {
    let p = small().program(packed(), 300);
    let refused = |sequences, blocks, words: &[&str]| {
        let size = BatchSize { sequences, blocks };
        let at_once = Program::new(&small(), packed(), Settings { batch: Some(size), ..settings(300, 1) });
        for e in [p.batch(size).unwrap_err(), at_once.unwrap_err()].map(|e| e.to_string()) {
            assert!(words.iter().all(|w| e.contains(w)), "{e}");
        }
    };
    refused(0, 9, &["sequences of a batch", "0", "between 1 and 1024"]);
    refused(1025, 9, &["sequences of a batch", "1025"]);
    refused(u32::MAX, 9, &["sequences of a batch"]);
    refused(4, 0, &["blocks of the KV cache", "one whole context"]);
    refused(4, 1, &["blocks of the KV cache", "one whole context"]);
    refused(4, (1 << 24) + 1, &["blocks of the KV cache is 16777217", "4294967296 tokens", "smaller"]);
    refused(4, u32::MAX, &["blocks of the KV cache is 4294967295", "smaller"]);
    let fits = |sequences, blocks| p.batch(BatchSize { sequences, blocks }).is_ok();
    refused(3, 2, &["blocks of the KV cache", "2", "fewer sequences"]);
    assert!(fits(1, 2) && fits(1024, 1024) && fits(1, 1 << 24));
    // Of a model that is no model, but whose numbers are each in range.
    let mut vast = p.clone();
    (vast.config.kv_heads, vast.config.head_dim, vast.config.layers) = (3, 1 << 22, 2048);
    let e = vast.batch(BatchSize { sequences: 4, blocks: 1 << 24 }).unwrap_err().to_string();
    assert!(e.contains("blocks of the KV cache is 16777216; their bytes"), "{e}");
    // One sequence in a batch is no session: it has a list of heads.
    let one = p.batch(BatchSize { sequences: 1, blocks: 2 }).unwrap();
    assert_eq!((one.capacity().heads, p.capacity().heads), (1, 0));
    // A table's heads are listed in the step block, and their logits have a place each.
    let batch = p.batch(BatchSize { sequences: 5, blocks: 9 }).unwrap();
    assert!(batch.table("heads", Shape::new(RowCount(8), RowCount(5))).is_ok());
    assert!(batch.table("heads", Shape::new(RowCount(8), RowCount(6))).is_err());
    // A shift moves the one sequence of a session, or the first of a batch.
    assert!(p.table("shift", Walk::Shift).is_ok());
    let shift = batch.table("shift", Walk::Shift).unwrap();
    let rows: Vec<_> = (0..2).map(|i| shift.bindings_of(i)[1]).collect();
    assert!(
        rows.iter().all(|b| (b.region, b.offset, b.len) == (Region::BlockTable.id(), 0, 2 * 4)),
        "{rows:?}"
    );
}

/// Where a table's rows are on matrix units, so are its heads, however few sequences there may be: what a sequence draws does not
/// depend on how many there could be.
#[test]
fn heads_of_a_batch_are_computed_as_its_rows_are() {
    let gpu = Gpu { sm: 90, multiprocessors: 132, shared: 227 << 10 };
    let levels = [Level::Portable, Level::Avx2, Level::Avx512, Level::Amx, Level::AmxEmulated];
    let mut raised = 0;
    for machine in levels.map(Machine::Cpu).into_iter().chain([Machine::Cuda(gpu)]) {
        let session = small().program(Target::of(machine), 300);
        for sequences in [1, 3, 8, 9, 12, 16, 17, 40] {
            let p = session.batch(BatchSize { sequences, blocks: 80 }).unwrap();
            for rows in p.ladder() {
                let heads = p.shape(rows).head_rows;
                assert!(heads <= rows && heads >= RowCount(sequences).min(rows), "{machine:?}, {rows} rows");
                let kind = |n| p.target.family(n).products;
                assert!(heads == rows || kind(heads) == kind(rows), "{machine:?}, {heads} heads of {rows}");
                raised += u32::from(heads > RowCount(sequences));
            }
        }
    }
    assert!(raised > 0);
}

/// The cache takes its share of what all else leaves, up to what is of use, and no less than a batch needs.
#[test]
fn a_batch_takes_a_share_of_what_is_left() {
    let p = small().program(packed(), 300);
    let nine = p.batch(BatchSize { sequences: 4, blocks: 9 }).unwrap();
    assert_eq!(nine.own_bytes(), nine.regions[1..].iter().map(|r| r.bytes).sum::<u64>());
    assert_eq!(nine.cache_bytes(), 2 * 2 * 9 * 2 * 256 * 32 * 2);
    let all = nine.own_bytes() - nine.cache_bytes() + 2 * nine.cache_bytes();
    let within = |sequences, available| p.blocks_within(sequences, available, 0.5).unwrap();
    assert_eq!(within(4, all), 9);
    assert_eq!(within(4, all - 2), 8);
    assert_eq!(within(4, u64::MAX), 2 * 2 * 4, "twice a context for each sequence");
    assert_eq!((within(1, 0), within(2, 0), within(7, 0)), (2, 2, 7), "a context, and a block for each");
    // Whatever the memory, a number that a batch can have.
    let long = small().program(packed(), 1 << 24);
    let most = long.blocks_within(1024, u64::MAX, 0.9).unwrap();
    assert_eq!(most, MAX_BLOCKS);
    assert!(long.batch(BatchSize { sequences: 1024, blocks: most }).is_ok());
    assert!(p.blocks_within(1025, u64::MAX, 0.9).is_err() && p.blocks_within(u32::MAX, 0, 0.9).is_err());
}

/// Sequences of a batch take their blocks one by one: windowed layers from a pool of their own, where it is the smaller one.
#[test]
fn a_batch_has_no_ring_but_a_pool() {
    let windowed = || {
        let mut s = small();
        s.config.attention.sliding_window = Some(8);
        s
    };
    let session = windowed().program(packed(), 8192);
    let ring = session.cache.ring.expect("a session of this length has a ring");
    assert!(ring < session.cache.blocks());
    // For each of three a block that its window begins in, one that it ends in, one for a chain and one more; two for 512 rows.
    let batch = session.batch(BatchSize { sequences: 3, blocks: 40 }).unwrap();
    let windows = batch.cache.windows.unwrap();
    assert_eq!((batch.cache.ring, batch.cache.pool, windows.blocks), (None, 40, 3 * 4 + 2));
    assert_eq!([0, 1].map(|i| batch.cache.layer_blocks(i)), [14, 14]);
    assert_eq!(batch.cache.oldest_kept(8192), 0);
    assert_eq!(batch.region(Region::KCache).bytes, 2 * 14 * batch.cache.block_bytes(KvFormat::F16));
    // Tables have the entries of a whole context for each sequence.
    assert_eq!(batch.region(Region::BlockTable).bytes, 3 * 32 * 4);
    assert_eq!(batch.region(Region::WindowTable).bytes, 3 * 32 * 4);
    // What their window holds moves between blocks, so it is computed anew.
    let e = batch.table("shift", Walk::Shift).unwrap_err().to_string();
    assert!(e.contains("shift of windowed layers"), "{e}");
    let firsts = [0, 6, 7, 261, 262, 263, 1031].map(|p| windows.first_block(p));
    assert_eq!(firsts, [0, 0, 0, 0, 0, 1, 4]);
    // No smaller: all layers have one pool.
    let small = windowed().program(packed(), 3 * 256).batch(BatchSize { sequences: 3, blocks: 14 }).unwrap();
    assert_eq!((small.cache.windows, small.cache.layer_blocks(0)), (None, 14));
    assert_eq!(small.region(Region::WindowTable).bytes, 0);
    assert!(small.batch(BatchSize { sequences: 3, blocks: 15 }).unwrap().cache.windows.is_some());
}

#[test]
fn scoring_gets_logits_for_every_row() {
    let p = |head_rows, context| Program::new(&small(), packed(), settings(context, head_rows)).unwrap();
    let bytes = |p: &Program, name: &str| p.regions.iter().find(|r| r.name == name).unwrap().bytes;
    assert_eq!(bytes(&p(64, 300), "logits"), 64 * 100 * 4);
    // More head rows than the ladder has rows: the buffers follow.
    assert_eq!(bytes(&p(1000, 2000), "h0"), 1000 * 64 * 4);
    assert_eq!(bytes(&p(64, 300), "best"), 64 * 8);
}

#[test]
fn packed_weights_take_the_bytes_of_the_file() {
    let s = Synthetic::parse("llama-3.2-1b:q4_0").unwrap();
    let p = Program::new(&s, packed(), settings(256, 1)).unwrap();
    // Alignment of each slot costs at most 255 bytes.
    let slack = 256 * p.weights.slots.len() as u64;
    let file: u64 = s.tensors().iter().map(|t| t.bytes).sum::<u64>() + 128;
    assert!((file..=file + slack).contains(&p.weights.bytes), "{} for {file}", p.weights.bytes);
}

#[test]
fn the_default_context_fits_and_grows_with_memory() {
    let s = Synthetic::parse("llama-3.2-1b:q4_0").unwrap();
    let t = packed();
    let needs = |context| Program::new(&s, t.clone(), settings(context, 1)).unwrap().bytes();
    let default = |available| default_context(&s, &t, CacheTypes::default(), available).unwrap();
    assert_eq!(default(u64::MAX), 131_072, "never more than the model was trained for");
    assert_eq!(default(needs(131_072)), 131_072);
    assert!(default(needs(131_072) - 1) < 131_072);
    assert_eq!(default(0), 256, "never below one block");
    let mut last = 0;
    for step in 0..40u64 {
        let available = needs(256) + step * (needs(131_072) - needs(256)) / 39;
        let context = default(available);
        assert!(context >= last && context.is_multiple_of(256), "{context} after {last}");
        assert!(needs(context) <= available, "{context} does not fit");
        assert!(context == 131_072 || needs(context + 256) > available, "{context} could be longer");
        last = context;
    }
    assert_eq!(last, 131_072);
    assert_eq!(
        Program::new(&s, packed(), settings(300, 1)).unwrap().cache.block_bytes(KvFormat::F16),
        8 * 256 * 64 * 2
    );
}

#[test]
fn a_smaller_cache_makes_room_for_a_longer_context() {
    let s = Synthetic::parse("llama-3.2-1b:q4_0").unwrap();
    let with = |k, v| Settings { cache: CacheTypes { k, v }, ..settings(4096, 1) };
    let program = |settings| Program::new(&s, packed(), settings).unwrap();
    let bytes = |settings, region| program(settings).region(region).bytes;
    // 16 layers of 8 heads of 64, at 4,096 positions.
    let elements = 16 * 8 * 64 * 4096u64;
    let q8 = with(None, Some(KvFormat::Q8_0));
    assert_eq!((bytes(q8, Region::KCache), bytes(q8, Region::VCache)), (2 * elements, elements * 34 / 32));
    let wide = with(Some(KvFormat::F32), Some(KvFormat::Bf16));
    assert_eq!((bytes(wide, Region::KCache), bytes(wide, Region::VCache)), (4 * elements, 2 * elements));
    assert_eq!((program(q8).cache.k, program(q8).cache.v), (KvFormat::F16, KvFormat::Q8_0));
    assert_eq!(
        program(q8).cache.place(3, KvFormat::Q8_0),
        (3 * elements / 16 * 34 / 32, elements / 16 * 34 / 32)
    );

    let available = program(settings(4096, 1)).bytes();
    let context = |cache| default_context(&s, &packed(), cache, available).unwrap();
    let both = CacheTypes { k: Some(KvFormat::Q8_0), v: Some(KvFormat::Q8_0) };
    assert_eq!(context(CacheTypes::default()), 4096);
    assert!(context(q8.cache) > 4096 && context(both) > 7000, "{} and {}", context(q8.cache), context(both));
}

#[test]
fn caches_that_cannot_be_are_refused() {
    let refused = |s: &Source, t, k, words: &[&str]| {
        let cache = CacheTypes { k: Some(k), v: None };
        let e = Program::new(s, t, Settings { cache, ..settings(256, 1) }).unwrap_err().to_string();
        assert!(words.iter().all(|w| e.contains(w)), "{e}");
    };
    let mut narrow = small();
    refused(
        &narrow,
        Target { kv: vec![KvFormat::F16], ..packed() },
        KvFormat::F32,
        &["K cache", "f32 on packed"],
    );
    narrow.config.head_dim = 80;
    refused(&narrow, packed(), KvFormat::Q8_0, &["K cache is q8_0 for heads of 80", "multiple of 32", "f16"]);
}

#[test]
fn short_and_broken_training_contexts_have_a_default() {
    let mut s = small();
    for (trained, want) in [(0, 1), (1, 1), (100, 100), (256, 256), (700, 256)] {
        s.config.context = trained;
        assert_eq!(
            default_context(&s, &packed(), CacheTypes::default(), 0).unwrap(),
            want,
            "trained for {trained}"
        );
    }
    s.config.context = 700;
    assert_eq!(
        default_context(&s, &packed(), CacheTypes::default(), u64::MAX).unwrap(),
        700,
        "no multiple of a block is needed"
    );
    s.config.context = u32::MAX;
    assert_eq!(default_context(&s, &packed(), CacheTypes::default(), u64::MAX).unwrap(), 1 << 24);
    s.config.heads = 0;
    assert!(default_context(&s, &packed(), CacheTypes::default(), u64::MAX).is_err());
}
