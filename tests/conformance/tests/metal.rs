//! Whole models through Metal's emulator, from the table to the tokens, against the reference level of the CPU. The tests show as ignored:
//! tools/metal.sh runs them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::device::cpu::CpuDevice;
use akunu::device::metal::emulator::{EmulatedDevice, Options};
use akunu::device::{Device, DeviceError};
use akunu::files::gguf::GgufSource;
use akunu::files::synthetic::Synthetic;
use akunu::kernels::cpu::Level;
use akunu::{
    CacheTypes, Control, DecodeOptions, Eos, FinishReason, KvFormat, LoadOptions, Model, RowCount, Sampling,
    Source, Token,
};
use akunu_conformance::logits::{TABLES_AND_GROUPS, agree, pieces_agree, prompt};
use akunu_conformance::{fixture, smollm2, tiny_gguf};
use std::sync::Arc;

const SPECS: &[&str] =
    &["tiny-llama:f32", "tiny-llama:bf16", "tiny-llama:q4_0", "tiny-llama:q4_1", "tiny-llama:q8_0"];

const OWN: CacheTypes = CacheTypes { k: None, v: None };
const CODES: CacheTypes = CacheTypes { k: Some(KvFormat::Q8_0), v: Some(KvFormat::Q8_0) };
const MIXED: CacheTypes = CacheTypes { k: Some(KvFormat::Bf16), v: Some(KvFormat::Q8_0) };

/// A first divergence is excused only where the oracle itself was this close to another token.
const EXCUSED_GAP: f64 = 0.02;

fn emulated(options: Options) -> Arc<dyn Device> {
    Arc::new(EmulatedDevice::emulated(options).unwrap())
}

fn gpu() -> Arc<dyn Device> {
    emulated(Options::default())
}

fn model(spec: &str, device: &Arc<dyn Device>) -> Model {
    model_with(spec, OWN, device)
}

fn model_with(spec: &str, cache: CacheTypes, device: &Arc<dyn Device>) -> Model {
    let options = LoadOptions { context: Some(300), cache, ..LoadOptions::default() };
    let source = Box::new(Synthetic::parse(spec).unwrap());
    Model::load_on(source, Arc::clone(device), &options, &mut |_| {}).unwrap()
}

fn options(max_tokens: u32, sampling: Sampling, chunk: Option<u32>) -> DecodeOptions {
    DecodeOptions { max_tokens, sampling, eos: Eos::Ignore, chunk }
}

fn decode(model: &Model, prompt: &[Token], n: u32, sampling: Sampling, chunk: Option<u32>) -> Vec<Token> {
    let mut session = model.session().unwrap();
    session.append(prompt).unwrap();
    let mut out = Vec::new();
    let keep = &mut |t| {
        out.push(t);
        Control::Continue
    };
    session.decode(&options(n, sampling, chunk), keep).unwrap();
    out
}

fn greedy(model: &Model, prompt: &[Token], n: u32) -> Vec<Token> {
    decode(model, prompt, n, Sampling::greedy(), None)
}

/// Elsewhere than on macOS the device is an error that says so.
#[test]
#[cfg(not(target_os = "macos"))]
fn without_metal_the_device_is_an_error_with_a_remedy() {
    let e = akunu::device::metal::open(0).err().unwrap();
    assert!(matches!(e, DeviceError::NoMetal { .. }), "{e}");
    assert!(e.to_string().contains("macOS") && e.to_string().contains("--device cpu"), "{e}");
    assert!(akunu::device::metal::gpus().is_err());
}

#[test]
#[ignore = "needs clang and time; tools/metal.sh"]
fn metal_logits_are_those_of_the_reference() {
    agree(&gpu(), SPECS, &[1, 2, 7, 8, 9, 150]).unwrap();
}

#[test]
#[ignore = "needs clang and time; tools/metal.sh"]
fn metal_logits_of_tables_and_groups_are_those_of_the_reference() {
    agree(&gpu(), TABLES_AND_GROUPS, &[1, 9]).unwrap();
}

/// A row's bits do not depend on the rows beside it, so prompts leave what single steps leave.
#[test]
#[ignore = "needs clang and time; tools/metal.sh"]
fn metal_prefill_equals_single_steps() {
    let gpu = gpu();
    for (spec, cache) in [("tiny-llama:q4_0", OWN), ("tiny-llama:bf16", CODES), ("tiny-llama:q8_0", MIXED)] {
        pieces_agree(&model_with(spec, cache, &gpu), &[[20, 24], [40, 88]])
            .unwrap_or_else(|e| panic!("{spec}: {e}"));
    }
}

