use super::*;
use akunu::Sampling;
use serde_json::json;

fn ask(on: On, v: Value) -> Result<Ask, ApiError> {
    let mut ask = Ask::new(Sampling::DEFAULT, on);
    apply(v.as_object().expect("an object"), on, &mut ask).map(|()| ask)
}

#[test]
fn a_name_has_one_line_for_each_interface() {
    for (i, a) in PARAMETERS.iter().enumerate() {
        for b in &PARAMETERS[i + 1..] {
            assert!(a.name != b.name || !a.on.has(b.on), "{}", a.name);
        }
    }
}

#[test]
fn what_is_supported_is_set() {
    let a = ask(
        On::CHAT,
        json!({"temperature": 0, "min_p": 0.25, "top_p": 1, "top_k": -1, "typical_p": 0.5, "presence_penalty": 1,
            "frequency_penalty": -0.5, "repetition_penalty": 1.5, "seed": 7, "max_tokens": 5.0, "stop": ["a", "b"], "n": 2, "stream": true,
            "stream_options": {"include_usage": true}, "ignore_eos": true, "user": "me"}),
    )
    .unwrap();
    let (typical, presence_penalty, frequency_penalty, repeat_penalty) = (0.5, 1.0, -0.5, 1.5);
    let set = Sampling { typical, presence_penalty, frequency_penalty, repeat_penalty, ..Sampling::DEFAULT };
    assert_eq!(a.sampling, Sampling { temperature: 0.0, min_p: 0.25, top_p: 1.0, top_k: 0, ..set });
    assert_eq!((a.seed, a.max_tokens, a.n, a.stream, a.include_usage), (Some(7), Some(5), 2, true, true));
    assert_eq!((a.stop, a.eos), (vec!["a".to_owned(), "b".to_owned()], Eos::Ignore));
    assert_eq!(ask(On::CHAT, json!({"seed": -1, "stop": "x"})).unwrap().seed, None);
}

#[test]
fn nothing_is_ignored() {
    for (v, param, code) in [
        (json!({"top_pp": 1}), "top_pp", "unknown_parameter"),
        (json!({"prompt": "x"}), "prompt", "unknown_parameter"),
        (json!({"stream_options": {"x": 1}}), "stream_options.x", "unknown_parameter"),
        (json!({"top_p": 1.5}), "top_p", "invalid_value"),
        (json!({"top_k": 0.5}), "top_k", "invalid_value"),
        (json!({"presence_penalty": 2.5}), "presence_penalty", "invalid_value"),
        (json!({"functions": [{}]}), "functions", "unsupported_parameter"),
        (json!({"response_format": {"type": "yaml"}}), "response_format.type", "invalid_value"),
        (
            json!({"response_format": {"type": "json_object"}, "grammar": "root ::= \"x\""}),
            "grammar",
            "invalid_value",
        ),
        (json!({"temperature": "hot"}), "temperature", "invalid_type"),
        (json!({"temperature": -0.5}), "temperature", "invalid_value"),
        (json!({"n": 0}), "n", "invalid_value"),
        (json!({"n": -1}), "n", "invalid_value"),
        (json!({"n": 1e300}), "n", "invalid_value"),
        (json!({"max_tokens": 1.5}), "max_tokens", "invalid_value"),
        (json!({"max_tokens": u64::MAX}), "max_tokens", "invalid_value"),
        (json!({"max_tokens": "5"}), "max_tokens", "invalid_type"),
        (json!({"stop": [""]}), "stop", "invalid_value"),
        (json!({"stop": [1]}), "stop", "invalid_type"),
        (json!({"stop": vec!["a"; 17]}), "stop", "invalid_value"),
        (json!({"stream": 1}), "stream", "invalid_type"),
        (json!({"stream_options": []}), "stream_options", "invalid_type"),
        (json!({"logprobs": 5}), "logprobs", "invalid_type"),
        (json!({"logprobs": true, "top_logprobs": 21}), "top_logprobs", "invalid_value"),
        (json!({"logprobs": true, "top_logprobs": -1}), "top_logprobs", "invalid_value"),
        (json!({"logprobs": true, "top_logprobs": 1e300}), "top_logprobs", "invalid_value"),
        (json!({"top_logprobs": 2}), "top_logprobs", "invalid_value"),
        (json!({"logprobs": false, "top_logprobs": 2}), "top_logprobs", "invalid_value"),
    ] {
        let e = ask(On::CHAT, v.clone()).expect_err(&v.to_string());
        assert_eq!((e.param.as_deref(), e.code, e.status), (Some(param), code, 400), "{v}");
    }
}

