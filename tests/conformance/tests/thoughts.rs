//! Budgets of thoughts in batches: each sequence gets what it gets alone and in a session, whatever else it asks for.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::grammar::{GrammarSource, GrammarStart};
use akunu::reasoning::ReasoningFormat;
use akunu::scheduler::{Answer, Event};
use akunu::{
    BatchOptions, Control, DraftOptions, Engine, EngineOptions, Eos, FinishReason, GenerateOptions,
    LoadOptions, Model, Overflow, Reasoning, Request, Sampling, SequenceOptions, Source, Token,
};
use akunu_conformance::tiny_gguf;

const FORMAT: ReasoningFormat = ReasoningFormat { open: "<t>", close: "</t>", marks: &[] };
const SAMPLING: Sampling = Sampling { temperature: 0.9, seed: 3, ..Sampling::NEUTRAL };
const DRAWN: u32 = 60;

fn tiny() -> Model {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tiny.gguf");
    std::fs::write(&path, tiny_gguf(Token(1023)).unwrap()).unwrap();
    let options = LoadOptions { context: Some(300), ..LoadOptions::default() };
    Model::load(&Source::Path(path), &options, &mut |_| {}).unwrap()
}

fn bound(budget: u32) -> Option<Reasoning> {
    Some(Reasoning { format: FORMAT, begun: true, budget })
}

fn request(m: &Model, sampling: &Sampling, reasoning: Option<Reasoning>) -> Request {
    let tokens = m.encode("once upon a time").unwrap();
    let sampling = sampling.clone();
    let options = SequenceOptions { max_tokens: DRAWN, sampling, eos: Eos::Ignore, reasoning };
    Request { tokens, options, priority: 0, overflow: Overflow::End }
}

fn read(answer: Answer) -> (Vec<Token>, FinishReason, Vec<bool>) {
    let (mut tokens, mut told) = (Vec::new(), Vec::new());
    for event in answer {
        match event {
            Event::Started { .. } => {}
            Event::Token { token, logprobs } => {
                told.push(logprobs.is_some_and(|l| l.token() == token));
                tokens.push(token);
            }
            Event::Finished(f) => return (tokens, f.finish, told),
            Event::Failed(e) => panic!("{e}"),
        }
    }
    panic!("no end")
}

/// The samplings whose thoughts are bounded here.
fn samplings(m: &Model) -> Vec<Sampling> {
    let after = GrammarStart::After(FORMAT.close.into());
    let grammar = |source: &str| Some(m.grammar(&GrammarSource::Regex(source.into()), &after).unwrap());
    vec![
        SAMPLING,
        Sampling::greedy(),
        Sampling { mirostat: 2, ..SAMPLING },
        Sampling { grammar: grammar("[0-9]{6}"), ..SAMPLING },
        Sampling { repeat_penalty: 1.3, top_k: 9, ..SAMPLING },
    ]
}

#[test]
fn a_batch_of_one_ends_thoughts_where_a_session_does() {
    let m = tiny();
    let engine = Engine::new(&m, &EngineOptions::default()).unwrap();
    let end: Vec<Token> = m.encode(FORMAT.close).unwrap();
    for sampling in samplings(&m) {
        for budget in [0, 1, 7, 30, DRAWN - 1, DRAWN] {
            let r = request(&m, &sampling, bound(budget));
            let mut s = m.session().unwrap();
            s.append(&r.tokens).unwrap();
            let o = GenerateOptions {
                max_tokens: DRAWN,
                sampling: sampling.clone(),
                eos: Eos::Ignore,
                reasoning: bound(budget),
                ..GenerateOptions::default()
            };
            let want = s.generate(&o, &mut |_| Control::Continue).unwrap();
            let (tokens, finish, _) = read(engine.start(r).unwrap());
            assert_eq!((&tokens, finish), (&want.tokens, want.finish_reason), "{sampling}, budget {budget}");
            let (at, n) = (budget as usize, tokens.len());
            let written = &tokens[at.min(n)..n.min(at + end.len())];
            assert_eq!(written, &end[..written.len()], "{sampling}, budget {budget}");
        }
    }
}

