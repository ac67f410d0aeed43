//! Whole models on a GPU with Vulkan, or on a processor that plays one, against the reference level of the CPU. The tests show as
//! ignored: tools/vulkan.sh runs them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::device::cpu::CpuDevice;
use akunu::device::vulkan::{Options, VulkanDevice, gpus};
use akunu::device::{Device, DeviceError};
use akunu::files::gguf::GgufSource;
use akunu::files::synthetic::Synthetic;
use akunu::kernels::cpu::Level;
use akunu::{
    CacheTypes, Control, DecodeOptions, DeviceChoice, Eos, FinishReason, KvFormat, LoadOptions, Model,
    RowCount, Sampling, Source, Token,
};
use akunu_conformance::logits::{TABLES_AND_GROUPS, agree, pieces_agree, prompt, relative};
use akunu_conformance::{fixture, smollm2, tiny_gguf};
use std::sync::Arc;

const SPECS: &[&str] = &[
    "tiny-llama:f32",
    "tiny-llama:f16",
    "tiny-llama:bf16",
    "tiny-llama:q4_0",
    "tiny-llama:q4_1",
    "tiny-llama:q8_0",
    "tiny-qwen3moe:bf16",
    "tiny-qwen3moe:q8_0",
];

const OWN: CacheTypes = CacheTypes { k: None, v: None };
const CODES: CacheTypes = CacheTypes { k: Some(KvFormat::Q8_0), v: Some(KvFormat::Q8_0) };
const MIXED: CacheTypes = CacheTypes { k: Some(KvFormat::Bf16), v: Some(KvFormat::Q8_0) };

fn gpu() -> Arc<dyn Device> {
    Arc::new(VulkanDevice::open(0).unwrap())
}

/// The GPU without matrix units.
fn plain() -> Arc<dyn Device> {
    Arc::new(VulkanDevice::with_options(0, Options { plain: true, ..Options::default() }).unwrap())
}

fn model(spec: &str, device: &Arc<dyn Device>) -> Model {
    model_with(spec, OWN, device)
}

fn model_with(spec: &str, cache: CacheTypes, device: &Arc<dyn Device>) -> Model {
    let options = LoadOptions { context: Some(700), cache, ..LoadOptions::default() };
    let source = Box::new(Synthetic::parse(spec).unwrap());
    Model::load_on(source, Arc::clone(device), &options, &mut |_| {}).unwrap()
}

fn decode(model: &Model, prompt: &[Token], n: u32, sampling: Sampling, chunk: Option<u32>) -> Vec<Token> {
    let mut session = model.session().unwrap();
    session.append(prompt).unwrap();
    let options = DecodeOptions { max_tokens: n, sampling, eos: Eos::Ignore, chunk };
    let mut out = Vec::new();
    let keep = &mut |t| {
        out.push(t);
        Control::Continue
    };
    session.decode(&options, keep).unwrap();
    out
}

fn greedy(model: &Model, prompt: &[Token], n: u32) -> Vec<Token> {
    decode(model, prompt, n, Sampling::greedy(), None)
}

#[test]
fn a_gpu_that_is_not_there_is_an_error_with_a_remedy() {
    let e = VulkanDevice::open(4_000_000_000).err().unwrap();
    assert!(matches!(e, DeviceError::NoVulkan { .. }), "{e}");
    assert!(e.to_string().contains("--device cpu"), "{e}");
}

#[test]
#[ignore = "needs a driver for Vulkan; tools/vulkan.sh"]
fn vulkan_lists_what_can_be_opened() {
    let all = gpus().unwrap();
    assert!(!all.is_empty());
    for (n, gpu) in all.iter().enumerate() {
        let opened = VulkanDevice::open(n as u32);
        assert_eq!(gpu.obstacle().is_none(), opened.is_ok(), "{gpu:?}");
        println!("vulkan:{n}: {gpu:?}");
    }
    let e = VulkanDevice::open(all.len() as u32).err().unwrap().to_string();
    assert!(e.contains(&format!("no GPU {}", all.len())), "{e}");
}

#[test]
#[ignore = "needs a driver for Vulkan; tools/vulkan.sh"]
fn vulkan_logits_are_those_of_the_reference() {
    agree(&gpu(), SPECS, &[1, 2, 7, 8, 9, 40, 300]).unwrap();
}

#[test]
#[ignore = "needs a driver for Vulkan; tools/vulkan.sh"]
fn vulkan_logits_of_tables_and_groups_are_those_of_the_reference() {
    agree(&gpu(), TABLES_AND_GROUPS, &[1, 9]).unwrap();
}

