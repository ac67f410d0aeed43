//! Tool calls and reasoning: what models write, cut in any way.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::reasoning::{REASONING_FORMATS, ReasoningFormat, ReasoningSplitter, Voice};
use akunu::tools::{TOOL_FORMATS, ToolCall, ToolEvent, ToolFormat, ToolParser, join};
use proptest::prelude::*;

fn parse(format: ToolFormat, pieces: &[&str]) -> (String, Vec<ToolCall>) {
    let mut parser = ToolParser::new(format);
    let mut events = Vec::new();
    pieces.iter().for_each(|p| parser.push(p, &mut events));
    parser.finish(&mut events);
    check_order(&events);
    join(&events)
}

/// Begin, arguments, end; indices count up; nothing within a call but its arguments.
fn check_order(events: &[ToolEvent]) {
    let (mut open, mut next) = (false, 0);
    for e in events {
        match e {
            ToolEvent::Begin { index, name } => {
                assert!(!open && *index == next && !name.is_empty(), "{events:?}");
                (open, next) = (true, next + 1);
            }
            ToolEvent::Arguments(_) => assert!(open, "{events:?}"),
            ToolEvent::End => assert!(std::mem::take(&mut open), "{events:?}"),
            ToolEvent::Broken(_) => next -= usize::from(std::mem::take(&mut open)),
            ToolEvent::Text(t) => assert!(!open && !t.is_empty(), "{events:?}"),
        }
    }
    assert!(!open, "{events:?}");
}

type Want = (&'static str, &'static [(&'static str, &'static str)]);

