//! The interfaces beside OpenAI's older two: the same answer in other words.

use crate::client::{Running, SMALL, head};
use akunu_server::Options;
use serde_json::{Value, json};

/// What is asked, and what all interfaces should say to it: the answer of `/v1/chat/completions`.
struct Expected {
    said: String,
    text: String,
    prompt: u64,
    drawn: u64,
}

/// Something that the model has an answer to of some length.
fn expected(s: &Running) -> Expected {
    let ask = |i: usize| {
        let said = format!("hello number {i}");
        let v = json!({"messages": [{"role": "user", "content": said}], "max_tokens": 20, "temperature": 0});
        let v = s.post("/v1/chat/completions", &v).json();
        let text = v["choices"][0]["message"]["content"].as_str().unwrap().to_owned();
        let number = |name: &str| v["usage"][name].as_u64().unwrap();
        Expected { said, text, prompt: number("prompt_tokens"), drawn: number("completion_tokens") }
    };
    (0..100).map(ask).find(|e| e.text.chars().count() > 8).unwrap()
}

/// The events of a stream by their names.
fn named(text: &str) -> Vec<(String, Value)> {
    let events = text.split("\n\n").filter(|e| !e.is_empty());
    events
        .map(|e| {
            let (name, data) = e.split_once('\n').unwrap();
            let name = name.strip_prefix("event: ").unwrap().to_owned();
            let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
            assert_eq!(data["type"], name);
            (name, data)
        })
        .collect()
}

#[test]
fn anthropics_messages() {
    let s = Running::new(SMALL, Options::default());
    let Expected { said, text, prompt, drawn } = expected(&s);
    let mut v = json!({"model": "tiny", "messages": [{"role": "user", "content": [{"type": "text", "text": said, "cache_control": {"type": "ephemeral"}}]}],
        "max_tokens": 20, "temperature": 0});
    let whole = s.post("/v1/messages", &v).json();
    assert_eq!(
        (&whole["type"], &whole["role"], &whole["content"]),
        (&json!("message"), &json!("assistant"), &json!([{"type": "text", "text": text}]))
    );
    let u = &whole["usage"];
    assert_eq!(u["input_tokens"].as_u64().unwrap() + u["cache_read_input_tokens"].as_u64().unwrap(), prompt);
    assert_eq!(u["output_tokens"], drawn);
    assert_eq!(
        s.post("/v1/messages/count_tokens", &json!({"model": "tiny", "messages": v["messages"]})).json(),
        json!({"input_tokens": prompt})
    );
    v["stream"] = true.into();
    let events = named(&s.post("/v1/messages", &v).text());
    let names: Vec<&str> = events.iter().map(|e| e.0.as_str()).collect();
    assert_eq!(names[..2], ["message_start", "content_block_start"]);
    assert_eq!(names[names.len() - 3..], ["content_block_stop", "message_delta", "message_stop"]);
    let streamed: String = events.iter().filter_map(|e| e.1["delta"]["text"].as_str()).collect();
    assert_eq!(streamed, text);
    assert_eq!(events[names.len() - 2].1["delta"]["stop_reason"], whole["stop_reason"]);
    assert_eq!(events[names.len() - 2].1["usage"]["output_tokens"], drawn);
    v["stream"] = false.into();
    let stop: String = text.chars().skip(text.chars().count() / 2).take(1).collect();
    assert!(!stop.is_empty());
    v["stop_sequences"] = json!([stop]);
    let whole = s.post("/v1/messages", &v).json();
    assert_eq!((&whole["stop_reason"], &whole["stop_sequence"]), (&json!("stop_sequence"), &json!(stop)));
    v.as_object_mut().unwrap().remove("max_tokens");
    let e = s.post("/v1/messages", &v);
    assert_eq!(
        (e.status, &e.json()["type"], &e.json()["error"]["type"]),
        (400, &json!("error"), &json!("invalid_request_error"))
    );
    let system = json!({"system": [{"type": "text", "text": "Be brief."}], "messages": v["messages"]});
    assert!(s.post("/v1/messages/count_tokens", &system).json()["input_tokens"].as_u64().unwrap() > prompt);
}

#[test]
fn openais_responses() {
    let s = Running::new(SMALL, Options::default());
    let Expected { said, text, prompt, drawn } = expected(&s);
    let mut v = json!({"model": "tiny", "input": said, "max_output_tokens": 20, "temperature": 0});
    let whole = s.post("/v1/responses", &v).json();
    assert_eq!(whole["output"][0]["content"][0]["text"], text);
    assert_eq!(
        (&whole["usage"]["input_tokens"], &whole["usage"]["output_tokens"]),
        (&json!(prompt), &json!(drawn))
    );
    assert!(
        whole["status"] == "incomplete" && whole["incomplete_details"]["reason"] == "max_output_tokens"
            || whole["status"] == "completed"
    );
    v["input"] =
        json!([{"type": "message", "role": "user", "content": [{"type": "input_text", "text": said}]}]);
    v["stream"] = true.into();
    let events = named(&s.post("/v1/responses", &v).text());
    for (i, (_, data)) in events.iter().enumerate() {
        assert_eq!(data["sequence_number"], i);
    }
    let streamed: String = events.iter().filter_map(|e| e.1["delta"].as_str()).collect();
    assert_eq!(streamed, text);
    let last = &events.last().unwrap().1["response"];
    assert_eq!(
        (&last["output"][0]["content"], &last["status"]),
        (&whole["output"][0]["content"], &whole["status"])
    );
    for more in [
        json!({"previous_response_id": "resp_1"}),
        json!({"store": true}),
        json!({"tools": [{}]}),
        json!({"input": null}),
        json!({"text": {"format": {"type": "yaml"}}}),
        json!({"tool_choice": "required"}),
    ] {
        let mut v = v.clone();
        v.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(s.post("/v1/responses", &v).code().0, 400, "{more}");
    }
}

