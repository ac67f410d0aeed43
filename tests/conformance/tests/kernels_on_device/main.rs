//! Every kernel on every device of this machine against the plain twin, one command at a time.
//!
//! The same table runs on the reference level of the CPU and on the device. Outputs are poisoned: what the twin leaves
//! alone must be left alone, and bytes after a binding are guarded. Bounds follow from the arithmetic: a constant
//! times the unit roundoff times the sum of absolute products. The binary needs no file and no cargo.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../../../crates/kernels/tests/harness/mod.rs"]
mod harness;

mod attention;
mod batches;
mod caches;
mod drafts;
mod encoders;
mod experts;
mod extras;
mod products;
mod samplers;
mod small;
mod speech;

use akunu::device::Device;
use akunu::device::cpu::CpuDevice;
use akunu::device::cuda::{Options, compile_table};
use akunu::device::metal::emulator::{EmulatedDevice, Options as EmulatorOptions};
use akunu::kernels::act::{ActFormat, F16_SCALE, Q16AlignedBlock};
use akunu::kernels::cpu::Level;
use akunu::kernels::cuda::Gpu;
use akunu::kernels::kv::KvFormat;
use akunu::kernels::machine::Version;
use akunu::kernels::step::{self, Row, Seq};
use akunu::kernels::vulkan::Matrices;
use akunu::kernels::{KERNELS, Layout, Machine};
use akunu::plan::Target;
use akunu_conformance::one_command::OneCommand;
use akunu_conformance::{DeviceAndLevel, On, on_each_device, on_each_device_and_vulkan};
use akunu_kernels::DType;
use akunu_kernels::step::SeqIndex;
use half::{bf16, f16};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// Unit roundoff of f32.
const U: f32 = f32::EPSILON / 2.0;
/// Byte that outputs are filled with: NaN in every float format.
const POISON: u8 = 0xFF;

/// Compares what the twin left in the bindings with what the device left.
type Check = Box<dyn Fn(&[Vec<u8>], &[Vec<u8>]) -> Result<(), String> + Send + Sync>;

/// A command with its name and its check.
struct Case {
    what: String,
    command: OneCommand,
    check: Check,
}

fn case(what: String, command: OneCommand, check: Check) -> Case {
    Case { what, command, check }
}

/// Which tables a device gets cases for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Cpu,
    Cuda,
    Vulkan,
}

/// A device, as far as cases depend on it.
struct Side<'a> {
    kind: Kind,
    target: &'a Target,
}

impl Side<'_> {
    fn cuda(&self) -> bool {
        self.kind == Kind::Cuda
    }

    /// Whether tables of many rows are on matrix units through Vulkan.
    fn units(&self) -> bool {
        matches!(self.target.machine, Machine::Vulkan(chip) if chip.matrices == Matrices::F16)
    }

    /// The relative error of a value in attention of tables of so many rows, by the rounding of what matrix units multiply: to the
    /// cache's 16 bits on CUDA; to bf16 on a CPU's units, where the output is rounded to it.
    fn rounding(&self, kv: KvFormat, act: ActFormat, max_rows: u32) -> f32 {
        match self.target.machine {
            Machine::Cuda(_) => caches::unit(kv),
            Machine::Cpu(Level::Amx | Level::AmxEmulated) if max_rows > 8 && act == ActFormat::Bf16 => {
                caches::unit(KvFormat::Bf16)
            }
            _ => 0.0,
        }
    }

    /// Layout of a matrix of width `k`, where the device takes it.
    fn layout(&self, dt: DType, k: usize) -> Option<Layout> {
        self.target.rule(dt, k as u64).map(|r| r.layout)
    }

    /// One of the formats that its attention writes, by turn.
    fn out(&self, turn: usize, head_dim: u32) -> ActFormat {
        let blocks = self.kind == Kind::Vulkan && head_dim.is_multiple_of(32);
        match turn % 3 {
            0 if blocks && turn.is_multiple_of(2) => ActFormat::Q16Aligned,
            0 => ActFormat::F32,
            1 if blocks && !self.units() => ActFormat::Q16Aligned,
            1 => ActFormat::F16,
            _ => ActFormat::Bf16,
        }
    }

    /// Formats that its kernels write.
    fn formats(&self, k: usize) -> Vec<ActFormat> {
        let mut v = vec![ActFormat::F32, ActFormat::Bf16, ActFormat::F16];
        if self.kind == Kind::Cpu && k.is_multiple_of(32) {
            v.push(ActFormat::Q8);
        }
        if self.kind == Kind::Vulkan && k.is_multiple_of(32) {
            v.push(ActFormat::Q16Aligned);
        }
        v
    }
}

