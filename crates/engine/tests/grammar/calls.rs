//! Answers that must call a tool: what a grammar of calls allows is what the parser of the same format reads, to the letter.

use crate::vocab::{Draws, compile, ids, small, tokenizer};
use akunu::Token;
use akunu::grammar::{Aside, Grammar, GrammarError, GrammarSource, GrammarStart, Matcher, Vocabulary};
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

/// Where the model may call nothing, texts are free up to a mark, and after it a call is as its schema says.
#[test]
fn calls_that_may_come_are_bound_once_they_do() {
    let tools = tools();
    let all: Vec<&Tool> = tools.iter().collect();
    let vocabulary = small();
    let tokenizer = vocabulary.tokenizer().clone();
    let mut draws = Draws(5);
    assert!(ToolFormat::Gemma.calls_if_any("", &all, 1).is_none());
    for (format, template) in [
        (ToolFormat::Hermes, ""),
        (ToolFormat::Mistral, ""),
        (ToolFormat::Mistral, "[ARGS]"),
        (ToolFormat::Llama3, ""),
    ] {
        for (thoughts, most) in
            [(None, 1), (Some("</think>"), format.most_calls()), (None, format.most_calls())]
        {
            let (text, mark) = format.calls_if_any(template, &all, most).unwrap();
            let begun = thoughts.map(|close| Aside { open: None, close: close.into() });
            let start = match (mark, begun) {
                (Some(mark), first) => GrammarStart::If { first, mark: mark.into() },
                (None, Some(aside)) => GrammarStart::After(aside.close),
                (None, None) => GrammarStart::AtOnce,
            };
            let grammar = Grammar::compile(&GrammarSource::Calls(text), &start, &vocabulary).unwrap();
            for (said, calls) in [(true, false), (true, true), (false, true), (false, false)] {
                let said = said && (mark.is_some() || !calls);
                let mut matcher = grammar.matcher();
                let mut written = String::new();
                if let Some(close) = thoughts {
                    // A mark in thoughts is no mark.
                    put(&format!("hm {} {close}\n", mark.unwrap_or("{")), &mut matcher, &mut written);
                }
                let begins = written.len();
                if said {
                    put("I see <tool_cal [TOOL_CALL", &mut matcher, &mut written);
                }
                if !calls {
                    assert!(matcher.may_end().unwrap() && !matcher.must_end(), "{format:?}: {written}");
                    let end = tokenizer.eos_ids()[0];
                    matcher.accept(end).unwrap();
                    assert!(matcher.must_end() && matcher.accept(Token(97)).is_err());
                    matcher.rollback(1).unwrap();
                    assert!(matcher.may_end().unwrap() && !matcher.must_end());
                    continue;
                }
                put(mark.unwrap_or("{"), &mut matcher, &mut written);
                assert!(!matcher.may_end().unwrap(), "{format:?}: {written}");
                let mut mask = vec![0; vocabulary.len().div_ceil(32)];
                while !matcher.must_end() {
                    matcher.mask(&mut mask).unwrap();
                    let allowed = ids(&mask);
                    let ends = |t: &Token| tokenizer.eos_ids().contains(t);
                    if allowed.iter().any(ends) && draws.below(2) == 0 {
                        break;
                    }
                    let allowed: Vec<Token> = allowed.into_iter().filter(|t| !ends(t)).collect();
                    let token = allowed[draws.below(allowed.len())];
                    matcher.accept(token).unwrap();
                    written.push_str(std::str::from_utf8(tokenizer.token_bytes(token)).unwrap());
                }
                let (mut parser, mut events) = (ToolParser::new(format), Vec::new());
                parser.push(&written[begins..], &mut events);
                parser.finish(&mut events);
                let (rest, calls) = join(&events);
                assert!((1..=most as usize).contains(&calls.len()), "{format:?}: {written}");
                assert_eq!(rest.trim().is_empty(), !said, "{format:?}: {written}");
                for call in &calls {
                    let at = tools.iter().position(|t| t.name == call.name).unwrap();
                    let schema = jsonschema::validator_for(&tools[at].schema()).unwrap();
                    assert!(schema.is_valid(&serde_json::from_str(&call.arguments).unwrap()), "{written}");
                }
            }
        }
    }
}

/// Writes a text byte by byte.
fn put(text: &str, matcher: &mut Matcher, written: &mut String) {
    for b in text.bytes() {
        matcher.accept(Token(b.into())).unwrap_or_else(|e| panic!("{text:?} after {written:?}: {e}"));
        written.push(char::from(b));
    }
}