/// A format, an answer, its text and calls.
const ANSWERS: &[(ToolFormat, &str, Want)] = &[
    (ToolFormat::Hermes, "Hello", ("Hello", &[])),
    (
        ToolFormat::Hermes,
        "I look.\n<tool_call>\n{\"name\": \"get\", \"arguments\": {\"city\": \"Paris }\\\" \\u00e9\", \"n\": [1, {\"a\": -2.5e3}]}}\n</tool_call>",
        ("I look.\n", &[("get", "{\"city\": \"Paris }\\\" \\u00e9\", \"n\": [1, {\"a\": -2.5e3}]}")]),
    ),
    (
        ToolFormat::Hermes,
        "<tool_call>{\"arguments\":{\"a\":1},\"name\":\"x\"}</tool_call>\n<tool_call>{\"name\":\"y\"}</tool_call> bye",
        ("\n bye", &[("x", "{\"a\":1}"), ("y", "{}")]),
    ),
    (
        ToolFormat::Hermes,
        "<tool_call>{\"name\":\"x\",\"arguments\":\"{\\\"a\\\": 2}\"}",
        ("", &[("x", "{\"a\": 2}")]),
    ),
    (ToolFormat::Hermes, "a < b <tool_cal", ("a < b <tool_cal", &[])),
    (ToolFormat::Hermes, "<tool_call>nothing</tool_call>", ("<tool_call>nothing</tool_call>", &[])),
    (
        ToolFormat::Hermes,
        "<tool_call>{\"name\":\"x\",\"arguments\":{\"a\":}} y",
        ("<tool_call>{\"name\":\"x\",\"arguments\":{\"a\":}} y", &[]),
    ),
    (
        ToolFormat::Hermes,
        "<tool_call>{\"name\":\"x\",\"arguments\":{\"a\":1",
        ("<tool_call>{\"name\":\"x\",\"arguments\":{\"a\":1", &[]),
    ),
    (ToolFormat::Hermes, "<tool_call>{\"a\":1}</tool_call>", ("<tool_call>{\"a\":1}</tool_call>", &[])),
    (
        ToolFormat::Hermes,
        "<tool_call>{\"name\":\"x\",\"arguments\":{}} no <tool_call>{\"name\":\"y\",\"arguments\":{\"k\":null}}</tool_call>",
        ("<tool_call>{\"name\":\"x\",\"arguments\":{}} no ", &[("y", "{\"k\":null}")]),
    ),
    (
        ToolFormat::Hermes,
        "<tool_call>{\"name\":\"x\",\"n\":12,\"arguments\":[1]}</tool_call>",
        ("<tool_call>{\"name\":\"x\",\"n\":12,\"arguments\":[1]}</tool_call>", &[]),
    ),
    (
        ToolFormat::Llama3,
        "{\"name\": \"get\", \"parameters\": {\"q\": \"x\"}}",
        ("", &[("get", "{\"q\": \"x\"}")]),
    ),
    (
        ToolFormat::Llama3,
        "{\"type\": \"function\", \"function\": {\"name\": \"f\", \"arguments\": {\"a\": true}}}",
        ("", &[("f", "{\"a\":true}")]),
    ),
    (
        ToolFormat::Llama3,
        " \n<|python_tag|>{\"name\": \"get\", \"parameters\": {}}",
        (" \n", &[("get", "{}")]),
    ),
    (ToolFormat::Llama3, "<|python_tag|>print(1)", ("<|python_tag|>print(1)", &[])),
    (
        ToolFormat::Llama3,
        "Look: {\"name\": \"get\", \"parameters\": {}}",
        ("Look: {\"name\": \"get\", \"parameters\": {}}", &[]),
    ),
    (ToolFormat::Llama3, "{\"answer\": 42}", ("{\"answer\": 42}", &[])),
    (ToolFormat::Llama3, "{1}", ("{1}", &[])),
    (
        ToolFormat::Mistral,
        "[TOOL_CALLS] [{\"name\": \"a\", \"arguments\": {\"x\": 1}, \"id\": \"abcdefghi\"}, {\"name\": \"b\", \"arguments\": {}}]",
        ("", &[("a", "{\"x\": 1}"), ("b", "{}")]),
    ),
    (
        ToolFormat::Mistral,
        "Ok.[TOOL_CALLS]get_weather[ARGS]{\"city\": \"Rome\"}[TOOL_CALLS]b[CALL_ID]x12[ARGS]{}",
        ("Ok.", &[("get_weather", "{\"city\": \"Rome\"}"), ("b", "{}")]),
    ),
    (ToolFormat::Mistral, "[TOOL_CALLS]get{\"city\": 1}", ("", &[("get", "{\"city\": 1}")])),
    (ToolFormat::Mistral, "[TOOL_CALLS][{\"name\": \"a\", \"arguments\": {}}, oh", (", oh", &[("a", "{}")])),
    (ToolFormat::Mistral, "[TOOL_CALLS](x)", ("[TOOL_CALLS](x)", &[])),
    (ToolFormat::Mistral, "[TOOL_CALLS]a b[ARGS]{}", ("[TOOL_CALLS]a b[ARGS]{}", &[])),
    (
        ToolFormat::Gemma,
        "Sure.\n```tool_code\nget_weather(city=\"Paris\", days=[1, 2.5], deep={'a': None, \"b\": (True, False)})\n```\nDone",
        (
            "Sure.\n\nDone",
            &[(
                "get_weather",
                "{\"city\":\"Paris\",\"days\":[1,2.5],\"deep\":{\"a\":null,\"b\":[true,false]}}",
            )],
        ),
    ),
    (
        ToolFormat::Gemma,
        "```tool_code\nprint(a.b(x=-1))\nc()\n```",
        ("", &[("a.b", "{\"x\":-1}"), ("c", "{}")]),
    ),
    (ToolFormat::Gemma, "```tool_code\nx = 1\n```!", ("```tool_code\nx = 1\n```!", &[])),
    (ToolFormat::Gemma, "```tool_code\nf(x=open(1))\n```", ("```tool_code\nf(x=open(1))\n```", &[])),
    (
        ToolFormat::Gemma,
        "```json\n{\"name\": \"f\", \"parameters\": {\"a\": 1}}\n```",
        ("", &[("f", "{\"a\":1}")]),
    ),
    (ToolFormat::Gemma, "```json\n{\"a\": 1}\n```", ("```json\n{\"a\": 1}\n```", &[])),
    (ToolFormat::Gemma, "{\"name\": \"f\", \"parameters\": {\"a\": 1}}", ("", &[("f", "{\"a\": 1}")])),
    (ToolFormat::Gemma, "```python\nx\n```", ("```python\nx\n```", &[])),
];

#[test]
fn answers_give_their_calls_whole_and_by_characters() {
    for (format, answer, (text, calls)) in ANSWERS {
        let want: Vec<ToolCall> =
            calls.iter().map(|(n, a)| ToolCall { name: (*n).into(), arguments: (*a).into() }).collect();
        let chars: Vec<String> = answer.chars().map(String::from).collect();
        let chars: Vec<&str> = chars.iter().map(String::as_str).collect();
        for pieces in [&[*answer][..], &chars] {
            assert_eq!(parse(*format, pieces), ((*text).to_owned(), want.clone()), "{format:?} {answer:?}");
        }
        for call in &want {
            assert!(serde_json::from_str::<serde_json::Value>(&call.arguments).unwrap().is_object());
        }
    }
}

#[test]
fn arguments_come_before_the_call_is_complete() {
    let mut parser = ToolParser::new(ToolFormat::Hermes);
    let mut events = Vec::new();
    parser.push("<tool_call>{\"name\":\"f\",\"arguments\":{\"text\":\"a long", &mut events);
    let want =
        [ToolEvent::Begin { index: 0, name: "f".into() }, ToolEvent::Arguments("{\"text\":\"a long".into())];
    assert_eq!(events, want);
}

