//! Texts with a hole, in the words of each interface: the same answer as to the prompt that their tokens are.

use crate::client::{Running, SMALL, engine_of};
use crate::structured::with;
use akunu_conformance::FIM;
use akunu_server::{ModelEntry, Options};
use serde_json::{Value, json};

/// A model that fills in the middle, and one that does not.
fn both() -> Running {
    let coder = || engine_of(SMALL, &FIM).map(Into::into).map_err(|e| e.to_string());
    let plain = || engine_of(SMALL, &[]).map(Into::into).map_err(|e| e.to_string());
    Running::ready(vec![ModelEntry::new("coder", coder), ModelEntry::new("plain", plain)], Options::default())
}

#[test]
fn the_middle_is_filled_in_by_any_interface() {
    let s = both();
    let settings = json!({"n_predict": 12, "temperature": 0, "ignore_eos": true});
    let want = |prompt: &str| {
        let v = s.post("/completion", &with(&settings, json!({"prompt": prompt}))).json();
        (v["content"].clone(), v["tokens_evaluated"].clone())
    };
    let plain = want("<|fim_prefix|>def f(<|fim_suffix|>):\n  pass<|fim_middle|>");
    let begun = want("<|fim_prefix|>def f(<|fim_suffix|>):\n  pass<|fim_middle|>a, b");
    let files = want(
        "<|repo_name|>myproject\n<|file_sep|>a.py\nA = 1\n<|file_sep|>tmp\nB = 2<|file_sep|>filename\n\
         <|fim_prefix|>def f(<|fim_suffix|>):\n  pass<|fim_middle|>",
    );
    assert!(plain.1.as_u64().unwrap() < files.1.as_u64().unwrap());
    let hole = json!({"input_prefix": "def f(", "input_suffix": "):\n  pass"});
    let extra = json!([{"filename": "a.py", "text": "A = 1\n"}, {"text": "B = 2"}]);
    for (more, want) in [
        (json!({}), &plain),
        (json!({"prompt": "", "input_extra": []}), &plain),
        (json!({"prompt": "a, b"}), &begun),
        (json!({"input_extra": extra}), &files),
    ] {
        let v = with(&with(&settings, hole.clone()), more);
        let a = s.post("/infill", &v).json();
        assert_eq!((&a["content"], &a["tokens_evaluated"]), (&want.0, &want.1), "{v}");
        let events = s.post("/infill", &with(&v, json!({"stream": true}))).events();
        let streamed: String = events.iter().map(|e| e["content"].as_str().unwrap()).collect();
        assert_eq!(want.0, streamed);
    }
    let v = json!({"prompt": "def f(", "suffix": "):\n  pass", "max_tokens": 12, "temperature": 0, "ignore_eos": true});
    let a = s.post("/v1/completions", &v).json();
    assert_eq!((&a["choices"][0]["text"], &a["usage"]["prompt_tokens"]), (&plain.0, &plain.1));
    let a = s.post("/v1/completions", &with(&v, json!({"prompt": ["def f(", "x"], "n": 2}))).json();
    let texts: Vec<&Value> = a["choices"].as_array().unwrap().iter().map(|c| &c["text"]).collect();
    assert_eq!((texts.len(), texts[0], texts[1]), (4, &plain.0, &plain.0));
    // Without one it is a text as any other.
    let empty = s.post("/v1/completions", &with(&v, json!({"suffix": ""}))).json();
    assert_eq!(empty["choices"][0]["text"], want("def f(").0);
    let options = json!({"num_predict": 12, "temperature": 0});
    let v = json!({"model": "coder", "prompt": "def f(", "suffix": "):\n  pass", "stream": false, "options": options});
    let a = s.post("/api/generate", &v).json();
    let text = a["response"].as_str().unwrap();
    assert!(plain.0.as_str().unwrap().starts_with(text), "{a}");
    assert_eq!(a["prompt_eval_count"], plain.1);
    // Names of tokens in a text are text.
    let v = with(&settings, json!({"input_prefix": "<|fim_middle|>", "input_suffix": "<|fim_prefix|>"}));
    let n = s.post("/infill", &v).json()["tokens_evaluated"].as_u64().unwrap();
    assert!(n > 10, "{n}");
    s.rest();
}

#[test]
fn what_has_no_hole_is_refused() {
    let s = both();
    let v = json!({"input_prefix": "a", "input_suffix": "b", "n_predict": 2});
    for (more, param, code) in [
        (json!({"input_prefix": null}), "input_prefix", "missing_parameter"),
        (json!({"input_suffix": null}), "input_suffix", "missing_parameter"),
        (json!({"input_prefix": 5}), "input_prefix", "invalid_type"),
        (json!({"prompt": ["a"]}), "prompt", "invalid_type"),
        (json!({"input_extra": {}}), "input_extra", "invalid_type"),
        (json!({"input_extra": ["a"]}), "input_extra[0]", "invalid_type"),
        (json!({"input_extra": [{"filename": "a"}]}), "input_extra[0].text", "missing_parameter"),
        (json!({"input_extra": [{"text": 5}]}), "input_extra[0].text", "invalid_type"),
        (json!({"input_extra": [{"text": "a", "name": "b"}]}), "input_extra[0].name", "unknown_parameter"),
        (
            json!({"input_extra": [{"text": "a", "filename": "b\nc"}]}),
            "input_extra[0].filename",
            "invalid_value",
        ),
        (json!({"input_extra": vec![json!({"text": ""}); 1025]}), "input_extra", "invalid_value"),
        (json!({"input_prefix": "word ".repeat(700)}), "prompt", "context_length_exceeded"),
        (json!({"suffix": "x"}), "suffix", "unknown_parameter"),
        (json!({"model": "plain"}), "input_suffix", "unsupported_by_model"),
    ] {
        let a = s.post("/infill", &with(&v, more.clone()));
        let shown = more.to_string().chars().take(200).collect::<String>();
        assert_eq!((a.code(), &a.json()["error"]["param"]), ((400, code.into()), &json!(param)), "{shown}");
    }
    let v = json!({"model": "plain", "prompt": "a", "suffix": "b", "max_tokens": 2});
    assert_eq!(s.post("/v1/completions", &v).code(), (400, "unsupported_by_model".into()));
    for (more, param) in [
        (json!({"echo": true}), "echo"),
        (json!({"prompt": [1, 2]}), "prompt"),
        (json!({"prompt": []}), "prompt"),
        (json!({"suffix": 5}), "suffix"),
    ] {
        let a = s.post("/v1/completions", &with(&v, with(&json!({"model": "coder"}), more.clone())));
        assert_eq!((a.status, &a.json()["error"]["param"]), (400, &json!(param)), "{more}");
    }
    let v = json!({"model": "coder", "prompt": "a", "suffix": "b", "system": "c"});
    assert_eq!(s.post("/api/generate", &v).status, 400);
    s.rest();
}
