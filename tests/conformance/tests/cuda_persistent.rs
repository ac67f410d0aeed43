//! The persistent form of decode tables on a GPU, against the graph and the reference. Without a GPU of the right kind
//! the tests say so and pass.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::device::Device;
use akunu::device::cpu::CpuDevice;
use akunu::device::cuda::{CudaDevice, OPTIONS_VAR, Options, driver_calls};
use akunu::files::synthetic::Synthetic;
use akunu::kernels::cpu::Level;
use akunu::{
    Control, DecodeOptions, DeviceChoice, Eos, FinishReason, LoadOptions, Model, Sampling, Session, Source,
};
use akunu_conformance::tiny_gguf_of;
use std::sync::Arc;

const SPECS: &[&str] = &["tiny-llama:f32", "tiny-llama:f16", "tiny-llama:bf16"];
const VOCAB: u32 = 1024;

fn gpu(words: &str) -> Option<Arc<dyn Device>> {
    match CudaDevice::with_options(0, Options::parse(words).unwrap()) {
        Ok(d) => Some(Arc::new(d)),
        Err(e) => {
            println!("no CUDA device: skipped ({e})");
            None
        }
    }
}

fn model(spec: &str, device: &Arc<dyn Device>) -> Model {
    let options = LoadOptions { context: Some(1500), ..LoadOptions::default() };
    let source = Box::new(Synthetic::parse(spec).unwrap());
    Model::load_on(source, Arc::clone(device), &options, &mut |_| {}).unwrap()
}

fn prompt(n: u32) -> Vec<u32> {
    (0..n).map(|i| i.wrapping_mul(2_654_435_761) % VOCAB).collect()
}

const GREEDY: DecodeOptions =
    DecodeOptions { max_tokens: 1, sampling: Sampling::greedy(), eos: Eos::Ignore, chunk: None };

fn decode(session: &mut Session, options: &DecodeOptions) -> (Vec<u32>, FinishReason) {
    let mut out = Vec::new();
    let done = session
        .decode(options, &mut |t| {
            out.push(t);
            Control::Continue
        })
        .unwrap();
    (out, done.finish)
}

/// The tokens after a prompt whose last row, and every row after it, goes through the one-row table.
fn generate(model: &Model, prompt: &[u32], options: &DecodeOptions) -> Vec<u32> {
    let mut s = model.session().unwrap();
    s.append(prompt).unwrap();
    s.prefill(&mut |_, _| Control::Continue).unwrap();
    decode(&mut s, options).0
}

/// The logits after `tokens`, the last of which goes through the one-row table.
fn logits(model: &Model, tokens: &[u32]) -> Vec<f32> {
    let mut s = model.session().unwrap();
    s.append(tokens).unwrap();
    s.prefill(&mut |_, _| Control::Continue).unwrap();
    s.next_logits().unwrap()
}

fn difference(a: &[f32], b: &[f32]) -> f64 {
    let norm = a.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
    let diff = a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt();
    diff / norm
}

/// Lengths around a pass of positions (128), the first split (384), and more splits.
const LENGTHS: [u32; 12] = [1, 2, 40, 127, 128, 129, 257, 384, 385, 700, 1100, 1400];

#[test]
fn logits_are_those_of_the_reference() {
    let (Some(persistent), Some(graph)) = (gpu("persistent"), gpu("graph")) else { return };
    let cpu: Arc<dyn Device> = Arc::new(CpuDevice::with_level(Level::Reference, None).unwrap());
    for spec in SPECS {
        let (got, graph) = (model(spec, &persistent), model(spec, &graph));
        let want = (*spec == SPECS[2]).then(|| model(spec, &cpu));
        for n in LENGTHS {
            let tokens = prompt(n);
            let a = logits(&got, &tokens);
            let to_graph = difference(&logits(&graph, &tokens), &a);
            println!("{spec} {n}: relative difference to the graph {to_graph:.2e}");
            // The prompt's rows are the graph's own in both; only the last token's own key and value can round to another
            // f16 (2^-11) than the graph's, and its other values differ by f32 rounding.
            assert!(to_graph < 1e-3, "{spec}, {n} tokens: {to_graph}");
            if let Some(want) = want.as_ref().filter(|_| n <= 300) {
                let d = difference(&logits(want, &tokens), &a);
                // As in cuda.rs: f16 cache, 16-bit products of many rows.
                assert!(d < 1e-2, "{spec}, {n} tokens: {d} to the reference");
            }
        }
    }
}

