//! What the routes answer, streaming and not.

use crate::client::{Running, SMALL};
use akunu_server::Options;
use serde_json::{Value, json};

fn chat(more: Value) -> Value {
    let mut v = json!({ "model": "tiny", "messages": [{ "role": "user", "content": "hello there" }], "temperature": 0, "max_tokens": 24 });
    v.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    v
}

/// The texts of a stream's choices, and its usage.
fn streamed(events: &[Value], text: impl Fn(&Value) -> Option<&str>) -> (Vec<String>, Vec<String>, Value) {
    let (mut texts, mut ends, mut usage) = (Vec::new(), Vec::new(), Value::Null);
    for e in events {
        assert!(e.get("error").is_none(), "{e}");
        if let Some(u) = e.get("usage").filter(|u| !u.is_null()) {
            usage = u.clone();
        }
        for c in e["choices"].as_array().unwrap() {
            let i = c["index"].as_u64().unwrap() as usize;
            texts.resize(texts.len().max(i + 1), String::new());
            ends.resize(texts.len(), String::new());
            texts[i].push_str(text(c).unwrap_or(""));
            if let Some(f) = c["finish_reason"].as_str() {
                assert!(ends[i].is_empty(), "{e}");
                ends[i] = f.into();
            }
        }
    }
    (texts, ends, usage)
}

#[test]
fn a_stream_says_what_one_piece_says() {
    let s = Running::new(SMALL, Options::default());
    for more in [
        json!({}),
        json!({"n": 3, "temperature": 0.9, "seed": 5}),
        json!({"ignore_eos": true, "max_tokens": null}),
    ] {
        let whole = s.post("/v1/chat/completions", &chat(more.clone()));
        assert_eq!(
            (whole.status, whole.headers["content-type"].as_str()),
            (200, "application/json"),
            "{whole:?}"
        );
        let whole = whole.json();
        let mut v = chat(more);
        v["stream"] = true.into();
        v["stream_options"] = json!({ "include_usage": true });
        let stream = s.post("/v1/chat/completions", &v);
        assert_eq!((stream.status, stream.headers["content-type"].as_str()), (200, "text/event-stream"));
        assert!(stream.text().ends_with("data: [DONE]\n\n"));
        let (texts, ends, usage) = streamed(&stream.events(), |c| c["delta"]["content"].as_str());
        let choices = whole["choices"].as_array().unwrap();
        assert_eq!(texts.len(), choices.len());
        for (i, c) in choices.iter().enumerate() {
            assert_eq!((&c["message"]["content"], &c["finish_reason"]), (&json!(texts[i]), &json!(ends[i])));
            assert_eq!(c["index"], i);
        }
        // What was in the cache depends on who asked before.
        for key in ["prompt_tokens", "completion_tokens", "total_tokens"] {
            assert_eq!(usage[key], whole["usage"][key], "{key}");
        }
        let sum = usage["prompt_tokens"].as_u64().unwrap() + usage["completion_tokens"].as_u64().unwrap();
        assert_eq!(usage["total_tokens"], sum);
    }
    let events = s.post("/v1/chat/completions", &chat(json!({"stream": true}))).events();
    assert_eq!(events[0]["choices"][0]["delta"], json!({"role": "assistant", "content": ""}));
    assert!(events.iter().all(|e| e.get("usage").is_none() && e["object"] == "chat.completion.chunk"));
    s.end().unwrap();
}

#[test]
fn prompts_of_every_form_are_continued() {
    let s = Running::new(SMALL, Options::default());
    let ask = |prompt: Value, more: Value| {
        let mut v = json!({"prompt": prompt, "max_tokens": 8, "temperature": 0, "ignore_eos": true});
        v.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        s.post("/v1/completions", &v)
    };
    let texts = |v: &Value| -> Vec<Value> {
        v["choices"].as_array().unwrap().iter().map(|c| c["text"].clone()).collect()
    };
    let one = ask(json!("some words"), json!({})).json();
    assert_eq!(one["object"], "text_completion");
    assert_eq!(one["usage"]["completion_tokens"], 8);
    let ids = s.post("/tokenize", &json!({"prompt": "some words"})).json();
    assert_eq!(ids["count"], ids["tokens"].as_array().unwrap().len());
    assert_eq!(s.post("/detokenize", &json!({"tokens": ids["tokens"]})).json()["content"], "some words");
    assert_eq!(texts(&ask(ids["tokens"].clone(), json!({})).json()), texts(&one));
    let two = ask(json!(["some words", "other"]), json!({"n": 2})).json();
    assert_eq!(
        (texts(&two).len(), texts(&two)[0].clone(), texts(&two)[1].clone()),
        (4, texts(&one)[0].clone(), texts(&one)[0].clone())
    );
    assert_eq!(two["usage"]["completion_tokens"], 32);
    let other = ask(json!("other"), json!({})).json();
    assert_eq!(
        two["usage"]["prompt_tokens"].as_u64(),
        Some(
            one["usage"]["prompt_tokens"].as_u64().unwrap()
                + other["usage"]["prompt_tokens"].as_u64().unwrap()
        )
    );
    let echo = ask(json!("some words"), json!({"echo": true})).json();
    assert_eq!(texts(&echo)[0], format!("some words{}", texts(&one)[0].as_str().unwrap()));
    let stream = ask(json!(["some words", "other"]), json!({"n": 2, "stream": true, "echo": true})).events();
    let (streamed, ends, _) = streamed(&stream, |c| c["text"].as_str());
    assert_eq!(streamed[0], texts(&echo)[0].as_str().unwrap());
    assert_eq!(ends, ["length"; 4]);
    for (prompt, code) in [
        (json!(""), "empty_prompt"),
        (json!([]), "empty_prompt"),
        (json!(["x", ""]), "empty_prompt"),
        (json!([[], [1]]), "empty_prompt"),
        (json!([1, "x"]), "invalid_type"),
        (json!(["x", [1]]), ""),
        (json!([1.5]), "invalid_value"),
        (json!([-1]), "invalid_value"),
        (json!([5000]), "invalid_token"),
        (json!([4_294_967_296u64]), "invalid_value"),
        (json!({}), "invalid_type"),
        (Value::Null, "missing_parameter"),
        (json!(vec!["x"; 17]), "invalid_value"),
    ] {
        let a = ask(prompt.clone(), json!({}));
        match code {
            "" => assert_eq!(a.status, 200, "{prompt}"),
            code => assert_eq!(a.code(), (400, code.to_owned()), "{prompt}"),
        }
    }
}