fn devices(on: On) -> &'static [DeviceAndLevel] {
    static CPU: OnceLock<Vec<DeviceAndLevel>> = OnceLock::new();
    static GPU: OnceLock<Vec<DeviceAndLevel>> = OnceLock::new();
    static VULKAN: OnceLock<Vec<DeviceAndLevel>> = OnceLock::new();
    static METAL: OnceLock<Vec<DeviceAndLevel>> = OnceLock::new();
    let devices = match on {
        On::Cpu => &CPU,
        On::Gpu => &GPU,
        On::Vulkan => &VULKAN,
        On::Metal => &METAL,
    };
    let metal = |order| -> DeviceAndLevel {
        (
            Arc::new(
                EmulatedDevice::emulated(EmulatorOptions { order, ..EmulatorOptions::default() }).unwrap(),
            ),
            None,
        )
    };
    devices.get_or_init(|| match on {
        // No result may depend on the order of a threadgroup's threads.
        On::Metal => [0, 1, 2].map(metal).into(),
        _ => on.devices_and_levels().unwrap(),
    })
}

fn reference() -> CpuDevice {
    CpuDevice::with_level(Level::Reference, Some(1)).unwrap()
}

/// Every n-th case, where `AKUNU_TEST_EVERY` is n, from number `AKUNU_TEST_FROM` on (0 unless told): for tools that make each kernel many
/// times slower, and to share a test out among processes.
fn thinned(cases: Vec<Case>) -> Vec<Case> {
    let number = |name| std::env::var(name).ok().and_then(|v| v.parse().ok());
    let (every, from) =
        (number("AKUNU_TEST_EVERY").unwrap_or(1usize), number("AKUNU_TEST_FROM").unwrap_or(0));
    cases.into_iter().skip(from).step_by(every.max(1)).collect()
}