/// Thoughts may come first or not, and a mark in them is none.
#[test]
fn marks_in_thoughts_that_the_model_begins_are_none() {
    let aside = Aside { open: Some("<think>".into()), close: "</think>".into() };
    let start = GrammarStart::If { first: Some(aside), mark: "<tool>".into() };
    let grammar = Grammar::compile(&GrammarSource::Regex("[0-9]{3}".into()), &start, &small()).unwrap();
    let vocabulary = small();
    let end = vocabulary.tokenizer().eos_ids()[0];
    // (text, whether it may end there, whether it is bound there)
    for (text, ends, bound) in [
        ("", true, false),
        (" \n", true, false),
        ("hm", true, false),
        ("<th", true, false),
        ("<think>", false, false),
        ("  <think>x <tool>y", false, false),
        ("<think>x <tool></think>", true, false),
        ("<think></think> so <tool", true, false),
        ("<think>x</think><tool>", false, true),
        ("<think>x</think>\nso <tool> ", false, true),
        ("<tool>", false, true),
        (" <t<tool>\n", false, true),
        ("<th<tool>", false, true),
        ("no <think>x<tool>", false, true),
        ("<tool>12", false, true),
        ("<think>x</think><tool>123", true, true),
    ] {
        let mut m = grammar.matcher();
        let mut masks = Vec::new();
        let mut mask = vec![0; vocabulary.len().div_ceil(32)];
        for b in text.bytes() {
            m.mask(&mut mask).unwrap();
            assert!(ids(&mask).contains(&Token(b.into())), "{text:?}: {}", char::from(b));
            masks.push(mask.clone());
            m.accept(Token(b.into())).unwrap_or_else(|e| panic!("{text:?}: {e}"));
        }
        assert_eq!(m.may_end().unwrap(), ends, "{text:?}");
        if !m.must_end() {
            m.mask(&mut mask).unwrap();
            let allowed = ids(&mask);
            assert_eq!(
                (allowed.contains(&end), !allowed.contains(&Token(b'x'.into()))),
                (ends, bound),
                "{text:?}"
            );
        }
        // Back to the beginning, the masks are as they were.
        for want in masks.iter().rev() {
            m.rollback(1).unwrap();
            m.mask(&mut mask).unwrap();
            assert_eq!(mask, *want, "{text:?}");
        }
    }
    // A token in which the mark ends too early is not allowed, wherever it would end.
    let crossing = Arc::new(Vocabulary::new(tokenizer(&["ol>x", "ol>\n", "<tool>1", "think>x"])).unwrap());
    let grammar = Grammar::compile(&GrammarSource::Regex("[0-9]{3}".into()), &start, &crossing).unwrap();
    let token = |text: &str| {
        (256..crossing.len() as u32)
            .map(Token)
            .find(|t| crossing.tokenizer().token_bytes(*t) == text.as_bytes())
            .unwrap()
    };
    let mut mask = vec![0; crossing.len().div_ceil(32)];
    let mut allows = |before: &str, next: Token| {
        let mut m = grammar.matcher();
        before.bytes().for_each(|b| m.accept(Token(b.into())).unwrap());
        m.mask(&mut mask).unwrap();
        let masked = ids(&mask).contains(&next);
        assert_eq!(masked, m.accept(next).is_ok(), "{before:?}");
        masked
    };
    assert!(!allows("", token("<tool>1")) && !allows("<to", token("ol>x")) && allows("<to", token("ol>\n")));
    assert!(allows("<think>", token("<tool>1")) && allows("<think><to", token("ol>x")));
    assert!(allows("<", token("think>x")) && !allows("<think></", token("think>x")));
}

/// An answer of Llama 3 that does not begin with a call has none later.
#[test]
fn a_text_that_is_no_call_has_none_in_it() {
    let tools = tools();
    let (text, _) = ToolFormat::Llama3.calls_if_any("", &[&tools[0]], 1).unwrap();
    let grammar = Grammar::compile(&GrammarSource::Calls(text), &GrammarStart::AtOnce, &small()).unwrap();
    let allows = |text: &str| {
        let mut m = grammar.matcher();
        text.bytes().all(|b| m.accept(Token(b.into())).is_ok()) && m.may_end().unwrap()
    };
    for fine in ["", "x", " \n so {\"a\": 1}\nthen", "<|python_tag|", "\u{e9}t\u{e9}"] {
        assert!(allows(fine), "{fine:?}");
    }
    for wrong in
        ["{", "  {\"a\": 1}", "{}", "so <|python_tag|>{}", "\n\t{\"name\": \"x\", \"parameters\": {}}"]
    {
        assert!(!allows(wrong), "{wrong:?}");
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
