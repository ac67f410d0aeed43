//! Drafts change no token: sessions that draft against sessions that do not, whatever is drawn, cut short, stopped or rewound.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::batch::{Next, Piece};
use akunu::device::Device;
use akunu::files::WeightSource;
use akunu::files::synthetic::Synthetic;
use akunu::scheduler::{Answer, Event, Status};
use akunu::{
    Batch, BatchOptions, CacheTypes, Control, DecodeOptions, Decoded, DraftOptions, DraftWhen, Engine,
    EngineOptions, Eos, Error, FinishReason, LoadOptions, Model, Overflow, Request, Sampling,
    SequenceOptions, Session, Token,
};
use akunu_conformance::windowed::Windowed;
use akunu_conformance::{On, on_each_device_and_vulkan};
use std::sync::Arc;

const CONTEXT: u32 = 600;
const ALWAYS: DraftOptions = DraftOptions { most: 7, least: 1, when: DraftWhen::Always };

on_each_device_and_vulkan!(
    drafts_change_no_token,
    rewinds_and_turns_go_on_as_without_drafts,
    windowed_models_draft_too,
    a_draft_model_changes_no_token,
    sequences_of_a_batch_draft_and_change_no_token,
    an_engine_drafts_and_changes_no_token
);

fn load(source: Box<dyn WeightSource>, device: &Arc<dyn Device>, context: u32) -> Model {
    let options =
        LoadOptions { context: Some(context), cache: CacheTypes::default(), ..LoadOptions::default() };
    Model::load_on(source, Arc::clone(device), &options, &mut |_| {}).unwrap()
}

fn tiny(spec: &str, device: &Arc<dyn Device>) -> Model {
    load(Box::new(Synthetic::parse(spec).unwrap()), device, CONTEXT)
}

/// A prompt that repeats itself.
fn prompt(n: u32, seed: u32) -> Vec<Token> {
    (0..n).map(|i| (i % 23).wrapping_mul(2_654_435_761).wrapping_add(seed) % 1021).map(Token).collect()
}

fn decode(s: &mut Session, options: &DecodeOptions) -> (Vec<Token>, Decoded) {
    let mut out = Vec::new();
    let d = s
        .decode(options, &mut |t| {
            out.push(t);
            Control::Continue
        })
        .unwrap();
    assert_eq!(out.len(), d.tokens as usize);
    assert_eq!(s.tokens()[s.tokens().len() - out.len()..], out);
    assert_eq!(s.kv_len() + 1, s.position());
    (out, d)
}

fn options(max_tokens: u32, sampling: &Sampling) -> DecodeOptions {
    DecodeOptions { max_tokens, sampling: sampling.clone(), eos: Eos::Ignore, chunk: None }
}

fn samplings() -> [Sampling; 4] {
    let cold = Sampling { temperature: 0.3, min_p: 0.05, seed: 11, ..Sampling::NEUTRAL };
    [
        Sampling::greedy(),
        cold.clone(),
        Sampling { seed: 12, ..cold.clone() },
        // All samplers, with penalties that look at drafts on the belt.
        Sampling {
            top_k: 8,
            top_p: 0.95,
            repeat_penalty: 1.05,
            repeat_last_n: 20,
            dry_multiplier: 0.1,
            ..cold
        },
    ]
}

