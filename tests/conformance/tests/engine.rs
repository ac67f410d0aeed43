//! The engine's promises, on every CPU level of this machine and on the null device, with a small random model.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::device::cpu::CpuDevice;
use akunu::files::synthetic::Synthetic;
use akunu::kernels::DType;
use akunu::kernels::cpu::{LEVELS, Level};
use akunu::kernels::target::cpu_one_family;
use akunu::{
    CacheTypes, Control, DecodeOptions, Decoded, Eos, Error, FinishReason, KvFormat, LoadOptions, Model,
    RowCount, Sampling, Session, Token,
};
use std::sync::Arc;

const CONTEXT: u32 = 700;
const SAMPLED: Sampling = Sampling { temperature: 0.9, min_p: 0.02, seed: 7, ..Sampling::NEUTRAL };

fn model(spec: &str, level: Level) -> Model {
    model_with(spec, CacheTypes::default(), level)
}

fn model_with(spec: &str, cache: CacheTypes, level: Level) -> Model {
    let device = Arc::new(CpuDevice::with_level(level, None).unwrap());
    let options = LoadOptions { context: Some(CONTEXT), cache, ..LoadOptions::default() };
    Model::load_on(Box::new(Synthetic::parse(spec).unwrap()), device, &options, &mut |_| {}).unwrap()
}

fn levels() -> impl Iterator<Item = Level> {
    LEVELS.iter().copied().filter(|l| l.available())
}

/// A prompt of `n` tokens that does not repeat.
fn prompt(n: usize) -> Vec<Token> {
    (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) % 1021).map(Token).collect()
}

fn options(max_tokens: u32, sampling: Sampling, chunk: Option<u32>) -> DecodeOptions {
    DecodeOptions { max_tokens, sampling, eos: Eos::Ignore, chunk }
}

fn decode(s: &mut Session, o: &DecodeOptions) -> (Vec<Token>, Decoded) {
    let mut out = Vec::new();
    let d = s
        .decode(o, &mut |t| {
            out.push(t);
            Control::Continue
        })
        .unwrap();
    (out, d)
}

/// Logits after `tokens`, run one by one.
fn single_steps(s: &mut Session, tokens: &[Token]) -> Vec<f32> {
    s.reset();
    for t in tokens {
        s.append(&[*t]).unwrap();
        s.next_logits().unwrap();
    }
    s.next_logits().unwrap()
}

/// Logits after `tokens`, run as few rows as the ladder allows.
fn prefilled(s: &mut Session, tokens: &[Token]) -> Vec<f32> {
    s.reset();
    s.append(tokens).unwrap();
    s.next_logits().unwrap()
}

/// KL(softmax(a) || softmax(b)) in f64.
fn kl(a: &[f32], b: &[f32]) -> f64 {
    let log_softmax = |x: &[f32]| -> Vec<f64> {
        let max = x.iter().fold(f64::MIN, |m, v| m.max(f64::from(*v)));
        let sum: f64 = x.iter().map(|v| (f64::from(*v) - max).exp()).sum();
        x.iter().map(|v| f64::from(*v) - max - sum.ln()).collect()
    };
    log_softmax(a).iter().zip(log_softmax(b)).map(|(p, q)| p.exp() * (p - q)).sum()
}

/// Large commands are shared out as workers come for parts of them; who did which part leaves no trace.
#[test]
fn the_number_of_workers_changes_no_bit() {
    let tokens = prompt(600);
    let logits = |threads| {
        let device = Arc::new(CpuDevice::new(Some(threads)).unwrap());
        let options = LoadOptions { context: Some(CONTEXT), ..LoadOptions::default() };
        let source = Box::new(Synthetic::parse("tiny-llama:q4_0").unwrap());
        let m = Model::load_on(source, device, &options, &mut |_| {}).unwrap();
        let mut s = m.session().unwrap();
        let first = prefilled(&mut s, &tokens);
        // Counters of claims are never reset: later replays, plain and timed ones, begin where others ended.
        for _ in 0..5 {
            assert!(prefilled(&mut s, &tokens) == first, "{threads} workers, again");
        }
        s.profile(RowCount(512), 512, 3).unwrap();
        assert!(prefilled(&mut s, &tokens) == first, "{threads} workers, after a profile");
        first
    };
    let one = logits(1);
    for threads in [2, 3, 5] {
        assert!(logits(threads) == one, "{threads} workers");
    }
}

