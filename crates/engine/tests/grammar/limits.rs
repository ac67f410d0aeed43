//! Hostile sources: an answer in bounded time, whatever it is.

use crate::vocab::{begins, compile};
use akunu::Token;
use akunu::grammar::{GrammarError, GrammarSource, MAX_SOURCE_BYTES, schema::MAX_DEPTH};
use std::time::{Duration, Instant};

/// Compiles, and makes a few masks where that works; all of it within a time that is generous for any machine.
fn bounded(name: &str, source: GrammarSource) -> Result<(), GrammarError> {
    let start = Instant::now();
    let result = compile(&source).and_then(|grammar| {
        let mut matcher = grammar.matcher();
        let mut mask = vec![0; 64];
        for _ in 0..20 {
            if matcher.must_end() {
                break;
            }
            matcher.mask(&mut mask)?;
            let Some(word) = mask.iter().position(|w| *w != 0) else { break };
            matcher.accept(Token(word as u32 * 32 + mask[word].trailing_zeros()))?;
        }
        Ok(())
    });
    let took = start.elapsed();
    let said = result.as_ref().err().map(ToString::to_string);
    println!("{name}: {took:?}, {}", said.as_deref().unwrap_or("taken"));
    assert!(took < Duration::from_secs(20), "{name} took {took:?}");
    assert!(said.is_none_or(|s| s.len() < 1500), "{name}: a message of that length");
    result
}