#[test]
fn stop_strings_end_an_answer_and_are_not_part_of_it() {
    let s = Running::new(SMALL, Options::default());
    let ask = |more: Value| {
        let mut v = json!({"prompt": "abc", "temperature": 0, "max_tokens": 60, "ignore_eos": true});
        v.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        s.post("/v1/completions", &v)
    };
    let all = ask(json!({})).json()["choices"][0]["text"].as_str().unwrap().to_owned();
    let stop: String = all.chars().skip(all.chars().count() / 2).take(3).collect();
    let want = all.split(&stop).next().unwrap();
    let v = ask(json!({"stop": stop})).json();
    assert_eq!((&v["choices"][0]["text"], &v["choices"][0]["finish_reason"]), (&json!(want), &json!("stop")));
    assert!(v["usage"]["completion_tokens"].as_u64().unwrap() < 60);
    let (texts, ends, _) =
        streamed(&ask(json!({"stop": ["never there", stop], "stream": true})).events(), |c| {
            c["text"].as_str()
        });
    assert_eq!((texts[0].as_str(), ends[0].as_str()), (want, "stop"));
    s.rest();
}

#[test]
fn the_cache_and_the_context_are_told_in_numbers() {
    let s = Running::new(SMALL, Options::default());
    let ids: Vec<u32> = (0..550).map(|i| i * 7 % 900).collect();
    let ask = |prompt: &[u32], max: u32| {
        s.post("/v1/completions", &json!({"prompt": prompt, "max_tokens": max, "temperature": 0}))
    };
    assert_eq!(ask(&ids, 4).json()["usage"]["prompt_tokens_details"]["cached_tokens"], 0);
    assert!(ask(&ids, 4).json()["usage"]["prompt_tokens_details"]["cached_tokens"].as_u64().unwrap() >= 512);
    assert_eq!(ask(&ids, 50).status, 200);
    let e = ask(&ids, 51);
    assert_eq!(e.code(), (400, "context_length_exceeded".to_owned()));
    for number in ["550", "51", "601", "600"] {
        assert!(e.text().contains(number), "{}", e.text());
    }
    // Without a limit the context is one.
    let v = s.post("/v1/completions", &json!({"prompt": ids, "ignore_eos": true})).json();
    assert_eq!(v["choices"][0]["finish_reason"], "length");
    assert!((50..=51).contains(&v["usage"]["completion_tokens"].as_u64().unwrap()));
}

#[test]
fn models_are_found_by_their_names_alone() {
    let s = Running::new(SMALL, Options::default());
    let list = s.get("/v1/models").json();
    assert_eq!((&list["object"], &list["data"][0]["id"]), (&json!("list"), &json!("tiny")));
    assert_eq!(list["data"][0]["max_model_len"], 600);
    for name in ["tiny", "gpt-x", "%74iny"] {
        assert_eq!(s.get(&format!("/v1/models/{name}")).json()["id"], "tiny", "{name}");
    }
    for name in ["../tiny", "..%2f..%2fetc%2fpasswd", "tiny/", "Tiny", "%00", "x".repeat(5000).as_str()] {
        let e = s.get(&format!("/v1/models/{name}"));
        assert_eq!(e.code(), (404, "model_not_found".to_owned()), "{name}");
        assert!(e.body.len() < 500);
        let e = s.post("/v1/chat/completions", &chat(json!({ "model": name })));
        assert_eq!(e.code(), (404, "model_not_found".to_owned()), "{name}");
    }
    assert_eq!(
        s.post("/v1/chat/completions", &chat(json!({"model": 5}))).code(),
        (400, "invalid_type".to_owned())
    );
}

#[test]
fn templates_and_conversations() {
    let s = Running::new(SMALL, Options::default());
    let messages = json!([{"role": "developer", "content": "a"}, {"role": "user", "content": [{"type": "text", "text": "b"}]}]);
    let v = s.post("/apply-template", &json!({ "messages": messages })).json();
    assert_eq!(v["prompt"], "system: a\nuser: b\nassistant: ");
    let v = s.post("/apply-template", &json!({"messages": messages, "add_generation_prompt": false})).json();
    assert_eq!(v["prompt"], "system: a\nuser: b\n");
    let e = s.post(
        "/v1/chat/completions",
        &json!({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}),
    );
    assert_eq!(e.code(), (400, "unsupported_content".to_owned()));
    assert_eq!(e.json()["error"]["param"], "messages[0].content[0]");
    let e = s.post("/v1/chat/completions", &chat(json!({"functions": [{}]})));
    assert_eq!(
        (e.code().1.as_str(), &e.json()["error"]["param"]),
        ("unsupported_parameter", &json!("functions"))
    );
    let pieces = s.post("/tokenize", &json!({"content": "ab", "with_pieces": true})).json();
    assert_eq!(pieces["tokens"][0]["piece"], "ab");
    assert_eq!(s.post("/detokenize", &json!({"tokens": [99_999]})).code().0, 400);
}
