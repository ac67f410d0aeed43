//! Log-probabilities in whole models: those of the model's own logits, whatever samplers, chunks and neighbours do.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::device::Device;
use akunu::device::cpu::CpuDevice;
use akunu::files::WeightSource;
use akunu::files::synthetic::Synthetic;
use akunu::kernels::cpu::Level;
use akunu::scheduler::{Event, Finished};
use akunu::{
    BatchOptions, Control, DecodeOptions, DeviceChoice, Engine, EngineOptions, Eos, Error, GenerateOptions,
    LoadOptions, LogProbs, LogitBias, Model, Overflow, Request, RowCount, Sampling, SequenceOptions, Session,
    Source, Token,
};
use akunu_conformance::windowed::Windowed;
use akunu_conformance::{On, on_each_device, smollm2};
use std::sync::Arc;

on_each_device!(records_are_those_of_the_logits_and_change_no_token, neighbours_and_shifts_change_nothing);

fn tiny(device: Arc<dyn Device>) -> Model {
    model(Box::new(Synthetic::parse("tiny-llama:q8_0").unwrap()), device, 400)
}

fn model(source: Box<dyn WeightSource>, device: Arc<dyn Device>, context: u32) -> Model {
    let options = LoadOptions { context: Some(context), ..LoadOptions::default() };
    Model::load_on(source, device, &options, &mut |_| {}).unwrap()
}

fn detected() -> Arc<dyn Device> {
    Arc::new(CpuDevice::with_level(Level::detect(), Some(2)).unwrap())
}

fn prompt(n: u32) -> Vec<Token> {
    (0..n).map(|i| Token(i.wrapping_mul(2_654_435_761) % 1021)).collect()
}

/// Much that changes logits.
fn changed() -> Sampling {
    Sampling {
        repeat_penalty: 1.4,
        frequency_penalty: 0.3,
        dry_multiplier: 0.8,
        logit_bias: Some(
            [
                LogitBias { token: Token(5), bias: 3.5 },
                LogitBias { token: Token(6), bias: f32::NEG_INFINITY },
            ]
            .into(),
        ),
        seed: 5,
        ..Sampling::DEFAULT
    }
}

fn decode(s: &mut Session, sampling: &Sampling, n: u32, chunk: Option<u32>) -> (Vec<Token>, Vec<LogProbs>) {
    let options = DecodeOptions { max_tokens: n, sampling: sampling.clone(), eos: Eos::Ignore, chunk };
    let (mut tokens, mut all) = (Vec::new(), Vec::new());
    s.decode_log_probs(&options, &mut |t, l| {
        tokens.push(t);
        all.extend(l);
        Control::Continue
    })
    .unwrap();
    (tokens, all)
}

/// Whether a record is that of these logits, in f64.
fn check(record: &LogProbs, x: &[f32], drawn: Token, top: usize) {
    let best = x.iter().fold(f64::NEG_INFINITY, |a, b| a.max(f64::from(*b)));
    let all = x.iter().map(|l| (f64::from(*l) - best).exp()).sum::<f64>().ln() + best;
    let near = |got: f32, token: Token| {
        let want = f64::from(x[token.index()]) - all;
        assert!((f64::from(got) - want).abs() < 4e-6 * (1.0 + want.abs()), "{token}: {got}, not {want}");
    };
    assert_eq!(record.token(), drawn);
    near(record.log_prob(), drawn);
    let mut order: Vec<u32> = (0..x.len() as u32).collect();
    order.sort_by(|a, b| x[*b as usize].total_cmp(&x[*a as usize]).then(a.cmp(b)));
    let got: Vec<u32> = record.top().map(|(t, _)| t.0).collect();
    assert_eq!(got, order[..top.min(x.len())]);
    record.top().for_each(|(t, l)| near(l, t));
}

