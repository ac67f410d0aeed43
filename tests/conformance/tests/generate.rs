//! Text: stop strings, end of sequence, cancel and overflow, on a tiny random model with a tokenizer.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::{
    Control, DecodeOptions, Eos, Error, FinishReason, GenerateOptions, Generation, LoadOptions, Model,
    Overflow, Sampling, Session, Source, Token,
};
use akunu_conformance::{smollm2, tiny_gguf};

const CONTEXT: u32 = 300;
/// An end-of-sequence token for tests that ignore it: the last hole.
const NO_EOS: Token = Token(1023);
const SAMPLING: Sampling = Sampling { temperature: 0.9, min_p: 0.0, seed: 3, ..Sampling::NEUTRAL };

fn tiny(eos: Token) -> Model {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tiny.gguf");
    std::fs::write(&path, tiny_gguf(eos).unwrap()).unwrap();
    let options = LoadOptions { context: Some(CONTEXT), ..LoadOptions::default() };
    Model::load(&Source::Path(path), &options, &mut |_| {}).unwrap()
}

fn options(max_tokens: u32) -> GenerateOptions {
    GenerateOptions { max_tokens, sampling: SAMPLING, eos: Eos::Ignore, ..GenerateOptions::default() }
}

fn generate(s: &mut Session, o: &GenerateOptions) -> Generation {
    let mut pieces = String::new();
    let g = s
        .generate(o, &mut |e| {
            pieces.push_str(e.text);
            Control::Continue
        })
        .unwrap();
    assert_eq!(pieces, g.text, "the pieces are the text");
    g
}

fn start(m: &Model) -> Session {
    let mut s = m.session().unwrap();
    s.append(&m.encode("once upon a time").unwrap()).unwrap();
    s
}

/// The ids that go on from a session, one by one.
fn next_ids(s: &mut Session, n: u32) -> Vec<Token> {
    let mut out = Vec::new();
    let o = DecodeOptions { max_tokens: n, sampling: SAMPLING, eos: Eos::Ignore, chunk: None };
    s.decode(&o, &mut |t| {
        out.push(t);
        Control::Continue
    })
    .unwrap();
    out
}

#[test]
fn end_of_sequence_in_mid_chunk_leaves_no_overshoot() {
    let m = tiny(NO_EOS);
    let whole = next_ids(&mut start(&m), 60);
    // Make the token of step 21 the end: its first occurrence ends the answer.
    let eos = whole[21];
    let end = whole.iter().position(|t| *t == eos).unwrap() as u32 + 1;
    let m = tiny(eos);
    for chunk in [1, 3, 16, 64, 128] {
        let mut s = start(&m);
        let before = s.position();
        let g = generate(&mut s, &GenerateOptions { chunk: Some(chunk), eos: Eos::Stop, ..options(60) });
        assert_eq!((g.finish_reason, g.tokens.len() as u32), (FinishReason::Eos, end), "chunk {chunk}");
        assert_eq!(g.tokens, whole[..end as usize]);
        assert_eq!((s.position(), s.kv_len()), (before + end, before + end - 1));
        // What goes on is what would have come without a stop.
        assert_eq!(next_ids(&mut s, 60 - end), whole[end as usize..], "chunk {chunk}");
    }
    let mut s = start(&m);
    let g = generate(&mut s, &options(60));
    assert_eq!((g.finish_reason, g.tokens), (FinishReason::Length, whole));
}

#[test]
fn stop_strings_end_the_text_before_them_and_the_session_after_them() {
    let m = tiny(NO_EOS);
    let all = generate(&mut start(&m), &options(60));
    let text: Vec<char> = all.text.chars().collect();
    assert!(text.len() > 40, "{}", all.text);
    // A stop string that begins and ends inside tokens.
    let stop: String = text[25..30].iter().collect();
    let want = &all.text[..all.text.find(&stop).unwrap()];
    for chunk in [1, 3, 16, 64] {
        let mut s = start(&m);
        let before = s.position() as usize;
        let o = GenerateOptions {
            stop: vec!["never there".into(), stop.clone()],
            chunk: Some(chunk),
            ..options(60)
        };
        let g = generate(&mut s, &o);
        assert_eq!((g.finish_reason, g.text.as_str()), (FinishReason::StopString, want), "chunk {chunk}");
        assert_eq!(s.tokens()[before..], g.tokens);
        assert_eq!(g.tokens, all.tokens[..g.tokens.len()]);
        let rest = next_ids(&mut s, 60 - g.tokens.len() as u32);
        assert_eq!(rest, all.tokens[g.tokens.len()..], "chunk {chunk}");
    }
}

