//! Every CUDA kernel with every constant set of these tables, compiled for each architecture. Needs no GPU, only NVRTC.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::batch::{Next, Piece};
use akunu::device::cuda::{Options, compile_table};
use akunu::device::null::NullDevice;
use akunu::device::{Device, DeviceError, DeviceInfo, Memory, Replay, Stream};
use akunu::files::synthetic::Synthetic;
use akunu::kernels::Machine;
use akunu::kernels::cuda::Gpu;
use akunu::plan::{
    BatchSize, CacheTypes, Draw, Program, RegionDecl, Settings, Shape, Target, VerifiedTable, Walk,
};
use akunu::{
    BatchOptions, Control, DecodeOptions, Eos, KvFormat, LoadOptions, Model, RowCount, Sampling, Sequence,
    SequenceOptions, Token,
};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// Compiles all tables of a model: the ladder, scoring, and the shift. Kernels compiled before are in the cache.
fn compile(spec: &str, arch: &str) -> u32 {
    compile_with(spec, arch, CacheTypes::default())
}

fn compile_with(spec: &str, arch: &str, cache: CacheTypes) -> u32 {
    let gpu = Gpu::of_arch(arch).unwrap();
    let options = Options { overlap: gpu.sm >= 90, ..Options::default() };
    let source = Synthetic::parse(spec).unwrap();
    let settings = Settings { context: 4096, head_rows: RowCount(64), cache, batch: None };
    let program = Program::new(&source, Target::of(Machine::Cuda(gpu)), settings).unwrap();
    let mut tables = vec![program.table("shift", Walk::Shift).unwrap()];
    for rows in program.ladder() {
        for draw in [Draw::Plain, Draw::Full] {
            tables.push(program.table("compile", Shape::new(rows, RowCount(1)).drawing(draw)).unwrap());
        }
    }
    tables.push(program.table("score", Shape::new(RowCount(64), RowCount(64))).unwrap());
    let mut kernels = 0;
    for t in &tables {
        kernels += compile_table(t, options).unwrap_or_else(|e| panic!("{spec} for {arch}: {e}")).kernels;
    }
    kernels
}

/// A device that runs nothing and notes the kernels, with their constants, of the tables it is given.
struct Noting {
    inner: NullDevice,
    seen: Mutex<BTreeSet<(&'static str, Vec<u32>)>>,
}

fn kernels(table: &VerifiedTable) -> impl Iterator<Item = (&'static str, Vec<u32>)> {
    table.kernels.iter().map(|k| (k.kernel.name, k.consts.clone()))
}

impl Device for Noting {
    fn info(&self) -> DeviceInfo {
        self.inner.info()
    }

    fn target(&self) -> &Target {
        self.inner.target()
    }

    fn alloc(&self, decl: &RegionDecl) -> Result<Arc<dyn Memory>, DeviceError> {
        self.inner.alloc(decl)
    }

    fn stream(&self) -> Result<Arc<dyn Stream>, DeviceError> {
        self.inner.stream()
    }

    fn lower(
        &self,
        table: &VerifiedTable,
        regions: &[Arc<dyn Memory>],
        stream: &Arc<dyn Stream>,
    ) -> Result<Box<dyn Replay>, DeviceError> {
        self.seen.lock().unwrap().extend(kernels(table));
        self.inner.lower(table, regions, stream)
    }

