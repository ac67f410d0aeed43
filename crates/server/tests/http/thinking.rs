//! Thoughts under a budget, as each interface asks for it.

use crate::client::{Running, SMALL};
use crate::structured::{THINKS, serve, with};
use akunu_server::Options;
use serde_json::{Value, json};

fn hello() -> Value {
    json!([{"role": "user", "content": "hello"}])
}

fn chat(s: &Running, more: Value) -> Value {
    let v = json!({"messages": hello(), "max_tokens": 60, "temperature": 0, "ignore_eos": true});
    s.post("/v1/chat/completions", &with(&v, more)).json()
}

#[test]
fn a_chat_answers_once_its_budget_is_used_up() {
    let s = serve(THINKS);
    let close =
        s.post("/tokenize", &json!({"content": "</think>"})).json()["tokens"].as_array().unwrap().len();
    let free = chat(&s, json!({}));
    assert_eq!(free["choices"][0]["message"]["content"], "", "{free}");
    let all = free["choices"][0]["message"]["reasoning_content"].as_str().unwrap().to_owned();
    assert_eq!(free["usage"]["completion_tokens_details"]["reasoning_tokens"], 60);
    for budget in [0, 1, 9, 40] {
        for (stream, n) in [(false, 1), (true, 1), (false, 3)] {
            let more = json!({"thinking_token_budget": budget, "n": n, "stream": stream,
                "stream_options": {"include_usage": true}});
            let (thoughts, text, usage) = if stream {
                let v = json!({"messages": hello(), "max_tokens": 60, "temperature": 0, "ignore_eos": true});
                let events = s.post("/v1/chat/completions", &with(&v, more)).events();
                let joined = |name: &str| -> String {
                    let each = events.iter().filter_map(|e| e["choices"].get(0)?["delta"][name].as_str());
                    each.collect()
                };
                (joined("reasoning_content"), joined("content"), events.last().unwrap()["usage"].clone())
            } else {
                let whole = chat(&s, more);
                let m = &whole["choices"][n - 1]["message"];
                let text = |name: &str| m[name].as_str().unwrap_or_default().to_owned();
                (text("reasoning_content"), text("content"), whole["usage"].clone())
            };
            assert!(!text.is_empty() && !text.contains("think>"), "{budget}: {text}");
            assert!(
                all.starts_with(thoughts.trim_end()) && thoughts.is_empty() == (budget == 0),
                "{thoughts}"
            );
            // Those that end them are thoughts too.
            let told = &usage["completion_tokens_details"]["reasoning_tokens"];
            assert_eq!((told, &usage["completion_tokens"]), (&json!((budget + close) * n), &json!(60 * n)));
        }
    }
    let same = |more| chat(&s, more)["choices"].clone();
    assert_eq!(same(json!({"reasoning_effort": "none"})), same(json!({"thinking_token_budget": 0})));
    // A budget that is not used up changes nothing.
    for effort in ["minimal", "xhigh"] {
        let m = &chat(&s, json!({"reasoning_effort": effort}))["choices"][0]["message"];
        assert_eq!(m["reasoning_content"], all.as_str());
    }
    s.rest();
}

