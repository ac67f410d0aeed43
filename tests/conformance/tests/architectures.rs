//! Every architecture against transformers: tiny random models whose logits `tools/arch_oracle.py` computed in f64.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::device::Device;
use akunu::device::cpu::CpuDevice;
use akunu::files::WeightSource;
use akunu::kernels::cpu::Level;
use akunu::plan::arch::{ARCHS, Output, Reads};
use akunu::{CacheTypes, KvFormat, LoadOptions, Model, RowCount, Token};
use akunu_conformance::formula::Formula;
use akunu_conformance::{On, fixture, on_each_device};
use std::sync::Arc;

const VOCAB: usize = 64;

/// One case: its description, the tokens and the oracle's logits of each.
struct Case {
    description: serde_json::Value,
    name: String,
    tokens: Vec<Token>,
    logits: Vec<f32>,
    /// Formats of the KV cache that it runs with.
    cache: CacheTypes,
}

fn cases() -> Vec<Case> {
    let text = std::fs::read_to_string(fixture("architectures/cases.json")).unwrap();
    let all: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    all.into_iter()
        .map(|description| {
            let name = description["name"].as_str().unwrap().to_owned();
            let tokens: Vec<Token> = description["tokens"]
                .as_array()
                .unwrap()
                .iter()
                .map(|t| Token(t.as_u64().unwrap() as u32))
                .collect();
            let bytes = std::fs::read(fixture(&format!("architectures/{name}.f32"))).unwrap();
            let logits: Vec<f32> = bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
            assert_eq!(logits.len(), tokens.len() * VOCAB, "{name}");
            Case { description, name, tokens, logits, cache: CacheTypes::default() }
        })
        .collect()
}

impl Case {
    fn model(&self, device: &Arc<dyn Device>, head_rows: u32) -> Model {
        let source = Box::new(Formula::new(&self.description).unwrap());
        let options = LoadOptions {
            context: Some(64),
            head_rows: RowCount(head_rows),
            cache: self.cache,
            ..LoadOptions::default()
        };
        Model::load_on(source, device.clone(), &options, &mut |_| {}).unwrap()
    }

    /// Largest error of a row's logits, relative to the largest logit of all.
    fn off(&self, row: usize, logits: &[f32]) -> f32 {
        let largest = self.logits.iter().fold(0f32, |m, v| m.max(v.abs()));
        let want = &self.logits[row * VOCAB..(row + 1) * VOCAB];
        // (A NaN is an error too.)
        want.iter()
            .zip(logits)
            .map(|(w, g)| (w - g).abs() / largest)
            .fold(0f32, |m, v| if v <= m { m } else { v })
    }

    /// The largest error over all ways to run the tokens: step by step, few and many rows at a time, and prefill
    /// followed by a draw.
    fn worst(&self, device: &Arc<dyn Device>) -> f32 {
        let mut worst = 0f32;
        let mut take = |off: f32| worst = if off <= worst { worst } else { off };
        for head_rows in [1, 8, 64] {
            let mut session = self.model(device, head_rows).session().unwrap();
            let mut rows = 0;
            session
                .logits(&self.tokens, &mut |row, logits| {
                    take(self.off(row as usize, logits));
                    rows += 1;
                })
                .unwrap();
            assert_eq!(rows, self.tokens.len());
        }
        let mut session = self.model(device, 1).session().unwrap();
        for n in [1, 9, 17, 40] {
            session.reset();
            session.append(&self.tokens[..n]).unwrap();
            take(self.off(n - 1, &session.next_logits().unwrap()));
        }
        worst
    }
}

/// The bound of the house: 1e-4 with the plain kernels.
#[test]
fn reference_kernels_agree_with_transformers() {
    let device: Arc<dyn Device> = Arc::new(CpuDevice::with_level(Level::Reference, Some(2)).unwrap());
    for case in cases() {
        let off = case.worst(&device);
        println!("{}: {off:.1e}", case.name);
        assert!(off < 1e-4, "{}: off by {off:e}", case.name);
    }
}