#[test]
fn up_to_eight_rows_are_bit_identical_to_single_steps() {
    let own = CacheTypes::default();
    for level in levels() {
        for (spec, cache) in [
            ("tiny-llama:q4_0", own),
            ("tiny-llama:q4_1", own),
            ("tiny-llama:q8_0", own),
            ("tiny-llama:bf16", own),
            ("tiny-llama:f16", own),
            ("tiny-llama:f32", CacheTypes { k: Some(KvFormat::Q8_0), v: Some(KvFormat::Bf16) }),
        ] {
            let m = model_with(spec, cache, level);
            let mut s = m.session().unwrap();
            for n in [1, 2, 7, 8] {
                // A KV cache behind the rows, and one that crosses a block of 256 positions.
                for before in [0, 3, 250] {
                    let tokens = prompt(before + n);
                    s.reset();
                    s.append(&tokens[..before]).unwrap();
                    s.append(&tokens[before..before + 1]).unwrap();
                    s.prefill(&mut |_, _| Control::Continue).unwrap();
                    s.append(&tokens[before + 1..]).unwrap();
                    let rows = s.next_logits().unwrap();
                    s.rewind(before as u32 + 1).unwrap();
                    let mut one = s.next_logits().unwrap();
                    for t in &tokens[before + 1..] {
                        s.append(&[*t]).unwrap();
                        one = s.next_logits().unwrap();
                    }
                    assert!(rows == one, "{level} {spec}: {n} rows after {before}");
                }
            }
        }
    }
}

#[test]
fn prefill_agrees_with_single_steps() {
    for level in levels() {
        let (spec, bound) =
            if level == Level::Reference { ("tiny-llama:q4_0", 1e-6) } else { ("tiny-llama:q4_0", 2.5e-3) };
        let m = model(spec, level);
        let mut s = m.session().unwrap();
        for n in [9, 64, 512, 600] {
            let tokens = prompt(n);
            let (rows, one) = (prefilled(&mut s, &tokens), single_steps(&mut s, &tokens));
            let d = kl(&one, &rows);
            assert!(d <= bound, "{level}: prefill of {n} has KL {d}");
        }
    }
}

#[test]
fn chunk_size_does_not_change_the_tokens() {
    for level in levels() {
        let m = model("tiny-llama:q8_0", level);
        let mut s = m.session().unwrap();
        for sampling in [Sampling::greedy(), SAMPLED] {
            let mut first = None;
            for chunk in [1, 3, 16, 64, 128] {
                s.reset();
                s.append(&prompt(20)).unwrap();
                let (tokens, d) = decode(&mut s, &options(100, sampling.clone(), Some(chunk)));
                assert_eq!((tokens.len(), d.finish, d.tokens), (100, FinishReason::Length, 100));
                assert_eq!(s.tokens()[20..], tokens[..]);
                assert_eq!(s.kv_len(), 119);
                assert_eq!(*first.get_or_insert(tokens.clone()), tokens, "{level} chunk {chunk}");
            }
        }
    }
}

#[test]
fn a_slow_reader_gets_the_same_tokens() {
    let m = model("tiny-llama:q8_0", Level::detect());
    let mut s = m.session().unwrap();
    s.append(&prompt(20)).unwrap();
    let (fast, _) = decode(&mut s, &options(50, SAMPLED, Some(4)));
    s.rewind(20).unwrap();
    let mut slow = Vec::new();
    s.decode(&options(50, SAMPLED, Some(4)), &mut |t| {
        std::thread::sleep(std::time::Duration::from_millis(3));
        slow.push(t);
        Control::Continue
    })
    .unwrap();
    assert_eq!(fast, slow);
}