#[test]
fn each_interface_bounds_thoughts_in_its_own_words() {
    let s = serve(THINKS);
    // (path, request, what bounds them, what does not, where thoughts are told)
    let cases = [
        (
            "/v1/responses",
            json!({"input": "hello", "max_output_tokens": 40, "temperature": 0}),
            json!({"reasoning": {"effort": "none"}}),
            json!({"reasoning": {"effort": "xhigh", "summary": "auto"}}),
        ),
        (
            "/v1/messages",
            json!({"messages": hello(), "max_tokens": 40, "temperature": 0}),
            json!({"thinking": {"type": "disabled"}}),
            json!({"thinking": {"type": "adaptive"}}),
        ),
        (
            "/api/chat",
            json!({"messages": hello(), "stream": false, "options": {"num_predict": 40, "temperature": 0}}),
            json!({"think": false}),
            json!({"think": true}),
        ),
        (
            "/api/generate",
            json!({"prompt": "hello", "stream": false, "options": {"num_predict": 40, "temperature": 0}}),
            json!({"think": false}),
            json!({"think": "high"}),
        ),
    ];
    for (path, v, none, more) in cases {
        let thoughts = |more: &Value| {
            let a = s.post(path, &with(&v, more.clone())).json();
            let at =
                |pointer: &str| a.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
            let all = match path {
                "/v1/responses" if at("/output/0/type") == "reasoning" => at("/output/0/content/0/text"),
                "/v1/messages" => at("/content/0/thinking"),
                "/api/chat" => at("/message/thinking"),
                "/api/generate" => at("/thinking"),
                _ => String::new(),
            };
            (all, a)
        };
        let (free, _) = thoughts(&json!({}));
        assert!(!free.is_empty(), "{path}");
        assert_eq!(thoughts(&more).0, free, "{path}");
        let (got, a) = thoughts(&none);
        assert_eq!(got, "", "{path}: {a}");
        if path == "/v1/responses" {
            assert_eq!(a["reasoning"], json!({"effort": "none", "summary": null}));
            let u = &a["usage"];
            assert!(u["output_tokens_details"]["reasoning_tokens"].as_u64() < u["output_tokens"].as_u64());
        }
    }
    let v =
        json!({"messages": hello(), "max_tokens": 40, "thinking": {"type": "enabled", "budget_tokens": 40}});
    let e = s.post("/v1/messages", &v);
    assert!(e.status == 400 && e.text().contains("less than `max_tokens`"), "{e:?}");
    let v = json!({"prompt": "hello", "raw": true, "think": true});
    assert_eq!(s.post("/api/generate", &v).status, 400, "a raw prompt has no thoughts");
    s.rest();
}

#[test]
fn a_form_comes_after_thoughts_that_were_ended() {
    let s = serve(THINKS);
    let schema = json!({"enum": ["red", "blue"]});
    let format = json!({"type": "json_schema", "json_schema": {"name": "x", "schema": schema}});
    for budget in [0, 4, 30] {
        let whole =
            chat(&s, json!({"thinking_token_budget": budget, "response_format": format, "max_tokens": 200}));
        let m = &whole["choices"][0]["message"];
        assert!(["\"red\"", "\"blue\""].contains(&m["content"].as_str().unwrap()), "{whole}");
    }
}

#[test]
fn a_model_that_marks_no_thoughts_says_so() {
    let s = Running::new(SMALL, Options::default());
    for (path, v, more) in [
        ("/v1/chat/completions", json!({"messages": hello()}), json!({"reasoning_effort": "low"})),
        ("/v1/responses", json!({"input": "hello"}), json!({"reasoning": {"effort": "low"}})),
    ] {
        let e = s.post(path, &with(&v, more));
        assert_eq!(e.code(), (400, "unsupported_by_model".into()), "{path}");
    }
    let v = json!({"messages": hello(), "max_tokens": 5});
    let enabled = json!({"thinking": {"type": "enabled", "budget_tokens": 2}});
    assert_eq!(s.post("/v1/messages", &with(&v, enabled)).status, 400);
    assert_eq!(s.post("/v1/messages", &with(&v, json!({"thinking": {"type": "disabled"}}))).status, 200);
    let v = json!({"messages": hello(), "stream": false, "options": {"num_predict": 3}});
    assert_eq!(s.post("/api/chat", &with(&v, json!({"think": true}))).status, 400);
    assert_eq!(s.post("/api/chat", &with(&v, json!({"think": false}))).status, 200);
    let none = json!({"messages": hello(), "max_tokens": 5, "reasoning_effort": "none"});
    assert_eq!(s.post("/v1/chat/completions", &none).status, 200);
}