on_each_device!(
    every_device_agrees_with_transformers,
    caches_of_other_formats_agree_with_f32,
    hidden_states_give_the_logits_of_transformers
);

/// The oracle's logits are its hidden states times the head. Ours, multiplied here in f64, are off by no more than the logits are.
fn hidden_states_give_the_logits_of_transformers(on: On) {
    for device in on.devices().unwrap() {
        for case in cases() {
            let source = Formula::new(&case.description).unwrap();
            let name = if case.description["tied"] == true { "embed.weight" } else { "output.weight" };
            let hidden = source.config().hidden as usize;
            let head = values_of(&source, name);
            let cap = source.config().logits_softcap.map(f64::from);
            let layers = case.description["layers"].as_u64().unwrap() as f32;
            let bound = 8.0 * layers * 2f32.powi(-11);
            for rows in [1, 8, 64] {
                let mut session = case.model(&device, rows).session().unwrap();
                let mut seen = 0;
                let mut check = |row: u32, state: &[f32]| {
                    assert_eq!((row, state.len()), (seen, hidden));
                    seen += 1;
                    let dot = |w: &[f32]| -> f64 {
                        w.iter().zip(state).map(|(w, s)| f64::from(*w) * f64::from(*s)).sum()
                    };
                    let logits = head.chunks_exact(hidden).map(dot);
                    let capped = logits.map(|v| cap.map_or(v, |c| c * (v / c).tanh()) as f32);
                    let off = case.off(row as usize, &capped.collect::<Vec<f32>>());
                    let who = format!("{} {}, {rows} rows, row {row}", device.info().name, case.name);
                    assert!(off < bound, "{who}: off by {off:e}, bound {bound:e}");
                };
                session.hidden_states(&case.tokens, &mut check).unwrap();
                assert_eq!(seen as usize, case.tokens.len());
                // The session goes on from there.
                let end = case.tokens.len() - 1;
                assert!(case.off(end, &session.next_logits().unwrap()) < bound);
            }
        }
    }
}