#[test]
fn single_steps_without_a_head_fill_the_cache() {
    let (Some(persistent), Some(graph)) = (gpu("persistent"), gpu("graph")) else { return };
    let (got, graph) = (model("tiny-llama:bf16", &persistent), model("tiny-llama:bf16", &graph));
    let tokens = prompt(150);
    let mut one = got.session().unwrap();
    for t in &tokens {
        one.append(&[*t]).unwrap();
        one.prefill(&mut |_, _| Control::Continue).unwrap();
    }
    let d = difference(&logits(&graph, &tokens), &one.next_logits().unwrap());
    assert!(d < 1e-2, "{d}");
}

/// Tokens are a function of prompt and settings: not of how they are cut into submissions, nor of the run.
#[test]
fn tokens_are_the_graphs_and_do_not_depend_on_submissions() {
    let (Some(persistent), Some(graph)) = (gpu("persistent"), gpu("graph")) else { return };
    for spec in SPECS {
        let (got, graph) = (model(spec, &persistent), model(spec, &graph));
        for sampling in [Sampling::greedy(), Sampling { temperature: 0.9, min_p: 0.05, seed: 3 }] {
            let options = DecodeOptions { max_tokens: 700, sampling, ..GREEDY };
            let first = generate(&got, &prompt(20), &options);
            assert_eq!(first.len(), 700);
            for chunk in [Some(1), Some(7), Some(64), Some(65), None] {
                let again = generate(&got, &prompt(20), &DecodeOptions { chunk, ..options });
                assert!(first == again, "{spec}, {sampling:?}, chunks of {chunk:?}");
            }
            let want = generate(&graph, &prompt(20), &options);
            let same = first.iter().zip(&want).take_while(|(a, b)| a == b).count();
            println!("{spec}, temperature {}: {same} of 700 tokens are the graph's", sampling.temperature);
            if same < 700 && sampling.temperature == 0.0 {
                // Both are the best up to rounding.
                let l = logits(&graph, &[&prompt(20)[..], &want[..same]].concat());
                let gap = l[want[same] as usize] - l[first[same] as usize];
                let scale = l.iter().fold(0f32, |m, v| m.max(v.abs()));
                assert!(gap <= 2e-3 * scale, "{spec}: token {same} is worse by {gap} of {scale}");
            }
        }
    }
}

#[test]
fn a_generation_makes_no_driver_call_between_its_tokens() {
    let Some(gpu) = gpu("persistent") else { return };
    let m = model("tiny-llama:bf16", &gpu);
    let mut session = m.session().unwrap();
    session.append(&prompt(20)).unwrap();
    let mut calls = Vec::with_capacity(512);
    session
        .decode(&DecodeOptions { max_tokens: 512, ..GREEDY }, &mut |_| {
            calls.push(driver_calls());
            Control::Continue
        })
        .unwrap();
    assert_eq!(calls[0], calls[511], "calls between the first and the last token");
}