#[test]
fn text_held_back_for_a_stop_string_comes_out_at_the_end() {
    let m = tiny(NO_EOS);
    let all = generate(&mut start(&m), &options(20));
    let mut last: String = all.text.chars().rev().take(2).collect::<Vec<_>>().into_iter().rev().collect();
    last.push_str("~~~");
    let g = generate(&mut start(&m), &GenerateOptions { stop: vec![last], ..options(20) });
    assert_eq!((g.finish_reason, g.text), (FinishReason::Length, all.text));
}

#[test]
fn a_cancel_keeps_what_was_given_out() {
    let m = tiny(NO_EOS);
    let mut s = start(&m);
    let before = s.position();
    let mut seen = 0;
    let g = s
        .generate(&options(60), &mut |_| {
            seen += 1;
            if seen == 7 { Control::Stop } else { Control::Continue }
        })
        .unwrap();
    assert_eq!((g.finish_reason, g.tokens.len()), (FinishReason::Cancelled, 7));
    assert_eq!(s.position(), before + 7);
}

#[test]
fn a_shift_goes_on_past_the_context() {
    let m = tiny(NO_EOS);
    let mut s = start(&m);
    let o =
        GenerateOptions { overflow: Overflow::Shift { drop: Vec::new(), keep: 4 }, ..options(2 * CONTEXT) };
    let kept = s.tokens()[..4].to_vec();
    let g = generate(&mut s, &o);
    assert_eq!((g.finish_reason, g.tokens.len() as u32), (FinishReason::Length, 2 * CONTEXT));
    assert_eq!(s.tokens()[..4], kept);
    assert!(s.position() <= CONTEXT + 1);
    assert!(g.shifts >= 2, "{}", g.shifts);
    let mut s = start(&m);
    let g = generate(&mut s, &options(2 * CONTEXT));
    assert_eq!(g.finish_reason, FinishReason::ContextFull);
}

/// The ranges asked for go first, one each time, and what is left is what a session has that shifted by hand.
#[test]
fn a_shift_drops_the_ranges_it_is_given() {
    let m = tiny(NO_EOS);
    let belt: Vec<Token> = (0..200).map(|i| Token(30 + i % 60)).collect();
    let mut s = m.session().unwrap();
    s.append(&belt).unwrap();
    let shift = Overflow::Shift { drop: vec![10..60, 20..100], keep: 5 };
    let g = generate(&mut s, &GenerateOptions { overflow: shift, ..options(200) });
    // 101 fill the context, 50 and 80 take the room that two ranges made.
    assert_eq!((g.shifts, g.tokens.len()), (2, 200));
    let once = [&belt[..10], &belt[60..]].concat();
    let twice = [&once[..20], &once[100..]].concat();
    assert_eq!(s.tokens()[..twice.len()], twice);
    assert_eq!(s.tokens()[twice.len()..], g.tokens);

    let mut s = m.session().unwrap();
    s.append(&belt).unwrap();
    let outside = Overflow::Shift { drop: vec![10..20, 10..CONTEXT + 5], keep: 5 };
    let refused =
        s.generate(&GenerateOptions { overflow: outside, ..options(200) }, &mut |_| Control::Continue);
    assert!(matches!(refused, Err(Error::Position { .. })), "{refused:?}");
}

#[test]
fn a_model_without_a_tokenizer_says_so() {
    let options_ = LoadOptions { context: Some(CONTEXT), ..LoadOptions::default() };
    let m = Model::load(&Source::Synthetic("tiny-llama:q8_0".into()), &options_, &mut |_| {}).unwrap();
    assert!(matches!(m.encode("hi"), Err(Error::NoTokenizer(_))));
    let mut s = m.session().unwrap();
    s.append(&[Token(1)]).unwrap();
    assert!(matches!(s.generate(&options(1), &mut |_| Control::Continue), Err(Error::NoTokenizer(_))));
}

#[test]
#[ignore = "needs the SmolLM2 file; tools/fetch-model.sh"]
fn real_model_knows_the_capital_of_france() {
    let options_ = LoadOptions { context: Some(512), ..LoadOptions::default() };
    let m = Model::load(&Source::Path(smollm2()), &options_, &mut |_| {}).unwrap();
    let mut s = m.session().unwrap();
    s.append(&m.encode("The capital of France is").unwrap()).unwrap();
    let greedy = GenerateOptions { sampling: Sampling::greedy(), ..options(16) };
    assert!(generate(&mut s, &greedy).text.starts_with(" Paris"));
}
