//! Generation under a grammar, and bounded thoughts: a tiny random model, which writes what nobody would, and SmolLM2.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::batch::{Next, Piece};
use akunu::device::Device;
use akunu::device::cpu::CpuDevice;
use akunu::grammar::{Grammar, GrammarError, GrammarSource, GrammarStart};
use akunu::kernels::cpu::Level;
use akunu::reasoning::ReasoningFormat;
use akunu::scheduler::{Answer, Event};
use akunu::{
    Batch, BatchOptions, Control, DecodeOptions, DraftOptions, Engine, EngineOptions, Eos, Error,
    FinishReason, GenerateOptions, Generation, LoadOptions, LogitBias, Model, Overflow, Reasoning, Request,
    Sampling, Sequence, SequenceOptions, Session, Source, TextStream, Token,
};
use akunu_conformance::{On, on_each_device, on_each_device_and_vulkan, smollm2, tiny_gguf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};

const SAMPLING: Sampling = Sampling { temperature: 0.9, seed: 3, ..Sampling::NEUTRAL };

on_each_device_and_vulkan!(
    a_random_model_writes_what_it_is_told_to,
    a_grammar_of_everything_changes_nothing,
    ends_of_all_kinds_leave_a_session_that_goes_on,
    thoughts_end_with_their_budget,
    each_of_a_batch_follows_its_own_grammar,
    a_batch_of_one_draws_as_a_session,
    a_run_of_one_under_a_grammar_has_many_steps,
    ends_of_all_kinds_in_a_batch,
);
on_each_device!(a_session_that_drafts_follows_a_grammar, a_grammar_that_cannot_go_on_fails_alone);

/// On the CPU its own level alone: what is tested here is the host's.
fn tiny(on: On) -> Model {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tiny.gguf");
    std::fs::write(&path, tiny_gguf(Token(1023)).unwrap()).unwrap();
    let options = LoadOptions { context: Some(300), ..LoadOptions::default() };
    let device: Arc<dyn Device> = match on {
        On::Cpu => Arc::new(CpuDevice::with_level(Level::detect(), Some(2)).unwrap()),
        other => other.devices().unwrap().remove(0),
    };
    Model::load_onto(&Source::Path(path), device, &options, &mut |_| {}).unwrap()
}

fn start(m: &Model) -> Session {
    let mut s = m.session().unwrap();
    s.append(&m.encode("once upon a time").unwrap()).unwrap();
    s
}

fn grammar(m: &Model, source: GrammarSource) -> Option<Arc<Grammar>> {
    Some(m.grammar(&source, &GrammarStart::AtOnce).unwrap())
}

fn bound(m: &Model, source: GrammarSource, max_tokens: u32) -> GenerateOptions {
    let sampling = Sampling { grammar: grammar(m, source), ..SAMPLING };
    GenerateOptions { max_tokens, sampling, ..GenerateOptions::default() }
}

fn generate(s: &mut Session, o: &GenerateOptions) -> Generation {
    let (mut pieces, mut tokens) = (String::new(), Vec::new());
    let g = s
        .generate(o, &mut |e| {
            pieces.push_str(e.text);
            tokens.push(e.token);
            Control::Continue
        })
        .unwrap();
    assert_eq!(pieces, g.text);
    assert!(tokens.starts_with(&g.tokens));
    g
}

fn a_random_model_writes_what_it_is_told_to(on: On) {
    let m = tiny(on);
    let schema = r#"{"type": "object", "properties": {"name": {"type": "string", "maxLength": 8},
        "tags": {"type": "array", "items": {"enum": ["red", "green"]}, "maxItems": 2}},
        "required": ["name", "tags"], "additionalProperties": false}"#;
    let mut s = start(&m);
    let prompt = s.position();
    for seed in 0..6 {
        let mut o = bound(&m, GrammarSource::JsonSchema(schema.into()), 250);
        o.sampling.seed = seed;
        s.rewind(prompt).unwrap();
        let g = generate(&mut s, &o);
        assert_eq!(s.tokens()[prompt as usize..], g.tokens, "the session stands at the last token");
        if g.finish_reason == FinishReason::Length || g.finish_reason == FinishReason::ContextFull {
            continue;
        }
        assert_eq!(g.finish_reason, FinishReason::Eos);
        let v: serde_json::Value =
            serde_json::from_str(&g.text).unwrap_or_else(|e| panic!("{e}: {}", g.text));
        assert!(v["name"].as_str().unwrap().chars().count() <= 8);
        assert!(v["tags"].as_array().unwrap().iter().all(|t| t == "red" || t == "green"));
    }
    let g = generate(&mut start(&m), &bound(&m, GrammarSource::Regex("[ab]{5}c".into()), 50));
    assert!(g.text.len() == 6 && g.text.ends_with('c') && g.finish_reason == FinishReason::Eos, "{g:?}");
    let g = generate(&mut start(&m), &bound(&m, GrammarSource::Gbnf("root ::= \"x\"{30,}".into()), 5));
    assert_eq!((g.text.trim_matches('x'), g.tokens.len(), g.finish_reason), ("", 5, FinishReason::Length));
}