/// (Matrix units have another order of sums, and inputs of 16 bits.)
#[test]
#[ignore = "needs a driver for Vulkan; tools/vulkan.sh"]
fn vulkan_prefill_equals_single_steps() {
    let gpu = plain();
    for (spec, cache) in [
        ("tiny-llama:q4_0", OWN),
        ("tiny-llama:bf16", OWN),
        ("tiny-llama:f16", CODES),
        ("tiny-llama:q8_0", MIXED),
    ] {
        pieces_agree(&model_with(spec, cache, &gpu), &[[20, 44], [40, 87], [100, 28]])
            .unwrap_or_else(|e| panic!("{spec}: {e}"));
    }
}

/// What prompts leave on matrix units is close to what they leave without.
#[test]
#[ignore = "needs a driver for Vulkan; tools/vulkan.sh"]
fn vulkan_prefill_on_matrix_units_is_close_to_single_steps() {
    let (gpu, plain) = (gpu(), plain());
    if gpu.target().rules.iter().all(|r| r.staged.is_none()) {
        println!("0 cases: {} has no matrix units", gpu.info().name);
        return;
    }
    for (spec, cache) in [
        ("tiny-llama:q4_0", OWN),
        ("tiny-llama:bf16", OWN),
        ("tiny-llama:f16", CODES),
        ("tiny-llama:f32", OWN),
        ("tiny-llama:q6_k", MIXED),
    ] {
        let (units, want) = (model_with(spec, cache, &gpu), model_with(spec, cache, &plain));
        let tokens = prompt(600, units.config().vocab);
        for n in [9, 64, 129, 513, 600] {
            let [want, got] = [&want, &units].map(|m| {
                let mut s = m.session().unwrap();
                s.append(&tokens[..n]).unwrap();
                s.next_logits().unwrap()
            });
            let off = relative(&want, &got);
            println!("{spec} {n}: relative difference {off:.2e}");
            // Inputs and weights of 11 bits, added up at random. A key or value may fall on either side of a code's step.
            let codes = cache.k == CODES.k || cache.v == CODES.v;
            assert!(off < if codes { 1e-2 } else { 2e-3 }, "{spec}, {n} tokens: {off}");
        }
    }
}

