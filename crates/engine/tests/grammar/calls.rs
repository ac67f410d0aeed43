//! Answers that must call a tool: what a grammar of calls allows is what the parser of the same format reads, to the letter.

use crate::vocab::{Draws, compile, ids, small, tokenizer};
use akunu::Token;
use akunu::grammar::{Grammar, GrammarError, GrammarSource, GrammarStart, Vocabulary};
use akunu::tools::{TOOL_FORMATS, Tool, ToolFormat, ToolParser, join, shown};
use serde_json::{Value, json};
use std::sync::Arc;

fn tools() -> [Tool; 2] {
    let weather = json!({"type": "object", "properties": {"city": {"enum": ["Rome", "Oslo \"N\""]}, "days": {"type": "integer",
        "minimum": 1, "maximum": 9}}, "required": ["city"], "additionalProperties": false});
    [
        Tool { name: "get_weather".into(), description: None, parameters: weather },
        Tool {
            name: "now".into(),
            description: Some("The time".into()),
            parameters: json!({"additionalProperties": false}),
        },
    ]
}

/// A text drawn from the masks, with the names of control tokens.
fn draw(vocabulary: &Arc<Vocabulary>, source: &GrammarSource, marks: &[&str], draws: &mut Draws) -> String {
    let grammar = Grammar::compile(source, &GrammarStart::AtOnce, vocabulary).unwrap();
    let tokenizer = vocabulary.tokenizer();
    let mut matcher = grammar.matcher();
    let mut mask = vec![0; vocabulary.len().div_ceil(32)];
    let mut text = String::new();
    for _ in 0..600 {
        if matcher.must_end() {
            return text;
        }
        matcher.mask(&mut mask).unwrap();
        let allowed = ids(&mask);
        let ends = |t: &&Token| tokenizer.eos_ids().contains(t);
        if allowed.iter().any(|t| ends(&t)) && draws.below(2) == 0 {
            return text;
        }
        let allowed: Vec<Token> = allowed.iter().filter(|t| !ends(t)).copied().collect();
        let token = allowed[draws.below(allowed.len())];
        matcher.accept(token).unwrap();
        let bytes = String::from_utf8(tokenizer.token_bytes(token).to_vec()).unwrap();
        text.push_str(shown(tokenizer, token, &bytes, marks));
    }
    panic!("no end: {text}")
}

#[test]
fn forced_calls_are_read_back() {
    let tools = tools();
    let all: Vec<&Tool> = tools.iter().collect();
    let mut draws = Draws(11);
    for format in TOOL_FORMATS {
        for (template, most) in [("", 1), ("", format.most_calls()), ("[ARGS]", format.most_calls())] {
            let source = GrammarSource::Calls(format.calls(template, &all, most));
            let mut seen = [false; 2];
            for _ in 0..12 {
                let text = draw(&small(), &source, &[], &mut draws);
                let (mut parser, mut events) = (ToolParser::new(*format), Vec::new());
                parser.push(&text, &mut events);
                parser.finish(&mut events);
                let (rest, calls) = join(&events);
                assert!(
                    rest.trim().is_empty() && !calls.is_empty() && calls.len() <= most as usize,
                    "{format:?}: {text}"
                );
                for call in &calls {
                    let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
                    let at = tools.iter().position(|t| t.name == call.name).unwrap();
                    let schema = jsonschema::validator_for(&tools[at].schema()).unwrap();
                    assert!(schema.is_valid(&arguments), "{text}");
                    seen[at] = true;
                }
            }
            assert_eq!(seen, [true; 2], "{format:?} {template}");
        }
    }
}

/// Marks that a vocabulary has as control tokens come as these.
#[test]
fn marks_are_control_tokens_where_there_are_some() {
    let vocabulary = Arc::new(Vocabulary::new(tokenizer(&["<tool_call>", "get"])).unwrap());
    let tools = tools();
    let mut text = ToolFormat::Hermes.calls("", &[&tools[1]], 1);
    text.marks = &["<|tool|>"];
    text.kinds[0].open = text.kinds[0].open.replace("<tool_call>", "<|tool|>");
    let grammar =
        Grammar::compile(&GrammarSource::Calls(text.clone()), &GrammarStart::AtOnce, &vocabulary).unwrap();
    let mut mask = vec![0; vocabulary.len().div_ceil(32)];
    grammar.matcher().mask(&mut mask).unwrap();
    assert_eq!(ids(&mask), [Token(vocabulary.len() as u32 - 1)]);
    let drawn = draw(&vocabulary, &GrammarSource::Calls(text), &["<|tool|>"], &mut Draws(1));
    assert!(drawn.starts_with("<|tool|>\n{\"name\": \"now\", \"arguments\": {"), "{drawn}");
}

#[test]
fn arguments_that_cannot_be_enforced_are_refused() {
    let tool = Tool { name: "f".into(), description: None, parameters: json!({"not": {}}) };
    for format in TOOL_FORMATS {
        let e = compile(&GrammarSource::Calls(format.calls("", &[&tool], 1))).unwrap_err();
        assert!(matches!(e, GrammarError::Schema(_)) && e.to_string().contains("`not`"), "{e}");
    }
}
