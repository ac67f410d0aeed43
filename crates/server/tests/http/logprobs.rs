//! Log-probabilities in each interface that has them, streaming and not.

use crate::client::{Running, SMALL};
use akunu_server::Options;
use serde_json::{Value, json};

fn with(mut v: Value, more: Value) -> Value {
    v.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    v
}

fn chat(more: Value) -> Value {
    let v = json!({"messages": [{"role": "user", "content": "hello there"}], "temperature": 0.9, "seed": 5, "max_tokens": 24,
        "repetition_penalty": 1.3, "ignore_eos": true});
    with(v, more)
}

/// The text that entries' bytes give.
fn bytes_of<'a>(entries: impl IntoIterator<Item = &'a Value>) -> Vec<u8> {
    let byte = |v: &Value| v.as_u64().unwrap() as u8;
    entries
        .into_iter()
        .flat_map(|e| e["bytes"].as_array().unwrap().iter().map(byte).collect::<Vec<_>>())
        .collect()
}

/// Each entry's own numbers.
fn check(entries: &[Value], top: usize) {
    for e in entries {
        let own = e["logprob"].as_f64().unwrap();
        let tops = e["top_logprobs"].as_array().unwrap();
        assert!(own <= 0.0 && tops.len() == top, "{e}");
        let values: Vec<f64> = tops.iter().map(|t| t["logprob"].as_f64().unwrap()).collect();
        assert!(values.is_sorted_by(|a, b| a >= b), "{e}");
        assert!(values.iter().map(|l| l.exp()).sum::<f64>() <= 1.0 + 1e-5, "{e}");
        if let Some(same) = tops.iter().find(|t| t["token"] == e["token"] && t["bytes"] == e["bytes"]) {
            assert_eq!(same["logprob"], e["logprob"]);
        }
    }
}

#[test]
fn chats_have_them_streaming_and_not() {
    let s = Running::new(SMALL, Options::default());
    let plain = s.post("/v1/chat/completions", &chat(json!({}))).json();
    assert_eq!(plain["choices"][0]["logprobs"], Value::Null);
    for (n, top) in [(1, 0usize), (2, 3), (3, 20)] {
        let more = json!({"logprobs": true, "top_logprobs": top, "n": n});
        let whole = s.post("/v1/chat/completions", &chat(more.clone())).json();
        assert_eq!(whole["choices"][0]["message"], plain["choices"][0]["message"], "they change nothing");
        let stream = s.post("/v1/chat/completions", &chat(with(more, json!({"stream": true})))).events();
        for i in 0..n {
            let choice = &whole["choices"][i];
            let content = choice["logprobs"]["content"].as_array().unwrap();
            assert_eq!(content.len(), 24);
            check(content, top);
            let text = choice["message"]["content"].as_str().unwrap();
            assert_eq!(String::from_utf8_lossy(&bytes_of(content)).trim_start(), text.trim_start());
            let own =
                stream.iter().flat_map(|e| e["choices"].as_array().unwrap()).filter(|c| c["index"] == i);
            let mut streamed = Vec::new();
            for c in own {
                streamed.extend(c["logprobs"]["content"].as_array().into_iter().flatten().cloned());
            }
            assert_eq!(&streamed, content);
        }
    }
}

#[test]
fn a_stop_string_takes_its_tokens_along() {
    let s = Running::new(SMALL, Options::default());
    let whole = s.post("/v1/chat/completions", &chat(json!({"logprobs": true}))).json();
    let text = whole["choices"][0]["message"]["content"].as_str().unwrap().to_owned();
    let stop: String = text.chars().skip(text.chars().count() / 2).take(2).collect();
    let cut = s.post("/v1/chat/completions", &chat(json!({"logprobs": true, "stop": [stop]}))).json();
    let choice = &cut["choices"][0];
    assert_eq!(choice["finish_reason"], "stop");
    let (kept, entries) =
        (choice["message"]["content"].as_str().unwrap(), choice["logprobs"]["content"].as_array().unwrap());
    let told = String::from_utf8_lossy(&bytes_of(entries)).into_owned();
    assert!(told.trim_start().starts_with(kept.trim()) && told.len() < kept.len() + 20, "{kept:?} {told:?}");
    let all = whole["choices"][0]["logprobs"]["content"].as_array().unwrap();
    assert_eq!(entries[..], all[..entries.len()]);
}

