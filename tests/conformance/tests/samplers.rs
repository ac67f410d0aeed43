//! All samplers in whole models: what sequences draw depends on their own settings, and on nothing else.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::device::Device;
use akunu::device::cpu::CpuDevice;
use akunu::files::synthetic::Synthetic;
use akunu::kernels::cpu::Level;
use akunu::kernels::draw::draw;
use akunu::kernels::logits_max::Pick;
use akunu::kernels::sampler::{Filter, Sampler};
use akunu::kernels::step::Position;
use akunu::scheduler::Event;
use akunu::{
    BatchOptions, Control, DecodeOptions, Engine, EngineOptions, Eos, Error, LoadOptions, LogitBias, Model,
    Overflow, Request, SamplerOrder, Sampling, SequenceOptions, Session, Token,
};
use std::sync::Arc;

fn model(level: Level) -> Model {
    let device: Arc<dyn Device> = Arc::new(CpuDevice::with_level(level, Some(2)).unwrap());
    let source = Box::new(Synthetic::parse("tiny-llama:q8_0").unwrap());
    let options = LoadOptions { context: Some(400), ..LoadOptions::default() };
    Model::load_on(source, device, &options, &mut |_| {}).unwrap()
}

fn prompt(n: u32) -> Vec<Token> {
    (0..n).map(|i| Token(i.wrapping_mul(2_654_435_761) % 1021)).collect()
}

/// Everything at once.
fn full() -> Sampling {
    Sampling {
        repeat_penalty: 1.2,
        repeat_last_n: 20,
        presence_penalty: 0.2,
        frequency_penalty: 0.1,
        dry_multiplier: 0.8,
        top_n_sigma: 3.0,
        typical: 0.97,
        xtc_probability: 0.3,
        xtc_threshold: 0.05,
        logit_bias: Some(
            [(5, 2.5), (6, f32::NEG_INFINITY)].map(|(t, bias)| LogitBias { token: Token(t), bias }).into(),
        ),
        seed: 11,
        ..Sampling::DEFAULT
    }
}

fn decode(s: &mut Session, sampling: &Sampling, n: u32, chunk: Option<u32>) -> Vec<Token> {
    let options = DecodeOptions { max_tokens: n, sampling: sampling.clone(), eos: Eos::Ignore, chunk };
    let mut out = Vec::new();
    s.decode(&options, &mut |t| {
        out.push(t);
        Control::Continue
    })
    .unwrap();
    out
}

#[test]
fn neither_chunks_nor_rewinding_change_what_is_drawn() {
    let model = model(Level::detect());
    let mut s = model.session().unwrap();
    let mirostat = Sampling { mirostat: 2, ..Sampling::DEFAULT };
    for sampling in
        [full(), mirostat, Sampling::DEFAULT, Sampling { repeat_penalty: 1.3, ..Sampling::greedy() }]
    {
        s.reset();
        s.append(&prompt(50)).unwrap();
        let want = decode(&mut s, &sampling, 80, None);
        for chunk in [1, 7, 64] {
            s.reset();
            s.append(&prompt(50)).unwrap();
            assert_eq!(decode(&mut s, &sampling, 80, Some(chunk)), want, "chunks of {chunk}");
        }
        if sampling.mirostat != 0 {
            // Begins anew with each call.
            continue;
        }
        // In parts, some of which are drawn twice.
        s.reset();
        s.append(&prompt(50)).unwrap();
        let mut got = decode(&mut s, &sampling, 30, None);
        s.rewind(70).unwrap();
        got.truncate(20);
        got.extend(decode(&mut s, &sampling, 60, None));
        assert_eq!(got, want, "after a rewind");
    }
}