#[test]
#[ignore = "needs clang and time; tools/metal.sh"]
fn metal_greedy_tokens_are_those_of_the_reference() {
    let gpu = gpu();
    let cpu: Arc<dyn Device> = Arc::new(CpuDevice::with_level(Level::Reference, None).unwrap());
    for spec in SPECS {
        let (want, got) = (model(spec, &cpu), model(spec, &gpu));
        let tokens = prompt(20, want.config().vocab);
        let (a, b) = (greedy(&want, &tokens, 64), greedy(&got, &tokens, 64));
        assert_eq!(b.len(), 64);
        let Some(i) = a.iter().zip(&b).position(|(a, b)| a != b) else { continue };
        // Random weights leave best and second best close now and then: excused where the reference itself is that close.
        let mut s = want.session().unwrap();
        s.append(&[&tokens[..], &a[..i]].concat()).unwrap();
        let x = s.next_logits().unwrap();
        let size = x.iter().fold(0f32, |m, v| m.max(v.abs()));
        let gap = x[a[i].index()] - x[b[i].index()];
        println!("{spec}: diverges at token {i}, the reference's gap is {gap}");
        assert!(gap < 2e-3 * size, "{spec}: token {i} is {}, not {}; gap {gap}", b[i], a[i]);
    }
}

/// Neither how many steps a command buffer has changes a token, nor the order of threads, nor that of commands between two barriers.
#[test]
#[ignore = "needs clang and time; tools/metal.sh"]
fn metal_chunks_and_orders_change_no_token() {
    let sampled = Sampling { temperature: 0.9, min_p: 0.02, seed: 7, ..Sampling::NEUTRAL };
    for (spec, cache) in [("tiny-llama:q4_0", OWN), ("tiny-llama:bf16", CODES)] {
        let m = model_with(spec, cache, &gpu());
        let tokens = prompt(20, m.config().vocab);
        for sampling in [Sampling::greedy(), sampled.clone()] {
            let want = decode(&m, &tokens, 40, sampling.clone(), None);
            assert_eq!(want.len(), 40);
            for chunk in [1, 3, 100] {
                let got = decode(&m, &tokens, 40, sampling.clone(), Some(chunk));
                assert!(want == got, "{spec}: chunks of {chunk}");
            }
            for order in [1, 2, 3] {
                let other = model_with(spec, cache, &emulated(Options { order, ..Options::default() }));
                let got = decode(&other, &tokens, 40, sampling.clone(), None);
                assert!(want == got, "{spec}: order {order}");
            }
        }
    }
}

#[test]
#[ignore = "needs clang and time; tools/metal.sh"]
fn metal_a_stop_leaves_the_session_at_the_last_token() {
    let m = model("tiny-llama:q4_0", &gpu());
    let want = greedy(&m, &prompt(20, m.config().vocab), 60);
    let mut session = m.session().unwrap();
    session.append(&prompt(20, m.config().vocab)).unwrap();
    let mut got = Vec::new();
    for stop_at in [1, 2, 17, 60] {
        let left = options(250 - got.len() as u32, Sampling::greedy(), None);
        session
            .decode(&left, &mut |t| {
                got.push(t);
                if got.len() >= stop_at { Control::Stop } else { Control::Continue }
            })
            .unwrap();
        assert_eq!((got.len(), session.position()), (stop_at, 20 + stop_at as u32));
        assert_eq!(got, want[..stop_at]);
    }
}

/// Stops by the device itself: an end token in the middle of a submission, and a full context.
#[test]
#[ignore = "needs clang and time; tools/metal.sh"]
fn metal_ends_where_the_step_block_says() {
    let gpu = gpu();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tiny.gguf");
    let load = |end| {
        std::fs::write(&path, tiny_gguf(end).unwrap()).unwrap();
        let options = LoadOptions { context: Some(100), ..LoadOptions::default() };
        Model::load_onto(&Source::Path(path.clone()), Arc::clone(&gpu), &options, &mut |_| {}).unwrap()
    };
    let tokens = prompt(20, 1000);
    let sampled = Sampling { temperature: 0.9, seed: 7, ..Sampling::NEUTRAL };
    let want = decode(&load(Token(1023)), &tokens, 40, sampled.clone(), None);
    let end = want[20];
    let first = want.iter().position(|t| *t == end).unwrap();
    assert!(first > 1);
    let mut session = load(end).session().unwrap();
    session.append(&tokens).unwrap();
    let stops = DecodeOptions { eos: Eos::Stop, ..options(75, sampled, Some(64)) };
    let done = session.decode(&stops, &mut |_| Control::Continue).unwrap();
    assert_eq!((done.finish, done.tokens as usize), (FinishReason::Eos, first + 1));
    assert_eq!(&session.tokens()[20..], &want[..=first]);
    let on = options(2000, Sampling::greedy(), None);
    let done = session.decode(&on, &mut |_| Control::Continue).unwrap();
    assert_eq!(done.finish, FinishReason::ContextFull);
    assert!(session.kv_len() <= 100);
}