/// Chains of any length, more of them than a ring has records.
fn records_are_those_of_the_logits_and_change_no_token(on: On) {
    for device in on.devices().unwrap() {
        let name = device.info().name;
        let model = tiny(device);
        let (mut s, mut by_hand) = (model.session().unwrap(), model.session().unwrap());
        for (sampling, top) in [(changed(), 5), (Sampling::greedy(), 20), (Sampling::DEFAULT, 0)] {
            s.reset();
            s.append(&prompt(7)).unwrap();
            let (want, none) = decode(&mut s, &sampling, 150, None);
            assert!(none.is_empty());
            let asking = Sampling { logprobs: Some(top), ..sampling };
            let mut first = None;
            for chunk in [None, Some(1), Some(7), Some(1000)] {
                s.reset();
                s.append(&prompt(7)).unwrap();
                let (got, all) = decode(&mut s, &asking, 150, chunk);
                assert_eq!(got, want, "{name} in chunks of {chunk:?}");
                assert_eq!(all.len(), 150);
                assert_eq!(first.get_or_insert_with(|| all.clone()), &all, "{name} in chunks of {chunk:?}");
            }
            by_hand.reset();
            by_hand.append(&prompt(7)).unwrap();
            for (record, token) in first.unwrap().iter().zip(&want) {
                check(record, &by_hand.next_logits().unwrap(), *token, top as usize);
                by_hand.append(&[*token]).unwrap();
            }
        }
    }
}

/// A stop in the middle of what is read together leaves the session at its last accepted token.
#[test]
fn a_stop_between_records_rolls_back() {
    let model = tiny(detected());
    let mut s = model.session().unwrap();
    let sampling = Sampling { logprobs: Some(2), ..changed() };
    s.append(&prompt(20)).unwrap();
    let (want, all) = decode(&mut s, &sampling, 40, None);
    s.reset();
    s.append(&prompt(20)).unwrap();
    let mut left = 11;
    let options = DecodeOptions { max_tokens: 40, sampling: sampling.clone(), eos: Eos::Ignore, chunk: None };
    s.decode(&options, &mut |_| {
        left -= 1;
        if left == 0 { Control::Stop } else { Control::Continue }
    })
    .unwrap();
    assert_eq!((s.position(), &s.tokens()[20..]), (31, &want[..11]));
    let (rest, records) = decode(&mut s, &sampling, 29, None);
    assert_eq!((&rest[..], &records[..]), (&want[11..], &all[11..]));
    let huge = DecodeOptions { sampling: Sampling { logprobs: Some(21), ..Sampling::DEFAULT }, ..options };
    let e = s.decode(&huge, &mut |_| Control::Continue).unwrap_err();
    assert!(matches!(e, Error::Option { name: "logprobs", .. }), "{e}");
}

type Told = (Vec<Token>, Vec<LogProbs>, Option<Finished>);

fn listen(events: impl Iterator<Item = Event>) -> Told {
    let mut told = Told::default();
    for event in events {
        match event {
            Event::Token { token, logprobs } => {
                told.0.push(token);
                told.1.extend(logprobs.map(|l| *l));
            }
            Event::Finished(f) => told.2 = Some(f),
            Event::Failed(e) => panic!("{e}"),
            Event::Started { .. } => {}
        }
    }
    told
}

/// In an engine: who asks gets them, to the bit as alone; who does not ask gets none; shifts go on.
fn neighbours_and_shifts_change_nothing(on: On) {
    let device = on.devices().unwrap().pop().unwrap();
    let sources: [Box<dyn WeightSource>; 2] = [
        Box::new(Synthetic::parse("tiny-llama:q8_0").unwrap()),
        Box::new(Windowed::new("tiny-llama:q8_0", 40, None).unwrap()),
    ];
    for source in sources {
        let model = model(source, Arc::clone(&device), 128);
        let batch =
            BatchOptions { sequences: Some(4), cache_tokens: None, deterministic: true, drafts: None };
        let engine = Engine::new(&model, &EngineOptions { batch, ..EngineOptions::default() }).unwrap();
        let request = |i: u32| {
            let base = if i.is_multiple_of(2) {
                changed()
            } else {
                Sampling { seed: i.into(), ..Sampling::NEUTRAL }
            };
            let sampling = Sampling { logprobs: [Some(3), None, Some(0), Some(20)][i as usize % 4], ..base };
            let options = SequenceOptions { max_tokens: 200, sampling, eos: Eos::Ignore, reasoning: None };
            Request {
                tokens: prompt(9 + 5 * i),
                options,
                priority: 0,
                overflow: Overflow::Shift { drop: Vec::new(), keep: 4 },
            }
        };
        let alone: Vec<Told> = (0..8).map(|i| listen(engine.start(request(i)).unwrap())).collect();
        for (i, (tokens, records, finished)) in alone.iter().enumerate() {
            assert_eq!((tokens.len(), finished.unwrap().tokens), (200, 200));
            assert_eq!(records.len(), if i % 4 == 1 { 0 } else { 200 }, "{i}");
            assert!(records.iter().zip(tokens).all(|(r, t)| r.token() == *t && r.log_prob() <= 0.0));
            assert!(records.iter().all(|r| r.top().count() == [3, 0, 0, 20][i % 4]));
        }
        let together: Vec<_> = (0..8).map(|i| engine.start(request(i)).unwrap()).collect();
        for (i, answer) in together.into_iter().enumerate() {
            let (tokens, records, _) = listen(answer);
            assert!(tokens == alone[i].0 && records == alone[i].1, "request {i}");
        }
    }
}

