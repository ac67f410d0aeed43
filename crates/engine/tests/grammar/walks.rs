//! Texts drawn at random from the masks: every finished one must follow its schema, by the word of another
//! implementation (the `jsonschema` crate, formats included).

use crate::vocab::{Draws, LLAMA3, SMOLLM2, ids, real, small};
use akunu::Token;
use akunu::grammar::{Grammar, GrammarSource, GrammarStart, Vocabulary};
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn schemas() -> Vec<Value> {
    serde_json::from_str(include_str!("schemas.json")).unwrap()
}

/// How a token is chosen.
#[derive(Clone, Copy)]
enum Choice {
    /// Every allowed token alike.
    Alike,
    /// The shortest texts more often, so that texts come to an end.
    Short,
}

struct Walked {
    texts: usize,
    by_length: usize,
    by_number: usize,
    tokens: usize,
    forced: usize,
    masks: usize,
    time: Duration,
    slowest: Duration,
}

fn walk(
    vocabulary: &Arc<Vocabulary>,
    schema: &Value,
    choice: Choice,
    texts: usize,
    draws: &mut Draws,
) -> Walked {
    let source = GrammarSource::JsonSchema(schema.to_string());
    let grammar = Grammar::compile(&source, &GrammarStart::AtOnce, vocabulary).unwrap();
    let validator = jsonschema::options().should_validate_formats(true).build(schema).unwrap();
    let tokenizer = vocabulary.tokenizer();
    let mut mask = vec![0; vocabulary.len().div_ceil(32)];
    let mut w = Walked {
        texts,
        by_length: 0,
        by_number: 0,
        tokens: 0,
        forced: 0,
        masks: 0,
        time: Duration::ZERO,
        slowest: Duration::ZERO,
    };
    for _ in 0..texts {
        let mut matcher = grammar.matcher();
        let mut bytes: Vec<u8> = Vec::new();
        let mut ended = false;
        for step in 0..300 {
            let mut forced = Vec::new();
            matcher.forced(&mut forced).unwrap();
            for token in &forced {
                matcher.accept(*token).unwrap();
                bytes.extend_from_slice(tokenizer.token_bytes(*token));
            }
            w.forced += forced.len();
            let start = Instant::now();
            matcher.mask(&mut mask).unwrap_or_else(|e| panic!("{e}: {}", schema["title"]));
            let took = start.elapsed();
            (w.masks, w.time, w.slowest) = (w.masks + 1, w.time + took, w.slowest.max(took));
            let allowed = ids(&mask);
            let end = allowed.iter().find(|t| tokenizer.eos_ids().contains(t));
            if let Some(end) = end.filter(|_| allowed.len() == 1 || draws.below(4) == 0) {
                matcher.accept(*end).unwrap();
                ended = true;
                break;
            }
            let pick = |draws: &mut Draws| allowed[draws.below(allowed.len())];
            let token = match choice {
                Choice::Short if step > 20 => {
                    // What closes a string, a list, an object comes before what goes on.
                    let closes = |t: &Token| {
                        let b = tokenizer.token_bytes(*t);
                        (b.len() == 1).then(|| b"\"]}, ".iter().position(|c| *c == b[0])).flatten()
                    };
                    let best = allowed.iter().filter_map(|t| Some((closes(t)?, *t))).min();
                    best.filter(|_| draws.below(3) > 0).map_or_else(|| pick(draws), |(_, t)| t)
                }
                _ => pick(draws),
            };
            if tokenizer.eos_ids().contains(&token) {
                matcher.accept(token).unwrap();
                ended = true;
                break;
            }
            matcher.accept(token).unwrap();
            bytes.extend_from_slice(tokenizer.token_bytes(token));
            w.tokens += 1;
        }
        if !ended {
            w.by_length += 1;
            continue;
        }
        let text = String::from_utf8(bytes).unwrap_or_else(|e| panic!("{e}: {}", schema["title"]));
        let value: Value = match serde_json::from_str(&text) {
            Ok(value) => value,
            // Valid JSON that its reader has no numbers for.
            Err(e) if e.to_string().contains("number out of range") => {
                w.by_number += 1;
                continue;
            }
            Err(e) => panic!("{e}: {text}"),
        };
        if let Err(e) = validator.validate(&value) {
            panic!("{e}\n{text}\n{schema}");
        }
    }
    w
}