#[test]
#[ignore = "needs a driver for Vulkan; tools/vulkan.sh"]
fn vulkan_greedy_tokens_are_those_of_the_reference() {
    let gpu = gpu();
    let cpu: Arc<dyn Device> = Arc::new(CpuDevice::with_level(Level::Reference, None).unwrap());
    for spec in SPECS {
        let (want, got) = (model(spec, &cpu), model(spec, &gpu));
        let tokens = prompt(20, want.config().vocab);
        let (a, b) = (greedy(&want, &tokens, 64), greedy(&got, &tokens, 64));
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

/// Neither how many steps a submission has, nor whether bytes go through a buffer of the host, changes a token.
#[test]
#[ignore = "needs a driver for Vulkan; tools/vulkan.sh"]
fn vulkan_chunks_and_copies_change_no_token() {
    let in_place = gpu();
    let options = Options { staged: true, ..Options::default() };
    let staged: Arc<dyn Device> = Arc::new(VulkanDevice::with_options(0, options).unwrap());
    let sampled = Sampling { temperature: 0.9, min_p: 0.02, seed: 7, ..Sampling::NEUTRAL };
    for (spec, cache) in [("tiny-llama:q4_0", OWN), ("tiny-llama:bf16", CODES)] {
        let (m, copied) = (model_with(spec, cache, &in_place), model_with(spec, cache, &staged));
        let tokens = prompt(20, m.config().vocab);
        for sampling in [Sampling::greedy(), sampled.clone()] {
            let want = decode(&m, &tokens, 200, sampling.clone(), None);
            assert_eq!(want.len(), 200);
            for chunk in [1, 3, 100] {
                assert!(
                    want == decode(&m, &tokens, 200, sampling.clone(), Some(chunk)),
                    "{spec}: chunks of {chunk}"
                );
            }
            assert!(want == decode(&copied, &tokens, 200, sampling.clone(), None), "{spec}: copies");
        }
    }
}

#[test]
#[ignore = "needs a driver for Vulkan; tools/vulkan.sh"]
fn vulkan_a_stop_leaves_the_session_at_the_last_token() {
    let gpu = gpu();
    let m = model("tiny-llama:q4_0", &gpu);
    let want = greedy(&m, &prompt(20, m.config().vocab), 60);
    let mut session = m.session().unwrap();
    session.append(&prompt(20, m.config().vocab)).unwrap();
    let mut got = Vec::new();
    for stop_at in [1, 2, 17, 60] {
        let options = DecodeOptions {
            max_tokens: 600 - got.len() as u32,
            sampling: Sampling::greedy(),
            eos: Eos::Ignore,
            chunk: None,
        };
        session
            .decode(&options, &mut |t| {
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
#[ignore = "needs a driver for Vulkan; tools/vulkan.sh"]
fn vulkan_ends_where_the_step_block_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tiny.gguf");
    let load = |end| {
        std::fs::write(&path, tiny_gguf(end).unwrap()).unwrap();
        let options =
            LoadOptions { device: DeviceChoice::Vulkan(0), context: Some(300), ..LoadOptions::default() };
        Model::load(&Source::Path(path.clone()), &options, &mut |_| {}).unwrap()
    };
    let tokens = prompt(20, 1000);
    let want = greedy(&load(Token(1023)), &tokens, 40);
    let end = want[20];
    let first = want.iter().position(|t| *t == end).unwrap();
    let mut session = load(end).session().unwrap();
    session.append(&tokens).unwrap();
    let options =
        DecodeOptions { max_tokens: 200, sampling: Sampling::greedy(), eos: Eos::Stop, chunk: Some(64) };
    let done = session.decode(&options, &mut |_| Control::Continue).unwrap();
    assert_eq!((done.finish, done.tokens as usize), (FinishReason::Eos, first + 1));
    assert_eq!(&session.tokens()[20..], &want[..=first]);
    let options = DecodeOptions { max_tokens: 2000, eos: Eos::Ignore, ..options };
    let done = session.decode(&options, &mut |_| Control::Continue).unwrap();
    assert_eq!(done.finish, FinishReason::ContextFull);
    assert!(session.kv_len() <= 300);
}

/// Two sessions on one device, turn by turn; and a profile, which counts as a step.
#[test]
#[ignore = "needs a driver for Vulkan; tools/vulkan.sh"]
fn vulkan_sessions_do_not_disturb_each_other() {
    let gpu = gpu();
    let m = model("tiny-llama:q4_0", &gpu);
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
    let logits = session.next_logits().unwrap();
    let best = logits.iter().enumerate().fold(0, |m, (i, v)| if *v > logits[m] { i } else { m });
    assert_eq!(best, want[0][0].index());
}

/// A first divergence is excused only where the oracle itself was this close to another token.
const EXCUSED_GAP: f64 = 0.02;

#[test]
#[ignore = "needs the SmolLM2 file and a driver for Vulkan; tools/vulkan.sh"]
fn vulkan_real_greedy_tokens_equal_the_oracle() {
    let ids = |v: &serde_json::Value| -> Vec<Token> {
        v.as_array().unwrap().iter().map(|x| Token(x.as_u64().unwrap() as u32)).collect()
    };
    let text = std::fs::read_to_string(fixture("oracle/smollm2_greedy.json")).unwrap();
    let all: serde_json::Value = serde_json::from_str(&text).unwrap();
    let prompts = all.as_array().cloned().unwrap_or_else(|| all["prompts"].as_array().unwrap().clone());
    // All of them, unless software plays the GPU and somebody asks for fewer.
    let asked =
        std::env::var("AKUNU_TEST_PROMPTS").ok().and_then(|v| v.parse().ok()).unwrap_or(prompts.len());
    let prompts = &prompts[..asked.clamp(1, prompts.len())];
    let source = GgufSource::open(&smollm2()).unwrap();
    let options = LoadOptions { context: Some(512), ..LoadOptions::default() };
    let model = Model::load_on(Box::new(source), gpu(), &options, &mut |_| {}).unwrap();
    let mut equal = 0;
    for p in prompts {
        let (prompt, want) = (ids(&p["prompt_ids"]), ids(&p["tokens"]));
        let got = greedy(&model, &prompt, want.len() as u32);
        assert_eq!(got.len(), want.len());
        match got.iter().zip(&want).position(|(a, b)| a != b) {
            None => equal += 1,
            Some(i) => {
                let gap = p["gaps"][i].as_f64().unwrap();
                println!("{}: diverges at token {i}, oracle gap {gap}", p["text"]);
                assert!(
                    gap < EXCUSED_GAP,
                    "{}: token {i} is {}, not {} (gap {gap})",
                    p["text"],
                    got[i],
                    want[i]
                );
            }
        }
    }
    println!("{equal} of {} prompts equal to the end", prompts.len());
}