/// Whoever stops in the middle of what is read together hears no more.
#[test]
fn a_listener_that_stops_hears_no_more() {
    let model = tiny(detected());
    let engine = Engine::new(&model, &EngineOptions::default()).unwrap();
    let sampling = Sampling { logprobs: Some(1), ..Sampling::DEFAULT };
    let options = SequenceOptions { max_tokens: 100, sampling, eos: Eos::Ignore, reasoning: None };
    let request = Request { tokens: prompt(30), options, priority: 0, overflow: Overflow::End };
    let (send, heard) = std::sync::mpsc::channel();
    let mut left = 5;
    engine
        .submit(request, move |event| {
            let end = matches!(event, Event::Finished(_));
            left -= i32::from(matches!(event, Event::Token { .. }));
            send.send((left, end)).unwrap();
            if left == 0 { Control::Stop } else { Control::Continue }
        })
        .unwrap();
    let all: Vec<(i32, bool)> = heard.iter().collect();
    assert_eq!(all.last(), Some(&(0, true)));
    assert_eq!(all.iter().filter(|(_, end)| !end).count(), 6, "the start and five tokens: {all:?}");
}

/// The real model, against the logits that it gives when the same tokens are scored.
#[test]
#[ignore = "needs the SmolLM2 file; tools/fetch-model.sh"]
fn real_log_probabilities_are_those_of_the_scored_logits() {
    // Steps of one family of rows, so that what is scored has the same bits.
    let options = LoadOptions {
        device: DeviceChoice::Cpu,
        context: Some(512),
        head_rows: RowCount(8),
        ..LoadOptions::default()
    };
    let model = Model::load(&Source::Path(smollm2()), &options, &mut |_| {}).unwrap();
    let mut session = model.session().unwrap();
    let prompt = model.encode("The capital of France is").unwrap();
    assert!(prompt.len() <= 8);
    for (sampling, n) in [(Sampling::greedy(), 80), (Sampling { temperature: 1.2, ..changed() }, 120)] {
        session.reset();
        session.append(&prompt).unwrap();
        let options = GenerateOptions {
            max_tokens: n,
            sampling: Sampling { logprobs: Some(10), ..sampling },
            eos: Eos::Ignore,
            ..GenerateOptions::default()
        };
        let mut told = Vec::new();
        let g = session
            .generate(&options, &mut |event| {
                told.extend(event.logprobs.copied());
                Control::Continue
            })
            .unwrap();
        assert_eq!((g.tokens.len(), g.logprobs.len()), (n as usize, n as usize));
        assert_eq!(told, g.logprobs);
        let all = session.tokens().to_vec();
        let mut checked = 0;
        let from = prompt.len() as u32 - 1;
        let mut row = |position: u32, x: &[f32]| {
            if let Some(record) = g.logprobs.get((position - from) as usize) {
                check(record, x, record.token(), 10);
                checked += 1;
            }
        };
        session.logits_from(&all, from, &mut row).unwrap();
        assert_eq!(checked, n);
        let mean = g.logprobs.iter().map(|l| f64::from(l.log_prob())).sum::<f64>() / f64::from(n);
        println!("{n} tokens, mean log-probability {mean:.4}, first {:?}", g.logprobs[0].top().next());
    }
}
