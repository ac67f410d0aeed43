//! Samplers that are more than a number: what a request asks for is what the engine draws by.

use crate::client::{Running, SMALL, engine};
use crate::structured::with;
use akunu::scheduler::Event;
use akunu::{Eos, LogitBias, Overflow, Request, Sampling, SequenceOptions, TextStream, Token};
use akunu_server::Options;
use serde_json::{Value, json};

/// The routes that take these, a request of each, and where its text is.
fn routes() -> Vec<(&'static str, Value, &'static str)> {
    let messages = json!([{"role": "user", "content": "hello"}]);
    vec![
        (
            "/v1/chat/completions",
            json!({"messages": messages, "max_tokens": 6, "ignore_eos": true}),
            "/choices/0/message/content",
        ),
        (
            "/v1/completions",
            json!({"prompt": "hello", "max_tokens": 6, "ignore_eos": true}),
            "/choices/0/text",
        ),
        ("/completion", json!({"prompt": "hello", "n_predict": 6, "ignore_eos": true}), "/content"),
    ]
}

#[test]
fn a_bias_forces_and_bans() {
    let s = Running::new(SMALL, Options::default());
    for (path, v, at) in routes() {
        let text = |more: Value| {
            let a = s.post(path, &with(&v, more)).json();
            a.pointer(at).unwrap_or_else(|| panic!("{a}")).as_str().unwrap().to_owned()
        };
        // The vocabulary begins with the bytes.
        assert_eq!(text(json!({"logit_bias": {"98": 100}, "temperature": 1})), "bbbbbb", "{path}");
        let free = text(json!({"temperature": 0}));
        assert_eq!(text(json!({"temperature": 0, "logit_bias": {}})), free);
        assert_eq!(text(json!({"temperature": 0, "logit_bias": {"98": 80, "99": 20}})), "bbbbbb", "{path}");
        assert_eq!(text(json!({"temperature": 0, "logit_bias": {"98": -80, "99": 20}})), "cccccc", "{path}");
        for (bias, param, code) in [
            (json!({"1024": 1}), "logit_bias", "invalid_token"),
            (json!({"4294967295": 1}), "logit_bias", "invalid_token"),
            (json!({"a": 1}), "logit_bias.a", "invalid_value"),
            (json!({"5": 1e300}), "logit_bias.5", "invalid_value"),
        ] {
            let a = s.post(path, &with(&v, json!({"logit_bias": bias})));
            assert_eq!(
                (a.code(), &a.json()["error"]["param"]),
                ((400, code.into()), &json!(param)),
                "{bias}"
            );
        }
        // Minus infinity for all but one is no text of numbers that are not finite.
        if path == "/completion" {
            let all: Value = (0..1024).filter(|i| *i != 98).map(|i| json!([i, false])).collect();
            assert_eq!(text(json!({"logit_bias": all, "temperature": 1, "ignore_eos": false})), "bbbbbb");
        }
    }
    s.rest();
}

/// What the engine draws by itself.
fn drawn(sampling: Sampling) -> String {
    let engine = engine(SMALL).unwrap();
    let tokens = engine.model().encode("hello").unwrap();
    let options = SequenceOptions { max_tokens: 40, sampling, eos: Eos::Ignore, reasoning: None };
    let request = Request { tokens, options, priority: 0, overflow: Overflow::End };
    let (mut stream, mut text) = (TextStream::new(&[]), String::new());
    for event in engine.start(request).unwrap() {
        if let Event::Token { token, .. } = event {
            text.push_str(stream.push(engine.model().tokenizer().unwrap(), token));
        }
    }
    text + stream.finish()
}

#[test]
fn samplers_draw_what_the_engine_draws() {
    let s = Running::new(SMALL, Options::default());
    let own = Sampling { seed: 7, temperature: 0.9, ..Sampling::DEFAULT };
    let bias = LogitBias { token: Token(97), bias: 2.5 };
    let breakers = engine(SMALL).unwrap().model().breakers(&["\n", ":", "\"", "*"]).unwrap();
    for (more, want) in [
        (json!({"mirostat": 2}), Sampling { mirostat: 2, ..own.clone() }),
        (
            json!({"mirostat": 2, "mirostat_tau": 2.5, "mirostat_eta": 0.5}),
            Sampling { mirostat: 2, mirostat_tau: 2.5, mirostat_eta: 0.5, ..own.clone() },
        ),
        (json!({"top_n_sigma": 1.5}), Sampling { top_n_sigma: 1.5, ..own.clone() }),
        (
            json!({"xtc_probability": 0.5, "xtc_threshold": 0.05}),
            Sampling { xtc_probability: 0.5, xtc_threshold: 0.05, ..own.clone() },
        ),
        (
            json!({"dry_multiplier": 1.5, "dry_allowed_length": 1}),
            Sampling {
                dry_multiplier: 1.5,
                dry_allowed_length: 1,
                dry_breakers: Some(breakers),
                ..own.clone()
            },
        ),
        (json!({"logit_bias": [[97, 2.5]]}), Sampling { logit_bias: Some([bias].into()), ..own.clone() }),
        (json!({"samplers": ["temperature"]}), Sampling { top_k: 0, top_p: 1.0, min_p: 0.0, ..own.clone() }),
    ] {
        let v =
            json!({"prompt": "hello", "n_predict": 40, "ignore_eos": true, "seed": 7, "temperature": 0.9});
        let got = s.post("/completion", &with(&v, more.clone())).json();
        assert_eq!(got["content"], drawn(want), "{more}");
    }
    let v = json!({"model": "tiny", "prompt": "hello", "raw": true, "stream": false,
        "options": {"num_predict": 40, "mirostat": 1}});
    let e = s.post("/api/generate", &v);
    assert!(e.status == 400 && e.json()["error"].as_str().unwrap().contains("options.mirostat"), "{e:?}");
}
