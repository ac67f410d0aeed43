//! Several requests with one prompt: it is computed once, whatever becomes of the first of them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::device::cpu::CpuDevice;
use akunu::files::synthetic::Synthetic;
use akunu::kernels::cpu::Level;
use akunu::scheduler::{Answer, Event, Finished};
use akunu::{
    BatchOptions, Engine, EngineOptions, Eos, Error, LoadOptions, Model, Overflow, Request, RowCount,
    Sampling, SequenceOptions, Token,
};
use std::sync::Arc;

fn model() -> Model {
    let device = Arc::new(CpuDevice::with_level(Level::detect(), Some(2)).unwrap());
    let options = LoadOptions { context: Some(700), ..LoadOptions::default() };
    let source = Box::new(Synthetic::parse("tiny-llama:q8_0").unwrap());
    Model::load_on(source, device, &options, &mut |_| {}).unwrap()
}

fn options() -> EngineOptions {
    let batch =
        BatchOptions { sequences: Some(5), cache_tokens: Some(20 * 256), deterministic: true, drafts: None };
    EngineOptions { batch, prompt_rows: Some(RowCount(64)), queue: 8, ..EngineOptions::default() }
}

fn request(n: u32, seed: u64) -> Request {
    let tokens = (1..=n).map(|i| Token(i.wrapping_mul(2_654_435_761) % 1021)).collect();
    let sampling = Sampling { temperature: 1.3, seed, ..Sampling::DEFAULT };
    let options = SequenceOptions { max_tokens: 40, sampling, eos: Eos::Ignore, reasoning: None };
    Request { tokens, options, priority: 0, overflow: Overflow::End }
}

fn read(answer: &mut Answer) -> (Vec<Token>, Finished) {
    let mut tokens = Vec::new();
    loop {
        match answer.recv().unwrap() {
            Event::Started { .. } => {}
            Event::Token { token, .. } => tokens.push(token),
            Event::Finished(f) => return (tokens, f),
            Event::Failed(e) => panic!("{e}"),
        }
    }
}

#[test]
fn a_prompt_is_computed_once_and_answers_are_as_alone() {
    let model = model();
    // Within a block, over two of them, and at their end.
    for n in [1u32, 2, 100, 256, 257, 600] {
        let engine = Engine::new(&model, &options()).unwrap();
        let alone: Vec<Vec<Token>> = (0..4)
            .map(|seed| {
                let fresh = Engine::new(&model, &options()).unwrap();
                read(&mut fresh.start(request(n, seed)).unwrap()).0
            })
            .collect();
        let answers = engine.start_all((0..4).map(|seed| request(n, seed)).collect()).unwrap();
        for (i, mut answer) in answers.into_iter().enumerate() {
            let (tokens, f) = read(&mut answer);
            assert_eq!(tokens, alone[i], "prompt of {n}, seed {i}");
            assert_eq!(f.reused, if i == 0 { 0 } else { n - 1 }, "prompt of {n}, answer {i}");
        }
    }
}

/// Others do not wait for those that wait for a prompt.
#[test]
fn who_leads_may_leave() {
    let model = model();
    let engine = Engine::new(&model, &options()).unwrap();
    let want = read(&mut engine.start(request(300, 2)).unwrap()).0;
    // Cancelled at once, or while it computes the prompt.
    for wait in [0, 1, 3, 20] {
        let engine = Engine::new(&model, &options()).unwrap();
        let mut answers = engine.start_all(vec![request(300, 1), request(300, 2), request(300, 2)]).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait));
        drop(answers.remove(0));
        let beside = read(&mut engine.start(request(20, 9)).unwrap());
        assert_eq!(beside.0.len(), 40);
        for mut answer in answers {
            assert_eq!(read(&mut answer).0, want, "after {wait} ms");
        }
    }
    // A group that ends with its engine ends.
    let mut left = engine.start_all(vec![request(600, 1), request(600, 2)]).unwrap();
    drop(engine);
    for answer in &mut left {
        while answer.recv().is_some() {}
    }
}

#[test]
fn all_are_taken_or_none() {
    let model = model();
    let engine = Engine::new(&model, &options()).unwrap();
    assert!(engine.start_all(Vec::new()).unwrap().is_empty());
    let many = (0..9).map(|seed| request(5, seed)).collect();
    assert!(matches!(engine.start_all(many), Err(Error::QueueFull { .. })));
    let bad = vec![request(5, 1), request(900, 2)];
    assert!(matches!(engine.start_all(bad), Err(Error::ContextFull { .. })));
    // More than there are places.
    let answers = engine.start_all((0..8).map(|seed| request(50, seed)).collect()).unwrap();
    let told: Vec<Finished> = answers.into_iter().map(|mut a| read(&mut a).1).collect();
    assert!(told.iter().all(|f| f.tokens == 40));
    assert_eq!(told.iter().map(|f| f.reused).collect::<Vec<_>>(), [0, 49, 49, 49, 49, 49, 49, 49]);
}