/// A tensor of f32.
fn values_of(source: &dyn WeightSource, name: &str) -> Vec<f32> {
    let tensor = source.tensors().iter().find(|t| t.name == name).unwrap();
    let mut bytes = vec![0; tensor.bytes as usize];
    source.read(tensor, 0, &mut bytes).unwrap();
    bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

/// The cache of the other devices is f16: keys and values are off by up to 2^-11 of themselves, and matrix units round
/// their inputs once more. What that does to logits grows with the layers and with the scores; four times the sum of
/// both roundings for each sublayer is above what it can do here, and far below a wrong head, position or norm.
fn every_device_agrees_with_transformers(on: On) {
    for device in on.devices().unwrap() {
        for case in cases() {
            let layers = case.description["layers"].as_u64().unwrap() as f32;
            let off = case.worst(&device);
            println!("{} {}: {off:.1e}", device.info().name, case.name);
            let bound = 8.0 * layers * 2f32.powi(-11);
            assert!(off < bound, "{} {}: off by {off:e}, bound {bound:e}", device.info().name, case.name);
        }
    }
}

/// Caches in bf16 and q8_0: their values are off by up to 2^-8 of themselves, or of their group's largest, and with bf16
/// matrix units round what is multiplied with them as much. So the bound is that of f16, 8 times wider. The heads are as
/// wide as a group of q8_0, which the oracle's are not, so the plain kernels with an f32 cache stand in for it.
fn caches_of_other_formats_agree_with_f32(on: On) {
    let reference: Arc<dyn Device> = Arc::new(CpuDevice::with_level(Level::Reference, Some(2)).unwrap());
    let types = |k, v| CacheTypes { k: Some(k), v: Some(v) };
    for mut case in cases() {
        if !["llama", "qwen3", "gemma3"].contains(&&*case.name) {
            continue;
        }
        case.description["head_dim"] = serde_json::json!(32);
        case.logits.clear();
        let mut session = case.model(&reference, 64).session().unwrap();
        session.logits(&case.tokens, &mut |_, logits| case.logits.extend_from_slice(logits)).unwrap();
        let layers = case.description["layers"].as_u64().unwrap() as f32;
        for device in on.devices().unwrap() {
            for (k, v) in [
                (KvFormat::Q8_0, KvFormat::Q8_0),
                (KvFormat::Bf16, KvFormat::Bf16),
                (KvFormat::F16, KvFormat::Q8_0),
                (KvFormat::Q8_0, KvFormat::Bf16),
            ] {
                case.cache = types(k, v);
                let what = format!("{} {}: {}/{}", device.info().name, case.name, k.name(), v.name());
                let off = case.worst(&device);
                println!("{what}: {off:.1e}");
                let bound = 8.0 * layers * 2f32.powi(-8);
                assert!(off < bound, "{what}: off by {off:e}, bound {bound:e}");
                // What an f32 cache gives is much nearer: the format is in use.
                assert!(off > 2f32.powi(-13), "{what}: off by {off:e} only");
            }
        }
    }
}

/// What the oracle's cases must notice: a window one position short, an angle, a norm left out.
#[test]
fn a_wrong_configuration_fails() {
    let device: Arc<dyn Device> = Arc::new(CpuDevice::with_level(Level::Reference, Some(2)).unwrap());
    for (name, key, value) in [
        ("mistral", "window", serde_json::json!(7)),
        ("gemma3", "local_base", serde_json::json!(310.0)),
        ("gemma3", "scale", serde_json::json!(0.25)),
        ("gemma2", "softcap", serde_json::json!(2.2)),
        ("gemma2", "logits_softcap", serde_json::json!(3.1)),
        ("llama-yarn", "magnitude", serde_json::json!(1.0)),
        ("phi3", "rope_dim", serde_json::json!(12)),
        ("smollm3", "arch", serde_json::json!("llama")),
    ] {
        let mut case = cases().into_iter().find(|c| c.name == name).unwrap();
        if key == "rope_dim" {
            case.description["scaling"]["longrope"][1][2] = serde_json::json!(2.1);
        } else {
            case.description[key] = value;
        }
        let off = case.worst(&device);
        assert!(off > 1e-3, "{name} with another {key} is off by {off:e} only");
    }
}

#[test]
fn every_architecture_has_a_case() {
    let cases = cases();
    // Encoders have no logits; `encoders.rs` has their cases.
    for arch in ARCHS.iter().filter(|a| a.output == Output::Draw && a.reads == Reads::Text) {
        assert!(cases.iter().any(|c| c.description["arch"] == arch.name), "no case of `{}`", arch.name);
    }
}

/// Every kernel of every architecture's tables; needs no GPU, only NVRTC.
fn compile_all(arch: &str) {
    use akunu::device::cuda::{Options, compile_table};
    use akunu::kernels::Machine;
    use akunu::kernels::cuda::Gpu;
    use akunu::plan::Target;
    use akunu::plan::{Program, Settings, Shape};
    let gpu = Gpu::of_arch(arch).unwrap();
    let options = Options { overlap: gpu.sm >= 90, ..Options::default() };
    for case in cases() {
        let source = Formula::new(&case.description).unwrap();
        let settings =
            Settings { context: 64, head_rows: RowCount(1), cache: CacheTypes::default(), batch: None };
        let program = Program::new(&source, Target::of(Machine::Cuda(gpu)), settings).unwrap();
        let mut kernels = 0;
        for rows in program.ladder() {
            let table = program.table("compile", Shape::new(rows, RowCount(1))).unwrap();
            let made = compile_table(&table, options);
            kernels += made.unwrap_or_else(|e| panic!("{} for {arch}: {e}", case.name)).kernels;
        }
        println!("{} for {arch}: {kernels} kernels", case.name);
        assert!(kernels > 20, "{} for {arch}: only {kernels} kernels", case.name);
    }
}

#[test]
#[ignore = "needs NVRTC; tools/fetch-nvrtc.sh"]
fn every_architecture_compiles_for_sm_90a() {
    compile_all("sm_90a");
}

#[test]
#[ignore = "needs NVRTC; tools/fetch-nvrtc.sh"]
fn every_architecture_compiles_for_sm_80() {
    compile_all("sm_80");
}