/// Two sessions on one device, turn by turn; and a profile, which counts as a step.
#[test]
#[ignore = "needs clang and time; tools/metal.sh"]
fn metal_sessions_do_not_disturb_each_other() {
    let m = model("tiny-llama:q4_0", &gpu());
    let vocab = m.config().vocab;
    let prompts = [prompt(20, vocab), prompt(33, vocab / 2)];
    let want = prompts.each_ref().map(|p| greedy(&m, p, 60));
    let got = std::thread::scope(|s| {
        prompts.each_ref().map(|p| s.spawn(|| greedy(&m, p, 60))).map(|t| t.join().unwrap())
    });
    assert_eq!(want, got);
    let mut session = m.session().unwrap();
    let profile = session.profile(RowCount(1), 100, 2).unwrap();
    assert!(!profile.commands.is_empty());
    session.reset();
    session.append(&prompts[0]).unwrap();
    let mut again = Vec::new();
    let keep = &mut |t| {
        again.push(t);
        Control::Continue
    };
    session.decode(&options(60, Sampling::greedy(), None), keep).unwrap();
    assert_eq!(again, want[0]);
}

/// A command buffer that fails is an error that says so, now and later, and no call waits for ever.
#[test]
#[ignore = "needs clang and time; tools/metal.sh"]
fn metal_a_failed_command_buffer_is_an_error() {
    for fails_at in [0, 1, 4] {
        let m =
            model("tiny-llama:q4_0", &emulated(Options { fails_at: Some(fails_at), ..Options::default() }));
        let mut failed = 0;
        for _ in 0..2 {
            let Ok(mut session) = m.session() else {
                failed += 1;
                continue;
            };
            let done =
                session.append(&prompt(20, m.config().vocab)).map_err(|e| e.to_string()).and_then(|()| {
                    let on = options(200, Sampling::greedy(), Some(4));
                    session.decode(&on, &mut |_| Control::Continue).map_err(|e| e.to_string())
                });
            let e = done.err().unwrap();
            assert!(e.contains("Metal failed in commit") && e.contains("load the model again"), "{e}");
            failed += 1;
        }
        assert_eq!(failed, 2);
    }
}

/// The tokens of the real model, against the oracle's in f32.
#[test]
#[ignore = "needs clang and time, and the model; tools/metal.sh"]
fn metal_real_greedy_tokens_equal_the_oracle() {
    let file = std::fs::read_to_string(fixture("oracle/smollm2_greedy.json")).unwrap();
    let oracle: serde_json::Value = serde_json::from_str(&file).unwrap();
    let ids = |v: &serde_json::Value| -> Vec<Token> {
        v.as_array().unwrap().iter().map(|x| Token(x.as_u64().unwrap() as u32)).collect()
    };
    let prompts = oracle.as_array().unwrap();
    let asked = std::env::var("AKUNU_TEST_PROMPTS").ok().and_then(|v| v.parse().ok()).unwrap_or(1);
    let source = GgufSource::open(&smollm2()).unwrap();
    let options = LoadOptions { context: Some(512), ..LoadOptions::default() };
    let model = Model::load_on(Box::new(source), gpu(), &options, &mut |_| {}).unwrap();
    for p in &prompts[..prompts.len().min(asked)] {
        let (prompt, want) = (ids(&p["prompt_ids"]), ids(&p["tokens"]));
        assert!(want.len() >= 64);
        let got = greedy(&model, &prompt, 64);
        let Some(i) = got.iter().zip(&want).position(|(a, b)| a != b) else {
            println!("{}: 64 tokens are the oracle's", p["text"]);
            continue;
        };
        let gap = p["gaps"][i].as_f64().unwrap();
        println!("{}: diverges at token {i}, oracle gap {gap}", p["text"]);
        assert!(gap < EXCUSED_GAP, "{}: token {i} is {}, not {} (gap {gap})", p["text"], got[i], want[i]);
    }
}