#[test]
fn seeds_decide_the_text() {
    let m = model("tiny-llama:q8_0", Level::detect());
    let mut s = m.session().unwrap();
    let mut run = |seed| {
        s.reset();
        s.append(&prompt(5)).unwrap();
        decode(
            &mut s,
            &options(40, Sampling { temperature: 1.5, min_p: 0.0, seed, ..Sampling::NEUTRAL }, None),
        )
        .0
    };
    let (a, b, again) = (run(1), run(2), run(1));
    assert_eq!(a, again);
    assert_ne!(a, b);
}

#[test]
fn after_a_stop_in_mid_chunk_the_session_never_overshot() {
    for level in levels() {
        let m = model("tiny-llama:q8_0", level);
        let mut s = m.session().unwrap();
        s.append(&prompt(20)).unwrap();
        let (whole, _) = decode(&mut s, &options(60, SAMPLED, None));
        for (chunk, stop_after) in [(16, 1), (16, 2), (64, 10), (128, 37), (7, 21)] {
            s.reset();
            s.append(&prompt(20)).unwrap();
            let mut seen = 0;
            let d = s
                .decode(&options(60, SAMPLED, Some(chunk)), &mut |_| {
                    seen += 1;
                    if seen == stop_after { Control::Stop } else { Control::Continue }
                })
                .unwrap();
            assert_eq!((d.finish, d.tokens), (FinishReason::Cancelled, stop_after));
            assert_eq!(s.position(), 20 + stop_after);
            assert_eq!(s.kv_len(), 19 + stop_after);
            assert_eq!(s.tokens()[20..], whole[..stop_after as usize]);
            let (rest, _) = decode(&mut s, &options(60 - stop_after, SAMPLED, Some(chunk)));
            assert_eq!(rest[..], whole[stop_after as usize..], "{level} chunk {chunk} stop {stop_after}");
        }
    }
}

#[test]
fn rewinding_and_going_on_another_way_leaves_no_trace() {
    // Some rows of the two are in tables of different sizes, which differ by more where these are of two families.
    let mut levels = LEVELS.iter().copied().rev().filter(|l| l.available());
    let level = levels.find(|l| cpu_one_family(*l, DType::Q4_0)).unwrap();
    let m = model("tiny-llama:q4_0", level);
    let (mut a, mut b) = (m.session().unwrap(), m.session().unwrap());
    a.append(&prompt(40)).unwrap();
    decode(&mut a, &options(30, SAMPLED, None));
    a.rewind(33).unwrap();
    a.append(&[1, 2, 3].map(Token)).unwrap();
    b.append(&prompt(33)).unwrap();
    b.append(&[1, 2, 3].map(Token)).unwrap();
    let d = kl(&a.next_logits().unwrap(), &b.next_logits().unwrap());
    assert!(d <= 1e-6, "KL {d}");
}

#[test]
fn a_full_context_ends_and_says_so() {
    let m = model("tiny-llama:q8_0", Level::detect());
    let mut s = m.session().unwrap();
    s.append(&prompt(CONTEXT as usize - 10)).unwrap();
    let (tokens, d) = decode(&mut s, &options(100, SAMPLED, None));
    assert_eq!((tokens.len(), d.finish), (11, FinishReason::ContextFull));
    assert_eq!(s.kv_len(), CONTEXT);
    let more = s.decode(&options(1, SAMPLED, None), &mut |_| Control::Continue);
    assert!(matches!(more, Err(Error::ContextFull { .. })), "{more:?}");
    assert!(matches!(s.append(&[Token(1)]), Err(Error::ContextFull { .. })));
    // However many tokens are asked for.
    s.rewind(CONTEXT - 10).unwrap();
    let (tokens, d) = decode(&mut s, &options(u32::MAX, SAMPLED, None));
    assert_eq!((tokens.len(), d.finish), (11, FinishReason::ContextFull));
    // A shift makes room, and generation goes on.
    s.shift(4, 300).unwrap();
    assert_eq!((s.position(), s.kv_len()), (CONTEXT + 1 - 300, CONTEXT - 300));
    let (tokens, d) = decode(&mut s, &options(20, SAMPLED, None));
    assert_eq!((tokens.len(), d.finish), (20, FinishReason::Length));
}