/// A grammar that allows every text changes no token, whatever samplers draw.
fn a_grammar_of_everything_changes_nothing(on: On) {
    let m = tiny(on);
    let text = GrammarSource::Regex("(?s:.*)".into());
    for sampling in [
        SAMPLING,
        Sampling::greedy(),
        Sampling { temperature: 0.7, min_p: 0.02, seed: 9, ..Sampling::NEUTRAL },
        Sampling { repeat_penalty: 1.2, dry_multiplier: 0.8, ..Sampling::DEFAULT },
        Sampling { mirostat: 2, ..SAMPLING },
    ] {
        let free = GenerateOptions {
            max_tokens: 40,
            sampling: sampling.clone(),
            eos: Eos::Ignore,
            ..GenerateOptions::default()
        };
        let want = generate(&mut start(&m), &free);
        let sampling = Sampling { grammar: grammar(&m, text.clone()), ..sampling };
        let o = GenerateOptions { sampling, ..free };
        let got = generate(&mut start(&m), &o);
        // Up to a token that no valid text has: half a character, or a hole of the vocabulary.
        let same = want.tokens.iter().zip(&got.tokens).take_while(|(a, b)| a == b).count();
        let allowed = |t: Token| (0x20..0x7f).contains(&t.0);
        assert!(same == 40 || !allowed(want.tokens[same]), "{same}: {:?} {:?}", want.tokens, got.tokens);
    }
}