/// Every kind of draw, any end, and every number of drafts.
fn drafts_change_no_token(on: On) {
    for device in on.devices().unwrap() {
        let mut accepted = 0;
        let model = tiny("tiny-llama:q8_0", &device);
        let mut plain = model.session().unwrap();
        for (case, sampling) in samplings().iter().enumerate() {
            let case = case as u32;
            let text = prompt(40 + 7 * case, case);
            plain.reset();
            plain.append(&text).unwrap();
            let (want, _) = decode(&mut plain, &options(150, sampling));
            for (most, when) in [(7, DraftWhen::Always), (1, DraftWhen::Always), (3, DraftWhen::ItPays)] {
                let drafting = DraftOptions { most, when, ..ALWAYS };
                let mut s = model.drafting_session(&drafting).unwrap();
                for (chunk, n) in [(None, 150), (Some(1), 63), (Some(3), 2), (None, 1)] {
                    s.reset();
                    s.append(&text).unwrap();
                    let (got, d) = decode(&mut s, &DecodeOptions { chunk, ..options(n, sampling) });
                    assert_eq!(got, want[..n as usize], "case {case}, {drafting:?}, {n} tokens");
                    assert_eq!(d.finish, FinishReason::Length);
                    assert!(d.drafts.accepted <= d.drafts.drafted);
                    accepted += d.drafts.accepted;
                }
            }
            // A token that ends the text ends it among drafts too.
            let ends = want[want.len() / 2];
            let first = want.iter().position(|t| *t == ends).unwrap();
            let mut s = model.drafting_session(&ALWAYS).unwrap();
            s.append(&text).unwrap();
            let mut left = first + 1;
            let d = s
                .decode(&options(150, sampling), &mut |_| {
                    left -= 1;
                    if left == 0 { Control::Stop } else { Control::Continue }
                })
                .unwrap();
            assert_eq!((d.tokens as usize, d.finish), (first + 1, FinishReason::Cancelled));
            assert_eq!(s.tokens()[text.len()..], want[..=first]);
            // And goes on from there.
            let rest = want.len() - first - 1;
            if rest > 0 {
                let (got, _) = decode(&mut s, &options(rest as u32, sampling));
                assert_eq!(got, want[first + 1..]);
            }
        }
        assert!(accepted > 200, "{}: {accepted}: hardly a draft was met", device.info().name);
    }
}

/// A conversation: turns, rewinds, and a context that is full.
fn rewinds_and_turns_go_on_as_without_drafts(on: On) {
    for device in on.devices().unwrap() {
        let model = tiny("tiny-llama:bf16", &device);
        let (mut plain, mut drafting) = (model.session().unwrap(), model.drafting_session(&ALWAYS).unwrap());
        for s in [&mut plain, &mut drafting] {
            s.append(&prompt(100, 5)).unwrap();
        }
        let greedy = Sampling::greedy();
        for turn in 0..4u32 {
            let [a, b] = [&mut plain, &mut drafting].map(|s| decode(s, &options(60, &greedy)));
            assert_eq!((a.0, a.1.finish), (b.0, b.1.finish), "turn {turn}");
            for s in [&mut plain, &mut drafting] {
                s.rewind(s.position() - 20 - turn).unwrap();
                s.append(&prompt(30, turn)).unwrap();
            }
        }
        let [a, b] = [&mut plain, &mut drafting].map(|s| decode(s, &options(CONTEXT, &greedy)));
        assert_eq!((a.0, a.1.finish), (b.0, b.1.finish));
        assert_eq!(b.1.finish, FinishReason::ContextFull);
        // Room is made by a shift, which knows of no drafts.
        for s in [&mut plain, &mut drafting] {
            s.shift(10, 300).unwrap();
        }
        let [a, b] = [&mut plain, &mut drafting].map(|s| decode(s, &options(100, &greedy)));
        assert_eq!(a.0, b.0, "after a shift");
    }
}

/// Rings of windowed layers hold what rejected drafts have written over.
fn windowed_models_draft_too(on: On) {
    for device in on.devices().unwrap() {
        let source = Windowed::new("tiny-llama:q8_0", 200, Some(vec![true, false])).unwrap();
        let model = load(Box::new(source), &device, 5500);
        let ring = model.program().cache.ring.expect("a ring") * 256;
        let (mut plain, mut drafting) = (model.session().unwrap(), model.drafting_session(&ALWAYS).unwrap());
        for s in [&mut plain, &mut drafting] {
            s.append(&prompt(ring - 300, 9)).unwrap();
        }
        let [a, b] = [&mut plain, &mut drafting].map(|s| decode(s, &options(600, &samplings()[1])));
        assert_eq!(a.0, b.0);
    }
}