    fn measure_bandwidth(&self) -> Option<f64> {
        None
    }
}

/// What `akunu compile` compiles is what sessions and batches ask for when they are made and when they shift, whatever the size of
/// the cache.
#[test]
fn what_is_compiled_ahead_is_what_runs() {
    let machine = Machine::Cuda(Gpu::of_arch("sm_90a").unwrap());
    for (spec, sequences, cache_tokens) in [
        ("tiny-llama:q4_0", None, None),
        ("tiny-llama:bf16", Some(3), None),
        ("tiny-qwen3moe:q4_k_m", Some(40), Some(64 * 256)),
    ] {
        let source = Synthetic::parse(spec).unwrap();
        let inner = NullDevice::new(Target::of(machine));
        let device = Arc::new(Noting { inner, seen: Mutex::default() });
        let options = LoadOptions { context: Some(512), ..LoadOptions::default() };
        let model = Model::load_on(Box::new(source), device.clone(), &options, &mut |_| {}).unwrap();
        let tables = Model::tables(model.program(), sequences).unwrap();
        // Those that draw with all samplers are made when they are first asked for.
        let (sampled, tables): (Vec<_>, Vec<_>) =
            tables.into_iter().partition(|t| t.name.starts_with("sampled"));
        assert!(sampled.iter().flat_map(kernels).count() > 30, "{spec}");
        let ahead: BTreeSet<_> = tables.iter().flat_map(kernels).collect();

        let mut session = model.session().unwrap();
        session.append(&[Token(1); 20]).unwrap();
        session
            .decode(
                &DecodeOptions { max_tokens: 1, sampling: Sampling::greedy(), eos: Eos::Ignore, chunk: None },
                &mut |_| Control::Continue,
            )
            .unwrap();
        session.shift(2, 5).unwrap();
        let batch = BatchOptions { sequences, cache_tokens, deterministic: false, drafts: None };
        let mut batch = model.batch(&batch).unwrap();
        let o = SequenceOptions {
            max_tokens: 5,
            sampling: Sampling::greedy(),
            eos: Eos::Ignore,
            reasoning: None,
        };
        let mut guests = [batch.sequence(&[Token(1); 20], &o).unwrap()];
        batch
            .run(&mut guests, &[Piece { guest: 0, rows: 19 }], 1, &mut |_: &mut Sequence, _, _| Next::Go)
            .unwrap();
        assert!(batch.shift(&mut guests[0], 2, 5).unwrap());

        let seen = device.seen.lock().unwrap();
        assert!(seen.len() > 30, "{spec}: {}", seen.len());
        assert_eq!(*seen, ahead, "{spec}");
    }
}

/// Tables of some rows of a batch rotate in their attention, where the cache has elements of 16 bits; a session's never do.
#[test]
fn tables_of_some_rows_rotate_in_their_attention() {
    let gpu = Gpu::of_arch("sm_90a").unwrap();
    let source = Synthetic::parse("tiny-llama:q4_0").unwrap();
    let codes = CacheTypes { k: Some(KvFormat::Q8_0), ..CacheTypes::default() };
    let batch = Some(BatchSize { sequences: 100, blocks: 200 });
    for (cache, batch, fused) in
        [(CacheTypes::default(), batch, 17..257), (codes, batch, 0..0), (CacheTypes::default(), None, 0..0)]
    {
        let settings = Settings { context: 4096, head_rows: RowCount(1), cache, batch };
        let program = Program::new(&source, Target::of(Machine::Cuda(gpu)), settings).unwrap();
        for rows in program.ladder() {
            let table = program.table("batch", Shape::new(rows, RowCount(1))).unwrap();
            let has = |name| kernels(&table).any(|(n, _)| n == name);
            let fused = fused.contains(&rows.0);
            assert_eq!(has("rope_kv_ragged_attention"), fused, "{rows} rows");
            assert_eq!(has("rope_kv"), !fused && !has("rope_kv_attention"), "{rows} rows");
        }
    }
}

/// All tables of a batch.
fn compile_batch(spec: &str, arch: &str, cache: CacheTypes) -> u32 {
    let gpu = Gpu::of_arch(arch).unwrap();
    let options = Options { overlap: gpu.sm >= 90, ..Options::default() };
    let source = Synthetic::parse(spec).unwrap();
    let batch = Some(BatchSize { sequences: 100, blocks: 200 });
    let settings = Settings { context: 4096, head_rows: RowCount(1), cache, batch };
    let program = Program::new(&source, Target::of(Machine::Cuda(gpu)), settings).unwrap();
    let drawn = [Draw::Plain, Draw::Full];
    let compiled =
        program.ladder().into_iter().flat_map(|rows| drawn.map(|d| (rows, d))).map(|(rows, draw)| {
            let shape = Shape::new(rows, rows.min(RowCount(100))).drawing(draw);
            let table = program.table("batch", shape).unwrap();
            compile_table(&table, options).unwrap_or_else(|e| panic!("{spec} for {arch}: {e}")).kernels
        });
    compiled.sum()
}

/// Tables that verify drafts, of a session and of a batch.
#[test]
#[ignore = "needs NVRTC; tools/fetch-nvrtc.sh"]
fn tables_that_verify_drafts_compile_for_sm_90a() {
    let gpu = Gpu::of_arch("sm_90a").unwrap();
    let source = Synthetic::parse("tiny-llama:q4_0").unwrap();
    for batch in [None, Some(BatchSize { sequences: 3, blocks: 20 })] {
        let settings =
            Settings { context: 4096, head_rows: RowCount(1), cache: CacheTypes::default(), batch };
        let program = Program::new(&source, Target::of(Machine::Cuda(gpu)), settings).unwrap().drafting(7);
        for draw in [Draw::Plain, Draw::Full] {
            let table = program.drafting_table(program.verified_rows(), draw).unwrap();
            let compiled = compile_table(&table, Options { overlap: true, ..Options::default() }).unwrap();
            assert!(compiled.kernels > 5, "{draw:?}");
        }
    }
}

fn compile_batches(arch: &str) {
    for (spec, format) in [("tiny-llama:bf16", KvFormat::F16), ("tiny-qwen3moe:q4_k_m", KvFormat::Q8_0)] {
        let kernels = compile_batch(spec, arch, CacheTypes { k: Some(format), v: Some(format) });
        println!("a batch of {spec} for {arch}: {kernels} kernels");
        assert!(kernels > 60, "{spec} for {arch}: only {kernels} kernels");
    }
}

/// A model of each kind of source: weights of 16 bits and of each kind of codes and scales, experts, and shapes of real models.
const KINDS: &[&str] = &[
    "tiny-llama:bf16",
    "tiny-llama:q4_0",
    "tiny-llama:q8_0",
    "tiny-llama:q6_k",
    "tiny-llama:mxfp4",
    "tiny-llama:affine4_g64",
    "tiny-qwen3moe:q4_k_m",
    "llama-3-8b:q4_k_m",
    "llama-3-8b:bf16",
];

/// All others.
const FORMATS: &[&str] = &[
    "tiny-llama:f32",
    "tiny-llama:f16",
    "tiny-llama:q4_1",
    "tiny-llama:q5_0",
    "tiny-llama:q5_1",
    "tiny-llama:q2_k",
    "tiny-llama:q3_k",
    "tiny-llama:q4_k",
    "tiny-llama:q5_k",
    "tiny-llama:q8_k",
    "tiny-llama:iq4_nl",
    "tiny-llama:iq4_xs",
    "tiny-llama:nvfp4",
    "tiny-llama:mxfp8",
    // Each path of the affine formats: widths of codes, one group or several units of it, both scales.
    "tiny-llama:affine2_g32",
    "tiny-llama:affine2_g64",
    "tiny-llama:affine3_g32",
    "tiny-llama:affine3_g128_f16",
    "tiny-llama:affine5_g64",
    "tiny-llama:affine6_g128_f16",
    "tiny-llama:affine8_g64",
    "llama-3-8b:affine4_g64",
    "llama-3.2-1b:q4_0",
];

fn compile_all(specs: &[&str], arch: &str) {
    for spec in specs {
        let kernels = compile(spec, arch);
        println!("{spec} for {arch}: {kernels} kernels");
        assert!(kernels > 20, "{spec} for {arch}: only {kernels} kernels");
    }
}

/// The kernels on the cache in every pair of formats, for heads of 32, 64 and 128.
fn compile_caches(arch: &str) {
    let formats = [KvFormat::F16, KvFormat::Bf16, KvFormat::Q8_0];
    for spec in ["tiny-llama:q4_0", "llama-3.2-1b:q4_0", "llama-3-8b:q4_0"] {
        for (k, v) in formats.into_iter().flat_map(|k| formats.map(|v| (k, v))) {
            compile_with(spec, arch, CacheTypes { k: Some(k), v: Some(v) });
        }
    }
}

#[test]
#[ignore = "needs NVRTC; tools/fetch-nvrtc.sh"]
fn real_kernels_compile_for_sm_90a() {
    compile_all(KINDS, "sm_90a");
}

#[test]
#[ignore = "needs NVRTC; tools/fetch-nvrtc.sh"]
fn real_formats_compile_for_sm_90a() {
    compile_all(FORMATS, "sm_90a");
}

#[test]
#[ignore = "needs NVRTC; tools/fetch-nvrtc.sh"]
fn real_kernels_compile_for_sm_80() {
    compile_all(KINDS, "sm_80");
    compile_all(FORMATS, "sm_80");
}

#[test]
#[ignore = "needs NVRTC; tools/fetch-nvrtc.sh"]
fn real_cache_formats_compile_for_sm_90a() {
    compile_caches("sm_90a");
}

#[test]
#[ignore = "needs NVRTC; tools/fetch-nvrtc.sh"]
fn real_cache_formats_compile_for_sm_80() {
    compile_caches("sm_80");
}

#[test]
#[ignore = "needs NVRTC; tools/fetch-nvrtc.sh"]
fn real_batches_compile_for_sm_90a() {
    compile_batches("sm_90a");
}

/// Products of real sizes, in which different blocks sum up parts of k.
#[test]
#[ignore = "needs NVRTC; tools/fetch-nvrtc.sh"]
fn real_batches_of_real_sizes_compile_for_sm_90a() {
    let codes = CacheTypes { k: Some(KvFormat::Q8_0), v: Some(KvFormat::Q8_0) };
    for cache in [CacheTypes::default(), codes] {
        let kernels = compile_batch("llama-3-8b:bf16", "sm_90a", cache);
        assert!(kernels > 60, "only {kernels} kernels");
    }
}

#[test]
#[ignore = "needs NVRTC; tools/fetch-nvrtc.sh"]
fn real_batches_compile_for_sm_80() {
    compile_batches("sm_80");
}