fn ends_of_all_kinds_leave_a_session_that_goes_on(on: On) {
    let m = tiny(on);
    let mut s = start(&m);
    let o = bound(&m, GrammarSource::Regex("[ab]{900}".into()), 20);
    // A callback's stop.
    let mut n = 0;
    let g = s
        .generate(&o, &mut |_| {
            n += 1;
            if n == 3 { Control::Stop } else { Control::Continue }
        })
        .unwrap();
    assert_eq!((g.finish_reason, g.tokens.len()), (FinishReason::Cancelled, 3));
    // A stop string.
    let g = generate(&mut s, &GenerateOptions { stop: vec!["a".into(), "b".into()], ..o.clone() });
    assert_eq!((g.finish_reason, g.text.as_str(), g.tokens.len()), (FinishReason::StopString, "", 1));
    // The context, with and without a shift.
    let g = generate(&mut s, &GenerateOptions { max_tokens: 400, ..o.clone() });
    assert_eq!(g.finish_reason, FinishReason::ContextFull);
    let mut s = start(&m);
    let shift = Overflow::Shift { drop: Vec::new(), keep: 2 };
    let g = generate(&mut s, &GenerateOptions { max_tokens: 400, overflow: shift, ..o.clone() });
    assert!(
        g.finish_reason == FinishReason::Length && g.shifts > 0 && g.tokens.len() == 400,
        "{:?}",
        g.finish_reason
    );
    assert!(g.text.bytes().all(|b| matches!(b, b'a' | b'b')));
    // The session is as any other.
    let free =
        generate(&mut s, &GenerateOptions { max_tokens: 5, eos: Eos::Ignore, ..GenerateOptions::default() });
    assert_eq!(free.tokens.len(), 5);
    let e =
        m.grammar(&GrammarSource::JsonSchema(r#"{"not": {}}"#.into()), &GrammarStart::AtOnce).unwrap_err();
    assert!(matches!(e, Error::Grammar(GrammarError::Schema(_))) && e.to_string().contains("`not`"), "{e}");
}

fn thoughts_end_with_their_budget(on: On) {
    let m = tiny(on);
    let format = ReasoningFormat { open: "<t>", close: "</t>", marks: &[] };
    let end: Vec<Token> = m.encode("</t>").unwrap();
    for (budget, grammar) in [(7, false), (0, false), (7, true)] {
        let mut o = GenerateOptions {
            max_tokens: 30,
            sampling: SAMPLING,
            eos: Eos::Ignore,
            reasoning: Some(Reasoning { format, begun: true, budget }),
            ..GenerateOptions::default()
        };
        if grammar {
            let after = GrammarStart::After("</t>".into());
            o.sampling.grammar = Some(m.grammar(&GrammarSource::Regex("[0-9]{4}".into()), &after).unwrap());
        }
        let g = generate(&mut start(&m), &o);
        let at = budget as usize;
        assert_eq!(g.tokens[at..at + end.len()], end, "budget {budget}: {:?}", g.text);
        if grammar {
            let (_, answer) = g.text.split_once("</t>").unwrap();
            assert!(
                answer.trim_start().len() == 4 && answer.trim_start().bytes().all(|b| b.is_ascii_digit()),
                "{answer}"
            );
        } else {
            assert_eq!((g.tokens.len(), g.finish_reason), (30, FinishReason::Length));
        }
    }
    // The callback's stop is a stop, in thoughts too.
    let o = GenerateOptions {
        max_tokens: 30,
        eos: Eos::Ignore,
        reasoning: Some(Reasoning { format, begun: true, budget: 1 }),
        ..GenerateOptions::default()
    };
    let g = start(&m).generate(&o, &mut |_| Control::Stop).unwrap();
    assert_eq!((g.tokens.len(), g.finish_reason), (1, FinishReason::Cancelled));
}

#[test]
#[ignore = "needs the SmolLM2 file; tools/fetch-model.sh"]
fn real_smollm2_answers_in_the_form_asked_for() {
    let options = LoadOptions { context: Some(1024), ..LoadOptions::default() };
    let m = Model::load(&Source::Path(smollm2()), &options, &mut |_| {}).unwrap();
    let schema = r#"{"type": "object", "properties": {"capital": {"type": "string", "maxLength": 30},
        "country": {"const": "France"}, "population": {"type": "integer", "minimum": 0, "maximum": 100000000}},
        "required": ["capital", "country", "population"], "additionalProperties": false}"#;
    let mut s = m.session().unwrap();
    s.append(&m.encode("The capital of France, as JSON: ").unwrap()).unwrap();
    let mut o = bound(&m, GrammarSource::JsonSchema(schema.into()), 200);
    o.sampling = Sampling { grammar: o.sampling.grammar, ..Sampling::greedy() };
    let g = generate(&mut s, &o);
    println!("{} ({} tokens, {:.1}/s)", g.text, g.tokens.len(), g.decode.per_second());
    assert_eq!(g.finish_reason, FinishReason::Eos);
    let v: serde_json::Value = serde_json::from_str(&g.text).unwrap();
    assert!(v["capital"].as_str().unwrap().contains("Paris"), "{v}");
    assert_eq!(v["country"], "France");
}

/// What a request gave: tokens, and how it ended.
fn read(answer: Answer) -> (Vec<Token>, Result<FinishReason, Error>) {
    let mut tokens = Vec::new();
    for event in answer {
        match event {
            Event::Started { .. } => {}
            Event::Token { token, .. } => tokens.push(token),
            Event::Finished(f) => {
                assert_eq!(f.tokens as usize, tokens.len());
                return (tokens, Ok(f.finish));
            }
            Event::Failed(e) => return (tokens, Err(e)),
        }
    }
    panic!("no end")
}

fn request(m: &Model, sampling: Sampling, max_tokens: u32, i: usize) -> Request {
    let tokens = m.encode(&"once upon a time ".repeat(1 + i % 4)).unwrap();
    let options = SequenceOptions { max_tokens, sampling, eos: Eos::Stop, reasoning: None };
    Request { tokens, options, priority: 0, overflow: Overflow::End }
}

fn text(m: &Model, tokens: &[Token]) -> String {
    let mut stream = TextStream::new(&[]);
    let tokenizer = m.tokenizer().unwrap();
    let mut text: String = tokens.iter().map(|t| stream.push(tokenizer, *t).to_owned()).collect();
    text.push_str(stream.finish());
    text
}