/// A model drafted by its own smaller format, and by one that never agrees.
fn a_draft_model_changes_no_token(on: On) {
    for device in on.devices().unwrap() {
        let (mut drafted, mut accepted) = (0, 0);
        let model = tiny("tiny-llama:q8_0", &device);
        let near = tiny("tiny-llama:q4_0", &device);
        let far = load(Box::new(Synthetic::parse("tiny-llama:bf16").unwrap()), &device, 80);
        let mut plain = model.session().unwrap();
        for (case, sampling) in samplings().iter().enumerate() {
            let text = prompt(40, 3 + case as u32);
            plain.reset();
            plain.append(&text).unwrap();
            let (want, _) = decode(&mut plain, &options(120, sampling));
            for (by, when) in
                [(&near, DraftWhen::Always), (&near, DraftWhen::ItPays), (&far, DraftWhen::Always)]
            {
                let mut s = model.assisted_session(by, &DraftOptions { when, ..ALWAYS }).unwrap();
                s.append(&text).unwrap();
                let (mut got, d) = decode(&mut s, &options(70, sampling));
                // The draft model follows a rewind.
                s.rewind(s.position() - 10).unwrap();
                got.truncate(60);
                got.extend(decode(&mut s, &options(60, sampling)).0);
                assert_eq!(got, want, "case {case}, {when:?}");
                drafted += d.drafts.drafted;
                accepted += d.drafts.accepted;
            }
        }
        let name = device.info().name;
        assert!(accepted > 60 && accepted < drafted, "{name}: {accepted} of {drafted}");
    }
}

/// What sequences draw, in runs of so many steps, drafting or not.
fn together(
    batch: &mut Batch,
    requests: &[(Vec<Token>, SequenceOptions)],
    steps: Option<u32>,
) -> (Vec<Vec<Token>>, u32) {
    let mut all: Vec<_> = requests.iter().map(|(t, o)| batch.sequence(t, o).unwrap()).collect();
    let mut go = |_: &mut akunu::Sequence, _: usize, _| Next::Go;
    // Prompts first.
    for (guest, sequence) in all.iter().enumerate() {
        assert!(sequence.pending() <= batch.most_rows().0, "guest {guest}");
    }
    for guest in 0..all.len() {
        let rows = all[guest].pending();
        batch.run(&mut all, &[Piece { guest, rows }], 1, &mut go).unwrap();
    }
    loop {
        let pieces: Vec<Piece> = (0..all.len())
            .filter(|guest| all[*guest].pending() == 1)
            .map(|guest| Piece { guest, rows: 1 })
            .collect();
        if pieces.is_empty() {
            break;
        }
        match steps {
            Some(steps) => batch.run_drafting(&mut all, &pieces, steps, &mut go).unwrap(),
            None => batch.run(&mut all, &pieces, 5, &mut go).unwrap(),
        }
    }
    let accepted = all.iter().map(|s| s.drafts().accepted).sum();
    (all.iter().map(|s| s.drawn().to_vec()).collect(), accepted)
}

/// Several sequences share the rows of a step; each draws what it draws without drafts, to any end.
fn sequences_of_a_batch_draft_and_change_no_token(on: On) {
    for device in on.devices().unwrap() {
        let model = tiny("tiny-llama:q8_0", &device);
        let size = BatchOptions { sequences: Some(6), ..BatchOptions::default() };
        let mut plain = model.batch(&size).unwrap();
        let new = || {
            let mut drafting = model.batch(&BatchOptions { drafts: Some(ALWAYS), ..size }).unwrap();
            drafting.poison(0x7f);
            drafting
        };
        let mut drafting = new();
        let most = (1..5).take_while(|n| drafting.drafts_for(*n)).count();
        assert!(most >= 1 && !drafting.drafts_for(200) && !plain.drafts_for(1), "{most}");
        let requests: Vec<_> = (0..most as u32)
            .map(|i| {
                let sampling = samplings()[i as usize % 4].clone();
                (
                    prompt((30 + 90 * i).min(plain.most_rows().0), i),
                    SequenceOptions { max_tokens: 150 - 20 * i, sampling, eos: Eos::Ignore, reasoning: None },
                )
            })
            .collect();
        let (want, _) = together(&mut plain, &requests, None);
        for steps in [1, 4, 9] {
            // With nothing in its cache: of a prompt that is there one row is run, in another family than all of it.
            drafting = new();
            let (got, accepted) = together(&mut drafting, &requests, Some(steps));
            assert_eq!(got, want, "{steps} steps a run");
            assert!(accepted > 20, "{accepted}");
        }
        // Too many, or with a prompt among them.
        let mut guests: Vec<_> =
            (0..5u32).map(|i| drafting.sequence(&prompt(3, i), &requests[0].1).unwrap()).collect();
        let rows = Piece { guest: 0, rows: 3 };
        let e = drafting.run_drafting(&mut guests, &[rows], 1, &mut |_, _, _| Next::Go).unwrap_err();
        assert!(e.to_string().contains("drafts"), "{e}");
    }
}