#[test]
fn formats_are_found_by_templates() {
    let of = ToolFormat::of_template;
    assert_eq!(of("... [TOOL_CALLS] ..."), Some(ToolFormat::Mistral));
    assert_eq!(of("<tool_call>\n{{ x }}"), Some(ToolFormat::Hermes));
    assert_eq!(of("<tool_call>\n<function="), None);
    assert_eq!(of("Environment: ipython"), Some(ToolFormat::Llama3));
    assert_eq!(of("<start_of_turn>model"), Some(ToolFormat::Gemma));
    assert_eq!(of("<|im_start|>"), None);
    assert_eq!(TOOL_FORMATS.len(), 4);
    let thinks = ReasoningFormat::of_template("{% if x %}<think>{{ y }}</think>").unwrap();
    assert!(
        thinks.begun_by("<|im_start|>assistant\n<think>\n") && !thinks.begun_by("<|im_start|>assistant\n")
    );
    assert!(ReasoningFormat::of_template("<|im_start|>").is_none());
}

/// Texts that come near what parsers look for.
fn near() -> impl Strategy<Value = String> {
    let bits = prop::sample::select(vec![
        "<tool_call>",
        "</tool_call>",
        "[TOOL_CALLS]",
        "[ARGS]",
        "[CALL_ID]",
        "<|python_tag|>",
        "```tool_code\n",
        "```json\n",
        "```",
        "{\"name\": \"f\", \"arguments\": {\"a\": [1, 2]}}",
        "{\"name\":",
        "\"f\"",
        "\"arguments\":",
        "{",
        "}",
        "[",
        "]",
        ",",
        "\"",
        "\\",
        "12",
        "1.5e",
        "null",
        "tru",
        " ",
        "\n",
        "f(x=1)",
        "é",
        "<",
        "name",
        "{}",
        "\"parameters\":{}",
        "<think>",
        "</think>",
        "</thi",
    ]);
    prop::collection::vec(bits, 0..14).prop_map(|v| v.concat())
}

fn cut<'t>(text: &'t str, cuts: &[prop::sample::Index]) -> Vec<&'t str> {
    let mut at: Vec<usize> = cuts.iter().map(|c| c.index(text.len() + 1)).collect();
    at.retain(|a| text.is_char_boundary(*a));
    at.extend([0, text.len()]);
    at.sort_unstable();
    at.windows(2).map(|w| &text[w[0]..w[1]]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn cuts_do_not_matter(text in near(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        for format in TOOL_FORMATS {
            let whole = parse(*format, &[&text]);
            prop_assert_eq!(&parse(*format, &cut(&text, &cuts)), &whole);
            for call in &whole.1 {
                prop_assert!(serde_json::from_str::<serde_json::Value>(&call.arguments).unwrap().is_object(), "{:?}", whole);
            }
            // Without a call nothing is lost.
            if whole.1.is_empty() && !text.contains("tool_code") && !text.contains("[TOOL_CALLS]") {
                prop_assert_eq!(&whole.0, &text, "{:?}", format);
            }
        }
        for (_, format) in REASONING_FORMATS {
            let split = |pieces: &[&str]| {
                let mut splitter = ReasoningSplitter::new(*format, "");
                let mut out = Vec::new();
                pieces.iter().for_each(|p| splitter.push(p, &mut out));
                splitter.finish(&mut out);
                out
            };
            prop_assert_eq!(split(&[&text]), split(&cut(&text, &cuts)));
        }
    }
}

#[test]
fn thoughts_are_split_from_answers() {
    let (_, think) = REASONING_FORMATS.iter().find(|(m, _)| *m == "</think>").unwrap();
    let split = |prompt: &str, text: &str| {
        let mut splitter = ReasoningSplitter::new(*think, prompt);
        let mut out = Vec::new();
        splitter.push(text, &mut out);
        splitter.finish(&mut out);
        out
    };
    let piece = |v: Voice, t: &str| (v, t.to_owned());
    use Voice::{Answer, Reasoning};
    assert_eq!(
        split("", "<think>\nhm, 1 < 2 </thin\n</think>\n\nYes."),
        [piece(Reasoning, "hm, 1 < 2 </thin"), piece(Answer, "Yes.")]
    );
    assert_eq!(
        split("x<think>\n", "hm</think>Yes </think>"),
        [piece(Reasoning, "hm"), piece(Answer, "Yes </think>")]
    );
    assert_eq!(split("", "Yes <think>no</think>"), [piece(Answer, "Yes <think>no</think>")]);
    assert_eq!(split("", " \n<think></think>"), []);
    assert_eq!(split("", "<think>never ends "), [piece(Reasoning, "never ends ")]);
    assert_eq!(split("", "<thi"), [piece(Answer, "<thi")]);
    let (_, oss) = REASONING_FORMATS[0];
    let mut splitter = ReasoningSplitter::new(oss, "");
    let mut out = Vec::new();
    splitter.push(
        "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Yes",
        &mut out,
    );
    assert_eq!(out, [piece(Reasoning, "hm"), piece(Answer, "Yes")]);
}