/// Sequences with grammars of their own and without one, in one batch: each gets what it gets alone, and the grammars hold.
fn each_of_a_batch_follows_its_own_grammar(on: On) {
    let m = tiny(on);
    let schema = r#"{"type": "object", "properties": {"colour": {"enum": ["red", "green", "blue"]},
        "n": {"type": "integer", "minimum": 0, "maximum": 99}}, "required": ["colour", "n"], "additionalProperties": false}"#;
    let json = grammar(&m, GrammarSource::JsonSchema(schema.into()));
    let digits = grammar(&m, GrammarSource::Regex("[0-9]{40}".into()));
    let word = grammar(&m, GrammarSource::Gbnf("root ::= \"yes\" | \"no, \" root".into()));
    let all = [
        Sampling { grammar: json.clone(), logprobs: Some(3), ..SAMPLING },
        Sampling { repeat_penalty: 1.3, ..Sampling::DEFAULT },
        Sampling { grammar: digits.clone(), top_k: 3, repeat_penalty: 1.5, ..SAMPLING },
        SAMPLING,
        Sampling { grammar: word, ..Sampling::DEFAULT },
        Sampling { grammar: json, mirostat: 2, ..SAMPLING },
        Sampling { grammar: digits, ..Sampling::greedy() },
    ];
    // Few places and blocks, so that some wait and some are parked.
    let batch =
        BatchOptions { sequences: Some(4), cache_tokens: Some(4 * 256), deterministic: true, drafts: None };
    let engine = Engine::new(&m, &EngineOptions { batch, ..EngineOptions::default() }).unwrap();
    let start = |i: usize| engine.start(request(&m, all[i].clone(), 120, i)).unwrap();
    let alone: Vec<_> = (0..all.len()).map(|i| read(start(i))).collect();
    for (i, (tokens, finish)) in alone.iter().enumerate() {
        let (text, finish) = (text(&m, tokens), finish.as_ref().unwrap());
        match i {
            0 | 5 => {
                let v: serde_json::Value =
                    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
                assert!(v["n"].as_u64().unwrap() < 100 && v["colour"].is_string(), "{text}");
            }
            2 | 6 => assert!(text.len() == 40 && text.bytes().all(|b| b.is_ascii_digit()), "{text}"),
            4 => assert!(text.replace("no, ", "") == "yes" || *finish == FinishReason::Length, "{text}"),
            _ => assert!(tokens.len() == 120 || *finish == FinishReason::Eos),
        }
    }
    // The same where one mask of three is late: its draw does not count, and is repeated.
    drop(engine);
    let mut late = m.batch(&batch).unwrap();
    late.withhold_masks(3);
    let engine = Engine::over(late, &m, &EngineOptions { batch, ..EngineOptions::default() }).unwrap();
    let start = |i: usize| engine.start(request(&m, all[i].clone(), 120, i)).unwrap();
    for round in 0..3 {
        let answers: Vec<_> =
            (0..all.len()).map(|i| (i + round) % all.len()).map(|i| (i, start(i))).collect();
        for (i, answer) in answers {
            assert_eq!(read(answer).0, alone[i].0, "round {round}: {}", all[i]);
        }
    }
}

/// In one family of tables a batch draws under a grammar what a session draws.
fn a_batch_of_one_draws_as_a_session(on: On) {
    let m = tiny(on);
    let engine = Engine::new(&m, &EngineOptions::default()).unwrap();
    let schema =
        r#"{"type": "array", "items": {"type": "string", "maxLength": 6}, "minItems": 3, "maxItems": 3}"#;
    for seed in 0..4 {
        let grammar = grammar(&m, GrammarSource::JsonSchema(schema.into()));
        let sampling = Sampling { grammar, seed, ..SAMPLING };
        let r = request(&m, sampling.clone(), 60, 0);
        let mut s = m.session().unwrap();
        s.append(&r.tokens).unwrap();
        let options = DecodeOptions { max_tokens: 60, sampling, eos: Eos::Stop, chunk: None };
        let mut want = Vec::new();
        let decoded = s.decode(&options, &mut |t| {
            want.push(t);
            Control::Continue
        });
        let got = read(engine.start(r).unwrap());
        assert_eq!((got.0, got.1.unwrap()), (want, decoded.unwrap().finish), "seed {seed}");
    }
}