#[test]
fn a_shift_moves_the_cache_as_if_the_tokens_had_been_there() {
    // In the first layer keys and values depend on a token and its position only, so after a shift they equal
    // those of a session that ran the kept tokens at their new places, but for the rounding of one rotation.
    let m = model("tiny-llama:f32", Level::Reference);
    let mut s = m.session().unwrap();
    let tokens = prompt(400);
    s.append(&tokens).unwrap();
    s.prefill(&mut |_, _| Control::Continue).unwrap();
    s.shift(8, 100).unwrap();
    let mut kept = tokens[..8].to_vec();
    kept.extend_from_slice(&tokens[108..]);
    assert_eq!(s.tokens(), kept);
    let first_layer = |s: &Session| s.read_kv(0).unwrap();
    let shifted = first_layer(&s);
    let mut fresh = m.session().unwrap();
    fresh.append(&kept).unwrap();
    fresh.prefill(&mut |_, _| Control::Continue).unwrap();
    let (want, scale) = (first_layer(&fresh), 1e-4);
    assert_eq!(shifted.len(), want.len());
    for (i, (a, b)) in shifted.iter().zip(&want).enumerate() {
        assert!((a - b).abs() <= scale * (1.0 + b.abs()), "element {i}: {a} instead of {b}");
    }
}

#[test]
fn bad_requests_are_typed_errors() {
    let m = model("tiny-llama:q8_0", Level::detect());
    let mut s = m.session().unwrap();
    let o = options(5, SAMPLED, None);
    let mut ignore = |_| Control::Continue;
    assert!(matches!(s.decode(&o, &mut ignore), Err(Error::Empty)));
    assert!(matches!(
        s.append(&[5, 1024].map(Token)),
        Err(Error::TokenRange { token: Token(1024), index: 1, vocab: 1024 })
    ));
    let long = vec![Token(1); CONTEXT as usize + 1];
    assert!(matches!(s.append(&long), Err(Error::ContextFull { tokens: 701, context: 700 })));
    assert_eq!(s.position(), 0);
    s.append(&[Token(1)]).unwrap();
    for (temperature, min_p) in
        [(f32::NAN, 0.0), (-1.0, 0.0), (f32::INFINITY, 0.0), (1.0, 1.5), (1.0, f32::NAN)]
    {
        let bad = options(5, Sampling { temperature, min_p, seed: 0, ..Sampling::NEUTRAL }, None);
        assert!(matches!(s.decode(&bad, &mut ignore), Err(Error::Option { .. })), "{temperature} {min_p}");
    }
    let none = options(0, SAMPLED, None);
    assert!(matches!(s.decode(&none, &mut ignore), Err(Error::Option { .. })));
    assert!(matches!(s.rewind(2), Err(Error::Position { .. })));
    assert!(matches!(s.shift(0, 1), Err(Error::Position { .. })));
    assert_eq!(s.position(), 1);
}

/// A team may change in the middle of a step, of few rows or of many, where commands have claims and where they have none.
#[test]
fn nothing_depends_on_the_team() {
    for level in levels().filter(|l| *l != Level::Reference) {
        for spec in ["tiny-llama:q4_0", "tiny-llama:bf16"] {
            let run = |device: CpuDevice| {
                let options = LoadOptions { context: Some(CONTEXT), ..LoadOptions::default() };
                let source = Box::new(Synthetic::parse(spec).unwrap());
                let model = Model::load_on(source, Arc::new(device), &options, &mut |_| {}).unwrap();
                let mut s = model.session().unwrap();
                s.append(&prompt(600)).unwrap();
                let tokens = decode(&mut s, &self::options(60, SAMPLED, None)).0;
                (tokens, s.next_logits().unwrap())
            };
            let steady = run(CpuDevice::with_level(level, Some(3)).unwrap());
            let restless = run(CpuDevice::with_restless_team(level, 3).unwrap());
            assert_eq!(steady, restless, "{level} {spec}");
        }
    }
}