#[test]
fn hostile_schemas_end() {
    let schema = GrammarSource::JsonSchema;
    let values = |n: usize| (0..n).map(|i| format!("\"value number {i}\"")).collect::<Vec<_>>().join(",");
    bounded("enum of 2,000", schema(format!(r#"{{"enum": [{}]}}"#, values(2_000)))).unwrap();
    let _ = bounded("enum of 100,000", schema(format!(r#"{{"enum": [{}]}}"#, values(100_000))));
    let long = format!(r#"{{"const": "{}"}}"#, "x".repeat(10 << 20));
    let e = bounded("10 MiB", schema(long)).unwrap_err();
    assert!(matches!(e, GrammarError::TooLong { bytes, .. } if bytes > MAX_SOURCE_BYTES));
    let _ = bounded("3 MiB of text", schema(format!(r#"{{"const": "{}"}}"#, "x".repeat(3 << 20))));
    let nested = format!("{}true{}", r#"{"items":"#.repeat(5_000), "}".repeat(5_000));
    bounded("5,000 schemas within each other", schema(nested)).unwrap_err();

    let chain = |n: usize| {
        let links: Vec<String> = (0..n)
            .map(|i| format!(r##""a{i}": {{"type": "array", "items": {{"$ref": "#/$defs/a{}"}}}}"##, i + 1))
            .collect();
        schema(format!(
            r##"{{"$ref": "#/$defs/a0", "$defs": {{{}, "a{n}": {{"type": "null"}}}}}}"##,
            links.join(",")
        ))
    };
    bounded("a chain of references as long as allowed", chain(MAX_DEPTH / 2 - 8)).unwrap();
    let e = bounded("a longer chain", chain(20_000)).unwrap_err();
    assert!(matches!(e, GrammarError::Schema(_)), "{e}");
    let through = (0..3_000).map(|i| {
        format!(
            r##""a{i}": {{"allOf": [{{"$ref": "#/$defs/a{}"}}, {{"$ref": "#/$defs/a{}"}}]}}"##,
            i + 1,
            i + 1
        )
    });
    let through = through.collect::<Vec<_>>().join(",");
    let _ = bounded(
        "references that double",
        schema(format!(
            r##"{{"$ref": "#/$defs/a0", "$defs": {{{through}, "a3000": {{"type": "object", "properties": {{"x": true}}}}}}}}"##
        )),
    );

    let objects = |n: usize, tag: &str| {
        let each = (0..n).map(|i| format!(r#"{{"properties": {{"{tag}{i}": {{"const": {i}}}}}}}"#));
        format!(r#"{{"anyOf": [{}]}}"#, each.collect::<Vec<_>>().join(","))
    };
    let product = [objects(600, "a"), objects(600, "b"), objects(600, "c")].join(",");
    bounded("a product of alternatives", schema(format!(r#"{{"allOf": [{product}]}}"#))).unwrap_err();
    let patterns = (0..32).map(|i| format!(r#""^p{i}_[a-z]+(x|y)*": true"#)).collect::<Vec<_>>().join(",");
    let _ =
        bounded("32 patterns of properties", schema(format!(r#"{{"patternProperties": {{{patterns}}}}}"#)));
    let _ = bounded(
        "long bounds",
        schema(r#"{"type": "string", "minLength": 90000, "maxLength": 100000}"#.into()),
    );
    let _ = bounded(
        "long arrays",
        schema(
            r#"{"type": "array", "minItems": 50000, "items": {"type": "array", "minItems": 50000}}"#.into(),
        ),
    );
    bounded("huge counts", schema(r#"{"type": "string", "maxLength": 1000000000000}"#.into())).unwrap_err();
    let _ = bounded(
        "numbers at the edge",
        schema(r#"{"type": "number", "minimum": -1e308, "maximum": 1e-308, "multipleOf": 1e-300}"#.into()),
    );
    let many = (0..5_000).map(|i| format!(r#""p{i}": {{"type": "integer"}}"#)).collect::<Vec<_>>().join(",");
    let _ = bounded(
        "5,000 optional properties",
        schema(format!(r#"{{"properties": {{{many}}}, "additionalProperties": false}}"#)),
    );
    let one = (0..500).map(|i| {
        format!(r#"{{"type": "object", "properties": {{"k": {{"const": "{i}"}}}}, "required": ["k"]}}"#)
    });
    let _ =
        bounded("oneOf of 500", schema(format!(r#"{{"oneOf": [{}]}}"#, one.collect::<Vec<_>>().join(","))));
}

#[test]
fn hostile_expressions_end() {
    for text in [
        "(a{1000}){1000}",
        "((a{100}){100}){100}",
        "(a*)*b",
        "((a?){1000}b?){1000}",
        "(a|aa)*c",
        "(.*a){20}.{20}",
        "(x+x+)+y",
        "[ab]*a[ab]{200}",
        "(?s:.){0,100000}",
        "\\p{L}{1000,5000}",
        "(((((((((a+)+)+)+)+)+)+)+)+)+",
        "a{4294967295}",
        "(",
        "[",
        "a{2,1}",
        "(?=x)",
        "\\",
    ] {
        let _ = bounded(text, GrammarSource::Regex(text.into()));
        let quoted = serde_json::to_string(text).unwrap();
        let _ =
            bounded(text, GrammarSource::JsonSchema(format!(r#"{{"type": "string", "pattern": {quoted}}}"#)));
    }
    let or = (0..20_000).map(|i| format!("w{i}")).collect::<Vec<_>>().join("|");
    let _ = bounded("20,000 words", GrammarSource::Regex(format!("({or})")));
    let deep = format!("{}a{}", "(".repeat(50_000), ")".repeat(50_000));
    let _ = bounded("50,000 groups", GrammarSource::Regex(deep));
}

#[test]
fn hostile_grammars_end() {
    let gbnf = |t: &str| GrammarSource::Gbnf(t.into());
    let doubling: String = (0..40).map(|i| format!("r{i} ::= r{} r{}\n", i + 1, i + 1)).collect();
    let _ = bounded("rules that double", gbnf(&format!("root ::= r0\n{doubling}r40 ::= \"a\"\n")));
    let _ = bounded("repetitions of repetitions", gbnf("root ::= ((\"a\"{2000}){2000}){2000}"));
    let _ =
        bounded("the same with recursion", gbnf("root ::= ((\"a\"{200}){2000}){2000} | \"(\" root \")\""));
    let _ = bounded("ambiguity", gbnf("root ::= root root | \"a\" | \"\""));
    let _ = bounded("ambiguous letters", gbnf("root ::= (\"a\" | \"a\" | [a-z] | root)* | \"(\" root \")\""));
    let _ = bounded("empty repeated", gbnf("root ::= (\"\"*)* (root?)*"));
    let words: String = (0..5_000).map(|i| format!(" | \"word {i}\" root")).collect();
    let _ = bounded("5,000 words", gbnf(&format!("root ::= \"x\"{words}")));
    for text in [
        "",
        "start:",
        "start: x",
        "start: /(/",
        "start: start",
        "start: \"a\"{5,2}",
        "%ignore",
        "start: %json {",
    ] {
        let _ = bounded(text, GrammarSource::Lark(text.into()));
    }
    let deep = format!("start: {}\"a\"{}", "(".repeat(20_000), ")".repeat(20_000));
    let _ = bounded("20,000 groups of Lark", GrammarSource::Lark(deep));
}

/// A grammar that gets too hard in the middle ends with an error, never with a mask of everything.
#[test]
fn what_is_too_hard_later_is_an_error() {
    let source = GrammarSource::Gbnf("root ::= root root | \"a\" | \"b\" root".into());
    if let Ok(grammar) = compile(&source) {
        let mut matcher = grammar.matcher();
        let mut mask = vec![0; 64];
        for i in 0..400 {
            let made = matcher.mask(&mut mask);
            if made.is_err() {
                assert!(
                    matcher.mask(&mut mask).is_err() && matcher.accept(Token(97)).is_err(),
                    "stays an error"
                );
                break;
            }
            assert!(mask[97 / 32] >> (97 % 32) & 1 == 1, "{i}");
            if matcher.accept(Token(97)).is_err() {
                break;
            }
        }
    }
    assert!(begins(&compile(&GrammarSource::Regex("a+".into())).unwrap(), "aaa"));
}