/// A run of one sequence under a grammar has as many steps as were asked for, unless the caller, the grammar or log-probabilities end it; one
/// of several has one. The text is the same.
fn a_run_of_one_under_a_grammar_has_many_steps(on: On) {
    let m = tiny(on);
    let digits = grammar(&m, GrammarSource::Regex("[0-9]{30}".into()));
    let mut batch = m.batch(&BatchOptions::default()).unwrap();
    let prompt = m.encode("once upon a time").unwrap();
    let sequence = |batch: &Batch, logprobs| {
        let sampling = Sampling { grammar: digits.clone(), logprobs, ..SAMPLING };
        let options = SequenceOptions { max_tokens: 90, sampling, eos: Eos::Stop, reasoning: None };
        batch.sequence(&prompt, &options).unwrap()
    };
    // Tokens that a run of 5 steps gives, of which the caller wants so many.
    let run = |batch: &mut Batch, all: &mut [Sequence], wanted: usize| {
        let pieces: Vec<_> =
            all.iter().enumerate().map(|(guest, s)| Piece { guest, rows: s.pending() }).collect();
        let mut told = 0;
        let mut on_draw = |_: &mut Sequence, _, _| {
            told += 1;
            if told == wanted { Next::Pause } else { Next::Go }
        };
        batch.run(all, &pieces, 5, &mut on_draw).unwrap();
        told
    };
    let mut one = [sequence(&batch, None)];
    assert_eq!((run(&mut batch, &mut one, 9), run(&mut batch, &mut one, 2)), (5, 2));
    while one[0].finish().is_none() {
        run(&mut batch, &mut one, 9);
    }
    let mut told = [sequence(&batch, Some(1))];
    assert_eq!(run(&mut batch, &mut told, 9), 1);
    let mut two = [sequence(&batch, None), sequence(&batch, None)];
    assert!(run(&mut batch, &mut two, 9) <= 2);
    for s in two.iter_mut().chain(&mut told) {
        while s.finish().is_none() {
            run(&mut batch, std::slice::from_mut(s), 9);
        }
        assert_eq!(s.tokens(), one[0].tokens());
    }
    assert!(text(&m, one[0].drawn()).len() == 30);
    // Where the grammar forces tokens after the one that is drawn, the run ends: five draws would go beyond the first round.
    let fixed = grammar(&m, GrammarSource::Regex("([ab]cdefgh){5}".into()));
    let sampling = Sampling { grammar: fixed, ..SAMPLING };
    let options = SequenceOptions { max_tokens: 90, sampling, eos: Eos::Stop, reasoning: None };
    let mut s = [batch.sequence(&prompt, &options).unwrap()];
    run(&mut batch, &mut s, 90);
    let begun = text(&m, s[0].drawn());
    assert!(begun.len() > 1 && "cdefgh".starts_with(&begun[1..]), "{begun}");
}

/// A session that drafts draws under a grammar what any other draws, and drafts afterwards.
fn a_session_that_drafts_follows_a_grammar(on: On) {
    let m = tiny(on);
    let o = bound(&m, GrammarSource::Regex("([ab]{3}, ){8}[cd]".into()), 80);
    let want = generate(&mut start(&m), &o);
    let mut s = m.drafting_session(&DraftOptions::default()).unwrap();
    s.append(&m.encode("once upon a time").unwrap()).unwrap();
    assert_eq!(generate(&mut s, &o).tokens, want.tokens);
    assert_eq!(want.text.len(), 41);
    let free = GenerateOptions { max_tokens: 9, eos: Eos::Ignore, ..GenerateOptions::default() };
    assert_eq!(generate(&mut s, &free).tokens.len(), 9);
}