fn walks(vocabulary: &Arc<Vocabulary>, texts: usize) {
    let mut draws = Draws(2026);
    let schemas = schemas();
    assert_eq!(schemas.len(), 50);
    let mut all = Walked {
        texts: 0,
        by_length: 0,
        by_number: 0,
        tokens: 0,
        forced: 0,
        masks: 0,
        time: Duration::ZERO,
        slowest: Duration::ZERO,
    };
    let mut compile = Duration::ZERO;
    for schema in &schemas {
        let start = Instant::now();
        let source = GrammarSource::JsonSchema(schema.to_string());
        Grammar::compile(&source, &GrammarStart::AtOnce, vocabulary)
            .unwrap_or_else(|e| panic!("{e}: {schema}"));
        compile = compile.max(start.elapsed());
        for (choice, n) in [(Choice::Short, texts), (Choice::Alike, texts / 4)] {
            let w = walk(vocabulary, schema, choice, n, &mut draws);
            all.texts += w.texts;
            all.by_length += w.by_length;
            all.by_number += w.by_number;
            all.tokens += w.tokens;
            all.forced += w.forced;
            all.masks += w.masks;
            all.time += w.time;
            all.slowest = all.slowest.max(w.slowest);
        }
    }
    println!(
        "{} tokens in the vocabulary: {} texts, {} of them by length, {} with numbers beyond a double; {} tokens drawn, {} forced; a mask takes {:?}, the slowest {:?}; \
         compiling at most {compile:?}",
        vocabulary.len(),
        all.texts,
        all.by_length,
        all.by_number,
        all.tokens,
        all.forced,
        all.time / all.masks.max(1) as u32,
        all.slowest
    );
    assert!(all.by_number * 100 < all.texts, "such numbers are rare");
    assert!(all.by_length * 2 < all.texts, "most texts must come to an end");
}

#[test]
fn drawn_texts_follow_their_schemas() {
    walks(&small(), 12);
}

#[test]
#[ignore = "needs the SmolLM2 file; tools/fetch-model.sh"]
fn real_smollm2_texts_follow_their_schemas() {
    walks(&real(SMOLLM2), 40);
}

#[test]
#[ignore = "needs tools/fetch-vocabs.sh"]
fn real_llama3_texts_follow_their_schemas() {
    walks(&real(LLAMA3), 20);
}

/// Vocabularies of SentencePiece, whose forced tokens are left to the model.
#[test]
#[ignore = "needs tools/fetch-vocabs.sh"]
fn real_sentencepiece_texts_follow_their_schemas() {
    walks(&real("vocabs/ggml-vocab-llama-spm.gguf"), 8);
}

/// llama.cpp's JSON grammar is the one that people try first; its masks must be quick on a large vocabulary.
#[test]
#[ignore = "needs tools/fetch-vocabs.sh"]
fn real_llama3_masks_of_gbnf() {
    let vocabulary = real(LLAMA3);
    let text = r#"root ::= object
object ::= "{" ws (string ":" ws value ("," ws string ":" ws value)*)? "}" ws
array ::= "[" ws (value ("," ws value)*)? "]" ws
value ::= object | array | string | number | ("true" | "false" | "null") ws
string ::= "\"" ([^"\\\x7F\x00-\x1F] | "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}))* "\"" ws
number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws
ws ::= | " " | "\n" [ \t]{0,20}"#;
    let start = Instant::now();
    let grammar =
        Grammar::compile(&GrammarSource::Gbnf(text.into()), &GrammarStart::AtOnce, &vocabulary).unwrap();
    println!("compiled in {:?}", start.elapsed());
    let mut draws = Draws(5);
    let mut mask = vec![0; vocabulary.len().div_ceil(32)];
    let (mut time, mut slowest, mut n) = (Duration::ZERO, Duration::ZERO, 0);
    for _ in 0..40 {
        let mut matcher = grammar.matcher();
        for _ in 0..40 {
            let start = Instant::now();
            matcher.mask(&mut mask).unwrap();
            let took = start.elapsed();
            (time, slowest, n) = (time + took, slowest.max(took), n + 1);
            let allowed = ids(&mask);
            let token = allowed[draws.below(allowed.len())];
            matcher.accept(token).unwrap();
            if matcher.must_end() {
                break;
            }
        }
    }
    println!("{n} masks: {:?} each, the slowest {slowest:?}", time / n);
}