#[test]
fn completions_have_the_older_object() {
    let s = Running::new(SMALL, Options::default());
    let ask = json!({"prompt": ["a b", "c"], "temperature": 0, "max_tokens": 12, "ignore_eos": true, "logprobs": 4});
    let whole = s.post("/v1/completions", &ask).json();
    let stream = s.post("/v1/completions", &with(ask, json!({"stream": true}))).events();
    for i in 0..2 {
        let l = &whole["choices"][i]["logprobs"];
        let list = |name: &str| l[name].as_array().unwrap().clone();
        let (tokens, own, tops, offsets) =
            (list("tokens"), list("token_logprobs"), list("top_logprobs"), list("text_offset"));
        assert_eq!([tokens.len(), own.len(), tops.len(), offsets.len()], [12; 4]);
        let mut at = 0;
        for (k, token) in tokens.iter().enumerate() {
            let token = token.as_str().unwrap();
            // Greedy, so it is the likeliest.
            assert_eq!(tops[k][token], own[k]);
            assert!(tops[k].as_object().unwrap().len() <= 4);
            assert_eq!(offsets[k], at);
            at += token.chars().count();
        }
        let of = |name: &str| -> Vec<Value> {
            let own =
                stream.iter().flat_map(|e| e["choices"].as_array().unwrap()).filter(|c| c["index"] == i);
            own.flat_map(|c| c["logprobs"][name].as_array().cloned().unwrap_or_default()).collect()
        };
        for name in ["tokens", "token_logprobs", "top_logprobs", "text_offset"] {
            assert_eq!(of(name), list(name), "{name}");
        }
    }
    let refused = s.post("/v1/completions", &json!({"prompt": "a", "logprobs": 1, "echo": true}));
    assert_eq!((refused.status, &refused.json()["error"]["param"]), (400, &json!("logprobs")));
}

#[test]
fn llamas_completion_has_its_list() {
    let s = Running::new(SMALL, Options::default());
    let ask = json!({"prompt": "a b", "temperature": 0, "n_predict": 9, "ignore_eos": true, "n_probs": 2});
    let whole = s.post("/completion", &ask).json();
    let list = whole["completion_probabilities"].as_array().unwrap();
    assert_eq!(list.len(), 9);
    check(list, 2);
    assert!(list.iter().all(|e| e["id"] == e["top_logprobs"][0]["id"] && e["id"].is_u64()));
    let stream = s.post("/completion", &with(ask.clone(), json!({"stream": true}))).events();
    let streamed: Vec<Value> = stream
        .iter()
        .flat_map(|e| e["completion_probabilities"].as_array().cloned().unwrap_or_default())
        .collect();
    assert_eq!(&streamed, list);
    for bad in [json!(-1), json!(21), json!(1e300), json!("5")] {
        let e = s.post("/completion", &with(ask.clone(), json!({"n_probs": bad})));
        assert_eq!((e.status, &e.json()["error"]["param"]), (400, &json!("n_probs")), "{e:?}");
    }
    let none = s.post("/completion", &with(ask, json!({"n_probs": 0}))).json();
    assert!(none.get("completion_probabilities").is_none());
}

#[test]
fn llamas_completion_has_its_tokens() {
    let s = Running::new(SMALL, Options::default());
    let ask = json!({"prompt": "a b", "temperature": 0, "n_predict": 40, "ignore_eos": true});
    assert_eq!(s.post("/completion", &ask).json()["tokens"], json!([]));
    let ask = with(ask, json!({"return_tokens": true}));
    let whole = s.post("/completion", &ask).json();
    let tokens = whole["tokens"].as_array().unwrap();
    assert_eq!(tokens.len(), 40);
    let text = s.post("/detokenize", &json!({ "tokens": tokens })).json();
    assert_eq!(text["content"].as_str().unwrap().trim(), whole["content"].as_str().unwrap().trim());
    let stream = s.post("/completion", &with(ask.clone(), json!({"stream": true}))).events();
    let streamed: Vec<Value> = stream.iter().flat_map(|e| e["tokens"].as_array().unwrap().clone()).collect();
    assert_eq!(&streamed, tokens);
    assert!(
        stream.len() > 20 && stream.iter().all(|e| e["tokens"].as_array().unwrap().len() <= 1),
        "as they are drawn"
    );
    let e = s.post("/completion", &with(ask, json!({"return_tokens": 1})));
    assert_eq!((e.status, &e.json()["error"]["param"]), (400, &json!("return_tokens")), "{e:?}");
}