/// All tokens of an answer.
fn tokens(answer: Answer) -> Vec<Token> {
    let token = |event| match event {
        Event::Token { token, .. } => Some(token),
        Event::Failed(e) => panic!("{e}"),
        _ => None,
    };
    answer.filter_map(token).collect()
}

/// Requests that come and go: texts with drafts are those without.
fn an_engine_drafts_and_changes_no_token(on: On) {
    for device in on.devices().unwrap() {
        let model = tiny("tiny-llama:q8_0", &device);
        let texts = |when: Option<DraftWhen>| -> (Vec<Vec<Token>>, Status) {
            let drafts = when.map(|when| DraftOptions { when, ..ALWAYS });
            let batch = BatchOptions { sequences: Some(6), drafts, ..BatchOptions::default() };
            let engine = Engine::new(&model, &EngineOptions { batch, ..EngineOptions::default() }).unwrap();
            let request = |i: u32, length: u32| {
                let sampling = samplings()[i as usize % 4].clone();
                let options = SequenceOptions {
                    max_tokens: 40 + 13 * (i % 5),
                    sampling,
                    eos: Eos::Ignore,
                    reasoning: None,
                };
                Request { tokens: prompt(length, i), options, priority: 0, overflow: Overflow::End }
            };
            // One alone, then two, then more than draft: prompts so short that whoever comes first, all run in tables of one family.
            let crowd = if on == On::Cpu { 7 } else { 2 };
            let mut all = Vec::new();
            for (together, length) in [(1, 100), (2, 1), (crowd, 1)] {
                let answers: Vec<_> =
                    (0..together).map(|i| engine.start(request(i, length)).unwrap()).collect();
                all.extend(answers.into_iter().map(tokens));
            }
            (all, engine.status())
        };
        let (want, none) = texts(None);
        assert_eq!((none.drafted, none.accepted), (0, 0));
        for when in [DraftWhen::Always, DraftWhen::ItPays] {
            let (got, status) = texts(Some(when));
            assert!(got == want, "{when:?}");
            // Where it always drafts, drafts are met; what pays is a matter of time.
            assert!(status.accepted <= status.drafted);
            assert!(when == DraftWhen::ItPays || status.accepted > 0, "{status:?}");
        }
    }
}

#[test]
fn what_cannot_be_drafted_is_said_or_done_without() {
    let device: Arc<dyn Device> = Arc::new(akunu::device::cpu::CpuDevice::new(Some(1)).unwrap());
    let model = tiny("tiny-llama:q8_0", &device);
    for bad in [DraftOptions { most: 0, ..ALWAYS }, DraftOptions { least: 17, ..ALWAYS }] {
        assert!(matches!(model.drafting_session(&bad), Err(Error::Option { .. })), "{bad:?}");
    }
    let mut s = model.drafting_session(&ALWAYS).unwrap();
    let e = s.logits(&prompt(4, 0), &mut |_, _| {}).unwrap_err();
    assert!(e.to_string().contains("without drafts"), "{e}");
    let other = load(Box::new(Synthetic::parse("smollm2-135m:q4_0").unwrap()), &device, 64);
    let e = model.assisted_session(&other, &ALWAYS).err().unwrap();
    assert!(e.to_string().contains("49152 tokens where the model has 1024"), "{e}");
    // Mirostat takes one draw after the other.
    let mirostat =
        Sampling { mirostat: 2, mirostat_tau: 4.0, seed: 3, temperature: 0.7, ..Sampling::NEUTRAL };
    let mut plain = model.session().unwrap();
    for s in [&mut plain, &mut s] {
        s.reset();
        s.append(&prompt(50, 1)).unwrap();
    }
    let [a, b] = [&mut plain, &mut s].map(|s| decode(s, &options(80, &mirostat)));
    assert_eq!(a.0, b.0);
    assert_eq!(b.1.drafts.drafted, 0);
}