#[test]
fn log_probabilities_have_each_interfaces_names() {
    let of = |on, v: Value| ask(on, v).unwrap().sampling.logprobs;
    assert_eq!(of(On::CHAT, json!({"logprobs": true})), Some(0));
    assert_eq!(of(On::CHAT, json!({"top_logprobs": 20, "logprobs": true})), Some(20));
    assert_eq!(of(On::CHAT, json!({"top_logprobs": 0, "logprobs": false})), None);
    assert_eq!(of(On::COMPLETIONS, json!({"logprobs": 5})), Some(5));
    assert_eq!(of(On::COMPLETIONS, json!({"logprobs": 0})), Some(0));
    assert_eq!(of(On::COMPLETIONS, json!({"logprobs": null, "echo": true})), None);
    assert_eq!(of(On::LLAMA, json!({"n_probs": 3})), Some(3));
    assert_eq!(of(On::OLLAMA_CHAT, json!({"logprobs": true, "top_logprobs": 3})), Some(3));
    let responses = "message.output_text.logprobs";
    assert_eq!(of(On::RESPONSES, json!({"include": [responses]})), Some(0));
    assert_eq!(of(On::RESPONSES, json!({"top_logprobs": 2, "include": [responses]})), Some(2));
    assert_eq!(of(On::RESPONSES, json!({"include": [], "top_logprobs": 0})), None);
    assert_eq!(of(On::LLAMA, json!({"n_probs": 0, "post_sampling_probs": false})), None);
    for (on, bad, param) in [
        (On::COMPLETIONS, json!({"logprobs": 21}), "logprobs"),
        (On::COMPLETIONS, json!({"logprobs": -1}), "logprobs"),
        (On::COMPLETIONS, json!({"logprobs": true}), "logprobs"),
        (On::COMPLETIONS, json!({"logprobs": 1, "echo": true}), "logprobs"),
        (On::LLAMA, json!({"n_probs": 1_000_000}), "n_probs"),
        (On::LLAMA, json!({"n_probs": 1, "post_sampling_probs": true}), "post_sampling_probs"),
        (On::OLLAMA_CHAT, json!({"logprobs": 1}), "logprobs"),
        (On::OLLAMA_GENERATE, json!({"top_logprobs": 1}), "top_logprobs"),
        (On::RESPONSES, json!({"top_logprobs": 1}), "top_logprobs"),
        (On::RESPONSES, json!({"top_logprobs": 21, "include": [responses]}), "top_logprobs"),
        (On::RESPONSES, json!({"include": [responses, "reasoning.encrypted_content"]}), "include[1]"),
        (On::RESPONSES, json!({"include": [5]}), "include[0]"),
        (On::RESPONSES, json!({"include": responses}), "include"),
    ] {
        let e = ask(on, bad.clone()).expect_err(&bad.to_string());
        assert_eq!((e.param.as_deref(), e.status), (Some(param), 400), "{bad}");
    }
}

#[test]
fn what_asks_for_nothing_is_taken() {
    let neutral = json!({
        "presence_penalty": 0.0, "frequency_penalty": 0, "logit_bias": {}, "logprobs": false,
        "top_logprobs": 0, "tools": [], "tool_choice": "none", "response_format": {"type": "text"}, "store": false,
        "temperature": null, "max_tokens": null, "stop": null, "functions": null, "modalities": ["text"], "audio": null,
    });
    assert_eq!(ask(On::CHAT, neutral).unwrap(), Ask::new(Sampling::DEFAULT, On::CHAT));
}