#[test]
fn ollamas_routes() {
    let s = Running::new(SMALL, Options::default());
    let Expected { said, text, prompt, drawn } = expected(&s);
    let options = json!({"num_predict": 20, "temperature": 0, "num_ctx": 500});
    for (path, asked, at) in [
        ("/api/chat", json!({"messages": [{"role": "user", "content": said}]}), "/message/content"),
        ("/api/generate", json!({"prompt": said}), "/response"),
    ] {
        let mut v = asked.clone();
        v["model"] = "tiny:latest".into();
        v["options"] = options.clone();
        let lines = s.post(path, &v);
        assert_eq!(lines.headers["content-type"], "application/x-ndjson");
        let lines: Vec<Value> = lines.text().lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        let streamed: String = lines.iter().map(|l| l.pointer(at).unwrap().as_str().unwrap()).collect();
        assert_eq!(streamed, text, "{path}");
        let last = lines.last().unwrap();
        assert_eq!(
            (&last["done"], &last["prompt_eval_count"], &last["eval_count"]),
            (&json!(true), &json!(prompt), &json!(drawn))
        );
        assert!(lines[..lines.len() - 1].iter().all(|l| l["done"] == false));
        v["stream"] = false.into();
        assert_eq!(s.post(path, &v).json().pointer(at).unwrap(), text.as_str());
        v["options"]["num_ctx"] = 601.into();
        let e = s.post(path, &v);
        assert!(e.status == 400 && e.json()["error"].as_str().unwrap().contains("601"), "{e:?}");
    }
    let raw = s.post("/api/generate", &json!({"prompt": format!("user: {said}\nassistant: "), "raw": true, "options": options, "stream": false}));
    assert_eq!(raw.json()["response"], text);
    assert_eq!(s.get("/api/tags").json()["models"][0]["name"], "tiny");
    assert_eq!(s.get("/api/ps").json()["models"][0]["model"], "tiny");
    assert!(s.get("/api/version").json()["version"].is_string());
    assert!(
        s.post("/api/show", &json!({"model": "tiny"})).json()["model_info"]["general.architecture"]
            .is_string()
    );
    assert_eq!(s.post("/api/show", &json!({"model": "other"})).status, 404);
}

#[test]
fn llama_cpps_routes() {
    let s = Running::new(SMALL, Options::default());
    let Expected { said, text, prompt, drawn } = expected(&s);
    let mut v = json!({"prompt": format!("user: {said}\nassistant: "), "n_predict": 20, "temperature": 0, "cache_prompt": true});
    let whole = s.post("/completion", &v).json();
    assert_eq!(
        (&whole["content"], &whole["tokens_evaluated"], &whole["tokens_predicted"]),
        (&json!(text), &json!(prompt), &json!(drawn))
    );
    v["stream"] = true.into();
    let events = s.post("/completion", &v).events();
    let streamed: String = events.iter().map(|e| e["content"].as_str().unwrap()).collect();
    assert_eq!((streamed, &events.last().unwrap()["stop"]), (text, &json!(true)));
    assert_eq!(s.get("/props").json()["default_generation_settings"]["n_ctx"], 600);
    assert_eq!(s.get("/slots").json().as_array().unwrap().len(), 4);
    assert_eq!(
        s.post("/v1/embeddings", &json!({"input": "x", "model": "tiny"})).code(),
        (400, "unsupported_by_model".to_owned())
    );
}

/// The description is that of this server: each path answers, and with the methods that are told.
#[test]
fn every_route_that_is_described_is_there() {
    let s = Running::new(SMALL, Options::default());
    let v = s.get("/openapi.json").json();
    for (path, methods) in v["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let path = path.replace("{id}", "tiny");
            let a = s.raw(head(&method.to_uppercase(), &path, "content-length: 0\r\n").as_bytes());
            // A body that is empty is no JSON, and no form.
            let want = match method.as_str() {
                "post" if path.contains("/audio/") => 415,
                "post" => 400,
                _ => 200,
            };
            assert!(a.status == want, "{method} {path}: {a:?}");
            let other = if method == "post" { "GET" } else { "POST" };
            let a = s.raw(head(other, &path, "content-length: 0\r\n").as_bytes());
            assert_eq!(a.status, 405, "{other} {path}");
            assert_eq!(a.headers["allow"], if method == "post" { "POST" } else { "GET, HEAD" });
        }
    }
    let page = s.get("/");
    assert!(page.headers["content-security-policy"].contains("default-src 'none'"));
    assert!(!page.text().contains("http://") && !page.text().contains("https://"), "the page asks others");
}