#[test]
fn limits_and_cancels_stand_at_the_last_token() {
    let Some(gpu) = gpu("persistent") else { return };
    let m = model("tiny-llama:bf16", &gpu);
    let want = generate(&m, &prompt(20), &DecodeOptions { max_tokens: 60, ..GREEDY });
    let mut session = m.session().unwrap();
    session.append(&prompt(20)).unwrap();
    session.prefill(&mut |_, _| Control::Continue).unwrap();
    let mut got = Vec::new();
    // By limit, one token at a time, then by cancel in mid-launch.
    for n in [1, 1, 3] {
        let (tokens, finish) = decode(&mut session, &DecodeOptions { max_tokens: n, ..GREEDY });
        assert_eq!(finish, FinishReason::Length);
        got.extend(tokens);
    }
    for stop_at in [6, 7, 17, 60] {
        let done = session
            .decode(&DecodeOptions { max_tokens: 1000, ..GREEDY }, &mut |t| {
                got.push(t);
                if got.len() >= stop_at { Control::Stop } else { Control::Continue }
            })
            .unwrap();
        assert_eq!(done.finish, FinishReason::Cancelled);
        assert_eq!(session.position(), 20 + stop_at as u32);
    }
    assert_eq!(got, want);
    // To the end of the context.
    let (tokens, finish) = decode(&mut session, &DecodeOptions { max_tokens: 5000, ..GREEDY });
    assert_eq!((tokens.len(), finish), (1500 + 1 - 80, FinishReason::ContextFull));
}

/// End-of-sequence ids come with a tokenizer, so with a file, whose device is opened with the environment's settings:
/// this test runs itself again with the form switched on.
#[test]
fn an_end_of_sequence_token_ends_it_wherever_it_comes() {
    if gpu("persistent").is_none() {
        return;
    }
    if std::env::var(OPTIONS_VAR).as_deref() != Ok("persistent") {
        let name = "an_end_of_sequence_token_ends_it_wherever_it_comes";
        let mut again = std::process::Command::new(std::env::current_exe().unwrap());
        let done =
            again.args(["--exact", name, "--nocapture"]).env(OPTIONS_VAR, "persistent").output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        return;
    }
    let load = |eos: u32| {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tiny.gguf");
        std::fs::write(&path, tiny_gguf_of("tiny-llama:bf16", eos).unwrap()).unwrap();
        let options =
            LoadOptions { device: DeviceChoice::Cuda, context: Some(300), ..LoadOptions::default() };
        Model::load(&Source::Path(path), &options, &mut |_| {}).unwrap()
    };
    let sampling = Sampling { temperature: 0.9, min_p: 0.0, seed: 3 };
    let options = DecodeOptions { max_tokens: 200, sampling, ..GREEDY };
    let all = generate(&load(VOCAB - 1), &prompt(20), &options);
    for i in [0, 1, 5, 63, 64, 100] {
        let eos = all[i];
        let end = all.iter().position(|t| *t == eos).unwrap() + 1;
        let m = load(eos);
        let mut s = m.session().unwrap();
        s.append(&prompt(20)).unwrap();
        s.prefill(&mut |_, _| Control::Continue).unwrap();
        let (tokens, finish) = decode(&mut s, &DecodeOptions { eos: Eos::Stop, ..options });
        assert_eq!((tokens.as_slice(), finish), (&all[..end], FinishReason::Eos), "end at {i}");
        // And on from there.
        let (more, _) = decode(&mut s, &DecodeOptions { max_tokens: 3, ..options });
        assert_eq!(more, all[end..end + 3]);
    }
}

/// Persistent kernels want the whole device; with others beside them none may wait for ever.
#[test]
fn sessions_at_once_share_the_device() {
    let Some(gpu) = gpu("persistent") else { return };
    let m = model("tiny-llama:bf16", &gpu);
    let options = DecodeOptions { max_tokens: 400, ..GREEDY };
    let want: Vec<Vec<u32>> = (0..3).map(|i| generate(&m, &prompt(20 + i), &options)).collect();
    std::thread::scope(|scope| {
        for (i, want) in want.iter().enumerate() {
            let m = &m;
            scope.spawn(move || {
                for round in 0..3 {
                    // Prefill through plain kernels, then persistent ones.
                    let got = generate(m, &prompt(20 + i as u32), &options);
                    assert!(got == *want, "session {i}, round {round}");
                }
            });
        }
    });
}