/// The device's tokens against logits that the host reads, changes by the definition, and draws from itself.
#[test]
fn tokens_are_those_of_the_definition() {
    let model = model(Level::detect());
    let sampling =
        Sampling { dry_multiplier: 0.0, typical: 1.0, xtc_probability: 0.0, top_n_sigma: 0.0, ..full() };
    let sampler = Sampler {
        filters: Filter::list([Filter::TopK, Filter::TopP, Filter::MinP, Filter::Temperature]),
        top_k: 40,
        top_p: (f64::from(0.95f32) * 4_294_967_296.0) as u32,
        min_p: 0.05f32.ln(),
        ..Sampler::default()
    };
    let (mut s, mut by_hand) = (model.session().unwrap(), model.session().unwrap());
    // So few that the first token, too, is drawn by a table of few rows.
    s.append(&prompt(5)).unwrap();
    by_hand.append(&prompt(5)).unwrap();
    for token in decode(&mut s, &sampling, 60, None) {
        let mut x = by_hand.next_logits().unwrap();
        x[5] += 2.5;
        x[6] = f32::NEG_INFINITY;
        let known = by_hand.tokens();
        let window = &known[known.len().saturating_sub(20)..];
        for (t, l) in x.iter_mut().enumerate() {
            let n = window.iter().filter(|w| w.index() == t).count();
            if n > 0 {
                *l = if *l <= 0.0 { *l * 1.2 } else { *l / 1.2 };
                *l -= n as f32 * 0.1 + 0.2;
            }
        }
        let picks = x.iter().enumerate().map(|(i, l)| Pick { score: *l, token: Token(i as u32) });
        let best = picks.fold(Pick::NONE, Pick::better);
        let want = draw(&x, best, &sampler, 0.8, 11, Position(by_hand.position()));
        assert_eq!(token, want.token, "at {}", by_hand.position());
        by_hand.append(&[token]).unwrap();
    }
}

#[test]
fn bans_hold_to_the_last_token() {
    let model = model(Level::Portable);
    let mut s = model.session().unwrap();
    let vocab = model.program().config.vocab;
    let ban = |keep: &[u32]| {
        let banned = (0..vocab).filter(|t| !keep.contains(t));
        let list = banned.map(|t| LogitBias { token: Token(t), bias: f32::NEG_INFINITY });
        Sampling { logit_bias: Some(list.collect()), ..Sampling::DEFAULT }
    };
    s.append(&[1, 2, 3].map(Token)).unwrap();
    assert_eq!(decode(&mut s, &ban(&[77]), 5, None), [Token(77); 5]);
    let two =
        decode(&mut s, &Sampling { temperature: 5.0, min_p: 0.0, top_p: 1.0, ..ban(&[8, 9]) }, 60, None);
    assert!(
        two.contains(&Token(8)) && two.contains(&Token(9)) && two.iter().all(|t| [8, 9].contains(&t.0)),
        "{two:?}"
    );
    // A list that is gone is gone.
    let free = decode(&mut s, &Sampling { temperature: 5.0, ..Sampling::DEFAULT }, 20, None);
    assert!(free.iter().any(|t| ![8, 9, 77].contains(&t.0)), "{free:?}");
    let before = s.position();
    let options = DecodeOptions { max_tokens: 5, sampling: ban(&[]), eos: Eos::Ignore, chunk: None };
    let e = s.decode(&options, &mut |_| Control::Continue).unwrap_err();
    assert!(matches!(e, Error::NoToken { .. }), "{e}");
    assert_eq!(s.position(), before);
    let foreign = Sampling {
        logit_bias: Some([LogitBias { token: Token(vocab), bias: 1.0 }].into()),
        ..Sampling::DEFAULT
    };
    let options = DecodeOptions { sampling: foreign, ..options };
    assert!(matches!(s.decode(&options, &mut |_| Control::Continue), Err(Error::TokenRange { .. })));
    // It goes on.
    assert_eq!(decode(&mut s, &Sampling::DEFAULT, 3, None).len(), 3);
}

fn request(i: u32, sampling: &Sampling) -> Request {
    let options =
        SequenceOptions { max_tokens: 60, sampling: sampling.clone(), eos: Eos::Ignore, reasoning: None };
    Request { tokens: prompt(20 + 13 * i), options, priority: 0, overflow: Overflow::End }
}