#[test]
fn responses_have_them_beside_their_text() {
    let s = Running::new(SMALL, Options::default());
    // Something that the model has an answer to.
    let text = |v: &Value| v["output"][0]["content"][0]["text"].as_str().unwrap().to_owned();
    let ask = |i: usize| json!({"input": format!("hello {i}"), "temperature": 0, "max_output_tokens": 12});
    let said = |i: &usize| text(&s.post("/v1/responses", &ask(*i)).json()).chars().count() > 8;
    let ask = ask((0..100).find(said).unwrap());
    let plain = s.post("/v1/responses", &ask).json();
    assert_eq!(plain["output"][0]["content"][0]["logprobs"], json!([]));
    for top in [0usize, 4] {
        let more = json!({"include": ["message.output_text.logprobs"], "top_logprobs": top});
        let whole = s.post("/v1/responses", &with(ask.clone(), more.clone())).json();
        let part = &whole["output"][0]["content"][0];
        assert_eq!(part["text"], plain["output"][0]["content"][0]["text"]);
        let list = part["logprobs"].as_array().unwrap();
        check(list, top);
        assert_eq!(String::from_utf8_lossy(&bytes_of(list)), part["text"].as_str().unwrap(), "{part}");
        let stream =
            s.post("/v1/responses", &with(with(ask.clone(), more), json!({"stream": true}))).events();
        let of = |kind: &str| -> Vec<Value> {
            let own = stream.iter().filter(|e| e["type"] == kind);
            own.flat_map(|e| e["logprobs"].as_array().unwrap().clone()).collect()
        };
        assert_eq!(&of("response.output_text.delta"), list);
        assert_eq!(&of("response.output_text.done"), list);
        let last = &stream.last().unwrap()["response"]["output"][0]["content"][0];
        assert_eq!(last["logprobs"].as_array().unwrap(), list);
    }
    let e = s.post("/v1/responses", &with(ask, json!({"top_logprobs": 2})));
    assert_eq!((e.status, &e.json()["error"]["param"]), (400, &json!("top_logprobs")));
}

#[test]
fn ollamas_lines_have_them() {
    let s = Running::new(SMALL, Options::default());
    let options = json!({"temperature": 0, "num_predict": 12});
    for (path, v, at) in [
        ("/api/chat", json!({"messages": [{"role": "user", "content": "hello there"}]}), "/message/content"),
        ("/api/generate", json!({"prompt": "hello there"}), "/response"),
    ] {
        let v = with(v, json!({"options": options, "stream": false}));
        assert!(s.post(path, &v).json().get("logprobs").is_none());
        let v = with(v, json!({"logprobs": true, "top_logprobs": 3}));
        let whole = s.post(path, &v).json();
        let list = whole["logprobs"].as_array().unwrap();
        check(list, 3);
        assert_eq!(
            String::from_utf8_lossy(&bytes_of(list)),
            whole.pointer(at).unwrap().as_str().unwrap(),
            "{path}"
        );
        let lines = s.post(path, &with(v, json!({"stream": true}))).text();
        let lines = lines.lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
        let streamed: Vec<Value> =
            lines.flat_map(|l| l["logprobs"].as_array().cloned().unwrap_or_default()).collect();
        assert_eq!(&streamed, list, "{path}");
    }
    let bad = json!({"prompt": "x", "top_logprobs": 2});
    assert_eq!(s.post("/api/generate", &bad).status, 400);
}

/// A list has the tokens of the answer, and none of the thoughts before it.
#[test]
fn thoughts_are_not_listed() {
    let s = crate::structured::serve(crate::structured::THINKS);
    let v = json!({"thinking_token_budget": 6, "logprobs": true, "top_logprobs": 1});
    let whole = s.post("/v1/chat/completions", &chat(v.clone())).json();
    let choice = &whole["choices"][0];
    let list = choice["logprobs"]["content"].as_array().unwrap();
    let text = choice["message"]["content"].as_str().unwrap();
    assert!(!text.is_empty() && !list.is_empty(), "{whole}");
    assert_eq!(String::from_utf8_lossy(&bytes_of(list)).trim_start(), text);
    let stream = s.post("/v1/chat/completions", &chat(with(v, json!({"stream": true})))).events();
    let streamed: Vec<Value> = stream
        .iter()
        .flat_map(|e| e["choices"].as_array().unwrap())
        .flat_map(|c| c["logprobs"]["content"].as_array().cloned().unwrap_or_default())
        .collect();
    assert_eq!(&streamed, list);
}