/// Without a GPU, the twin with a GPU's tables: so every case of a GPU is at least built, verified and run.
fn stand_in(make: &impl Fn(&Side<'_>) -> Vec<Case>) -> Vec<String> {
    let gpu = Gpu::of_arch("sm_90a").unwrap();
    let cases = thinned(make(&Side { kind: Kind::Cuda, target: &Target::of(Machine::Cuda(gpu)) }));
    // Words like `sm_90a,sm_80`: also compile every case for these.
    let compile = std::env::var("AKUNU_COMPILE_CASES").unwrap_or_default();
    let (twin, mut failed) = (reference(), Vec::new());
    for c in &cases {
        // One run is both sides. What can fail is to build, verify and run it, and what a check asks of one side alone.
        let passed = match c.command.run(&twin) {
            Ok(out) => (c.check)(&out, &out),
            Err(e) => Err(e.to_string()),
        };
        if let Err(e) = passed {
            failed.push(format!("the twin with a GPU's table: {}: {e}", c.what));
        }
        for gpu in compile.split(',').filter_map(Gpu::of_arch) {
            let options = Options { overlap: gpu.sm >= 90, ..Options::default() };
            let made = c.command.table(Machine::Cuda(gpu)).and_then(|t| Ok(compile_table(&t, options)?));
            if let Err(e) = made {
                failed.push(format!("sm_{}: {}: {e}", gpu.sm, c.what));
            }
        }
    }
    println!("the twin with a GPU's tables: {} cases", cases.len());
    failed
}

/// Cases that run on one opened Vulkan device: it keeps its pipelines as long as it is open, and on lavapipe each takes megabytes.
const VULKAN_CASES: usize = 64;

/// Runs the cases that `make` gives for each of the devices. A GPU's are compiled by several threads. Levels of the CPU share many
/// versions of kernels: what one level has run with the same version, constants and name is not run again by another.
fn run_cases(on: On, make: impl Fn(&Side<'_>) -> Vec<Case>) {
    let (kind, mut failed) = match on {
        On::Cpu => (Kind::Cpu, stand_in(&make)),
        On::Gpu => (Kind::Cuda, Vec::new()),
        // The kernels have the same source.
        On::Vulkan | On::Metal => (Kind::Vulkan, Vec::new()),
    };
    let mut done = HashSet::new();
    let left = (on == On::Metal).then(|| Mutex::new(HashMap::new()));
    for (device, level) in devices(on) {
        let info = device.info();
        let mut cases = thinned(make(&Side { kind, target: device.target() }));
        let all = cases.len();
        if let Some(level) = level {
            let key = |c: &Case| c.command.version(*level).map(|version| (version, c.what.clone()));
            cases.retain(|c| key(c).is_none_or(|k| !done.contains(&k)));
            done.extend(cases.iter().filter_map(key));
        }
        let threads = match kind {
            Kind::Cuda => std::thread::available_parallelism().map_or(1, |n| n.get()).min(16),
            // Software that plays a GPU has threads of its own.
            Kind::Vulkan => 2,
            Kind::Cpu => 1,
        };
        assert!(all > 0 || kind != Kind::Vulkan, "no cases: this test says nothing about {}", info.name);
        let wrong = Mutex::new(Vec::new());
        let at_once = if on == On::Vulkan { VULKAN_CASES } else { all.max(1) };
        for (part, some) in cases.chunks(at_once).enumerate() {
            let own = (on == On::Vulkan).then(|| on.devices().unwrap().remove(0));
            let (device, next) = (own.as_ref().unwrap_or(device), AtomicUsize::new(0));
            std::thread::scope(|s| {
                for _ in 0..threads {
                    s.spawn(|| {
                        let twin = reference();
                        loop {
                            let i = next.fetch_add(1, Ordering::Relaxed);
                            let Some(c) = some.get(i) else { break };
                            let same = |got: &[Vec<u8>]| same_as_before(&left, part * at_once + i, got);
                            if let Err(e) = compare(c, &twin, &**device, same) {
                                wrong.lock().unwrap().push(format!("{}: {}: {e}", info.name, c.what));
                            }
                        }
                    });
                }
            });
        }
        println!("{}: {} cases, {} as another level's", info.name, cases.len(), all - cases.len());
        failed.extend(wrong.into_inner().unwrap());
    }
    let (n, first) = (failed.len(), failed.iter().take(20).cloned().collect::<Vec<_>>().join("\n"));
    assert!(failed.is_empty(), "{n} cases failed\n{first}");
}

fn compare(
    c: &Case,
    twin: &dyn Device,
    device: &dyn Device,
    same: impl Fn(&[Vec<u8>]) -> Result<(), String>,
) -> Result<(), String> {
    let want = c.command.run(twin).map_err(|e| format!("the twin: {e}"))?;
    let got = c.command.run(device).map_err(|e| e.to_string())?;
    (c.check)(&want, &got)?;
    same(&got)
}

/// What a case has left on the first device.
type Left = Mutex<HashMap<usize, Vec<Vec<u8>>>>;

/// The emulator's devices differ by nothing but the order of threads: to the bit all must leave the same.
fn same_as_before(left: &Option<Left>, case: usize, got: &[Vec<u8>]) -> Result<(), String> {
    let Some(left) = left else { return Ok(()) };
    match left.lock().unwrap().entry(case) {
        Entry::Vacant(first) => {
            first.insert(got.to_vec());
            Ok(())
        }
        Entry::Occupied(first) if first.get() == got => Ok(()),
        Entry::Occupied(_) => Err("another order of threads has other results: a barrier is missing".into()),
    }
}

/// A step of these rows, the last `head_rows` of which get logits, in a table of `max_rows`.
fn step_of(rows: &[Row], head_rows: u32, max_rows: usize, seq: Seq) -> Vec<u8> {
    let mut b = harness::step_block(rows, head_rows).bytes().to_vec();
    b.resize(step::bytes(1, max_rows.max(rows.len()) as u32), 0);
    let at = step::seq_offset(SeqIndex(0));
    b[at..at + size_of::<Seq>()].copy_from_slice(bytemuck::bytes_of(&seq));
    b
}

/// The usual one: `rows` rows from position 0 on.
fn plain_step(rows: usize, head_rows: usize, max_rows: usize) -> Vec<u8> {
    step_of(&harness::plain_rows(rows), head_rows as u32, max_rows, Seq::default())
}

fn words<T: bytemuck::NoUninit>(v: &T) -> Vec<u32> {
    bytemuck::bytes_of(v).as_chunks::<4>().0.iter().map(|c| u32::from_ne_bytes(*c)).collect()
}

fn bytes<T: bytemuck::NoUninit>(v: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(v).to_vec()
}

fn poison(n: usize) -> Vec<u8> {
    vec![POISON; n]
}

/// `rows` rows of values, stored in a format.
fn stored(format: ActFormat, x: &[f32], k: usize) -> Vec<u8> {
    let rb = format.row_bytes(k);
    let mut out = poison(x.len() / k * rb);
    for (row, x) in out.chunks_exact_mut(rb).zip(x.chunks_exact(k)) {
        akunu::kernels::act::store(format, row, 0, x);
    }
    out
}

/// What `stored` reads as.
fn loaded(format: ActFormat, b: &[u8], k: usize) -> Vec<f32> {
    let mut out = vec![0.0; b.len() / format.row_bytes(k) * k];
    for (row, x) in b.chunks_exact(format.row_bytes(k)).zip(out.chunks_exact_mut(k)) {
        akunu::kernels::act::load(format, row, k, x);
    }
    out
}

/// Elements of a buffer: their bits and their values.
fn elements(format: ActFormat, b: &[u8]) -> Vec<(u32, f32)> {
    let half_words = || b.as_chunks::<2>().0.iter().map(|c| u16::from_le_bytes(*c));
    match format {
        ActFormat::F32 => {
            b.as_chunks::<4>().0.iter().map(|c| (u32::from_le_bytes(*c), f32::from_le_bytes(*c))).collect()
        }
        ActFormat::Bf16 => half_words().map(|w| (w.into(), bf16::from_bits(w).to_f32())).collect(),
        ActFormat::F16 => half_words().map(|w| (w.into(), f16::from_bits(w).to_f32())).collect(),
        // Whole blocks are compared as bytes.
        ActFormat::Q8
        | ActFormat::Q16
        | ActFormat::Q16Aligned
        | ActFormat::Bf16Pair
        | ActFormat::Q8Paired
        | ActFormat::Q8Quads => b.iter().map(|w| (u32::from(*w), f32::from(*w))).collect(),
    }
}

/// Compares elements with a bound for each, given its index and the twin's value. What the twin did not write must
/// keep its poison.
fn close(
    name: &str,
    format: ActFormat,
    want: &[u8],
    got: &[u8],
    bound: impl Fn(usize, f32) -> f32,
) -> Result<(), String> {
    let (want, got) = (elements(format, want), elements(format, got));
    let poison = if format == ActFormat::F32 { u32::MAX } else { u32::from(u16::MAX) };
    for (i, ((wb, w), (gb, g))) in want.iter().zip(&got).enumerate() {
        if wb == gb {
            continue;
        }
        if *wb == poison {
            return Err(format!("`{name}`: element {i} is written: {g}"));
        }
        let b = bound(i, *w);
        let near = (w - g).abs() <= b;
        if !(near || w.is_nan() && g.is_nan()) {
            return Err(format!(
                "`{name}`: element {i} is {g}, not {w} (off {:e}, allowed {b:e})",
                (w - g).abs()
            ));
        }
    }
    Ok(())
}

/// Elements from one activation row of width `k` to the next, as [`close_rows`] numbers them.
fn row_len(format: ActFormat, k: usize) -> usize {
    match format {
        ActFormat::Q16Aligned => k,
        ActFormat::F32 => format.row_bytes(k) / 4,
        _ => format.row_bytes(k) / 2,
    }
}

/// [`close`] of activation rows of width `k`. In blocks of whole numbers a value may also be off by a step of its block, and what a block
/// says of its sums must be so.
fn close_rows(
    name: &str,
    (format, k): (ActFormat, usize),
    want: &[u8],
    got: &[u8],
    bound: impl Fn(usize, f32) -> f32,
) -> Result<(), String> {
    if format != ActFormat::Q16Aligned {
        return close(name, format, want, got, bound);
    }
    const SIZE: usize = size_of::<Q16AlignedBlock>();
    let rb = format.row_bytes(k);
    for (r, (want, got)) in want.chunks_exact(rb).zip(got.chunks_exact(rb)).enumerate() {
        let used = if want.iter().all(|b| *b == POISON) { 0 } else { k / 32 * SIZE };
        same(name, &want[used..], &got[used..])?;
        for (b, (want, got)) in
            want[..used].as_chunks::<SIZE>().0.iter().zip(got.as_chunks::<SIZE>().0).enumerate()
        {
            let [want, got]: [Q16AlignedBlock; 2] = [want, got].map(|b| bytemuck::pod_read_unaligned(b));
            let quant = |x: &Q16AlignedBlock, i: usize| i32::from(x.high[i]) * 256 + i32::from(x.low[i]);
            let step = want.scale.abs();
            for i in 0..32 {
                let [w, g] = [want, got].map(|x| quant(&x, i) as f32 * x.scale);
                let allowed = bound(r * k + b * 32 + i, w) + step * 1.01;
                if !((w - g).abs() <= allowed || w.is_nan() && g.is_nan()) {
                    return Err(format!(
                        "`{name}`: value {} of row {r} is {g}, not {w} (allowed {allowed:e})",
                        b * 32 + i
                    ));
                }
            }
            let sums = [0, 16].map(|from| (from..from + 16).map(|i| quant(&got, i)).sum::<i32>());
            let sum = got.scale * (sums[0] + sums[1]) as f32;
            if got.scale.is_finite() && (got.sums != sums || (got.sum - sum).abs() > sum.abs() * 2.0 * U) {
                return Err(format!(
                    "`{name}`: block {b} of row {r} has the sums {:?} and {}, not {sums:?} and {sum}",
                    got.sums, got.sum
                ));
            }
        }
    }
    Ok(())
}

/// What one step of rounding into a format may add to a bound, for elements of that size. In the buffer's own unit.
fn step_size(format: ActFormat, value: f32) -> f32 {
    match format {
        ActFormat::F32 => 0.0,
        ActFormat::Bf16 => value.abs() / 128.0,
        ActFormat::F16 => value.abs() / 1024.0 + 2f32.powi(-24),
        ActFormat::Q8 | ActFormat::Q8Paired | ActFormat::Q8Quads => value.abs() / 127.0,
        ActFormat::Q16 | ActFormat::Q16Aligned => value.abs() / 32512.0,
        ActFormat::Bf16Pair => value.abs() / 65536.0,
    }
}

/// Factor from a value to what a buffer of the format holds.
fn unit_of(format: ActFormat) -> f32 {
    if format == ActFormat::F16 { F16_SCALE } else { 1.0 }
}

/// A q8 row is made of blocks, whose bytes must be the same: no device but the CPU writes it.
fn same(name: &str, want: &[u8], got: &[u8]) -> Result<(), String> {
    match want.iter().zip(got).position(|(a, b)| a != b) {
        Some(i) => Err(format!("`{name}`: byte {i} of {} is {:#x}, not {:#x}", want.len(), got[i], want[i])),
        None => Ok(()),
    }
}

/// Operations that Vulkan has no source for yet.
const NOT_ON_VULKAN: &[(&str, &str)] = &[
    ("norm_matmul_pair", FUSION),
    ("norm_matmul_max", FUSION),
    ("split_attention", "the plain `attention` serves instead"),
    ("matmul_rope_kv", FUSION),
    ("rope_kv_ragged_attention", FUSION),
    ("dequantize", "products on matrix units read weights of every format"),
    ("norm_expert_matmul_glu", FUSION),
    ("expert_group", GROUPS),
    ("grouped_matmul", GROUPS),
    ("take_heads", "its tables go on with all rows"),
];

const FUSION: &str = "its parts serve instead";
const GROUPS: &str = "`expert_matmul` serves instead, slot by slot";

#[test]
fn every_kernel_with_a_cuda_version_has_cases() {
    let files = [
        small::KERNELS,
        drafts::KERNELS,
        encoders::KERNELS,
        samplers::KERNELS,
        products::KERNELS,
        attention::KERNELS,
        extras::KERNELS,
        experts::KERNELS,
        speech::KERNELS,
    ];
    let covered = files.concat();
    for k in KERNELS {
        let has = k.versions.iter().any(|v| matches!(v, Version::Vulkan(_)));
        let left_out = NOT_ON_VULKAN.iter().any(|(name, _)| *name == k.name);
        assert!(has != left_out, "kernel `{}` has a Vulkan version and is left out, or neither", k.name);
        assert!(
            !has || covered.contains(&k.name),
            "kernel `{}` has a Vulkan version and no cases here",
            k.name
        );
    }
    for k in KERNELS.iter().filter(|k| k.versions.iter().any(|v| matches!(v, Version::Cuda(_)))) {
        assert!(covered.contains(&k.name), "kernel `{}` has no cases here", k.name);
    }
}