fn tokens(events: impl Iterator<Item = Event>) -> Vec<Token> {
    events.filter_map(|e| if let Event::Token { token: t, .. } = e { Some(t) } else { None }).collect()
}

/// Who draws plainly draws the same beside others that do not, and these draw as alone.
#[test]
fn neighbours_change_nothing() {
    let model = model(Level::detect());
    let plain = Sampling { temperature: 0.9, min_p: 0.02, seed: 7, ..Sampling::NEUTRAL };
    let order = SamplerOrder::parse("temperature;top_p;min_p").unwrap();
    let settings = [
        plain.clone(),
        full(),
        Sampling::greedy(),
        Sampling { top_k: 0, order, ..Sampling::DEFAULT },
        Sampling { repeat_penalty: 1.5, repeat_last_n: -1, ..Sampling::greedy() },
        Sampling { mirostat: 2, mirostat_tau: 3.0, ..Sampling::DEFAULT },
        Sampling { dry_multiplier: 2.0, dry_allowed_length: 1, ..Sampling::greedy() },
        Sampling::DEFAULT,
    ];
    let batch = BatchOptions { sequences: Some(4), cache_tokens: None, deterministic: true, drafts: None };
    let options = EngineOptions { batch, ..EngineOptions::default() };
    let engine = Engine::new(&model, &options).unwrap();
    let alone: Vec<Vec<Token>> = settings
        .iter()
        .enumerate()
        .map(|(i, s)| tokens(engine.start(request(i as u32, s)).unwrap()))
        .collect();
    assert!(alone.iter().all(|t| t.len() == 60));
    for round in 0..3 {
        let answers: Vec<_> = settings
            .iter()
            .enumerate()
            .cycle()
            .skip(round)
            .take(settings.len())
            .map(|(i, s)| (i, engine.start(request(i as u32, s)).unwrap()))
            .collect();
        for (i, answer) in answers {
            assert_eq!(tokens(answer), alone[i], "round {round}: {}", settings[i]);
        }
    }
}

/// Who bans everything fails alone.
#[test]
fn a_request_without_a_token_left_fails_alone() {
    let model = model(Level::detect());
    let list =
        (0..model.program().config.vocab).map(|t| LogitBias { token: Token(t), bias: f32::NEG_INFINITY });
    let none = Sampling { logit_bias: Some(list.collect()), ..Sampling::DEFAULT };
    let batch = BatchOptions { sequences: Some(4), cache_tokens: None, deterministic: true, drafts: None };
    let engine = Engine::new(&model, &EngineOptions { batch, ..EngineOptions::default() }).unwrap();
    let want = tokens(engine.start(request(1, &Sampling::DEFAULT)).unwrap());
    let other = engine.start(request(1, &Sampling::DEFAULT)).unwrap();
    let events: Vec<Event> = engine.start(request(2, &none)).unwrap().collect();
    assert!(matches!(events.last(), Some(Event::Failed(Error::NoToken { .. }))), "{events:?}");
    assert_eq!(tokens(other), want);
}

/// The same settings in the tables of plain draws and in those of all samplers.
#[test]
fn both_kinds_of_tables_draw_the_same() {
    let model = model(Level::detect());
    let mut s = model.session().unwrap();
    for (temperature, min_p) in [(0.9, 0.02), (0.0, 0.0), (1.0, 0.0), (1.7, 0.3)] {
        let plain = Sampling { temperature, min_p, seed: 3, ..Sampling::NEUTRAL };
        // A bias of nothing asks for the other kind.
        let full =
            Sampling { logit_bias: Some([LogitBias { token: Token(1), bias: 0.0 }].into()), ..plain.clone() };
        let [plain, full] = [plain, full].map(|sampling| {
            s.reset();
            s.append(&prompt(30)).unwrap();
            decode(&mut s, &sampling, 100, None)
        });
        assert_eq!(plain, full, "temperature {temperature}, min-p {min_p}");
    }
}