#[test]
fn each_of_a_crowd_has_a_budget_of_its_own() {
    let m = tiny();
    let all: Vec<(Sampling, Option<Reasoning>)> = samplings(&m)
        .into_iter()
        .flat_map(|s| [None, bound(0), bound(5), bound(33)].map(|b| (s.clone(), b)))
        // A form after thoughts that nobody ends has no end.
        .filter(|(s, b)| s.grammar.is_none() || b.is_some())
        .collect();
    // Few places and blocks, so that some wait and some are parked.
    for drafts in [None, Some(DraftOptions::default())] {
        let batch =
            BatchOptions { sequences: Some(4), cache_tokens: Some(4 * 256), deterministic: true, drafts };
        let engine = Engine::new(&m, &EngineOptions { batch, ..EngineOptions::default() }).unwrap();
        let start = |i: usize| engine.start(request(&m, &all[i].0, all[i].1)).unwrap();
        let alone: Vec<_> = (0..all.len()).map(|i| read(start(i)).0).collect();
        for round in 0..2 {
            let order = (0..all.len()).map(|i| (i * 7 + round) % all.len());
            let answers: Vec<_> = order.map(|i| (i, start(i))).collect();
            for (i, answer) in answers {
                assert_eq!(read(answer).0, alone[i], "round {round}: {}, {:?}", all[i].0, all[i].1);
            }
        }
    }
}

/// What is written for the model has no log-probabilities; all that is drawn has its own.
#[test]
fn log_probabilities_are_those_of_draws() {
    let m = tiny();
    let engine = Engine::new(&m, &EngineOptions::default()).unwrap();
    let sampling = Sampling { logprobs: Some(2), ..SAMPLING };
    let (tokens, _, told) = read(engine.start(request(&m, &sampling, bound(7))).unwrap());
    let end = m.encode(FORMAT.close).unwrap().len();
    let want: Vec<bool> = (0..tokens.len()).map(|i| !(7..7 + end).contains(&i)).collect();
    assert_eq!(told, want);
    assert_eq!(tokens, read(engine.start(request(&m, &SAMPLING, bound(7))).unwrap()).0);
}

/// Where the context ends in the middle of what is written, room is made, and the rest of it comes first.
#[test]
fn the_end_of_thoughts_is_whole_over_a_shift() {
    let m = tiny();
    let engine = Engine::new(&m, &EngineOptions::default()).unwrap();
    let end: Vec<Token> = m.encode(FORMAT.close).unwrap();
    assert!(end.len() > 2);
    let prompt = request(&m, &SAMPLING, None).tokens.len() as u32;
    for into in 0..=end.len() as u32 {
        let budget = 301 - prompt - into;
        let mut r = request(&m, &SAMPLING, bound(budget));
        r.options.max_tokens = 320;
        r.overflow = Overflow::Shift { drop: Vec::new(), keep: 2 };
        let (tokens, finish, _) = read(engine.start(r).unwrap());
        assert_eq!((tokens.len(), finish), (320, FinishReason::Length), "{into}");
        let at = budget as usize;
        assert_eq!(tokens[at..at + end.len()], end, "{into}");
    }
}

/// Thoughts that the model begins itself are bounded from there on, and an answer without any is left alone.
#[test]
fn thoughts_that_never_begin_are_not_ended() {
    let m = tiny();
    let engine = Engine::new(&m, &EngineOptions::default()).unwrap();
    let decode = |tokens: &[Token]| m.tokenizer().unwrap().decode(tokens);
    let drawn = |seed| {
        let sampling = Sampling { seed, ..SAMPLING };
        let tokens = read(engine.start(request(&m, &sampling, None)).unwrap()).0;
        (sampling, tokens)
    };
    let is_word = |tokens: &[Token]| decode(&tokens[..1]).bytes().all(|b| b.is_ascii_graphic());
    let (sampling, want) = (0..200).map(drawn).find(|(_, t)| is_word(t)).unwrap();
    let not_begun = Some(Reasoning { format: FORMAT, begun: false, budget: 0 });
    assert_eq!(read(engine.start(request(&m, &sampling, not_begun)).unwrap()).0, want);
    // An opening mark that is the first thing it says.
    let open: &'static str = Box::leak(decode(&want[..1]).into_boxed_str());
    let format = ReasoningFormat { open, ..FORMAT };
    for budget in [0, 3] {
        let begins = Some(Reasoning { format, begun: false, budget });
        let got = read(engine.start(request(&m, &sampling, begins)).unwrap()).0;
        let end: Vec<Token> = m.encode(FORMAT.close).unwrap();
        let at = budget.max(1) as usize;
        assert_eq!((&got[..at], &got[at..at + end.len()]), (&want[..at], &end[..]), "budget {budget}");
    }
}
