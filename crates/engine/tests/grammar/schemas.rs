//! JSON schemas: what is allowed, what is refused, and by which name.

use crate::vocab::{allows, compile};
use akunu::grammar::{GrammarError, GrammarSource, SchemaError};

fn schema(text: &str) -> GrammarSource {
    GrammarSource::JsonSchema(text.into())
}

/// A schema, texts that follow it, texts that do not.
type Case = (&'static str, &'static [&'static str], &'static [&'static str]);

const CASES: &[Case] = &[
    ("true", &["1", "{}", "[null]", "\"x\""], &["", "x"]),
    ("{}", &["[1, 2]"], &["[1,]"]),
    (
        r#"{"type": "integer", "minimum": -5, "exclusiveMaximum": 7}"#,
        &["-5", "6", "0"],
        &["7", "-6", "1.5", "01"],
    ),
    // Draft 4's Boolean, and a bound on the other side of an applicator.
    (
        r#"{"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer", "minimum": 5,
            "anyOf": [{"maximum": 9}], "exclusiveMinimum": true}"#,
        &["6", "9"],
        &["5", "10"],
    ),
    (
        r#"{"type": "number", "multipleOf": 0.5, "minimum": 0, "maximum": 2}"#,
        &["0.5", "1.0", "2"],
        &["0.3", "2.5"],
    ),
    (
        r#"{"enum": ["a", 1, null, {"k": [true]}]}"#,
        &["\"a\"", "1", "null", "{\"k\":[true]}"],
        &["2", "{\"k\":[]}"],
    ),
    (r#"{"const": "\n\"x"}"#, &["\"\\n\\\"x\""], &["\"x\""]),
    (
        r#"{"type": "string", "minLength": 2, "maxLength": 3}"#,
        &["\"日本\"", "\"abc\""],
        &["\"a\"", "\"abcd\""],
    ),
    (r#"{"type": "string", "pattern": "^a.c$"}"#, &["\"abc\""], &["\"a\\nc\"", "\"a\\u2028c\"", "\"xabc\""]),
    (r#"{"type": "string", "pattern": "^[^a]$"}"#, &["\"b\"", "\"\\n\""], &["\"a\"", "\"\""]),
    (r#"{"type": "string", "pattern": "b+"}"#, &["\"b\"", "\"abbc\""], &["\"a\""]),
    (r#"{"type": "string", "pattern": "^[[&&b]{2}\\d\\s\\/$"}"#, &["\"[&1 /\""], &["\"a[1 /\""]),
    (r#"{"type": "string", "pattern": "^\\u00e9{1,2}x{,2}$"}"#, &["\"éx{,2}\""], &["\"éx\""]),
    (
        r#"{"type": "string", "format": "date"}"#,
        &["\"2024-02-29\"", "\"2000-02-29\""],
        &["\"2023-02-29\"", "\"1900-02-29\"", "\"2024-13-01\""],
    ),
    (
        r#"{"type": "string", "format": "date-time", "pattern": "Z$"}"#,
        &["\"2024-01-31T23:59:59Z\""],
        &["\"2024-01-31T23:59:59+01:00\"", "\"2024-01-31T24:00:00Z\""],
    ),
    (r#"{"format": "uuid"}"#, &["1", "\"123e4567-e89b-12d3-a456-426614174000\""], &["\"x\""]),
    (
        r#"{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "boolean"}},
            "required": ["a"], "additionalProperties": false}"#,
        &["{\"a\":1}", "{\"a\": 1, \"b\": true}"],
        &["{}", "{\"b\":true}", "{\"a\":1,\"c\":2}", "{\"a\":\"x\"}"],
    ),
    // A name in other spellings is the same name.
    (
        r#"{"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": {"type": "string"}}"#,
        &["{\"a\":1,\"b\":\"x\"}", "{\"b\":\"x\"}"],
        &["{\"\\u0061\":\"x\"}", "{\"a\":\"x\"}", "{\"a\":1,\"\\u0061\":\"x\"}"],
    ),
    (
        r#"{"type": "object", "patternProperties": {"^x_": {"type": "integer"}}, "additionalProperties": false}"#,
        &["{}", "{\"x_1\":1}"],
        &["{\"y\":1}", "{\"x_\":\"s\"}"],
    ),
    (
        r#"{"type": "object", "minProperties": 1, "additionalProperties": {"type": "null"}}"#,
        &["{\"k\":null}"],
        &["{}"],
    ),
    (
        r#"{"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": false, "minItems": 1}"#,
        &["[1]", "[1,\"x\"]"],
        &["[]", "[\"x\"]", "[1,\"x\",2]"],
    ),
    (
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "array",
            "items": [{"type": "integer"}], "additionalItems": {"type": "null"}}"#,
        &["[]", "[1,null]"],
        &["[null]", "[1,2]"],
    ),
    (
        r##"{"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "required": ["v"],
            "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}}, "additionalProperties": false}}}"##,
        &["{\"v\":1}", "{\"v\":1,\"next\":{\"v\":2}}"],
        &["{\"next\":{\"v\":2}}", "{\"v\":1,\"next\":{}}"],
    ),
    // Pointers with escapes, anchors, the root's own identifier, and the root itself.
    (
        r##"{"type": "array", "prefixItems": [{"$ref": "#/$defs/a~1b%25"}, {"$ref": "#here"}, {"$ref": "https://x.example/s#/$defs/n"}],
            "$id": "https://x.example/s", "items": false, "minItems": 3,
            "$defs": {"a/b%": {"const": 1}, "m": {"$anchor": "here", "const": 2}, "n": {"const": 3}}}"##,
        &["[1,2,3]"],
        &["[1,2,2]", "[1,2]"],
    ),
    (
        r##"{"type": "array", "items": {"$ref": "#"}, "maxItems": 2}"##,
        &["[]", "[[],[[]]]"],
        &["[1]", "[[],[],[]]"],
    ),
    // Beside `$ref`: together today, ignored up to draft 7.
    (
        r##"{"$ref": "#/$defs/i", "maximum": 3, "$defs": {"i": {"type": "integer", "minimum": 1}}}"##,
        &["1", "3"],
        &["0", "4"],
    ),
    (
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/i", "maximum": 3,
            "definitions": {"i": {"type": "integer", "minimum": 1}}}"##,
        &["1", "4"],
        &["0"],
    ),
    (
        r#"{"allOf": [{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
            {"properties": {"b": {"type": "null"}}, "required": ["b"]}]}"#,
        &["{\"a\":1,\"b\":null}"],
        &["{\"a\":1}", "{\"b\":null}"],
    ),
    (
        r#"{"oneOf": [{"type": "object", "properties": {"t": {"const": "x"}}, "required": ["t"], "additionalProperties": false},
            {"type": "object", "properties": {"t": {"const": "y"}, "n": {"type": "integer"}}, "required": ["t", "n"], "additionalProperties": false}]}"#,
        &["{\"t\":\"x\"}", "{\"t\":\"y\",\"n\":1}"],
        &["{\"t\":\"y\"}", "{\"t\":\"x\",\"n\":1}"],
    ),
    (r#"{"type": ["string", "null"], "maxLength": 1}"#, &["null", "\"a\""], &["\"ab\"", "1"]),
    (
        r#"{"type": "array", "uniqueItems": false, "items": {"type": "null"}, "x-unknown": 3, "default": 5}"#,
        &["[null,null]"],
        &["[1]"],
    ),
    (
        r#"{"type": "object", "unevaluatedProperties": false, "properties": {"a": {"const": 1}}}"#,
        &["{\"a\":1}", "{}"],
        &["{\"b\":1}"],
    ),
];

#[test]
fn schemas_allow_their_texts_and_no_others() {
    let mut wrong = Vec::new();
    for (text, good, bad) in CASES {
        let grammar = match compile(&schema(text)) {
            Ok(grammar) => grammar,
            Err(e) => {
                wrong.push(format!("{e} in {text}"));
                continue;
            }
        };
        let is = |t: &&&str, want: bool| allows(&grammar, t) != want;
        wrong.extend(good.iter().filter(|t| is(t, true)).map(|t| format!("{t} follows {text}")));
        wrong.extend(bad.iter().filter(|t| is(t, false)).map(|t| format!("{t} does not follow {text}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every keyword that is not enforced: its name and place.
#[test]
fn what_is_not_enforced_is_refused_by_name() {
    let cases = [
        (r#"{"not": {"type": "null"}}"#, "not", ""),
        (
            r#"{"properties": {"a/b": {"items": {"uniqueItems": true}}}}"#,
            "uniqueItems",
            "/properties/a~1b/items",
        ),
        (r#"{"if": {"minimum": 1}, "then": {"maximum": 3}}"#, "if", ""),
        (r#"{"anyOf": [true, {"contains": {"const": 1}}]}"#, "contains", "/anyOf/1"),
        (
            r#"{"$defs": {"a": {"propertyNames": {"maxLength": 2}}}, "$ref": "\#/$defs/a"}"#,
            "propertyNames",
            "/$defs/a",
        ),
        (r#"{"dependentRequired": {"a": ["b"]}}"#, "dependentRequired", ""),
        (r#"{"dependentSchemas": {"a": {}}}"#, "dependentSchemas", ""),
        (r#"{"dependencies": {"a": ["b"]}}"#, "dependencies", ""),
        (r#"{"allOf": [{}], "unevaluatedProperties": false}"#, "unevaluatedProperties", ""),
        (r#"{"items": {"unevaluatedItems": {"type": "null"}}}"#, "unevaluatedItems", "/items"),
        (r##"{"$dynamicRef": "#x"}"##, "$dynamicRef", ""),
        (r#"{"properties": {"a": {"$id": "other"}}}"#, "$id", "/properties/a"),
        (r#"{"type": "string", "format": "regex"}"#, "format", ""),
        (r#"{"type": "string", "pattern": "(?=a)b"}"#, "pattern", ""),
        (r#"{"type": "string", "pattern": "\\bx"}"#, "pattern", ""),
        (r#"{"type": "string", "pattern": "(a)\\1"}"#, "pattern", ""),
        (r#"{"maximum": 9007199254740993}"#, "maximum", ""),
        (r#"{"const": [12345678901234567890]}"#, "const", ""),
        (r#"{"properties": {"a": {"enum": ["\u0001"]}}}"#, "enum", "/properties/a"),
        (r#"{"type": "object", "minProperties": 2}"#, "minProperties", ""),
        (r#"{"$schema": "https://example.org/mine"}"#, "$schema", ""),
    ];
    for (text, keyword, at) in cases {
        let text = text.replace("\\#", "#");
        match compile(&schema(&text)) {
            Err(GrammarError::Schema(SchemaError::Unsupported { keyword: k, at: a, .. })) => {
                assert_eq!((k.as_str(), a.as_str()), (keyword, at), "{text}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn wrong_schemas_are_errors() {
    let cases = [
        "",
        "{",
        "3",
        "null",
        "false",
        r#"{"type": "strin"}"#,
        r#"{"type": []}"#,
        r#"{"properties": []}"#,
        r#"{"properties": {"a": 1}}"#,
        r#"{"required": true}"#,
        r#"{"minLength": -1}"#,
        r#"{"minimum": "1"}"#,
        r#"{"multipleOf": 0}"#,
        r#"{"enum": []}"#,
        r#"{"enum": 1}"#,
        r#"{"anyOf": []}"#,
        r#"{"pattern": "["}"#,
        r#"{"pattern": "(?i)a"}"#,
        r##"{"$ref": "#/nothing"}"##,
        r#"{"$ref": "other.json"}"#,
        r##"{"$ref": "#name"}"##,
        r#"{"$ref": 3}"#,
        r#"{"type": "object", "required": ["a"], "properties": {"a": false}}"#,
        r#"{"type": "integer", "minimum": 2, "maximum": 1}"#,
        r##"{"$ref": "#"}"##,
        r##"{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}"##,
    ];
    for text in cases {
        match compile(&schema(text)) {
            Err(e) => assert!(!e.to_string().is_empty()),
            Ok(grammar) => {
                // A grammar without a text is found out by its first mask, before anything is drawn.
                let mut mask = vec![0; 64];
                assert!(grammar.matcher().mask(&mut mask).is_err(), "{text} is a grammar");
            }
        }
    }
}