/// Texts that are over before the first draw, contexts that are full in the middle, forks, and a vocabulary without the next letter.
fn ends_of_all_kinds_in_a_batch(on: On) {
    let m = tiny(on);
    let engine = Engine::new(&m, &EngineOptions::default()).unwrap();
    let bound = |source| Sampling { grammar: grammar(&m, source), ..SAMPLING };
    let fixed = |s: &str| bound(GrammarSource::Regex(s.into()));
    let (tokens, end) = read(engine.start(request(&m, fixed("once"), 50, 0)).unwrap());
    assert_eq!((text(&m, &tokens).as_str(), end.unwrap()), ("once", FinishReason::Eos));
    let (tokens, end) = read(engine.start(request(&m, fixed("once upon a time"), 3, 0)).unwrap());
    assert_eq!((tokens.len(), end.unwrap()), (3, FinishReason::Length));
    let (tokens, end) = read(engine.start(request(&m, fixed(""), 3, 0)).unwrap());
    assert_eq!((text(&m, &tokens).as_str(), end.unwrap()), ("", FinishReason::Eos));
    let (tokens, end) = read(engine.start(request(&m, fixed("[ab]{900}"), 900, 0)).unwrap());
    let n = m.encode("once upon a time ").unwrap().len();
    assert_eq!((tokens.len() + n, end.unwrap()), (301, FinishReason::ContextFull));
    let shift = Overflow::Shift { drop: Vec::new(), keep: 2 };
    let r = Request { overflow: shift, ..request(&m, fixed("(ab|cdef){600}"), 500, 0) };
    let (tokens, end) = read(engine.start(r).unwrap());
    assert_eq!((tokens.len(), end.unwrap()), (500, FinishReason::Length));
    let all = text(&m, &tokens).replace("cdef", "").replace("ab", "");
    assert!("cdef".starts_with(&all) || "ab".starts_with(&all), "{all}");

    let mut batch = m.batch(&BatchOptions::default()).unwrap();
    let options = request(&m, fixed("(ab|cdef){9}"), 80, 0).options;
    let mut one = batch.sequence(&m.encode("once").unwrap(), &options).unwrap();
    let step = |batch: &mut Batch, s: &mut Sequence| {
        let rows = s.pending();
        batch.run(&mut [s], &[Piece { guest: 0, rows }], 4, &mut |_, _, _| Next::Go).unwrap();
    };
    for _ in 0..3 {
        step(&mut batch, &mut one);
    }
    let mut two = batch.fork(&one, &options).unwrap().unwrap();
    for s in [&mut one, &mut two] {
        while s.finish().is_none() {
            step(&mut batch, s);
        }
        assert_eq!(s.finish(), Some(FinishReason::Eos));
    }
    assert_eq!(one.tokens(), two.tokens());
    let all = text(&m, one.drawn());
    assert!(all.replace("cdef", "ab").len() == 18, "{all}");
}

/// A grammar that goes beyond its limits in the middle of a text ends its request alone, and a session stands where it stood.
fn a_grammar_that_cannot_go_on_fails_alone(on: On) {
    let m = tiny(on);
    // Each letter doubles what it may have been.
    let hostile = grammar(
        &m,
        GrammarSource::Gbnf(
            "root ::= root root root root root root | root root root root | root root | \"a\" | \"b\" root"
                .into(),
        ),
    );
    let engine = Engine::new(&m, &EngineOptions::default()).unwrap();
    let want = read(engine.start(request(&m, SAMPLING, 60, 0)).unwrap()).0;
    let start = std::time::Instant::now();
    // It may end anywhere; here it may not.
    let end = LogitBias { token: Token(1023), bias: f32::NEG_INFINITY };
    let sampling = Sampling { grammar: hostile, logit_bias: Some([end].into()), ..SAMPLING };
    // How many tokens of the others had been drawn at each of its own.
    let (drawn, seen) = (Arc::new(AtomicU32::new(0)), Arc::new(Mutex::new(Vec::new())));
    let (other, reads) = mpsc::channel();
    let (by_then, mine) = (Arc::clone(&drawn), Arc::clone(&seen));
    let submitted = engine.submit(request(&m, sampling, 250, 1), move |event| {
        match event {
            Event::Token { .. } => mine.lock().unwrap().push(by_then.load(Ordering::SeqCst)),
            Event::Failed(e) => other.send(e).unwrap(),
            _ => {}
        }
        Control::Continue
    });
    submitted.unwrap();
    let end = loop {
        let counts = Arc::clone(&drawn);
        let (over, free) = mpsc::channel();
        let mut tokens = Vec::new();
        let neighbour = engine.submit(request(&m, SAMPLING, 60, 0), move |event| {
            match event {
                Event::Token { token, .. } => {
                    counts.fetch_add(1, Ordering::SeqCst);
                    tokens.push(token);
                }
                Event::Finished(_) => over.send(std::mem::take(&mut tokens)).unwrap(),
                _ => {}
            }
            Control::Continue
        });
        neighbour.unwrap();
        assert_eq!(free.recv().unwrap(), want);
        if let Ok(e) = reads.try_recv() {
            break Err::<(), _>(e);
        }
    };
    let seen = seen.lock().unwrap();
    println!("{} tokens, then {end:?}", seen.len());
    let most = seen.windows(2).map(|w| w[1] - w[0]).max();
    assert!(most > Some(9), "others go on while a mask is made: {most:?}");
    assert!(matches!(end, Err(Error::Grammar(GrammarError::Stuck { .. }))), "{end:?}");
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}
